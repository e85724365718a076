//! The lines in which traced values are shown.

use crate::EdgeValue;
use crate::print::{scalar_text, to_literal};
use arr_base::{Trace, Traced};
use arr_ir::{Const, Data, Scalar, Value};

/// Arrays of no more elements are written out, if they fit into a line.
const MOST: usize = 20;

/// `loss: 0.25`, `x: [1.0, 2.0]`, `x: [1000]f64, min 0.0, mean 0.5, max 1.0`, with the number of values before that
/// were not shown.
pub fn trace_line(trace: &Trace<'_>) -> String {
    let missed = if trace.missed == 0 { String::new() } else { format!(" ({} not shown)", trace.missed) };
    format!("{}: {}{missed}\n", trace.label, value_text(trace))
}

/// The line about the values at the end of a run that were not shown.
pub fn missed_line(label: &str, count: u64) -> String {
    format!("{label}: {count} more not shown\n")
}

fn value_text(trace: &Trace<'_>) -> String {
    let data = owned_if_short(trace.data);
    if let (Some(data), true) = (&data, trace.dims.is_empty()) {
        return data.get(0).map_or(String::new(), scalar_text);
    }
    let whole = data.map(|data| to_literal(&EdgeValue::Leaf(Value::array(trace.dims.to_vec(), data))));
    whole.filter(|text| !text.contains('\n')).unwrap_or_else(|| summary(trace))
}

fn owned_if_short(data: Traced<'_>) -> Option<Data> {
    fn short<T: Copy>(elements: &[T]) -> Option<Vec<T>> {
        (elements.len() <= MOST).then(|| elements.to_vec())
    }
    Some(match data {
        Traced::Bool(v) => Data::Bool(short(v)?),
        Traced::I32(v) => Data::I32(short(v)?),
        Traced::I64(v) => Data::I64(short(v)?),
        Traced::U32(v) => Data::U32(short(v)?),
        Traced::F32(v) => Data::F32(short(v)?),
        Traced::F64(v) => Data::F64(short(v)?),
    })
}

/// Shape, least, mean and greatest element; NaN where one is.
fn summary(trace: &Trace<'_>) -> String {
    let shape: String = trace.dims.iter().map(|d| format!("[{d}]")).collect();
    let (elem, numbers) = match trace.data {
        Traced::Bool(v) => {
            let count = v.iter().filter(|b| **b).count();
            return format!("{shape}bool, {count} of {} true", v.len());
        }
        Traced::I32(v) => (Scalar::I32, Extent::of(v.iter().map(|&x| (f64::from(x), Const::I32(x))))),
        Traced::I64(v) => (Scalar::I64, Extent::of(v.iter().map(|&x| (x as f64, Const::I64(x))))),
        Traced::U32(v) => (Scalar::U32, Extent::of(v.iter().map(|&x| (f64::from(x), Const::U32(x))))),
        Traced::F32(v) => (Scalar::F32, Extent::of(v.iter().map(|&x| (f64::from(x), Const::F32(x))))),
        Traced::F64(v) => (Scalar::F64, Extent::of(v.iter().map(|&x| (x, Const::F64(x))))),
    };
    let Some(Extent { least, greatest, mean }) = numbers else { return format!("{shape}{}", elem.name()) };
    let [least, greatest] = [least, greatest].map(scalar_text);
    format!("{shape}{}, min {least}, mean {}, max {greatest}", elem.name(), scalar_text(Const::F64(mean)))
}

struct Extent {
    least: Const,
    greatest: Const,
    mean: f64,
}

impl Extent {
    /// Of elements, each also as a float. `None` without elements.
    fn of(elements: impl Iterator<Item = (f64, Const)>) -> Option<Extent> {
        let mut least: Option<(f64, Const)> = None;
        let mut greatest: Option<(f64, Const)> = None;
        let (mut sum, mut count) = (0.0, 0u64);
        for (x, element) in elements {
            sum += x;
            count += 1;
            // The first NaN stays.
            if least.is_none_or(|(y, _)| !y.is_nan() && (x < y || x.is_nan())) {
                least = Some((x, element));
            }
            if greatest.is_none_or(|(y, _)| !y.is_nan() && (x > y || x.is_nan())) {
                greatest = Some((x, element));
            }
        }
        Some(Extent { least: least?.1, greatest: greatest?.1, mean: sum / count as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(dims: &[i64], data: Traced<'_>, missed: u64) -> String {
        trace_line(&Trace { label: "x", dims, data, missed })
    }

    #[test]
    fn short_values_are_written_out_and_long_ones_described() {
        assert_eq!(line(&[], Traced::F64(&[0.25]), 0), "x: 0.25\n");
        assert_eq!(line(&[], Traced::Bool(&[true]), 7), "x: true (7 not shown)\n");
        assert_eq!(line(&[2, 2], Traced::I64(&[1, 2, 3, 4]), 0), "x: [[1, 2], [3, 4]]\n");
        assert_eq!(line(&[0], Traced::F64(&[]), 0), "x: []\n");
        let long: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(line(&[100], Traced::F64(&long), 0), "x: [100]f64, min 0.0, mean 49.5, max 99.0\n");
        assert_eq!(line(&[5, 20], Traced::I64(&[3; 100]), 1), "x: [5][20]i64, min 3, mean 3.0, max 3 (1 not shown)\n");
        assert_eq!(line(&[40], Traced::Bool(&[true; 40]), 0), "x: [40]bool, 40 of 40 true\n");
        let holes: Vec<f32> = (0..30).map(|i| if i == 3 { f32::NAN } else { 1.0 }).collect();
        assert_eq!(line(&[30], Traced::F32(&holes), 0), "x: [30]f32, min nan, mean nan, max nan\n");
    }
}
