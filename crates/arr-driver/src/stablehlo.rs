//! Programs as StableHLO, for XLA.

use crate::execution::Execution;
use crate::export::{Export, Wanted, wanted};
use crate::program::Program;
use crate::{Failure, Session};
use arr_base::{Code, Diagnostic, Span};
use arr_ir::{Edge, Func, RunError, RunErrorKind};
use arr_pipeline::{Target, Until, Unwatched};
use arr_stablehlo::{Call, Error, Function, Site, SiteKind};

/// A module, and the data that a host needs to call its functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StableHlo {
    pub text: String,
    /// JSON.
    pub manifest: String,
}

impl Program {
    /// The program as a function of a StableHLO module, for these sizes; leaves of parameters, by number, that are these
    /// integers in every call are no parameters of it. The execution's limit on steps is the room for sizes that only a run
    /// knows. Sanitized, arrays of any size are changed in place, so that small programs try what large ones need. Fails as
    /// [`Program::lowered`] does, and with E0901 where there are such sizes and no limit, all of which it shows, or for what
    /// XLA lacks.
    pub fn stablehlo(
        &mut self,
        name: &str,
        sizes: &[i64],
        known: &[(usize, i64)],
        execution: &Execution,
    ) -> Result<Function, Failure> {
        self.checkpoint |= execution.checkpoint;
        self.without |= execution.without;
        self.with_floats(execution.floats)?;
        let room = execution.max_steps.map(|steps| i64::try_from(steps).unwrap_or(i64::MAX));
        // The steps of loops are not counted.
        let execution = Execution { max_steps: None, ..*execution };
        let settings = self.settings(Target::Xla, Some(sizes), &execution);
        let func = self.take(&settings, Until::Step("contract"), &mut Unwatched)?.func()?;
        let mut call = Call { sizes, known, room, ..Call::default() };
        if execution.sanitize {
            call.in_place_from = 0;
        }
        arr_stablehlo::function(&func, name, &call).map_err(|why| self.refused(why))
    }

    fn refused(&self, why: Error) -> Failure {
        let title = format!("`{}` cannot be written as StableHLO", self.entry());
        let diagnostic = Diagnostic::error(Code::UNSUPPORTED, title);
        let explained = |diagnostic: Diagnostic, what: String, span: Option<Span>| match span {
            Some(span) => diagnostic.at(span, what),
            None => diagnostic.note(what),
        };
        match why {
            Error::Internal(what) => Failure::Bug(format!("StableHLO: {what}")),
            Error::Unsupported(what, span) => {
                explained(diagnostic, what, span).hint(known_sizes(&["k".to_string()])).into()
            }
            Error::UnknownSizes(sizes) => {
                let mut names: Vec<String> = sizes.iter().flat_map(|size| size.params.clone()).collect();
                names.sort();
                names.dedup();
                let mut places: Vec<Option<Span>> = sizes.iter().map(|size| size.span).collect();
                places.sort_by_key(|place| place.map(|span| (span.file, span.start, span.end)));
                places.dedup();
                let mut told = diagnostic;
                for (k, &span) in places.iter().enumerate() {
                    let what = if k == 0 {
                        "the size of an array is known only when the program runs"
                    } else {
                        "so is one here"
                    };
                    told = explained(told, what.to_string(), span);
                }
                told.hint(known_sizes(&names)).into()
            }
        }
    }
}

/// How a program gets sizes that XLA knows: by the names of the integers that they are, if there are any, or by room.
fn known_sizes(names: &[String]) -> String {
    let room = "make room for up to N with `--max-steps N`, as for the steps of a `while`";
    if names.is_empty() {
        return format!("XLA compiles for sizes that it knows: {room}");
    }
    let example: Vec<String> = names.iter().map(|name| format!("{name}=10")).collect();
    let example = example.join(",");
    format!(
        "XLA compiles for sizes that it knows: give the number that a size is by name, as in `--sizes {example}`; or {room}"
    )
}

