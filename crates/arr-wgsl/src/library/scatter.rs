//! Sums at computed places: loops that add to elements of an array which the data choose.
//!
//! Two ways, of which sizes choose one when the program runs. *Copies*, for small arrays: chunks of iterations add to copies
//! of the array, one each, and a second kernel adds these up in order. *Sorted*, for large ones: every iteration writes its
//! place and its term side by side, a stable sort brings the terms of each place together, and an invocation a place adds
//! them up in the order of the iterations, which gives the same bits as the loop. Neither needs atomic operations, and both
//! give the same bits every time.

use super::{Draft, Host, known};
use crate::builder::Builder;
use crate::kernel::needs;
use crate::kernel::text::{Result, Text, unnamed};
use crate::plan::Placement;
use crate::program::{Access, Groups, Step};
use crate::scalar::integer_of;
use crate::walk::{operands, statements};
use arr_ir::{Const, Prim, Scalar};
use arr_loops::{Expr, For, LocalId, Operand, Stmt, Ty};
use std::collections::{HashMap, HashSet};

/// Shorter loops are done in order.
const SHORT: i64 = 256;
/// Elements of all copies at most.
const COPIED: i64 = 1 << 22;
/// Copies at most, and iterations of a copy at least.
const COPIES: i64 = 4096;
const LEAST: i64 = 16;
/// With fewer copies than this sorting is better.
const FEW: i64 = 64;
/// Arrays of fewer elements have a workgroup for each when copies are taken together.
const WIDE: i64 = 4096;

/// Loops, outermost first: index and extent.
type Loops = Vec<(LocalId, Operand)>;

/// A loop that is one.
pub(crate) struct Scatter {
    /// The array, and how a term is taken into an element.
    buffer: LocalId,
    op: Prim,
    /// The loops around the only place where terms are added, outermost first; `None` if that is not so.
    around: Option<Loops>,
}

impl Scatter {
    pub fn buffer(&self) -> LocalId {
        self.buffer
    }
}

/// What the statements of a loop are found to be.
#[derive(Default)]
struct Finder {
    own: HashSet<LocalId>,
    bound: HashMap<LocalId, Expr>,
    reads: HashMap<LocalId, usize>,
    loads: Vec<LocalId>,
    stores: Vec<Found>,
}

/// A place where a term is taken in.
struct Found {
    address: LocalId,
    op: Prim,
    around: Option<Loops>,
}

/// Finds out whether a loop that is done in order does nothing but take terms into elements of one array.
pub(crate) fn find(b: &Builder<'_>, l: &For) -> Option<Scatter> {
    let mut finder = Finder::default();
    finder.count(&l.body);
    let around = (!l.reverse).then(|| vec![(l.index, l.extent)]);
    finder.block(&l.body, around.as_deref())?;
    let Found { address, op, around } = finder.stores.first()?;
    let buffer = b.root(*address);
    let same = finder.stores.iter().all(|found| b.root(found.address) == buffer && found.op == *op);
    // The array is read where terms are added, and nowhere else.
    let reads = finder.loads.iter().filter(|&&a| b.root(a) == buffer).count();
    let alone = finder.stores.len() == 1;
    let around = around.clone().filter(|loops| {
        // Their lengths are known outside.
        let outside = |o: &Operand| !matches!(o, Operand::Local(local) if finder.own.contains(local));
        alone && loops.iter().all(|(_, extent)| outside(extent))
    });
    identity(*op, b.func.elem(buffer.into()))?;
    (same && reads == finder.stores.len()).then_some(Scatter { buffer, op: *op, around })
}

impl Finder {
    fn count(&mut self, stmts: &[Stmt]) {
        crate::walk::uses(stmts, &mut |used| {
            if let crate::walk::Use::Read(local) = used {
                *self.reads.entry(local).or_insert(0) += 1;
            }
        });
        statements(stmts, &mut |stmt| match stmt {
            Stmt::Let { local, expr } => {
                self.own.insert(*local);
                self.bound.insert(*local, expr.clone());
                if let Expr::Load(address, _) = expr {
                    self.loads.push(*address);
                }
            }
            Stmt::Var { local, .. } => {
                self.own.insert(*local);
            }
            Stmt::For(l) => {
                self.own.insert(l.index);
                self.own.extend(l.inductions.iter().map(|i| i.local));
            }
            _ => {}
        });
    }

