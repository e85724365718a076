//! The parts that a kernel of one workgroup runs one after the other.

use crate::kernel::nest::Nest;
use crate::kernel::reduce::Reduction;
use arr_loops::{For, LocalId, Operand, Partial, Stmt, While};

/// The maximal number of steps of scalar loops that every invocation repeats, instead of one that broadcasts the
/// result.
const REPEATED: i64 = 32;

pub(crate) enum Part<'s> {
    Scalars(Vec<Stmt>),
    Map(Nest<'s>),
    Reduce(Reduction<'s>),
    /// An ordered loop around parts.
    Loop(&'s For, Vec<Part<'s>>),
    /// Its head and its body.
    While(&'s While, Vec<Part<'s>>, Vec<Part<'s>>),
    Branch(Operand, Vec<Part<'s>>, Vec<Part<'s>>),
}

impl<'s> Part<'s> {
    /// The statements of a part that has no parts.
    pub(super) fn statements(&self) -> Vec<Stmt> {
        match self {
            Part::Scalars(stmts) => stmts.clone(),
            Part::Map(nest) => nest.statements(),
            Part::Reduce(reduction) => {
                let mut stmts = reduction.nest.statements();
                stmts.extend(reduction.parallel.combine.iter().cloned());
                stmts
            }
            Part::Loop(..) | Part::While(..) | Part::Branch(..) => Vec::new(),
        }
    }

    pub(super) fn nest(&self) -> Option<&Nest<'s>> {
        match self {
            Part::Map(nest) => Some(nest),
            Part::Reduce(reduction) => Some(&reduction.nest),
            Part::Scalars(_) | Part::Loop(..) | Part::While(..) | Part::Branch(..) => None,
        }
    }

    /// The parts of a part.
    pub(super) fn inner(&self) -> [&[Part<'s>]; 2] {
        match self {
            Part::Scalars(_) | Part::Map(_) | Part::Reduce(_) => [&[], &[]],
            Part::Loop(_, body) => [body, &[]],
            Part::While(_, head, body) => [head, body],
            Part::Branch(_, then_parts, else_parts) => [then_parts, else_parts],
        }
    }

    /// The operands of uniform control flow.
    pub(super) fn control(&self) -> Vec<Operand> {
        match self {
            Part::Scalars(_) | Part::Map(_) | Part::Reduce(_) => Vec::new(),
            Part::Loop(l, _) => l.inductions.iter().map(|i| i.step).chain([l.extent]).collect(),
            Part::While(l, ..) => vec![l.cond],
            Part::Branch(cond, ..) => vec![*cond],
        }
    }

    /// The index of an ordered loop and its inductions.
    pub(super) fn turns(&self) -> Vec<LocalId> {
        match self {
            Part::Loop(l, _) => std::iter::once(l.index).chain(l.inductions.iter().map(|i| i.local)).collect(),
            _ => Vec::new(),
        }
    }

    /// The partial results of a reduction.
    pub(super) fn partials(&self) -> &[Partial] {
        match self {
            Part::Reduce(reduction) => &reduction.parallel.partials,
            _ => &[],
        }
    }

    /// Whether every invocation may repeat it.
    pub(super) fn is_repeatable(&self) -> bool {
        matches!(self, Part::Scalars(stmts) if is_repeatable(stmts))
    }
}

/// Whether every invocation may repeat scalar statements: nothing is written, and loops are short.
pub(crate) fn is_repeatable(stmts: &[Stmt]) -> bool {
    steps(stmts).is_some_and(|steps| steps <= REPEATED)
}

/// The steps of the loops in statements that write only scalars, if they are known.
fn steps(stmts: &[Stmt]) -> Option<i64> {
    let mut all = 0i64;
    for stmt in stmts {
        let own = match stmt {
            Stmt::Store { .. } | Stmt::While(_) => return None,
            Stmt::For(l) => l.extent.as_int()?.max(0).checked_mul(steps(&l.body)?.max(1))?,
            Stmt::If { then_body, else_body, .. } => steps(then_body)?.checked_add(steps(else_body)?)?,
            _ => 0,
        };
        all = all.checked_add(own)?;
    }
    Some(all)
}

/// All parts, including those inside these.
pub(super) fn flat<'p, 's>(parts: &'p [Part<'s>], all: &mut Vec<&'p Part<'s>>) {
    for part in parts {
        all.push(part);
        part.inner().into_iter().for_each(|inner| flat(inner, all));
    }
}

/// Enough invocations for the nests of parts, at least as many as a device runs at once.
pub(super) fn width(parts: &[&Part<'_>], most: u32) -> u32 {
    let mut points = 32i64;
    for nest in parts.iter().filter_map(|part| part.nest()) {
        points = points.max(nest.constant_points().unwrap_or(i64::MAX));
    }
    u32::try_from(points).unwrap_or(most).min(most).checked_next_power_of_two().unwrap_or(most).min(most)
}
