//! The name that was meant where one is not known.

use std::cmp::Reverse;

/// The name nearest to `name`, if one is near enough to be a slip: first of all the same name with other capitals, `sin` for
/// `Sin`. Of several the one that begins as it does: slips at the end of a word are likelier than at its beginning, so that
/// `sun` is `sum` and not `sin`.
pub(crate) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    // In a short word two slips are more likely another word.
    let limit = match name.chars().count() {
        0..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    let lower = name.to_lowercase();
    names
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| {
            let same = candidate.to_lowercase() == lower;
            (if same { 0 } else { strsim::damerau_levenshtein(name, candidate) }, candidate)
        })
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.len().max(name.len()))
        .min_by_key(|(distance, candidate)| (*distance, Reverse(common_beginning(name, candidate)), *candidate))
        .map(|(_, candidate)| candidate.to_string())
}

/// The number of letters that both begin with.
fn common_beginning(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

/// Names that have a part of `name`, which is too far from all of them to be a slip: the same beginning, or a word between
/// two `_`. The longest beginning comes first.
pub(crate) fn related<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    const MOST: usize = 4;
    let words: Vec<&str> = name.split('_').filter(|word| word.len() > 2).collect();
    let shares = |other: &&str| other.split('_').any(|word| words.contains(&word));
    let mut found: Vec<&str> = names
        .into_iter()
        .filter(|other| !other.starts_with('_') && (common_beginning(name, other) > 2 || shares(other)))
        .collect();
    found.sort_by_key(|other| (Reverse(common_beginning(name, other)), *other));
    found.into_iter().take(MOST).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_names_the_one_that_begins_alike() {
        assert_eq!(nearest("sun", ["sin", "sum", "run"]).as_deref(), Some("sum"));
        assert_eq!(nearest("lenght", ["length", "height"]).as_deref(), Some("length"));
        assert_eq!(nearest("tan", ["sin", "cos"]), None);
    }

    #[test]
    fn names_that_have_a_part_in_common() {
        assert_eq!(related("nan_std", ["mean", "nan_mean", "std"]), ["nan_mean", "std"]);
        assert_eq!(related("eigenvalues", ["eigh", "_eig", "det"]), ["eigh"]);
        assert!(related("f", ["fft", "f_of"]).is_empty());
    }

    #[test]
    fn the_same_name_with_other_capitals_before_all_others() {
        assert_eq!(nearest("Sin", ["min", "sin"]).as_deref(), Some("sin"));
        assert_eq!(nearest("RELU", ["rank", "relu"]).as_deref(), Some("relu"));
    }
}
