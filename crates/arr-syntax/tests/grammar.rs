//! The syntax trees of each form of the language.

use crate::support::sexpr::sexpr;
use crate::support::*;
use arr_syntax::ast::*;

fn check(table: &[(&str, &str)]) {
    for (text, tree) in table {
        assert_eq!(sexpr(&expr(text)), *tree, "{text}");
    }
}

#[test]
fn precedence() {
    check(&[
        ("-x ** 2", "(neg (** x 2))"),
        ("x ** -2.0", "(** x (neg 2.0))"),
        ("x ** -y ** z", "(** x (neg (** y z)))"),
        ("x ** y ** z", "(** x (** y z))"),
        ("x[0] ** f(y).a", "(** (index x [0]) (. (call f y) a))"),
        ("-x @ y", "(@ (neg x) y)"),
        ("x @ -y", "(@ x (neg y))"),
        ("x @ y @ z", "(@ (@ x y) z)"),
        ("x * y @ z", "(* x (@ y z))"),
        ("x @ y * z", "(* (@ x y) z)"),
        ("x * y / z % w", "(% (/ (* x y) z) w)"),
        ("x + y * z - w", "(- (+ x (* y z)) w)"),
        ("x - y - z", "(- (- x y) z)"),
        ("x - -y", "(- x (neg y))"),
        ("- -x", "(neg (neg x))"),
        ("x + y < z - w", "(< (+ x y) (- z w))"),
        ("not x == y", "(not (== x y))"),
        ("not not x", "(not (not x))"),
        ("not x and y", "(and (not x) y)"),
        ("x and not y or z", "(or (and x (not y)) z)"),
        ("x or y and z", "(or x (and y z))"),
        ("x or y :> t", "(:> (or x y) t)"),
        ("x :> t :> u", "(:> (:> x t) u)"),
        ("x :> [n]f64 with [0] = y or z :> t", "(:> (with (:> x [n]f64) [0] (or y z)) t)"),
        ("a with [i] = x with [j] = y", "(with (with a [i] x) [j] y)"),
    ]);
}

#[test]
fn open_forms_reach_right() {
    check(&[
        ("x + let y = 1.0 in y", "(+ x (let y=1.0 y))"),
        ("x + let y = 1.0 in y + 2.0", "(+ x (let y=1.0 (+ y 2.0)))"),
        ("a and not if b then c else d or e", "(and a (not (if b c (or d e))))"),
        ("-\\x => -x + 1", "(neg (\\ [x] (+ (neg x) 1)))"),
        ("x ** -if a then b else c", "(** x (neg (if a b c)))"),
        ("a @ for i < n => b @ c", "(@ a (for [i<n] (@ b c)))"),
        ("a == \\x => x == y", "(== a (\\ [x] (== x y)))"),
        ("a with [0] = if b then c else d with [1] = e", "(with a [0] (if b c (with d [1] e)))"),
        ("\\x => x :> t", "(\\ [x] (:> x t))"),
        ("if a then b else c :> t", "(if a b (:> c t))"),
        ("a * loop s = 0 while b do s * 2", "(* a (loop s=0 [while b] (* s 2)))"),
        ("match a { _ => 1 } + 2", "(+ (match a _=>1) 2)"),
        ("not match a { _ => b }.c", "(not (. (match a _=>b) c))"),
        ("if let x = a in x then let y = b in y else c", "(if (let x=a x) (let y=b y) c)"),
        ("for x in \\y => y => x", "(for [x in (\\ [y] y)] x)"),
    ]);
}

