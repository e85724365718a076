//! Element types that numbers, `zeros` and `ones` take from what is made of them: at the start of a loop from its body,
//! in a `let` from the uses of its name.
//!
//! `loop c = zeros(n) for i < n do c with [i] = i * i` is an array of `i64`: the body says so, before anything is
//! evaluated. What is found here is a hint and no more; the state's type is checked as ever. Only what is certain counts:
//! a name of the state says nothing about itself, nor does a number without a type.

mod named;

use crate::data::builtins::BuiltinKind;
use crate::data::declared_type::DeclaredType;
use crate::data::tables::Inferred;
use crate::data::values::Hint;
use crate::elaborate::Elab;
use crate::elaborate::env::Entry;
use crate::elaborate::literal::is_arithmetic;
use arr_ir::{Prim, Reduction, Scalar};
use arr_syntax::ast::{
    self, BinaryOp, Binding, Expr, ExprKind, Generator, Loop, LoopKind, Pattern, PatternKind, Subscript, TypeKind,
    UnaryOp,
};

/// Expressions are examined to this depth.
const FUEL: u32 = 48;
/// And so many of them for one value, so that long programs do not take long.
const MOST: u32 = 5_000;
/// Uses are looked for twice: a number with a point, or a function of floats, decides only if nothing else does, as it may
/// be a float of either kind.
const PASSES: [bool; 2] = [false, true];

impl Elab<'_> {
    /// What is expected of the state of a loop: what its context says, and where that says nothing, its body.
    pub fn hint_of_state(&self, l: &Loop, context: Hint) -> Hint {
        if !self.has_open(&l.init) {
            return context;
        }
        let state = PASSES.into_iter().fold(Hint::None, |known, decimals| {
            let mut uses = Uses { elab: self, locals: Vec::new(), left: MOST, decimals };
            let body = uses.loop_body(l, FUEL);
            uses.bind_loop(l, FUEL);
            merge(known, uses.completed(&l.state, body, l))
        });
        merge(context, self.fitting(&l.init, state))
    }

    /// What is expected of an array that is updated: what its context says, and where that says nothing, the new value.
    pub fn hint_of_updated(&self, array: &Expr, value: &Expr, context: &Hint) -> Hint {
        if *context != Hint::None || !self.is_flexible(array) {
            return context.clone();
        }
        let found = PASSES
            .into_iter()
            .find_map(|decimals| Uses { elab: self, locals: Vec::new(), left: MOST, decimals }.elem(value, FUEL));
        self.fitting(array, elems(found))
    }

    /// What is expected of the value of the binding at `at`, where nothing is declared: what the uses of its name say.
    pub fn hint_of_binding(&self, bindings: &[Binding], at: usize, body: &Expr) -> Hint {
        let Some((binding, later)) = bindings.get(at..).and_then(|rest| rest.split_first()) else { return Hint::None };
        let PatternKind::Name(name) = &binding.pattern.kind else { return Hint::None };
        if !self.is_flexible(&binding.value) {
            return Hint::None;
        }
        let found = PASSES.into_iter().find_map(|decimals| self.use_after(name, later, body, decimals));
        self.fitting(&binding.value, elems(found))
    }

    /// What the first deciding use of a name says, in the bindings after its own and the body of the `let`.
    fn use_after(&self, name: &str, later: &[Binding], body: &Expr, decimals: bool) -> Option<Scalar> {
        let mut uses = Uses { elab: self, locals: vec![(name, Hint::None)], left: MOST, decimals };
        for later in later {
            if let Some(found) = uses.use_of(name, &later.value, FUEL) {
                return Some(found);
            }
            let value = uses.hint(&later.value, FUEL);
            let mark = uses.locals.len();
            uses.bind(&later.pattern, value);
            if uses.left == 0 || uses.locals.iter().skip(mark).any(|(local, _)| *local == name) {
                return None;
            }
        }
        uses.use_of(name, body, FUEL)
    }

    /// A hint without what an expression cannot be: a number with a point is no integer, and none is a boolean.
    fn fitting(&self, e: &Expr, hint: Hint) -> Hint {
        match (&*e.kind, hint) {
            (ExprKind::Tuple(items), Hint::Tuple(hints)) if items.len() == hints.len() => {
                Hint::Tuple(items.iter().zip(hints).map(|(e, hint)| self.fitting(e, hint)).collect())
            }
            (ExprKind::Record(fields), hint @ Hint::Record(_)) => {
                let one = |(name, e): &(ast::Name, Expr)| (name.text.clone(), self.fitting(e, hint.field(&name.text)));
                Hint::Record(fields.iter().map(one).collect())
            }
            (_, hint) => match hint.elem() {
                Some(Scalar::Bool) => Hint::None,
                Some(elem) if elem.is_int() && self.has_decimal(e) => Hint::None,
                _ => hint,
            },
        }
    }

    /// Whether the element type of an expression, or of a part of it, is open.
    fn has_open(&self, e: &Expr) -> bool {
        match &*e.kind {
            ExprKind::Tuple(items) => items.iter().any(|e| self.has_open(e)),
            ExprKind::Record(fields) => fields.iter().any(|(_, e)| self.has_open(e)),
            _ => self.is_flexible(e),
        }
    }
}

