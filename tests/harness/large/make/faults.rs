//! Programs that stop: reads, slices, divisions, sizes and assertions that are wrong at some sizes or for some numbers.

use super::{Make, Scope};
use crate::large::tree::{Dim, Node, Ty, form, plain, under, var};

impl Make {
    /// A number whose computation may be a run-time error. Uses up one of the program's faults.
    pub(super) fn failing(&mut self, scope: &Scope) -> Node {
        self.faults = self.faults.saturating_sub(1);
        let size = self.dim(scope);
        let n = size.0.clone();
        let vector = self.simple(&Ty::floats(&[&size]), scope);
        let outer: Option<String> = scope.places(&size).last().map(|i| (*i).to_string());
        let shape = ["~", "sin(sin(~))", "tanh(sin(~))", "(~ * 0.5)", "exp(-~ ** 2)", "sqrt(1.0 + ~ * 0.1)"];
        let wrap = |make: &mut Make, read: &str| make.random.pick(&shape).replace('~', read);
        match self.random.below(16) {
            0..3 => {
                // An axis of its own, read past its end, or before its start.
                let (i, extent) = (self.name("i"), self.dim(scope));
                let place = ["$ + 1", "$ - 1", "$ * 3", "2 - $", "$ + 1000000000", "$ * 1152921504606846976", "$"];
                let place = self.random.pick(&place).replace('$', &i);
                let body = wrap(self, &format!("~[{place}]"));
                let template = format!("(0.2 * sum(for {i} < #{}# => {body}))", extent.0);
                form(Ty::Float, &template, vec![under(&i, Ty::Place(extent), vector)])
            }
            3..6 => {
                // Indices from data.
                let (i, wild) = (self.name("i"), self.wild(&size, scope));
                let inner = self.name("q");
                let body = wrap(self, &format!("{inner}[{i}]"));
                let template = format!("(let {inner} = ~ in 0.2 * sum(for {i} in ~ => {body}))");
                form(Ty::Float, &template, vec![plain(vector), plain(wild)])
            }
            6 => {
                let (s, j) = (self.name("s"), self.name("j"));
                let start = self.element(scope);
                let template = format!("(loop {s} = ~ for {j} < 3 do {s} * 0.5 + ~[{j}])");
                form(Ty::Float, &template, vec![plain(start), plain(vector)])
            }
            7 => form(Ty::Float, "(0.2 * sum(~[1:]))", vec![plain(vector)]),
            8 => form(Ty::Float, &format!("(0.2 * sum(~[:#{n}# / 2 + 2]))"), vec![plain(vector)]),
            9 => {
                let e = self.int(scope);
                form(Ty::Float, "(0.2 * sum(~[~:]))", vec![plain(vector), plain(e)])
            }
            10 => {
                let e = self.int(scope);
                form(Ty::Float, "(0.05 * §(9 / ~))", vec![plain(e)])
            }
            11 => {
                let i = self.name("i");
                let template = format!("(0.2 * sum(for {i} < #{n}# - 2 => ~[{i}]))");
                form(Ty::Float, &template, vec![under(&i, Ty::Place(size), vector)])
            }
            12 => {
                let other = self.dim(scope);
                let w = self.simple(&Ty::floats(&[&other]), scope);
                form(Ty::Float, &format!("(0.2 * sum(~ * (~ :> [#{n}#]§)))"), vec![plain(vector), plain(w)])
            }
            13 => {
                let template = self.random.pick(&["maximum(~)", "minimum(~)", "(^0.7^ - maximum(~))", "§(argmax(~))"]);
                form(Ty::Float, &template, vec![plain(vector)])
            }
            _ => {
                let place = match outer {
                    Some(i) => form(Ty::Wild(size.clone()), "(~ + 1)", vec![plain(var(&i, Ty::Place(size.clone())))]),
                    None => self.wrong(&size, scope),
                };
                let body = wrap(self, "~[~]");
                form(Ty::Float, &body, vec![plain(vector), plain(place)])
            }
        }
    }

