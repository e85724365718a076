//! The steps of a program as text, in the form of loop functions.

use crate::program::{HostFor, Kernel, Program, Step};
use arr_loops::{For, LocalId, Operand, Stmt, print_operand, print_stmts};
use std::fmt::Write;

/// Prints the host's steps. The same program always gives the same text.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { program, out: String::new() };
    printer.steps(0, &program.steps);
    let outputs: Vec<String> = program
        .func
        .outputs
        .iter()
        .map(|o| {
            let dims = if o.dims.is_empty() { String::new() } else { format!(" [{}]", printer.operands(&o.dims)) };
            printer.operand(o.value) + &dims
        })
        .collect();
    printer.line(0, format!("return {}", outputs.join(", ")).trim_end());
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

    fn operand(&self, operand: Operand) -> String {
        print_operand(&self.program.func, operand)
    }

    fn operands(&self, operands: &[Operand]) -> String {
        operands.iter().map(|&o| self.operand(o)).collect::<Vec<_>>().join(", ")
    }

    fn locals(&self, locals: &[LocalId]) -> String {
        locals.iter().map(|&l| self.operand(l.into())).collect::<Vec<_>>().join(", ")
    }

    fn stmt(&mut self, depth: usize, stmt: Stmt) {
        let text = print_stmts(&self.program.func, &[stmt]);
        self.line(depth, text.trim_end());
    }

    fn steps(&mut self, depth: usize, steps: &[Step]) {
        steps.iter().for_each(|step| self.step(depth, step));
    }

    fn step(&mut self, depth: usize, step: &Step) {
        match step.clone() {
            Step::Let { local, expr } => self.stmt(depth, Stmt::Let { local, expr }),
            Step::Var { local, init } => self.stmt(depth, Stmt::Var { local, init }),
            Step::Set { local, value } => self.stmt(depth, Stmt::Set { local, value }),
            Step::Alloc { local, dims, span } => self.stmt(depth, Stmt::Alloc { local, dims, span }),
            Step::AllocZeros { local, dims, span } => {
                let text = print_stmts(&self.program.func, &[Stmt::Alloc { local, dims, span }]);
                self.line(depth, &text.trim_end().replacen("= alloc", "= zeros", 1));
            }
            Step::MakeUnique { local, buffer, span } => self.stmt(depth, Stmt::MakeUnique { local, buffer, span }),
            Step::Pack { local, parts, .. } => {
                let parts: Vec<LocalId> = parts.iter().map(|part| part.buffer).collect();
                let elem = self.program.func.ty(local).elem().name();
                let text = format!("let {}: buffer {elem} = pack {}", self.operand(local.into()), self.locals(&parts));
                self.line(depth, &text);
            }
            Step::Unpack { local, parts } => {
                let parts: Vec<LocalId> = parts.iter().map(|part| part.buffer).collect();
                let text = format!("unpack {} to {}", self.operand(local.into()), self.locals(&parts));
                self.line(depth, &text);
            }
            Step::Retain(buffer) => self.stmt(depth, Stmt::Retain(buffer)),
            Step::Release(buffer) => self.stmt(depth, Stmt::Release(buffer)),
            Step::Check { demand, args, span } => self.stmt(depth, Stmt::Check { demand, args, span }),
            Step::CheckShape { buffer, dims, span } => self.stmt(depth, Stmt::CheckShape { buffer, dims, span }),
            Step::Dispatch(kernel) => {
                if let Some(kernel) = self.program.kernels.get(kernel) {
                    let text = self.dispatch(kernel);
                    self.line(depth, &text);
                }
            }
            Step::Put(values) => {
                let all: Vec<String> = values
                    .iter()
                    .map(|&(local, value)| format!("{} = {}", self.operand(local.into()), self.operand(value)))
                    .collect();
                self.line(depth, &format!("put {}", all.join(", ")));
            }
            Step::Fetch(locals) => {
                let text = format!("fetch {}", self.locals(&locals));
                self.line(depth, &text);
            }
            Step::For(l) => self.host_for(depth, &l),
            Step::While(l) => {
                self.line(depth, "repeat {");
                self.steps(depth + 1, &l.head);
                let text = format!("}} while {} {{", self.operand(l.cond));
                self.line(depth, &text);
                self.steps(depth + 1, &l.body);
                self.line(depth, "}");
            }
            Step::If { cond, then_steps, else_steps } => {
                let text = format!("if {} {{", self.operand(cond));
                self.line(depth, &text);
                self.steps(depth + 1, &then_steps);
                if !else_steps.is_empty() {
                    self.line(depth, "} else {");
                    self.steps(depth + 1, &else_steps);
                }
                self.line(depth, "}");
            }
        }
    }

    /// The kernel, its number of groups, and its arguments.
    fn dispatch(&self, kernel: &Kernel) -> String {
        let mut text = format!("run {} over {}", kernel.name, self.operands(&kernel.groups.points));
        let _ = write!(text, " by {}", kernel.groups.per_group);
        if let Some(most) = kernel.groups.most {
            let _ = write!(text, " at most {most}");
        }
        let buffers: Vec<LocalId> = kernel.buffers.iter().map(|b| b.buffer).collect();
        let _ = write!(text, " ({}; {})", self.locals(&kernel.params), self.locals(&buffers));
        text
    }

    fn host_for(&mut self, depth: usize, l: &HostFor) {
        let head = For {
            index: l.index,
            extent: l.extent,
            reverse: l.reverse,
            inductions: l.inductions.clone(),
            origin: l.origin,
            parallel: None,
            scan: None,
            span: l.span,
            body: Vec::new(),
        };
        let text = print_stmts(&self.program.func, &[Stmt::For(Box::new(head))]);
        let head = text.lines().next().unwrap_or_default().to_string();
        self.line(depth, &head);
        self.steps(depth + 1, &l.body);
        self.line(depth, "}");
    }
}
