//! Every diagnostic code that a program alone can give is given by the program in its table.

use crate::common;
use crate::common::{check, render_all};
use arr_base::{CODES, Family};

#[test]
fn every_example_gives_its_code() {
    let mut wrong = Vec::new();
    for row in CODES {
        let Some(example) = row.example else { continue };
        if row.family == Family::Syntax {
            continue;
        }
        let (checked, mut diagnostics, map) = check(example);
        diagnostics.extend(checked.warnings.iter().cloned());
        if !diagnostics.iter().any(|d| d.code == row.code) {
            wrong.push(format!("{}: {example}\n{}", row.code, render_all(&diagnostics, &map)));
        }
        if diagnostics.len() > 1 {
            wrong.push(format!("{} gives more than one: {example}\n{}", row.code, render_all(&diagnostics, &map)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn show_all_examples() {
    let mut out = String::new();
    for row in CODES {
        let Some(example) = row.example else { continue };
        if row.family == Family::Syntax {
            continue;
        }
        let (checked, mut diagnostics, map) = check(example);
        diagnostics.extend(checked.warnings.iter().cloned());
        out.push_str(&format!("----- {}\n{example}\n\n{}\n", row.code, render_all(&diagnostics, &map)));
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/codes.txt");
    common::golden(&path, &out);
}
