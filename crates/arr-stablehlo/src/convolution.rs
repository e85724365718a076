//! Sums of products of windows with numbers: `convolution`.
//!
//! ```text
//! sum c, r: x[b, c, s * o + d * r + k] * w[f, c, r]        x: batch b, features c     w: features c to f, window r
//! ```
//!
//! `o` is an axis of the result, `r` one that is summed over. XLA's convolution takes one axis of the batch, one of
//! features on each side, and any number of windows: axes of one kind are made one. The gradient of the filter is such a
//! sum as well, in which the picture is the window.

use crate::error::Result;
use crate::read::Place;
use crate::space::Emitter;
use crate::text::list;
use crate::values::{Affine, Arr, AxisId, Scal, Val, Windows};
use arr_ir::Scalar;

/// XLA has fast code for processors up to so many axes of windows.
const MOST_WINDOWED: usize = 3;

/// A component of an index that moves with an axis of the result and with one that is summed over.
#[derive(Clone, Copy, Debug)]
struct Slide {
    outer: AxisId,
    stride: i64,
    inner: AxisId,
    dilation: i64,
    constant: i64,
    /// The component of the index.
    at: usize,
}

/// The parts that axes take.
struct Roles {
    slides: Vec<Slide>,
    batch: Vec<AxisId>,
    /// Summed over, and in both factors.
    features: Vec<AxisId>,
    /// Of the result, and in the filter alone.
    outputs: Vec<AxisId>,
}

impl Roles {
    fn outer(&self) -> Vec<AxisId> {
        self.slides.iter().map(|slide| slide.outer).collect()
    }

    fn inner(&self) -> Vec<AxisId> {
        self.slides.iter().map(|slide| slide.inner).collect()
    }
}

/// A component of an index as `constant + by * axis + by * axis`.
fn two_terms(index: &Scal) -> Option<(i64, [(AxisId, i64); 2])> {
    match index {
        Scal::Affine(Affine { base: None, constant, terms }) => Some((*constant, <[_; 2]>::try_from(&terms[..]).ok()?)),
        _ => None,
    }
}

