//! Files: which can be read as programs, and that writes are atomic.

use arr_data::Arg;
use arr_driver::{Derive, Execution, Failure, MemoryWorld, OsWorld, Session, Temporary, World};
use std::io::ErrorKind;
use std::path::PathBuf;

fn code(failure: Failure) -> String {
    match failure {
        Failure::Diagnostics(list) => list.iter().map(|d| d.code.to_string()).collect::<Vec<_>>().join(" "),
        Failure::Bug(what) => panic!("{what}"),
    }
}

#[test]
fn programs_are_text() {
    let world = MemoryWorld::new([
        ("latin1.arr", &b"def f() -> f64 = 1.0 -- \xe9"[..]),
        ("bom.arr", b"\xef\xbb\xbfdef f() -> f64 = 1.0\r\n"),
        ("empty.arr", b""),
    ]);
    let mut session = Session::new(world);
    assert_eq!(code(session.check("latin1.arr").unwrap_err()), "E0702");
    assert_eq!(code(session.check("nowhere.arr").unwrap_err()), "E0701");
    session.check("bom.arr").unwrap();
    session.check("empty.arr").unwrap();
    let names: Vec<String> = session.sources().iter().map(|(_, f)| f.name.clone()).collect();
    assert_eq!(names, ["bom.arr", "empty.arr"]);
}

#[test]
fn a_write_that_fails_leaves_what_was_there() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("world");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("directory")).unwrap();
    let path = |name: &str| dir.join(name).to_str().unwrap().to_string();
    OsWorld.write(&path("a.txt"), b"one").unwrap();
    OsWorld.write(&path("a.txt"), b"two").unwrap();
    assert_eq!(OsWorld.read(&path("a.txt")).unwrap(), b"two");
    assert!(OsWorld.write(&path("directory"), b"x").is_err());
    // What fails is known before, and looking leaves nothing behind.
    for (name, kind) in [
        ("directory", Some(ErrorKind::IsADirectory)),
        ("nowhere/a.txt", Some(ErrorKind::NotFound)),
        ("a.txt/b.txt", Some(ErrorKind::NotADirectory)),
        ("a.txt", None),
        ("directory/new.txt", None),
    ] {
        assert_eq!(OsWorld.check_write(&path(name)).map_err(|e| e.kind()).err(), kind, "{name}");
    }
    assert_eq!(OsWorld.read(&path("a.txt")).unwrap(), b"two");
    assert!(OsWorld.list(&path("directory")).unwrap().is_empty());
    assert!(OsWorld.write(&path("nowhere/a.txt"), b"x").is_err());
    let mut names: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.txt", "directory"]);
}

