//! Text to an untyped tree: value literals and JSON, one reader with two dialects.

use crate::number::NumberText;
use crate::text::record_text;
use crate::{DataError, Problem};
use arr_base::tuple_end;
use arr_ir::Scalar;
use std::borrow::Cow;
use std::collections::HashSet;

/// The maximal nesting of values; types of programs do not exceed it either.
const MAX_DEPTH: usize = 200;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// The syntax of programs and the command line; JSON objects and strings are understood too.
    Literal,
    Json,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Raw<'a> {
    pub kind: RawKind<'a>,
    /// Byte offset in the text.
    pub at: usize,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum RawKind<'a> {
    Number(NumberText<'a>),
    Bool(bool),
    List(Vec<Raw<'a>>),
    Tuple(Vec<Raw<'a>>),
    Record(Vec<(Cow<'a, str>, Raw<'a>)>),
    /// `Circle(1.0)`, `Empty`
    Constructor(&'a str, Vec<Raw<'a>>),
    /// A string, which stands for a constructor without fields.
    Text(Cow<'a, str>),
}

impl Raw<'_> {
    /// The type of the value without a context: `[2][3]f64`.
    pub(crate) fn type_text(&self) -> String {
        let joined = |items: &[Raw<'_>]| shown(items.len(), items.iter().map(Raw::type_text));
        match &self.kind {
            RawKind::Number(number) => number.natural().name().to_string(),
            RawKind::Bool(_) => "bool".to_string(),
            RawKind::List(items) => {
                format!("[{}]{}", items.len(), items.first().map_or("_".to_string(), Raw::type_text))
            }
            RawKind::Tuple(items) => format!("({}{})", joined(items), tuple_end(items.len())),
            RawKind::Constructor(name, items) if items.is_empty() => name.to_string(),
            RawKind::Constructor(name, items) => format!("{name}({})", joined(items)),
            RawKind::Text(text) => format!("{text:?}"),
            RawKind::Record(fields) if fields.len() <= MOST_SHOWN => {
                record_text(fields.iter().map(|(n, f)| (n.as_ref(), f.type_text())))
            }
            RawKind::Record(fields) => {
                let each = fields.iter().map(|(n, f)| format!("{n}: {}", f.type_text()));
                format!("{{ {} }}", shown(fields.len(), each))
            }
        }
    }
}

/// The number of parts of a tuple or record that a message names.
const MOST_SHOWN: usize = 12;

/// The first few of these parts.
fn shown(count: usize, parts: impl Iterator<Item = String>) -> String {
    let mut parts: Vec<String> = parts.take(MOST_SHOWN).collect();
    if count > MOST_SHOWN {
        parts.push(format!(".. {} more", count - MOST_SHOWN));
    }
    parts.join(", ")
}

/// Reads the whole text as one value.
pub(crate) fn parse(text: &str, dialect: Dialect) -> Result<Raw<'_>, DataError> {
    parse_within(text, dialect, u64::MAX)
}

/// The same within this many bytes of memory: the tree takes many times the space of its text.
pub(crate) fn parse_within(text: &str, dialect: Dialect, limit: u64) -> Result<Raw<'_>, DataError> {
    let mut reader = Reader { text, pos: 0, dialect, depth: 0, used: 0, limit };
    let value = reader.value()?;
    reader.space();
    if reader.pos < text.len() {
        return Err(reader.error("something follows the value"));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    pos: usize,
    dialect: Dialect,
    depth: usize,
    /// Bytes of memory used so far, and the limit.
    used: u64,
    limit: u64,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.pos..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.pos += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Takes the longest prefix of characters that satisfy `test`.
    fn take(&mut self, test: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.pos += end;
        rest.get(..end).unwrap_or("")
    }

    /// Skips space and takes the character, if it comes next.
    fn eat(&mut self, c: char) -> bool {
        self.space();
        let found = self.peek() == Some(c);
        if found {
            self.pos += c.len_utf8();
        }
        found
    }

    fn error(&self, why: impl Into<String>) -> DataError {
        let len = self.peek().map_or(0, char::len_utf8);
        DataError { at: Some(self.pos..self.pos + len), ..Problem::Syntax(why.into()).into() }
    }

    fn expected(&self, what: &str) -> DataError {
        match self.peek() {
            None => self.error(format!("expected {what}, but the text ends")),
            Some(c) => self.error(format!("expected {what}, found `{}`", c.escape_debug())),
        }
    }

    fn value(&mut self) -> Result<Raw<'a>, DataError> {
        self.space();
        let at = self.pos;
        let literal = self.dialect == Dialect::Literal;
        let kind = match self.peek() {
            Some('[') => RawKind::List(self.items(']')?),
            Some('(') if literal => self.tuple()?,
            Some('{') => RawKind::Record(self.fields()?),
            Some('"') => self.string_value()?,
            Some(c) if c == '-' || c.is_ascii_digit() => self.number()?,
            Some(c) if c.is_alphabetic() => self.word()?,
            _ => return Err(self.expected("a value")),
        };
        self.used = self.used.saturating_add(size_of::<Raw<'_>>() as u64);
        if self.used > self.limit {
            return Err(Problem::TooLarge { bytes: self.used, limit: self.limit }.into());
        }
        Ok(Raw { kind, at })
    }

    /// Enters a bracket, refusing values nested too deeply for the stack.
    fn open(&mut self) -> Result<(), DataError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("it nests deeper than {MAX_DEPTH} levels")));
        }
        self.pos += 1;
        Ok(())
    }

    /// After an item: `true` if another follows.
    fn more(&mut self, close: char) -> Result<bool, DataError> {
        if self.eat(close) {
            return Ok(false);
        }
        if !self.eat(',') {
            return Err(self.expected(&format!("`,` or `{close}`")));
        }
        // A trailing comma, which JSON does not have.
        Ok(self.dialect == Dialect::Json || !self.eat(close))
    }

    fn items(&mut self, close: char) -> Result<Vec<Raw<'a>>, DataError> {
        self.open()?;
        let mut items = Vec::new();
        let mut go = !self.eat(close);
        while go {
            items.push(self.value()?);
            go = self.more(close)?;
        }
        self.depth -= 1;
        Ok(items)
    }

    /// `(a, b)`, `(a,)`; `(a)` is `a`.
    fn tuple(&mut self) -> Result<RawKind<'a>, DataError> {
        let mut items = self.items(')')?;
        let before = self.text.get(..self.pos).and_then(|text| text.strip_suffix(')')).map(str::trim_end);
        Ok(match items.len() {
            1 if !before.is_some_and(|text| text.ends_with(',')) => items.swap_remove(0).kind,
            _ => RawKind::Tuple(items),
        })
    }

    fn fields(&mut self) -> Result<Vec<(Cow<'a, str>, Raw<'a>)>, DataError> {
        self.open()?;
        let mut fields: Vec<(Cow<'a, str>, Raw<'a>)> = Vec::new();
        let mut names: HashSet<Cow<'a, str>> = HashSet::new();
        let mut go = !self.eat('}');
        while go {
            self.space();
            let (name, quoted) = match self.peek() {
                Some('"') => (self.string()?, true),
                Some(c) if self.dialect == Dialect::Literal && (c.is_alphabetic() || c == '_') => {
                    (Cow::Borrowed(self.take(|c| c.is_alphanumeric() || c == '_' || c == '\'')), false)
                }
                _ => return Err(self.expected("a field's name")),
            };
            if !names.insert(name.clone()) {
                return Err(self.error(format!("the field `{name}` is given twice")));
            }
            if !self.eat(if quoted { ':' } else { '=' }) {
                return Err(self.expected(if quoted { "`:`" } else { "`=`" }));
            }
            fields.push((name, self.value()?));
            go = self.more('}')?;
        }
        self.depth -= 1;
        Ok(fields)
    }

    /// `-12.5e3f32`, `-inf`
    fn number(&mut self) -> Result<RawKind<'a>, DataError> {
        let start = self.pos;
        if self.peek() == Some('-') {
            self.pos += 1;
        }
        let literal = self.dialect == Dialect::Literal;
        for word in ["inf", "nan"] {
            if literal && self.rest().starts_with(word) {
                self.pos += word.len();
                // The sign of a NaN means nothing.
                let text = if word == "nan" { "nan" } else { self.text.get(start..self.pos).unwrap_or(word) };
                return self.suffixed(text);
            }
        }
        if self.rest().starts_with("Infinity") {
            self.pos += "Infinity".len();
            return Ok(RawKind::Number(NumberText { text: "-inf", suffix: None }));
        }
        if self.take(|c| c.is_ascii_digit()).is_empty() {
            return Err(self.expected("a digit"));
        }
        if self.peek() == Some('.') {
            self.pos += 1;
            if self.take(|c| c.is_ascii_digit()).is_empty() {
                return Err(self.expected("a digit after the point"));
            }
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            self.pos += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.pos += 1;
            }
            if self.take(|c| c.is_ascii_digit()).is_empty() {
                return Err(self.expected("a digit of the exponent"));
            }
        }
        let text = self.text.get(start..self.pos).unwrap_or("");
        self.suffixed(text)
    }

    fn suffixed(&mut self, text: &'a str) -> Result<RawKind<'a>, DataError> {
        if self.dialect == Dialect::Json || !self.peek().is_some_and(char::is_alphanumeric) {
            return Ok(RawKind::Number(NumberText { text, suffix: None }));
        }
        let start = self.pos;
        let word = self.take(|c| c.is_alphanumeric() || c == '_');
        match Scalar::from_name(word).filter(|s| *s != Scalar::Bool) {
            Some(suffix) => Ok(RawKind::Number(NumberText { text, suffix: Some(suffix) })),
            None => {
                self.pos = start;
                Err(self.error(format!("`{word}` is not a number's suffix")))
            }
        }
    }

    /// `true`, `false`, `inf`, `nan`; in JSON also the spellings of other writers for numbers that JSON lacks.
    fn word(&mut self) -> Result<RawKind<'a>, DataError> {
        let start = self.pos;
        let word = self.take(|c| c.is_alphanumeric() || c == '_');
        let number = |text| Ok(RawKind::Number(NumberText { text, suffix: None }));
        match (word, self.dialect) {
            ("true", _) => Ok(RawKind::Bool(true)),
            ("false", _) => Ok(RawKind::Bool(false)),
            ("NaN", Dialect::Json) => number("nan"),
            ("Infinity", Dialect::Json) => number("inf"),
            ("inf" | "nan", Dialect::Literal) => number(word),
            (_, Dialect::Literal) if word.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let word = self.primed(start);
                let items = if self.peek() == Some('(') { self.items(')')? } else { Vec::new() };
                Ok(RawKind::Constructor(word, items))
            }
            (_, Dialect::Literal) if word.starts_with("inf") || word.starts_with("nan") => {
                self.pos = start + 3;
                self.suffixed(self.text.get(start..start + 3).unwrap_or(""))
            }
            _ => {
                self.pos = start;
                Err(DataError {
                    at: Some(start..start + word.len()),
                    ..Problem::Syntax(format!("`{word}` is not a value")).into()
                })
            }
        }
    }

    /// The name that starts at `start`: names may have `'` and, from modules, `.` in them.
    fn primed(&mut self, start: usize) -> &'a str {
        self.take(|c| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.'));
        self.text.get(start..self.pos).unwrap_or("")
    }

    /// A string stands for a number that JSON cannot write, or for a constructor.
    fn string_value(&mut self) -> Result<RawKind<'a>, DataError> {
        let word = self.string()?;
        let text = match word.as_ref() {
            "nan" | "NaN" => "nan",
            "inf" | "Infinity" => "inf",
            "-inf" | "-Infinity" => "-inf",
            _ => return Ok(RawKind::Text(word)),
        };
        Ok(RawKind::Number(NumberText { text, suffix: None }))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, DataError> {
        self.pos += 1;
        let plain = self.take(|c| c != '"' && c != '\\' && !c.is_control());
        if self.peek() == Some('"') {
            self.pos += 1;
            return Ok(Cow::Borrowed(plain));
        }
        let mut text = plain.to_string();
        loop {
            match self.peek() {
                Some('"') => {
                    self.pos += 1;
                    return Ok(Cow::Owned(text));
                }
                Some('\\') => {
                    self.pos += 1;
                    text.push(self.escape()?);
                }
                Some(c) if !c.is_control() => {
                    self.pos += c.len_utf8();
                    text.push(c);
                }
                _ => return Err(self.expected("the end of the string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, DataError> {
        let c = self.peek().ok_or_else(|| self.expected("an escape"))?;
        let plain = match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(),
            _ => return Err(self.expected("an escape")),
        };
        self.pos += 1;
        Ok(plain)
    }

    /// `uD83D\uDE00`: one or, beyond the first plane, two groups.
    fn unicode(&mut self) -> Result<char, DataError> {
        let high = self.hex4()?;
        if !(0xd800..0xdc00).contains(&high) {
            return char::from_u32(high).ok_or_else(|| self.error("not a character"));
        }
        if self.peek() != Some('\\') {
            return Err(self.expected("the second half of a character"));
        }
        self.pos += 1;
        let low = self.hex4()?;
        let scalar = 0x10000 + ((high - 0xd800) << 10) + low.wrapping_sub(0xdc00);
        char::from_u32(scalar).filter(|_| (0xdc00..0xe000).contains(&low)).ok_or_else(|| self.error("not a character"))
    }

    fn hex4(&mut self) -> Result<u32, DataError> {
        let digits = self.rest().get(1..5).filter(|_| self.peek() == Some('u'));
        let value = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let value =
            value.and_then(|d| u32::from_str_radix(d, 16).ok()).ok_or_else(|| self.expected("`u` and four digits"))?;
        self.pos += 5;
        Ok(value)
    }
}
