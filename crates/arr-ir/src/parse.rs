//! Reads the textual form of IR that `print` writes. `--` starts a comment.
//!
//! Hints of variables are their printed names. The edge types are made from the leaves.

mod lex;

use crate::{
    Atom, Axis, Block, Check, Const, Edge, EdgeParam, Func, Literal, Op, Poly, Prim, Reduction, Scalar, ScatterKind,
    SizeId, Stmt, Type, TypeId, VarId,
};
use lex::{Tok, lex};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is wrong with a text, and in which line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// From 1.
    pub line: usize,
    pub message: String,
}

/// Reads one function.
pub fn parse_func(text: &str) -> Result<Func, TextError> {
    let mut funcs = parse_funcs(text)?;
    match (funcs.pop(), funcs.is_empty()) {
        (Some(func), true) => Ok(func),
        _ => Err(TextError { line: 1, message: "expected one function".into() }),
    }
}

/// Reads all functions of a text.
pub fn parse_funcs(text: &str) -> Result<Vec<Func>, TextError> {
    let toks = lex(text)?;
    let mut funcs = Vec::new();
    let mut at = 0;
    while at < toks.len() {
        let mut parser = Parser { toks: &toks, at, func: Func::new(""), names: FxHashMap::default() };
        parser.func()?;
        at = parser.at;
        funcs.push(parser.func);
    }
    Ok(funcs)
}

type Parsed<T> = Result<T, TextError>;

struct Parser<'t> {
    toks: &'t [(Tok, usize)],
    at: usize,
    func: Func,
    /// Names are unique in a function's text, so one table serves all scopes.
    names: FxHashMap<String, VarId>,
}

