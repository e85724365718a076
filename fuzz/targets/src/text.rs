//! Programs: parser, printer, formatter, checker.

use crate::Outcome;
use arr_base::SourceId;
use arr_ir::Level;
use arr_syntax::{format_module, parse_module, print_module};

fn file() -> SourceId {
    arr_base::SourceMap::new().add("p.arr", "")
}

/// Formatted text parses to the same tree, and formatting it again changes nothing.
pub fn format(bytes: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    let parsed = parse_module(file(), text);
    // A tree with faults in it is printed, too: for editors.
    let printed = print_module(&parsed.module);
    let Ok(once) = format_module(file(), text) else { return Ok(()) };
    let again = parse_module(file(), &once);
    if !again.diagnostics.is_empty() {
        return Err(format!("what was formatted does not parse: {:?}\n{once}", again.diagnostics));
    }
    if print_module(&again.module) != printed {
        return Err(format!("formatting changed the program\n{once}"));
    }
    match format_module(file(), &once) {
        Ok(twice) if twice == once => Ok(()),
        Ok(twice) => Err(format!("not a fixed point:\n{once}\nbecomes\n{twice}")),
        Err(diagnostics) => Err(format!("what was formatted is refused: {diagnostics:?}")),
    }
}

/// Every definition of an accepted program has core IR without faults for the verifier.
pub fn check(bytes: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    let parsed = parse_module(file(), text);
    let checked = arr_check::check_module(parsed.module);
    if !parsed.diagnostics.is_empty() || !checked.diagnostics.is_empty() {
        return Ok(());
    }
    for entry in checked.entry_names() {
        if let Ok(func) = arr_check::elaborate(&checked, &entry)
            && let Err(errors) = arr_ir::verify(&func, Level::Core)
        {
            return Err(format!("`{entry}`: {}", arr_ir::report(&func, &errors)));
        }
    }
    Ok(())
}
