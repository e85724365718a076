//! Every primitive has a row, for every type that it is defined on: by itself, and in a kernel.

use arr_ir::{Func, Level, Prim, Scalar, parse_func, verify};
use arr_stablehlo::Call;

/// A function of scalars, and one that applies the primitive at every point of an array of four.
fn functions(prim: Prim, operands: &[Scalar], result: Scalar) -> [Func; 2] {
    let name = prim.name();
    let parameter = |k: usize, ty: &str| format!("x{k}: {ty}");
    let fixed = |k: usize| prim == Prim::Polygamma && k == 0;
    let list = |of: &dyn Fn(usize, Scalar) -> Option<String>| {
        operands.iter().enumerate().filter_map(|(k, &elem)| of(k, elem)).collect::<Vec<_>>()
    };
    let scalars = list(&|k, elem| (!fixed(k)).then(|| parameter(k, elem.name()))).join(", ");
    let arrays = list(&|k, elem| (!fixed(k)).then(|| parameter(k, &format!("[4]{elem}")))).join(", ");
    let reads = list(&|k, elem| (!fixed(k)).then(|| format!("    e{k}: {elem} = read! x{k}[i]\n"))).concat();
    let own = list(&|k, _| Some(if fixed(k) { "1".to_string() } else { format!("x{k}") })).join(", ");
    let each = list(&|k, _| Some(if fixed(k) { "1".to_string() } else { format!("e{k}") })).join(", ");
    let alone = format!("func f({scalars}) -> {result} {{\n  y: {result} = {name} {own}\n  return y\n}}\n");
    let kernel = format!(
        "func f({arrays}) -> [4]{result} {{\n  ys: [4]{result} = build i<4 {{\n{reads}    y: {result} = {name} {each}\n    yield y\n  }}\n  return ys\n}}\n"
    );
    [alone, kernel].map(|text| {
        let func = parse_func(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        verify(&func, Level::Bulk).unwrap_or_else(|e| panic!("{}\n{text}", arr_ir::report(&func, &e)));
        func
    })
}

#[test]
fn every_primitive_has_a_row() {
    let mut written = 0;
    for &prim in Prim::ALL {
        let signatures = prim.signatures();
        assert!(!signatures.is_empty(), "{}", prim.name());
        for (operands, result) in signatures {
            for func in functions(prim, &operands, result) {
                let function = arr_stablehlo::function(&func, "main", &Call::default());
                let function = function.unwrap_or_else(|e| panic!("{} of {operands:?}: {e:?}", prim.name()));
                let divides = prim.may_fail(operands[0]);
                assert_eq!(!function.sites.is_empty(), divides, "{} of {operands:?}", prim.name());
                assert!(function.text.contains("stablehlo.") || result == operands[0], "{}", prim.name());
                written += 1;
            }
        }
    }
    assert!(written > 300, "{written}");
}

#[test]
fn what_is_not_well_formed_is_an_error() {
    let func = parse_func("func f[n](x: [n]f64) -> [n]f64 {\n  return x\n}\n").unwrap();
    assert!(matches!(arr_stablehlo::function(&func, "main", &Call::default()), Err(arr_stablehlo::Error::Internal(_))));
    let text =
        "func f(x: f64) -> f64 {\n  y: f64, d: f64 = vjp (z: f64 = x) seed (1.0) {\n    yield z\n  }\n  return d\n}\n";
    let func = parse_func(text).unwrap();
    assert!(matches!(arr_stablehlo::function(&func, "main", &Call::default()), Err(arr_stablehlo::Error::Internal(_))));
}
