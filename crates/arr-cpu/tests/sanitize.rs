//! Sanitized code gives the results of plain code, and detects accesses that are wrong on purpose.

use arr_cpu::{CompileOptions, Limits, compile_plain, compile_with, host_isa};
use arr_ir::{Data, Prim, RunErrorKind, Scalar, Value, interp, parse_func};
use arr_loops::{Expr, For, LocalId, LocalInfo, LoopFunc, LowerOptions, Operand, Stmt, Ty};

/// Functions of `[n]f64, [n]f64`, every access of which covers the whole of its array.
const WHOLE: &[(&str, &str)] = &[
    ("map", "z: [n]f64 = build i<n { a: f64 = read! x[i]; b: f64 = read! y[i]; c: f64 = mul a, b; yield c }"),
    (
        "sum",
        "s: f64 = reduce sum i<n { a: f64 = read! x[i]; b: f64 = read! y[i]; c: f64 = mul a, b; yield c }
  z: [n]f64 = build j<n { d: f64 = read! x[j]; e: f64 = add d, s; yield e }",
    ),
    (
        "long",
        "z: [n]f64 = build i<n { a: f64 = read! x[i]; b: f64 = read! y[i]; c: f64 = exp a; d: f64 = tanh b; e: f64 = add c, d; yield e }",
    ),
    (
        "backwards",
        "z: [n]f64 = build i<n { m: i64 = sub n, 1; j: i64 = sub m, i; a: f64 = read! x[j]; b: f64 = read! y[i]; c: f64 = sub a, b; yield c }",
    ),
    (
        "placed",
        "w: [n]f64 = build i<n { a: f64 = read! y[i]; yield a }
  z: [n]f64 = scatter! add w, j<n { b: f64 = read! x[j]; yield true, j, b }",
    ),
    (
        "loop",
        "z: [n]f64 = loop t<3 (s: [n]f64 = x) {
    u: [n]f64 = build i<n { a: f64 = read! s[i]; b: f64 = read! y[i]; c: f64 = mul a, b; d: f64 = add c, a; yield d }
    yield u
  }",
    ),
];

/// Sizes around those of vectors, and one at which loops are divided.
const SIZES: &[usize] = &[1, 2, 3, 8, 9, 17, 70];
const DIVIDED: usize = 100_000;

