//! Bytes of a kernel: its sections one after the other in a stack frame of its own, followed by the constants.

mod general;
mod vector;

use crate::alloc::{Allocation, Location, allocate};
use crate::error::malformed;
use crate::lir::{Base, Class, Home, Inst, Mem, Opcode as Op, Pool, Reg, RegInfo, Section};
use crate::program::{Program, Stmt};
use crate::select::{self, KernelVariant};
use crate::software_pipeline::software_pipeline;
use crate::{Error, Isa};
use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, Instruction, InstructionBlock, MemoryOperand, OpKind, Register,
};

/// Machine code, and the order of its work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Position-independent; to be placed on a boundary of 64 bytes.
    pub bytes: Vec<u8>,
    /// Iterations per step, as long as there are enough.
    pub width: usize,
    /// Iterations at once at the end.
    pub step: usize,
}

/// The most bytes of stack.
const MOST_FRAME: usize = 1 << 16;

/// Statements beyond which a body is not worth running on several registers per value.
const LARGE: usize = 150;

/// The maximal number of spills of a loop in two stages.
const MOST_SPILLS: usize = 4;

type Result<T> = std::result::Result<T, Error>;

/// Makes machine code of a program. Fails if the instruction set lacks an operation, the frame or an offset is too
/// large, or the program is not well formed.
pub fn assemble(program: &Program, isa: Isa) -> Result<Kernel> {
    let step = isa.bytes() / program.least_bytes();
    let plain = choose(program, isa, step)?;
    let pipelined = software_pipeline(program);
    // Code that takes many more registers than there are, or fewer iterations at once, would not be faster. A few
    // spills are those of the code around the loop.
    let better = match &pipelined {
        Some(program) => {
            let made = choose(program, isa, step)?;
            let spills = plain.allocation.spills + MOST_SPILLS;
            let fits = made.allocation.spills <= spills && made.shape.width >= plain.shape.width;
            fits.then_some((program, made))
        }
        None => None,
    };
    let (program, Main { shape, mut pool, section: main, allocation }) = better.unwrap_or((program, plain));
    let mut emitter = Emitter::new(isa);
    let frame = program.accumulators.len() * shape.stride * isa.bytes() + select::ACCUMULATORS as usize;
    emitter.frame = frame;
    let mut others = Vec::new();
    let first = select::neutral(program, shape, &mut pool);
    others.push(first);
    others.push(select::body(program, KernelVariant { width: step, masked: true, ..shape }, &mut pool)?);
    others.push(select::combine(program, shape, &mut pool)?);
    let mut others: Vec<(Section, Allocation)> = others
        .into_iter()
        .map(|mut section| {
            let allocation = allocate(&mut section, isa);
            (section, allocation)
        })
        .collect();
    others.insert(1, (main, allocation));
    let spill = others.iter().map(|(_, a)| a.spill_bytes).max().unwrap_or(0);
    if frame + spill > MOST_FRAME {
        return Err(Error::TooLarge);
    }
    emitter.enter(frame + spill, program.start)?;
    for (section, allocation) in &others {
        emitter.section(section, allocation, &pool)?;
    }
    emitter.leave()?;
    // Once to learn the length of the code, and again with the constants on an aligned boundary.
    let code = emitter.out.len();
    emitter.constants(&pool, 0)?;
    let length = emitter.encode()?.len() - pool.entries.iter().map(|e| e.bytes.len()).sum::<usize>();
    emitter.out.truncate(code);
    emitter.constants(&pool, length.next_multiple_of(64) - length)?;
    Ok(Kernel { bytes: emitter.encode()?, width: shape.width, step })
}

/// The code of the outer loop while full steps are left.
struct Main {
    shape: KernelVariant,
    pool: Pool,
    section: Section,
    allocation: Allocation,
}

