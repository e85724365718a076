//! Definitions that are derived from others, as text: derivatives of several kinds and orders, and maps over an axis.
//!
//! ```text
//! def density(p: Mixture[k, d], xs: [n][d]f64) -> f64 = ..
//! def density__value_and_grad__p(p: { logw: [k]f64, .. }, xs: [n][d]f64) = value_and_grad(\\p => density(p, xs))(p)
//! ```
//!
//! The derived definition is one like any other: it can be compiled, shown, and derived from again.

use crate::Failure;
use arr_base::{Code, Diagnostic};
use arr_data::edge_text;
use arr_ir::{Edge, EdgeParam, Func};

/// What is derived from a definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Derivation {
    /// The value and the gradient of a result that is one float.
    ValueAndGradient,
    /// The gradient alone.
    Gradient,
    /// The value and its tangent, for tangents of the chosen parameters behind the definition's own.
    Forward,
    /// The value and the cotangents of the chosen parameters, for a cotangent of the result behind the definition's own.
    Pullback,
    /// The Jacobian, by reverse mode.
    Jacobian,
    /// The same by forward mode.
    ForwardJacobian,
    Hessian,
    /// The product of the Hessian and a tangent.
    HessianTangent,
    /// The definition at every point of a new axis in front, which the chosen parameters have.
    Map,
}

impl Derivation {
    pub const ALL: [Derivation; 9] = [
        Derivation::ValueAndGradient,
        Derivation::Gradient,
        Derivation::Forward,
        Derivation::Pullback,
        Derivation::Jacobian,
        Derivation::ForwardJacobian,
        Derivation::Hessian,
        Derivation::HessianTangent,
        Derivation::Map,
    ];

    /// Its name, which is part of the names of what is derived.
    pub fn name(self) -> &'static str {
        match self {
            Derivation::ValueAndGradient => "value_and_grad",
            Derivation::Gradient => "grad",
            Derivation::Forward => "jvp",
            Derivation::Pullback => "vjp",
            Derivation::Jacobian => "jacobian",
            Derivation::ForwardJacobian => "jacfwd",
            Derivation::Hessian => "hessian",
            Derivation::HessianTangent => "hvp",
            Derivation::Map => "vmap",
        }
    }

    fn has_tangents(self) -> bool {
        matches!(self, Derivation::Forward | Derivation::HessianTangent)
    }
}

/// A definition derived from another one with this interface: its name and its text. Without chosen parameters the
/// first one is chosen that holds floats, for a map all. Errors: E0503 where a name is no parameter, or is given twice;
/// E0502 where nothing that is chosen holds floats.
pub fn derivation(func: &Func, how: Derivation, wrt: &[String]) -> Result<(String, String), Failure> {
    let params = named(func);
    let chosen = chosen(func, how, wrt)?;
    let parts: Vec<&str> = chosen.iter().filter_map(|&at| params.get(at)).map(|(name, _)| name.as_str()).collect();
    let name = format!("{}__{}__{}", func.name, how.name(), parts.join("_"));
    let mut names = Names::of(func, &params);
    let (params, body) = match how {
        Derivation::Map => mapped(func, params, &chosen, &mut names),
        _ => differentiated(func, how, params, &chosen, &mut names)?,
    };
    let text = definition(&name, &params, &body);
    Ok((name, text))
}

/// Parameters, and their types.
type Params = Vec<(String, String)>;

/// The names that are taken in a derived definition.
struct Names(Vec<String>);

impl Names {
    fn of(func: &Func, params: &Params) -> Names {
        let sizes = func.sizes.iter().map(|&size| func.name(size).to_string());
        Names(params.iter().map(|(name, _)| name.clone()).chain(sizes).collect())
    }

    /// A name like this one that is not taken. It is then.
    fn fresh(&mut self, wish: &str) -> String {
        let mut name = wish.to_string();
        while self.0.contains(&name) {
            name.push('_');
        }
        self.0.push(name.clone());
        name
    }
}

/// The parameters and the body of a definition at every point of a new axis.
fn mapped(func: &Func, mut params: Params, chosen: &[usize], names: &mut Names) -> (Params, String) {
    let (batch, i) = (names.fresh("batch"), names.fresh("i"));
    let mut args = Vec::new();
    for (at, (name, ty)) in params.iter_mut().enumerate() {
        if chosen.contains(&at) {
            *ty = format!("[{batch}]{ty}");
            args.push(format!("{name}[{i}]"));
        } else {
            args.push(name.clone());
        }
    }
    let body = format!("for {i} < {batch} => {}({})", func.name, args.join(", "));
    (params, body)
}

