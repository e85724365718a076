//! Statements.

use super::{Parser, Result};
use crate::{
    Added, Chain, Demand, Expr, For, Induction, Link, LiteralId, LocalId, MatMul, Operand, Origin, Parallel, Partial,
    ProductAxis, Role, Scan, ScanPart, ScanState, ScanStep, Stmt, TraceSite, While,
};
use arr_base::{Id, TracePlace};
use arr_ir::Prim;

/// The maximal nesting of blocks.
const DEEPEST: usize = 500;

impl Parser<'_> {
    /// The statements up to a line that ends the block, or changes to another.
    pub(super) fn block(&mut self) -> Result<Vec<Stmt>> {
        if self.depth >= DEEPEST {
            return self.fault("blocks nest too deeply");
        }
        self.depth += 1;
        let mut stmts = Vec::new();
        while let Some(word) = self.ahead(0)
            && word != "}"
            && word != "return"
        {
            stmts.push(self.stmt()?);
        }
        self.depth -= 1;
        Ok(stmts)
    }

    /// `{`, the end of the line, and the statements of the block.
    fn opened(&mut self) -> Result<Vec<Stmt>> {
        self.need("{")?;
        self.end()?;
        self.block()
    }

    fn closed(&mut self) -> Result<()> {
        self.need("}")?;
        self.end()
    }

    fn stmt(&mut self) -> Result<Stmt> {
        match self.word()? {
            "for" => self.for_loop(),
            "repeat" => self.while_loop(),
            "if" => self.branch(),
            word @ ("matmul" | "matmulz") => self.matmul(word == "matmulz"),
            word => {
                let stmt = self.simple(word)?;
                self.end()?;
                Ok(stmt)
            }
        }
    }

    fn simple(&mut self, word: &str) -> Result<Stmt> {
        match word {
            "let" => self.binding(),
            "var" => {
                let local = self.declared(true)?;
                let init = if self.takes("=") { Some(self.operand()?) } else { None };
                Ok(Stmt::Var { local, init })
            }
            "set" => {
                let local = self.local()?;
                self.need("=")?;
                Ok(Stmt::Set { local, value: self.operand()? })
            }
            "store" => {
                let (address, offset) = self.element()?;
                self.need("=")?;
                Ok(Stmt::Store { address, offset, value: self.operand()? })
            }
            "retain" => Ok(Stmt::Retain(self.local()?)),
            "release" => Ok(Stmt::Release(self.local()?)),
            "check" if self.takes("shape") => {
                let buffer = self.local()?;
                let dims = self.dims()?;
                Ok(Stmt::CheckShape { buffer, dims, span: self.span()? })
            }
            "check" => {
                let name = self.word()?;
                let Some(demand) = Demand::from_name(name) else { return self.fault(format!("`{name}` is no check")) };
                let args = self.list(&mut Self::operand)?;
                Ok(Stmt::Check { demand, args, span: self.span()? })
            }
            "trace" => {
                let word = self.word()?;
                let Some(label) = word.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
                    return self.fault("a label stands between quotes");
                };
                let value = self.operand()?;
                let place = TracePlace { label: label.into(), span: None };
                let site = self.func.trace_site(TraceSite { place, elem: self.func.elem(value) });
                Ok(Stmt::Trace { site, value, dims: self.dims()? })
            }
            "argsort" => {
                let into = self.local()?;
                self.need("=")?;
                let keys = self.local()?;
                self.need("by")?;
                Ok(Stmt::Argsort { into, keys, length: self.operand()?, span: self.span()? })
            }
            _ => self.fault(format!("`{word}` begins no statement")),
        }
    }

    /// `address[offset]`
    fn element(&mut self) -> Result<(LocalId, Operand)> {
        let address = self.local()?;
        self.need("[")?;
        let offset = self.operand()?;
        self.need("]")?;
        Ok((address, offset))
    }

    /// A `let`. The expression is read first, so that a name is not known in its own definition.
    fn binding(&mut self) -> Result<Stmt> {
        let name = self.word()?;
        self.need(":")?;
        let ty = self.ty()?;
        self.need("=")?;
        if self.is("alloc") && self.ahead(1) == Some("[") {
            self.at += 1;
            let dims = self.dims()?;
            let span = self.span()?;
            return Ok(Stmt::Alloc { local: self.bind(name, ty, false)?, dims, span });
        }
        if self.is("unique") && self.ahead(1).is_some() {
            self.at += 1;
            let buffer = self.local()?;
            let span = self.span()?;
            return Ok(Stmt::MakeUnique { local: self.bind(name, ty, false)?, buffer, span });
        }
        let expr = self.expr()?;
        Ok(Stmt::Let { local: self.bind(name, ty, false)?, expr })
    }

    fn expr(&mut self) -> Result<Expr> {
        // A name alone is a copy, whatever the name.
        let Some(word) = self.ahead(0).filter(|_| self.ahead(1).is_some()) else {
            return Ok(Expr::Copy(self.operand()?));
        };
        self.at += 1;
        match word {
            "data" => Ok(Expr::BaseAddr(self.local()?)),
            "len" => Ok(Expr::Len(self.local()?)),
            "offset" => self.element().map(|(address, offset)| Expr::Offset(address, offset)),
            "load" => self.element().map(|(address, offset)| Expr::Load(address, offset)),
            "literal" => match usize::try_from(self.integer()?) {
                Ok(row) if row < self.func.literals.len() => Ok(Expr::Literal(LiteralId::from_index(row))),
                _ => self.fault("there is no such literal"),
            },
            _ => match Prim::from_name(word) {
                Some(prim) => Ok(Expr::Prim(prim, self.list(&mut Self::operand)?)),
                None => self.fault(format!("`{word}` is no operation")),
            },
        }
    }

    fn branch(&mut self) -> Result<Stmt> {
        let cond = self.operand()?;
        let then_body = self.opened()?;
        self.need("}")?;
        let else_body = if self.takes("else") {
            let body = self.opened()?;
            self.need("}")?;
            body
        } else {
            Vec::new()
        };
        self.end()?;
        Ok(Stmt::If { cond, then_body, else_body })
    }

    fn while_loop(&mut self) -> Result<Stmt> {
        let span = self.span()?;
        let head = self.opened()?;
        self.need("}")?;
        self.need("while")?;
        let cond = self.operand()?;
        let body = self.opened()?;
        self.closed()?;
        Ok(Stmt::While(Box::new(While { head, cond, body, span })))
    }

    fn matmul(&mut self, zero_wins: bool) -> Result<Stmt> {
        let into = self.local()?;
        let accumulate = self.takes("+");
        self.need("=")?;
        let left = self.local()?;
        self.need(",")?;
        let right = self.local()?;
        let span = self.span()?;
        self.need("{")?;
        self.end()?;
        let mut axes = Vec::new();
        while !self.is("}") {
            let word = self.word()?;
            let roles = [Role::Batch, Role::Row, Role::Column, Role::Inner];
            let Some(role) = roles.into_iter().find(|r| r.name() == word) else {
                return self.fault(format!("`{word}` is no kind of axis"));
            };
            let extent = self.operand()?;
            self.need("by")?;
            let steps = self.list(&mut Self::operand)?;
            let &[into, left, right] = steps.as_slice() else { return self.fault("an axis has three steps") };
            axes.push(ProductAxis { role, extent, into, left, right });
            self.end()?;
        }
        self.closed()?;
        Ok(Stmt::MatMul(Box::new(MatMul { into, left, right, axes, accumulate, zero_wins, span })))
    }

    fn for_loop(&mut self) -> Result<Stmt> {
        let name = self.word()?;
        self.need("<")?;
        let extent = self.operand()?;
        let index = self.bind(name, crate::Ty::Scalar(arr_ir::Scalar::I64), false)?;
        let reverse = self.takes("reverse");
        let mut inductions = Vec::new();
        if self.takes("with") {
            inductions = self.list(&mut |parser| {
                let local = parser.index()?;
                parser.need("step")?;
                Ok(Induction { local, step: parser.operand()? })
            })?;
        }
        let origin = if self.takes("source") { Origin::Source } else { Origin::Kernel };
        let span = self.span()?;
        let mut parallel = self.parallel()?;
        let is_scan = self.takes("scan");
        let (exact, commutes) = (self.takes("exact"), self.takes("commutes"));
        let body = self.opened()?;
        self.need("}")?;
        let scan = if is_scan { Some(Box::new(self.scan((exact, commutes))?)) } else { None };
        if let Some(parallel) = &mut parallel
            && self.takes("combine")
        {
            if !self.is("{") {
                parallel.partials = self.list(&mut Self::partial)?;
            }
            parallel.combine = self.opened()?;
            self.need("}")?;
        }
        self.end()?;
        let l = For { index, extent, reverse, inductions, origin, parallel, scan, span, body };
        Ok(Stmt::For(Box::new(l)))
    }

    fn parallel(&mut self) -> Result<Option<Parallel>> {
        if !self.takes("parallel") {
            return Ok(None);
        }
        let mut parallel = Parallel::default();
        if self.takes("adding") {
            self.need("to")?;
            parallel.added = self.list(&mut |parser| {
                let buffer = parser.local()?;
                parser.need("at")?;
                Ok(Added { buffer, data: parser.local()? })
            })?;
        }
        parallel.allocates = self.takes("allocating");
        parallel.disjoint_if = if self.takes("if") { Some(self.local()?) } else { None };
        Ok(Some(parallel))
    }

    /// `local from init with other: type`
    fn partial(&mut self) -> Result<Partial> {
        let local = self.local()?;
        self.need("from")?;
        let init = self.constant()?;
        self.need("with")?;
        Ok(Partial { local, init, other: self.declared(false)? })
    }

    fn scan(&mut self, (exact, commutes): (bool, bool)) -> Result<Scan> {
        let [before, body, after] = ["before", "iteration", "after"].map(|word| {
            self.need(word)?;
            let block = self.opened()?;
            self.need("}")?;
            Ok(block)
        });
        self.need("carries")?;
        let steps = self.list(&mut |parser| {
            let local = parser.local()?;
            parser.need("by")?;
            Ok((local, parser.step()?))
        })?;
        self.need("summary")?;
        let parts = if self.is("{") { Vec::new() } else { self.list(&mut Self::part)? };
        let summary = self.opened()?;
        self.need("}")?;
        self.need("advances")?;
        let nexts = self.list(&mut |parser| {
            let entry = parser.declared(false)?;
            parser.need("to")?;
            Ok((entry, parser.word()?))
        })?;
        let sound = if self.takes("if") { Some(self.word()?) } else { None };
        let advance = self.opened()?;
        self.need("}")?;
        let mut states = Vec::new();
        for (&(local, step), (entry, next)) in steps.iter().zip(nexts) {
            states.push(ScanState { local, step, entry, next: self.operand_of(next)? });
        }
        let sound = sound.map(|word| self.operand_of(word)).transpose()?;
        let chain = if self.takes("chained") { Some(self.chain()?) } else { None };
        let (before, body, after) = (before?, body?, after?);
        Ok(Scan { before, after, body, states, summary, parts, advance, sound, exact, commutes, chain })
    }

    fn step(&mut self) -> Result<ScanStep> {
        if self.takes("no") {
            self.need("step")?;
            return Ok(ScanStep::Same);
        }
        if self.takes("a") {
            self.need("linear")?;
            self.need("step")?;
            return Ok(ScanStep::Linear);
        }
        let word = self.word()?;
        match Prim::from_name(word) {
            Some(prim) => Ok(ScanStep::By(prim)),
            None => self.fault(format!("`{word}` is no step")),
        }
    }

    /// `local: type from init`
    fn part(&mut self) -> Result<ScanPart> {
        let local = self.declared(true)?;
        self.need("from")?;
        Ok(ScanPart { local, init: self.constant()? })
    }

    /// The code before, and `set state = ratio * state + offset` for each state.
    fn chain(&mut self) -> Result<Chain> {
        self.need("{")?;
        self.end()?;
        let mut before = Vec::new();
        while !self.is("}") && !self.is("set") {
            before.push(self.stmt()?);
        }
        let mut links = Vec::new();
        while self.takes("set") {
            let state = self.local()?;
            self.need("=")?;
            let ratio = self.operand()?;
            self.need("*")?;
            if self.local()? != state {
                return self.fault("a step is of one state");
            }
            self.need("+")?;
            links.push(Link { state, ratio, offset: self.operand()? });
            self.end()?;
        }
        self.need("}")?;
        Ok(Chain { before, links })
    }
}
