//! The order of a block's statements: kernels that can be fused become neighbours.
//!
//! Statements keep their order where one depends on another. Otherwise the host's come when they are needed, except
//! that memory is released as soon as possible, and kernels follow others over the same sizes.

use super::Placement;
use super::alias::{Aliases, memory};
use super::size::Definitions;
use crate::builder::Builder;
use crate::walk::{Use, uses};
use arr_loops::{For, LocalId, Operand, Stmt};
use std::collections::{BTreeSet, HashMap};

/// A unit of scheduling.
#[derive(Debug)]
pub(crate) enum Unit<'s> {
    One(&'s Stmt),
    /// Kernels and scalar statements over the same sizes.
    Run(Vec<&'s Stmt>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum UnitKind {
    Host,
    /// Releases memory.
    Release,
    Scalars,
    Nest,
    /// Kernels that are not changed here.
    Opaque,
}

pub(crate) struct Scheduler<'p, 'a> {
    pub b: &'p Builder<'a>,
    pub placement: &'p Placement,
    pub aliases: &'p Aliases,
    pub definitions: &'p Definitions,
}

struct Node {
    kind: UnitKind,
    before: BTreeSet<usize>,
    /// The outermost size of a nest, and all of its sizes.
    outer: Option<Vec<LocalId>>,
    sizes: BTreeSet<LocalId>,
    done: bool,
}

impl Scheduler<'_, '_> {
    pub fn units<'s>(&self, stmts: &'s [Stmt]) -> Vec<Unit<'s>> {
        let nests = stmts.iter().filter(|s| self.kind(s) == UnitKind::Nest).count();
        if nests == 0 {
            return stmts.iter().map(Unit::One).collect();
        }
        let mut nodes = self.nodes(stmts);
        let mut units = Vec::new();
        while let Some(start) = nodes.iter().position(|n| !n.done && is_device(n.kind)) {
            let start = self.ready_from(&nodes, start);
            self.pull(stmts, &mut nodes, start, &mut units);
            match nodes.get(start).map(|n| n.kind) {
                Some(UnitKind::Opaque) | None => units.extend(stmts.get(start).map(Unit::One)),
                Some(_) => {
                    let run = self.run(stmts, &mut nodes, start, &mut units);
                    units.push(run);
                }
            }
            if let Some(node) = nodes.get_mut(start) {
                node.done = true;
            }
            self.release(stmts, &mut nodes, &mut units);
        }
        for (node, stmt) in nodes.iter().zip(stmts) {
            if !node.done {
                units.push(Unit::One(stmt));
            }
        }
        units
    }

    fn kind(&self, stmt: &Stmt) -> UnitKind {
        match stmt {
            Stmt::Release(_) => UnitKind::Release,
            Stmt::Let { local, .. } if self.placement.is_fetched(*local) => UnitKind::Opaque,
            Stmt::Let { local, .. } | Stmt::Var { local, .. } | Stmt::Set { local, .. } => {
                if self.placement.is_computed(*local) { UnitKind::Scalars } else { UnitKind::Host }
            }
            Stmt::Store { .. } => UnitKind::Scalars,
            Stmt::Check { args, .. } if args.iter().any(|&a| self.placement.on_device(a)) => UnitKind::Scalars,
            Stmt::For(l) if l.scan.is_none() && l.parallel.is_some() && !self.placement.on_device(l.extent) => {
                UnitKind::Nest
            }
            Stmt::If { .. } if self.placement.is_serial(stmt) && sizes_of(stmt).is_empty() => UnitKind::Scalars,
            Stmt::If { then_body, else_body, .. } => {
                let host = then_body.iter().chain(else_body).all(|s| matches!(s, Stmt::Check { .. }));
                if host { UnitKind::Host } else { UnitKind::Opaque }
            }
            Stmt::For(_) | Stmt::While(_) | Stmt::Argsort { .. } | Stmt::MatMul(_) => UnitKind::Opaque,
            Stmt::Trace { .. } => UnitKind::Host,
            Stmt::Alloc { .. }
            | Stmt::MakeUnique { .. }
            | Stmt::Retain(_)
            | Stmt::Check { .. }
            | Stmt::CheckShape { .. } => UnitKind::Host,
        }
    }

    fn nodes(&self, stmts: &[Stmt]) -> Vec<Node> {
        let mut locals: HashMap<LocalId, Touched> = HashMap::new();
        let mut buffers: HashMap<LocalId, Touched> = HashMap::new();
        let mut nodes = Vec::new();
        for (k, stmt) in stmts.iter().enumerate() {
            let mut before = BTreeSet::new();
            uses(std::slice::from_ref(stmt), &mut |used| match used {
                Use::Read(local) => locals.entry(local).or_default().read(k, &mut before),
                Use::Bind(local) | Use::Set(local) => locals.entry(local).or_default().write(k, &mut before),
            });
            if let Stmt::Release(buffer) | Stmt::MakeUnique { buffer, .. } = stmt {
                locals.entry(*buffer).or_default().write(k, &mut before);
            }
            memory(self.b, stmt, &mut |buffer, writes| {
                let touched = buffers.entry(self.aliases.class(buffer)).or_default();
                if writes { touched.write(k, &mut before) } else { touched.read(k, &mut before) }
            });
            let factors = |size| self.definitions.product(size).terms.into_iter().flat_map(|(monomial, _)| monomial);
            let (mut outer, mut sizes) = (None, BTreeSet::new());
            if let Stmt::For(l) = stmt {
                outer = Some(factors(l.extent).collect());
                for size in sizes_of(stmt) {
                    sizes.extend(factors(size));
                }
            }
            nodes.push(Node { kind: self.kind(stmt), before, outer, sizes, done: false });
        }
        nodes
    }

    /// The first unscheduled statement of the device that a later one needs, or itself.
    fn ready_from(&self, nodes: &[Node], at: usize) -> usize {
        let mut found = at;
        while let Some(earlier) = device_before(nodes, found) {
            found = earlier;
        }
        found
    }

    /// Schedules the statements of the host that another needs.
    fn pull<'s>(&self, stmts: &'s [Stmt], nodes: &mut [Node], at: usize, units: &mut Vec<Unit<'s>>) {
        let before: Vec<usize> = nodes.get(at).map(|n| n.before.iter().copied().collect()).unwrap_or_default();
        for k in before {
            if nodes.get(k).is_none_or(|n| n.done) {
                continue;
            }
            self.pull(stmts, nodes, k, units);
            if let (Some(node), Some(stmt)) = (nodes.get_mut(k), stmts.get(k))
                && !node.done
            {
                node.done = true;
                units.push(Unit::One(stmt));
            }
        }
    }

    /// Releases memory that is no longer used.
    fn release<'s>(&self, stmts: &'s [Stmt], nodes: &mut [Node], units: &mut Vec<Unit<'s>>) {
        for k in 0..nodes.len() {
            let ready = nodes.get(k).is_some_and(|n| {
                let before = n.before.iter().all(|&p| nodes.get(p).is_none_or(|n| n.done));
                n.kind == UnitKind::Release && !n.done && before
            });
            if ready && let (Some(node), Some(stmt)) = (nodes.get_mut(k), stmts.get(k)) {
                node.done = true;
                units.push(Unit::One(stmt));
            }
        }
    }

    /// Everything that can run together with a statement.
    fn run<'s>(&self, stmts: &'s [Stmt], nodes: &mut [Node], start: usize, units: &mut Vec<Unit<'s>>) -> Unit<'s> {
        let mut run = vec![start];
        let mut outer = nodes.get(start).and_then(|n| n.outer.clone());
        let mut sizes = nodes.get(start).map(|n| n.sizes.clone()).unwrap_or_default();
        let mut again = true;
        while again {
            again = false;
            for k in 0..nodes.len() {
                let Some(node) = nodes.get(k) else { break };
                if node.done || run.contains(&k) || !matches!(node.kind, UnitKind::Scalars | UnitKind::Nest) {
                    continue;
                }
                let alike = node.kind == UnitKind::Scalars
                    || outer.is_none()
                    || (node.outer == outer || node.outer.as_ref().is_some_and(Vec::is_empty))
                        && node.sizes.is_subset(&sizes);
                if !alike || !self.can_join(nodes, k, &run) {
                    continue;
                }
                if node.kind == UnitKind::Nest && sizes.is_empty() {
                    if outer.as_ref().is_none_or(Vec::is_empty) {
                        outer.clone_from(&node.outer);
                    }
                    sizes.extend(node.sizes.iter().copied());
                }
                self.pull_for(stmts, nodes, k, &run, units);
                run.push(k);
                again = true;
            }
        }
        run.sort_unstable();
        for &k in &run {
            if let Some(node) = nodes.get_mut(k) {
                node.done = true;
            }
        }
        Unit::Run(run.into_iter().filter_map(|k| stmts.get(k)).collect())
    }

    /// Whether all dependencies of a statement are scheduled, in the run, or the host's and independent of the run.
    fn can_join(&self, nodes: &[Node], at: usize, run: &[usize]) -> bool {
        let before = nodes.get(at).map(|n| &n.before);
        before.is_some_and(|before| before.iter().all(|&p| run.contains(&p) || is_free(nodes, p)))
    }

    fn pull_for<'s>(&self, stmts: &'s [Stmt], nodes: &mut [Node], at: usize, run: &[usize], units: &mut Vec<Unit<'s>>) {
        let before: Vec<usize> = nodes.get(at).map(|n| n.before.iter().copied().collect()).unwrap_or_default();
        for k in before.into_iter().filter(|k| !run.contains(k)) {
            if nodes.get(k).is_none_or(|n| n.done) {
                continue;
            }
            self.pull(stmts, nodes, k, units);
            if let (Some(node), Some(stmt)) = (nodes.get_mut(k), stmts.get(k))
                && !node.done
            {
                node.done = true;
                units.push(Unit::One(stmt));
            }
        }
    }
}

