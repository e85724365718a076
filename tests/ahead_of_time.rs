//! Libraries that `arr build` makes, called from C and from Rust: values, failures, threads, memory.

use arr_tests::trial::Trial;
use arr_tests::{Outcome, arr, blessing, exists, files, values};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// How the compiler makes its runtime library.
#[path = "../crates/arr-cli/src/building/make_runtime.rs"]
mod make_runtime;

/// The definitions of `shapes.arr` that have C functions.
const ENTRIES: &[&str] = &[
    "scalars", "arrays", "sizes", "same", "constant", "point", "points", "area", "grown", "areas", "outline", "apply",
    "f", "f'", "nothing", "pick", "ratio", "zeroes", "great", "add",
];
const GRADIENTS: &[&str] = &["loss", "f"];

/// The options with which every C program here is compiled.
const STRICT: &[&str] = &["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-format-security"];
const SANITIZED: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];
/// The libraries that a program is linked with, besides its own.
const SYSTEM: &[&str] = &["-lm", "-lpthread"];

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("header", || Ok(header()?)),
        Trial::test("values::static", || Ok(check_values("libshapes.a", &[], &[])?)),
        Trial::test("values::sanitized", || Ok(check_values("libshapes.a", &[], SANITIZED)?)),
        Trial::test("values::object", || Ok(check_values("shapes.o", &[], &[])?)),
        Trial::test("values::shared", || Ok(check_values("libshapes.so", &[], &[])?)),
        Trial::test("values::baseline", || Ok(check_values("libshapes.a", &["--cpu", "baseline"], &[])?)),
        Trial::test("values::native", || Ok(check_values("libshapes.a", &["--cpu", "native", "--strict"], &[])?)),
        Trial::test("failures", || Ok(failures(&[])?)),
        Trial::test("failures::sanitized", || Ok(failures(SANITIZED)?)),
        Trial::test("into", || Ok(golden(&program("into.c", common()?, &["libshapes.a"], &[])?, "into.txt")?)),
        Trial::test("into::sanitized", || {
            Ok(golden(&program("into.c", common()?, &["libshapes.a"], SANITIZED)?, "into.txt")?)
        }),
        Trial::test("allocations", || Ok(allocations()?)),
        Trial::test("aarch64", || Ok(aarch64()?)),
        Trial::test("threads", || Ok(threads(&[])?)),
        Trial::test("threads::sanitized", || Ok(threads(SANITIZED)?)),
        Trial::test("c_plus_plus", || Ok(c_plus_plus()?)),
        Trial::test("bindings::cpp", || Ok(cpp(&[])?)),
        Trial::test("bindings::cpp_sanitized", || Ok(cpp(SANITIZED)?)),
        Trial::test("bindings::cpp_busy", || Ok(busy()?)),
        Trial::test("bindings::rust", || Ok(rust()?)),
        Trial::test("names", || Ok(names()?)),
        Trial::test("shared_runtime", || Ok(shared_runtime()?)),
        Trial::test("two_libraries", || Ok(two_libraries()?)),
        Trial::test("session", || Ok(session()?)),
        Trial::test("example_rust", || Ok(example_rust()?)),
        Trial::test("examples_compile", || Ok(examples_compile()?)),
    ]
}

fn source(name: &str) -> PathBuf {
    files::root().join("tests/ahead_of_time").join(name)
}

/// Runs `arr build` for `shapes.arr` in a directory.
fn build(directory: &Path, output: &str, extra: &[&str]) -> Outcome {
    std::fs::copy(source("shapes.arr"), directory.join("shapes.arr")).map_err(|e| e.to_string())?;
    let mut arguments = vec!["build", "shapes.arr", "-o", output];
    arguments.extend(ENTRIES.iter().flat_map(|name| ["--entry", name]));
    arguments.extend(GRADIENTS.iter().flat_map(|name| ["--grad", name]));
    arguments.extend(extra);
    run_arr(&arguments, directory)
}

fn run_arr(arguments: &[&str], directory: &Path) -> Outcome {
    let output = arr::run(arguments, directory)?;
    match output.status {
        Some(0) if output.stderr.is_empty() => Ok(()),
        _ => Err(format!("`arr {}` ended with {:?}:\n{}", arguments.join(" "), output.status, output.stderr)),
    }
}

