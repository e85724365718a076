//! The table of workloads: programs in `bench/workloads`, peers of the same names in `bench/peers`, and their inputs.

use crate::compare::Tolerance::{self, Largest, Mean};
use crate::input::{Floats, Input, InputKind, Integers};

mod models;
mod science;

/// A program and its sizes.
#[derive(Debug)]
pub struct Workload {
    pub name: &'static str,
    pub about: &'static str,
    /// The allowed distance of results.
    pub tolerance: Tolerance,
    pub cases: Vec<Case>,
}

/// Inputs of one size.
#[derive(Debug)]
pub struct Case {
    /// `n=1000`
    pub sizes: String,
    pub level: Level,
    pub inputs: Vec<Input>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Only for `--quick`.
    Quick,
    Normal,
    /// Only with `--large`.
    Large,
}

const F64: Tolerance = Largest(1e-9);
const F32: Tolerance = Largest(2e-4);
/// For second derivatives, powers and long sums that cancel.
const LOOSE: Tolerance = Largest(1e-8);

fn number(name: &'static str, n: usize) -> Input {
    Input { name, kind: InputKind::Number(n as i64) }
}

fn f64s(name: &'static str, shape: &[usize], from: Floats) -> Input {
    Input { name, kind: InputKind::F64(shape.to_vec(), from) }
}

fn f32s(name: &'static str, shape: &[usize], from: Floats) -> Input {
    Input { name, kind: InputKind::F32(shape.to_vec(), from) }
}

fn i64s(name: &'static str, shape: &[usize], from: Integers) -> Input {
    Input { name, kind: InputKind::I64(shape.to_vec(), from) }
}

fn uniform(seed: u64, low: f64, high: f64) -> Floats {
    Floats::Uniform { seed, low, high }
}

fn normal(seed: u64, scale: f64) -> Floats {
    Floats::Normal { seed, scale }
}

fn below(seed: u64, bound: usize) -> Integers {
    Integers::Below { seed, bound: bound as i64 }
}

/// The scale of random weights of a layer that reads `n` numbers.
fn fan(n: usize) -> f64 {
    1.0 / (n as f64).sqrt()
}

fn case(level: Level, sizes: String, inputs: Vec<Input>) -> Case {
    Case { sizes, level, inputs }
}

