//! The table of scalar primitives: each row has the name, the arity, the type rule and, for primitives that programs
//! call by name, a sentence of documentation.
//!
//! Functions of one float without an instruction of their own are rows of `arr_math::for_each_function` instead, which
//! also gives their value and documentation. Everything that needs the list of primitives reads it from here;
//! derivatives are in `arr-ad`, machine code in `arr-cpu`. The compiler or a test names a missing arm.

use crate::{Const, Scalar};

/// The type rule: the result type from the operand types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeRule {
    /// All operands and the result have one numeric type.
    Num,
    /// All operands and the result have one float type.
    Float,
    /// Two operands of one type (for `eq ne` also `bool`), result `bool`.
    Compare,
    /// All `bool`.
    Bool,
    /// All operands and the result have one integer type.
    Int,
    /// `bool`, then two of one type, which is the result's.
    Select,
    /// A float and an `i64`; the float's type.
    FloatInt,
    /// An `i64` and a float; the float's type.
    IntFloat,
    /// A float; `bool`.
    FloatTest,
    /// Any scalar; the given type.
    Convert(Scalar),
}

macro_rules! prims {
    (
        { $( $variant:ident $name:literal $arity:literal $rule:expr $(, $doc:literal)?; )* }
        $( $group:ident { $( $function:ident $path:ident($at:literal) = $value:literal, $sentence:literal; )* } )*
    ) => {
        /// A scalar primitive. The tables are in this file and in `arr_math::for_each_function`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Prim { $($variant,)* $($($function,)*)* }

        impl Prim {
            /// Every primitive, in table order.
            pub const ALL: &'static [Prim] = &[$(Prim::$variant,)* $($(Prim::$function,)*)*];

            /// The name in programs and in IR text.
            pub fn name(self) -> &'static str {
                match self { $(Prim::$variant => $name,)* $($(Prim::$function => stringify!($path),)*)* }
            }

            pub fn arity(self) -> usize {
                match self { $(Prim::$variant => $arity,)* $($(Prim::$function)|*)|* => 1 }
            }

            pub fn rule(self) -> TypeRule {
                match self { $(Prim::$variant => $rule,)* $($(Prim::$function)|*)|* => TypeRule::Float }
            }

            /// One sentence for users; `None` for operators, and for primitives that only the compiler generates.
            pub fn doc(self) -> Option<&'static str> {
                let sentences: &[&str] = match self {
                    $(Prim::$variant => &[$($doc)?],)*
                    $($(Prim::$function => &[$sentence],)*)*
                };
                sentences.first().copied()
            }

            /// An argument and its value, from a source other than the implementation, for tests; `None` for primitives
            /// that are not in the table of functions of one float.
            pub fn known_value(self) -> Option<(f64, f64)> {
                Some(match self { $($(Prim::$function => ($at, $value),)*)* _ => return None })
            }

            /// The value of a function of one float; `None` for primitives that are not in their table.
            fn function(self, x: f64) -> Option<f64> {
                Some(match self { $($(Prim::$function => arr_math::$path(x),)*)* _ => return None })
            }
        }
    };
}

