//! The repository's programs with deliberate errors, one place at a time: indices that are off by one at either end,
//! huge or negative, arrays without elements, and arguments that hold such indices.
//!
//! The value and each derivative must give the interpreter's diagnostic or its value. Programs that the compiler
//! refuses are skipped.

mod arguments;
mod catalog;
mod derive;
mod reduce;
mod sites;

use super::derivatives::Entry;
use super::job::{Failure, Job, Way, ways};
use super::pool::Worker;
use super::program::shaken;
use super::soak::Source;
use arguments::{Change, arguments};
use arr_driver::with_stack;
use catalog::{Catalog, Definition, File, Mutant};
use reduce::reduce;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// The programs, and their order by seeds.
pub struct Wrong {
    catalog: Catalog,
    order: Order,
    /// The programs in the order of a sample: by their digests, so that it stays nearly the same when programs are added.
    sample: Vec<usize>,
    /// Whether a definition has a derivative, by the indices of the file and the definition.
    known: Mutex<BTreeMap<(usize, usize, Entry), bool>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Seed 0 is the first of a sample, and the first `n` are as good a sample as any.
    Sampled,
    /// Seed 0 is the first, and there is an end. Each is compiled in fewer ways than one of a sample, so that a day is
    /// not needed.
    All,
}

impl Wrong {
    pub fn new(order: Order) -> Wrong {
        let catalog = Catalog::new();
        let mut sample: Vec<usize> = (0..catalog.mutants.len()).collect();
        sample.sort_by_cached_key(|&at| catalog.mutants.get(at).map(|mutant| digest(mutant, &catalog)));
        Wrong { catalog, order, sample, known: Mutex::default() }
    }

    /// The counts, for a report.
    pub fn summary(&self) -> String {
        let Catalog { files, left_out, mutants } = &self.catalog;
        let definitions: usize = files.iter().map(|file| file.definitions.len()).sum();
        let edited = mutants.iter().filter(|m| m.edit.is_some()).count();
        let bad = mutants.iter().filter(|m| matches!(m.arguments, Change::Bad(..))).count();
        let plain = mutants.len() - edited - bad;
        format!(
            "{} files ({} left out), {definitions} definitions, {} wrong programs: {edited} indices in texts, {bad} indices in \
             arguments, {plain} choices of sizes",
            files.len(),
            left_out.len(),
            mutants.len()
        )
    }

    pub fn count(&self) -> u64 {
        self.catalog.mutants.len() as u64
    }

    fn mutant(&self, seed: u64) -> Option<(&Mutant, &File, &Definition)> {
        let mutant = self.catalog.mutants.get(match self.order {
            Order::All => usize::try_from(seed).ok()?,
            Order::Sampled => *self.sample.get(usize::try_from(seed.checked_rem(self.count())?).ok()?)?,
        })?;
        let file = self.catalog.files.get(mutant.file)?;
        Some((mutant, file, file.definitions.get(mutant.definition)?))
    }

    /// Whether a seed's program is one of the repository without any change.
    pub fn is_plain(&self, seed: u64) -> bool {
        let plain = |mutant: &Mutant| mutant.edit.is_none() && mutant.arguments == Change::Nothing;
        self.mutant(seed).is_some_and(|(mutant, ..)| plain(mutant))
    }

    fn has(&self, mutant: &Mutant, entry: Entry) -> bool {
        let key = (mutant.file, mutant.definition, entry);
        if let Some(known) = self.known.lock().ok().and_then(|known| known.get(&key).copied()) {
            return known;
        }
        let has = self.catalog.files.get(mutant.file).is_some_and(|file| {
            let own = file.definitions.get(mutant.definition);
            own.is_some_and(|own| with_stack(|| derive::has(&file.text, &own.func, entry)).unwrap_or(false))
        });
        if let Ok(mut known) = self.known.lock() {
            known.insert(key, has);
        }
        has
    }

    /// A one-line description of a program's change.
    fn told(&self, seed: u64) -> Option<String> {
        let (mutant, file, own) = self.mutant(seed)?;
        let what = match (&mutant.edit, mutant.arguments) {
            (Some(edit), _) => {
                let before = file.text.get(..edit.start).unwrap_or_default();
                let line = before.matches('\n').count() + 1;
                let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
                let index = file.text.get(edit.start..edit.end).unwrap_or_default();
                format!("line {line}, column {column}: `{index}` made `{}`", edit.text)
            }
            (None, Change::Nothing) => "as it is".to_string(),
            (None, Change::Empty(k)) => {
                let size = arguments::size_variables(&own.func).get(k).map(|v| own.func.name(*v).to_string());
                format!("with {} = 0", size.unwrap_or_default())
            }
            (None, Change::AllEmpty) => "with all sizes 0".to_string(),
            (None, Change::Bad(..)) => "with an integer of an argument that is no place".to_string(),
        };
        Some(format!("{}: `{}`, {what}", file.path, own.name))
    }
}

