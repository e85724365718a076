//! Kernels of sorting, run on a device and compared with a stable sort.

use crate::support;
use crate::support::steps::{Machine, options};
use arr_base::{Id, IndexVec};
use arr_ir::{Const, Scalar};
use arr_loops::{LocalInfo, LoopFunc, Operand, SpanId, Ty};
use arr_wgsl::builder::Builder;
use arr_wgsl::library::argsort;
use arr_wgsl::program::Integers;
use std::cmp::Ordering;

fn key(elem: Scalar, k: i64) -> Const {
    let r = (k * 7919 + 13).wrapping_mul(2_654_435_761) >> 7;
    match elem {
        Scalar::Bool => Const::Bool(r % 3 == 0),
        Scalar::I32 => Const::I32((r % 1000) as i32 - 500),
        Scalar::U32 => Const::U32((r as u32).wrapping_mul(31)),
        Scalar::I64 => Const::I64(r % 2000 - 1000),
        Scalar::F32 => Const::F32(special(r).unwrap_or((r % 997) as f64 / 31.0 - 16.0) as f32),
        Scalar::F64 => Const::F64(special(r).unwrap_or((r % 100_003) as f64 / 31.0 - 1600.0)),
    }
}

fn special(r: i64) -> Option<f64> {
    match r % 29 {
        0 => Some(f64::NAN),
        1 => Some(-0.0),
        2 => Some(0.0),
        3 => Some(f64::INFINITY),
        4 => Some(f64::NEG_INFINITY),
        5 => Some(-f64::NAN),
        _ => None,
    }
}

fn order(a: Const, b: Const) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(x), Some(y)) => x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan())),
        _ => a.as_i64().or(a.as_bool().map(i64::from)).cmp(&b.as_i64().or(b.as_bool().map(i64::from))),
    }
}

fn check(elem: Scalar, integers: Integers, rows: i64, length: i64, fixed: bool) {
    let mut locals = IndexVec::new();
    let mut local = |name: &str, ty| locals.push(LocalInfo { name: name.to_string(), ty, mutable: false });
    let keys = local("keys", Ty::Buffer(elem));
    let into = local("into", Ty::Buffer(Scalar::I64));
    let sizes = vec![local("n", Ty::Scalar(Scalar::I64)), local("m", Ty::Scalar(Scalar::I64))];
    let func = LoopFunc {
        name: "sort".into(),
        sizes: sizes.clone(),
        params: Vec::new(),
        body: Vec::new(),
        outputs: Vec::new(),
        locals,
        literals: IndexVec::new(),
        spans: [None].into_iter().collect(),
        traces: Default::default(),
        sections: Default::default(),
        broken: Vec::new(),
    };
    let mut builder = Builder::new(func, options(integers), &|_| None);
    let dims: [Operand; 2] =
        if fixed { [Operand::int(rows), Operand::int(length)] } else { [sizes[0].into(), sizes[1].into()] };
    let steps = argsort(&mut builder, into, keys, dims[1], &dims, SpanId::from_index(0)).expect("compiles");
    let wgsl = builder.finish();
    arr_wgsl::validate(&wgsl, builder.needs(&wgsl)).unwrap_or_else(|e| panic!("{e}\n{wgsl}"));
    let Some(gpu) = support::gpu() else { return };
    let mut machine = Machine::new(gpu, &builder);
    machine.int(sizes[0], rows);
    machine.int(sizes[1], length);
    let values: Vec<Const> = (0..rows * length).map(|k| key(elem, k)).collect();
    machine.array(keys, keys, 0, &values);
    machine.array(into, into, 0, &vec![Const::I64(-1); values.len()]);
    machine.run(&steps);
    let bytes = machine.read(into);
    for row in 0..rows as usize {
        let keys = &values[row * length as usize..][..length as usize];
        let mut want: Vec<usize> = (0..keys.len()).collect();
        want.sort_by(|&i, &j| order(keys[i], keys[j]));
        for (k, &position) in want.iter().enumerate() {
            let at = row * length as usize + k;
            let got = match integers {
                Integers::Native => i64::from_le_bytes(bytes[8 * at..][..8].try_into().unwrap()),
                Integers::Narrow => i64::from(i32::from_le_bytes(bytes[4 * at..][..4].try_into().unwrap())),
            };
            assert_eq!(got, position as i64, "{elem:?}, {rows} rows of {length}, row {row} at {k}\n{wgsl}");
        }
    }
}

#[test]
fn keys_of_every_type() {
    for elem in Scalar::ALL {
        for integers in [Integers::Narrow, Integers::Native] {
            check(elem, integers, 3, 37, false);
            check(elem, integers, 2, 3001, false);
        }
    }
}

#[test]
fn rows_of_every_length() {
    for (rows, length) in [(0, 5), (5, 0), (1, 1), (7, 2), (1, 256), (1, 257), (2, 2048), (3, 2049), (1, 50_021)] {
        check(Scalar::F32, Integers::Narrow, rows, length, false);
        check(Scalar::F32, Integers::Native, rows, length, true);
    }
}
