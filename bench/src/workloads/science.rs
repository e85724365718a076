//! Scientific computing: workloads written as plain programs before anything was optimised for them. They are frozen: a
//! program of this group is not changed to be faster.

use super::*;

/// The workloads of the group, each in small and in large.
pub(super) fn all() -> Vec<Workload> {
    use Level::{Normal, Quick};
    let workload = |name, about, tolerance, cases| Workload { name, about, tolerance, cases };
    vec![
        workload(
            "soft_dtw",
            "alignment of series, dynamic programming",
            F64,
            vec![soft_dtw(Quick, 7, 6, 2), soft_dtw(Normal, 100, 100, 2), soft_dtw(Normal, 400, 400, 2)],
        ),
        workload(
            "kalman",
            "Kalman filter, likelihood",
            F64,
            vec![kalman(Quick, 3, 2, 6), kalman(Normal, 6, 2, 200), kalman(Normal, 6, 2, 2000)],
        ),
        workload(
            "implicit_heat",
            "implicit steps, a tridiagonal system each",
            F64,
            vec![implicit_heat(Quick, 9, 4), implicit_heat(Normal, 100, 100), implicit_heat(Normal, 1000, 500)],
        ),
        workload(
            "lennard_jones",
            "energy and forces by lists of neighbours",
            F64,
            vec![lennard_jones(Quick, 5), lennard_jones(Normal, 8), lennard_jones(Normal, 20)],
        ),
        workload("arm", "kinematic chain, Jacobian", F64, vec![arm(Quick, 4), arm(Normal, 12), arm(Normal, 60)]),
        workload(
            "volatility",
            "stochastic volatility",
            F64,
            vec![volatility(Quick, 12), volatility(Normal, 1000), volatility(Normal, 100_000)],
        ),
        workload(
            "state_space",
            "diagonal state spaces of channels",
            F64,
            vec![state_space(Quick, 9, 3, 2), state_space(Normal, 100, 16, 8), state_space(Normal, 1000, 128, 16)],
        ),
        workload(
            "bilateral",
            "bilateral filter, windows of 7x7",
            F64,
            vec![bilateral(Quick, 8, 10), bilateral(Normal, 32, 32), bilateral(Normal, 256, 256)],
        ),
        workload(
            "newton",
            "Newton step by conjugate gradients",
            LOOSE,
            vec![newton(Quick, 30, 4, 3), newton(Normal, 200, 10, 5), newton(Normal, 10_000, 50, 10)],
        ),
        workload(
            "rosenbrock",
            "a function of few numbers",
            F64,
            vec![rosenbrock(Quick, 4), rosenbrock(Normal, 3), rosenbrock(Normal, 10)],
        ),
        workload(
            "wave",
            "wave equation, leapfrog, shifted reads",
            F64,
            vec![wave(Quick, 20, 5), wave(Normal, 1000, 100), wave(Normal, 1_000_000, 10)],
        ),
        workload(
            "columns",
            "log-sum-exp down columns",
            F64,
            vec![columns(Quick, 6, 5), columns(Normal, 50, 40), columns(Normal, 1024, 1024)],
        ),
        workload(
            "american",
            "American option on a lattice, greeks",
            F64,
            vec![american(Quick, 8), american(Normal, 100), american(Normal, 2000)],
        ),
        workload(
            "cholesky",
            "Cholesky's factorisation in loops",
            F64,
            vec![cholesky(Quick, 6, 4), cholesky(Normal, 30, 30), cholesky(Normal, 200, 200)],
        ),
        workload(
            "curve",
            "cubic interpolation with searches",
            F64,
            vec![curve(Quick, 6, 15), curve(Normal, 20, 1000), curve(Normal, 1000, 200_000)],
        ),
    ]
}

/// Series of `n` and `m` vectors of `d` numbers.
fn soft_dtw(level: Level, n: usize, m: usize, d: usize) -> Case {
    case(
        level,
        format!("n={n},m={m},d={d}"),
        vec![f64s("x", &[n, d], normal(501, 1.0)), f64s("y", &[m, d], normal(502, 1.0))],
    )
}

/// A state of `d` numbers, of which `p` combinations are seen.
fn kalman(level: Level, d: usize, p: usize, steps: usize) -> Case {
    let shrink = (0..d * d).map(|i| if i % (d + 1) == 0 { 0.9 } else { 0.0 }).collect();
    case(
        level,
        format!("d={d},p={p},steps={steps}"),
        vec![
            f64s("move", &[d, d], Floats::Near { seed: 511, centre: shrink, spread: 0.02 }),
            f64s("observe", &[p, d], normal(512, fan(d))),
            f64s("drift", &[d], uniform(513, -3.0, -1.0)),
            f64s("noise", &[p], uniform(514, -2.0, 0.0)),
            f64s("seen", &[steps, p], normal(515, 1.0)),
        ],
    )
}

/// `n` points of a rod.
fn implicit_heat(level: Level, n: usize, steps: usize) -> Case {
    case(
        level,
        format!("n={n},steps={steps}"),
        vec![
            f64s("u", &[n], uniform(521, 0.0, 1.0)),
            f64s("conductivity", &[n], uniform(522, 0.2, 2.0)),
            f64s("target", &[n], uniform(523, 0.0, 0.5)),
            number("steps", steps),
        ],
    )
}

