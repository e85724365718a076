//! The values of size names from the extents of arguments. This is the one solver: for values from the command line and
//! from files (`arr-data`), and for structs from C (`arr-capi`).
//!
//! Each axis of an argument is an equation, its declared size = the extent that was found:
//!
//! ```text
//! def f(k: i64, x: [n]f64, y: [2*m + k][n]f64)        k is given, n = 4, 2*m + k = 7, n = 4
//! ```
//!
//! 1. A name that stands alone, `[n]`, is the extent of the first axis of that size.
//! 2. Values are substituted. An axis of which one name is left, and is linear, fixes it, if by a whole number that is not
//!    negative: `2*m + 3 = 7`. This is repeated until it fixes nothing more.
//! 3. Every axis is checked with these values.
//! 4. A name that is open still is not fixed by any argument. An axis without an extent (the rows of `[]`, an array
//!    that only a constructor carries that was not chosen) is then empty, where one open name is left that makes it so;
//!    every other open name is 0. Such an axis must not be negative.
//! 5. A size name is at most [`MAX_SIZE`].
//!
//! Values are computed in 128 bits, and checked. A size that does not fit in 64 is an error.
//!
//! Equations that need more than substitution (`[n+m]` and `[n-m]`, `[n*n]`) are not solved. The order of substitution
//! depends on which axes have extents, so that it cannot be decided when a program is compiled. At a call inside of a
//! program extents are polynomials themselves; `arr-check/src/bind.rs` solves for those.

use crate::{MAX_SIZE, Polynomial};
use std::collections::BTreeMap;

/// An axis of an argument.
#[derive(Clone, Copy, Debug)]
pub struct SizedAxis<'a, V> {
    /// The argument, by number.
    pub argument: usize,
    /// The declared size.
    pub size: &'a Polynomial<V>,
    /// What was found; `None` where the argument does not show it.
    pub extent: Option<i64>,
}

/// The value of a name, and the argument that it is from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedSize {
    pub value: i64,
    pub argument: usize,
}

/// The values of names.
pub type NamedSizes<V> = BTreeMap<V, NamedSize>;

/// What arguments say about sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedSizes {
    /// The values of the size names, in the order in which they were asked for.
    pub names: Vec<i64>,
    /// The extents of the axes, in their order; also of those that were not shown.
    pub extents: Vec<i64>,
}

/// What does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SizeError<V> {
    /// An axis, by its number.
    Axis { axis: usize, fault: AxisFault },
    /// A size name is larger than [`MAX_SIZE`].
    TooLarge { name: V, by: NamedSize },
}

/// Why an axis does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AxisFault {
    /// The size is another number than the extent. `other` is the first argument besides the axis' own that fixed a
    /// name of the size.
    Differs { size: i64, other: Option<usize> },
    /// No value of the open names makes the size the extent, or none that substitution finds.
    NoSolution,
    /// The argument does not show the extent, and the size is negative.
    Negative,
    /// The size does not fit in 64 bits.
    Overflow,
}

