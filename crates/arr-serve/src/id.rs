//! The ids by which replies are told apart: any JSON, which is given back as it was written.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// An id, if whoever reads the reply can read it: raw JSON may hold a number like `1e999` or nest without end, and its reply
/// would be no JSON to most readers.
pub(crate) fn readable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    let id = Option::<&RawValue>::deserialize(deserializer)?;
    match id.map(|id| serde_json::from_str::<serde_json::Value>(id.get())) {
        Some(Err(error)) => Err(D::Error::custom(format!("the `id`: {error}"))),
        _ => Ok(id),
    }
}

/// The text of an id; what has none gets `null`.
pub(crate) fn text(id: Option<&RawValue>) -> &str {
    id.map_or("null", RawValue::get)
}

/// The id of a line of which the rest cannot be read.
pub(crate) fn of_line(line: &str) -> &str {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow, default, deserialize_with = "readable")]
        id: Option<&'a RawValue>,
    }
    text(serde_json::from_str::<Named<'_>>(line).ok().and_then(|named| named.id))
}
