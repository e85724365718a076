//! Programs as C, compiled and run beside the interpreter.

use crate::large::compare::{self, Question, differ, interpreter, question, run, takes_too_long};
use crate::large::job::Job;
use arr_driver::{
    CFailure, CFailureKind, CInterface, CModule, CParameter, Execution, Failure, Places, c_type, with_stack,
};
use arr_ir::{Const, Scalar, Value};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// How C is written and compiled.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The compiler and its options.
    pub compile: Vec<String>,
    /// What runs the executable, if it is for another processor.
    pub run: Vec<String>,
    pub strict: bool,
}

/// An entry of a program in C, with its arguments.
pub struct Case {
    pub name: String,
    pub job: Job,
    pub entry: String,
    pub module: CModule,
    call: String,
    failures: Vec<CFailure>,
    meant: compare::Ran,
    exact: bool,
}

/// What became of an entry.
pub enum Made {
    Case(Box<Case>),
    /// The compiler refuses it, with this diagnostic.
    Refused(String),
    /// It is no program, or takes too long.
    Skipped,
}

/// Larger arrays are not compared.
const LARGEST: i64 = 1 << 22;

/// The room for sizes that only a run knows.
const ROOM: i64 = 300;

/// Functions whose last digits are the platform's.
const PLATFORMS: &[&str] = &[
    "exp",
    "expm1",
    "log",
    "log1p",
    "tanh",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "erf",
    "lgamma",
    "pow",
    "atan2",
    "arr_polygamma_f64",
    "arr_sigmoid_f64",
    "arr_softplus_f64",
    "arr_sigmoid_f32",
    "arr_softplus_f32",
];

/// What became of cases.
#[derive(Debug, Default)]
pub struct Ran {
    /// Right values.
    pub values: usize,
    /// Right errors.
    pub errors: usize,
    /// Without room for an array.
    pub without_room: usize,
    /// A text for each that differs.
    pub wrong: Vec<String>,
}

/// Writes an entry in C, for its sizes or for all. Fails with the text of a bug.
pub fn case(job: &Job, entry: &str, number: usize, strict: bool, sized: bool) -> Result<Made, String> {
    with_stack(|| made(job, entry, number, strict, sized))
        .unwrap_or_else(|_| Err("the compiler has panicked".to_string()))
}

fn made(job: &Job, entry: &str, number: usize, strict: bool, sized: bool) -> Result<Made, String> {
    let Ok(asked) = question(&job.source, entry, &job.arguments) else { return Ok(Made::Skipped) };
    let meant = run(&asked, &interpreter(job))?;
    if takes_too_long(&meant) {
        return Ok(Made::Skipped);
    }
    let name = format!("case{number}");
    let func = asked.program.func();
    let named = |name: String| CParameter { name, ty: String::new(), tag: None };
    let results = func.edge_result.leaves();
    let face = CInterface {
        symbol: name.clone(),
        doc: Vec::new(),
        parameters: (0..func.params.len()).map(|at| named(format!("p{at}"))).collect(),
        results: (0..results.len()).map(|at| named(format!("r{at}"))).collect(),
        sizes: sized.then(|| asked.sizes.clone()),
        room: None,
        strict,
        taken: Default::default(),
        result_sizes: Vec::new(),
        place: None,
    };
    let execution = Execution { strict, ..Execution::default() };
    let nowhere = |_| None;
    let mut places = Places::new(&nowhere);
    let function = match asked.program.clone().c_function(&face, &execution, &mut places) {
        Ok(function) => function,
        Err(Failure::Bug(what)) => return Err(what),
        Err(Failure::Diagnostics(list)) => {
            let told = |d: &arr_base::Diagnostic| {
                format!("{} {} {:?}", d.code, d.title, d.labels.iter().map(|l| l.text.as_str()).collect::<Vec<_>>())
            };
            return Ok(Made::Refused(list.iter().map(told).collect()));
        }
    };
    let module = arr_driver::c_module(&name, (&name, "A test."), &[], std::slice::from_ref(&function), &places);
    let lengths = asked.program.result_lengths(&asked.sizes, &asked.leaves);
    let lengths: Vec<i64> = match (&meant, lengths) {
        (Ok(values), _) => values.iter().map(|v| v.dims().iter().product()).collect(),
        (Err(_), Some(lengths)) => lengths.into_iter().map(|l| l.1).collect(),
        (Err(_), None) => return Ok(Made::Skipped),
    };
    if lengths.iter().any(|&n| n > LARGEST) {
        return Ok(Made::Skipped);
    }
    let elems: Vec<Scalar> = results.iter().map(|leaf| leaf.ty.elem).collect();
    let call = call(&name, &asked, &function, &elems, &lengths, sized);
    let words =
        |line: &str| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| PLATFORMS.contains(&w));
    let body = module.source.split(&format!("int {name}(")).nth(1).unwrap_or_default();
    let exact = strict && !body.lines().any(words);
    let failures = places.failures().to_vec();
    let case = Case { name, job: job.clone(), entry: entry.to_string(), module, call, failures, meant, exact };
    Ok(Made::Case(Box::new(case)))
}

