//! Jacobians: derivatives along every unit cotangent or tangent.

use crate::data::problem::Problem;
use crate::data::sum_problem::SumProblem;
use crate::data::types::{FnId, Ty};
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use arr_ir::{Atom, Block, Const, Poly, Prim, SizeId, Type};

/// `outer` with `inner` in place of each of its scalars.
fn nest(outer: &Ty, inner: &Ty) -> Ty {
    match outer {
        Ty::Scalar(_) => inner.clone(),
        Ty::Array(n, below) => Ty::Array(*n, Box::new(nest(below, inner))),
        Ty::Tuple(items) => Ty::Tuple(items.iter().map(|t| nest(t, inner)).collect()),
        Ty::Record(fields) => Ty::Record(fields.iter().map(|(n, t)| (n.clone(), nest(t, inner))).collect()),
        // A derivative with respect to one number has the sum's own type; `jacobian_types` refuses others.
        Ty::Error | Ty::Fn(_) | Ty::Sum(_) => outer.clone(),
    }
}

impl<'a> Elab<'a> {
    /// The derivative types of result and argument of `f(x, rest..)`, and the result.
    fn jacobian_types(&mut self, f: FnId, x: &Arg, rest: &[Arg]) -> Option<(Ty, Ty)> {
        let dx = self.tangent_type(&x.val.ty, x.span)?;
        let mark = self.mark();
        self.b.open();
        let y = self.result_of(f, x, rest);
        self.b.close(Vec::new());
        let here = self.span();
        if y.is_error() || self.escapes(&y.ty, mark, here, "the differentiated function") {
            return None;
        }
        let dy = self.float_part_of(&y.ty, here, true)?;
        // What a constructor carries has a fixed type, so only a number can stand where it carries one.
        let floats = dy.leaves().into_iter().map(|(_, t)| t.elem).filter(|e| e.is_float());
        if dy.has_sum() && !floats.into_iter().all(|elem| dx == Ty::Scalar(elem)) {
            let (result, argument) = (self.show(&y.ty), self.show(&x.val.ty));
            self.fail(Problem::Sums(SumProblem::Jacobian { span: here, result, argument }));
            return None;
        }
        Some((dx, dy))
    }

    fn result_of(&mut self, f: FnId, x: &Arg, rest: &[Arg]) -> Val {
        let args = std::iter::once(x.clone()).chain(rest.iter().cloned()).collect();
        self.apply(f, args, &Hint::None)
    }

    /// The floats of a derivative of `primal` that is 1 at `place` of leaf `chosen`, 0 elsewhere.
    fn unit(&mut self, primal: &Val, ty: &Ty, chosen: usize, place: &[Atom]) -> Vec<Atom> {
        let mut leaves = Vec::new();
        for (at, (_, leaf)) in ty.leaves().iter().enumerate() {
            leaves.push(if at == chosen {
                self.unit_leaf(leaf, place)
            } else {
                self.zero(&leaf.dims, leaf.elem, "zero")
            });
        }
        self.tangent_floats(primal, &Val::new(ty.clone(), leaves))
    }

    fn unit_leaf(&mut self, leaf: &Type, place: &[Atom]) -> Atom {
        let (one, zero) = (Atom::Const(Const::one(leaf.elem)), Atom::Const(Const::zero(leaf.elem)));
        if leaf.dims.is_empty() {
            return one;
        }
        self.tabulate1(&leaf.dims, "unit", |e, index| {
            let mut here: Option<Atom> = None;
            for (i, j) in index.iter().zip(place) {
                let same = e.prim(Prim::Eq, vec![*i, *j]);
                here = Some(here.map_or(same, |h| e.prim(Prim::And, vec![h, same])));
            }
            e.prim(Prim::Select, vec![here.unwrap_or(Atom::bool(true)), one, zero])
        })
    }

