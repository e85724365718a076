//! The axes of a product.

use smallvec::SmallVec;

/// An axis, as passed by compiled code.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// 0: batch, of all three; 1: row, of the left operand; 2: column, of the right operand; 3: inner, summed over.
    pub(super) role: i64,
    pub(super) extent: i64,
    /// Strides in elements; 0 where the axis is not one of the array's.
    pub(super) into: isize,
    pub(super) left: isize,
    pub(super) right: isize,
}

impl Axis {
    pub(super) fn len(&self) -> usize {
        usize::try_from(self.extent).unwrap_or(0)
    }

    /// The axis of the product with its operands exchanged.
    pub(super) fn exchanged(&self) -> Axis {
        let role = match self.role {
            1 => 2,
            2 => 1,
            other => other,
        };
        Axis { role, left: self.right, right: self.left, ..*self }
    }

    /// Every `step`-th point of the axis, whose length is a multiple of that.
    pub(super) fn every(&self, step: usize) -> Axis {
        let by = |stride: isize| stride.wrapping_mul(step as isize);
        Axis {
            role: self.role,
            extent: self.extent / step.max(1) as i64,
            into: by(self.into),
            left: by(self.left),
            right: by(self.right),
        }
    }

    /// Whether one step is as far as the inner axis is long, in every array.
    pub(super) fn continues(&self, inner: &Axis) -> bool {
        let steps = |outer: isize, step: isize| outer == step.wrapping_mul(inner.extent as isize);
        steps(self.into, inner.into) && steps(self.left, inner.left) && steps(self.right, inner.right)
    }
}

/// A call for a small product must not wait for the allocator.
pub(super) type Axes = SmallVec<[Axis; 4]>;

/// Which of the arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Into,
}

impl Side {
    pub(super) fn stride(self, axis: &Axis) -> isize {
        match self {
            Side::Left => axis.left,
            Side::Right => axis.right,
            Side::Into => axis.into,
        }
    }
}

pub(super) fn count(axes: &[Axis]) -> usize {
    axes.iter().fold(1usize, |n, a| n.saturating_mul(a.len()))
}

/// Axes of one role without those of one point, and with contiguous ones joined.
pub(super) fn joined(axes: impl Iterator<Item = Axis>) -> Axes {
    let mut out = Axes::new();
    for axis in axes.filter(|a| a.extent != 1) {
        match out.last_mut() {
            Some(last) if last.continues(&axis) => {
                // Beside an empty axis there may be any other.
                *last = Axis { extent: last.extent.saturating_mul(axis.extent), ..axis };
            }
            _ => out.push(axis),
        }
    }
    out
}

/// The stride of axes that an operand traverses as if they were one.
pub(super) fn single(axes: &[Axis], side: Side) -> Option<isize> {
    let stride = |a: &Axis| side.stride(a);
    let follow = |pair: &[Axis]| match pair {
        [outer, inner] => stride(outer) == stride(inner).wrapping_mul(inner.extent as isize),
        _ => true,
    };
    axes.windows(2).all(follow).then(|| axes.last().map_or(1, stride))
}

/// `most` elements of the last axis, or the rest; several axes unchanged.
pub(super) fn part(axes: &[Axis], most: usize, left: usize) -> Axes {
    match axes {
        [one] => [Axis { extent: one.extent.min(most.min(left) as i64), ..*one }].into_iter().collect(),
        _ => Axes::from_slice(axes),
    }
}

/// The axes of one array, in the order in which its elements lie in memory, with contiguous ones joined.
pub(super) fn in_order(axes: impl Iterator<Item = Axis>, side: Side) -> Axes {
    let own = |a: Axis| Axis { into: side.stride(&a), left: 0, right: 0, ..a };
    let mut axes: Axes = axes.map(own).filter(|a| a.into != 0).collect();
    axes.sort_by_key(|a| std::cmp::Reverse(a.into.unsigned_abs()));
    joined(axes.into_iter())
}
