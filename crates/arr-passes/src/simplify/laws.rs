//! The table of algebraic laws: one row each, the law itself as text. The rows are what `simplify` matches and what the
//! tests evaluate on both sides, so that a wrong law cannot be written.
//!
//! Integer arithmetic wraps. A float law must hold for all numbers, infinities and NaN, so there is no `x * 0 = 0` for
//! floats, and nothing is reassociated. Laws of floats are *exact*, or hold up to the sign of a zero, and that of the
//! infinity which a later division by it gives (`x + 0` is `x`, also when `x` is `-0`); these are not applied in
//! functions that keep the signs of zeros. The bits of a NaN are unspecified. Laws are tried in order; a law that makes
//! more than one operation is used only when enough of the operations that it replaces have no other use, so that the
//! number of operations never grows.

use super::term::{Term, parse_term};
use arr_ir::{Prim, Scalar};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The element types of `x y z` for which a law holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Every number.
    Num,
    Int,
    Float,
    /// Every number but `u32`, whose negation is not one.
    Signed,
    /// Every scalar.
    Any,
    Is(Scalar),
}

impl Class {
    pub fn contains(self, elem: Scalar) -> bool {
        match self {
            Class::Num => elem != Scalar::Bool,
            Class::Int => elem.is_int(),
            Class::Float => elem.is_float(),
            Class::Signed => elem.is_float() || matches!(elem, Scalar::I32 | Scalar::I64),
            Class::Any => true,
            Class::Is(scalar) => scalar == elem,
        }
    }
}

/// `left => right`, on the types of a class.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    pub class: Class,
    pub text: &'static str,
    /// Whether both sides have the same bits; otherwise zeros of floats may differ in their sign.
    pub exact: bool,
}

const fn law(class: Class, text: &'static str) -> Law {
    Law { class, text, exact: true }
}

/// A law of floats that may change the sign of a zero.
const fn but_for_zeros(class: Class, text: &'static str) -> Law {
    Law { class, text, exact: false }
}

use Class::{Any, Float, Int, Is, Num, Signed};

