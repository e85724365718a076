//! Functions and their types, one after the other.

use crate::describe::{leaves, outputs};
use crate::hints::{Hint, Hints};
use crate::names::{Scope, identifier, plain, unknown};
use crate::types::{CType, StructFields, Structs};
use arr_capi::{Argument, At, Description, Field};
use arr_data::{edge_text, size_text};
use arr_ir::{Edge, Func, Scalar, SizeId};
use arr_syntax::ast::{Def, Module};

/// A definition to be made a function.
#[derive(Debug)]
pub struct Definition<'a> {
    pub func: &'a Func,
    pub def: &'a Def,
    /// The definition without its body.
    pub signature: String,
    /// File and line.
    pub place: String,
    /// The parameters that the function has derivatives for, after its value, if it is a gradient.
    pub wrt: Option<Vec<usize>>,
}

/// A parameter of a C function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub name: String,
    /// By value; otherwise it is an address.
    pub by_value: Option<Scalar>,
    ty: CType,
    result: bool,
    note: String,
}

/// A C function. Its inputs are described except for the parts that only compiled code determines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub symbol: String,
    /// The name of the same function that writes arrays into memory of the caller, if there are arrays among the results.
    pub into: Option<String>,
    /// Those after the context.
    pub parameters: Vec<Parameter>,
    pub description: Description,
    doc: Vec<String>,
}

/// A function that frees the arrays of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release {
    pub symbol: String,
    /// Every header has it, so that objects may define it more than once.
    pub shared: bool,
    pub fields: Vec<Field>,
}

/// The interface of a file.
#[derive(Debug)]
pub struct Interface<'m> {
    prefix: String,
    hints: Hints<'m>,
    pub(crate) scope: Scope,
    pub(crate) structs: Structs,
    pub(crate) functions: Vec<Function>,
    /// Names of tags by the sum's name and constructors.
    pub(crate) tags: Vec<(Vec<String>, Vec<String>)>,
}

/// How the layers above the header pass a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Passing {
    /// A scalar.
    Value,
    /// The address of an argument.
    Read,
    /// The address of a result that names the memory of its arrays.
    Memory,
    /// A result that is given back.
    Returned,
}

/// The context of a type: for names and notes.
struct Around<'a> {
    func: &'a Func,
    /// The name for an unnamed type.
    name: String,
}

