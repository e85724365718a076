//! Every program in `tests/programs` is differentiated and checked three ways: reverse against forward mode by the
//! inner-product identity, both against finite differences, and the same once more for the gradient itself.

use crate::common::{forward_of, reverse_of};
use arr_ad::differentiate;
use arr_ir::interp::{Limits, run};
use arr_ir::{Func, Level, Scalar, Value, parse_func, print_func, sample, verify};
use arr_passes::bot::bot;
use arr_passes::{fuse, simplify};
use std::path::Path;

fn programs() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut all: Vec<(String, String)> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "core"))
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&p).unwrap()))
        .collect();
    all.sort();
    all
}

fn sizes(text: &str) -> Vec<i64> {
    let line = text.lines().find_map(|l| l.strip_prefix("-- sizes:")).expect("a line of sizes");
    line.split(',').filter_map(|pair| pair.split_once('=')).map(|(_, size)| size.trim().parse().unwrap()).collect()
}

fn lowered(name: &str, func: &Func) -> Func {
    verify(func, Level::Core).unwrap_or_else(|e| panic!("{name}: before AD: {e:?}\n{}", print_func(func)));
    let mut g = func.clone();
    differentiate(&mut g).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    verify(&g, Level::Core).unwrap_or_else(|e| panic!("{name}: after AD: {e:?}\n{}", print_func(&g)));
    bot(&mut g).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    verify(&g, Level::Bulk).unwrap_or_else(|e| panic!("{name}: after bot: {e:?}\n{}", print_func(&g)));
    simplify(&mut g);
    verify(&g, Level::Bulk).unwrap_or_else(|e| panic!("{name}: after simplify: {e:?}\n{}", print_func(&g)));
    fuse(&mut g);
    verify(&g, Level::Fused).unwrap_or_else(|e| panic!("{name}: after fuse: {e:?}\n{}", print_func(&g)));
    g
}

fn eval(name: &str, func: &Func, sizes: &[i64], args: &[Value]) -> Vec<Value> {
    run(func, sizes, args, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e:?}\n{}", print_func(func))).results
}

fn floats(values: &[Value]) -> Vec<f64> {
    values.iter().filter(|v| v.elem().is_float()).flat_map(|v| v.to_f64s()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn moved(args: &[Value], tangents: &[Value], h: f64) -> Vec<Value> {
    let mut directions = tangents.iter();
    args.iter()
        .map(|a| {
            if a.elem() != Scalar::F64 {
                return a.clone();
            }
            let d = directions.next().unwrap().to_f64s();
            let moved: Vec<f64> = a.to_f64s().iter().zip(&d).map(|(x, d)| x + h * d).collect();
            match a {
                Value::Scalar(_) => Value::Scalar(arr_ir::Const::F64(moved[0])),
                Value::Array(a) => Value::f64s(&a.dims, &moved),
            }
        })
        .collect()
}

fn check(name: &str, func: &Func, sizes: &[i64], differences: bool) {
    let (rev, fwd) = (lowered(name, &reverse_of(func)), lowered(name, &forward_of(func)));
    let mut primal = func.clone();
    bot(&mut primal).unwrap();
    let n = func.params.len();
    for seed in 0..3 {
        let all = sample::args(&rev, sizes, seed).unwrap();
        let (args, seeds) = all.split_at(n);
        let tangents: Vec<Value> = sample::args(&fwd, sizes, seed + 10).unwrap().split_off(n);
        let cotangents = eval(name, &rev, sizes, &all);
        let forward_args: Vec<Value> = args.iter().chain(&tangents).cloned().collect();
        let pushed = eval(name, &fwd, sizes, &forward_args);
        let left = dot(&floats(&pushed), &floats(seeds));
        let right = dot(&floats(&cotangents), &floats(&tangents));
        let scale = left.abs().max(right.abs()).max(1.0);
        assert!(
            (left - right).abs() <= 1e-10 * scale,
            "{name}: <Jv, w> = {left} but <v, J'w> = {right}\n{}",
            print_func(&rev)
        );
        if differences {
            let h = 1e-5;
            let up = floats(&eval(name, &primal, sizes, &moved(args, &tangents, h)));
            let down = floats(&eval(name, &primal, sizes, &moved(args, &tangents, -h)));
            let slope: Vec<f64> = up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * h)).collect();
            for (s, p) in slope.iter().zip(floats(&pushed)) {
                assert!(
                    (s - p).abs() <= 1e-5 * p.abs().max(1.0),
                    "{name}: tangent {p}, difference {s}\n{}",
                    print_func(&fwd)
                );
            }
        }
    }
}