/// The static library that most tests use, made once.
fn common() -> Result<&'static Path, String> {
    static LIBRARY: OnceLock<Result<TempDir, String>> = OnceLock::new();
    let made = LIBRARY.get_or_init(|| {
        let directory = files::scratch()?;
        build(directory.path(), "libshapes.a", &[])?;
        Ok(directory)
    });
    made.as_ref().map(TempDir::path).map_err(Clone::clone)
}

/// Runs a command and returns its output.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?} does not start: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(format!("{command:?} ended with {}:\n{}{}", output.status, text(&output.stdout), text(&output.stderr)))
}

/// Compiles a C program of this directory against a library, and runs it.
fn program(name: &str, libraries: &Path, link: &[&str], flags: &[&str]) -> Result<String, String> {
    let own = files::scratch()?;
    let program = own.path().join("program");
    let mut compiler = Command::new("cc");
    compiler.args(STRICT).args(flags).arg("-I").arg(libraries).arg("-o").arg(&program).arg(source(name));
    compiler.args(link.iter().map(|file| libraries.join(file))).args(SYSTEM);
    run(&mut compiler)?;
    // A failure to allocate is the case under test, and unfreed memory is a fault.
    let options = "allocator_may_return_null=1:detect_leaks=1";
    run(Command::new(&program).env("LD_LIBRARY_PATH", libraries).env("ASAN_OPTIONS", options))
}

fn golden(found: &str, name: &str) -> Outcome {
    let path = source(name);
    if blessing() {
        return files::write(&path, found);
    }
    let expected = files::read(&path)?;
    if found == expected {
        return Ok(());
    }
    let line = found.lines().zip(expected.lines()).position(|(a, b)| a != b).map_or(0, |n| n + 1);
    Err(format!("differs from {name} at line {line} (ARR_BLESS=1 rewrites it):\n{found}"))
}

fn header() -> Outcome {
    golden(&files::read(&common()?.join("shapes.h"))?, "shapes.h")?;
    // Alone it is the same.
    let directory = files::scratch()?;
    build(directory.path(), "other.h", &["--emit", "header"])?;
    golden(&files::read(&directory.path().join("other.h"))?, "shapes.h")
}

/// The program prints the same as `arr eval` for the expressions in its comments.
fn check_values(library: &str, extra: &[&str], flags: &[&str]) -> Outcome {
    let own = files::scratch()?;
    let directory = if library == "libshapes.a" && extra.is_empty() {
        common()?
    } else {
        build(own.path(), library, extra)?;
        own.path()
    };
    let link: &[&str] = if library == "shapes.o" { &["shapes.o", "libarr_runtime.a"] } else { &[library] };
    evaluated(&program("values.c", directory, link, flags)?)
}

/// Whether `values.c` printed what `arr eval` does.
fn evaluated(printed: &str) -> Outcome {
    let text = files::read(&source("values.c"))?;
    let expressions = text.lines().filter_map(|line| line.trim().strip_prefix("/* > ")?.strip_suffix(" */"));
    let expressions: Vec<&str> = expressions.collect();
    let lines: Vec<&str> = printed.lines().collect();
    if lines.len() != expressions.len() {
        return Err(format!("{} lines for {} expressions:\n{printed}", lines.len(), expressions.len()));
    }
    for (expression, line) in expressions.into_iter().zip(lines) {
        let expected = arr::value(&source("shapes.arr"), expression, "cpu")?;
        if !values::same(line, &expected, values::NEAR) {
            return Err(format!("`{expression}` is {expected}, and C prints {line}"));
        }
    }
    Ok(())
}

