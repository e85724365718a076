//! The NaNs and infinities that an argument brings into a program.

use crate::EdgeValue;
use arr_ir::{Edge, index_of};

/// How many elements of a value are not finite, and where the first is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotFinite {
    pub nans: usize,
    pub infinities: usize,
    /// The fields on the way to the first, and its index: `.pressure[1]`.
    pub place: String,
    /// The index along the first axis, if it has axes.
    pub row: usize,
}

impl NotFinite {
    /// Those of a value of a type; with `infinities`, these too. `None` if there are none.
    pub fn of(edge: &Edge, value: &EdgeValue, infinities: bool) -> Option<NotFinite> {
        let mut found: Option<NotFinite> = None;
        for (leaf, value) in edge.leaves().iter().zip(value.leaves()) {
            if !value.elem().is_float() {
                continue;
            }
            let odd = |x: f64| x.is_nan() || infinities && x.is_infinite();
            for (at, x) in value.to_f64s().into_iter().enumerate().filter(|(_, x)| odd(*x)) {
                let found = found.get_or_insert_with(|| {
                    let index = index_of(value.dims(), at);
                    let place: String = index.iter().map(|i| format!("[{i}]")).collect();
                    let row = index.first().copied().unwrap_or(0);
                    NotFinite { nans: 0, infinities: 0, place: format!("{}{place}", leaf.path), row }
                });
                found.nans += usize::from(x.is_nan());
                found.infinities += usize::from(x.is_infinite());
            }
        }
        found
    }

    /// "2 NaNs and 1 infinity"
    pub fn words(&self) -> String {
        let counted = |count: usize, one: &str, several: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {several}")),
        };
        let parts = [counted(self.nans, "NaN", "NaNs"), counted(self.infinities, "infinity", "infinities")];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_ir::{Data, Value};

    #[test]
    fn elements_are_counted_and_the_first_is_placed() {
        let mut func = arr_ir::Func::new("f");
        let n = func.scalar_var("n", arr_ir::Scalar::I64);
        let n = func.types.size(arr_ir::Poly::var(n));
        let float = || Edge::Scalar(arr_ir::Scalar::F64);
        let row = Edge::Array(n, Box::new(float()));
        let edge = Edge::Record(vec![("a".to_string(), float()), ("w".to_string(), Edge::Array(n, Box::new(row)))]);
        let matrix = |elements: [f64; 4]| {
            let leaf = Value::array(vec![2, 2], Data::F64(elements.to_vec()));
            let fields = [("a", EdgeValue::scalar(arr_ir::Const::F64(1.0))), ("w", EdgeValue::Leaf(leaf))];
            EdgeValue::Record(fields.map(|(name, value)| (name.to_string(), value)).to_vec())
        };
        let value = matrix([1.0, f64::INFINITY, f64::NAN, f64::NAN]);
        let both = NotFinite::of(&edge, &value, true);
        assert_eq!(
            both.map(|f| (f.words(), f.place, f.row)),
            Some(("2 NaNs and 1 infinity".into(), ".w[0][1]".into(), 0))
        );
        let nans = NotFinite::of(&edge, &value, false);
        assert_eq!(nans.map(|f| (f.words(), f.place, f.row)), Some(("2 NaNs".into(), ".w[1][0]".into(), 1)));
        assert_eq!(NotFinite::of(&edge, &matrix([0.0; 4]), true), None);
    }
}
