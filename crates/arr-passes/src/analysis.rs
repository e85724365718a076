//! Analyses that several passes share: use counts, equality of operations up to renaming of bound variables, scalar
//! code.

mod code;
mod encode;
mod size;
mod uses;

pub use code::{Repeats, is_scalar_code, may_run_forever};
pub use encode::{Key, MAX_KEY, encode_op};
pub use size::size_operand;
pub use uses::{count_uses, for_each_consumed, yielded_for};
