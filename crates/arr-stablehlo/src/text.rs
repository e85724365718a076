//! The text of StableHLO: types, constants, names, and lines in regions.

use arr_ir::{Const, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of an element type.
pub(crate) fn elem_name(elem: Scalar) -> &'static str {
    match elem {
        Scalar::Bool => "i1",
        Scalar::I32 => "i32",
        Scalar::I64 => "i64",
        Scalar::U32 => "ui32",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
    }
}

/// A tensor type.
pub(crate) fn tensor(dims: &[i64], elem: &str) -> String {
    let mut text = String::from("tensor<");
    for dim in dims {
        text.push_str(&format!("{dim}x"));
    }
    text.push_str(elem);
    text.push('>');
    text
}

/// A number in a `dense` attribute.
pub(crate) fn number(value: Const) -> String {
    match value {
        Const::Bool(b) => b.to_string(),
        Const::I32(i) => i.to_string(),
        Const::I64(i) => i.to_string(),
        Const::U32(i) => i.to_string(),
        Const::F32(x) if x.is_finite() => float(format!("{x:?}")),
        Const::F64(x) if x.is_finite() => float(format!("{x:?}")),
        Const::F32(x) => format!("0x{:08X}", x.to_bits()),
        Const::F64(x) => format!("0x{:016X}", x.to_bits()),
    }
}

/// A float needs a point before its exponent.
fn float(text: String) -> String {
    match text.split_once('e') {
        Some((digits, power)) if !digits.contains('.') => format!("{digits}.0e{power}"),
        _ => text,
    }
}

/// Numbers in a list: `[0, 2, 1]`.
pub(crate) fn list<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}

/// The lines of a region, and the values that they name by what computes them.
#[derive(Debug, Default)]
pub(crate) struct Region {
    pub lines: Vec<String>,
    known: FxHashMap<String, String>,
}

/// The regions that are open, the innermost last.
#[derive(Debug)]
pub(crate) struct Text {
    regions: Vec<Region>,
    next: usize,
}

impl Text {
    pub fn new() -> Text {
        Text { regions: vec![Region::default()], next: 0 }
    }

    pub fn fresh(&mut self, hint: &str) -> String {
        let plain: String = hint.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let plain = if plain.starts_with(|c: char| c.is_ascii_digit()) || plain.is_empty() {
            format!("v{plain}")
        } else {
            plain
        };
        self.next += 1;
        format!("%{plain}_{}", self.next)
    }

    /// A new value: `%x = operation`. One that is known is not computed again.
    pub fn value(&mut self, hint: &str, operation: String) -> String {
        if let Some(name) = self.regions.iter().rev().find_map(|region| region.known.get(&operation)) {
            return name.clone();
        }
        let name = self.fresh(hint);
        if let Some(region) = self.regions.last_mut() {
            region.lines.push(format!("{name} = {operation}"));
            region.known.insert(operation, name.clone());
        }
        name
    }

    /// A line whose values are named already.
    pub fn line(&mut self, line: String) {
        if let Some(region) = self.regions.last_mut() {
            region.lines.push(line);
        }
    }

    /// An operation with regions or several results; the names of the results.
    pub fn results(&mut self, hint: &str, count: usize, operation: &str) -> Vec<String> {
        let name = self.fresh(hint);
        if count < 2 {
            self.line(format!("{name} = {operation}"));
            return vec![name; count];
        }
        self.line(format!("{name}:{count} = {operation}"));
        (0..count).map(|k| format!("{name}#{k}")).collect()
    }

    /// The results of one of two regions, whose lines are given.
    pub fn choice(&mut self, hint: &str, cond: &str, [yes, no]: [&str; 2], types: &[String]) -> Vec<String> {
        let to = types.join(", ");
        let operation = format!("\"stablehlo.if\"({cond}) ({{\n{yes}}}, {{\n{no}}}) : (tensor<i1>) -> ({to})");
        self.results(hint, types.len(), &operation)
    }

    pub fn open(&mut self) {
        self.regions.push(Region::default());
    }

    /// Goes on with a region that was closed.
    pub fn reopen(&mut self, region: Region) {
        self.regions.push(region);
    }

    pub fn close(&mut self) -> Region {
        self.regions.pop().unwrap_or_default()
    }

    /// The number of the value that was named last.
    pub fn number(&self) -> usize {
        self.next
    }

    pub fn depth(&self) -> usize {
        self.regions.len()
    }
}

impl Region {
    /// The lines, indented once.
    pub fn indented(&self) -> String {
        let mut text = String::new();
        for line in self.lines.iter().flat_map(|line| line.lines()) {
            text.push_str("  ");
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// Whether a value was named when this was the number of the last.
pub(crate) fn is_before(name: &str, number: usize) -> bool {
    let own = name.split('#').next().and_then(|name| name.rsplit('_').next());
    own.and_then(|own| own.parse::<usize>().ok()).is_some_and(|own| own <= number)
}

/// The lines without values that nothing uses.
pub(crate) fn without_dead(text: &str) -> String {
    let mut used: FxHashSet<&str> = FxHashSet::default();
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines().rev() {
        let (value, operation) = line.trim_start().split_once(" = ").unwrap_or(("", line));
        // An operation with regions, or with several results, goes on in other lines.
        let alone = value.starts_with('%') && operation.starts_with("stablehlo.") && !operation.contains(".while(");
        let alone = alone || operation.starts_with("\"stablehlo.gather");
        if alone && !value.contains([':', ' ']) && !used.contains(value) {
            continue;
        }
        used.extend(names(operation));
        kept.push(line);
    }
    kept.reverse();
    kept.iter().map(|line| format!("{line}\n")).collect()
}

/// The names of values in a line, without the numbers of results.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '%').filter(|word| word.starts_with('%'))
}
