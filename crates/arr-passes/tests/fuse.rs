//! Golden tests of `fuse`, followed by `simplify`.

use crate::common;
use arr_ir::{Builder, Edge, EdgeParam, Func, Level, Prim, Reduction, Scalar, parse_func, verify};
use std::time::{Duration, Instant};

#[test]
fn golden() {
    common::golden("fuse", "fuse, simplify");
}

/// `y1 = x + x`, `y2 = y1 + x`, ..., each a kernel, then the sum.
fn chain(length: usize) -> Func {
    let mut func = Func::new("f");
    let n = func.scalar_var("n", Scalar::I64);
    let size = func.types.size_var(n);
    let ty = func.types.array(vec![size], Scalar::F64);
    let x = func.var("x", ty);
    func.sizes = vec![n];
    func.params = vec![x];
    let mut b = Builder::new(func);
    let mut y = x;
    for _ in 0..length {
        let (i, axis) = b.axis("i", size);
        b.open();
        let (p, q) = (b.read_unchecked(y, vec![i]), b.read_unchecked(x, vec![i]));
        let sum = b.prim(Prim::Add, vec![p, q]).unwrap();
        let s = b.prim(Prim::Sin, vec![sum]).unwrap();
        let body = b.close(vec![s]);
        y = b.build(vec![axis], body, "y")[0];
    }
    let (i, axis) = b.axis("i", size);
    b.open();
    let p = b.read_unchecked(y, vec![i]);
    let body = b.close(vec![p]);
    let s = b.reduce(Reduction::Sum, vec![axis], body, "s")[0];
    let mut func = b.finish(vec![s.into()]);
    func.edge_params = vec![EdgeParam {
        name: "x".to_string(),
        ty: Edge::Array(size, Box::new(Edge::Scalar(Scalar::F64))),
        text: String::new(),
    }];
    func.edge_result = Edge::Scalar(Scalar::F64);
    func
}

/// Thousands of kernels in a row become a few, in time linear in their number.
#[test]
fn long_chains_of_kernels() {
    let timed = |length: usize| {
        let mut func = chain(length);
        let before = func.clone();
        let start = Instant::now();
        arr_passes::fuse(&mut func);
        arr_passes::simplify(&mut func);
        let time = start.elapsed();
        verify(&func, Level::Fused).unwrap();
        common::same_meaning(&before, &func, 1, 0.0).unwrap();
        (time, common::count_kernels(&func))
    };
    // On a machine that is busy with other things some runs are long for no reason of their own.
    let least = |length: usize| (0..3).map(|_| timed(length)).min().unwrap();
    let (short, one) = least(100);
    assert_eq!(one, 1);
    let (long, few) = least(3_200);
    assert!(few < 40, "{few} kernels are left");
    assert!(long < short * 128 + Duration::from_millis(200), "{short:?} became {long:?}");
}

/// Every array that stays has a reason.
#[test]
fn explains_what_is_kept() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuse/softmax.ir")).unwrap();
    let (input, _) = text.split_once("==>").unwrap();
    let lines = arr_passes::decisions(&parse_func(input).unwrap());
    assert_eq!(
        lines,
        [
            "d: inlined into its reader",
            "e: kept: several kernels read it and recomputing it is expensive",
            "y: kept: it is needed as a whole (returned, carried, reshaped or scattered into)",
        ]
    );
}

/// What `--explain fuse` prints: `tests/explain/*.ir`, bulk IR and the text.
#[test]
fn explanations() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explain");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let (input, expected) = text.split_once("==>\n").unwrap_or((&text, ""));
        let before = parse_func(input).unwrap_or_else(|e| panic!("{}: {e:?}", file.display()));
        verify(&before, Level::Bulk).unwrap();
        let mut after = before.clone();
        for pass in ["fuse", "interchange", "hoist", "simplify"] {
            arr_passes::run_pass(pass, &mut after).unwrap();
        }
        let actual = arr_passes::explain(&before, &after);
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&file, format!("{}\n==>\n{actual}", input.trim_end())).unwrap();
        } else {
            assert_eq!(actual, expected, "{}", file.display());
        }
    }
}
