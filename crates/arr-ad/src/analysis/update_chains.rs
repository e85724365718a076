//! Which states a loop updates in place, and by which statements: the chain of `scatter`s, of `if`s with such chains in
//! their branches, and of `loop`s with such a chain in their body, that leads from the state at the start of an
//! iteration to the state at its end.

use arr_ir::integers::{is_natural, range};
use arr_ir::walk::bound_in_block;
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Stmt, VarId};
use rustc_hash::FxHashSet;

/// A statement of a block that updates an array in place.
pub(crate) struct Link {
    /// Its position in the block.
    pub at: usize,
    /// The array after it.
    pub result: VarId,
    pub update: Update,
}

/// How a statement updates an array in place.
pub(crate) enum Update {
    Write,
    /// An `if`, with the updates in its branches.
    Branch([Vec<Link>; 2]),
    /// A `loop`, with the updates of an iteration. It has at most so many iterations, a number that does not depend on
    /// the loops around it; none if the number is negative.
    Loop(Poly, Vec<Link>),
}

impl Link {
    /// The updates in block `k` of the statement.
    pub fn inside(&self, k: usize) -> &[Link] {
        match &self.update {
            Update::Write => &[],
            Update::Branch(branches) => branches.get(k).map_or(&[], Vec::as_slice),
            Update::Loop(_, links) => links,
        }
    }

    fn writes(&self) -> bool {
        match &self.update {
            Update::Write => true,
            Update::Branch(branches) => branches.iter().flatten().any(Link::writes),
            Update::Loop(_, links) => links.iter().any(Link::writes),
        }
    }
}

/// For each state that is updated in place: the chain of updates from the param to the result. The number of elements
/// that a statement writes must be the same in every iteration.
pub(crate) fn chains(func: &Func, axis: Axis, body: &Block) -> Vec<Option<Vec<Link>>> {
    let finder = Finder { func, bound: bound_inside(axis, body) };
    let chain = |param: VarId, result: Atom| {
        let (base, links) = finder.chain_of(body, result.var()?, &[axis], true);
        (base == param && links.iter().any(Link::writes)).then_some(links)
    };
    body.params.iter().zip(&body.results).map(|(&p, &r)| chain(p, r)).collect()
}

struct Finder<'a> {
    func: &'a Func,
    /// The variables that an iteration of the outermost loop binds.
    bound: FxHashSet<VarId>,
}

impl Finder<'_> {
    /// Follows an array back through the updates of a block in these loops: the array before them, and the updates.
    /// Those of loops are followed where `through_loops`.
    fn chain_of(&self, block: &Block, result: VarId, loops: &[Axis], through_loops: bool) -> (VarId, Vec<Link>) {
        let (mut v, mut links) = (result, Vec::new());
        for (at, stmt) in block.stmts.iter().enumerate().rev() {
            let Some(k) = stmt.vars.iter().position(|w| *w == v) else { continue };
            let found = match &stmt.op {
                Op::Scatter { dest, axes, .. } => {
                    self.writes_as_often(*dest, axes, loops).then_some((*dest, Update::Write))
                }
                Op::If { then_block, else_block, .. } => self.branch([then_block, else_block], k, loops),
                Op::Loop { axis, inits, body, .. } if through_loops => self.inner_loop(*axis, (inits, body), k, loops),
                _ => None,
            };
            let Some((before, update)) = found else { break };
            links.push(Link { at, result: v, update });
            v = before;
        }
        links.reverse();
        (v, links)
    }

    /// Whether a write over these axes writes as many elements in every iteration. What loops inside an iteration
    /// overwrite must have no more axes than the array: kept whole for each iteration, the array would take less memory.
    fn writes_as_often(&self, dest: VarId, axes: &[Axis], loops: &[Axis]) -> bool {
        let fixed = axes.iter().all(|a| self.func.types.poly(a.extent).vars().iter().all(|v| !self.bound.contains(v)));
        let inner = loops.len().saturating_sub(1);
        fixed && (inner == 0 || inner + axes.len() <= self.func.ty(dest).rank())
    }

    /// Result `k` of an `if` with these branches: the array before it, and its updates.
    fn branch(&self, branches: [&Block; 2], k: usize, loops: &[Axis]) -> Option<(VarId, Update)> {
        let [then, other] = branches.map(|branch| match branch.results.get(k) {
            Some(&Atom::Var(r)) => Some(self.chain_of(branch, r, loops, false)),
            _ => None,
        });
        let ((base, then), (same, other)) = (then?, other?);
        (base == same).then_some((base, Update::Branch([then, other])))
    }

    /// State `k` of a loop in an iteration: the array before it, and its updates.
    fn inner_loop(
        &self,
        axis: Axis,
        (inits, body): (&[Atom], &Block),
        k: usize,
        loops: &[Axis],
    ) -> Option<(VarId, Update)> {
        let (&param, before, result) = (body.params.get(k)?, inits.get(k)?.var()?, body.results.get(k)?.var()?);
        let most = self.at_most(axis, loops)?;
        let loops: Vec<Axis> = loops.iter().copied().chain([axis]).collect();
        let (base, links) = self.chain_of(body, result, &loops, true);
        (base == param && links.iter().any(Link::writes)).then_some((before, Update::Loop(most, links)))
    }

    /// How many iterations an inner loop has at most, as a number that does not depend on the loops around.
    fn at_most(&self, axis: Axis, loops: &[Axis]) -> Option<Poly> {
        let mut most = self.func.types.poly(axis.extent).clone();
        for around in loops.iter().rev() {
            most = range(self.func, &most, std::slice::from_ref(around))?.1;
        }
        if most.vars().iter().any(|v| self.bound.contains(v)) {
            return None;
        }
        // `n - 1` may be negative where `n` is zero; `n` serves as well.
        let constant = most.terms.get(&[]).copied().unwrap_or(0);
        let more = most.sub(&Poly::constant(constant.min(0)));
        Some(if is_natural(self.func, &more) { more } else { most })
    }
}

/// A write of a chain.
pub(crate) struct ChainWrite {
    pub stmt: Stmt,
    /// The statements of the blocks around it.
    pub around: Vec<Stmt>,
    /// The axes of the loops inside an iteration that are around it.
    pub loops: Vec<Axis>,
}

/// The writes of a chain; `None` if it belongs to another block.
pub(crate) fn writes_of(block: &Block, links: &[Link], around: &[Stmt], loops: &[Axis]) -> Option<Vec<ChainWrite>> {
    let around: Vec<Stmt> = around.iter().chain(&block.stmts).cloned().collect();
    let mut writes = Vec::new();
    for link in links {
        let stmt = block.stmts.get(link.at)?;
        match (&link.update, &stmt.op) {
            (Update::Write, _) => {
                writes.push(ChainWrite { stmt: stmt.clone(), around: around.clone(), loops: loops.to_vec() });
            }
            (Update::Branch([then, other]), Op::If { then_block, else_block, .. }) => {
                writes.extend(writes_of(then_block, then, &around, loops)?);
                writes.extend(writes_of(else_block, other, &around, loops)?);
            }
            (Update::Loop(_, links), Op::Loop { axis, body, .. }) => {
                let loops: Vec<Axis> = loops.iter().copied().chain([*axis]).collect();
                writes.extend(writes_of(body, links, &around, &loops)?);
            }
            _ => return None,
        }
    }
    Some(writes)
}

/// The variables that an iteration binds.
pub(crate) fn bound_inside(axis: Axis, body: &Block) -> FxHashSet<VarId> {
    let mut bound = FxHashSet::default();
    bound_in_block(body, &mut bound);
    bound.insert(axis.index);
    bound
}
