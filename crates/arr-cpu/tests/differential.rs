//! The same programs by the reference interpreter and as machine code: equal results, bit for bit, and equal errors.

use arr_base::Span;
use arr_cpu::{CompileOptions, Compiled, Limits, compile_plain, compile_with};
use arr_ir::sample::{self, Lcg};
use arr_ir::{Array, Block, Const, Data, Func, RunError, RunErrorKind, Scalar, Value, interp};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut programs = Vec::new();
    for dir in
        [root.join("../arr-loops/tests/cases"), root.join("../arr-loops/tests/strip_mine"), root.join("tests/programs")]
    {
        programs.extend(std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()));
    }
    programs.retain(|path| path.extension().is_some_and(|e| e == "ir"));
    programs.sort();
    programs
}

/// The plain form, with every check; and the form that programs run in, with and without the count of steps, and saved
/// and restored.
fn compiled(func: &Func) -> [Compiled; 4] {
    let options = CompileOptions { count_steps: true, verify: true, ..CompileOptions::default() };
    let checked =
        arr_loops::lower_with(func, arr_loops::LowerOptions { check_all: true, ..Default::default() }).unwrap();
    let loops = arr_loops::lower(func).unwrap();
    let wide = compile_with(&loops, options).unwrap_or_else(|e| panic!("{e}\n{}", arr_loops::print(&loops)));
    let blocks = arr_loops::LowerOptions { blocks: true, ..Default::default() };
    let in_blocks = arr_loops::lower_with(func, blocks).unwrap();
    let uncounted = compile_with(&in_blocks, CompileOptions { count_steps: false, ..options }).unwrap();
    let recorded = compile_with(&loops, CompileOptions { record: true, ..options }).unwrap();
    let restored = arr_cpu::restore(recorded.save().expect("code that can be moved"), None).unwrap();
    [compile_plain(&checked, options).unwrap(), wide, uncounted, restored]
}

/// All assignments of sizes to up to three size parameters, and a few to more.
fn size_lists(count: usize) -> Vec<Vec<i64>> {
    let choices: &[i64] = if count <= 2 { &[0, 1, 2, 3, 7, 21] } else { &[0, 1, 3, 18] };
    let mut lists = vec![Vec::new()];
    for _ in 0..count {
        lists = lists.iter().flat_map(|l: &Vec<i64>| choices.iter().map(|&c| [l.clone(), vec![c]].concat())).collect();
    }
    lists
}

/// Edge cases: negative, zero of both signs, infinite, NaN; integers a little out of range.
fn edge(rng: &mut Lcg, elem: Scalar) -> Const {
    let pick = rng.next_u64() as usize;
    let floats = [0.5, -1.5, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 3.25, 1e300, -2.0];
    let ints = [0, 1, 2, 3, -1, 4, 5, 1];
    match elem {
        Scalar::F64 => Const::F64(floats[pick % floats.len()]),
        Scalar::F32 => Const::F32(floats[pick % floats.len()] as f32),
        Scalar::Bool => Const::Bool(pick.is_multiple_of(2)),
        Scalar::I32 | Scalar::I64 | Scalar::U32 => Const::of_int(elem, ints[pick % ints.len()]),
    }
}

fn edge_args(args: &[Value], seed: u64) -> Vec<Value> {
    let mut rng = Lcg::new(seed);
    let array = |array: &Arc<Array>, rng: &mut Lcg| {
        let mut data: Data = array.data.clone();
        for i in 0..data.len() {
            assert!(data.set(i, edge(rng, array.data.elem())));
        }
        Value::array(array.dims.clone(), data)
    };
    args.iter()
        .map(|arg| match arg {
            Value::Scalar(c) => Value::Scalar(edge(&mut rng, c.scalar())),
            Value::Array(a) => array(a, &mut rng),
        })
        .collect()
}

/// Gives two of three statements a position of their own; the others' failures name the statement around them.
fn number_spans(block: &mut Block, next: &mut usize) {
    for stmt in &mut block.stmts {
        *next += 1;
        stmt.span = (!next.is_multiple_of(3)).then(|| Span::new(arr_base::Id::from_index(0), *next, *next + 1));
        for inner in stmt.op.blocks_mut() {
            number_spans(inner, next);
        }
    }
}

