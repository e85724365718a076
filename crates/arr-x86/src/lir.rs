//! Machine instructions over virtual registers: each stands for one instruction or a few, and register allocation knows
//! only what it reads and writes.

use crate::Elem;
use crate::program::Width;

/// A virtual register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg(pub u32);

impl Reg {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Vector,
    Mask,
    General,
}

/// The location of a value without a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// It is stored there when it is computed.
    Frame,
    /// It is always there: a constant.
    Pool(usize),
    /// An integer of the environment.
    EnvInt(u32),
    /// A number of the environment, for every lane.
    EnvFloat(Elem, u32),
}

#[derive(Clone, Copy, Debug)]
pub struct RegInfo {
    pub class: Class,
    pub home: Home,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    Reg(Reg),
    Env,
    Frame,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mem {
    pub base: Base,
    pub index: Option<(Reg, u8)>,
    pub disp: i32,
}

/// Operations on two vectors of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Vec2 {
    Add,
    Sub,
    Mul,
    Div,
    /// The first times two to the power of the second: AVX-512.
    Scale,
    /// The second operand where either is NaN, or at a tie.
    Min,
    Max,
    And,
    Or,
    Xor,
    IntAdd,
    IntSub,
    IntMul,
    /// Of the lower halves of 64 bits, unsigned.
    MulLow,
    /// A mask of ones where the first is greater: AVX2.
    IntGreater,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Int2 {
    Add,
    Sub,
    Mul,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opcode {
    /// Introduces a constant or an input; emits nothing if it stays in memory.
    Define,
    /// Introduces a variable, with no value yet.
    Declare,
    Move,
    /// Adjacent elements; those outside `mask` are zero.
    Load(Elem),
    /// 32-bit integers as 64-bit ones.
    LoadInts(Width),
    ExtendInts(Width),
    Broadcast(Elem),
    Store(Elem),
    /// Past the cache, to a multiple of the register's size.
    Stream(Elem),
    /// `[index]`: elements at 64-bit offsets; half a vector if they are `f32`.
    Gather(Elem),
    /// `[value, index]`.
    Scatter(Elem),
    /// `[a, b]`; zero where `mask` is unset, if there is one.
    Vec2(Vec2, Elem),
    Sqrt(Elem),
    /// The mode is the immediate.
    Round(Elem),
    /// `[a, b, c]`: a * b + c.
    Fma(Elem),
    /// `[a, b]`: a mask. The predicate is the immediate.
    Compare(Elem),
    /// `[no, yes]`, and `mask`.
    Blend(Elem),
    MaskAnd,
    MaskOr,
    MaskNot,
    /// `[a, bits]`: AVX-512.
    TestBits,
    ShiftLeft,
    ShiftRight,
    /// The upper half of a vector.
    HighHalf,
    /// `[low, high]`: halves put together.
    Join,
    /// The lower half's `f32`s as `f64`s.
    Widen,
    /// `f64`s as half a vector of `f32`s.
    Narrow,
    /// 64-bit integers as floats: AVX-512. Half a vector if those are `f32`.
    FromInt(Elem),
    Splat,
    /// The elements from an offset in bytes on.
    Down,
    StoreScalar(Elem),
    /// `[index, limit]`: a mask of the remaining lanes, those from the immediate on: AVX-512.
    TailMask,
    // General registers.
    IntConst,
    IntLoad(Width),
    IntStore,
    /// `[a]` and the immediate, or `[a, b]`.
    Int2(Int2),
    /// `[counter, limit]`: leaves if no iteration is left. The immediate is the loop.
    Begin,
    /// `[counter, limit]`: continues if some iteration is left.
    End,
    /// `[mask, index]`: leaves the kernel, with that many iterations done. With accumulators behind, which are read then, it
    /// goes to [`Opcode::Left`].
    Leave,
    /// Ends the kernel if the byte in memory is not 0.
    Stop,
    /// Where accumulators are stored after the loop.
    Left,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    pub code: Opcode,
    pub to: Option<Reg>,
    pub from: Vec<Reg>,
    pub mem: Option<Mem>,
    pub mask: Option<Reg>,
    pub imm: i64,
}

impl Inst {
    pub fn new(code: Opcode) -> Inst {
        Inst { code, to: None, from: Vec::new(), mem: None, mask: None, imm: 0 }
    }

    pub fn to(mut self, to: Reg) -> Inst {
        self.to = Some(to);
        self
    }

    pub fn from(mut self, from: &[Reg]) -> Inst {
        self.from = from.to_vec();
        self
    }

    pub fn mem(mut self, mem: Mem) -> Inst {
        self.mem = Some(mem);
        self
    }

    pub fn mask(mut self, mask: Option<Reg>) -> Inst {
        self.mask = mask;
        self
    }

    pub fn imm(mut self, imm: i64) -> Inst {
        self.imm = imm;
        self
    }

    /// The registers it reads.
    pub fn reads(&self) -> impl Iterator<Item = Reg> + '_ {
        let mem = self.mem.iter().flat_map(|mem| {
            let base = if let Base::Reg(base) = mem.base { Some(base) } else { None };
            base.into_iter().chain(mem.index.map(|(index, _)| index))
        });
        self.from.iter().copied().chain(mem).chain(self.mask)
    }

    /// Whether its result must not share a register with its operands.
    pub fn reads_late(&self) -> bool {
        matches!(self.code, Opcode::Gather(_))
    }
}

/// Data behind the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PoolEntry {
    pub bytes: Vec<u8>,
    /// One element that stands for all.
    pub broadcast: bool,
}

/// The constants of a kernel.
#[derive(Default, Debug)]
pub struct Pool {
    pub entries: Vec<PoolEntry>,
}

impl Pool {
    pub fn add(&mut self, entry: PoolEntry) -> usize {
        match self.entries.iter().position(|e| *e == entry) {
            Some(found) => found,
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        }
    }
}

/// Instructions that share a register allocation.
#[derive(Debug)]
pub struct Section {
    pub insts: Vec<Inst>,
    pub regs: Vec<RegInfo>,
}
