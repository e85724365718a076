//! Whole arrays computed from whole arrays, and loops of several states with matrix products in them: recurrent networks, gates,
//! residual layers, highways.

use super::{Make, Scope};
use crate::large::tree::{Dim, Filling, Node, Ty, form, plain, under, var};

impl Make {
    /// An array of floats computed from others by operations on whole arrays.
    pub(super) fn arrays(&mut self, d: usize, dims: &[Dim], scope: &Scope) -> Node {
        let ty = Ty::Array(dims.to_vec(), Box::new(Ty::Float));
        if d == 0 {
            return self.simple(&ty, scope);
        }
        let d = d - 1;
        match self.random.below(16) {
            0..5 => {
                if let Some(product) = self.product(d, dims, scope) {
                    return product;
                }
            }
            5 => {
                let (shifted, template) = (self.arrays(d, dims, scope), self.shift(dims));
                return form(ty, &template, vec![plain(shifted)]);
            }
            6 => {
                let s = self.float(1, scope);
                let p = self.arrays(d, dims, scope);
                let template = self.random.pick(&["(~ * ~)", "(tanh(~) * 0.5 + ~)", "(0.3 * ~ - ~)"]);
                return form(ty, &template, vec![plain(s), plain(p)]);
            }
            7 if dims.len() == 2 => {
                if let [_, m] = dims {
                    let r = self.name("r");
                    let (p, g) = (self.arrays(d, dims, scope), self.simple(&Ty::floats(&[m]), scope));
                    let template = self.random.pick(&[
                        "(for $ in ~ => $ + ~)",
                        "(for $ in ~ => $ * ~)",
                        "(for $ in ~ => tanh($) - 0.2 * ~)",
                    ]);
                    return form(ty, &template.replace('$', &r), vec![plain(p), plain(g)]);
                }
            }
            8 if dims.len() <= 2 => {
                let r = self.name("r");
                let p = self.arrays(d, dims, scope);
                let soft = "(let e1 = exp($ - reduce(max, ^-3.0^, $)) in e1 / (^0.1^ + sum(e1)))";
                let norm = "(let e1 = ($ - 0.5 * sum($)) in e1 / sqrt(1.0 + sum(e1 * e1)))";
                let row = self.random.pick(&[soft, norm, "cumsum(0.2 * $)", "tanh($)"]).replace('$', &r);
                let template = if dims.len() == 2 {
                    format!("(for {r} in ~ => {row})")
                } else {
                    format!("(let {r} = ~ in {row})")
                };
                return form(ty, &template, vec![plain(p)]);
            }
            _ => {}
        }
        let p = self.arrays(d, dims, scope);
        if self.random.chance(45) {
            let templates = [
                "tanh(~)",
                "sigmoid(~)",
                "(0.5 * ~)",
                "sin(~)",
                "(~ ** 2)",
                "max(~, 0.0)",
                "(1.0 - ~)",
                "(0.5 + 0.3 * ~)",
                "(-~)",
                "exp(-~ ** 2)",
            ];
            return form(ty, &self.random.pick(&templates), vec![plain(p)]);
        }
        let q = self.arrays(d, dims, scope);
        let templates = [
            "(~ * ~)",
            "(~ + ~)",
            "(~ - ~)",
            "(0.7 * ~ + 0.4 * ~)",
            "(tanh(~) * ~)",
            "(sigmoid(~) * ~)",
            "(~ + 0.1 * ~)",
            "max(~, ~)",
            "(~ / (1.5 + ~ ** 2))",
        ];
        form(ty, &self.random.pick(&templates), vec![plain(p), plain(q)])
    }

    /// The rows of an array shifted, with zeros or its ends where there is none.
    fn shift(&mut self, dims: &[Dim]) -> String {
        let templates: &[&str] = match dims.len() {
            1 => &["rotate(~, 1)", "reverse(~)", "(let z1 = ~ in for z2 < $ => if z2 > 0 then z1[z2 - 1] else ^0.0^)"],
            2 => &[
                "rotate(~, 1)",
                "reverse(~)",
                "(let z1 = ~ in for z2 < $, z3 < @ => if z2 > 0 then z1[z2 - 1, z3] else ^0.0^)",
                "(let z1 = ~ in for z2 < $, z3 < @ => z1[z2, min(z3 + 1, @ - 1)])",
                "(for z1 in ~ => reverse(z1))",
            ],
            _ => &["reverse(~)"],
        };
        let mark = |k: usize| dims.get(k).map_or(String::new(), |d| format!("#{}#", d.0));
        self.random.pick(templates).replace('$', &mark(0)).replace('@', &mark(1))
    }

