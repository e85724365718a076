//! Programs from text to result: every stage, both back ends, and derivatives as source that is a valid program.

use arr_base::Diagnostic;
use arr_data::{Arg, to_literal};
use arr_driver::{Backend, Derive, Execution, Failure, MemoryWorld, Mode, Program, Session, Stage, with_stack};

const PROGRAMS: &str = r"
type Line = { slope: f64, offset: f64 }
type Mixture[k, d] = { logw: [k]f64, mean: [k][d]f64, prec: [k][d][d]f64 }

def sum_of_squares(x: [n]f64) -> f64 = sum(x * x)

def loss(line: Line, x: [n]f64, y: [n]f64) -> f64 =
  let r = line.slope * x + line.offset - y
  in sum(r * r)

def logsumexp(x: [n]f64) -> f64 =
  let m = maximum(x)
  in m + log(sum(exp(x - m)))

def density(p: Mixture[k, d], xs: [n][d]f64) -> f64 =
  let score = for x in xs =>
    logsumexp(for j =>
      let r = p.prec[j] @ (x - p.mean[j])
      in p.logw[j] - 0.5 * sum(r * r))
  in sum(score) - f64(n) * logsumexp(p.logw)

def trace(x: [n][n]f64) -> f64 = sum(for i => x[i, i])

def newton(x: f64) -> f64 =
  loop y = x for i < 5 do 0.5 * (y + 2.0 / y)

def bilinear(x: [n]f64, a: [n][m]f64, y: [m]f64) -> f64 = x @ (a @ y)
";

/// A definition, and arguments for it.
const POINTS: &[(&str, &[&str])] = &[
    ("sum_of_squares", &["[1.0, -2.0, 0.5]"]),
    ("loss", &["{slope = 2, offset = 1}", "[0, 1, 2]", "[1, 4, -1]"]),
    ("logsumexp", &["[0.1, 0.7, -3]"]),
    (
        "density",
        &[
            "{logw = [0.1, 0.2], mean = [[0, 0], [1, 1]], prec = [[[1, 0], [0, 1]], [[2, 0.5], [0, 1]]]}",
            "[[0.5, 0.1], [1, 2], [0, -1]]",
        ],
    ),
    ("trace", &["[[1, 2], [3, 4]]"]),
    ("newton", &["1.5"]),
    ("bilinear", &["[1, 2]", "[[1, 0, 2], [0.5, -1, 3]]", "[1, -1, 0.25]"]),
];

fn session() -> Session {
    Session::new(MemoryWorld::new([("p.arr", PROGRAMS.as_bytes())]))
}

fn on(backend: Backend) -> Execution {
    Execution { backend, strict: true, ..Execution::default() }
}

fn args(texts: &[&str]) -> Vec<Arg> {
    texts.iter().map(|t| Arg::parse(t)).collect()
}

fn unwrap<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|failure| match failure {
        Failure::Bug(what) => panic!("{what}"),
        Failure::Diagnostics(list) => panic!("{}", list.iter().map(show).collect::<Vec<_>>().join("\n")),
    })
}

fn show(d: &Diagnostic) -> String {
    format!("{} {} {:?} {:?}", d.code, d.title, d.labels, d.notes)
}

fn run(session: &mut Session, program: &mut Program, texts: &[&str], backend: Backend) -> String {
    to_literal(&unwrap(session.run(program, &args(texts), &on(backend))).value)
}

/// Fails unless the numbers in two printed values are equal up to rounding.
fn assert_close(a: &str, b: &str, what: &str) {
    let numbers = |text: &str| -> Vec<f64> {
        text.split(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c))).filter_map(|w| w.parse().ok()).collect()
    };
    let (x, y) = (numbers(a), numbers(b));
    assert_eq!(x.len(), y.len(), "{what}: {a} and {b}");
    for (x, y) in x.iter().zip(&y) {
        assert!((x - y).abs() <= 1e-12 * x.abs().max(y.abs()).max(1.0), "{what}: {a} and {b}");
    }
}

