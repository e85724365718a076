//! The walker: the statements' parts, reads, bindings and changes. Every analysis asks here, so that no part of a loop
//! besides its body (the combination of chunks, the code of a scan) is seen by one and missed by another.

use crate::{Expr, LocalId, Operand, Stmt};

impl Expr {
    /// The operands that it is computed from.
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Expr::Prim(_, args) => args.clone(),
            Expr::Copy(a) => vec![*a],
            Expr::BaseAddr(b) | Expr::Len(b) => vec![(*b).into()],
            Expr::Offset(a, n) | Expr::Load(a, n) => vec![(*a).into(), *n],
            Expr::Literal(_) => Vec::new(),
        }
    }
}

impl Stmt {
    /// The blocks inside, in the order of the text: the body of a loop, the code of a scan, the combination of chunks.
    pub fn blocks(&self) -> Vec<&[Stmt]> {
        match self {
            Stmt::For(l) => {
                let mut blocks: Vec<&[Stmt]> = vec![&l.body];
                if let Some(scan) = &l.scan {
                    blocks
                        .extend([&scan.before, &scan.body, &scan.after, &scan.summary, &scan.advance].map(|b| &b[..]));
                    blocks.extend(scan.chain.as_ref().map(|chain| &chain.before[..]));
                }
                blocks.extend(l.parallel.as_ref().map(|parallel| &parallel.combine[..]));
                blocks
            }
            Stmt::While(l) => vec![&l.head, &l.body],
            Stmt::If { then_body, else_body, .. } => vec![then_body, else_body],
            _ => Vec::new(),
        }
    }

    /// The blocks that run where every scan is done in chunks, as on a graphics device: as [`Stmt::blocks`], but what a scan does
    /// stands for the body of the loop and its chain, which run in order only.
    pub fn chunked_blocks(&self) -> Vec<&[Stmt]> {
        let Stmt::For(l) = self else { return self.blocks() };
        let Some(scan) = &l.scan else { return self.blocks() };
        vec![&scan.before, &scan.summary, &scan.advance, &scan.body, &scan.after]
    }