impl Session {
    /// Writes definitions, or their values and gradients, as a StableHLO module for the sizes that are given by name; `room`
    /// is that for sizes that only a run knows. Fails as [`Session::export`] does for a header, as [`Program::stablehlo`] does,
    /// and with E0705 or E0706 where a size is missing, unknown or negative.
    pub fn stablehlo(
        &mut self,
        path: &str,
        export: &Export,
        sizes: &[(String, i64)],
        room: Option<u64>,
    ) -> Result<StableHlo, Failure> {
        let checked = self.checked(path)?;
        let found = wanted(&checked, path, export)?;
        all_known(&found, sizes)?;
        let execution = Execution { strict: false, max_steps: room, ..export.execution() };
        let (mut functions, mut described, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for Wanted { func, .. } in found {
            match self.written(func, sizes, &execution) {
                Ok((function, description)) => {
                    functions.push(function);
                    described.push(description);
                }
                Err(Failure::Diagnostics(list)) => wrong.extend(list),
                Err(bug) => return Err(bug),
            }
        }
        if !wrong.is_empty() {
            return Err(wrong.into());
        }
        let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".arr");
        let manifest = serde_json::json!({ "stablehlo": VERSION, "functions": described });
        let text = format!("// StableHLO {VERSION}, written by arr {}.\n", env!("CARGO_PKG_VERSION"));
        let text = text + &arr_stablehlo::module(stem, &functions);
        Ok(StableHlo { text, manifest: format!("{manifest:#}\n") })
    }

    /// A function of the module, and what the manifest says of it.
    fn written(
        &self,
        func: Func,
        sizes: &[(String, i64)],
        execution: &Execution,
    ) -> Result<(Function, serde_json::Value), Failure> {
        let (chosen, known) = (chosen(&func, sizes, "StableHLO")?, numbers(&func, sizes));
        let name = arr_stablehlo::symbol(&func.name);
        let mut program = Program::new(func);
        let function = program.stablehlo(&name, &chosen, &known, execution)?;
        let description = self.described(program.func(), &name, (&chosen, &known), &function.sites);
        Ok((function, description))
    }

    /// A function for the manifest.
    fn described(
        &self,
        func: &Func,
        name: &str,
        (sizes, known): (&[i64], &[(usize, i64)]),
        sites: &[Site],
    ) -> serde_json::Value {
        let leaves = |edge: &Edge| -> Vec<serde_json::Value> {
            let extents = |dims: &[arr_ir::SizeId]| -> Vec<String> {
                dims.iter().map(|&size| arr_data::size_text(func, func.types.poly(size))).collect()
            };
            let leaf = |leaf: &arr_ir::Leaf| serde_json::json!({ "path": leaf.path, "type": leaf.ty.elem.name(), "extents": extents(&leaf.ty.dims) });
            edge.leaves().iter().map(leaf).collect()
        };
        let parameter =
            |p: &arr_ir::EdgeParam| serde_json::json!({ "name": p.name, "type": p.text, "leaves": leaves(&p.ty) });
        let site = |site: &Site| {
            let place = site.span.and_then(|span| self.sources().get(span.file).map(|file| (file, span)));
            let place = place.map(|(file, span)| {
                let (line, column) = file.line_column(span.start as usize);
                format!("{}:{line}:{column}", file.name)
            });
            let error = failure_of(*site, [0; 3]);
            serde_json::json!({ "code": error.to_diagnostic().code.to_string(), "place": place })
        };
        let named = |v: arr_ir::VarId, n: i64| (func.name(v).to_string(), n.into());
        let own = known.iter().filter_map(|&(at, n)| func.params.get(at).map(|&v| named(v, n)));
        let names: serde_json::Map<String, serde_json::Value> =
            func.sizes.iter().zip(sizes).map(|(&v, &n)| named(v, n)).chain(own).collect();
        let left: Vec<&arr_ir::EdgeParam> =
            parameters(func).filter(|(at, _)| !known.iter().any(|k| k.0 == *at)).map(|p| p.1).collect();
        serde_json::json!({
            "name": name,
            "sizes": names,
            "parameters": left.into_iter().map(parameter).collect::<Vec<_>>(),
            "result": { "type": arr_data::edge_text(func, &func.edge_result), "leaves": leaves(&func.edge_result) },
            "checks": sites.iter().map(site).collect::<Vec<_>>(),
        })
    }
}

/// The least version of StableHLO that has all operations.
const VERSION: &str = "1.9.0";

