//! Shrinks failing arguments: first the sizes, then the elements towards 0, then to numbers of fewer digits.

use crate::generate::{Case, Purpose, extents, map, settle, size_variables};
use arr_driver::Failure;
use arr_ir::{Const, Data, Func, Value, VarId};

/// The number of test runs spent on finding simpler arguments.
const STEPS: usize = 400;
/// Larger arrays are simplified only as a whole.
const SINGLE: usize = 64;

/// Searches for simpler arguments for which `fails` still returns true.
pub(crate) struct Shrinker<'a, F: FnMut(&Case) -> Result<bool, Failure>> {
    pub func: &'a Func,
    pub purpose: Purpose,
    pub fails: F,
    pub steps: usize,
}

impl<'a, F: FnMut(&Case) -> Result<bool, Failure>> Shrinker<'a, F> {
    pub fn new(func: &'a Func, purpose: Purpose, fails: F) -> Self {
        Shrinker { func, purpose, fails, steps: STEPS }
    }

    /// The simplest failing arguments that were found.
    pub fn shrink(&mut self, mut best: Case) -> Result<Case, Failure> {
        // Each round that changes something makes the arguments simpler, and the steps are counted.
        loop {
            let mut changed = self.sizes(&mut best)?;
            for leaf in 0..best.leaves.len() {
                changed |= self.leaf(&mut best, leaf)?;
            }
            if !changed || self.steps == 0 {
                return Ok(best);
            }
        }
    }

    /// Takes a candidate if it still fails.
    fn take(&mut self, best: &mut Case, mut candidate: Case) -> Result<bool, Failure> {
        settle(self.func, &mut candidate.leaves);
        if self.steps == 0 || candidate == *best {
            return Ok(false);
        }
        self.steps -= 1;
        let fails = (self.fails)(&candidate)?;
        if fails {
            *best = candidate;
        }
        Ok(fails)
    }

    fn sizes(&mut self, best: &mut Case) -> Result<bool, Failure> {
        let least = if self.purpose == Purpose::Gradient { 1 } else { 0 };
        let mut changed = false;
        for var in size_variables(self.func) {
            while let Some(size) = best.sizes.get(&var).copied().filter(|n| *n > least) {
                let taken = self.smaller(best, var, size, least)?;
                if !taken {
                    break;
                }
                changed = true;
            }
        }
        Ok(changed)
    }

