//! Which names of arrays are still read behind each statement that makes an array.
//!
//! Backwards through the structured code, loops to a fixed point. A use of an address is one of its array's name;
//! reference counts are no uses, as they do nothing here.

use super::flow::{Flow, is_buffer};
use arr_loops::{LocalId, LoopFunc, Operand, Stmt};
use std::collections::{BTreeMap, BTreeSet};

type Set = BTreeSet<LocalId>;

/// A statement that may make an array: the name that it gets, and for a `set` or `var` the name that is copied.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Maker {
    pub local: LocalId,
    pub from: Option<LocalId>,
}

/// The names that are read behind each maker.
pub(super) fn live(func: &LoopFunc, flow: &Flow) -> BTreeMap<Maker, Set> {
    let mut walk = Walk { func, flow, after: BTreeMap::new() };
    let mut live = Set::new();
    func.outputs.iter().for_each(|output| walk.read(&mut live, output.value));
    walk.block(&mut live, &func.body);
    walk.after
}

struct Walk<'a> {
    func: &'a LoopFunc,
    flow: &'a Flow,
    after: BTreeMap<Maker, Set>,
}

impl Walk<'_> {
    fn read(&self, live: &mut Set, operand: Operand) {
        let Operand::Local(local) = operand else { return };
        if is_buffer(self.func, local) {
            live.insert(local);
        }
        live.extend(self.flow.roots.get(&local));
    }

    fn made(&mut self, live: &mut Set, maker: Maker) {
        live.remove(&maker.local);
        self.after.entry(maker).or_default().extend(live.iter().copied());
    }

    fn block(&mut self, live: &mut Set, stmts: &[Stmt]) {
        stmts.iter().rev().for_each(|stmt| self.stmt(live, stmt));
    }

    fn stmt(&mut self, live: &mut Set, stmt: &Stmt) {
        match stmt {
            Stmt::Retain(_) | Stmt::Release(_) => return,
            Stmt::If { then_body, else_body, .. } => {
                let mut other = live.clone();
                self.block(live, then_body);
                self.block(&mut other, else_body);
                live.extend(other);
            }
            Stmt::For(l) => self.repeated(live, &[&l.body]),
            Stmt::While(l) => self.repeated(live, &[&l.head, &l.body]),
            Stmt::Alloc { local, .. } | Stmt::MakeUnique { local, .. } => {
                self.made(live, Maker { local: *local, from: None });
            }
            Stmt::Var { local, init } if is_buffer(self.func, *local) => match init {
                Some(Operand::Local(from)) => self.made(live, Maker { local: *local, from: Some(*from) }),
                _ => {
                    live.remove(local);
                }
            },
            Stmt::Set { local, value: Operand::Local(from) } if is_buffer(self.func, *local) => {
                self.made(live, Maker { local: *local, from: Some(*from) });
            }
            Stmt::Let { local, .. } => {
                live.remove(local);
            }
            _ => {}
        }
        stmt.reads().into_iter().for_each(|operand| self.read(live, operand));
    }

    /// A loop, whose blocks run one after the other in each iteration.
    fn repeated(&mut self, live: &mut Set, blocks: &[&[Stmt]]) {
        loop {
            let before = live.len();
            let mut entry = live.clone();
            for block in blocks.iter().rev() {
                self.block(&mut entry, block);
                // A `while` may end behind its head.
                entry.extend(live.iter().copied());
            }
            live.extend(entry);
            if live.len() == before {
                return;
            }
        }
    }
}