/// The C code that calls the function and prints what it gives.
fn call(
    name: &str,
    asked: &Question,
    function: &arr_driver::CFunction,
    elems: &[Scalar],
    lengths: &[i64],
    sized: bool,
) -> String {
    let mut out = format!("static void run_{name}(void)\n{{\n");
    let (mut given, mut counts) = (Vec::new(), Vec::new());
    if !sized {
        counts.extend(asked.sizes.iter().map(|n| integer(*n)));
        given.clone_from(&counts);
    }
    for (at, leaf) in asked.leaves.iter().enumerate() {
        let (elem, bytes) = (c_type(leaf.elem()), arr_data::elements(leaf));
        let count = bytes.len() / leaf.elem().bytes();
        let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
        let list = if list.is_empty() { "0".to_string() } else { list.join(",") };
        let _ = writeln!(out, "    static const unsigned char b{at}[] = {{{list}}};");
        let _ = writeln!(out, "    {elem} *p{at} = ({elem} *)memory({count} * sizeof({elem}));");
        let _ = writeln!(out, "    memcpy(p{at}, b{at}, {count} * sizeof({elem}));");
        match leaf {
            Value::Scalar(Const::I64(n)) => {
                counts.push(integer(*n));
                given.push(format!("*p{at}"));
            }
            Value::Scalar(_) => given.push(format!("*p{at}")),
            Value::Array(_) => given.push(format!("p{at}")),
        }
    }
    for (at, (elem, length)) in elems.iter().zip(lengths).enumerate() {
        let _ = writeln!(out, "    {0} *r{at} = ({0} *)memory({length} * sizeof({0}));", c_type(*elem));
        given.push(format!("r{at}"));
    }
    if function.takes_room {
        counts.push(ROOM.to_string());
    }
    for (at, work) in function.workspaces.iter().enumerate() {
        let count =
            if work.constant.is_some() { work.name.clone() } else { format!("{}({})", work.name, counts.join(", ")) };
        let elem = c_type(work.elem);
        let _ = writeln!(out, "    const int64_t n{at} = {count};");
        let _ = writeln!(
            out,
            "    {elem} *w{at} = n{at} > {LARGEST} ? NULL : ({elem} *)memory((size_t)n{at} * sizeof({elem}));"
        );
        given.push(format!("w{at}"));
    }
    if function.takes_room {
        given.push(ROOM.to_string());
    }
    let fits: Vec<String> = (0..function.workspaces.len()).map(|at| format!("w{at} != NULL")).collect();
    let fits = if fits.is_empty() { "true".to_string() } else { fits.join(" && ") };
    let _ = writeln!(
        out,
        "    int status = -1;\n    if ({fits}) {{\n        status = {name}({});\n    }}",
        given.join(", ")
    );
    let _ = writeln!(out, "    printf(\"{name} %d\", status);\n    if (status == 0) {{");
    for (at, (elem, length)) in elems.iter().zip(lengths).enumerate() {
        let _ = writeln!(out, "        print((const unsigned char *)r{at}, {length} * sizeof({}));", c_type(*elem));
    }
    let _ = writeln!(out, "    }}\n    printf(\"\\n\");");
    for at in 0..asked.leaves.len() {
        let _ = writeln!(out, "    free(p{at});");
    }
    for at in 0..elems.len() {
        let _ = writeln!(out, "    free(r{at});");
    }
    for at in 0..function.workspaces.len() {
        let _ = writeln!(out, "    free(w{at});");
    }
    out + "}\n"
}

