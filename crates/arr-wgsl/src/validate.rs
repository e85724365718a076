//! Validation of modules by naga.

use crate::program::Needs;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Checks that a device with the features in `needs` accepts a module; otherwise returns naga's message. Fails if naga
/// cannot read the text, or refuses the module.
pub fn validate(wgsl: &str, needs: Needs) -> Result<(), String> {
    let mut capabilities = Capabilities::empty();
    capabilities.set(Capabilities::FLOAT64, needs.f64);
    capabilities.set(Capabilities::SHADER_INT64, needs.int64);
    capabilities.set(Capabilities::SUBGROUP, needs.subgroups);
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.validate(&module).map_err(|error| error.emit_to_string(wgsl))?;
    Ok(())
}
