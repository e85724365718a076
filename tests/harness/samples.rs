//! Sample arguments, adapted so that programs can use them.

use arr_ir::{Const, Data, Value};

/// Makes the integers of an array valid indices of arrays with `extent` elements, and a number of magnitude beyond
/// `most` the length of a short loop.
pub fn make_small(leaf: &mut Value, extent: i64, most: u64) {
    if let Value::Scalar(Const::I64(n)) = leaf
        && n.unsigned_abs() > most
    {
        *n = 3;
    } else if let Value::Array(array) = leaf
        && matches!(array.data, Data::I64(_))
    {
        let mut data = array.data.clone();
        for i in 0..data.len() {
            let place = data.get(i).and_then(Const::as_i64).unwrap_or(0).rem_euclid(extent);
            let _ = data.set(i, Const::I64(place));
        }
        *leaf = Value::array(array.dims.clone(), data);
    }
}
