//! The names that a written type mentions: its sizes, and the constant definitions that it depends on.

use crate::data::tables::Tables;
use crate::resolve::modules::NameLookup;
use arr_base::Span;
use arr_syntax::ast::{self, Size, SizeKind, TypeArg, TypeBody, TypeKind};
use indexmap::IndexSet;

/// The size names in a written type, in order. A bare argument of a named type is a size unless a type has its name.
pub(crate) fn size_names<'a>(ty: &'a ast::Type, tables: &Tables, module: usize, out: &mut Vec<(&'a str, Span)>) {
    match &ty.kind {
        TypeKind::Named { args, .. } => {
            for arg in args {
                match arg {
                    TypeArg::Size(size) => names_in_size(size, tables, module, out),
                    TypeArg::Type(ty) => match &ty.kind {
                        TypeKind::Named { name, args } if args.is_empty() => {
                            push_size(&name.text, ty.span, tables, module, out)
                        }
                        _ => size_names(ty, tables, module, out),
                    },
                }
            }
        }
        TypeKind::Array(size, inner) => {
            names_in_size(size, tables, module, out);
            size_names(inner, tables, module, out);
        }
        TypeKind::Tuple(items) => items.iter().for_each(|t| size_names(t, tables, module, out)),
        TypeKind::Record(fields) => fields.iter().for_each(|(_, t)| size_names(t, tables, module, out)),
        TypeKind::Function(params, result) => {
            params.iter().for_each(|t| size_names(t, tables, module, out));
            size_names(result, tables, module, out);
        }
        TypeKind::Error => {}
    }
}

fn names_in_size<'a>(size: &'a Size, tables: &Tables, module: usize, out: &mut Vec<(&'a str, Span)>) {
    match &size.kind {
        SizeKind::Name(name) => push_size(name, size.span, tables, module, out),
        SizeKind::Add(a, b) | SizeKind::Sub(a, b) | SizeKind::Mul(a, b) => {
            names_in_size(a, tables, module, out);
            names_in_size(b, tables, module, out);
        }
        SizeKind::Int(_) | SizeKind::Computed(_) | SizeKind::Error => {}
    }
}

fn push_size<'a>(name: &'a str, span: Span, tables: &Tables, module: usize, out: &mut Vec<(&'a str, Span)>) {
    let is_type = arr_ir::Scalar::from_name(name).is_some() || tables.is_type(module, name);
    if !is_type {
        out.push((name, span));
    }
}

/// The constant definitions that a written type mentions, in named types too.
pub(crate) fn constants_of_type(tables: &Tables, module: usize, ty: &ast::Type) -> Vec<usize> {
    let mut walk = Constants { tables, seen: IndexSet::new(), found: Vec::new() };
    walk.ty(module, ty);
    walk.found
}

struct Constants<'a> {
    tables: &'a Tables,
    seen: IndexSet<String>,
    found: Vec<usize>,
}

impl Constants<'_> {
    fn name(&mut self, module: usize, name: &str) {
        let constant = self.tables.find(module, name).filter(|def| self.tables.is_constant(*def));
        self.found.extend(constant);
        let NameLookup::In(target, base) = self.tables.place(module, name) else { return };
        let key = self.tables.key_of(target, base);
        let tables = self.tables;
        let Some(def) = tables.types.get(&*key) else { return };
        if !self.seen.insert(key.into_owned()) {
            return;
        }
        match &def.body {
            TypeBody::Alias(body) => self.ty(target, body),
            TypeBody::Sum(constructors) => constructors.iter().flat_map(|c| &c.fields).for_each(|t| self.ty(target, t)),
        }
    }

    fn size(&mut self, module: usize, size: &ast::Size) {
        match &size.kind {
            SizeKind::Name(name) => self.name(module, name),
            SizeKind::Add(a, b) | SizeKind::Sub(a, b) | SizeKind::Mul(a, b) => {
                self.size(module, a);
                self.size(module, b);
            }
            SizeKind::Int(_) | SizeKind::Computed(_) | SizeKind::Error => {}
        }
    }

    fn ty(&mut self, module: usize, ty: &ast::Type) {
        match &ty.kind {
            TypeKind::Named { name, args } => {
                self.name(module, &name.text);
                for arg in args {
                    match arg {
                        TypeArg::Size(size) => self.size(module, size),
                        TypeArg::Type(ty) => self.ty(module, ty),
                    }
                }
            }
            TypeKind::Array(size, inner) => {
                self.size(module, size);
                self.ty(module, inner);
            }
            TypeKind::Tuple(items) => items.iter().for_each(|t| self.ty(module, t)),
            TypeKind::Record(fields) => fields.iter().for_each(|(_, t)| self.ty(module, t)),
            TypeKind::Function(params, result) => {
                params.iter().for_each(|t| self.ty(module, t));
                self.ty(module, result);
            }
            TypeKind::Error => {}
        }
    }
}
