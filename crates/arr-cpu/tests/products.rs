//! Matrix products under relaxed arithmetic beside the plain nests, at sizes on both sides of the threshold between
//! them.

use arr_cpu::{CompileOptions, Compiled, Limits, compile_with};
use arr_ir::sample::Lcg;
use arr_ir::{Const, Data, Func, Poly, Scalar, Value, VarId, interp};
use arr_loops::{LowerOptions, Stmt};
use std::path::Path;

fn programs() -> Vec<Func> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/products.ir");
    arr_ir::parse_funcs(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn relaxed(func: &Func) -> Compiled {
    let loops = arr_loops::lower_with(func, LowerOptions { relaxed: true, ..Default::default() }).unwrap();
    compile_with(&loops, CompileOptions { relaxed: true, ..CompileOptions::default() }).unwrap()
}

fn strict(func: &Func) -> Compiled {
    compile_with(&arr_loops::lower(func).unwrap(), CompileOptions::default()).unwrap()
}

/// Some elements are infinite or NaN if `edges`, and some zero.
fn numbers(rng: &mut Lcg, edges: bool) -> f64 {
    let pick = rng.next_u64() % 211;
    let x = (rng.next_u64() % 2001) as f64 / 1000.0 - 1.0;
    match pick {
        0 if edges => f64::INFINITY,
        1 if edges => f64::NAN,
        2..20 => 0.0,
        _ => x,
    }
}

fn args(func: &Func, sizes: &[i64], edges: bool) -> Vec<Value> {
    let mut rng = Lcg::new(1 + sizes.iter().sum::<i64>() as u64);
    let value = |v: VarId| func.sizes.iter().position(|&s| s == v).map_or(0, |k| sizes[k]);
    let eval =
        |poly: &Poly| -> i64 { poly.terms.iter().map(|(m, c)| m.iter().map(|&v| value(v)).product::<i64>() * c).sum() };
    let array = |&p: &VarId| {
        let ty = func.ty(p);
        if ty.is_scalar() {
            return Value::Scalar(Const::F64(if edges { f64::INFINITY } else { numbers(&mut rng, false) }));
        }
        let dims: Vec<i64> = ty.dims.iter().map(|&d| eval(func.types.poly(d))).collect();
        let count = dims.iter().product::<i64>();
        let data = (0..count).map(|_| numbers(&mut rng, edges));
        let data = match ty.elem {
            Scalar::F32 => Data::F32(data.map(|x| x as f32).collect()),
            _ => Data::F64(data.collect()),
        };
        Value::array(dims, data)
    };
    func.params.iter().map(array).collect()
}

/// Equal up to the rounding of sums of at most this many terms of size 1.
fn compare(what: &str, found: &[Value], expected: &[Value], terms: i64) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert_eq!((x.dims(), x.elem()), (y.dims(), y.elem()), "{what}");
        let unit = if x.elem() == Scalar::F32 { 1e-6 } else { 1e-15 };
        for (k, (p, q)) in x.to_f64s().iter().zip(y.to_f64s()).enumerate() {
            let near = *p == q || (p.is_nan() && q.is_nan()) || (p - q).abs() <= unit * (4 * terms + 8) as f64;
            assert!(near, "{what}: element {k} is {p} instead of {q}");
        }
    }
}

fn size_lists(count: usize) -> Vec<Vec<i64>> {
    let all: &[[i64; 3]] = &[
        [0, 0, 0],
        [0, 3, 5],
        [3, 0, 5],
        [3, 5, 0],
        [1, 1, 1],
        [1, 7, 13],
        [64, 1, 64],
        [64, 64, 1],
        [1, 65, 65],
        [17, 17, 17],
        [13, 31, 23],
        [64, 16, 33],
        [2, 1200, 3],
    ];
    let mut lists: Vec<Vec<i64>> = all.iter().map(|l| l[..count].to_vec()).collect();
    lists.dedup();
    lists
}

#[test]
fn products_equal_the_interpreter_up_to_rounding() {
    for func in programs() {
        let (relaxed, strict) = (relaxed(&func), strict(&func));
        for sizes in size_lists(func.sizes.len()) {
            for edges in [false, true] {
                let args = args(&func, &sizes, edges);
                let what = format!("{} {sizes:?}", func.name);
                let (found, stats) = relaxed.run_with_stats(&sizes, &args, &Limits::default());
                let expected = strict.run(&sizes, &args, &Limits::default()).unwrap().results;
                let terms = sizes.iter().max().unwrap().pow(2);
                compare(&what, &found.unwrap().results, &expected, terms);
                assert_eq!(stats.leaked, 0, "{what}");
                if sizes.iter().product::<i64>() < 2_000 {
                    let reference = interp::run(&func, &sizes, &args, &Limits::default()).unwrap().results;
                    compare(&what, &expected, &reference, 0);
                }
            }
        }
    }
}

#[test]
fn large_products() {
    for name in ["nn", "nt", "tn", "tt", "layer", "zero_wins", "matrix_vector", "vector_matrix"] {
        let func = programs().into_iter().find(|f| f.name == name).unwrap();
        let sizes = vec![200; func.sizes.len()];
        let args = args(&func, &sizes, true);
        let found = relaxed(&func).run(&sizes, &args, &Limits::default()).unwrap().results;
        let expected = strict(&func).run(&sizes, &args, &Limits::default()).unwrap().results;
        compare(name, &found, &expected, 200);
    }
}

fn count_products(stmts: &[Stmt]) -> usize {
    stmts
        .iter()
        .map(|s| match s {
            Stmt::MatMul(_) => 1,
            Stmt::If { then_body, else_body, .. } => count_products(then_body) + count_products(else_body),
            Stmt::For(l) => count_products(&l.body),
            Stmt::While(l) => count_products(&l.head) + count_products(&l.body),
            _ => 0,
        })
        .sum()
}

/// Every program has the products that it was written for; under strict arithmetic there are none.
#[test]
fn products_are_found() {
    for func in programs() {
        let lower = |relaxed| arr_loops::lower_with(&func, LowerOptions { relaxed, ..Default::default() }).unwrap();
        let expected = match func.name.as_str() {
            "two_layers" | "product_of_products" | "two_results" => 2,
            // A factor for each column: it may be infinite.
            "scaled_rows" => 0,
            _ => 1,
        };
        let found = lower(true);
        assert_eq!(count_products(&found.body), expected, "{}", arr_loops::print(&found));
        assert_eq!(count_products(&lower(false).body), 0, "{}", func.name);
    }
}
