//! Numbers: elements of arrays at near and far indices, and expressions of them.

use super::{Generator, Scope, Size, Ty};

impl Generator {
    /// A number that mentions indices and values in scope.
    pub(super) fn scalar(&mut self, depth: usize, scope: &Scope) -> String {
        if depth == 0 {
            return self.element(scope);
        }
        let d = depth - 1;
        let [p, q] = [(); 2].map(|()| self.scalar(d, scope));
        match self.random.below(16) {
            0 => format!("sin({p} + {q})"),
            1 => format!("(0.5 * {p} + 0.4 * {q})"),
            2 => format!("(0.6 * {p} - 0.3 * {q})"),
            3 => format!("tanh({p} * {q})"),
            4 => format!("max({p}, {q})"),
            5 => format!("({p} / (1.5 + abs({q})))"),
            6 => format!("sqrt(1.0 + {p} * {p})"),
            7 => format!("exp(-({p} * {p}))"),
            8 => {
                let c = self.scalar(0, scope);
                format!("(if {c} < 0.3 then {p} else {q})")
            }
            9 => self.folded(d, scope),
            10 => self.looped(d, scope),
            11 if !scope.indices.is_empty() => {
                let at = self.random.below(scope.indices.len());
                let (i, size) = scope.indices.get(at).map_or(("0", Size::N), |(i, size)| (i.as_str(), *size));
                let condition = match self.random.below(4) {
                    0 => format!("{i} == 0"),
                    1 => format!("{i} == {} - 1", size.name()),
                    2 => format!("{i} % 2 == 1"),
                    _ => format!("{i} > 0 and {i} < {} - 1", size.name()),
                };
                format!("(if {condition} then {p} else {q})")
            }
            12 => format!("({p} * {})", self.number()),
            _ => format!("(0.7 * {p} + {})", self.element(scope)),
        }
    }

    /// A sum over an axis, the whole of it or a part that differs from point to point.
    fn folded(&mut self, d: usize, scope: &Scope) -> String {
        let size = self.size();
        let p = self.name("p");
        let outer = scope.indices.iter().rev().find(|(_, s)| *s == size).map(|(i, _)| i.clone());
        let extent = match outer {
            Some(i) if self.random.chance(40) => match self.random.below(3) {
                0 => i,
                1 => format!("{i} + 1"),
                _ => format!("{} - {i}", size.name()),
            },
            _ => size.name().to_string(),
        };
        let body = self.scalar(d, &scope.index(&p, size));
        match self.random.below(6) {
            0 => format!("(0.1 * product(for {p} < {extent} => 0.9 + 0.1 * {body}))"),
            1 => format!("(reduce(max, -2.0, for {p} < {extent} => {body}))"),
            2 => format!("(reduce(min, 2.0, for {p} < {extent} => {body}))"),
            _ => format!("(0.2 * sum(for {p} < {extent} => {body}))"),
        }
    }

    /// A loop of numbers.
    fn looped(&mut self, d: usize, scope: &Scope) -> String {
        let (c, t, size) = (self.name("c"), self.name("t"), self.size());
        let start = self.scalar(0, scope);
        let inner = scope.with(&c, Ty::Scalar).index(&t, size);
        let body = self.scalar(d, &inner);
        match self.random.below(3) {
            0 => format!("(loop {c} = {start} for {t} < min(3, {}) do 0.5 * {c} + 0.3 * {body})", size.name()),
            1 => format!("(loop {c} = {start} for {t} < {} do 0.8 * {c} + 0.1 * {body})", size.name()),
            _ => format!(
                "(loop ({c}, {t}) = ({start}, 0) while {t} < {} and abs({c}) < 1.4 do \
                 (1.1 * {c} + 0.2 * {body}, {t} + 1)).0",
                size.name()
            ),
        }
    }

    /// An element of an array at an index computed from those in scope, or a number.
    pub(super) fn element(&mut self, scope: &Scope) -> String {
        for _ in 0..3 {
            let found = scope.of(|_| true);
            // The states of loops and the most recent values are read most.
            let at = match self.random.chance(60) {
                true => found.len() - 1 - self.random.below(3.min(found.len())),
                false => self.random.below(found.len()),
            };
            let Some((name, ty)) = found.get(at).map(|(name, ty)| ((*name).to_string(), *ty)) else { continue };
            let read = match ty {
                Ty::Scalar => Some(name),
                Ty::Vector(n) => self.read(&name, &[n], scope),
                Ty::Matrix(n, m) => self.read(&name, &[n, m], scope),
            };
            if let Some(read) = read {
                return read;
            }
        }
        if self.random.chance(30) { self.number() } else { "s".to_string() }
    }

    fn read(&mut self, name: &str, sizes: &[Size], scope: &Scope) -> Option<String> {
        let (mut guards, mut places) = (Vec::new(), Vec::new());
        for &size in sizes {
            let (guard, place) = self.place(size, scope)?;
            guards.extend(guard);
            places.push(place);
        }
        let read = format!("{name}[{}]", places.join(", "));
        Some(match guards.is_empty() {
            true => read,
            false => format!("(if {} then {read} else {})", guards.join(" and "), self.number()),
        })
    }

    /// An index of an axis, and the condition for its validity.
    pub(super) fn place(&mut self, size: Size, scope: &Scope) -> Option<(Option<String>, String)> {
        let indices: Vec<&str> = scope.indices.iter().filter(|(_, s)| *s == size).map(|(i, _)| i.as_str()).collect();
        let index = self.random.pick(&indices);
        if index.is_empty() {
            return None;
        }
        let (i, n, k) = (index, size.name(), size.places());
        Some(match self.random.below(14) {
            0 => (None, format!("{n} - 1 - {i}")),
            1 => (None, format!("max({i} - 1, 0)")),
            2 => (None, format!("min({i} + 1, {n} - 1)")),
            3 => (None, format!("({i} + 1) % {n}")),
            4 => (None, format!("{k}[{i}]")),
            5 => (Some(format!("{i} > 0")), format!("{i} - 1")),
            6 => (Some(format!("{i} + 1 < {n}")), format!("{i} + 1")),
            7 => (Some(format!("{i} >= 2")), format!("{i} - 2")),
            8 => (Some(format!("2 * {i} + 1 < {n}")), format!("2 * {i} + 1")),
            9 => (None, format!("{i} / 2")),
            _ => (None, i),
        })
    }

    /// A number computed from whole arrays.
    pub(super) fn reduced(&mut self, scope: &Scope) -> String {
        let size = self.size();
        let (v, w) = (self.named(Ty::Vector(size), scope), self.named(Ty::Vector(size), scope));
        let n = size.name();
        match self.random.below(6) {
            0 => format!("sum({v} * {w})"),
            1 => format!("reduce(max, 0.1, {v})"),
            2 => format!("(if {n} > 0 then {w}[argmax({v})] else 0.4)"),
            3 => self.looped(2, scope),
            4 => {
                let matrix = self.ty_of_matrix();
                format!("(0.1 * sum(flatten({})))", self.named(matrix, scope))
            }
            _ => self.folded(2, scope),
        }
    }

    pub(super) fn ty_of_matrix(&mut self) -> Ty {
        Ty::Matrix(self.size(), self.size())
    }
}
