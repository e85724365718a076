//! Sum types, also known as algebraic data types: their declarations, their values, and constructors as functions.
//!
//! A value of a sum is taken apart into leaves like everything else: a tag, which is the constructor's place in the
//! declaration, and the leaves of what every constructor carries, one after the other. Those of constructors that are
//! not the value's own are zeros. A sum of one constructor has no tag. Past this crate nobody knows of sums but `Edge`.

use crate::bind::{Binding, BoundSize};
use crate::declared_type::{DArg, DSize, DSum, DeclaredType, over_variables, size_names};
use crate::elab::{Elab, FnVal};
use crate::error::{Problem, Role};
use crate::expr::with_sizes_of;
use crate::lowering::Lowering;
use crate::module::{DefInfo, ParamSig, Tables};
use crate::sum_words::SumProblem;
use crate::types::{Arg, Hint, Ty, Val};
use arr_base::Span;
use arr_ir::{Atom, Const, Edge, Poly, Scalar, SizeId};
use arr_syntax::ast::{Constructor, Expr, ExprKind, Item, TypeBody, TypeDef, TypeDefParam};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// What a parameter of a sum's declaration stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SumArg {
    Size(SizeId),
    Ty(Ty),
}

/// A sum type. Two are the same if they have the same name and carry the same.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SumTy {
    pub name: String,
    pub args: Vec<SumArg>,
    /// Constructors, and the types of what they carry.
    pub constructors: Vec<(String, Vec<Ty>)>,
}

impl SumTy {
    /// The tag is an `i64`: a number without a suffix in printed programs, and as wide as an `f64`, so that a comparison of
    /// tags masks lanes of numbers as it is.
    pub const TAG: Scalar = Edge::TAG;

    pub fn has_tag(&self) -> bool {
        self.constructors.len() > 1
    }

    /// What all constructors carry, in the order of the leaves.
    pub fn payload(&self) -> impl Iterator<Item = &Ty> {
        self.constructors.iter().flat_map(|(_, fields)| fields)
    }

    pub fn edge(&self) -> Option<Edge> {
        let mut constructors = Vec::new();
        for (name, fields) in &self.constructors {
            constructors.push((name.clone(), fields.iter().map(Ty::edge).collect::<Option<_>>()?));
        }
        Some(Edge::Sum { name: self.name.clone(), constructors })
    }

    /// This type with the sizes of another of the same sum.
    pub fn with_sizes_of(&self, other: &SumTy) -> Arc<SumTy> {
        let mut constructors = Vec::new();
        for ((name, own), (_, other)) in self.constructors.iter().zip(&other.constructors) {
            constructors.push((name.clone(), own.iter().zip(other).map(|(a, b)| with_sizes_of(a, b)).collect()));
        }
        Arc::new(SumTy { name: self.name.clone(), args: other.args.clone(), constructors })
    }
}

/// What the leaves of a constructor are called: constructors are capital, variables are not.
pub(crate) fn variable_name(constructor: &str) -> String {
    let mut name = constructor.to_string();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    name
}

/// A sum type in the names of a definition, see `check.rs`.
pub(crate) fn declared_of(
    sum: &SumTy,
    size: &mut dyn FnMut(SizeId) -> DSize,
    ty: &mut dyn FnMut(&Ty) -> Option<DeclaredType>,
) -> Option<DeclaredType> {
    let mut args = Vec::new();
    for arg in &sum.args {
        args.push(match arg {
            SumArg::Size(n) => DArg::Size(size(*n)),
            SumArg::Ty(t) => DArg::Ty(ty(t)?),
        });
    }
    let mut constructors = Vec::new();
    for (name, fields) in &sum.constructors {
        constructors.push((name.clone(), fields.iter().map(&mut *ty).collect::<Option<_>>()?));
    }
    Some(DeclaredType::Sum(Arc::new(DSum { name: sum.name.clone(), args, constructors })))
}

