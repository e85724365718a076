//! Arr's programs as C99 source, compiled by the system's C compiler: one more peer. This process writes and compiles the
//! code for the sizes of its arguments, and then becomes the program.

use crate::options::Serve;
use arr_base::Diagnostic;
use arr_data::Arg;
use arr_driver::{
    CFunction, CInterface, CParameter, Derive, Execution, Failure, OsWorld, Places, Session, c_module, c_type,
};
use arr_ir::{Const, Scalar, Value};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The room for sizes that only a run knows.
const ROOM: i64 = 1000;

/// The options of the compiler. C that is built for one processor may use all of it, as Arr does.
pub const FLAGS: [&str; 4] = ["-std=gnu11", "-O3", "-march=native", "-ffast-math"];

pub fn run(options: &Serve) -> Result<bool, String> {
    let folder = std::env::temp_dir().join(format!("arr-bench-c99-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let made = arr_driver::with_stack(|| make(options, &folder)).map_err(|_| "the compiler stopped".to_string());
    made.and_then(|made| made)?;
    become_program(&folder)
}

#[cfg(unix)]
fn become_program(folder: &Path) -> Result<bool, String> {
    use std::os::unix::process::CommandExt;
    Err(format!("the program does not start: {}", Command::new(folder.join("program")).arg(folder).exec()))
}

#[cfg(not(unix))]
fn become_program(_: &Path) -> Result<bool, String> {
    Err("only on Unix".to_string())
}

/// Writes the inputs and the program, and compiles it.
fn make(options: &Serve, folder: &Path) -> Result<(), String> {
    let mut session = Session::new(OsWorld);
    let args: Vec<Arg> = options.args.iter().map(|text| Arg::parse(text)).collect();
    let checked = session.checked(&options.file).map_err(told)?;
    let nowhere = |_| None;
    let mut places = Places::new(&nowhere);
    let (mut functions, mut calls, mut leaves) = (Vec::new(), String::new(), Vec::new());
    for name in ["value", "gradient"] {
        if !checked.entry_names().iter().any(|entry| *entry == name) {
            continue;
        }
        let mut program = session.definition(&checked, &options.file, name, &Derive::Nothing).map_err(told)?;
        let (sizes, given) = session.arguments(&program, &args).map_err(told)?;
        let face = interface(name, &program, sizes.clone());
        let function = program.c_function(&face, &Execution::default(), &mut places).map_err(told)?;
        let outputs = program.result_lengths(&sizes, &given).ok_or("the size of a result is not known")?;
        calls.push_str(&call(name, &function, &given, &outputs));
        functions.push((name, function));
        leaves = given;
    }
    let names: Vec<&str> = functions.iter().map(|f| f.0).collect();
    let all: Vec<CFunction> = functions.iter().map(|f| f.1.clone()).collect();
    let module = c_module("workload", ("workload", "A workload of the benchmark."), &[], &all, &places);
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    write("workload.c", module.source.as_bytes())?;
    write("workload.h", module.header.as_bytes())?;
    write("main.c", main(&names, &calls, &leaves).as_bytes())?;
    write("inputs", &leaves.iter().flat_map(arr_data::elements).collect::<Vec<u8>>())?;
    let mut cc = Command::new("cc");
    cc.args(FLAGS).args(["-o", "program", "workload.c", "main.c", "-lm"]).current_dir(folder);
    let done = cc.output().map_err(|error| format!("cc: {error}"))?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).replace('\n', " ")) }
}

fn interface(name: &str, program: &arr_driver::Program, sizes: Vec<i64>) -> CInterface {
    let named = |letter: char, count: usize| {
        (0..count).map(|at| CParameter { name: format!("{letter}{at}"), ty: String::new(), tag: None }).collect()
    };
    let func = program.func();
    CInterface {
        symbol: format!("workload_{name}"),
        doc: Vec::new(),
        parameters: named('p', func.params.len()),
        results: named('r', func.edge_result.leaves().len()),
        sizes: Some(sizes),
        room: Some(ROOM),
        strict: false,
        taken: Default::default(),
        result_sizes: Vec::new(),
        place: None,
    }
}

