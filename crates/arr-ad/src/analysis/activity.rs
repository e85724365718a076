//! Which variables depend on the differentiated inputs: reachability in the graph of the flow of floats.
//!
//! The graph has an edge from every float operand to every float result that changes with it, through the blocks of
//! kernels, branches and loops. It is built and searched once per derivative, in time linear in the code; variables of
//! code that is copied later are active if their originals are.

use arr_ir::walk::Subst;
use arr_ir::{Atom, Block, Func, Op, Prim, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables that depend on the differentiated inputs. All are floats.
#[derive(Default, Debug)]
pub(crate) struct Active {
    vars: FxHashSet<VarId>,
}

impl Active {
    /// The variables of a block that depend on its params.
    pub fn of(func: &Func, block: &Block) -> Active {
        Active::from(func, block, block.params.clone())
    }

    /// The variables of a block that depend on the given ones of its params.
    pub fn from(func: &Func, block: &Block, params: Vec<VarId>) -> Active {
        let next = flow(func, block);
        let mut active = Active::default();
        let mut work: Vec<VarId> = params.into_iter().filter(|&p| func.ty(p).elem.is_float()).collect();
        while let Some(v) = work.pop() {
            if active.vars.insert(v) {
                work.extend(next.get(&v).into_iter().flatten());
            }
        }
        active
    }

    pub fn contains(&self, var: VarId) -> bool {
        self.vars.contains(&var)
    }

    pub fn has(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|v| self.contains(v))
    }

    /// For each of the variables, whether it is active.
    pub fn flags(&self, vars: &[VarId]) -> Vec<bool> {
        vars.iter().map(|&v| self.contains(v)).collect()
    }

    pub fn mark(&mut self, var: VarId) {
        self.vars.insert(var);
    }

    /// Marks the copies of active variables; `subst` maps originals to copies.
    #[expect(clippy::iter_over_hash_type, reason = "a set is the same whatever the order of insertion")]
    pub fn copied(&mut self, subst: &Subst) {
        for (old, new) in &subst.map {
            if let Atom::Var(new) = new
                && self.vars.contains(old)
            {
                self.vars.insert(*new);
            }
        }
    }
}

/// For each float variable of a block, the float variables that change with it.
pub(crate) fn flow(func: &Func, block: &Block) -> FxHashMap<VarId, Vec<VarId>> {
    let mut flow = Flow { func, next: FxHashMap::default() };
    flow.block(block);
    flow.next
}

struct Flow<'f> {
    func: &'f Func,
    next: FxHashMap<VarId, Vec<VarId>>,
}

impl Flow<'_> {
    fn edge(&mut self, from: Atom, to: VarId) {
        if let Atom::Var(v) = from
            && self.func.ty(v).elem.is_float()
            && self.func.ty(to).elem.is_float()
        {
            self.next.entry(v).or_default().push(to);
        }
    }

    /// Edges from each operand to the variable at the same position.
    fn pairwise(&mut self, from: &[Atom], to: &[VarId]) {
        for (&a, &v) in from.iter().zip(to) {
            self.edge(a, v);
        }
    }

    fn every(&mut self, from: &[Atom], to: &[VarId]) {
        for &a in from {
            to.iter().for_each(|&v| self.edge(a, v));
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let vars = stmt.vars.as_slice();
        match &stmt.op {
            Op::Prim(prim, args) if !is_step(*prim) => self.every(args, vars),
            Op::Read { array, .. } | Op::Reshape(array) => self.every(&[Atom::Var(*array)], vars),
            Op::Barrier(args) => self.pairwise(args, vars),
            Op::Build { body, .. } | Op::Reduce { body, .. } => {
                self.block(body);
                self.pairwise(&body.results, vars);
            }
            Op::Scatter { dest, body, .. } => {
                self.block(body);
                self.every(&[Atom::Var(*dest)], vars);
                self.every(body.results.last().map_or(&[], std::slice::from_ref), vars);
            }
            Op::Loop { inits, body, .. } | Op::While { inits, body, .. } => {
                self.block(body);
                self.pairwise(inits, &body.params);
                self.pairwise(&body.results, &body.params);
                let state: Vec<Atom> = body.params.iter().copied().map(Atom::Var).collect();
                self.pairwise(&state, vars);
            }
            Op::If { then_block, else_block, .. } => {
                for block in [then_block, else_block] {
                    self.block(block);
                    self.pairwise(&block.results, vars);
                }
            }
            // A declared rule may relate any result to any input.
            Op::Custom { inputs, body, .. } => {
                self.block(body);
                self.pairwise(inputs, &body.params);
                self.every(inputs, vars);
            }
            // It has no derivative: active ones are refused by the sweep.
            Op::Call { args, .. } => self.every(args, vars),
            // Nested derivatives have been eliminated.
            Op::Prim(..) | Op::Size(_) | Op::Literal(_) | Op::Argsort(_) | Op::Check { .. } | Op::Trace { .. } => {}
            Op::StopGradient(_) | Op::Vjp { .. } | Op::Jvp { .. } => {}
        }
    }
}

/// Primitives whose float results are constant between jumps.
fn is_step(prim: Prim) -> bool {
    matches!(prim, Prim::Sign | Prim::Floor | Prim::Ceil | Prim::Round)
}