    /// An array of indices of an axis, not all of them valid.
    fn wild(&mut self, dim: &Dim, scope: &Scope) -> Node {
        let wanted = Ty::Wild(dim.clone());
        let found: Vec<(String, Ty)> = scope
            .values
            .iter()
            .filter(|(_, own)| matches!(own, Ty::Array(dims, elem) if dims.len() == 1 && **elem == wanted))
            .cloned()
            .collect();
        if let Some((name, ty)) = found.get(self.random.below(found.len())).cloned()
            && self.random.chance(80)
        {
            return var(&name, ty);
        }
        let other = self.dim(scope);
        let template = match self.random.below(4) {
            0 => format!("(for z1 < #{}# => z1 - 1)", other.0),
            1 => format!("(for z1 < #{}# => (z1 * 7 + 2) % (#{}# + 1))", other.0, dim.0),
            2 => format!("(for z1 < #{}# => if z1 == 2 then #{}# else 0)", other.0, dim.0),
            _ => format!("(for z1 < #{}# => z1)", other.0),
        };
        form(Ty::array(&[&other], wanted), &template, Vec::new())
    }

    /// A vector with an element, a slice or scattered elements at possibly invalid indices.
    pub(super) fn failing_vector(&mut self, dim: &Dim, scope: &Scope) -> Node {
        self.faults = self.faults.saturating_sub(1);
        let (ty, n) = (Ty::floats(&[dim]), dim.0.clone());
        let (v, w) = (self.simple(&ty, scope), self.simple(&ty, scope));
        match self.random.below(9) {
            0..3 => {
                let places = self.wild(dim, scope);
                let Ty::Array(dims, _) = places.ty.clone() else { return v };
                let values = self.simple(&Ty::Array(dims, Box::new(Ty::Float)), scope);
                let template = self.random.pick(&[
                    "scatter(~, ~, ~)",
                    "(0.6 * scatter_add(~, ~, ~))",
                    "(~ + histogram(max, ^0.1^, #n#, ~, ~))",
                    "(let z1 = ~ let z2 = ~ let z3 = ~ in loop z4 = z1 for z5 < length(z2) do z4 with [z2[z5]] = 0.5 * z3[z5])",
                    "(let z1 = ~ let z2 = ~ let z3 = ~ in loop z4 = z1 for z5 < length(z2) do z4 with [z2[z5]] = 0.3 * z4[z2[z5]] + sin(z3[z5]))",
                ]);
                let template = template.replace("#n#", &format!("#{n}#"));
                form(ty, &template, vec![plain(v), plain(places), plain(values)])
            }
            3 => {
                let place = self.wrong(dim, scope);
                form(ty, "(~ with [~] = ^0.7^)", vec![plain(v), plain(place)])
            }
            4 => form(ty, "(~ with [1:] = ^0.5^ * ~[1:])", vec![plain(v), plain(w)]),
            5 => {
                let e = self.int(scope);
                form(ty, "(let z1 = ~ let z2 = ~ in z2 with [z1:] = ^0.5^ * z2[z1:])", vec![plain(e), plain(v)])
            }
            6 => form(ty, &format!("(let z1 = concat(~[1:], ~[:1]) in z1 :> [#{n}#]§)"), vec![plain(v), plain(w)]),
            7 => {
                let i = self.name("i");
                let inner = scope.index(&i, dim, self.value(dim));
                let body = self.failing(&inner);
                form(ty, &format!("(for {i} < #{n}# => ~)"), vec![under(&i, Ty::Place(dim.clone()), body)])
            }
            _ => {
                let (q, i) = (self.name("q"), self.name("i"));
                let place = self.random.pick(&["$ + 1", "$ - 1", "2 * $", "-1 - $"]).replace('$', &i);
                let template =
                    format!("(loop {q} = ~ for {i} < #{n}# do {q} with [{i}] = 0.5 * {q}[{place}] + 0.2 * ~[{i}])");
                form(ty, &template, vec![plain(v), plain(w)])
            }
        }
    }
}
