//! The number of matrix products in programs and their gradients: as many as a person would write; and the values are
//! the interpreter's up to rounding.

use arr_driver::{Backend, Derive, Execution, MemoryWorld, Session, Stage, with_stack};

const PROGRAMS: &str = r"
def fill(n: i64, m: i64, s: f64) -> [n][m]f64 = for i < n, j < m => sin(f64(i * m + j) * s)

def relu(x: f64) -> f64 = max(x, 0.0)

def mlp(w1: [d][h]f64, b1: [h]f64, w2: [h][k]f64, b2: [k]f64, x: [b][d]f64, t: [b]i64) -> f64 =
  let h1 = x @ w1
  let a1 = for i < b, j < h => relu(h1[i, j] + b1[j])
  let h2 = a1 @ w2
  let z = for i < b, j < k => h2[i, j] + b2[j]
  in sum(for i < b => log(sum(exp(z[i]))) - z[i, t[i]])

def mlp_gradient(w1: [d][h]f64, b1: [h]f64, w2: [h][k]f64, b2: [k]f64, x: [b][d]f64, t: [b]i64) =
  grad(\((w1, b1, w2, b2)) => mlp(w1, b1, w2, b2, x, t))((w1, b1, w2, b2))

def softmax(x: [n]f64) -> [n]f64 = let e = exp(x - maximum(x)) in e / sum(e)

def attention(q: [h][s][d]f64, k: [h][s][d]f64, v: [h][s][d]f64) -> [h][s][d]f64 =
  for i < h => (for x in q[i] @ transpose(k[i]) => softmax(x)) @ v[i]

def attention_gradient(q: [h][s][d]f64, k: [h][s][d]f64, v: [h][s][d]f64, w: [h][s][d]f64) =
  grad(\((q, k, v)) => sum(flatten(flatten(attention(q, k, v) * w))))((q, k, v))

def convolution(x: [b][c][h + 2][w + 2]f64, f: [o][c][3][3]f64) -> [b][o][h][w]f64 =
  for bi < b, oi < o, i < h, j < w =>
    sum(for ci < c => sum(for di < 3 => sum(for dj < 3 => x[bi, ci, i + di, j + dj] * f[oi, ci, di, dj])))

def windows(x: [c][h + 2][w + 2]f64) -> [h * w][c * 9]f64 =
  for i < h * w, j < c * 9 => x[j / 9, i / w + j % 9 / 3, i % w + j % 3]

def by_windows(x: [c][h + 2][w + 2]f64, f: [c * 9][o]f64) -> [h * w][o]f64 = windows(x) @ f

def lstm(x: [b][d]f64, h: [b][m]f64, c: [b][m]f64, w: [d][4 * m]f64, u: [m][4 * m]f64, v: [4 * m]f64) =
  let z1 = x @ w
  let z2 = h @ u
  let z = for i < b, j < 4 * m => z1[i, j] + z2[i, j] + v[j]
  let c2 = for i < b, j < m => sigmoid(z[i, j]) * c[i, j] + sigmoid(z[i, m + j]) * tanh(z[i, 2 * m + j])
  in (for i < b, j < m => sigmoid(z[i, 3 * m + j]) * tanh(c2[i, j]), c2)

def lstm_gradient(x: [b][d]f64, h: [b][m]f64, c: [b][m]f64, w: [d][4 * m]f64, u: [m][4 * m]f64, v: [4 * m]f64) =
  grad(\((h, w, u, v)) => let r = lstm(x, h, c, w, u, v) in sum(flatten(r.0)) + sum(flatten(r.1)))((h, w, u, v))

def squares(x: [m]f64, a: [n][m]f64, y: [n]f64) -> f64 = let r = a @ x - y in 0.5 * sum(r * r)

def squares_gradient(x: [m]f64, a: [n][m]f64, y: [n]f64) = grad(\x => squares(x, a, y))(x)

def mixture(al: [k]f64, mu: [k][d]f64, q: [k][d][d]f64, x: [n][d]f64) -> f64 =
  let inner = for i < n, c < k => let r = q[c] @ (x[i] - mu[c]) in al[c] - 0.5 * sum(r * r)
  in sum(for i < n => log(sum(exp(inner[i]))))

def mixture_gradient(al: [k]f64, mu: [k][d]f64, q: [k][d][d]f64, x: [n][d]f64) =
  grad(\((al, mu, q)) => mixture(al, mu, q, x))((al, mu, q))

