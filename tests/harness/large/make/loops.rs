//! Loops that change arrays in place, pass over them repeatedly, or carry numbers from one element to the next.

use super::{Make, Scope};
use crate::large::tree::{Dim, Node, Ty, form, plain, under, var};

impl Make {
    /// The index that a loop over an axis writes in its step: valid without a guard.
    fn target(&mut self, i: &str, dim: &Dim, scope: &Scope) -> Node {
        let ty = Ty::Place(dim.clone());
        if self.faults > 0 && self.random.chance(15) {
            return self.wrong(dim, &scope.index(i, dim, 1));
        }
        let own = var(i, ty.clone());
        let n = &dim.0;
        let computed: Option<String> = scope
            .values
            .iter()
            .rev()
            .find(|(_, own)| matches!(own, Ty::Array(dims, elem) if dims.as_slice() == [dim.clone()] && **elem == ty))
            .map(|(name, _)| name.clone());
        match (self.random.below(9), computed) {
            (0, _) => form(ty, &format!("(#{n}# - 1 - ~)"), vec![plain(own)]),
            (1, _) => form(ty, &format!("((~ + 1) % #{n}#)"), vec![plain(own)]),
            (2, _) => form(ty, "(~ / 2)", vec![plain(own)]),
            (3, Some(name)) => form(ty.clone(), "~[~]", vec![plain(var(&name, Ty::array(&[dim], ty))), plain(own)]),
            _ => own,
        }
    }

    /// A vector whose elements a loop changes one after the other.
    pub(super) fn swept(&mut self, dim: &Dim, scope: &Scope) -> Node {
        let ty = Ty::floats(&[dim]);
        let (q, i, n) = (self.name("q"), self.name("i"), dim.0.clone());
        let points = self.value(dim);
        let start = self.simple(&ty, scope);
        let inner = scope.with(&q, ty.clone()).index(&i, dim, points);
        let place = Ty::Place(dim.clone());
        let binds = vec![(q.clone(), ty.clone()), (i.clone(), place.clone())];
        let body = self.float(2, &inner);
        let to = self.target(&i, dim, &inner);
        match self.random.below(9) {
            0 => {
                let (j, again) = (self.name("j"), self.float(1, &inner));
                let template = format!(
                    "(loop {q} = ~ for {j} < 2 do loop {q} = {q} for {i} < #{n}# do {q} with [~] = 0.5 * ~ + 0.3 * ~)"
                );
                form(ty, &template, vec![plain(start), (binds.clone(), to), (binds.clone(), body), (binds, again)])
            }
            1 => {
                let condition = self.condition(&inner);
                let template = format!("(loop {q} = ~ for {i} < #{n}# do if ~ then {q} with [~] = ~ else {q})");
                form(ty, &template, vec![plain(start), (binds.clone(), condition), (binds.clone(), to), (binds, body)])
            }
            2 => {
                let c = self.name("c");
                let carried = self.float(1, &inner.with(&c, Ty::Float));
                let mut both = binds.clone();
                both.push((c.clone(), Ty::Float));
                let first = self.element(scope);
                let template = format!(
                    "(loop ({q}, {c}) = (~, ~) for {i} < #{n}# do ({q} with [~] = 0.6 * {c} + 0.3 * ~, 0.5 * {c} + 0.4 * ~)).0"
                );
                form(
                    ty,
                    &template,
                    vec![plain(start), plain(first), (both.clone(), to), (both.clone(), body), (both, carried)],
                )
            }
            3 => {
                // A while that ends at the axis' end, or before.
                let template = format!(
                    "(loop ({q}, {i}) = (~, 0) while {i} < #{n}# and abs({q}[{i}]) < 1.31 do ({q} with [~] = ~, {i} + 1)).0"
                );
                form(ty, &template, vec![plain(start), (binds.clone(), to), (binds, body)])
            }
            4 => {
                let (p, r) = (self.name("p"), self.simple(&ty, scope));
                let other = self.float(1, &inner.with(&p, ty.clone()));
                let mut both = binds.clone();
                both.push((p.clone(), ty.clone()));
                let template = format!(
                    "(let ({q}, {p}) = loop ({q}, {p}) = (~, ~) for {i} < #{n}# do ({q} with [~] = ~, {p} with [{i}] = ~) in {q} * 0.5 + {p})"
                );
                form(
                    ty,
                    &template,
                    vec![plain(start), plain(r), (both.clone(), to), (both.clone(), body), (both, other)],
                )
            }
            _ => {
                let template = format!("(loop {q} = ~ for {i} < #{n}# do {q} with [~] = ~)");
                form(ty, &template, vec![plain(start), (binds.clone(), to), (binds, body)])
            }
        }
    }