arr_math::for_each_function! { prims {
    Add "add" 2 TypeRule::Num;
    Sub "sub" 2 TypeRule::Num;
    Mul "mul" 2 TypeRule::Num;
    // Integers: rounds toward negative infinity; division by zero is run-time error E0602.
    Div "div" 2 TypeRule::Num;
    Rem "rem" 2 TypeRule::Num;
    // The product, except that a zero factor gives zero whatever the other is (infinite, NaN). Derivatives use it where an
    // element that was not selected must contribute exactly zero. Its own derivative is the product rule with `mulz`.
    MulZero "mulz" 2 TypeRule::Float, "a * b, but 0 where either is 0, whatever the other is.";
    Neg "neg" 1 TypeRule::Num;
    Abs "abs" 1 TypeRule::Num, "The absolute value; its derivative at 0 is 0.";
    Sign "sign" 1 TypeRule::Num, "-1, 0 or 1.";
    Min "min" 2 TypeRule::Num, "The smaller; at a tie the first.";
    Max "max" 2 TypeRule::Num, "The larger; at a tie the first.";
    // Floats: IEEE pow. Integers: wrapping, see arr_math::pow_int.
    Pow "pow" 2 TypeRule::Num, "pow(x, p) is x ** p.";
    PowInt "powi" 2 TypeRule::FloatInt;
    Sqrt "sqrt" 1 TypeRule::Float, "The square root.";
    Atan2 "atan2" 2 TypeRule::Float, "atan2(y, x): the angle of the point (x, y).";
    // polygamma(order, x)
    Polygamma "polygamma" 2 TypeRule::IntFloat, "polygamma(n, x): the n-th derivative of digamma.";
    Floor "floor" 1 TypeRule::Float, "The largest integer not above x.";
    Ceil "ceil" 1 TypeRule::Float, "The smallest integer not below x.";
    // Halves to even.
    Round "round" 1 TypeRule::Float, "The nearest integer, halves to even.";
    IsNan "is_nan" 1 TypeRule::FloatTest, "Whether x is not a number.";
    IsFinite "is_finite" 1 TypeRule::FloatTest, "Whether x is neither infinite nor not a number.";
    Eq "eq" 2 TypeRule::Compare;
    Ne "ne" 2 TypeRule::Compare;
    Lt "lt" 2 TypeRule::Compare;
    Le "le" 2 TypeRule::Compare;
    Gt "gt" 2 TypeRule::Compare;
    Ge "ge" 2 TypeRule::Compare;
    // Strict; the lazy forms are `if`.
    And "and" 2 TypeRule::Bool;
    Or "or" 2 TypeRule::Bool;
    Not "not" 1 TypeRule::Bool;
    BitAnd "bit_and" 2 TypeRule::Int, "The bits that both integers have.";
    BitOr "bit_or" 2 TypeRule::Int, "The bits that either integer has.";
    BitXor "bit_xor" 2 TypeRule::Int, "The bits that just one of two integers has.";
    // The count is taken modulo the width of the type. To the right, `u32` fills with zeros and the signed types with the sign.
    Shl "shl" 2 TypeRule::Int, "shl(a, k): the bits of a moved k places up; k counts modulo the width.";
    Shr "shr" 2 TypeRule::Int, "shr(a, k): the bits of a moved k places down; the sign fills, if there is one.";
    // Both values are evaluated.
    Select "select" 3 TypeRule::Select, "select(c, a, b): a where c, else b; both are evaluated.";
    // Float to integer truncates and saturates, NaN gives 0; integer narrowing wraps; nonzero is true.
    ToBool "bool" 1 TypeRule::Convert(Scalar::Bool), "Whether a number is not 0.";
    ToI32 "i32" 1 TypeRule::Convert(Scalar::I32), "Converts to i32; floats truncate and saturate.";
    ToI64 "i64" 1 TypeRule::Convert(Scalar::I64), "Converts to i64; floats truncate and saturate.";
    ToU32 "u32" 1 TypeRule::Convert(Scalar::U32), "Converts to u32; floats truncate and saturate.";
    ToF32 "f32" 1 TypeRule::Convert(Scalar::F32), "Converts to f32.";
    ToF64 "f64" 1 TypeRule::Convert(Scalar::F64), "Converts to f64; a boolean is 0 or 1.";
} }

/// A pattern that matches the primitives of the table `arr_math::for_each_function`, and no others.
#[macro_export]
macro_rules! any_function {
    () => {
        $crate::for_each_function! { $crate::function_pattern {} }
    };
}

/// The pattern that [`any_function!`] stands for.
#[doc(hidden)]
#[macro_export]
macro_rules! function_pattern {
    ({} $( $group:ident { $( $function:ident $path:ident($at:literal) = $value:literal, $sentence:literal; )* } )*) => {
        $( $( $crate::Prim::$function )|* )|*
    };
}

impl Prim {
    pub fn from_name(name: &str) -> Option<Prim> {
        Prim::ALL.iter().copied().find(|p| p.name() == name)
    }