/// The first hint, and the second where that says nothing.
fn merge(a: Hint, b: Hint) -> Hint {
    match (a, b) {
        (Hint::None, b) => b,
        (Hint::Tuple(a), Hint::Tuple(b)) if a.len() == b.len() => {
            Hint::Tuple(a.into_iter().zip(b).map(|(a, b)| merge(a, b)).collect())
        }
        (Hint::Record(a), b @ Hint::Record(_)) => {
            Hint::Record(a.into_iter().map(|(name, a)| (name.clone(), merge(a, b.field(&name)))).collect())
        }
        (Hint::Array(a), Hint::Array(b)) => Hint::Array(Box::new(merge(*a, *b))),
        (a, _) => a,
    }
}

/// Scalars of a type, under any axes.
fn elems(elem: Option<Scalar>) -> Hint {
    elem.map_or(Hint::None, Hint::Elem)
}

/// What is known of expressions without evaluating them.
struct Uses<'u, 'a> {
    elab: &'u Elab<'a>,
    /// The names bound on the way in, the innermost last.
    locals: Vec<(&'u str, Hint)>,
    /// How many more expressions are examined.
    left: u32,
    /// Whether numbers with a point count as `f64`.
    decimals: bool,
}

impl<'u> Uses<'u, '_> {
    fn elem(&mut self, e: &'u Expr, fuel: u32) -> Option<Scalar> {
        self.hint(e, fuel).elem()
    }

    /// The type of a float of which nothing else is known, where that counts.
    fn float_of(&self, is_float: bool) -> Option<Scalar> {
        (is_float && self.decimals).then_some(Scalar::F64)
    }

