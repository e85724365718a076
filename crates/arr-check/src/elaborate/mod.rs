//! Elaboration: symbolic evaluation of syntax trees into core IR. The evaluator is [`Elab`], in `elab.rs`.
//!
//! Expressions hold calls, patterns, loops and derivatives, and all of these hold expressions, so the methods of
//! [`Elab`] are mutually recursive, as those of every evaluator are. They are divided by what they evaluate: into the
//! folders `arrays`, `calls`, `patterns`, `derivatives` and `builtins`, and into files. The modules import from each
//! other in one direction: the types that several of them share are in `elab`, `env` and `function`.
//!
//! Depends on `data`, `messages`, `resolve` and `declare`.

mod arrays;
mod bounds;
mod builtins;
mod by_parts;
pub(crate) mod calls;
mod conform;
mod derivatives;
mod elab;
pub(crate) mod env;
mod expr;
mod function;
mod instantiate;
mod literal;
mod loops;
pub(crate) mod observe;
mod operators;
mod patterns;
mod record;
mod remedies;
mod show;
mod size_names;
mod sizes;
mod sum_values;
mod use_types;

pub(crate) use elab::{Elab, Mode};
