//! Statistical models and neural networks: workloads written as plain programs before anything was optimised for them. They
//! are frozen: a program of this group is not changed to be faster.

use super::*;

/// The workloads of the group, each in small and in large.
pub(super) fn all() -> Vec<Workload> {
    use Level::{Large, Normal, Quick};
    let workload = |name, about, tolerance, cases| Workload { name, about, tolerance, cases };
    vec![
        workload(
            "hmm",
            "hidden Markov model, forward algorithm",
            F64,
            vec![hmm(Quick, 3, 4, 2, 6), hmm(Normal, 8, 20, 1, 100), hmm(Normal, 32, 100, 16, 300)],
        ),
        workload(
            "transformer",
            "transformer block, f32",
            F32,
            vec![
                transformer(Quick, [2, 5], [6, 2, 3], 8),
                transformer(Normal, [2, 32], [64, 4, 16], 256),
                transformer(Normal, [4, 128], [256, 8, 32], 1024),
            ],
        ),
        workload(
            "wavenet",
            "stacked dilated convolutions, f32",
            F32,
            vec![
                wavenet(Quick, 3, [3, 4, 5], [2, 12]),
                wavenet(Normal, 6, [16, 16, 32], [1, 128]),
                wavenet(Normal, 8, [32, 64, 64], [2, 512]),
                wavenet(Large, 10, [32, 64, 64], [4, 2048]),
            ],
        ),
        workload(
            "residual",
            "residual layers in a loop, f32",
            F32,
            vec![
                residual(Quick, 3, 6, 4),
                residual(Normal, 8, 64, 32),
                residual(Normal, 12, 128, 128),
                residual(Large, 24, 256, 128),
            ],
        ),
        workload(
            "highway",
            "recurrent highway network, f32",
            F32,
            vec![
                highway(Quick, [3, 2], 4, 3, 5),
                highway(Normal, [20, 3], 8, 16, 32),
                highway(Normal, [50, 3], 32, 32, 96),
                highway(Large, [50, 4], 64, 64, 128),
            ],
        ),
        workload(
            "gp",
            "Gaussian process, marginal likelihood",
            F64,
            vec![gp(Quick, 12, 2), gp(Normal, 64, 4), gp(Normal, 500, 8)],
        ),
        workload(
            "neural_ode",
            "neural differential equation, RK4",
            F64,
            vec![neural_ode(Quick, 3, 2, 5, 6), neural_ode(Normal, 1, 4, 16, 50), neural_ode(Normal, 128, 8, 64, 100)],
        ),
        workload(
            "graph",
            "message passing on a graph, f32",
            F32,
            vec![
                graph(Quick, 10, 25, 4),
                graph(Normal, 100, 500, 16),
                graph(Normal, 2000, 16_000, 32),
                graph(Large, 10_000, 80_000, 32),
            ],
        ),
        workload(
            "bag",
            "bag of words, embeddings, f32",
            F32,
            vec![
                bag(Quick, 20, 4, 3, [5, 6]),
                bag(Normal, 1000, 16, 4, [64, 20]),
                bag(Normal, 100_000, 64, 20, [512, 100]),
            ],
        ),
        workload(
            "batch_norm",
            "perceptron with batch normalisation, f32",
            F32,
            vec![batch_norm(Quick, 8, [6, 5]), batch_norm(Normal, 32, [64, 64]), batch_norm(Normal, 256, [784, 512])],
        ),
        workload(
            "cox",
            "proportional hazards, sorted",
            F64,
            vec![cox(Quick, 30, 3), cox(Normal, 1000, 10), cox(Normal, 200_000, 20)],
        ),
        workload(
            "sinkhorn",
            "optimal transport in logarithms",
            F64,
            vec![sinkhorn(Quick, 8, 6, 5), sinkhorn(Normal, 50, 60, 20), sinkhorn(Normal, 400, 500, 50)],
        ),
        workload(
            "vae",
            "variational autoencoder, f32",
            F32,
            vec![vae(Quick, 4, [10, 6, 2]), vae(Normal, 16, [64, 32, 8]), vae(Normal, 128, [784, 400, 20])],
        ),
    ]
}

/// `k` states, `m` symbols, `b` sequences.
fn hmm(level: Level, k: usize, m: usize, b: usize, steps: usize) -> Case {
    case(
        level,
        format!("k={k},m={m},b={b},steps={steps}"),
        vec![
            f64s("transition", &[k, k], normal(301, 1.0)),
            f64s("emission", &[k, m], normal(302, 1.0)),
            f64s("start", &[k], normal(303, 1.0)),
            i64s("seen", &[b, steps + 1], below(304, m)),
        ],
    )
}

