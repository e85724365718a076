//! Forward mode: each statement is followed by the code for the tangents of its float results.
//!
//! It works on any level of the IR, because the derivative of a construct is the same construct: a `build` of pairs, a
//! `loop` or `while` with a longer state, an `if` with more results. A variable without a tangent has tangent zero,
//! and costs nothing.
//!
//! `reductions` has the rules of reductions, `products` that of matrix products, `loops` those of loops, and `custom` that
//! of declared derivatives, which reverse mode transposes; the others are here.

mod custom;
mod loops;
mod products;
mod reductions;

use crate::analysis::activity::Active;
use crate::analysis::structural_zeros::Zeros;
use crate::code::{CodeBuilder, d_name, inlined, with_inputs};
use crate::error::AdError;
use crate::table::{Partial, partial, times};
use arr_base::Span;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Func, Op, Prim, ScatterKind, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The statements that replace a `jvp`, and its results: those of the body, then the tangents of its float results.
/// Fails with [`AdError::NoRule`] where something in the body has no derivative rule.
pub(crate) fn jvp(
    func: &mut Func,
    inputs: &[Atom],
    tangents: &[(Atom, Zeros)],
    body: Block,
) -> Result<(Vec<Stmt>, Vec<Atom>), AdError> {
    let moving: Vec<(VarId, Atom, Zeros)> = body
        .params
        .iter()
        .zip(tangents)
        .filter(|(_, (_, zeros))| *zeros != Zeros::All)
        .map(|(&param, &(tangent, zeros))| (param, tangent, zeros))
        .collect();
    let active = Active::from(func, &body, moving.iter().map(|(param, ..)| *param).collect());
    let mut forward = Forward { tangents: FxHashMap::default(), selective: FxHashSet::default(), active };
    let mut code = CodeBuilder::new(func, None);
    for (param, tangent, zeros) in moving {
        forward.tangents.insert(param, tangent);
        forward.mark(tangent, zeros == Zeros::Some);
    }
    let outer = std::mem::replace(&mut code.func.differentiating, true);
    for stmt in body.stmts {
        forward.stmt(&mut code, stmt)?;
    }
    let mut results = body.results.clone();
    for &result in &body.results {
        if code.func.is_float(result) {
            let d = forward.tangent_or_zero(&mut code, result);
            results.push(d);
        }
    }
    code.func.differentiating = outer;
    Ok(with_inputs(code, &body.params, inputs, results))
}

struct Forward {
    /// The tangents of variables; a missing one is zero. Variables are bound once, so one map serves all scopes.
    tangents: FxHashMap<VarId, Atom>,
    /// The tangents that may be zeros of something not selected.
    selective: FxHashSet<VarId>,
    active: Active,
}

/// A block with tangents among its results, and whether each of those is selective.
struct Moved {
    block: Block,
    selective: Vec<bool>,
}

impl Forward {
    fn tangent(&self, atom: Atom) -> Option<Atom> {
        atom.var().and_then(|v| self.tangents.get(&v).copied())
    }

    fn mark(&mut self, tangent: Atom, selective: bool) {
        if let (Atom::Var(d), true) = (tangent, selective) {
            self.selective.insert(d);
        }
    }

    /// Whether a tangent may be the zero of something not selected. A missing one is.
    fn is_selective(&self, tangent: Option<Atom>) -> bool {
        match tangent {
            None => true,
            Some(Atom::Var(d)) => self.selective.contains(&d),
            Some(Atom::Const(c)) => c.is_zero(),
        }
    }

    fn tangent_or_zero(&self, code: &mut CodeBuilder<'_>, atom: Atom) -> Atom {
        match self.tangent(atom) {
            Some(d) => d,
            None => {
                let ty = code.func.atom_ty(atom);
                code.zeros(&ty, "d")
            }
        }
    }

    /// A fresh variable, which is the tangent of `v` from here on.
    fn fresh_tangent(&mut self, code: &mut CodeBuilder<'_>, v: VarId) -> VarId {
        let name = d_name(code.func, v);
        let d = code.func.var(name, code.func.type_id(v));
        self.tangents.insert(v, Atom::Var(d));
        d
    }

