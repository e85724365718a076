//! What is in scope: the local names of a definition or lambda, and the module and type parameters around it.

use crate::data::types::Ty;
use crate::data::values::Val;
use arr_ir::{Scalar, SizeId};
use arr_syntax::ast::Bound;
use rustc_hash::FxHashMap;

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

/// Where a piece of a program is written: the module, and the type parameters in scope with what they stand for.
#[derive(Clone, Default)]
pub(crate) struct TypeScope<'a> {
    pub module: usize,
    pub types: Vec<(&'a str, Ty)>,
}

impl TypeScope<'_> {
    /// The type parameters, with the narrowest bounds that allow what they stand for.
    pub fn bounds(&self) -> Vec<(String, Bound)> {
        let bound = |ty: &Ty| match ty {
            Ty::Scalar(Scalar::F32 | Scalar::F64) => Bound::Float,
            Ty::Scalar(Scalar::I32 | Scalar::I64 | Scalar::U32) => Bound::Num,
            _ => Bound::Any,
        };
        self.types.iter().map(|(name, ty)| (name.to_string(), bound(ty))).collect()
    }

    /// What a type parameter stands for.
    pub fn ty(&self, name: &str) -> Option<&Ty> {
        self.types.iter().find(|(n, _)| *n == name).map(|(_, ty)| ty)
    }

    /// The scalar type that a type parameter stands for.
    pub fn get(&self, name: &str) -> Option<Scalar> {
        self.ty(name).and_then(Ty::as_scalar)
    }
}
