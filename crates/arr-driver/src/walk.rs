//! The programs below a directory.

use crate::data::unreadable;
use crate::{Failure, World};
use arr_base::{Code, Diagnostic};

/// The maximal depth of directories: more indicates a cyclic file system.
const DEEPEST: usize = 64;

/// The path itself if it is a file; else the `.arr` files in it and below, in order. Hidden ones (`.name`) are left
/// out, and so is `target`, where builds leave copies.
pub(crate) fn programs(world: &dyn World, path: &str) -> Result<Vec<String>, Failure> {
    if path.ends_with(".arr") && world.list(path).is_err() {
        return Ok(vec![path.to_string()]);
    }
    // A file with another extension is no program, whatever its contents.
    if world.is_file(path) {
        let title = format!("`{path}` is neither a program, which ends with `.arr`, nor a directory");
        return Err(Diagnostic::error(Code::FILE_NOT_READ, title).into());
    }
    let mut found = Vec::new();
    walk(world, path, 0, &mut found)?;
    Ok(found)
}

fn walk(world: &dyn World, directory: &str, depth: usize, found: &mut Vec<String>) -> Result<(), Failure> {
    let entries = world.list(directory).map_err(|e| unreadable(directory, &e))?;
    let inside = |name: &str| match directory {
        "." => name.to_string(),
        _ => format!("{}/{name}", directory.trim_end_matches('/')),
    };
    let shown = |name: &str| !name.starts_with('.');
    // A pipe or a device is skipped, whatever its name: reading it may never end.
    let programs = entries.iter().filter(|f| f.file && shown(&f.name) && f.name.ends_with(".arr"));
    found.extend(programs.map(|f| inside(&f.name)));
    if depth < DEEPEST {
        for entry in entries.iter().filter(|d| d.directory && shown(&d.name) && d.name != "target") {
            walk(world, &inside(&entry.name), depth + 1, found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryWorld;

    #[test]
    fn hidden_files_and_builds_are_left_out() {
        let names = ["b.arr", "a.arr", "a.txt", ".x.arr", "lib/c.arr", "lib/deep/d.arr", ".git/e.arr", "target/f.arr"];
        let world = MemoryWorld::new(names.map(|name| (name, "".as_bytes())));
        assert_eq!(programs(&world, ".").unwrap_or_default(), ["a.arr", "b.arr", "lib/c.arr", "lib/deep/d.arr"]);
        assert_eq!(programs(&world, "lib/").unwrap_or_default(), ["lib/c.arr", "lib/deep/d.arr"]);
        assert_eq!(programs(&world, "a.arr").unwrap_or_default(), ["a.arr"]);
        assert!(programs(&world, "nowhere").is_err() && programs(&world, "a.txt").is_err());
    }
}
