//! Products with an operand whose terms have no single stride, such as a convolution's windows, without copies of the
//! windows.
//!
//! The derivatives of a convolution are such products as well. In the forward direction and the derivative by the
//! picture, lines of the result run along lines of the operand, and the other operand (the filters) is packed once. In
//! the derivative by the filters, both operands have lines of terms. Either way a vector is a part of a line, so that
//! lines must mostly fill vectors.
//!
//! The work of a thread follows from the sizes alone, and every element is summed by one thread.

use super::axes::{Axes, Axis, Side, count, single};
use super::kernels::{Across, Along, Kernels, LINES, ROWS};
use super::{Arrays, Element, WORTH_A_THREAD};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The minimal percentage of lanes in use: a copy costs as much as the others.
const WORTH_LANES: usize = 40;
/// The minimal number of columns: each vector that is read serves all of them.
const WORTH_COLUMNS: usize = 4;
/// The number of columns whose lines stay in the second-level cache even if they have nothing in common.
const FEW_COLUMNS: usize = 32;
/// The approximate number of multiplications across of a part: it reads the lines of its rows once for all its columns.
const PART: usize = 1 << 21;
/// Terms that are summed at once: their offsets and factors stay in the first-level cache.
const TERMS: usize = 512;
/// Lines of the sum that are processed at once: those of a few rows stay in the first-level cache.
const SUMMED: usize = 128;

/// The direction of vectors.
#[derive(Clone, Copy)]
enum Form {
    /// An axis of the rows and the result.
    Along,
    /// An inner axis.
    Across,
}

/// A product of this kind.
pub(super) struct Windows {
    form: Form,
    /// Whether the left operand is the right one of the caller.
    exchanged: bool,
    batch: Axes,
    line: Axis,
    /// Without the line.
    rows: Axes,
    columns: Axes,
    /// Without the line.
    inner: Axes,
}

impl Windows {
    /// The product, if an operand has no single stride and lines fill vectors. `axes` are those of each role, joined.
    pub(super) fn new<T: Element>(batch: &[Axis], rows: &[Axis], columns: &[Axis], inner: &[Axis]) -> Option<Windows> {
        Windows::in_vectors(T::kernels().next()?.lanes, (batch, rows, columns, inner))
    }

    /// As `new`, for vectors of this many elements.
    pub(super) fn in_vectors(
        lanes: usize,
        (batch, rows, columns, inner): (&[Axis], &[Axis], &[Axis], &[Axis]),
    ) -> Option<Windows> {
        if count(inner) == 0 {
            return None;
        }
        let share = |a: &Axis| 100 * a.len() / a.len().next_multiple_of(lanes).max(1);
        // Among equals, columns with elements in common, which stay in the cache.
        let mut best: Option<((usize, bool), Windows)> = None;
        let mut offer = |share: usize, windows: Windows| {
            let merit = (share, windows.columns_overlap());
            if share >= WORTH_LANES && best.as_ref().is_none_or(|(most, _)| merit > *most) {
                best = Some((merit, windows));
            }
        };
        for side in [Side::Left, Side::Right].into_iter().filter(|side| single(inner, *side).is_none()) {
            // Along, the windows are the left operand; across, the right one.
            let turned = |form: Form, exchanged: bool| {
                let of = |axes: &[Axis]| -> Axes {
                    axes.iter().map(|a| if exchanged { a.exchanged() } else { *a }).collect()
                };
                let (rows, columns) = if exchanged { (columns, rows) } else { (rows, columns) };
                let (batch, rows, columns, inner) = (of(batch), of(rows), of(columns), of(inner));
                let (line, rows, inner) = match form {
                    Form::Along => {
                        let (line, rest) = without(&rows, |a| a.left == 1 && a.into == 1)?;
                        (line, rest, inner)
                    }
                    Form::Across => {
                        let (line, rest) = without(&inner, |a| a.left == 1 && a.right == 1)?;
                        (line, rows, rest)
                    }
                };
                Some(Windows { form, exchanged, batch, line, rows, columns, inner })
            };
            if let Some(windows) = turned(Form::Along, side == Side::Right)
                && count(&windows.columns) >= WORTH_COLUMNS
            {
                offer(share(&windows.line), windows);
            }
            if let Some(windows) = turned(Form::Across, side == Side::Left)
                && count(&windows.rows) >= WORTH_COLUMNS
                && count(&windows.columns) >= WORTH_COLUMNS
                && (windows.columns_overlap() || count(&windows.columns) <= FEW_COLUMNS)
            {
                offer(share(&windows.line), windows);
            }
        }
        best.map(|(_, windows)| windows)
    }

