//! Text files: the bytes as numbers, in an array of integers.

use crate::reading::{Reading, Room};
use crate::text::rank_text;
use crate::typed::push;
use crate::value::single_leaf;
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Data, Edge, Scalar, Value};

const FORMAT: &str = "text";
const WIDEST: u64 = 8;

pub(crate) fn read(bytes: &[u8], edge: &Edge, how: &Reading<'_>) -> Result<EdgeValue, DataError> {
    let elem = match single_leaf(edge) {
        Some((elem @ (Scalar::I32 | Scalar::I64 | Scalar::U32), 1)) => elem,
        _ => {
            let hint = "a text is an array of its bytes, such as `[n]i64`".to_string();
            return Err(Problem::FormatType { format: FORMAT, ty: rank_text(edge), hint }.into());
        }
    };
    Room::new(how.limit).take(WIDEST.saturating_mul(bytes.len() as u64))?;
    let mut data = Data::zeros(elem, 0);
    bytes.iter().filter_map(|&byte| crate::number::integer(i128::from(byte), false, elem)).for_each(|value| {
        push(&mut data, value);
    });
    Ok(EdgeValue::Leaf(Value::array(vec![i64::try_from(bytes.len()).unwrap_or(i64::MAX)], data)))
}

/// Whether a result of the type can be a text. Errors: why it cannot.
pub(crate) fn check_result(edge: &Edge) -> Result<(), String> {
    match single_leaf(edge) {
        Some((Scalar::I32 | Scalar::I64 | Scalar::U32, 1)) => Ok(()),
        _ => Err(format!(
            "a .txt file holds bytes, an array such as `[n]i64`, and the result is a `{}`",
            rank_text(edge)
        )),
    }
}

/// The bytes of a text. Errors: why the value is none.
pub(crate) fn write(value: &EdgeValue) -> Result<Vec<u8>, String> {
    let EdgeValue::Leaf(Value::Array(array)) = value else { return Err("the result is not one array".to_string()) };
    let byte = |n: i64| u8::try_from(n).map_err(|_| format!("a byte is from 0 to 255, and an element is {n}"));
    (0..array.data.len()).filter_map(|at| array.data.get(at)?.as_i64()).map(byte).collect()
}
