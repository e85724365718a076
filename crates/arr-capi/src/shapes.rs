//! Sizes from the shapes of arguments, and checks of every declared shape against them.

use crate::description::{Description, Dim};
use crate::fault::Fault;
use arr_base::MAX_SIZE;

/// The value of a size and the argument in which it was first found.
type Known = Vec<Option<(i64, usize)>>;

/// One axis of one leaf.
struct Fact<'a> {
    dim: &'a Dim,
    found: i64,
    leaf: usize,
}

/// The values of sizes, followed by those of the scalar leaves.
#[derive(Debug)]
pub(crate) struct Sizes {
    known: Known,
}

impl Sizes {
    /// The values of the size parameters; one that no extent determines is 0.
    pub fn parameters(&self, description: &Description) -> Vec<i64> {
        let known = self.known.iter().take(description.sizes);
        known.map(|size| size.map_or(0, |(value, _)| value)).collect()
    }

    /// The size of an axis, as far as it is known.
    pub fn eval(&self, dim: &Dim) -> Option<i64> {
        eval(dim, &self.known, None)
    }
}

/// Binds sizes. `scalars` are the values of the `i64` leaves, `shapes` those of array leaves; missing ones are ignored.
pub(crate) fn bind(
    description: &Description,
    scalars: &[Option<i64>],
    shapes: &[Option<Vec<i64>>],
) -> Result<Sizes, Fault> {
    let mut known: Known = vec![None; description.sizes];
    known.extend(scalars.iter().zip(&description.leaves).map(|(value, leaf)| value.map(|n| (n, leaf.argument))));
    let mut facts = Vec::new();
    for (at, (leaf, shape)) in description.leaves.iter().zip(shapes).enumerate() {
        if let (Some(dims), Some(shape)) = (&leaf.dims, shape) {
            facts.extend(dims.iter().zip(shape).map(|(dim, &found)| Fact { dim, found, leaf: at }));
        }
    }
    solve(description, &facts, &mut known);
    facts.iter().try_for_each(|fact| check(description, fact, &known))?;
    if let Some((size, at)) = known.iter().take(description.sizes).flatten().find(|(size, _)| *size > MAX_SIZE) {
        let name = description.arguments.get(*at).map_or("", |argument| &argument.name);
        let what = format!("argument `{name}` makes a size {size}, and a size is at most {MAX_SIZE}");
        return Err(Fault::argument(&description.name, what));
    }
    Ok(Sizes { known })
}

fn eval(dim: &Dim, known: &Known, with: Option<(usize, i64)>) -> Option<i64> {
    let mut sum = 0i64;
    for (coefficient, factors) in &dim.terms {
        let mut product = *coefficient;
        for &factor in factors {
            let value = match with {
                Some((at, value)) if at == factor => value,
                _ => known.get(factor).copied().flatten()?.0,
            };
            product = product.checked_mul(value)?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}

/// The size that an axis consists of, if it is one.
fn alone(dim: &Dim) -> Option<usize> {
    match dim.terms.as_slice() {
        [(1, factors)] => match factors.as_slice() {
            [one] => Some(*one),
            _ => None,
        },
        _ => None,
    }
}

/// First the names that stand alone on an axis, then those for which a single unknown size is linear, `[2 * n + 1]`.
fn solve(description: &Description, facts: &[Fact], known: &mut Known) {
    let argument = |fact: &Fact| description.leaves.get(fact.leaf).map_or(0, |l| l.argument);
    for fact in facts {
        if let Some(slot @ None) = alone(fact.dim).and_then(|at| known.get_mut(at)) {
            *slot = Some((fact.found, argument(fact)));
        }
    }
    loop {
        let mut found_one = false;
        for fact in facts {
            if let Some((at, value)) = solve_linear(fact, known)
                && let Some(slot) = known.get_mut(at)
            {
                *slot = Some((value, argument(fact)));
                found_one = true;
            }
        }
        if !found_one {
            return;
        }
    }
}

/// `a * n + b = found` with `n` not yet known.
fn solve_linear(fact: &Fact, known: &Known) -> Option<(usize, i64)> {
    let mut unknown: Vec<usize> = fact.dim.terms.iter().flat_map(|(_, factors)| factors).copied().collect();
    unknown.retain(|&at| known.get(at).copied().flatten().is_none());
    unknown.dedup();
    let &[at] = unknown.as_slice() else { return None };
    let value = |n: i64| eval(fact.dim, known, Some((at, n)));
    let (b, a) = (value(0)?, value(1)?.checked_sub(value(0)?)?);
    let rest = fact.found.checked_sub(b)?;
    // A square is not linear; it shows at 2.
    let linear = value(2)? == b.wrapping_add(a.wrapping_mul(2));
    (linear && a != 0 && rest % a == 0 && rest / a >= 0).then(|| (at, rest / a))
}

fn check(description: &Description, fact: &Fact, known: &Known) -> Result<(), Fault> {
    let found = fact.found;
    let (name, path) = name_of(description, fact.leaf);
    let text = &fact.dim.text;
    let wrong = |what: String| Err(Fault::argument(&description.name, what));
    match eval(fact.dim, known, None) {
        Some(expected) if expected == found => Ok(()),
        Some(expected) => {
            let factors = fact.dim.terms.iter().flat_map(|(_, factors)| factors);
            let from = factors.filter_map(|&at| known.get(at).copied().flatten()).map(|(_, argument)| argument);
            let here = description.leaves.get(fact.leaf).map_or(0, |l| l.argument);
            let other = from.into_iter().find(|&argument| argument != here);
            match other.and_then(|at| description.arguments.get(at)) {
                Some(other) => wrong(format!(
                    "arguments `{}` and `{name}` disagree about size `{text}`: {expected} and {found}{}",
                    other.name,
                    if path.is_empty() { String::new() } else { format!(", the extent of `{name}{path}`") }
                )),
                None if fact.dim.terms.iter().all(|(_, factors)| factors.is_empty()) => {
                    wrong(format!("`{name}{path}` has the extent {found} where it must be {expected}"))
                }
                None => wrong(format!("`{name}{path}` has the extent {found} where `{text}` is {expected}")),
            }
        }
        None => wrong(format!("no value of the size names in `{text}` makes it {found}, the extent of `{name}{path}`")),
    }
}

/// The argument that a leaf belongs to, and the path from it to the leaf.
pub(crate) fn name_of(description: &Description, leaf: usize) -> (&str, &str) {
    let Some(leaf) = description.leaves.get(leaf) else { return ("", "") };
    (description.arguments.get(leaf.argument).map_or("", |a| &a.name), &leaf.path)
}
