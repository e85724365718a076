//! The standard library: modules written in Arr that every program can import, embedded in the binary.

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
    "interp"
    "linalg"
    "nn"
    "ode"
    "optim"
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
