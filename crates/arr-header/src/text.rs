//! The text of a header.

use crate::interface::{Function, Interface, Parameter};
use crate::types::CType;
use arr_ir::Scalar;

/// The beginning of every header, of which only the first inclusion counts.
const COMMON: &str = include_str!("common.h");

/// The type of an element in C.
pub fn c_type(elem: Scalar) -> &'static str {
    match elem {
        Scalar::Bool => "bool",
        Scalar::I32 => "int32_t",
        Scalar::I64 => "int64_t",
        Scalar::U32 => "uint32_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// Lines as a comment, which they cannot terminate.
pub(crate) fn comment(lines: &[String], indent: &str) -> String {
    let line = |line: &String| {
        let line = line.replace("*/", "* /").replace("/*", "/ *");
        format!("{indent} * {line}").trim_end().to_string() + "\n"
    };
    format!("{indent}/**\n{}{indent} */\n", lines.iter().map(line).collect::<String>())
}

impl Interface<'_> {
    /// The header, for objects compiled from `source`.
    pub fn header(&self, source: &str, version: &str) -> String {
        let guard = format!("{}_H", self.prefix().to_ascii_uppercase());
        let mut text = format!("/* Compiled from {} by arr {version}. */\n", plain(source));
        text.push_str(&format!("#ifndef {guard}\n#define {guard}\n\n{COMMON}\n"));
        for array in self.arrays() {
            text.push_str(&self.array(&array));
        }
        text.push_str("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
        for (_, tags) in &self.tags {
            text.push_str(&format!("\nenum {{ {} }};\n", tags.join(", ")));
        }
        for row in 0..self.structs.rows.len() {
            text.push_str(&self.structure(row));
        }
        for function in &self.functions {
            text.push('\n');
            text.push_str(&self.function(function));
        }
        text.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
        text
    }

    pub(crate) fn type_name(&self, ty: &CType) -> String {
        match ty {
            CType::Scalar(elem) => c_type(*elem).to_string(),
            CType::Array { elem, rank } => format!("arr_{}_{rank}", elem.name()),
            CType::Struct(row) => self.structs.rows.get(*row).map(|s| s.name.clone()).unwrap_or_default(),
            CType::Inline(fields) => {
                let fields = fields.iter().map(|(name, ty)| format!("{} {name}; ", self.type_name(ty)));
                format!("struct {{ {}}}", fields.collect::<String>())
            }
        }
    }

    fn array(&self, ty: &CType) -> String {
        let CType::Array { elem, rank } = ty else { return String::new() };
        let (name, elem) = (self.type_name(ty), c_type(*elem));
        let guard = name.to_ascii_uppercase();
        let free = self.release_symbol(ty);
        format!(
            "#ifndef {guard}\n#define {guard}\ntypedef struct {name} {{\n    const {elem} *data;\n    \
             int64_t dims[{rank}];\n}} {name};\nARR_C void {free}({name} *array);\n#endif\n\n"
        )
    }

    fn structure(&self, row: usize) -> String {
        let Some(s) = self.structs.rows.get(row) else { return String::new() };
        let mut text = String::from("\n");
        if !s.doc.is_empty() {
            text.push_str(&comment(&s.doc, ""));
        }
        text.push_str(&format!("typedef struct {} {{\n", s.name));
        for (at, (name, ty)) in s.shape.fields.iter().enumerate() {
            let shown = !matches!(ty, CType::Scalar(_)) || name == "tag";
            let note = s.notes.get(at).filter(|_| shown);
            let note = note.map(|note| format!(" /* {} */", plain(note))).unwrap_or_default();
            text.push_str(&format!("    {} {name};{note}\n", self.type_name(ty)));
        }
        text.push_str(&format!("}} {};\n", s.name));
        let ty = CType::Struct(row);
        if self.has_arrays(&ty) {
            text.push_str(&format!("void {}({} *value);\n", self.release_symbol(&ty), s.name));
        }
        text
    }

    fn function(&self, function: &Function) -> String {
        let mut doc = function.doc().to_vec();
        doc.push(String::new());
        let width = function.parameters.iter().map(|p| p.name.len()).max().unwrap_or(0);
        for p in &function.parameters {
            let direction = if p.is_result() { "out" } else { "in " };
            doc.push(format!("{direction} {:width$}  {}", p.name, p.note()));
        }
        let mut text = comment(&doc, "") + &self.declaration(&function.symbol, function);
        if let Some(into) = &function.into {
            text.push_str(&format!("/** `{}`, with arrays in memory that the results name. */\n", function.symbol));
            text.push_str(&self.declaration(into, function));
        }
        text
    }

    fn declaration(&self, symbol: &str, function: &Function) -> String {
        let mut params = vec!["arr_context *context".to_string()];
        params.extend(function.parameters.iter().map(|p| self.parameter(p)));
        let line = format!("arr_status {symbol}({});\n", params.join(", "));
        if line.trim_end().chars().count() <= 100 {
            line
        } else {
            format!("arr_status {symbol}(\n    {});\n", params.join(",\n    "))
        }
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        let (ty, name) = (self.type_name(parameter.ty()), &parameter.name);
        match (parameter.by_value, parameter.is_result()) {
            (Some(_), _) => format!("{ty} {name}"),
            (None, true) => format!("{ty} *{name}"),
            (None, false) => format!("const {ty} *{name}"),
        }
    }
}

/// Text for a comment on one line.
pub(crate) fn plain(text: &str) -> String {
    text.replace("*/", "* /").replace(['\n', '\r'], " ")
}
