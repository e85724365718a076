//! Accesses: which are proved inside and which are not; and that the verifier notices when a check of the golden files
//! is removed, or moved behind the next statement, unless no input makes the rest reach outside.

use crate::goldens;
use arr_ir::sample::Lcg;
use arr_ir::{Const, Data, Scalar, Value};
use arr_loops::{
    LoopFunc, ShadowFault, ShadowOptions, Stmt, Ty, access_steps, parse, print, shadow, unproved_accesses, verify,
};

/// A function with this body, of an array `x` of `n` numbers, an array `is` of `m` integers, and an integer `k`.
fn function(body: &str) -> LoopFunc {
    let text = format!(
        "loops f[n: i64, m: i64](x: buffer f64 [n], is: buffer i64 [m], k: i64) {{\nlet d: address f64 = data x\n\
         let e: address i64 = data is\nvar s: f64 = 0.0\n{body}\nlet r: f64 = s\nreturn r\n}}\n"
    );
    let func = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&func).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    func
}

fn unproved(body: &str) -> Vec<String> {
    unproved_accesses(&function(body)).into_iter().map(|fault| fault.message).collect()
}

#[track_caller]
fn proved(body: &str) {
    assert_eq!(unproved(body), Vec::<String>::new(), "{body}");
}

#[track_caller]
fn refused(body: &str, place: &str) {
    let found = unproved(body);
    assert!(found.iter().any(|fault| fault.contains(place)), "{body}\n{found:?}");
}

#[test]
fn loops_and_guards() {
    proved("for i < n {\nlet a: f64 = load d[i]\n}");
    refused("for i < m {\nlet a: f64 = load d[i]\n}", "i of n");
    refused("for i < n {\nlet j: i64 = add i, 1\nlet a: f64 = load d[j]\n}", "1 + i of n");
    proved("for i < n {\nlet j: i64 = add i, 1\nlet c: bool = lt j, n\nif c {\nlet a: f64 = load d[j]\n}\n}");
    proved("for i < n reverse {\nlet t: i64 = sub n, 1\nlet j: i64 = sub t, i\nlet a: f64 = load d[j]\n}");
    refused("let a: f64 = load d[0]", "0 of n");
    proved("let c: bool = gt n, 0\nif c {\nlet a: f64 = load d[0]\n}");
    // The other side of the condition.
    refused("let c: bool = gt n, 0\nif c {\n} else {\nlet a: f64 = load d[0]\n}", "0 of n");
}

#[test]
fn checks() {
    proved("check index k, n\nlet a: f64 = load d[k]");
    refused("let a: f64 = load d[k]\ncheck index k, n", "k of n");
    refused("check index k, m\nlet a: f64 = load d[k]", "k of n");
    refused("let c: bool = lt k, 3\nif c {\ncheck index k, n\n}\nlet a: f64 = load d[k]", "k of n");
    // A check in a loop holds for its iterations only if there are some.
    refused("for i < m {\ncheck index k, n\n}\nlet a: f64 = load d[k]", "k of n");
    proved("let some: bool = gt m, 0\nif some {\ncheck index k, n\n}\nfor i < m {\nlet a: f64 = load d[k]\n}");
    // A sum that wraps is inside after the check, though its parts are anything.
    proved("for i < n {\nlet j: i64 = add i, k\ncheck index j, n\nlet a: f64 = load d[j]\n}");
    proved(
        "let f: address f64 = offset d[k]\nfor i < n {\nlet j: i64 = add i, k\ncheck index j, n\nlet a: f64 = load f[i]\n}",
    );
    // So it is after the check of another sum with the same summand.
    proved(
        "let f: address f64 = offset d[k]\nlet t: i64 = mul k, m\nfor i < n {\nlet j: i64 = add k, i\ncheck index j, n\n\
         let p: i64 = add t, i\ncheck index p, m\nlet a: f64 = load f[i]\n}",
    );
    // Two conditions, one inside of the other.
    proved(
        "let b: bool = gt m, 0\nlet c: bool = gt n, 0\nif b {\nif c {\ncheck index k, n\n}\n}\nfor i < m {\nfor j < n {\n\
         let a: f64 = load d[k]\n}\n}",
    );
    refused(
        "let b: bool = gt m, 0\nlet c: bool = gt n, 0\nif b {\nif c {\ncheck index k, n\n}\n}\nfor i < m {\n\
         let a: f64 = load d[k]\n}",
        "k of n",
    );
}

#[test]
fn products_do_not_wrap_unnoticed() {
    let product = "let p: i64 = mul k, 4\ncheck index p, n\n";
    proved(&format!("{product}let a: f64 = load d[p]"));
    // `4 k` may be inside though `k` is far outside.
    refused(&format!("{product}let a: f64 = load d[k]"), "k of n");
    refused(
        "let j: i64 = add k, 1\ncheck index j, n\nlet c: bool = gt k, 0\nif c {\n}\nlet a: f64 = load d[k]",
        "k of n",
    );
}

