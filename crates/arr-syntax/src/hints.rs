//! Frequent mistakes, and their corrections.

use crate::expected::Expected;
use crate::spellings;
use crate::statements;
use crate::token::{Spanned, Tok};

/// What is said of a keyword in the place of a name.
pub const NO_NAME: &str = "is a keyword and cannot be a name";

/// The position of an error: the neighbouring tokens and the possible ones.
pub struct ErrorContext<'a, 's> {
    pub before: Option<Tok<'s>>,
    /// Whether a number comes before the previous token.
    pub after_number: bool,
    /// `None` at the end of the item.
    pub token: Option<Tok<'s>>,
    pub after: Option<Tok<'s>>,
    pub text: &'a str,
    pub before_text: &'a str,
    /// Whether a line ends between the token and the one before.
    pub new_line: bool,
    /// Whether the token begins its line without indentation.
    pub at_margin: bool,
    /// Whether the token before begins its line.
    pub before_begins_line: bool,
    /// Whether the head of a definition is not over: no `=` stands before.
    pub in_head: bool,
    /// Whether a `->` stands before, in the same item.
    pub after_arrow: bool,
    /// The tokens of the item before this one.
    pub earlier: &'a [Spanned<'s>],
    /// The innermost bracket that is open here.
    pub open: Option<Tok<'s>>,
    /// Whether the item is a test.
    pub in_test: bool,
    pub expected: &'a Expected,
}

impl<'s> ErrorContext<'_, 's> {
    /// The token so many places before this one, counted from 1.
    pub fn back(&self, places: usize) -> Option<Tok<'s>> {
        let at = self.earlier.len().checked_sub(places)?;
        self.earlier.get(at).map(|t| t.1)
    }

    /// Whether the expression before could have ended here. In brackets the parser may have closed it by then, and
    /// expects no operator any more.
    pub fn after_operand(&self) -> bool {
        let closed = [")", "]", "}"].iter().any(|closer| self.expected.has(closer)) && !self.in_head;
        let operand = self.before.is_some_and(Tok::ends_expression) && !self.expected.expression();
        operand && (closed || self.expected.after_expression())
    }
}

/// One concrete suggestion, if one is known.
pub fn hint(place: &ErrorContext) -> Option<String> {
    spellings::hint(place)
        .or_else(|| statements::hint(place))
        .or_else(|| foreign_forms(place))
        .or_else(|| arrows(place))
        .or_else(|| foreign_words(place))
        .or_else(|| new_item(place))
        .or_else(|| application(place))
        .or_else(|| missing_words(place))
        .or_else(|| keyword_as_name(place))
        .or_else(|| sizes(place))
        .or_else(|| small_things(place))
}

fn some(text: &str) -> Option<String> {
    Some(text.to_string())
}

/// Expressions that other languages write in another order, or with other signs.
fn foreign_forms(p: &ErrorContext) -> Option<String> {
    let after = p.after_operand();
    // On a line of its own, behind a `let`, it is the `in` that is missing.
    let unended = p.new_line && p.expected.has("let");
    let lambda = "a function is written `\\x => e`, or `\\(x, y) => e`";
    match (p.before, p.token?) {
        (_, Tok::If) if after && !unended => some("write `if c then a else b`, with the condition first"),
        (_, Tok::For) if after && !unended => some("write `for x in xs => f(x)`, with the elements first"),
        (Some(Tok::Ident(_) | Tok::RParen), Tok::FatArrow) if after => some(lambda),
        (_, Tok::Assign) if p.in_head && p.expected.has(")") && p.after_arrow => {
            some("the parameters end with `)`, before the `->` of the result")
        }
        (_, Tok::Assign) if p.in_head && p.expected.has(")") => some("a parameter has no default value"),
        (Some(Tok::Ident(name)), Tok::Assign) if after => named_argument(name, p),
        (Some(Tok::RBracket), Tok::Assign) if after => {
            some("nothing is assigned in Arr; `x with [i] = e` is `x` with another element")
        }
        (Some(Tok::Colon), Tok::Assign) => some("a name is given with `let x = e in ..`"),
        (_, Tok::Computed(_)) if after => some("a choice is written `if c then a else b`"),
        (Some(Tok::Less), Tok::Greater) => some("write `!=`"),
        (_, Tok::Bar) if after && matches!(p.after, Some(Tok::Greater)) => some("a function is applied as `f(x)`"),
        (Some(Tok::Slash), Tok::Slash) if p.before_begins_line => some("comments start with `--`"),
        (Some(Tok::Slash), Tok::Slash) => some("`/` of integers rounds down; comments start with `--`"),
        (Some(Tok::Dot), Tok::Dot) => some("indices are written `for i < n => e`, a slice `x[lo:hi]`"),
        (Some(Tok::Dot), Tok::Star | Tok::Plus | Tok::Minus | Tok::Slash | Tok::StarStar) if !p.after_number => {
            some("operators work element by element on arrays; leave out the point")
        }
        (_, Tok::Dot) if p.expected.expression() && p.after.is_some_and(Tok::is_number) => {
            some("a decimal number needs digits before its point: `0.5`")
        }
        (Some(Tok::LBrace), Tok::Let) => some("there are no blocks in Arr: write `let x = e in ..`, without braces"),
        (Some(Tok::RParen), Tok::LBrace) if p.expected.has("=") => {
            some("a definition is written `def f(x: f64) -> f64 = e`")
        }
        _ => None,
    }
}

