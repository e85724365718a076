//! Arguments against a function's parameters: ranks, element types, and the sizes that follow from the shapes, by
//! [`arr_base::solve_sizes`].

use crate::args::wrong_count;
use crate::text::{found_text, size_text};
use crate::value::UNKNOWN_EXTENT;
use crate::{DataError, EdgeValue, Origin, Problem, Source};
use arr_base::{AxisFault, Code, Diagnostic, MAX_SIZE, NamedSize, NamedSizes, SizeError, SizedAxis, solve_sizes};
use arr_ir::{Const, Data, Func, Poly, Value, VarId};

/// The inputs of a function call.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    /// The values of [`Func::sizes`].
    pub sizes: Vec<i64>,
    /// The values of [`Func::params`].
    pub leaves: Vec<Value>,
}

/// One axis of one leaf: what is declared and what was found.
struct LeafAxis<'a> {
    sized: SizedAxis<'a, VarId>,
    /// Which of all leaves, and which axis of it.
    leaf: usize,
    axis: usize,
}

/// Solves for the size parameters by the shapes of the arguments and checks every declared shape. Errors: E0703 where an
/// element type or a number of axes is not the declared one, E0704 where an extent is not or cannot be known, or a size
/// is too large, E0705 where the number of arguments is wrong, E0605 where memory does not suffice.
pub fn bind(func: &Func, args: &[EdgeValue]) -> Result<Bound, Vec<Diagnostic>> {
    if args.len() != func.edge_params.len() {
        return Err(vec![wrong_count(&func.name, &func.edge_params, args.len())]);
    }
    let Given { mut leaves, axes, integers } = read(func, args)?;
    let sized: Vec<SizedAxis<'_, VarId>> = axes.iter().map(|axis| axis.sized).collect();
    let solved = solve_sizes(&func.sizes, integers, &sized).map_err(|errors| {
        let mut errors: Vec<Diagnostic> = errors.iter().map(|error| size_error(func, args, &sized, error)).collect();
        // One fault in a size shows on many axes.
        errors.dedup_by(|a, b| a.title == b.title);
        errors
    })?;
    show_extents(&mut leaves, &axes, &solved.extents);
    if !leaves.iter_mut().all(complete) {
        let title = "an array that is given as empty, or that a constructor would carry, is too large for memory";
        return Err(vec![Diagnostic::error(Code::OUT_OF_MEMORY, title)]);
    }
    Ok(Bound { sizes: solved.names, leaves })
}

/// What arguments are made of.
struct Given<'a> {
    leaves: Vec<Value>,
    axes: Vec<LeafAxis<'a>>,
    /// The values of `i64` parameters.
    integers: NamedSizes<VarId>,
}

/// Takes arguments apart. Fails where an element type or a number of axes is not the declared one.
fn read<'a>(func: &'a Func, args: &[EdgeValue]) -> Result<Given<'a>, Vec<Diagnostic>> {
    let mut given = Given { leaves: Vec::new(), axes: Vec::new(), integers: NamedSizes::new() };
    let mut errors = Vec::new();
    for (argument, (param, arg)) in func.edge_params.iter().zip(args).enumerate() {
        let values = arg.leaves();
        let declared = param.ty.leaves();
        let mut fits = values.len() == declared.len();
        for (value, declared) in values.into_iter().zip(&declared) {
            fits &= value.elem() == declared.ty.elem && value.dims().len() == declared.ty.rank();
            let leaf = given.leaves.len();
            if let (Some(&param), Value::Scalar(Const::I64(value))) = (func.params.get(leaf), &value) {
                given.integers.insert(param, NamedSize { value: *value, argument });
            }
            for (axis, (&size, &found)) in declared.ty.dims.iter().zip(value.dims()).enumerate() {
                let extent = (found != UNKNOWN_EXTENT).then_some(found);
                let sized = SizedAxis { argument, size: func.types.poly(size), extent };
                given.axes.push(LeafAxis { sized, leaf, axis });
            }
            given.leaves.push(value);
        }
        if !fits {
            errors.push(mistyped(func, argument, arg));
        }
    }
    if errors.is_empty() { Ok(given) } else { Err(errors) }
}