    pub fn convert(to: Scalar) -> Prim {
        match to {
            Scalar::Bool => Prim::ToBool,
            Scalar::I32 => Prim::ToI32,
            Scalar::I64 => Prim::ToI64,
            Scalar::U32 => Prim::ToU32,
            Scalar::F32 => Prim::ToF32,
            Scalar::F64 => Prim::ToF64,
        }
    }

    /// The result type for these operand types; `None` when the primitive is not defined on them.
    pub fn result(self, args: &[Scalar]) -> Option<Scalar> {
        if args.len() != self.arity() {
            return None;
        }
        let same = |args: &[Scalar]| match args {
            [first, rest @ ..] if rest.iter().all(|a| a == first) => Some(*first),
            _ => None,
        };
        match (self.rule(), args) {
            (TypeRule::Num, _) => same(args).filter(|s| *s != Scalar::Bool),
            (TypeRule::Float, _) => same(args).filter(|s| s.is_float()),
            (TypeRule::Int, _) => same(args).filter(|s| s.is_int()),
            (TypeRule::Compare, _) => {
                let operand = same(args)?;
                let ordered = !matches!(self, Prim::Eq | Prim::Ne);
                (operand != Scalar::Bool || !ordered).then_some(Scalar::Bool)
            }
            (TypeRule::Bool, _) => same(args).filter(|s| *s == Scalar::Bool),
            (TypeRule::Select, [c, a, b]) => (*c == Scalar::Bool && a == b).then_some(*a),
            (TypeRule::FloatInt, [x, n]) => (x.is_float() && *n == Scalar::I64).then_some(*x),
            (TypeRule::IntFloat, [n, x]) => (x.is_float() && *n == Scalar::I64).then_some(*x),
            (TypeRule::FloatTest, [x]) => x.is_float().then_some(Scalar::Bool),
            (TypeRule::Convert(to), _) => Some(to),
            (TypeRule::Select | TypeRule::FloatInt | TypeRule::IntFloat | TypeRule::FloatTest, _) => None,
        }
    }

    /// The operand types on which it is defined, with the result's.
    pub fn signatures(self) -> Vec<(Vec<Scalar>, Scalar)> {
        let operands = |elem: Scalar| match self.rule() {
            TypeRule::Select => vec![Scalar::Bool, elem, elem],
            TypeRule::FloatInt => vec![elem, Scalar::I64],
            TypeRule::IntFloat => vec![Scalar::I64, elem],
            _ => vec![elem; self.arity()],
        };
        let all = Scalar::ALL.map(operands);
        all.into_iter().filter_map(|args| self.result(&args).map(|result| (args, result))).collect()
    }

    /// Whether it can stop the program: integer division and remainder can.
    pub fn may_fail(self, elem: Scalar) -> bool {
        matches!(self, Prim::Div | Prim::Rem) && elem.is_int()
    }

    /// The value that takes the place of the operation on constants. `None` where there is none, and where numbers give a
    /// NaN or an infinity: `--trap-nan` is to find the place where that is born. A quotient is how programs write a NaN and
    /// an infinity that they mean.
    pub fn fold(self, args: &[Const]) -> Option<Const> {
        let finite = |c: &Const| c.as_f64().is_none_or(f64::is_finite);
        let meant = |value: &Const| self == Prim::Div || finite(value) || !args.iter().all(finite);
        self.eval(args).filter(meant)
    }

    /// The value for constants of fitting types: `None` for a type error and for integer division by zero.
    pub fn eval(self, args: &[Const]) -> Option<Const> {
        match (self, args) {
            (Prim::Select, [Const::Bool(c), a, b]) => (a.scalar() == b.scalar()).then_some(if *c { *a } else { *b }),
            (Prim::PowInt, [Const::F64(x), Const::I64(n)]) => Some(Const::F64(arr_math::powi(*x, *n))),
            (Prim::PowInt, [Const::F32(x), Const::I64(n)]) => {
                Some(Const::F32(arr_math::powi(f64::from(*x), *n) as f32))
            }
            (Prim::Polygamma, [Const::I64(n), Const::F64(x)]) => Some(Const::F64(arr_math::polygamma(*n, *x))),
            (Prim::Polygamma, [Const::I64(n), Const::F32(x)]) => {
                Some(Const::F32(arr_math::polygamma(*n, f64::from(*x)) as f32))
            }
            (_, [a]) => eval_unary(self, *a),
            (_, [a, b]) => eval_binary(self, *a, *b),
            _ => None,
        }
    }
}

