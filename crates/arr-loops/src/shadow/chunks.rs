//! Parallel loops and scans, in order or in chunks.

use super::{Const, Done, For, Frame, Machine, ScanState, ShadowFault, Slot, malformed};
use crate::{Parallel, Scan};
use arr_ir::Prim;
use std::ops::Range;

impl Machine<'_> {
    /// The chunks of a loop: one, unless several are requested and no outer loop has any.
    fn chunks_of(&self, extent: i64) -> Vec<Range<i64>> {
        let most = if self.in_chunks { 1 } else { i64::try_from(self.options.chunks).unwrap_or(1) };
        let count = most.clamp(1, extent.max(1));
        (0..count).map(|k| extent * k / count..extent * (k + 1) / count).collect()
    }

    pub(super) fn parallel(&mut self, l: &For, parallel: &Parallel, extent: i64) -> Done {
        let chunks = self.chunks_of(extent);
        let around = std::mem::replace(&mut self.in_chunks, true);
        self.memory.frames.push(Frame::new(l.index, parallel.added.iter().map(|a| a.data).collect()));
        let done = chunks.into_iter().enumerate().try_for_each(|(k, range)| {
            if k == 0 { self.iterations(l, &l.body, range) } else { self.later_chunk(l, parallel, range) }
        });
        self.memory.frames.pop();
        self.in_chunks = around;
        done
    }

    /// A chunk after the first: with partial results and copies of its own, which are then combined with the earlier
    /// ones.
    fn later_chunk(&mut self, l: &For, parallel: &Parallel, range: Range<i64>) -> Done {
        let before = parallel.partials.iter().map(|p| self.slot(p.local.into())).collect::<Done<Vec<Slot>>>()?;
        for partial in &parallel.partials {
            self.bind(partial.local, Slot::Scalar(partial.init, false));
        }
        let mut copies = Vec::new();
        for added in &parallel.added {
            let Slot::Address(data) = self.slot(added.data.into())? else { return malformed("what is added to") };
            let copy = self.memory.zeros_like(data.block, added.buffer);
            self.bind(added.data, Slot::Address(super::Address { block: copy, ..data }));
            copies.push((added.data, data, copy));
        }
        self.iterations(l, &l.body, range)?;
        for (partial, before) in parallel.partials.iter().zip(before) {
            let own = self.slot(partial.local.into())?;
            self.bind(partial.other, own);
            self.bind(partial.local, before);
        }
        self.block(&parallel.combine)?;
        for (local, data, copy) in copies {
            self.bind(local, Slot::Address(data));
            self.add_all(data, copy)?;
        }
        Ok(())
    }

    /// Adds the elements of a copy to those of the array.
    fn add_all(&mut self, data: super::Address, copy: super::Block) -> Done {
        let frames = std::mem::take(&mut self.memory.frames);
        for k in 0..self.memory.length(copy) {
            let place = super::Address { at: k as i64, ..data };
            let more = self.memory.data(copy).and_then(|d| d.get(k));
            let sum = self.memory.load(self.func, place).zip(more).and_then(|(a, b)| Prim::Add.eval(&[a, b]));
            let Some(sum) = sum else { return malformed("arrays that are added are of two kinds") };
            self.memory.store(self.func, place, sum);
        }
        self.memory.frames = frames;
        self.memory.release(self.func, copy);
        Ok(())
    }

    /// A scan: each chunk's summary gives the state with which the next one begins, if it may be used.
    pub(super) fn scanned(&mut self, l: &For, scan: &Scan, extent: i64) -> Done {
        self.block(&scan.before)?;
        let around = std::mem::replace(&mut self.in_chunks, false);
        let chunks = self.chunks_of(extent);
        self.in_chunks = true;
        for range in chunks {
            let entries = scan.states.iter().map(|s| self.slot(s.local.into())).collect::<Done<Vec<Slot>>>()?;
            for part in &scan.parts {
                self.bind(part.local, Slot::Scalar(part.init, false));
            }
            self.iterations(l, &scan.summary, range.clone())?;
            for (state, &entry) in scan.states.iter().zip(&entries) {
                self.bind(state.entry, entry);
            }
            self.block(&scan.advance)?;
            let next = scan.states.iter().map(|s| self.slot(s.next)).collect::<Done<Vec<Slot>>>()?;
            let sound = scan.sound.map_or(Ok(true), |s| self.bool(s))?;
            self.iterations(l, &scan.body, range)?;
            if sound {
                self.next_states(scan, &next)?;
            }
        }
        self.in_chunks = around;
        self.block(&scan.after)
    }

    /// Sets the states to the summary's result, which equals theirs where it is exact.
    fn next_states(&mut self, scan: &Scan, next: &[Slot]) -> Done {
        for (ScanState { local, .. }, &next) in scan.states.iter().zip(next) {
            let (Slot::Scalar(summed, _), Slot::Scalar(found, _)) = (next, self.slot((*local).into())?) else {
                return malformed("the state of a scan is no number");
            };
            if scan.exact && !same(summed, found) {
                let name = self.func.locals[*local].name.clone();
                self.memory.fault(ShadowFault::Summary { name });
            }
            self.bind(*local, next);
        }
        Ok(())
    }
}

/// Whether two constants have the same bits, or are both NaN.
fn same(a: Const, b: Const) -> bool {
    match (a, b) {
        (Const::F64(x), Const::F64(y)) if x.is_nan() && y.is_nan() => true,
        (Const::F32(x), Const::F32(y)) if x.is_nan() && y.is_nan() => true,
        _ => a == b,
    }
}
