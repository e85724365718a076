//! Runs programs as C beside the interpreter: the repository's, random ones, and wrong ones.

use arr_tests::c99::{Case, Made, Toolchain, batch, case};
use arr_tests::large::random::Random;
use arr_tests::large::soak::Source;
use arr_tests::large::wrong::{Order, Wrong};
use std::collections::BTreeMap;
use std::process::ExitCode;

const HELP: &str = "\
c99-cases [--wrong | --own] [--seed S] [--count N] [--strict] [--sized] [--run PROGRAM] [--batch N] [--] COMPILER OPTIONS

Writes programs and their derivatives as C, compiles and runs them, and prints what differs from the interpreter. Random
programs; with --own the repository's as they are, with --wrong as `soak --wrong` changes them.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (own, compile) = match arguments.iter().position(|a| a == "--") {
        Some(at) => (arguments[..at].to_vec(), arguments[at + 1..].to_vec()),
        None => (arguments, "gcc -std=c99 -O1 -ffp-contract=off".split(' ').map(String::from).collect()),
    };
    let asked = |name: &str| own.iter().any(|a| a == name);
    let after = |name: &str| own.get(own.iter().position(|a| a == name)? + 1);
    let whole = |name: &str| after(name).and_then(|text| text.parse::<u64>().ok());
    if asked("--help") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let (first, count) = (whole("--seed").unwrap_or(0), whole("--count").unwrap_or(100));
    let run = after("--run").map(|text| text.split(' ').map(String::from).collect()).unwrap_or_default();
    let tools = Toolchain { compile, run, strict: asked("--strict") };
    let all;
    let (source, seeds): (&dyn Source, Vec<u64>) = if asked("--own") {
        all = Wrong::new(Order::All);
        let plain = (0..all.count()).filter(|&seed| all.is_plain(seed)).collect::<Vec<u64>>();
        (&all, plain.into_iter().skip(first as usize).take(count as usize).collect())
    } else if asked("--wrong") {
        all = Wrong::new(Order::Sampled);
        (&all, (first..first + count).collect())
    } else {
        (&Random, (first..first + count).collect())
    };
    let (mut tally, mut waiting, mut number) = (BTreeMap::<String, usize>::new(), Vec::new(), 0);
    let size = whole("--batch").unwrap_or(40) as usize;
    for (at, &seed) in seeds.iter().enumerate() {
        let Some(job) = source.job(seed) else { continue };
        for entry in &job.entries {
            number += 1;
            let outcome = match case(&job, entry, number, tools.strict, asked("--sized")) {
                Ok(Made::Case(case)) => {
                    waiting.push(*case);
                    "written".to_string()
                }
                Ok(Made::Refused(why)) => format!("refused: {}", why),
                Ok(Made::Skipped) => "skipped".to_string(),
                Err(bug) => {
                    println!("==== seed {seed} {entry}: {bug}");
                    format!("bug: {bug}")
                }
            };
            *tally.entry(outcome).or_default() += 1;
        }
        if waiting.len() >= size || at + 1 == seeds.len() {
            report(&waiting, &tools, &mut tally);
            waiting.clear();
        }
    }
    tally.iter().for_each(|(what, count)| println!("{count:6} {what}"));
    ExitCode::SUCCESS
}

fn report(cases: &[Case], tools: &Toolchain, tally: &mut BTreeMap<String, usize>) {
    let Ok(folder) = tempfile::tempdir() else { return };
    match batch(cases, folder.path(), tools) {
        Ok(ran) => {
            let mut add = |what: &str, count: usize| *tally.entry(what.to_string()).or_default() += count;
            add("right values", ran.values);
            add("right errors", ran.errors);
            add("without room", ran.without_room);
            add("differ", ran.wrong.len());
            add("compared by bits", cases.iter().filter(|case| case.exact()).count());
            ran.wrong.iter().for_each(|text| println!("==== {text}"));
        }
        Err(why) => {
            *tally.entry("not compiled".to_string()).or_default() += cases.len();
            println!("==== {why}");
        }
    }
}
