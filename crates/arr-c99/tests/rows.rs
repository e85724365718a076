//! Every primitive has a row, for every type that it is defined on, and the row has the interpreter's value, also where
//! C leaves that undefined: at the ends of the integers, at zeros, infinities and NaN.

use crate::interface;
use arr_c99::{Function, Places, function, module};
use arr_header::c_type;
use arr_ir::{Const, Prim, Scalar};
use std::fmt::Write;
use std::process::Command;

fn values(scalar: Scalar) -> Vec<Const> {
    match scalar {
        Scalar::Bool => vec![Const::Bool(false), Const::Bool(true)],
        Scalar::I32 => [0, 1, -1, 2, 7, -7, 31, i32::MAX, i32::MIN].map(Const::I32).to_vec(),
        Scalar::I64 => [0, 1, -1, 2, 3, 7, -7, 63, i64::MAX, i64::MIN].map(Const::I64).to_vec(),
        Scalar::U32 => [0, 1, 2, 7, 33, u32::MAX].map(Const::U32).to_vec(),
        Scalar::F32 => [0.0, -0.0, 0.3, 1.0, -2.5, 2.0, 1e30, -1e20, f32::INFINITY, f32::NEG_INFINITY, f32::NAN]
            .map(Const::F32)
            .to_vec(),
        Scalar::F64 => [0.0, -0.0, 0.3, 1.0, -2.5, 2.0, 1e300, -1e20, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
            .map(Const::F64)
            .to_vec(),
    }
}

fn lists(types: &[Scalar]) -> Vec<Vec<Const>> {
    types.iter().fold(vec![Vec::new()], |lists, &s| {
        lists.iter().flat_map(|l| values(s).into_iter().map(|c| l.iter().copied().chain([c]).collect())).collect()
    })
}

fn written(prim: Prim, operands: &[Scalar], result: Scalar, number: usize, places: &mut Places<'_>) -> Function {
    let params: Vec<String> = operands.iter().enumerate().map(|(k, elem)| format!("x{k}: {elem}")).collect();
    let args: Vec<String> = (0..operands.len()).map(|k| format!("x{k}")).collect();
    let text = format!(
        "loops row{number}[]({}) {{\n  let y: {result} = {} {}\n  return y\n}}\n",
        params.join(", "),
        prim.name(),
        args.join(", ")
    );
    let func = arr_loops::parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    function(&func, &interface(&func, true), places).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn literal(c: Const) -> String {
    match c {
        Const::Bool(b) => b.to_string(),
        Const::I32(i) => format!("(int32_t){i}ll"),
        Const::I64(i64::MIN) => "INT64_MIN".to_string(),
        Const::I64(i) => format!("{i}ll"),
        Const::U32(u) => format!("{u}u"),
        Const::F32(_) | Const::F64(_) => match c.as_f64().unwrap() {
            x if x.is_nan() => "NAN".to_string(),
            x if x.is_infinite() => if x > 0.0 { "INFINITY" } else { "-INFINITY" }.to_string(),
            x => format!("{x:?}"),
        },
    }
}

/// Whether the platform's function decides the last digits.
fn is_platforms(prim: Prim) -> bool {
    matches!(prim, arr_ir::any_function!())
}

#[test]
fn every_primitive_has_a_row_with_its_value() {
    let nowhere = |_| None;
    let mut places = Places::new(&nowhere);
    let (mut functions, mut main, mut expected) = (Vec::new(), String::from(MAIN), Vec::new());
    for &prim in Prim::ALL {
        let signatures = prim.signatures();
        assert!(!signatures.is_empty(), "{}", prim.name());
        for (operands, result) in signatures {
            let number = functions.len();
            functions.push(written(prim, &operands, result, number, &mut places));
            for args in lists(&operands) {
                let Some(value) = prim.eval(&args) else { continue };
                let args_text: Vec<String> = args.iter().map(|&c| literal(c)).collect();
                let ty = c_type(result);
                let _ =
                    writeln!(main, "    {{ {ty} y; row{number}({}, &y); print(&y, sizeof y); }}", args_text.join(", "));
                expected.push((prim, args, value));
            }
        }
    }
    main.push_str("    return 0;\n}\n");
    let module = module("rows", ("rows", "Rows."), &[], &functions, &places);
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("rows.c", &module.source), ("rows.h", &module.header), ("main.c", &main)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = Command::new("gcc");
    command.args("-std=c99 -ffp-contract=off -fsanitize=undefined -o rows rows.c main.c -lm".split(' '));
    let Ok(compiled) = command.current_dir(folder.path()).output() else {
        println!("*** SKIPPED: there is no gcc");
        return;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new("./rows").current_dir(folder.path()).output().unwrap();
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(printed.lines().count(), expected.len());
    let mut wrong = Vec::new();
    for (line, (prim, args, value)) in printed.lines().zip(&expected) {
        let bits = u64::from_str_radix(line, 16).unwrap();
        if !agrees(*prim, args, *value, bits) {
            wrong.push(format!("{} {args:?} gives {bits:#x} and not {value:?}", prim.name()));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), expected.len(), wrong.join("\n"));
    assert!(expected.len() > 3000, "{}", expected.len());
}

/// Equal bits; of what the platform computes, equal to a few units in the last place.
fn agrees(prim: Prim, args: &[Const], value: Const, bits: u64) -> bool {
    let Some(x) = value.as_f64() else { return value == narrowed(value.scalar(), bits) };
    let single = value.scalar() == Scalar::F32;
    let y = if single { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    let platforms = matches!(prim, Prim::Pow | Prim::Atan2 | Prim::Polygamma) || is_platforms(prim);
    if !platforms {
        return value.bits() == bits;
    }
    // Far from zero a sine is of a rounded angle, and digamma of a reflected argument.
    let large = args.iter().any(|a| a.as_f64().is_some_and(|x| x.abs() > 1e15));
    let unit = if single { 1e-6 } else { 1e-12 };
    x == y || (x - y).abs() <= unit * x.abs().max(if large { 1e300 } else { 1e-300 })
}

/// A value that is no float, from its bytes.
fn narrowed(elem: Scalar, bits: u64) -> Const {
    match elem {
        Scalar::I32 => Const::I32(bits as u32 as i32),
        Scalar::U32 => Const::U32(bits as u32),
        Scalar::Bool => Const::Bool(bits != 0),
        _ => Const::I64(bits as i64),
    }
}

const MAIN: &str = "#include \"rows.h\"
#include <math.h>
#include <stdio.h>
#include <string.h>
static void print(const void *value, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, value, size);
    printf(\"%llx\\n\", (unsigned long long)bits);
}
int main(void)
{
";
