//! The printed form of programs.
//!
//! ```text
//! v0: int = env 0
//! v1: f64 = env 1
//! for v2 < v0 {
//!   v3: f64 = load row [v4 + v2 * 8]
//!   v5: f64 = mul v1, v3
//!   store row [v4 + v2 * 8], v5
//! }
//! ```

use crate::program::{Access, Elem, For, MemOperand, Op, Program, Stmt, Type, Value};
use std::fmt::Write;

/// Prints a program. The same program always gives the same text.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { program, out: String::new() };
    printer.block(0, &program.prologue);
    for acc in &program.accumulators {
        let (name, combine) = (printer.declare(acc.variable), format!("{:?}", acc.combine).to_lowercase());
        printer.line(0, &format!("accumulate {name} by {combine} to env {}", acc.slot));
    }
    if let Some(slot) = program.start {
        printer.line(0, &format!("from env {slot}"));
    }
    printer.for_loop(0, &program.outer);
    printer.out
}

struct Printer<'a> {
    program: &'a Program,
    out: String,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }

    fn declare(&self, value: Value) -> String {
        let ty = match self.program.types.get(value.index()) {
            Some(Type::Float(Elem::F32)) => "f32",
            Some(Type::Float(Elem::F64)) => "f64",
            Some(Type::Mask(_)) => "mask",
            Some(Type::Lanes) => "lanes",
            Some(Type::Int) => "int",
            None => "?",
        };
        format!("{}: {ty}", name(value))
    }

    fn block(&mut self, depth: usize, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(value, op) => {
                    let text = format!("{} = {}", self.declare(*value), operation(*op));
                    self.line(depth, &text);
                }
                Stmt::Var(value, init) => {
                    let init = init.map_or(String::new(), |v| format!(" = {}", name(v)));
                    let text = format!("var {}{init}", self.declare(*value));
                    self.line(depth, &text);
                }
                Stmt::Set(variable, value) => {
                    self.line(depth, &format!("set {} = {}", name(*variable), name(*value)));
                }
                Stmt::Store(at, value) => self.line(depth, &format!("store {}, {}", place(*at), name(*value))),
                Stmt::Leave(mask) => self.line(depth, &format!("leave if {}", name(*mask))),
                Stmt::Stop(at) => self.line(depth, &format!("stop if {}", place(*at))),
                Stmt::For(l) => self.for_loop(depth, l),
            }
        }
    }

    fn for_loop(&mut self, depth: usize, l: &For) {
        let steps: Vec<String> =
            l.inductions.iter().map(|(v, step)| format!(", {} by {}", name(*v), name(*step))).collect();
        self.line(depth, &format!("for {} < {}{} {{", name(l.index), name(l.extent), steps.concat()));
        self.block(depth + 1, &l.body);
        self.line(depth, "}");
    }
}

fn name(value: Value) -> String {
    format!("v{}", value.0)
}

fn list(values: &[Value]) -> String {
    values.iter().map(|&v| name(v)).collect::<Vec<String>>().join(", ")
}

fn place(place: MemOperand) -> String {
    let index = place.index.map_or(String::new(), |(v, scale)| format!(" + {} * {scale}", name(v)));
    let disp = if place.disp == 0 { String::new() } else { format!(" + {}", place.disp) };
    let at = format!("[{}{index}{disp}]", name(place.base));
    match place.access {
        Access::Same => format!("same {at}"),
        Access::Row => format!("row {at}"),
        Access::Stream => format!("stream {at}"),
        Access::Strided(step) => format!("by {} {at}", name(step)),
        Access::Each(offsets) => format!("each {} {at}", name(offsets)),
    }
}

fn operation(op: Op) -> String {
    let word = |word: &dyn std::fmt::Debug| format!("{word:?}").to_lowercase();
    match op {
        Op::Int(i) | Op::LanesConst(i) => format!("{i}"),
        Op::EnvInt(slot) | Op::EnvFloat(_, slot) => format!("env {slot}"),
        Op::IntBinary(op, a, b) | Op::LanesBinary(op, a, b) => format!("{} {}", word(&op), list(&[a, b])),
        Op::IntLoad(width, at) | Op::LanesLoad(width, at) => format!("load {} {}", word(&width), place(at)),
        Op::Const(Elem::F64, bits) => format!("{:?}", f64::from_bits(bits)),
        Op::Const(Elem::F32, bits) => format!("{:?}", f32::from_bits(bits as u32)),
        Op::Copy(a) => name(a),
        Op::Load(_, at) => format!("load {}", place(at)),
        Op::Unary(op, a) => format!("{} {}", word(&op), name(a)),
        Op::Binary(op, a, b) => format!("{} {}", word(&op), list(&[a, b])),
        Op::Scale(a, power) => format!("scale {}", list(&[a, power])),
        Op::Fma(a, b, c) => format!("fma {}", list(&[a, b, c])),
        Op::Compare(op, a, b) => format!("{} {}", word(&op), list(&[a, b])),
        Op::Select(m, a, b) => format!("select {}", list(&[m, a, b])),
        Op::And(a, b) => format!("and {}", list(&[a, b])),
        Op::Or(a, b) => format!("or {}", list(&[a, b])),
        Op::Not(a) => format!("not {}", name(a)),
        Op::Splat(a) => format!("splat {}", name(a)),
        Op::Linear(first, step) => format!("linear {}", list(&[first, step])),
        Op::Shift(a, by) => format!("shift {}, {by}", name(a)),
        Op::ToBits(a) => format!("to_bits {}", name(a)),
        Op::FromBits(a) => format!("from_bits {}", name(a)),
        Op::TestBits(a, bits) => format!("test_bits {}, {bits:#x}", name(a)),
        Op::ToFloat(_, a) => format!("float {}", name(a)),
        Op::Widen(a) => format!("widen {}", name(a)),
        Op::Narrow(a) => format!("narrow {}", name(a)),
    }
}
