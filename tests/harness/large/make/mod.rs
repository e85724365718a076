//! Large random programs, generated top-down from types, so that the checker accepts every one.
//!
//! An index is in range by construction, except for a deliberate error in some programs. Work is bounded by counting
//! the points around an expression (`Scope::points`).

mod arrays;
mod faults;
mod layers;
mod loops;
mod records;
mod scalars;

use super::derivatives::Entry;
use super::program::{Definition, Program};
use super::tree::{Dim, Filling, Node, NodeKind, Ty, form, plain, var};
use crate::generator::Random;

/// The maximal number of evaluations of one expression in the whole program.
const POINTS: usize = 12_000;
/// Sizes around the widths of vectors and tiles.
const SIZES: [usize; 22] = [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 64, 65, 130, 1];
const FEATURES: [usize; 14] = [1, 2, 2, 3, 3, 4, 7, 8, 9, 16, 17, 3, 2, 0];
const LAYERS: [usize; 6] = [2, 2, 1, 3, 2, 0];
/// Templates have names of their own that end in one digit, which generated names must not clash with.
const OWN_NAMES: usize = 9;

/// The names available to an expression, and the number of its evaluations.
#[derive(Clone)]
pub(super) struct Scope {
    pub values: Vec<(String, Ty)>,
    pub dims: Vec<Dim>,
    pub points: usize,
}

impl Scope {
    pub fn with(&self, name: &str, ty: Ty) -> Scope {
        let mut scope = self.clone();
        scope.values.push((name.to_string(), ty));
        scope
    }

    /// With an index over an axis of this many points.
    pub fn index(&self, name: &str, dim: &Dim, points: usize) -> Scope {
        let mut scope = self.with(name, Ty::Place(dim.clone()));
        scope.points *= points.max(1);
        scope
    }

    pub fn places(&self, dim: &Dim) -> Vec<&str> {
        let wanted = Ty::Place(dim.clone());
        self.values.iter().filter(|(_, ty)| *ty == wanted).map(|(name, _)| name.as_str()).collect()
    }
}

pub(super) struct Make {
    random: Random,
    names: usize,
    sizes: Vec<(String, usize)>,
    defs: Vec<(Definition, Vec<Dim>)>,
    /// The number of further deliberate errors.
    faults: usize,
    single: bool,
    /// The maximal depth of expressions of numbers.
    depth: usize,
    categories: Vec<&'static str>,
}

/// The maximal number of expressions of a program.
const EXPRESSIONS: usize = 700;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut tries = (0..20).map(|salt| one(seed, salt));
    let small = |program: &Program| {
        let defs: usize = program.defs.iter().map(|def| def.body.size()).sum();
        program.lets.iter().map(|(_, value)| value.size()).sum::<usize>() + defs <= EXPRESSIONS
    };
    tries.find(small).unwrap_or_else(|| one(seed, 20))
}

fn one(seed: u64, salt: u64) -> Program {
    let mut random = Random::new(seed.wrapping_mul(64).wrapping_add(salt) ^ 0x5bd1_e995);
    let single = random.chance(25);
    let mut pick = |from: &[usize]| from.get(random.below(from.len())).copied().unwrap_or(1);
    let sizes: Vec<(String, usize)> =
        [("n", pick(&SIZES)), ("m", pick(&SIZES)), ("c", pick(&FEATURES)), ("l", pick(&LAYERS))]
            .map(|(name, size)| (name.to_string(), size))
            .to_vec();
    let faults = usize::from(random.chance(35));
    let mut make =
        Make { random, names: OWN_NAMES, sizes, defs: Vec::new(), faults, single, depth: 4, categories: Vec::new() };
    make.whole(seed)
}

impl Make {
    fn whole(&mut self, seed: u64) -> Program {
        let dims: Vec<Dim> = self.sizes.iter().map(|(name, _)| Dim::new(name)).collect();
        let params = self.parameters();
        // Small programs test more in the same time, large ones features that small ones lack.
        let (steps, definitions) = match self.random.below(10) {
            0..5 => (1 + self.random.below(2), usize::from(self.random.chance(10))),
            5..8 => (2 + self.random.below(2), self.random.below(2)),
            _ => (3 + self.random.below(4), self.random.below(4)),
        };
        self.depth = if steps < 3 { 1 + self.random.below(3) } else { 4 };
        (0..definitions).for_each(|_| self.definition());
        let mut scope = Scope { values: params.clone(), dims, points: 1 };
        let mut lets = Vec::new();
        for step in 0..steps {
            let ty = self.step_type(&scope);
            let value = self.step(&ty, &scope);
            let name = format!("u{step}");
            scope = scope.with(&name, ty);
            lets.push((name, value));
        }
        // Values that are not read later are results, and so are some of the others.
        let mut results = Vec::new();
        for (k, (name, _)) in lets.iter().enumerate() {
            let read = lets.iter().skip(k + 1).any(|(_, value)| value.free().contains(name));
            if !read || self.random.chance(40) {
                results.push(name.clone());
            }
        }
        let mut program = Program {
            seed,
            single: self.single,
            sizes: self.sizes.clone(),
            params,
            defs: self.defs.iter().map(|(def, _)| def.clone()).collect(),
            lets,
            results,
            entries: vec![Entry::Value],
            categories: std::mem::take(&mut self.categories),
        };
        program.drop_unused();
        program.entries = self.entries(&program);
        program
    }

