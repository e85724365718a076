//! Random programs of several steps that change arrays in loops and pass over them one after another: the cases for
//! fusion, buffer reuse, tapes, scans and scatters.
//!
//! A program is a chain of `let`s, each of an array or a number, all of which are results; the dependences are random,
//! so that arrays are read after their copies were changed, in the order of their creation and in others.

mod arrays;
mod scalars;

use crate::generator::Random;

/// One of the program's sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    N,
    M,
}

impl Size {
    fn name(self) -> &'static str {
        match self {
            Size::N => "n",
            Size::M => "m",
        }
    }

    /// Indices of an array of this size.
    fn places(self) -> &'static str {
        match self {
            Size::N => "k",
            Size::M => "l",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    Scalar,
    Vector(Size),
    Matrix(Size, Size),
}

impl Ty {
    fn text(self, float: &str) -> String {
        match self {
            Ty::Scalar => float.to_string(),
            Ty::Vector(n) => format!("[{}]{float}", n.name()),
            Ty::Matrix(n, m) => format!("[{}][{}]{float}", n.name(), m.name()),
        }
    }
}

/// The names that an expression can use.
#[derive(Clone, Default)]
struct Scope {
    values: Vec<(String, Ty)>,
    indices: Vec<(String, Size)>,
}

impl Scope {
    fn with(&self, name: &str, ty: Ty) -> Scope {
        let mut scope = self.clone();
        scope.values.push((name.to_string(), ty));
        scope
    }

    fn index(&self, name: &str, size: Size) -> Scope {
        let mut scope = self.clone();
        scope.indices.push((name.to_string(), size));
        scope
    }

    fn of(&self, wanted: impl Fn(Ty) -> bool) -> Vec<(&str, Ty)> {
        self.values.iter().filter(|(_, ty)| wanted(*ty)).map(|(name, ty)| (name.as_str(), *ty)).collect()
    }
}

/// A program and arguments for it.
pub struct Case {
    /// Definitions: `f`, with all results, and `g`, a number computed from its floats.
    pub source: String,
    pub arguments: Vec<String>,
    /// The parameters for differentiating `g`.
    pub wrt: Vec<String>,
    /// Whether floats are `f32`.
    pub single: bool,
}

const SIZES: [usize; 16] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 7, 8, 9, 17, 33];
const PARAMETERS: [(&str, Ty); 5] = [
    ("x", Ty::Vector(Size::N)),
    ("y", Ty::Vector(Size::M)),
    ("a", Ty::Matrix(Size::N, Size::M)),
    ("b", Ty::Matrix(Size::N, Size::N)),
    ("s", Ty::Scalar),
];

/// The case of a seed. Sizes come from the seed unless given.
pub fn case(seed: u64, sizes: Option<(usize, usize)>) -> Case {
    let mut random = Random::new(seed);
    let [n, m] = [(); 2].map(|()| SIZES.get(random.below(SIZES.len())).copied().unwrap_or(1));
    let (n, m) = sizes.unwrap_or((n, m));
    let single = random.chance(20);
    let float = if single { "f32" } else { "f64" };
    let mut generator = Generator { random, names: 0, float };
    let mut scope = Scope::default();
    for (name, ty) in PARAMETERS {
        scope.values.push((name.to_string(), ty));
    }
    let (mut body, mut results) = (String::new(), Vec::new());
    for step in 0..2 + generator.random.below(4) {
        let ty = generator.ty();
        let name = format!("u{step}");
        let value = generator.step(ty, &scope);
        body.push_str(&format!("  let {name} = {value}\n"));
        scope = scope.with(&name, ty);
        results.push((name, ty));
    }
    let parameters: Vec<String> = PARAMETERS.iter().map(|(name, ty)| format!("{name}: {}", ty.text(float))).collect();
    let head = format!("({}, k: [n]i64, l: [m]i64)", parameters.join(", "));
    let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    let sum: Vec<String> = results.iter().map(|(name, ty)| weighed(name, *ty, float)).collect();
    let source = format!(
        "def f{head} =\n{body}  in ({names}, 0)\ndef g{head} -> {float} =\n  let ({names}, _) = f(x, y, a, b, s, k, l)\n  in {}\n",
        sum.join(" + "),
        names = names.join(", "),
    );
    let arguments = generator.arguments(n, m);
    let wrt = PARAMETERS.iter().map(|(name, _)| (*name).to_string()).collect();
    Case { source, arguments, wrt, single }
}

