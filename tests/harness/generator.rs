//! Random well-typed programs: expressions over a vector `x`, a matrix `a` and a scalar `s`, built from their type
//! downwards, with every index in range and every function inside its domain.

/// A small linear congruential generator (Knuth's MMIX constants), so that a seed identifies a program for ever.
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a seed; neighbouring seeds differ from the first number on.
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(2).wrapping_add(1));
        for _ in 0..4 {
            random.below(2);
        }
        random
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick(&mut self, from: &[&str]) -> String {
        from.get(self.below(from.len())).map_or_else(String::new, |s| (*s).to_string())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    Scalar,
    Vector,
    Matrix,
}

/// Names in scope: values with their types, and indices below `n`.
#[derive(Clone, Default)]
struct Scope {
    values: Vec<(String, Ty)>,
    indices: Vec<String>,
}

impl Scope {
    fn with(&self, name: &str, ty: Ty) -> Scope {
        let mut scope = self.clone();
        scope.values.push((name.to_string(), ty));
        scope
    }

    fn index(&self, name: &str) -> Scope {
        let mut scope = self.clone();
        scope.indices.push(name.to_string());
        scope
    }
}

/// A program and arguments for it.
pub struct Case {
    /// Definitions, among them `f(x: [n]f64, a: [n][n]f64, s: f64) -> f64`.
    pub source: String,
    /// For `x`, `a` and `s`.
    pub arguments: [String; 3],
}

/// The sum types of programs with sums, and their constructors with the size of `x`.
const SUMS: &str = "type Item[n] = One(f64) | Two(f64, f64) | Row([n]f64)\n\
    def one(x: [n]f64, a: f64) -> Item[n] = One(a)\n\
    def two(x: [n]f64, a: f64, b: f64) -> Item[n] = Two(a, b)\n";

/// Definitions with custom derivatives, which equal those that would be derived.
const DECLARED: &str = "def bent(x: f64) -> f64 = sin(x) + x * x\n\
    derivative bent(x, y, dy) = dy * (cos(x) + 2.0 * x)\n\
    def pulled(x: [n]f64, k: i64, c: f64) -> [n]f64 = let s = sum(x) in for v in x => v * s + f64(k) * c\n\
    derivative pulled(x, k, c, y: [n]f64, dy: [n]f64) =\n  \
      let s = sum(x) let t = sum(dy * x) in (for d in dy => d * s + t, (), f64(k) * sum(dy))\n";

/// The features of programs, besides numbers and arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramKind {
    pub name: &'static str,
    /// They differentiate a gradient.
    pub second_order: bool,
    /// They match on sums.
    pub sums: bool,
    /// Declared derivatives, indices that are computed and guarded, slices, inner derivatives, `while`s that depend on
    /// numbers, and sizes that are mostly 0, 1 and primes.
    pub wide: bool,
    /// Rows whose lengths differ from point to point, and are computed from numbers.
    pub ragged: bool,
}

impl ProgramKind {
    pub const ALL: [ProgramKind; 9] = [
        ProgramKind { name: "first_order", second_order: false, sums: false, wide: false, ragged: false },
        ProgramKind { name: "second_order", second_order: true, sums: false, wide: false, ragged: false },
        ProgramKind { name: "sums", second_order: false, sums: true, wide: false, ragged: false },
        ProgramKind { name: "second_order_sums", second_order: true, sums: true, wide: false, ragged: false },
        ProgramKind { name: "wide", second_order: false, sums: false, wide: true, ragged: false },
        ProgramKind { name: "second_order_wide", second_order: true, sums: false, wide: true, ragged: false },
        ProgramKind { name: "wide_sums", second_order: false, sums: true, wide: true, ragged: false },
        ProgramKind { name: "ragged", second_order: false, sums: false, wide: false, ragged: true },
        ProgramKind { name: "second_order_ragged", second_order: true, sums: false, wide: false, ragged: true },
    ];
}

