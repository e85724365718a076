//! Reverse mode of scalar code: the body of one kernel.
//!
//! Naming: `ct` is a cotangent. A cotangent is *selective* when it may be the exact zero of something that was not
//! selected; products with it are then written so that the zero wins over infinite partial derivatives.

use crate::code::{CodeBuilder, copy_block, d_name, needed};
use crate::error::AdError;
use crate::reverse::cotangents::Ct;
use crate::table::{Partial, partial, times};
use arr_base::Span;
use arr_ir::walk::{Subst, bound_in_block};
use arr_ir::{Atom, Block, Const, Op, Prim, Scalar, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The cotangent of one element read.
#[derive(Clone, Debug)]
pub(crate) struct ReadAdjoint {
    pub array: VarId,
    pub index: Vec<Atom>,
    /// Whether the branch of the read was taken, if it was in one. If not, the cotangent is zero.
    pub guard: Option<Atom>,
    pub ct: Ct,
    /// The span of the read.
    pub span: Option<Span>,
}

/// The contributions of scalar code to values from outside.
#[derive(Debug, Default)]
pub(crate) struct Adjoint {
    pub reads: Vec<ReadAdjoint>,
    /// Scalars from outside, each once, in order of first contribution.
    pub scalars: Vec<(VarId, Ct)>,
}

/// The cotangents of the variables of one block while it is swept backwards.
#[derive(Default)]
struct Cts {
    map: FxHashMap<VarId, Ct>,
    order: Vec<VarId>,
}

impl Cts {
    fn add(&mut self, code: &mut CodeBuilder<'_>, var: VarId, ct: Ct) {
        match self.map.get(&var).copied() {
            None => {
                self.order.push(var);
                self.map.insert(var, ct);
            }
            Some(old) => {
                let name = d_name(code.func, var);
                let atom = code.prim(Prim::Add, &[old.atom, ct.atom], &name);
                self.map.insert(var, Ct { atom, selective: old.selective && ct.selective });
            }
        }
    }
}

/// Writes the reverse sweep of `stmts`, which are already in `code` or around it, for the given cotangents of their
/// values. `active` says which variables depend on the inputs. Fails with [`AdError::NoRule`] where a statement has no
/// derivative rule.
pub(crate) fn reverse_scalar(
    code: &mut CodeBuilder<'_>,
    stmts: &[Stmt],
    seeds: &[(Atom, Ct)],
    active: &dyn Fn(VarId) -> bool,
) -> Result<Adjoint, AdError> {
    let mut cts = Cts::default();
    let mut adjoint = Adjoint::default();
    // The variables of the block that depend on something active.
    let mut local: FxHashSet<VarId> = FxHashSet::default();
    for stmt in stmts {
        if depends(stmt, &|v| local.contains(&v) || active(v)) {
            local.extend(stmt.vars.iter().copied().filter(|v| code.func.ty(*v).elem.is_float()));
        }
    }
    let is_active = |v: VarId| local.contains(&v) || active(v);
    for (atom, ct) in seeds {
        if let Atom::Var(v) = atom
            && is_active(*v)
        {
            cts.add(code, *v, *ct);
        }
    }
    for stmt in stmts.iter().rev() {
        code.span = stmt.span.or(code.span);
        reverse_stmt(code, stmt, &mut cts, &mut adjoint, &is_active)?;
    }
    let mut own = FxHashSet::default();
    for stmt in stmts {
        own.extend(stmt.vars.iter().copied());
    }
    for v in &cts.order {
        if let Some(ct) = cts.map.get(v)
            && !own.contains(v)
        {
            adjoint.scalars.push((*v, *ct));
        }
    }
    Ok(adjoint)
}

/// Whether a statement's float results depend on something active.
pub(crate) fn depends(stmt: &Stmt, active: &dyn Fn(VarId) -> bool) -> bool {
    if matches!(stmt.op, Op::StopGradient(_) | Op::Check { .. } | Op::Trace { .. } | Op::Size(_) | Op::Literal(_)) {
        return false;
    }
    let operand = match &stmt.op {
        // Nothing is differentiated through an index or a condition.
        Op::Read { array, .. } => active(*array),
        Op::If { .. } => false,
        _ => stmt.op.operands().iter().any(|a| a.var().is_some_and(active)),
    };
    operand || stmt.op.blocks().iter().any(|b| block_depends(b, active))
}

/// Whether a block's results may depend on something active. Conservative: true if any statement or result does.
pub(crate) fn block_depends(block: &Block, active: &dyn Fn(VarId) -> bool) -> bool {
    let mut local: FxHashSet<VarId> = FxHashSet::default();
    let mut any = false;
    for stmt in &block.stmts {
        if depends(stmt, &|v| local.contains(&v) || active(v)) {
            any = true;
            local.extend(&stmt.vars);
        }
    }
    any || block.results.iter().any(|a| a.var().is_some_and(active))
}

fn reverse_stmt(
    code: &mut CodeBuilder<'_>,
    stmt: &Stmt,
    cts: &mut Cts,
    adjoint: &mut Adjoint,
    active: &dyn Fn(VarId) -> bool,
) -> Result<(), AdError> {
    let ct_of = |cts: &Cts, v: &VarId| cts.map.get(v).copied();
    match (&stmt.op, stmt.vars.as_slice()) {
        (Op::Prim(prim, args), [y]) => {
            let Some(ct) = ct_of(cts, y) else { return Ok(()) };
            for (k, arg) in args.iter().enumerate() {
                let Atom::Var(v) = arg else { continue };
                let elem = code.func.ty(*v).elem;
                if !elem.is_float() || !active(*v) {
                    continue;
                }
                let row = partial(code, *prim, args, Atom::Var(*y), k)
                    .ok_or(AdError::NoRule { what: prim.name(), span: stmt.span })?;
                let selects = matches!(row, Partial::Where(_) | Partial::Unless(_) | Partial::TimesZero(_));
                if let Some(atom) = times(code, ct.atom, row, elem, ct.selective) {
                    cts.add(code, *v, Ct { atom, selective: ct.selective || selects });
                }
            }
            Ok(())
        }
        (Op::Read { array, index, .. }, [y]) => {
            if let Some(ct) = ct_of(cts, y)
                && active(*array)
            {
                adjoint.reads.push(ReadAdjoint {
                    array: *array,
                    index: index.clone(),
                    guard: None,
                    ct,
                    span: stmt.span,
                });
            }
            Ok(())
        }
        (Op::If { cond, then_block, else_block }, vars) => {
            let seeds: Vec<Option<Ct>> = vars.iter().map(|v| ct_of(cts, v)).collect();
            if seeds.iter().all(Option::is_none) {
                return Ok(());
            }
            reverse_if(code, *cond, [then_block, else_block], &seeds, cts, adjoint, active)
        }
        (Op::Size(_) | Op::Check { .. } | Op::Trace { .. } | Op::StopGradient(_), _) => Ok(()),
        _ => Err(AdError::NoRule { what: "this operation inside a kernel", span: stmt.span }),
    }
}

/// One branch run backwards: its code, recomputed and then swept, and its contributions.
struct Branch {
    stmts: Vec<Stmt>,
    adjoint: Adjoint,
    bound: FxHashSet<VarId>,
}

/// Writes the reverse of a lazy `if`: a lazy `if` that runs only the branch taken backwards.
fn reverse_if(
    code: &mut CodeBuilder<'_>,
    cond: Atom,
    blocks: [&Block; 2],
    seeds: &[Option<Ct>],
    cts: &mut Cts,
    adjoint: &mut Adjoint,
    active: &dyn Fn(VarId) -> bool,
) -> Result<(), AdError> {
    let mut branches = Vec::new();
    for block in blocks {
        let (stmts, inner) = code.nested(|code| reverse_branch(code, block, seeds, active));
        let mut bound = FxHashSet::default();
        bound_in_block(&Block { params: Vec::new(), stmts: stmts.clone(), results: Vec::new() }, &mut bound);
        branches.push(Branch { stmts, adjoint: inner?, bound });
    }
    let (Some(other), Some(then)) = (branches.pop(), branches.pop()) else {
        return code.broken("an `if` has not two branches");
    };
    let mut joined = Joined::default();
    let scalars = joined.scalars(code, &then, &other);
    let reads = joined.reads(code, &then, &other);
    // Values that the sweeps do not need are left out at once: a chain of branches would copy them at each of its
    // links.
    let block = |stmts: Vec<Stmt>, results: Vec<Atom>| {
        let stmts = needed(code.func, stmts, &results);
        Block { params: Vec::new(), stmts, results }
    };
    let then_block = block(then.stmts, joined.then_results);
    let else_block = block(other.stmts, joined.else_results);
    let results = code.if_(cond, then_block, else_block, "d");
    let at = |code: &mut CodeBuilder<'_>, slot: usize| match results.get(slot) {
        Some(&atom) => atom,
        None => code.func.broken(Atom::bool(false), "the reverse of an `if` has fewer results"),
    };
    for (v, slot, selective) in scalars {
        let atom = at(code, slot);
        cts.add(code, v, Ct { atom, selective });
    }
    for slot in reads {
        let index = slot.index.iter().map(|i| i.unwrap_or_else(|inner| at(code, inner))).collect();
        let (guard, atom) = (Some(at(code, slot.guard)), at(code, slot.ct));
        let ct = Ct { atom, selective: true };
        adjoint.reads.push(ReadAdjoint { array: slot.array, index, guard, ct, span: slot.span });
    }
    Ok(())
}

