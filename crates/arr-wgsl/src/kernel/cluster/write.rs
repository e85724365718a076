//! The text of a kernel of one workgroup, part by part.

use super::part::Part;
use super::waiting::Waiting;
use crate::builder::Builder;
use crate::kernel::map::BUILTINS;
use crate::kernel::nest::Nest;
use crate::kernel::text::{Result, Text};
use crate::program::{Kernel, KernelId};
use crate::walk::{Use, uses};
use arr_ir::Scalar;
use arr_loops::{LocalId, Operand, Stmt};
use std::collections::HashMap;

pub(super) struct Writer<'t, 'a, 'r> {
    pub text: Text<'t, 'a>,
    /// Functions before the entry point.
    head: String,
    /// Declarations in workgroup memory, by name.
    pub(super) shared: Vec<(String, String)>,
    privates: Vec<LocalId>,
    pub(super) workgroup: u32,
    pub waiting: Waiting<'r>,
}

impl<'t, 'a, 'r> Writer<'t, 'a, 'r> {
    pub fn new(b: &'t mut Builder<'a>, kernel: Kernel, regions: &'r HashMap<LocalId, LocalId>) -> Self {
        Writer {
            workgroup: kernel.workgroup[0],
            text: Text::new(b, kernel),
            head: String::new(),
            shared: Vec::new(),
            privates: Vec::new(),
            waiting: Waiting::new(regions),
        }
    }