/// Solves for `names`. `given` are the values of `i64` parameters that sizes mention. The errors are all axes that do not
/// fit the values; if all do, all hidden axes whose size is no extent; if there is none either, the first name that is too
/// large.
pub fn solve_sizes<V: Ord + Copy>(
    names: &[V],
    given: NamedSizes<V>,
    axes: &[SizedAxis<'_, V>],
) -> Result<SolvedSizes, Vec<SizeError<V>>> {
    let mut known = given;
    solve_shown(axes, &mut known);
    let fault = |(axis, fault)| SizeError::Axis { axis, fault };
    none_of(axes.iter().enumerate().filter_map(|(k, axis)| Some((k, check(axis, &known)?))).map(fault))?;
    solve_hidden(axes, &mut known);
    let value = |name: &V| known.get(name).map_or(0, |size| size.value);
    let extents: Vec<Result<i64, AxisFault>> = axes.iter().map(|axis| extent(axis, &value)).collect();
    none_of(extents.iter().enumerate().filter_map(|(k, extent)| Some((k, extent.err()?))).map(fault))?;
    let too_large =
        |&name| known.get(&name).filter(|by| by.value > MAX_SIZE).map(|&by| SizeError::TooLarge { name, by });
    none_of(names.iter().find_map(too_large))?;
    Ok(SolvedSizes { names: names.iter().map(value).collect(), extents: extents.into_iter().flatten().collect() })
}

/// Fails with the errors if there are any.
fn none_of<E>(errors: impl IntoIterator<Item = E>) -> Result<(), Vec<E>> {
    let errors: Vec<E> = errors.into_iter().collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// What axes with extents fix.
fn solve_shown<V: Ord + Copy>(axes: &[SizedAxis<'_, V>], known: &mut NamedSizes<V>) {
    let shown = || axes.iter().filter_map(|axis| Some((axis, axis.extent?)));
    substitute(shown().filter(|(axis, _)| axis.size.as_var().is_some()), known);
    while substitute(shown(), known) {}
}

/// What axes without extents fix when they are empty.
fn solve_hidden<V: Ord + Copy>(axes: &[SizedAxis<'_, V>], known: &mut NamedSizes<V>) {
    let hidden = || axes.iter().filter(|axis| axis.extent.is_none()).map(|axis| (axis, 0));
    while substitute(hidden(), known) {}
}

/// One round over axes with their extents; whether a name was fixed.
fn substitute<'a, V: Ord + Copy + 'a>(
    axes: impl Iterator<Item = (&'a SizedAxis<'a, V>, i64)>,
    known: &mut NamedSizes<V>,
) -> bool {
    let before = known.len();
    for (axis, extent) in axes {
        if let Some((name, value)) = rest(axis.size, &|name| value_in(known, name)).and_then(|rest| rest.solve(extent))
        {
            known.insert(name, NamedSize { value, argument: axis.argument });
        }
    }
    known.len() > before
}

/// The fault of an axis with an extent, if it has one.
fn check<V: Ord + Copy>(axis: &SizedAxis<'_, V>, known: &NamedSizes<V>) -> Option<AxisFault> {
    let extent = axis.extent?;
    let Some(rest) = rest(axis.size, &|name| value_in(known, name)) else { return Some(AxisFault::Overflow) };
    // Open names may have lost their factors: `n*m` is 0 for every `n` where `m` is.
    let number = rest.number();
    if number == Some(extent.into()) {
        return None;
    }
    let values: Option<Vec<&NamedSize>> = axis.size.names().into_iter().map(|name| known.get(name)).collect();
    let (Some(number), Some(values)) = (number, values) else { return Some(AxisFault::NoSolution) };
    let other = values.into_iter().map(|size| size.argument).find(|&argument| argument != axis.argument);
    Some(i64::try_from(number).map_or(AxisFault::Overflow, |size| AxisFault::Differs { size, other }))
}

/// The extent of an axis, when all names have values.
fn extent<V: Ord + Copy>(axis: &SizedAxis<'_, V>, value: &dyn Fn(&V) -> i64) -> Result<i64, AxisFault> {
    if let Some(extent) = axis.extent {
        return Ok(extent);
    }
    let number = rest(axis.size, &|name| Some(value(&name))).and_then(|rest| rest.number());
    let size = number.and_then(|number| i64::try_from(number).ok()).ok_or(AxisFault::Overflow)?;
    if size < 0 { Err(AxisFault::Negative) } else { Ok(size) }
}

fn value_in<V: Ord>(known: &NamedSizes<V>, name: V) -> Option<i64> {
    known.get(&name).map(|size| size.value)
}

/// What is left of a size when names are replaced by their values: coefficients, none of them 0.
struct Rest<V> {
    terms: BTreeMap<Vec<V>, i128>,
}

/// `None` if a number does not fit in 128 bits.
fn rest<V: Ord + Copy>(size: &Polynomial<V>, value: &dyn Fn(V) -> Option<i64>) -> Option<Rest<V>> {
    let mut terms: BTreeMap<Vec<V>, i128> = BTreeMap::new();
    for (monomial, &coefficient) in &size.terms {
        let (mut product, mut open) = (i128::from(coefficient), Vec::new());
        for &name in monomial {
            match value(name) {
                Some(value) => product = product.checked_mul(value.into())?,
                None => open.push(name),
            }
        }
        let sum = terms.entry(open).or_insert(0);
        *sum = sum.checked_add(product)?;
    }
    terms.retain(|_, coefficient| *coefficient != 0);
    Some(Rest { terms })
}

impl<V: Ord + Copy> Rest<V> {
    /// The number, if no name is left.
    fn number(&self) -> Option<i128> {
        let constant = self.terms.get([].as_slice()).copied();
        (self.terms.len() == usize::from(constant.is_some())).then_some(constant.unwrap_or(0))
    }

    /// The one name that is left, and the whole, non-negative value of it that makes the size the extent.
    fn solve(&self, extent: i64) -> Option<(V, i64)> {
        let mut open = self.terms.iter().filter(|(monomial, _)| !monomial.is_empty());
        let (Some((monomial, &factor)), None) = (open.next(), open.next()) else { return None };
        let &[name] = monomial.as_slice() else { return None };
        let constant = self.terms.get([].as_slice()).copied().unwrap_or(0);
        let difference = i128::from(extent).checked_sub(constant)?;
        let whole = difference.checked_rem(factor) == Some(0);
        let value = i64::try_from(difference.checked_div(factor)?).ok()?;
        (whole && value >= 0).then_some((name, value))
    }
}

#[cfg(test)]
mod tests;
