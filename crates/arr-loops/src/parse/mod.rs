//! Reads the text form of loop functions, as [`crate::print`] writes it.
//!
//! Names stand for locals; a name is one local wherever it is bound (the code of a scan binds those of the loop's body
//! again). Rows of the span table exist, and are empty. [`crate::verify`] decides whether the function is well formed.

mod block;
mod lex;

use crate::{LocalId, LocalInfo, LoopFunc, Operand, Output, Param, ParamSize, SpanId, Ty};
use arr_base::{Id, IndexVec};
use arr_ir::{Const, Literal, Scalar, TextError};
use lex::Line;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

type Result<T> = std::result::Result<T, TextError>;

/// Reads one function. Fails at the first syntax error, at a name that is not bound above or was bound as something
/// else, and if anything follows the function.
pub fn parse(text: &str) -> Result<LoopFunc> {
    let lines = lex::lines(text);
    let mut spans = IndexVec::new();
    spans.push(None);
    let func = LoopFunc {
        name: String::new(),
        sizes: Vec::new(),
        params: Vec::new(),
        body: Vec::new(),
        outputs: Vec::new(),
        locals: IndexVec::new(),
        literals: IndexVec::new(),
        spans,
        traces: IndexVec::new(),
        sections: BTreeMap::new(),
        broken: Vec::new(),
    };
    let mut parser = Parser { lines: &lines, line: 0, at: 0, func, names: HashMap::new(), depth: 0 };
    parser.function()?;
    Ok(parser.func)
}

struct Parser<'t> {
    lines: &'t [Line<'t>],
    /// The line of the next word, and its position in it.
    line: usize,
    at: usize,
    func: LoopFunc,
    names: HashMap<&'t str, LocalId>,
    /// Blocks that are open.
    depth: usize,
}

impl<'t> Parser<'t> {
    fn fault<T>(&self, message: impl Into<String>) -> Result<T> {
        let line = self.lines.get(self.line).or(self.lines.last()).map_or(1, |line| line.number);
        Err(TextError { line, message: message.into() })
    }

    // Words of a line.

