//! The text form of loop functions, which [`crate::parse`] reads back: parsing and printing gives the same text.
//!
//! The text leaves out the source positions of the span table's rows, and locals that nothing binds.
//!
//! ```text
//! loops dot[n: i64](x: buffer f64 [n], y: buffer f64 [n]) {
//!   var sum: f64 = 0f64
//!   let x.data: address f64 = data x
//!   for i < n {
//!     let t: f64 = load x.data[i]
//!     ...
//!     set sum = s
//!   }
//!   return sum
//! }
//! ```

use crate::{
    Expr, For, LiteralId, LocalId, LoopFunc, MatMul, Operand, ParamSize, Partial, Scan, ScanPart, ScanState, ScanStep,
    SpanId, Stmt, Ty,
};
use arr_base::Id;
use arr_ir::Const;
use std::fmt::Write;

/// Prints a function in the text form. The same function always gives the same text.
pub fn print(func: &LoopFunc) -> String {
    let mut printer = Printer { func, out: String::new() };
    printer.function();
    printer.out
}

/// Prints statements of a function in the text form.
pub fn print_stmts(func: &LoopFunc, stmts: &[Stmt]) -> String {
    let mut printer = Printer { func, out: String::new() };
    printer.block(0, stmts);
    printer.out
}

/// Prints an operand of a function in the text form.
pub fn print_operand(func: &LoopFunc, operand: Operand) -> String {
    Printer { func, out: String::new() }.operand(operand)
}

struct Printer<'a> {
    func: &'a LoopFunc,
    out: String,
}

