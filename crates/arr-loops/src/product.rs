//! Matrix products as statements.

use crate::{LocalId, Operand, SpanId};

/// The role of an axis of a matrix product. The runtime reads the numbers.
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

/// An axis, and its stride in elements in each array; 0 if it is not an axis of the array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProductAxis {
    pub role: Role,
    pub extent: Operand,
    pub into: Operand,
    pub left: Operand,
    pub right: Operand,
}

/// `into = left * right`, or `into += left * right`: for every point of the batch, row and column axes the sum of
/// products over the inner axes, in any order. The addresses are those of the points where every index is 0, of one
/// float type; `into` does not overlap the operands. An empty sum is 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatMul {
    pub into: LocalId,
    pub left: LocalId,
    pub right: LocalId,
    /// Each kind from the outermost to the innermost.
    pub axes: Vec<ProductAxis>,
    /// Add to the existing elements.
    pub accumulate: bool,
    /// A zero factor makes a term zero, whatever the other factor is.
    pub zero_wins: bool,
    /// Only in code that is to be profiled.
    pub span: SpanId,
}

impl MatMul {
    /// Everything the statement reads.
    pub fn operands(&self) -> Vec<Operand> {
        let arrays = [self.into, self.left, self.right].map(Operand::Local);
        arrays.into_iter().chain(self.axes.iter().flat_map(|a| [a.extent, a.into, a.left, a.right])).collect()
    }
}