fn func(body: &str) -> arr_ir::Func {
    let body = body.replace("; ", "\n");
    let text = format!("func f[n](x: [n]f64, y: [n]f64) -> [n]f64 {{\n  {body}\n  return z\n}}");
    parse_func(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn args(n: usize) -> Vec<Value> {
    let numbers = |k: usize| Data::F64((0..n).map(|i| ((i * k) % 13) as f64 / 8.0 - 0.5).collect());
    vec![Value::array(vec![n as i64], numbers(5)), Value::array(vec![n as i64], numbers(3))]
}

/// The variants of code: plain, vectors of 128 bits, and kernels of those that the machine has; strict and relaxed.
fn all_options() -> Vec<CompileOptions> {
    let mut all = Vec::new();
    for isa in [None, host_isa()] {
        for relaxed in [false, true] {
            all.push(CompileOptions { isa, relaxed, sanitize: true, verify: true, ..CompileOptions::default() });
        }
    }
    all
}

#[test]
fn code_that_is_right_gives_what_it_gave() {
    for (name, body) in WHOLE {
        let func = func(body);
        for options in all_options() {
            let loops =
                arr_loops::lower_with(&func, LowerOptions { relaxed: options.relaxed, ..LowerOptions::default() })
                    .unwrap();
            let plain = compile_with(&loops, CompileOptions { sanitize: false, ..options }).unwrap();
            let checked = compile_with(&loops, options).unwrap();
            for &n in SIZES.iter().chain(&[0, DIVIDED]) {
                let [expected, found] =
                    [&plain, &checked].map(|code| code.run(&[n as i64], &args(n), &Limits::default()).unwrap().results);
                assert_eq!(found, expected, "{name} at {n}, {options:?}");
                if n <= 100 && !options.relaxed {
                    let meant = interp::run(&func, &[n as i64], &args(n), &Limits::default()).unwrap().results;
                    assert_eq!(found, meant, "{name} at {n}");
                }
            }
        }
    }
}

/// NaNs from operations of the program are not taken for unwritten memory, in either float type and from one to the
/// other.
#[test]
fn what_is_no_number_was_written() {
    let made = ["log a", "sqrt a", "div 0.0, 0.0", "sub inf, inf", "mul a, nan"].map(|op| {
        let convert = "c: f32 = f32 b; d: f32 = neg c; e: f64 = f64 d; g: f64 = add e, b";
        format!("z: [n]f64 = build i<n {{ x.i: f64 = read! x[i]; a: f64 = sub x.i, 9.0; b: f64 = {op}; {convert}; yield g }}")
    });
    for body in made {
        let func = func(&body);
        for options in all_options() {
            let loops = arr_loops::lower(&func).unwrap();
            for n in [1, 3, 9] {
                let found = compile_with(&loops, options).unwrap().run(&[n], &args(n as usize), &Limits::default());
                let found = found.unwrap_or_else(|e| panic!("{e:?} at {n}, {options:?}\n{body}")).results;
                assert!(found[0].to_f64s().iter().all(|x| x.is_nan()), "{found:?}\n{body}");
            }
        }
    }
}

/// The statements of a function that access elements, in the order of the text: their number, with one of them moved.
struct Fault<'a> {
    func: &'a mut LoopFunc,
    /// The number of accesses still to be skipped.
    left: usize,
    /// The change of the offset.
    distance: Operand,
    done: bool,
}

impl Fault<'_> {
    fn offset(&mut self, offset: Operand, before: &mut Vec<Stmt>) -> Operand {
        let name = format!("moved.{}", self.left);
        let info = LocalInfo { name, ty: Ty::Scalar(Scalar::I64), mutable: false };
        let local: LocalId = self.func.locals.push(info);
        let sum = Expr::Prim(Prim::Add, vec![offset, self.distance]);
        before.push(Stmt::Let { local, expr: sum });
        self.done = true;
        local.into()
    }

    fn is_next(&mut self) -> bool {
        let next = self.left == 0 && !self.done;
        self.left = self.left.saturating_sub(1);
        next
    }

    fn block(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in stmts {
            let stmt = match stmt {
                Stmt::Let { local, expr: Expr::Load(address, offset) } if self.is_next() => {
                    let offset = self.offset(offset, &mut out);
                    Stmt::Let { local, expr: Expr::Load(address, offset) }
                }
                Stmt::Store { address, offset, value } if self.is_next() => {
                    let offset = self.offset(offset, &mut out);
                    Stmt::Store { address, offset, value }
                }
                Stmt::For(l) => {
                    let body = self.block(l.body.clone());
                    Stmt::For(Box::new(For { body, ..*l }))
                }
                Stmt::If { cond, then_body, else_body } => {
                    Stmt::If { cond, then_body: self.block(then_body), else_body: self.block(else_body) }
                }
                other => other,
            };
            out.push(stmt);
        }
        out
    }
}

/// The function with its k-th access moved by this many elements; `None` if there are fewer.
fn moved(loops: &LoopFunc, k: usize, distance: Operand) -> Option<LoopFunc> {
    let mut wrong = loops.clone();
    let body = std::mem::take(&mut wrong.body);
    let mut fault = Fault { func: &mut wrong, left: k, distance, done: false };
    let body = fault.block(body);
    let done = fault.done;
    wrong.body = body;
    done.then_some(wrong)
}

/// By one at each end, by the length, and by far more than there is memory, in each direction.
fn distances(loops: &LoopFunc) -> Vec<Operand> {
    let far = [1, -1, 1 << 40, i64::MIN / 8].map(Operand::int);
    far.into_iter().chain([loops.sizes[0].into()]).collect()
}

#[test]
fn every_access_that_is_outside_is_found() {
    let mut found = 0;
    for (name, body) in WHOLE {
        let func = func(body);
        let loops = arr_loops::lower(&func).unwrap();
        for distance in distances(&loops) {
            let mut k = 0;
            while let Some(wrong) = moved(&loops, k, distance) {
                k += 1;
                for options in all_options() {
                    let code = compile_with(&wrong, options).unwrap();
                    let divided = (distance == Operand::int(1)).then_some(&DIVIDED);
                    for &n in SIZES.iter().chain(divided) {
                        let ran = code.run(&[n as i64], &args(n), &Limits::default());
                        found += usize::from(is_found(&ran.map(|o| o.results), n as i64).unwrap_or_else(|what| {
                            panic!(
                                "{name}, access {k} moved by {distance:?} at {n}, {options:?}: {what}\n{}",
                                arr_loops::print(&wrong)
                            )
                        }));
                    }
                    let plain = compile_plain(&wrong, options).unwrap();
                    let ran = plain.run(&[9], &args(9), &Limits::default()).map(|o| o.results);
                    assert_eq!(is_found(&ran, 9), Ok(true), "{name}, plain");
                }
            }
            assert!(k >= 2, "{name} has accesses");
        }
    }
    assert!(found > 2_000, "{found}");
}

