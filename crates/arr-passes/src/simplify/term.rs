//! Patterns of the law table: reading them from text, matching them against scalar code, evaluating them on constants.

use arr_ir::{Const, Prim, Scalar};

/// A pattern or template.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// `x y z` (of the law's type) and `p q` (booleans): any operand.
    Var(char),
    /// `c d`: a constant operand; `f`: a finite one; `g`: one that is not zero.
    Const(char),
    /// An integer in the law's type.
    Num(i64),
    /// `-0`: the float zero with a sign.
    MinusZero,
    Bool(bool),
    App(Prim, Vec<Term>),
}

/// Reads `add x (neg y)`; `None` if the text is not a term.
pub fn parse_term(text: &str) -> Option<Term> {
    let text = text.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let (term, rest) = application(&tokens)?;
    rest.is_empty().then_some(term)
}

fn application<'t>(tokens: &'t [&'t str]) -> Option<(Term, &'t [&'t str])> {
    let (&head, mut rest) = tokens.split_first()?;
    let Some(prim) = Prim::from_name(head).filter(|_| !matches!(head, "true" | "false")) else {
        return Some((leaf(head)?, rest));
    };
    let mut args = Vec::new();
    for _ in 0..prim.arity() {
        let (&token, after) = rest.split_first()?;
        if token == "(" {
            let (arg, after) = application(after)?;
            args.push(arg);
            rest = after.strip_prefix(&[")"])?;
        } else {
            args.push(leaf(token)?);
            rest = after;
        }
    }
    Some((Term::App(prim, args), rest))
}

fn leaf(token: &str) -> Option<Term> {
    match token {
        "-0" => Some(Term::MinusZero),
        "true" => Some(Term::Bool(true)),
        "false" => Some(Term::Bool(false)),
        "c" | "d" | "g" => token.chars().next().map(Term::Const),
        "x" | "y" | "z" | "p" | "q" => token.chars().next().map(Term::Var),
        _ => token.parse().ok().map(Term::Num),
    }
}

/// Whether a constant can stand for this name of a law.
pub fn admits(name: char, c: Const) -> bool {
    match name {
        'g' => !c.is_zero() && c.as_f64().is_none_or(f64::is_finite),
        _ => true,
    }
}

/// The negative zero of a float type; for other types zero.
pub fn minus_zero(elem: Scalar) -> Const {
    match elem {
        Scalar::F64 => Const::F64(-0.0),
        Scalar::F32 => Const::F32(-0.0),
        Scalar::Bool | Scalar::I32 | Scalar::I64 | Scalar::U32 => Const::zero(elem),
    }
}

/// Whether a constant is the negative zero of a float type.
pub fn is_minus_zero(c: Const) -> bool {
    c.scalar().is_float() && c.as_f64().is_some_and(|x| x.to_bits() == (-0.0f64).to_bits())
}

/// Whether swapping the operands never changes the value (which of two NaNs comes out aside).
pub fn is_commutative(prim: Prim) -> bool {
    matches!(prim, Prim::Add | Prim::Mul | Prim::MulZero | Prim::And | Prim::Or | Prim::Eq | Prim::Ne)
}

impl Term {
    /// The term under every order of the operands of commutative primitives.
    pub fn variants(&self) -> Vec<Term> {
        let Term::App(prim, args) = self else { return vec![self.clone()] };
        let mut lists: Vec<Vec<Term>> = vec![Vec::new()];
        for arg in args {
            let options = arg.variants();
            lists = lists
                .into_iter()
                .flat_map(|list| {
                    options.iter().map(move |option| list.iter().cloned().chain([option.clone()]).collect())
                })
                .collect();
        }
        let mut variants: Vec<Term> = Vec::new();
        for list in lists {
            let swapped: Vec<Term> = list.iter().rev().cloned().collect();
            variants.push(Term::App(*prim, list));
            if is_commutative(*prim) {
                variants.push(Term::App(*prim, swapped));
            }
        }
        variants.dedup();
        variants
    }

    fn is_constant(&self) -> bool {
        match self {
            Term::Var(_) => false,
            Term::Const(_) | Term::Num(_) | Term::MinusZero | Term::Bool(_) => true,
            Term::App(_, args) => args.iter().all(Term::is_constant),
        }
    }

    /// The number of operations that it makes; constants are folded and make none.
    pub fn cost(&self) -> usize {
        match self {
            Term::App(_, args) if !self.is_constant() => 1 + args.iter().map(Term::cost).sum::<usize>(),
            _ => 0,
        }
    }
}

/// Helpers for the tests of the table.
#[cfg(test)]
impl Term {
    /// The variables and constants it names, each once.
    pub fn names(&self, out: &mut Vec<char>) {
        match self {
            Term::Var(name) | Term::Const(name) => {
                if !out.contains(name) {
                    out.push(*name);
                }
            }
            Term::App(_, args) => args.iter().for_each(|a| a.names(out)),
            Term::Num(_) | Term::MinusZero | Term::Bool(_) => {}
        }
    }

    /// The value when names have these values and numbers are of type `elem`.
    pub fn eval(&self, elem: Scalar, env: &dyn Fn(char) -> Option<Const>) -> Option<Const> {
        match self {
            Term::Var(name) | Term::Const(name) => env(*name),
            Term::Num(n) => Some(Const::of_int(elem, *n)),
            Term::MinusZero => Some(minus_zero(elem)),
            Term::Bool(b) => Some(Const::Bool(*b)),
            Term::App(prim, args) => {
                let mut values = Vec::new();
                for (position, arg) in args.iter().enumerate() {
                    // The exponent of `powi` is an i64 whatever the base is.
                    let elem = if *prim == Prim::PowInt && position == 1 { Scalar::I64 } else { elem };
                    values.push(arg.eval(elem, env)?);
                }
                prim.eval(&values)
            }
        }
    }
}
