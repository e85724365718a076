//! Instruction selection: the outer loop, several vectors at a time, for all lanes or under a mask.

mod float;
mod lanes;
mod memory;

use crate::error::malformed;
use crate::lir::{Base, Class, Home, Inst, Int2, Mem, Opcode, Pool, PoolEntry, Reg, RegInfo, Section};
use crate::program::{Accumulator, Bits, Elem, For, Op, Program, Stmt, Type, Value};
use crate::{Error, Isa};
use std::collections::HashMap;

/// Values shared between sections, from the start of the frame: the number of finished iterations, then the
/// accumulators.
pub const DONE: i32 = 0;
pub const ACCUMULATORS: i32 = 64;

/// The variant to make.
#[derive(Clone, Copy, Debug)]
pub struct KernelVariant {
    pub isa: Isa,
    /// Iterations at once.
    pub width: usize,
    /// Whether it runs only the last iterations, so that some lanes may be left out.
    pub masked: bool,
    /// Registers of an accumulator in the frame.
    pub stride: usize,
}

/// The registers of a value.
#[derive(Clone, Debug)]
enum Lowered {
    /// The same in all lanes.
    Uniform(Reg),
    /// Vectors or masks, the first lanes first.
    Chunks(Vec<Reg>),
    Int(Reg),
}

pub struct Select<'a> {
    program: &'a Program,
    shape: KernelVariant,
    pool: &'a mut Pool,
    regs: Vec<RegInfo>,
    /// Before the loop.
    before: Vec<Inst>,
    insts: Vec<Inst>,
    in_loop: bool,
    values: Vec<Option<Lowered>>,
    /// Whether a value is known before the loop.
    early: Vec<bool>,
    variables: Vec<bool>,
    numbers: HashMap<(Elem, u64), Reg>,
    /// The masks of the remaining lanes, by element size.
    tails: HashMap<usize, Vec<Reg>>,
    /// Offsets of the lanes of strided accesses, by step.
    strides: HashMap<Value, Vec<Reg>>,
    /// Integers that are constants.
    ints: HashMap<Value, i64>,
    loops: i64,
}

type Result<T> = std::result::Result<T, Error>;

/// The loop over vectors. Fails if the instruction set lacks an operation, an offset is too large, or the program is
/// not well formed.
pub fn body(program: &Program, shape: KernelVariant, pool: &mut Pool) -> Result<Section> {
    let mut select = Select::new(program, shape, pool);
    select.block(&program.prologue)?;
    select.outer(&program.outer)?;
    Ok(select.section())
}

/// Fills the accumulators with neutral elements.
pub fn neutral(program: &Program, shape: KernelVariant, pool: &mut Pool) -> Section {
    let mut select = Select::new(program, shape, pool);
    for (k, acc) in program.accumulators.iter().enumerate() {
        let value = select.float(acc.elem, acc.combine.neutral());
        for c in 0..select.chunks(acc.variable) {
            let place = select.accumulator_place(k, c);
            select.push(Inst::new(Opcode::Store(acc.elem)).from(&[value]).mem(place));
        }
    }
    select.section()
}

/// Combines the accumulated lanes, and stores the result to the environment. Fails if an accumulator has no registers.
pub fn combine(program: &Program, shape: KernelVariant, pool: &mut Pool) -> Result<Section> {
    let mut select = Select::new(program, shape, pool);
    for (k, acc) in program.accumulators.iter().enumerate() {
        select.combine_one(k, acc)?;
    }
    Ok(select.section())
}

impl<'a> Select<'a> {
    fn new(program: &'a Program, shape: KernelVariant, pool: &'a mut Pool) -> Select<'a> {
        let count = program.types.len();
        Select {
            program,
            shape,
            pool,
            regs: Vec::new(),
            before: Vec::new(),
            insts: Vec::new(),
            in_loop: false,
            values: vec![None; count],
            early: vec![false; count],
            variables: vec![false; count],
            numbers: HashMap::new(),
            tails: HashMap::new(),
            strides: HashMap::new(),
            ints: HashMap::new(),
            loops: 0,
        }
    }

    fn section(mut self) -> Section {
        let mut insts = self.before;
        insts.append(&mut self.insts);
        Section { insts, regs: self.regs }
    }
}

