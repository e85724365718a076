//! Numbers without a type: what makes them integers and floats, by the reference interpreter.

use crate::common::{check, eval, render_all};

const DEFINITIONS: &str = "
    def same[t: float](x: t) -> t = x
    def both[t: float](x: t, y: t) -> t = x + y
    def half(x: f32) -> f32 = 0.5f32 * x
    def three = 3
";

#[test]
fn a_function_of_floats_makes_its_number_a_float() {
    for (expr, value) in [
        ("same(2)", "2.0"),
        ("both(2, 1.5f32)", "3.5f32"),
        ("both(1, 2)", "3.0"),
        ("same([1, 2])", "[1.0, 2.0]"),
        ("half(same(2))", "1.0f32"),
        ("sqrt(4)", "2.0"),
        ("half(sqrt(4))", "1.0f32"),
        ("1.5 * sqrt(4)", "3.0"),
        ("max(1, sqrt(4))", "2.0"),
        ("2.0 ** sqrt(4)", "4.0"),
        ("4 ** 0.5", "2.0"),
        ("4 ** 2", "16"),
        ("mean([1, 2])", "1.5"),
        ("is_nan(0)", "false"),
        ("atan2(0, 1)", "0.0"),
    ] {
        assert_eq!(eval(DEFINITIONS, expr), value, "{expr}");
    }
}

#[test]
fn uses_make_a_number_a_float() {
    for (expr, value) in [
        ("loop s = 0 for i < 3 do s + 0.5", "1.5"),
        ("loop (n, s) = (0, 0) for i < 3 do (n + 1, s + 0.5)", "3; 1.5"),
        ("loop s = 0 for x in [1.5f32] do s * 0.5 + x", "1.5f32"),
        ("let n = 2 in n * 2.5", "5.0"),
        ("let n = 2 in [n, 2.5]", "[2.0, 2.5]"),
        ("let n = 4 in sqrt(n)", "2.0"),
        ("let n = 4 in same(n)", "4.0"),
        ("let n = 4 in if n > 4.5 then 1 else 2", "2"),
        ("let n = 2 in max(n, 1.5)", "2.0"),
        ("let n = 2 in sum(for i < n => 1.5) * 0.5", "1.5"),
        ("let n = 1 in [10, 20][n]", "20"),
        ("let n = 2 in (iota(n), 0.5)", "[0, 1]; 0.5"),
        ("let z = zeros(3) with [0] = three in z", "[3, 0, 0]"),
        ("let z = zeros(3) with [0] = 1 with [1] = three in z", "[1, 3, 0]"),
        ("let z = zeros(2) with [0] = 1 in z * 2.0f32", "[2.0f32, 0.0f32]"),
        ("zeros(2) with [0] = 1", "[1.0, 0.0]"),
    ] {
        assert_eq!(eval(DEFINITIONS, expr), value, "{expr}");
    }
}

#[test]
fn variables_are_not_converted() {
    for (expr, code) in [
        ("same(three)", "E0310"),
        ("sqrt(three)", "E0302"),
        ("let n = 2 in (n * 2.5, for i < n => i)", "E0311"),
        ("loop s = three for i < 3 do s + 0.5", "E0311"),
    ] {
        let found = eval(DEFINITIONS, expr);
        assert!(found.starts_with(code), "{expr}\n{found}");
    }
}

#[test]
fn a_loop_that_begins_as_an_integer_is_told_to_begin_as_a_float() {
    let (_, found, map) = check("def f(x: [n]f64) = let g = \\v => v in loop s = 0 for v in x do g(v)");
    let text = render_all(&found, &map);
    assert!(text.starts_with("E0301") && text.contains("hint: the state keeps the type that it begins with"), "{text}");
}

#[test]
fn tangents_have_the_floats_of_the_argument() {
    for (expr, value) in [
        ("jvp(\\((n, x)) => f64(n) * x, (3i64, 2.0), ((), 1.0))", "6.0; 3.0"),
        ("jvp(\\((n, x)) => f64(n) * x, (3, 2.0), ((), 1))", "6.0; 3.0"),
        ("jvp(\\((p, y)) => f64(p.n) * p.x * y, ({ n = 3, x = 2.0 }, 4.0), ({ x = 1.0 }, 0.0))", "24.0; 12.0"),
        ("jvp(\\((x, y)) => x * y, (2, 3), (1.0, 0))", "6.0; 3.0"),
        ("jvp(\\x => x * x, 3, 1)", "9.0; 6.0"),
        ("jvp(\\p => p.x * p.x, { x = 3, n = 1 }, { x = 1 })", "9.0; 6.0"),
        ("let (y, push) = linearize(\\((n, x)) => f64(n) * x, (3, 2.0)) in push(((), 1))", "3.0"),
    ] {
        assert_eq!(eval("", expr), value, "{expr}");
    }
}

#[test]
fn arrays_of_tuples_are_compared_element_by_element() {
    for (expr, value) in [
        ("[(1, 2)] == [(1, 2)]", "[true]"),
        ("[(1, 2), (3, 4)] != [(1, 2), (3, 5)]", "[false, true]"),
        ("[(1, 2), (3, 4)] == (3, 4)", "[false, true]"),
        ("[{ a = [1, 2], b = true }] == [{ b = true, a = [1, 2] }]", "[true]"),
        ("[[(1, 2)], [(3, 4)]] == [(3, 4)]", "[[false], [true]]"),
    ] {
        assert_eq!(eval("", expr), value, "{expr}");
    }
    for expr in ["[(1, 2)] == [(1, 2.5)]", "[(1, 2)] == [(1, 2), (3, 4)]", "[(1, 2)] == [(1, 2, 3)]"] {
        assert!(eval("", expr).starts_with('E'), "{expr}");
    }
}
