//! Indexing, slicing and replacement.

use crate::elab::Elab;
use crate::error::{Problem, Role};
use crate::types::{Hint, Ty, Val};
use arr_base::Span;
use arr_ir::{Atom, Check, Prim, Scalar, ScatterKind, SizeId};
use arr_syntax::ast::{Expr, Subscript};

/// A subscript, evaluated.
enum Place {
    Index(Atom),
    /// First index and length.
    Slice(Atom, SizeId),
}

impl<'a> Elab<'a> {
    pub fn index(&mut self, array: &'a Expr, subscripts: &'a [Subscript], hint: &Hint) -> Val {
        let val = self.expr(array, &hint.elem_only());
        let Some(sizes) = self.indexed_sizes(&val, array.span, subscripts) else {
            self.look_at(subscripts);
            return Val::error();
        };
        let places: Vec<Option<Place>> = subscripts.iter().zip(&sizes).map(|(s, size)| self.place(s, *size)).collect();
        let Some(places) = places.into_iter().collect::<Option<Vec<Place>>>() else { return Val::error() };
        let indices: Option<Vec<Atom>> =
            places.iter().map(|p| if let Place::Index(atom) = p { Some(*atom) } else { None }).collect();
        match indices {
            Some(indices) => self.part(&val, &indices, true),
            None => self.slice(&val, &places, &sizes),
        }
    }

    /// The sizes of the axes that are indexed.
    fn indexed_sizes(&mut self, val: &Val, span: Span, subscripts: &[Subscript]) -> Option<Vec<SizeId>> {
        if val.is_error() {
            return None;
        }
        let (dims, _) = val.ty.peel();
        if dims.is_empty() {
            let ty = self.show(&val.ty);
            self.fail(Problem::NotAnArray { span, ty, doing: "indexing" });
            return None;
        }
        if subscripts.len() > dims.len() {
            let (ty, rank, given) = (self.show(&val.ty), dims.len(), subscripts.len());
            self.fail(Problem::TooManyIndices { span, ty, rank, given });
            return None;
        }
        Some(dims.into_iter().take(subscripts.len()).collect())
    }

    /// Evaluates subscripts for their problems only.
    fn look_at(&mut self, subscripts: &'a [Subscript]) {
        for subscript in subscripts {
            match subscript {
                Subscript::Index(e) => {
                    self.index_value(e);
                }
                Subscript::Slice { lo, hi, .. } => {
                    for e in [lo, hi].into_iter().flatten() {
                        self.index_value(e);
                    }
                }
            }
        }
    }

    fn index_value(&mut self, e: &'a Expr) -> Option<Atom> {
        let val = self.expr(e, &Hint::Elem(Scalar::I64));
        self.conform(val, &Ty::Scalar(Scalar::I64), Role::Index, e.span).atom()
    }

    fn place(&mut self, subscript: &'a Subscript, size: SizeId) -> Option<Place> {
        match subscript {
            Subscript::Index(e) => Some(Place::Index(self.index_value(e)?)),
            Subscript::Slice { lo, hi, step, span } => {
                if step.is_some() {
                    self.fail(Problem::Unsupported { span: *span, what: "a slice with a step is".to_string() });
                    return None;
                }
                let lo = lo.as_ref().map(|e| self.index_value(e).ok_or(()));
                let hi = hi.as_ref().map(|e| self.index_value(e).ok_or(()));
                let outer = self.b.span.replace(*span);
                let place = self.slice_place(lo, hi, size);
                self.b.span = outer;
                place
            }
        }
    }

    fn slice_place(
        &mut self,
        lo: Option<Result<Atom, ()>>,
        hi: Option<Result<Atom, ()>>,
        size: SizeId,
    ) -> Option<Place> {
        if lo.is_none() && hi.is_none() {
            return Some(Place::Slice(Self::int(0), size));
        }
        let lo = lo.unwrap_or(Ok(Self::int(0))).ok()?;
        let hi = match hi {
            Some(hi) => hi.ok()?,
            None => self.size_value(size),
        };
        let (first, end) = (self.size_of(lo), self.size_of(hi));
        if !self.slice_inside(first, end, size) {
            let extent = self.size_value(size);
            self.b.check(Check::Slice, vec![lo, hi, extent]);
        }
        Some(Place::Slice(lo, self.size_sub(end, first)))
    }

