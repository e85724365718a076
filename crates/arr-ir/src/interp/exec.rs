//! The machine: slots, limits, and the statements that are not kernels.

use super::plan::{Arg, PlanAxis, PlanBlock, PlanOp, PlanStmt, Size};
use super::trap::{Operand, Watch};
use super::{Counts, Limits, internal, memory};
use crate::{Array, Check, Const, Data, Prim, RunError, RunErrorKind, Scalar, Value};
use arr_base::{Span, Traces};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub(super) type Run<T> = Result<T, RunError>;

pub(super) fn fail<T>(kind: RunErrorKind) -> Run<T> {
    Err(RunError::new(kind, None))
}

pub(super) struct Machine<'f> {
    slots: Vec<Option<Value>>,
    limits: Limits,
    steps: u64,
    live_bytes: u64,
    pub(super) counts: Counts,
    /// The number of kernels that are being executed, one inside another.
    pub(super) kernel_depth: u32,
    /// Accumulators of reductions, kept for reuse.
    pub(super) pool: Vec<Vec<Const>>,
    /// The watch over floats, where they are trapped.
    pub(super) watch: Option<Watch<'f>>,
    /// What has been shown, where somebody listens.
    pub(super) traces: Option<Traces>,
    /// What stops the run once it is set.
    pub(super) stop: Option<&'static AtomicBool>,
}

