//! Numbers: elements of arrays at near and far indices, expressions of them, and deliberately wrong indices.

use super::{Make, Scope};
use crate::large::tree::{Dim, Filling, Node, Ty, form, plain, under, var};

impl Make {
    /// A float expression of this depth.
    pub(super) fn float(&mut self, depth: usize, scope: &Scope) -> Node {
        let depth = depth.min(self.depth);
        if depth == 0 {
            return self.element(scope);
        }
        let d = depth - 1;
        if self.faults > 0 && self.random.chance(8) {
            return self.failing(scope);
        }
        match self.random.below(24) {
            9 | 10 => return self.folded(d, scope),
            11 => return self.looped(d, scope),
            12 => return self.chosen(d, scope),
            13 => {
                let (c, p, q) = (self.condition(scope), self.float(d, scope), self.float(d, scope));
                return form(Ty::Float, "(if ~ then ~ else ~)", vec![plain(c), plain(p), plain(q)]);
            }
            14 => {
                let z = self.name("z");
                let p = self.float(d, scope);
                let q = self.float(d, &scope.with(&z, Ty::Float));
                return form(Ty::Float, &format!("(let {z} = ~ in ~)"), vec![plain(p), under(&z, Ty::Float, q)]);
            }
            15 => {
                let (z, p) = (self.name("z"), self.float(d, scope));
                let q = self.float(d.min(1), &scope.with(&z, Ty::Float));
                let derived = self.random.pick(&[
                    "(0.3 * grad(\\$ => ~)(~))",
                    "jvp(\\$ => ~, ~, ^0.7^).1",
                    "checkpoint(\\$ => ~)(~)",
                ]);
                return form(Ty::Float, &derived.replace('$', &z), vec![under(&z, Ty::Float, q), plain(p)]);
            }
            16 if scope.points <= 40 => {
                if let Some(call) = self.call(&Ty::Float, scope) {
                    return call;
                }
            }
            _ => {}
        }
        let binary = [
            "sin(~ + ~)",
            "(0.5 * ~ + 0.4 * ~)",
            "(0.6 * ~ - 0.3 * ~)",
            "tanh(~ * ~)",
            "max(~, ~)",
            "min(~, 0.9 - ~)",
            "(~ / (1.5 + abs(~)))",
            "atan2(~, 1.6 + ~ * 0.3)",
            "(~ * sigmoid(~))",
            "(0.3 * ~ * ~)",
            "select(~ > ^0.41^, ~, ^0.2^)",
            "((abs(~) + 0.3) ** (0.5 * ~))",
        ];
        let unary = [
            "sqrt(1.0 + ~ ** 2)",
            "exp(-abs(~))",
            "softplus(~)",
            "log(1.2 + abs(~))",
            "(~ ** 3 * 0.2)",
            "(-~)",
            "erf(~)",
            "(1.0 / (2.0 + ~ ** 2))",
            "tanh(~)",
            "cos(~)",
            "abs(~)",
            "(~ - floor(~ * 0.37))",
        ];
        let p = self.float(d, scope);
        if self.random.chance(60) {
            let q = self.float(d, scope);
            return form(Ty::Float, &self.random.pick(&binary), vec![plain(p), plain(q)]);
        }
        let template = self.random.pick(&unary);
        let fillings = vec![plain(p); template.matches('~').count()];
        form(Ty::Float, &template, fillings)
    }

