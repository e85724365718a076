//! Compares two results, to the extent that a contract demands.
//!
//! Exact: every bit, except that all NaNs are equal. With rounding errors: an element may be off by as much as rounding
//! its terms can cause. That amount is measured: the function is run again with every float that it reads or computes
//! perturbed a little ([`noisy`]), and the effect, scaled down to the unit of rounding, stands for the sum of the
//! magnitudes of the element's terms. An integer, or a float that jumps because a comparison changed its outcome, may
//! then have any value.

use super::Ran;
use arr_ir::interp::Limits;
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::{Atom, Const, Func, Op, Prim, RunError, Scalar, Stmt, Value, index_text};

/// The number of runs with noise.
const SAMPLES: u64 = 5;
/// The relative perturbation of floats: far above a rounding error, far below significant changes.
const CHANGE: f64 = 1.0 / (1u64 << 40) as f64;
const CHANGE_F32: f64 = 1.0 / (1u64 << 14) as f64;
/// The allowed rounding errors of an element, in units of the effect of one in each of its terms.
const ERRORS: f64 = 256.0;

/// The allowed deviation of the elements of results.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Allowed {
    /// For each element of each leaf; none for missing ones.
    leaves: Vec<Vec<f64>>,
}

impl Allowed {
    /// Every bit stays.
    pub fn nothing() -> Allowed {
        Allowed::default()
    }

    /// The rounding errors of a function with these results.
    pub fn of(func: &Func, sizes: &[i64], leaves: &[Value], limits: &Limits, ran: &Ran) -> Allowed {
        let Ok(results) = ran else { return Allowed::nothing() };
        let mut allowed: Vec<Vec<f64>> = results.iter().map(own_rounding).collect();
        for seed in 0..SAMPLES {
            let noisy = noisy(func, seed);
            let Ok(outcome) = arr_ir::interp::run(&noisy, sizes, leaves, limits) else { continue };
            for ((allowed, old), new) in allowed.iter_mut().zip(results).zip(&outcome.results) {
                widen(allowed, old, new);
            }
        }
        Allowed { leaves: allowed }
    }

    /// For a result that is one of the leaves.
    pub fn of_leaf(&self, leaf: usize) -> Allowed {
        Allowed { leaves: self.leaves.get(leaf).cloned().into_iter().collect() }
    }

    fn at(&self, leaf: usize, element: usize) -> f64 {
        self.leaves.get(leaf).and_then(|elements| elements.get(element)).copied().unwrap_or(0.0)
    }
}

fn unit(elem: Scalar) -> f64 {
    if elem == Scalar::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// The effect of a few roundings of the elements themselves.
fn own_rounding(value: &Value) -> Vec<f64> {
    if !value.elem().is_float() {
        return vec![0.0; value.to_f64s().len()];
    }
    value.to_f64s().iter().map(|x| if x.is_finite() { 8.0 * unit(value.elem()) * x.abs() } else { 0.0 }).collect()
}

/// Allows changes as large as those by the noise.
fn widen(allowed: &mut [f64], old: &Value, new: &Value) {
    if old.dims() != new.dims() {
        return allowed.fill(f64::INFINITY);
    }
    let elem = old.elem();
    let scale = if elem == Scalar::F32 { CHANGE_F32 } else { CHANGE };
    for ((allowed, x), y) in allowed.iter_mut().zip(old.to_f64s()).zip(new.to_f64s()) {
        let moved = (x - y).abs();
        if !elem.is_float() {
            // The value does not round: it depends on a comparison of some that do.
            *allowed = if moved == 0.0 { *allowed } else { f64::INFINITY };
        } else if moved.is_finite() {
            *allowed = allowed.max(ERRORS * unit(elem) / scale * moved);
        }
    }
}

/// The function with each float that it reads or computes times a factor near one. Which factor depends on the float
/// and on the statement, so that equal terms of one sum are perturbed equally, and those of two sums are not.
fn noisy(func: &Func, seed: u64) -> Func {
    let mut noisy = func.clone();
    let mut phase = 1.0 + seed as f64;
    rewrite_stmts(&mut noisy, Enter::All, &mut |func, stmt, out| disturb(func, stmt, &mut phase, out));
    noisy
}

fn disturb(func: &mut Func, mut stmt: Stmt, phase: &mut f64, out: &mut Vec<Stmt>) {
    let computes = matches!(stmt.op, Op::Prim(..) | Op::Read { .. } | Op::Reduce { .. });
    let floats: Vec<usize> = (0..stmt.vars.len())
        .filter(|&k| computes && stmt.vars.get(k).is_some_and(|v| func.ty(*v).elem.is_float()))
        .collect();
    let mut noise = Vec::new();
    for k in floats {
        let Some(var) = stmt.vars.get_mut(k) else { continue };
        let plain = func.copy_var(*var);
        let disturbed = std::mem::replace(var, plain);
        // The golden angle keeps the phases of statements apart.
        *phase += 2.399_963_229_728_653;
        let constant = |x: f64| match func.ty(plain).elem {
            Scalar::F32 => Atom::Const(Const::F32(x as f32)),
            _ => Atom::Const(Const::F64(x)),
        };
        let size = if func.ty(plain).elem == Scalar::F32 { CHANGE_F32 } else { CHANGE };
        let (frequency, phase, size) = (constant(1e3 + *phase), constant(*phase), constant(size));
        let mut emit = |prim: Prim, args: Vec<Atom>| {
            let to = func.copy_var(plain);
            noise.push(Stmt { vars: vec![to], op: Op::Prim(prim, args), span: None });
            Atom::Var(to)
        };
        let angle = emit(Prim::Mul, vec![plain.into(), frequency]);
        let angle = emit(Prim::Add, vec![angle, phase]);
        let sine = emit(Prim::Sin, vec![angle]);
        let part = emit(Prim::Mul, vec![sine, size]);
        let change = emit(Prim::Mul, vec![part, plain.into()]);
        noise.push(Stmt { vars: vec![disturbed], op: Op::Prim(Prim::Add, vec![plain.into(), change]), span: None });
    }
    out.push(stmt);
    out.extend(noise);
}

/// The difference between two results.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Difference {
    /// One is an error, or both are and are not the same; or shapes differ.
    Outcome {
        before: String,
        after: String,
    },
    Values(Elements),
}