    fn stmt(&mut self, code: &mut CodeBuilder<'_>, stmt: Stmt) -> Result<(), AdError> {
        code.span = stmt.span;
        let Stmt { vars, op, span } = stmt;
        match op {
            Op::Prim(prim, args) => {
                code.push(vars.clone(), Op::Prim(prim, args.clone()));
                if let [y] = vars.as_slice()
                    && code.func.ty(*y).elem.is_float()
                    && let Some(d) = self.prim(code, prim, &args, *y, span)?
                {
                    self.tangents.insert(*y, d);
                }
                Ok(())
            }
            Op::Read { array, index, checked } => {
                code.push(vars.clone(), Op::Read { array, index: index.clone(), checked });
                if let ([y], Some(Atom::Var(d))) = (vars.as_slice(), self.tangent(Atom::Var(array))) {
                    let name = d_name(code.func, *y);
                    let value = code.read(d, index, &name);
                    self.mark(value, self.selective.contains(&d));
                    self.tangents.insert(*y, value);
                }
                Ok(())
            }
            Op::Build { axes, body } => {
                if let Some(factors) = self.matrix_product(code, &vars, &axes, &body) {
                    return self.product_rule(code, vars, &factors, (axes, body));
                }
                let with = self.active.flags(&vars);
                let Moved { block: body, selective } = self.block(code, body, &with)?;
                self.results(code, vars, &with, &selective, |_| Op::Build { axes, body });
                Ok(())
            }
            Op::Reduce { kind, axes, body } => self.reduce(code, vars, kind, axes, body, span),
            Op::Scatter { kind, dest, axes, body, checked } => {
                self.scatter(code, vars, (kind, dest, checked), axes, body)
            }
            Op::Loop { axis, reverse, inits, body } => self.loop_(code, vars, (axis, reverse), inits, body),
            Op::While { inits, cond, body } => self.while_(code, vars, inits, cond, body),
            Op::If { cond, then_block, else_block } => {
                // Both branches carry a tangent for a result if either does.
                let with = self.active.flags(&vars);
                let then = self.block(code, then_block, &with)?;
                let other = self.block(code, else_block, &with)?;
                let selective: Vec<bool> = then.selective.iter().zip(&other.selective).map(|(a, b)| *a || *b).collect();
                let (then_block, else_block) = (then.block, other.block);
                self.results(code, vars, &with, &selective, |_| Op::If { cond, then_block, else_block });
                Ok(())
            }
            Op::Custom { inputs, body, rule, transposed: true } => self.custom(code, (vars, span), inputs, body, rule),
            Op::Custom { inputs, body, transposed: false, .. } => {
                let (stmts, results) = inlined(code.func, body, &inputs);
                for stmt in stmts {
                    self.stmt(code, stmt)?;
                }
                for (&v, result) in vars.iter().zip(results) {
                    if let Some(d) = self.tangent(result) {
                        self.tangents.insert(v, d);
                    }
                    code.alias(v, result);
                }
                Ok(())
            }
            Op::Reshape(array) => {
                code.push(vars.clone(), Op::Reshape(array));
                if let ([y], Some(Atom::Var(d))) = (vars.as_slice(), self.tangent(Atom::Var(array))) {
                    let out = self.fresh_tangent(code, *y);
                    self.mark(Atom::Var(out), self.selective.contains(&d));
                    code.push(vec![out], Op::Reshape(d));
                }
                Ok(())
            }
            Op::Barrier(args) => {
                let mut all = args.clone();
                let mut out = vars.clone();
                for (&v, &a) in vars.iter().zip(&args) {
                    if let Some(d) = self.tangent(a) {
                        all.push(d);
                        let moved = self.fresh_tangent(code, v);
                        self.mark(Atom::Var(moved), self.is_selective(Some(d)));
                        out.push(moved);
                    }
                }
                code.push(out, Op::Barrier(all));
                Ok(())
            }
            op @ (Op::Size(_)
            | Op::Literal(_)
            | Op::Argsort(_)
            | Op::Check { .. }
            | Op::Trace { .. }
            | Op::StopGradient(_)) => {
                code.push(vars, op);
                Ok(())
            }
            Op::Call { .. } => Err(AdError::NoRule { what: "a call that is only printed", span }),
            Op::Vjp { .. } | Op::Jvp { .. } => Err(AdError::NoRule { what: "a nested derivative", span }),
        }
    }

