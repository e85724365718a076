//! Compares one program in several ways with the interpreter, the oracle of derivatives, and its own errors.

use super::job::{Failure, Job, Verdict, Way};
use arr_base::Diagnostic;
use arr_data::Arg;
use arr_driver::{Backend, Derive, Execution, Failure as Refused, MemoryWorld, Program, Session};
use arr_ir::rewrite::{Enter, rewrite_blocks};
use arr_ir::{Atom, Const, Data, Func, RunError, Value};
use arr_oracle::{Method, Stop};
use std::sync::Arc;

/// The maximal number of iterations of a program; a longer one is skipped.
const STEPS: u64 = 150_000;
/// As [`STEPS`], for a repository program with a deliberate error, whose steps may each be a matrix product.
const STEPS_OF_KNOWN: u64 = 20_000;
/// The maximal number of statements of the oracle; a longer derivative is compared without it.
const STATEMENTS: u64 = 400_000;
const MEMORY: u64 = 1 << 30;

/// The outcome of a run: values, or the code and the position of its error.
pub(crate) type Ran = Result<Vec<Value>, (String, String)>;

/// Compares every entry in every way.
pub fn compare(job: &Job) -> Verdict {
    let mut meaning = None;
    for entry in &job.entries {
        match entry_in_every_way(job, entry, &mut meaning) {
            Ok(()) => {}
            Err(verdict) => return verdict,
        }
    }
    Verdict::Passed
}

/// A program with its arguments.
pub(crate) struct Question {
    pub program: Program,
    pub sizes: Vec<i64>,
    pub leaves: Vec<Value>,
}

/// An entry of a program, with arguments.
pub(crate) fn question(source: &str, entry: &str, arguments: &[String]) -> Result<Question, Refused> {
    let mut session = Session::new(MemoryWorld::new([("p.arr", source.as_bytes())]));
    let arguments: Vec<Arg> = arguments.iter().map(|text| Arg::parse(text)).collect();
    let mut program = session.program("p.arr", entry, &Derive::Nothing)?;
    program.verify = true;
    let (sizes, leaves) = session.arguments(&program, &arguments)?;
    Ok(Question { program, sizes, leaves })
}

fn entry_in_every_way(job: &Job, entry: &str, value: &mut Option<Ran>) -> Result<(), Verdict> {
    let failed = |kind: &str, way: Option<Way>, told: String| {
        Verdict::Failed(Failure { kind: kind.to_string(), entry: entry.to_string(), way, told })
    };
    let asked = question(&job.source, entry, &job.arguments).map_err(|refused| {
        let (kind, text) = told(&refused);
        match (job.refusable, refused) {
            (true, Refused::Diagnostics(_)) => Verdict::Skipped(format!("refused: {kind}")),
            // An index that is wrong on purpose, and by what is written.
            (_, Refused::Diagnostics(list)) if list.first().is_some_and(|d| d.code == arr_base::Code::OUTSIDE) => {
                Verdict::Skipped("refused: it can only fail".to_string())
            }
            _ => failed(&format!("not accepted: {kind}"), None, text),
        }
    })?;
    let derived = arr_ir::has_derivatives(asked.program.func());
    let meant =
        run(&asked, &interpreter(job)).map_err(|bug| failed(&format!("interpreter: {}", kind_of(&bug)), None, bug))?;
    if takes_too_long(&meant) {
        return Err(Verdict::Skipped("it takes too long".to_string()));
    }
    match &value {
        None => *value = Some(meant.clone()),
        Some(_) if job.own_errors => {}
        Some(Err(_)) if meant.is_err() && several_wrong(job) => {}
        Some(value) => errors_agree(value, &meant).map_err(|(kind, text)| failed(kind, None, text))?,
    }
    // Around a NaN, a zero that wins in one of the two need not win in the other.
    let finite = matches!(value, Some(Ok(value)) if value.iter().all(|v| v.to_f64s().iter().all(|x| x.is_finite())));
    // Of a value without elements the two know nothing but zeros, which an unused NaN may have met.
    let some = matches!(value, Some(Ok(value)) if value.iter().any(|v| !v.to_f64s().is_empty()));
    if derived && job.oracle && (finite && some || !job.refusable) {
        beside_the_oracle(job, entry, &asked, &meant).map_err(|text| failed("dual numbers differ", None, text))?;
    }
    for way in &job.ways {
        if way.checkpoint && !derived {
            continue;
        }
        let execution = Execution {
            strict: way.strict,
            any_size: !way.sized,
            threads: Some(way.threads),
            checkpoint: way.checkpoint,
            sanitize: way.sanitize,
            max_memory: Some(MEMORY),
            ..Execution::default()
        };
        let found = run(&asked, &execution).map_err(|bug| failed(&kind_of(&bug), Some(*way), bug))?;
        let exact = way.strict && !(derived && way.checkpoint);
        if let (Ok(found), Ok(meant)) = (&found, &meant)
            && derived
            && !way.strict
            && !finite
            && job.refusable
            && numbers_agree(job, found, meant)
        {
            continue;
        }
        if let Some((kind, text)) = differ(job, entry, &found, &meant, exact) {
            return Err(failed(kind, Some(*way), text));
        }
        // Checkpointed derivatives are different ones, which the interpreter evaluates too.
        if way.strict && way.checkpoint {
            let execution = Execution { checkpoint: true, ..interpreter(job) };
            let meant = run(&asked, &execution).map_err(|bug| failed(&kind_of(&bug), Some(*way), bug))?;
            if takes_too_long(&meant) {
                continue;
            }
            if let Some((kind, text)) = differ(job, entry, &found, &meant, true) {
                return Err(failed(kind, Some(*way), text));
            }
        }
    }
    Ok(())
}