/// Objects for 64-bit ARM, with the runtime library for it, under an emulator: skipped, loudly, where there is none or no
/// compiler. `cargo xtask test` installs them where it may.
fn aarch64() -> Outcome {
    const TARGET: &str = "aarch64-unknown-linux-gnu";
    let root = run(Command::new("rustc").args(["--print", "sysroot"]))?;
    let library = Path::new(root.trim()).join("lib/rustlib").join(TARGET);
    if !library.is_dir() || !exists("aarch64-linux-gnu-gcc") || !exists("qemu-aarch64") {
        println!("\n*** SKIPPED: there is no compiler, emulator or standard library of Rust for objects of {TARGET}\n");
        return Ok(());
    }
    let target = files::root().join("target/arr-runtime");
    let made = make_runtime::make_runtime(&files::root(), &target, Some(TARGET))?;
    let own = files::scratch()?;
    let runtime = own.path().join("libarr_runtime.a");
    std::fs::copy(made, &runtime).map_err(|e| e.to_string())?;
    build(own.path(), "shapes.o", &["--target", TARGET])?;
    let emulated = |name: &str| {
        let program = own.path().join("program");
        let mut compiler = Command::new("aarch64-linux-gnu-gcc");
        compiler.args(STRICT).arg("-I").arg(own.path()).arg("-o").arg(&program).arg(source(name));
        compiler.arg(own.path().join("shapes.o")).arg(&runtime).args(SYSTEM);
        run(&mut compiler)?;
        run(Command::new("qemu-aarch64").args(["-L", "/usr/aarch64-linux-gnu"]).arg(&program))
    };
    evaluated(&emulated("values.c")?)?;
    golden(&emulated("into.c")?, "into.txt")?;
    golden(&emulated("failures.c")?, "failures.txt")?;
    let printed = emulated("threads.c")?;
    if printed == "39800.0\n".repeat(8) { Ok(()) } else { Err(printed) }
}

/// After its first call a function with results in memory of the caller allocates nothing: the program counts, by taking the
/// place of the C library's allocator, which not every C library allows.
fn allocations() -> Outcome {
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        golden(&program("allocations.c", common()?, &["libshapes.a"], &[])?, "allocations.txt")?;
    }
    Ok(())
}

fn failures(flags: &[&str]) -> Outcome {
    golden(&program("failures.c", common()?, &["libshapes.a"], flags)?, "failures.txt")
}

fn threads(flags: &[&str]) -> Outcome {
    let printed = program("threads.c", common()?, &["libshapes.a"], flags)?;
    // Every thread adds up the slopes of x * x at 0 to 199.
    let expected = "39800.0\n".repeat(8);
    if printed == expected { Ok(()) } else { Err(printed) }
}

/// A C++ program can use the header, if there is a compiler for one.
fn c_plus_plus() -> Outcome {
    if !exists("c++") {
        return Ok(());
    }
    let own = files::scratch()?;
    let (code, program) = (own.path().join("main.cc"), own.path().join("program"));
    let text = "#include \"shapes.h\"\n#include \"shapes.h\"\n#include <cstdio>\nint main() {\n  arr_context *c = \
                arr_context_new();\n  double y = 0.0;\n  arr_status s = shapes_f(c, 3.0, &y);\n  std::printf(\"%d \
                %.1f\\n\", s, y);\n  arr_context_free(c);\n}\n";
    files::write(&code, text)?;
    let directory = common()?;
    let mut compiler = Command::new("c++");
    compiler.args(["-Wall", "-Wextra", "-Werror", "-I"]).arg(directory).arg("-o").arg(&program).arg(&code);
    run(compiler.arg(directory.join("libshapes.a")).args(SYSTEM))?;
    let printed = run(&mut Command::new(&program))?;
    if printed == "0 9.0\n" { Ok(()) } else { Err(printed) }
}

/// Writes what `arr build` makes besides the library of `common`, for the same definitions. `expected` is its golden file.
fn beside_common(directory: &Path, output: &str, expected: &str) -> Outcome {
    build(directory, output, &[])?;
    golden(&files::read(&directory.join(output))?, expected)
}

/// The layer in C++, if there is a compiler that knows C++20.
fn cpp(flags: &[&str]) -> Outcome {
    if !exists("c++") {
        return Ok(());
    }
    golden(&cpp_program("cpp.cpp", flags)?, "cpp.txt")
}

/// What a program prints that uses the layer in C++.
fn cpp_program(name: &str, flags: &[&str]) -> Result<String, String> {
    let own = files::scratch()?;
    beside_common(own.path(), "shapes.hpp", "shapes.hpp")?;
    let program = own.path().join("program");
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]).arg(own.path());
    compiler.args(flags).arg("-o").arg(&program).arg(source(name)).arg(common()?.join("libshapes.a"));
    run(compiler.args(SYSTEM))?;
    run(&mut Command::new(&program))
}

