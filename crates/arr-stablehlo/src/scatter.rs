//! Updates of arrays: at places that move together a slice is replaced; at others a `scatter`.

use crate::error::{Result, internal};
use crate::read::{Place, at_point, batching};
use crate::space::{Emitter, Margins};
use crate::text::{elem_name, list, tensor};
use crate::values::{Arr, AxisId, Range, Scal, Val, union};
use arr_ir::{Axis, Block, Const, Prim, Scalar, ScatterKind, VarId};

/// An array is not written as a whole where points touch less than one in so many elements.
const MOST_SPARSE: f64 = 16.0;

/// One write at every point.
pub(crate) struct Write {
    /// Whether a lane writes: it takes part, and its guard holds.
    pub writes: Scal,
    pub index: Vec<Scal>,
    pub value: Scal,
}

/// The axes of a scatter.
#[derive(Default)]
pub(crate) struct Dims {
    /// Of the updates: those along which a whole axis of the array is written.
    pub windows: Vec<usize>,
    /// Of the array: those along which places are looked up.
    pub looked_up: Vec<usize>,
    /// The attributes for axes that the array and the indices have in common.
    pub beside: String,
    /// Of the indices: the one along which the components are.
    pub vector: usize,
}

/// A box of an array that points fill.
#[derive(Default)]
struct Window {
    /// The corner with the lowest indices.
    starts: Vec<Scal>,
    sizes: Vec<i64>,
    /// The axes of the points, in the order of the array's.
    order: Vec<AxisId>,
    /// Of the array: those along which the points run downwards.
    turned: Vec<usize>,
}

