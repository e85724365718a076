//! Identifiers of a module: each is the program's own name where that is a word of WGSL, and unique in the module.

use std::collections::HashSet;

/// The words that are taken.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A name like `hint` that is not taken yet.
    pub fn unique(&mut self, hint: &str) -> String {
        let word = word(hint);
        if !is_reserved(&word) && self.taken.insert(word.clone()) {
            return word;
        }
        // A number at its end goes up: `sum_2`, `sum_3`.
        let (stem, first) = numbered(&word);
        for k in first.. {
            let name = format!("{stem}_{k}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
        word
    }
}

/// A name without its number, and the number to try next.
fn numbered(word: &str) -> (&str, u64) {
    match word.rsplit_once('_') {
        Some((stem, number)) if !stem.is_empty() => match number.parse::<u64>() {
            Ok(k) if k < u64::from(u32::MAX) => (stem, k + 1),
            _ => (word, 2),
        },
        _ => (word, 2),
    }
}

/// Letters, digits and single underscores, beginning with a letter.
fn word(hint: &str) -> String {
    let mut word = String::new();
    for c in hint.chars() {
        if c.is_ascii_alphanumeric() {
            word.push(c);
        } else if !word.is_empty() && !word.ends_with('_') {
            word.push('_');
        }
    }
    let word = word.trim_end_matches('_');
    match word.chars().next() {
        None => "value".to_string(),
        Some(c) if c.is_ascii_digit() => format!("n{word}"),
        Some(_) => word.to_string(),
    }
}

/// Keywords, reserved words, and everything predeclared, which a declaration would hide.
fn is_reserved(word: &str) -> bool {
    naga::keywords::wgsl::RESERVED.contains(&word)
        || naga::keywords::wgsl::BUILTIN_IDENTIFIERS.contains(&word)
        || matches!(word, "i64" | "u64" | "f64" | "i16" | "u16" | "subgroupAdd")
        // Functions of the module's own begin like this.
        || word.starts_with("arr_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_unique() {
        let mut names = Names::default();
        let made: Vec<String> =
            ["x", "x", "p.mean.data", "p.mean.2", "p.mean.2", "exp", "select", "x'", "_", "9", "i64", "arr_f", "größe"]
                .iter()
                .map(|hint| names.unique(hint))
                .collect();
        let expected = [
            "x",
            "x_2",
            "p_mean_data",
            "p_mean_2",
            "p_mean_3",
            "exp_2",
            "select_2",
            "x_3",
            "value",
            "n9",
            "i64_2",
            "arr_f_2",
            "gr_e",
        ];
        assert_eq!(made, expected);
    }
}