    /// Whether columns have most of their elements in common, as windows do.
    fn columns_overlap(&self) -> bool {
        let is_step = |a: &Axis| [&self.line].into_iter().chain(&self.inner).any(|k| k.right == a.right);
        self.columns.iter().any(is_step)
    }

    /// Computes the product; returns whether there is a NaN in it.
    ///
    /// # Safety
    ///
    /// As for [`super::Problem::run`].
    pub(super) unsafe fn run<T: Element>(&self, arrays: Arrays<T>, accumulate: bool, threads: usize) -> bool {
        // SAFETY: as the caller promises.
        T::kernels().next().is_some_and(|kernels| unsafe { self.run_by(kernels, arrays, accumulate, threads) })
    }

    /// As `run`, with these kernels.
    ///
    /// # Safety
    ///
    /// As for `run`; the kernels are of this processor.
    pub(super) unsafe fn run_by<T: Element>(
        &self,
        kernels: &Kernels<T>,
        arrays: Arrays<T>,
        accumulate: bool,
        threads: usize,
    ) -> bool {
        let Arrays { into, left, right } = arrays;
        let arrays = if self.exchanged { Arrays { into, left: right, right: left } } else { arrays };
        let mut nan = false;
        for point in 0..count(&self.batch) {
            let at = place(&self.batch, point);
            let arrays = arrays.by(at);
            // SAFETY: as the caller promises.
            nan |= unsafe {
                match self.form {
                    Form::Along => self.along(kernels, arrays, accumulate, threads),
                    Form::Across => self.across(kernels, arrays, accumulate, threads),
                }
            };
        }
        nan
    }

    /// The vectors of a line: those that are full, and the last one.
    fn vectors(&self, lanes: usize) -> impl Iterator<Item = Part> + use<> {
        let (count, rest) = (self.line.len() / lanes, self.line.len() % lanes);
        let full = Part { from: 0, count, lanes };
        let last = Part { from: count, count: usize::from(rest > 0), lanes: rest };
        [full, last].into_iter().filter(|part| part.count > 0)
    }

    /// # Safety
    ///
    /// As for `run`.
    unsafe fn along<T: Element>(
        &self,
        kernels: &Kernels<T>,
        arrays: Arrays<T>,
        accumulate: bool,
        threads: usize,
    ) -> bool {
        let terms = places(&self.inner);
        let columns = places(&self.columns);
        let panels = panels(columns.len(), kernels.along_widths);
        // SAFETY: as the caller promises.
        let packed = unsafe { packed(arrays.right, &terms, &columns, &panels) };
        let terms: Vec<isize> = terms.iter().map(|t| t.left).collect();
        let columns: Vec<isize> = columns.iter().map(|c| c.into).collect();
        let lines = count(&self.rows);
        let mut nan = false;
        for vectors in self.vectors(kernels.lanes) {
            let work = vectors.lanes.saturating_mul(columns.len()).saturating_mul(terms.len()).max(1);
            let each = (WORTH_A_THREAD / work).max(1).next_multiple_of(LINES);
            let tiles = |from: usize, to: usize| -> bool {
                let mut nan = false;
                for from in (from..to).step_by(LINES) {
                    let mut starts = [(0, 0); LINES];
                    let count = LINES.min(to - from);
                    for (k, start) in starts.iter_mut().enumerate().take(count) {
                        let at = place(&self.rows, (from + k) / vectors.count);
                        let along = vectors.start(kernels.lanes, (from + k) % vectors.count);
                        *start = (at.left.wrapping_add(along), at.into.wrapping_add(along));
                    }
                    let lines = starts.get(..count).unwrap_or_default();
                    let mut first = 0;
                    for (part, terms) in terms.chunks(TERMS).enumerate() {
                        for panel in &panels {
                            let tile = Along {
                                arrays,
                                lines,
                                terms,
                                right: packed.as_ptr().wrapping_add(first),
                                width: panel.width,
                                columns: columns.get(panel.from..panel.to).unwrap_or_default(),
                                lanes: vectors.lanes,
                                accumulate: accumulate || part > 0,
                            };
                            // SAFETY: as the caller promises; `packed` holds so many elements.
                            nan |= unsafe { (kernels.along)(&tile) };
                            first += panel.width * terms.len();
                        }
                    }
                }
                nan
            };
            nan |= in_parts(lines * vectors.count, each, threads, &tiles);
        }
        nan
    }

