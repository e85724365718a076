//! Arguments against a function's parameters: ranks, element types, and the sizes that follow from the shapes.

use crate::text::{found_text, size_text};
use crate::value::UNKNOWN_EXTENT;
use crate::{DataError, EdgeValue, Origin, Problem, Source};
use arr_base::{Code, Diagnostic, MAX_SIZE};
use arr_ir::{Data, Func, Poly, Value, VarId};
use std::collections::BTreeMap;

/// The inputs of a function call.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    /// The values of [`Func::sizes`].
    pub sizes: Vec<i64>,
    /// The values of [`Func::params`].
    pub leaves: Vec<Value>,
}

/// One axis of one leaf: its declared size and its actual extent.
struct AxisFact {
    size: Poly,
    found: i64,
    /// The index of the parameter, and of its leaf.
    param: usize,
    leaf: usize,
    axis: usize,
}

/// Values of size names, and the parameter in which each was first found.
type Sizes = BTreeMap<VarId, (i64, usize)>;

/// Binds the size parameters from the shapes of the arguments and checks every declared shape. Errors: E0703 where an
/// element type or a number of axes is not the declared one, E0704 where an extent is not or cannot be known, or a size
/// is too large, E0605 where memory does not suffice; no diagnostic where only the number of arguments is wrong.
pub fn bind(func: &Func, args: &[EdgeValue]) -> Result<Bound, Vec<Diagnostic>> {
    let mut leaves = Vec::new();
    let mut facts = Vec::new();
    let mut sizes = Sizes::new();
    let mut errors = Vec::new();
    let mut params = func.params.iter();
    for (p, (param, arg)) in func.edge_params.iter().zip(args).enumerate() {
        let values = arg.leaves();
        let declared = param.ty.leaves();
        let mut fits = values.len() == declared.len();
        for (l, (value, leaf)) in values.iter().zip(&declared).enumerate() {
            fits &= value.elem() == leaf.ty.elem && value.dims().len() == leaf.ty.rank();
            if let (Some(&var), Value::Scalar(c)) = (params.next(), value) {
                c.as_i64().filter(|_| c.scalar() == arr_ir::Scalar::I64).map(|n| sizes.insert(var, (n, p)));
            }
            for (axis, (&size, &found)) in leaf.ty.dims.iter().zip(value.dims()).enumerate() {
                facts.push(AxisFact { size: func.types.poly(size).clone(), found, param: p, leaf: l, axis });
            }
        }
        if !fits {
            errors.push(mistyped(func, p, arg));
        }
        leaves.extend(values);
    }
    if args.len() != func.edge_params.len() || !errors.is_empty() {
        return Err(errors);
    }
    solve(&facts, &mut sizes);
    errors.extend(facts.iter().filter_map(|fact| check(func, args, fact, &sizes)));
    // One fault in a size shows on many axes.
    errors.dedup_by(|a, b| a.title == b.title);
    if !errors.is_empty() {
        return Err(errors);
    }
    fill_in(&facts, &mut sizes);
    errors.extend(facts.iter().filter_map(|fact| unknowable(func, args, fact, &sizes)));
    if !errors.is_empty() {
        return Err(errors);
    }
    errors.extend(func.sizes.iter().find_map(|v| too_large(func, *v, &sizes)));
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut leaves = known(&facts, &sizes, leaves, args);
    if !leaves.iter_mut().all(complete) {
        let title = "an array that is given as empty, or that a constructor would carry, is too large for memory";
        return Err(vec![Diagnostic::error(Code::OUT_OF_MEMORY, title)]);
    }
    Ok(Bound { sizes: func.sizes.iter().map(|v| sizes.get(v).map_or(0, |s| s.0)).collect(), leaves })
}

