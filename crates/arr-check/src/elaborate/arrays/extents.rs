//! Inferring the extent of an index from the arrays that are read at it.

use crate::data::problem::Problem;
use crate::data::types::Ty;
use crate::data::values::Hint;
use crate::elaborate::Elab;
use crate::messages::written::expr_text;
use arr_base::Span;
use arr_ir::SizeId;
use arr_syntax::ast::{Expr, ExprKind, Generator, LoopKind, Name, Pattern, PatternKind, Subscript};

/// A read `array[.., i, ..]` with the bare index at some axis, of an array from outside.
pub(crate) struct IndexRead<'a> {
    pub array: &'a Expr,
    axis: usize,
    span: Span,
}

/// Collects the reads at one index; `bound` are the names bound between the index and here.
struct Finder<'a> {
    index: &'a str,
    bound: Vec<&'a str>,
    reads: Vec<IndexRead<'a>>,
}

impl<'a> Elab<'a> {
    /// The reads at an index in the rest of its `for`.
    pub fn reads_at(&self, index: &'a str, after: &'a [Generator], body: &'a Expr) -> Vec<IndexRead<'a>> {
        let mut finder = Finder { index, bound: Vec::new(), reads: Vec::new() };
        finder.generators(after, body);
        finder.reads
    }

    /// Whether an expression mentions one of the names.
    pub fn mentions(&self, e: &'a Expr, names: &[&'a str]) -> bool {
        mentions(e, names)
    }

    pub fn infer_extent(&mut self, name: &'a Name, after: &'a [Generator], body: &'a Expr) -> Option<SizeId> {
        let reads = self.reads_at(&name.text, after, body);
        let mut found: Vec<(SizeId, Span, String)> = Vec::new();
        let mut doubtful = false;
        for read in &reads {
            match self.axis_of_read(read) {
                Ok(Some(size)) if found.iter().all(|(s, ..)| *s != size) => {
                    found.push((size, read.span, expr_text(read.array)));
                }
                Ok(Some(_)) => {}
                Ok(None) => doubtful = true,
                Err(()) => {}
            }
        }
        match found.as_slice() {
            [(size, ..)] => Some(*size),
            // What is wrong with the array is reported where the body reads it.
            [] if doubtful => None,
            [] => {
                let hint = self.extent_remedy(name);
                self.fail(Problem::NoExtent { index: name.text.clone(), span: name.span, hint });
                None
            }
            _ => {
                let reads =
                    found.iter().map(|(size, span, what)| (*span, self.show_size(*size), what.clone())).collect();
                self.fail(Problem::ExtentConflict { index: name.text.clone(), span: name.span, reads });
                None
            }
        }
    }

    /// The size of the axis that a read indexes; `None` if the array has a problem of its own, `Err` if the size is
    /// only known inside.
    fn axis_of_read(&mut self, read: &IndexRead<'a>) -> Result<Option<SizeId>, ()> {
        let mark = self.mark();
        let problems = self.problems.len();
        self.b.open();
        let val = self.expr(read.array, &Hint::None);
        self.b.close(Vec::new());
        let failed = self.problems.len() > problems;
        self.problems.truncate(problems);
        let mut ty = &val.ty;
        for _ in 0..read.axis {
            let Ty::Array(_, inner) = ty else { return Ok(None) };
            ty = inner;
        }
        let Ty::Array(size, _) = ty else { return Ok(None) };
        let inside = |v: &arr_ir::VarId| arr_base::Id::index(*v) >= mark;
        if failed || self.b.func.types.poly(*size).vars().iter().any(inside) {
            return if failed { Ok(None) } else { Err(()) };
        }
        Ok(Some(*size))
    }
}

fn mentions(e: &Expr, names: &[&str]) -> bool {
    if let ExprKind::Name(name) = &*e.kind {
        return names.contains(&name.as_str());
    }
    let mut found = false;
    e.kind.for_each_child(|child| found = found || mentions(child, names));
    found
}

