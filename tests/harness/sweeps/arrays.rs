//! Arrays: passes over them, loops that change them, scatters, scans and windows.

use super::{Generator, Scope, Size, Ty};

impl Generator {
    pub(super) fn vector(&mut self, size: Size, scope: &Scope) -> String {
        let (n, k, i) = (size.name(), size.places(), self.name("i"));
        let ty = Ty::Vector(size);
        let at = scope.index(&i, size);
        match self.random.below(20) {
            0..3 => format!("for {i} < {n} => {}", self.scalar(3, &at)),
            3..7 => self.changed(size, scope),
            7 => {
                let u = self.name("u");
                let body = self.scalar(2, &at.with(&u, ty));
                format!("loop {u} = {} for t < 3 do for {i} < {n} => {body}", self.named(ty, scope))
            }
            8 => self.swapped(size, scope),
            9..11 => self.scattered(size, scope),
            11 => self.recurrence(size, scope),
            12 => {
                let [v, w] = [(); 2].map(|()| self.named(ty, scope));
                match self.random.below(4) {
                    0 => format!("({v} with [min(1, {n})::2] = {w}[min(1, {n})::2])"),
                    1 => format!("(let q = {v} in q with [min(1, {n}):] = {w}[:{n} - min(1, {n})])"),
                    2 => format!("(rotate({v}, 1) + reverse({w}))"),
                    _ => format!("({v} with [:{n} / 2] = {w}[{n} - {n} / 2:])"),
                }
            }
            13 => {
                let p = self.name("p");
                let v = self.named(ty, scope);
                let (lo, hi) = (self.random.below(3), self.random.below(3));
                format!(
                    "(let {p} = pad({v}, ({lo}, {hi}), 0.25) in for {i} < {n} => \
                     0.5 * {p}[{i}] + 0.3 * {p}[{i} + {}] + {})",
                    lo + hi,
                    self.scalar(1, &at)
                )
            }
            14 => {
                let j = self.name("j");
                let body = self.scalar(2, &at.index(&j, size));
                match self.random.chance(50) {
                    true => format!("for {i} < {n} => 0.2 * sum(for {j} < {n} => if {i} == {j} then 0.0 else {body})"),
                    false => format!("for {i} < {n} => 0.2 * sum(for {j} < {n} => {body})"),
                }
            }
            15 => {
                let other = self.size();
                let (a, v) = (self.named(Ty::Matrix(size, other), scope), self.named(Ty::Vector(other), scope));
                format!("0.3 * ({a} @ {v})")
            }
            16 => {
                let other = self.size();
                format!("0.3 * sum({})", self.named(Ty::Matrix(other, size), scope))
            }
            17 => self.chain(size, scope),
            18 => {
                let (c, t) = (self.name("c"), self.name("t"));
                let body = self.scalar(1, &at.with(&c, Ty::Scalar).index(&t, size));
                format!("for {i} < {n} => (loop {c} = s for {t} < {k}[{i}] do 0.5 * {c} + 0.3 * {body})")
            }
            _ => {
                let v = self.named(ty, scope);
                let f = self.random.pick(&["cumsum", "sort", "reverse", "cummax"]);
                format!("0.5 * {f}({v})")
            }
        }
    }

    /// The index that a loop over `t` writes.
    fn target(&mut self, t: &str, size: Size) -> String {
        let n = size.name();
        match self.random.below(8) {
            0 => format!("{n} - 1 - {t}"),
            1 => format!("{}[{t}]", size.places()),
            2 => format!("({t} + 1) % {n}"),
            3 => format!("{t} / 2"),
            _ => t.to_string(),
        }
    }

