//! Arguments for properties: small sizes first, then larger ones; special numbers among ordinary ones.

use arr_ir::{Const, Data, Edge, Func, Scalar, Value, VarId};
use std::collections::BTreeMap;

/// A stream of random numbers determined by its seed (SplitMix64, after Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of one case of one test.
    pub fn new(seed: u64, name: &str, case: u64) -> Random {
        // FNV-1a, so that tests with different names get different arguments.
        let hash =
            name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        let mut random = Random(seed ^ hash.rotate_left(17) ^ case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.draw();
        random
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// `0 .. n-1`
    pub fn below(&mut self, n: u64) -> u64 {
        self.draw() % n.max(1)
    }

    fn choose<T: Copy>(&mut self, from: &[T], or: T) -> T {
        let i = usize::try_from(self.below(from.len() as u64)).unwrap_or(0);
        from.get(i).copied().unwrap_or(or)
    }

    /// Uniform on `[0, 1)`.
    fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of the standard normal distribution.
    fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.unit(), self.unit());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// The inputs of a function: a value for each variable that is a size, and its leaves.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Case {
    pub sizes: BTreeMap<VarId, i64>,
    pub leaves: Vec<Value>,
}

impl Case {
    /// The values of [`Func::sizes`].
    pub fn size_values(&self, func: &Func) -> Vec<i64> {
        func.sizes.iter().map(|v| self.sizes.get(v).copied().unwrap_or(0)).collect()
    }
}

/// The maximal number of elements of an argument.
const MOST: i64 = 20_000;
/// The number of draws of sizes before giving up on a shape such as `[n - 3]`.
const ATTEMPTS: u64 = 200;
/// Small primes reveal errors in strides; 0, 1 and 2 errors at ends.
const SIZES: &[i64] = &[1, 2, 0, 3, 5, 4, 7, 8, 11, 13];

/// The purpose of the arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    Property,
    /// No array is empty and no number special: functions often have a kink at 0.
    Gradient,
}

/// The variables that are sizes: size parameters, and the `i64` parameters that types mention.
pub(crate) fn size_variables(func: &Func) -> Vec<VarId> {
    let mut all = func.sizes.clone();
    for &param in &func.params {
        let Some(info) = func.vars.get(param) else { continue };
        for dim in func.types.get(info.ty).dims.iter() {
            for var in func.types.poly(*dim).vars() {
                if !all.contains(&var) {
                    all.push(var);
                }
            }
        }
    }
    all
}

/// The extents of a leaf under these sizes; `None` if one is negative or all of them are too many elements.
pub(crate) fn extents(func: &Func, param: VarId, sizes: &BTreeMap<VarId, i64>) -> Option<Vec<i64>> {
    let ty = func.types.get(func.vars.get(param)?.ty);
    let extent = |dim: &arr_ir::SizeId| func.types.poly(*dim).eval(&mut |v| sizes.get(&v).copied()).filter(|n| *n >= 0);
    let dims: Vec<i64> = ty.dims.iter().map(extent).collect::<Option<_>>()?;
    let count = dims.iter().try_fold(1i64, |n, d| n.checked_mul(*d))?;
    (count <= MOST).then_some(dims)
}

pub(crate) fn scalar_of(func: &Func, param: VarId) -> Scalar {
    func.vars.get(param).map_or(Scalar::F64, |info| func.types.get(info.ty).elem)
}

/// Arguments for one case; `None` if no sizes were found that the declared shapes allow.
pub(crate) fn case(func: &Func, random: &mut Random, number: u64, purpose: Purpose) -> Option<Case> {
    let variables = size_variables(func);
    let shapes = |sizes: &BTreeMap<VarId, i64>| -> Option<Vec<Vec<i64>>> {
        let shapes: Vec<Vec<i64>> = func.params.iter().map(|p| extents(func, *p, sizes)).collect::<Option<_>>()?;
        let empty = shapes.iter().flatten().any(|d| *d == 0);
        (purpose == Purpose::Property || !empty).then_some(shapes)
    };
    for attempt in 0..ATTEMPTS {
        // Later cases, and shapes that small sizes do not fit, get larger ones.
        let choices = usize::try_from(2 + number / 4 + attempt / 8).unwrap_or(usize::MAX).min(SIZES.len());
        let from = SIZES.get(..choices).unwrap_or(SIZES);
        let mut sizes = BTreeMap::new();
        for var in &variables {
            let mut size = random.choose(from, 1);
            if purpose == Purpose::Gradient {
                size = size.max(1);
            }
            sizes.insert(*var, size);
        }
        if let Some(shapes) = shapes(&sizes) {
            let leaves = func.params.iter().zip(shapes).map(|(param, dims)| match sizes.get(param) {
                Some(size) => Value::Scalar(Const::I64(*size)),
                None => value(random, scalar_of(func, *param), dims, purpose),
            });
            let mut leaves: Vec<Value> = leaves.collect();
            settle(func, &mut leaves);
            return Some(Case { sizes, leaves });
        }
    }
    None
}

/// Sizes and leaves to call a function with, finite and not special; later numbers have larger sizes. `None` if no sizes were
/// found that the declared shapes allow.
pub fn arguments(func: &Func, random: &mut Random, number: u64) -> Option<(Vec<i64>, Vec<Value>)> {
    let case = case(func, random, number, Purpose::Gradient)?;
    Some((case.size_values(func), case.leaves))
}

/// Makes the leaves of sums consistent: a tag names a constructor, and the payloads of the others are zero.
pub(crate) fn settle(func: &Func, leaves: &mut [Value]) {
    let mut at = 0;
    for param in &func.edge_params {
        settle_edge(&param.ty, leaves, &mut at);
    }
}