    fn prim(
        &mut self,
        code: &mut CodeBuilder<'_>,
        prim: Prim,
        args: &[Atom],
        y: VarId,
        span: Option<Span>,
    ) -> Result<Option<Atom>, AdError> {
        let mut sum: Option<(Atom, bool)> = None;
        let elem = code.func.ty(y).elem;
        for (k, &arg) in args.iter().enumerate() {
            let Some(d) = self.tangent(arg) else { continue };
            let row = partial(code, prim, args, Atom::Var(y), k).ok_or(AdError::NoRule { what: prim.name(), span })?;
            if let (Partial::Where(first), Some(other)) = (row, args.get(k + 1).and_then(|&b| self.tangent(b))) {
                // Both operands of the choice have a tangent.
                let chosen = code.prim(Prim::Select, &[first, d, other], "d");
                self.mark(chosen, self.is_selective(Some(d)) || self.is_selective(Some(other)));
                return Ok(Some(chosen));
            }
            let selective = self.is_selective(Some(d));
            let selects = matches!(row, Partial::Where(_) | Partial::Unless(_) | Partial::TimesZero(_));
            if let Some(term) = times(code, d, row, elem, selective) {
                let selective = selective || selects;
                sum = Some(match sum {
                    None => (term, selective),
                    Some((s, before)) => (code.add(s, term), before && selective),
                });
            }
        }
        if let Some((d, selective)) = sum {
            self.mark(d, selective);
        }
        Ok(sum.map(|(d, _)| d))
    }

    /// The block with tangent code. Its results are followed by the tangents of those that `with` flags.
    fn block(&mut self, code: &mut CodeBuilder<'_>, block: Block, with: &[bool]) -> Result<Moved, AdError> {
        let results = block.results;
        let (stmts, outcome) = code.nested(|code| {
            for stmt in block.stmts {
                self.stmt(code, stmt)?;
            }
            let (mut all, mut selective) = (results.clone(), Vec::new());
            for (&result, _) in results.iter().zip(with).filter(|(_, has)| **has) {
                selective.push(self.is_selective(self.tangent(result)));
                all.push(self.tangent_or_zero(code, result));
            }
            Ok::<_, AdError>((all, selective))
        });
        let (results, selective) = outcome?;
        Ok(Moved { block: Block { params: block.params, stmts, results }, selective })
    }

    /// Writes the operation with more results: the tangents of the flagged ones, each selective or not as `selective`
    /// says.
    fn results(
        &mut self,
        code: &mut CodeBuilder<'_>,
        vars: Vec<VarId>,
        with: &[bool],
        selective: &[bool],
        op: impl FnOnce(&mut CodeBuilder<'_>) -> Op,
    ) {
        let mut all = vars.clone();
        for ((&v, _), &selective) in vars.iter().zip(with).filter(|(_, has)| **has).zip(selective) {
            let d = self.fresh_tangent(code, v);
            self.mark(Atom::Var(d), selective);
            all.push(d);
        }
        let op = op(code);
        code.push(all, op);
    }

    fn scatter(
        &mut self,
        code: &mut CodeBuilder<'_>,
        vars: Vec<VarId>,
        (kind, dest, checked): (ScatterKind, VarId, bool),
        axes: Vec<Axis>,
        body: Block,
    ) -> Result<(), AdError> {
        let Some(&y) = vars.first() else { return code.broken("a `scatter` has no result") };
        let active = self.active.contains(y);
        let moves = body.results.last().is_some_and(|&r| self.active.has(r));
        let mut subst = Subst::new();
        let fresh = subst.fresh_axes(code.func, &axes);
        let copy = active.then(|| subst.clone_block(code.func, &body));
        code.push(vars, Op::Scatter { kind, dest, axes, body, checked });
        let Some(copy) = copy else { return Ok(()) };
        self.active.copied(&subst);
        let mut with = vec![false; copy.results.len()];
        if let Some(last) = with.last_mut() {
            *last = moves;
        }
        let Moved { block: mut body, selective } = self.block(code, copy, &with)?;
        // The tangent of the value takes its place. Guard and indices have none.
        let zero = code.zero(code.func.ty(y).elem);
        let tangent = match body.results.pop() {
            Some(tangent) if moves => tangent,
            None if moves => code.func.broken(zero, "a `scatter` writes no tangent"),
            result => {
                body.results.extend(result);
                zero
            }
        };
        if let Some(value) = body.results.last_mut() {
            *value = tangent;
        }
        let selective = !moves || selective.contains(&true) || self.is_selective(self.tangent(Atom::Var(dest)));
        let Atom::Var(d_dest) = self.tangent_or_zero(code, Atom::Var(dest)) else {
            return code.broken("the tangent of an array is none");
        };
        let d = self.fresh_tangent(code, y);
        self.mark(Atom::Var(d), selective);
        code.push(vec![d], Op::Scatter { kind, dest: d_dest, axes: fresh, body, checked: false });
        Ok(())
    }
}
