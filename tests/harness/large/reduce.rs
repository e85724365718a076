//! Reduces a failing program as long as it fails in the same way: definitions, steps, results and parameters are
//! dropped, expressions replaced by subexpressions or by constants, sizes decreased, and the way of compiling
//! simplified.

use super::derivatives::Entry;
use super::job::{Failure, Job, Verdict, Way};
use super::pool::Worker;
use super::program::Program;
use super::tree::{Node, NodeKind, form, least, plain};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A program and the one way in which it fails.
#[derive(Clone, Debug)]
pub struct Reduced {
    pub program: Program,
    pub failure: Failure,
    pub ways: Vec<Way>,
    pub trials: usize,
}

struct Reducer<'w> {
    worker: &'w mut Worker,
    best: Reduced,
    until: Instant,
}

/// The smallest program found within the time.
pub fn reduce(program: Program, failure: Failure, ways: &[Way], worker: &mut Worker, time: Duration) -> Reduced {
    let best = Reduced { program, failure, ways: ways.to_vec(), trials: 0 };
    let mut reducer = Reducer { worker, best, until: Instant::now() + time };
    reducer.all();
    reducer.best
}

impl Reducer<'_> {
    fn over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Accepts a candidate if it fails as the best one does.
    fn accepts(&mut self, program: Program, ways: &[Way]) -> bool {
        if self.over() {
            return false;
        }
        self.best.trials += 1;
        let oracle = self.best.failure.kind.starts_with("dual");
        let job = Job::new(&program, ways, oracle);
        let Ok(Verdict::Failed(failure)) = self.worker.ask(&job) else { return false };
        let same = failure.kind == self.best.failure.kind
            && (failure.entry == self.best.failure.entry || self.best.failure.entry.is_empty());
        if same {
            let trials = self.best.trials;
            self.best = Reduced { program, failure, ways: ways.to_vec(), trials };
        }
        same
    }

    fn change(&mut self, change: impl FnOnce(&mut Program)) -> bool {
        let (mut program, ways) = (self.best.program.clone(), self.best.ways.clone());
        change(&mut program);
        program != self.best.program && self.accepts(program, &ways)
    }

    fn all(&mut self) {
        self.ways();
        self.entries();
        loop {
            let before = self.best.program.clone();
            self.results();
            self.lets();
            self.sizes();
            self.expressions();
            self.inline();
            self.params();
            if self.best.program == before || self.over() {
                return;
            }
        }
    }

    /// Only the failing way, as plain as possible.
    fn ways(&mut self) {
        let program = self.best.program.clone();
        let plain = |strict, sized| Way { strict, sized, threads: 1, checkpoint: false, sanitize: false };
        if self.best.failure.kind.starts_with("dual")
            || self.best.failure.way.is_none() && !self.best.failure.entry.is_empty()
        {
            self.accepts(program, &[]);
            return;
        }
        if self.accepts(program.clone(), &[]) {
            return;
        }
        let tried: Vec<Way> = [plain(true, false), plain(true, true), plain(false, false), plain(false, true)]
            .into_iter()
            .chain(self.best.failure.way)
            .chain(self.best.ways.clone())
            .collect();
        for way in tried {
            if self.accepts(program.clone(), &[way]) {
                return;
            }
        }
    }

    /// Only the failing entry; the value is always included, as errors are compared with it.
    fn entries(&mut self) {
        let entries = self.best.program.entries.clone();
        let named: Vec<Entry> = entries.iter().copied().filter(|e| e.name() == self.best.failure.entry).collect();
        if !named.is_empty() && self.change(|program| program.entries = named) {
            return;
        }
        if !self.change(|program| program.entries = vec![Entry::Value]) {
            for entry in entries {
                if self.change(|program| program.entries = vec![entry]) {
                    return;
                }
            }
        }
    }

    fn results(&mut self) {
        let results = self.best.program.results.clone();
        for result in &results {
            if results.len() > 1 && self.change(|program| program.results = vec![result.clone()]) {
                return;
            }
        }
        for result in results {
            if self.best.program.results.len() > 1 {
                self.change(|program| program.results.retain(|own| *own != result));
            }
        }
    }

    fn lets(&mut self) {
        for at in (0..self.best.program.lets.len()).rev() {
            let Some((name, value)) = self.best.program.lets.get(at).cloned() else { continue };
            if self.best.program.results.contains(&name) {
                // Its operands may be all that is needed.
                for other in self.best.program.lets.iter().take(at).map(|(name, _)| name.clone()).collect::<Vec<_>>() {
                    self.change(|program| {
                        program.results = vec![other];
                        program.lets.retain(|(own, _)| *own != name);
                    });
                }
                continue;
            }
            let without = |program: &mut Program, value: &Node| {
                program.lets.remove(at);
                program.lets.iter_mut().skip(at).for_each(|(_, node)| node.substitute(&name, value));
            };
            if self.change(|program| without(program, &least(&value.ty))) {
                continue;
            }
            let uses: usize = self.best.program.lets.iter().map(|(_, node)| count(node, &name)).sum();
            if uses == 1 {
                self.change(|program| without(program, &value));
            }
        }
    }

    fn sizes(&mut self) {
        for at in 0..self.best.program.sizes.len() {
            let Some((_, size)) = self.best.program.sizes.get(at).cloned() else { continue };
            let mut tried: Vec<usize> = [0, 1, 2, 3, 4, 5, 8, size / 2, size.saturating_sub(1)].to_vec();
            tried.sort_unstable();
            tried.dedup();
            for smaller in tried.into_iter().filter(|s| *s < size) {
                let taken = self.change(|program| {
                    if let Some((_, size)) = program.sizes.get_mut(at) {
                        *size = smaller;
                    }
                });
                if taken {
                    break;
                }
            }
        }
    }

    fn params(&mut self) {
        for (name, ty) in self.best.program.params.clone() {
            self.change(|program| {
                program.params.retain(|(own, _)| *own != name);
                let value = least(&ty);
                program.lets.iter_mut().for_each(|(_, node)| node.substitute(&name, &value));
            });
        }
        for at in 0..self.best.program.defs.len() {
            self.change(|program| drop_definition(program, at));
        }
    }

    /// Replaces calls by the bodies of their definitions.
    fn inline(&mut self) {
        let defs = self.best.program.defs.clone();
        for def in &defs {
            self.change(|program| {
                for (_, node) in &mut program.lets {
                    inline(node, def);
                }
                program.defs.retain(|own| own.name != def.name);
            });
        }
    }

    /// Every expression, the largest first.
    fn expressions(&mut self) {
        let roots = self.best.program.lets.len() + self.best.program.defs.len();
        for root in 0..roots {
            let mut paths = vec![Vec::new()];
            while let Some(path) = paths.pop() {
                if self.over() {
                    return;
                }
                while self.smaller(root, &path) {}
                let Some(node) = body(&mut self.best.program, root).and_then(|body| body.at(&path).cloned()) else {
                    continue;
                };
                for at in (0..node.holes().len()).rev() {
                    let mut inner = path.clone();
                    inner.push(at);
                    paths.push(inner);
                }
            }
        }
    }

    /// Replaces the expression at a position by a smaller one of its type.
    fn smaller(&mut self, root: usize, path: &[usize]) -> bool {
        let Some(node) = body(&mut self.best.program, root).and_then(|body| body.at(path).cloned()) else {
            return false;
        };
        let mut candidates = Vec::new();
        let own = least(&node.ty);
        if node.size() > own.size()
            || matches!(node.kind, NodeKind::Form(_))
                && node.size() == own.size()
                && node.text(false).len() > own.text(false).len()
        {
            candidates.push(own);
        }
        let mut inside = Vec::new();
        within(&node, &node.ty, &mut Vec::new(), &mut inside);
        inside.sort_by_key(Node::size);
        inside.dedup();
        candidates.extend(inside.into_iter().take(12));
        for candidate in candidates {
            if candidate.size() > node.size() || candidate == node {
                continue;
            }
            let taken = self.change(|program| {
                if let Some(place) = body(program, root).and_then(|body| body.at_mut(path)) {
                    *place = candidate;
                }
            });
            if taken {
                return true;
            }
        }
        false
    }
}