impl<'f> Machine<'f> {
    pub(super) fn new(slots: usize, limits: Limits) -> Machine<'f> {
        Machine {
            slots: vec![None; slots],
            limits,
            steps: 0,
            live_bytes: 0,
            counts: Counts::default(),
            kernel_depth: 0,
            pool: Vec::new(),
            watch: None,
            traces: None,
            stop: None,
        }
    }

    /// Fills a slot; its old content is dropped.
    pub(super) fn set(&mut self, slot: usize, value: Value) -> Run<()> {
        let Some(place) = self.slots.get_mut(slot) else { return internal("unknown variable") };
        if let Some(Value::Array(old)) = place.replace(value) {
            self.release(old);
        }
        Ok(())
    }

    /// Subtracts the slots' arrays from the live bytes if they have no other owner.
    pub(super) fn release(&mut self, array: Arc<Array>) {
        if Arc::strong_count(&array) == 1 {
            self.live_bytes = self.live_bytes.saturating_sub(memory::bytes_of(&array));
        }
    }

    fn clear(&mut self, slot: usize) {
        if let Some(Value::Array(old)) = self.slots.get_mut(slot).and_then(Option::take) {
            self.release(old);
        }
    }

    /// The number of elements of an array of these dims; an error if one is negative or the array cannot fit in memory.
    pub(super) fn count(&self, dims: &[i64]) -> Run<usize> {
        if let Some(&size) = dims.iter().find(|&&d| d < 0) {
            return fail(RunErrorKind::NegativeSize { size });
        }
        arr_base::made_count(dims).map_or_else(|| self.out_of_memory(u64::MAX), Ok)
    }

    fn out_of_memory<T>(&self, bytes: u64) -> Run<T> {
        let limit = self.limits.max_bytes.map_or(i64::MAX, clip);
        fail(RunErrorKind::OutOfMemory { bytes: clip(bytes), limit })
    }

    /// Accounts for and allocates room for `count` elements.
    pub(super) fn allocate(&mut self, elem: Scalar, count: usize) -> Run<Data> {
        let bytes = (count as u64).saturating_mul(elem.bytes() as u64);
        let live = self.live_bytes.saturating_add(bytes);
        // An allocation of more than i64::MAX bytes is never attempted.
        if live > self.limits.max_bytes.unwrap_or(i64::MAX as u64) {
            return self.out_of_memory(bytes);
        }
        let Some(data) = memory::with_capacity(elem, count) else { return self.out_of_memory(bytes) };
        self.live_bytes = live;
        self.counts.peak_bytes = self.counts.peak_bytes.max(live);
        self.counts.allocated_bytes = self.counts.allocated_bytes.saturating_add(bytes);
        Ok(data)
    }

    pub(super) fn scalar(&self, arg: Arg) -> Run<Const> {
        match arg {
            Arg::Const(c) => Ok(c),
            Arg::Slot(slot) | Arg::Take(slot) => match self.slots.get(slot) {
                Some(Some(Value::Scalar(c))) => Ok(*c),
                Some(Some(Value::Array(_))) => internal("an array where a scalar is needed"),
                _ => internal("a variable is used before it is bound"),
            },
        }
    }

    pub(super) fn int(&self, arg: Arg) -> Run<i64> {
        match self.scalar(arg)? {
            Const::I64(i) => Ok(i),
            _ => internal("an index that is not i64"),
        }
    }

    pub(super) fn bool(&self, arg: Arg) -> Run<bool> {
        match self.scalar(arg)? {
            Const::Bool(b) => Ok(b),
            _ => internal("a condition that is not bool"),
        }
    }

    pub(super) fn array(&self, slot: usize) -> Run<&Array> {
        match self.slots.get(slot) {
            Some(Some(Value::Array(array))) => Ok(array),
            Some(Some(Value::Scalar(_))) => internal("a scalar where an array is needed"),
            _ => internal("a variable is used before it is bound"),
        }
    }

    /// The value of an operand, moved out of its slot if this is its last use.
    pub(super) fn value(&mut self, arg: Arg) -> Run<Value> {
        let value = match arg {
            Arg::Const(c) => Some(Value::Scalar(c)),
            Arg::Slot(slot) => self.slots.get(slot).cloned().flatten(),
            Arg::Take(slot) => self.slots.get_mut(slot).and_then(Option::take),
        };
        value.map_or_else(|| internal("a variable is used before it is bound"), Ok)
    }

    pub(super) fn array_value(&mut self, arg: Arg) -> Run<Arc<Array>> {
        match self.value(arg)? {
            Value::Array(array) => Ok(array),
            Value::Scalar(_) => internal("a scalar where an array is needed"),
        }
    }

    pub(super) fn size(&self, size: &Size) -> Run<i64> {
        match size {
            Size::Const(c) => Ok(*c),
            Size::Slot(slot) => self.int(Arg::Slot(*slot)),
            Size::Sum(terms) => {
                let mut sum = 0i128;
                for (coefficient, slots) in terms {
                    let mut product = i128::from(*coefficient);
                    for &slot in slots {
                        product = product.saturating_mul(i128::from(self.int(Arg::Slot(slot))?));
                    }
                    sum = sum.saturating_add(product);
                }
                // A count that overflows belongs to an array that cannot fit in memory.
                i64::try_from(sum).or_else(|_| self.out_of_memory(u64::MAX))
            }
        }
    }

    pub(super) fn sizes(&self, sizes: &[Size]) -> Run<Vec<i64>> {
        sizes.iter().map(|s| self.size(s)).collect()
    }

    /// Runs the statements; the results are read by the caller.
    pub(super) fn block(&mut self, block: &PlanBlock) -> Run<()> {
        for stmt in &block.stmts {
            self.stmt(stmt).map_err(|mut error| {
                error.span = error.span.or(stmt.span);
                error
            })?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &PlanStmt) -> Run<()> {
        match &stmt.op {
            PlanOp::Build { axes, body, inner } => self.build(&stmt.vars, axes, body, inner)?,
            PlanOp::Reduce { kind, axes, body, elems } => self.reduce(&stmt.vars, *kind, axes, body, elems)?,
            PlanOp::Loop { axis, reverse, inits, body } => self.loop_(&stmt.vars, axis, *reverse, inits, body)?,
            PlanOp::While { inits, cond, body } => self.while_(&stmt.vars, inits, cond, body)?,
            PlanOp::Call { inputs, body } => {
                self.advance(inputs, &body.params, &mut Vec::new())?;
                self.block(body)?;
                self.bind_results(&stmt.vars, body)?;
            }
            PlanOp::If { cond, then_block, else_block } => {
                let block = if self.bool(*cond)? { then_block } else { else_block };
                self.block(block)?;
                self.bind_results(&stmt.vars, block)?;
            }
            PlanOp::Pass(args) => {
                let values: Vec<Value> = args.iter().map(|&a| self.value(a)).collect::<Run<_>>()?;
                for (&slot, value) in stmt.vars.iter().zip(values) {
                    self.set(slot, value)?;
                }
            }
            PlanOp::Check { kind, args } => self.check(*kind, args)?,
            PlanOp::Trace { label, arg } => self.trace(label, *arg, stmt.span)?,
            op => {
                let [slot] = stmt.vars.as_slice() else { return internal("wrong number of results") };
                let value = self.single(*slot, op)?;
                self.set(*slot, value)?;
            }
        }
        for &slot in &stmt.dead {
            self.clear(slot);
        }
        Ok(())
    }

    fn bind_results(&mut self, vars: &[usize], block: &PlanBlock) -> Run<()> {
        if block.results.len() != vars.len() {
            return internal("wrong number of results");
        }
        for (&slot, &result) in vars.iter().zip(&block.results) {
            let value = self.value(result)?;
            self.set(slot, value)?;
        }
        Ok(())
    }

    /// An operation with exactly one result, which goes to `slot`.
    fn single(&mut self, slot: usize, op: &PlanOp) -> Run<Value> {
        Ok(match op {
            PlanOp::Prim(prim, args) => Value::Scalar(self.prim(slot, *prim, args)?),
            PlanOp::Size(size) => Value::Scalar(Const::I64(self.size(size)?)),
            PlanOp::Read { array, index, checked } => Value::Scalar(self.read(*array, index, *checked)?),
            PlanOp::Literal(array) => Value::Array(Arc::clone(array)),
            PlanOp::Scatter { kind, dest, axes, body, checked, .. } => {
                Value::Array(self.scatter(slot, *kind, *dest, axes, body, *checked)?)
            }
            PlanOp::Reshape { array, dims } => Value::Array(self.reshape(*array, dims)?),
            PlanOp::Argsort(array) => Value::Array(self.argsort(*array)?),
            PlanOp::Copy(arg) => self.value(*arg)?,
            PlanOp::Derivative => return internal("derivative not yet eliminated"),
            PlanOp::Unknown => return internal("a call that is only there to be printed"),
            PlanOp::Build { .. }
            | PlanOp::Reduce { .. }
            | PlanOp::Loop { .. }
            | PlanOp::While { .. }
            | PlanOp::Call { .. }
            | PlanOp::If { .. }
            | PlanOp::Pass(_)
            | PlanOp::Check { .. }
            | PlanOp::Trace { .. } => return internal("wrong number of results"),
        })
    }

    fn prim(&mut self, slot: usize, prim: Prim, args: &[Arg]) -> Run<Const> {
        self.counts.prims += 1;
        let mut values = [Const::Bool(false); 3];
        for (place, &arg) in values.iter_mut().zip(args) {
            *place = self.scalar(arg)?;
        }
        let Some(values) = values.get(..args.len()) else { return internal("too many operands") };
        match (prim.eval(values), prim, values) {
            (Some(value), _, _) => {
                if self.watch.is_some() {
                    let operands: Vec<Operand> = args.iter().map(|a| a.slot()).zip(values.iter().copied()).collect();
                    self.trap(slot, prim, &operands, value)?;
                }
                Ok(value)
            }
            (None, Prim::Div | Prim::Rem, [_, divisor]) if divisor.as_i64() == Some(0) => {
                fail(RunErrorKind::DivisionByZero)
            }
            _ => internal(format!("`{}` on operands of wrong types", prim.name())),
        }
    }

    /// Hands the result of a primitive to the watch, if there is one.
    pub(super) fn trap(&mut self, slot: usize, prim: Prim, operands: &[Operand], result: Const) -> Run<()> {
        let Some(mut watch) = self.watch.take() else { return Ok(()) };
        let index = |slot| self.int(Arg::Slot(slot)).ok();
        let error = watch.after((slot, prim), operands, result, &index);
        self.watch = Some(watch);
        error.map_or(Ok(()), fail)
    }

    /// Records that a loop or kernel over this index begins, and with [`Machine::leave_axis`] that it ends.
    pub(super) fn enter_axis(&mut self, index: usize) {
        if let Some(watch) = &mut self.watch {
            watch.axes.push(index);
        }
    }

    pub(super) fn leave_axis(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.axes.pop();
        }
    }

    fn read(&mut self, array: usize, index: &[Arg], checked: bool) -> Run<Const> {
        self.counts.reads += 1;
        let array = self.array(array)?;
        if array.dims.len() != index.len() {
            return internal("wrong number of indices");
        }
        let mut offset = 0usize;
        for (&arg, &extent) in index.iter().zip(&array.dims) {
            offset = step_offset(offset, self.int(arg)?, extent, checked)?;
        }
        array.data.get(offset).map_or_else(|| internal("an array shorter than its shape"), Ok)
    }

    /// Hands a value to the listener, if there is one.
    fn trace(&mut self, label: &Arc<str>, arg: Arg, span: Option<Span>) -> Run<()> {
        let Some(mut traces) = self.traces.take() else { return Ok(()) };
        let place = traces.place(label, span);
        let array = match arg {
            Arg::Slot(slot) | Arg::Take(slot) => self.array(slot).ok(),
            Arg::Const(_) => None,
        };
        match array {
            Some(array) => traces.show(place, || (&array.dims, array.data.traced())),
            None => {
                let one = Data::of(self.scalar(arg)?);
                traces.show(place, || (&[], one.traced()));
            }
        }
        self.traces = Some(traces);
        Ok(())
    }

    fn check(&self, kind: Check, args: &[Arg]) -> Run<()> {
        let mut ints = [0i64; 3];
        for (place, &arg) in ints.iter_mut().zip(args) {
            *place = self.int(arg)?;
        }
        let [a, b, c] = ints;
        match kind {
            Check::Index if a < 0 || a >= b => fail(RunErrorKind::Index { index: a, extent: b }),
            Check::SizeEq if a != b => fail(RunErrorKind::SizeAssertion { found: a, expected: b }),
            Check::SizeNonNeg if a < 0 => fail(RunErrorKind::NegativeSize { size: a }),
            Check::Slice if !(0 <= a && a <= b && b <= c) => fail(RunErrorKind::Slice { lo: a, hi: b, extent: c }),
            Check::NonEmpty if a < 1 => fail(RunErrorKind::EmptyReduction),
            Check::Step if a < 1 => fail(RunErrorKind::Step { step: a }),
            Check::Index | Check::SizeEq | Check::SizeNonNeg | Check::Slice | Check::NonEmpty | Check::Step => Ok(()),
        }
    }

    fn reshape(&mut self, array: Arg, dims: &[Size]) -> Run<Arc<Array>> {
        let dims: Vec<i64> = self.sizes(dims)?.into_iter().map(|d| d.max(0)).collect();
        let expected = self.count(&dims)?;
        let mut array = self.array_value(array)?;
        let found = array.data.len();
        if found != expected {
            return fail(RunErrorKind::SizeAssertion { found: found as i64, expected: expected as i64 });
        }
        if Arc::get_mut(&mut array).is_none() {
            array = self.duplicate(array)?;
        }
        let Some(unique) = Arc::get_mut(&mut array) else { return internal("a copied array is shared") };
        unique.dims = dims;
        Ok(array)
    }

    /// A copy that has no other owner.
    pub(super) fn duplicate(&mut self, array: Arc<Array>) -> Run<Arc<Array>> {
        let mut data = self.allocate(array.data.elem(), array.data.len())?;
        if !memory::extend(&mut data, &array.data) {
            return internal("an array of a wrong type");
        }
        let copy = Arc::new(Array { dims: array.dims.clone(), data });
        self.release(array);
        Ok(copy)
    }

    fn loop_(&mut self, vars: &[usize], axis: &PlanAxis, reverse: bool, inits: &[Arg], body: &PlanBlock) -> Run<()> {
        let count = body.params.len();
        if inits.len() != count || body.results.len() != count || vars.len() != count {
            return internal("wrong number of loop values");
        }
        let extent = self.size(&axis.extent)?;
        let mut state: Vec<Value> = Vec::with_capacity(count);
        self.advance(inits, &body.params, &mut state)?;
        self.enter_axis(axis.index);
        for i in 0..extent {
            self.step()?;
            let i = if reverse { extent - 1 - i } else { i };
            self.set(axis.index, Value::Scalar(Const::I64(i)))?;
            self.block(body)?;
            self.advance(&body.results, &body.params, &mut state)?;
        }
        self.leave_axis();
        for (&var, &param) in vars.iter().zip(&body.params) {
            let value = self.value(Arg::Take(param))?;
            self.set(var, value)?;
        }
        Ok(())
    }

    /// Counts a point of a kernel or an iteration of a loop, before which the run may be stopped.
    pub(super) fn iteration(&mut self) -> Run<()> {
        self.counts.iterations += 1;
        match self.stop {
            Some(stop) if stop.load(Relaxed) => fail(RunErrorKind::Interrupted),
            _ => Ok(()),
        }
    }

    /// Counts an iteration of a loop.
    fn step(&mut self) -> Run<()> {
        self.steps += 1;
        self.iteration()?;
        match self.limits.max_steps {
            Some(limit) if self.steps > limit => fail(RunErrorKind::TooManySteps { limit: clip(limit) }),
            _ => Ok(()),
        }
    }

    fn while_(&mut self, vars: &[usize], inits: &[Arg], cond: &PlanBlock, body: &PlanBlock) -> Run<()> {
        let count = body.params.len();
        if inits.len() != count || cond.params.len() != count || body.results.len() != count || vars.len() != count {
            return internal("wrong number of loop values");
        }
        let mut state: Vec<Value> = Vec::with_capacity(count);
        self.advance(inits, &cond.params, &mut state)?;
        loop {
            self.block(cond)?;
            let [go_on] = cond.results.as_slice() else { return internal("wrong number of results") };
            let go_on = self.bool(*go_on)?;
            let taken: Vec<Arg> = cond.params.iter().map(|&p| Arg::Take(p)).collect();
            if !go_on {
                return self.advance(&taken, vars, &mut state);
            }
            self.step()?;
            self.advance(&taken, &body.params, &mut state)?;
            self.block(body)?;
            self.advance(&body.results, &cond.params, &mut state)?;
        }
    }

    /// The stable order along the last axis. A comparison counts as a primitive.
    fn argsort(&mut self, array: usize) -> Run<Arc<Array>> {
        let source = self.array(array)?;
        let (dims, count) = (source.dims.clone(), source.data.len());
        let Some(length) = dims.last().and_then(|&n| usize::try_from(n).ok()) else {
            return internal("what is sorted has no last axis");
        };
        let Data::I64(mut positions) = self.allocate(Scalar::I64, count)? else {
            return internal("an array of a wrong type");
        };
        let mut comparisons = 0u64;
        let source = self.array(array)?;
        for row in 0..count.checked_div(length).unwrap_or(0) {
            let mut order: Vec<usize> = (0..length).collect();
            order.sort_by(|&a, &b| {
                comparisons += 1;
                source.data.order(row * length + a, row * length + b)
            });
            positions.extend(order.into_iter().map(|i| i as i64));
        }
        self.counts.prims += comparisons;
        self.counts.reads += count as u64;
        self.counts.writes += count as u64;
        Ok(Arc::new(Array { dims, data: Data::I64(positions) }))
    }

    /// Moves values into a block's params, all at the same time.
    fn advance(&mut self, from: &[Arg], params: &[usize], state: &mut Vec<Value>) -> Run<()> {
        for &arg in from {
            let value = self.value(arg)?;
            state.push(value);
        }
        for (&param, value) in params.iter().zip(state.drain(..)) {
            self.set(param, value)?;
        }
        Ok(())
    }
}

/// The offset with one more index: `offset * extent + index`.
pub(super) fn step_offset(offset: usize, index: i64, extent: i64, checked: bool) -> Run<usize> {
    if index < 0 || index >= extent {
        if checked {
            return fail(RunErrorKind::Index { index, extent });
        }
        return internal(format!("index {index} of an unchecked access is outside of {extent}"));
    }
    Ok(offset.wrapping_mul(extent as usize).wrapping_add(index as usize))
}

fn clip(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