/// A declared sum.
#[derive(Debug)]
pub(crate) struct SumDef {
    pub name: String,
    pub params: Vec<String>,
    /// The sum of its own parameters.
    pub ty: DeclaredType,
    /// Each constructor as the signature of a function.
    pub constructors: Vec<DefInfo>,
}

impl SumDef {
    pub fn span_of(&self, k: usize) -> Option<Span> {
        self.constructors.get(k).map(|c| c.span)
    }

    /// `(f64, f64) -> Shape`
    pub fn signature(&self, k: usize) -> String {
        let fields: Vec<&str> =
            self.constructors.get(k).map(DefInfo::params).unwrap_or_default().iter().map(|p| p.text.as_str()).collect();
        match fields.as_slice() {
            [one] => format!("{one} -> {}", self.name),
            many => format!("({}) -> {}", many.join(", "), self.name),
        }
    }
}

impl Tables {
    /// The sum that a constructor belongs to, by its name as written in a module, and its place there.
    pub fn constructor(&self, module: usize, name: &str) -> Option<(&SumDef, usize)> {
        let (sum, k) = self.constructors.get(&*self.key(module, name)?)?;
        Some((self.sums.get(sum)?, *k))
    }

    /// Declares the sums of the program.
    pub fn add_sums(&mut self) {
        let mut found: Vec<(usize, TypeDef)> = Vec::new();
        for (module, scope) in self.modules.iter().enumerate() {
            let types = scope.syntax.items.iter();
            found.extend(
                types.filter_map(|item| if let Item::Type(def) = item { Some((module, def.clone())) } else { None }),
            );
        }
        for (module, def) in found {
            let key = self.key_of(module, &def.name.text).into_owned();
            // Of two types of one name the second was reported.
            let first = self.types.get(&key).is_some_and(|t| t.name.span == def.name.span);
            if let (TypeBody::Sum(constructors), true) = (&def.body, first) {
                self.add_constructors(module, &key, constructors);
                let sum = self.sum_def(module, &def, constructors);
                self.sums.insert(key, sum);
            }
        }
    }

    fn add_constructors(&mut self, module: usize, sum: &str, constructors: &[Constructor]) {
        for (k, constructor) in constructors.iter().enumerate() {
            let (name, span) = (constructor.name.text.clone(), constructor.name.span);
            let key = self.key_of(module, &name).into_owned();
            let def = self.index.get(&key).and_then(|at| self.defs.get(*at)).map(|d| d.span);
            let before = self.constructor_span(&key, constructors);
            if let Some(first) = before.or(def) {
                let what = if before.is_some() { "constructor" } else { "definition or constructor" };
                // The later one is the one too many.
                let (first, span) = if first.start < span.start { (first, span) } else { (span, first) };
                self.problems.push(Problem::Duplicate { what, name, span, first: Some(first) }.into());
            }
            if before.is_some() {
                continue;
            }
            self.constructors.insert(key, (sum.to_string(), k));
        }
    }

    /// Where a constructor was declared before; perhaps in the same sum, which is not there yet.
    fn constructor_span(&self, key: &str, own: &[Constructor]) -> Option<Span> {
        let (sum, k) = self.constructors.get(key)?;
        let elsewhere = self.sums.get(sum).and_then(|sum| sum.span_of(*k));
        elsewhere.or_else(|| own.get(*k).map(|c| c.name.span))
    }

