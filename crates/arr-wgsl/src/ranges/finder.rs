//! Computes the ranges of integers, from those of sizes, indices and constants.

use super::interval::{Range, extremum};
use crate::plan::Placement;
use arr_ir::{Const, Prim, Scalar};
use arr_loops::{Expr, For, Induction, LocalId, LoopFunc, Operand, Stmt, Ty, for_each_chunked_stmt};
use std::collections::HashMap;

/// The number of times that bounds may grow before they are widened to anything.
const ROUNDS: usize = 4;

/// Computes ranges of locals up to a fixed point.
pub(super) struct Finder<'f> {
    func: &'f LoopFunc,
    placement: &'f Placement,
    pub known: HashMap<LocalId, Range>,
    /// Whether an extreme may be in an array.
    stored: bool,
    grown: bool,
    /// Whether growing bounds are given up.
    widen: bool,
}

impl<'f> Finder<'f> {
    /// The ranges of the locals of a function with this body.
    pub fn of(func: &'f LoopFunc, body: &[Stmt], placement: &'f Placement) -> Self {
        let mut finder = Finder { func, placement, known: HashMap::new(), stored: false, grown: true, widen: false };
        for &size in &func.sizes {
            finder.learn(size, Range::new(0, i64::MAX.into()));
        }
        for param in &func.params {
            finder.learn(param.local, Range::WIDE);
        }
        let mut rounds = 0;
        while std::mem::take(&mut finder.grown) {
            finder.widen = rounds >= ROUNDS;
            for_each_chunked_stmt(body, &mut |stmt| finder.stmt(stmt));
            rounds += 1;
        }
        finder
    }

    fn learn(&mut self, local: LocalId, range: Range) {
        if self.func.ty(local) != Ty::Scalar(Scalar::I64) || range == Range::NONE {
            return;
        }
        let known = self.known.get(&local).copied().unwrap_or(Range::NONE);
        let device = self.placement.is_computed(local);
        let mut joined = known.join(if device { range.checked() } else { range.wrapped() });
        if joined != known {
            if self.widen && !known.is_empty() && (joined.low, joined.high) != (known.low, known.high) {
                let all = if device { Range::FITS } else { Range::WIDE };
                joined = Range { extreme: joined.extreme, ..all };
            }
            self.known.insert(local, joined);
            self.grown = true;
        }
    }