/// The deviation of a result, if there is one.
pub(crate) fn differ(job: &Job, entry: &str, found: &Ran, meant: &Ran, exact: bool) -> Option<(&'static str, String)> {
    match (found, meant) {
        (Ok(found), Ok(meant)) => {
            if found.len() != meant.len()
                || found.iter().zip(meant).any(|(f, m)| f.dims() != m.dims() || f.elem() != m.elem())
            {
                return Some(("shapes differ", format!("gives {found:?}\nnot   {meant:?}")));
            }
            let text = || told_apart(found, meant);
            if exact {
                if found.iter().zip(meant).all(|(f, m)| same_bits(f, m)) {
                    return None;
                }
                let equal = found.iter().zip(meant).all(|(f, m)| near(f, m, 0.0, 0.0));
                return Some((if equal { "signs of zero differ" } else { "bits differ" }, text()));
            }
            let close = found.iter().zip(meant).all(|(f, m)| near(f, m, scale(m), tolerance(job)));
            if close || excused(job, entry, found, meant) {
                return None;
            }
            Some(("values differ", text()))
        }
        (Err(found), Err(meant)) if found == meant => None,
        (Err(_), Err(_)) if several_wrong(job) => None,
        (Err(found), Err(meant)) if found.0 == meant.0 => {
            Some(("an error is elsewhere", format!("gives {found:?}\nnot   {meant:?}")))
        }
        (Err(found), Err(meant)) => Some(("errors differ", format!("gives {found:?}\nnot   {meant:?}"))),
        (Ok(found), Err(meant)) => Some(("an error is lost", format!("gives {}\nnot   {meant:?}", short(found)))),
        (Err((code, _)), Ok(_)) if code == "E0605" && has_huge_extent(job) => None,
        (Err(found), Ok(meant)) => Some(("an error is made up", format!("gives {found:?}\nnot   {}", short(meant)))),
    }
}

/// Whether two results are equal except for elements that are NaN in one of them. Relaxed code inserts the sizes of a
/// call before differentiation, which then sees other selections: behind a NaN, other zeros win.
fn numbers_agree(job: &Job, found: &[Value], meant: &[Value]) -> bool {
    found.len() == meant.len()
        && found.iter().zip(meant).all(|(f, m)| {
            let allowed = tolerance(job) * scale(m);
            let close = |(x, y): (&f64, &f64)| !x.is_finite() || !y.is_finite() || (x - y).abs() <= allowed;
            f.dims() == m.dims() && f.to_f64s().iter().zip(&m.to_f64s()).all(close)
        })
}

/// Whether the interpreter reached its limit of steps or of memory.
pub(crate) fn takes_too_long(meant: &Ran) -> bool {
    matches!(meant, Err((code, _)) if code == "E0607" || code == "E0605")
}

/// Whether an argument is an integer beyond the range of size names: code may keep an array over such an extent where
/// the program, without points for another reason, keeps none.
fn has_huge_extent(job: &Job) -> bool {
    job.arguments.iter().any(|text| text.parse::<i64>().is_ok_and(|n| n > 1 << 40))
}

/// Whether there may be several errors, so that the reported one may differ: in a repository program with a deliberate
/// error, unless it is in one place of its text, and the program had no error before.
fn several_wrong(job: &Job) -> bool {
    let fine = |source: &String| {
        let asked = question(source, job.entries.first()?, &job.arguments).ok()?;
        run(&asked, &interpreter(job)).ok()?.ok()
    };
    job.refusable && job.original.as_ref().and_then(fine).is_none()
}

