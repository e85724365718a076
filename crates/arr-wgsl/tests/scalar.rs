//! Every row of the table of scalar functions, against the interpreter.

use crate::support;
use arr_ir::{Const, Prim, Scalar};
use arr_wgsl::program::Integers;
use arr_wgsl::scalar::{Functions, literal, type_name};
use std::fmt::Write;

/// All operand types of a primitive.
fn signatures(prim: Prim) -> Vec<Vec<Scalar>> {
    let mut all: Vec<Vec<Scalar>> = vec![Vec::new()];
    for _ in 0..prim.arity() {
        all = all.iter().flat_map(|head| Scalar::ALL.map(|s| [head.as_slice(), &[s]].concat())).collect();
    }
    all.retain(|args| prim.result(args).is_some());
    all
}

/// A module that computes the primitive on columns of operands: bindings 0 .. are the columns, the last is the result.
fn module(prim: Prim, args: &[Scalar], integers: Integers) -> String {
    let mut functions = Functions::new(integers);
    let operands: Vec<_> = (0..args.len()).map(|k| (format!("x{k}"), args[k])).collect();
    let call = functions.call(prim, &operands).unwrap_or_else(|e| panic!("{e}"));
    let result = prim.result(args).expect("a signature");
    let word = |s: Scalar| if s == Scalar::Bool { "u32" } else { type_name(s, integers) };
    let mut text = functions.text();
    let arity = args.len();
    for (k, &arg) in args.iter().enumerate() {
        let word = word(arg);
        write!(text, "\n@group(0) @binding({k}) var<storage, read_write> a{k}: array<{word}>;").unwrap();
    }
    let word = word(result);
    write!(text, "\n@group(0) @binding({arity}) var<storage, read_write> out: array<{word}>;").unwrap();
    text +=
        "\n@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {\n    let i = id.x;\n";
    text += "    if (i >= arrayLength(&out)) {\n        return;\n    }\n";
    for (k, &arg) in args.iter().enumerate() {
        let test = if arg == Scalar::Bool { " != 0u" } else { "" };
        writeln!(text, "    let x{k} = a{k}[i]{test};").unwrap();
    }
    let value = if result == Scalar::Bool { format!("select(0u, 1u, {call})") } else { call };
    writeln!(text, "    out[i] = {value};\n}}").unwrap();
    text
}

fn validate(text: &str) {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(text)));
    let capabilities = naga::valid::Capabilities::FLOAT64 | naga::valid::Capabilities::SHADER_INT64;
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    validator.validate(&module).unwrap_or_else(|e| panic!("{}\n{text}", e.emit_to_string(text)));
}

#[test]
fn every_row_is_valid_with_both_widths_of_integers() {
    for &prim in Prim::ALL {
        for args in signatures(prim) {
            for integers in [Integers::Narrow, Integers::Native] {
                validate(&module(prim, &args, integers));
            }
        }
    }
}

/// A conversion to `i64`, compared with a constant, which some drivers miscompile.
#[test]
fn converted_integers_compare() {
    let Some(gpu) = support::gpu() else { return };
    for from in [Scalar::I32, Scalar::U32, Scalar::Bool, Scalar::F32] {
        let mut functions = Functions::new(Integers::Native);
        let x = if from == Scalar::Bool { "(a[i] != 0u)" } else { "a[i]" };
        let long = functions.call(Prim::ToI64, &[(x.to_string(), from)]).expect("a row");
        let two = literal(Const::I64(2), Integers::Native);
        let less = functions.call(Prim::Lt, &[(long, Scalar::I64), (two, Scalar::I64)]).expect("a row");
        let word = if from == Scalar::Bool { "u32" } else { from.name() };
        let text = functions.text();
        let module = format!(
            "{text}\n@group(0) @binding(0) var<storage, read_write> a: array<{word}>;\n\
             @group(0) @binding(1) var<storage, read_write> out: array<u32>;\n\
             @compute @workgroup_size(1)\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n  \
             let i = id.x;\n  out[i] = select(0u, 1u, {less});\n}}\n"
        );
        let rows = values(from, false);
        let buffers = [rows.iter().flat_map(|&c| bytes(c)).collect(), vec![0; 4 * rows.len()]];
        let found = gpu.run(&module, &buffers, rows.len() as u32);
        for (k, &row) in rows.iter().enumerate() {
            let want = Prim::ToI64.eval(&[row]).and_then(|c| c.as_i64()).is_some_and(|i| i < 2);
            assert_eq!(read(Scalar::Bool, &found[1], k), Const::Bool(want), "{row:?}");
        }
    }
}