/// `b` sequences of `n` vectors of `d` numbers, `h` heads of `e` numbers, and `f` hidden units.
fn transformer(level: Level, [b, n]: [usize; 2], [d, h, e]: [usize; 3], f: usize) -> Case {
    case(
        level,
        format!("b={b},n={n},d={d},h={h},f={f}"),
        vec![
            f32s("gain1", &[d], uniform(311, 0.5, 1.5)),
            f32s("bias1", &[d], normal(312, 0.1)),
            f32s("query", &[h, e, d], normal(313, fan(d))),
            f32s("key", &[h, e, d], normal(314, fan(d))),
            f32s("values", &[h, e, d], normal(315, fan(d))),
            f32s("out", &[h, d, e], normal(316, fan(h * e))),
            f32s("gain2", &[d], uniform(317, 0.5, 1.5)),
            f32s("bias2", &[d], normal(318, 0.1)),
            f32s("w1", &[d, f], normal(319, fan(d))),
            f32s("b1", &[f], normal(320, 0.1)),
            f32s("w2", &[f, d], normal(321, fan(f))),
            f32s("b2", &[d], normal(322, 0.1)),
            f32s("xs", &[b, n, d], normal(323, 1.0)),
            f32s("target", &[b, n, d], normal(324, 1.0)),
        ],
    )
}

/// `l` layers of `c` channels, `s` channels towards the end, `q` levels of sound; `b` sounds of `n` samples.
fn wavenet(level: Level, l: usize, [c, s, q]: [usize; 3], [b, n]: [usize; 2]) -> Case {
    case(
        level,
        format!("l={l},c={c},b={b},n={n}"),
        vec![
            f32s("embed", &[q, c], normal(331, 1.0)),
            f32s("filter", &[l, 2, c, c], normal(332, fan(2 * c))),
            f32s("gate", &[l, 2, c, c], normal(333, fan(2 * c))),
            f32s("mix", &[l, c, c], normal(334, fan(c))),
            f32s("skip", &[l, s, c], normal(335, fan(c))),
            f32s("out", &[q, s], normal(336, fan(s))),
            i64s("sounds", &[b, n + 1], below(337, q)),
        ],
    )
}

/// `l` layers of width `c`, and `b` points.
fn residual(level: Level, l: usize, c: usize, b: usize) -> Case {
    let k = 10;
    case(
        level,
        format!("l={l},c={c},b={b}"),
        vec![
            f32s("w1", &[l, c, c], normal(341, fan(c))),
            f32s("b1", &[l, c], normal(342, 0.1)),
            f32s("w2", &[l, c, c], normal(343, 0.3 * fan(c))),
            f32s("b2", &[l, c], normal(344, 0.1)),
            f32s("weight", &[c, k], normal(345, fan(c))),
            f32s("bias", &[k], Floats::Zeros),
            f32s("xs", &[b, c], normal(346, 1.0)),
            i64s("ys", &[b], below(347, k)),
        ],
    )
}

/// `l` layers in each of the steps; `b` sequences of vectors of `d` numbers, and `h` hidden units.
fn highway(level: Level, [steps, l]: [usize; 2], b: usize, d: usize, h: usize) -> Case {
    case(
        level,
        format!("steps={steps},l={l},b={b},h={h}"),
        vec![
            f32s("input", &[2, d, h], normal(351, fan(d))),
            f32s("recur", &[l, 2, h, h], normal(352, fan(h))),
            f32s("bias", &[l, 2, h], normal(353, 0.3)),
            f32s("out", &[h], normal(354, fan(h))),
            f32s("xs", &[steps, b, d], normal(355, 1.0)),
            f32s("target", &[b], normal(356, 1.0)),
        ],
    )
}

/// `n` points of `d` numbers.
fn gp(level: Level, n: usize, d: usize) -> Case {
    case(
        level,
        format!("n={n},d={d}"),
        vec![
            f64s("lengths", &[d], uniform(361, 0.0, 1.0)),
            f64s("scales", &[2], Floats::Near { seed: 362, centre: vec![0.5, -1.5], spread: 0.0 }),
            f64s("x", &[n, d], normal(363, 1.0)),
            f64s("y", &[n], normal(364, 1.0)),
        ],
    )
}

/// `b` trajectories of `d` numbers, and `h` hidden units.
fn neural_ode(level: Level, b: usize, d: usize, h: usize, steps: usize) -> Case {
    case(
        level,
        format!("b={b},d={d},h={h},steps={steps}"),
        vec![
            f64s("w1", &[h, d], normal(371, fan(d))),
            f64s("b1", &[h], normal(372, 0.3)),
            f64s("w2", &[d, h], normal(373, fan(h))),
            f64s("b2", &[d], normal(374, 0.3)),
            f64s("start", &[b, d], normal(375, 1.0)),
            f64s("target", &[b, d], normal(376, 1.0)),
            number("steps", steps),
        ],
    )
}