#[test]
fn first_order() {
    for (name, text) in programs() {
        let func = parse_func(&text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        check(&name, &func, &sizes(&text), !text.contains("-- skip: finite differences"));
    }
}

#[test]
fn second_order() {
    for (name, text) in programs() {
        let func = parse_func(&text).unwrap();
        let differences = !text.contains("-- skip: finite differences");
        let mut gradient = reverse_of(&func);
        differentiate(&mut gradient).unwrap();
        check(&format!("{name}, reverse"), &gradient, &sizes(&text), differences);
        let mut tangent = forward_of(&func);
        differentiate(&mut tangent).unwrap();
        check(&format!("{name}, forward"), &tangent, &sizes(&text), differences);
    }
}

/// Every row of the derivative table, in first and second order, inside each primitive's domain: from 0.1 to 0.9, or as
/// far around the argument at which a function's value is known.
#[test]
fn every_primitive() {
    use arr_ir::{Prim, TypeRule};
    for &prim in Prim::ALL {
        let operands = match (prim.rule(), prim.arity()) {
            (TypeRule::Num | TypeRule::Float, 1) => vec!["x"],
            (TypeRule::Num | TypeRule::Float, _) => vec!["x", "y"],
            (TypeRule::FloatInt, _) => vec!["x", "3"],
            (TypeRule::IntFloat, _) => vec!["1", "x"],
            (TypeRule::Select, _) => vec!["c", "x", "y"],
            _ => continue,
        };
        let from = prim.known_value().map_or(0.0, |(at, _)| at - 0.7);
        let text = format!(
            "func f(a: f64, b: f64) -> f64 {{
               h: f64 = mul a, 0.5
               x: f64 = add h, {from:?}
               y: f64 = sin b
               c: bool = lt a, b
               r: f64 = {} {}
               q: f64 = mul r, a
               return q
             }}",
            prim.name(),
            operands.join(", ")
        );
        let name = prim.name();
        let func = parse_func(&text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        // The difference quotients of step functions are wrong only at the steps, which the samples avoid.
        check(name, &func, &[], true);
        let mut gradient = reverse_of(&func);
        differentiate(&mut gradient).unwrap();
        check(&format!("{name}, twice"), &gradient, &[], true);
    }
}

/// A cotangent that is zero because its value was not selected stays zero through infinite partial derivatives, in
/// first order; in second order the derivative of the product is still there.
#[test]
fn what_is_not_selected_contributes_zero() {
    let gradient_at = |text: &str, x: &[f64]| {
        let func = parse_func(text).unwrap();
        let rev = lowered("selected", &reverse_of(&func));
        let n = x.len() as i64;
        floats(&eval("selected", &rev, &[n], &[Value::f64s(&[n], x), Value::Scalar(arr_ir::Const::F64(1.0))]))
    };
    // The maximum of square roots, one of them at zero.
    let roots = "func f[n](x: [n]f64) -> f64 {
        y: [n]f64 = build i<n { a: f64 = read! x[i]  r: f64 = sqrt a  yield r }
        m: f64 = reduce max j<n { b: f64 = read! y[j]  yield b }
        return m
      }";
    assert_eq!(gradient_at(roots, &[0.0, 4.0]), [0.0, 0.25]);
    // One logarithm of many is used, by a constant index.
    let element = "func f[n](x: [n]f64) -> f64 {
        y: [n]f64 = build i<n { a: f64 = read! x[i]  r: f64 = log a  s: f64 = mul r, a  yield s }
        e: f64 = read y[1]
        return e
      }";
    let g = gradient_at(element, &[0.0, 1.0]);
    assert_eq!(g, [0.0, 1.0]);
    // A strict select.
    let select = "func f[n](x: [n]f64) -> f64 {
        s: f64 = reduce sum i<n {
          a: f64 = read! x[i]
          l: f64 = log a
          p: f64 = mul a, l
          c: bool = gt a, 0.0
          r: f64 = select c, p, 0.0
          yield r
        }
        return s
      }";
    assert_eq!(gradient_at(select, &[0.0, 1.0]), [0.0, 1.0]);
    // A lazy branch: the NaN trap of the dual-numbers paper.
    let branch = "func f[n](x: [n]f64) -> f64 {
        s: f64 = reduce sum i<n {
          a: f64 = read! x[i]
          c: bool = gt a, 0.0
          r: f64 = if c { l: f64 = log a  yield l } else { yield 0.0 }
          yield r
        }
        return s
      }";
    assert_eq!(gradient_at(branch, &[2.0, 0.0]), [0.5, 0.0]);
    // Computed before the branch that does not use it.
    let before = "func f[n](x: [n]f64) -> f64 {
        s: f64 = reduce sum i<n {
          a: f64 = read! x[i]
          q: f64 = sqrt a
          c: bool = gt a, 0.0
          r: f64 = if c { yield q } else { yield 0.0 }
          yield r
        }
        return s
      }";
    assert_eq!(gradient_at(before, &[4.0, 0.0]), [0.25, 0.0]);
}

/// `f = max(x*y, -1)^2` at `x = 0`: the cotangent of `x*y` is zero there, and its derivative is not.
#[test]
fn second_derivatives_see_through_a_zero_cotangent() {
    let text = "func f(x: f64, y: f64) -> f64 {
        p: f64 = mul x, y
        m: f64 = max p, -1.0
        q: f64 = mul m, m
        return q
      }";
    let func = parse_func(text).unwrap();
    let mut gradient = reverse_of(&func);
    differentiate(&mut gradient).unwrap();
    let forward = lowered("forward over reverse", &forward_of(&gradient));
    let scalar = |x: f64| Value::Scalar(arr_ir::Const::F64(x));
    // Parameters: x, y, seed, then their tangents.
    let args = [0.0, 3.0, 1.0, 1.0, 0.0, 0.0].map(scalar);
    assert_eq!(floats(&eval("hessian", &forward, &[], &args)), [18.0, 0.0]);
}

/// The text of every program's reverse derivative, simplified. `ARR_BLESS=1` rewrites the files.
#[test]
fn golden() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut wrong = Vec::new();
    for (name, text) in programs() {
        let func = parse_func(&text).unwrap();
        let mut rev = reverse_of(&func);
        differentiate(&mut rev).unwrap();
        bot(&mut rev).unwrap();
        simplify(&mut rev);
        let out = print_func(&rev);
        let path = dir.join(name.replace(".core", ".vjp"));
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&path, &out).unwrap();
        } else if std::fs::read_to_string(&path).unwrap_or_default() != out {
            wrong.push(format!("{name}:\n{out}"));
        }
    }
    assert!(wrong.is_empty(), "differs from its golden file (ARR_BLESS=1 rewrites it):\n{}", wrong.join("\n"));
}
