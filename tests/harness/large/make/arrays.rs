//! Vectors and matrices: every way in which the language makes an array.

use super::{Make, Scope};
use crate::large::tree::{Dim, Node, Ty, form, plain, under, var};

impl Make {
    pub(super) fn vector(&mut self, dim: &Dim, scope: &Scope) -> Node {
        let ty = Ty::floats(&[dim]);
        let (n, dims) = (dim.0.clone(), [dim.clone()]);
        let points = self.value(dim);
        let i = self.name("i");
        let place = Ty::Place(dim.clone());
        match self.random.below(28) {
            0..4 => {
                let depth = 2 + self.random.below(3);
                let body = self.float(depth, &scope.index(&i, dim, points));
                form(ty, &format!("(for {i} < #{n}# => ~)"), vec![under(&i, place, body)])
            }
            4..8 => self.swept(dim, scope),
            8 | 9 => self.stencil(dim, scope),
            10 | 11 => self.recurrence(dim, scope),
            12 | 13 => self.arrays(3, &dims, scope),
            14 | 15 => self.layers(&dims, scope),
            16 => self.sliced(dim, scope),
            17 => self.checkpointed(&dims, scope),
            18 => self.trained(&dims, scope),
            19 => {
                let v = self.simple(&ty, scope);
                let template = self.random.pick(&[
                    "sort(~)",
                    "reverse(~)",
                    "rotate(~, 1)",
                    "(~ - 0.3 * sort(~))",
                    "(~ * onehot(#n#, #n# / 2))",
                ]);
                let v = plain(v);
                form(ty, &template.replace("#n#", &format!("#{n}#")), vec![v; template.matches('~').count()])
            }
            20 => {
                let other = self.dim(scope);
                let matrix = self.simple(&Ty::floats(&[dim, &other]), scope);
                let r = self.name("r");
                let row = self.random.pick(&[
                    "0.2 * sum($)",
                    "reduce(max, ^-1.0^, $)",
                    "0.1 * sum($ * $)",
                    "tanh(0.1 * product($ * 0.2 + 0.9))",
                ]);
                form(ty, &format!("(for {r} in ~ => {})", row.replace('$', &r)), vec![plain(matrix)])
            }
            21 => {
                let other = self.dim(scope);
                let matrix = self.simple(&Ty::floats(&[&other, dim]), scope);
                form(
                    ty,
                    &self.random.pick(&["(0.2 * sum(~))", "tanh(sum(~))", "(0.1 * sum(for r in ~ => r * r))"]),
                    vec![plain(matrix)],
                )
            }
            22 | 23 => self.scattered(dim, scope),
            24 => {
                let (c, p, q) = (self.condition(scope), self.step(&ty, scope), self.simple(&ty, scope));
                form(ty, "(if ~ then ~ else ~)", vec![plain(c), plain(p), plain(q)])
            }
            25 => {
                let z = self.name("z");
                let other = self.step_type(scope);
                let first = self.step(&other, scope);
                let rest = self.step(&ty, &scope.with(&z, other.clone()));
                form(ty, &format!("(let {z} = ~ in ~)"), vec![plain(first), under(&z, other, rest)])
            }
            26 => {
                let p = self.name("p");
                let v = self.simple(&ty, scope);
                let body = self.float(2, &scope.with(&p, Ty::Float));
                let template = self.random.pick(&["map(\\$ => ~, ~)", "(for $ in @ => ~)"]);
                match template.contains('@') {
                    true => form(
                        ty,
                        &format!("(let e{p} = ~ in for {p} in e{p} => ~)"),
                        vec![plain(v), under(&p, Ty::Float, body)],
                    ),
                    false => form(ty, &template.replace('$', &p), vec![under(&p, Ty::Float, body), plain(v)]),
                }
            }
            _ => self.chain(dim, scope),
        }
    }