fn integer(n: i64) -> String {
    if n == i64::MIN { "INT64_MIN".to_string() } else { format!("INT64_C({n})") }
}

/// Compiles the cases into one program in `folder`, runs it, and compares what it prints. Gives what became of them.
/// Fails if a file is not written, or if the compiler or the program ends with an error.
pub fn batch(cases: &[Case], folder: &Path, tools: &Toolchain) -> Result<Ran, String> {
    let told = |what: &str, error: std::io::Error| format!("{what}: {error}");
    let write = |name: String, text: &str| std::fs::write(folder.join(&name), text).map_err(|e| told(&name, e));
    let mut files = vec!["main.c".to_string()];
    let mut main = String::from(MAIN);
    for case in cases {
        write(format!("{}.c", case.name), &case.module.source)?;
        write(format!("{}.h", case.name), &case.module.header)?;
        files.push(format!("{}.c", case.name));
        let _ = writeln!(main, "#include \"{}.h\"", case.name);
    }
    cases.iter().for_each(|case| main.push_str(&case.call));
    main.push_str("int main(void)\n{\n");
    cases.iter().for_each(|case| {
        let _ = writeln!(main, "    run_{}();\n    fflush(stdout);", case.name);
    });
    main.push_str("    return 0;\n}\n");
    write("main.c".to_string(), &main)?;
    let Some((program, options)) = tools.compile.split_first() else { return Err("no compiler".to_string()) };
    let compiled =
        Command::new(program).args(options).args(&files).args(["-o", "cases", "-lm"]).current_dir(folder).output();
    let compiled = compiled.map_err(|e| told(program, e))?;
    if !compiled.status.success() || !compiled.stderr.is_empty() {
        let said: String = String::from_utf8_lossy(&compiled.stderr).chars().take(4000).collect();
        let meant =
            |case: &&Case| said.contains(&format!("{}.c", case.name)) || said.contains(&format!("{}.h", case.name));
        let programs: Vec<String> = cases.iter().filter(meant).map(Case::about).collect();
        return Err(format!("{}: {said}\n{}", tools.compile.join(" "), programs.join("\n")));
    }
    let mut command = match tools.run.split_first() {
        Some((program, options)) => {
            let mut command = Command::new(program);
            command.args(options).arg("./cases");
            command
        }
        None => Command::new("./cases"),
    };
    let ran = command.current_dir(folder).output().map_err(|e| told("./cases", e))?;
    let said: String = String::from_utf8_lossy(&ran.stderr).chars().take(4000).collect();
    let printed = String::from_utf8_lossy(&ran.stdout);
    let mut outcome = Ran::default();
    cases.iter().for_each(|case| case.compare(&printed, &mut outcome));
    if !ran.status.success() || !said.is_empty() {
        outcome.wrong.push(format!("the program ends with {}: {said}", ran.status));
    }
    Ok(outcome)
}

impl Case {
    /// Compares what the case printed.
    fn compare(&self, printed: &str, outcome: &mut Ran) {
        match self.differs(printed) {
            Ok(true) if self.meant.is_ok() => outcome.values += 1,
            Ok(true) => outcome.errors += 1,
            Ok(false) => outcome.without_room += 1,
            Err(text) => outcome.wrong.push(text),
        }
    }

