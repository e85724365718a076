//! Renders the Markdown of doc comments as HTML, without anything that runs or loads.

use crate::html::{anchor, escape};
use crate::text::Names;
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// Renders a text. Code that is the name of a definition of the page is linked.
pub(crate) fn render(text: &str, names: &Names) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    // Inside a link no second link is made.
    let mut inside = false;
    let events = Parser::new_ext(text, options).map(|event| {
        match &event {
            Event::Start(Tag::Link { .. }) => inside = true,
            Event::End(TagEnd::Link) => inside = false,
            _ => {}
        }
        safe(event, names, inside)
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

/// The first sentence of a text as HTML, with nothing of its Markdown but code.
pub(crate) fn summary(text: &str) -> String {
    let mut pieces: Vec<(bool, String)> = Vec::new();
    let mut inside = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Paragraph) => inside = true,
            Event::Text(text) if inside => pieces.push((false, text.to_string())),
            Event::Code(text) if inside => pieces.push((true, text.to_string())),
            Event::SoftBreak | Event::HardBreak if inside => pieces.push((false, " ".to_string())),
            Event::End(TagEnd::Paragraph) => break,
            _ => {}
        }
    }
    let sentence: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
    let mut left = sentence.find(". ").map_or(sentence.len(), |at| at + 1);
    let mut out = String::new();
    for (code, text) in &pieces {
        let shown = escape(text.get(..left).unwrap_or(text));
        left = left.saturating_sub(text.len());
        out.push_str(&if *code && !shown.is_empty() { format!("<code>{shown}</code>") } else { shown });
    }
    out.trim().to_string()
}

fn safe<'a>(event: Event<'a>, names: &Names, inside: bool) -> Event<'a> {
    match event {
        // Markup is shown as it is written.
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Heading { level, .. }) => {
            Event::Start(Tag::Heading { level: lower(level), id: None, classes: Vec::new(), attrs: Vec::new() })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
        Event::Start(Tag::Link { dest_url, link_type, .. }) => Event::Start(link(&dest_url, link_type)),
        // An image would be loaded; instead, its description is a link.
        Event::Start(Tag::Image { dest_url, .. }) => Event::Start(link(&dest_url, LinkType::Inline)),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        Event::Code(code) if !inside && names.contains(&code) => {
            // Made of text that is escaped here.
            Event::InlineHtml(CowStr::from(format!(
                "<a href=\"#{}\"><code>{}</code></a>",
                anchor(&code),
                escape(&code)
            )))
        }
        other => other,
    }
}

fn link(address: &str, link_type: LinkType) -> Tag<'static> {
    let dest_url = if harmless(address) { CowStr::from(address.to_string()) } else { CowStr::from("#") };
    let link_type = if link_type == LinkType::Email { LinkType::Email } else { LinkType::Inline };
    Tag::Link { link_type, dest_url, title: CowStr::from(""), id: CowStr::from("") }
}

/// Whether following a link can only show another page.
fn harmless(address: &str) -> bool {
    let plain: String = address.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    let plain = plain.to_ascii_lowercase();
    match plain.split_once(':') {
        // A `:` behind one of these belongs to no scheme.
        Some((scheme, _)) if !scheme.contains(['/', '?', '#']) => {
            ["http", "https", "mailto"].contains(&scheme) || (plain.contains('@') && !scheme.contains("script"))
        }
        _ => true,
    }
}

/// Headings of a doc comment are below those of the page.
fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        render(text, &Names::new(["norm".to_string()]))
    }

    #[test]
    fn markup_is_text() {
        let all = html("<script>alert(1)</script>\n\na <b onclick=\"x()\">b</b> <img src=x onerror=alert(1)>");
        assert!(!all.contains("<script") && !all.contains("<b") && !all.contains("<img"), "{all}");
        assert!(all.contains("&lt;script&gt;"), "{all}");
    }

    #[test]
    fn addresses_do_not_run() {
        for address in
            ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "java\tscript:x@y"]
        {
            let all = html(&format!("[a](<{address}>) ![b](<{address}>)"));
            assert!(!all.to_lowercase().contains("script:") && !all.contains("data:"), "{all}");
        }
        assert!(html("[a](https://example.com/b:c)").contains("href=\"https://example.com/b:c\""));
        assert!(html("[a](#norm)").contains("href=\"#norm\""));
        assert!(!html("![a](https://example.com/a.png)").contains("<img"));
    }

    #[test]
    fn the_first_sentence_is_the_summary() {
        assert_eq!(summary("The `x * y` of\n[it](#a). More.\n\nElse."), "The <code>x * y</code> of it.");
        assert_eq!(summary("`a` < `b`. `c`"), "<code>a</code> &lt; <code>b</code>.");
        assert_eq!(summary("# Head\n\n| a |\n|---|\n\nText"), "Text");
        assert_eq!(summary(""), "");
    }

    #[test]
    fn names_are_linked_and_headings_lowered() {
        assert!(html("see `norm`").contains("<a href=\"#norm\"><code>norm</code></a>"));
        assert!(html("see [`norm`](#x)").contains("<a href=\"#x\"><code>norm</code></a>"));
        assert!(html("# Title").contains("<h3>Title</h3>"));
        assert!(html("a\n\n| x | y |\n|---|---|\n| 1 | 2 |").contains("<table>"));
    }
}
