//! Bisection: nothing is found in a correct compiler, and a faulty step is named, with evidence.
#![allow(clippy::result_large_err)]

use arr_data::Arg;
use arr_driver::{Bisection, Derive, Execution, Failure, MemoryWorld, Mode, STEPS, Session, Step, with_stack};
use arr_ir::{Atom, Block, Const, Func, Op, Prim, sample};
use arr_pipeline::Run;

const PROGRAMS: &str = include_str!("without/programs.arr");

fn told(failure: Failure) -> String {
    match failure {
        Failure::Bug(what) => format!("a bug: {what}"),
        Failure::Diagnostics(list) => list.iter().map(|d| format!("{} {}", d.code, d.title)).collect(),
    }
}

fn relaxed() -> Execution {
    Execution::default()
}

fn strict() -> Execution {
    Execution { strict: true, ..Execution::default() }
}

fn bisect(text: &str, args: &[&str], execution: &Execution, steps: &'static [Step]) -> Bisection {
    let mut session = Session::new(MemoryWorld::new([("p.arr", text.as_bytes())]));
    let mut program = session.program("p.arr", "main", &Derive::Nothing).map_err(told).unwrap();
    program.steps = steps;
    let args: Vec<Arg> = args.iter().map(|text| Arg::parse(text)).collect();
    session.bisect(&mut program, &args, execution).map_err(told).unwrap()
}

/// The table with another pass instead of a step.
fn with_fault(name: &str, wrong: Run) -> &'static [Step] {
    assert!(STEPS.iter().any(|step| step.name == name));
    let steps = STEPS.iter().map(|step| if step.name == name { Step { run: wrong, ..*step } } else { *step });
    Vec::leak(steps.collect())
}

fn each_constant(block: &mut Block, change: &dyn Fn(f64) -> f64) {
    for stmt in &mut block.stmts {
        stmt.op.map_operands(&mut |atom| match atom {
            Atom::Const(Const::F64(x)) => Atom::Const(Const::F64(change(x))),
            other => other,
        });
        stmt.op.blocks_mut().into_iter().for_each(|inner| each_constant(inner, change));
    }
}

fn scale(func: &mut Func, factor: f64) {
    each_constant(&mut func.body, &|x| if x == 0.75 { x * factor } else { x });
}

const PROGRAM: &str = "def main(x: [n]f64, a: [n][n]f64) -> [n]f64 =
  let y = a @ (0.75 * x)
  let z = a @ for b in y => b / sum(y * y)
  in for i < n => z[i] + exp(y[i])";
const ARGS: &[&str] = &["[1.0, 2.0, 3.0]", "[[1.0, 0.5, 0.25], [0.0, 1.0, 2.0], [1.5, 1.0, 0.5]]"];

#[test]
fn a_right_compiler_has_no_finding() {
    let work = || {
        let mut session = Session::new(MemoryWorld::new([("p.arr", PROGRAMS.as_bytes())]));
        for (at, entry) in
            ["mixture", "bodies", "plate", "gated", "pooled", "smoothed", "projected", "pieces"].iter().enumerate()
        {
            for derive in [Derive::Nothing, Derive::Gradient { wrt: Vec::new(), mode: Mode::Reverse }] {
                let mut program = session.program("p.arr", entry, &derive).map_err(told).unwrap();
                let sizes: Vec<i64> = (0..program.func().sizes.len()).map(|k| 3 + ((at + k) % 3) as i64).collect();
                let leaves = sample::args(program.func(), &sizes, 3).unwrap();
                for execution in [strict(), relaxed()] {
                    let found = program.bisect(&sizes, &leaves, &execution).map_err(told).unwrap();
                    assert!(found.finding.is_none(), "{entry} {derive:?}\n{}", found.text());
                    assert!(found.compared.contains(&"cranelift".to_string()) && found.compared.len() > 5);
                }
            }
        }
    };
    with_stack(work).unwrap();
}

