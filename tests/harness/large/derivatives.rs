//! Derivatives of a definition, written as definitions beside it.

use super::tree::float_name;
use std::fmt::Write;

/// A question about a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Entry {
    Value,
    Gradient,
    ValueAndGradient,
    Jvp,
    Vjp,
    /// The derivative of a result by a parameter, by their positions among those that are floats.
    Jacobian(usize, usize),
    GradientOfGradient,
    JvpOfGradient,
    GradientOfJvp,
    /// By the first parameter.
    Hessian,
}

impl Entry {
    /// The name of its definition; no name in a program ends like this.
    pub fn name(self) -> &'static str {
        match self {
            Entry::Value => "f",
            Entry::Gradient => "gradient_",
            Entry::ValueAndGradient => "both_",
            Entry::Jvp => "forward_",
            Entry::Vjp => "backward_",
            Entry::Jacobian(..) => "jacobian_",
            Entry::GradientOfGradient => "twice_",
            Entry::JvpOfGradient => "mixed_",
            Entry::GradientOfJvp => "crossed_",
            Entry::Hessian => "hessians_",
        }
    }
}

/// The structure of a value over numbers.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    Float,
    Array(Vec<String>, Box<Shape>),
    Tuple(Vec<Shape>),
    Record(Vec<(String, Shape)>),
    /// Values without a tangent.
    Other,
}

/// A parameter or a result.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    pub name: String,
    pub shape: Shape,
}

/// A definition to be differentiated.
#[derive(Clone, PartialEq, Debug)]
pub struct Differentiable {
    /// The parameters, with their types.
    pub head: String,
    /// Their names.
    pub names: String,
    pub single: bool,
    /// The differentiation parameters.
    pub wrt: Vec<Part>,
    /// The results of `smooth`.
    pub smooth: Vec<Part>,
}

impl Differentiable {
    /// `loss`, a number that depends on each number of `smooth` with a different weight.
    pub fn loss(&self, out: &mut String) {
        let Differentiable { head, names, single, .. } = self;
        let given = tuple(self.smooth.iter().map(|part| part.name.clone()));
        let mut terms = Vec::new();
        self.smooth.iter().for_each(|part| weighed(&part.name, &part.shape, *single, &mut terms));
        let _ = writeln!(
            out,
            "def loss_{head} -> {} =\n  let {given} = smooth_({names})\n  in {}",
            float_name(*single),
            terms.join(" + ")
        );
    }

    /// A derivative of `smooth` or of `loss`.
    pub fn entry(&self, entry: Entry, out: &mut String) {
        if let Some(body) = self.body(entry) {
            let _ = writeln!(out, "def {}{} =\n  {body}", entry.name(), self.head);
        }
    }

    fn body(&self, entry: Entry) -> Option<String> {
        let Differentiable { names, single, wrt, smooth, .. } = self;
        let first = wrt.first()?;
        let point = tuple(wrt.iter().map(|part| part.name.clone()));
        let pattern = if wrt.len() > 1 { format!("({point})") } else { point.clone() };
        let tangent = || Some(tuple(directions(wrt, *single, 0)?.into_iter()));
        let gradient = format!("grad(\\{pattern} => loss_({names}))({point})");
        Some(match entry {
            Entry::Value => return None,
            Entry::Gradient => gradient,
            Entry::ValueAndGradient => format!("value_and_grad(\\{pattern} => loss_({names}))({point})"),
            Entry::Jvp => format!("jvp(\\{pattern} => smooth_({names}), {point}, {})", tangent()?),
            Entry::Vjp => {
                let cotangent = tuple(directions(smooth, *single, 3)?.into_iter());
                format!(
                    "let (value, back) = vjp(\\{pattern} => smooth_({names}), {point}) in (value, back({cotangent}))"
                )
            }
            Entry::Jacobian(result, param) => {
                let given = tuple(smooth.iter().map(|part| part.name.clone()));
                let (result, param) = (&smooth.get(result)?.name, &wrt.get(param)?.name);
                format!("jacrev(\\{param} => let {given} = smooth_({names}) in {result})({param})")
            }
            Entry::GradientOfGradient => {
                let parts = (0..wrt.len()).map(|k| format!("d{k}"));
                let mut terms = Vec::new();
                wrt.iter().zip(parts.clone()).for_each(|(p, name)| weighed(&name, &p.shape, *single, &mut terms));
                format!("grad(\\{pattern} => let {} = {gradient} in {})({point})", tuple(parts), terms.join(" + "))
            }
            Entry::JvpOfGradient => format!("jvp(\\{pattern} => {gradient}, {point}, {})", tangent()?),
            Entry::GradientOfJvp => {
                let tangent = tangent()?;
                format!(
                    "grad(\\{pattern} => let (_, along) = jvp(\\{pattern} => loss_({names}), {point}, {tangent}) in along)({point})"
                )
            }
            Entry::Hessian => format!("hessian(\\{0} => loss_({names}))({0})", first.name),
        })
    }
}

