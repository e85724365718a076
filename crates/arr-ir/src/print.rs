//! Prints the textual form of IR. The parser reads it back: `print(parse(print(f)))` equals `print(f)`.
//!
//! Left out: spans, and the edge (tuples and records of parameters and results).

mod names;

pub(crate) use names::sanitize;
pub use names::{Names, const_text};

use crate::{Atom, Axis, Block, Func, Literal, Op, ScatterKind, SizeId, Stmt};

/// The function as text, with a line break at the end.
pub fn print_func(func: &Func) -> String {
    let mut printer = Printer { func, names: Names::new(func), out: String::new(), depth: 0 };
    printer.func();
    printer.out
}

/// One statement as text, with the names it has in the function's text.
pub fn print_stmt(names: &Names<'_>, func: &Func, stmt: &Stmt) -> String {
    let mut printer = Printer { func, names: names.clone(), out: String::new(), depth: 0 };
    printer.stmt(stmt);
    printer.out
}

/// A size as the user would write it: with the name hints of its variables, which need not be unique.
pub fn size_text(func: &Func, size: SizeId) -> String {
    let name = |v| func.vars.get(v).map_or_else(|| format!("?{v}"), |info| info.name.clone());
    names::poly_text(func.types.poly(size), &|v| arr_base::Id::index(v), &name)
}

