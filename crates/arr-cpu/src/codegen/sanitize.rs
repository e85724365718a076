//! Sanitized code: every access is checked against its buffer.
//!
//! An address comes from a buffer by `BaseAddr` and `Offset`, so the buffer is known wherever the address is; its
//! header has its length and liveness. Plain and vector accesses are checked where they are made, vectors from their
//! first byte to their last. Before a kernel is called, the evaluator of vector programs runs it without storing
//! anything (`crate::sanitize`). The runtime checks the ranges of the operands of matrix products.
//!
//! A captured address takes its buffer along into the function of a parallel loop: two more slots of the environment, after
//! all captured locals.

use super::kernel::Translation;
use super::outline::CAPTURED;
use super::{Codegen, Result, Slot, internal, row, slot_offset, trusted};
use crate::sanitize::CheckedKernel;
use arr_base::Id;
use arr_loops::{Expr, LocalId, MatMul, Operand, SpanId, Ty};
use arr_runtime::{FailureCode, PLACE_WORDS, offsets};
use arr_x86::Kernel;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, StackSlot, StackSlotData, StackSlotKind, Value, types};
use cranelift_module::Module;

/// The valid range of an address.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub buffer: LocalId,
    /// The buffer.
    pub header: Value,
    /// The address of its first element; in a chunk that adds to a copy, of the copy's.
    pub low: Value,
}

/// The row for no position in the program.
pub(super) fn nowhere() -> SpanId {
    SpanId::from_index(0)
}

impl Codegen<'_, '_> {
    /// Records the buffer of an address that has just been bound.
    pub(super) fn note_extent(&mut self, local: LocalId, expr: &Expr) -> Result<()> {
        if !self.flags.sanitize || !matches!(self.loops.ty(local), Ty::Address(_)) {
            return Ok(());
        }
        match expr {
            Expr::BaseAddr(buffer) => {
                let (header, low) = (self.local(*buffer)?, self.local(local)?);
                self.extents.insert(local, Extent { buffer: *buffer, header, low });
                Ok(())
            }
            Expr::Offset(from, _) | Expr::Copy(Operand::Local(from)) => self.inherit_extent(local, *from),
            _ => Err(internal("an address that comes from no buffer")),
        }
    }

    /// An address points into the buffer of another.
    pub(super) fn inherit_extent(&mut self, local: LocalId, from: LocalId) -> Result<()> {
        if self.flags.sanitize {
            let extent = self.extent(from)?;
            self.extents.insert(local, extent);
        }
        Ok(())
    }

    fn extent(&self, address: LocalId) -> Result<Extent> {
        let name = &self.loops.locals[address].name;
        self.extents.get(&address).copied().ok_or_else(|| internal(format!("{name} is an address into no buffer")))
    }