/// Gives the leaves the extents that their text did not show.
fn show_extents(leaves: &mut [Value], axes: &[LeafAxis<'_>], extents: &[i64]) {
    for (axis, &extent) in axes.iter().zip(extents).filter(|(axis, _)| axis.sized.extent.is_none()) {
        if let Some(leaf) = leaves.get_mut(axis.leaf)
            && let Value::Array(array) = &*leaf
        {
            let mut dims = array.dims.clone();
            dims.get_mut(axis.axis).into_iter().for_each(|dim| *dim = extent);
            *leaf = Value::array(dims, array.data.clone());
        }
    }
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

/// The diagnostic for sizes that do not fit.
fn size_error(func: &Func, args: &[EdgeValue], axes: &[SizedAxis<'_, VarId>], error: &SizeError<VarId>) -> Diagnostic {
    match *error {
        SizeError::Axis { axis, fault } => match axes.get(axis) {
            Some(axis) => axis_error(func, args, axis, fault),
            None => Diagnostic::error(Code::ARGUMENT_SHAPE, "an argument has the wrong shape"),
        },
        SizeError::TooLarge { name: size, by } => {
            let (here, text) = (name(func, by.argument), size_text(func, &Poly::var(size)));
            let value = by.value;
            let title = format!("argument `{here}` makes the size `{text}` {value}, and a size is at most {MAX_SIZE}");
            Diagnostic::error(Code::ARGUMENT_SHAPE, title)
        }
    }
}

/// The diagnostic for an axis that does not fit the sizes.
fn axis_error(func: &Func, args: &[EdgeValue], axis: &SizedAxis<'_, VarId>, fault: AxisFault) -> Diagnostic {
    let (here, text) = (name(func, axis.argument), size_text(func, axis.size));
    let shape = given_shape(func, args, axis.argument);
    let wrong = |title: String| Diagnostic::error(Code::ARGUMENT_SHAPE, title);
    match fault {
        AxisFault::Differs { size, other } => disagreement(func, args, axis, size, other),
        AxisFault::NoSolution => {
            let extent = axis.extent.unwrap_or(UNKNOWN_EXTENT);
            wrong(format!("no value of the size names in `{text}` makes it {extent}, the extent of `{here}`"))
                .note(shape)
        }
        AxisFault::Negative => wrong(format!("an empty argument `{here}` does not show what the size `{text}` is"))
            .note(shape)
            .hint("a `.npy` file says the shape of an empty array"),
        AxisFault::Overflow => {
            wrong(format!("the size `{text}` of argument `{here}` does not fit in 64 bits")).note(shape)
        }
    }
}

/// The diagnostic for an axis whose size is another number than its extent.
fn disagreement(
    func: &Func,
    args: &[EdgeValue],
    axis: &SizedAxis<'_, VarId>,
    size: i64,
    other: Option<usize>,
) -> Diagnostic {
    let (here, text) = (name(func, axis.argument), size_text(func, axis.size));
    let extent = axis.extent.unwrap_or(UNKNOWN_EXTENT);
    let shape = given_shape(func, args, axis.argument);
    let wrong = |title: String| Diagnostic::error(Code::ARGUMENT_SHAPE, title);
    match (axis.size.as_var(), other) {
        (Some(var), Some(other)) if func.params.contains(&var) => {
            let there = name(func, other);
            wrong(format!(
                "arguments `{there}` and `{here}` disagree: `{text}` is {size}, but `{here}` has {extent} along the axis of that size"
            ))
            .note(shape)
        }
        (_, Some(other)) => {
            let there = name(func, other);
            wrong(format!("arguments `{there}` and `{here}` disagree about size `{text}`: {size} and {extent}"))
                .note(given_shape(func, args, other))
                .note(shape)
        }
        (Some(_), None) => {
            wrong(format!("argument `{here}` disagrees with itself about size `{text}`: {size} and {extent}"))
                .note(shape)
        }
        (None, None) => {
            let found = args.get(axis.argument).map(found_text).unwrap_or_default();
            wrong(format!("argument `{here}` has the wrong shape")).expected_found(declared(func, axis.argument), found)
        }
    }
}

/// A note with the declared type of an argument and the type of what is given.
fn given_shape(func: &Func, args: &[EdgeValue], argument: usize) -> String {
    let found = args.get(argument).map(found_text).unwrap_or_default();
    format!("`{}: {}` is given a `{found}`", name(func, argument), declared(func, argument))
}

/// Puts zeros for what constructors that are not the value's own would carry, now that its extents are known; `false` if
/// there is no room for them.
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
