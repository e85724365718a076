//! Domain shrinking: makes only the part of an array that is read. Halide calls this bounds inference.
//!
//! ```text
//! p: [n + 4]f64 = build x<n + 4 {            p: [n]f64 = build x_1<n { x: i64 = add x_1, 2
//!   s: f64 = reduce sum a<3 { .. }             s: f64 = reduce sum a<3 { .. }
//!   yield s }                           =>     yield s }
//! q: [n]f64 = build i<n {                    q: [n]f64 = build i<n {
//!   j: i64 = add i, 2                          k: i64 = add i, 0
//!   y: f64 = read! p[j]  .. }                  y: f64 = read! p[k] .. }
//! ```
//!
//! An example is the derivative of a padded picture: nobody reads that of the edge.
//!
//! Applies to builds of one scalar with a sum or a loop in it that cannot fail, where every use is a read at indices
//! whose range is known from the sizes.
//!
//! Of the workloads that it was measured on, it is worth something on `conv` alone (docs/ablation.md).

use crate::analysis::size_operand;
use arr_ir::integers::{Integers, is_natural, range};
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::may_fail_deep;
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Prim, Scalar, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// By axis of an array the least and the greatest index that it is read at.
type Ranges = Vec<(Poly, Poly)>;

/// Whether anything changed.
pub(super) fn shrink_domains(func: &mut Func) -> bool {
    let mut reads = Reads { func, found: FxHashMap::default(), whole: FxHashSet::default() };
    let mut axes = Vec::new();
    reads.block(&func.body, &mut Integers::default(), &mut axes);
    let Reads { found, whole, .. } = reads;
    let parts: FxHashMap<VarId, Ranges> = found
        .into_iter()
        .filter_map(|(v, ranges)| Some((v, ranges.filter(|_| !whole.contains(&v))?)))
        .filter(|(v, ranges)| is_part(func, *v, ranges))
        .collect();
    if parts.is_empty() {
        return false;
    }
    let mut trimmer = Trimmer { parts, made: FxHashMap::default() };
    rewrite_stmts(func, Enter::All, &mut |func, stmt, out| trimmer.stmt(func, stmt, out));
    !trimmer.made.is_empty()
}

struct Reads<'f> {
    func: &'f Func,
    /// `None` where a range is not known.
    found: FxHashMap<VarId, Option<Ranges>>,
    /// Arrays that are used in another way.
    whole: FxHashSet<VarId>,
}

impl Reads<'_> {
    fn block(&mut self, block: &Block, integers: &mut Integers, axes: &mut Vec<Axis>) {
        for stmt in &block.stmts {
            if let Op::Read { array, index, .. } = &stmt.op {
                self.read(*array, index, integers, axes);
            } else {
                self.whole.extend(stmt.op.operands().iter().filter_map(|a| a.var()));
            }
            let outside = axes.len();
            axes.extend(stmt.op.axes().iter().copied());
            for inner in stmt.op.blocks() {
                self.block(inner, integers, axes);
            }
            axes.truncate(outside);
            integers.note(self.func, stmt);
        }
        self.whole.extend(block.results.iter().filter_map(|a| a.var()));
    }

    fn read(&mut self, array: VarId, index: &[Atom], integers: &Integers, axes: &[Axis]) {
        let one = |&i: &Atom| range(self.func, &integers.poly(self.func, i)?, axes);
        let here: Option<Ranges> = index.iter().map(one).collect();
        let joined = match (self.found.remove(&array), here) {
            (None, here) => here,
            (Some(Some(known)), Some(here)) => {
                known.into_iter().zip(here).map(|((a, b), (c, d))| Some((least(a, c)?, greatest(b, d)?))).collect()
            }
            (Some(_), _) => None,
        };
        self.found.insert(array, joined);
    }
}

fn least(a: Poly, b: Poly) -> Option<Poly> {
    let further = b.sub(&a).as_constant()?;
    Some(if further >= 0 { a } else { b })
}

fn greatest(a: Poly, b: Poly) -> Option<Poly> {
    let further = b.sub(&a).as_constant()?;
    Some(if further >= 0 { b } else { a })
}

/// Whether a range along an axis is a proper part of it.
fn leaves_out(func: &Func, dim: &Poly, (low, high): &(Poly, Poly)) -> bool {
    let extent = high.sub(low).add(&Poly::constant(1));
    is_natural(func, low)
        && is_natural(func, &extent)
        && is_natural(func, &dim.sub(&Poly::constant(1)).sub(high))
        && is_natural(func, &dim.sub(&extent).sub(&Poly::constant(1)))
}

fn is_part(func: &Func, array: VarId, ranges: &Ranges) -> bool {
    let dims = &func.ty(array).dims;
    dims.iter().zip(ranges).any(|(&dim, range)| leaves_out(func, func.types.poly(dim), range))
}

struct Trimmer {
    parts: FxHashMap<VarId, Ranges>,
    /// The smaller array, and its begin.
    made: FxHashMap<VarId, (VarId, Vec<Atom>)>,
}

impl Trimmer {
    fn stmt(&mut self, func: &mut Func, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        if let Op::Read { array, index, .. } = &mut stmt.op
            && let Some((smaller, starts)) = self.made.get(array)
        {
            *array = *smaller;
            for (i, &start) in index.iter_mut().zip(starts).filter(|(_, start)| **start != Atom::int(0)) {
                let shifted = func.scalar_var("i", Scalar::I64);
                let op = Op::Prim(Prim::Sub, vec![*i, start]);
                out.push(Stmt { vars: vec![shifted], op, span: stmt.span });
                *i = shifted.into();
            }
        }
        self.build(func, &mut stmt, out);
        out.push(stmt);
    }

    /// Shrinks a build if its array is read in part.
    fn build(&mut self, func: &mut Func, stmt: &mut Stmt, before: &mut Vec<Stmt>) {
        let &[array] = stmt.vars.as_slice() else { return };
        let Some(ranges) = self.parts.get(&array) else { return };
        let repeats = |s: &Stmt| !s.op.axes().is_empty() || matches!(s.op, Op::Loop { .. } | Op::While { .. });
        let fails = may_fail_deep(func, &stmt.op);
        let span = stmt.span;
        let Op::Build { axes, body } = &mut stmt.op else { return };
        let whole = axes.len() == ranges.len() && !fails && body.stmts.iter().any(repeats);
        if !whole {
            return;
        }
        let (mut starts, mut shifts) = (Vec::new(), Vec::new());
        for (axis, range) in axes.iter_mut().zip(ranges) {
            let dim = func.types.poly(axis.extent).clone();
            if !leaves_out(func, &dim, range) {
                starts.push(Atom::int(0));
                continue;
            }
            let (low, high) = range;
            let size = func.types.size(low.clone());
            let start = size_operand(func, size, span, before);
            let index = func.scalar_var("i", Scalar::I64);
            let op = Op::Prim(Prim::Add, vec![index.into(), start]);
            shifts.push(Stmt { vars: vec![axis.index], op, span });
            let extent = func.types.size(high.sub(low).add(&Poly::constant(1)));
            *axis = Axis { index, extent };
            starts.push(start);
        }
        body.stmts.splice(0..0, shifts);
        let elem = func.ty(array).elem;
        let ty = func.types.array(axes.iter().map(|a| a.extent).collect(), elem);
        let smaller = func.var_like(array, ty);
        stmt.vars = vec![smaller];
        self.made.insert(array, (smaller, starts));
    }
}