/// Constants as operands: naga evaluates them where it can.
#[test]
fn every_row_takes_constants() {
    for &prim in Prim::ALL {
        for args in signatures(prim) {
            for integers in [Integers::Narrow, Integers::Native] {
                let mut functions = Functions::new(integers);
                let operands: Vec<_> = args.iter().map(|&s| (literal(Const::one(s), integers), s)).collect();
                let call = functions.call(prim, &operands).unwrap_or_else(|e| panic!("{e}"));
                let ty = type_name(prim.result(&args).expect("a signature"), integers);
                let text = functions.text();
                validate(&format!("{text}\n@compute @workgroup_size(1)\nfn main() {{\n  let y: {ty} = {call};\n}}\n"));
            }
        }
    }
}

#[test]
fn narrow_modules_of_single_precision_need_nothing() {
    for &prim in Prim::ALL {
        for args in signatures(prim) {
            let mut functions = Functions::new(Integers::Narrow);
            let operands: Vec<_> = args.iter().map(|&s| ("x".to_string(), s)).collect();
            functions.call(prim, &operands).expect("a row");
            let double = args.contains(&Scalar::F64) || prim == Prim::ToF64;
            let text = functions.text();
            let wide = text.split(|c: char| !c.is_ascii_alphanumeric()).any(|w| matches!(w, "f64" | "i64" | "u64"));
            assert!(double || !wide, "{prim:?} {args:?}");
        }
    }
}

#[test]
fn constants() {
    let show = |c| literal(c, Integers::Native);
    assert_eq!(show(Const::I64(i64::MIN)), "(-9223372036854775807li - 1li)");
    assert_eq!(show(Const::I32(-4)), "(-4i)");
    assert_eq!(show(Const::F32(-0.0)), "(-0.0f)");
    assert_eq!(show(Const::F32(1e-40)), "bitcast<f32>(0x000116c2u)");
    assert_eq!(show(Const::F64(f64::NEG_INFINITY)), "(-arr_f64_infinity())");
    assert_eq!(literal(Const::I64(7), Integers::Narrow), "7i");
    let all = [
        Const::Bool(true),
        Const::I32(i32::MIN),
        Const::I64(i64::MIN),
        Const::U32(u32::MAX),
        Const::F32(f32::MAX),
        Const::F32(1e-40),
        Const::F32(f32::NAN),
        Const::F64(f64::MAX),
        Const::F64(5e-324),
        Const::F64(f64::NEG_INFINITY),
    ];
    for integers in [Integers::Narrow, Integers::Native] {
        let mut functions = Functions::new(integers);
        let mut body = String::new();
        for (k, &c) in all.iter().enumerate() {
            let text = literal(c, integers);
            functions.mention(&text);
            writeln!(body, "    let c{k}: {} = {text};", type_name(c.scalar(), integers)).unwrap();
        }
        validate(&format!("{}\n@compute @workgroup_size(1)\nfn main() {{\n{body}}}\n", functions.text()));
    }
}

/// Operands to try.
fn values(scalar: Scalar, many: bool) -> Vec<Const> {
    match scalar {
        Scalar::Bool => vec![Const::Bool(false), Const::Bool(true)],
        Scalar::I32 => [0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 31, 32, 33, 100, -100, 65535, 1 << 30, i32::MAX, i32::MIN]
            .map(Const::I32)
            .to_vec(),
        Scalar::I64 => {
            let wide = [1 << 40, -(1 << 40), (1 << 53) + 1, i64::MAX, i64::MIN];
            let small = [0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 31, 32, 33, 63, 64, 100, -100, 1 << 31, -(1 << 33)];
            small.iter().chain(&wide).map(|&i| Const::I64(i)).collect()
        }
        Scalar::U32 => {
            [0, 1, 2, 3, 5, 7, 31, 32, 33, 100, 65535, 1 << 31, u32::MAX - 1, u32::MAX].map(Const::U32).to_vec()
        }
        Scalar::F32 => floats(many, 38).map(|x| Const::F32(x as f32)).collect(),
        Scalar::F64 => floats(many, 300).map(Const::F64).collect(),
    }
}

fn floats(many: bool, most: i32) -> impl Iterator<Item = f64> {
    let special = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 7.0, 10.0, 0.1, 1e-5, 12.75, 30.0, 88.5, 100.0, 700.0, 1e5];
    let far = [1e9, 1.9e9, 2147483648.0, 4294967296.0, 9.3e18, 1e20, f64::INFINITY];
    let ends = [10f64.powi(-most + 1), 10f64.powi(most), 3.4e38, 1.2e-38];
    let close = [1.0 + 1e-6, 1.0 - 1e-6, 1e-7, std::f64::consts::PI, std::f64::consts::FRAC_PI_2, 0.84375, 8.0, 20.0];
    let dense = (1..if many { 2000 } else { 0 }).map(|i| f64::from(i) * 0.012_345_678_9);
    let wide = (0..if many { 400 } else { 0 })
        .map(move |i| 10f64.powf(f64::from(i) / 400.0 * 2.0 * f64::from(most) - f64::from(most)));
    let near = (0..if many { 200 } else { 0 }).map(|i| 0.9 + f64::from(i) * 0.001_03);
    let positive: Vec<f64> =
        special.into_iter().chain(far).chain(ends).chain(close).chain(dense).chain(wide).chain(near).collect();
    positive.into_iter().flat_map(|x| [x, -x]).chain([f64::NAN])
}

