//! `arr cost`.

use crate::commands::{self, Result};
use crate::options::{Cost, CostMeasure};
use arr_base::{Code, Diagnostic};
use arr_driver::{Costs, Derive, Failure, Formula, Measure, Mode, Session, SizeNames, SourceLine};
use serde_json::{Map, Value, json};

/// The most terms of a polynomial in a table, unless all are asked for.
const TERMS: usize = 3;

/// Prints what a definition and its gradient cost for all sizes. Fails as [`Session::program`] and
/// [`arr_driver::Program::costs`] do; a definition without a gradient has none, unless one is asked for.
pub fn run(session: &mut Session, options: &Cost) -> Result<()> {
    let mut names = SizeNames::default();
    let mut costs = |session: &mut Session, derive: &Derive| -> Result<Costs> {
        let mut program = session.program(&options.file, &options.entry, derive)?;
        program.checkpoint |= options.checkpoint;
        program.with_floats(commands::floats(options.float))?;
        program.costs(&mut names)
    };
    let value = costs(session, &Derive::Nothing)?;
    let gradient = Derive::Gradient { wrt: options.wrt.clone(), mode: Mode::Reverse };
    let gradient = match costs(session, &gradient) {
        Ok(costs) => Some(costs),
        Err(Failure::Diagnostics(list)) if options.wrt.is_empty() && list.iter().all(has_no_gradient) => None,
        Err(failure) => return Err(failure),
    };
    if options.json {
        return commands::print(&format!("{}\n", as_json(&options.entry, &value, gradient.as_ref(), &names)));
    }
    let most = if options.full { usize::MAX } else { TERMS };
    let mut text = totals(&value, gradient.as_ref(), &|formula| formula.text(most), &names);
    text.push_str(&by_line(measure(options.by), &value, gradient.as_ref(), &|formula| formula.text(most), &names));
    text.push_str(&remarks(&value, gradient.as_ref()));
    commands::print(&text)
}

fn has_no_gradient(diagnostic: &Diagnostic) -> bool {
    matches!(diagnostic.code, Code::NOT_SCALAR | Code::NOT_DIFFERENTIABLE)
}

fn measure(by: CostMeasure) -> Measure {
    match by {
        CostMeasure::Operations => Measure::Operations,
        CostMeasure::Functions => Measure::Functions,
        CostMeasure::Integers => Measure::Integers,
        CostMeasure::Bytes => Measure::Bytes,
        CostMeasure::Allocated => Measure::Allocated,
    }
}

type Text<'a> = &'a dyn Fn(&Formula) -> String;

fn totals(value: &Costs, gradient: Option<&Costs>, text: Text<'_>, names: &SizeNames) -> String {
    let mut rows = vec![heads("", gradient.is_some(), "ratio")];
    for measure in Measure::ALL {
        let mut row = vec![measure.name().to_string(), text(&value.total(measure, names))];
        if let Some(gradient) = gradient {
            row.push(text(&gradient.total(measure, names)));
            let ratio = gradient.ratio(measure, value).filter(|_| !value.total(measure, names).terms.is_empty());
            row.push(ratio.map_or(String::new(), |ratio| format!("at most {}", short(ratio))));
        }
        rows.push(row);
    }
    table(&rows)
}

fn heads(first: &str, gradient: bool, last: &str) -> Vec<String> {
    let heads = if gradient { vec![first, "value", "gradient", last] } else { vec![first, "value", ""] };
    heads.into_iter().map(str::to_string).collect()
}

/// `2.5`, `13`, rounded up.
fn short(ratio: f64) -> String {
    let digits = if ratio < 9.95 { 10.0 } else { 1.0 };
    // What is a hair above a number of as many digits is that number.
    format!("{}", ((ratio - 1e-9) * digits).ceil().max(0.0) / digits)
}

