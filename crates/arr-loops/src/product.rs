//! Matrix products as statements.

use crate::{LocalId, Operand};

/// What an axis of a matrix product is. The numbers are what the runtime reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Of both operands and the result.
    Batch = 0,
    /// Of the left operand and the result.
    Row = 1,
    /// Of the right operand and the result.
    Column = 2,
    /// Of both operands, summed over.
    Inner = 3,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Role::Batch => "batch",
            Role::Row => "row",
            Role::Column => "column",
            Role::Inner => "inner",
        }
    }
}

/// An axis, and how many elements further a step along it is in each array; 0 where it is not one of the array's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProductAxis {
    pub role: Role,
    pub extent: Operand,
    pub into: Operand,
    pub left: Operand,
    pub right: Operand,
}

/// `into = left * right`, or `into += left * right`: for every point of the batch, row and column axes the sum of products
/// over the inner axes, in any order. The addresses are those of the points where every index is 0, of one float type;
/// no element of `into` is one of the operands'. An empty sum is 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatMul {
    pub into: LocalId,
    pub left: LocalId,
    pub right: LocalId,
    /// Each kind from the outermost to the innermost.
    pub axes: Vec<ProductAxis>,
    /// Add to what is there.
    pub accumulate: bool,
    /// A zero factor makes a term zero, whatever the other factor is.
    pub zero_wins: bool,
}

impl MatMul {
    /// Everything the statement reads.
    pub fn operands(&self) -> Vec<Operand> {
        let arrays = [self.into, self.left, self.right].map(Operand::Local);
        arrays.into_iter().chain(self.axes.iter().flat_map(|a| [a.extent, a.into, a.left, a.right])).collect()
    }
}