/// Binds the names that no extent determines: to a value that makes a likewise unknown extent 0 (`[]` for
/// `[b][n - 1]f64`), else to 0.
fn fill_in(facts: &[AxisFact], sizes: &mut Sizes) {
    let unknown = || facts.iter().filter(|f| f.found == UNKNOWN_EXTENT);
    for fact in unknown() {
        if let Some((var, value)) = solve_linear(&fact.size, 0, sizes) {
            sizes.insert(var, (value, fact.param));
        }
    }
    for fact in unknown() {
        for var in fact.size.vars() {
            sizes.entry(var).or_insert((0, fact.param));
        }
    }
}

/// The diagnostic for an axis without a known extent whose size is impossible, now that all names have values.
fn unknowable(func: &Func, args: &[EdgeValue], fact: &AxisFact, sizes: &Sizes) -> Option<Diagnostic> {
    if fact.found != UNKNOWN_EXTENT || eval(&fact.size, sizes).is_some_and(|size| size >= 0) {
        return None;
    }
    let (here, text) = (name(func, fact.param), size_text(func, &fact.size));
    let found = args.get(fact.param).map(found_text).unwrap_or_default();
    let title = format!("an empty argument `{here}` does not show what the size `{text}` is");
    Some(
        Diagnostic::error(Code::ARGUMENT_SHAPE, title)
            .note(format!("`{here}: {}` is given a `{found}`", declared(func, fact.param)))
            .hint("a `.npy` file says the shape of an empty array"),
    )
}

/// The diagnostic for a size that only an array without elements can have.
fn too_large(func: &Func, size: VarId, sizes: &Sizes) -> Option<Diagnostic> {
    let &(value, param) = sizes.get(&size).filter(|known| known.0 > MAX_SIZE)?;
    let text = size_text(func, &Poly::var(size));
    let title =
        format!("argument `{}` makes the size `{text}` {value}, and a size is at most {MAX_SIZE}", name(func, param));
    Some(Diagnostic::error(Code::ARGUMENT_SHAPE, title))
}

fn mistyped(func: &Func, param: usize, arg: &EdgeValue) -> Diagnostic {
    let problem = Problem::Type { expected: declared(func, param).to_string(), found: found_text(arg) };
    let origin = Origin {
        argument: name(func, param).to_string(),
        declared: declared(func, param).to_string(),
        source: Source::CommandLine,
    };
    DataError::from(problem).to_diagnostic(&origin)
}

fn name(func: &Func, param: usize) -> &str {
    func.edge_params.get(param).map_or("", |p| &p.name)
}

fn declared(func: &Func, param: usize) -> &str {
    func.edge_params.get(param).map_or("", |p| &p.text)
}

/// Binds names: first those that stand alone on an axis, then those a single unknown of which is linear, `[2 * n + 1]`.
fn solve(facts: &[AxisFact], sizes: &mut Sizes) {
    for fact in facts.iter().filter(|f| f.found != UNKNOWN_EXTENT) {
        if let Some(var) = fact.size.as_var() {
            sizes.entry(var).or_insert((fact.found, fact.param));
        }
    }
    loop {
        let before = sizes.len();
        for fact in facts.iter().filter(|f| f.found != UNKNOWN_EXTENT) {
            if let Some((var, value)) = solve_linear(&fact.size, fact.found, sizes) {
                sizes.insert(var, (value, fact.param));
            }
        }
        if sizes.len() == before {
            return;
        }
    }
}

/// `a * n + b = found` with `n` not yet known.
fn solve_linear(size: &Poly, found: i64, sizes: &Sizes) -> Option<(VarId, i64)> {
    let mut unknown = size.vars().into_iter().filter(|v| !sizes.contains_key(v));
    let (var, None) = (unknown.next()?, unknown.next()) else { return None };
    let at = |n: i64| size.eval(&mut |v| if v == var { Some(n) } else { sizes.get(&v).map(|s| s.0) });
    let (b, a) = (at(0)?, at(1)?.checked_sub(at(0)?)?);
    let rest = found.checked_sub(b)?;
    // A square is not linear; it shows at 2.
    let linear = at(2)? == b.wrapping_add(a.wrapping_mul(2));
    (linear && a != 0 && rest % a == 0 && rest / a >= 0).then(|| (var, rest / a))
}