/// The last reader and the last writer.
#[derive(Default)]
struct Touched {
    written: Option<usize>,
    read: Vec<usize>,
}

impl Touched {
    fn read(&mut self, at: usize, before: &mut BTreeSet<usize>) {
        before.extend(self.written.filter(|&w| w != at));
        if self.read.last() != Some(&at) {
            self.read.push(at);
        }
    }

    fn write(&mut self, at: usize, before: &mut BTreeSet<usize>) {
        before.extend(self.written.filter(|&w| w != at));
        before.extend(self.read.drain(..).filter(|&r| r != at));
        self.written = Some(at);
    }
}

fn is_device(kind: UnitKind) -> bool {
    matches!(kind, UnitKind::Scalars | UnitKind::Nest | UnitKind::Opaque)
}

/// An unscheduled statement of the device that another depends on.
fn device_before(nodes: &[Node], at: usize) -> Option<usize> {
    let node = nodes.get(at)?;
    for &k in &node.before {
        let Some(earlier) = nodes.get(k).filter(|n| !n.done) else { continue };
        if is_device(earlier.kind) {
            return Some(k);
        }
        if let Some(found) = device_before(nodes, k) {
            return Some(found);
        }
    }
    None
}

/// Whether a statement is scheduled, or the host can run it now.
fn is_free(nodes: &[Node], at: usize) -> bool {
    nodes.get(at).is_some_and(|n| n.done || !is_device(n.kind) && device_before(nodes, at).is_none())
}

