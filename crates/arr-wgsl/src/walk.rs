//! Walks over statements: their reads, bindings and changes.

use arr_loops::{Expr, For, LocalId, Operand, Scan, Stmt};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Read(LocalId),
    /// Declared or bound.
    Bind(LocalId),
    /// A mutable local changed.
    Set(LocalId),
}

/// The operands of an expression.
pub(crate) fn operands(expr: &Expr) -> Vec<Operand> {
    match expr {
        Expr::Prim(_, args) => args.clone(),
        Expr::Copy(a) => vec![*a],
        Expr::BaseAddr(b) | Expr::Len(b) => vec![(*b).into()],
        Expr::Offset(a, n) | Expr::Load(a, n) => vec![(*a).into(), *n],
        Expr::Literal(_) => Vec::new(),
    }
}

/// Visits every statement, including those inside loops and branches, outer ones first.
pub(crate) fn statements<'s>(stmts: &'s [Stmt], visit: &mut dyn FnMut(&'s Stmt)) {
    for stmt in stmts {
        visit(stmt);
        for block in blocks(stmt) {
            statements(block, visit);
        }
    }
}

/// The blocks inside a statement. Those of a scan replace its body.
pub(crate) fn blocks(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::For(l) => match (&l.scan, &l.parallel) {
            (Some(s), _) => vec![&s.before, &s.summary, &s.advance, &s.body, &s.after],
            (None, Some(p)) => vec![&l.body, &p.combine],
            (None, None) => vec![&l.body],
        },
        Stmt::While(l) => vec![&l.head, &l.body],
        Stmt::If { then_body, else_body, .. } => vec![then_body, else_body],
        _ => Vec::new(),
    }
}

/// Every use in statements and the blocks inside them.
pub(crate) fn uses(stmts: &[Stmt], visit: &mut dyn FnMut(Use)) {
    statements(stmts, &mut |stmt| own_uses(stmt, visit));
}

fn read(operand: Operand, visit: &mut dyn FnMut(Use)) {
    if let Operand::Local(local) = operand {
        visit(Use::Read(local));
    }
}

/// The uses of a statement without the blocks inside it.
pub(crate) fn own_uses(stmt: &Stmt, visit: &mut dyn FnMut(Use)) {
    match stmt {
        Stmt::Let { local, expr } => {
            operands(expr).into_iter().for_each(|o| read(o, visit));
            visit(Use::Bind(*local));
        }
        Stmt::Var { local, init } => {
            init.iter().for_each(|&o| read(o, visit));
            visit(Use::Bind(*local));
        }
        Stmt::Set { local, value } => {
            read(*value, visit);
            visit(Use::Set(*local));
        }
        Stmt::Store { address, offset, value } => {
            [(*address).into(), *offset, *value].into_iter().for_each(|o| read(o, visit));
        }
        Stmt::Alloc { local, dims, .. } => {
            dims.iter().for_each(|&o| read(o, visit));
            visit(Use::Bind(*local));
        }
        Stmt::MakeUnique { local, buffer, .. } => {
            visit(Use::Read(*buffer));
            visit(Use::Bind(*local));
        }
        Stmt::Retain(buffer) | Stmt::Release(buffer) => visit(Use::Read(*buffer)),
        Stmt::Check { args, .. } => args.iter().for_each(|&o| read(o, visit)),
        Stmt::CheckShape { buffer, dims, .. } => {
            visit(Use::Read(*buffer));
            dims.iter().for_each(|&o| read(o, visit));
        }
        Stmt::For(l) => for_uses(l, visit),
        Stmt::While(l) => read(l.cond, visit),
        Stmt::Argsort { into, keys, length } => {
            [(*into).into(), (*keys).into(), *length].into_iter().for_each(|o| read(o, visit));
        }
        Stmt::MatMul(product) => product.operands().into_iter().for_each(|o| read(o, visit)),
        Stmt::If { cond, .. } => read(*cond, visit),
    }
}

fn for_uses(l: &For, visit: &mut dyn FnMut(Use)) {
    read(l.extent, visit);
    visit(Use::Bind(l.index));
    for induction in &l.inductions {
        read(induction.step, visit);
        visit(Use::Bind(induction.local));
    }
    for partial in l.parallel.iter().flat_map(|p| &p.partials) {
        visit(Use::Read(partial.local));
        visit(Use::Set(partial.local));
        visit(Use::Bind(partial.other));
    }
    if let Some(scan) = &l.scan {
        scan_uses(scan, visit);
    }
}

fn scan_uses(scan: &Scan, visit: &mut dyn FnMut(Use)) {
    for state in &scan.states {
        visit(Use::Read(state.local));
        visit(Use::Set(state.local));
        visit(Use::Bind(state.entry));
        read(state.next, visit);
    }
    for part in &scan.parts {
        visit(Use::Bind(part.local));
        visit(Use::Read(part.local));
    }
    scan.sound.iter().for_each(|&o| read(o, visit));
}
