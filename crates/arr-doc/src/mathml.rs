//! Checks MathML: elements and attributes that only show something, closed in order.

/// Elements with more elements around them are refused, since browsers lay them out by recursion.
const DEEPEST: usize = 200;

const ELEMENTS: &[&str] = &[
    "math",
    "mfrac",
    "mi",
    "mn",
    "mo",
    "mover",
    "mroot",
    "mrow",
    "mspace",
    "msqrt",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
];

const ATTRIBUTES: &[&str] = &[
    "class",
    "depth",
    "display",
    "displaystyle",
    "height",
    "largeop",
    "linethickness",
    "mathvariant",
    "maxsize",
    "minsize",
    "movablelimits",
    "scriptlevel",
    "stretchy",
    "style",
    "symmetric",
    "width",
];

const ENTITIES: &[&str] = &["amp;", "lt;", "gt;"];

/// Whether a text is one `math` element that neither runs nor loads anything.
pub(crate) fn is_safe(markup: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = markup;
    while let Some((text, from)) = rest.split_once('<') {
        let Some((tag, after)) = from.split_once('>') else { return false };
        // Nothing stands outside the outermost element.
        if !is_text(text) || open.is_empty() && (!text.is_empty() || rest.len() != markup.len()) {
            return false;
        }
        let fits = match tag.strip_prefix('/') {
            Some(name) => open.pop() == Some(name),
            None => opens(tag, &mut open),
        };
        if !fits || open.len() > DEEPEST {
            return false;
        }
        rest = after;
    }
    markup.starts_with("<math") && open.is_empty() && rest.is_empty()
}

/// Whether an opening tag is one of those that only show something. It stays open unless it closes itself.
fn opens<'a>(tag: &'a str, open: &mut Vec<&'a str>) -> bool {
    let (tag, empty) = match tag.strip_suffix(" /") {
        Some(tag) => (tag, true),
        None => (tag, false),
    };
    let (name, attributes) = tag.split_at_checked(tag.find(' ').unwrap_or(tag.len())).unwrap_or((tag, ""));
    if !empty {
        open.push(name);
    }
    ELEMENTS.contains(&name) && are_attributes(attributes)
}

/// Whether a text is attributes, each a space, a name, `=` and a value in quotation marks.
fn are_attributes(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let parts = rest.strip_prefix(' ').and_then(|r| r.split_once("=\""));
        let Some((name, (value, after))) = parts.and_then(|(name, r)| Some((name, r.split_once('"')?))) else {
            return false;
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || " .,:;#()%-".contains(c);
        if !ATTRIBUTES.contains(&name) || !value.chars().all(plain) || value.contains("url") {
            return false;
        }
        rest = after;
    }
    true
}

fn is_text(text: &str) -> bool {
    text.split('&').skip(1).all(|after| ENTITIES.iter().any(|entity| after.starts_with(entity)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_shows_is_safe() {
        for safe in [
            "<math></math>",
            "<math display=\"block\"><mi>x</mi><mspace width=\"0.5em\" /><mo>&lt;</mo></math>",
            "<math><mrow style=\"color: rgb(1 2 3)\"><mn>1</mn></mrow></math>",
        ] {
            assert!(is_safe(safe), "{safe}");
        }
        for unsafe_ in [
            "",
            "x",
            "<mi>x</mi>",
            "<math>",
            "<math></math>x",
            "<math></math><math></math>",
            "<math></mi></math>",
            "<math><mi>x</math></mi>",
            "<math><script>x</script></math>",
            "<math><mi onclick=\"x\">x</mi></math>",
            "<math><mi href=\"#\">x</mi></math>",
            "<math><mi style=\"background: url(x)\">x</mi></math>",
            "<math><mi class=\"a\"style=\"b\">x</mi></math>",
            "<math><mi class=a>x</mi></math>",
            "<math><mo><</mo></math>",
            "<math><mo>&</mo></math>",
            "<math><mi>x",
        ] {
            assert!(!is_safe(unsafe_), "{unsafe_}");
        }
        let deep = |n: usize| format!("<math>{}{}</math>", "<mrow>".repeat(n), "</mrow>".repeat(n));
        assert!(is_safe(&deep(100)) && !is_safe(&deep(201)));
    }
}
