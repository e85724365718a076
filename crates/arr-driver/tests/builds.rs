//! Options of what is compiled ahead of time.

use arr_driver::{Cpu, Export, Floats, MemoryWorld, Session, Without, with_stack};

const PROGRAM: &str = "\
def main(x: [n][m]f32, w: [m]f32) -> [n]f32 =
  let y = for i < n, j < m => x[i, j] * w[j]
  in for i < n => sum(y[i])
";

/// `main` compiled without these steps.
pub fn export_of_main(without: &[&str]) -> Export {
    Export {
        entries: vec!["main".to_string()],
        gradients: Vec::new(),
        cpu: Cpu::Any,
        strict: false,
        checkpoint: false,
        without: Without::of(without.iter().copied()).expect("steps"),
        floats: Floats::Declared,
        header_name: String::new(),
    }
}

/// The object, the shaders, the module for XLA and the C of the program, without these steps.
fn built(without: &[&str]) -> [Vec<u8>; 4] {
    let export = export_of_main(without);
    let session = || Session::new(MemoryWorld::new([("a.arr", PROGRAM.as_bytes())]));
    [
        session().export("a.arr", &export, true).expect("an object").object,
        session().shaders("a.arr", &export, "a.wgsl").expect("shaders").wgsl.into_bytes(),
        session()
            .stablehlo("a.arr", &export, &[("n".to_string(), 5), ("m".to_string(), 4)], None)
            .expect("a module")
            .text
            .into_bytes(),
        session().c99("a.arr", "a", &export, &[], None).expect("C").source.into_bytes(),
    ]
}

/// Leaving out what joins the two loops shows in everything that can be built.
#[test]
fn every_back_end_leaves_steps_out() {
    with_stack(|| {
        let steps = ["contract", "fuse", "fuse-loops"];
        let (all, fewer) = (built(&[]), built(&steps));
        for (all, fewer) in all.iter().zip(&fewer) {
            assert_ne!(all, fewer, "{}", String::from_utf8_lossy(all));
        }
    })
    .expect("an end");
}
