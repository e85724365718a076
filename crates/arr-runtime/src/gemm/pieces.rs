//! Large products in pieces, between which a run can be stopped.

use super::axes::{Axes, Axis, count};
use super::{Arrays, Element, Problem};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A piece has about this many multiplications, some tenths of a second on one thread.
const PIECE: usize = 1 << 32;
/// The least number of rows and columns of a piece: every piece copies its operands.
const LEAST: usize = 1024;

/// The product, unless the flag is set meanwhile: then some of the result is missing.
///
/// # Safety
///
/// As for [`Problem::run`].
pub(super) unsafe fn run<T: Element>(arrays: Arrays<T>, axes: &[Axis], flags: i64, stop: Option<&AtomicBool>) {
    let lengths = lengths(axes, PIECE);
    let mut piece = Axes::from_slice(axes);
    // SAFETY: as the caller promises: a piece is a part of the product.
    each(&mut piece, &lengths, arrays, &mut |piece, at| unsafe {
        let goes_on = !stop.is_some_and(|stop| stop.load(Relaxed));
        if goes_on {
            Problem::new::<T>(piece, flags).run(at);
        }
        goes_on
    });
}

/// How much of each axis a piece has: by the extents alone, so that results do not depend on who runs them.
fn lengths(axes: &[Axis], most: usize) -> Axes {
    let mut work = count(axes);
    let mut parts = Axes::from_slice(axes);
    for part in parts.iter_mut().filter(|a| a.role < 3 && a.extent > 0) {
        let least = if part.role == 0 { 1 } else { LEAST };
        let wanted = part.len().div_ceil(work.div_ceil(most).max(1)).max(least);
        if wanted < part.len() {
            work = (work / part.len()).saturating_mul(wanted);
            part.extent = wanted as i64;
        }
    }
    parts
}

/// Calls `f` with every piece and the starts of its arrays while it returns true. Returns whether it always did.
fn each<T>(
    piece: &mut Axes,
    lengths: &[Axis],
    arrays: Arrays<T>,
    f: &mut dyn FnMut(&[Axis], Arrays<T>) -> bool,
) -> bool {
    let Some((last, outer)) = lengths.split_last() else { return f(piece, arrays) };
    let at = outer.len();
    let Some(&whole) = piece.get(at) else { return f(piece, arrays) };
    if whole.extent <= last.extent {
        return each(piece, outer, arrays, f);
    }
    let goes_on = (0..whole.len()).step_by(last.len().max(1)).all(|from| {
        if let Some(axis) = piece.get_mut(at) {
            axis.extent = last.extent.min(whole.extent - from as i64);
        }
        each(piece, outer, arrays.moved(&whole, from), f)
    });
    if let Some(axis) = piece.get_mut(at) {
        *axis = whole;
    }
    goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(role: i64, extent: i64) -> Axis {
        let (into, left, right) = (isize::from(role < 3), isize::from(role != 2), isize::from(role != 1));
        Axis { role, extent, into, left, right }
    }

    #[test]
    fn a_small_product_is_one_piece() {
        let axes = [axis(1, 500), axis(2, 500), axis(3, 500)];
        assert_eq!(lengths(&axes, PIECE).iter().map(|a| a.extent).collect::<Vec<_>>(), [500, 500, 500]);
    }

    #[test]
    fn pieces_are_large_and_cover_the_product_once() {
        for (axes, most) in [
            (vec![axis(1, 6000), axis(2, 3000), axis(3, 9000)], PIECE),
            (vec![axis(0, 7), axis(1, 1500), axis(2, 2049), axis(3, 3)], 1 << 20),
            (vec![axis(0, 1000), axis(0, 5), axis(2, 4), axis(3, 0)], 100),
        ] {
            let lengths = lengths(&axes, most);
            for (whole, part) in axes.iter().zip(&lengths) {
                assert!(part.extent == whole.extent || part.role == 0 || part.extent >= LEAST as i64);
            }
            let (mut points, mut pieces) = (0, 0);
            let start = Arrays::<f64> { into: std::ptr::null_mut(), left: std::ptr::null(), right: std::ptr::null() };
            let mut piece = Axes::from_slice(&axes);
            let all = each(&mut piece, &lengths, start, &mut |piece, _| {
                points += count(piece);
                pieces += 1;
                true
            });
            assert!(all && points == count(&axes));
            assert_eq!(
                piece.iter().map(|a| a.extent).collect::<Vec<_>>(),
                axes.iter().map(|a| a.extent).collect::<Vec<_>>()
            );
            assert!(pieces > 1 || count(&axes) <= most, "{pieces}");
        }
    }

    #[test]
    fn a_stopped_product_ends_before_its_next_piece() {
        let stop = AtomicBool::new(true);
        let (mut into, ones) = ([0.0f64; 4], [1.0f64; 4]);
        let arrays = Arrays { into: into.as_mut_ptr(), left: ones.as_ptr(), right: ones.as_ptr() };
        let axes = [axis(1, 2), axis(3, 2)];
        // SAFETY: the arrays hold every point of the axes.
        unsafe { run(arrays, &axes, 0, Some(&stop)) };
        assert_eq!(into[..2], [0.0, 0.0]);
        stop.store(false, Relaxed);
        // SAFETY: as above.
        unsafe { run(arrays, &axes, 0, Some(&stop)) };
        assert_eq!(into[..2], [2.0, 2.0]);
    }
}
