//! Scans in chunks: functions that compute the summary of a chunk, run its iterations, and compute the next chunk's
//! state.
//!
//! They have the signature of the functions of parallel loops (see `outline`). A chunk has a row of slots: for each
//! state its first and its last value, then the parts of the summary. `arr_par_scan` calls the functions in two passes.
//!
//! On one thread the first pass must not double the time. If the states are exact there is none. A vectorised sum costs
//! little compared with the second pass, which is a chain of additions. Any other summary is computed in the loop of
//! the iterations: two chains of operations side by side take the time of one.

use super::outline::{CAPTURED, PLACES};
use super::vectorize::plan::choose;
use super::{Codegen, Part, Range, Result, Slot, has_fma, internal, slot_offset, trusted};
use arr_ir::{Const, Scalar};
use arr_loops::{Chain, For, Link, LocalId, Operand, Origin, Scan, Stmt, scan_captures};
use arr_runtime::MAX_CHUNKS;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};

/// The task of a function of a scan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Summary,
    Iterations,
    Both,
    Advance,
}

/// A chunk's row has this many slots.
fn width(scan: &Scan) -> usize {
    2 * scan.states.len() + scan.parts.len()
}

impl Codegen<'_, '_> {
    /// The scan form of a loop; `None` if it is not a scan.
    pub(super) fn scan_of<'l>(&self, l: &'l For) -> Option<&'l Scan> {
        l.scan.as_deref().filter(|_| self.divides && !self.flags.count_steps)
    }

    /// Emits a loop that runs in chunks if it is expensive enough, and otherwise in order.
    pub(super) fn scan(&mut self, l: &For, scan: &Scan) -> Result<()> {
        let extent = self.operand(l.extent)?;
        let zero = self.int(0);
        let n = self.b.ins().smax(extent, zero);
        let cost = self.cost(l, n)?;
        let divided = |codegen: &mut Self| {
            codegen.stmts(&scan.before)?;
            codegen.chunked(l, scan, n, cost)?;
            codegen.stmts(&scan.after)
        };
        self.divide_if_expensive(cost, divided, |codegen| codegen.in_order(l, scan))
    }

    /// The iterations in order, in which the arrays are the loop's own, with the shorter chain from state to state if
    /// there is one.
    pub(super) fn in_order(&mut self, l: &For, scan: &Scan) -> Result<()> {
        let range = self.whole(l)?;
        let chain = scan.chain.as_ref().filter(|_| self.flags.relaxed);
        self.stmts(&scan.before)?;
        self.loop_over(l, range, &mut |codegen| match chain {
            Some(chain) => codegen.chained(scan, chain),
            None => codegen.stmts(&scan.body),
        })?;
        self.stmts(&scan.after)
    }

    fn chained(&mut self, scan: &Scan, chain: &Chain) -> Result<()> {
        self.stmts(&chain.before)?;
        for stmt in &scan.body {
            let link = match stmt {
                Stmt::Set { local, value } => chain.links.iter().find(|l| l.state == *local).zip(Some(*value)),
                _ => None,
            };
            match link {
                Some((link, value)) => self.link(link, value)?,
                None => self.stmt(stmt)?,
            }
        }
        Ok(())
    }

    /// The next state by its step; by its operations, `value`, where the step must not be used.
    fn link(&mut self, link: &Link, value: Operand) -> Result<()> {
        let [ratio, offset] = [self.operand(link.ratio)?, self.operand(link.offset)?];
        let state = self.local(link.state)?;
        let next = if has_fma(self.module) {
            self.b.ins().fma(ratio, state, offset)
        } else {
            let product = self.b.ins().fmul(ratio, state);
            self.b.ins().fadd(product, offset)
        };
        let ty = self.b.func.dfg.value_type(next);
        let elem = self.loops.ty(link.state).elem();
        let real = |x: f64| if elem == Scalar::F32 { Const::F32(x as f32) } else { Const::F64(x) };
        let (one, limit) = (self.constant(real(1.0)), self.constant(real(f64::INFINITY)));
        let (factor, size) = (self.b.ins().fabs(ratio), self.b.ins().fabs(next));
        let small = self.b.ins().fcmp(FloatCC::LessThanOrEqual, factor, one);
        let finite = self.b.ins().fcmp(FloatCC::LessThan, size, limit);
        let sound = self.b.ins().band(small, finite);
        let (slow, done) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(slow);
        let result = self.b.append_block_param(done, ty);
        self.b.ins().brif(sound, done, &[BlockArg::Value(next)], slow, &[]);
        self.b.switch_to_block(slow);
        self.b.seal_block(slow);
        let exact = self.operand(value)?;
        self.b.ins().jump(done, &[BlockArg::Value(exact)]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        self.set_variable(link.state, result)
    }

    /// Calls the runtime for a scan; sets the states.
    fn chunked(&mut self, l: &For, scan: &Scan, n: Value, cost: Value) -> Result<()> {
        let pointer = self.module.target_config().pointer_type();
        let captured = scan_captures(l, scan);
        let table = CAPTURED + self.captured_slots(&captured);
        let slots = self.region_slots()?;
        self.at_least(slots.env, table + 4)?;
        self.at_least(slots.partials, width(scan) * (MAX_CHUNKS + 1))?;
        let env = self.b.ins().stack_addr(pointer, slots.env, 0);
        let places = self.b.ins().stack_addr(pointer, slots.partials, 0);
        self.b.ins().store(trusted(), places, env, slot_offset(PLACES)?);
        self.store_captured(&captured, env)?;
        for (k, state) in scan.states.iter().enumerate() {
            let value = self.local(state.local)?;
            self.b.ins().store(trusted(), value, places, slot_offset(2 * k)?);
        }
        let alone = scan.exact || self.row_summary(l, scan).is_some();
        let passes = [Pass::Summary, Pass::Iterations, Pass::Both, Pass::Advance];
        for (k, pass) in passes.into_iter().enumerate() {
            let function = if pass == Pass::Both && alone {
                self.b.ins().iconst(pointer, 0)
            } else {
                let function = self.outline(l, captured.clone(), Part::Scan(pass))?;
                self.b.ins().func_addr(pointer, function)
            };
            self.b.ins().store(trusted(), function, env, slot_offset(table + k)?);
        }
        self.settle_stores();
        let exact = self.int(i64::from(scan.exact));
        let bodies = self.b.ins().iadd_imm_s(env, i64::from(slot_offset(table)?));
        let chunks = self.call("arr_par_scan", &[self.context, n, cost, exact, bodies, env], types::I64)?;
        self.give_up_if_zero(chunks);
        let last = self.b.ins().iadd_imm_s(chunks, -1);
        let row = self.row_of_places(places, last, width(scan))?;
        for (k, state) in scan.states.iter().enumerate() {
            let ty = self.local_type(state.local);
            let value = self.b.ins().load(ty, trusted(), row, slot_offset(2 * k + 1)?);
            self.set_variable(state.local, value)?;
        }
        Ok(())
    }

    /// The loop that computes summaries in vectors, if they are sums for which that is possible; upwards whatever the
    /// scan's direction.
    fn row_summary(&self, l: &For, scan: &Scan) -> Option<For> {
        let aims = self.aims();
        let summary = For {
            reverse: false,
            origin: Origin::Kernel,
            scan: None,
            parallel: None,
            body: scan.summary.clone(),
            inductions: l.inductions.clone(),
            ..*l
        };
        let wide =
            scan.commutes && !scan.exact && self.flags.wide && choose(self.loops, &summary, self.roots, aims).is_some();
        wide.then_some(summary)
    }

    /// The body of a function of a scan.
    pub(super) fn scan_part(
        &mut self,
        l: &For,
        captured: &[LocalId],
        pass: Pass,
        [env, chunk, lo, hi]: [Value; 4],
    ) -> Result<()> {
        let scan = l.scan.as_deref().ok_or_else(|| internal("a loop that is no scan"))?;
        self.load_captured(captured, env)?;
        self.here = l.span;
        let pointer = self.module.target_config().pointer_type();
        let places = self.b.ins().load(pointer, trusted(), env, slot_offset(PLACES)?);
        let row = self.row_of_places(places, chunk, width(scan))?;
        if pass == Pass::Advance {
            return self.advance(scan, row, lo);
        }
        if pass != Pass::Summary {
            for (k, state) in scan.states.iter().enumerate() {
                let ty = self.local_type(state.local);
                let first = self.b.ins().load(ty, trusted(), row, slot_offset(2 * k)?);
                self.new_variable(state.local, first);
            }
        }
        if pass != Pass::Iterations {
            for part in &scan.parts {
                let init = self.constant(part.init);
                self.new_variable(part.local, init);
            }
        }
        self.pass(l, scan, pass, [lo, hi])?;
        if pass != Pass::Summary {
            for (k, state) in scan.states.iter().enumerate() {
                let value = self.local(state.local)?;
                self.b.ins().store(trusted(), value, row, slot_offset(2 * k + 1)?);
            }
        }
        if pass != Pass::Iterations {
            for (k, part) in scan.parts.iter().enumerate() {
                let value = self.local(part.local)?;
                self.b.ins().store(trusted(), value, row, slot_offset(2 * scan.states.len() + k)?);
            }
        }
        self.settle_stores();
        let ok = self.b.ins().iconst(types::I32, 0);
        self.b.ins().return_(&[ok]);
        Ok(())
    }

    /// The loop of a pass over iterations `lo .. hi`, which are counted in the order of the scan.
    fn pass(&mut self, l: &For, scan: &Scan, pass: Pass, [lo, hi]: [Value; 2]) -> Result<()> {
        let rows = if pass == Pass::Summary { self.row_summary(l, scan) } else { None };
        let (start, end) = if l.reverse {
            let n = self.operand(l.extent)?;
            let (low, high) = (self.b.ins().isub(n, hi), self.b.ins().isub(n, lo));
            if rows.is_some() { (low, high) } else { (self.b.ins().iadd_imm_s(high, -1), low) }
        } else {
            (lo, hi)
        };
        let mut first = vec![start];
        for induction in &l.inductions {
            let step = self.operand(induction.step)?;
            first.push(self.b.ins().imul(start, step));
        }
        let range = Range { first, end };
        if let Some(rows) = rows {
            return self.for_range(&rows, range);
        }
        self.loop_over(l, range, &mut |codegen| {
            if pass != Pass::Iterations {
                codegen.stmts(&scan.summary)?;
            }
            if pass != Pass::Summary {
                codegen.stmts(&scan.body)?;
            }
            Ok(())
        })
    }

    /// The initial states of the chunk after that of `row`.
    fn advance(&mut self, scan: &Scan, row: Value, from_last: Value) -> Result<()> {
        for (k, state) in scan.states.iter().enumerate() {
            let ty = self.local_type(state.entry);
            let value = self.b.ins().load(ty, trusted(), row, slot_offset(2 * k)?);
            self.slots[state.entry] = Slot::Value(value);
        }
        for (k, part) in scan.parts.iter().enumerate() {
            let ty = self.local_type(part.local);
            let value = self.b.ins().load(ty, trusted(), row, slot_offset(2 * scan.states.len() + k)?);
            self.slots[part.local] = Slot::Value(value);
        }
        self.stmts(&scan.advance)?;
        let from_last = self.b.ins().icmp_imm_s(IntCC::NotEqual, from_last, 0);
        for (k, state) in scan.states.iter().enumerate() {
            let ty = self.local_type(state.local);
            let last = self.b.ins().load(ty, trusted(), row, slot_offset(2 * k + 1)?);
            let next = self.operand(state.next)?;
            let value = self.b.ins().select(from_last, last, next);
            self.b.ins().store(trusted(), value, row, slot_offset(width(scan) + 2 * k)?);
        }
        let sound = self.operand(scan.sound.unwrap_or(Operand::Const(arr_ir::Const::Bool(true))))?;
        let usable = self.b.ins().bor(sound, from_last);
        let unusable = self.b.ins().bxor_imm_u(usable, 1);
        let status = self.b.ins().uextend(types::I32, unusable);
        self.b.ins().return_(&[status]);
        Ok(())
    }
}