#[test]
fn every_stage_prints() {
    let mut session = session();
    for (entry, _) in POINTS {
        for derive in [Derive::Nothing, Derive::Gradient { wrt: vec![], mode: Mode::Reverse }] {
            let mut program = unwrap(session.program("p.arr", entry, &derive));
            for stage in [Stage::Core, Stage::Bulk, Stage::Ad, Stage::Fused, Stage::Loops, Stage::Clif] {
                assert!(!unwrap(program.emit(stage, &Execution::default())).is_empty(), "{entry} {stage:?}");
            }
        }
    }
    let text = unwrap(session.syntax("p.arr"));
    let mut again = Session::new(MemoryWorld::new([("q.arr", text.as_bytes())]));
    assert_eq!(unwrap(again.syntax("q.arr")), text);
}

/// A loop without iterations forwards has none backwards, even for negative counts.
#[test]
fn a_count_below_zero_is_none() {
    let text = "def f(x: [n]f64, steps: i64) -> [n]f64 =
  grad(\\x => sum(loop y = x for t < steps do (for i => y[i] * y[n - 1 - i])))(x)";
    for backend in [Backend::Cpu, Backend::Interp] {
        for any_size in [false, true] {
            let mut session = Session::new(MemoryWorld::new([("p.arr", text.as_bytes())]));
            let mut program = unwrap(session.program("p.arr", "f", &Derive::Nothing));
            for steps in [i64::MIN, i64::MIN + 1, -1, 0] {
                let execution = Execution { any_size, ..on(backend) };
                let arguments = args(&["[1.0, 2.0, 3.0]", &steps.to_string()]);
                let found = to_literal(&unwrap(session.run(&mut program, &arguments, &execution)).value);
                assert_eq!(found, "[1.0, 1.0, 1.0]", "{steps} steps");
            }
        }
    }
}

#[test]
fn back_ends_agree() {
    let mut session = session();
    for (entry, texts) in POINTS {
        let mut program = unwrap(session.program("p.arr", entry, &Derive::Nothing));
        let interp = run(&mut session, &mut program, texts, Backend::Interp);
        assert_close(&run(&mut session, &mut program, texts, Backend::Cpu), &interp, entry);
    }
}

#[test]
fn gradients_agree_with_differences() {
    let mut session = session();
    for (entry, texts) in POINTS {
        for backend in [Backend::Cpu, Backend::Interp] {
            let check = unwrap(session.check_gradient("p.arr", entry, &args(texts), &on(backend)));
            assert!(check.agree() && !check.rows.is_empty(), "{entry}\n{}", check.table());
        }
    }
}

#[test]
fn gradients_are_programs_again() {
    let mut session = session();
    for (entry, texts) in POINTS {
        let gradient = Derive::Gradient { wrt: vec![], mode: Mode::Reverse };
        let mut program = unwrap(session.program("p.arr", entry, &gradient));
        let source = unwrap(program.to_source());
        let name = program.entry().to_string();
        let mut again = Session::new(MemoryWorld::new([("g.arr", source.as_bytes())]));
        let mut printed = match again.program("g.arr", &name, &Derive::Nothing) {
            Ok(program) => program,
            Err(failure) => panic!("{entry}: {failure:?}\n{source}"),
        };
        let expected = run(&mut session, &mut program, texts, Backend::Interp);
        assert_close(&run(&mut again, &mut printed, texts, Backend::Cpu), &expected, entry);
    }
}

/// A printed gradient as a program of its own, and its gradient's name.
fn printed(text: &str, entry: &str) -> (String, Session, String) {
    let mut session = Session::new(MemoryWorld::new([("p.arr", text.as_bytes())]));
    let mut program = unwrap(session.printed("p.arr", entry, &[], Mode::Reverse));
    let source = unwrap(program.to_source());
    let name = program.entry().to_string();
    (source.clone(), Session::new(MemoryWorld::new([("g.arr", source.as_bytes())])), name)
}

