//! The fate of a program's arrays, in words: which exist in memory and why, which do not, and which kernels are matrix
//! products.

use super::Lanes;
use super::inline::inline;
use super::plan::{Decision, Plan};
use super::proofs::{Relying, keeping_proofs};
use arr_ir::rewrite::{Enter, for_each_stmt};
use arr_ir::walk::for_each_use;
use arr_ir::{Affine, Axis, Block, Contraction, Func, Names, Op, Stmt, VarId, contractions, size_text};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The text for a program before `fuse` and in its final form. Names are those of `--emit`.
pub fn explain(before: &Func, after: &Func) -> String {
    let mut report = Report {
        func: after,
        names: Names::new(after),
        plan: Plan::new(after, Lanes::Rows, &Relying::default()),
        arrays: Vec::new(),
        reads: BTreeMap::new(),
    };
    report.block(&after.body, "");
    let results: Vec<VarId> = after.body.results.iter().filter_map(|a| a.var()).collect();
    results.iter().for_each(|v| report.read(*v, "the result"));
    let mut out = String::new();
    let products: usize = report.arrays.iter().map(|a| a.products.len()).sum();
    let _ = writeln!(
        out,
        "{}: {} in memory, {}",
        after.name,
        counted(report.arrays.len(), "array"),
        counted(products, "matrix product")
    );
    for array in &report.arrays {
        report.write(array, &mut out);
    }
    let plan = Plan::new(before, Lanes::Rows, &Relying::default());
    let names = Names::new(before);
    let mut kept: BTreeSet<VarId> = BTreeSet::new();
    for_each_stmt(&after.body.stmts, &mut |stmt| kept.extend(&stmt.vars));
    // Readers that were merged into one have the array inlined as well.
    let gone = |v: VarId, d: Decision| {
        let merged = matches!(d, Decision::SeveralReaders | Decision::SeveralPlaces);
        (d == Decision::Inline || merged) && !kept.contains(&v)
    };
    let mut inlined = plan.decisions().filter(|(v, d)| gone(*v, **d)).peekable();
    if inlined.peek().is_some() {
        let _ = writeln!(out, "\nnot in memory, computed where they are read:");
        for (var, _) in inlined {
            let _ = writeln!(out, "  {}", names.typed(var));
        }
    }
    out
}

/// One line per producer: whether it is inlined, and if not, why.
pub fn decisions(func: &Func) -> Vec<String> {
    let plan = proved_plan(func);
    let line = |(var, decision): (_, &Decision)| format!("{}: {}", func.name(var), decision.text());
    plan.decisions().map(line).collect()
}

/// The plan that fusion carries out: that of the last try.
fn proved_plan(func: &Func) -> Plan {
    let mut tried = func.clone();
    let mut plan = None;
    keeping_proofs(&mut tried, &mut |tried, relying| {
        let here = Plan::new(tried, Lanes::Rows, relying);
        inline(tried, &here);
        let changed = here.inlines_any();
        plan = Some(here);
        changed
    });
    plan.unwrap_or_else(|| Plan::new(func, Lanes::Rows, &Relying::default()))
}

fn counted(count: usize, what: &str) -> String {
    let (count, s) = match count {
        0 => ("no".to_string(), "s"),
        1 => ("1".to_string(), ""),
        n => (n.to_string(), "s"),
    };
    format!("{count} {what}{s}")
}

/// Arrays that one statement makes.
struct Made {
    vars: Vec<VarId>,
    reason: &'static str,
    /// Each, in words.
    products: Vec<String>,
}

struct Report<'f> {
    func: &'f Func,
    names: Names<'f>,
    plan: Plan,
    arrays: Vec<Made>,
    /// The readers of each array, each once, in order.
    reads: BTreeMap<VarId, Vec<String>>,
}

