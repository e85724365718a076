//! Signs, brackets and items as other languages spell them, and how they are written here.

use crate::hints::ErrorContext;
use crate::token::Tok;

/// One concrete suggestion, if the place looks like a spelling of another language.
pub fn hint(place: &ErrorContext) -> Option<String> {
    signs(place)
        .or_else(|| commas(place))
        .or_else(|| brackets(place))
        .or_else(|| functions(place))
        .or_else(|| items(place))
        .map(str::to_string)
}

/// The hint for a word at the margin that begins an item in another language.
pub fn item_hint(word: &str) -> Option<&'static str> {
    Some(match word {
        "struct" | "class" | "record" | "data" | "enum" | "interface" => {
            "a type is written `type Point = { x: f64, y: f64 }`, or `type T = A | B(f64)`"
        }
        "from" => "a module is imported with `import m`, and used as `m.f(x)`",
        "using" | "use" | "open" | "include" | "require" => {
            "a module is imported with `import linalg`, a file with `import \"./model.arr\"`"
        }
        "derivative" => "a derivative is declared as `derivative f(x, y, dy) = dx`",
        "test" => "a test is written `test \"name\" = e`",
        _ => return None,
    })
}

fn signs(p: &ErrorContext) -> Option<&'static str> {
    let value = p.expected.expression();
    Some(match (p.before, p.token?) {
        (_, Tok::Bar) if value => "the absolute value is `abs(x)`",
        (_, Tok::Not) if p.text == "!" && p.after_operand() => {
            "the factorial of `n` is `product(for i < n => f64(i + 1))`"
        }
        (_, Tok::Ident("AND")) if p.after_operand() => "write `and`",
        (_, Tok::Ident("OR")) if p.after_operand() => "write `or`",
        (_, Tok::Ident("NOT")) if value => "write `not`",
        (_, Tok::Colon) if p.after == Some(Tok::Assign) && p.expected.nothing() => {
            "a name is given with `let x = e in ..`"
        }
        (Some(Tok::Ident(_)), Tok::Less) if p.after == Some(Tok::Minus) && p.expected.has("=") => "write `=`",
        (Some(Tok::Comma | Tok::LParen), Tok::Plus | Tok::Star | Tok::Slash | Tok::StarStar)
            if value && p.open == Some(Tok::LParen) && matches!(p.after, Some(Tok::Comma | Tok::RParen)) =>
        {
            "an operator as a function stands in parentheses: `reduce((+), z, xs)`"
        }
        (_, Tok::Dot) if value && p.open == Some(Tok::LBracket) && p.after == Some(Tok::Dot) => {
            "a whole axis is `:`, as in `x[:, 0]`; axes behind the last index are left out"
        }
        _ => return None,
    })
}

fn commas(p: &ErrorContext) -> Option<&'static str> {
    let Tok::Comma = p.token? else { return None };
    let numbers = p.before.is_some_and(Tok::is_number) && p.after.is_some_and(Tok::is_number);
    if numbers && p.open.is_none() {
        return Some(
            "a decimal number has a point, `3.5`, and `_` between its thousands, `1_000`; a tuple is `(a, b)`",
        );
    }
    if p.expected.has("in") && p.expected.has("let") && p.open.is_none() {
        return Some("each name has a `let` of its own: `let x = a let y = b in e`");
    }
    let brace = p.open == Some(Tok::LBrace) && !p.expected.has(",") && !p.in_head;
    brace.then_some("a tuple stands in parentheses, `(a, b)`; a record has names, `{ x = a, y = b }`")
}

fn brackets(p: &ErrorContext) -> Option<&'static str> {
    let capital = |name: &str| name.starts_with(char::is_uppercase);
    Some(match (p.before, p.token?) {
        (Some(Tok::Ident(name)), Tok::LBrace) if capital(name) && !p.in_head && p.back(2) != Some(Tok::Type) => {
            "a record has no name before it, and `=` in it: `{ x = a, y = b }`"
        }
        (Some(Tok::Ident(_)), Tok::LBrace) if p.back(2) == Some(Tok::Type) => {
            "a type is written `type Point = { x: f64, y: f64 }`, or `type T = A | B(f64)`"
        }
        (_, Tok::Colon) if p.open == Some(Tok::LParen) && p.after_operand() && !p.in_head => {
            "a type is given to a name, `let x: t = e in ..`, or asserted of a value, `e :> t`"
        }
        _ => return None,
    })
}

/// Functions without a name.
fn functions(p: &ErrorContext) -> Option<&'static str> {
    let lambda = p.back(2) == Some(Tok::Backslash) && p.before_text == "lambda";
    let arrow = p.before == Some(Tok::RParen) && p.token == Some(Tok::FatArrow) && p.expected.nothing();
    (lambda || arrow).then_some("a function is written `\\x => e`, or `\\(x, y) => e`")
}

fn items(p: &ErrorContext) -> Option<&'static str> {
    let first = p.earlier.first().map(|t| t.1);
    let import = first == Some(Tok::Import) && matches!(p.token, Some(Tok::Colon | Tok::LBrace | Tok::LParen));
    if import || first == Some(Tok::Import) && p.token == Some(Tok::Dot) {
        return Some("a module is imported whole, `import linalg`, and what it has is written `linalg.f`");
    }
    if p.in_test && p.token == Some(Tok::LBrace) && p.expected.has("=") {
        return Some("a test is written `test \"name\" = e`");
    }
    if p.in_test && p.before_text == "assert" && p.after_operand() {
        return Some("a test says what holds: leave out `assert`");
    }
    if p.new_line && p.at_margin {
        return item_hint(p.text);
    }
    None
}