/// All workloads, in the order of the tables.
pub fn all() -> Vec<Workload> {
    use Level::{Large, Normal, Quick};
    let workload = |name, about, tolerance, cases| Workload { name, about, tolerance, cases };
    let mut all = vec![
        workload(
            "gmm",
            "Gaussian mixture (ADBench)",
            F64,
            vec![gmm(Quick, 2, 5, 60), gmm(Normal, 2, 5, 1000), gmm(Normal, 10, 25, 1000), gmm(Normal, 32, 25, 1000)]
                .into_iter()
                .chain([gmm(Normal, 64, 100, 1000), gmm(Large, 64, 100, 10_000)])
                .collect(),
        ),
        workload(
            "ba",
            "bundle adjustment, sparse Jacobian (ADBench)",
            F64,
            vec![ba(Quick, 4, 20, 100), ba(Normal, 49, 7776, 31_843), ba(Large, 257, 65_132, 225_911)],
        ),
        workload("ht", "hand tracking, Jacobian (ADBench)", F64, vec![ht(Quick, 30, 10), ht(Normal, 544, 200)]),
        workload(
            "dlstm",
            "LSTM with diagonal weights (ADBench)",
            F64,
            vec![dlstm(Quick, 2, 20), dlstm(Normal, 2, 1024), dlstm(Large, 4, 4096)],
        ),
        workload(
            "kmeans",
            "k-means, gradient and diagonal of the Hessian",
            LOOSE,
            vec![kmeans(Quick, 5, 200, 4), kmeans(Normal, 100, 10_000, 16), kmeans(Large, 1000, 10_000, 16)],
        ),
        workload("lse", "log-sum-exp", F64, vec![lse(Quick, 100), lse(Normal, 10_000), lse(Normal, 1_280_000)]),
        workload(
            "softmax",
            "softmax regression",
            F64,
            vec![softmax(Quick, 100, 5, 3), softmax(Normal, 10_000, 32, 10), softmax(Large, 1_280_000, 8, 4)],
        ),
        workload(
            "llsq",
            "least squares by Horner's rule",
            LOOSE,
            vec![llsq(Quick, 50, 8), llsq(Normal, 1024, 128), llsq(Normal, 16_392, 128)],
        ),
        workload(
            "matvec",
            "chain of matrix-vector products",
            F64,
            vec![matvec(Quick, 2, 20), matvec(Normal, 8, 256), matvec(Normal, 8, 1024)],
        ),
        workload(
            "mlp",
            "three dense layers, f32",
            F32,
            vec![mlp(Quick, 4, [20, 12, 8]), mlp(Normal, 128, [784, 300, 100])],
        ),
        workload("conv", "convolutional network on 28x28, f32", F32, vec![conv(Quick, 2, 2), conv(Normal, 64, 16)]),
        workload("lstm", "LSTM language model, f32", F32, vec![lstm(Quick, 3, 4, 5, 6), lstm(Normal, 20, 64, 128, 80)]),
        workload(
            "attention",
            "attention block, f32",
            F32,
            vec![attention(Quick, 2, 8, 4), attention(Normal, 8, 256, 64)],
        ),
        workload("nbody", "N-body, leapfrog", F64, vec![nbody(Quick, 20, 2), nbody(Normal, 1000, 4)]),
        workload("particle", "particles, a while loop", LOOSE, vec![particle(Quick, 10), particle(Normal, 1000)]),
        workload("lotka", "Lotka-Volterra ensemble, RK4", F64, vec![lotka(Quick, 10, 20), lotka(Normal, 1000, 200)]),
        workload("stiff", "stiff chain, implicit Euler", F64, vec![stiff(Quick, 10, 5), stiff(Normal, 200, 200)]),
        workload(
            "black_scholes",
            "Monte Carlo with greeks",
            LOOSE,
            vec![black_scholes(Quick, 100), black_scholes(Normal, 1_000_000)],
        ),
        workload("heat", "heat equation, 1,000 steps", F64, vec![heat(Quick, 12, 20), heat(Normal, 128, 1000)]),
        workload("histogram", "histogram", F64, vec![histogram(Quick, 200, 10), histogram(Normal, 1_000_000, 10_000)]),
        workload("spmv", "sparse matrix-vector product", F64, vec![spmv(Quick, 20, 3), spmv(Normal, 100_000, 16)]),
        workload(
            "mandelbrot",
            "Mandelbrot, primal only",
            Mean(0.01),
            vec![mandelbrot(Quick, 24, 50), mandelbrot(Normal, 400, 255)],
        ),
        workload(
            "chain",
            "elementwise chain with exp, sin and sqrt",
            F64,
            vec![chain(Quick, 100), chain(Normal, 1000), chain(Normal, 100_000), chain(Normal, 10_000_000)],
        ),
        workload(
            "axpy",
            "elementwise arithmetic and a sum",
            F64,
            vec![axpy(Quick, 100), axpy(Normal, 1000), axpy(Normal, 100_000), axpy(Normal, 10_000_000)],
        ),
        workload("copy", "an array times a number, primal only", F64, vec![copy(Quick, 100), copy(Normal, 10_000_000)]),
    ];
    all.extend(models::all());
    all.extend(science::all());
    all
}

fn gmm(level: Level, d: usize, k: usize, n: usize) -> Case {
    case(
        level,
        format!("d={d},k={k},n={n}"),
        vec![
            f64s("alpha", &[k], normal(2, 1.0)),
            f64s("mean", &[k, d], uniform(3, 0.0, 1.0)),
            f64s("q", &[k, d], normal(4, 0.3)),
            f64s("l", &[k, d * (d - 1) / 2], normal(5, 0.3)),
            f64s("x", &[n, d], normal(1, 1.0)),
        ],
    )
}

fn ba(level: Level, n: usize, m: usize, p: usize) -> Case {
    let camera = vec![0.01, 0.02, -0.01, 0.1, -0.2, -6.0, 400.0, 5.0, -8.0, 0.08, 0.003];
    case(
        level,
        format!("n={n},m={m},p={p}"),
        vec![
            f64s("cameras", &[n, 11], Floats::Near { seed: 11, centre: camera, spread: 0.02 }),
            f64s("points", &[m, 3], normal(12, 1.0)),
            f64s("w", &[p], uniform(13, 0.2, 1.0)),
            f64s("seen", &[p, 2], normal(14, 100.0)),
            i64s("camera", &[p], Integers::Turns { bound: n as i64 }),
            i64s("point", &[p], Integers::Turns { bound: m as i64 }),
        ],
    )
}

