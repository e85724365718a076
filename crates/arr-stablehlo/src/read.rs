//! Elements of arrays: at affine places a slice, at others a `gather`.

use crate::ahead::{Part, Start};
use crate::error::{Result, internal};
use crate::space::{Emitter, Margins};
use crate::text::{elem_name, list, tensor};
use crate::values::{Affine, Arr, AxisId, Range, Scal, Val, Windows, union};
use arr_ir::{Const, Scalar};

/// At most so many slices stand for one look-up.
const MOST_VIEWS: i64 = 32;
/// A slice for fewer elements is not worth its operation.
pub(crate) const LONG_ENOUGH: f64 = 128.0;

/// A scalar where axes are at these points.
pub(crate) fn at_point(scal: &Scal, axes: &[AxisId], point: &[i64]) -> Scal {
    let Scal::Affine(a) = scal else { return scal.clone() };
    let mut made = Affine { terms: Vec::new(), ..a.clone() };
    for &(axis, by) in &a.terms {
        match axes.iter().position(|other| *other == axis).and_then(|k| point.get(k)) {
            Some(at) => made.constant = made.constant.saturating_add(by.saturating_mul(*at)),
            None => made.terms.push((axis, by)),
        }
    }
    match (&made.base, made.terms.is_empty()) {
        (None, true) => Scal::Const(Const::I64(made.constant)),
        (Some(base), true) if made.constant == 0 => Scal::Tensor(base.clone()),
        _ => Scal::Affine(made),
    }
}

/// The first and the last place along an axis, and the step between places.
type ReadSpan = (i64, i64, i64);

/// One component of an index, as what it selects along its axis of the array.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Fixed(i64),
    /// `start + step * index`, of an axis in no other component.
    Line {
        axis: AxisId,
        start: i64,
        step: i64,
    },
    /// The same at all points, and known when the program runs.
    Moving(Scal),
    /// `start + index`, where the start moves; all of it is inside the array.
    MovingLine {
        axis: AxisId,
        start: Scal,
    },
    Any(Scal),
}

impl Place {
    pub(crate) fn axis(&self) -> Option<AxisId> {
        match self {
            Place::Line { axis, .. } | Place::MovingLine { axis, .. } => Some(*axis),
            Place::Fixed(_) | Place::Moving(_) | Place::Any(_) => None,
        }
    }
}

