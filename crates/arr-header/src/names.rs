//! C identifiers for Arr names.

use std::collections::BTreeSet;

/// Reserved words of C or C++.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "concept",
    "const",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "NULL",
    "EOF",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "linux",
    "unix",
    "I",
];

/// The name with characters that every C compiler allows: `x'` is `x_prime`, and `α` is `u3b1`. It may be a reserved word.
pub fn plain(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            '\'' => text.push_str("_prime"),
            c if c.is_ascii_alphanumeric() => text.push(c),
            c if c.is_alphanumeric() => text.push_str(&format!("u{:x}", u32::from(c))),
            _ => text.push('_'),
        }
    }
    text
}

/// The name as a valid identifier.
pub fn identifier(name: &str) -> String {
    let mut text = plain(name);
    if text.starts_with(|c: char| c.is_ascii_digit()) || text.is_empty() {
        text.insert(0, '_');
    }
    if RESERVED.contains(&text.as_str()) {
        text.push('_');
    }
    text
}

/// The prefix of the names of a file's functions and types: the file's name without its extension. The names that
/// belong to every header begin with `arr_`, so no others may.
pub fn prefix(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = file.strip_suffix(".arr").unwrap_or(file);
    let text = plain(stem);
    let own = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if own && text != "arr" && !text.starts_with("arr_") { text } else { format!("m_{}", text.trim_start_matches('_')) }
}

/// The names that are taken in one scope.
#[derive(Debug, Default)]
pub struct Scope {
    taken: BTreeSet<String>,
}

impl Scope {
    /// A scope in which these are taken.
    pub fn with(names: &[&str]) -> Scope {
        Scope { taken: names.iter().map(|name| (*name).to_string()).collect() }
    }

    /// The name, or the first of `name_2`, `name_3`, .. that is not taken.
    pub fn fresh(&mut self, name: &str) -> String {
        let numbered = (2u32..).map(|n| format!("{name}_{n}"));
        let mut candidates = std::iter::once(name.to_string()).chain(numbered);
        let found = candidates.find(|candidate| !self.taken.contains(candidate)).unwrap_or_default();
        self.taken.insert(found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_an_identifier() {
        assert_eq!(identifier("x'"), "x_prime");
        assert_eq!(identifier("double"), "double_");
        assert_eq!(identifier("2d-model"), "_2d_model");
    }

    #[test]
    fn prefixes_leave_room_for_the_runtime() {
        let found = ["a/mixture.arr", "arr.arr", "arr_f64.arr", "2d.arr", "_x.arr", "array.arr"].map(prefix);
        assert_eq!(found, ["mixture", "m_arr", "m_arr_f64", "m_2d", "m_x", "array"]);
    }

    #[test]
    fn names_do_not_clash() {
        let mut scope = Scope::with(&["context"]);
        let found = ["x_", "x_", "context", "x__2", "x_"].map(|name| scope.fresh(name));
        assert_eq!(found, ["x_", "x__2", "context_2", "x__2_2", "x__3"]);
    }
}
