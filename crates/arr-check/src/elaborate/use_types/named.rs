//! The element type that the value of a `let` takes from the first use of its name that decides one: the other operand,
//! what is written into it, the parameter that it is given for, the body of the loop that it begins.

use crate::data::builtins::BuiltinKind;
use crate::elaborate::literal::elem_param;
use crate::elaborate::use_types::{Uses, declared};
use arr_ir::{Prim, Scalar};
use arr_syntax::ast::{BinaryOp, Bound, Expr, ExprKind, Generator, Loop, LoopKind, Param, Subscript, UnaryOp};

impl<'u> Uses<'u, '_> {
    /// What the first deciding use of a name in an expression says.
    pub fn use_of(&mut self, name: &str, e: &'u Expr, fuel: u32) -> Option<Scalar> {
        let fuel = fuel.checked_sub(1)?;
        self.left = self.left.checked_sub(1)?;
        match &*e.kind {
            ExprKind::Let(..) | ExprKind::For(..) | ExprKind::Loop(_) | ExprKind::Lambda(..) | ExprKind::Match(..) => {
                let mark = self.locals.len();
                let found = self.use_inside(name, e, fuel);
                self.locals.truncate(mark);
                found
            }
            kind => {
                if let Some(found) = self.decides(name, e, fuel) {
                    return Some(found);
                }
                let mut found = None;
                let mut children = Vec::new();
                kind.for_each_child(|child| children.push(child));
                for child in children {
                    found = found.or_else(|| self.use_of(name, child, fuel));
                }
                found
            }
        }
    }

    /// What an expression itself says of an operand or argument that is the name.
    fn decides(&mut self, name: &str, e: &'u Expr, fuel: u32) -> Option<Scalar> {
        match &*e.kind {
            // An exponent may have a type of its own.
            ExprKind::Binary(BinaryOp::Pow, ..) => None,
            ExprKind::Binary(_, a, b) if is_of(name, a) => self.elem(b, fuel),
            ExprKind::Binary(_, a, b) if is_of(name, b) => self.elem(a, fuel),
            ExprKind::With(array, _, value) if is_of(name, array) => self.elem(value, fuel),
            ExprKind::With(array, _, value) if is_of(name, value) => self.elem(array, fuel),
            ExprKind::If(_, a, b) if is_of(name, a) => self.elem(b, fuel),
            ExprKind::If(_, a, b) if is_of(name, b) => self.elem(a, fuel),
            ExprKind::Array(items) if items.iter().any(|item| is_of(name, item)) => {
                items.iter().find_map(|item| self.elem(item, fuel))
            }
            ExprKind::Index(_, subscripts) => subscripts.iter().any(|s| indexes(name, s)).then_some(Scalar::I64),
            ExprKind::Call(f, args) => {
                let at = args.iter().position(|arg| is_of(name, arg))?;
                let local = matches!(&*f.kind, ExprKind::Name(f) if self.is_local(f));
                if local { None } else { self.parameter(f, args, at, fuel) }
            }
            _ => None,
        }
    }

    /// What a function that is called by its name says of the argument at a place.
    fn parameter(&mut self, f: &'u Expr, args: &'u [Expr], at: usize, fuel: u32) -> Option<Scalar> {
        if let Some(kind) = self.elab.named_builtin(f) {
            let condition = kind == BuiltinKind::Pointwise(Prim::Select) && at == 0;
            let together = matches!(kind, BuiltinKind::Pointwise(_) | BuiltinKind::Concat) && kind.keeps_elem();
            let others = if together && !condition { self.builtin(kind, args, fuel).elem() } else { None };
            return match kind.is_int_arg(at) {
                true => Some(Scalar::I64),
                false => others.or_else(|| self.float_of(kind.takes_floats())),
            };
        }
        let info = self.elab.tables.info(self.elab.named_def(f)?)?;
        let ty = &info.params().get(at)?.ty;
        let floats = |param: &str| info.type_params.iter().any(|(own, b)| own == param && *b == Bound::Float);
        declared(ty).elem().or_else(|| self.float_of(elem_param(ty).is_some_and(floats)))
    }

    /// The same inside a form that binds names, up to where it binds this one.
    fn use_inside(&mut self, name: &str, e: &'u Expr, fuel: u32) -> Option<Scalar> {
        match &*e.kind {
            ExprKind::Let(bindings, body) => {
                for binding in bindings {
                    if let Some(found) = self.use_of(name, &binding.value, fuel) {
                        return Some(found);
                    }
                    let value = self.hint(&binding.value, fuel);
                    if self.bind_around(name, |uses| uses.bind(&binding.pattern, value)) || self.left == 0 {
                        return None;
                    }
                }
                self.use_of(name, body, fuel)
            }
            ExprKind::For(generators, body) => {
                for generator in generators {
                    if let Generator::Element(_, e) | Generator::Range(_, e) = generator
                        && let Some(found) = self.use_of(name, e, fuel)
                    {
                        return Some(found);
                    }
                    if matches!(generator, Generator::Range(_, extent) if is_of(name, extent)) {
                        return Some(Scalar::I64);
                    }
                    if self.bind_around(name, |uses| uses.bind_generator(generator, fuel)) {
                        return None;
                    }
                }
                self.use_of(name, body, fuel)
            }
            ExprKind::Lambda(params, body) => {
                if self.bind_around(name, |uses| uses.bind_params(params)) {
                    None
                } else {
                    self.use_of(name, body, fuel)
                }
            }
            ExprKind::Loop(l) => self.use_in_loop(name, l, fuel),
            ExprKind::Match(e, arms) => {
                let mut found = self.use_of(name, e, fuel);
                for (pattern, arm) in arms {
                    let mark = self.locals.len();
                    let hidden = self.bind_around(name, |uses| uses.bind(pattern, crate::data::values::Hint::None));
                    if !hidden {
                        found = found.or_else(|| self.use_of(name, arm, fuel));
                    }
                    self.locals.truncate(mark);
                }
                found
            }
            _ => None,
        }
    }

    /// A loop that begins with the name is one of its uses.
    fn use_in_loop(&mut self, name: &str, l: &'u Loop, fuel: u32) -> Option<Scalar> {
        let begins = match &*l.init.kind {
            ExprKind::Tuple(items) => items.iter().position(|e| is_of(name, e)),
            _ => None,
        };
        if is_of(name, &l.init) {
            return self.loop_body(l, fuel).elem();
        }
        if let Some(at) = begins {
            return self.loop_body(l, fuel).component(at).elem();
        }
        if let Some(found) = self.use_of(name, &l.init, fuel) {
            return Some(found);
        }
        if matches!(&l.kind, LoopKind::Range(_, extent) if is_of(name, extent)) {
            return Some(Scalar::I64);
        }
        let hidden = self.bind_around(name, |uses| uses.bind_loop(l, fuel));
        if hidden {
            return None;
        }
        let condition =
            if let LoopKind::While(condition) = &l.kind { self.use_of(name, condition, fuel) } else { None };
        condition.or_else(|| self.use_of(name, &l.body, fuel))
    }

    /// Binds names; whether the name is among them.
    fn bind_around(&mut self, name: &str, bind: impl FnOnce(&mut Self)) -> bool {
        let mark = self.locals.len();
        bind(self);
        self.locals.iter().skip(mark).any(|(local, _)| *local == name)
    }

    fn bind_params(&mut self, params: &'u [Param]) {
        for param in params {
            let ty = param.ty.as_ref().and_then(|ty| self.written(ty));
            self.bind(&param.pattern, super::elems(ty));
        }
    }
}

/// Whether a subscript is the name, or has it for a bound or a step.
fn indexes(name: &str, subscript: &Subscript) -> bool {
    match subscript {
        Subscript::Index(e) => is_of(name, e),
        Subscript::Slice { lo, hi, step, .. } => [lo, hi, step].into_iter().flatten().any(|e| is_of(name, e)),
    }
}

/// Whether an expression is the name, or elements of what it names.
fn is_of(name: &str, e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::Name(own) => own == name,
        ExprKind::Index(array, _) => is_of(name, array),
        ExprKind::Unary(UnaryOp::Neg, e) => is_of(name, e),
        _ => false,
    }
}
