//! Kernels: their parameters, their buffers, and their numbers of groups.

use super::{Entry, Machine, Result, at, faults::FAULT_BYTES, internal};
use crate::error::Limit;
use crate::executable::GroupKey;
use crate::memory::Block;
use crate::params::Layout;
use crate::recorder::Placed;
use crate::{GpuError, data};
use arr_base::Id;
use arr_ir::Const;
use arr_loops::{LocalId, Operand, SpanId};
use arr_wgsl::program::{Groups, Kernel, KernelId, MOST_POINTS};
use std::sync::Arc;

impl Machine<'_> {
    pub(super) fn dispatch(&mut self, id: KernelId) -> Result<()> {
        let Some(kernel) = self.program.kernels.get(id) else { return internal("a kernel that is not in the table") };
        let device = &*self.exe.device;
        let Some(groups) = self.groups(&kernel.groups, kernel.span)? else { return Ok(()) };
        let layout = self.exe.layouts.get(id).ok_or_else(|| GpuError::internal("a kernel without a layout"))?;
        let pipeline = self.exe.module.pipeline(device, id.index(), kernel, layout)?;
        let params = self.params(kernel, layout)?;
        let bound = self.bound(kernel)?;
        let ring = params.as_ref().map_or(u64::MAX, |placed| placed.block.id);
        let key: GroupKey = (id, ring, bound.iter().map(|(_, block, bytes)| (block.id, *bytes)).collect());
        let group = self.exe.group(key, || {
            let uniform = params.iter().map(|placed| entry(0, &placed.block, layout.bytes));
            let storage = bound.iter().map(|(binding, block, bytes)| entry(*binding, block, *bytes));
            let entries: Vec<wgpu::BindGroupEntry<'_>> = uniform.chain(storage).collect();
            device.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.bindings,
                entries: &entries,
            })
        });
        self.recorder.dispatch(pipeline, &group, params.map(|placed| placed.offset), groups, &mut self.stats)
    }

    /// The kernel's parameters with the host's present values, if it has any.
    fn params(&mut self, kernel: &Kernel, layout: &Layout) -> Result<Option<Placed>> {
        if layout.bytes == 0 {
            return Ok(None);
        }
        let value = |local: LocalId| match self.entry(local.into())? {
            Entry::Scalar(c) => Ok(c),
            Entry::Address(_, offset) => Ok(Const::I64(offset)),
            _ => internal(format!("{} is not a parameter", self.name(local))),
        };
        let block = layout.block(self.program.integers, value, |local| self.name(local));
        let block = block.map_err(|e| at(e, self.span(kernel.span)))?;
        let alignment = u64::from(self.exe.device.limits.min_uniform_buffer_offset_alignment).max(16);
        self.recorder.place(&block, alignment).map(Some)
    }

    /// The kernel's buffers: the numbers of their bindings, and the sizes of their visible parts in bytes.
    fn bound(&mut self, kernel: &Kernel) -> Result<Vec<(u32, Arc<Block>, u64)>> {
        let mut bound = Vec::with_capacity(kernel.buffers.len() + 2);
        if kernel.slots {
            bound.push((1, self.slots()?, 8 * self.program.slots.len() as u64));
        }
        if kernel.faults {
            let fault = self.fault.clone().ok_or_else(|| GpuError::internal("no buffer for faults"))?;
            bound.push((2, fault, FAULT_BYTES));
        }
        let device = &self.exe.device;
        let limit = device.limits.max_storage_buffer_binding_size / 4 * 4;
        for (k, binding) in kernel.buffers.iter().enumerate() {
            let row = self.buffer(binding.buffer)?;
            let (block, bytes) = self.whole(row)?;
            if bytes > limit {
                let (span, device) = (self.span(kernel.span), device.name());
                return Err(GpuError::TooLarge { what: Limit::Binding, size: bytes, limit, device, span });
            }
            bound.push((3 + k as u32, block, bytes.max(16)));
        }
        Ok(bound)
    }

    /// The rows and columns of workgroups; none if there is nothing to do.
    fn groups(&self, groups: &Groups, span: SpanId) -> Result<Option<[u32; 2]>> {
        let points = self.ints(&groups.points)?;
        if points.iter().any(|&n| n <= 0) {
            return Ok(None);
        }
        let device = &self.exe.device;
        let row = u64::from(device.limits.max_compute_workgroups_per_dimension).max(1);
        let total = points.iter().fold(1u64, |n, &p| n.saturating_mul(p as u64));
        let too_large = |what, size, limit| {
            Err(GpuError::TooLarge { what, size, limit, device: device.name(), span: self.span(span) })
        };
        if total > MOST_POINTS {
            return too_large(Limit::Points, total, MOST_POINTS);
        }
        let count = total.div_ceil(u64::from(groups.per_group.max(1)));
        let count = groups.most.map_or(count, |most| count.min(u64::from(most)));
        if count > row * row {
            return too_large(Limit::Groups, count, row * row);
        }
        let rows = count.div_ceil(row);
        Ok(Some([count.div_ceil(rows) as u32, rows as u32]))
    }

    pub(super) fn put(&mut self, values: &[(LocalId, Operand)]) -> Result<()> {
        let slots = self.slots()?;
        for &(local, operand) in values {
            let value = self.scalar(operand)?;
            let word = if matches!(operand, Operand::Const(_)) { data::constant } else { data::word };
            let (bytes, len) = word(value, self.program.integers).ok_or_else(|| GpuError::Range {
                what: format!("`{}`", self.name(local)),
                value: value.as_i64().unwrap_or(0),
                span: None,
            })?;
            let placed = self.recorder.place(&bytes, 8)?;
            self.recorder.copy(&placed.block, u64::from(placed.offset), &slots, self.slot(local)?, len as u64);
        }
        Ok(())
    }
}

fn entry(binding: u32, block: &Block, bytes: u64) -> wgpu::BindGroupEntry<'_> {
    let size = std::num::NonZeroU64::new(bytes);
    let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &block.buffer, offset: 0, size });
    wgpu::BindGroupEntry { binding, resource }
}
