//! Safetensors: named arrays behind a header in JSON, as libraries of neural networks exchange weights.
//!
//! Format: <https://github.com/huggingface/safetensors#format>. Fields of nested records are named with dots.

use crate::reading::{Notes, Reading, Room};
use crate::text::rank_text;
use crate::{DataError, EdgeValue, Problem, archive, npy, part};
use arr_ir::{Edge, Leaf, Scalar, Value};
use half::{bf16, f16};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use std::borrow::Cow;

const FORMAT: &str = "safetensors";

pub(crate) fn read(bytes: &[u8], edge: &Edge, how: &Reading<'_>, notes: &mut Notes) -> Result<EdgeValue, DataError> {
    archive::check(edge, FORMAT)?;
    let damaged = |e: safetensors::SafeTensorError| DataError::damaged(FORMAT, e.to_string());
    let file = SafeTensors::deserialize(bytes).map_err(damaged)?;
    let mut names: Vec<String> = file.names().into_iter().map(str::to_string).collect();
    names.sort();
    let mut room = Room::new(how.limit);
    let mut values = Vec::new();
    for (leaf, name) in edge.leaves().iter().zip(archive::names_for(edge, &names, how, notes)?) {
        let tensor = file.tensor(&name).map_err(damaged)?;
        let elements = tensor.shape().iter().fold(1u64, |n, &d| n.saturating_mul(d as u64));
        room.take(elements.saturating_mul(leaf.ty.elem.bytes() as u64))?;
        values.push(array(&tensor, leaf).map_err(|e| e.at_path(&leaf.path))?);
    }
    EdgeValue::from_leaves(edge, &values)
        .ok_or_else(|| Problem::Type { expected: rank_text(edge), found: "other arrays".to_string() }.into())
}

fn array(tensor: &TensorView<'_>, leaf: &Leaf) -> Result<Value, DataError> {
    let halves = |widen: fn([u8; 2]) -> f32| {
        let halves = tensor.data().as_chunks::<2>().0;
        Cow::Owned(halves.iter().flat_map(|half| widen(*half).to_le_bytes()).collect::<Vec<u8>>())
    };
    let (descr, bytes) = match tensor.dtype() {
        // Both kinds of half precision are numbers of single precision.
        Dtype::F16 => ("<f4".to_string(), halves(|half| f16::from_le_bytes(half).to_f32())),
        Dtype::BF16 => ("<f4".to_string(), halves(|half| bf16::from_le_bytes(half).to_f32())),
        other => (descr(other), Cow::Borrowed(tensor.data())),
    };
    let dims = tensor.shape().iter().map(|&d| i64::try_from(d).unwrap_or(i64::MAX)).collect();
    let expected = format!("{}{}", "[_]".repeat(leaf.ty.rank()), leaf.ty.elem);
    npy::Described::of(&descr, dims, leaf.ty.elem, leaf.ty.rank(), &expected)?.array(&bytes, leaf.ty.elem)
}

/// An element type as NumPy writes it, or its own name where NumPy has none.
fn descr(dtype: Dtype) -> String {
    match dtype {
        Dtype::BOOL => "|b1",
        Dtype::U8 => "|u1",
        Dtype::I8 => "|i1",
        Dtype::U16 => "<u2",
        Dtype::I16 => "<i2",
        Dtype::U32 => "<u4",
        Dtype::I32 => "<i4",
        Dtype::U64 => "<u8",
        Dtype::I64 => "<i8",
        Dtype::F32 => "<f4",
        Dtype::F64 => "<f8",
        other => return format!("{other:?}"),
    }
    .to_string()
}

/// The bytes of a file with one array per leaf. Errors: why the format cannot hold the value.
pub(crate) fn write(value: &EdgeValue, edge: &Edge) -> Result<Vec<u8>, String> {
    let leaves = edge.leaves();
    let arrays: Vec<(String, Scalar, Vec<usize>, Vec<u8>)> = leaves
        .iter()
        .zip(value.leaves())
        .map(|(leaf, value)| (archive::name_of(leaf), value.elem(), part::shape(&value), npy::elements(&value)))
        .collect();
    let mut views = Vec::new();
    for (name, elem, shape, bytes) in &arrays {
        let dtype = match elem {
            Scalar::Bool => Dtype::BOOL,
            Scalar::I32 => Dtype::I32,
            Scalar::I64 => Dtype::I64,
            Scalar::U32 => Dtype::U32,
            Scalar::F32 => Dtype::F32,
            Scalar::F64 => Dtype::F64,
        };
        views.push((name.as_str(), TensorView::new(dtype, shape.clone(), bytes).map_err(|e| e.to_string())?));
    }
    safetensors::serialize(views, None).map_err(|e| e.to_string())
}
