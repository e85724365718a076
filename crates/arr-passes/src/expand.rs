//! Scalar expansion: computes expensive scalars that are the same in every iteration of a surrounding loop once, as an
//! array.
//!
//! ```text
//!                                                  rs: [n]f64 = build i<n { a: f64 = read! x[i]; r: f64 = div 1.0, a; yield r }
//! loop t<steps (..) {                              loop t<steps (..) {
//!   loop i<n (..) {                                  loop i<n (..) {
//!     a: f64 = read! x[i]                    =>        r: f64 = read! rs[i]
//!     r: f64 = div 1.0, a ..                           ..
//! ```
//!
//! Assumes:      a verified fused function, hoisted.
//! Guarantees:   values are unchanged to the bit, and so are errors: moved code cannot fail, and its reads are inside
//!               their arrays whatever the loops do. It is executed even if the surrounding loop has no iterations.
//! Leaves alone: code in branches, loops of few iterations, and values whose array would be larger than those that they
//!               read.
//! Cost:         O(statements x depth of loops). Memory: an array for each value, of the extent of one axis or of an
//!               array that is read.
//! Source:       scalar expansion: Allen and Kennedy, "Optimizing Compilers for Modern Architectures", section 5.3.
//! Tests:        tests/expand/

use crate::analysis::{Key, encode_op};
use arr_ir::rewrite::{Enter, for_each_stmt_mut, rewrite_blocks_outer_first};
use arr_ir::walk::{Subst, bound_in_op, for_each_use};
use arr_ir::{Atom, Axis, Block, Cost, Func, Op, Prim, Stmt, TypeId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Minimal number of iterations, where it is known, for an array to pay off.
const FEWEST: i64 = 4;

/// Moves expensive code out of loops, in place.
pub fn expand(func: &mut Func) {
    rewrite_blocks_outer_first(func, Enter::Control, &mut block);
    crate::simplify::remove_dead(func);
    // An array that is made before a loop also precedes the checks in it.
    arr_ir::bounds::check_unproved(func);
}

/// A block of the function, or of its loops and branches.
fn block(func: &mut Func, block: &mut Block) {
    let mut arrays = FxHashMap::default();
    for mut stmt in std::mem::take(&mut block.stmts) {
        if repeats(func, &stmt.op) {
            move_out(func, &mut stmt, &mut arrays, &mut block.stmts);
        }
        block.stmts.push(stmt);
    }
}

/// Whether it is a loop of enough iterations, or of an unknown number.
fn repeats(func: &Func, op: &Op) -> bool {
    match op {
        Op::Loop { axis, .. } => func.types.poly(axis.extent).as_constant().is_none_or(|n| n >= FEWEST),
        Op::While { .. } => true,
        _ => false,
    }
}

/// Moves expensive loop-invariant values into arrays.
fn move_out(func: &mut Func, stmt: &mut Stmt, arrays: &mut FxHashMap<Key, VarId>, out: &mut Vec<Stmt>) {
    let mut looker = Looker { func, inside: FxHashSet::default(), fixed: FxHashMap::default(), expensive: Vec::new() };
    bound_in_op(&stmt.op, &mut looker.inside);
    for inner in stmt.op.blocks() {
        looker.look(inner, &mut Vec::new());
    }
    let Looker { fixed, expensive, .. } = looker;
    let mut elements = FxHashMap::default();
    for var in expensive {
        let Some(one) = fixed.get(&var) else { continue };
        let build = as_array(func, var, one, &fixed);
        let key = encode_op(func, &build);
        let array = match key.as_ref().and_then(|key| arrays.get(key)) {
            Some(&array) => array,
            None => {
                let array = bind(func, var, &build);
                out.push(Stmt { vars: vec![array], op: build, span: one.stmt.span });
                array
            }
        };
        arrays.extend(key.map(|key| (key, array)));
        let index = one.axes.iter().map(|a| Atom::Var(a.index)).collect();
        elements.insert(var, Op::Read { array, index, checked: false });
    }
    if !elements.is_empty() {
        for_each_stmt_mut(std::slice::from_mut(stmt), &mut |stmt| {
            if let Some(element) = stmt.vars.first().and_then(|v| elements.remove(v)) {
                stmt.op = element;
            }
        });
    }
}

/// A scalar that is the same in every iteration of the loop.
struct Fixed {
    stmt: Stmt,
    /// The axes that it depends on, outermost first.
    axes: Vec<Axis>,
    /// The maximal rank of the arrays that are read for it.
    rank: usize,
}

struct Looker<'f> {
    func: &'f Func,
    /// Variables bound in the loop.
    inside: FxHashSet<VarId>,
    fixed: FxHashMap<VarId, Fixed>,
    /// What is to be in arrays.
    expensive: Vec<VarId>,
}

