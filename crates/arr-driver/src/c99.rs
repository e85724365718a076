//! Programs as C99 source.

use crate::execution::Execution;
use crate::export::{Export, wanted};
use crate::program::Program;
use crate::stablehlo::{all_known, chosen};
use crate::{Failure, Session};
use arr_base::{Code, Diagnostic, Span};
use arr_c99::{Interface, Location, Parameter, Places, ResultSize, Tag};
use arr_capi::SourceLocation;
use arr_header::{Definition, Role, Scope};
use arr_ir::{Edge, Func, Poly, Scalar, SizeId, Value, VarId};
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

    /// The element types and lengths of the results' leaves for a call; `None` where a length is no polynomial of sizes and
    /// integers, or too large.
    pub fn result_lengths(&self, sizes: &[i64], leaves: &[Value]) -> Option<Vec<(Scalar, i64)>> {
        let func = self.func();
        let mut value = |v: VarId| {
            let size = func.sizes.iter().position(|&s| s == v).and_then(|at| sizes.get(at).copied());
            let param = || match func.params.iter().position(|&p| p == v).and_then(|at| leaves.get(at)) {
                Some(Value::Scalar(c)) => c.as_i64(),
                _ => None,
            };
            size.or_else(param)
        };
        let mut length = |dims: &[SizeId]| {
            dims.iter()
                .try_fold(1i64, |product, &dim| product.checked_mul(func.types.poly(dim).eval(&mut value)?.max(0)))
        };
        let all = func.edge_result.leaves();
        all.iter().map(|leaf| Some((leaf.ty.elem, length(&leaf.ty.dims)?))).collect()
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
        let execution = export.execution();
        let locate = |span: Span| self.location(span);
        let mut places = Places::new(&locate);
        let prefix = arr_header::prefix(path);
        let mut taken = arr_c99::taken(&prefix);
        let (mut faces, mut tags) = (Vec::new(), Tags::default());
        for one in &found {
            let edges = one.func.edge_params.iter().map(|p| &p.ty).chain([&one.func.edge_result]);
            tags.extend(edges, &prefix, &mut taken);
            let face = interface(&prefix, &self.definition_of(one), &tags);
            let fixed =
                if sizes.is_empty() { None } else { Some(chosen(&one.func, sizes, "C where others are given")?) };
            faces.push(Interface {
                symbol: taken.fresh(&face.symbol),
                sizes: fixed,
                room: room.map(|n| i64::try_from(n).unwrap_or(i64::MAX)),
                strict: export.strict,
                ..face
            });
        }
        let mut functions = Vec::new();
        for (one, face) in found.into_iter().zip(faces) {
            let face = Interface { taken: taken.clone(), ..face };
            functions.push(Program::new(one.func).c_function(&face, &execution, &mut places)?);
        }
        let about = format!("Written by arr {} from {path}.", env!("CARGO_PKG_VERSION"));
        Ok(arr_c99::module(stem, (&prefix, &about), &tags.names(), &functions, &places))
    }

    fn location(&self, span: Span) -> Option<Location> {
        let SourceLocation { file, line, column } = self.place(span)?;
        let text = self.sources().get(span.file)?.line(line).to_string();
        Some(Location { file, line, column, text })
    }
}

/// The constants for the tags of sums, by their constructors.
#[derive(Default)]
struct Tags(Vec<(Vec<String>, Vec<String>)>);

impl Tags {
    /// Adds those of these types.
    fn extend<'e>(&mut self, edges: impl Iterator<Item = &'e Edge>, prefix: &str, taken: &mut Scope) {
        for (sum, constructors) in edges.flat_map(arr_header::sums) {
            if self.of(&constructors).is_none() {
                let names = constructors.iter().map(|c| taken.fresh(&arr_header::tag_name(prefix, sum, c))).collect();
                self.0.push((constructors.iter().map(ToString::to_string).collect(), names));
            }
        }
    }

    fn of(&self, constructors: &[&str]) -> Option<&[String]> {
        self.0.iter().find(|(known, _)| known == constructors).map(|(_, names)| names.as_slice())
    }

    /// The constants of each sum.
    fn names(&self) -> Vec<Vec<String>> {
        self.0.iter().map(|(_, names)| names.clone()).collect()
    }
}

/// The interface of a definition, or of its value and gradient.
fn interface(prefix: &str, definition: &Definition<'_>, tags: &Tags) -> Interface {
    let func = definition.func;
    let mut parameters: Vec<Parameter> = Vec::new();
    for param in &func.edge_params {
        let own = leaves(func, &param.name, &param.ty, (parameters.len(), tags));
        parameters.extend(own);
    }
    let named = arr_header::result_names(func, definition.wrt.as_deref());
    let mut results = Vec::new();
    for (name, edge) in &named {
        results.extend(leaves(func, name, edge, (results.len(), tags)));
    }
    let result_sizes = result_sizes(func, &results);
    let mut doc = arr_header::documentation(definition);
    doc.push(String::new());
    Interface {
        symbol: arr_header::symbol(prefix, definition),
        doc,
        parameters,
        results,
        result_sizes,
        place: Some(definition.def.name.span),
        sizes: None,
        room: None,
        strict: false,
        taken: Scope::default(),
    }
}

/// The sizes of results that depend on more than sizes and integers, each once.
fn result_sizes(func: &Func, results: &[Parameter]) -> Vec<ResultSize> {
    let given = |v: VarId| func.sizes.contains(&v) || func.params.contains(&v);
    let mut seen: Vec<&Poly> = Vec::new();
    let mut found = Vec::new();
    for (output, (leaf, result)) in func.edge_result.leaves().iter().zip(results).enumerate() {
        for (axis, &dim) in leaf.ty.dims.iter().enumerate() {
            let poly = func.types.poly(dim);
            if poly.terms.keys().flatten().all(|&v| given(v)) || seen.contains(&poly) {
                continue;
            }
            seen.push(poly);
            let text = arr_data::size_text(func, poly);
            let own = if poly.as_var().is_some() { text.clone() } else { "size".to_string() };
            found.push(ResultSize { name: format!("{}_{own}", result.name), text, output, axis });
        }
    }
    found
}

/// The leaves of a type, named by their paths: `m_weight` for the field `weight` of `m`. There are `before` others.
fn leaves(func: &Func, name: &str, edge: &Edge, (before, tags): (usize, &Tags)) -> Vec<Parameter> {
    let size = |&size: &SizeId| format!("[{}]", arr_data::size_text(func, func.types.poly(size)));
    let mut sums = arr_header::sums(edge).into_iter();
    let leaf = |(leaf, role): (arr_ir::Leaf, Role)| {
        let path = format!("{name}{}", leaf.path);
        let constructors = if role.choices > 0 { sums.next() } else { None };
        let names = constructors.and_then(|(_, list)| tags.of(&list)).map(|names| format!(": {}", names.join(", ")));
        let tag = Tag { choices: role.choices, carried_by: role.carried_by, path: path.clone() };
        let dims = leaf.ty.dims.iter().map(size).collect::<String>();
        Parameter {
            name: path.replace('.', "_"),
            ty: format!("{dims}{}{}", leaf.ty.elem.name(), names.unwrap_or_default()),
            tag: (tag.choices > 0).then_some(tag),
        }
    };
    edge.leaves().into_iter().zip(arr_header::roles(edge, before)).map(leaf).collect()
}
