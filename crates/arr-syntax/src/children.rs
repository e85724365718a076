//! Walking over the direct children of an expression.

use crate::ast::{Expr, ExprKind, Generator, LoopKind, Subscript};

fn subscripts<'a>(list: &'a [Subscript], f: &mut impl FnMut(&'a Expr)) {
    for subscript in list {
        match subscript {
            Subscript::Index(e) => f(e),
            Subscript::Slice { lo, hi, step, .. } => [lo, hi, step].into_iter().flatten().for_each(&mut *f),
        }
    }
}

impl ExprKind {
    /// Calls `f` on every direct subexpression, in source order.
    pub fn for_each_child<'a>(&'a self, mut f: impl FnMut(&'a Expr)) {
        match self {
            ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Text(_) | ExprKind::Name(_) => {}
            ExprKind::Operator(_) | ExprKind::Error => {}
            ExprKind::Array(es) | ExprKind::Tuple(es) => es.iter().for_each(f),
            ExprKind::Record(fields) => fields.iter().for_each(|(_, e)| f(e)),
            ExprKind::RecordWith(r, fields) => {
                f(r);
                fields.iter().for_each(|(_, e)| f(e));
            }
            ExprKind::Field(e, _)
            | ExprKind::Project(e, _, _)
            | ExprKind::Unary(_, e)
            | ExprKind::Lambda(_, e)
            | ExprKind::Assert(e, _) => f(e),
            ExprKind::Call(callee, args) => {
                f(callee);
                args.iter().for_each(f);
            }
            ExprKind::Index(e, subs) => {
                f(e);
                subscripts(subs, &mut f);
            }
            ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(f),
            ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(f),
            ExprKind::Let(bindings, body) => {
                bindings.iter().for_each(|b| f(&b.value));
                f(body);
            }
            ExprKind::For(generators, body) => {
                for generator in generators {
                    match generator {
                        Generator::Range(_, e) | Generator::Element(_, e) => f(e),
                        Generator::Inferred(_) => {}
                    }
                }
                f(body);
            }
            ExprKind::Loop(l) => {
                f(&l.init);
                match &l.kind {
                    LoopKind::Range(_, e) | LoopKind::Element(_, e) | LoopKind::While(e) => f(e),
                }
                f(&l.body);
            }
            ExprKind::Match(e, arms) => {
                f(e);
                arms.iter().for_each(|(_, e)| f(e));
            }
            ExprKind::With(e, subs, value) => {
                f(e);
                subscripts(subs, &mut f);
                f(value);
            }
        }
    }

    /// The depth of an expression of this kind: one more than the deepest child's.
    pub fn depth(&self) -> u32 {
        let mut deepest = 0;
        self.for_each_child(|child| deepest = deepest.max(child.depth));
        deepest + 1
    }
}

impl Expr {
    /// An expression whose depth is computed. It is not checked against [`crate::ast::MAX_DEPTH`].
    pub fn new(kind: ExprKind, span: arr_base::Span) -> Expr {
        let depth = kind.depth();
        Expr { kind: Box::new(kind), span, depth }
    }
}

/// Frees a tree without recursion, so that a tree that is refused for its depth does not overflow the stack.
pub fn dismantle(kind: ExprKind) {
    let mut work = vec![kind];
    while let Some(kind) = work.pop() {
        push_children(kind, &mut |e: Expr| work.push(*e.kind));
    }
}

fn push_subscripts(list: Vec<Subscript>, f: &mut impl FnMut(Expr)) {
    for subscript in list {
        match subscript {
            Subscript::Index(e) => f(e),
            Subscript::Slice { lo, hi, step, .. } => [lo, hi, step].into_iter().flatten().for_each(&mut *f),
        }
    }
}

/// Passes on the direct children by value.
fn push_children(kind: ExprKind, f: &mut impl FnMut(Expr)) {
    match kind {
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Text(_) | ExprKind::Name(_) => {}
        ExprKind::Operator(_) | ExprKind::Error => {}
        ExprKind::Array(es) | ExprKind::Tuple(es) => es.into_iter().for_each(f),
        ExprKind::Record(fields) => fields.into_iter().for_each(|(_, e)| f(e)),
        ExprKind::RecordWith(r, fields) => {
            f(r);
            fields.into_iter().for_each(|(_, e)| f(e));
        }
        ExprKind::Field(e, _)
        | ExprKind::Project(e, _, _)
        | ExprKind::Unary(_, e)
        | ExprKind::Lambda(_, e)
        | ExprKind::Assert(e, _) => f(e),
        ExprKind::Call(callee, args) => {
            f(callee);
            args.into_iter().for_each(f);
        }
        ExprKind::Index(e, subs) => {
            f(e);
            push_subscripts(subs, f);
        }
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(f),
        ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(f),
        ExprKind::Let(bindings, body) => {
            bindings.into_iter().for_each(|b| f(b.value));
            f(body);
        }
        ExprKind::For(generators, body) => {
            for generator in generators {
                match generator {
                    Generator::Range(_, e) | Generator::Element(_, e) => f(e),
                    Generator::Inferred(_) => {}
                }
            }
            f(body);
        }
        ExprKind::Loop(l) => {
            f(l.init);
            match l.kind {
                LoopKind::Range(_, e) | LoopKind::Element(_, e) | LoopKind::While(e) => f(e),
            }
            f(l.body);
        }
        ExprKind::Match(e, arms) => {
            f(e);
            arms.into_iter().for_each(|(_, e)| f(e));
        }
        ExprKind::With(e, subs, value) => {
            f(e);
            push_subscripts(subs, f);
            f(value);
        }
    }
}