    /// As [`Stmt::blocks`], to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::For(l) => {
                let mut blocks: Vec<&mut Vec<Stmt>> = vec![&mut l.body];
                if let Some(scan) = &mut l.scan {
                    let crate::Scan { before, body, after, summary, advance, chain, .. } = &mut **scan;
                    blocks.extend([before, body, after, summary, advance]);
                    blocks.extend(chain.as_mut().map(|chain| &mut chain.before));
                }
                blocks.extend(l.parallel.as_mut().map(|parallel| &mut parallel.combine));
                blocks
            }
            Stmt::While(l) => vec![&mut l.head, &mut l.body],
            Stmt::If { then_body, else_body, .. } => vec![then_body, else_body],
            _ => Vec::new(),
        }
    }

    /// The blocks in which passes change loops: the bodies of loops and the sides of branches. Not the condition of a
    /// `while`, nor the code that runs once per chunk.
    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::For(l) => vec![&mut l.body],
            Stmt::While(l) => vec![&mut l.body],
            Stmt::If { then_body, else_body, .. } => vec![then_body, else_body],
            _ => Vec::new(),
        }
    }

    /// The reads of the statement itself, without the blocks inside. The local that a `set` changes is not read.
    pub fn reads(&self) -> Vec<Operand> {
        match self {
            Stmt::Let { expr, .. } => expr.operands(),
            Stmt::Var { init, .. } => init.iter().copied().collect(),
            Stmt::Set { value, .. } => vec![*value],
            Stmt::Store { address, offset, value } => vec![(*address).into(), *offset, *value],
            Stmt::Alloc { dims, .. } => dims.clone(),
            Stmt::MakeUnique { buffer, .. } | Stmt::Retain(buffer) | Stmt::Release(buffer) => vec![(*buffer).into()],
            Stmt::Check { args, .. } => args.clone(),
            Stmt::CheckShape { buffer, dims, .. } => {
                [(*buffer).into()].into_iter().chain(dims.iter().copied()).collect()
            }
            Stmt::For(l) => {
                let mut reads = vec![l.extent];
                reads.extend(l.inductions.iter().map(|i| i.step));
                if let Some(parallel) = &l.parallel {
                    reads.extend(parallel.added.iter().flat_map(|a| [a.buffer, a.data].map(Operand::Local)));
                    reads.extend(parallel.disjoint_if.map(Operand::Local));
                }
                reads
            }
            Stmt::While(l) => vec![l.cond],
            Stmt::Argsort { into, keys, length, .. } => vec![(*into).into(), (*keys).into(), *length],
            Stmt::Trace { value, dims, .. } => [*value].into_iter().chain(dims.iter().copied()).collect(),
            Stmt::MatMul(product) => product.operands(),
            Stmt::If { cond, .. } => vec![*cond],
        }
    }

    /// The locals that it binds or declares, without those of the blocks inside.
    pub fn binds(&self) -> Vec<LocalId> {
        match self {
            Stmt::Let { local, .. }
            | Stmt::Var { local, .. }
            | Stmt::Alloc { local, .. }
            | Stmt::MakeUnique { local, .. } => vec![*local],
            Stmt::For(l) => {
                let mut binds = vec![l.index];
                binds.extend(l.inductions.iter().map(|i| i.local));
                binds.extend(l.parallel.iter().flat_map(|p| &p.partials).map(|p| p.other));
                if let Some(scan) = &l.scan {
                    binds.extend(scan.states.iter().map(|s| s.entry));
                    binds.extend(scan.parts.iter().map(|p| p.local));
                }
                binds
            }
            _ => Vec::new(),
        }
    }

    /// The mutable local that it changes.
    pub fn sets(&self) -> Option<LocalId> {
        match self {
            Stmt::Set { local, .. } => Some(*local),
            _ => None,
        }
    }
}

/// Calls `f` with each statement and those inside it, in the order of the text.
pub fn for_each_stmt<'a>(stmts: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in stmts {
        f(stmt);
        stmt.blocks().into_iter().for_each(|block| for_each_stmt(block, f));
    }
}

/// As [`for_each_stmt`], with what runs where every scan is done in chunks ([`Stmt::chunked_blocks`]).
pub fn for_each_chunked_stmt<'a>(stmts: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in stmts {
        f(stmt);
        stmt.chunked_blocks().into_iter().for_each(|block| for_each_chunked_stmt(block, f));
    }
}

/// Hands every statement to `f`, in the order of the text but after those in its blocks; which of its blocks are looked at,
/// `inside` says: [`Stmt::blocks_mut`] or [`Stmt::bodies_mut`]. What `f` pushes to the statements before it, the statement itself
/// as a rule, takes its place and is not visited.
pub fn rewrite_stmts(
    stmts: &mut Vec<Stmt>,
    inside: fn(&mut Stmt) -> Vec<&mut Vec<Stmt>>,
    f: &mut dyn FnMut(Stmt, &mut Vec<Stmt>),
) {
    for mut stmt in std::mem::take(stmts) {
        inside(&mut stmt).into_iter().for_each(|block| rewrite_stmts(block, inside, f));
        f(stmt, stmts);
    }
}

/// Whether a statement, or one inside, shows a value: it is then executed where it stands, in order.
pub fn has_trace(stmts: &[Stmt]) -> bool {
    any_stmt(stmts, &|stmt| matches!(stmt, Stmt::Trace { .. }))
}

/// Whether a statement, or one inside, is of some kind.
pub fn any_stmt(stmts: &[Stmt], is: &dyn Fn(&Stmt) -> bool) -> bool {
    stmts.iter().any(|stmt| is(stmt) || stmt.blocks().into_iter().any(|block| any_stmt(block, is)))
}
