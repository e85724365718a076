//! The typing rules of operations: the operand types that each requires, and the types of its results.

use super::Verifier;
use crate::{Atom, Axis, Block, Callee, Literal, Op, Poly, Reduction, Scalar, ScatterKind, Stmt, Type, VarId};

/// The operation's name for messages.
pub(super) fn describe(op: &Op) -> String {
    match op {
        Op::Prim(p, _) => format!("`{}`", p.name()),
        Op::Size(_) => "`size`".into(),
        Op::Literal(_) => "`literal`".into(),
        Op::Read { .. } => "`read`".into(),
        Op::Build { .. } => "`build`".into(),
        Op::Reduce { kind, .. } => format!("`reduce {}`", kind.name()),
        Op::Scatter { .. } => "`scatter`".into(),
        Op::Loop { .. } => "`loop`".into(),
        Op::While { .. } => "`while`".into(),
        Op::If { .. } => "`if`".into(),
        Op::Argsort(_) => "`argsort`".into(),
        Op::Custom { .. } => "`custom`".into(),
        Op::Call { callee, .. } => format!("the call of `{}`", callee.name),
        Op::Reshape(_) => "`reshape`".into(),
        Op::Check { kind, .. } => format!("`check {}`", kind.name()),
        Op::Vjp { .. } => "`vjp`".into(),
        Op::Jvp { .. } => "`jvp`".into(),
        Op::Barrier(_) => "`barrier`".into(),
        Op::Trace { .. } => "`trace`".into(),
        Op::StopGradient(_) => "`stop_gradient`".into(),
    }
}

fn scalar(elem: Scalar) -> Type {
    Type { elem, dims: Vec::new() }
}

type Types = Vec<Type>;

/// The types of the results, or an error about the operands.
type Expected = Result<Types, String>;

