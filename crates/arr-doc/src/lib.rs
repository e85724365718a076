//! Documentation as static pages: one per file, an index, a list of all names and the built-in functions. Examples are
//! run, and shown with their values.
//!
//! The text of a program is plain text on its page: no markup of a doc comment gets through, and the pages neither run
//! scripts nor load anything. Formulas become MathML, which is checked (`mathml.rs`), and local images parts of the page.

// A failure occurs once per run; its size does not matter.
#![allow(clippy::result_large_err)]

mod html;
mod images;
mod item;
mod markdown;
mod math;
mod mathml;
mod page;
mod signature;
mod text;

use arr_base::{Diagnostic, SourceId};
use arr_check::{Checked, Types};
use arr_driver::{Execution, Failure, Session};

/// A checked file to document.
#[derive(Debug)]
pub struct Source {
    /// The path as the user gave it, or the name of a module.
    pub path: String,
    pub file: SourceId,
    pub checked: Checked,
    /// The types of its results, which signatures need not have.
    pub types: Types,
}

impl Source {
    /// Reads and checks a file. Fails as [`Session::checked`] does.
    pub fn read(session: &mut Session, path: &str) -> Result<Source, Failure> {
        let (checked, types) = session.checked_with_types(path)?;
        // The text that was checked, which the spans of its items point into.
        let file = match checked.module().items.first() {
            Some(item) => item::item_span(item).file,
            None => session.load(path)?,
        };
        Ok(Source { path: path.to_string(), file, checked, types })
    }
}

impl Source {
    /// Checks a text outside any file, such as a module of the standard library. Fails with all errors of the text or
    /// of its imports.
    pub fn of_text(session: &mut Session, path: &str, text: &str) -> Result<Source, Failure> {
        let file = session.add_text(path, text);
        let parsed = arr_syntax::parse_module(file, text);
        let (checked, types) = session.checked_items_with_types(parsed.module.items);
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(checked.diagnostics.iter().cloned());
        if diagnostics.is_empty() {
            Ok(Source { path: path.to_string(), file, checked, types })
        } else {
            Err(diagnostics.into())
        }
    }
}

/// A page, with its file name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    pub file: String,
    pub html: String,
}

/// The pages of some files, and what is wrong with them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Documentation {
    /// The index first, all names, the built-in functions, then one for each file.
    pub pages: Vec<Page>,
    /// The examples that fail, which are marked on their pages.
    pub failures: Vec<Diagnostic>,
    /// The images that cannot be read; the pages have links in their places.
    pub warnings: Vec<Diagnostic>,
}