/// An empty directory.
fn place(name: &str) -> PathBuf {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn names(dir: &std::path::Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_name_may_be_as_long_as_the_system_allows() {
    let dir = place("long");
    let name = "n".repeat(255);
    OsWorld.write(dir.join(&name).to_str().unwrap(), b"x").unwrap();
    OsWorld.write(dir.join(&name).to_str().unwrap(), b"y").unwrap();
    assert_eq!(names(&dir), [name]);
    assert!(OsWorld.write(dir.join("n".repeat(256)).to_str().unwrap(), b"x").is_err());
    assert_eq!(names(&dir).len(), 1);
}

#[test]
fn a_temporary_file_goes_unless_it_replaces_another() {
    let dir = place("temporary");
    let target = dir.join("out");
    let mut dropped = Temporary::beside(&target).unwrap();
    dropped.write_all(b"x").unwrap();
    assert_eq!(names(&dir).len(), 1);
    drop(dropped);
    assert!(names(&dir).is_empty());
    let (first, second) = (Temporary::beside(&target).unwrap(), Temporary::beside(&target).unwrap());
    assert_ne!(first.path(), second.path());
    first.replace(&target).unwrap();
    drop(second);
    assert_eq!(names(&dir), ["out"]);
}

#[test]
fn what_is_read_is_limited() {
    let dir = place("limit");
    let path = dir.join("a");
    std::fs::write(&path, [0; 100]).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(OsWorld.read_at_most(path, 100).unwrap().len(), 100);
    assert_eq!(OsWorld.read_at_most(path, 99).unwrap_err().kind(), ErrorKind::FileTooLarge);
    assert_eq!(
        MemoryWorld::new([("a", &[0; 100][..])]).read_at_most("a", 99).unwrap_err().kind(),
        ErrorKind::FileTooLarge
    );
    // A program runs within its memory limit, including the reading of its arguments.
    let numbers = "1\n".repeat(1000);
    let world =
        MemoryWorld::new([("p.arr", &b"def main(x: [n]f64) -> f64 = sum(x)"[..]), ("x.csv", numbers.as_bytes())]);
    let mut session = Session::new(world.with_stdin(format!("[{}1]", "1, ".repeat(1000)).as_bytes()));
    let mut run = |arg: &str, max_memory: u64| {
        let mut program = session.program("p.arr", "main", &Derive::Nothing).unwrap();
        let execution = Execution { max_memory: Some(max_memory), ..Execution::default() };
        session.run(&mut program, &[Arg::parse(arg)], &execution).map(|_| ()).map_err(code)
    };
    assert_eq!(run("@x.csv", 100_000), Ok(()));
    assert_eq!(run("@x.csv", 1000), Err("E0605".to_string()));
    assert_eq!(run("-", 1_000_000), Ok(()));
    assert_eq!(run("-", 1000), Err("E0605".to_string()));
}

#[cfg(unix)]
#[test]
fn endless_files_do_not_hang() {
    use std::os::unix::fs::symlink;
    let dir = place("endless");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_string();
    assert!(std::process::Command::new("mkfifo").arg(path("pipe.arr")).status().unwrap().success());
    symlink("/dev/zero", path("zero.arr")).unwrap();
    symlink("pipe.arr", path("link.arr")).unwrap();
    symlink("nowhere.arr", path("dangling.arr")).unwrap();
    std::fs::create_dir(path("folder.arr")).unwrap();
    std::fs::write(path("a.arr"), "def one = 1.0\n").unwrap();
    symlink("a.arr", path("b.arr")).unwrap();
    let mut session = Session::new(OsWorld);
    // In a directory, only files are programs.
    assert_eq!(session.programs(&path("")).unwrap(), [path("a.arr"), path("b.arr")]);
    // A program imports only files.
    for name in ["pipe.arr", "zero.arr", "link.arr", "dangling.arr", "folder.arr"] {
        std::fs::write(path("main.arr"), format!("import \"./{name}\" as m\ndef main = 1.0\n")).unwrap();
        assert_eq!(code(session.check(&path("main.arr")).unwrap_err()), "E0207", "{name}");
        assert!(!OsWorld.is_file(&path(name)), "{name}");
    }
    // The user may name a device, with a limit on the bytes read.
    assert_eq!(OsWorld.read_at_most("/dev/zero", 1 << 20).unwrap_err().kind(), ErrorKind::FileTooLarge);
    assert!(OsWorld.read("/dev/null").unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_what_is_not_there_yet() {
    use std::os::unix::fs::symlink;
    let dir = place("dangling");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_string();
    std::fs::create_dir(path("inner")).unwrap();
    symlink("inner/second", path("first")).unwrap();
    symlink("../target", path("inner/second")).unwrap();
    OsWorld.write(&path("first"), b"x").unwrap();
    assert_eq!(std::fs::read(path("target")).unwrap(), b"x");
    assert_eq!(names(&dir), ["first", "inner", "target"]);
    assert!(dir.join("first").is_symlink() && dir.join("inner/second").is_symlink());
    // A circle, a directory that is not there.
    symlink("circle", path("circle")).unwrap();
    symlink("nowhere/x", path("lost")).unwrap();
    assert!(OsWorld.write(&path("circle"), b"x").is_err());
    assert!(OsWorld.write(&path("lost"), b"x").is_err());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("links");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("target"), b"old").unwrap();
    std::os::unix::fs::symlink("target", dir.join("link")).unwrap();
    OsWorld.write(dir.join("link").to_str().unwrap(), b"new").unwrap();
    assert_eq!(std::fs::read(dir.join("target")).unwrap(), b"new");
    assert!(dir.join("link").is_symlink());
}
