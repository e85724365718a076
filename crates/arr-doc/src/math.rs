//! Formulas: LaTeX as MathML, which browsers show without scripts.

use crate::html::{escape, reorders};
use crate::mathml::is_safe;
use arr_base::{quietly, with_stack};
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::event::{Content, Event};
use pulldown_latex::{Parser, Storage, write_mathml};
use std::convert::Infallible;
use std::io::{self, ErrorKind, Write};

/// Longer formulas are not read, in bytes.
const LONGEST: usize = 10_000;
/// Formulas with more braces inside each other are not read.
const DEEPEST: usize = 64;
/// More bytes of MathML than this are not written: a table can have many more cells than its formula has characters.
const LARGEST: usize = 1 << 20;
/// Commands that define others: of use only to formulas that have many of the same, and an expansion has no bound.
const DEFINING: &[&str] =
    &["def", "edef", "gdef", "xdef", "let", "futurelet", "newcommand", "renewcommand", "providecommand"];

/// Whether a formula stands in a line of text or on its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Inline,
    Block,
}

/// A formula as MathML. What cannot be read as LaTeX is code, as it is written.
pub(crate) fn formula(tex: &str, place: Place) -> String {
    mathml(tex, place).unwrap_or_else(|| format!("<code>{}</code>", escape(&verbatim(tex, place))))
}

/// A formula with its dollars.
pub(crate) fn verbatim(tex: &str, place: Place) -> String {
    match place {
        Place::Inline => format!("${tex}$"),
        Place::Block => format!("$${tex}$$"),
    }
}

fn mathml(tex: &str, place: Place) -> Option<String> {
    let strange = |c: char| reorders(c) || c.is_control() && c != '\n' && c != '\t';
    if tex.trim().is_empty() || tex.len() > LONGEST || tex.contains(strange) || defines(tex) || depth(tex) > DEEPEST {
        return None;
    }
    // The reader recurses over arguments, and panics on some of what it does not expect.
    let markup = repaired(&with_stack(|| quietly(|| written(tex, place))).ok()?.ok()??);
    // It escapes not everything, so that its result is checked.
    is_safe(&markup).then_some(markup)
}

fn written(tex: &str, place: Place) -> Option<String> {
    let storage = Storage::new();
    let events: Vec<Event> = Parser::new(tex, &storage).collect::<Result<_, _>>().ok()?;
    // Names of functions are written as they are.
    let markup = |event: &Event| matches!(event, Event::Content(Content::Function(f)) if f.contains(['<', '>', '&']));
    if events.iter().any(markup) {
        return None;
    }
    let display_mode = match place {
        Place::Inline => DisplayMode::Inline,
        Place::Block => DisplayMode::Block,
    };
    let mut bounded = Bounded(Vec::new());
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    write_mathml(&mut bounded, events.into_iter().map(Ok::<_, Infallible>), config).ok()?;
    String::from_utf8(bounded.0).ok()
}

/// The markup with what the writer leaves out, the escapes of single characters and the space between two attributes,
/// and without the entity that it escapes.
fn repaired(markup: &str) -> String {
    let mut text = markup.replace("\"minsize=", "\" minsize=");
    for (from, to) in [
        ("&amp;nbsp;", "\u{a0}"),
        ("&nbsp;", "\u{a0}"),
        ("><<", ">&lt;<"),
        ("><\u{338}<", ">&lt;\u{338}<"),
        (">&<", ">&amp;<"),
        (">&\u{338}<", ">&amp;\u{338}<"),
    ] {
        text = text.replace(from, to);
    }
    text
}

/// Whether a formula has a command that defines another one.
fn defines(tex: &str) -> bool {
    let mut rest = tex;
    while let Some((_, after)) = rest.split_once('\\') {
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (name, after) = after.split_at_checked(end).unwrap_or((after, ""));
        if DEFINING.contains(&name) {
            return true;
        }
        // A command that is no word is one character, such as another backslash.
        let skipped = if name.is_empty() { after.chars().next().map_or(0, char::len_utf8) } else { 0 };
        rest = after.get(skipped..).unwrap_or_default();
    }
    false
}

