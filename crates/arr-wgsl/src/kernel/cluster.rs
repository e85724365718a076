//! Several small nests, reductions and scalar statements in one workgroup, one after the other.
//!
//! Scalars that more than one part uses are variables of each invocation, which all have the same values. Between parts
//! the workgroup waits until all it wrote is there.

use super::map::BUILTINS;
use super::needs;
use super::nest::Nest;
use super::reduce::Reduction;
use super::text::{Result, Text, result_name, unnamed};
use crate::builder::Builder;
use crate::plan::Placement;
use crate::program::KernelId;
use crate::walk::{Use, statements, uses};
use arr_ir::Scalar;
use arr_loops::{LocalId, Operand, Stmt};
use std::collections::{HashMap, HashSet};

pub(crate) enum Part<'s> {
    Scalars(Vec<Stmt>),
    Map(Nest<'s>),
    Reduce(Reduction<'s>),
}

impl Part<'_> {
    fn statements(&self) -> Vec<Stmt> {
        match self {
            Part::Scalars(stmts) => stmts.clone(),
            Part::Map(nest) => nest.statements(),
            Part::Reduce(reduction) => {
                let mut stmts = reduction.nest.statements();
                stmts.extend(reduction.parallel.combine.iter().cloned());
                stmts
            }
        }
    }

    fn nest(&self) -> Option<&Nest<'_>> {
        match self {
            Part::Scalars(_) => None,
            Part::Map(nest) => Some(nest),
            Part::Reduce(reduction) => Some(&reduction.nest),
        }
    }

    /// Whether every invocation may do it: nothing is written, and there is no loop.
    fn is_repeatable(&self) -> bool {
        let Part::Scalars(stmts) = self else { return false };
        let mut repeatable = true;
        statements(stmts, &mut |stmt| {
            repeatable &= !matches!(stmt, Stmt::Store { .. } | Stmt::For(_) | Stmt::While(_));
        });
        repeatable
    }
}

