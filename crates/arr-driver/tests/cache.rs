//! Compiled programs that are kept and reused, and when they are not.

use arr_data::{Arg, to_literal};
use arr_driver::{Execution, Failure, MemoryWorld, Question, Session, Store, Without};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Shelf {
    entries: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

impl Store for Shelf {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.entries.lock().unwrap().get(key).cloned()
    }

    fn put(&self, key: &str, entry: &[u8]) {
        self.entries.lock().unwrap().insert(key.to_string(), entry.to_vec());
    }

    fn compiler(&self) -> &str {
        "this one"
    }
}

type Files<'a> = &'a [(&'a str, &'a str)];

/// A question about the first of some files.
#[derive(Clone, Copy)]
enum Asked<'a> {
    Entry(&'a str),
    Expression(&'a str),
}

/// The value of `asked` (its text, or the code of the error), and whether it was compiled before.
fn run(shelf: &Shelf, files: Files, asked: Asked, args: &[&str], execution: &Execution) -> (String, bool) {
    let world = MemoryWorld::new(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    let mut session = Session::new(world).with_store(shelf.clone());
    let path = files[0].0.to_string();
    let question = match asked {
        Asked::Entry(name) => Question::Entry { path, name: name.to_string() },
        Asked::Expression(text) => Question::Expression { path: Some(path), text: text.to_string() },
    };
    let mut program = session.program_cached(&question, execution).expect("a program");
    let args: Vec<Arg> = args.iter().map(|text| Arg::parse(text)).collect();
    let text = match session.run(&mut program, &args, execution) {
        Ok(outcome) => to_literal(&outcome.value),
        Err(Failure::Diagnostics(list)) => {
            let label = list[0].labels.first().and_then(|l| {
                session.text(l.span.file).get(l.span.start as usize..l.span.end as usize).map(str::to_string)
            });
            format!("{} {}", list[0].code, label.unwrap_or_default())
        }
        Err(Failure::Bug(what)) => panic!("{what}"),
    };
    let known = program.reports().first().is_some_and(|report| report.name == "cache");
    (text, known)
}

const PROGRAM: &str = "import stats\nimport \"./other.arr\" as other\n\
    def main(x: [n]f64, k: i64) -> (f64, [n]f64, f64) = (other.twice(x[k]), for v in x => exp(v) * 0.0 + v, stats.mean(x))\n";
const OTHER: &str = "def twice(x: f64) -> f64 = 2.0 * x\n";

fn main(shelf: &Shelf, other: &str, args: &[&str], execution: &Execution) -> (String, bool) {
    run(shelf, &[("a.arr", PROGRAM), ("other.arr", other)], Asked::Entry("main"), args, execution)
}

#[test]
fn a_second_run_is_not_compiled() {
    let shelf = Shelf::default();
    let execution = Execution::default();
    let first = main(&shelf, OTHER, &["[1.0, 2.0, 6.0]", "1"], &execution);
    assert_eq!(first, ("(4.0, [1.0, 2.0, 6.0], 3.0)".to_string(), false));
    let again = main(&shelf, OTHER, &["[3.0, 2.0, 1.0]", "2"], &execution);
    assert_eq!(again, ("(2.0, [3.0, 2.0, 1.0], 2.0)".to_string(), true));
    // Arguments of another size have code of their own.
    let second = ("(10.0, [5.0, 7.0], 6.0)".to_string(), true);
    assert_eq!(main(&shelf, OTHER, &["[5.0, 7.0]", "0"], &execution), (second.0.clone(), false));
    assert_eq!(main(&shelf, OTHER, &["[5.0, 7.0]", "0"], &execution), second);
    // So has every size together.
    let any = Execution { any_size: true, ..execution };
    assert_eq!(main(&shelf, OTHER, &["[5.0, 7.0]", "0"], &any), (second.0.clone(), false));
    assert_eq!(main(&shelf, OTHER, &["[5.0, 7.0]", "0"], &any), second);
    assert!(main(&shelf, OTHER, &["[5.0, 7.0, 8.0, 9.0]", "0"], &any).1);
    // Run-time errors still point into the text, and arguments are still checked.
    let third = main(&shelf, OTHER, &["[5.0, 7.0]", "2"], &execution);
    assert_eq!(third, ("E0601 x[k]".to_string(), true));
    let (fourth, _) = main(&shelf, OTHER, &["[5, 7]", "true"], &execution);
    assert!(fourth.starts_with("E07"), "{fourth:?}");
}

#[test]
fn what_changes_the_code_is_compiled_again() {
    let shelf = Shelf::default();
    let execution = Execution::default();
    let args = ["[1.0]", "0"];
    assert!(!main(&shelf, OTHER, &args, &execution).1);
    assert!(!main(&shelf, OTHER, &args, &Execution { strict: true, ..execution }).1);
    assert!(!main(&shelf, OTHER, &args, &Execution { max_steps: Some(5), ..execution }).1);
    assert!(!main(&shelf, OTHER, &args, &Execution { checkpoint: true, ..execution }).1);
    let without = Without::of(["hoist"]).expect("a step that can be left out");
    assert!(!main(&shelf, OTHER, &args, &Execution { without, ..execution }).1);
    assert!(main(&shelf, OTHER, &args, &Execution { without, ..execution }).1);
    // A changed imported file.
    let thrice = OTHER.replace('2', "3");
    assert_eq!(main(&shelf, &thrice, &args, &execution), ("(3.0, [1.0], 1.0)".to_string(), false));
    assert_eq!(main(&shelf, &thrice, &args, &execution), ("(3.0, [1.0], 1.0)".to_string(), true));
    // The limits on steps, threads and memory are given when it runs.
    assert!(main(&shelf, OTHER, &args, &Execution { strict: true, threads: Some(2), ..execution }).1);
    assert!(main(&shelf, OTHER, &args, &Execution { max_steps: Some(6), ..execution }).1);
    // The file itself, another entry, an expression.
    let files: Files = &[("a.arr", OTHER)];
    assert!(!run(&shelf, files, Asked::Entry("twice"), &["1.0"], &execution).1);
    assert!(!run(&shelf, files, Asked::Expression("twice(1.0)"), &[], &execution).1);
    assert_eq!(run(&shelf, files, Asked::Expression("twice(1.0)"), &[], &execution), ("2.0".to_string(), true));
    assert!(!run(&shelf, files, Asked::Expression("twice(2.0)"), &[], &execution).1);
}

/// An intact entry under the name of another counts as missing.
#[test]
fn an_entry_is_for_its_key() {
    let execution = Execution::default();
    let ran =
        |shelf: &Shelf, text: &str, arg: &str| run(shelf, &[("a.arr", text)], Asked::Entry("main"), &[arg], &execution);
    let first = ("def main(x: f64) -> f64 = x + 1.0\n", "2.0", "3.0");
    for (text, arg) in
        [("def main(x: f64) -> f64 = x * 100.0\n", "2.0"), ("def main(x: [n]f64) -> f64 = exp(sum(x))\n", "[2.0]")]
    {
        let (own, other) = (Shelf::default(), Shelf::default());
        assert_eq!(ran(&own, first.0, first.1).0, first.2);
        ran(&other, text, arg);
        let others = other.entries.lock().unwrap().clone();
        let keys: Vec<String> = own.entries.lock().unwrap().keys().cloned().collect();
        // Every entry of the one under the name of every entry of the other, alone and together.
        for entry in others.values() {
            for key in &keys {
                own.entries.lock().unwrap().insert(key.clone(), entry.clone());
                assert_eq!(ran(&own, first.0, first.1).0, first.2);
            }
            keys.iter().for_each(|key| drop(own.entries.lock().unwrap().insert(key.clone(), entry.clone())));
            assert_eq!(ran(&own, first.0, first.1).0, first.2);
            assert!(ran(&own, first.0, first.1).1, "it is kept again");
        }
    }
}

#[test]
fn a_spoilt_entry_is_none() {
    let shelf = Shelf::default();
    let execution = Execution::default();
    let args = ["[1.0]", "0"];
    let value = main(&shelf, OTHER, &args, &execution).0;
    let whole = shelf.entries.lock().unwrap().clone();
    // The interface of the program, and its code.
    assert_eq!(whole.len(), 2);
    for (key, entry) in &whole {
        for length in [0, 1, 16, 17, 40, entry.len() - 1] {
            shelf.entries.lock().unwrap().insert(key.clone(), entry[..length].to_vec());
            assert_eq!(main(&shelf, OTHER, &args, &execution).0, value, "{length} bytes");
            assert_eq!(shelf.entries.lock().unwrap().get(key), Some(entry), "{length} bytes");
        }
        for place in [0, 5, 30, entry.len() / 2, entry.len() - 1] {
            let mut spoilt = entry.clone();
            spoilt[place] ^= 4;
            shelf.entries.lock().unwrap().insert(key.clone(), spoilt);
            assert_eq!(main(&shelf, OTHER, &args, &execution).0, value, "byte {place}");
            assert_eq!(shelf.entries.lock().unwrap().get(key), Some(entry), "byte {place}");
        }
    }
}