/// Shape, element type and elements.
type Bits = (Vec<i64>, Scalar, Vec<u64>);

/// Bits, with all NaNs the same.
fn bits(value: &Value) -> Bits {
    let one = |c: Const| if c.as_f64().is_some_and(f64::is_nan) { u64::MAX } else { c.bits() };
    let elements = match value {
        Value::Scalar(c) => vec![one(*c)],
        Value::Array(a) => (0..a.data.len()).filter_map(|i| a.data.get(i)).map(one).collect(),
    };
    (value.dims().to_vec(), value.elem(), elements)
}

fn all_bits(results: Result<Vec<Value>, RunError>) -> Result<Vec<Bits>, RunError> {
    results.map(|values| values.iter().map(bits).collect())
}

struct Tally {
    runs: usize,
    errors: usize,
}

fn compare(name: &str, func: &Func, tally: &mut Tally) {
    let versions = compiled(func);
    let limits = Limits { max_steps: Some(1000), max_bytes: Some(1 << 20) };
    for sizes in size_lists(func.sizes.len()) {
        for seed in 0..6 {
            let Some(args) = sample::args(func, &sizes, seed) else { continue };
            let args = if seed < 2 { args } else { edge_args(&args, seed) };
            // An argument that is a size must fit the shapes that mention it; the sample does not ensure this.
            let expected = all_bits(interp::run(func, &sizes, &args, &limits).map(|o| o.results));
            let endless = matches!(&expected, Err(e) if matches!(e.kind, RunErrorKind::TooManySteps { .. }));
            for compiled in versions.iter().filter(|c| c.counts_steps() || !endless) {
                let (outcome, stats) = compiled.run_with_stats(&sizes, &args, &limits);
                let leaked = outcome.is_ok() && stats.leaked > 0;
                let found = all_bits(outcome.map(|o| o.results));
                assert_eq!(found, expected, "{name} {sizes:?} {args:?}");
                assert!(!leaked, "{name} {sizes:?}: {stats:?}");
            }
            tally.runs += 1;
            tally.errors += usize::from(expected.is_err());
        }
    }
}

#[test]
fn machine_code_equals_the_interpreter() {
    let mut tally = Tally { runs: 0, errors: 0 };
    let programs = programs();
    assert!(programs.len() > 25);
    for path in programs {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        for mut func in arr_ir::parse_funcs(&text).unwrap_or_else(|e| panic!("{name}: {e:?}")) {
            number_spans(&mut func.body, &mut 0);
            if let Err(errors) = arr_ir::verify_structure(&func, arr_ir::Level::Core) {
                panic!("{name}: {}", arr_ir::report(&func, &errors));
            }
            compare(&format!("{name}: {}", func.name), &func, &mut tally);
        }
    }
    assert!(tally.runs > 1000 && tally.errors > 50, "{} runs, {} errors", tally.runs, tally.errors);
}

/// Which loops are vectorised: a change here is a change of speed.
#[test]
fn wide_loops_are_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wide = Vec::new();
    for file in [
        "tests/programs/wide.ir",
        "tests/programs/loops.ir",
        "../arr-loops/tests/cases/map.ir",
        "../arr-loops/tests/cases/branch.ir",
    ] {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        for func in arr_ir::parse_funcs(&text).unwrap() {
            let clif = arr_cpu::clif_text(&arr_loops::lower(&func).unwrap(), CompileOptions::default()).unwrap();
            if clif.contains("f64x2") || clif.contains("f32x4") {
                wide.push(func.name.clone());
            }
        }
    }
    let expected = [
        "every_operation",
        "every_f32",
        "matvec",
        "matmul32",
        "reversed",
        "nested_sums",
        "fill_and_copy",
        "in_loop",
        "dear_terms",
        "rows_of_nothing",
        "rows_of_nothing_inside",
        "swaps",
        "smooth",
        "waves",
        "axpy",
        "clamp",
    ];
    assert_eq!(wide, expected);
}
