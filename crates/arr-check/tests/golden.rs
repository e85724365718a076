//! Golden files: programs and their core IR, programs and their diagnostics.

use crate::common::{check, golden, programs, render_all, verified};
use std::fmt::Write;

#[test]
fn core_of_every_construct() {
    for path in programs("core") {
        let text = std::fs::read_to_string(&path).expect("the program");
        let (checked, diagnostics, map) = check(&text);
        assert!(diagnostics.is_empty(), "{}:\n{}", path.display(), render_all(&diagnostics, &map));
        let mut out = String::new();
        for name in checked.entry_names().into_iter().chain(checked.test_names()) {
            // Definitions with function parameters have no core of their own.
            let takes_function = checked.entry_params(&name).unwrap().iter().any(|(_, ty)| ty.contains("->"));
            if takes_function {
                continue;
            }
            match arr_check::elaborate(&checked, &name) {
                Ok(func) => {
                    let _ = writeln!(out, "{}", arr_ir::print_func(&verified(func)).trim_end());
                }
                Err(diagnostics) => panic!("{}: {name}:\n{}", path.display(), render_all(&diagnostics, &map)),
            }
            out.push('\n');
        }
        golden(&path.with_extension("core"), out.trim_start());
    }
}

#[test]
fn diagnostics_of_bad_programs() {
    for path in programs("errors") {
        let text = std::fs::read_to_string(&path).expect("the program");
        let (_, diagnostics, map) = check(&text);
        let mut out = String::from("----- SOURCE\n");
        out.push_str(&text);
        out.push_str("\n----- DIAGNOSTICS\n");
        out.push_str(&render_all(&diagnostics, &map));
        golden(&path.with_extension("err"), &out);
    }
}