/// Nests that check the contents of an array of positions, and that access these positions.
fn gathers(first: &str, second: &str, positions: &str) -> String {
    let check = format!("for i1 < m {{\nlet j1: i64 = load {positions}[i1]\ncheck index j1, n\n}}\n");
    let read = format!("for i2 < m {{\nlet j2: i64 = load {positions}[i2]\nlet a: f64 = load d[j2]\n}}\n");
    [first, second]
        .map(|which| {
            if which == "check" {
                check.clone()
            } else if which == "read" {
                read.clone()
            } else {
                which.to_string()
            }
        })
        .concat()
}

#[test]
fn elements_of_arrays() {
    proved(&gathers("check", "read", "e"));
    refused(&gathers("", "read", "e"), "j2 of n");
    refused(&gathers("read", "check", "e"), "j2 of n");
    // An array that was changed in between is another.
    let own = "let o: buffer i64 = alloc [m]\nlet g: address i64 = data o\nfor h < m {\nstore g[h] = k\n}\n";
    proved(&format!("{own}{}release o", gathers("check", "read", "g")));
    let changed = format!("{}for h2 < m {{\nstore g[h2] = n\n}}\n", gathers("check", "", "g"));
    refused(&format!("{own}{changed}{}release o", gathers("", "read", "g")), "j2 of n");
    // A loaded value is always one that was stored.
    refused(&format!("{own}{}release o", gathers("", "read", "g")), "j2 of n");
    let zeros = own.replace("= k", "= 0");
    let read = format!("let c: bool = gt n, 0\nif c {{\n{}}}\n", gathers("", "read", "g"));
    proved(&format!("{zeros}{read}release o"));
    refused(&format!("{own}{read}release o"), "j2 of n");
}

#[test]
fn what_is_carried() {
    let greatest = "var at: i64 = 0\nfor i < n {\nlet b: i64 = at\nlet c: bool = lt s, 1.0\nlet t: i64 = select c, i, b\nset at = t\n}\n\
                    let p: i64 = at\n";
    proved(&format!("check non_empty n\n{greatest}let a: f64 = load d[p]"));
    refused(&format!("{greatest}let a: f64 = load d[p]"), "of n");
    let counter =
        "var at: i64 = 0\nfor i < n {\nlet b: i64 = at\nlet a: f64 = load d[b]\nlet t: i64 = add b, 1\nset at = t\n}";
    refused(counter, "of n");
    // An array that is replaced by one of as many elements, or of more, or by none.
    let replaced = "let o: buffer f64 = alloc [n]\nvar v: buffer f64 = o\nfor t < m {\nlet w: buffer f64 = v\nlet q: address f64 = data w\n\
                    for i < n {\nlet a: f64 = load q[i]\n}\nrelease w\nlet y: buffer f64 = alloc [SIZE]\nset v = y\n}\nlet z: buffer f64 = v\nrelease z";
    proved(&replaced.replace("SIZE", "n"));
    refused(&replaced.replace("SIZE", "m"), "i of ?");
}

/// Facts that hold only in a taken branch, or in chunks that begin as in order, hold nowhere else.
#[test]
fn what_is_known_somewhere_else() {
    // With `k` the greatest integer `j` is negative.
    let after = "let j: i64 = add k, 1\nlet b: bool = lt j, n\nlet g: bool = ge k, 0\nif b {\nif g {\nlet a: f64 = load d[k]\n}\n}";
    let branch = |inside: &str| format!("let c: bool = gt m, 0\nif c {{\n{inside}\n}}\n{after}");
    refused(after, "k of n");
    let made = "check size_non_neg k\nlet o: buffer f64 = alloc [k]\nrelease o";
    proved(&format!("{made}\n{after}"));
    refused(&branch(made), "k of n");
    proved(&format!("check size_sum k, 1\n{after}"));
    refused(&branch("check size_sum k, 1"), "k of n");
    let chunks = "check non_empty n\nvar at: i64 = 0\nfor i < n parallel {\nlet b: i64 = at\nlet c: bool = lt b, 1\nlet t: i64 = select c, i, b\n\
                  set at = t\n} combine at from INIT with at.part: i64 {\nset at = at.part\n}\nlet p: i64 = at\nlet a: f64 = load d[p]";
    proved(&chunks.replace("INIT", "0"));
    refused(&chunks.replace("INIT", "7"), "of n");
    // One of two arrays, of which one may be shorter.
    let either = "let c: bool = gt k, 0\nlet o: buffer f64 = alloc [n]\nlet p: buffer f64 = alloc [SIZE]\nvar v: buffer f64\nif c {\nset v = o\nrelease p\n\
                  } else {\nset v = p\nrelease o\n}\nlet q: buffer f64 = v\nlet g: address f64 = data q\nfor i < n {\nstore g[i] = 0.0\n}\nrelease q";
    proved(&either.replace("SIZE", "n"));
    refused(&either.replace("SIZE", "m"), "i of ?");
}