pub fn tuple(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    match parts.as_slice() {
        [one] => one.clone(),
        parts => format!("({})", parts.join(", ")),
    }
}

/// The factor of an element at these indices.
fn weight(indices: &[String], single: bool, shift: usize) -> String {
    let mixed: Vec<String> = indices.iter().enumerate().map(|(k, i)| format!("{} * {i}", 2 * k + 1)).collect();
    format!("(0.3 + 0.1 * {}(({} + {shift}) % 7))", float_name(single), mixed.join(" + "))
}

/// Terms for every float of a value, each with a different weight.
pub fn weighed(name: &str, shape: &Shape, single: bool, terms: &mut Vec<String>) {
    leaves(name, shape, &mut Vec::new(), &mut |path, axes| {
        if axes.is_empty() {
            terms.push(format!("0.7 * {path}"));
            return;
        }
        let indices: Vec<String> = axes.iter().map(|(i, _)| i.clone()).collect();
        let mut array = format!("for {} => {path} * {}", generators(axes), weight(&indices, single, 0));
        if axes.len() > 1 {
            array = format!("flatten({array})");
        }
        (2..axes.len()).for_each(|_| array = format!("flatten({array})"));
        terms.push(format!("sum({array})"));
    });
}

fn generators(axes: &[Axis]) -> String {
    axes.iter().map(|(i, extent)| format!("{i} < {extent}")).collect::<Vec<_>>().join(", ")
}

/// An index, and its extent.
type Axis = (String, String);

/// Calls `f` with every float of a value: its text, and the indices in it with their extents.
fn leaves(path: &str, shape: &Shape, axes: &mut Vec<Axis>, f: &mut dyn FnMut(&str, &[Axis])) {
    match shape {
        Shape::Float => f(path, axes),
        Shape::Array(extents, elem) => {
            let before = axes.len();
            for extent in extents {
                axes.push((format!("i{}", axes.len() + 1), extent.clone()));
            }
            let indices: Vec<&str> = axes.iter().skip(before).map(|(i, _)| i.as_str()).collect();
            leaves(&format!("{path}[{}]", indices.join(", ")), elem, axes, f);
            axes.truncate(before);
        }
        Shape::Tuple(parts) => {
            parts.iter().enumerate().for_each(|(k, part)| leaves(&format!("{path}.{k}"), part, axes, f));
        }
        Shape::Record(fields) => {
            fields.iter().for_each(|(name, field)| leaves(&format!("{path}.{name}"), field, axes, f));
        }
        Shape::Other => {}
    }
}

fn directions(parts: &[Part], single: bool, shift: usize) -> Option<Vec<String>> {
    parts.iter().map(|part| direction(&part.shape, &mut Vec::new(), single, shift)).collect()
}

/// A tangent or cotangent of a value that consists only of floats.
fn direction(shape: &Shape, outer: &mut Vec<String>, single: bool, shift: usize) -> Option<String> {
    Some(match shape {
        Shape::Float if outer.is_empty() => format!("0.8{}", if single { "f32" } else { "" }),
        Shape::Float => weight(outer, single, shift),
        Shape::Array(extents, elem) => {
            let before = outer.len();
            outer.extend((0..extents.len()).map(|k| format!("i{}", before + k + 1)));
            let axes: Vec<Axis> = outer.iter().skip(before).cloned().zip(extents.iter().cloned()).collect();
            let element = direction(elem, outer, single, shift)?;
            outer.truncate(before);
            format!("(for {} => {element})", generators(&axes))
        }
        Shape::Tuple(parts) => {
            let parts = parts.iter().map(|part| direction(part, outer, single, shift)).collect::<Option<Vec<_>>>()?;
            tuple(parts.into_iter())
        }
        Shape::Record(fields) => {
            let field =
                |(name, field): &(String, Shape)| Some(format!("{name} = {}", direction(field, outer, single, shift)?));
            format!("{{ {} }}", fields.iter().map(field).collect::<Option<Vec<_>>>()?.join(", "))
        }
        Shape::Other => return None,
    })
}
