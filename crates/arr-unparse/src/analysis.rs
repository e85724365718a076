//! Uses of variables, which decide whether an operation gets a name or is inlined at its use.

use arr_ir::{Atom, Block, Func, Op, ScatterKind, SizeId, VarId};
use rustc_hash::FxHashMap;

/// Facts about a variable.
#[derive(Clone, Copy, Default, Debug)]
pub struct Use {
    pub count: u32,
    /// The number of loops, branches and kernels around the definition, and the maximal number around a use.
    pub bound_depth: u32,
    pub use_depth: u32,
    /// Whether it is part of a size. Written twice, an element or a conversion is two sizes.
    pub is_size: bool,
}

#[derive(Debug)]
pub struct Uses {
    uses: FxHashMap<VarId, Use>,
}

impl Uses {
    pub fn new(func: &Func) -> Uses {
        let mut counter = Counter { func, uses: FxHashMap::default(), depth: 0 };
        counter.block(&func.body);
        Uses { uses: counter.uses }
    }

    pub fn get(&self, v: VarId) -> Use {
        self.uses.get(&v).copied().unwrap_or_default()
    }
}

struct Counter<'f> {
    func: &'f Func,
    uses: FxHashMap<VarId, Use>,
    depth: u32,
}

impl Counter<'_> {
    fn atom(&mut self, atom: Atom) {
        if let Atom::Var(v) = atom {
            let depth = self.depth;
            let entry = self.uses.entry(v).or_default();
            entry.count += 1;
            entry.use_depth = entry.use_depth.max(depth);
        }
    }

    fn size(&mut self, size: SizeId) {
        for v in self.func.types.poly(size).vars() {
            self.atom(Atom::Var(v));
            self.uses.entry(v).or_default().is_size = true;
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            for &v in &stmt.vars {
                self.uses.entry(v).or_default().bound_depth = self.depth;
            }
            self.op(&stmt.op);
            if let Op::Reshape(_) = stmt.op {
                for &v in &stmt.vars {
                    self.func.ty(v).dims.iter().for_each(|&d| self.size(d));
                }
            }
        }
        block.results.iter().for_each(|&a| self.atom(a));
    }

    fn op(&mut self, op: &Op) {
        if !matches!(op, Op::Trace { .. }) {
            op.operands().into_iter().for_each(|a| self.atom(a));
        }
        op.sizes().into_iter().for_each(|s| self.size(s));
        let inner = u32::from(matches!(op, Op::While { .. } | Op::If { .. }) || !op.axes().is_empty());
        self.depth += inner;
        for block in op.blocks() {
            self.block(block);
            // `a with [i] = a[i] + v` writes the array and the index twice.
            if let Op::Scatter { kind: ScatterKind::Add, dest, .. } = op {
                self.atom(Atom::Var(*dest));
                let index = block.results.len().saturating_sub(1);
                block.results.iter().take(index).skip(1).for_each(|&a| self.atom(a));
            }
        }
        self.depth -= inner;
    }
}