fn settle_edge(edge: &Edge, leaves: &mut [Value], at: &mut usize) {
    match edge {
        Edge::Scalar(_) => *at += 1,
        Edge::Array(_, inner) => settle_edge(inner, leaves, at),
        Edge::Tuple(items) => items.iter().for_each(|item| settle_edge(item, leaves, at)),
        Edge::Record(fields) => fields.iter().for_each(|(_, field)| settle_edge(field, leaves, at)),
        Edge::Sum { constructors, .. } => {
            let mut tags = None;
            if Edge::has_tag(constructors) {
                let count = i64::try_from(constructors.len()).unwrap_or(1).max(1);
                if let Some(tag) = leaves.get_mut(*at) {
                    *tag = map(tag, |_, x| Const::I64(x.as_i64().unwrap_or(0).rem_euclid(count)));
                    tags = Some(tag.clone());
                }
                *at += 1;
            }
            for (own, (_, fields)) in (0..).zip(constructors) {
                let start = *at;
                fields.iter().for_each(|field| settle_edge(field, leaves, at));
                let carried = leaves.get_mut(start..*at).unwrap_or_default();
                if let Some(tags) = &tags {
                    carried.iter_mut().for_each(|leaf| clear(leaf, tags, own));
                }
            }
        }
    }
}

/// Zero where the tag is another one. The axes of the tag are the outer axes of the leaf.
fn clear(leaf: &mut Value, tags: &Value, own: i64) {
    let tags: Vec<i64> = match tags {
        Value::Scalar(tag) => vec![tag.as_i64().unwrap_or(0)],
        Value::Array(array) => (0..array.data.len()).filter_map(|i| array.data.get(i)?.as_i64()).collect(),
    };
    let count = match &*leaf {
        Value::Scalar(_) => 1,
        Value::Array(array) => array.data.len(),
    };
    let block = count.checked_div(tags.len()).unwrap_or(0).max(1);
    let elem = leaf.elem();
    let zero = Data::zeros(elem, 1).get(0);
    *leaf = map(leaf, |i, x| if tags.get(i / block) == Some(&own) { x } else { zero.unwrap_or(x) });
}

/// Each element, with its index.
pub(crate) fn map(leaf: &Value, f: impl Fn(usize, Const) -> Const) -> Value {
    match leaf {
        Value::Scalar(x) => Value::Scalar(f(0, *x)),
        Value::Array(array) => {
            let mut data = array.data.clone();
            for i in 0..data.len() {
                if let Some(x) = data.get(i) {
                    let _ = data.set(i, f(i, x));
                }
            }
            Value::array(array.dims.clone(), data)
        }
    }
}

fn value(random: &mut Random, elem: Scalar, dims: Vec<i64>, purpose: Purpose) -> Value {
    if dims.is_empty() {
        return Value::Scalar(scalar(random, elem, purpose));
    }
    let count = usize::try_from(dims.iter().product::<i64>()).unwrap_or(0);
    let mut data = Data::zeros(elem, count);
    for i in 0..count {
        let _ = data.set(i, scalar(random, elem, purpose));
    }
    Value::array(dims, data)
}

fn scalar(random: &mut Random, elem: Scalar, purpose: Purpose) -> Const {
    match elem {
        Scalar::Bool => Const::Bool(random.below(2) == 0),
        Scalar::I32 => {
            Const::I32(i32::try_from(integer(random, i64::from(i32::MIN), i64::from(i32::MAX))).unwrap_or(0))
        }
        Scalar::I64 => Const::I64(integer(random, i64::MIN, i64::MAX)),
        Scalar::U32 => Const::U32(u32::try_from(integer(random, 0, i64::from(u32::MAX))).unwrap_or(0)),
        Scalar::F32 => Const::F32(float(random, purpose) as f32),
        Scalar::F64 => Const::F64(float(random, purpose)),
    }
}

/// Mostly small; the ends of the type's range now and then.
fn integer(random: &mut Random, least: i64, most: i64) -> i64 {
    let drawn = match random.below(20) {
        0 => random.choose(&[least, most, most - 1], 0),
        1..=4 => random.below(2001) as i64 - 1000,
        5..=11 => random.below(21) as i64 - 10,
        _ => random.choose(&[0, 1, -1, 2, 3], 0),
    };
    drawn.clamp(least, most)
}

/// Finite: normals, and now and then a number that code tends to treat specially.
fn float(random: &mut Random, purpose: Purpose) -> f64 {
    let special = purpose == Purpose::Property && random.below(4) == 0;
    match random.below(8) {
        _ if special => random.choose(&[0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 1e3, -1e3, 1e-3], 0.0),
        0 => random.normal() * 10.0,
        // Far from 0, where many functions have kinks, and with few digits, so that they are easy to read.
        1..=3 => (random.normal() * 64.0).round() / 64.0 + 1.0 / 128.0,
        _ => random.normal(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_follow_from_seed_name_and_case() {
        let draw = |seed, name, case| Random::new(seed, name, case).draw();
        assert_eq!(draw(1, "a", 2), draw(1, "a", 2));
        assert!(draw(1, "a", 2) != draw(2, "a", 2) && draw(1, "a", 2) != draw(1, "b", 2));
        assert_ne!(draw(1, "a", 2), draw(1, "a", 3));
    }

    #[test]
    fn floats_are_finite_and_integers_fit() {
        let mut random = Random::new(0, "", 0);
        for _ in 0..10_000 {
            assert!(float(&mut random, Purpose::Property).is_finite());
            let i = integer(&mut random, -5, 7);
            assert!((-5..=7).contains(&i));
        }
    }
}
