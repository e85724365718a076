//! The verifier: the faults that it refuses, one each, and its messages.

/// A function with this body, of an array `x` of `n` numbers and a number `s`.
fn function(body: &str, result: &str) -> arr_loops::LoopFunc {
    let text = format!("loops f[n: i64](x: buffer f64 [n], s: f64) {{\n{body}\nreturn {result}\n}}\n");
    arr_loops::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn faults(body: &str, result: &str) -> Vec<String> {
    match arr_loops::verify(&function(body, result)) {
        Ok(()) => Vec::new(),
        Err(faults) => faults.into_iter().map(|f| f.message).collect(),
    }
}

#[track_caller]
fn refused(body: &str, result: &str, with: &str) {
    let found = faults(body, result);
    assert!(found.iter().any(|fault| fault.contains(with)), "{body}\n{found:?}");
}

#[track_caller]
fn accepted(body: &str, result: &str) {
    assert_eq!(faults(body, result), Vec::<String>::new(), "{body}");
}

#[test]
fn types() {
    accepted("let a: f64 = add s, 1.0", "a");
    refused("let a: f64 = add s, n", "a", "`add` is not defined");
    refused("let a: i64 = add s, 1.0", "a", "declared");
    refused("let a: f64 = load s[0]", "a", "`s` is no address");
    refused("let d: address f64 = data x\nlet a: f64 = load d[s]", "a", "an offset");
    refused("check index n", "s", "check index of 1 values");
    refused("if n {\n}", "s", "a condition");
}

#[test]
fn locals() {
    refused("let a: f64 = add s, 1.0\nlet a: f64 = add s, 2.0", "a", "bound twice");
    refused("for i < n {\nlet a: f64 = add s, 1.0\n}", "a", "where it is not bound");
    refused("var a: f64\nlet c: bool = lt s, 0.0\nif c {\nset a = 1.0\n}", "a", "before it is set");
    refused("var a: f64\nfor i < n {\nset a = 1.0\n}", "a", "before it is set");
    accepted("var a: f64\nlet c: bool = lt s, 0.0\nif c {\nset a = 1.0\n} else {\nset a = 2.0\n}", "a");
    accepted("var a: f64\nrepeat {\nset a = 1.0\n} while true {\n}", "a");
    refused("let a: f64 = add s, 1.0\nset a = s", "a", "is no variable");
}

#[test]
fn references() {
    accepted("let a: buffer f64 = alloc [n]", "a [n]");
    refused("let a: buffer f64 = alloc [n]", "s", "never given up");
    refused("let a: buffer f64 = alloc [n]\nrelease a\nrelease a", "s", "owns no reference");
    refused(
        "let a: buffer f64 = alloc [n]\nrelease a\nlet d: address f64 = data a\nstore d[0] = s",
        "s",
        "after its array",
    );
    refused("let a: buffer f64 = alloc [n]\nlet c: bool = lt s, 0.0\nif c {\nrelease a\n}", "s", "behind a branch");
    refused("release x", "s", "owns no reference");
    refused("", "x [n]", "owns no reference");
    accepted("retain x", "x [n]");
    // An array that each iteration replaces.
    let carried = "let a: buffer f64 = alloc [n]\nvar v: buffer f64 = a\nfor i < n {\nlet o: buffer f64 = v\nDROP\n\
                   let b: buffer f64 = alloc [n]\nset v = b\n}\nlet r: buffer f64 = v";
    accepted(&carried.replace("DROP", "release o"), "r [n]");
    refused(&carried.replace("DROP", ""), "r [n]", "never given up");
    refused(&carried.replace("DROP", "release o\nrelease a"), "r [n]", "owns no reference");
    // One of two arrays.
    let either = "let c: bool = lt s, 0.0\nvar v: buffer f64\nif c {\nretain x\nset v = x\n} else {\n\
                  let b: buffer f64 = alloc [n]\nset v = b\n}";
    accepted(either, "v [n]");
    refused(either, "s", "never given up");
}

#[test]
fn stores() {
    let store = |before: &str| format!("{before}\nlet d: address f64 = data b\nstore d[0] = s");
    refused("let d: address f64 = data x\nstore d[0] = s", "s", "an argument");
    accepted(&store("retain x\nlet b: buffer f64 = unique x"), "b [n]");
    refused(&format!("{}\nrelease b", store("let b: buffer f64 = alloc [n]\nretain b")), "b [n]", "two references");
}

#[test]
fn parallel_loops() {
    let body = |inside: &str, mark: &str| {
        format!(
            "let b: buffer f64 = alloc [n]\nlet d: address f64 = data b\nvar t: f64 = 0.0\n\
             for i < n parallel{mark} {{\n{inside}\n}}"
        )
    };
    accepted(&body("store d[i] = s", ""), "b [n]");
    refused(&body("store d[0] = s", ""), "b [n]", "one place");
    refused(&body("for k < 3 {\nstore d[k] = s\n}", ""), "b [n]", "one place");
    accepted(&body("let o: f64 = load d[0]\nlet p: f64 = add o, s\nstore d[0] = p", " adding to b at d"), "b [n]");
    refused(&body("set t = s", ""), "b [n]", "no partial result");
    refused(&body("let a: buffer f64 = alloc [n]\nrelease a", ""), "b [n]", "manages memory");
    accepted(&body("let a: buffer f64 = alloc [n]\nrelease a", " allocating"), "b [n]");
}

/// An array without elements is never stored to, so that all iterations may name one place.
#[test]
fn stores_to_nothing() {
    let text = |size: &str| {
        format!(
            "let a: buffer f64 = alloc [n, {size}]\nlet d: address f64 = data a\nfor i < n parallel {{\ncheck index 0, {size}\n\
             store d[0] = s\n}}\nrelease a"
        )
    };
    accepted(&text("0"), "s");
    refused(&text("1"), "s", "one place");
}