/// `n` nodes of `d` numbers, and `e` edges; two rounds.
fn graph(level: Level, n: usize, e: usize, d: usize) -> Case {
    let rounds = 2;
    case(
        level,
        format!("n={n},e={e},d={d}"),
        vec![
            f32s("send", &[rounds, 2 * d, d], normal(381, fan(2 * d))),
            f32s("send_bias", &[rounds, d], normal(382, 0.1)),
            f32s("update", &[rounds, 2 * d, d], normal(383, 0.3 * fan(2 * d))),
            f32s("update_bias", &[rounds, d], normal(384, 0.1)),
            f32s("out", &[d], normal(385, fan(d))),
            f32s("start", &[n, d], normal(386, 1.0)),
            f32s("target", &[n], normal(387, 1.0)),
            i64s("from", &[e], below(388, n)),
            i64s("to", &[e], below(389, n)),
        ],
    )
}

/// `v` words with vectors of `d` numbers, `c` classes, and `b` texts.
fn bag(level: Level, v: usize, d: usize, c: usize, [b, words]: [usize; 2]) -> Case {
    case(
        level,
        format!("v={v},d={d},b={b},words={words}"),
        vec![
            f32s("table", &[v, d], normal(391, 1.0)),
            f32s("weight", &[c, d], normal(392, fan(d))),
            f32s("bias", &[c], Floats::Zeros),
            i64s("texts", &[b, words], below(393, v)),
            i64s("ys", &[b], below(394, c)),
        ],
    )
}

/// `b` points of `d` numbers, and `h` hidden units in each layer.
fn batch_norm(level: Level, b: usize, [d, h]: [usize; 2]) -> Case {
    let c = 10;
    case(
        level,
        format!("{d}-{h}-{h}-{c},b={b}"),
        vec![
            f32s("w1", &[d, h], normal(401, fan(d))),
            f32s("gain1", &[h], uniform(402, 0.5, 1.5)),
            f32s("bias1", &[h], normal(403, 0.1)),
            f32s("w2", &[h, h], normal(404, fan(h))),
            f32s("gain2", &[h], uniform(405, 0.5, 1.5)),
            f32s("bias2", &[h], normal(406, 0.1)),
            f32s("w3", &[h, c], normal(407, fan(h))),
            f32s("b3", &[c], Floats::Zeros),
            f32s("xs", &[b, d], uniform(408, 0.0, 1.0)),
            i64s("ys", &[b], below(409, c)),
        ],
    )
}

/// `n` patients with `d` numbers each.
fn cox(level: Level, n: usize, d: usize) -> Case {
    case(
        level,
        format!("n={n},d={d}"),
        vec![
            f64s("beta", &[d], normal(411, fan(d))),
            f64s("x", &[n, d], normal(412, 1.0)),
            f64s("time", &[n], uniform(413, 0.0, 10.0)),
            i64s("event", &[n], below(414, 2)),
        ],
    )
}

/// Clouds of `n` and of `m` points in space.
fn sinkhorn(level: Level, n: usize, m: usize, steps: usize) -> Case {
    let d = 3;
    case(
        level,
        format!("n={n},m={m},steps={steps}"),
        vec![
            f64s("x", &[n, d], uniform(421, 0.0, 1.0)),
            f64s("y", &[m, d], uniform(422, 0.3, 1.3)),
            number("steps", steps),
        ],
    )
}

/// `b` pictures of `d` pixels, `h` units on each side, and `z` hidden numbers.
fn vae(level: Level, b: usize, [d, h, z]: [usize; 3]) -> Case {
    case(
        level,
        format!("{d}-{h}-{z},b={b}"),
        vec![
            f32s("w1", &[d, h], normal(431, fan(d))),
            f32s("b1", &[h], normal(432, 0.1)),
            f32s("w_mean", &[h, z], normal(433, fan(h))),
            f32s("b_mean", &[z], normal(434, 0.1)),
            f32s("w_spread", &[h, z], normal(435, fan(h))),
            f32s("b_spread", &[z], normal(436, 0.1)),
            f32s("w2", &[z, h], normal(437, fan(z))),
            f32s("b2", &[h], normal(438, 0.1)),
            f32s("w3", &[h, d], normal(439, fan(h))),
            f32s("b3", &[d], normal(440, 0.1)),
            f32s("xs", &[b, d], uniform(441, 0.0, 1.0)),
            f32s("noise", &[b, z], normal(442, 1.0)),
        ],
    )
}
