//! Solving an affine index map for the axes it reads.
//!
//! The transpose of a read `x[a(i, j)]` sums over the points `(i, j)` that read one element. Where the map can be
//! solved for axes, the transpose is written in gather form: for each element, a sum over the axes that are left.
//!
//! - An axis with coefficient 2 is solved for under a test of divisibility.
//! - One axis at two indices of the array, and a constant index, give tests of equality.
//! - A mixed-radix index such as `i * m + j` with `j < m` is taken apart by quotient and remainder.
//! - The pair of indices `h / m, h % m` into an array with rows of length `m` is the number `h` of an element.
//! - A rotation `(i + c) % n` is inverted.
//!
//! ("Differentiating a Tensor Language", rules 6.48 and 6.49, with the one-hot predicates solved.)

use crate::analysis::index::{Defs, Equations};
use arr_ir::{Atom, Axis, Func, Poly, Scalar, SizeId, VarId};

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

/// An index map solved for axes. The points that read the element with index `element` are those with `axis = value`
/// for each solved axis and with any value of the free axes, where the conditions hold.
pub(crate) struct Solution {
    /// The index variables of the array's axes.
    pub element: Vec<VarId>,
    /// Solved axes and their values over `element`, quotients, free axes and outside variables.
    pub solved: Vec<(VarId, Poly)>,
    /// Quotients, each after those that it depends on. A remainder without a name must be zero.
    pub quotients: Vec<Quotient>,
    /// The axes to sum over.
    pub free: Vec<Axis>,
    /// `0 <= poly < extent` must hold.
    pub ranges: Vec<(Poly, SizeId)>,
    /// Axes of the array on which only one index is read, with that index: for a diagonal, or a row. Nothing else
    /// mentions their variables in `element`.
    pub pinned: Vec<(usize, Poly)>,
    /// Whether the gather form costs at most a constant times the elements of the array and the points that read.
    pub bounded: bool,
}

/// `var = numerator / divisor`, and the remainder where it is used.
pub(crate) struct Quotient {
    pub var: VarId,
    pub numerator: Poly,
    pub divisor: Poly,
    pub rest: Option<VarId>,
}

impl Solution {
    /// Whether every element is read, at every point of the free axes.
    pub fn is_whole(&self) -> bool {
        self.ranges.is_empty() && !self.is_sparse()
    }

    /// Whether the elements that are read are few among all.
    pub fn is_sparse(&self) -> bool {
        !self.pinned.is_empty() || self.quotients.iter().any(|q| q.rest.is_none())
    }
}

/// A system of equations `element[d] = index[d]` while it is solved.
struct System<'a> {
    axes: &'a [Axis],
    element: Vec<VarId>,
    /// The left sides of the equations over `element`, and how many values each can have.
    values: Vec<Poly>,
    spans: Vec<Poly>,
    equations: Vec<Poly>,
    open: Vec<bool>,
    left: Vec<Axis>,
    solved: Vec<(VarId, Poly)>,
    /// For each solved axis: the equation it was solved from, and the magnitude of its coefficient; 0 where every
    /// element is the number of one point.
    origins: Vec<(usize, i64)>,
    quotients: Vec<Quotient>,
    /// Solved axes whose values are inside their extents by construction.
    inside: Vec<VarId>,
}

