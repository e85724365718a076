//! Making arrays: comprehensions over fresh axes, and elements and rows of arrays.
//!
//! Beside it: `for` and the extents that it infers, indexing, slicing and replacement, and array literals.

mod comprehension;
mod extents;
mod index;
mod outside;
mod slices;
mod stack;

use crate::data::types::Ty;
use crate::data::values::Val;
use crate::elaborate::Elab;
use arr_ir::{Atom, Axis, Check, Reduction, Scalar, SizeId, Type};

/// The names of the indices of compiler-made comprehensions.
const INDEX_NAMES: [&str; 6] = ["i", "j", "k", "l", "i4", "i5"];

impl<'a> Elab<'a> {
    /// A fresh axis that knows its extent.
    pub fn axis(&mut self, name: &str, extent: SizeId) -> (Atom, Axis) {
        let (index, axis) = self.b.axis(name, extent);
        self.extents.insert(axis.index, extent);
        self.named.insert(axis.index);
        (index, axis)
    }

    pub fn axes(&mut self, dims: &[SizeId]) -> (Vec<Atom>, Vec<Axis>) {
        dims.iter().enumerate().map(|(i, &d)| self.axis(INDEX_NAMES.get(i).copied().unwrap_or("i"), d)).unzip()
    }

    /// One array for each result of `body`, which gets the indices; without axes just the results.
    pub fn tabulate(
        &mut self,
        dims: &[SizeId],
        name: &str,
        body: impl FnOnce(&mut Self, &[Atom]) -> Vec<Atom>,
    ) -> Vec<Atom> {
        if dims.is_empty() {
            return body(self, &[]);
        }
        let (index, axes) = self.axes(dims);
        self.b.open();
        let results = body(self, &index);
        let block = self.b.close(results);
        self.b.build(axes, block, name).into_iter().map(Atom::Var).collect()
    }

    /// [`Elab::tabulate`] with one result.
    pub fn tabulate1(&mut self, dims: &[SizeId], name: &str, body: impl FnOnce(&mut Self, &[Atom]) -> Atom) -> Atom {
        let results = self.tabulate(dims, name, |e, index| vec![body(e, index)]);
        match results.first() {
            Some(result) => *result,
            None => self.broken("an array comprehension without a result"),
        }
    }

    /// A scalar reduction of what `body` yields, over the given extents.
    pub fn reduce(&mut self, kind: Reduction, dims: &[SizeId], body: impl FnOnce(&mut Self, &[Atom]) -> Atom) -> Atom {
        let (index, axes) = self.axes(dims);
        self.b.open();
        let result = body(self, &index);
        let block = self.b.close(vec![result]);
        let results = self.b.reduce(kind, axes, block, kind.name());
        match results.first() {
            Some(v) => Atom::Var(*v),
            None => self.broken("a reduction without a result"),
        }
    }

    /// The element at a full index, checked unless it is certainly inside.
    pub fn read(&mut self, array: Atom, index: Vec<Atom>) -> Atom {
        let Atom::Var(v) = array else { return array };
        let dims = self.b.func.ty(v).dims.clone();
        let checked = index.iter().zip(&dims).any(|(i, d)| !self.inside(*i, *d));
        self.b.read_with(v, index, checked)
    }

    /// The element at a full index that is known to be inside; a scalar is its own element.
    pub fn read_inside(&mut self, array: Atom, index: Vec<Atom>) -> Atom {
        let Atom::Var(v) = array else { return array };
        if self.b.func.ty(v).dims.is_empty() {
            return array;
        }
        self.b.read_unchecked(v, index)
    }

    /// The part of an array at leading indices. `checked` says whether they must be checked.
    pub fn part(&mut self, array: &Val, index: &[Atom], checked: bool) -> Val {
        let mut ty = &array.ty;
        let mut sizes = Vec::new();
        for _ in index {
            let Ty::Array(size, inner) = ty else { return Val::error() };
            sizes.push(*size);
            ty = inner;
        }
        let ty = ty.clone();
        let leaves = ty.leaves();
        // Where an element has axes of its own, the index is checked once and not at every read.
        let whole = leaves.iter().all(|(_, t)| t.is_scalar());
        if checked && !whole {
            for (i, size) in index.iter().zip(&sizes) {
                if !self.inside(*i, *size) {
                    let extent = self.size_value(*size);
                    self.b.check(Check::Index, vec![*i, extent]);
                }
            }
        }
        let mut out = Vec::new();
        for (atom, (_, Type { dims, .. })) in array.leaves.iter().zip(leaves) {
            let Atom::Var(v) = *atom else { continue };
            let name = self.b.func.name(v).to_string();
            out.push(self.tabulate1(&dims, &name, |e, rest| {
                let full: Vec<Atom> = index.iter().chain(rest).copied().collect();
                if checked && whole { e.read(*atom, full) } else { e.read_inside(*atom, full) }
            }));
        }
        Val::new(ty, out)
    }

    /// The element of an array at an index that runs over its outermost axis.
    pub fn element(&mut self, array: &Val, index: Atom) -> Val {
        self.part(array, &[index], false)
    }

    /// Closes the innermost block and puts its statements into the one around it.
    pub fn splice(&mut self) {
        let block = self.b.close(Vec::new());
        block.stmts.into_iter().for_each(|stmt| self.b.push(stmt));
    }

    /// An array of zeros, or zero.
    pub fn zero(&mut self, dims: &[SizeId], elem: Scalar, name: &str) -> Atom {
        if dims.is_empty() {
            return Atom::Const(arr_ir::Const::zero(elem));
        }
        Atom::Var(self.b.fill(dims, Atom::Const(arr_ir::Const::zero(elem)), name))
    }

    /// A value of this type filled with zeros.
    pub fn zeros_of(&mut self, ty: &Ty, name: &str) -> Val {
        let leaves = ty.leaves();
        let leaves = leaves.into_iter().map(|(_, t)| self.zero(&t.dims, t.elem, name)).collect();
        Val::new(ty.clone(), leaves)
    }
}
