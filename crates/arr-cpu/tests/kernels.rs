//! Vector kernels as machine code beside their evaluator: equal memory, byte for byte (all NaNs count as equal), for
//! every length up to three vectors, on both instruction sets.
#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code)]
#![allow(clippy::print_stderr)]

mod harness;
mod random;

use arr_x86::{
    Access, Binary, Bits, Builder, Combine, Compare, Elem, Function, MemOperand, Op, Program, Type, Unary, Value, Width,
};
use harness::{Case, check};

const ELEMS: [Elem; 2] = [Elem::F64, Elem::F32];

/// A map over two rows: `out[i] = body(x[i], y[i])`.
fn map(elem: Elem, body: impl Fn(&mut Builder, Value, Value) -> Value) -> Program {
    let mut b = Builder::new();
    let n = b.env_int(0);
    let [x, y, out] = [1, 2, 3].map(|slot| b.env_int(slot));
    b.start_at(10);
    let (i, _) = b.begin(n, &[]);
    let [px, py, po] = [x, y, out].map(|base| b.row(base, i, elem));
    let (vx, vy) = (b.op(Op::Load(elem, px)), b.op(Op::Load(elem, py)));
    let result = body(&mut b, vx, vy);
    b.store(po, result);
    b.end().unwrap();
    b.finish().unwrap()
}

fn check_map(name: &str, elem: Elem, body: impl Fn(&mut Builder, Value, Value) -> Value) {
    check(name, &map(elem, body), |n, seed| Case::rows(elem, n, seed));
}

#[test]
fn arithmetic() {
    for elem in ELEMS {
        use Binary::{Add, Div, Max, Min, Mul, MulZero, Sub};
        for op in [Add, Sub, Mul, Div, MulZero, Min, Max] {
            check_map(&format!("{op:?} {elem:?}"), elem, |b, x, y| b.binary(op, x, y));
        }
        use Unary::{Abs, Ceil, Floor, Neg, Round, Sign, Sqrt};
        for op in [Neg, Abs, Sqrt, Sign, Floor, Ceil, Round] {
            check_map(&format!("{op:?} {elem:?}"), elem, |b, x, _| b.unary(op, x));
        }
        check_map("fma", elem, |b, x, y| b.op(Op::Fma(x, y, x)));
        check_map("fma of a constant", elem, |b, x, y| {
            let c = b.number(elem, 0.3);
            let s = b.op(Op::Fma(x, c, y));
            let t = b.op(Op::Fma(c, s, c));
            b.op(Op::Fma(t, y, c))
        });
    }
}

#[test]
fn comparisons_and_choices() {
    use Compare::{Eq, Ge, Gt, Le, Lt, Ne, Unordered};
    for elem in ELEMS {
        for op in [Eq, Ne, Lt, Le, Gt, Ge, Unordered] {
            check_map(&format!("{op:?} {elem:?}"), elem, |b, x, y| {
                let mask = b.compare(op, x, y);
                b.op(Op::Select(mask, x, y))
            });
        }
        check_map("masks", elem, |b, x, y| {
            let zero = b.number(elem, 0.0);
            let (p, q, r) = (b.compare(Lt, x, y), b.compare(Gt, x, zero), b.compare(Unordered, y, y));
            let both = b.op(Op::And(p, q));
            let not = b.op(Op::Not(r));
            let any = b.op(Op::Or(both, not));
            let one = b.number(elem, 1.0);
            let first = b.op(Op::Select(any, x, one));
            b.op(Op::Select(both, y, first))
        });
    }
}

