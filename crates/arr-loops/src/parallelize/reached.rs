//! Whether a loop reaches only elements that a nest before it reaches in the same iteration.
//!
//! A loop that cannot fail may rely on the checks of all iterations of the nest before it. Fused with the nest it
//! follows those of one iteration only. So each of its accesses must be one of the nest's, in the same iteration: at
//! the same place of the same array, or of one with the same sizes. Places are the same if they are computed in the
//! same way, from the same elements of arrays that neither of the two writes.

use super::fuse_rows::Flow;
use crate::analysis::alias::AliasInfo;
use crate::{Expr, For, LocalId, LoopFunc, Operand, ParamSize, Stmt};
use arr_ir::{Const, Prim};
use std::collections::{HashMap, HashSet};

/// The structure of a value, for value numbering.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Const(Const),
    /// Bound outside, or not comparable.
    Local(LocalId),
    /// The index of a loop: how many are around it, and its extent.
    Index(usize, usize),
    Prim(Prim, Vec<usize>),
    /// An element of an array, by the parts of its place.
    Element(LocalId, Vec<usize>),
}

/// A place in an array.
type Place = (LocalId, Vec<usize>);

/// The places that loops reach.
#[derive(Default)]
struct Found {
    all: HashSet<Place>,
    /// Those reached before anything can fail.
    safe: HashSet<Place>,
    /// Those reached outside inner loops.
    outer: HashSet<Place>,
    fails: bool,
}

/// Whether `first` reaches everything that `second` reaches; what does not depend on loops inside, before anything can
/// fail.
pub(super) fn covers(
    (func, facts, flow): (&LoopFunc, &AliasInfo, &Flow),
    (first, second): (&For, &For),
    written: &HashSet<LocalId>,
) -> bool {
    let sizes = Sizes::of(func, facts, flow);
    let mut walk = Walk { facts, flow, written, numbers: HashMap::new(), values: HashMap::new() };
    let (mut a, mut b) = (Found::default(), Found::default());
    let known = walk.whole(first, &mut a).is_some() && walk.whole(second, &mut b).is_some();
    let alike = |place: &Place, among: &HashSet<Place>| {
        let (array, parts) = place;
        among.contains(place) || among.iter().any(|(other, p)| p == parts && sizes.same(*array, *other))
    };
    // A value that the first writes is made in the same iteration, not before.
    let made = |place: &Place| written.contains(&place.0);
    known
        && b.all.iter().all(|place| alike(place, &a.all))
        && b.outer.iter().all(|place| made(place) || alike(place, &a.safe))
}

/// The sizes of arrays, where known.
struct Sizes {
    of: HashMap<LocalId, Option<Vec<ParamSize>>>,
}

impl Sizes {
    fn of(func: &LoopFunc, facts: &AliasInfo, flow: &Flow) -> Sizes {
        let mut sizes = Sizes { of: HashMap::new() };
        for param in &func.params {
            sizes.note(flow.find(param.local), Some(param.dims.clone()));
        }
        for (buffer, dims) in &facts.sizes {
            let size = |o: &Operand| {
                Some(match o {
                    Operand::Local(local) => ParamSize::var(*local),
                    Operand::Const(c) => ParamSize::constant(c.as_i64()?),
                })
            };
            sizes.note(flow.find(*buffer), dims.iter().map(size).collect());
        }
        sizes
    }

    fn note(&mut self, array: LocalId, dims: Option<Vec<ParamSize>>) {
        let known = self.of.entry(array).or_insert_with(|| dims.clone());
        if *known != dims {
            *known = None;
        }
    }

    fn same(&self, a: LocalId, b: LocalId) -> bool {
        let of = |array| self.of.get(&array).and_then(Option::as_ref);
        of(a).is_some_and(|dims| of(b) == Some(dims))
    }
}

struct Walk<'a> {
    facts: &'a AliasInfo,
    flow: &'a Flow,
    written: &'a HashSet<LocalId>,
    numbers: HashMap<Form, usize>,
    values: HashMap<LocalId, usize>,
}

impl Walk<'_> {
    fn number(&mut self, form: Form) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(form).or_insert(next)
    }

    fn value(&mut self, operand: Operand) -> usize {
        match operand {
            Operand::Const(c) => self.number(Form::Const(c)),
            Operand::Local(local) => match self.values.get(&local) {
                Some(&known) => known,
                None => self.number(Form::Local(local)),
            },
        }
    }

    fn whole(&mut self, l: &For, found: &mut Found) -> Option<()> {
        let extent = self.value(l.extent);
        self.enter(l, 0, extent);
        self.block(&l.body, 1, found)
    }

    fn enter(&mut self, l: &For, depth: usize, extent: usize) {
        let index = self.number(Form::Index(depth, extent));
        self.values.insert(l.index, index);
        for induction in &l.inductions {
            let step = self.value(induction.step);
            let value = self.number(Form::Prim(Prim::Mul, vec![index, step]));
            self.values.insert(induction.local, value);
        }
    }

    fn block(&mut self, stmts: &[Stmt], depth: usize, found: &mut Found) -> Option<()> {
        for stmt in stmts {
            match stmt {
                Stmt::Let { local, expr } => {
                    let form = match expr {
                        Expr::Prim(prim, args) => Form::Prim(*prim, args.iter().map(|&a| self.value(a)).collect()),
                        Expr::Load(address, offset) => {
                            let place = self.reach(*address, *offset, depth, found)?;
                            if self.written.contains(&place.0) {
                                Form::Local(*local)
                            } else {
                                Form::Element(place.0, place.1)
                            }
                        }
                        // A snapshot of a local that may change is a value of its own.
                        _ => Form::Local(*local),
                    };
                    let number = self.number(form);
                    self.values.insert(*local, number);
                }
                Stmt::Store { address, offset, .. } => drop(self.reach(*address, *offset, depth, found)?),
                Stmt::Check { .. } => found.fails = true,
                Stmt::For(l) => {
                    let extent = self.value(l.extent);
                    self.enter(l, depth, extent);
                    self.block(&l.body, depth + 1, found)?;
                }
                Stmt::Var { .. } | Stmt::Set { .. } => {}
                _ => return None,
            }
        }
        Some(())
    }

    /// Records that a place is reached.
    fn reach(&mut self, address: LocalId, offset: Operand, depth: usize, found: &mut Found) -> Option<Place> {
        let (buffer, mut offsets) = self.facts.place(address)?;
        offsets.push(offset);
        let mut parts: Vec<usize> =
            offsets.into_iter().filter(|o| o.as_int() != Some(0)).map(|o| self.value(o)).collect();
        parts.sort_unstable();
        let place = (self.flow.find(buffer), parts);
        if !found.fails {
            found.safe.insert(place.clone());
        }
        if depth == 1 {
            found.outer.insert(place.clone());
        }
        found.all.insert(place.clone());
        Some(place)
    }
}
