//! Inputs of workloads: streams of numbers that any language can reproduce, and files of them.
//!
//! Number `i` of the stream with seed `s` is made by splitmix64 (Steele, Lea and Flood, 2014) from the state `s + (i + 1) *
//! 0x9e3779b97f4a7c15`; its 53 upper bits are a number between 0 and 1.

use std::f64::consts::TAU;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// One argument of a workload.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: &'static str,
    pub kind: InputKind,
}

#[derive(Clone, Debug)]
pub enum InputKind {
    /// An `i64`.
    Number(i64),
    F64(Vec<usize>, Floats),
    F32(Vec<usize>, Floats),
    I64(Vec<usize>, Integers),
}

/// The origin of floats.
#[derive(Clone, Debug)]
pub enum Floats {
    /// `low + (high - low) * u`, with `u` uniform between 0 and 1.
    Uniform {
        seed: u64,
        low: f64,
        high: f64,
    },
    /// `scale` times a draw of the standard normal distribution.
    Normal {
        seed: u64,
        scale: f64,
    },
    /// These, repeatedly, plus `spread` times a draw of the standard normal distribution.
    Near {
        seed: u64,
        centre: Vec<f64>,
        spread: f64,
    },
    /// From the first to the last number, at equal distances.
    Steps {
        low: f64,
        high: f64,
    },
    /// Ten to the power of uniform numbers.
    Powers {
        seed: u64,
        low: f64,
        high: f64,
    },
    Zeros,
}

/// The origin of integers.
#[derive(Clone, Debug)]
pub enum Integers {
    /// Below the bound, all equally likely.
    Below { seed: u64, bound: i64 },
    /// These.
    Listed(Vec<i64>),
    /// The numbers below the bound in turn.
    Turns { bound: i64 },
    /// Increasing indices, `mean` apart on average, the first 0 and the last `(n - 1) * mean`: the starts of the rows
    /// of a sparse matrix.
    Starts { seed: u64, mean: i64 },
}

/// Uniform numbers between 0 and 1, 1 excluded.
fn uniform(seed: u64, i: usize) -> f64 {
    let mut z = seed.wrapping_add((i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 * (-53f64).exp2()
}

/// Draws of the standard normal distribution, by the method of Box and Muller over two streams.
fn normal(seed: u64, i: usize) -> f64 {
    let (a, b) = (uniform(seed, i), uniform(seed.wrapping_add(1_000_003), i));
    (-2.0 * (-a).ln_1p()).sqrt() * (TAU * b).cos()
}

impl Floats {
    fn make(&self, count: usize) -> Vec<f64> {
        let indices = 0..count;
        match self {
            Floats::Uniform { seed, low, high } => indices.map(|i| low + (high - low) * uniform(*seed, i)).collect(),
            Floats::Normal { seed, scale } => indices.map(|i| scale * normal(*seed, i)).collect(),
            Floats::Near { seed, centre, spread } => {
                indices.map(|i| centre[i % centre.len()] + spread * normal(*seed, i)).collect()
            }
            Floats::Steps { low, high } => {
                let width = (count.max(2) - 1) as f64;
                indices.map(|i| low + (high - low) * i as f64 / width).collect()
            }
            Floats::Powers { seed, low, high } => {
                indices.map(|i| 10f64.powf(low + (high - low) * uniform(*seed, i))).collect()
            }
            Floats::Zeros => vec![0.0; count],
        }
    }
}

impl Integers {
    fn make(&self, count: usize) -> Vec<i64> {
        match self {
            Integers::Below { seed, bound } => (0..count).map(|i| (uniform(*seed, i) * *bound as f64) as i64).collect(),
            Integers::Listed(numbers) => numbers.iter().copied().cycle().take(count).collect(),
            Integers::Turns { bound } => (0..count as i64).map(|i| i % bound).collect(),
            Integers::Starts { seed, mean } => {
                // The ends of rows are moved from even ones by less than half a row each way, so they stay in order.
                let last = count.max(1) - 1;
                let moved = |i: usize| {
                    let by = if i == 0 || i == last { 0.0 } else { uniform(*seed, i) - 0.5 };
                    i as i64 * mean + (by * *mean as f64) as i64
                };
                (0..count).map(moved).collect()
            }
        }
    }
}

impl Input {
    /// The argument of a program: `name=3` or `name=@file`. Writes the file.
    pub fn argument(&self, directory: &Path) -> Result<String, String> {
        if let InputKind::Number(n) = self.kind {
            return Ok(format!("{}={n}", self.name));
        }
        let path = directory.join(format!("{}.npy", self.name));
        self.write(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(format!("{}=@{}", self.name, path.display()))
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        match &self.kind {
            InputKind::Number(_) => Ok(()),
            InputKind::F64(shape, from) => {
                write_npy(path, "<f8", shape, from.make(elements(shape)).iter().map(|x| x.to_le_bytes()))
            }
            InputKind::F32(shape, from) => {
                write_npy(path, "<f4", shape, from.make(elements(shape)).iter().map(|x| (*x as f32).to_le_bytes()))
            }
            InputKind::I64(shape, from) => {
                write_npy(path, "<i8", shape, from.make(elements(shape)).iter().map(|x| x.to_le_bytes()))
            }
        }
    }
}

fn elements(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Version 1.0 of the format of NumPy: a header of text, padded so that the numbers start at a multiple of 64.
fn write_npy<const N: usize>(
    path: &Path,
    descr: &str,
    shape: &[usize],
    numbers: impl Iterator<Item = [u8; N]>,
) -> std::io::Result<()> {
    let dims: String = shape.iter().map(|n| format!("{n},")).collect();
    let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}");
    let length = (10 + dict.len() + 1).next_multiple_of(64) - 10;
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(length as u16).to_le_bytes())?;
    file.write_all(format!("{dict:<width$}\n", width = length - 1).as_bytes())?;
    for number in numbers {
        file.write_all(&number)?;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        // The first outputs for the seed 1234567, as published with the generator.
        let bits = |i| (uniform(1_234_567, i) * 53f64.exp2()) as u64;
        assert_eq!(bits(0), 6_457_827_717_110_365_317 >> 11);
        assert_eq!(bits(1), 3_203_168_211_198_807_973 >> 11);
    }

    #[test]
    fn normal_numbers_have_mean_0_and_variance_1() {
        let draws = Floats::Normal { seed: 7, scale: 1.0 }.make(20_000);
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }

    #[test]
    fn rows_start_in_order() {
        let starts = Integers::Starts { seed: 3, mean: 10 }.make(1001);
        assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!((starts[0], starts[1000]), (0, 10_000));
    }
}
