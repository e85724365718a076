//! Definitions compiled ahead of time, for programs in other languages: an object file and its header.

use crate::execution::{Execution, Floats};
use crate::program::{Program, code_generation, demote_f64};
use crate::session::no_entry;
use crate::signature::signature;
use crate::{Failure, Session};
use arr_base::{Code, Diagnostic, Span};
use arr_capi::{Description, SourceLocation};
use arr_check::{Checked, GradientMode};
use arr_cpu::{Cpu, ObjectFunction, ObjectOptions, ObjectRelease};
use arr_header::{Definition, Function, Interface, Parameter};
use arr_ir::Func;
use arr_loops::LoopFunc;
use arr_pipeline::Without;
use arr_syntax::ast::{Def, Item};

/// The definitions to compile, and how.
#[derive(Clone, Debug)]
pub struct Export {
    /// Definitions.
    pub entries: Vec<String>,
    /// Definitions whose value and gradient to compile, each with the parameters to differentiate with respect to: all that
    /// hold floats if there are none.
    pub gradients: Vec<(String, Vec<String>)>,
    pub cpu: Cpu,
    pub strict: bool,
    pub checkpoint: bool,
    /// Steps of the compiler to leave out.
    pub without: Without,
    /// The type of floats, in the header too.
    pub floats: Floats,
    /// The name of the header in C, for what includes it.
    pub header_name: String,
}

impl Export {
    /// How the compiler is to run, for code of this machine and with the floats as declared.
    pub(crate) fn execution(&self) -> Execution {
        Execution { strict: self.strict, checkpoint: self.checkpoint, without: self.without, ..Execution::default() }
    }
}

/// The result of an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The header in C.
    pub header: String,
    /// A header in C++ that includes the header in C by the name that was given.
    pub cpp: String,
    /// A module in Rust.
    pub rust: String,
    /// In the format of this machine; empty if only the header was asked for.
    pub object: Vec<u8>,
    /// The symbols that the object defines for others.
    pub symbols: Vec<String>,
}

/// A function to be compiled.
pub(crate) struct Wanted<'c> {
    pub func: Func,
    def: &'c Def,
    wrt: Option<Vec<usize>>,
}

impl Session {
    /// Compiles definitions of a file. Without `with_object` only the header is made. Fails as [`Session::checked`]
    /// does and with all errors of the definitions: E0206 where there is none of the name, E0313 where one has a type
    /// parameter, E05xx where one has no gradient. For an object besides E0504 or E0902 where a step cannot compile
    /// one, and E0901 where no code can be generated.
    pub fn export(&mut self, path: &str, export: &Export, with_object: bool) -> Result<Exported, Failure> {
        let checked = self.checked(path)?;
        let module = checked.module().clone();
        let wanted = wanted(&checked, path, export)?;
        let mut interface = Interface::new(&arr_header::prefix(path), &module);
        let mut functions = Vec::new();
        for one in &wanted {
            functions.push(interface.add(&self.definition_of(one)));
        }
        let version = env!("CARGO_PKG_VERSION");
        let header = interface.header(path, version);
        let cpp = interface.cpp(path, version, &export.header_name);
        let rust = interface.rust(path, version);
        let releases = interface.releases();
        let symbols = functions
            .iter()
            .flat_map(|f| [Some(&f.symbol), f.into.as_ref()])
            .flatten()
            .chain(releases.iter().map(|r| &r.symbol));
        let symbols = symbols.cloned().collect();
        if !with_object {
            return Ok(Exported { header, cpp, rust, object: Vec::new(), symbols });
        }
        let execution = export.execution();
        let mut loops = Vec::new();
        for one in &wanted {
            let mut program = Program::new(one.func.clone());
            loops.push(program.loops(&execution)?);
        }
        let functions: Vec<ObjectFunction> =
            functions.iter().zip(&loops).map(|(function, loops)| self.object_function(function, loops)).collect();
        let releases: Vec<ObjectRelease> =
            releases.iter().map(|r| ObjectRelease { symbol: &r.symbol, shared: r.shared, fields: &r.fields }).collect();
        let options = ObjectOptions { cpu: export.cpu, verify: arr_base::checks_itself(), relaxed: !export.strict };
        let object = arr_cpu::object(path, &functions, &releases, options).map_err(code_generation)?;
        Ok(Exported { header, cpp, rust, object, symbols })
    }

