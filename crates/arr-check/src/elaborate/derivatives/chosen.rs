//! Derivatives with respect to chosen parameters: `grad[w, b](loss)(w, b, x)`.
//!
//! The chosen arguments become one tuple (one of them stays as it is), and the function one of that tuple, which holds
//! the other arguments. What follows is the derivative by a first argument.

use crate::data::builtins::{Builtin, BuiltinKind, MANY};
use crate::data::chosen::{Chosen, ChosenAt, chosen};
use crate::data::problem::Problem;
use crate::data::types::{Derivative, FnId};
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::function::FnVal;
use crate::messages::counts;
use arr_syntax::ast::{Expr, Param, PatternKind, Subscript};
use std::rc::Rc;

impl<'a> Elab<'a> {
    /// `grad[w, b]`, if it is one: the name means the built-in function here.
    pub fn chosen_derivative(&mut self, array: &'a Expr, subscripts: &'a [Subscript]) -> Option<Val> {
        let (builtin, parameters) = chosen(array, subscripts)?;
        let own = self.env.get(builtin.name).is_some() || self.tables.find(self.scope.module, builtin.name).is_some();
        (!own).then(|| self.function(FnVal::Chosen(builtin, parameters.into())))
    }

    /// `grad[w, b](loss)`, which is a function of the same arguments, or `vjp[w, b](loss, ..)`.
    pub fn apply_chosen(&mut self, builtin: &'static Builtin, parameters: &[ChosenAt<'a>], args: Vec<Arg>) -> Val {
        let name = || format!("`{}`", builtin.name);
        let Some((f, args)) = args.split_first() else { return self.argument_count(name(), 1, 0, None) };
        let Some(id) = self.as_function(f) else { return Val::error() };
        let Some(at) = self.places(id, parameters) else { return Val::error() };
        if let BuiltinKind::Derivative(kind) = builtin.kind {
            if !args.is_empty() {
                let hint = counts::hint(builtin.name, args.len() + 1);
                return self.wrong_count(name(), 1, args.len() + 1, None, hint);
            }
            return self.function(FnVal::DerivativeBy(kind, id, at));
        }
        let (args, tangent) = match (builtin.kind, args.split_last()) {
            (BuiltinKind::Jvp, Some((tangent, args))) => (args, Some(tangent)),
            _ => (args, None),
        };
        let Some((packed, x)) = self.packed(id, &at, args) else { return Val::error() };
        let f = Arg { val: Val::function(packed), span: f.span };
        match (builtin.kind, tangent) {
            (BuiltinKind::Jvp, Some(dx)) => self.jvp(&f, &x, dx),
            (BuiltinKind::Linearize, _) => self.linearize(&f, &x),
            _ => self.vjp(&f, &x),
        }
    }

    /// `grad[w, b](loss)(w, b, x)`.
    pub fn apply_derivative_by(&mut self, kind: Derivative, f: FnId, at: &[usize], args: &[Arg]) -> Val {
        match self.packed(f, at, args) {
            Some((packed, x)) => self.apply_derivative(kind, packed, vec![x]),
            None => Val::error(),
        }
    }

    /// The chosen arguments as one, and the function of that alone.
    fn packed(&mut self, f: FnId, at: &[usize], args: &[Arg]) -> Option<(FnId, Arg)> {
        let known = self.parameter_names(f).map(|names| names.len());
        let least = at.iter().max().map_or(0, |last| last.saturating_add(1));
        if known.is_some_and(|n| n != args.len()) || args.len() < least {
            self.argument_count("the derivative".to_string(), known.unwrap_or(least), args.len(), None);
            return None;
        }
        let chosen: Vec<&Arg> = at.iter().filter_map(|&k| args.get(k)).collect();
        let x = match chosen.as_slice() {
            [one] => (*one).clone(),
            several => Arg {
                val: Val::tuple(several.iter().map(|a| a.val.clone()).collect()),
                span: several.first().map_or_else(|| self.span(), |a| a.span),
            },
        };
        let rest = args.iter().enumerate().filter(|(k, _)| !at.contains(k)).map(|(_, a)| a.clone()).collect();
        Some((self.fns.push(FnVal::Packed { f, at: at.into(), rest }), x))
    }

    /// Applies the function of chosen arguments: each goes to its place.
    pub fn apply_packed(&mut self, f: FnId, at: &[usize], rest: Vec<Arg>, args: Vec<Arg>, hint: &Hint) -> Val {
        let Some(x) = args.into_iter().next() else {
            return self.argument_count("the function".to_string(), 1, 0, None);
        };
        let chosen = match at {
            [_] => vec![x.val],
            _ => x.val.components().unwrap_or_default(),
        };
        let mut places: Vec<(usize, Val)> = at.iter().copied().zip(chosen).collect();
        places.sort_by_key(|(k, _)| *k);
        let mut all = rest;
        for (k, val) in places {
            all.insert(k.min(all.len()), Arg { val, span: x.span });
        }
        self.apply(f, all, hint)
    }

    /// The places of chosen parameters; a problem where one is none.
    fn places(&mut self, f: FnId, parameters: &[ChosenAt<'a>]) -> Option<Rc<[usize]>> {
        let names = self.parameter_names(f);
        let mut at: Vec<usize> = Vec::new();
        for &(parameter, span) in parameters {
            let named = |name: &str| names.iter().flatten().position(|n| n.as_deref() == Some(name));
            let place = match parameter {
                Chosen::Name(name) => named(name),
                Chosen::Place(k) => names.as_ref().is_none_or(|names| k < names.len()).then_some(k),
            };
            let written = match parameter {
                Chosen::Name(name) => name.to_string(),
                Chosen::Place(k) => k.to_string(),
            };
            match place {
                Some(k) if at.contains(&k) => {
                    self.fail(Problem::Duplicate { what: "parameter", name: written, span, first: None });
                    return None;
                }
                Some(k) => at.push(k),
                None => {
                    let names = names.map(|names| names.into_iter().map(Option::unwrap_or_default).collect());
                    self.fail(Problem::NoParameter { name: written, span, function: self.function_name(f), names });
                    return None;
                }
            }
        }
        Some(at.into())
    }

    /// The name of a definition or a built-in function.
    pub fn function_name(&self, f: FnId) -> Option<String> {
        match self.fns.get(f)? {
            FnVal::Def(def) => Some(self.tables.info(*def)?.name.clone()),
            FnVal::Builtin(builtin) => Some(builtin.name.to_string()),
            _ => None,
        }
    }

    /// The names of a function's parameters, where they have some; `None` if even their number is open.
    fn parameter_names(&self, f: FnId) -> Option<Vec<Option<String>>> {
        let of_syntax = |params: &[Param]| {
            let name = |p: &Param| match &p.pattern.kind {
                PatternKind::Name(name) => Some(name.clone()),
                _ => None,
            };
            params.iter().map(name).collect()
        };
        match self.fns.get(f)? {
            FnVal::Lambda { params, .. } => Some(of_syntax(params)),
            FnVal::Def(def) => self.tables.syntax(*def)?.params.as_deref().map(of_syntax),
            FnVal::Builtin(builtin) => {
                let (least, most) = builtin.arity;
                (least == most && most != MANY).then(|| vec![None; least])
            }
            FnVal::Operator(_) => Some(vec![None; 2]),
            FnVal::Opaque { params, .. } => Some(vec![None; params.len()]),
            FnVal::Derivative(_, f) | FnVal::DerivativeBy(_, f, _) | FnVal::Checkpoint(f) => self.parameter_names(*f),
            FnVal::Pullback { .. } | FnVal::Pushforward { .. } | FnVal::Packed { .. } => Some(vec![None]),
            FnVal::Constructor(..) | FnVal::Chosen(..) => None,
        }
    }
}
