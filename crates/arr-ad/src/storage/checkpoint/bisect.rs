//! Recursive checkpointing: the states of a loop in logarithmic memory, by bisection of its steps.
//!
//! A stack holds the states at some steps, the topmost at or before the step that is swept next. While it is before
//! that step, the steps in between are halved: the first half is run again, and its last state goes on the stack. A
//! step that was swept leaves the stack. For `T` steps the stack holds at most `ceil(log2 T) + 1` states, and fewer
//! than `T log2(T) / 2 + T` steps are run again. (Griewank and Walther, "Algorithm 799: revolve", with segments
//! halved.)

use crate::code::{CodeBuilder, copy_block};
use crate::storage::states::{LoopParts, extent_value, index_of, load_state, store_state};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Op, Poly, Prim, Scalar, ScatterKind, SizeId, Type, VarId};

/// The report on an impossible stack: the first two parts of one are the topmost place and the steps.
const NO_STACK: &str = "a stack of states has no topmost place";

/// The stack as state of the reverse loop: the topmost place, the steps, then the states, one array per param of the
/// loop.
pub(crate) struct Stack {
    pub inits: Vec<Atom>,
    pub params: Vec<VarId>,
}

impl Stack {
    /// A stack that holds the state before the first step.
    pub fn new(code: &mut CodeBuilder<'_>, parts: &LoopParts<'_>) -> Stack {
        let depth = depth(code, parts.axis.extent);
        let (axes, _) = code.axes(&[depth]);
        let first = Block { params: Vec::new(), stmts: Vec::new(), results: vec![Atom::int(0)] };
        let mut inits = vec![Atom::int(0)];
        inits.extend(code.build(axes, first, "steps"));
        for (&param, &init) in parts.body.params.iter().zip(parts.inits) {
            let dims: Vec<SizeId> = code.func.ty(param).dims.clone();
            let (axes, index) = code.axes(&std::iter::once(depth).chain(dims).collect::<Vec<_>>());
            let name = format!("{}s", code.func.name(param));
            let body = code.block(|code| match init {
                Atom::Var(v) => vec![code.read(v, index.into_iter().skip(1).collect(), &name)],
                Atom::Const(_) => vec![init],
            });
            inits.extend(code.build(axes, body, &name));
        }
        let params = fresh_like(code, &inits);
        Stack { inits, params }
    }

    /// Writes code of the reverse loop for the index of step `step`, the states before it, and the stack without it.
    pub fn at_step(
        &self,
        code: &mut CodeBuilder<'_>,
        parts: &LoopParts<'_>,
        step: VarId,
    ) -> (Atom, Vec<Atom>, Vec<Atom>) {
        let cond = {
            let params: Vec<VarId> = self.params.iter().map(|&p| code.func.copy_var(p)).collect();
            let mut cond = code.block(|code| {
                let at = top_step(code, &params);
                vec![code.prim(Prim::Lt, &[at, Atom::Var(step)], "before")]
            });
            cond.params = params;
            cond
        };
        let params: Vec<VarId> = self.params.iter().map(|&p| code.func.copy_var(p)).collect();
        let mut body = code.block(|code| advance(code, parts, &params, step));
        body.params = params;
        let reached: Vec<VarId> = self.params.iter().map(|&p| code.func.copy_var(p)).collect();
        let inits = self.params.iter().copied().map(Atom::Var).collect();
        code.push(reached.clone(), Op::While { inits, cond, body });
        let [top, _, states @ ..] = reached.as_slice() else {
            return code.func.broken((Atom::Var(step), Vec::new(), Vec::new()), NO_STACK);
        };
        let top = *top;
        let states =
            parts.body.params.iter().zip(states).map(|(&p, &s)| load_state(code, p, s, Atom::Var(top))).collect();
        let below = code.prim(Prim::Sub, &[Atom::Var(top), Atom::int(1)], "top");
        let rest = reached.iter().skip(1).copied().map(Atom::Var);
        let index = index_of(code, parts, Atom::Var(step));
        (index, states, std::iter::once(below).chain(rest).collect())
    }
}

fn fresh_like(code: &mut CodeBuilder<'_>, atoms: &[Atom]) -> Vec<VarId> {
    let mut vars = Vec::new();
    for &atom in atoms {
        let name = atom.var().map_or("top", |v| code.func.name(v)).to_string();
        let ty = code.func.atom_ty(atom);
        let ty = code.func.types.ty(ty);
        vars.push(code.func.var(name, ty));
    }
    vars
}

/// The step at the top of the stack.
fn top_step(code: &mut CodeBuilder<'_>, stack: &[VarId]) -> Atom {
    match stack {
        [top, steps, ..] => code.read(*steps, vec![Atom::Var(*top)], "at"),
        _ => code.func.broken(Atom::int(0), NO_STACK),
    }
}

