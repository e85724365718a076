//! How parts are joined to text, for what the compiler writes.

/// `(a, b)`, and `(a,)` for a tuple of one part: `(a)` is `a`.
pub fn tuple_text(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    format!("({}{})", parts.join(", "), tuple_end(parts.len()))
}

/// What a tuple of so many parts has before its closing bracket.
pub fn tuple_end(parts: usize) -> &'static str {
    if parts == 1 { "," } else { "" }
}

#[cfg(test)]
mod tests {
    use super::tuple_text;

    #[test]
    fn one_part_has_a_comma() {
        let of = |parts: &[&str]| tuple_text(parts.iter().map(|p| p.to_string()));
        assert_eq!([of(&[]), of(&["a"]), of(&["a", "b"])], ["()", "(a,)", "(a, b)"]);
    }
}
