//! Speed of compiled code, by hand: `cargo test -p arr-cpu --release perf:: -- --ignored --nocapture`.
#![allow(clippy::print_stdout)]

use arr_cpu::{CompileOptions, Limits, compile_with};
use arr_ir::{Const, Value, parse_func, sample};
use std::time::{Duration, Instant};

fn time(name: &str, file: &str, sizes: &[i64], work: f64) {
    let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let func = parse_func(&text).unwrap();
    let started = Instant::now();
    let loops = arr_loops::lower(&func).unwrap();
    let compiled = compile_with(&loops, CompileOptions { verify: false, ..CompileOptions::default() }).unwrap();
    let compile = started.elapsed();
    let mut args: Vec<Value> = sample::args(&func, sizes, 1).unwrap();
    for arg in &mut args {
        if let Value::Scalar(Const::I64(n)) = arg {
            *n = 1000;
        }
    }
    let mut best = Duration::MAX;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(400) {
        let started = Instant::now();
        compiled.run(sizes, &args, &Limits::default()).unwrap();
        best = best.min(started.elapsed());
    }
    println!("{name:24} {:9.3} ns each, {best:?} a run, compiled in {compile:?}", best.as_nanos() as f64 / work);
}

#[test]
#[ignore = "measures"]
fn speeds() {
    let cases = "../arr-loops/tests/cases";
    time("axpy 8K", &format!("{cases}/map.ir"), &[8192], 8192.0);
    time("axpy 1M", &format!("{cases}/map.ir"), &[1 << 20], (1 << 20) as f64);
    time("dot 8K", &format!("{cases}/reduce.ir"), &[8192], 8192.0);
    time("matmul 200", &format!("{cases}/matmul.ir"), &[200, 200, 200], 8e6);
    time("softmax rows", &format!("{cases}/nested_reduce.ir"), &[300, 300], 9e4);
    time("convolve", &format!("{cases}/convolution.ir"), &[10000, 30], 3e5);
    time("gather rows", &format!("{cases}/gather.ir"), &[1000, 100_000], 3e5);
    time("shift", &format!("{cases}/scatter_self.ir"), &[100_000], 1e5);
    time("scatter loop", &format!("{cases}/scatter_loop.ir"), &[100_000], 1e5);
    time("transpose 1000", &format!("{cases}/transpose.ir"), &[1000, 1000], 1e6);
    time("mandelbrot 40", "tests/programs/mandelbrot.ir", &[40, 40], 1600.0);
    time("argsort 100K", &format!("{cases}/argsort.ir"), &[1, 100_000], 1e5);
    time("power 1000", &format!("{cases}/loop_in_kernel.ir"), &[1000, 1000], 1e6);
    time("fibonacci", &format!("{cases}/loop_swap.ir"), &[5], 5.0);
}

#[test]
#[ignore = "measures"]
fn compile_time() {
    for count in [100, 1000, 4000] {
        let mut text = "func f[n](x0: [n]f64) -> [n]f64 {\n".to_string();
        for k in 0..count {
            let (a, b) = (k, k + 1);
            text +=
                &format!("x{b}: [n]f64 = build i{k}<n {{ a{k}: f64 = read! x{a}[i{k}]\n b{k}: f64 = mul a{k}, 1.5\n");
            text += &format!("c{k}: f64 = add b{k}, a{k}\n yield c{k} }}\n");
        }
        text += &format!("return x{count}\n}}\n");
        let func = parse_func(&text).unwrap();
        let started = Instant::now();
        let loops = arr_loops::lower(&func).unwrap();
        let lowered = started.elapsed();
        let compiled = compile_with(&loops, CompileOptions { verify: false, ..CompileOptions::default() }).unwrap();
        println!(
            "{count} kernels: lowered in {lowered:?}, all {:?}, {} bytes",
            started.elapsed(),
            compiled.code_bytes()
        );
    }
}

