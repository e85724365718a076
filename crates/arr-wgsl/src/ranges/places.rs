//! Finds integers that are only parts of addresses.

use crate::walk::{Use, own_uses};
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, For, LocalId, LoopFunc, Operand, Stmt, Ty, for_each_chunked_stmt};
use std::collections::{HashMap, HashSet};

/// The integers that are only parts of addresses.
pub(super) fn places(func: &LoopFunc, body: &[Stmt]) -> HashSet<LocalId> {
    let mut users = Users { func, users: HashMap::new(), bound: HashSet::new() };
    for_each_chunked_stmt(body, &mut |stmt| users.stmt(stmt));
    for output in &func.outputs {
        output.dims.iter().chain([&output.value]).for_each(|&o| users.add(o, None));
    }
    let Users { users, mut bound, .. } = users;
    loop {
        let is_exact = |local: &LocalId| {
            let by = users.get(local).map(Vec::as_slice).unwrap_or_default();
            by.iter().any(|by| by.is_none_or(|by| !bound.contains(&by)))
        };
        let exact: Vec<LocalId> = bound.iter().copied().filter(is_exact).collect();
        if exact.is_empty() {
            return bound;
        }
        exact.iter().for_each(|local| {
            bound.remove(local);
        });
    }
}

/// Whether wrapping arithmetic gives the right result of this if operands that have wrapped are right.
fn wraps(prim: Prim) -> bool {
    matches!(prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg)
}

/// The uses of a function's integers.
struct Users<'f> {
    func: &'f LoopFunc,
    /// By the locals that they bind: `None` is a use outside wrapping arithmetic.
    users: HashMap<LocalId, Vec<Option<LocalId>>>,
    /// The results of wrapping arithmetic.
    bound: HashSet<LocalId>,
}

impl Users<'_> {
    fn add(&mut self, operand: Operand, by: Option<LocalId>) {
        if let Operand::Local(local) = operand {
            self.users.entry(local).or_default().push(by);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { local, expr } => self.bind(*local, expr),
            Stmt::Store { value, .. } => self.add(*value, None),
            Stmt::For(l) => self.for_loop(l),
            stmt => own_uses(stmt, &mut |used| {
                if let Use::Read(local) = used {
                    self.add(local.into(), None);
                }
            }),
        }
    }

    fn bind(&mut self, local: LocalId, expr: &Expr) {
        let scalar = self.func.ty(local) == Ty::Scalar(Scalar::I64);
        let args = match expr {
            Expr::Prim(_, args) => args.as_slice(),
            Expr::Copy(a) => std::slice::from_ref(a),
            // The position in a buffer.
            Expr::Offset(..) | Expr::Load(..) | Expr::BaseAddr(_) | Expr::Len(_) | Expr::Literal(_) => &[],
        };
        let may_wrap = match expr {
            Expr::Prim(prim, _) => wraps(*prim),
            _ => matches!(expr, Expr::Copy(_)),
        };
        let by = (scalar && may_wrap).then_some(local);
        self.bound.extend(by);
        args.iter().for_each(|&a| self.add(a, by));
    }

    fn for_loop(&mut self, l: &For) {
        for induction in &l.inductions {
            self.bound.insert(induction.local);
            self.add(l.index.into(), Some(induction.local));
            self.add(induction.step, Some(induction.local));
        }
        self.add(l.extent, None);
        if let Some(scan) = &l.scan {
            scan.states.iter().for_each(|state| self.add(state.next, None));
            scan.sound.into_iter().for_each(|o| self.add(o, None));
        }
    }
}