    /// Takes the first smaller value of a size for which the test still fails.
    fn smaller(&mut self, best: &mut Case, var: VarId, size: i64, least: i64) -> Result<bool, Failure> {
        for n in [least, size / 2, size - 1].into_iter().filter(|n| (least..size).contains(n)) {
            for end in [false, true] {
                if let Some(candidate) = self.resized(best, var, n, end)
                    && self.take(best, candidate)?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The arguments with one size changed: arrays are cut, or filled up with zeros. A cut keeps the beginning, or the
    /// end.
    fn resized(&self, case: &Case, var: VarId, size: i64, end: bool) -> Option<Case> {
        let mut sizes = case.sizes.clone();
        sizes.insert(var, size);
        let mut leaves = Vec::new();
        for (param, leaf) in self.func.params.iter().zip(&case.leaves) {
            leaves.push(match (sizes.get(param), leaf) {
                (Some(size), _) => Value::Scalar(Const::I64(*size)),
                (None, Value::Scalar(_)) => leaf.clone(),
                (None, Value::Array(array)) => {
                    let dims = extents(self.func, *param, &sizes)?;
                    if self.purpose == Purpose::Gradient && dims.contains(&0) {
                        return None;
                    }
                    cut(&array.dims, &array.data, dims, end)
                }
            });
        }
        Some(Case { sizes, leaves })
    }

    fn leaf(&mut self, best: &mut Case, at: usize) -> Result<bool, Failure> {
        // The value of a size belongs to the sizes.
        if self.func.params.get(at).is_some_and(|param| best.sizes.contains_key(param)) {
            return Ok(false);
        }
        let Some(leaf) = best.leaves.get(at) else { return Ok(false) };
        let count = match leaf {
            Value::Scalar(_) => 1,
            Value::Array(array) => array.data.len(),
        };
        let mut changed = false;
        for step in [zero, whole, short] {
            changed |= self.change(best, at, |_, x| step(x))?;
        }
        for i in (0..count).filter(|_| count > 1 && count <= SINGLE) {
            for step in [zero, whole, half, three_quarters, nearer, short] {
                changed |= self.change(best, at, |j, x| if i == j { step(x) } else { x })?;
            }
        }
        if count == 1 {
            for step in [half, three_quarters, nearer] {
                while self.change(best, at, |_, x| step(x))? {
                    changed = true;
                }
            }
        }
        Ok(changed)
    }

    fn change(&mut self, best: &mut Case, at: usize, f: impl Fn(usize, Const) -> Const) -> Result<bool, Failure> {
        let mut candidate = best.clone();
        let Some(leaf) = candidate.leaves.get_mut(at) else { return Ok(false) };
        // Many functions have a kink at zero, where derivatives may differ for another reason than the one found.
        let keeps = self.purpose == Purpose::Gradient;
        let kink = |x: Const| keeps && x.scalar().is_float() && x.as_f64() == Some(0.0);
        *leaf = map(leaf, |i, x| Some(f(i, x)).filter(|&new| !kink(new)).unwrap_or(x));
        self.take(best, candidate)
    }
}

fn zero(x: Const) -> Const {
    match x {
        Const::Bool(_) => Const::Bool(false),
        Const::I32(_) => Const::I32(0),
        Const::I64(_) => Const::I64(0),
        Const::U32(_) => Const::U32(0),
        Const::F32(_) => Const::F32(0.0),
        Const::F64(_) => Const::F64(0.0),
    }
}

/// Without its fractional part.
fn whole(x: Const) -> Const {
    match x {
        Const::F32(x) => Const::F32(x.trunc() + 0.0),
        Const::F64(x) => Const::F64(x.trunc() + 0.0),
        other => other,
    }
}

/// Half of it; an integer if it was one.
fn half(x: Const) -> Const {
    match x {
        Const::Bool(b) => Const::Bool(b),
        Const::I32(i) => Const::I32(i / 2),
        Const::I64(i) => Const::I64(i / 2),
        Const::U32(u) => Const::U32(u / 2),
        Const::F32(x) if x == x.trunc() => Const::F32((x / 2.0).trunc()),
        Const::F64(x) if x == x.trunc() => Const::F64((x / 2.0).trunc()),
        other => other,
    }
}

/// A quarter nearer to 0, for integers.
fn three_quarters(x: Const) -> Const {
    match x {
        Const::I32(i) => Const::I32(i - i / 4),
        Const::I64(i) => Const::I64(i - i / 4),
        Const::U32(u) => Const::U32(u - u / 4),
        Const::F64(x) if x == x.trunc() => Const::F64(x - (x / 4.0).trunc()),
        other => other,
    }
}

/// The next integer towards 0.
fn nearer(x: Const) -> Const {
    match x {
        Const::I32(i) => Const::I32(i - i.signum()),
        Const::I64(i) => Const::I64(i - i.signum()),
        Const::U32(u) => Const::U32(u.saturating_sub(1)),
        Const::F64(x) if x != 0.0 && x == x.trunc() => Const::F64(x - x.signum()),
        other => other,
    }
}

/// With one decimal digit.
fn short(x: Const) -> Const {
    match x {
        // Adding zero leaves no negative zero.
        Const::F32(x) if x.abs() < 1e6 => Const::F32((x * 10.0).round() / 10.0 + 0.0),
        Const::F64(x) if x.abs() < 1e12 => Const::F64((x * 10.0).round() / 10.0 + 0.0),
        other => other,
    }
}

/// An array with other extents: common elements are kept, the rest is zero. Along an axis that gets shorter the
/// beginning is kept, or the end.
fn cut(dims: &[i64], data: &Data, new: Vec<i64>, end: bool) -> Value {
    let extent = |d: i64| usize::try_from(d).unwrap_or(0);
    let count = new.iter().map(|d| extent(*d)).product();
    let mut kept = Data::zeros(data.elem(), count);
    for place in 0..count {
        let (mut rest, mut from, mut stride, mut inside) = (place, 0, 1, true);
        for (old, new) in dims.iter().zip(&new).rev() {
            let skipped = if end { extent(*old).saturating_sub(extent(*new)) } else { 0 };
            let i = skipped + rest % extent(*new).max(1);
            rest /= extent(*new).max(1);
            inside &= i < extent(*old);
            from += i * stride;
            stride *= extent(*old);
        }
        if let Some(x) = data.get(from).filter(|_| inside) {
            let _ = kept.set(place, x);
        }
    }
    Value::array(new, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_cut_and_filled() {
        let data = Data::I64(vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(cut(&[2, 3], &data, vec![1, 2], true), Value::array(vec![1, 2], Data::I64(vec![5, 6])));
        assert_eq!(cut(&[2, 3], &data, vec![1, 2], false), Value::array(vec![1, 2], Data::I64(vec![1, 2])));
        assert_eq!(cut(&[2, 3], &data, vec![3, 1], false), Value::array(vec![3, 1], Data::I64(vec![1, 4, 0])));
        assert_eq!(cut(&[2, 3], &data, vec![0, 3], false), Value::array(vec![0, 3], Data::I64(vec![])));
    }

    #[test]
    fn numbers_get_simpler() {
        assert_eq!(whole(Const::F64(-2.7)), Const::F64(-2.0));
        assert_eq!(half(Const::I64(7)), Const::I64(3));
        assert_eq!(half(Const::F64(1.0)), Const::F64(0.0));
        assert_eq!(nearer(Const::I32(-2)), Const::I32(-1));
        assert_eq!(three_quarters(Const::I64(100)), Const::I64(75));
        assert_eq!(short(Const::F64(0.123)), Const::F64(0.1));
    }
}
