//! The loop IR: loop nests over buffers, and lowering to it.
