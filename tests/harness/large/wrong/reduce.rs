//! Reduces a failing program as text, as long as it fails in the same way: items are dropped, and expressions replaced
//! by subexpressions or by constants. A program that the compiler refuses is no failure, so that nothing here needs to
//! know types.

use crate::large::job::{Failure, Job, Verdict};
use crate::large::pool::Worker;
use arr_base::{Id, SourceId, Span};
use arr_driver::with_stack;
use arr_syntax::ast::{Expr, Item, Module};
use std::time::{Duration, Instant};

/// Replacements of an expression, besides its subexpressions.
const CONSTANTS: [&str; 3] = ["0", "1", "1.0"];

/// The smallest program found within the time, with its own arguments or some of others.
pub fn reduce(
    job: Job,
    failure: Failure,
    others: Vec<Vec<String>>,
    worker: &mut Worker,
    time: Duration,
) -> (Job, Failure) {
    let until = Instant::now() + time;
    let mut reducer = Reducer { worker, job, failure, until };
    reducer.ways();
    reducer.print();
    for arguments in others {
        if arguments.concat().len() < reducer.job.arguments.concat().len() {
            reducer.accepts(|job| job.arguments = arguments);
        }
    }
    while reducer.texts() {}
    reducer.print();
    (reducer.job, reducer.failure)
}

/// The parts that are not reduced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Nothing,
    /// The definitions that were added.
    Derivatives,
    /// All bodies of definitions.
    Bodies,
}

struct Reducer<'w> {
    worker: &'w mut Worker,
    job: Job,
    failure: Failure,
    until: Instant,
}

impl Reducer<'_> {
    /// Accepts a candidate if it fails as the best one does.
    fn accepts(&mut self, change: impl FnOnce(&mut Job)) -> bool {
        let mut job = self.job.clone();
        change(&mut job);
        if Instant::now() >= self.until || job == self.job {
            return false;
        }
        let Ok(Verdict::Failed(failure)) = self.worker.ask(&job) else { return false };
        let same = failure.kind == self.failure.kind && failure.entry == self.failure.entry;
        if same {
            (self.job, self.failure) = (job, failure);
        }
        same
    }

    /// Leaves out comments and remains of items.
    fn print(&mut self) {
        let source = self.job.source.clone();
        let printed = with_stack(|| arr_syntax::print_module(&parsed(&source)));
        self.accepts(|job| job.source = printed.unwrap_or(source));
    }

    /// Only the failing way and entry; the value is always included, as errors are compared with it.
    fn ways(&mut self) {
        let (way, entry) = (self.failure.way, self.failure.entry.clone());
        self.accepts(|job| job.ways.retain(|own| Some(*own) == way));
        self.accepts(|job| {
            let value = job.entries.first().cloned();
            job.entries.retain(|own| Some(own) == value.as_ref() || *own == entry);
        });
        let oracle = self.failure.kind.starts_with("dual");
        self.accepts(|job| job.oracle = oracle);
    }

    /// Returns whether anything could be reduced.
    fn texts(&mut self) -> bool {
        let (mut at, mut any) = (0, false);
        let keep = match self.failure.kind.as_str() {
            // A reduced text could have another error.
            "errors differ" | "an error is elsewhere" | "the derivative's error is another" => Keep::Bodies,
            // A derivative that is reduced by itself belongs to another function.
            kind if kind.starts_with("the derivative") => Keep::Derivatives,
            _ => Keep::Nothing,
        };
        // A change moves the positions behind it; those in front of it stay.
        while Instant::now() < self.until {
            let source = self.job.source.clone();
            let Some((span, texts)) = with_stack(|| places(&source, keep))
                .ok()
                .and_then(|mut all| (at < all.len()).then(|| all.swap_remove(at)))
            else {
                return any;
            };
            let (start, end) = (span.start as usize, span.end as usize);
            let smaller = |text: &String| text.len() < end - start;
            let taken = texts
                .iter()
                .filter(|text| smaller(text))
                .any(|text| self.accepts(|job| job.source.replace_range(start..end, text)));
            any |= taken;
            at += usize::from(!taken);
        }
        false
    }
}

fn parsed(source: &str) -> Module {
    arr_syntax::parse_module(SourceId::from_index(0), source).module
}

/// The replaceable positions of a program, the outermost first, with their replacements; without the kept parts.
fn places(source: &str, keep: Keep) -> Vec<(Span, Vec<String>)> {
    let module = parsed(source);
    let mut found = Vec::new();
    for item in &module.items {
        let (span, body) = match item {
            Item::Def(def) if keep == Keep::Derivatives && def.name.text.ends_with('_') => continue,
            Item::Def(def) => (def.span, Some(&def.body)),
            Item::Derivative(def) => (def.span, Some(&def.body)),
            Item::Type(def) => (def.span, None),
            Item::Import(import) => (import.span, None),
            Item::Test(test) => (test.def.span, None),
            Item::Error(span) => (*span, None),
        };
        found.push((span, vec![String::new()]));
        body.into_iter().filter(|_| keep != Keep::Bodies).for_each(|body| inside(source, body, &mut found));
    }
    found
}

fn inside(source: &str, expr: &Expr, found: &mut Vec<(Span, Vec<String>)>) {
    let mut texts: Vec<String> = CONSTANTS.map(str::to_string).to_vec();
    expr.kind.for_each_child(|child| {
        let text = source.get(child.span.start as usize..child.span.end as usize).unwrap_or_default();
        texts.push(text.to_string());
        texts.push(format!("({text})"));
    });
    found.push((expr.span, texts));
    expr.kind.for_each_child(|child| inside(source, child, found));
}