impl System<'_> {
    /// Solves equation `d` where it is the number of a point, `(i * n + j) * m + k` with `j < n` and `k < m`: the inner
    /// axes are remainders, starting at the innermost, and the outermost axis is what is left. Symbolic extents may be
    /// zero, which is harmless only where the array then has no elements.
    fn solve_digits(&mut self, func: &mut Func, d: usize, dim: &Poly) -> Option<()> {
        let equation = self.equations.get(d)?.clone();
        let index: Vec<VarId> = self.left.iter().map(|a| a.index).collect();
        let present: Vec<Axis> = self.left.iter().copied().filter(|a| equation.vars().contains(&a.index)).collect();
        let elsewhere = |v: VarId| self.equations.iter().enumerate().any(|(e, p)| e != d && p.vars().contains(&v));
        if present.len() < 2 || present.iter().any(|a| elsewhere(a.index)) {
            return None;
        }
        let (mut weights, mut offset) = (vec![Poly::constant(0); present.len()], Poly::constant(0));
        for (monomial, &c) in &equation.terms {
            let term = |vars: &[VarId]| vars.iter().fold(Poly::constant(c), |p, v| p.mul(&Poly::var(*v)));
            let axes: Vec<VarId> = monomial.iter().copied().filter(|v| index.contains(v)).collect();
            match axes.as_slice() {
                [] => offset = offset.add(&term(monomial)),
                [axis] => {
                    let others: Vec<VarId> = monomial.iter().copied().filter(|v| v != axis).collect();
                    let k = present.iter().position(|a| a.index == *axis)?;
                    let weight = weights.get_mut(k)?;
                    *weight = weight.add(&term(&others));
                }
                _ => return None,
            }
        }
        // From the innermost axis outwards: the weight of an axis is the number of points of the axes inside it.
        let (mut digits, mut weight) = (Vec::new(), Poly::constant(1));
        while digits.len() < present.len() {
            let k = weights.iter().position(|w| *w == weight)?;
            let axis = *present.get(k)?;
            if digits.contains(&axis) {
                return None;
            }
            digits.push(axis);
            weight = weight.mul(func.types.poly(axis.extent));
        }
        let whole = *dim == weight && offset == Poly::constant(0);
        let (outermost, inner) = digits.split_last()?;
        let extents: Vec<Poly> = inner.iter().map(|a| func.types.poly(a.extent).clone()).collect();
        let numbers = extents.iter().all(|e| e.as_constant().is_some_and(|c| c > 0));
        if !whole && !numbers || extents.iter().any(|e| e.vars().iter().any(|v| index.contains(v))) {
            return None;
        }
        let divisor = if whole { 0 } else { extents.iter().try_fold(1i64, |n, e| n.checked_mul(e.as_constant()?))? };
        let mut numerator = self.values.get(d)?.sub(&offset);
        for (axis, extent) in inner.iter().zip(extents) {
            let [var, rest] = ["q", "r"].map(|name| func.scalar_var(name, Scalar::I64));
            self.quotients.push(Quotient { var, numerator, divisor: extent, rest: Some(rest) });
            self.solved.push((axis.index, Poly::var(rest)));
            self.inside.push(axis.index);
            numerator = Poly::var(var);
        }
        self.solved.push((outermost.index, numerator));
        if whole {
            self.inside.push(outermost.index);
        }
        self.origins.extend(digits.iter().map(|_| (d, divisor)));
        self.left.retain(|a| !digits.contains(a));
        *self.open.get_mut(d)? = false;
        *self.equations.get_mut(d)? = Poly::constant(0);
        Some(())
    }

    /// Solves equation `d` where it is a rotation: the remainder of `i + c` by the extent of `i`, which is that of the
    /// array. Every element is read once.
    fn solve_turn(&mut self, func: &mut Func, d: usize, dim: &Poly) -> Option<()> {
        let equation = self.equations.get(d)?.clone();
        let present: Vec<Axis> = self.left.iter().copied().filter(|a| equation.vars().contains(&a.index)).collect();
        let [axis] = present.as_slice() else { return None };
        let c = coefficient(&equation, axis.index).filter(|c| c.unsigned_abs() == 1)?;
        let elsewhere = self.equations.iter().enumerate().any(|(e, p)| e != d && p.vars().contains(&axis.index));
        if elsewhere || func.types.poly(axis.extent) != dim {
            return None;
        }
        let others = equation.sub(&Poly::var(axis.index).mul(&Poly::constant(c)));
        let numerator = self.values.get(d)?.sub(&others).mul(&Poly::constant(c));
        let [var, rest] = ["q", "r"].map(|name| func.scalar_var(name, Scalar::I64));
        self.quotients.push(Quotient { var, numerator, divisor: dim.clone(), rest: Some(rest) });
        self.solved.push((axis.index, Poly::var(rest)));
        self.inside.push(axis.index);
        self.origins.push((d, 0));
        self.left.retain(|a| a.index != axis.index);
        *self.open.get_mut(d)? = false;
        *self.equations.get_mut(d)? = Poly::constant(0);
        Some(())
    }

    /// Solves equation `d` for `axis`, whose coefficient is `c`.
    fn solve_for(&mut self, func: &mut Func, d: usize, axis: VarId, c: i64) -> Option<()> {
        let others = self.equations.get(d)?.sub(&Poly::var(axis).mul(&Poly::constant(c)));
        let distance = self.values.get(d)?.sub(&others).mul(&Poly::constant(c.signum()));
        let divisor = c.checked_abs()?;
        let value = if divisor == 1 {
            distance
        } else {
            let var = func.scalar_var("q", Scalar::I64);
            self.quotients.push(Quotient { var, numerator: distance, divisor: Poly::constant(divisor), rest: None });
            Poly::var(var)
        };
        *self.open.get_mut(d)? = false;
        self.left.retain(|a| a.index != axis);
        let mut replace = |v: VarId| (v == axis).then(|| value.clone());
        for e in &mut self.equations {
            *e = e.substitute(&mut replace);
        }
        for (_, earlier) in &mut self.solved {
            *earlier = earlier.substitute(&mut replace);
        }
        self.solved.push((axis, value));
        self.origins.push((d, divisor));
        Some(())
    }

    /// The equations that no axis is left for: each fixes one index of the element.
    fn pinned(&self) -> Option<Vec<(usize, Poly)>> {
        let mut pinned = Vec::new();
        for (d, equation) in self.equations.iter().enumerate() {
            if !*self.open.get(d)? {
                continue;
            }
            if self.left.iter().any(|a| equation.vars().contains(&a.index)) {
                return None;
            }
            pinned.push((d, equation.clone()));
        }
        Some(pinned)
    }
}

