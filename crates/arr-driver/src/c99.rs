//! Programs as C99 source.

use crate::export::{Export, Wanted, wanted};
use crate::program::{Execution, Program};
use crate::signature::signature;
use crate::stablehlo::{all_known, chosen};
use crate::{Failure, Session};
use arr_base::{Code, Diagnostic, Span};
use arr_c99::{Interface, Location, Parameter, Places};
use arr_ir::{Edge, Func, SizeId};
use arr_loops::LoopFunc;
use arr_pipeline::{Stage, Target, Until, Unwatched};

/// A C file, and its header.
pub use arr_c99::Module as CModule;

impl Program {
    /// The loops that C is written from, for these sizes if given. Fails as [`Program::lowered`] does.
    pub fn loops_for_c(&mut self, sizes: Option<&[i64]>, execution: &Execution) -> Result<LoopFunc, Failure> {
        self.checkpoint |= execution.checkpoint;
        self.without |= execution.without;
        self.with_floats(execution.floats)?;
        let settings = self.settings(Target::C, sizes, execution);
        Ok(self.take(&settings, Until::Stage(Stage::Loops), &mut Unwatched)?.loops()?)
    }

    /// The program as a C function of this name. Fails as [`Program::loops_for_c`] does, and with E0901 where the length of an array
    /// is known only while the program runs.
    pub fn c_function(
        &mut self,
        face: &Interface,
        execution: &Execution,
        places: &mut Places<'_>,
    ) -> Result<arr_c99::Function, Failure> {
        let loops = self.loops_for_c(face.sizes.as_deref(), execution)?;
        arr_c99::function(&loops, face, places).map_err(|why| refused(self.entry(), why))
    }
}

fn refused(entry: &str, why: arr_c99::Error) -> Failure {
    match why {
        arr_c99::Error::Internal(what) => Failure::Bug(format!("C: {what}")),
        arr_c99::Error::Unsupported(what, span) => {
            let diagnostic = Diagnostic::error(Code::UNSUPPORTED, format!("`{entry}` cannot be written as C"));
            let diagnostic = match span {
                Some(span) => diagnostic.at(span, what),
                None => diagnostic.note(what),
            };
            diagnostic
                .hint("C code allocates nothing: lengths may depend on sizes and on integer parameters, not on data")
                .into()
        }
    }
}

impl Session {
    /// Writes definitions, or their values and gradients, as a file `stem.c` and its header; for these sizes, where any are given,
    /// and with this room for sizes that only a run knows, which is a parameter if it is not given.
    /// Fails as [`Session::export`] does for a header, as [`Program::c_function`] does, and with E0705 or E0706 where a size is
    /// missing, unknown or negative.
    pub fn c99(
        &mut self,
        path: &str,
        stem: &str,
        export: &Export,
        sizes: &[(String, i64)],
        room: Option<u64>,
    ) -> Result<CModule, Failure> {
        let checked = self.checked(path)?;
        let found = wanted(&checked, path, export)?;
        all_known(&found, sizes)?;
        let execution = Execution { checkpoint: export.checkpoint, strict: export.strict, ..Execution::default() };
        let locate = |span: Span| self.location(span);
        let mut places = Places::new(&locate);
        let prefix = arr_header::prefix(path);
        let mut functions = Vec::new();
        for one in found {
            let fixed =
                if sizes.is_empty() { None } else { Some(chosen(&one.func, sizes, "C where others are given")?) };
            let face = Interface {
                room: room.map(|n| i64::try_from(n).unwrap_or(i64::MAX)),
                ..interface(&prefix, &one, fixed, export.strict)
            };
            let mut program = Program::new(one.func);
            functions.push(program.c_function(&face, &execution, &mut places)?);
        }
        let about = format!("Written by arr {} from {path}.", env!("CARGO_PKG_VERSION"));
        Ok(arr_c99::module(stem, &prefix, &about, &functions, &places))
    }

    fn location(&self, span: Span) -> Option<Location> {
        let file = self.sources().get(span.file)?;
        let (line, column) = file.line_column(span.start as usize);
        let text = file.text.lines().nth(line.saturating_sub(1)).unwrap_or("").to_string();
        Some(Location { file: file.name.clone(), line, column, text })
    }
}

/// The interface of a definition, or of its value and gradient.
fn interface(prefix: &str, one: &Wanted<'_>, sizes: Option<Vec<i64>>, strict: bool) -> Interface {
    let name = &one.def.name.text;
    let ending = if one.wrt.is_some() { "_value_and_grad" } else { "" };
    let mut doc: Vec<String> = one.def.doc.iter().map(|line| line.trim_end().to_string()).collect();
    if one.wrt.is_some() {
        doc.push("The value, and its derivatives with respect to the parameters that have a result here.".to_string());
    }
    if !doc.is_empty() {
        doc.push(String::new());
    }
    doc.extend(signature(one.def).lines().map(|line| format!("    {line}")));
    doc.push(String::new());
    let parameters = one.func.edge_params.iter().flat_map(|p| leaves(&one.func, &p.name, &p.ty)).collect();
    let symbol = format!("{prefix}_{}{ending}", arr_header::plain(name));
    Interface { symbol, doc, parameters, results: results(&one.func, one.wrt.as_deref()), sizes, room: None, strict }
}

/// The results' leaves: the value and the derivatives of a gradient, the items of a tuple.
fn results(func: &Func, wrt: Option<&[usize]>) -> Vec<Parameter> {
    let Edge::Tuple(items) = &func.edge_result else { return leaves(func, "result", &func.edge_result) };
    let name = |at: usize| match (wrt, at.checked_sub(1)) {
        (None, _) => format!("result_{at}"),
        (Some(_), None) => "value".to_string(),
        (Some(wrt), Some(before)) => {
            let param = wrt.get(before).and_then(|&param| func.edge_params.get(param));
            format!("d_{}", param.map_or("", |p| &p.name))
        }
    };
    items.iter().enumerate().flat_map(|(at, item)| leaves(func, &name(at), item)).collect()
}

/// The leaves of a type, named by their paths: `m_weight` for the field `weight` of `m`.
fn leaves(func: &Func, name: &str, edge: &Edge) -> Vec<Parameter> {
    let size = |&size: &SizeId| format!("[{}]", arr_data::size_text(func, func.types.poly(size)));
    let leaf = |leaf: arr_ir::Leaf| Parameter {
        name: format!("{name}{}", leaf.path.replace('.', "_")),
        ty: format!("{}{}", leaf.ty.dims.iter().map(size).collect::<String>(), leaf.ty.elem.name()),
    };
    edge.leaves().into_iter().map(leaf).collect()
}
