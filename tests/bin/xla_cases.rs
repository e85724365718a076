//! Cases for XLA: modules of programs, their arguments, and what the interpreter gives; one file of JSON per case.

use arr_data::Arg;
use arr_driver::{Backend, Derive, Execution, Failure, MemoryWorld, Program, Session, with_stack};
use arr_ir::{Const, Value};
use arr_tests::large::job::Job;
use arr_tests::large::random::Random;
use arr_tests::large::soak::Source;
use arr_tests::large::wrong::{Order, Wrong};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
xla-cases FOLDER [--wrong | --own | --sample] [--seed S] [--count N]

Writes a file of JSON per definition and derivative: the module, the arguments, and the results or the error of the
interpreter. Random programs; with --own the repository's as they are, with --wrong as `soak --wrong` changes them; with
--sample N of the repository's, evenly, and a third as many of the others each.
";

/// A program that takes longer is left out.
const STEPS: u64 = 20_000;
/// The room for sizes that only a run knows.
const ROOM: u64 = 500;
/// A program with a tensor of more elements is left out: with that room they can be more than fit into a machine.
const LARGEST: u64 = 1 << 26;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| arguments.iter().any(|a| a == name);
    let after = |name: &str| arguments.get(arguments.iter().position(|a| a == name)? + 1);
    let whole = |name: &str| after(name).and_then(|text| text.parse::<u64>().ok());
    let Some(folder) = arguments.first().filter(|_| !asked("--help")) else {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    };
    let (first, count) = (whole("--seed").unwrap_or(0), whole("--count").unwrap_or(100));
    let mut written = 0;
    let mut write = |source: &dyn Source, kind: &str, seeds: &mut dyn Iterator<Item = u64>| {
        for seed in seeds {
            written += cases(source, seed, &Path::new(folder).join(format!("{kind}-{seed}")))?;
        }
        Ok::<(), String>(())
    };
    let own = |wrong: &Wrong, every: usize| {
        let plain = (0..wrong.count()).filter(|&seed| wrong.is_plain(seed));
        plain.step_by(every.max(1)).collect::<Vec<u64>>()
    };
    let done = if asked("--sample") {
        let (all, changed) = (Wrong::new(Order::All), Wrong::new(Order::Sampled));
        let every = own(&all, 1).len() / count.max(1) as usize;
        write(&all, "own", &mut own(&all, every).into_iter())
            .and_then(|()| write(&Random, "random", &mut (first..first + count / 3)))
            .and_then(|()| write(&changed, "wrong", &mut (first..first + count / 3)))
    } else if asked("--own") {
        let all = Wrong::new(Order::All);
        write(&all, "own", &mut own(&all, 1).into_iter().skip(first as usize).take(count as usize))
    } else if asked("--wrong") {
        write(&Wrong::new(Order::Sampled), "wrong", &mut (first..first + count))
    } else {
        write(&Random, "random", &mut (first..first + count))
    };
    match done {
        Ok(()) => {
            println!("{written} cases");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the cases of a program: one for each entry. Returns their number.
fn cases(source: &dyn Source, seed: u64, path: &Path) -> Result<usize, String> {
    let Some(job) = source.job(seed) else { return Ok(0) };
    let mut written = 0;
    for entry in &job.entries {
        let made = with_stack(|| case(&job, entry, seed % 2 == 1))
            .map_err(|_| format!("{seed} {entry}: the compiler has panicked"))?;
        let Some(mut case) = made else { continue };
        case["about"] = source.print(seed).lines().next().unwrap_or_default().into();
        let path = path.with_file_name(format!("{}-{entry}.json", path.file_name().unwrap_or_default().display()));
        std::fs::write(&path, case.to_string()).map_err(|why| format!("{}: {why}", path.display()))?;
        written += 1;
    }
    Ok(written)
}

/// A case; none if the program is refused, takes too long, or is too large. Where arrays of any size are changed `in_place`, small ones try
/// what is for large ones.
fn case(job: &Job, entry: &str, in_place: bool) -> Option<Json> {
    let mut session = Session::new(MemoryWorld::new([("p.arr", job.source.as_bytes())]));
    let arguments: Vec<Arg> = job.arguments.iter().map(|text| Arg::parse(text)).collect();
    let program = session.program("p.arr", entry, &Derive::Nothing).ok()?;
    let (sizes, leaves) = session.arguments(&program, &arguments).ok()?;
    let expected = expected(&program, &sizes, &leaves)?;
    let mut case = json!({
        "entry": entry,
        "source": job.source,
        "single": job.single,
        "arguments": job.arguments,
        "leaves": leaves.iter().map(tensor).collect::<Vec<Json>>(),
        "expected": expected,
    });
    let execution = Execution { max_steps: Some(ROOM), sanitize: in_place, ..Execution::default() };
    let lowered = |known: &[(usize, i64)]| program.clone().stablehlo("main", &sizes, known, &execution);
    // Integers that sizes depend on are known to XLA.
    let integers: Vec<(usize, i64)> = leaves
        .iter()
        .enumerate()
        .filter_map(|(at, leaf)| if let Value::Scalar(Const::I64(n)) = leaf { Some((at, *n)) } else { None })
        .collect();
    let lowered = match lowered(&[]) {
        Err(Failure::Diagnostics(_)) => {
            case["known"] = integers.iter().map(|(at, _)| *at).collect::<Vec<usize>>().into();
            lowered(&integers)
        }
        lowered => lowered,
    };
    match lowered {
        Ok(function) => {
            let module = arr_driver::stablehlo_module(entry, std::slice::from_ref(&function));
            if largest(&module) > LARGEST {
                return None;
            }
            let site = |site: &arr_driver::Site| json!({ "code": code(site.kind), "span": format!("{:?}", site.span) });
            case["module"] = module.into();
            case["sites"] = function.sites.iter().map(site).collect::<Vec<Json>>().into();
        }
        Err(Failure::Bug(what)) => case["bug"] = what.into(),
        Err(Failure::Diagnostics(list)) => {
            let told = |d: &arr_base::Diagnostic| {
                let labels: Vec<&str> = d.labels.iter().map(|l| l.text.as_str()).collect();
                format!("{} {} {labels:?} {:?}", d.code, d.title, d.notes)
            };
            case["refused"] = list.iter().map(told).collect::<Vec<String>>().join("; ").into();
        }
    }
    Some(case)
}

/// The number of elements of the largest tensor of a module.
fn largest(module: &str) -> u64 {
    let elements = |ty: &str| {
        let dims = ty.split('>').next().unwrap_or_default().split('x').map_while(|dim| dim.parse::<u64>().ok());
        dims.fold(1, u64::saturating_mul)
    };
    module.split("tensor<").skip(1).map(elements).max().unwrap_or(0)
}

fn code(kind: arr_driver::SiteKind) -> String {
    let failure = arr_driver::stablehlo_failure(&[arr_driver::Site::new(kind, None)], [1, 0, 0, 0]);
    failure.map_or(String::new(), |error| error.to_diagnostic().code.to_string())
}

/// What the interpreter gives: results, or the code and the place of an error.
fn expected(program: &Program, sizes: &[i64], leaves: &[Value]) -> Option<Json> {
    let execution = Execution { backend: Backend::Interp, max_steps: Some(STEPS), ..Execution::default() };
    let run = program.clone().executable_for(sizes, &execution).and_then(|code| code.run(sizes, leaves));
    match run {
        Ok((results, _)) => Some(json!({ "results": results.iter().map(tensor).collect::<Vec<Json>>() })),
        Err(Failure::Bug(_)) => None,
        Err(Failure::Diagnostics(list)) => {
            let first = list.first()?;
            let code = first.code.to_string();
            let known = code.starts_with("E06") && code != "E0605" && code != "E0607";
            known.then(|| json!({ "error": code, "span": format!("{:?}", first.primary_span()) }))
        }
    }
}

/// An array as its type, its extents and the hexadecimal digits of its bytes.
fn tensor(value: &Value) -> Json {
    let hex: String = arr_data::elements(value).iter().map(|byte| format!("{byte:02x}")).collect();
    json!({ "elem": value.elem().name(), "dims": value.dims(), "hex": hex })
}