    /// Elements that are set or added at indices, or read from there.
    fn scattered(&mut self, dim: &Dim, scope: &Scope) -> Node {
        let ty = Ty::floats(&[dim]);
        let n = dim.0.clone();
        let other = self.dim(scope);
        let wild = self.faults > 0 && self.random.chance(60);
        let places = if wild {
            let (i, points) = (self.name("i"), self.value(&other));
            let inner = scope.index(&i, &other, points);
            let place = self.wrong_among(dim, &other, &inner);
            form(
                Ty::array(&[&other], Ty::Wild(dim.clone())),
                &format!("(for {i} < #{}# => ~)", other.0),
                vec![under(&i, Ty::Place(other.clone()), place)],
            )
        } else if self.value(dim) == 0 {
            return self.simple(&ty, scope);
        } else {
            let places = Ty::array(&[&other], Ty::Place(dim.clone()));
            match self.there(&places, scope) {
                Some(places) => places,
                None => {
                    let i = self.name("i");
                    let template = format!("(for {i} < #{}# => ({i} * 3 + 1) % #{n}#)", other.0);
                    form(places, &template, Vec::new())
                }
            }
        };
        let (start, values) = (self.simple(&ty, scope), self.simple(&Ty::floats(&[&other]), scope));
        let three = vec![plain(start.clone()), plain(places.clone()), plain(values.clone())];
        match self.random.below(8) {
            0 | 1 => form(ty, "scatter(~, ~, ~)", three),
            2 | 3 => form(ty, "(0.6 * scatter_add(~, ~, ~))", three),
            4 => form(ty, &format!("(0.3 * histogram((+), ^0.0^, #{n}#, ~, ~))"), vec![plain(places), plain(values)]),
            5 => form(ty, &format!("histogram(max, ^0.1^, #{n}#, ~, ~)"), vec![plain(places), plain(values)]),
            6 => {
                // Gathered by indices from this axis into the other, if they are available.
                let there = Ty::array(&[dim], Ty::Place(other.clone()));
                match (self.there(&there, scope), self.value(&other) > 0) {
                    (Some(places), true) => form(ty, "gather(~, ~)", vec![plain(values), plain(places)]),
                    _ => form(ty, "(0.5 * ~ + ^0.1^)", vec![plain(start)]),
                }
            }
            _ => {
                let (q, i) = (self.name("q"), self.name("i"));
                let template = format!(
                    "(loop {q} = ~ for {i} < #{}# do let z1 = ~ let z2 = z1[{i}] in {q} with [z2] = 0.5 * {q}[z2] + ~[{i}])",
                    other.0
                );
                form(ty, &template, three)
            }
        }
    }

    /// An index of one axis computed from an index over another, wrong at some point.
    fn wrong_among(&mut self, dim: &Dim, other: &Dim, scope: &Scope) -> Node {
        if dim == other {
            return self.wrong(dim, scope);
        }
        self.faults = self.faults.saturating_sub(1);
        let i = scope.places(other).last().map_or_else(String::new, |i| (*i).to_string());
        let n = &dim.0;
        let template = match self.random.below(5) {
            0 => format!("(~ % (#{n}# + 1))"),
            1 => "(~ - 1)".to_string(),
            2 => format!("(if ~ == 1 then #{n}# else 0)"),
            3 => "(~ * 4611686018427387904)".to_string(),
            _ => "~".to_string(),
        };
        form(Ty::Wild(dim.clone()), &template, vec![plain(var(&i, Ty::Place(other.clone())))])
    }

    /// Passes over one axis, each of which reads the previous one.
    fn chain(&mut self, dim: &Dim, scope: &Scope) -> Node {
        let (n, ty, place) = (&dim.0, Ty::floats(&[dim]), Ty::Place(dim.clone()));
        let points = self.value(dim);
        let (mut inner, mut text, mut fillings) = (scope.clone(), String::from("("), Vec::new());
        let mut bound: Vec<(String, Ty)> = Vec::new();
        for _ in 0..2 + self.random.below(3) {
            let (p, i) = (self.name("p"), self.name("i"));
            let body = self.float(2, &inner.index(&i, dim, points));
            text.push_str(&format!("let {p} = for {i} < #{n}# => ~ "));
            let mut binds = bound.clone();
            binds.push((i, place.clone()));
            fillings.push((binds, body));
            inner = inner.with(&p, ty.clone());
            bound.push((p, ty.clone()));
        }
        let i = self.name("i");
        let body = self.float(2, &inner.index(&i, dim, points));
        bound.push((i.clone(), place));
        fillings.push((bound, body));
        form(ty, &format!("{text}in for {i} < #{n}# => ~)"), fillings)
    }