fn body(program: &mut Program, root: usize) -> Option<&mut Node> {
    let lets = program.lets.len();
    match program.lets.get_mut(root) {
        Some((_, node)) => Some(node),
        None => program.defs.get_mut(root - lets).map(|def| &mut def.body),
    }
}

/// The subexpressions of the same type, with constants for the variables bound in between.
fn within(node: &Node, ty: &super::tree::Ty, bound: &mut Vec<(String, super::tree::Ty)>, found: &mut Vec<Node>) {
    for (binds, inner) in node.holes() {
        let before = bound.len();
        bound.extend(binds.iter().cloned());
        if ty.takes(&inner.ty) {
            let mut value = inner.clone();
            for (name, ty) in bound.iter().rev() {
                value.substitute(name, &least(ty));
            }
            found.push(value);
        }
        within(inner, ty, bound, found);
        bound.truncate(before);
    }
}

fn count(node: &Node, name: &str) -> usize {
    match &node.kind {
        NodeKind::Var(own) => usize::from(own == name),
        _ => node
            .holes()
            .iter()
            .filter(|(binds, _)| binds.iter().all(|(bound, _)| bound != name))
            .map(|(_, inner)| count(inner, name))
            .sum(),
    }
}

fn drop_definition(program: &mut Program, at: usize) {
    let mut called = BTreeSet::new();
    program.lets.iter().for_each(|(_, node)| node.calls(&mut called));
    program.defs.iter().for_each(|def| def.body.calls(&mut called));
    if program.defs.get(at).is_some_and(|def| !called.contains(&def.name)) {
        program.defs.remove(at);
    }
}

/// Replaces calls by the body of the definition.
fn inline(node: &mut Node, def: &super::program::Definition) {
    for at in 0..node.holes().len() {
        if let Some(inner) = node.hole_mut(at) {
            inline(inner, def);
        }
    }
    let NodeKind::Call(name, arguments) = &node.kind else { return };
    if *name != def.name {
        return;
    }
    let mut names: Vec<(String, super::tree::Dim)> = Vec::new();
    for ((_, from), argument) in def.params.iter().zip(arguments) {
        if let (super::tree::Ty::Array(from, _), super::tree::Ty::Array(to, _)) = (from, &argument.ty) {
            names.extend(from.iter().map(|d| d.0.clone()).zip(to.iter().cloned()));
        }
    }
    let mut body = def.body.renamed(&names);
    // The names of parameters occur in no other expression, so that they may be bound one after the other.
    for ((name, ty), argument) in def.params.iter().zip(arguments).rev() {
        let binds = vec![(name.clone(), ty.renamed(&names))];
        body = form(body.ty.clone(), &format!("(let {name} = ~ in ~)"), vec![plain(argument.clone()), (binds, body)]);
    }
    *node = body;
}
