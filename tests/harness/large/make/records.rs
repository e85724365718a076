//! Records and sums: their values, reads from them, and arrays of them and of indices.

use super::{Make, Scope};
use crate::large::tree::{Dim, Node, Ty, form, plain, under, var};

impl Make {
    /// A record made of numbers in scope, or another with one field changed.
    pub(super) fn record(&mut self, c: &Dim, scope: &Scope) -> Node {
        let ty = Ty::Record(c.clone());
        if let Some((name, _)) = scope.values.iter().rev().find(|(_, own)| *own == ty)
            && self.random.chance(40)
        {
            let value = self.float(1, scope);
            return form(ty.clone(), "{ ~ with p = ~ }", vec![plain(var(name, ty)), plain(value)]);
        }
        let [p, q, r] = [1, 1, 0].map(|d| self.float(d, scope));
        let v = self.simple(&Ty::floats(&[c]), scope);
        let tag = self.int(scope);
        form(ty, "{ p = ~, tag = ~, v = ~, q = (~, ~) }", [p, tag, v, q, r].map(plain).to_vec())
    }

    /// A number of a record.
    pub(super) fn field(&mut self, record: Node, c: &Dim, scope: &Scope) -> Node {
        let place = scope.places(c).last().map(|i| (*i).to_string());
        match (self.random.below(6), place) {
            (0, _) => form(Ty::Float, "~.q.1", vec![plain(record)]),
            (1, Some(i)) => form(Ty::Float, "~.v[~]", vec![plain(record), plain(var(&i, Ty::Place(c.clone())))]),
            (1 | 2, _) => form(Ty::Float, "(0.3 * sum(~.v))", vec![plain(record)]),
            (3, _) => form(Ty::Float, "(^0.1^ * §(~.tag) * ~.p)", vec![plain(record.clone()), plain(record)]),
            _ => form(Ty::Float, "~.p", vec![plain(record)]),
        }
    }

    /// A value of a sum type.
    pub(super) fn sum(&mut self, c: &Dim, scope: &Scope) -> Node {
        let ty = Ty::Sum(c.clone());
        let one = self.random.below(4);
        let made = match one {
            0 => {
                let [p, q] = [(); 2].map(|()| self.float(1, scope));
                form(ty.clone(), "Two(~, ~)", vec![plain(p), plain(q)])
            }
            1 => {
                let row = self.simple(&Ty::floats(&[c]), scope);
                form(ty.clone(), "Row(~)", vec![plain(row)])
            }
            2 => {
                let (k, p) = (self.int(scope), self.float(1, scope));
                form(ty.clone(), "Count(~ % 5, ~)", vec![plain(k), plain(p)])
            }
            _ => {
                let p = self.float(1, scope);
                form(ty.clone(), "One(~)", vec![plain(p)])
            }
        };
        let (condition, z) = (self.condition(scope), self.name("z"));
        let template = format!("(let {z}: Item[#{}#] = if ~ then ~ else Nil in {z})", c.0);
        form(ty, &template, vec![plain(condition), plain(made)])
    }

    /// A number computed from a sum by a match on its constructors.
    pub(super) fn matched(&mut self, value: Node, c: &Dim, d: usize, scope: &Scope) -> Node {
        let [p, q, v, k, e] = [(); 5].map(|()| self.name("m"));
        let floats =
            |names: &[&String]| -> Scope { names.iter().fold(scope.clone(), |s, name| s.with(name, Ty::Float)) };
        let one = self.float(d.min(1), &floats(&[&p]));
        let two = self.float(d.min(1), &floats(&[&p, &q]));
        let last = self.float(0, scope);
        let bind = |name: &String| (name.clone(), Ty::Float);
        let template = format!(
            "(match ~ {{ One({p}) => ~, Two({p}, {q}) => ~, Row({v}) => 0.2 * sum({v}), Count({k}, {e}) => §({k}) * {e}, Nil => ~ }})"
        );
        let _ = c;
        form(
            Ty::Float,
            &template,
            vec![plain(value), (vec![bind(&p)], one), (vec![bind(&p), bind(&q)], two), plain(last)],
        )
    }

    /// An array of indices, records or sums.
    pub(super) fn elements(&mut self, dims: &[Dim], elem: &Ty, scope: &Scope) -> Node {
        let whole = Ty::Array(dims.to_vec(), Box::new(elem.clone()));
        let ([n], i) = (dims, self.name("i")) else { return self.simple(&whole, scope) };
        let points = self.value(n);
        if !self.small(scope.points * points * 8) {
            return self.simple(&whole, scope);
        }
        let inner = scope.index(&i, n, points);
        if let Ty::Place(d) = elem {
            if d == n && self.random.chance(50) {
                let v = self.simple(&Ty::floats(&[n]), scope);
                return form(whole, "argsort(~)", vec![plain(v)]);
            }
            let size = &d.0;
            // If the axis is empty there is no valid index, and reads there are behind the checks of their own index.
            let body = self.int(&inner);
            let template = format!("(for {i} < #{}# => (~ + 2) % max(#{size}#, 1))", n.0);
            return form(whole, &template, vec![under(&i, Ty::Place(n.clone()), body)]);
        }
        let found: Option<String> =
            scope.values.iter().rev().find(|(_, own)| *own == whole).map(|(name, _)| name.clone());
        let body = if let Ty::Record(c) = elem { self.record(c, &inner) } else { self.simple(elem, &inner) };
        match found {
            Some(name) if self.random.chance(60) => {
                let q = self.name("q");
                let state = inner.with(&q, whole.clone());
                let body = if let Ty::Record(c) = elem { self.record(c, &state) } else { body };
                let binds = vec![(q.clone(), whole.clone()), (i.clone(), Ty::Place(n.clone()))];
                let template = format!("(loop {q} = ~ for {i} < #{}# do {q} with [{i}] = ~)", n.0);
                form(whole.clone(), &template, vec![plain(var(&name, whole)), (binds, body)])
            }
            _ => {
                let template = format!("(for {i} < #{}# => ~)", n.0);
                form(whole, &template, vec![under(&i, Ty::Place(n.clone()), body)])
            }
        }
    }
}
