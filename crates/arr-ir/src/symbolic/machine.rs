//! The interpreter with costs in place of values.

use super::memory::Memory;
use super::{Count, Doubt, Place, Prediction, Symbol, Work};
use crate::interp::combine;
use crate::interp::plan::{self, Arg, Inner, PlanAxis, PlanBlock, PlanOp, PlanStmt};
use crate::{Const, Cost, Func, Prim, Scalar, ScatterKind, VarId};
use arr_base::{Id, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

type Tally = BTreeMap<Place, Work>;

pub(super) struct Machine<'f> {
    pub(super) func: &'f Func,
    /// Whether arrays are changed in place where compiled code does so and the interpreter copies.
    compiled: bool,
    /// Integers that are known as polynomials.
    pub(super) ints: FxHashMap<usize, Count>,
    /// Conditions that are the same for all sizes of 1 and more.
    pub(super) truths: FxHashMap<usize, bool>,
    /// The slots of indices, which are not negative.
    pub(super) indices: FxHashSet<usize>,
    /// The slots that are bound inside of loops, and so have many values.
    pub(super) varying: FxHashSet<usize>,
    pub(super) depth: usize,
    pub(super) memory: Memory,
    /// The bytes in use at times at which they are most, none of which is at most another.
    pub(super) peaks: Vec<Count>,
    pub(super) peak_is_exact: bool,
    pub(super) tally: Tally,
    pub(super) place: Place,
    pub(super) doubts: BTreeSet<Doubt>,
    pub(super) others: Vec<String>,
}

pub(super) fn predict(func: &Func, compiled: bool) -> Prediction {
    let body = plan::plan(func);
    let mut machine = Machine {
        func,
        compiled,
        ints: FxHashMap::default(),
        truths: FxHashMap::default(),
        indices: FxHashSet::default(),
        varying: FxHashSet::default(),
        depth: 0,
        memory: Memory::default(),
        peaks: vec![Count::default()],
        peak_is_exact: true,
        tally: Tally::new(),
        place: Place::default(),
        doubts: BTreeSet::new(),
        others: Vec::new(),
    };
    for &param in func.params.iter().filter(|&&p| !func.ty(p).is_scalar()) {
        // The caller holds the arguments too, and they are not counted.
        let elements = machine.elements_of(param.index(), 0);
        let buffer = machine.buffer(Count::default(), elements, 2);
        machine.memory.slots.insert(param.index(), buffer);
    }
    machine.block(&body);
    let exact = machine.peaks.len() <= 1 && machine.peak_is_exact;
    let peak = machine.peaks.iter().fold(Count::default(), |peak, next| peak.max(next));
    let Machine { tally: work, doubts, others, .. } = machine;
    Prediction { work, peak, peak_is_exact: exact, doubts, others }
}

fn sum_of(a: &Tally, b: &Tally, sign: i128) -> Tally {
    let mut sum = a.clone();
    for (place, work) in b {
        let entry = sum.entry(*place).or_default();
        *entry = entry.zip(work, &|x, y| x.add(&y.scaled(sign, 1)));
    }
    sum
}

fn mapped(tally: Tally, f: &dyn Fn(&Count) -> Count) -> Tally {
    tally.into_iter().map(|(place, work)| (place, work.zip(&work, &|x, _| f(x)))).collect()
}

impl<'f> Machine<'f> {
    pub(super) fn charge(&mut self, change: impl FnOnce(&mut Work)) {
        change(self.tally.entry(self.place).or_default());
    }

    pub(super) fn operation(&mut self, prim: Option<Prim>, elem: Scalar, count: &Count) {
        let function = prim.and_then(|prim| prim.cost_on(elem)) == Some(Cost::Function);
        self.charge(|work| {
            let kind = match (elem.is_float(), function) {
                (true, true) => &mut work.functions,
                (true, false) => &mut work.floats,
                (false, _) => &mut work.others,
            };
            *kind = kind.add(count);
        });
    }

    pub(super) fn reads(&mut self, elem: Scalar, count: &Count) {
        let bytes = count.scaled(elem.bytes() as i128, 1);
        self.charge(|work| {
            work.reads = work.reads.add(count);
            work.bytes = work.bytes.add(&bytes);
        });
    }

