//! Computations with a custom derivative.
//!
//! The rule matters only to reverse mode. A `custom` is its body unless the innermost derivative around it is a `vjp`.

use super::control::axes_of;
use super::{AxisSet, Bot, BotError, Location};
use arr_base::Span;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Block, Func, Op, Stmt, VarId};

/// The block with each `custom` that no `vjp` will differentiate replaced by its body; `None` if there is none.
pub(super) fn expand(func: &mut Func, block: &Block) -> Option<Block> {
    holds(block, false).then(|| {
        let mut block = block.clone();
        expand_block(func, &mut block, false, &mut Subst::new());
        block
    })
}

/// Whether the innermost derivative around the blocks of an operation is a `vjp`.
fn inside(op: &Op, in_vjp: bool) -> bool {
    match op {
        Op::Vjp { .. } => true,
        Op::Jvp { .. } => false,
        _ => in_vjp,
    }
}

fn holds(block: &Block, in_vjp: bool) -> bool {
    block.stmts.iter().any(|s| {
        matches!(s.op, Op::Custom { .. }) && !in_vjp
            || s.op.blocks().into_iter().any(|b| holds(b, inside(&s.op, in_vjp)))
    })
}

fn expand_block(func: &mut Func, block: &mut Block, in_vjp: bool, subst: &mut Subst) {
    let stmts = std::mem::take(&mut block.stmts);
    expand_stmts(func, stmts, in_vjp, subst, &mut block.stmts);
    for a in &mut block.results {
        *a = subst.atom(*a);
    }
}

fn expand_stmts(func: &mut Func, stmts: Vec<Stmt>, in_vjp: bool, subst: &mut Subst, out: &mut Vec<Stmt>) {
    for mut stmt in stmts {
        stmt.op.map_operands(&mut |a| subst.atom(a));
        stmt.op.map_sizes(&mut |s| subst.size(func, s));
        if let Op::Custom { inputs, body, .. } = stmt.op.clone()
            && !in_vjp
        {
            if matches!(body.stmts.as_slice(), [Stmt { op: Op::Call { .. }, .. }]) {
                keep_names(func, &stmt.vars, &body.results);
            }
            for (&param, input) in body.params.iter().zip(inputs) {
                subst.insert(param, input);
            }
            expand_stmts(func, body.stmts, in_vjp, subst, out);
            for (&var, &result) in stmt.vars.iter().zip(&body.results) {
                let result = subst.atom(result);
                subst.insert(var, result);
            }
            continue;
        }
        let within = inside(&stmt.op, in_vjp);
        let retyped: Vec<VarId> =
            stmt.vars.iter().copied().chain(stmt.op.blocks().iter().flat_map(|b| b.params.clone())).collect();
        for v in retyped {
            func.vars[v].ty = subst.ty(func, func.vars[v].ty);
        }
        for inner in stmt.op.blocks_mut() {
            expand_block(func, inner, within, subst);
        }
        out.push(stmt);
    }
}

/// A call gives what the program calls by a name: readers see that name.
fn keep_names(func: &mut Func, vars: &[VarId], results: &[Atom]) {
    for (&var, result) in vars.iter().zip(results) {
        if let Atom::Var(own) = *result {
            func.vars[own].name = func.vars[var].name.clone();
        }
    }
}

impl Bot<'_> {
    /// Both blocks are lifted, with everything stored over the axes that anything in either depends on. These can be more
    /// than the axes of the whole: code in a block that runs only where all axes have points is stored over some of them.
    pub(super) fn lift_custom(
        &mut self,
        stmt: &Stmt,
        inputs: &[Atom],
        body: &Block,
        rule: &Block,
    ) -> Result<(), BotError> {
        let mut set = axes_of(self, &stmt.op);
        let (inputs, lifted_body, rule) = loop {
            let (foreseen, before) = (set, self.pending.len());
            let inputs = self.store_all(inputs, set, stmt.span);
            let params = self.lifted_vars(&body.params, &inputs);
            let lifted_body = self.custom_block(body, params, &mut set, stmt.span)?;
            if set == foreseen {
                let floats = lifted_body.results.iter().copied().filter(|&a| self.func.is_float(a));
                let wanted: Vec<Atom> = inputs.iter().chain(&lifted_body.results).copied().chain(floats).collect();
                let params = self.lifted_vars(&rule.params, &wanted);
                let rule = self.custom_block(rule, params, &mut set, stmt.span)?;
                if set == foreseen {
                    break (inputs, lifted_body, rule);
                }
            }
            self.pending.truncate(before);
        };
        let vars = self.lifted_vars(&stmt.vars, &lifted_body.results);
        self.push(Stmt { vars: vars.clone(), op: Op::Custom { inputs, body: lifted_body, rule }, span: stmt.span });
        for (&var, array) in stmt.vars.iter().zip(vars) {
            self.place(var, Location::Stored { array, axes: set });
        }
        Ok(())
    }

    /// A block of a `custom` whose params are stored over the set, and its results if they depend on no other axes.
    /// Otherwise the set grows, and the block is to be lifted again.
    fn custom_block(
        &mut self,
        block: &Block,
        params: Vec<VarId>,
        set: &mut AxisSet,
        span: Option<Span>,
    ) -> Result<Block, BotError> {
        let foreseen = *set;
        self.open();
        for (&param, &array) in block.params.iter().zip(&params) {
            self.place(param, Location::Stored { array, axes: foreseen });
        }
        let start = self.pending.len();
        let lifted = self.lift_block(block);
        let results = lifted.map(|results| {
            *set = results.iter().fold(foreseen, |set, &a| set | self.deps_of(a));
            if *set == foreseen { self.store_all(&results, foreseen, span) } else { Vec::new() }
        });
        self.run_failing(start..self.pending.len());
        let stmts = self.close();
        Ok(Block { params, stmts, results: results? })
    }
}
