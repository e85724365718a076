//! Arrays that only rename: each element is a constant, an index, or an element of another array.

use super::{Def, Simplifier};
use arr_base::Span;
use arr_ir::{Atom, Axis, Block, Op, Poly, Scalar, SizeId, Stmt, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The elements of an array, in terms of its indices.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// Variables that stand for the indices.
    pub axes: Vec<VarId>,
    pub extents: Vec<SizeId>,
    pub kind: ViewKind,
    /// Whether elements go through `stop_gradient`.
    pub stop: bool,
}

#[derive(Clone, Debug)]
pub(super) enum ViewKind {
    /// Every element is this scalar, bound outside.
    Fill(Atom),
    /// The element is this polynomial of the indices.
    Index(Poly),
    Read {
        array: VarId,
        index: Vec<Poly>,
        checked: bool,
        /// The source position of the read.
        span: Option<Span>,
    },
}

impl View {
    fn new(axes: &[Axis], kind: ViewKind) -> View {
        View {
            axes: axes.iter().map(|a| a.index).collect(),
            extents: axes.iter().map(|a| a.extent).collect(),
            kind,
            stop: false,
        }
    }

    /// The array of which this is `stop_gradient`.
    pub fn stopped(&self) -> Option<VarId> {
        match &self.kind {
            ViewKind::Read { array, .. } if self.stop => Some(*array),
            _ => None,
        }
    }

    /// Whether an index into the source follows the view's own: for one that does not, the view itself is responsible.
    pub(super) fn moves_along(&self, index: &Poly) -> bool {
        index.vars().iter().any(|v| self.axes.contains(v))
    }

    /// The array that this one equals element by element, if its axes are read in order.
    fn identity_of(&self) -> Option<VarId> {
        match &self.kind {
            ViewKind::Read { array, index, .. } if !self.stop => {
                let same = index.len() == self.axes.len()
                    && index.iter().zip(&self.axes).all(|(p, &axis)| p.as_var() == Some(axis));
                same.then_some(*array)
            }
            _ => None,
        }
    }
}

/// The reads in a body, by the variables that they bind.
pub(super) fn reads_of(body: &Block) -> FxHashMap<VarId, &Stmt> {
    let reads = body.stmts.iter().filter(|stmt| matches!(stmt.op, Op::Read { .. }));
    reads.filter_map(|stmt| Some((*stmt.vars.first()?, stmt))).collect()
}

/// An index in a view's body, with the indices of the axes replaced.
pub(super) fn substitute(poly: &Poly, map: &FxHashMap<VarId, Poly>) -> Poly {
    poly.substitute(&mut |v| map.get(&v).cloned())
}

impl Simplifier<'_> {
    /// Examines the results of a finished `build`: which arrays are views, and whether one is another array.
    pub(super) fn note_views(&mut self, vars: &[VarId], axes: &[Axis], body: &Block) {
        let reads = reads_of(body);
        for (&var, &result) in vars.iter().zip(&body.results) {
            let Some(view) = self.view_of_result(axes, result, &reads) else { continue };
            if let Some(source) = view.identity_of()
                && self.func.ty(source).dims == self.func.ty(var).dims
            {
                self.forgets |= self.known.bounds_elements(var);
                self.alias(var, Atom::Var(source));
                continue;
            }
            self.defs.insert(var, Def::View(Rc::new(view)));
        }
    }

    pub(super) fn view_of_result(
        &mut self,
        axes: &[Axis],
        result: Atom,
        reads: &FxHashMap<VarId, &Stmt>,
    ) -> Option<View> {
        let here = self.scopes.len();
        let outside = |cx: &Self, v: VarId| cx.depth(Atom::Var(v)) <= here;
        let Atom::Var(v) = result else { return Some(View::new(axes, ViewKind::Fill(result))) };
        if !self.func.ty(v).is_scalar() {
            return self.view_of_array(axes, v);
        }
        if outside(self, v) {
            return Some(View::new(axes, ViewKind::Fill(result)));
        }
        let is_axis = |v: VarId| axes.iter().any(|a| a.index == v);
        let usable = |cx: &Self, p: &Poly| p.vars().into_iter().all(|v| is_axis(v) || outside(cx, v));
        if let Some(Stmt { op: Op::Read { array, index, checked }, span, .. }) = reads.get(&v) {
            if !outside(self, *array) {
                return None;
            }
            let index: Vec<Poly> = index.iter().map(|&a| self.poly_of(a)).collect::<Option<_>>()?;
            if !index.iter().all(|p| usable(self, p)) {
                return None;
            }
            return Some(View::new(axes, ViewKind::Read { array: *array, index, checked: *checked, span: *span }));
        }
        if self.func.ty(v).elem != Scalar::I64 {
            return None;
        }
        let poly = self.poly_of(result)?;
        usable(self, &poly).then(|| View::new(axes, ViewKind::Index(poly)))
    }

    /// A `build` (of core code) whose elements are arrays: the axes in front of those of the inner view.
    fn view_of_array(&mut self, axes: &[Axis], inner: VarId) -> Option<View> {
        let here = self.scopes.len();
        let front = |view: View| View {
            axes: axes.iter().map(|a| a.index).chain(view.axes).collect(),
            extents: axes.iter().map(|a| a.extent).chain(view.extents).collect(),
            ..view
        };
        if self.depth(Atom::Var(inner)) <= here {
            return Some(front(self.whole(inner)));
        }
        let Some(Def::View(view)) = self.defs.get(&inner) else { return None };
        let view = View::clone(view);
        let is_axis = |v: VarId| axes.iter().any(|a| a.index == v) || view.axes.contains(&v);
        let usable = |p: &Poly| p.vars().into_iter().all(|v| is_axis(v) || self.depth(Atom::Var(v)) <= here);
        let fits = match &view.kind {
            ViewKind::Fill(atom) => self.depth(*atom) <= here,
            ViewKind::Index(poly) => usable(poly),
            ViewKind::Read { array, index, .. } => self.depth(Atom::Var(*array)) <= here && index.iter().all(usable),
        };
        fits.then(|| front(view))
    }

    /// The view of an array that is the array.
    fn whole(&mut self, array: VarId) -> View {
        let extents = self.func.ty(array).dims.clone();
        let axes: Vec<VarId> = extents.iter().map(|_| self.func.scalar_var("i", Scalar::I64)).collect();
        let index = axes.iter().map(|&a| Poly::var(a)).collect();
        View { axes, extents, kind: ViewKind::Read { array, index, checked: false, span: None }, stop: false }
    }

    /// Records that an array is another one through `stop_gradient`.
    pub(super) fn stop_view(&mut self, var: VarId, array: VarId) {
        let view = View { stop: true, ..self.whole(array) };
        self.defs.insert(var, Def::View(Rc::new(view)));
    }
}
