//! Derivatives compared: reverse mode, forward mode and finite differences, along one direction an argument.
//!
//! Along a direction `d` the three are `gradient . d`, the tangent for `d`, and the central difference of the function,
//! so that an argument of any size takes a handful of evaluations.

use crate::program::{Executable, Execution};
use crate::{Derive, Failure, Mode, Session};
use arr_base::{Code, Diagnostic};
use arr_data::Arg;
use arr_ir::{Const, Data, Func, Scalar, Value};

/// One leaf of an argument, along one direction.
#[derive(Clone, PartialEq, Debug)]
pub struct GradientRow {
    /// `p.mean`
    pub argument: String,
    pub reverse: f64,
    pub forward: f64,
    pub differences: f64,
    pub agree: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct GradientCheck {
    pub rows: Vec<GradientRow>,
}

impl GradientCheck {
    pub fn agree(&self) -> bool {
        self.rows.iter().all(|row| row.agree)
    }

    /// A table: an argument a line.
    pub fn table(&self) -> String {
        let width = self.rows.iter().map(|r| r.argument.chars().count()).max().unwrap_or(0).max("argument".len());
        let mut text = format!("{:width$}  {:>20}  {:>20}  {:>20}\n", "argument", "reverse", "forward", "differences");
        for row in &self.rows {
            text.push_str(&format!(
                "{:width$}  {:>20}  {:>20}  {:>20}{}\n",
                row.argument,
                number(row.reverse),
                number(row.forward),
                number(row.differences),
                if row.agree { "" } else { "  <- off" },
            ));
        }
        text
    }

    /// What to say when they do not agree.
    pub fn to_diagnostic(&self, entry: &str) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::error(Code::DISAGREEMENT, format!("the derivatives of `{entry}` do not agree here"));
        for row in self.rows.iter().filter(|row| !row.agree) {
            diagnostic = diagnostic.note(format!(
                "with respect to `{}`: forward is off from reverse by {:.1e}, finite differences by {:.1e}",
                row.argument,
                deviation(row.reverse, row.forward),
                deviation(row.reverse, row.differences)
            ));
        }
        diagnostic.hint("at a kink or a jump finite differences are wrong; try another point")
    }
}

fn number(x: f64) -> String {
    format!("{x:.12e}")
}

/// The difference relative to the larger of the two, and to 1 if both are smaller.
fn deviation(a: f64, b: f64) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()).max(1.0) }
}

/// A leaf that is differentiated: its place among the parameters and its name.
struct Leaf {
    at: usize,
    name: String,
    elem: Scalar,
}

impl Session {
    /// Compares the derivatives of a definition with respect to every argument that holds floats, at one point.
    pub fn check_gradient(
        &mut self,
        path: &str,
        entry: &str,
        args: &[Arg],
        execution: &Execution,
    ) -> Result<GradientCheck, Failure> {
        let checked = self.checked(path)?;
        let mut primal = self.definition(&checked, path, entry, &Derive::Nothing)?;
        let (sizes, point) = self.arguments(&primal, args)?;
        let (wrt, leaves) = differentiated(primal.func());
        let derive = |mode| Derive::Gradient { wrt: wrt.clone(), mode };
        let mut reverse = self.definition(&checked, path, entry, &derive(Mode::Reverse))?;
        let mut forward = self.definition(&checked, path, entry, &derive(Mode::Forward))?;
        let (gradient, _) = reverse.executable(execution)?.run(&sizes, &point)?;
        let forward = forward.executable(execution)?;
        let primal = primal.executable(execution)?;
        let mut rows = Vec::new();
        for (k, leaf) in leaves.iter().enumerate() {
            let directions: Vec<Value> =
                leaves.iter().enumerate().filter_map(|(j, l)| Some(direction(point.get(l.at)?, j == k))).collect();
            let along = |values: &[Value]| -> Option<f64> { Some(dot(values.get(k)?, directions.get(k)?)) };
            let mut arguments = point.clone();
            arguments.extend(directions.iter().cloned());
            let (tangents, _) = forward.run(&sizes, &arguments)?;
            let reverse = along(&gradient).ok_or_else(|| Failure::Bug(format!("no gradient for `{}`", leaf.name)))?;
            let forward = tangents.get(1).map_or(f64::NAN, |v| v.to_f64s().iter().sum());
            let step = directions.get(k).map_or(Ok(f64::NAN), |d| difference(&primal, &sizes, &point, leaf, d))?;
            let (modes, differences) = if leaf.elem == Scalar::F32 { (1e-4, 1e-2) } else { (1e-9, 1e-5) };
            let agree = deviation(reverse, forward) <= modes && deviation(reverse, step) <= differences;
            rows.push(GradientRow { argument: leaf.name.clone(), reverse, forward, differences: step, agree });
        }
        Ok(GradientCheck { rows })
    }
}

