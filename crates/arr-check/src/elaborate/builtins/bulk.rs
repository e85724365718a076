//! Indexing in bulk: `gather`, `scatter`, `scatter_add`, `onehot`.

use crate::data::problem::{Problem, Role};
use crate::data::types::Ty;
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use arr_ir::{Atom, Check, Const, Prim, Scalar, ScatterKind, SizeId};

impl<'a> Elab<'a> {
    /// An argument that must be an array of `i64`, of any rank.
    pub(super) fn indices(&mut self, is: &Arg, name: &str) -> Option<(Vec<SizeId>, Atom)> {
        match (is.val.ty.as_numeric(), is.val.atom()) {
            (Some((dims, Scalar::I64)), Some(atom)) if !dims.is_empty() => Some((dims, atom)),
            _ => {
                let ty = self.show(&is.val.ty);
                let hint = (is.val.ty == Ty::Scalar(Scalar::I64)).then(|| "one index is written `xs[i]`".to_string());
                let needs = "an array of `i64` indices";
                self.fail(Problem::Operand { op: name.to_string(), span: is.span, ty, needs, hint });
                None
            }
        }
    }

    pub(super) fn gather(&mut self, xs: &Arg, is: &Arg) -> Val {
        let Some(n) = self.array_arg(xs, "`gather`") else { return Val::error() };
        let Some((dims, places)) = self.indices(is, "gather") else { return Val::error() };
        let Ty::Array(_, below) = xs.val.ty.clone() else { return Val::error() };
        let ty = below.under(&dims);
        let mut leaves = Vec::new();
        for (atom, (_, leaf)) in xs.val.leaves.iter().zip(ty.leaves()) {
            let Atom::Var(v) = *atom else { continue };
            leaves.push(self.tabulate1(&leaf.dims, "gather", |e, index| {
                let (at, rest) = index.split_at(dims.len().min(index.len()));
                let i = e.read_inside(places, at.to_vec());
                let checked = !e.inside(i, n);
                e.b.read_with(v, std::iter::once(i).chain(rest.iter().copied()).collect(), checked)
            }));
        }
        Val::new(ty, leaves)
    }

    pub(super) fn scatter(&mut self, kind: ScatterKind, name: &str, dest: &Arg, is: &Arg, vs: &Arg) -> Val {
        if self.array_arg(dest, "`scatter`").is_none() {
            return Val::error();
        }
        let Some((dims, places)) = self.indices(is, name) else { return Val::error() };
        let Ty::Array(_, below) = dest.val.ty.clone() else { return Val::error() };
        let want = below.clone().under(&dims);
        let role = Role::Argument { param: "vs".to_string(), def: name.to_string() };
        let facts = vec![
            (dest.span, format!("the elements have type `{}`", self.show(&below))),
            (is.span, format!("the indices have type `{}`", self.show(&is.val.ty))),
        ];
        let vs = self.conform_with(vs.val.clone(), &want, role, vs.span, facts);
        if vs.is_error() {
            return vs;
        }
        let addable = !below.has_sum() && below.leaves().iter().all(|(_, leaf)| leaf.elem != Scalar::Bool);
        if kind == ScatterKind::Add && !addable {
            let (op, ty) = (name.to_string(), self.show(&dest.val.ty));
            return self.fail(Problem::Operand { op, span: dest.span, ty, needs: "an array of numbers", hint: None });
        }
        let mut leaves = Vec::new();
        for ((dest, value), (_, leaf)) in dest.val.leaves.iter().zip(&vs.leaves).zip(want.leaves()) {
            let Atom::Var(dest) = *dest else { continue };
            let (index, axes) = self.axes(&leaf.dims);
            self.b.open();
            let (at, rest) = index.split_at(dims.len().min(index.len()));
            let i = self.read_inside(places, at.to_vec());
            let value = self.read_inside(*value, index.clone());
            let results = [Atom::bool(true), i].into_iter().chain(rest.iter().copied()).chain([value]).collect();
            let body = self.b.close(results);
            leaves.push(Atom::Var(self.b.scatter(kind, dest, axes, body, true)));
        }
        Val::new(dest.val.ty.clone(), leaves)
    }

    /// 1 at `i`, 0 elsewhere, for each of an array of `i`; an index outside is an error as everywhere.
    pub(super) fn onehot(&mut self, n: &Arg, i: &Arg, hint: &Hint) -> Val {
        let Some(size) = self.size_arg(n) else { return Val::error() };
        let (places, at) = match i.val.ty {
            Ty::Array(..) => match self.indices(i, "onehot") {
                Some(found) => found,
                None => return Val::error(),
            },
            _ => match self.int_arg(i) {
                Some(at) => (Vec::new(), at),
                None => return Val::error(),
            },
        };
        self.check_all_inside(&places, at, size);
        let elem = hint.elem().filter(|e| *e != Scalar::Bool).unwrap_or(Scalar::F64);
        let dims: Vec<SizeId> = places.iter().copied().chain([size]).collect();
        let result = self.tabulate1(&dims, "onehot", |e, index| {
            let (outer, last) = index.split_at(places.len().min(index.len()));
            let j = last.first().copied().unwrap_or(Self::int(0));
            let at = e.read_inside(at, outer.to_vec());
            let here = e.prim(Prim::Eq, vec![j, at]);
            e.prim(Prim::Select, vec![here, Atom::Const(Const::one(elem)), Atom::Const(Const::zero(elem))])
        });
        Val::new(Ty::array(&dims, elem), vec![result])
    }

    /// Checks one index, or each of an array of indices, against an extent.
    fn check_all_inside(&mut self, places: &[SizeId], at: Atom, size: SizeId) {
        if places.is_empty() && self.inside(at, size) {
            return;
        }
        let extent = self.size_value(size);
        self.tabulate(places, "inside", |e, index| {
            let i = e.read_inside(at, index.to_vec());
            e.b.check(Check::Index, vec![i, extent]);
            Vec::new()
        });
    }
}
