//! Statements, blocks, arms and lists of other languages, and what is written here in their place.

use crate::hints::ErrorContext;
use crate::token::Tok;

const ARMS: &str = "arms go in braces, with commas between them: `match z { A => 0.0, B(a) => a }`";

const BODY: &str =
    "a body is one expression: name a part of it with `let x = e in ..`; several results are a tuple, `(a, b)`";

/// What is said of several parameters of a `\` without parentheses, of which the second ends the function.
pub const PARAMETERS: &str = "several parameters stand in parentheses";

/// One concrete suggestion, if the place looks like a form of another language.
pub fn hint(place: &ErrorContext) -> Option<String> {
    loops(place)
        .or_else(|| arms(place))
        .or_else(|| heads(place))
        .or_else(|| lists(place))
        .or_else(|| words(place))
        .or_else(|| lines(place))
}

fn some(text: &str) -> Option<String> {
    Some(text.to_string())
}

/// The last keyword before the place that begins a form with `=>`.
fn innermost_form<'s>(p: &ErrorContext<'_, 's>) -> Option<Tok<'s>> {
    let forms = |t: &Tok| matches!(t, Tok::For | Tok::Loop | Tok::Backslash | Tok::Match | Tok::FatArrow | Tok::If);
    p.earlier.iter().rev().map(|t| t.1).find(forms)
}

/// Loops that change something, and ranges.
fn loops(p: &ErrorContext) -> Option<String> {
    let in_for = || innermost_form(p) == Some(Tok::For);
    let range = "indices are counted from 0: `for i < n => e`; the integers below `n` as an array are `iota(n)`";
    match p.token? {
        Tok::Assign if in_for() && p.expected.has("<") => some(range),
        Tok::Colon if p.before.is_some_and(Tok::is_number) && !p.new_line && !p.in_head && p.open.is_none() => {
            let arm = p.expected.has("=>") && !in_for() || p.expected.has("then") || p.expected.has("{");
            (!arm).then(|| range.to_string())
        }
        Tok::While if p.expected.expression() => {
            some("a loop carries a value along: `loop x = x while c do e`, where `e` is the next `x`")
        }
        Tok::Colon | Tok::LBrace if (p.expected.has("=>") || p.expected.has("in")) && in_for() => some(
            "nothing is changed in a `for`, which makes an array, `for x in xs => e`; a value is carried along by `loop x = x for i < n do e`",
        ),
        Tok::Do if p.expected.has("=>") && in_for() => {
            some("an array is `for i < n => e`; a value is carried along by `loop x = x for i < n do e`")
        }
        Tok::Ident(_) if p.back(2) == Some(Tok::LParen) && p.back(3) == Some(Tok::For) => {
            some("an array is `for i < n => e`; a value is carried along by `loop x = x for i < n do e`")
        }
        _ => None,
    }
}

/// The arms of `match` in other languages, and its other names.
fn arms(p: &ErrorContext) -> Option<String> {
    let called = |words: &[&str]| p.earlier.iter().any(|t| matches!(t.1, Tok::Ident(name) if words.contains(&name)));
    let in_match = || p.earlier.iter().any(|t| t.1 == Tok::Match);
    match p.token? {
        Tok::Bar if in_match() && (p.open == Some(Tok::LBrace) || p.open.is_none()) => some(ARMS),
        Tok::Colon | Tok::Ident("of") if in_match() && p.expected.has("{") => some(ARMS),
        Tok::LBrace | Tok::Ident("of") | Tok::Colon if called(&["case", "switch", "when", "cond"]) => {
            some("write `match z { A => 0.0, B(a) => a }`, or `if c then a else b`")
        }
        Tok::Ident(_) | Tok::Number(_) if matches!(p.before_text, "case" | "switch") && p.after_operand() => {
            some("write `match z { A => 0.0, B(a) => a }`, or `if c then a else b`")
        }
        _ => None,
    }
}

/// The heads and the bodies of definitions.
fn heads(p: &ErrorContext) -> Option<String> {
    let token = p.token?;
    if p.in_test && p.text == "within" {
        return some("`within` stands in front of the parameters: `test \"name\" within 1e-9 (x: f64) = e`");
    }
    // `def f(x: f64): x ** 2`, whose body was read as the type of the result.
    let colon = p.earlier.windows(2).any(|pair| matches!(pair, [(_, Tok::RParen, _), (_, Tok::Colon, _)]));
    let types = matches!(token, Tok::Assign | Tok::Equal | Tok::FatArrow | Tok::Arrow);
    if p.in_head && colon && !types && p.expected.has("=") {
        return some("parameters have types, and the body follows `=`: `def f(x: f64) -> f64 = x ** 2`");
    }
    if p.text == "return" || p.before_text == "return" {
        let in_braces = p.open == Some(Tok::LBrace);
        return in_braces.then(|| "a body is an expression after `=`, without braces and `return`".to_string());
    }
    if p.in_head && p.expected.has("=") && p.new_line && !p.at_margin && !types && token != Tok::LBrace {
        return some("the body of a definition follows `=`: `def f(x: f64) -> f64 = e`");
    }
    if p.in_head && token == Tok::Less && p.before.is_some_and(|t| matches!(t, Tok::Ident(_))) {
        return some("parameters of types stand in brackets, `def f[t: num](x: t) -> t`; an array is `[n]f64`");
    }
    if p.in_head && matches!(token, Tok::Star | Tok::StarStar) && p.expected.has(")") {
        return some("each parameter has a name and a type: `def f(x: f64, y: f64) -> f64 = e`");
    }
    if p.in_head && p.after_arrow && token == Tok::LBrace && p.expected.has("=") {
        return some("the body follows `=`, without braces: `def f(x: f64) -> f64 = e`");
    }
    None
}

