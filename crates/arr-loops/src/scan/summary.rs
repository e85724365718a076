//! The summary of a chunk, and the states after it.

use super::find::Finder;
use super::{Chain, Link, ScanPart, ScanState, ScanStep};
use crate::{LocalId, LocalInfo, Operand, Stmt, Ty};
use arr_ir::{Const, Prim, Scalar};
use std::collections::HashSet;

/// Summaries of more statements are not made: they would cost as much as the loop.
pub(super) const LONGEST: usize = 40;

/// From this many cycles of dependent operations on, a chain with its tests is shorter.
const LONG_WAIT: u32 = 20;

/// The states of a scan, and the use of the summary.
#[derive(Default)]
pub(super) struct Made {
    pub(super) states: Vec<ScanState>,
    pub(super) parts: Vec<ScanPart>,
    pub(super) advance: Vec<Stmt>,
    /// Whether all states stay finite; `None` if that does not matter.
    pub(super) sound: Option<Operand>,
    /// The part that says that no step magnifies.
    pub(super) ok: Option<LocalId>,
    /// Whether all steps are sums of floats.
    pub(super) sums: bool,
    /// The linear steps of floats.
    pub(super) links: Vec<Link>,
}

impl Made {
    fn part(&mut self, finder: &mut Finder<'_, '_>, local: LocalId, what: &str, init: Const) -> LocalId {
        let name = format!("{}.{what}", finder.scope.func.locals[local].name);
        let part = finder.scope.local(&name, Ty::Scalar(init.scalar()), true);
        self.parts.push(ScanPart { local: part, init });
        part
    }

    fn entry(&mut self, finder: &mut Finder<'_, '_>, local: LocalId) -> LocalId {
        let LocalInfo { name, ty, .. } = finder.scope.func.locals[local].clone();
        finder.scope.local(&format!("{name}.entry"), ty, false)
    }

    fn advance(&mut self, finder: &mut Finder<'_, '_>, prim: Prim, args: &[Operand]) -> Option<Operand> {
        let (result, stmt) = finder.scope.prim(prim, args)?;
        self.advance.extend(stmt);
        Some(result)
    }

    pub(super) fn lattice(
        &mut self,
        finder: &mut Finder<'_, '_>,
        local: LocalId,
        prim: Prim,
        bound: Operand,
    ) -> Option<()> {
        let elem = finder.scope.func.elem(local.into());
        let init = match prim {
            Prim::And => Const::Bool(true),
            Prim::Or => Const::Bool(false),
            _ => crate::lower::extreme(elem, prim == Prim::Max),
        };
        let part = self.part(finder, local, prim.name(), init);
        let value = finder.emit(prim, &[part.into(), bound])?;
        finder.summary.push(Stmt::Set { local: part, value });
        let entry = self.entry(finder, local);
        let next = self.advance(finder, prim, &[entry.into(), part.into()])?;
        self.states.push(ScanState { local, step: ScanStep::By(prim), entry, next });
        self.sums = false;
        Some(())
    }

