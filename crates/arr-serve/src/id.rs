//! The ids that match replies to requests: any JSON, which is returned unchanged.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// An id, if readers of the reply can read it: raw JSON may hold a number like `1e999` or nest without end, and its
/// reply would be invalid JSON to most readers.
pub(crate) fn readable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    let id = Option::<&RawValue>::deserialize(deserializer)?;
    match id.map(|id| serde_json::from_str::<serde_json::Value>(id.get())) {
        Some(Err(error)) => Err(D::Error::custom(format!("the `id`: {error}"))),
        _ => Ok(id),
    }
}

/// The text of an id; a missing one becomes `null`.
pub(crate) fn text(id: Option<&RawValue>) -> &str {
    id.map_or("null", RawValue::get)
}

/// The id of a line whose rest cannot be read.
pub(crate) fn of_line(line: &str) -> &str {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow, default, deserialize_with = "readable")]
        id: Option<&'a RawValue>,
    }
    text(serde_json::from_str::<Named<'_>>(line).ok().and_then(|named| named.id))
}
