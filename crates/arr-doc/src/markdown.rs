//! Renders the Markdown of doc comments as HTML, without anything that runs or loads.

use crate::html::{anchor, escape};
use crate::math::{self, Place};
use crate::text::Names;
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};
use std::ops::Range;

/// Gives the contents of a local image as an address, if it can be read.
pub(crate) type Embed<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

/// Renders a text. Code that is the name of a definition of the page is linked.
pub(crate) fn render(text: &str, names: &Names, embed: Embed) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
    let mut renderer = Renderer { text, names, embed, events: Vec::new(), in_link: false, image: None };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        renderer.add(event, &range);
    }
    let mut out = String::new();
    html::push_html(&mut out, renderer.events.into_iter());
    out
}

/// The first sentence of a text as HTML, with nothing of its Markdown but code and formulas.
pub(crate) fn summary(text: &str) -> String {
    let mut pieces: Vec<(String, Option<String>)> = Vec::new();
    let mut inside = false;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_MATH).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) => inside = true,
            Event::Text(text) if inside => pieces.push((text.to_string(), None)),
            Event::Code(text) if inside => {
                let code = format!("<code>{}</code>", escape(&text));
                pieces.push((text.to_string(), Some(code)));
            }
            Event::InlineMath(tex) if inside && is_price(text, &range) => pieces.push((format!("${tex}$"), None)),
            // Its full stops end no sentence.
            Event::InlineMath(tex) | Event::DisplayMath(tex) if inside => {
                pieces.push(("$".to_string(), Some(math::formula(&tex, Place::Inline))));
            }
            Event::SoftBreak | Event::HardBreak if inside => pieces.push((" ".to_string(), None)),
            Event::End(TagEnd::Paragraph) => break,
            _ => {}
        }
    }
    first_sentence(&pieces)
}

/// Joins texts up to the end of the first sentence. Some have markup, which is cut nowhere.
fn first_sentence(pieces: &[(String, Option<String>)]) -> String {
    let words: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
    let mut left = words.find(". ").map_or(words.len(), |at| at + 1);
    let mut out = String::new();
    for (text, markup) in pieces.iter() {
        if left == 0 {
            break;
        }
        match markup {
            Some(markup) => out.push_str(markup),
            None => out.push_str(&escape(text.get(..left).unwrap_or(text))),
        }
        left = left.saturating_sub(text.len());
    }
    out.trim().to_string()
}

/// Whether a digit follows what looks like a formula: between two prices such as `$5-$10` there is none.
fn is_price(text: &str, range: &Range<usize>) -> bool {
    text.get(range.end..).is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()))
}

/// Changes the events of a text to those of its page.
struct Renderer<'a> {
    text: &'a str,
    names: &'a Names,
    embed: Embed<'a>,
    events: Vec<Event<'a>>,
    /// Inside a link no second link is made.
    in_link: bool,
    image: Option<Image>,
}

/// An image whose description is being read.
struct Image {
    address: String,
    title: String,
    description: String,
    /// How many images there are around its description: one inside another is a part of the description.
    depth: usize,
}

impl<'a> Renderer<'a> {
    fn add(&mut self, event: Event<'a>, range: &Range<usize>) {
        if let Some(mut image) = self.image.take() {
            image.describe(&event);
            match image.depth {
                0 => self.finish(&image),
                _ => self.image = Some(image),
            }
            return;
        }
        match event {
            Event::Start(Tag::Image { dest_url, title, .. }) => {
                let (address, title) = (dest_url.to_string(), title.to_string());
                self.image = Some(Image { address, title, description: String::new(), depth: 1 });
            }
            Event::InlineMath(tex) if is_price(self.text, range) => {
                self.events.push(Event::Text(math::verbatim(&tex, Place::Inline).into()));
            }
            // Formulas are checked where they are made.
            Event::InlineMath(tex) => self.push_markup(math::formula(&tex, Place::Inline)),
            Event::DisplayMath(tex) => self.push_markup(math::formula(&tex, Place::Block)),
            Event::Code(code) if !self.in_link && self.names.contains(&code) => {
                // Made of text that is escaped here.
                self.push_markup(format!("<a href=\"#{}\"><code>{}</code></a>", anchor(&code), escape(&code)));
            }
            other => {
                match &other {
                    Event::Start(Tag::Link { .. }) => self.in_link = true,
                    Event::End(TagEnd::Link) => self.in_link = false,
                    _ => {}
                }
                self.events.push(safe(other));
            }
        }
    }

