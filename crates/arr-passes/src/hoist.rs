//! Loop-invariant code motion: moves invariant code out of kernels and loops.
//!
//! ```text
//! y: [n]f64 = build i<n { e: f64 = exp t              e: f64 = exp t
//!   a: f64 = read x[i]; b: f64 = mul e a; yield b }   y: [n]f64 = build i<n { a: f64 = read x[i] ..
//! ```
//!
//! Assumes:      a verified bulk or fused function.
//! Guarantees:   the function is fused (a `build` of one `reduce` may get scalar code in front of it); values and
//!               errors are unchanged; nothing is executed more often, except that code of a kernel without points is
//!               executed once.
//! Leaves alone: code that may fail or not terminate, reads (an index is known to be inside only where the kernel
//!               runs), branches of an `if`, filled arrays (each scatter wants its own), kernels in kernels (see
//!               `bot`).
//! Cost:         O(statements x nesting depth).
//! Paper:        Aho et al., "Compilers: Principles, Techniques, and Tools", section 9.5.
//! Tests:        tests/hoist/

use arr_ir::rewrite::any_op;
use arr_ir::walk::{free_vars, may_fail_deep, may_run_forever};
use arr_ir::{Block, Func, Op, SizeId, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Moves invariant code out of kernels and loops, in place.
pub fn hoist(func: &mut Func) {
    let body = std::mem::take(&mut func.body);
    let mut hoister = Hoister { func, open: Vec::new(), levels: FxHashMap::default(), broken: None };
    let body = hoister.block(body, BlockKind::Fixed);
    let broken = hoister.broken;
    func.body = body;
    func.broken.extend(broken);
}

/// The role of a block for the code in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    /// Code does not leave it.
    Fixed,
    Kernel,
    Loop,
}

struct Hoister<'f> {
    func: &'f Func,
    /// Statements of the open blocks, outermost first.
    open: Vec<(BlockKind, Vec<Stmt>)>,
    /// How many blocks are open where a variable is visible; parameters are visible in all.
    levels: FxHashMap<VarId, usize>,
    /// A statement had no block to stand in.
    broken: Option<&'static str>,
}

impl Hoister<'_> {
    fn block(&mut self, block: Block, kind: BlockKind) -> Block {
        self.open.push((kind, Vec::new()));
        self.bind(&block.params);
        for stmt in block.stmts {
            self.stmt(stmt);
        }
        let Some((_, stmts)) = self.open.pop() else {
            self.broken = Some("a block that is closed was not open");
            return Block::default();
        };
        Block { params: block.params, stmts, results: block.results }
    }

    fn bind(&mut self, vars: &[VarId]) {
        let level = self.open.len();
        self.levels.extend(vars.iter().map(|&v| (v, level)));
    }

    fn stmt(&mut self, mut stmt: Stmt) {
        let kind = match &stmt.op {
            Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. } => BlockKind::Kernel,
            Op::Loop { .. } | Op::While { .. } => BlockKind::Loop,
            _ => BlockKind::Fixed,
        };
        let axes: Vec<VarId> = stmt.op.axes().iter().map(|a| a.index).collect();
        // Indices are bound where the body is.
        self.levels.extend(axes.iter().map(|&v| (v, self.open.len() + 1)));
        for block in stmt.op.blocks_mut() {
            *block = self.block(std::mem::take(block), kind);
        }
        let target = self.target(&stmt);
        self.levels.extend(stmt.vars.iter().map(|&v| (v, target)));
        match target.checked_sub(1).and_then(|at| self.open.get_mut(at)) {
            Some((_, stmts)) => stmts.push(stmt),
            None => self.broken = Some("a statement stands in no open block"),
        }
    }

    /// The outermost block, counted from 1, in which the statement may stand.
    fn target(&self, stmt: &Stmt) -> usize {
        let here = self.open.len();
        let Some(leaves) = self.movable(stmt) else { return here };
        let mut needed = 1;
        for v in free_vars(self.func, &stmt.op) {
            needed = needed.max(self.levels.get(&v).copied().unwrap_or(1));
        }
        let mut target = here;
        while target > needed && self.open.get(target - 1).is_some_and(|(kind, _)| leaves(*kind)) {
            target -= 1;
        }
        target
    }

    /// Which blocks the statement may leave, if any.
    fn movable(&self, stmt: &Stmt) -> Option<fn(BlockKind) -> bool> {
        if may_fail_deep(self.func, &stmt.op) || may_run_forever(&stmt.op) {
            return None;
        }
        match &stmt.op {
            Op::Prim(..) | Op::Size(_) => Some(|kind| kind != BlockKind::Fixed),
            Op::Build { body, .. } if body.stmts.is_empty() => None,
            Op::Build { .. } | Op::Reduce { .. } if reads_inside(self.func, &stmt.op) => {
                Some(|kind| kind == BlockKind::Loop)
            }
            _ => None,
        }
    }
}

/// Whether every read of a kernel is inside its array by the extents of the kernel alone: its indices are the kernel's
/// own. Other indices may be inside only because of a check in the loop, or because the loop runs at all.
pub(crate) fn reads_inside(func: &Func, op: &Op) -> bool {
    let mut extents: FxHashMap<VarId, SizeId> = FxHashMap::default();
    !any_op(op, &mut |op| {
        extents.extend(op.axes().iter().map(|a| (a.index, a.extent)));
        let Op::Read { array, index, .. } = op else { return false };
        let dims = &func.ty(*array).dims;
        !index.iter().zip(dims).all(|(i, dim)| i.var().and_then(|v| extents.get(&v)) == Some(dim))
    })
}
