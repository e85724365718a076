//! The checks that printed code needs: it has one at every index and every size by itself, so that only those stay whose
//! condition nothing else asks for.

use arr_ir::{Atom, Axis, Block, Check, Const, Func, Op, SizeId, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Removes the checks that the printed code makes by itself.
pub fn prune(func: &mut Func) {
    let mut least = FxHashMap::default();
    uses(func, &func.body, 0, &mut least);
    let mut body = std::mem::take(&mut func.body);
    block(func, &least, &mut body, 0);
    func.body = body;
}

/// How many blocks are around the least nested use of each variable.
type Least = FxHashMap<VarId, u32>;

fn uses(func: &Func, block: &Block, depth: u32, least: &mut Least) {
    let mut used = |v: VarId| {
        let known = least.entry(v).or_insert(depth);
        *known = depth.min(*known);
    };
    for stmt in &block.stmts {
        if !matches!(stmt.op, Op::Check { .. }) {
            stmt.op.operands().iter().filter_map(|a| a.var()).for_each(&mut used);
            stmt.op.sizes().iter().flat_map(|&s| func.types.poly(s).vars()).for_each(&mut used);
        }
    }
    block.results.iter().filter_map(|a| a.var()).for_each(&mut used);
    for stmt in &block.stmts {
        let inner = depth + u32::from(!runs_once(&stmt.op));
        stmt.op.blocks().into_iter().for_each(|block| uses(func, block, inner, least));
    }
}

/// Whether the blocks of an operation run exactly once.
fn runs_once(op: &Op) -> bool {
    matches!(op, Op::Scatter { axes, .. } if axes.is_empty())
}

fn block(func: &Func, least: &Least, block: &mut Block, depth: u32) {
    for stmt in &mut block.stmts {
        let inner = depth + u32::from(!runs_once(&stmt.op));
        stmt.op.blocks_mut().into_iter().for_each(|b| self::block(func, least, b, inner));
    }
    let asked = Asked::new(func, least, block, depth);
    let needed = |stmt: &Stmt| match &stmt.op {
        Op::Check { kind, args } => !asked.asks(func, *kind, args),
        // A kernel of checks alone.
        Op::Build { body, .. } if stmt.vars.is_empty() => !body.stmts.is_empty(),
        _ => true,
    };
    let keep: Vec<bool> = block.stmts.iter().map(needed).collect();
    let mut keep = keep.into_iter();
    block.stmts.retain(|_| keep.next().unwrap_or(true));
}

/// The conditions that the printed form of a block's own statements asks for whenever the block runs.
#[derive(Default)]
struct Asked {
    /// Indices, and the extents that they are within.
    indices: Vec<(Atom, SizeId)>,
    /// Extents of arrays that are made.
    extents: Vec<SizeId>,
    /// Extents of reductions that need a point.
    points: Vec<SizeId>,
}

impl Asked {
    fn new(func: &Func, least: &Least, block: &Block, depth: u32) -> Asked {
        let mut asked = Asked::default();
        let here = |stmt: &Stmt| stmt.vars.iter().any(|v| least.get(v) == Some(&depth));
        for stmt in block.stmts.iter().filter(|stmt| here(stmt)) {
            asked.add(func, stmt);
        }
        asked
    }

    fn add(&mut self, func: &Func, stmt: &Stmt) {
        let extents = |axes: &[Axis]| axes.iter().map(|axis| axis.extent).collect::<Vec<_>>();
        match &stmt.op {
            Op::Read { array, index, .. } => {
                self.indices.extend(index.iter().copied().zip(func.ty(*array).dims.iter().copied()));
            }
            Op::Build { axes, .. } => self.extents.extend(extents(axes)),
            Op::Reduce { kind, axes, .. } => {
                self.extents.extend(extents(axes));
                if !kind.has_identity() {
                    self.points.extend(extents(axes));
                }
            }
            Op::Scatter { dest, axes, body, .. } if axes.is_empty() => {
                let dims = &func.ty(*dest).dims;
                if let [Atom::Const(Const::Bool(true)), rest @ ..] = body.results.as_slice() {
                    self.indices.extend(rest.iter().copied().zip(dims.iter().copied()));
                }
            }
            _ => {}
        }
    }

    fn asks(&self, func: &Func, kind: Check, args: &[Atom]) -> bool {
        let same = |size: &SizeId, atom: Atom| {
            let poly = func.types.poly(*size);
            atom.var()
                .map_or(atom.constant().and_then(|c| c.as_i64()) == poly.as_constant(), |v| poly.as_var() == Some(v))
        };
        match (kind, args) {
            (Check::Index, &[index, extent]) => self.indices.iter().any(|(i, n)| *i == index && same(n, extent)),
            (Check::SizeNonNeg, &[size]) => self.extents.iter().any(|n| same(n, size)),
            (Check::NonEmpty, &[size]) => self.points.iter().any(|n| same(n, size)),
            // What has no expression of its own.
            (Check::SizeEq, _) => true,
            _ => false,
        }
    }
}
