//! The protocol's messages as data.

use crate::id;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write;
use std::time::Duration;

/// Any message: its fields depend on its kind.
#[derive(Deserialize, Clone, Debug, Default)]
pub struct Message<'a> {
    #[serde(borrow, default, deserialize_with = "id::readable")]
    pub id: Option<&'a RawValue>,
    #[serde(default)]
    pub kind: Option<String>,
    #[serde(default)]
    pub module: Option<String>,
    #[serde(default)]
    pub function: Option<String>,
    #[serde(borrow, default)]
    pub input: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    /// The id as it was written.
    pub fn id(&self) -> &'a str {
        id::text(self.id)
    }
}

/// Reads a line as a message. Fails, with the reason, if it is not a JSON object whose known fields have their types.
pub fn read(line: &str) -> Result<Message<'_>, String> {
    serde_json::from_str(line).map_err(|e| e.to_string())
}

/// The duration of a part of the work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timing {
    pub name: &'static str,
    pub nanoseconds: u128,
}

impl Timing {
    /// Loading a module or compiling a function.
    pub fn prepare(time: Duration) -> Timing {
        Timing { name: "prepare", nanoseconds: time.as_nanos() }
    }

    /// One run of a function.
    pub fn evaluate(time: Duration) -> Timing {
        Timing { name: "evaluate", nanoseconds: time.as_nanos() }
    }
}

/// Any reply.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reply {
    /// JSON, as in the message.
    pub id: String,
    pub tool: Option<&'static str>,
    pub success: Option<bool>,
    /// JSON.
    pub output: Option<String>,
    pub timings: Vec<Timing>,
    pub error: Option<String>,
}

impl Reply {
    /// An acknowledgement of the message.
    pub fn to(id: &str) -> Reply {
        Reply { id: id.to_string(), ..Reply::default() }
    }

    pub fn refused(id: &str, why: &str) -> Reply {
        Reply { success: Some(false), error: Some(why.to_string()), ..Reply::to(id) }
    }

    pub(super) fn with(self, id: &str) -> Reply {
        Reply { id: id.to_string(), ..self }
    }

    /// The reply as a line of JSON. Assembled by hand, as an output of a hundred megabytes should not be parsed again.
    pub fn line(&self) -> String {
        let mut line = format!("{{\"id\": {}", self.id);
        if let Some(tool) = self.tool {
            line.push_str(&format!(", \"tool\": {}", serde_json::json!(tool)));
        }
        if let Some(success) = self.success {
            line.push_str(&format!(", \"success\": {success}"));
        }
        if let Some(output) = &self.output {
            line.push_str(", \"output\": ");
            line.push_str(output);
        }
        if !self.timings.is_empty() {
            line.push_str(", \"timings\": [");
            for (i, timing) in self.timings.iter().enumerate() {
                let comma = if i > 0 { ", " } else { "" };
                let Timing { name, nanoseconds } = timing;
                let _ = write!(line, "{comma}{{\"name\": \"{name}\", \"nanoseconds\": {nanoseconds}}}");
            }
            line.push(']');
        }
        if let Some(error) = &self.error {
            line.push_str(&format!(", \"error\": {}", serde_json::json!(error)));
        }
        line.push('}');
        line
    }
}