    /// # Safety
    ///
    /// As for `run`.
    unsafe fn across<T: Element>(
        &self,
        kernels: &Kernels<T>,
        arrays: Arrays<T>,
        accumulate: bool,
        threads: usize,
    ) -> bool {
        let both = |axes: &[Axis], side: Side| -> Vec<(isize, isize)> {
            places(axes).iter().map(|p| (if side == Side::Left { p.left } else { p.right }, p.into)).collect()
        };
        let rows = both(&self.rows, Side::Left);
        let columns = both(&self.columns, Side::Right);
        let lines = places(&self.inner);
        // The vectors of all lines, by their lanes.
        let vectors: Vec<(usize, Vec<(isize, isize)>)> = self
            .vectors(kernels.lanes)
            .map(|vectors| {
                let of = |line: &PointOffsets| {
                    let (left, right) = (line.left, line.right);
                    (0..vectors.count).map(move |k| {
                        let along = vectors.start(kernels.lanes, k);
                        (left.wrapping_add(along), right.wrapping_add(along))
                    })
                };
                (vectors.lanes, lines.iter().flat_map(of).collect())
            })
            .collect();
        let panels = panels(columns.len(), kernels.across_widths);
        let tiles: Vec<&[(isize, isize)]> = rows.chunks(ROWS).collect();
        let work = ROWS * panels.first().map_or(1, |p| p.width) * lines.len().saturating_mul(self.line.len()).max(1);
        let each = (PART / work).max(1).min(panels.len().max(1));
        let groups = panels.len().div_ceil(each);
        let some = |from: usize, to: usize| -> bool {
            let mut nan = false;
            for group in from..to {
                let (Some(rows), at) = (tiles.get(group / groups), group % groups * each) else { continue };
                let panels = panels.get(at..panels.len().min(at + each)).unwrap_or_default();
                let mut before = false;
                for (lanes, lines) in &vectors {
                    for lines in lines.chunks(SUMMED) {
                        for panel in panels {
                            let tile = Across {
                                arrays,
                                rows,
                                columns: columns.get(panel.from..panel.to).unwrap_or_default(),
                                width: panel.width,
                                lines,
                                lanes: *lanes,
                                accumulate: accumulate || before,
                            };
                            // SAFETY: as the caller promises.
                            nan |= unsafe { (kernels.across)(&tile) };
                        }
                        before = true;
                    }
                }
            }
            nan
        };
        in_parts(tiles.len() * groups, 1, threads, &some)
    }
}

/// Vectors of a line with equally many lanes in use.
#[derive(Clone, Copy)]
struct Part {
    /// Vectors before.
    from: usize,
    count: usize,
    lanes: usize,
}

impl Part {
    /// The start of a vector in its line, if full ones have this many lanes.
    fn start(self, lanes: usize, k: usize) -> isize {
        ((self.from + k) * lanes) as isize
    }
}

