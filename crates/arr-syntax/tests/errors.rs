//! Diagnostics of broken programs: the golden files hold each program with its diagnostics.

use crate::support::*;

/// Each program is followed by its diagnostics and by the items that survive.
fn report(programs: &[&str]) -> String {
    let mut out = String::new();
    for text in programs {
        let parsed = arr_syntax::parse_module(file(), text);
        out.push_str("----------------------------------------\n");
        for line in text.lines() {
            out.push_str(&format!("| {line}\n"));
        }
        out.push_str(&render_all(text, &parsed.diagnostics));
        let names: Vec<String> = parsed.module.items.iter().map(item_name).collect();
        out.push_str(&format!("  items: {}\n", names.join(" ")));
        assert!(!parsed.diagnostics.is_empty(), "no diagnostic for {text}");
    }
    out
}

fn item_name(item: &arr_syntax::ast::Item) -> String {
    use arr_syntax::ast::{ExprKind, ImportPath, Item};
    match item {
        Item::Def(d) if matches!(*d.body.kind, ExprKind::Error) => format!("{}(broken)", d.name.text),
        Item::Def(d) => d.name.text.clone(),
        Item::Type(t) => t.name.text.clone(),
        Item::Import(i) => match &i.path {
            ImportPath::Std(n) => n.text.clone(),
            ImportPath::File { path, .. } => path.clone(),
        },
        Item::Derivative(d) => format!("derivative-{}", d.name.text),
        Item::Test(t) => format!("test-{}", t.title()),
        Item::Error(_) => "(broken)".into(),
    }
}

#[test]
fn unexpected_tokens() {
    golden(
        "unexpected",
        &report(&[
            "def f(x: f64) -> f64 = x + * 2.0",
            "def f(x: f64) -> f64 = x ) + 2.0\ndef g = 1",
            "def f(x: f64) -> f64 = (x, 2.0]\ndef g = 1",
            "def f(x: f64) -> f64 = [x, * 2, + 1]",
            "def f = g(1 2, 3 + , 4)",
            "def f = { a = 1, b 2, c = 3 }",
            "def f = a[i, *, :]",
            "def f = a[]",
            "def f = {}",
            "def f(x f64) = x",
            "def f(x: ) = x\ndef g = 2",
            "def f(x: f64, = x\ndef g = 2",
            "def 3 = 4\ndef g = 2",
            "def f(x: f64)\ndef g = 2",
            "def f(x: [n f64) -> f64 = 1.0",
            "def f(x: [n]) -> f64 = 1.0",
            "def f(x: [n**2]f64) -> f64 = 1.0",
            "def f(x: M[k, *]) -> f64 = 1.0",
            "def f(x: M[[n]f64 + 1]) -> (M[n], f64) = 1.0",
            "def f(x: M[(2, n)]) = 1.0",
            "type T = \ndef g = 2",
            "type T = A |\ndef g = 2",
            "type T = A(f64)",
            "type T = a | B(f64)",
            "type = f64",
            "import 3",
            "import linalg as",
            "import linalg foo",
            "derivative f(x) = * 2",
            "derivative f = 2",
            "x = 3\ndef g = 2",
            "$ x\ndef g = 2",
            "let x = 3\ndef g = x",
            "derivative f = 3",
            "test f = true",
            "test \"f\" x = true",
            "test \"f\" within x = true",
            "test \"f\" gradient (x: f64) within 1e-3 = x",
            "def f = 1\ntest = true\ntest \"a\" = (1 +\ntest \"b\" = true",
            "def f = 1\ng = 2\ndef h = 3",
            "def f = 1\nh(x) = 2\ndef k = 3",
            "def f(x: t, g: type) = 1",
            "def f[t](x: t) = x",
            "def f[t: number](x: t) = x",
            "def f = match s { Circle(r) => 1, * => 2, r(x) => 3, 2.5 => 4 }",
            "def f = match s { Circle(r) -> 1, B => 2 }",
            "def f = \\(x, *, y) => x",
            "def f = t.x.1.5.9999999999999",
            "def f = t.0f32",
            "def f = \"text\"",
        ]),
    );
}