/// The parameters that hold floats, and their float leaves in order.
fn differentiated(func: &Func) -> (Vec<String>, Vec<Leaf>) {
    let (mut names, mut leaves, mut at) = (Vec::new(), Vec::new(), 0);
    for param in &func.edge_params {
        let before = leaves.len();
        for leaf in param.ty.leaves() {
            if leaf.ty.elem.is_float() {
                leaves.push(Leaf { at, name: format!("{}{}", param.name, leaf.path), elem: leaf.ty.elem });
            }
            at += 1;
        }
        if leaves.len() > before {
            names.push(param.name.clone());
        }
    }
    (names, leaves)
}

/// A value like `like`, each element by `f` of its number and the element.
fn map(like: &Value, mut f: impl FnMut(usize, f64) -> f64) -> Value {
    let fit = |elem: Scalar, x: f64| if elem == Scalar::F32 { Const::F32(x as f32) } else { Const::F64(x) };
    match like {
        Value::Scalar(c) => Value::Scalar(fit(c.scalar(), f(0, c.as_f64().unwrap_or(0.0)))),
        Value::Array(a) => {
            let data = match &a.data {
                Data::F32(v) => Data::F32(v.iter().enumerate().map(|(i, x)| f(i, f64::from(*x)) as f32).collect()),
                Data::F64(v) => Data::F64(v.iter().enumerate().map(|(i, x)| f(i, *x)).collect()),
                other => other.clone(),
            };
            Value::array(a.dims.clone(), data)
        }
    }
}

/// Numbers between 1/2 and 1 of either sign, the same every time; zeros where the leaf is not the one looked at.
fn direction(point: &Value, chosen: bool) -> Value {
    // The derivative itself is what a reader expects to see for a scalar.
    if let Value::Scalar(_) = point {
        return map(point, |_, _| f64::from(u8::from(chosen)));
    }
    map(point, |i, _| {
        let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let size = 0.5 + (mixed >> 40) as f64 / (1u64 << 25) as f64;
        let signed = if mixed & 1 == 0 || i == 0 { size } else { -size };
        if chosen { signed } else { 0.0 }
    })
}

fn dot(a: &Value, b: &Value) -> f64 {
    a.to_f64s().iter().zip(b.to_f64s()).map(|(x, y)| x * y).sum()
}

/// The central difference along a direction, with one step of Richardson's extrapolation.
fn difference(
    primal: &Executable,
    sizes: &[i64],
    point: &[Value],
    leaf: &Leaf,
    direction: &Value,
) -> Result<f64, Failure> {
    let Some(here) = point.get(leaf.at) else { return Ok(f64::NAN) };
    let scale = here.to_f64s().iter().fold(1.0f64, |m, x| if x.is_finite() { m.max(x.abs()) } else { m });
    let step = scale * if leaf.elem == Scalar::F32 { 1e-2 } else { 1e-4 };
    let along = direction.to_f64s();
    let value = |h: f64| -> Result<f64, Failure> {
        let mut moved = point.to_vec();
        if let Some(place) = moved.get_mut(leaf.at) {
            *place = map(here, |i, x| x + h * along.get(i).copied().unwrap_or(0.0));
        }
        let (results, _) = primal.run(sizes, &moved)?;
        Ok(results.first().map_or(f64::NAN, |v| v.to_f64s().iter().sum()))
    };
    let slope = |h: f64| -> Result<f64, Failure> { Ok((value(h)? - value(-h)?) / (2.0 * h)) };
    Ok((4.0 * slope(step / 2.0)? - slope(step)?) / 3.0)
}
