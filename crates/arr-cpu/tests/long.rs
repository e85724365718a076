//! A function so long that it gets the other register allocator: results agree with the interpreter, bit for bit.

use arr_ir::interp::{Limits, run};
use arr_ir::{Const, Value, parse_func};
use std::fmt::Write;

#[test]
fn a_long_function_computes_what_the_interpreter_does() {
    let mut text = String::from("func f[n](x: [n]f64, s: f64) -> f64, f64 {\n  a0: f64 = mul s, 0.5\n");
    let ops = ["add", "sub", "mul", "max", "min", "atan2"];
    for i in 0..12_000 {
        // Old values stay in use, so that registers run out.
        let (op, old) = (ops[i % ops.len()], i.saturating_sub(37));
        match i % 11 {
            0 => writeln!(text, "  a{}: f64 = sin a{i}", i + 1).unwrap(),
            5 => writeln!(text, "  a{}: f64 = read x[{}]", i + 1, i % 4).unwrap(),
            _ => writeln!(text, "  a{}: f64 = {op} a{i}, a{old}", i + 1).unwrap(),
        }
    }
    text.push_str("  return a12000, a11990\n}\n");
    let func = parse_func(&text).unwrap();
    let args = [Value::f64s(&[4], &[0.3, -0.7, 1.1, 2.0]), Value::Scalar(Const::F64(0.9))];
    let expected = run(&func, &[4], &args, &Limits::default()).unwrap().results;
    let compiled = arr_cpu::compile(&arr_loops::lower(&func).unwrap()).unwrap();
    let found = compiled.run(&[4], &args, &Limits::default()).unwrap().results;
    let bits = |values: &[Value]| values.iter().flat_map(Value::to_f64s).map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(&found), bits(&expected));
}
