//! Memory: updates in place, nothing leaked, limits.

use arr_cpu::{CompileOptions, Compiled, Limits, compile_with};
use arr_ir::{
    Atom, Axis, Block, Builder, Check, Data, Func, Prim, Reduction, RunErrorKind, Scalar, ScatterKind, Type, TypeId,
    Value, VarId,
};

fn compiled(func: &Func) -> Compiled {
    let loops = arr_loops::lower(func).unwrap();
    compile_with(&loops, CompileOptions { count_steps: true, verify: true, ..CompileOptions::default() }).unwrap()
}

fn vector(func: &mut Func, n: VarId, elem: Scalar) -> TypeId {
    let dim = func.types.size_var(n);
    func.types.ty(Type { elem, dims: vec![dim] })
}

/// `func f[n](x: [n]f64, ...)`, and the type `[n]f64`.
fn start(name: &str) -> (Builder, VarId, VarId, TypeId) {
    let mut func = Func::new(name);
    let n = func.scalar_var("n", Scalar::I64);
    func.sizes.push(n);
    let ty = vector(&mut func, n, Scalar::F64);
    let x = func.var("x", ty);
    func.params.push(x);
    (Builder::new(func), n, x, ty)
}

/// One element of `dest` replaced.
fn update(b: &mut Builder, dest: VarId, index: Atom, value: Atom) -> VarId {
    let body = Block { results: vec![Atom::bool(true), index, value], ..Block::default() };
    b.scatter(ScatterKind::Set, dest, Vec::new(), body, true)
}

/// `loop y = x for i < steps { y with [i % n] = y[i % n] + 1.0 }`
fn increments() -> Func {
    let (mut b, n, x, ty) = start("increments");
    let steps = b.func.scalar_var("steps", Scalar::I64);
    b.func.params.push(steps);
    let extent = b.func.types.size_var(steps);
    let (i, axis) = b.axis("i", extent);
    let y = b.func.var("y", ty);
    b.open_with(vec![y]);
    let k = b.prim(Prim::Rem, vec![i, n.into()]).unwrap();
    let old = b.read(y, vec![k]);
    let new = b.prim(Prim::Add, vec![old, arr_ir::Const::F64(1.0).into()]).unwrap();
    let next = update(&mut b, y, k, new);
    let body = b.close(vec![next.into()]);
    let result = b.loop_(axis, false, vec![x.into()], body);
    b.finish(vec![result[0].into()])
}

#[test]
fn a_loop_of_updates_is_in_place() {
    let compiled = compiled(&increments());
    let (n, steps) = (100_000usize, 1_000_000i64);
    let x = Value::f64s(&[n as i64], &vec![0.0; n]);
    let args = [x.clone(), Value::Scalar(arr_ir::Const::I64(steps))];
    let start = std::time::Instant::now();
    let outcome = compiled.run(&[n as i64], &args, &Limits::default()).unwrap();
    let elapsed = start.elapsed();
    assert_eq!(outcome.results[0].to_f64s(), vec![10.0; n]);
    assert_eq!(x.to_f64s(), vec![0.0; n], "the argument is not changed");
    // The argument is copied once, in the first step.
    assert_eq!((outcome.stats.allocations, outcome.stats.leaked), (1, 0));
    assert!(elapsed.as_millis() < 500, "{elapsed:?}");
}

#[test]
fn a_loop_that_never_runs_returns_its_argument() {
    let compiled = compiled(&increments());
    let x = Value::f64s(&[2], &[1.0, 2.0]);
    let outcome = compiled.run(&[2], &[x.clone(), Value::Scalar(arr_ir::Const::I64(0))], &Limits::default()).unwrap();
    assert_eq!(outcome.results, vec![x.clone()]);
    assert_eq!(outcome.stats.allocations, 0);
    let (Value::Array(a), Value::Array(b)) = (&x, &outcome.results[0]) else { panic!("arrays") };
    assert!(std::sync::Arc::ptr_eq(a, b));
}