pub const LAWS: &[Law] = &[
    // Neutral and absorbing operands.
    law(Int, "add x 0 => x"),
    law(Float, "add x -0 => x"),
    but_for_zeros(Float, "add x 0 => x"),
    law(Num, "sub x 0 => x"),
    but_for_zeros(Float, "sub x -0 => x"),
    law(Int, "sub 0 x => neg x"),
    law(Float, "sub -0 x => neg x"),
    but_for_zeros(Float, "sub 0 x => neg x"),
    law(Num, "mul x 1 => x"),
    law(Int, "mul x 0 => 0"),
    law(Num, "mul x -1 => neg x"),
    law(Num, "div x 1 => x"),
    law(Float, "div x -1 => neg x"),
    law(Int, "rem x 1 => 0"),
    law(Int, "sub x x => 0"),
    law(Num, "pow x 0 => 1"),
    law(Num, "pow x 1 => x"),
    law(Float, "powi x 0 => 1"),
    law(Float, "powi x 1 => x"),
    law(Float, "powi x 2 => mul x x"),
    law(Float, "powi x -1 => div 1 x"),
    // Signs move outward, into constants and subtractions, and cancel.
    law(Num, "neg (neg x) => x"),
    law(Int, "neg (sub x y) => sub y x"),
    but_for_zeros(Float, "neg (sub x y) => sub y x"),
    law(Num, "add x (neg y) => sub x y"),
    law(Num, "sub x (neg y) => add x y"),
    law(Num, "mul (neg x) (neg y) => mul x y"),
    law(Num, "mul (neg x) c => mul x (neg c)"),
    law(Num, "neg (mul x c) => mul x (neg c)"),
    law(Num, "mul (neg x) y => neg (mul x y)"),
    law(Float, "div (neg x) (neg y) => div x y"),
    law(Float, "div (neg x) c => div x (neg c)"),
    law(Float, "div c (neg x) => div (neg c) x"),
    law(Float, "neg (div x c) => div x (neg c)"),
    law(Float, "neg (div c x) => div (neg c) x"),
    law(Float, "div (neg x) y => neg (div x y)"),
    law(Float, "div x (neg y) => neg (div x y)"),
    // `mulz` is the product in which a factor 0 gives 0, whatever the other is.
    law(Float, "mulz x 0 => 0"),
    law(Float, "mulz x -0 => 0"),
    but_for_zeros(Float, "mulz x g => mul x g"),
    law(Float, "mulz (neg x) (neg y) => mulz x y"),
    but_for_zeros(Float, "mulz (neg x) y => neg (mulz x y)"),
    but_for_zeros(Float, "mulz (f64 p) x => select p x 0"),
    but_for_zeros(Float, "mulz (f32 p) x => select p x 0"),
    law(Signed, "abs (neg x) => abs x"),
    law(Num, "abs (abs x) => abs x"),
    // Integers wrap, so that they may be reassociated.
    law(Int, "add (add x c) d => add x (add c d)"),
    law(Int, "add (sub x c) d => add x (sub d c)"),
    law(Int, "add (sub c x) d => sub (add c d) x"),
    law(Int, "sub (add x c) d => add x (sub c d)"),
    law(Int, "sub c (add x d) => sub (sub c d) x"),
    law(Int, "sub c (sub d x) => add x (sub c d)"),
    law(Int, "mul (mul x c) d => mul x (mul c d)"),
    law(Int, "sub (add x y) y => x"),
    law(Int, "sub x (sub x y) => y"),
    law(Int, "add (sub x y) y => x"),
    // Extremes and rounding.
    law(Num, "max x x => x"),
    law(Num, "min x x => x"),
    law(Float, "floor (floor x) => floor x"),
    law(Float, "ceil (ceil x) => ceil x"),
    law(Float, "round (round x) => round x"),
    // Comparisons.
    law(Int, "eq x x => true"),
    law(Int, "ne x x => false"),
    law(Int, "le x x => true"),
    law(Int, "ge x x => true"),
    law(Num, "lt x x => false"),
    law(Num, "gt x x => false"),
    law(Is(Scalar::Bool), "eq x x => true"),
    law(Is(Scalar::Bool), "ne x x => false"),
    law(Any, "not (eq x y) => ne x y"),
    law(Any, "not (ne x y) => eq x y"),
    law(Int, "not (lt x y) => ge x y"),
    law(Int, "not (le x y) => gt x y"),
    law(Int, "not (gt x y) => le x y"),
    law(Int, "not (ge x y) => lt x y"),
    // Booleans.
    law(Any, "eq p true => p"),
    law(Any, "eq p false => not p"),
    law(Any, "ne p false => p"),
    law(Any, "ne p true => not p"),
    law(Any, "not (not p) => p"),
    law(Any, "and p true => p"),
    law(Any, "and p false => false"),
    law(Any, "and p p => p"),
    law(Any, "and p (not p) => false"),
    law(Any, "or p true => true"),
    law(Any, "or p false => p"),
    law(Any, "or p p => p"),
    law(Any, "or p (not p) => true"),
    // Choices.
    law(Any, "select true x y => x"),
    law(Any, "select false x y => y"),
    law(Any, "select p x x => x"),
    law(Any, "select p true false => p"),
    law(Any, "select p false true => not p"),
    law(Is(Scalar::Bool), "select p x false => and p x"),
    law(Is(Scalar::Bool), "select p true x => or p x"),
    law(Any, "select (not p) x y => select p y x"),
    law(Any, "select p (select p x y) z => select p x z"),
    law(Any, "select p x (select p y z) => select p x z"),
    // Conversions.
    law(Is(Scalar::Bool), "bool x => x"),
    law(Is(Scalar::I32), "i32 x => x"),
    law(Is(Scalar::I64), "i64 x => x"),
    law(Is(Scalar::U32), "u32 x => x"),
    law(Is(Scalar::F32), "f32 x => x"),
    law(Is(Scalar::F64), "f64 x => x"),
    law(Is(Scalar::F32), "f32 (f64 x) => x"),
    law(Is(Scalar::I32), "i32 (i64 x) => x"),
    law(Is(Scalar::U32), "u32 (i64 x) => x"),
    law(Any, "bool (f64 p) => p"),
    law(Any, "bool (i64 p) => p"),
];

/// A law ready for matching.
#[derive(Clone, Debug)]
pub struct Rule {
    pub class: Class,
    pub exact: bool,
    /// Patterns of the operands of the outermost primitive.
    pub args: Vec<Term>,
    pub right: Term,
}

/// The sides of a law; `None` if the text is not of the form `left => right`.
pub fn sides(law: &Law) -> Option<(Term, Term)> {
    let (left, right) = law.text.split_once("=>")?;
    Some((parse_term(left)?, parse_term(right)?))
}

