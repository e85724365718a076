//! Functions of the test collections of Futhark, JAX and PyTorch, and of published problem sets: their values and
//! derivatives equal those of JAX or PyTorch, in the interpreter and in compiled code.
//!
//! A page `peers/GROUP/NAME.arr` holds definitions, and `peers/GROUP/NAME.py` the same functions and the points at
//! which to compare. `peers/make.py` makes the peer compute the contents of `peers/values.json`: no Python runs here.
//! For each function at each point three programs are run: value and derivative in one direction (`jvp`); the gradient
//! of the results' elements times weights; and that gradient's derivative in the same direction.
//!
//! The interpreter runs them all, but the last only for every second function; so that the test takes a minute in a
//! debug build, compiled code runs only the gradient, in one way, with three cases in a row taking turns.
//! `ARR_PEERS=all` runs every program in every way, which takes a minute in a release build. Known faults always run
//! that way. Numbers agree to the case's relative tolerance, `1e-9` unless its page gives a reason, and absolutely to a
//! thousandth of that of the largest number beside them, since elements that cancel are off by a rounding error of
//! their terms.

use arr_data::Arg;
use arr_driver::{Backend, Derive, Execution, Failure, MemoryWorld, Session, with_stack};
use arr_tests::trial::Trial;
use arr_tests::{Outcome, files};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Known failures: a case at one of its points, and the reason. Passing cases must be removed from this list.
const FAULTS: &[(&str, &str)] = &[];

/// The minimal number of functions.
const LEAST: usize = 200;

/// The weights of a result's elements, the same as `weights` in `peer.py`.
const WEIGHED: &str =
    "\ndef peers_weighed[t: float](y: [q]t) -> t = sum(for k => y[k] * (t(3 + (7 * k + 3) % 11) / 10))\n";

/// The file's `cases`.
struct Case {
    /// The index among the file's cases.
    index: usize,
    page: String,
    name: String,
    point: u64,
    relative: f64,
    arguments: Vec<String>,
    /// The differentiated arguments, by their positions, and the direction.
    tangents: Vec<(usize, String)>,
    /// The rank of each result.
    ranks: Vec<u64>,
    value: Vec<f64>,
    tangent: Vec<f64>,
    gradient: Vec<f64>,
    second: Option<Vec<f64>>,
    /// The published sum of the squares of the results.
    published: Option<f64>,
}

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    match cases() {
        Ok(cases) => {
            let count = cases.iter().map(Case::function).collect::<BTreeSet<String>>().len();
            let names: BTreeSet<String> = cases.iter().map(Case::title).collect();
            trials.push(Trial::test("there_are_enough", move || {
                Ok(if count < LEAST { Err(format!("{count} functions, not {LEAST}")) } else { Ok(()) }?)
            }));
            trials.push(Trial::test("faults_are_cases", move || {
                let missing: Vec<_> = FAULTS.iter().filter(|(name, _)| !names.contains(*name)).collect();
                Ok(if missing.is_empty() { Ok(()) } else { Err(format!("no such cases: {missing:?}")) }?)
            }));
            trials.extend(cases.into_iter().map(|case| Trial::test(case.title(), move || Ok(expected(&case)?))));
        }
        Err(complaint) => trials.push(Trial::test("values", move || Err(complaint.into()))),
    }
    trials
}

fn cases() -> Result<Vec<Case>, String> {
    let text = files::read(&files::root().join("tests/peers/values.json"))?;
    let whole: Json = serde_json::from_str(&text).map_err(|error| format!("values.json: {error}"))?;
    let rows = whole["cases"].as_array().ok_or("values.json has no cases")?;
    rows.iter().enumerate().map(|(index, row)| case(index, row).ok_or_else(|| format!("not a case: {row}"))).collect()
}

fn case(index: usize, row: &Json) -> Option<Case> {
    let text = |json: &Json| json.as_str().map(str::to_string);
    let tangents = row["tangents"].as_object()?.iter().map(|(place, dx)| Some((place.parse().ok()?, text(dx)?)));
    let mut tangents: Vec<(usize, String)> = tangents.collect::<Option<_>>()?;
    tangents.sort_unstable();
    Some(Case {
        index,
        page: text(&row["page"])?,
        name: text(&row["name"])?,
        point: row["point"].as_u64()?,
        relative: row["relative"].as_f64()?,
        arguments: row["arguments"].as_array()?.iter().map(text).collect::<Option<_>>()?,
        tangents,
        ranks: row["ranks"].as_array()?.iter().map(Json::as_u64).collect::<Option<_>>()?,
        value: numbers(&row["value"])?,
        tangent: numbers(&row["tangent"])?,
        gradient: numbers(&row["gradient"])?,
        second: if row["second"].is_null() { None } else { Some(numbers(&row["second"])?) },
        published: row["published"].as_f64(),
    })
}

