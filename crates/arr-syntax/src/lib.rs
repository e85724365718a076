//! Tokens, grammar, syntax tree and source printer of Arr.

pub mod ast;
