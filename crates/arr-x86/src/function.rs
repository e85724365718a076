//! Elementary functions in vector programs: those of `arr-math`, recorded operation by operation, so with the same bits.

use crate::Builder;
use crate::program::{Binary, Bits, Compare, Elem, Op, Type, Unary, Value};
use arr_math::{Number, elementary, single};
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

macro_rules! functions {
    (
        {}
        vector { $( $variant:ident $name:ident($at:literal) = $value:literal, $sentence:literal; )* }
        scalar { $($_rest:tt)* }
    ) => {
        /// A function of one float, of those with vector code in `arr_math::for_each_function`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Function { $($variant),* }

        impl Function {
            pub const ALL: [Function; [$(stringify!($name)),*].len()] = [$(Function::$variant),*];

            /// The function of this name; `None` if it has no vector code.
            pub fn named(name: &str) -> Option<Function> {
                Some(match name { $(stringify!($name) => Function::$variant,)* _ => return None })
            }
        }
    };
}

arr_math::for_each_function! { functions {} }

impl Function {
    /// Whether a kernel is left where the function needs more than vectors: at finite angles above
    /// [`elementary::LARGEST_ANGLE`].
    pub fn leaves(self) -> bool {
        matches!(self, Function::Sin | Function::Cos | Function::Tan)
    }
}

/// Adds the operations of a function of `x`. For `f32` it is computed in `f64` and rounded.
pub fn call(b: &mut Builder, function: Function, x: Value) -> Value {
    let narrow = b.ty(x) == Type::Float(Elem::F32);
    let x = if narrow { b.op(Op::Widen(x)) } else { x };
    let cell = RefCell::new(std::mem::take(b));
    let x = Recorded { builder: &cell, value: x };
    if function.leaves() {
        let size = x.abs();
        let (large, finite) = (x.of(elementary::LARGEST_ANGLE).less(size), size.less(x.of(f64::INFINITY)));
        let beyond = x.op(Op::And(large.value, finite.value));
        cell.borrow_mut().leave(beyond.value);
    }
    let result = match function {
        Function::Exp if narrow => single::exp(x),
        Function::Tanh if narrow => single::tanh(x),
        Function::Sigmoid if narrow => single::sigmoid(x),
        Function::Sinh if narrow => single::sinh(x),
        Function::Cosh if narrow => single::cosh(x),
        Function::Erf if narrow => single::erf(x),
        Function::Exp => elementary::exp(x),
        Function::Expm1 => elementary::expm1(x),
        Function::Log => elementary::log(x),
        Function::Log1p => elementary::log1p(x),
        Function::Tanh => elementary::tanh(x),
        Function::Sigmoid => elementary::sigmoid(x),
        Function::Softplus => elementary::softplus(x),
        Function::Sin => elementary::sin(x),
        Function::Cos => elementary::cos(x),
        Function::Tan => elementary::tan(x),
        Function::Asin => elementary::asin(x),
        Function::Acos => elementary::acos(x),
        Function::Atan => elementary::atan(x),
        Function::Sinh => elementary::sinh(x),
        Function::Cosh => elementary::cosh(x),
        Function::Erf => elementary::erf(x),
    };
    let value = result.value;
    *b = cell.into_inner();
    if narrow { b.op(Op::Narrow(value)) } else { value }
}

/// A value of the program under construction; arithmetic on it adds operations.
#[derive(Clone, Copy)]
struct Recorded<'a> {
    builder: &'a RefCell<Builder>,
    value: Value,
}