#[test]
fn steps_are_limited() {
    let compiled = compiled(&increments());
    let args = [Value::f64s(&[3], &[0.0; 3]), Value::Scalar(arr_ir::Const::I64(10))];
    let limits = |steps| Limits { max_steps: Some(steps), ..Limits::default() };
    assert!(compiled.run(&[3], &args, &limits(10)).is_ok());
    let (result, stats) = compiled.run_with_stats(&[3], &args, &limits(9));
    assert_eq!(result.unwrap_err().kind, RunErrorKind::TooManySteps { limit: 9 });
    assert_eq!(stats.allocations, 1);
}

/// `if c { x with [0] = 1 } else { x }` of an array that dies there, and the old value's sum.
#[test]
fn a_branch_updates_in_place() {
    let (mut b, n, x, _) = start("branch");
    let c = b.func.scalar_var("c", Scalar::Bool);
    b.func.params.push(c);
    let extent = b.func.types.size_var(n);
    let y = {
        let (i, axis) = b.axis("i", extent);
        b.open();
        let v = b.read(x, vec![i]);
        let body = b.close(vec![v]);
        b.build(vec![axis], body, "y")[0]
    };
    b.open();
    let z = update(&mut b, y, Atom::int(0), arr_ir::Const::F64(1.0).into());
    let then_block = b.close(vec![z.into()]);
    let else_block = Block { results: vec![y.into()], ..Block::default() };
    let r = b.if_(c.into(), then_block, else_block, "r")[0];
    let func = b.finish(vec![r.into()]);
    let compiled = compiled(&func);
    for (c, first) in [(true, 1.0), (false, 5.0)] {
        let args = [Value::f64s(&[2], &[5.0, 6.0]), Value::Scalar(arr_ir::Const::Bool(c))];
        let outcome = compiled.run(&[2], &args, &Limits::default()).unwrap();
        assert_eq!(outcome.results[0].to_f64s(), vec![first, 6.0]);
        assert_eq!(
            (outcome.stats.allocations, outcome.stats.leaked),
            (1, 0),
            "{}",
            arr_loops::print(&arr_loops::lower(&func).unwrap())
        );
    }
    let error =
        compiled.run(&[0], &[Value::f64s(&[0], &[]), Value::Scalar(arr_ir::Const::Bool(true))], &Limits::default());
    assert_eq!(error.unwrap_err().kind, RunErrorKind::Index { index: 0, extent: 0 });
}

/// A shared destination is copied, and the other holder sees the old elements.
#[test]
fn a_shared_array_is_copied() {
    let (mut b, _, x, ty) = start("shared");
    let _ = ty;
    let y = update(&mut b, x, Atom::int(0), arr_ir::Const::F64(1.0).into());
    let z = update(&mut b, y, Atom::int(1), arr_ir::Const::F64(2.0).into());
    let w = update(&mut b, y, Atom::int(1), arr_ir::Const::F64(3.0).into());
    let func = b.finish(vec![x.into(), y.into(), z.into(), w.into(), w.into()]);
    let outcome = compiled(&func).run(&[2], &[Value::f64s(&[2], &[8.0, 9.0])], &Limits::default()).unwrap();
    let all: Vec<Vec<f64>> = outcome.results.iter().map(Value::to_f64s).collect();
    assert_eq!(all, [vec![8.0, 9.0], vec![1.0, 9.0], vec![1.0, 2.0], vec![1.0, 3.0], vec![1.0, 3.0]]);
    assert_eq!(outcome.stats.leaked, 0);
}