/// Makes one kernel of parts. `escapes` are locals bound in them that something else reads.
pub(crate) fn make(
    b: &mut Builder<'_>,
    placement: &Placement,
    parts: &[Part<'_>],
    escapes: &[LocalId],
) -> Result<KernelId> {
    let stmts: Vec<Stmt> = parts.iter().flat_map(Part::statements).collect();
    let mut operands: Vec<Operand> = parts.iter().filter_map(Part::nest).flat_map(Nest::operands).collect();
    let mut bound: Vec<LocalId> = parts.iter().filter_map(Part::nest).flat_map(Nest::indices).collect();
    for part in parts {
        if let Part::Reduce(reduction) = part {
            bound.extend(reduction.parallel.partials.iter().map(|p| p.other));
            operands.extend(reduction.parallel.partials.iter().map(|p| Operand::from(p.local)));
        }
    }
    let mut local = HashSet::new();
    statements(&stmts, &mut |stmt| {
        crate::walk::own_uses(stmt, &mut |used| {
            if let Use::Bind(l) = used {
                local.insert(l);
            }
        })
    });
    operands.retain(|o| !matches!(o, Operand::Local(l) if local.contains(l)));
    let mut needs = needs::find(b, placement, &stmts, &operands, &bound);
    for part in parts {
        // What a reduction changes is in a slot if it was declared elsewhere.
        let Part::Reduce(reduction) = part else { continue };
        for partial in &reduction.parallel.partials {
            if !local.contains(&partial.local) && !needs.changed.contains(&partial.local) {
                needs.changed.push(partial.local);
            }
        }
    }
    let mut kernel = unnamed(
        parts
            .iter()
            .filter_map(Part::nest)
            .filter_map(|n| n.loops.last())
            .next()
            .map_or_else(|| super::text::span_of(&stmts), |l| l.span),
    );
    let hint = result_name(b, &stmts).or_else(|| escapes.last().map(|&l| b.func.locals[l].name.clone()));
    kernel.name = b.name(&format!("{}_all", hint.as_deref().unwrap_or("scalars")));
    let workgroup = parts
        .iter()
        .filter_map(|part| if let Part::Reduce(r) = part { Some(r.workgroup(b)) } else { None })
        .min()
        .unwrap_or(b.options.workgroup);
    kernel.workgroup = [workgroup, 1, 1];
    needs.give(&mut kernel);
    kernel.slots |= !escapes.is_empty();
    let mut writer =
        Writer { text: Text::new(b, kernel), head: String::new(), shared: Vec::new(), privates: Vec::new(), workgroup };
    writer.find_privates(parts, &needs.slots, escapes);
    for &local in &needs.slots {
        let value = writer.text.b.load_slot(local);
        let word = writer.text.b.word(local);
        writer.text.line(&format!("{word} = {value};"));
    }
    writer.parts(parts)?;
    writer.text.open("if lane == 0u {");
    writer.text.store_slots(&needs.changed);
    writer.text.store_slots(escapes);
    writer.text.close();
    Ok(writer.done())
}

struct Writer<'t, 'a> {
    text: Text<'t, 'a>,
    /// Functions before the entry point.
    head: String,
    /// Declarations in workgroup memory, by name.
    shared: Vec<(String, String)>,
    privates: Vec<LocalId>,
    workgroup: u32,
}

impl Writer<'_, '_> {
    /// Scalars that are bound in one part and used in another, or after all, or come from outside.
    fn find_privates(&mut self, parts: &[Part<'_>], slots: &[LocalId], escapes: &[LocalId]) {
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
        }
        for (k, part) in parts.iter().enumerate() {
            let mut used = part.nest().map(Nest::operands).unwrap_or_default();
            uses(&part.statements(), &mut |u| {
                if let Use::Read(local) | Use::Set(local) = u {
                    used.push(local.into());
                }
            });
            if let Part::Reduce(reduction) = part {
                used.extend(reduction.parallel.partials.iter().map(|p| Operand::from(p.local)));
                found.extend(reduction.parallel.partials.iter().map(|p| p.local));
            }
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

    fn parts(&mut self, parts: &[Part<'_>]) -> Result<()> {
        for (k, part) in parts.iter().enumerate() {
            let waits = k > 0 && !part.is_repeatable();
            let after_write = k > 0 && parts.get(k - 1).is_some_and(|p| !p.is_repeatable());
            if waits || after_write {
                self.text.line("storageBarrier();");
                self.text.line("workgroupBarrier();");
            }
            match part {
                Part::Scalars(stmts) if part.is_repeatable() => {
                    let name = self.function("scalars", &[], &mut |text| text.block(stmts))?;
                    self.text.line(&format!("{name}();"));
                }
                Part::Scalars(stmts) => self.alone(stmts)?,
                Part::Map(nest) => self.map(nest)?,
                Part::Reduce(reduction) => self.reduce(reduction)?,
            }
        }
        Ok(())
    }

    /// A function of its own, so that a check can leave it. The result is its name.
    fn function(
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

    /// Statements that the first invocation does; it tells the others.
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
        self.text.open("if lane == 0u {");
        self.text.line(&format!("{name}();"));
        let mut reads = Vec::new();
        for local in told {
            let word = self.text.b.word(local);
            let ty = self.text.b.type_name(self.text.b.number(local));
            let all = self.text.own_name(&format!("{word}_told"));
            self.shared.push((all.clone(), ty.to_string()));
            self.text.line(&format!("{all} = {word};"));
            reads.push(format!("{word} = {all};"));
        }
        self.text.close();
        if !reads.is_empty() {
            self.text.line("workgroupBarrier();");
            reads.iter().for_each(|read| self.text.line(read));
        }
        Ok(())
    }

    fn indices(&mut self, nest: &Nest<'_>) -> Vec<String> {
        let ty = self.text.b.type_name(Scalar::I64);
        nest.loops.iter().map(|l| format!("{}: {ty}", self.text.b.word(l.index))).collect()
    }

    /// The function of a nest's points, and the loop over those of an invocation.
    fn points(&mut self, nest: &Nest<'_>, ordered: bool) -> Result<()> {
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

    fn map(&mut self, nest: &Nest<'_>) -> Result<()> {
        self.points(nest, false)
    }

    fn reduce(&mut self, reduction: &Reduction<'_>) -> Result<()> {
        let partials = &reduction.parallel.partials;
        let mut params = Vec::new();
        for partial in partials {
            let ty = self.text.b.type_name(self.text.b.func.elem(partial.other.into()));
            params.push(format!("{}: {ty}", self.text.b.word(partial.other)));
        }
        let combine = &reduction.parallel.combine;
        let join = self.function("join", &params, &mut |text| text.block(combine))?;
        let mut before = Vec::new();
        for (partial, known) in partials.iter().zip(&reduction.before) {
            let word = self.text.b.word(partial.local);
            let init = self.text.literal(partial.init);
            if *known != Some(partial.init.into()) {
                let name = self.text.b.name(&format!("{word}_before"));
                self.text.line(&format!("let {name} = {word};"));
                before.push((word.clone(), name));
            }
            self.text.line(&format!("{word} = {init};"));
        }
        self.points(&reduction.nest, !reduction.commutes())?;
        let all = self.tree(reduction, &join);
        let firsts: Vec<String> = all.iter().map(|(_, all)| format!("{all}[0]")).collect();
        if before.is_empty() {
            for ((word, _), first) in all.iter().zip(&firsts) {
                self.text.line(&format!("{word} = {first};"));
            }
            return Ok(());
        }
        // What was before the nest comes first.
        for (partial, (word, _)) in partials.iter().zip(&all) {
            match before.iter().find(|(w, _)| w == word) {
                Some((_, name)) => self.text.line(&format!("{word} = {name};")),
                None => {
                    let init = self.text.literal(partial.init);
                    self.text.line(&format!("{word} = {init};"));
                }
            }
        }
        self.text.line(&format!("{join}({});", firsts.join(", ")));
        Ok(())
    }

    /// Combines what the invocations have. The result are the accumulators and the arrays whose first element has all.
    fn tree(&mut self, reduction: &Reduction<'_>, join: &str) -> Vec<(String, String)> {
        let workgroup = self.workgroup;
        let mut all = Vec::new();
        for (k, partial) in reduction.parallel.partials.iter().enumerate() {
            let word = self.text.b.word(partial.local);
            let ty = self.text.b.type_name(self.text.b.func.elem(partial.local.into()));
            let name = self.text.own_name(&format!("{ty}_{k}"));
            let declared = (name.clone(), format!("array<{ty}, {workgroup}>"));
            if !self.shared.contains(&declared) {
                self.shared.push(declared);
            }
            all.push((word, name));
        }
        let put = |text: &mut Text<'_, '_>| {
            for (word, name) in &all {
                text.line(&format!("{name}[lane] = {word};"));
            }
        };
        put(&mut self.text);
        self.text.line("workgroupBarrier();");
        let condition = if reduction.commutes() {
            self.text.open(&format!("for (var width = {}u; width > 0u; width /= 2u) {{", workgroup / 2));
            "lane < width"
        } else {
            self.text.open(&format!("for (var width = 1u; width < {workgroup}u; width *= 2u) {{"));
            "lane % (2u * width) == 0u"
        };
        self.text.open(&format!("if {condition} {{"));
        let others: Vec<String> = all.iter().map(|(_, name)| format!("{name}[lane + width]")).collect();
        self.text.line(&format!("{join}({});", others.join(", ")));
        put(&mut self.text);
        self.text.close();
        self.text.line("workgroupBarrier();");
        self.text.close();
        all
    }

    fn done(self) -> KernelId {
        let mut declarations = String::new();
        for (name, ty) in &self.shared {
            declarations += &format!("var<workgroup> {name}: {ty};\n");
        }
        let comment = self.text.comment("Small nests one after the other, the first of them");
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
