//! The walks over nested blocks: the one place that decides which blocks and statements a walk visits, and in which
//! order. A pass only says what it does with one of them.
//!
//! | walk | visits | order |
//! |---|---|---|
//! | [`rewrite_blocks`] | the blocks into which [`Enter`] leads, to change their lists of statements | inner blocks first |
//! | [`rewrite_blocks_outer_first`] | the same | outer blocks first |
//! | [`rewrite_stmts`] | the statements of these blocks, to put others in their place | program order, blocks before their statement |
//! | [`for_each_op`], [`for_each_stmt`], [`for_each_block`], [`any_op`] | everything, bodies of kernels and derivatives too | program order, outer first |
//! | [`for_each_stmt_mut`], [`for_each_block_mut`] | the same, to change it in place | the same |
//!
//! Tests: tests/rewrite.rs

use crate::{Block, Func, Op, Repeats, Stmt, is_scalar_code};

/// The set of statements whose blocks a walk enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enter {
    /// `loop`, `while` and `if`: the control flow around kernels. Neither kernels nor the blocks of `vjp`, `jvp` and
    /// `custom`.
    Control,
    /// Like `Control`, without an `if` that is scalar code: fusion treats it as one statement of a kernel.
    ArrayControl,
    /// Everything except kernels: control flow and the blocks of `vjp`, `jvp` and `custom`.
    OutsideKernels,
    /// Everything, bodies of kernels too.
    All,
}

impl Enter {
    /// Whether the walk enters the blocks of the statement.
    pub fn enters(self, func: &Func, stmt: &Stmt) -> bool {
        match (self, &stmt.op) {
            (Enter::Control | Enter::ArrayControl, Op::Loop { .. } | Op::While { .. })
            | (Enter::Control, Op::If { .. }) => true,
            (Enter::ArrayControl, Op::If { .. }) => !is_scalar_code(func, stmt, Repeats::Reductions),
            (Enter::Control | Enter::ArrayControl, _) => false,
            (Enter::OutsideKernels, op) => !op.is_kernel(),
            (Enter::All, _) => true,
        }
    }
}

/// Passes every block to `f`, inner blocks first and the function's body last. The function has no body meanwhile.
pub fn rewrite_blocks(func: &mut Func, enter: Enter, f: &mut dyn FnMut(&mut Func, &mut Block)) {
    fn walk(func: &mut Func, enter: Enter, block: &mut Block, f: &mut dyn FnMut(&mut Func, &mut Block)) {
        for stmt in &mut block.stmts {
            if enter.enters(func, stmt) {
                stmt.op.blocks_mut().into_iter().for_each(|inner| walk(func, enter, inner, f));
            }
        }
        f(func, block);
    }
    let mut body = std::mem::take(&mut func.body);
    walk(func, enter, &mut body, f);
    func.body = body;
}

/// Like [`rewrite_blocks`], the function's body first: the walk continues in the blocks of statements that `f` leaves.
pub fn rewrite_blocks_outer_first(func: &mut Func, enter: Enter, f: &mut dyn FnMut(&mut Func, &mut Block)) {
    fn walk(func: &mut Func, enter: Enter, block: &mut Block, f: &mut dyn FnMut(&mut Func, &mut Block)) {
        f(func, block);
        for stmt in &mut block.stmts {
            if enter.enters(func, stmt) {
                stmt.op.blocks_mut().into_iter().for_each(|inner| walk(func, enter, inner, f));
            }
        }
    }
    let mut body = std::mem::take(&mut func.body);
    walk(func, enter, &mut body, f);
    func.body = body;
}

/// Passes every statement to `f`, in program order but after those in its blocks. The statements that `f` pushes to
/// those before it, normally the statement itself, replace it and are not visited. The function has no body meanwhile.
pub fn rewrite_stmts(func: &mut Func, enter: Enter, f: &mut dyn FnMut(&mut Func, Stmt, &mut Vec<Stmt>)) {
    fn walk(func: &mut Func, enter: Enter, block: &mut Block, f: &mut dyn FnMut(&mut Func, Stmt, &mut Vec<Stmt>)) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            if enter.enters(func, &stmt) {
                stmt.op.blocks_mut().into_iter().for_each(|inner| walk(func, enter, inner, f));
            }
            f(func, stmt, &mut block.stmts);
        }
    }
    let mut body = std::mem::take(&mut func.body);
    walk(func, enter, &mut body, f);
    func.body = body;
}

/// Calls `f` with the operation, then with every operation in its blocks.
pub fn for_each_op<'a>(op: &'a Op, f: &mut dyn FnMut(&'a Op)) {
    f(op);
    op.blocks().into_iter().for_each(|block| for_each_stmt(&block.stmts, &mut |stmt| f(&stmt.op)));
}

/// Whether the operation, or one in its blocks, satisfies the predicate. The walk stops at the first match.
pub fn any_op(op: &Op, is: &mut dyn FnMut(&Op) -> bool) -> bool {
    is(op) || op.blocks().into_iter().any(|block| block.stmts.iter().any(|stmt| any_op(&stmt.op, is)))
}

/// Calls `f` with each statement, followed by all statements in its blocks.
pub fn for_each_stmt<'a>(stmts: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in stmts {
        f(stmt);
        stmt.op.blocks().into_iter().for_each(|block| for_each_stmt(&block.stmts, f));
    }
}

/// Calls `f` with the block, then with all blocks in it.
pub fn for_each_block<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Block)) {
    f(block);
    block.stmts.iter().flat_map(|stmt| stmt.op.blocks()).for_each(|inner| for_each_block(inner, f));
}

/// Like [`for_each_stmt`], to change the statements: the walk continues in the blocks that `f` leaves.
pub fn for_each_stmt_mut(stmts: &mut [Stmt], f: &mut dyn FnMut(&mut Stmt)) {
    for stmt in stmts {
        f(stmt);
        stmt.op.blocks_mut().into_iter().for_each(|block| for_each_stmt_mut(&mut block.stmts, f));
    }
}

/// Like [`for_each_block`], to change the blocks.
pub fn for_each_block_mut(block: &mut Block, f: &mut dyn FnMut(&mut Block)) {
    f(block);
    block.stmts.iter_mut().flat_map(|stmt| stmt.op.blocks_mut()).for_each(|inner| for_each_block_mut(inner, f));
}
