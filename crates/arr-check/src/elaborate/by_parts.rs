//! Arithmetic on records and tuples: field by field, with scalars beside them.

use crate::data::problem::Problem;
use crate::data::types::Ty;
use crate::data::values::{Arg, Val};
use crate::elaborate::Elab;
use arr_ir::{Atom, Prim, Reduction, Scalar};

/// What is made of a part of the first operand and those of all operands; `None` keeps the part as it is.
type OnParts<'f, E> = dyn FnMut(&mut E, &Val, &[Arg]) -> Option<Val> + 'f;

/// Whether it is a record or a tuple, or an array of them.
fn has_parts(ty: &Ty) -> bool {
    matches!(ty.peel().1, Ty::Record(_) | Ty::Tuple(_))
}

/// Whether there is a number in it that arithmetic is done on.
fn holds_numbers(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(elem) => *elem != Scalar::Bool,
        Ty::Array(_, inner) => holds_numbers(inner),
        Ty::Tuple(items) => items.iter().any(holds_numbers),
        Ty::Record(fields) => fields.iter().any(|(_, ty)| holds_numbers(ty)),
        Ty::Error | Ty::Fn(_) | Ty::Sum(_) => false,
    }
}

/// The fields of a record, or of an array of them.
fn fields_of(ty: &Ty) -> &[(String, Ty)] {
    if let Ty::Record(fields) = ty.peel().1 { fields } else { &[] }
}

/// Whether a type has the fields or components of another. It may lack fields without floats: derivatives do.
fn has_parts_of(ty: &Ty, all: &Ty) -> bool {
    match (ty.peel().1, all.peel().1) {
        (Ty::Tuple(own), Ty::Tuple(all)) => own.len() == all.len(),
        (Ty::Record(own), Ty::Record(all)) => {
            let known = |name: &String| all.iter().any(|(other, _)| other == name);
            let needed = |(name, ty): &(String, Ty)| !ty.has_float() || own.iter().any(|(other, _)| other == name);
            own.iter().all(|(name, _)| known(name)) && all.iter().all(needed)
        }
        _ => false,
    }
}

/// The part of a record or tuple for the part `at` of one with all fields; any other value as it is. `None` if it lacks it.
fn part_of(val: &Val, all: &Ty, at: usize) -> Option<Val> {
    if !has_parts(&val.ty) {
        return Some(val.clone());
    }
    let at = match fields_of(all).get(at) {
        Some((name, _)) => fields_of(&val.ty).iter().position(|(own, _)| own == name)?,
        None => at,
    };
    let part = val.components()?.into_iter().nth(at)?;
    // A component of a derivative where there is no float.
    if part.ty == Ty::unit() { None } else { Some(part) }
}

/// Whether numbers of different types meet, which is reported for the whole operands and not for the parts.
fn mixed(prim: Prim, parts: &[Arg]) -> bool {
    let mut elems = parts.iter().filter_map(|part| part.val.ty.as_numeric()).map(|(_, elem)| elem);
    let first = elems.next();
    !matches!(prim, Prim::Pow | Prim::PowInt) && elems.any(|elem| Some(elem) != first)
}

impl Ty {
    /// The element type of all numbers of a record or tuple, if they have one.
    pub fn one_number(&self) -> Option<Scalar> {
        let mut found = None;
        let mut left = vec![self];
        while let Some(ty) = left.pop() {
            match ty {
                Ty::Scalar(Scalar::Bool) | Ty::Error | Ty::Fn(_) | Ty::Sum(_) => {}
                Ty::Scalar(elem) if found.is_some_and(|other| other != *elem) => return None,
                Ty::Scalar(elem) => found = Some(*elem),
                Ty::Array(_, inner) => left.push(inner),
                Ty::Tuple(items) => left.extend(items),
                Ty::Record(fields) => left.extend(fields.iter().map(|(_, ty)| ty)),
            }
        }
        found
    }
}

