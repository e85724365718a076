//! Which integers of 64 bits are known to fit a device that has 32.
//!
//! Every local gets the numbers that it may be, from those of sizes, indices and constants; what is read from arrays may be
//! anything that fits. An operator whose result is not known to fit is *checked*: the kernel finds out, and stops the program.
//! What is nothing but a part of an address is neither: additions and products of 32 bits that wrap give the right place,
//! since that is inside of a buffer, and buffers have fewer elements than 32 bits count.
//!
//! The host computes with 64 bits, and refuses what does not fit where a kernel is given it.
//!
//! The least and the greatest number of 64 bits, with which searches for extremes begin, are held as those of 32 bits:
//! comparing, choosing and moving them is exact, anything else stops the program.

use crate::plan::Placement;
use crate::program::{LARGEST, narrowed_constant};
use crate::walk::{Use, blocks, own_uses, statements};
use arr_ir::{Const, Prim, Scalar, TypeRule};
use arr_loops::{Expr, For, Induction, LocalId, LoopFunc, Operand, Stmt, Ty};
use std::collections::{HashMap, HashSet};

/// Numbers from `low` to `high`, none if that is empty, and perhaps the extremes of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    low: i128,
    high: i128,
    extreme: bool,
}

impl Range {
    const FITS: Range = Range { low: -(LARGEST as i128), high: LARGEST as i128, extreme: false };
    const WIDE: Range = Range { low: i64::MIN as i128, high: i64::MAX as i128, extreme: false };
    const NONE: Range = Range { low: 1, high: 0, extreme: false };

    fn new(low: i128, high: i128) -> Range {
        Range { low, high, extreme: false }
    }

    fn constant(value: i64) -> Range {
        match value {
            i64::MIN | i64::MAX => Range { extreme: true, ..Range::NONE },
            _ => Range::new(value.into(), value.into()),
        }
    }

    fn is_empty(self) -> bool {
        self.low > self.high
    }

    fn fits(self) -> bool {
        self.is_empty() || Range::FITS.low <= self.low && self.high <= Range::FITS.high
    }

    fn join(self, other: Range) -> Range {
        let extreme = self.extreme || other.extreme;
        match (self.is_empty(), other.is_empty()) {
            (true, _) => Range { extreme, ..other },
            (_, true) => Range { extreme, ..self },
            _ => Range { low: self.low.min(other.low), high: self.high.max(other.high), extreme },
        }
    }

    /// What it is where 64 bits wrap.
    fn wrapped(self) -> Range {
        let inside = self.is_empty() || Range::WIDE.low <= self.low && self.high <= Range::WIDE.high;
        if inside { self } else { Range { extreme: self.extreme, ..Range::WIDE } }
    }

    /// What is left of it after a check.
    fn checked(self) -> Range {
        if self.is_empty() {
            return self;
        }
        let (low, high) = (self.low.max(Range::FITS.low), self.high.min(Range::FITS.high));
        if low > high { Range { extreme: self.extreme, ..Range::FITS } } else { Range { low, high, ..self } }
    }

    /// The results of a function that is monotone in each of two operands.
    fn corners(a: Range, b: Range, of: impl Fn(i128, i128) -> i128) -> Range {
        if a.is_empty() || b.is_empty() {
            return Range::NONE;
        }
        let all = [of(a.low, b.low), of(a.low, b.high), of(a.high, b.low), of(a.high, b.high)];
        let [first, rest @ ..] = all;
        Range::new(rest.iter().fold(first, |m, &x| m.min(x)), rest.iter().fold(first, |m, &x| m.max(x)))
    }
}

/// What integers may be in kernels whose `i64` has 32 bits. Empty where it has 64.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ranges {
    known: HashMap<LocalId, Range>,
    /// Of operators and of inductions: whose results may not fit.
    checked: HashSet<LocalId>,
    /// Parts of addresses.
    places: HashSet<LocalId>,
    /// What is wanted only where conditions have these values.
    wanted: HashMap<LocalId, Conditions>,
    narrow: bool,
}

/// Scalars, and what they must be.
type Conditions = Vec<(LocalId, bool)>;

/// So many times bounds may grow before they are taken to be anything.
const ROUNDS: usize = 4;

impl Ranges {
    /// Those of a function with this body.
    pub fn find(func: &LoopFunc, body: &[Stmt], placement: &Placement) -> Ranges {
        let mut finder = Finder { func, placement, known: HashMap::new(), stored: false, grown: false, widen: false };
        for &size in &func.sizes {
            finder.learn(size, Range::new(0, i64::MAX.into()));
        }
        for param in &func.params {
            finder.learn(param.local, Range::WIDE);
        }
        let mut rounds = 0;
        loop {
            (finder.grown, finder.widen) = (false, rounds >= ROUNDS);
            statements(body, &mut |stmt| finder.stmt(stmt));
            rounds += 1;
            if !finder.grown {
                break;
            }
        }
        let places = places(func, body);
        let mut checked = HashSet::new();
        statements(body, &mut |stmt| {
            // What the host does elsewhere may be a part of a kernel that is a whole loop.
            finder.results(stmt, true, &mut |local, range| {
                if !range.fits() && !places.contains(&local) {
                    checked.insert(local);
                }
            });
        });
        Ranges { known: finder.known, checked, places, wanted: wanted(func, body), narrow: true }
    }