    /// The questions about the program: its value and first derivatives, and one of the more expensive ones.
    fn entries(&mut self, program: &Program) -> Vec<Entry> {
        let mut entries = vec![Entry::Value];
        let (smooth, wrt) = (program.smooth_results(), program.wrt());
        if smooth.is_empty() || wrt.is_empty() {
            return entries;
        }
        entries.push(Entry::Gradient);
        let elements = |ty: &Ty| match ty {
            Ty::Array(dims, _) => dims.iter().map(|d| d.value(&self.sizes)).product(),
            _ => 1,
        };
        let small = |ty: &Ty| elements(ty) <= 24;
        let result = smooth.iter().position(|(_, ty)| small(ty));
        let param = wrt.iter().position(|(_, ty)| small(ty));
        match (self.random.below(12), result, param) {
            (0 | 1, ..) => entries.push(Entry::GradientOfGradient),
            (2 | 3, ..) => entries.push(Entry::JvpOfGradient),
            (4, ..) => entries.push(Entry::GradientOfJvp),
            (5, ..) => entries.push(Entry::ValueAndGradient),
            (6 | 7, ..) => entries.push(Entry::Vjp),
            (8 | 9, Some(result), Some(param)) => entries.push(Entry::Jacobian(result, param)),
            _ => entries.push(Entry::Jvp),
        }
        entries
    }

    fn parameters(&mut self) -> Vec<(String, Ty)> {
        let [n, m, c, l] = ["n", "m", "c", "l"].map(Dim::new);
        let named = |name: &str, ty: Ty| (name.to_string(), ty);
        let mut params = vec![
            named("x", Ty::floats(&[&n])),
            named("a", Ty::floats(&[&n, &m])),
            named("h", Ty::floats(&[&n, &c])),
            named("w", Ty::floats(&[&l, &c, &c])),
            named("s", Ty::Float),
            named("k", Ty::array(&[&n], Ty::Place(n.clone()))),
        ];
        let mut more = vec![
            named("y", Ty::floats(&[&m])),
            named("b", Ty::floats(&[&n, &n])),
            named("v", Ty::floats(&[&l, &c, &c])),
            named("g", Ty::floats(&[&c])),
            named("r", Ty::floats(&[&c, &c])),
            named("j", Ty::array(&[&m], Ty::Place(n.clone()))),
            named("o", Ty::array(&[&n], Ty::Place(m.clone()))),
            named("t", Ty::Float),
            named("p", Ty::array(&[&n], Ty::Record(c.clone()))),
            named("q", Ty::array(&[&m], Ty::Sum(c.clone()))),
            named("e", Ty::Int),
            named("f1", Ty::Bool),
        ];
        if self.faults > 0 {
            more.push(named("bad", Ty::array(&[&n], Ty::Wild(n.clone()))));
            more.push(named("few", Ty::array(&[&m], Ty::Wild(n.clone()))));
            more.push(named("far", Ty::Wild(m)));
        }
        let chance = 25 + self.random.below(50);
        params.extend(
            more.into_iter()
                .filter(|(name, _)| ["bad", "few", "far"].contains(&name.as_str()) || self.random.chance(chance)),
        );
        params
    }

