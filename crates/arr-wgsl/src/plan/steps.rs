//! The host's steps, and the kernels between them.
//!
//! Scalar statements of the device are kept until something needs them, and then become one kernel.

use super::alias::{Aliases, memory};
use super::schedule::{Scheduler, Unit};
use super::size::Definitions;
use super::{Placement, local_of};
use crate::CompileError;
use crate::builder::Builder;
use crate::kernel::nest::Nest;
use crate::kernel::reduce::{GROUPS, Reduction};
use crate::kernel::text::Result;
use crate::kernel::{map, serial};
use crate::library;
use crate::program::{HostFor, HostWhile, Step};
use crate::walk::{Use, uses};
use arr_base::Id;
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, For, LocalId, Operand, Output, ParamSize, SpanId, Stmt, Ty, While, for_each_chunked_stmt};
use std::collections::HashMap;

/// Reductions of at most this many points are one kernel.
const SHORT: i64 = 4096;

/// Plans a function's body.
pub(crate) fn plan(b: &mut Builder<'_>, placement: &Placement, body: &[Stmt], outputs: &[Output]) -> Result<Vec<Step>> {
    let mut reads: HashMap<LocalId, usize> = HashMap::new();
    count_reads(body, &mut reads);
    for output in outputs {
        let operands = output.dims.iter().chain([&output.value]);
        operands.filter_map(|&o| local_of(o)).for_each(|l| *reads.entry(l).or_insert(0) += 1);
    }
    let dims = library::scatter::dims(b, body);
    let (aliases, definitions) = (Aliases::find(b, body), Definitions::find(body));
    let (aliases, definitions) = (&aliases, &definitions);
    let mut planner =
        Planner { b, placement, aliases, definitions, reads, dims, pending: Vec::new(), steps: Vec::new() };
    planner.block(body)?;
    planner.flush()?;
    Ok(planner.steps)
}

fn count_reads(stmts: &[Stmt], reads: &mut HashMap<LocalId, usize>) {
    uses(stmts, &mut |used| {
        if let Use::Read(local) = used {
            *reads.entry(local).or_insert(0) += 1;
        }
    });
}

pub(super) struct Planner<'p, 'a> {
    pub b: &'p mut Builder<'a>,
    pub placement: &'p Placement,
    pub aliases: &'p Aliases,
    pub definitions: &'p Definitions,
    /// How often each local is read in the whole function.
    reads: HashMap<LocalId, usize>,
    /// The sizes of arrays that the function makes.
    dims: HashMap<LocalId, Vec<Operand>>,
    /// Statements of the device that are in no kernel yet.
    pending: Vec<Stmt>,
    pub steps: Vec<Step>,
}

impl Planner<'_, '_> {
    fn block(&mut self, stmts: &[Stmt]) -> Result<()> {
        let scheduler =
            Scheduler { b: self.b, placement: self.placement, aliases: self.aliases, definitions: self.definitions };
        for unit in scheduler.units(stmts) {
            match unit {
                Unit::One(stmt) => self.stmt(stmt)?,
                Unit::Run(stmts) => self.run(&stmts)?,
            }
        }
        Ok(())
    }

    /// The steps of a block inside a loop or a branch of the host.
    fn inner(&mut self, stmts: &[Stmt]) -> Result<Vec<Step>> {
        let around = std::mem::take(&mut self.steps);
        let done = self.block(stmts);
        let done = if only_checks(stmts, self.placement) { done } else { done.and_then(|()| self.flush()) };
        let steps = std::mem::replace(&mut self.steps, around);
        done.map(|()| steps)
    }