impl Elab<'_> {
    /// `p + q`, `p - rate * g`, `-p`, `p == q`, where a record or tuple is among the operands; `None` if none is, or the
    /// primitive is none that is taken field by field.
    pub fn by_parts(&mut self, prim: Prim, symbol: &str, args: &[Arg]) -> Option<Val> {
        let with_parts = args.iter().filter(|arg| has_parts(&arg.val.ty));
        // Of two with as many axes and leaves the left one.
        let whole = with_parts.rev().max_by_key(|arg| (arg.val.ty.peel().0.len(), arg.val.ty.width()))?;
        match prim {
            Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Rem | Prim::Neg | Prim::Pow | Prim::PowInt => {}
            Prim::Eq | Prim::Ne if args.iter().all(|arg| has_parts(&arg.val.ty)) => {
                return Some(self.equality(prim, symbol, args));
            }
            _ => return None,
        }
        if whole.val.ty.has_fn() || !holds_numbers(&whole.val.ty) {
            return Some(self.bad_operand(symbol, whole));
        }
        if !self.operands_fit(symbol, args, whole) {
            return Some(Val::error());
        }
        let leaves = self.parts(args, whole, &mut |e, kept, parts| {
            if !holds_numbers(&kept.ty) {
                return None;
            }
            if mixed(prim, parts) {
                return Some(e.operands_differ(symbol, args));
            }
            let made = e.arithmetic(prim, symbol, parts);
            Some(if made.is_error() || made.ty == kept.ty { made } else { e.operands_differ(symbol, args) })
        });
        // Arithmetic gives what it takes, so that the type is the operand's.
        Some(leaves.map_or_else(Val::error, |leaves| Val::new(whole.val.ty.clone(), leaves)))
    }

    fn arithmetic(&mut self, prim: Prim, symbol: &str, args: &[Arg]) -> Val {
        match (prim, args) {
            (Prim::Pow | Prim::PowInt, [base, exponent]) => self.power(base.clone(), exponent.clone()),
            _ => self.pointwise(prim, symbol, args),
        }
    }

    /// The leaves of what `each` makes of every part, from the part of `whole` and from those of all operands; where it makes
    /// nothing, or an operand lacks it, the part of `whole`. `None` after an error.
    fn parts(&mut self, args: &[Arg], whole: &Arg, each: &mut OnParts<Self>) -> Option<Vec<Atom>> {
        let mut leaves = Vec::new();
        for (at, kept) in whole.val.components()?.into_iter().enumerate() {
            let part = |arg: &Arg| Some(Arg { val: part_of(&arg.val, &whole.val.ty, at)?, span: arg.span });
            let parts: Option<Vec<Arg>> = args.iter().map(part).collect();
            let made = parts.and_then(|parts| each(self, &kept, &parts)).unwrap_or(kept);
            if made.is_error() {
                return None;
            }
            leaves.extend(made.leaves);
        }
        Some(leaves)
    }

    /// Whether all operands have the fields of `whole`, or are scalars, or one number for each of its elements; it is an error if
    /// not.
    fn operands_fit(&mut self, symbol: &str, args: &[Arg], whole: &Arg) -> bool {
        let (dims, _) = whole.val.ty.peel();
        let fits = |arg: &&Arg| match arg.val.ty.as_numeric() {
            Some((own, _)) => own.is_empty() || own == dims,
            None => has_parts_of(&arg.val.ty, &whole.val.ty),
        };
        let Some(other) = args.iter().find(|arg| !fits(arg)) else { return true };
        let mut sides = [whole.clone(), other.clone()];
        sides.sort_by_key(|arg| arg.span.start);
        self.operands_differ(symbol, &sides);
        false
    }

    fn operands_differ(&mut self, symbol: &str, args: &[Arg]) -> Val {
        let [left, right] = args else { return Val::error() };
        let (op, span) = (symbol.to_string(), self.span());
        let [left, right] = [left, right].map(|arg| (arg.span, self.show(&arg.val.ty)));
        let hint =
            Some("a record or tuple goes with one of the same type, field by field, or with a scalar of the type of its numbers".to_string());
        self.fail(Problem::Operator { op, span, left, right, hint })
    }

    /// Whether everything in two records or tuples is equal, as one boolean, or whether something is not; of arrays of them
    /// element by element.
    fn equality(&mut self, prim: Prim, symbol: &str, args: &[Arg]) -> Val {
        let Some(dims) = self.common_shape(symbol, args) else { return Val::error() };
        if dims.is_empty() {
            return self.equal_parts(prim, symbol, args);
        }
        let mut failed = false;
        let result = self.tabulate1(&dims, prim.name(), |e, index| {
            let mut elements = Vec::new();
            for arg in args {
                let (_, own) = index.split_at(index.len().saturating_sub(arg.val.ty.peel().0.len()));
                let val = if own.is_empty() { arg.val.clone() } else { e.part(&arg.val, own, false) };
                elements.push(Arg { val, span: arg.span });
            }
            let equal = e.equal_parts(prim, symbol, &elements);
            failed = equal.is_error();
            equal.atom().unwrap_or(Atom::bool(false))
        });
        if failed { Val::error() } else { Val::new(Ty::array(&dims, Scalar::Bool), vec![result]) }
    }

    /// [`Elab::equality`] of arrays of records and tuples too, which are parts of others.
    fn equal_parts(&mut self, prim: Prim, symbol: &str, args: &[Arg]) -> Val {
        let Some(first) = args.first() else { return Val::error() };
        if !self.operands_fit(symbol, args, first) {
            return Val::error();
        }
        // Nothing may lack, as it may in arithmetic.
        if !args.iter().all(|arg| has_parts_of(&first.val.ty, &arg.val.ty)) {
            return self.operands_differ(symbol, args);
        }
        let (all, join) = if prim == Prim::Eq { (Reduction::All, Prim::And) } else { (Reduction::Any, Prim::Or) };
        let leaves = self.parts(args, first, &mut |e, kept, parts| {
            if has_parts(&kept.ty) {
                return Some(e.equal_parts(prim, symbol, parts));
            }
            if parts.iter().any(|part| part.val.ty != kept.ty) {
                return Some(e.operands_differ(symbol, args));
            }
            let elementwise = e.pointwise(prim, symbol, parts);
            let Some((dims, _)) = elementwise.ty.as_numeric() else { return Some(Val::error()) };
            let (false, Some(array)) = (dims.is_empty(), elementwise.atom()) else { return Some(elementwise) };
            let one = e.reduce(all, &dims, |e, index| e.read_inside(array, index.to_vec()));
            Some(Val::scalar(Scalar::Bool, one))
        });
        let Some(leaves) = leaves else { return Val::error() };
        let mut leaves = leaves.into_iter();
        let Some(mut result) = leaves.next() else { return self.bad_operand(symbol, first) };
        for leaf in leaves {
            result = self.prim(join, vec![result, leaf]);
        }
        Val::scalar(Scalar::Bool, result)
    }
}