impl Source for Wrong {
    fn job(&self, seed: u64) -> Option<Job> {
        let (mutant, file, own) = self.mutant(seed)?;
        let turn = digest(mutant, &self.catalog);
        let others = derive::OTHERS.iter().cycle().skip((turn >> 8) as usize % derive::OTHERS.len());
        let other = others.take(derive::OTHERS.len()).find(|entry| self.has(mutant, **entry));
        let derivatives: Vec<Entry> = [Entry::Gradient].iter().chain(other).copied().collect();
        let derivatives: Vec<Entry> = derivatives.into_iter().filter(|entry| self.has(mutant, *entry)).collect();
        let mut source = file.text.clone();
        if let Some(edit) = &mutant.edit {
            source.replace_range(edit.start..edit.end, &edit.text);
        }
        if !derivatives.is_empty() {
            source.push_str(&derive::text(&own.func, &derivatives)?);
        }
        let arguments = arguments(&own.func, mutant.arguments, turn >> 16)?;
        Some(Job {
            source,
            single: derive::is_single(&own.func),
            wider: None,
            entries: std::iter::once(own.name.clone())
                .chain(derivatives.into_iter().map(|entry| entry.name().to_string()))
                .collect(),
            moved: arguments.iter().map(|text| shaken(text)).collect(),
            arguments,
            ways: match self.order {
                Order::Sampled => with_sanitized(turn),
                Order::All => in_turn(seed),
            },
            oracle: true,
            refusable: true,
            original: mutant.edit.as_ref().map(|_| file.text.clone()),
            own_errors: own.declared,
        })
    }

    fn describe(&self, seed: u64, failure: Failure, worker: &mut Worker, time: Duration) -> String {
        let signature = failure.signature();
        let all = if self.order == Order::All { " --all" } else { "" };
        let told = self.told(seed).unwrap_or_default();
        let Some(job) = self.job(seed) else { return signature };
        // Where smaller arguments suffice, they are tried in turn.
        let smaller = self.mutant(seed).map_or(Vec::new(), |(mutant, _, own)| {
            (0..6).filter_map(|turn| arguments(&own.func, mutant.arguments, turn)).collect()
        });
        let (job, failure) = reduce(job, failure, smaller, worker, time);
        let (source, run, difference) = (job.source.trim(), job.command(&failure), failure.told);
        format!(
            "==== seed {seed}: {signature}\n{told}\ncargo xtask soak --wrong{all} --seed {seed} --count 1 [--print]\n\n\
             {source}\n\n{run}\n{difference}\n"
        )
    }

    fn print(&self, seed: u64) -> String {
        let told = self.told(seed).unwrap_or_default();
        self.job(seed).map_or(String::new(), |job| format!("-- {told}\n{}\n-- {}", job.source, job.arguments.join(" ")))
    }
}

/// Two of all ways in turn: the changes of one index, of which there are up to six, are compared in nearly all of them.
fn in_turn(seed: u64) -> Vec<Way> {
    let way = |strict, sized, threads| Way { strict, sized, threads, checkpoint: false, sanitize: false };
    let sanitized = |strict, sized| Way { sanitize: true, ..way(strict, sized, 1) };
    let pairs = [
        [way(true, true, 1), way(false, false, 3)],
        [way(true, false, 1), way(false, true, 3)],
        [sanitized(true, true), way(false, false, 1)],
        [way(false, true, 1), way(true, false, 3)],
        [sanitized(false, false), way(true, true, 3)],
        [sanitized(true, false), sanitized(false, true)],
    ];
    pairs.into_iter().nth(seed as usize % 6).map(Vec::from).unwrap_or_default()
}

/// A seed's ways, and sanitized code in one that is not among them.
fn with_sanitized(turn: u64) -> Vec<Way> {
    let mut ways = ways(turn);
    let absent = |way: &Way| !ways.iter().any(|own| (own.strict, own.sized) == (way.strict, way.sized));
    let all = [(true, true), (true, false), (false, true), (false, false)];
    let sanitized = all.map(|(strict, sized)| Way { strict, sized, threads: 1, checkpoint: false, sanitize: true });
    if let Some(way) = sanitized.into_iter().cycle().skip((turn >> 4) as usize % 4).take(4).find(absent) {
        ways.push(way);
    }
    ways
}

/// A fingerprint of a program and its change, independent of other programs.
fn digest(mutant: &Mutant, catalog: &Catalog) -> u64 {
    let file = catalog.files.get(mutant.file);
    let name = file.and_then(|file| Some((&file.path, &file.definitions.get(mutant.definition)?.name)));
    let text = format!("{name:?} {:?} {:?}", mutant.edit, mutant.arguments);
    text.bytes().fold(0, |digest, byte| mixed(digest ^ u64::from(byte)))
}

/// A number that depends on all bits of another (SplitMix64).
fn mixed(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
