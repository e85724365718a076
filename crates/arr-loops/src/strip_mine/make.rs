//! The loop over blocks of points.

use super::survey::{BlockedLoop, Carried, SUMMED, Updated};
use crate::fresh::Fresh;
use crate::{Expr, For, Induction, LocalId, LoopFunc, Operand, Origin, Parallel, SpanId, Stmt, Ty};
use arr_base::Id;
use arr_ir::{Prim, Scalar};
use std::collections::{HashMap, HashSet};

/// Points of a block: enough to fill the widest vectors a few times, and no more than fit in the nearest cache, with a
/// dozen arrays. Between these limits, such that there are blocks for several threads.
const LEAST: i64 = 32;
const MOST: i64 = 256;
/// The approximate number of blocks between these limits.
const BLOCKS: i64 = 8;

/// The replacement of the loop.
pub(super) fn in_blocks(func: &mut LoopFunc, shape: &BlockedLoop<'_>) -> Vec<Stmt> {
    let mut maker = Maker {
        fresh: Fresh::of(func),
        func,
        renamed: HashMap::new(),
        before: Vec::new(),
        block: Vec::new(),
        step: Vec::new(),
        moving: HashSet::new(),
        shifts: HashMap::new(),
        rebased: HashMap::new(),
        lo: Operand::int(0),
        count: shape.extent,
    };
    maker.arrays(shape);
    let (least, most) = if shape.sums.added.is_empty() { (LEAST, MOST) } else { (SUMMED, SUMMED) };
    let (size, blocks) = maker.division(shape.extent, least, most);
    let outer = maker.open_block(shape.extent, size);
    maker.first_states(shape);
    maker.body(shape);
    maker.finish(shape, outer, size, blocks)
}

struct Maker<'f> {
    func: &'f mut LoopFunc,
    fresh: Fresh,
    /// The present names of addresses.
    renamed: HashMap<LocalId, LocalId>,
    before: Vec<Stmt>,
    /// In the loop over blocks, before the iterations.
    block: Vec<Stmt>,
    /// An iteration.
    step: Vec<Stmt>,
    /// Addresses that are bound in the iteration.
    moving: HashSet<LocalId>,
    /// The first point of the block times a step.
    shifts: HashMap<Operand, Operand>,
    /// Addresses moved to the first point of the block.
    rebased: HashMap<(LocalId, Operand), LocalId>,
    /// The first point of the block, and how many there are.
    lo: Operand,
    count: Operand,
}

/// The locals of the loop over blocks: its index, and the first point.
type Outer = (LocalId, LocalId);