/// `f(x, axis=1)`
fn named_argument(name: &str, p: &ErrorContext) -> Option<String> {
    let call = p.expected.has(")");
    match name {
        "axis" | "dim" | "dims" if call => {
            some("functions work along the outermost axis; along another one: `for row in a => sum(row)`")
        }
        "argnums" | "argnum" | "wrt" if call => {
            some("parameters to differentiate by are named in brackets: `grad[w, b](f)`")
        }
        _ if call => some("arguments are given by their places, without names"),
        _ => None,
    }
}

/// `=`, `==`, `->`, `=>` and `:` in each other's place.
fn arrows(p: &ErrorContext) -> Option<String> {
    let has = |t| p.expected.has(t);
    match p.token? {
        Tok::Assign if has("=>") => some("write `=>`"),
        Tok::Assign if matches!(p.before, Some(Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash)) => {
            some("nothing is assigned in Arr; give the new value a name with `let`")
        }
        Tok::Assign if p.expected.after_expression() => some("`==` compares; a name is given with `let x = .. in ..`"),
        Tok::Equal if has("=") => some("write `=`; `==` compares"),
        Tok::Arrow if has("=>") => some("write `=>`; `->` stands in types only"),
        Tok::Arrow if p.expected.after_expression() => some("a function is written `\\x => e`"),
        Tok::FatArrow if has("=") => some("write `=`"),
        Tok::FatArrow if has("->") => some("write `->`"),
        Tok::Colon if has("=>") => some("write `=>`"),
        Tok::Colon if has("=") => some("write `=`"),
        _ => None,
    }
}

/// Words of other languages.
fn foreign_words(p: &ErrorContext) -> Option<String> {
    let lambda = "a function without a name is written `\\x => e`, or `\\(x, y) => e`";
    match (p.before_text, p.text) {
        ("lambda" | "λ" | "fn" | "fun" | "func" | "function", _) if p.expected.after_expression() => some(lambda),
        ("return", _) => some("a definition's result is its expression; leave out `return`"),
        ("mut", _) => some("a name keeps its value; leave out `mut`"),
        ("val" | "var" | "const", _) => some("a name is given with `let x = .. in ..`"),
        (_, "elif" | "elsif" | "elseif") => some("write `else if`"),
        (_, "where") => some("write `let .. in ..` before the expression"),
        (_, "end") => some("nothing is ended with a word; leave out `end`"),
        (_, "mod") if p.expected.after_expression() => some("write `a % b`"),
        (_, "div") if p.expected.after_expression() => some("write `a / b`: that of integers rounds down"),
        (_, "xor") if p.expected.after_expression() => some("write `a != b`"),
        (_, "is") if p.expected.after_expression() => some("write `a == b`"),
        ("from", _) => some("a module is imported with `import m`, and used as `m.f(x)`"),
        _ => None,
    }
}

/// Something at the margin that looks like the start of a definition.
fn new_item(p: &ErrorContext) -> Option<String> {
    let Some(Tok::Ident(name)) = p.token else { return None };
    if name == "derivative" {
        return spellings::item_hint(name).map(str::to_string);
    }
    let definition = matches!(p.after, Some(Tok::Assign | Tok::LParen | Tok::LBracket | Tok::Ident(_)));
    (p.new_line && p.at_margin && definition).then(|| "a definition starts with `def`".to_string())
}

