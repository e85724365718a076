//! The table is complete and correct: its names, its order, the registries beside it, the page made from it.

use arr_ir::Level;
use arr_loops::LowerOptions;
use arr_pipeline::{Parts, Run, STEPS, Settings, Stage, Target, Without, find, markdown, names};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn names_are_unique_and_few_enough_for_a_set() {
    let all: Vec<&str> = names().map(|named| named.name()).collect();
    let unique: BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(unique.len(), all.len(), "{all:?}");
    assert!(all.len() <= 128, "a `Without` has 128 bits");
    for step in STEPS {
        assert!(!step.why.is_empty() && !step.source.is_empty() && !step.pass.is_empty(), "{}", step.name);
        assert!(!step.name.contains('.'), "{}", step.name);
        let prefix = format!("{}.", step.name);
        assert!(step.parts.iter().all(|part| part.name.starts_with(&prefix)), "{}", step.name);
    }
}

#[test]
fn steps_stand_in_order() {
    for (at, step) in STEPS.iter().enumerate() {
        for need in step.needs {
            assert!(STEPS[..at].iter().any(|above| above.name == *need), "`{}` counts on `{need}`", step.name);
        }
        if let Some(above) = at.checked_sub(1).map(|at| &STEPS[at]) {
            assert!(above.stage <= step.stage, "`{}` is behind `{}`", step.name, above.name);
        }
        let level = match step.stage {
            Stage::Core => Some(Level::Core),
            Stage::Fused | Stage::Relaxed => Some(Level::Fused),
            Stage::Bulk | Stage::Ad | Stage::Loops | Stage::Code => None,
        };
        assert!(level.is_none_or(|level| level == step.after), "{}", step.name);
    }
}

/// Every pass of the registries is a step, and every step that runs a registered pass finds it.
#[test]
fn the_registries_and_the_table_name_each_other() {
    let passes: Vec<&str> = arr_passes::PASSES.iter().chain(arr_ad::PASSES).map(|pass| pass.name).collect();
    for pass in &passes {
        assert!(STEPS.iter().any(|step| step.pass == *pass), "the pass `{pass}` is no step");
    }
    for step in STEPS {
        if let Run::Pass = step.run {
            assert!(passes.contains(&step.pass), "`{}` runs `{}`, which is no pass", step.name, step.pass);
        }
    }
    let loops: Vec<&str> = STEPS.iter().filter(|s| matches!(s.run, Run::Loops)).map(|s| s.pass).collect();
    let registered: Vec<&str> = arr_loops::PASSES.iter().map(|pass| pass.name).collect();
    assert_eq!(loops, registered);
}

/// Every pass has golden files, in a folder of its name.
#[test]
fn every_pass_has_golden_files() {
    let arrays = arr_passes::PASSES.iter().map(|pass| format!("arr-passes/tests/{}", pass.name.replace('-', "_")));
    let loops = arr_loops::PASSES.iter().map(|pass| format!("arr-loops/tests/passes/{}", pass.name));
    for folder in arrays.chain(loops) {
        let files = std::fs::read_dir(root().join("crates").join(&folder));
        assert!(files.is_ok_and(|mut files| files.next().is_some()), "`crates/{folder}` has no golden files");
    }
}

/// A pass over loops runs where its own table says.
#[test]
fn conditions_of_passes_over_loops_agree() {
    for target in [Target::Cpu, Target::Gpu] {
        for counts_steps in [false, true] {
            let settings = Settings { counts_steps, relaxed: true, ..Settings::new(target) };
            let nested = target == Target::Gpu;
            let options = LowerOptions { nested, blocks: !nested && !counts_steps, ..LowerOptions::default() };
            for step in STEPS.iter().filter(|s| matches!(s.run, Run::Loops)) {
                let pass = arr_loops::PASSES.iter().find(|pass| pass.name == step.pass).unwrap();
                assert_eq!(
                    settings.take(step, Parts::default()),
                    pass.when.holds(&options),
                    "{} {target:?}",
                    step.name
                );
            }
        }
    }
}