    /// A vector that is recomputed from its neighbours in every step.
    pub(super) fn stencil(&mut self, dim: &Dim, scope: &Scope) -> Node {
        let ty = Ty::floats(&[dim]);
        let (q, i, n) = (self.name("q"), self.name("i"), dim.0.clone());
        let start = self.simple(&ty, scope);
        let steps = 1 + self.random.below(4);
        let points = self.value(dim) * steps;
        let inner = scope.with(&q, ty.clone()).index(&i, dim, points);
        let body = self.float(2, &inner);
        let binds = vec![(q.clone(), ty.clone()), (i.clone(), Ty::Place(dim.clone()))];
        let template = match self.random.below(4) {
            0 => format!(
                "(loop {q} = ~ for t1 < {steps} do for {i} < #{n}# => 0.5 * {q}[{i}] + 0.2 * {q}[max({i} - 1, 0)] + 0.2 * ~)"
            ),
            1 => format!(
                "(loop {q} = ~ for t1 < {steps} do let z1 = pad({q}, (1, 1), ^0.1^) in for {i} < #{n}# => 0.3 * z1[{i}] + 0.3 * z1[{i} + 2] + 0.2 * ~)"
            ),
            2 => format!(
                "(loop {q} = ~ for t1 < {steps} do for {i} < #{n}# => if {i} > 0 and {i} + 1 < #{n}# then 0.4 * {q}[{i} - 1] + 0.4 * {q}[{i} + 1] - 0.1 * {q}[{i}] else ~)"
            ),
            _ => format!("(loop {q} = ~ for t1 < {steps} do for {i} < #{n}# => ~)"),
        };
        form(ty, &template, vec![plain(start), (binds, body)])
    }

    /// A recurrence whose state is kept for every step.
    pub(super) fn recurrence(&mut self, dim: &Dim, scope: &Scope) -> Node {
        let ty = Ty::floats(&[dim]);
        let ([c, u, t], n) = ([(); 3].map(|()| self.name("c")), dim.0.clone());
        let (v, start) = (self.simple(&ty, scope), self.element(scope));
        let points = self.value(dim);
        let inner = scope.with(&c, Ty::Float).index(&t, dim, points);
        let binds = vec![(c.clone(), Ty::Float), (t.clone(), Ty::Place(dim.clone()))];
        let (p, q) = (self.float(1, &inner), self.float(1, &inner));
        let template = match self.random.below(7) {
            0 => return form(ty, "scan(\\(p1, p2) => 0.5 * p1 + p2, ~, ~)", vec![plain(start), plain(v)]),
            1 => return form(ty, "scan(\\(p1, p2) => max(p1 * 0.9, p2), ~, ~)", vec![plain(start), plain(v)]),
            2 => {
                return form(
                    ty,
                    &self.random.pick(&["(0.2 * cumsum(~))", "cummax(~)", "cumprod(0.9 + 0.1 * ~)"]),
                    vec![plain(v)],
                );
            }
            3 => format!(
                "(loop ({c}, {u}) = (~, ~) for {t} < #{n}# do let {c} = tanh(~) * {c} + 0.3 * ~ in ({c}, {u} with [{t}] = {c})).1"
            ),
            4 => format!(
                "(loop ({c}, {u}) = (~, ~) for {t} < #{n}# do let {c} = 0.5 * {c} + ~ - 0.1 * ~ in ({c}, {u} with [#{n}# - 1 - {t}] = {c})).1"
            ),
            5 => format!(
                "(loop ({c}, {u}) = (~, ~) for {t} < #{n}# do ({c} / (1.5 + abs(~)) + 0.3 * ~, {u} with [{t}] = {c} + 0.5 * {u}[{t}])).1"
            ),
            _ => format!(
                "(loop ({c}, {u}) = (~, ~) for {t} < #{n}# do let {c} = sin({c} * ~ + ~) in ({c}, {u} with [{t}] = {c})).1"
            ),
        };
        form(ty, &template, vec![plain(start), plain(v), (binds.clone(), p), (binds, q)])
    }

