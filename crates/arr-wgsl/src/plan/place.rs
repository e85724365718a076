//! The placement of locals: on the host, or in a slot of the device.
//!
//! A scalar is the device's if it depends on elements of buffers, or if a kernel changes it. Scalars that control the
//! host (an extent of a buffer or of a kernel, a branch around kernels) must be known to it: such a scalar is *fetched*
//! where it is bound, and values computed from it are the host's again.

use crate::walk::{Use, own_uses, uses};
use arr_loops::{Expr, For, LocalId, LoopFunc, Operand, Stmt, Ty, for_each_chunked_stmt};
use std::collections::HashSet;

#[derive(Debug, Default)]
pub(crate) struct Placement {
    /// Scalars, and offsets of addresses, that kernels compute.
    device: HashSet<LocalId>,
    /// Of these, the immutable ones that the host fetches.
    fetched: HashSet<LocalId>,
    /// References, which are the host's.
    buffers: HashSet<LocalId>,
}

impl Placement {
    pub fn find(func: &LoopFunc, body: &[Stmt]) -> Placement {
        let buffers =
            func.locals.iter().filter(|(_, info)| matches!(info.ty, Ty::Buffer(_))).map(|(id, _)| id).collect();
        let mut placement = Placement { buffers, ..Placement::default() };
        loop {
            let mut device = placement.device.len();
            placement.block(body);
            while device != placement.device.len() {
                device = placement.device.len();
                placement.block(body);
            }
            let mut wanted = HashSet::new();
            placement.wanted(body, &mut wanted);
            wanted.extend(func.outputs.iter().flat_map(|o| &o.dims).filter_map(|&o| local_of(o)));
            wanted.retain(|&l| placement.is_device(l) && !func.locals[l].mutable);
            if wanted.is_empty() {
                return placement;
            }
            // Values computed from these may now be the host's.
            placement.fetched.extend(wanted);
            placement.device.clear();
        }
    }

    /// Whether a scalar is in a slot, and unknown to the host.
    pub fn is_device(&self, local: LocalId) -> bool {
        self.device.contains(&local) && !self.fetched.contains(&local)
    }

    pub fn on_device(&self, operand: Operand) -> bool {
        local_of(operand).is_some_and(|local| self.is_device(local))
    }

    /// Whether a kernel computes a scalar, whoever else knows it.
    pub fn is_computed(&self, local: LocalId) -> bool {
        self.device.contains(&local)
    }

    /// Whether a kernel computes a scalar that the host must fetch.
    pub fn is_fetched(&self, local: LocalId) -> bool {
        self.device.contains(&local) && self.fetched.contains(&local)
    }

    /// Whether a statement with blocks at the host's level is the device's: scalar code that reads or writes elements
    /// or scalars of the device.
    pub fn is_serial(&self, stmt: &Stmt) -> bool {
        if !self.is_scalar_code(stmt) {
            return false;
        }
        let mut touches = false;
        for_each_chunked_stmt(std::slice::from_ref(stmt), &mut |inner| {
            touches |= matches!(inner, Stmt::Store { .. } | Stmt::Let { expr: Expr::Load(..), .. });
            own_uses(inner, &mut |used| match used {
                Use::Read(local) | Use::Set(local) => touches |= self.is_device(local),
                Use::Bind(_) => {}
            });
        });
        touches
    }

    fn mark(&mut self, local: LocalId) {
        if !self.buffers.contains(&local) {
            self.device.insert(local);
        }
    }

