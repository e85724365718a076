//! The name that was meant where one is not known.

/// The name nearest to `name`, if one is near enough to be a slip.
pub(crate) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    // In a short word two slips are more likely another word.
    let limit = match name.chars().count() {
        0..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    names
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.len().max(name.len()))
        .min()
        .map(|(_, candidate)| candidate.to_string())
}
