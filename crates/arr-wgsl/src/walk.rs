//! The uses of locals in statements, for kernels and for the host's plan: scans are done in chunks here.

use arr_loops::{For, LocalId, Operand, Stmt, for_each_chunked_stmt};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Read(LocalId),
    /// Declared or bound.
    Bind(LocalId),
    /// A mutable local changed.
    Set(LocalId),
}

/// Every use in statements and the blocks inside them.
pub(crate) fn uses(stmts: &[Stmt], visit: &mut dyn FnMut(Use)) {
    for_each_chunked_stmt(stmts, &mut |stmt| own_uses(stmt, visit));
}

/// The uses of a statement without the blocks inside it.
pub(crate) fn own_uses(stmt: &Stmt, visit: &mut dyn FnMut(Use)) {
    stmt.reads().into_iter().for_each(|o| read(o, visit));
    stmt.binds().into_iter().for_each(|local| visit(Use::Bind(local)));
    stmt.sets().into_iter().for_each(|local| visit(Use::Set(local)));
    if let Stmt::For(l) = stmt {
        carried_uses(l, visit);
    }
}

fn read(operand: Operand, visit: &mut dyn FnMut(Use)) {
    if let Operand::Local(local) = operand {
        visit(Use::Read(local));
    }
}

/// What a loop that is done in chunks takes from one to the next.
fn carried_uses(l: &For, visit: &mut dyn FnMut(Use)) {
    let partials = l.parallel.iter().flat_map(|p| &p.partials).map(|partial| partial.local);
    let states = l.scan.iter().flat_map(|s| &s.states).map(|state| state.local);
    for local in partials.chain(states) {
        visit(Use::Read(local));
        visit(Use::Set(local));
    }
    if let Some(scan) = &l.scan {
        scan.states.iter().for_each(|state| read(state.next, visit));
        scan.parts.iter().for_each(|part| visit(Use::Read(part.local)));
        scan.sound.iter().for_each(|&o| read(o, visit));
    }
}
