//! Steps and their order: scalars of the host, loops and branches.

use super::{Entry, Machine, Result, faults, internal};
use arr_base::RunErrorKind;
use arr_ir::Const;
use arr_loops::{Expr, Origin, SpanId};
use arr_wgsl::program::{HostFor, HostWhile, Step};

impl<'a> Machine<'a> {
    pub(super) fn steps(&mut self, steps: &'a [Step]) -> Result<()> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &'a Step) -> Result<()> {
        match step {
            Step::Let { local, expr } => {
                let entry = self.expr(expr)?;
                self.set(*local, entry)
            }
            Step::Var { local, init: Some(value) } | Step::Set { local, value } => {
                let entry = self.entry(*value)?;
                self.set(*local, entry)
            }
            Step::Var { local, init: None } => self.set(*local, Entry::Unknown),
            Step::Alloc { local, dims, span } => self.alloc(*local, dims, *span).map(|_| ()),
            Step::AllocZeros { local, dims, span } => {
                let row = self.alloc(*local, dims, *span)?;
                let (block, bytes) = self.whole(row)?;
                self.recorder.clear(&block, bytes);
                Ok(())
            }
            Step::MakeUnique { local, buffer, span } => self.make_unique(*local, *buffer, *span),
            Step::Pack { local, parts, span } => self.pack(*local, parts, *span),
            Step::Unpack { local, parts } => self.unpack(*local, parts),
            Step::Retain(local) => {
                let row = self.buffer(*local)?;
                self.live(row)?.count += 1;
                Ok(())
            }
            Step::Release(local) => {
                let row = self.buffer(*local)?;
                self.release(row)
            }
            Step::Check { demand, args, span } => {
                let args = self.ints(args)?;
                match faults::violation(*demand, &args) {
                    Some(kind) => self.stop(kind, *span),
                    None => Ok(()),
                }
            }
            Step::CheckShape { buffer, dims, span } => self.check_shape(*buffer, dims, *span),
            Step::Dispatch(kernel) => self.dispatch(*kernel),
            Step::Put(values) => self.put(values),
            Step::Fetch(locals) => self.fetch(locals),
            Step::For(step) => self.for_(step),
            Step::While(step) => self.while_(step),
            Step::If { cond, then_steps, else_steps } => {
                if self.bool(*cond)? {
                    self.steps(then_steps)
                } else {
                    self.steps(else_steps)
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Entry> {
        match expr {
            Expr::Prim(prim, args) => {
                let args = args.iter().map(|&a| self.scalar(a)).collect::<Result<Vec<Const>>>()?;
                match prim.eval(&args) {
                    Some(value) => Ok(Entry::Scalar(value)),
                    None => internal(format!("`{}` is not defined on its operands", prim.name())),
                }
            }
            Expr::Copy(operand) => self.entry(*operand),
            Expr::BaseAddr(buffer) => Ok(Entry::Address(self.buffer(*buffer)?, 0)),
            Expr::Offset(address, by) => {
                let by = self.int(*by)?;
                match self.entry((*address).into())? {
                    Entry::Address(row, offset) => Ok(Entry::Address(row, offset.wrapping_add(by))),
                    _ => internal(format!("{} is not an address", self.name(*address))),
                }
            }
            Expr::Load(..) | Expr::Len(_) => internal("the host reads an element"),
            Expr::Literal(id) => {
                let (block, array, bytes) = self.exe.literal(*id)?;
                self.stats.bytes_up += bytes;
                Ok(Entry::Buffer(self.borrow(block, array)))
            }
        }
    }
    fn counted(&mut self, span: SpanId) -> Result<()> {
        let Some(limit) = self.limits.max_steps else { return Ok(()) };
        if self.steps >= limit {
            return self.stop(RunErrorKind::TooManySteps { limit: i64::try_from(limit).unwrap_or(i64::MAX) }, span);
        }
        self.steps += 1;
        Ok(())
    }

    fn for_(&mut self, step: &'a HostFor) -> Result<()> {
        let extent = self.int(step.extent)?;
        for turn in 0..extent {
            if step.origin == Origin::Source {
                self.counted(step.span)?;
            }
            let index = if step.reverse { extent - 1 - turn } else { turn };
            self.set(step.index, Entry::Scalar(Const::I64(index)))?;
            for induction in &step.inductions {
                let by = self.int(induction.step)?;
                self.set(induction.local, Entry::Scalar(Const::I64(index.wrapping_mul(by))))?;
            }
            self.steps(&step.body)?;
        }
        Ok(())
    }

    fn while_(&mut self, step: &'a HostWhile) -> Result<()> {
        loop {
            self.steps(&step.head)?;
            if !self.bool(step.cond)? {
                return Ok(());
            }
            self.counted(step.span)?;
            self.steps(&step.body)?;
        }
    }
}
