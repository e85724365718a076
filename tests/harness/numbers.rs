//! Random programs over numbers of every type, with the numbers that arithmetic treats specially: the extremes of the
//! integers, NaN, infinities, zeros of both signs and tiny numbers. Every operation gives the same bits everywhere.

use crate::generator::Random;
use arr_ir::{Prim, TypeRule};
use std::sync::LazyLock;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    I64,
    I32,
    U32,
    F64,
    F32,
    Bool,
}

const TYPES: [(Ty, &str, &str); 6] = [
    (Ty::I64, "i64", "p"),
    (Ty::I32, "i32", "q"),
    (Ty::U32, "u32", "r"),
    (Ty::F64, "f64", "u"),
    (Ty::F32, "f32", "v"),
    (Ty::Bool, "bool", "b"),
];
const SIZES: [usize; 10] = [1, 2, 3, 5, 8, 9, 16, 17, 33, 70];

/// What is written before a float in parentheses.
static FUNCTIONS_OF_ONE: LazyLock<Vec<&str>> =
    LazyLock::new(|| functions_of_floats(1).chain(["-", "1.0 / "]).collect());
static FUNCTIONS_OF_TWO: LazyLock<Vec<&str>> = LazyLock::new(|| functions_of_floats(2).collect());

/// The primitives that programs call by their names with so many floats of one type.
fn functions_of_floats(arity: usize) -> impl Iterator<Item = &'static str> {
    let of_floats = move |prim: &&Prim| matches!(prim.rule(), TypeRule::Float | TypeRule::Num) && prim.arity() == arity;
    Prim::ALL.iter().filter(of_floats).filter(|prim| prim.doc().is_some()).map(|prim| prim.name())
}

impl Ty {
    fn name(self) -> &'static str {
        TYPES.iter().find(|(ty, ..)| *ty == self).map_or("i64", |(_, name, _)| name)
    }

    fn is_float(self) -> bool {
        matches!(self, Ty::F64 | Ty::F32)
    }
}

/// A definition `f` and its arguments.
pub struct Case {
    pub source: String,
    pub arguments: Vec<String>,
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let mut generator = Generator { random: Random::new(seed), names: 0, arrays: Vec::new() };
    generator.arrays.extend(TYPES.iter().map(|&(ty, _, name)| (name.to_string(), ty)));
    let (mut body, mut results) = (String::new(), Vec::new());
    for step in 0..2 + generator.random.below(4) {
        let (name, ty) = (format!("s{step}"), generator.ty());
        let value = generator.array(ty);
        body.push_str(&format!("  let {name} = {value}\n"));
        results.push(name.clone());
        generator.arrays.push((name, ty));
    }
    let parameters: Vec<String> = TYPES.iter().map(|(_, ty, name)| format!("{name}: [n]{ty}")).collect();
    let source = format!("def f({}) =\n{body}  in ({}, 0)\n", parameters.join(", "), results.join(", "));
    let n = SIZES.get(generator.random.below(SIZES.len())).copied().unwrap_or(1);
    let array = |generator: &mut Generator, ty| {
        let numbers: Vec<String> = (0..n).map(|_| generator.number(ty)).collect();
        format!("[{}]", numbers.join(", "))
    };
    let arguments = TYPES.iter().map(|&(ty, ..)| array(&mut generator, ty)).collect();
    Case { source, arguments }
}

struct Generator {
    random: Random,
    names: usize,
    arrays: Vec<(String, Ty)>,
}

impl Generator {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    fn ty(&mut self) -> Ty {
        TYPES.get(self.random.below(TYPES.len())).map_or(Ty::I64, |(ty, ..)| *ty)
    }