#[test]
fn elementary_functions() {
    for elem in ELEMS {
        for function in Function::ALL {
            let name = format!("{function:?} {elem:?}");
            check_map(&name, elem, |b, x, _| arr_x86::call(b, function, x));
            // Of the magnitude where they are not constant, and where results are not normal.
            for scale in [40.0, 100.0] {
                check_map(&name, elem, |b, x, y| {
                    let scale = b.number(elem, scale);
                    let x = b.op(Op::Fma(x, scale, y));
                    arr_x86::call(b, function, x)
                });
            }
            let program = map(elem, |b, x, _| arr_x86::call(b, function, x));
            harness::check_function(&program, elem, &|x| match function {
                Function::Exp if elem == Elem::F32 => f64::from(arr_math::exp_f32(x as f32)),
                Function::Tanh if elem == Elem::F32 => f64::from(arr_math::tanh_f32(x as f32)),
                Function::Sigmoid if elem == Elem::F32 => f64::from(arr_math::sigmoid_f32(x as f32)),
                Function::Sinh if elem == Elem::F32 => f64::from(arr_math::sinh_f32(x as f32)),
                Function::Cosh if elem == Elem::F32 => f64::from(arr_math::cosh_f32(x as f32)),
                Function::Erf if elem == Elem::F32 => f64::from(arr_math::erf_f32(x as f32)),
                Function::Exp => arr_math::exp(x),
                Function::Expm1 => arr_math::expm1(x),
                Function::Log => arr_math::log(x),
                Function::Log1p => arr_math::log1p(x),
                Function::Tanh => arr_math::tanh(x),
                Function::Sigmoid => arr_math::sigmoid(x),
                Function::Softplus => arr_math::softplus(x),
                Function::Sin => arr_math::sin(x),
                Function::Cos => arr_math::cos(x),
                Function::Tan => arr_math::tan(x),
                Function::Asin => arr_math::asin(x),
                Function::Acos => arr_math::acos(x),
                Function::Atan => arr_math::atan(x),
                Function::Sinh => arr_math::sinh(x),
                Function::Cosh => arr_math::cosh(x),
                Function::Erf => arr_math::erf(x),
            });
        }
    }
}

#[test]
fn integers_in_lanes() {
    for elem in ELEMS {
        let mut b = Builder::new();
        let n = b.env_int(0);
        let [x, _, out, ints] = [1, 2, 3, 5].map(|slot| b.env_int(slot));
        let step = b.int(3);
        let (i, locals) = b.begin(n, &[step]);
        let linear = b.op(Op::Linear(locals[0], step));
        let big = b.op(Op::LanesConst(0x1234_5678_9abc));
        let [sum, difference, product, masked] =
            [Bits::Add, Bits::Sub, Bits::Mul, Bits::And].map(|op| b.op(Op::LanesBinary(op, linear, big)));
        let loaded = b.op(Op::LanesLoad(
            Width::I64,
            MemOperand { base: ints, index: Some((i, 8)), disp: 0, access: Access::Row },
        ));
        let mixed =
            [difference, product, masked, loaded].iter().fold(sum, |a, &v| b.op(Op::LanesBinary(Bits::Xor, a, v)));
        let shifted = b.op(Op::Shift(mixed, 7));
        let back = b.op(Op::Shift(mixed, -3));
        let all = b.op(Op::LanesBinary(Bits::Or, shifted, back));
        // AVX2 has no conversion to `f32`.
        let float = b.op(Op::ToFloat(Elem::F64, all));
        let small = b.op(Op::ToFloat(Elem::F64, linear));
        let float = b.binary(Binary::Add, float, small);
        let bit = b.op(Op::TestBits(mixed, 4));
        let float = b.op(Op::Select(bit, float, small));
        let result = if elem == Elem::F32 { b.op(Op::Narrow(float)) } else { float };
        let px = b.row(x, i, elem);
        let v = b.op(Op::Load(elem, px));
        let result = b.binary(Binary::Add, result, v);
        let place = b.row(out, i, elem);
        b.store(place, result);
        b.end().unwrap();
        check(&format!("lanes {elem:?}"), &b.finish().unwrap(), |n, seed| Case::rows(elem, n, seed));
    }
}