    /// A loop that changes elements of its state.
    fn changed(&mut self, size: Size, scope: &Scope) -> String {
        let ([u, w, c, t], n) = ([(); 4].map(|()| self.name("u")), size.name());
        let ty = Ty::Vector(size);
        let start = self.named(ty, scope);
        let inner = scope.with(&u, ty).index(&t, size);
        let (to, e) = (self.target(&t, size), self.scalar(2, &inner));
        match self.random.below(9) {
            0..3 => format!("loop {u} = {start} for {t} < {n} do {u} with [{to}] = {e}"),
            3 => {
                let (again, other) = (self.target(&t, size), self.scalar(1, &inner));
                format!("loop {u} = {start} for {t} < {n} do {u} with [{to}] = {e} with [{again}] = {other}")
            }
            4 => {
                let next = self.scalar(2, &inner.with(&c, Ty::Scalar));
                format!(
                    "(loop ({u}, {c}) = ({start}, s) for {t} < {n} do \
                     ({u} with [{to}] = 0.5 * {c} + 0.4 * {e}, 0.5 * {c} + 0.3 * {next})).0"
                )
            }
            5 => {
                // Both arrays may be the same one in memory.
                let second = self.named(ty, scope);
                let (there, other) = (self.target(&t, size), self.scalar(2, &inner.with(&w, ty)));
                format!(
                    "(let ({u}, {w}) = loop ({u}, {w}) = ({start}, {second}) for {t} < {n} do \
                     ({u} with [{to}] = {e}, {w} with [{there}] = {other}) in 0.6 * {u} - 0.3 * {w})"
                )
            }
            6 => {
                let other = self.size();
                let r = self.name("r");
                let deep = self.scalar(2, &inner.index(&r, other));
                let place = if other == size && self.random.chance(60) { r.clone() } else { to };
                let extent = match other == size && self.random.chance(50) {
                    true => t.clone(),
                    false => other.name().to_string(),
                };
                format!(
                    "loop {u} = {start} for {t} < {n} do loop {u} = {u} for {r} < {extent} do {u} with [{place}] = {deep}"
                )
            }
            7 => {
                let condition = self.scalar(0, &inner);
                format!("loop {u} = {start} for {t} < {n} do if {condition} < 0.4 then {u} with [{to}] = {e} else {u}")
            }
            _ => format!(
                "(loop ({u}, {t}) = ({start}, 0) while {t} < {n} do \
                 ({u} with [{t}] = {e}, {t} + 1 + {}[{t}] % 2)).0",
                size.places()
            ),
        }
    }

    /// A loop of two arrays that are swapped, or of one that is read a step later.
    fn swapped(&mut self, size: Size, scope: &Scope) -> String {
        let [u, w, i, t] = [(); 4].map(|()| self.name("w"));
        let (n, ty) = (size.name(), Ty::Vector(size));
        let [first, second] = [(); 2].map(|()| self.named(ty, scope));
        let body = self.scalar(2, &scope.with(&w, ty).with(&u, ty).index(&i, size));
        let next = match self.random.chance(50) {
            true => format!("({w}, for {i} < {n} => {body})"),
            false => format!("(for {i} < {n} => {body}, {u})"),
        };
        format!("(let ({u}, {w}) = loop ({u}, {w}) = ({first}, {second}) for {t} < 4 do {next} in {u} - 0.3 * {w})")
    }

    /// Scatters, mostly one after another into the same array.
    fn scattered(&mut self, size: Size, scope: &Scope) -> String {
        let ty = Ty::Vector(size);
        let mut array = self.named(ty, scope);
        for _ in 0..1 + self.random.below(3) {
            let (other, i) = (self.size(), self.name("i"));
            let values = match self.random.chance(40) {
                true => self.named(Ty::Vector(other), scope),
                false => format!("(for {i} < {} => {})", other.name(), self.scalar(1, &scope.index(&i, other))),
            };
            let places = match other == size {
                true => size.places().to_string(),
                false => format!("(for {i} < {} => ({i} * 3 + 1) % {})", other.name(), size.name()),
            };
            let f = self.random.pick(&["scatter", "scatter_add", "scatter_add"]);
            array = format!("{f}({array}, {places}, {values})");
        }
        format!("0.6 * {array}")
    }

