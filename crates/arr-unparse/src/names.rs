//! Names: legal, different from the names in scope, and close to the user's.

use arr_ir::Prim;
use std::collections::{BTreeMap, BTreeSet};

const KEYWORDS: &[&str] = &[
    "def",
    "type",
    "let",
    "in",
    "if",
    "then",
    "else",
    "for",
    "loop",
    "while",
    "do",
    "match",
    "import",
    "true",
    "false",
    "and",
    "or",
    "not",
    "with",
    "derivative",
];

/// The built-in functions that printed code calls, besides the primitives; no name hides one.
const CALLED: &[&str] = &[
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "flatten",
    "iota",
    "maximum",
    "minimum",
    "product",
    "reshape",
    "scatter",
    "scatter_add",
    "stop_gradient",
    "sum",
    "unzip",
    "zeros",
    "ones",
];

/// The names in scope.
#[derive(Debug, Default)]
pub struct Names {
    taken: BTreeSet<String>,
    /// The names taken in each open scope.
    scopes: Vec<Vec<String>>,
    /// The number last tried for a stem, so that many variables of one name cost linear time.
    last: BTreeMap<String, usize>,
}

impl Names {
    pub fn new() -> Names {
        let mut names = Names::default();
        let fixed = KEYWORDS.iter().chain(CALLED).copied().chain(Prim::ALL.iter().map(|p| p.name()));
        names.taken.extend(fixed.map(str::to_string));
        names.scopes.push(Vec::new());
        names
    }

    pub fn open(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub fn close(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            self.taken.remove(&name);
            self.last.remove(stem(&name));
        }
    }

    /// Reserves exactly this name.
    pub fn reserve(&mut self, name: &str) {
        if self.taken.insert(name.to_string())
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.push(name.to_string());
        }
    }

    /// A free name close to the hint.
    pub fn fresh(&mut self, hint: &str) -> String {
        let hint = sanitize(hint);
        let name = if self.taken.contains(&hint) {
            let stem = stem(&hint).to_string();
            let mut n = self.last.get(&stem).copied().unwrap_or(0) + 1;
            while self.taken.contains(&format!("{stem}{n}")) {
                n += 1;
            }
            self.last.insert(stem.clone(), n);
            format!("{stem}{n}")
        } else {
            hint
        };
        self.reserve(&name);
        name
    }
}

/// The letters for indices, from `i` on.
const INDICES: [&str; 4] = ["i", "j", "k", "l"];

impl Names {
    /// A free name for an index: the hint, or the letters from `i` on.
    pub fn fresh_index(&mut self, hint: &str) -> String {
        let hint = sanitize(hint);
        let hint = if INDICES.contains(&stem(&hint)) { stem(&hint) } else { &hint };
        let free = |name: &str| !self.taken.contains(name);
        if self.taken.contains(hint)
            && let Some(next) = INDICES.iter().copied().find(|name| free(name))
        {
            self.reserve(next);
            return next.to_string();
        }
        self.fresh(hint)
    }
}

/// The name without the number at its end.
fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.is_empty() { name } else { stem }
}

/// The variable for a part of a constructor: constructors are capitalised, variables are not.
pub fn variable_name(constructor: &str) -> String {
    let mut name = constructor.to_string();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    name
}

/// The hint's last component, if it is a name; `t` for meaningless names.
fn sanitize(hint: &str) -> String {
    let last = hint.rsplit('.').find(|part| part.starts_with(char::is_alphabetic)).unwrap_or("t");
    let name: String = last.chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '\'')).collect();
    let says_nothing = Prim::from_name(&name).is_some() || matches!(name.as_str(), "" | "size");
    if says_nothing || KEYWORDS.contains(&name.as_str()) { "t".to_string() } else { name }
}