    fn sum_def(&mut self, module: usize, def: &TypeDef, constructors: &[Constructor]) -> SumDef {
        let bounded = |p: &TypeDefParam| match p {
            TypeDefParam::Type(p) => Some((p.name.text.clone(), p.bound)),
            TypeDefParam::Size(_) => None,
        };
        let type_params: Vec<_> = def.params.iter().filter_map(bounded).collect();
        let mut lowering = Lowering::new(self, module, Vec::new());
        let declared = lowering.lower_sum(def, constructors);
        let mut problems = std::mem::take(&mut lowering.problems);
        problems.extend(free_sizes(def, &declared).into_iter().map(Into::into));
        // Where the payload could not be read, what it mentions is not known.
        if problems.is_empty() {
            problems.extend(unused_params(def, &declared).into_iter().map(Into::into));
        }
        self.problems.append(&mut problems);
        let ty = DeclaredType::Sum(Arc::new(declared.clone()));
        let infos = declared.constructors.iter().zip(constructors).map(|((name, fields), syntax)| {
            let param = |(i, (ty, written)): (usize, (&DeclaredType, &arr_syntax::ast::Type))| ParamSig {
                name: (i + 1).to_string(),
                ty: ty.clone(),
                text: crate::declared_type::type_text(written),
                span: written.span,
            };
            DefInfo {
                name: name.clone(),
                id: usize::MAX,
                module,
                item: usize::MAX,
                span: syntax.name.span,
                type_params: type_params.clone(),
                params: Some(fields.iter().zip(&syntax.fields).enumerate().map(param).collect()),
                result: Some(ty.clone()),
                result_span: None,
                uses: OnceLock::new(),
                problems: Vec::new(),
                name_problems: OnceLock::new(),
                cycle: OnceLock::new(),
                found: OnceLock::new(),
                recursive: AtomicBool::new(false),
                inferred: OnceLock::new(),
                test: false,
                rule: None,
            }
        });
        SumDef {
            name: declared.name.clone(),
            params: def.params.iter().map(|p| param_name(p).to_string()).collect(),
            constructors: infos.collect(),
            ty,
        }
    }
}

fn param_name(param: &TypeDefParam) -> &str {
    match param {
        TypeDefParam::Size(name) => &name.text,
        TypeDefParam::Type(param) => &param.name.text,
    }
}

/// Sizes that a sum's constructors mention must be its parameters: the type of a value says all its sizes.
fn free_sizes(def: &TypeDef, sum: &DSum) -> Vec<Problem> {
    let mut seen: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for size in sum.constructors.iter().flat_map(|(_, fields)| fields).flat_map(DeclaredType::sizes) {
        for name in size_names(&size.poly) {
            // What has a dot is a constant definition.
            let known = def.params.iter().any(|p| param_name(p) == name) || name.contains('.');
            if !known && !seen.contains(&name) {
                seen.push(name);
                let (name, ty) = (name.to_string(), def.name.text.clone());
                found.push(Problem::Sums(SumProblem::FreeSize { name, ty, span: size.span }));
            }
        }
    }
    found
}

/// A parameter that no constructor mentions could not be told from a value.
fn unused_params(def: &TypeDef, sum: &DSum) -> Vec<Problem> {
    let fields = || sum.constructors.iter().flat_map(|(_, fields)| fields);
    let unused = def.params.iter().filter(|param| match param {
        TypeDefParam::Size(name) => {
            !fields().flat_map(DeclaredType::sizes).any(|s| size_names(&s.poly).contains(&name.text.as_str()))
        }
        TypeDefParam::Type(param) => !fields().flat_map(DeclaredType::type_params).any(|t| t == param.name.text),
    });
    let problem = |param: &TypeDefParam| {
        let span = match param {
            TypeDefParam::Size(name) => name.span,
            TypeDefParam::Type(param) => param.name.span,
        };
        let (param, ty) = (param_name(param).to_string(), def.name.text.clone());
        Problem::Sums(SumProblem::UnusedParameter { param, ty, span })
    };
    unused.map(problem).collect()
}

/// The rounds in which expressions that share their types are read.
pub(crate) const ROUNDS: std::ops::Range<u8> = 0..3;

impl<'a> Binding<'a> {
    /// What is known of an argument of a sum's type.
    pub fn known_arg(&self, e: &mut Elab<'a>, arg: &DArg) -> Option<SumArg> {
        match arg {
            DArg::Size(size) => {
                let known = size_names(&size.poly).into_iter().all(|name| self.poly(e, name).is_some());
                if !known {
                    return None;
                }
                let poly = over_variables(&size.poly, &mut |name| self.poly(e, name).unwrap_or_default())?;
                Some(SumArg::Size(e.b.func.types.size(poly)))
            }
            DArg::Ty(ty) => {
                let sizes = ty.sizes();
                let known = sizes.iter().flat_map(|s| size_names(&s.poly)).all(|name| self.poly(e, name).is_some())
                    && ty.type_params().into_iter().all(|name| self.ty(name).is_some());
                known.then(|| SumArg::Ty(e.declared_type(ty, self)))
            }
        }
    }