impl Select<'_> {
    fn fresh(&mut self, class: Class, home: Home) -> Reg {
        let class = if class == Class::Mask && self.shape.isa == Isa::Avx2 { Class::Vector } else { class };
        self.regs.push(RegInfo { class, home });
        Reg(self.regs.len() as u32 - 1)
    }

    fn int(&mut self) -> Reg {
        self.fresh(Class::General, Home::Frame)
    }

    fn push(&mut self, inst: Inst) {
        if self.in_loop { self.insts.push(inst) } else { self.before.push(inst) }
    }

    /// Emits an instruction with a new register for its result.
    fn emit(&mut self, class: Class, inst: Inst) -> Reg {
        let to = self.fresh(class, Home::Frame);
        self.push(inst.to(to));
        to
    }

    fn emit_vector(&mut self, inst: Inst) -> Reg {
        self.emit(Class::Vector, inst)
    }

    /// Introduces a value that is always in memory.
    fn define(&mut self, class: Class, home: Home) -> Reg {
        let to = self.fresh(class, home);
        self.before.push(Inst::new(Opcode::Define).to(to));
        to
    }

    /// Lanes of elements of this many bytes in a register.
    fn lanes(&self, bytes: usize) -> usize {
        self.shape.isa.bytes() / bytes
    }

    fn chunks(&self, value: Value) -> usize {
        self.shape.width / self.lanes(self.bytes(value))
    }

    fn ty(&self, value: Value) -> Type {
        self.program.types.get(value.index()).copied().unwrap_or(Type::Int)
    }

    fn bytes(&self, value: Value) -> usize {
        match self.ty(value) {
            Type::Float(elem) | Type::Mask(elem) => elem.bytes(),
            Type::Lanes | Type::Int => 8,
        }
    }

    fn elem(&self, value: Value) -> Elem {
        if self.bytes(value) == 4 { Elem::F32 } else { Elem::F64 }
    }

    fn class(&self, value: Value) -> Class {
        match self.ty(value) {
            Type::Float(_) | Type::Lanes => Class::Vector,
            Type::Mask(_) => Class::Mask,
            Type::Int => Class::General,
        }
    }

    fn lowered(&self, value: Value) -> Result<&Lowered> {
        match self.values.get(value.index()) {
            Some(Some(lowered)) => Ok(lowered),
            _ => malformed(format!("v{} is used before it is bound", value.0)),
        }
    }

    /// The register of an integer.
    fn general(&self, value: Value) -> Result<Reg> {
        match self.lowered(value)? {
            Lowered::Int(reg) => Ok(*reg),
            _ => malformed(format!("v{} is not an integer", value.0)),
        }
    }

    /// The register of some of the lanes.
    fn chunk(&self, value: Value, k: usize) -> Result<Reg> {
        match self.lowered(value)? {
            Lowered::Uniform(reg) => Ok(*reg),
            Lowered::Chunks(regs) => match regs.get(k) {
                Some(reg) => Ok(*reg),
                None => malformed(format!("v{} has too few lanes", value.0)),
            },
            Lowered::Int(_) => malformed(format!("v{} is not a vector", value.0)),
        }
    }

    fn is_uniform(&self, value: Value) -> bool {
        matches!(self.values.get(value.index()), Some(Some(Lowered::Uniform(_) | Lowered::Int(_))))
    }

    fn bind(&mut self, value: Value, lowered: Lowered) {
        let early = !self.in_loop;
        self.values.get_mut(value.index()).into_iter().for_each(|place| *place = Some(lowered.clone()));
        self.early.get_mut(value.index()).into_iter().for_each(|place| *place = early);
    }

    /// A number in every lane.
    fn number(&mut self, elem: Elem, bits: u64) -> Reg {
        if let Some(&reg) = self.numbers.get(&(elem, bits)) {
            return reg;
        }
        let bytes: Vec<u8> = bits.to_le_bytes().into_iter().take(elem.bytes()).collect();
        let broadcast = self.shape.isa == Isa::Avx512;
        let bytes = if broadcast { bytes } else { bytes.repeat(self.lanes(elem.bytes())) };
        let entry = self.pool.add(PoolEntry { bytes, broadcast });
        let reg = self.define(Class::Vector, Home::Pool(entry));
        self.numbers.insert((elem, bits), reg);
        reg
    }

    fn float(&mut self, elem: Elem, x: f64) -> Reg {
        self.number(elem, elem.bits(x))
    }

    /// A vector of integers of this many bytes, counting from `first`.
    fn counting(&mut self, bytes: usize, first: usize) -> Reg {
        let lanes = first..first + self.lanes(bytes);
        let data = lanes.flat_map(|lane| (lane as u64).to_le_bytes().into_iter().take(bytes)).collect();
        let entry = self.pool.add(PoolEntry { bytes: data, broadcast: false });
        self.define(Class::Vector, Home::Pool(entry))
    }

    fn int_const(&mut self, value: i64) -> Reg {
        self.emit(Class::General, Inst::new(Opcode::IntConst).imm(value))
    }

    // Loops.

    fn outer(&mut self, l: &For) -> Result<()> {
        let width = self.shape.width as i64;
        let extent = self.general(l.extent)?;
        let done = Mem { base: Base::Frame, index: None, disp: DONE };
        let index = self.int();
        self.push(Inst::new(Opcode::IntLoad(crate::Width::I64)).to(index).mem(done));
        let limit = if self.shape.masked {
            extent
        } else {
            self.emit(Class::General, Inst::new(Opcode::Int2(Int2::Add)).from(&[extent]).imm(1 - width))
        };
        let mut steps = Vec::new();
        for &(local, step) in &l.inductions {
            let step = self.general(step)?;
            let start = self.emit(Class::General, Inst::new(Opcode::Int2(Int2::Mul)).from(&[index, step]));
            let stride = self.emit(Class::General, Inst::new(Opcode::Int2(Int2::Mul)).from(&[step]).imm(width));
            self.in_loop = true;
            self.bind(local, Lowered::Int(start));
            self.in_loop = false;
            steps.push((start, stride));
        }
        let accumulators = self.program.accumulators.clone();
        for (k, acc) in accumulators.iter().enumerate() {
            let regs = self.load_accumulator(k, acc);
            self.bind(acc.variable, Lowered::Chunks(regs));
            self.variables.get_mut(acc.variable.index()).into_iter().for_each(|v| *v = true);
        }
        self.in_loop = true;
        self.bind(l.index, Lowered::Int(index));
        let id = self.begin(index, limit);
        if self.shape.masked {
            self.tail_masks(index, limit);
        }
        self.block(&l.body)?;
        self.push(Inst::new(Opcode::Int2(Int2::Add)).to(index).from(&[index]).imm(width));
        for (local, stride) in steps {
            self.push(Inst::new(Opcode::Int2(Int2::Add)).to(local).from(&[local, stride]));
        }
        self.push(Inst::new(Opcode::End).from(&[index, limit]).imm(id));
        self.push(Inst::new(Opcode::IntStore).from(&[index]).mem(done));
        self.push(Inst::new(Opcode::Left));
        for (k, acc) in accumulators.iter().enumerate() {
            for c in 0..self.chunks(acc.variable) {
                let (value, place) = (self.chunk(acc.variable, c)?, self.accumulator_place(k, c));
                self.push(Inst::new(Opcode::Store(acc.elem)).from(&[value]).mem(place));
            }
        }
        Ok(())
    }

    fn begin(&mut self, counter: Reg, limit: Reg) -> i64 {
        self.loops += 1;
        self.push(Inst::new(Opcode::Begin).from(&[counter, limit]).imm(self.loops));
        self.loops
    }

    fn inner(&mut self, l: &For) -> Result<()> {
        let extent = self.general(l.extent)?;
        let index = self.int_const(0);
        self.bind(l.index, Lowered::Int(index));
        let mut steps = Vec::new();
        for &(local, step) in &l.inductions {
            let step = self.general(step)?;
            let value = self.int_const(0);
            self.bind(local, Lowered::Int(value));
            steps.push((value, step));
        }
        let id = self.begin(index, extent);
        self.block(&l.body)?;
        self.push(Inst::new(Opcode::Int2(Int2::Add)).to(index).from(&[index]).imm(1));
        for (value, step) in steps {
            self.push(Inst::new(Opcode::Int2(Int2::Add)).to(value).from(&[value, step]));
        }
        self.push(Inst::new(Opcode::End).from(&[index, extent]).imm(id));
        Ok(())
    }

    fn tail_masks(&mut self, index: Reg, limit: Reg) {
        for bytes in [4, 8] {
            let mut masks = Vec::new();
            for c in 0..(self.shape.width / self.lanes(bytes)) {
                let first = c * self.lanes(bytes);
                masks.push(if self.shape.isa == Isa::Avx512 {
                    self.emit(Class::Mask, Inst::new(Opcode::TailMask).from(&[index, limit]).imm(first as i64))
                } else {
                    // The number left is so small that it fits 32 bits.
                    let left = self.emit(Class::General, Inst::new(Opcode::Int2(Int2::Sub)).from(&[limit, index]));
                    let left = self.emit_vector(Inst::new(Opcode::Splat).from(&[left]).imm(bytes as i64));
                    let lanes = self.counting(bytes, first);
                    let elem = if bytes == 4 { Elem::F32 } else { Elem::F64 };
                    let greater = Opcode::Vec2(crate::lir::Vec2::IntGreater, elem);
                    self.emit_vector(Inst::new(greater).from(&[left, lanes]))
                });
            }
            self.tails.insert(bytes, masks);
        }
    }

    /// The lanes in a register that run.
    fn tail(&self, bytes: usize, chunk: usize) -> Option<Reg> {
        self.tails.get(&bytes).and_then(|masks| masks.get(chunk)).copied()
    }

    // Statements.

    fn block(&mut self, stmts: &[Stmt]) -> Result<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        match stmt {
            Stmt::Let(value, op) => {
                let lowered = self.op(*value, *op)?;
                self.bind(*value, lowered);
                if matches!(op, Op::Int(_) | Op::EnvInt(_)) {
                    self.early.get_mut(value.index()).into_iter().for_each(|early| *early = true);
                }
                Ok(())
            }
            Stmt::Var(value, init) => {
                let class = self.class(*value);
                let mut regs = Vec::new();
                for c in 0..self.chunks(*value) {
                    let reg = self.fresh(class, Home::Frame);
                    match init {
                        Some(init) => {
                            let init = self.chunk(*init, c)?;
                            self.push(Inst::new(Opcode::Move).to(reg).from(&[init]));
                        }
                        None => self.push(Inst::new(Opcode::Declare).to(reg)),
                    }
                    regs.push(reg);
                }
                self.variables.get_mut(value.index()).into_iter().for_each(|v| *v = true);
                self.bind(*value, Lowered::Chunks(regs));
                Ok(())
            }
            Stmt::Set(variable, value) => {
                let accumulates = self.program.accumulators.iter().any(|acc| acc.variable == *variable);
                let bytes = self.bytes(*variable);
                for c in 0..self.chunks(*variable) {
                    let (to, value) = (self.chunk(*variable, c)?, self.chunk(*value, c)?);
                    // Lanes that are left out keep their values.
                    let value = match self.tail(bytes, c).filter(|_| accumulates) {
                        Some(mask) => self.blend(self.elem(*variable), mask, value, to),
                        None => value,
                    };
                    self.push(Inst::new(Opcode::Move).to(to).from(&[value]));
                }
                Ok(())
            }
            Stmt::Store(place, value) => self.store(*place, *value),
            Stmt::Leave(mask) => self.leave(*mask),
            Stmt::Stop(place) => {
                let mem = self.mem(*place)?;
                self.push(Inst::new(Opcode::Stop).mem(mem));
                Ok(())
            }
            Stmt::For(l) => self.inner(l),
        }
    }

    fn op(&mut self, value: Value, op: Op) -> Result<Lowered> {
        match op {
            Op::Int(i) => {
                let to = self.int();
                self.ints.insert(value, i);
                self.before.push(Inst::new(Opcode::IntConst).imm(i).to(to));
                Ok(Lowered::Int(to))
            }
            Op::EnvInt(slot) => Ok(Lowered::Int(self.define(Class::General, Home::EnvInt(slot)))),
            Op::IntBinary(op, a, b) => {
                let op = match op {
                    Bits::Add => Int2::Add,
                    Bits::Sub => Int2::Sub,
                    Bits::Mul => Int2::Mul,
                    Bits::And | Bits::Or | Bits::Xor => return Err(Error::Unsupported("such integer arithmetic")),
                };
                let constant = self.ints.get(&b).and_then(|&b| i32::try_from(b).ok()).filter(|_| op != Int2::Sub);
                let (a, b) = (self.general(a)?, self.general(b)?);
                let inst = match constant {
                    Some(imm) => Inst::new(Opcode::Int2(op)).from(&[a]).imm(i64::from(imm)),
                    None => Inst::new(Opcode::Int2(op)).from(&[a, b]),
                };
                Ok(Lowered::Int(self.emit(Class::General, inst)))
            }
            Op::IntLoad(width, place) => {
                let mem = self.mem(place)?;
                Ok(Lowered::Int(self.emit(Class::General, Inst::new(Opcode::IntLoad(width)).mem(mem))))
            }
            Op::Const(elem, bits) => Ok(Lowered::Uniform(self.number(elem, bits))),
            Op::LanesConst(i) => Ok(Lowered::Uniform(self.number(Elem::F64, i as u64))),
            Op::EnvFloat(elem, slot) => Ok(Lowered::Uniform(self.define(Class::Vector, Home::EnvFloat(elem, slot)))),
            Op::Load(elem, place) => self.load(value, elem, place),
            Op::LanesLoad(width, place) => self.load_ints(value, width, place),
            Op::Copy(a) | Op::ToBits(a) | Op::FromBits(a) => self.copy(value, a),
            _ => self.compute(value, op),
        }
    }

    /// One test for the masks of all lanes.
    fn leave(&mut self, mask: Value) -> Result<()> {
        let mut any = self.chunk(mask, 0)?;
        for c in 1..if self.is_uniform(mask) { 1 } else { self.chunks(mask) } {
            let next = self.chunk(mask, c)?;
            any = self.masks(Opcode::MaskOr, crate::lir::Vec2::Or, &[any, next]);
        }
        let mut reads = vec![any, self.general(self.program.outer.index)?];
        for acc in &self.program.accumulators {
            for c in 0..self.chunks(acc.variable) {
                reads.push(self.chunk(acc.variable, c)?);
            }
        }
        self.push(Inst::new(Opcode::Leave).from(&reads));
        Ok(())
    }

    /// The same registers, unless they may change.
    fn copy(&mut self, value: Value, of: Value) -> Result<Lowered> {
        if !self.variables.get(of.index()).copied().unwrap_or(false) {
            return self.lowered(of).cloned();
        }
        let class = self.class(value);
        let mut regs = Vec::new();
        for c in 0..self.chunks(of) {
            let from = self.chunk(of, c)?;
            regs.push(self.emit(class, Inst::new(Opcode::Move).from(&[from])));
        }
        Ok(Lowered::Chunks(regs))
    }

    // Accumulators.

    fn accumulator_place(&self, k: usize, chunk: usize) -> Mem {
        let disp = ACCUMULATORS as usize + (k * self.shape.stride + chunk) * self.shape.isa.bytes();
        Mem { base: Base::Frame, index: None, disp: disp as i32 }
    }

    fn load_accumulator(&mut self, k: usize, acc: &Accumulator) -> Vec<Reg> {
        let places: Vec<Mem> = (0..self.chunks(acc.variable)).map(|c| self.accumulator_place(k, c)).collect();
        places.into_iter().map(|place| self.emit_vector(Inst::new(Opcode::Load(acc.elem)).mem(place))).collect()
    }

    fn combine_one(&mut self, k: usize, acc: &Accumulator) -> Result<()> {
        let mut parts = self.load_accumulator(k, acc);
        while parts.len() > 1 {
            let high = parts.split_off(parts.len() / 2);
            let pairs: Vec<(Reg, Reg)> = parts.into_iter().zip(high).collect();
            parts = Vec::new();
            for (a, b) in pairs {
                parts.push(self.binary(acc.combine.binary(), acc.elem, a, b));
            }
        }
        let Some(&first) = parts.first() else { return malformed("an accumulator without registers") };
        let mut sum = first;
        let mut bytes = self.shape.isa.bytes() / 2;
        while bytes >= acc.elem.bytes() {
            let high = self.emit_vector(Inst::new(Opcode::Down).from(&[sum]).imm(bytes as i64));
            sum = self.binary(acc.combine.binary(), acc.elem, sum, high);
            bytes /= 2;
        }
        let mem = Mem { base: Base::Env, index: None, disp: 8 * acc.slot as i32 };
        self.push(Inst::new(Opcode::StoreScalar(acc.elem)).from(&[sum]).mem(mem));
        Ok(())
    }
}
