//! Sections: the parts of a program that a profile gives times for.

use super::Lowerer;
use crate::Section;
use arr_base::Span;
use arr_ir::rewrite::for_each_stmt;
use arr_ir::{Op, Stmt};

impl Lowerer<'_> {
    /// Begins the section of statements that are lowered together, if they stand outside of kernels and do more than
    /// arithmetic on numbers. What is inside of a kernel belongs to its section.
    pub(super) fn enter_section(&mut self, stmts: &[Stmt]) {
        let Some(first) = stmts.first().filter(|_| self.options.profile && self.emit.outside_kernels()) else { return };
        if matches!(first.op, Op::Prim(..) | Op::Size(_) | Op::Check { .. } | Op::Read { .. } | Op::Barrier(_)) {
            return;
        }
        let mut spans: Vec<Span> = self.span.into_iter().collect();
        // What stands in a loop of the program has sections of its own.
        if !matches!(first.op, Op::Loop { .. } | Op::While { .. } | Op::If { .. }) {
            for_each_stmt(stmts, &mut |stmt| spans.extend(stmt.span));
        }
        let own = spans.first().copied();
        spans.sort_unstable_by_key(|span| (Some(*span) != own, span.file, span.start, span.end));
        spans.dedup();
        let var = stmts.iter().flat_map(|stmt| &stmt.vars).next();
        let name = var.map_or_else(String::new, |&v| self.func.name(v).to_string());
        let mut made = stmts.iter().flat_map(|stmt| &stmt.vars).peekable();
        let derivative = made.peek().is_some() && made.all(|&v| self.func.vars[v].derivative);
        let section = Section { name, spans, derivative };
        self.section = Some(self.emit.section(self.span, section));
    }
}
