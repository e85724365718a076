//! Index expressions as polynomials, and solving an affine index map for the axes it reads.
//!
//! The transpose of a read `x[a(i, j)]` sums over the points `(i, j)` that read one element. Where the map can be solved
//! for axes (each with coefficient 1 or -1), the transpose is written in gather form: for each element, sum over the axes
//! that are left. ("Differentiating a Tensor Language", rules 6.48 and 6.49, with the one-hot predicates solved.)

use crate::code::Code;
use arr_ir::{Atom, Axis, Func, Op, Poly, Prim, Scalar, SizeId, Stmt, VarId};
use rustc_hash::FxHashMap;

/// The integer statements of a kernel's body by the variable they define.
pub(crate) struct Defs {
    map: FxHashMap<VarId, Option<Poly>>,
}

impl Defs {
    /// `stmts` in order; variables bound in nested blocks have no polynomial.
    pub fn new(func: &Func, stmts: &[Stmt]) -> Defs {
        let mut defs = Defs { map: FxHashMap::default() };
        for stmt in stmts {
            let poly = defs.of_op(func, &stmt.op);
            for &v in &stmt.vars {
                defs.map.insert(v, poly.clone());
            }
        }
        defs
    }

    fn of_op(&self, func: &Func, op: &Op) -> Option<Poly> {
        match op {
            Op::Size(size) => {
                let mut known = true;
                let poly = func.types.poly(*size).substitute(&mut |v| {
                    let p = self.of_atom(func, Atom::Var(v));
                    known &= p.is_some();
                    p
                });
                known.then_some(poly)
            }
            Op::Prim(prim, args) => {
                let a = self.of_atom(func, *args.first()?)?;
                match prim {
                    Prim::Neg => Some(a.neg()),
                    Prim::Add => Some(a.add(&self.of_atom(func, *args.get(1)?)?)),
                    Prim::Sub => Some(a.sub(&self.of_atom(func, *args.get(1)?)?)),
                    Prim::Mul => Some(a.mul(&self.of_atom(func, *args.get(1)?)?)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The atom as a polynomial over axes and variables from outside the kernel.
    pub fn of_atom(&self, func: &Func, atom: Atom) -> Option<Poly> {
        if func.atom_elem(atom) != Scalar::I64 {
            return None;
        }
        match atom {
            Atom::Const(c) => Some(Poly::constant(c.as_i64()?)),
            Atom::Var(v) => self.map.get(&v).cloned().unwrap_or_else(|| Some(Poly::var(v))),
        }
    }
}

/// The coefficient of `axis` in a polynomial; `None` where it multiplies another variable.
fn coefficient(poly: &Poly, axis: VarId) -> Option<i64> {
    let mut sum = 0;
    for (monomial, &c) in &poly.terms {
        match monomial.as_slice() {
            [v] if *v == axis => sum = c,
            other if other.contains(&axis) => return None,
            _ => {}
        }
    }
    Some(sum)
}

/// An index map solved for axes: with `element` the index of an array element, the points that read it are those with
/// `axis = value` for each solved axis, any value of the free axes, and the conditions.
pub(crate) struct Solution {
    /// The index variables of the array's axes.
    pub element: Vec<VarId>,
    /// Solved axes and their values over `element`, free axes and outside variables.
    pub solved: Vec<(VarId, Poly)>,
    /// The axes to sum over.
    pub free: Vec<Axis>,
    /// `0 <= poly < extent` must hold.
    pub ranges: Vec<(Poly, SizeId)>,
}

/// Solves `element[d] = index[d]` for one axis each. `None` where some dimension of the array is not met by an axis of
/// its own (a constant index, a diagonal, a coefficient other than 1 or -1): then only some elements are read.
pub(crate) fn solve(func: &mut Func, array: VarId, index: &[Poly], axes: &[Axis]) -> Option<Solution> {
    let dims = func.ty(array).dims.clone();
    let element: Vec<VarId> = dims.iter().map(|_| func.scalar_var("h", Scalar::I64)).collect();
    let mut equations: Vec<Poly> = index.to_vec();
    let mut open: Vec<bool> = vec![true; dims.len()];
    let mut solved: Vec<(VarId, Poly)> = Vec::new();
    let mut left: Vec<Axis> = axes.to_vec();
    for a in axes {
        // Every coefficient must be a number for the substitutions below to stay affine.
        equations.iter().try_for_each(|p| coefficient(p, a.index).map(|_| ()))?;
    }
    while let Some((d, axis, sign)) = pick(&equations, &open, &left) {
        let others = equations.get(d)?.sub(&Poly::var(axis).mul(&Poly::constant(sign)));
        let value = Poly::var(*element.get(d)?).sub(&others).mul(&Poly::constant(sign));
        *open.get_mut(d)? = false;
        left.retain(|a| a.index != axis);
        let mut replace = |v: VarId| (v == axis).then(|| value.clone());
        for e in &mut equations {
            *e = e.substitute(&mut replace);
        }
        for (_, earlier) in &mut solved {
            *earlier = earlier.substitute(&mut replace);
        }
        solved.push((axis, value));
    }
    if open.iter().any(|&o| o) {
        return None;
    }
    let mut ranges = Vec::new();
    for (axis, value) in &solved {
        let extent = axes.iter().find(|a| a.index == *axis)?.extent;
        if !always_inside(func, value, extent, &element, &dims, &left) {
            ranges.push((value.clone(), extent));
        }
    }
    Some(Solution { element, solved, free: left, ranges })
}

/// An open equation with an unsolved axis of coefficient 1 or -1; those with the fewest axes first, so that plain
/// indices claim their axes before sums do.
fn pick(equations: &[Poly], open: &[bool], left: &[Axis]) -> Option<(usize, VarId, i64)> {
    let mut best: Option<(usize, (usize, VarId, i64))> = None;
    for (d, equation) in equations.iter().enumerate() {
        if !open.get(d).copied().unwrap_or(false) {
            continue;
        }
        let present: Vec<(VarId, i64)> = left
            .iter()
            .filter_map(|a| coefficient(equation, a.index).filter(|c| *c != 0).map(|c| (a.index, c)))
            .collect();
        if let Some(&(axis, sign)) = present.iter().find(|(_, c)| c.abs() == 1)
            && best.is_none_or(|(n, _)| present.len() < n)
        {
            best = Some((present.len(), (d, axis, sign)));
        }
    }
    best.map(|(_, choice)| choice)
}

/// Whether `0 <= value < extent` for every element: true for `h` and `n - 1 - h` over an axis of size `n`.
fn always_inside(func: &Func, value: &Poly, extent: SizeId, element: &[VarId], dims: &[SizeId], free: &[Axis]) -> bool {
    if value.vars().iter().any(|v| free.iter().any(|a| a.index == *v)) {
        return false;
    }
    let mut low = value.clone();
    let mut high = value.clone();
    for (h, dim) in element.iter().zip(dims) {
        let last = func.types.poly(*dim).sub(&Poly::constant(1));
        let Some(c) = coefficient(value, *h) else { return false };
        let at = |poly: &mut Poly, end: Poly| *poly = poly.substitute(&mut |v| (v == *h).then(|| end.clone()));
        let (at_low, at_high) = if c >= 0 { (Poly::constant(0), last) } else { (last, Poly::constant(0)) };
        at(&mut low, at_low);
        at(&mut high, at_high);
    }
    let above = func.types.poly(extent).sub(&Poly::constant(1)).sub(&high);
    low.as_constant().is_some_and(|c| c >= 0) && above.as_constant().is_some_and(|c| c >= 0)
}

/// Code for the value of a polynomial.
pub(crate) fn emit_poly(code: &mut Code<'_>, poly: &Poly) -> Atom {
    // Positive terms first, so that `n - 1 - i` does not begin with a negation.
    let mut terms: Vec<(&Vec<VarId>, i64)> = poly.terms.iter().map(|(m, &c)| (m, c)).collect();
    terms.sort_by_key(|(m, c)| (*c < 0, m.is_empty()));
    let mut sum: Option<Atom> = None;
    for (monomial, c) in terms {
        let magnitude = c.wrapping_abs();
        let mut product: Option<Atom> = (magnitude != 1 || monomial.is_empty()).then(|| Atom::int(magnitude));
        for &v in monomial {
            product = Some(match product {
                None => Atom::Var(v),
                Some(p) => code.prim(Prim::Mul, &[p, Atom::Var(v)], "i"),
            });
        }
        let term = product.unwrap_or(Atom::int(1));
        sum = Some(match (sum, c < 0) {
            (None, false) => term,
            (None, true) => code.prim(Prim::Neg, &[term], "i"),
            (Some(s), false) => code.prim(Prim::Add, &[s, term], "i"),
            (Some(s), true) => code.prim(Prim::Sub, &[s, term], "i"),
        });
    }
    sum.unwrap_or(Atom::int(0))
}
