//! Decides which producers are inlined, without changing the function.

use super::Lanes;
use super::cost::{COPIED, Cost, GUARD_OPS, MAX_CHAIN, MAX_OPS, Reading, SHORT_OPS, are_recomputed, is_recomputed};
use super::proofs::Relying;
use super::survey::{Producer, Site, Survey};
use arr_ir::{Atom, Func, Scalar, VarId};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    Inline,
    Unread,
    Escapes,
    Consumed,
    TooLong,
    SeveralReaders,
    SeveralPlaces,
    Repeated,
    InLoop,
    Product,
    IsProduct,
    IsRowSum,
    MayFail,
    OtherError,
}

impl Decision {
    pub fn text(self) -> &'static str {
        match self {
            Decision::Inline => "inlined into its reader",
            Decision::Unread => "kept: no kernel reads it",
            Decision::Escapes => "kept: it is needed as a whole (returned, carried, reshaped or scattered into)",
            Decision::Consumed => "kept: an array it is made from is updated in place before it is read",
            Decision::TooLong => "kept: the kernel would grow too long",
            Decision::SeveralReaders => "kept: several kernels read it and recomputing it is expensive",
            Decision::SeveralPlaces => "kept: its reader reads it at several places and recomputing it is expensive",
            Decision::Repeated => "kept: its reader would compute elements more than once",
            Decision::InLoop => "kept: it is read in a loop",
            Decision::Product => "kept: a matrix product reads each of its elements many times",
            Decision::IsProduct => "kept: it is a matrix product, and would not be one in its reader",
            Decision::IsRowSum => "kept: it sums rows, and its reader applies a function to many sums at once",
            Decision::MayFail => "kept: computing it can stop the program, and its reader may skip elements",
            Decision::OtherError => {
                "kept: computing it can stop the program, and what stands in front of its reader can, too, or relies on it"
            }
        }
    }
}

/// Facts about an inlined producer, with the producers inlined into it.
#[derive(Clone, Copy)]
struct Inlined {
    cost: Cost,
    /// The position by which it must have been read.
    deadline: usize,
    /// The length of the chain of inlined producers.
    chain: u32,
    fails: bool,
    /// Whether it reads memory.
    memory: bool,
    /// Whether there is a product of matrices in it.
    product: bool,
    /// Whether it sums elements that lie side by side.
    row_sum: bool,
}

/// The decisions for a function, by the first result of the producer.
pub(super) struct Plan {
    decisions: IndexMap<VarId, Decision>,
    /// The producer (by its first result) of each array.
    owner: FxHashMap<VarId, VarId>,
}

impl Plan {
    pub fn new(func: &Func, lanes: Lanes, relying: &Relying) -> Plan {
        Plan::keeping(Survey::of(func, lanes, relying), FxHashSet::default())
    }

    /// A plan that inlines none of the producers in `kept`.
    fn keeping(survey: Survey<'_>, mut kept: FxHashSet<VarId>) -> Plan {
        loop {
            let (decisions, inlined) = decide_all(&survey, &kept);
            let crossing = crossing(&survey, &inlined);
            if crossing.is_empty() {
                return Plan { decisions, owner: survey.owner };
            }
            kept.extend(crossing);
        }
    }

    /// Inlines conditions on indices, and nothing else.
    pub fn of_guards(func: &Func, relying: &Relying) -> Plan {
        let survey = Survey::of(func, Lanes::Points, relying);
        let is_bool = |v: VarId| func.ty(v).elem == Scalar::Bool;
        let others = survey.producers.keys().copied().filter(|&v| !is_bool(v)).collect();
        Plan::keeping(survey, others)
    }

    /// Inlines products, and sums, into the only sum that reads them, and integers where they are read once or recomputed;
    /// nothing else.
    pub fn of_sums(func: &Func, relying: &Relying) -> Plan {
        let survey = Survey::of(func, Lanes::Points, relying);
        let is_summed = |p: &Producer| {
            let [site] = p.sites.as_slice() else { return false };
            p.term && site.single && !site.summed.is_empty()
        };
        let taken = |p: &Producer| is_summed(p) || p.integers;
        let others = survey.producers.iter().filter(|(_, p)| !taken(p)).map(|(&v, _)| v).collect();
        Plan::keeping(survey, others)
    }