    fn block(&mut self, stmts: &[Stmt], around: Option<&[(LocalId, Operand)]>) -> Option<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, around))
    }

    fn stmt(&mut self, stmt: &Stmt, around: Option<&[(LocalId, Operand)]>) -> Option<()> {
        match stmt {
            Stmt::Let { expr, .. } => (!matches!(expr, Expr::Literal(_))).then_some(()),
            Stmt::Var { .. } | Stmt::Check { .. } => Some(()),
            Stmt::Set { local, .. } => self.own.contains(local).then_some(()),
            Stmt::Store { address, offset, value } => {
                let op = self.taken_in(*address, *offset, *value)?;
                self.stores.push(Found { address: *address, op, around: around.map(<[_]>::to_vec) });
                Some(())
            }
            Stmt::For(l) if l.scan.is_none() => {
                let around = around.filter(|_| !l.reverse).map(|loops| [loops, &[(l.index, l.extent)]].concat());
                self.block(&l.body, around.as_deref())
            }
            Stmt::While(l) => self.block(&l.head, None).and_then(|()| self.block(&l.body, None)),
            Stmt::If { then_body, else_body, .. } => {
                self.block(then_body, around)?;
                self.block(else_body, around)
            }
            _ => None,
        }
    }

    /// The operator of `store a[o] = op(a[o], term)`, whose parts nothing else reads.
    fn taken_in(&self, address: LocalId, offset: Operand, value: Operand) -> Option<Prim> {
        let once = |operand: Operand| match operand {
            Operand::Local(local) => (self.reads.get(&local) == Some(&1)).then_some(local),
            Operand::Const(_) => None,
        };
        let Expr::Prim(op, args) = self.bound.get(&once(value)?)? else { return None };
        let (old, _) = split(&self.bound, address, offset, *op, args)?;
        once(old.into()).map(|_| *op)
    }
}

/// The old element and the term.
fn split(
    bound: &HashMap<LocalId, Expr>,
    address: LocalId,
    offset: Operand,
    op: Prim,
    args: &[Operand],
) -> Option<(LocalId, Operand)> {
    let [a, c] = args else { return None };
    let is_old = |operand: &Operand| match operand {
        Operand::Local(local) if bound.get(local) == Some(&Expr::Load(address, offset)) => Some(*local),
        _ => None,
    };
    match (is_old(a), is_old(c)) {
        (Some(old), _) => Some((old, *c)),
        (None, Some(old)) if op != Prim::Sub => Some((old, *a)),
        _ => None,
    }
}

/// What changes nothing when it is taken in.
fn identity(op: Prim, elem: Scalar) -> Option<Const> {
    let extreme = |least: bool| match elem {
        Scalar::F32 => Const::F32(if least { f32::NEG_INFINITY } else { f32::INFINITY }),
        Scalar::F64 => Const::F64(if least { f64::NEG_INFINITY } else { f64::INFINITY }),
        Scalar::I32 => Const::I32(if least { i32::MIN } else { i32::MAX }),
        Scalar::I64 => Const::I64(if least { i64::MIN } else { i64::MAX }),
        Scalar::U32 => Const::U32(if least { u32::MIN } else { u32::MAX }),
        Scalar::Bool => Const::Bool(!least),
    };
    Some(match (op, elem) {
        (Prim::And, Scalar::Bool) => Const::Bool(true),
        (Prim::Or, Scalar::Bool) => Const::Bool(false),
        (_, Scalar::Bool) => return None,
        (Prim::Add, Scalar::F32) => Const::F32(-0.0),
        (Prim::Add, Scalar::F64) => Const::F64(-0.0),
        (Prim::Add | Prim::Sub | Prim::BitOr | Prim::BitXor, _) => Const::zero(elem),
        (Prim::Mul, _) => Const::one(elem),
        (Prim::Max, _) => extreme(true),
        (Prim::Min, _) => extreme(false),
        _ => return None,
    })
}

/// The sizes of arrays whose buffers a function makes, where it says them. A mutable reference has them if everything that
/// it is set to has the same.
pub(crate) fn dims(b: &Builder<'_>, body: &[Stmt]) -> HashMap<LocalId, Vec<Operand>> {
    let mut varied = HashSet::new();
    loop {
        let mut sizes = Sizes { b, found: HashMap::new(), varied: varied.clone() };
        statements(body, &mut |stmt| sizes.note(stmt));
        // Once more: what is set at the end of a loop has been read before.
        statements(body, &mut |stmt| sizes.check(stmt));
        if sizes.varied.len() == varied.len() {
            return sizes.found;
        }
        varied = sizes.varied;
    }
}