/// Public functions of the crates below that take a function but are no steps: tools of steps, and forms of a step that
/// its crate's tests call.
const NO_STEPS: &[(&str, &str)] = &[
    ("remove_dead", "a part of `simplify`"),
    ("simplify_bulk", "`simplify`, of code in which derivatives are left"),
    ("fuse_with", "`fuse`, followed through its parts"),
    ("interchange_with", "`interchange`, followed through its parts"),
    ("contract_with", "`contract`, followed through its parts"),
    ("differentiate_with", "`differentiate`, with options"),
    ("size_operand", "writes a size into statements"),
    ("index_checks", "writes the checks of an index into statements"),
    ("bot_block", "`bot`, of a derivative's body"),
    ("run_pass", "runs a pass of the registry by its name"),
    ("run_passes", "runs all passes over loops"),
];

/// No public transformation of functions is missing from the table.
#[test]
fn no_pass_stands_outside() {
    let mut seen = BTreeSet::new();
    for krate in ["arr-passes", "arr-ad", "arr-loops"] {
        visit(&root().join("crates").join(krate).join("src"), &mut |path, text| {
            for line in text.lines() {
                let Some(rest) = line.strip_prefix("pub fn ") else { continue };
                let Some((name, params)) = rest.split_once('(') else { continue };
                let first = params.split(',').next().unwrap_or_default();
                if !first.contains("&mut Func") && !first.contains("&mut LoopFunc") {
                    continue;
                }
                let name = name.split('<').next().unwrap_or(name).to_string();
                let is_step = STEPS.iter().any(|step| step.pass == name);
                let is_tool = NO_STEPS.iter().any(|(tool, _)| *tool == name);
                assert!(is_step || is_tool, "`{name}` in {path:?} is no step of the table");
                seen.insert(name);
            }
        });
    }
    for pass in ["simplify", "bot", "fix_sizes", "demote_f64", "fuse", "differentiate"] {
        assert!(seen.contains(pass), "the search has not found `{pass}`: {seen:?}");
    }
}

/// Steps inside the front end and back ends are where the table says.
#[test]
fn steps_elsewhere_are_there() {
    for step in STEPS {
        if let Run::Elsewhere(file) = step.run {
            let path = root().join("crates").join(file);
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
            let found = text.contains(&format!("fn {}(", step.pass));
            assert!(found, "`{}`: {file} has no function `{}`", step.name, step.pass);
            assert!(!step.optional, "`{}` cannot be left out from here", step.name);
        }
    }
}

fn visit(folder: &Path, each: &mut dyn FnMut(&Path, &str)) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            visit(&path, each);
        } else if path.extension().is_some_and(|e| e == "rs") {
            each(&path, &std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn names_are_refused_with_a_suggestion() {
    let hint = |name: &str| find(name).unwrap_err().hint.unwrap();
    assert_eq!(hint("hoists"), "did you mean `hoist`?");
    assert_eq!(hint("fuse.inlin"), "did you mean `fuse.inline`?");
    assert!(hint("simplify").contains("`simplify-core`, `simplify-bulk`, `simplify-derivatives`"));
    assert!(hint("frobnicate").starts_with("the steps are `elaborate`"));
    let refused = Without::of(["recheck"]).unwrap_err();
    assert!(refused.title.contains("`recheck` cannot be left out"), "{refused:?}");
    assert!(Without::of(["hoist", "fuse.rematerialize-pairs"]).unwrap().has("fuse.rematerialize-pairs"));
    assert!(!Without::of(["simplify-core"]).unwrap().has("simplify-bulk"));
}

const START: &str =
    "<!-- The table of steps, made from crates/arr-pipeline/src/table.rs: ARR_BLESS=1 cargo test -p arr-pipeline -->\n";
const END: &str = "<!-- The end of the table of steps. -->\n";

/// The page contains the present table; `ARR_BLESS=1` writes it there.
#[test]
fn the_page_has_the_table() {
    let path = root().join("ARCHITECTURE.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(START).expect("the page has a place for the table");
    let (shown, after) = rest.split_once(END).expect("the table has an end");
    let expected = format!("\n{}\n", markdown());
    if std::env::var_os("ARR_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{START}{expected}{END}{after}")).unwrap();
    } else {
        assert!(shown == expected, "the table in ARCHITECTURE.md is not that of table.rs; bless it with ARR_BLESS=1");
    }
}
