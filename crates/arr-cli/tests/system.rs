//! The command and the system around it: full disks, signals, limits, pipes, links, and the folder of compiled programs.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A directory with a program in it.
fn place(program: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p.arr"), program).unwrap();
    dir
}

/// The result of a shell script, in which `$ARR` is the command.
fn shell(dir: &Path, script: &str) -> Output {
    let mut command = Command::new("bash");
    command.args(["-c", script]).current_dir(dir).stdin(Stdio::null());
    command.env("ARR", env!("CARGO_BIN_EXE_arr")).env("ARR_CACHE_DIR", "").env("NO_COLOR", "1");
    command.env_remove("RUST_BACKTRACE").output().unwrap()
}

/// The same as status, standard output and standard error.
fn told(dir: &Path, script: &str) -> (Option<i32>, String, String) {
    let output = shell(dir, script);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const PLUS: &str = "def main(x: f64) -> f64 = x + 1.0\n";

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let dir = place(PLUS);
    for command in
        ["--help", "--version", "run --help", "explain", "explain E0401", "run p.arr 1.0", "check-grad p.arr 1.0"]
    {
        let (status, _, err) = told(dir.path(), &format!("$ARR {command} > /dev/full"));
        assert_eq!(status, Some(1), "{command}");
        assert!(err.contains("E0707") && err.contains("No space left"), "{command}: {err}");
    }
}

/// Under a limit on address space there is less stack, and no other difference.
#[test]
fn limits_on_memory_leave_messages() {
    let dir = place(PLUS);
    let ran = told(dir.path(), "ulimit -v 2000000; $ARR check p.arr && $ARR run p.arr 1.0");
    assert_eq!(ran, (Some(0), "2.0\n".to_string(), String::new()));
    // However little memory there is, a message appears where nothing can be done.
    for kilobytes in [1_000_000, 500_000, 300_000, 200_000, 100_000] {
        let (status, out, err) = told(dir.path(), &format!("ulimit -v {kilobytes}; $ARR run p.arr 1.0"));
        assert!(status == Some(0) && out == "2.0\n" || !err.is_empty(), "{kilobytes}: {status:?} {out} {err}");
    }
}

/// A file that may not grow is reported like a full disk.
#[test]
fn a_limit_on_files_is_told() {
    let dir = place("def main(n: i64) -> [n]f64 = for i < n => f64(i)\n");
    let (status, _, err) = told(dir.path(), "ulimit -f 16; $ARR run p.arr 100000 -o out.npy");
    assert_eq!(status, Some(1), "{err}");
    assert!(err.contains("E0707"), "{err}");
    let (status, _, err) = told(dir.path(), "ulimit -f 16; $ARR run p.arr 100000 > out.txt");
    assert!(status == Some(1) && err.contains("E0707"), "{status:?} {err}");
    assert_eq!(files(dir.path()), ["out.txt", "p.arr"]);
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Ends the command with a signal while it writes; returns the signal that ended it.
fn ended_while_writing(dir: &Path, signal: &str) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    let mut command = Command::new(env!("CARGO_BIN_EXE_arr"));
    command.args(["run", "p.arr", "30000000", "-o", "out.npy"]).current_dir(dir).env("ARR_CACHE_DIR", "");
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !files(dir).iter().any(|name| name.ends_with(".tmp")) {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing is written");
        assert!(child.try_wait().unwrap().is_none(), "it has ended before");
        std::thread::sleep(Duration::from_millis(1));
    }
    Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
    child.wait().unwrap().signal()
}

#[test]
fn a_signal_leaves_no_temporary_files() {
    let dir = place("def main(n: i64) -> [n]f64 = for i < n => f64(i)\n");
    // Signals that these tests inherited as ignored, as background jobs do, are ignored by their child processes too.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    for (signal, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        if ignored & (1 << (number - 1)) != 0 {
            continue;
        }
        assert_eq!(ended_while_writing(dir.path(), signal), Some(number), "{signal}");
        assert_eq!(files(dir.path()), ["p.arr"], "{signal}");
    }
}

/// Signals that were ignored from the start stay ignored.
#[test]
fn nohup_is_respected() {
    let dir = place("def main(n: i64) -> f64 = loop x = 0.0 for i < n do x + sin(f64(i))\n");
    let script = "trap '' HUP; $ARR run p.arr 3000000 > out.txt & P=$!; sleep 0.2; kill -HUP $P; wait $P; cat out.txt";
    let (status, out, err) = told(dir.path(), script);
    assert!(status == Some(0) && out.trim().parse::<f64>().is_ok(), "{status:?} {out} {err}");
}

#[test]
fn pipes_in_a_tree_are_passed_over() {
    let dir = place("test \"one\" = 1.0 == 1.0\n");
    for command in ["test .", "fmt .", "doc -o pages ."] {
        let (status, _, err) = told(dir.path(), &format!("mkfifo q.arr 2> /dev/null; timeout 60 $ARR {command}"));
        assert_eq!(status, Some(0), "{command}: {err}");
    }
    // One that is named is read.
    std::fs::write(dir.path().join("p.arr"), PLUS).unwrap();
    let ran = told(dir.path(), "ARR_CACHE_DIR=$PWD/kept timeout 60 $ARR run <(cat p.arr) 1.0");
    assert_eq!(ran, (Some(0), "2.0\n".to_string(), String::new()));
    let ran = told(dir.path(), "mkfifo x.json; (echo 4 > x.json) & timeout 60 $ARR run p.arr @x.json");
    assert_eq!(ran, (Some(0), "5.0\n".to_string(), String::new()));
}

#[test]
fn any_number_of_threads_is_as_good_as_some() {
    let dir = place("def main(n: i64) -> f64 = sum(for i < n => sin(f64(i)))\n");
    let some = told(dir.path(), "$ARR run p.arr --threads 2 1000000");
    assert_eq!(told(dir.path(), "timeout 60 $ARR run p.arr --threads 65535 1000000"), some);
    assert_eq!(some.0, Some(0));
}

#[test]
fn kept_programs_are_for_their_user_alone() {
    let dir = place(PLUS);
    let mode =
        told(dir.path(), "umask 000; ARR_CACHE_DIR=$PWD/k $ARR run p.arr 1.0; ls -ld k | cut -c1-10; ls k | wc -l");
    assert_eq!(mode, (Some(0), "2.0\ndrwx------\n2\n".to_string(), String::new()));
    // In a folder of other files nothing else is touched.
    let script = "mkdir m; for i in $(seq 600); do echo data > m/photo$i.jpg; done; truncate -s 300M m/thesis.tex; \
                  ARR_CACHE_DIR=$PWD/m $ARR run p.arr 1.0; ls m | wc -l";
    assert_eq!(told(dir.path(), script), (Some(0), "2.0\n603\n".to_string(), String::new()));
    // The entry of another program is compiled over.
    std::fs::write(dir.path().join("q.arr"), "def main(x: f64) -> f64 = x * 100.0\n").unwrap();
    let script = "ARR_CACHE_DIR=$PWD/o $ARR run q.arr 2.0; for f in k/*; do cp o/$(ls -S o | head -1) $f; done; \
                  ARR_CACHE_DIR=$PWD/k $ARR run p.arr 2.0";
    assert_eq!(told(dir.path(), script), (Some(0), "200.0\n3.0\n".to_string(), String::new()));
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_arr"))
        .arg("explain")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}