def operand(a: [n][m]f64, b: [m][p]f64) -> [n][p]f64 = (for row in a => for x in row => relu(x)) @ b

def shifted(x: [n][d]f64, mu: [d]f64, l: [d][d]f64) -> [n][d]f64 = (for i < n, j < d => x[i, j] - mu[j]) @ l

def map_rows(x: [n][d]f64, w: [m][d]f64) -> [n][m]f64 = for r in x => w @ r

def scaled(a: [n][n]f64, s: f64) -> [n][n]f64 = let b = a @ a in s * (b @ transpose(b)) + a
";

/// Entry, and matrix products in its code.
const COUNTS: &[(&str, usize)] = &[
    ("mlp", 2),
    // Two forwards; the hidden layer's cotangent, and both weights'.
    ("mlp_gradient", 5),
    ("attention", 2),
    // One forward, since nobody reads the result; the cotangents of the weights, and of queries, keys and values.
    ("attention_gradient", 5),
    ("convolution", 1),
    ("by_windows", 1),
    ("lstm", 2),
    // Two forwards; the cotangents of the state and of both weights.
    ("lstm_gradient", 5),
    ("squares_gradient", 2),
    ("mixture", 1),
    // Forward; the cotangents of the weights and of the means (with a vector each), and of the factors; that of the residuals
    // only where the means' is not finite.
    ("mixture_gradient", 5),
    ("operand", 1),
    ("shifted", 1),
    ("map_rows", 1),
    ("scaled", 2),
];

fn session() -> Session {
    Session::new(MemoryWorld::new([("a.arr", PROGRAMS.as_bytes())]))
}

#[test]
fn products_are_counted() {
    let mut wrong = Vec::new();
    for &(entry, expected) in COUNTS {
        let (loops, fused) = with_stack(|| {
            let mut session = session();
            let mut program = session.program("a.arr", entry, &Derive::Nothing).expect(entry);
            let relaxed = Execution::default();
            (program.emit(Stage::Loops, &relaxed).expect(entry), program.emit(Stage::Fused, &relaxed).expect(entry))
        })
        .expect("a stack");
        let found = loops.lines().filter(|l| l.trim_start().starts_with("matmul")).count();
        if found != expected {
            wrong.push(format!("{entry}: {found} matrix products instead of {expected}\n{fused}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The program makes its own arguments, so that they are large enough for matrix products.
#[test]
fn values_are_those_of_the_interpreter() {
    let cases = [
        "flatten(let p = mlp_gradient(fill(20, 18, 0.7), fill(1, 18, 0.3)[0], fill(18, 10, 1.3), fill(1, 10, 0.9)[0], \
         fill(16, 20, 0.1), for i < 16 => i % 10) in p.0)",
        "flatten(attention(for h < 2 => fill(17, 16, 0.3), for h < 2 => fill(17, 16, 0.7), for h < 2 => fill(17, 16, 1.1))[1])",
        "flatten(flatten(convolution(for b < 2, c < 3 => fill(9, 9, f64(b + c)), for o < 4, c < 3 => fill(3, 3, f64(o - c)))[1]))",
        "let g = mixture_gradient(fill(1, 3, 0.2)[0], fill(3, 12, 0.5), for c < 3 => fill(12, 12, f64(c) + 0.1), \
         fill(19, 12, 0.4)) in flatten(g.1)",
        "flatten(scaled(fill(20, 20, 0.3), 0.25))",
    ];
    for case in cases {
        let run = |backend, strict| {
            with_stack(|| {
                let mut session = session();
                let mut program = session.expression(Some("a.arr"), case).expect(case);
                let execution = Execution { backend, strict, ..Execution::default() };
                session.run(&mut program, &[], &execution).expect(case).value
            })
            .expect("a stack")
        };
        let numbers = |value: &arr_data::EdgeValue| -> Vec<f64> {
            arr_data::to_literal(value)
                .split(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c)))
                .filter_map(|t| t.parse().ok())
                .collect()
        };
        let (expected, relaxed) = (run(Backend::Interp, true), run(Backend::Cpu, false));
        assert_eq!(run(Backend::Cpu, true), expected, "{case}");
        let (x, y) = (numbers(&relaxed), numbers(&expected));
        assert!(x.len() == y.len() && x.len() > 10, "{case}");
        for (p, q) in x.iter().zip(&y) {
            assert!((p - q).abs() <= 1e-12 * (1.0 + q.abs()) * 100.0, "{case}: {p} instead of {q}");
        }
    }
}
