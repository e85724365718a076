//! An Arr program that serves the benchmark: compiled once, called on command.

use crate::options::Serve;
use arr_base::Diagnostic;
use arr_data::Arg;
use arr_driver::{Derive, Executable, Execution, Failure, OsWorld, Session, Without};
use arr_ir::{Const, Value};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, Write};
use std::time::Instant;

/// The room of a StableHLO module for sizes that only a run knows.
const ROOM: u64 = 1000;

/// A function, compiled on first use.
struct Entry {
    name: &'static str,
    program: arr_driver::Program,
    code: Option<Executable>,
}

pub fn run(options: &Serve) -> Result<bool, String> {
    arr_driver::with_stack(|| serve(options)).map_err(|_| "the compiler stopped".to_string())?.map(|()| true)
}

fn serve(options: &Serve) -> Result<(), String> {
    let mut session = Session::new(OsWorld);
    let args: Vec<Arg> = options.args.iter().map(|text| Arg::parse(text)).collect();
    let checked = session.checked(&options.file).map_err(told)?;
    let mut entries = Vec::new();
    for name in ["value", "gradient"] {
        if checked.entry_names().iter().any(|entry| *entry == name) {
            let program = session.definition(&checked, &options.file, name, &Derive::Nothing).map_err(told)?;
            entries.push(Entry { name, program, code: None });
        }
    }
    let first = entries.first().ok_or("the program defines neither `value` nor `gradient`")?;
    // Both functions have the same parameters.
    let (sizes, leaves) = session.arguments(&first.program, &args).map_err(told)?;
    let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    say(&format!("ready {}", names.join(" ")))?;
    let without = Without::of(options.without.iter().map(String::as_str)).map_err(|diagnostic| diagnostic.title)?;
    let execution = Execution { threads: Some(options.threads), without, ..Execution::default() };
    let mut peak = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let answer = answer(&line, &mut entries, (&sizes, &leaves), &execution, &mut peak);
        say(&answer.unwrap_or_else(|what| format!("error: {}", what.replace('\n', " "))))?;
    }
    Ok(())
}

fn say(line: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}

fn answer(
    line: &str,
    entries: &mut [Entry],
    (sizes, leaves): (&[i64], &[Value]),
    execution: &Execution,
    peak: &mut u64,
) -> Result<String, String> {
    let words: Vec<&str> = line.split(' ').collect();
    let (verb, name, last) = match words.as_slice() {
        ["peak"] => return Ok(peak.to_string()),
        ["lower", name, path] => return lower(find(entries, name)?, path, (sizes, leaves), execution),
        ["code", name, step] => return code(find(entries, name)?, step, sizes, execution),
        [verb, name, last] => (*verb, *name, *last),
        _ => return Err(format!("not understood: {line}")),
    };
    let entry = find(entries, name)?;
    let start = Instant::now();
    let code = match &entry.code {
        Some(code) => code,
        None => entry.code.insert(entry.program.executable_for(sizes, execution).map_err(told)?),
    };
    let compiled = start.elapsed();
    let mut call = || -> Result<Vec<Value>, String> {
        let (values, statistics) = code.run(sizes, leaves).map_err(told)?;
        *peak = statistics.iter().find(|(what, _)| *what == "bytes in use at most").map_or(0, |(_, n)| *n);
        Ok(values)
    };
    match verb {
        "run" => {
            let count: usize = last.parse().map_err(|_| format!("not a count: {last}"))?;
            let mut times = Vec::with_capacity(count);
            for i in 0..count {
                let start = Instant::now();
                let values = call()?;
                let took = start.elapsed();
                // The very first call pays for the compiler, as it does in the peers.
                times.push((if i == 0 { took + compiled } else { took }).as_nanos().to_string());
                code.recycle(values);
            }
            Ok(times.join(" "))
        }
        "save" => {
            let mut bytes = Vec::new();
            for value in call()? {
                let numbers = value.to_f64s();
                bytes.extend((numbers.len() as u64).to_le_bytes());
                bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
            }
            std::fs::write(last, bytes).map_err(|error| format!("{last}: {error}"))?;
            Ok("ok".to_string())
        }
        _ => Err(format!("not understood: {line}")),
    }
}

fn find<'e>(entries: &'e mut [Entry], name: &str) -> Result<&'e mut Entry, String> {
    entries.iter_mut().find(|entry| entry.name == name).ok_or_else(|| format!("no function {name}"))
}

/// A fingerprint of the loops of a function without a step, and the compilation time in nanoseconds.
fn code(entry: &Entry, step: &str, sizes: &[i64], execution: &Execution) -> Result<String, String> {
    let without = Without::of((step != "-").then_some(step)).map_err(|diagnostic| diagnostic.title)?;
    let execution = Execution { without: execution.without | without, ..*execution };
    let start = Instant::now();
    entry.program.clone().executable_for(sizes, &execution).map_err(told)?;
    let took = start.elapsed().as_nanos();
    let mut hasher = DefaultHasher::new();
    entry.program.clone().loops_text_for(sizes, &execution).map_err(told)?.hash(&mut hasher);
    Ok(format!("{} {took}", hasher.finish()))
}

/// Writes a function as a StableHLO module. Numbers are known to it, as they are to the functions of JAX.
fn lower(
    entry: &Entry,
    path: &str,
    (sizes, leaves): (&[i64], &[Value]),
    execution: &Execution,
) -> Result<String, String> {
    let execution = Execution { max_steps: Some(ROOM), ..*execution };
    let number = |(at, leaf): (usize, &Value)| match leaf {
        Value::Scalar(Const::I64(n)) => Some((at, *n)),
        _ => None,
    };
    let known: Vec<(usize, i64)> = leaves.iter().enumerate().filter_map(number).collect();
    let function = entry.program.clone().stablehlo("main", sizes, &known, &execution).map_err(told)?;
    let text = arr_driver::stablehlo_module(entry.name, &[function]);
    std::fs::write(path, text).map_err(|error| format!("{path}: {error}"))?;
    Ok("ok".to_string())
}

fn told(failure: Failure) -> String {
    let text = |d: &Diagnostic| format!("{}: {}", d.code, d.title);
    match failure {
        Failure::Diagnostics(list) => list.iter().map(text).collect::<Vec<_>>().join("; "),
        Failure::Bug(what) => format!("a fault of the compiler: {what}"),
    }
}
