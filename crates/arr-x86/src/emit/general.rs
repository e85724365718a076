//! Integers, masks and loops.

use super::{Arg, Emitter, GENERAL, Result, address};
use crate::alloc::Location;
use crate::error::malformed;
use crate::lir::{Inst, Int2, Opcode as Op, Reg};
use crate::program::Width;
use iced_x86::{Code, Register};

impl Emitter<'_> {
    fn general_in(&self, reg: Reg) -> Option<Register> {
        match self.place(reg) {
            Location::In(k) => GENERAL.get(k).copied(),
            Location::Frame(_) | Location::Home | Location::Unused => None,
        }
    }

    /// The register to compute an integer in.
    pub(super) fn general_to(&self, reg: Reg) -> Register {
        self.general_in(reg).unwrap_or(Register::RAX)
    }

    /// The register of an integer, which is loaded if it has none.
    pub(super) fn general(&mut self, reg: Reg, scratch: Register) -> Result<Register> {
        if let Some(register) = self.general_in(reg) {
            return Ok(register);
        }
        let Arg::M(home) = self.general_arg(reg)? else { return malformed("an integer without a place") };
        self.ins(Code::Mov_r64_rm64, &[Arg::R(scratch), Arg::M(home)]);
        Ok(scratch)
    }

    fn general_arg(&self, reg: Reg) -> Result<Arg> {
        match (self.general_in(reg), self.place(reg)) {
            (Some(register), _) => Ok(Arg::R(register)),
            (None, Location::Frame(_) | Location::Home) => Ok(Arg::M(self.home(reg)?)),
            (None, _) => malformed("an integer without a place"),
        }
    }

    pub(super) fn set_general(&mut self, to: Reg, from: Register) -> Result<()> {
        match self.general_arg(to) {
            Ok(Arg::R(register)) if register == from => {}
            Ok(to @ Arg::R(_)) => self.ins(Code::Mov_r64_rm64, &[to, Arg::R(from)]),
            Ok(to) => self.ins(Code::Mov_rm64_r64, &[to, Arg::R(from)]),
            // Nothing reads it.
            Err(_) => {}
        }
        Ok(())
    }

    pub(super) fn integer(&mut self, inst: &Inst) -> Result<()> {
        match (inst.code, inst.to, inst.mem) {
            (Op::IntConst, Some(to), _) => {
                let work = self.general_to(to);
                match i32::try_from(inst.imm) {
                    Ok(imm) => self.ins(Code::Mov_rm64_imm32, &[Arg::R(work), Arg::I(imm)]),
                    Err(_) => {
                        let mov = iced_x86::Instruction::with2(Code::Mov_r64_imm64, work, inst.imm);
                        self.out.push(mov.map_err(|e| crate::Error::Malformed(e.to_string()))?);
                    }
                }
                self.set_general(to, work)
            }
            (Op::IntLoad(width), Some(to), Some(mem)) => {
                let memory = Arg::M(self.memory(&mem)?);
                let work = self.general_to(to);
                match width {
                    Width::I64 => self.ins(Code::Mov_r64_rm64, &[Arg::R(work), memory]),
                    Width::I32 => self.ins(Code::Movsxd_r64_rm32, &[Arg::R(work), memory]),
                    Width::U32 => self.ins(
                        Code::Mov_r32_rm32,
                        &[Arg::R(Register::EAX + (work as u32 - Register::RAX as u32)), memory],
                    ),
                }
                self.set_general(to, work)
            }
            (Op::IntStore, _, Some(mem)) => {
                let Some(&from) = inst.from.first() else { return malformed("a store of nothing") };
                let from = self.general(from, Register::RCX)?;
                let memory = Arg::M(self.memory(&mem)?);
                self.ins(Code::Mov_rm64_r64, &[memory, Arg::R(from)]);
                Ok(())
            }
            (Op::Int2(op), Some(to), _) => self.int2(op, to, inst),
            _ => malformed("an instruction without operands"),
        }
    }

    fn int2(&mut self, op: Int2, to: Reg, inst: &Inst) -> Result<()> {
        let Some(&a) = inst.from.first() else { return malformed("an instruction without operands") };
        let target = self.general_to(to);
        let Some(&b) = inst.from.get(1) else {
            let imm = i32::try_from(inst.imm).map_err(|_| crate::Error::TooLarge)?;
            let a = self.general(a, Register::RAX)?;
            match op {
                Int2::Mul => self.ins(Code::Imul_r64_rm64_imm32, &[Arg::R(target), Arg::R(a), Arg::I(imm)]),
                Int2::Add if a == target => self.ins(Code::Add_rm64_imm32, &[Arg::R(a), Arg::I(imm)]),
                Int2::Add => self.ins(Code::Lea_r64_m, &[Arg::R(target), Arg::M(address(a, imm))]),
                Int2::Sub => return malformed("subtraction of a constant"),
            }
            return self.set_general(to, target);
        };
        let b = self.general_arg(b)?;
        let a = self.general(a, Register::RAX)?;
        let taken = matches!(b, Arg::R(b) if b == target) && a != target;
        let work = if taken { Register::RAX } else { target };
        if work != a {
            self.ins(Code::Mov_r64_rm64, &[Arg::R(work), Arg::R(a)]);
        }
        let code = match op {
            Int2::Add => Code::Add_r64_rm64,
            Int2::Sub => Code::Sub_r64_rm64,
            Int2::Mul => Code::Imul_r64_rm64,
        };
        self.ins(code, &[Arg::R(work), b]);
        self.set_general(to, work)
    }

    fn compare_counter(&mut self, inst: &Inst) -> Result<()> {
        let &[counter, limit] = inst.from.as_slice() else { return malformed("a loop without a limit") };
        let counter = self.general(counter, Register::RAX)?;
        let limit = self.general_arg(limit)?;
        self.ins(Code::Cmp_r64_rm64, &[Arg::R(counter), limit]);
        Ok(())
    }

    /// The labels of a loop: its body and what follows.
    fn labels(&self, inst: &Inst) -> (u64, u64) {
        let first = self.labels + 2 * inst.imm as u64;
        (first, first + 1)
    }

    pub(super) fn begin(&mut self, inst: &Inst) -> Result<()> {
        self.compare_counter(inst)?;
        let (body, exit) = self.labels(inst);
        self.branch(Code::Jge_rel32_64, exit)?;
        self.label(body);
        Ok(())
    }

    pub(super) fn end(&mut self, inst: &Inst) -> Result<()> {
        self.compare_counter(inst)?;
        let (body, exit) = self.labels(inst);
        self.branch(Code::Jl_rel32_64, body)?;
        self.label(exit);
        Ok(())
    }

    pub(super) fn leave_if(&mut self, inst: &Inst) -> Result<()> {
        let [mask, index, accumulators @ ..] = inst.from.as_slice() else {
            return malformed("a way out without a condition");
        };
        let (mask, index) = (*mask, *index);
        if self.isa == crate::Isa::Avx512 {
            let mask = self.mask(mask, Register::K2)?;
            self.ins(Code::VEX_Kortestw_kr_kr, &[Arg::R(mask), Arg::R(mask)]);
        } else {
            let mask = self.vector_reg(mask, 0)?;
            let bits = Arg::R(Register::EAX);
            self.ins(Code::VEX_Vmovmskpd_r32_ymm, &[bits, Arg::R(mask)]);
            self.ins(Code::Test_rm32_r32, &[bits, bits]);
        }
        let index = self.general(index, Register::RCX)?;
        // Moves preserve the flags.
        self.ins(Code::Mov_rm64_r64, &[Arg::M(address(Register::RSP, crate::select::DONE)), Arg::R(index)]);
        // The next section continues there, and leaves again: it runs fewer iterations at once.
        self.branch(Code::Jne_rel32_64, if accumulators.is_empty() { super::EXIT } else { self.labels })
    }

    pub(super) fn stop(&mut self, inst: &Inst) -> Result<()> {
        let Some(mem) = inst.mem else { return malformed("a way out without a condition") };
        let flag = Arg::M(self.memory(&mem)?);
        self.ins(Code::Cmp_rm8_imm8, &[flag, Arg::I(0)]);
        self.branch(Code::Jne_rel32_64, super::EXIT)
    }

    // Masks in registers of their own.

    fn mask_in(&self, reg: Reg) -> Option<Register> {
        match self.place(reg) {
            Location::In(k) => Some(Register::K3 + k as u32),
            Location::Frame(_) | Location::Home | Location::Unused => None,
        }
    }

    pub(super) fn mask_to(&self, reg: Reg) -> Register {
        self.mask_in(reg).unwrap_or(Register::K2)
    }

    pub(super) fn mask(&mut self, reg: Reg, scratch: Register) -> Result<Register> {
        match (self.mask_in(reg), self.place(reg)) {
            (Some(register), _) => Ok(register),
            (None, Location::Frame(_) | Location::Home) => {
                let home = self.home(reg)?;
                self.ins(Code::VEX_Kmovw_kr_km16, &[Arg::R(scratch), Arg::M(home)]);
                Ok(scratch)
            }
            (None, _) => malformed("a mask without a place"),
        }
    }

    pub(super) fn set_mask(&mut self, to: Reg, from: Register) -> Result<()> {
        match (self.mask_in(to), self.place(to)) {
            (Some(register), _) if register == from => {}
            (Some(register), _) => self.ins(Code::VEX_Kmovw_kr_km16, &[Arg::R(register), Arg::R(from)]),
            (None, Location::Frame(_)) => {
                let home = self.home(to)?;
                self.ins(Code::VEX_Kmovw_m16_kr, &[Arg::M(home), Arg::R(from)]);
            }
            (None, _) => {}
        }
        Ok(())
    }
}
