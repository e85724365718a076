//! Calls of definitions that stay calls.

use crate::ast;
use crate::emitter::Emitter;
use arr_ir::rewrite::for_each_stmt;
use arr_ir::{Atom, Callee, Op, Shape, VarId};
use arr_syntax::ast::{Binding, Expr, ExprKind};

impl Emitter<'_> {
    /// `linalg.solve(a, b)`
    pub fn call(&mut self, callee: &Callee, args: &[Atom]) -> Expr {
        let mut leaves = args.iter().map(|&a| self.atom(a)).collect::<Vec<_>>().into_iter();
        let args = callee.args.iter().map(|shape| self.shaped(shape, &mut leaves)).collect();
        let function = match callee.name.split_once('.') {
            Some((module, name)) => ast::expr(ExprKind::Field(ast::var(module), ast::name(name))),
            None => ast::var(&callee.name),
        };
        ast::expr(ExprKind::Call(function, args))
    }

    /// No name of the printed code hides a definition that it calls, or the module of one.
    pub fn reserve_callees(&mut self) {
        let func = self.func;
        for_each_stmt(&func.body.stmts, &mut |stmt| {
            if let Op::Call { callee, .. } = &stmt.op {
                self.names.reserve(callee.name.split('.').next().unwrap_or_default());
            }
        });
    }

    fn shaped(&mut self, shape: &Shape, leaves: &mut dyn Iterator<Item = Expr>) -> Expr {
        match shape {
            Shape::Leaf => match leaves.next() {
                Some(leaf) => leaf,
                None => self.broken("a call with fewer operands than leaves"),
            },
            Shape::Tuple(items) => {
                ast::expr(ExprKind::Tuple(items.iter().map(|item| self.shaped(item, leaves)).collect()))
            }
            Shape::Record(fields) => {
                let field = |(name, shape): &(String, Shape)| (ast::name(name), self.shaped(shape, leaves));
                ast::expr(ExprKind::Record(fields.iter().map(field).collect()))
            }
        }
    }

    /// Names the result of a call as a whole, where that is no tuple of leaves: these are its parts.
    pub fn bind_parts(&mut self, vars: &[VarId], callee: &Callee, args: &[Atom], bindings: &mut Vec<Binding>) {
        let value = self.call(callee, args);
        let hint = callee.name.rsplit('.').next().unwrap_or_default();
        let name = self.names.fresh(hint);
        bindings.push(ast::binding(ast::pattern(std::slice::from_ref(&name)), value));
        let mut parts = Vec::new();
        parts_of(&callee.result, ast::var(&name), &mut parts);
        self.exprs.extend(vars.iter().copied().zip(parts));
    }
}

/// Whether the result is one leaf, or a tuple of leaves.
pub fn is_flat(shape: &Shape) -> bool {
    match shape {
        Shape::Leaf => true,
        Shape::Tuple(items) => items.iter().all(|item| *item == Shape::Leaf),
        Shape::Record(_) => false,
    }
}

/// The leaves of a value of this shape.
fn parts_of(shape: &Shape, whole: Expr, out: &mut Vec<Expr>) {
    match shape {
        Shape::Leaf => out.push(whole),
        Shape::Tuple(items) => {
            for (item, k) in items.iter().zip(0..) {
                parts_of(item, ast::expr(ExprKind::Project(whole.clone(), k, ast::span())), out);
            }
        }
        Shape::Record(fields) => {
            for (name, item) in fields {
                parts_of(item, ast::expr(ExprKind::Field(whole.clone(), ast::name(name))), out);
            }
        }
    }
}
