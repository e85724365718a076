//! Transfers from the device: scalars that the host needs, and results.

use super::arrays::Live;
use super::faults::FAULT_BYTES;
use super::{Entry, Machine, Result, internal};
use crate::{GpuError, data, readback};
use arr_ir::{Const, Data, Value};
use arr_loops::{LocalId, Operand, Output};
use std::collections::BTreeMap;

/// The location of a result.
enum ResultLocation {
    Host(Value),
    Slot(LocalId),
    /// A row of [`Machine::buffers`].
    Device(usize),
}

impl Machine<'_> {
    pub(super) fn fetch(&mut self, locals: &[LocalId]) -> Result<()> {
        let (values, _) = self.download(&[], !locals.is_empty())?;
        for &local in locals {
            let value = self.fetched(&values, local)?;
            self.set(local, Entry::Scalar(value))?;
        }
        Ok(())
    }

    fn fetched(&self, slots: &[u8], local: LocalId) -> Result<Const> {
        let at = self.slot(local)? as usize;
        let bytes = slots.get(at..at + 8).and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
        let bytes = bytes.ok_or_else(|| GpuError::internal("a slot that was not read"))?;
        Ok(data::scalar(self.program.func.ty(local).elem(), bytes, self.program.integers))
    }

    /// Submits the recorded commands, waits, and reads the fault, the slots if they are wanted, and the buffers of
    /// these rows.
    fn download(&mut self, rows: &[usize], slots: bool) -> Result<(Vec<u8>, Vec<Data>)> {
        let mut sources = Vec::new();
        let faults = usize::from(self.fault.is_some());
        sources.extend(self.fault.clone().map(|fault| (fault, FAULT_BYTES)));
        let slots = if slots { self.slots.clone() } else { None };
        let first = faults + usize::from(slots.is_some());
        sources.extend(slots.map(|slots| (slots, 8 * self.program.slots.len() as u64)));
        let mut arrays = Vec::new();
        for &row in rows {
            let live = self.live(row)?;
            arrays.push(Data::zeros(live.elem, 0));
            sources.push((live.block.clone(), live.bytes));
        }
        let (mut fault, mut words) = (Vec::new(), Vec::new());
        let integers = self.program.integers;
        let sink = |number: usize, bytes: &[u8]| match number.checked_sub(first) {
            Some(row) => arrays.iter_mut().skip(row).take(1).for_each(|data| data::append(data, bytes, integers)),
            None if number < faults => fault.extend_from_slice(bytes),
            None => words.extend_from_slice(bytes),
        };
        readback::read(&self.exe.device, &mut self.recorder, &sources, &mut self.stats, sink)?;
        self.fault_of(&fault)?;
        Ok((words, arrays))
    }

    /// The results, read after everything else.
    pub(super) fn results(&mut self) -> Result<Vec<Value>> {
        let outputs = &self.program.func.outputs;
        let mut rows = Vec::new();
        let mut slots = false;
        for output in outputs {
            match self.place_of(output)? {
                ResultLocation::Device(row) => rows.push(row),
                ResultLocation::Slot(_) => slots = true,
                ResultLocation::Host(_) => {}
            }
        }
        // A result that occurs twice is read once.
        rows.sort_unstable();
        rows.dedup();
        let (words, arrays) = self.download(&rows, slots)?;
        let arrays: BTreeMap<usize, Data> = rows.into_iter().zip(arrays).collect();
        outputs.iter().map(|output| self.result(output, &words, &arrays)).collect()
    }

    fn place_of(&self, output: &Output) -> Result<ResultLocation> {
        if let Operand::Local(local) = output.value
            && self.exe.slots.contains_key(&local)
        {
            return Ok(ResultLocation::Slot(local));
        }
        match self.entry(output.value)? {
            Entry::Scalar(c) => Ok(ResultLocation::Host(Value::Scalar(c))),
            Entry::Address(..) | Entry::Unknown => internal("a result that is no value"),
            Entry::Buffer(row) => match self.buffers.get(row) {
                Some(Live { origin: Some(array), .. }) => Ok(ResultLocation::Host(Value::Array(array.clone()))),
                Some(_) => Ok(ResultLocation::Device(row)),
                None => internal("an array that is not in the table"),
            },
        }
    }

    fn result(&self, output: &Output, slots: &[u8], arrays: &BTreeMap<usize, Data>) -> Result<Value> {
        // A negative size stands for an empty axis.
        let dims: Vec<i64> = self.ints(&output.dims)?.into_iter().map(|d| d.max(0)).collect();
        match self.place_of(output)? {
            ResultLocation::Slot(local) => Ok(Value::Scalar(self.fetched(slots, local)?)),
            // An argument or constant comes back: the same array, perhaps under other axes.
            ResultLocation::Host(Value::Array(array)) if array.dims != dims => {
                Ok(Value::array(dims, array.data.clone()))
            }
            ResultLocation::Host(value) => Ok(value),
            ResultLocation::Device(row) => match arrays.get(&row) {
                Some(data) => Ok(Value::array(dims, data.clone())),
                None => internal("a result that was not read"),
            },
        }
    }
}
