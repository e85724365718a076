//! Statements, blocks and operations of IR text.

use super::{Parsed, Parser, Stop, Typed, lex::Tok};
use crate::{
    Atom, Axis, Block, Callee, Check, Const, Literal, Op, Prim, Reduction, Scalar, ScatterKind, Shape, Stmt, TypeId,
    VarId,
};
use std::sync::Arc;

/// The deepest nesting of blocks; deeper blocks are rejected, so that the stack cannot overflow.
const DEEPEST: usize = 128;

/// The values that a block is entered with: its params, their initial values, and tangents.
struct Bindings {
    params: Vec<VarId>,
    inits: Vec<Atom>,
    tangents: Vec<Atom>,
}

impl Parser<'_> {
    /// Statements up to `yield` or `return`, whose operands are the results.
    pub(super) fn stmts(&mut self, end: &str) -> Parsed<Block> {
        let mut block = Block::default();
        while !self.word(end) {
            let stmt = self.stmt()?;
            block.stmts.push(stmt);
        }
        block.results = self.atoms()?;
        Ok(block)
    }

    fn block(&mut self) -> Parsed<Block> {
        if self.depth >= DEEPEST {
            return self.stop(format!("blocks are nested more than {DEEPEST} deep"));
        }
        self.need("{")?;
        self.depth += 1;
        let block = self.stmts("yield")?;
        self.depth -= 1;
        self.need("}")?;
        Ok(block)
    }

    fn block_with(&mut self, params: Vec<VarId>) -> Parsed<Block> {
        let mut block = self.block()?;
        block.params = params;
        Ok(block)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        // The variables are bound after the operation, but their text comes first.
        let mut typed: Vec<Typed> = Vec::new();
        if self.punct_ahead(1, ":") {
            loop {
                typed.push(self.typed_name()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.need("=")?;
        }
        let result = typed.first().map(|t| t.ty);
        let op = self.op(result)?;
        let vars = typed.into_iter().map(|t| self.bind_at(t)).collect();
        Ok(Stmt { vars, op, span: None })
    }

    /// `! linalg.solve (_, _) -> _ with a, b`
    fn call(&mut self) -> Parsed<Op> {
        let may_fail = !self.eat("!");
        let name = self.name()?;
        self.need("(")?;
        let args = self.shapes()?;
        self.need("->")?;
        let callee = Callee { name, args, result: self.shape()?, may_fail };
        self.need_word("with")?;
        Ok(Op::Call { callee: Arc::new(callee), args: self.atoms()? })
    }

    /// Shapes up to the closing bracket.
    fn shapes(&mut self) -> Parsed<Vec<Shape>> {
        let mut shapes = Vec::new();
        while !self.eat(")") {
            shapes.push(self.shape()?);
            self.separator(")")?;
        }
        Ok(shapes)
    }

    fn shape(&mut self) -> Parsed<Shape> {
        if self.depth >= DEEPEST {
            return self.stop(format!("shapes are nested more than {DEEPEST} deep"));
        }
        self.depth += 1;
        let shape = if self.eat("(") {
            Shape::Tuple(self.shapes()?)
        } else if self.eat("{") {
            let mut fields = Vec::new();
            while !self.eat("}") {
                let name = self.name()?;
                self.need(":")?;
                fields.push((name, self.shape()?));
                self.separator("}")?;
            }
            Shape::Record(fields)
        } else {
            self.need_word("_")?;
            Shape::Leaf
        };
        self.depth -= 1;
        Ok(shape)
    }

    fn op(&mut self, result: Option<TypeId>) -> Parsed<Op> {
        let word = self.name()?;
        match word.as_str() {
            "size" => Ok(Op::Size(self.size()?)),
            "literal" => self.literal(result),
            "read" => {
                let checked = !self.eat("!");
                let array = self.variable()?;
                self.need("[")?;
                let index = self.atoms()?;
                self.need("]")?;
                Ok(Op::Read { array, index, checked })
            }
            "build" => Ok(Op::Build { axes: self.axes()?, body: self.block()? }),
            "reduce" => {
                let Some(kind) = Reduction::from_name(&self.name()?) else {
                    return self.stop_before("the name before is not a reduction");
                };
                Ok(Op::Reduce { kind, axes: self.axes()?, body: self.block()? })
            }
            "scatter" => self.scatter(),
            "loop" => {
                let reverse = self.word("reverse");
                let axis = self.axis()?;
                let Bindings { params, inits, .. } = self.bindings(false)?;
                Ok(Op::Loop { axis, reverse, inits, body: self.block_with(params)? })
            }
            "if" => {
                let cond = self.atom()?;
                let then_block = self.block()?;
                self.need_word("else")?;
                Ok(Op::If { cond, then_block, else_block: self.block()? })
            }
            "while" => {
                let Bindings { params, inits, .. } = self.bindings(false)?;
                let cond = self.block_with(params)?;
                self.need_word("do")?;
                let params = self.block_params()?;
                Ok(Op::While { inits, cond, body: self.block_with(params)? })
            }
            "custom" => {
                let transposed = self.word("transposed");
                let Bindings { params, inits, .. } = self.bindings(false)?;
                let body = self.block_with(params)?;
                self.need_word("rule")?;
                let params = self.block_params()?;
                Ok(Op::Custom { inputs: inits, body, rule: self.block_with(params)?, transposed })
            }
            "call" => self.call(),
            "argsort" => Ok(Op::Argsort(self.variable()?)),
            "reshape" => Ok(Op::Reshape(self.variable()?)),
            "check" => {
                let name = self.name()?;
                let Some(kind) = Check::ALL.into_iter().find(|c| c.name() == name) else {
                    return self.stop_before(format!("`{name}` is not a check"));
                };
                Ok(Op::Check { kind, args: self.atoms()? })
            }
            "vjp" => {
                let Bindings { params, inits, .. } = self.bindings(false)?;
                self.need_word("seed")?;
                self.need("(")?;
                let seeds = self.atoms()?;
                self.need(")")?;
                Ok(Op::Vjp { inputs: inits, seeds, body: self.block_with(params)? })
            }
            "jvp" => {
                let Bindings { params, inits, tangents } = self.bindings(true)?;
                Ok(Op::Jvp { inputs: inits, tangents, body: self.block_with(params)? })
            }
            "trace" => {
                let label = self.text()?.into();
                self.need(",")?;
                Ok(Op::Trace { label, args: self.atoms()? })
            }
            "barrier" => Ok(Op::Barrier(self.atoms()?)),
            "stop_gradient" => Ok(Op::StopGradient(self.atom()?)),
            _ => match Prim::from_name(&word) {
                Some(prim) => Ok(Op::Prim(prim, self.atoms()?)),
                None => self.stop_before(format!("`{word}` is not an operation")),
            },
        }
    }

    fn scatter(&mut self) -> Parsed<Op> {
        let checked = !self.eat("!");
        let kind = match self.name()?.as_str() {
            "set" => ScatterKind::Set,
            "add" => ScatterKind::Add,
            other => return self.stop_before(format!("`{other}` is not a kind of scatter")),
        };
        let dest = self.variable()?;
        let axes = if self.eat(",") { self.axes()? } else { Vec::new() };
        Ok(Op::Scatter { kind, dest, axes, body: self.block()?, checked })
    }

    /// `i<n, j<m`; none if a block begins here (the verifier checks which operations may have none).
    fn axes(&mut self) -> Parsed<Vec<Axis>> {
        let mut axes = Vec::new();
        if self.punct_ahead(0, "{") {
            return Ok(axes);
        }
        loop {
            axes.push(self.axis()?);
            if !self.eat(",") {
                return Ok(axes);
            }
        }
    }

    fn axis(&mut self) -> Parsed<Axis> {
        let at = self.at;
        let name = self.name()?;
        self.need("<")?;
        let extent = self.size()?;
        let ty = self.func.types.scalar(Scalar::I64);
        Ok(Axis { index: self.bind_at(Typed { name, ty, at }), extent })
    }

    /// `(x: f64 = a, ..)`, with ` ~ da` for tangents.
    fn bindings(&mut self, with_tangents: bool) -> Parsed<Bindings> {
        let (mut typed, mut inits, mut tangents) = (Vec::new(), Vec::new(), Vec::new());
        self.need("(")?;
        while !self.eat(")") {
            typed.push(self.typed_name()?);
            self.need("=")?;
            inits.push(self.atom()?);
            if with_tangents {
                self.need("~")?;
                tangents.push(self.atom()?);
            }
            self.separator(")")?;
        }
        let params = typed.into_iter().map(|t| self.bind_at(t)).collect();
        Ok(Bindings { params, inits, tangents })
    }

    /// `(x: f64, ..)`
    fn block_params(&mut self) -> Parsed<Vec<VarId>> {
        let mut typed = Vec::new();
        self.need("(")?;
        while !self.eat(")") {
            typed.push(self.typed_name()?);
            self.separator(")")?;
        }
        Ok(typed.into_iter().map(|t| self.bind_at(t)).collect())
    }

    /// The shape of a literal is in the type of the variable that it is bound to.
    fn literal(&mut self, result: Option<TypeId>) -> Parsed<Op> {
        let Some(ty) = result else { return self.stop("a literal needs a variable with a type") };
        let ty = self.func.types.get(ty).clone();
        let dims: Option<Vec<i64>> = ty.dims.iter().map(|&d| self.func.types.poly(d).as_constant()).collect();
        let Some(dims) = dims else { return self.stop("the sizes of a literal must be numbers") };
        let mut data = Vec::new();
        self.elements(&dims, &mut data)?;
        Ok(Op::Literal(Arc::new(Literal { elem: ty.elem, dims, data })))
    }

    fn elements(&mut self, dims: &[i64], data: &mut Vec<Const>) -> Parsed<()> {
        let Some((&count, inner)) = dims.split_first() else {
            let Atom::Const(c) = self.atom()? else { return self.stop_before("an element must be a constant") };
            data.push(c);
            return Ok(());
        };
        self.need("[")?;
        let mut found = 0;
        while !self.eat("]") {
            self.elements(inner, data)?;
            found += 1;
            self.separator("]")?;
        }
        if found != count {
            self.report(format!("the literal has {found} elements along an axis of size {count}"));
        }
        Ok(())
    }

    /// Operands separated by commas; none if the next token does not begin one.
    fn atoms(&mut self) -> Parsed<Vec<Atom>> {
        let mut atoms = Vec::new();
        if ["}", "]", ")"].into_iter().any(|p| self.punct_ahead(0, p)) {
            return Ok(atoms);
        }
        loop {
            atoms.push(self.atom()?);
            if !self.eat(",") {
                return Ok(atoms);
            }
        }
    }

    fn atom(&mut self) -> Parsed<Atom> {
        let negative = self.eat("-");
        match (self.next(), negative) {
            (Some(Tok::Const(c)), true) => match Prim::Neg.eval(&[c]) {
                Some(c) => Ok(Atom::Const(c)),
                None => self.stop_before("expected a number after `-`"),
            },
            (Some(Tok::Lowest(c)), true) | (Some(Tok::Const(c)), false) => Ok(Atom::Const(c)),
            (Some(Tok::Lowest(_)), false) => self.stop_before("the number is too large for its type"),
            (Some(Tok::Name(name)), false) => Ok(Atom::Var(self.lookup(&name))),
            _ => self.stop_before("expected an operand"),
        }
    }

    fn variable(&mut self) -> Parsed<VarId> {
        let name = self.name()?;
        Ok(self.lookup(&name))
    }

    /// Reports an error at the previous token, and stops.
    fn stop_before<T>(&mut self, message: impl Into<String>) -> Result<T, Stop> {
        self.at = self.at.saturating_sub(1);
        self.stop(message)
    }
}
