//! The elaborator: symbolic evaluation of syntax trees into core IR.
//!
//! Checking and elaborating are one thing. In check mode every definition is evaluated once on symbolic arguments, and
//! calls of other definitions stop at their signatures; the IR made on the way is thrown away. In elaborate mode calls
//! are inlined and the IR is the result.

use crate::builtins::Builtin;
use crate::declared_type::{DSize, DeclaredType, over_variables, size_product};
use crate::error::Problem;
use crate::lowering::{Lowering, MAX_PARTS};
use crate::module::Tables;
use crate::record::Types;
use crate::sum_types::SumDef;
use crate::types::{FnId, Hint, Ty, Val};
use arr_base::{Diagnostic, IndexVec, Span};
use arr_ir::{Atom, Builder, Const, Func, Literal, Poly, Prim, Scalar, SizeId, VarId};
use arr_syntax::ast::{self, BinaryOp, Bound, Expr};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Check,
    Elaborate,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Val(Val),
    /// A size: an `i64` that is computed where it is used as a value.
    Size(SizeId),
}

/// The local names of one definition or lambda.
#[derive(Clone, Default)]
pub(crate) struct Env<'a> {
    names: FxHashMap<&'a str, Vec<Entry>>,
    order: Vec<&'a str>,
}

impl<'a> Env<'a> {
    pub fn bind(&mut self, name: &'a str, entry: Entry) {
        self.names.entry(name).or_default().push(entry);
        self.order.push(name);
    }

    pub fn mark(&self) -> usize {
        self.order.len()
    }

    pub fn close(&mut self, mark: usize) {
        for name in self.order.drain(mark..) {
            if let Some(entries) = self.names.get_mut(name) {
                entries.pop();
            }
        }
    }

    /// The names that are bound, in the order they were first bound.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.order.iter().copied()
    }

    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.names.get(name)?.last()
    }
}

/// A derivative applied to a function: still a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Derivative {
    Grad,
    ValueAndGrad,
    JacRev,
    JacFwd,
    Hessian,
    /// The gradient whose Jacobian `hessian` is.
    HessianGrad,
}

/// A function value. Bodies are evaluated at each application, with the types of the arguments known.
#[derive(Clone)]
pub(crate) enum FnVal<'a> {
    Lambda {
        params: &'a [ast::Param],
        body: &'a Expr,
        captured: Env<'a>,
        scope: TypeScope<'a>,
    },
    Def(usize),
    Builtin(&'static Builtin),
    Operator(BinaryOp),
    /// A constructor that carries something: the name of its sum, and its place there.
    Constructor(&'a SumDef, usize),
    Derivative(Derivative, FnId),
    /// The second component of `vjp(f, x)`.
    Pullback {
        f: FnId,
        x: Val,
        y: Val,
        result: Ty,
    },
    /// The second component of `linearize(f, x)`.
    Pushforward {
        f: FnId,
        x: Val,
    },
    /// A function whose reverse mode starts from its arguments alone.
    Checkpoint(FnId),
    /// A function parameter while its definition is checked.
    Opaque {
        params: Vec<Ty>,
        result: Ty,
    },
}

/// Where a piece of a program is written: the module, and the type parameters in scope with what they stand for.
#[derive(Clone, Default)]
pub(crate) struct TypeScope<'a> {
    pub module: usize,
    pub types: Vec<(&'a str, Scalar)>,
}

impl TypeScope<'_> {
    /// The type parameters, with the narrowest bounds that allow what they stand for.
    pub fn bounds(&self) -> Vec<(String, Bound)> {
        let bound = |elem: Scalar| match elem {
            Scalar::F32 | Scalar::F64 => Bound::Float,
            Scalar::Bool => Bound::Any,
            Scalar::I32 | Scalar::I64 | Scalar::U32 => Bound::Num,
        };
        self.types.iter().map(|(name, elem)| (name.to_string(), bound(*elem))).collect()
    }

    pub fn get(&self, name: &str) -> Option<Scalar> {
        self.types.iter().find(|(n, _)| *n == name).map(|(_, s)| *s)
    }
}