    /// A definition over sizes of its own, which is called with others.
    fn definition(&mut self) {
        let [a, b] = [Dim::new("a1"), Dim::new("b1")];
        let extent = self.sizes.iter().map(|(_, size)| *size).max().unwrap_or(1);
        self.sizes.extend([("a1".to_string(), extent), ("b1".to_string(), extent)]);
        let kinds = [
            Ty::floats(&[&a]),
            Ty::floats(&[&b]),
            Ty::floats(&[&a, &b]),
            Ty::Float,
            Ty::array(&[&a], Ty::Place(b.clone())),
            Ty::Int,
        ];
        let mut params = vec![("d0".to_string(), Ty::floats(&[&a])), ("d1".to_string(), Ty::floats(&[&b]))];
        for k in 2..3 + self.random.below(3) {
            let ty = kinds.get(self.random.below(kinds.len())).cloned().unwrap_or(Ty::Float);
            params.push((format!("d{k}"), ty));
        }
        let result = match self.random.below(4) {
            0 => Ty::Float,
            1 => Ty::floats(&[&a, &b]),
            _ => Ty::floats(&[&a]),
        };
        // It may be called at many points.
        let scope = Scope { values: params.clone(), dims: vec![a.clone(), b.clone()], points: 8 };
        let body = self.step(&result, &scope);
        self.sizes.truncate(self.sizes.len() - 2);
        let name = format!("h{}", self.defs.len());
        self.defs.push((Definition { name, params, body }, vec![a, b]));
    }

    /// A call of a definition with this result type, if there is one whose arguments are available.
    fn call(&mut self, ty: &Ty, scope: &Scope) -> Option<Node> {
        if scope.points > 40 || self.defs.is_empty() {
            return None;
        }
        let at = self.random.below(self.defs.len());
        let (def, own) = self.defs.get(at)?.clone();
        let names: Vec<(String, Dim)> = match (&def.body.ty, ty) {
            (Ty::Float, Ty::Float) => {
                let [p, q] = [(); 2].map(|()| self.dim(scope));
                own.iter().map(|d| d.0.clone()).zip([p, q]).collect()
            }
            (Ty::Array(from, _), Ty::Array(to, elem)) if from.len() == to.len() && **elem == Ty::Float => {
                let other = self.dim(scope);
                let mut names: Vec<(String, Dim)> = from.iter().map(|d| d.0.clone()).zip(to.iter().cloned()).collect();
                for d in &own {
                    if names.iter().all(|(name, _)| *name != d.0) {
                        names.push((d.0.clone(), other.clone()));
                    }
                }
                names
            }
            _ => return None,
        };
        let work: usize = names.iter().map(|(_, d)| self.value(d).max(1)).product();
        if names.iter().any(|(_, d)| d.0.contains(' ')) || work * scope.points > 4000 {
            return None;
        }
        let arguments = def.params.iter().map(|(_, param)| self.simple(&param.renamed(&names), scope)).collect();
        Some(Node { ty: ty.clone(), kind: NodeKind::Call(def.name, arguments) })
    }

    /// A name that does not occur elsewhere in the program.
    fn name(&mut self, hint: &str) -> String {
        self.names += 1;
        let name = format!("{hint}{}", self.names);
        // A conversion, which the program may call.
        if arr_ir::Scalar::from_name(&name).is_some() { self.name(hint) } else { name }
    }

    fn value(&self, dim: &Dim) -> usize {
        dim.value(&self.sizes)
    }

    fn dim(&mut self, scope: &Scope) -> Dim {
        let weighed: Vec<&Dim> = scope.dims.iter().filter(|d| d.0 != "l").collect();
        weighed.get(self.random.below(weighed.len())).map_or_else(|| Dim::new("2"), |d| (*d).clone())
    }

    fn small(&self, points: usize) -> bool {
        points <= POINTS
    }

    fn step_type(&mut self, scope: &Scope) -> Ty {
        let (d, e) = (self.dim(scope), self.dim(scope));
        let own =
            |name: &str, other: &Dim| Dim::new(if scope.dims.contains(&Dim::new(name)) { name } else { &other.0 });
        let (n, c) = (own("n", &d), own("c", &e));
        match self.random.below(24) {
            0..3 => Ty::Float,
            3..11 => Ty::floats(&[&d]),
            11..15 => Ty::floats(&[&d, &e]),
            15..20 => Ty::floats(&[&n, &c]),
            20 => Ty::floats(&[&c, &c]),
            21 => Ty::array(&[&d], Ty::Place(e)),
            22 => Ty::array(&[&d], Ty::Record(c)),
            _ => Ty::array(&[&d], Ty::Sum(c)),
        }
    }

    /// A value of this type, made by one of the language's constructs.
    fn step(&mut self, ty: &Ty, scope: &Scope) -> Node {
        if self.random.chance(12)
            && let Some(call) = self.call(ty, scope)
        {
            return call;
        }
        if self.faults > 0 && self.random.chance(35) {
            match ty {
                Ty::Float => return self.failing(scope),
                Ty::Array(dims, elem) if **elem == Ty::Float && dims.len() == 1 => {
                    return self.failing_vector(&dims[0], scope);
                }
                _ => {}
            }
        }
        match ty {
            Ty::Float => self.reduced(scope),
            Ty::Array(dims, elem) if **elem == Ty::Float => {
                let work: usize = dims.iter().map(|d| self.value(d).max(1)).product();
                match dims.as_slice() {
                    _ if !self.small(work * scope.points * 4) => self.simple(ty, scope),
                    [n] => self.vector(n, scope),
                    [n, m] => self.matrix(n, m, scope),
                    _ => self.simple(ty, scope),
                }
            }
            Ty::Array(dims, elem) => self.elements(dims, elem, scope),
            _ => self.simple(ty, scope),
        }
    }

