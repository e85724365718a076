//! Sets every span of a tree to zero, so that trees from different texts can be compared.

use super::file;
use arr_base::Span;
use arr_syntax::ast::*;

fn zero(span: &mut Span) {
    *span = Span::new(file(), 0, 0);
}

fn name(n: &mut Name) {
    zero(&mut n.span);
}

pub fn item(item: &mut Item) {
    match item {
        Item::Def(d) => {
            zero(&mut d.span);
            name(&mut d.name);
            d.type_params.iter_mut().for_each(|p| name(&mut p.name));
            d.params.iter_mut().flatten().for_each(param);
            d.result.iter_mut().for_each(ty);
            expr(&mut d.body);
        }
        Item::Type(t) => {
            zero(&mut t.span);
            name(&mut t.name);
            for p in &mut t.params {
                match p {
                    TypeDefParam::Size(n) => name(n),
                    TypeDefParam::Type(p) => name(&mut p.name),
                }
            }
            match &mut t.body {
                TypeBody::Alias(t) => ty(t),
                TypeBody::Sum(cs) => cs.iter_mut().for_each(|c| {
                    name(&mut c.name);
                    c.fields.iter_mut().for_each(ty);
                }),
            }
        }
        Item::Import(i) => {
            zero(&mut i.span);
            i.alias.iter_mut().for_each(name);
            match &mut i.path {
                ImportPath::Std(n) => name(n),
                ImportPath::File { span, .. } => zero(span),
            }
        }
        Item::Derivative(d) => {
            zero(&mut d.span);
            name(&mut d.name);
            d.params.iter_mut().for_each(param);
            expr(&mut d.body);
        }
        Item::Test(t) => {
            zero(&mut t.def.span);
            name(&mut t.def.name);
            t.within.iter_mut().for_each(|w| zero(&mut w.span));
            t.def.params.iter_mut().flatten().for_each(param);
            expr(&mut t.def.body);
        }
        Item::Error(span) => zero(span),
    }
}

fn param(p: &mut Param) {
    pattern(&mut p.pattern);
    p.ty.iter_mut().for_each(ty);
}

pub fn ty(t: &mut Type) {
    zero(&mut t.span);
    match &mut t.kind {
        TypeKind::Named { name: n, args } => {
            name(n);
            for arg in args {
                match arg {
                    TypeArg::Size(s) => size(s),
                    TypeArg::Type(t) => ty(t),
                }
            }
        }
        TypeKind::Array(s, t) => {
            size(s);
            ty(t);
        }
        TypeKind::Tuple(ts) => ts.iter_mut().for_each(ty),
        TypeKind::Record(fields) => fields.iter_mut().for_each(|(n, t)| {
            name(n);
            ty(t);
        }),
        TypeKind::Function(ps, r) => {
            ps.iter_mut().for_each(ty);
            ty(r);
        }
        TypeKind::Error => {}
    }
}

fn size(s: &mut Size) {
    zero(&mut s.span);
    if let SizeKind::Add(a, b) | SizeKind::Sub(a, b) | SizeKind::Mul(a, b) = &mut s.kind {
        size(a);
        size(b);
    }
}

pub fn pattern(p: &mut Pattern) {
    zero(&mut p.span);
    match &mut p.kind {
        PatternKind::Tuple(ps) => ps.iter_mut().for_each(pattern),
        PatternKind::Record(fields) => fields.iter_mut().for_each(|(n, p)| {
            name(n);
            p.iter_mut().for_each(pattern);
        }),
        PatternKind::Constructor(n, ps) => {
            name(n);
            ps.iter_mut().for_each(pattern);
        }
        _ => {}
    }
}

fn subscripts(list: &mut [Subscript]) {
    for s in list {
        match s {
            Subscript::Index(e) => expr(e),
            Subscript::Slice { lo, hi, step, span } => {
                zero(span);
                [lo, hi, step].into_iter().flatten().for_each(expr);
            }
        }
    }
}

fn fields(list: &mut [(Name, Expr)]) {
    for (n, e) in list {
        name(n);
        expr(e);
    }
}

pub fn expr(e: &mut Expr) {
    zero(&mut e.span);
    match &mut *e.kind {
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Text(_) | ExprKind::Name(_) => {}
        ExprKind::Operator(_) | ExprKind::Error => {}
        ExprKind::Array(es) | ExprKind::Tuple(es) => es.iter_mut().for_each(expr),
        ExprKind::Record(fs) => fields(fs),
        ExprKind::RecordWith(e, fs) => {
            expr(e);
            fields(fs);
        }
        ExprKind::Field(e, n) => {
            expr(e);
            name(n);
        }
        ExprKind::Project(e, _, span) => {
            expr(e);
            zero(span);
        }
        ExprKind::Call(f, args) => {
            expr(f);
            args.iter_mut().for_each(expr);
        }
        ExprKind::Index(e, subs) => {
            expr(e);
            subscripts(subs);
        }
        ExprKind::Unary(_, e) => expr(e),
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(expr),
        ExprKind::Lambda(ps, e) => {
            ps.iter_mut().for_each(param);
            expr(e);
        }
        ExprKind::Let(bs, e) => {
            for b in bs {
                pattern(&mut b.pattern);
                b.ty.iter_mut().for_each(ty);
                expr(&mut b.value);
            }
            expr(e);
        }
        ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(expr),
        ExprKind::For(gs, e) => {
            for g in gs {
                match g {
                    Generator::Range(n, e) => {
                        name(n);
                        expr(e);
                    }
                    Generator::Inferred(n) => name(n),
                    Generator::Element(p, e) => {
                        pattern(p);
                        expr(e);
                    }
                }
            }
            expr(e);
        }
        ExprKind::Loop(l) => {
            pattern(&mut l.state);
            l.ty.iter_mut().for_each(ty);
            expr(&mut l.init);
            match &mut l.kind {
                LoopKind::Range(n, e) => {
                    name(n);
                    expr(e);
                }
                LoopKind::Element(p, e) => {
                    pattern(p);
                    expr(e);
                }
                LoopKind::While(e) => expr(e),
            }
            expr(&mut l.body);
        }
        ExprKind::Match(e, arms) => {
            expr(e);
            for (p, e) in arms {
                pattern(p);
                expr(e);
            }
        }
        ExprKind::With(e, subs, v) => {
            expr(e);
            subscripts(subs);
            expr(v);
        }
        ExprKind::Assert(e, t) => {
            expr(e);
            ty(t);
        }
    }
}
