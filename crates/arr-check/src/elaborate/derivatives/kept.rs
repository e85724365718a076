//! Definitions with a declared derivative whose calls stay calls, in functions that are printed.

use crate::data::types::Ty;
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::calls::binding::Binding;
use arr_ir::walk::may_fail_deep;
use arr_ir::{Atom, Block, Callee, Edge, Op, Shape};
use std::sync::Arc;

impl<'a> Elab<'a> {
    /// The body of a definition, or a call of it in its place where calls are kept and this one can be written: its
    /// arguments and its result are made of scalars, arrays of scalars, tuples and records, and the program's file can
    /// name it.
    pub fn kept_or(&mut self, def: usize, args: &[Arg], y: &Ty, body: Block) -> Block {
        let Some(callee) = self.kept_calls.then(|| self.callee(def, args, y, &body)).flatten() else { return body };
        let mut types = Vec::new();
        for &leaf in &body.results {
            let ty = self.b.func.atom_ty(leaf);
            let hint = callee.name.rsplit('.').next().unwrap_or_default();
            types.push((hint.to_string(), self.b.func.types.ty(ty)));
        }
        let operands = args.iter().flat_map(|arg| arg.val.leaves.iter().copied()).collect();
        self.b.open_with(body.params);
        let vars = self.b.emit(Op::Call { callee: Arc::new(callee), args: operands }, types);
        self.b.close(vars.into_iter().map(Atom::Var).collect())
    }

    /// A call of a definition in its own rule, where no rule stands for it: a call, if calls are kept.
    pub fn call_in_rule(&mut self, def: usize, binding: &Binding<'a>, args: Vec<Arg>, hint: &Hint) -> Val {
        if !self.kept_calls {
            return self.inline_body(def, binding, args, hint);
        }
        let mark = self.mark();
        self.b.open();
        let y = self.inline_body(def, binding, args.clone(), hint);
        let mut body = self.b.close(y.leaves.clone());
        // A size that the body computes has a name in the body only.
        let (here, before) = (self.span(), self.problems.len());
        if !y.is_error() && !self.escapes(&y.ty, mark, here, "a call") {
            body = self.kept_or(def, &args, &y.ty, body);
        }
        self.problems.truncate(before);
        for stmt in body.stmts {
            self.b.push(stmt);
        }
        Val::new(y.ty, body.results)
    }

    fn callee(&self, def: usize, args: &[Arg], y: &Ty, body: &Block) -> Option<Callee> {
        let name = self.name_in_program(def)?;
        let args: Vec<Shape> = args.iter().map(|arg| shape(&arg.val.ty.edge()?)).collect::<Option<_>>()?;
        let result = shape(&y.edge()?)?;
        let may_fail = body.stmts.iter().any(|stmt| may_fail_deep(&self.b.func, &stmt.op));
        let callee = Callee { name, args, result, may_fail };
        let fits = callee.operands() > 0 && callee.result.leaves() == body.results.len();
        fits.then_some(callee)
    }

    /// What the program's own file calls a definition: `softplus`, `linalg.solve`. A module of the standard library can be
    /// imported where it is not yet, if nothing else has its name.
    fn name_in_program(&self, def: usize) -> Option<String> {
        let info = self.tables.info(def)?;
        let scope = self.tables.modules.get(info.module)?;
        let own = info.module == 0;
        if let Some(prefix) = self.tables.prefix(0, info.module).filter(|_| own || scope.standard) {
            return (own || !info.name.starts_with('_')).then(|| format!("{prefix}{}", info.name));
        }
        let free = !self.tables.modules.first()?.imports.contains_key(&scope.name);
        (scope.standard && free && !info.name.starts_with('_')).then(|| format!("{}.{}", scope.name, info.name))
    }
}

/// `None` for arrays of tuples and records, which no expression puts together, and for sums.
fn shape(edge: &Edge) -> Option<Shape> {
    Some(match edge {
        Edge::Scalar(_) => Shape::Leaf,
        Edge::Array(_, inner) => match shape(inner)? {
            Shape::Leaf => Shape::Leaf,
            Shape::Tuple(_) | Shape::Record(_) => return None,
        },
        Edge::Tuple(items) => Shape::Tuple(items.iter().map(shape).collect::<Option<_>>()?),
        Edge::Record(fields) => {
            let field = |(name, edge): &(String, Edge)| Some((name.clone(), shape(edge)?));
            Shape::Record(fields.iter().map(field).collect::<Option<_>>()?)
        }
        Edge::Sum { .. } => return None,
    })
}