fn eval_unary(prim: Prim, a: Const) -> Option<Const> {
    if let TypeRule::Convert(to) = prim.rule() {
        return Some(convert(a, to));
    }
    Some(match a {
        Const::F64(x) => match prim {
            Prim::IsNan => Const::Bool(x.is_nan()),
            Prim::IsFinite => Const::Bool(x.is_finite()),
            _ => Const::F64(eval_f64(prim, x)?),
        },
        // f32 functions are computed in f64 and rounded once: correctly rounded in all but nearly halfway cases.
        Const::F32(x) => match prim {
            Prim::IsNan => Const::Bool(x.is_nan()),
            Prim::IsFinite => Const::Bool(x.is_finite()),
            Prim::Exp => Const::F32(arr_math::exp_f32(x)),
            Prim::Tanh => Const::F32(arr_math::tanh_f32(x)),
            Prim::Sigmoid => Const::F32(arr_math::sigmoid_f32(x)),
            Prim::Sinh => Const::F32(arr_math::sinh_f32(x)),
            Prim::Cosh => Const::F32(arr_math::cosh_f32(x)),
            Prim::Erf => Const::F32(arr_math::erf_f32(x)),
            _ => Const::F32(eval_f64(prim, f64::from(x))? as f32),
        },
        Const::I64(x) => Const::I64(match prim {
            Prim::Neg => x.wrapping_neg(),
            Prim::Abs => x.wrapping_abs(),
            Prim::Sign => x.signum(),
            _ => return None,
        }),
        Const::I32(x) => Const::I32(match prim {
            Prim::Neg => x.wrapping_neg(),
            Prim::Abs => x.wrapping_abs(),
            Prim::Sign => x.signum(),
            _ => return None,
        }),
        Const::U32(x) => Const::U32(match prim {
            Prim::Neg => x.wrapping_neg(),
            Prim::Abs => x,
            Prim::Sign => u32::from(x > 0),
            _ => return None,
        }),
        Const::Bool(x) => match prim {
            Prim::Not => Const::Bool(!x),
            _ => return None,
        },
    })
}

/// A float function of one float; `None` if the primitive is not one.
pub fn eval_f64(prim: Prim, x: f64) -> Option<f64> {
    Some(match prim {
        Prim::Neg => -x,
        Prim::Abs => x.abs(),
        Prim::Sign => arr_math::sign(x),
        Prim::Sqrt => x.sqrt(),
        Prim::Floor => x.floor(),
        Prim::Ceil => x.ceil(),
        Prim::Round => x.round_ties_even(),
        _ => return prim.function(x),
    })
}

fn eval_binary(prim: Prim, a: Const, b: Const) -> Option<Const> {
    match (a, b) {
        (Const::F64(x), Const::F64(y)) => float_binary(prim, x, y, Const::F64),
        (Const::F32(x), Const::F32(y)) => float_binary(prim, f64::from(x), f64::from(y), |z| Const::F32(z as f32)),
        (Const::I64(x), Const::I64(y)) => int_binary(prim, x, y, Scalar::I64),
        (Const::I32(x), Const::I32(y)) => int_binary(prim, i64::from(x), i64::from(y), Scalar::I32),
        (Const::U32(x), Const::U32(y)) => int_binary(prim, i64::from(x), i64::from(y), Scalar::U32),
        (Const::Bool(x), Const::Bool(y)) => Some(Const::Bool(match prim {
            Prim::And => x && y,
            Prim::Or => x || y,
            Prim::Eq => x == y,
            Prim::Ne => x != y,
            _ => return None,
        })),
        _ => None,
    }
}