/// Whether `f` returns true for any of the parts.
fn in_parts(count: usize, each: usize, threads: usize, f: &(dyn Fn(usize, usize) -> bool + Sync)) -> bool {
    let parts = count.div_ceil(each);
    if threads <= 1 || parts <= 1 {
        return f(0, count);
    }
    let any = AtomicBool::new(false);
    crate::team::for_each(parts, &|k| {
        if f(k * each, count.min((k + 1) * each)) {
            any.store(true, Relaxed);
        }
    });
    any.load(Relaxed)
}

/// The longest axis for which the condition holds, and the others.
fn without(axes: &[Axis], is: impl Fn(&Axis) -> bool) -> Option<(Axis, Axes)> {
    let at = axes.iter().enumerate().filter(|(_, a)| is(a)).max_by_key(|(_, a)| a.extent)?.0;
    let mut rest = Axes::from_slice(axes);
    let line = rest.remove(at);
    Some((line, rest))
}

/// The distance of a point from the first one, in each array.
#[derive(Clone, Copy, Default)]
struct PointOffsets {
    into: isize,
    left: isize,
    right: isize,
}

fn place(axes: &[Axis], mut point: usize) -> PointOffsets {
    let mut at = PointOffsets::default();
    for axis in axes.iter().rev() {
        let index = (point % axis.len().max(1)) as isize;
        point /= axis.len().max(1);
        let by = |sum: isize, stride: isize| sum.wrapping_add(stride.wrapping_mul(index));
        at = PointOffsets {
            into: by(at.into, axis.into),
            left: by(at.left, axis.left),
            right: by(at.right, axis.right),
        };
    }
    at
}

fn places(axes: &[Axis]) -> Vec<PointOffsets> {
    (0..count(axes)).map(|k| place(axes, k)).collect()
}

impl<T> Arrays<T> {
    fn by(self, at: PointOffsets) -> Arrays<T> {
        Arrays {
            into: self.into.wrapping_offset(at.into),
            left: self.left.wrapping_offset(at.left),
            right: self.right.wrapping_offset(at.right),
        }
    }
}

/// Columns that are computed at once.
struct Panel {
    from: usize,
    to: usize,
    width: usize,
}

/// Columns in panels of one of the widths, chosen so that the least work is wasted; the wider of equals.
fn panels(columns: usize, widths: &[usize]) -> Vec<Panel> {
    let most = widths.first().copied().unwrap_or(1);
    let least = widths.iter().copied().min_by_key(|&w| columns.next_multiple_of(w)).unwrap_or(most);
    let mut out = Vec::new();
    let mut from = 0;
    while from < columns {
        // A narrower last panel may be enough.
        let width = widths.iter().copied().filter(|&w| w <= least && w >= columns - from).min().unwrap_or(least);
        let to = columns.min(from + width);
        out.push(Panel { from, to, width });
        from = to;
    }
    out
}

/// An operand by parts of terms, panels, terms and columns; partial panels are padded with zeros.
///
/// # Safety
///
/// `from` is the address of an array that has an element for every term and column.
unsafe fn packed<T: Element>(
    from: *const T,
    terms: &[PointOffsets],
    columns: &[PointOffsets],
    panels: &[Panel],
) -> Vec<T> {
    let width: usize = panels.iter().map(|p| p.width).sum();
    let mut out = Vec::with_capacity(width.saturating_mul(terms.len()));
    for terms in terms.chunks(TERMS) {
        for panel in panels {
            let columns = columns.get(panel.from..panel.to).unwrap_or_default();
            for term in terms {
                let start = from.wrapping_offset(term.right);
                // SAFETY: as the caller promises.
                out.extend(columns.iter().map(|c| unsafe { *start.wrapping_offset(c.right) }));
                out.extend(std::iter::repeat_n(T::ZERO, panel.width - columns.len()));
            }
        }
    }
    out
}
