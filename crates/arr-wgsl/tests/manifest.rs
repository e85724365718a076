//! The manifest contains everything that the module leaves open.

use crate::common;
use arr_wgsl::Integers;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The values of a field in an object and everything inside it.
fn all<'v>(value: &'v Value, field: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| all(item, field, found)),
        Value::Object(fields) => {
            found.extend(fields.get(field));
            fields.values().for_each(|item| all(item, field, found));
        }
        _ => {}
    }
}

#[test]
fn a_manifest_names_what_the_module_has() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mixture.arr");
    let source = std::fs::read_to_string(path).unwrap();
    for integers in [Integers::Narrow, Integers::Native] {
        let program = common::compile(&source, "gradient", &common::options(integers)).unwrap();
        let manifest = arr_wgsl::manifest(&program);
        assert_eq!(manifest["narrow"], integers == Integers::Narrow);
        let kernels = manifest["kernels"].as_array().unwrap();
        let entries: BTreeSet<&str> = kernels.iter().map(|k| k["entry"].as_str().unwrap()).collect();
        let mut run = Vec::new();
        all(&manifest["steps"], "kernel", &mut run);
        let run: BTreeSet<&str> = run.into_iter().map(|k| k.as_str().unwrap()).collect();
        assert_eq!(run, entries);
        for kernel in kernels {
            let entry = kernel["entry"].as_str().unwrap();
            assert!(program.wgsl.contains(&format!("\nfn {entry}(")), "{entry}");
            let mut end = 0;
            for field in kernel["params"]["fields"].as_array().unwrap() {
                let wide = matches!(field["type"].as_str().unwrap(), "f64" | "i64");
                let (at, width) = (field["offset"].as_u64().unwrap(), if wide { 8 } else { 4 });
                assert!(at >= end && at % width == 0, "{entry}: {field}");
                end = at + width;
            }
            assert!(kernel["params"]["bytes"].as_u64().unwrap() >= end);
        }
        assert_eq!(manifest["params"].as_array().unwrap().len(), 5);
        assert_eq!(manifest["outputs"].as_array().unwrap().len(), 4);
        assert_eq!(manifest["needs"]["f64"], Value::Bool(true));
    }
}
