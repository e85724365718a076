//! What programs mean: values by the reference interpreter, after elaboration.

use crate::common::eval;

/// Each line `expression => value`, evaluated in the scope of `definitions`.
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

#[test]
fn numbers() {
    values(
        "",
        r"
        1 + 2 * 3 ==> 7
        -7 / 2 ==> -4
        -1 % 5 ==> 4
        7.0 / 2.0 ==> 3.5
        2 ** 10 ==> 1024
        2.0 ** 3 ==> 8.0
        2.0 ** -1.0 ==> 0.5
        2.0 ** -1 ==> 0.5
        4.0 ** sqrt(0.25) ==> 2.0
        4.0 ** max(0.5, 0.25) ==> 2.0
        4.0 ** [0.5, 0.25][0] ==> 2.0
        4.0 ** (if true then floor(1.5) else 2) ==> 4.0
        4.0f32 ** sqrt(0.25) ==> 2.0f32
        4.0f32 ** sum([0.25, 0.25]) ==> 2.0f32
        pow(4.0f32, abs(-0.5)) ==> 2.0f32
        4.0 ** max(2, 3) ==> 64.0
        4.0 ** [2, 3][0] ==> 16.0
        4.0 ** length([1.5, 2.5]) ==> 16.0
        4.0 ** (if 0.5 < 1.0 then 2 else 3) ==> 16.0
        -2.0 ** 2 ==> -4.0
        3i32 ==> 3i32
        1.5f32 ==> 1.5f32
        3f64 ==> 3.0
        1.5f32 + 2 ==> 3.5f32
        2 * 1.5f32 ==> 3.0f32
        2 + 3i32 ==> 5i32
        (1 + 2) * 2.5 ==> 7.5
        1e3 ==> 1000.0
        -9223372036854775808 ==> -9223372036854775808
        9223372036854775807 + 1 ==> -9223372036854775808
        i64(2.7) ==> 2
        i64(-2.7) ==> -2
        f64(3 == 3) ==> 1.0
        u32(-1) ==> 4294967295u32
        f32(0.1) ==> 0.1f32
        bool(2) ==> true
        1 < 2 and 2 < 3 ==> true
        not (1 < 2) or false ==> false
        1 == 1 ==> true
        true == false ==> false
        max(1, 2.5) ==> 2.5
        [1, 2.5] ==> [1.0, 2.5]
        if true then 1 else 2.5 ==> 1.0
        sum([1, 2.5]) ==> 3.5
        1 < 2.5 ==> true
        min(3i32, 2) ==> 2i32
        atan2(0.0, 1.0) ==> 0.0
        pow(2.0, 3) ==> 8.0
        select(1 < 2, 1, 2) ==> 1
        floor(2.5) ==> 2.0
        round(2.5) ==> 2.0
        sign(-3) ==> -1
        abs(-3) ==> 3
        is_nan(0.0 / 0.0) ==> true
        1 / 0 ==> E0602: integer division by zero
        5.5 % 2.0 ==> 1.5
    ",
    );
}

#[test]
fn lazy() {
    values(
        "def bad() -> i64 = let k = 5 in iota(2)[k]",
        r"
        if true then 1 else bad() ==> 1
        false and bad() == 1 ==> false
        true or bad() == 1 ==> true
        true and bad() == 1 ==> E0601: index 5 is out of range for an axis of size 2
        if false then [1, 2] else [3, 4] ==> [3, 4]
        select(true, 1, bad()) ==> E0601: index 5 is out of range for an axis of size 2
        [true, false] and [true, true] ==> [true, false]
        not [true, false] ==> [false, true]
        for i < 3 => if i < 2 then iota(2)[i] else -1 ==> [0, 1, -1]
    ",
    );
}

