//! A tree as nested lists, in which every grouping shows.

use arr_syntax::ast::*;
use arr_syntax::{print_pattern, print_type};

fn list(head: &str, parts: impl IntoIterator<Item = String>) -> String {
    let mut out = format!("({head}");
    for part in parts {
        out.push(' ');
        out.push_str(&part);
    }
    out.push(')');
    out
}

fn all(es: &[Expr]) -> Vec<String> {
    es.iter().map(sexpr).collect()
}

fn fields(fields: &[(Name, Expr)]) -> Vec<String> {
    fields.iter().map(|(n, e)| format!("{}={}", n.text, sexpr(e))).collect()
}

fn annotated(p: &Pattern, ty: &Option<Type>) -> String {
    let ty = ty.as_ref().map_or(String::new(), |t| format!(":{}", print_type(t)));
    format!("{}{ty}", print_pattern(p))
}

fn subscripts(subs: &[Subscript]) -> String {
    let part = |e: &Option<Expr>| e.as_ref().map_or("_".into(), sexpr);
    let one = |s: &Subscript| match s {
        Subscript::Index(e) => sexpr(e),
        Subscript::Slice { lo, hi, step, .. } => list("slice", [part(lo), part(hi), part(step)]),
    };
    format!("[{}]", subs.iter().map(one).collect::<Vec<_>>().join(" "))
}

pub fn sexpr(e: &Expr) -> String {
    match &*e.kind {
        ExprKind::Number(n) => format!("{}{}", n.digits, n.suffix.as_deref().unwrap_or("")),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Text(text) => format!("\"{text}\""),
        ExprKind::Name(n) => n.clone(),
        ExprKind::Operator(op) => format!("({})", op.symbol()),
        ExprKind::Error => "?".into(),
        ExprKind::Array(es) => list("array", all(es)),
        ExprKind::Tuple(es) => list("tuple", all(es)),
        ExprKind::Record(fs) => list("record", fields(fs)),
        ExprKind::RecordWith(e, fs) => list("update", [vec![sexpr(e)], fields(fs)].concat()),
        ExprKind::Field(e, n) => list(".", [sexpr(e), n.text.clone()]),
        ExprKind::Project(e, i, _) => list(".", [sexpr(e), i.to_string()]),
        ExprKind::Call(f, args) => list("call", [vec![sexpr(f)], all(args)].concat()),
        ExprKind::Index(e, subs) => list("index", [sexpr(e), subscripts(subs)]),
        ExprKind::Unary(UnaryOp::Neg, e) => list("neg", [sexpr(e)]),
        ExprKind::Unary(UnaryOp::Not, e) => list("not", [sexpr(e)]),
        ExprKind::Binary(op, a, b) => list(op.symbol(), [sexpr(a), sexpr(b)]),
        ExprKind::Lambda(ps, e) => {
            let params: Vec<String> = ps.iter().map(|p| annotated(&p.pattern, &p.ty)).collect();
            list("\\", [format!("[{}]", params.join(" ")), sexpr(e)])
        }
        ExprKind::Let(bs, e) => {
            let mut parts: Vec<String> =
                bs.iter().map(|b| format!("{}={}", annotated(&b.pattern, &b.ty), sexpr(&b.value))).collect();
            parts.push(sexpr(e));
            list("let", parts)
        }
        ExprKind::If(a, b, c) => list("if", [sexpr(a), sexpr(b), sexpr(c)]),
        ExprKind::For(gs, e) => {
            let one = |g: &Generator| match g {
                Generator::Range(n, e) => format!("{}<{}", n.text, sexpr(e)),
                Generator::Inferred(n) => n.text.clone(),
                Generator::Element(p, e) => format!("{} in {}", print_pattern(p), sexpr(e)),
            };
            list("for", [format!("[{}]", gs.iter().map(one).collect::<Vec<_>>().join(", ")), sexpr(e)])
        }
        ExprKind::Loop(l) => {
            let kind = match &l.kind {
                LoopKind::Range(n, e) => format!("[{}<{}]", n.text, sexpr(e)),
                LoopKind::Element(p, e) => format!("[{} in {}]", print_pattern(p), sexpr(e)),
                LoopKind::While(e) => format!("[while {}]", sexpr(e)),
            };
            list("loop", [format!("{}={}", annotated(&l.state, &l.ty), sexpr(&l.init)), kind, sexpr(&l.body)])
        }
        ExprKind::Match(e, arms) => {
            let arms = arms.iter().map(|(p, e)| format!("{}=>{}", print_pattern(p), sexpr(e)));
            list("match", std::iter::once(sexpr(e)).chain(arms))
        }
        ExprKind::With(e, subs, v) => list("with", [sexpr(e), subscripts(subs), sexpr(v)]),
        ExprKind::Assert(e, t) => list(":>", [sexpr(e), print_type(t)]),
    }
}
