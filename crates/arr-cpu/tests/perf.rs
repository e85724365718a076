//! Speed of compiled code, by hand: `cargo test -p arr-cpu --release --test perf -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

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
