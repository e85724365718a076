//! Rewrites scatters that add to one place per point, at contiguous places, as kernels that compute the point for each
//! place.
//!
//! ```text
//!                                                     e: [n]f64 = build p<n { a: f64 = read! d[p]
//! e: [n]f64 = scatter add d, i<n {                      i: i64 = sub p, 1
//!   j: i64 = add i, 1                                   inside: bool = ..  0 <= i and i < n
//!   g: bool = lt j, n                            =>     b: f64 = if inside { x: f64 = read! v[i]
//!   x: f64 = read! v[i]                                   g: bool = .. ; c: f64 = if g { s: f64 = add a, x
//!   yield g, j, x }                                       yield s } else { yield a } yield c } else { yield a }
//!                                                       yield b }
//! ```
//!
//! Legal when every axis of the scatter is in one component of the index, alone except for summands that are the same
//! at every point: then at most one point adds to each place, so that the order does not matter. Applied when the
//! scatter reaches all but a fixed number of places along each axis: the kernel reads and writes about as much as the
//! scatter did, fuses with the producer of `d`, and runs in any order.
//!
//! A scatter along an axis whose guard holds at one index is a single update.

use arr_base::Span;
use arr_ir::integers::Integers;
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::{Subst, bound_in_block};
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Poly, Prim, Scalar, ScatterKind, SizeId, Stmt, VarId};
use rustc_hash::FxHashSet;

/// Whether anything changed.
pub(super) fn gather(func: &mut Func) -> bool {
    let mut changed = false;
    let mut integers = Integers::default();
    rewrite_stmts(func, Enter::ArrayControl, &mut |func, mut stmt, out| {
        if let Op::Scatter { kind: ScatterKind::Add, dest, axes, body, checked: false } = &stmt.op
            && !axes.is_empty()
        {
            let scatter = Scatter::new(func, *dest, axes, body, integers.clone(), stmt.span);
            if let Some(op) = scatter.kernel(func).or_else(|| scatter.update(func)) {
                stmt.op = op;
                changed = true;
            }
        }
        integers.note(func, &stmt);
        out.push(stmt);
    });
    changed
}

struct Scatter<'s> {
    dest: VarId,
    axes: &'s [Axis],
    body: &'s Block,
    /// Variables bound in the body.
    bound: FxHashSet<VarId>,
    integers: Integers,
    span: Option<Span>,
}

impl<'s> Scatter<'s> {
    fn new(
        func: &Func,
        dest: VarId,
        axes: &'s [Axis],
        body: &'s Block,
        mut integers: Integers,
        span: Option<Span>,
    ) -> Self {
        let mut bound = FxHashSet::default();
        bound_in_block(body, &mut bound);
        bound.extend(axes.iter().map(|a| a.index));
        body.stmts.iter().for_each(|s| integers.note(func, s));
        Scatter { dest, axes, body, bound, integers, span }
    }

    /// The guard, place and value of a scatter that writes once per point.
    fn write(&self, func: &Func) -> Option<(&'s Atom, &'s [Atom], &'s Atom)> {
        let [guard, index @ .., value] = self.body.results.as_slice() else { return None };
        (index.len() == func.ty(self.dest).dims.len()).then_some((guard, index, value))
    }

    fn is_fixed(&self, poly: &Poly) -> bool {
        poly.vars().iter().all(|v| !self.bound.contains(v))
    }

    /// The axis that a component of the index follows, and the offset between them.
    fn follows(&self, func: &Func, component: Atom) -> Option<(usize, Poly)> {
        let poly = self.integers.poly(func, component)?;
        self.axes.iter().enumerate().find_map(|(k, axis)| {
            let rest = poly.sub(&Poly::var(axis.index));
            self.is_fixed(&rest).then_some((k, rest))
        })
    }