impl<'a> Finder<'a> {
    /// Visits the scope of newly bound names; where the index's own name is bound again, it means another index.
    fn under(&mut self, names: Vec<&'a str>, look: impl FnOnce(&mut Self)) {
        if names.contains(&self.index) {
            return;
        }
        let mark = self.bound.len();
        self.bound.extend(names);
        look(self);
        self.bound.truncate(mark);
    }

    fn expr(&mut self, e: &'a Expr) {
        match &*e.kind {
            ExprKind::Index(array, subscripts) => {
                self.index_read(e.span, array, subscripts);
                e.kind.for_each_child(|child| self.expr(child));
            }
            ExprKind::Lambda(params, body) => {
                let mut names = Vec::new();
                params.iter().for_each(|p| pattern_names(&p.pattern, &mut names));
                self.under(names, |f| f.expr(body));
            }
            ExprKind::Let(bindings, body) => self.bindings(bindings, body),
            ExprKind::For(generators, body) => self.generators(generators, body),
            ExprKind::Loop(l) => {
                self.expr(&l.init);
                let mut names = Vec::new();
                pattern_names(&l.state, &mut names);
                match &l.kind {
                    LoopKind::Range(name, e) => {
                        self.expr(e);
                        names.push(&name.text);
                    }
                    LoopKind::Element(pattern, e) => {
                        self.expr(e);
                        pattern_names(pattern, &mut names);
                    }
                    LoopKind::While(_) => {}
                }
                self.under(names, |f| {
                    if let LoopKind::While(e) = &l.kind {
                        f.expr(e);
                    }
                    f.expr(&l.body);
                });
            }
            ExprKind::Match(e, arms) => {
                self.expr(e);
                for (pattern, arm) in arms {
                    let mut names = Vec::new();
                    pattern_names(pattern, &mut names);
                    self.under(names, |f| f.expr(arm));
                }
            }
            _ => e.kind.for_each_child(|child| self.expr(child)),
        }
    }

    fn bindings(&mut self, bindings: &'a [arr_syntax::ast::Binding], body: &'a Expr) {
        let mark = self.bound.len();
        for binding in bindings {
            self.expr(&binding.value);
            let before = self.bound.len();
            pattern_names(&binding.pattern, &mut self.bound);
            if self.bound.get(before..).is_some_and(|names| names.contains(&self.index)) {
                self.bound.truncate(mark);
                return;
            }
        }
        self.expr(body);
        self.bound.truncate(mark);
    }

    fn generators(&mut self, generators: &'a [Generator], body: &'a Expr) {
        let Some((generator, rest)) = generators.split_first() else { return self.expr(body) };
        let mut names = Vec::new();
        match generator {
            Generator::Range(name, e) => {
                self.expr(e);
                names.push(name.text.as_str());
            }
            Generator::Inferred(name) => names.push(name.text.as_str()),
            Generator::Element(pattern, e) => {
                self.expr(e);
                pattern_names(pattern, &mut names);
            }
        }
        self.under(names, |f| f.generators(rest, body));
    }

    fn index_read(&mut self, span: Span, array: &'a Expr, subscripts: &'a [Subscript]) {
        for (axis, subscript) in subscripts.iter().enumerate() {
            let Subscript::Index(e) = subscript else { continue };
            let bare = matches!(&*e.kind, ExprKind::Name(name) if name == self.index);
            if bare && !mentions(array, &self.bound) && !mentions(array, &[self.index]) {
                self.reads.push(IndexRead { array, axis, span });
            }
        }
    }
}

pub(crate) fn pattern_names<'a>(pattern: &'a Pattern, names: &mut Vec<&'a str>) {
    match &pattern.kind {
        PatternKind::Name(name) => names.push(name),
        PatternKind::Tuple(items) | PatternKind::Constructor(_, items) => {
            items.iter().for_each(|p| pattern_names(p, names));
        }
        PatternKind::Record(fields) => {
            for (name, inner) in fields {
                match inner {
                    Some(inner) => pattern_names(inner, names),
                    None => names.push(&name.text),
                }
            }
        }
        PatternKind::Wildcard | PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Error => {}
    }
}
