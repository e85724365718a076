//! `arr serve` over its standard streams, and the modules for GradBench: their examples and tests, and the answers of
//! all their functions to a small input in the form of the suite.

use arr_tests::gradbench::{self, MODULES};
use arr_tests::trial::Trial;
use arr_tests::{Outcome, arr, files, values};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("gradbench", || Ok(protocol()?)),
        Trial::test("json", || Ok(json_lines()?)),
        Trial::test("modules", || Ok(modules()?)),
    ];
    for module in files::list(MODULES, ".arr") {
        trials.push(Trial::test(format!("arr_test::{}", files::stem(&module)), move || {
            let output = arr::run(&["test", &module.to_string_lossy()], &files::root())?;
            if output.status == Some(0) { Ok(()) } else { Err(output.stdout.into()) }
        }));
    }
    trials
}

/// Sends lines to a server one by one and passes on each reply.
fn session(arguments: &[&str], lines: &[String], mut check: impl FnMut(usize, Value) -> Outcome) -> Outcome {
    let text = |error: std::io::Error| error.to_string();
    let mut command = Command::new(arr::binary()?);
    command.arg("serve").args(arguments).current_dir(files::root()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().map_err(text)?;
    let (Some(mut input), Some(output)) = (server.stdin.take(), server.stdout.take()) else {
        return Err("no streams".to_string());
    };
    let mut replies = BufReader::new(output).lines();
    for (i, line) in lines.iter().enumerate() {
        writeln!(input, "{line}").map_err(text)?;
        let reply = replies.next().ok_or("the server ended")?.map_err(text)?;
        check(i, serde_json::from_str(&reply).map_err(|e| format!("{e}: {reply}"))?)?;
    }
    drop(input);
    let status = server.wait().map_err(text)?;
    if status.success() && replies.next().is_none() { Ok(()) } else { Err(format!("{status}, or a reply too many")) }
}

fn same(found: &Value, expected: &Value) -> Outcome {
    if found == expected { Ok(()) } else { Err(format!("{found} instead of {expected}")) }
}

fn protocol() -> Outcome {
    let evaluate = json!({ "id": 2, "kind": "evaluate", "module": "hello", "function": "double", "input": 3 });
    let messages = [
        json!({ "id": 0, "kind": "start" }).to_string(),
        json!({ "id": 1, "kind": "define", "module": "hello" }).to_string(),
        "{\"id\": 9".to_string(),
        evaluate.to_string(),
        json!({ "id": 3, "kind": "define", "module": "unheard" }).to_string(),
    ];
    session(&["--protocol", "gradbench", MODULES], &messages, |i, reply| match i {
        0 => same(&reply, &json!({ "id": 0, "tool": "arr" })),
        1 => same(&reply["success"], &json!(true)),
        2 => same(&json!([reply["id"], reply["success"]]), &json!([null, false])),
        3 => same(&reply["output"], &json!(6.0)),
        _ => same(&json!([reply["id"], reply["success"]]), &json!([3, false])),
    })
}

fn json_lines() -> Outcome {
    let call = json!({ "op": "call", "module": "lse", "entry": "gradient", "args": [[0, 0]] });
    session(&[MODULES], &["  ".to_string() + &call.to_string(), "?".to_string()], |i, reply| match i {
        0 => same(&reply["value"], &json!([0.5, 0.5])),
        _ => same(&reply["ok"], &json!(false)),
    })
}

/// The table of inputs and outputs: the answers of the suite's hand-written programs.
fn modules() -> Outcome {
    let cases = gradbench::cases()?;
    let lines: Vec<String> = cases.iter().map(gradbench::request).collect();
    session(&["--protocol", "gradbench", MODULES], &lines, |i, reply| {
        let Some(case) = cases.get(i) else { return Err("a case too many".to_string()) };
        gradbench::judge(case, &reply, values::NEAR)
    })
}