    /// A reduction over an axis, the whole of it or a part that differs from point to point.
    pub(super) fn folded(&mut self, d: usize, scope: &Scope) -> Node {
        let size = self.dim(scope);
        let points = self.value(&size);
        if !self.small(scope.points * points * 3) {
            return self.element(scope);
        }
        let p = self.name("p");
        let outer: Option<String> = scope.places(&size).last().map(|i| (*i).to_string());
        let body = self.float(d, &scope.index(&p, &size, points));
        let body = under(&p, Ty::Place(size.clone()), body);
        let (extent, mut fillings): (String, Vec<Filling>) = match outer {
            Some(i) if self.random.chance(35) => {
                let i = plain(var(&i, Ty::Place(size.clone())));
                match self.random.below(3) {
                    0 => ("~".to_string(), vec![i]),
                    1 => ("~ + 1".to_string(), vec![i]),
                    _ => (format!("#{}# - ~", size.0), vec![i]),
                }
            }
            _ => (format!("#{}#", size.0), Vec::new()),
        };
        fillings.push(body);
        let inner = format!("for {p} < {extent} => ~");
        let template = match self.random.below(12) {
            0 => format!("(0.1 * product({inner} * 0.1 + 0.9))"),
            1 => format!("reduce(max, ^-2.0^, {inner})"),
            2 => format!("reduce(min, ^2.0^, {inner})"),
            3 => format!("(if {extent} > 0 then maximum({inner}) else ^0.3^)"),
            4 => format!("(if {extent} > 0 then mean({inner}) else ^0.2^)"),
            5 => format!("log(1.0 + sum({inner} ** 2))"),
            6 => format!("reduce(\\(p1, p2) => p1 + p2 - 0.1 * p1 * p2, ^0.0^, {inner} * 0.2)"),
            _ => format!("(0.2 * sum({inner}))"),
        };
        if template.matches('~').count() > fillings.len() {
            // The extent is mentioned twice.
            fillings.insert(0, fillings.first().cloned().unwrap_or_else(|| plain(var("missing", Ty::Int))));
        }
        form(Ty::Float, &template, fillings)
    }

    /// A loop of numbers.
    pub(super) fn looped(&mut self, d: usize, scope: &Scope) -> Node {
        let (c, t, size) = (self.name("c"), self.name("t"), self.dim(scope));
        let points = self.value(&size);
        if !self.small(scope.points * points * 3) {
            return self.element(scope);
        }
        let start = self.float(0, scope);
        let inner = scope.with(&c, Ty::Float).index(&t, &size, points);
        let body = self.float(d, &inner);
        let binds = vec![(c.clone(), Ty::Float), (t.clone(), Ty::Place(size.clone()))];
        let n = &size.0;
        let template = match self.random.below(5) {
            0 => format!("(loop {c} = ~ for {t} < min(3, #{n}#) do 0.5 * {c} + 0.3 * ~)"),
            1 => format!("(loop {c} = ~ for {t} < #{n}# do 0.8 * {c} + 0.1 * ~)"),
            2 => format!("(loop {c} = ~ for {t} < #{n}# do tanh({c} + 0.2 * ~))"),
            3 => format!(
                "(loop ({c}, e{c}) = (~, 1.0) for {t} < #{n}# do ({c} * 0.7 + e{c} * 0.1, 0.9 * e{c} + 0.2 * ~)).0"
            ),
            _ => format!(
                "(loop ({c}, {t}) = (~, 0) while {t} < #{n}# and abs({c}) < 1.43 do (1.1 * {c} + 0.2 * ~, {t} + 1)).0"
            ),
        };
        let template = template.replace(", 1.0)", ", ^1.0^)");
        form(Ty::Float, &template, vec![plain(start), (binds, body)])
    }

    /// A branch by an index.
    fn chosen(&mut self, d: usize, scope: &Scope) -> Node {
        let places: Vec<(String, Dim)> = scope
            .values
            .iter()
            .filter_map(|(name, ty)| if let Ty::Place(d) = ty { Some((name.clone(), d.clone())) } else { None })
            .collect();
        let Some((i, dim)) = places.get(self.random.below(places.len())).cloned() else { return self.float(d, scope) };
        let n = &dim.0;
        let condition = match self.random.below(6) {
            0 => "~ == 0".to_string(),
            1 => format!("~ == #{n}# - 1"),
            2 => "~ % 2 == 1".to_string(),
            3 => "~ > 1".to_string(),
            4 => format!("~ + 1 < #{n}#"),
            _ => "~ % 3 != 0".to_string(),
        };
        let (p, q) = (self.float(d, scope), self.float(d, scope));
        form(
            Ty::Float,
            &format!("(if {condition} then ~ else ~)"),
            vec![plain(var(&i, Ty::Place(dim))), plain(p), plain(q)],
        )
    }