    fn mark_all(&mut self, stmt: &Stmt) {
        let mut found = Vec::new();
        uses(std::slice::from_ref(stmt), &mut |used| {
            if let Use::Bind(local) | Use::Set(local) = used {
                found.push(local);
            }
        });
        found.into_iter().for_each(|local| self.mark(local));
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let { local, expr } => {
                    let loads = matches!(expr, Expr::Load(..));
                    if loads || expr.operands().into_iter().any(|o| self.on_device(o)) {
                        self.mark(*local);
                    }
                }
                Stmt::Var { local, init } if init.is_some_and(|o| self.on_device(o)) => self.mark(*local),
                Stmt::Set { local, value } if self.on_device(*value) => self.mark(*local),
                Stmt::For(l) if l.scan.is_some() => self.mark_scan(l),
                Stmt::For(l) if l.parallel.is_some() => self.mark_all(stmt),
                Stmt::For(_) | Stmt::While(_) | Stmt::If { .. } if self.is_serial(stmt) => self.mark_all(stmt),
                Stmt::For(_) | Stmt::While(_) | Stmt::If { .. } => {
                    stmt.chunked_blocks().into_iter().for_each(|block| self.block(block));
                }
                _ => {}
            }
        }
    }

    fn mark_scan(&mut self, l: &For) {
        let Some(scan) = &l.scan else { return };
        self.block(&scan.before);
        for block in [&scan.summary, &scan.advance, &scan.body] {
            block.iter().for_each(|stmt| self.mark_all(stmt));
        }
        for state in &scan.states {
            self.mark(state.local);
            self.mark(state.entry);
        }
        scan.parts.iter().for_each(|part| self.mark(part.local));
        self.mark(l.index);
        l.inductions.iter().for_each(|i| self.mark(i.local));
        self.block(&scan.after);
    }

    /// The locals that the host's actions depend on.
    fn wanted(&self, stmts: &[Stmt], wanted: &mut HashSet<LocalId>) {
        for stmt in stmts {
            match stmt {
                Stmt::Alloc { dims, .. } | Stmt::CheckShape { dims, .. } => {
                    wanted.extend(dims.iter().filter_map(|&o| local_of(o)));
                }
                Stmt::Argsort { length, .. } => wanted.extend(local_of(*length)),
                Stmt::MatMul(product) => {
                    wanted.extend(product.operands().into_iter().filter_map(local_of));
                }
                Stmt::For(_) | Stmt::While(_) | Stmt::If { .. } if self.is_serial(stmt) => {}
                Stmt::For(l) => {
                    wanted.extend(local_of(l.extent));
                    wanted.extend(l.inductions.iter().filter_map(|i| local_of(i.step)));
                    match &l.scan {
                        Some(scan) => [&scan.before, &scan.after].into_iter().for_each(|b| self.wanted(b, wanted)),
                        None if l.parallel.is_none() => self.wanted(&l.body, wanted),
                        None => {}
                    }
                }
                Stmt::While(l) => {
                    wanted.extend(local_of(l.cond));
                    self.wanted(&l.head, wanted);
                    self.wanted(&l.body, wanted);
                }
                Stmt::If { cond, then_body, else_body } => {
                    wanted.extend(local_of(*cond));
                    self.wanted(then_body, wanted);
                    self.wanted(else_body, wanted);
                }
                _ => {}
            }
        }
    }

    /// Whether a statement can be part of a kernel unchanged: it manages no memory and holds no loop worth a kernel of
    /// its own.
    fn is_scalar_code(&self, stmt: &Stmt) -> bool {
        let mut scalar = true;
        for_each_chunked_stmt(std::slice::from_ref(stmt), &mut |inner| {
            scalar &= match inner {
                Stmt::Let { local, expr } => !matches!(expr, Expr::Literal(_)) && !self.buffers.contains(local),
                Stmt::For(l) => l.parallel.is_none() && l.scan.is_none(),
                Stmt::Var { local, .. } | Stmt::Set { local, .. } => !self.buffers.contains(local),
                Stmt::Store { .. } | Stmt::Check { .. } | Stmt::While(_) | Stmt::If { .. } => true,
                Stmt::Alloc { .. }
                | Stmt::MakeUnique { .. }
                | Stmt::Retain(_)
                | Stmt::Release(_)
                | Stmt::CheckShape { .. }
                | Stmt::Argsort { .. }
                | Stmt::Trace { .. }
                | Stmt::MatMul(_) => false,
            };
        });
        scalar
    }
}

pub(crate) fn local_of(operand: Operand) -> Option<LocalId> {
    match operand {
        Operand::Local(local) => Some(local),
        Operand::Const(_) => None,
    }
}