/// The extents of the loops of a statement.
fn sizes_of(stmt: &Stmt) -> Vec<Operand> {
    let mut found = Vec::new();
    if let Stmt::For(l) = stmt {
        found.push(l.extent);
    }
    for block in stmt.chunked_blocks() {
        found.extend(block.iter().flat_map(sizes_of));
    }
    if matches!(stmt, Stmt::While(_)) {
        found.push(Operand::int(1));
    }
    found
}

/// The extents of loops on the way to every innermost one; `None` if the host does not know one of them.
pub(crate) fn paths(l: &For, known: &dyn Fn(Operand) -> bool) -> Option<Vec<Vec<Operand>>> {
    let mut all = Vec::new();
    inner_paths(&l.body, &mut vec![l.extent], known, &mut all).then_some(all).filter(|_| known(l.extent))
}

fn inner_paths(
    stmts: &[Stmt],
    path: &mut Vec<Operand>,
    known: &dyn Fn(Operand) -> bool,
    all: &mut Vec<Vec<Operand>>,
) -> bool {
    let mut fine = true;
    let mut deepest = true;
    for stmt in stmts {
        match stmt {
            Stmt::While(_) => fine = false,
            Stmt::For(l) => {
                deepest = false;
                fine &= known(l.extent);
                path.push(l.extent);
                fine &= inner_paths(&l.body, path, known, all);
                path.pop();
            }
            Stmt::If { then_body, else_body, .. } => {
                fine &= inner_paths(then_body, path, known, all) && inner_paths(else_body, path, known, all);
            }
            _ => {}
        }
    }
    if deepest && !all.contains(path) {
        all.push(path.clone());
    }
    fine
}
