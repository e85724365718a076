//! What a doc comment says about a picture: its title, and the names of axes and lines.

/// The words for a picture.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    pub title: String,
    /// The names of fields, and what they are called.
    labels: Vec<(String, String)>,
}

impl Words {
    /// Reads the lines of a doc comment: the first sentence is the title, and a line ``- `field`: words`` says what a field
    /// is, with its unit. Without a doc comment the title is the definition's name.
    pub fn of(name: &str, doc: &[String]) -> Words {
        let lines = || doc.iter().map(|line| line.trim());
        let first: Vec<&str> = lines().take_while(|line| !line.is_empty() && !line.starts_with(['-', '>'])).collect();
        let text = first.join(" ");
        let sentence = text.split_once(". ").map_or(text.as_str(), |(sentence, _)| sentence);
        let title = sentence.trim_end_matches(['.', ':']).replace('`', "");
        Words {
            title: if title.is_empty() { name.to_string() } else { title },
            labels: lines().filter_map(label).collect(),
        }
    }

    /// What a field is called.
    pub(crate) fn label(&self, field: &str) -> String {
        let found = self.labels.iter().find(|(own, _)| own == field);
        found.map_or(field, |(_, words)| words).to_string()
    }
}

/// ``- `field`: words``
fn label(line: &str) -> Option<(String, String)> {
    let (field, words) = line.strip_prefix('-')?.trim_start().strip_prefix('`')?.split_once("`:")?;
    Some((field.to_string(), words.trim().trim_end_matches('.').to_string()))
}
