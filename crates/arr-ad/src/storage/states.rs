//! States and values of a loop's iterations, stored in arrays with one row per iteration and loaded from them.

use crate::code::CodeBuilder;
use arr_ir::{Atom, Axis, Block, Op, Prim, Scalar, ScatterKind, SizeId, Stmt, Type, VarId};

/// The parts of a loop statement.
pub(crate) struct LoopParts<'a> {
    pub axis: Axis,
    pub reverse: bool,
    pub inits: &'a [Atom],
    pub body: &'a Block,
}

impl LoopParts<'_> {
    /// Those of `op`, if it is a loop.
    pub fn of(op: &Op) -> Option<LoopParts<'_>> {
        match op {
            Op::Loop { axis, reverse, inits, body } => Some(LoopParts { axis: *axis, reverse: *reverse, inits, body }),
            _ => None,
        }
    }
}

/// The loop's index at a step, counted from 0 in the order of execution.
pub(crate) fn index_of(code: &mut CodeBuilder<'_>, parts: &LoopParts<'_>, step: Atom) -> Atom {
    if !parts.reverse {
        return step;
    }
    let count = extent_value(code, parts.axis.extent);
    let last = code.prim(Prim::Sub, &[count, Atom::int(1)], "last");
    code.prim(Prim::Sub, &[last, step], "i")
}

/// The value of a loop's extent.
pub(crate) fn extent_value(code: &mut CodeBuilder<'_>, extent: SizeId) -> Atom {
    if let Some(known) = code.func.known_size(extent) {
        return known;
    }
    let count = code.func.scalar_var("count", Scalar::I64);
    code.push(vec![count], Op::Size(extent));
    Atom::Var(count)
}

/// What the saving loop carries for the arrays that it stores to: for each its initial value, its param and result in
/// the loop's body, and its value after the loop.
#[derive(Default)]
pub(crate) struct Stores {
    pub inits: Vec<Atom>,
    pub params: Vec<VarId>,
    pub results: Vec<Atom>,
    pub ends: Vec<VarId>,
}

impl Stores {
    /// Lets an iteration go on with an array of this type, starting from zeros: `param` before it, `result` after it.
    /// Returns the array as it is after the loop.
    pub fn hand_on(
        &mut self,
        code: &mut CodeBuilder<'_>,
        outside: &mut Vec<Stmt>,
        param: VarId,
        result: VarId,
    ) -> VarId {
        let ty = code.func.ty(param).clone();
        let name = code.func.name(param).to_string();
        let (stmts, start) = code.nested(|code| code.zeros(&ty, &name));
        outside.extend(stmts);
        let end = code.func.copy_var(param);
        self.inits.push(start);
        self.params.push(param);
        self.results.push(Atom::Var(result));
        self.ends.push(end);
        end
    }
}

/// Writes code that stores a value of an iteration in an array over all iterations, and returns that array as it is
/// after the loop. The array's zero-filled start goes to `outside`.
pub(crate) fn store(
    code: &mut CodeBuilder<'_>,
    outside: &mut Vec<Stmt>,
    axis: Axis,
    value: VarId,
    stores: &mut Stores,
) -> VarId {
    let (before, after) = store_row(code, &[axis], value);
    stores.hand_on(code, outside, before, after)
}

/// Writes code that stores a value in an array over all of the loops around; gives the array before and after it.
pub(crate) fn store_row(code: &mut CodeBuilder<'_>, loops: &[Axis], value: VarId) -> (VarId, VarId) {
    let Type { elem, dims } = code.func.ty(value).clone();
    let dims: Vec<SizeId> = loops.iter().map(|axis| axis.extent).chain(dims).collect();
    let ty = code.func.types.ty(Type { elem, dims });
    let name = format!("{}s", code.func.name(value));
    let [before, after] = [0; 2].map(|_| code.func.var(name.clone(), ty));
    let row: Vec<Atom> = loops.iter().map(|axis| Atom::Var(axis.index)).collect();
    store_state(code, value, before, after, &row);
    (before, after)
}

/// `after = before with [row.., ..] = param`
pub(crate) fn store_state(code: &mut CodeBuilder<'_>, param: VarId, before: VarId, after: VarId, row: &[Atom]) {
    let dims: Vec<SizeId> = code.func.ty(param).dims.clone();
    let (axes, index) = code.axes(&dims);
    let body = code.block(|code| {
        let name = code.func.name(param).to_string();
        let value = code.read(param, index.clone(), &name);
        [Atom::bool(true)].into_iter().chain(row.iter().copied()).chain(index).chain([value]).collect()
    });
    code.push(vec![after], Op::Scatter { kind: ScatterKind::Set, dest: before, axes, body, checked: false });
}

/// The row of `states` for iteration `t`: the state of `param` at its start.
pub(crate) fn load_state(code: &mut CodeBuilder<'_>, param: VarId, states: VarId, t: Atom) -> Atom {
    let dims: Vec<SizeId> = code.func.ty(param).dims.clone();
    let (axes, index) = code.axes(&dims);
    let name = code.func.name(param).to_string();
    let body = code.block(|code| {
        let point = std::iter::once(t).chain(index).collect();
        vec![code.read(states, point, &name)]
    });
    code.build_one(axes, body, &name)
}
