//! Buffers of the device: unused ones are kept by size, for later requests.
//!
//! A buffer that a run frees serves the same run again at once, since its commands are executed in order. Other runs get it when
//! those commands have been submitted.

use crate::error::Limit;
use crate::scope::{Caught, Scope};
use crate::{Device, GpuError};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use wgpu::BufferUsages;

/// The purpose of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Use {
    /// Elements, slots, faults.
    Storage,
    /// Parameters of kernels, and values of the host for slots.
    Uniform,
    /// Data for the host to read.
    Staging,
}

impl Use {
    fn usages(self) -> BufferUsages {
        match self {
            Use::Storage => BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            Use::Uniform => BufferUsages::UNIFORM | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            Use::Staging => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        }
    }
}

/// A buffer of the device.
#[derive(Debug)]
pub(crate) struct Block {
    /// Unique among the buffers of a device.
    pub id: u64,
    pub buffer: wgpu::Buffer,
    pub size: u64,
    pub for_: Use,
}

/// Unused buffers.
#[derive(Default)]
pub(crate) struct Pool {
    free: BTreeMap<(Use, u64), Vec<Arc<Block>>>,
    bytes: u64,
    /// Grows when buffers are dropped: references to them should then be dropped too.
    generation: u64,
}

/// The maximal number of kept bytes.
const KEPT: u64 = 512 << 20;

impl Pool {
    pub fn generation(&self) -> u64 {
        self.generation
    }

    fn take(&mut self, for_: Use, size: u64) -> Option<Arc<Block>> {
        let block = self.free.get_mut(&(for_, size))?.pop()?;
        self.bytes -= size;
        Some(block)
    }

    /// Takes back a buffer whose uses have all been submitted. One with other owners is left to them.
    pub fn put(&mut self, block: Arc<Block>) {
        if Arc::strong_count(&block) > 1 {
            return;
        }
        if self.bytes + block.size > KEPT {
            self.generation += 1;
            return;
        }
        self.bytes += block.size;
        self.free.entry((block.for_, block.size)).or_default().push(block);
    }

    fn trim(&mut self) {
        self.free.clear();
        self.bytes = 0;
        self.generation += 1;
    }
}

/// The size of the buffer for this many bytes: from few different sizes, at most an eighth larger.
pub(crate) fn size_class(bytes: u64) -> u64 {
    let step = if bytes <= 2048 { 256 } else { (1 << bytes.ilog2()) / 8 };
    bytes.max(1).checked_next_multiple_of(step).unwrap_or(bytes)
}

impl Device {
    /// A buffer of at least this many bytes, with any contents.
    pub(crate) fn take(&self, for_: Use, bytes: u64) -> Result<Arc<Block>, GpuError> {
        let limit = self.limits.max_buffer_size;
        let exact = bytes.max(16).next_multiple_of(4);
        if exact > limit {
            return Err(GpuError::TooLarge {
                what: Limit::Buffer,
                size: bytes,
                limit,
                device: self.name(),
                span: None,
            });
        }
        let size = if size_class(exact) > limit { exact } else { size_class(exact) };
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = pool.take(for_, size) {
            return Ok(block);
        }
        drop(pool);
        match self.create(for_, size) {
            Err(Caught::OutOfMemory) => {}
            other => return other.map_err(|e| e.into_error(self, bytes)),
        }
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).trim();
        self.wait()?;
        self.create(for_, size).map_err(|e| e.into_error(self, bytes))
    }

    fn create(&self, for_: Use, size: u64) -> Result<Arc<Block>, Caught> {
        let scope = Scope::open(self);
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage: for_.usages(), mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        scope.close()?;
        Ok(Arc::new(Block { id: self.next_buffer(), buffer, size, for_ }))
    }

    pub(crate) fn give_back(&self, blocks: impl IntoIterator<Item = Arc<Block>>) {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.into_iter().for_each(|block| pool.put(block));
    }
}
