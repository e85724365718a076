//! Shaders of definitions.

use crate::builds::export_of_main;
use arr_driver::{Derive, Execution, MemoryWorld, Session, Stage, with_stack};

const PROGRAM: &str = "def main(x: [n]f32) -> [n]f32 =\n  for i < n => 2.0 * x[i] -- twice\n";

/// The displayed shader of a program is the one that is built, including its comments.
#[test]
fn the_text_of_a_stage_is_that_of_a_build() {
    with_stack(|| {
        let session = || Session::new(MemoryWorld::new([("a.arr", PROGRAM.as_bytes())]));
        let built = session().shaders("a.arr", &export_of_main(&[]), "a.wgsl").expect("a module").wgsl;
        let mut program = session().program("a.arr", "main", &Derive::Nothing).expect("a program");
        let shown = program.emit(Stage::Wgsl, &Execution::default()).expect("a text");
        assert_eq!(shown.split("\n// The host:").next(), Some(built.as_str()));
        assert!(shown.contains("// A point of a nest: for i < n => 2.0 * x[i] -- twice\n"), "{shown}");
    })
    .expect("an end");
}