    pub fn inlines_any(&self) -> bool {
        self.decisions.values().any(|d| *d == Decision::Inline)
    }

    pub fn decisions(&self) -> impl Iterator<Item = (VarId, &Decision)> {
        self.decisions.iter().map(|(&v, d)| (v, d))
    }

    /// The decision for a producer, by its first result.
    pub fn decision(&self, first: VarId) -> Option<Decision> {
        self.decisions.get(&first).copied()
    }

    pub fn inlines(&self, array: VarId) -> bool {
        self.owner.get(&array).and_then(|p| self.decisions.get(p)) == Some(&Decision::Inline)
    }
}

/// The decisions, and what is known of the producers that are inlined, of which none is in `kept`.
fn decide_all(survey: &Survey<'_>, kept: &FxHashSet<VarId>) -> (IndexMap<VarId, Decision>, FxHashMap<VarId, Inlined>) {
    let mut decisions: IndexMap<VarId, Decision> = IndexMap::new();
    let mut inlined: FxHashMap<VarId, Inlined> = FxHashMap::default();
    for (&first, producer) in &survey.producers {
        let found = with_sources(survey, producer, &inlined);
        let mut decision = decide(producer, found, &survey.ends);
        if decision == Decision::Inline && kept.contains(&first) {
            decision = Decision::OtherError;
        }
        if decision == Decision::Inline {
            inlined.insert(first, Inlined { chain: found.chain + 1, ..found });
        }
        decisions.insert(first, decision);
    }
    (decisions, inlined)
}

/// A producer with those that are inlined into it.
fn with_sources(survey: &Survey<'_>, producer: &Producer, inlined: &FxHashMap<VarId, Inlined>) -> Inlined {
    let Producer { cost, fails, product, row_sum, .. } = *producer;
    let mut found = Inlined { cost, deadline: usize::MAX, chain: 0, fails, memory: false, product, row_sum };
    for source in &producer.sources {
        match survey.owner.get(source).and_then(|p| inlined.get(p)) {
            Some(source) => {
                found.fails |= source.fails;
                found.memory |= source.memory;
                found.product |= source.product;
                found.row_sum |= source.row_sum;
                found.cost.add(source.cost);
                found.deadline = found.deadline.min(source.deadline);
                found.chain = found.chain.max(source.chain);
            }
            None => {
                found.memory = true;
                found.deadline = found.deadline.min(survey.next_consumed(*source, producer.position));
            }
        }
    }
    found
}

/// The inlined producers that can stop the program and would do so behind something else that stands behind them now,
/// and that can, too, as the first error has to stay the first, or that relies on them not to.
fn crossing(survey: &Survey<'_>, inlined: &FxHashMap<VarId, Inlined>) -> Vec<VarId> {
    let moved: Vec<(VarId, &Producer)> = survey
        .producers
        .iter()
        .filter(|(v, _)| inlined.get(*v).is_some_and(|found| found.fails))
        .map(|(&v, p)| (v, p))
        .collect();
    let gone: FxHashSet<usize> = moved.iter().map(|(_, p)| p.position).collect();
    let readers = moved.iter().flat_map(|(_, p)| p.sites.iter().map(|s| s.kernel));
    let failing: BTreeSet<usize> =
        survey.failing.iter().copied().chain(readers).filter(|at| !gone.contains(at)).collect();
    let crosses = |producer: &Producer| {
        let reader = producer.sites.iter().filter(|s| s.every).map(|s| s.kernel).min();
        let at = producer.position;
        let relies = |reader| survey.relying.iter().any(|&r| at < r && r <= reader);
        reader.is_some_and(|reader| failing.range(at..reader).next().is_some() || relies(reader))
    };
    moved.into_iter().filter(|(_, p)| crosses(p)).map(|(v, _)| v).collect()
}

fn decide(producer: &Producer, found: Inlined, ends: &[usize]) -> Decision {
    kept_for_order(producer, found)
        .or_else(|| decide_by_cost(producer, found))
        .unwrap_or_else(|| decide_by_places(producer, found, ends))
}