#[test]
fn bindings() {
    values(
        "def tau = 6.25\ndef xs = [1.0, 2.0, 3.0]\ndef twice(x: f64) -> f64 = 2.0 * x\ndef size = 3\ndef first(x: [size]f64) -> f64 = x[0]",
        r"
        tau ==> 6.25
        xs ==> [1.0, 2.0, 3.0]
        sum(xs) + tau ==> 12.25
        let x = 1 let y = x + 1 in x + y ==> 3
        let (a, b) = (1, 2.0) in (b, a) ==> 2.0; 1
        let { x, y = z } = { x = 1, y = 2 } in x + z ==> 3
        let ((a, _), { c }) = ((1, 2), { c = 3 }) in a + c ==> 4
        let x: f32 = 1.5 in x ==> 1.5f32
        let x: [3]f64 = [1, 2, 3] in x ==> [1.0, 2.0, 3.0]
        let f = \x => x + x in (f(1), f(1.5)) ==> 2; 3.0
        let y = 10 let f = \x => x + y let y = 20 in f(1) ==> 11
        (\(x, y) => x - y)(5, 3) ==> 2
        (\((x, y)) => x - y)((5, 3)) ==> 2
        let exp = 3 in exp + 1 ==> 4
        let f = \x => exp(x) let exp = 3 in f(0.0) ==> 1.0
        { x = 1, y = 2 }.y ==> 2
        { { x = 1, y = 2 } with x = 5 } ==> 5; 2
        (1, (2, 3)).1.0 ==> 2
        twice(3) ==> 6.0
        first(xs) ==> 1.0
        first([1, 2, 3]) ==> 1.0
        map(twice, xs) ==> [2.0, 4.0, 6.0]
        map(twice, [1, 2]) ==> [2.0, 4.0]
        iterate(2, twice, 1) ==> 4.0
    ",
    );
}

