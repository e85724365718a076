//! Text as HTML, and the frame that all pages share.

/// A text in which nothing is markup.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if reorders(c) || c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Whether a character reorders the text around it, which would let code look like other code.
pub(crate) fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text as part of an address within a page.
pub(crate) fn anchor(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    name.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// A whole page. `title` is text, `body` is markup.
pub(crate) fn frame(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// Pages load nothing and run nothing; their images are parts of them.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5c6470; --line: #d9dde3; --paper: #fff; --block: #f5f6f8; \
--link: #0b57b0; --fail: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6ea; --soft: #9aa3af; --line: #3a4048; --paper: #16181b; \
--block: #1f2328; --link: #7ab7ff; --fail: #ff8a80; } }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 50rem; background: var(--paper); color: var(--ink); \
font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
h1 { font-size: 1.7rem; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; }
code, pre { font: 0.9rem/1.5 ui-monospace, monospace; }
pre { background: var(--block); padding: 0.6rem 0.8rem; border-radius: 4px; overflow-x: auto; margin: 0.6rem 0; }
section { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: 0.5rem; }
section > pre.signature { font-weight: 600; }
section > pre.signature a { font-weight: 600; }
pre.signature .inferred { color: var(--soft); font-weight: 400; }
pre.example .value, pre.source .comment { color: var(--soft); }
pre.failed { border-left: 3px solid var(--fail); }
pre.failed .failure, strong.failure { color: var(--fail); }
details { margin: 0.6rem 0; }
summary { color: var(--soft); font-size: 0.9rem; cursor: pointer; }
img { max-width: 100%; }
nav, .where { color: var(--soft); font-size: 0.9rem; }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--line); padding: 0.2rem 0.6rem; text-align: left; vertical-align: top; }
ul.names { padding-left: 1.2rem; }
math[display=block] { margin: 0.6rem 0; overflow-x: auto; }
mtable { border-collapse: collapse; }
mtd { border: 0; padding: 0.1em 0; text-align: center; }
.menv-arraylike mtd { padding: 0.1em 0.4em; }
.menv-alignlike mtd:nth-child(odd), .menv-cells-right mtd, mtd.cell-right { text-align: right; }
.menv-alignlike mtd:nth-child(even), .menv-cells-left mtd, mtd.cell-left { text-align: left; }
.menv-align mtd:nth-child(2n + 3) { padding-left: 1em; }
.menv-cases mtd:first-child { padding-right: 1em; }
mtd.menv-left-solid { border-left: 0.06em solid; }
mtd.menv-right-solid { border-right: 0.06em solid; }
mtd.menv-left-dashed { border-left: 0.06em dashed; }
mtd.menv-right-dashed { border-right: 0.06em dashed; }
mtr.menv-hline { border-top: 0.06em solid; }
mtr.menv-hdashline { border-top: 0.06em dashed; }
mo.small { font-size: 70%; }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(
            escape("<script>\"a\" & 'b'</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"
        );
        assert_eq!(escape("a\u{202e}b\u{1b}"), "a\u{fffd}b\u{fffd}");
        assert_eq!(anchor("f'"), "f%27");
    }
}
