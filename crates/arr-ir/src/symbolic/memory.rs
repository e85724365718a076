//! Arrays and their owners, and the memory in use.

use super::Count;
use super::machine::Machine;
use crate::Scalar;
use crate::interp::plan::Arg;
use rustc_hash::FxHashMap;

/// An array: its size, and how many slots and others hold it.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    bytes: Count,
    pub elements: Count,
    owners: u32,
}

/// What memory holds.
#[derive(Clone, Default)]
pub(super) struct Memory {
    pub slots: FxHashMap<usize, usize>,
    pub buffers: Vec<Buffer>,
    pub live: Count,
}

impl Machine<'_> {
    pub(super) fn buffer(&mut self, bytes: Count, elements: Count, owners: u32) -> usize {
        self.memory.buffers.push(Buffer { bytes, elements, owners });
        self.memory.buffers.len() - 1
    }

    pub(super) fn allocate(&mut self, elem: Scalar, elements: Count) -> usize {
        let bytes = elements.scaled(elem.bytes() as i128, 1);
        self.charge(|work| work.allocated = work.allocated.add(&bytes));
        self.memory.live = self.memory.live.add(&bytes);
        let live = self.memory.live.clone();
        self.peak(live);
        self.buffer(bytes, elements, 1)
    }

    pub(super) fn peak(&mut self, live: Count) {
        if !self.peaks.iter().any(|peak| peak.dominates(&live)) {
            self.peaks.retain(|peak| !live.dominates(peak));
            self.peaks.push(live);
        }
    }

    pub(super) fn drop_owner(&mut self, buffer: usize) {
        let Some(buffer) = self.memory.buffers.get_mut(buffer) else { return };
        buffer.owners = buffer.owners.saturating_sub(1);
        if buffer.owners == 0 {
            self.memory.live = self.memory.live.sub(&buffer.bytes);
        }
    }

    pub(super) fn clear(&mut self, slot: usize) {
        if let Some(old) = self.memory.slots.remove(&slot) {
            self.drop_owner(old);
        }
    }

    pub(super) fn set(&mut self, slot: usize, buffer: Option<usize>) {
        self.clear(slot);
        if self.depth > 0 {
            self.varying.insert(slot);
        }
        if let Some(buffer) = buffer {
            self.memory.slots.insert(slot, buffer);
        }
    }

    /// The array of an operand, held once more, or moved out of its slot; `None` for a scalar.
    pub(super) fn value(&mut self, arg: Arg) -> Option<usize> {
        match arg {
            Arg::Const(_) => None,
            Arg::Take(slot) => self.memory.slots.remove(&slot),
            Arg::Slot(slot) => {
                let buffer = *self.memory.slots.get(&slot)?;
                self.memory.buffers.get_mut(buffer)?.owners += 1;
                Some(buffer)
            }
        }
    }

    /// An array that nothing else holds: itself, or a copy.
    pub(super) fn unique(&mut self, buffer: usize, elem: Scalar) -> usize {
        let Some(Buffer { owners, elements, .. }) = self.memory.buffers.get(buffer).cloned() else { return buffer };
        if owners < 2 {
            return buffer;
        }
        let copy = self.allocate(elem, elements);
        self.drop_owner(buffer);
        copy
    }

    /// Moves values into slots, all at the same time.
    pub(super) fn advance(&mut self, from: &[Arg], to: &[usize]) {
        let values: Vec<Option<usize>> = from.iter().map(|&arg| self.value(arg)).collect();
        for (&slot, value) in to.iter().zip(values) {
            self.set(slot, value);
        }
    }
}