    /// A float literal; away from 0, so that few comparisons are between equals.
    fn number(&mut self) -> Node {
        let number = 0.2 + self.random.below(1_400_000) as f64 / 1e6;
        let sign = if self.random.chance(30) { "-" } else { "" };
        form(Ty::Float, &format!("^{sign}{number:.6}^"), Vec::new())
    }

    /// A cheap value of this type, mostly an existing one.
    fn simple(&mut self, ty: &Ty, scope: &Scope) -> Node {
        if let Some(found) = self.there(ty, scope) {
            return found;
        }
        match ty {
            Ty::Float => self.element(scope),
            Ty::Int | Ty::Wild(_) => self.int(scope),
            Ty::Bool => self.condition(scope),
            Ty::Place(d) => self.place(d, scope).1,
            Ty::Array(dims, elem) => {
                let (mut inner, mut axes) = (scope.clone(), Vec::new());
                let mut binds = Vec::new();
                for d in dims {
                    let i = self.name("i");
                    inner = inner.index(&i, d, self.value(d));
                    axes.push(format!("{i} < #{}#", d.0));
                    binds.push((i, Ty::Place(d.clone())));
                }
                let element = self.simple(elem, &inner);
                form(ty.clone(), &format!("(for {} => ~)", axes.join(", ")), vec![(binds, element)])
            }
            Ty::Tuple(parts) => {
                let parts: Vec<Filling> = parts.iter().map(|part| plain(self.simple(part, scope))).collect();
                let template = format!("({})", vec!["~"; parts.len()].join(", "));
                form(ty.clone(), &template, parts)
            }
            Ty::Record(c) => self.record(c, scope),
            Ty::Sum(c) => self.sum(c, scope),
        }
    }

    /// A value of this type in scope, or an element of one at an index in scope.
    fn there(&mut self, ty: &Ty, scope: &Scope) -> Option<Node> {
        let mut found: Vec<Node> = Vec::new();
        for (name, own) in &scope.values {
            if own == ty {
                found.push(var(name, ty.clone()));
            } else if let (Ty::Array(dims, elem), Ty::Array(wanted, inner)) = (own, ty)
                && elem == inner
                && dims.len() > wanted.len()
                && dims.ends_with(wanted)
            {
                let leading = dims.get(..dims.len() - wanted.len()).unwrap_or_default();
                let places: Option<Vec<Filling>> = leading
                    .iter()
                    .map(|d| scope.places(d).last().map(|i| plain(var(i, Ty::Place(d.clone())))))
                    .collect();
                if let Some(places) = places {
                    let template = format!("{name}[{}]", vec!["~"; places.len()].join(", "));
                    let array = (Vec::new(), var(name, own.clone()));
                    let mut fillings = vec![array];
                    fillings.extend(places);
                    found.push(form(ty.clone(), &template.replacen(name.as_str(), "~", 1), fillings));
                }
            } else if let (Ty::Array(dims, elem), false) = (own, matches!(ty, Ty::Array(..)))
                && **elem == *ty
                && !matches!(ty, Ty::Float)
            {
                let places: Option<Vec<Filling>> =
                    dims.iter().map(|d| scope.places(d).last().map(|i| plain(var(i, Ty::Place(d.clone()))))).collect();
                if let Some(places) = places {
                    let mut fillings = vec![plain(var(name, own.clone()))];
                    let template = format!("~[{}]", vec!["~"; places.len()].join(", "));
                    fillings.extend(places);
                    found.push(form(ty.clone(), &template, fillings));
                }
            } else if let (Ty::Array(dims, elem), Ty::Array(wanted, inner)) = (own, ty)
                && let ([p, q], [r, s]) = (dims.as_slice(), wanted.as_slice())
                && elem == inner
                && (p, q) == (s, r)
            {
                found.push(form(ty.clone(), "transpose(~)", vec![plain(var(name, own.clone()))]));
            }
        }
        // The most recent values are read most.
        let late = found.len().saturating_sub(3);
        let at = match self.random.chance(50) {
            true => late + self.random.below(found.len() - late),
            false => self.random.below(found.len()),
        };
        found.into_iter().nth(at)
    }
}
