//! Kernels of matrix products, run on a device and compared with plain sums.

use crate::support;
use crate::support::steps::{Machine, options};
use arr_base::{Id, IndexVec};
use arr_ir::{Const, Scalar};
use arr_loops::{Expr, LocalId, LocalInfo, LoopFunc, MatMul, Operand, ProductAxis, Role, SpanId, Stmt, Ty};
use arr_wgsl::builder::Builder;
use arr_wgsl::library::matmul;
use arr_wgsl::program::Integers;

/// An axis: its role, its extent, and its strides in the result and the operands.
type AxisOf = (Role, i64, i64, i64, i64);

struct Case {
    axes: Vec<AxisOf>,
    elem: Scalar,
    accumulate: bool,
    zero_wins: bool,
    integers: Integers,
    /// Whether extents are constants of the program.
    fixed: bool,
}

impl Case {
    fn new(axes: Vec<AxisOf>) -> Case {
        Case { axes, elem: Scalar::F32, accumulate: false, zero_wins: false, integers: Integers::Narrow, fixed: false }
    }

    /// `rows x inner` by `inner x columns`, in rows.
    fn plain(rows: i64, columns: i64, inner: i64) -> Case {
        Case::new(vec![
            (Role::Row, rows, columns, inner, 0),
            (Role::Column, columns, 1, 0, 1),
            (Role::Inner, inner, 0, 1, columns),
        ])
    }
}

fn number(elem: Scalar, k: i64) -> Const {
    let x = ((k * 7919 + 13) % 1009) as f64 / 504.0 - 1.0;
    if elem == Scalar::F32 { Const::F32(x as f32) } else { Const::F64(x) }
}

/// The number of elements that an array needs.
fn extent(axes: &[AxisOf], stride: impl Fn(&AxisOf) -> i64) -> i64 {
    1 + axes.iter().map(|a| (a.1 - 1).max(0) * stride(a)).sum::<i64>()
}

/// The sum of products and the sum of their magnitudes, at each place of the result.
fn expected(case: &Case, left: &[f64], right: &[f64], into: &[f64]) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = into.iter().map(|&x| (x, x.abs())).collect();
    let total: i64 = case.axes.iter().map(|a| a.1.max(0)).product();
    let outer: i64 = case.axes.iter().filter(|a| a.0 != Role::Inner).map(|a| a.1.max(0)).product();
    let mut started = vec![case.accumulate; into.len()];
    let clear = |place: usize, out: &mut Vec<(f64, f64)>, started: &mut Vec<bool>| {
        if !started[place] {
            started[place] = true;
            out[place] = (0.0, 0.0);
        }
    };
    if total == 0 && outer > 0 {
        // Every place of the result, with nothing added.
        let axes: Vec<_> = case.axes.iter().filter(|a| a.0 != Role::Inner).collect();
        for point in 0..outer {
            let (mut rest, mut place) = (point, 0);
            for a in axes.iter().rev() {
                place += rest % a.1 * a.2;
                rest /= a.1;
            }
            clear(place as usize, &mut out, &mut started);
        }
    }
    for point in 0..total {
        let (mut rest, mut at) = (point, [0i64; 3]);
        for a in case.axes.iter().rev() {
            let k = rest % a.1;
            rest /= a.1;
            at = [at[0] + k * a.2, at[1] + k * a.3, at[2] + k * a.4];
        }
        let place = at[0] as usize;
        clear(place, &mut out, &mut started);
        let (l, r) = (left[at[1] as usize], right[at[2] as usize]);
        let term = if case.zero_wins && (l == 0.0 || r == 0.0) { 0.0 } else { l * r };
        out[place].0 += term;
        out[place].1 += term.abs();
    }
    out
}

fn float(c: Const) -> f64 {
    c.as_f64().unwrap()
}

