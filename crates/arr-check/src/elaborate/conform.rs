//! Whether a value has the type that is needed, and what to report when it does not.

use crate::data::problem::{Fact, Problem, Role};
use crate::data::types::{FnId, Ty};
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::function::FnVal;
use crate::elaborate::{Elab, Mode};
use crate::messages::nearest::nearest;
use arr_base::Span;
use arr_ir::{Atom, Scalar, SizeId};

/// The first difference between two types.
#[derive(Debug)]
enum Difference {
    /// A different kind of type, element type or rank.
    Kind,
    Size(SizeId, SizeId),
    Fields {
        missing: Vec<String>,
        extra: Vec<String>,
    },
}

fn difference(want: &Ty, found: &Ty) -> Option<Difference> {
    match (want, found) {
        (Ty::Error, _) | (_, Ty::Error) => None,
        (Ty::Scalar(a), Ty::Scalar(b)) => (a != b).then_some(Difference::Kind),
        (Ty::Array(n, a), Ty::Array(m, b)) => match difference(a, b) {
            // A difference in kind is more telling than one in size.
            Some(inner) if n == m || !matches!(inner, Difference::Size(..)) => Some(inner),
            _ if n != m => Some(Difference::Size(*n, *m)),
            other => other,
        },
        (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => first_of(a.iter().zip(b)),
        (Ty::Record(a), Ty::Record(b)) => fields(a, b),
        (Ty::Sum(a), Ty::Sum(b)) if a.name == b.name => first_of(a.payload().zip(b.payload())),
        (Ty::Fn(_), Ty::Fn(_)) => None,
        _ => Some(Difference::Kind),
    }
}

/// The first difference in kind, otherwise the first in size.
fn first_of<'t>(pairs: impl Iterator<Item = (&'t Ty, &'t Ty)>) -> Option<Difference> {
    let mut found = None;
    for (a, b) in pairs {
        match difference(a, b) {
            Some(Difference::Size(n, m)) => found = found.or(Some(Difference::Size(n, m))),
            Some(other) => return Some(other),
            None => {}
        }
    }
    found
}

fn fields(want: &[(String, Ty)], found: &[(String, Ty)]) -> Option<Difference> {
    let lacks = |a: &[(String, Ty)], b: &[(String, Ty)]| -> Vec<String> {
        a.iter().filter(|(n, _)| !b.iter().any(|(m, _)| m == n)).map(|(n, _)| n.clone()).collect()
    };
    let (missing, extra) = (lacks(want, found), lacks(found, want));
    if !missing.is_empty() || !extra.is_empty() {
        return Some(Difference::Fields { missing, extra });
    }
    first_of(want.iter().filter_map(|(n, a)| Some((a, found.iter().find(|(m, _)| m == n).map(|(_, b)| b)?))))
}

/// The same leaves with record fields in the order of `want`. The types differ in nothing else.
fn reorder(found: &Ty, leaves: &[Atom], want: &Ty) -> (Ty, Vec<Atom>) {
    let split = |types: &mut dyn Iterator<Item = &Ty>| -> Vec<Vec<Atom>> {
        let mut rest = leaves;
        types
            .map(|t| {
                let (mine, after) = rest.split_at(t.width().min(rest.len()));
                rest = after;
                mine.to_vec()
            })
            .collect()
    };
    match (found, want) {
        (Ty::Array(n, a), Ty::Array(_, b)) => {
            let (inner, leaves) = reorder(a, leaves, b);
            (Ty::Array(*n, Box::new(inner)), leaves)
        }
        (Ty::Tuple(a), Ty::Tuple(b)) => {
            let parts = split(&mut a.iter());
            let done = a.iter().zip(&parts).zip(b).map(|((a, l), b)| reorder(a, l, b));
            let (types, leaves): (Vec<Ty>, Vec<Vec<Atom>>) = done.unzip();
            (Ty::Tuple(types), leaves.concat())
        }
        (Ty::Record(a), Ty::Record(b)) => {
            let parts = split(&mut a.iter().map(|(_, t)| t));
            let mut types = Vec::new();
            let mut all = Vec::new();
            for (name, want) in b {
                let Some(at) = a.iter().position(|(n, _)| n == name) else { continue };
                if let (Some((_, ty)), Some(part)) = (a.get(at), parts.get(at)) {
                    let (ty, leaves) = reorder(ty, part, want);
                    types.push((name.clone(), ty));
                    all.extend(leaves);
                }
            }
            (Ty::Record(types), all)
        }
        (Ty::Sum(a), Ty::Sum(b)) => {
            let (tag, payload) = leaves.split_at(usize::from(a.has_tag()).min(leaves.len()));
            let (a, b) = (Ty::Tuple(a.payload().cloned().collect()), Ty::Tuple(b.payload().cloned().collect()));
            let (_, payload) = reorder(&a, payload, &b);
            (want.clone(), [tag, &payload].concat())
        }
        _ => (found.clone(), leaves.to_vec()),
    }
}