    fn push_markup(&mut self, markup: String) {
        self.events.push(Event::InlineHtml(CowStr::from(markup)));
    }

    /// An image that would have to be loaded is a link instead.
    fn finish(&mut self, image: &Image) {
        if let Some(contents) = (self.embed)(&image.address) {
            let title = match image.title.as_str() {
                "" => String::new(),
                title => format!(" title=\"{}\"", escape(title)),
            };
            let (source, alt) = (escape(&contents), escape(&image.description));
            return self.push_markup(format!("<img src=\"{source}\" alt=\"{alt}\"{title}>"));
        }
        let words = if image.description.is_empty() { &image.address } else { &image.description };
        let words = Event::Text(CowStr::from(words.clone()));
        match self.in_link {
            true => self.events.push(words),
            false => {
                let link = link(&image.address, LinkType::Inline);
                self.events.extend([Event::Start(link), words, Event::End(TagEnd::Link)]);
            }
        }
    }
}

impl Image {
    fn describe(&mut self, event: &Event) {
        match event {
            Event::Start(Tag::Image { .. }) => self.depth += 1,
            Event::End(TagEnd::Image) => self.depth = self.depth.saturating_sub(1),
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => self.description.push_str(text),
            Event::InlineMath(tex) => self.description.push_str(&math::verbatim(tex, Place::Inline)),
            Event::DisplayMath(tex) => self.description.push_str(&math::verbatim(tex, Place::Block)),
            Event::SoftBreak | Event::HardBreak => self.description.push(' '),
            _ => {}
        }
    }
}

fn safe(event: Event) -> Event {
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
        let mut embed = |address: &str| (address == "a.png").then(|| "data:image/png;base64,Zg==".to_string());
        render(text, &Names::new(["norm".to_string()]), &mut embed)
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

    #[test]
    fn formulas_are_mathml() {
        let all = html(r"It is $|e_{k+1}| \le C\,|e_k|^2$, and $a*b*c$.");
        assert_eq!(all.matches("<math display=\"inline\">").count(), 2, "{all}");
        assert!(all.contains('≤') && !all.contains("<em>"), "{all}");
        assert!(html("$$\\sum_i x_i$$").contains("<p><math display=\"block\">"));
        assert!(html("a `$x$` b").contains("<code>$x$</code>"));
        assert!(html(r"$\nonsense*a*$").contains(r"<code>$\nonsense*a*$</code>"));
        assert!(html("[$x$](#a)").contains("<a href=\"#a\"><math"));
        let summary = summary(r"The $x_1. y$ of `a`, $$z$$. More $q$.");
        assert_eq!(summary.matches("<math display=\"inline\">").count(), 2, "{summary}");
        assert!(summary.starts_with("The <math") && summary.ends_with("</math>."), "{summary}");
    }

    #[test]
    fn prices_are_prose() {
        for text in ["$5 and $6", "costs $5-$10", "from $5,$6 or $7 on", r"\$5 and 6$", "5 $ and 6 $"] {
            let plain = text.replace('\\', "");
            assert_eq!(html(text), format!("<p>{plain}</p>\n"));
            assert_eq!(summary(text), plain);
        }
    }

    #[test]
    fn local_images_are_embedded() {
        let image = "<img src=\"data:image/png;base64,Zg==\" alt=\"a &quot;b&quot; &lt;i&gt; c\" title=\"&quot;t\">";
        assert_eq!(html("![a \"b\" <i> `c`](a.png '\"t')"), format!("<p>{image}</p>\n"));
        assert_eq!(html("![*a*](b.png)"), "<p><a href=\"b.png\">a</a></p>\n");
        assert_eq!(html("![](b.png)"), "<p><a href=\"b.png\">b.png</a></p>\n");
        // A link in a link would end the outer one.
        assert_eq!(html("[x ![a](b.png)](#c)"), "<p><a href=\"#c\">x a</a></p>\n");
        assert_eq!(
            html("[![a](a.png)](#c)"),
            "<p><a href=\"#c\"><img src=\"data:image/png;base64,Zg==\" alt=\"a\"></a></p>\n"
        );
        assert_eq!(html("![a ![b](a.png)](c.png) d"), "<p><a href=\"c.png\">a b</a> d</p>\n");
    }
}