#[test]
fn divided_ranges() {
    let parts = "let t: i64 = min k, n\nlet l: i64 = max 0, t\nlet rest: i64 = sub n, l\nfor part < 2 with lo step l {\n\
                 let first: bool = eq part, 0\nlet count: i64 = select first, l, rest\nlet p: address f64 = offset d[lo]\n\
                 for i < count {\nlet a: f64 = load p[i]\n}\n}";
    proved(parts);
    refused(&parts.replace("sub n, l", "sub n, 0"), "of n");
    let blocks = "let up: i64 = add n, 31\nlet blocks: i64 = div up, 32\nfor b < blocks with lo step 32 {\nlet rest: i64 = sub n, lo\n\
                  let count: i64 = min rest, 32\nlet p: address f64 = offset d[lo]\nfor i < count {\nlet a: f64 = load p[i]\n}\n}";
    proved(blocks);
    refused(&blocks.replace("min rest, 32", "max rest, 32"), "of n");
}

// Golden files.

/// Removes the check of this number, or moves it behind the next statement; returns whether there is one.
fn change(stmts: &mut Vec<Stmt>, swap: bool, left: &mut usize) -> bool {
    for at in 0..stmts.len() {
        if matches!(stmts[at], Stmt::Check { .. }) {
            if *left == 0 {
                if !swap {
                    stmts.remove(at);
                } else if at + 1 < stmts.len() {
                    stmts.swap(at, at + 1);
                }
                return true;
            }
            *left -= 1;
        }
        if stmts[at].bodies_mut().into_iter().any(|body| change(body, swap, left)) {
            return true;
        }
    }
    false
}

/// Arguments of these sizes whose integers are indices just inside, just outside and far away.
fn arguments(func: &LoopFunc, sizes: &[i64], seed: u64) -> Option<Vec<Value>> {
    const INDICES: [i64; 8] = [0, 1, 2, 0, -1, 3, 10_000, -10_000];
    let mut random = Lcg::new(seed);
    let mut locals: Vec<(arr_loops::LocalId, i64)> = func.sizes.iter().copied().zip(sizes.iter().copied()).collect();
    let mut args = Vec::new();
    for param in &func.params {
        let kinds = if random.next_u64().is_multiple_of(3) { INDICES.len() } else { 3 };
        let mut index = || INDICES[random.next_u64() as usize % kinds];
        let ty = func.ty(param.local);
        let Ty::Buffer(elem) = ty else {
            let value = match ty.elem() {
                Scalar::I64 => Const::I64(index()),
                Scalar::F64 => Const::F64(index() as f64),
                other => Const::zero(other),
            };
            locals.extend(value.as_i64().map(|v| (param.local, v)));
            args.push(Value::Scalar(value));
            continue;
        };
        let mut known = |local| locals.iter().find(|(l, _)| *l == local).map(|(_, v)| *v);
        let dims: Vec<i64> = param.dims.iter().map(|size| size.eval(&mut known)).collect::<Option<_>>()?;
        if dims.iter().any(|&d| !(0..=64).contains(&d)) {
            return None;
        }
        let count = dims.iter().product::<i64>();
        let data = match elem {
            Scalar::I64 => Data::I64((0..count).map(|_| index()).collect()),
            Scalar::F64 => Data::F64((0..count).map(|_| index() as f64).collect()),
            Scalar::F32 => Data::F32((0..count).map(|_| index() as f32).collect()),
            Scalar::Bool => Data::Bool((0..count).map(|_| index() > 0).collect()),
            _ => return None,
        };
        args.push(Value::array(dims, data));
    }
    Some(args)
}

/// A fault of an access, if some arguments cause one.
fn outside(func: &LoopFunc) -> Option<String> {
    let options = ShadowOptions { most_steps: 20_000, ..ShadowOptions::default() };
    for case in 0..48u64 {
        let sizes: Vec<i64> = (0..func.sizes.len()).map(|k| (case >> (2 * k)) as i64 & 3).collect();
        let Some(args) = arguments(func, &sizes, case) else { continue };
        let found = shadow(func, &sizes, &args, &options).faults;
        if let Some(fault) = found.iter().find(|fault| matches!(fault, ShadowFault::Outside { .. })) {
            return Some(format!("{fault} with {sizes:?} {args:?}"));
        }
    }
    None
}