    pub(super) fn writes(&mut self, elem: Scalar, count: &Count) {
        let bytes = count.scaled(elem.bytes() as i128, 1);
        self.charge(|work| {
            work.writes = work.writes.add(count);
            work.bytes = work.bytes.add(&bytes);
        });
    }

    fn within(&mut self, body: &mut dyn FnMut(&mut Self)) -> Tally {
        let outer = std::mem::take(&mut self.tally);
        body(self);
        std::mem::replace(&mut self.tally, outer)
    }

    fn add_tally(&mut self, tally: &Tally) {
        self.tally = sum_of(&self.tally, tally, 1);
    }

    /// Runs a body at every point of an axis. What it does to arrays is the same from the second time on.
    fn repeat(&mut self, axis: &PlanAxis, reverse: bool, settled: bool, body: &mut dyn FnMut(&mut Self)) {
        let extent = self.size(&axis.extent);
        let index = Symbol::Var(VarId::from_index(axis.index));
        self.ints.insert(axis.index, Count::symbol(index));
        self.indices.insert(axis.index);
        let outer = std::mem::take(&mut self.peaks);
        self.depth += 1;
        let first = self.within(body);
        let again = if settled { first.clone() } else { self.within(body) };
        self.depth -= 1;
        for peak in std::mem::replace(&mut self.peaks, outer) {
            let (bound, exact) = peak.bound(index, &extent);
            self.peak_is_exact &= exact;
            self.peak(bound);
        }
        self.memory.live = self.memory.live.bound(index, &extent).0;
        if first != again {
            let start = if reverse { extent.sub(&Count::of(1)) } else { Count::default() };
            let extra = mapped(sum_of(&first, &again, -1), &|count| count.at(index, &start));
            self.add_tally(&extra);
        }
        let all = mapped(again, &|count| count.sum(index, &extent));
        self.add_tally(&all);
    }

    fn points(&mut self, axes: &[PlanAxis], settled: bool, body: &mut dyn FnMut(&mut Self)) {
        match axes.split_first() {
            None => body(self),
            Some((axis, rest)) => self.repeat(axis, false, settled, &mut |m| m.points(rest, settled, body)),
        }
    }

    /// Whether a block makes, moves and changes no array, so that running it again costs the same.
    fn is_scalar(&self, block: &PlanBlock) -> bool {
        let scalars = |args: &[Arg]| !args.iter().any(|arg| arg.slot().is_some_and(|slot| self.is_array(slot)));
        block.stmts.iter().all(|stmt| match &stmt.op {
            PlanOp::Prim(..) | PlanOp::Size(_) | PlanOp::Read { .. } | PlanOp::Check { .. } | PlanOp::Trace { .. } => {
                true
            }
            PlanOp::Reduce { body, .. } => self.is_scalar(body),
            PlanOp::Loop { inits, body, .. } => scalars(inits) && self.is_scalar(body),
            PlanOp::While { inits, cond, body } => scalars(inits) && self.is_scalar(cond) && self.is_scalar(body),
            PlanOp::If { then_block, else_block, .. } => self.is_scalar(then_block) && self.is_scalar(else_block),
            PlanOp::Copy(arg) => scalars(&[*arg]),
            PlanOp::Pass(args) => scalars(args),
            _ => false,
        })
    }

    fn is_array(&self, slot: usize) -> bool {
        self.ty(slot).is_some_and(|ty| !ty.is_scalar())
    }

    /// The parameters of a loop's body have many values.
    fn vary(&mut self, params: &[usize]) {
        self.varying.extend(params);
    }

    fn block(&mut self, block: &PlanBlock) {
        for stmt in &block.stmts {
            let outer = self.place;
            let var = stmt.vars.first().and_then(|&slot| self.func.vars.get(VarId::from_index(slot)));
            let span: Option<Span> = stmt.span.or(outer.span);
            self.place = Place { span, derivative: var.map_or(outer.derivative, |info| info.derivative) };
            self.stmt(stmt);
            for &slot in &stmt.dead {
                self.clear(slot);
            }
            self.place = outer;
        }
    }

