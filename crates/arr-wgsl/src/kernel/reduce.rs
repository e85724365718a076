//! Reductions: nests whose points are combined to a few scalars.
//!
//! Every invocation accumulates over points of its own; a tree in workgroup memory combines the invocations of a group.
//! A short space is one group. A longer one is many groups, whose results a second kernel of one group combines. The
//! points of an invocation follow from sizes alone. If the combination has an order (the first of equal elements), they
//! are a run of points, and neighbours are combined with neighbours.

use super::map::BUILTINS;
use super::needs::{self, Needs};
use super::nest::Nest;
use super::text::{Result, Text, unnamed};
use crate::builder::Builder;
use crate::plan::Placement;
use crate::program::{Access, Binding, Groups, Kernel, KernelId};
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, LocalId, Operand, Parallel, Stmt};

/// Points per invocation in one of many groups.
pub(crate) const POINTS: u32 = 16;

/// The maximal number of groups.
pub(crate) const GROUPS: u32 = 1024;

pub(crate) struct Reduction<'s> {
    pub nest: Nest<'s>,
    pub parallel: &'s Parallel,
    /// The value of each partial local before the nest, if the host knows it.
    pub before: Vec<Option<Operand>>,
}

/// The kernels of a long reduction.
pub(crate) struct Long {
    pub chunks: KernelId,
    pub join: KernelId,
}