fn reverse_branch(
    code: &mut CodeBuilder<'_>,
    block: &Block,
    seeds: &[Option<Ct>],
    active: &dyn Fn(VarId) -> bool,
) -> Result<Adjoint, AdError> {
    let copy = copy_block(code.func, &mut Subst::new(), block);
    code.stmts.extend(copy.stmts.iter().cloned());
    let seeds: Vec<(Atom, Ct)> = copy.results.iter().zip(seeds).filter_map(|(&r, ct)| ct.map(|ct| (r, ct))).collect();
    reverse_scalar(code, &copy.stmts, &seeds, active)
}

/// The positions of a read's cotangent, guard and index components among the results of the joined `if`.
struct ReadSlot {
    array: VarId,
    ct: usize,
    guard: usize,
    /// An index component that is visible outside, or `Err` with its position.
    index: Vec<Result<Atom, usize>>,
    span: Option<Span>,
}

/// The results of the two branches of a reversed `if`, side by side.
#[derive(Default)]
struct Joined {
    then_results: Vec<Atom>,
    else_results: Vec<Atom>,
}

impl Joined {
    fn slot(&mut self, then: Atom, other: Atom) -> usize {
        self.then_results.push(then);
        self.else_results.push(other);
        self.then_results.len() - 1
    }

