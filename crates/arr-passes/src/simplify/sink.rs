//! Code sinking: moves scalar code that only one branch of an `if` uses into that branch, where it runs only if needed
//! and where the condition is known.
//!
//! One walk numbers the blocks; a second goes backwards through each block, so that the operands of moved code move
//! along. Reads move only inside kernels: between statements that make arrays, a later read could need an array whose
//! storage is taken over in between.

use arr_ir::{Atom, Block, Func, Op, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Whether anything moved.
pub(super) fn sink(func: &mut Func) -> bool {
    let mut body = std::mem::take(&mut func.body);
    let mut sinker = Sinker { func, blocks: Vec::new(), homes: FxHashMap::default(), moved: FxHashMap::default() };
    sinker.blocks.push(Home { parent: 0, depth: 0, branch: false });
    sinker.block(&mut body, 0, false);
    let moved = !sinker.moved.is_empty();
    sinker.place(&mut body, &mut 0);
    func.body = body;
    moved
}

/// A block in the tree of blocks.
struct Home {
    parent: usize,
    depth: usize,
    /// Whether it is a branch of an `if`.
    branch: bool,
}

struct Sinker<'f> {
    func: &'f Func,
    blocks: Vec<Home>,
    /// The innermost block around all uses of a variable seen so far.
    homes: FxHashMap<VarId, usize>,
    /// Statements to put in front of a block, last first.
    moved: FxHashMap<usize, Vec<Stmt>>,
}

impl Sinker<'_> {
    fn used(&mut self, v: VarId, block: usize) {
        let home = match self.homes.get(&v) {
            Some(&known) => self.common(known, block),
            None => block,
        };
        self.homes.insert(v, home);
    }

    /// The innermost block around both.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        let depth = |n: usize| self.blocks.get(n).map_or(0, |h| h.depth);
        let parent = |n: usize| self.blocks.get(n).map_or(0, |h| h.parent);
        while a != b {
            // The function's body is around everything.
            if a == 0 || b == 0 {
                return 0;
            }
            if depth(a) >= depth(b) {
                a = parent(a);
            } else {
                b = parent(b);
            }
        }
        a
    }

    fn uses(&mut self, stmt: &Stmt, block: usize) {
        for a in stmt.op.operands() {
            self.used_atom(a, block);
        }
        let dims = stmt.vars.iter().flat_map(|&v| self.func.ty(v).dims.clone());
        for size in stmt.op.sizes().into_iter().chain(dims) {
            for v in self.func.types.poly(size).vars() {
                self.used(v, block);
            }
        }
    }

    fn used_atom(&mut self, atom: Atom, block: usize) {
        if let Atom::Var(v) = atom {
            self.used(v, block);
        }
    }

    /// Goes backwards through a block and removes the statements that belong into a branch. Blocks are numbered on the
    /// way.
    fn block(&mut self, block: &mut Block, number: usize, kernel: bool) {
        for &a in &block.results {
            self.used_atom(a, number);
        }
        let mut kept = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts).into_iter().rev() {
            if let Some(target) = self.target(&stmt, number, kernel) {
                self.uses(&stmt, target);
                self.moved.entry(target).or_default().push(stmt);
                continue;
            }
            self.uses(&stmt, number);
            self.nested(&mut stmt, number, kernel);
            kept.push(stmt);
        }
        kept.reverse();
        block.stmts = kept;
    }

    fn nested(&mut self, stmt: &mut Stmt, number: usize, kernel: bool) {
        let branch = matches!(stmt.op, Op::If { .. });
        let kernel = kernel || stmt.op.is_kernel();
        let depth = self.blocks.get(number).map_or(0, |h| h.depth) + 1;
        for inner in stmt.op.blocks_mut().into_iter().rev() {
            self.blocks.push(Home { parent: number, depth, branch });
            let inner_number = self.blocks.len() - 1;
            self.block(inner, inner_number, kernel);
        }
    }

    /// The branch into which a statement of block `number` moves, if any.
    fn target(&self, stmt: &Stmt, number: usize, kernel: bool) -> Option<usize> {
        let movable = match &stmt.op {
            Op::Prim(..) | Op::Size(_) => true,
            Op::Read { .. } => kernel,
            _ => false,
        };
        // Code that can stop the program does so whichever branch is taken.
        let movable = movable && !stmt.op.may_fail(self.func);
        let [v] = stmt.vars.as_slice() else { return None };
        let home = *self.homes.get(v)?;
        if !movable || home == number {
            return None;
        }
        // Outward from the uses: a block that is not a branch runs more often than the block around it, and is left.
        let (mut at, mut target) = (home, home);
        while at != number {
            let block = self.blocks.get(at)?;
            at = block.parent;
            if !block.branch {
                target = at;
            }
            if at == 0 && number != 0 {
                return None;
            }
        }
        (target != number).then_some(target)
    }

    /// Puts removed statements where they belong; blocks come in the order in which they were numbered.
    fn place(&mut self, block: &mut Block, count: &mut usize) {
        let number = *count;
        for stmt in block.stmts.iter_mut().rev() {
            for inner in stmt.op.blocks_mut().into_iter().rev() {
                *count += 1;
                self.place(inner, count);
            }
        }
        if let Some(mut stmts) = self.moved.remove(&number) {
            stmts.reverse();
            stmts.append(&mut block.stmts);
            block.stmts = stmts;
        }
    }
}
