//! The ids by which replies are told apart: any JSON, which is given back as it was written.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The text of an id; what has none gets `null`.
pub(crate) fn text(id: Option<&RawValue>) -> &str {
    id.map_or("null", RawValue::get)
}

/// The id of a line of which the rest cannot be read.
pub(crate) fn of_line(line: &str) -> &str {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow, default)]
        id: Option<&'a RawValue>,
    }
    text(serde_json::from_str::<Named<'_>>(line).ok().and_then(|named| named.id))
}
