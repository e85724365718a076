//! The text of statements of a kernel.

use crate::builder::Builder;
use crate::error::CompileError;
use crate::program::Kernel;
use crate::ranges::moves;
use crate::scalar;
use arr_base::Id;
use arr_ir::{Const, Prim, Scalar};
use arr_loops::{Demand, Expr, For, LocalId, Operand, SpanId, Stmt, While, for_each_chunked_stmt};
use std::collections::{HashMap, HashSet};

pub(crate) type Result<T> = std::result::Result<T, CompileError>;

pub(crate) struct Text<'t, 'a> {
    pub b: &'t mut Builder<'a>,
    pub kernel: Kernel,
    pub out: String,
    depth: usize,
    /// The source position of the present statement.
    span: SpanId,
    /// What has been bound in the blocks that are open.
    bound: Vec<LocalId>,
    /// Expressions for locals that are not words.
    names: HashMap<LocalId, String>,
    /// Locals declared outside the function: binding them is setting them.
    kept: HashSet<LocalId>,
}

impl<'t, 'a> Text<'t, 'a> {
    /// For a kernel that binds all that it needs; at most part of it by itself, if that is too much.
    pub fn new(b: &'t mut Builder<'a>, kernel: Kernel) -> Text<'t, 'a> {
        let kernel = b.pack(kernel);
        let span = kernel.span;
        Text {
            b,
            kernel,
            out: String::new(),
            depth: 1,
            span,
            bound: Vec::new(),
            names: HashMap::new(),
            kept: HashSet::new(),
        }
    }