impl Printer<'_> {
    fn function(&mut self) {
        let sizes: Vec<String> = self.func.sizes.iter().map(|&s| self.declare(s)).collect();
        let params: Vec<String> =
            self.func.params.iter().map(|p| self.declare(p.local) + &self.shape(&p.dims)).collect();
        let head = format!("loops {}[{}]({}) {{", self.func.name, sizes.join(", "), params.join(", "));
        self.line(0, &head);
        for (id, literal) in self.func.literals.iter() {
            let dims: Vec<String> = literal.dims.iter().map(i64::to_string).collect();
            let data: Vec<String> = literal.data.iter().map(|&c| constant(c)).collect();
            let text = format!("{} = {} [{}][{}]", literal_name(id), literal.elem, dims.join(", "), data.join(", "));
            self.line(1, &text);
        }
        self.block(1, &self.func.body);
        let outputs: Vec<String> =
            self.func.outputs.iter().map(|o| self.operand(o.value) + &self.dims(&o.dims)).collect();
        self.line(1, format!("return {}", outputs.join(", ")).trim_end());
        self.line(0, "}");
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn block(&mut self, depth: usize, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(depth, stmt);
        }
    }

    fn stmt(&mut self, depth: usize, stmt: &Stmt) {
        let text = match stmt {
            Stmt::Let { local, expr } => format!("let {} = {}", self.declare(*local), self.expr(expr)),
            Stmt::Var { local, init: Some(init) } => format!("var {} = {}", self.declare(*local), self.operand(*init)),
            Stmt::Var { local, init: None } => format!("var {}", self.declare(*local)),
            Stmt::Set { local, value } => format!("set {} = {}", self.name(*local), self.operand(*value)),
            Stmt::Store { address, offset, value } => {
                format!("store {}[{}] = {}", self.name(*address), self.operand(*offset), self.operand(*value))
            }
            Stmt::Alloc { local, dims, span } => {
                format!("let {} = alloc [{}]{}", self.declare(*local), self.operands(dims), place(*span))
            }
            Stmt::MakeUnique { local, buffer, span } => {
                format!("let {} = unique {}{}", self.declare(*local), self.name(*buffer), place(*span))
            }
            Stmt::Retain(buffer) => format!("retain {}", self.name(*buffer)),
            Stmt::Release(buffer) => format!("release {}", self.name(*buffer)),
            Stmt::Check { demand, args, span } => {
                format!("check {} {}{}", demand.name(), self.operands(args), place(*span))
            }
            Stmt::CheckShape { buffer, dims, span } => {
                format!("check shape {}{}{}", self.name(*buffer), self.dims(dims), place(*span))
            }
            Stmt::For(l) => return self.for_loop(depth, l),
            Stmt::While(l) => {
                self.line(depth, &format!("repeat{} {{", place(l.span)));
                self.block(depth + 1, &l.head);
                self.line(depth, &format!("}} while {} {{", self.operand(l.cond)));
                self.block(depth + 1, &l.body);
                "}".to_string()
            }
            Stmt::Argsort { into, keys, length, span } => {
                let (into, keys) = (self.name(*into), self.name(*keys));
                format!("argsort {into} = {keys} by {}{}", self.operand(*length), place(*span))
            }
            Stmt::Trace { site, value, dims } => {
                let label = self.func.traces.get(*site).map_or("?", |site| &*site.place.label);
                format!("trace {} {}{}", arr_ir::quoted(label), self.operand(*value), self.dims(dims))
            }
            Stmt::MatMul(product) => return self.matmul(depth, product),
            Stmt::If { cond, then_body, else_body } => {
                self.line(depth, &format!("if {} {{", self.operand(*cond)));
                self.block(depth + 1, then_body);
                if !else_body.is_empty() {
                    self.line(depth, "} else {");
                    self.block(depth + 1, else_body);
                }
                "}".to_string()
            }
        };
        self.line(depth, &text);
    }

    fn for_loop(&mut self, depth: usize, l: &For) {
        let mut head = format!("for {} < {}", self.name(l.index), self.operand(l.extent));
        if l.reverse {
            head.push_str(" reverse");
        }
        for (k, induction) in l.inductions.iter().enumerate() {
            let word = if k == 0 { " with" } else { "," };
            let _ = write!(head, "{word} {} step {}", self.name(induction.local), self.operand(induction.step));
        }
        if l.is_source() {
            head.push_str(" source");
        }
        head.push_str(&place(l.span));
        if let Some(parallel) = &l.parallel {
            head.push_str(" parallel");
            let at = |a: &crate::Added| format!("{} at {}", self.name(a.buffer), self.name(a.data));
            let added: Vec<String> = parallel.added.iter().map(at).collect();
            if !added.is_empty() {
                let _ = write!(head, " adding to {}", added.join(", "));
            }
            if parallel.allocates {
                head.push_str(" allocating");
            }
            if let Some(apart) = parallel.disjoint_if {
                let _ = write!(head, " if {}", self.name(apart));
            }
        }
        if let Some(scan) = &l.scan {
            head.push_str(" scan");
            head.push_str(if scan.exact { " exact" } else { "" });
            head.push_str(if scan.commutes { " commutes" } else { "" });
        }
        self.line(depth, &(head + " {"));
        self.block(depth + 1, &l.body);
        if let Some(scan) = &l.scan {
            self.scan(depth, scan);
        }
        if let Some(parallel) = l.parallel.as_ref().filter(|p| !p.partials.is_empty() || !p.combine.is_empty()) {
            let partial = |p: &Partial| {
                format!("{} from {} with {}", self.name(p.local), constant(p.init), self.declare(p.other))
            };
            let partials: Vec<String> = parallel.partials.iter().map(partial).collect();
            self.line(depth, &format!("}} combine {} {{", partials.join(", ")));
            self.block(depth + 1, &parallel.combine);
        }
        self.line(depth, "}");
    }

    /// The code before all chunks, that of an iteration, and the code after all; the carried states and their steps; an
    /// iteration's contribution to the summary of a chunk; the next chunk's state.
    fn scan(&mut self, depth: usize, scan: &Scan) {
        for (word, block) in [("before", &scan.before), ("iteration", &scan.body), ("after", &scan.after)] {
            self.line(depth, &format!("}} {word} {{"));
            self.block(depth + 1, block);
        }
        let state = |s: &ScanState| {
            let step = match s.step {
                ScanStep::Same => "no step",
                ScanStep::By(prim) => prim.name(),
                ScanStep::Linear => "a linear step",
            };
            format!("{} by {step}", self.name(s.local))
        };
        let states: Vec<String> = scan.states.iter().map(state).collect();
        let part = |p: &ScanPart| format!("{} from {}", self.declare(p.local), constant(p.init));
        let parts: Vec<String> = scan.parts.iter().map(part).collect();
        self.line(depth, &format!("}} carries {} summary {} {{", states.join(", "), parts.join(", ")));
        self.block(depth + 1, &scan.summary);
        let next = |s: &ScanState| format!("{} to {}", self.declare(s.entry), self.operand(s.next));
        let next: Vec<String> = scan.states.iter().map(next).collect();
        let sound = scan.sound.map(|s| format!(" if {}", self.operand(s))).unwrap_or_default();
        self.line(depth, &format!("}} advances {}{sound} {{", next.join(", ")));
        self.block(depth + 1, &scan.advance);
        if let Some(chain) = &scan.chain {
            self.line(depth, "} chained {");
            self.block(depth + 1, &chain.before);
            for link in &chain.links {
                let [ratio, offset] = [link.ratio, link.offset].map(|o| self.operand(o));
                let state = self.name(link.state).to_string();
                self.line(depth + 1, &format!("set {state} = {ratio} * {state} + {offset}"));
            }
        }
    }

    fn matmul(&mut self, depth: usize, product: &MatMul) {
        let sign = if product.accumulate { "+=" } else { "=" };
        let word = if product.zero_wins { "matmulz" } else { "matmul" };
        let [into, left, right] = [product.into, product.left, product.right].map(|l| self.name(l));
        let head = format!("{word} {into} {sign} {left}, {right}{} {{", place(product.span));
        self.line(depth, &head);
        for axis in &product.axes {
            let strides = self.operands(&[axis.into, axis.left, axis.right]);
            let text = format!("{} {} by {strides}", axis.role.name(), self.operand(axis.extent));
            self.line(depth + 1, &text);
        }
        self.line(depth, "}");
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Prim(prim, args) => format!("{} {}", prim.name(), self.operands(args)),
            Expr::Copy(a) => self.operand(*a),
            Expr::BaseAddr(b) => format!("data {}", self.name(*b)),
            Expr::Len(b) => format!("len {}", self.name(*b)),
            Expr::Offset(a, n) => format!("offset {}[{}]", self.name(*a), self.operand(*n)),
            Expr::Load(a, n) => format!("load {}[{}]", self.name(*a), self.operand(*n)),
            Expr::Literal(id) => literal_name(*id),
        }
    }

    fn name(&self, local: LocalId) -> &str {
        &self.func.locals[local].name
    }

    fn declare(&self, local: LocalId) -> String {
        let info = &self.func.locals[local];
        match info.ty {
            Ty::Scalar(s) => format!("{}: {s}", info.name),
            Ty::Buffer(s) => format!("{}: buffer {s}", info.name),
            Ty::Address(s) => format!("{}: address {s}", info.name),
        }
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Local(l) => self.name(l).to_string(),
            Operand::Const(c) => constant(c),
        }
    }

    fn operands(&self, operands: &[Operand]) -> String {
        let texts: Vec<String> = operands.iter().map(|&o| self.operand(o)).collect();
        texts.join(", ")
    }

    fn dims(&self, dims: &[Operand]) -> String {
        if dims.is_empty() { String::new() } else { format!(" [{}]", self.operands(dims)) }
    }

    fn shape(&self, dims: &[ParamSize]) -> String {
        let texts: Vec<String> = dims.iter().map(|d| self.size(d)).collect();
        if dims.is_empty() { String::new() } else { format!(" [{}]", texts.join(", ")) }
    }

    fn size(&self, size: &ParamSize) -> String {
        let mut text = String::new();
        for (k, (factors, coefficient)) in size.terms.iter().enumerate() {
            if k > 0 {
                text.push_str(" + ");
            }
            let names: Vec<&str> = factors.iter().map(|&f| self.name(f)).collect();
            match (coefficient, names.is_empty()) {
                (1, false) => text.push_str(&names.join("*")),
                (c, true) => text.push_str(&c.to_string()),
                (c, false) => text.push_str(&format!("{c}*{}", names.join("*"))),
            }
        }
        if text.is_empty() { "0".to_string() } else { text }
    }
}

fn literal_name(id: LiteralId) -> String {
    format!("literal {}", id.index())
}

/// Where the statement comes from, as a row of the span table.
fn place(span: SpanId) -> String {
    if span.index() == 0 { String::new() } else { format!(" {span}") }
}

/// A constant with its type as suffix, except `i64` and `bool`. Floats print in the shortest form that reads back.
fn constant(c: Const) -> String {
    match c {
        Const::Bool(b) => b.to_string(),
        Const::I64(i) => i.to_string(),
        Const::I32(i) => format!("{i}i32"),
        Const::U32(u) => format!("{u}u32"),
        // A NaN other than the usual one is printed as its bits.
        Const::F32(x) if x.is_nan() && x.to_bits() != f32::NAN.to_bits() => format!("0x{:x}f32", x.to_bits()),
        Const::F64(x) if x.is_nan() && x.to_bits() != f64::NAN.to_bits() => format!("0x{:x}", x.to_bits()),
        Const::F32(x) => format!("{x:?}f32"),
        Const::F64(x) => format!("{x:?}"),
    }
}
