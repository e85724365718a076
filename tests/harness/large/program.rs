//! A whole program: definitions, the steps of `f`, the derivatives of it that are compared, and arguments.

use super::derivatives::{Differentiable, Entry, Part, Shape, tuple};
use super::tree::{Node, TYPES, Ty, float_name};
use crate::generator::Random;
use std::collections::BTreeSet;
use std::fmt::Write;

#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    pub name: String,
    pub params: Vec<(String, Ty)>,
    pub body: Node,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub seed: u64,
    /// Whether floats are `f32`.
    pub single: bool,
    pub sizes: Vec<(String, usize)>,
    pub params: Vec<(String, Ty)>,
    pub defs: Vec<Definition>,
    pub lets: Vec<(String, Node)>,
    /// The names of the results of `f`.
    pub results: Vec<String>,
    pub entries: Vec<Entry>,
    /// Its features that are known to fail.
    pub categories: Vec<&'static str>,
}

impl Program {
    /// The program's text, with its own floats or with `f64`.
    pub fn source(&self, single: bool) -> String {
        let mut definitions = String::new();
        for def in &self.defs {
            let _ =
                writeln!(definitions, "def {}{} =\n  {}", def.name, head(&def.params, single), def.body.text(single));
        }
        let _ = writeln!(definitions, "def f{} =", head(&self.params, single));
        for (name, value) in &self.lets {
            let _ = writeln!(definitions, "  let {name} = {}", value.text(single));
        }
        let results: Vec<&str> = self.results.iter().map(String::as_str).collect();
        let _ = writeln!(definitions, "  in ({}, 0)", results.join(", "));
        let smooth = self.smooth_results();
        if !smooth.is_empty() && !self.wrt().is_empty() && self.entries.iter().any(|e| *e != Entry::Value) {
            self.derivatives(&mut definitions, single);
        }
        let mut text = String::new();
        for (name, declaration) in TYPES {
            if definitions.contains(name) {
                text.push_str(&declaration.replace('§', float_name(single)));
            }
        }
        // The constructors of a sum are mentioned without its name.
        if !text.contains("type Item")
            && ["One(", "Two(", "Row(", "Count(", "Nil"].iter().any(|c| definitions.contains(c))
        {
            text.push_str(&TYPES[1].1.replace('§', float_name(single)));
        }
        text + &definitions
    }

    fn type_of(&self, result: &str) -> Option<&Ty> {
        let step = self.lets.iter().rev().find(|(name, _)| name == result).map(|(_, value)| &value.ty);
        step.or_else(|| self.params.iter().find(|(name, _)| name == result).map(|(_, ty)| ty))
    }

    /// The results that consist only of floats, with their types.
    pub fn smooth_results(&self) -> Vec<(&str, Ty)> {
        let typed = |name: &'_ String| Some((self.type_of(name)?.clone(), name.clone()));
        let named = self.results.iter().filter_map(typed).filter(|(ty, _)| ty.is_smooth());
        let names: Vec<(Ty, String)> = named.collect();
        self.results
            .iter()
            .filter_map(|name| names.iter().find(|(_, own)| own == name).map(|(ty, _)| (name.as_str(), ty.clone())))
            .collect()
    }

    /// The differentiation parameters.
    pub fn wrt(&self) -> Vec<(&str, &Ty)> {
        self.params.iter().filter(|(_, ty)| ty.is_smooth()).map(|(name, ty)| (name.as_str(), ty)).collect()
    }

    /// `smooth`, the results that are floats, and derivatives of it.
    fn derivatives(&self, out: &mut String, single: bool) {
        let part = |name: &str, ty: &Ty| {
            let shape = match ty {
                Ty::Array(dims, _) => Shape::Array(dims.iter().map(|d| d.0.clone()).collect(), Box::new(Shape::Float)),
                _ => Shape::Float,
            };
            Part { name: name.to_string(), shape }
        };
        let results = self.smooth_results();
        let whole = Differentiable {
            head: head(&self.params, single),
            names: self.params.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
            single,
            wrt: self.wrt().iter().map(|(name, ty)| part(name, ty)).collect(),
            smooth: results.iter().map(|(name, ty)| part(name, ty)).collect(),
        };
        let pattern: Vec<&str> =
            self.results.iter().map(|r| if results.iter().any(|(s, _)| s == r) { r.as_str() } else { "_" }).collect();
        let given = tuple(results.iter().map(|(name, _)| name.to_string()));
        let (head, names) = (&whole.head, &whole.names);
        let _ = writeln!(out, "def smooth_{head} =\n  let ({}, _) = f({names}) in {given}", pattern.join(", "));
        whole.loss(out);
        self.entries.iter().for_each(|entry| whole.entry(*entry, out));
    }

