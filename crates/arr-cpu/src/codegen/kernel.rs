//! A wide loop as a vector program.
//!
//! Loop invariants come through the environment: locals bound outside, and those bound inside by statements that the
//! code around the kernel executes before it. Everything else becomes a statement of the program; a loop with a
//! construct that programs lack is left to the vectors of 128 bits.

mod branch;
mod place;

use super::contract::{Contractions, Sign};
use super::control::may_take_long;
use super::vectorize::fold::sorted;
use super::vectorize::plan::{Class, Plan, unrolls};
use arr_ir::{Const, Prim, Scalar};
use arr_loops::{Demand, Expr, For, LocalId, LoopFunc, Operand, Stmt, Ty};
use arr_x86::{
    Access, Binary, Bits, Builder, Combine, Compare, Elem, Function, MemOperand, Op, Program, Type, Unary, Value, Width,
};
use std::collections::{HashMap, HashSet};

/// The code around a kernel.
pub(super) struct Translation<'a> {
    pub program: Program,
    /// The contents of the environment's slots, after the fixed ones and those of folds.
    pub env: Vec<Operand>,
    /// The slots that receive combined results, by the local that a new value is bound to.
    pub folds: Vec<(LocalId, u32)>,
    /// Statements to execute before.
    pub before: Vec<&'a Stmt>,
    /// Whether the kernel may stop before the extent.
    pub leaves: bool,
    /// Whether loops inside look whether they are to stop.
    pub stops: bool,
    /// The addresses of the first iterations' elements in arrays that are written past the cache: all have the same
    /// distance from a boundary of 64 bytes.
    pub streams: Vec<LocalId>,
}

/// The slots of the environment before those of operands: the first index, the exclusive end.
pub(super) const START: u32 = 0;
pub(super) const EXTENT: u32 = 1;
/// The address of the byte that tells kernels with loops inside to stop.
pub(super) const STOP: u32 = 2;
pub(super) const FIXED: u32 = 3;

/// The difference from one iteration to the next.
#[derive(Clone, Copy)]
enum Step {
    Const(i64),
    Value(Value),
}

#[derive(Clone, Copy)]
enum Translated {
    Float(Value),
    Mask(Value),
    /// An integer that changes by steps; not at all if they are 0.
    Linear(Value, Step),
    Lanes(Value),
    Address(Address),
}

/// The first iteration's address, the stride in elements, and bytes to add in each lane.
#[derive(Clone, Copy)]
struct Address {
    base: Value,
    step: Step,
    offsets: Option<Value>,
}

/// The loop as a vector program; `None` if it has a construct that programs lack.
pub(super) fn translate<'a>(
    loops: &'a LoopFunc,
    l: &'a For,
    plan: &'a Plan,
    contractions: &Contractions,
    streamed: &HashSet<LocalId>,
    interruptible: bool,
) -> Option<Translation<'a>> {
    if plan.ordered && !plan.folds.is_empty() {
        return None;
    }
    let elem = if plan.elem == Scalar::F32 { Elem::F32 } else { Elem::F64 };
    let mut t = Translator {
        loops,
        plan,
        contractions,
        streamed,
        index: l.index,
        long: super::nontemporal::may_be_long(l, elem.bytes() as i64),
        elem,
        b: Builder::new(),
        values: HashMap::new(),
        env: Vec::new(),
        slots: HashMap::new(),
        before: Vec::new(),
        folds: Vec::new(),
        outside: HashSet::new(),
        depth: 0,
        guards: Vec::new(),
        leaves: false,
        interruptible,
        stops: false,
        streams: Vec::new(),
    };
    t.b.start_at(START);
    t.folds()?;
    let extent = t.b.before(Op::EnvInt(EXTENT));
    let steps = l.inductions.iter().map(|i| t.int(i.step)).collect::<Option<Vec<Value>>>()?;
    let (index, locals) = t.b.begin(extent, &steps);
    t.values.insert(l.index, Translated::Linear(index, Step::Const(1)));
    for ((induction, &local), &step) in l.inductions.iter().zip(&locals).zip(&steps) {
        let step = induction.step.as_int().map_or(Step::Value(step), Step::Const);
        t.values.insert(induction.local, Translated::Linear(local, step));
    }
    t.block(&l.body)?;
    t.b.end().ok()?;
    let Translator { b, env, folds, before, leaves, stops, streams, .. } = t;
    Some(Translation { program: b.finish().ok()?, env, folds, before, leaves, stops, streams })
}

