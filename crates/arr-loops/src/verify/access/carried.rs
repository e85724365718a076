//! Loop invariants: which facts about changing values hold in every iteration.

use super::Walk;
use super::arrays::{Contents, forget};
use crate::{LocalId, Stmt, Ty, for_each_stmt};
use arr_ir::bounds::Elements;
use arr_ir::{Func, Poly, Scalar, VarId};

/// How often a guess about carried values is corrected before the unstable ones are given up.
const MAX_GUESSES: usize = 2;

/// A loop, by its first statement and the numbers of variables and arrays before it: where these are the same, they are
/// the same variables and arrays.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LoopAt {
    first: Option<*const Stmt>,
    variables: usize,
    arrays: usize,
}

/// The facts assumed at the beginning of an iteration.
#[derive(Clone, PartialEq)]
pub(super) struct Guess {
    /// Arrays that are replaced.
    replaced: Vec<(LocalId, Option<Poly>, Contents)>,
    /// Arrays that are changed.
    changed: Vec<(usize, Contents)>,
    /// Integers that are changed.
    integers: Vec<(LocalId, Elements)>,
}

impl Guess {
    /// Drops the facts that another guess contradicts.
    fn give_up(&mut self, other: &Guess) {
        for ((_, _, own), (_, _, other)) in self.replaced.iter_mut().zip(&other.replaced) {
            if own != other {
                *own = Contents::Unknown;
            }
        }
        for ((_, own), (_, other)) in self.changed.iter_mut().zip(&other.changed) {
            if own != other {
                *own = Contents::Unknown;
            }
        }
        for ((_, own), (_, other)) in self.integers.iter_mut().zip(&other.integers) {
            if own != other {
                *own = Elements::default();
            }
        }
    }
}

impl<'a> Walk<'a> {
    /// Walks the body of a loop once for all iterations.
    pub(super) fn repeated(&mut self, blocks: &[&[Stmt]], work: &mut dyn FnMut(&mut Walk<'a>, &[LocalId])) {
        let set = set_in(blocks);
        let known = |local: &&LocalId| {
            matches!(self.loops.ty(**local), Ty::Buffer(_)) && self.names.buffers.contains_key(*local)
        };
        let buffers: Vec<LocalId> = set.iter().filter(known).copied().collect();
        let changed = self.stored_in(blocks);
        let integer = |local: &&LocalId| self.loops.ty(**local) == Ty::Scalar(Scalar::I64);
        let integers: Vec<LocalId> = set.iter().filter(integer).copied().collect();
        let mut guess = self.guess(&buffers, &changed, &integers);
        // What is guessed about nothing holds, and needs no trial.
        if buffers.is_empty() && changed.is_empty() && integers.is_empty() {
            self.begin(&set, &guess);
            work(self, &integers);
            self.begin(&set, &guess);
            return;
        }
        // A loop inside of others is walked once for each guess of theirs. As these only get weaker, what held when it was
        // walked last holds again in most cases: to begin with the entry each time took a number of walks that is
        // exponential in the depth.
        let at = self.loop_at(blocks);
        if let Some(known) = self.invariants.borrow().get(&at) {
            guess = self.joined(&guess, known);
        }
        let broken = self.func.broken.len();
        for turn in 0.. {
            let mut trial = self.trial();
            trial.begin(&set, &guess);
            let heads: Vec<VarId> =
                integers.iter().filter_map(|local| trial.names.scalars.get(local)).copied().collect();
            trial.heads.extend(heads);
            work(&mut trial, &integers);
            let mut after = trial.guess(&buffers, &changed, &[]);
            after.integers = integers.iter().copied().zip(std::mem::take(&mut trial.ended)).collect();
            let mut joined = self.joined(&guess, &after);
            if joined == guess {
                trial.begin(&set, &guess);
                *self = trial;
                self.invariants.borrow_mut().insert(at, guess);
                return;
            }
            if turn >= MAX_GUESSES {
                joined.give_up(&guess);
            }
            guess = joined;
            self.func = trial.func;
            self.func.vars.truncate(at.variables);
            self.func.broken.truncate(broken);
        }
    }

    /// A copy to try a guess on, which has the variables: they come back with its end.
    fn trial(&mut self) -> Walk<'a> {
        let func = std::mem::replace(&mut self.func, Func::new(""));
        let trial = self.clone();
        Walk { func, ..trial }
    }

