//! Rows of arrays that belong to the iterations of a loop.
//!
//! Iteration `i` touches its own row if it accesses `i * length` plus an offset inside a row: an invariant one, the
//! index of a loop as long as the row, or those of several loops that traverse it together, `j * columns + k`.
//!
//! This is where passes over loops ask whether iterations keep apart: [`own_row`] for loops that are fused or divided
//! into blocks, [`disjoint_row`] for iterations on several threads, which does not take it from the range analysis that
//! a row has elements. What is asked elsewhere is something else:
//!
//! - `parallelize/segment_inspector.rs`: segments whose starts are data, compared when the program runs.
//! - `parallelize/reached.rs`: whether two loops reach the same places in one iteration, by value numbers.
//! - `strip_mine/survey.rs`: whether the points of arrays, not iterations, are independent. It asks [`own_row`] about
//!   each loop inside.
//! - `verify/race.rs` decides it once more, without this module, as it checks what passes made of it.
//! - `arr-cpu` (`vectorize/legality.rs`): the distance between the lanes of one access, to choose an instruction.
//! - `arr-wgsl` (`plan/rows.rs`): rows of an array by the sizes of its axes, several of which loops traverse in any
//!   order; iterations of different nests share a row only if the sizes are equal as products.

use super::alias::AliasInfo;
use crate::{Expr, For, LocalId, Operand, Stmt};
use arr_ir::Prim;
use std::collections::HashSet;

/// Consecutive rows: their length, and the offset of the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rows {
    length: Operand,
    from: Vec<Operand>,
}

impl Rows {
    pub fn length(&self) -> Operand {
        self.length
    }

    pub fn from(&self) -> &[Operand] {
        &self.from
    }
}

/// The loops around a statement of the loop in question, which comes first.
pub(crate) type Around<'a> = Vec<&'a For>;

/// The rows, if an offset is in the one that belongs to the iteration of the first loop. With `several`, more than one
/// inner loop may traverse a row. A row that no loop traverses may have no elements, if the access is never made.
pub(crate) fn own_row(facts: &AliasInfo, offsets: &[Operand], around: &Around<'_>, several: bool) -> Option<Rows> {
    let outer = around.first()?;
    Some(row(offsets, around, several.then_some(facts), &|local| binds(outer, local))?.0)
}

/// The rows, if an offset is in the one that belongs to the iteration of the first loop, which binds these locals, and
/// no two iterations have the same: if no inner loop traverses the row, its length is a constant, as one that the
/// program computes may be zero, and then all iterations access one place.
pub(crate) fn disjoint_row(offsets: &[Operand], around: &[&For], bound: &HashSet<LocalId>) -> Option<Rows> {
    let (rows, traversed) = row(offsets, around, None, &|local| bound.contains(&local))?;
    (traversed || rows.length.as_int().is_some_and(|length| length != 0)).then_some(rows)
}

/// The rows, and whether an inner loop traverses one of them, or several together, if the facts that this takes are
/// given; `bound` says what the first loop binds.
fn row(
    offsets: &[Operand],
    around: &[&For],
    several: Option<&AliasInfo>,
    bound: &dyn Fn(LocalId) -> bool,
) -> Option<(Rows, bool)> {
    let (outer, inner) = around.split_first()?;
    let step = |o: &Operand| {
        let induction = outer.inductions.iter().find(|i| Operand::Local(i.local) == *o).map(|i| i.step);
        induction.or((*o == Operand::Local(outer.index)).then_some(Operand::int(1)))
    };
    let mut from: Vec<Operand> = offsets.iter().copied().filter(|o| o.as_int() != Some(0)).collect();
    let at = from.iter().position(|o| step(o).is_some())?;
    let length = step(&from.remove(at))?;
    let whole = from.iter().position(|o| inner.iter().any(|l| Operand::Local(l.index) == *o && l.extent == length));
    if let Some(at) = whole {
        from.remove(at);
    } else if let Some(facts) = several {
        remove_run(facts, &mut from, inner, length);
    }
    let moves = |o: &Operand| matches!(o, Operand::Local(l) if bound(*l));
    (!from.iter().any(moves)).then_some((Rows { length, from }, whole.is_some()))
}

/// Removes the summands with which several loops traverse a row of this length: the innermost goes from element to
/// element, each other one in steps as long as the part that the inner ones traverse.
fn remove_run(facts: &AliasInfo, from: &mut Vec<Operand>, inner: &[&For], length: Operand) {
    let Some(all) = Factors::of(facts, length) else { return };
    let mut span = Factors::default();
    let mut taken: Vec<usize> = Vec::new();
    while span != all {
        let next = from.iter().enumerate().filter(|(at, _)| !taken.contains(at)).find_map(|(at, &o)| {
            let (extent, step) = inner.iter().find_map(|l| run(l, o))?;
            (Factors::of(facts, step)? == span).then_some((at, Factors::of(facts, extent)?))
        });
        let Some((at, extent)) = next else { return };
        taken.push(at);
        span = span.times(extent);
    }
    taken.sort_unstable();
    for at in taken.into_iter().rev() {
        from.remove(at);
    }
}

/// The extent and the step of a loop, if a summand is its index or follows it.
fn run(l: &For, summand: Operand) -> Option<(Operand, Operand)> {
    if summand == Operand::Local(l.index) {
        return Some((l.extent, Operand::int(1)));
    }
    l.inductions.iter().find(|i| summand == Operand::Local(i.local)).map(|i| (l.extent, i.step))
}

/// Products are decomposed to this depth.
const MOST_FACTORS: usize = 8;

/// An integer as a product.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Factors {
    number: i64,
    /// In order.
    locals: Vec<LocalId>,
}

impl Default for Factors {
    fn default() -> Self {
        Factors { number: 1, locals: Vec::new() }
    }
}

impl Factors {
    /// `None` if one of the factors is a constant that is no integer.
    fn of(facts: &AliasInfo, operand: Operand) -> Option<Factors> {
        let mut factors = Factors::default();
        factors.add(facts, operand, MOST_FACTORS)?;
        factors.locals.sort_unstable_by_key(|&l| arr_base::Id::index(l));
        Some(factors)
    }

    fn add(&mut self, facts: &AliasInfo, operand: Operand, depth: usize) -> Option<()> {
        match operand {
            Operand::Const(c) => self.number = self.number.wrapping_mul(c.as_i64()?),
            Operand::Local(local) => match facts.exprs.get(&local) {
                Some(Expr::Prim(Prim::Mul, args)) if depth > 0 => {
                    return args.iter().try_for_each(|&a| self.add(facts, a, depth - 1));
                }
                _ => self.locals.push(local),
            },
        }
        Some(())
    }

    fn times(mut self, other: Factors) -> Factors {
        self.number = self.number.wrapping_mul(other.number);
        self.locals.extend(other.locals);
        self.locals.sort_unstable_by_key(|&l| arr_base::Id::index(l));
        self
    }
}

/// Whether a local is bound in a loop.
fn binds(l: &For, local: LocalId) -> bool {
    fn in_block(stmts: &[Stmt], local: LocalId) -> bool {
        stmts.iter().any(|stmt| match stmt {
            Stmt::Let { local: bound, .. } | Stmt::Var { local: bound, .. } => *bound == local,
            Stmt::For(l) => binds(l, local),
            _ => false,
        })
    }
    l.index == local || l.inductions.iter().any(|i| i.local == local) || in_block(&l.body, local)
}
