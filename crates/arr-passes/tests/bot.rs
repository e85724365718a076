//! Golden tests of the bulk-operation transform, IR text in, IR text out. `ARR_BLESS=1` rewrites the outputs.
//!
//! Each `tests/bot/*.core` names the rule it shows and the sizes it runs with; rules on `index` show after `simplify` and `fuse`. Besides the text, every test checks that
//! both programs verify, give the same results, and cost the same up to a constant factor.

use arr_ir::interp::{Limits, Outcome, run};
use arr_ir::{Func, Level, Value, parse_func, print_func, sample, verify};
use arr_passes::bot::bot;
use arr_passes::{fuse, simplify};
use std::path::{Path, PathBuf};

fn inputs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bot");
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "core"));
    files.sort();
    files
}

fn sizes(text: &str) -> Vec<i64> {
    let line = text.lines().find_map(|l| l.strip_prefix("-- sizes:")).expect("a line of sizes");
    line.split(',').map(|pair| pair.split('=').nth(1).unwrap().trim().parse().unwrap()).collect()
}

fn outcome(func: &Func, sizes: &[i64], args: &[Value]) -> Outcome {
    run(func, sizes, args, &Limits::default()).unwrap_or_else(|e| panic!("{e:?}\n{}", print_func(func)))
}

fn close(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.dims() == b.dims()
                && a.to_f64s().iter().zip(b.to_f64s()).all(|(x, y)| {
                    x.to_bits() == y.to_bits()
                        || (x.is_nan() && y.is_nan())
                        || (x - y).abs() <= 1e-12 * x.abs().max(1.0)
                })
        })
}

#[test]
fn golden() {
    let bless = std::env::var_os("ARR_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in inputs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let core = parse_func(&text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        verify(&core, Level::Core).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let mut bulk = core.clone();
        bot(&mut bulk).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        verify(&bulk, Level::Bulk).unwrap_or_else(|e| panic!("{name}: {e:?}\n{}", print_func(&bulk)));
        if text.contains("-- then: simplify, fuse") {
            simplify(&mut bulk);
            fuse(&mut bulk);
            verify(&bulk, Level::Fused).unwrap_or_else(|e| panic!("{name}: {e:?}\n{}", print_func(&bulk)));
        }
        let out = print_func(&bulk);
        // The interpreter takes no derivatives: only the text is compared.
        let runs = !arr_ir::has_derivatives(&core);
        for seed in (0..3).filter(|_| runs) {
            let sizes = sizes(&text);
            let args = sample::args(&core, &sizes, seed).unwrap();
            let (a, b) = (outcome(&core, &sizes, &args), outcome(&bulk, &sizes, &args));
            assert!(close(&a.results, &b.results), "{name}: {:?} against {:?}\n{out}", a.results, b.results);
        }
        // Sizes 0 and 1 are where hoisting and guards go wrong.
        for small in [0, 1].into_iter().filter(|_| runs) {
            let sizes: Vec<i64> = sizes(&text).iter().map(|_| small).collect();
            let args = sample::args(&core, &sizes, 7).unwrap();
            match (run(&core, &sizes, &args, &Limits::default()), run(&bulk, &sizes, &args, &Limits::default())) {
                (Ok(a), Ok(b)) => assert!(close(&a.results, &b.results), "{name} at size {small}\n{out}"),
                (Err(a), Err(b)) => assert_eq!(a.kind, b.kind, "{name} at size {small}"),
                (a, b) => panic!("{name} at size {small}: {a:?} against {b:?}\n{out}"),
            }
        }
        let golden = path.with_extension("bulk");
        if bless {
            std::fs::write(&golden, &out).unwrap();
        } else if std::fs::read_to_string(&golden).unwrap_or_default() != out {
            wrong.push(format!("{name}:\n{out}"));
        }
    }
    assert!(wrong.is_empty(), "differs from its golden file (ARR_BLESS=1 rewrites it):\n{}", wrong.join("\n"));
}

#[test]
fn nested_copy_stays_quadratic() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bot/nested_copy.core")).unwrap();
    let mut func = parse_func(&text).unwrap();
    bot(&mut func).unwrap();
    let work = |m: i64| {
        let args = sample::args(&func, &[m], 1).unwrap();
        let counts = outcome(&func, &[m], &args).counts;
        (counts.prims + counts.reads + counts.writes) as f64
    };
    for m in [8, 16, 32] {
        let ratio = work(2 * m) / work(m);
        assert!((3.8..4.3).contains(&ratio), "work grows by {ratio} from {m} to {}", 2 * m);
    }
}
