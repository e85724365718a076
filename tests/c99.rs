//! Programs as C: without a warning, under sanitizers, as C++, and on other processors, beside the interpreter.
//!
//! A compiler or emulator that is not installed is skipped, loudly; `cargo xtask test` installs them where it may.

use arr_tests::c99::{Case, Made, Toolchain, batch, case};
use arr_tests::large::random::Random;
use arr_tests::large::soak::{Source, new_seed};
use arr_tests::large::wrong::{Order, Wrong};
use arr_tests::trial::Trial;
use arr_tests::{Outcome, arr, blessing, exists, files};
use std::process::Command;
use std::sync::OnceLock;

/// A way to compile and run: a name, the compiler with its options, the emulator, whether in strict arithmetic, whether for known
/// sizes.
struct Way {
    name: &'static str,
    compile: &'static str,
    run: &'static str,
    strict: bool,
    sized: bool,
}

/// No warnings.
const CLEAN: &str = "-Wall -Wextra -Wpedantic -Werror -ffp-contract=off";

const WAYS: &[Way] = &[
    Way {
        name: "gcc_sanitized",
        compile: "gcc -std=c99 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all",
        run: "",
        strict: true,
        sized: false,
    },
    Way {
        name: "clang_sanitized",
        // An index that is wrong on purpose can be one that no array has: code behind its check names a pointer there, and in
        // code for known sizes the check is a comparison that never passes.
        compile: "clang -std=c99 -O1 -Wno-array-bounds -Wno-tautological-compare -fsanitize=address,undefined -fno-sanitize-recover=all",
        run: "",
        strict: false,
        sized: true,
    },
    Way { name: "gcc_fast", compile: "gcc -std=c99 -O3", run: "", strict: false, sized: false },
    Way { name: "cpp", compile: "g++ -x c++ -std=c++17 -O1", run: "", strict: true, sized: true },
    Way {
        name: "aarch64",
        compile: "aarch64-linux-gnu-gcc -std=c99 -O2",
        run: "qemu-aarch64 -L /usr/aarch64-linux-gnu",
        strict: true,
        sized: false,
    },
    Way {
        name: "arm",
        compile: "arm-linux-gnueabihf-gcc -std=c99 -O2 -Wno-psabi",
        run: "qemu-arm -L /usr/arm-linux-gnueabihf",
        strict: true,
        sized: true,
    },
];

/// Programs of the repository, and as many random and wrong ones each, per way.
const OWN: usize = 14;
const OTHERS: u64 = 3;
/// A Hessian takes the interpreter up to a minute, and `mixed_` is of second order too.
const SLOW: &str = "hessians_";
/// The longest C, in bytes: a compiler with sanitizers takes minutes for a function of some hundred thousand.
const LONGEST: usize = 150_000;

pub fn trials() -> Vec<Trial> {
    let seed = new_seed();
    let each = |(at, way): (usize, &'static Way)| {
        Trial::test(way.name, move || Ok(run(at, way, seed).map_err(|text| format!("seed {seed}: {text}"))?))
    };
    let mut trials: Vec<Trial> = WAYS.iter().enumerate().map(each).collect();
    trials.push(Trial::test("a_wrong_function_is_found", || Ok(tampered()?)));
    trials.push(Trial::test("controller", || Ok(controller()?)));
    trials.push(Trial::test("interface", || Ok(interface()?)));
    trials
}

/// The repository's programs with their deliberate errors, which are listed once.
fn repository() -> &'static (Wrong, Vec<u64>) {
    static FOUND: OnceLock<(Wrong, Vec<u64>)> = OnceLock::new();
    FOUND.get_or_init(|| {
        let all = Wrong::new(Order::All);
        let plain = (0..all.count()).filter(|&seed| all.is_plain(seed)).collect();
        (all, plain)
    })
}

/// The first word that is no program here, or what these programs cannot do: without its libraries, a compiler is there
/// and makes nothing.
fn missing(way: &Way) -> Result<Option<String>, String> {
    let mut programs = [way.compile, way.run].into_iter().filter_map(|text| text.split(' ').find(|w| !w.is_empty()));
    if let Some(program) = programs.find(|p| !exists(p)) {
        return Ok(Some(format!("no `{program}`")));
    }
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(folder.path().join("empty.c"), "int main(void) { return 0; }\n").map_err(|e| e.to_string())?;
    let does = |line: &str| {
        let mut words = line.split(' ').filter(|w| !w.is_empty());
        let mut command = Command::new(words.next().unwrap_or_default());
        let output = command.args(words).current_dir(folder.path()).output().map_err(|e| e.to_string())?;
        Ok::<bool, String>(output.status.success())
    };
    let works = does(&format!("{} -o empty empty.c", way.compile))? && does(&format!("{} ./empty", way.run))?;
    Ok((!works).then(|| format!("nothing that `{}` makes for an empty program", way.compile)))
}