/// Where a size variable comes from, for messages.
#[derive(Clone, Debug)]
pub(crate) struct SizeOrigin {
    pub name: String,
    pub span: Option<Span>,
    pub fact: &'static str,
}

/// An integer that is computed of others, up to what polynomials tell.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Computed {
    Prim(Prim, Vec<Poly>),
    /// The number of steps in a span.
    Steps(Poly, Poly),
}

pub(crate) struct Elab<'a> {
    pub tables: &'a Tables,
    pub mode: Mode,
    pub b: Builder,
    pub env: Env<'a>,
    pub scope: TypeScope<'a>,
    pub fns: IndexVec<FnId, FnVal<'a>>,
    pub problems: Vec<Diagnostic>,
    /// The polynomial of every `i64` variable that is computed by `+ - *` from others.
    pub polys: FxHashMap<VarId, Poly>,
    /// Sizes computed by what is no polynomial, and the block that binds each: computed once, they are equal.
    pub computed: FxHashMap<Computed, (Atom, u64)>,
    /// The extents of the indices in scope.
    pub extents: FxHashMap<VarId, SizeId>,
    pub origins: FxHashMap<VarId, SizeOrigin>,
    /// Constants that are not scalars, evaluated once.
    pub constants: FxHashMap<usize, Val>,
    /// Size parameters: lengths of arrays, so never negative.
    pub lengths: FxHashSet<VarId>,
    /// Variables that have the name the user gave them.
    pub named: FxHashSet<VarId>,
    /// Array constants, so that literals of them are again literals.
    pub literals: FxHashMap<VarId, Literal>,
    /// The definitions whose declared derivatives are being evaluated: a call of one there is plain, or it would not end.
    pub in_rule: Vec<usize>,
    pub depth: u32,
    /// Whether it was said that the program is too deep or too large.
    pub too_large: bool,
    /// What is found out of types, where somebody asked for it.
    pub recorded: Option<Box<Types>>,
}

/// How deep expressions and inlined calls may nest. The elaborator's thread has stack for it.
const MAX_NESTING: u32 = 30_000;
/// How deep blocks may nest in the IR; later stages recurse over them.
pub(crate) const MAX_BLOCKS: usize = 1_000;
/// How many variables a program may have once everything is inlined.
pub(crate) const MAX_VARS: usize = 1_000_000;

impl<'a> Elab<'a> {
    pub fn new(tables: &'a Tables, mode: Mode, name: &str) -> Self {
        Elab {
            tables,
            mode,
            b: Builder::new(Func::new(name)),
            env: Env::default(),
            scope: TypeScope::default(),
            fns: IndexVec::new(),
            problems: Vec::new(),
            polys: FxHashMap::default(),
            computed: FxHashMap::default(),
            extents: FxHashMap::default(),
            origins: FxHashMap::default(),
            constants: FxHashMap::default(),
            lengths: FxHashSet::default(),
            named: FxHashSet::default(),
            literals: FxHashMap::default(),
            in_rule: Vec::new(),
            depth: 0,
            too_large: false,
            recorded: None,
        }
    }

    /// Reports a problem; the value to go on with fits everything.
    pub fn fail(&mut self, problem: Problem) -> Val {
        self.problems.push(problem.into());
        Val::error()
    }

    /// Reports that an invariant does not hold, unless that may come of what was reported before. The atom is no result: a
    /// program with problems is not compiled.
    pub fn broken(&mut self, what: &'static str) -> Atom {
        if self.problems.is_empty() {
            let span = self.span();
            self.fail(Problem::Broken { span, what });
        }
        Atom::bool(false)
    }

    pub fn function(&mut self, f: FnVal<'a>) -> Val {
        Val::function(self.fns.push(f))
    }

