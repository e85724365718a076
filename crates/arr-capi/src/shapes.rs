//! Sizes from the shapes of arguments, and every declared shape checked against them, by [`arr_base::solve_sizes`]; what
//! does not fit as a message for the caller of a C function.

use crate::description::{Description, Dim};
use crate::fault::Fault;
use arr_base::{AxisFault, MAX_SIZE, NamedSize, NamedSizes, SizeError, SizedAxis, SolvedSizes, solve_sizes};

/// One axis of one leaf.
struct LeafAxis<'a> {
    dim: &'a Dim,
    leaf: usize,
    extent: Option<i64>,
}

/// Solves for the sizes. `scalars` are the values of the `i64` leaves, `shown` the extents of all axes, one leaf after the
/// other; what is not there is not shown by its argument. Fails at the first axis that does not fit.
pub(crate) fn bind(
    description: &Description,
    scalars: &[Option<i64>],
    shown: &[Option<i64>],
) -> Result<SolvedSizes, Fault> {
    let dims = description.leaves.iter().enumerate();
    let dims = dims.flat_map(|(leaf, row)| row.dims.iter().flatten().map(move |dim| (leaf, dim)));
    let axes = dims.zip(shown).map(|((leaf, dim), &extent)| LeafAxis { dim, leaf, extent });
    let axes: Vec<LeafAxis<'_>> = axes.collect();
    let argument = |leaf: usize| description.leaves.get(leaf).map_or(0, |leaf| leaf.argument);
    let mut sized: Vec<SizedAxis<'_, usize>> = Vec::new();
    for axis in &axes {
        sized.push(SizedAxis { argument: argument(axis.leaf), size: &axis.dim.size, extent: axis.extent });
    }
    let rows: Vec<usize> = (0..description.sizes).collect();
    let integer = |(leaf, value): (usize, &Option<i64>)| {
        Some((description.sizes + leaf, NamedSize { value: (*value)?, argument: argument(leaf) }))
    };
    let integers: NamedSizes<usize> = scalars.iter().enumerate().filter_map(integer).collect();
    solve_sizes(&rows, integers, &sized).map_err(|errors| fault(description, &axes, errors.first()))
}

fn fault(description: &Description, axes: &[LeafAxis<'_>], error: Option<&SizeError<usize>>) -> Fault {
    let what = match error {
        Some(&SizeError::TooLarge { by: NamedSize { value, argument }, .. }) => {
            let name = description.arguments.get(argument).map_or("", |argument| &argument.name);
            format!("argument `{name}` makes a size {value}, and a size is at most {MAX_SIZE}")
        }
        Some(&SizeError::Axis { axis, fault }) => match axes.get(axis) {
            Some(axis) => axis_fault(description, axis, fault),
            None => return Fault::internal("an axis that does not fit is none of the arguments'"),
        },
        None => return Fault::internal("sizes do not fit, and none of them is wrong"),
    };
    Fault::argument(&description.name, what)
}

/// What is wrong with an axis.
fn axis_fault(description: &Description, axis: &LeafAxis<'_>, fault: AxisFault) -> String {
    let (name, path) = name_of(description, axis.leaf);
    let text = &axis.dim.text;
    let found = axis.extent.unwrap_or(0);
    match fault {
        AxisFault::Differs { size, other } => match other.and_then(|at| description.arguments.get(at)) {
            Some(other) => format!(
                "arguments `{}` and `{name}` disagree about size `{text}`: {size} and {found}{}",
                other.name,
                if path.is_empty() { String::new() } else { format!(", the extent of `{name}{path}`") }
            ),
            None if axis.dim.size.as_constant().is_some() => {
                format!("`{name}{path}` has the extent {found} where it must be {size}")
            }
            None => format!("`{name}{path}` has the extent {found} where `{text}` is {size}"),
        },
        AxisFault::NoSolution => {
            format!("no value of the size names in `{text}` makes it {found}, the extent of `{name}{path}`")
        }
        AxisFault::Negative => format!("an empty argument `{name}{path}` does not show what the size `{text}` is"),
        AxisFault::Overflow => format!("the size `{text}` of `{name}{path}` does not fit in 64 bits"),
    }
}

/// The argument that a leaf belongs to, and the path from it to the leaf.
pub(crate) fn name_of(description: &Description, leaf: usize) -> (&str, &str) {
    let Some(leaf) = description.leaves.get(leaf) else { return ("", "") };
    (description.arguments.get(leaf.argument).map_or("", |a| &a.name), &leaf.path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Argument, At, Leaf};
    use arr_base::Polynomial;
    use arr_base::Scalar;

    /// `f(x: [n]f64, s: | Some([n - 1]f64) | None, y: [n*n]f64)`, of which `y` may be left out.
    fn description(arguments: usize) -> Description {
        let n = Polynomial::var(0);
        let dim = |text: &str, size: Polynomial<usize>| Dim { text: text.to_string(), size };
        let dims = [dim("n", n.clone()), dim("n - 1", n.sub(&Polynomial::constant(1))), dim("n * n", n.mul(&n))];
        let leaf = |(argument, dim)| Leaf {
            argument,
            path: if argument == 1 { ".Some".to_string() } else { String::new() },
            at: At::Nowhere,
            elem: Scalar::F64,
            dims: Some(vec![dim]),
            choices: 0,
            carried_by: Vec::new(),
        };
        let argument = |name: &str| Argument { name: name.to_string(), ty: String::new() };
        Description {
            name: "f".to_string(),
            sizes: 1,
            arguments: ["x", "s", "y"].map(argument).into_iter().take(arguments).collect(),
            leaves: dims.into_iter().enumerate().map(leaf).take(arguments).collect(),
            ..Description::default()
        }
    }

    fn solved(shapes: &[Option<i64>]) -> Result<(Vec<i64>, Vec<i64>), String> {
        let description = description(shapes.len());
        let sizes = bind(&description, &vec![None; shapes.len()], shapes).map_err(|fault| fault.message)?;
        Ok((sizes.names, sizes.extents))
    }

    #[test]
    fn arrays_that_are_not_there_take_the_sizes_of_the_others() {
        assert_eq!(solved(&[Some(3), Some(2), Some(9)]), Ok((vec![3], vec![3, 2, 9])));
        assert_eq!(solved(&[Some(3), None, Some(9)]), Ok((vec![3], vec![3, 2, 9])));
        assert_eq!(solved(&[None, Some(4)]), Ok((vec![5], vec![5, 4])));
        assert_eq!(solved(&[None]), Ok((vec![0], vec![0])));
        let refused = "f: E0704: an empty argument `s.Some` does not show what the size `n - 1` is";
        assert_eq!(solved(&[Some(0), None]), Err(refused.to_string()));
    }

    #[test]
    fn what_does_not_fit_names_its_argument() {
        let disagree = "f: E0704: arguments `x` and `s` disagree about size `n - 1`: 2 and 7, the extent of `s.Some`";
        assert_eq!(solved(&[Some(3), Some(7)]), Err(disagree.to_string()));
        let square = "f: E0704: no value of the size names in `n * n` makes it 4, the extent of `y`";
        assert_eq!(solved(&[None, None, Some(4)]), Err(square.to_string()));
        let overflow = "f: E0704: the size `n * n` of `y` does not fit in 64 bits";
        assert_eq!(solved(&[Some(1 << 32), None, Some(0)]), Err(overflow.to_string()));
        let large = format!("f: E0704: argument `x` makes a size {}, and a size is at most {MAX_SIZE}", MAX_SIZE + 1);
        assert_eq!(solved(&[Some(MAX_SIZE + 1)]), Err(large));
    }
}