    pub(super) fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        match stmt {
            Stmt::Let { local, .. } if self.placement.is_computed(*local) => {
                self.keep(stmt)?;
                if self.placement.is_fetched(*local) {
                    self.flush()?;
                    self.step(Step::Fetch(vec![*local]));
                }
                Ok(())
            }
            Stmt::Var { local, .. } | Stmt::Set { local, .. } if self.placement.is_computed(*local) => self.keep(stmt),
            Stmt::Store { .. } => self.keep(stmt),
            Stmt::Check { args, .. } if args.iter().any(|&a| self.placement.on_device(a)) => self.keep(stmt),
            Stmt::For(l) if l.scan.is_some() => self.scan(l),
            Stmt::For(l) if l.parallel.is_some() => self.nest(l),
            Stmt::For(_) | Stmt::While(_) | Stmt::If { .. } if self.placement.is_serial(stmt) => {
                if let Stmt::For(l) = stmt
                    && let Some(scatter) = library::scatter::find(self.b, l)
                    && let Some(dims) = self.dims.get(&scatter.buffer()).cloned()
                {
                    return self.scatter(l, &scatter, &dims);
                }
                self.keep(stmt)
            }
            Stmt::For(_) | Stmt::While(_) => self.host_loop(stmt),
            Stmt::If { cond, then_body, else_body } => self.host_if(*cond, then_body, else_body),
            _ => self.host(stmt),
        }
    }

    /// A statement without blocks for the host.
    fn host(&mut self, stmt: &Stmt) -> Result<()> {
        self.give_way(stmt)?;
        let step = match stmt {
            Stmt::Let { local, expr } => Step::Let { local: *local, expr: expr.clone() },
            Stmt::Var { local, init } => Step::Var { local: *local, init: *init },
            Stmt::Set { local, value } => Step::Set { local: *local, value: *value },
            Stmt::Alloc { local, dims, span } => {
                self.know(dims)?;
                Step::Alloc { local: *local, dims: dims.clone(), span: *span }
            }
            Stmt::MakeUnique { local, buffer, span } => {
                Step::MakeUnique { local: *local, buffer: *buffer, span: *span }
            }
            Stmt::Retain(buffer) => Step::Retain(*buffer),
            Stmt::Release(buffer) => Step::Release(*buffer),
            Stmt::Check { demand, args, span } => Step::Check { demand: *demand, args: args.clone(), span: *span },
            Stmt::CheckShape { buffer, dims, span } => {
                self.know(dims)?;
                Step::CheckShape { buffer: *buffer, dims: dims.clone(), span: *span }
            }
            Stmt::Argsort { .. } | Stmt::MatMul(_) => return self.library(stmt),
            Stmt::Store { .. } | Stmt::For(_) | Stmt::While(_) | Stmt::If { .. } => return Ok(()),
            // Nobody listens to a device.
            Stmt::Trace { .. } => return Ok(()),
        };
        self.step(step);
        Ok(())
    }

    /// Makes a kernel of the pending statements if a statement of the host would change or release something that they
    /// use.
    fn give_way(&mut self, stmt: &Stmt) -> Result<()> {
        let taken = match stmt {
            Stmt::Set { local, .. } | Stmt::Release(local) | Stmt::MakeUnique { buffer: local, .. } => *local,
            _ => return Ok(()),
        };
        let taken = self.b.root(taken);
        let mut touched = false;
        uses(&self.pending, &mut |used| {
            if let Use::Read(local) | Use::Set(local) = used {
                touched |= local == taken || self.b.root(local) == taken;
            }
        });
        if touched { self.flush() } else { Ok(()) }
    }

    /// Fetches mutable scalars of the device.
    fn know(&mut self, operands: &[Operand]) -> Result<()> {
        let mut wanted: Vec<LocalId> = operands.iter().filter_map(|&o| local_of(o)).collect();
        wanted.retain(|&local| self.placement.is_device(local));
        wanted.dedup();
        if !wanted.is_empty() {
            self.flush()?;
            self.step(Step::Fetch(wanted));
        }
        Ok(())
    }

    // Kernels.

    /// Keeps a statement for the next kernel of scalar code. The pending ones go first if both cannot be in one kernel.
    fn keep(&mut self, stmt: &Stmt) -> Result<()> {
        let mut touches = false;
        memory(self.b, stmt, &mut |_, _| touches = true);
        if touches && !self.is_apart(&self.pending.iter().chain([stmt]).collect::<Vec<_>>()) {
            self.flush()?;
        }
        self.pending.push(stmt.clone());
        Ok(())
    }

    /// Whether no two references in statements may refer to one buffer that they change: a kernel binds a buffer once.
    pub(super) fn is_apart(&self, stmts: &[&Stmt]) -> bool {
        let mut buffers: HashMap<LocalId, (LocalId, bool, bool)> = HashMap::new();
        for stmt in stmts {
            memory(self.b, stmt, &mut |buffer, writes| {
                let known = buffers.entry(self.aliases.class(buffer)).or_insert((buffer, false, false));
                known.1 |= known.0 != buffer;
                known.2 |= writes;
            });
        }
        !buffers.values().any(|&(_, several, written)| several && written)
    }

    /// The sizes of an array that the function makes, or receives with sizes that are locals.
    pub(super) fn dims_of(&self, local: LocalId) -> Option<Vec<Operand>> {
        if let Some(dims) = self.dims.get(&local) {
            return Some(dims.clone());
        }
        let param = self.b.func.params.iter().find(|p| p.local == self.b.root(local))?;
        let size = |size: &ParamSize| size.as_constant().map(Operand::int).or_else(|| size.as_var().map(Operand::from));
        param.dims.iter().map(size).collect()
    }

    /// Makes a kernel of the pending statements.
    pub(super) fn flush(&mut self) -> Result<()> {
        let stmts = std::mem::take(&mut self.pending);
        if stmts.iter().all(|stmt| matches!(stmt, Stmt::Var { init: None, .. })) {
            return Ok(());
        }
        let escapes = self.escapes(&stmts);
        if let Some(step) = self.put(&stmts) {
            self.step(step);
            return Ok(());
        }
        let kernel = serial::make(self.b, self.placement, &stmts, &escapes)?;
        self.step(Step::Dispatch(kernel));
        Ok(())
    }

    /// A step that stores values of the host to scalars of the device, if the statements do nothing else.
    fn put(&self, stmts: &[Stmt]) -> Option<Step> {
        let mut values: Vec<(LocalId, Operand)> = Vec::new();
        for stmt in stmts {
            match stmt {
                Stmt::Var { init: None, .. } => {}
                Stmt::Var { local, init: Some(value) } | Stmt::Set { local, value }
                    if !self.placement.on_device(*value) =>
                {
                    values.retain(|(l, _)| l != local);
                    values.push((*local, *value));
                }
                _ => return None,
            }
        }
        Some(Step::Put(values))
    }

    /// The locals that statements bind and something else reads.
    pub(super) fn escapes(&self, stmts: &[Stmt]) -> Vec<LocalId> {
        let mut inside: HashMap<LocalId, usize> = HashMap::new();
        count_reads(stmts, &mut inside);
        let mut found = Vec::new();
        for stmt in stmts {
            let (Stmt::Let { local, .. } | Stmt::Var { local, .. }) = stmt else { continue };
            let (all, own) = (self.reads.get(local), inside.get(local));
            let starts_buffer = matches!(self.b.func.ty(*local), Ty::Address(_)) && self.b.is_start(*local);
            if all.copied().unwrap_or(0) > own.copied().unwrap_or(0) && !starts_buffer {
                found.push(*local);
            }
        }
        found
    }

    pub(super) fn nest(&mut self, l: &For) -> Result<()> {
        self.know(&[l.extent])?;
        let parallel = l.parallel.clone().unwrap_or_default();
        let mut nest = Nest::of(l, self.placement);
        for (local, expr) in nest.guard(self.b) {
            self.step(Step::Let { local, expr });
        }
        if parallel.partials.is_empty() {
            self.flush()?;
            let kernel = map::make(self.b, self.placement, &nest)?;
            let steps = self.wide(&nest, vec![Step::Dispatch(kernel)])?;
            self.steps.extend(steps);
            return Ok(());
        }
        let before = parallel.partials.iter().map(|p| self.take_init(p.local)).collect();
        self.flush()?;
        self.reduce(&Reduction { nest, parallel: &parallel, before })
    }

    /// The initial value of a local that is declared in pending statements, if the host knows it and nothing else there
    /// uses the local: then the declaration is removed.
    fn take_init(&mut self, wanted: LocalId) -> Option<Operand> {
        let mut found = None;
        let mut used = 0;
        for (k, stmt) in self.pending.iter().enumerate() {
            if let Stmt::Var { local, init: Some(init) } = stmt
                && *local == wanted
                && !self.placement.on_device(*init)
            {
                found = Some((k, *init));
            }
        }
        uses(&self.pending, &mut |u| {
            let (Use::Read(local) | Use::Set(local) | Use::Bind(local)) = u;
            used += usize::from(local == wanted);
        });
        let (k, init) = found.filter(|_| used == 1)?;
        self.pending.remove(k);
        Some(init)
    }

    fn reduce(&mut self, reduction: &Reduction<'_>) -> Result<()> {
        let constant = reduction.nest.constant_points();
        if constant.is_some_and(|points| points <= SHORT) {
            let kernel = reduction.short(self.b, self.placement)?;
            self.step(Step::Dispatch(kernel));
            return Ok(());
        }
        let points = self.points(&reduction.nest);
        let long = self.long_reduction(reduction, points)?;
        if constant.is_some() {
            self.steps.extend(long);
            return Ok(());
        }
        let short = reduction.short(self.b, self.placement)?;
        let cond = self.let_host("short", Scalar::Bool, Prim::Le, vec![points, Operand::int(SHORT)]);
        self.step(Step::If { cond, then_steps: vec![Step::Dispatch(short)], else_steps: long });
        Ok(())
    }

    fn long_reduction(&mut self, reduction: &Reduction<'_>, points: Operand) -> Result<Vec<Step>> {
        let around = std::mem::take(&mut self.steps);
        let per_group = i64::from(reduction.per_group(self.b));
        let rounded = self.let_host("s", Scalar::I64, Prim::Add, vec![points, Operand::int(per_group - 1)]);
        let all = self.let_host("s", Scalar::I64, Prim::Div, vec![rounded, Operand::int(per_group)]);
        let most = Operand::int(i64::from(GROUPS));
        let count = self.let_host("groups", Scalar::I64, Prim::Min, vec![all, most]);
        let Some(count) = local_of(count) else {
            return Err(CompileError::Broken("a long reduction has a known number of parts"));
        };
        let mut parts = Vec::new();
        for partial in &reduction.parallel.partials {
            let info = self.b.func.locals[partial.local].clone();
            let local = self.b.local(&format!("{}.parts", info.name), Ty::Buffer(info.ty.elem()));
            let span = reduction.nest.loops.last().map_or_else(|| SpanId::from_index(0), |l| l.span);
            self.step(Step::Alloc { local, dims: vec![count.into()], span });
            parts.push(local);
        }
        let long = reduction.long(self.b, self.placement, &parts, count)?;
        self.step(Step::Dispatch(long.chunks));
        self.step(Step::Dispatch(long.join));
        parts.into_iter().for_each(|part| self.step(Step::Release(part)));
        Ok(std::mem::replace(&mut self.steps, around))
    }

    /// The number of points of a nest, for the host.
    fn points(&mut self, nest: &Nest<'_>) -> Operand {
        let mut product = Operand::int(1);
        for &extent in &nest.extents {
            product = match (product.as_int(), extent.as_int()) {
                (Some(1), _) => extent,
                _ => self.let_host("s", Scalar::I64, Prim::Mul, vec![product, extent]),
            };
        }
        product
    }

    pub(super) fn let_host(&mut self, hint: &str, scalar: Scalar, prim: Prim, args: Vec<Operand>) -> Operand {
        let constants: Option<Vec<_>> =
            args.iter().map(|a| if let Operand::Const(c) = a { Some(*c) } else { None }).collect();
        let local = match constants.and_then(|c| prim.eval(&c)) {
            // A local is used even for a constant where a kernel needs a parameter.
            Some(value) if hint != "groups" => return value.into(),
            Some(value) => {
                let local = self.b.local(hint, Ty::Scalar(scalar));
                self.step(Step::Let { local, expr: Expr::Copy(value.into()) });
                return local.into();
            }
            None => self.b.local(hint, Ty::Scalar(scalar)),
        };
        self.step(Step::Let { local, expr: Expr::Prim(prim, args) });
        local.into()
    }

    /// Sums at computed places, in parallel if they are many.
    fn scatter(&mut self, l: &For, scatter: &library::scatter::Scatter, dims: &[Operand]) -> Result<()> {
        self.know(dims)?;
        self.know(&[l.extent])?;
        self.flush()?;
        let plain = Stmt::For(Box::new(l.clone()));
        let around = std::mem::take(&mut self.steps);
        self.pending.push(plain);
        let in_order = self.flush().map(|()| std::mem::replace(&mut self.steps, around))?;
        let steps = library::scatter::scatter(self.b, self.placement, l, scatter, dims, in_order)?;
        self.steps.extend(steps);
        Ok(())
    }

    /// A scan, in chunks if it is long.
    fn scan(&mut self, l: &For) -> Result<()> {
        let Some(scan) = &l.scan else { return Err(CompileError::Broken("what is planned as a scan is none")) };
        self.block(&scan.before)?;
        let mut plain = l.clone();
        plain.scan = None;
        plain.body = scan.body.clone();
        let plain = Stmt::For(Box::new(plain));
        if library::scan::is_long(self.b, self.placement, l, scan) {
            self.know(&[l.extent])?;
            self.flush()?;
            let in_order = self.inner(std::slice::from_ref(&plain))?;
            let steps = library::scan::scan(self.b, self.placement, l, scan, in_order)?;
            self.steps.extend(steps);
        } else {
            self.keep(&plain)?;
        }
        self.block(&scan.after)
    }

    /// Statements that are not nests.
    fn library(&mut self, stmt: &Stmt) -> Result<()> {
        let span = SpanId::from_index(0);
        let steps = match stmt {
            Stmt::MatMul(product) => {
                let sizes: Vec<_> = product.axes.iter().flat_map(|a| [a.extent, a.into, a.left, a.right]).collect();
                self.know(&sizes)?;
                self.flush()?;
                library::matmul(self.b, product, span)?
            }
            Stmt::Argsort { into, keys, length, .. } => {
                self.know(&[*length])?;
                self.flush()?;
                let made = self.dims.get(into).cloned();
                let Some(dims) = made else {
                    return Err(CompileError::Unsupported { what: "sorting into a given array".to_string(), span });
                };
                library::argsort(self.b, *into, *keys, *length, &dims, span)?
            }
            _ => return Err(CompileError::Broken("what is planned as a call of the library is none")),
        };
        self.steps.extend(steps);
        Ok(())
    }

    // Loops and branches of the host.

    /// A loop around kernels: replaced by one kernel if sizes allow it.
    fn host_loop(&mut self, stmt: &Stmt) -> Result<()> {
        if let Stmt::For(l) = stmt {
            self.know(&[l.extent])?;
        }
        self.flush()?;
        let one = self.persistent(stmt)?;
        let cond = one.as_ref().map(|one| one.cond);
        let known = cond.and_then(library::known);
        let (lets, one) = one.map_or_else(Default::default, |one| (one.lets, one.steps));
        self.steps.extend(lets);
        if known == Some(true) {
            self.steps.extend(one);
            return Ok(());
        }
        let around = std::mem::take(&mut self.steps);
        match stmt {
            Stmt::For(l) => self.host_for(l)?,
            Stmt::While(l) => self.host_while(l)?,
            _ => {}
        }
        let in_order = std::mem::replace(&mut self.steps, around);
        match cond {
            Some(cond) => self.step(Step::If { cond, then_steps: one, else_steps: in_order }),
            None => self.steps.extend(in_order),
        }
        Ok(())
    }

    fn host_for(&mut self, l: &For) -> Result<()> {
        self.know(&[l.extent])?;
        self.flush()?;
        let body = self.inner(&l.body)?;
        let (index, extent, reverse, origin) = (l.index, l.extent, l.reverse, l.origin);
        let inductions = l.inductions.clone();
        self.step(Step::For(Box::new(HostFor { index, extent, reverse, inductions, origin, span: l.span, body })));
        Ok(())
    }

    fn host_while(&mut self, l: &While) -> Result<()> {
        self.flush()?;
        let around = std::mem::take(&mut self.steps);
        let head = self.block(&l.head).and_then(|()| self.know(&[l.cond])).and_then(|()| self.flush());
        let head = head.map(|()| std::mem::replace(&mut self.steps, around))?;
        let body = self.inner(&l.body)?;
        self.step(Step::While(Box::new(HostWhile { head, cond: l.cond, body, span: l.span })));
        Ok(())
    }

    fn host_if(&mut self, cond: Operand, then_body: &[Stmt], else_body: &[Stmt]) -> Result<()> {
        self.know(&[cond])?;
        if !only_checks(then_body, self.placement) || !only_checks(else_body, self.placement) {
            self.flush()?;
        }
        let then_steps = self.inner(then_body)?;
        let else_steps = self.inner(else_body)?;
        if !then_steps.is_empty() || !else_steps.is_empty() {
            self.step(Step::If { cond, then_steps, else_steps });
        }
        Ok(())
    }
}

/// Whether statements are checks of the host alone, which need not wait for anything.
fn only_checks(stmts: &[Stmt], placement: &Placement) -> bool {
    let mut only = true;
    for_each_chunked_stmt(stmts, &mut |stmt| {
        only &= match stmt {
            Stmt::Check { args, .. } => !args.iter().any(|&a| placement.on_device(a)),
            Stmt::If { cond, .. } => !placement.on_device(*cond),
            _ => false,
        };
    });
    only
}