    /// In the syntax of an argument.
    fn number(&mut self, ty: Ty) -> String {
        let special = self.random.chance(35);
        match ty {
            Ty::Bool => self.random.pick(&["true", "false"]),
            Ty::I64 if special => {
                self.random.pick(&["-9223372036854775808", "9223372036854775807", "4294967296", "-1"])
            }
            Ty::I32 if special => self.random.pick(&["-2147483648", "2147483647", "-1", "65536"]),
            Ty::U32 if special => self.random.pick(&["4294967295", "2147483648", "0", "65535"]),
            Ty::U32 => self.random.below(20).to_string(),
            Ty::I64 | Ty::I32 => (self.random.below(21) as i64 - 10).to_string(),
            Ty::F64 if special => self
                .random
                .pick(&["nan", "inf", "-inf", "-0.0", "0.0", "5e-324", "1.7e308", "-1e19", "9.3e18", "2.5", "-0.5"]),
            Ty::F32 if special => self
                .random
                .pick(&["nan", "inf", "-inf", "-0.0", "0.0", "1e-45", "3.4e38", "-3e9", "4.3e9", "2.5", "-0.5"]),
            Ty::F64 | Ty::F32 => format!("{:.3}", self.random.below(8000) as f64 / 1000.0 - 4.0),
        }
    }