    /// A condition, mostly on a number.
    pub(super) fn condition(&mut self, scope: &Scope) -> Node {
        let p = self.element(scope);
        match self.random.below(8) {
            0 => {
                let i = self.int(scope);
                form(Ty::Bool, "(~ % 3 == 1)", vec![plain(i)])
            }
            1 => match scope.values.iter().find(|(_, ty)| *ty == Ty::Bool) {
                Some((name, _)) => var(name, Ty::Bool),
                None => form(Ty::Bool, "(~ > ^0.11^)", vec![plain(p)]),
            },
            2 => {
                let q = self.element(scope);
                form(Ty::Bool, "(~ < ^0.321^ or ~ > ^0.53^)", vec![plain(p), plain(q)])
            }
            _ => form(Ty::Bool, "(~ < ^0.317^)", vec![plain(p)]),
        }
    }

    /// An integer, of any magnitude that a sum of indices may have.
    pub(super) fn int(&mut self, scope: &Scope) -> Node {
        let places: Vec<(String, Ty)> =
            scope.values.iter().filter(|(_, ty)| matches!(ty, Ty::Place(_) | Ty::Int)).cloned().collect();
        let Some((name, ty)) = places.get(self.random.below(places.len())).cloned() else {
            return form(Ty::Int, "3", Vec::new());
        };
        let template = self.random.pick(&["~", "(2 * ~ + 1)", "(~ % 4)", "(7 - ~)", "(~ / 2)", "i64(^1.5^ * §(~))"]);
        form(Ty::Int, &template, vec![plain(var(&name, ty))])
    }

    /// An element of an array at an index computed from those in scope, or a number.
    pub(super) fn element(&mut self, scope: &Scope) -> Node {
        for _ in 0..4 {
            let found: Vec<&(String, Ty)> = scope.values.iter().filter(|(_, ty)| reads(ty)).collect();
            let count = found.len();
            // The states of loops and the most recent values are read most.
            let at = match self.random.chance(60) {
                true => count.saturating_sub(1 + self.random.below(4)),
                false => self.random.below(count),
            };
            let Some((name, ty)) = found.get(at).map(|found| (*found).clone()) else { continue };
            let read = match &ty {
                Ty::Float => Some(var(&name, ty.clone())),
                Ty::Array(dims, elem) => self.read(&name, dims, elem, scope),
                Ty::Record(c) => Some(self.field(var(&name, ty.clone()), c, scope)),
                Ty::Sum(c) => Some(self.matched(var(&name, ty.clone()), c, 1, scope)),
                Ty::Place(_) | Ty::Int => {
                    Some(form(Ty::Float, "(^0.11^ * §(~ % 9))", vec![plain(var(&name, ty.clone()))]))
                }
                _ => None,
            };
            if let Some(read) = read {
                return read;
            }
        }
        if self.random.chance(30) {
            return self.number();
        }
        match scope.values.iter().find(|(_, ty)| *ty == Ty::Float) {
            Some((name, _)) => var(name, Ty::Float),
            None => self.number(),
        }
    }

