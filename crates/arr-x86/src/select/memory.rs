//! Loads and stores.

use super::{Lowered, Result, Select};
use crate::error::malformed;
use crate::lir::{Base, Inst, Mem, Opcode, Reg};
use crate::program::{Access, Elem, MemOperand, Value, Width};
use crate::{Error, Isa};

impl Select<'_> {
    /// The first element's place.
    pub(super) fn mem(&self, place: MemOperand) -> Result<Mem> {
        let index = match place.index {
            Some((index, scale @ (1 | 2 | 4 | 8))) => Some((self.general(index)?, scale)),
            Some(_) => return malformed("a scale that is not 1, 2, 4 or 8"),
            None => None,
        };
        Ok(Mem { base: Base::Reg(self.general(place.base)?), index, disp: place.disp })
    }

    /// The address this many bytes further.
    fn moved(mem: Mem, bytes: usize) -> Result<Mem> {
        let disp = i32::try_from(bytes).ok().and_then(|b| mem.disp.checked_add(b));
        Ok(Mem { disp: disp.ok_or(Error::TooLarge)?, ..mem })
    }

    pub(super) fn load(&mut self, value: Value, elem: Elem, place: MemOperand) -> Result<Lowered> {
        let mem = self.mem(place)?;
        let step = match place.access {
            Access::Same => {
                return Ok(Lowered::Uniform(self.emit_vector(Inst::new(Opcode::Broadcast(elem)).mem(mem))));
            }
            Access::Row => {
                let mut regs = Vec::new();
                for c in 0..self.chunks(value) {
                    let mem = Self::moved(mem, c * self.shape.isa.bytes())?;
                    let mask = self.tail(elem.bytes(), c);
                    regs.push(self.emit_vector(Inst::new(Opcode::Load(elem)).mem(mem).mask(mask)));
                }
                return Ok(Lowered::Chunks(regs));
            }
            Access::Stream => return malformed("a load past the cache"),
            Access::Strided(step) => self.offsets(step)?,
            Access::Each(offsets) => self.all_chunks(offsets)?,
        };
        let mem = self.whole(mem);
        let mut parts = Vec::new();
        for (c, &offsets) in step.iter().enumerate() {
            let mask = self.tail(8, c);
            parts.push(self.emit_vector(Inst::new(Opcode::Gather(elem)).from(&[offsets]).mem(mem).mask(mask)));
        }
        if elem == Elem::F64 {
            return Ok(Lowered::Chunks(parts));
        }
        let join = |pair: &[Reg]| self.emit_vector(Inst::new(Opcode::Join).from(pair));
        Ok(Lowered::Chunks(parts.chunks(2).map(join).collect()))
    }

    fn all_chunks(&self, value: Value) -> Result<Vec<Reg>> {
        (0..self.chunks(value)).map(|c| self.chunk(value, c)).collect()
    }

    /// An address without an index: the index is for the lanes.
    fn whole(&mut self, mem: Mem) -> Mem {
        let (Some((index, scale)), Base::Reg(base)) = (mem.index, mem.base) else { return mem };
        use crate::lir::{Class, Int2};
        let scaled = if scale == 1 {
            index
        } else {
            self.emit(Class::General, Inst::new(Opcode::Int2(Int2::Mul)).from(&[index]).imm(i64::from(scale)))
        };
        let sum = self.emit(Class::General, Inst::new(Opcode::Int2(Int2::Add)).from(&[base, scaled]));
        Mem { base: Base::Reg(sum), index: None, disp: mem.disp }
    }

    pub(super) fn load_ints(&mut self, value: Value, width: Width, place: MemOperand) -> Result<Lowered> {
        let mem = self.mem(place)?;
        let offsets = match place.access {
            Access::Same => return Err(Error::Unsupported("such a load of integers")),
            Access::Stream => return malformed("a load past the cache"),
            Access::Row => {
                if width == Width::I64 {
                    return self.load(value, Elem::F64, place);
                }
                if self.shape.isa == Isa::Avx2 {
                    return Err(Error::Unsupported("masked loads of 32-bit integers"));
                }
                let mut regs = Vec::new();
                for c in 0..self.chunks(value) {
                    let mem = Self::moved(mem, c * self.shape.isa.bytes() / 2)?;
                    let mask = self.tail(8, c);
                    regs.push(self.emit_vector(Inst::new(Opcode::LoadInts(width)).mem(mem).mask(mask)));
                }
                return Ok(Lowered::Chunks(regs));
            }
            _ if width == Width::I64 => return self.load(value, Elem::F64, place),
            Access::Strided(step) => self.offsets(step)?,
            Access::Each(offsets) => self.all_chunks(offsets)?,
        };
        let mem = self.whole(mem);
        let mut regs = Vec::new();
        for (c, &offsets) in offsets.iter().enumerate() {
            let gather = Inst::new(Opcode::Gather(Elem::F32)).from(&[offsets]).mem(mem).mask(self.tail(8, c));
            let half = self.emit_vector(gather);
            regs.push(self.emit_vector(Inst::new(Opcode::ExtendInts(width)).from(&[half])));
        }
        Ok(Lowered::Chunks(regs))
    }

    pub(super) fn store(&mut self, place: MemOperand, value: Value) -> Result<()> {
        let elem = self.elem(value);
        let mem = self.mem(place)?;
        let offsets = match place.access {
            Access::Same => return malformed("all iterations write to one place"),
            Access::Row | Access::Stream => {
                let stream = place.access == Access::Stream && !self.shape.masked;
                let code = if stream { Opcode::Stream(elem) } else { Opcode::Store(elem) };
                for c in 0..self.chunks(value) {
                    let mem = Self::moved(mem, c * self.shape.isa.bytes())?;
                    let (reg, mask) = (self.chunk(value, c)?, self.tail(elem.bytes(), c));
                    self.push(Inst::new(code).from(&[reg]).mem(mem).mask(mask));
                }
                return Ok(());
            }
            Access::Strided(step) => self.offsets(step)?,
            Access::Each(offsets) => self.all_chunks(offsets)?,
        };
        if self.shape.isa == Isa::Avx2 {
            return Err(Error::Unsupported("scatter"));
        }
        let mem = self.whole(mem);
        for (c, &offsets) in offsets.iter().enumerate() {
            let reg = match elem {
                Elem::F64 => self.chunk(value, c)?,
                Elem::F32 => {
                    let whole = self.chunk(value, c / 2)?;
                    if c % 2 == 0 { whole } else { self.high_half(whole) }
                }
            };
            let mask = self.tail(8, c);
            self.push(Inst::new(Opcode::Scatter(elem)).from(&[reg, offsets]).mem(mem).mask(mask));
        }
        Ok(())
    }
}