#[test]
fn the_first_wrong_step_is_named_with_the_variable() {
    for (step, before) in [("simplify-bulk", "bot"), ("hoist", "fuse"), ("layout", "hoist")] {
        let steps = with_fault(
            step,
            Run::Func(|func, _| {
                scale(func, 1.5);
                Ok(())
            }),
        );
        let found = bisect(PROGRAM, ARGS, &strict(), steps);
        let finding = found.finding.clone().unwrap_or_else(|| panic!("{step}: {}", found.text()));
        assert_eq!(finding.step, step, "{}", found.text());
        assert!(finding.exact && finding.difference.contains("differ, by"), "{}", found.text());
        assert!(finding.before.contains("0.75") && finding.after.contains("1.125"), "{}", found.text());
        assert!(step != "simplify-bulk" || finding.against == before);
        // Variables that agree are parameters of the function that shows the difference.
        assert!(finding.variable.is_some() && !finding.before.contains("exp"), "{}", found.text());
    }
}

/// The smallest difference counts in a step that has to keep bits, and not in one that may round.
#[test]
fn contracts_are_those_of_the_table() {
    fn nudge(func: &mut Func) {
        each_constant(&mut func.body, &|x| if x == 0.75 { f64::from_bits(x.to_bits() + 1) } else { x });
    }
    let wrong = Run::Func(|func, _| {
        nudge(func);
        Ok(())
    });
    let exact = bisect(PROGRAM, ARGS, &relaxed(), with_fault("expand", wrong));
    assert_eq!(exact.finding.as_ref().map(|f| f.step.as_str()), Some("expand"), "{}", exact.text());
    let rounds = bisect(PROGRAM, ARGS, &relaxed(), with_fault("speculate", wrong));
    assert!(rounds.finding.is_none(), "{}", rounds.text());
    let grave = Run::Func(|func, _| {
        scale(func, 1.0 + 1e-9);
        Ok(())
    });
    let found = bisect(PROGRAM, ARGS, &relaxed(), with_fault("speculate", grave));
    assert_eq!(found.finding.as_ref().map(|f| f.step.as_str()), Some("speculate"), "{}", found.text());
    assert!(!found.finding.unwrap().exact);
}

/// Where terms cancel, an element may be off only by a rounding error of their magnitudes.
#[test]
fn rounding_is_measured_against_the_terms() {
    let program = "def main(x: [n]f64) -> f64 = sum(for a in x => a * 0.75) - 0.75 * sum(x)";
    // Another order of the terms, as in relaxed code.
    let reversed = Run::Func(|func, _| {
        reverse_sums(&mut func.body);
        Ok(())
    });
    let args = &["[1e15, 3.3, 7.7, -1e15, 1e8, 0.1, 12345.678]"];
    let found = bisect(program, args, &relaxed(), with_fault("speculate", reversed));
    assert!(found.finding.is_none(), "{}", found.text());
}

/// The terms of sums over arrays, from the last to the first.
fn reverse_sums(block: &mut Block) {
    for stmt in &mut block.stmts {
        if let Op::Prim(Prim::Sub, args) = &mut stmt.op {
            args.reverse();
            stmt.op = match &stmt.op {
                Op::Prim(_, args) => Op::Prim(Prim::Sub, vec![args[1], args[0]]),
                other => other.clone(),
            };
        }
        stmt.op.blocks_mut().into_iter().for_each(reverse_sums);
    }
}

#[test]
fn an_error_in_the_place_of_a_value_is_a_difference() {
    let text = "def main(x: [n]f64, i: i64) -> f64 = sum(x) + x[i]";
    let unchecked = Run::Func(|func, _| {
        for stmt in &mut func.body.stmts {
            if let Op::Read { index, .. } = &mut stmt.op {
                *index = vec![Atom::int(0)];
            }
        }
        Ok(())
    });
    let found = bisect(text, &["[1.0, 2.0]", "2"], &strict(), with_fault("fuse", unchecked));
    let finding = found.finding.clone().unwrap_or_else(|| panic!("{}", found.text()));
    assert_eq!(finding.step, "fuse");
    assert!(finding.difference.contains("E0601") && finding.difference.contains("a value"), "{}", found.text());
    // The same error at the same place is the same result.
    let right = bisect(text, &["[1.0, 2.0]", "2"], &strict(), STEPS);
    assert!(right.finding.is_none(), "{}", right.text());
}

#[test]
fn a_broken_invariant_is_a_finding() {
    let unbound = Run::Func(|func, _| {
        func.body.stmts.clear();
        Ok(())
    });
    let found = bisect(PROGRAM, ARGS, &strict(), with_fault("hoist", unbound));
    let finding = found.finding.clone().unwrap_or_else(|| panic!("{}", found.text()));
    assert!(finding.after.contains("`hoist`"), "{}", found.text());
}