/// The number of braces and brackets that are open at most, escaped ones and those of environments included.
fn depth(tex: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for c in tex.chars() {
        match c {
            '{' | '[' => open += 1,
            '}' | ']' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// Bytes in memory, no more than [`LARGEST`].
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LARGEST {
            return Err(ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inline(tex: &str) -> String {
        formula(tex, Place::Inline)
    }

    #[test]
    fn formulas_are_mathml() {
        let all = inline(r"|e_{k+1}| \le C\,|e_k|^2");
        assert!(all.starts_with("<math display=\"inline\">") && all.ends_with("</math>"), "{all}");
        assert!(all.contains("<mo>≤</mo>") && all.contains("<mspace") && all.contains("<msub>"), "{all}");
        assert!(formula("x", Place::Block).starts_with("<math display=\"block\">"));
        let signs = inline(r"a < b > c \not< d, \{x \& y\}, \text{for all }x, \big( \operatorname{arg}");
        assert!(signs.contains("<mo>&lt;</mo>") && signs.contains("&lt;\u{338}") && signs.contains("&amp;"), "{signs}");
        assert!(inline(r"a\ b~c").contains("<mtext>\u{a0}</mtext>"));
        for tex in [
            r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
            r"\begin{aligned} a &= b \\ &= c \end{aligned}",
            r"\begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
            r"\begin{array}{l|r} a & b \\ \hline c & d \end{array}",
            r"\frac{\partial f}{\partial x} \sum_{i=1}^n \sqrt[3]{x_i} \hat{\beta} \mathbb{R}^n \lVert x \rVert_2",
            r"\left( \int_0^\infty e^{-x^2}\,dx \right) \nabla \cdot \mathbf{u} = 0, \quad f\colon A \to B",
            r"\color{red} x \operatorname*{argmin}_x \binom{n}{k} \underbrace{a}_{b} \overline{x} \mathcal{L}",
        ] {
            let all = inline(tex);
            assert!(all.starts_with("<math"), "{tex}: {all}");
        }
    }

    #[test]
    fn what_is_no_latex_is_code() {
        assert_eq!(inline("{a"), "<code>${a$</code>");
        assert_eq!(formula(r"\nonsense<x>", Place::Block), r"<code>$$\nonsense&lt;x&gt;$$</code>");
        // The reader panics on this one.
        assert_eq!(inline("\\char é"), "<code>$\\char é$</code>");
        assert_eq!(inline("a & b"), "<code>$a &amp; b$</code>");
        assert_eq!(inline("a\u{202e}b"), "<code>$a\u{fffd}b$</code>");
    }

    #[test]
    fn formulas_bring_in_nothing_that_runs() {
        for tex in [
            r"\href{javascript:alert(1)}{x}",
            r"\url{javascript:alert(1)}",
            r"\text{<script>alert(1)</script>}",
            r"\operatorname{<script>alert(1)</script>}",
            r"\operatorname{&lt;}",
            r#"\class{" onclick="alert(1)}{x}"#,
            r#"\cssId{" onclick="alert(1)}{x}"#,
            r#"\style{" onclick="alert(1)}{x}"#,
            r#"\color{" onclick="alert(1)}{x}"#,
            r#"\textcolor{red;background:url(https://example.com)}{x}"#,
            r#"\begin{array}{" onclick="alert(1)} a \end{array}"#,
            r#"\hspace{1em" onclick="alert(1)}"#,
            r#"\genfrac{(}{)}{1pt" onclick="alert(1)}{1}{a}{b}"#,
            r"<img src=x onerror=alert(1)>",
            r"\includegraphics{https://example.com/a.png}",
            r"\mathrm{</math><script>alert(1)</script>}",
        ] {
            let all = inline(tex);
            let tags: Vec<&str> = all.split('<').skip(1).filter_map(|tag| tag.split('>').next()).collect();
            let runs = |tag: &&str| {
                ["script", "img", "a", "href", "onclick", "url"]
                    .iter()
                    .any(|w| tag.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == *w))
            };
            assert!(!tags.iter().any(runs), "{tex}: {all}");
        }
    }

    #[test]
    fn long_deep_and_endless_formulas_end() {
        let nested = |open: &str, n: usize, close: &str| open.repeat(n) + "x" + &close.repeat(n);
        for tex in [
            r"\def\a{\a\a}\a".to_string(),
            r"\newcommand{\a}{\a\a}\a".to_string(),
            r"\let\a\frac \a 1 2".to_string(),
            r"\\\def\a{\a}\a".to_string(),
            nested("{", 5000, "}"),
            nested(r"\sqrt{", 1200, "}"),
            nested(r"\sqrt ", 1600, ""),
            nested(r"\hat", 2400, ""),
            nested("x^", 4000, ""),
            nested(r"\left(", 700, r"\right)"),
            nested(r"\begin{a}", 500, r"\end{a}"),
            nested(r"\begin{matrix}", 300, r"\end{matrix}"),
            format!(r"\begin{{array}}{{{}}}{}\end{{array}}", "|".repeat(4000) + "c", r"\\[1em]".repeat(900)),
            "x".repeat(10_001),
        ] {
            let all = inline(&tex);
            assert!(all.starts_with("<code>"), "{} bytes: {}", tex.len(), all.len());
        }
        // Long, but not deep.
        assert!(inline(&"x + ".repeat(2000)).starts_with("<math"));
        assert!(inline(r"a \\ \text{def} \define").starts_with("<code>"));
        assert!(!defines(r"\\def \definition \{let\}"));
    }
}