impl Looker<'_> {
    /// Examines a block of the loop; `axes` are those of loops and kernels between the two, outermost first.
    fn look(&mut self, block: &Block, axes: &mut Vec<Axis>) {
        let mut needed = Vec::new();
        for stmt in &block.stmts {
            if self.fix(stmt, axes) {
                continue;
            }
            for_each_use(self.func, &stmt.op, &mut |v| needed.push(v));
            if matches!(stmt.op, Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. } | Op::Loop { .. }) {
                let outside = axes.len();
                axes.extend(stmt.op.axes());
                for inner in stmt.op.blocks() {
                    self.look(inner, axes);
                }
                axes.truncate(outside);
            }
        }
        needed.extend(block.results.iter().filter_map(|a| a.var()));
        // Code that needs an expensive value reads that one's array and gets none of its own.
        while let Some(v) = needed.pop() {
            let Some(fixed) = self.fixed.get(&v) else { continue };
            let small = fixed.axes.len() == 1 || fixed.axes.len() <= fixed.rank;
            if outweighs_read(&fixed.stmt.op) && !fixed.axes.is_empty() && small {
                if !self.expensive.contains(&v) {
                    self.expensive.push(v);
                }
            } else {
                needed.extend(fixed.stmt.op.operands().iter().filter_map(|a| a.var()));
            }
        }
    }

    /// Records a statement that computes the same in every iteration and cannot fail. Returns whether it does.
    fn fix(&mut self, stmt: &Stmt, axes: &[Axis]) -> bool {
        let plain = match &stmt.op {
            Op::Prim(..) => !stmt.op.may_fail(self.func),
            Op::Read { checked, .. } => !checked,
            _ => false,
        };
        let &[var] = stmt.vars.as_slice() else { return false };
        if !plain {
            return false;
        }
        let (mut on, mut rank) = (FxHashSet::default(), 0);
        for atom in stmt.op.operands() {
            let Atom::Var(v) = atom else { continue };
            if let Some(fixed) = self.fixed.get(&v) {
                on.extend(fixed.axes.iter().map(|a| a.index));
                rank = rank.max(fixed.rank);
            } else if axes.iter().any(|a| a.index == v) {
                on.insert(v);
            } else if self.inside.contains(&v) {
                return false;
            }
        }
        if let Op::Read { array, index, .. } = &stmt.op {
            let dims = &self.func.ty(*array).dims;
            let own = |(i, dim): (&Atom, _)| axes.iter().any(|a| Atom::Var(a.index) == *i && a.extent == dim);
            if !index.iter().zip(dims.iter().copied()).all(own) {
                return false;
            }
            rank = rank.max(dims.len());
        }
        let axes: Vec<Axis> = axes.iter().copied().filter(|a| on.contains(&a.index)).collect();
        let fixed_extent = |a: &Axis| self.func.types.poly(a.extent).vars().iter().all(|v| !self.inside.contains(v));
        if !axes.iter().all(fixed_extent) {
            return false;
        }
        self.fixed.insert(var, Fixed { stmt: stmt.clone(), axes, rank });
        true
    }
}

/// What takes longer than reading an element. Remainders are mostly of indices by a constant, and take no division.
fn outweighs_read(op: &Op) -> bool {
    matches!(op, Op::Prim(prim, _) if prim.cost() >= Cost::Division && *prim != Prim::Rem)
}

/// The kernel that makes an array of a scalar.
fn as_array(func: &mut Func, var: VarId, one: &Fixed, fixed: &FxHashMap<VarId, Fixed>) -> Op {
    let mut stmts = Vec::new();
    collect(var, fixed, &mut FxHashSet::default(), &mut stmts);
    let body = Block { params: Vec::new(), stmts, results: vec![Atom::Var(var)] };
    Subst::new().clone_op(func, &Op::Build { axes: one.axes.clone(), body })
}

/// The statements that a scalar needs, in order.
fn collect(var: VarId, fixed: &FxHashMap<VarId, Fixed>, done: &mut FxHashSet<VarId>, out: &mut Vec<Stmt>) {
    let Some(one) = fixed.get(&var).filter(|_| done.insert(var)) else { return };
    for v in one.stmt.op.operands().iter().filter_map(|a| a.var()) {
        collect(v, fixed, done, out);
    }
    out.push(one.stmt.clone());
}

/// A variable for the array.
fn bind(func: &mut Func, var: VarId, build: &Op) -> VarId {
    let dims = build.axes().iter().map(|a| a.extent).collect();
    let ty: TypeId = func.types.ty(arr_ir::Type { elem: func.ty(var).elem, dims });
    let name = format!("{}s", func.name(var));
    func.var(name, ty)
}