/// Numbers, where those that JSON lacks are strings.
fn numbers(list: &Json) -> Option<Vec<f64>> {
    list.as_array()?.iter().map(|x| x.as_f64().or_else(|| x.as_str()?.parse().ok())).collect()
}

/// The case agrees, or is known not to.
fn expected(case: &Case) -> Outcome {
    let found = with_stack(|| run(case)).unwrap_or_else(|_| Err("it panicked".to_string()));
    match FAULTS.iter().find(|(name, _)| *name == case.title()) {
        None => found,
        Some((_, reason)) => match found {
            Ok(()) => Err(format!("passes, but is said to fail: {reason}")),
            Err(complaint) => {
                eprintln!("known fault: {}: {reason}\n  {complaint}", case.title());
                Ok(())
            }
        },
    }
}

fn run(case: &Case) -> Outcome {
    let page = files::read(&files::root().join(format!("tests/peers/{}.arr", case.page)))?;
    let questions = case.questions(&page)?;
    let text = format!("{page}{WEIGHED}{}", questions.definitions);
    let mut session = Session::new(MemoryWorld::new([("page.arr", text.as_bytes())]));
    let along = [&case.value[..], &case.tangent].concat();
    let mut wanted = vec![("peers_along", along), ("peers_gradient", case.gradient.clone())];
    let in_every_way = case.in_every_way();
    let second = case.second.clone().filter(|_| in_every_way || case.point == 0 && case.index.is_multiple_of(2));
    wanted.extend(second.map(|second| ("peers_second", second)));
    for (entry, expected) in wanted {
        let program = session.program("page.arr", entry, &Derive::Nothing).map_err(|failure| told(entry, failure))?;
        let all = &questions.arguments;
        let arguments = if entry == "peers_gradient" { all.get(..case.arguments.len()).unwrap_or(all) } else { all };
        let arguments: Vec<Arg> = arguments.iter().map(|text| Arg::parse(text)).collect();
        let (sizes, leaves) = session.arguments(&program, &arguments).map_err(|failure| told(entry, failure))?;
        let one = if entry == "peers_gradient" { 1 + case.index % 3 } else { 0 };
        for (_, (way, execution)) in
            ways().into_iter().enumerate().filter(|(k, _)| in_every_way || *k == 0 || *k == one)
        {
            let ran = program.clone().executable_for(&sizes, &execution).and_then(|code| code.run(&sizes, &leaves));
            let (results, _) = ran.map_err(|failure| told(&format!("{entry}, {way}"), failure))?;
            let found: Vec<f64> = results.iter().flat_map(arr_ir::Value::to_f64s).collect();
            let count = if entry == "peers_along" { case.value.len() } else { expected.len() };
            case.compare(&format!("{entry}, {way}"), &found, &expected, count)?;
        }
    }
    Ok(())
}