    pub fn expr(&mut self, expr: &'a Expr, hint: &Hint) -> Val {
        let outer = self.b.span.replace(expr.span);
        self.depth += 1;
        let val = if self.depth > MAX_NESTING || self.b.depth() > MAX_BLOCKS {
            let said = std::mem::replace(&mut self.too_large, true);
            if said { Val::error() } else { self.fail(Problem::TooDeep { span: expr.span }) }
        } else if self.b.func.vars.len() > MAX_VARS {
            // Said once: what follows would only repeat it.
            let said = std::mem::replace(&mut self.too_large, true);
            if said { Val::error() } else { self.fail(Problem::TooLarge { span: expr.span }) }
        } else {
            self.expr_kind(expr, hint)
        };
        let val = self.of_sensible_size(val, expr.span);
        self.record_expr(expr.span, &val);
        self.depth -= 1;
        self.b.span = outer;
        val
    }

    /// The value, unless its type has too many parts, which is said once. A `let` can double a type per line.
    pub fn of_sensible_size(&mut self, val: Val, span: Span) -> Val {
        if val.ty.parts(MAX_PARTS) <= MAX_PARTS {
            return val;
        }
        let said = std::mem::replace(&mut self.too_large, true);
        let what = format!("a value of more than {MAX_PARTS} parts is");
        if said { Val::error() } else { self.fail(Problem::Unsupported { span, what }) }
    }

    /// The place that the next statements come from.
    pub fn span(&self) -> Span {
        let nowhere = Span { file: arr_base::Id::from_index(0), start: 0, end: 0 };
        self.b.span.unwrap_or(nowhere)
    }

    // Scalars and sizes.

    /// A primitive on operands whose types were checked.
    pub fn prim(&mut self, prim: Prim, args: Vec<Atom>) -> Atom {
        let kept = matches!(prim, Prim::Div | Prim::Rem | Prim::Min | Prim::Max | Prim::Pow);
        if kept && args.iter().all(|a| self.b.func.atom_elem(*a) == Scalar::I64) {
            let key = Computed::Prim(prim, args.iter().map(|a| self.poly(*a)).collect());
            return self.once(key, |e| e.fresh_prim(prim, args));
        }
        self.fresh_prim(prim, args)
    }

    /// What was computed before, where it can be used, and otherwise now.
    pub fn once(&mut self, key: Computed, compute: impl FnOnce(&mut Self) -> Atom) -> Atom {
        if let Some(&(known, block)) = self.computed.get(&key)
            && self.b.is_open(block)
        {
            return known;
        }
        let value = compute(self);
        self.computed.insert(key, (value, self.b.block_number()));
        value
    }

    fn fresh_prim(&mut self, prim: Prim, args: Vec<Atom>) -> Atom {
        let operands = args.clone();
        let Some(result) = self.b.prim(prim, args) else {
            return self.broken("an operation on operands of types that it does not take");
        };
        if let (Atom::Var(v), [a, rest @ ..]) = (result, operands.as_slice())
            && self.b.func.atom_elem(*a) == Scalar::I64
        {
            self.remember_poly(prim, v, *a, rest.first().copied());
        }
        result
    }

    fn remember_poly(&mut self, prim: Prim, v: VarId, a: Atom, b: Option<Atom>) {
        let a = self.poly(a);
        let poly = match (prim, b) {
            (Prim::Neg, None) => a.neg(),
            (Prim::Add, Some(b)) => a.add(&self.poly(b)),
            (Prim::Sub, Some(b)) => a.sub(&self.poly(b)),
            (Prim::Mul, Some(b)) => a.mul(&self.poly(b)),
            _ => return,
        };
        // Sizes are small polynomials; long ones are only arithmetic.
        if poly.terms.len() <= 12 && poly.terms.keys().all(|m| m.len() <= 6) {
            self.polys.insert(v, poly);
        }
    }

