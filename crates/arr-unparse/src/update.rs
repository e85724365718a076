//! `scatter`: as `with`, as the built-in functions, or as a loop of updates.

use crate::ast;
use crate::emitter::Emitter;
use arr_ir::walk::bound_in_block;
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Prim, Scalar, ScatterKind, Stmt, VarId};
use arr_syntax::ast::{Binding, Expr, ExprKind};
use rustc_hash::FxHashSet;

impl Emitter<'_> {
    pub fn scatter(
        &mut self,
        kind: ScatterKind,
        dest: VarId,
        axes: &[Axis],
        body: &Block,
        bindings: &mut Vec<Binding>,
    ) -> Expr {
        if let Some((indices, values)) = self.bulk_operands(dest, axes, body) {
            let function = match kind {
                ScatterKind::Set => "scatter",
                ScatterKind::Add => "scatter_add",
            };
            return ast::call(function, vec![self.var(dest), self.var(indices), self.var(values)]);
        }
        let array = self.named(dest, bindings);
        if axes.is_empty() {
            body.stmts.iter().for_each(|s| self.stmt(s, bindings));
            return self.updated(kind, dest, array, &body.results);
        }
        match self.slab(kind, dest, &array, axes, body) {
            Some(e) => e,
            None => self.update_loop(kind, dest, array, axes, body),
        }
    }

    /// `array with [i] = for j < m => ..`: a whole sub-array, where the last indices are the axes and the others are the
    /// same at every point.
    fn slab(&mut self, kind: ScatterKind, dest: VarId, array: &Expr, axes: &[Axis], body: &Block) -> Option<Expr> {
        let dims = self.func.ty(dest).dims.clone();
        let lead = dims.len().checked_sub(axes.len())?;
        let (Atom::Const(Const::Bool(true)), index) = (*body.results.first()?, body.results.get(1..=dims.len())?)
        else {
            return None;
        };
        let (fixed, moving) = index.split_at(lead);
        let mut inside = FxHashSet::default();
        bound_in_block(body, &mut inside);
        inside.extend(axes.iter().map(|a| a.index));
        let same = moving.iter().zip(axes).all(|(&i, a)| i == Atom::Var(a.index));
        let whole = axes.iter().zip(dims.iter().skip(lead)).all(|(a, d)| a.extent == *d);
        if !same || !whole || fixed.iter().any(|a| a.var().is_some_and(|v| inside.contains(&v))) {
            return None;
        }
        let fixed: Vec<Expr> = fixed.iter().map(|&a| self.atom(a)).collect();
        let copied = copied_array(self.func, axes, body).filter(|_| kind == ScatterKind::Set);
        let value = match copied {
            Some(source) => self.var(source),
            None => {
                self.names.open();
                let named = self.axes(axes);
                let there: Vec<Expr> = fixed.iter().cloned().chain(named.iter().map(|(n, _)| ast::var(n))).collect();
                let element = self.block_with(body, |emitter, results| {
                    let Some(value) = results.last().map(|&a| emitter.atom(a)) else {
                        return emitter.broken("an update without a value");
                    };
                    match kind {
                        ScatterKind::Set => value,
                        ScatterKind::Add => {
                            crate::scalar::prim(Prim::Add, vec![ast::index(array.clone(), there), value])
                        }
                    }
                });
                self.names.close();
                ast::for_(&named, element)
            }
        };
        Some(if fixed.is_empty() { value } else { ast::with(array.clone(), fixed, value) })
    }

    /// Indices and values, if the body only reads them from two arrays.
    fn bulk_operands(&self, dest: VarId, axes: &[Axis], body: &Block) -> Option<(VarId, VarId)> {
        let ([axis], [guard, index, value]) = (axes, body.results.as_slice()) else { return None };
        if self.func.ty(dest).rank() != 1 || *guard != Atom::Const(Const::Bool(true)) {
            return None;
        }
        let array_of = |result: Atom| {
            let stmt = body.stmts.iter().find(|s| s.vars.iter().any(|&v| Atom::Var(v) == result))?;
            match &stmt.op {
                Op::Read { array, index, .. } if *index == [Atom::Var(axis.index)] => {
                    (self.func.ty(*array).dims == [axis.extent]).then_some(*array)
                }
                _ => None,
            }
        };
        let indices = array_of(*index).filter(|&a| self.func.ty(a).elem == Scalar::I64)?;
        Some((indices, array_of(*value)?))
    }

    /// The array under a name.
    fn named(&mut self, array: VarId, bindings: &mut Vec<Binding>) -> Expr {
        let e = self.var(array);
        if matches!(*e.kind, ExprKind::Name(_)) {
            return e;
        }
        let name = self.names.fresh(self.func.name(array));
        bindings.push(ast::binding(ast::pattern(std::slice::from_ref(&name)), e));
        ast::var(&name)
    }

    /// `if guard then array with [index] = value else array`
    fn updated(&mut self, kind: ScatterKind, dest: VarId, array: Expr, results: &[Atom]) -> Expr {
        let rank = self.func.ty(dest).rank();
        let index: Vec<Expr> = results.iter().skip(1).take(rank).map(|&a| self.atom(a)).collect();
        let Some(mut value) = results.last().map(|&a| self.atom(a)) else {
            return self.broken("an update without a value");
        };
        if kind == ScatterKind::Add {
            let there = ast::index(array.clone(), index.clone());
            value = crate::scalar::prim(Prim::Add, vec![there, value]);
        }
        let updated = ast::with(array.clone(), index, value);
        match results.first() {
            Some(Atom::Var(guard)) => ast::if_(self.var(*guard), updated, array),
            Some(Atom::Const(Const::Bool(false))) => array,
            _ => updated,
        }
    }

    /// `loop acc = array for i < n do acc with [index] = value`, one loop per axis.
    fn update_loop(&mut self, kind: ScatterKind, dest: VarId, array: Expr, axes: &[Axis], body: &Block) -> Expr {
        self.names.open();
        let hint = self.func.name(dest).to_string();
        let states: Vec<String> = axes.iter().map(|_| self.names.fresh(&hint)).collect();
        let axes = self.axes(axes);
        let innermost = states.last().map_or_else(|| array.clone(), |s| ast::var(s));
        let mut e = self.block_with(body, |emitter, results| emitter.updated(kind, dest, innermost, results));
        self.names.close();
        let inits: Vec<Expr> = std::iter::once(array).chain(states.iter().map(|s| ast::var(s))).collect();
        for ((state, (i, n)), init) in states.iter().zip(axes).zip(inits).rev() {
            e = ast::loop_(ast::pattern(std::slice::from_ref(state)), init, (&i, n), e);
        }
        e
    }
}

/// The array that the body copies element by element, if that is all it does.
fn copied_array(func: &Func, axes: &[Axis], body: &Block) -> Option<VarId> {
    let [Stmt { op: Op::Read { array, index, .. }, vars, .. }] = body.stmts.as_slice() else { return None };
    let value = vars.first().map(|&v| Atom::Var(v)) == body.results.last().copied();
    let same = index.len() == axes.len() && index.iter().zip(axes).all(|(&i, a)| i == Atom::Var(a.index));
    let sizes = func.ty(*array).dims.iter().zip(axes).all(|(d, a)| *d == a.extent);
    (value && same && sizes).then_some(*array)
}
