//! A file of functions, and its header.

use crate::function::Function;
use crate::library;
use crate::places::{Failure, Places};
use arr_header::Scope;
use std::collections::BTreeSet;

/// A C file and its header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    pub source: String,
    pub header: String,
}

/// The names that a file has besides those of its functions.
pub fn taken(prefix: &str) -> Scope {
    let mut own = Scope::default();
    ["failure", "failures", "explain"].iter().for_each(|name| own.take(format!("{prefix}_{name}")));
    own.take(guard(prefix));
    own
}

/// Puts functions into a file `stem.c` with a header `stem.h`. `about` is a sentence on their origin; `prefix` begins all names.
/// `tags` are the names of the constructors of each sum.
pub fn module(
    stem: &str,
    (prefix, about): (&str, &str),
    tags: &[Vec<String>],
    functions: &[Function],
    places: &Places<'_>,
) -> Module {
    let needs: BTreeSet<_> = functions.iter().flat_map(|f| f.needs.iter().copied()).collect();
    let failures = places.failures();
    let mut source = format!("/* {about} */\n\n#include \"{stem}.h\"\n\n#include <math.h>\n#include <string.h>\n\n");
    source.push_str(&library::text(&needs));
    source.push_str(&table(prefix, failures));
    functions.iter().for_each(|f| source.push_str(&format!("\n{}", f.definition)));
    let guard = guard(prefix);
    let declarations: Vec<&str> = functions.iter().map(|f| f.declaration.as_str()).collect();
    let header = HEADER
        .replace("@about", about)
        .replace("@guard", &guard)
        .replace("@prefix", prefix)
        .replace("@tags", &tags.iter().map(|names| format!("enum {{ {} }};\n\n", names.join(", "))).collect::<String>())
        .replace("@declarations", &declarations.join("\n"));
    Module { source, header }
}

/// The macro that keeps a header from being read twice.
fn guard(prefix: &str) -> String {
    format!("{}_H", prefix.to_uppercase())
}

/// Text inside of a string in C.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The failures of a file, as a constant table.
fn table(prefix: &str, failures: &[Failure]) -> String {
    let row = |f: &Failure| {
        let place = escaped(&f.place);
        format!("    {{\"{}\", \"{place}\", \"{}\"}}", f.kind.code(), escaped(&f.message))
    };
    let rows: Vec<String> = failures.iter().map(row).collect();
    if rows.is_empty() {
        return format!(
            "const {prefix}_failure *{prefix}_explain(int status)\n{{\n    (void)status;\n    return NULL;\n}}\n"
        );
    }
    format!(
        "static const {prefix}_failure {prefix}_failures[] = {{\n{}\n}};\n\nconst {prefix}_failure *{prefix}_explain(int status)\n{{\n    return status >= 1 && status <= {} ? &{prefix}_failures[status - 1] : NULL;\n}}\n",
        rows.join(",\n"),
        rows.len()
    )
}

const HEADER: &str = "/* @about */

#ifndef @guard
#define @guard

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ARR_RESTRICT
#if defined(__cplusplus)
#define ARR_RESTRICT __restrict
#else
#define ARR_RESTRICT restrict
#endif
#endif

#ifdef __cplusplus
extern \"C\" {
#endif

/*
 * Arrays lie row by row. Sizes are not negative. Results and workspaces are the caller's, and overlap neither each other
 * nor the arguments. A workspace of f has as many elements as f_work says, and nothing in it has to be kept between calls.
 * A function gives 0, or the number of a failure, after which what it has written means nothing.
 */

typedef struct {
    const char *code;    /* of the diagnostic, as `arr explain` knows it */
    const char *place;   /* file:line:column in the program */
    const char *message;
} @prefix_failure;

/* What a status other than 0 says; NULL if there is none such. */
const @prefix_failure *@prefix_explain(int status);

@tags@declarations
#ifdef __cplusplus
}
#endif

#endif
";