    fn scalars(&mut self, code: &CodeBuilder<'_>, then: &Branch, other: &Branch) -> Vec<(VarId, usize, bool)> {
        let mut vars: Vec<VarId> = then.adjoint.scalars.iter().map(|(v, _)| *v).collect();
        for (v, _) in &other.adjoint.scalars {
            if !vars.contains(v) {
                vars.push(*v);
            }
        }
        vars.into_iter()
            .map(|v| {
                let find = |b: &Branch| b.adjoint.scalars.iter().find(|(w, _)| *w == v).map(|(_, ct)| *ct);
                let (a, b) = (find(then), find(other));
                let zero = code.zero(code.func.ty(v).elem);
                let selective = [a, b].iter().any(|ct| ct.is_none_or(|ct| ct.selective));
                let slot = self.slot(a.map_or(zero, |ct| ct.atom), b.map_or(zero, |ct| ct.atom));
                (v, slot, selective)
            })
            .collect()
    }

    fn reads(&mut self, code: &mut CodeBuilder<'_>, then: &Branch, other: &Branch) -> Vec<ReadSlot> {
        let mut slots = Vec::new();
        for (branch, in_then) in [(then, true), (other, false)] {
            for read in &branch.adjoint.reads {
                let put = |joined: &mut Self, value: Atom, zero: Atom| {
                    if in_then { joined.slot(value, zero) } else { joined.slot(zero, value) }
                };
                let zero = code.zero(code.func.atom_elem(read.ct.atom));
                let ct = put(self, read.ct.atom, zero);
                let guard = put(self, read.guard.unwrap_or(Atom::bool(true)), Atom::bool(false));
                let index = read
                    .index
                    .iter()
                    .map(|&i| match outside(code, branch, i) {
                        Some(atom) => Ok(atom),
                        None => Err(put(self, i, Atom::Const(Const::zero(Scalar::I64)))),
                    })
                    .collect();
                slots.push(ReadSlot { array: read.array, ct, guard, index, span: read.span });
            }
        }
        slots
    }
}

/// An index component of a branch as an operand outside it: itself if it is visible there, or recomputed there if it is
/// affine arithmetic, which cannot fail. `None` for any other.
fn outside(code: &mut CodeBuilder<'_>, branch: &Branch, atom: Atom) -> Option<Atom> {
    let Atom::Var(v) = atom else { return Some(atom) };
    if !branch.bound.contains(&v) {
        return Some(atom);
    }
    let stmt = branch.stmts.iter().find(|s| s.vars.contains(&v))?;
    match &stmt.op {
        Op::Prim(prim @ (Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg), args) => {
            let args: Option<Vec<Atom>> = args.iter().map(|&a| outside(code, branch, a)).collect();
            Some(code.prim(*prim, &args?, "i"))
        }
        Op::Size(size) => {
            let vars = code.func.types.poly(*size).vars();
            if vars.iter().any(|v| branch.bound.contains(v)) {
                return None;
            }
            let var = code.func.scalar_var("size", Scalar::I64);
            code.push(vec![var], Op::Size(*size));
            Some(Atom::Var(var))
        }
        _ => None,
    }
}