    /// An element of the array with this name, behind a guard if its index needs one.
    fn read(&mut self, name: &str, dims: &[Dim], elem: &Ty, scope: &Scope) -> Option<Node> {
        let mut fillings = vec![plain(var(name, Ty::Array(dims.to_vec(), Box::new(elem.clone()))))];
        let (mut guards, mut guarded) = (Vec::new(), Vec::new());
        for dim in dims {
            if scope.places(dim).is_empty() && self.value(dim) == 0 && !self.random.chance(20) {
                return None;
            }
            let wrong = self.faults > 0 && self.random.chance(20);
            let (guard, place) = if wrong { (None, self.wrong(dim, scope)) } else { self.place(dim, scope) };
            if let Some(guard) = guard {
                guards.push("~");
                guarded.push(plain(guard));
            }
            fillings.push(plain(place));
        }
        let read = form(elem.clone(), &format!("~[{}]", vec!["~"; dims.len()].join(", ")), fillings);
        let read = match elem {
            Ty::Float => read,
            Ty::Record(c) => self.field(read, c, scope),
            Ty::Sum(c) => self.matched(read, c, 1, scope),
            Ty::Place(_) | Ty::Int => form(Ty::Float, "(^0.07^ * §(~ % 9))", vec![plain(read)]),
            _ => return None,
        };
        if guards.is_empty() {
            return Some(read);
        }
        guarded.extend([plain(read), plain(self.number())]);
        Some(form(Ty::Float, &format!("(if {} then ~ else ~)", guards.join(" and ")), guarded))
    }

    /// An index of an axis, and the condition for its validity.
    pub(super) fn place(&mut self, dim: &Dim, scope: &Scope) -> (Option<Node>, Node) {
        let indices = scope.places(dim);
        let ty = Ty::Place(dim.clone());
        let n = &dim.0;
        let Some(i) = indices.get(self.random.below(indices.len())).map(|i| var(i, ty.clone())) else {
            // For an axis that no index in scope runs over: one of its ends, if it has any.
            let template = match self.random.below(3) {
                0 => format!("(#{n}# - 1)"),
                1 => format!("(#{n}# / 2)"),
                _ => "0".to_string(),
            };
            let guard = form(Ty::Bool, &format!("#{n}# > 0"), Vec::new());
            return (Some(guard), form(ty, &template, Vec::new()));
        };
        let computed: Vec<String> = scope
            .values
            .iter()
            .filter(|(_, own)| matches!(own, Ty::Array(dims, elem) if dims.as_slice() == [dim.clone()] && **elem == ty))
            .map(|(name, _)| name.clone())
            .collect();
        let one = |template: &str| form(ty.clone(), template, vec![plain(i.clone())]);
        let test = |template: &str| Some(form(Ty::Bool, template, vec![plain(i.clone())]));
        match self.random.below(17) {
            0 => (None, one(&format!("(#{n}# - 1 - ~)"))),
            1 => (None, one("max(~ - 1, 0)")),
            2 => (None, one(&format!("min(~ + 1, #{n}# - 1)"))),
            3 => (None, one(&format!("((~ + 1) % #{n}#)"))),
            4 | 5 if !computed.is_empty() => {
                let name = self.random.pick(&computed.iter().map(String::as_str).collect::<Vec<_>>());
                let array = var(&name, Ty::array(&[dim], ty.clone()));
                (None, form(ty, "~[~]", vec![plain(array), plain(i)]))
            }
            6 => (test("~ > 0"), one("(~ - 1)")),
            7 => (test(&format!("~ + 1 < #{n}#")), one("(~ + 1)")),
            8 => (test("~ >= 2"), one("(~ - 2)")),
            9 => (test(&format!("2 * ~ + 1 < #{n}#")), one("(2 * ~ + 1)")),
            10 => (None, one("(~ / 2)")),
            11 => (None, one(&format!("((~ * 3 + 2) % #{n}#)"))),
            _ => (None, i),
        }
    }