/// The pages of some files. Fails only with a [`Failure::Bug`].
pub fn document(session: &mut Session, sources: &[Source], execution: &Execution) -> Result<Documentation, Failure> {
    let paths: Vec<&str> = sources.iter().map(|source| source.path.as_str()).collect();
    let titles = page::titles(&paths);
    let names = page::file_names(titles.iter().map(String::as_str));
    let mut found = item::Found::default();
    let mut modules = Vec::new();
    for ((source, title), file) in sources.iter().zip(titles).zip(names) {
        modules.push(item::module(session, source, title, file, execution, &mut found)?);
    }
    let mut pages = vec![page::index(&modules), page::all_names(&modules), page::builtins()];
    pages.extend(modules.iter().map(page::module));
    Ok(Documentation { pages, failures: found.failures, warnings: found.warnings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_driver::MemoryWorld;

    const PROGRAM: &str = "\
-- Halves, $\\frac x 2$. ![h](h.svg)

--| The half, $x/2$. ![none](none.png)
--|
--| > half(3.0)
--| 2.0
--| > half(1.0)
--| 0.5
--| > half(true)
def half(x: f64) = 0.5 * x -- half of it

def golden = 1.618

type Pair = { x: f64, y: f64 }

def _part = 1.0

--| As `half` says.
test \"halves\" = half(2.0) == 1.0
test \"for all\"(x: f64) = half(x) == x / 2.0
";

    fn documentation() -> Documentation {
        let files = [("lib/half.arr", PROGRAM.as_bytes()), ("lib/h.svg", b"<svg/>")];
        let mut session = Session::new(MemoryWorld::new(files));
        let Ok(source) = Source::read(&mut session, "lib/half.arr") else { return Documentation::default() };
        document(&mut session, &[source], &Execution::default()).unwrap_or_default()
    }

    fn page(documentation: &Documentation, file: &str) -> String {
        let page = documentation.pages.iter().find(|page| page.file == file);
        page.map(|page| page.html.clone()).unwrap_or_default()
    }

    #[test]
    fn failing_examples_are_marked_and_stop_nothing() {
        let all = documentation();
        let html = page(&all, "half.html");
        let titles: Vec<&str> = all.failures.iter().map(|failure| failure.title.as_str()).collect();
        assert_eq!(titles, ["an example of `half` gives another value", "an example of `half` has no value"]);
        let call = "&gt; <a href=\"#half\">half</a>";
        let differs = format!(
            "<pre class=\"example failed\">{call}(3.0)\n<span class=\"value\">2.0</span>\n<span class=\"failure\">\
             an example of `half` gives another value\nexpected: 2.0\n   found: 1.5\n"
        );
        assert!(html.contains(&differs), "{html}");
        // The values of the others are where they belong.
        let holds = format!("<pre class=\"example\">{call}(1.0)\n<span class=\"value\">0.5</span></pre>");
        assert!(html.contains(&holds), "{html}");
        assert!(html.contains(&format!("<pre class=\"example failed\">{call}(true)\n<span class=\"failure\">")));
        assert!(page(&all, "index.html").contains("<strong class=\"failure\">fails</strong>"));
    }

    #[test]
    fn formulas_and_images_are_parts_of_the_page() {
        let all = documentation();
        let html = page(&all, "half.html");
        assert!(html.contains("img-src data:;"));
        assert!(html.contains("<img src=\"data:image/svg+xml;base64,PHN2Zy8+\" alt=\"h\">"), "{html}");
        assert!(html.contains("<a href=\"none.png\">none</a>"), "{html}");
        assert!(html.matches("<mfrac>").count() == 1 && page(&all, "index.html").contains("<mfrac>"), "{html}");
        assert!(page(&all, "names.html").contains("The half, <math"));
        let titles: Vec<&str> = all.warnings.iter().map(|warning| warning.title.as_str()).collect();
        assert_eq!(titles, ["`lib/none.png` cannot be read: there is no such file"]);
        let place = all.warnings.first().and_then(Diagnostic::primary_span);
        assert_eq!(place.map(|span| span.start as usize), PROGRAM.find("none.png"));
    }

    #[test]
    fn signatures_sources_and_tests_are_shown() {
        let html = page(&documentation(), "half.html");
        let inferred = |ty: &str| format!("<span class=\"inferred\" title=\"inferred, not written\">{ty}</span></pre>");
        assert!(html.contains(&format!("half</a>(x: f64){}", inferred(" -&gt; f64"))), "{html}");
        assert!(html.contains(&format!("golden</a>{}", inferred(": f64"))), "{html}");
        let source = "<pre class=\"source\">def <a href=\"#half\">half</a>(x: f64) = 0.5 * x</pre>\n</details>";
        assert!(html.contains(source), "{html}");
        // A type on one line is its own source.
        assert_eq!(html.matches("<details>").count(), 2, "{html}");
        let (_, tests) = html.split_once("<h2>Tests</h2>").unwrap_or_default();
        assert!(tests.contains("<p>As <a href=\"#half\"><code>half</code></a> says.</p>"), "{tests}");
        assert!(
            tests.contains("<pre class=\"source\">test &quot;halves&quot; = <a href=\"#half\">half</a>(2.0)"),
            "{tests}"
        );
        assert!(tests.contains("test &quot;for all&quot;(x: f64) = "), "{tests}");
        assert!(!html.contains("_part"), "{html}");
    }
}
