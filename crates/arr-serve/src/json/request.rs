//! The requests of the protocol as data.

use crate::Refusal;
use crate::id;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The possible operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Load,
    Entries,
    Call,
    Gradient,
    Read,
    Free,
}

/// The operations by name.
const OPS: &[(&str, Op)] = &[
    ("load", Op::Load),
    ("entries", Op::Entries),
    ("call", Op::Call),
    ("gradient", Op::Gradient),
    ("read", Op::Read),
    ("free", Op::Free),
];

/// Any request: its fields depend on its operation.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct Request<'a> {
    #[serde(borrow, default, deserialize_with = "id::readable")]
    pub id: Option<&'a RawValue>,
    #[serde(default)]
    pub op: Option<String>,
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default)]
    pub module: Option<String>,
    #[serde(default)]
    pub entry: Option<String>,
    #[serde(borrow, default)]
    pub args: Option<&'a RawValue>,
    #[serde(default)]
    pub wrt: Vec<String>,
    #[serde(default)]
    pub mode: Option<String>,
    #[serde(default)]
    pub keep: bool,
    #[serde(default)]
    pub save: Option<String>,
    #[serde(default)]
    pub handle: Option<u64>,
}

impl<'a> Request<'a> {
    /// The id as it was written.
    pub fn id(&self) -> &'a str {
        id::text(self.id)
    }

    pub(super) fn op(&self) -> Result<Op, Refusal> {
        let known = || OPS.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let Some(op) = &self.op else { return Err(format!("the request has no `op`; there are {}", known()).into()) };
        let found = OPS.iter().find(|(name, _)| name == op).map(|(_, op)| *op);
        found.ok_or_else(|| format!("`{op}` is not an `op`; there are {}", known()).into())
    }

    pub(super) fn need<'r, T: ?Sized>(&self, name: &str, field: Option<&'r T>) -> Result<&'r T, Refusal> {
        let op = self.op.as_deref().unwrap_or_default();
        let article = if name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        field.ok_or_else(|| format!("`{op}` needs {article} `{name}`").into())
    }
}

/// Reads a line as a request. Fails, with the reason, if it is not a JSON object with fields of a request, each of its
/// type.
pub fn read(line: &str) -> Result<Request<'_>, String> {
    if line.trim_start().starts_with('[') {
        return Err(NO_OBJECT.to_string());
    }
    serde_json::from_str(line).map_err(|error| reason(line).unwrap_or_else(|| error.to_string()))
}

const NO_OBJECT: &str = "a request is an object, such as `{\"op\": \"entries\"}`";

/// Names of fields, what they must be, and whether a value is.
type Kind = (&'static [&'static str], &'static str, fn(&Value) -> bool);

/// What fields hold.
const KINDS: &[Kind] = &[
    (&["op", "path", "module", "entry", "mode", "save"], "a text", Value::is_string),
    (&["wrt"], "a list of names", is_list_of_names),
    (&["keep"], "`true` or `false`", Value::is_boolean),
    (&["handle"], "a number that an answer has given", Value::is_u64),
];

fn is_list_of_names(value: &Value) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Value::is_string))
}

/// Why a line is no request, if it is JSON of another form.
fn reason(line: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    let Some(fields) = value.as_object() else { return Some(NO_OBJECT.to_string()) };
    let wrong = |(name, kind): (&str, &str)| format!("`{name}` must be {kind}");
    KINDS.iter().find_map(|(names, kind, holds)| {
        let name = names.iter().find(|name| fields.get(**name).is_some_and(|value| !holds(value)))?;
        Some(wrong((name, kind)))
    })
}

/// An argument that is not in the request itself.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
pub(super) enum Reference {
    #[serde(rename = "@file")]
    File(String),
    #[serde(rename = "@handle")]
    Handle(u64),
}

/// The reference of an argument, if it is an object whose first field begins with `@`.
pub(super) fn reference(text: &str) -> Result<Option<Reference>, Refusal> {
    let inside = text.trim_start().strip_prefix('{').map(str::trim_start);
    if !inside.is_some_and(|rest| rest.starts_with("\"@")) {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|e| Refusal::from(format!("the argument cannot be read: {e}")))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_is_no_request_is_refused_in_words() {
        for (line, reason) in [
            (r#"{"op":"gradient","wrt":"w"}"#, "`wrt` must be a list of names"),
            (r#"{"op":"gradient","wrt":["w",1]}"#, "`wrt` must be a list of names"),
            (r#"{"op":7}"#, "`op` must be a text"),
            (r#"{"keep":1}"#, "`keep` must be `true` or `false`"),
            (r#"{"handle":-1}"#, "`handle` must be a number that an answer has given"),
            (r#"[7,"entries",null,"spin"]"#, "a request is an object, such as `{\"op\": \"entries\"}`"),
            ("3", "a request is an object, such as `{\"op\": \"entries\"}`"),
        ] {
            assert_eq!(read(line).err().as_deref(), Some(reason), "{line}");
        }
        assert!(read(r#"{"op":"call","args":[1],"id":3}"#).is_ok());
        assert!(read(r#"{"speed":1}"#).is_err_and(|reason| reason.contains("speed")));
    }
}