fn eval(size: &Poly, sizes: &Sizes) -> Option<i64> {
    size.eval(&mut |v| sizes.get(&v).map(|s| s.0))
}

/// The diagnostic for one axis, if its extent is not the declared one.
fn check(func: &Func, args: &[EdgeValue], fact: &AxisFact, sizes: &Sizes) -> Option<Diagnostic> {
    if fact.found == UNKNOWN_EXTENT {
        return None;
    }
    let here = name(func, fact.param);
    let found = args.get(fact.param).map(found_text).unwrap_or_default();
    let shape = |param: usize| {
        let found = args.get(param).map(found_text).unwrap_or_default();
        format!("`{}: {}` is given a `{found}`", name(func, param), declared(func, param))
    };
    let wrong = |title: String| Diagnostic::error(Code::ARGUMENT_SHAPE, title);
    let text = size_text(func, &fact.size);
    match eval(&fact.size, sizes) {
        Some(expected) if expected == fact.found => None,
        Some(expected) => {
            let first = fact.size.vars().iter().filter_map(|v| sizes.get(v)).map(|s| s.1).find(|&p| p != fact.param);
            Some(match (fact.size.as_var(), first) {
                (Some(var), Some(p)) if func.params.contains(&var) => wrong(format!(
                    "arguments `{}` and `{here}` disagree: `{text}` is {expected}, but `{here}` has {} along the axis of that size",
                    name(func, p),
                    fact.found
                ))
                .note(shape(fact.param)),
                (_, Some(p)) => wrong(format!(
                    "arguments `{}` and `{here}` disagree about size `{text}`: {expected} and {}",
                    name(func, p),
                    fact.found
                ))
                .note(shape(p))
                .note(shape(fact.param)),
                (Some(_), None) => wrong(format!(
                    "argument `{here}` disagrees with itself about size `{text}`: {expected} and {}",
                    fact.found
                ))
                .note(shape(fact.param)),
                (None, None) => wrong(format!("argument `{here}` has the wrong shape"))
                    .expected_found(declared(func, fact.param), found),
            })
        }
        None => Some(
            wrong(format!("no value of the size names in `{text}` makes it {}, the extent of `{here}`", fact.found))
                .note(shape(fact.param)),
        ),
    }
}

/// Fills in zeros for the payloads of constructors other than the value's own, now that their extents are known;
/// `false` if there is no memory for them.
fn complete(leaf: &mut Value) -> bool {
    const WIDEST: usize = 8;
    let Value::Array(array) = &*leaf else { return true };
    let count = arr_base::element_count(&array.dims);
    if count == Some(array.data.len()) {
        return true;
    }
    // Reserved first, as making the zeros could only abort.
    let bytes = count.and_then(|n| n.checked_mul(WIDEST)).filter(|&n| Vec::<u8>::new().try_reserve_exact(n).is_ok());
    let (Some(count), Some(_)) = (count, bytes) else { return false };
    *leaf = Value::array(array.dims.clone(), Data::zeros(array.data.elem(), count));
    true
}

/// The leaves with the extents that their text did not show, computed from the sizes.
fn known(facts: &[AxisFact], sizes: &Sizes, leaves: Vec<Value>, args: &[EdgeValue]) -> Vec<Value> {
    if !facts.iter().any(|f| f.found == UNKNOWN_EXTENT) {
        return leaves;
    }
    let counts: Vec<usize> = args.iter().map(|a| a.leaves().len()).collect();
    let first = |param: usize| counts.iter().take(param).sum::<usize>();
    let mut leaves = leaves;
    for fact in facts.iter().filter(|f| f.found == UNKNOWN_EXTENT) {
        let Some(leaf) = leaves.get_mut(first(fact.param) + fact.leaf) else { continue };
        let Value::Array(array) = &*leaf else { continue };
        let mut dims = array.dims.clone();
        if let Some(d) = dims.get_mut(fact.axis) {
            *d = eval(&fact.size, sizes).unwrap_or(UNKNOWN_EXTENT);
        }
        *leaf = Value::array(dims, array.data.clone());
    }
    leaves
}
