//! Golden tests of `fix_sizes`: a file holds IR text, a line `==> sizes`, and the text after the pass. `ARR_BLESS=1` rewrites
//! the last part. The function has the same results as before on arguments of these sizes.

use arr_ir::interp::{Limits, run};
use arr_ir::{Level, parse_func, print_func, sample, verify};
use std::path::Path;

#[test]
fn golden() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fix_sizes");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 3);
    for path in files {
        let name = path.display();
        let text = std::fs::read_to_string(&path).unwrap();
        let (input, rest) = text.split_once("==>").unwrap();
        let (numbers, expected) = rest.split_once('\n').unwrap();
        let sizes: Vec<i64> = numbers.split_whitespace().map(|n| n.parse().unwrap()).collect();
        let any = parse_func(input).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        verify(&any, Level::Core).unwrap();
        let mut fixed = any.clone();
        assert!(arr_passes::fix_sizes(&mut fixed, &sizes), "{name}");
        let actual = print_func(&fixed);
        verify(&fixed, Level::Core).unwrap_or_else(|e| panic!("{name}: {e:?}\n{actual}"));
        let read = parse_func(&actual).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(print_func(&read), actual, "{name}: the text reads as something else");
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&path, format!("{}\n==>{numbers}\n{actual}", input.trim_end())).unwrap();
        } else {
            assert_eq!(actual, expected, "{name}");
        }
        if arr_ir::has_derivatives(&any) {
            continue;
        }
        let args = sample::args(&any, &sizes, 1).unwrap();
        let before = run(&any, &sizes, &args, &Limits::default()).unwrap().results;
        let mut simple = fixed.clone();
        arr_passes::simplify(&mut simple);
        verify(&simple, Level::Core).unwrap_or_else(|e| panic!("{name}: {e:?}\n{}", print_func(&simple)));
        for func in [&fixed, &simple] {
            assert_eq!(run(func, &sizes, &args, &Limits::default()).unwrap().results, before, "{name}");
        }
    }
}

#[test]
fn sizes_that_are_not_equal_are_left_to_the_run() {
    let text =
        "func f[n, m](x: [n]f64, y: [m]f64) -> [n]f64 {\n  check size_eq m, n\n  z: [n]f64 = reshape y\n  return z\n}";
    let any = parse_func(text).unwrap();
    let mut fixed = any.clone();
    assert!(!arr_passes::fix_sizes(&mut fixed, &[2, 3]));
    assert_eq!(print_func(&fixed), print_func(&any));
    assert!(arr_passes::fix_sizes(&mut fixed, &[3, 3]));
}