/// Runs the first half of the steps between the top of the stack and `step` again, and puts the state on the stack.
fn advance(code: &mut CodeBuilder<'_>, parts: &LoopParts<'_>, stack: &[VarId], step: VarId) -> Vec<Atom> {
    let &[top, steps, ref kept @ ..] = stack else { return code.func.broken(Vec::new(), NO_STACK) };
    let at = top_step(code, stack);
    let gap = code.prim(Prim::Sub, &[Atom::Var(step), at], "gap");
    let gap = code.prim(Prim::Add, &[gap, Atom::int(1)], "gap");
    let half = code.prim(Prim::Div, &[gap, Atom::int(2)], "half");
    let mut inits = Vec::new();
    for (&param, &states) in parts.body.params.iter().zip(kept) {
        inits.push(load_state(code, param, states, Atom::Var(top)));
    }
    let extent = code.func.size_of_atom(half);
    let j = code.func.copy_var(parts.axis.index);
    let mut subst = Subst::new();
    let params: Vec<VarId> = parts.body.params.iter().map(|&p| subst.fresh(code.func, p)).collect();
    let mut body = code.block(|code| {
        let number = code.prim(Prim::Add, &[at, Atom::Var(j)], "step");
        let index = index_of(code, parts, number);
        subst.insert(parts.axis.index, index);
        let plain = Block { params: Vec::new(), stmts: parts.body.stmts.clone(), results: parts.body.results.clone() };
        let copy = copy_block(code.func, &mut subst, &plain);
        code.stmts.extend(copy.stmts);
        copy.results
    });
    body.params = params;
    let ends: Vec<VarId> = body.params.iter().map(|&p| code.func.copy_var(p)).collect();
    code.push(ends.clone(), Op::Loop { axis: Axis { index: j, extent }, reverse: false, inits, body });
    let above = code.prim(Prim::Add, &[Atom::Var(top), Atom::int(1)], "top");
    let middle = code.prim(Prim::Add, &[at, half], "at");
    let next_steps = code.func.copy_var(steps);
    let write = Block { params: Vec::new(), stmts: Vec::new(), results: vec![Atom::bool(true), above, middle] };
    let op = Op::Scatter { kind: ScatterKind::Set, dest: steps, axes: Vec::new(), body: write, checked: false };
    code.push(vec![next_steps], op);
    let mut next = vec![above, Atom::Var(next_steps)];
    for (&end, &before) in ends.iter().zip(kept) {
        let after = code.func.copy_var(before);
        store_state(code, end, before, after, &[above]);
        next.push(Atom::Var(after));
    }
    next
}

/// How many states the stack has room for: `ceil(log2 T) + 1`.
fn depth(code: &mut CodeBuilder<'_>, extent: SizeId) -> SizeId {
    let count = extent_value(code, extent);
    if let Some(n) = count.constant().and_then(|c| c.as_i64()) {
        let depth = i64::from(n.max(1).unsigned_abs().next_power_of_two().trailing_zeros()) + 1;
        return code.func.types.size(Poly::constant(depth));
    }
    let int = Type { elem: Scalar::I64, dims: Vec::new() };
    let int = code.func.types.ty(int);
    let pair = |code: &mut CodeBuilder<'_>| ["depth", "power"].map(|name| code.func.var(name, int));
    let (in_cond, in_body, out) = (pair(code), pair(code), pair(code));
    let mut cond = code.block(|code| vec![code.prim(Prim::Lt, &[Atom::Var(in_cond[1]), count], "more")]);
    cond.params = in_cond.to_vec();
    let mut body = code.block(|code| {
        let [depth, power] = in_body.map(Atom::Var);
        let deeper = code.prim(Prim::Add, &[depth, Atom::int(1)], "depth");
        let double = code.prim(Prim::Mul, &[power, Atom::int(2)], "power");
        vec![deeper, double]
    });
    body.params = in_body.to_vec();
    code.push(out.to_vec(), Op::While { inits: vec![Atom::int(1), Atom::int(1)], cond, body });
    code.func.types.size_var(out[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_ir::Func;

    #[test]
    fn a_stack_has_a_topmost_place() {
        let mut func = Func::new("f");
        let [top, steps] = ["top", "steps"].map(|name| func.scalar_var(name, Scalar::I64));
        top_step(&mut CodeBuilder::new(&mut func, None), &[top, steps]);
        assert!(func.broken.is_empty());
        top_step(&mut CodeBuilder::new(&mut func, None), &[top]);
        assert_eq!(func.broken, [NO_STACK]);
    }
}
