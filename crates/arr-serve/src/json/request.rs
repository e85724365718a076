//! The requests of the protocol as data.

use crate::Refusal;
use crate::id;
use serde::Deserialize;
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
        field.ok_or_else(|| format!("`{op}` needs a `{name}`").into())
    }
}

/// Reads a line as a request. Fails, with the reason, if it is not a JSON object with fields of a request, each of its
/// type.
pub fn read(line: &str) -> Result<Request<'_>, String> {
    serde_json::from_str(line).map_err(|e| e.to_string())
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