struct Sizes<'b, 'a> {
    b: &'b Builder<'a>,
    found: HashMap<LocalId, Vec<Operand>>,
    /// References that are set to arrays of other sizes.
    varied: HashSet<LocalId>,
}

impl Sizes<'_, '_> {
    fn note(&mut self, stmt: &Stmt) {
        let fixed = |o: &Operand| !matches!(o, Operand::Local(local) if self.b.func.locals[*local].mutable);
        match stmt {
            Stmt::Alloc { local, dims, .. } if dims.iter().all(fixed) => {
                self.found.insert(*local, dims.clone());
            }
            Stmt::MakeUnique { local, buffer, .. }
            | Stmt::Let { local, expr: Expr::Copy(Operand::Local(buffer)) }
            | Stmt::Var { local, init: Some(Operand::Local(buffer)) }
            | Stmt::Set { local, value: Operand::Local(buffer) } => {
                if let Some(dims) = self.found.get(buffer).cloned()
                    && !self.varied.contains(local)
                {
                    self.found.entry(*local).or_insert(dims);
                }
            }
            _ => {}
        }
    }

    fn check(&mut self, stmt: &Stmt) {
        if let Stmt::Var { local, init: Some(Operand::Local(from)) } | Stmt::Set { local, value: Operand::Local(from) } =
            stmt
            && matches!(self.b.func.ty(*local), Ty::Buffer(_))
            && self.found.get(local) != self.found.get(from)
        {
            self.varied.insert(*local);
        }
    }
}

struct Run<'s> {
    l: &'s For,
    scatter: &'s Scatter,
    elem: Scalar,
    /// Elements of the array.
    size: Operand,
}

/// The steps of a scatter into an array of these sizes; `in_order` are those of the plain loop.
pub(crate) fn scatter(
    b: &mut Builder<'_>,
    placement: &Placement,
    l: &For,
    scatter: &Scatter,
    dims: &[Operand],
    in_order: Vec<Step>,
) -> Result<Vec<Step>> {
    let mut host = Host::default();
    let elem = b.func.elem(scatter.buffer.into());
    let size = host.product(b, "size", dims);
    let long = host.prim(b, "long", Prim::Ge, &[l.extent, Operand::int(SHORT)]);
    let run = Run { l, scatter, elem, size };
    // As many copies as there is room for.
    let most = host.prim(b, "copies", Prim::Max, &[size, Operand::int(1)]);
    let most = host.prim(b, "copies", Prim::Div, &[Operand::int(COPIED), most]);
    let worth = host.prim(b, "copies", Prim::Div, &[l.extent, Operand::int(LEAST)]);
    let copies = host.prim(b, "copies", Prim::Min, &[most, worth]);
    let copies = host.prim(b, "copies", Prim::Min, &[copies, Operand::int(COPIES)]);
    let copies = host.prim(b, "copies", Prim::Max, &[copies, Operand::int(1)]);
    let few = host.prim(b, "few", Prim::Lt, &[most, Operand::int(FEW)]);
    let by_copies = run.copies(b, placement, copies)?;
    let on_host = |o: &Operand| match o {
        Operand::Local(local) => !placement.is_device(*local) && !b.func.locals[*local].mutable,
        Operand::Const(_) => true,
    };
    let around = scatter.around.as_ref().filter(|around| around.iter().all(|(_, extent)| on_host(extent)));
    let by_sorting = match around {
        Some(around) => run.sorted(b, placement, around)?,
        None => in_order.clone(),
    };
    let mut in_parallel = Host::default();
    in_parallel.choose(few, by_sorting, by_copies);
    host.choose(long, in_parallel.steps, in_order);
    Ok(host.steps)
}

/// A body's statements with addresses of the array exchanged.
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

