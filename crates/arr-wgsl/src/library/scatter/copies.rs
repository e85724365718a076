//! Sums into copies of a small array, which are then added up.

use super::find::identity;
use super::{Run, with_blocks};
use crate::CompileError;
use crate::builder::Builder;
use crate::kernel::needs;
use crate::kernel::text::Result;
use crate::library::{Draft, Host, known};
use crate::plan::Placement;
use crate::program::{Access, Groups, Step};
use arr_ir::{Const, Prim, Scalar};
use arr_loops::{Expr, LocalId, Operand, Stmt, Ty};
use std::collections::HashMap;

/// Smaller arrays have one workgroup per element when copies are combined.
const WIDE: i64 = 4096;

/// A body's statements with addresses of the array replaced.
struct Exchange<'b, 'a> {
    b: &'b mut Builder<'a>,
    from: LocalId,
    to: LocalId,
    /// Addresses from outside: the old and the new.
    outside: Vec<(LocalId, LocalId)>,
    known: HashMap<LocalId, LocalId>,
}

impl Exchange<'_, '_> {
    fn address(&mut self, address: LocalId) -> LocalId {
        if let Some(&new) = self.known.get(&address) {
            return new;
        }
        if self.b.root(address) != self.from {
            return address;
        }
        let new = self.fresh(address);
        self.outside.push((address, new));
        new
    }

    fn fresh(&mut self, address: LocalId) -> LocalId {
        let ty = self.b.func.ty(address);
        let new = self.b.local("copy", Ty::Address(ty.elem()));
        self.b.place_address(new, self.to, false);
        self.known.insert(address, new);
        new
    }

    fn block(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::Let { local, expr: Expr::Offset(address, by) } if self.b.root(*address) == self.from => {
                let address = self.address(*address);
                Stmt::Let { local: self.fresh(*local), expr: Expr::Offset(address, *by) }
            }
            Stmt::Let { local, expr: Expr::Load(address, offset) } => {
                Stmt::Let { local: *local, expr: Expr::Load(self.address(*address), *offset) }
            }
            Stmt::Store { address, offset, value } => {
                Stmt::Store { address: self.address(*address), offset: *offset, value: *value }
            }
            _ => with_blocks(stmt, &mut |block| self.block(block)),
        }
    }
}