/// Several arrays are alive when an index is out of range.
#[test]
fn errors_free_everything() {
    let (mut b, n, x, _) = start("errors");
    let extent = b.func.types.size_var(n);
    let mut arrays = Vec::new();
    for _ in 0..5 {
        let (i, axis) = b.axis("i", extent);
        b.open();
        let next = b.prim(Prim::Add, vec![i, Atom::int(1)]).unwrap();
        let k = if arrays.len() == 4 { next } else { i };
        let v = b.read(x, vec![k]);
        let body = b.close(vec![v]);
        arrays.push(Atom::Var(b.build(vec![axis], body, "y")[0]));
    }
    let func = b.finish(arrays);
    let (result, stats) = compiled(&func).run_with_stats(&[3], &[Value::f64s(&[3], &[0.0; 3])], &Limits::default());
    assert_eq!(result.unwrap_err().kind, RunErrorKind::Index { index: 3, extent: 3 });
    assert_eq!(stats.allocations, 5);
}

#[test]
fn memory_is_limited() {
    let (mut b, n, _, _) = start("large");
    let n1 = b.func.types.size_var(n);
    let poly = b.func.types.poly(n1).clone();
    let square = b.func.types.size(poly.mul(&poly));
    let fill = b.fill(&[square, square, square], arr_ir::Const::F64(0.0).into(), "fill");
    let less = b.func.types.size(poly.sub(&arr_ir::Poly::constant(5)));
    let small = b.fill(&[less], arr_ir::Const::F64(0.0).into(), "small");
    let func = b.finish(vec![fill.into(), small.into()]);
    let compiled = compiled(&func);
    let run = |n: usize, max_bytes: u64| {
        compiled.run(
            &[n as i64],
            &[Value::f64s(&[n as i64], &vec![0.0; n])],
            &Limits { max_bytes: Some(max_bytes), ..Limits::default() },
        )
    };
    assert_eq!(run(10, 1000).unwrap_err().kind, RunErrorKind::OutOfMemory { bytes: 8_000_000, limit: 1000 });
    assert!(matches!(run(10_000, u64::MAX).unwrap_err().kind, RunErrorKind::OutOfMemory { .. }));
    assert_eq!(run(2, u64::MAX).unwrap().results.iter().map(|v| v.dims().len()).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(run(2, u64::MAX).unwrap().results.last().unwrap().dims(), [0]);
    let stats = run(6, 1 << 20).unwrap().stats;
    assert_eq!((stats.allocated_bytes, stats.peak_bytes, stats.leaked), (8 * (46656 + 1), 8 * (46656 + 1), 0));
}

/// A loop that makes a new array every step keeps two alive.
#[test]
fn a_loop_frees_what_it_replaces() {
    let (mut b, n, x, ty) = start("steps");
    let extent = b.func.types.size_var(n);
    let steps = b.func.types.size_const(1000);
    let (_, axis) = b.axis("t", steps);
    let y = b.func.var("y", ty);
    b.open_with(vec![y]);
    let next = {
        let (i, axis) = b.axis("i", extent);
        b.open();
        let v = b.read_unchecked(y, vec![i]);
        let w = b.prim(Prim::Add, vec![v, arr_ir::Const::F64(1.0).into()]).unwrap();
        let body = b.close(vec![w]);
        b.build(vec![axis], body, "next")[0]
    };
    let body = b.close(vec![next.into()]);
    let result = b.loop_(axis, false, vec![x.into()], body);
    let func = b.finish(vec![result[0].into()]);
    let n = 10_000;
    let outcome =
        compiled(&func).run(&[n as i64], &[Value::f64s(&[n as i64], &vec![0.5; n])], &Limits::default()).unwrap();
    assert_eq!(outcome.results[0].to_f64s(), vec![1000.5; n]);
    assert_eq!((outcome.stats.peak_bytes, outcome.stats.leaked), (2 * 8 * n as u64, 0));
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let compiled = compiled(&increments());
    let steps = Value::Scalar(arr_ir::Const::I64(1));
    let x = Value::f64s(&[2], &[0.0, 0.0]);
    let liar = Value::array(vec![2], Data::F64(vec![0.0]));
    for (sizes, args) in [
        (vec![3], vec![x.clone(), steps.clone()]),
        (vec![2], vec![x.clone()]),
        (vec![], vec![x.clone(), steps.clone()]),
        (vec![2], vec![steps.clone(), x.clone()]),
        (vec![2], vec![liar, steps.clone()]),
        (vec![2], vec![Value::array(vec![2], Data::I64(vec![0, 0])), steps.clone()]),
    ] {
        assert!(matches!(compiled.run(&sizes, &args, &Limits::default()).unwrap_err().kind, RunErrorKind::Internal(_)));
    }
    assert!(compiled.run(&[2], &[x, steps], &Limits::default()).is_ok());
}

#[test]
fn all_checks_fail_with_their_values() {
    for (kind, args, expected) in [
        (Check::Index, vec![5, 5], RunErrorKind::Index { index: 5, extent: 5 }),
        (Check::Index, vec![-1, 5], RunErrorKind::Index { index: -1, extent: 5 }),
        (Check::Slice, vec![3, 2, 5], RunErrorKind::Slice { lo: 3, hi: 2, extent: 5 }),
        (Check::Slice, vec![-1, 2, 5], RunErrorKind::Slice { lo: -1, hi: 2, extent: 5 }),
        (Check::Slice, vec![1, 6, 5], RunErrorKind::Slice { lo: 1, hi: 6, extent: 5 }),
        (Check::SizeEq, vec![1, 2], RunErrorKind::SizeAssertion { found: 1, expected: 2 }),
        (Check::SizeNonNeg, vec![-4], RunErrorKind::NegativeSize { size: -4 }),
        (Check::NonEmpty, vec![0], RunErrorKind::EmptyReduction),
        (Check::Step, vec![-1], RunErrorKind::Step { step: -1 }),
    ] {
        let mut func = Func::new("check");
        let params: Vec<VarId> = args.iter().map(|_| func.scalar_var("a", Scalar::I64)).collect();
        func.params = params.clone();
        let mut b = Builder::new(func);
        b.check(kind, params.into_iter().map(Atom::Var).collect());
        let func = b.finish(Vec::new());
        let values: Vec<Value> = args.into_iter().map(|a| Value::Scalar(arr_ir::Const::I64(a))).collect();
        assert_eq!(compiled(&func).run(&[], &values, &Limits::default()).unwrap_err().kind, expected);
    }
}

#[test]
fn a_long_function_compiles() {
    let (mut b, n, x, _) = start("long");
    let extent = b.func.types.size_var(n);
    let mut v = Atom::Const(arr_ir::Const::F64(0.0));
    for k in 0..3000 {
        let w = b.prim(Prim::Add, vec![v, arr_ir::Const::F64(f64::from(k)).into()]).unwrap();
        v = w;
        if k % 100 == 0 {
            let (i, axis) = b.axis("i", extent);
            b.open();
            let e = b.read(x, vec![i]);
            let m = b.prim(Prim::Mul, vec![e, v]).unwrap();
            let body = b.close(vec![m]);
            v = b.reduce(Reduction::Sum, vec![Axis { index: axis.index, extent }], body, "s")[0].into();
        }
    }
    let func = b.finish(vec![v]);
    let outcome = compiled(&func).run(&[1], &[Value::f64s(&[1], &[1.0])], &Limits::default()).unwrap();
    assert_eq!(outcome.results[0].to_f64s(), vec![(0..3000).sum::<i32>().into()]);
}

/// Branches inside branches, as deep as blocks may nest, on a thread with a large stack as the driver makes it.
#[test]
fn a_deep_function_compiles() {
    let thread = std::thread::Builder::new().stack_size(1 << 28).spawn(deep_function).unwrap();
    thread.join().unwrap();
}

fn deep_function() {
    let mut func = Func::new("deep");
    let c = func.scalar_var("c", Scalar::F64);
    func.params.push(c);
    let mut b = Builder::new(func);
    const DEPTH: i32 = 1000;
    for k in 0..DEPTH {
        b.open();
        let _ = b.prim(Prim::Exp, vec![arr_ir::Const::F64(f64::from(k)).into()]);
    }
    let mut value: Atom = b.prim(Prim::Exp, vec![c.into()]).unwrap();
    for k in 0..DEPTH {
        let then_block = b.close(vec![value]);
        let cond = b.prim(Prim::Gt, vec![c.into(), arr_ir::Const::F64(f64::from(-k)).into()]).unwrap();
        let else_block = Block { results: vec![c.into()], ..Block::default() };
        value = b.if_(cond, then_block, else_block, "r")[0].into();
    }
    let func = b.finish(vec![value]);
    let outcome = compiled(&func).run(&[], &[Value::Scalar(arr_ir::Const::F64(1.0))], &Limits::default()).unwrap();
    assert_eq!(outcome.results[0].to_f64s(), vec![1f64.exp()]);
}

/// A `while` that sorts and updates: replaced arrays are freed, the update is in place, and a step or a byte too many
/// stops it with everything freed.
#[test]
fn a_while_frees_what_it_replaces() {
    let text = "func f[n](x: [n]f64, k: i64) -> [n]f64 {
  y: [n]f64, c: i64 = while (a: [n]f64 = x, b: i64 = 0) {
    p: [n]i64 = argsort a
    q: i64 = read! p[0]
    few: bool = lt b, k
    here: bool = ge q, 0
    go: bool = and few, here
    yield go
  } do (d: [n]f64, e: i64) {
    h: f64 = f64 e
    g: [n]f64 = scatter! set d { yield true, 0, h }
    m: i64 = add e, 1
    yield g, m
  }
  return y
}";
    let compiled = compiled(&arr_ir::parse_func(text).unwrap());
    let n = 1000;
    let run = |k: i64, limits: &Limits| {
        let args = [Value::f64s(&[n], &vec![0.5; n as usize]), Value::Scalar(arr_ir::Const::I64(k))];
        compiled.run_with_stats(&[n], &args, limits)
    };
    let (outcome, stats) = run(50, &Limits::default());
    assert_eq!(outcome.unwrap().results[0].to_f64s()[0], 49.0);
    // The argument is copied once; 51 conditions sort.
    assert_eq!((stats.allocations, stats.leaked, stats.peak_bytes), (52, 0, 16_000));
    let (outcome, _) = run(50, &Limits { max_steps: Some(49), ..Limits::default() });
    assert_eq!(outcome.unwrap_err().kind, RunErrorKind::TooManySteps { limit: 49 });
    let (outcome, _) = run(50, &Limits { max_bytes: Some(15_999), ..Limits::default() });
    assert_eq!(outcome.unwrap_err().kind, RunErrorKind::OutOfMemory { bytes: 8_000, limit: 15_999 });
}

