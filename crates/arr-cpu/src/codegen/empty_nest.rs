//! Skips whole nests of loops in which an inner loop has no iterations.
//!
//! ```text
//! for i < h {                      if w > 0 {
//!   for j < w { store .. }    =>     for i < h { for j < w { store .. } }
//! }                                }
//! ```
//!
//! An array of 2^62 empty rows has no elements, and takes no time. If an iteration of the outer loop contains more than
//! its inner loop, such as a row's sum, the nest does not change. The loop IR has handled constant extents.

use super::{Codegen, Result, Slot};
use arr_loops::{For, LocalId, inner_extents};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

impl Codegen<'_, '_> {
    /// Emits a loop behind a test that the loops which it consists of have iterations.
    pub(super) fn unless_empty(&mut self, l: &For, emit: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let mut extents = inner_extents(l);
        extents.retain(|extent| !self.not_empty.contains(extent));
        let Some(any) = self.all_positive(&extents)? else { return emit(self) };
        let (run, exit) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(any, run, &[], exit, &[]);
        self.b.switch_to_block(run);
        self.b.seal_block(run);
        let asked = self.not_empty.len();
        // An extent that is set again may differ further inside.
        extents.retain(|extent| matches!(self.slots[*extent], Slot::Value(_)));
        self.not_empty.extend(extents);
        emit(self)?;
        self.not_empty.truncate(asked);
        self.b.ins().jump(exit, &[]);
        self.b.switch_to_block(exit);
        self.b.seal_block(exit);
        Ok(())
    }

    /// Whether all extents are positive; `None` if there are none.
    fn all_positive(&mut self, extents: &[LocalId]) -> Result<Option<Value>> {
        let mut all = None;
        for &extent in extents {
            let extent = self.operand(extent.into())?;
            let positive = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, extent, 0);
            all = Some(match all {
                Some(others) => self.b.ins().band(others, positive),
                None => positive,
            });
        }
        Ok(all)
    }
}