#[test]
fn mistakes() {
    golden(
        "mistakes",
        &report(&[
            "def f(x: f64) = if x = 1.0 then 1.0 else 2.0",
            "def f(x: f64) = let y == 1.0 in y",
            "def f(a: bool, b: bool) = a && b || !a",
            "def f = lambda x: x + 1",
            "def f = fn x => x + 1",
            "def f = map(\\x -> x + 1, xs)",
            "def f = for i < n -> a[i]",
            "def f = for i < n = a[i]",
            "def f(x: f64) => x",
            "def f: (f64) => f64 = x",
            "def f =\n  let x = 1\n  x + 2\ndef g = 1",
            "def f = let x = 1\ndef g = 1",
            "def f(x: f64) = if x > 0.0 then 1.0\ndef g = 1",
            "def f(x: f64) = (if x > 0.0 then 1.0)",
            "def f(x: f64) = if x > 0.0 { 1.0 } else { 2.0 }",
            "def f(x: f64) = if x > 0.0 then 1.0 elif x < 2.0 then 3.0 else 4.0",
            "def f(a: i64, b: i64, c: i64) = a < b < c",
            "def f(a: i64, b: i64, c: i64) = a < b <= c == d",
            "def f(x: f64) = sin x",
            "def f(x: f64) = return x",
            "def f = x += 1",
            "def f = a | b",
            "def f = a // comment",
            "def f = 1.",
            "def f = x == not y",
            "def f = x in y",
            "def f(x: f64) = { let y = 1 in y }",
            "def f = let g(x) = x in g(2)",
            "def f = loop acc = 0 do acc",
            "def f = loop acc = 0 for i do acc",
            "def f = loop acc = 0 for i < n => acc",
            "def f = let then = 1 in then",
            "def f = r.type",
            "def f = let mut x = 1 in x",
            "def f = var x = 1",
            "def f = x -> x + 1",
            "def f = x where x = 1",
        ]),
    );
}

#[test]
fn characters_and_numbers() {
    golden(
        "lexical",
        &report(&[
            "def f(x: f64) -> f64 = x $ 2.0",
            "def f(x: f64) -> f64 = x $$?$ 2.0\ndef g = 1 ; 2\ndef h = 3",
            "def f(x: f64) = x ^ 2.0",
            "# comment\ndef f = 1",
            "def f = (λ, ≤, 2 × 3)",
            "def f = 'a'",
            "import \"unclosed\ndef f = 1",
            "def f() -> i32 = 99999999999i32",
            "def f = (2147483648i32, -2147483648i32, 5 - 2147483648i32, 4294967296u32, 9223372036854775808i64)",
            "def f = (3f16, 3.0i32, 1e3i64, 1e, 1_000, 0x1F, 1e999, 1e39f32, 3x)",
            "def f = match s { 1i32 => 1, 9223372036854775808 => 2 }",
            "def f(x: [3.5]f64, y: [99999999999999999999]f64) = 1",
        ]),
    );
}

#[test]
fn ends() {
    golden(
        "ends",
        &report(&[
            "def f(x: f64) -> f64 = (x + 2.0",
            "def f(x: f64) -> f64 = (x + 2.0\ndef g = 1",
            "def f = x +",
            "def f = x +\n\n--| doc\ndef g = 1",
            "def f = [1, 2, { a = 3 ",
            "def f = g(\\x => [x, 2\ndef g = 1",
            "def",
            "def f",
            "def f(",
            "def f(x: [n",
            "type T[k",
            "import",
            "def f = for i < n",
            "def f = for x in",
            "def f = loop x = 1 while x < 2",
            "def f = \\x",
            "def f = match s { A => 1, B",
            "def f = match s",
            "def f = a with [1]",
            "def f = let x",
        ]),
    );
}

#[test]
fn many_errors_in_one_file() {
    golden(
        "many",
        &report(&[
            "def a = 1 +\ndef b = (2\ndef c = 3 $ 4\ntype T = *\ndef d = [1 2, 3 4, (5 6), 7]\nderivative q(x) = )\ndef e = 5",
            "def f =\n  let a = 1 * in\n  let b = (2 3) in\n  let c = + 4\n  let d = 5 6\n  in g(a b, c, d +)",
            "def f = (a b))) + (c d)\ndef g = )",
            "def f(x: f64, y z, (w: f64) = x\ndef g(1 +) = 2",
        ]),
    );
}

#[test]
fn expressions_alone() {
    let mut out = String::new();
    for text in ["", "1 +", "def f = 1", "(1", "f x", "x = 2", "1 2", "$", "--| doc\n"] {
        let (_, diagnostics) = arr_syntax::parse_expr(file(), text);
        out.push_str(&format!("| {text}\n{}", render_all(text, &diagnostics)));
        assert!(!diagnostics.is_empty());
    }
    golden("expression", &out);
}

/// The example that `arr explain` shows for a syntax code gives only that code; the examples of all others are
/// well-formed syntax.
#[test]
fn examples_of_the_code_table() {
    for row in arr_base::CODES {
        let Some(example) = row.example else { continue };
        let found: Vec<_> = arr_syntax::parse_module(file(), example).diagnostics.iter().map(|d| d.code).collect();
        let expected = if row.family == arr_base::Family::Syntax { vec![row.code] } else { vec![] };
        assert_eq!(found, expected, "{example}");
    }
}