/// Threads that share a context by mistake get errors, and no memory that another thread frees.
fn busy() -> Outcome {
    if !exists("c++") {
        return Ok(());
    }
    let printed = cpp_program("busy.cpp", SANITIZED)?;
    let expected = "0 other messages; ARR_BUSY: another thread is in a call with this context\n";
    if printed == expected { Ok(()) } else { Err(printed) }
}

/// The layer in Rust, without a warning even where most of it is not used.
fn rust() -> Outcome {
    let own = files::scratch()?;
    // A golden file that ended in `.rs` would be taken for source of ours.
    beside_common(own.path(), "shapes.rs", "shapes.rs.txt")?;
    let (main, program) = (own.path().join("main.rs"), own.path().join("program"));
    std::fs::copy(source("bindings.rs"), &main).map_err(|e| e.to_string())?;
    let mut compiler = Command::new("rustc");
    compiler.args(["--edition", "2024", "-D", "warnings", "-l", "static=shapes", "-l", "m", "-L"]).arg(common()?);
    run(compiler.arg("-o").arg(&program).arg(&main))?;
    golden(&run(&mut Command::new(&program))?, "bindings.txt")
}

/// Names that the languages know already: every output for them compiles without a warning.
fn names() -> Outcome {
    let own = files::scratch()?;
    let text = files::read(&source("names.arr"))?;
    files::write(&own.path().join("main.arr"), &text)?;
    let defs = text.lines().filter_map(|line| line.strip_prefix("def ")?.split('(').next());
    let entries: Vec<&str> =
        defs.flat_map(|name| ["--entry", name]).chain(["--grad", "f", "--grad", "macros"]).collect();
    for output in ["names.h", "names.hpp", "names.rs", "c99.c"] {
        run_arr(&[&["build", "main.arr", "-o", output][..], &entries].concat(), own.path())?;
    }
    let includes =
        "#include <complex.h>\n#include <float.h>\n#include <limits.h>\n#include <math.h>\n#include <stdlib.h>\n";
    files::write(&own.path().join("header.c"), format!("{includes}#include \"names.h\"\n"))?;
    let includes = includes.replace("#include <complex.h>\n", "#include <thread>\n#include <unistd.h>\n");
    files::write(&own.path().join("header.cpp"), format!("{includes}#include \"names.hpp\"\n"))?;
    let compilers: [&[&str]; 5] = [
        &["cc", "-std=gnu11", "-fsyntax-only", "header.c"],
        &["cc", "-std=c99", "-pedantic", "-c", "c99.c"],
        &["c++", "-std=c++20", "-fsyntax-only", "-pedantic", "-x", "c++", "c99.c"],
        &["c++", "-std=gnu++20", "-fsyntax-only", "header.cpp"],
        &["rustc", "--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "-D", "warnings", "names.rs"],
    ];
    for command in compilers {
        let Some((program, options)) = command.split_first() else { continue };
        if !exists(program) {
            println!("\n*** SKIPPED: there is no `{program}` for the test of names\n");
            continue;
        }
        let warnings: &[&str] = if *program == "rustc" { &[] } else { &["-Wall", "-Wextra", "-Werror"] };
        run(Command::new(program).args(warnings).args(options).current_dir(own.path()))?;
    }
    Ok(())
}

/// One program can use two libraries; they share the functions of the runtime and the types of arrays.
fn two_libraries() -> Outcome {
    let own = files::scratch()?;
    build_two(own.path(), &[])?;
    link_two(own.path(), &["libone.a", "libtwo.a"])
}

/// Libraries without the runtime share one.
fn shared_runtime() -> Outcome {
    let own = files::scratch()?;
    let facts = |name: &str| std::fs::metadata(own.path().join(name)).map_err(|e| e.to_string());
    let runtime = || facts("libarr_runtime.a")?.modified().map_err(|e| e.to_string());
    build_two(own.path(), &["--runtime", "beside"])?;
    let before = runtime()?;
    build_two(own.path(), &["--runtime", "beside"])?;
    if runtime()? != before {
        return Err("the runtime is written again".to_string());
    }
    for library in ["libone.a", "libtwo.a"] {
        let bytes = facts(library)?.len();
        if bytes > 100_000 {
            return Err(format!("a library without the runtime has {bytes} bytes"));
        }
    }
    link_two(own.path(), &["libone.a", "libtwo.a", "libarr_runtime.a"])
}

/// Makes libraries of two programs, which add 1.0 and 0.0 to an array.
fn build_two(directory: &Path, extra: &[&str]) -> Outcome {
    for (name, more) in [("one", "1.0"), ("two", "0.0")] {
        let (program, library) = (format!("{name}.arr"), format!("lib{name}.a"));
        let text = format!("def main(x: [n]f64) -> [n]f64 = x + {more}\n");
        files::write(&directory.join(&program), text)?;
        run_arr(&[&["build", &program, "-o", &library], extra].concat(), directory)?;
    }
    Ok(())
}

/// Links a program that calls both, and runs it.
fn link_two(directory: &Path, libraries: &[&str]) -> Outcome {
    let place = |name: &str| directory.join(name);
    let text = "#include \"one.h\"\n#include \"two.h\"\n#include <stdio.h>\nint main(void) {\n  arr_context *c = \
                arr_context_new();\n  double x[] = {1.0};\n  arr_f64_1 in = {x, {1}}, a, b;\n  int s = one_main(c, &in, &a) \
                | two_main(c, &a, &b);\n  printf(\"%d %.1f %.1f\\n\", s, a.data[0], b.data[0]);\n  \
                arr_free_f64_1(&a);\n  arr_free_f64_1(&b);\n  arr_context_free(c);\n  return 0;\n}\n";
    files::write(&place("main.c"), text)?;
    let mut compiler = Command::new("cc");
    compiler.args(STRICT).arg("-I").arg(directory).arg("-o").arg(place("program")).arg(place("main.c"));
    run(compiler.args(libraries.iter().map(|name| place(name))).args(SYSTEM))?;
    let printed = run(&mut Command::new(place("program")))?;
    if printed == "0 2.0 2.0\n" { Ok(()) } else { Err(printed) }
}

/// The session in the documentation.
fn session() -> Outcome {
    let page = files::read(&files::root().join("docs/ahead-of-time.md"))?;
    let block = page.split("```console\n").nth(1).and_then(|rest| rest.split("```").next());
    let block = block.ok_or("the page has no session")?;
    let directory = files::scratch()?;
    files::copy(&files::root().join("examples"), &directory.path().join("examples"))?;
    let mut printed = String::new();
    for command in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
        printed.push_str(&format!("$ {command}\n"));
        let words: Vec<&str> = command.split(' ').collect();
        match words.as_slice() {
            ["arr", rest @ ..] => run_arr(rest, directory.path())?,
            [program, rest @ ..] => {
                printed.push_str(&run(Command::new(program).args(rest).current_dir(directory.path()))?)
            }
            [] => {}
        }
    }
    if values::same(&printed, block, values::NEAR) { Ok(()) } else { Err(format!("it prints\n{printed}")) }
}