impl Run<'_> {
    pub(super) fn copies(&self, b: &mut Builder<'_>, placement: &Placement, copies: Operand) -> Result<Vec<Step>> {
        let mut host = Host::default();
        let Some(identity) = identity(self.scatter.op, self.elem) else {
            return Err(CompileError::Broken("what is added to copies has no identity"));
        };
        let less = host.prim(b, "part", Prim::Sub, &[copies, Operand::int(1)]);
        let sum = host.prim(b, "part", Prim::Add, &[self.l.extent, less]);
        let length = host.prim(b, "part", Prim::Div, &[sum, copies]);
        let copied = host.scratch(b, "copies", self.elem, vec![copies, self.size], self.l.span);
        let all = host.prim(b, "copied", Prim::Mul, &[copies, self.size]);
        let start = self.start(b, copied, all, identity);
        let add = self.add_to_copies(b, placement, copied, copies, length)?;
        let join = self.join(b, copied, copies);
        host.steps.extend([start, add]);
        host.steps.extend(join);
        host.steps.push(Step::Release(copied));
        Ok(host.steps)
    }

    /// Fills the copies with neutral elements.
    fn start(&self, b: &mut Builder<'_>, copied: LocalId, all: Operand, identity: Const) -> Step {
        let width = b.options.workgroup;
        let groups = Groups { points: vec![all], per_group: width, most: None };
        let mut d = Draft::new(b, "scatter_start", width, groups, self.l.span);
        d.bind(copied, self.elem, Access::ReadWrite);
        let all = d.int(b, all);
        d.line(format!("let point = group * {width} + lane;"));
        d.line(format!("if point >= {all} {{ return; }}"));
        let value = crate::scalar::literal(identity, b.options.integers);
        let value = if let Const::Bool(on) = identity { u32::from(on).to_string() } else { value };
        let copies = b.buffer(&d.kernel, copied);
        d.line(format!("{copies}[point] = {value};"));
        d.finish(b)
    }

    /// One invocation per copy runs its iterations in order.
    fn add_to_copies(
        &self,
        b: &mut Builder<'_>,
        placement: &Placement,
        copied: LocalId,
        copies: Operand,
        length: Operand,
    ) -> Result<Step> {
        let (from, to) = (self.scatter.buffer, copied);
        let mut exchange = Exchange { b, from, to, outside: Vec::new(), known: HashMap::new() };
        let body = exchange.block(&self.l.body);
        let Exchange { b, outside, .. } = exchange;
        let mut own = self.loop_locals();
        own.extend(outside.iter().map(|(_, new)| *new));
        let mut read = self.loop_operands();
        read.extend([copies, length, self.size]);
        read.extend(outside.iter().filter(|(old, _)| !b.is_start(*old)).map(|(old, _)| Operand::Local(*old)));
        let needs = needs::find(b, placement, &body, &read, &own);
        let width = b.options.workgroup.min(64);
        let (mut text, entry) = self.kernel(b, needs, "copies", copies, width);
        let ty = text.b.type_name(Scalar::I64);
        let (size, length, extent) = (text.operand(self.size), text.operand(length), text.operand(self.l.extent));
        let one = text.integer(1);
        text.line(&format!("let copy_start = mine * {size};"));
        for (old, new) in outside {
            let start = match text.b.is_start(old) {
                true => "copy_start".to_string(),
                false => format!("(copy_start + {})", text.local(old)),
            };
            text.name(new, start);
        }
        text.line(&format!("let chunk_start = mine * {length};"));
        text.line(&format!("let chunk_end = chunk_start + min({length}, {extent} - chunk_start);"));
        text.open(&format!("for (var turn: {ty} = chunk_start; turn < chunk_end; turn += {one}) {{"));
        let index = text.b.word(self.l.index);
        match self.l.reverse {
            false => text.line(&format!("let {index} = turn;")),
            true => text.line(&format!("let {index} = {extent} - {one} - turn;")),
        }
        text.inductions(self.l);
        text.block(&body)?;
        text.close();
        Ok(Self::done(text, &entry, "Sums at computed places, in copies"))
    }

    /// Adds the copies to the array: one invocation per element, or one workgroup if elements are few.
    fn join(&self, b: &mut Builder<'_>, copied: LocalId, copies: Operand) -> Vec<Step> {
        let mut host = Host::default();
        let few = host.prim(b, "few", Prim::Lt, &[self.size, Operand::int(WIDE)]);
        let wide = if known(few) == Some(false) { Vec::new() } else { vec![self.join_by_groups(b, copied, copies)] };
        let narrow = if known(few) == Some(true) { Vec::new() } else { vec![self.join_in_order(b, copied, copies)] };
        host.choose(few, wide, narrow);
        host.steps
    }

    /// Subtraction from a copy has made its elements negative.
    fn join_op(&self) -> Prim {
        if self.scatter.op == Prim::Sub { Prim::Add } else { self.scatter.op }
    }

    fn join_in_order(&self, b: &mut Builder<'_>, copied: LocalId, copies: Operand) -> Step {
        let width = b.options.workgroup;
        let groups = Groups { points: vec![self.size], per_group: width, most: None };
        let mut d = Draft::new(b, "scatter_join", width, groups, self.l.span);
        d.bind(copied, self.elem, Access::Read);
        d.bind(self.scatter.buffer, self.elem, Access::ReadWrite);
        let (size, copies) = (d.int(b, self.size), d.int(b, copies));
        d.line(format!("let point = group * {width} + lane;"));
        d.line(format!("if point >= {size} {{ return; }}"));
        let head = format!("for (var k = 0; k < {copies}; k++) {{");
        self.fold(b, &mut d, self.join_op(), &head, copied, &format!("k * {size} + point"));
        d.finish(b)
    }

    /// Every invocation combines a part of the copies, and a tree combines these.
    fn join_by_groups(&self, b: &mut Builder<'_>, copied: LocalId, copies: Operand) -> Step {
        let width = b.options.workgroup.min(64);
        let groups = Groups { points: vec![self.size], per_group: 1, most: None };
        let mut d = Draft::new(b, "scatter_join", width, groups, self.l.span);
        d.bind(copied, self.elem, Access::Read);
        d.bind(self.scatter.buffer, self.elem, Access::ReadWrite);
        let (size, copies) = (d.int(b, self.size), d.int(b, copies));
        let (array, from) = (b.buffer(&d.kernel, self.scatter.buffer), b.buffer(&d.kernel, copied));
        let (ty, elem) = (b.type_name(self.elem), self.elem);
        let test = if elem == Scalar::Bool { " != 0u" } else { "" };
        let sums = d.shared("sums", &format!("array<{ty}, {width}>"));
        let mut taken = |a: &str, c: &str| {
            let args = [(a.to_string(), elem), (c.to_string(), elem)];
            b.sure(self.join_op(), &args, self.l.span)
        };
        let (part, pair) = (taken("sum", "term"), taken("mine", "other"));
        let last = taken("old", "all");
        d.line(format!("if group >= {size} {{ return; }}"));
        // There may be fewer copies than invocations.
        d.line(format!("let parts = min({copies}, {width});"));
        d.line("if lane < parts {");
        d.line(format!("var sum = {from}[lane * {size} + group]{test};"));
        d.line(format!("for (var k = lane + {width}; k < {copies}; k += {width}) {{"));
        d.line(format!("let term = {from}[k * {size} + group]{test};"));
        d.line(format!("sum = {part};"));
        d.line("}");
        d.line(format!("{sums}[lane] = sum;"));
        d.line("}");
        d.line("workgroupBarrier();");
        d.line(format!("for (var step = {}; step > 0; step = step >> 1u) {{", width / 2));
        d.line("if lane < step && lane + step < parts {");
        d.line(format!("let mine = {sums}[lane];"));
        d.line(format!("let other = {sums}[lane + step];"));
        d.line(format!("{sums}[lane] = {pair};"));
        d.line("}");
        d.line("workgroupBarrier();");
        d.line("}");
        d.line("if lane == 0 {");
        d.line(format!("let old = {array}[group]{test};"));
        d.line(format!("let all = {sums}[0];"));
        let value = if elem == Scalar::Bool { format!("select(0u, 1u, {last})") } else { last };
        d.line(format!("{array}[group] = {value};"));
        d.line("}");
        d.finish(b)
    }
}