    /// Whether there was room; fails with what is wrong with what the case printed.
    fn differs(&self, printed: &str) -> Result<bool, String> {
        let mut lines = printed.lines().map(|line| line.split(' ').collect::<Vec<&str>>());
        let Some(words) = lines.find(|words| words.first() == Some(&self.name.as_str())) else {
            return Err(format!("{}: it prints nothing", self.about()));
        };
        let status: i64 = words.get(1).and_then(|w| w.parse().ok()).unwrap_or(-2);
        let found: compare::Ran = match (status, &self.meant) {
            (0, Ok(meant)) => {
                let values = meant.iter().zip(words.get(2..).unwrap_or_default());
                Ok(values.map(|(meant, hex)| read(meant, hex)).collect())
            }
            // There is no room for what is too large.
            (-1, _) => return Ok(false),
            (0, Err(_)) => Ok(Vec::new()),
            _ => match usize::try_from(status - 1).ok().and_then(|at| self.failures.get(at)) {
                Some(failure) if failure.kind == CFailureKind::TooLarge => return Ok(false),
                Some(failure) => {
                    let place = failure.span.map_or("nowhere".to_string(), |span| format!("{span:?}"));
                    Err((failure.kind.code().to_string(), place))
                }
                None => return Err(format!("{}: the status {status} is no failure's", self.about())),
            },
        };
        match differ(&self.job, &self.entry, &found, &self.meant, self.exact) {
            None => Ok(true),
            Some((kind, text)) => Err(format!("{}: {kind}\n{text}", self.about())),
        }
    }

    /// Whether the interpreter gives values, and no error.
    pub fn gives_values(&self) -> bool {
        self.meant.is_ok()
    }

    /// Whether values are compared by their bits: no function of the platform is called.
    pub fn exact(&self) -> bool {
        self.exact
    }

    fn about(&self) -> String {
        format!("{} `{}` ({})\n{}\n", self.name, self.entry, self.job.arguments.join(" "), self.job.source)
    }
}

/// An array like another, from the hexadecimal digits of its bytes.
fn read(like: &Value, hex: &str) -> Value {
    let byte = |at: usize| hex.get(2 * at..2 * at + 2).and_then(|h| u8::from_str_radix(h, 16).ok()).unwrap_or(0);
    let elem = like.elem();
    let word =
        |at: usize| (0..elem.bytes()).rev().fold(0u64, |word, k| word << 8 | u64::from(byte(at * elem.bytes() + k)));
    let constant = |at: usize| match elem {
        Scalar::Bool => Const::Bool(word(at) != 0),
        Scalar::I32 => Const::I32(word(at) as u32 as i32),
        Scalar::I64 => Const::I64(word(at) as i64),
        Scalar::U32 => Const::U32(word(at) as u32),
        Scalar::F32 => Const::F32(f32::from_bits(word(at) as u32)),
        Scalar::F64 => Const::F64(f64::from_bits(word(at))),
    };
    match like {
        Value::Scalar(_) => Value::Scalar(constant(0)),
        Value::Array(array) => {
            let mut array = array.clone();
            let count = array.data.len();
            let data = &mut Arc::make_mut(&mut array).data;
            (0..count).for_each(|at| {
                let _fits = data.set(at, constant(at));
            });
            Value::Array(array)
        }
    }
}

/// Memory is filled with ones, so that what nothing has written is NaN.
const MAIN: &str = "#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *memory(size_t size)
{
    void *found = malloc(size > 0 ? size : 1);
    if (found == NULL) {
        exit(3);
    }
    memset(found, 255, size);
    return found;
}
static void print(const unsigned char *bytes, size_t count)
{
    size_t at;
    printf(\" \");
    for (at = 0; at < count; at++) {
        printf(\"%02x\", bytes[at]);
    }
}
";