/// Two arrays made on the way to a third.
const BETWEEN: &str = "func f[n](x: [n]f64) -> [n]f64 {
  y: [n]f64 = build i<n {
    a: f64 = read! x[i]
    b: f64 = add a, 1.0
    yield b
  }
  last: i64 = sub n, 1
  z: [n]f64 = build j<n {
    l: i64 = sub last, j
    c: f64 = read! y[l]
    d: f64 = mul c, c
    yield d
  }
  w: [n]f64 = build k<n {
    m: i64 = sub last, k
    e: f64 = read! z[m]
    f: f64 = sub e, 1.0
    yield f
  }
  return w
}";

/// A run that follows another allocates memory only for its results, and none at all if it gets those back.
#[test]
fn a_second_run_uses_the_memory_of_the_first() {
    let compiled = compiled(&arr_ir::parse_func(BETWEEN).unwrap());
    for n in [10, 100_000] {
        let bytes = 8 * n as u64;
        let args = [Value::f64s(&[n], &vec![2.0; n as usize])];
        let run = || compiled.run(&[n], &args, &Limits::default()).unwrap();
        let first = run();
        assert_eq!(first.results[0].to_f64s(), vec![8.0; n as usize]);
        // The third array uses the memory of the first.
        let expected = |outcome: &arr_cpu::Outcome, fresh: u64| {
            let stats = outcome.stats;
            assert_eq!((stats.allocations, stats.allocated_bytes, stats.leaked), (3, 3 * bytes, 0));
            assert_eq!((stats.peak_bytes, stats.fresh_bytes), (2 * bytes, fresh));
        };
        expected(&first, 2 * bytes);
        assert_eq!(compiled.kept_bytes() as u64, bytes);
        let second = run();
        expected(&second, bytes);
        compiled.recycle(second.results);
        expected(&run(), 0);
        let shared = first.results[0].clone();
        compiled.recycle(first.results);
        expected(&run(), bytes);
        assert_eq!(shared.to_f64s(), vec![8.0; n as usize], "what is still used is not taken back");
        // Empty the pool for the next size.
        let limits = Limits { max_bytes: Some(0), ..Limits::default() };
        assert!(compiled.run(&[n], &args, &limits).is_err());
        assert_eq!(compiled.kept_bytes(), 0);
    }
}