    /// An array with some axes indexed and others cut.
    fn slice(&mut self, val: &Val, places: &[Place], sizes: &[SizeId]) -> Val {
        let mut kept = Vec::new();
        for (place, size) in places.iter().zip(sizes) {
            match place {
                Place::Index(atom) if !self.inside(*atom, *size) => {
                    let extent = self.size_value(*size);
                    self.b.check(Check::Index, vec![*atom, extent]);
                }
                Place::Index(_) => {}
                Place::Slice(_, len) => kept.push(*len),
            }
        }
        let mut below = &val.ty;
        for _ in places {
            let Ty::Array(_, inner) = below else { return Val::error() };
            below = inner;
        }
        let ty = below.clone().under(&kept);
        let mut leaves = Vec::new();
        for (atom, (_, leaf)) in val.leaves.iter().zip(ty.leaves()) {
            let name = atom.var().map_or(String::new(), |v| self.b.func.name(v).to_string());
            leaves.push(self.tabulate1(&leaf.dims, &name, |e, index| {
                let mut rest = index.iter().copied();
                let mut full = Vec::new();
                for place in places {
                    match place {
                        Place::Index(atom) => full.push(*atom),
                        Place::Slice(lo, _) => {
                            let i = rest.next().unwrap_or(Self::int(0));
                            full.push(e.offset(*lo, i));
                        }
                    }
                }
                full.extend(rest);
                e.read_inside(*atom, full)
            }));
        }
        Val::new(ty, leaves)
    }

    /// `lo + i`.
    pub fn offset(&mut self, lo: Atom, i: Atom) -> Atom {
        if lo == Self::int(0) { i } else { self.prim(Prim::Add, vec![lo, i]) }
    }

    /// `a with [i, j] = e`
    pub fn with(&mut self, array: &'a Expr, subscripts: &'a [Subscript], value: &'a Expr, hint: &Hint) -> Val {
        let val = self.expr(array, hint);
        let sizes = self.indexed_sizes(&val, array.span, subscripts);
        let mut indices = Vec::new();
        for subscript in subscripts {
            match subscript {
                Subscript::Index(e) => indices.push(self.index_value(e)),
                Subscript::Slice { span, .. } => {
                    self.fail(Problem::Unsupported { span: *span, what: "a slice in `with` is".to_string() });
                    indices.push(None);
                }
            }
        }
        let mut below = &val.ty;
        for _ in subscripts {
            if let Ty::Array(_, inner) = below {
                below = inner;
            }
        }
        let below = below.clone();
        let new = self.expr(value, &Hint::of(&below));
        let (Some(sizes), Some(indices)) = (sizes, indices.into_iter().collect::<Option<Vec<Atom>>>()) else {
            return Val::error();
        };
        let new = self.conform(new, &below, Role::Replacement, value.span);
        if new.is_error() {
            return Val::error();
        }
        let checked = indices.iter().zip(&sizes).any(|(i, n)| !self.inside(*i, *n));
        self.replace(&val, &indices, &new, checked)
    }

    /// A copy of an array with the part at leading indices replaced.
    pub fn replace(&mut self, array: &Val, indices: &[Atom], part: &Val, checked: bool) -> Val {
        let mut leaves = Vec::new();
        for ((dest, new), (_, leaf)) in array.leaves.iter().zip(&part.leaves).zip(part.ty.leaves()) {
            let Some(dest) = dest.var() else { continue };
            let (index, axes) = self.axes(&leaf.dims);
            self.b.open();
            let value = self.read_inside(*new, index.clone());
            let mut results = vec![Atom::bool(true)];
            results.extend(indices.iter().chain(&index));
            results.push(value);
            let body = self.b.close(results);
            leaves.push(Atom::Var(self.b.scatter(ScatterKind::Set, dest, axes, body, checked)));
        }
        Val::new(array.ty.clone(), leaves)
    }
}
