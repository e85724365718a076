//! The C++ side of a header: functions that throw, results that free themselves, arrays as `std::span`s. It includes the
//! header, whose structs are its types.

use crate::interface::{Function, Interface, Parameter};
use crate::names::{Scope, identifier};
use crate::text::{comment, elem_type};
use crate::types::CType;
use std::fmt::Write as _;

/// The part of every file, of which only the first inclusion counts.
const COMMON: &str = include_str!("common.hpp");

/// Names that a namespace cannot have, besides those that are no identifiers.
const TAKEN: &[&str] = &["std", "arr"];

impl Interface<'_> {
    /// A C++ header for objects compiled from `source`, beside the C header `header`.
    pub fn cpp(&self, source: &str, version: &str, header: &str) -> String {
        let guard = format!("{}_HPP", self.prefix().to_ascii_uppercase());
        let namespace = Scope::with(TAKEN).fresh(&identifier(self.prefix()));
        let source = source.replace("*/", "* /").replace(['\n', '\r'], " ");
        let mut text = format!(
            "/* Compiled from {source} by arr {version}. C++20. */\n#ifndef {guard}\n#define {guard}\n\n\
             #include \"{header}\"\n\n{COMMON}\n"
        );
        for array in self.arrays() {
            text.push_str(&self.cpp_array(&array));
        }
        for row in 0..self.structs.rows.len() {
            let ty = CType::Struct(row);
            if !self.structs.releases(&ty).is_empty() {
                text.push_str(&self.cpp_traits(&ty, ""));
            }
        }
        text.push_str(&format!("\nnamespace {namespace} {{\n\n"));
        let mut scope = Scope::default();
        let prefix = format!("{}_", self.prefix());
        let mut own = |name: &str| scope.fresh(&identifier(name.strip_prefix(&prefix).unwrap_or(name)));
        for s in &self.structs.rows {
            let _ = writeln!(text, "using {} = ::{};", own(&s.name), s.name);
        }
        for function in &self.functions {
            text.push_str(&self.cpp_function(function, &own(&function.symbol), &function.symbol, false));
            if let Some(into) = &function.into {
                text.push_str(&self.cpp_function(function, &own(into), into, true));
            }
        }
        text + &format!("\n}} /* namespace {namespace} */\n\n#endif\n")
    }

    fn cpp_array(&self, ty: &CType) -> String {
        let CType::Array { elem, rank } = ty else { return String::new() };
        let guard = format!("{}_HPP", self.type_name(ty).to_ascii_uppercase());
        let (name, element) = (self.type_name(ty), elem_type(elem.elem()));
        let member = format!("    using element = {element};\n");
        format!(
            "#ifndef {guard}\n#define {guard}\n{}\
             template <> struct arr::array_of<{element}, {rank}> {{\n    using type = {name};\n}};\n#endif\n\n",
            self.cpp_traits(ty, &member)
        )
    }

    fn cpp_traits(&self, ty: &CType, member: &str) -> String {
        let name = self.type_name(ty);
        let free = name.trim_start_matches("arr_");
        format!(
            "template <> struct arr::traits<{name}> {{\n{member}    \
             static void free({name} *value) {{ arr_free_{free}(value); }}\n}};\n"
        )
    }

    fn cpp_function(&self, function: &Function, name: &str, symbol: &str, into: bool) -> String {
        let has_arrays = |p: &Parameter| !self.structs.releases(p.ty()).is_empty();
        // Names that stand for something else in the function's body.
        let mut scope = Scope::with(&["context"]);
        let names: Vec<String> = function.parameters.iter().map(|p| scope.fresh(&p.name)).collect();
        let mut parameters = vec!["arr::context &context".to_string()];
        let (mut results, mut values, mut locals) = (Vec::new(), Vec::new(), String::new());
        let mut arguments = vec!["context.get()".to_string()];
        for (p, name) in function.parameters.iter().zip(&names) {
            let ty = self.type_name(p.ty());
            match (p.by_value.is_some(), p.is_result()) {
                (true, _) => {
                    parameters.push(format!("{ty} {name}"));
                    arguments.push(name.clone());
                }
                (false, false) => {
                    parameters.push(format!("const {ty} &{name}"));
                    arguments.push(format!("&{name}"));
                }
                (false, true) if into && has_arrays(p) => {
                    parameters.push(format!("{ty} &{name}"));
                    arguments.push(format!("&{name}"));
                }
                (false, true) => {
                    let owned = has_arrays(p);
                    let held = if owned { format!("arr::owned<{ty}>") } else { ty };
                    let _ = writeln!(locals, "    {held} {name}{{}};");
                    arguments.push(if owned { format!("{name}.address()") } else { format!("&{name}") });
                    results.push(held);
                    values.push(if owned { format!("std::move({name})") } else { name.clone() });
                }
            }
        }
        let (result, value) = match (results.as_slice(), values.as_slice()) {
            ([], _) => ("void".to_string(), String::new()),
            // What is returned by its name alone is moved.
            ([one], [value]) => {
                let name = value.trim_start_matches("std::move(").trim_end_matches(')');
                (one.clone(), format!("    return {name};\n"))
            }
            _ => (format!("std::tuple<{}>", results.join(", ")), format!("    return {{{}}};\n", values.join(", "))),
        };
        let doc = match into {
            true => vec!["With arrays in memory that the results name.".to_string()],
            false => function.doc().to_vec(),
        };
        format!(
            "\n{}inline {result} {name}({})\n{{\n{locals}    context.check(::{symbol}({}));\n{value}}}\n",
            comment(&doc, ""),
            parameters.join(", "),
            arguments.join(", ")
        )
    }
}
