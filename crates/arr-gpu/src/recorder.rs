//! Commands recorded for the device, and their submission.

use crate::memory::{Block, Use};
use crate::modules::{Pipeline, ring_bytes};
use crate::{Device, GpuError, Stats};
use std::sync::Arc;
use wgpu::{CommandEncoder, ComputePass};

/// The maximal number of kernels per submission, so that recorded commands do not grow with the length of a loop.
const AT_ONCE: u32 = 1024;

/// Records the commands of one run.
pub(crate) struct Recorder<'a> {
    device: &'a Device,
    encoder: Option<CommandEncoder>,
    /// Open while kernels follow each other.
    pass: Option<ComputePass<'static>>,
    /// Values of the host for this submission: buffers and their future contents. The last one is being filled.
    rings: Vec<Ring>,
    /// Rings of earlier submissions.
    spare: Vec<Arc<Block>>,
    recorded: u32,
    /// The submission before the last.
    before: Option<wgpu::SubmissionIndex>,
    last: Option<wgpu::SubmissionIndex>,
}

struct Ring {
    block: Arc<Block>,
    bytes: Vec<u8>,
}

/// A position in a ring.
#[derive(Clone)]
pub(crate) struct Placed {
    pub block: Arc<Block>,
    pub offset: u32,
}

impl<'a> Recorder<'a> {
    pub fn new(device: &'a Device) -> Recorder<'a> {
        let (rings, spare) = (Vec::new(), Vec::new());
        Recorder { device, encoder: None, pass: None, rings, spare, recorded: 0, before: None, last: None }
    }

    fn encoder(&mut self) -> &mut CommandEncoder {
        // The commands of the open pass come first.
        self.pass = None;
        let device = &self.device.device;
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))
    }

    fn pass(&mut self) -> &mut ComputePass<'static> {
        let device = &self.device.device;
        let encoder = self
            .encoder
            .get_or_insert_with(|| device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()));
        self.pass.get_or_insert_with(|| {
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime()
        })
    }

    /// Stores bytes of the host for the next command. Fails if the device has no buffer left for them, or failed
    /// before.
    pub fn place(&mut self, bytes: &[u8], alignment: u64) -> Result<Placed, GpuError> {
        let aligned = |len: usize| (len as u64).next_multiple_of(alignment) as usize;
        let room = |ring: &Ring| aligned(ring.bytes.len()) + bytes.len() <= ring.block.size as usize;
        if !self.rings.last().is_some_and(room) {
            let block = match self.spare.pop() {
                Some(block) => block,
                None => self.device.take(Use::Uniform, ring_bytes())?,
            };
            self.rings.push(Ring { block, bytes: Vec::new() });
        }
        let ring = self.rings.last_mut().ok_or_else(|| GpuError::internal("no ring"))?;
        let offset = aligned(ring.bytes.len());
        ring.bytes.resize(offset, 0);
        ring.bytes.extend_from_slice(bytes);
        Ok(Placed { block: ring.block.clone(), offset: offset as u32 })
    }

    pub fn copy(&mut self, from: &Block, from_offset: u64, to: &Block, to_offset: u64, bytes: u64) {
        if bytes > 0 {
            self.encoder().copy_buffer_to_buffer(&from.buffer, from_offset, &to.buffer, to_offset, bytes);
        }
    }

    pub fn clear(&mut self, block: &Block, bytes: u64) {
        if bytes > 0 {
            self.encoder().clear_buffer(&block.buffer, 0, Some(bytes));
        }
    }

    /// Records a kernel, and submits once enough are recorded. Fails if the device is lost, or refused an earlier
    /// submission.
    pub fn dispatch(
        &mut self,
        pipeline: &Pipeline,
        group: &wgpu::BindGroup,
        offset: Option<u32>,
        [x, y]: [u32; 2],
        stats: &mut Stats,
    ) -> Result<(), GpuError> {
        let pass = self.pass();
        pass.set_pipeline(&pipeline.pipeline);
        match offset {
            Some(offset) => pass.set_bind_group(0, group, &[offset]),
            None => pass.set_bind_group(0, group, &[]),
        }
        pass.dispatch_workgroups(x, y, 1);
        stats.dispatches += 1;
        self.recorded += 1;
        if self.recorded < AT_ONCE {
            return Ok(());
        }
        self.submit(stats);
        // One submission runs while the next is recorded; more would only hold memory.
        if let Some(index) = self.before.take() {
            let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
            let outcome = self.device.device.poll(wait);
            self.device.check()?;
            outcome.map_err(|e| GpuError::Refused { device: self.device.name(), reason: e.to_string() })?;
        }
        Ok(())
    }

    /// Submits the recorded commands to the device.
    pub fn submit(&mut self, stats: &mut Stats) {
        self.pass = None;
        let Some(encoder) = self.encoder.take() else { return };
        for ring in self.rings.drain(..) {
            let padded = ring.bytes.len().next_multiple_of(4);
            let mut bytes = ring.bytes;
            bytes.resize(padded, 0);
            self.device.queue.write_buffer(&ring.block.buffer, 0, &bytes);
            stats.bytes_up += bytes.len() as u64;
            self.spare.push(ring.block);
        }
        self.before = self.last.take();
        self.last = Some(self.device.queue.submit([encoder.finish()]));
        self.recorded = 0;
        stats.submissions += 1;
    }

    /// The rings, for the pool. Commands that were not submitted are dropped.
    pub fn into_blocks(mut self) -> Vec<Arc<Block>> {
        self.pass = None;
        self.encoder = None;
        self.spare.extend(self.rings.drain(..).map(|ring| ring.block));
        self.spare
    }
}
