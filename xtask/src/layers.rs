//! The direction of dependencies between the crates of this workspace.
//!
//! The table is the architecture: a crate may use those named beside it and no other. A new crate, or a new edge, is a
//! change to this table, which has to be justified in review.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const LAYERS: &[(&str, &[&str])] = &[
    ("arr-base", &[]),
    ("arr-math", &[]),
    ("arr-syntax", &["arr-base"]),
    ("arr-ir", &["arr-base", "arr-math"]),
    ("arr-data", &["arr-base", "arr-ir"]),
    ("arr-check", &["arr-base", "arr-syntax", "arr-ir"]),
    ("arr-passes", &["arr-base", "arr-ir"]),
    ("arr-ad", &["arr-base", "arr-ir", "arr-passes"]),
    ("arr-oracle", &["arr-base", "arr-ir", "arr-math"]),
    ("arr-unparse", &["arr-base", "arr-syntax", "arr-ir"]),
    ("arr-loops", &["arr-base", "arr-ir", "arr-math"]),
    ("arr-pipeline", &["arr-base", "arr-ir", "arr-passes", "arr-ad", "arr-loops"]),
    ("arr-runtime", &["arr-base", "arr-math"]),
    ("arr-stablehlo", &["arr-base", "arr-ir", "arr-math"]),
    ("arr-wgsl", &["arr-base", "arr-ir", "arr-loops"]),
    ("arr-gpu", &["arr-base", "arr-ir", "arr-loops", "arr-wgsl"]),
    ("arr-x86", &["arr-math"]),
    ("arr-capi", &["arr-base", "arr-runtime"]),
    ("arr-cpu", &["arr-base", "arr-ir", "arr-loops", "arr-runtime", "arr-capi", "arr-x86"]),
    ("arr-header", &["arr-base", "arr-syntax", "arr-ir", "arr-data", "arr-capi"]),
    ("arr-c99", &["arr-base", "arr-ir", "arr-loops", "arr-header"]),
    (
        "arr-driver",
        &[
            "arr-base",
            "arr-math",
            "arr-syntax",
            "arr-ir",
            "arr-data",
            "arr-check",
            "arr-passes",
            "arr-pipeline",
            "arr-unparse",
            "arr-loops",
            "arr-runtime",
            "arr-capi",
            "arr-c99",
            "arr-cpu",
            "arr-gpu",
            "arr-stablehlo",
            "arr-wgsl",
            "arr-header",
        ],
    ),
    ("arr-plot", &["arr-base", "arr-ir", "arr-data"]),
    ("arr-testing", &["arr-base", "arr-syntax", "arr-ir", "arr-data", "arr-check", "arr-driver"]),
    ("arr-repl", &["arr-base", "arr-syntax", "arr-ir", "arr-data", "arr-check", "arr-driver"]),
    ("arr-doc", &["arr-base", "arr-syntax", "arr-check", "arr-driver", "arr-testing"]),
    ("arr-lsp", &["arr-base", "arr-syntax", "arr-check", "arr-driver"]),
    ("arr-serve", &["arr-base", "arr-ir", "arr-data", "arr-check", "arr-driver"]),
    (
        "arr-cli",
        &[
            "arr-base",
            "arr-data",
            "arr-plot",
            "arr-driver",
            "arr-testing",
            "arr-repl",
            "arr-doc",
            "arr-lsp",
            "arr-serve",
        ],
    ),
    ("arr-python", &["arr-base", "arr-ir", "arr-data", "arr-driver", "arr-serve", "arr-cli"]),
    (
        "arr-fuzz",
        &[
            "arr-base",
            "arr-syntax",
            "arr-ir",
            "arr-data",
            "arr-check",
            "arr-loops",
            "arr-driver",
            "arr-lsp",
            "arr-serve",
            "arr-cli",
        ],
    ),
    ("arr-tests", &["arr-base", "arr-syntax", "arr-ir", "arr-data", "arr-oracle", "arr-driver", "arr-cli"]),
    ("arr-bench", &["arr-base", "arr-ir", "arr-data", "arr-pipeline", "arr-driver", "arr-cli"]),
    ("tree-sitter-arr", &[]),
    ("xtask", &[]),
];

/// Reads the real edges from `cargo metadata` and compares them with the table. For its tests only, a crate may also
/// use any crate that does not depend on it.
pub fn check(root: &Path) -> Result<String, String> {
    let metadata = metadata(root)?;
    let edges = edges(&metadata);
    let mut complaints = Vec::new();
    for (package, uses) in &edges {
        let Some(allowed) = below(package) else {
            complaints.push(format!("`{package}` is not in the table of xtask/src/layers.rs"));
            continue;
        };
        for (used, kind) in uses {
            let for_tests = kind == "dev" && !stands_on(used, package);
            let fine = for_tests || allowed.contains(&used.as_str());
            if !fine {
                complaints.push(format!("`{package}` may not depend on `{used}`; the table is in xtask/src/layers.rs"));
            }
        }
    }
    if complaints.is_empty() { Ok(format!("{} crates", edges.len())) } else { Err(complaints.join("\n")) }
}

/// The crates of the workspace.
pub fn crates() -> impl Iterator<Item = &'static str> {
    LAYERS.iter().map(|(name, _)| *name)
}

/// The crates that a crate may use.
fn below(package: &str) -> Option<&'static [&'static str]> {
    LAYERS.iter().find(|(name, _)| *name == package).map(|(_, uses)| *uses)
}

/// Whether one crate uses another, directly or through others.
fn stands_on(package: &str, other: &str) -> bool {
    package == other || below(package).unwrap_or_default().iter().any(|used| stands_on(used, other))
}

fn metadata(root: &Path) -> Result<Value, String> {
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let output = Command::new(program)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("`cargo metadata` did not start: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("`cargo metadata` is not JSON: {error}"))
}

/// For every package of the workspace, the packages of the workspace that it names, with the kind of dependency.
fn edges(metadata: &Value) -> BTreeMap<String, Vec<(String, String)>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<String> = packages.iter().map(|package| text(&package["name"])).collect();
    let dependencies = |package: &Value| {
        let all = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter()
            .map(|used| (text(&used["name"]), text(&used["kind"])))
            .filter(|(name, _)| names.contains(name))
            .collect()
    };
    packages.iter().map(|package| (text(&package["name"]), dependencies(package))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_points_downwards() {
        for (place, (name, uses)) in LAYERS.iter().enumerate() {
            for used in *uses {
                assert!(LAYERS[..place].iter().any(|(below, _)| below == used), "{name} uses {used}");
            }
        }
    }
}
