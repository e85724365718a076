//! `arr grad` prints the derivative as a program. It must be accepted, give the same numbers as `grad`, and have
//! derivatives, in both modes, that equal those of the original's gradient.

use arr_tests::definitions::{DEFINITIONS, Definition, question};
use arr_tests::tree::Tree;
use arr_tests::trial::Trial;
use arr_tests::values::{NEAR, same};
use arr_tests::{Outcome, arr, files};
use std::path::{Path, PathBuf};

pub fn trials() -> Vec<Trial> {
    DEFINITIONS
        .iter()
        .map(|row| {
            let name = format!("{}::{}", files::stem(Path::new(row.0)), row.1);
            Trial::test(name, move || Ok(check(row)?))
        })
        .collect()
}

fn check(row: &Definition) -> Outcome {
    let (file, entry, point) = row;
    let file = files::root().join(file);
    let values: Result<Vec<(&str, String)>, String> =
        point.iter().map(|(name, at)| Ok((*name, arr::value(&file, at, "cpu")?))).collect();
    let values = values?;
    let directory = files::scratch()?;
    let (source, again) = derive(&file, entry, &values, directory.path())?;

    let original = question(entry, &values);
    let wanted = (file, format!("grad({})", original.function), original.at);
    let printed = question(&again, &values);
    let found = (source, printed.function, printed.at);
    compare(&wanted, &found, |function, at| format!("({function})({at})"))?;
    // The derivative of the gradient, forward in the direction of the point itself, and backward from its own value.
    compare(&wanted, &found, |function, at| format!("jvp({function}, {at}, {at})"))?;
    compare(&wanted, &found, |function, at| format!("let (y, back) = vjp({function}, {at}) in back(y)"))
}

/// Writes the program that `arr grad` prints, checks it, and returns it with the name of its entry.
fn derive(file: &Path, entry: &str, point: &[(&str, String)], directory: &Path) -> Result<(PathBuf, String), String> {
    let wrt: Vec<&str> = point.iter().map(|(name, _)| *name).filter(|name| !name.starts_with('[')).collect();
    let words = ["grad", &file.to_string_lossy(), "--entry", entry, "--wrt", &wrt.join(","), "--json"];
    let output = arr::run(&words, directory)?;
    if output.status != Some(0) {
        return Err(format!("`arr grad` ended with {:?}:\n{}", output.status, output.stderr));
    }
    let json: serde_json::Value = serde_json::from_str(&output.stdout).map_err(|error| error.to_string())?;
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_string();
    let path = directory.join("gradient.arr");
    files::write(&path, text("source"))?;
    let checked = arr::run(&["check", "gradient.arr"], directory)?;
    if checked.status != Some(0) {
        return Err(format!("the printed program is refused:\n{}\n{}", checked.stderr, text("source")));
    }
    Ok((path, text("entry")))
}

type Side = (PathBuf, String, String);

/// The floats of one question to the original and to the printed program, on every back end.
fn compare(wanted: &Side, found: &Side, ask: impl Fn(&str, &str) -> String) -> Outcome {
    let floats = |side: &Side, backend: &str| {
        let text = arr::value(&side.0, &ask(&side.1, &side.2), backend)?;
        Ok::<_, String>(Tree::List(Tree::parse(&text)?.floats().into_iter().map(Tree::Float).collect()).to_string())
    };
    for backend in arr::BACKENDS {
        let (wanted, found) = (floats(wanted, backend)?, floats(found, backend)?);
        if !same(&found, &wanted, NEAR) {
            return Err(format!("{}\n  expected {wanted}\n  found    {found} ({backend})", ask("f", "x")));
        }
    }
    Ok(())
}
