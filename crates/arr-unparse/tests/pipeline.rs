//! The definitions of `examples/`, and their gradients, through all passes and back to source: the meaning stays, and
//! the printed source checks.

use arr_base::{Id, SourceId};
use arr_check::{Checked, GradientMode, check_module, elaborate, elaborate_gradient};
use arr_ir::interp::{Limits, Outcome, run};
use arr_ir::{Func, sample};
use arr_pipeline::{At, Failure, STEPS, Settings, Stage, Target, Until, View, Watcher};
use std::path::Path;

fn checked(text: &str) -> Checked {
    let parsed = arr_syntax::parse_module(SourceId::from_index(0), text);
    assert!(parsed.diagnostics.is_empty(), "{:?}\n{text}", parsed.diagnostics);
    check_module(parsed.module)
}

fn outcomes(func: &Func) -> Vec<Option<Outcome>> {
    let at = |n: i64| {
        let sizes: Vec<i64> = func.sizes.iter().enumerate().map(|(k, _)| n + k as i64).collect();
        let args = sample::args(func, &sizes, 11)?;
        run(func, &sizes, &args, &Limits { max_steps: Some(100), max_bytes: None }).ok()
    };
    (0..4).map(at).collect()
}

/// Passes may reassociate nothing, but printed source may sum in another order.
fn agree(name: &str, old: &[Option<Outcome>], new: &[Option<Outcome>], tolerance: f64) {
    for (n, (old, new)) in old.iter().zip(new).enumerate() {
        let Some(old) = old else { continue };
        let new = new.as_ref().unwrap_or_else(|| panic!("{name} fails at size {n}"));
        for (a, b) in old.results.iter().zip(&new.results) {
            assert_eq!(a.dims(), b.dims(), "{name} at size {n}");
            for (x, y) in a.to_f64s().into_iter().zip(b.to_f64s()) {
                let close = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance * (1.0 + x.abs());
                assert!(close, "{name} at size {n}: {x} became {y}");
            }
        }
    }
}

fn through_the_pipeline(name: &str, func: Func) {
    let settings = Settings { verify: true, ..Settings::new(Target::Source) };
    let before = (!arr_ir::has_derivatives(&func)).then(|| outcomes(&func));
    let mut compare = Compare { name, before };
    arr_pipeline::run(STEPS, func, &settings, Until::Stage(Stage::Fused), &mut Vec::new(), &mut compare)
        .unwrap_or_else(|e| panic!("{name}: {e:?}"));
}

/// Compares the values after every step, and after every part of one, with those before.
struct Compare<'n> {
    name: &'n str,
    before: Option<Vec<Option<Outcome>>>,
}

impl Watcher for Compare<'_> {
    fn after(&mut self, at: At, program: View<'_>) -> Result<(), Failure> {
        let View::Func(func) = program else { return Ok(()) };
        if arr_ir::has_derivatives(func) {
            return Ok(());
        }
        let now = outcomes(func);
        let old = self.before.get_or_insert_with(|| now.clone());
        agree(&format!("{} after {}", self.name, at.name()), old, &now, 0.0);
        if ["simplify-bulk", "simplify-derivatives", "hoist"].contains(&at.name()) {
            round_trip(self.name, func, old);
        }
        Ok(())
    }
}

fn round_trip(name: &str, func: &Func, old: &[Option<Outcome>]) {
    let text = arr_unparse::emit_text(func, "printed").unwrap();
    if std::env::var_os("ARR_SHOW").is_some() {
        let mut out = std::io::stdout().lock();
        std::io::Write::write_all(&mut out, format!("-- {name}\n{text}\n").as_bytes()).unwrap();
    }
    // The language has no name for the product in which zero wins.
    if text.contains("mulz(") {
        return;
    }
    let again = checked(&text);
    assert!(again.diagnostics.is_empty(), "{name}: {:?}\n{text}", again.diagnostics);
    let again = elaborate(&again, "printed").unwrap_or_else(|e| panic!("{name}: {e:?}\n{text}"));
    agree(&format!("{name}, printed:\n{text}"), old, &outcomes(&again), 1e-12);
}

#[test]
fn examples() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "arr")) {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let program = checked(&std::fs::read_to_string(path).unwrap());
        for entry in program.entry_names() {
            if let Ok(func) = elaborate(&program, &entry) {
                through_the_pipeline(&format!("{file}:{entry}"), func);
            }
            if let Ok(func) = elaborate_gradient(&program, &entry, &[], GradientMode::Reverse) {
                through_the_pipeline(&format!("{file}:{entry} gradient"), func);
            }
        }
    }
}