    fn stmt(&mut self, stmt: &PlanStmt) {
        let vars = stmt.vars.as_slice();
        match &stmt.op {
            PlanOp::Prim(prim, args) => self.prim(vars, *prim, args),
            PlanOp::Size(size) => {
                if let &[slot] = vars {
                    let value = self.size(size);
                    self.set(slot, None);
                    self.ints.insert(slot, value);
                }
            }
            PlanOp::Literal(_) => {
                let elements = vars.first().map_or(Count::default(), |&slot| self.elements_of(slot, 0));
                // The program holds it too.
                let buffer = self.buffer(Count::default(), elements, 2);
                self.bind(vars, Some(buffer));
            }
            PlanOp::Read { array, .. } => {
                self.reads(self.elem(*array), &Count::of(1));
                self.bind(vars, None);
            }
            PlanOp::Build { axes, body, inner } => self.build(vars, axes, body, inner),
            PlanOp::Reduce { kind, axes, body, elems } => {
                let settled = self.is_scalar(body);
                self.points(axes, settled, &mut |m| {
                    m.block(body);
                    elems.iter().for_each(|&elem| m.operation(combine(*kind), elem, &Count::of(1)));
                });
                for (&slot, &result) in vars.iter().zip(&body.results) {
                    self.set(slot, None);
                    let element = self.int(result);
                    self.learn_reduction(slot, *kind, axes, element);
                }
            }
            PlanOp::Scatter { kind, dest, axes, body, in_columns, .. } => {
                let dest = match *dest {
                    Arg::Slot(slot) if self.compiled && *in_columns && stmt.dead.contains(&slot) => Arg::Take(slot),
                    dest => dest,
                };
                self.scatter(vars, *kind, dest, axes, body);
            }
            PlanOp::Loop { axis, reverse, inits, body } => {
                let settled = self.is_scalar(body);
                self.advance(inits, &body.params);
                self.vary(&body.params);
                self.repeat(axis, *reverse, settled, &mut |m| {
                    m.block(body);
                    m.advance(&body.results, &body.params);
                });
                let state: Vec<Arg> = body.params.iter().map(|&p| Arg::Take(p)).collect();
                self.advance(&state, vars);
            }
            PlanOp::While { inits, cond, body } => self.while_(vars, inits, cond, body),
            PlanOp::Call { inputs, body } => {
                self.advance(inputs, &body.params);
                self.block(body);
                self.advance(&body.results, vars);
            }
            PlanOp::If { cond, then_block, else_block } => match self.truth(*cond) {
                Some(true) => self.taken(vars, then_block),
                Some(false) => self.taken(vars, else_block),
                None => self.branch(vars, then_block, else_block),
            },
            PlanOp::Reshape { array, .. } => {
                let elem = self.elem_of(*array);
                let buffer = self.value(*array).map(|buffer| self.unique(buffer, elem));
                self.bind(vars, buffer);
            }
            PlanOp::Argsort(array) => self.argsort(vars, *array),
            PlanOp::Copy(arg) => self.pass(vars, std::slice::from_ref(arg)),
            PlanOp::Pass(args) => self.pass(vars, args),
            PlanOp::Check { .. } | PlanOp::Trace { .. } | PlanOp::Derivative | PlanOp::Unknown => {}
        }
    }

    fn bind(&mut self, vars: &[usize], buffer: Option<usize>) {
        if let &[slot] = vars {
            self.set(slot, buffer);
        }
    }

    /// Results that equal the operands.
    fn pass(&mut self, vars: &[usize], args: &[Arg]) {
        let ints: Vec<Option<Count>> = args.iter().map(|&arg| self.int(arg)).collect();
        self.advance(args, vars);
        for (&slot, int) in vars.iter().zip(ints) {
            if let Some(int) = int {
                self.ints.insert(slot, int);
            }
        }
    }

    fn prim(&mut self, vars: &[usize], prim: Prim, args: &[Arg]) {
        let &[slot] = vars else { return };
        let own = self.elem(slot);
        // A comparison is an operation on what it compares.
        let elem = match args.iter().map(|&a| self.elem_of(a)).find(|elem| elem.is_float()) {
            Some(float) if !own.is_float() => float,
            _ => own,
        };
        self.operation(Some(prim), elem, &Count::of(1));
        self.set(slot, None);
        self.learn(slot, prim, args);
    }

    fn build(&mut self, vars: &[usize], axes: &[PlanAxis], body: &PlanBlock, inner: &[Inner]) {
        let arrays: Vec<usize> = vars
            .iter()
            .map(|&slot| {
                let elements = self.elements_of(slot, 0);
                self.allocate(self.elem(slot), elements)
            })
            .collect();
        let settled = self.is_scalar(body);
        self.points(axes, settled, &mut |m| {
            m.block(body);
            for (inner, &result) in inner.iter().zip(&body.results) {
                let count = m.product(&inner.dims);
                m.writes(inner.elem, &count);
                if let Some(buffer) = m.value(result) {
                    m.drop_owner(buffer);
                }
            }
        });
        for (&slot, array) in vars.iter().zip(arrays) {
            self.set(slot, Some(array));
        }
    }

