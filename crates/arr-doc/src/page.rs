//! Pages: the index, and one per file.

use crate::Page;
use crate::html::{anchor, escape, frame};
use crate::item::{Entry, Module};
use std::collections::BTreeSet;

/// The pages that belong to no file.
const INDEX: &str = "index";
const NAMES: &str = "names";
const BUILTINS: &str = "builtins";

/// Names of files: their paths without `.arr` and without the common directories.
pub(crate) fn titles(paths: &[&str]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = paths.iter().map(|path| path.split('/').filter(|p| *p != ".").collect()).collect();
    let shared = |depth: usize| {
        let first = parts.first().and_then(|p| p.get(depth));
        !parts.is_empty() && parts.iter().all(|p| p.len() > depth + 1 && p.get(depth) == first)
    };
    let depth = (0..).take_while(|depth| shared(*depth)).count();
    let title = |p: &Vec<&str>| p.get(depth..).unwrap_or_default().join("/");
    parts.iter().map(title).map(|t| t.strip_suffix(".arr").unwrap_or(&t).to_string()).collect()
}

/// One file name per path: `lib/linalg.arr` is `lib.linalg.html`. No two are the same, and none is the index.
pub(crate) fn file_names<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::from([INDEX, NAMES, BUILTINS].map(str::to_string));
    paths
        .map(|path| {
            let path = path.strip_suffix(".arr").unwrap_or(path);
            let parts: Vec<&str> = path.split(['/', '\\', ':']).filter(|p| !["", ".", ".."].contains(p)).collect();
            let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' };
            let stem: String = parts.join(".").chars().map(plain).collect();
            let mut name = if stem.is_empty() { "page".to_string() } else { stem };
            while !taken.insert(name.to_lowercase()) {
                name.push('_');
            }
            format!("{name}.html")
        })
        .collect()
}

pub(crate) fn index(modules: &[Module]) -> Page {
    let mut body = format!(
        "<h1>Documentation</h1>\n<nav><a href=\"{NAMES}.html\">All names</a> / <a href=\"{BUILTINS}.html\">Built-in functions</a></nav>\n"
    );
    for module in modules {
        let address = anchor(&module.file);
        body.push_str(&format!("<h2><a href=\"{address}\">{}</a></h2>\n", escape(&module.title)));
        if !module.summary.is_empty() {
            body.push_str(&format!("<p>{}</p>\n", module.summary));
        }
        body.push_str(&names(&module.entries, &address));
    }
    Page { file: format!("{INDEX}.html"), html: frame("Documentation", &body) }
}

/// Every name of all pages in one list, in which the browser's own search finds names, signatures and summaries.
pub(crate) fn all_names(modules: &[Module]) -> Page {
    let mut rows: Vec<(String, String)> = Vec::new();
    for module in modules {
        for entry in &module.entries {
            let address = format!("{}#{}", anchor(&module.file), anchor(&entry.name));
            let (title, name) = (escape(&module.title), escape(&entry.name));
            let link = format!("<a href=\"{address}\"><code>{name}</code></a>");
            rows.push((
                entry.name.to_lowercase(),
                format!("<tr><td>{link}</td><td>{title}</td><td>{}</td></tr>\n", entry.summary),
            ));
        }
    }
    for (name, doc) in arr_check::builtin_docs() {
        let link = format!("<a href=\"{BUILTINS}.html#{name}\"><code>{name}</code></a>");
        let row = format!("<tr><td>{link}</td><td>built in</td><td>{}</td></tr>\n", escape(doc));
        rows.push((name.to_string(), row));
    }
    rows.sort();
    let table: String = rows.into_iter().map(|(_, row)| row).collect();
    let body = format!("{}<table>\n{table}</table>\n", head("All names"));
    Page { file: format!("{NAMES}.html"), html: frame("All names", &body) }
}

/// The functions that are part of the language.
pub(crate) fn builtins() -> Page {
    let mut body = head("Built-in functions");
    for (name, doc) in arr_check::builtin_docs() {
        let signature = arr_check::builtin_signature(name).unwrap_or_default();
        body.push_str(&format!(
            "<section id=\"{name}\">\n<pre class=\"signature\">{}</pre>\n<p>{}</p>\n</section>\n",
            escape(&signature),
            escape(doc)
        ));
    }
    Page { file: format!("{BUILTINS}.html"), html: frame("Built-in functions", &body) }
}

/// The top of a page below the index.
fn head(title: &str) -> String {
    format!("<nav><a href=\"{INDEX}.html\">Documentation</a> / {title}</nav>\n<h1>{title}</h1>\n")
}

/// The names of a page with their summaries, linked; `page` is empty on the page itself.
fn names(entries: &[Entry], page: &str) -> String {
    if entries.is_empty() {
        return "<p>It defines nothing.</p>\n".to_string();
    }
    let mut list = String::from("<ul class=\"names\">\n");
    for entry in entries {
        let name = format!("<a href=\"{page}#{}\"><code>{}</code></a>", anchor(&entry.name), escape(&entry.name));
        let summary = if entry.summary.is_empty() { String::new() } else { format!(" {}", entry.summary) };
        let mark = if entry.failing { " <strong class=\"failure\">fails</strong>" } else { "" };
        list.push_str(&format!("<li>{name}{summary}{mark}</li>\n"));
    }
    list + "</ul>\n"
}

pub(crate) fn module(module: &Module) -> Page {
    let title = escape(&module.title);
    let mut body = head(&title);
    body.push_str(&module.introduction);
    body.push_str(&names(&module.entries, ""));
    for entry in &module.entries {
        if let Some(section) = &entry.section {
            body.push_str(&format!("<h2>{}</h2>\n", escape(section)));
        }
        body.push_str(&format!(
            "<section id=\"{}\">\n<pre class=\"signature\">{}</pre>\n{}{}<p class=\"where\">{}:{}</p>\n</section>\n",
            escape(&entry.name),
            entry.signature,
            entry.body,
            folded(&entry.source),
            escape(&module.path),
            entry.line
        ));
    }
    body.push_str(&tests(module));
    Page { file: module.file.clone(), html: frame(&module.title, &body) }
}

/// The source of a definition, which is shown on demand.
fn folded(source: &str) -> String {
    match source {
        "" => String::new(),
        _ => format!("<details>\n<summary>Source</summary>\n<pre class=\"source\">{source}</pre>\n</details>\n"),
    }
}

/// The tests at the end of a page: they are examples, too.
fn tests(module: &Module) -> String {
    if module.tests.is_empty() {
        return String::new();
    }
    let mut out = String::from("<h2>Tests</h2>\n");
    for test in &module.tests {
        out.push_str(&format!(
            "<section>\n{}<pre class=\"source\">{}</pre>\n<p class=\"where\">{}:{}</p>\n</section>\n",
            test.body,
            test.source,
            escape(&module.path),
            test.line
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_directories_are_left_out() {
        assert_eq!(titles(&["/a/b/c.arr"]), ["c"]);
        assert_eq!(titles(&["a/c.arr", "a/d/e.arr"]), ["c", "d/e"]);
        assert_eq!(titles(&["a.arr", "b/c.arr"]), ["a", "b/c"]);
        assert!(titles(&[]).is_empty());
    }

    #[test]
    fn no_two_files_share_a_page() {
        let paths = ["a/b.arr", "./a/b.arr", "index.arr", "../x y.arr", "A/B.arr", ".."];
        let names = file_names(paths.into_iter());
        assert_eq!(names, ["a.b.html", "a.b_.html", "index_.html", "x_y.html", "A.B__.html", "page.html"]);
    }
}