/// The sizes of a function, by their names. Fails with E0705 where one is missing that `language` needs.
pub(crate) fn chosen(func: &Func, sizes: &[(String, i64)], language: &str) -> Result<Vec<i64>, Failure> {
    let of = |name: &str| sizes.iter().find(|(own, _)| own == name).map(|(_, size)| *size);
    let missing: Vec<&str> = func.sizes.iter().map(|&v| func.name(v)).filter(|name| of(name).is_none()).collect();
    if !missing.is_empty() {
        let all: Vec<String> = func.sizes.iter().map(|&v| format!("{}=100", func.name(v))).collect();
        let title = format!("`{}` needs the size `{}` for {language}", func.name, missing.join("`, `"));
        let hint = format!("say for example `--sizes {}`", all.join(","));
        return Err(Diagnostic::error(Code::ARGUMENT_MISSING, title).hint(hint).into());
    }
    Ok(func.sizes.iter().filter_map(|&v| of(func.name(v))).collect())
}

/// The parameters, with the number of the first leaf of each.
fn parameters(func: &Func) -> impl Iterator<Item = (usize, &arr_ir::EdgeParam)> {
    func.edge_params.iter().scan(0, |leaf, param| {
        let at = *leaf;
        *leaf += param.ty.leaves().len();
        Some((at, param))
    })
}

/// The integer parameters that are given by name, by the numbers of their leaves.
fn numbers(func: &Func, sizes: &[(String, i64)]) -> Vec<(usize, i64)> {
    let given = |(at, param): (usize, &arr_ir::EdgeParam)| {
        let size = sizes.iter().find(|(name, _)| *name == param.name)?;
        (param.ty == Edge::Scalar(arr_ir::Scalar::I64)).then_some((at, size.1))
    };
    parameters(func).filter_map(given).collect()
}

/// Whether every given size is one of a function, and can be one, or the name of an integer.
pub(crate) fn all_known(wanted: &[Wanted<'_>], sizes: &[(String, i64)]) -> Result<(), Failure> {
    for (at, (name, size)) in sizes.iter().enumerate() {
        if let Some((_, other)) = sizes.iter().take(at).find(|(before, other)| before == name && other != size) {
            let title = format!("the size `{name}` is given twice, as {other} and as {size}");
            return Err(Diagnostic::error(Code::ARGUMENT_SYNTAX, title).into());
        }
        let known = wanted.iter().any(|w| w.func.sizes.iter().any(|&v| w.func.name(v) == name));
        if wanted
            .iter()
            .any(|w| w.func.edge_params.iter().any(|p| p.name == *name && p.ty == Edge::Scalar(arr_ir::Scalar::I64)))
        {
            continue;
        }
        let title = match (known, size) {
            (false, _) => format!("there is no size `{name}`"),
            (true, ..0) => format!("the size `{name}` is {size}, and sizes are not negative"),
            (true, _) => continue,
        };
        return Err(Diagnostic::error(Code::ARGUMENT_SYNTAX, title).into());
    }
    Ok(())
}

/// The run-time error that a function's last result tells of; none if it is 0. The words are the number of the place, from 1
/// on, and three values.
pub fn stablehlo_failure(sites: &[Site], words: [i64; 4]) -> Option<RunError> {
    let [number, a, b, c] = words;
    let site = usize::try_from(number).ok()?.checked_sub(1).and_then(|at| sites.get(at))?;
    Some(failure_of(*site, [a, b, c]))
}

fn failure_of(site: Site, [a, b, c]: [i64; 3]) -> RunError {
    let kind = match site.kind {
        SiteKind::Index => RunErrorKind::Index { index: a, extent: b },
        SiteKind::Slice => RunErrorKind::Slice { lo: a, hi: b, extent: c },
        SiteKind::SizeEq => RunErrorKind::SizeAssertion { found: a, expected: b },
        SiteKind::SizeNonNeg => RunErrorKind::NegativeSize { size: a },
        SiteKind::NonEmpty => RunErrorKind::EmptyReduction,
        SiteKind::Step => RunErrorKind::Step { step: a },
        SiteKind::DivisionByZero => RunErrorKind::DivisionByZero,
        SiteKind::TooMany { limit } => RunErrorKind::TooManySteps { limit },
    };
    RunError::new(kind, site.span)
}
