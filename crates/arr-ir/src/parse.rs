//! Parses the textual form of IR that `print` writes. `--` starts a comment; line breaks only separate tokens.
//!
//! ```text
//! func dot[n](x: [n]f64, y: [n]f64) -> f64 {
//!   s: f64 = reduce sum i<n {
//!     a: f64 = read x[i]
//!     b: f64 = read y[i]
//!     p: f64 = mul a, b
//!     yield p
//!   }
//!   return s
//! }
//! ```
//!
//! A name is bound only once in a function's text, and becomes the variable's hint. Scopes and types are left to the
//! verifier; the parser only requires that a name is bound before its use. The edge (parameters and results as the user
//! sees them) is constructed from the leaves, and spans are absent.

mod lex;
mod ops;

use crate::{Const, Edge, EdgeParam, Func, Poly, Scalar, SizeId, Type, TypeId, VarId};
pub use lex::quoted;
use lex::{Tok, lex};
use rustc_hash::FxHashMap;

/// A syntax error of IR text, and its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

impl std::fmt::Display for TextError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Parses one function. Of several errors the first is returned; [`parse_funcs`] returns all. Also fails if the text
/// has no function or several.
pub fn parse_func(text: &str) -> Result<Func, TextError> {
    let one = || TextError { line: 1, message: "expected one function".into() };
    match parse_funcs(text) {
        Ok(mut funcs) if funcs.len() == 1 => funcs.pop().ok_or_else(one),
        Ok(_) => Err(one()),
        Err(errors) => Err(errors.into_iter().next().unwrap_or_else(one)),
    }
}

/// Parses all functions of a text. Unknown names and the like are all reported; the first syntax error ends parsing.
/// Fails if there is any error; whether the functions are well formed is not checked here.
pub fn parse_funcs(text: &str) -> Result<Vec<Func>, Vec<TextError>> {
    let toks = lex(text).map_err(|error| vec![error])?;
    let (mut funcs, mut errors) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < toks.len() {
        let mut parser =
            Parser { toks: &toks, at, depth: 0, func: Func::new(""), names: FxHashMap::default(), errors: Vec::new() };
        let outcome = parser.func();
        at = parser.at;
        errors.append(&mut parser.errors);
        funcs.push(parser.func);
        if outcome.is_err() {
            break;
        }
    }
    if errors.is_empty() { Ok(funcs) } else { Err(errors) }
}

/// A syntax error, which has been reported.
struct Stop;

type Parsed<T> = Result<T, Stop>;

/// `x: f64`, and its first token.
struct Typed {
    name: String,
    ty: TypeId,
    at: usize,
}

struct Parser<'t> {
    toks: &'t [(Tok, usize)],
    at: usize,
    /// The number of open blocks.
    depth: usize,
    func: Func,
    /// Names are unique in a function's text, so one table serves all scopes.
    names: FxHashMap<String, VarId>,
    errors: Vec<TextError>,
}

