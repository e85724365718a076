//! The meaning of a program: one iteration after the other.

use crate::error::malformed;
use crate::program::{
    Access, Binary, Bits, Compare, Elem, For, MemOperand, Op, Program, Stmt, Type, Unary, Value, Width,
};
use crate::{Error, Kernel};

/// The memory behind a program's addresses.
pub trait Elements {
    /// `bytes` bytes, eight at most, at an address. `root` is the slot of the environment that the address came from.
    fn load(&mut self, root: Option<u32>, address: u64, bytes: usize) -> Result<u64, Error>;
    fn store(&mut self, root: Option<u32>, address: u64, bytes: usize, bits: u64) -> Result<(), Error>;
}

/// Memory by address.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    regions: Vec<(u64, Vec<u8>)>,
}

impl Memory {
    pub fn add(&mut self, address: u64, bytes: Vec<u8>) {
        self.regions.push((address, bytes));
    }

    pub fn region(&self, k: usize) -> &[u8] {
        self.regions.get(k).map_or(&[], |(_, bytes)| bytes)
    }

    fn at(&mut self, address: u64, count: usize) -> Result<&mut [u8], Error> {
        for (start, bytes) in &mut self.regions {
            let offset = address.wrapping_sub(*start) as usize;
            if let Some(found) = offset.checked_add(count).and_then(|end| bytes.get_mut(offset..end)) {
                return Ok(found);
            }
        }
        malformed(format!("{address:#x} is outside of memory"))
    }
}

impl Elements for Memory {
    fn load(&mut self, _root: Option<u32>, address: u64, count: usize) -> Result<u64, Error> {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(self.at(address, count)?).for_each(|(to, from)| *to = *from);
        Ok(u64::from_le_bytes(bytes))
    }

    fn store(&mut self, _root: Option<u32>, address: u64, count: usize, bits: u64) -> Result<(), Error> {
        self.at(address, count)?.iter_mut().zip(bits.to_le_bytes()).for_each(|(to, from)| *to = from);
        Ok(())
    }
}

/// Runs a program on memory, as the kernel made from it does: results are accumulated in the order of `kernel`. Returns
/// the first index that was not reached; a kernel that leaves may stop at an earlier one. Fails if `memory` refuses a
/// load or a store.
pub fn eval<M: Elements>(program: &Program, kernel: &Kernel, env: &mut [u64], memory: &mut M) -> Result<i64, Error> {
    let values = vec![0; program.types.len()];
    let mut run = Run { program, roots: roots(program), values, env, memory, left: false };
    run.block(&program.prologue)?;
    let extent = run.int(program.outer.extent);
    let start = program.start.map_or(0, |slot| run.env.get(slot as usize).copied().unwrap_or(0) as i64);
    let count = extent.saturating_sub(start).max(0);
    let in_main = count - count % kernel.width as i64;
    let neutral = |acc: &crate::Accumulator| acc.elem.bits(acc.combine.neutral());
    let mut sums: Vec<Vec<u64>> = program.accumulators.iter().map(|acc| vec![neutral(acc); kernel.width]).collect();
    for i in 0..count {
        let lane = if i < in_main { i % kernel.width as i64 } else { (i - in_main) % kernel.step as i64 } as usize;
        for (acc, sums) in program.accumulators.iter().zip(&sums) {
            run.put(acc.variable, sums.get(lane).copied().unwrap_or(0));
        }
        run.iteration(&program.outer, start + i)?;
        if run.left {
            return Ok(start + i);
        }
        for (acc, sums) in program.accumulators.iter().zip(&mut sums) {
            let value = run.get(acc.variable);
            sums.get_mut(lane).into_iter().for_each(|s| *s = value);
        }
    }
    for (acc, mut sums) in program.accumulators.iter().zip(sums) {
        while sums.len() > 1 {
            let high = sums.split_off(sums.len() / 2);
            let pair = |(a, b): (u64, u64)| binary(acc.combine.binary(), acc.elem, a, b);
            sums = sums.into_iter().zip(high).map(pair).collect();
        }
        let sum = sums.first().copied().unwrap_or(0);
        run.env.get_mut(acc.slot as usize).into_iter().for_each(|slot| *slot = sum);
    }
    Ok(start + count)
}

