//! The cost of computing an element, and when recomputing it is better than storing it: one table.
//!
//! Units: `ops` are scalar operations (a read counts as one), `reads` are elements read from memory. Storing an element
//! and reading it back costs about as much as four operations and two reads, which hit the cache when a neighbour has
//! been read.

/// The cost of computing one element, inlined producers included.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Cost {
    pub ops: u32,
    pub reads: u32,
    /// Whether it loops or applies a function ([`arr_ir::Cost::Function`]).
    pub expensive: bool,
    pub loops: bool,
}

impl Cost {
    pub fn add(&mut self, other: Cost) {
        self.ops = self.ops.saturating_add(other.ops);
        self.reads = self.reads.saturating_add(other.reads);
        self.expensive |= other.expensive;
        self.loops |= other.loops;
    }
}

/// How a reader accesses the elements of a producer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    /// Each element at most once, perhaps by several readers.
    Once,
    /// Elements repeatedly, but not in an inner loop.
    Again,
    /// Elements repeatedly in an inner loop.
    AgainInside,
    /// As the operand of a matrix product: every element once per row or column of the other operand; it is a matrix
    /// product only while its operands are in memory.
    Product,
}

/// A row: an element that costs no more than this is recomputed at every such read.
struct Limit {
    reading: Reading,
    ops: u32,
    reads: u32,
}

/// Rows for one reading are alternatives.
const LIMITS: &[Limit] = &[
    Limit { reading: Reading::Once, ops: 4, reads: 2 },
    Limit { reading: Reading::Again, ops: 2, reads: 1 },
    // From indices alone: no memory is read at all.
    Limit { reading: Reading::Again, ops: 3, reads: 0 },
    Limit { reading: Reading::AgainInside, ops: 3, reads: 0 },
];

/// Operations of a body that may be copied into several branches of which one runs.
pub(super) const COPIED: u32 = 64;
/// Operations of a condition on indices that is recomputed wherever it is read.
pub(super) const GUARD_OPS: u32 = 16;
/// Sums known to have fewer terms are not worth being a matrix product.
pub(super) const SHORT_SUM: i64 = 8;
/// An axis known to be no longer is short. An element of an array with such an innermost axis that takes no more
/// operations is recomputed where a reduction needs all elements along that axis, and others need one each.
pub(super) const SHORT_AXIS: i64 = 8;
pub(super) const SHORT_OPS: u32 = 16;
/// The results of a build that neighbours read are computed separately, and the rest where it is read, if that takes no
/// more than this: the price of storing an array and reading it back, several times.
pub(super) const APART_OPS: u32 = 16;
pub(super) const APART_READS: u32 = 2;
/// The maximal chain of producers inlined into each other; bounds the depth of recursion.
pub(super) const MAX_CHAIN: u32 = 128;
/// Operations that a kernel may grow to.
pub(super) const MAX_OPS: u32 = 4_096;

/// Whether an element is recomputed rather than stored.
pub(super) fn is_recomputed(cost: Cost, reading: Reading) -> bool {
    let fits = |l: &&Limit| l.reading == reading && cost.ops <= l.ops && cost.reads <= l.reads;
    !cost.expensive && LIMITS.iter().find(fits).is_some()
}

/// Whether elements of several arrays, made together, are recomputed rather than stored: `times` more often than once,
/// at places that each need some of the `arrays`. This saves storing each array and reading it back.
pub(super) fn are_recomputed(cost: Cost, times: usize, arrays: usize) -> bool {
    let fits =
        |units: u32, limit: u32| (units as usize).saturating_mul(times) <= (limit as usize).saturating_mul(arrays);
    let fits = |l: &Limit| l.reading == Reading::Once && fits(cost.ops, l.ops) && fits(cost.reads, l.reads);
    !cost.expensive && LIMITS.iter().any(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_arrays() {
        let cost = |ops, reads| Cost { ops, reads, ..Cost::default() };
        assert!(are_recomputed(cost(20, 10), 1, 5));
        assert!(!are_recomputed(cost(20, 10), 2, 5));
        assert!(!are_recomputed(cost(21, 1), 1, 5));
        assert!(!are_recomputed(cost(1, 11), 1, 5));
        assert!(!are_recomputed(Cost { expensive: true, ..cost(1, 0) }, 1, 5));
    }

    #[test]
    fn limits() {
        let cost = |ops, reads| Cost { ops, reads, ..Cost::default() };
        let rows = [
            (cost(4, 2), [true, false, false, false]),
            (cost(2, 1), [true, true, false, false]),
            (cost(3, 0), [true, true, true, false]),
            (cost(5, 1), [false; 4]),
            (Cost { expensive: true, ..cost(1, 0) }, [false; 4]),
        ];
        for (cost, expected) in rows {
            let readings = [Reading::Once, Reading::Again, Reading::AgainInside, Reading::Product];
            assert_eq!(readings.map(|r| is_recomputed(cost, r)), expected, "{cost:?}");
        }
    }
}