#[test]
fn widening_and_narrowing() {
    check_map("f32 through f64", Elem::F32, |b, x, y| {
        let (wx, wy) = (b.op(Op::Widen(x)), b.op(Op::Widen(y)));
        let third = b.number(Elem::F64, 1.0 / 3.0);
        let p = b.op(Op::Fma(wx, wy, third));
        let smaller = b.compare(Compare::Lt, p, wx);
        let p = b.op(Op::Select(smaller, p, third));
        let bits = b.op(Op::ToBits(p));
        let p = b.op(Op::FromBits(bits));
        b.op(Op::Narrow(p))
    });
}

/// `out[i] = sum_j a[i * m + j] * x[j]`, with the lanes' rows read with a stride, or through their own offsets.
fn matvec(elem: Elem, each: bool) -> Program {
    let bytes = elem.bytes() as i64;
    let mut b = Builder::new();
    let [n, a, x, out, m] = [0, 6, 2, 3, 4].map(|slot| b.env_int(slot));
    let size = b.int(bytes);
    let stride = b.op(Op::IntBinary(Bits::Mul, m, size));
    let (i, locals) = b.begin(n, &[stride]);
    let row = b.op(Op::IntBinary(Bits::Add, a, locals[0]));
    let zero = b.number(elem, 0.0);
    let sum = b.variable(Type::Float(elem), Some(zero));
    let none = b.int(0);
    let offsets = b.op(Op::Linear(none, stride));
    let (j, _) = b.begin(m, &[]);
    let access = if each { Access::Each(offsets) } else { Access::Strided(stride) };
    let index = Some((j, elem.bytes() as u8));
    let left = b.op(Op::Load(elem, MemOperand { base: row, index, disp: 0, access }));
    let right = b.op(Op::Load(elem, MemOperand { base: x, index, disp: 0, access: Access::Same }));
    let product = b.binary(Binary::Mul, left, right);
    let next = b.binary(Binary::Add, sum, product);
    b.set(sum, next);
    b.end().unwrap();
    let place = b.row(out, i, elem);
    b.store(place, sum);
    b.end().unwrap();
    b.finish().unwrap()
}

#[test]
fn inner_loops_and_strides() {
    for elem in ELEMS {
        for each in [false, true] {
            check(&format!("matvec {elem:?} {each}"), &matvec(elem, each), |n, seed| Case::matrix(elem, n, 5, seed));
            check(&format!("empty rows {elem:?}"), &matvec(elem, each), |n, seed| Case::matrix(elem, n, 0, seed));
        }
    }
}

#[test]
fn loops_that_swap() {
    for elem in ELEMS {
        let mut b = Builder::new();
        let [n, x, out, m] = [0, 1, 3, 4].map(|slot| b.env_int(slot));
        let (i, _) = b.begin(n, &[]);
        let place = b.row(x, i, elem);
        let v = b.op(Op::Load(elem, place));
        let one = b.number(elem, 1.0);
        let (p, q) = (b.variable(Type::Float(elem), Some(v)), b.variable(Type::Float(elem), Some(one)));
        b.begin(m, &[]);
        let old = b.op(Op::Copy(p));
        let sum = b.binary(Binary::Add, p, q);
        b.set(p, sum);
        b.set(q, old);
        b.end().unwrap();
        let result = b.binary(Binary::Sub, p, q);
        let place = b.row(out, i, elem);
        b.store(place, result);
        b.end().unwrap();
        check(&format!("swaps {elem:?}"), &b.finish().unwrap(), |n, seed| Case::matrix(elem, n, 7, seed));
    }
}

