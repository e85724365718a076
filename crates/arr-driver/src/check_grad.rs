//! Compares derivatives: reverse mode, forward mode and finite differences, along one direction per argument.
//!
//! Along a direction `d` the three are `gradient . d`, the tangent for `d`, and the central difference of the function,
//! so that an argument of any size takes a handful of evaluations.

use crate::execution::{Execution, Floats};
use crate::program::Executable;
use crate::{Derive, Failure, Program, Session};
use arr_base::{Code, Diagnostic};
use arr_check::{Checked, GradientMode};
use arr_data::Arg;
use arr_ir::{Const, Data, Func, Scalar, Value, index_text};
use arr_syntax::ast::Item;

/// One leaf of an argument, along one direction.
#[derive(Clone, PartialEq, Debug)]
pub struct GradientRow {
    /// `p.mean`
    pub argument: String,
    pub reverse: f64,
    pub forward: f64,
    pub differences: f64,
    pub agree: bool,
    /// Whether the argument is an array, and the three are its derivatives along one direction.
    pub along: bool,
    /// For an array whose derivatives disagree, the deviating element.
    pub element: Option<OffElement>,
}

/// The partial derivatives with respect to one element.
#[derive(Clone, PartialEq, Debug)]
pub struct OffElement {
    /// `x[2, 1]`
    pub name: String,
    pub reverse: f64,
    pub forward: f64,
    pub differences: f64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct GradientCheck {
    pub rows: Vec<GradientRow>,
    /// Whether the result has several floats, and the derivatives are those of their weighted sum.
    pub weighted: bool,
    /// The definitions of the file that declare a derivative, which forward and reverse mode both use.
    pub declared: Vec<String>,
}

impl GradientCheck {
    pub fn agree(&self) -> bool {
        self.rows.iter().all(|row| row.agree)
    }

    /// A table: one argument per line.
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
        if self.rows.iter().any(|row| row.along) {
            text.push_str("For an array it is the derivative along one direction, whose elements lie between 0.5 and 1 or -1 and -0.5.\n");
        }
        if self.weighted {
            text.push_str(
                "These are derivatives of the sum of all floats of the result, each times a weight of its own.\n",
            );
        }
        text
    }

    /// What most likely is wrong, by the two of the three that agree.
    fn likely(&self) -> String {
        let agree = |a: f64, b: f64| deviation(a, b) <= 1e-3;
        let off: Vec<&GradientRow> = self.rows.iter().filter(|row| !row.agree).collect();
        if off.iter().any(|row| row.reverse.is_nan() || row.forward.is_nan()) {
            return "a derivative is NaN here: `arr eval FILE 'grad(f)(..)' --trap-nan` names the operation that makes it"
                .to_string();
        }
        if off.iter().all(|row| agree(row.forward, row.differences) && !agree(row.reverse, row.differences)) {
            return "only reverse mode is off, as it is where a `derivative` that the program declares is wrong, or forgets \
                    its cotangent"
                .to_string();
        }
        let declared = match self.declared.as_slice() {
            names if names.is_empty() || !off.iter().all(|row| agree(row.forward, row.reverse)) => String::new(),
            names => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("both modes use the declared `derivative` of {}, which may be wrong; else ", names.join(", "))
            }
        };
        declared
            + "at a kink or a jump finite differences are wrong, and where a result is the end of a search (bisection, a \
               `while` until convergence) the derivative of its steps is not that of what they find; try another point"
    }

    /// The diagnostic if they disagree.
    pub fn to_diagnostic(&self, entry: &str) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::error(Code::DISAGREEMENT, format!("the derivatives of `{entry}` do not agree here"));
        for row in self.rows.iter().filter(|row| !row.agree) {
            let along = if row.along { ", along one direction" } else { "" };
            let derivatives = three(row.reverse, row.forward, row.differences);
            diagnostic = diagnostic.note(format!("with respect to `{}`{along}: {derivatives}", row.argument));
            if let Some(off) = &row.element {
                let derivatives = three(off.reverse, off.forward, off.differences);
                diagnostic = diagnostic.note(format!("most of it is `{}`: {derivatives}", off.name));
            }
        }
        diagnostic.hint(self.likely())
    }
}

fn three(reverse: f64, forward: f64, differences: f64) -> String {
    format!("reverse {}, forward {}, differences {}", short(reverse), short(forward), short(differences))
}

fn number(x: f64) -> String {
    format!("{x:.12e}")
}

fn short(x: f64) -> String {
    if x != 0.0 && !(1e-4..1e6).contains(&x.abs()) { format!("{x:.6e}") } else { format!("{x:.8}") }
}

/// The difference relative to the larger of the two, and to 1 if both are smaller.
fn deviation(a: f64, b: f64) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()).max(1.0) }
}