/// The Rust program prints the same as the C program.
fn example_rust() -> Outcome {
    let directory = files::scratch()?;
    let root = directory.path().join("examples");
    files::copy(&files::root().join("examples"), &root)?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--offline", "--", "../data/iris.csv"]).current_dir(root.join("rust"));
    command.env("ARR", arr::binary()?).env("CARGO_TARGET_DIR", directory.path().join("target"));
    let printed = run(command.env_remove("RUSTFLAGS"))?;
    let page = files::read(&files::root().join("docs/ahead-of-time.md"))?;
    let expected: Vec<&str> = page.lines().filter(|l| l.starts_with("step ") || l.starts_with("weight ")).collect();
    let expected = expected.join("\n");
    if values::same(printed.trim(), &expected, values::NEAR) { Ok(()) } else { Err(format!("it prints\n{printed}")) }
}

/// The main definition of every example can be compiled, for old processors too, and its header is C.
fn examples_compile() -> Outcome {
    let directory = files::scratch()?;
    for program in files::list("examples", ".arr") {
        if !files::read(&program)?.contains("\ndef main") {
            continue;
        }
        let (path, name) = (program.to_string_lossy().into_owned(), format!("{}.o", files::stem(&program)));
        run_arr(&["build", &path, "-o", &name], directory.path())?;
        let header = directory.path().join(format!("{}.h", files::stem(&program)));
        run(Command::new("cc").args(["-fsyntax-only", "-x", "c"]).args(STRICT).arg(header))?;
    }
    Ok(())
}
