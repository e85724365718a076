//! Non-temporal stores, also known as streaming stores: which arrays are written past the cache.
//!
//! A store to memory that is not in the cache reads it first, and evicts something else. If an array is so large that
//! it would not stay in the cache anyway, and nothing here reads it, wide loops write whole lines of it at once
//! instead: three quarters of the traffic of `y[i] = a * x[i]`, two thirds of that of a copy.
//!
//! - **Where.** Arrays that are known at compile time to have [`LARGE`] bytes, and none of whose elements the function
//!   loads: results. Aliases count: a buffer may have another name in a loop.
//! - **How long.** Iterations before the first boundary and after the last go through the cache, and lines written
//!   partly in each way cost more than either: only loops of [`LEAST`] bytes bypass it.
//! - **Order.** Such stores become visible to other threads in any order. Fences stand where a thread synchronises with
//!   others: before a loop is divided, and at the end of each function.
//! - **The same values**: the choice of the store instruction does not change them.

use super::kernel::{EXTENT, START};
use super::{Codegen, Result, internal};
use arr_loops::{Expr, For, LocalId, LoopFunc, Operand, Stmt, Ty};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{FuncRef, InstBuilder, StackSlot, Value, types};
use std::collections::{HashMap, HashSet};

/// About the size of the caches available to a core: larger arrays are evicted before they are read again.
const LARGE: i64 = 1 << 25;

/// The minimal number of bytes that a loop writes to an array.
const LEAST: i64 = 1 << 12;

/// Whether a loop may have enough iterations for elements of this many bytes.
pub(super) fn may_be_long(l: &For, bytes: i64) -> bool {
    l.extent.as_int().is_none_or(|n| n.saturating_mul(bytes) >= LEAST)
}

/// The addresses of such arrays. `roots` are the buffers of the function's addresses.
pub(super) fn streamed(loops: &LoopFunc, roots: &HashMap<LocalId, LocalId>) -> HashSet<LocalId> {
    let mut arrays = Arrays { loops, roots, one: HashMap::new(), large: HashSet::new(), read: HashSet::new() };
    arrays.read.extend(loops.params.iter().map(|p| p.local));
    arrays.block(&loops.body);
    let of = |buffers: &HashSet<LocalId>| buffers.iter().map(|&b| arrays.first(b)).collect::<HashSet<LocalId>>();
    let (large, read) = (of(&arrays.large), of(&arrays.read));
    let chosen = |buffer: LocalId| large.contains(&arrays.first(buffer)) && !read.contains(&arrays.first(buffer));
    roots.iter().filter(|&(_, &buffer)| chosen(buffer)).map(|(&address, _)| address).collect()
}

struct Arrays<'a> {
    loops: &'a LoopFunc,
    roots: &'a HashMap<LocalId, LocalId>,
    /// From one name of a buffer to another that may be the same.
    one: HashMap<LocalId, LocalId>,
    large: HashSet<LocalId>,
    read: HashSet<LocalId>,
}

impl Arrays<'_> {
    /// The name that stands for all names of a buffer.
    fn first(&self, mut buffer: LocalId) -> LocalId {
        while let Some(&next) = self.one.get(&buffer) {
            buffer = next;
        }
        buffer
    }

    fn same(&mut self, a: LocalId, b: Operand) {
        let (Ty::Buffer(_), Operand::Local(b)) = (self.loops.ty(a), b) else { return };
        let (a, b) = (self.first(a), self.first(b));
        if a != b {
            self.one.insert(a, b);
        }
    }

    fn reads(&mut self, operand: Operand) {
        let Operand::Local(local) = operand else { return };
        self.read.insert(self.roots.get(&local).copied().unwrap_or(local));
    }

    fn block(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { expr: Expr::Load(address, _), .. } => self.reads((*address).into()),
            Stmt::Let { local, expr: Expr::Copy(a) } => self.same(*local, *a),
            Stmt::Var { local, init: Some(value) } | Stmt::Set { local, value } => self.same(*local, *value),
            Stmt::MakeUnique { local, buffer, .. } => self.same(*local, (*buffer).into()),
            Stmt::Alloc { local, dims, .. } => {
                let bytes = self.loops.ty(*local).elem().bytes() as i64;
                let size = dims.iter().try_fold(bytes, |size, d| size.checked_mul(d.as_int()?));
                if size.is_some_and(|size| size >= LARGE) {
                    self.large.insert(*local);
                }
            }
            Stmt::MatMul(product) => product.operands().into_iter().for_each(|o| self.reads(o)),
            Stmt::Trace { value, .. } => self.reads(*value),
            Stmt::Argsort { into, keys, .. } => [*into, *keys].into_iter().for_each(|b| self.reads(b.into())),
            Stmt::For(l) => self.for_loop(l),
            Stmt::While(l) => [&l.head, &l.body].into_iter().for_each(|body| self.block(body)),
            Stmt::If { then_body, else_body, .. } => {
                [then_body, else_body].into_iter().for_each(|body| self.block(body));
            }
            _ => {}
        }
    }

    fn for_loop(&mut self, l: &For) {
        if let Some(parallel) = &l.parallel {
            // Copies of them are added up.
            parallel.added.iter().for_each(|a| self.reads(a.buffer.into()));
            self.block(&parallel.combine);
        }
        if let Some(scan) = &l.scan {
            [&scan.before, &scan.summary, &scan.body, &scan.advance].into_iter().for_each(|body| self.block(body));
        }
        self.block(&l.body);
    }
}

