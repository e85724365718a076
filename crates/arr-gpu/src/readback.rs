//! Bytes of the device, read by the host.

use crate::memory::{Block, Use};
use crate::recorder::Recorder;
use crate::{Device, GpuError, Stats};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximal number of bytes read at once: they occupy the host's memory twice meanwhile.
const AT_ONCE: u64 = 256 << 20;

/// Reads the first bytes of buffers, in their state after all recorded commands, and passes them to `sink` with the
/// number of the buffer, in order. A piece ends at a multiple of 8 bytes of its buffer, or at its end.
pub(crate) fn read(
    device: &Device,
    recorder: &mut Recorder<'_>,
    sources: &[(Arc<Block>, u64)],
    stats: &mut Stats,
    mut sink: impl FnMut(usize, &[u8]),
) -> Result<(), GpuError> {
    let total: u64 = sources.iter().map(|(_, bytes)| bytes.next_multiple_of(8)).sum();
    let capacity = total.min(AT_ONCE).min(device.limits.max_buffer_size / 8 * 8);
    let mut batch = Vec::new();
    let mut filled = 0;
    for (number, (block, bytes)) in sources.iter().enumerate() {
        let mut done = 0;
        while done < *bytes {
            if filled == capacity {
                batch_out(device, recorder, &std::mem::take(&mut batch), filled, stats, &mut sink)?;
                filled = 0;
            }
            let piece = (bytes - done).min(capacity - filled);
            batch.push(Piece { number, block: block.clone(), from: done, to: filled, bytes: piece });
            done += piece;
            filled = (filled + piece).next_multiple_of(8);
        }
    }
    batch_out(device, recorder, &batch, filled, stats, &mut sink)
}

/// A part of a buffer, and its position in the buffer that the host reads.
struct Piece {
    number: usize,
    block: Arc<Block>,
    from: u64,
    to: u64,
    bytes: u64,
}

fn batch_out(
    device: &Device,
    recorder: &mut Recorder<'_>,
    batch: &[Piece],
    filled: u64,
    stats: &mut Stats,
    sink: &mut impl FnMut(usize, &[u8]),
) -> Result<(), GpuError> {
    if batch.is_empty() {
        recorder.submit(stats);
        return device.wait();
    }
    let staging = device.take(Use::Staging, filled)?;
    for piece in batch {
        recorder.copy(&piece.block, piece.from, &staging, piece.to, piece.bytes);
    }
    recorder.submit(stats);
    let outcome: Arc<Mutex<Option<String>>> = Arc::default();
    let failed = outcome.clone();
    staging.buffer.slice(..filled).map_async(wgpu::MapMode::Read, move |result| {
        if let Err(e) = result {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(e.to_string());
        }
    });
    device.wait()?;
    let refused = |reason: String| GpuError::Refused { device: device.name(), reason };
    if let Some(reason) = outcome.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(refused(reason));
    }
    let view = staging.buffer.slice(..filled).get_mapped_range().map_err(|e| refused(e.to_string()))?;
    for piece in batch {
        let (at, len) = (piece.to as usize, piece.bytes as usize);
        let bytes = view.get(at..at + len).ok_or_else(|| GpuError::internal("a piece outside of what was read"))?;
        sink(piece.number, bytes);
        stats.bytes_down += piece.bytes;
    }
    drop(view);
    staging.buffer.unmap();
    device.give_back([staging]);
    Ok(())
}