/// Runs a case; `left` and `right` may be given.
fn check(case: &Case, special: impl Fn(i64) -> Option<f64>) {
    let elem = case.elem;
    let mut locals = IndexVec::new();
    let mut local = |name: &str, ty| locals.push(LocalInfo { name: name.to_string(), ty, mutable: false });
    let arrays: Vec<(LocalId, LocalId)> = ["into", "left", "right"]
        .map(|n| (local(n, Ty::Buffer(elem)), local(&format!("{n}.data"), Ty::Address(elem))))
        .to_vec();
    let sizes: Vec<LocalId> = (0..case.axes.len()).map(|k| local(&format!("n{k}"), Ty::Scalar(Scalar::I64))).collect();
    let body = arrays.iter().map(|&(buffer, data)| Stmt::Let { local: data, expr: Expr::BaseAddr(buffer) }).collect();
    let func = LoopFunc {
        name: "product".into(),
        sizes: sizes.clone(),
        params: Vec::new(),
        body,
        outputs: Vec::new(),
        locals,
        literals: IndexVec::new(),
        spans: [None].into_iter().collect(),
        traces: Default::default(),
        sections: Default::default(),
        broken: Vec::new(),
    };
    let axes = case.axes.iter().zip(&sizes).map(|(a, &size)| ProductAxis {
        role: a.0,
        extent: if case.fixed { Operand::int(a.1) } else { size.into() },
        into: Operand::int(a.2),
        left: Operand::int(a.3),
        right: Operand::int(a.4),
    });
    let statement = MatMul {
        into: arrays[0].1,
        left: arrays[1].1,
        right: arrays[2].1,
        axes: axes.collect(),
        accumulate: case.accumulate,
        zero_wins: case.zero_wins,
        span: SpanId::from_index(0),
    };
    let mut builder = Builder::new(func, options(case.integers), &|_| None);
    let steps = matmul(&mut builder, &statement, SpanId::from_index(0)).expect("compiles");
    let wgsl = builder.finish();
    arr_wgsl::validate(&wgsl, builder.needs(&wgsl)).unwrap_or_else(|e| panic!("{e}\n{wgsl}"));
    let Some(gpu) = support::gpu() else { return };
    let mut machine = Machine::new(gpu, &builder);
    for (&local, a) in sizes.iter().zip(&case.axes) {
        machine.int(local, a.1);
    }
    // Every array begins at an offset of some elements.
    let lengths = [extent(&case.axes, |a| a.2), extent(&case.axes, |a| a.3), extent(&case.axes, |a| a.4)];
    let mut values: Vec<Vec<Const>> = Vec::new();
    for (k, &(buffer, data)) in arrays.iter().enumerate() {
        let offset = 3 + k as i64;
        let value = |i: i64| match special(i + 1000 * k as i64) {
            Some(x) if k > 0 && elem == Scalar::F32 => Const::F32(x as f32),
            _ => number(elem, i + 1000 * k as i64),
        };
        let all: Vec<Const> = (0..offset + lengths[k]).map(value).collect();
        machine.array(buffer, data, offset, &all);
        values.push(all.into_iter().skip(offset as usize).collect());
    }
    machine.run(&steps);
    let floats: Vec<Vec<f64>> = values.iter().map(|v| v.iter().map(|&c| float(c)).collect()).collect();
    let want = expected(case, &floats[1], &floats[2], &floats[0]);
    let bytes = machine.read(arrays[0].0);
    let eps = if elem == Scalar::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let depth: i64 = case.axes.iter().filter(|a| a.0 == Role::Inner).map(|a| a.1.max(1)).product();
    for (k, &(sum, size)) in want.iter().enumerate() {
        let got = if elem == Scalar::F32 {
            f64::from(f32::from_le_bytes(bytes[4 * (k + 3)..][..4].try_into().unwrap()))
        } else {
            f64::from_le_bytes(bytes[8 * (k + 3)..][..8].try_into().unwrap())
        };
        let allowed = eps * size * (depth as f64).sqrt().max(4.0);
        let good = (got - sum).abs() <= allowed || got == sum || got.is_nan() && sum.is_nan();
        assert!(good, "{:?}: {got} at {k}, not {sum} with {allowed}\n{wgsl}", case.axes);
    }
}

#[test]
fn products_of_all_sizes() {
    let sizes =
        [(1, 1, 1), (5, 7, 3), (16, 16, 16), (17, 33, 67), (64, 64, 64), (65, 130, 31), (100, 1, 300), (1, 90, 300)];
    let empty =
        [(0, 5, 5), (5, 0, 5), (5, 5, 0), (40, 40, 0), (3, 3, 1000), (300, 2, 20), (129, 257, 5), (20, 20, 2500)];
    for (rows, columns, inner) in sizes.into_iter().chain(empty) {
        check(&Case::plain(rows, columns, inner), |_| None);
        check(&Case { fixed: true, ..Case::plain(rows, columns, inner) }, |_| None);
    }
}

#[test]
fn more_groups_than_a_dimension_holds() {
    check(&Case { fixed: true, ..Case::plain(70_001, 1, 129) }, |_| None);
}

#[test]
fn axes_of_every_kind_in_every_order() {
    let (r, c, k, n) = (21, 18, 37, 3);
    // The operands transposed.
    let turned = vec![(Role::Row, r, c, 1, 0), (Role::Column, c, 1, 0, k), (Role::Inner, k, 0, r, 1)];
    check(&Case::new(turned.clone()), |_| None);
    check(&Case { integers: Integers::Native, ..Case::new(turned.clone()) }, |_| None);
    check(&Case { elem: Scalar::F64, integers: Integers::Native, ..Case::new(turned) }, |_| None);
    let batched = vec![
        (Role::Batch, n, r * c, r * k, k * c),
        (Role::Batch, 2, n * r * c, n * r * k, n * k * c),
        (Role::Row, r, c, k, 0),
        (Role::Column, c, 1, 0, 1),
        (Role::Inner, k, 0, 1, c),
    ];
    check(&Case::new(batched), |_| None);
    // Two axes of each kind.
    let pairs = vec![
        (Role::Row, 4, 5 * 3 * 7, 5 * 2 * 6, 0),
        (Role::Row, 5, 3 * 7, 2 * 6, 0),
        (Role::Column, 3, 7, 0, 7),
        (Role::Column, 7, 1, 0, 1),
        (Role::Inner, 2, 0, 6, 6 * 21),
        (Role::Inner, 6, 0, 1, 21),
    ];
    check(&Case::new(pairs.clone()), |_| None);
    check(&Case { accumulate: true, fixed: true, ..Case::new(pairs) }, |_| None);
    check(&Case { accumulate: true, ..Case::plain(33, 40, 3000) }, |_| None);
    check(&Case { accumulate: true, elem: Scalar::F64, ..Case::plain(2, 3, 3000) }, |_| None);
}

#[test]
fn a_zero_wins_over_an_infinity() {
    let special = |k: i64| match k % 61 {
        0 => Some(f64::INFINITY),
        _ if k % 3 != 0 => Some(0.0),
        _ => None,
    };
    for (rows, columns, inner) in [(33, 20, 40), (3, 4, 500), (2, 2, 20), (20, 20, 1500)] {
        check(&Case { zero_wins: true, ..Case::plain(rows, columns, inner) }, special);
        check(&Case::plain(rows, columns, inner), special);
    }
}
