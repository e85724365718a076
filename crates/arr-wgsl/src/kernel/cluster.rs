//! Several small nests, reductions, scalar statements, and the loops and branches around them, in one workgroup.
//!
//! Scalars that more than one part uses are variables of each invocation, which all have the same values. Before a part
//! that needs what another wrote, or writes what another read, the workgroup waits (`waiting`).

use super::map::BUILTINS;
use super::needs;
use super::nest::Nest;
use super::reduce::Reduction;
use super::text::{Result, Text, result_name, unnamed};
use super::waiting::Waiting;
use crate::builder::Builder;
use crate::plan::Placement;
use crate::program::{Groups, KernelId};
use crate::walk::{Use, statements, uses};
use arr_ir::Scalar;
use arr_loops::{For, LocalId, Operand, Stmt, While};
use std::collections::{HashMap, HashSet};

/// Steps of scalar loops that every invocation does rather than one that tells the others.
const REPEATED: i64 = 32;

pub(crate) enum Part<'s> {
    Scalars(Vec<Stmt>),
    Map(Nest<'s>),
    Reduce(Reduction<'s>),
    /// A loop in order around parts.
    Loop(&'s For, Vec<Part<'s>>),
    /// Its head and its body.
    While(&'s While, Vec<Part<'s>>, Vec<Part<'s>>),
    Branch(Operand, Vec<Part<'s>>, Vec<Part<'s>>),
}

impl<'s> Part<'s> {
    /// The statements of a part that has no parts.
    pub(super) fn statements(&self) -> Vec<Stmt> {
        match self {
            Part::Scalars(stmts) => stmts.clone(),
            Part::Map(nest) => nest.statements(),
            Part::Reduce(reduction) => {
                let mut stmts = reduction.nest.statements();
                stmts.extend(reduction.parallel.combine.iter().cloned());
                stmts
            }
            Part::Loop(..) | Part::While(..) | Part::Branch(..) => Vec::new(),
        }
    }

    fn nest(&self) -> Option<&Nest<'s>> {
        match self {
            Part::Map(nest) => Some(nest),
            Part::Reduce(reduction) => Some(&reduction.nest),
            Part::Scalars(_) | Part::Loop(..) | Part::While(..) | Part::Branch(..) => None,
        }
    }

    /// The parts of a part.
    pub(super) fn inner(&self) -> [&[Part<'s>]; 2] {
        match self {
            Part::Scalars(_) | Part::Map(_) | Part::Reduce(_) => [&[], &[]],
            Part::Loop(_, body) => [body, &[]],
            Part::While(_, head, body) => [head, body],
            Part::Branch(_, then_parts, else_parts) => [then_parts, else_parts],
        }
    }

    /// What the workgroup decides by.
    fn control(&self) -> Vec<Operand> {
        match self {
            Part::Scalars(_) | Part::Map(_) | Part::Reduce(_) => Vec::new(),
            Part::Loop(l, _) => l.inductions.iter().map(|i| i.step).chain([l.extent]).collect(),
            Part::While(l, ..) => vec![l.cond],
            Part::Branch(cond, ..) => vec![*cond],
        }
    }

    /// Whether every invocation may do it.
    pub(super) fn is_repeatable(&self) -> bool {
        matches!(self, Part::Scalars(stmts) if is_repeatable(stmts))
    }
}

/// Whether every invocation may do scalar statements: nothing is written, and loops are short.
pub(crate) fn is_repeatable(stmts: &[Stmt]) -> bool {
    steps(stmts).is_some_and(|steps| steps <= REPEATED)
}

/// The steps of the loops in statements that write nothing but scalars, if they are known.
fn steps(stmts: &[Stmt]) -> Option<i64> {
    let mut all = 0i64;
    for stmt in stmts {
        let own = match stmt {
            Stmt::Store { .. } | Stmt::While(_) => return None,
            Stmt::For(l) => l.extent.as_int()?.max(0).checked_mul(steps(&l.body)?.max(1))?,
            Stmt::If { then_body, else_body, .. } => steps(then_body)?.checked_add(steps(else_body)?)?,
            _ => 0,
        };
        all = all.checked_add(own)?;
    }
    Some(all)
}

/// All parts, those with parts before these.
fn flat<'p, 's>(parts: &'p [Part<'s>], all: &mut Vec<&'p Part<'s>>) {
    for part in parts {
        all.push(part);
        part.inner().into_iter().for_each(|inner| flat(inner, all));
    }
}

/// A nest whose points have a workgroup each.
pub(crate) struct Rows<'n, 's> {
    pub nest: &'n Nest<'s>,
    /// Invocations of a workgroup at most.
    pub width: u32,
}

/// Makes one kernel of parts, which are a point of `rows` if there are some. `escapes` are locals bound in them that something else reads; `regions` are arrays of addresses
/// whose buffer holds several.
pub(crate) fn make(
    b: &mut Builder<'_>,
    placement: &Placement,
    parts: &[Part<'_>],
    escapes: &[LocalId],
    regions: &HashMap<LocalId, LocalId>,
    rows: Option<&Rows<'_, '_>>,
) -> Result<KernelId> {
    let mut all = Vec::new();
    flat(parts, &mut all);
    let stmts: Vec<Stmt> = all.iter().flat_map(|part| part.statements()).collect();
    let mut operands: Vec<Operand> = all.iter().filter_map(|p| p.nest()).flat_map(Nest::operands).collect();
    let mut bound: Vec<LocalId> = all.iter().filter_map(|p| p.nest()).flat_map(Nest::indices).collect();
    if let Some(rows) = rows {
        operands.extend(rows.nest.operands());
        bound.extend(rows.nest.indices());
    }
    for part in &all {
        operands.extend(part.control());
        if let Part::Loop(l, _) = part {
            bound.push(l.index);
            bound.extend(l.inductions.iter().map(|i| i.local));
        }
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
    for part in &all {
        // What a reduction changes is in a slot if it was declared elsewhere.
        let Part::Reduce(reduction) = part else { continue };
        for partial in &reduction.parallel.partials {
            if !local.contains(&partial.local) && !needs.changed.contains(&partial.local) {
                needs.changed.push(partial.local);
            }
        }
    }
    needs.hold_changed();
    // Loops whose length follows from data end only if the data are sound.
    needs.faults |= all.iter().any(|part| matches!(part, Part::While(..)));
    let mut kernel = unnamed(
        all.iter()
            .filter_map(|part| if let Part::Loop(l, _) = part { Some(*l) } else { part.nest()?.loops.last().copied() })
            .next()
            .map_or_else(|| super::text::span_of(&stmts), |l| l.span),
    );
    let ordered = all.iter().find_map(|part| match part {
        Part::Loop(l, _) => Some(format!("{}_loop", b.func.locals[l.index].name)),
        Part::While(..) => Some("while_loop".to_string()),
        _ => None,
    });
    let result = result_name(b, &stmts).or_else(|| escapes.last().map(|&l| b.func.locals[l].name.clone()));
    let what = if rows.is_some() { "rows" } else { "all" };
    let result = format!("{}_{what}", result.as_deref().unwrap_or("scalars"));
    kernel.name = b.name(ordered.as_deref().unwrap_or(&result));
    let workgroup = all
        .iter()
        .filter_map(|part| if let Part::Reduce(r) = part { Some(r.workgroup(b)) } else { None })
        .min()
        .unwrap_or(b.options.workgroup)
        .min(rows.map_or_else(|| width(&all, b.options.workgroup), |rows| rows.width));
    kernel.workgroup = [workgroup, 1, 1];
    if let Some(rows) = rows {
        kernel.groups = Groups { points: rows.nest.extents.clone(), per_group: 1, most: None };
    }
    needs.give(&mut kernel);
    kernel.slots |= !escapes.is_empty();
    let mut writer = Writer {
        text: Text::new(b, kernel),
        head: String::new(),
        shared: Vec::new(),
        privates: Vec::new(),
        workgroup,
        waiting: Waiting::new(regions),
    };
    let of_rows = rows.map(|rows| rows.nest.indices()).unwrap_or_default();
    writer.find_privates(&all, &[needs.slots.as_slice(), &of_rows].concat(), escapes);
    for &local in &needs.slots {
        let value = writer.text.b.load_slot(local);
        let word = writer.text.b.word(local);
        writer.text.line(&format!("{word} = {value};"));
    }
    if let Some(rows) = rows {
        writer.row(rows.nest);
    }
    writer.parts(parts)?;
    if !needs.changed.is_empty() || !escapes.is_empty() {
        writer.text.open("if lane == 0u {");
        writer.text.store_slots(&needs.changed);
        writer.text.store_slots(escapes);
        writer.text.close();
    }
    Ok(writer.done(match ordered {
        _ if rows.is_some() => "A workgroup a point of a nest",
        Some(_) => "In order, in one workgroup",
        None => "Small nests one after the other, the first of them",
    }))
}

/// Invocations that are enough for the nests of parts, at least those that a device does at once.
fn width(parts: &[&Part<'_>], most: u32) -> u32 {
    let mut points = 32i64;
    for nest in parts.iter().filter_map(|part| part.nest()) {
        points = points.max(nest.constant_points().unwrap_or(i64::MAX));
    }
    u32::try_from(points).unwrap_or(most).min(most).checked_next_power_of_two().unwrap_or(most).min(most)
}

pub(super) struct Writer<'t, 'a, 'r> {
    pub text: Text<'t, 'a>,
    /// Functions before the entry point.
    head: String,
    /// Declarations in workgroup memory, by name.
    shared: Vec<(String, String)>,
    privates: Vec<LocalId>,
    workgroup: u32,
    pub waiting: Waiting<'r>,
}

impl Writer<'_, '_, '_> {
    /// Scalars that are bound in one part and used in another, or after all, or come from outside.
    fn find_privates(&mut self, parts: &[&Part<'_>], slots: &[LocalId], escapes: &[LocalId]) {
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
            if let Part::Loop(l, _) = part {
                found.push(l.index);
                found.extend(l.inductions.iter().map(|i| i.local));
            }
        }
        for (k, part) in parts.iter().enumerate() {
            let mut used = part.nest().map(Nest::operands).unwrap_or_default();
            used.extend(part.control());
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

    /// Binds the indices of the group's point. Groups past the last end.
    fn row(&mut self, nest: &Nest<'_>) {
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

    /// Before workgroup memory is written that invocations may still read.
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
        self.wait_for_readers();
        let all = self.tree(reduction, &join);
        self.waiting.shared = true;
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

    fn done(self, what: &str) -> KernelId {
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