impl Parser<'_> {
    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let line = self.toks.get(self.at).or(self.toks.last()).map_or(1, |(_, line)| *line);
        Err(TextError { line, message: message.into() })
    }

    fn peek(&self) -> Option<&Tok> {
        self.toks.get(self.at).map(|(t, _)| t)
    }

    fn next(&mut self) -> Option<Tok> {
        let tok = self.peek().cloned();
        self.at += 1;
        tok
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = matches!(self.peek(), Some(Tok::Punct(p)) if *p == punct);
        if found {
            self.at += 1;
        }
        found
    }

    fn need(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { self.error(format!("expected `{punct}`")) }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Tok::Name(n)) if n == word);
        if found {
            self.at += 1;
        }
        found
    }

    fn need_word(&mut self, word: &str) -> Parsed<()> {
        if self.word(word) { Ok(()) } else { self.error(format!("expected `{word}`")) }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.peek().cloned() {
            Some(Tok::Name(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.error("expected a name"),
        }
    }

    fn bind(&mut self, name: String, ty: TypeId) -> Parsed<VarId> {
        if self.names.contains_key(&name) {
            return self.error(format!("`{name}` is bound twice"));
        }
        let var = self.func.var(name.clone(), ty);
        self.names.insert(name, var);
        Ok(var)
    }

    fn lookup(&self, name: &str) -> Parsed<VarId> {
        match self.names.get(name) {
            Some(&v) => Ok(v),
            None => self.error(format!("`{name}` is not bound")),
        }
    }

    fn func(&mut self) -> Parsed<()> {
        self.need_word("func")?;
        self.func.name = self.name()?;
        let index = self.func.types.scalar(Scalar::I64);
        if self.eat("[") {
            while !self.eat("]") {
                let name = self.name()?;
                let var = self.bind(name, index)?;
                self.func.sizes.push(var);
                self.eat(",");
            }
        }
        self.params()?;
        self.need("->")?;
        self.skip_result_types()?;
        self.need("{")?;
        let mut block = self.stmts("return")?;
        self.need("}")?;
        std::mem::swap(&mut self.func.body, &mut block);
        let results = self.func.body.results.clone();
        let mut edges: Vec<Edge> = results.iter().map(|&r| edge(&self.func.atom_ty(r))).collect();
        self.func.edge_result = if edges.len() == 1 { edges.remove(0) } else { Edge::Tuple(edges) };
        Ok(())
    }

    /// Parameters are bound in two steps, because the type of one may mention a later one.
    fn params(&mut self) -> Parsed<()> {
        self.need("(")?;
        let start = self.at;
        let placeholder = self.func.types.scalar(Scalar::I64);
        while !self.eat(")") {
            let name = self.name()?;
            self.need(":")?;
            let var = self.bind(name, placeholder)?;
            self.func.params.push(var);
            while !matches!(self.peek(), None | Some(Tok::Punct("," | ")"))) {
                self.at += 1;
            }
            self.eat(",");
            if self.peek().is_none() {
                return self.error("expected `)`");
            }
        }
        self.at = start;
        for var in self.func.params.clone() {
            self.name()?;
            self.need(":")?;
            self.func.vars[var].ty = self.ty()?;
            self.eat(",");
            let name = self.func.name(var).to_string();
            let ty = self.func.ty(var).clone();
            self.func.edge_params.push(EdgeParam { name, ty: edge(&ty), text: String::new() });
        }
        self.need(")")
    }

    fn skip_result_types(&mut self) -> Parsed<()> {
        while !matches!(self.peek(), None | Some(Tok::Punct("{"))) {
            self.at += 1;
        }
        Ok(())
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
            None => self.error(format!("`{name}` is not a scalar type")),
        }
    }

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
        match self.next() {
            Some(Tok::Const(Const::I64(c))) => Ok(Poly::constant(c)),
            Some(Tok::Name(name)) => Ok(Poly::var(self.lookup(&name)?)),
            _ => {
                self.at -= 1;
                self.error("expected a size")
            }
        }
    }

    fn atom(&mut self) -> Parsed<Atom> {
        let negative = self.eat("-");
        match self.next() {
            Some(Tok::Const(c)) if negative => match Prim::Neg.eval(&[c]) {
                Some(c) => Ok(Atom::Const(c)),
                None => self.error("expected a number after `-`"),
            },
            Some(Tok::Const(c)) => Ok(Atom::Const(c)),
            Some(Tok::Name(name)) if !negative => Ok(Atom::Var(self.lookup(&name)?)),
            _ => {
                self.at -= 1;
                self.error("expected an operand")
            }
        }
    }

    /// Operands separated by commas; none when none begins here.
    fn atoms(&mut self) -> Parsed<Vec<Atom>> {
        let mut atoms = Vec::new();
        if matches!(self.peek(), None | Some(Tok::Punct("}" | "]" | ")"))) {
            return Ok(atoms);
        }
        loop {
            atoms.push(self.atom()?);
            if !self.eat(",") {
                return Ok(atoms);
            }
        }
    }

    /// Statements up to `yield` or `return`, which gives the results.
    fn stmts(&mut self, end: &str) -> Parsed<Block> {
        let mut block = Block::default();
        while !self.word(end) {
            let stmt = self.stmt()?;
            block.stmts.push(stmt);
        }
        block.results = self.atoms()?;
        Ok(block)
    }

    fn block(&mut self) -> Parsed<Block> {
        self.need("{")?;
        let block = self.stmts("yield")?;
        self.need("}")?;
        Ok(block)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let typed = matches!(self.toks.get(self.at + 1), Some((Tok::Punct(":"), _)));
        // The variables are bound after the operation, but their text comes first.
        let mut names = Vec::new();
        if typed {
            loop {
                let name = self.name()?;
                self.need(":")?;
                names.push((name, self.ty()?));
                if !self.eat(",") {
                    break;
                }
            }
            self.need("=")?;
        }
        let types: Vec<TypeId> = names.iter().map(|(_, t)| *t).collect();
        let op = self.op(&types)?;
        let vars = names.into_iter().map(|(name, ty)| self.bind(name, ty)).collect::<Parsed<_>>()?;
        Ok(Stmt { vars, op, span: None })
    }

    fn op(&mut self, types: &[TypeId]) -> Parsed<Op> {
        let word = self.name()?;
        match word.as_str() {
            "size" => Ok(Op::Size(self.size()?)),
            "literal" => self.literal(types),
            "read" => {
                let checked = !self.eat("!");
                let name = self.name()?;
                let array = self.lookup(&name)?;
                self.need("[")?;
                let index = self.atoms()?;
                self.need("]")?;
                Ok(Op::Read { array, index, checked })
            }
            "build" => {
                let axes = self.axes()?;
                Ok(Op::Build { axes, body: self.block()? })
            }
            "reduce" => {
                let name = self.name()?;
                let Some(kind) = Reduction::from_name(&name) else {
                    return self.error(format!("`{name}` is not a reduction"));
                };
                let axes = self.axes()?;
                Ok(Op::Reduce { kind, axes, body: self.block()? })
            }
            "scatter" => self.scatter(),
            "loop" => {
                let reverse = self.word("reverse");
                let axis = self.axis()?;
                let (params, inits, _) = self.bindings(false)?;
                let mut body = self.block()?;
                body.params = params;
                Ok(Op::Loop { axis, reverse, inits, body })
            }
            "if" => {
                let cond = self.atom()?;
                let then_block = self.block()?;
                self.need_word("else")?;
                Ok(Op::If { cond, then_block, else_block: self.block()? })
            }
            "reshape" => {
                let name = self.name()?;
                Ok(Op::Reshape(self.lookup(&name)?))
            }
            "check" => {
                let name = self.name()?;
                let Some(kind) = Check::ALL.into_iter().find(|c| c.name() == name) else {
                    return self.error(format!("`{name}` is not a check"));
                };
                Ok(Op::Check { kind, args: self.atoms()? })
            }
            "vjp" => {
                let (params, inputs, _) = self.bindings(false)?;
                self.need_word("seed")?;
                self.need("(")?;
                let seeds = self.atoms()?;
                self.need(")")?;
                let mut body = self.block()?;
                body.params = params;
                Ok(Op::Vjp { inputs, seeds, body })
            }
            "jvp" => {
                let (params, inputs, tangents) = self.bindings(true)?;
                let mut body = self.block()?;
                body.params = params;
                Ok(Op::Jvp { inputs, tangents, body })
            }
            "stop_gradient" => Ok(Op::StopGradient(self.atom()?)),
            _ => match Prim::from_name(&word) {
                Some(prim) => Ok(Op::Prim(prim, self.atoms()?)),
                None => {
                    self.at -= 1;
                    self.error(format!("`{word}` is not an operation"))
                }
            },
        }
    }

    fn scatter(&mut self) -> Parsed<Op> {
        let checked = !self.eat("!");
        let kind = match self.name()?.as_str() {
            "set" => ScatterKind::Set,
            "add" => ScatterKind::Add,
            other => return self.error(format!("`{other}` is not a kind of scatter")),
        };
        let name = self.name()?;
        let dest = self.lookup(&name)?;
        let axes = if self.eat(",") { self.axes()? } else { Vec::new() };
        Ok(Op::Scatter { kind, dest, axes, body: self.block()?, checked })
    }

    fn axes(&mut self) -> Parsed<Vec<Axis>> {
        let mut axes = vec![self.axis()?];
        while self.eat(",") {
            axes.push(self.axis()?);
        }
        Ok(axes)
    }

    fn axis(&mut self) -> Parsed<Axis> {
        let name = self.name()?;
        self.need("<")?;
        let extent = self.size()?;
        let index = self.func.types.scalar(Scalar::I64);
        Ok(Axis { index: self.bind(name, index)?, extent })
    }

    /// `(x: f64 = a, ..)`, with ` ~ da` for tangents.
    fn bindings(&mut self, with_tangents: bool) -> Parsed<(Vec<VarId>, Vec<Atom>, Vec<Atom>)> {
        let (mut typed, mut inits, mut tangents) = (Vec::new(), Vec::new(), Vec::new());
        self.need("(")?;
        while !self.eat(")") {
            let name = self.name()?;
            self.need(":")?;
            typed.push((name, self.ty()?));
            self.need("=")?;
            inits.push(self.atom()?);
            if with_tangents {
                self.need("~")?;
                tangents.push(self.atom()?);
            }
            if !self.eat(",") && !matches!(self.peek(), Some(Tok::Punct(")"))) {
                return self.error("expected `,` or `)`");
            }
        }
        let params = typed.into_iter().map(|(name, ty)| self.bind(name, ty)).collect::<Parsed<_>>()?;
        Ok((params, inits, tangents))
    }

    fn literal(&mut self, types: &[TypeId]) -> Parsed<Op> {
        let Some(&ty) = types.first() else { return self.error("a literal needs a type") };
        let ty = self.func.types.get(ty).clone();
        let dims: Option<Vec<i64>> = ty.dims.iter().map(|&d| self.func.types.poly(d).as_constant()).collect();
        let Some(dims) = dims else { return self.error("the sizes of a literal are numbers") };
        let mut data = Vec::new();
        self.elements(&mut data)?;
        Ok(Op::Literal(Arc::new(Literal { elem: ty.elem, dims, data })))
    }

    fn elements(&mut self, data: &mut Vec<Const>) -> Parsed<()> {
        if !self.eat("[") {
            let Atom::Const(c) = self.atom()? else { return self.error("expected a constant") };
            data.push(c);
            return Ok(());
        }
        while !self.eat("]") {
            self.elements(data)?;
            if !self.eat(",") && !matches!(self.peek(), Some(Tok::Punct("]"))) {
                return self.error("expected `,` or `]`");
            }
        }
        Ok(())
    }
}

/// The edge type of a leaf.
fn edge(ty: &Type) -> Edge {
    ty.dims.iter().rev().fold(Edge::Scalar(ty.elem), |inner, &dim| Edge::Array(dim, Box::new(inner)))
}
