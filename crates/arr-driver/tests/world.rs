//! Files: what is read as a program, and that a write is all or nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arr_driver::{Failure, MemoryWorld, OsWorld, Session, World};

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
    assert!(OsWorld.write(&path("nowhere/a.txt"), b"x").is_err());
    let mut names: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.txt", "directory"]);
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
