//! The conditions under which values are used.

use crate::walk::{Use, own_uses};
use arr_ir::Prim;
use arr_loops::{Expr, LocalId, LoopFunc, Operand, Stmt};
use std::collections::HashMap;

/// Scalars, and their required values.
pub(super) type Conditions = Vec<(LocalId, bool)>;

/// The conditions that hold wherever a local is used, directly or through operators, of those that are bound before it:
/// branches that it is used in, and operands of `select`.
pub(super) fn wanted(func: &LoopFunc, body: &[Stmt]) -> HashMap<LocalId, Conditions> {
    let mut readers =
        Readers { func, path: Vec::new(), bound: Vec::new(), order: HashMap::new(), uses: HashMap::new() };
    readers.block(body);
    let Readers { bound, order, mut uses, .. } = readers;
    let mut wanted: HashMap<LocalId, Conditions> = HashMap::new();
    // The users of a local come after it.
    for (local, around) in bound.into_iter().rev() {
        let mut common: Option<Conditions> = None;
        for (mut conditions, by) in uses.remove(&local).unwrap_or_default() {
            conditions.extend(by.and_then(|by| wanted.get(&by)).into_iter().flatten());
            match &mut common {
                Some(common) => common.retain(|condition| conditions.contains(condition)),
                None => common = Some(conditions),
            }
        }
        let mut conditions = common.unwrap_or_default();
        conditions.retain(|condition| order.get(&condition.0) < order.get(&local) && !around.contains(condition));
        if !conditions.is_empty() {
            wanted.insert(local, conditions);
        }
    }
    wanted
}

/// The readers of the locals that statements bind, and their conditions.
struct Readers<'f> {
    func: &'f LoopFunc,
    path: Conditions,
    /// With the conditions around them.
    bound: Vec<(LocalId, Conditions)>,
    order: HashMap<LocalId, usize>,
    uses: HashMap<LocalId, Vec<(Conditions, Option<LocalId>)>>,
}

impl Readers<'_> {
    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
            match stmt {
                Stmt::If { cond: Operand::Local(cond), then_body, else_body } if !self.func.locals[*cond].mutable => {
                    for (block, value) in [(then_body, true), (else_body, false)] {
                        self.path.push((*cond, value));
                        self.block(block);
                        self.path.pop();
                    }
                }
                _ => stmt.chunked_blocks().into_iter().for_each(|block| self.block(block)),
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Let { local, expr: Expr::Prim(prim, args) } = stmt {
            for (k, &arg) in args.iter().enumerate() {
                let mut conditions = self.path.clone();
                if let (Prim::Select, [Operand::Local(cond), ..], 1 | 2) = (prim, args.as_slice(), k)
                    && !self.func.locals[*cond].mutable
                {
                    conditions.push((*cond, k == 1));
                }
                if let Operand::Local(arg) = arg {
                    self.uses.entry(arg).or_default().push((conditions, Some(*local)));
                }
            }
            self.order.insert(*local, self.order.len());
            self.bound.push((*local, self.path.clone()));
            return;
        }
        own_uses(stmt, &mut |used| match used {
            Use::Read(local) => self.uses.entry(local).or_default().push((self.path.clone(), None)),
            Use::Bind(local) => {
                let at = self.order.len();
                self.order.entry(local).or_insert(at);
            }
            Use::Set(_) => {}
        });
    }
}
