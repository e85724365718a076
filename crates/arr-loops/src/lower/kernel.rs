//! Kernels: `build`, `reduce` and `scatter` as loop nests.

use super::split_index_set::{Parts, parts};
use super::{Lowerer, Result, ill_formed, one, same_length};
use crate::address::{ElementAddress, place};
use crate::{Demand, Expr, LocalId, Operand, Origin, Parallel, SpanId, Ty};
use arr_base::Id;
use arr_ir::columns::stays_in_columns;
use arr_ir::integers::{is_natural, range};
use arr_ir::walk::bound_in_block;
use arr_ir::{Atom, Axis, Block, Const, Func, Poly, Prim, Reduction, Scalar, ScatterKind, SizeId, Stmt, VarId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

impl Lowerer<'_> {
    fn open_axis(&mut self, axis: &Axis) -> Result<LocalId> {
        let extent = self.size(axis.extent)?;
        let index = self.emit.open_loop(self.func.name(axis.index), extent, Origin::Kernel);
        self.bind(axis.index, index.into());
        self.extents.insert(axis.index, axis.extent);
        Ok(index)
    }

    /// Opens a nest and returns its indices.
    pub(super) fn open_axes(&mut self, axes: &[Axis]) -> Result<Vec<LocalId>> {
        axes.iter().map(|axis| self.open_axis(axis)).collect()
    }

    /// Closes a nest; `parallel` describes the unordered loops, from the outermost on. Without
    /// [`super::LowerOptions::nested`] only the outermost is marked.
    pub(super) fn close_axes(&mut self, axes: &[Axis], mut parallel: Vec<Parallel>) {
        let nested = self.options.nested;
        let span = if nested { self.place() } else { self.section_place() };
        parallel.truncate(if nested { axes.len() } else { 1 });
        for k in (0..axes.len()).rev() {
            let parallel = if parallel.len() > k { parallel.pop() } else { None };
            self.emit.close_loop_as(false, span, parallel);
        }
    }

    /// Whether the loops of a kernel that is opened now are to be marked.
    pub(super) fn marks_loops(&self) -> bool {
        self.options.nested || self.emit.outside_kernels()
    }

    /// One nest writes all results; each is allocated before it.
    pub(super) fn build(&mut self, stmt: &Stmt, axes: &[Axis], body: &Block) -> Result<()> {
        same_length("results of a build", stmt.vars.len(), body.results.len())?;
        let products = self.products(axes, body);
        if let Some(products) = &products
            && let Some((array, product)) = self.added_to(axes, body, products)
        {
            return self.add_product(stmt, axes, body, products, (array, product));
        }
        let parts = if products.is_none() { self.parts_of(axes, body) } else { None };
        let outputs = self.result_buffers(stmt, axes, body, parts.is_some())?;
        match products {
            Some(products) => {
                let worth = self.worth_products(axes, &products)?;
                self.choose(
                    worth,
                    &mut |lowerer| lowerer.build_by_products(axes, body, &products, &outputs),
                    &mut |lowerer| lowerer.build_by_points(axes, body, &outputs, &BTreeSet::new()),
                )?;
            }
            None => self.build_nest(axes, body, &outputs, &BTreeSet::new(), parts)?,
        }
        for ((buffer, _), &var) in outputs.into_iter().zip(&stmt.vars) {
            self.bind_owned(var, buffer.into());
        }
        Ok(())
    }

    /// The nest of a build, into existing buffers. Some of them already hold their elements.
    pub(super) fn build_by_points(
        &mut self,
        axes: &[Axis],
        body: &Block,
        outputs: &[(LocalId, Vec<Operand>)],
        done: &BTreeSet<usize>,
    ) -> Result<()> {
        let parts = self.parts_of(axes, body);
        self.build_nest(axes, body, outputs, done, parts)
    }

    /// The parts of a nest. A back end that divides nests wants them whole.
    fn parts_of(&self, axes: &[Axis], body: &Block) -> Option<Parts> {
        if self.options.nested { None } else { parts(self.func, &self.integers, axes, body) }
    }

    fn build_nest(
        &mut self,
        axes: &[Axis],
        body: &Block,
        outputs: &[(LocalId, Vec<Operand>)],
        done: &BTreeSet<usize>,
        parts: Option<Parts>,
    ) -> Result<()> {
        if let Some(parts) = parts {
            return self.build_in_parts(axes, body, &parts, &mut |lowerer, index, values| {
                lowerer.store_point(outputs, done, index, values);
            });
        }
        let marked = self.marks_loops();
        let indices = self.open_axes(axes)?;
        let results = self.block(body, BTreeSet::new())?;
        let index: Vec<Operand> = indices.iter().map(|&i| i.into()).collect();
        let stores = outputs.iter().zip(body.results.iter().zip(&results)).enumerate();
        for (_, ((buffer, dims), (&atom, &value))) in stores.filter(|(k, _)| !done.contains(k)) {
            match (value, self.func.atom_ty(atom).is_scalar()) {
                (Operand::Local(inner), false) => self.store_array(*buffer, dims, &index, inner),
                (value, _) => {
                    let ElementAddress { address, offset } = place(&mut self.emit, *buffer, dims, &index);
                    self.emit.push(crate::Stmt::Store { address, offset, value });
                }
            }
        }
        // Every element is written once, to a buffer that nothing else refers to.
        let parallel = if marked { vec![Parallel::default(); axes.len()] } else { Vec::new() };
        self.close_axes(axes, parallel);
        Ok(())
    }

    pub(super) fn alloc_result(&mut self, var: VarId, axes: &[Axis], result: Atom) -> Result<(LocalId, Vec<Operand>)> {
        let inner = self.func.ty(var).dims.get(axes.len()..).unwrap_or_default().to_vec();
        same_length("axes of a build's result", inner.len(), self.func.atom_ty(result).rank())?;
        let outer: Vec<_> = axes.iter().map(|a| a.extent).collect();
        let mut dims = self.dims(&outer)?;
        dims.extend(self.dims(&inner)?);
        let ty = Ty::Buffer(self.func.atom_elem(result));
        let local = self.emit.local(self.func.name(var), ty);
        let span = self.place();
        self.emit.push(crate::Stmt::Alloc { local, dims: dims.clone(), span });
        Ok((local, dims))
    }

    /// Copies an array made by the body of a build into the result. Only core IR has such bodies.
    fn store_array(&mut self, buffer: LocalId, dims: &[Operand], index: &[Operand], inner: LocalId) {
        let (outer, rest) = dims.split_at(index.len().min(dims.len()));
        let count = rest.iter().fold(Operand::int(1), |count, &d| self.emit.int(Prim::Mul, count, d));
        let ty = Ty::Scalar(self.emit.func.ty(inner).elem());
        let k = self.emit.open_loop("k", count, Origin::Kernel);
        let from = place(&mut self.emit, inner, &[count], &[k.into()]);
        let value = self.emit.let_here("x", ty, Expr::Load(from.address, from.offset));
        let flat_dims: Vec<Operand> = outer.iter().copied().chain([count]).collect();
        let flat_index: Vec<Operand> = index.iter().copied().chain([k.into()]).collect();
        let ElementAddress { address, offset } = place(&mut self.emit, buffer, &flat_dims, &flat_index);
        self.emit.push(crate::Stmt::Store { address, offset, value: value.into() });
        self.emit.close_loop(false, SpanId::from_index(0));
        self.emit.push(crate::Stmt::Release(inner));
    }

    /// Accumulators before the nest, one step per result inside.
    pub(super) fn reduce(&mut self, stmt: &Stmt, kind: Reduction, axes: &[Axis], body: &Block) -> Result<()> {
        same_length("results of a reduce", stmt.vars.len(), body.results.len())?;
        let span = self.place();
        let needs_elements = matches!(kind, Reduction::Max | Reduction::Min | Reduction::ArgMax | Reduction::ArgMin);
        let seen = if needs_elements { self.require_elements(axes, span)? } else { None };
        let mut accumulators = Vec::new();
        for (&var, &result) in stmt.vars.iter().zip(&body.results) {
            accumulators.push(self.accumulator(var, kind, self.func.atom_elem(result))?);
        }
        let marked = self.marks_loops();
        let indices = self.open_axes(axes)?;
        let results = self.block(body, BTreeSet::new())?;
        for (accumulator, value) in accumulators.iter().zip(results) {
            self.accumulate(kind, accumulator, value, indices.first().copied())?;
        }
        if let Some(seen) = seen {
            self.emit.push(crate::Stmt::Set { local: seen, value: Operand::int(1) });
        }
        let parallel = if marked { self.combination(kind, &accumulators, seen)? } else { None };
        self.close_axes(axes, parallel.map_or_else(Vec::new, |parallel| vec![parallel; axes.len()]));
        if let Some(seen) = seen {
            self.emit.check(Demand::NonEmpty, vec![seen.into()], span);
        }
        for (accumulator, &var) in accumulators.iter().zip(&stmt.vars) {
            let name = self.func.name(var).to_string();
            let value = self.snapshot(&name, accumulator.result);
            self.bind(var, value.into());
        }
        Ok(())
    }

    /// Checks that a reduction has elements: before the nest where the extents are known there; otherwise a flag that
    /// is set in the nest is checked after it.
    fn require_elements(&mut self, axes: &[Axis], span: SpanId) -> Result<Option<LocalId>> {
        let indices: BTreeSet<VarId> = axes.iter().map(|a| a.index).collect();
        let depends = |axis: &Axis| self.func.types.poly(axis.extent).vars().iter().any(|v| indices.contains(v));
        if axes.iter().any(depends) {
            return Ok(Some(self.emit.var("seen", Ty::Scalar(Scalar::I64), Some(Operand::int(0)))));
        }
        for axis in axes {
            let extent = self.size(axis.extent)?;
            self.emit.check(Demand::NonEmpty, vec![extent], span);
        }
        Ok(None)
    }

    fn accumulator(&mut self, var: VarId, kind: Reduction, elem: Scalar) -> Result<Accumulator> {
        let init = match kind {
            Reduction::Sum => Const::zero(elem),
            Reduction::Product => Const::one(elem),
            Reduction::Any => Const::Bool(false),
            Reduction::All => Const::Bool(true),
            // The first element replaces the least (greatest) number, whatever it is.
            Reduction::Max | Reduction::ArgMax => extreme(elem, true),
            Reduction::Min | Reduction::ArgMin => extreme(elem, false),
        };
        let name = self.func.name(var).to_string();
        if matches!(kind, Reduction::ArgMax | Reduction::ArgMin) {
            let result = self.emit.var(&name, Ty::Scalar(Scalar::I64), Some(Operand::int(0)));
            let best = self.emit.var("best", Ty::Scalar(elem), Some(init.into()));
            return Ok(Accumulator { result, best: Some(best), init });
        }
        let result = self.emit.var(&name, Ty::Scalar(elem), Some(init.into()));
        Ok(Accumulator { result, best: None, init })
    }

    pub(super) fn accumulate(
        &mut self,
        kind: Reduction,
        accumulator: &Accumulator,
        value: Operand,
        index: Option<LocalId>,
    ) -> Result<()> {
        if let Some(best) = accumulator.best {
            let index = index.ok_or_else(|| ill_formed("an argmax without an axis"))?;
            return self.accumulate_arg(kind, accumulator.result, best, value, index);
        }
        let prim = match kind {
            Reduction::Sum => Prim::Add,
            Reduction::Product => Prim::Mul,
            Reduction::Max | Reduction::ArgMax => Prim::Max,
            Reduction::Min | Reduction::ArgMin => Prim::Min,
            Reduction::Any => Prim::Or,
            Reduction::All => Prim::And,
        };
        let next = self.prim_of(prim, vec![accumulator.result.into(), value])?;
        self.emit.push(crate::Stmt::Set { local: accumulator.result, value: next });
        Ok(())
    }

    fn accumulate_arg(
        &mut self,
        kind: Reduction,
        result: LocalId,
        best: LocalId,
        value: Operand,
        index: LocalId,
    ) -> Result<()> {
        let compare = if kind == Reduction::ArgMin { Prim::Lt } else { Prim::Gt };
        let mut better = self.prim_of(compare, vec![value, best.into()])?;
        if self.emit.func.elem(value).is_float() {
            // NaN precedes everything but NaN, as `max` and `min` propagate it.
            let nan = self.prim_of(Prim::IsNan, vec![value])?;
            let best_nan = self.prim_of(Prim::IsNan, vec![best.into()])?;
            let number = self.prim_of(Prim::Not, vec![best_nan])?;
            let first = self.prim_of(Prim::And, vec![nan, number])?;
            better = self.prim_of(Prim::Or, vec![better, first])?;
        }
        let place = self.prim_of(Prim::Select, vec![better, index.into(), result.into()])?;
        let number = self.prim_of(Prim::Select, vec![better, value, best.into()])?;
        self.emit.push(crate::Stmt::Set { local: result, value: place });
        self.emit.push(crate::Stmt::Set { local: best, value: number });
        Ok(())
    }

    pub(super) fn prim_of(&mut self, prim: Prim, args: Vec<Operand>) -> Result<Operand> {
        self.emit
            .prim("t", prim, args)
            .ok_or_else(|| ill_formed(format!("`{}` is not defined on these operands", prim.name())))
    }

    /// The destination is made unique once, then written in place.
    pub(super) fn scatter(
        &mut self,
        stmt: &Stmt,
        kind: ScatterKind,
        dest: VarId,
        axes: &[Axis],
        body: &Block,
        checked: bool,
    ) -> Result<()> {
        let var = one(stmt)?;
        let checked = checked || self.options.check_all;
        let buffer = if axes.is_empty() {
            // A single update: its value is computed from the old elements before anything is written.
            let results = self.block(body, BTreeSet::new())?;
            let buffer = self.unique(dest, var, true)?;
            self.writes(kind, buffer, dest, body, &results, checked)?;
            buffer
        } else {
            // The old elements of a point's own columns are still there when it reads them.
            let in_place = stays_in_columns(self.func, dest, axes, body);
            let old = self.value(dest)?;
            let buffer = self.unique(dest, var, in_place)?;
            if in_place {
                self.bind(dest, buffer.into());
            }
            self.scatter_points(kind, (dest, buffer), axes, body, checked)?;
            self.bind(dest, old);
            buffer
        };
        self.bind_owned(var, buffer.into());
        Ok(())
    }

    /// The nest of a scatter, which writes to the buffer.
    fn scatter_points(
        &mut self,
        kind: ScatterKind,
        (dest, buffer): (VarId, LocalId),
        axes: &[Axis],
        body: &Block,
        checked: bool,
    ) -> Result<()> {
        if kind == ScatterKind::Add && !checked && self.options.relaxed && !self.options.nested {
            let outer = outer_axes(self.func, self.func.ty(dest).dims.len(), axes, body);
            let split = axes.split_at_checked(outer);
            if let Some((outer, inner)) = split.filter(|(_, inner)| !inner.is_empty() && self.are_even(inner)) {
                return self.add_sums(buffer, dest, (outer, inner), body);
            }
        }
        let marked = self.marks_loops();
        let indices = self.open_axes(axes)?;
        let results = self.block(body, BTreeSet::new())?;
        self.writes(kind, buffer, dest, body, &results, checked)?;
        let writes: Vec<&[Operand]> = results.chunks(self.func.ty(dest).dims.len() + 2).collect();
        let apart = |index: &LocalId| marked && self.emit.tells_apart(*index, &writes);
        let distinct = indices.iter().take_while(|index| apart(index)).count();
        self.close_axes(axes, vec![Parallel::default(); distinct]);
        Ok(())
    }

    /// A scatter that always adds, to a place that does not depend on the inner axes: one addition of a sum over these.
    fn add_sums(
        &mut self,
        buffer: LocalId,
        dest: VarId,
        (outer, inner): (&[Axis], &[Axis]),
        body: &Block,
    ) -> Result<()> {
        let ([guard, places @ .., _], &[_, _, .., value]) = (body.results.as_slice(), body.results.as_slice()) else {
            return Err(ill_formed("the body of a scatter yields too few values"));
        };
        let marked = self.marks_loops();
        let indices = self.open_axes(outer)?;
        let accumulator = self.accumulator(dest, Reduction::Sum, self.func.atom_elem(value))?;
        self.open_axes(inner)?;
        let values = self.block(body, BTreeSet::new())?;
        if let Some(&value) = values.last() {
            self.accumulate(Reduction::Sum, &accumulator, value, None)?;
        }
        let whole = marked && outer.is_empty();
        let parallel =
            if whole { self.combination(Reduction::Sum, std::slice::from_ref(&accumulator), None)? } else { None };
        self.close_axes(inner, parallel.map_or_else(Vec::new, |parallel| vec![parallel]));
        let sum = self.snapshot("sum", accumulator.result);
        // Without points there is no place, and nothing says that it would be inside.
        let certain = self.stay_inside(dest, places);
        let mut results = vec![if certain { self.atom(*guard)? } else { self.have_points(inner, *guard)? }];
        for &place in places {
            results.push(self.atom(place)?);
        }
        results.push(sum.into());
        self.writes(ScatterKind::Add, buffer, dest, body, &results, false)?;
        let distinct = indices.iter().take_while(|i| marked && self.emit.tells_apart(**i, &[&results])).count();
        self.close_axes(outer, vec![Parallel::default(); distinct]);
        Ok(())
    }

    /// Whether no extent of the axes depends on another of them.
    fn are_even(&self, axes: &[Axis]) -> bool {
        let vars = axes.iter().flat_map(|a| self.func.types.poly(a.extent).vars()).collect::<Vec<VarId>>();
        axes.iter().all(|a| !vars.contains(&a.index))
    }

    /// Whether a place is inside an array by the axes of its indices.
    fn stay_inside(&self, array: VarId, places: &[Atom]) -> bool {
        let dims = &self.func.ty(array).dims;
        places.iter().zip(dims).all(|(&place, &dim)| {
            let Some(poly) = self.integers.poly(self.func, place) else { return false };
            let of = |&v: &VarId| self.extents.get(&v).map(|&extent| Axis { index: v, extent });
            let axes: Vec<Axis> = poly.vars().iter().filter_map(of).collect();
            let Some((low, high)) = range(self.func, &poly, &axes) else { return false };
            let room = self.func.types.poly(dim).sub(&high).sub(&Poly::constant(1));
            // A loop of this extent is open: it has points, so that there is a first element.
            let first = poly == Poly::default() && self.runs_over(dim);
            first || is_natural(self.func, &low) && is_natural(self.func, &room)
        })
    }

    /// Whether the code is inside of a loop of this extent.
    fn runs_over(&self, extent: SizeId) -> bool {
        let open = |v: VarId| matches!(self.values.get(&v), Some(&Operand::Local(index)) if self.emit.loop_of(index).is_some());
        self.extents.iter().any(|(&v, &own)| own == extent && open(v))
    }

    /// Whether a guard holds and the axes have points.
    fn have_points(&mut self, axes: &[Axis], guard: Atom) -> Result<Operand> {
        let is_open = |a: &Axis| self.func.types.poly(a.extent).as_constant().is_none_or(|n| n <= 0);
        let extents: Vec<SizeId> = axes.iter().filter(|a| is_open(a)).map(|a| a.extent).collect();
        let mut all = self.atom(guard)?;
        for extent in self.dims(&extents)? {
            let some = self.prim_of(Prim::Gt, vec![extent, Operand::int(0)])?;
            let always = all == Operand::Const(Const::Bool(true));
            all = if always { some } else { self.prim_of(Prim::And, vec![all, some])? };
        }
        Ok(all)
    }

    pub(super) fn unique(&mut self, dest: VarId, var: VarId, shared: bool) -> Result<LocalId> {
        let buffer = self.buffer(dest)?;
        self.consume(Atom::Var(dest), shared)?;
        let ty = self.emit.func.ty(buffer);
        let local = self.emit.local(self.func.name(var), ty);
        let span = self.place();
        self.emit.push(crate::Stmt::MakeUnique { local, buffer, span });
        Ok(local)
    }

    /// The writes of a point, in order.
    pub(super) fn writes(
        &mut self,
        kind: ScatterKind,
        buffer: LocalId,
        dest: VarId,
        body: &Block,
        results: &[Operand],
        checked: bool,
    ) -> Result<()> {
        let length = self.func.ty(dest).dims.len() + 2;
        for (write, atoms) in results.chunks(length).zip(body.results.chunks(length)) {
            self.write(kind, buffer, dest, atoms, write, checked)?;
        }
        Ok(())
    }

    /// Writes one element if the guard holds: `results` are the guard, the indices and the value.
    fn write(
        &mut self,
        kind: ScatterKind,
        buffer: LocalId,
        dest: VarId,
        atoms: &[Atom],
        results: &[Operand],
        checked: bool,
    ) -> Result<()> {
        let sizes = self.func.ty(dest).dims.clone();
        let ([guard, index @ .., value], [_, atoms @ .., _]) = (results, atoms) else {
            return Err(ill_formed("the body of a scatter yields too few values"));
        };
        same_length("indices and axes of a scatter", index.len(), sizes.len())?;
        let always = *guard == Operand::Const(Const::Bool(true));
        if !always {
            self.emit.open(crate::emit::Opened::Branch);
        }
        let dims = self.dims(&sizes)?;
        if checked {
            let span = self.place();
            self.check_inside(atoms, index, &sizes, &dims, span);
        }
        let ElementAddress { address, offset } = place(&mut self.emit, buffer, &dims, index);
        let mut value = *value;
        if kind == ScatterKind::Add {
            let ty = Ty::Scalar(self.emit.func.ty(buffer).elem());
            let old = self.emit.let_here("old", ty, Expr::Load(address, offset));
            value = self.prim_of(Prim::Add, vec![old.into(), value])?;
        }
        self.emit.push(crate::Stmt::Store { address, offset, value });
        if !always {
            let closed = self.emit.close();
            self.emit.push(crate::Stmt::If { cond: *guard, then_body: closed.stmts, else_body: Vec::new() });
        }
        Ok(())
    }
}

