//! The text forms of the two IRs: parsed functions are printed and parsed again as the same, and verified without a
//! panic.

use crate::Outcome;
use arr_ir::Level;

/// The IR of arrays.
pub fn ir(bytes: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    let Ok(funcs) = arr_ir::parse_funcs(text) else { return Ok(()) };
    for func in &funcs {
        let sound = [Level::Core, Level::Bulk, Level::Fused].map(|level| arr_ir::verify(func, level).is_ok());
        let once = arr_ir::print_func(func);
        let again = match arr_ir::parse_func(&once) {
            Ok(again) => again,
            // For a function with faults only the verifier's verdict is needed.
            Err(_) if !sound.contains(&true) => continue,
            Err(error) => return Err(format!("what was printed is not read, {error}:\n{once}")),
        };
        let twice = arr_ir::print_func(&again);
        if once != twice && sound.contains(&true) {
            return Err(format!("not a fixed point:\n{once}\nbecomes\n{twice}"));
        }
    }
    Ok(())
}

/// The IR of loops.
pub fn loops(bytes: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    let Ok(func) = arr_loops::parse(text) else { return Ok(()) };
    let sound = arr_loops::verify(&func).is_ok();
    let once = arr_loops::print(&func);
    match arr_loops::parse(&once) {
        Ok(again) if arr_loops::print(&again) == once || !sound => Ok(()),
        Ok(again) => Err(format!("not a fixed point:\n{once}\nbecomes\n{}", arr_loops::print(&again))),
        Err(_) if !sound => Ok(()),
        Err(error) => Err(format!("what was printed is not read, {error}:\n{once}")),
    }
}