    fn object_function<'a>(&self, function: &'a Function, loops: &'a LoopFunc) -> ObjectFunction<'a> {
        let places = loops.spans.iter().map(|(_, span)| span.and_then(|span| self.place(span)));
        ObjectFunction {
            symbol: &function.symbol,
            into: function.into.as_deref(),
            loops,
            parameters: function.parameters.iter().map(|p: &Parameter| p.by_value).collect(),
            description: Description { places: places.collect(), ..function.description.clone() },
        }
    }

    /// A definition in the form that interfaces in C are made of.
    pub(crate) fn definition_of<'w>(&self, one: &'w Wanted<'w>) -> Definition<'w> {
        Definition {
            func: &one.func,
            def: one.def,
            signature: signature(one.def),
            place: self.place(one.def.name.span).map_or(String::new(), |p| format!("{}:{}", p.file, p.line)),
            wrt: one.wrt.clone(),
        }
    }

    pub(crate) fn place(&self, span: Span) -> Option<SourceLocation> {
        let file = self.sources().get(span.file)?;
        let (line, column) = file.line_column(span.start as usize);
        Some(SourceLocation { file: file.name.clone(), line, column })
    }
}

/// The functions, or all errors of the request.
pub(crate) fn wanted<'c>(checked: &'c Checked, path: &str, export: &Export) -> Result<Vec<Wanted<'c>>, Failure> {
    let mut found = Vec::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let entries = export.entries.iter().map(|name| (name, None));
    let gradients = export.gradients.iter().map(|(name, wrt)| (name, Some(wrt)));
    let mut all: Vec<(&String, Option<&Vec<String>>)> = entries.chain(gradients).collect();
    // A definition that is requested twice is compiled once.
    let mut seen = Vec::new();
    all.retain(|one| {
        !seen.contains(one) && {
            seen.push(*one);
            true
        }
    });
    for (name, wrt) in all {
        match one(checked, path, name, wrt.map(Vec::as_slice)) {
            Ok(one) => found.push(one),
            Err(list) => diagnostics.extend(list.into_iter().filter(|d| !diagnostics.contains(d)).collect::<Vec<_>>()),
        }
    }
    if export.floats == Floats::F32 {
        for one in &mut found {
            match demote_f64(&mut one.func) {
                Ok(()) => {}
                Err(Failure::Diagnostics(list)) => diagnostics.extend(list),
                Err(bug) => return Err(bug),
            }
        }
    }
    if diagnostics.is_empty() { Ok(found) } else { Err(diagnostics.into()) }
}

pub(crate) fn one<'c>(
    checked: &'c Checked,
    path: &str,
    name: &str,
    wrt: Option<&[String]>,
) -> Result<Wanted<'c>, Vec<Diagnostic>> {
    let defs = checked.module().items.iter().filter_map(|i| if let Item::Def(def) = i { Some(def) } else { None });
    let Some(def) = defs.into_iter().find(|def| def.name.text == name) else {
        return Err(vec![no_entry(checked.module(), path, name)]);
    };
    if let Some(param) = def.type_params.first() {
        let title = format!("`{name}` has the type parameter `{}`, and a C function has one type", param.name.text);
        let hint =
            format!("write a definition that calls `{name}` with parameters of the types you need, and build that");
        let label = "any type may stand here";
        return Err(vec![Diagnostic::error(Code::AMBIGUOUS, title).at(param.name.span, label).hint(hint)]);
    }
    let Some(names) = wrt else {
        return Ok(Wanted { func: arr_check::elaborate(checked, name)?, def, wrt: None });
    };
    let func = arr_check::elaborate_gradient(checked, name, names, GradientMode::ReverseWithValue)?;
    let params = func.edge_params.iter().enumerate();
    let places = if names.is_empty() {
        params.filter(|(_, p)| p.ty.has_float()).map(|(at, _)| at).collect()
    } else {
        names.iter().filter_map(|name| func.edge_params.iter().position(|p| p.name == *name)).collect()
    };
    Ok(Wanted { func, def, wrt: Some(places) })
}