/// Solves `element[d] = index[d]` for the axes of a kernel. `None` where that needs more than sums, differences and
/// division by a number: which elements are read is then known only by visiting the points.
pub(crate) fn solve(func: &mut Func, array: VarId, index: &[Atom], defs: &Defs, axes: &[Axis]) -> Option<Solution> {
    let dims = func.ty(array).dims.clone();
    let Equations { index, rests, turns } = defs.equations(func, &dims, index)?;
    let element: Vec<VarId> = dims.iter().map(|_| func.scalar_var("h", Scalar::I64)).collect();
    let mut values: Vec<Poly> = element.iter().map(|&h| Poly::var(h)).collect();
    let mut spans: Vec<Poly> = dims.iter().map(|&d| func.types.poly(d).clone()).collect();
    let mut open = vec![true; dims.len()];
    for &(d, e) in &rests {
        let (row, rest) = (spans.get(e)?.clone(), values.get(e)?.clone());
        let (value, span) = (values.get_mut(d)?, spans.get_mut(d)?);
        *value = value.mul(&row).add(&rest);
        *span = span.mul(&row);
        *open.get_mut(e)? = false;
    }
    let mut system = System {
        axes,
        element,
        values,
        spans,
        equations: index,
        open,
        left: axes.to_vec(),
        solved: Vec::new(),
        origins: Vec::new(),
        quotients: Vec::new(),
        inside: Vec::new(),
    };
    for (d, dim) in system.spans.clone().into_iter().enumerate() {
        if turns.contains(&d) {
            system.solve_turn(func, d, &dim)?;
        } else {
            system.solve_digits(func, d, &dim);
        }
    }
    for a in axes {
        // Every coefficient must be a number for the substitutions below to stay affine.
        system.equations.iter().try_for_each(|p| coefficient(p, a.index).map(|_| ()))?;
    }
    while let Some((d, axis, c)) = pick(&system.equations, &system.open, &system.left) {
        system.solve_for(func, d, axis, c)?;
    }
    let pinned = system.pinned()?;
    if pinned.iter().any(|(d, _)| rests.iter().any(|(r, _)| r == d)) {
        return None;
    }
    let mut ranges = Vec::new();
    for (axis, value) in &system.solved {
        let extent = axes.iter().find(|a| a.index == *axis)?.extent;
        if !system.inside.contains(axis) && !always_inside(func, value, extent, &system.element, &dims, &system.left) {
            ranges.push((value.clone(), extent));
        }
    }
    let bounded = is_bounded(func, &system);
    let System { element, solved, quotients, left, .. } = system;
    Some(Solution { element, solved, quotients, free: left, ranges, pinned, bounded })
}

