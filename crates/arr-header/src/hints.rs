//! The program's names of its types: traverses the syntax of a type beside its structure.

use arr_syntax::ast::{Constructor, Item, Module, Type, TypeBody, TypeDef, TypeKind};
use std::collections::BTreeMap;

/// The type definitions of a file.
#[derive(Debug, Default)]
pub struct Hints<'m> {
    types: BTreeMap<&'m str, &'m TypeDef>,
}

/// Facts about a type from its syntax.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hint<'m> {
    /// The name that the program gives it.
    pub name: Option<&'m str>,
    pub doc: &'m [String],
    pub(crate) body: Body<'m>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Body<'m> {
    #[default]
    Unknown,
    Type(&'m Type),
    Sum(&'m [Constructor]),
}

impl<'m> Hints<'m> {
    pub fn new(module: &'m Module) -> Hints<'m> {
        let types = module.items.iter().filter_map(|item| match item {
            Item::Type(def) => Some((def.name.text.as_str(), def)),
            _ => None,
        });
        Hints { types: types.collect() }
    }

    /// The hint in a type's syntax. Names are resolved to their definitions; the first one counts.
    pub fn of(&self, ty: Option<&'m Type>) -> Hint<'m> {
        let Some(ty) = ty else { return Hint::default() };
        let TypeKind::Named { name, .. } = &ty.kind else {
            return Hint { body: Body::Type(ty), ..Hint::default() };
        };
        match self.types.get(name.text.as_str()).map(|def| (def, &def.body)) {
            Some((def, TypeBody::Sum(constructors))) => {
                Hint { name: Some(&def.name.text), doc: &def.doc, body: Body::Sum(constructors) }
            }
            Some((def, TypeBody::Alias(alias))) => {
                let inner = self.of(Some(alias));
                Hint { name: Some(&def.name.text), doc: &def.doc, body: inner.body }
            }
            // A type of another module: only its name is known.
            None => Hint { name: name.text.rsplit('.').next(), ..Hint::default() },
        }
    }

    pub fn element(&self, hint: Hint<'m>) -> Hint<'m> {
        match hint.body {
            Body::Type(Type { kind: TypeKind::Array(_, inner), .. }) => self.of(Some(inner)),
            _ => Hint::default(),
        }
    }

    pub fn item(&self, hint: Hint<'m>, at: usize) -> Hint<'m> {
        match hint.body {
            Body::Type(Type { kind: TypeKind::Tuple(items), .. }) => self.of(items.get(at)),
            _ => Hint::default(),
        }
    }

    pub fn field(&self, hint: Hint<'m>, name: &str) -> Hint<'m> {
        match hint.body {
            Body::Type(Type { kind: TypeKind::Record(fields), .. }) => {
                self.of(fields.iter().find(|(field, _)| field.text == name).map(|(_, ty)| ty))
            }
            _ => Hint::default(),
        }
    }

    pub fn payload(&self, hint: Hint<'m>, constructor: &str, at: usize) -> Hint<'m> {
        match hint.body {
            Body::Sum(constructors) => {
                let found = constructors.iter().find(|c| c.name.text == constructor);
                self.of(found.and_then(|c| c.fields.get(at)))
            }
            _ => Hint::default(),
        }
    }
}