    /// In the syntax of a program.
    fn literal(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Bool => self.number(ty),
            Ty::U32 => format!("{}u32", self.random.below(40)),
            _ if ty.is_float() => format!("({:.2}{})", self.random.below(600) as f64 / 100.0 - 3.0, ty.name()),
            _ => format!("({}{})", self.random.below(41) as i64 - 20, ty.name()),
        }
    }

    fn array(&mut self, ty: Ty) -> String {
        let (i, q) = (self.name(), self.name());
        let start = self.of(ty);
        match self.random.below(12) {
            0 => {
                self.arrays.push((q.clone(), ty));
                let body = self.scalar(ty, 3, &i);
                self.arrays.pop();
                format!("loop {q} = {start} for {i} < n do {q} with [{i}] = {body}")
            }
            1 if ty != Ty::Bool => format!("scan({}, {}, {start})", self.operator(ty), self.literal(ty)),
            2 if ty != Ty::Bool => self.random.pick(&["sort", "reverse"]) + &format!("({start})"),
            3 if ty != Ty::Bool => {
                let places = self.of(Ty::I64);
                format!("scatter_add({start}, for {i} < n => ({places}[{i}] % n), {})", self.of(ty))
            }
            4 if ty != Ty::Bool => {
                let places = self.of(Ty::U32);
                let operator = self.operator(ty);
                format!(
                    "histogram({operator}, {}, n, for {i} < n => (i64({places}[{i}]) % n), {start})",
                    self.literal(ty)
                )
            }
            5 if ty == Ty::I64 => format!("argsort({})", self.of(Ty::F64)),
            6 => {
                let body = self.scalar(ty, 2, &i).replace(&format!("{start}[{i}]"), &q);
                format!("for {i} < n => (loop {q} = {start}[{i}] for t < 3 do {body})")
            }
            _ => format!("for {i} < n => {}", self.scalar(ty, 4, &i)),
        }
    }

    fn operator(&mut self, ty: Ty) -> String {
        match ty.is_float() {
            true => self.random.pick(&["(+)", "max", "min", "(*)"]),
            false => self.random.pick(&["(+)", "max", "min", "(*)", "bit_xor", "bit_and", "bit_or"]),
        }
    }

    /// An array of this type, preferably the most recent one.
    fn of(&mut self, ty: Ty) -> String {
        let found: Vec<&str> =
            self.arrays.iter().rev().filter(|(_, t)| *t == ty).map(|(name, _)| name.as_str()).collect();
        self.random.pick(&found)
    }

    fn scalar(&mut self, ty: Ty, depth: usize, i: &str) -> String {
        if depth == 0 {
            let array = self.of(ty);
            return match self.random.below(6) {
                0 => self.literal(ty),
                1 => format!("{array}[n - 1 - {i}]"),
                2 => format!("{array}[({i} + 1) % n]"),
                _ => format!("{array}[{i}]"),
            };
        }
        let d = depth - 1;
        if self.random.chance(15) {
            let from = self.ty();
            return format!("{}({})", ty.name(), self.scalar(from, d, i));
        }
        if self.random.chance(10) {
            let from = self.ty();
            let from = if from == Ty::Bool { Ty::I64 } else { from };
            let [a, b] = [(); 2].map(|()| self.scalar(from, d, i));
            let [c, e] = [(); 2].map(|()| self.scalar(ty, d, i));
            return match self.random.chance(50) {
                true => format!("(if {a} < {b} then {c} else {e})"),
                false => format!("select({a} >= {b}, {c}, {e})"),
            };
        }
        if self.random.chance(8) {
            return self.folded(ty, d);
        }
        match ty {
            Ty::Bool => self.boolean(d, i),
            Ty::F64 | Ty::F32 => self.float(ty, d, i),
            Ty::I64 | Ty::I32 | Ty::U32 => self.integer(ty, d, i),
        }
    }

    fn folded(&mut self, ty: Ty, d: usize) -> String {
        let j = self.name();
        let term = self.scalar(ty, d.min(1), &j);
        let fold = match ty {
            Ty::Bool => self.random.pick(&["any", "all"]),
            _ => self.random.pick(&["sum", "product", "maximum", "minimum"]),
        };
        format!("{fold}(for {j} < n => {term})")
    }

    fn boolean(&mut self, d: usize, i: &str) -> String {
        let ty = self.ty();
        let [a, b] = [(); 2].map(|()| self.scalar(ty, d, i));
        match self.random.below(4) {
            0 => format!("({} and {})", self.scalar(Ty::Bool, d, i), self.scalar(Ty::Bool, d, i)),
            1 => format!("(not {})", self.scalar(Ty::Bool, d, i)),
            2 if ty.is_float() => self.random.pick(&["is_nan", "is_finite"]) + &format!("({a})"),
            _ if ty == Ty::Bool => format!("({a} == {b})"),
            _ => format!("({a} {} {b})", self.random.pick(&["<", "<=", "==", "!=", ">", ">="])),
        }
    }

    fn integer(&mut self, ty: Ty, d: usize, i: &str) -> String {
        let [a, b] = [(); 2].map(|()| self.scalar(ty, d, i));
        match self.random.below(15) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 | 4 => format!("({a} * {b})"),
            5 => format!("({a} / bit_or({b}, 1))"),
            6 => format!("({a} % bit_or({b}, 1))"),
            7 => format!("({a} {} {})", self.random.pick(&["/", "%"]), self.random.pick(&["3", "7", "8", "1", "10"])),
            8 => format!("{}({a}, {b})", self.random.pick(&["bit_and", "bit_or", "bit_xor"])),
            9 => format!("{}({a}, {b})", self.random.pick(&["shl", "shr"])),
            10 => format!("{}({a}, {b})", self.random.pick(&["min", "max"])),
            11 if ty != Ty::U32 => format!("(-{a})"),
            12 if ty != Ty::U32 => format!("abs({a})"),
            13 => format!("({a} ** {})", self.random.pick(&["2", "3", "0"])),
            _ => format!("({a} + {})", self.literal(ty)),
        }
    }

    fn float(&mut self, ty: Ty, d: usize, i: &str) -> String {
        let [a, b] = [(); 2].map(|()| self.scalar(ty, d, i));
        match self.random.below(12) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 => format!("({a} * {b})"),
            4 => format!("({a} / {b})"),
            5 => format!("({a} % {b})"),
            6 => format!("{}({a}, {b})", self.random.pick(&FUNCTIONS_OF_TWO)),
            7 => format!("({a} ** {})", self.random.pick(&["2", "3", "-1", "0.5"])),
            _ => format!("({}({a}))", self.random.pick(&FUNCTIONS_OF_ONE)),
        }
    }
}
