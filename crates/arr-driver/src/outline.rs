//! What a module declares, as written: for those who show it or make something of it.

use crate::signature::signature;
use arr_base::SourceMap;
use arr_syntax::ast::{Def, Item, Module, TypeBody, TypeDef, TypeKind};

/// A definition.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub signature: String,
    pub doc: String,
    /// The parameters as written, with their types; `None` for a constant.
    pub params: Option<Vec<(String, String)>>,
    pub result: Option<String>,
    pub file: String,
    /// From 1.
    pub line: usize,
}

/// A named type.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub name: String,
    pub doc: String,
    /// The type as written.
    pub text: String,
    /// The fields of a record, with their types.
    pub fields: Option<Vec<(String, String)>>,
    /// The constructors of a sum, with the types that they carry.
    pub constructors: Option<Vec<(String, Vec<String>)>>,
}

/// The definitions of a module, in source order.
pub fn definitions(module: &Module, sources: &SourceMap) -> Vec<Definition> {
    let one = |item: &Item| if let Item::Def(def) = item { Some(definition(def, sources)) } else { None };
    module.items.iter().filter_map(one).collect()
}

fn definition(def: &Def, sources: &SourceMap) -> Definition {
    let param = |param: &arr_syntax::ast::Param| {
        let ty = param.ty.as_ref().map(arr_syntax::print_type).unwrap_or_default();
        (arr_syntax::print_pattern(&param.pattern), ty)
    };
    let place = sources.get(def.span.file);
    Definition {
        name: def.name.text.clone(),
        signature: signature(def),
        doc: def.doc.join("\n"),
        params: def.params.as_ref().map(|params| params.iter().map(param).collect()),
        result: def.result.as_ref().map(arr_syntax::print_type),
        file: place.map(|file| file.name.clone()).unwrap_or_default(),
        line: place.map_or(0, |file| file.line_column(def.name.span.start as usize).0),
    }
}

/// The types that a module declares, in source order.
pub fn declarations(module: &Module) -> Vec<Declaration> {
    let one = |item: &Item| if let Item::Type(ty) = item { Some(declaration(ty)) } else { None };
    module.items.iter().filter_map(one).collect()
}

fn declaration(ty: &TypeDef) -> Declaration {
    let (mut fields, mut constructors) = (None, None);
    let text = match &ty.body {
        TypeBody::Alias(alias) => {
            if let TypeKind::Record(all) = &alias.kind {
                fields = Some(all.iter().map(|(name, ty)| (name.text.clone(), arr_syntax::print_type(ty))).collect());
            }
            arr_syntax::print_type(alias)
        }
        TypeBody::Sum(all) => {
            let one = |c: &arr_syntax::ast::Constructor| {
                (c.name.text.clone(), c.fields.iter().map(arr_syntax::print_type).collect())
            };
            constructors = Some(all.iter().map(one).collect());
            all.iter().map(|c| c.name.text.clone()).collect::<Vec<_>>().join(" | ")
        }
    };
    Declaration { name: ty.name.text.clone(), doc: ty.doc.join("\n"), text, fields, constructors }
}