/// The number of a scatter's axes, from the outermost, that its places need; all of them if they need more than
/// indices, or if it does not add everywhere.
fn outer_axes(func: &Func, rank: usize, axes: &[Axis], body: &Block) -> usize {
    let [guard, places @ .., value] = body.results.as_slice() else { return axes.len() };
    let several = places.len() != rank;
    if several || *guard != Atom::bool(true) || !func.is_float(*value) {
        return axes.len();
    }
    let mut bound = FxHashSet::default();
    bound_in_block(body, &mut bound);
    let needs = |place: &Atom| match place.var() {
        Some(v) if bound.contains(&v) => axes.len(),
        Some(v) => axes.iter().position(|a| a.index == v).map_or(0, |k| k + 1),
        None => 0,
    };
    places.iter().map(needs).max().unwrap_or(0)
}

pub(super) struct Accumulator {
    pub result: LocalId,
    /// The best value so far, for a reduction that returns its position.
    pub best: Option<LocalId>,
    /// The initial value.
    pub init: Const,
}

/// The least number of a type if `least`, else the greatest.
pub(crate) fn extreme(elem: Scalar, least: bool) -> Const {
    match elem {
        Scalar::Bool => Const::Bool(!least),
        Scalar::I32 => Const::I32(if least { i32::MIN } else { i32::MAX }),
        Scalar::I64 => Const::I64(if least { i64::MIN } else { i64::MAX }),
        Scalar::U32 => Const::U32(if least { u32::MIN } else { u32::MAX }),
        Scalar::F32 => Const::F32(if least { f32::NEG_INFINITY } else { f32::INFINITY }),
        Scalar::F64 => Const::F64(if least { f64::NEG_INFINITY } else { f64::INFINITY }),
    }
}