#[test]
fn lets() {
    check(&[
        ("let x = 1 in x", "(let x=1 x)"),
        ("let x = 1 let y = 2 in x", "(let x=1 y=2 x)"),
        ("let x = 1 in let y = 2 let z = 3 in x", "(let x=1 y=2 z=3 x)"),
        ("let x = 1 in (let y = 2 in x)", "(let x=1 y=2 x)"),
        ("let x = let y = 1 let z = 2 in y let w = 3 in w", "(let x=(let y=1 z=2 y) w=3 w)"),
        ("let (a, (b, _)) = p in a", "(let (a, (b, _))=p a)"),
        ("let { x, y = (a, b) } = p in a", "(let { x, y = (a, b) }=p a)"),
        ("let x: [n]f64 = p in x", "(let x:[n]f64=p x)"),
        ("let () = p in 1", "(let ()=p 1)"),
        ("let Q = p in Q", "(let Q=p Q)"),
        ("let (Q, R) = qr(A) in Q", "(let (Q, R)=(call qr A) Q)"),
    ]);
    let e = expr("let Only(x) = p in x");
    let ExprKind::Let(bindings, _) = &*e.kind else { panic!() };
    assert!(
        matches!(&bindings[0].pattern.kind, PatternKind::Constructor(n, fields) if n.text == "Only" && fields.len() == 1)
    );
    let e = expr("let (Q, _) = p in x");
    let ExprKind::Let(bindings, _) = &*e.kind else { panic!() };
    let PatternKind::Tuple(parts) = &bindings[0].pattern.kind else { panic!() };
    assert_eq!(parts[0].kind, PatternKind::Name("Q".into()));
}

#[test]
fn loops_and_comprehensions() {
    check(&[
        ("for i < n, j < m => i + j", "(for [i<n, j<m] (+ i j))"),
        ("for i < n - 1, j < 2 * m => i", "(for [i<(- n 1), j<(* 2 m)] i)"),
        ("for i, j => a[i, j]", "(for [i, j] (index a [i j]))"),
        ("for x in xs, (a, b) in ps, i < 3, k => x", "(for [x in xs, (a, b) in ps, i<3, k] x)"),
        ("for i < f(n)[0] => i", "(for [i<(index (call f n) [0])] i)"),
        ("for i < (a < b) => i", "(for [i<(< a b)] i)"),
        ("for x in a with [0] = 1 => x", "(for [x in (with a [0] 1)] x)"),
        ("loop acc = 0.0 for i < n do acc + x[i]", "(loop acc=0.0 [i<n] (+ acc (index x [i])))"),
        ("loop (a, b) = (1, 2) for x in xs do (b, a)", "(loop (a, b)=(tuple 1 2) [x in xs] (tuple b a))"),
        ("loop acc: f64 = 1.0 while acc < 9.0 do acc * 2.0", "(loop acc:f64=1.0 [while (< acc 9.0)] (* acc 2.0))"),
        ("loop a = loop b = 0 for i < n do b for (j, _) in m do a", "(loop a=(loop b=0 [i<n] b) [(j, _) in m] a)"),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("\\x => x", "(\\ [x] x)"),
        ("\\(x) => x", "(\\ [x] x)"),
        ("\\(x, y) => x", "(\\ [x y] x)"),
        ("\\((x, y)) => x", "(\\ [(x, y)] x)"),
        ("\\((x, y), z) => x", "(\\ [(x, y) z] x)"),
        ("\\() => x", "(\\ [] x)"),
        ("\\_ => x", "(\\ [_] x)"),
        ("\\{ x } => x", "(\\ [{ x }] x)"),
        ("\\x: f64 => x", "(\\ [x:f64] x)"),
        ("\\(x: f64, y: [n]f64,) => x", "(\\ [x:f64 y:[n]f64] x)"),
        ("f()", "(call f)"),
        ("f(x, y,)", "(call f x y)"),
        ("f(x)(y).z[i](w)", "(call (index (. (call (call f x) y) z) [i]) w)"),
        ("f((+), (-), (*), (/), (%), (**), (@))", "(call f (+) (-) (*) (/) (%) (**) (@))"),
        ("f((==), (!=), (<), (<=), (>), (>=), (and), (or))", "(call f (==) (!=) (<) (<=) (>) (>=) (and) (or))"),
        ("(-x)", "(neg x)"),
        ("(-)", "(-)"),
        ("(-)(x, y)", "(call (-) x y)"),
    ]);
}