/// For each value that is or may be an address, the slot of the environment that it is derived from.
fn roots(program: &Program) -> Vec<Option<u32>> {
    fn block(stmts: &[Stmt], roots: &mut [Option<u32>]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(value, op) => {
                    let of = |value: Value| roots.get(value.index()).copied().flatten();
                    let root = match *op {
                        Op::EnvInt(slot) => Some(slot),
                        // The summand of an address is no address: a number of bytes comes second.
                        Op::IntBinary(Bits::Add, a, b) => of(a).or_else(|| of(b)),
                        _ => None,
                    };
                    roots.get_mut(value.index()).into_iter().for_each(|place| *place = root);
                }
                Stmt::For(l) => block(&l.body, roots),
                _ => {}
            }
        }
    }
    let mut roots = vec![None; program.types.len()];
    block(&program.prologue, &mut roots);
    block(&program.outer.body, &mut roots);
    roots
}

struct Run<'a, M> {
    program: &'a Program,
    /// The slots that addresses come from.
    roots: Vec<Option<u32>>,
    /// Bits: floats of their type, masks 0 or 1, integers.
    values: Vec<u64>,
    env: &'a mut [u64],
    memory: &'a mut M,
    /// Whether the program was left.
    left: bool,
}

impl<M: Elements> Run<'_, M> {
    fn get(&self, value: Value) -> u64 {
        self.values.get(value.index()).copied().unwrap_or(0)
    }

    fn int(&self, value: Value) -> i64 {
        self.get(value) as i64
    }

    fn put(&mut self, value: Value, bits: u64) {
        self.values.get_mut(value.index()).into_iter().for_each(|place| *place = bits);
    }

    fn elem(&self, value: Value) -> Elem {
        match self.program.types.get(value.index()) {
            Some(Type::Float(Elem::F32) | Type::Mask(Elem::F32)) => Elem::F32,
            _ => Elem::F64,
        }
    }

    fn number(&self, value: Value) -> f64 {
        number(self.elem(value), self.get(value))
    }

    fn iteration(&mut self, l: &For, i: i64) -> Result<(), Error> {
        self.put(l.index, i as u64);
        for &(local, step) in &l.inductions {
            let value = i.wrapping_mul(self.int(step));
            self.put(local, value as u64);
        }
        self.block(&l.body)
    }

    fn block(&mut self, stmts: &[Stmt]) -> Result<(), Error> {
        for stmt in stmts {
            // The caller repeats the following statements, which may need what the test found missing.
            if self.left {
                break;
            }
            match stmt {
                Stmt::Let(value, op) => {
                    let bits = self.op(*op)?;
                    self.put(*value, bits);
                }
                Stmt::Var(value, init) => {
                    let bits = init.map_or(0, |init| self.get(init));
                    self.put(*value, bits);
                }
                Stmt::Set(variable, value) => self.put(*variable, self.get(*value)),
                Stmt::Store(place, value) => {
                    let (address, bits) = (self.address(*place), self.get(*value));
                    self.memory.store(self.root(*place), address, self.elem(*value).bytes(), bits)?;
                }
                Stmt::Leave(mask) => self.left |= self.get(*mask) != 0,
                // Nobody stops the reference.
                Stmt::Stop(_) => {}
                Stmt::For(l) => {
                    for i in 0..self.int(l.extent) {
                        self.iteration(l, i)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn address(&self, place: MemOperand) -> u64 {
        let mut address = self.int(place.base).wrapping_add(i64::from(place.disp));
        if let Some((index, scale)) = place.index {
            address = address.wrapping_add(self.int(index).wrapping_mul(i64::from(scale)));
        }
        if let Access::Each(offset) = place.access {
            address = address.wrapping_add(self.int(offset));
        }
        address as u64
    }

    fn root(&self, place: MemOperand) -> Option<u32> {
        self.roots.get(place.base.index()).copied().flatten()
    }

    fn load_int(&mut self, width: Width, place: MemOperand) -> Result<u64, Error> {
        let bits = self.memory.load(self.root(place), self.address(place), width.bytes())?;
        Ok(if width == Width::I32 { bits as u32 as i32 as i64 as u64 } else { bits })
    }

    fn op(&mut self, op: Op) -> Result<u64, Error> {
        let flag = |b: bool| u64::from(b);
        Ok(match op {
            Op::Int(i) | Op::LanesConst(i) => i as u64,
            Op::EnvInt(slot) => self.env.get(slot as usize).copied().unwrap_or(0),
            Op::EnvFloat(elem, slot) => {
                let bits = self.env.get(slot as usize).copied().unwrap_or(0);
                if elem == Elem::F32 { bits & 0xffff_ffff } else { bits }
            }
            Op::IntBinary(op, a, b) | Op::LanesBinary(op, a, b) => integer(op, self.int(a), self.int(b)) as u64,
            Op::IntLoad(width, place) | Op::LanesLoad(width, place) => self.load_int(width, place)?,
            Op::Const(_, bits) => bits,
            Op::Copy(a) | Op::Splat(a) | Op::Linear(a, _) | Op::ToBits(a) | Op::FromBits(a) => self.get(a),
            Op::Load(elem, place) => self.memory.load(self.root(place), self.address(place), elem.bytes())?,
            Op::Unary(op, a) => self.elem(a).bits(unary(op, self.number(a))),
            Op::Binary(op, a, b) => binary(op, self.elem(a), self.get(a), self.get(b)),
            Op::Fma(a, b, c) if self.elem(a) == Elem::F32 => {
                let [a, b, c] = [a, b, c].map(|v| f32::from_bits(self.get(v) as u32));
                u64::from(a.mul_add(b, c).to_bits())
            }
            Op::Fma(a, b, c) => self.number(a).mul_add(self.number(b), self.number(c)).to_bits(),
            Op::Scale(a, power) => arr_math::Number::scale(self.number(a), self.number(power)).to_bits(),
            Op::Compare(op, a, b) => flag(compare(op, self.number(a), self.number(b))),
            Op::Select(m, a, b) => self.get(if self.get(m) != 0 { a } else { b }),
            Op::And(a, b) => self.get(a) & self.get(b),
            Op::Or(a, b) => self.get(a) | self.get(b),
            Op::Not(a) => 1 - self.get(a),
            Op::Shift(a, by) if by >= 0 => self.get(a) << by,
            Op::Shift(a, by) => self.get(a) >> by.unsigned_abs(),
            Op::TestBits(a, bits) => flag(self.int(a) & bits != 0),
            Op::ToFloat(Elem::F32, a) => u64::from((self.int(a) as f32).to_bits()),
            Op::ToFloat(Elem::F64, a) => (self.int(a) as f64).to_bits(),
            Op::Widen(a) => self.number(a).to_bits(),
            Op::Narrow(a) => Elem::F32.bits(self.number(a)),
        })
    }
}

fn number(elem: Elem, bits: u64) -> f64 {
    match elem {
        Elem::F32 => f64::from(f32::from_bits(bits as u32)),
        Elem::F64 => f64::from_bits(bits),
    }
}

fn integer(op: Bits, a: i64, b: i64) -> i64 {
    match op {
        Bits::Add => a.wrapping_add(b),
        Bits::Sub => a.wrapping_sub(b),
        Bits::Mul => a.wrapping_mul(b),
        Bits::And => a & b,
        Bits::Or => a | b,
        Bits::Xor => a ^ b,
    }
}

/// In `f64`; rounded once to `f32` that is what `f32` arithmetic gives.
fn unary(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Neg => -x,
        Unary::Abs => x.abs(),
        Unary::Sqrt => x.sqrt(),
        Unary::Sign => arr_math::sign(x),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Round => x.round_ties_even(),
    }
}

fn binary(op: Binary, elem: Elem, a: u64, b: u64) -> u64 {
    let (x, y) = (number(elem, a), number(elem, b));
    elem.bits(match op {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        Binary::Div => x / y,
        Binary::MulZero if x == 0.0 || y == 0.0 => 0.0,
        Binary::MulZero => x * y,
        Binary::Min => arr_math::min(x, y),
        Binary::Max => arr_math::max(x, y),
        Binary::Lesser => arr_math::Number::lesser(x, y),
        Binary::Greater => arr_math::Number::greater(x, y),
    })
}

fn compare(op: Compare, x: f64, y: f64) -> bool {
    match op {
        Compare::Eq => x == y,
        Compare::Ne => x != y,
        Compare::Lt => x < y,
        Compare::Le => x <= y,
        Compare::Gt => x > y,
        Compare::Ge => x >= y,
        Compare::Unordered => x.is_nan() || y.is_nan(),
    }
}
