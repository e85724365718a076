//! Names in types and sizes.

use super::{NameKind, Resolver, Role, Target};
use crate::file::File;
use arr_base::Span;
use arr_syntax::ast::{Size, SizeKind, Type, TypeArg, TypeKind, split_qualified};

/// The types that the language has.
pub const SCALARS: &[&str] = &["bool", "i32", "i64", "u32", "f32", "f64"];

impl<'a> Resolver<'a> {
    /// The names of a type. In the type of a parameter (`binds`) an unknown size is bound.
    pub fn ty(&mut self, ty: &'a Type, binds: bool) {
        match &ty.kind {
            TypeKind::Named { name, args } => {
                self.type_name(&name.text, name.span);
                for arg in args {
                    match arg {
                        TypeArg::Size(size) => self.size(size, binds),
                        TypeArg::Type(ty) => self.type_arg(ty, binds),
                    }
                }
            }
            TypeKind::Array(size, inner) => {
                self.size(size, binds);
                self.ty(inner, binds);
            }
            TypeKind::Tuple(items) => items.iter().for_each(|t| self.ty(t, binds)),
            TypeKind::Record(fields) => fields.iter().for_each(|(_, t)| self.ty(t, binds)),
            TypeKind::Function(params, result) => {
                params.iter().for_each(|t| self.ty(t, binds));
                self.ty(result, binds);
            }
            TypeKind::Error => {}
        }
    }

    /// A bare name is a size, unless a type has the name.
    fn type_arg(&mut self, ty: &'a Type, binds: bool) {
        match &ty.kind {
            TypeKind::Named { name, args } if args.is_empty() && !self.is_type(&name.text) => {
                self.size_name(&name.text, ty.span, binds);
            }
            _ => self.ty(ty, binds),
        }
    }

    fn is_type(&self, name: &str) -> bool {
        let (module, base) = split_qualified(name);
        match module {
            Some(module) => self.imported(module).is_some_and(|file| file.types.contains_key(base)),
            None => SCALARS.contains(&base) || self.type_param(base).is_some() || self.file.types.contains_key(base),
        }
    }

    fn type_param(&self, name: &str) -> Option<Target> {
        let local = self.scope.iter().rev().find(|local| local.name == name)?;
        let bound = self.out.bound.get(local.bound)?;
        matches!(bound.kind, NameKind::TypeParam(_)).then(|| self.here(bound.start, bound.end))
    }

    fn type_name(&mut self, name: &'a str, span: Span) {
        self.qualified(name, span, Role::Type, |resolver, base| {
            let own = || Resolver::type_of(resolver.file, base);
            let builtin = || SCALARS.contains(&base).then(|| Target::Builtin(base.to_string()));
            resolver.type_param(base).or_else(builtin).or_else(own)
        });
    }

    /// A name that may be `m.name`: both parts occur. `own` looks up names without a module.
    pub(super) fn qualified(
        &mut self,
        name: &'a str,
        span: Span,
        role: Role,
        own: impl FnOnce(&Self, &'a str) -> Option<Target>,
    ) {
        let (module, base) = split_qualified(name);
        let Some(module) = module else {
            let target = own(self, base).unwrap_or_else(|| Target::Unknown(base.to_string()));
            return self.occur(span, target, role);
        };
        let width = |text: &str| u32::try_from(text.len()).unwrap_or(0);
        let start = Span { end: span.start + width(module), ..span };
        let member = Span { start: span.end.saturating_sub(width(base)).max(start.end), ..span };
        let target = self.module(module).unwrap_or_else(|| Target::Unknown(module.to_string()));
        self.occur(start, target, Role::Value);
        let find = |file: &File| match role {
            Role::Type => Resolver::type_of(file, base),
            _ => Resolver::value_of(file, base),
        };
        let target = self.imported(module).and_then(find);
        self.occur(member, target.unwrap_or_else(|| Target::Unknown(base.to_string())), role);
    }

    fn size(&mut self, size: &'a Size, binds: bool) {
        match &size.kind {
            SizeKind::Name(name) => self.size_name(name, size.span, binds),
            SizeKind::Add(a, b) | SizeKind::Sub(a, b) | SizeKind::Mul(a, b) => {
                self.size(a, binds);
                self.size(b, binds);
            }
            SizeKind::Int(_) | SizeKind::Computed(_) | SizeKind::Error => {}
        }
    }

    fn size_name(&mut self, name: &'a str, span: Span, binds: bool) {
        let known = self.local(name).or_else(|| Resolver::value_of(self.file, name));
        if binds && known.is_none() && !name.contains('.') {
            self.bind(name, span, NameKind::Size, span.end);
            return;
        }
        self.qualified(name, span, Role::Value, |_, _| known);
    }
}