/// Whether the gather form computes sums for few elements that no point reads. Without free axes an element costs no
/// more than filling it with zero. With free axes, the solved axes must run over all of the array's axis except a
/// constant, which is no more than what they run over where that is known, or except what the free axes add, as in a
/// convolution. A window that moves by two is no such case: its own axis is short.
fn is_bounded(func: &Func, system: &System<'_>) -> bool {
    if system.left.is_empty() {
        return true;
    }
    system.solved.iter().zip(&system.origins).all(|((axis, value), (d, divisor))| {
        if *divisor == 0 {
            // Quotients and remainders reach every element.
            return true;
        }
        let extent = system.axes.iter().find(|a| a.index == *axis).map(|a| a.extent);
        let (Some(extent), Some(dim)) = (extent, system.spans.get(*d)) else { return false };
        let covered = func.types.poly(extent).mul(&Poly::constant(*divisor));
        let mut gap = dim.sub(&covered);
        if let Some(missed) = gap.as_constant()
            && covered.as_constant().is_none_or(|covered| missed <= covered)
        {
            return true;
        }
        for a in system.left.iter().filter(|a| value.vars().contains(&a.index)) {
            gap = gap.sub(func.types.poly(a.extent));
        }
        gap.as_constant().is_some_and(|c| c <= 0)
    })
}

/// The next equation to solve, the axis to solve it for, and its coefficient. Coefficients 1 and -1 come first, then
/// equations with fewer axes, so that plain indices claim their axes before sums do. Another coefficient is taken only
/// where its axis is alone.
fn pick(equations: &[Poly], open: &[bool], left: &[Axis]) -> Option<(usize, VarId, i64)> {
    type Rank = (bool, usize);
    let mut best: Option<(Rank, (usize, VarId, i64))> = None;
    for (d, equation) in equations.iter().enumerate() {
        if !open.get(d).copied().unwrap_or(false) {
            continue;
        }
        let present: Vec<(VarId, i64)> = left
            .iter()
            .filter_map(|a| coefficient(equation, a.index).filter(|c| *c != 0).map(|c| (a.index, c)))
            .collect();
        let unit = present.iter().find(|(_, c)| c.unsigned_abs() == 1);
        let alone = present.first().filter(|_| present.len() == 1);
        let rank = (unit.is_none(), present.len());
        if let Some(&(axis, c)) = unit.or(alone)
            && best.is_none_or(|(other, _)| rank < other)
        {
            best = Some((rank, (d, axis, c)));
        }
    }
    best.map(|(_, choice)| choice)
}

/// Whether `0 <= value < extent` for every element: true for `h` and `n - 1 - h` over an axis of size `n`.
fn always_inside(func: &Func, value: &Poly, extent: SizeId, element: &[VarId], dims: &[SizeId], free: &[Axis]) -> bool {
    if value.vars().iter().any(|v| free.iter().any(|a| a.index == *v)) {
        return false;
    }
    let sizes: Vec<VarId> = dims.iter().flat_map(|&d| func.types.poly(d).vars()).collect();
    let mut low = value.clone();
    let mut high = value.clone();
    for (h, dim) in element.iter().zip(dims) {
        let last = func.types.poly(*dim).sub(&Poly::constant(1));
        let Some(c) = sign_of(value, *h, &sizes) else { return false };
        let at = |poly: &mut Poly, end: Poly| *poly = poly.substitute(&mut |v| (v == *h).then(|| end.clone()));
        let (at_low, at_high) = if c >= 0 { (Poly::constant(0), last) } else { (last, Poly::constant(0)) };
        at(&mut low, at_low);
        at(&mut high, at_high);
    }
    let above = func.types.poly(extent).sub(&Poly::constant(1)).sub(&high);
    low.as_constant().is_some_and(|c| c >= 0) && above.as_constant().is_some_and(|c| c >= 0)
}

/// Whether a polynomial grows (positive) or falls (negative) with a variable, or neither (zero). `None` where the
/// variable is multiplied by others than sizes, which are never negative.
fn sign_of(poly: &Poly, var: VarId, sizes: &[VarId]) -> Option<i64> {
    let mut sign = 0;
    for (monomial, &c) in poly.terms.iter().filter(|(m, _)| m.contains(&var)) {
        let others = monomial.iter().filter(|v| **v != var);
        if sign * c < 0 || others.clone().count() + 1 != monomial.len() || !others.clone().all(|v| sizes.contains(v)) {
            return None;
        }
        sign = c.signum();
    }
    Some(sign)
}
