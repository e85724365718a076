//! What compiled code calls: memory, scalar mathematics, run-time errors.