    /// The build that gives the same array.
    fn kernel(&self, func: &mut Func) -> Option<Op> {
        let (guard, index, value) = self.write(func)?;
        let dims = func.ty(self.dest).dims.clone();
        let found: Vec<(usize, Poly)> = index.iter().map(|&i| self.follows(func, i)).collect::<Option<_>>()?;
        let followed: FxHashSet<usize> = found.iter().map(|(k, _)| *k).collect();
        if followed.len() != self.axes.len() || found.len() != self.axes.len() {
            return None;
        }
        for ((k, _), &dim) in found.iter().zip(&dims) {
            let extent = func.types.poly(self.axes.get(*k)?.extent);
            func.types.poly(dim).sub(extent).as_constant()?;
        }
        let mut code = CodeWriter { func, stmts: Vec::new(), span: self.span };
        let (mut subst, mut inside, mut axes) = (Subst::new(), None, Vec::new());
        for ((k, rest), &dim) in found.iter().zip(&dims) {
            let axis = self.axes.get(*k)?;
            let place = code.func.scalar_var(code.func.name(axis.index).to_string(), Scalar::I64);
            axes.push(Axis { index: place, extent: dim });
            let rest_size = code.func.types.size(rest.clone());
            let point = match code.size(rest_size) {
                by if by == Atom::int(0) => Atom::Var(place),
                by => code.push("i", Scalar::I64, Op::Prim(Prim::Sub, vec![place.into(), by])),
            };
            subst.insert(axis.index, point);
            if rest.as_constant() != Some(0) || axis.extent != dim {
                let (low, extent) = (code.prim(Prim::Ge, vec![point, Atom::int(0)]), code.size(axis.extent));
                let high = code.prim(Prim::Lt, vec![point, extent]);
                let both = code.prim(Prim::And, vec![low, high]);
                inside = Some(inside.map_or(both, |before| code.prim(Prim::And, vec![before, both])));
            }
        }
        let places = axes.iter().map(|a| Atom::Var(a.index)).collect();
        let elem = code.func.ty(self.dest).elem;
        let old = code.push("old", elem, Op::Read { array: self.dest, index: places, checked: false });
        // The body at the point, and the sum where its guard holds.
        let body = subst.clone_block(code.func, self.body);
        let (guard, value) = (subst.atom(*guard), subst.atom(*value));
        let mut inner = CodeWriter { func: &mut *code.func, stmts: body.stmts, span: self.span };
        let mut sum = CodeWriter { func: &mut *inner.func, stmts: Vec::new(), span: self.span };
        let added = sum.push("t", elem, Op::Prim(Prim::Add, vec![old, value]));
        let sum = Block { params: Vec::new(), stmts: sum.stmts, results: vec![added] };
        let result = inner.choose(guard, sum, old, elem);
        let point = Block { params: Vec::new(), stmts: inner.stmts, results: vec![result] };
        let result = match inside {
            Some(inside) => code.choose(inside, point, old, elem),
            None => {
                code.stmts.extend(point.stmts);
                result
            }
        };
        let body = Block { params: Vec::new(), stmts: code.stmts, results: vec![result] };
        Some(Op::Build { axes, body })
    }

    /// The single update that gives the same array.
    fn update(&self, func: &mut Func) -> Option<Op> {
        let [axis] = self.axes else { return None };
        let (guard, index, value) = self.write(func)?;
        let parts = self.integers.guard(func, (*guard, true), self.axes, &[])?;
        let pinned = |p: &Poly| Some(p.sub(&Poly::var(axis.index))).filter(|rest| self.is_fixed(rest));
        // `index - at` and its negation are both not negative.
        let rest = parts.iter().filter_map(pinned).find(|r| parts.contains(&Poly::var(axis.index).add(r).neg()))?;
        let elem = func.ty(self.dest).elem;
        let mut code = CodeWriter { func, stmts: Vec::new(), span: self.span };
        let at = code.func.types.size(rest.neg());
        let (at, extent) = (code.size(at), code.size(axis.extent));
        let (low, high) = (code.prim(Prim::Ge, vec![at, Atom::int(0)]), code.prim(Prim::Lt, vec![at, extent]));
        let inside = code.prim(Prim::And, vec![low, high]);
        let mut subst = Subst::new();
        subst.insert(axis.index, at);
        let mut then_block = subst.clone_block(code.func, self.body);
        then_block.results = [*guard].iter().chain(index).chain([value]).map(|&a| subst.atom(a)).collect();
        let mut nothing = vec![Atom::bool(false)];
        nothing.extend(index.iter().map(|_| Atom::int(0)));
        nothing.push(Atom::Const(Const::zero(elem)));
        let mut vars = vec![code.func.scalar_var("inside", Scalar::Bool)];
        vars.extend(index.iter().map(|_| code.func.scalar_var("i", Scalar::I64)).collect::<Vec<_>>());
        vars.push(code.func.scalar_var("x", elem));
        let results = vars.iter().map(|&v| Atom::Var(v)).collect();
        let else_block = Block { params: Vec::new(), stmts: Vec::new(), results: nothing };
        let chosen = Op::If { cond: inside, then_block, else_block };
        code.stmts.push(Stmt { vars, op: chosen, span: self.span });
        let body = Block { params: Vec::new(), stmts: code.stmts, results };
        Some(Op::Scatter { kind: ScatterKind::Add, dest: self.dest, axes: Vec::new(), body, checked: false })
    }
}

/// Statements under construction.
struct CodeWriter<'f> {
    func: &'f mut Func,
    stmts: Vec<Stmt>,
    span: Option<Span>,
}

impl CodeWriter<'_> {
    fn push(&mut self, name: &str, elem: Scalar, op: Op) -> Atom {
        let var = self.func.scalar_var(name, elem);
        self.stmts.push(Stmt { vars: vec![var], op, span: self.span });
        Atom::Var(var)
    }

    /// A condition.
    fn prim(&mut self, prim: Prim, args: Vec<Atom>) -> Atom {
        self.push("inside", Scalar::Bool, Op::Prim(prim, args))
    }

    fn size(&mut self, size: SizeId) -> Atom {
        self.func.known_size(size).unwrap_or_else(|| self.push("i", Scalar::I64, Op::Size(size)))
    }

    /// The result of a block where a condition holds, else another value.
    fn choose(&mut self, cond: Atom, then_block: Block, other: Atom, elem: Scalar) -> Atom {
        let else_block = Block { params: Vec::new(), stmts: Vec::new(), results: vec![other] };
        self.push("t", elem, Op::If { cond, then_block, else_block })
    }
}