/// Reductions and products, each many times in one run: `-- --ignored --nocapture reductions`.
#[test]
#[ignore = "measures"]
fn reductions() {
    type Case = (&'static str, &'static str, &'static str, &'static str, [i64; 3], i64);
    let cases: [Case; 9] = [
        ("sum", "x: [n]f64", "f64", "reduce sum i<n { p: f64 = read! x[i]\n yield p }", [1024, 65536, 1 << 23], 1),
        (
            "dot",
            "x: [n]f64, y: [n]f64",
            "f64",
            "reduce sum i<n { p: f64 = read! x[i]\n q: f64 = read! y[i]\n r: f64 = mul p, q\n yield r }",
            [1024, 65536, 1 << 23],
            1,
        ),
        (
            "sumsq",
            "x: [n]f64",
            "f64",
            "reduce sum i<n { p: f64 = read! x[i]\n r: f64 = mul p, p\n yield r }",
            [1024, 65536, 1 << 23],
            1,
        ),
        ("max", "x: [n]f64", "f64", "reduce max i<n { p: f64 = read! x[i]\n yield p }", [1024, 65536, 1 << 23], 1),
        (
            "matvec",
            "a: [n][n]f64, x: [n]f64",
            "[n]f64",
            "build i<n { s: f64 = reduce sum j<n { p: f64 = read! a[i, j]\n q: f64 = read! x[j]\n r: f64 = mul p, q\n yield r }\n yield s }",
            [48, 256, 3000],
            2,
        ),
        (
            "tvec",
            "a: [n][n]f64, x: [n]f64",
            "[n]f64",
            "build i<n { s: f64 = reduce sum j<n { p: f64 = read! a[j, i]\n q: f64 = read! x[j]\n r: f64 = mul p, q\n yield r }\n yield s }",
            [48, 256, 3000],
            2,
        ),
        (
            "colsums",
            "a: [n][n]f64",
            "[n]f64",
            "build i<n { s: f64 = reduce sum j<n { p: f64 = read! a[j, i]\n yield p }\n yield s }",
            [48, 256, 3000],
            2,
        ),
        (
            "pair",
            "a: [n][16]f64",
            "[n][n]f64",
            "build i<n, j<n { s: f64 = reduce sum l<16 { p: f64 = read! a[i, l]\n q: f64 = read! a[j, l]\n r: f64 = sub p, q\n u: f64 = mul r, r\n yield u }\n yield s }",
            [16, 64, 300],
            16,
        ),
        (
            "pair3",
            "a: [n][3]f64",
            "[n][n]f64",
            "build i<n, j<n { s: f64 = reduce sum l<3 { p: f64 = read! a[i, l]\n q: f64 = read! a[j, l]\n r: f64 = sub p, q\n u: f64 = mul r, r\n yield u }\n yield s }",
            [16, 64, 300],
            3,
        ),
    ];
    for (name, params, ty, kernel, sizes, work) in cases {
        let zero = if ty == "f64" { "0.0" } else { "z" };
        let whole = if ty == "f64" {
            String::new()
        } else {
            format!(
                "z: {} = build {} {{ yield 0.0 }}\n",
                if name.starts_with("pair") { "[n][n]f64" } else { "[n]f64" },
                if name.starts_with("pair") { "zi<n, zj<n" } else { "zi<n" }
            )
        };
        let ty = if name.starts_with("pair") { "[n][n]f64" } else { ty };
        let text = format!(
            "func f[n]({params}, k: i64) -> {ty} {{\n{whole}out: {ty} = loop t<k (a0: {ty} = {zero}) {{\n v: {ty} = {kernel}\n yield v }}\nreturn out\n}}\n"
        );
        let func = parse_func(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let loops = arr_loops::lower(&func).unwrap();
        let mut line = format!("{name:10}");
        for n in sizes {
            let total = match work {
                1 => n,
                2 => n * n,
                d => n * n * d,
            };
            let reps = (2_000_000 / total).max(1);
            for relaxed in [false, true] {
                let compiled =
                    compile_with(&loops, CompileOptions { verify: false, relaxed, ..CompileOptions::default() })
                        .unwrap();
                let mut args: Vec<Value> = sample::args(&func, &[n], 1).unwrap();
                if let Some(last) = args.last_mut() {
                    *last = Value::Scalar(Const::I64(reps));
                }
                let mut best = Duration::MAX;
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_millis(300) {
                    let started = Instant::now();
                    compiled.run(&[n], &args, &Limits::default()).unwrap();
                    best = best.min(started.elapsed());
                }
                line += &format!("  {:.4}", best.as_nanos() as f64 / (total * reps) as f64);
            }
            line += " |";
        }
        println!("{line}");
    }
}

/// One pass over arrays that stay in a cache, repeated many times.
const PASSES: &str = "
func axpy[n](x0: [n]f64, y: [n]f64, m: i64) -> [n]f64 {
  r: [n]f64 = loop t<m (x: [n]f64 = x0) {
    z: [n]f64 = build i<n { a: f64 = read! x[i]
      b: f64 = read! y[i]
      c: f64 = mul a, 0.5
      d: f64 = add c, b
      yield d }
    yield z }
  return r
}
func chain[n](x0: [n]f64, y: [n]f64, m: i64) -> [n]f64 {
  r: [n]f64 = loop t<m (x: [n]f64 = x0) {
    z: [n]f64 = build i<n { a: f64 = read! x[i]
      b: f64 = read! y[i]
      c1: f64 = mul a, b
      d1: f64 = add c1, 0.5
      c2: f64 = mul d1, b
      d2: f64 = add c2, 0.25
      c3: f64 = mul d2, b
      d3: f64 = add c3, 0.125
      c4: f64 = mul d3, b
      d4: f64 = add c4, 0.375
      yield d4 }
    yield z }
  return r
}
func root[n](x0: [n]f64, y: [n]f64, m: i64) -> [n]f64 {
  r: [n]f64 = loop t<m (x: [n]f64 = x0) {
    z: [n]f64 = build i<n { a: f64 = read! x[i]
      b: f64 = read! y[i]
      c: f64 = mul a, b
      d: f64 = add c, 3.0
      e: f64 = sqrt d
      yield e }
    yield z }
  return r
}
func exps[n](x0: [n]f64, y: [n]f64, m: i64) -> [n]f64 {
  r: [n]f64 = loop t<m (x: [n]f64 = x0) {
    z: [n]f64 = build i<n { a: f64 = read! x[i]
      c: f64 = mul a, -0.5
      e: f64 = exp c
      yield e }
    yield z }
  return r
}
func dot[n](x: [n]f64, y: [n]f64, m: i64) -> f64 {
  r: f64 = loop t<m (s: f64 = 0.0) {
    z: f64 = reduce sum i<n { a: f64 = read! x[i]
      b: f64 = read! y[i]
      p: f64 = mul a, b
      q: f64 = add p, s
      yield q }
    w: f64 = mul z, 0.00001
    yield w }
  return r
}
";

/// Nanoseconds per element with vectors of 128 bits and with kernels, arrays of 8 and 256 KiB.
#[test]
#[ignore = "measures"]
fn kernels() {
    for func in arr_ir::parse_funcs(PASSES).unwrap() {
        let loops = arr_loops::lower(&func).unwrap();
        for n in [1024, 32768] {
            let passes = (1 << 18) / n;
            let mut args = sample::args(&func, &[n], 1).unwrap();
            for arg in &mut args {
                if let Value::Scalar(Const::I64(m)) = arg {
                    *m = passes;
                }
            }
            let mut line = format!("{:6} {:4} KiB", func.name, n / 128);
            for isa in [None, Some(arr_cpu::Isa::Avx2), arr_cpu::host_isa()] {
                let options = CompileOptions { relaxed: true, verify: false, isa, ..CompileOptions::default() };
                let started = Instant::now();
                let compiled = compile_with(&loops, options).unwrap();
                let compiling = started.elapsed();
                let mut best = Duration::MAX;
                for _ in 0..200 {
                    let started = Instant::now();
                    compiled.run(&[n], &args, &Limits::default()).unwrap();
                    best = best.min(started.elapsed());
                }
                let each = best.as_nanos() as f64 / (passes * n) as f64;
                line += &format!("  {:6} {each:.3} ns ({compiling:.1?})", isa.map_or("128", arr_cpu::Isa::name));
            }
            println!("{line}");
        }
    }
}

/// The overhead of a call: a scalar, a short array, intermediate arrays, large ones.
#[test]
#[ignore = "measures"]
fn calls() {
    let scalar = "func f(a: f64) -> f64 {\n  b: f64 = mul a, a\n  return b\n}";
    let array = "func f[n](x: [n]f64) -> [n]f64 {\n  y: [n]f64 = build i<n {\n    a: f64 = read! x[i]\n    b: f64 = mul a, a\n    yield b\n  }\n  return y\n}";
    let between = "func f[n](x: [n]f64) -> f64 {\n  y: [n]f64 = build i<n {\n    a: f64 = read! x[i]\n    b: f64 = mul a, a\n    yield b\n  }\n  z: [n]f64 = build j<n {\n    c: f64 = read! y[j]\n    d: f64 = add c, 1.0\n    yield d\n  }\n  s: f64 = reduce sum k<n {\n    e: f64 = read! z[k]\n    yield e\n  }\n  return s\n}";
    for (name, text, n, count) in [
        ("scalar", scalar, None, 1_000_000),
        ("array of 8", array, Some(8), 1_000_000),
        ("two between, 8", between, Some(8), 1_000_000),
        ("two between, 100K", between, Some(100_000), 500),
        ("two between, 4M", between, Some(4_000_000), 12),
    ] {
        let loops = arr_loops::lower(&parse_func(text).unwrap()).unwrap();
        let options = CompileOptions { verify: false, threads: Some(1), ..CompileOptions::default() };
        let compiled = compile_with(&loops, options).unwrap();
        let sizes: Vec<i64> = n.into_iter().collect();
        let args = n.map_or(Value::Scalar(Const::F64(1.5)), |n| Value::f64s(&[n], &vec![1.5; n as usize]));
        let args = [args];
        let mut best = f64::INFINITY;
        let parts = 10.min(count);
        for _ in 0..parts {
            let started = Instant::now();
            for _ in 0..count / parts {
                compiled.run(&sizes, &args, &Limits::default()).unwrap();
            }
            best = best.min(started.elapsed().as_nanos() as f64 / f64::from(count / parts));
        }
        // Nothing is kept after a call that may use no memory.
        let mut without = f64::INFINITY;
        for _ in 0..count.min(1000) {
            let nothing = Limits { max_bytes: Some(0), ..Limits::default() };
            let _ = compiled.run(&sizes, &args, &nothing);
            let started = Instant::now();
            compiled.run(&sizes, &args, &Limits::default()).unwrap();
            without = without.min(started.elapsed().as_nanos() as f64);
        }
        println!("{name:24} {best:12.0} ns a call, {without:12.0} ns with no memory kept");
    }
}
