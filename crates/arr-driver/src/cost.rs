//! What a program costs, for all sizes: operations, bytes and memory as polynomials, by line.

use crate::{Failure, Program, SourceLine};
use arr_base::{SourceMap, Span};
use arr_ir::Func;
use arr_ir::symbolic::{Count, Doubt, Place, Prediction, Symbol, Work, predict, predict_compiled};
use arr_pipeline::{Stage, Target, Until, Unwatched};
use std::collections::{BTreeMap, BTreeSet};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Measure {
    /// Operations on floats, functions included.
    Operations,
    Functions,
    /// Operations on integers and bools.
    Integers,
    /// Bytes of elements that are read and written.
    Bytes,
    /// Bytes of arrays that are made.
    Allocated,
    /// Bytes of arrays in use at one time.
    Memory,
}

impl Measure {
    pub const ALL: [Measure; 6] = [
        Measure::Operations,
        Measure::Functions,
        Measure::Integers,
        Measure::Bytes,
        Measure::Allocated,
        Measure::Memory,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Measure::Operations => "operations",
            Measure::Functions => "functions",
            Measure::Integers => "integers",
            Measure::Bytes => "bytes",
            Measure::Allocated => "allocated",
            Measure::Memory => "memory",
        }
    }

    /// Its part of an account's line; memory has none.
    fn of(self, work: &Work) -> Count {
        match self {
            Measure::Operations => work.operations(),
            Measure::Functions => work.functions.clone(),
            Measure::Integers => work.others.clone(),
            Measure::Bytes => work.bytes.clone(),
            Measure::Allocated => work.allocated.clone(),
            Measure::Memory => Count::default(),
        }
    }
}

/// A polynomial in sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    /// Largest degree first.
    pub terms: Vec<Term>,
}

/// A coefficient times powers of sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    pub numerator: i128,
    pub denominator: i128,
    /// Names and exponents.
    pub factors: Vec<(String, usize)>,
}

impl Formula {
    /// The polynomial, without what others of its terms outgrow if it has more than `most` terms.
    pub fn text(&self, most: usize) -> String {
        if self.terms.is_empty() {
            return "0".to_string();
        }
        let mut shown: Vec<usize> = (0..self.terms.len()).collect();
        if shown.len() > most {
            shown.retain(|&at| !self.is_outgrown(at));
            shown.truncate(most.max(1));
        }
        let mut text = String::new();
        for &at in &shown {
            let Some(term) = self.terms.get(at) else { continue };
            match (text.is_empty(), term.numerator < 0) {
                (true, true) => text.push('-'),
                (true, false) => {}
                (false, true) => text.push_str(" - "),
                (false, false) => text.push_str(" + "),
            }
            text.push_str(&term.text());
        }
        if shown.len() < self.terms.len() { text + " + .." } else { text }
    }

    /// Whether another term is a multiple of it by sizes.
    fn is_outgrown(&self, at: usize) -> bool {
        let Some(own) = self.terms.get(at) else { return false };
        let outgrows = |other: &Term| {
            other.numerator > 0 && own.factors.iter().all(|(name, exponent)| other.exponent(name) >= *exponent)
        };
        self.terms.iter().enumerate().any(|(n, other)| n != at && outgrows(other))
    }
}

impl Term {
    fn exponent(&self, name: &str) -> usize {
        self.factors.iter().find(|(n, _)| n == name).map_or(0, |(_, exponent)| *exponent)
    }

    /// Without its sign.
    fn text(&self) -> String {
        let power = |(name, exponent): &(String, usize)| {
            if *exponent == 1 { name.clone() } else { format!("{name}^{exponent}") }
        };
        let mut parts: Vec<String> = self.factors.iter().map(power).collect();
        if self.numerator.saturating_abs() != 1 || parts.is_empty() {
            parts.insert(0, self.numerator.saturating_abs().to_string());
        }
        let text = parts.join(" ");
        if self.denominator == 1 { text } else { format!("{text}/{}", self.denominator) }
    }
}

/// A line of a program, and what it costs.
#[derive(Clone, PartialEq, Debug)]
pub struct LineCost {
    /// None for what belongs to no line.
    pub line: Option<SourceLine>,
    counts: BTreeMap<Measure, Count>,
}

/// What a definition costs.
#[derive(Clone, PartialEq, Debug)]
pub struct Costs {
    pub lines: Vec<LineCost>,
    totals: BTreeMap<Measure, Count>,
    doubts: BTreeSet<Doubt>,
    /// Whether as much memory is in use at some time, whatever the sizes are.
    pub memory_is_exact: bool,
}

/// The names of symbols, one for all programs of a comparison.
#[derive(Clone, Debug, Default)]
pub struct SizeNames(Vec<String>);

impl SizeNames {
    fn symbol(&mut self, name: &str) -> Symbol {
        let at = self.0.iter().position(|other| other == name).unwrap_or_else(|| {
            self.0.push(name.to_string());
            self.0.len() - 1
        });
        Symbol::Other(at as u32)
    }