/// Sums and an exchange of variables over `j < extent`, with terms computed from
/// `1 / sqrt((x[i] - y[j])^2 + a[i, j]^2)`; so long that it is pipelined in two stages if the extent is known.
fn forces(elem: Elem, extent: i64) -> Program {
    let bytes = elem.bytes() as i64;
    let mut b = Builder::new();
    let [n, x, y, out, a] = [0, 1, 2, 3, 6].map(|slot| b.env_int(slot));
    let (m, size, step) = (b.int(extent), b.int(bytes), b.int(1));
    let stride = b.int(bytes * extent);
    let (i, locals) = b.begin(n, &[stride]);
    let row = b.op(Op::IntBinary(Bits::Add, a, locals[0]));
    let place = b.row(x, i, elem);
    let here = b.op(Op::Load(elem, place));
    let vars = [0; 4].map(|_| b.variable(Type::Float(elem), Some(here)));
    let (j, steps) = b.begin(m, &[size, step]);
    let there = MemOperand { base: y, index: Some((steps[0], 1)), disp: 0, access: Access::Same };
    let there = b.op(Op::Load(elem, there));
    let index = Some((j, elem.bytes() as u8));
    let across = b.op(Op::Load(elem, MemOperand { base: row, index, disp: 0, access: Access::Strided(stride) }));
    let apart = b.binary(Binary::Sub, here, there);
    let square = b.binary(Binary::Mul, apart, apart);
    let square = b.op(Op::Fma(across, across, square));
    let root = b.unary(Unary::Sqrt, square);
    let one = b.number(elem, 1.0);
    let near = b.binary(Binary::Div, one, root);
    let again = MemOperand { base: y, index: Some((steps[1], elem.bytes() as u8)), disp: 0, access: Access::Same };
    let mut sum = b.op(Op::Load(elem, again));
    for k in 0..24 {
        let other = [apart, near, root, across, vars[k % 4]][k % 5];
        sum = if k % 3 == 0 { b.op(Op::Fma(near, other, sum)) } else { b.binary(Binary::Sub, other, sum) };
    }
    let old = b.op(Op::Copy(vars[0]));
    let next = b.binary(Binary::Add, vars[1], sum);
    b.set(vars[1], near);
    b.set(vars[0], next);
    b.set(vars[2], old);
    b.end().unwrap();
    let [p, q, r, _] = vars;
    let sum = b.binary(Binary::Add, p, q);
    let sum = b.binary(Binary::Sub, sum, r);
    let place = b.row(out, i, elem);
    b.store(place, sum);
    b.end().unwrap();
    b.finish().unwrap()
}

#[test]
fn loops_in_two_stages() {
    for elem in ELEMS {
        for extent in [0, 1, 2, 3, 19] {
            let name = format!("forces {elem:?} {extent}");
            check(&name, &forces(elem, extent), |n, seed| Case::matrix(elem, n, extent as usize, seed));
        }
    }
}

#[test]
fn scattered_stores() {
    for elem in ELEMS {
        let mut b = Builder::new();
        let [n, x, out] = [0, 1, 7].map(|slot| b.env_int(slot));
        let step = b.int(-2 * elem.bytes() as i64);
        let (i, locals) = b.begin(n, &[step]);
        let place = b.row(x, i, elem);
        let v = b.op(Op::Load(elem, place));
        let base = b.op(Op::IntBinary(Bits::Add, out, locals[0]));
        b.store(MemOperand { base, index: None, disp: 0, access: Access::Strided(step) }, v);
        b.end().unwrap();
        check(&format!("scatter {elem:?}"), &b.finish().unwrap(), |n, seed| Case::backwards(elem, n, seed));
    }
}

#[test]
fn loops_that_begin_later() {
    for elem in ELEMS {
        let mut b = Builder::new();
        let [n, x, out] = [0, 1, 3].map(|slot| b.env_int(slot));
        let bytes = b.int(elem.bytes() as i64);
        b.start_at(10);
        let sum = b.accumulator(elem, Combine::Add, 9);
        let (i, locals) = b.begin(n, &[bytes]);
        let place = b.row(x, i, elem);
        let v = b.op(Op::Load(elem, place));
        let base = b.op(Op::IntBinary(Bits::Add, out, locals[0]));
        b.store(MemOperand { base, index: None, disp: 0, access: Access::Row }, v);
        let next = b.binary(Binary::Add, sum, v);
        b.set(sum, next);
        b.end().unwrap();
        check(&format!("later {elem:?}"), &b.finish().unwrap(), |n, seed| Case::later(elem, n, n / 3, seed));
    }
}

