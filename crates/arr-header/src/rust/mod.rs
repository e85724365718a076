//! The Rust side of a header: types with the layout of its structs, and safe functions that call its own.
//!
//! What is read is a struct of `Array`s, which borrow; results are `Owned`, and freed when they are dropped; memory that
//! results are written to is a struct of `ArrayMut`s. The text stands by itself: what all files share is part of each.

mod names;

use crate::interface::{Function, Interface, Parameter, Passing};
use crate::names::Scope;
use crate::text::plain;
use crate::types::CType;
use names::Names;

/// The part that every file has, before its own types.
const COMMON: &str = include_str!("common.rs.txt");
/// That a type can be owned: the type, the same with a lifetime, and the name of the function that frees it.
const ARRAYS: &str = include_str!("arrays.rs.txt");
/// The functions of the library, with room for those of the program.
const SYS: &str = include_str!("sys.rs.txt");

/// How the arrays of a type are used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// The lines as a doc comment.
fn doc(lines: &[String], indent: &str) -> String {
    lines.iter().map(|line| format!("{indent}/// {line}").trim_end().to_string() + "\n").collect()
}

/// A type parameter `<'a>`, if the type has arrays.
fn of_lifetime(has_arrays: bool, lifetime: &str) -> String {
    if has_arrays { format!("<{lifetime}>") } else { String::new() }
}