    /// A matrix product that gives an array of these sizes, small enough to stay bounded.
    fn product(&mut self, d: usize, dims: &[Dim], scope: &Scope) -> Option<Node> {
        let ty = Ty::Array(dims.to_vec(), Box::new(Ty::Float));
        let inner = if self.random.chance(75) { dims.last()?.clone() } else { self.dim(scope) };
        let work: usize = dims.iter().map(|d| self.value(d)).product::<usize>() * self.value(&inner);
        if !self.small(work * scope.points / 2) {
            return None;
        }
        let (left, right): (Vec<Dim>, Vec<Dim>) = match dims {
            [n, m] => (vec![n.clone(), inner.clone()], vec![inner.clone(), m.clone()]),
            [n] if self.random.chance(50) => (vec![n.clone(), inner.clone()], vec![inner.clone()]),
            [n] => (vec![inner.clone()], vec![inner.clone(), n.clone()]),
            _ => return None,
        };
        let p = self.arrays(d, &left, scope);
        let q = self.simple(&Ty::Array(right, Box::new(Ty::Float)), scope);
        let template = self.random.pick(&[
            "(~ @ ~)",
            "(~ @ ~)",
            "tanh(~ @ ~)",
            "(0.3 * ~ @ ~)",
            "sigmoid(~ @ ~)",
            "(~ @ (0.5 * ~))",
        ]);
        Some(form(ty, &template, vec![plain(p), plain(q)]))
    }

    /// A loop of one to three states, each an array, with products; the result is one state or a mixture of all.
    pub(super) fn layers(&mut self, dims: &[Dim], scope: &Scope) -> Node {
        let ty = Ty::Array(dims.to_vec(), Box::new(Ty::Float));
        let l = Dim::new("l");
        let steps = if scope.dims.contains(&l) { l } else { Dim::new("2") };
        let count = 1 + self.random.below(3);
        let i = self.name("i");
        let states: Vec<String> = (0..count).map(|_| self.name("x")).collect();
        let starts: Vec<Filling> = (0..count).map(|_| plain(self.simple(&ty, scope))).collect();
        let points = self.value(&steps);
        let mut inner = scope.index(&i, &steps, points);
        let mut bound: Vec<(String, Ty)> = vec![(i.clone(), Ty::Place(steps.clone()))];
        for state in &states {
            inner = inner.with(state, ty.clone());
            bound.push((state.clone(), ty.clone()));
        }
        let (mut text, mut fillings) = (String::new(), starts.clone());
        for _ in 0..self.random.below(4) {
            let z = self.name("z");
            let value = self.arrays(2, dims, &inner);
            text.push_str(&format!("let {z} = ~ "));
            fillings.push((bound.clone(), value));
            inner = inner.with(&z, ty.clone());
            bound.push((z, ty.clone()));
        }
        let mut nexts = Vec::new();
        for state in &states {
            let next = match self.random.below(8) {
                0 => var(state, ty.clone()),
                1 => {
                    let add = self.arrays(1, dims, &inner);
                    form(ty.clone(), "(~ + 0.2 * ~)", vec![plain(var(state, ty.clone())), plain(add)])
                }
                2 => self.arrays(0, dims, &inner),
                _ => self.arrays(2, dims, &inner),
            };
            nexts.push((bound.clone(), next));
        }
        // Growing values are clamped.
        let next: Vec<String> =
            (0..count).map(|_| if self.random.chance(35) { "tanh(~)".to_string() } else { "~".to_string() }).collect();
        fillings.extend(nexts);
        let begin = if text.is_empty() { String::new() } else { format!("{text}in ") };
        let tuple =
            |parts: &[String]| if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) };
        let start = tuple(&vec!["~".to_string(); count]);
        let body = format!("loop {} = {start} for {i} < #{}# do {begin}{}", tuple(&states), steps.0, tuple(&next));
        let which = self.random.below(count);
        let template = match (count, self.random.below(3)) {
            (1, _) => format!("({body})"),
            (_, 0) => format!("(let {} = {body} in {})", tuple(&states), states.join(" + 0.5 * ")),
            _ => format!("({body}).{which}"),
        };
        form(ty, &template, fillings)
    }

    /// A step of training: the gradient of a loss, inside the program.
    pub(super) fn trained(&mut self, dims: &[Dim], scope: &Scope) -> Node {
        let ty = Ty::Array(dims.to_vec(), Box::new(Ty::Float));
        let (q, z) = (self.name("q"), self.name("z"));
        let start = self.simple(&ty, scope);
        let inner = scope.with(&q, ty.clone());
        let loss = self.arrays(1, dims, &inner.with(&z, ty.clone()));
        let flat = if dims.len() > 1 { "flatten(~)" } else { "~" };
        let template = format!("(loop {q} = ~ for t1 < 2 do {q} - 0.1 * grad(\\{z} => sum({flat}))({q}))");
        let binds = vec![(q, ty.clone()), (z, ty.clone())];
        form(ty, &template, vec![plain(start), (binds, loss)])
    }

    /// A value that reverse mode recomputes.
    pub(super) fn checkpointed(&mut self, dims: &[Dim], scope: &Scope) -> Node {
        let ty = Ty::Array(dims.to_vec(), Box::new(Ty::Float));
        let z = self.name("z");
        let start = self.simple(&ty, scope);
        let body = self.step(&ty, &scope.with(&z, ty.clone()));
        form(ty.clone(), &format!("checkpoint(\\{z} => ~)(~)"), vec![under(&z, ty, body), plain(start)])
    }
}