fn by_line(measure: Measure, value: &Costs, gradient: Option<&Costs>, text: Text<'_>, names: &SizeNames) -> String {
    let mut lines: Vec<Option<&SourceLine>> = Vec::new();
    for cost in value.lines.iter().chain(gradient.iter().flat_map(|g| &g.lines)) {
        if !lines.contains(&cost.line.as_ref()) {
            lines.push(cost.line.as_ref());
        }
    }
    lines.sort_by_key(|line| (line.is_none(), line.is_some_and(|line| !line.own), *line));
    let count = |costs: &Costs, line: Option<&SourceLine>| {
        let cost = costs.lines.iter().find(|cost| cost.line.as_ref() == line);
        cost.map_or(Formula { terms: Vec::new() }, |cost| cost.count(measure, names))
    };
    let mut rows = vec![heads(&format!("{} by line", measure.name()), gradient.is_some(), "")];
    for line in lines {
        let counts: Vec<Formula> = [Some(value), gradient].into_iter().flatten().map(|c| count(c, line)).collect();
        if counts.iter().all(|formula| formula.terms.is_empty()) {
            continue;
        }
        let mut row = vec![line.map_or("-".to_string(), SourceLine::place)];
        row.extend(counts.iter().map(text));
        row.push(line.map_or(String::new(), |line| line.text.clone()));
        rows.push(row);
    }
    if rows.len() == 1 { String::new() } else { format!("\n{}", table(&rows)) }
}

fn remarks(value: &Costs, gradient: Option<&Costs>) -> String {
    let mut doubts: Vec<&str> = Vec::new();
    for doubt in value.doubts().into_iter().chain(gradient.iter().flat_map(|g| g.doubts())) {
        if !doubts.contains(&doubt) {
            doubts.push(doubt);
        }
    }
    if !value.memory_is_exact || gradient.is_some_and(|g| !g.memory_is_exact) {
        doubts.push("when memory is fullest depends on the sizes: the larger coefficient of every term is counted");
    }
    if doubts.is_empty() { String::new() } else { format!("\nat most: {}\n", doubts.join(";\n         ")) }
}

/// Columns, the last one not padded.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &'_ Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            widths.iter().enumerate().map(|(column, &width)| format!("{:width$}", cell(row, column))).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn as_json(entry: &str, value: &Costs, gradient: Option<&Costs>, names: &SizeNames) -> Value {
    let mut fields = Map::new();
    fields.insert("entry".to_string(), json!(entry));
    fields.insert("value".to_string(), account(value, names));
    if let Some(gradient) = gradient {
        fields.insert("gradient".to_string(), account(gradient, names));
        let ratios = Measure::ALL.into_iter().map(|m| (m.name().to_string(), json!(gradient.ratio(m, value))));
        fields.insert("ratio".to_string(), Value::Object(ratios.collect()));
    }
    Value::Object(fields)
}

fn account(costs: &Costs, names: &SizeNames) -> Value {
    let mut fields: Map<String, Value> =
        Measure::ALL.into_iter().map(|m| (m.name().to_string(), formula(&costs.total(m, names)))).collect();
    let lines = costs.lines.iter().map(|line| {
        let counts = Measure::ALL.into_iter().filter(|m| *m != Measure::Memory);
        let mut fields: Map<String, Value> =
            counts.map(|m| (m.name().to_string(), formula(&line.count(m, names)))).collect();
        if let Some(line) = &line.line {
            fields.insert("file".to_string(), json!(line.file));
            fields.insert("line".to_string(), json!(line.number));
        }
        Value::Object(fields)
    });
    fields.insert("lines".to_string(), Value::Array(lines.collect()));
    fields.insert("at_most".to_string(), json!(costs.doubts()));
    fields.insert("memory_is_exact".to_string(), json!(costs.memory_is_exact));
    Value::Object(fields)
}

/// The text, and for each term the coefficient as a fraction with the exponents of sizes.
fn formula(formula: &Formula) -> Value {
    let number = |n: i128| i64::try_from(n).map_or(json!(n as f64), |n| json!(n));
    let terms = formula.terms.iter().map(|term| {
        let sizes: Map<String, Value> =
            term.factors.iter().map(|(name, exponent)| (name.clone(), json!(exponent))).collect();
        json!({ "coefficient": [number(term.numerator), number(term.denominator)], "sizes": sizes })
    });
    json!({ "text": formula.text(usize::MAX), "terms": terms.collect::<Vec<_>>() })
}
