//! Completion: the possible words at the end of a line.

use crate::about::{standard, standard_name};
use crate::commands::{COMMANDS, stages};
use crate::keep::item_name;
use crate::state::{LAST, Repl};
use arr_data::EdgeValue;
use arr_syntax::ast::Item;
use std::collections::BTreeMap;

/// The words that a session knows.
#[derive(Clone, Default, Debug)]
pub struct Vocabulary {
    /// In order.
    words: Vec<String>,
    /// The fields of values that are records, and what imported modules define.
    fields: BTreeMap<String, Vec<String>>,
}

impl Repl {
    /// The words that could stand in the next input.
    pub fn vocabulary(&self) -> Vocabulary {
        let mut words: Vec<String> = arr_syntax::KEYWORDS.iter().map(|word| word.to_string()).collect();
        words.extend(arr_check::builtin_docs().map(|(name, _)| name.to_string()));
        words.extend(self.items.iter().filter_map(item_name).map(|(_, name)| name));
        words.extend(self.kept.iter().map(|kept| kept.name.clone()).filter(|name| name != LAST));
        words.extend(self.items.iter().filter_map(alias).map(str::to_string));
        words.sort();
        words.dedup();
        let records = self.kept.iter().filter_map(|kept| match &kept.value {
            EdgeValue::Record(fields) => {
                Some((kept.name.clone(), fields.iter().map(|(name, _)| name.clone()).collect()))
            }
            _ => None,
        });
        let modules = self.items.iter().filter_map(|item| {
            let Item::Import(import) = item else { return None };
            let module = standard(standard_name(import)?)?;
            let own = module.items.iter().filter_map(item_name).map(|(_, name)| name);
            Some((alias(item)?.to_string(), own.filter(|name| !name.starts_with('_')).collect()))
        });
        let mut fields: BTreeMap<String, Vec<String>> = modules.collect();
        for members in fields.values_mut() {
            members.sort();
            members.dedup();
        }
        fields.extend(records);
        Vocabulary { words, fields }
    }
}

/// The name under which an item imports a module.
fn alias(item: &Item) -> Option<&str> {
    if let Item::Import(import) = item { import.local_name() } else { None }
}

impl Vocabulary {
    /// The start of the word before `cursor`, and its completions.
    pub fn complete(&self, line: &str, cursor: usize) -> (usize, Vec<String>) {
        let before = line.get(..cursor).unwrap_or(line);
        let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let start = before.rfind(|c| !in_word(c)).map_or(0, |at| at + before.get(at..).map_or(1, first_len));
        let prefix = before.get(start..).unwrap_or_default();
        let ahead = before.get(..start).unwrap_or_default();
        let starting = |words: &mut dyn Iterator<Item = &str>| -> Vec<String> {
            words.filter(|word| word.starts_with(prefix)).map(str::to_string).collect()
        };
        if ahead.trim() == ":" {
            return (start, starting(&mut COMMANDS.iter().copied()));
        }
        if ahead.trim() == ":emit" {
            return (start, starting(&mut stages()));
        }
        if let Some(record) = ahead.strip_suffix('.') {
            let name = record.rsplit(|c| !in_word(c)).next().unwrap_or_default();
            let fields = self.fields.get(name).map(Vec::as_slice).unwrap_or_default();
            return (start, starting(&mut fields.iter().map(String::as_str)));
        }
        if prefix.is_empty() {
            return (start, Vec::new());
        }
        (start, starting(&mut self.words.iter().map(String::as_str)))
    }
}

fn first_len(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_driver::{Execution, MemoryWorld, Session};

    #[test]
    fn names_commands_and_fields_are_completed() {
        let session = Session::new(MemoryWorld::default());
        let mut repl = Repl::new(session, Execution { backend: arr_driver::Backend::Interp, ..Execution::default() });
        assert!(repl.enter("let point = { height = 1.0, width = 2.0 }").is_ok());
        assert!(repl.enter("def maximal = 1").is_ok());
        let words = repl.vocabulary();
        assert_eq!(words.complete("1 + maxim", 9), (4, vec!["maximal".to_string(), "maximum".to_string()]));
        assert!(repl.enter("import linalg as la").is_ok());
        let members = repl.vocabulary().complete("1.0 + la.solve_l", 16).1;
        assert_eq!(members, ["solve_lower", "solve_lower_many"]);
        assert_eq!(words.complete("point.wi", 8), (6, vec!["width".to_string()]));
        assert_eq!(words.complete(":he", 3), (1, vec!["help".to_string()]));
        assert_eq!(words.complete(":emit fu", 8), (6, vec!["fused".to_string()]));
        assert_eq!(words.complete("", 0), (0, Vec::new()));
        assert_eq!(words.complete("é poi", 6), (3, vec!["point".to_string()]));
    }
}