/// A cube of `side` atoms each way, near the places of a lattice, and the pairs at most the square root of 5 places apart.
fn lennard_jones(level: Level, side: usize) -> Case {
    let (n, spacing) = (side * side * side, 1.2);
    let place = |i: usize| [i / (side * side), i / side % side, i % side];
    let reach = || -2..=2i64;
    let ways: Vec<[i64; 3]> =
        reach().flat_map(|a| reach().flat_map(move |b| reach().map(move |c| [a, b, c]))).collect();
    // One of each way and its opposite.
    let near = |way: &[i64; 3]| *way > [0; 3] && way.iter().map(|d| d * d).sum::<i64>() <= 5;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for i in 0..n {
        for way in ways.iter().filter(|way| near(way)) {
            let along = |axis: usize| (place(i)[axis] as i64 + way[axis]).rem_euclid(side as i64);
            first.push(i as i64);
            second.push((along(0) * side as i64 + along(1)) * side as i64 + along(2));
        }
    }
    let lattice = (0..n).flat_map(|i| place(i).map(|k| spacing * k as f64)).collect();
    let pairs = first.len();
    case(
        level,
        format!("n={n},pairs={pairs}"),
        vec![
            f64s("x", &[n, 3], Floats::Near { seed: 531, centre: lattice, spread: 0.05 }),
            f64s("box", &[1], Floats::Near { seed: 532, centre: vec![spacing * side as f64], spread: 0.0 }),
            i64s("first", &[pairs], Integers::Listed(first)),
            i64s("second", &[pairs], Integers::Listed(second)),
        ],
    )
}

/// `n` joints.
fn arm(level: Level, n: usize) -> Case {
    case(
        level,
        format!("joints={n}"),
        vec![
            f64s("angles", &[n], uniform(541, -1.5, 1.5)),
            f64s("offsets", &[n], uniform(542, 0.0, 0.3)),
            f64s("lengths", &[n], uniform(543, 0.1, 1.0)),
            f64s("twists", &[n], uniform(544, -1.5, 1.5)),
        ],
    )
}

/// `n` returns.
fn volatility(level: Level, n: usize) -> Case {
    let theta = Floats::Near { seed: 551, centre: vec![-1.0, 1.8, -1.2], spread: 0.0 };
    case(
        level,
        format!("n={n}"),
        vec![
            f64s("theta", &[3], theta),
            f64s("shocks", &[n], normal(552, 1.0)),
            f64s("returns", &[n], normal(553, 0.7)),
        ],
    )
}

/// `n` samples of `c` channels, each with `k` numbers as its state.
fn state_space(level: Level, n: usize, c: usize, k: usize) -> Case {
    case(
        level,
        format!("n={n},c={c},k={k}"),
        vec![
            f64s("rates", &[c, k], uniform(561, -1.0, 2.0)),
            f64s("input", &[c, k], normal(562, 1.0)),
            f64s("read", &[c, k], normal(563, fan(k))),
            f64s("through", &[c], normal(564, 1.0)),
            f64s("step", &[c], uniform(565, -6.0, -2.0)),
            f64s("signal", &[n, c], normal(566, 1.0)),
            f64s("target", &[n, c], normal(567, 1.0)),
        ],
    )
}

/// An image of `h` rows of `w` pixels.
fn bilateral(level: Level, h: usize, w: usize) -> Case {
    case(
        level,
        format!("{h}x{w}"),
        vec![
            f64s("image", &[h, w], uniform(571, 0.0, 1.0)),
            f64s("sharp", &[2], Floats::Near { seed: 572, centre: vec![0.08, 5.0], spread: 0.0 }),
            f64s("target", &[h, w], uniform(573, 0.0, 1.0)),
        ],
    )
}

/// `n` points of `d` numbers. `y` is a probability.
fn newton(level: Level, n: usize, d: usize, steps: usize) -> Case {
    case(
        level,
        format!("n={n},d={d},steps={steps}"),
        vec![
            f64s("w", &[d], normal(581, fan(d))),
            f64s("x", &[n, d], normal(582, 1.0)),
            f64s("y", &[n], uniform(583, 0.0, 1.0)),
            number("steps", steps),
        ],
    )
}

fn rosenbrock(level: Level, n: usize) -> Case {
    case(level, format!("n={n}"), vec![f64s("x", &[n], uniform(591, -1.5, 1.5))])
}

/// `n` points of a string.
fn wave(level: Level, n: usize, steps: usize) -> Case {
    case(
        level,
        format!("n={n},steps={steps}"),
        vec![
            f64s("speed", &[n], uniform(601, 0.3, 0.9)),
            f64s("start", &[n], normal(602, 1.0)),
            f64s("target", &[n], normal(603, 1.0)),
            number("steps", steps),
        ],
    )
}

fn columns(level: Level, n: usize, m: usize) -> Case {
    case(level, format!("{n}x{m}"), vec![f64s("x", &[n, m], normal(611, 2.0))])
}

fn american(level: Level, steps: usize) -> Case {
    let market = Floats::Near { seed: 621, centre: vec![100.0, 105.0, 1.0, 0.05, 0.3], spread: 0.0 };
    case(level, format!("steps={steps}"), vec![f64s("market", &[5], market), number("steps", steps)])
}

/// The inner products of `n` vectors of `m` numbers.
fn cholesky(level: Level, n: usize, m: usize) -> Case {
    case(level, format!("n={n},m={m}"), vec![f64s("x", &[n, m], normal(631, fan(m)))])
}

/// `k` samples, closer together at the beginning, and `n` points between them.
fn curve(level: Level, k: usize, n: usize) -> Case {
    let places = (0..k).map(|i| (i as f64 / (k - 1) as f64).powi(2)).collect();
    case(
        level,
        format!("k={k},n={n}"),
        vec![
            f64s("ys", &[k], normal(641, 1.0)),
            f64s("points", &[n], uniform(642, 0.0, 1.0)),
            f64s("xs", &[k], Floats::Near { seed: 643, centre: places, spread: 0.0 }),
            f64s("measured", &[n], normal(644, 1.0)),
        ],
    )
}