    /// The polynomial that an `i64` atom is.
    pub fn poly(&self, atom: Atom) -> Poly {
        match atom {
            Atom::Const(c) => Poly::constant(c.as_i64().unwrap_or(0)),
            Atom::Var(v) => self.polys.get(&v).cloned().unwrap_or_else(|| Poly::var(v)),
        }
    }

    /// The size that an `i64` atom is.
    pub fn size_of(&mut self, atom: Atom) -> SizeId {
        let poly = self.poly(atom);
        let span = self.span();
        for v in poly.vars() {
            let fact = "is the value of this expression";
            self.origins.entry(v).or_insert_with(|| SizeOrigin { name: String::new(), span: Some(span), fact });
        }
        self.b.func.types.size(poly)
    }

    /// The value of a size.
    pub fn size_value(&mut self, size: SizeId) -> Atom {
        let atom = self.b.size(size);
        if let Atom::Var(v) = atom {
            let poly = self.b.func.types.poly(size).clone();
            if poly.as_var() != Some(v) {
                self.polys.insert(v, poly);
            }
        }
        atom
    }

    pub fn size_const(&mut self, value: i64) -> SizeId {
        self.b.func.types.size_const(value)
    }

    pub fn size_add(&mut self, a: SizeId, b: SizeId) -> SizeId {
        let sum = self.b.func.types.poly(a).add(self.b.func.types.poly(b));
        self.b.func.types.size(sum)
    }

    pub fn size_sub(&mut self, a: SizeId, b: SizeId) -> SizeId {
        let difference = self.b.func.types.poly(a).sub(self.b.func.types.poly(b));
        self.b.func.types.size(difference)
    }

    /// A product that is longer than sizes may be is one that is computed, of which nothing is known.
    pub fn size_mul(&mut self, a: SizeId, b: SizeId) -> SizeId {
        match size_product(self.b.func.types.poly(a), self.b.func.types.poly(b)) {
            Some(product) => self.b.func.types.size(product),
            None => {
                // Computed once, two products of the same sizes are one size.
                let key = Computed::Prim(Prim::Mul, [a, b].map(|s| self.b.func.types.poly(s).clone()).to_vec());
                let product = self.once(key, |e| {
                    let factors = vec![e.size_value(a), e.size_value(b)];
                    e.fresh_prim(Prim::Mul, factors)
                });
                self.size_of(product)
            }
        }
    }

    pub fn constant_size(&self, size: SizeId) -> Option<i64> {
        self.b.func.types.poly(size).as_constant()
    }

    pub fn int(value: i64) -> Atom {
        Atom::Const(Const::I64(value))
    }

    /// A fresh size variable that nothing is known about.
    pub fn opaque_size(&mut self, name: &str, fact: &'static str, span: Option<Span>) -> SizeId {
        let v = self.b.func.scalar_var(if name.is_empty() { "k" } else { name }, Scalar::I64);
        self.origins.insert(v, SizeOrigin { name: name.to_string(), span, fact });
        self.b.func.types.size_var(v)
    }

    // Types.

    /// The type that a program writes inside an expression: sizes are names in scope.
    pub fn written_type(&mut self, ty: &ast::Type) -> Ty {
        let mut lowering = Lowering::new(self.tables, self.scope.module, self.scope.bounds());
        let declared = lowering.lower(ty);
        self.problems.append(&mut lowering.problems);
        let scope = self.scope.clone();
        self.instantiate(&declared, &mut |e, name| e.named_size(name), &|t| scope.get(t).map(Ty::Scalar))
    }

    /// The polynomial that a size name in scope stands for; an unknown name was reported before.
    pub fn named_size(&mut self, name: &str) -> Poly {
        let local = self.local_size(name);
        match self.env.get(local) {
            Some(Entry::Size(size)) => self.b.func.types.poly(*size).clone(),
            Some(Entry::Val(val)) => match (val.ty.as_scalar(), val.atom()) {
                (Some(Scalar::I64), Some(atom)) => {
                    self.size_of(atom);
                    self.poly(atom)
                }
                _ => self.unknown_size(local),
            },
            None => match self.tables.constant_size(name) {
                Some(value) => Poly::constant(value),
                None => self.unknown_size(local),
            },
        }
    }

