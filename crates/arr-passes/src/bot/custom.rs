//! Computations with a custom derivative.
//!
//! The rule matters only to derivatives. A `custom` is its body unless the innermost derivative around it uses the rule.

use super::control::axes_of;
use super::{AxisSet, Bot, BotError, Location};
use arr_base::Span;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Block, Func, Op, Stmt, VarId};

/// The innermost derivative around a statement.
#[derive(Clone, Copy)]
enum Around {
    Nothing,
    Vjp,
    Jvp,
}

/// The block with each `custom` whose rule no derivative will use replaced by its body; `None` if there is none.
pub(super) fn expand(func: &mut Func, block: &Block) -> Option<Block> {
    holds(block, Around::Nothing).then(|| {
        let mut block = block.clone();
        expand_block(func, &mut block, Around::Nothing, &mut Subst::new());
        block
    })
}

/// The innermost derivative around the blocks of an operation.
fn inside(op: &Op, around: Around) -> Around {
    match op {
        Op::Vjp { .. } => Around::Vjp,
        Op::Jvp { .. } => Around::Jvp,
        _ => around,
    }
}

/// Whether the operation is a `custom` that is no more than its body.
fn is_body(op: &Op, around: Around) -> bool {
    let Op::Custom { transposed, .. } = op else { return false };
    match around {
        Around::Nothing => true,
        Around::Vjp => false,
        Around::Jvp => !transposed,
    }
}

fn holds(block: &Block, around: Around) -> bool {
    block
        .stmts
        .iter()
        .any(|s| is_body(&s.op, around) || s.op.blocks().into_iter().any(|b| holds(b, inside(&s.op, around))))
}

fn expand_block(func: &mut Func, block: &mut Block, around: Around, subst: &mut Subst) {
    let stmts = std::mem::take(&mut block.stmts);
    expand_stmts(func, stmts, around, subst, &mut block.stmts);
    for a in &mut block.results {
        *a = subst.atom(*a);
    }
}

fn expand_stmts(func: &mut Func, stmts: Vec<Stmt>, around: Around, subst: &mut Subst, out: &mut Vec<Stmt>) {
    for mut stmt in stmts {
        stmt.op.map_operands(&mut |a| subst.atom(a));
        stmt.op.map_sizes(&mut |s| subst.size(func, s));
        if is_body(&stmt.op, around)
            && let Op::Custom { inputs, body, .. } = stmt.op.clone()
        {
            if matches!(body.stmts.as_slice(), [Stmt { op: Op::Call { .. }, .. }]) {
                keep_names(func, &stmt.vars, &body.results);
            }
            for (&param, input) in body.params.iter().zip(inputs) {
                subst.insert(param, input);
            }
            expand_stmts(func, body.stmts, around, subst, out);
            for (&var, &result) in stmt.vars.iter().zip(&body.results) {
                let result = subst.atom(result);
                subst.insert(var, result);
            }
            continue;
        }
        let within = inside(&stmt.op, around);
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
        (body, rule): (&Block, &Block),
        transposed: bool,
    ) -> Result<(), BotError> {
        self.run_checks_before_block([stmt]);
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
        let op = Op::Custom { inputs, body: lifted_body, rule, transposed };
        self.push(Stmt { vars: vars.clone(), op, span: stmt.span });
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