struct Translator<'a, 'c> {
    loops: &'a LoopFunc,
    plan: &'a Plan,
    contractions: &'c Contractions,
    /// The addresses of arrays that are written past the cache.
    streamed: &'c HashSet<LocalId>,
    /// The loop's index.
    index: LocalId,
    /// Whether it may be long enough for that.
    long: bool,
    elem: Elem,
    b: Builder,
    values: HashMap<LocalId, Translated>,
    env: Vec<Operand>,
    /// Values read from the environment.
    slots: HashMap<LocalId, Translated>,
    folds: Vec<(LocalId, u32)>,
    before: Vec<&'a Stmt>,
    /// Locals of the loop that are known before it.
    outside: HashSet<LocalId>,
    /// The number of loops inside.
    depth: usize,
    /// The surrounding branches, and what each has set so far.
    guards: Vec<branch::Guard>,
    leaves: bool,
    interruptible: bool,
    stops: bool,
    streams: Vec<LocalId>,
}

impl<'a> Translator<'a, '_> {
    /// Every fold has accumulators of its own in the kernel.
    fn folds(&mut self) -> Option<()> {
        for (next, fold) in sorted(self.plan) {
            let combine = match fold.prim {
                Prim::Add => Combine::Add,
                Prim::Mul => Combine::Mul,
                Prim::Min => Combine::Min,
                Prim::Max => Combine::Max,
                _ => return None,
            };
            let slot = FIXED + self.folds.len() as u32;
            let accumulator = self.b.accumulator(self.elem, combine, slot);
            self.values.insert(fold.accumulator, Translated::Float(accumulator));
            self.folds.push((next, slot));
        }
        Some(())
    }

    /// Whether an operand is known before the loop.
    fn known(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(_) => true,
            Operand::Local(local) if self.values.contains_key(&local) => false,
            Operand::Local(local) => self.outside.contains(&local) || !self.plan.classes.contains_key(&local),
        }
    }

    fn operand(&mut self, operand: Operand) -> Option<Translated> {
        let local = match operand {
            Operand::Const(Const::I64(i)) => {
                return Some(Translated::Linear(self.b.before(Op::Int(i)), Step::Const(0)));
            }
            Operand::Const(Const::F64(x)) if self.elem == Elem::F64 => {
                return Some(Translated::Float(self.b.before(Op::Const(Elem::F64, x.to_bits()))));
            }
            Operand::Const(Const::F32(x)) if self.elem == Elem::F32 => {
                return Some(Translated::Float(self.b.before(Op::Const(Elem::F32, u64::from(x.to_bits())))));
            }
            Operand::Const(_) => return None,
            Operand::Local(local) => local,
        };
        if let Some(&found) = self.values.get(&local).or_else(|| self.slots.get(&local)) {
            return Some(found);
        }
        if !self.known(operand) {
            return None;
        }
        let slot = FIXED + (self.folds.len() + self.env.len()) as u32;
        let value = match self.loops.ty(local) {
            Ty::Scalar(Scalar::I64) => Translated::Linear(self.b.before(Op::EnvInt(slot)), Step::Const(0)),
            Ty::Scalar(Scalar::F64) if self.elem == Elem::F64 => self.env_float(slot),
            Ty::Scalar(Scalar::F32) if self.elem == Elem::F32 => self.env_float(slot),
            Ty::Address(_) => {
                let base = self.b.before(Op::EnvInt(slot));
                Translated::Address(Address { base, step: Step::Const(0), offsets: None })
            }
            _ => return None,
        };
        self.env.push(operand);
        self.slots.insert(local, value);
        Some(value)
    }

    fn env_float(&mut self, slot: u32) -> Translated {
        Translated::Float(self.b.before(Op::EnvFloat(self.elem, slot)))
    }

    /// An integer that is the same in all iterations.
    fn int(&mut self, operand: Operand) -> Option<Value> {
        match self.operand(operand)? {
            Translated::Linear(value, Step::Const(0)) => Some(value),
            _ => None,
        }
    }

    fn float(&mut self, operand: Operand) -> Option<Value> {
        match self.operand(operand)? {
            Translated::Float(value) => Some(value),
            _ => None,
        }
    }

    fn mask(&mut self, operand: Operand) -> Option<Value> {
        match self.operand(operand)? {
            Translated::Mask(value) => Some(value),
            _ => None,
        }
    }

    // Statements.

    fn block(&mut self, stmts: &'a [Stmt]) -> Option<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Option<()> {
        match stmt {
            Stmt::Let { local, expr } => {
                if self.is_early(*local, expr) {
                    self.before.push(stmt);
                    self.outside.insert(*local);
                    return Some(());
                }
                // Part of the sum that uses it.
                if self.contractions.products.contains(local) {
                    return Some(());
                }
                let value = match self.contracted(*local) {
                    Some(value) => value?,
                    None => self.expr(*local, expr)?,
                };
                self.values.insert(*local, value);
                Some(())
            }
            Stmt::Var { local, init } if !self.guards.is_empty() => {
                if let Some(init) = init {
                    let init = self.snapshot(*init)?;
                    self.values.insert(*local, Translated::Float(init));
                }
                Some(())
            }
            Stmt::Set { local, value } if !self.guards.is_empty() => self.guarded_set(*local, *value),
            Stmt::If { cond, then_body, else_body } => self.branches(*cond, then_body, else_body),
            Stmt::Var { local, init } => {
                let init = match init {
                    Some(init) => Some(self.float(*init)?),
                    None => None,
                };
                let variable = self.b.variable(Type::Float(self.elem), init);
                self.values.insert(*local, Translated::Float(variable));
                Some(())
            }
            Stmt::Set { local, value } => {
                let value = self.float(*value)?;
                let variable = self.float((*local).into())?;
                self.b.set(variable, value);
                Some(())
            }
            Stmt::Store { address, offset, value } => {
                let value = self.float(*value)?;
                let mut place = self.place(*address, *offset)?;
                if self.may_stream(*address, *offset, place.access) {
                    place.access = Access::Stream;
                    self.streams.push(*address);
                }
                (place.access != Access::Same).then(|| self.b.store(place, value))
            }
            Stmt::Check { args, .. } if self.depth == 0 && args.iter().all(|&a| self.known(a)) => {
                self.before.push(stmt);
                Some(())
            }
            Stmt::Check { demand: Demand::Index | Demand::Element | Demand::Place, args, .. } if self.depth == 0 => {
                let &[index, extent] = args.as_slice() else { return None };
                self.check_index(index, extent)
            }
            Stmt::For(l) => self.inner(l),
            _ => None,
        }
    }

    /// Whether a store goes past the cache. In reductions, the number of iterations before the first boundary would
    /// change the sum.
    fn may_stream(&self, address: LocalId, offset: Operand, access: Access) -> bool {
        let along = access == Access::Row && offset == Operand::Local(self.index) && self.known(address.into());
        self.long && along && self.depth == 0 && self.folds.is_empty() && self.streamed.contains(&address)
    }

    /// A sum as a fused multiply-add, if that is the bound value.
    fn contracted(&mut self, local: LocalId) -> Option<Option<Translated>> {
        let sum = *self.contractions.sums.get(&local)?;
        let [a, b, c] = [sum.a, sum.b, sum.c].map(|operand| self.float(operand));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else { return Some(None) };
        let (a, c) = match sum.sign {
            Sign::Plus => (a, c),
            Sign::MinusProduct => (self.b.unary(Unary::Neg, a), c),
            Sign::MinusAddend => (a, self.b.unary(Unary::Neg, c)),
        };
        Some(Some(Translated::Float(self.b.op(Op::Fma(a, b, c)))))
    }

    /// Whether a statement can run before the loop: every iteration reaches it, or it is the address of a buffer.
    fn is_early(&self, local: LocalId, expr: &Expr) -> bool {
        let uniform = self.plan.classes.get(&local) == Some(&Class::Uniform);
        match expr {
            Expr::BaseAddr(buffer) | Expr::Len(buffer) => self.known((*buffer).into()),
            _ if !uniform || self.depth > 0 => false,
            Expr::Prim(_, args) => args.iter().all(|&a| self.known(a)),
            Expr::Copy(a) => self.known(*a),
            Expr::Offset(address, offset) | Expr::Load(address, offset) => {
                self.known((*address).into()) && self.known(*offset)
            }
            Expr::Literal(_) => false,
        }
    }

    fn inner(&mut self, l: &'a For) -> Option<()> {
        let extent = self.int(l.extent)?;
        let steps = l.inductions.iter().map(|i| self.int(i.step)).collect::<Option<Vec<Value>>>()?;
        if unrolls(l, false) {
            return self.unrolled(l, &steps);
        }
        let forward: &[Value] = if l.reverse { &[] } else { &steps };
        let (mut index, mut locals) = self.b.begin(extent, forward);
        if l.reverse {
            let one = self.b.before(Op::Int(1));
            let last = self.b.int_binary(Bits::Sub, extent, one);
            index = self.b.int_binary(Bits::Sub, last, index);
            locals = steps.iter().map(|&step| self.b.int_binary(Bits::Mul, index, step)).collect();
        }
        self.values.insert(l.index, Translated::Linear(index, Step::Const(0)));
        for (induction, local) in l.inductions.iter().zip(locals) {
            self.values.insert(induction.local, Translated::Linear(local, Step::Const(0)));
        }
        if self.interruptible && may_take_long(l) {
            let flag = self.b.before(Op::EnvInt(STOP));
            self.b.stop(flag);
            self.stops = true;
        }
        self.depth += 1;
        self.block(&l.body)?;
        self.depth -= 1;
        self.b.end().ok()
    }

    /// The loop written out.
    fn unrolled(&mut self, l: &'a For, steps: &[Value]) -> Option<()> {
        let extent = l.extent.as_int()?;
        self.depth += 1;
        for k in 0..extent {
            let k = self.b.before(Op::Int(if l.reverse { extent - 1 - k } else { k }));
            self.values.insert(l.index, Translated::Linear(k, Step::Const(0)));
            for (induction, &step) in l.inductions.iter().zip(steps) {
                let value = self.b.int_binary(Bits::Mul, step, k);
                self.values.insert(induction.local, Translated::Linear(value, Step::Const(0)));
            }
            self.block(&l.body)?;
        }
        self.depth -= 1;
        Some(())
    }

    // Expressions.

    fn expr(&mut self, local: LocalId, expr: &Expr) -> Option<Translated> {
        match expr {
            Expr::Prim(prim, args) => self.prim(*prim, args, self.loops.ty(local).elem()),
            Expr::Copy(a) => match self.operand(*a)? {
                Translated::Float(value) => Some(Translated::Float(self.b.op(Op::Copy(value)))),
                other => Some(other),
            },
            Expr::Offset(address, offset) => self.offset(*address, *offset).map(Translated::Address),
            Expr::Load(address, offset) => {
                let place = self.place(*address, *offset)?;
                let width = match self.loops.ty(*address).elem() {
                    Scalar::F64 if self.elem == Elem::F64 => return Some(self.load(place)),
                    Scalar::F32 if self.elem == Elem::F32 => return Some(self.load(place)),
                    Scalar::I32 => Width::I32,
                    Scalar::U32 => Width::U32,
                    Scalar::I64 => Width::I64,
                    Scalar::F32 | Scalar::F64 | Scalar::Bool => return None,
                };
                Some(if place.access == Access::Same {
                    Translated::Linear(self.b.op(Op::IntLoad(width, place)), Step::Const(0))
                } else {
                    Translated::Lanes(self.b.op(Op::LanesLoad(width, place)))
                })
            }
            Expr::BaseAddr(_) | Expr::Len(_) | Expr::Literal(_) => None,
        }
    }

    fn load(&mut self, place: MemOperand) -> Translated {
        Translated::Float(self.b.op(Op::Load(self.elem, place)))
    }

    fn prim(&mut self, prim: Prim, args: &[Operand], result: Scalar) -> Option<Translated> {
        let elem = self.loops.elem(*args.first()?);
        match (prim, args) {
            (Prim::Select, &[c, a, b]) => {
                let (c, a, b) = (self.mask(c)?, self.float(a)?, self.float(b)?);
                Some(Translated::Float(self.b.op(Op::Select(c, a, b))))
            }
            (Prim::And | Prim::Or, &[a, b]) if elem == Scalar::Bool => {
                let (a, b) = (self.mask(a)?, self.mask(b)?);
                let op = if prim == Prim::And { Op::And(a, b) } else { Op::Or(a, b) };
                Some(Translated::Mask(self.b.op(op)))
            }
            (Prim::Not, &[a]) => {
                let a = self.mask(a)?;
                Some(Translated::Mask(self.b.op(Op::Not(a))))
            }
            (Prim::ToF64 | Prim::ToF32, &[a]) if elem.is_int() && result == self.plan.elem => {
                let lanes = match self.operand(a)? {
                    Translated::Lanes(lanes) => lanes,
                    Translated::Linear(first, Step::Const(0)) => self.b.op(Op::Splat(first)),
                    Translated::Linear(first, step) => self.linear(first, step, 1),
                    _ => return None,
                };
                Some(Translated::Float(self.b.op(Op::ToFloat(self.elem, lanes))))
            }
            (Prim::Add | Prim::Sub | Prim::Mul, &[a, b]) if elem == Scalar::I64 => self.integers(prim, a, b),
            (_, &[a, b]) if elem == Scalar::I64 => self.compare_integers(prim, a, b),
            (_, &[a]) if elem == self.plan.elem => {
                let a = self.float(a)?;
                self.float_unary(prim, a)
            }
            (_, &[a, b]) if elem == self.plan.elem => {
                let (a, b) = (self.float(a)?, self.float(b)?);
                self.float_binary(prim, a, b)
            }
            _ => None,
        }
    }

    fn float_unary(&mut self, prim: Prim, a: Value) -> Option<Translated> {
        let op = match prim {
            Prim::Neg => Unary::Neg,
            Prim::Abs => Unary::Abs,
            Prim::Sign => Unary::Sign,
            Prim::Sqrt => Unary::Sqrt,
            Prim::Floor => Unary::Floor,
            Prim::Ceil => Unary::Ceil,
            Prim::Round => Unary::Round,
            Prim::IsNan => return Some(Translated::Mask(self.b.compare(Compare::Unordered, a, a))),
            _ => {
                let function = Function::named(prim.name())?;
                self.leaves |= function.leaves();
                let a = if function.leaves() { self.harmless(a) } else { a };
                return Some(Translated::Float(arr_x86::call(&mut self.b, function, a)));
            }
        };
        Some(Translated::Float(self.b.unary(op, a)))
    }

    fn float_binary(&mut self, prim: Prim, a: Value, b: Value) -> Option<Translated> {
        let compare = match prim {
            Prim::Eq => Compare::Eq,
            Prim::Ne => Compare::Ne,
            Prim::Lt => Compare::Lt,
            Prim::Le => Compare::Le,
            Prim::Gt => Compare::Gt,
            Prim::Ge => Compare::Ge,
            _ => {
                let op = match prim {
                    Prim::Add => Binary::Add,
                    Prim::Sub => Binary::Sub,
                    Prim::Mul => Binary::Mul,
                    Prim::Div => Binary::Div,
                    Prim::MulZero => Binary::MulZero,
                    Prim::Min => Binary::Min,
                    Prim::Max => Binary::Max,
                    _ => return None,
                };
                return Some(Translated::Float(self.b.binary(op, a, b)));
            }
        };
        Some(Translated::Mask(self.b.compare(compare, a, b)))
    }
}
