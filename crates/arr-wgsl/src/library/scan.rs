//! Scans in chunks: loops that carry scalars by an associative step.
//!
//! Three kernels. The first computes the summary of every chunk, one invocation per chunk. The second, one workgroup,
//! computes the initial state of each chunk (`advance`). The third runs the iterations. The number of chunks follows
//! from the loop's length alone.

mod advance;

use super::Host;
use crate::builder::Builder;
use crate::kernel::needs::{self, Needs};
use crate::kernel::text::{Result, Text, unnamed};
use crate::plan::Placement;
use crate::program::{Access, Binding, Groups, Step};
use crate::scalar::integer_of;
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, For, LocalId, Operand, Scan, Stmt};
use std::collections::HashSet;

/// The minimal number of iterations of a chunk.
const LEAST: i64 = 64;
/// The maximal number of chunks.
const MOST: i64 = 8192;
/// Shorter loops run in order.
const SHORT: i64 = 1024;

struct Chunks<'s> {
    l: &'s For,
    scan: &'s Scan,
    /// Iterations of a chunk, and the number of chunks.
    length: Operand,
    count: Operand,
    /// The values of the summary of each chunk, and its initial states.
    parts: Vec<LocalId>,
    entries: Vec<LocalId>,
}

/// Whether a scan may be worth its kernels. The host knows or can fetch its extent, and its states are in slots.
pub(crate) fn is_long(b: &Builder<'_>, placement: &Placement, l: &For, scan: &Scan) -> bool {
    let short = l.extent.as_int().is_some_and(|n| n < SHORT);
    !short && scan.states.iter().all(|s| placement.is_device(s.local)) && can_run_again(b, scan)
}

/// The steps of a scan, without the code before and after; `in_order` are those of the plain loop. The states are in
/// slots.
pub(crate) fn scan(
    b: &mut Builder<'_>,
    placement: &Placement,
    l: &For,
    scan: &Scan,
    in_order: Vec<Step>,
) -> Result<Vec<Step>> {
    let mut host = Host::default();
    let long = host.prim(b, "long", Prim::Ge, &[l.extent, Operand::int(SHORT)]);
    let mut steps = Host::default();
    let per = steps.div_up(b, "chunk", l.extent, MOST);
    let length = steps.prim(b, "chunk", Prim::Max, &[per, Operand::int(LEAST)]);
    let rest = steps.prim(b, "chunks", Prim::Sub, &[length, Operand::int(1)]);
    let sum = steps.prim(b, "chunks", Prim::Add, &[l.extent, rest]);
    let count = steps.prim(b, "chunks", Prim::Div, &[sum, length]);
    let mut buffers = |locals: Vec<LocalId>, what: &str| -> Vec<LocalId> {
        let scratch = |&local: &LocalId| {
            let hint = format!("{}.{what}", b.func.locals[local].name);
            let elem = b.func.elem(local.into());
            steps.scratch(b, &hint, elem, vec![count], l.span)
        };
        locals.iter().map(scratch).collect()
    };
    let parts = buffers(scan.parts.iter().map(|p| p.local).collect(), "chunks");
    let entries = buffers(scan.states.iter().map(|s| s.local).collect(), "entries");
    let chunks = Chunks { l, scan, length, count, parts, entries };
    let kernels = [chunks.summaries(b, placement)?, chunks.advance(b, placement)?, chunks.iterations(b, placement)?];
    steps.steps.extend(kernels);
    steps.steps.extend(chunks.parts.iter().chain(&chunks.entries).map(|&buffer| Step::Release(buffer)));
    host.choose(long, steps.steps, in_order);
    Ok(host.steps)
}

/// Whether iterations without their writes leave the same states: nothing is read that was written before.
fn can_run_again(b: &Builder<'_>, scan: &Scan) -> bool {
    let mut written = HashSet::new();
    scan.sound.is_none()
        || scan.body.iter().all(|stmt| match stmt {
            Stmt::Store { address, .. } => {
                written.insert(b.root(*address));
                true
            }
            Stmt::Let { expr: Expr::Load(address, _), .. } => !written.contains(&b.root(*address)),
            Stmt::Let { .. } | Stmt::Set { .. } | Stmt::Check { .. } => true,
            _ => false,
        })
}

