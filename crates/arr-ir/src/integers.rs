//! Integers of scalar code as polynomials over the indices of axes and outer variables, and the inequalities that
//! guards imply.
//!
//! [`arithmetic`] is what every pass knows of operations on integers. How long polynomials may become is its user's
//! choice: `arr-check` keeps those of sizes, `simplify` short ones, so that long chains cost linear time, and `arr-ad`
//! all of a kernel's indices. The range analysis (`bounds`) does not use it, as it has to know that nothing wraps.

use crate::{Atom, Axis, Const, Func, Op, Poly, Prim, Scalar, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Polynomials with more terms are treated as unknown.
const MAX_TERMS: usize = 8;
/// The number of parts of a condition that are examined.
const MAX_PARTS: usize = 16;

/// The definitions of the integers and conditions of a kernel.
#[derive(Clone, Default)]
pub struct Integers {
    polys: FxHashMap<VarId, Poly>,
    bools: FxHashMap<VarId, (Prim, Vec<Atom>)>,
}

impl Integers {
    /// Remembers a statement. Statements come in the order of the program.
    pub fn note(&mut self, func: &Func, stmt: &Stmt) {
        let &[var] = stmt.vars.as_slice() else { return };
        match &stmt.op {
            Op::Prim(prim, args) if func.ty(var).elem == Scalar::Bool => {
                self.bools.insert(var, (*prim, args.clone()));
            }
            Op::Prim(prim, args) => {
                let poly = arithmetic(*prim, args, |arg| self.poly(func, arg));
                if let Some(poly) = poly.filter(|poly| poly.terms.len() <= MAX_TERMS) {
                    self.polys.insert(var, poly);
                }
            }
            Op::Size(size) => {
                let poly = func.types.poly(*size).clone();
                let poly = poly.substitute(&mut |v| self.polys.get(&v).cloned());
                if poly.terms.len() <= MAX_TERMS {
                    self.polys.insert(var, poly);
                }
            }
            _ => {}
        }
    }

    /// The value of an `i64`.
    pub fn poly(&self, func: &Func, atom: Atom) -> Option<Poly> {
        poly_of(func, |v| self.polys.get(v), atom)
    }

    /// Integers that are not negative if a condition holds (does not hold), and of which at least one is negative if
    /// not; `None` if they cannot be determined. Indices are those of `axes`; the polynomials in `known` are
    /// not negative.
    pub fn guard(&self, func: &Func, (cond, holds): (Atom, bool), axes: &[Axis], known: &[Poly]) -> Option<Vec<Poly>> {
        let (mut work, mut found) = (vec![(cond, holds)], Vec::new());
        for _ in 0..MAX_PARTS {
            let Some((atom, holds)) = work.pop() else { return Some(found) };
            let v = match atom {
                Atom::Const(c) if c.as_bool() == Some(holds) => continue,
                Atom::Const(_) => return None,
                Atom::Var(v) => v,
            };
            let (prim, args) = self.bools.get(&v)?;
            match (prim, args.as_slice()) {
                (Prim::And, args) if holds => work.extend(args.iter().map(|&a| (a, true))),
                (Prim::Or, args) if !holds => work.extend(args.iter().map(|&a| (a, false))),
                (Prim::Not, args) => work.extend(args.iter().map(|&a| (a, !holds))),
                (Prim::Eq | Prim::Ne, &[a, b]) => {
                    let gap = self.poly(func, a)?.sub(&self.poly(func, b)?);
                    let known = || known.iter().chain(&found);
                    let positive =
                        |p: &Poly| is_positive(func, p, axes) || known().any(|k| is_positive(func, &p.sub(k), axes));
                    let parts = equality(&gap, (*prim == Prim::Eq) == holds, &positive)?;
                    found.extend(parts);
                }
                (prim, &[a, b]) => {
                    let less = match (prim, holds) {
                        (Prim::Lt, true) | (Prim::Ge, false) => (a, b, 1),
                        (Prim::Le, true) | (Prim::Gt, false) => (a, b, 0),
                        (Prim::Gt, true) | (Prim::Le, false) => (b, a, 1),
                        (Prim::Ge, true) | (Prim::Lt, false) => (b, a, 0),
                        _ => return None,
                    };
                    let (low, high, strict) = less;
                    let gap = self.poly(func, high)?.sub(&self.poly(func, low)?);
                    found.push(gap.sub(&Poly::constant(strict)));
                }
                _ => return None,
            }
        }
        None
    }
}

/// What an operation gives as a polynomial, from those of its operands: a sum, a difference, a product or a negative.
/// `None` for other operations, or if an operand is no polynomial.
pub fn arithmetic(prim: Prim, args: &[Atom], poly: impl Fn(Atom) -> Option<Poly>) -> Option<Poly> {
    let arg = |k: usize| args.get(k).and_then(|&arg| poly(arg));
    Some(match prim {
        Prim::Add => arg(0)?.add(&arg(1)?),
        Prim::Sub => arg(0)?.sub(&arg(1)?),
        Prim::Mul => arg(0)?.mul(&arg(1)?),
        Prim::Neg => arg(0)?.neg(),
        _ => return None,
    })
}

/// An `i64` as a polynomial, where some variables are polynomials over others, which `known` gives; `None` for anything
/// else.
pub fn poly_of<'a>(func: &Func, known: impl FnOnce(&VarId) -> Option<&'a Poly>, atom: Atom) -> Option<Poly> {
    match atom {
        Atom::Const(Const::I64(c)) => Some(Poly::constant(c)),
        Atom::Const(_) => None,
        Atom::Var(v) => known(&v).cloned().or_else(|| {
            let ty = func.ty(v);
            (ty.is_scalar() && ty.elem == Scalar::I64).then(|| Poly::var(v))
        }),
    }
}

