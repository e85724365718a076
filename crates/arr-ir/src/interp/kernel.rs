//! Kernels: `build`, `reduce` and `scatter`.

use super::exec::{Machine, Run, fail, step_offset};
use super::plan::{Arg, Inner, PlanAxis, PlanBlock};
use super::{internal, memory};
use crate::{Array, Const, Data, Prim, Reduction, RunErrorKind, Scalar, ScatterKind, Value};
use std::sync::Arc;

impl Machine<'_> {
    fn enter(&mut self) {
        if self.kernel_depth == 0 {
            self.counts.kernels += 1;
        }
        self.kernel_depth += 1;
    }

    /// Runs the body, then `f`, at every point of the axes, the last axis fastest.
    fn at_all_points(
        &mut self,
        axes: &[PlanAxis],
        body: &PlanBlock,
        f: &mut dyn FnMut(&mut Self) -> Run<()>,
    ) -> Run<()> {
        // Without points the axes are not walked: one may be long while another is empty.
        for axis in axes.iter().filter(|axis| !axis.varies) {
            if self.size(&axis.extent)? <= 0 {
                return Ok(());
            }
        }
        self.points(axes, body, f)
    }

    /// The same, axis by axis.
    fn points(&mut self, axes: &[PlanAxis], body: &PlanBlock, f: &mut dyn FnMut(&mut Self) -> Run<()>) -> Run<()> {
        let Some((axis, rest)) = axes.split_first() else {
            self.iteration()?;
            self.block(body)?;
            return f(self);
        };
        let extent = self.size(&axis.extent)?;
        self.enter_axis(axis.index);
        for i in 0..extent {
            self.set(axis.index, Value::Scalar(Const::I64(i)))?;
            self.points(rest, body, f)?;
        }
        self.leave_axis();
        Ok(())
    }

    pub(super) fn build(&mut self, vars: &[usize], axes: &[PlanAxis], body: &PlanBlock, inner: &[Inner]) -> Run<()> {
        if vars.len() != inner.len() || body.results.len() != inner.len() {
            return internal("wrong number of results");
        }
        let mut outer = Vec::with_capacity(axes.len());
        for axis in axes {
            outer.push(self.size(&axis.extent)?.max(0));
        }
        self.count(&outer)?;
        let mut arrays = Vec::with_capacity(inner.len());
        for inner in inner {
            let mut dims = outer.clone();
            dims.extend(self.sizes(&inner.dims)?.into_iter().map(|d| d.max(0)));
            let count = self.count(&dims)?;
            arrays.push(Array { dims, data: self.allocate(inner.elem, count)? });
        }
        self.enter();
        let mut store = |machine: &mut Self| {
            for (array, &result) in arrays.iter_mut().zip(&body.results) {
                machine.store(array, axes.len(), result)?;
            }
            Ok(())
        };
        self.at_all_points(axes, body, &mut store)?;
        self.kernel_depth -= 1;
        for (&var, array) in vars.iter().zip(arrays) {
            self.set(var, Value::Array(Arc::new(array)))?;
        }
        Ok(())
    }

    /// Appends one result of a build's body.
    fn store(&mut self, array: &mut Array, outer: usize, result: Arg) -> Run<()> {
        if array.dims.len() == outer {
            self.counts.writes += 1;
            let value = self.scalar(result)?;
            return if memory::push(&mut array.data, value) { Ok(()) } else { internal("an element of a wrong type") };
        }
        let value = self.array_value(result)?;
        if Some(value.dims.as_slice()) != array.dims.get(outer..) {
            return internal("the shape of a build's body varies");
        }
        self.counts.writes += value.data.len() as u64;
        let fits = memory::extend(&mut array.data, &value.data);
        self.release(value);
        if fits { Ok(()) } else { internal("an element of a wrong type") }
    }

    pub(super) fn reduce(
        &mut self,
        vars: &[usize],
        kind: Reduction,
        axes: &[PlanAxis],
        body: &PlanBlock,
        elems: &[Scalar],
    ) -> Run<()> {
        if vars.len() != elems.len() {
            return internal("wrong number of results");
        }
        let mut accumulators = self.pool.pop().unwrap_or_default();
        accumulators.clear();
        accumulators.extend(elems.iter().map(|&elem| start(kind, elem)));
        let mut first = true;
        let mut best_at = vec_of_indices(kind, elems.len());
        self.enter();
        self.at_all_points(axes, body, &mut |machine| {
            for (k, (best, &result)) in accumulators.iter_mut().zip(&body.results).enumerate() {
                machine.counts.prims += 1;
                let value = machine.scalar(result)?;
                match kind {
                    Reduction::ArgMax | Reduction::ArgMin => {
                        if first || better(kind, *best, value) {
                            *best = value;
                            if let (Some(place), Some(axis)) = (best_at.get_mut(k), axes.first()) {
                                *place = machine.int(Arg::Slot(axis.index))?;
                            }
                        }
                    }
                    Reduction::Max | Reduction::Min if first => *best = value,
                    _ => {
                        let (slot, so_far) = (vars.get(k).copied(), *best);
                        *best = machine.combined(slot, combine(kind), [so_far, value])?;
                    }
                }
            }
            first = false;
            Ok(())
        })?;
        self.kernel_depth -= 1;
        let extremum = matches!(kind, Reduction::Max | Reduction::Min | Reduction::ArgMax | Reduction::ArgMin);
        if first && extremum {
            return fail(RunErrorKind::EmptyReduction);
        }
        for (k, (&var, &value)) in vars.iter().zip(&accumulators).enumerate() {
            let value = best_at.get(k).map_or(value, |&i| Const::I64(i));
            self.set(var, Value::Scalar(value))?;
        }
        self.pool.push(accumulators);
        Ok(())
    }

    /// One element more of what a reduction or an update adds up in `slot`.
    fn combined(&mut self, slot: Option<usize>, prim: Option<Prim>, pair: [Const; 2]) -> Run<Const> {
        let (Some(prim), Some(slot)) = (prim, slot) else { return internal("a reduction without a result") };
        let Some(sum) = prim.eval(&pair) else {
            return internal(format!("`{}` of elements of wrong types", prim.name()));
        };
        if self.watch.is_some() {
            self.trap(slot, prim, &pair.map(|value| (None, value)), sum)?;
        }
        Ok(sum)
    }

    pub(super) fn scatter(
        &mut self,
        slot: usize,
        kind: ScatterKind,
        dest: Arg,
        axes: &[PlanAxis],
        body: &PlanBlock,
        checked: bool,
    ) -> Run<Arc<Array>> {
        let mut array = self.array_value(dest)?;
        if Arc::get_mut(&mut array).is_none() {
            self.counts.writes += array.data.len() as u64;
            array = self.duplicate(array)?;
        }
        let Some(target) = Arc::get_mut(&mut array) else { return internal("a copied array is shared") };
        let writes = body.results.chunks_exact(target.dims.len() + 2);
        self.enter();
        self.at_all_points(axes, body, &mut |machine| {
            for write in writes.clone() {
                let [guard, index @ .., value] = write else { return internal("wrong number of results") };
                if machine.bool(*guard)? {
                    let mut offset = 0;
                    for (&arg, &extent) in index.iter().zip(&target.dims) {
                        offset = step_offset(offset, machine.int(arg)?, extent, checked)?;
                    }
                    machine.update((slot, kind), &mut target.data, offset, *value)?;
                }
            }
            Ok(())
        })?;
        self.kernel_depth -= 1;
        Ok(array)
    }

    fn update(&mut self, (slot, kind): (usize, ScatterKind), data: &mut Data, offset: usize, value: Arg) -> Run<()> {
        self.counts.writes += 1;
        let mut value = self.scalar(value)?;
        if kind == ScatterKind::Add {
            self.counts.prims += 1;
            let Some(old) = data.get(offset) else { return internal("an array shorter than its shape") };
            value = self.combined(Some(slot), Some(Prim::Add), [old, value])?;
        }
        if data.set(offset, value) { Ok(()) } else { internal("an element of a wrong type") }
    }
}