fn columns(args: &[Scalar]) -> Vec<Vec<Const>> {
    let many = args.len() == 1;
    let mut rows: Vec<Vec<Const>> = vec![Vec::new()];
    for &arg in args {
        let values = values(arg, many);
        rows = rows.iter().flat_map(|head| values.iter().map(|&v| [head.as_slice(), &[v]].concat())).collect();
    }
    rows
}

fn bytes(c: Const) -> Vec<u8> {
    match c.scalar() {
        Scalar::I64 | Scalar::F64 => c.bits().to_le_bytes().to_vec(),
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => (c.bits() as u32).to_le_bytes().to_vec(),
    }
}

fn read(scalar: Scalar, data: &[u8], row: usize) -> Const {
    let word = |at: usize| u32::from_le_bytes(data[at..at + 4].try_into().unwrap());
    let long = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().unwrap());
    match scalar {
        Scalar::Bool => Const::Bool(word(4 * row) != 0),
        Scalar::I32 => Const::I32(word(4 * row) as i32),
        Scalar::U32 => Const::U32(word(4 * row)),
        Scalar::I64 => Const::I64(long(8 * row) as i64),
        Scalar::F32 => Const::F32(f32::from_bits(word(4 * row))),
        Scalar::F64 => Const::F64(f64::from_bits(long(8 * row))),
    }
}

/// The allowed deviation of a row from the interpreter: in units of the type's epsilon relative to the value, and
/// absolutely in units of epsilon where the function has zeros that its terms do not have.
fn tolerance(prim: Prim, args: &[Const]) -> (f64, f64) {
    match prim {
        Prim::Add | Prim::Sub | Prim::Mul | Prim::MulZero | Prim::Neg | Prim::Abs | Prim::Sign | Prim::Select => {
            (0.5, 0.0)
        }
        Prim::Min | Prim::Max | Prim::Floor | Prim::Ceil | Prim::Round => (0.0, 0.0),
        // WGSL allows 2.5 units for quotients.
        Prim::Div | Prim::Sqrt => (2.5, 0.0),
        Prim::PowInt => (args.get(1).and_then(|n| n.as_i64()).map_or(4.0, |n| 4.0 + n.unsigned_abs() as f64), 0.0),
        Prim::Lgamma => (6.0, 8.0),
        Prim::Digamma => (8.0, 16.0),
        Prim::Polygamma => (200.0, 16.0),
        _ => (4.0, 0.0),
    }
}

/// The error relative to the allowed one; 0 if equal.
fn excess(prim: Prim, args: &[Const], got: Const, want: Const) -> f64 {
    let (Some(g), Some(w)) = (got.as_f64(), want.as_f64()) else {
        return if got == want { 0.0 } else { f64::INFINITY };
    };
    if g.is_nan() && w.is_nan() || g == w && (g != 0.0 || g.is_sign_negative() == w.is_sign_negative()) {
        return 0.0;
    }
    let single = want.scalar() == Scalar::F32;
    let (eps, least) = if single {
        (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE))
    } else {
        (f64::EPSILON, f64::MIN_POSITIVE)
    };
    // Subnormal results may be zeros.
    if w.abs() <= least && g.abs() <= least * (1.0 + 8.0 * eps) {
        return 0.0;
    }
    let (relative, absolute) = tolerance(prim, args);
    let allowed = eps * (relative * w.abs() + absolute);
    // Overflow may come a little earlier or later.
    let most = if single { f64::from(f32::MAX) } else { f64::MAX };
    if w.abs() > most * (1.0 - 16.0 * eps)
        && g.abs() > most * (1.0 - 16.0 * eps)
        && g.signum() == w.signum()
        && relative > 0.5
    {
        return 0.0;
    }
    (g - w).abs() / allowed
}

/// Operands with subnormal numbers flushed to zero, as devices may.
fn flushed(args: &[Const]) -> Vec<Const> {
    args.iter()
        .map(|&c| match c {
            Const::F32(x) if x.abs() < f32::MIN_POSITIVE => Const::F32(0.0f32.copysign(x)),
            Const::F64(x) if x.abs() < f64::MIN_POSITIVE => Const::F64(0.0f64.copysign(x)),
            _ => c,
        })
        .collect()
}

