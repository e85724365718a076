//! Vector instructions.

use super::{Arg, Emitter, Result};
use crate::alloc::Location;
use crate::error::malformed;
use crate::lir::{Inst, Opcode as Op, Reg};
use crate::program::Elem;
use crate::{Error, Isa, codes};
use iced_x86::{Code, Register};

/// The register in another size.
fn sized(register: Register, first: Register) -> Register {
    let of_class = [Register::ZMM0, Register::YMM0, Register::XMM0].into_iter().find(|&c| register as u32 >= c as u32);
    first + (register as u32 - of_class.map_or(0, |c| c as u32))
}

pub(super) fn xmm(register: Register) -> Register {
    sized(register, Register::XMM0)
}

impl Emitter<'_> {
    fn wide(&self) -> bool {
        self.isa == Isa::Avx512
    }

    fn whole(&self, number: usize) -> Register {
        let first = if self.wide() { Register::ZMM0 } else { Register::YMM0 };
        first + number as u32
    }

    /// The register that holds the lower half.
    fn half(&self, register: Register) -> Register {
        sized(register, if self.wide() { Register::YMM0 } else { Register::XMM0 })
    }

    /// Registers that hold no values. AVX-512 has two.
    pub(super) fn scratch(&self, k: usize) -> Register {
        self.whole(if self.wide() { 30 + k } else { 13 + k })
    }

    fn vector_in(&self, reg: Reg) -> Option<Register> {
        match self.place(reg) {
            Location::In(k) => Some(self.whole(k)),
            Location::Frame(_) | Location::Home | Location::Unused => None,
        }
    }

    pub(super) fn vector_to(&self, reg: Reg) -> Register {
        self.vector_in(reg).unwrap_or_else(|| self.scratch(0))
    }

    /// Stores a result that has no register.
    pub(super) fn keep(&mut self, to: Reg, from: Register) -> Result<()> {
        if let Location::Frame(_) = self.place(to) {
            let home = self.home(to)?;
            let code = codes::store(self.isa, Elem::F64);
            self.ins(code, &[Arg::M(home), Arg::R(from)]);
        }
        Ok(())
    }

    pub(super) fn fetch_home(&mut self, reg: Reg, into: Register) -> Result<()> {
        let home = Arg::M(self.home(reg)?);
        let code = match self.broadcasts(reg)? {
            Some(4) => codes::broadcast(self.isa, Elem::F32),
            Some(_) => codes::broadcast(self.isa, Elem::F64),
            None => codes::load(self.isa, Elem::F64),
        };
        self.ins(code, &[Arg::R(into), home]);
        Ok(())
    }

    /// Brings a vector into a certain register.
    pub(super) fn fetch(&mut self, reg: Reg, into: Register) -> Result<()> {
        match (self.vector_in(reg), self.place(reg)) {
            (Some(from), _) if from == into => Ok(()),
            (Some(from), _) => {
                self.move_vector(into, from);
                Ok(())
            }
            (None, Location::Frame(_) | Location::Home) => self.fetch_home(reg, into),
            (None, _) => malformed("a vector without a place"),
        }
    }

    fn move_vector(&mut self, into: Register, from: Register) {
        let code = if self.wide() { Code::EVEX_Vmovapd_zmm_k1z_zmmm512 } else { Code::VEX_Vmovapd_ymm_ymmm256 };
        self.ins(code, &[Arg::R(into), Arg::R(from)]);
    }

    /// The register of a vector, which is loaded if it has none.
    pub(super) fn vector_reg(&mut self, reg: Reg, scratch: usize) -> Result<Register> {
        if let Some(register) = self.vector_in(reg) {
            return Ok(register);
        }
        let into = self.scratch(scratch);
        self.fetch(reg, into)?;
        Ok(into)
    }

    /// A vector in memory, if an instruction on such elements can read it from there.
    fn folded(&self, reg: Reg, elem: Elem) -> Result<Option<Arg>> {
        let (Location::Frame(_) | Location::Home) = self.place(reg) else { return Ok(None) };
        let mut home = self.home(reg)?;
        match self.broadcasts(reg)? {
            None => {}
            Some(bytes) if self.wide() && bytes == elem.bytes() => home.is_broadcast = true,
            Some(_) => return Ok(None),
        }
        Ok(Some(Arg::M(home)))
    }

    fn vector_arg(&mut self, reg: Reg, elem: Elem, scratch: usize) -> Result<Arg> {
        match self.folded(reg, elem)? {
            Some(arg) => Ok(arg),
            None => Ok(Arg::R(self.vector_reg(reg, scratch)?)),
        }
    }

    pub(super) fn vector(&mut self, inst: &Inst) -> Result<()> {
        match (inst.code, inst.from.as_slice(), inst.to) {
            (Op::Store(_) | Op::Stream(_) | Op::StoreScalar(_) | Op::Scatter(_), ..) => self.store(inst),
            (Op::Compare(_) | Op::MaskAnd | Op::MaskOr | Op::MaskNot | Op::TestBits | Op::TailMask, from, Some(to))
                if self.wide() =>
            {
                self.mask_op(inst, from, to)
            }
            (_, from, Some(to)) => {
                let target = self.vector_to(to);
                self.vector_op(inst, from, target)?;
                self.keep(to, target)
            }
            _ => malformed("an instruction without a result"),
        }
    }

    fn vector_op(&mut self, inst: &Inst, from: &[Reg], target: Register) -> Result<()> {
        let isa = self.isa;
        let to = Arg::R(target);
        match (inst.code, from) {
            (Op::Load(_) | Op::LoadInts(_) | Op::Broadcast(_) | Op::Gather(_), _) => self.load(inst, from, target)?,
            (Op::Vec2(op, elem), &[a, b]) => {
                let Some(code) = codes::vec2(op, isa, elem) else { return Err(Error::Unsupported("such arithmetic")) };
                let mask = inst.mask.map(|m| self.mask(m, Register::K1)).transpose()?;
                let a = self.vector_reg(a, 0)?;
                let b = self.vector_arg(b, elem, 1)?;
                self.ins(code, &[to, Arg::R(a), b]);
                mask.into_iter().for_each(|mask| self.under(mask, true));
            }
            (Op::Compare(elem), &[a, b]) => {
                let a = self.vector_reg(a, 0)?;
                let b = self.vector_arg(b, elem, 1)?;
                self.ins(codes::compare(isa, elem), &[to, Arg::R(a), b, Arg::B(inst.imm as u8)]);
            }
            (Op::Sqrt(elem), &[a]) => {
                let a = self.vector_arg(a, elem, 0)?;
                self.ins(codes::sqrt(isa, elem), &[to, a]);
            }
            (Op::Round(elem), &[a]) => {
                let a = self.vector_arg(a, elem, 0)?;
                self.ins(codes::round(isa, elem), &[to, a, Arg::B(inst.imm as u8)]);
            }
            (Op::Fma(elem), &[a, b, c]) => self.fma(elem, target, [a, b, c])?,
            (Op::Blend(elem), &[no, yes]) => {
                let Some(mask) = inst.mask else { return malformed("a choice without a condition") };
                if self.wide() {
                    let mask = self.mask(mask, Register::K1)?;
                    let no = self.vector_reg(no, 0)?;
                    let yes = self.vector_arg(yes, elem, 1)?;
                    self.ins(codes::blend(isa, elem), &[to, Arg::R(no), yes]);
                    self.under(mask, false);
                } else {
                    let mask = self.vector_reg(mask, 2)?;
                    let no = self.vector_reg(no, 0)?;
                    let yes = self.vector_arg(yes, elem, 1)?;
                    self.ins(codes::blend(isa, elem), &[to, Arg::R(no), yes, Arg::R(mask)]);
                }
            }
            (Op::ShiftLeft | Op::ShiftRight, &[a]) => {
                let a = self.vector_reg(a, 0)?;
                let code = codes::shift(isa, inst.code == Op::ShiftLeft);
                self.ins(code, &[to, Arg::R(a), Arg::B(inst.imm as u8)]);
            }
            (Op::Splat, &[a]) => {
                let a = self.general(a, Register::RAX)?;
                if self.wide() {
                    self.ins(Code::EVEX_Vpbroadcastq_zmm_k1z_r64, &[to, Arg::R(a)]);
                } else {
                    let low = Arg::R(xmm(target));
                    let code = if inst.imm == 4 {
                        Code::VEX_Vpbroadcastd_ymm_xmmm32
                    } else {
                        Code::VEX_Vpbroadcastq_ymm_xmmm64
                    };
                    self.ins(Code::VEX_Vmovq_xmm_rm64, &[low, Arg::R(a)]);
                    self.ins(code, &[to, low]);
                }
            }
            _ => self.convert(inst, from, target)?,
        }
        Ok(())
    }

    /// Between whole and half registers.
    fn convert(&mut self, inst: &Inst, from: &[Reg], target: Register) -> Result<()> {
        let wide = self.wide();
        let (to, low) = (Arg::R(target), Arg::R(self.half(target)));
        let Some(&first) = from.first() else { return malformed("a conversion of nothing") };
        let a = self.vector_reg(first, 0)?;
        let a_half = Arg::R(self.half(a));
        let a = Arg::R(a);
        match inst.code {
            Op::HighHalf if wide => self.ins(Code::EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8, &[low, a, Arg::B(1)]),
            Op::HighHalf => self.ins(Code::VEX_Vextractf128_xmmm128_ymm_imm8, &[low, a, Arg::B(1)]),
            Op::Join => {
                let Some(&high) = from.get(1) else { return malformed("a half that is missing") };
                let high = self.vector_reg(high, 1)?;
                let high = Arg::R(self.half(high));
                let code = if wide {
                    Code::EVEX_Vinsertf64x4_zmm_k1z_zmm_ymmm256_imm8
                } else {
                    Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8
                };
                self.ins(code, &[to, a, high, Arg::B(1)]);
            }
            Op::Widen if wide => self.ins(Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, &[to, a_half]),
            Op::Widen => self.ins(Code::VEX_Vcvtps2pd_ymm_xmmm128, &[to, a_half]),
            Op::Narrow if wide => self.ins(Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er, &[low, a]),
            Op::Narrow => self.ins(Code::VEX_Vcvtpd2ps_xmm_ymmm256, &[low, a]),
            Op::FromInt(Elem::F64) if wide => self.ins(Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er, &[to, a]),
            Op::FromInt(Elem::F32) if wide => self.ins(Code::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er, &[low, a]),
            Op::ExtendInts(width) => self.ins(codes::extend_ints(self.isa, width), &[to, a_half]),
            Op::Down => self.down(inst.imm, target, a),
            _ => return Err(Error::Unsupported("such an operation")),
        }
        Ok(())
    }

    /// The elements from an offset in bytes on come first.
    fn down(&mut self, bytes: i64, target: Register, a: Arg) {
        let (ymm, xmm) = (Arg::R(sized(target, Register::YMM0)), Arg::R(xmm(target)));
        let low = if let Arg::R(a) = a { Arg::R(sized(a, Register::XMM0)) } else { a };
        match (bytes, self.isa) {
            (32, _) => self.ins(Code::EVEX_Vextractf64x4_ymmm256_k1z_zmm_imm8, &[ymm, a, Arg::B(1)]),
            (16, Isa::Avx512) => self.ins(Code::EVEX_Vextractf64x2_xmmm128_k1z_zmm_imm8, &[xmm, a, Arg::B(1)]),
            (16, Isa::Avx2) => self.ins(Code::VEX_Vextractf128_xmmm128_ymm_imm8, &[xmm, a, Arg::B(1)]),
            (_, Isa::Avx512) => self.ins(Code::EVEX_Vpsrldq_xmm_xmmm128_imm8, &[xmm, low, Arg::B(bytes as u8)]),
            (_, Isa::Avx2) => self.ins(Code::VEX_Vpsrldq_xmm_xmm_imm8, &[xmm, low, Arg::B(bytes as u8)]),
        }
    }

    fn fma(&mut self, elem: Elem, target: Register, [a, b, c]: [Reg; 3]) -> Result<()> {
        let code = |order| codes::fma(order, self.isa, elem);
        let [f231, f213, f132] = [231, 213, 132].map(code);
        let to = Arg::R(target);
        // A factor from memory, if the sum does not come from there.
        let c_folds = self.vector_in(c).is_none();
        let (a, b) = if self.vector_in(a).is_none() { (b, a) } else { (a, b) };
        if !c_folds && let Some(factor) = self.folded(b, elem)? {
            let a = self.vector_reg(a, 0)?;
            let c = self.vector_reg(c, 1)?;
            if a == target && c != target {
                self.ins(f132, &[to, Arg::R(c), factor]);
                return Ok(());
            }
            if c != target {
                self.move_vector(target, c);
            }
            self.ins(f231, &[to, Arg::R(a), factor]);
            return Ok(());
        }
        let a = self.vector_reg(a, 0)?;
        let b = self.vector_reg(b, 1)?;
        match self.vector_arg(c, elem, 2)? {
            Arg::R(c) if c == target => self.ins(f231, &[to, Arg::R(a), Arg::R(b)]),
            c if a == target => self.ins(f213, &[to, Arg::R(b), c]),
            c if b == target => self.ins(f213, &[to, Arg::R(a), c]),
            Arg::R(c) => {
                self.move_vector(target, c);
                self.ins(f231, &[to, Arg::R(a), Arg::R(b)]);
            }
            c => {
                self.move_vector(target, a);
                self.ins(f213, &[to, Arg::R(b), c]);
            }
        }
        Ok(())
    }

    fn mask_op(&mut self, inst: &Inst, from: &[Reg], to: Reg) -> Result<()> {
        let target = self.mask_to(to);
        match (inst.code, from) {
            (Op::Compare(elem), &[a, b]) => {
                let mask = inst.mask.map(|m| self.mask(m, Register::K1)).transpose()?;
                let a = self.vector_reg(a, 0)?;
                let b = self.vector_arg(b, elem, 1)?;
                let args = [Arg::R(target), Arg::R(a), b, Arg::B(inst.imm as u8)];
                self.ins(codes::compare(self.isa, elem), &args);
                mask.into_iter().for_each(|mask| self.under(mask, false));
            }
            (Op::TestBits, &[a, b]) => {
                let a = self.vector_reg(a, 0)?;
                let b = self.vector_arg(b, Elem::F64, 1)?;
                self.ins(Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64, &[Arg::R(target), Arg::R(a), b]);
            }
            (Op::MaskNot, &[a]) => {
                let a = self.mask(a, Register::K1)?;
                self.ins(Code::VEX_Knotw_kr_kr, &[Arg::R(target), Arg::R(a)]);
            }
            (Op::MaskAnd | Op::MaskOr, &[a, b]) => {
                let (a, b) = (self.mask(a, Register::K1)?, self.mask(b, Register::K2)?);
                let code = if inst.code == Op::MaskAnd { Code::VEX_Kandw_kr_kr_kr } else { Code::VEX_Korw_kr_kr_kr };
                self.ins(code, &[Arg::R(target), Arg::R(a), Arg::R(b)]);
            }
            (Op::TailMask, &[index, limit]) => {
                // As many ones as iterations are left, shifted to these lanes: both numbers are small.
                let limit = self.general(limit, Register::RAX)?;
                if limit != Register::RAX {
                    self.ins(Code::Mov_r64_rm64, &[Arg::R(Register::RAX), Arg::R(limit)]);
                }
                let index = self.general(index, Register::RCX)?;
                self.ins(Code::Sub_r64_rm64, &[Arg::R(Register::RAX), Arg::R(index)]);
                self.ins(Code::Mov_rm64_imm32, &[Arg::R(Register::RCX), Arg::I(-1)]);
                let (ones, count) = (Arg::R(Register::ECX), Arg::R(Register::EAX));
                self.ins(Code::VEX_Bzhi_r32_rm32_r32, &[ones, ones, count]);
                if inst.imm > 0 {
                    self.ins(Code::Shr_rm32_imm8, &[ones, Arg::B(inst.imm as u8)]);
                }
                self.ins(Code::VEX_Kmovw_kr_r32, &[Arg::R(target), ones]);
            }
            _ => return malformed("an operation on masks without operands"),
        }
        self.set_mask(to, target)
    }

    // Memory.

    fn load(&mut self, inst: &Inst, from: &[Reg], target: Register) -> Result<()> {
        let Some(mem) = inst.mem else { return malformed("a load without a place") };
        let mut memory = self.memory(&mem)?;
        let to = Arg::R(target);
        match inst.code {
            Op::Broadcast(elem) => self.ins(codes::broadcast(self.isa, elem), &[to, Arg::M(memory)]),
            Op::Gather(elem) => {
                let &[index] = from else { return malformed("a gather without an index") };
                memory.index = self.vector_reg(index, 1)?;
                let all = self.gather_mask(inst, elem)?;
                // The instruction would wait for lanes that are left out.
                let code = codes::vec2(crate::lir::Vec2::Xor, self.isa, Elem::F32).ok_or(Error::TooLarge)?;
                self.ins(code, &[to, to, to]);
                let part = if elem == Elem::F64 { to } else { Arg::R(self.half(target)) };
                let code = codes::gather(self.isa, elem);
                if self.wide() {
                    self.ins(code, &[part, Arg::M(memory)]);
                    self.under(all, false);
                } else {
                    self.ins(code, &[part, Arg::M(memory), Arg::R(all)]);
                }
            }
            Op::Load(elem) => match inst.mask {
                Some(mask) if !self.wide() => {
                    let mask = self.vector_reg(mask, 1)?;
                    self.ins(codes::masked_load(elem), &[to, Arg::R(mask), Arg::M(memory)]);
                }
                mask => {
                    let mask = mask.map(|m| self.mask(m, Register::K1)).transpose()?;
                    self.ins(codes::load(self.isa, elem), &[to, Arg::M(memory)]);
                    mask.into_iter().for_each(|mask| self.under(mask, true));
                }
            },
            Op::LoadInts(width) => {
                let mask = inst.mask.map(|m| self.mask(m, Register::K1)).transpose()?;
                self.ins(codes::extend_ints(self.isa, width), &[to, Arg::M(memory)]);
                mask.into_iter().for_each(|mask| self.under(mask, true));
            }
            _ => return malformed("not a load"),
        }
        Ok(())
    }

    /// A mask for a gather, which clears it: of all lanes, or of those that run.
    fn gather_mask(&mut self, inst: &Inst, elem: Elem) -> Result<Register> {
        if self.wide() {
            let k = Arg::R(Register::K1);
            match inst.mask {
                None => self.ins(Code::VEX_Kxnorw_kr_kr_kr, &[k, k, k]),
                Some(mask) => {
                    let mask = self.mask(mask, Register::K1)?;
                    if mask != Register::K1 {
                        self.ins(Code::VEX_Kmovw_kr_km16, &[k, Arg::R(mask)]);
                    }
                }
            }
            return Ok(Register::K1);
        }
        let all = self.scratch(2);
        let low = xmm(all);
        match (inst.mask, elem) {
            (None, _) => self.ins(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, &[Arg::R(all); 3]),
            (Some(mask), Elem::F64) => self.fetch(mask, all)?,
            (Some(mask), Elem::F32) => {
                // The halves of each mask are equal: one of each.
                self.fetch(mask, all)?;
                let high = Arg::R(xmm(self.scratch(0)));
                self.ins(Code::VEX_Vextractf128_xmmm128_ymm_imm8, &[high, Arg::R(all), Arg::B(1)]);
                self.ins(Code::VEX_Vshufps_xmm_xmm_xmmm128_imm8, &[Arg::R(low), Arg::R(low), high, Arg::B(0x88)]);
            }
        }
        Ok(if elem == Elem::F64 { all } else { low })
    }

    fn store(&mut self, inst: &Inst) -> Result<()> {
        let (Some(mem), Some(&value)) = (inst.mem, inst.from.first()) else { return malformed("a store of nothing") };
        let value = self.vector_reg(value, 0)?;
        let mut memory = self.memory(&mem)?;
        match (inst.code, inst.mask) {
            (Op::Store(elem), Some(mask)) if !self.wide() => {
                let mask = self.vector_reg(mask, 1)?;
                self.ins(codes::masked_store(elem), &[Arg::M(memory), Arg::R(mask), Arg::R(value)]);
            }
            (Op::Store(elem), mask) => {
                let mask = mask.map(|m| self.mask(m, Register::K1)).transpose()?;
                self.ins(codes::store(self.isa, elem), &[Arg::M(memory), Arg::R(value)]);
                mask.into_iter().for_each(|mask| self.under(mask, false));
            }
            (Op::Stream(elem), _) => {
                self.ins(codes::stream(self.isa, elem), &[Arg::M(memory), Arg::R(value)]);
            }
            (Op::StoreScalar(elem), _) => {
                self.ins(codes::store_scalar(self.isa, elem), &[Arg::M(memory), Arg::R(xmm(value))]);
            }
            (Op::Scatter(elem), _) => {
                let Some(&index) = inst.from.get(1) else { return malformed("a scatter without an index") };
                memory.index = self.vector_reg(index, 1)?;
                let mask = self.gather_mask(inst, elem)?;
                let part = if elem == Elem::F64 { value } else { self.half(value) };
                self.ins(codes::scatter(elem), &[Arg::M(memory), Arg::R(part)]);
                self.under(mask, false);
            }
            _ => return malformed("not a store"),
        }
        Ok(())
    }
}
