//! A row for every primitive: the operation of StableHLO, or what it is expanded to.

use crate::choices::are_few;
use crate::error::{Result, internal};
use crate::space::Emitter;
use crate::traps::SiteKind;
use crate::values::{Affine, Range, Scal, Val};
use arr_ir::{Const, Prim, Scalar};

/// How a primitive is written. A new one does not compile without a row.
enum Row {
    /// An operation on floats and integers.
    Op(&'static str),
    Compare(&'static str),
    /// A function of one float that StableHLO has.
    Function(&'static str),
    /// A function of one float that is expanded.
    Expanded,
    Own,
}

fn row(prim: Prim) -> Row {
    match prim {
        Prim::Add => Row::Op("stablehlo.add"),
        Prim::Sub => Row::Op("stablehlo.subtract"),
        Prim::Neg => Row::Op("stablehlo.negate"),
        Prim::And | Prim::BitAnd => Row::Op("stablehlo.and"),
        Prim::Or | Prim::BitOr => Row::Op("stablehlo.or"),
        Prim::BitXor => Row::Op("stablehlo.xor"),
        Prim::Not => Row::Op("stablehlo.not"),
        Prim::Sqrt => Row::Function("stablehlo.sqrt"),
        Prim::Floor => Row::Function("stablehlo.floor"),
        Prim::Ceil => Row::Function("stablehlo.ceil"),
        Prim::Round => Row::Function("stablehlo.round_nearest_even"),
        Prim::Atan2 => Row::Function("stablehlo.atan2"),
        Prim::Exp => Row::Function("stablehlo.exponential"),
        Prim::Expm1 => Row::Function("stablehlo.exponential_minus_one"),
        Prim::Log => Row::Function("stablehlo.log"),
        Prim::Log1p => Row::Function("stablehlo.log_plus_one"),
        Prim::Tanh => Row::Function("stablehlo.tanh"),
        Prim::Sigmoid => Row::Function("stablehlo.logistic"),
        Prim::Sin => Row::Function("stablehlo.sine"),
        Prim::Cos => Row::Function("stablehlo.cosine"),
        Prim::Tan => Row::Function("stablehlo.tan"),
        Prim::Softplus
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Erf
        | Prim::Lgamma
        | Prim::Digamma => Row::Expanded,
        Prim::Eq => Row::Compare("EQ"),
        Prim::Ne => Row::Compare("NE"),
        Prim::Lt => Row::Compare("LT"),
        Prim::Le => Row::Compare("LE"),
        Prim::Gt => Row::Compare("GT"),
        Prim::Ge => Row::Compare("GE"),
        Prim::Mul
        | Prim::MulZero
        | Prim::Div
        | Prim::Rem
        | Prim::Abs
        | Prim::Sign
        | Prim::Min
        | Prim::Max
        | Prim::Pow
        | Prim::PowInt
        | Prim::Polygamma
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Shl
        | Prim::Shr
        | Prim::Select
        | Prim::ToBool
        | Prim::ToI32
        | Prim::ToI64
        | Prim::ToU32
        | Prim::ToF32
        | Prim::ToF64 => Row::Own,
    }
}

/// An integer power of a float up to this exponent is a product.
const SQUARED: i64 = 16;

fn int(elem: Scalar, value: i64) -> Scal {
    Scal::Const(Const::of_int(elem, value))
}

impl Emitter<'_> {
    /// The value of a primitive. Products of floats wait until something needs them.
    pub(crate) fn prim(&mut self, prim: Prim, args: &[Scal], hint: &str) -> Result<Scal> {
        let constants: Option<Vec<Const>> = args.iter().map(Scal::as_const).collect();
        if let Some(value) = constants.and_then(|c| prim.eval(&c)) {
            return Ok(Scal::Const(value));
        }
        if let (Prim::Add | Prim::Mul, [Scal::Const(Const::I64(unit)), other] | [other, Scal::Const(Const::I64(unit))]) =
            (prim, args)
            && *unit == i64::from(prim == Prim::Mul)
        {
            return Ok(other.clone());
        }
        if let Some(affine) = self.as_affine(prim, args) {
            return Ok(affine);
        }
        if let (Prim::Mul | Prim::MulZero, [a, b]) = (prim, args)
            && a.elem().is_float()
            && !self.space.is_empty()
        {
            return Ok(product(a, b, prim == Prim::MulZero));
        }
        let args = args.iter().map(|a| self.plain(a)).collect::<Result<Vec<Scal>>>()?;
        let mut made = self.made(prim, &args, hint)?;
        if let (Scalar::I64, [a, b]) = (made.elem, args.as_slice()) {
            made.range = match prim {
                Prim::Add | Prim::Sub | Prim::Mul | Prim::Min | Prim::Max | Prim::Div | Prim::Rem => {
                    self.range(a).of(prim, self.range(b))
                }
                _ => Range::ANY,
            };
        }
        if let (Prim::ToI64, [a]) = (prim, args.as_slice()) {
            made.range = if a.elem().is_int() { self.range(a) } else { Range::ANY };
        }
        if let (Prim::Select, [_, a, b]) = (prim, args.as_slice()) {
            made.range = self.range(a).or(self.range(b));
        }
        Ok(Scal::Tensor(made))
    }

    fn plain(&mut self, a: &Scal) -> Result<Scal> {
        match a {
            Scal::Product { .. } | Scal::Windows(_) => Ok(Scal::Tensor(self.val(a)?)),
            a => Ok(a.clone()),
        }
    }

    fn made(&mut self, prim: Prim, args: &[Scal], hint: &str) -> Result<Val> {
        match (row(prim), args) {
            (Row::Op(op) | Row::Function(op), _) => self.elementwise(hint, op, args),
            (Row::Compare(how), [a, b]) => self.compare(hint, how, a, b),
            (Row::Expanded, [x]) => self.expanded(prim, x),
            (_, [a, b, c]) if prim == Prim::Select => self.select(hint, a, b, c),
            (_, [a, b]) => self.binary(prim, a, b, hint),
            (_, [a]) => self.unary(prim, a, hint),
            _ => internal(format!("`{}` has other operands", prim.name())),
        }
    }

    fn unary(&mut self, prim: Prim, a: &Scal, hint: &str) -> Result<Val> {
        let elem = a.elem();
        let zero = Scal::Const(Const::zero(elem));
        match prim {
            Prim::IsNan => self.compare(hint, "NE", a, a),
            Prim::IsFinite => {
                let v = self.val(a)?;
                let (from, to) = (self.val_ty(&v), self.ty(&v.axes, Scalar::Bool));
                let name = self.text.value(hint, format!("stablehlo.is_finite {} : ({from}) -> {to}", v.name));
                Ok(Val::new(name, v.axes, Scalar::Bool))
            }
            Prim::Abs if elem == Scalar::U32 => self.val(a),
            Prim::Abs => self.elementwise(hint, "stablehlo.abs", std::slice::from_ref(a)),
            Prim::Sign if elem == Scalar::U32 => {
                self.elementwise(hint, "stablehlo.minimum", &[a.clone(), int(elem, 1)])
            }
            Prim::Sign => self.elementwise(hint, "stablehlo.sign", std::slice::from_ref(a)),
            Prim::ToBool if elem == Scalar::Bool => self.val(a),
            Prim::ToBool => self.compare(hint, "NE", a, &zero),
            Prim::ToF32 => self.converted(a, Scalar::F32, hint),
            Prim::ToF64 => self.converted(a, Scalar::F64, hint),
            Prim::ToI32 => self.integer_of(a, Scalar::I32, hint),
            Prim::ToI64 => self.integer_of(a, Scalar::I64, hint),
            Prim::ToU32 => self.integer_of(a, Scalar::U32, hint),
            _ => internal(format!("`{}` has other operands", prim.name())),
        }
    }

    fn converted(&mut self, a: &Scal, to: Scalar, hint: &str) -> Result<Val> {
        if a.elem() == to { self.val(a) } else { self.convert(hint, a, to) }
    }

    /// Floats are truncated, and what is too large becomes the greatest or least integer; NaN becomes 0.
    fn integer_of(&mut self, a: &Scal, to: Scalar, hint: &str) -> Result<Val> {
        let from = a.elem();
        if !from.is_float() {
            return self.converted(a, to, hint);
        }
        let wide = Scal::Tensor(self.converted(a, Scalar::F64, hint)?);
        let (least, most) = match to {
            Scalar::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            Scalar::U32 => (0.0, f64::from(u32::MAX)),
            _ => (-(2f64.powi(63)), 2f64.powi(63)),
        };
        let at = |x: f64| Scal::Const(Const::F64(x));
        let high = Scal::Tensor(self.compare("high", "GE", &wide, &at(most))?);
        let inside = self.elementwise("clamped", "stablehlo.maximum", &[wide.clone(), at(least)])?;
        let below = at(if to == Scalar::I64 { 9223372036854774784.0 } else { most });
        let inside = self.elementwise("clamped", "stablehlo.minimum", &[Scal::Tensor(inside), below])?;
        let nan = Scal::Tensor(self.compare("nan", "NE", &wide, &wide)?);
        let inside = self.select("clamped", &nan, &at(0.0), &Scal::Tensor(inside))?;
        let number = self.convert(hint, &Scal::Tensor(inside), to)?;
        let greatest = match to {
            Scalar::I32 => Const::I32(i32::MAX),
            Scalar::U32 => Const::U32(u32::MAX),
            _ => Const::I64(i64::MAX),
        };
        self.select(hint, &high, &Scal::Const(greatest), &Scal::Tensor(number))
    }

    fn binary(&mut self, prim: Prim, a: &Scal, b: &Scal, hint: &str) -> Result<Val> {
        let elem = a.elem();
        let args = [a.clone(), b.clone()];
        match prim {
            Prim::Mul => self.elementwise(hint, "stablehlo.multiply", &args),
            Prim::MulZero => self.times(a, b, true),
            Prim::Div if elem.is_float() => self.elementwise(hint, "stablehlo.divide", &args),
            Prim::Div | Prim::Rem if elem.is_int() => self.floored(prim, a, b, hint),
            Prim::Rem => {
                let quotient = Scal::Tensor(self.elementwise("q", "stablehlo.divide", &args)?);
                let whole = Scal::Tensor(self.elementwise("q", "stablehlo.floor", &[quotient])?);
                let part = Scal::Tensor(self.elementwise("q", "stablehlo.multiply", &[b.clone(), whole])?);
                self.elementwise(hint, "stablehlo.subtract", &[a.clone(), part])
            }
            Prim::Min => self.elementwise(hint, "stablehlo.minimum", &args),
            Prim::Max => self.elementwise(hint, "stablehlo.maximum", &args),
            Prim::Pow if elem.is_float() => self.elementwise(hint, "stablehlo.power", &args),
            Prim::Pow => self.int_power(a, b, hint),
            Prim::PowInt => self.power(a, b, hint),
            Prim::Shl => self.shift("stablehlo.shift_left", a, b, hint),
            Prim::Shr if elem == Scalar::U32 => self.shift("stablehlo.shift_right_logical", a, b, hint),
            Prim::Shr => self.shift("stablehlo.shift_right_arithmetic", a, b, hint),
            Prim::Polygamma => self.polygamma(a, b),
            _ => internal(format!("`{}` has other operands", prim.name())),
        }
    }

    /// StableHLO's quotients are rounded toward zero.
    fn floored(&mut self, prim: Prim, a: &Scal, b: &Scal, hint: &str) -> Result<Val> {
        let elem = a.elem();
        let zero = int(elem, 0);
        if b.as_const().is_none_or(Const::is_zero) {
            let fine = Scal::Tensor(self.compare("fine", "NE", b, &zero)?);
            self.check(&fine, SiteKind::DivisionByZero, &[])?;
        }
        let args = [a.clone(), b.clone()];
        let rest = self.elementwise("rest", "stablehlo.remainder", &args)?;
        if elem == Scalar::U32 {
            return if prim == Prim::Rem { Ok(rest) } else { self.elementwise(hint, "stablehlo.divide", &args) };
        }
        let rest = Scal::Tensor(rest);
        let some = Scal::Tensor(self.compare("some", "NE", &rest, &zero)?);
        let left = Scal::Tensor(self.compare("sign", "LT", &rest, &zero)?);
        let right = Scal::Tensor(self.compare("sign", "LT", b, &zero)?);
        let apart = Scal::Tensor(self.elementwise("apart", "stablehlo.xor", &[left, right])?);
        let low = self.and(&some, &apart)?;
        let (value, other) = if prim == Prim::Rem {
            let other = self.elementwise("rest", "stablehlo.add", &[rest.clone(), b.clone()])?;
            (rest, other)
        } else {
            let quotient = Scal::Tensor(self.elementwise("q", "stablehlo.divide", &args)?);
            let other = self.elementwise("q", "stablehlo.subtract", &[quotient.clone(), int(elem, 1)])?;
            (quotient, other)
        };
        self.select(hint, &low, &Scal::Tensor(other), &value)
    }

    /// The count is taken modulo the width.
    fn shift(&mut self, op: &str, a: &Scal, b: &Scal, hint: &str) -> Result<Val> {
        let elem = a.elem();
        let width = int(elem, 8 * elem.bytes() as i64 - 1);
        let count = Scal::Tensor(self.elementwise("count", "stablehlo.and", &[b.clone(), width])?);
        self.elementwise(hint, op, &[a.clone(), count])
    }

    /// A float to an integer power.
    fn power(&mut self, x: &Scal, n: &Scal, hint: &str) -> Result<Val> {
        let elem = x.elem();
        if let Some(n) = n.as_const().and_then(Const::as_i64)
            && n.unsigned_abs() <= SQUARED as u64
        {
            let product = self.squared(x, n.unsigned_abs(), hint)?;
            if n >= 0 {
                return Ok(product);
            }
            return self.elementwise(hint, "stablehlo.divide", &[int(elem, 1), Scal::Tensor(product)]);
        }
        // The parity of a large exponent is lost in a float: the sign is computed apart.
        let magnitude = Scal::Tensor(self.elementwise("abs", "stablehlo.abs", std::slice::from_ref(x))?);
        let exponent = Scal::Tensor(self.converted(n, elem, "n")?);
        let power = Scal::Tensor(self.elementwise(hint, "stablehlo.power", &[magnitude, exponent])?);
        let bit = Scal::Tensor(self.elementwise("bit", "stablehlo.and", &[n.clone(), int(Scalar::I64, 1)])?);
        let odd = Scal::Tensor(self.compare("odd", "NE", &bit, &int(Scalar::I64, 0))?);
        let below = Scal::Tensor(self.compare("below", "LT", x, &Scal::Const(Const::zero(elem)))?);
        let flips = self.and(&odd, &below)?;
        let negative = Scal::Tensor(self.elementwise(hint, "stablehlo.negate", std::slice::from_ref(&power))?);
        self.select(hint, &flips, &negative, &power)
    }

    fn squared(&mut self, x: &Scal, n: u64, hint: &str) -> Result<Val> {
        let mut product: Option<Scal> = None;
        let mut square = x.clone();
        let mut left = n;
        while left > 0 {
            if left & 1 == 1 {
                product = Some(match product {
                    None => square.clone(),
                    Some(p) => Scal::Tensor(self.elementwise(hint, "stablehlo.multiply", &[p, square.clone()])?),
                });
            }
            left >>= 1;
            if left > 0 {
                square = Scal::Tensor(self.elementwise("sq", "stablehlo.multiply", &[square.clone(), square])?);
            }
        }
        match product {
            Some(product) => self.val(&product),
            None => {
                let axes = x.axes();
                let name = self.constant(Const::one(x.elem()), &axes);
                Ok(Val::new(name, axes, x.elem()))
            }
        }
    }

    /// An integer to an integer power: wrapping; below zero the reciprocal, rounded toward zero.
    fn int_power(&mut self, x: &Scal, n: &Scal, hint: &str) -> Result<Val> {
        let elem = x.elem();
        let (zero, one) = (int(elem, 0), int(elem, 1));
        if let Some(n) = n.as_const().and_then(Const::as_i64)
            && (0..=SQUARED).contains(&n)
        {
            return self.squared(x, n as u64, hint);
        }
        // Square and multiply over every bit of the exponent.
        let mut product = one.clone();
        let (mut square, mut left) = (x.clone(), n.clone());
        for bit in 0..8 * elem.bytes() as i64 {
            let low = Scal::Tensor(self.elementwise("bit", "stablehlo.and", &[left.clone(), one.clone()])?);
            let odd = Scal::Tensor(self.compare("odd", "NE", &low, &zero)?);
            let more = Scal::Tensor(self.elementwise("p", "stablehlo.multiply", &[product.clone(), square.clone()])?);
            product = Scal::Tensor(self.select("p", &odd, &more, &product)?);
            if bit + 1 < 8 * elem.bytes() as i64 {
                square = Scal::Tensor(self.elementwise("sq", "stablehlo.multiply", &[square.clone(), square])?);
                left = Scal::Tensor(self.elementwise("left", "stablehlo.shift_right_logical", &[left, one.clone()])?);
            }
        }
        if elem == Scalar::U32 {
            return self.val(&product);
        }
        let below = Scal::Tensor(self.compare("below", "LT", n, &zero)?);
        let inverse = self.reciprocal_power(x, n)?;
        self.select(hint, &below, &inverse, &product)
    }

    /// 1 for 1, a sign for -1, else 0.
    fn reciprocal_power(&mut self, x: &Scal, n: &Scal) -> Result<Scal> {
        let elem = x.elem();
        let (zero, one, minus) = (int(elem, 0), int(elem, 1), int(elem, -1));
        let low = Scal::Tensor(self.elementwise("bit", "stablehlo.and", &[n.clone(), one.clone()])?);
        let odd = Scal::Tensor(self.compare("odd", "NE", &low, &zero)?);
        let sign = Scal::Tensor(self.select("sign", &odd, &minus, &one)?);
        let is_one = Scal::Tensor(self.compare("is", "EQ", x, &one)?);
        let is_minus = Scal::Tensor(self.compare("is", "EQ", x, &minus)?);
        let value = Scal::Tensor(self.select("p", &is_minus, &sign, &zero)?);
        Ok(Scal::Tensor(self.select("p", &is_one, &one, &value)?))
    }

    /// Sums and multiples of indices stay symbolic.
    fn as_affine(&self, prim: Prim, args: &[Scal]) -> Option<Scal> {
        let symbolic = args.iter().any(|a| matches!(a, Scal::Affine(_)));
        let sum = |a: Affine, b: Affine| {
            let mut terms = a.terms;
            for (axis, by) in b.terms {
                match terms.iter_mut().find(|(other, _)| *other == axis) {
                    Some((_, old)) => *old = old.checked_add(by)?,
                    None => terms.push((axis, by)),
                }
            }
            terms.retain(|(_, by)| *by != 0);
            let base = match (a.base, b.base) {
                (Some(_), Some(_)) => return None,
                (one, other) => one.or(other),
            };
            Some(Affine { base, constant: a.constant.checked_add(b.constant)?, terms })
        };
        let times = |a: &Affine, by: i64| {
            if a.base.is_some() && by != 1 {
                return None;
            }
            let terms: Option<Vec<_>> = a.terms.iter().map(|&(axis, c)| Some((axis, c.checked_mul(by)?))).collect();
            let mut terms = terms?;
            terms.retain(|(_, c)| *c != 0);
            Some(Affine { base: a.base.clone(), constant: a.constant.checked_mul(by)?, terms })
        };
        let made = match (prim, args) {
            (Prim::Add, [a, b]) if symbolic => sum(affine(a)?, affine(b)?)?,
            (Prim::Sub, [a, b]) if symbolic => sum(affine(a)?, times(&affine(b)?, -1)?)?,
            (Prim::Mul, [Scal::Affine(a), Scal::Const(c)] | [Scal::Const(c), Scal::Affine(a)]) => {
                times(a, c.as_i64()?)?
            }
            (Prim::Neg, [Scal::Affine(a)]) => times(a, -1)?,
            _ => return None,
        };
        Some(match (&made.base, made.terms.is_empty()) {
            (None, true) => Scal::Const(Const::I64(made.constant)),
            (Some(base), true) if made.constant == 0 => Scal::Tensor(base.clone()),
            _ => Scal::Affine(made),
        })
    }
}

fn affine(scal: &Scal) -> Option<Affine> {
    match scal {
        Scal::Affine(a) => Some(a.clone()),
        Scal::Const(c) => Some(Affine { base: None, constant: c.as_i64()?, terms: Vec::new() }),
        Scal::Tensor(v) if v.elem == Scalar::I64 && (v.axes.is_empty() || are_few(v.range)) => {
            Some(Affine { base: Some(v.clone()), constant: 0, terms: Vec::new() })
        }
        _ => None,
    }
}

fn product(a: &Scal, b: &Scal, zero_wins: bool) -> Scal {
    let mut factors = Vec::new();
    for factor in [a, b] {
        match factor {
            Scal::Product { factors: inner, zero_wins: z, .. } if *z == zero_wins => {
                factors.extend(inner.iter().cloned())
            }
            other => factors.push(other.clone()),
        }
    }
    Scal::Product { factors, zero_wins, elem: a.elem() }
}