/// Bytes of a value in a buffer.
fn stored(c: Const, integers: Integers) -> Vec<u8> {
    match (c, integers) {
        (Const::I64(i), Integers::Narrow) => bytes(Const::I32(i as i32)),
        _ => bytes(c),
    }
}

fn fetched(scalar: Scalar, integers: Integers, data: &[u8], row: usize) -> Const {
    match (scalar, integers) {
        (Scalar::I64, Integers::Narrow) => Const::I64(read(Scalar::I32, data, row).as_i64().unwrap()),
        _ => read(scalar, data, row),
    }
}

/// Whether a value is preserved as an `i32`, if it is an `i64`.
fn fits(c: Const) -> bool {
    !matches!(c, Const::I64(i) if i32::try_from(i).is_err())
}

/// How a row differs from the interpreter by more than it may; returns the largest difference.
fn compare(gpu: &support::Gpu, prim: Prim, args: &[Scalar], integers: Integers) -> (f64, String) {
    let mut rows: Vec<_> = columns(args).into_iter().filter(|row| is_tested(prim, row)).collect();
    if integers == Integers::Narrow {
        rows.retain(|row| row.iter().all(|&c| fits(c)) && prim.eval(row).is_none_or(fits));
    }
    let result = prim.result(args).expect("a signature");
    let column = |k: usize| rows.iter().flat_map(|row| stored(row[k], integers)).collect::<Vec<u8>>();
    let mut buffers: Vec<Vec<u8>> = (0..args.len()).map(column).collect();
    buffers.push(vec![0; rows.len() * stored(Const::zero(result), integers).len()]);
    let out = gpu.run(&module(prim, args, integers), &buffers, rows.len().div_ceil(64) as u32);
    let (mut worst, mut at) = (0.0, String::new());
    for (k, row) in rows.iter().enumerate() {
        let Some(want) = prim.eval(row) else { continue };
        let got = fetched(result, integers, &out[args.len()], k);
        let other = prim.eval(&flushed(row)).map_or(f64::INFINITY, |want| excess(prim, row, got, want));
        let error = excess(prim, row, got, want).min(other);
        if error > worst || error.is_nan() {
            worst = if error.is_nan() { f64::INFINITY } else { error };
            at = format!("{row:?}: {got:?}, not {want:?}");
        }
    }
    (worst, at)
}

/// `ARR_SHOW` prints the largest error of every row.
#[test]
#[allow(clippy::print_stderr)]
fn every_row_agrees_with_the_interpreter() {
    let Some(gpu) = support::gpu() else { return };
    let mut report = String::new();
    for integers in [Integers::Native, Integers::Narrow] {
        for &prim in Prim::ALL {
            for args in signatures(prim) {
                let wide = args.contains(&Scalar::I64) || prim == Prim::ToI64;
                if integers == Integers::Narrow && !wide {
                    continue;
                }
                let (worst, at) = compare(gpu, prim, &args, integers);
                let name = format!("{} {args:?} {integers:?}", prim.name());
                if worst > 1.0 {
                    writeln!(report, "{name}: {worst:.2} times what is allowed, at {at}").unwrap();
                } else if std::env::var_os("ARR_SHOW").is_some() {
                    eprintln!("{name}: {worst:.2} at {at}");
                }
            }
        }
    }
    assert!(report.is_empty(), "on {}:\n{report}", gpu.name);
}

/// Operands for which the interpreter's own result is accurate enough.
fn is_tested(prim: Prim, row: &[Const]) -> bool {
    let x = |k: usize| row.get(k).and_then(|c| c.as_f64()).unwrap_or(0.0);
    match prim {
        // The interpreter's quotient has 53 bits.
        Prim::Rem if row.iter().all(|c| c.as_f64().is_some()) => {
            (x(0) / x(1)).abs() < 1e6 || !x(0).is_finite() || !x(1).is_finite()
        }
        Prim::PowInt => row.get(1).and_then(|n| n.as_i64()).is_some_and(|n| n.unsigned_abs() <= 100),
        // Reflections at negative numbers use a rounded multiple of pi.
        Prim::Lgamma | Prim::Digamma => x(0) > 0.0 || x(0) == x(0).floor(),
        Prim::Polygamma => {
            row.first().and_then(|n| n.as_i64()).is_some_and(|n| !(8..=170).contains(&n))
                && (x(1) > 1e-3 && x(1) < 1e6 || x(1) == x(1).floor() && x(1) <= 0.0)
        }
        _ => true,
    }
}