    fn formula(&self, count: &Count) -> Formula {
        let mut terms: Vec<_> = count
            .terms()
            .map(|(monomial, numerator, denominator)| (monomial.to_vec(), numerator, denominator))
            .collect();
        terms.sort_by(|(a, ..), (b, ..)| b.len().cmp(&a.len()).then(a.cmp(b)));
        let named = |monomial: Vec<Symbol>| {
            let mut factors: Vec<(String, usize)> = Vec::new();
            for symbol in monomial {
                let Symbol::Other(n) = symbol else { continue };
                let name = self.0.get(n as usize).cloned().unwrap_or_default();
                match factors.last_mut() {
                    Some((last, exponent)) if *last == name => *exponent += 1,
                    _ => factors.push((name, 1)),
                }
            }
            factors
        };
        {
            let term = |(monomial, numerator, denominator)| Term { numerator, denominator, factors: named(monomial) };
            Formula { terms: terms.into_iter().map(term).collect() }
        }
    }
}

impl Costs {
    pub fn total(&self, measure: Measure, names: &SizeNames) -> Formula {
        self.totals.get(&measure).map_or(Formula { terms: Vec::new() }, |count| names.formula(count))
    }

    /// A number that its cost divided by another's never exceeds for sizes of 1 and more, where one is found.
    pub fn ratio(&self, measure: Measure, other: &Costs) -> Option<f64> {
        self.totals.get(&measure)?.ratio(other.totals.get(&measure)?)
    }

    /// Why numbers are bounds.
    pub fn doubts(&self) -> Vec<&'static str> {
        self.doubts.iter().map(|doubt| words(*doubt)).collect()
    }
}

impl LineCost {
    pub fn count(&self, measure: Measure, names: &SizeNames) -> Formula {
        self.counts.get(&measure).map_or(Formula { terms: Vec::new() }, |count| names.formula(count))
    }
}

fn words(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Branch => "of an `if` whose branches differ, the larger cost is counted",
        Doubt::Guard => "writes under a condition are counted as if it always held",
        Doubt::While => "`iterations`, and `count` in gradients, stand for how often a loop with `while` runs",
        Doubt::Extent => "a size that data decide inside of a loop stands for the largest",
        Doubt::Sort => "sorting takes about `log2(n)` comparisons per element",
    }
}

impl Program {
    /// What the program costs for all sizes: strict code, as the array IR after fusion says. Fails with E0504 or E0902
    /// if a step cannot compile the program.
    pub fn costs(&mut self, names: &mut SizeNames) -> Result<Costs, Failure> {
        let func = self.counted()?;
        let prediction = predict_compiled(&func);
        let names = Renaming::of(&func, &prediction, names);
        let totals = Measure::ALL.into_iter().map(|measure| (measure, measure.of(&prediction.total())));
        let mut totals: BTreeMap<Measure, Count> = totals.map(|(m, count)| (m, names.apply(&count))).collect();
        totals.insert(Measure::Memory, names.apply(&prediction.peak));
        Ok(Costs {
            lines: lines(&prediction, &self.sources, &names),
            totals,
            doubts: prediction.doubts,
            memory_is_exact: prediction.peak_is_exact,
        })
    }

    /// The function that costs are counted on, and its account as the interpreter runs it, which copies arrays that compiled
    /// code changes in place. Fails as [`Program::costs`] does.
    pub fn prediction(&mut self) -> Result<(Func, Prediction), Failure> {
        let func = self.counted()?;
        let prediction = predict(&func);
        Ok((func, prediction))
    }

    fn counted(&mut self) -> Result<Func, Failure> {
        let settings = self.plain_settings(Target::Cpu);
        Ok(self.take(&settings, Until::Stage(Stage::Fused), &mut Unwatched)?.func()?)
    }
}

/// The symbols of a function by their names. Two with one name get different ones.
struct Renaming(BTreeMap<Symbol, Symbol>);

impl Renaming {
    fn of(func: &Func, prediction: &Prediction, names: &mut SizeNames) -> Renaming {
        let total = prediction.total();
        let mut symbols: BTreeSet<Symbol> = func.sizes.iter().map(|&v| Symbol::Var(v)).collect();
        for count in Measure::ALL.map(|measure| measure.of(&total)).iter().chain([&prediction.peak]) {
            symbols.extend(count.symbols());
        }
        let mut taken = BTreeSet::new();
        let mut renaming = BTreeMap::new();
        for symbol in symbols {
            let mut name = prediction.name(func, symbol).to_string();
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
            renaming.insert(symbol, names.symbol(&name));
        }
        Renaming(renaming)
    }

    fn apply(&self, count: &Count) -> Count {
        count.renamed(&|symbol| self.0.get(&symbol).copied().unwrap_or(symbol))
    }
}

/// The account by lines: those of the program's own file first.
fn lines(prediction: &Prediction, sources: &SourceMap, names: &Renaming) -> Vec<LineCost> {
    let mut lines: BTreeMap<Option<(arr_base::SourceId, usize)>, Work> = BTreeMap::new();
    for (Place { span, .. }, work) in &prediction.work {
        let at =
            span.and_then(|Span { file, start, .. }| Some((file, sources.get(file)?.line_column(start as usize).0)));
        let entry = lines.entry(at).or_default();
        *entry = entry.add(work);
    }
    let nowhere = lines.remove(&None).map(|work| (None, work));
    let placed = lines.into_iter().chain(nowhere);
    placed
        .map(|(at, work)| {
            let counts = Measure::ALL.into_iter().map(|m| (m, names.apply(&m.of(&work)))).collect();
            LineCost { line: at.and_then(|(file, number)| SourceLine::at(sources, file, number)), counts }
        })
        .collect()
}
