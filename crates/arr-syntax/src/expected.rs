//! The possible tokens at a position, in few words: the parser's list of tokens, grouped.

use std::collections::BTreeSet;

/// The tokens that the parser could have accepted.
pub struct Expected {
    tokens: BTreeSet<String>,
}

const BINARY: &[&str] = &["+", "-", "*", "/", "%", "**", "@", "==", "!=", "<", "<=", ">", ">=", "and", "or"];
const POSTFIX: &[&str] = &["(", "[", ".", "with", ":>"];
const EXPRESSION: &[&str] =
    &["if", "number", "name", "(", "[", "{", "true", "false", "-", "not", "\\", "let", "for", "loop", "match", "_"];
const PATTERN: &[&str] = &["_", "name", "(", "{", "number", "-", "true", "false"];
const TYPE: &[&str] = &["[", "name", "(", "{"];
const SIZE: &[&str] = &["number", "name", "?name", "("];

/// The order in which single tokens are named: the likeliest remedies first.
const ORDER: &[&str] =
    &["=", "=>", "->", "then", "else", "in", "do", ",", ")", "]", "}", ":", "<", "name", "number", "string"];

impl Expected {
    /// From the names of the generated parser: terminals in quotes, as the grammar writes them.
    pub fn new(names: &[String]) -> Self {
        let unquote = |s: &String| {
            let s = s.strip_prefix('"').unwrap_or(s);
            let s = s.strip_suffix('"').unwrap_or(s);
            if s == "\\\\" { "\\".to_string() } else { s.to_string() }
        };
        let internal = ["bad number", "unreadable", "start of item", "start of expression"];
        Self { tokens: names.iter().map(unquote).filter(|s| !internal.contains(&s.as_str())).collect() }
    }

    pub fn has(&self, token: &str) -> bool {
        self.tokens.contains(token)
    }

    /// Whether only the end is possible here.
    pub fn nothing(&self) -> bool {
        self.tokens.is_empty()
    }

    fn has_all(&self, tokens: &[&str]) -> bool {
        tokens.iter().all(|t| self.has(t))
    }

    /// Whether an expression could begin here, perhaps not every kind: `not` cannot follow `+`.
    pub fn expression(&self) -> bool {
        self.has_all(&["number", "name", "true", "match"])
    }

    /// Whether an expression that could continue ends before this position.
    pub fn after_expression(&self) -> bool {
        (self.has("**") || self.has("==") || self.has("with")) && !self.expression()
    }

    /// `expected an operator, "," or ")"`, or nothing if only the end is possible here.
    pub fn label(&self) -> String {
        let groups = self.groups();
        match groups.split_last() {
            None => String::new(),
            Some((only, [])) => format!("expected {only}"),
            Some((last, rest)) => format!("expected {} or {last}", rest.join(", ")),
        }
    }

    fn groups(&self) -> Vec<String> {
        let mut rest = self.tokens.clone();
        let mut groups: Vec<String> = Vec::new();
        let mut take = |name: &str, tokens: &[&str]| {
            groups.push(name.to_string());
            rest.retain(|t| !tokens.contains(&t.as_str()));
        };
        if self.expression() {
            // After `(` an operator is possible too, as in `(+)`, but that is not worth mentioning.
            take("an expression", EXPRESSION);
            rest.retain(|t| !BINARY.contains(&t.as_str()));
            // The label of a trace, which only a call of it may have.
            rest.remove("string");
        } else if self.has_all(PATTERN) {
            take("a pattern", PATTERN);
        } else if self.has_all(TYPE) && self.has("number") {
            take("a size", SIZE);
            take("a type", TYPE);
        } else if self.has_all(TYPE) {
            take("a type", TYPE);
        } else if self.has_all(SIZE) {
            take("a size", SIZE);
        } else if self.has("+") || self.has("with") {
            take("an operator", BINARY);
            rest.retain(|t| !POSTFIX.contains(&t.as_str()));
        } else if !self.has("[") {
            // After a name in a pattern, `(` would make it a constructor; that is hardly the missing token.
            rest.remove("(");
        }
        // The name of a module could continue after a dot; that is hardly the missing token either.
        rest.remove(".");
        for token in ORDER {
            if rest.remove(*token) {
                groups.push(spell(token));
            }
        }
        groups.extend(rest.iter().map(|token| spell(token)));
        groups
    }
}

fn spell(token: &str) -> String {
    match token {
        "name" => "a name".to_string(),
        "number" => "a number".to_string(),
        "string" => "a file in quotes".to_string(),
        token => format!("`{token}`"),
    }
}
