//! What several passes ask about code: how often a variable is used, whether two operations are the same up to the names
//! of what they bind, whether a loop is known to end.

mod encode;
mod size;
mod uses;

pub use arr_ir::{Repeats, is_scalar_code};
pub use encode::{Key, MAX_KEY, encode_op};
pub use size::{index_checks, size_operand};
pub use uses::{count_uses, for_each_consumed, uses, yielded_for};
