//! Indexing, slicing and replacement.

use crate::data::problem::{Problem, Role};
use crate::data::types::Ty;
use crate::data::values::{Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::arrays::outside::Subscripted;
use crate::elaborate::arrays::slices::{EvaluatedSubscript, kept};
use crate::messages::written::new_axis;
use arr_base::Span;
use arr_ir::{Atom, Prim, Scalar, ScatterKind, SizeId};
use arr_syntax::ast::{Expr, Subscript};

impl<'a> Elab<'a> {
    pub fn index(&mut self, array: &'a Expr, subscripts: &'a [Subscript], hint: &Hint) -> Val {
        if let Some(derivative) = self.chosen_derivative(array, subscripts) {
            return derivative;
        }
        let val = self.expr(array, &hint.elem_only());
        if new_axis(subscripts).is_some_and(|e| self.is_unknown_name(e)) {
            // The name pass has reported it.
            return Val::error();
        }
        let Some(sizes) = self.indexed_sizes(&val, array.span, subscripts) else {
            self.look_at(subscripts);
            return Val::error();
        };
        let places: Vec<Option<EvaluatedSubscript>> =
            subscripts.iter().zip(&sizes).map(|(s, size)| self.place(s, *size)).collect();
        let Some(places) = places.into_iter().collect::<Option<Vec<EvaluatedSubscript>>>() else { return Val::error() };
        let indices: Option<Vec<Atom>> =
            places.iter().map(|p| if let EvaluatedSubscript::Index(atom) = p { Some(*atom) } else { None }).collect();
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
                Subscript::Slice { lo, hi, step, .. } => {
                    for e in [lo, hi, step].into_iter().flatten() {
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

    fn place(&mut self, subscript: &'a Subscript, size: SizeId) -> Option<EvaluatedSubscript> {
        match subscript {
            Subscript::Index(e) => {
                let index = self.index_value(e)?;
                self.refuse_outside(e, index, size, Subscripted::Index);
                Some(EvaluatedSubscript::Index(index))
            }
            Subscript::Slice { lo, hi, step, span } => {
                let outer = self.b.span;
                let bounds = [lo, hi];
                let [lo, hi, step] = [lo, hi, step].map(|e| e.as_ref().map(|e| self.index_value(e).ok_or(e.span)));
                for (e, bound) in bounds.into_iter().zip([lo, hi]) {
                    if let (Some(e), Some(Ok(bound))) = (e, bound) {
                        self.refuse_outside(e, bound, size, Subscripted::Bound);
                    }
                }
                self.b.span = Some(*span);
                let slice = match (lo.transpose(), hi.transpose(), step.transpose()) {
                    (Ok(lo), Ok(hi), Ok(step)) => self.cut(lo, hi, step, size),
                    _ => None,
                };
                self.b.span = outer;
                slice.map(EvaluatedSubscript::Slice)
            }
        }
    }

    /// `lo + i`.
    pub fn offset(&mut self, lo: Atom, i: Atom) -> Atom {
        if lo == Self::int(0) { i } else { self.prim(Prim::Add, vec![lo, i]) }
    }

    /// `a with [i, :, lo:hi] = e`
    pub fn with(&mut self, array: &'a Expr, subscripts: &'a [Subscript], value: &'a Expr, hint: &Hint) -> Val {
        let hint = &self.hint_of_updated(array, value, hint);
        let val = self.expr(array, hint);
        let sizes = self.indexed_sizes(&val, array.span, subscripts);
        let places = match &sizes {
            Some(sizes) => {
                let places: Vec<Option<EvaluatedSubscript>> =
                    subscripts.iter().zip(sizes).map(|(s, size)| self.place(s, *size)).collect();
                places.into_iter().collect::<Option<Vec<EvaluatedSubscript>>>()
            }
            None => {
                self.look_at(subscripts);
                None
            }
        };
        let (Some(sizes), Some(places)) = (sizes, places) else {
            self.expr(value, &hint.elem_only());
            return Val::error();
        };
        let mut below = &val.ty;
        for _ in &places {
            if let Ty::Array(_, inner) = below {
                below = inner;
            }
        }
        let want = below.clone().under(&kept(&places));
        let new = self.expr(value, &Hint::of(&want));
        let new = self.conform(new, &want, Role::Replacement, value.span);
        if new.is_error() {
            return Val::error();
        }
        let indices: Option<Vec<Atom>> =
            places.iter().map(|p| if let EvaluatedSubscript::Index(atom) = p { Some(*atom) } else { None }).collect();
        match indices {
            Some(indices) => {
                let checked = indices.iter().zip(&sizes).any(|(i, n)| !self.inside(*i, *n));
                self.replace(&val, &indices, &new, checked)
            }
            None => {
                self.check_indices(&places, &sizes);
                self.replace_slices(&val, &places, &new)
            }
        }
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