/// A hand of made-up numbers with the bones of a real one: wrist, palm, and five fingers of four bones each.
fn ht(level: Level, v: usize, n: usize) -> Case {
    let b = 22;
    let parents = (0..b).map(|i| if i < 2 || (i - 2) % 4 != 0 { i as i64 - 1 } else { 1 }).collect();
    let unit: Vec<f64> = (0..16).map(|i| f64::from(u8::from(i % 5 == 0))).collect();
    case(
        level,
        format!("v={v},n={n}"),
        vec![
            f64s("theta", &[26], uniform(15, -0.5, 0.5)),
            i64s("parents", &[b], Integers::Listed(parents)),
            f64s("relatives", &[b, 4, 4], Floats::Near { seed: 16, centre: unit.clone(), spread: 0.1 }),
            f64s("inverses", &[b, 4, 4], Floats::Near { seed: 17, centre: unit, spread: 0.1 }),
            f64s("positions", &[v, 4], normal(18, 1.0)),
            f64s("weights", &[v, b], uniform(19, 0.0, 0.1)),
            i64s("at", &[n], below(10, v)),
            f64s("points", &[n, 3], normal(20, 1.0)),
        ],
    )
}

fn dlstm(level: Level, layers: usize, steps: usize) -> Case {
    let b = 14;
    case(
        level,
        format!("layers={layers},steps={steps}"),
        vec![
            f64s("weights", &[layers, 2, 4, b], uniform(21, -1.0, 1.0)),
            f64s("extra", &[3, b], uniform(22, -1.0, 1.0)),
            f64s("state", &[layers, 2, b], uniform(23, -1.0, 1.0)),
            f64s("sequence", &[steps + 1, b], uniform(24, 0.0, 1.0)),
        ],
    )
}

fn kmeans(level: Level, k: usize, n: usize, d: usize) -> Case {
    case(
        level,
        format!("k={k},n={n},d={d}"),
        vec![f64s("centres", &[k, d], uniform(31, 0.0, 1.0)), f64s("points", &[n, d], uniform(32, 0.0, 1.0))],
    )
}

fn lse(level: Level, n: usize) -> Case {
    case(level, format!("n={n}"), vec![f64s("x", &[n], uniform(41, 0.0, 1.0))])
}

fn softmax(level: Level, n: usize, d: usize, c: usize) -> Case {
    case(
        level,
        format!("n={n},d={d},c={c}"),
        vec![
            f64s("weight", &[c, d], normal(51, fan(d))),
            f64s("bias", &[c], Floats::Zeros),
            f64s("xs", &[n, d], normal(52, 1.0)),
            i64s("ys", &[n], below(53, c)),
        ],
    )
}

fn llsq(level: Level, n: usize, m: usize) -> Case {
    case(
        level,
        format!("n={n},m={m}"),
        vec![f64s("x", &[m], uniform(61, 0.0, 1.0)), f64s("ts", &[n], Floats::Steps { low: -1.0, high: 1.0 })],
    )
}

fn matvec(level: Level, layers: usize, n: usize) -> Case {
    case(
        level,
        format!("layers={layers},n={n}"),
        vec![f64s("weights", &[layers, n, n], normal(71, fan(n))), f64s("x", &[n], normal(72, 1.0))],
    )
}

fn mlp(level: Level, b: usize, [d, h, g]: [usize; 3]) -> Case {
    let c = 10;
    case(
        level,
        format!("{d}-{h}-{g}-{c},b={b}"),
        vec![
            f32s("w1", &[d, h], normal(81, fan(d))),
            f32s("b1", &[h], Floats::Zeros),
            f32s("w2", &[h, g], normal(82, fan(h))),
            f32s("b2", &[g], Floats::Zeros),
            f32s("w3", &[g, c], normal(83, fan(g))),
            f32s("b3", &[c], Floats::Zeros),
            f32s("xs", &[b, d], uniform(84, 0.0, 1.0)),
            i64s("ys", &[b], below(85, c)),
        ],
    )
}

fn conv(level: Level, b: usize, f: usize) -> Case {
    let c = 10;
    case(
        level,
        format!("f={f},b={b}"),
        vec![
            f32s("f1", &[f, 1, 5, 5], normal(91, fan(25))),
            f32s("b1", &[f], Floats::Zeros),
            f32s("f2", &[f, f, 5, 5], normal(92, fan(25 * f))),
            f32s("b2", &[f], Floats::Zeros),
            f32s("weight", &[c, 49 * f], normal(93, fan(49 * f))),
            f32s("bias", &[c], Floats::Zeros),
            f32s("xs", &[b, 1, 28, 28], uniform(94, 0.0, 1.0)),
            i64s("ys", &[b], below(95, c)),
        ],
    )
}