    /// The range of an operand of the host or of a kernel.
    fn range(&self, operand: Operand, device: bool) -> Range {
        match operand {
            Operand::Const(Const::I64(i)) => Range::constant(i),
            Operand::Const(_) => Range::FITS,
            Operand::Local(local) => {
                let known = self.known.get(&local).copied().unwrap_or(Range::NONE);
                if device { known.checked() } else { known }
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let mut found = Vec::new();
        self.results(stmt, false, &mut |local, range| found.push((local, range)));
        match stmt {
            Stmt::Var { local, init: Some(value) } | Stmt::Set { local, value } => {
                found.push((*local, self.range(*value, self.placement.is_computed(*local))));
            }
            Stmt::Store { value, .. } if self.func.elem(*value) == Scalar::I64 && self.range(*value, true).extreme => {
                self.grown |= !self.stored;
                self.stored = true;
            }
            Stmt::For(l) => self.for_loop(l, &mut found),
            _ => {}
        }
        found.into_iter().for_each(|(local, range)| self.learn(local, range));
    }

    fn for_loop(&self, l: &For, found: &mut Vec<(LocalId, Range)>) {
        let device = self.placement.is_computed(l.index);
        let extent = self.range(l.extent, device);
        // A kernel stops if an extent is an extreme.
        let most = if extent.extreme && !device { Range::WIDE.high } else { extent.high };
        if most > 0 {
            found.push((l.index, Range::new(0, most - 1)));
        }
        for partial in l.parallel.iter().flat_map(|p| &p.partials) {
            let init = self.range(partial.init.into(), true);
            found.push((partial.local, init));
            found.push((partial.other, init.join(self.range(partial.local.into(), true))));
        }
        let Some(scan) = &l.scan else { return };
        for state in &scan.states {
            found.push((state.entry, self.range(state.local.into(), true)));
            found.push((state.local, self.range(state.next, true)));
        }
        found.extend(scan.parts.iter().map(|part| (part.local, self.range(part.init.into(), true))));
    }

    /// The bindings of a statement by computation, with their 64-bit results. In a kernel all operands fit.
    pub fn results(&self, stmt: &Stmt, kernel: bool, found: &mut dyn FnMut(LocalId, Range)) {
        match stmt {
            Stmt::Let { local, expr } if self.func.ty(*local) == Ty::Scalar(Scalar::I64) => {
                let device = kernel || self.placement.is_computed(*local);
                let range = match expr {
                    Expr::Prim(prim, args) => self.prim(*prim, args, device),
                    Expr::Copy(a) => self.range(*a, device),
                    Expr::Load(..) => Range { extreme: self.stored, ..Range::FITS },
                    Expr::BaseAddr(_) | Expr::Len(_) | Expr::Offset(..) | Expr::Literal(_) => Range::NONE,
                };
                found(*local, range);
            }
            Stmt::For(l) => {
                for Induction { local, step } in &l.inductions {
                    let device = kernel || self.placement.is_computed(*local);
                    let (index, step) = (self.range(l.index.into(), device), self.range(*step, device));
                    found(*local, Range::corners(index, step, |a, b| a * b));
                }
            }
            _ => {}
        }
    }

    fn prim(&self, prim: Prim, args: &[Operand], device: bool) -> Range {
        if let (Prim::ToI64, [a]) = (prim, args) {
            return match self.func.elem(*a) {
                Scalar::Bool => Range::new(0, 1),
                Scalar::I32 => Range::new(i32::MIN.into(), i32::MAX.into()),
                Scalar::U32 => Range::new(0, u32::MAX.into()),
                Scalar::I64 => self.range(*a, device),
                Scalar::F32 | Scalar::F64 => Range::WIDE,
            };
        }
        let ranges: Vec<Range> = args.iter().map(|&a| self.range(a, device)).collect();
        match (prim, ranges.as_slice()) {
            (Prim::Select, [_, a, b]) => a.join(*b),
            (Prim::Min, [a, b]) => extremum(*a, *b, i128::min),
            (Prim::Max, [a, b]) => extremum(*a, *b, i128::max),
            (_, all) if !device && all.iter().any(|r| r.extreme) => Range::WIDE,
            (_, all) if all.iter().any(|r| r.is_empty()) => Range::NONE,
            (Prim::Add, [a, b]) => Range::new(a.low + b.low, a.high + b.high),
            (Prim::Sub, [a, b]) => Range::new(a.low - b.high, a.high - b.low),
            (Prim::Mul, [a, b]) => Range::corners(*a, *b, |a, b| a * b),
            (Prim::Neg, [a]) => Range::new(-a.high, -a.low),
            (Prim::Abs, [a]) => {
                let least = if a.low > 0 { a.low } else { (-a.high).max(0) };
                Range::new(least, a.high.max(-a.low))
            }
            (Prim::Sign, _) => Range::new(-1, 1),
            // Toward negative infinity. The divisor is not 0.
            (Prim::Div, [a, b]) if b.low > 0 => Range::corners(*a, *b, i128::div_euclid),
            (Prim::Div, [a, _]) => {
                let size = a.high.abs().max(a.low.abs());
                Range::new(-size, size)
            }
            (Prim::Rem, [_, b]) => Range::new((b.low + 1).min(0), (b.high - 1).max(0)),
            (Prim::BitAnd, [a, b]) if a.low >= 0 || b.low >= 0 => {
                let high = [a, b].into_iter().filter(|r| r.low >= 0).map(|r| r.high).min();
                Range::new(0, high.unwrap_or(Range::FITS.high))
            }
            (Prim::BitOr | Prim::BitXor, [a, b]) if a.low >= 0 && b.low >= 0 => {
                let bits = 128 - a.high.max(b.high).leading_zeros();
                Range::new(0, (1i128 << bits.min(64)) - 1)
            }
            (Prim::Shr, [a, _]) => Range::new(a.low.min(0), a.high.max(0)),
            // By constants that keep bits in place.
            (Prim::Shl, [a, n]) if n.low == n.high && (0..32).contains(&n.low) => Range::corners(*a, *n, |a, n| a << n),
            _ => Range::WIDE,
        }
    }
}