    pub(super) fn linear(
        &mut self,
        finder: &mut Finder<'_, '_>,
        local: LocalId,
        ratio: Option<Operand>,
        offset: Option<Operand>,
    ) -> Option<()> {
        let elem = finder.scope.func.elem(local.into());
        let float = elem.is_float();
        let first = self.states.is_empty();
        let entry = self.entry(finder, local);
        let mut next = Operand::Local(entry);
        if let Some(ratio) = ratio {
            let part = self.part(finder, local, "ratio", Const::one(elem));
            let mut value = finder.emit(Prim::Mul, &[ratio, part.into()])?;
            if float {
                // The share of the previous state that a chunk keeps soon becomes a subnormal number, and those are
                // slow.
                let size = finder.emit(Prim::Abs, &[part.into()])?;
                let small = finder.emit(Prim::Lt, &[size, real(elem, negligible(elem)).into()])?;
                value = finder.emit(Prim::Select, &[small, Const::zero(elem).into(), value])?;
            }
            finder.summary.push(Stmt::Set { local: part, value });
            next = self.advance(finder, Prim::Mul, &[part.into(), next])?;
            if float {
                self.must_not_magnify(finder, local, ratio)?;
            }
        }
        if let Some(offset) = offset {
            // Minus zero is the neutral element of addition.
            let zero = if float { real(elem, -0.0) } else { Const::zero(elem) };
            let part = self.part(finder, local, "offset", zero);
            let before = match ratio {
                Some(ratio) => finder.emit(Prim::Mul, &[ratio, part.into()])?,
                None => part.into(),
            };
            let value = finder.emit(Prim::Add, &[before, offset])?;
            finder.summary.push(Stmt::Set { local: part, value });
            next = self.advance(finder, Prim::Add, &[next, part.into()])?;
        }
        if float {
            let size = self.advance(finder, Prim::Abs, &[next])?;
            let limit = Operand::Const(real(elem, f64::INFINITY));
            let finite = self.advance(finder, Prim::Lt, &[size, limit])?;
            self.sound = Some(match self.sound {
                Some(others) => self.advance(finder, Prim::And, &[others, finite])?,
                None => finite,
            });
        }
        if let (Some(ratio), Some(offset), true) = (ratio, offset, float) {
            self.links.push(Link { state: local, ratio, offset });
        }
        let step = match (ratio, offset) {
            (None, None) => ScanStep::Same,
            (None, Some(_)) => ScanStep::By(Prim::Add),
            (Some(_), None) => ScanStep::By(Prim::Mul),
            (Some(_), Some(_)) => ScanStep::Linear,
        };
        self.sums = (self.sums || first) && ratio.is_none();
        self.states.push(ScanState { local, step, entry, next });
        Some(())
    }

    fn must_not_magnify(&mut self, finder: &mut Finder<'_, '_>, local: LocalId, ratio: Operand) -> Option<()> {
        let elem = finder.scope.func.elem(ratio);
        let part = match self.ok {
            Some(part) => part,
            None => {
                let part = self.part(finder, local, "sound", Const::Bool(true));
                *self.ok.insert(part)
            }
        };
        let size = finder.emit(Prim::Abs, &[ratio])?;
        let small = finder.emit(Prim::Le, &[size, Const::one(elem).into()])?;
        let value = finder.emit(Prim::And, &[part.into(), small])?;
        finder.summary.push(Stmt::Set { local: part, value });
        Some(())
    }
}

/// The chain of some links, if the operations on the states make it worth while. `summary` computes the inputs of the
/// links.
pub(super) fn chain(links: Vec<Link>, summary: &[Stmt], on_states: impl Iterator<Item = Prim>) -> Option<Chain> {
    let wait: u32 = on_states.map(|prim| prim.cost().latency()).sum();
    if links.is_empty() || wait < LONG_WAIT || summary.iter().any(|stmt| matches!(stmt, Stmt::Check { .. })) {
        return None;
    }
    let is_let = |stmt: &Stmt| matches!(stmt, Stmt::Let { .. });
    let needs =
        links.iter().flat_map(|link| [link.ratio, link.offset].map(|value| Stmt::Set { local: link.state, value }));
    let code = summary.iter().filter(|stmt| is_let(stmt)).cloned().chain(needs).collect();
    let before = used(code).into_iter().filter(is_let).collect();
    Some(Chain { before, links })
}

/// A factor below which nothing is kept of a state: far below what rounding loses of any sum that it is part of.
fn negligible(elem: Scalar) -> f64 {
    if elem == Scalar::F32 { 2f64.powi(-100) } else { 2f64.powi(-960) }
}

fn real(elem: Scalar, value: f64) -> Const {
    if elem == Scalar::F32 { Const::F32(value as f32) } else { Const::F64(value) }
}

/// The statements without the unused ones.
pub(super) fn used(stmts: Vec<Stmt>) -> Vec<Stmt> {
    let mut needed = HashSet::new();
    let mut kept = Vec::new();
    for stmt in stmts.into_iter().rev() {
        let reads = match &stmt {
            Stmt::Let { local, .. } if !needed.contains(local) => continue,
            Stmt::Let { expr, .. } => expr.operands(),
            Stmt::Set { value, .. } => vec![*value],
            Stmt::Check { args, .. } => args.clone(),
            _ => Vec::new(),
        };
        needed.extend(reads.into_iter().filter_map(Operand::as_local));
        kept.push(stmt);
    }
    kept.reverse();
    kept
}