#[test]
fn printed_gradients_keep_calls_and_names_of_types() {
    let text = "import linalg as la\ntype Model[d] = { w: [d][d]f64, b: [d]f64 }\ntype Unused = f64\n\
                def softplus(x: f64) -> f64 = log(bound + exp(x))\n\
                derivative softplus(x, y, dy) = dy / (bound + exp(-x))\ndef bound = 1.0\n\
                def loss(m: Model[d], y: [d]f64) -> f64 =\n  let x = la.solve(m.w, m.b)\n  \
                in sum(for i => softplus(x[i]) * (x[i] - y[i]) ** 2)\n";
    let (source, mut again, name) = printed(text, "loss");
    for part in ["import linalg as la", "type Model[d]", "def softplus", "derivative softplus", "def bound"] {
        assert!(source.contains(part), "{part}\n{source}");
    }
    assert!(!source.contains("Unused"), "{source}");
    assert!(source.contains("(m: Model[d], y: [d]f64) -> Model[d] ="), "{source}");
    assert!(source.contains("let x = la.solve(m.w, m.b)"), "{source}");
    assert!(source.contains("la.solve_transposed(m.w, "), "{source}");
    let texts = ["{ w = [[2.0, 1.0], [0.5, 3.0]], b = [1.0, -2.0] }", "[0.5, 0.25]"];
    let mut session = Session::new(MemoryWorld::new([("p.arr", text.as_bytes())]));
    let gradient = Derive::Gradient { wrt: vec![], mode: Mode::Reverse };
    let mut program = unwrap(session.program("p.arr", "loss", &gradient));
    let mut shown = unwrap(again.program("g.arr", &name, &Derive::Nothing));
    let expected = run(&mut session, &mut program, &texts, Backend::Interp);
    assert_close(&run(&mut again, &mut shown, &texts, Backend::Cpu), &expected, &source);
}

#[test]
fn printed_gradients_stop_where_their_programs_stop() {
    let text = "def sliced(x: f64, k: i64) -> f64 = x * f64(length(iota(3)[k:]))\n\
                def divided(x: f64, k: i64) -> f64 = x + f64(1 / (k - 5))\n\
                def element(x: f64, k: i64) -> f64 = x + [1.0, 2.0][k]\n\
                def largest(x: f64, k: i64) -> f64 = x * maximum(zeros(k - 5))\n\
                def negative(x: f64, k: i64) -> f64 = x + f64(length(zeros(2 - k)))\n\
                def inside(x: f64, k: i64) -> f64 = sum(for i < k => x + f64(iota(3)[k]))\n\
                def chosen(x: f64, k: i64) -> f64 = let v = [x, 2.0][k] in if x > 5.0 then v else x\n";
    let names = ["sliced", "divided", "element", "largest", "negative", "inside", "chosen"];
    for entry in names {
        let mut session = Session::new(MemoryWorld::new([("p.arr", text.as_bytes())]));
        let gradient = Derive::Gradient { wrt: vec![], mode: Mode::Reverse };
        let mut program = unwrap(session.program("p.arr", entry, &gradient));
        let (source, mut again, name) = printed(text, entry);
        let mut shown = unwrap(again.program("g.arr", &name, &Derive::Nothing));
        let texts = args(&["2.0", "5"]);
        let code =
            |session: &mut Session, program: &mut Program| match session.run(program, &texts, &on(Backend::Interp)) {
                Err(Failure::Diagnostics(found)) => found.first().map(|d| d.code),
                _ => None,
            };
        let wanted = code(&mut session, &mut program);
        assert!(wanted.is_some(), "{entry} does not stop");
        assert_eq!(code(&mut again, &mut shown), wanted, "{entry}\n{source}");
    }
}

#[test]
fn a_rule_that_forgets_its_cotangent_is_off() {
    let text = "def cube(x: f64) -> f64 = x ** 3\nderivative cube(x, y, dy) = 3.0 * x ** 2\n\
                def right(x: f64) -> f64 = x ** 3\nderivative right(x, y, dy) = 3.0 * dy * x ** 2\n";
    let mut session = Session::new(MemoryWorld::new([("p.arr", text.as_bytes())]));
    let mut check = |entry| unwrap(session.check_gradient("p.arr", entry, &args(&["0.5"]), &on(Backend::Cpu)));
    assert!(check("right").agree());
    let found = check("cube");
    assert!(!found.agree());
    let hints = format!("{:?}", found.to_diagnostic("cube"));
    assert!(hints.contains("forgets its cotangent"), "{hints}");
}

