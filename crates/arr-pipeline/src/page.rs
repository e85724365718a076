//! The table for readers, in ARCHITECTURE.md.

use crate::table::{Run, STEPS, Step};
use arr_passes::Part;

/// The table in Markdown: one row per step, and under it one row for each of its parts.
pub fn markdown() -> String {
    let mut text = String::from(
        "| step | stage | runs for | counts on | optional | in relaxed code | why | source |\n|---|---|---|---|---|---|---|---|\n",
    );
    for step in STEPS {
        text.push_str(&row(step));
        step.parts.iter().for_each(|part| text.push_str(&part_row(step, part)));
    }
    text
}

fn row(step: &Step) -> String {
    let when: Vec<&str> = step.when.iter().map(|when| when.words()).collect();
    let needs: Vec<String> = step.needs.iter().map(|name| format!("`{name}`")).collect();
    let place = match step.run {
        Run::Elsewhere(file) => format!(" (`{file}`)"),
        _ => String::new(),
    };
    line(&[
        format!("`{}`", step.name),
        step.stage.name().to_string(),
        if when.is_empty() { "all".to_string() } else { when.join(", ") },
        needs.join(", "),
        yes(step.optional),
        if step.exact { "exact" } else { "rounds" }.to_string(),
        format!("{}{place}", step.why),
        step.source.to_string(),
    ])
}

fn part_row(step: &Step, part: &Part) -> String {
    let why = part.description.trim_end_matches('.');
    let mut first = why.chars();
    let why: String = first.next().into_iter().flat_map(char::to_lowercase).chain(first).collect();
    line(&[
        format!("· `{}`", part.name),
        step.stage.name().to_string(),
        String::new(),
        String::new(),
        yes(part.optional),
        if step.exact { "exact" } else { "rounds" }.to_string(),
        why,
        part.source.to_string(),
    ])
}

fn yes(it_is: bool) -> String {
    if it_is { "yes" } else { "" }.to_string()
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}