    pub fn line(&mut self, text: &str) {
        self.out.push_str(&"  ".repeat(self.depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    pub fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    pub fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.line("}");
    }

    /// The name of a declaration beside the kernel's entry point.
    pub fn own_name(&mut self, what: &str) -> String {
        self.b.own_name(&self.kernel, what)
    }

    /// Always fails, with [`CompileError::Unsupported`]: kernels do not support `what`, a noun phrase.
    pub fn unsupported<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(CompileError::Unsupported { what: what.into(), span: self.kernel.span })
    }

    // Values.

    /// Lets an expression stand for a local.
    pub fn name(&mut self, local: LocalId, expr: String) {
        self.names.insert(local, expr);
    }

    /// Says that a local is declared outside the function.
    pub fn keep(&mut self, local: LocalId) {
        self.kept.insert(local);
    }

    pub fn literal(&mut self, value: Const) -> String {
        let text = scalar::literal(value, self.b.options.integers);
        self.b.functions.mention(&text);
        text
    }

    pub fn integer(&mut self, value: i64) -> String {
        self.literal(Const::I64(value))
    }

    pub fn operand(&mut self, operand: Operand) -> String {
        match operand {
            Operand::Const(Const::I64(value)) if self.b.ranges.is_unfit(operand) => {
                let place = self.range_place(None);
                self.b.functions.unfit(value, &place)
            }
            Operand::Const(c) => self.literal(c),
            Operand::Local(local) => self.local(local),
        }
    }

    /// The word for the site at which an integer that does not fit stops the program: 0 where the value of the local is
    /// not needed.
    fn range_place(&mut self, local: Option<LocalId>) -> String {
        let place = self.b.range_place(self.span);
        let mut wanted = local.map(|local| self.b.ranges.wanted(local).to_vec()).unwrap_or_default();
        wanted.retain(|(cond, _)| self.bound.contains(cond));
        let condition = |(cond, value)| format!("{}{}", if value { "" } else { "!" }, self.local(cond));
        let conditions: Vec<String> = wanted.into_iter().map(condition).collect();
        match conditions.is_empty() {
            true => place,
            false => format!("select(0u, {place}, {})", conditions.join(" && ")),
        }
    }

    /// An operand that must not be an extreme of 64 bits where `i64` has fewer.
    fn finite(&mut self, operand: Operand, place: &str) -> String {
        let value = match operand {
            Operand::Const(Const::I64(value)) if self.b.ranges.is_unfit(operand) => {
                return self.b.functions.unfit(value, place);
            }
            _ => self.operand(operand),
        };
        match self.b.ranges.may_be_extreme(operand) {
            true => self.b.functions.finite(&value, place),
            false => value,
        }
    }

    pub fn local(&mut self, local: LocalId) -> String {
        if let Some(name) = self.names.get(&local) {
            return name.clone();
        }
        if self.kernel.params.contains(&local) {
            return self.b.param(&self.kernel, local);
        }
        self.b.word(local)
    }

    fn scalar(&self, operand: Operand) -> Scalar {
        match operand {
            Operand::Const(c) => c.scalar(),
            Operand::Local(local) => self.b.number(local),
        }
    }

    /// An operator whose result is bound to a local.
    fn prim(&mut self, local: LocalId, prim: Prim, args: &[Operand]) -> Result<String> {
        let wraps = self.b.ranges.is_place(local);
        let checked = self.b.ranges.is_checked(local);
        let stops = checked || args.iter().any(|&a| self.b.ranges.is_unfit(a) || self.b.ranges.may_be_extreme(a));
        let place = if stops { self.range_place(Some(local)) } else { String::new() };
        let operand = |text: &mut Self, k: usize| match (args.get(k).copied(), args.first()) {
            // Truncation is as good as wrapping.
            (Some(Operand::Const(c)), _) if wraps => text.literal(c),
            (Some(arm), Some(&cond)) if prim == Prim::Select && text.b.ranges.is_unfit(arm) => {
                let cond = text.operand(cond);
                let (zero, place) = if k == 1 { ("0u", place.as_str()) } else { (place.as_str(), "0u") };
                text.finite(arm, &format!("select({zero}, {place}, {cond})"))
            }
            (Some(operand), _) if wraps || moves(prim) => text.operand(operand),
            (Some(operand), _) => text.finite(operand, &place),
            (None, _) => String::new(),
        };
        let args: Vec<(String, Scalar)> =
            args.iter().enumerate().map(|(k, &a)| (operand(self, k), self.scalar(a))).collect();
        let result = match checked {
            true => self.b.functions.checked(prim, &args, &place),
            false => self.b.functions.call(prim, &args),
        };
        result.or_else(|why| self.unsupported(why.to_string()))
    }

    /// The offset of an address in its buffer; `None` if it is 0.
    fn offset(&mut self, address: LocalId) -> Option<String> {
        match self.b.is_start(address) {
            true => None,
            false => Some(self.local(address)),
        }
    }

    /// The index of the element at an offset from an address.
    fn index(&mut self, address: LocalId, further: Operand) -> String {
        match (self.offset(address), further.as_int()) {
            (None, _) => self.operand(further),
            (Some(offset), Some(0)) => offset,
            (Some(offset), _) => {
                let further = self.operand(further);
                format!("{offset} + {further}")
            }
        }
    }

    // Statements.

    /// Moves to a source position, if it is known. Returns the previous one.
    fn enter(&mut self, span: SpanId) -> SpanId {
        let inner = if span.index() == 0 { self.span } else { span };
        std::mem::replace(&mut self.span, inner)
    }

    /// Writes statements. Fails on unsupported statements: making and sharing arrays, their lengths, sorting, matrix
    /// products, operators without a form in WGSL, and checks with the wrong number of operands.
    pub fn block(&mut self, stmts: &[Stmt]) -> Result<()> {
        let around = self.bound.len();
        let done = stmts.iter().try_for_each(|stmt| self.stmt(stmt));
        self.bound.truncate(around);
        done
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        match stmt {
            Stmt::Let { local, expr } => {
                self.bind(*local, expr)?;
                self.bound.push(*local);
                Ok(())
            }
            Stmt::Var { local, init } => {
                self.declare(*local, *init);
                Ok(())
            }
            Stmt::Set { local, value } => {
                let (local, value) = (self.local(*local), self.operand(*value));
                self.line(&format!("{local} = {value};"));
                Ok(())
            }
            Stmt::Store { address, offset, value } => {
                let index = self.index(*address, *offset);
                let value = self.operand(*value);
                let buffer = self.b.root(*address);
                let text = self.b.store(&self.kernel, buffer, &index, &value);
                self.line(&text);
                Ok(())
            }
            Stmt::Check { demand, args, span } => self.check(*demand, args, *span),
            Stmt::For(l) => self.for_loop(l),
            Stmt::While(l) => self.while_loop(l),
            Stmt::If { cond, then_body, else_body } => self.branch(*cond, then_body, else_body),
            Stmt::Alloc { .. }
            | Stmt::MakeUnique { .. }
            | Stmt::Retain(_)
            | Stmt::Release(_)
            | Stmt::CheckShape { .. } => self.unsupported("arrays that are made in a kernel"),
            Stmt::Argsort { .. } => self.unsupported("sorting in a kernel"),
            Stmt::Trace { .. } => self.unsupported("traces in a kernel"),
            Stmt::MatMul(_) => self.unsupported("matrix products in a kernel"),
        }
    }

    /// Declares a mutable local.
    pub fn declare(&mut self, local: LocalId, init: Option<Operand>) {
        let ty = self.b.type_name(self.b.number(local));
        let init = init.map(|o| self.operand(o)).map(|o| format!(" = {o}")).unwrap_or_default();
        let word = self.b.word(local);
        if self.kept.contains(&local) {
            if !init.is_empty() {
                self.line(&format!("{word}{init};"));
            }
            return;
        }
        self.line(&format!("var {word}: {ty}{init};"));
    }

    fn bind(&mut self, local: LocalId, expr: &Expr) -> Result<()> {
        let text = match expr {
            Expr::Prim(prim, args) => self.prim(local, *prim, args)?,
            Expr::Copy(operand) => {
                let text = self.operand(*operand);
                let changes = matches!(operand, Operand::Local(l) if self.b.func.locals[*l].mutable);
                if !changes && !self.kept.contains(&local) {
                    self.name(local, text);
                    return Ok(());
                }
                text
            }
            Expr::BaseAddr(_) => return Ok(()),
            Expr::Offset(address, further) => self.index(*address, *further),
            Expr::Load(address, further) => {
                let index = self.index(*address, *further);
                let buffer = self.b.root(*address);
                self.b.load(&self.kernel, buffer, &index)
            }
            Expr::Len(_) => return self.unsupported("lengths of arrays"),
            Expr::Literal(_) => return self.unsupported("constant arrays that are made in a kernel"),
        };
        let word = self.b.word(local);
        let keyword = if self.kept.contains(&local) { "" } else { "let " };
        self.line(&format!("{keyword}{word} = {text};"));
        Ok(())
    }

    fn check(&mut self, demand: Demand, args: &[Operand], span: SpanId) -> Result<()> {
        let zero = match args.first().map(|&a| self.scalar(a)) {
            Some(scalar) => self.literal(Const::zero(scalar)),
            None => return self.unsupported("checks of nothing"),
        };
        let values: Vec<(String, Scalar)> = args.iter().map(|&a| (self.operand(a), self.scalar(a))).collect();
        let texts: Vec<&str> = values.iter().map(|(text, _)| text.as_str()).collect();
        let violated = match (demand, texts.as_slice()) {
            (Demand::Index | Demand::Element | Demand::Place, [index, extent]) => {
                format!("{index} < {zero} || {index} >= {extent}")
            }
            (Demand::Slice, [lo, hi, extent]) => format!("{lo} < {zero} || {lo} > {hi} || {hi} > {extent}"),
            (Demand::NonZero, [divisor]) => format!("{divisor} == {zero}"),
            (Demand::SizeEq, [found, expected]) => format!("{found} != {expected}"),
            (Demand::SizeNonNeg, [size]) => format!("{size} < {zero}"),
            (Demand::NonEmpty | Demand::Step, [size]) => format!("{size} <= {zero}"),
            _ => return self.unsupported(format!("check `{}` of {} values", demand.name(), args.len())),
        };
        let place = self.b.place(demand, span);
        let report = self.b.report(place, &values);
        self.open(&format!("if {violated} {{"));
        self.line(&report);
        self.line("return;");
        self.close();
        Ok(())
    }

    fn for_loop(&mut self, l: &For) -> Result<()> {
        let ty = self.b.type_name(Scalar::I64);
        let (zero, one) = (self.integer(0), self.integer(1));
        let i = self.b.word(l.index);
        let around = self.enter(l.span);
        let place = if self.b.ranges.may_be_extreme(l.extent) { self.range_place(None) } else { String::new() };
        let mut extent = self.finite(l.extent, &place);
        if let Operand::Local(local) = l.extent
            && (self.b.func.locals[local].mutable || self.b.ranges.may_be_extreme(l.extent))
        {
            // The body may change it, and the loop keeps its length.
            let fixed = self.b.name(&format!("{i}_end"));
            self.line(&format!("let {fixed} = {extent};"));
            extent = fixed;
        }
        // A possible least integer would wrap to the greatest.
        let counts = match l.extent {
            Operand::Const(c) => c.as_i64().is_some_and(|n| n >= 0),
            Operand::Local(local) => self.b.func.sizes.contains(&local),
        };
        let from = if counts { extent.clone() } else { format!("max({extent}, {zero})") };
        let head = match l.reverse {
            false => format!("for (var {i}: {ty} = {zero}; {i} < {extent}; {i} += {one}) {{"),
            true => format!("for (var {i}: {ty} = {from} - {one}; {i} >= {zero}; {i} -= {one}) {{"),
        };
        if l.is_source() {
            // All at once: if they are too many, they would be so one by one.
            let fits = self.literal(Const::I64(i64::from(i32::MAX)));
            self.count_steps(&format!("u32(clamp({extent}, {zero}, {fits}))"), l.span);
        }
        self.open(&head);
        self.inductions(l);
        self.block(&l.body)?;
        self.close();
        self.span = around;
        Ok(())
    }

    /// Counts iterations of the program's loops, if required, and stops past the limit.
    fn count_steps(&mut self, iterations: &str, span: SpanId) {
        if !self.b.options.count_steps || !self.kernel.faults {
            return;
        }
        let place = self.b.place(Demand::Steps, span);
        let report = self.b.report(place, &[("arr_most_steps()".to_string(), Scalar::U32)]);
        self.open(&format!("if arr_too_many_steps({iterations}) {{"));
        self.line(&report);
        self.line("return;");
        self.close();
    }

    /// Binds a loop's inductions, computed from the index.
    pub fn inductions(&mut self, l: &For) {
        for induction in &l.inductions {
            let (i, step) = (self.local(l.index), self.operand(induction.step));
            let word = self.b.word(induction.local);
            let keyword = if self.kept.contains(&induction.local) { "" } else { "let " };
            if self.b.ranges.is_checked(induction.local) {
                let args = [(i, Scalar::I64), (step, Scalar::I64)];
                // A product has a row.
                let product = self.b.sure(Prim::Mul, &args, self.span);
                self.line(&format!("{keyword}{word} = {product};"));
                continue;
            }
            self.line(&format!("{keyword}{word} = {i} * {step};"));
        }
    }

    fn while_loop(&mut self, l: &While) -> Result<()> {
        self.open("loop {");
        let around = self.enter(l.span);
        self.block(&l.head)?;
        let cond = self.operand(l.cond);
        // A value that did not fit might keep a loop from ending.
        let mut stops = false;
        for_each_chunked_stmt(&l.head, &mut |stmt| stops |= self.b.ranges.may_stop(stmt));
        for_each_chunked_stmt(&l.body, &mut |stmt| stops |= self.b.ranges.may_stop(stmt));
        match stops {
            true => self.line(&format!("if !{cond} || {}stopped {{ break; }}", scalar::CHECKED)),
            false => self.line(&format!("if !{cond} {{ break; }}")),
        }
        self.count_steps("1u", l.span);
        self.block(&l.body)?;
        self.close();
        self.span = around;
        Ok(())
    }

    fn branch(&mut self, cond: Operand, then_body: &[Stmt], else_body: &[Stmt]) -> Result<()> {
        let cond = self.operand(cond);
        if then_body.is_empty() {
            self.open(&format!("if !{cond} {{"));
            self.block(else_body)?;
            self.close();
            return Ok(());
        }
        self.open(&format!("if {cond} {{"));
        self.block(then_body)?;
        if !else_body.is_empty() {
            self.depth = self.depth.saturating_sub(1);
            self.open("} else {");
            self.block(else_body)?;
        }
        self.close();
        Ok(())
    }

    // Slots.

    /// Reads scalars from their slots.
    pub fn load_slots(&mut self, locals: &[LocalId]) {
        for &local in locals {
            let value = self.b.load_slot(local);
            let keyword = if self.b.func.locals[local].mutable { "var" } else { "let" };
            let word = self.b.word(local);
            self.line(&format!("{keyword} {word} = {value};"));
        }
    }

    /// Stores scalars to their slots.
    pub fn store_slots(&mut self, locals: &[LocalId]) {
        for &local in locals {
            let value = self.local(local);
            let text = self.b.store_slot(local, &value);
            self.line(&text);
        }
    }

    /// The kernel's comment: its purpose, and its line in the program.
    pub fn comment(&self, what: &str) -> String {
        match self.b.comment(self.kernel.span) {
            Some(line) => format!("// {what}: {line}\n"),
            None => format!("// {what}\n"),
        }
    }
}

/// A kernel that is complete except for its name.
pub(crate) fn unnamed(span: SpanId) -> Kernel {
    Kernel {
        name: String::new(),
        workgroup: [1, 1, 1],
        groups: crate::program::Groups { points: vec![Operand::int(1)], per_group: 1, most: None },
        params: Vec::new(),
        slots: false,
        faults: false,
        buffers: Vec::new(),
        span,
    }
}

/// The first source position in statements or their loops.
pub(crate) fn span_of(stmts: &[Stmt]) -> SpanId {
    let mut found = None;
    for_each_chunked_stmt(stmts, &mut |stmt| {
        let span = match stmt {
            Stmt::Check { span, .. } => *span,
            Stmt::For(l) => l.span,
            Stmt::While(l) => l.span,
            _ => return,
        };
        if found.is_none() && span.index() != 0 {
            found = Some(span);
        }
    });
    found.unwrap_or_else(|| SpanId::from_index(0))
}

/// The name for the writes of a kernel: that of the buffer or the scalar that it makes first.
pub(crate) fn result_name(b: &Builder<'_>, stmts: &[Stmt]) -> Option<String> {
    let mut stored = None;
    for_each_chunked_stmt(stmts, &mut |stmt| {
        if let Stmt::Store { address, .. } = stmt
            && stored.is_none()
        {
            stored = Some(b.root(*address));
        }
    });
    stored.map(|buffer| b.func.locals[buffer].name.clone())
}