impl<'a> Elab<'a> {
    /// The value, which must have the type `want`; otherwise a problem is reported.
    pub fn conform(&mut self, val: Val, want: &Ty, role: Role, span: Span) -> Val {
        self.conform_with(val, want, role, span, Vec::new())
    }

    /// [`Elab::conform`] with facts about where `want` comes from.
    pub fn conform_with(&mut self, val: Val, want: &Ty, role: Role, span: Span, facts: Vec<Fact>) -> Val {
        if val.is_error() || want.has_error() {
            return if val.is_error() { Val::error() } else { val };
        }
        match difference(want, &val.ty) {
            None if val.ty == *want => val,
            None => {
                self.conform_functions(&val.ty, want, &role, span);
                let (ty, leaves) = reorder(&val.ty, &val.leaves, want);
                Val::new(ty, leaves)
            }
            Some(difference) => self.type_problem(&val.ty, want, difference, role, span, facts),
        }
    }

    fn type_problem(
        &mut self,
        found: &Ty,
        want: &Ty,
        difference: Difference,
        role: Role,
        span: Span,
        facts: Vec<Fact>,
    ) -> Val {
        let (expected, shown) = (self.show(want), self.show(found));
        let problem = match difference {
            Difference::Size(a, b) => {
                return self.size_problem(role, span, expected, shown, (a, b), facts);
            }
            Difference::Fields { missing, extra } => {
                Problem::Fields { role, span, missing, extra, expected, found: shown }
            }
            Difference::Kind => {
                let hint = role_hint(&role, found)
                    .or_else(|| state_hint(&role, want, found))
                    .or_else(|| elementwise_hint(&role, want, found))
                    .or_else(|| self.reduction_remedy(want, found, span))
                    .or_else(|| self.conversion_hint(want, found));
                Problem::Mismatch { role, span, expected, found: shown, hint, facts }
            }
        };
        self.fail(problem)
    }

    /// Reports two sizes that must be equal; `expected` and `found` are the types that have them.
    pub fn size_problem(
        &mut self,
        role: Role,
        span: Span,
        expected: String,
        found: String,
        (a, b): (SizeId, SizeId),
        mut facts: Vec<Fact>,
    ) -> Val {
        let (first, mut second) = (self.show_size(a), self.show_size(b));
        facts.extend(self.origins_of(&[a]));
        let mut others = self.origins_of(&[b]);
        others.retain(|fact| !facts.contains(fact));
        let mut found = found;
        if first == second {
            // Two sizes without names, told apart.
            let rename = |text: &str| text.replace("?k", "?m");
            (second, found) = (rename(&second), rename(&found));
            others.iter_mut().for_each(|(_, text)| *text = rename(text));
        }
        facts.extend(others);
        let sizes = (first, second);
        let difference = self.size_sub(a, b);
        // Where they differ by a number they are never equal, and asserting it would not help.
        let assertion = self.constant_size(difference).is_none().then(|| expected.clone());
        let solution = self.only_solution(difference);
        self.fail(Problem::SizeMismatch { role, span, expected, found, sizes, solution, assertion, facts })
    }

    /// The one value of its only variable that makes a size zero.
    fn only_solution(&self, size: SizeId) -> Option<(String, i64)> {
        let poly = self.b.func.types.poly(size);
        let mut vars = poly.vars();
        vars.dedup();
        let [v] = vars.as_slice() else { return None };
        let (mut slope, mut constant) = (0i64, 0i64);
        for (monomial, c) in &poly.terms {
            match monomial.len() {
                0 => constant = *c,
                1 => slope = *c,
                _ => return None,
            }
        }
        let value = constant.checked_rem(slope)? == 0;
        let value = value.then(|| constant.checked_div(slope)?.checked_neg())??;
        (value >= 0).then(|| (self.size_name(*v), value))
    }

    /// What to do about a function where a value is needed.
    pub fn function_hint(&self, ty: &Ty) -> Option<String> {
        let Ty::Fn(id) = ty else { return None };
        let name = self.function_name(*id)?;
        let locals = self.env.names();
        Some(match nearest(&name, locals) {
            Some(local) => format!("`{name}` is a function; did you mean `{local}`?"),
            None => format!("call it: `{name}(..)`"),
        })
    }

    /// What makes a record of the standard library that no program writes itself.
    fn made_by(&self, want: &Ty) -> Option<String> {
        const MAKERS: &[(&str, &str)] = &[("Key", "key(0)")];
        let text = self.show(want);
        let (prefix, name) = text.split_once('.')?;
        let (_, maker) = MAKERS.iter().find(|(ty, _)| *ty == name)?;
        Some(format!("make one by `{prefix}.{maker}`, and more of one by `{prefix}.split`"))
    }