/// The case of a seed.
pub fn case(seed: u64, kind: ProgramKind) -> Case {
    let ProgramKind { second_order, sums, wide, ragged, .. } = kind;
    let mut generator = Generator { random: Random::new(seed), names: 0, sums, wide, ragged };
    let scope = Scope {
        values: vec![("x".into(), Ty::Vector), ("a".into(), Ty::Matrix), ("s".into(), Ty::Scalar)],
        indices: Vec::new(),
    };
    let depth = 2 + generator.random.below(if second_order { 3 } else { 4 });
    let body = match ragged {
        true => format!("sum(for i < n => {})", generator.expr(Ty::Scalar, depth, &scope.index("i"))),
        false => generator.expr(Ty::Scalar, depth, &scope),
    };
    const HEAD: &str = "(x: [n]f64, a: [n][n]f64, s: f64) -> f64 =";
    let source = if second_order {
        format!(
            "def f0{HEAD} {body}\ndef f{HEAD}\n  sum(grad(\\z => f0(z, a, s))(x) * x) + grad(\\q => f0(x, a, q))(s) + \
             sum(flatten(grad(\\q => f0(x, q, s))(a)))\n"
        )
    } else {
        format!("def f{HEAD} {body}\n")
    };
    let source = if sums { format!("{SUMS}{source}") } else { source };
    let source = if wide { format!("{DECLARED}{source}") } else { source };
    let n = match wide {
        true => [0, 1, 1, 2, 3, 4, 5, 7].get(generator.random.below(8)).copied().unwrap_or(1),
        false => 1 + generator.random.below(4),
    };
    let vector = generator.vector(n);
    let rows: Vec<String> = (0..n).map(|_| generator.vector(n)).collect();
    let matrix = if n == 0 { "[]".to_string() } else { format!("[{}]", rows.join(", ")) };
    let arguments = [vector, matrix, generator.number()];
    Case { source, arguments }
}

struct Generator {
    random: Random,
    names: usize,
    /// Whether programs have sums. Without them a seed gives the same program as before.
    sums: bool,
    wide: bool,
    ragged: bool,
}

impl Generator {
    /// Away from 0 and from other numbers, so that finite differences meet no kink.
    fn number(&mut self) -> String {
        format!("{:.6}", 0.2 + self.random.below(1_400_000) as f64 / 1e6)
    }

    fn vector(&mut self, n: usize) -> String {
        let elements: Vec<String> = (0..n).map(|_| self.number()).collect();
        format!("[{}]", elements.join(", "))
    }

    fn name(&mut self, hint: &str) -> String {
        self.names += 1;
        format!("{hint}{}", self.names)
    }

    /// An index in scope, or one of the constants.
    fn index(&mut self, scope: &Scope, constants: &[&str]) -> String {
        let all: Vec<&str> = scope.indices.iter().map(String::as_str).chain(constants.iter().copied()).collect();
        self.random.pick(&all)
    }