    /// The conditions without which nobody wants a local: branches that are cheap are done without being chosen.
    pub fn wanted(&self, local: LocalId) -> &[(LocalId, bool)] {
        self.wanted.get(&local).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the result that a `let` or an induction binds may not fit.
    pub fn is_checked(&self, local: LocalId) -> bool {
        self.checked.contains(&local)
    }

    /// Whether a local is a part of an address, and nothing else: it may wrap.
    pub fn is_place(&self, local: LocalId) -> bool {
        self.places.contains(&local)
    }

    /// Whether an operand may be an extreme of 64 bits.
    pub fn may_be_extreme(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(c) => self.narrow && matches!(c, Const::I64(i64::MIN | i64::MAX)),
            Operand::Local(local) => self.known.get(&local).is_some_and(|range| range.extreme),
        }
    }

    /// Whether an operand is a constant that does not fit.
    pub fn is_unfit(&self, operand: Operand) -> bool {
        self.narrow && matches!(operand, Operand::Const(Const::I64(i)) if narrowed_constant(i).is_none())
    }

    /// Whether a statement, without the blocks inside it, can stop the program because of an integer.
    pub fn may_stop(&self, stmt: &Stmt) -> bool {
        if !self.narrow {
            return false;
        }
        match stmt {
            Stmt::Let { local, expr: Expr::Prim(prim, args) } => {
                let unfit = !self.is_place(*local) && args.iter().any(|&a| self.is_unfit(a));
                unfit || self.is_checked(*local) || !moves(*prim) && args.iter().any(|&a| self.may_be_extreme(a))
            }
            Stmt::Let { expr: Expr::Copy(a), .. } | Stmt::Var { init: Some(a), .. } => self.is_unfit(*a),
            Stmt::Set { value, .. } | Stmt::Store { value, .. } => self.is_unfit(*value),
            Stmt::Check { args, .. } => args.iter().any(|&a| self.is_unfit(a)),
            Stmt::For(l) => {
                self.is_unfit(l.extent)
                    || self.may_be_extreme(l.extent)
                    || l.inductions.iter().any(|i| self.is_checked(i.local))
            }
            _ => false,
        }
    }
}

/// Whether an operator only compares, chooses and moves integers, so that the extremes are as good as others.
pub(crate) fn moves(prim: Prim) -> bool {
    matches!(prim, Prim::Min | Prim::Max | Prim::Select | Prim::ToI64 | Prim::ToBool)
        || prim.rule() == TypeRule::Compare
}

/// Whether arithmetic that wraps gives the right result of this if operands that have wrapped are right.
fn wraps(prim: Prim) -> bool {
    matches!(prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg)
}

struct Finder<'f> {
    func: &'f LoopFunc,
    placement: &'f Placement,
    known: HashMap<LocalId, Range>,
    /// Whether an extreme may be in an array.
    stored: bool,
    grown: bool,
    /// Whether bounds that still grow are given up.
    widen: bool,
}