impl Report<'_> {
    fn block(&mut self, block: &Block, around: &str) {
        for stmt in &block.stmts {
            let control = Enter::ArrayControl.enters(self.func, stmt);
            let reader = match stmt.vars.first() {
                Some(&v) if control => format!("the loop or branch of {}", self.name(v)),
                Some(&v) => self.name(v),
                None => around.to_string(),
            };
            if control {
                stmt.op.operands().iter().filter_map(|a| a.var()).for_each(|v| self.read(v, &reader));
                stmt.op.blocks().into_iter().for_each(|b| self.block(b, &reader));
            } else {
                let mut used = Vec::new();
                for_each_use(self.func, &stmt.op, &mut |v| used.push(v));
                used.into_iter().for_each(|v| self.read(v, &reader));
            }
            self.made(stmt);
        }
        let next = if around.is_empty() { return } else { format!("the next step of {around}") };
        let carried: Vec<VarId> = block.results.iter().filter_map(|a| a.var()).collect();
        carried.into_iter().for_each(|v| self.read(v, &next));
    }

    fn name(&self, var: VarId) -> String {
        self.names.var(var)
    }

    fn is_result(&self, var: VarId) -> bool {
        self.func.body.results.iter().any(|a| a.var() == Some(var))
    }

    fn read(&mut self, var: VarId, reader: &str) {
        if self.func.ty(var).is_scalar() {
            return;
        }
        let readers = self.reads.entry(var).or_default();
        if !readers.iter().any(|r| r == reader) {
            readers.push(reader.to_string());
        }
    }

    fn made(&mut self, stmt: &Stmt) {
        let vars: Vec<VarId> = stmt.vars.iter().copied().filter(|&v| !self.func.ty(v).is_scalar()).collect();
        let Some(&first) = vars.first() else { return };
        let (reason, products) = match &stmt.op {
            Op::Build { axes, body } => {
                let decision = self.plan.decisions().find(|(v, _)| *v == first).map(|(_, d)| *d);
                let reason = match decision {
                    Some(Decision::Escapes) if vars.iter().all(|v| self.is_result(*v)) => {
                        "kept: it is part of the result"
                    }
                    Some(Decision::Inline) => "kept: its readers were rewritten after kernels had been inlined",
                    Some(decision) => decision.text(),
                    None => "kept: its elements are arrays",
                };
                let found = contractions(self.func, axes, body);
                (reason, found.iter().map(|p| self.product(axes, p)).collect())
            }
            Op::Scatter { .. } => {
                ("kept: elements are set or added to at places known only when the program runs", Vec::new())
            }
            Op::Loop { .. } | Op::While { .. } => {
                ("kept: a loop carries it from one iteration to the next", Vec::new())
            }
            Op::If { .. } => ("kept: one of two branches makes it", Vec::new()),
            Op::Literal(_) => ("kept: it is a constant", Vec::new()),
            Op::Argsort(_) => ("kept: it is an order of elements", Vec::new()),
            // The same memory under another name.
            _ => return,
        };
        self.arrays.push(Made { vars, reason, products });
    }

    fn write(&self, made: &Made, out: &mut String) {
        let _ = writeln!(out);
        for &var in &made.vars {
            let bytes = self.func.ty(var).elem.bytes();
            let readers = match self.reads.get(&var) {
                Some(readers) => format!("read by {}", readers.join(", ")),
                None => "not read".to_string(),
            };
            let _ = writeln!(out, "{}\n  {} per element; {readers}", self.names.typed(var), counted(bytes, "byte"));
        }
        let _ = writeln!(out, "  {}", made.reason);
        for product in &made.products {
            let _ = writeln!(out, "  {product}");
        }
    }

    /// `matrix product x[i, s] * w[s, j], i<b, j<h, sum over s<d`.
    fn product(&self, axes: &[Axis], product: &Contraction) -> String {
        let [left, right] = &product.factors;
        let operand = |f: &arr_ir::Factor| {
            let index: Vec<String> = f.index.iter().map(|a| self.affine(a)).collect();
            format!("{}[{}]", self.name(f.array), index.join(", "))
        };
        let axis = |a: &Axis| format!("{}<{}", self.name(a.index), size_text(self.func, a.extent));
        let list = |name: &str, which: &[usize]| {
            let axes: Vec<String> = which.iter().filter_map(|&k| axes.get(k)).map(axis).collect();
            if axes.is_empty() { String::new() } else { format!("; {name} {}", axes.join(", ")) }
        };
        let inner: Vec<String> = product.inner.iter().map(axis).collect();
        format!(
            "matrix product: {} * {}{}{}{}; summed over {}",
            operand(left),
            operand(right),
            list("batch", &product.batch),
            list("rows", &product.rows),
            list("columns", &product.columns),
            inner.join(", ")
        )
    }

    fn affine(&self, affine: &Affine) -> String {
        let terms = affine.terms.iter().map(|(v, c)| (Some(*v), *c));
        let rest = affine.rest.iter().map(|c| (None, *c));
        let mut text = String::new();
        for (axis, c) in terms.chain(rest) {
            let factors: Vec<String> = axis.into_iter().chain(c.factor).map(|v| self.name(v)).collect();
            let size = c.number.unsigned_abs();
            let sign = match (text.is_empty(), c.number < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let number = if size == 1 && !factors.is_empty() { String::new() } else { size.to_string() };
            let star = if number.is_empty() || factors.is_empty() { "" } else { "*" };
            text.push_str(&format!("{sign}{number}{star}{}", factors.join("*")));
        }
        if text.is_empty() { "0".to_string() } else { text }
    }
}
