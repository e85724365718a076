//! Extents of arrays, and limits on the sizes of a call.

/// The largest value of a size name. No array with elements comes near it; an array without elements may claim any
/// extent, and sums and small multiples of sizes are assumed not to wrap.
pub const MAX_SIZE: i64 = 1 << 40;

/// The number of elements; `None` when an extent is negative, or their product does not fit. Even of an array without
/// elements the other extents have to fit: sizes are computed from them, in any order.
pub fn element_count(dims: &[i64]) -> Option<usize> {
    count_elements(dims.iter().copied())
}

/// The same, of sizes that are read one after the other.
pub fn count_elements(dims: impl Iterator<Item = i64> + Clone) -> Option<usize> {
    let times = |n: i64, d: i64| n.checked_mul(d.max(1)).filter(|_| d >= 0);
    let product = dims.clone().try_fold(1, times)?;
    if dims.clone().any(|d| d == 0) { Some(0) } else { usize::try_from(product).ok() }
}

/// The number of elements of an array that a program has made; `None` as above. An empty axis makes it empty whatever
/// the others are, as they are not multiplied any more.
pub fn made_count(dims: &[i64]) -> Option<usize> {
    let empty = dims.contains(&0) && dims.iter().all(|&d| d >= 0);
    if empty { Some(0) } else { element_count(dims) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_can_be_multiplied() {
        assert_eq!(element_count(&[]), Some(1));
        assert_eq!(element_count(&[3, 4]), Some(12));
        assert_eq!(element_count(&[3, 0, 4]), Some(0));
        assert_eq!(element_count(&[0, i64::MAX]), Some(0));
        let refused = [&[1 << 32, (1 << 32) - 2, 0][..], &[0, 1 << 40, 1 << 40], &[-1], &[0, -1]];
        for dims in refused {
            assert_eq!(element_count(dims), None, "{dims:?}");
            let empty = dims.iter().all(|&d| d >= 0);
            assert_eq!(made_count(dims), empty.then_some(0), "{dims:?}");
        }
    }
}