/// A statement with its blocks replaced.
fn with_blocks(stmt: &Stmt, replace: &mut dyn FnMut(&[Stmt]) -> Vec<Stmt>) -> Stmt {
    match stmt {
        Stmt::For(l) => {
            let mut l = l.clone();
            // In a kernel all loops are plain.
            l.parallel = None;
            l.body = replace(&l.body);
            Stmt::For(l)
        }
        Stmt::While(l) => {
            let mut l = l.clone();
            l.head = replace(&l.head);
            l.body = replace(&l.body);
            Stmt::While(l)
        }
        Stmt::If { cond, then_body, else_body } => {
            let (then_body, else_body) = (replace(then_body), replace(else_body));
            Stmt::If { cond: *cond, then_body, else_body }
        }
        _ => stmt.clone(),
    }
}

impl Run<'_> {
    fn name(&self, b: &mut Builder<'_>, what: &str) -> String {
        let array = b.func.locals[self.scatter.buffer].name.clone();
        b.name(&format!("{array}_{what}"))
    }

    /// A kernel of an invocation for each `unit`, up to the first line after the bounds.
    fn kernel<'t, 'a>(
        &self,
        b: &'t mut Builder<'a>,
        needs: needs::Needs,
        what: &str,
        count: Operand,
        width: u32,
    ) -> (Text<'t, 'a>, String) {
        let mut kernel = unnamed(self.l.span);
        kernel.name = self.name(b, what);
        kernel.workgroup = [width, 1, 1];
        kernel.groups = Groups { points: vec![count], per_group: width, most: None };
        needs.give(&mut kernel);
        let entry = b.entry(
            &kernel,
            "@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32",
        );
        let mut text = Text::new(b, kernel);
        text.load_slots(&needs.slots);
        let count = text.operand(count);
        let number = format!("(group.x + group.y * groups.x) * {width}u + lane");
        text.line(&format!("let mine = {};", integer_of(&number, text.b.options.integers)));
        text.line(&format!("if mine >= {count} {{ return; }}"));
        (text, entry)
    }

    fn done(text: Text<'_, '_>, entry: &str, what: &str) -> Step {
        let comment = text.comment(what);
        let Text { b, out, kernel, .. } = text;
        Step::Dispatch(b.kernel(kernel, format!("{comment}{entry}{out}}}\n")))
    }

    /// The locals that an iteration has besides what its statements bind.
    fn loop_locals(&self) -> Vec<LocalId> {
        let mut own = vec![self.l.index];
        own.extend(self.l.inductions.iter().map(|i| i.local));
        own
    }

    fn loop_operands(&self) -> Vec<Operand> {
        let mut operands = vec![self.l.extent];
        operands.extend(self.l.inductions.iter().map(|i| i.step));
        operands
    }

    // Copies.

    fn copies(&self, b: &mut Builder<'_>, placement: &Placement, copies: Operand) -> Result<Vec<Step>> {
        let mut host = Host::default();
        let Some(identity) = identity(self.scatter.op, self.elem) else { return Ok(Vec::new()) };
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

    /// Fills the copies with what changes nothing.
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

    /// An invocation a copy does its iterations in order.
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

    /// Takes the copies into the array: an invocation an element, or a workgroup, where elements are few.
    fn join(&self, b: &mut Builder<'_>, copied: LocalId, copies: Operand) -> Vec<Step> {
        let mut host = Host::default();
        let few = host.prim(b, "few", Prim::Lt, &[self.size, Operand::int(WIDE)]);
        let wide = if known(few) == Some(false) { Vec::new() } else { vec![self.join_by_groups(b, copied, copies)] };
        let narrow = if known(few) == Some(true) { Vec::new() } else { vec![self.join_in_order(b, copied, copies)] };
        host.choose(few, wide, narrow);
        host.steps
    }

    /// What was taken away of a copy has made its elements negative.
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

    /// Every invocation takes a part of the copies together, and a tree these.
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
            b.checked(self.join_op(), &args, self.l.span).unwrap_or_else(|_| a.to_string())
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

    /// Takes elements of `from`, at `place` in a loop, into the array's element at `point`.
    fn fold(&self, b: &mut Builder<'_>, d: &mut Draft, op: Prim, head: &str, from: LocalId, place: &str) {
        let (array, from) = (b.buffer(&d.kernel, self.scatter.buffer), b.buffer(&d.kernel, from));
        let test = if self.elem == Scalar::Bool { " != 0u" } else { "" };
        d.line(format!("var sum = {array}[point]{test};"));
        d.line(head);
        d.line(format!("let term = {from}[{place}]{test};"));
        let args = [("sum".to_string(), self.elem), ("term".to_string(), self.elem)];
        // The operator was found to have an identity on these elements.
        let next = b.checked(op, &args, self.l.span).unwrap_or_else(|_| "sum".to_string());
        d.line(format!("sum = {next};"));
        d.line("}");
        let value = if self.elem == Scalar::Bool { "select(0u, 1u, sum)" } else { "sum" };
        d.line(format!("{array}[point] = {value};"));
    }

    // Sorted.

    fn sorted(&self, b: &mut Builder<'_>, placement: &Placement, around: &[(LocalId, Operand)]) -> Result<Vec<Step>> {
        let mut host = Host::default();
        let extents: Vec<Operand> = around.iter().map(|(_, extent)| *extent).collect();
        let points = host.product(b, "terms", &extents);
        let span = self.l.span;
        // A place is one more than its number, and nothing is 0.
        let places = b.local("places", Ty::Buffer(Scalar::U32));
        host.steps.push(Step::AllocZeros { local: places, dims: vec![points], span });
        let terms = host.scratch(b, "terms", self.elem, vec![points], span);
        let order = host.scratch(b, "order", Scalar::I64, vec![points], span);
        let step = self.write_terms(b, placement, around, places, terms)?;
        host.steps.push(step);
        host.steps.extend(super::argsort(b, order, places, points, &[points], span)?);
        let step = self.add_sorted(b, points, places, terms, order);
        host.steps.push(step);
        host.steps.extend([places, terms, order].map(Step::Release));
        Ok(host.steps)
    }

    /// Every iteration writes where its terms go, and the terms.
    fn write_terms(
        &self,
        b: &mut Builder<'_>,
        placement: &Placement,
        around: &[(LocalId, Operand)],
        places: LocalId,
        terms: LocalId,
    ) -> Result<Step> {
        let address = |b: &mut Builder<'_>, buffer: LocalId, elem: Scalar| {
            let address = b.local("place", Ty::Address(elem));
            b.place_address(address, buffer, true);
            address
        };
        let (to_place, to_term) = (address(b, places, Scalar::U32), address(b, terms, self.elem));
        let mut bound = HashMap::new();
        statements(&self.l.body, &mut |stmt| {
            if let Stmt::Let { local, expr } = stmt {
                bound.insert(*local, expr.clone());
            }
        });
        let buffer = self.scatter.buffer;
        let mut writer =
            Writer { b, buffer, bound, around, to_place, to_term, outside: Vec::new(), known: HashMap::new() };
        let body = writer.block(&self.l.body);
        let Writer { b, outside, .. } = writer;
        let mut own = self.loop_locals();
        own.extend(outside.iter().map(|(_, new)| *new));
        let mut read = self.loop_operands();
        read.extend(around.iter().map(|(_, extent)| *extent));
        read.extend(outside.iter().filter(|(old, _)| !b.is_start(*old)).map(|(old, _)| Operand::Local(*old)));
        let needs = needs::find(b, placement, &body, &read, &own);
        let width = b.options.workgroup;
        let (mut text, entry) = self.kernel(b, needs, "terms", self.l.extent, width);
        for (old, new) in outside {
            let start = if text.b.is_start(old) { text.integer(0) } else { text.local(old) };
            text.name(new, start);
        }
        text.name(self.l.index, "mine".to_string());
        text.inductions(self.l);
        text.block(&body)?;
        Ok(Self::done(text, &entry, "The terms of sums at computed places"))
    }

    /// The invocation of the first term of a place adds up all of them.
    fn add_sorted(
        &self,
        b: &mut Builder<'_>,
        points: Operand,
        places: LocalId,
        terms: LocalId,
        order: LocalId,
    ) -> Step {
        let width = b.options.workgroup;
        let groups = Groups { points: vec![points], per_group: width, most: None };
        let mut d = Draft::new(b, "scatter_sorted", width, groups, self.l.span);
        d.bind(places, Scalar::U32, Access::Read);
        d.bind(terms, self.elem, Access::Read);
        d.bind(order, Scalar::I64, Access::Read);
        d.bind(self.scatter.buffer, self.elem, Access::ReadWrite);
        let points = d.int(b, points);
        let (place, at) = (b.buffer(&d.kernel, places), b.buffer(&d.kernel, order));
        d.line(format!("let first = group * {width} + lane;"));
        d.line(format!("if first >= {points} {{ return; }}"));
        d.line(format!("let place = {place}[i32({at}[first])];"));
        d.line("if place == 0u { return; }");
        d.line(format!("if first > 0 && {place}[i32({at}[first - 1])] == place {{ return; }}"));
        d.line("let point = i32(place - 1u);");
        let head = format!("for (var k = first; k < {points} && {place}[i32({at}[k])] == place; k++) {{");
        self.fold(b, &mut d, self.scatter.op, &head, terms, &format!("i32({at}[k])"));
        d.finish(b)
    }
}