impl Maker<'_> {
    fn local(&mut self, hint: &str, ty: Ty) -> LocalId {
        self.fresh.local(self.func, hint, ty, false)
    }

    fn name(&self, local: LocalId) -> String {
        self.func.locals[local].name.clone()
    }

    fn int(&mut self, hint: &str, prim: Prim, args: [Operand; 2]) -> (Operand, Stmt) {
        let local = self.local(hint, Ty::Scalar(Scalar::I64));
        (local.into(), Stmt::Let { local, expr: Expr::Prim(prim, args.to_vec()) })
    }

    fn int_before(&mut self, hint: &str, prim: Prim, a: Operand, b: i64) -> Operand {
        let (value, stmt) = self.int(hint, prim, [a, Operand::int(b)]);
        self.before.push(stmt);
        value
    }

    fn data(&mut self, buffer: LocalId) -> LocalId {
        let ty = Ty::Address(self.func.ty(buffer).elem());
        let local = self.local(&format!("{}.points", self.name(buffer)), ty);
        self.before.push(Stmt::Let { local, expr: Expr::BaseAddr(buffer) });
        local
    }

    /// Takes the states, and allocates all arrays once.
    fn arrays(&mut self, shape: &BlockedLoop<'_>) {
        let snapshot = |state: LocalId, local: LocalId| Stmt::Let { local, expr: Expr::Copy(state.into()) };
        for &(state, old) in &shape.constant {
            self.before.push(snapshot(state, old));
        }
        for &Updated { state, old, unique, span } in &shape.updated {
            self.before.push(snapshot(state, old));
            self.before.push(Stmt::MakeUnique { local: unique, buffer: old, span });
        }
        for &Carried { state, old, .. } in &shape.carried {
            self.before.push(snapshot(state, old));
        }
        for &(local, span) in &shape.made {
            self.before.push(Stmt::Alloc { local, dims: vec![shape.extent], span });
        }
    }

    /// The size of a block, and the number of blocks.
    fn division(&mut self, extent: Operand, least: i64, most: i64) -> (Operand, Operand) {
        if let Some(n) = extent.as_int() {
            let size = (n.max(0) / (BLOCKS * least) * least + least).clamp(least, most);
            return (Operand::int(size), Operand::int(n.max(0).div_euclid(size) + i64::from(n.max(0) % size > 0)));
        }
        let size = self.int_before("size", Prim::Div, extent, BLOCKS * least);
        let size = self.int_before("size", Prim::Mul, size, least);
        let size = self.int_before("size", Prim::Add, size, least);
        let size = self.int_before("size", Prim::Min, size, most);
        let size = self.int_before("size", Prim::Max, size, least);
        let (last, stmt) = self.int("blocks", Prim::Add, [extent, size]);
        self.before.push(stmt);
        let last = self.int_before("blocks", Prim::Sub, last, 1);
        let (blocks, stmt) = self.int("blocks", Prim::Div, [last, size]);
        self.before.push(stmt);
        (size, blocks)
    }

    fn open_block(&mut self, extent: Operand, size: Operand) -> Outer {
        let index = self.local("block", Ty::Scalar(Scalar::I64));
        let lo = self.local("block.lo", Ty::Scalar(Scalar::I64));
        self.lo = lo.into();
        self.count = match (extent.as_int(), size.as_int()) {
            (Some(n), Some(size)) if n <= size || n % size == 0 => Operand::int(n.min(size)),
            _ => {
                let (rest, stmt) = self.int("rest", Prim::Sub, [extent, self.lo]);
                self.block.push(stmt);
                let (count, stmt) = self.int("count", Prim::Min, [rest, size]);
                self.block.push(stmt);
                count
            }
        };
        (index, lo)
    }

    /// Copies the initial states of the block's points to where they are carried.
    fn first_states(&mut self, shape: &BlockedLoop<'_>) {
        for &Carried { old, new, .. } in &shape.carried {
            let (from, to) = (self.data(old), self.data(new));
            self.renamed.insert(new, to);
            let (from, to) = (self.rebase(from, Operand::int(1)), self.rebase(to, Operand::int(1)));
            let index = self.local("i", Ty::Scalar(Scalar::I64));
            let element = self.local(&format!("{}.first", self.name(old)), Ty::Scalar(self.func.ty(old).elem()));
            let body = vec![
                Stmt::Let { local: element, expr: Expr::Load(from, index.into()) },
                Stmt::Store { address: to, offset: index.into(), value: element.into() },
            ];
            let copy = self.nest(index, Vec::new(), body);
            self.block.push(copy);
        }
    }

    /// A loop over the points of the block.
    fn nest(&self, index: LocalId, inductions: Vec<Induction>, body: Vec<Stmt>) -> Stmt {
        Stmt::For(Box::new(For {
            index,
            extent: self.count,
            reverse: false,
            inductions,
            origin: Origin::Kernel,
            parallel: None,
            scan: None,
            span: SpanId::from_index(0),
            body,
        }))
    }

    fn body(&mut self, shape: &BlockedLoop<'_>) {
        let known: HashSet<LocalId> = shape.carried.iter().flat_map(|c| [c.old, c.new]).collect();
        for stmt in &shape.l.body {
            match stmt {
                Stmt::Let { local, expr: Expr::BaseAddr(buffer) } if known.contains(buffer) => {
                    let new = shape.carried.iter().find(|c| c.old == *buffer).map_or(*buffer, |c| c.new);
                    if let Some(&data) = self.renamed.get(&new) {
                        self.renamed.insert(*local, data);
                    }
                }
                Stmt::Let { expr: Expr::BaseAddr(_), .. } => self.before.push(stmt.clone()),
                Stmt::Let { expr: Expr::Copy(Operand::Local(state)), .. }
                    if self.func.locals[*state].mutable && !shape.sums.locals.contains(state) => {}
                Stmt::Let { local, expr: Expr::Offset(address, by) } => {
                    let address = self.now(*address);
                    self.moving.insert(*local);
                    self.step.push(Stmt::Let { local: *local, expr: Expr::Offset(address, *by) });
                }
                Stmt::Let { local, expr: Expr::Load(address, at) } => {
                    let address = self.now(*address);
                    self.step.push(Stmt::Let { local: *local, expr: Expr::Load(address, *at) });
                }
                Stmt::Let { .. } | Stmt::Var { .. } => self.step.push(stmt.clone()),
                Stmt::Store { address, offset, value } => {
                    let address = self.now(*address);
                    self.step.push(Stmt::Store { address, offset: *offset, value: *value });
                }
                Stmt::For(l) => self.points(l),
                _ => {}
            }
        }
    }

    fn now(&self, address: LocalId) -> LocalId {
        self.renamed.get(&address).copied().unwrap_or(address)
    }

    /// The first point of the block times a step.
    fn shift(&mut self, step: Operand) -> Operand {
        if step.as_int() == Some(1) {
            return self.lo;
        }
        if let Some(&shift) = self.shifts.get(&step) {
            return shift;
        }
        let (shift, stmt) = self.int("shift", Prim::Mul, [self.lo, step]);
        self.block.push(stmt);
        self.shifts.insert(step, shift);
        shift
    }

    /// An address moved to the first point of the block, given its stride in elements per point.
    fn rebase(&mut self, address: LocalId, step: Operand) -> LocalId {
        if let Some(&known) = self.rebased.get(&(address, step)) {
            return known;
        }
        let shift = self.shift(step);
        let local = self.local(&format!("{}.block", self.name(address)), self.func.ty(address));
        let stmt = Stmt::Let { local, expr: Expr::Offset(address, shift) };
        if self.moving.contains(&address) {
            self.step.push(stmt)
        } else {
            self.block.push(stmt)
        }
        self.rebased.insert((address, step), local);
        local
    }

    /// Turns a loop over all points into one over those of the block.
    fn points(&mut self, l: &For) {
        let mut steps: HashMap<LocalId, Operand> = l.inductions.iter().map(|i| (i.local, i.step)).collect();
        steps.insert(l.index, Operand::int(1));
        let mut inner = Points { maker: self, steps, bound: HashSet::new(), whole: HashMap::new(), body: Vec::new() };
        l.body.iter().for_each(|stmt| inner.stmt(stmt));
        let Points { whole, body, .. } = inner;
        // Indices among all points, where they are used for more than addresses.
        let mut stmts = Vec::new();
        let mut whole: Vec<(LocalId, (LocalId, Operand))> = whole.into_iter().collect();
        whole.sort_by_key(|(local, _)| local.index());
        for (local, (full, shift)) in whole {
            let expr = Expr::Prim(Prim::Add, vec![local.into(), shift]);
            stmts.push(Stmt::Let { local: full, expr });
        }
        stmts.extend(body);
        let nest = self.nest(l.index, l.inductions.clone(), stmts);
        self.step.push(nest);
    }

    fn finish(self, shape: &BlockedLoop<'_>, (index, lo): Outer, size: Operand, blocks: Operand) -> Vec<Stmt> {
        let Maker { before: mut stmts, block: mut body, step, .. } = self;
        body.push(Stmt::For(Box::new(For { body: step, ..shape.l.clone() })));
        stmts.push(Stmt::For(Box::new(For {
            index,
            extent: blocks,
            reverse: false,
            inductions: vec![Induction { local: lo, step: size }],
            origin: Origin::Kernel,
            parallel: Some(Parallel { added: shape.sums.added.clone(), ..Parallel::default() }),
            scan: None,
            span: SpanId::from_index(0),
            body,
        })));
        stmts.extend(shape.carried.iter().map(|c| Stmt::Release(c.old)));
        stmts.extend(shape.passing.iter().map(|b| Stmt::Release(*b)));
        let carried = shape.carried.iter().map(|c| (c.state, c.new));
        let updated = shape.updated.iter().map(|u| (u.state, u.unique));
        stmts.extend(carried.chain(updated).map(|(local, value)| Stmt::Set { local, value: value.into() }));
        stmts
    }
}