static RULES: LazyLock<BTreeMap<Prim, Vec<Rule>>> = LazyLock::new(|| {
    let mut rules: BTreeMap<Prim, Vec<Rule>> = BTreeMap::new();
    for law in LAWS {
        let Some((left, right)) = sides(law) else { continue };
        for variant in left.variants() {
            if let Term::App(prim, args) = variant {
                let rule = Rule { class: law.class, exact: law.exact, args, right: right.clone() };
                rules.entry(prim).or_default().push(rule);
            }
        }
    }
    rules
});

/// The laws whose left side begins with this primitive, in the order of the table.
pub fn rules_for(prim: Prim) -> &'static [Rule] {
    RULES.get(&prim).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::super::term::admits;
    use super::*;
    use arr_ir::Const;

    fn samples(elem: Scalar, name: char) -> Vec<Const> {
        let all = match elem {
            Scalar::Bool => vec![Const::Bool(false), Const::Bool(true)],
            Scalar::F64 => {
                let inf = f64::INFINITY;
                [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 1e308, 5e-324, inf, -inf, f64::NAN].map(Const::F64).to_vec()
            }
            Scalar::F32 => {
                let inf = f32::INFINITY;
                [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 3e38, 1e-45, inf, -inf, f32::NAN].map(Const::F32).to_vec()
            }
            int => {
                [0, 1, -1, 2, 7, -13, i64::MAX, i64::MIN, i64::from(i32::MIN)].map(|n| Const::of_int(int, n)).to_vec()
            }
        };
        all.into_iter().filter(|&c| admits(name, c)).collect()
    }

    fn same(law: &Law, a: Const, b: Const) -> bool {
        match (a.as_f64(), b.as_f64()) {
            (Some(x), Some(y)) if x.is_nan() || y.is_nan() => x.is_nan() && y.is_nan(),
            (Some(x), Some(y)) if !law.exact => x == y,
            (Some(x), Some(y)) => x.to_bits() == y.to_bits(),
            _ => a == b,
        }
    }

    /// Both sides at every combination of sample values: the number of comparisons, and the first difference.
    fn check(law: &Law, elem: Scalar) -> (usize, Option<String>) {
        let (left, right) = sides(law).unwrap_or_else(|| panic!("not a law: {}", law.text));
        let mut names = Vec::new();
        left.names(&mut names);
        let choices: Vec<Vec<Const>> =
            names.iter().map(|n| samples(if "pq".contains(*n) { Scalar::Bool } else { elem }, *n)).collect();
        let total: usize = choices.iter().map(Vec::len).product();
        let mut compared = 0;
        for mut point in 0..total {
            let mut values = Vec::new();
            for choice in &choices {
                values.push(choice[point % choice.len()]);
                point /= choice.len();
            }
            let env = |name: char| names.iter().position(|n| *n == name).map(|i| values[i]);
            // A side that fails (integer division by zero) promises nothing.
            let Some(a) = left.eval(elem, &env) else { continue };
            let b = right.eval(elem, &env).unwrap_or_else(|| panic!("{} on {elem}: right side fails", law.text));
            if !same(law, a, b) {
                let what = format!("{} on {elem} at {values:?}: {a:?} is not {b:?}", law.text);
                return (compared, Some(what));
            }
            compared += 1;
        }
        (compared, None)
    }

    #[test]
    fn every_law_holds_on_every_type_of_its_class() {
        for law in LAWS {
            let mut compared = 0;
            for elem in Scalar::ALL.into_iter().filter(|e| law.class.contains(*e)) {
                let (count, difference) = check(law, elem);
                assert_eq!(difference, None);
                compared += count;
            }
            assert!(compared > 0, "nothing was compared for {}", law.text);
        }
    }

    #[test]
    fn laws_that_hold_but_for_zeros_do_not_hold_for_all_zeros() {
        for law in LAWS.iter().filter(|law| !law.exact) {
            assert_eq!(law.class, Float, "{}", law.text);
            let exact = Law { exact: true, ..*law };
            let differs = [Scalar::F32, Scalar::F64].into_iter().any(|elem| check(&exact, elem).1.is_some());
            assert!(differs, "{} is exact", law.text);
        }
    }

    #[test]
    fn no_law_names_on_the_right_what_the_left_does_not_bind() {
        for law in LAWS {
            let (left, right) = sides(law).expect("a law");
            let (mut bound, mut used) = (Vec::new(), Vec::new());
            left.names(&mut bound);
            right.names(&mut used);
            assert!(used.iter().all(|n| bound.contains(n)), "{}", law.text);
        }
    }
}
