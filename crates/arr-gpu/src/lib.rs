//! Runs programs on graphics processors through wgpu.