/// Whether a polynomial over axes is known not to be negative.
fn is_positive(func: &Func, poly: &Poly, axes: &[Axis]) -> bool {
    range(func, poly, axes).is_some_and(|(low, _)| is_natural(func, &low))
}

/// Like `guard`, for a number that is zero (is not).
fn equality(gap: &Poly, is_zero: bool, positive: &dyn Fn(&Poly) -> bool) -> Option<Vec<Poly>> {
    if is_zero {
        return Some(vec![gap.clone(), gap.neg()]);
    }
    let end = [gap.clone(), gap.neg()].into_iter().find(|p| positive(p))?;
    Some(vec![end.sub(&Poly::constant(1))])
}

/// The least and the greatest value of a polynomial over axes, each running from 0 to below its extent; `None` unless
/// it is affine in them with constant coefficients.
pub fn range(func: &Func, poly: &Poly, axes: &[Axis]) -> Option<(Poly, Poly)> {
    let extent = |v: VarId| axes.iter().find(|a| a.index == v).map(|a| func.types.poly(a.extent));
    let (mut low, mut high) = (poly.clone(), poly.clone());
    for (monomial, &c) in &poly.terms {
        match monomial.as_slice() {
            &[v] => {
                let Some(extent) = extent(v) else { continue };
                let at_most = extent.sub(&Poly::constant(1));
                let (first, last) = (Poly::var(v).neg(), at_most.sub(&Poly::var(v)));
                let times = Poly::constant(c);
                let (down, up) = if c > 0 { (&first, &last) } else { (&last, &first) };
                low = low.add(&down.mul(&times));
                high = high.add(&up.mul(&times));
            }
            vars if vars.iter().any(|&v| extent(v).is_some()) => return None,
            _ => {}
        }
    }
    Some((low, high))
}

/// Whether a polynomial over sizes is known not to be negative.
pub fn is_natural(func: &Func, poly: &Poly) -> bool {
    poly.terms.iter().all(|(m, &c)| c >= 0 && m.iter().all(|v| func.sizes.contains(v)))
}
