//! Checking a definition once, on symbolic arguments.

use crate::check::instances::{instances, with_types};
use crate::data::declared_type::{DArg, DSize, DSum, DeclaredType, computed_name};
use crate::data::problem::Role;
use crate::data::recorded::Types;
use crate::data::tables::{DefInfo, Inferred, Tables};
use crate::data::types::{SumArg, SumTy, Ty};
use crate::data::values::{Hint, Val};
use crate::elaborate::{Elab, Mode};
use arr_base::{Code, Diagnostic};
use arr_ir::{Scalar, SizeId, VarId};
use rustc_hash::FxHashMap;
use std::convert::Infallible;
use std::sync::Arc;

/// Checks a definition whose names are known, after all that it uses, and records what its result is.
pub(crate) fn check_def<'a>(tables: &'a Tables, def: usize, info: &'a DefInfo) -> Vec<Diagnostic> {
    let problems = constants_as_sizes(tables, info);
    if !problems.is_empty() {
        // Its types mean nothing, so the body is not compared with them.
        let _ = info.inferred.set(Inferred::Error);
        return problems;
    }
    if info.type_params.is_empty() {
        let (problems, inferred, types) = check_instance(tables, def, info, &[]);
        tables.recorder.keep(vec![(Vec::new(), types)]);
        // Users of the definition know nothing else of it.
        let _ = info.inferred.set(inferred);
        return problems;
    }
    let _ = info.inferred.set(if info.result.is_some() { Inferred::Error } else { Inferred::Inline });
    let mut first = Vec::new();
    let mut recorded = Vec::new();
    for types in instances(info) {
        let (problems, _, found) = check_instance(tables, def, info, &types);
        let wrong = !problems.is_empty();
        first = problems.into_iter().map(|d| with_types(d, info, &types)).collect();
        recorded.push((types, found));
        if wrong {
            break;
        }
    }
    tables.recorder.keep(recorded);
    first
}

/// What is wrong with the constants in the declared types.
fn constants_as_sizes(tables: &Tables, info: &DefInfo) -> Vec<Diagnostic> {
    let mut e = Elab::new(tables, Mode::Check, &info.name);
    e.check_constant_sizes(info);
    e.problems
}

fn check_instance<'a>(
    tables: &'a Tables,
    def: usize,
    info: &'a DefInfo,
    types: &[(&'a str, Scalar)],
) -> (Vec<Diagnostic>, Inferred, Types) {
    let mut e = Elab::new(tables, Mode::Check, &info.name);
    e.start_recording();
    e.scope.module = info.module;
    let Some(syntax) = tables.syntax(def) else { return (Vec::new(), Inferred::Error, Types::default()) };
    let declared = e.declare(info, types);
    e.check_determined(info);
    // A declared result whose size nothing fixes is not compared with the body's.
    let determined = e.problems.is_empty() && info.problems.iter().all(|d| d.code != Code::UNKNOWN_SIZE);
    e.enter(info, &declared);
    let result = info.result.as_ref().filter(|_| determined);
    let want = result.map(|ty| e.declared_type(ty, &declared.binding));
    let hint = want.as_ref().map_or(Hint::None, Hint::of);
    let val = match tables.test(def) {
        Some(test) => {
            e.check_test_parameters(test, info, &declared.params);
            e.test_body(test)
        }
        None => e.expr(&syntax.body, &hint),
    };
    let want = result.zip(want).map(|(ty, want)| e.result_type(ty, want, &declared.binding, &val.ty));
    let val = match &want {
        Some(want) => {
            let facts = info.result_span.map(|s| (s, "the result is declared here".to_string()));
            e.conform_with(val, want, Role::Result(info.name.clone()), syntax.body.span, facts.into_iter().collect())
        }
        None => val,
    };
    e.record_result(info.span, &val);
    let names: FxHashMap<VarId, &str> = declared
        .binding
        .sizes
        .iter()
        .filter_map(|(name, bound)| Some((e.b.func.types.poly(bound.size).as_var()?, *name)))
        .collect();
    let inferred = infer(&e, &val, info, &names);
    let recorded = e.recorded.take().map(|types| *types).unwrap_or_default();
    (e.problems, inferred, recorded)
}

/// What the users of a definition know of its result.
fn infer(e: &Elab, val: &Val, info: &DefInfo, names: &FxHashMap<VarId, &str>) -> Inferred {
    if val.is_error() {
        return Inferred::Error;
    }
    let Some(ty) = declared_of(e, &val.ty, names) else { return Inferred::Inline };
    let constants: Option<Vec<_>> = val.leaves.iter().map(|a| a.constant()).collect();
    match constants {
        // Only a definition without parameters keeps its value: a parameter's type may still be instantiated.
        // What shows something is evaluated where it is used.
        Some(values) if info.params().is_empty() && !e.shows => Inferred::Const(ty, values),
        _ => Inferred::Ty(ty),
    }
}

/// A type in terms of the definition's size names; sizes that its body computes get names that nothing else has.
fn declared_of(e: &Elab, ty: &Ty, names: &FxHashMap<VarId, &str>) -> Option<DeclaredType> {
    Some(match ty {
        Ty::Error => DeclaredType::Error,
        Ty::Scalar(elem) => DeclaredType::Scalar(*elem),
        Ty::Array(n, inner) => {
            DeclaredType::Array(declared_size(e, *n, names), Box::new(declared_of(e, inner, names)?))
        }
        Ty::Tuple(items) => DeclaredType::Tuple(items.iter().map(|t| declared_of(e, t, names)).collect::<Option<_>>()?),
        Ty::Record(fields) => DeclaredType::Record(
            fields.iter().map(|(n, t)| Some((n.clone(), declared_of(e, t, names)?))).collect::<Option<_>>()?,
        ),
        Ty::Sum(sum) => declared_sum(sum, &mut |n| declared_size(e, n, names), &mut |t| declared_of(e, t, names))?,
        Ty::Fn(_) => return None,
    })
}

fn declared_size(e: &Elab, size: SizeId, names: &FxHashMap<VarId, &str>) -> DSize {
    let name = |v: &VarId| names.get(v).map_or_else(|| computed_name(&v.to_string()), |name| name.to_string());
    let Ok(poly) = e.b.func.types.poly(size).renamed(|v| Ok::<String, Infallible>(name(v)));
    DSize { poly, span: e.span() }
}

/// A sum type in terms of the definition's size names.
fn declared_sum(
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
