//! Every primitive on every scalar type, on a table of edge values, against its definition.

use arr_cpu::{Limits, compile};
use arr_ir::{Atom, Builder, Const, Func, Prim, RunErrorKind, Scalar, Value};

fn edge_values(scalar: Scalar) -> Vec<Const> {
    match scalar {
        Scalar::Bool => [false, true].map(Const::Bool).to_vec(),
        Scalar::I32 => {
            [0, 1, -1, 2, -2, 3, 7, -7, 31, 64, 46341, i32::MAX, i32::MIN, i32::MIN + 1].map(Const::I32).to_vec()
        }
        Scalar::U32 => {
            [0, 1, 2, 3, 7, 31, 64, 65536, 0x7fff_ffff, 0x8000_0000, u32::MAX - 1, u32::MAX].map(Const::U32).to_vec()
        }
        Scalar::I64 => [
            0,
            1,
            -1,
            2,
            -2,
            3,
            7,
            -7,
            63,
            64,
            1 << 31,
            1 << 32,
            3037000500,
            (1 << 53) + 1,
            i64::MAX,
            i64::MIN,
            i64::MIN + 1,
        ]
        .map(Const::I64)
        .to_vec(),
        Scalar::F32 => floats().into_iter().map(|x| Const::F32(x as f32)).collect(),
        Scalar::F64 => floats().into_iter().map(Const::F64).collect(),
    }
}

fn floats() -> Vec<f64> {
    let mut values = vec![
        0.0,
        0.5,
        0.1,
        0.75,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        3.5,
        7.25,
        20.5,
        31.0,
        100.0,
        709.5,
        800.0,
        1e-8,
        1e-320,
        1e-40,
        1e10,
        1e19,
        4294967295.0,
        4294967296.5,
        2147483647.5,
        2147483648.0,
        9.3e18,
        1e300,
        1e38,
        16777217.0,
        1.0 / 3.0,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::EPSILON,
        f64::INFINITY,
    ];
    let negative: Vec<f64> = values.iter().map(|x| -x).collect();
    values.extend(negative);
    values.push(f64::NAN);
    values
}

fn operand_types() -> Vec<Vec<Scalar>> {
    let mut lists = Vec::new();
    for a in Scalar::ALL {
        lists.push(vec![a]);
        for b in Scalar::ALL {
            lists.push(vec![a, b]);
            for c in Scalar::ALL {
                lists.push(vec![a, b, c]);
            }
        }
    }
    lists
}

fn rows(types: &[Scalar]) -> Vec<Vec<Const>> {
    let mut rows = vec![Vec::new()];
    for &ty in types {
        let values = edge_values(ty);
        rows =
            rows.iter().flat_map(|row: &Vec<Const>| values.iter().map(|&v| [row.clone(), vec![v]].concat())).collect();
    }
    rows
}

/// Bits, with all NaNs the same: which NaN an operation gives is not part of the meaning.
fn bits(c: Const) -> u64 {
    match c.as_f64() {
        Some(x) if x.is_nan() => u64::MAX,
        _ => c.bits(),
    }
}

fn same(a: Const, b: Const) -> bool {
    a.scalar() == b.scalar() && bits(a) == bits(b)
}

fn function(prim: Prim, types: &[Scalar], fixed: Option<Const>) -> Func {
    let mut func = Func::new("f");
    let params: Vec<_> = types.iter().map(|&t| func.scalar_var("x", t)).collect();
    func.params = params.clone();
    let mut b = Builder::new(func);
    let mut args: Vec<Atom> = params.into_iter().map(Atom::Var).collect();
    if let (Some(last), Some(c)) = (args.last_mut(), fixed) {
        *last = Atom::Const(c);
    }
    let result = b.prim(prim, args).unwrap();
    b.finish(vec![result])
}

fn check(prim: Prim, func: &Func, rows: &[Vec<Const>], failures: &mut Vec<String>) {
    let loops = arr_loops::lower(func).unwrap();
    let compiled = compile(&loops).unwrap();
    for row in rows {
        let args: Vec<Value> = row.iter().map(|&c| Value::Scalar(c)).collect();
        let found = compiled.run(&[], &args, &Limits::default());
        let ok = match (prim.eval(row), &found) {
            (Some(expected), Ok(outcome)) => matches!(outcome.results[..], [Value::Scalar(c)] if same(c, expected)),
            (None, Err(error)) => error.kind == RunErrorKind::DivisionByZero,
            _ => false,
        };
        if !ok {
            failures.push(format!("{} {row:?}: {:?}, not {found:?}", prim.name(), prim.eval(row)));
        }
    }
}

#[test]
fn primitives_equal_their_definitions() {
    let mut failures = Vec::new();
    let mut count = 0;
    for &prim in Prim::ALL {
        for types in operand_types() {
            if prim.result(&types).is_none() {
                continue;
            }
            let mut rows = rows(&types);
            if prim == Prim::Polygamma {
                // Its orders are small; the recurrence is slow for large ones.
                rows.retain(|row| matches!(row[0], Const::I64(n) if (-7..=7).contains(&n)));
            }
            count += rows.len();
            check(prim, &function(prim, &types, None), &rows, &mut failures);
        }
    }
    assert!(count > 30_000, "{count}");
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures[..failures.len().min(40)].join("\n"));
}

#[test]
fn constant_second_operands() {
    let mut failures = Vec::new();
    for prim in [Prim::Add, Prim::Mul, Prim::Sub, Prim::Div, Prim::Rem, Prim::Min, Prim::Pow, Prim::Lt] {
        for ty in [Scalar::I32, Scalar::I64, Scalar::U32, Scalar::F64] {
            for constant in edge_values(ty) {
                let func = function(prim, &[ty, ty], Some(constant));
                let rows: Vec<Vec<Const>> = edge_values(ty).into_iter().map(|v| vec![v, constant]).collect();
                check(prim, &func, &rows, &mut failures);
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures[..failures.len().min(40)].join("\n"));
}