impl Verifier<'_> {
    pub(super) fn types(&mut self, stmt: &Stmt, what: &str) {
        match self.expected(stmt) {
            Err(message) => {
                let of: Vec<String> = stmt.vars.iter().map(|&v| self.name(v)).collect();
                let of = if of.is_empty() { String::new() } else { format!(" for {}", of.join(", ")) };
                self.error(format!("{what}{of}: {message}"));
            }
            Ok(expected) => {
                let actual: Vec<Type> = stmt.vars.iter().map(|&v| self.func.ty(v).clone()).collect();
                if expected != actual {
                    let of: Vec<String> = stmt.vars.iter().map(|&v| self.name(v)).collect();
                    let (expected, actual) = (self.list(&expected), self.list(&actual));
                    self.error(format!("{what} gives {expected}, but binds ({}) of {actual}", of.join(", ")));
                }
            }
        }
    }

    fn ty(&self, atom: Atom) -> Type {
        self.func.atom_ty(atom)
    }

    fn tys(&self, atoms: &[Atom]) -> Vec<Type> {
        atoms.iter().map(|&a| self.ty(a)).collect()
    }

    /// The element types of operands that must be scalars.
    fn scalars(&self, atoms: &[Atom]) -> Result<Vec<Scalar>, String> {
        let mut elems = Vec::with_capacity(atoms.len());
        for &atom in atoms {
            let ty = self.ty(atom);
            if !ty.is_scalar() {
                return Err(format!("the operand `{}` is {}, not a scalar", self.names().atom(atom), self.show(&ty)));
            }
            elems.push(ty.elem);
        }
        Ok(elems)
    }

    fn ints(&self, atoms: &[Atom]) -> Result<(), String> {
        match self.scalars(atoms)?.into_iter().find(|s| *s != Scalar::I64) {
            Some(elem) => Err(format!("an operand is {elem}, not i64")),
            None => Ok(()),
        }
    }

    fn agree(&self, found: &[Type], wanted: &[Type], what: &str) -> Result<(), String> {
        if found == wanted {
            return Ok(());
        }
        Err(format!("the {what} are {}, not {}", self.list(found), self.list(wanted)))
    }

    fn expected(&self, stmt: &Stmt) -> Expected {
        match &stmt.op {
            Op::Prim(prim, args) => {
                let elems = self.scalars(args)?;
                let shown: Vec<&str> = elems.iter().map(|e| e.name()).collect();
                match prim.result(&elems) {
                    Some(elem) => Ok(vec![scalar(elem)]),
                    None => Err(format!("not defined on ({})", shown.join(", "))),
                }
            }
            Op::Size(_) => Ok(vec![scalar(Scalar::I64)]),
            Op::Literal(literal) => self.literal(stmt, literal),
            Op::Read { array, index, .. } => {
                let ty = self.array(*array)?;
                self.ints(index)?;
                if index.len() != ty.rank() {
                    return Err(format!("{} indices into {}", index.len(), self.show(ty)));
                }
                Ok(vec![scalar(ty.elem)])
            }
            Op::Build { axes, body } => self.build(axes, body),
            Op::Reduce { kind, axes, body } => self.reduce(*kind, axes.len(), &body.results),
            Op::Scatter { kind, dest, body, .. } => self.scatter(*kind, *dest, body),
            Op::Loop { inits, body, .. } => {
                let params = self.params(body);
                self.agree(&self.tys(inits), &params, "inits")?;
                self.agree(&self.tys(&body.results), &params, "body's results")?;
                Ok(params)
            }
            Op::While { inits, cond, body } => {
                let params = self.params(body);
                self.agree(&self.tys(inits), &params, "inits")?;
                self.agree(&self.params(cond), &params, "params of the condition")?;
                self.agree(&self.tys(&cond.results), &[scalar(Scalar::Bool)], "results of the condition")?;
                self.agree(&self.tys(&body.results), &params, "body's results")?;
                Ok(params)
            }
            Op::If { cond, then_block, else_block } => {
                let cond = self.ty(*cond);
                if cond != scalar(Scalar::Bool) {
                    return Err(format!("the condition is {}, not bool", self.show(&cond)));
                }
                let results = self.tys(&then_block.results);
                self.agree(&self.tys(&else_block.results), &results, "results of `else`")?;
                Ok(results)
            }
            Op::Reshape(array) => self.reshape(stmt, *array),
            Op::Check { kind, args } => {
                self.ints(args)?;
                if args.len() != kind.arity() {
                    return Err(format!("{} operands instead of {}", args.len(), kind.arity()));
                }
                Ok(Vec::new())
            }
            Op::Vjp { inputs, seeds, body } => {
                let (params, results, floats) = self.derivative(inputs, body)?;
                self.agree(&self.tys(seeds), &floats, "seeds")?;
                Ok(results.into_iter().chain(params).collect())
            }
            Op::Jvp { inputs, tangents, body } => {
                let (params, results, floats) = self.derivative(inputs, body)?;
                self.agree(&self.tys(tangents), &params, "tangents")?;
                Ok(results.into_iter().chain(floats).collect())
            }
            Op::Custom { inputs, body, rule, .. } => self.custom(inputs, body, rule),
            Op::Call { callee, args } => self.call(stmt, callee, args),
            Op::Argsort(array) => {
                let ty = self.array(*array)?;
                Ok(vec![Type { elem: Scalar::I64, dims: ty.dims.clone() }])
            }
            Op::Barrier(args) => Ok(self.tys(args)),
            Op::Trace { args, .. } => match args.len() {
                1 => Ok(Vec::new()),
                count => Err(format!("{count} operands instead of 1")),
            },
            Op::StopGradient(a) => Ok(vec![self.ty(*a)]),
        }
    }

    fn array(&self, v: VarId) -> Result<&Type, String> {
        let ty = self.func.ty(v);
        if ty.is_scalar() { Err(format!("{} is a scalar, not an array", self.name(v))) } else { Ok(ty) }
    }

    fn params(&self, body: &Block) -> Vec<Type> {
        body.params.iter().map(|&p| self.func.ty(p).clone()).collect()
    }

    fn literal(&self, stmt: &Stmt, literal: &Literal) -> Expected {
        let count = literal.dims.iter().try_fold(1i64, |n, &d| if d < 0 { None } else { n.checked_mul(d) });
        if count.and_then(|n| usize::try_from(n).ok()) != Some(literal.data.len()) {
            return Err(format!("{} elements do not fill the shape {:?}", literal.data.len(), literal.dims));
        }
        if let Some(other) = literal.data.iter().find(|c| c.scalar() != literal.elem) {
            return Err(format!("an element is {}, not {}", other.scalar(), literal.elem));
        }
        let bound = stmt.vars.first().map(|&v| self.func.ty(v).clone());
        let dims = bound.as_ref().map_or(&[][..], |t| &t.dims).iter();
        let dims: Option<Vec<i64>> = dims.map(|&d| self.func.types.poly(d).as_constant()).collect();
        match bound {
            Some(ty) if dims.as_ref() == Some(&literal.dims) && ty.elem == literal.elem => Ok(vec![ty]),
            _ => Err(format!("the result does not have the shape {:?} of {}", literal.dims, literal.elem)),
        }
    }

    fn build(&self, axes: &[Axis], body: &Block) -> Expected {
        if axes.is_empty() {
            return Err("there is no axis".into());
        }
        let outer = || axes.iter().map(|a| a.extent);
        let inner = self.tys(&body.results).into_iter();
        Ok(inner.map(|t| Type { dims: outer().chain(t.dims).collect(), elem: t.elem }).collect())
    }

    fn reduce(&self, kind: Reduction, axes: usize, results: &[Atom]) -> Expected {
        let elems = self.scalars(results)?;
        let logical = matches!(kind, Reduction::Any | Reduction::All);
        if let Some(elem) = elems.iter().find(|e| (**e == Scalar::Bool) != logical) {
            return Err(format!("not defined on {elem}"));
        }
        let arg = matches!(kind, Reduction::ArgMax | Reduction::ArgMin);
        if axes == 0 || (arg && axes != 1) {
            return Err(format!("there are {axes} axes"));
        }
        Ok(elems.into_iter().map(|e| scalar(if arg { Scalar::I64 } else { e })).collect())
    }

    fn scatter(&self, kind: ScatterKind, dest: VarId, body: &Block) -> Expected {
        let ty = self.array(dest)?;
        let mut wanted = vec![scalar(Scalar::Bool)];
        wanted.extend(ty.dims.iter().map(|_| scalar(Scalar::I64)));
        wanted.push(scalar(ty.elem));
        let writes = (body.results.len() / wanted.len()).max(1);
        let wanted: Types = std::iter::repeat_n(wanted, writes).flatten().collect();
        self.agree(&self.tys(&body.results), &wanted, "guard, indices and value")?;
        if kind == ScatterKind::Add && ty.elem == Scalar::Bool {
            return Err("booleans cannot be added".into());
        }
        Ok(vec![ty.clone()])
    }

    fn reshape(&self, stmt: &Stmt, array: VarId) -> Expected {
        let from = self.array(array)?;
        let [var] = stmt.vars.as_slice() else { return Err("it has one result".into()) };
        let to = self.array(*var)?;
        if from.elem != to.elem {
            return Err(format!("it gives {}, not {}", from.elem, to.elem));
        }
        let count =
            |ty: &Type| ty.dims.iter().fold(Poly::constant(1), |product, &d| product.mul(self.func.types.poly(d)));
        match count(from).sub(&count(to)).as_constant() {
            // After a check that fails, nothing is reshaped.
            Some(difference) if difference != 0 && !self.stopped => {
                Err(format!("{} and {} hold different numbers of elements", self.show(from), self.show(to)))
            }
            _ => Ok(vec![to.clone()]),
        }
    }

    /// What a definition gives is not known here: only how many leaves go in and come out.
    fn call(&self, stmt: &Stmt, callee: &Callee, args: &[Atom]) -> Expected {
        if args.len() != callee.operands() {
            return Err(format!("{} operands instead of {}", args.len(), callee.operands()));
        }
        if stmt.vars.len() != callee.result.leaves() {
            return Err(format!("{} results instead of {}", stmt.vars.len(), callee.result.leaves()));
        }
        Ok(stmt.vars.iter().map(|&v| self.func.ty(v).clone()).collect())
    }

    fn custom(&self, inputs: &[Atom], body: &Block, rule: &Block) -> Expected {
        let params = self.params(body);
        self.agree(&self.tys(inputs), &params, "inputs")?;
        let results = self.tys(&body.results);
        let floats = |types: &[Type]| types.iter().filter(|t| t.elem.is_float()).cloned().collect::<Types>();
        let wanted: Types = params.iter().chain(&results).chain(&floats(&results)).cloned().collect();
        self.agree(&self.params(rule), &wanted, "params of the rule")?;
        self.agree(&self.tys(&rule.results), &floats(&params), "results of the rule")?;
        Ok(results)
    }

    /// The types of a derivative's params, results and float results.
    fn derivative(&self, inputs: &[Atom], body: &Block) -> Result<(Types, Types, Types), String> {
        let params = self.params(body);
        self.agree(&self.tys(inputs), &params, "inputs")?;
        if let Some(ty) = params.iter().find(|t| !t.elem.is_float()) {
            return Err(format!("an input is {}, not a float", self.show(ty)));
        }
        let results = self.tys(&body.results);
        let floats = results.iter().filter(|t| t.elem.is_float()).cloned().collect();
        Ok((params, results, floats))
    }
}