/// A body's statements, with terms and their places written instead of taken in.
struct Writer<'b, 'a, 's> {
    b: &'b mut Builder<'a>,
    buffer: LocalId,
    bound: HashMap<LocalId, Expr>,
    around: &'s [(LocalId, Operand)],
    to_place: LocalId,
    to_term: LocalId,
    /// Addresses from outside, and integers for their offsets.
    outside: Vec<(LocalId, LocalId)>,
    known: HashMap<LocalId, LocalId>,
}

impl Writer<'_, '_, '_> {
    /// The integer for an address of the array.
    fn place(&mut self, address: LocalId) -> LocalId {
        if let Some(&known) = self.known.get(&address) {
            return known;
        }
        let place = self.b.local("place", Ty::Scalar(Scalar::I64));
        self.known.insert(address, place);
        self.outside.push((address, place));
        place
    }

    fn prim(&mut self, out: &mut Vec<Stmt>, prim: Prim, args: &[Operand]) -> Operand {
        let elems: Vec<Scalar> = args.iter().map(|&a| self.b.func.elem(a)).collect();
        let ty = Ty::Scalar(prim.result(&elems).unwrap_or(Scalar::I64));
        let local = self.b.local("place", ty);
        out.push(Stmt::Let { local, expr: Expr::Prim(prim, args.to_vec()) });
        local.into()
    }

    fn block(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in stmts {
            self.stmt(stmt, &mut out);
        }
        out
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        match stmt {
            Stmt::Let { local, expr: Expr::Offset(address, by) } if self.b.root(*address) == self.buffer => {
                let start = self.place(*address);
                let place = self.b.local("place", Ty::Scalar(Scalar::I64));
                self.known.insert(*local, place);
                out.push(Stmt::Let { local: place, expr: Expr::Prim(Prim::Add, vec![start.into(), *by]) });
            }
            Stmt::Let { expr: Expr::Load(address, _), .. } if self.b.root(*address) == self.buffer => {}
            // What is stored is not computed here.
            Stmt::Let { expr, .. } if self.reads_old(expr) => {}
            Stmt::Store { address, offset, value } => self.store(*address, *offset, *value, out),
            _ => out.push(with_blocks(stmt, &mut |block| self.block(block))),
        }
    }

    fn reads_old(&self, expr: &Expr) -> bool {
        operands(expr).iter().any(|o| match o {
            Operand::Local(local) => {
                matches!(self.bound.get(local), Some(Expr::Load(address, _)) if self.b.root(*address) == self.buffer)
            }
            Operand::Const(_) => false,
        })
    }

    fn store(&mut self, address: LocalId, offset: Operand, value: Operand, out: &mut Vec<Stmt>) {
        let Operand::Local(value) = value else { return };
        let Some(Expr::Prim(op, args)) = self.bound.get(&value).cloned() else { return };
        let Some((_, term)) = split(&self.bound, address, offset, op, &args) else { return };
        let start = self.place(address);
        let place = self.prim(out, Prim::Add, &[start.into(), offset]);
        let place = self.prim(out, Prim::Add, &[place, Operand::int(1)]);
        let place = self.prim(out, Prim::ToU32, &[place]);
        // The number of the term among all, in the order of the loops.
        let around = self.around;
        let mut number: Option<Operand> = None;
        for (index, extent) in around {
            number = Some(match number {
                None => (*index).into(),
                Some(outer) => {
                    let row = self.prim(out, Prim::Mul, &[outer, *extent]);
                    self.prim(out, Prim::Add, &[row, (*index).into()])
                }
            });
        }
        let number = number.unwrap_or(Operand::int(0));
        out.push(Stmt::Store { address: self.to_place, offset: number, value: place });
        out.push(Stmt::Store { address: self.to_term, offset: number, value: term });
    }
}
