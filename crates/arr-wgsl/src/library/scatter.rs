//! Sums at computed places: loops that add to elements of an array at data-dependent indices.
//!
//! Two methods, of which sizes choose one at run time. *Copies*, for small arrays: chunks of iterations add to copies
//! of the array, one each, and a second kernel adds these up in order. *Sorted*, for large ones: every iteration writes
//! its place and its term side by side, a stable sort brings the terms of each place together, and one invocation per
//! place adds them up in the order of the iterations, which gives the same bits as the loop. Neither needs atomic
//! operations, and both give the same bits every time.

mod copies;
mod find;
mod sizes;
mod sorted;

pub(crate) use find::{Scatter, find};
pub(crate) use sizes::dims;

use super::{Draft, Host};
use crate::builder::Builder;
use crate::kernel::needs;
use crate::kernel::text::{Result, Text, unnamed};
use crate::plan::Placement;
use crate::program::{Groups, Step};
use crate::scalar::integer_of;
use arr_ir::{Prim, Scalar};
use arr_loops::{For, LocalId, Operand, Stmt};

/// Shorter loops run in order.
const SHORT: i64 = 256;
/// The maximal number of elements of all copies.
const COPIED: i64 = 1 << 22;
/// The maximal number of copies, and the minimal number of iterations per copy.
const COPIES: i64 = 4096;
const LEAST: i64 = 16;
/// With fewer copies than this sorting is better.
const FEW: i64 = 64;

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

    /// A kernel of one invocation per `unit`, up to the first line after the bounds.
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

    /// The locals of an iteration besides those that its statements bind.
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

    /// Accumulates elements of `from`, at `place` in a loop, into the array's element at `point`.
    fn fold(&self, b: &mut Builder<'_>, d: &mut Draft, op: Prim, head: &str, from: LocalId, place: &str) {
        let (array, from) = (b.buffer(&d.kernel, self.scatter.buffer), b.buffer(&d.kernel, from));
        let test = if self.elem == Scalar::Bool { " != 0u" } else { "" };
        d.line(format!("var sum = {array}[point]{test};"));
        d.line(head);
        d.line(format!("let term = {from}[{place}]{test};"));
        let args = [("sum".to_string(), self.elem), ("term".to_string(), self.elem)];
        // The operator is known to have an identity on these elements.
        let next = b.sure(op, &args, self.l.span);
        d.line(format!("sum = {next};"));
        d.line("}");
        let value = if self.elem == Scalar::Bool { "select(0u, 1u, sum)" } else { "sum" };
        d.line(format!("{array}[point] = {value};"));
    }
}
