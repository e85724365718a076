//! What was proved before, and what was not, by the facts known at that point.
//!
//! Whether a derivation is found depends on the polynomial and on the facts alone, in the order in which they were
//! added. The same is asked again and again with the same facts: for several accesses of a point, and whenever a loop is
//! walked once more. A search without success takes the longest, so failures are remembered, too.

use crate::Poly;
use rustc_hash::FxHashMap;

/// The number of answers, and of facts, kept. Beyond it, all are forgotten.
const MAX_ANSWERS: usize = 1 << 17;

/// The known facts, as a number: equal numbers mean that the same facts were added in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Known(u64);

/// The answers given so far, and the facts they were given with.
#[derive(Default, Debug)]
pub(super) struct Answers {
    /// What is known when a fact has been added to what was known.
    with: FxHashMap<(Known, Poly), Known>,
    not_negative: FxHashMap<(Known, Poly), bool>,
    /// The numbers used.
    last: u64,
}

impl Answers {
    /// What is known with one more fact.
    pub(super) fn with(&mut self, known: Known, fact: &Poly) -> Known {
        self.make_room();
        let last = &mut self.last;
        *self.with.entry((known, fact.clone())).or_insert_with(|| {
            *last += 1;
            Known(*last)
        })
    }

    /// Whether a polynomial was proved not to be negative; none if it has not been asked.
    pub(super) fn get(&self, known: Known, poly: &Poly) -> Option<bool> {
        self.not_negative.get(&(known, poly.clone())).copied()
    }

    pub(super) fn put(&mut self, known: Known, poly: &Poly, proved: bool) {
        self.make_room();
        self.not_negative.insert((known, poly.clone()), proved);
    }

    fn make_room(&mut self) {
        if self.not_negative.len() >= MAX_ANSWERS || self.with.len() >= MAX_ANSWERS {
            // Numbers are not used again, so that what is known at open points keeps its own.
            self.not_negative.clear();
            self.with.clear();
        }
    }
}