/// Each way takes other programs, so that together they are a larger sample.
fn run(at: usize, way: &Way, seed: u64) -> Outcome {
    if let Some(what) = missing(way)? {
        println!("\n*** SKIPPED: there is {what} for the tests of C by {}\n", way.name);
        return Ok(());
    }
    let (all, plain) = repository();
    let every = (plain.len() / OWN).max(1);
    let own = plain.iter().copied().skip(at * every / WAYS.len()).step_by(every).take(OWN);
    let mut cases = Vec::new();
    for number in own {
        collect(all, number, way, &mut cases)?;
    }
    let first = seed.wrapping_add(at as u64 * OTHERS);
    for number in first..first + OTHERS {
        collect(&Random, number, way, &mut cases)?;
        collect(all, number % all.count(), way, &mut cases)?;
    }
    let words = |text: &str| text.split(' ').filter(|w| !w.is_empty()).map(String::from).collect::<Vec<String>>();
    let mut compile = words(way.compile);
    // What a way allows stands behind what is demanded of all.
    compile.splice(1..1, words(CLEAN));
    let tools = Toolchain { compile, run: words(way.run), strict: way.strict };
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let ran = batch(&cases, folder.path(), &tools)?;
    match ran.wrong.as_slice() {
        [] if ran.values > 0 => Ok(()),
        [] => Err("no program gave a value".to_string()),
        wrong => Err(wrong.join("\n\n")),
    }
}

fn collect(source: &dyn Source, seed: u64, way: &Way, cases: &mut Vec<Case>) -> Outcome {
    let Some(job) = source.job(seed) else { return Ok(()) };
    for entry in job.entries.iter().filter(|entry| *entry != SLOW) {
        match case(&job, entry, cases.len(), way.strict, way.sized) {
            Ok(Made::Case(case)) if case.module.source.len() > LONGEST => {}
            Ok(Made::Case(case)) => cases.push(*case),
            Ok(Made::Refused(why)) => return Err(format!("seed {seed} `{entry}` is refused: {why}\n{}", job.source)),
            Ok(Made::Skipped) => {}
            Err(bug) => return Err(format!("seed {seed} `{entry}`: {bug}\n{}", job.source)),
        }
    }
    Ok(())
}

/// The example's controller keeps its pendulum upright, and has no warning.
fn controller() -> Outcome {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    for file in ["pendulum.arr", "controller.c", "controller.h", "simulate.c"] {
        let from = files::root().join("examples/c99").join(file);
        std::fs::copy(from, folder.path().join(file)).map_err(|e| e.to_string())?;
    }
    let build = "build pendulum.arr --grad cost --wrt plan --entry move --sizes n=20 --float f32 -o pendulum.c";
    let built = arr::run(&build.split(' ').collect::<Vec<_>>(), folder.path())?;
    if built.status != Some(0) {
        return Err(built.stderr);
    }
    let compile = "gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -O2 -fsanitize=address,undefined -o simulate simulate.c controller.c pendulum.c -lm";
    let mut words = compile.split(' ');
    let mut gcc = Command::new(words.next().unwrap_or_default());
    let compiled = gcc.args(words).current_dir(folder.path()).output().map_err(|e| e.to_string())?;
    let ran = Command::new("./simulate").current_dir(folder.path()).output().map_err(|e| e.to_string())?;
    for output in [compiled, ran] {
        if !output.status.success() || !output.stderr.is_empty() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    Ok(())
}

/// A caller of results whose lengths data decide, of empty arrays that are NULL, and of sums.
fn interface() -> Outcome {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let place = files::root().join("tests/ahead_of_time");
    for file in ["interface.arr", "interface.c"] {
        let to = if file == "interface.c" { "main.c" } else { file };
        std::fs::copy(place.join(file), folder.path().join(to)).map_err(|e| e.to_string())?;
    }
    let text = files::read(&place.join("interface.arr"))?;
    let defs = text.lines().filter_map(|line| line.strip_prefix("def ")?.split('(').next());
    let entries: Vec<&str> = defs.flat_map(|name| ["--entry", name]).collect();
    let built = arr::run(&[&["build", "interface.arr", "-o", "interface.c"], &entries[..]].concat(), folder.path())?;
    if built.status != Some(0) {
        return Err(built.stderr);
    }
    for compiler in ["gcc", "clang"] {
        if !exists(compiler) {
            println!("\n*** SKIPPED: there is no `{compiler}` for the test of the interface of C\n");
            continue;
        }
        let options =
            "-std=c99 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -o main main.c interface.c -lm";
        let mut command = Command::new(compiler);
        command.args(CLEAN.split(' ')).args(options.split(' ')).current_dir(folder.path());
        let compiled = command.output().map_err(|e| e.to_string())?;
        let ran = Command::new("./main").current_dir(folder.path()).output().map_err(|e| e.to_string())?;
        for output in [&compiled, &ran] {
            if !output.status.success() || !output.stderr.is_empty() {
                return Err(format!("{compiler}: {}", String::from_utf8_lossy(&output.stderr)));
            }
        }
        let (found, golden) = (String::from_utf8_lossy(&ran.stdout).into_owned(), place.join("interface.txt"));
        if blessing() {
            files::write(&golden, &found)?;
        }
        if found != files::read(&golden)? {
            return Err(format!("it prints (ARR_BLESS=1 rewrites interface.txt)\n{found}"));
        }
    }
    Ok(())
}

/// The comparison finds a function that computes something else.
fn tampered() -> Outcome {
    let (all, plain) = repository();
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let compile = ["gcc", "-std=c99"].map(String::from).to_vec();
    let tools = Toolchain { compile, run: Vec::new(), strict: true };
    for &seed in plain.iter().take(60) {
        let Some(job) = all.job(seed) else { continue };
        for entry in &job.entries {
            let Ok(Made::Case(mut case)) = case(&job, entry, 0, true, false) else { continue };
            let changed = case.module.source.replacen("] = ", "] = 1 + ", 1);
            let is_changed = changed != case.module.source && case.gives_values();
            case.module.source = changed;
            if is_changed && batch(std::slice::from_ref(&*case), folder.path(), &tools)?.wrong.len() == 1 {
                return Ok(());
            }
        }
    }
    Err("no changed function was found".to_string())
}
