//! Files of named arrays (`.npz`, safetensors): which array is which leaf. Fields of nested records have names with dots.

use crate::part;
use crate::reading::{Notes, Reading};
use crate::text::rank_text;
use crate::value::single_leaf;
use crate::{DataError, Problem};
use arr_ir::{Edge, Leaf};

/// The name that `numpy.savez` gives to an unnamed array, and its position.
const UNNAMED: &str = "arr_";

/// Refuses types that a file of arrays cannot hold.
pub(crate) fn check(edge: &Edge, format: &'static str) -> Result<(), DataError> {
    if !edge.has_sum() {
        return Ok(());
    }
    let hint = "constructors differ in what they carry; use a `.json` file".to_string();
    Err(Problem::FormatType { format, ty: rank_text(edge), hint }.into())
}

/// The same for a result. Errors: the reason.
pub(crate) fn check_result(edge: &Edge, extension: &str) -> Result<(), String> {
    if !edge.has_sum() {
        return Ok(());
    }
    let ty = rank_text(edge);
    Err(format!("a {extension} file holds arrays, and the result is a `{ty}`, which has constructors; use `.json`"))
}

/// The name for a leaf that is written.
pub(crate) fn name_of(leaf: &Leaf) -> String {
    let key = leaf.path.trim_start_matches('.');
    if key.is_empty() { format!("{UNNAMED}0") } else { key.to_string() }
}

/// The names of the arrays for the leaves of a type. Errors: E0703 where one is missing, or one is no leaf's.
pub(crate) fn names_for(
    edge: &Edge,
    names: &[String],
    how: &Reading<'_>,
    notes: &mut Notes,
) -> Result<Vec<String>, DataError> {
    let prefix = part::prefix(names, edge, how, notes);
    let below: Vec<&String> = names.iter().filter(|name| prefix.is_empty() || part::is_below(name, prefix)).collect();
    if below.is_empty() && how.part.is_some() {
        let available = names.to_vec();
        return Err(Problem::NoPart { part: prefix.to_string(), kind: "part", available, choice: false }.into());
    }
    let leaves = edge.leaves();
    let single = single_leaf(edge).is_some();
    let key = |leaf: &Leaf| format!("{prefix}{}", leaf.path).trim_start_matches('.').to_string();
    let mut used = Vec::new();
    for leaf in &leaves {
        let key = key(leaf);
        let unnamed = format!("{UNNAMED}{key}");
        used.push(match below.as_slice() {
            [only] if single && prefix.is_empty() => (*only).clone(),
            _ if below.iter().any(|name| **name == key) => key,
            _ if below.iter().any(|name| **name == unnamed) => unnamed,
            _ => return Err(Problem::MissingField { field: key, available: names.to_vec() }.into()),
        });
    }
    if let Some(extra) = below.iter().find(|name| !used.contains(name)) {
        let available = leaves.iter().map(key).collect();
        return Err(Problem::ExtraField { field: (*extra).clone(), available }.into());
    }
    Ok(used)
}
