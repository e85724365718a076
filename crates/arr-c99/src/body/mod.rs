//! The body of a function: statements of the loop IR as statements of C.
//!
//! A name that is used once is written where it is used, unless what it reads changes in between; addresses and
//! offsets are written out in the index. What is left are the names that a person would have given.

mod arrays;
mod checks;
mod conditional;
mod define;
mod product;
mod tags;

use crate::library::helper;
use crate::memory::{Memory, for_each_body};
use crate::names::Names;
use crate::scalar::Arithmetic;
use crate::text::{Binds, Text, call, offset_product, offset_sum};
use crate::{Error, Places};
use arr_header::c_type;
use arr_ir::Scalar;
use arr_loops::{For, LocalId, LoopFunc, Operand, SpanId, Stmt, Ty, While, inner_extents};
use define::Pending;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// An address: an array, and the offset from its beginning in two parts.
#[derive(Clone, Debug)]
struct Address {
    pointer: String,
    /// A sum of sizes and indices, which is far from the ends of the integers.
    near: Text,
    /// Anything: code behind a check that fails can have a part at the ends of the integers. Sums with it wrap.
    far: Text,
}

impl Address {
    fn new(pointer: String) -> Address {
        Address { pointer, near: Text::primary("0"), far: Text::primary("0") }
    }

    fn offset(&self) -> Text {
        wrapping_sum(&self.far, &self.near)
    }

    /// The offset as one name.
    fn named(self, name: &str) -> Address {
        let (name, zero) = (Text::primary(name), Text::primary("0"));
        let (near, far) = if self.far.is_zero() { (name, zero) } else { (zero, name) };
        Address { near, far, ..self }
    }

    fn further(mut self, by: &Text, is_near: bool) -> Address {
        let part = if is_near { &mut self.near } else { &mut self.far };
        *part = if is_near { offset_sum(part, by) } else { wrapping_sum(part, by) };
        self
    }

    /// `x[i]`. The sum is an element's, so that it does not overflow if one of its parts is near.
    fn element(&self, at: &Text, is_near: bool) -> Text {
        let sum = if is_near || self.far.is_zero() { offset_sum } else { wrapping_sum };
        Text::primary(format!("{}[{}]", self.pointer, sum(&self.offset(), at).text))
    }
}

fn wrapping_sum(a: &Text, b: &Text) -> Text {
    match a.is_zero() || b.is_zero() {
        true => offset_sum(a, b),
        false => call(&helper("add", Scalar::I64), &[a.clone(), b.clone()]),
    }
}

/// Writes one function's body.
pub(crate) struct Body<'a, 'p> {
    pub func: &'a LoopFunc,
    pub memory: &'a Memory,
    pub how: Arithmetic,
    pub names: Names,
    pub places: &'a mut Places<'p>,
    lines: Vec<String>,
    depth: usize,
    uses: BTreeMap<LocalId, usize>,
    /// Names that are read behind all statements of their block: results, and the conditions of `while`.
    read_behind: BTreeSet<LocalId>,
    /// Names that are written as something else.
    aliases: BTreeMap<LocalId, Text>,
    addresses: BTreeMap<LocalId, Address>,
    pending: Vec<Pending>,
    /// Names that are declared already, at the beginning of the function.
    declared: BTreeSet<LocalId>,
    /// Integers that are computed from sizes and indices alone.
    index_like: BTreeSet<LocalId>,
    /// The indices of loops.
    counters: BTreeSet<LocalId>,
    /// Names whose declarations can be seen here.
    scope: BTreeSet<LocalId>,
    /// The parameter, or number, that bounds sizes which only the run knows.
    pub room: String,
    /// The line of the source that the last comment names.
    line: usize,
}

impl<'a, 'p> Body<'a, 'p> {
    pub(crate) fn new(
        func: &'a LoopFunc,
        memory: &'a Memory,
        how: Arithmetic,
        names: Names,
        places: &'a mut Places<'p>,
    ) -> Self {
        let mut uses = BTreeMap::new();
        let mut read = |operand: Operand| {
            if let Operand::Local(local) = operand {
                *uses.entry(local).or_insert(0) += 1;
            }
        };
        for_each_body(&func.body, &mut |stmt| reads(stmt).into_iter().for_each(&mut read));
        func.outputs.iter().for_each(|output| read(output.value));
        let mut read_behind: BTreeSet<LocalId> = func.outputs.iter().filter_map(|o| o.value.as_local()).collect();
        for_each_body(&func.body, &mut |stmt| {
            if let Stmt::While(l) = stmt {
                read_behind.extend(l.cond.as_local());
            }
        });
        let index_like: BTreeSet<LocalId> = func.sizes.iter().copied().collect();
        Body {
            func,
            memory,
            how,
            names,
            places,
            lines: Vec::new(),
            depth: 1,
            uses,
            read_behind,
            aliases: BTreeMap::new(),
            addresses: BTreeMap::new(),
            pending: Vec::new(),
            declared: BTreeSet::new(),
            scope: index_like.iter().copied().collect(),
            counters: BTreeSet::new(),
            room: String::new(),
            index_like,
            line: 0,
        }
    }