struct Printer<'f> {
    func: &'f Func,
    names: Names<'f>,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self, text: &str) {
        self.indent();
        self.push(text);
        self.push("\n");
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
    }

    fn func(&mut self) {
        let func = self.func;
        let sizes: Vec<String> = func.sizes.iter().map(|&v| self.names.var(v)).collect();
        let sizes = if sizes.is_empty() { String::new() } else { format!("[{}]", sizes.join(", ")) };
        let params: Vec<String> = func.params.iter().map(|&v| self.names.typed(v)).collect();
        let results: Vec<String> = func.body.results.iter().map(|&a| self.names.atom_ty(a)).collect();
        let results = if results.is_empty() { "()".to_string() } else { results.join(", ") };
        let name = sanitize(&func.name);
        let head = format!("func {name}{sizes}({}) -> {results} {{", params.join(", "));
        self.line(&head);
        self.depth += 1;
        func.body.stmts.iter().for_each(|s| self.stmt(s));
        self.ending("return", &func.body.results);
        self.depth -= 1;
        self.line("}");
    }

    fn ending(&mut self, word: &str, results: &[Atom]) {
        let line = if results.is_empty() { word.to_string() } else { format!("{word} {}", self.names.atoms(results)) };
        self.line(&line);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.indent();
        if !stmt.vars.is_empty() {
            let vars: Vec<String> = stmt.vars.iter().map(|&v| self.names.typed(v)).collect();
            self.push(&vars.join(", "));
            self.push(" = ");
        }
        self.op(&stmt.op);
        self.push("\n");
    }

    /// ` { ... }`, on one line when it has no statements.
    fn block(&mut self, block: &Block) {
        if block.stmts.is_empty() {
            let results = self.names.atoms(&block.results);
            let space = if results.is_empty() { "" } else { " " };
            self.push(&format!(" {{ yield{space}{results} }}"));
            return;
        }
        self.push(" {\n");
        self.depth += 1;
        block.stmts.iter().for_each(|s| self.stmt(s));
        self.ending("yield", &block.results);
        self.depth -= 1;
        self.indent();
        self.push("}");
    }

    fn axes(&self, axes: &[Axis]) -> String {
        let texts: Vec<String> =
            axes.iter().map(|a| format!("{}<{}", self.names.var(a.index), self.names.size(a.extent))).collect();
        texts.join(", ")
    }

    /// `x: f64 = a`, one per param of a block.
    fn bindings(&self, block: &Block, inits: &[Atom], tangents: Option<&[Atom]>) -> String {
        // Lists of unequal length are ill-formed; missing entries are shown as `?`.
        let count = block.params.len().max(inits.len());
        let atom = |atoms: &[Atom], i: usize| atoms.get(i).map_or("?".to_string(), |&a| self.names.atom(a));
        let one = |i: usize| {
            let param = block.params.get(i).map_or("?: ?".to_string(), |&p| self.names.typed(p));
            let tangent = tangents.map_or(String::new(), |t| format!(" ~ {}", atom(t, i)));
            format!("{param} = {}{tangent}", atom(inits, i))
        };
        (0..count).map(one).collect::<Vec<_>>().join(", ")
    }

    fn op(&mut self, op: &Op) {
        let names = &self.names;
        match op {
            Op::Prim(prim, args) => self.push(&format!("{} {}", prim.name(), names.atoms(args))),
            Op::Size(size) => self.push(&format!("size {}", names.size(*size))),
            Op::Literal(literal) => self.push(&format!("literal {}", literal_text(literal))),
            Op::Read { array, index, checked } => {
                let text = format!("read{} {}[{}]", bang(*checked), names.var(*array), names.atoms(index));
                self.push(&text);
            }
            Op::Reshape(array) => self.push(&format!("reshape {}", names.var(*array))),
            Op::Check { kind, args } => self.push(&format!("check {} {}", kind.name(), names.atoms(args))),
            Op::Argsort(array) => self.push(&format!("argsort {}", names.var(*array))),
            Op::Call { callee, args } => self.push(&format!("call{callee} with {}", names.atoms(args))),
            Op::Trace { label, args } => {
                self.push(&format!("trace {}, {}", crate::parse::quoted(label), names.atoms(args)))
            }
            Op::Barrier(args) => self.push(&format!("barrier {}", names.atoms(args))),
            Op::StopGradient(a) => self.push(&format!("stop_gradient {}", names.atom(*a))),
            _ => self.nested(op),
        }
    }

    fn params(&self, block: &Block) -> String {
        block.params.iter().map(|&p| self.names.typed(p)).collect::<Vec<_>>().join(", ")
    }

    fn two_blocks(&mut self, head: &str, first: &Block, between: &str, second: &Block) {
        self.push(head);
        self.block(first);
        self.push(between);
        self.block(second);
    }

    /// The operations that have blocks.
    fn nested(&mut self, op: &Op) {
        let names = &self.names;
        let (head, body) = match op {
            Op::Build { axes, body } => (format!("build {}", self.axes(axes)), body),
            Op::Reduce { kind, axes, body } => (format!("reduce {} {}", kind.name(), self.axes(axes)), body),
            Op::Scatter { kind, dest, axes, body, checked } => {
                let kind = if *kind == ScatterKind::Set { "set" } else { "add" };
                let comma = if axes.is_empty() { "" } else { ", " };
                let head = format!("scatter{} {kind} {}{comma}{}", bang(*checked), names.var(*dest), self.axes(axes));
                (head, body)
            }
            Op::Loop { axis, reverse, inits, body } => {
                let axis = self.axes(std::slice::from_ref(axis));
                let reverse = if *reverse { "reverse " } else { "" };
                (format!("loop {reverse}{axis} ({})", self.bindings(body, inits, None)), body)
            }
            Op::Vjp { inputs, seeds, body } => {
                (format!("vjp ({}) seed ({})", self.bindings(body, inputs, None), names.atoms(seeds)), body)
            }
            Op::Jvp { inputs, tangents, body } => {
                (format!("jvp ({})", self.bindings(body, inputs, Some(tangents))), body)
            }
            Op::While { inits, cond, body } => {
                let head = format!("while ({})", self.bindings(cond, inits, None));
                return self.two_blocks(&head, cond, &format!(" do ({})", self.params(body)), body);
            }
            Op::Custom { inputs, body, rule, transposed } => {
                let word = if *transposed { "custom transposed" } else { "custom" };
                let head = format!("{word} ({})", self.bindings(body, inputs, None));
                return self.two_blocks(&head, body, &format!(" rule ({})", self.params(rule)), rule);
            }
            Op::If { cond, then_block, else_block } => {
                let head = format!("if {}", names.atom(*cond));
                return self.two_blocks(&head, then_block, " else", else_block);
            }
            _ => return,
        };
        self.push(&head);
        self.block(body);
    }
}

fn bang(checked: bool) -> &'static str {
    if checked { "" } else { "!" }
}

/// `[[1.0, 2.0], [3.0, 4.0]]`
fn literal_text(literal: &Literal) -> String {
    let mut out = String::new();
    let mut elements = literal.data.iter().map(|&c| const_text(c));
    literal_level(&literal.dims, &mut elements, &mut out);
    out
}

fn literal_level(dims: &[i64], elements: &mut dyn Iterator<Item = String>, out: &mut String) {
    let Some((&count, inner)) = dims.split_first() else {
        out.push_str(&elements.next().unwrap_or_else(|| "?".to_string()));
        return;
    };
    out.push('[');
    for i in 0..count {
        if i > 0 {
            out.push_str(", ");
        }
        literal_level(inner, elements, out);
    }
    out.push(']');
}
