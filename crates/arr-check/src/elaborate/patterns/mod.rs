//! Patterns: names for a value and its parts, what they ask of it, and what they can tell apart.
//!
//! Beside it: `match`, and which values no pattern matches.

mod exhaustive;
mod matching;

use crate::data::problem::Problem;
use crate::data::sum_problem::SumProblem;
use crate::data::tables::SumDef;
use crate::data::types::{SumTy, Ty};
use crate::data::values::Val;
use crate::elaborate::Elab;
use crate::elaborate::env::Entry;
use crate::elaborate::patterns::exhaustive::{Head, Pat, ValueSpace};
use crate::messages::written::pattern_text;
use arr_base::Span;
use arr_ir::{Atom, Const, Prim, Scalar};
use arr_syntax::ast::{Name, Pattern, PatternKind};

/// What patterns can tell apart in the values of a type.
pub(crate) fn shape(ty: &Ty) -> ValueSpace {
    match ty {
        Ty::Scalar(Scalar::Bool) => ValueSpace::Bool,
        Ty::Scalar(elem) if elem.is_int() => ValueSpace::Int,
        Ty::Tuple(items) => ValueSpace::Tuple(items.iter().map(shape).collect()),
        Ty::Record(fields) => ValueSpace::Record(fields.iter().map(|(n, t)| (n.clone(), shape(t))).collect()),
        Ty::Sum(sum) => {
            let constructor = |(name, fields): &(String, Vec<Ty>)| (name.clone(), fields.iter().map(shape).collect());
            ValueSpace::Sum(sum.constructors.iter().map(constructor).collect())
        }
        Ty::Error | Ty::Scalar(_) | Ty::Array(..) | Ty::Fn(_) => ValueSpace::Opaque,
    }
}

impl<'a> Elab<'a> {
    /// Binds the names of the only pattern for a value, which must match it. Names are bound even where it does not
    /// fit.
    pub fn bind_pattern(&mut self, pattern: &'a Pattern, val: Val) {
        if let Some(form) = self.pattern(pattern, &val.ty)
            && form != Pat::Any
        {
            let shape = shape(&val.ty);
            match exhaustive::missing(std::slice::from_ref(&form), &shape) {
                Ok(None) => {}
                Ok(Some(missing)) => {
                    let missing = missing.says_something().then(|| exhaustive::text(&missing, &shape));
                    self.fail(Problem::Sums(SumProblem::Refutable { span: pattern.span, missing }));
                }
                Err(_) => drop(self.fail(Problem::Sums(SumProblem::TooHard { span: pattern.span }))),
            }
        }
        self.bind_parts(pattern, val);
    }

    /// Binds the names of a pattern that is known to fit, or was reported.
    pub fn bind_parts(&mut self, pattern: &'a Pattern, val: Val) {
        match &pattern.kind {
            PatternKind::Wildcard | PatternKind::Error | PatternKind::Int(_) | PatternKind::Bool(_) => {}
            PatternKind::Name(name) => self.bind_name(name, pattern.span, val),
            PatternKind::Tuple(items) => {
                let fits = matches!(&val.ty, Ty::Tuple(types) if types.len() == items.len());
                let mut parts = val.components().filter(|_| fits).unwrap_or_default().into_iter();
                for item in items {
                    self.bind_parts(item, parts.next().unwrap_or_else(Val::error));
                }
            }
            PatternKind::Record(fields) => {
                for (name, inner) in fields {
                    let part = val.field(&name.text).unwrap_or_else(Val::error);
                    match inner {
                        Some(inner) => self.bind_parts(inner, part),
                        None => self.bind_name(&name.text, name.span, part),
                    }
                }
            }
            PatternKind::Constructor(name, items) => {
                let place = self.place_in(&name.text, &val.ty).map(|(_, k)| k);
                let mut parts = place.and_then(|k| val.payload(k)).unwrap_or_default().into_iter();
                for item in items {
                    self.bind_parts(item, parts.next().unwrap_or_else(Val::error));
                }
            }
        }
    }

    fn bind_name(&mut self, name: &'a str, span: Span, val: Val) {
        self.name_value(&val, name);
        self.record_name(span, &val);
        self.env.bind(name, Entry::Val(val));
    }

    /// The place of a constructor in a sum type, if it is one of it.
    fn place_in(&self, name: &str, ty: &Ty) -> Option<(&'a SumDef, usize)> {
        let (def, k) = self.tables.constructor(self.scope.module, name)?;
        matches!(ty, Ty::Sum(sum) if sum.name == def.name).then_some((def, k))
    }