impl Interface<'_> {
    /// A Rust module that calls the functions of objects compiled from `source`.
    pub fn rust(&self, source: &str, version: &str) -> String {
        let names = Names::new(self);
        let mut text = format!(
            "// Compiled from {} by arr {version}. Link the library, or the object and `libarr_runtime.a`, and `m`.\n\n",
            plain(source)
        );
        text.push_str(COMMON);
        for array in self.arrays() {
            text.push_str(&self.rust_arrays(&self.rust_type(&names, &array, Access::Read, "'static"), &array));
        }
        for (at, (_, tags)) in self.tags.iter().enumerate() {
            text.push('\n');
            for (value, tag) in tags.iter().enumerate() {
                let name = names.tag(at, value);
                text.push_str(&format!("/// `{tag}`\n#[allow(dead_code)]\npub const {name}: i64 = {value};\n"));
            }
        }
        let written = self.written();
        for row in 0..self.structs.rows.len() {
            text.push_str(&self.rust_struct(&names, row, Access::Read));
            if self.has_arrays(&CType::Struct(row)) {
                let ty = self.rust_type(&names, &CType::Struct(row), Access::Read, "'static");
                text.push_str(&self.rust_arrays(&ty, &CType::Struct(row)));
                if written.contains(&row) {
                    text.push_str(&self.rust_struct(&names, row, Access::Write));
                }
            }
        }
        for (at, function) in self.functions.iter().enumerate() {
            text.push_str(&self.rust_function(&names, function, names.function(at), false));
            if let Some(name) = names.memory_function(at) {
                text.push_str(&self.rust_function(&names, function, name, true));
            }
        }
        text.push_str(&self.rust_externs(&names));
        text
    }

    /// The structs that results consist of.
    fn written(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let results = self.functions.iter().flat_map(|f| &f.parameters).filter(|p| p.is_result());
        let mut left: Vec<&CType> = results.map(Parameter::ty).collect();
        while let Some(ty) = left.pop() {
            match ty {
                CType::Struct(row) if found.contains(row) => continue,
                CType::Struct(row) => found.push(*row),
                _ => {}
            }
            left.extend(self.structs.fields(ty).iter().map(|(_, field)| field));
        }
        found
    }

    fn rust_type(&self, names: &Names, ty: &CType, access: Access, lifetime: &str) -> String {
        let writes = access == Access::Write && self.has_arrays(ty);
        let suffix = if writes { "Mut" } else { "" };
        match ty {
            CType::Scalar(elem) => elem.name().to_string(),
            CType::Array { elem, rank } => format!("Array{suffix}<{lifetime}, {}, {rank}>", elem.name()),
            CType::Struct(row) => {
                format!("{}{}", names.structure(*row, writes), of_lifetime(self.has_arrays(ty), lifetime))
            }
            // A payload is mentioned by its field only, see `rust_struct`.
            CType::Inline(_) => String::new(),
        }
    }

    /// A struct, and those of the payloads of a sum.
    fn rust_struct(&self, names: &Names, row: usize, access: Access) -> String {
        let Some(s) = self.structs.rows.get(row) else { return String::new() };
        let ty = CType::Struct(row);
        let writes = |ty: &CType| access == Access::Write && self.has_arrays(ty);
        let name = names.structure(row, writes(&ty));
        let mut text = String::new();
        let (mut fields, mut scope) = (Vec::new(), Scope::default());
        for (at, (field, ty)) in s.shape.fields.iter().enumerate() {
            let note = s.notes.get(at).filter(|_| !matches!(ty, CType::Scalar(_)) || field == "tag");
            let rust = match ty {
                CType::Inline(_) => {
                    let own = names.payload(row, at, writes(ty));
                    // One without arrays is the same for both.
                    if access == Access::Read || writes(ty) {
                        text.push_str(&self.rust_payload(names, own, (field, name), ty, access));
                    }
                    format!("{own}{}", of_lifetime(self.has_arrays(ty), "'a"))
                }
                _ => self.rust_type(names, ty, access, "'a"),
            };
            fields.push((scope.fresh(&names::identifier(field)), rust, note.map(String::as_str)));
        }
        let mut says = s.doc.clone();
        if access == Access::Write {
            let line_between = (!says.is_empty()).then(String::new);
            says.splice(0..0, std::iter::once("Memory for a result.".to_string()).chain(line_between));
        }
        text + &self.rust_fields(name, &says, &fields, &ty, access)
    }

    /// The struct `own` for the field `field` of the struct `name`.
    fn rust_payload(
        &self,
        names: &Names,
        own: &str,
        (field, name): (&str, &str),
        ty: &CType,
        access: Access,
    ) -> String {
        let part = |(part, ty): &(String, CType)| (part.clone(), self.rust_type(names, ty, access, "'a"), None);
        let parts: Vec<(String, String, Option<&str>)> = self.structs.fields(ty).iter().map(part).collect();
        self.rust_fields(own, &[format!("`{field}` of [`{name}`].")], &parts, ty, access)
    }

    fn rust_fields(
        &self,
        name: &str,
        says: &[String],
        fields: &[(String, String, Option<&str>)],
        ty: &CType,
        access: Access,
    ) -> String {
        let copies = if access == Access::Write && self.has_arrays(ty) { "" } else { "Clone, Copy, " };
        let mut text = format!("\n{}#[repr(C)]\n#[derive({copies}Default, Debug)]\n", doc(says, ""));
        text.push_str("#[allow(dead_code, non_snake_case)]\n");
        text.push_str(&format!("pub struct {name}{} {{\n", of_lifetime(self.has_arrays(ty), "'a")));
        for (field, rust, note) in fields {
            let note = note.map(|note| format!("    /// {}\n", plain(note))).unwrap_or_default();
            text.push_str(&format!("{note}    pub {field}: {rust},\n"));
        }
        let (size, align) = self.structs.layout(ty);
        text + &format!(
            "}}\n\nconst _: () = assert!(std::mem::size_of::<{name}>() == {size} && std::mem::align_of::<{name}>() == {align});\n"
        )
    }

    /// That results of a type can be owned.
    fn rust_arrays(&self, rust: &str, ty: &CType) -> String {
        let free = self.release_symbol(ty);
        let view = rust.replace("'static", "'a");
        ARRAYS.replace("{TYPE}", rust).replace("{VIEW}", &view).replace("{FREE}", &free)
    }

    fn rust_function(&self, names: &Names, function: &Function, name: &str, into: bool) -> String {
        let local = names.locals(function);
        let mut params = vec!["context: &mut Context".to_string()];
        let mut arguments = vec!["context.0.as_ptr()".to_string()];
        let mut returned = Vec::new();
        for p in &function.parameters {
            let name = local.get(&p.name).cloned().unwrap_or_default();
            let ty = |access, lifetime| self.rust_type(names, p.ty(), access, lifetime);
            match self.passing(p, into) {
                Passing::Value => params.push(format!("{name}: {}", ty(Access::Read, "'_"))),
                Passing::Read => params.push(format!("{name}: &{}", ty(Access::Read, "'_"))),
                Passing::Memory => params.push(format!("{name}: &mut {}", ty(Access::Write, "'_"))),
                Passing::Returned => {
                    arguments.push(format!("{name}.as_mut_ptr()"));
                    returned.push(Returned { ty: ty(Access::Read, "'static"), name, owned: self.has_arrays(p.ty()) });
                    continue;
                }
            }
            arguments.push(name);
        }
        let line = params.join(", ");
        let params = if line.len() <= 80 { line } else { format!("\n    {},\n", params.join(",\n    ")) };
        let result = tuple(returned.iter().map(Returned::result_type));
        let mut text = format!("\n{}", doc(&self.rust_doc(function, into), ""));
        text.push_str("#[allow(dead_code, non_snake_case)]\n");
        text.push_str(&format!("pub fn {name}({params}) -> Result<{result}, Error> {{\n"));
        for r in &returned {
            text.push_str(&format!("    let mut {} = std::mem::MaybeUninit::uninit();\n", r.name));
        }
        let symbol = if into { function.into.as_deref().unwrap_or_default() } else { &function.symbol };
        text.push_str(
            "    // SAFETY: arrays are as long as their extents say; results have the types of the library.\n",
        );
        text.push_str(&format!("    let status = unsafe {{ sys::{symbol}({}) }};\n", arguments.join(", ")));
        text.push_str("    context.check(status)?;\n");
        if returned.is_empty() {
            return text + "    Ok(())\n}\n";
        }
        let values = tuple(returned.iter().map(Returned::value));
        text + &format!("    // SAFETY: the call has written its results.\n    Ok(unsafe {{ {values} }})\n}}\n")
    }

    fn rust_doc(&self, function: &Function, into: bool) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        if into {
            lines.push("With arrays in memory that the results name:".to_string());
            lines.push(String::new());
        }
        // What is indented is Arr, not Rust.
        let mut code = false;
        for line in function.doc() {
            let is_code = line.starts_with("    ");
            if is_code != code {
                lines.push(if is_code { "```text".to_string() } else { "```".to_string() });
            }
            code = is_code;
            lines.push(line.strip_prefix("    ").unwrap_or(line).to_string());
        }
        if code {
            lines.push("```".to_string());
        }
        let notes = function
            .parameters
            .iter()
            .map(|p| format!("- {} `{}`: `{}`", if p.is_result() { "result" } else { "parameter" }, p.name, p.note()));
        lines.push(String::new());
        lines.extend(notes);
        lines
    }

    /// The functions of the header.
    fn rust_externs(&self, names: &Names) -> String {
        let mut text = String::new();
        let mut line = |line: String| text.push_str(&format!("        {line}\n"));
        let structs = (0..self.structs.rows.len()).map(CType::Struct);
        for ty in self.arrays().into_iter().chain(structs).filter(|ty| self.has_arrays(ty)) {
            let free = self.release_symbol(&ty);
            line(format!("pub fn {free}(value: *mut {});", self.rust_type(names, &ty, Access::Read, "'static")));
        }
        for function in &self.functions {
            line(self.rust_extern(names, function, &function.symbol, false));
            if let Some(symbol) = &function.into {
                line(self.rust_extern(names, function, symbol, true));
            }
        }
        SYS.replace("{FUNCTIONS}", &text)
    }

    fn rust_extern(&self, names: &Names, function: &Function, symbol: &str, into: bool) -> String {
        let local = names.locals(function);
        let mut params = vec!["context: *mut RawContext".to_string()];
        for p in &function.parameters {
            let access = if into && p.is_result() { Access::Write } else { Access::Read };
            let lifetime = if p.is_result() && !into { "'static" } else { "'_" };
            let ty = self.rust_type(names, p.ty(), access, lifetime);
            let pointer = match (p.by_value.is_some(), p.is_result()) {
                (true, _) => "",
                (false, true) => "*mut ",
                (false, false) => "*const ",
            };
            params.push(format!("{}: {pointer}{ty}", local.get(&p.name).cloned().unwrap_or_default()));
        }
        format!("pub fn {symbol}({}) -> i32;", params.join(", "))
    }
}

/// A result that a function gives back: its type in the library, and its variable.
struct Returned {
    ty: String,
    name: String,
    /// Whether it has arrays, which are freed with it.
    owned: bool,
}

impl Returned {
    fn result_type(&self) -> String {
        if self.owned { format!("Owned<{}>", self.ty) } else { self.ty.clone() }
    }

    /// What the call has written.
    fn value(&self) -> String {
        let init = format!("{}.assume_init()", self.name);
        if self.owned { format!("Owned({init})") } else { init }
    }
}

/// Several types or values as a tuple, one as it is.
fn tuple(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    match items.as_slice() {
        [one] => one.clone(),
        _ => format!("({})", items.join(", ")),
    }
}
