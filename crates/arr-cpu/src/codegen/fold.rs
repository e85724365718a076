//! Reductions in vectorised loops.
//!
//! A loop that is a reduction carries one value from an iteration to the next, so its iterations are not independent.
//! But its terms are, and they are computed in vectors. Strict code then adds them to the accumulator in the order of
//! the plain loop, which pays off if the terms are expensive (a function of the runtime is called on them), and gives
//! the same result to the bit. Relaxed code has an accumulator per lane, and combines these after the loop in a fixed
//! tree.

use arr_ir::Prim;
use arr_loops::{Expr, LocalId, LoopFunc, Operand, Stmt};
use std::collections::HashMap;

/// `let next = prim acc, term; set acc = next`, where nothing else in the loop uses `acc` or `next`, and `acc` is declared
/// outside of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    pub prim: Prim,
    pub accumulator: LocalId,
    pub term: Operand,
    /// Whether the accumulator is the first operand.
    pub leads: bool,
}

impl Fold {
    /// The neutral element of the combination.
    pub fn identity(&self) -> f64 {
        match self.prim {
            Prim::Mul => 1.0,
            Prim::Min => f64::INFINITY,
            Prim::Max => f64::NEG_INFINITY,
            _ => -0.0,
        }
    }
}

/// The folds of a loop's body, by the local that the combined value is bound to; with `nested`, those of loops inside it too.
pub(super) fn folds(loops: &LoopFunc, body: &[Stmt], nested: bool) -> HashMap<LocalId, Fold> {
    let mut found = HashMap::new();
    find(loops, body, body, nested, &mut found);
    found
}

fn find(loops: &LoopFunc, whole: &[Stmt], body: &[Stmt], nested: bool, found: &mut HashMap<LocalId, Fold>) {
    for (k, stmt) in body.iter().enumerate() {
        if let Stmt::For(l) = stmt
            && nested
            && !l.is_source()
        {
            find(loops, whole, &l.body, nested, found);
        }
        let Some(Stmt::Set { local: accumulator, value }) = body.get(k + 1) else { continue };
        if let Some((next, fold)) = fold(stmt, *accumulator, *value)
            && loops.ty(*accumulator).elem().is_float()
            && uses(whole, *accumulator) == 2
            && uses(whole, next) == 1
        {
            found.insert(next, fold);
        }
    }
}

fn fold(stmt: &Stmt, accumulator: LocalId, value: Operand) -> Option<(LocalId, Fold)> {
    let Stmt::Let { local: next, expr: Expr::Prim(prim, args) } = stmt else { return None };
    let &[a, b] = args.as_slice() else { return None };
    let acc = Operand::Local(accumulator);
    let is_fold = matches!(prim, Prim::Add | Prim::Mul | Prim::Min | Prim::Max)
        && value == Operand::Local(*next)
        && (a == acc) != (b == acc);
    let (term, leads) = if a == acc { (b, true) } else { (a, false) };
    is_fold.then_some((*next, Fold { prim: *prim, accumulator, term, leads }))
}

/// How often a local is read or set; more than any fold allows if that is unknown.
fn uses(stmts: &[Stmt], local: LocalId) -> usize {
    let is = |operand: &Operand| usize::from(*operand == Operand::Local(local));
    let all = |operands: &[Operand]| operands.iter().map(is).sum::<usize>();
    stmts
        .iter()
        .map(|stmt| match stmt {
            Stmt::Let { expr, .. } => match expr {
                Expr::Prim(_, args) => all(args),
                Expr::Copy(a) => is(a),
                Expr::BaseAddr(buffer) | Expr::Len(buffer) => usize::from(*buffer == local),
                Expr::Offset(address, offset) | Expr::Load(address, offset) => {
                    usize::from(*address == local) + is(offset)
                }
                Expr::Literal(_) => 0,
            },
            // Declared inside, it is no accumulator of the loop.
            Stmt::Var { local: declared, init } => 3 * usize::from(*declared == local) + init.as_ref().map_or(0, is),
            Stmt::Set { local: target, value } => usize::from(*target == local) + is(value),
            Stmt::Store { address, offset, value } => usize::from(*address == local) + is(offset) + is(value),
            Stmt::Check { args, .. } => all(args),
            Stmt::For(l) => {
                let steps: usize = l.inductions.iter().map(|i| is(&i.step)).sum();
                is(&l.extent) + steps + uses(&l.body, local)
            }
            Stmt::If { cond, then_body, else_body } => is(cond) + uses(then_body, local) + uses(else_body, local),
            // Such statements are in no vectorised loop.
            _ => 3,
        })
        .sum()
}