impl<'m> Interface<'m> {
    /// An interface whose names begin with `prefix`, for definitions of this file.
    pub fn new(prefix: &str, module: &'m Module) -> Interface<'m> {
        Interface {
            prefix: prefix.to_string(),
            hints: Hints::new(module),
            scope: Scope::default(),
            structs: Structs::default(),
            functions: Vec::new(),
            tags: Vec::new(),
        }
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    fn prefixed(&self, name: &str) -> String {
        unknown(format!("{}_{}", self.prefix, plain(name)))
    }

    /// The name of a parameter or a field. The file's types begin with its prefix, and so does the macro of its header.
    fn own(&self, name: &str) -> String {
        let name = identifier(name);
        let behind = name.strip_prefix(self.prefix.as_str()).is_some_and(|rest| rest.starts_with('_'));
        let guards = ["H", "HPP"].map(|end| format!("{}_{end}", self.prefix.to_ascii_uppercase()));
        if behind || guards.contains(&name) { name + "_" } else { name }
    }

    /// Makes a definition a function.
    pub fn add(&mut self, definition: &Definition<'m>) -> Function {
        let func = definition.func;
        let own = &definition.def.name.text;
        let symbol = self.scope.fresh(&symbol(&self.prefix, definition));
        let mut local = Scope::with(&["context"]);
        let mut function = Function {
            description: Description { name: own.clone(), sizes: func.sizes.len(), ..Description::default() },
            parameters: Vec::new(),
            doc: documentation(definition),
            symbol,
            into: None,
        };
        self.parameters(definition, &mut function, &mut local);
        self.results(definition, &mut function, &mut local);
        if function.description.outputs.iter().any(|output| output.rank.is_some()) {
            function.into = Some(self.scope.fresh(&format!("{}_into", function.symbol)));
        }
        self.functions.push(function.clone());
        function
    }

    fn parameters(&mut self, definition: &Definition<'m>, function: &mut Function, local: &mut Scope) {
        let func = definition.func;
        let written = definition.def.params.as_deref().unwrap_or(&[]);
        for (at, param) in func.edge_params.iter().enumerate() {
            let argument = Argument { name: param.name.clone(), ty: param.text.clone() };
            function.description.arguments.push(argument);
            let hint = self.hints.of(written.get(at).and_then(|p| p.ty.as_ref()));
            let around = Around { func, name: format!("{}_{}", function.symbol, plain(&param.name)) };
            let Some(ty) = self.ctype(&param.ty, &mut Vec::new(), hint, &around) else { continue };
            let slot = function.parameters.len();
            let by_value = if let CType::Scalar(elem) = &ty { Some(*elem) } else { None };
            let places: Vec<At> = match by_value {
                Some(_) => vec![At::Slot(slot)],
                None => self.structs.places(&ty).iter().map(|p| At::Behind(slot, p.offset)).collect(),
            };
            let before = function.description.leaves.len();
            function.description.leaves.extend(leaves(func, at, &places, before));
            let name = local.fresh(&self.own(&param.name));
            function.parameters.push(Parameter { name, by_value, ty, result: false, note: param.text.clone() });
        }
    }

    fn results(&mut self, definition: &Definition<'m>, function: &mut Function, local: &mut Scope) {
        for (name, edge, hint) in self.result_parts(definition) {
            let func = definition.func;
            let around = Around { func, name: format!("{}_{name}", function.symbol) };
            let Some(ty) = self.ctype(edge, &mut Vec::new(), hint, &around) else { continue };
            let slot = function.parameters.len();
            let note = self.result_note(definition, edge);
            let name = local.fresh(&name);
            function.description.outputs.extend(outputs(&name, edge, slot, &self.structs.places(&ty)));
            function.parameters.push(Parameter { name, by_value: None, ty, result: true, note });
        }
    }

    /// A result's type in the program's words, if there are any.
    fn result_note(&self, definition: &Definition<'m>, edge: &Edge) -> String {
        let func = definition.func;
        let params = func.edge_params.iter();
        let same = params.filter(|_| definition.wrt.is_some()).find(|p| p.ty == *edge).map(|p| p.text.clone());
        let whole = (func.edge_result == *edge).then_some(()).and(definition.def.result.as_ref());
        same.or_else(|| whole.map(arr_syntax::print_type)).unwrap_or_else(|| edge_text(func, edge))
    }

    /// The results that have a pointer each: the value and the derivatives of a gradient, the items of a tuple.
    fn result_parts<'f>(&self, definition: &Definition<'f>) -> Vec<(String, &'f Edge, Hint<'m>)>
    where
        'm: 'f,
        'f: 'm,
    {
        let func = definition.func;
        let written = self.hints.of(definition.def.result.as_ref());
        let params = definition.def.params.as_deref().unwrap_or(&[]);
        let is_tuple = matches!(func.edge_result, Edge::Tuple(_));
        let hint = |at: usize| match (&definition.wrt, at.checked_sub(1)) {
            (None, _) if is_tuple => self.hints.item(written, at),
            (Some(wrt), Some(before)) => match wrt.get(before) {
                Some(&param) => self.hints.of(params.get(param).and_then(|p| p.ty.as_ref())),
                None => written,
            },
            _ => written,
        };
        let parts = result_names(func, definition.wrt.as_deref());
        parts.into_iter().enumerate().map(|(at, (name, edge))| (name, edge, hint(at))).collect()
    }

    /// The type under axes of these sizes; nothing if there is no leaf.
    fn ctype(&mut self, edge: &Edge, dims: &mut Vec<SizeId>, hint: Hint<'m>, around: &Around) -> Option<CType> {
        match edge {
            Edge::Scalar(scalar) => {
                let elem = *scalar;
                Some(if dims.is_empty() { CType::Scalar(elem) } else { CType::Array { elem, rank: dims.len() } })
            }
            Edge::Array(size, inner) => {
                dims.push(*size);
                let element = self.hints.element(hint);
                // A name for the array serves as one for its elements.
                let element = if element.name.is_none() { Hint { name: hint.name, ..element } } else { element };
                let ty = self.ctype(inner, dims, element, around);
                dims.pop();
                ty
            }
            Edge::Tuple(items) => {
                let items = items.iter().enumerate();
                let items = items.map(|(at, item)| (format!("_{at}"), item, self.hints.item(hint, at)));
                self.record(items.collect(), dims, hint, around)
            }
            Edge::Record(fields) => {
                let fields = fields.iter();
                let fields = fields.map(|(name, field)| (self.own(name), field, self.hints.field(hint, name)));
                self.record(fields.collect(), dims, hint, around)
            }
            Edge::Sum { name, constructors } => self.sum(name, constructors, dims, hint, around),
        }
    }

    fn record(
        &mut self,
        parts: Vec<(String, &Edge, Hint<'m>)>,
        dims: &mut Vec<SizeId>,
        hint: Hint<'m>,
        around: &Around,
    ) -> Option<CType> {
        let mut scope = Scope::default();
        let (mut fields, mut notes) = (Vec::new(), Vec::new());
        for (name, edge, hint) in parts {
            let inside = Around { func: around.func, name: format!("{}_{name}", around.name) };
            if let Some(ty) = self.ctype(edge, dims, hint, &inside) {
                notes.push(note(around.func, dims, edge));
                fields.push((scope.fresh(&name), ty));
            }
        }
        let shape = StructFields { fields, constructors: Vec::new() };
        (!shape.fields.is_empty()).then(|| self.named(shape, dims.len(), hint.name, hint.doc, around, notes))
    }

    fn sum(
        &mut self,
        name: &str,
        constructors: &[(String, Vec<Edge>)],
        dims: &mut Vec<SizeId>,
        hint: Hint<'m>,
        around: &Around,
    ) -> Option<CType> {
        let mut scope = Scope::with(&["tag"]);
        let (mut fields, mut notes) = (Vec::new(), Vec::new());
        let names: Vec<String> = constructors.iter().map(|(name, _)| name.clone()).collect();
        if Edge::has_tag(constructors) {
            let tag = Scalar::I64;
            let rank = dims.len();
            fields.push((
                "tag".to_string(),
                if rank == 0 { CType::Scalar(tag) } else { CType::Array { elem: tag, rank } },
            ));
            notes.push(self.tags(name, &names).join(", "));
        }
        for (constructor, payload) in constructors {
            let inside = Around { func: around.func, name: format!("{}_{constructor}", around.name) };
            let mut parts = Vec::new();
            for (at, edge) in payload.iter().enumerate() {
                let hint = self.hints.payload(hint, constructor, at);
                parts.extend(self.ctype(edge, dims, hint, &inside).map(|ty| (format!("_{at}"), ty)));
            }
            if !parts.is_empty() {
                let texts: Vec<String> = payload.iter().map(|edge| note(around.func, dims, edge)).collect();
                notes.push(format!("{constructor}({})", texts.join(", ")));
                fields.push((scope.fresh(&self.own(constructor)), CType::Inline(parts)));
            }
        }
        let shape = StructFields { fields, constructors: names };
        (!shape.fields.is_empty()).then(|| self.named(shape, dims.len(), Some(name), hint.doc, around, notes))
    }

    /// The constants for the tags of a sum.
    fn tags(&mut self, name: &str, constructors: &[String]) -> Vec<String> {
        if let Some((_, tags)) = self.tags.iter().find(|(known, _)| known == constructors) {
            return tags.clone();
        }
        let tags = constructors.iter().map(|c| self.scope.fresh(&tag_name(&self.prefix, name, c)));
        let tags: Vec<String> = tags.collect();
        self.tags.push((constructors.to_vec(), tags.clone()));
        tags
    }

    fn named(
        &mut self,
        shape: StructFields,
        rank: usize,
        name: Option<&str>,
        doc: &[String],
        around: &Around,
        notes: Vec<String>,
    ) -> CType {
        let base = name.map_or_else(|| around.name.clone(), |name| self.prefixed(name));
        let full = if rank == 0 { base } else { format!("{base}_{rank}") };
        let mut doc = doc.to_vec();
        if rank > 0 {
            let what = name.unwrap_or("struct");
            doc.insert(0, format!("An array of rank {rank} of `{what}`, as a struct of arrays of one shape."));
        }
        self.structs.add(shape, &mut self.scope, &full, doc, notes)
    }

    /// The functions that free results, those of plain arrays first.
    pub fn releases(&self) -> Vec<Release> {
        let arrays = self.arrays().into_iter().map(|ty| (ty, true));
        let structs = (0..self.structs.rows.len()).map(|row| (CType::Struct(row), false));
        let release = |(ty, shared): (CType, bool)| {
            let fields = self.structs.releases(&ty);
            (!fields.is_empty()).then(|| Release { symbol: self.release_symbol(&ty), shared, fields })
        };
        arrays.chain(structs).filter_map(release).collect()
    }

    /// The name of the function that frees the arrays of a type.
    pub(crate) fn release_symbol(&self, ty: &CType) -> String {
        let name = self.type_name(ty);
        format!("arr_free_{}", name.strip_prefix("arr_").unwrap_or(&name))
    }

    /// Whether there are arrays in it, which have to be freed.
    pub(crate) fn has_arrays(&self, ty: &CType) -> bool {
        !self.structs.releases(ty).is_empty()
    }

    /// How a parameter is passed, if arrays of results go `into` memory of the caller or not.
    pub(crate) fn passing(&self, parameter: &Parameter, into: bool) -> Passing {
        match (parameter.by_value, parameter.result) {
            (Some(_), _) => Passing::Value,
            (None, false) => Passing::Read,
            (None, true) if into && self.has_arrays(&parameter.ty) => Passing::Memory,
            (None, true) => Passing::Returned,
        }
    }

    /// The types of plain arrays that the interface mentions, each once.
    pub(crate) fn arrays(&self) -> Vec<CType> {
        let params = self.functions.iter().flat_map(|f| &f.parameters).map(|p| &p.ty);
        let fields = self.structs.rows.iter().flat_map(|s| &s.shape.fields).map(|(_, ty)| ty);
        let mut found: Vec<CType> = Vec::new();
        for ty in params.chain(fields) {
            self.arrays_in(ty, &mut found);
        }
        found.sort();
        found.dedup();
        found
    }

    fn arrays_in(&self, ty: &CType, found: &mut Vec<CType>) {
        match ty {
            CType::Array { .. } => found.push(ty.clone()),
            CType::Inline(fields) => fields.iter().for_each(|(_, field)| self.arrays_in(field, found)),
            CType::Scalar(_) | CType::Struct(_) => {}
        }
    }
}

impl Parameter {
    pub(crate) fn ty(&self) -> &CType {
        &self.ty
    }

    pub(crate) fn is_result(&self) -> bool {
        self.result
    }

    pub(crate) fn note(&self) -> &str {
        &self.note
    }
}

impl Function {
    pub(crate) fn doc(&self) -> &[String] {
        &self.doc
    }
}

/// The name of a definition's function, which another of the file may have too.
pub fn symbol(prefix: &str, definition: &Definition<'_>) -> String {
    let suffix = if definition.wrt.is_some() { "_value_and_grad" } else { "" };
    unknown(format!("{prefix}_{}{suffix}", plain(&definition.def.name.text)))
}

/// The name of the constant for a constructor's tag, which another of the file may have too.
pub fn tag_name(prefix: &str, sum: &str, constructor: &str) -> String {
    unknown(format!("{prefix}_{}_{}", plain(sum), plain(constructor)))
}

/// The results that have names: the value and the derivatives of a gradient, whose parameters `wrt` gives, or the items of a
/// tuple.
pub fn result_names<'f>(func: &'f Func, wrt: Option<&[usize]>) -> Vec<(String, &'f Edge)> {
    let Edge::Tuple(items) = &func.edge_result else { return vec![("result".to_string(), &func.edge_result)] };
    let name = |at: usize| match (wrt, at.checked_sub(1)) {
        (None, _) => format!("result_{at}"),
        (Some(wrt), Some(before)) if before < wrt.len() => {
            let param = wrt.get(before).and_then(|&param| func.edge_params.get(param));
            format!("d_{}", plain(param.map_or("", |p| &p.name)))
        }
        (Some(_), _) => "value".to_string(),
    };
    items.iter().enumerate().map(|(at, item)| (name(at), item)).collect()
}

/// A type under axes, as the program writes it.
fn note(func: &Func, dims: &[SizeId], edge: &Edge) -> String {
    let axes: String = dims.iter().map(|&size| format!("[{}]", size_text(func, func.types.poly(size)))).collect();
    axes + &edge_text(func, edge)
}

/// The lines of a function's comment: the doc comment of its definition, the signature and the place.
pub fn documentation(definition: &Definition) -> Vec<String> {
    let mut lines: Vec<String> = definition.def.doc.iter().map(|line| line.trim_end().to_string()).collect();
    if definition.wrt.is_some() {
        lines
            .push("The value, and its derivatives with respect to the parameters that have a result here.".to_string());
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.extend(definition.signature.lines().map(|line| format!("    {line}")));
    lines.push(format!("    -- {}", definition.place));
    lines
}