fn lstm(level: Level, steps: usize, b: usize, h: usize, c: usize) -> Case {
    case(
        level,
        format!("steps={steps},b={b},h={h},c={c}"),
        vec![
            f32s("embed", &[c, 4 * h], normal(101, 0.3)),
            f32s("recur", &[h, 4 * h], normal(102, fan(h))),
            f32s("bias", &[4 * h], normal(103, 0.1)),
            f32s("out", &[h, c], normal(104, fan(h))),
            i64s("text", &[steps + 1, b], below(105, c)),
        ],
    )
}

fn attention(level: Level, h: usize, s: usize, d: usize) -> Case {
    let stream = |name, seed| f32s(name, &[h, s, d], normal(seed, 1.0));
    case(level, format!("h={h},s={s},d={d}"), vec![stream("q", 111), stream("k", 112), stream("v", 113)])
}

fn nbody(level: Level, n: usize, steps: usize) -> Case {
    case(
        level,
        format!("n={n},steps={steps}"),
        vec![
            f64s("x", &[n, 3], normal(121, 1.0)),
            f64s("v", &[n, 3], normal(122, 0.1)),
            f64s("m", &[n], uniform(123, 0.0, 1.0)),
            number("steps", steps),
        ],
    )
}

fn particle(level: Level, n: usize) -> Case {
    case(
        level,
        format!("n={n}"),
        vec![
            f64s("w", &[n], uniform(131, 0.0, 1.0)),
            f64s("y0", &[n], uniform(132, 6.0, 9.0)),
            f64s("v0", &[n], uniform(133, 0.5, 1.0)),
        ],
    )
}

fn lotka(level: Level, n: usize, steps: usize) -> Case {
    case(
        level,
        format!("n={n},steps={steps}"),
        vec![
            f64s("rates", &[n, 4], uniform(141, 0.5, 1.5)),
            f64s("prey", &[n], uniform(142, 0.5, 1.5)),
            f64s("hunters", &[n], uniform(143, 0.5, 1.5)),
            number("steps", steps),
        ],
    )
}

fn stiff(level: Level, n: usize, steps: usize) -> Case {
    case(
        level,
        format!("n={n},steps={steps}"),
        vec![
            f64s("rates", &[n], Floats::Powers { seed: 151, low: -1.0, high: 4.0 }),
            f64s("start", &[n], uniform(152, 0.0, 1.0)),
            number("steps", steps),
        ],
    )
}

fn black_scholes(level: Level, n: usize) -> Case {
    let market = Floats::Near { seed: 161, centre: vec![100.0, 105.0, 0.5, 0.03, 0.2], spread: 0.0 };
    case(level, format!("n={n}"), vec![f64s("market", &[5], market), f64s("draws", &[n], normal(162, 1.0))])
}

fn heat(level: Level, n: usize, steps: usize) -> Case {
    case(
        level,
        format!("{n}x{n},steps={steps}"),
        vec![
            f64s("u", &[n, n], uniform(171, 0.0, 1.0)),
            f64s("rate", &[n, n], uniform(172, 0.05, 0.2)),
            number("steps", steps),
        ],
    )
}

fn histogram(level: Level, n: usize, count: usize) -> Case {
    case(
        level,
        format!("n={n},bins={count}"),
        vec![
            f64s("weights", &[n], uniform(181, 0.0, 1.0)),
            i64s("bins", &[n], below(182, count)),
            number("count", count),
        ],
    )
}

fn spmv(level: Level, n: usize, mean: usize) -> Case {
    let entries = n * mean;
    case(
        level,
        format!("n={n},entries={entries}"),
        vec![
            f64s("entries", &[entries], normal(191, 1.0)),
            f64s("x", &[n], normal(192, 1.0)),
            i64s("columns", &[entries], below(193, n)),
            i64s("starts", &[n + 1], Integers::Starts { seed: 194, mean: mean as i64 }),
        ],
    )
}

fn mandelbrot(level: Level, n: usize, limit: usize) -> Case {
    case(level, format!("{n}x{n},limit={limit}"), vec![number("width", n), number("height", n), number("limit", limit)])
}

fn chain(level: Level, n: usize) -> Case {
    case(level, format!("n={n}"), vec![f64s("x", &[n], normal(201, 1.0))])
}

fn axpy(level: Level, n: usize) -> Case {
    case(level, format!("n={n}"), vec![f64s("x", &[n], normal(211, 1.0)), f64s("y", &[n], normal(212, 1.0))])
}

fn copy(level: Level, n: usize) -> Case {
    case(level, format!("n={n}"), vec![f64s("x", &[n], normal(221, 1.0))])
}