fn ways() -> [(&'static str, Execution); 4] {
    let code = |strict, any_size| Execution { strict, any_size, threads: Some(2), ..Execution::default() };
    [
        ("interpreter", Execution { backend: Backend::Interp, ..Execution::default() }),
        ("strict", code(true, false)),
        ("relaxed", code(false, false)),
        ("relaxed, for all sizes", code(false, true)),
    ]
}

fn told(what: &str, failure: Failure) -> String {
    match failure {
        Failure::Bug(bug) => format!("{what}: a bug: {bug}"),
        Failure::Diagnostics(list) => {
            let list: Vec<String> = list.iter().map(|d| format!("{} {}", d.code, d.title)).collect();
            format!("{what}: {}", list.join("\n"))
        }
    }
}

/// The questions about a function: definitions behind those of its page, and their arguments.
struct Questions {
    definitions: String,
    arguments: Vec<String>,
}

impl Case {
    fn function(&self) -> String {
        format!("{}:{}", self.page, self.name)
    }

    /// Whether every program runs in every way.
    fn in_every_way(&self) -> bool {
        let title = self.title();
        std::env::var_os("ARR_PEERS").is_some_and(|what| what == "all") || FAULTS.iter().any(|(name, _)| *name == title)
    }

    fn title(&self) -> String {
        format!("{} at {}", self.function(), self.point)
    }

    /// The first `count` numbers are the value; they and the others are each compared relative to the largest among
    /// them.
    fn compare(&self, what: &str, found: &[f64], expected: &[f64], count: usize) -> Outcome {
        if found.len() != expected.len() {
            return Err(format!("{what}: {} numbers, not {}", found.len(), expected.len()));
        }
        let (first, others) = expected.split_at(count.min(expected.len()));
        let scale = |part: &[f64]| part.iter().filter(|x| x.is_finite()).fold(0.0f64, |m, x| m.max(x.abs()));
        let scales = [scale(first), scale(others)];
        for (i, (f, e)) in found.iter().zip(expected).enumerate() {
            let scale = scales[usize::from(i >= count)];
            let allowed = self.relative * (e.abs() + 1e-3 * scale) + 1e-15;
            if !(f == e || f.is_nan() && e.is_nan() || (f - e).abs() <= allowed) {
                return Err(format!("{what}: number {i} is {f:?}, and the peer's {e:?}"));
            }
        }
        let squares: f64 = found.iter().take(count).map(|x| x * x).sum();
        match self.published.filter(|_| what.starts_with("peers_along")) {
            Some(p) if (squares - p).abs() > 1e-5 * p + 1e-15 => {
                Err(format!("{what}: the squares add up to {squares:?}, and {p} was published"))
            }
            _ => Ok(()),
        }
    }

    fn questions(&self, page: &str) -> Result<Questions, String> {
        let parameters = parameters(page, &self.name).ok_or_else(|| format!("no `def {}`", self.name))?;
        let named = |place: usize| parameters.get(place).ok_or_else(|| format!("no parameter {place}"));
        let active = self.tangents.iter().map(|(place, _)| named(*place)).collect::<Result<Vec<_>, _>>()?;
        let tuple =
            |parts: Vec<String>| if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) };
        let at = tuple(active.iter().map(|(name, _)| name.clone()).collect());
        let along = tuple(active.iter().map(|(name, _)| format!("d_{name}")).collect());
        let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
        let call = format!("{}({})", self.name, names.join(", "));
        let bound = if active.len() == 1 { at.clone() } else { format!("({at})") };
        let head: Vec<String> = parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let head = head.join(", ");
        let tangents: String = active.iter().map(|(name, ty)| format!(", d_{name}: {ty}")).collect();
        let number = format!("\\{bound} => {}", self.weighed(&call));
        let mut definitions = String::new();
        let mut define = |line: String| writeln!(definitions, "{line}").map_err(|error| error.to_string());
        define(format!("def peers_along({head}{tangents}) = jvp(\\{bound} => {call}, {at}, {along})"))?;
        define(format!("def peers_gradient({head}) = grad({number})({at})"))?;
        define(format!("def peers_second({head}{tangents}) = let (_, h) = jvp(grad({number}), {at}, {along}) in h"))?;
        let arguments = self.arguments.iter().chain(self.tangents.iter().map(|(_, dx)| dx)).cloned().collect();
        Ok(Questions { definitions, arguments })
    }

    /// The results' elements times weights, added up.
    fn weighed(&self, call: &str) -> String {
        let results: Vec<String> = (0..self.ranks.len()).map(|i| format!("r{i}")).collect();
        let term = |(i, rank): (usize, &u64)| {
            let number = if *rank == 0 { format!("r{i}") } else { format!("peers_weighed(flatten(r{i}))") };
            if i == 0 { number } else { format!("{:?} * {number}", 1.0 + 0.5 * i as f64) }
        };
        let terms: Vec<String> = self.ranks.iter().enumerate().map(term).collect();
        let pattern = if results.len() == 1 { results.concat() } else { format!("({})", results.join(", ")) };
        format!("let {pattern} = {call} in {}", terms.join(" + "))
    }
}

/// Names and types of a definition's parameters, from its text.
fn parameters(page: &str, name: &str) -> Option<Vec<(String, String)>> {
    let head = format!("def {name}(");
    let line = page.lines().position(|line| line.starts_with(&head))?;
    let text = page.lines().skip(line).collect::<Vec<_>>().join(" ");
    let (mut depth, mut found, mut part) = (0, Vec::new(), String::new());
    for c in text.strip_prefix(&head)?.chars() {
        match c {
            ')' if depth == 0 => break,
            ',' if depth == 0 => found.push(std::mem::take(&mut part)),
            _ => {
                depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
                part.push(c);
            }
        }
    }
    found.push(part);
    let pair = |part: &String| part.split_once(':').map(|(name, ty)| (name.trim().to_string(), ty.trim().to_string()));
    found.iter().map(pair).collect()
}
