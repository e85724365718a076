//! The initial states of a scan's chunks.
//!
//! If a state and the effect of a chunk on it are of one kind (sums, products, extremes), every invocation combines a
//! run of chunks, one of them scans over the runs, and each goes over its run again with its initial state. Otherwise,
//! and if a sum does not stay finite, one invocation goes over all chunks; the others read their summaries in parallel.
//! Where a summary may not be used, that invocation runs the chunk's iterations, without writes.

use super::Chunks;
use crate::builder::Builder;
use crate::kernel::text::{Result, Text, unnamed};
use crate::plan::Placement;
use crate::program::{Access, Binding, Step};
use crate::scalar::integer_of;
use arr_ir::{Const, Scalar};
use arr_loops::{LocalId, ScanStep, Stmt};

impl Chunks<'_> {
    /// Invocations that read summaries in parallel.
    fn width(&self, b: &Builder<'_>) -> u32 {
        let locals = self.states().into_iter().chain(self.scan.parts.iter().map(|p| p.local));
        let bytes: u32 = locals.map(|l| if b.func.elem(l.into()).bytes() == 8 { 8 } else { 4 }).sum();
        let mut width = b.options.workgroup;
        while width > 1 && width.saturating_mul(bytes) > b.options.workgroup_memory {
            width /= 2;
        }
        width
    }

    pub(super) fn advance(&self, b: &mut Builder<'_>, placement: &Placement) -> Result<Step> {
        let states = self.states();
        // The part of an iteration that computes its state.
        let kept = |stmt: &&Stmt| !matches!(stmt, Stmt::Store { .. } | Stmt::Check { .. });
        let again: Vec<Stmt> = match self.scan.sound {
            Some(_) => self.scan.body.iter().filter(kept).cloned().collect(),
            None => Vec::new(),
        };
        let mut own = states.clone();
        own.extend(self.scan.states.iter().map(|s| s.entry));
        own.extend(self.scan.parts.iter().map(|p| p.local));
        let both: Vec<Stmt> = again.iter().chain(&self.scan.advance).cloned().collect();
        let mut needs = self.needs(b, placement, &both, &own);
        for (buffers, access) in [(&self.parts, Access::Read), (&self.entries, Access::ReadWrite)] {
            needs.buffers.extend(buffers.iter().map(|&buffer| Binding {
                buffer,
                elem: b.func.elem(buffer.into()),
                access,
            }));
        }
        let width = self.width(b);
        let mut kernel = unnamed(self.l.span);
        let state = self.scan.states.first().map_or("scan", |s| b.func.locals[s.local].name.as_str());
        kernel.name = b.name(&format!("{state}_states"));
        kernel.workgroup = [width, 1, 1];
        needs.give(&mut kernel);
        kernel.slots = true;
        // A barrier for all invocations of the workgroup: none may leave before.
        kernel.faults = false;
        let entry = b.entry(&kernel, "@builtin(local_invocation_index) lane: u32");
        kernel.faults = needs.faults;
        let mut text = Text::new(b, kernel);
        let mut shared = String::new();
        let mut share = |text: &mut Text<'_, '_>, local: LocalId, what: &str| {
            let hint = format!("{}_{what}", text.b.func.locals[local].name);
            let name = text.own_name(&hint);
            let ty = text.b.type_name(text.b.func.elem(local.into()));
            shared += &format!("var<workgroup> {name}: array<{ty}, {width}>;\n");
            name
        };
        let part_words: Vec<String> = self.scan.parts.iter().map(|p| share(&mut text, p.local, "all")).collect();
        let entry_words: Vec<String> = states.iter().map(|&s| share(&mut text, s, "all")).collect();
        let told = text.own_name("told");
        text.load_slots(&needs.slots);
        text.load_slots(&states);
        match self.in_runs() {
            false => self.one_by_one(&mut text, &again, &part_words, &entry_words)?,
            true => {
                if self.scan.sound.is_some() {
                    shared += &format!("var<workgroup> {told}: u32;\nvar<workgroup> {told}_by: atomic<u32>;\n");
                }
                self.side_by_side(&mut text, &entry_words, &told)?;
                if self.scan.sound.is_some() {
                    for &state in &states {
                        let (word, value) = (text.b.word(state), text.b.load_slot(state));
                        text.line(&format!("{word} = {value};"));
                    }
                    text.open(&format!("if workgroupUniformLoad(&{told}) != 0u {{"));
                    self.one_by_one(&mut text, &again, &part_words, &entry_words)?;
                    text.close();
                }
            }
        }
        Ok(Self::done(text, &(shared + &entry), "The states that the chunks of a scan begin with"))
    }

    /// Whether several chunks are combined by using the summary of one as the state before the next.
    fn in_runs(&self) -> bool {
        let changed = self.scan.states.iter().filter(|s| s.step != ScanStep::Same).count();
        changed == self.scan.parts.len() && self.scan.states.iter().all(|s| s.step != ScanStep::Linear)
    }

    /// Applies the summary of a chunk, whose parts these are, to the states. `unsound` runs where that is not allowed.
    fn take(&self, text: &mut Text<'_, '_>, parts: &[String], unsound: &str) -> Result<()> {
        for state in &self.scan.states {
            let word = text.b.word(state.local);
            text.name(state.entry, word);
        }
        for (part, word) in self.scan.parts.iter().zip(parts) {
            text.name(part.local, word.clone());
        }
        text.block(&self.scan.advance)?;
        if let Some(sound) = self.scan.sound {
            let sound = text.operand(sound);
            text.line(&format!("if !{sound} {{ {unsound} }}"));
        }
        let next: Vec<(String, String)> =
            self.scan.states.iter().map(|s| (text.b.word(s.local), text.operand(s.next))).collect();
        // All at once.
        let mut sets = Vec::new();
        for (word, value) in next {
            let name = text.b.name(&format!("{word}_next"));
            text.line(&format!("let {name} = {value};"));
            sets.push(format!("{word} = {name};"));
        }
        sets.iter().for_each(|set| text.line(set));
        Ok(())
    }

    /// The parts of the summary of `chunk`.
    fn parts_at(&self, text: &mut Text<'_, '_>) -> Vec<String> {
        self.parts.iter().map(|&buffer| text.b.load(&text.kernel, buffer, "chunk")).collect()
    }

    fn side_by_side(&self, text: &mut Text<'_, '_>, shared: &[String], told: &str) -> Result<()> {
        let width = text.kernel.workgroup[0];
        let ty = text.b.type_name(Scalar::I64);
        let (count, one, wide) = (text.operand(self.count), text.integer(1), text.integer(i64::from(width)));
        let lane = integer_of("lane", text.b.options.integers);
        let failed = text.b.name("unsound");
        let unsound = format!("{failed} = true;");
        if self.scan.sound.is_some() {
            text.line(&format!("var {failed} = false;"));
        }
        let words: Vec<String> = self.scan.states.iter().map(|s| text.b.word(s.local)).collect();
        let changes: Vec<bool> = self.scan.states.iter().map(|s| s.step != ScanStep::Same).collect();
        let mut before = Vec::new();
        for word in &words {
            let name = text.b.name(&format!("{word}_before"));
            text.line(&format!("let {name} = {word};"));
            before.push(name);
        }
        let mut inits = self.scan.parts.iter().map(|part| part.init);
        for (word, _) in words.iter().zip(&changes).filter(|(_, changes)| **changes) {
            if let Some(init) = inits.next() {
                let init = text.literal(init);
                text.line(&format!("{word} = {init};"));
            }
        }
        text.line(&format!("let chunk_row = ({count} + {wide} - {one}) / {wide};"));
        text.line(&format!("let chunk_start = min({lane} * chunk_row, {count});"));
        text.line(&format!("let chunk_end = chunk_start + min(chunk_row, {count} - chunk_start);"));
        let head = format!("for (var chunk: {ty} = chunk_start; chunk < chunk_end; chunk += {one}) {{");
        text.open(&head);
        let parts = self.parts_at(text);
        self.take(text, &parts, &unsound)?;
        text.close();
        for (word, all) in words.iter().zip(shared) {
            text.line(&format!("{all}[lane] = {word};"));
        }
        text.line("workgroupBarrier();");
        text.open("if lane == 0u {");
        for (word, before) in words.iter().zip(&before) {
            text.line(&format!("{word} = {before};"));
        }
        text.open(&format!("for (var turn = 0u; turn < {width}u; turn++) {{"));
        let mut runs = Vec::new();
        for (k, (word, all)) in words.iter().zip(shared).enumerate() {
            let run = text.b.name(&format!("{word}_run"));
            text.line(&format!("let {run} = {all}[turn];"));
            text.line(&format!("{all}[turn] = {word};"));
            if changes.get(k) == Some(&true) {
                runs.push(run);
            }
        }
        self.take(text, &runs, &unsound)?;
        text.close();
        text.close();
        text.line("workgroupBarrier();");
        for (word, all) in words.iter().zip(shared) {
            text.line(&format!("{word} = {all}[lane];"));
        }
        text.open(&head);
        for (word, &buffer) in words.iter().zip(&self.entries) {
            let store = text.b.store(&text.kernel, buffer, "chunk", word);
            text.line(&store);
        }
        let parts = self.parts_at(text);
        self.take(text, &parts, &unsound)?;
        text.close();
        // If anyone's sums are not finite, all take the other path.
        if self.scan.sound.is_some() {
            text.line(&format!("if {failed} {{ atomicStore(&{told}_by, 1u); }}"));
        }
        text.line("storageBarrier();");
        text.line("workgroupBarrier();");
        if self.scan.sound.is_some() {
            text.line(&format!("if lane == 0u {{ {told} = atomicLoad(&{told}_by); }}"));
        }
        Ok(())
    }

    fn one_by_one(
        &self,
        text: &mut Text<'_, '_>,
        again: &[Stmt],
        part_words: &[String],
        entry_words: &[String],
    ) -> Result<()> {
        let width = text.kernel.workgroup[0];
        let ty = text.b.type_name(Scalar::I64);
        let (count, zero, one, wide) =
            (text.operand(self.count), text.integer(0), text.integer(1), text.literal(Const::I64(i64::from(width))));
        text.open(&format!("for (var block: {ty} = {zero}; block < {count}; block += {wide}) {{"));
        text.line(&format!("let mine = block + {};", integer_of("lane", text.b.options.integers)));
        text.open(&format!("if mine < {count} {{"));
        for (word, &buffer) in part_words.iter().zip(&self.parts) {
            let value = text.b.load(&text.kernel, buffer, "mine");
            text.line(&format!("{word}[lane] = {value};"));
        }
        text.close();
        text.line("workgroupBarrier();");
        text.open("if lane == 0u {");
        text.open(&format!("for (var chunk = block; chunk < min(block + {wide}, {count}); chunk += {one}) {{"));
        text.line("let chunk_row = u32(chunk - block);");
        for (state, word) in self.scan.states.iter().zip(entry_words) {
            let value = text.b.word(state.local);
            text.line(&format!("{word}[chunk_row] = {value};"));
            text.name(state.entry, format!("{word}[chunk_row]"));
        }
        for (part, word) in self.scan.parts.iter().zip(part_words) {
            text.name(part.local, format!("{word}[chunk_row]"));
        }
        text.block(&self.scan.advance)?;
        if let Some(sound) = self.scan.sound {
            let sound = text.operand(sound);
            text.open(&format!("if !{sound} {{"));
            self.each(text);
            text.block(again)?;
            text.close();
            text.line("continue;");
            text.close();
        }
        for state in &self.scan.states {
            let (word, next) = (text.b.word(state.local), text.operand(state.next));
            text.line(&format!("{word} = {next};"));
        }
        text.close();
        text.close();
        text.line("workgroupBarrier();");
        text.open(&format!("if mine < {count} {{"));
        for (word, &buffer) in entry_words.iter().zip(&self.entries) {
            let store = text.b.store(&text.kernel, buffer, "mine", &format!("{word}[lane]"));
            text.line(&store);
        }
        text.close();
        text.line("workgroupBarrier();");
        text.close();
        Ok(())
    }
}
