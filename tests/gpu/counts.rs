//! The amount of work for a device, for the workloads of the benchmark at small sizes: at most a given number of
//! kernels, one submission if nothing must be fetched on the way, and transfers of no more bytes than arguments,
//! results and parameters.

use super::programs::{Test, told};
use arr_data::Arg;
use arr_driver::{Derive, DeviceReport, Floats, OsWorld, Session};
use arr_ir::Value;
use arr_tests::derivative::Random;
use arr_tests::trial::Trial;
use arr_tests::{Outcome, files};

/// An argument.
enum Of {
    /// Floats of this shape.
    F(&'static [usize]),
    /// Integers of this shape, from 0 to below the limit.
    I(&'static [usize], i64),
    N(i64),
    Text(&'static str),
}

use Of::{F, I, N, Text};

/// A program, the definition, its arguments, and the maximal number of kernels.
type Row = (&'static str, &'static str, &'static [Of], u64);

const MIXTURE: &[Of] = &[
    Text(
        "{logw = [0.1, -0.2], mean = [[0.0, 0.5], [1.0, 0.2]], logdiag = [[0.1, 0.2], [0.0, 0.3]], \
         below = [[[0.0, 0.0], [0.3, 0.0]], [[0.0, 0.0], [0.2, 0.0]]]}",
    ),
    F(&[1000, 2]),
];
const GMM: &[Of] = &[F(&[5]), F(&[5, 4]), F(&[5, 4]), F(&[5, 6]), F(&[1000, 4])];
const CONV: &[Of] =
    &[F(&[3, 1, 5, 5]), F(&[3]), F(&[3, 3, 5, 5]), F(&[3]), F(&[10, 147]), F(&[10]), F(&[4, 1, 28, 28]), I(&[4], 10)];
const LSTM: &[Of] = &[F(&[6, 20]), F(&[5, 20]), F(&[20]), F(&[5, 6]), I(&[5, 4], 6)];
const ATTENTION: &[Of] = &[F(&[2, 16, 8]), F(&[2, 16, 8]), F(&[2, 16, 8])];
const NBODY: &[Of] = &[F(&[64, 3]), F(&[64, 3]), F(&[64]), N(4)];
const KMEANS: &[Of] = &[F(&[5, 4]), F(&[1000, 4])];
const SOFTMAX: &[Of] = &[F(&[3, 5]), F(&[3]), F(&[1000, 5]), I(&[1000], 3)];
const BLACK_SCHOLES: &[Of] = &[F(&[5]), F(&[10000])];
const HEAT: &[Of] = &[F(&[20, 30]), F(&[20, 30]), N(5)];
const LSE: &[Of] = &[F(&[100000])];

const ROWS: &[Row] = &[
    ("examples/mixture", "gradient", MIXTURE, 12),
    ("bench/workloads/gmm", "value", GMM, 13),
    ("bench/workloads/gmm", "gradient", GMM, 18),
    ("bench/workloads/conv", "value", CONV, 11),
    ("bench/workloads/conv", "gradient", CONV, 22),
    ("bench/workloads/lstm", "value", LSTM, 26),
    ("bench/workloads/lstm", "gradient", LSTM, 69),
    ("bench/workloads/attention", "value", ATTENTION, 5),
    ("bench/workloads/attention", "gradient", ATTENTION, 8),
    ("bench/workloads/nbody", "value", NBODY, 13),
    ("bench/workloads/nbody", "gradient", NBODY, 30),
    ("bench/workloads/kmeans", "value", KMEANS, 2),
    ("bench/workloads/kmeans", "gradient", KMEANS, 9),
    ("bench/workloads/softmax", "value", SOFTMAX, 4),
    ("bench/workloads/softmax", "gradient", SOFTMAX, 6),
    ("bench/workloads/black_scholes", "value", BLACK_SCHOLES, 1),
    ("bench/workloads/black_scholes", "gradient", BLACK_SCHOLES, 1),
    ("bench/workloads/heat", "value", HEAT, 7),
    ("bench/workloads/heat", "gradient", HEAT, 22),
    ("bench/workloads/lse", "value", LSE, 7),
    ("bench/workloads/lse", "gradient", LSE, 9),
];

/// For each kernel there is a block of parameters, at an address that is a multiple of this.
const BLOCK: u64 = 256;
/// The fault buffer, and the scalars of the device.
const EXTRA: u64 = 512;

pub fn trials(device: &DeviceReport) -> Vec<Trial> {
    let number = device.number;
    ROWS.iter()
        .map(|row| {
            let name = row.0.rsplit('/').next().unwrap_or(row.0);
            let trial = format!("counts::{name}::{}", row.1);
            Trial::test(trial, move || Ok(super::deep(move || counted(row, number))?))
        })
        .collect()
}

fn counted((name, entry, of, most): &Row, device: usize) -> Outcome {
    let test = Test { floats: Floats::F32, device, portable: false };
    let path = files::root().join(format!("{name}.arr"));
    let mut session = Session::new(OsWorld);
    let mut program = session.program(&path.to_string_lossy(), entry, &Derive::Nothing).map_err(told)?;
    let mut random = Random::new();
    let texts: Vec<String> = of.iter().map(|of| text(of, &mut random)).collect();
    let args: Vec<Arg> = texts.iter().map(|text| Arg::parse(text)).collect();
    let (sizes, leaves) = session.arguments(&program, &args).map_err(told)?;
    let outcome = program.run(&sizes, &leaves, &test.execution()).map_err(told)?;
    let count = |name: &str| outcome.statistics.iter().find(|(n, _)| *n == name).map_or(u64::MAX, |(_, count)| *count);
    let kernels = count("kernels");
    let results = result_bytes(&arr_data::to_literal(&outcome.value));
    let limits = [
        ("kernels", *most),
        ("submissions", 1),
        ("bytes to the device", leaves.iter().map(bytes).sum::<u64>() + BLOCK * kernels + EXTRA),
        ("bytes from the device", results + EXTRA),
    ];
    let over: Vec<String> = limits
        .into_iter()
        .filter(|(name, limit)| count(name) > *limit)
        .map(|(name, limit)| format!("{} {name}, where {limit} are enough", count(name)))
        .collect();
    if over.is_empty() { Ok(()) } else { Err(over.join("\n")) }
}

/// The bytes of an argument on the device, in `f32`; scalars are parameters.
fn bytes(value: &Value) -> u64 {
    let Value::Array(array) = value else { return 0 };
    let each = if array.data.elem() == arr_ir::Scalar::I64 { 8 } else { 4 };
    array.data.len() as u64 * each
}

/// The bytes of the numbers of a printed result.
fn result_bytes(text: &str) -> u64 {
    let numbers = arr_tests::values::words(text).into_iter().filter(|word| word.contains(|c: char| c.is_ascii_digit()));
    4 * numbers.count() as u64
}

/// An argument's text, its floats between 0 and 1.
fn text(of: &Of, random: &mut Random) -> String {
    match of {
        N(n) => n.to_string(),
        Text(text) => (*text).to_string(),
        F(shape) => array(shape, &mut || format!("{:.4}", random.next().abs() - 0.5)),
        I(shape, bound) => array(shape, &mut || ((random.next().abs() * 1000.0) as i64 % bound).to_string()),
    }
}

fn array(shape: &[usize], element: &mut dyn FnMut() -> String) -> String {
    match shape {
        [] => element(),
        [n, rest @ ..] => format!("[{}]", (0..*n).map(|_| array(rest, element)).collect::<Vec<_>>().join(",")),
    }
}
