//! The interface of a kernel to its outside: its parameters, slots and buffers.

use crate::builder::Builder;
use crate::plan::Placement;
use crate::program::{Access, Binding, Kernel};
use crate::walk::{Use, own_uses};
use arr_loops::{Expr, LocalId, Operand, Stmt, Ty, for_each_chunked_stmt};
use std::collections::HashSet;

#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// Scalars and offsets that the host knows.
    pub params: Vec<LocalId>,
    /// Scalars and offsets in slots.
    pub slots: Vec<LocalId>,
    pub buffers: Vec<Binding>,
    /// Mutable scalars from outside that are changed.
    pub changed: Vec<LocalId>,
    /// Bound in the kernel.
    pub bound: HashSet<LocalId>,
    /// Whether it can stop, or must not run after another has stopped.
    pub faults: bool,
}

/// Finds what statements need, and additional operands of the kernel. `bound` are locals that the kernel binds around
/// the statements.
pub(crate) fn find(
    b: &Builder<'_>,
    placement: &Placement,
    stmts: &[Stmt],
    operands: &[Operand],
    bound: &[LocalId],
) -> Needs {
    let mut needs = Needs { bound: bound.iter().copied().collect(), ..Needs::default() };
    for_each_chunked_stmt(stmts, &mut |stmt| own_uses(stmt, &mut |used| needs.bind(used)));
    for &operand in operands {
        if let Operand::Local(local) = operand {
            needs.read(b, placement, local);
        }
    }
    needs.faults |= bound.iter().any(|&local| b.ranges.is_checked(local));
    for_each_chunked_stmt(stmts, &mut |stmt| {
        needs.memory(b, stmt);
        own_uses(stmt, &mut |used| match used {
            Use::Read(local) => needs.read(b, placement, local),
            Use::Set(local) if !needs.bound.contains(&local) => {
                if !needs.changed.contains(&local) {
                    needs.changed.push(local);
                }
                needs.read(b, placement, local);
            }
            Use::Set(_) | Use::Bind(_) => {}
        });
    });
    needs
}

impl Needs {
    /// Makes a kernel bind all of this.
    pub fn give(&self, kernel: &mut Kernel) {
        kernel.params = self.params.clone();
        kernel.slots = !self.slots.is_empty() || !self.changed.is_empty();
        kernel.faults = self.faults;
        kernel.buffers = self.buffers.clone();
    }

    /// Changed scalars are in slots, even if the host knows them before and after.
    pub fn hold_changed(&mut self) {
        for &local in &self.changed {
            self.params.retain(|&param| param != local);
            if !self.slots.contains(&local) {
                self.slots.push(local);
            }
        }
    }

    fn bind(&mut self, used: Use) {
        if let Use::Bind(local) = used {
            self.bound.insert(local);
        }
    }

    fn read(&mut self, b: &Builder<'_>, placement: &Placement, local: LocalId) {
        if self.bound.contains(&local) {
            return;
        }
        match b.func.ty(local) {
            Ty::Buffer(_) => return,
            Ty::Address(_) if b.is_start(local) => return,
            Ty::Address(_) | Ty::Scalar(_) => {}
        }
        let list = if placement.is_device(local) { &mut self.slots } else { &mut self.params };
        if !list.contains(&local) {
            list.push(local);
        }
    }

    fn memory(&mut self, b: &Builder<'_>, stmt: &Stmt) {
        self.faults |= b.ranges.may_stop(stmt);
        match stmt {
            Stmt::Let { expr: Expr::Load(address, _), .. } => self.buffer(b, *address, Access::Read),
            Stmt::Store { address, .. } => self.buffer(b, *address, Access::ReadWrite),
            // A loop whose length depends on data ends only if the data are sound.
            Stmt::Check { .. } | Stmt::While(_) => self.faults = true,
            Stmt::For(l) if l.is_source() && b.options.count_steps => self.faults = true,
            _ => {}
        }
    }

    pub fn buffer(&mut self, b: &Builder<'_>, address: LocalId, access: Access) {
        let buffer = b.root(address);
        match self.buffers.iter_mut().find(|binding| binding.buffer == buffer) {
            Some(binding) if access == Access::ReadWrite => binding.access = access,
            Some(_) => {}
            None => self.buffers.push(Binding { buffer, elem: b.func.ty(buffer).elem(), access }),
        }
    }
}
