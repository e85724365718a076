//! Runs all examples and tests of a file.

use crate::compare;
use crate::error::{self, Broken};
use crate::example::{examples, run_example};
use crate::generate::{Case, Purpose, Random, case};
use crate::literal;
use crate::property::Compiled;
use crate::shrink::Shrinker;
use crate::{Finding, FindingKind, Options};
use arr_base::{Diagnostic, SourceId};
use arr_check::{Checked, observations};
use arr_driver::{Failure, Gradients, Program, Session};
use arr_ir::Func;
use arr_syntax::ast::{Item, TestDef};

/// A gradient test uses this fraction of the cases: each takes several runs per parameter.
const GRADIENT_SHARE: u32 = 10;

/// Reads and checks a file and runs its examples and tests. Errors in the file are a failure.
pub fn run_file(session: &mut Session, path: &str, options: &Options) -> Result<Vec<Finding>, Failure> {
    let checked = session.checked(path)?;
    file_findings(session, path, &checked, options)
}

/// Runs the examples and tests of a checked file, in source order. Fails only with a [`Failure::Bug`]; a violation is a
/// finding.
pub fn file_findings(
    session: &mut Session,
    path: &str,
    checked: &Checked,
    options: &Options,
) -> Result<Vec<Finding>, Failure> {
    let module = checked.module().clone();
    let chosen = |name: &str| options.filter.as_ref().is_none_or(|text| name.contains(text.as_str()));
    let skipped = |name: &str| options.skip.contains(&name);
    let mut findings = Vec::new();
    for item in &module.items {
        if let Some(file) = file_of(item) {
            for example in examples(&session.text(file), item) {
                if skipped(&example.of) || !chosen(&example.of) && !chosen(&example.text) {
                    continue;
                }
                let failure = run_example(session, file, checked, &example, &options.execution)?.err();
                findings.push(Finding { kind: FindingKind::Example, name: example.of, span: example.span, failure });
            }
        }
        if let Item::Test(test) = item
            && chosen(test.title())
            && !skipped(test.title())
        {
            findings.push(run_test(session, path, checked, test, options)?);
        }
    }
    Ok(findings)
}

fn file_of(item: &Item) -> Option<SourceId> {
    match item {
        Item::Def(def) => Some(def.span.file),
        Item::Type(def) => Some(def.span.file),
        Item::Test(test) => Some(test.def.span.file),
        _ => None,
    }
}

fn run_test(
    session: &Session,
    path: &str,
    checked: &Checked,
    test: &TestDef,
    options: &Options,
) -> Result<Finding, Failure> {
    let kind = match (test.gradient, &test.def.params) {
        (true, _) => FindingKind::Gradient,
        (false, Some(_)) => FindingKind::Property,
        (false, None) => FindingKind::Test,
    };
    let failure = match outcome(session, path, checked, test, kind, options) {
        Ok(failure) => failure,
        // Errors that the checker finds only when a test is compiled are reported unchanged.
        Err(Failure::Diagnostics(list)) => list.into_iter().next(),
        Err(bug) => return Err(bug),
    };
    Ok(Finding { kind, name: test.title().to_string(), span: test.def.span, failure })
}

fn outcome(
    session: &Session,
    path: &str,
    checked: &Checked,
    test: &TestDef,
    kind: FindingKind,
    options: &Options,
) -> Result<Option<Diagnostic>, Failure> {
    let mut program = session.test(checked, &test.def.name.text)?;
    let func = program.func().clone();
    let compiled = compile(checked, test, &mut program, options)?;
    let body = test.def.body.span;
    if kind == FindingKind::Test {
        let case = Case { sizes: Default::default(), leaves: Vec::new() };
        let broken = compiled.look(&func, &case)?;
        return Ok(broken.map(|broken| broken.explain(error::test_failed(test.title()), body)));
    }
    let purpose = if kind == FindingKind::Gradient { Purpose::Gradient } else { Purpose::Property };
    let cases = if kind == FindingKind::Gradient { options.cases.div_ceil(GRADIENT_SHARE) } else { options.cases };
    for number in 0..u64::from(cases) {
        let mut random = Random::new(options.seed, test.title(), number);
        let Some(case) = case(&func, &mut random, number, purpose) else {
            return Ok(Some(error::no_sizes(test.title(), test.def.name.span)));
        };
        if compiled.look(&func, &case)?.is_some() {
            let (case, broken) = simplest(&compiled, &func, purpose, case)?;
            let head = if test.gradient { error::gradient_failed } else { error::property_failed };
            let diagnostic = broken.explain(head(test.title()), body);
            return Ok(Some(repeatable(diagnostic, path, test, &func, &case, (options.seed, number))));
        }
    }
    Ok(None)
}

fn compile(checked: &Checked, test: &TestDef, program: &mut Program, options: &Options) -> Result<Compiled, Failure> {
    let stated = test.within.as_ref().and_then(|w| w.number.decimal_digits().parse::<f64>().ok());
    let tolerance = compare::of_test(stated, options.execution.floats);
    if test.gradient {
        let gradients = Gradients::new(checked, &test.def.name.text, tolerance, &options.execution)?;
        return Ok(Compiled::Derivatives { name: test.title().to_string(), gradients: Box::new(gradients) });
    }
    Ok(Compiled::Body {
        executable: program.executable(&options.execution)?,
        result: program.result_type().clone(),
        parts: observations(&test.def.body),
        tolerance,
    })
}

/// The simplest arguments found for which the test fails, and how.
fn simplest(compiled: &Compiled, func: &Func, purpose: Purpose, case: Case) -> Result<(Case, Broken), Failure> {
    let mut shrinker = Shrinker::new(func, purpose, |case: &Case| Ok(compiled.look(func, case)?.is_some()));
    let case = shrinker.shrink(case)?;
    match compiled.look(func, &case)? {
        Some(broken) => Ok((case, broken)),
        None => Err(Failure::Bug("a test fails and then holds for the same arguments".to_string())),
    }
}

/// Adds the arguments, and how to reproduce the failure.
fn repeatable(
    mut diagnostic: Diagnostic,
    path: &str,
    test: &TestDef,
    func: &Func,
    case: &Case,
    (seed, number): (u64, u64),
) -> Diagnostic {
    let bindings = literal::bindings(test, func, case);
    diagnostic.notes.insert(0, format!("for\n{}", bindings.join("\n")));
    diagnostic.notes.push(format!("found with `--seed {seed}`, in case {}", number + 1));
    let expression = literal::quoted(&literal::expression(test, func, case));
    // Of a gradient test the expression gives what is differentiated.
    let hint = match diagnostic.hint.take() {
        Some(found) => format!("{found}\nsee the value with\narr eval {path} {expression}"),
        None => format!("see it with\narr eval {path} {expression}"),
    };
    diagnostic.hint(hint)
}