impl Finder<'_> {
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

    /// An operand of what is done by the host or by a kernel.
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
        // A kernel stops where an extent is an extreme.
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

    /// What a statement binds by computing, and the results as 64 bits have them. In a kernel all operands fit.
    fn results(&self, stmt: &Stmt, kernel: bool, found: &mut dyn FnMut(LocalId, Range)) {
        match stmt {
            Stmt::Let { local, expr } if self.func.ty(*local) == Ty::Scalar(Scalar::I64) => {
                let device = kernel || self.placement.is_computed(*local);
                let range = match expr {
                    Expr::Prim(prim, args) => self.prim(*prim, args, device),
                    Expr::Copy(a) => self.range(*a, device),
                    Expr::Load(..) => Range { extreme: self.stored, ..Range::FITS },
                    Expr::Data(_) | Expr::Offset(..) | Expr::Literal(_) => Range::NONE,
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

fn extremum(a: Range, b: Range, of: fn(i128, i128) -> i128) -> Range {
    if a.extreme || b.extreme {
        return a.join(b);
    }
    if a.is_empty() || b.is_empty() {
        return Range::NONE;
    }
    Range::new(of(a.low, b.low), of(a.high, b.high))
}

/// The integers that are parts of addresses, and nothing else.
fn places(func: &LoopFunc, body: &[Stmt]) -> HashSet<LocalId> {
    // Who is used for what, by binder: `None` is another use.
    let mut uses: HashMap<LocalId, Vec<Option<LocalId>>> = HashMap::new();
    let mut bound: HashSet<LocalId> = HashSet::new();
    let other = |operand: Operand, uses: &mut HashMap<LocalId, Vec<Option<LocalId>>>, by: Option<LocalId>| {
        if let Operand::Local(local) = operand {
            uses.entry(local).or_default().push(by);
        }
    };
    statements(body, &mut |stmt| match stmt {
        Stmt::Let { local, expr } => {
            let scalar = func.ty(*local) == Ty::Scalar(Scalar::I64);
            match expr {
                Expr::Prim(prim, args) if scalar && wraps(*prim) => {
                    bound.insert(*local);
                    args.iter().for_each(|&a| other(a, &mut uses, Some(*local)));
                }
                Expr::Prim(_, args) => args.iter().for_each(|&a| other(a, &mut uses, None)),
                Expr::Copy(a) if scalar => {
                    bound.insert(*local);
                    other(*a, &mut uses, Some(*local));
                }
                Expr::Copy(a) => other(*a, &mut uses, None),
                // The place in a buffer.
                Expr::Offset(..) | Expr::Load(..) | Expr::Data(_) | Expr::Literal(_) => {}
            }
        }
        Stmt::Store { value, .. } => other(*value, &mut uses, None),
        Stmt::For(l) => {
            for induction in &l.inductions {
                bound.insert(induction.local);
                other(l.index.into(), &mut uses, Some(induction.local));
                other(induction.step, &mut uses, Some(induction.local));
            }
            other(l.extent, &mut uses, None);
            for state in l.scan.iter().flat_map(|s| &s.states) {
                other(state.next, &mut uses, None);
            }
            l.scan.iter().filter_map(|s| s.sound).for_each(|o| other(o, &mut uses, None));
        }
        stmt => own_uses(stmt, &mut |used| {
            if let Use::Read(local) = used {
                uses.entry(local).or_default().push(None);
            }
        }),
    });
    for output in &func.outputs {
        output.dims.iter().chain([&output.value]).for_each(|&o| other(o, &mut uses, None));
    }
    let mut places = bound;
    loop {
        let before = places.len();
        let exact: Vec<LocalId> = places
            .iter()
            .copied()
            .filter(|local| {
                let used = uses.get(local).map(Vec::as_slice).unwrap_or_default();
                used.iter().any(|by| by.is_none_or(|by| !places.contains(&by)))
            })
            .collect();
        exact.iter().for_each(|local| {
            places.remove(local);
        });
        if places.len() == before {
            return places;
        }
    }
}

/// The conditions that hold wherever a local is used, in itself or through operators, of those that are bound before it:
/// branches that it is used in, and operands of `select`.
fn wanted(func: &LoopFunc, body: &[Stmt]) -> HashMap<LocalId, Conditions> {
    let mut readers =
        Readers { func, path: Vec::new(), bound: Vec::new(), order: HashMap::new(), uses: HashMap::new() };
    readers.block(body);
    let Readers { bound, order, mut uses, .. } = readers;
    let mut wanted: HashMap<LocalId, Conditions> = HashMap::new();
    // Who uses a local stands after it.
    for (local, around) in bound.into_iter().rev() {
        let mut common: Option<Conditions> = None;
        for (mut conditions, by) in uses.remove(&local).unwrap_or_default() {
            conditions.extend(by.and_then(|by| wanted.get(&by)).into_iter().flatten());
            match &mut common {
                Some(common) => common.retain(|condition| conditions.contains(condition)),
                None => common = Some(conditions),
            }
        }
        let mut conditions = common.unwrap_or_default();
        conditions.retain(|condition| order.get(&condition.0) < order.get(&local) && !around.contains(condition));
        if !conditions.is_empty() {
            wanted.insert(local, conditions);
        }
    }
    wanted
}

/// Who reads the locals that statements bind, and under which conditions.
struct Readers<'f> {
    func: &'f LoopFunc,
    path: Conditions,
    /// With the conditions around them.
    bound: Vec<(LocalId, Conditions)>,
    order: HashMap<LocalId, usize>,
    uses: HashMap<LocalId, Vec<(Conditions, Option<LocalId>)>>,
}

impl Readers<'_> {
    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
            match stmt {
                Stmt::If { cond: Operand::Local(cond), then_body, else_body } if !self.func.locals[*cond].mutable => {
                    for (block, value) in [(then_body, true), (else_body, false)] {
                        self.path.push((*cond, value));
                        self.block(block);
                        self.path.pop();
                    }
                }
                _ => blocks(stmt).into_iter().for_each(|block| self.block(block)),
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Let { local, expr: Expr::Prim(prim, args) } = stmt {
            for (k, &arg) in args.iter().enumerate() {
                let mut conditions = self.path.clone();
                if let (Prim::Select, [Operand::Local(cond), ..], 1 | 2) = (prim, args.as_slice(), k)
                    && !self.func.locals[*cond].mutable
                {
                    conditions.push((*cond, k == 1));
                }
                if let Operand::Local(arg) = arg {
                    self.uses.entry(arg).or_default().push((conditions, Some(*local)));
                }
            }
            self.order.insert(*local, self.order.len());
            self.bound.push((*local, self.path.clone()));
            return;
        }
        own_uses(stmt, &mut |used| match used {
            Use::Read(local) => self.uses.entry(local).or_default().push((self.path.clone(), None)),
            Use::Bind(local) => {
                let at = self.order.len();
                self.order.entry(local).or_insert(at);
            }
            Use::Set(_) => {}
        });
    }
}
