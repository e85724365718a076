//! Each pass alone, text in, text out: `passes/PASS/*.loops` by the pass of that name are `*.after`, and nothing
//! changes where the name ends with `_not`. The input and output of a pass are well formed, and give the same results
//! in shadow memory. `ARR_BLESS=1` rewrites the `.after` files.

use arr_ir::Value;
use arr_ir::sample::Lcg;
use arr_loops::{LoopFunc, LowerOptions, PASSES, ShadowOptions, Ty, parse, print, shadow, unproved_accesses, verify};
use std::path::Path;

const OPTIONS: LowerOptions = LowerOptions {
    check_all: false,
    relaxed: true,
    nested: false,
    blocks: true,
    counts: false,
    any_product: false,
    verify: true,
    profile: false,
};

fn arguments(func: &LoopFunc, size: i64) -> (Vec<i64>, Vec<Value>) {
    let mut random = Lcg::new(7);
    let sizes = vec![size; func.sizes.len()];
    let mut known = |local| Some(func.sizes.iter().position(|s| *s == local).map_or(1, |_| size));
    let value = |param: &arr_loops::Param| match func.ty(param.local) {
        Ty::Buffer(elem) => {
            let dims: Vec<i64> = param.dims.iter().map(|d| d.eval(&mut known).unwrap()).collect();
            let mut data = arr_ir::Data::zeros(elem, dims.iter().product::<i64>() as usize);
            for k in 0..data.len() {
                assert!(data.set(k, random.scalar(elem)));
            }
            Value::array(dims, data)
        }
        ty => Value::Scalar(random.scalar(ty.elem())),
    };
    (sizes, func.params.iter().map(value).collect())
}

/// Whether two functions give the same numbers, or the same failure, and neither has a fault.
fn alike(before: &LoopFunc, after: &LoopFunc) -> Result<(), String> {
    for size in [0, 1, 3, 5] {
        let (sizes, args) = arguments(before, size);
        let run = |func: &LoopFunc, chunks: usize| {
            shadow(func, &sizes, &args, &ShadowOptions { chunks, ..ShadowOptions::default() })
        };
        let meant = run(before, 1);
        for found in [run(after, 1), run(after, 2)] {
            if let Some(fault) = meant.faults.iter().chain(&found.faults).next() {
                return Err(format!("for {size}: {fault}"));
            }
            let same = match (&meant.results, &found.results) {
                (Ok(a), Ok(b)) => a.iter().zip(b).all(|(a, b)| {
                    let close = |(x, y): (&f64, &f64)| x == y || (x - y).abs() <= 1e-12 * x.abs().max(1.0);
                    a.to_f64s().iter().zip(&b.to_f64s()).all(close)
                }),
                (a, b) => a == b,
            };
            if !same {
                return Err(format!("for {size}: {:?} is not {:?}", found.results, meant.results));
            }
        }
    }
    Ok(())
}

#[test]
fn every_pass_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let mut wrong = Vec::new();
    for pass in PASSES {
        let mut cases: Vec<_> = std::fs::read_dir(root.join(pass.name)).unwrap().map(|e| e.unwrap().path()).collect();
        cases.retain(|path| path.extension().is_some_and(|e| e == "loops"));
        cases.sort();
        assert!(cases.len() > 1, "{} has too few cases", pass.name);
        for path in cases {
            let text = std::fs::read_to_string(&path).unwrap();
            let before = parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert_eq!(print(&before), text, "{}", path.display());
            assert_eq!(verify(&before), Ok(()), "{}", path.display());
            let mut after = before.clone();
            (pass.run)(&mut after, &OPTIONS).unwrap();
            assert_eq!(verify(&after), Ok(()), "{}", path.display());
            if pass.name == "bounds-checks" {
                assert_eq!(unproved_accesses(&after), Vec::new(), "{}", path.display());
            }
            let printed = print(&after);
            let not = path.file_stem().unwrap().to_string_lossy().ends_with("_not");
            assert_eq!(printed == text, not, "{} {}", pass.name, path.display());
            alike(&before, &after).unwrap_or_else(|what| panic!("{}: {what}", path.display()));
            let expected = path.with_extension("after");
            if not {
                continue;
            }
            if std::env::var_os("ARR_BLESS").is_some() {
                std::fs::write(&expected, printed).unwrap();
            } else if std::fs::read_to_string(&expected).unwrap_or_default() != printed {
                wrong.push(format!("{}:\n{printed}", expected.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The table says of each pass when it runs and why, and no two have one name.
#[test]
fn the_table_is_complete() {
    for (k, pass) in PASSES.iter().enumerate() {
        assert!(!pass.why.is_empty() && PASSES.iter().skip(k + 1).all(|other| other.name != pass.name));
    }
    let runs = |options: LowerOptions| PASSES.iter().filter(|p| p.when.holds(&options)).count();
    assert_eq!(runs(OPTIONS), PASSES.len());
    assert_eq!(runs(LowerOptions { nested: true, ..OPTIONS }), 1);
    assert_eq!(runs(LowerOptions { blocks: false, ..OPTIONS }), PASSES.len() - 1);
}
