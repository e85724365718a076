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
    fn the_same_name_with_other_capitals_before_all_others() {
        assert_eq!(nearest("Sin", ["min", "sin"]).as_deref(), Some("sin"));
        assert_eq!(nearest("RELU", ["rank", "relu"]).as_deref(), Some("relu"));
    }
}
