//! Sets of integers: intervals, and possibly the extremes of 64 bits.

use crate::program::LARGEST;

/// Numbers from `low` to `high`, none if that is empty, and possibly the extremes of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub low: i128,
    pub high: i128,
    pub extreme: bool,
}

impl Range {
    pub const FITS: Range = Range { low: -(LARGEST as i128), high: LARGEST as i128, extreme: false };
    pub const WIDE: Range = Range { low: i64::MIN as i128, high: i64::MAX as i128, extreme: false };
    pub const NONE: Range = Range { low: 1, high: 0, extreme: false };

    pub fn new(low: i128, high: i128) -> Range {
        Range { low, high, extreme: false }
    }

    pub fn constant(value: i64) -> Range {
        match value {
            i64::MIN | i64::MAX => Range { extreme: true, ..Range::NONE },
            _ => Range::new(value.into(), value.into()),
        }
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub fn fits(self) -> bool {
        self.is_empty() || Range::FITS.low <= self.low && self.high <= Range::FITS.high
    }

    pub fn join(self, other: Range) -> Range {
        let extreme = self.extreme || other.extreme;
        match (self.is_empty(), other.is_empty()) {
            (true, _) => Range { extreme, ..other },
            (_, true) => Range { extreme, ..self },
            _ => Range { low: self.low.min(other.low), high: self.high.max(other.high), extreme },
        }
    }

    /// Its image under 64-bit wrapping.
    pub fn wrapped(self) -> Range {
        let inside = self.is_empty() || Range::WIDE.low <= self.low && self.high <= Range::WIDE.high;
        if inside { self } else { Range { extreme: self.extreme, ..Range::WIDE } }
    }

    /// The part that passes a check.
    pub fn checked(self) -> Range {
        if self.is_empty() {
            return self;
        }
        let (low, high) = (self.low.max(Range::FITS.low), self.high.min(Range::FITS.high));
        if low > high { Range { extreme: self.extreme, ..Range::FITS } } else { Range { low, high, ..self } }
    }

    /// The results of a function that is monotone in each of two operands.
    pub fn corners(a: Range, b: Range, of: impl Fn(i128, i128) -> i128) -> Range {
        if a.is_empty() || b.is_empty() {
            return Range::NONE;
        }
        let all = [of(a.low, b.low), of(a.low, b.high), of(a.high, b.low), of(a.high, b.high)];
        let [first, rest @ ..] = all;
        Range::new(rest.iter().fold(first, |m, &x| m.min(x)), rest.iter().fold(first, |m, &x| m.max(x)))
    }
}

pub(super) fn extremum(a: Range, b: Range, of: fn(i128, i128) -> i128) -> Range {
    if a.extreme || b.extreme {
        return a.join(b);
    }
    if a.is_empty() || b.is_empty() {
        return Range::NONE;
    }
    Range::new(of(a.low, b.low), of(a.high, b.high))
}