    /// Scalars that are bound in one part and used in another, or after all, or come from outside.
    pub fn find_privates(&mut self, parts: &[&Part<'_>], slots: &[LocalId], escapes: &[LocalId]) {
        let mut binder: HashMap<LocalId, usize> = HashMap::new();
        let mut found: Vec<LocalId> = slots.iter().chain(escapes).copied().collect();
        for (k, part) in parts.iter().enumerate() {
            if let Part::Scalars(stmts) = part {
                for stmt in stmts {
                    if let Stmt::Let { local, .. } | Stmt::Var { local, .. } = stmt {
                        binder.insert(*local, k);
                    }
                }
            }
            found.extend(part.turns());
        }
        for (k, part) in parts.iter().enumerate() {
            let mut used = part.nest().map(Nest::operands).unwrap_or_default();
            used.extend(part.control());
            uses(&part.statements(), &mut |u| {
                if let Use::Read(local) | Use::Set(local) = u {
                    used.push(local.into());
                }
            });
            used.extend(part.partials().iter().map(|p| Operand::from(p.local)));
            found.extend(part.partials().iter().map(|p| p.local));
            for operand in used {
                let Operand::Local(local) = operand else { continue };
                if binder.get(&local).is_some_and(|&at| at != k) {
                    found.push(local);
                }
            }
        }
        for local in found {
            if !self.privates.contains(&local) {
                self.privates.push(local);
                self.text.keep(local);
            }
        }
    }

    /// Reads slots into the variables of the invocation.
    pub fn load(&mut self, slots: &[LocalId]) {
        for &local in slots {
            let value = self.text.b.load_slot(local);
            let word = self.text.b.word(local);
            self.text.line(&format!("{word} = {value};"));
        }
    }

    /// Stores changed scalars, and those that something else reads, to slots.
    pub fn store(&mut self, changed: &[LocalId], escapes: &[LocalId]) {
        if changed.is_empty() && escapes.is_empty() {
            return;
        }
        self.text.open("if lane == 0u {");
        self.text.store_slots(changed);
        self.text.store_slots(escapes);
        self.text.close();
    }

    /// Binds the indices of the group's point. Groups past the last exit.
    pub fn row(&mut self, nest: &Nest<'_>) {
        let points = nest.points(&mut self.text);
        self.text.line("let mine = group.x + group.y * groups.x;");
        self.text.line(&format!("if mine >= {points} {{ return; }}"));
        let indices = nest.decode(&mut self.text, "mine");
        for (l, index) in nest.loops.iter().zip(indices) {
            let word = self.text.b.word(l.index);
            self.text.line(&format!("{word} = {index};"));
            self.text.inductions(l);
        }
    }

    /// Writes the parts, one after the other. Fails where [`Text::block`] does on their statements.
    pub fn parts(&mut self, parts: &[Part<'_>]) -> Result<()> {
        parts.iter().try_for_each(|part| match part {
            Part::Loop(l, body) => self.in_order(l, body),
            Part::While(l, head, body) => self.repeat(l, head, body),
            Part::Branch(cond, then_parts, else_parts) => self.branch(*cond, then_parts, else_parts),
            Part::Scalars(_) | Part::Map(_) | Part::Reduce(_) => self.part(part),
        })
    }

    fn part(&mut self, part: &Part<'_>) -> Result<()> {
        let stmts = part.statements();
        if self.waiting.must_wait(self.text.b, &stmts) {
            self.text.line("storageBarrier();");
            self.text.line("workgroupBarrier();");
            self.waiting.clear();
        }
        match part {
            Part::Scalars(stmts) if part.is_repeatable() => {
                let name = self.function("scalars", &[], &mut |text| text.block(stmts))?;
                self.text.line(&format!("{name}();"));
            }
            Part::Scalars(stmts) => self.alone(stmts)?,
            Part::Map(nest) => self.points(nest, false)?,
            Part::Reduce(reduction) => self.reduce(reduction)?,
            Part::Loop(..) | Part::While(..) | Part::Branch(..) => {}
        }
        self.waiting.add(self.text.b, &stmts);
        Ok(())
    }

    /// A barrier before workgroup memory is overwritten that invocations may still read.
    pub fn wait_for_readers(&mut self) {
        if self.waiting.shared {
            self.text.line("workgroupBarrier();");
            self.waiting.shared = false;
        }
    }

    /// A variable of the workgroup, one for each type and number.
    pub fn shared_variable(&mut self, ty: &str, k: usize) -> String {
        let name = self.text.own_name(&format!("{ty}_told_{k}"));
        let declared = (name.clone(), ty.to_string());
        if !self.shared.contains(&declared) {
            self.shared.push(declared);
        }
        name
    }

    /// A separate function, so that a check can return from it. Returns its name.
    pub(super) fn function(
        &mut self,
        hint: &str,
        params: &[String],
        body: &mut dyn FnMut(&mut Text<'_, '_>) -> Result<()>,
    ) -> Result<String> {
        let name = format!("{}_{hint}", self.text.kernel.name);
        let name = self.text.b.name(&name);
        let around = std::mem::take(&mut self.text.out);
        let done = body(&mut self.text);
        let body = std::mem::replace(&mut self.text.out, around);
        done?;
        self.head += &format!("fn {name}({}) {{\n{body}}}\n\n", params.join(", "));
        Ok(name)
    }

    /// Statements that the first invocation runs; it broadcasts the results.
    fn alone(&mut self, stmts: &[Stmt]) -> Result<()> {
        let name = self.function("first", &[], &mut |text| text.block(stmts))?;
        let mut told = Vec::new();
        for &local in &self.privates {
            let mut bound = false;
            uses(stmts, &mut |used| bound |= matches!(used, Use::Bind(l) | Use::Set(l) if l == local));
            if bound {
                told.push(local);
            }
        }
        if !told.is_empty() {
            self.wait_for_readers();
        }
        self.text.open("if lane == 0u {");
        self.text.line(&format!("{name}();"));
        let mut reads = Vec::new();
        for (k, local) in told.into_iter().enumerate() {
            let word = self.text.b.word(local);
            let ty = self.text.b.type_name(self.text.b.number(local));
            let all = self.shared_variable(ty, k);
            self.text.line(&format!("{all} = {word};"));
            reads.push(format!("{word} = {all};"));
        }
        self.text.close();
        if !reads.is_empty() {
            self.text.line("workgroupBarrier();");
            reads.iter().for_each(|read| self.text.line(read));
            self.waiting.shared = true;
        }
        Ok(())
    }

    fn indices(&mut self, nest: &Nest<'_>) -> Vec<String> {
        let ty = self.text.b.type_name(Scalar::I64);
        nest.loops.iter().map(|l| format!("{}: {ty}", self.text.b.word(l.index))).collect()
    }

    /// The function of a nest's points, and the loop over those of an invocation.
    pub(super) fn points(&mut self, nest: &Nest<'_>, ordered: bool) -> Result<()> {
        let params = self.indices(nest);
        let name = self.function("at", &params, &mut |text| nest.point(text))?;
        let points = nest.points(&mut self.text);
        let live = if self.text.kernel.faults { "select(0u, POINTS, atomicLoad(&fault[0]) == 0u)" } else { "POINTS" };
        self.text.open("{");
        self.text.line(&format!("let points = {};", live.replace("POINTS", &points)));
        let workgroup = self.workgroup;
        if ordered {
            self.text.line(&format!("let chunk = (points + {}u) / {workgroup}u;", workgroup - 1));
            self.text.line("let first = lane * chunk;");
            self.text.open("for (var point = first; point < min(first + chunk, points); point++) {");
        } else {
            self.text.open(&format!("for (var point = lane; point < points; point += {workgroup}u) {{"));
        }
        let args = nest.decode(&mut self.text, "point");
        self.text.line(&format!("{name}({});", args.join(", ")));
        self.text.close();
        self.text.close();
        Ok(())
    }

    pub fn done(self, what: &str) -> KernelId {
        let mut declarations = String::new();
        for (name, ty) in &self.shared {
            declarations += &format!("var<workgroup> {name}: {ty};\n");
        }
        let comment = self.text.comment(what);
        let Text { out, kernel, b, .. } = self.text;
        for local in self.privates {
            if b.declare_private(local) {
                let (word, ty) = (b.word(local), b.type_name(b.number(local)));
                declarations += &format!("var<private> {word}: {ty};\n");
            }
        }
        let entry = b.barrier_entry(&kernel, BUILTINS);
        b.kernel(kernel, format!("{declarations}\n{}{comment}{entry}{out}}}\n", self.head))
    }
}
