//! Data that the stages share, from the program that is given to the tables that are made from it.
//!
//! What can be asked of a type or value alone is here; what a stage does with it is in that stage.
//!
//! Depends on no other part of the crate.

pub(crate) mod builtins;
pub(crate) mod chosen;
pub(crate) mod declared_type;
pub(crate) mod problem;
pub(crate) mod program;
pub(crate) mod recorded;
pub(crate) mod signatures;
pub(crate) mod sum_problem;
pub(crate) mod tables;
pub(crate) mod types;
pub(crate) mod use_problem;
pub(crate) mod values;