    /// The arguments as text; numbers depend only on the seed, the parameter and their position, so that smaller arrays
    /// hold the same numbers.
    pub fn arguments(&self, salt: u64) -> Vec<String> {
        let argument = |(name, ty): &(String, Ty)| {
            let hash =
                name.bytes().fold(self.seed ^ (salt << 32), |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
            value(ty, &self.sizes, hash)
        };
        self.params.iter().map(argument).collect()
    }
}

fn head(params: &[(String, Ty)], single: bool) -> String {
    let params: Vec<String> = params.iter().map(|(name, ty)| format!("{name}: {}", ty.text(single))).collect();
    format!("({})", params.join(", "))
}

fn value(ty: &Ty, sizes: &[(String, usize)], hash: u64) -> String {
    let mut random = Random::new(hash);
    match ty {
        Ty::Float => {
            let number = 0.2 + random.below(1_400_000) as f64 / 1e6;
            format!("{:.6}", if random.chance(35) { -number } else { number })
        }
        Ty::Int => (random.below(9) as i64 - 3).to_string(),
        Ty::Bool => random.chance(50).to_string(),
        Ty::Place(d) => random.below(d.value(sizes)).to_string(),
        Ty::Wild(d) => {
            let n = d.value(sizes) as i64;
            let bad = [-1, n, n + 1, n + 1000, -n - 7, 1 << 40, i64::MAX, i64::MIN, (1 << 61) + 1];
            if random.chance(30) {
                bad.get(random.below(bad.len())).copied().unwrap_or(-1).to_string()
            } else {
                random.below(d.value(sizes)).to_string()
            }
        }
        Ty::Array(dims, elem) => match dims.split_first() {
            None => value(elem, sizes, hash),
            Some((first, rest)) => {
                let inner = Ty::Array(rest.to_vec(), elem.clone());
                let part = |k: usize| {
                    let mixed = (hash ^ (k as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    value(&inner, sizes, mixed ^ (mixed >> 29))
                };
                format!("[{}]", (0..first.value(sizes)).map(part).collect::<Vec<_>>().join(", "))
            }
        },
        Ty::Tuple(parts) => {
            let parts: Vec<String> = parts
                .iter()
                .enumerate()
                .map(|(k, part)| value(part, sizes, hash.wrapping_add(k as u64 * 77)))
                .collect();
            format!("({})", parts.join(", "))
        }
        Ty::Record(c) => {
            let [p, q, r] = [1, 2, 3].map(|k| value(&Ty::Float, sizes, hash.wrapping_add(k * 1001)));
            let v = value(&Ty::floats(&[c]), sizes, hash.wrapping_add(9));
            format!("{{p = {p}, tag = {}, v = {v}, q = ({q}, {r})}}", random.below(5))
        }
        Ty::Sum(c) => {
            let [p, q] = [1, 2].map(|k| value(&Ty::Float, sizes, hash.wrapping_add(k * 1001)));
            match random.below(5) {
                0 => format!("One({p})"),
                1 => format!("Two({p}, {q})"),
                2 => format!("Row({})", value(&Ty::floats(&[c]), sizes, hash.wrapping_add(9))),
                3 => format!("Count({}, {p})", random.below(4)),
                _ => "Nil".to_string(),
            }
        }
    }
}

impl Program {
    /// Drops the parameters that nothing reads, except those that bind sizes.
    pub fn drop_unused(&mut self) {
        let mut read = BTreeSet::new();
        let mut sizes = Vec::new();
        for (name, value) in &self.lets {
            read.extend(value.free());
            value.sizes(&mut sizes);
            if self.results.contains(name) {
                value.ty.sizes(&mut sizes);
            }
        }
        for (name, _) in self.params.clone().into_iter().rev() {
            if read.contains(&name) {
                continue;
            }
            let rest: Vec<(String, Ty)> = self.params.iter().filter(|(own, _)| *own != name).cloned().collect();
            let mut bound = Vec::new();
            rest.iter().for_each(|(_, ty)| ty.sizes(&mut bound));
            let needed = |ty: &Ty| {
                let mut own = Vec::new();
                ty.sizes(&mut own);
                own.iter().any(|d| sizes.contains(d) && !bound.contains(d))
            };
            if self.params.iter().any(|(own, ty)| *own == name && needed(ty)) {
                continue;
            }
            self.params = rest;
        }
    }

    /// The arguments with every float moved by a few billionths of itself.
    pub fn moved(&self) -> Vec<String> {
        self.arguments(0).iter().map(|text| shaken(text)).collect()
    }
}

/// A text with its floats moved, up or down in turn.
pub fn shaken(text: &str) -> String {
    let (mut out, mut word, mut turn) = (String::new(), String::new(), 0u64);
    let mut flush = |word: &mut String, out: &mut String| {
        match word.parse::<f64>() {
            Ok(number) if word.contains('.') => {
                turn = turn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let part = ((turn >> 40) as f64 / (1u64 << 24) as f64 - 0.5) * 4e-9;
                let _ = write!(out, "{:?}", number * (1.0 + part));
            }
            _ => out.push_str(word),
        }
        word.clear();
    };
    for c in text.chars() {
        if c.is_ascii_digit() || c == '.' || c == '-' && word.is_empty() {
            word.push(c);
        } else {
            flush(&mut word, &mut out);
            out.push(c);
        }
    }
    flush(&mut word, &mut out);
    out
}