/// The C code that calls one function, with its memory.
fn call(name: &str, function: &CFunction, given: &[Value], outputs: &[(Scalar, i64)]) -> String {
    let mut out = String::new();
    let mut args: Vec<String> = given
        .iter()
        .enumerate()
        .map(|(at, leaf)| if matches!(leaf, Value::Scalar(_)) { format!("*p{at}") } else { format!("p{at}") })
        .collect();
    let (mut memory, mut save) = (String::new(), String::new());
    for (at, (elem, length)) in outputs.iter().enumerate() {
        let (ty, name) = (c_type(*elem), format!("{name}_r{at}"));
        let _ = writeln!(out, "static {ty} *{name};");
        let _ = writeln!(memory, "    {name} = ({ty} *)memory({length} * sizeof({ty}));");
        let _ = writeln!(
            save,
            "    count = {length}; fwrite(&count, 8, 1, file);\n    for (at = 0; at < {length}; at++) {{ x = (double){name}[at]; fwrite(&x, 8, 1, file); }}"
        );
        args.push(name);
    }
    for (at, work) in function.workspaces.iter().enumerate() {
        let (ty, own) = (c_type(work.elem), format!("{name}_w{at}"));
        let _ = writeln!(out, "static {ty} *{own};");
        let integers: Vec<String> = given
            .iter()
            .filter_map(|leaf| if let Value::Scalar(Const::I64(n)) = leaf { Some(format!("{n}LL")) } else { None })
            .collect();
        let count =
            if work.constant.is_some() { work.name.clone() } else { format!("{}({})", work.name, integers.join(", ")) };
        let _ = writeln!(memory, "    {own} = ({ty} *)memory((size_t){count} * sizeof({ty}));");
        args.push(own);
    }
    let _ = writeln!(out, "static int call_{name}(void)\n{{\n    return workload_{name}({});\n}}", args.join(", "));
    let _ = writeln!(out, "static void memory_{name}(void)\n{{\n{memory}}}");
    let _ =
        writeln!(out, "static void save_{name}(FILE *file)\n{{\n    uint64_t count; double x; int64_t at;\n{save}}}");
    out
}

/// The program: the protocol of `process.rs`.
fn main(names: &[&str], calls: &str, leaves: &[Value]) -> String {
    let (mut declared, mut read) = (String::new(), String::new());
    for (at, leaf) in leaves.iter().enumerate() {
        let (ty, count) = (c_type(leaf.elem()), leaf.dims().iter().product::<i64>());
        let _ = writeln!(declared, "static {ty} *p{at};");
        let _ = writeln!(read, "    p{at} = ({ty} *)memory({count} * sizeof({ty}));");
        let _ = writeln!(
            read,
            "    if (fread(p{at}, sizeof({ty}), {count}, file) != {count}) {{ printf(\"error: inputs\\n\"); return 1; }}"
        );
    }
    let memory: String = names.iter().map(|name| format!("    memory_{name}();\n")).collect();
    let choose = |what: &str| {
        names.iter().map(|name| format!("strcmp(name, \"{name}\") == 0 ? {what}_{name} : ")).collect::<String>()
    };
    // The longer name of two that begin alike comes first.
    MAIN.replace("@declared", &declared)
        .replace("@calls", calls)
        .replace("@memory", &memory)
        .replace("@ready", &names.join(" "))
        .replace("@read", &read)
        .replace("@call", &choose("call"))
        .replace("@save", &choose("save"))
}

const MAIN: &str = r#"#include "workload.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static void *memory(size_t size)
{
    void *found = aligned_alloc(64, (size + 127) / 64 * 64);
    if (found == NULL) { printf("error: no memory\n"); exit(1); }
    memset(found, 0, size);
    return found;
}
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * (double)t.tv_sec + (double)t.tv_nsec; }
@declared
@calls
int main(int argc, char **argv)
{
    char line[4096], verb[64], name[64], last[4096], path[4096];
    /* What this process was made from is not needed any more. */
    static const char *const files[] = {"workload.c", "workload.h", "main.c", "inputs", "program"};
    size_t k;
    FILE *file;
    (void)argc;
    snprintf(path, sizeof path, "%s/inputs", argv[1]);
    file = fopen(path, "rb");
    if (file == NULL) { printf("error: no inputs\n"); return 1; }
@read    fclose(file);
    for (k = 0; k < sizeof files / sizeof files[0]; k++) {
        snprintf(path, sizeof path, "%s/%s", argv[1], files[k]);
        remove(path);
    }
    remove(argv[1]);
@memory    printf("ready @ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        int (*call)(void);
        void (*save)(FILE *);
        if (sscanf(line, "%63s %63s %4095s", verb, name, last) < 3) { printf("-\n"); fflush(stdout); continue; }
        call = @call NULL;
        save = @save NULL;
        if (call == NULL) { printf("error: no function\n"); }
        else if (strcmp(verb, "run") == 0) {
            long k, count = strtol(last, NULL, 10);
            for (k = 0; k < count; k++) {
                const double begin = now();
                const int status = call();
                if (status != 0) { printf("error: status %d\n", status); break; }
                printf(k + 1 < count ? "%.0f " : "%.0f\n", now() - begin);
            }
        } else {
            const int status = call();
            file = fopen(last, "wb");
            if (status != 0 || file == NULL) { printf("error: status %d\n", status); }
            else { save(file); fclose(file); printf("ok\n"); }
        }
        fflush(stdout);
    }
    return 0;
}
"#;

fn told(failure: Failure) -> String {
    match failure {
        Failure::Bug(what) => what,
        Failure::Diagnostics(list) => list.iter().map(|d: &Diagnostic| d.title.clone()).collect::<Vec<_>>().join("; "),
    }
}
