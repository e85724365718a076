//! Element reads: through views to the source, constants of literals, checks that follow from extents.

use super::view::{View, ViewKind, substitute};
use super::{Def, Simplifier};
use arr_base::Span;
use arr_ir::bounds::Bounds;
use arr_ir::{Atom, Check, Const, Literal, Op, Poly, SizeId, Stmt, Type, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Elements of a literal that are compared with each other.
const LONGEST_COMPARED: usize = 64;

/// A read that is being traced to its source.
struct Read {
    array: VarId,
    index: Vec<Atom>,
    checked: bool,
    stop: bool,
    span: Option<Span>,
}

impl Simplifier<'_> {
    pub(super) fn read_stmt(
        &mut self,
        vars: Vec<VarId>,
        array: VarId,
        index: Vec<Atom>,
        checked: bool,
        span: Option<Span>,
    ) {
        let Some(var) = self.result_of(&vars) else { return };
        let mut read = Read { array, index, checked, stop: false, span };
        let atom = match self.follow(&mut read) {
            // The element is known, and still no derivative flows back to it.
            Some(known) if read.stop => return self.stop_gradient(vec![var], known, span),
            Some(known) => known,
            None => self.read_element(var, read),
        };
        if atom != Atom::Var(var) {
            self.alias(var, atom);
        }
    }

    /// Follows views; returns the element, if it is known without a read.
    fn follow(&mut self, read: &mut Read) -> Option<Atom> {
        loop {
            let (view, index, written) = match self.defs.get(&read.array) {
                Some(Def::View(view)) => (Rc::clone(view), read.index.clone(), false),
                Some(Def::Written(_)) if !read.checked => {
                    let (view, index) = self.written(read.array, &read.index)?;
                    (view, index, true)
                }
                Some(Def::Literal(literal)) => {
                    let known = literal_element(literal, &read.index);
                    let any = if read.checked { None } else { only_element(literal) };
                    return known.or(any).map(Atom::Const);
                }
                _ => return None,
            };
            if matches!(&view.kind, ViewKind::Read { array, .. } if self.consumed.contains(array)) {
                return None;
            }
            let map = self.index_map(&view, &index)?;
            self.forgets |= self.known.bounds_elements(read.array);
            self.changed = true;
            // A written place is inside.
            let unchecked = written || self.check_view(&view, read);
            match &view.kind {
                ViewKind::Fill(atom) => return Some(self.resolve(*atom)),
                ViewKind::Index(poly) => return Some(self.materialize(substitute(poly, &map), read.span)),
                ViewKind::Read { array, index, checked, span } => {
                    let fails_there = *checked || unchecked && self.fails_by_itself(&view, *array, index);
                    read.span = if fails_there { span.or(read.span) } else { read.span.or(*span) };
                    read.index = index.iter().map(|p| self.materialize(substitute(p, &map), read.span)).collect();
                    read.array = self.resolve(Atom::Var(*array)).var()?;
                    read.checked = *checked && !written || !unchecked;
                    read.stop |= view.stop;
                }
            }
        }
    }

    /// Whether an index into the source that is the view's own may be outside, by the axes around it alone: earlier
    /// checks do not count, as such a check may be repeated here.
    fn fails_by_itself(&self, view: &View, array: VarId, index: &[Poly]) -> bool {
        let dims = self.func.ty(array).dims.iter().copied();
        let is_axis = |p: &Poly, dim| {
            let mut axes = self.kernels.iter().flatten();
            p.as_var().is_some_and(|v| axes.any(|axis| axis.index == v && axis.extent == dim))
        };
        let own: Vec<(&Poly, SizeId)> =
            index.iter().zip(dims).filter(|(p, dim)| !view.moves_along(p) && !is_axis(p, *dim)).collect();
        if own.is_empty() {
            return false;
        }
        let mut around = Bounds::new(self.func);
        self.kernels.iter().for_each(|axes| around.axes(self.func, axes));
        own.iter().any(|(index, dim)| {
            let last = self.func.types.poly(*dim).sub(&Poly::constant(1));
            !around.non_negative(index) || !around.non_negative(&last.sub(index))
        })
    }

    fn index_map(&self, view: &View, index: &[Atom]) -> Option<FxHashMap<VarId, Poly>> {
        view.axes.iter().zip(index).map(|(&axis, &a)| Some((axis, self.poly_of(a)?))).collect()
    }

    /// Keeps the demand that the indices lie inside the view, in the order of its axes, so that the same one fails first.
    /// True when nothing is left for the source's own check, which can stand for one axis.
    fn check_view(&mut self, view: &View, read: &Read) -> bool {
        if !read.checked {
            return true;
        }
        let axes = read.index.iter().zip(view.axes.iter().zip(&view.extents));
        let open: Vec<(Atom, VarId, SizeId)> = axes
            .map(|(&index, (&axis, &extent))| (index, axis, extent))
            .filter(|&(index, _, extent)| !self.inside(index, extent))
            .collect();
        if let [(_, axis, extent)] = open.as_slice()
            && self.source_checks(view, *axis, *extent)
        {
            return false;
        }
        for (index, _, extent) in open {
            let extent = self.func.types.poly(extent).clone();
            let extent = self.materialize(extent, read.span);
            self.check(Check::Index, vec![index, extent], read.span);
        }
        true
    }

    /// Whether a check of the source's index is the check of this axis.
    fn source_checks(&self, view: &View, axis: VarId, extent: SizeId) -> bool {
        let ViewKind::Read { array, index, .. } = &view.kind else { return false };
        let dims = &self.func.ty(*array).dims;
        index.iter().zip(dims).any(|(p, &dim)| dim == extent && p.as_var() == Some(axis))
    }

    fn read_element(&mut self, var: VarId, read: Read) -> Atom {
        let Read { array, index, mut checked, stop, span } = read;
        let Type { elem, dims } = self.func.ty(array).clone();
        if dims.is_empty() {
            return Atom::Var(array);
        }
        if checked && index.iter().zip(&dims).all(|(&i, &dim)| self.inside(i, dim)) {
            checked = false;
            self.changed = true;
        }
        if !stop {
            self.share(Stmt { vars: vec![var], op: Op::Read { array, index, checked }, span });
            return self.resolve(Atom::Var(var));
        }
        let element = self.func.scalar_var(self.func.name(var).to_string(), elem);
        self.share(Stmt { vars: vec![element], op: Op::Read { array, index, checked }, span });
        let element = self.resolve(Atom::Var(element));
        self.stop_gradient(vec![var], element, span);
        self.resolve(Atom::Var(var))
    }
}

fn literal_element(literal: &Literal, index: &[Atom]) -> Option<Const> {
    let mut flat = 0i64;
    for (a, &dim) in index.iter().zip(&literal.dims) {
        let i = a.constant()?.as_i64()?;
        if i < 0 || i >= dim {
            return None;
        }
        flat = flat.checked_mul(dim)?.checked_add(i)?;
    }
    literal.data.get(usize::try_from(flat).ok()?).copied()
}

/// The element of a short literal whose elements are all the same.
fn only_element(literal: &Literal) -> Option<Const> {
    let (first, others) = literal.data.split_first()?;
    (others.len() < LONGEST_COMPARED && others.iter().all(|c| c == first)).then_some(*first)
}