/// Asserts that the error names a buffer, an offset outside it, and its length.
fn is_found(ran: &Result<Vec<Value>, arr_ir::RunError>, n: i64) -> Result<bool, String> {
    match ran {
        Err(error) => match &error.kind {
            RunErrorKind::Internal(what) if what.starts_with("sanitizer: access to element ") => {
                let words: Vec<&str> = what.split(' ').collect();
                let offset: i64 = words[4].parse().map_err(|_| what.clone())?;
                let length: i64 = words[words.len() - 1].parse().map_err(|_| what.clone())?;
                if length == n && !(0..n).contains(&offset) { Ok(true) } else { Err(what.clone()) }
            }
            other => Err(format!("{other:?}")),
        },
        Ok(results) => Err(format!("{} results", results.len())),
    }
}

#[test]
fn memory_that_nothing_wrote_is_found_in_results() {
    for (name, body) in WHOLE {
        let func = func(body);
        let mut loops = arr_loops::lower(&func).unwrap();
        // The first loop that stores has one iteration less.
        assert!(shorten(&mut loops), "{name}");
        for options in all_options() {
            let code = compile_with(&loops, options).unwrap();
            for n in [2usize, 9, 70, 1_000] {
                let ran = code.run(&[n as i64], &args(n), &Limits::default());
                let Err(error) = ran else {
                    panic!("{name} at {n}, {options:?}: not found\n{}", arr_loops::print(&loops))
                };
                assert!(
                    matches!(&error.kind, RunErrorKind::Internal(what) if what.contains("was not written")),
                    "{error:?}"
                );
            }
        }
    }
}

/// Leaves out the last iteration of the first loop that stores. Returns whether there is one.
fn shorten(func: &mut LoopFunc) -> bool {
    fn stores(stmts: &[Stmt]) -> bool {
        stmts.iter().any(|s| match s {
            Stmt::Store { .. } => true,
            Stmt::For(l) => stores(&l.body),
            _ => false,
        })
    }
    fn at(func: &mut LoopFunc, stmts: &mut Vec<Stmt>) -> bool {
        let Some(k) = stmts.iter().position(|s| matches!(s, Stmt::For(l) if stores(&l.body))) else { return false };
        let Stmt::For(l) = &mut stmts[k] else { return false };
        if l.body.iter().any(|s| matches!(s, Stmt::For(_))) {
            let mut body = std::mem::take(&mut l.body);
            let done = at(func, &mut body);
            if let Stmt::For(l) = &mut stmts[k] {
                l.body = body;
            }
            return done;
        }
        let info = LocalInfo { name: "shorter".to_string(), ty: Ty::Scalar(Scalar::I64), mutable: false };
        let local: LocalId = func.locals.push(info);
        let less = Expr::Prim(Prim::Sub, vec![l.extent, Operand::int(1)]);
        l.extent = local.into();
        stmts.insert(k, Stmt::Let { local, expr: less });
        true
    }
    let mut body = std::mem::take(&mut func.body);
    let done = at(func, &mut body);
    func.body = body;
    done
}

#[test]
fn a_buffer_that_is_used_after_its_release_is_found() {
    let func = func(WHOLE[0].1);
    let loops = arr_loops::lower(&func).unwrap();
    // Released behind the allocation, and written by later statements.
    let k = loops.body.iter().position(|s| matches!(s, Stmt::Alloc { .. })).unwrap();
    let Stmt::Alloc { local, .. } = loops.body[k] else { panic!("no allocation") };
    let at =
        loops.body.iter().position(|s| matches!(s, Stmt::Let { expr: Expr::BaseAddr(b), .. } if *b == local)).unwrap();
    for behind in [k + 1, at + 1] {
        let mut wrong = loops.clone();
        wrong.body.insert(behind, Stmt::Release(local));
        for options in all_options() {
            let ran = compile_with(&wrong, options).unwrap().run(&[100], &args(100), &Limits::default());
            let told = format!("{:?}", ran.map(|o| o.results.len()));
            assert!(told.contains("is used after it was freed"), "{told}");
        }
    }
}
