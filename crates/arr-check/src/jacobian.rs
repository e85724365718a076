//! Jacobians: derivatives along every unit cotangent or tangent.

use crate::elab::Elab;
use crate::types::{Arg, FnId, Hint, Ty, Val};
use arr_ir::{Atom, Const, Prim, SizeId, Type};

/// `outer` with `inner` in place of each of its scalars.
fn nest(outer: &Ty, inner: &Ty) -> Ty {
    match outer {
        Ty::Scalar(_) => inner.clone(),
        Ty::Array(n, below) => Ty::Array(*n, Box::new(nest(below, inner))),
        Ty::Tuple(items) => Ty::Tuple(items.iter().map(|t| nest(t, inner)).collect()),
        Ty::Record(fields) => Ty::Record(fields.iter().map(|(n, t)| (n.clone(), nest(t, inner))).collect()),
        Ty::Error | Ty::Fn(_) => outer.clone(),
    }
}

impl<'a> Elab<'a> {
    /// The derivative types of result and argument of `f(x, rest..)`.
    fn jacobian_types(&mut self, f: FnId, x: &Arg, rest: &[Arg]) -> Option<(Ty, Ty)> {
        let dx = self.tangent_type(&x.val.ty, x.span)?;
        let mark = self.mark();
        self.b.open();
        let args = std::iter::once(x.clone()).chain(rest.iter().cloned()).collect();
        let y = self.apply(f, args, &Hint::None);
        self.b.close(Vec::new());
        let here = self.span();
        if y.is_error() || self.escapes(&y.ty, mark, here, "the differentiated function") {
            return None;
        }
        let dy = self.tangent_type(&y.ty, here)?;
        Some((dx, dy))
    }

    /// One value a leaf: 1 at `place` of leaf `chosen`, 0 elsewhere.
    fn unit(&mut self, leaves: &[(String, Type)], chosen: usize, place: &[Atom]) -> Vec<Atom> {
        let mut out = Vec::new();
        for (at, (_, leaf)) in leaves.iter().enumerate() {
            out.push(if at == chosen { self.unit_leaf(leaf, place) } else { self.zero(&leaf.dims, leaf.elem, "zero") });
        }
        out
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

    pub fn jacobian_reverse(&mut self, f: FnId, x: &Arg, rest: &[Arg]) -> Val {
        let Some((dx, dy)) = self.jacobian_types(f, x, rest) else { return Val::error() };
        let rows = dy.leaves();
        let mut leaves = Vec::new();
        for (at, (_, row)) in rows.iter().enumerate() {
            leaves.extend(self.tabulate(&row.dims, "jacobian", |e, place| {
                let seeds = e.unit(&rows, at, place);
                e.pull(f, x, rest, seeds).map(|(_, g)| g.leaves).unwrap_or_default()
            }));
        }
        Val::new(nest(&dy, &dx), leaves)
    }

    pub fn jacobian_forward(&mut self, f: FnId, x: &Arg, rest: &[Arg]) -> Val {
        let Some((dx, dy)) = self.jacobian_types(f, x, rest) else { return Val::error() };
        let (rows, columns) = (dy.leaves(), dx.leaves());
        // One column for each leaf of the argument: its axes in front of the result's.
        let mut by_column = Vec::new();
        for (at, (_, column)) in columns.iter().enumerate() {
            by_column.push(self.tabulate(&column.dims, "jacobian", |e, place| {
                let tangents = e.unit(&columns, at, place);
                e.push(f, x, rest, tangents).map(|(_, dy)| dy.leaves).unwrap_or_default()
            }));
        }
        let mut leaves = Vec::new();
        for (r, (_, row)) in rows.iter().enumerate() {
            for ((_, column), atoms) in columns.iter().zip(&by_column) {
                let Some(atom) = atoms.get(r).copied() else { return Val::error() };
                leaves.push(self.swap_axes(atom, &column.dims, &row.dims));
            }
        }
        Val::new(nest(&dy, &dx), leaves)
    }

    /// The axes `front` of an array go behind the axes `back`.
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