    fn ahead(&self, by: usize) -> Option<&'t str> {
        self.lines.get(self.line)?.words.get(self.at + by).copied()
    }

    fn is(&self, word: &str) -> bool {
        self.ahead(0) == Some(word)
    }

    fn word(&mut self) -> Result<&'t str> {
        match self.ahead(0) {
            Some(word) => {
                self.at += 1;
                Ok(word)
            }
            None => self.fault("the line ends too early"),
        }
    }

    /// Whether the word comes next; if so, it is consumed.
    fn takes(&mut self, word: &str) -> bool {
        let found = self.is(word);
        self.at += usize::from(found);
        found
    }

    fn need(&mut self, word: &str) -> Result<()> {
        if self.takes(word) {
            return Ok(());
        }
        self.fault(format!("expected `{word}`, found `{}`", self.ahead(0).unwrap_or("the end of the line")))
    }

    fn end(&mut self) -> Result<()> {
        if let Some(word) = self.ahead(0) {
            return self.fault(format!("`{word}` is too much"));
        }
        self.line += 1;
        self.at = 0;
        Ok(())
    }

    /// Repeats `one` as long as a comma follows.
    fn list<T>(&mut self, one: &mut dyn FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.takes(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// A list up to a closing word, which may come at once.
    fn list_until<T>(&mut self, close: &str, one: &mut dyn FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        if self.takes(close) {
            return Ok(Vec::new());
        }
        let all = self.list(one)?;
        self.need(close)?;
        Ok(all)
    }

    // Locals and operands.

    fn scalar(&mut self) -> Result<Scalar> {
        let word = self.word()?;
        let all = [Scalar::Bool, Scalar::I32, Scalar::I64, Scalar::U32, Scalar::F32, Scalar::F64];
        match all.into_iter().find(|s| s.name() == word) {
            Some(scalar) => Ok(scalar),
            None => self.fault(format!("`{word}` is no type")),
        }
    }

    fn ty(&mut self) -> Result<Ty> {
        if self.takes("buffer") {
            return Ok(Ty::Buffer(self.scalar()?));
        }
        if self.takes("address") {
            return Ok(Ty::Address(self.scalar()?));
        }
        Ok(Ty::Scalar(self.scalar()?))
    }

    fn bind(&mut self, name: &'t str, ty: Ty, mutable: bool) -> Result<LocalId> {
        if let Some(&known) = self.names.get(name) {
            let info = &self.func.locals[known];
            if info.ty == ty && info.mutable == mutable {
                return Ok(known);
            }
            return self.fault(format!("`{name}` is bound as something else before"));
        }
        let local = self.func.locals.push(LocalInfo { name: name.to_string(), ty, mutable });
        self.names.insert(name, local);
        Ok(local)
    }

    /// `name: type`
    fn declared(&mut self, mutable: bool) -> Result<LocalId> {
        let name = self.word()?;
        self.need(":")?;
        let ty = self.ty()?;
        self.bind(name, ty, mutable)
    }

    fn index(&mut self) -> Result<LocalId> {
        let name = self.word()?;
        self.bind(name, Ty::Scalar(Scalar::I64), false)
    }

    fn named(&self, word: &str) -> Result<LocalId> {
        match self.names.get(word) {
            Some(&local) => Ok(local),
            None => self.fault(format!("`{word}` is not bound")),
        }
    }

    fn local(&mut self) -> Result<LocalId> {
        let word = self.word()?;
        self.named(word)
    }

    fn operand_of(&self, word: &str) -> Result<Operand> {
        match (self.names.get(word), lex::constant(word)) {
            (Some(&local), _) => Ok(local.into()),
            (None, Some(c)) => Ok(c.into()),
            (None, None) => self.fault(format!("`{word}` is not bound")),
        }
    }

    fn operand(&mut self) -> Result<Operand> {
        let word = self.word()?;
        self.operand_of(word)
    }

    fn constant(&mut self) -> Result<Const> {
        let word = self.word()?;
        match lex::constant(word) {
            Some(c) => Ok(c),
            None => self.fault(format!("`{word}` is no constant")),
        }
    }

    fn integer(&mut self) -> Result<i64> {
        match self.constant()?.as_i64() {
            Some(i) => Ok(i),
            None => self.fault("expected an integer"),
        }
    }

    /// `[a, b]`, or nothing.
    fn dims(&mut self) -> Result<Vec<Operand>> {
        if self.takes("[") { self.list_until("]", &mut Self::operand) } else { Ok(Vec::new()) }
    }

    /// `@3`, or nothing.
    fn span(&mut self) -> Result<SpanId> {
        let Some(number) = self.ahead(0).and_then(|word| word.strip_prefix('@')) else {
            return Ok(SpanId::from_index(0));
        };
        let Ok(row) = number.parse::<u32>() else { return self.fault("a place is `@` and a number") };
        if row > MOST_SPANS {
            return self.fault("the number of a place is too large");
        }
        self.at += 1;
        let row = row as usize;
        while self.func.spans.len() <= row {
            self.func.spans.push(None);
        }
        Ok(SpanId::from_index(row))
    }

    // The function.

    fn function(&mut self) -> Result<()> {
        self.need("loops")?;
        self.func.name = if self.is("[") { String::new() } else { self.word()?.to_string() };
        self.need("[")?;
        self.func.sizes = self.list_until("]", &mut |parser| parser.declared(false))?;
        self.need("(")?;
        self.parameters()?;
        self.need("{")?;
        self.end()?;
        while self.is("literal") {
            self.literal()?;
        }
        self.func.body = self.block()?;
        self.need("return")?;
        if self.ahead(0).is_some() {
            self.func.outputs = self.list(&mut |parser| {
                let value = parser.operand()?;
                Ok(Output { value, dims: parser.dims()? })
            })?;
        }
        self.end()?;
        self.need("}")?;
        self.end()?;
        if self.line < self.lines.len() { self.fault("there is more behind the function") } else { Ok(()) }
    }

    /// Sizes may mention later parameters, so that they are read when all names are known.
    fn parameters(&mut self) -> Result<()> {
        let mut sizes = Vec::new();
        if !self.takes(")") {
            loop {
                let local = self.declared(false)?;
                self.func.params.push(Param { local, dims: Vec::new() });
                sizes.push(self.at);
                if self.is("[") {
                    while !self.takes("]") {
                        self.word()?;
                    }
                }
                if !self.takes(",") {
                    break;
                }
            }
            self.need(")")?;
        }
        let after = self.at;
        for (k, at) in sizes.into_iter().enumerate() {
            self.at = at;
            let dims = if self.takes("[") { self.list_until("]", &mut Self::param_size)? } else { Vec::new() };
            self.func.params.get_mut(k).into_iter().for_each(|param| param.dims.clone_from(&dims));
        }
        self.at = after;
        Ok(())
    }

    fn param_size(&mut self) -> Result<ParamSize> {
        let mut size = ParamSize::default();
        loop {
            let (mut coefficient, mut factors) = (1i64, Vec::new());
            loop {
                match self.operand()? {
                    Operand::Local(factor) => factors.push(factor),
                    Operand::Const(c) => match c.as_i64() {
                        Some(number) => coefficient = coefficient.wrapping_mul(number),
                        None => return self.fault("a size is made of integers"),
                    },
                }
                if !self.takes("*") {
                    break;
                }
            }
            size.add_term(factors, coefficient);
            if !self.takes("+") {
                return Ok(size);
            }
        }
    }

    fn literal(&mut self) -> Result<()> {
        self.need("literal")?;
        if usize::try_from(self.integer()?) != Ok(self.func.literals.len()) {
            return self.fault("literals are numbered in order, from 0");
        }
        self.need("=")?;
        let elem = self.scalar()?;
        self.need("[")?;
        let dims = self.list_until("]", &mut Self::integer)?;
        self.need("[")?;
        let data = self.list_until("]", &mut Self::constant)?;
        self.end()?;
        self.func.literals.push(Arc::new(Literal { elem, dims, data }));
        Ok(())
    }
}

/// The maximal number of rows of a span table.
const MOST_SPANS: u32 = 1 << 20;