/// The error of a derivative is that of the value, and there is none where the value has none.
fn errors_agree(value: &Ran, derivative: &Ran) -> Result<(), (&'static str, String)> {
    let kind = match (value, derivative) {
        (Ok(_), Ok(_)) => return Ok(()),
        (Err(value), Err(derivative)) if value == derivative => return Ok(()),
        (Err((code, _)), Err((other, _))) if code == other => "the derivative's error is elsewhere",
        (Err(_), Err(_)) => "the derivative's error is another",
        (Err(_), Ok(_)) => "the derivative lost an error",
        (Ok(_), Err(_)) => "the derivative made up an error",
    };
    Err((kind, format!("the value gives {}\nthe derivative {}", short_ran(value), short_ran(derivative))))
}

fn beside_the_oracle(job: &Job, entry: &str, asked: &Question, meant: &Ran) -> Result<(), String> {
    let dual = match arr_oracle::run(asked.program.func(), &asked.sizes, &asked.leaves, Method::Dual, STATEMENTS) {
        Ok(outcome) => Ok(outcome.results),
        Err(Stop::TooLong) => return Ok(()),
        Err(Stop::Failed(kind)) => Err(RunError::new(kind, None).to_diagnostic().code.to_string()),
    };
    match (&dual, meant) {
        (Ok(dual), Ok(meant)) => {
            let close = dual.iter().zip(meant).all(|(d, m)| near(d, m, scale(m), tolerance(job)));
            // Where the value is a derivative itself, nothing says whether what it is derived from is a NaN.
            let hidden = job.refusable && job.entries.first().is_some_and(|first| first == entry);
            let known = || hidden && numbers_agree(job, dual, meant) || sums_nothing(asked, dual, meant);
            if close || known() || excused(job, entry, dual, meant) {
                return Ok(());
            }
            Err(told_apart(dual, meant))
        }
        (Err(dual), Err((meant, _))) if dual == meant => Ok(()),
        _ => Err(format!("dual numbers give {dual:?}\nthe program {}", short_ran(meant))),
    }
}

/// Whether the two differ as forward mode does for sums without terms: their tangent is a zero like any other to a program,
/// which has one code for all sizes, and no tangent at all to dual numbers.
fn sums_nothing(asked: &Question, dual: &[Value], meant: &[Value]) -> bool {
    let empty = |leaf: &Value| matches!(leaf, Value::Array(array) if array.dims.contains(&0));
    let zero = |(d, m): (&f64, &f64)| d == m || d.is_nan() && m.is_nan() || *d == 0.0 && m.is_nan();
    asked.leaves.iter().any(empty)
        && dual.iter().zip(meant).all(|(d, m)| d.to_f64s().iter().zip(&m.to_f64s()).all(zero))
}

/// The settings for finding the meaning of a program.
pub(crate) fn interpreter(job: &Job) -> Execution {
    let steps = if job.refusable { STEPS_OF_KNOWN } else { STEPS };
    Execution { backend: Backend::Interp, max_steps: Some(steps), max_memory: Some(MEMORY), ..Execution::default() }
}

/// Runs a program. Fails with the text of a bug, or of a diagnostic that is no error of a run.
pub(crate) fn run(asked: &Question, execution: &Execution) -> Result<Ran, String> {
    let Question { program, sizes, leaves } = asked;
    let mut program = program.clone();
    match program.executable_for(sizes, execution).and_then(|code| code.run(sizes, leaves)) {
        Ok((results, _)) => Ok(Ok(results)),
        Err(Refused::Bug(what)) => Err(format!("a bug: {what}")),
        Err(Refused::Diagnostics(list)) => match list.first() {
            Some(diagnostic) if diagnostic.code.to_string().starts_with("E06") => Ok(Err(placed(diagnostic))),
            _ => Err(told(&Refused::Diagnostics(list)).1),
        },
    }
}

/// The code of an error, and its position.
fn placed(diagnostic: &Diagnostic) -> (String, String) {
    let place = diagnostic.primary_span().map_or("nowhere".to_string(), |span| format!("{span:?}"));
    (diagnostic.code.to_string(), place)
}