    /// What a pattern asks of values of a type; a problem is reported where it does not fit.
    pub fn pattern(&mut self, pattern: &Pattern, ty: &Ty) -> Option<Pat> {
        match (&pattern.kind, ty) {
            (PatternKind::Wildcard | PatternKind::Name(_), _) => Some(Pat::Any),
            (PatternKind::Error, _) | (_, Ty::Error) => None,
            (PatternKind::Tuple(items), Ty::Tuple(types)) if types.len() == items.len() => {
                let parts: Vec<Option<Pat>> = items.iter().zip(types).map(|(p, t)| self.pattern(p, t)).collect();
                Some(Pat::Is(Head::Product, parts.into_iter().collect::<Option<_>>()?))
            }
            (PatternKind::Record(fields), Ty::Record(types)) => self.record_pattern(fields, types, ty),
            (PatternKind::Constructor(name, items), Ty::Sum(sum)) => {
                self.constructor_pattern(name, items, sum, pattern.span)
            }
            (PatternKind::Int(value), Ty::Scalar(elem)) if elem.is_int() => {
                if integer(*elem, *value).is_none() {
                    let (span, text) = (pattern.span, value.to_string());
                    self.fail(Problem::LiteralRange { span, text, ty: *elem });
                    return None;
                }
                Some(Pat::Is(Head::Int(*value), Vec::new()))
            }
            (PatternKind::Bool(value), Ty::Scalar(Scalar::Bool)) => Some(Pat::Is(Head::Bool(*value), Vec::new())),
            _ => {
                let ty = self.show(ty);
                self.fail(Problem::Pattern { span: pattern.span, pattern: pattern_text(pattern), ty });
                None
            }
        }
    }

    fn record_pattern(&mut self, fields: &[(Name, Option<Pattern>)], types: &[(String, Ty)], ty: &Ty) -> Option<Pat> {
        let mut parts = vec![Pat::Any; types.len()];
        let mut fits = true;
        for (name, inner) in fields {
            let Some(at) = types.iter().position(|(n, _)| *n == name.text) else {
                self.unknown_field(&name.text, name.span, ty, "x");
                fits = false;
                continue;
            };
            let (Some(inner), Some((_, ty))) = (inner, types.get(at)) else { continue };
            match (self.pattern(inner, ty), parts.get_mut(at)) {
                (Some(form), Some(part)) => *part = form,
                _ => fits = false,
            }
        }
        fits.then_some(Pat::Is(Head::Product, parts))
    }

    fn constructor_pattern(&mut self, name: &Name, items: &[Pattern], sum: &SumTy, span: Span) -> Option<Pat> {
        // One that nothing declares was reported with the names.
        let (def, k) = self.tables.constructor(self.scope.module, &name.text)?;
        if def.name != sum.name {
            let (constructor, ty, of) = (name.text.clone(), self.show_sum(sum), def.name.clone());
            self.fail(Problem::Sums(SumProblem::OtherSum { constructor, span, ty, of }));
            return None;
        }
        let (_, types) = sum.constructors.get(k)?;
        if types.len() != items.len() {
            let (constructor, declared) = (name.text.clone(), def.span_of(k));
            let (expected, found) = (types.len(), items.len());
            self.fail(Problem::Sums(SumProblem::PatternArity { constructor, span, expected, found, declared }));
            return None;
        }
        let parts: Vec<Option<Pat>> = items.iter().zip(types).map(|(p, t)| self.pattern(p, t)).collect();
        Some(Pat::Is(Head::Variant(k), parts.into_iter().collect::<Option<_>>()?))
    }

    /// The conditions under which a pattern that fits matches a value.
    pub fn pattern_tests(&mut self, form: &Pat, val: &Val, tests: &mut Vec<Atom>) {
        let Pat::Is(head, parts) = form else { return };
        let below = match (head, &val.ty) {
            (Head::Bool(value), _) => {
                let Some(atom) = val.atom() else { return };
                tests.push(if *value { atom } else { self.prim(Prim::Not, vec![atom]) });
                return;
            }
            (Head::Int(value), Ty::Scalar(elem)) => {
                let (Some(atom), Some(value)) = (val.atom(), integer(*elem, *value)) else { return };
                tests.push(self.prim(Prim::Eq, vec![atom, Atom::Const(value)]));
                return;
            }
            (Head::Variant(k), Ty::Sum(sum)) => {
                if let Some(tag) = val.leaves.first().filter(|_| sum.has_tag()) {
                    tests.push(self.prim(Prim::Eq, vec![*tag, SumTy::tag(*k)]));
                }
                val.payload(*k)
            }
            _ => val.components(),
        };
        for (part, val) in parts.iter().zip(below.unwrap_or_default()) {
            self.pattern_tests(part, &val, tests);
        }
    }
}

/// An integer of this type, if it holds it.
fn integer(elem: Scalar, value: i64) -> Option<Const> {
    let value = Const::of_int(elem, value).as_i64().filter(|v| *v == value)?;
    Some(Const::of_int(elem, value))
}