    /// The type of an expression as far as it is certain.
    fn hint(&mut self, e: &'u Expr, fuel: u32) -> Hint {
        let (Some(fuel), Some(left)) = (fuel.checked_sub(1), self.left.checked_sub(1)) else { return Hint::None };
        self.left = left;
        match &*e.kind {
            ExprKind::Number(n) if n.suffix.is_none() => elems(self.float_of(n.is_decimal())),
            ExprKind::Number(n) => elems(n.suffix.as_deref().and_then(Scalar::from_name)),
            ExprKind::Bool(_) | ExprKind::Unary(UnaryOp::Not, _) => Hint::Elem(Scalar::Bool),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Unary(UnaryOp::Neg, e) => self.hint(e, fuel),
            ExprKind::Binary(BinaryOp::Pow, a, _) => elems(self.elem(a, fuel)),
            ExprKind::Binary(op, a, b) if is_arithmetic(*op) || *op == BinaryOp::MatMul => {
                elems(self.elem(a, fuel).or_else(|| self.elem(b, fuel)))
            }
            ExprKind::Binary(..) => Hint::Elem(Scalar::Bool),
            ExprKind::Array(items) => match items.iter().find_map(|e| self.elem(e, fuel)) {
                Some(elem) => Hint::Array(Box::new(Hint::Elem(elem))),
                None => Hint::None,
            },
            ExprKind::Tuple(items) => Hint::Tuple(items.iter().map(|e| self.hint(e, fuel)).collect()),
            ExprKind::Record(fields) => {
                Hint::Record(fields.iter().map(|(name, e)| (name.text.clone(), self.hint(e, fuel))).collect())
            }
            ExprKind::RecordWith(base, _) => self.hint(base, fuel),
            ExprKind::Field(base, name) => match self.module_of(base) {
                Some(module) => self.constant(module, &name.text),
                None => self.hint(base, fuel).field(&name.text),
            },
            ExprKind::Project(base, at, _) => self.hint(base, fuel).component(*at as usize),
            ExprKind::Index(array, subscripts) => {
                let taken = subscripts.iter().filter(|s| matches!(s, Subscript::Index(_))).count();
                (0..taken).fold(self.hint(array, fuel), |hint, _| hint.inner())
            }
            ExprKind::With(array, subscripts, value) => {
                let whole = self.hint(array, fuel);
                let one = subscripts.iter().all(|s| matches!(s, Subscript::Index(_)));
                match self.hint(value, fuel) {
                    part @ (Hint::Tuple(_) | Hint::Record(_)) if one => merge(whole, Hint::Array(Box::new(part))),
                    part => merge(whole, elems(part.elem())),
                }
            }
            ExprKind::If(_, a, b) => merge(self.hint(a, fuel), self.hint(b, fuel)),
            ExprKind::Assert(_, ty) => elems(self.written(ty)),
            ExprKind::Call(f, args) => self.call(f, args, fuel),
            ExprKind::Let(..) | ExprKind::For(..) | ExprKind::Loop(_) | ExprKind::Match(..) => self.binder(e, fuel),
            ExprKind::Text(_) | ExprKind::Operator(_) | ExprKind::Lambda(..) | ExprKind::Error => Hint::None,
        }
    }

    /// The forms that bind names.
    fn binder(&mut self, e: &'u Expr, fuel: u32) -> Hint {
        let mark = self.locals.len();
        let hint = match &*e.kind {
            ExprKind::Let(bindings, body) => {
                for binding in bindings {
                    let value = self.hint(&binding.value, fuel);
                    let declared = binding.ty.as_ref().and_then(|ty| self.written(ty));
                    self.bind(&binding.pattern, merge(elems(declared), value));
                }
                self.hint(body, fuel)
            }
            ExprKind::For(generators, body) => {
                generators.iter().for_each(|generator| self.bind_generator(generator, fuel));
                match self.hint(body, fuel) {
                    Hint::None => Hint::None,
                    element => generators.iter().fold(element, |hint, _| Hint::Array(Box::new(hint))),
                }
            }
            ExprKind::Loop(l) => {
                let start = self.hint(&l.init, fuel);
                merge(start, self.loop_body(l, fuel))
            }
            ExprKind::Match(_, arms) => {
                let mut hint = Hint::None;
                for (pattern, arm) in arms {
                    let mark = self.locals.len();
                    self.bind(pattern, Hint::None);
                    hint = merge(hint, self.hint(arm, fuel));
                    self.locals.truncate(mark);
                }
                hint
            }
            _ => Hint::None,
        };
        self.locals.truncate(mark);
        hint
    }

    /// What the body of a loop gives. What its state begins with is known where it says its type.
    fn loop_body(&mut self, l: &'u Loop, fuel: u32) -> Hint {
        let mark = self.locals.len();
        self.bind_loop(l, fuel);
        let hint = self.hint(&l.body, fuel);
        self.locals.truncate(mark);
        hint
    }