/// `f x` for `f(x)`.
fn application(p: &ErrorContext) -> Option<String> {
    let starts = matches!(p.token, Some(Tok::Ident(_) | Tok::Number(_) | Tok::True | Tok::False));
    let callee = matches!(p.before, Some(Tok::Ident(_)));
    let here = p.expected.after_expression() && !p.new_line;
    (starts && callee && here)
        .then(|| format!("a function is called with parentheses: `{}({})`", p.before_text, p.text))
}

/// Missing `then`, `else`, `in`, `do`.
fn missing_words(p: &ErrorContext) -> Option<String> {
    let has = |t| p.expected.has(t);
    // In the middle of an expression these words are expected too, but there the token itself is the error.
    let middle = p.token.is_some_and(Tok::is_closer) && (has(")") || has("]") || has("}"));
    if middle {
        return None;
    }
    if has("else") && !has("if") {
        return some("every `if` has an `else`: `if c then a else b`");
    }
    if has("then") && !has("if") {
        return some("write `if c then a else b`");
    }
    if has("in") && has("let") && !has("if") {
        return some("the `let`s end with `in` and the expression that uses them");
    }
    if has("do") && !has("if") {
        return some("write `loop acc = e0 for i < n do e`, or `while c do e`");
    }
    if has("<") && has("in") && has("=>") && !has("+") {
        return some("write `for i < n => e` or `for x in xs => e`");
    }
    if has("<") && has("in") && !has("+") {
        return some("write `for i < n do e` or `for x in xs do e`");
    }
    if has("while") && !has("if") {
        return some("write `loop acc = e0 for i < n do e`, or `loop acc = e0 while c do e`");
    }
    None
}

fn keyword_as_name(p: &ErrorContext) -> Option<String> {
    let keyword = p.token.is_some_and(Tok::is_keyword);
    (keyword && p.expected.has("name") && !p.expected.expression()).then(|| format!("`{}` {NO_NAME}", p.text))
}

/// Tokens that do not belong in a size.
fn sizes(p: &ErrorContext) -> Option<String> {
    let has = |t| p.expected.has(t);
    let type_missing = has("[") && has("name") && has("{") && !has("number") && !p.expected.expression();
    let after = has("+") && has("]") && !has("/");
    let before = has("number") && has("name") && has("(") && !has("true") && !has("{") && !has("[");
    match p.token? {
        Tok::Comma if after => some("each axis has brackets of its own: `[n][m]f64`"),
        Tok::RBracket if before => some("an axis has a size, for which any name will do: `[n]f64`"),
        Tok::RParen | Tok::Comma | Tok::Assign if type_missing && matches!(p.before, Some(Tok::RBracket)) => {
            some("the size of an axis stands before the type of its elements: `[n]f64`")
        }
        Tok::Slash | Tok::Percent | Tok::LParen | Tok::Minus | Tok::StarStar if after || before => some(
            "a size is an integer, a name, or made of these by `+ - *`; for another one, leave the result's type out, or take the size as a parameter `k: i64`",
        ),
        _ => None,
    }
}

fn small_things(p: &ErrorContext) -> Option<String> {
    let expression = p.expected.expression();
    match (p.before, p.token) {
        (_, Some(Tok::In)) => some("`in` follows the value of a `let`"),
        (_, Some(Tok::Str(_))) => some(
            "there is no text in Arr; text in quotes stands after `import` and `test`, and is the label of a `trace`",
        ),
        (Some(Tok::LBrace), Some(Tok::RBrace)) => some("a record has at least one field; the empty tuple is `()`"),
        (_, Some(Tok::Bar)) if p.expected.after_expression() => some("write `or`"),
        (Some(Tok::Dot), _) if p.after_number => some("a decimal number needs digits after its point: `1.0`"),
        (Some(Tok::LBracket), Some(Tok::RBracket)) if expression => some("write an index, or `:` for the whole axis"),
        (_, Some(Tok::LBrace)) if p.expected.after_expression() => {
            some("there are no blocks in Arr; names are given with `let .. in ..`")
        }
        (Some(Tok::Assign), None) if expression => {
            some("the body is an expression after `=`; a function inside of another is `let g = \\x => e in ..`")
        }
        (_, None) if p.expected.has("|") && !p.expected.has("=") => {
            some("a sum with one constructor is written `type T = | A(f64)`")
        }
        (Some(Tok::Equal | Tok::NotEqual | Tok::Less | Tok::Greater), Some(Tok::Not)) => {
            some("put parentheses around `not ..`")
        }
        _ => None,
    }
}
