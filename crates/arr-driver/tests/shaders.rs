//! Shaders of definitions.

use arr_driver::{Cpu, Derive, Execution, Export, Floats, MemoryWorld, Session, Stage, Without, with_stack};

const PROGRAM: &str = "def main(x: [n]f32) -> [n]f32 =\n  for i < n => 2.0 * x[i] -- twice\n";

/// The displayed shader of a program is the one that is built, including its comments.
#[test]
fn the_text_of_a_stage_is_that_of_a_build() {
    with_stack(|| {
        let session = || Session::new(MemoryWorld::new([("a.arr", PROGRAM.as_bytes())]));
        let export = Export {
            entries: vec!["main".to_string()],
            gradients: Vec::new(),
            cpu: Cpu::Any,
            strict: false,
            checkpoint: false,
            without: Without::default(),
            floats: Floats::Declared,
            header_name: String::new(),
        };
        let built = session().shaders("a.arr", &export, "a.wgsl").expect("a module").wgsl;
        let mut program = session().program("a.arr", "main", &Derive::Nothing).expect("a program");
        let shown = program.emit(Stage::Wgsl, &Execution::default()).expect("a text");
        assert_eq!(shown.split("\n// The host:").next(), Some(built.as_str()));
        assert!(shown.contains("// A point of a nest: for i < n => 2.0 * x[i] -- twice\n"), "{shown}");
    })
    .expect("an end");
}
