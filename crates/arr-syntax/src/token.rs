//! Tokens. The lexer makes them and the grammar names them.

use logos::Logos;

/// A token with the byte offsets of its text.
pub type Spanned<'s> = (u32, Tok<'s>, u32);

/// The intended operator behind one of another language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meant {
    And,
    Or,
    Not,
}

/// A token of Arr. It is `Copy`, so that the token list can be cut into items without allocation.
#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n\u{c}\u{feff}]+")]
#[logos(skip(r"--([^|\n][^\n]*)?", allow_greedy = true))]
pub enum Tok<'s> {
    #[token("def")]
    Def,
    #[token("type")]
    Type,
    #[token("import")]
    Import,
    #[token("let")]
    Let,
    #[token("in")]
    In,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("for")]
    For,
    #[token("loop")]
    Loop,
    #[token("while")]
    While,
    #[token("do")]
    Do,
    #[token("match")]
    Match,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("and")]
    And,
    #[token("or")]
    Or,
    #[token("not")]
    Not,
    #[token("with")]
    With,
    #[token("_", priority = 10)]
    Underscore,
    #[regex(r"[\p{Alphabetic}_][\p{Alphabetic}\p{N}_']*")]
    Ident(&'s str),
    /// The name of a size that a definition computes, with its question mark.
    #[regex(r"\?[\p{Alphabetic}_][\p{Alphabetic}\p{N}_']*")]
    Computed(&'s str),
    /// A number with everything attached to it; the lexer validates it afterwards.
    #[regex(r"[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9][0-9_]*)?([\p{Alphabetic}_][\p{Alphabetic}\p{N}_']*)?")]
    Number(&'s str),
    /// With its quotes.
    #[regex(r#""[^"\r\n]*""#)]
    Str(&'s str),
    #[regex(r"--\|[^\n]*", allow_greedy = true)]
    Doc(&'s str),

    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,
    #[token(":>")]
    Assert,
    #[token("=")]
    Assign,
    #[token("=>")]
    FatArrow,
    #[token("->")]
    Arrow,
    #[token("|")]
    Bar,
    #[token("\\")]
    Backslash,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("**")]
    StarStar,
    #[token("@")]
    At,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    /// Operators of other languages: the lexer reports them and replaces them by Arr's own.
    #[token("&&", |_| Meant::And)]
    #[token("||", |_| Meant::Or)]
    #[token("!", |_| Meant::Not)]
    Foreign(Meant),

    // Tokens that are not read from the text but made by the lexer's second pass or by the parser's driver.
    /// `derivative` at the start of an item.
    Derivative,
    /// `test` at the start of an item, and the two words that may follow its name.
    Test,
    Gradient,
    Within,
    /// `as` in an import.
    As,
    /// A number that was reported already.
    BadNumber,
    /// Characters that were reported already. No rule of the grammar accepts it.
    Bad,
    /// Tells the grammar that an item follows.
    StartItem,
    /// Tells the grammar that an expression follows.
    StartExpr,
}

impl Tok<'_> {
    /// Whether an item begins here.
    pub fn starts_item(self) -> bool {
        matches!(self, Tok::Def | Tok::Type | Tok::Import | Tok::Derivative | Tok::Test)
    }

    /// Whether an expression can end with this token.
    pub fn ends_expression(self) -> bool {
        matches!(
            self,
            Tok::Ident(_)
                | Tok::Number(_)
                | Tok::BadNumber
                | Tok::True
                | Tok::False
                | Tok::RParen
                | Tok::RBracket
                | Tok::RBrace
        )
    }

    pub fn is_number(self) -> bool {
        matches!(self, Tok::Number(_) | Tok::BadNumber)
    }

    /// Whether this is a reserved word.
    pub fn is_keyword(self) -> bool {
        matches!(
            self,
            Tok::Def
                | Tok::Type
                | Tok::Import
                | Tok::Let
                | Tok::In
                | Tok::If
                | Tok::Then
                | Tok::Else
                | Tok::For
                | Tok::Loop
                | Tok::While
                | Tok::Do
                | Tok::Match
                | Tok::True
                | Tok::False
                | Tok::And
                | Tok::Or
                | Tok::Not
                | Tok::With
        )
    }

    /// The closing bracket that matches this opening bracket.
    pub fn closer(self) -> Option<Tok<'static>> {
        match self {
            Tok::LParen => Some(Tok::RParen),
            Tok::LBracket => Some(Tok::RBracket),
            Tok::LBrace => Some(Tok::RBrace),
            _ => None,
        }
    }

    pub fn is_closer(self) -> bool {
        matches!(self, Tok::RParen | Tok::RBracket | Tok::RBrace)
    }
}
