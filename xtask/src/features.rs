//! The features of libraries from elsewhere. Cargo gives a library the features that the packages of one build ask for:
//! where two builds ask for different ones, the library is compiled twice, with everything above it. So a package that is
//! built alone has to ask for what the whole workspace asks for. The same holds for how crates are compiled, which the
//! profiles in `Cargo.toml` say.

use crate::layers;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What is built alone: the command for the README's reader, the Python package, and the programs beside the tests.
const ALONE: &[&str] = &["arr-cli", "arr-python", "arr-tests", "arr-fuzz", "arr-bench"];

/// The choices of features of each library.
type Features = BTreeMap<String, BTreeSet<String>>;

pub fn check(root: &Path) -> Result<String, String> {
    let all = features(root, &["--workspace", "--edges", "normal,build,dev"])?;
    let mut complaints = Vec::new();
    for package in ALONE {
        let alone = features(root, &["--package", package, "--edges", "normal,build"])?;
        complaints.extend(other(&alone, &all).into_iter().map(|what| format!("{package} built alone has {what}")));
    }
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).map_err(|why| format!("Cargo.toml: {why}"))?;
    let wraps = without_checks(&manifest, layers::crates());
    if !wraps.is_empty() {
        return Err(format!("no profile in Cargo.toml has overflow checks for {}", wraps.join(", ")));
    }
    let twice = compiled_twice(&manifest);
    if !twice.is_empty() {
        return Err(format!(
            "[profile.bench.package] in Cargo.toml compiles what users get once more: {}",
            twice.join(", ")
        ));
    }
    let advice = "add what is missing to the dependencies of arr-cli that it does not use";
    if complaints.is_empty() {
        Ok(format!("{} libraries", all.len()))
    } else {
        Err(format!("{}\n{advice}", complaints.join("\n")))
    }
}

/// The libraries with features that no build of the whole workspace gives them.
fn other(alone: &Features, all: &Features) -> Vec<String> {
    let mut found = Vec::new();
    for (name, choices) in alone {
        for choice in choices.iter().filter(|&choice| !all.get(name).is_some_and(|known| known.contains(choice))) {
            let known: Vec<&str> = all.get(name).into_iter().flatten().map(String::as_str).collect();
            found.push(format!("{name} with [{choice}], the workspace with [{}]", known.join("] and [")));
        }
    }
    found
}

/// What compiled programs call: there an overflow is the program's, and the code says what comes of it.
const OF_PROGRAMS: &[&str] = &["arr-math", "arr-runtime"];

/// The crates in which an integer that overflows goes unnoticed.
fn without_checks<'c>(manifest: &str, crates: impl Iterator<Item = &'c str>) -> Vec<&'c str> {
    let rows = rows(manifest, "[profile.release.package]").chain(rows(manifest, "[profile.bench.package]"));
    let with: BTreeSet<&str> =
        rows.filter(|(_, row)| row.contains("overflow-checks = true")).map(|(name, _)| name).collect();
    crates.filter(|name| !with.contains(name) && !OF_PROGRAMS.contains(name)).collect()
}

/// The crates that have a row for release builds, and another one for tests.
fn compiled_twice(manifest: &str) -> Vec<&str> {
    let released: BTreeSet<&str> = rows(manifest, "[profile.release.package]").map(|(name, _)| name).collect();
    let tested = rows(manifest, "[profile.bench.package]").map(|(name, _)| name);
    tested.filter(|name| released.contains(name) || OF_PROGRAMS.contains(name)).collect()
}

/// The rows of a section of `Cargo.toml`.
fn rows<'m>(manifest: &'m str, section: &'m str) -> impl Iterator<Item = (&'m str, &'m str)> {
    let rows = manifest.lines().skip_while(move |line| *line != section).skip(1);
    rows.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(" = "))
}

fn features(root: &Path, arguments: &[&str]) -> Result<Features, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["tree", "--quiet", "--locked", "--prefix", "none", "--no-dedupe", "--format", "{p} | {f}"]);
    let output = command.args(arguments).current_dir(root).output().map_err(|why| why.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

/// The lines of a tree. A name is followed by its version, and for crates of the workspace, which are left out, by a path.
fn parse(tree: &str) -> Features {
    let mut found = Features::new();
    for (package, features) in tree.lines().filter_map(|line| line.split_once(" | ")) {
        let mut words = package.split_whitespace();
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        if words.all(|word| word == "(proc-macro)") {
            found.entry(format!("{name} {version}")).or_default().insert(features.replace(" (*)", ""));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{compiled_twice, other, parse, without_checks};

    #[test]
    fn what_the_profiles_get_wrong_is_found() {
        let rows = "a = { opt-level = 2, overflow-checks = true }\nb = { opt-level = 2 }";
        let tested = "# words\nb = { opt-level = 0 }\nc = { overflow-checks = true }\narr-math = { opt-level = 0 }";
        let manifest = format!("[profile.release.package]\n{rows}\n[profile.bench.package]\n{tested}\n[x]\nd = 1\n");
        assert_eq!(without_checks(&manifest, ["a", "b", "c", "d", "arr-runtime"].into_iter()), ["b", "d"]);
        assert_eq!(without_checks("", ["a"].into_iter()), ["a"]);
        assert_eq!(compiled_twice(&manifest), ["b", "arr-math"]);
    }

    #[test]
    fn other_features_are_found() {
        let all = parse("a v1.0.0 | std\na v1.0.0 | alloc,std\nb v2.0.0 (proc-macro) | \nown v0.1.0 (/x) | default\n");
        assert_eq!(all.len(), 2);
        assert!(other(&parse("a v1.0.0 | std (*)\nown v0.1.0 (/x) | \n"), &all).is_empty());
        let found = other(&parse("a v1.0.0 | \nb v2.0.0 (proc-macro) | full\n"), &all);
        assert_eq!(
            found,
            [
                "a v1.0.0 with [], the workspace with [alloc,std] and [std]",
                "b v2.0.0 with [full], the workspace with []"
            ]
        );
    }
}