#[test]
fn indexing_and_data() {
    check(&[
        ("a[i]", "(index a [i])"),
        ("a[i, :]", "(index a [i (slice _ _ _)])"),
        ("a[:, j]", "(index a [(slice _ _ _) j])"),
        ("a[lo:hi]", "(index a [(slice lo hi _)])"),
        ("a[1:]", "(index a [(slice 1 _ _)])"),
        ("a[:-1]", "(index a [(slice _ (neg 1) _)])"),
        ("a[lo:hi:step, i,]", "(index a [(slice lo hi step) i])"),
        ("a[::2]", "(index a [(slice _ _ 2)])"),
        ("a[i][j]", "(index (index a [i]) [j])"),
        ("t.0.1", "(. (. t 0) 1)"),
        ("t.0.1.2.x.3", "(. (. (. (. (. t 0) 1) 2) x) 3)"),
        ("t . 0 . 1", "(. (. t 0) 1)"),
        ("f(x).0", "(. (call f x) 0)"),
        ("[]", "(array)"),
        ("[a, b,]", "(array a b)"),
        ("[[1, 2], [3, 4]]", "(array (array 1 2) (array 3 4))"),
        ("()", "(tuple)"),
        ("(a)", "a"),
        ("(a,)", "(tuple a)"),
        ("(a, b,)", "(tuple a b)"),
        ("{ x = a, y = { z = b }, }", "(record x=a y=(record z=b))"),
        ("{ x, y = b }", "(record x=x y=b)"),
        ("{ x }", "(record x=x)"),
        ("{ x with y }", "(update x y=y)"),
        ("{ r with x = a, y = b, }", "(update r x=a y=b)"),
        ("{ r.s with x = a }", "(update (. r s) x=a)"),
        ("{ (a with [0] = 1) with x = a }", "(update (with a [0] 1) x=a)"),
        ("match s { Circle(r) => e, Rect(w, h) => f, }", "(match s Circle(r)=>e Rect(w, h)=>f)"),
        (
            "match s { A => 1, -2 => 2, true => 3, (x, B({ y })) => 4, _ => 5 }",
            "(match s A=>1 -2=>2 true=>3 (x, B({ y }))=>4 _=>5)",
        ),
        ("match { x = 1 } { { x } => x }", "(match (record x=1) { x }=>x)"),
    ]);
    let e = expr("match s { A => 1 }");
    let ExprKind::Match(_, arms) = &*e.kind else { panic!() };
    assert!(matches!(&arms[0].0.kind, PatternKind::Constructor(n, f) if n.text == "A" && f.is_empty()));
}

#[test]
fn numbers() {
    check(&[
        ("3", "3"),
        ("3.0", "3.0"),
        ("1e-3", "1e-3"),
        ("1.5e3f32", "1.5e3f32"),
        ("7u32", "7u32"),
        ("3f32", "3f32"),
        ("-2147483648i32", "(neg 2147483648i32)"),
        ("1 -1", "(- 1 1)"),
        ("x1.5", "(. x1 5)"),
        ("18446744073709551616", "18446744073709551616"),
    ]);
    let e = expr("1.5e3f32");
    assert_eq!(*e.kind, ExprKind::Number(Number { digits: "1.5e3".into(), suffix: Some("f32".into()) }));
}

#[test]
fn spans() {
    let text = "f(x) + (y * 2)";
    let e = expr(text);
    let slice = |e: &Expr| text.get(e.span.start as usize..e.span.end as usize).unwrap().to_string();
    assert_eq!(slice(&e), text);
    let ExprKind::Binary(_, a, b) = &*e.kind else { panic!() };
    assert_eq!((slice(a).as_str(), slice(b).as_str()), ("f(x)", "y * 2"));
    assert_eq!((e.depth, a.depth, b.depth), (3, 2, 2));
}

