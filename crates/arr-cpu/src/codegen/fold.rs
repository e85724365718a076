//! Reductions in wide loops: the terms are computed side by side, and combined one after the other.
//!
//! A loop that is a reduction carries one value from an iteration to the next, so its iterations are not independent. But
//! its terms are: where they are dear (a function of the runtime is called on them), they are computed in vectors, and
//! their elements are taken into the accumulator in the order of the plain loop. The result is the same to the bit.

use arr_ir::Prim;
use arr_loops::{Expr, LocalId, LoopFunc, Operand, Stmt};
use std::collections::HashMap;

/// `let next = prim acc, term; set acc = next`, where nothing else uses `acc` or `next`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    pub prim: Prim,
    pub accumulator: LocalId,
    pub term: Operand,
    /// Whether the accumulator is the first operand.
    pub leads: bool,
}

/// The folds of a loop's body, by the local that the combined value is bound to.
pub(super) fn folds(loops: &LoopFunc, body: &[Stmt]) -> HashMap<LocalId, Fold> {
    let mut found = HashMap::new();
    for pair in body.windows(2) {
        let [Stmt::Let { local: next, expr: Expr::Prim(prim, args) }, Stmt::Set { local: accumulator, value }] = pair
        else {
            continue;
        };
        let &[a, b] = args.as_slice() else { continue };
        let acc = Operand::Local(*accumulator);
        let is_fold = matches!(prim, Prim::Add | Prim::Mul | Prim::Min | Prim::Max)
            && *value == Operand::Local(*next)
            && (a == acc) != (b == acc)
            && loops.ty(*accumulator).elem().is_float()
            && uses(body, *accumulator) == 2
            && uses(body, *next) == 1;
        if is_fold {
            let (term, leads) = if a == acc { (b, true) } else { (a, false) };
            found.insert(*next, Fold { prim: *prim, accumulator: *accumulator, term, leads });
        }
    }
    found
}

/// How often a local is read or set; more than any fold allows where that is not known.
fn uses(stmts: &[Stmt], local: LocalId) -> usize {
    let is = |operand: &Operand| usize::from(*operand == Operand::Local(local));
    let all = |operands: &[Operand]| operands.iter().map(is).sum::<usize>();
    stmts
        .iter()
        .map(|stmt| match stmt {
            Stmt::Let { expr, .. } => match expr {
                Expr::Prim(_, args) => all(args),
                Expr::Copy(a) => is(a),
                Expr::Data(buffer) => usize::from(*buffer == local),
                Expr::Offset(address, offset) | Expr::Load(address, offset) => {
                    usize::from(*address == local) + is(offset)
                }
                Expr::Literal(_) => 0,
            },
            Stmt::Var { local: declared, init } => usize::from(*declared == local) + init.as_ref().map_or(0, is),
            Stmt::Set { local: target, value } => usize::from(*target == local) + is(value),
            Stmt::Store { address, offset, value } => usize::from(*address == local) + is(offset) + is(value),
            Stmt::Check { args, .. } => all(args),
            Stmt::For(l) => {
                let steps: usize = l.inductions.iter().map(|i| is(&i.step)).sum();
                is(&l.extent) + steps + uses(&l.body, local)
            }
            Stmt::If { cond, then_body, else_body } => is(cond) + uses(then_body, local) + uses(else_body, local),
            // Such statements are in no loop that is made wide.
            _ => 3,
        })
        .sum()
}