/// Uses as many registers per value as fit.
fn choose(program: &Program, isa: Isa, step: usize) -> Result<Main> {
    let size = statements(&program.outer.body);
    let mut tries: &[usize] = if program.accumulators.is_empty() { &[4, 2, 1] } else { &[8, 4, 2, 1] };
    while let (true, [first, rest @ ..]) = (tries.len() > 1, tries) {
        if first * size <= LARGE {
            break;
        }
        tries = rest;
    }
    let mut best = None;
    for &unroll in tries {
        let mut pool = Pool::default();
        let width = step * unroll;
        let shape = KernelVariant { isa, width, masked: false, stride: 8 * width / isa.bytes() };
        let mut section = select::body(program, shape, &mut pool)?;
        let allocation = allocate(&mut section, isa);
        let fits = allocation.spills == 0;
        best = Some(Main { shape, pool, section, allocation });
        if fits {
            break;
        }
    }
    best.ok_or(Error::TooLarge)
}

fn statements(stmts: &[Stmt]) -> usize {
    let one = |stmt: &Stmt| if let Stmt::For(l) = stmt { 2 + statements(&l.body) } else { 1 };
    stmts.iter().map(one).sum()
}

/// An operand of an instruction.
#[derive(Clone, Copy)]
enum Arg {
    R(Register),
    M(MemoryOperand),
    /// A byte.
    B(u8),
    /// 32 bits with their sign.
    I(i32),
}

const GENERAL: [Register; 11] = [
    Register::RDX,
    Register::RSI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
    Register::RBX,
];

/// Registers that must be restored for the caller.
const SAVED: [Register; 5] = [Register::RBX, Register::R12, Register::R13, Register::R14, Register::R15];

struct Emitter<'a> {
    isa: Isa,
    out: Vec<Instruction>,
    /// Where spilled values begin in the frame.
    frame: usize,
    regs: &'a [RegInfo],
    places: &'a [Location],
    pool: Option<&'a Pool>,
    /// The label of the section's end, where accumulators are stored; those of its loops follow.
    labels: u64,
}

/// The label of the way out.
const EXIT: u64 = (1 << 32) - 1;

/// The label of a constant; loops' labels are below.
const POOL_LABELS: u64 = 1 << 32;