/// A number that depends on every element in its own way.
fn weighed(name: &str, ty: Ty, float: &str) -> String {
    match ty {
        Ty::Scalar => format!("0.7 * {name}"),
        Ty::Vector(n) => format!("sum(for i < {} => {name}[i] * (0.3 + 0.1 * {float}(i % 5)))", n.name()),
        Ty::Matrix(n, m) => format!(
            "sum(flatten(for i < {}, j < {} => {name}[i, j] * (0.2 + 0.1 * {float}((2 * i + 3 * j) % 7))))",
            n.name(),
            m.name()
        ),
    }
}

struct Generator {
    random: Random,
    names: usize,
    float: &'static str,
}

impl Generator {
    fn name(&mut self, hint: &str) -> String {
        self.names += 1;
        format!("{hint}{}", self.names)
    }

    fn size(&mut self) -> Size {
        if self.random.chance(60) { Size::N } else { Size::M }
    }

    fn ty(&mut self) -> Ty {
        match self.random.below(10) {
            0 => Ty::Scalar,
            1..6 => Ty::Vector(self.size()),
            _ => Ty::Matrix(self.size(), self.size()),
        }
    }

    /// Away from 0, so that few comparisons are between equals.
    fn number(&mut self) -> String {
        let number = 0.2 + self.random.below(1_400_000) as f64 / 1e6;
        let number = if self.random.chance(30) { -number } else { number };
        format!("{number:.6}{}", if self.float == "f32" { "f32" } else { "" })
    }

    fn arguments(&mut self, n: usize, m: usize) -> Vec<String> {
        let mut arguments = Vec::new();
        for (_, ty) in PARAMETERS {
            let text = match ty {
                Ty::Scalar => self.number(),
                Ty::Vector(size) => self.numbers(if size == Size::N { n } else { m }),
                Ty::Matrix(_, size) if n > 0 => {
                    let rows: Vec<String> = (0..n).map(|_| self.numbers(if size == Size::N { n } else { m })).collect();
                    format!("[{}]", rows.join(", "))
                }
                Ty::Matrix(..) => "[]".to_string(),
            };
            arguments.push(text);
        }
        for size in [n, m] {
            let places: Vec<String> = (0..size).map(|_| self.random.below(size).to_string()).collect();
            arguments.push(format!("[{}]", places.join(", ")));
        }
        arguments
    }

    fn numbers(&mut self, n: usize) -> String {
        let numbers: Vec<String> = (0..n).map(|_| self.number()).collect();
        format!("[{}]", numbers.join(", "))
    }

    /// An array or a number made by one of the language's constructs.
    fn step(&mut self, ty: Ty, scope: &Scope) -> String {
        match ty {
            Ty::Scalar => self.reduced(scope),
            Ty::Vector(n) => self.vector(n, scope),
            Ty::Matrix(n, m) => self.matrix(n, m, scope),
        }
    }

    /// The name of a value of this type; a parameter always has it, or a transposed or repeated one does.
    fn named(&mut self, ty: Ty, scope: &Scope) -> String {
        let found = scope.of(|other| other == ty);
        // The most recent values are read most.
        let late = found.len().saturating_sub(2);
        let at = if self.random.chance(50) && late > 0 {
            late + self.random.below(2)
        } else {
            self.random.below(found.len())
        };
        match (found.get(at), ty) {
            (Some((name, _)), _) => (*name).to_string(),
            (None, Ty::Matrix(Size::M, Size::N)) => "transpose(a)".to_string(),
            (None, _) => "(for q < m => for r < m => y[q] * y[r] * 0.5)".to_string(),
        }
    }
}
