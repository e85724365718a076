//! The derivatives of a definition, and their text.

use crate::large::derivatives::{Differentiable, Entry, Part, Shape};
use arr_data::{edge_text, size_text};
use arr_driver::{Derive, MemoryWorld, Session};
use arr_ir::{Edge, Func, Scalar};
use std::fmt::Write;

/// The maximal number of variables of definitions whose second derivatives, or Jacobian, are computed: they take long
/// for others.
const SMALL: usize = 300;

/// The questions besides the gradient, in turn.
pub const OTHERS: [Entry; 6] =
    [Entry::Jvp, Entry::Vjp, Entry::Jacobian(0, 0), Entry::GradientOfGradient, Entry::JvpOfGradient, Entry::Hessian];

/// The definitions to be added for derivatives of a definition.
pub fn text(func: &Func, entries: &[Entry]) -> Option<String> {
    let singles: Vec<bool> = scalars(func).filter(|s| s.is_float()).map(|s| s == Scalar::F32).collect();
    let single = *singles.first()?;
    // The weights of derivatives have one type.
    if singles.iter().any(|own| *own != single) || !func.edge_params.iter().all(|p| arr_syntax::is_name(&p.name)) {
        return None;
    }
    let ty = |edge: &Edge, text: &str| if edge.has_sum() { text.to_string() } else { edge_text(func, edge) };
    let params: Vec<String> = func.edge_params.iter().map(|p| format!("{}: {}", p.name, ty(&p.ty, &p.text))).collect();
    let whole = Differentiable {
        head: format!("({})", params.join(", ")),
        names: func.edge_params.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", "),
        single,
        wrt: wrt(func),
        smooth: vec![Part { name: "r_".to_string(), shape: shape(func, &func.edge_result) }],
    };
    if whole.wrt.is_empty() || !func.edge_result.has_float() {
        return None;
    }
    let mut out = String::new();
    let _ = writeln!(out, "\ndef smooth_{} = {}({})", whole.head, func.name, whole.names);
    whole.loss(&mut out);
    entries.iter().for_each(|entry| whole.entry(*entry, &mut out));
    Some(out)
}

/// Whether a program has a derivative of one of its definitions.
pub fn has(program: &str, func: &Func, entry: Entry) -> bool {
    let cheap = matches!(entry, Entry::Gradient | Entry::Jvp | Entry::Vjp);
    let Some(text) = text(func, &[entry]).filter(|_| cheap || func.vars.len() <= SMALL) else { return false };
    let source = format!("{program}{text}");
    let mut session = Session::new(MemoryWorld::new([("p.arr", source.as_bytes())]));
    session.program("p.arr", entry.name(), &Derive::Nothing).is_ok()
}

pub fn is_single(func: &Func) -> bool {
    scalars(func).any(|s| s == Scalar::F32)
}

fn scalars(func: &Func) -> impl Iterator<Item = Scalar> {
    let edges = func.edge_params.iter().map(|p| &p.ty).chain([&func.edge_result]);
    edges.flat_map(Edge::leaves).map(|leaf| leaf.ty.elem)
}

/// The parameters that consist only of floats; if there are none, those that contain a float.
fn wrt(func: &Func) -> Vec<Part> {
    let all = |edge: &Edge| !edge.has_sum() && edge.has_float() && edge.leaves().iter().all(|l| l.ty.elem.is_float());
    let chosen = |choose: &dyn Fn(&Edge) -> bool| -> Vec<Part> {
        let params = func.edge_params.iter().filter(|p| choose(&p.ty));
        params.map(|p| Part { name: p.name.clone(), shape: shape(func, &p.ty) }).collect()
    };
    let smooth = chosen(&all);
    if smooth.is_empty() { chosen(&Edge::has_float) } else { smooth }
}

fn shape(func: &Func, edge: &Edge) -> Shape {
    match edge {
        Edge::Scalar(elem) if elem.is_float() => Shape::Float,
        Edge::Scalar(_) | Edge::Sum { .. } => Shape::Other,
        Edge::Array(..) => {
            let (mut extents, mut inner) = (Vec::new(), edge);
            while let Edge::Array(size, elem) = inner {
                extents.push(size_text(func, func.types.poly(*size)));
                inner = elem;
            }
            Shape::Array(extents, Box::new(shape(func, inner)))
        }
        Edge::Tuple(items) => Shape::Tuple(items.iter().map(|item| shape(func, item)).collect()),
        Edge::Record(fields) => {
            Shape::Record(fields.iter().map(|(name, field)| (name.clone(), shape(func, field))).collect())
        }
    }
}