#[test]
fn every_check_is_needed_or_protects_nothing() {
    let mut refused = 0;
    for path in goldens::files("loops") {
        let func = parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        // Some cases leave out the checks of their programs.
        let before = unproved_accesses(&func).len();
        for swap in [false, true] {
            for number in 0.. {
                let mut changed = func.clone();
                if !change(&mut changed.body, swap, &mut { number }) {
                    break;
                }
                if verify(&changed).is_err() || unproved_accesses(&changed).len() > before {
                    refused += 1;
                } else if before == 0 {
                    let found = outside(&changed);
                    assert_eq!(found, None, "{}, swap {swap} {number}\n{}", path.display(), print(&changed));
                }
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

/// Whatever is wrong with a function's checks: after the pass that checks unproved accesses, every access is proved,
/// and no input makes it reach outside.
#[test]
fn what_is_not_proved_is_checked() {
    let pass = arr_loops::PASSES.iter().find(|pass| pass.name == "bounds-checks").unwrap();
    let options = arr_loops::LowerOptions::default();
    let mut checked = 0;
    for path in goldens::files("loops") {
        let func = parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let scans = arr_loops::any_stmt(&func.body, &|stmt| matches!(stmt, Stmt::For(l) if l.scan.is_some()));
        for case in 0.. {
            let mut changed = func.clone();
            if scans || !change(&mut changed.body, case % 2 == 1, &mut { case / 2 }) {
                break;
            }
            if verify(&changed).is_err() || unproved_accesses(&changed).is_empty() {
                continue;
            }
            checked += 1;
            (pass.run)(&mut changed, &options).unwrap();
            assert_eq!(verify(&changed), Ok(()), "{}", path.display());
            assert_eq!(unproved_accesses(&changed), Vec::new(), "{}\n{}", path.display(), print(&changed));
            assert_eq!(outside(&changed), None, "{}\n{}", path.display(), print(&changed));
        }
    }
    assert!(checked > 20, "{checked}");
}

/// None of the checks that the pass has made can be left out.
#[test]
fn checks_of_places_are_needed() {
    let mut refused = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/passes/bounds-checks")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "after") {
            continue;
        }
        let func = parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(unproved_accesses(&func), Vec::new(), "{}", path.display());
        for swap in [false, true] {
            for number in 0.. {
                let mut changed = func.clone();
                if !change(&mut changed.body, swap, &mut { number }) {
                    break;
                }
                // Of two accesses to one place, the second check says no more than the first.
                let second = path.ends_with("state.after") && number == 1;
                assert_eq!(unproved_accesses(&changed).is_empty(), second, "{} {swap} {number}", path.display());
                refused += usize::from(!second);
            }
        }
    }
    assert!(refused > 4, "{refused}");
}

#[test]
fn no_pass_loses_a_proof() {
    for path in goldens::files("loops") {
        let text = std::fs::read_to_string(path.with_extension("ir")).unwrap();
        let func = arr_ir::parse_func(&text).unwrap();
        for (relaxed, blocks) in [(false, false), (true, true)] {
            let options = arr_loops::LowerOptions { relaxed, blocks, ..arr_loops::LowerOptions::default() };
            let mut loops = arr_loops::lower_unoptimized(&func, options).unwrap();
            let mut known = unproved_accesses(&loops).len();
            arr_loops::run_passes(&mut loops, &options, &|_| false, &mut |name, loops| {
                let found = unproved_accesses(loops);
                assert!(known > 0 || found.is_empty(), "{} after {name}: {found:?}\n{}", path.display(), print(loops));
                known = found.len();
                Ok(())
            })
            .unwrap();
        }
    }
}

/// A nest of loops, each of which changes an integer: a guess about one is a guess about all in it.
fn nest(depth: usize) -> String {
    let open = |level: usize| {
        format!(
            "var c{level}: i64 = 0\nfor i{level} < n {{\nlet a{level}: i64 = add c{level}, 1\n\
             let t{level}: i64 = min a{level}, 2\nset c{level} = t{level}\n"
        )
    };
    let opened: String = (0..depth).map(open).collect();
    format!("{opened}let a: f64 = load d[i0]\n{}", "}\n".repeat(depth))
}

/// Not exponential in the depth, whose double takes at most the cube of two times as many steps: each of the loops is
/// walked for a guess about one that it is in, but not for each combination of guesses about all of them.
#[test]
fn nested_loops_are_walked_once_per_guess() {
    proved(&nest(6));
    let steps = |depth| access_steps(&function(&nest(depth)));
    assert!(steps(4) > 4 * 4, "{}", steps(4));
    assert!(steps(12) <= 8 * steps(6), "{} and {}", steps(12), steps(6));
}