impl Emitter<'_> {
    pub(crate) fn scatter(
        &mut self,
        kind: ScatterKind,
        dest: VarId,
        axes: &[Axis],
        body: &Block,
        checked: bool,
    ) -> Result<Arr> {
        if !self.space.is_empty() {
            return internal("an array is made in scalar code");
        }
        let (var, dest) = (dest, self.array(dest)?);
        let (ids, conditions) = self.enter(axes)?;
        self.block(body)?;
        let mut writes = Vec::new();
        for results in body.results.chunks(dest.dims.len() + 2) {
            let operands = results.iter().map(|&a| self.operand(a)).collect::<Result<Vec<Scal>>>()?;
            let [guard, index @ .., value] = operands.as_slice() else { return internal("a write has other results") };
            if checked {
                self.active.push(guard.clone());
                self.all_inside(var, index)?;
                self.active.pop();
            }
            let part = self.taking_part()?;
            let writes_here = self.and(&part, guard)?;
            writes.push(Write { writes: writes_here, index: index.to_vec(), value: value.clone() });
        }
        let array = self.written(kind, &dest, &ids, &writes)?;
        self.leave(&ids, conditions);
        self.leave_lanes(&ids)?;
        Ok(array)
    }

    fn written(&mut self, kind: ScatterKind, dest: &Arr, ids: &[AxisId], writes: &[Write]) -> Result<Arr> {
        // Nothing can be written where there is no point or no element.
        if dest.dims.contains(&0) || self.dims(ids).contains(&0) {
            return Ok(dest.clone());
        }
        let alone = writes.len() == 1;
        let mut array = Arr { range: Range::ANY, ..dest.clone() };
        let mut rest = Vec::new();
        for write in writes {
            let fast = alone || kind == ScatterKind::Add;
            let mut made = fast.then(|| self.region(kind, &array, ids, write)).transpose()?.flatten();
            if made.is_none() && kind == ScatterKind::Add {
                made = match self.windows_added(&array, ids, write)? {
                    None => self.choices_added(&array, ids, write)?,
                    made => made,
                };
            }
            match made {
                Some(name) => array.name = name,
                None => rest.push(write),
            }
        }
        match kind {
            ScatterKind::Add => {
                for write in rest {
                    array.name = self.added(&array, ids, write)?;
                }
            }
            ScatterKind::Set if rest.is_empty() => {}
            ScatterKind::Set => array.name = self.last_written(&array, ids, &rest)?,
        }
        Ok(array)
    }

    /// Updates of windows: a box for every point of short axes, one after the other, if that is what it is.
    fn windows_added(&mut self, dest: &Arr, ids: &[AxisId], write: &Write) -> Result<Option<String>> {
        let Some(short) = self.short_axes(&write.index, &dest.dims) else { return Ok(None) };
        let others: Vec<AxisId> = ids.iter().copied().filter(|a| !short.contains(a)).collect();
        let mut array = dest.clone();
        for point in self.points(&short) {
            let index = write.index.iter().map(|i| at_point(i, &short, &point)).collect();
            let (writes, value) =
                (self.taken(&write.writes, &short, &point)?, self.taken(&write.value, &short, &point)?);
            match self.region(ScatterKind::Add, &array, &others, &Write { writes, index, value })? {
                Some(name) => array.name = name,
                None => return Ok(None),
            }
        }
        Ok(Some(array.name))
    }

    /// A scalar where axes are at these points.
    fn taken(&mut self, scal: &Scal, axes: &[AxisId], point: &[i64]) -> Result<Scal> {
        match scal {
            Scal::Const(_) => return Ok(scal.clone()),
            Scal::Affine(a) if a.decides().is_none() => return Ok(at_point(scal, axes, point)),
            _ => {}
        }
        let v = self.val(scal)?;
        let (dims, ty) = (self.dims(&v.axes), self.val_ty(&v));
        let at = |axis: &AxisId| axes.iter().position(|other| other == axis).and_then(|k| point.get(k).copied());
        let parts: Vec<(i64, i64)> =
            v.axes.iter().zip(&dims).map(|(axis, &dim)| at(axis).map_or((0, dim), |k| (k, k + 1))).collect();
        let sizes: Vec<i64> = parts.iter().map(|(from, to)| to - from).collect();
        let text: Vec<String> = parts.iter().map(|(from, to)| format!("{from}:{to}")).collect();
        let elem = elem_name(v.elem);
        let op = format!("stablehlo.slice {} [{}] : ({ty}) -> {}", v.name, text.join(", "), tensor(&sizes, elem));
        let name = if sizes == dims { v.name.clone() } else { self.text.value("part", op) };
        let left: Vec<AxisId> = v.axes.iter().copied().filter(|axis| at(axis).is_none()).collect();
        let name = self.reshaped(name, &sizes, &self.dims(&left), v.elem);
        Ok(Scal::Tensor(Val::new(name, left, v.elem)))
    }

    /// The update of a box of the array, if that is what it is.
    pub(crate) fn region(
        &mut self,
        kind: ScatterKind,
        dest: &Arr,
        ids: &[AxisId],
        write: &Write,
    ) -> Result<Option<String>> {
        let places = self.places(&write.index, &dest.dims);
        let Some(window) = self.window(&places, &dest.dims) else {
            return if kind == ScatterKind::Add { self.strided(dest, ids, write, &places) } else { Ok(None) };
        };
        let missing: Vec<AxisId> = ids.iter().copied().filter(|a| !window.order.contains(a)).collect();
        // The last point of an axis that the place does not depend on would win.
        let ambiguous = kind == ScatterKind::Set && !missing.is_empty();
        if ambiguous || window.order.iter().any(|a| !ids.contains(a)) {
            return Ok(None);
        }
        let (value, writes) = match kind {
            ScatterKind::Add => (self.contribution(dest, write, &missing)?, Scal::Const(Const::Bool(true))),
            ScatterKind::Set => (write.value.clone(), write.writes.clone()),
        };
        if write.writes.as_const() == Some(Const::Bool(false)) {
            return Ok(Some(dest.name.clone()));
        }
        let Window { sizes, order, turned, .. } = &window;
        let new = self.in_order(&value, order, sizes, turned, dest.elem)?;
        let (whole, always) = (*sizes == dest.dims, writes.as_const().is_some());
        if whole && always && kind == ScatterKind::Set {
            return Ok(Some(new));
        }
        let mut corner = Vec::new();
        for start in &window.starts {
            let start = if corner.is_empty() { self.behind(start)? } else { start.clone() };
            corner.push(self.val(&start)?.name);
        }
        let ty = tensor(sizes, elem_name(dest.elem));
        let new = match kind {
            ScatterKind::Add => {
                let old = self.window_of(dest, &window, &corner);
                self.text.value("sum", format!("stablehlo.add {old}, {new} : {ty}"))
            }
            ScatterKind::Set if always => new,
            ScatterKind::Set => {
                let old = self.window_of(dest, &window, &corner);
                let mask = self.in_order(&writes, order, sizes, turned, Scalar::Bool)?;
                let mask_ty = tensor(sizes, "i1");
                self.text.value("new", format!("stablehlo.select {mask}, {new}, {old} : {mask_ty}, {ty}"))
            }
        };
        if whole {
            return Ok(Some(new));
        }
        let (scalars, to) = (vec!["tensor<i64>"; corner.len()].join(", "), dest.ty());
        let (name, corner) = (&dest.name, corner.join(", "));
        let op = format!("stablehlo.dynamic_update_slice {name}, {new}, {corner} : ({to}, {ty}, {scalars}) -> {to}");
        Ok(Some(self.text.value("updated", op)))
    }

    /// Adds along lines of which some have steps: the values with zeros between them, unless the lines touch a small part
    /// of the array only.
    fn strided(&mut self, dest: &Arr, ids: &[AxisId], write: &Write, places: &[Place]) -> Result<Option<String>> {
        if !places.iter().all(|place| matches!(place, Place::Fixed(_) | Place::Line { .. })) {
            return Ok(None);
        }
        let (spans, turned) = self.spans(dest, places);
        if spans.iter().zip(&dest.dims).any(|((first, last, _), dim)| *first < 0 || last >= dim) {
            return Ok(None);
        }
        let sizes: Vec<i64> = spans.iter().map(|(first, last, step)| (last - first) / step + 1).collect();
        let points = |sizes: &[i64]| sizes.iter().fold(1.0, |n, &size| n * size as f64);
        let order: Vec<AxisId> = places.iter().filter_map(Place::axis).collect();
        if points(&dest.dims) > MOST_SPARSE * points(&sizes) || order.iter().any(|axis| !ids.contains(axis)) {
            return Ok(None);
        }
        let missing: Vec<AxisId> = ids.iter().copied().filter(|axis| !order.contains(axis)).collect();
        let value = self.contribution(dest, write, &missing)?;
        let name = self.in_order(&value, &order, &sizes, &turned, dest.elem)?;
        let margins = Margins {
            low: spans.iter().map(|span| span.0).collect(),
            high: spans.iter().zip(&dest.dims).map(|(span, dim)| dim - 1 - span.1).collect(),
            interior: spans.iter().map(|span| span.2 - 1).collect(),
        };
        let (spread, _) = self.among_zeros("spread", &Arr::new(name, sizes, dest.elem), &margins);
        Ok(Some(self.text.value("sum", format!("stablehlo.add {}, {spread} : {}", dest.name, dest.ty()))))
    }

    /// The box that points at these places fill.
    fn window(&self, places: &[Place], dims: &[i64]) -> Option<Window> {
        let mut window = Window::default();
        for (k, (place, &dim)) in places.iter().zip(dims).enumerate() {
            let (start, size) = match place {
                Place::Fixed(at) => (Scal::Const(Const::I64(*at)), 1),
                Place::Moving(at) => (at.clone(), 1),
                Place::Line { axis, start, step } => {
                    let bound = self.dims(&[*axis])[0];
                    let first = if *step < 0 { start - (bound - 1) } else { *start };
                    if step.abs() != 1 || first < 0 || first + bound > dim {
                        return None;
                    }
                    if *step < 0 {
                        window.turned.push(k);
                    }
                    (Scal::Const(Const::I64(first)), bound)
                }
                Place::MovingLine { axis, start } => (start.clone(), self.dims(&[*axis])[0]),
                Place::Any(_) => return None,
            };
            window.starts.push(start);
            window.sizes.push(size);
            window.order.extend(place.axis());
        }
        Some(window)
    }

    /// What is added to each element: of points that do not write zero, and the sum along axes that the place does not
    /// depend on.
    fn contribution(&mut self, dest: &Arr, write: &Write, missing: &[AxisId]) -> Result<Scal> {
        let zero = Scal::Const(Const::zero(dest.elem));
        let value = match write.writes.as_const() {
            Some(_) => write.value.clone(),
            None => self.prim(Prim::Select, &[write.writes.clone(), write.value.clone(), zero], "added")?,
        };
        self.summed(&value, missing)
    }

    /// The elements of a box, whose corner has these names.
    fn window_of(&mut self, array: &Arr, window: &Window, corner: &[String]) -> String {
        let sizes = &window.sizes;
        if *sizes == array.dims {
            return array.name.clone();
        }
        let (name, from, to) = (&array.name, array.ty(), tensor(sizes, elem_name(array.elem)));
        let fixed: Option<Vec<i64>> = window.starts.iter().map(|s| s.as_const().and_then(Const::as_i64)).collect();
        let op = match fixed {
            Some(fixed) => {
                let parts = list(fixed.iter().zip(sizes).map(|(from, size)| format!("{from}:{}", from + size)));
                format!("stablehlo.slice {name} {parts} : ({from}) -> {to}")
            }
            None => {
                let (scalars, sizes) = (vec!["tensor<i64>"; corner.len()].join(", "), list(sizes));
                let corner = corner.join(", ");
                format!("stablehlo.dynamic_slice {name}, {corner}, sizes = {sizes} : ({from}, {scalars}) -> {to}")
            }
        };
        self.text.value("old", op)
    }

    /// A value with the axes of an array in its order, those of one point added.
    fn in_order(
        &mut self,
        value: &Scal,
        order: &[AxisId],
        sizes: &[i64],
        turned: &[usize],
        elem: Scalar,
    ) -> Result<String> {
        let sorted = union(&[order.to_vec()]);
        let name = self.widened(value, &sorted)?;
        let dims = self.dims(&sorted);
        let places: Vec<usize> = order.iter().filter_map(|a| sorted.iter().position(|b| a == b)).collect();
        let name = self.transposed(name, &dims, elem, &places);
        let dims = self.dims(order);
        let name = self.reshaped(name, &dims, sizes, elem);
        Ok(self.turned(name, sizes, elem, turned))
    }

    /// Indices that are outside where a lane does not write: such updates are left out.
    pub(crate) fn guarded(&mut self, write: &Write, index: &[Scal]) -> Result<Vec<Scal>> {
        if write.writes.as_const() == Some(Const::Bool(true)) {
            return Ok(index.to_vec());
        }
        let outside = Scal::Const(Const::I64(-1));
        let mut guarded = Vec::new();
        for i in index {
            guarded.push(Scal::Tensor(self.select("place", &write.writes, i, &outside)?));
        }
        Ok(guarded)
    }

    /// Adds at any places. Along lines over whole axes the updates are windows.
    fn added(&mut self, dest: &Arr, ids: &[AxisId], write: &Write) -> Result<String> {
        let places = self.places(&write.index, &dest.dims);
        let (mut windows, mut looked_up, mut index) = (Vec::new(), Vec::new(), Vec::new());
        let mut batched = self.batched(&places, &dest.dims);
        for (k, (place, &dim)) in places.iter().zip(&dest.dims).enumerate() {
            match place {
                _ if batched.iter().any(|(at, _)| *at == k) => {}
                Place::Line { axis, start: 0, step: 1 } if self.dims(&[*axis]) == [dim] => windows.push(*axis),
                _ => {
                    looked_up.push(k);
                    index.push(write.index[k].clone());
                }
            }
        }
        let used = union(&index.iter().map(Scal::axes).chain([write.writes.axes()]).collect::<Vec<_>>());
        if windows.iter().any(|a| used.contains(a)) || index.is_empty() {
            (windows, looked_up, index) = (Vec::new(), (0..dest.dims.len()).collect(), write.index.clone());
            batched.clear();
        }
        let index = self.guarded(write, &index)?;
        let along: Vec<AxisId> = batched.iter().map(|(_, axis)| *axis).collect();
        let (batch, starts) = self.starts(&index, &along)?;
        let kept = union(&[batch.clone(), windows.clone()]);
        let missing: Vec<AxisId> = ids.iter().copied().filter(|a| !kept.contains(a)).collect();
        let value = self.summed(&write.value, &missing)?;
        let axes: Vec<AxisId> = batch.iter().chain(&windows).copied().collect();
        let updates = self.in_order(&value, &axes, &self.dims(&axes), &[], dest.elem)?;
        let updates = (updates, self.ty(&axes, dest.elem));
        let beside = batching(&batched, &batch, ["input_batching_dims", "scatter_indices_batching_dims"]);
        let dims = Dims { windows: (batch.len()..axes.len()).collect(), looked_up, beside, vector: batch.len() };
        Ok(self.scattered(dest, &starts, &updates, &dims, "stablehlo.add"))
    }

    /// The scatter of updates that are combined with what is there.
    pub(crate) fn scattered(
        &mut self,
        dest: &Arr,
        starts: &(String, String),
        updates: &(String, String),
        dims: &Dims,
        combine: &str,
    ) -> String {
        let elem = elem_name(dest.elem);
        let [a, b] = ["a", "b"].map(|hint| self.text.fresh(hint));
        let name = self.text.fresh("scattered");
        let ty = dest.ty();
        let sum = self.text.fresh("c");
        self.text.line(format!(
            "{name} = \"stablehlo.scatter\"({}, {}, {}) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {}, inserted_window_dims = {}, {}scatter_dims_to_operand_dims = {}, index_vector_dim = {}>, indices_are_sorted = false, unique_indices = false}}> ({{\n^bb0({a}: tensor<{elem}>, {b}: tensor<{elem}>):\n  {sum} = {combine} {a}, {b} : tensor<{elem}>\n  stablehlo.return {sum} : tensor<{elem}>\n}}) : ({ty}, {}, {}) -> {ty}",
            dest.name,
            starts.0,
            updates.0,
            list(&dims.windows),
            list(&dims.looked_up),
            dims.beside,
            list(&dims.looked_up),
            dims.vector,
            starts.1,
            updates.1,
        ));
        name
    }
}