impl<'a> Emitter<'a> {
    fn new(isa: Isa) -> Emitter<'a> {
        Emitter { isa, out: Vec::new(), frame: 0, regs: &[], places: &[], pool: None, labels: 1 }
    }

    fn ins(&mut self, code: Code, args: &[Arg]) {
        let mut inst = Instruction::default();
        inst.set_code(code);
        for (k, arg) in args.iter().enumerate() {
            let k = k as u32;
            match *arg {
                Arg::R(register) => {
                    inst.set_op_kind(k, OpKind::Register);
                    inst.set_op_register(k, register);
                }
                Arg::M(memory) => {
                    inst.set_op_kind(k, OpKind::Memory);
                    inst.set_memory_base(memory.base);
                    inst.set_memory_index(memory.index);
                    inst.set_memory_index_scale(memory.scale);
                    inst.set_memory_displ_size(memory.displ_size);
                    inst.set_memory_displacement64(memory.displacement as u64);
                    inst.set_is_broadcast(memory.is_broadcast);
                }
                Arg::B(byte) => {
                    inst.set_op_kind(k, OpKind::Immediate8);
                    inst.set_immediate8(byte);
                }
                Arg::I(number) => {
                    inst.set_op_kind(k, OpKind::Immediate32to64);
                    inst.set_immediate32to64(i64::from(number));
                }
            }
        }
        self.out.push(inst);
    }

    /// The last instruction takes effect where the mask is set; elsewhere the result is zero, or unchanged.
    fn under(&mut self, mask: Register, zero: bool) {
        if let Some(inst) = self.out.last_mut() {
            inst.set_op_mask(mask);
            inst.set_zeroing_masking(zero);
        }
    }

    fn branch(&mut self, code: Code, label: u64) -> Result<()> {
        let inst = Instruction::with_branch(code, label).map_err(|e| Error::Malformed(e.to_string()))?;
        self.out.push(inst);
        Ok(())
    }

    /// Binds a branch target.
    fn label(&mut self, label: u64) {
        let mut inst = Instruction::default();
        inst.set_code(Code::Zero_bytes);
        inst.set_ip(label);
        self.out.push(inst);
    }

    fn enter(&mut self, frame: usize, start: Option<u32>) -> Result<()> {
        use Register::{RAX, RBP, RDI, RSP};
        self.ins(Code::Push_r64, &[Arg::R(RBP)]);
        self.ins(Code::Mov_r64_rm64, &[Arg::R(RBP), Arg::R(RSP)]);
        for saved in SAVED {
            self.ins(Code::Push_r64, &[Arg::R(saved)]);
        }
        let frame = i32::try_from(frame).map_err(|_| Error::TooLarge)?;
        // Every page is touched, so that no guard page is skipped.
        for page in 1..=frame / 4096 {
            self.ins(Code::Or_rm64_imm32, &[Arg::M(address(RSP, -4096 * page)), Arg::I(0)]);
        }
        self.ins(Code::Sub_rm64_imm32, &[Arg::R(RSP), Arg::I(frame)]);
        self.ins(Code::And_rm64_imm32, &[Arg::R(RSP), Arg::I(-64)]);
        let done = Arg::M(address(RSP, select::DONE));
        match start {
            Some(slot) => {
                self.ins(Code::Mov_r64_rm64, &[Arg::R(RAX), Arg::M(address(RDI, 8 * slot as i32))]);
                self.ins(Code::Mov_rm64_r64, &[done, Arg::R(RAX)]);
            }
            None => self.ins(Code::Mov_rm64_imm32, &[done, Arg::I(0)]),
        }
        Ok(())
    }

    /// The exit; the result is the first index that was not reached.
    fn leave(&mut self) -> Result<()> {
        use Register::{RAX, RBP, RSP};
        self.label(EXIT);
        self.ins(Code::Mov_r64_rm64, &[Arg::R(RAX), Arg::M(address(RSP, select::DONE))]);
        self.ins(Code::VEX_Vzeroupper, &[]);
        self.ins(Code::Lea_r64_m, &[Arg::R(RSP), Arg::M(address(RBP, -8 * SAVED.len() as i32))]);
        for saved in SAVED.into_iter().rev() {
            self.ins(Code::Pop_r64, &[Arg::R(saved)]);
        }
        self.ins(Code::Pop_r64, &[Arg::R(RBP)]);
        self.ins(Code::Retnq, &[]);
        Ok(())
    }

    /// The constants, the longest first, after padding of this many bytes.
    fn constants(&mut self, pool: &Pool, gap: usize) -> Result<()> {
        self.data(&vec![0xcc; gap])?;
        let mut order: Vec<usize> = (0..pool.entries.len()).collect();
        let length = |k: usize| pool.entries.get(k).map_or(0, |entry| entry.bytes.len());
        order.sort_by_key(|&k| std::cmp::Reverse(length(k)));
        for k in order {
            self.label(POOL_LABELS + k as u64);
            self.data(pool.entries.get(k).map_or(&[], |entry| entry.bytes.as_slice()))?;
        }
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<()> {
        for part in bytes.chunks(16) {
            let data = Instruction::with_declare_byte(part);
            self.out.push(data.map_err(|e| Error::Malformed(e.to_string()))?);
        }
        Ok(())
    }

    fn encode(&self) -> Result<Vec<u8>> {
        let block = InstructionBlock::new(&self.out, 0);
        let result = BlockEncoder::encode(64, block, BlockEncoderOptions::NONE);
        Ok(result.map_err(|e| Error::Malformed(e.to_string()))?.code_buffer)
    }

    fn section<'b: 'a>(&mut self, section: &'b Section, allocation: &'b Allocation, pool: &'b Pool) -> Result<()> {
        self.regs = &section.regs;
        self.places = &allocation.places;
        self.pool = Some(pool);
        let mut most = 0;
        for inst in &section.insts {
            match inst.code {
                Op::Begin => {
                    most = most.max(inst.imm as u64);
                    self.begin(inst)?;
                }
                Op::End => self.end(inst)?,
                Op::Leave => self.leave_if(inst)?,
                Op::Stop => self.stop(inst)?,
                Op::Left => self.label(self.labels),
                Op::IntConst | Op::IntLoad(_) | Op::IntStore | Op::Int2(_) => self.integer(inst)?,
                Op::Define | Op::Move => self.plain(inst)?,
                Op::Declare => {}
                _ => self.vector(inst)?,
            }
        }
        self.labels += 2 * (most + 1);
        Ok(())
    }

    fn place(&self, reg: Reg) -> Location {
        self.places.get(reg.index()).copied().unwrap_or(Location::Unused)
    }

    fn info(&self, reg: Reg) -> Result<RegInfo> {
        self.regs.get(reg.index()).copied().ok_or(Error::TooLarge)
    }

    /// The memory of a value without a register.
    fn home(&self, reg: Reg) -> Result<MemoryOperand> {
        Ok(match self.info(reg)?.home {
            Home::Frame => {
                let Location::Frame(at) = self.place(reg) else { return malformed("a value that was not spilled") };
                address(Register::RSP, (self.frame + at) as i32)
            }
            Home::Pool(entry) => MemoryOperand::new(
                Register::RIP,
                Register::None,
                1,
                (POOL_LABELS + entry as u64) as i64,
                1,
                false,
                Register::None,
            ),
            Home::EnvInt(slot) | Home::EnvFloat(_, slot) => address(Register::RDI, 8 * slot as i32),
        })
    }

    /// The bytes of a constant that stands for a whole vector, if it is in memory.
    fn broadcasts(&self, reg: Reg) -> Result<Option<usize>> {
        Ok(match self.info(reg)?.home {
            Home::Pool(entry) => {
                let entry = self.pool.and_then(|p| p.entries.get(entry)).ok_or(Error::TooLarge)?;
                entry.broadcast.then_some(entry.bytes.len())
            }
            Home::EnvFloat(elem, _) => Some(elem.bytes()),
            Home::Frame | Home::EnvInt(_) => None,
        })
    }

    /// Definitions and moves.
    fn plain(&mut self, inst: &Inst) -> Result<()> {
        let Some(to) = inst.to else { return Ok(()) };
        let class = self.info(to)?.class;
        match (class, inst.from.first()) {
            (Class::General, Some(&from)) => {
                let from = self.general(from, Register::RAX)?;
                self.set_general(to, from)
            }
            (Class::General, None) => {
                let Location::In(_) = self.place(to) else { return Ok(()) };
                let home = self.home(to)?;
                let register = self.general_to(to);
                self.ins(Code::Mov_r64_rm64, &[Arg::R(register), Arg::M(home)]);
                Ok(())
            }
            (Class::Mask, Some(&from)) => {
                let from = self.mask(from, Register::K2)?;
                self.set_mask(to, from)
            }
            (Class::Mask, None) => Ok(()),
            (Class::Vector, Some(&from)) => {
                // A constant and an input have no location of their own: only a register can be the same as another.
                let together = matches!(self.place(to), Location::In(_)) && self.place(to) == self.place(from);
                if !together {
                    let register = match self.place(to) {
                        Location::In(_) => self.vector_to(to),
                        _ => self.scratch(0),
                    };
                    self.fetch(from, register)?;
                    self.keep(to, register)?;
                }
                Ok(())
            }
            (Class::Vector, None) => {
                if let Location::In(_) = self.place(to) {
                    let register = self.vector_to(to);
                    self.fetch_home(to, register)?;
                }
                Ok(())
            }
        }
    }

    /// The memory of a load or store. Base and index without registers are brought into scratch registers.
    fn memory(&mut self, mem: &Mem) -> Result<MemoryOperand> {
        let (base, offset) = match mem.base {
            Base::Reg(base) => (self.general(base, Register::RAX)?, 0),
            Base::Env => (Register::RDI, 0),
            Base::Frame => (Register::RSP, 0),
        };
        let mut operand = address(base, mem.disp + offset);
        if let Some((index, scale)) = mem.index {
            operand.index = self.general(index, Register::RCX)?;
            operand.scale = u32::from(scale);
        }
        Ok(operand)
    }
}

fn address(base: Register, disp: i32) -> MemoryOperand {
    let size = u32::from(disp != 0);
    MemoryOperand::new(base, Register::None, 1, i64::from(disp), size, false, Register::None)
}
