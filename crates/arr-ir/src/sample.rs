//! Deterministic sample arguments: for tests, and for checking derivatives when no point is given.

use crate::{Const, Data, Func, Scalar, Value};

/// A small linear congruential generator (Knuth's MMIX constants). Not for statistics.
#[derive(Clone, Debug)]
pub struct Lcg(u64);

impl Lcg {
    pub fn new(seed: u64) -> Self {
        Lcg(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The high bits are more random.
        self.0 >> 11 ^ self.0 >> 33
    }

    /// Uniform in `lo .. hi`.
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        let unit = (self.next_u64() % (1 << 40)) as f64 / (1u64 << 40) as f64;
        lo + (hi - lo) * unit
    }

    /// A scalar: floats in `0.2 .. 1.8` (inside the domain of every elementary function, away from kinks), integers 0 to 2.
    pub fn scalar(&mut self, elem: Scalar) -> Const {
        match elem {
            Scalar::F64 => Const::F64(self.uniform(0.2, 1.8)),
            Scalar::F32 => Const::F32(self.uniform(0.2, 1.8) as f32),
            Scalar::Bool => Const::Bool(self.next_u64().is_multiple_of(2)),
            Scalar::I32 | Scalar::I64 | Scalar::U32 => Const::of_int(elem, (self.next_u64() % 3) as i64),
        }
    }
}

/// One argument per parameter for the given values of the size parameters; `None` when a parameter's size cannot be
/// computed from them or is negative.
pub fn args(func: &Func, sizes: &[i64], seed: u64) -> Option<Vec<Value>> {
    let mut rng = Lcg::new(seed);
    func.params
        .iter()
        .map(|&p| {
            let ty = func.ty(p);
            let dims: Option<Vec<i64>> = ty
                .dims
                .iter()
                .map(|&d| {
                    func.types
                        .poly(d)
                        .eval(&mut |v| func.sizes.iter().position(|s| *s == v).and_then(|k| sizes.get(k).copied()))
                        .filter(|n| *n >= 0)
                })
                .collect();
            let dims = dims?;
            if dims.is_empty() {
                return Some(Value::Scalar(rng.scalar(ty.elem)));
            }
            let len = dims.iter().product::<i64>() as usize;
            let mut data = Data::zeros(ty.elem, len);
            for i in 0..len {
                let _fits = data.set(i, rng.scalar(ty.elem));
            }
            Some(Value::array(dims, data))
        })
        .collect()
}