#[test]
fn printed_gradients_say_which_lines_they_come_from() {
    let text = "-- A loss.\ndef loss(w: [d]f64, a: [n][d]f64) -> f64 =\n  let r = tanh(a @ w)\n  \
                in sum(r * r) / sum(exp(r))\ndef twice(w: [d]f64, a: [n][d]f64) -> f64 = loss(w, a) + loss(2.0 * w, a)\n";
    let mut session = Session::new(MemoryWorld::new([("l.arr", text.as_bytes())]));
    let gradient = |mode| Derive::Gradient { wrt: vec![], mode };
    let mut comments = |entry, derive: &Derive| {
        let source = unwrap(unwrap(session.program("l.arr", entry, derive)).to_source());
        source.lines().filter_map(|line| line.strip_prefix("  -- ").map(str::to_string)).collect::<Vec<String>>()
    };
    let value = "line 3: let r = tanh(a @ w)";
    assert_eq!(comments("loss", &Derive::Nothing), ["line 4: in sum(r * r) / sum(exp(r))"]);
    let found = comments("loss", &gradient(Mode::Reverse));
    assert_eq!(found.first().map(String::as_str), Some(value), "{found:?}");
    assert!(found.contains(&"the derivative of line 4: in sum(r * r) / sum(exp(r))".to_string()), "{found:?}");
    assert!(found.contains(&format!("the derivative of {value}")), "{found:?}");
    // The backward sweep follows the value, from the last line to the first.
    let last_value = found.iter().rposition(|comment| comment.starts_with("line"));
    let first_derivative = found.iter().position(|comment| comment.starts_with("the derivative"));
    assert!(last_value < first_derivative, "{found:?}");
    let forward = comments("loss", &gradient(Mode::Forward));
    assert!(forward.iter().any(|comment| comment.starts_with("the derivative of line")), "{forward:?}");
}

#[test]
fn run_time_errors_are_the_same_on_both_back_ends() {
    let text = "def at(x: [n]f64, i: i64) -> f64 = x[i]\ndef div(a: i64, b: i64) -> i64 = a / b\n\
                def long(n: i64) -> i64 = loop a = 0 for i < n do a + i * i % 7\n\
                def big(n: i64) -> [n]f64 = for i < n => f64(i)\n";
    let mut session = Session::new(MemoryWorld::new([("e.arr", text.as_bytes())]));
    let cases: [(&str, &[&str], &str); 5] = [
        ("at", &["[1, 2]", "2"], "E0601"),
        ("div", &["1", "0"], "E0602"),
        ("long", &["100"], "E0607"),
        ("big", &["-1"], "E0604"),
        ("big", &["1000000"], "E0605"),
    ];
    for (entry, texts, code) in cases {
        let mut seen = Vec::new();
        let mut program = unwrap(session.program("e.arr", entry, &Derive::Nothing));
        for backend in [Backend::Cpu, Backend::Interp] {
            let execution = Execution { backend, max_steps: Some(10), max_memory: Some(1000), ..on(backend) };
            match session.run(&mut program, &args(texts), &execution) {
                Err(Failure::Diagnostics(list)) => seen.push(list.iter().map(show).collect::<Vec<_>>()),
                other => panic!("{entry}: {other:?}"),
            }
        }
        assert_eq!(seen[0], seen[1], "{entry}");
        assert!(seen[0][0].starts_with(code), "{entry}: {:?}", seen[0]);
    }
}

#[test]
fn deep_programs_do_not_overflow() {
    let sum = format!("def f(x: f64) -> f64 = x{}\n", " + x".repeat(15_000));
    let lets: String = (0..5_000).map(|i| format!("let x{} = x{i} + 1.0\n", i + 1)).collect();
    let lets = format!("def f(x0: f64) -> f64 =\n{lets} in x5000\n");
    for text in [sum, lets, "(".repeat(200_000), format!("def f() -> f64 = {}", "[".repeat(100_000))] {
        let outcome = with_stack(|| {
            let mut session = Session::new(MemoryWorld::new([("d.arr", text.as_bytes())]));
            match session.program("d.arr", "f", &Derive::Nothing) {
                Ok(mut program) => Some(run(&mut session, &mut program, &["1.0"], Backend::Cpu)),
                Err(Failure::Diagnostics(_)) => None,
                Err(Failure::Bug(what)) => panic!("{what}"),
            }
        });
        assert!(outcome.is_ok());
    }
}