    fn conversion_hint(&self, want: &Ty, found: &Ty) -> Option<String> {
        match (want, found) {
            (_, Ty::Fn(_)) => self.function_hint(found),
            (Ty::Record(_), Ty::Scalar(_)) => self.made_by(want),
            (Ty::Scalar(Scalar::Bool), Ty::Scalar(Scalar::F32 | Scalar::F64)) => {
                Some("compare it, for example `x > 0.0`".to_string())
            }
            (Ty::Scalar(Scalar::Bool), Ty::Scalar(_)) => Some("compare it, for example `n != 0`".to_string()),
            (Ty::Scalar(Scalar::Bool), Ty::Array(_, elem)) if matches!(elem.peel().1, Ty::Scalar(Scalar::Bool)) => {
                Some("one boolean of an array is `all(..)` or `any(..)`".to_string())
            }
            (Ty::Scalar(Scalar::Bool), _) => None,
            (Ty::Array(..), Ty::Tuple(_)) => Some("an array of equal types stands in brackets: `[a, b]`".to_string()),
            (Ty::Tuple(_), Ty::Array(..)) => Some("a tuple stands in parentheses: `(a, b)`".to_string()),
            (Ty::Scalar(a), Ty::Scalar(_)) => Some(format!("convert it: `{a}(..)`")),
            (Ty::Scalar(_), Ty::Array(_, inner)) if matches!(**inner, Ty::Array(..)) => Some(
                "a reduction makes one number of an array: `sum(flatten(..))` of one with several axes".to_string(),
            ),
            (Ty::Scalar(_), Ty::Array(..)) => {
                Some("a reduction such as `sum(..)` makes one number of an array".to_string())
            }
            (Ty::Sum(_), _) | (_, Ty::Sum(_)) => None,
            (Ty::Array(..), Ty::Scalar(_)) => Some("`replicate(n, x)` makes an array of equal elements".to_string()),
            (Ty::Array(..), Ty::Array(..)) => {
                let ((a, want), (b, found)) = (want.peel(), found.peel());
                match (want, found) {
                    (Ty::Scalar(x), Ty::Scalar(y)) if a.len() == b.len() && x != y => {
                        Some(format!("convert it: `{x}(..)` works on arrays"))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// While a definition is checked, functions given where a function type is declared are tried out.
    fn conform_functions(&mut self, found: &Ty, want: &Ty, role: &Role, span: Span) {
        match (found, want) {
            (Ty::Fn(f), Ty::Fn(w)) if self.mode == Mode::Check && f != w => self.conform_function(*f, *w, role, span),
            (Ty::Tuple(a), Ty::Tuple(b)) => {
                a.iter().zip(b).for_each(|(a, b)| self.conform_functions(a, b, role, span));
            }
            (Ty::Record(a), Ty::Record(b)) => {
                for (name, b) in b {
                    if let Some((_, a)) = a.iter().find(|(n, _)| n == name) {
                        self.conform_functions(a, b, role, span);
                    }
                }
            }
            _ => {}
        }
    }

    fn conform_function(&mut self, found: FnId, want: FnId, role: &Role, span: Span) {
        let Some(FnVal::Opaque { params, result }) = self.fns.get(want).cloned() else { return };
        let args = params.iter().map(|ty| Arg { val: self.placeholder(ty, "x"), span }).collect();
        let val = self.apply(found, args, &Hint::of(&result));
        let name = match role {
            Role::Argument { def, .. } => def.clone(),
            other => other.phrase(),
        };
        self.conform(val, &result, Role::Callback(name), span);
    }
}

/// An array where one index or one boolean is needed.
fn role_hint(role: &Role, found: &Ty) -> Option<String> {
    let hint = match (role, found.peel().1) {
        (Role::Extent | Role::Index, Ty::Tuple(_)) => "the axes are arguments of their own: `zeros(n, m)`",
        _ if !matches!(found, Ty::Array(..)) => return None,
        (Role::Index, Ty::Scalar(Scalar::I64)) => "the elements at several indices are `gather(x, is)`",
        (Role::Index, Ty::Scalar(Scalar::Bool)) => {
            "booleans are no indices: `gather(x, arrays.nonzero(mask))` has the chosen elements"
        }
        (Role::Condition, Ty::Scalar(Scalar::Bool)) => "one boolean of an array is `all(..)` or `any(..)`",
        (Role::Extent, Ty::Scalar(Scalar::I64)) => "the axes are arguments of their own: `zeros(n, m)`",
        _ => return None,
    };
    Some(hint.to_string())
}

/// The state of a loop that begins as an integer and goes on as a float.
fn state_hint(role: &Role, want: &Ty, found: &Ty) -> Option<String> {
    let int = |ty: &Ty| matches!(ty, Ty::Scalar(elem) if elem.is_int());
    let float = |ty: &Ty| matches!(ty, Ty::Scalar(elem) if elem.is_float());
    let begins = matches!(role, Role::LoopState) && int(want) && float(found);
    begins.then(|| "the state keeps the type that it begins with: begin with a float, as in `0.0`".to_string())
}

/// An array for a function of one element.
fn elementwise_hint(role: &Role, want: &Ty, found: &Ty) -> Option<String> {
    let (Role::Argument { def, .. }, Ty::Array(_, elem)) = (role, found) else { return None };
    let (hint, mut inner) = (format!("apply `{def}` to each element, in a `for x in xs => ..`"), &**elem);
    while let Ty::Array(_, below) = inner {
        inner = below;
    }
    (matches!(want, Ty::Scalar(_)) && inner == want).then_some(hint)
}
