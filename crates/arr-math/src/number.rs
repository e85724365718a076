//! The numbers of the elementary functions: one, or many of them side by side.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number, or one in each lane of a vector, or one that will be computed later: every operation is the single
/// correctly rounded one of `f64`, so that a function written with these gives the same bits in all cases.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// 64 bits as an integer.
    type Bits: Copy;
    /// The outcome of a comparison.
    type Mask: Copy;

    /// A constant of this kind of number.
    fn of(self, x: f64) -> Self;
    /// `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    fn abs(self) -> Self;
    /// The square root, NaN for a negative number.
    fn sqrt(self) -> Self;
    /// The first where it is less, else the second: at a tie, and where either is NaN.
    fn lesser(self, other: Self) -> Self;
    /// The first where it is greater, else the second.
    fn greater(self, other: Self) -> Self;
    /// `self * 2^power`, rounded once, for an integral power of magnitude at most 1100 and a number of magnitude near
    /// 1, unless the power is so large that the result is meant to be infinite or zero.
    fn scale(self, power: Self) -> Self;
    fn less(self, other: Self) -> Self::Mask;
    fn equals(self, other: Self) -> Self::Mask;
    /// The first where the mask holds, else the second. Both are computed.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    fn to_bits(self) -> Self::Bits;
    fn from_bits(bits: Self::Bits) -> Self;
    fn bits_of(self, bits: u64) -> Self::Bits;
    fn shift_left(bits: Self::Bits, count: u8) -> Self::Bits;
    /// Filling with zeros.
    fn shift_right(bits: Self::Bits, count: u8) -> Self::Bits;
    /// Wrapping.
    fn bits_add(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// Wrapping.
    fn bits_sub(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_and(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_or(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_xor(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    /// Whether the bit with this value is set.
    fn has_bit(bits: Self::Bits, bit: u64) -> Self::Mask;
}

impl Number for f64 {
    type Bits = u64;
    type Mask = bool;

    #[inline(always)]
    fn of(self, x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn mul_add(self, a: f64, b: f64) -> f64 {
        f64::mul_add(self, a, b)
    }

    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn lesser(self, other: f64) -> f64 {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn greater(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn scale(self, power: f64) -> f64 {
        // In two steps, so that neither factor overflows and a subnormal result is rounded once. Added to a number below
        // 2^51, 1.5 * 2^52 leaves the nearest integer in the low bits.
        const MAGIC: f64 = 6755399441055744.0;
        let two_to = |marked: f64| f64::from_bits((marked.to_bits() << 52).wrapping_add(1023 << 52));
        let half = f64::mul_add(power, 0.5, MAGIC);
        let rest = (power - (half - MAGIC)) + MAGIC;
        self * two_to(half) * two_to(rest)
    }

    #[inline(always)]
    fn less(self, other: f64) -> bool {
        self < other
    }

    #[inline(always)]
    fn equals(self, other: f64) -> bool {
        self == other
    }

    #[inline(always)]
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn to_bits(self) -> u64 {
        f64::to_bits(self)
    }

    #[inline(always)]
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    #[inline(always)]
    fn bits_of(self, bits: u64) -> u64 {
        bits
    }

    #[inline(always)]
    fn shift_left(bits: u64, count: u8) -> u64 {
        bits << count
    }

    #[inline(always)]
    fn shift_right(bits: u64, count: u8) -> u64 {
        bits >> count
    }

    #[inline(always)]
    fn bits_add(a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn bits_sub(a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }

    #[inline(always)]
    fn bits_and(a: u64, b: u64) -> u64 {
        a & b
    }

    #[inline(always)]
    fn bits_or(a: u64, b: u64) -> u64 {
        a | b
    }

    #[inline(always)]
    fn bits_xor(a: u64, b: u64) -> u64 {
        a ^ b
    }

    #[inline(always)]
    fn has_bit(bits: u64, bit: u64) -> bool {
        bits & bit != 0
    }
}
