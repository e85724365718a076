//! The tree-sitter grammar of Arr, for editors and tools that use tree-sitter. The compiler has a parser of its own.
#![allow(unsafe_code)]

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_arr() -> *const ();
}

// SAFETY: `tree_sitter_arr` is the function that tree-sitter generates to return its tables, which are static.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_arr) };

/// What to highlight, and how.
pub const HIGHLIGHTS: &str = include_str!("../../queries/highlights.scm");
