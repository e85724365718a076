//! Tokens, grammar, syntax tree and source printer of Arr.
//!
//! [`parse_module`] and [`parse_expr`] never fail and never panic: they return a tree and the list of errors in the
//! text. Unreadable parts are in the tree as error nodes, and have been reported. [`print_module`] and its like print a
//! tree, [`format_module`] a text with its comments.

pub mod ast;
mod build_tree;
mod build_types;
mod children;
mod doc;
mod expected;
mod format;
mod hints;
mod lexer;
mod number;
mod parse;
mod pieces;
mod printer;
mod report;
mod spellings;
mod statements;
mod token;
mod trivia;
mod weave;

pub use format::format_module;
pub use lexer::is_name;
pub use parse::{Parsed, parse_expr, parse_module};
pub use pieces::{KEYWORDS, Piece, PieceKind, pieces};
pub use printer::{print_expr, print_item, print_module, print_pattern, print_type};

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::unwrap_used, clippy::panic, unused)]
    grammar,
    "/arr.rs"
);