impl Chunks<'_> {
    /// The needs of an iteration's statements, where these locals are the kernel's own.
    fn needs(&self, b: &Builder<'_>, placement: &Placement, stmts: &[Stmt], own: &[LocalId]) -> Needs {
        let mut bound: Vec<LocalId> = own.to_vec();
        bound.push(self.l.index);
        bound.extend(self.l.inductions.iter().map(|i| i.local));
        let mut operands = vec![self.l.extent, self.length, self.count];
        operands.extend(self.l.inductions.iter().map(|i| i.step));
        needs::find(b, placement, stmts, &operands, &bound)
    }

    fn states(&self) -> Vec<LocalId> {
        self.scan.states.iter().map(|s| s.local).collect()
    }

    /// A kernel of one invocation per chunk, which is `chunk`, up to the first line after the bounds.
    fn chunk_kernel<'t, 'a>(
        &self,
        b: &'t mut Builder<'a>,
        mut needs: Needs,
        buffers: &[LocalId],
        access: Access,
        what: &str,
    ) -> (Text<'t, 'a>, String) {
        needs.buffers.extend(buffers.iter().map(|&buffer| {
            let elem = b.func.elem(buffer.into());
            Binding { buffer, elem, access }
        }));
        let mut kernel = unnamed(self.l.span);
        let state = self.scan.states.first().map_or("scan", |s| b.func.locals[s.local].name.as_str());
        kernel.name = b.name(&format!("{state}_{what}"));
        // Chunks are long and few: small workgroups occupy more of the device.
        let width = b.options.workgroup.min(64);
        kernel.workgroup = [width, 1, 1];
        kernel.groups = Groups { points: vec![self.count], per_group: width, most: None };
        needs.give(&mut kernel);
        kernel.slots |= what == "iterations";
        let entry = b.entry(&kernel, "@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32");
        let mut text = Text::new(b, kernel);
        text.load_slots(&needs.slots);
        let count = text.operand(self.count);
        let number = format!("(group.x + group.y * groups.x) * {width}u + lane");
        text.line(&format!("let chunk = {};", integer_of(&number, text.b.options.integers)));
        text.line(&format!("if chunk >= {count} {{ return; }}"));
        (text, entry)
    }

    /// Opens the loop over the iterations of `chunk`.
    fn each(&self, text: &mut Text<'_, '_>) {
        let ty = text.b.type_name(Scalar::I64);
        let (length, extent) = (text.operand(self.length), text.operand(self.l.extent));
        let one = text.integer(1);
        let index = text.b.word(self.l.index);
        text.line(&format!("let chunk_start = chunk * {length};"));
        text.line(&format!("let chunk_end = chunk_start + min({length}, {extent} - chunk_start);"));
        text.open(&format!("for (var turn: {ty} = chunk_start; turn < chunk_end; turn += {one}) {{"));
        match self.l.reverse {
            false => text.line(&format!("let {index} = turn;")),
            true => text.line(&format!("let {index} = {extent} - {one} - turn;")),
        }
        text.inductions(self.l);
    }

    fn done(text: Text<'_, '_>, entry: &str, what: &str) -> Step {
        let comment = text.comment(what);
        let Text { b, out, kernel, .. } = text;
        Step::Dispatch(b.kernel(kernel, format!("{comment}{entry}{out}}}\n")))
    }

    fn declare(text: &mut Text<'_, '_>, local: LocalId, value: &str) {
        let ty = text.b.type_name(text.b.func.elem(local.into()));
        let word = text.b.word(local);
        text.line(&format!("var {word}: {ty} = {value};"));
    }

    fn summaries(&self, b: &mut Builder<'_>, placement: &Placement) -> Result<Step> {
        let own: Vec<LocalId> = self.scan.parts.iter().map(|p| p.local).collect();
        let needs = self.needs(b, placement, &self.scan.summary, &own);
        let (mut text, entry) = self.chunk_kernel(b, needs, &self.parts, Access::ReadWrite, "summaries");
        for part in &self.scan.parts {
            let init = text.literal(part.init);
            Self::declare(&mut text, part.local, &init);
        }
        self.each(&mut text);
        text.block(&self.scan.summary)?;
        text.close();
        for (part, &buffer) in self.scan.parts.iter().zip(&self.parts) {
            let value = text.b.word(part.local);
            let store = text.b.store(&text.kernel, buffer, "chunk", &value);
            text.line(&store);
        }
        Ok(Self::done(text, &entry, "What the chunks of a scan do to its states"))
    }

    fn iterations(&self, b: &mut Builder<'_>, placement: &Placement) -> Result<Step> {
        let states = self.states();
        let needs = self.needs(b, placement, &self.scan.body, &states);
        let (mut text, entry) = self.chunk_kernel(b, needs, &self.entries, Access::Read, "iterations");
        for (&state, &buffer) in states.iter().zip(&self.entries) {
            let value = text.b.load(&text.kernel, buffer, "chunk");
            Self::declare(&mut text, state, &value);
        }
        self.each(&mut text);
        text.block(&self.scan.body)?;
        text.close();
        // The last chunk's states are the loop's.
        let (count, one) = (text.operand(self.count), text.integer(1));
        text.open(&format!("if chunk == {count} - {one} {{"));
        text.store_slots(&states);
        text.close();
        Ok(Self::done(text, &entry, "The iterations of a scan"))
    }
}