    fn expr(&mut self, ty: Ty, depth: usize, scope: &Scope) -> String {
        if depth == 0 {
            return self.leaf(ty, scope);
        }
        let d = depth - 1;
        if self.sums && self.random.chance(25) {
            return self.matched(ty, d, scope);
        }
        if self.wide && self.random.chance(30) {
            return self.wider(ty, d, scope);
        }
        if self.ragged && ty == Ty::Scalar && self.random.chance(40) {
            return self.row(d, scope);
        }
        match self.random.below(100) {
            0..15 => {
                let name = self.name("y");
                let bound = match self.random.below(3) {
                    0 => Ty::Scalar,
                    1 => Ty::Vector,
                    _ => Ty::Matrix,
                };
                let value = self.expr(bound, d, scope);
                format!("(let {name} = {value} in {})", self.expr(ty, d, &scope.with(&name, bound)))
            }
            15..22 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Scalar, d, scope));
                let [c, e] = [(); 2].map(|()| self.expr(ty, d, scope));
                format!("(if {a} < {b} then {c} else {e})")
            }
            22..29 => {
                let (state, t) = (self.name("y"), self.name("t"));
                let (start, count) = (self.expr(ty, d, scope), self.random.pick(&["2", "3", "n"]));
                let step = self.expr(ty, d, &scope.with(&state, ty));
                if self.random.chance(30) {
                    return format!(
                        "(let ({state}, {t}) = loop ({state}, {t}) = ({start}, 0) while {t} < {count} do \
                         ({step} * 0.5, {t} + 1) in {state})"
                    );
                }
                format!("(loop {state} = {start} for {t} < {count} do {step} * 0.5)")
            }
            29..32 => {
                let name = self.name("y");
                let from = self.random.pick(&["s", "x", "a"]);
                let bound = match from.as_str() {
                    "s" => Ty::Scalar,
                    "x" => Ty::Vector,
                    _ => Ty::Matrix,
                };
                let (at, body) = (self.expr(bound, d, scope), self.expr(ty, d, &scope.with(&name, bound)));
                format!("checkpoint(\\{name} => {body})({at})")
            }
            32..50 => self.unary(ty, d, scope),
            50..68 => self.binary(ty, d, scope),
            _ => match ty {
                Ty::Scalar => self.scalar(d, scope),
                Ty::Vector => self.array(d, scope),
                Ty::Matrix => self.matrix(d, scope),
            },
        }
    }

    /// A match on a sum, or, for a number, on an array of them.
    fn matched(&mut self, ty: Ty, d: usize, scope: &Scope) -> String {
        if ty == Ty::Scalar && self.random.chance(40) {
            let (i, item) = (self.name("i"), self.name("y"));
            let items = format!("(for {i} < n => {})", self.item(d, &scope.index(&i)));
            let items = match self.random.chance(30) {
                true => format!("({items} with [0] = {})", self.item(d, scope)),
                false => items,
            };
            let arms = self.arms(ty, d, scope);
            return format!("sum(for {item} in {items} => match {item} {arms})");
        }
        let item = self.item(d, scope);
        format!("(match {item} {})", self.arms(ty, d, scope))
    }

    fn arms(&mut self, ty: Ty, d: usize, scope: &Scope) -> String {
        let [a, b, c, v] = ["y"; 4].map(|hint| self.name(hint));
        let one = self.expr(ty, d, &scope.with(&a, Ty::Scalar));
        if self.random.chance(20) {
            let rest = self.expr(ty, d, scope);
            return format!("{{ One({a}) => {one}, _ => {rest} }}");
        }
        let two = self.expr(ty, d, &scope.with(&b, Ty::Scalar).with(&c, Ty::Scalar));
        let row = self.expr(ty, d, &scope.with(&v, Ty::Vector));
        format!("{{ One({a}) => {one}, Two({b}, {c}) => {two}, Row({v}) => {row} }}")
    }

    fn item(&mut self, depth: usize, scope: &Scope) -> String {
        let d = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 3 } else { 5 }) {
            0 => format!("one(x, {})", self.expr(Ty::Scalar, d, scope)),
            1 => format!("two(x, {}, {})", self.expr(Ty::Scalar, d, scope), self.expr(Ty::Scalar, d, scope)),
            2 => format!("Row({})", self.expr(Ty::Vector, d, scope)),
            3 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Scalar, d, scope));
                let [c, e] = [(); 2].map(|()| self.item(d, scope));
                format!("(if {a} < {b} then {c} else {e})")
            }
            _ => {
                let (state, count) = (self.name("y"), self.random.pick(&["2", "n"]));
                let (start, t) = (self.item(d, scope), self.name("t"));
                let step = self.item(d, scope);
                format!(
                    "(loop {state} = {start} for {t} < {count} do match {state} {{ One(_) => {step}, _ => {state} }})"
                )
            }
        }
    }

    fn leaf(&mut self, ty: Ty, scope: &Scope) -> String {
        let named = |t: Ty| scope.values.iter().filter(move |(_, u)| *u == t).map(|(n, _)| n.as_str());
        let (same, vectors): (Vec<&str>, Vec<&str>) = (named(ty).collect(), named(Ty::Vector).collect());
        if ty == Ty::Scalar && self.random.chance(50) {
            let vector = self.random.pick(&vectors);
            if self.wide && self.random.chance(70) {
                return self.guarded(&vector, scope);
            }
            return format!("{vector}[{}]", self.index(scope, &["0", "n-1"]));
        }
        self.random.pick(&same)
    }

    /// An element of a vector if the vector has it.
    fn guarded(&mut self, vector: &str, scope: &Scope) -> String {
        let index = self.index(scope, &["0", "n-1"]);
        let place = match self.random.below(3) {
            0 => format!("{index} + 1"),
            1 => format!("2 * {index} - 1"),
            _ => index,
        };
        format!("(if 0 <= {place} and {place} < n then {vector}[{place}] else 0.3)")
    }

    /// Expressions that only wide programs have.
    fn wider(&mut self, ty: Ty, d: usize, scope: &Scope) -> String {
        match ty {
            Ty::Scalar => self.wider_scalar(d, scope),
            Ty::Vector => self.wider_vector(d, scope),
            Ty::Matrix => {
                let (row, rows) = (self.name("y"), self.expr(Ty::Matrix, d, scope));
                format!("(for {row} in {rows} => {})", self.wider_vector(d, &scope.with(&row, Ty::Vector)))
            }
        }
    }

    fn wider_scalar(&mut self, d: usize, scope: &Scope) -> String {
        let (y, t) = (self.name("y"), self.name("t"));
        match self.random.below(9) {
            0 => format!("bent({})", self.expr(Ty::Scalar, d, scope)),
            1 => {
                let [at, vector] = [Ty::Scalar, Ty::Vector].map(|ty| self.expr(ty, d, scope));
                let v = self.name("y");
                format!("(let {v} = {vector} in if n > 0 then {v}[i64(abs({at}) * 3.0) % n] else 0.7)")
            }
            2 => {
                let body = self.expr(Ty::Scalar, d, &scope.with(&y, Ty::Scalar));
                format!("grad(\\{y} => {body})({})", self.expr(Ty::Scalar, d, scope))
            }
            3 => {
                let body = self.expr(Ty::Scalar, d, &scope.with(&y, Ty::Vector));
                let [at, along] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("jvp(\\{y} => {body}, {at}, {along}).1")
            }
            // The number of iterations depends on what is differentiated.
            4 => {
                let (start, bound) = (self.expr(Ty::Scalar, d, scope), self.number());
                let step = self.expr(Ty::Scalar, d, &scope.with(&y, Ty::Scalar));
                format!(
                    "(let ({y}, {t}) = loop ({y}, {t}) = ({start}, 0) while {t} < 4 and abs({y}) < 1.0 + {bound} do \
                     ({y} * 1.3 + {step} * 0.2, {t} + 1) in {y})"
                )
            }
            5 => {
                let (array, step) = (self.expr(Ty::Vector, d, scope), self.random.pick(&["1", "2", "3"]));
                format!("sum({array}[min(1, n)::{step}])")
            }
            6 => {
                let [sorted, at] = [Ty::Vector, Ty::Scalar].map(|ty| self.expr(ty, d, scope));
                let v = self.name("y");
                format!(
                    "(let {v} = sort({sorted}) in let {t} = searchsorted({v}, {at}) in \
                     if {t} < n then {v}[{t}] * 0.5 else 0.9)"
                )
            }
            7 => {
                let body = self.expr(Ty::Scalar, d, &scope.with(&y, Ty::Scalar));
                let at = self.expr(Ty::Scalar, d, scope);
                format!("(let ({y}, {t}) = linearize(\\{y} => {body}, {at}) in {y} + {t}(0.5))")
            }
            _ => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Scalar, d, scope));
                format!("(match {a} < {b} {{ true => {a}, false => bent({b}) }})")
            }
        }
    }

    fn wider_vector(&mut self, d: usize, scope: &Scope) -> String {
        let (y, i) = (self.name("y"), self.name("i"));
        match self.random.below(9) {
            0 => {
                let count = self.index(scope, &["2", "n"]);
                let [x, c] = [Ty::Vector, Ty::Scalar].map(|ty| self.expr(ty, d, scope));
                format!("pulled({x}, {count}, {c})")
            }
            1 => format!("map(bent, {})", self.expr(Ty::Vector, d, scope)),
            2 => {
                let body = self.expr(Ty::Scalar, d, &scope.with(&y, Ty::Vector));
                format!("grad(\\{y} => {body})({})", self.expr(Ty::Vector, d, scope))
            }
            3 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("scatter({a}, argsort({b}), for {i} < n => f64({i}) * 0.25)")
            }
            4 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("({a} with [min(1, n)::3] = {b}[min(1, n)::3])")
            }
            5 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("(for {i} < n => {a}[argsort({b})[{i}]])")
            }
            6 => {
                let [start, a] = [Ty::Scalar, Ty::Vector].map(|ty| self.expr(ty, d, scope));
                format!("scan(\\(p, q) => p * 0.5 + q * p, {start}, {a})")
            }
            7 => {
                let scan = self.random.pick(&["cumprod", "cummax"]);
                format!("{scan}({})", self.expr(Ty::Vector, d, scope))
            }
            // Each row's element at an index that depends on the row.
            _ => {
                let rows = self.expr(Ty::Matrix, d, scope);
                format!("(for {y} in {rows} => {y}[argmax({y})])")
            }
        }
    }

    /// A number computed from a row that has at least one element and at most `n`, different at each point.
    fn row(&mut self, d: usize, scope: &Scope) -> String {
        let (p, row, v) = (self.name("p"), self.name("row"), self.name("v"));
        let index = self.index(scope, &["n-1"]);
        let extent = match self.random.below(4) {
            0 => format!("(if {index} == n / 2 then n else 1)"),
            1 => format!("1 + {index} * 3 % n"),
            2 => format!("1 + i64(abs({}) * 3.0) % n", self.expr(Ty::Scalar, 0, scope)),
            _ => format!("n - {index} / 2"),
        };
        let body = self.expr(Ty::Scalar, d, &scope.index(&p));
        let items = format!("for {p} < {extent} => {body}");
        match self.random.below(9) {
            0 | 1 => format!("sum({items})"),
            2 => format!("{}({items})", self.random.pick(&["product", "maximum", "minimum", "mean"])),
            3 => format!("(let {row} = {items} in sum({row} * {row}) + {row}[argmax({row})])"),
            4 => {
                let term = self.expr(Ty::Scalar, d, &scope.with(&v, Ty::Scalar));
                format!("(let {row} = {items} in sum(for {v} in {row} => {term}) + minimum({row}))")
            }
            5 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Scalar, d, scope));
                format!("(if {a} < {b} then sum({items}) else {b})")
            }
            6 => format!("(let {row} = {items} in cumsum({row})[length({row}) - 1] * sort({row})[0])"),
            7 => format!("reduce(\\(a, b) => a + b + 0.1 * a * b, 0.0, {items})"),
            _ => format!("(let {row} = {items} in log(sum(exp(0.1 * ({row} - maximum({row}))))))"),
        }
    }

    fn unary(&mut self, ty: Ty, d: usize, scope: &Scope) -> String {
        let e = self.expr(ty, d, scope);
        match self.random.below(10) {
            0 => format!("exp(0.1 * {e})"),
            1 => format!("sqrt(1.0 + abs({e}))"),
            2 => format!("log(2.0 + abs({e}))"),
            3 => format!("(-{e})"),
            4 => format!("({e} ** 2)"),
            5 => format!("sigmoid({e})"),
            6 => format!("tanh({e})"),
            7 => format!("atan2({e}, 1.7)"),
            8 => format!("cos({e})"),
            _ => format!("sin({e})"),
        }
    }

    fn binary(&mut self, ty: Ty, d: usize, scope: &Scope) -> String {
        let left = self.expr(ty, d, scope);
        let right = if self.random.chance(70) { ty } else { Ty::Scalar };
        let right = self.expr(right, d, scope);
        match self.random.below(6) {
            0 => format!("({left} + {right})"),
            1 => format!("({left} - {right})"),
            2 => format!("max({left}, {right})"),
            3 => format!("min({left}, {right})"),
            4 => format!("({left} / (1.5 + abs({right})))"),
            _ => format!("({left} * {right})"),
        }
    }

    fn scalar(&mut self, d: usize, scope: &Scope) -> String {
        let i = self.name("i");
        match self.random.below(10) {
            0 => format!("sum({})", self.expr(Ty::Vector, d, scope)),
            1 => {
                let reduction = self.random.pick(&["maximum", "minimum", "product", "mean"]);
                format!("{reduction}({})", self.expr(Ty::Vector, d, scope))
            }
            2 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("({a} @ {b})")
            }
            3 => format!("sum(for {i} < n => {})", self.expr(Ty::Scalar, d, &scope.index(&i))),
            4 => format!("{}[{}]", self.expr(Ty::Vector, d, scope), self.index(scope, &["0", "n-1"])),
            5 => {
                let matrix = self.expr(Ty::Matrix, d, scope);
                format!("{matrix}[{}, {}]", self.index(scope, &["0"]), self.index(scope, &["n-1"]))
            }
            // An extent that differs from point to point.
            6 => {
                let extent = self.index(scope, &["n"]);
                format!("sum(for {i} < {extent} => {})", self.expr(Ty::Scalar, d, &scope.index(&i)))
            }
            7 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("sum({a}[1:] * {b}[:n-1])")
            }
            8 => format!("sum({}[::2])", self.expr(Ty::Vector, d, scope)),
            _ => format!("sum(flatten({}))", self.expr(Ty::Matrix, d, scope)),
        }
    }

    fn array(&mut self, d: usize, scope: &Scope) -> String {
        let i = self.name("i");
        match self.random.below(16) {
            0 => format!("(for {i} < n => {})", self.expr(Ty::Scalar, d, &scope.index(&i))),
            1 => format!("({} @ {})", self.expr(Ty::Matrix, d, scope), self.expr(Ty::Vector, d, scope)),
            2 => format!("sum({})", self.expr(Ty::Matrix, d, scope)),
            3 => format!("{}[{}]", self.expr(Ty::Matrix, d, scope), self.index(scope, &["0"])),
            4 => {
                let (array, place) = (self.expr(Ty::Vector, d, scope), self.index(scope, &["0", "n-1"]));
                format!("({array} with [{place}] = {})", self.expr(Ty::Scalar, d, scope))
            }
            5 => format!("reverse({})", self.expr(Ty::Vector, d, scope)),
            6 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("scatter_add({a}, for {i} < n => {i} / 2, {b})")
            }
            7 => format!("cumsum({})", self.expr(Ty::Vector, d, scope)),
            8 => format!("(for {i} < n => maximum({}[{i}]))", self.expr(Ty::Matrix, d, scope)),
            9 => {
                let body = self.expr(Ty::Scalar, d, &scope.with(&i, Ty::Scalar));
                format!("map(\\{i} => {body}, {})", self.expr(Ty::Vector, d, scope))
            }
            10 => format!("sort({})", self.expr(Ty::Vector, d, scope)),
            11 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("({a} with [1:] = {b}[:n-1])")
            }
            12 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("({a} with [::2] = {b}[::2])")
            }
            13 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("gather({a}, argsort({b}))")
            }
            14 => {
                let f = self.random.pick(&["(+)", "max", "\\(p, q) => p * 0.5 + q"]);
                let start = self.number();
                format!("histogram({f}, {start}, n, for {i} < n => {i} / 2, {})", self.expr(Ty::Vector, d, scope))
            }
            _ => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Vector, d, scope));
                format!("concat({a}[:1], {b}[1:])")
            }
        }
    }

    fn matrix(&mut self, d: usize, scope: &Scope) -> String {
        let (i, j) = (self.name("i"), self.name("j"));
        match self.random.below(9) {
            0 => format!("(for {i} < n, {j} < n => {})", self.expr(Ty::Scalar, d, &scope.index(&i).index(&j))),
            1 => {
                let [a, b] = [(); 2].map(|()| self.expr(Ty::Matrix, d, scope));
                format!("({a} @ {b})")
            }
            2 => format!("transpose({})", self.expr(Ty::Matrix, d, scope)),
            3 => format!("(for {i} < n => {})", self.expr(Ty::Vector, d, &scope.index(&i))),
            4 => {
                let (array, place) = (self.expr(Ty::Matrix, d, scope), self.index(scope, &["0"]));
                format!("({array} with [{place}] = {})", self.expr(Ty::Vector, d, scope))
            }
            5 => {
                let body = self.expr(Ty::Vector, d, &scope.with(&i, Ty::Vector));
                format!("map(\\{i} => {body}, {})", self.expr(Ty::Matrix, d, scope))
            }
            6 => {
                let (array, column) = (self.expr(Ty::Matrix, d, scope), self.expr(Ty::Vector, d, scope));
                format!("({array} with [:, {}] = {column})", self.index(scope, &["0", "n-1"]))
            }
            7 => format!("(for {i} in {} => sort({i}))", self.expr(Ty::Matrix, d, scope)),
            _ => {
                let rows = self.expr(Ty::Matrix, d, scope);
                format!("(for {i} in {rows} => {})", self.expr(Ty::Vector, d, &scope.with(&i, Ty::Vector)))
            }
        }
    }
}
