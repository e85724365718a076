//! Builds a vector program statement by statement.

use crate::commit_accumulators::commit_accumulators;
use crate::cse_dce::cse_dce;
use crate::program::{
    Access, Accumulator, Binary, Bits, Combine, Compare, Elem, For, MemOperand, Op, Program, Stmt, Type, Unary, Value,
};
use crate::{Error, error::malformed};
use std::collections::{HashMap, HashSet};

/// A program under construction: first the prologue, then [`Builder::begin`] the outer loop, loops inside in the same way,
/// and [`Builder::end`] each.
#[derive(Default, Debug)]
pub struct Builder {
    types: Vec<Type>,
    prologue: Vec<Stmt>,
    open: Vec<For>,
    outer: Option<For>,
    start: Option<u32>,
    accumulators: Vec<Accumulator>,
    /// The results of the prologue.
    known: HashMap<Op, Value>,
    early: HashSet<Value>,
}

impl Builder {
    pub fn new() -> Builder {
        Builder::default()
    }

    /// The type of a value of this program.
    pub fn ty(&self, value: Value) -> Type {
        self.types.get(value.index()).copied().unwrap_or(Type::Int)
    }

    fn fresh(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        Value(self.types.len() as u32 - 1)
    }

    fn push(&mut self, stmt: Stmt) {
        match self.open.last_mut() {
            Some(l) => l.body.push(stmt),
            None => self.prologue.push(stmt),
        }
    }

    /// Binds the result of an operation.
    pub fn op(&mut self, op: Op) -> Value {
        let ty = self.result(op);
        let value = self.fresh(ty);
        self.push(Stmt::Let(value, op));
        value
    }

    /// Binds the result of an operation before the outer loop, wherever the builder is; once.
    pub fn before(&mut self, op: Op) -> Value {
        if let Some(&known) = self.known.get(&op) {
            return known;
        }
        let ty = self.result(op);
        let value = self.fresh(ty);
        self.prologue.push(Stmt::Let(value, op));
        self.known.insert(op, value);
        self.early.insert(value);
        value
    }

    /// Binds the result of an operation on two integers, before the outer loop if they are known there.
    pub fn int_binary(&mut self, op: Bits, a: Value, b: Value) -> Value {
        let early = self.early.contains(&a) && self.early.contains(&b);
        let op = Op::IntBinary(op, a, b);
        if early { self.before(op) } else { self.op(op) }
    }

    /// Makes the outer loop begin with the index in a slot of the environment.
    pub fn start_at(&mut self, slot: u32) {
        self.start = Some(slot);
    }

    fn elem(&self, value: Value) -> Elem {
        match self.ty(value) {
            Type::Float(elem) | Type::Mask(elem) => elem,
            Type::Lanes | Type::Int => Elem::F64,
        }
    }

    fn result(&self, op: Op) -> Type {
        match op {
            Op::Int(_) | Op::EnvInt(_) | Op::IntBinary(..) | Op::IntLoad(..) => Type::Int,
            Op::Const(elem, _) | Op::EnvFloat(elem, _) | Op::Load(elem, _) | Op::ToFloat(elem, _) => Type::Float(elem),
            Op::Copy(a) | Op::Unary(_, a) | Op::Binary(_, a, _) | Op::Fma(a, ..) | Op::Scale(a, _) => self.ty(a),
            Op::Select(_, a, _) => self.ty(a),
            Op::Compare(_, a, _) | Op::And(a, _) | Op::Or(a, _) | Op::Not(a) => Type::Mask(self.elem(a)),
            Op::LanesConst(_) | Op::Splat(_) | Op::Linear(..) | Op::LanesLoad(..) => Type::Lanes,
            Op::LanesBinary(..) | Op::Shift(..) | Op::ToBits(_) => Type::Lanes,
            Op::FromBits(_) | Op::Widen(_) => Type::Float(Elem::F64),
            Op::TestBits(..) => Type::Mask(Elem::F64),
            Op::Narrow(_) => Type::Float(Elem::F32),
        }
    }

    pub fn int(&mut self, value: i64) -> Value {
        self.op(Op::Int(value))
    }

    pub fn env_int(&mut self, slot: u32) -> Value {
        self.op(Op::EnvInt(slot))
    }

    pub fn number(&mut self, elem: Elem, x: f64) -> Value {
        self.op(Op::Const(elem, elem.bits(x)))
    }

    pub fn unary(&mut self, op: Unary, a: Value) -> Value {
        self.op(Op::Unary(op, a))
    }

    pub fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        self.op(Op::Binary(op, a, b))
    }

    pub fn compare(&mut self, op: Compare, a: Value, b: Value) -> Value {
        self.op(Op::Compare(op, a, b))
    }

    /// A row of elements at `base + index * bytes`.
    pub fn row(&self, base: Value, index: Value, elem: Elem) -> MemOperand {
        MemOperand { base, index: Some((index, elem.bytes() as u8)), disp: 0, access: Access::Row }
    }

    pub fn variable(&mut self, ty: Type, init: Option<Value>) -> Value {
        let value = self.fresh(ty);
        self.push(Stmt::Var(value, init));
        value
    }

    pub fn set(&mut self, variable: Value, value: Value) {
        self.push(Stmt::Set(variable, value));
    }

    pub fn store(&mut self, place: MemOperand, value: Value) {
        self.push(Stmt::Store(place, value));
    }

    /// Leaves the kernel if the mask holds anywhere.
    pub fn leave(&mut self, mask: Value) {
        self.push(Stmt::Leave(mask));
    }

    /// Ends the kernel at once if the byte at an address is not 0.
    pub fn stop(&mut self, address: Value) {
        self.push(Stmt::Stop(MemOperand { base: address, index: None, disp: 0, access: Access::Same }));
    }

    /// A variable that is combined over all iterations into a slot of the environment.
    pub fn accumulator(&mut self, elem: Elem, combine: Combine, slot: u32) -> Value {
        let variable = self.fresh(Type::Float(elem));
        self.accumulators.push(Accumulator { variable, elem, combine, slot });
        variable
    }

    /// Opens a loop: its index, and an induction for each step.
    pub fn begin(&mut self, extent: Value, steps: &[Value]) -> (Value, Vec<Value>) {
        let index = self.fresh(Type::Int);
        let inductions: Vec<(Value, Value)> = steps.iter().map(|&step| (self.fresh(Type::Int), step)).collect();
        let locals = inductions.iter().map(|&(local, _)| local).collect();
        self.open.push(For { index, extent, inductions, body: Vec::new() });
        (index, locals)
    }

    /// Closes the innermost open loop. Fails if none is open, or it is a second outermost one.
    pub fn end(&mut self) -> Result<(), Error> {
        let Some(l) = self.open.pop() else { return malformed("no loop is open") };
        match self.open.last_mut() {
            Some(around) => around.body.push(Stmt::For(Box::new(l))),
            None if self.outer.is_none() => self.outer = Some(l),
            None => return malformed("two outer loops"),
        }
        Ok(())
    }

    /// The program, without repeated and unused operations. Fails if a loop is open, or there is none.
    pub fn finish(self) -> Result<Program, Error> {
        let (true, Some(outer)) = (self.open.is_empty(), self.outer) else {
            return malformed("a loop is open, or there is none");
        };
        let Builder { types, prologue, start, accumulators, .. } = self;
        let mut program = Program { types, prologue, outer, start, accumulators };
        commit_accumulators(&mut program);
        cse_dce(&mut program);
        Ok(program)
    }
}