/// The initial value of an accumulator.
fn start(kind: Reduction, elem: Scalar) -> Const {
    match kind {
        Reduction::Product | Reduction::All => match elem {
            Scalar::Bool => Const::Bool(true),
            _ => Const::one(elem),
        },
        _ => Const::zero(elem),
    }
}

fn vec_of_indices(kind: Reduction, count: usize) -> Vec<i64> {
    match kind {
        Reduction::ArgMax | Reduction::ArgMin => vec![0; count],
        // An empty vector does not allocate memory.
        _ => Vec::new(),
    }
}

/// The primitive that combines two elements.
pub(crate) fn combine(kind: Reduction) -> Option<Prim> {
    Some(match kind {
        Reduction::Sum => Prim::Add,
        Reduction::Product => Prim::Mul,
        Reduction::Max => Prim::Max,
        Reduction::Min => Prim::Min,
        Reduction::Any => Prim::Or,
        Reduction::All => Prim::And,
        Reduction::ArgMax | Reduction::ArgMin => return None,
    })
}

/// Whether `value` comes before `best`. NaN comes before everything but NaN, as `max` and `min` then give NaN.
fn better(kind: Reduction, best: Const, value: Const) -> bool {
    let is_nan = |c: Const| c.as_f64().is_some_and(f64::is_nan);
    if is_nan(best) || is_nan(value) {
        return !is_nan(best);
    }
    let prim = if kind == Reduction::ArgMax { Prim::Gt } else { Prim::Lt };
    prim.eval(&[value, best]) == Some(Const::Bool(true))
}