/// Elements of one leaf that differ.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Elements {
    /// The leaf, from 0, and the number of leaves.
    pub leaf: usize,
    pub leaves: usize,
    /// The number of differing elements, and of all elements.
    pub count: usize,
    pub all: usize,
    /// The index of the first, and its values.
    pub first: String,
    pub before: String,
    pub after: String,
    /// The largest difference, the allowed one there, and its position.
    pub largest: f64,
    pub allowed: f64,
    pub place: String,
}

impl Difference {
    /// One fact per line.
    pub fn text(&self) -> String {
        match self {
            Difference::Outcome { before, after } => format!("before: {before}\nafter:  {after}\n"),
            Difference::Values(e) => {
                let leaf = if e.leaves == 1 { String::new() } else { format!(" of leaf {}", e.leaf) };
                let place = |index: &str| if index.is_empty() { String::new() } else { format!(" at [{index}]") };
                format!(
                    "before: {}{}{leaf}\nafter:  {}\n{} of {} elements{leaf} differ, by {:e} at most{}, where {:e} is allowed\n",
                    e.before,
                    place(&e.first),
                    e.after,
                    e.count,
                    e.all,
                    e.largest,
                    place(&e.place),
                    e.allowed,
                )
            }
        }
    }
}

/// The first leaf in which two results differ by more than is allowed.
pub(super) fn difference(before: &Ran, after: &Ran, allowed: &Allowed) -> Option<Difference> {
    match (before, after) {
        (Err(old), Err(new)) if same_error(old, new) => None,
        (Ok(old), Ok(new)) if old.len() == new.len() => {
            old.iter().zip(new).enumerate().find_map(|(leaf, (x, y))| in_leaf(leaf, old.len(), x, y, allowed))
        }
        _ => Some(Difference::Outcome { before: outcome(before), after: outcome(after) }),
    }
}

/// The code and the position must agree; the numbers in the message may be those of another element.
fn same_error(old: &RunError, new: &RunError) -> bool {
    std::mem::discriminant(&old.kind) == std::mem::discriminant(&new.kind) && old.span == new.span
}

fn outcome(ran: &Ran) -> String {
    match ran {
        Ok(results) => {
            let shapes: Vec<String> = results.iter().map(|v| format!("{}{:?}", v.elem().name(), v.dims())).collect();
            format!("a value: {}", shapes.join(", "))
        }
        Err(error) => {
            let diagnostic = error.to_diagnostic();
            let place = error.span.map_or("no place".to_string(), |span| format!("bytes {}..{}", span.start, span.end));
            format!("{}: {} ({place})", diagnostic.code, diagnostic.title)
        }
    }
}

fn in_leaf(leaf: usize, leaves: usize, before: &Value, after: &Value, allowed: &Allowed) -> Option<Difference> {
    if before.dims() != after.dims() || before.elem() != after.elem() {
        let shape = |v: &Value| format!("leaf {leaf} is {}{:?}", v.elem().name(), v.dims());
        return Some(Difference::Outcome { before: shape(before), after: shape(after) });
    }
    let (old, new) = (elements(before), elements(after));
    let off: Vec<(usize, Const, Const)> = old
        .into_iter()
        .zip(new)
        .enumerate()
        .map(|(at, (x, y))| (at, x, y))
        .filter(|(at, x, y)| !same(*x, *y, allowed.at(leaf, *at)))
        .collect();
    let (first, x, y) = off.first().copied()?;
    let size = |x: Const, y: Const| match (number(x), number(y)) {
        (a, b) if (a - b).is_nan() => f64::INFINITY,
        (a, b) => (a - b).abs(),
    };
    let (place, largest) = off
        .iter()
        .map(|(at, x, y)| (*at, size(*x, *y)))
        .reduce(|most, next| if next.1 > most.1 { next } else { most })
        .unwrap_or((first, 0.0));
    Some(Difference::Values(Elements {
        leaf,
        leaves,
        count: off.len(),
        all: before.to_f64s().len(),
        first: index_text(before.dims(), first),
        before: arr_ir::const_text(x),
        after: arr_ir::const_text(y),
        largest,
        allowed: allowed.at(leaf, place),
        place: index_text(before.dims(), place),
    }))
}

fn elements(value: &Value) -> Vec<Const> {
    match value {
        Value::Scalar(c) => vec![*c],
        Value::Array(array) => (0..array.data.len()).filter_map(|i| array.data.get(i)).collect(),
    }
}

fn number(c: Const) -> f64 {
    c.as_f64()
        .or_else(|| c.as_i64().map(|n| n as f64))
        .unwrap_or_else(|| f64::from(u8::from(c.as_bool() == Some(true))))
}

fn same(x: Const, y: Const, allowed: f64) -> bool {
    let nan = |c: Const| c.as_f64().is_some_and(f64::is_nan);
    x.bits() == y.bits() || nan(x) && nan(y) || (number(x) - number(y)).abs() <= allowed && allowed > 0.0
}