    fn scatter(&mut self, vars: &[usize], kind: ScatterKind, dest: Arg, axes: &[PlanAxis], body: &PlanBlock) {
        let elem = self.elem_of(dest);
        let rank = vars.first().and_then(|&slot| self.ty(slot)).map_or(0, |ty| ty.rank());
        let array = self.value(dest).map(|buffer| {
            let own = self.unique(buffer, elem);
            if own != buffer {
                let elements = self.memory.buffers.get(own).map_or(Count::default(), |b| b.elements.clone());
                self.writes(elem, &elements);
            }
            own
        });
        let settled = self.is_scalar(body);
        self.points(axes, settled, &mut |m| {
            m.block(body);
            for write in body.results.chunks_exact(rank + 2) {
                if !matches!(write.first(), Some(Arg::Const(Const::Bool(true)))) {
                    m.doubts.insert(Doubt::Guard);
                }
                m.writes(elem, &Count::of(1));
                if kind == ScatterKind::Add {
                    m.operation(Some(Prim::Add), elem, &Count::of(1));
                }
            }
        });
        self.bind(vars, array);
    }

    fn while_(&mut self, vars: &[usize], inits: &[Arg], cond: &PlanBlock, body: &PlanBlock) {
        self.doubts.insert(Doubt::While);
        let times = Count::symbol(self.unused("iterations"));
        self.advance(inits, &cond.params);
        self.vary(&cond.params);
        self.vary(&body.params);
        let taken: Vec<Arg> = cond.params.iter().map(|&p| Arg::Take(p)).collect();
        self.depth += 1;
        let mut iteration = |m: &mut Self| {
            m.block(cond);
            m.advance(&taken, &body.params);
            m.block(body);
            m.advance(&body.results, &cond.params);
        };
        let first = self.within(&mut iteration);
        let again = self.within(&mut iteration);
        self.depth -= 1;
        self.add_tally(&sum_of(&first, &again, -1));
        self.add_tally(&mapped(again, &|count| count.mul(&times)));
        self.block(cond);
        self.advance(&taken, vars);
    }

    /// The branch of an `if` whose condition is known.
    fn taken(&mut self, vars: &[usize], block: &PlanBlock) {
        self.block(block);
        self.pass(vars, &block.results);
    }

    fn branch(&mut self, vars: &[usize], then_block: &PlanBlock, else_block: &PlanBlock) {
        let before = self.memory.clone();
        let then_cost = self.within(&mut |m| {
            m.block(then_block);
            m.advance(&then_block.results, vars);
        });
        let after = std::mem::replace(&mut self.memory, before);
        let else_cost = self.within(&mut |m| {
            m.block(else_block);
            m.advance(&else_block.results, vars);
        });
        // Results have one type, so that only what was copied can differ.
        let live = after.live.max(&self.memory.live);
        self.peak_is_exact &= after.live == self.memory.live;
        self.memory = Memory { live, ..after };
        vars.iter().for_each(|slot| drop(self.ints.remove(slot)));
        if then_cost == else_cost {
            return self.add_tally(&then_cost);
        }
        self.doubts.insert(Doubt::Branch);
        let mut larger = then_cost;
        for (place, work) in else_cost {
            let entry = larger.entry(place).or_default();
            *entry = entry.zip(&work, &Count::max);
        }
        self.add_tally(&larger);
    }

    fn argsort(&mut self, vars: &[usize], array: usize) {
        let &[slot] = vars else { return };
        self.doubts.insert(Doubt::Sort);
        let elements = self.elements_of(slot, 0);
        let length = self.last_size(slot).unwrap_or_else(|| "length".to_string());
        let log = Count::symbol(self.other(format!("log2({length})")));
        self.operation(None, Scalar::I64, &elements.mul(&log));
        self.reads(self.elem(array), &elements);
        self.writes(Scalar::I64, &elements);
        let positions = self.allocate(Scalar::I64, elements);
        self.set(slot, Some(positions));
    }
}