    /// A loop that changes elements, rows or columns of a matrix.
    pub(super) fn rewritten(&mut self, rows: &Dim, columns: &Dim, scope: &Scope) -> Node {
        let ty = Ty::floats(&[rows, columns]);
        let (n, m, [i, j, q, r]) = (rows.0.clone(), columns.0.clone(), [(); 4].map(|()| self.name("r")));
        let start = self.simple(&ty, scope);
        let [np, mp] = [rows, columns].map(|d| self.value(d));
        let outer = scope.with(&q, ty.clone()).index(&i, rows, np);
        let inner = outer.index(&j, columns, mp);
        let bq = (q.clone(), ty.clone());
        let bi = (i.clone(), Ty::Place(rows.clone()));
        let bj = (j.clone(), Ty::Place(columns.clone()));
        let (qi, qij) = (vec![bq.clone(), bi.clone()], vec![bq.clone(), bi.clone(), bj.clone()]);
        let element = self.float(2, &inner);
        let to = self.target(&i, rows, &outer);
        let there = self.target(&j, columns, &inner);
        match self.random.below(10) {
            0 | 1 => {
                let template =
                    format!("(loop {q} = ~ for {i} < #{n}# do loop {q} = {q} for {j} < #{m}# do {q} with [~, ~] = ~)");
                form(ty, &template, vec![plain(start), (qi, to), (qij.clone(), there), (qij, element)])
            }
            2 | 3 => {
                let template = format!("(loop {q} = ~ for {i} < #{n}# do {q} with [~] = for {j} < #{m}# => ~)");
                form(ty, &template, vec![plain(start), (qi, to), (qij, element)])
            }
            4 => {
                let across = scope.with(&q, ty.clone()).index(&j, columns, mp);
                let to = self.target(&j, columns, &across);
                let template = format!("(loop {q} = ~ for {j} < #{m}# do {q} with [:, ~] = for {i} < #{n}# => ~)");
                form(ty, &template, vec![plain(start), (vec![bq, bj], to), (qij, element)])
            }
            5 if rows == columns => {
                let template = format!(
                    "(loop {q} = ~ for {i} < #{n}# do loop {q} = {q} for {j} < {i} do {q} with [{i}, {j}] = ~ with [{j}, {i}] = 0.5 * {q}[{i}, {j}])"
                );
                form(ty, &template, vec![plain(start), (qij, element)])
            }
            6 => {
                let template = format!(
                    "(loop {q} = ~ for {i} < #{n}# do let {r} = {q}[{i}] in {q} with [{i}] = 0.5 * {q}[~] with [~] = {r})"
                );
                form(ty, &template, vec![plain(start), (qi.clone(), to.clone()), (qi, to)])
            }
            7 => {
                let (c, row) = (self.name("c"), Ty::floats(&[columns]));
                let carried = self.float(1, &inner.with(&c, row.clone()));
                let first = self.simple(&row, scope);
                let bc = (c.clone(), row);
                let template = format!(
                    "(loop ({q}, {c}) = (~, ~) for {i} < #{n}# do ({q} with [~] = 0.5 * {c}, for {j} < #{m}# => 0.4 * {c}[{j}] + 0.4 * ~)).0"
                );
                let (mut to_binds, mut in_binds) = (qi, qij);
                to_binds.push(bc.clone());
                in_binds.push(bc);
                form(ty, &template, vec![plain(start), plain(first), (to_binds, to), (in_binds, carried)])
            }
            8 => {
                // Elimination: each row subtracts a multiple of the previous ones.
                let scale = self.float(1, &inner);
                let template = format!(
                    "(loop {q} = ~ for {i} < #{n}# do {q} with [{i}] = 0.5 * ({q}[{i}] - 0.2 * sum(for {r} < {i} => tanh({q}[{r}, 0]) * {q}[{r}])) + for {j} < #{m}# => 0.1 * ~)"
                );
                if self.value(columns) == 0 {
                    return form(ty, "(0.5 * ~)", vec![plain(start)]);
                }
                form(ty, &template, vec![plain(start), (qij, scale)])
            }
            _ => {
                let (u, row) = (self.name("u"), Ty::floats(&[columns]));
                let body = self.float(2, &inner.with(&u, row.clone()));
                let mut bound = qij;
                bound.push((u.clone(), row));
                let template = format!(
                    "(loop {q} = ~ for {i} < #{n}# do {q} with [~] = (loop {u} = {q}[{i}] for {j} < #{m}# do {u} with [~] = ~))"
                );
                form(ty, &template, vec![plain(start), (qi, to), (bound.clone(), there), (bound, body)])
            }
        }
    }

    /// Slices that are replaced.
    pub(super) fn sliced(&mut self, dim: &Dim, scope: &Scope) -> Node {
        let ty = Ty::floats(&[dim]);
        let n = &dim.0;
        let (u, w) = (self.simple(&ty, scope), self.simple(&ty, scope));
        let z = self.name("z");
        match self.random.below(7) {
            0 => form(ty, &format!("(~ with [min(1, #{n}#):] = ~[:#{n}# - min(1, #{n}#)])"), vec![plain(u), plain(w)]),
            1 => form(ty, "(~ with [::2] = 0.5 * ~[::2])", vec![plain(u), plain(w)]),
            2 => form(ty, &format!("(concat(~[#{n}# / 2:], ~[:#{n}# / 2]) :> [#{n}#]§)"), vec![plain(u), plain(w)]),
            3 => {
                let template = format!(
                    "(let {z} = ~ in if #{n}# > 1 then ({z} with [1:] = 0.5 * {z}[:#{n}# - 1] + 0.3 * {z}[1:]) else {z})"
                );
                form(ty, &template, vec![plain(u)])
            }
            4 => {
                let template = format!(
                    "(loop {z} = ~ for t1 < 2 do if #{n}# > 0 then {z} with [#{n}# / 3:] = 0.5 * ~[#{n}# / 3:] else {z})"
                );
                form(ty.clone(), &template, vec![plain(u), under(&z, ty, w)])
            }
            5 => form(ty, &format!("pad(~, (1, 1), ^0.3^)[1:#{n}# + 1]"), vec![plain(u)]),
            _ => form(ty, "rotate(~, 2)", vec![plain(u)]),
        }
    }
}