impl Reduction<'_> {
    /// Invocations of a group: fewer than usual if there is much to combine.
    pub fn workgroup(&self, b: &Builder<'_>) -> u32 {
        let bytes: u32 = self.parallel.partials.iter().map(|p| width(b.func.elem(p.local.into()))).sum();
        let mut workgroup = b.options.workgroup;
        while workgroup > 1 && workgroup.saturating_mul(bytes) > b.options.workgroup_memory {
            workgroup /= 2;
        }
        workgroup
    }

    /// The points of one of many groups.
    pub fn per_group(&self, b: &Builder<'_>) -> u32 {
        self.workgroup(b).saturating_mul(POINTS)
    }

    fn needs(&self, b: &Builder<'_>, placement: &Placement) -> Needs {
        let mut stmts = self.nest.statements();
        stmts.extend(self.parallel.combine.iter().cloned());
        let mut bound = self.nest.indices();
        bound.extend(self.parallel.partials.iter().flat_map(|p| [p.local, p.other]));
        needs::find(b, placement, &stmts, &self.nest.operands(), &bound)
    }

    /// A single group. Fails where [`Text::block`] does on the statements of the reduction.
    pub fn short(&self, b: &mut Builder<'_>, placement: &Placement) -> Result<KernelId> {
        let mut needs = self.needs(b, placement);
        self.read_before(&mut needs);
        let mut kernel = self.kernel(b, &needs, "");
        kernel.slots = true;
        let mut text = Text::new(b, kernel);
        let head = self.head(&mut text, &needs)?;
        self.accumulate(&mut text, "lane", None)?;
        self.tree(&mut text);
        self.finish(&mut text);
        Ok(self.done(text, &head))
    }

    /// Many groups, and one that combines them. `parts` are the buffers of their results, `count` is their number.
    /// Fails as [`Reduction::short`] does.
    pub fn long(&self, b: &mut Builder<'_>, placement: &Placement, parts: &[LocalId], count: LocalId) -> Result<Long> {
        let mut needs = self.needs(b, placement);
        for (&part, partial) in parts.iter().zip(&self.parallel.partials) {
            let elem = b.func.elem(partial.local.into());
            needs.buffers.push(Binding { buffer: part, elem, access: Access::ReadWrite });
        }
        let mut kernel = self.kernel(b, &needs, "_parts");
        kernel.groups = Groups { points: self.nest.extents.clone(), per_group: self.per_group(b), most: Some(GROUPS) };
        let workgroup = kernel.workgroup[0];
        let mut text = Text::new(b, kernel);
        let head = self.head(&mut text, &needs)?;
        self.accumulate(&mut text, &format!("group.x * {workgroup}u + lane"), Some("groups.x"))?;
        self.tree(&mut text);
        text.open("if lane == 0u {");
        for (&part, partial) in parts.iter().zip(&self.parallel.partials) {
            let value = text.b.word(partial.local);
            let store = text.b.store(&text.kernel, part, "group.x", &value);
            text.line(&store);
        }
        text.close();
        let chunks = self.done(text, &head);
        let join = self.join(b, placement, parts, count)?;
        Ok(Long { chunks, join })
    }

    fn join(&self, b: &mut Builder<'_>, placement: &Placement, parts: &[LocalId], count: LocalId) -> Result<KernelId> {
        let bound: Vec<LocalId> = self.parallel.partials.iter().flat_map(|p| [p.local, p.other]).collect();
        let mut needs = needs::find(b, placement, &self.parallel.combine, &[count.into()], &bound);
        self.read_before(&mut needs);
        for (&part, partial) in parts.iter().zip(&self.parallel.partials) {
            let elem = b.func.elem(partial.local.into());
            needs.buffers.push(Binding { buffer: part, elem, access: Access::Read });
        }
        let mut kernel = self.kernel(b, &needs, "");
        kernel.slots = true;
        let mut text = Text::new(b, kernel);
        let head = self.join_function(&mut text)?;
        self.begin(&mut text);
        let count = text.operand(count.into());
        let count = format!("u32({count})");
        self.over(&mut text, &count, "lane", None);
        let values: Vec<String> = parts.iter().map(|&part| text.b.load(&text.kernel, part, "point")).collect();
        let call = self.join_call(&mut text, &values);
        text.line(&call);
        text.close();
        self.tree(&mut text);
        self.finish(&mut text);
        Ok(self.done(text, &head))
    }

    // Pieces of text.

    fn kernel(&self, b: &mut Builder<'_>, needs: &Needs, suffix: &str) -> Kernel {
        let mut kernel = unnamed(self.nest.loops.last().map_or_else(|| super::text::span_of(&[]), |l| l.span));
        let name = self.parallel.partials.first().map_or("reduce", |p| b.func.locals[p.local].name.as_str());
        let hint = format!("{name}{suffix}");
        kernel.name = b.name(&hint);
        kernel.workgroup = [self.workgroup(b), 1, 1];
        needs.give(&mut kernel);
        kernel
    }

    /// The values before the nest that the host knows are parameters of the finishing kernel.
    fn read_before(&self, needs: &mut Needs) {
        for before in &self.before {
            if let Some(Operand::Local(local)) = before
                && !needs.params.contains(local)
            {
                needs.params.push(*local);
            }
        }
    }

    /// The function of a point, and the combining one.
    fn head(&self, text: &mut Text<'_, '_>, needs: &Needs) -> Result<String> {
        let join = self.join_function(text)?;
        let ty = text.b.type_name(Scalar::I64);
        let mut params: Vec<String> = Vec::new();
        for l in &self.nest.loops {
            let word = text.b.word(l.index);
            params.push(format!("{word}: {ty}"));
        }
        params.extend(self.pointers(text));
        let out = std::mem::take(&mut text.out);
        text.load_slots(&needs.slots);
        self.nest.point(text)?;
        let body = std::mem::replace(&mut text.out, out);
        let name = text.own_name("at");
        let comment = text.comment("A point of a reduction");
        for partial in &self.parallel.partials {
            let word = text.b.word(partial.local);
            text.name(partial.local, word);
        }
        Ok(format!("{join}{comment}fn {name}({}) {{\n{body}}}\n\n", params.join(", ")))
    }

    /// Parameters that point to the accumulators, to which their locals are renamed from here on.
    fn pointers(&self, text: &mut Text<'_, '_>) -> Vec<String> {
        let mut params = Vec::new();
        for partial in &self.parallel.partials {
            let word = text.b.word(partial.local);
            let ty = text.b.type_name(text.b.func.elem(partial.local.into()));
            params.push(format!("{word}: ptr<function, {ty}>"));
            text.name(partial.local, format!("(*{word})"));
        }
        params
    }

    fn join_function(&self, text: &mut Text<'_, '_>) -> Result<String> {
        let mut params = self.pointers(text);
        for partial in &self.parallel.partials {
            let word = text.b.word(partial.other);
            let ty = text.b.type_name(text.b.func.elem(partial.other.into()));
            params.push(format!("{word}: {ty}"));
        }
        let out = std::mem::take(&mut text.out);
        text.block(&self.parallel.combine)?;
        let body = std::mem::replace(&mut text.out, out);
        for partial in &self.parallel.partials {
            let word = text.b.word(partial.local);
            text.name(partial.local, word);
        }
        let name = text.own_name("join");
        Ok(format!("fn {name}({}) {{\n{body}}}\n\n", params.join(", ")))
    }

    fn join_call(&self, text: &mut Text<'_, '_>, others: &[String]) -> String {
        let mut args: Vec<String> = self.accumulators(text).into_iter().map(|word| format!("&{word}")).collect();
        args.extend(others.iter().cloned());
        format!("{}({});", text.own_name("join"), args.join(", "))
    }

    fn accumulators(&self, text: &mut Text<'_, '_>) -> Vec<String> {
        self.parallel.partials.iter().map(|p| text.b.word(p.local)).collect()
    }

    fn begin(&self, text: &mut Text<'_, '_>) {
        for partial in &self.parallel.partials {
            text.declare(partial.local, Some(partial.init.into()));
        }
    }

    /// Opens the loop over the points of an invocation. `groups` is the number of groups.
    fn over(&self, text: &mut Text<'_, '_>, points: &str, invocation: &str, groups: Option<&str>) {
        let workgroup = text.kernel.workgroup[0];
        let stride = match groups {
            Some(groups) => format!("{groups} * {workgroup}u"),
            None => format!("{workgroup}u"),
        };
        match text.kernel.faults {
            true => text.line(&format!("let points = select(0u, {points}, atomicLoad(&fault[0]) == 0u);")),
            false => text.line(&format!("let points = {points};")),
        }
        if self.commutes() {
            text.open(&format!("for (var point = {invocation}; point < points; point += {stride}) {{"));
        } else {
            text.line(&format!("let chunk = (points + {stride} - 1u) / ({stride});"));
            text.line(&format!("let first = ({invocation}) * chunk;"));
            text.open("for (var point = first; point < min(first + chunk, points); point++) {");
        }
    }

    fn accumulate(&self, text: &mut Text<'_, '_>, invocation: &str, groups: Option<&str>) -> Result<()> {
        self.begin(text);
        let points = self.nest.points(text);
        self.over(text, &points, invocation, groups);
        let mut args = self.nest.decode(text, "point");
        args.extend(self.accumulators(text).into_iter().map(|word| format!("&{word}")));
        let call = format!("{}({});", text.own_name("at"), args.join(", "));
        text.line(&call);
        text.close();
        Ok(())
    }

    /// Combines the invocations of a group: afterwards the first has the result.
    fn tree(&self, text: &mut Text<'_, '_>) {
        let workgroup = text.kernel.workgroup[0];
        let words = self.accumulators(text);
        let shared: Vec<String> = words.iter().map(|word| text.own_name(&format!("{word}_all"))).collect();
        let put = |text: &mut Text<'_, '_>| {
            for (word, all) in words.iter().zip(&shared) {
                text.line(&format!("{all}[lane] = {word};"));
            }
        };
        if workgroup == 1 {
            return;
        }
        put(text);
        text.line("workgroupBarrier();");
        let condition = if self.commutes() {
            text.open(&format!("for (var width = {}u; width > 0u; width /= 2u) {{", workgroup / 2));
            "lane < width"
        } else {
            text.open(&format!("for (var width = 1u; width < {workgroup}u; width *= 2u) {{"));
            "lane % (2u * width) == 0u"
        };
        text.open(&format!("if {condition} {{"));
        let others: Vec<String> = shared.iter().map(|all| format!("{all}[lane + width]")).collect();
        let call = self.join_call(text, &others);
        text.line(&call);
        put(text);
        text.close();
        text.line("workgroupBarrier();");
        text.close();
    }

    /// The first invocation stores the results to their slots.
    fn finish(&self, text: &mut Text<'_, '_>) {
        text.open("if lane == 0u {");
        let plain = self.parallel.partials.iter().zip(&self.before).all(|(p, b)| *b == Some(p.init.into()));
        if !plain {
            self.join_before(text);
        }
        let locals: Vec<LocalId> = self.parallel.partials.iter().map(|p| p.local).collect();
        text.store_slots(&locals);
        text.close();
    }

    /// The value before the nest comes first.
    fn join_before(&self, text: &mut Text<'_, '_>) {
        let words = self.accumulators(text);
        let mut found = Vec::new();
        for word in &words {
            let name = text.b.name(&format!("{word}_found"));
            text.line(&format!("let {name} = {word};"));
            found.push(name);
        }
        for ((word, partial), before) in words.iter().zip(&self.parallel.partials).zip(&self.before) {
            let value = match before {
                Some(operand) => text.operand(*operand),
                None => text.b.load_slot(partial.local),
            };
            text.line(&format!("{word} = {value};"));
        }
        let call = self.join_call(text, &found);
        text.line(&call);
    }

    /// Whether the order of two parts does not matter.
    pub fn commutes(&self) -> bool {
        let count = self.parallel.partials.len();
        let sound = |prim: &Prim| matches!(prim, Prim::Add | Prim::Mul | Prim::Max | Prim::Min | Prim::And | Prim::Or);
        let simple = self.parallel.combine.iter().all(|stmt| match stmt {
            Stmt::Let { expr: Expr::Prim(prim, args), .. } => sound(prim) && args.len() == 2,
            Stmt::Set { .. } => true,
            _ => false,
        });
        simple && self.parallel.combine.len() == 2 * count
    }

    fn done(&self, text: Text<'_, '_>, head: &str) -> KernelId {
        let mut shared = String::new();
        let workgroup = text.kernel.workgroup[0];
        let Text { out, kernel, b, .. } = text;
        for partial in self.parallel.partials.iter().filter(|_| workgroup > 1) {
            let (word, ty) = (b.word(partial.local), b.type_name(b.func.elem(partial.local.into())));
            let all = b.own_name(&kernel, &format!("{word}_all"));
            shared += &format!("var<workgroup> {all}: array<{ty}, {workgroup}>;\n");
        }
        let entry = b.barrier_entry(&kernel, BUILTINS);
        b.kernel(kernel, format!("{shared}\n{head}{entry}{out}}}\n"))
    }
}

fn width(scalar: Scalar) -> u32 {
    if matches!(scalar, Scalar::F64 | Scalar::I64) { 8 } else { 4 }
}
