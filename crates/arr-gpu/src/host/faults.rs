//! Checks: those of the host, and the violations that a kernel has found.

use super::{Machine, Result, internal};
use crate::GpuError;
use arr_base::RunErrorKind;
use arr_loops::Demand;
use arr_wgsl::program::Fault;

/// Bytes of the fault buffer: a fault site, a spare word, and three arguments.
pub(super) const FAULT_BYTES: u64 = 32;

impl Machine<'_> {
    /// Whether a kernel has stopped.
    pub(super) fn fault_of(&self, bytes: &[u8]) -> Result<()> {
        let (words, _) = bytes.as_chunks::<4>();
        let (numbers, _) = bytes.as_chunks::<8>();
        let code = words.first().map_or(0, |word| u32::from_le_bytes(*word));
        let Some(place) = code.checked_sub(1) else { return Ok(()) };
        let (_, place) = self
            .program
            .places
            .iter()
            .nth(place as usize)
            .ok_or_else(|| GpuError::internal("a fault at a place that is not in the table"))?;
        let args: Vec<i64> = numbers.iter().skip(1).map(|number| i64::from_le_bytes(*number)).collect();
        match (place.fault, args.first()) {
            (Fault::Range, Some(&value)) => {
                let what = "an integer of a kernel".to_string();
                Err(GpuError::Range { what, value, span: self.span(place.span) })
            }
            (Fault::Loops, _) => {
                let adapter = self.exe.device.adapter();
                let most = adapter.ends_loops().unwrap_or(u32::MAX);
                Err(GpuError::LoopsEnded { most, device: adapter.name.clone(), span: self.span(place.span) })
            }
            (Fault::Demand(demand), _) if let Some(kind) = kind(demand, &args) => self.stop(kind, place.span),
            _ => internal("a fault without arguments"),
        }
    }
}

/// The error, if these values violate the demand.
pub(super) fn violation(demand: Demand, args: &[i64]) -> Option<RunErrorKind> {
    let holds = match (demand, args) {
        (Demand::Index | Demand::Element | Demand::Place, &[index, extent]) => 0 <= index && index < extent,
        (Demand::Slice, &[lo, hi, extent]) => 0 <= lo && lo <= hi && hi <= extent,
        (Demand::NonZero, &[divisor]) => divisor != 0,
        (Demand::SizeEq, &[found, expected]) => found == expected,
        (Demand::SizeNonNeg, &[size]) => size >= 0,
        (Demand::NonEmpty | Demand::Step, &[size]) => size > 0,
        (Demand::SizeSum, &[a, b]) => a.checked_add(b).is_some(),
        (Demand::SizeProduct, sizes) => {
            sizes.contains(&0) || sizes.iter().try_fold(1i64, |n, &size| n.checked_mul(size)).is_some()
        }
        _ => return Some(RunErrorKind::Internal(format!("a check of {} has {} operands", demand.name(), args.len()))),
    };
    if holds { None } else { kind(demand, args) }
}

/// The error of a demand that these values violate; `None` if there are too few.
fn kind(demand: Demand, args: &[i64]) -> Option<RunErrorKind> {
    let arg = |k: usize| args.get(k).copied();
    Some(match demand {
        Demand::Index => RunErrorKind::Index { index: arg(0)?, extent: arg(1)? },
        // An array under a negative size is empty, and known to be.
        Demand::Element => RunErrorKind::Index { index: arg(0)?, extent: arg(1)?.max(0) },
        Demand::Place => RunErrorKind::Internal(format!("an access to element {} of an array of {}", arg(0)?, arg(1)?)),
        Demand::Slice => RunErrorKind::Slice { lo: arg(0)?, hi: arg(1)?, extent: arg(2)? },
        Demand::NonZero => RunErrorKind::DivisionByZero,
        Demand::SizeEq => RunErrorKind::SizeAssertion { found: arg(0)?, expected: arg(1)? },
        Demand::SizeNonNeg => RunErrorKind::NegativeSize { size: arg(0)? },
        Demand::NonEmpty => RunErrorKind::EmptyReduction,
        Demand::SizeSum | Demand::SizeProduct => RunErrorKind::OutOfMemory { bytes: i64::MAX, limit: i64::MAX },
        Demand::Step => RunErrorKind::Step { step: arg(0)? },
        Demand::Steps => RunErrorKind::TooManySteps { limit: arg(0)? },
    })
}
