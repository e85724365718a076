//! Sums and `match`: values and derivatives by the reference interpreter. A sum shows as its leaves: the tag, then what
//! every constructor carries.

use crate::common::eval;

/// Each line `expression ==> value`, evaluated in the scope of `definitions`.
fn values(definitions: &str, cases: &str) {
    let mut wrong = Vec::new();
    for case in cases.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("--")) {
        let (expr, want) = case.split_once(" ==> ").expect("a case is `expression ==> value`");
        let found = eval(definitions, expr.trim());
        if found != want.trim() {
            wrong.push(format!("{expr}\n  expected {}\n  found    {found}", want.trim()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const SHAPES: &str = r"
    type Shape = Circle(f64) | Rect(f64, f64) | Empty
    type Meters = | Meters(f64)
    type Layer[n, m, t: float] = Dense([n][m]t, [m]t) | Relu
    type Option[t: any] = Some(t) | None
    type Pair = Two({ a: Shape, b: (i64, bool) }, [2]Shape) | One(Shape)
    def area(s: Shape) -> f64 = match s { Circle(r) => r * r, Rect(w, h) => w * h, Empty => 0.0 }
    def shapes = [Circle(1.0), Rect(2.0, 3.0), Empty, Circle(4.0)]
    def given(x: Option[f64], y: f64) -> f64 = match x { Some(v) => v, None => y }
    def forward(l: Layer[n, n, f64], x: [n]f64) -> [n]f64 = match l { Dense(w, b) => w @ x + b, Relu => max(x, 0.0) }
    def scaled(Meters(x): Meters, k: f64) -> Meters = Meters(k * x)
";

#[test]
fn sums() {
    values(
        SHAPES,
        r"
        Circle(1.5) ==> 0; 1.5; 0.0; 0.0
        Empty ==> 2; 0.0; 0.0; 0.0
        Rect(1, 2) ==> 1; 0.0; 1.0; 2.0
        Meters(2.0) ==> 2.0
        scaled(Meters(2.0), 3.0) ==> 6.0
        area(Rect(2.0, 3.0)) ==> 6.0
        shapes ==> [0, 1, 2, 0]; [1.0, 0.0, 0.0, 4.0]; [0.0, 2.0, 0.0, 0.0]; [0.0, 3.0, 0.0, 0.0]
        for s in shapes => area(s) ==> [1.0, 6.0, 0.0, 16.0]
        map(area, shapes) ==> [1.0, 6.0, 0.0, 16.0]
        map(Circle, [1.0, 2.0]) ==> [0, 0]; [1.0, 2.0]; [0.0, 0.0]; [0.0, 0.0]
        map(area, map(Rect, [1.0, 2.0], [3.0, 4.0])) ==> [3.0, 8.0]
        area(if 1 < 2 then Empty else Circle(1.0)) ==> 0.0
        map(area, shapes with [2] = Circle(3.0)) ==> [1.0, 6.0, 9.0, 16.0]
        map(area, gather(shapes, [3, 0])) ==> [16.0, 1.0]
        map(area, concat(shapes, [Circle(2.0)])) ==> [1.0, 6.0, 0.0, 16.0, 4.0]
        map(area, replicate(2, Circle(2.0))) ==> [4.0, 4.0]
        map(area, reverse(shapes)) ==> [16.0, 0.0, 6.0, 1.0]
        map(area, stack(Empty, Circle(1.0))) ==> [0.0, 1.0]
        map(area, scatter(shapes, [2], [Rect(1.0, 1.0)])) ==> [1.0, 6.0, 1.0, 16.0]
        map(area, pad(shapes, (1, 0), Circle(5.0))) ==> [25.0, 1.0, 6.0, 0.0, 16.0]
        area(loop s = Empty for x in shapes do match x { Empty => s, _ => x }) ==> 16.0
        area(reduce(\(a, b) => if area(a) < area(b) then b else a, Empty, shapes)) ==> 16.0
        map(area, scan(\(a, b) => if area(a) < area(b) then b else a, Empty, shapes)) ==> [1.0, 6.0, 6.0, 16.0]
        given(Some(1.5), 2.0) ==> 1.5
        given(None, 2) ==> 2.0
        match Some((1, 2)) { Some((a, b)) => a + b, None => 0 } ==> 3
        match [None, Some(2.0)][1] { Some(x) => x, None => 0.0 } ==> 2.0
        forward(Dense([[1.0, 2.0], [3.0, 4.0]], [0.5, 0.5]), [1.0, -1.0]) ==> [-0.5, -0.5]
        forward(Relu, [1.0, -1.0]) ==> [1.0, 0.0]
        forward(if 1 > 2 then Relu else Dense([[1.0]], [2.0]), [1.0]) ==> [3.0]
        match 3 { 0 => 10, 3 => 13, _ => 1 } ==> 13
        match -3i32 { 0 => 10, -3 => 13, _ => 1 } ==> 13
        match (true, 2) { (false, _) => 0, (true, 2) => 1, (true, _) => 2 } ==> 1
        match { a = 1, b = true } { { b = false } => 0, { a } => a + 1 } ==> 2
        match (Circle(2.0), Empty) { (Circle(r), Circle(q)) => r + q, (Circle(r), _) => r, _ => 0.0 } ==> 2.0
        match One(Circle(2.0)) { One(Circle(r)) => r, Two({ a = Rect(w, _) }, _) => w, One(_) => -1.0, Two(_, ss) => area(ss[0]) } ==> 2.0
        match Two({ a = Empty, b = (1, true) }, [Circle(3.0), Empty]) { Two({ b = (n, true) }, ss) => f64(n) + area(ss[0]), _ => 0.0 } ==> 10.0
        match 1 { x => x + 1 } ==> 2
        match true { true => 1, false => 2.5 } ==> 1.0
        match Circle(2.0) { Circle(r) => sum([r]), Rect(w, h) => sum(for i < 2 => w), Empty => 0 } ==> 2.0
        (match 1 { 0 => [1.0, 2.0], _ => [3.0, 4.0] })[0] ==> 3.0
        for i < 3 => match i { 0 => 5, 1 => 6, n => n } ==> [5, 6, 2]
        ",
    );
}

#[test]
fn arms_are_lazy() {
    values(
        "type Shape = Circle(f64) | Empty",
        r"
        match Empty { Circle(r) => [1.0][i64(r) + 5], Empty => 2.0 } ==> 2.0
        for i < 3 => match i { 2 => 0, n => [5, 6][n] } ==> [5, 6, 0]
        ",
    );
}

#[test]
fn derivatives_of_sums() {
    values(
        SHAPES,
        r"
        grad(area)(Rect(2.0, 3.0)) ==> 1; 0.0; 3.0; 2.0
        grad(area)(Circle(2.0)) ==> 0; 4.0; 0.0; 0.0
        grad(area)(Empty) ==> 2; 0.0; 0.0; 0.0
        grad(\ss => sum(for s in ss => area(s)))(shapes) ==> [0, 1, 2, 0]; [2.0, 0.0, 0.0, 8.0]; [0.0, 3.0, 0.0, 0.0]; [0.0, 2.0, 0.0, 0.0]
        grad(\p => area(p.s) * f64(p.n))({ s = Circle(3.0), n = 2 }) ==> 0; 12.0; 0.0; 0.0
        grad(\k => sum(for s in shapes => k * area(s)))(2.0) ==> 23.0
        jvp(area, Rect(2.0, 3.0), Rect(1.0, 0.0)) ==> 6.0; 3.0
        jvp(area, Rect(2.0, 3.0), Circle(1.0)) ==> 6.0; 0.0
        jvp(\s => s, Rect(2.0, 3.0), Circle(1.0)) ==> 1; 0.0; 2.0; 3.0; 1; 0.0; 0.0; 0.0
        let (y, back) = vjp(\s => s, Rect(2.0, 3.0)) in back(Circle(1.0)) ==> 1; 0.0; 0.0; 0.0
        let (y, back) = vjp(\x => Rect(x, x * x), 3.0) in back(Rect(1.0, 1.0)) ==> 7.0
        jacfwd(\x => Rect(x, x * x))(3.0) ==> 1; 0.0; 1.0; 6.0
        jacrev(\x => Rect(x, x * x))(3.0) ==> 1; 0.0; 1.0; 6.0
        jacfwd(\s => [area(s), 2.0 * area(s)])(Rect(2.0, 3.0)) ==> [1, 1]; [0.0, 0.0]; [3.0, 6.0]; [2.0, 4.0]
        jacrev(\s => [area(s), 2.0 * area(s)])(Rect(2.0, 3.0)) ==> [1, 1]; [0.0, 0.0]; [3.0, 6.0]; [2.0, 4.0]
        grad(\s => match grad(area)(s) { Circle(g) => g * g, _ => 0.0 })(Circle(3.0)) ==> 0; 24.0; 0.0; 0.0
        grad(\l => sum(forward(l, [1.0, 2.0])))(Dense([[1.0, 2.0], [3.0, 4.0]], [0.5, 0.5])) ==> 0; [[1.0, 2.0], [1.0, 2.0]]; [1.0, 1.0]
        value_and_grad(\m => (match scaled(m, 3.0) { Meters(x) => x ** 2 }))(Meters(2.0)) ==> 36.0; 36.0
        linearize(area, Rect(2.0, 3.0)).1(Rect(1.0, 1.0)) ==> 5.0
        stop_gradient(Circle(1.0)) ==> 0; 1.0; 0.0; 0.0
        ",
    );
}
