//! Texts in the room that a picture has for them.

/// Lines of at most so many characters, broken at spaces, and at most so many of them: two dots end a text that is cut.
pub(crate) fn wrapped(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if letters(line) + 1 + letters(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            while letters(last) + 3 > width && last.pop().is_some() {}
            last.truncate(last.trim_end().len());
            last.push_str(" ..");
        }
    }
    lines.iter().map(|line| shortened(line, width)).collect()
}

/// A text of at most so many characters: two dots end one that is cut.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    match letters(text) > width {
        true => text.chars().take(width.saturating_sub(2)).chain("..".chars()).collect(),
        false => text.to_string(),
    }
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_at_spaces_and_cut_at_last() {
        assert_eq!(wrapped("aa bb cc", 5, 3), ["aa bb", "cc"]);
        assert_eq!(wrapped("aa bb cc dd", 5, 1), ["aa .."]);
        assert_eq!(wrapped("aaaaaaaa b", 5, 2), ["aaa..", "b"]);
        assert_eq!((shortened("aaaa", 4), shortened("aaaaa", 4)), ("aaaa".to_string(), "aa..".to_string()));
    }
}
