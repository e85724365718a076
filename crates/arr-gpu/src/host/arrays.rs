//! Arrays: buffers of the device, their reference counts, and the limits on memory.

use super::{Entry, Machine, Result, at, internal};
use crate::GpuError;
use crate::data::width;
use crate::memory::{Block, Use};
use arr_base::RunErrorKind;
use arr_ir::{Array, Const, Scalar};
use arr_loops::{LocalId, Operand, SpanId, Ty};
use arr_wgsl::program::Part;
use std::sync::Arc;

/// A buffer of the program.
pub(super) struct Live {
    pub block: Arc<Block>,
    pub elem: Scalar,
    /// Elements, and their bytes on the device.
    pub len: u64,
    pub bytes: u64,
    pub count: u32,
    /// The array of the host with the same elements, for arguments and constants. The program did not allocate those.
    pub origin: Option<Arc<Array>>,
}

impl Machine<'_> {
    /// A buffer that the program did not make. It never frees it, and copies it instead of writing to it.
    pub(super) fn borrow(&mut self, block: Arc<Block>, array: &Arc<Array>) -> usize {
        let len = array.data.len() as u64;
        let elem = array.data.elem();
        let bytes = len * width(elem, self.program.integers);
        self.enter(Live { block, elem, len, bytes, count: 1, origin: Some(array.clone()) })
    }

    /// A row of its own: steps may ask for the size of an array that has been freed.
    fn enter(&mut self, live: Live) -> usize {
        self.buffers.push(live);
        self.buffers.len() - 1
    }

    pub(super) fn buffer(&self, local: LocalId) -> Result<usize> {
        match self.entry(local.into())? {
            Entry::Buffer(row) | Entry::Address(row, _) => Ok(row),
            _ => internal(format!("{} is not an array", self.name(local))),
        }
    }

    pub(super) fn live(&mut self, row: usize) -> Result<&mut Live> {
        self.buffers.get_mut(row).ok_or_else(|| GpuError::internal("an array that is not in the table"))
    }

    /// The elements under axes of these sizes: a negative size is an empty axis, which makes the array empty.
    fn count(&self, dims: &[Operand], span: SpanId) -> Result<u64> {
        let dims = self.ints(dims)?;
        if dims.iter().any(|&d| d <= 0) {
            return Ok(0);
        }
        match dims.iter().try_fold(1i64, |n, &d| n.checked_mul(d)) {
            Some(count) => Ok(count as u64),
            None => self.stop(RunErrorKind::OutOfMemory { bytes: i64::MAX, limit: i64::MAX }, span),
        }
    }

    pub(super) fn alloc(&mut self, local: LocalId, dims: &[Operand], span: SpanId) -> Result<usize> {
        let Ty::Buffer(elem) = self.program.func.ty(local) else { return internal("an array for a scalar") };
        let len = self.count(dims, span)?;
        let row = self.allocate(elem, len, span)?;
        self.set(local, Entry::Buffer(row))?;
        Ok(row)
    }

    fn allocate(&mut self, elem: Scalar, len: u64, span: SpanId) -> Result<usize> {
        let limit = self.limits.max_bytes.unwrap_or(u64::MAX);
        let bytes = len.saturating_mul(width(elem, self.program.integers));
        if self.in_use.saturating_add(bytes) > limit {
            let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            return self.stop(RunErrorKind::OutOfMemory { bytes: number(bytes), limit: number(limit) }, span);
        }
        let block = match self.free.get_mut(&crate::memory::size_class(bytes.max(16))).and_then(Vec::pop) {
            Some(block) => block,
            None => self.fresh(bytes).map_err(|e| at(e, self.span(span)))?,
        };
        self.in_use += bytes;
        self.stats.allocated_bytes += bytes;
        self.stats.peak_bytes = self.stats.peak_bytes.max(self.in_use);
        self.stats.allocations += 1;
        Ok(self.enter(Live { block, elem, len, bytes, count: 1, origin: None }))
    }

    /// A block of the device. If there is no memory left for it, freed blocks of the program are released.
    fn fresh(&mut self, bytes: u64) -> Result<Arc<Block>> {
        let device = &self.exe.device;
        match device.take(Use::Storage, bytes) {
            Err(GpuError::OutOfMemory { .. }) if !self.free.is_empty() => {
                self.recorder.submit(&mut self.stats);
                device.wait()?;
                self.free.clear();
                device.take(Use::Storage, bytes)
            }
            other => other,
        }
    }

    pub(super) fn whole(&mut self, row: usize) -> Result<(Arc<Block>, u64)> {
        self.live(row).map(|live| (live.block.clone(), live.bytes))
    }

    pub(super) fn make_unique(&mut self, local: LocalId, buffer: LocalId, span: SpanId) -> Result<()> {
        let row = self.buffer(buffer)?;
        let live = self.live(row)?;
        if live.count == 1 && live.origin.is_none() {
            return self.set(local, Entry::Buffer(row));
        }
        let (elem, len) = (live.elem, live.len);
        let copy = self.allocate(elem, len, span)?;
        let ((from, bytes), (to, _)) = (self.whole(row)?, self.whole(copy)?);
        self.recorder.copy(&from, 0, &to, 0, bytes);
        self.release(row)?;
        self.set(local, Entry::Buffer(copy))
    }

    /// A buffer with the elements of others, one after the other.
    pub(super) fn pack(&mut self, local: LocalId, parts: &[Part], span: SpanId) -> Result<()> {
        let elem = self.program.func.ty(local).elem();
        let mut len = 0;
        for part in parts {
            let row = self.buffer(part.buffer)?;
            let start = i64::try_from(len).map_err(|_| GpuError::internal("a pack without an end"))?;
            self.set(part.start, Entry::Scalar(Const::I64(start)))?;
            len += self.live(row)?.len;
        }
        let row = self.allocate(elem, len, span)?;
        self.set(local, Entry::Buffer(row))?;
        let (to, _) = self.whole(row)?;
        for part in parts {
            let at = self.part_bytes(part, elem)?;
            let row = self.buffer(part.buffer)?;
            let (from, bytes) = self.whole(row)?;
            self.recorder.copy(&from, 0, &to, at, bytes);
        }
        Ok(())
    }

    /// Copies parts of a pack back to their origins.
    pub(super) fn unpack(&mut self, local: LocalId, parts: &[Part]) -> Result<()> {
        let elem = self.program.func.ty(local).elem();
        let row = self.buffer(local)?;
        let (from, _) = self.whole(row)?;
        for part in parts {
            let at = self.part_bytes(part, elem)?;
            let row = self.buffer(part.buffer)?;
            let (to, bytes) = self.whole(row)?;
            self.recorder.copy(&from, at, &to, 0, bytes);
        }
        Ok(())
    }

    /// The position of a part in its pack, in bytes.
    fn part_bytes(&self, part: &Part, elem: Scalar) -> Result<u64> {
        let start = u64::try_from(self.int(part.start.into())?).unwrap_or_default();
        Ok(start * width(elem, self.program.integers))
    }

    pub(super) fn release(&mut self, row: usize) -> Result<()> {
        let live = self.live(row)?;
        live.count = live.count.checked_sub(1).ok_or_else(|| GpuError::internal("an array is freed twice"))?;
        if live.count > 0 {
            return Ok(());
        }
        let (block, bytes, owned) = (live.block.clone(), live.bytes, live.origin.is_none());
        if owned {
            self.in_use = self.in_use.saturating_sub(bytes);
            self.free.entry(block.size).or_default().push(block);
        }
        Ok(())
    }

    pub(super) fn check_shape(&mut self, buffer: LocalId, dims: &[Operand], span: SpanId) -> Result<()> {
        let expected = self.count(dims, span)?;
        let row = self.buffer(buffer)?;
        let found = self.live(row)?.len;
        if found == expected {
            return Ok(());
        }
        self.stop(RunErrorKind::SizeAssertion { found: found as i64, expected: expected as i64 }, span)
    }
}