impl Emitter<'_> {
    /// The components of an index into an array of these extents.
    pub(crate) fn places(&self, index: &[Scal], dims: &[i64]) -> Vec<Place> {
        let count = |axis: AxisId| index.iter().filter(|i| i.axes().contains(&axis)).count();
        index.iter().zip(dims).map(|(i, &dim)| self.place(i, dim, &count)).collect()
    }

    fn place(&self, index: &Scal, dim: i64, count: &dyn Fn(AxisId) -> usize) -> Place {
        let any = || Place::Any(index.clone());
        match index {
            Scal::Const(c) => c.as_i64().filter(|&c| (0..dim).contains(&c)).map_or_else(any, Place::Fixed),
            Scal::Tensor(v) if v.axes.is_empty() => Place::Moving(index.clone()),
            Scal::Affine(a) if a.decides().is_some() => any(),
            Scal::Affine(Affine { terms, .. }) if terms.is_empty() => Place::Moving(index.clone()),
            Scal::Affine(Affine { base, constant, terms }) => {
                let [(axis, step)] = *terms.as_slice() else { return any() };
                if count(axis) != 1 {
                    return any();
                }
                match base {
                    // Far outside is where a check fails: a view of that would be as large as it is far.
                    None if self.is_near(index, dim) => Place::Line { axis, start: *constant, step },
                    None => any(),
                    Some(_) if step == 1 && self.is_inside(index, dim) => {
                        let start = Scal::Affine(Affine { base: base.clone(), constant: *constant, terms: Vec::new() });
                        Place::MovingLine { axis, start }
                    }
                    Some(_) => any(),
                }
            }
            Scal::Tensor(_) | Scal::Product { .. } | Scal::Windows(_) => any(),
        }
    }

    /// Whether an index is no further from an axis than that is long, or than lanes are many.
    fn is_near(&self, index: &Scal, dim: i64) -> bool {
        let Range(least, most) = self.range(index);
        let lanes = self.dims(&index.axes()).iter().product::<i64>();
        let room = dim.saturating_add(lanes);
        least >= -room && most < dim.saturating_add(room)
    }

    pub(crate) fn is_inside(&self, index: &Scal, dim: i64) -> bool {
        let Range(least, most) = self.range(index);
        least >= 0 && most < dim
    }

    pub(crate) fn read(&mut self, array: &Arr, index: &[Scal], hint: &str) -> Result<Scal> {
        let used = union(&index.iter().map(Scal::axes).collect::<Vec<_>>());
        // Where there is no element or no point, the value does not matter.
        if array.dims.contains(&0) || self.dims(&used).contains(&0) {
            return Ok(Scal::Const(Const::zero(array.elem)));
        }
        let places = self.places(index, &array.dims);
        let looked_up = places.iter().any(|place| matches!(place, Place::Any(_)));
        if looked_up && array.elem.is_float() && self.may_slide(index, &places) {
            let windows = Windows { array: array.clone(), index: index.to_vec(), hint: hint.to_string() };
            return Ok(Scal::Windows(Box::new(windows)));
        }
        Ok(Scal::Tensor(self.elements(array, index, hint)?))
    }

    /// The tensor of elements at any places.
    pub(crate) fn elements(&mut self, array: &Arr, index: &[Scal], hint: &str) -> Result<Val> {
        let places = self.places(index, &array.dims);
        let val = match places.iter().any(|p| matches!(p, Place::Any(_))) {
            true => match self.short_axes(index, &array.dims) {
                Some(short) => self.windows(array, index, &short)?,
                None => match self.chosen(array, index, hint)? {
                    Some(chosen) => chosen,
                    None => self.gather(array, &places, hint)?,
                },
            },
            false => self.view(array, &places)?,
        };
        // Lanes that take no part may find zeros.
        let range = if array.range == Range::ANY { Range::ANY } else { array.range.or(Range(0, 0)) };
        Ok(Val { range, ..val })
    }

    /// Short axes, at each point of which the other components are those of a view: `a[i + j]` is a slice for every `j`.
    pub(crate) fn short_axes(&self, index: &[Scal], dims: &[i64]) -> Option<Vec<AxisId>> {
        let all = union(&index.iter().map(Scal::axes).collect::<Vec<_>>());
        let all: f64 = self.dims(&all).iter().map(|&d| d as f64).product();
        let places = self.places(index, dims);
        let odd = places.iter().filter_map(|place| if let Place::Any(i) = place { Some(i.axes()) } else { None });
        let mut axes = union(&odd.collect::<Vec<_>>());
        axes.sort_by_key(|&axis| self.dims(&[axis]));
        let mut short = Vec::new();
        let mut views = 1;
        for axis in axes {
            views *= self.dims(&[axis])[0].max(1);
            if views > MOST_VIEWS || all < LONG_ENOUGH * views as f64 {
                return None;
            }
            short.push(axis);
            let is_view = |point: &Vec<i64>| {
                let here: Vec<Scal> = index.iter().map(|i| at_point(i, &short, point)).collect();
                !self.places(&here, dims).iter().any(|place| matches!(place, Place::Any(_)))
            };
            if self.points(&short).iter().all(is_view) {
                return Some(short);
            }
        }
        None
    }

    /// The points of short axes, in order.
    pub(crate) fn points(&self, short: &[AxisId]) -> Vec<Vec<i64>> {
        let mut points = vec![Vec::new()];
        for &bound in &self.dims(short) {
            let longer = |point: &Vec<i64>| (0..bound).map(|k| [&point[..], &[k]].concat()).collect::<Vec<_>>();
            points = points.iter().flat_map(longer).collect();
        }
        points
    }

    /// A view for every point of short axes, side by side.
    fn windows(&mut self, array: &Arr, index: &[Scal], short: &[AxisId]) -> Result<Val> {
        let (mut names, mut axes) = (Vec::new(), Vec::new());
        for point in self.points(short) {
            let here: Vec<Scal> = index.iter().map(|i| at_point(i, short, &point)).collect();
            let places = self.places(&here, &array.dims);
            let view = self.view(array, &places)?;
            let dims = self.dims(&view.axes);
            let one: Vec<i64> = [1].iter().chain(&dims).copied().collect();
            names.push(self.reshaped(view.name, &dims, &one, array.elem));
            axes = view.axes;
        }
        let dims = self.dims(&axes);
        let one: Vec<i64> = [1].iter().chain(&dims).copied().collect();
        let flat: Vec<i64> = [names.len() as i64].iter().chain(&dims).copied().collect();
        let beside = self.beside("windows", &names, &one, 0, array.elem);
        let all: Vec<AxisId> = short.iter().chain(&axes).copied().collect();
        let name = self.reshaped(beside, &flat, &self.dims(&all), array.elem);
        Ok(self.over(name, &all, array.elem))
    }

    /// Slices, reversals and another order of axes.
    pub(crate) fn view(&mut self, array: &Arr, places: &[Place]) -> Result<Val> {
        if places.iter().any(|place| matches!(place, Place::Any(_))) {
            return internal("a view has a place that is looked up");
        }
        let moves = places.iter().any(|p| matches!(p, Place::Moving(_) | Place::MovingLine { .. }));
        let (name, dims) = if moves { self.moving_box(array, places)? } else { self.lines(array, places) };
        let axes: Vec<AxisId> = places.iter().filter_map(Place::axis).collect();
        let kept: Vec<i64> =
            places.iter().zip(&dims).filter(|(place, _)| place.axis().is_some()).map(|(_, &dim)| dim).collect();
        let name = self.reshaped(name, &dims, &kept, array.elem);
        Ok(self.over(name, &axes, array.elem))
    }

    /// The box at places of which some move. Returns its extents too.
    fn moving_box(&mut self, array: &Arr, places: &[Place]) -> Result<(String, Vec<i64>)> {
        let places = self.all_moving(places, &array.dims);
        let (source, dims) = self.lines(array, &places);
        let (mut starts, mut sizes) = (Vec::new(), Vec::new());
        for (place, &dim) in places.iter().zip(&dims) {
            let (start, size) = match place {
                Place::Moving(start) => (start.clone(), 1),
                Place::MovingLine { axis, start } => (start.clone(), self.dims(&[*axis])[0]),
                _ => (Scal::Const(Const::I64(0)), dim),
            };
            starts.push(match start.as_const().and_then(Const::as_i64) {
                Some(at) => Start::At(at),
                None => Start::Value(self.val(&start)?.name),
            });
            sizes.push(size);
        }
        let name = self.row(Part { source, elem: array.elem, dims, starts, sizes: sizes.clone() })?;
        Ok((name, sizes))
    }

    /// Places of which one moves, with those that do not as others that start there, where one slice can be for all.
    fn all_moving(&self, places: &[Place], dims: &[i64]) -> Vec<Place> {
        let constant = |at: i64| Scal::Const(Const::I64(at));
        let one = |(place, &dim): (&Place, &i64)| match place {
            Place::Fixed(at) => Place::Moving(constant(*at)),
            Place::Line { axis, start, step: 1 } if *start >= 0 && start + self.dims(&[*axis])[0] <= dim => {
                Place::MovingLine { axis: *axis, start: constant(*start) }
            }
            _ => place.clone(),
        };
        places.iter().zip(dims).map(one).collect()
    }

    /// The array at fixed places and along lines; other axes are whole.
    fn lines(&mut self, array: &Arr, places: &[Place]) -> (String, Vec<i64>) {
        let elem = elem_name(array.elem);
        let (mut spans, mut reversed) = self.spans(array, places);
        let (mut name, mut dims) = self.padded(array, &mut spans);
        if spans.iter().zip(&dims).any(|(s, &dim)| *s != (0, dim - 1, 1)) {
            let parts = list(spans.iter().map(|&(first, last, step)| match step {
                1 => format!("{first}:{}", last + 1),
                _ => format!("{first}:{}:{step}", last + 1),
            }));
            let sizes: Vec<i64> = spans.iter().map(|s| (s.1 - s.0) / s.2 + 1).collect();
            let (from, to) = (tensor(&dims, elem), tensor(&sizes, elem));
            name = self.text.value("part", format!("stablehlo.slice {name} {parts} : ({from}) -> {to}"));
            dims = sizes;
        }
        // A line along an axis of one point may have a step of any sign.
        reversed.retain(|&k| dims[k] > 1);
        (self.turned(name, &dims, array.elem, &reversed), dims)
    }

    /// What is read along each axis; and the axes along which a line runs downwards.
    pub(crate) fn spans(&self, array: &Arr, places: &[Place]) -> (Vec<ReadSpan>, Vec<usize>) {
        let mut spans = Vec::new();
        let mut reversed = Vec::new();
        for (k, (place, &dim)) in places.iter().zip(&array.dims).enumerate() {
            spans.push(match place {
                Place::Fixed(at) => (*at, *at, 1),
                Place::Line { axis, start, step } => {
                    let bound = self.dims(&[*axis])[0];
                    let last = start.saturating_add(step.saturating_mul(bound - 1));
                    if *step < 0 {
                        reversed.push(k);
                    }
                    (*start.min(&last), *start.max(&last), step.abs().max(1))
                }
                _ => (0, dim - 1, 1),
            });
        }
        (spans, reversed)
    }

    /// The array with room for all places. Returns its sizes too.
    fn padded(&mut self, array: &Arr, spans: &mut [ReadSpan]) -> (String, Vec<i64>) {
        // Lanes that take no part may reach beyond: there is nothing that matters.
        let low: Vec<i64> = spans.iter().map(|s| (-s.0).max(0)).collect();
        let high: Vec<i64> = spans.iter().zip(&array.dims).map(|(s, dim)| (s.1 - (dim - 1)).max(0)).collect();
        if low.iter().chain(&high).all(|&n| n == 0) {
            return (array.name.clone(), array.dims.clone());
        }
        for (span, low) in spans.iter_mut().zip(&low) {
            span.0 += low;
            span.1 += low;
        }
        let interior = vec![0; array.dims.len()];
        self.among_zeros("pad", array, &Margins { low, high, interior })
    }

    /// Elements at places that are computed. Indices are clamped: a lane that takes no part reads anything.
    fn gather(&mut self, array: &Arr, places: &[Place], hint: &str) -> Result<Val> {
        let elem = elem_name(array.elem);
        let (name, dims) = self.lines(array, places);
        let (mut indices, mut looked_up, mut windows, mut sizes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let batched = self.batched(places, &dims);
        for (k, (place, &dim)) in places.iter().zip(&dims).enumerate() {
            if batched.iter().any(|(at, _)| *at == k) {
                sizes.push(1);
                continue;
            }
            let index = match place {
                Place::Line { axis, .. } => {
                    windows.push(*axis);
                    sizes.push(dim);
                    continue;
                }
                Place::Fixed(_) => Scal::Const(Const::I64(0)),
                Place::Moving(i) | Place::Any(i) => i.clone(),
                Place::MovingLine { axis, start } => {
                    let index = self.index(*axis);
                    self.prim(arr_ir::Prim::Add, &[start.clone(), index], "i")?
                }
            };
            indices.push(index);
            looked_up.push(k);
            sizes.push(1);
        }
        let along: Vec<AxisId> = batched.iter().map(|(_, axis)| *axis).collect();
        let (batch, starts) = self.starts(&indices, &along)?;
        let start_ty = starts.1;
        let rank = batch.len();
        let beside = batching(&batched, &batch, ["operand_batching_dims", "start_indices_batching_dims"]);
        let axes: Vec<AxisId> = batch.iter().chain(&windows).copied().collect();
        let op = format!(
            "\"stablehlo.gather\"({name}, {}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {}, collapsed_slice_dims = {}, {beside}start_index_map = {}, index_vector_dim = {rank}>, indices_are_sorted = false, slice_sizes = array<i64: {}>}}> : ({}, {start_ty}) -> {}",
            starts.0,
            list(rank..rank + windows.len()),
            list(&looked_up),
            list(&looked_up),
            sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
            tensor(&dims, elem),
            self.ty(&axes, array.elem),
        );
        let name = self.text.value(hint, op);
        Ok(self.over(name, &axes, array.elem))
    }

    /// The axes of the array along which the place is that of an axis of the space on which another component depends as
    /// well: both go along together, and a device that has a part of the one needs that part of the other only.
    pub(crate) fn batched(&self, places: &[Place], dims: &[i64]) -> Vec<(usize, AxisId)> {
        let mut found: Vec<(usize, AxisId)> = Vec::new();
        for (k, (place, &dim)) in places.iter().zip(dims).enumerate() {
            let Place::Any(Scal::Affine(Affine { base: None, constant: 0, terms })) = place else { continue };
            let [(axis, 1)] = *terms.as_slice() else { continue };
            if self.dims(&[axis]) == [dim] && !found.iter().any(|(_, other)| *other == axis) {
                found.push((k, axis));
            }
        }
        // At least one component is left to be looked up.
        let lines = places.iter().filter(|place| matches!(place, Place::Line { .. })).count();
        if found.len() + lines == places.len() { Vec::new() } else { found }
    }

    /// Indices side by side along one more axis, the last: the axes of the others and of `along`, and the tensor with its
    /// type.
    pub(crate) fn starts(&mut self, indices: &[Scal], along: &[AxisId]) -> Result<(Vec<AxisId>, (String, String))> {
        let axes = union(&indices.iter().map(Scal::axes).chain([along.to_vec()]).collect::<Vec<_>>());
        let names = indices.iter().map(|i| self.widened(i, &axes)).collect::<Result<Vec<String>>>()?;
        let dims = self.dims(&axes);
        let single: Vec<i64> = dims.iter().copied().chain([1]).collect();
        let parts: Vec<String> =
            names.into_iter().map(|name| self.reshaped(name, &dims, &single, Scalar::I64)).collect();
        let all: Vec<i64> = dims.iter().copied().chain([parts.len() as i64]).collect();
        let name = self.beside("index", &parts, &single, dims.len(), Scalar::I64);
        Ok((axes, (name, tensor(&all, "i64"))))
    }
}

/// The attributes for axes of an array and of indices that go along together.
pub(crate) fn batching(batched: &[(usize, AxisId)], axes: &[AxisId], [own, others]: [&str; 2]) -> String {
    if batched.is_empty() {
        return String::new();
    }
    let place = |axis: &AxisId| axes.iter().position(|a| a == axis).unwrap_or(0);
    let (dims, places) = (list(batched.iter().map(|b| b.0)), list(batched.iter().map(|b| place(&b.1))));
    format!("{own} = {dims}, {others} = {places}, ")
}