    /// A deliberately wrong index, at some point or at all.
    pub(super) fn wrong(&mut self, dim: &Dim, scope: &Scope) -> Node {
        self.faults = self.faults.saturating_sub(1);
        let (ty, n) = (Ty::Wild(dim.clone()), &dim.0);
        let indices = scope.places(dim);
        let i = indices.get(self.random.below(indices.len())).map(|i| var(i, Ty::Place(dim.clone())));
        let wild: Vec<String> = scope
            .values
            .iter()
            .filter(|(_, own)| matches!(own, Ty::Array(dims, elem) if dims.as_slice() == [dim.clone()] && **elem == ty))
            .map(|(name, _)| name.clone())
            .collect();
        match (i, wild.first(), self.random.below(12)) {
            (Some(i), Some(name), 0..5) => {
                let array = var(name, Ty::array(&[dim], ty.clone()));
                form(ty, "~[~]", vec![plain(array), plain(i)])
            }
            (Some(i), _, pick) => {
                let template = match pick {
                    0 | 5 => "(~ - 1)".to_string(),
                    1 | 6 => "(~ + 1)".to_string(),
                    2 => format!("(~ + #{n}#)"),
                    3 => "(~ * 1152921504606846976)".to_string(),
                    4 => "(-1 - ~)".to_string(),
                    7 => "(2 * ~)".to_string(),
                    8 => "(~ - 5000000000)".to_string(),
                    9 => format!("((~ + 1) % (#{n}# + 1))"),
                    _ => "(if ~ == 2 then 1000000 else 0)".to_string(),
                };
                form(ty, &template, vec![plain(i)])
            }
            (None, _, 0..4) => form(ty, &format!("#{n}#"), Vec::new()),
            (None, _, 4..7) => form(ty, "(-1)", Vec::new()),
            (None, _, 7) => form(ty, "4611686018427387904", Vec::new()),
            (None, ..) => match scope.values.iter().find(|(_, own)| matches!(own, Ty::Wild(_))) {
                Some((name, own)) => form(ty, "~", vec![plain(var(name, own.clone()))]),
                None => form(ty, "9", Vec::new()),
            },
        }
    }

    /// A number computed from whole arrays.
    pub(super) fn reduced(&mut self, scope: &Scope) -> Node {
        let size = self.dim(scope);
        let n = size.0.clone();
        let vector = Ty::floats(&[&size]);
        let v = self.simple(&vector, scope);
        match self.random.below(11) {
            0 => {
                let w = self.simple(&vector, scope);
                form(Ty::Float, "(0.2 * sum(~ * ~))", vec![plain(v), plain(w)])
            }
            1 => form(Ty::Float, "reduce(max, ^0.1^, ~)", vec![plain(v)]),
            2 => {
                let w = self.simple(&vector, scope);
                form(Ty::Float, &format!("(if #{n}# > 0 then ~[argmax(~)] else ^0.4^)"), vec![plain(v), plain(w)])
            }
            3 => self.looped(2, scope),
            4 => {
                let other = self.dim(scope);
                let matrix = self.simple(&Ty::floats(&[&size, &other]), scope);
                let template = self.random.pick(&[
                    "(0.1 * sum(flatten(~)))",
                    "(0.1 * sum(for r in ~ => reduce(max, ^0.0^, r)))",
                    "(0.1 * sum(sum(~)))",
                ]);
                form(Ty::Float, &template, vec![plain(matrix)])
            }
            5 => {
                let w = self.simple(&vector, scope);
                form(Ty::Float, "(0.3 * (~ @ ~))", vec![plain(v), plain(w)])
            }
            6 => {
                let step = self.step(&vector, scope);
                form(Ty::Float, "(0.1 * sum(~))", vec![plain(step)])
            }
            7 => {
                let z = self.name("z");
                let loss = self.float(2, &scope.with(&z, vector.clone()));
                let template = format!("(0.1 * sum(grad(\\{z} => ~)(~)))");
                form(Ty::Float, &template, vec![under(&z, vector, loss), plain(v)])
            }
            8 if self.faults > 0 => {
                self.faults -= 1;
                let template = self.random.pick(&["maximum(~)", "~[argmin(~)]", "minimum(~)"]);
                let fillings = vec![plain(v); template.matches('~').count()];
                form(Ty::Float, &template, fillings)
            }
            _ => self.folded(2, scope),
        }
    }
}

/// Whether a number can be read from a value of this type.
fn reads(ty: &Ty) -> bool {
    match ty {
        Ty::Array(_, elem) => reads(elem),
        Ty::Float | Ty::Record(_) | Ty::Sum(_) | Ty::Place(_) | Ty::Int => true,
        _ => false,
    }
}