    /// A recurrence.
    fn recurrence(&mut self, size: Size, scope: &Scope) -> String {
        let ([c, u, t], n) = ([(); 3].map(|()| self.name("c")), size.name());
        let (v, start) = (self.named(Ty::Vector(size), scope), self.scalar(0, scope));
        let inner = scope.index(&t, size);
        let (p, q) = (self.scalar(1, &inner), self.scalar(1, &inner));
        match self.random.below(5) {
            0 => format!("scan(\\(p, q) => 0.5 * p + q, {start}, {v})"),
            1 => format!("scan(\\(p, q) => max(p * 0.9, q), {start}, {v})"),
            2 => format!(
                "(loop ({c}, {u}) = ({start}, {v}) for {t} < {n} do \
                 let {c} = tanh({p}) * {c} + {q} in ({c}, {u} with [{t}] = {c})).1"
            ),
            3 => format!(
                "(loop ({c}, {u}) = ({start}, {v}) for {t} < {n} do \
                 let {c} = 0.5 * {c} + {q} in ({c}, {u} with [{n} - 1 - {t}] = {c})).1"
            ),
            _ => format!(
                "(loop ({c}, {u}) = ({start}, {v}) for {t} < {n} do \
                 ({c} / (1.5 + abs({p})) + 0.3 * {q}, {u} with [{t}] = {c} + 0.5 * {u}[{t}])).1"
            ),
        }
    }

    /// Passes over neighbouring rows, each of which reads the previous one.
    fn chain(&mut self, size: Size, scope: &Scope) -> String {
        let (n, mut inner, mut text) = (size.name(), scope.clone(), String::from("("));
        for _ in 0..2 + self.random.below(3) {
            let (p, i) = (self.name("p"), self.name("i"));
            let body = self.scalar(2, &inner.index(&i, size));
            text.push_str(&format!("let {p} = for {i} < {n} => {body} "));
            inner = inner.with(&p, Ty::Vector(size));
        }
        let i = self.name("i");
        format!("{text}in for {i} < {n} => {})", self.scalar(2, &inner.index(&i, size)))
    }

    pub(super) fn matrix(&mut self, rows: Size, columns: Size, scope: &Scope) -> String {
        let (n, m, [i, j, q]) = (rows.name(), columns.name(), [(); 3].map(|()| self.name("q")));
        let ty = Ty::Matrix(rows, columns);
        let at = scope.index(&i, rows).index(&j, columns);
        match self.random.below(16) {
            0..2 => format!("for {i} < {n}, {j} < {m} => {}", self.scalar(3, &at)),
            2..6 => self.rewritten(rows, columns, scope),
            6 => {
                let body = self.scalar(2, &at.with(&q, ty));
                format!("loop {q} = {} for t < 3 do for {i} < {n}, {j} < {m} => {body}", self.named(ty, scope))
            }
            7 => {
                let v = self.named(Ty::Vector(columns), scope);
                let u = self.name("u");
                let body = self.scalar(1, &scope.index(&i, rows).with(&u, Ty::Vector(columns)).index(&j, columns));
                format!("for {i} < {n} => (loop {u} = {v} for {j} < {m} do {u} with [{j}] = {body})")
            }
            8 => {
                let inner = self.size();
                let (p, r) =
                    (self.named(Ty::Matrix(rows, inner), scope), self.named(Ty::Matrix(inner, columns), scope));
                format!("0.3 * ({p} @ {r})")
            }
            9 => format!("transpose({})", self.named(Ty::Matrix(columns, rows), scope)),
            10 => {
                let row = self.vector(columns, &scope.index(&i, rows));
                format!("for {i} < {n} => ({row})")
            }
            11 => {
                let (array, values) = (self.named(ty, scope), self.named(ty, scope));
                let f = self.random.pick(&["scatter", "scatter_add"]);
                format!("0.5 * {f}({array}, {}, {values})", rows.places())
            }
            12 => {
                let [array, other] = [(); 2].map(|()| self.named(ty, scope));
                format!("({array} with [min(1, {n}):, :] = {other}[:{n} - min(1, {n}), :])")
            }
            13 => {
                let array = self.named(ty, scope);
                let body = self.scalar(1, &at);
                format!(
                    "(let {q} = pad({array}, (1, 1), replicate({m}, 0.1)) in \
                     for {i} < {n}, {j} < {m} => 0.4 * {q}[{i}, {j}] + 0.4 * {q}[{i} + 2, {j}] + {body})"
                )
            }
            _ => {
                let [first, second] = [(); 2].map(|()| self.name("p"));
                let one = self.scalar(2, &at);
                let two = self.scalar(2, &at.with(&first, ty));
                let three = self.scalar(2, &at.with(&first, ty).with(&second, ty));
                format!(
                    "(let {first} = for {i} < {n}, {j} < {m} => {one} let {second} = for {i} < {n}, {j} < {m} => {two} \
                     in for {i} < {n}, {j} < {m} => {three})"
                )
            }
        }
    }

