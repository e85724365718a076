//! The Cranelift back end.