    fn loop_at(&self, blocks: &[&[Stmt]]) -> LoopAt {
        let first = blocks.iter().find_map(|block| block.first()).map(std::ptr::from_ref);
        LoopAt { first, variables: self.func.vars.len(), arrays: self.arrays.len() }
    }

    fn guess(&mut self, buffers: &[LocalId], changed: &[usize], integers: &[LocalId]) -> Guess {
        // All facts of this point come from outside the loop.
        self.bounds.enter();
        let integers = integers.iter().map(|&local| (local, self.limits(local))).collect();
        self.bounds.leave();
        let of = |&local: &LocalId| {
            let array = self.names.buffers.get(&local).and_then(|&a| self.arrays.get(a));
            let (count, contents) = array.map_or((None, Contents::Unknown), |a| (a.count.clone(), a.contents.clone()));
            (local, count, contents)
        };
        Guess {
            replaced: buffers.iter().map(of).collect(),
            changed: changed.iter().map(|&a| (a, self.arrays[a].contents.clone())).collect(),
            integers,
        }
    }

    fn joined(&self, a: &Guess, b: &Guess) -> Guess {
        let replaced =
            a.replaced.iter().zip(&b.replaced).map(|((local, n, x), (_, m, y))| {
                (*local, n.clone().filter(|n| m.as_ref() == Some(n)), self.either(x, y))
            });
        let changed = a.changed.iter().zip(&b.changed).map(|((array, x), (_, y))| (*array, self.either(x, y)));
        let integers =
            a.integers.iter().zip(&b.integers).map(|((local, x), (_, y))| (*local, self.bounds.either(x, y)));
        Guess { replaced: replaced.collect(), changed: changed.collect(), integers: integers.collect() }
    }

    /// Leaves the scope of an iteration, and records its effect on changing integers. That is no fact outside: there
    /// may have been no iteration.
    pub(super) fn end(&mut self, integers: &[LocalId]) {
        let mut ended: Vec<Elements> = integers.iter().map(|&local| self.limits(local)).collect();
        self.leave();
        // The next iteration begins with other values.
        ended.iter_mut().for_each(|elements| elements.forget(&self.heads));
        let heads = &self.heads;
        forget(&mut self.arrays, |elements| elements.mention(heads), |elements| elements.forget(heads));
        self.ended = ended;
        integers.iter().for_each(|&local| self.forget(local));
    }

    /// The beginning of any iteration.
    fn begin(&mut self, set: &[LocalId], guess: &Guess) {
        for &local in set {
            if !matches!(self.loops.ty(local), Ty::Buffer(_)) {
                self.forget(local);
            }
        }
        for (local, limits) in &guess.integers {
            let var = self.fresh(*local);
            self.bounds.lies_within(var, limits);
        }
        for (array, known) in &guess.changed {
            self.changed(*array, known.clone());
        }
        for (local, count, known) in &guess.replaced {
            self.new_array(*local, count.clone(), Contents::Nothing);
            self.changed(self.arrays.len() - 1, known.clone());
        }
    }
}

/// The locals that statements change, each once.
pub(super) fn set_in(blocks: &[&[Stmt]]) -> Vec<LocalId> {
    let mut set: Vec<LocalId> = Vec::new();
    for block in blocks {
        for_each_stmt(block, &mut |stmt| set.extend(stmt.sets()));
    }
    set.sort_unstable();
    set.dedup();
    set
}