    /// Evaluates the result, only for its errors, where there is no element to differentiate along and so the Jacobian
    /// computes nothing else. `of` are the leaves that the Jacobian runs over.
    fn errors_without_elements(&mut self, f: FnId, x: &Arg, rest: &[Arg], of: &Ty) {
        let leaves: Vec<Type> = of.leaves().into_iter().map(|(_, leaf)| leaf).filter(|l| l.elem.is_float()).collect();
        let some = |d: &SizeId| self.b.func.types.poly(*d).as_constant().is_some_and(|n| n > 0);
        if leaves.iter().any(|leaf| leaf.dims.iter().all(some)) {
            return;
        }
        let count = |leaf: &Type| leaf.dims.iter().fold(Poly::constant(1), |p, d| p.mul(self.b.func.types.poly(*d)));
        let count = leaves.iter().map(count).fold(Poly::constant(0), |sum, count| sum.add(&count));
        let count = self.b.func.types.size(count);
        let count = self.size_value(count);
        let mut none = self.prim(Prim::Eq, vec![count, Atom::int(0)]);
        // A size that turns out to be negative is an error of the result.
        let mut open: Vec<SizeId> = leaves.iter().flat_map(|leaf| leaf.dims.iter().copied()).collect();
        open.retain(|size| !self.is_not_negative(*size));
        for size in &open {
            let size = self.size_value(*size);
            let negative = self.prim(Prim::Lt, vec![size, Atom::int(0)]);
            none = self.prim(Prim::Or, vec![none, negative]);
        }
        self.b.open();
        self.result_of(f, x, rest);
        let result = self.b.close(Vec::new());
        self.b.if_(none, result, Block::default(), "errors");
        // What runs over the elements is given what proves that no size is negative.
        let span = self.span();
        open.into_iter().for_each(|size| self.demand_size(size, span));
    }

    pub fn jacobian_reverse(&mut self, f: FnId, x: &Arg, rest: &[Arg]) -> Val {
        let Some((dx, dy)) = self.jacobian_types(f, x, rest) else { return Val::error() };
        // What a sum that is not differentiated carries comes from the result itself.
        let y = if dy.has_sum() {
            self.result_of(f, x, rest)
        } else {
            self.errors_without_elements(f, x, rest, &dy);
            Val::new(dy.clone(), Vec::new())
        };
        let kept = self.tangent_value(&y, &dy, vec![Atom::bool(false); y.leaves.len()]);
        let mut leaves = Vec::new();
        for (at, (_, row)) in dy.leaves().iter().enumerate() {
            if !row.elem.is_float() {
                leaves.extend(kept.leaves.get(at));
                continue;
            }
            leaves.extend(self.tabulate(&row.dims, "jacobian", |e, place| {
                let seeds = e.unit(&y, &dy, at, place);
                e.pull(f, x, rest, seeds).map(|(_, g)| g.leaves).unwrap_or_default()
            }));
        }
        Val::new(nest(&dy, &dx), leaves)
    }

    pub fn jacobian_forward(&mut self, f: FnId, x: &Arg, rest: &[Arg]) -> Val {
        let Some((dx, dy)) = self.jacobian_types(f, x, rest) else { return Val::error() };
        self.errors_without_elements(f, x, rest, &dx);
        let (rows, columns) = (dy.leaves(), dx.leaves());
        // One column for each leaf of the argument: its axes in front of the result's.
        // The part of a sum that is not differentiated has no column: it is the argument's own.
        let own = self.tangent_value(&x.val, &dx, vec![Atom::bool(false); x.val.leaves.len()]);
        let mut by_column = Vec::new();
        for (at, (_, column)) in columns.iter().enumerate() {
            if !column.elem.is_float() {
                by_column.push(Vec::new());
                continue;
            }
            by_column.push(self.tabulate(&column.dims, "jacobian", |e, place| {
                let tangents = e.unit(&x.val, &dx, at, place);
                e.push(f, x, rest, tangents).map(|(_, dy)| dy.leaves).unwrap_or_default()
            }));
        }
        let mut leaves = Vec::new();
        for (r, (_, row)) in rows.iter().enumerate() {
            for (((_, column), atoms), own) in columns.iter().zip(&by_column).zip(&own.leaves) {
                if !column.elem.is_float() {
                    leaves.push(self.repeated(*own, &row.dims, &column.dims));
                    continue;
                }
                let Some(atom) = atoms.get(r).copied() else { return Val::error() };
                leaves.push(self.swap_axes(atom, &column.dims, &row.dims));
            }
        }
        Val::new(nest(&dy, &dx), leaves)
    }

    /// The same leaf at every point of axes in front of its own.
    fn repeated(&mut self, atom: Atom, front: &[SizeId], own: &[SizeId]) -> Atom {
        let dims: Vec<SizeId> = front.iter().chain(own).copied().collect();
        self.tabulate1(&dims, "jacobian", |e, index| {
            e.read_inside(atom, index.iter().skip(front.len()).copied().collect())
        })
    }

    /// Moves the axes `front` of an array behind the axes `back`.
    fn swap_axes(&mut self, atom: Atom, front: &[SizeId], back: &[SizeId]) -> Atom {
        if front.is_empty() || back.is_empty() {
            return atom;
        }
        let dims: Vec<SizeId> = back.iter().chain(front).copied().collect();
        self.tabulate1(&dims, "jacobian", |e, index| {
            let (b, f) = index.split_at(back.len().min(index.len()));
            e.read_inside(atom, f.iter().chain(b).copied().collect())
        })
    }
}
