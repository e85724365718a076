//! The standard library: modules written in Arr that every program can import, embedded in the binary.

use arr_check::StandardNames;
use std::sync::{Arc, LazyLock};

/// A module of the standard library.
#[derive(Clone, Copy, Debug)]
pub struct StandardModule {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! modules {
    ($($name:literal)*) => {
        /// All of them, by name. A row is a file `stdlib/<name>.arr`.
        pub const STANDARD_MODULES: &[StandardModule] = &[
            $( StandardModule {
                name: $name,
                text: include_str!(concat!("../../../stdlib/", $name, ".arr")),
            }, )*
        ];
    };
}

modules! {
    "arrays"
    "interp"
    "linalg"
    "math"
    "nn"
    "ode"
    "optim"
    "poly"
    "quad"
    "random"
    "signal"
    "sparse"
    "stats"
}

/// The module of a name.
pub fn standard_module(name: &str) -> Option<&'static StandardModule> {
    STANDARD_MODULES.iter().find(|m| m.name == name)
}

/// What each module defines for others, for messages. A definition of the library begins its line with `def`.
pub(crate) fn standard_names() -> Arc<[StandardNames]> {
    static NAMES: LazyLock<Arc<[StandardNames]>> = LazyLock::new(|| {
        let definitions = |text: &str| text.lines().filter_map(defined_name).map(str::to_string).collect();
        let names = |m: &StandardModule| StandardNames { module: m.name.to_string(), definitions: definitions(m.text) };
        STANDARD_MODULES.iter().map(names).collect()
    });
    NAMES.clone()
}

/// The name that a line defines for other modules.
fn defined_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix("def ")?.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'').next()?;
    (!name.starts_with('_')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_folder() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stdlib");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().strip_suffix(".arr")?.to_string()))
            .collect();
        files.sort();
        let rows: Vec<&str> = STANDARD_MODULES.iter().map(|m| m.name).collect();
        assert_eq!(rows, files);
    }
}
