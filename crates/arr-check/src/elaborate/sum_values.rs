//! Values of sum types, and constructors as functions.
//!
//! A value of a sum is taken apart into leaves like everything else: a tag, which is the constructor's place in the
//! declaration, and the leaves of what every constructor carries, one after the other. Those of constructors that are
//! not the value's own are zeros. A sum of one constructor has no tag. Outside this crate only `Edge` knows of sums.

use crate::data::declared_type::{DArg, DeclaredType, size_names};
use crate::data::problem::{Problem, Role};
use crate::data::sum_problem::SumProblem;
use crate::data::tables::{DefInfo, SumDef};
use crate::data::types::{SumTy, Ty, variable_name};
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::calls::binding::Binding;
use crate::elaborate::function::FnVal;
use arr_base::Span;
use arr_ir::Poly;
use arr_syntax::ast::{Expr, ExprKind};

/// The rounds in which expressions that share their types are read.
pub(crate) const ROUNDS: std::ops::Range<u8> = 0..3;

impl<'a> Elab<'a> {
    /// In which of [`ROUNDS`] an expression is best read: a number without a type once others have fixed types, a
    /// constructor that does not determine its type by itself once all else is known.
    pub fn round(&self, e: &Expr) -> u8 {
        if self.is_open(e) { 2 } else { u8::from(self.is_flexible(e)) }
    }

    fn is_open(&self, e: &Expr) -> bool {
        let constructor = match &*e.kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Call(f, _) => {
                if let ExprKind::Name(name) = &*f.kind {
                    Some(name)
                } else {
                    None
                }
            }
            _ => None,
        };
        constructor.is_some_and(|name| self.is_open_constructor(name))
    }

    /// Whether what the constructor carries leaves a parameter of its sum open.
    fn is_open_constructor(&self, name: &str) -> bool {
        if self.env.get(name).is_some() || self.tables.find(self.scope.module, name).is_some() {
            return false;
        }
        let Some((sum, k)) = self.tables.constructor(self.scope.module, name) else { return false };
        let fields = || sum.constructors.get(k).map(DefInfo::params).unwrap_or_default().iter();
        sum.params.iter().any(|param| {
            let mentioned = fields().any(|f| {
                f.ty.type_params().contains(&param.as_str())
                    || f.ty.sizes().iter().any(|s| size_names(&s.poly).contains(&param.as_str()))
            });
            !mentioned
        })
    }

    /// A constructor by its name: a value if it carries nothing, otherwise a function.
    pub fn constructor(&mut self, sum: &'a SumDef, k: usize, span: Span, hint: &Hint) -> Val {
        let carries = sum.constructors.get(k).is_some_and(|c| !c.params().is_empty());
        if carries {
            return self.function(FnVal::Constructor(sum, k));
        }
        let outer = self.b.span.replace(span);
        let val = self.construct(sum, k, Vec::new(), hint);
        self.b.span = outer;
        val
    }

    /// A sum type as it is expected, of sizes 0 where those are not known. `None` if a type in it is not known.
    pub fn expected_sum(&mut self, name: &str, hint: &Hint) -> Option<Ty> {
        let sum = self.tables.sums.get(name)?;
        let DeclaredType::Sum(declared) = &sum.ty else { return None };
        let mut binding = Binding::default();
        binding.learn(sum, hint, self.span());
        for arg in declared.args.iter().filter(|arg| matches!(arg, DArg::Ty(_))) {
            binding.known_arg(self, arg)?;
        }
        let mut size = |e: &mut Self, name: &str| binding.poly(e, name).unwrap_or_else(|| Poly::constant(0));
        Some(self.instantiate(&sum.ty, &mut size, &|t| binding.ty(t)))
    }

    /// What a constructor expects of its arguments.
    pub fn payload_hints(&mut self, sum: &'a SumDef, k: usize, hint: &Hint) -> Vec<Hint> {
        let mut binding = Binding::default();
        binding.learn(sum, hint, self.span());
        let params = sum.constructors.get(k).map(DefInfo::params).unwrap_or_default();
        params.iter().map(|p| binding.hint(self, &p.ty)).collect()
    }

    /// `Rect(1.0, 2.0)`
    pub fn call_constructor(&mut self, sum: &'a SumDef, k: usize, args: &'a [Expr], hint: &Hint) -> Val {
        let hints = self.payload_hints(sum, k, hint);
        let value =
            |(i, e): (usize, &'a Expr)| Arg { val: self.expr(e, hints.get(i).unwrap_or(&Hint::None)), span: e.span };
        let args: Vec<Arg> = args.iter().enumerate().map(value).collect();
        self.construct(sum, k, args, hint)
    }

    /// The value that a constructor makes.
    pub fn construct(&mut self, sum: &'a SumDef, k: usize, args: Vec<Arg>, hint: &Hint) -> Val {
        let Some(info) = sum.constructors.get(k) else { return Val::error() };
        if info.params().len() != args.len() {
            let name = format!("the constructor `{}`", info.name);
            return self.argument_count(name, info.params().len(), args.len(), Some(info.span));
        }
        if args.iter().any(|a| a.val.is_error()) {
            return Val::error();
        }
        let span = self.span();
        let mut binding = Binding::default();
        for (param, arg) in info.params().iter().zip(&args) {
            binding.bind(self, param, &arg.val, arg.span);
        }
        binding.solve(self);
        binding.learn(sum, hint, span);
        if !self.check_bounds(info, &binding) {
            return Val::error();
        }
        let open = |p: &&String| binding.ty(p).is_none() && binding.poly(self, p).is_none();
        if let Some(param) = sum.params.iter().find(open) {
            let (constructor, ty) = (info.name.clone(), sum.name.clone());
            let params = sum.params.clone();
            let problem = SumProblem::Open { constructor, param: param.clone(), ty, params, span };
            return self.fail(Problem::Sums(problem));
        }
        let mut payload = Vec::new();
        for (param, arg) in info.params().iter().zip(args) {
            let want = self.declared_type(&param.ty, &binding);
            let role = Role::Argument { param: param.name.clone(), def: info.name.clone() };
            let mut facts = binding.facts(self, &param.ty, &info.name);
            facts.retain(|(span, _)| *span != arg.span);
            payload.push(self.conform_with(arg.val, &want, role, arg.span, facts));
        }
        if payload.iter().any(Val::is_error) {
            return Val::error();
        }
        let ty = self.declared_type(&sum.ty, &binding);
        self.active(ty, k, payload)
    }

    /// The value of a sum type with this constructor; all others carry zeros.
    fn active(&mut self, ty: Ty, k: usize, payload: Vec<Val>) -> Val {
        let Ty::Sum(sum) = &ty else { return Val::error() };
        let sum = sum.clone();
        let mut leaves = Vec::new();
        if sum.has_tag() {
            leaves.push(SumTy::tag(k));
        }
        for (j, (name, fields)) in sum.constructors.iter().enumerate() {
            if j == k {
                leaves.extend(payload.iter().flat_map(|val| val.leaves.iter().copied()));
                continue;
            }
            for field in fields {
                leaves.extend(self.zeros_of(field, &variable_name(name)).leaves);
            }
        }
        Val::new(ty, leaves)
    }
}