#[test]
fn accumulators() {
    for elem in ELEMS {
        for combine in [Combine::Add, Combine::Mul, Combine::Min, Combine::Max] {
            let mut b = Builder::new();
            let [n, x, y] = [0, 1, 2].map(|slot| b.env_int(slot));
            let sum = b.accumulator(elem, combine, 9);
            let (i, _) = b.begin(n, &[]);
            let [px, py] = [x, y].map(|base| b.row(base, i, elem));
            let (vx, vy) = (b.op(Op::Load(elem, px)), b.op(Op::Load(elem, py)));
            let next = match combine {
                Combine::Add => b.op(Op::Fma(vx, vy, sum)),
                _ => b.binary(combine.binary(), sum, vx),
            };
            b.set(sum, next);
            b.end().unwrap();
            check(&format!("{combine:?} {elem:?}"), &b.finish().unwrap(), |n, seed| Case::rows(elem, n, seed));
        }
    }
}

#[test]
fn stores_past_the_cache() {
    for elem in ELEMS {
        let mut b = Builder::new();
        let [n, x, out] = [0, 1, 3].map(|slot| b.env_int(slot));
        b.start_at(10);
        let (i, _) = b.begin(n, &[]);
        let place = b.row(x, i, elem);
        let v = b.op(Op::Load(elem, place));
        let twice = b.binary(Binary::Add, v, v);
        let place = b.row(out, i, elem);
        b.store(MemOperand { access: Access::Stream, ..place }, twice);
        b.end().unwrap();
        let program = b.finish().unwrap();
        for n in [0, 1, 7, 8, 9, 31, 64, 65, 300] {
            harness::check_stream(&program, elem, n);
        }
        // The same program with its stores in the cache needs no alignment.
        check(&format!("kept {elem:?}"), &program.kept(), |n, seed| Case::rows(elem, n, seed));
    }
}

/// If a kernel is left, accumulators hold the results of the iterations before: added to after the last exit, before
/// it, and in a loop with one.
#[test]
fn accumulators_of_kernels_that_leave() {
    for elem in ELEMS {
        for shape in 0..4 {
            let mut b = Builder::new();
            let [n, m, x, y] = [0, 4, 1, 2].map(|slot| b.env_int(slot));
            let largest = b.accumulator(elem, Combine::Max, 11);
            let sum = b.accumulator(elem, Combine::Add, 9);
            let (i, _) = b.begin(n, &[]);
            let [px, py] = [x, y].map(|base| b.row(base, i, elem));
            let (vx, vy) = (b.op(Op::Load(elem, px)), b.op(Op::Load(elem, py)));
            let add = |b: &mut Builder, term: Value| {
                let next = b.binary(Binary::Add, sum, term);
                b.set(sum, next);
            };
            let sine = if shape == 0 { vx } else { arr_x86::call(&mut b, Function::Sin, vx) };
            let next = b.binary(Binary::Max, largest, sine);
            b.set(largest, next);
            if shape < 2 {
                add(&mut b, sine);
            }
            if shape == 3 {
                b.begin(m, &[]);
            }
            let cosine = arr_x86::call(&mut b, Function::Cos, vy);
            add(&mut b, cosine);
            if shape == 3 {
                b.end().unwrap();
            }
            b.end().unwrap();
            let program = b.finish().unwrap();
            check(&format!("leaves {elem:?} {shape}"), &program, |n, seed| Case::matrix(elem, n, 3, seed));
        }
    }
}