/// Producers that are not read, or whose code must not run where they are read.
fn kept_for_order(producer: &Producer, found: Inlined) -> Option<Decision> {
    let sites = &producer.sites;
    if producer.escapes {
        return Some(Decision::Escapes);
    }
    if sites.is_empty() {
        return Some(Decision::Unread);
    }
    // A kernel that takes the storage itself comes before the sites in its body.
    if sites.iter().any(|s| s.position >= found.deadline) {
        return Some(Decision::Consumed);
    }
    if found.fails && !sites.iter().any(|s| s.every) {
        return Some(Decision::MayFail);
    }
    (found.chain >= MAX_CHAIN || found.cost.ops > MAX_OPS).then_some(Decision::TooLong)
}

/// Whether the only reader sums what the producer sums.
fn is_sum_of_sums(producer: &Producer) -> bool {
    match producer.sites.as_slice() {
        [one] => !one.summed.is_empty() && one.summed.iter().all(|k| producer.summable.contains(k)),
        _ => false,
    }
}

/// Code that is cheap enough to run again, and code that has to run once per element.
fn decide_by_cost(producer: &Producer, found: Inlined) -> Option<Decision> {
    let Inlined { cost, memory, product, row_sum, .. } = found;
    let sites = &producer.sites;
    // A condition on indices: what it guards is simpler where it is known.
    if producer.condition && !memory && !cost.expensive && cost.ops <= GUARD_OPS {
        return Some(Decision::Inline);
    }
    let reading = |s: &Site| match s {
        Site { product: true, .. } => Reading::Product,
        Site { single: false, nested: true, .. } => Reading::AgainInside,
        _ => Reading::Again,
    };
    if sites.iter().all(|s| is_recomputed(cost, reading(s))) {
        return Some(Decision::Inline);
    }
    if sites.iter().any(|s| s.product) {
        return Some(Decision::Product);
    }
    let sum_of_sums = is_sum_of_sums(producer);
    if product && !sum_of_sums && !sites.iter().all(|s| s.top) {
        return Some(Decision::IsProduct);
    }
    // A sum along a row is one number at the end, and a function of one number takes as long as of a vector.
    if row_sum && !sum_of_sums && sites.iter().any(|s| s.function) {
        return Some(Decision::IsRowSum);
    }
    if sites.iter().any(|s| s.loops > producer.loops) {
        return Some(Decision::InLoop);
    }
    if !sites.iter().all(|s| s.single) {
        return Some(Decision::Repeated);
    }
    is_recomputed(cost, Reading::Once).then_some(Decision::Inline)
}

/// Expensive code that every site runs once per element: are the sites one place?
fn decide_by_places(producer: &Producer, found: Inlined, ends: &[usize]) -> Decision {
    let cost = found.cost;
    let sites = &producer.sites;
    let Some(first) = sites.first() else { return Decision::Unread };
    // Along a short axis one reduction needs every element, and others the chosen one.
    let all = |s: &&Site| !s.chosen;
    let choice = sites.iter().filter(all).count() == 1 && sites.iter().filter(all).all(|s| s.nested && s.every);
    if producer.short && choice && sites.len() <= 3 && !cost.expensive && cost.ops <= SHORT_OPS {
        return Decision::Inline;
    }
    let arrays: FxHashSet<VarId> = sites.iter().map(|s| s.array).collect();
    let places: FxHashSet<(usize, &[Atom])> = sites.iter().map(|s| (s.kernel, s.index.as_slice())).collect();
    if arrays.len() > 1 && are_recomputed(cost, places.len() - 1, arrays.len()) {
        return Decision::Inline;
    }
    // A sum of sums is one sum.
    if is_sum_of_sums(producer) {
        return Decision::Inline;
    }
    // A reduction in a reduction is a chain of dependent additions; separately, its points run side by side.
    if cost.loops && sites.iter().any(|s| s.nested) {
        return Decision::InLoop;
    }
    if sites.iter().any(|s| s.kernel != first.kernel) {
        return Decision::SeveralReaders;
    }
    if sites.iter().any(|s| s.index != first.index) {
        return Decision::SeveralPlaces;
    }
    // The first site's block is that of every other or encloses it, so that the others find the element computed.
    let end = ends.get(first.block).copied().unwrap_or(0);
    if !sites.iter().all(|s| (first.block..end).contains(&s.block)) && (cost.expensive || cost.ops > COPIED) {
        return Decision::SeveralPlaces;
    }
    Decision::Inline
}
