//! What several passes ask about code: how often a variable is used, whether two operations are the same up to the names
//! of what they bind, what is dear to compute.

mod cost;
mod encode;
mod uses;

pub use cost::{is_scalar_code, weight};
pub use encode::{Key, MAX_KEY, encode_op};
pub use uses::{count_uses, for_each_consumed};