impl Emitter<'_> {
    /// Whether looking these elements up may be left to a convolution: what is not a slice slides along two axes, of
    /// which nothing else depends.
    pub(crate) fn may_slide(&self, index: &[Scal], places: &[Place]) -> bool {
        let alone = |axis: AxisId| index.iter().filter(|i| i.axes().contains(&axis)).count() == 1;
        index.iter().zip(places).all(|(i, place)| match (place, two_terms(i)) {
            (Place::Any(_), Some((_, terms))) => terms.iter().all(|(axis, _)| alone(*axis)),
            (Place::Any(_), None) => false,
            _ => true,
        })
    }

    /// The sum of the products of windows with other numbers, if it is a convolution.
    pub(crate) fn convolution(&mut self, left: &Scal, right: &Scal, along: &[AxisId]) -> Result<Option<Val>> {
        let (windows, filter) = match (left, right) {
            (Scal::Windows(windows), other) | (other, Scal::Windows(windows)) => (windows, other),
            _ => return Ok(None),
        };
        // In double precision XLA convolves number by number, which takes longer than a product of matrices with copies.
        if windows.array.elem != Scalar::F32 {
            return Ok(None);
        }
        let filter = self.val(filter)?;
        let Some(roles) = self.roles(windows, &filter.axes, along) else { return Ok(None) };
        let index: Vec<Scal> = (0..windows.index.len()).map(|at| self.spanned(windows, &roles, at)).collect();
        let places = self.places(&index, &windows.array.dims);
        if places.iter().any(|place| matches!(place, Place::Any(_))) {
            return Ok(None);
        }
        let view = self.view(&windows.array, &places)?;
        let lines: Vec<AxisId> = roles.slides.iter().filter_map(|slide| places[slide.at].axis()).collect();
        let picture =
            self.grouped(&view, [vec![roles.batch.clone()], apart(&lines), vec![roles.features.clone()]].concat());
        let groups = [apart(&roles.inner()), vec![roles.features.clone(), roles.outputs.clone()]].concat();
        let filter = self.grouped(&filter, groups);
        let downwards = |by: fn(&Slide) -> i64| -> Vec<usize> {
            (0..roles.slides.len()).filter(|&k| by(&roles.slides[k]) < 0).collect()
        };
        let name = self.turned(filter.name, &filter.dims, filter.elem, &downwards(|slide| slide.dilation));
        let filter = Arr { name, ..filter };
        let made = self.convolved(&picture, &filter, &roles.slides);
        let against: Vec<usize> = downwards(|slide| slide.stride).into_iter().map(|k| k + 1).collect();
        let name = self.turned(made.name, &made.dims, made.elem, &against);
        let axes: Vec<AxisId> = [roles.batch.clone(), roles.outer(), roles.outputs.clone()].concat();
        let name = self.reshaped(name, &made.dims, &self.dims(&axes), made.elem);
        Ok(Some(self.over(name, &axes, made.elem)))
    }

    /// The parts that axes take, if a convolution has no others.
    fn roles(&self, windows: &Windows, filter: &[AxisId], along: &[AxisId]) -> Option<Roles> {
        let mut roles = Roles { slides: Vec::new(), batch: Vec::new(), features: Vec::new(), outputs: Vec::new() };
        let places = self.places(&windows.index, &windows.array.dims);
        for (at, (index, place)) in windows.index.iter().zip(&places).enumerate() {
            if let Place::Any(_) = place {
                let (constant, mut terms) = two_terms(index)?;
                terms.sort_by_key(|(axis, _)| along.contains(axis));
                let [(outer, stride), (inner, dilation)] = terms;
                let fits = !along.contains(&outer) && along.contains(&inner);
                if !fits || filter.contains(&outer) || !filter.contains(&inner) {
                    return None;
                }
                roles.slides.push(Slide { outer, stride, inner, dilation, constant, at });
            } else if let Some(axis) = place.axis() {
                match (along.contains(&axis), filter.contains(&axis)) {
                    (false, false) => roles.batch.push(axis),
                    (true, true) => roles.features.push(axis),
                    _ => return None,
                }
            }
        }
        let inner = roles.inner();
        let summed = |axis: &AxisId| inner.contains(axis) || roles.features.contains(axis);
        if roles.slides.is_empty() || roles.slides.len() > MOST_WINDOWED || !along.iter().all(summed) {
            return None;
        }
        roles.outputs = filter.iter().copied().filter(|axis| !summed(axis)).collect();
        Some(roles)
    }

    /// A component of the index with everything that the windows touch as one line.
    fn spanned(&mut self, windows: &Windows, roles: &Roles, at: usize) -> Scal {
        let Some(slide) = roles.slides.iter().find(|slide| slide.at == at) else { return windows.index[at].clone() };
        let last = |axis: AxisId, by: i64| by.saturating_mul(self.dims(&[axis])[0] - 1);
        let (outer, inner) = (last(slide.outer, slide.stride), last(slide.inner, slide.dilation));
        let start = slide.constant.saturating_add(outer.min(0)).saturating_add(inner.min(0));
        let line = self.axis(outer.abs().saturating_add(inner.abs()).saturating_add(1));
        Scal::Affine(Affine { base: None, constant: start, terms: vec![(line, 1)] })
    }

    /// A tensor whose axes are these groups of axes, in this order.
    fn grouped(&mut self, v: &Val, groups: Vec<Vec<AxisId>>) -> Arr {
        let axes = groups.concat();
        let (name, own) = v.unordered.clone().unwrap_or_else(|| (v.name.clone(), v.axes.clone()));
        let order: Vec<usize> = axes.iter().filter_map(|a| own.iter().position(|b| a == b)).collect();
        let name = self.transposed(name, &self.dims(&own), v.elem, &order);
        let dims: Vec<i64> = groups.iter().map(|group| self.dims(group).iter().product()).collect();
        let name = self.reshaped(name, &self.dims(&axes), &dims, v.elem);
        Arr::new(name, dims, v.elem)
    }

    /// The convolution of a picture, `[batch][windowed]..[features]`, with a filter, `[windows]..[features][outputs]`.
    fn convolved(&mut self, picture: &Arr, filter: &Arr, slides: &[Slide]) -> Arr {
        let sizes = |slide: &Slide| self.dims(&[slide.outer])[0];
        let middle: Vec<i64> = slides.iter().map(sizes).collect();
        let ends = |dims: &[i64], at: usize| dims.get(at).copied().unwrap_or(1);
        let dims = [vec![ends(&picture.dims, 0)], middle, vec![ends(&filter.dims, slides.len() + 1)]].concat();
        let windows = (0..slides.len()).map(|k| k.to_string()).collect::<Vec<_>>().join(", ");
        let each = |of: &dyn Fn(&Slide) -> i64| list(slides.iter().map(of));
        let made = Arr::new(String::new(), dims, picture.elem);
        let op = format!(
            "stablehlo.convolution({}, {}) dim_numbers = [b, {windows}, f]x[{windows}, i, o]->[b, {windows}, f], window = {{stride = {}, pad = {}, lhs_dilate = {}, rhs_dilate = {}}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}} : ({}, {}) -> {}",
            picture.name,
            filter.name,
            each(&|slide| slide.stride.abs()),
            list(vec!["[0, 0]"; slides.len()]),
            each(&|_| 1),
            each(&|slide| slide.dilation.abs()),
            picture.ty(),
            filter.ty(),
            made.ty(),
        );
        Arr { name: self.text.value("conv", op), ..made }
    }
}

/// A group for each axis.
fn apart(axes: &[AxisId]) -> Vec<Vec<AxisId>> {
    axes.iter().map(|&axis| vec![axis]).collect()
}