#[test]
fn items() {
    let m = module(
        "--| not attached\n-- plain\nimport linalg\nimport as as as\nimport derivative as import_\n\
         --| One.\r\n--|\r\n--|  Two. \r\ndef f[t: float, u: num](x: [n]t, (a, b)) -> t = x\r\n\
         --| T.\ntype T[k, t: any] = | A([k]t)\n--| dangling",
    );
    let [Item::Import(a), Item::Import(b), Item::Import(c), Item::Def(f), Item::Type(t)] = m.items.as_slice() else {
        panic!("{m:?}")
    };
    assert!(a.alias.is_none());
    assert!(matches!(&b.path, ImportPath::Std(n) if n.text == "as"));
    assert_eq!(b.alias.as_ref().unwrap().text, "as");
    assert_eq!(c.alias.as_ref().unwrap().text, "import_");
    assert_eq!(f.doc, ["One.", "", " Two."]);
    assert_eq!(f.type_params.iter().map(|p| p.bound).collect::<Vec<_>>(), [Bound::Float, Bound::Num]);
    assert_eq!(f.params.as_ref().unwrap().len(), 2);
    assert!(f.params.as_ref().unwrap()[1].ty.is_none());
    assert_eq!(t.doc, ["T."]);
    assert!(matches!(&t.params[..], [TypeDefParam::Size(_), TypeDefParam::Type(_)]));
    assert!(matches!(&t.body, TypeBody::Sum(c) if c.len() == 1));
}

#[test]
fn layout_and_comments_do_not_matter() {
    let plain = module("def f(x: f64) -> f64 = x + 1.0 def g = f type T = f64");
    let spread = module(
        "\u{feff}-- c\r\n  def f -- c\n(x\t:\nf64)\n->\nf64 = --| doc in the way\n x -- c\n +1.0\n\n   def g = f\r\ntype\nT =\n--\nf64 --",
    );
    assert_eq!(arr_syntax::print_module(&plain), arr_syntax::print_module(&spread));
    assert!(module("").items.is_empty());
    assert!(module("-- only a comment").items.is_empty());
}

#[test]
fn test_is_a_name_elsewhere() {
    let m = module(
        "import test as t\nimport \"a\" def test(within: f64) = test(within) + gradient\n\
         test \"one\" = test(1.0) == within test \"two\" gradient within 1e-5 (within: f64) = within def g = test",
    );
    let tests: Vec<&TestDef> =
        m.items.iter().filter_map(|i| if let Item::Test(t) = i { Some(t) } else { None }).collect();
    let [one, two] = tests.as_slice() else { panic!("{m:?}") };
    assert_eq!((one.title(), one.gradient, one.def.params.is_none()), ("one", false, true));
    assert!(one.within.is_none());
    assert_eq!((two.def.name.text.as_str(), two.gradient), ("\"two\"", true));
    assert_eq!(two.within.as_ref().unwrap().number.digits, "1e-5");
    assert_eq!(m.items.len(), 6);
}

#[test]
fn derivative_is_a_name_elsewhere() {
    let m = module(
        "def derivative(derivative: f64) = derivative\nderivative derivative(x, y, dy) = derivative\n\
         derivative f(x, y, dy) = dy\ndef g = derivative(1.0) + (derivative)",
    );
    let kinds: Vec<bool> = m.items.iter().map(|i| matches!(i, Item::Derivative(_))).collect();
    assert_eq!(kinds, [false, true, true, false]);
}

#[test]
fn arguments_of_named_types() {
    let m =
        module("type A[n, m] = T[n, f64, n * 2, (n), (n + 1) * m, [n]f64, (n, f64), U[m], t -> u, (n, m) -> u, ()]");
    let Item::Type(TypeDef { body: TypeBody::Alias(Type { kind: TypeKind::Named { args, .. }, .. }), .. }) =
        &m.items[0]
    else {
        panic!()
    };
    let kinds: String = args.iter().map(|a| if matches!(a, TypeArg::Size(_)) { 's' } else { 't' }).collect();
    assert_eq!(kinds, "stssstttttt");
    let TypeArg::Type(Type { kind: TypeKind::Function(params, _), .. }) = &args[9] else { panic!() };
    assert_eq!(params.len(), 2);
}
