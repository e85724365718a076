//! Reasons why a function cannot be lowered. Each is a fault of an earlier stage, not of the user's program.

use crate::LoopFault;

/// An obstacle to lowering.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LowerError {
    /// An operation that must be gone by now (`vjp`, `jvp`).
    NotEliminated(&'static str),
    /// A variable is read that is not bound at that place.
    Unbound(String),
    /// An operation's operands or results do not fit it.
    IllFormed(String),
    /// The output of a pass is not well formed.
    Broken {
        /// `lowering`, or the pass.
        after: &'static str,
        faults: Vec<LoopFault>,
    },
}

impl std::fmt::Display for LowerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LowerError::NotEliminated(op) => write!(f, "`{op}` was not eliminated before lowering to loops"),
            LowerError::Unbound(var) => write!(f, "variable {var} is not bound where it is read"),
            LowerError::IllFormed(what) => write!(f, "the IR is not well formed: {what}"),
            LowerError::Broken { after, faults } => {
                write!(f, "the loops are not well formed after {after}:")?;
                faults.iter().try_for_each(|fault| write!(f, "\n{fault}"))
            }
        }
    }
}

impl std::error::Error for LowerError {}