    /// Binds what the body of a loop sees.
    fn bind_loop(&mut self, l: &'u Loop, fuel: u32) {
        let start = self.hint(&l.init, fuel);
        match &l.kind {
            LoopKind::Range(name, _) => self.locals.push((&name.text, Hint::Elem(Scalar::I64))),
            LoopKind::Element(pattern, array) => {
                let element = self.hint(array, fuel).inner();
                self.bind(pattern, element);
            }
            LoopKind::While(_) => {}
        }
        self.bind(&l.state, start);
    }

    /// What is known of a state, and where that is nothing, what the uses of its names say.
    fn completed(&mut self, pattern: &'u Pattern, hint: Hint, l: &'u Loop) -> Hint {
        match (&pattern.kind, hint) {
            (PatternKind::Name(name), Hint::None) => {
                let condition = if let LoopKind::While(condition) = &l.kind { Some(condition) } else { None };
                elems(condition.into_iter().chain([&l.body]).find_map(|e| self.use_of(name, e, FUEL)))
            }
            (PatternKind::Tuple(items), Hint::None) => {
                Hint::Tuple(items.iter().map(|p| self.completed(p, Hint::None, l)).collect())
            }
            (PatternKind::Tuple(items), Hint::Tuple(hints)) if items.len() == hints.len() => {
                Hint::Tuple(items.iter().zip(hints).map(|(p, hint)| self.completed(p, hint, l)).collect())
            }
            (_, hint) => hint,
        }
    }

    fn bind_generator(&mut self, generator: &'u Generator, fuel: u32) {
        match generator {
            Generator::Range(name, _) | Generator::Inferred(name) => {
                self.locals.push((&name.text, Hint::Elem(Scalar::I64)));
            }
            Generator::Element(pattern, array) => {
                let element = self.hint(array, fuel).inner();
                self.bind(pattern, element);
            }
        }
    }