    /// Counts an operand that is read behind the last statement.
    pub(crate) fn read_at_end(&mut self, operand: Operand) {
        if let Operand::Local(local) = operand {
            *self.uses.entry(local).or_insert(0) += 1;
            self.read_behind.insert(local);
        }
    }

    /// The lines written so far.
    pub(crate) fn into_lines(self) -> Vec<String> {
        self.lines
    }

    pub(crate) fn push(&mut self, line: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "    ".repeat(self.depth), line.as_ref()));
    }

    /// Writes a name as something else.
    pub(crate) fn rename(&mut self, local: LocalId, text: Text) {
        self.aliases.insert(local, text);
    }

    /// The C type of a local.
    fn ty(&self, local: LocalId) -> String {
        match self.func.ty(local) {
            Ty::Scalar(elem) => c_type(elem).to_string(),
            Ty::Buffer(elem) | Ty::Address(elem) => {
                let read_only = self.memory.read_only.contains(&local);
                format!("{}{} *", if read_only { "const " } else { "" }, c_type(elem))
            }
        }
    }

    /// `double x`, `double *x`
    fn declarator(&self, local: LocalId) -> String {
        let ty = self.ty(local);
        let space = if ty.ends_with('*') { "" } else { " " };
        format!("{ty}{space}{}", self.names.of(local))
    }

    pub(crate) fn block(&mut self, stmts: &[Stmt]) -> Result<()> {
        let mut rest = stmts;
        while let Some((stmt, after)) = rest.split_first() {
            rest = after;
            if let (Stmt::Var { local, init: None }, Some((next, behind))) = (stmt, after.split_first())
                && self.conditional(*local, next)?
            {
                rest = behind;
                continue;
            }
            self.stmt(stmt, after)?;
            self.scope.extend(stmt.binds());
        }
        Ok(())
    }

    /// A block that is indented.
    fn inner(&mut self, stmts: &[Stmt]) -> Result<()> {
        self.depth += 1;
        let outside = self.scope.clone();
        let done = self.block(stmts);
        self.scope = outside;
        // What is left is used by what does nothing here.
        self.pending.clear();
        self.depth -= 1;
        done
    }

    /// A statement, and those that follow it in its block.
    fn stmt(&mut self, stmt: &Stmt, rest: &[Stmt]) -> Result<()> {
        match stmt {
            Stmt::Let { local, expr } => self.let_stmt(*local, expr, rest),
            Stmt::Var { local, init } => self.var(*local, *init),
            Stmt::Set { local, value } => self.set(*local, *value),
            Stmt::Store { address, offset, value } => {
                let value = self.value(*value);
                let place = self.element(*address, *offset)?;
                self.flush(|p| p.memory);
                self.assign(&place, &value);
                Ok(())
            }
            Stmt::Alloc { local, dims, span } => {
                self.comment(*span);
                self.make_room(dims, *span);
                self.alloc(*local)
            }
            Stmt::MakeUnique { local, buffer, .. } => self.unique(*local, *buffer, rest),
            Stmt::Retain(_) | Stmt::Release(_) => Ok(()),
            Stmt::Check { demand, args, span } => self.check(*demand, args, *span),
            Stmt::CheckShape { buffer, dims, span } => self.check_shape(*buffer, dims, *span),
            Stmt::For(l) => self.for_loop(l),
            Stmt::While(l) => self.while_loop(l),
            Stmt::Argsort { into, keys, length, .. } => self.argsort(*into, *keys, *length),
            // Nobody listens to C.
            Stmt::Trace { .. } => Ok(()),
            Stmt::MatMul(product) => self.product(product),
            Stmt::If { cond, then_body, else_body } => self.branch(*cond, then_body, else_body),
        }
    }

    /// `place = value`, or `place += ..` where the value begins with what is there.
    fn assign(&mut self, place: &Text, value: &Text) {
        let added = value.text.strip_prefix(&format!("{} + ", place.text)).filter(|rest| is_one_term(rest));
        match added {
            Some(rest) if value.binds == Binds::Sum => {
                let inside = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).filter(|r| is_balanced(r));
                self.push(format!("{} += {};", place.text, inside.unwrap_or(rest)));
            }
            _ => self.push(format!("{} = {};", place.text, value.text)),
        }
    }

    /// A comment with the line of the source, where it is another than the last.
    fn comment(&mut self, span: SpanId) {
        let Some(place) = self.func.spans.get(span).copied().flatten().and_then(|span| self.places.locate(span)) else {
            return;
        };
        if place.line != self.line {
            self.line = place.line;
            let text = place.text.replace("*/", "* /").replace("/*", "/ *").replace('\\', " ");
            self.push(format!("/* {}: {} */", place.line, text.trim()));
        }
    }

    fn for_loop(&mut self, l: &For) -> Result<()> {
        self.comment(l.span);
        let extent = self.stable(l.extent);
        let inner: Vec<Text> = inner_extents(l).into_iter().map(|extent| self.stable(extent.into())).collect();
        let mut steps = Vec::new();
        for induction in &l.inductions {
            steps.push((induction.local, self.stable(induction.step)));
        }
        self.flush(|_| true);
        let index = self.names.of(l.index).to_string();
        for (local, step) in steps {
            self.aliases.insert(local, offset_product(&Text::primary(index.clone()), &step));
            self.index_like.insert(local);
        }
        self.index_like.insert(l.index);
        self.counters.insert(l.index);
        // Rows without elements take no time, however many there are.
        let rows: String = inner.into_iter().map(|inner| format!(" && {} > 0", inner.within(Binds::Sum))).collect();
        let head = if l.reverse {
            let first = crate::text::offset_sum(&extent, &Text::new("-1", Binds::Unary));
            format!("for (int64_t {index} = {}; {index} >= 0{rows}; {index}--) {{", first.text)
        } else {
            format!("for (int64_t {index} = 0; {index} < {}{rows}; {index}++) {{", extent.within(Binds::Sum))
        };
        self.push(head);
        self.scope.insert(l.index);
        self.inner(&l.body)?;
        self.scope.remove(&l.index);
        self.push("}");
        Ok(())
    }

    fn while_loop(&mut self, l: &While) -> Result<()> {
        self.comment(l.span);
        self.flush(|_| true);
        let outer = std::mem::take(&mut self.lines);
        self.depth += 1;
        for (at, stmt) in l.head.iter().enumerate() {
            self.stmt(stmt, l.head.get(at + 1..).unwrap_or_default())?;
        }
        let cond = self.value(l.cond);
        self.flush(|_| true);
        self.depth -= 1;
        let head = std::mem::replace(&mut self.lines, outer);
        if head.is_empty() {
            self.push(format!("while ({}) {{", cond.text));
        } else {
            self.push("while (true) {");
            self.lines.extend(head);
            self.push(format!("    if (!{}) {{", cond.within(Binds::Primary)));
            self.push("        break;");
            self.push("    }");
        }
        self.inner(&l.body)?;
        self.push("}");
        Ok(())
    }

    fn branch(&mut self, cond: Operand, then_body: &[Stmt], else_body: &[Stmt]) -> Result<()> {
        let cond = self.value(cond);
        self.flush(|_| true);
        let mut sides = Vec::new();
        for body in [then_body, else_body] {
            let outer = std::mem::take(&mut self.lines);
            self.inner(body)?;
            sides.push(std::mem::replace(&mut self.lines, outer));
        }
        let otherwise = sides.pop().unwrap_or_default();
        let then = sides.pop().unwrap_or_default();
        match (then.is_empty(), otherwise.is_empty()) {
            (true, true) => return Ok(()),
            (true, false) => {
                self.push(format!("if (!{}) {{", cond.within(Binds::Primary)));
                self.lines.extend(otherwise);
            }
            (false, _) => {
                self.push(format!("if ({}) {{", cond.text));
                self.lines.extend(then);
                if !otherwise.is_empty() {
                    self.push("} else {");
                    self.lines.extend(otherwise);
                }
            }
        }
        self.push("}");
        Ok(())
    }
}

/// Whether every parenthesis that closes was opened inside.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0i32;
    text.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    })
}

/// Whether a text is a single term of a sum: what follows `a + ` may then be added at once.
fn is_one_term(text: &str) -> bool {
    let mut depth = 0i32;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '+' | '-' if depth == 0 && at > 0 && before == ' ' => return false,
            _ => {}
        }
        before = c;
    }
    true
}

/// What a statement reads itself when loops run in order.
fn reads(stmt: &Stmt) -> Vec<Operand> {
    match stmt {
        Stmt::For(l) => std::iter::once(l.extent).chain(l.inductions.iter().map(|i| i.step)).collect(),
        Stmt::Retain(_) | Stmt::Release(_) => Vec::new(),
        _ => stmt.reads(),
    }
}