    pub(super) fn matrix(&mut self, rows: &Dim, columns: &Dim, scope: &Scope) -> Node {
        let ty = Ty::floats(&[rows, columns]);
        let dims = [rows.clone(), columns.clone()];
        let (n, m, [i, j, q]) = (rows.0.clone(), columns.0.clone(), [(); 3].map(|()| self.name("q")));
        let [np, mp] = [rows, columns].map(|d| self.value(d));
        let at = scope.index(&i, rows, np).index(&j, columns, mp);
        let ij = vec![(i.clone(), Ty::Place(rows.clone())), (j.clone(), Ty::Place(columns.clone()))];
        match self.random.below(28) {
            0..3 => {
                let body = self.float(3, &at);
                form(ty, &format!("(for {i} < #{n}#, {j} < #{m}# => ~)"), vec![(ij, body)])
            }
            3..6 => self.rewritten(rows, columns, scope),
            6..13 => self.layers(&dims, scope),
            13..16 => self.arrays(3, &dims, scope),
            16 => {
                let start = self.simple(&ty, scope);
                let body = self.float(2, &at.with(&q, ty.clone()));
                let mut binds = ij;
                binds.push((q.clone(), ty.clone()));
                let template = format!("(loop {q} = ~ for t1 < 2 do for {i} < #{n}#, {j} < #{m}# => ~)");
                form(ty, &template, vec![plain(start), (binds, body)])
            }
            17 => {
                let (u, row) = (self.name("u"), Ty::floats(&[columns]));
                let v = self.simple(&row, scope);
                let inner = scope.index(&i, rows, np).with(&u, row.clone()).index(&j, columns, mp);
                let body = self.float(1, &inner);
                let mut binds = ij;
                binds.push((u.clone(), row));
                let template = format!("(for {i} < #{n}# => (loop {u} = ~ for {j} < #{m}# do {u} with [{j}] = ~))");
                form(ty, &template, vec![plain(v), (binds, body)])
            }
            18 => form(ty, "transpose(~)", vec![plain(self.simple(&Ty::floats(&[columns, rows]), scope))]),
            19 => {
                let row = self.vector(columns, &scope.index(&i, rows, np));
                form(ty, &format!("(for {i} < #{n}# => ~)"), vec![under(&i, Ty::Place(rows.clone()), row)])
            }
            20 if np > 0 => {
                let places = Ty::array(&[rows], Ty::Place(rows.clone()));
                let Some(places) = self.there(&places, scope) else { return self.arrays(2, &dims, scope) };
                let (array, values) = (self.simple(&ty, scope), self.simple(&ty, scope));
                let template = self.random.pick(&["(0.5 * scatter(~, ~, ~))", "(0.5 * scatter_add(~, ~, ~))"]);
                form(ty, &template, vec![plain(array), plain(places), plain(values)])
            }
            21 => {
                let [array, other] = [(); 2].map(|()| self.simple(&ty, scope));
                let template = self.random.pick(&[
                    "(~ with [min(1, $):, :] = ~[:$ - min(1, $), :])",
                    "(~ with [:, @ / 2:] = 0.5 * ~[:, @ / 2:])",
                    "(~ with [::2] = 0.5 * ~[::2])",
                ]);
                let template = template.replace('$', &format!("#{n}#")).replace('@', &format!("#{m}#"));
                form(ty, &template, vec![plain(array), plain(other)])
            }
            22 => {
                let (array, body) = (self.simple(&ty, scope), self.float(1, &at));
                let template = format!(
                    "(let {q} = pad(~, (1, 1), replicate(#{m}#, ^0.1^)) in for {i} < #{n}#, {j} < #{m}# => 0.4 * {q}[{i}, {j}] + 0.4 * {q}[{i} + 2, {j}] + ~)"
                );
                form(ty, &template, vec![plain(array), (ij, body)])
            }
            23 => self.attention(rows, columns, scope),
            24 => self.checkpointed(&dims, scope),
            25 => self.trained(&dims, scope),
            26 => {
                let (p, v) = (self.simple(&Ty::floats(&[rows]), scope), self.simple(&Ty::floats(&[columns]), scope));
                let template = self.random.pick(&[
                    "(for e1 in ~, e2 in ~ => tanh(e1 - e2))",
                    "(for e1 in ~, e2 in ~ => e1 * e2)",
                    "(for e1 in ~, e2 in ~ => exp(-(e1 - e2) ** 2))",
                ]);
                form(ty, &template, vec![plain(p), plain(v)])
            }
            _ => {
                let r = self.name("r");
                let array = self.step(&ty, scope);
                let row = self.random.pick(&[
                    "cumsum(0.2 * $)",
                    "sort($)",
                    "0.5 * $ + 0.3 * reverse($)",
                    "cummax($)",
                    "$ - 0.2 * sum($)",
                ]);
                form(ty, &format!("(for {r} in ~ => {})", row.replace('$', &r)), vec![plain(array)])
            }
        }
    }

    /// Rows that are averages of rows, weighted by their similarity.
    fn attention(&mut self, rows: &Dim, columns: &Dim, scope: &Scope) -> Node {
        let ty = Ty::floats(&[rows, columns]);
        let [np, mp] = [rows, columns].map(|d| self.value(d));
        if !self.small(np * np * mp * scope.points) {
            return self.simple(&ty, scope);
        }
        let [p, q, v] = [(); 3].map(|()| self.arrays(1, &[rows.clone(), columns.clone()], scope));
        let template = "(let z1 = tanh(~ @ transpose(~)) let z2 = (for r1 in z1 => let e1 = exp(r1) in e1 / (^0.1^ + sum(e1))) in z2 @ ~)";
        form(ty, template, [p, q, v].map(plain).to_vec())
    }
}