    /// Fails unless the bytes from `at` on, accessed through `address`, are in its buffer.
    pub(super) fn check_access(&mut self, address: LocalId, at: Value, bytes: i64) -> Result<()> {
        if !self.flags.sanitize {
            return Ok(());
        }
        let Extent { buffer, header, low } = self.extent(address)?;
        self.check_alive(buffer, header)?;
        let width = self.loops.ty(address).elem().bytes() as i64;
        let len = self.length_of(header);
        let all = self.b.ins().imul_imm_s(len, width);
        let last = self.b.ins().iadd_imm_s(all, -bytes);
        let distance = self.b.ins().isub(at, low);
        // As unsigned numbers, negative distances are larger than every buffer.
        let beyond = self.b.ins().icmp(IntCC::UnsignedGreaterThan, distance, last);
        let short = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, last, 0);
        let outside = self.b.ins().bor(beyond, short);
        let offset = self.b.ins().sshr_imm_u(distance, i64::from(width.trailing_zeros()));
        // Of a vector that begins inside, the first element outside.
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, offset, len);
        let told = self.b.ins().select(inside, len, offset);
        let name = self.int(row(buffer));
        self.fail_if(outside, FailureCode::Outside, self.here, &[name, told, len])
    }

    /// Fails unless a buffer has references.
    pub(super) fn check_alive(&mut self, buffer: LocalId, header: Value) -> Result<()> {
        if !self.flags.sanitize {
            return Ok(());
        }
        let count = self.b.ins().load(types::I64, trusted(), header, offsets::BUFFER_REFS as i32);
        let dead = self.b.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, count, 0);
        let name = self.int(row(buffer));
        self.fail_if(dead, FailureCode::Released, self.here, &[name])
    }

    /// Fails unless both buffers of a sort are alive and equally long.
    pub(super) fn check_sort(&mut self, into: LocalId, keys: LocalId) -> Result<()> {
        if !self.flags.sanitize {
            return Ok(());
        }
        let [to, from] = [self.local(into)?, self.local(keys)?];
        self.check_alive(into, to)?;
        self.check_alive(keys, from)?;
        let [to, from] = [to, from].map(|header| self.length_of(header));
        let differ = self.b.ins().icmp(IntCC::NotEqual, to, from);
        let name = self.int(row(into));
        self.fail_if(differ, FailureCode::Outside, self.here, &[name, from, to])
    }

    /// Calls the runtime to check the operands of a matrix product, whose axes have been written.
    pub(super) fn check_product(&mut self, product: &MatMul, axes: Value, count: Value) -> Result<()> {
        if !self.flags.sanitize {
            return Ok(());
        }
        let slot = self.words(3 * PLACE_WORDS)?;
        let pointer = self.module.target_config().pointer_type();
        for (k, local) in [product.into, product.left, product.right].into_iter().enumerate() {
            let Extent { buffer, header, low } = self.extent(local)?;
            let words = [header, low, self.local(local)?, self.int(row(buffer))];
            for (i, word) in words.into_iter().enumerate() {
                self.b.ins().stack_store(pointer, word, slot, slot_offset(PLACE_WORDS * k + i)?);
            }
        }
        let places = self.b.ins().stack_addr(pointer, slot, 0);
        let width = self.int(self.loops.ty(product.into).elem().bytes() as i64);
        let span = self.int(row(self.here));
        let args = [self.context, axes, count, places, width, span];
        let fits = self.call("arr_sanitize_product", &args, types::I64)?;
        self.give_up_if_zero(fits);
        Ok(())
    }

    /// Calls the evaluator to check every access of a kernel whose environment has been written: the operands are in
    /// the next slots.
    pub(super) fn check_kernel(
        &mut self,
        translation: &Translation<'_>,
        kernel: &Kernel,
        env: StackSlot,
        fixed: usize,
    ) -> Result<()> {
        if !self.flags.sanitize {
            return Ok(());
        }
        let slots = fixed + translation.env.len();
        let pointer = self.module.target_config().pointer_type();
        let extents = self.words(2 * slots)?;
        let mut buffers = vec![None; slots];
        for (k, &operand) in translation.env.iter().enumerate() {
            let Operand::Local(local) = operand else { continue };
            if !matches!(self.loops.ty(local), Ty::Address(_)) {
                continue;
            }
            let Extent { buffer, header, low } = self.extent(local)?;
            self.b.ins().stack_store(pointer, header, extents, slot_offset(2 * (fixed + k))?);
            self.b.ins().stack_store(pointer, low, extents, slot_offset(2 * (fixed + k) + 1)?);
            buffers.get_mut(fixed + k).into_iter().for_each(|place| *place = Some(buffer));
        }
        let program = translation.program.kept();
        let check = Box::new(CheckedKernel { program, kernel: kernel.clone(), buffers });
        let address = self.int(std::ptr::from_ref(check.as_ref()).expose_provenance() as i64);
        self.checked.push(check);
        let [env, extents] = [env, extents].map(|slot| self.b.ins().stack_addr(pointer, slot, 0));
        let span = self.int(row(self.here));
        let fits = self.call("arr_sanitize_kernel", &[self.context, address, env, extents, span], types::I64)?;
        self.give_up_if_zero(fits);
        Ok(())
    }

    fn words(&mut self, count: usize) -> Result<StackSlot> {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, slot_offset(count)? as u32, 3);
        Ok(self.b.create_sized_stack_slot(data))
    }

    // Environments.

    /// The slots that captured locals take in an environment.
    pub(super) fn captured_slots(&self, captured: &[LocalId]) -> usize {
        let addresses = if self.flags.sanitize { self.addresses(captured).len() } else { 0 };
        captured.len() + 2 * addresses
    }

    fn addresses(&self, captured: &[LocalId]) -> Vec<LocalId> {
        captured.iter().copied().filter(|&local| matches!(self.loops.ty(local), Ty::Address(_))).collect()
    }

    /// Writes the buffers of captured addresses behind the captured locals.
    pub(super) fn store_extents(&mut self, captured: &[LocalId], env: Value) -> Result<()> {
        if !self.flags.sanitize {
            return Ok(());
        }
        let mut at = CAPTURED + captured.len();
        for local in self.addresses(captured) {
            let Extent { header, low, .. } = self.extent(local)?;
            self.b.ins().store(trusted(), header, env, slot_offset(at)?);
            self.b.ins().store(trusted(), low, env, slot_offset(at + 1)?);
            at += 2;
        }
        Ok(())
    }

    pub(super) fn load_extents(&mut self, captured: &[LocalId], env: Value) -> Result<()> {
        if !self.flags.sanitize {
            return Ok(());
        }
        let pointer = self.module.target_config().pointer_type();
        let mut at = CAPTURED + captured.len();
        for local in self.addresses(captured) {
            let header = self.b.ins().load(pointer, trusted(), env, slot_offset(at)?);
            let low = self.b.ins().load(pointer, trusted(), env, slot_offset(at + 1)?);
            let buffer = self.roots.get(&local).copied().unwrap_or(local);
            self.extents.insert(local, Extent { buffer, header, low });
            at += 2;
        }
        Ok(())
    }

    /// The array that is added to may be a chunk's own copy.
    pub(super) fn rebase_extent(&mut self, data: LocalId) {
        if let (Some(extent), Slot::Value(low)) = (self.extents.get_mut(&data), self.slots[data]) {
            extent.low = low;
        }
    }
}
