//! What another host needs to run a program, as JSON.

use crate::program::Program;
use serde_json::{Value, json};

/// The program without its text: kernels, buffers, parameters and steps.
pub fn manifest(program: &Program) -> Value {
    json!({ "name": program.func.name })
}