    /// Learns from the type that the context expects what is not known yet.
    fn learn(&mut self, sum: &'a SumDef, hint: &Hint, span: Span) {
        let Hint::Sum(name, args) = hint else { return };
        if *name != sum.name {
            return;
        }
        for (param, arg) in sum.params.iter().zip(args) {
            match arg {
                Some(SumArg::Size(size)) => {
                    self.sizes.entry(param).or_insert(BoundSize { size: *size, param, span });
                }
                Some(SumArg::Ty(Ty::Scalar(elem))) => {
                    self.types.entry(param).or_insert((*elem, span));
                }
                Some(SumArg::Ty(ty)) if !self.types.contains_key(param.as_str()) => {
                    self.compound.entry(param).or_insert((ty.clone(), span));
                }
                Some(SumArg::Ty(_)) | None => {}
            }
        }
    }
}

impl<'a> Elab<'a> {
    /// In which of [`ROUNDS`] an expression is best read: a number without a type when others have fixed types, a
    /// constructor that does not say by itself of which type it is when all else is known.
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
        if !self.check_bounds(info, &binding, true) {
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
            leaves.push(tag(k));
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

    pub fn instantiate_sum(
        &mut self,
        sum: &DSum,
        size: &mut dyn FnMut(&mut Self, &str) -> Poly,
        param: &dyn Fn(&str) -> Option<Ty>,
    ) -> Ty {
        let mut args = Vec::new();
        for arg in &sum.args {
            args.push(match arg {
                DArg::Size(n) => match self.instantiate_size(n, size) {
                    Some(n) => SumArg::Size(n),
                    None => return Ty::Error,
                },
                DArg::Ty(ty) => SumArg::Ty(self.instantiate(ty, size, param)),
            });
        }
        let mut constructors = Vec::new();
        for (name, fields) in &sum.constructors {
            constructors.push((name.clone(), fields.iter().map(|t| self.instantiate(t, size, param)).collect()));
        }
        Ty::Sum(Arc::new(SumTy { name: sum.name.clone(), args, constructors }))
    }

    /// `Layer[n, 3, f64]`
    pub fn show_sum(&self, sum: &SumTy) -> String {
        if sum.args.is_empty() {
            return sum.name.clone();
        }
        let arg = |arg: &SumArg| match arg {
            SumArg::Size(n) => self.show_size(*n),
            SumArg::Ty(ty) => self.whole(ty),
        };
        format!("{}[{}]", sum.name, sum.args.iter().map(arg).collect::<Vec<_>>().join(", "))
    }
}

/// The tag of the constructor at this place.
pub(crate) fn tag(k: usize) -> Atom {
    Atom::Const(Const::I64(i64::try_from(k).unwrap_or(i64::MAX)))
}

impl Val {
    /// What the constructor at `k` carries, or would carry; for arrays of sums, arrays.
    pub fn payload(&self, k: usize) -> Option<Vec<Val>> {
        let (dims, Ty::Sum(sum)) = self.ty.peel() else { return None };
        let width = |fields: &[Ty]| fields.iter().map(Ty::width).sum::<usize>();
        let before: usize = sum.constructors.iter().take(k).map(|(_, fields)| width(fields)).sum();
        let mut rest = self.leaves.get(usize::from(sum.has_tag()) + before..)?;
        let mut out = Vec::new();
        for ty in &sum.constructors.get(k)?.1 {
            let (mine, after) = rest.split_at(ty.width().min(rest.len()));
            rest = after;
            out.push(Val::new(ty.clone().under(&dims), mine.to_vec()));
        }
        Some(out)
    }
}
