//! Loops, branches, checks and failures.

use super::vectorize::plan::{Aims, choose, unrolls};
use super::{Codegen, Range, Result, Slot, internal, row, trusted};
use arr_ir::Scalar;
use arr_loops::{Demand, For, Operand, SpanId, Stmt, While};
use arr_runtime::{FailureCode, offsets};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};

impl Codegen<'_, '_> {
    pub(super) fn for_loop(&mut self, l: &For) -> Result<()> {
        if self.flags.wide && unrolls(l, self.flags.count_steps) {
            return self.unrolled(l, &mut |codegen| codegen.stmts(&l.body));
        }
        if let Some(parallel) = self.divisible(l) {
            return self.region(l, parallel);
        }
        if let Some(scan) = self.scan_of(l) {
            return if self.is_tiny(l) { self.in_order(l, scan) } else { self.scan(l, scan) };
        }
        let range = self.whole(l)?;
        self.for_range(l, range)
    }

    /// A range of the iterations, vectorised where possible.
    pub(super) fn for_range(&mut self, l: &For, range: Range) -> Result<()> {
        let aims = self.aims();
        let plan = if self.flags.wide { choose(self.loops, l, self.roots, aims) } else { None };
        let range = match plan {
            Some(plan) => self.vector_loop(l, &plan, range)?,
            None => range,
        };
        self.loop_over(l, range, &mut |codegen| codegen.stmts(&l.body))
    }

    /// The constraints on plans of wide loops.
    pub(super) fn aims(&self) -> Aims {
        let flags = &self.flags;
        Aims { counts: flags.count_steps, relaxed: flags.relaxed, kernels: flags.isa.is_some() }
    }

    /// The loop with the given body.
    pub(super) fn loop_over(
        &mut self,
        l: &For,
        range: Range,
        emit_body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Range { first, end } = range;
        let (before, body, exit) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let mut locals = vec![l.index];
        let mut steps = vec![self.int(1)];
        for induction in &l.inductions {
            locals.push(induction.local);
            steps.push(self.operand(induction.step)?);
        }
        let mut values = Vec::new();
        for local in locals {
            let value = self.b.append_block_param(body, types::I64);
            self.slots[local] = Slot::Value(value);
            values.push(value);
        }
        let any = self.more(l, first[0], end);
        // Code hoisted in front of the loop stays behind the test whether the loop runs.
        self.b.ins().brif(any, before, &[], exit, &[]);
        self.b.switch_to_block(before);
        self.b.seal_block(before);
        self.b.ins().jump(body, &block_args(&first));
        self.b.switch_to_block(body);
        if l.is_source() && self.flags.count_steps {
            self.count_step(l.span)?;
        }
        if self.flags.interruptible && may_take_long(l) {
            self.look_at_stop(l.span)?;
        }
        self.repeated += usize::from(l.is_source());
        emit_body(self)?;
        self.repeated -= usize::from(l.is_source());
        let mut next = Vec::new();
        for (value, step) in values.into_iter().zip(steps) {
            next.push(if l.reverse { self.b.ins().isub(value, step) } else { self.b.ins().iadd(value, step) });
        }
        let more = self.more(l, next[0], end);
        self.b.ins().brif(more, body, &block_args(&next), exit, &[]);
        self.b.seal_block(body);
        self.b.switch_to_block(exit);
        self.b.seal_block(exit);
        Ok(())
    }

    /// A loop of few iterations written out.
    pub(super) fn unrolled(&mut self, l: &For, emit_body: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let extent = l.extent.as_int().ok_or_else(|| internal("a loop of any length is written out"))?;
        for k in 0..extent {
            let k = if l.reverse { extent - 1 - k } else { k };
            self.slots[l.index] = Slot::Value(self.int(k));
            for induction in &l.inductions {
                let step = self.operand(induction.step)?;
                self.slots[induction.local] = Slot::Value(self.b.ins().imul_imm_s(step, k));
            }
            emit_body(self)?;
        }
        Ok(())
    }

    /// The test precedes the loop, once: the body finds its values computed.
    pub(super) fn while_loop(&mut self, l: &While) -> Result<()> {
        let (head, body, exit) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        self.repeated += 1;
        self.stmts(&l.head)?;
        let more = self.operand(l.cond)?;
        // The code generator visits the second target first, and considers a loop left when it has seen the exit: then
        // invariants would be computed inside the loop.
        let done = self.b.ins().bxor_imm_u(more, 1);
        self.b.ins().brif(done, exit, &[], body, &[]);
        self.b.switch_to_block(body);
        self.b.seal_block(body);
        if self.flags.count_steps {
            self.count_step(l.span)?;
        }
        if self.flags.interruptible {
            self.look_at_stop(l.span)?;
        }
        self.stmts(&l.body)?;
        self.repeated -= 1;
        self.b.ins().jump(head, &[]);
        self.b.seal_block(head);
        self.b.switch_to_block(exit);
        self.b.seal_block(exit);
        Ok(())
    }