/// The body of a loop over points.
struct Points<'m, 'f> {
    maker: &'m mut Maker<'f>,
    /// How far the index and each induction move.
    steps: HashMap<LocalId, Operand>,
    /// Addresses that are bound in the body.
    bound: HashSet<LocalId>,
    /// For the index and inductions: their values among all points, and the summand for that.
    whole: HashMap<LocalId, (LocalId, Operand)>,
    body: Vec<Stmt>,
}

impl Points<'_, '_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let mut stmt = stmt.clone();
        match &mut stmt {
            Stmt::Let { local, expr } => match expr {
                Expr::Load(address, offset) => self.place(address, offset),
                Expr::Offset(address, offset) => {
                    self.place(address, offset);
                    self.bound.insert(*local);
                }
                Expr::Prim(_, args) => args.iter_mut().for_each(|a| self.operand(a)),
                Expr::Copy(a) => self.operand(a),
                Expr::BaseAddr(_) | Expr::Len(_) | Expr::Literal(_) => {}
            },
            Stmt::Store { address, offset, value } => {
                self.place(address, offset);
                self.operand(value);
            }
            Stmt::Set { value, .. } => self.operand(value),
            Stmt::Var { init: Some(init), .. } => self.operand(init),
            _ => {}
        }
        self.body.push(stmt);
    }

    fn place(&mut self, address: &mut LocalId, offset: &mut Operand) {
        *address = self.maker.now(*address);
        match offset {
            Operand::Local(l) if !self.bound.contains(address) && self.steps.contains_key(l) => {
                let step = self.steps.get(l).copied().unwrap_or(Operand::int(1));
                *address = self.maker.rebase(*address, step);
            }
            _ => self.operand(offset),
        }
    }

    fn operand(&mut self, operand: &mut Operand) {
        let Operand::Local(local) = *operand else { return };
        let Some(&step) = self.steps.get(&local) else { return };
        if !self.whole.contains_key(&local) {
            let shift = self.maker.shift(step);
            let name = format!("{}.whole", self.maker.name(local));
            let full = self.maker.local(&name, Ty::Scalar(Scalar::I64));
            self.whole.insert(local, (full, shift));
        }
        if let Some((full, _)) = self.whole.get(&local) {
            *operand = (*full).into();
        }
    }
}