/// A differentiated leaf: its position among the parameters and its name.
#[derive(Debug)]
struct Leaf {
    at: usize,
    /// Its position among the leaves of the derivative, which contains all leaves of a sum.
    place: usize,
    name: String,
    elem: Scalar,
}

/// A function with its derivatives, for comparison at any number of points.
#[derive(Debug)]
pub struct Gradients {
    leaves: Vec<Leaf>,
    /// The leaves with derivatives, by their positions among the parameters.
    places: Vec<usize>,
    weighted: bool,
    declared: Vec<String>,
    primal: Executable,
    reverse: Executable,
    forward: Executable,
    /// The allowed deviation of forward mode and finite differences from reverse mode; by default it depends on the
    /// element type.
    tolerance: Option<f64>,
}

/// Derivatives along one direction.
#[derive(Clone, Copy, Debug)]
struct Slopes {
    reverse: f64,
    forward: f64,
    differences: f64,
}

impl Slopes {
    fn worst(&self) -> f64 {
        let (a, b) = (deviation(self.reverse, self.forward), deviation(self.reverse, self.differences));
        // NaN deviates by more than any number.
        if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
    }
}

impl Session {
    /// Compares the derivatives of a definition with respect to every argument that holds floats, at one point. Fails
    /// as [`Session::definition`], [`Session::arguments`], [`Gradients::new`] and [`Gradients::at`] do; disagreeing
    /// derivatives are no failure.
    pub fn check_gradient(
        &mut self,
        path: &str,
        entry: &str,
        args: &[Arg],
        execution: &Execution,
    ) -> Result<GradientCheck, Failure> {
        let checked = self.checked(path)?;
        let primal = self.definition(&checked, path, entry, &Derive::Nothing)?;
        let (sizes, point) = self.arguments_within(&primal, args, execution)?;
        Gradients::new(&checked, entry, None, execution)?.at(&sizes, &point)
    }
}

impl Gradients {
    /// The derivatives of a definition or test of a checked file with respect to its parameters that hold floats. Fails
    /// as [`Session::definition`] and [`Program::executable`] do: E0502, for example, where no parameter holds floats.
    pub fn new(
        checked: &Checked,
        entry: &str,
        tolerance: Option<f64>,
        execution: &Execution,
    ) -> Result<Gradients, Failure> {
        let (number, weighted) = arr_check::elaborate_number(checked, entry)?;
        let mut primal = Program::new(number);
        let (wrt, places, mut leaves) = differentiated(primal.func());
        if execution.floats == Floats::F32 {
            leaves.iter_mut().for_each(|leaf| leaf.elem = Scalar::F32);
        }
        let derived = |mode| -> Result<Executable, Failure> {
            Program::new(arr_check::elaborate_gradient(checked, entry, &wrt, mode)?).executable(execution)
        };
        let (reverse, forward) = (derived(GradientMode::ReverseOfHalf)?, derived(GradientMode::ForwardOfNumber)?);
        let declares = |item: &Item| match item {
            Item::Derivative(rule) => Some(rule.name.text.clone()),
            _ => None,
        };
        let declared = checked.module().items.iter().filter_map(declares).collect();
        let primal = primal.executable(execution)?;
        Ok(Gradients { leaves, places, weighted, declared, primal, reverse, forward, tolerance })
    }

    /// Compares the derivatives at a point: one row per leaf of an argument. Fails if the function or a derivative
    /// stops with a run-time error (E06xx) there or, for the differences, beside it.
    pub fn at(&self, sizes: &[i64], point: &[Value]) -> Result<GradientCheck, Failure> {
        let (gradient, _) = self.reverse.run(sizes, point)?;
        let mut rows = Vec::new();
        for (k, leaf) in self.leaves.iter().enumerate() {
            let directions = self.directions(point, k);
            let slopes = self.slopes(sizes, point, k, &gradient, &directions)?;
            let (modes, differences) = match (self.tolerance, leaf.elem) {
                // `f32` gives no more digits, whatever is requested.
                (stated, Scalar::F32) => (stated.unwrap_or(0.0).max(1e-4), stated.unwrap_or(0.0).max(1e-2)),
                (Some(tolerance), _) => (tolerance, tolerance),
                (None, _) => (1e-9, 1e-5),
            };
            let Slopes { reverse, forward, differences: step } = slopes;
            let agree = deviation(reverse, forward) <= modes && deviation(reverse, step) <= differences;
            let element = if agree { None } else { self.locate(sizes, point, k, &gradient, directions)? };
            let along = matches!(point.get(leaf.at), Some(Value::Array(_)));
            let argument = leaf.name.clone();
            rows.push(GradientRow { argument, reverse, forward, differences: step, agree, along, element });
        }
        Ok(GradientCheck { rows, weighted: self.weighted, declared: self.declared.clone() })
    }