/// Several names or values where one is expected.
fn lists(p: &ErrorContext) -> Option<String> {
    match (p.back(2), p.before, p.token?) {
        (Some(form @ (Tok::Let | Tok::Loop)), Some(Tok::Ident(first)), Tok::Comma) if p.expected.has("=") => {
            let word = if form == Tok::Let { "let" } else { "loop" };
            let second = if let Some(Tok::Ident(name)) = p.after { name } else { "y" };
            Some(format!("several names are a pattern in parentheses: `{word} ({first}, {second}) = ..`"))
        }
        (Some(Tok::Backslash), Some(Tok::Ident(first)), Tok::Comma) if p.expected.has("=>") => {
            let second = if let Some(Tok::Ident(name)) = p.after { name } else { "y" };
            Some(format!("{PARAMETERS}: `\\({first}, {second}) => ..`"))
        }
        (_, Some(before), Tok::Number(_) | Tok::Ident(_))
            if p.open == Some(Tok::LBracket) && before.is_number() && p.after_operand() =>
        {
            some("commas stand between the elements of an array: `[1.0, 2.0]`")
        }
        (_, _, Tok::Comma) if p.open.is_none() && !p.in_head && (p.after_operand() || p.expected.nothing()) => {
            some("several results are a tuple in parentheses: `(a, b)`")
        }
        _ => None,
    }
}

/// Words and signs of other languages.
fn words(p: &ErrorContext) -> Option<String> {
    match (p.before, p.token?) {
        (_, Tok::Type) if p.expected.expression() && p.after == Some(Tok::LParen) => {
            some("a session of `arr repl` shows the type of `e` by `:type e`")
        }
        (Some(Tok::Type), Tok::LParen) => some("a session of `arr repl` shows the type of `e` by `:type e`"),
        (Some(Tok::Plus), Tok::Plus) => {
            some("nothing is changed in Arr: the next value is `x + 1`; arrays are joined by `concat(x, y)`")
        }
        (_, Tok::Backslash) if p.after_operand() => {
            some("linear equations are solved by `linalg.solve(a, b)`, after `import linalg`; a function is `\\x => e`")
        }
        (Some(Tok::At), Tok::LParen) if p.expected.expression() => some("a function is written `\\x => e`"),
        (Some(Tok::Star), Tok::Slash) | (Some(Tok::Slash), Tok::Star | Tok::StarStar) => {
            some("comments start with `--`")
        }
        (Some(Tok::RParen), Tok::Ident(_) | Tok::Number(_))
            if p.back(3) == Some(Tok::LParen)
                && matches!(p.back(2), Some(Tok::Ident(name)) if is_number_type(name)) =>
        {
            some("a number is converted by a call: `f64(n)`, `i64(x)`")
        }
        (Some(Tok::Import), Tok::Dot) | (Some(Tok::Ident(_)), Tok::Dot) if p.back(2) == Some(Tok::Import) => {
            some("a module is one of the standard library, `import linalg`, or a file, `import \"./model.arr\"`")
        }
        (Some(Tok::Equal | Tok::NotEqual), Tok::Assign) => some("`==` and `!=` compare"),
        (Some(Tok::Ident(name)), Tok::LBrace) if p.open.is_none() && p.expected.nothing() && !p.new_line => {
            Some(format!("an element of an array is `{name}[0]`; there are no blocks in Arr"))
        }
        _ => None,
    }
}

/// Whether a name is that of a type of numbers, here or in another language.
fn is_number_type(name: &str) -> bool {
    matches!(name, "f64" | "f32" | "i64" | "i32" | "u32" | "double" | "float" | "int" | "long" | "size_t")
}

/// A line that continues nothing: a second statement.
fn lines(p: &ErrorContext) -> Option<String> {
    let token = p.token?;
    let starts = matches!(token, Tok::Ident(_) | Tok::Number(_) | Tok::True | Tok::False | Tok::Let | Tok::LBrace)
        || (matches!(token, Tok::For | Tok::Loop | Tok::If | Tok::Match) && p.open.is_none());
    let assigned = p.after == Some(Tok::Assign);
    let unended = p.expected.has("let") || p.expected.has("then") || p.expected.has("else") || p.expected.has("do");
    let statement = p.new_line && !p.at_margin && p.open.is_none() && starts && !p.in_head && !unended;
    let foreign = matches!(p.text, "end" | "where" | "elif" | "elsif" | "elseif" | "mod" | "div" | "xor" | "is");
    if !statement || foreign || !p.after_operand() {
        return None;
    }
    if assigned {
        return some("a name is given with `let x = e in ..`, where `..` is what uses it");
    }
    some(BODY)
}
