//! Printed values as trees, so that a test can move a point a little and write it back.

use crate::values::words;

/// A value: numbers that can be moved, other scalars as printed, and their containers.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    Float(f64),
    Other(String),
    List(Vec<Tree>),
    Tuple(Vec<Tree>),
    Record(Vec<(String, Tree)>),
    /// A constructor and its payload.
    Constructor(String, Vec<Tree>),
}

impl Tree {
    pub fn parse(text: &str) -> Result<Tree, String> {
        let words = words(text);
        let mut at = 0;
        let tree = parse(&words, &mut at).ok_or_else(|| format!("`{text}` is not a value"))?;
        if at == words.len() { Ok(tree) } else { Err(format!("`{text}` goes on after its value")) }
    }

    /// The floats, in order.
    pub fn floats(&self) -> Vec<f64> {
        match self {
            Tree::Float(x) => vec![*x],
            Tree::Other(_) => Vec::new(),
            Tree::List(items) | Tree::Tuple(items) | Tree::Constructor(_, items) => {
                items.iter().flat_map(Tree::floats).collect()
            }
            Tree::Record(fields) => fields.iter().flat_map(|(_, field)| field.floats()).collect(),
        }
    }

    /// The same structure with other floats.
    pub fn map(&self, f: &mut impl FnMut(f64) -> f64) -> Tree {
        match self {
            Tree::Float(x) => Tree::Float(f(*x)),
            Tree::Other(word) => Tree::Other(word.clone()),
            Tree::List(items) => Tree::List(items.iter().map(|item| item.map(f)).collect()),
            Tree::Tuple(items) => Tree::Tuple(items.iter().map(|item| item.map(f)).collect()),
            Tree::Constructor(name, items) => {
                Tree::Constructor(name.clone(), items.iter().map(|item| item.map(f)).collect())
            }
            Tree::Record(fields) => {
                Tree::Record(fields.iter().map(|(name, field)| (name.clone(), field.map(f))).collect())
            }
        }
    }
}

impl std::fmt::Display for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |items: &[Tree]| items.iter().map(Tree::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Tree::Float(x) => write!(f, "{x:?}"),
            Tree::Other(word) => f.write_str(word),
            Tree::List(items) => write!(f, "[{}]", list(items)),
            Tree::Tuple(items) => write!(f, "({})", list(items)),
            Tree::Constructor(name, items) if items.is_empty() => f.write_str(name),
            Tree::Constructor(name, items) => write!(f, "{name}({})", list(items)),
            Tree::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, field)| format!("{name} = {field}")).collect();
                write!(f, "{{{}}}", fields.join(", "))
            }
        }
    }
}

fn parse(words: &[&str], at: &mut usize) -> Option<Tree> {
    let word = *words.get(*at)?;
    *at += 1;
    match word {
        "[" => Some(Tree::List(items(words, at, "]", parse)?)),
        "(" => Some(Tree::Tuple(items(words, at, ")", parse)?)),
        "{" => Some(Tree::Record(items(words, at, "}", |words, at| {
            let name = words.get(*at)?.to_string();
            (*words.get(*at + 1)? == "=").then_some(())?;
            *at += 2;
            Some((name, parse(words, at)?))
        })?)),
        _ if word.starts_with(|c: char| c.is_ascii_uppercase()) => {
            let carries = words.get(*at) == Some(&"(");
            *at += usize::from(carries);
            let items = if carries { items(words, at, ")", parse)? } else { Vec::new() };
            Some(Tree::Constructor(word.to_string(), items))
        }
        _ if word.contains(['.', 'n']) || word.contains('e') && !matches!(word, "true" | "false") => {
            Some(Tree::Float(word.parse().ok()?))
        }
        _ => Some(Tree::Other(word.to_string())),
    }
}

/// Items up to a closing bracket, with commas between.
fn items<T>(
    words: &[&str],
    at: &mut usize,
    close: &str,
    item: impl Fn(&[&str], &mut usize) -> Option<T>,
) -> Option<Vec<T>> {
    let mut found = Vec::new();
    while *words.get(*at)? != close {
        found.push(item(words, at)?);
        if *words.get(*at)? == "," {
            *at += 1;
        }
    }
    *at += 1;
    Some(found)
}