impl<'a> Recorded<'a> {
    fn op(self, op: Op) -> Recorded<'a> {
        Recorded { value: self.builder.borrow_mut().op(op), ..self }
    }

    fn constant(self, op: Op) -> Recorded<'a> {
        Recorded { value: self.builder.borrow_mut().before(op), ..self }
    }

    fn binary(self, op: Binary, other: Recorded<'a>) -> Recorded<'a> {
        self.op(Op::Binary(op, self.value, other.value))
    }

    fn bits(self, op: Bits, other: Recorded<'a>) -> Recorded<'a> {
        self.op(Op::LanesBinary(op, self.value, other.value))
    }
}

impl<'a> Add for Recorded<'a> {
    type Output = Recorded<'a>;

    fn add(self, other: Recorded<'a>) -> Recorded<'a> {
        self.binary(Binary::Add, other)
    }
}

impl<'a> Sub for Recorded<'a> {
    type Output = Recorded<'a>;

    fn sub(self, other: Recorded<'a>) -> Recorded<'a> {
        self.binary(Binary::Sub, other)
    }
}

impl<'a> Mul for Recorded<'a> {
    type Output = Recorded<'a>;

    fn mul(self, other: Recorded<'a>) -> Recorded<'a> {
        self.binary(Binary::Mul, other)
    }
}

impl<'a> Div for Recorded<'a> {
    type Output = Recorded<'a>;

    fn div(self, other: Recorded<'a>) -> Recorded<'a> {
        self.binary(Binary::Div, other)
    }
}

impl<'a> Neg for Recorded<'a> {
    type Output = Recorded<'a>;

    fn neg(self) -> Recorded<'a> {
        self.op(Op::Unary(Unary::Neg, self.value))
    }
}

impl<'a> Number for Recorded<'a> {
    type Bits = Recorded<'a>;
    type Mask = Recorded<'a>;

    fn of(self, x: f64) -> Self {
        self.constant(Op::Const(Elem::F64, x.to_bits()))
    }

    fn mul_add(self, a: Self, b: Self) -> Self {
        self.op(Op::Fma(self.value, a.value, b.value))
    }

    fn abs(self) -> Self {
        self.op(Op::Unary(Unary::Abs, self.value))
    }

    fn sqrt(self) -> Self {
        self.op(Op::Unary(Unary::Sqrt, self.value))
    }

    fn lesser(self, other: Self) -> Self {
        self.binary(Binary::Lesser, other)
    }

    fn greater(self, other: Self) -> Self {
        self.binary(Binary::Greater, other)
    }

    fn scale(self, power: Self) -> Self {
        self.op(Op::Scale(self.value, power.value))
    }

    fn less(self, other: Self) -> Self {
        self.op(Op::Compare(Compare::Lt, self.value, other.value))
    }

    fn equals(self, other: Self) -> Self {
        self.op(Op::Compare(Compare::Eq, self.value, other.value))
    }

    fn select(mask: Self, yes: Self, no: Self) -> Self {
        mask.op(Op::Select(mask.value, yes.value, no.value))
    }

    fn to_bits(self) -> Self {
        self.op(Op::ToBits(self.value))
    }

    fn from_bits(bits: Self) -> Self {
        bits.op(Op::FromBits(bits.value))
    }

    fn bits_of(self, bits: u64) -> Self {
        self.constant(Op::LanesConst(bits as i64))
    }

    fn shift_left(bits: Self, count: u8) -> Self {
        bits.op(Op::Shift(bits.value, count as i8))
    }

    fn shift_right(bits: Self, count: u8) -> Self {
        bits.op(Op::Shift(bits.value, -(count as i8)))
    }

    fn bits_add(a: Self, b: Self) -> Self {
        a.bits(Bits::Add, b)
    }

    fn bits_sub(a: Self, b: Self) -> Self {
        a.bits(Bits::Sub, b)
    }

    fn bits_and(a: Self, b: Self) -> Self {
        a.bits(Bits::And, b)
    }

    fn bits_or(a: Self, b: Self) -> Self {
        a.bits(Bits::Or, b)
    }

    fn bits_xor(a: Self, b: Self) -> Self {
        a.bits(Bits::Xor, b)
    }

    fn has_bit(bits: Self, bit: u64) -> Self {
        bits.op(Op::TestBits(bits.value, bit as i64))
    }
}
