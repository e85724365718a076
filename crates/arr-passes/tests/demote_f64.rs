//! Golden tests of `demote_f64`: a file holds IR text, a line `==>`, and the text after the pass. `ARR_BLESS=1` rewrites the
//! second part. Results are those of the wide program up to the precision of `f32`.

use arr_ir::interp::{Limits, run};
use arr_ir::{Array, Const, Data, Level, Scalar, Value, parse_func, print_func, sample, verify};
use std::path::Path;

fn narrowed(value: &Value) -> Value {
    match value {
        Value::Scalar(Const::F64(x)) => Value::Scalar(Const::F32(*x as f32)),
        Value::Array(array) => match array.as_ref() {
            Array { dims, data: Data::F64(v) } => {
                Value::array(dims.clone(), Data::F32(v.iter().map(|x| *x as f32).collect()))
            }
            _ => value.clone(),
        },
        Value::Scalar(_) => value.clone(),
    }
}

#[test]
fn golden() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/demote_f64");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 3);
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let (input, expected) = text.split_once("==>\n").unwrap_or((&text, ""));
        let wide = parse_func(input).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        verify(&wide, Level::Core).unwrap();
        let mut narrow = wide.clone();
        arr_passes::run_pass("demote_f64", &mut narrow).unwrap();
        verify(&narrow, Level::Core).unwrap_or_else(|e| panic!("{}: {e:?}\n{}", path.display(), print_func(&narrow)));
        let actual = print_func(&narrow);
        let wide_left = narrow.vars.iter().filter(|(_, v)| narrow.types.get(v.ty).elem == Scalar::F64).count();
        assert_eq!(wide_left, 0, "{}: an f64 is left\n{actual}", path.display());
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&path, format!("{}\n==>\n{actual}", input.trim_end())).unwrap();
        } else {
            assert_eq!(actual, expected, "{}", path.display());
        }
        if arr_ir::has_derivatives(&wide) {
            continue;
        }
        let sizes: Vec<i64> = wide.sizes.iter().map(|_| 5).collect();
        let args = sample::args(&wide, &sizes, 1).unwrap();
        let values: Vec<Value> = args.iter().map(narrowed).collect();
        let (a, b) = (run(&wide, &sizes, &args, &Limits::default()), run(&narrow, &sizes, &values, &Limits::default()));
        for (x, y) in a.unwrap().results.iter().zip(b.unwrap().results) {
            let close = |(x, y): (f64, f64)| (x - y).abs() <= 1e-5 * x.abs().max(1.0);
            assert!(x.to_f64s().into_iter().zip(y.to_f64s()).all(close), "{}", path.display());
        }
    }
}