    /// A direction for each leaf, zero except for the chosen one.
    fn directions(&self, point: &[Value], chosen: usize) -> Vec<Value> {
        let chosen = self.leaves.get(chosen).map(|leaf| leaf.at);
        self.places.iter().filter_map(|at| Some(direction(point.get(*at)?, Some(*at) == chosen))).collect()
    }

    fn slopes(
        &self,
        sizes: &[i64],
        point: &[Value],
        k: usize,
        gradient: &[Value],
        directions: &[Value],
    ) -> Result<Slopes, Failure> {
        let leaf = self.leaves.get(k);
        let (Some(leaf), Some(direction)) = (leaf, leaf.and_then(|l| directions.get(l.place))) else {
            return Err(Failure::Bug("a leaf without a direction".to_string()));
        };
        let of = gradient.get(leaf.place).ok_or_else(|| Failure::Bug(format!("no gradient for `{}`", leaf.name)))?;
        let mut arguments = point.to_vec();
        arguments.extend(directions.iter().cloned());
        let (tangents, _) = self.forward.run(sizes, &arguments)?;
        Ok(Slopes {
            // Twice the half, which is exact.
            reverse: 2.0 * dot(of, direction),
            forward: tangents.get(1).map_or(f64::NAN, |v| v.to_f64s().iter().sum()),
            differences: difference(&self.primal, sizes, point, leaf, direction)?,
        })
    }

    /// Finds the deviating element of a leaf: the first whose gradient is NaN, which makes every direction NaN in forward
    /// mode; else by bisection: of two halves, the one with the larger deviation.
    fn locate(
        &self,
        sizes: &[i64],
        point: &[Value],
        k: usize,
        gradient: &[Value],
        directions: Vec<Value>,
    ) -> Result<Option<OffElement>, Failure> {
        let Some((leaf, Value::Array(array))) = self.leaves.get(k).and_then(|l| Some((l, point.get(l.at)?))) else {
            return Ok(None);
        };
        let slopes = |range: &std::ops::Range<usize>| {
            let mut directions = directions.clone();
            if let Some(direction) = directions.get_mut(leaf.place) {
                *direction = map(direction, |i, d| if range.contains(&i) { d } else { 0.0 });
                if range.len() == 1 {
                    *direction = map(direction, |i, _| f64::from(u8::from(range.contains(&i))));
                }
            }
            self.slopes(sizes, point, k, gradient, &directions)
        };
        let nan = gradient.get(leaf.place).and_then(|of| of.to_f64s().iter().position(|x| x.is_nan()));
        let mut range = nan.map_or(0..array.data.len(), |at| at..at + 1);
        while range.len() > 1 {
            let middle = range.start + range.len() / 2;
            let (low, high) = (range.start..middle, middle..range.end);
            range = if slopes(&high)?.worst() > slopes(&low)?.worst() { high } else { low };
        }
        if range.is_empty() {
            return Ok(None);
        }
        let Slopes { reverse, forward, differences } = slopes(&range)?;
        let name = format!("{}[{}]", leaf.name, index_text(&array.dims, range.start));
        Ok(Some(OffElement { name, reverse, forward, differences }))
    }
}

/// The parameters that hold floats, the leaves that their derivatives have, and the floats among these, in order.
fn differentiated(func: &Func) -> (Vec<String>, Vec<usize>, Vec<Leaf>) {
    let (mut names, mut places, mut leaves, mut at) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for param in &func.edge_params {
        let before = leaves.len();
        let tangent = param.ty.tangent_leaves();
        for (i, leaf) in param.ty.leaves().into_iter().enumerate() {
            if leaf.ty.elem.is_float() {
                let name = format!("{}{}", param.name, leaf.path);
                leaves.push(Leaf { at, place: places.len(), name, elem: leaf.ty.elem });
            }
            if tangent.contains(&i) {
                places.push(at);
            }
            at += 1;
        }
        if leaves.len() > before {
            names.push(param.name.clone());
        }
    }
    (names, places, leaves)
}

/// A value like `like`, with each element computed by `f` from its number and the element.
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

/// Numbers between 1/2 and 1 of either sign, always the same; zeros for other leaves than the chosen one. A value
/// without floats, such as the tag of a sum, is that of the point.
fn direction(point: &Value, chosen: bool) -> Value {
    if !point.elem().is_float() {
        return point.clone();
    }
    // For a scalar, readers expect the derivative itself.
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

/// The product of a gradient and a direction; what the direction leaves out does not count, be it NaN.
fn dot(gradient: &Value, direction: &Value) -> f64 {
    let chosen = |(x, y): (&f64, f64)| if y == 0.0 { 0.0 } else { x * y };
    gradient.to_f64s().iter().zip(direction.to_f64s()).map(chosen).sum()
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