/// Bytes of a cache line, at whose boundaries such kernels begin.
const LINE: i64 = 64;

impl Codegen<'_, '_> {
    /// Calls one of two kernels: the one that stores to the cache, or the one that bypasses it, which can begin only on
    /// a boundary: earlier iterations run first, in a separate call. Arrays with different alignments are stored to the
    /// cache. Returns the first index that was not reached.
    pub(super) fn streaming_call(
        &mut self,
        addresses: &[LocalId],
        [keeps, streams]: [FuncRef; 2],
        env: StackSlot,
        [first, end]: [Value; 2],
    ) -> Result<Value> {
        let [keep, stream, head, rest, done] = [(); 5].map(|()| self.b.create_block());
        let reached = self.b.append_block_param(done, types::I64);
        let (from, alike) = self.boundary(addresses, [first, end])?;
        self.b.ins().brif(alike, stream, &[], keep, &[]);
        self.b.switch_to_block(keep);
        let all = self.kernel_call(keeps, env)?;
        self.b.ins().jump(done, &[all.into()]);
        self.b.switch_to_block(stream);
        let any = self.b.ins().icmp(IntCC::SignedLessThan, first, from);
        self.b.ins().brif(any, head, &[], rest, &[]);
        self.b.switch_to_block(head);
        let pointer = self.module.target_config().pointer_type();
        self.b.ins().stack_store(pointer, from, env, 8 * EXTENT as i32);
        let some = self.kernel_call(keeps, env)?;
        self.b.ins().stack_store(pointer, from, env, 8 * START as i32);
        self.b.ins().stack_store(pointer, end, env, 8 * EXTENT as i32);
        // The kernel may have been left.
        let left = self.b.ins().icmp(IntCC::SignedLessThan, some, from);
        self.b.ins().brif(left, done, &[some.into()], rest, &[]);
        self.b.switch_to_block(rest);
        let all = self.kernel_call(streams, env)?;
        self.b.ins().jump(done, &[all.into()]);
        for block in [keep, stream, head, rest, done] {
            self.b.seal_block(block);
        }
        self.b.switch_to_block(done);
        Ok(reached)
    }

    /// The first iteration at which the elements at the addresses are aligned, and whether all of them are, in a loop
    /// that is long enough.
    fn boundary(&mut self, addresses: &[LocalId], [first, end]: [Value; 2]) -> Result<(Value, Value)> {
        let mut places = Vec::new();
        let mut bytes = 8;
        for &address in addresses {
            bytes = self.loops.ty(address).elem().bytes() as i64;
            let moved = self.b.ins().imul_imm_s(first, bytes);
            let address = self.local(address)?;
            places.push(self.b.ins().iadd(address, moved));
        }
        let Some(&one) = places.first() else { return Err(internal("no array is written past the cache")) };
        let before = self.b.ins().ineg(one);
        let before = self.b.ins().band_imm_u(before, LINE - 1);
        let before = self.b.ins().ushr_imm_u(before, i64::from(bytes.trailing_zeros()));
        let mut apart = self.int(0);
        for &place in &places {
            let differs = self.b.ins().bxor(place, one);
            apart = self.b.ins().bor(apart, differs);
        }
        let apart = self.b.ins().band_imm_u(apart, LINE - 1);
        let alike = self.b.ins().icmp_imm_s(IntCC::Equal, apart, 0);
        let count = self.b.ins().isub(end, first);
        let long = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, LEAST / bytes);
        Ok((self.b.ins().iadd(first, before), self.b.ins().band(alike, long)))
    }

    /// Makes stores past the cache visible to all threads before later ones.
    pub(super) fn settle_stores(&mut self) {
        if !self.streamed.is_empty() {
            self.b.ins().fence();
        }
    }
}
