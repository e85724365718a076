//! The device's representation of elements: little endian, `bool` as a word, `i64` as the program's integers say.

use arr_ir::{Const, Data, Scalar};
use arr_wgsl::program::{Integers, narrowed, narrowed_constant, widened};
use std::borrow::Cow;

/// Bytes of an element on the device.
pub(crate) fn width(elem: Scalar, integers: Integers) -> u64 {
    match (elem, integers) {
        (Scalar::F64, _) | (Scalar::I64, Integers::Native) => 8,
        _ => 4,
    }
}

/// A scalar's bytes, and their number; `None` if it does not fit.
pub(crate) fn word(c: Const, integers: Integers) -> Option<([u8; 8], usize)> {
    let four = |bytes: [u8; 4]| {
        let [a, b, c, d] = bytes;
        ([a, b, c, d, 0, 0, 0, 0], 4)
    };
    Some(match c {
        Const::Bool(b) => four(u32::from(b).to_le_bytes()),
        Const::I32(i) => four(i.to_le_bytes()),
        Const::U32(u) => four(u.to_le_bytes()),
        Const::F32(x) => four(x.to_le_bytes()),
        Const::I64(i) if integers == Integers::Narrow => four(narrowed(i)?.to_le_bytes()),
        Const::I64(i) => (i.to_le_bytes(), 8),
        Const::F64(x) => (x.to_le_bytes(), 8),
    })
}

/// As [`word`], of a constant of the program.
pub(crate) fn constant(c: Const, integers: Integers) -> Option<([u8; 8], usize)> {
    match c {
        Const::I64(i) if integers == Integers::Narrow => word(Const::I32(narrowed_constant(i)?), integers),
        _ => word(c, integers),
    }
}

/// The scalar represented by these bytes, the low ones first.
pub(crate) fn scalar(elem: Scalar, bytes: [u8; 8], integers: Integers) -> Const {
    let [a, b, c, d, ..] = bytes;
    let low = [a, b, c, d];
    match elem {
        Scalar::Bool => Const::Bool(u32::from_le_bytes(low) != 0),
        Scalar::I32 => Const::I32(i32::from_le_bytes(low)),
        Scalar::U32 => Const::U32(u32::from_le_bytes(low)),
        Scalar::F32 => Const::F32(f32::from_le_bytes(low)),
        Scalar::F64 => Const::F64(f64::from_le_bytes(bytes)),
        Scalar::I64 if integers == Integers::Narrow => Const::I64(widened(i32::from_le_bytes(low))),
        Scalar::I64 => Const::I64(i64::from_le_bytes(bytes)),
    }
}

/// The elements as bytes; fails with an element that does not fit.
pub(crate) fn to_bytes(data: &Data, integers: Integers) -> Result<Cow<'_, [u8]>, i64> {
    Ok(match data {
        Data::Bool(v) => Cow::Owned(v.iter().flat_map(|&b| u32::from(b).to_le_bytes()).collect()),
        Data::I32(v) => Cow::Borrowed(bytemuck::cast_slice(v)),
        Data::U32(v) => Cow::Borrowed(bytemuck::cast_slice(v)),
        Data::F32(v) => Cow::Borrowed(bytemuck::cast_slice(v)),
        Data::F64(v) => Cow::Borrowed(bytemuck::cast_slice(v)),
        Data::I64(v) if integers == Integers::Native => Cow::Borrowed(bytemuck::cast_slice(v)),
        Data::I64(v) => {
            let narrow = |&i: &i64| narrowed(i).ok_or(i);
            let words = v.iter().map(narrow).collect::<Result<Vec<i32>, i64>>()?;
            Cow::Owned(words.iter().flat_map(|i| i.to_le_bytes()).collect())
        }
    })
}

/// Appends elements of the device.
pub(crate) fn append(data: &mut Data, bytes: &[u8], integers: Integers) {
    match data {
        Data::Bool(v) => v.extend(words(bytes).map(|w| u32::from_le_bytes(w) != 0)),
        Data::I32(v) => extend(v, bytes, i32::from_le_bytes),
        Data::U32(v) => extend(v, bytes, u32::from_le_bytes),
        Data::F32(v) => extend(v, bytes, f32::from_le_bytes),
        Data::F64(v) => extend(v, bytes, f64::from_le_bytes),
        Data::I64(v) if integers == Integers::Native => extend(v, bytes, i64::from_le_bytes),
        Data::I64(v) => v.extend(words(bytes).map(|w| widened(i32::from_le_bytes(w)))),
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> + '_ {
    bytes.as_chunks().0.iter().copied()
}

/// In one piece if the bytes are aligned like the elements.
fn extend<T: bytemuck::Pod, const N: usize>(v: &mut Vec<T>, bytes: &[u8], one: fn([u8; N]) -> T) {
    match bytemuck::try_cast_slice(bytes) {
        Ok(elements) => v.extend_from_slice(elements),
        Err(_) => v.extend(bytes.as_chunks::<N>().0.iter().map(|chunk| one(*chunk))),
    }
}
