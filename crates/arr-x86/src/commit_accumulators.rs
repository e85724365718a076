//! Commits accumulators at the end of each iteration, so that they are complete wherever a program is left.
//!
//! When a program is left, all iterations of the present step are repeated, so none of them may have accumulated
//! anything by then. Where one might, the body works on a copy of the accumulator, and commits it at its end.
//!
//! ```text
//! accumulate v7: f64 by add to env 5       accumulate v7: f64 by add to env 5
//! for v8 < v0 {                            for v8 < v0 {
//!   v9: f64 = add v7, v2                     var v12: f64 = v7
//!   set v7 = v9                              v9: f64 = add v12, v2
//!   leave if v4                              set v12 = v9
//! }                                          leave if v4
//!                                            set v7 = v12
//!                                          }
//! ```
//!
//! Accumulators that are only touched after the last exit do not change, such as those of a sum of a function.

use crate::program::{For, Program, Stmt, Type, Value};

pub fn commit_accumulators(program: &mut Program) {
    for acc in program.accumulators.clone() {
        let body = &program.outer.body;
        let Some(last) = body.iter().rposition(leaves) else { return };
        let first = body.iter().position(|stmt| touches(stmt, acc.variable));
        let Some(first) = first.filter(|&first| first <= last) else { continue };
        let copy = Value(program.types.len() as u32);
        program.types.push(Type::Float(acc.elem));
        rename(&mut program.outer.body, acc.variable, copy);
        program.outer.body.insert(first, Stmt::Var(copy, Some(acc.variable)));
        program.outer.body.push(Stmt::Set(acc.variable, copy));
    }
}

fn leaves(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Leave(_) => true,
        Stmt::For(l) => l.body.iter().any(leaves),
        _ => false,
    }
}

/// Whether a statement reads or sets a variable.
fn touches(stmt: &Stmt, variable: Value) -> bool {
    let mut found = false;
    let mut copy = stmt.clone();
    each(&mut copy, &mut |value| {
        found |= value == variable;
        value
    });
    found
}

fn rename(stmts: &mut [Stmt], from: Value, to: Value) {
    for stmt in stmts {
        each(stmt, &mut |value| if value == from { to } else { value });
    }
}

/// Replaces the operands of a statement, and the variables that it sets.
fn each(stmt: &mut Stmt, f: &mut impl FnMut(Value) -> Value) {
    match stmt {
        Stmt::Let(_, op) => *op = op.map(&mut *f),
        Stmt::Var(_, init) => *init = init.map(&mut *f),
        Stmt::Set(variable, value) => (*variable, *value) = (f(*variable), f(*value)),
        Stmt::Store(place, value) => (*place, *value) = (place.map(&mut *f), f(*value)),
        Stmt::Leave(mask) => *mask = f(*mask),
        Stmt::Stop(place) => *place = place.map(&mut *f),
        Stmt::For(l) => each_in(l, f),
    }
}

fn each_in(l: &mut For, f: &mut impl FnMut(Value) -> Value) {
    l.extent = f(l.extent);
    l.inductions.iter_mut().for_each(|(_, step)| *step = f(*step));
    l.body.iter_mut().for_each(|stmt| each(stmt, f));
}

#[cfg(test)]
mod tests {
    use crate::program::{Binary, Combine, Compare, Elem};
    use crate::{Builder, Error, Op, Value};

    /// The body of a program that accumulates a loaded number, with a possible exit before and, if wanted, after it.
    fn body(early: bool, late: bool, twice: bool) -> Result<Vec<String>, Error> {
        let mut b = Builder::new();
        let (extent, data) = (b.env_int(0), b.env_int(1));
        let sum = b.accumulator(Elem::F64, Combine::Add, 2);
        let (index, _) = b.begin(extent, &[]);
        let place = b.row(data, index, Elem::F64);
        let x = b.op(Op::Load(Elem::F64, place));
        let leave = |b: &mut Builder, wanted: bool, y: Value| {
            if wanted {
                let mask = b.compare(Compare::Lt, x, y);
                b.leave(mask);
            }
        };
        leave(&mut b, early, x);
        let mut last = x;
        for _ in 0..1 + usize::from(twice) {
            last = b.binary(Binary::Add, sum, x);
            b.set(sum, last);
        }
        leave(&mut b, late, last);
        b.end()?;
        let text = crate::print(&b.finish()?);
        Ok(text.lines().filter(|line| line.starts_with("  ")).map(|line| line.trim().to_string()).collect())
    }

    #[test]
    fn sums_after_the_last_way_out_stay() -> Result<(), Error> {
        for early in [false, true] {
            let lines = body(early, false, false)?;
            assert!(lines.iter().all(|line| !line.starts_with("var")), "{lines:?}");
        }
        Ok(())
    }

    #[test]
    fn sums_before_it_work_on_a_copy() -> Result<(), Error> {
        for twice in [false, true] {
            let lines = body(true, true, twice)?;
            let copy = lines.iter().position(|line| line.starts_with("var") && line.ends_with("= v2"));
            let back = lines.iter().position(|line| line.starts_with("set v2 = "));
            let leave = lines.iter().rposition(|line| line.starts_with("leave"));
            assert!(copy < leave && leave < back && copy.is_some(), "{lines:?}");
            assert_eq!(lines.iter().filter(|line| line.contains("v2")).count(), 2, "{lines:?}");
        }
        Ok(())
    }
}