/// The parameters and the body of a derivative.
fn differentiated(
    func: &Func,
    how: Derivation,
    mut params: Params,
    chosen: &[usize],
    names: &mut Names,
) -> Result<(Params, String), Failure> {
    let all: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).collect();
    let call = format!("{}({})", func.name, all.join(", "));
    let tuple = |parts: &[String]| if let [one] = parts { one.clone() } else { format!("({})", parts.join(", ")) };
    let at: Vec<String> = chosen.iter().filter_map(|&at| params.get(at)).map(|(name, _)| name.clone()).collect();
    let (point, pattern) = (tuple(&at), if at.len() == 1 { tuple(&at) } else { format!("({})", tuple(&at)) });
    let function = format!("\\{pattern} => {call}");
    let mut tangents = Vec::new();
    for &k in chosen.iter().filter(|_| how.has_tangents()) {
        let Some(param) = func.edge_params.get(k) else { continue };
        let ty =
            tangent_text(func, &param.ty).ok_or_else(|| no_floats(func, &format!("parameter `{}`", param.name)))?;
        let name = names.fresh(&format!("d_{}", at.get(tangents.len()).map_or("", String::as_str)));
        params.push((name.clone(), ty));
        tangents.push(name);
    }
    let body = match how {
        Derivation::ValueAndGradient => format!("value_and_grad({function})({point})"),
        Derivation::Gradient => format!("grad({function})({point})"),
        Derivation::Jacobian => format!("jacrev({function})({point})"),
        Derivation::ForwardJacobian => format!("jacfwd({function})({point})"),
        Derivation::Hessian => format!("hessian({function})({point})"),
        Derivation::Forward => format!("jvp({function}, {point}, {})", tuple(&tangents)),
        Derivation::HessianTangent => {
            let (g, h) = (names.fresh("g"), names.fresh("h"));
            format!("let ({g}, {h}) = jvp(grad({function}), {point}, {}) in {h}", tuple(&tangents))
        }
        Derivation::Pullback => {
            let ty = tangent_text(func, &func.edge_result).ok_or_else(|| no_floats(func, "the result"))?;
            let d = names.fresh("d");
            params.push((d.clone(), ty));
            let (y, back) = (names.fresh("y"), names.fresh("back"));
            format!("let ({y}, {back}) = vjp({function}, {point}) in ({y}, {back}({d}))")
        }
        Derivation::Map => call,
    };
    Ok((params, body))
}

fn definition(name: &str, params: &[(String, String)], body: &str) -> String {
    let params: Vec<String> = params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    format!("def {name}({}) =\n  {body}\n", params.join(", "))
}

/// The parameters with names that can be written, and their types.
fn named(func: &Func) -> Params {
    let plain =
        |name: &str| name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let one = |(k, param): (usize, &EdgeParam)| {
        let name = if plain(&param.name) { param.name.clone() } else { format!("argument_{k}") };
        // The text of a sum's type has its arguments.
        let ty = if param.ty.has_sum() { param.text.clone() } else { edge_text(func, &param.ty) };
        (name, ty)
    };
    func.edge_params.iter().enumerate().map(one).collect()
}

fn chosen(func: &Func, how: Derivation, wrt: &[String]) -> Result<Vec<usize>, Failure> {
    if wrt.is_empty() {
        let all = 0..func.edge_params.len();
        if how == Derivation::Map {
            return Ok(all.collect());
        }
        let first = func.edge_params.iter().position(|param| param.ty.has_float());
        return first.map(|at| vec![at]).ok_or_else(|| no_floats(func, "no parameter"));
    }
    let mut chosen = Vec::new();
    for name in wrt {
        match func.edge_params.iter().position(|param| param.name == *name) {
            Some(at) if !chosen.contains(&at) => chosen.push(at),
            _ => {
                let names: Vec<&str> = func.edge_params.iter().map(|param| param.name.as_str()).collect();
                let title = format!("`{name}` is not a parameter of `{}`, or is named twice", func.name);
                let known = format!("its parameters are {}", names.join(", "));
                return Err(Diagnostic::error(Code::BAD_WRT, title).note(known).into());
            }
        }
    }
    let floats = |&at: &usize| func.edge_params.get(at).is_some_and(|param| param.ty.has_float());
    if how != Derivation::Map && !chosen.iter().all(floats) {
        return Err(no_floats(func, "a chosen parameter"));
    }
    Ok(chosen)
}

fn no_floats(func: &Func, what: &str) -> Failure {
    let title = match what {
        "no parameter" => format!("no parameter of `{}` holds a float", func.name),
        what => format!("{what} of `{}` holds no float", func.name),
    };
    Diagnostic::error(Code::NOT_DIFFERENTIABLE, title).into()
}

/// The type of a tangent: without what holds no floats. `None` if nothing does.
fn tangent_text(func: &Func, edge: &Edge) -> Option<String> {
    match edge {
        Edge::Scalar(elem) => elem.is_float().then(|| elem.name().to_string()),
        Edge::Array(..) => {
            let whole = edge_text(func, edge);
            let (mut inner, mut axes) = (edge, String::new());
            while let Edge::Array(size, next) = inner {
                axes.push_str(&format!("[{}]", arr_data::size_text(func, func.types.poly(*size))));
                inner = next;
            }
            if matches!(inner, Edge::Scalar(_)) {
                return edge.has_float().then_some(whole);
            }
            tangent_text(func, inner).map(|inner| axes + &inner)
        }
        Edge::Tuple(items) if edge.has_float() => {
            let items: Vec<String> =
                items.iter().map(|item| tangent_text(func, item).unwrap_or_else(|| "()".to_string())).collect();
            Some(format!("({})", items.join(", ")))
        }
        Edge::Record(fields) if edge.has_float() => {
            let field = |(name, ty): &(String, Edge)| Some(format!("{name}: {}", tangent_text(func, ty)?));
            Some(format!("{{ {} }}", fields.iter().filter_map(field).collect::<Vec<_>>().join(", ")))
        }
        Edge::Sum { name, .. } if edge.has_float() => Some(name.clone()),
        _ => None,
    }
}