    fn bind(&mut self, pattern: &'u Pattern, hint: Hint) {
        match &pattern.kind {
            PatternKind::Name(name) => self.locals.push((name, hint)),
            PatternKind::Tuple(items) => {
                items.iter().enumerate().for_each(|(at, p)| self.bind(p, hint.component(at)));
            }
            PatternKind::Record(fields) => {
                for (name, inner) in fields {
                    match inner {
                        Some(inner) => self.bind(inner, hint.field(&name.text)),
                        None => self.locals.push((&name.text, hint.field(&name.text))),
                    }
                }
            }
            PatternKind::Constructor(_, items) => items.iter().for_each(|p| self.bind(p, Hint::None)),
            PatternKind::Wildcard | PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Error => {}
        }
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|(local, _)| *local == name)
    }

    fn name(&self, name: &str) -> Hint {
        if let Some((_, hint)) = self.locals.iter().rev().find(|(local, _)| *local == name) {
            return hint.clone();
        }
        match self.elab.env.get(name) {
            Some(Entry::Val(val)) => Hint::of(&val.ty),
            Some(Entry::Size(_)) => Hint::Elem(Scalar::I64),
            None => self.constant(Some(self.elab.scope.module), name),
        }
    }

    /// The module that an expression names.
    fn module_of(&self, e: &Expr) -> Option<Option<usize>> {
        let local = matches!(&*e.kind, ExprKind::Name(name) if self.is_local(name));
        if local { None } else { self.elab.module_of(e) }
    }

    /// The type of a constant definition.
    fn constant(&self, module: Option<usize>, name: &str) -> Hint {
        let def = module.and_then(|module| self.elab.tables.find(module, name));
        let Some(info) = def.and_then(|def| self.elab.tables.info(def)).filter(|info| info.params.is_none()) else {
            return Hint::None;
        };
        match (&info.result, info.inferred.get()) {
            (Some(ty), _) | (None, Some(Inferred::Const(ty, _) | Inferred::Ty(ty))) => declared(ty),
            _ => Hint::None,
        }
    }

    fn call(&mut self, callee: &'u Expr, args: &'u [Expr], fuel: u32) -> Hint {
        match &*callee.kind {
            ExprKind::Name(name) if self.is_local(name) => return Hint::None,
            // A type parameter is the conversion to what it stands for.
            ExprKind::Name(name) if self.elab.scope.get(name).is_some() => {
                return elems(self.elab.scope.get(name).filter(|_| self.elab.env.get(name).is_none()));
            }
            ExprKind::Field(base, _) if self.module_of(base).is_none() => return Hint::None,
            _ => {}
        }
        if let Some(info) = self.elab.named_def(callee).and_then(|def| self.elab.tables.info(def)) {
            return info.result.as_ref().map_or(Hint::None, declared);
        }
        match self.elab.named_builtin(callee) {
            Some(kind) => self.builtin(kind, args, fuel),
            None => Hint::None,
        }
    }

    fn builtin(&mut self, kind: BuiltinKind, args: &'u [Expr], fuel: u32) -> Hint {
        match kind {
            BuiltinKind::Convert(to) => Hint::Elem(to),
            BuiltinKind::Length | BuiltinKind::Shape | BuiltinKind::ArgSort | BuiltinKind::SearchSorted => {
                Hint::Elem(Scalar::I64)
            }
            BuiltinKind::Reduce(Reduction::ArgMax | Reduction::ArgMin) => Hint::Elem(Scalar::I64),
            BuiltinKind::Pointwise(Prim::IsNan | Prim::IsFinite) => Hint::Elem(Scalar::Bool),
            BuiltinKind::Pointwise(Prim::Select) => elems(args.iter().skip(1).find_map(|e| self.elem(e, fuel))),
            BuiltinKind::Pointwise(_)
            | BuiltinKind::Reduce(_)
            | BuiltinKind::Mean
            | BuiltinKind::CumSum
            | BuiltinKind::CumProd
            | BuiltinKind::CumMax
            | BuiltinKind::Concat
            | BuiltinKind::Reverse
            | BuiltinKind::Sort
            | BuiltinKind::ScatterAdd
            | BuiltinKind::Scatter => {
                let mut kept = args.iter().enumerate().filter(|(at, _)| !kind.is_int_arg(*at));
                elems(kept.find_map(|(_, e)| self.elem(e, fuel)))
            }
            BuiltinKind::Rotate
            | BuiltinKind::Gather
            | BuiltinKind::Pow
            | BuiltinKind::Transpose
            | BuiltinKind::StopGradient => elems(args.first().and_then(|e| self.elem(e, fuel))),
            BuiltinKind::Trace(_) => args.get(1).map_or(Hint::None, |e| self.hint(e, fuel)),
            _ => Hint::None,
        }
    }

    /// The element type of a written type.
    fn written(&self, ty: &ast::Type) -> Option<Scalar> {
        match &ty.kind {
            TypeKind::Array(_, inner) => self.written(inner),
            TypeKind::Named { name, args } if args.is_empty() => {
                Scalar::from_name(&name.text).or_else(|| self.elab.scope.get(&name.text))
            }
            _ => None,
        }
    }
}

/// What a declared type says, its type parameters aside.
fn declared(ty: &DeclaredType) -> Hint {
    match ty {
        DeclaredType::Scalar(elem) => Hint::Elem(*elem),
        DeclaredType::Array(_, inner) => match declared(inner) {
            Hint::None => Hint::None,
            inner => Hint::Array(Box::new(inner)),
        },
        DeclaredType::Tuple(items) => Hint::Tuple(items.iter().map(declared).collect()),
        DeclaredType::Record(fields) => {
            Hint::Record(fields.iter().map(|(name, ty)| (name.clone(), declared(ty))).collect())
        }
        DeclaredType::Error | DeclaredType::Param(_) | DeclaredType::Sum(_) | DeclaredType::Fn(..) => Hint::None,
    }
}