impl Parser<'_> {
    fn report(&mut self, message: impl Into<String>) {
        self.report_at(self.at, message);
    }

    fn report_at(&mut self, at: usize, message: impl Into<String>) {
        let line = self.toks.get(at).or(self.toks.last()).map_or(1, |(_, line)| *line);
        self.errors.push(TextError { line, message: message.into() });
    }

    fn stop<T>(&mut self, message: impl Into<String>) -> Parsed<T> {
        self.report(message);
        Err(Stop)
    }

    fn peek(&self) -> Option<&Tok> {
        self.toks.get(self.at).map(|(t, _)| t)
    }

    fn next(&mut self) -> Option<Tok> {
        let tok = self.peek().cloned();
        self.at += 1;
        tok
    }

    fn punct_ahead(&self, distance: usize, punct: &str) -> bool {
        matches!(self.toks.get(self.at + distance), Some((Tok::Punct(p), _)) if *p == punct)
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.punct_ahead(0, punct);
        self.at += usize::from(found);
        found
    }

    fn need(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { self.stop(format!("expected `{punct}`")) }
    }

    /// A comma, or the end of a list (which is not consumed).
    fn separator(&mut self, end: &str) -> Parsed<()> {
        if self.eat(",") || self.punct_ahead(0, end) { Ok(()) } else { self.stop(format!("expected `,` or `{end}`")) }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Tok::Name(n)) if n == word);
        self.at += usize::from(found);
        found
    }

    fn need_word(&mut self, word: &str) -> Parsed<()> {
        if self.word(word) { Ok(()) } else { self.stop(format!("expected `{word}`")) }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.peek().cloned() {
            Some(Tok::Name(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.stop("expected a name"),
        }
    }

    /// A text between quotes.
    fn text(&mut self) -> Parsed<String> {
        match self.peek().cloned() {
            Some(Tok::Text(text)) => {
                self.at += 1;
                Ok(text)
            }
            _ => self.stop("expected a text between quotes"),
        }
    }

    /// Binds the name that was just read.
    fn bind(&mut self, name: String, ty: TypeId) -> VarId {
        self.bind_at(Typed { name, ty, at: self.at.saturating_sub(1) })
    }

    fn bind_at(&mut self, typed: Typed) -> VarId {
        let Typed { name, ty, at } = typed;
        if self.names.contains_key(&name) {
            self.report_at(at, format!("`{name}` is bound twice"));
        }
        let var = self.func.var(name.clone(), ty);
        self.names.insert(name, var);
        var
    }

    /// The variable of the name that was just read. An unknown name is reported once and then stands for an integer.
    fn lookup(&mut self, name: &str) -> VarId {
        if let Some(&var) = self.names.get(name) {
            return var;
        }
        self.report_at(self.at.saturating_sub(1), format!("`{name}` is not bound"));
        let ty = self.func.types.scalar(Scalar::I64);
        self.bind(name.to_string(), ty)
    }

    fn func(&mut self) -> Parsed<()> {
        self.need_word("func")?;
        self.func.name = self.name()?;
        let index = self.func.types.scalar(Scalar::I64);
        if self.eat("[") {
            while !self.eat("]") {
                let name = self.name()?;
                let var = self.bind(name, index);
                self.func.sizes.push(var);
                self.separator("]")?;
            }
        }
        self.params()?;
        self.need("->")?;
        let results_at = self.at;
        self.skip_to("{");
        self.need("{")?;
        self.func.body = self.stmts("return")?;
        self.need("}")?;
        let end = std::mem::replace(&mut self.at, results_at);
        self.results()?;
        self.at = end;
        Ok(())
    }

    fn skip_to(&mut self, punct: &str) {
        while self.at < self.toks.len() && !self.punct_ahead(0, punct) {
            self.at += 1;
        }
    }

    /// Parameters are bound in two steps, because the type of one may mention a later one.
    fn params(&mut self) -> Parsed<()> {
        self.need("(")?;
        let start = self.at;
        let placeholder = self.func.types.scalar(Scalar::I64);
        while self.at < self.toks.len() && !self.punct_ahead(0, ")") {
            let name = self.name()?;
            let var = self.bind(name, placeholder);
            self.func.params.push(var);
            while self.at < self.toks.len() && !self.punct_ahead(0, ",") && !self.punct_ahead(0, ")") {
                self.at += 1;
            }
            self.eat(",");
        }
        self.at = start;
        for var in self.func.params.clone() {
            let Typed { name, ty, .. } = self.typed_name()?;
            self.func.vars[var].ty = ty;
            self.separator(")")?;
            let text = crate::Names::new(&self.func).var_ty(var);
            let ty = edge(self.func.ty(var));
            self.func.edge_params.push(EdgeParam { name, ty, text });
        }
        self.need(")")
    }

    /// The declared result types, which may mention sizes that the body computes.
    fn results(&mut self) -> Parsed<()> {
        let mut declared = Vec::new();
        if self.eat("(") {
            self.need(")")?;
        } else {
            loop {
                declared.push(self.ty()?);
                if !self.eat(",") {
                    break;
                }
            }
        }
        let results = self.func.body.results.clone();
        let types: Vec<Type> = results.into_iter().map(|r| self.func.atom_ty(r)).collect();
        let declared: Vec<Type> = declared.into_iter().map(|t| self.func.types.get(t).clone()).collect();
        if declared != types {
            self.report("the function does not return what its first line declares");
        }
        let mut edges: Vec<Edge> = types.iter().map(edge).collect();
        self.func.edge_result = if edges.len() == 1 { edges.remove(0) } else { Edge::Tuple(edges) };
        if self.punct_ahead(0, "{") { Ok(()) } else { self.stop("expected `{`") }
    }

    fn typed_name(&mut self) -> Parsed<Typed> {
        let at = self.at;
        let name = self.name()?;
        self.need(":")?;
        Ok(Typed { name, ty: self.ty()?, at })
    }

    fn ty(&mut self) -> Parsed<TypeId> {
        let mut dims = Vec::new();
        while self.eat("[") {
            dims.push(self.size()?);
            self.need("]")?;
        }
        let name = self.name()?;
        match Scalar::from_name(&name) {
            Some(elem) => Ok(self.func.types.ty(Type { elem, dims })),
            None => self.stop(format!("`{name}` is not a scalar type")),
        }
    }

    /// A polynomial: `n*m - 2`.
    fn size(&mut self) -> Parsed<SizeId> {
        let mut sum = Poly::default();
        let mut negative = self.eat("-");
        loop {
            let mut term = self.factor()?;
            while self.eat("*") {
                let factor = self.factor()?;
                term = term.mul(&factor);
            }
            sum = if negative { sum.sub(&term) } else { sum.add(&term) };
            if self.eat("+") {
                negative = false;
            } else if self.eat("-") {
                negative = true;
            } else {
                return Ok(self.func.types.size(sum));
            }
        }
    }

    fn factor(&mut self) -> Parsed<Poly> {
        match self.peek().cloned() {
            // The least coefficient is its own negation.
            Some(Tok::Const(Const::I64(c)) | Tok::Lowest(Const::I64(c))) => {
                self.at += 1;
                Ok(Poly::constant(c))
            }
            Some(Tok::Name(name)) => {
                self.at += 1;
                Ok(Poly::var(self.lookup(&name)))
            }
            _ => self.stop("expected a size"),
        }
    }
}

/// The edge type of a leaf.
fn edge(ty: &Type) -> Edge {
    ty.dims.iter().rev().fold(Edge::Scalar(ty.elem), |inner, &dim| Edge::Array(dim, Box::new(inner)))
}
