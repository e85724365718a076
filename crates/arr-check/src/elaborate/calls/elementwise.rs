//! Calls of definitions on scalars with arrays, which are taken element by element.

use crate::data::declared_type::DeclaredType;
use crate::data::problem::Problem;
use crate::data::tables::{DefInfo, ParamSig};
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use arr_ir::Atom;
use arr_syntax::ast::Bound;

/// Whether a parameter takes scalars alone.
fn takes_a_scalar(info: &DefInfo, param: &ParamSig) -> bool {
    match &param.ty {
        DeclaredType::Scalar(_) => true,
        DeclaredType::Param(name) => info.type_params.iter().any(|(n, bound)| n == name && *bound != Bound::Any),
        _ => false,
    }
}

impl<'a> Elab<'a> {
    /// The call for each element of the arrays that stand where the definition takes scalars; their shapes agree as those of an
    /// operator do, and all other arguments are the same for every element. `None` if no array stands there.
    pub(super) fn apply_by_elements(&mut self, def: usize, info: &DefInfo, args: &[Arg], hint: &Hint) -> Option<Val> {
        let is_array = |arg: &Arg| arg.val.ty.as_numeric().is_some_and(|(dims, _)| !dims.is_empty());
        let mapped: Vec<bool> =
            info.params().iter().zip(args).map(|(p, arg)| takes_a_scalar(info, p) && is_array(arg)).collect();
        let arrays: Vec<Arg> = args.iter().zip(&mapped).filter(|(_, m)| **m).map(|(arg, _)| arg.clone()).collect();
        if arrays.is_empty() {
            return None;
        }
        let Some(dims) = self.common_shape(&info.name, &arrays) else { return Some(Val::error()) };
        let (span, mark) = (self.span(), self.mark());
        let (index, axes) = self.axes(&dims);
        self.b.open();
        let mut elements = Vec::new();
        for (arg, mapped) in args.iter().zip(mapped) {
            let rank = arg.val.ty.as_numeric().map_or(0, |(own, _)| own.len());
            let (_, own) = index.split_at(index.len().saturating_sub(rank));
            let val = if mapped { self.part(&arg.val, own, false) } else { arg.val.clone() };
            elements.push(Arg { val, span: arg.span });
        }
        let val = self.apply_def(def, elements, &dims.iter().fold(hint.clone(), |hint, _| hint.inner()));
        let block = self.b.close(val.leaves.clone());
        if val.is_error() {
            return Some(val);
        }
        if val.ty.has_fn() {
            return Some(self.fail(Problem::FunctionValue { span, place: "an element of an array", hint: None }));
        }
        if self.escapes(&val.ty, mark, span, "a definition applied to each element") {
            return Some(Val::error());
        }
        self.b.span = Some(span);
        let ty = val.ty.under(&dims);
        if val.leaves.is_empty() {
            return Some(Val::new(ty, Vec::new()));
        }
        let results = self.b.build(axes, block, &info.name);
        Some(Val::new(ty, results.into_iter().map(Atom::Var).collect()))
    }
}