fn told(refused: &Refused) -> (String, String) {
    match refused {
        Refused::Bug(what) => (kind_of(what), what.clone()),
        Refused::Diagnostics(list) => {
            let code = list.first().map_or_else(String::new, |d| d.code.to_string());
            let line = |d: &Diagnostic| format!("{} {} {:?} {:?}", d.code, d.title, d.expected_found, d.notes);
            (code, list.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// A message without its names and numbers, so that one fault has one message.
fn kind_of(message: &str) -> String {
    let line: String = message.lines().next().unwrap_or_default().chars().take(160).collect();
    let mut kind = String::new();
    for word in line.split_whitespace() {
        // The word after `after` is the name of a pass.
        let own = !kind.ends_with("after ") && word.starts_with(['`', '(']) || word.chars().any(|c| c.is_ascii_digit());
        kind.push_str(if own { "_" } else { word });
        kind.push(' ');
    }
    kind.trim_end().chars().take(90).collect()
}

fn same_bits(a: &Value, b: &Value) -> bool {
    let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
    a.to_f64s().iter().zip(&b.to_f64s()).all(|(x, y)| bits(*x) == bits(*y))
}

fn tolerance(job: &Job) -> f64 {
    if job.single { 2e-3 } else { 1e-8 }
}

/// The largest number of an array, at least 1.
fn scale(value: &Value) -> f64 {
    value.to_f64s().iter().filter(|x| x.is_finite()).fold(1.0f64, |m, x| m.max(x.abs()))
}

fn near(a: &Value, b: &Value, scale: f64, tolerance: f64) -> bool {
    let close = |(x, y): (&f64, &f64)| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= tolerance * scale;
    a.to_f64s().len() == b.to_f64s().len() && a.to_f64s().iter().zip(&b.to_f64s()).all(close)
}

/// Whether the difference is within the program's sensitivity to rounding: numbers moved by a billionth change its
/// result by far more, numbers moved in their last digit by nearly as much, or `f32` is as far from `f64` as the two results
/// from each other.
fn excused(job: &Job, entry: &str, found: &[Value], meant: &[Value]) -> bool {
    let again = |source: &str, arguments: &[String]| {
        question(source, entry, arguments)
            .ok()
            .and_then(|asked| run(&asked, &interpreter(job)).ok())
            .and_then(Result::ok)
    };
    let apart = |a: &[Value], b: &[Value]| -> Vec<f64> {
        let one = |(a, b): (&Value, &Value)| {
            let (xs, ys) = (a.to_f64s(), b.to_f64s());
            xs.iter()
                .zip(&ys)
                .map(|(x, y)| if x == y || x.is_nan() && y.is_nan() { 0.0 } else { (x - y).abs() })
                .fold(0.0f64, |m, d| if d.is_nan() || d > m { d } else { m })
        };
        a.iter().zip(b).map(one).collect()
    };
    let difference = apart(found, meant);
    // An integer that no float holds exactly, and that is used as a number, leaves errors of its own size.
    let numbers = job.arguments.iter().flat_map(|text| text.split(|c: char| !c.is_ascii_digit() && c != '.'));
    let largest = numbers.filter_map(|word| word.parse::<i64>().ok()).max().unwrap_or(0);
    if largest > 1 << 53 && difference.iter().all(|d| *d <= 1e-15 * largest as f64) {
        return true;
    }
    if let Some(wider) = &job.wider {
        let Some(exact) = again(wider, &job.arguments) else { return true };
        let error = apart(meant, &exact);
        if difference.iter().zip(&error).all(|(d, e)| *d <= 30.0 * e || e.is_nan()) {
            return true;
        }
    }
    // Rounding errors of 1e-16 are 1e7 times smaller than the moves.
    let Some(moved) = again(&job.source, &job.moved) else { return true };
    let sensitive = apart(&moved, meant);
    let worst = difference.iter().zip(&sensitive).all(|(d, s)| *d <= 1e-3 * s || s.is_nan());
    if worst && sensitive.iter().any(|s| *s > 0.0) {
        return true;
    }
    // What cancels to nothing is noise however far the arguments move, and so is what a chain of errors has amplified.
    let Ok(asked) = question(&job.source, entry, &job.arguments) else { return false };
    let mut noise = vec![0.0f64; difference.len()];
    let mut undefined = vec![false; difference.len()];
    // Whether something cancels exactly, and is then divided by, takes more tries to see.
    let patterns = if difference.iter().any(|d| d.is_nan()) { 16 } else { 4 };
    for pattern in 1..=patterns {
        let leaves = asked.leaves.iter().map(|leaf| nudged(leaf, pattern)).collect();
        let program = Program::new(with_nudged_constants(asked.program.func(), pattern));
        let asked = Question { program, sizes: asked.sizes.clone(), leaves };
        let Ok(Ok(other)) = run(&asked, &interpreter(job)) else { return false };
        for ((most, undefined), d) in noise.iter_mut().zip(&mut undefined).zip(apart(&other, meant)) {
            *most = most.max(d);
            *undefined |= d.is_nan();
        }
    }
    let allowed = |((d, n), undefined): ((&f64, &f64), &bool)| if d.is_nan() { *undefined } else { *d <= 30.0 * n };
    difference.iter().zip(&noise).zip(&undefined).all(allowed)
}

/// Whether the k-th number of a pattern goes up.
fn goes_up(k: usize, pattern: u64) -> bool {
    (k as u64 + 1).wrapping_mul(pattern.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 63 == 0
}

/// A function whose constants have another last digit, but for 0, 1 and -1.
fn with_nudged_constants(func: &Func, pattern: u64) -> Func {
    let (mut func, mut count) = (func.clone(), 0);
    let mut nudge = |atom: Atom| match atom {
        Atom::Const(c) if c.as_f64().is_some_and(|x| x.is_finite() && x != 0.0 && x.abs() != 1.0) => {
            count += 1;
            match nudged(&Value::Scalar(c), pattern + count) {
                Value::Scalar(c) => Atom::Const(c),
                Value::Array(_) => atom,
            }
        }
        atom => atom,
    };
    rewrite_blocks(&mut func, Enter::All, &mut |_, block| {
        block.stmts.iter_mut().for_each(|stmt| stmt.op.map_operands(&mut nudge));
        block.results.iter_mut().for_each(|result| *result = nudge(*result));
    });
    func
}

/// Numbers with another last digit; `pattern` says which of them go up.
fn nudged(value: &Value, pattern: u64) -> Value {
    let up = |k: usize| goes_up(k, pattern);
    let wide = |k: usize, x: f64| if up(k) { x.next_up() } else { x.next_down() };
    let narrow = |k: usize, x: f32| if up(k) { x.next_up() } else { x.next_down() };
    let mut value = value.clone();
    match &mut value {
        Value::Scalar(Const::F64(x)) => *x = wide(0, *x),
        Value::Scalar(Const::F32(x)) => *x = narrow(0, *x),
        Value::Scalar(_) => {}
        Value::Array(array) => match &mut Arc::make_mut(array).data {
            Data::F64(xs) => xs.iter_mut().enumerate().for_each(|(k, x)| *x = wide(k, *x)),
            Data::F32(xs) => xs.iter_mut().enumerate().for_each(|(k, x)| *x = narrow(k, *x)),
            Data::Bool(_) | Data::I32(_) | Data::I64(_) | Data::U32(_) => {}
        },
    }
    value
}

fn told_apart(found: &[Value], meant: &[Value]) -> String {
    let mut lines = Vec::new();
    for (k, (f, m)) in found.iter().zip(meant).enumerate() {
        let (xs, ys) = (f.to_f64s(), m.to_f64s());
        let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
        let off: Vec<usize> =
            (0..xs.len()).filter(|i| xs.get(*i).map(|x| bits(*x)) != ys.get(*i).map(|y| bits(*y))).collect();
        let worst = off.iter().copied().max_by(|a, b| {
            let distance = |i: usize| xs.get(i).zip(ys.get(i)).map_or(0.0, |(x, y)| (x - y).abs());
            distance(*a).total_cmp(&distance(*b))
        });
        if let Some(i) = worst {
            lines.push(format!(
                "result {k}, shape {:?}: {} of {} elements differ, most at {i}: {:?}, not {:?}",
                m.dims(),
                off.len(),
                xs.len(),
                xs.get(i),
                ys.get(i)
            ));
        }
    }
    if found.iter().map(|v| v.to_f64s().len()).sum::<usize>() <= 40 {
        lines.push(format!("gives {}\nnot   {}", short(found), short(meant)));
    }
    lines.join("\n")
}

fn short(values: &[Value]) -> String {
    let one = |value: &Value| match value {
        Value::Scalar(c) => format!("{c:?}"),
        Value::Array(array) => match &array.data {
            Data::Bool(v) => format!("{:?}", v.iter().take(20).collect::<Vec<_>>()),
            _ => format!("{:?}", value.to_f64s().iter().take(20).collect::<Vec<_>>()),
        },
    };
    values.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn short_ran(ran: &Ran) -> String {
    match ran {
        Ok(values) => short(values),
        Err((code, place)) => format!("{code} at {place}"),
    }
}
