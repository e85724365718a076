//! How the reverse sweep of a loop gets at the states and values of each iteration.
//!
//! | file | what is kept |
//! |---|---|
//! | `states` | a state or value as an array with one row per iteration |
//! | `write_log` | of a state that is updated in place: the elements that each update overwrites |
//! | `history` | of each state one of the two |
//! | `undo` | the update undone |
//! | `versions` | where in an iteration such a state is brought back to what it was before an update |
//! | `nested` | what loops inside loops know of each other where both update an array in place |
//! | `tape` | of an iteration, beside its states: what is expensive to recompute |
//! | `checkpoint` | few states, from which the others are recomputed |
//!
//! Nothing here knows how statements are differentiated. The rules of loops choose among the files (`reverse/loops.rs`;
//! `reverse/sweep.rs` for periodic checkpointing).

pub(crate) mod checkpoint;
pub(crate) mod history;
pub(crate) mod nested;
pub(crate) mod states;
pub(crate) mod tape;
pub(crate) mod undo;
pub(crate) mod versions;
pub(crate) mod write_log;
