//! `for`: array comprehensions.

use crate::data::problem::{Problem, Role};
use crate::data::types::Ty;
use crate::data::values::{Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::arrays::extents::pattern_names;
use crate::elaborate::elab::SizeOrigin;
use crate::elaborate::env::Entry;
use arr_base::Span;
use arr_ir::{Atom, Axis, Scalar, SizeId};
use arr_syntax::ast::{Expr, Generator, Name, Pattern};

/// A generator whose extent is known.
enum Ready<'a> {
    Index(&'a Name, SizeId),
    Element(&'a Pattern, Val, SizeId, Span),
}

impl Ready<'_> {
    fn extent(&self) -> SizeId {
        match self {
            Ready::Index(_, size) | Ready::Element(_, _, size, _) => *size,
        }
    }
}

impl<'a> Elab<'a> {
    /// Generators that do not depend on one another become the axes of one `build`; one that depends on a name bound
    /// before it begins an inner `build`.
    pub fn for_expr(&mut self, generators: &'a [Generator], body: &'a Expr, hint: &Hint) -> Val {
        if let Some((first, hint)) = self.unpacked(generators) {
            let (index, span) = (first.text.clone(), first.span);
            return hint.map_or_else(Val::error, |hint| self.fail(Problem::NoExtent { index, span, hint }));
        }
        let span = self.span();
        let mark = self.mark();
        let mut group: Vec<Ready<'a>> = Vec::new();
        let mut names: Vec<&'a str> = Vec::new();
        let mut ok = true;
        let mut rest = generators;
        while let Some((generator, after)) = rest.split_first() {
            if !group.is_empty() && self.depends(generator, after, body, &names) {
                break;
            }
            rest = after;
            match self.ready(generator, after, body) {
                Some(ready) => group.push(ready),
                None => {
                    ok = false;
                    group.push(self.stand_in(generator));
                }
            }
            generator_names(generator, &mut names);
        }
        let inner_hint = group.iter().fold(hint.clone(), |h, _| h.inner());
        let outer = self.env.mark();
        let axes = self.bind_group(&group);
        let val = if rest.is_empty() { self.expr(body, &inner_hint) } else { self.for_expr(rest, body, &inner_hint) };
        self.env.close(outer);
        let block = self.b.close(val.leaves.clone());
        if !ok || val.is_error() {
            return Val::error();
        }
        if val.ty.has_fn() {
            return self.fail(Problem::FunctionValue { span: body.span, place: "an element of an array", hint: None });
        }
        self.b.span = Some(span);
        if self.escapes(&val.ty, mark, body.span, "the body of `for`") {
            return Val::error();
        }
        let dims: Vec<SizeId> = axes.iter().map(|a| a.extent).collect();
        let ty = val.ty.under(&dims);
        if val.leaves.is_empty() {
            return Val::new(ty, Vec::new());
        }
        let results = self.b.build(axes, block, "for");
        Val::new(ty, results.into_iter().map(Atom::Var).collect())
    }

    /// Opens the body's block and binds indices and elements.
    fn bind_group(&mut self, group: &[Ready<'a>]) -> Vec<Axis> {
        let mut indices = Vec::new();
        for ready in group {
            let name = if let Ready::Index(name, _) = ready { name.text.as_str() } else { "i" };
            let (index, axis) = self.axis(name, ready.extent());
            if let Ready::Index(name, _) = ready {
                let origin = SizeOrigin { name: name.text.clone(), span: Some(name.span), fact: "is bound here" };
                self.origins.insert(axis.index, origin);
            }
            indices.push((index, axis));
        }
        self.b.open();
        for (ready, (index, _)) in group.iter().zip(&indices) {
            match ready {
                Ready::Index(name, extent) => {
                    self.record_index(name, *extent);
                    self.env.bind(&name.text, Entry::Val(Val::scalar(Scalar::I64, *index)));
                }
                Ready::Element(pattern, array, _, span) => {
                    let outer = self.b.span.replace(*span);
                    let element = self.element(array, *index);
                    self.bind_pattern(pattern, element);
                    self.b.span = outer;
                }
            }
        }
        indices.into_iter().map(|(_, axis)| axis).collect()
    }

    /// Whether a generator needs a name that generators before it bind.
    fn depends(&self, generator: &'a Generator, after: &'a [Generator], body: &'a Expr, names: &[&'a str]) -> bool {
        match generator {
            Generator::Range(_, e) | Generator::Element(_, e) => self.mentions(e, names),
            Generator::Inferred(name) => {
                let reads = self.reads_at(&name.text, after, body);
                !reads.is_empty() && reads.iter().all(|read| self.mentions(read.array, names))
            }
        }
    }

    fn ready(&mut self, generator: &'a Generator, after: &'a [Generator], body: &'a Expr) -> Option<Ready<'a>> {
        Some(match generator {
            Generator::Range(name, e) => {
                let size = self.extent(e)?;
                self.demand_size(size, e.span);
                Ready::Index(name, size)
            }
            Generator::Inferred(name) => Ready::Index(name, self.infer_extent(name, after, body)?),
            Generator::Element(pattern, e) => {
                let array = self.expr(e, &Hint::None);
                let size = self.outer_size(&array, e.span, "`for .. in`")?;
                Ready::Element(pattern, array, size, e.span)
            }
        })
    }

    /// What a generator binds when its extent is not known, so that the body can be checked.
    fn stand_in(&mut self, generator: &'a Generator) -> Ready<'a> {
        let size = self.opaque_size("", "is not known", None);
        match generator {
            Generator::Range(name, _) | Generator::Inferred(name) => Ready::Index(name, size),
            Generator::Element(pattern, e) => Ready::Element(pattern, Val::error(), size, e.span),
        }
    }

    /// The size that the expression of an extent gives.
    pub fn extent(&mut self, e: &'a Expr) -> Option<SizeId> {
        let val = self.expr(e, &Hint::Elem(Scalar::I64));
        let val = self.conform(val, &Ty::Scalar(Scalar::I64), Role::Extent, e.span);
        let atom = val.atom()?;
        let outer = self.b.span.replace(e.span);
        let size = self.size_of(atom);
        self.b.span = outer;
        Some(size)
    }

    /// The outermost size of an array; a problem when the value is not an array.
    pub fn outer_size(&mut self, array: &Val, span: Span, doing: &'static str) -> Option<SizeId> {
        match &array.ty {
            Ty::Array(size, _) if !array.is_error() => Some(*size),
            _ if array.is_error() => None,
            ty => {
                let ty = self.show(ty);
                self.fail(Problem::NotAnArray { span, ty, doing });
                None
            }
        }
    }
}

fn generator_names<'a>(generator: &'a Generator, names: &mut Vec<&'a str>) {
    match generator {
        Generator::Range(name, _) | Generator::Inferred(name) => names.push(&name.text),
        Generator::Element(pattern, _) => pattern_names(pattern, names),
    }
}