    /// A loop that changes elements, rows or columns of a matrix.
    fn rewritten(&mut self, rows: Size, columns: Size, scope: &Scope) -> String {
        let (n, m, [i, j, q, r]) = (rows.name(), columns.name(), [(); 4].map(|()| self.name("r")));
        let ty = Ty::Matrix(rows, columns);
        let start = self.named(ty, scope);
        let inner = scope.with(&q, ty).index(&i, rows);
        let element = self.scalar(2, &inner.index(&j, columns));
        let (to, there) = (self.target(&i, rows), self.target(&j, columns));
        match self.random.below(9) {
            0 | 1 => format!(
                "loop {q} = {start} for {i} < {n} do loop {q} = {q} for {j} < {m} do {q} with [{to}, {there}] = {element}"
            ),
            2 | 3 => format!("loop {q} = {start} for {i} < {n} do {q} with [{to}] = for {j} < {m} => {element}"),
            4 => {
                let (i, j, inner) = (j, i, scope.with(&q, ty));
                let element = self.scalar(2, &inner.index(&j, columns).index(&i, rows));
                let to = self.target(&j, columns);
                format!("loop {q} = {start} for {j} < {m} do {q} with [:, {to}] = for {i} < {n} => {element}")
            }
            5 if rows == columns => format!(
                "loop {q} = {start} for {i} < {n} do loop {q} = {q} for {j} < {i} do \
                 {q} with [{i}, {j}] = {element} with [{j}, {i}] = 0.5 * {q}[{i}, {j}]"
            ),
            6 => format!(
                "loop {q} = {start} for {i} < {n} do let {r} = {q}[{i}] in \
                 {q} with [{i}] = 0.5 * {q}[{to}] with [{to}] = {r}"
            ),
            7 => {
                let c = self.name("c");
                let carried = self.scalar(1, &inner.with(&c, Ty::Vector(columns)).index(&j, columns));
                let first = self.named(Ty::Vector(columns), scope);
                format!(
                    "(loop ({q}, {c}) = ({start}, {first}) for {i} < {n} do \
                     ({q} with [{to}] = 0.5 * {c}, for {j} < {m} => 0.4 * {c}[{j}] + 0.4 * {carried})).0"
                )
            }
            _ => {
                let (u, row) = (self.name("u"), Ty::Vector(columns));
                let body = self.scalar(2, &inner.with(&u, row).index(&j, columns));
                format!(
                    "loop {q} = {start} for {i} < {n} do {q} with [{to}] = \
                     (loop {u} = {q}[{i}] for {j} < {m} do {u} with [{there}] = {body})"
                )
            }
        }
    }
}
