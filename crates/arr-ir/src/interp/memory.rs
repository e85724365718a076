//! Arrays under construction: checked sizes, fallible allocation, appending.

use crate::value::each;
use crate::{Array, Const, Data, Scalar};

pub(super) fn bytes_of(array: &Array) -> u64 {
    (array.data.len() as u64).saturating_mul(array.data.elem().bytes() as u64)
}

/// Empty data with room for `count` elements; `None` when the allocator refuses.
pub(super) fn with_capacity(elem: Scalar, count: usize) -> Option<Data> {
    let mut data = Data::zeros(elem, 0);
    each!(&mut data, v => v.try_reserve_exact(count).ok())?;
    Some(data)
}

/// Appends one element; `false` when the type does not fit.
#[must_use]
pub(super) fn push(data: &mut Data, value: Const) -> bool {
    match (data, value) {
        (Data::F64(v), Const::F64(x)) => v.push(x),
        (Data::F32(v), Const::F32(x)) => v.push(x),
        (Data::I64(v), Const::I64(x)) => v.push(x),
        (Data::I32(v), Const::I32(x)) => v.push(x),
        (Data::U32(v), Const::U32(x)) => v.push(x),
        (Data::Bool(v), Const::Bool(x)) => v.push(x),
        _ => return false,
    }
    true
}

/// Appends all elements; `false` when the type does not fit.
#[must_use]
pub(super) fn extend(data: &mut Data, more: &Data) -> bool {
    match (data, more) {
        (Data::F64(v), Data::F64(w)) => v.extend_from_slice(w),
        (Data::F32(v), Data::F32(w)) => v.extend_from_slice(w),
        (Data::I64(v), Data::I64(w)) => v.extend_from_slice(w),
        (Data::I32(v), Data::I32(w)) => v.extend_from_slice(w),
        (Data::U32(v), Data::U32(w)) => v.extend_from_slice(w),
        (Data::Bool(v), Data::Bool(w)) => v.extend_from_slice(w),
        _ => return false,
    }
    true
}