/// Code that replaces other code takes over its memory.
#[test]
fn memory_is_handed_on() {
    let (n, args) = (100_000, [Value::f64s(&[100_000], &vec![2.0; 100_000])]);
    let fresh = |compiled: &Compiled| {
        let outcome = compiled.run(&[n], &args, &Limits::default()).unwrap();
        compiled.recycle(outcome.results);
        outcome.stats.fresh_bytes
    };
    let make = || compiled(&arr_ir::parse_func(BETWEEN).unwrap());
    let (before, after) = (make(), make());
    assert_eq!((fresh(&before), fresh(&before)), (1_600_000, 0));
    after.inherit(&before);
    after.inherit(&after);
    assert_eq!((fresh(&after), fresh(&before)), (0, 1_600_000));
}

/// Memory left by earlier runs counts neither as used nor against the limit, and is released when it is needed
/// otherwise.
#[test]
fn kept_memory_respects_the_limit() {
    let compiled = compiled(&arr_ir::parse_func(BETWEEN).unwrap());
    let run = |n: i64, max_bytes: u64| {
        let limits = Limits { max_bytes: Some(max_bytes), ..Limits::default() };
        compiled.run_with_stats(&[n], &[Value::f64s(&[n], &vec![2.0; n as usize])], &limits)
    };
    for n in [1_000, 50_000, 300, 70_000, 69_000, 60_000] {
        let (outcome, stats) = run(n, 16 * n as u64);
        assert_eq!(outcome.unwrap().results[0].to_f64s(), vec![8.0; n as usize]);
        assert_eq!((stats.peak_bytes, stats.leaked), (16 * n as u64, 0));
        assert!(compiled.kept_bytes() <= 8 * n as usize, "half of the limit");
        let (outcome, stats) = run(n, 16 * n as u64 - 1);
        assert_eq!(outcome.unwrap_err().kind, RunErrorKind::OutOfMemory { bytes: 8 * n, limit: 16 * n - 1 });
        assert_eq!((stats.peak_bytes, stats.allocations), (8 * n as u64, 2 - 1));
    }
}

/// Concurrent runs of one function on several threads have separate memory.
#[test]
fn runs_at_once_do_not_disturb_each_other() {
    let compiled = compiled(&arr_ir::parse_func(BETWEEN).unwrap());
    std::thread::scope(|scope| {
        for t in 0..6 {
            let compiled = &compiled;
            scope.spawn(move || {
                for round in 0..100 {
                    let n = 1 + (t * 37 + round * 101) % 20_000;
                    let x = t as f64 + 0.5;
                    let args = [Value::f64s(&[n], &vec![x; n as usize])];
                    let outcome = compiled.run(&[n], &args, &Limits::default()).unwrap();
                    assert_eq!(outcome.results[0].to_f64s(), vec![(x + 1.0) * (x + 1.0) - 1.0; n as usize]);
                    assert_eq!((outcome.stats.peak_bytes, outcome.stats.leaked), (16 * n as u64, 0));
                    if round % 3 == 0 {
                        compiled.recycle(outcome.results);
                    }
                }
            });
        }
    });
    assert!(compiled.kept_bytes() > 0);
}