    /// What a size of a declared type may be called here: a constant of this module may be shadowed.
    fn local_size<'n>(&self, name: &'n str) -> &'n str {
        let module = self.tables.modules.get(self.scope.module).map_or("", |m| &m.name);
        let prefix = if self.scope.module == 0 { "" } else { module };
        name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
    }

    fn unknown_size(&mut self, name: &str) -> Poly {
        let span = self.span();
        self.fail(Problem::UnknownSize { name: name.to_string(), span, suggestion: None });
        let size = self.opaque_size(name, "is not known", None);
        self.b.func.types.poly(size).clone()
    }

    /// A declared type with its sizes and type parameters filled in.
    pub fn instantiate(
        &mut self,
        ty: &DeclaredType,
        size: &mut dyn FnMut(&mut Self, &str) -> Poly,
        param: &dyn Fn(&str) -> Option<Ty>,
    ) -> Ty {
        match ty {
            DeclaredType::Error => Ty::Error,
            DeclaredType::Scalar(elem) => Ty::Scalar(*elem),
            DeclaredType::Param(name) => param(name).unwrap_or(Ty::Error),
            DeclaredType::Array(n, inner) => {
                let Some(n) = self.instantiate_size(n, size) else { return Ty::Error };
                Ty::Array(n, Box::new(self.instantiate(inner, size, param)))
            }
            DeclaredType::Tuple(items) => Ty::Tuple(items.iter().map(|t| self.instantiate(t, size, param)).collect()),
            DeclaredType::Record(fields) => {
                Ty::Record(fields.iter().map(|(n, t)| (n.clone(), self.instantiate(t, size, param))).collect())
            }
            DeclaredType::Sum(sum) => self.instantiate_sum(sum, size, param),
            DeclaredType::Fn(params, result) => {
                let params = params.iter().map(|t| self.instantiate(t, size, param)).collect();
                let result = self.instantiate(result, size, param);
                Ty::Fn(self.fns.push(FnVal::Opaque { params, result }))
            }
        }
    }

    /// A declared size with its names filled in; one that is too long is reported.
    pub fn instantiate_size(&mut self, n: &DSize, size: &mut dyn FnMut(&mut Self, &str) -> Poly) -> Option<SizeId> {
        match over_variables(&n.poly, &mut |name| size(self, name)) {
            Some(poly) => Some(self.b.func.types.size(poly)),
            None => {
                let span = self.span();
                self.fail(Problem::long_size(span));
                None
            }
        }
    }

    /// A value of a type about which nothing is known. Only in check mode, where the IR is thrown away.
    pub fn placeholder(&mut self, ty: &Ty, name: &str) -> Val {
        let leaves = ty.leaves();
        let leaves = leaves
            .into_iter()
            .map(|(path, ty)| {
                let ty = self.b.func.types.ty(ty);
                Atom::Var(self.b.func.var(format!("{name}{path}"), ty))
            })
            .collect();
        Val::new(ty.clone(), leaves)
    }

    /// Gives the variables that a value consists of, where they have no name yet, the name that the user gives it.
    pub fn name_value(&mut self, val: &Val, name: &str) {
        for (atom, (path, _)) in val.leaves.iter().zip(val.ty.leaves()) {
            if let Atom::Var(v) = atom
                && self.named.insert(*v)
            {
                self.b.func.vars[*v].name = format!("{name}{path}");
            }
        }
        if let (Ty::Scalar(Scalar::I64), Some(Atom::Var(v))) = (&val.ty, val.atom()) {
            let span = self.b.span;
            let origin = SizeOrigin { name: name.to_string(), span, fact: "is bound here" };
            self.origins.entry(v).or_insert(origin);
        }
    }

    /// The number of variables so far: what is made from here on is bound inside.
    pub fn mark(&self) -> usize {
        self.b.func.vars.len()
    }
}
