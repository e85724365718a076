//! Every workload runs at small sizes, its results agree with those of the peers in C, and the reports are written.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the programme with `--quick`; returns the text of each file it wrote, by name.
fn quick(peers: &str, threads: &str, folder: &str) -> impl Fn(&str) -> String {
    let output: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let run = Command::new(env!("CARGO_BIN_EXE_arr-bench"))
        .args(["--quick", "--peers", peers, "--threads", threads, "--output"])
        .arg(&output)
        .output()
        .expect("the programme starts");
    let text = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{text}");
    move |name| std::fs::read_to_string(output.join(name)).expect("a report")
}

fn cases(report: &str) -> Vec<serde_json::Value> {
    let report: serde_json::Value = serde_json::from_str(report).expect("JSON");
    report["cases"].as_array().expect("cases").clone()
}

#[test]
fn alone() {
    let report = quick("none", "1", "alone");
    let cases = cases(&report("benchmarks.json"));
    let programs =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("workloads")).expect("programs").count();
    assert_eq!(cases.len(), programs, "a program without a row in the table, or the other way round");
    assert!(cases.iter().all(|case| case["seconds"]["Arr"]["value"]["median"].as_f64() > Some(0.0)));
    assert!(report("benchmarks.md").contains("### The gradient"));
    assert!(report("benchmarks.svg").starts_with("<svg"));
}

#[test]
fn beside_c() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("there is no C compiler");
        return;
    }
    let cases = cases(&quick("c", "2", "beside_c")("benchmarks.json"));
    let compared = cases.iter().filter(|case| case["seconds"]["C"]["difference"].is_number()).count();
    let sources = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/c")).expect("sources").count();
    // Two of the files in C are the harness.
    assert_eq!(compared, sources - 2);
    assert!(cases.iter().all(|case| case["faults"].as_array().is_some_and(Vec::is_empty)));
}

#[test]
fn what_is_not_there_is_said() {
    let run =
        Command::new(env!("CARGO_BIN_EXE_arr-bench")).args(["--only", "gnm"]).output().expect("the programme starts");
    assert!(!run.status.success());
    assert!(String::from_utf8_lossy(&run.stderr).contains("no workload has such a name"));
}

#[test]
fn steps_are_left_out() {
    let output: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ablation");
    let ablate = |steps: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arr-bench"));
        command.args(["ablate", "--quick", "--only", "lse", "--steps", steps, "--output"]).arg(&output);
        command.output().expect("the programme starts")
    };
    let run = ablate("fuse,layout");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let report = std::fs::read_to_string(output.join("ablation.md")).expect("a report");
    // Without fusion both functions change; `layout` has no effect on them.
    assert!(report.contains("\n| `fuse` | 2 |") && report.contains("\n| `layout` | 0 |"), "{report}");
    for (step, told) in [("lower", "cannot be left out"), ("fuze", "has no step")] {
        let run = ablate(step);
        assert!(!run.status.success());
        assert!(String::from_utf8_lossy(&run.stderr).contains(told), "{step}");
    }
}