#[test]
fn comprehensions() {
    values(
        "def m = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]\ndef ps = zip([1, 2, 3], [10.0, 20.0, 30.0])",
        r"
        for i < 3 => i * i ==> [0, 1, 4]
        for i < 2, j < 3 => i * 10 + j ==> [[0, 1, 2], [10, 11, 12]]
        for i, j => m[i, j] * 2 ==> [[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]
        for j, i => m[i, j] ==> [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
        for row in m => sum(row) ==> [6.0, 15.0]
        for row in m, v in row => v + 1 ==> [[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]
        for row in m, j => row[j] * f64(j) ==> [[0.0, 2.0, 6.0], [0.0, 5.0, 12.0]]
        for (i, x) in ps => f64(i) * x ==> [10.0, 40.0, 90.0]
        for x in [1, 2], y in [10, 20] => x + y ==> [[11, 21], [12, 22]]
        for i < 2 => (i, f64(i)) ==> [0, 1]; [0.0, 1.0]
        for i < 3 => sum(for j < i => j + 1) ==> [0, 1, 3]
        for i < 2 => { a = i, b = [i, i] } ==> [0, 1]; [[0, 0], [1, 1]]
        for i < 0 => 1.0 ==> []
        for i < -1 => 1.0 ==> E0604: an array would have size -1
        let n = 2 let k = n * n in (for i < k - 1 => i) + iota(n * n - 1) ==> [0, 2, 4]
        for i => let s = m[i] in s[0] ==> [1.0, 4.0]
        (for i < 2 => for j < 2 => i + j)[1] ==> [1, 2]
        for i, j < 2 => m[i, j] ==> [[1.0, 2.0], [4.0, 5.0]]
    ",
    );
}

#[test]
fn loops() {
    values(
        "",
        r"
        loop s = 0 for i < 5 do s + i ==> 10
        loop s = 0.0 for x in [1.0, 2.0] do s + x ==> 3.0
        loop (a, b) = (0, 1) for i < 10 do (b, a + b) ==> 55; 89
        loop a = iota(3) for i < 3 do a with [i] = a[i] * 10 ==> [0, 10, 20]
        loop { x, y } = { x = 1.0, y = 2 } for i < 2 do { y = y + 1, x = x * 2.0 } ==> 4.0; 4
        loop (s, n) = (0.0, 0) for (x, y) in zip([1.0, 2.0], [3.0, 4.0]) do (s + x * y, n + 1) ==> 11.0; 2
        loop s: f32 = 0 for i < 3 do s + f32(i) ==> 3.0f32
        iterate(3, \x => 2 * x, 1) ==> 8
        reduce((+), 0, [1, 2, 3]) ==> 6
        reduce(\(a, b) => max(a, b), 0.0, [1.0, 5.0, 2.0]) ==> 5.0
        reduce((+), [0, 0], [[1, 2], [3, 4]]) ==> [4, 6]
        scan((+), 10, [1, 2, 3]) ==> [11, 13, 16]
        scan(\((a, b), x) => (a + x, b * x), (0.0, 1.0), [1.0, 2.0, 3.0]) ==> [1.0, 3.0, 6.0]; [1.0, 2.0, 6.0]
        cumsum([1.0, 2.0, 3.0]) ==> [1.0, 3.0, 6.0]
        cumprod([1, 2, 3]) ==> [1, 2, 6]
        cummax([-3.0, -5.0, -1.0]) ==> [-3.0, -3.0, -1.0]
        cumsum([[1, 2], [3, 4]]) ==> [[1, 2], [4, 6]]
        cummax([[1, 5], [3, 4]]) ==> [[1, 5], [3, 5]]
        loop s = 0 for i < -3 do s + 1 ==> 0
    ",
    );
}

#[test]
fn indexing() {
    values(
        "def m = [[1, 2, 3], [4, 5, 6]]\ndef at(x: [n]i64, i: i64) -> i64 = x[i]",
        r"
        m[1, 2] ==> 6
        m[1] ==> [4, 5, 6]
        m[1, :] ==> [4, 5, 6]
        m[:, 1] ==> [2, 5]
        m[:, 1:] ==> [[2, 3], [5, 6]]
        m[0, 0:2] ==> [1, 2]
        iota(5)[1:4] ==> [1, 2, 3]
        iota(5)[:2] ==> [0, 1]
        let i = 2 in iota(5)[i:i+2] + [1, 1] ==> [3, 4]
        let i = 2 in iota(5)[3:i] ==> E0601: slice 3:2 is out of range for an axis of size 5
        iota(5)[3:9] ==> E0601: slice 3:9 is out of range for an axis of size 5
        at(iota(3), 3) ==> E0601: index 3 is out of range for an axis of size 3
        at(iota(3), -1) ==> E0601: index -1 is out of range for an axis of size 3
        let i = 2 in m[i] ==> E0601: index 2 is out of range for an axis of size 2
        m with [0, 1] = 9 ==> [[1, 9, 3], [4, 5, 6]]
        m with [1] = [7, 8, 9] ==> [[1, 2, 3], [7, 8, 9]]
        m with [0, 0] = 0 with [1, 1] = 0 ==> [[0, 2, 3], [4, 0, 6]]
        m with [2, 0] = 0 ==> E0601: index 2 is out of range for an axis of size 2
        (for i < 2 => (i, m[i]))[1].1[2] ==> 6
        (zip([1, 2], [3.0, 4.0]) with [0] = (9, 9)) ==> [9, 2]; [9.0, 4.0]
    ",
    );
}

#[test]
fn elementwise() {
    values(
        "def x = [1.0, 2.0, 3.0]",
        r"
        x + x ==> [2.0, 4.0, 6.0]
        2 * x ==> [2.0, 4.0, 6.0]
        x - 1 ==> [0.0, 1.0, 2.0]
        -x ==> [-1.0, -2.0, -3.0]
        x ** 2 ==> [1.0, 4.0, 9.0]
        x > 1.5 ==> [false, true, true]
        i64(x) ==> [1, 2, 3]
        f64(x > 1.5) ==> [0.0, 1.0, 1.0]
        max(x, 2) ==> [2.0, 2.0, 3.0]
        select(x > 1.5, x, 0) ==> [0.0, 2.0, 3.0]
        select(true, x, -x) ==> [1.0, 2.0, 3.0]
        x @ x ==> 14.0
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] @ x ==> [14.0, 32.0]
        [[1, 2], [3, 4]] @ [[5, 6], [7, 8]] ==> [[19, 22], [43, 50]]
        [1, 2] @ [[5, 6], [7, 8]] ==> [19, 22]
        [[[1, 2]], [[3, 4]]] @ [1, 1] ==> [[3], [7]]
    ",
    );
}

#[test]
fn reductions() {
    values(
        "",
        r"
        sum([1, 2, 3]) ==> 6
        sum([[1, 2], [3, 4]]) ==> [4, 6]
        product([1.0, 2.0, 3.0]) ==> 6.0
        maximum([1.0, 3.0, 2.0]) ==> 3.0
        minimum([[3, 1], [2, 5]]) ==> [2, 1]
        argmax([1, 3, 3]) ==> 1
        argmin([[3, 1], [2, 5]]) ==> [1, 0]
        any([false, true]) ==> true
        all([[true, false], [true, true]]) ==> [true, false]
        mean([1.0, 2.0]) ==> 1.5
        mean([[1.0, 2.0], [3.0, 4.0]]) ==> [2.0, 3.0]
        sum([] :> [0]f64) ==> 0.0
        product([] :> [0]i64) ==> 1
        mean(zeros(0)) ==> NaN
        maximum(zeros(0)) ==> E0606: an empty array has no maximum or minimum
        any([] :> [0]bool) ==> false
        all([] :> [0]bool) ==> true
    ",
    );
}

#[test]
fn shapes() {
    values(
        "",
        r"
        length([[1, 2], [3, 4], [5, 6]]) ==> 3
        shape([[1, 2], [3, 4], [5, 6]]) ==> [3, 2]
        iota(3) ==> [0, 1, 2]
        replicate(2, 1.5) ==> [1.5, 1.5]
        replicate(2, [1, 2]) ==> [[1, 2], [1, 2]]
        replicate(2, (1, true)) ==> [1, 1]; [true, true]
        zeros(2, 2) ==> [[0.0, 0.0], [0.0, 0.0]]
        ones(2) + [1.0f32, 2.0] ==> [2.0f32, 3.0f32]
        transpose([[1, 2, 3], [4, 5, 6]]) ==> [[1, 4], [2, 5], [3, 6]]
        permute([[[1, 2], [3, 4], [5, 6]]], (2, 0, 1)) ==> [[[1, 3, 5]], [[2, 4, 6]]]
        reshape([1, 2, 3, 4], (2, 2)) ==> [[1, 2], [3, 4]]
        reshape([[1, 2], [3, 4]], 4) ==> [1, 2, 3, 4]
        flatten([[1, 2], [3, 4]]) ==> [1, 2, 3, 4]
        concat([1, 2], [3], [4, 5]) ==> [1, 2, 3, 4, 5]
        concat([[1, 2]], [[3, 4], [5, 6]]) ==> [[1, 2], [3, 4], [5, 6]]
        reverse([1, 2, 3]) ==> [3, 2, 1]
        rotate([1, 2, 3, 4], 1) ==> [2, 3, 4, 1]
        rotate([1, 2, 3, 4], -1) ==> [4, 1, 2, 3]
        pad([1, 2], (1, 2), 0) ==> [0, 1, 2, 0, 0]
        pad([[1, 2]], (1, 0), [9, 9]) ==> [[9, 9], [1, 2]]
        stack(1.0, 2, 3) ==> [1.0, 2.0, 3.0]
        stack([1, 2], [3, 4]) ==> [[1, 2], [3, 4]]
        zip([1, 2], [3.0, 4.0]) ==> [1, 2]; [3.0, 4.0]
        unzip(zip([1, 2], [3.0, 4.0])).1 ==> [3.0, 4.0]
        gather([10, 20, 30], [2, 0]) ==> [30, 10]
        gather([[1, 2], [3, 4]], [1, 1, 0]) ==> [[3, 4], [3, 4], [1, 2]]
        gather([10, 20], [[1, 0], [0, 1]]) ==> [[20, 10], [10, 20]]
        gather([10, 20], [2]) ==> E0601: index 2 is out of range for an axis of size 2
        scatter([0, 0, 0], [1, 1], [5, 6]) ==> [0, 6, 0]
        scatter_add([1, 1, 1], [1, 1], [5, 6]) ==> [1, 12, 1]
        scatter([[0, 0], [0, 0]], [1], [[5, 6]]) ==> [[0, 0], [5, 6]]
        scatter([0], [1], [5]) ==> E0601: index 1 is out of range for an axis of size 1
        onehot(3, 1) ==> [0.0, 1.0, 0.0]
        onehot(3, 1) + [1i32, 1, 1] ==> [1i32, 2i32, 1i32]
        map(\(x, y) => x * y, [1, 2], [3, 4]) ==> [3, 8]
        map((+), [1, 2], [3, 4]) ==> [4, 6]
        map(sqrt, [4.0, 9.0]) ==> [2.0, 3.0]
        map(sum, [[1, 2], [3, 4]]) ==> [3, 7]
        let x = 3 in [x, 1, x + 1] ==> [3, 1, 4]
        let x = [1, 2] in [x, [5, 5], 2 * x] ==> [[1, 2], [5, 5], [2, 4]]
        let x = 1 in [x, 2, 3, 4, 5, 6, 7, 8, 9, x + 9] ==> [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        iota(4) :> [4]i64 ==> [0, 1, 2, 3]
        let n = iota(5)[3] in zeros(n) :> [3]f64 ==> [0.0, 0.0, 0.0]
        let n = iota(5)[4] in zeros(n) :> [3]f64 ==> E0603: the asserted size is 3, but the value has size 4
    ",
    );
}

#[test]
fn definitions() {
    values(
        r"
type Pair[n, t: num] = { a: [n]t, b: t }
def dot[t: float](x: [n]t, y: [n]t) -> t = sum(x * y)
def addall[t: num](x: [n]t, y: t) -> [n]t = x + y
def total(p: Pair[n, f64]) -> f64 = sum(p.a) + p.b
def size(x: [n]f64, y: [m]f64) -> i64 = n * 10 + m
def front(x: [n+1]f64) -> [n]f64 = for i < n => x[i]
def take(n: i64, x: [m]f64) -> [n]f64 = x[0:n]
def apply(f: f64 -> f64, x: f64) -> f64 = f(f(x))
def both(f: (f64, f64) -> f64, x: [n]f64) -> [n]f64 = map(\v => f(v, v), x)
def fill(n: i64) = replicate(n, 1.0)
def swap(p: (f64, i64)) -> (i64, f64) = (p.1, p.0)
def norm[t: float](x: [n]t) -> t = sqrt(dot(x, x))
def adder(k: f64) = \x => x + k
",
        r"
        dot([1.0, 2.0], [3.0, 4.0]) ==> 11.0
        dot([1.0f32, 2.0], [3, 4]) ==> 11.0f32
        addall([1, 2], 3) ==> [4, 5]
        addall([1.5, 2.5], 3) ==> [4.5, 5.5]
        total({ a = [1.0, 2.0], b = 3.0 }) ==> 6.0
        total({ b = 3, a = [1, 2] }) ==> 6.0
        size([1.0], [1.0, 2.0]) ==> 12
        front([1.0, 2.0, 3.0]) ==> [1.0, 2.0]
        take(2, [1.0, 2.0, 3.0]) ==> [1.0, 2.0]
        apply(\x => x * 3, 2) ==> 18.0
        apply(sqrt, 16) ==> 2.0
        both((*), [2.0, 3.0]) ==> [4.0, 9.0]
        fill(3) + ones(3) ==> [2.0, 2.0, 2.0]
        swap((1.5, 2)) ==> 2; 1.5
        norm([3.0f32, 4]) ==> 5.0f32
        adder(2.0)(3.0) ==> 5.0
        map(adder(1.0), [1.0, 2.0]) ==> [2.0, 3.0]
    ",
    );
}

#[test]
fn results_of_functions_fix_sizes_and_types() {
    values(
        r"
def doubled(f: [n]f64 -> [m]f64, x: [n]f64) -> [m]f64 = 2.0 * f(x)
def outer(f: [n]f64 -> [m]f64, x: [n]f64) -> [m+1]f64 = concat(doubled(f, x), [f64(m)])
def table[t: any](n: i64, f: i64 -> t) -> [n]t = for i < n => f(i)
def slopes[t: float](f: [n]t -> [m]t, x: [n]t) -> [m][n]t = jacfwd(f)(x)
def longer(f: i64 -> [m+1]f64) -> [m]f64 = f(2)[1:]
",
        r"
        doubled(\x => x[1:], [1.0, 2.0, 3.0]) ==> [4.0, 6.0]
        outer(\x => [sum(x)], [1.0, 2.0]) ==> [6.0, 1.0]
        outer(\x => x, zeros(0)) ==> [0.0]
        table(2, \i => i > 0) ==> [false, true]
        table(2, \i => f32(i)) ==> [0.0f32, 1.0f32]
        let x: [1]f32 = table(1, \i => 2.0) in x ==> [2.0f32]
        slopes(\x => [x[0] * x[1]], [2.0f32, 3.0]) ==> [[3.0f32, 2.0f32]]
        longer(\k => [1.0, 2.0, f64(k)]) ==> [2.0, 2.0]
        let n = 2 + length([1]) in doubled(\x => zeros(n), [1.0]) ==> [0.0, 0.0, 0.0]
    ",
    );
}

#[test]
fn type_parameters_as_conversions_and_from_context() {
    values(
        r"
def average[t: float](x: [n]t) -> t = sum(x) / t(n)
def count[t: num](x: [n]bool) -> t = sum(for b in x => t(b))
def eye[t: float](n: i64) -> [n][n]t = for i < n, j < n => t(i == j)
def shifted[t: float](a: [n][n]t) -> [n][n]t = a + eye(n)
def pair[t: float, u: num](n: i64) -> (t, [n]u) = (t(n), for i < n => u(i))
def half[t: float](x: t) -> t = 0.5 * x
def double[t: num](x: t) -> t = x + x
def quarter() -> f32 = half(half(1.0))
def power[t: float](n: i64) -> t = t(n) ** 2
",
        r"
        average([1.0, 2.0]) ==> 1.5
        average([1.0f32, 2.0]) ==> 1.5f32
        count([true, false, true]) ==> 2.0
        2i32 * count([true, false, true]) ==> 4i32
        eye(2) ==> [[1.0, 0.0], [0.0, 1.0]]
        let a: [2][2]f32 = eye(2) in a[0] ==> [1.0f32, 0.0f32]
        shifted([[1.0f32]]) ==> [[2.0f32]]
        let (a, b): (f32, [2]i64) = pair(2) in (a, b) ==> 2.0f32; [0, 1]
        eye(1) + [[1.0f32]] ==> [[2.0f32]]
        [[1.0f32]] * eye(1) ==> [[1.0f32]]
        1 + eye(1) ==> [[2.0]]
        if true then power(3) else 1.0f32 ==> 9.0f32
        max(power(3), 1.0f32) ==> 9.0f32
        double(power(3)) + 1.0f32 ==> 19.0f32
        2.0f32 * half(3.0) ==> 3.0f32
        quarter() ==> 0.25f32
        double(3) + 1.5 ==> 7.5
        double(3) + 1i32 ==> 7i32
        double(3) ==> 6
        let eye = \n => 2.0 * n in eye(1.0) + 1 ==> 3.0
    ",
    );
}

#[test]
fn while_loops() {
    values(
        "def collatz(n: i64) -> i64 =\n  let (_, steps) = loop (k, steps) = (n, 0) while k != 1 do (if k % 2 == 0 then k / 2 else 3 * k + 1, steps + 1)\n  in steps",
        r"
        collatz(27) ==> 111
        collatz(1) ==> 0
        loop x = 1.0 while x < 100.0 do 2.0 * x ==> 128.0
        loop x = 1.0 while false do 2.0 * x ==> 1.0
        loop { a, b } = { a = [1.0, 2.0], b = 0 } while sum(a) < 20.0 do { b = b + 1, a = 2.0 * a } ==> [8.0, 16.0]; 3
        for i < 4 => loop x = 1 while x < i do 2 * x ==> [1, 1, 2, 4]
        loop s = 0.0 for i < 3 do loop t = s while t < f64(i) do t + 1.0 ==> 2.0
        loop x = 10 while (loop y = x while y > 3 do y - 3) != 1 do x - 1 ==> 10
        loop s = 0 while s < 10 do sum(for i < 4 => i + s) ==> 30
    ",
    );
}

#[test]
fn slices_with_steps() {
    values(
        "def a = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]\ndef every(x: [n]f64, k: i64) = x[::k]\ndef halves(x: [2*n]f64) -> [n](f64, f64) = zip(x[::2], x[1::2])\ndef p = for i < 4 => { x = i, y = [i, 2 * i] }",
        r"
        iota(7)[::2] ==> [0, 2, 4, 6]
        iota(7)[1::2] ==> [1, 3, 5]
        iota(7)[1:6:3] ==> [1, 4]
        iota(7)[:5:9] ==> [0]
        iota(7)[3:3:2] ==> []
        iota(0)[::2] ==> []
        a[::2, 1] ==> [2, 8]
        a[::2, ::2] ==> [[1, 3], [7, 9]]
        (p[1::2])[1].y ==> [3, 6]
        every([1.0, 2.0, 3.0, 4.0], 3) ==> [1.0, 4.0]
        every([1.0, 2.0, 3.0], 9223372036854775807) ==> [1.0]
        every([1.0, 2.0], 0) ==> E0608: a slice cannot go in steps of 0
        every([1.0, 2.0], -1) ==> E0608: a slice cannot go in steps of -1
        halves([1.0, 2.0, 3.0, 4.0]) ==> [1.0, 3.0]; [2.0, 4.0]
        iota(7)[1:8:2] ==> E0601: slice 1:8 is out of range for an axis of size 7
    ",
    );
}

#[test]
fn replaced_slices() {
    values(
        "def a = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]\ndef p = for i < 3 => (i, [i, i])\ndef shift(x: [n]f64) -> [n]f64 = x with [1:] = x[:n-1]",
        r"
        iota(5) with [1:3] = [7, 8] ==> [0, 7, 8, 3, 4]
        iota(5) with [::2] = [7, 8, 9] ==> [7, 1, 8, 3, 9]
        iota(5) with [:] = [7, 8, 9, 5, 6] ==> [7, 8, 9, 5, 6]
        a with [:, 1] = [0, 0, 0] ==> [[1, 0, 3], [4, 0, 6], [7, 0, 9]]
        a with [1] = [0, 0, 0] ==> [[1, 2, 3], [0, 0, 0], [7, 8, 9]]
        a with [2, 1:] = [0, 0] ==> [[1, 2, 3], [4, 5, 6], [7, 0, 0]]
        a with [:2, ::2] = [[0, 0], [0, 0]] ==> [[0, 2, 0], [0, 5, 0], [7, 8, 9]]
        p with [1:] = for i < 2 => (10 + i, [0, 1]) ==> [0, 10, 11]; [[0, 0], [0, 1], [0, 1]]
        shift([1.0, 2.0, 3.0]) ==> [1.0, 1.0, 2.0]
        iota(5) with [3:6] = [1, 2, 3] ==> E0601: slice 3:6 is out of range for an axis of size 5
        a with [5, :] = [1, 2, 3] ==> E0601: index 5 is out of range for an axis of size 3
    ",
    );
}

#[test]
fn order() {
    values(
        "def nan = 0.0 / 0.0",
        r"
        sort([3, 1, 2]) ==> [1, 2, 3]
        sort([3.0, nan, 1.0]) ==> [1.0, 3.0, NaN]
        sort([true, false, true]) ==> [false, true, true]
        sort(iota(0)) ==> []
        argsort([2, 1, 2, 1]) ==> [1, 3, 0, 2]
        for row in [[2, 1], [3, 4]] => sort(row) ==> [[1, 2], [3, 4]]
        searchsorted([1.0, 2.0, 2.0, 4.0], 2.0) ==> 1
        searchsorted([1.0, 2.0, 2.0, 4.0], [0.0, 3, 5, nan]) ==> [0, 3, 4, 4]
        searchsorted([1.0, nan, nan], nan) ==> 1
        searchsorted([1, 3], [[0, 1], [2, 4]]) ==> [[0, 0], [1, 2]]
        searchsorted([false, false, true], true) ==> 2
        searchsorted(iota(0), 3) ==> 0
        gather([10, 20, 30], argsort([3, 1, 2])) ==> [20, 30, 10]
    ",
    );
}

#[test]
fn histograms() {
    values(
        "def is = [0, 2, 0, 1]",
        r"
        histogram((+), 0, 3, is, [1, 2, 3, 4]) ==> [4, 4, 2]
        histogram((+), 0.5, 3, is, [1, 2, 3, 4]) ==> [4.5, 4.5, 2.5]
        histogram((+), 0, 3, is, [1.0, 2.0, 3.0, 4.0]) ==> [4.0, 4.0, 2.0]
        histogram(max, 0, 4, is, [1, 2, 3, 4]) ==> [3, 4, 2, 0]
        histogram(\(a, b) => 10 * a + b, 0, 3, is, [1, 2, 3, 4]) ==> [13, 4, 2]
        histogram((+), [0, 0], 2, [0, 0], [[1, 2], [3, 4]]) ==> [[4, 6], [0, 0]]
        histogram(\((s, c), x) => (s + x, c + 1), (0.0, 0), 2, [1, 1, 0], [1.0, 2.0, 3.0]) ==> [3.0, 3.0]; [1, 2]
        histogram(\(a, b) => (a.0 + b.0, max(a.1, b.1)), (0, 0), 2, [1, 1], [(1, 2), (3, 4)]) ==> [0, 4]; [0, 4]
        histogram((+), 0, 2, [[0, 1], [1, 1]], [[1, 2], [3, 4]]) ==> [1, 9]
        histogram(min, 9, 2, [[0, 1], [1, 1]], [[1, 2], [3, 4]]) ==> [1, 2]
        histogram((+), 0, 3, [0, 3], [1, 2]) ==> E0601: index 3 is out of range for an axis of size 3
        histogram(max, 0, 3, [0, -1], [1, 2]) ==> E0601: index -1 is out of range for an axis of size 3
        histogram(max, 0, -1, iota(0), iota(0)) ==> E0604: an array would have size -1
    ",
    );
}

#[test]
fn calls_with_their_own_derivative_have_their_value() {
    values(
        "def scale = [2.0, 3.0]\ndef f(x: [n]f64, k: i64) -> [n]f64 = for i < n => f64(k) * x[i] * scale[i]\nderivative f(x, k, y, dy) = (for i < n => f64(k) * dy[i] * scale[i], ())\ndef g(x: f64) -> f64 = x * x\nderivative g(x, y, dy) = 2.0 * x * dy",
        r"
        f([1.0, 1.0], 2) ==> [4.0, 6.0]
        g(3.0) ==> 9.0
        for x in [1.0, 2.0] => g(x) ==> [1.0, 4.0]
    ",
    );
}

#[test]
fn sizes_computed_alike_are_equal() {
    values(
        r"
def half(x: [n]f64, y: [n]f64) -> f64 = sum((for i < n / 2 => x[i]) + (for i < n / 2 => y[2 * i]))
def every(x: [n]f64, k: i64) -> [n]f64 = x with [::k] = x[::k] * 2.0
def branches(x: [n]f64, m: i64) -> f64 =
  let a = if m > 0 then sum(for i < min(n, m) => x[i]) else 0.0
  let y = for i < min(n, m) => x[i]
  in a + sum(y + x[:min(n, m)])
",
        r"
        half([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]) ==> 43.0
        every([1.0, 2.0, 3.0], 2) ==> [2.0, 2.0, 6.0]
        branches([1.0, 2.0, 3.0], 2) ==> 9.0
    ",
    );
}