/// Arithmetic on f32 is done in f64 and rounded once, which is exact for `+ - * /` (53 >= 2 * 24 + 2).
fn float_binary(prim: Prim, x: f64, y: f64, number: impl Fn(f64) -> Const) -> Option<Const> {
    Some(match prim {
        Prim::Add => number(x + y),
        Prim::Sub => number(x - y),
        Prim::Mul => number(x * y),
        Prim::MulZero => number(if x == 0.0 || y == 0.0 { 0.0 } else { x * y }),
        Prim::Div => number(x / y),
        // The remainder has the divisor's sign, as for integers.
        Prim::Rem => number(x - y * (x / y).floor()),
        Prim::Min => number(arr_math::min(x, y)),
        Prim::Max => number(arr_math::max(x, y)),
        Prim::Pow => number(arr_math::pow(x, y)),
        Prim::Atan2 => number(x.atan2(y)),
        Prim::Eq => Const::Bool(x == y),
        Prim::Ne => Const::Bool(x != y),
        Prim::Lt => Const::Bool(x < y),
        Prim::Le => Const::Bool(x <= y),
        Prim::Gt => Const::Bool(x > y),
        Prim::Ge => Const::Bool(x >= y),
        _ => return None,
    })
}

fn int_binary(prim: Prim, x: i64, y: i64, elem: Scalar) -> Option<Const> {
    // Wrapping 64-bit arithmetic, truncated to 32 bits, is wrapping 32-bit arithmetic.
    let number = |z: i64| Const::of_int(elem, z);
    Some(match prim {
        Prim::Add => number(x.wrapping_add(y)),
        Prim::Sub => number(x.wrapping_sub(y)),
        Prim::Mul => number(x.wrapping_mul(y)),
        Prim::Div | Prim::Rem if y == 0 => return None,
        Prim::Div => number(arr_math::div_floor(x, y)),
        Prim::Rem => number(arr_math::rem_floor(x, y)),
        Prim::Min => number(x.min(y)),
        Prim::Max => number(x.max(y)),
        Prim::BitAnd => number(x & y),
        Prim::BitOr => number(x | y),
        Prim::BitXor => number(x ^ y),
        Prim::Shl => number(x << (y & (8 * elem.bytes() as i64 - 1))),
        // A `u32` widened to 64 bits has no sign, so this fills with zeros.
        Prim::Shr => number(x >> (y & (8 * elem.bytes() as i64 - 1))),
        Prim::Pow => number(arr_math::pow_int(x, y)),
        Prim::Eq => Const::Bool(x == y),
        Prim::Ne => Const::Bool(x != y),
        Prim::Lt => Const::Bool(x < y),
        Prim::Le => Const::Bool(x <= y),
        Prim::Gt => Const::Bool(x > y),
        Prim::Ge => Const::Bool(x >= y),
        _ => return None,
    })
}

/// Conversion between scalar types: float to integer truncates and saturates, NaN gives 0; integer narrowing wraps;
/// a bool is 0 or 1, and a number is true when it is not zero.
pub fn convert(a: Const, to: Scalar) -> Const {
    match to {
        Scalar::Bool => Const::Bool(!a.is_zero()),
        Scalar::F32 => Const::F32(match a {
            Const::F32(x) => x,
            Const::F64(x) => x as f32,
            Const::Bool(_) | Const::I32(_) | Const::I64(_) | Const::U32(_) => integer(a) as f32,
        }),
        Scalar::F64 => Const::F64(a.as_f64().unwrap_or(integer(a) as f64)),
        Scalar::I32 => Const::I32(a.as_f64().map_or(integer(a) as i32, |x| x as i32)),
        Scalar::I64 => Const::I64(a.as_f64().map_or(integer(a), |x| x as i64)),
        Scalar::U32 => Const::U32(a.as_f64().map_or(integer(a) as u32, |x| x as u32)),
    }
}

fn integer(a: Const) -> i64 {
    a.as_i64().or(a.as_bool().map(i64::from)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