    /// All iterations of a loop.
    pub(super) fn whole(&mut self, l: &For) -> Result<Range> {
        let end = self.operand(l.extent)?;
        let zero = self.int(0);
        if !l.reverse {
            return Ok(Range { first: vec![zero; 1 + l.inductions.len()], end });
        }
        // Subtracting one from the least integer would give the greatest.
        let count = self.b.ins().smax(end, zero);
        let last = self.b.ins().iadd_imm_s(count, -1);
        let mut first = vec![last];
        for induction in &l.inductions {
            let step = self.operand(induction.step)?;
            first.push(self.b.ins().imul(last, step));
        }
        Ok(Range { first, end: zero })
    }

    /// Whether an index is still inside the loop.
    fn more(&mut self, l: &For, index: Value, end: Value) -> Value {
        if l.reverse {
            self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, index, end)
        } else {
            self.b.ins().icmp(IntCC::SignedLessThan, index, end)
        }
    }

    /// Decrements the number of allowed iterations.
    fn count_step(&mut self, span: SpanId) -> Result<()> {
        let offset = offsets::STEPS_LEFT as i32;
        let left = self.b.ins().load(types::I64, trusted(), self.context, offset);
        let none = self.b.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, left, 0);
        self.fail_if(none, FailureCode::TooManySteps, span, &[])?;
        let less = self.b.ins().iadd_imm_s(left, -1);
        self.b.ins().store(trusted(), less, self.context, offset);
        Ok(())
    }

    /// Where the flag is that stops a run, for a function of the runtime that takes long; nowhere in code that is not stopped.
    pub(super) fn stop_flag(&mut self) -> Value {
        let pointer = self.module.target_config().pointer_type();
        match self.flags.interruptible {
            true => self.b.ins().load(pointer, trusted(), self.context, offsets::STOP as i32),
            false => self.b.ins().iconst(pointer, 0),
        }
    }

    /// Leaves the function if the owner of the run wants it to stop.
    pub(super) fn look_at_stop(&mut self, span: SpanId) -> Result<()> {
        let flag = self.stop_flag();
        // An ordinary load may be taken for one of an outer loop.
        let stop = self.b.ins().atomic_load(types::I8, trusted(), flag);
        self.fail_if(stop, FailureCode::Interrupted, span, &[])
    }

    pub(super) fn branch(&mut self, cond: Operand, then_body: &[Stmt], else_body: &[Stmt]) -> Result<()> {
        let cond = self.operand(cond)?;
        let (yes, no, next) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().brif(cond, yes, &[], no, &[]);
        for (block, stmts) in [(yes, then_body), (no, else_body)] {
            self.b.switch_to_block(block);
            self.b.seal_block(block);
            self.stmts(stmts)?;
            self.b.ins().jump(next, &[]);
        }
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        Ok(())
    }

    pub(super) fn check(&mut self, demand: Demand, args: &[Operand], span: SpanId) -> Result<()> {
        let values = args.iter().map(|&a| self.operand(a)).collect::<Result<Vec<Value>>>()?;
        match (demand, values.as_slice()) {
            (Demand::Index | Demand::Element, &[index, extent]) => {
                // As unsigned numbers, negative indices are larger than every extent.
                let size = self.size_at_least_0(extent, args.get(1));
                let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, size);
                // An array under a negative size is empty, and known to be.
                let told = if demand == Demand::Element { size } else { extent };
                self.fail_if(outside, FailureCode::Index, span, &[index, told])
            }
            (Demand::Place, &[place, length]) => {
                let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, place, length);
                self.fail_if(outside, FailureCode::Place, span, &[place, length])
            }
            (Demand::Slice, &[lo, hi, extent]) => {
                let beyond = self.b.ins().icmp(IntCC::SignedGreaterThan, hi, extent);
                let crossed = self.b.ins().icmp(IntCC::SignedGreaterThan, lo, hi);
                let below = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, lo, 0);
                let outside = self.b.ins().bor(beyond, crossed);
                let outside = self.b.ins().bor(outside, below);
                self.fail_if(outside, FailureCode::Slice, span, &values)
            }
            (Demand::NonZero, &[divisor]) => {
                let zero = self.b.ins().icmp_imm_s(IntCC::Equal, divisor, 0);
                self.fail_if(zero, FailureCode::DivisionByZero, span, &[])
            }
            (Demand::SizeEq, &[found, expected]) => {
                let different = self.b.ins().icmp(IntCC::NotEqual, found, expected);
                self.fail_if(different, FailureCode::SizeAssertion, span, &values)
            }
            (Demand::SizeNonNeg, &[size]) => {
                let negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, size, 0);
                self.fail_if(negative, FailureCode::NegativeSize, span, &values)
            }
            (Demand::NonEmpty, &[size]) => {
                let empty = self.b.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, size, 0);
                self.fail_if(empty, FailureCode::EmptyReduction, span, &[])
            }
            (Demand::SizeSum, &[a, b]) => {
                let (_, over) = self.b.ins().sadd_overflow(a, b);
                self.fail_too_large(over, span)
            }
            (Demand::SizeProduct, sizes) => {
                let over = self.product_overflows(sizes);
                self.fail_too_large(over, span)
            }
            (Demand::Step, &[step]) => {
                let backwards = self.b.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, step, 0);
                self.fail_if(backwards, FailureCode::Step, span, &values)
            }
            _ => Err(internal(format!("a check of {} has {} operands", demand.name(), values.len()))),
        }
    }

    /// Fails if a size is too large to be counted.
    fn fail_too_large(&mut self, over: Value, span: SpanId) -> Result<()> {
        let most = self.int(i64::MAX);
        self.fail_if(over, FailureCode::OutOfMemory, span, &[most, most])
    }

    /// Whether a product of sizes is too large to be counted, none of them being zero.
    fn product_overflows(&mut self, sizes: &[Value]) -> Value {
        let mut product = self.int(1);
        let mut over = self.b.ins().iconst(types::I8, 0);
        let mut empty = over;
        for &size in sizes {
            let high = self.b.ins().smulhi(product, size);
            product = self.b.ins().imul(product, size);
            let sign = self.b.ins().sshr_imm_u(product, 63);
            let more = self.b.ins().icmp(IntCC::NotEqual, high, sign);
            over = self.b.ins().bor(over, more);
            let none = self.b.ins().icmp_imm_s(IntCC::Equal, size, 0);
            empty = self.b.ins().bor(empty, none);
        }
        self.b.ins().band_not(over, empty)
    }

    /// A size, with 0 in place of a negative one.
    fn size_at_least_0(&mut self, size: Value, operand: Option<&Operand>) -> Value {
        if operand.and_then(|o| o.as_int()).is_some_and(|n| n >= 0) {
            return size;
        }
        let zero = self.int(0);
        self.b.ins().smax(size, zero)
    }

    /// Leaves the function with a failure if the condition holds. The values are recorded; they are `i64`.
    pub(super) fn fail_if(&mut self, cond: Value, code: FailureCode, span: SpanId, values: &[Value]) -> Result<()> {
        let (bad, next) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(bad);
        self.b.ins().brif(cond, bad, &[], next, &[]);
        self.b.switch_to_block(bad);
        self.b.seal_block(bad);
        let code = self.b.ins().iconst(types::I32, i64::from(code as u32));
        let span = self.b.ins().iconst(types::I32, row(span));
        let zero = self.int(0);
        let mut args = vec![code, span];
        args.extend((0..3).map(|k| values.get(k).copied().unwrap_or(zero)));
        self.b.ins().jump(self.fail, &block_args(&args));
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        Ok(())
    }

    /// The blocks that all failures go to.
    pub(super) fn failure_blocks(&mut self) {
        let code = self.b.append_block_param(self.fail, types::I32);
        let span = self.b.append_block_param(self.fail, types::I32);
        let values = [(); 3].map(|()| self.b.append_block_param(self.fail, types::I64));
        self.b.switch_to_block(self.fail);
        self.b.ins().store(trusted(), code, self.context, offsets::CODE as i32);
        self.b.ins().store(trusted(), span, self.context, offsets::SPAN as i32);
        for (k, value) in values.into_iter().enumerate() {
            self.b.ins().store(trusted(), value, self.context, (offsets::VALUES + 8 * k) as i32);
        }
        self.b.ins().jump(self.give_up, &[]);
        self.b.switch_to_block(self.give_up);
        self.settle_stores();
        let failed = self.b.ins().iconst(types::I32, 1);
        self.b.ins().return_(&[failed]);
    }

    /// The CLIF values of operands, with the scalar type of the first.
    pub(super) fn operands(&mut self, args: &[Operand]) -> Result<(Scalar, Vec<Value>)> {
        let first = args.first().ok_or_else(|| internal("a primitive without operands"))?;
        let scalar = self.loops.elem(*first);
        let values = args.iter().map(|&a| self.operand(a)).collect::<Result<Vec<Value>>>()?;
        Ok((scalar, values))
    }
}

/// Whether a loop may take so long that it looks at the flag that stops a run: one with loops inside, or with a number of
/// iterations that is unknown or large. Short ones without would spend much of their time on it.
pub(super) fn may_take_long(l: &For) -> bool {
    const MANY: i64 = 1 << 20;
    fn has_loops(stmts: &[Stmt]) -> bool {
        stmts.iter().any(|stmt| match stmt {
            Stmt::For(_) | Stmt::While(_) => true,
            _ => stmt.blocks().into_iter().any(has_loops),
        })
    }
    has_loops(&l.body) || l.extent.as_int().is_none_or(|extent| extent > MANY)
}

pub(super) fn block_args(values: &[Value]) -> Vec<BlockArg> {
    values.iter().map(|&v| BlockArg::Value(v)).collect()
}