#[test]
fn many_values_are_spilled() {
    for elem in ELEMS {
        check_map(&format!("spills {elem:?}"), elem, |b, x, y| {
            let mut values = vec![x, y];
            for k in 0..40 {
                let (a, c) = (values[k], values[k + 1]);
                let number = b.number(elem, 0.25 + k as f64);
                let v = b.op(Op::Fma(a, number, c));
                values.push(v);
            }
            let flags: Vec<Value> = values.windows(2).map(|w| b.compare(Compare::Lt, w[0], w[1])).collect();
            let mut result = x;
            for (k, &v) in values.iter().enumerate().rev() {
                let sum = b.binary(Binary::Add, result, v);
                result = match flags.get(k) {
                    Some(&flag) => b.op(Op::Select(flag, sum, v)),
                    None => sum,
                };
            }
            result
        });
    }
}

/// Six sums in an inner loop, of terms that depend on six numbers of a row: of the values that do not fit into 13
/// registers the first sum is spilled first, and it begins with a constant, which is in memory as well but elsewhere.
#[test]
fn variables_are_spilled() {
    for elem in ELEMS {
        let bytes = elem.bytes() as i64;
        let mut b = Builder::new();
        let [n, a, y, out, m] = [0, 6, 2, 3, 4].map(|slot| b.env_int(slot));
        let zero = b.number(elem, 0.0);
        let size = b.int(bytes);
        let stride = b.op(Op::IntBinary(Bits::Mul, m, size));
        let (i, locals) = b.begin(n, &[stride]);
        let sums = [(); 6].map(|()| b.variable(Type::Float(elem), Some(zero)));
        let row = b.op(Op::IntBinary(Bits::Add, a, locals[0]));
        let own = [0, 1, 2, 3, 4, 5].map(|k| {
            let access = Access::Strided(stride);
            b.op(Op::Load(elem, MemOperand { base: row, index: None, disp: k * bytes as i32, access }))
        });
        let (j, _) = b.begin(m, &[]);
        let index = Some((j, elem.bytes() as u8));
        let apart = own.map(|own| {
            let other = b.op(Op::Load(elem, MemOperand { base: y, index, disp: 0, access: Access::Same }));
            b.binary(Binary::Sub, other, own)
        });
        let [x, dx, y, dy, z, dz] = apart;
        let mut norm = b.number(elem, 0.25);
        let mut change = b.binary(Binary::Mul, x, dx);
        for (v, dv) in [(x, dx), (y, dy), (z, dz)] {
            norm = b.op(Op::Fma(v, v, norm));
            let term = b.binary(Binary::Mul, v, dv);
            let twice = b.binary(Binary::Add, term, term);
            change = b.binary(Binary::Add, change, twice);
        }
        for (k, (v, dv)) in [(x, dx), (y, dy), (z, dz)].into_iter().enumerate() {
            let product = b.binary(Binary::Mul, change, v);
            let term = b.op(Op::Fma(dv, norm, product));
            let next = b.op(Op::Fma(norm, v, sums[2 * k]));
            b.set(sums[2 * k], next);
            let next = b.binary(Binary::Add, sums[2 * k + 1], term);
            b.set(sums[2 * k + 1], next);
        }
        b.end().unwrap();
        let mut result = own[0];
        for &sum in &sums {
            result = b.binary(Binary::Add, result, sum);
        }
        let place = b.row(out, i, elem);
        b.store(place, result);
        b.end().unwrap();
        let program = b.finish().unwrap();
        check(&format!("variables {elem:?}"), &program, |n, seed| Case::matrix(elem, n, 6, seed));
    }
}

#[test]
fn random_programs() {
    let seeds = std::env::var("ARR_RANDOM").ok().and_then(|s| s.parse().ok()).unwrap_or(40);
    for seed in 0..seeds {
        let elem = ELEMS[seed as usize % 2];
        let program = random::program(elem, seed);
        check(&format!("random {seed}"), &program, |n, s| Case::matrix(elem, n, 1 + seed as usize % 4, s));
    }
}
