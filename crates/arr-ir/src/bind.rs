//! Size parameters from the shapes of arguments.
//!
//! A dim that is a bare variable binds it; a dim that is linear in one unknown (`n + 1`, `2*n`) binds it when nothing
//! else does. Then every dim of every argument is checked by evaluation. `i64` parameters are known from the start.

use crate::{Func, Poly, Scalar, Value, VarId, size_text};
use rustc_hash::FxHashMap;

/// Why arguments do not fit the parameters. `param` is the position of the leaf in [`Func::params`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BindError {
    Count {
        expected: usize,
        found: usize,
    },
    Elem {
        param: usize,
        expected: Scalar,
        found: Scalar,
    },
    Rank {
        param: usize,
        expected: usize,
        found: usize,
    },
    /// An axis whose size is not the declared one.
    Dim {
        param: usize,
        axis: usize,
        /// The declared size, as the user wrote its names.
        expected: String,
        /// Its value, if the other axes give one; otherwise no value of its names makes it `found`.
        value: Option<i64>,
        found: i64,
        /// The leaf and axis that fixed the first of its size names, when that is another one.
        fixed_by: Option<(usize, usize)>,
    },
    /// No axis fixes the size parameter.
    Unbound {
        size: String,
    },
}

/// One declared axis and the extent that was found there.
struct Fact<'f> {
    param: usize,
    axis: usize,
    declared: crate::SizeId,
    poly: &'f Poly,
    found: i64,
}

/// Values, and where each comes from (nowhere for an `i64` parameter).
type Known = FxHashMap<VarId, (i64, Option<(usize, usize)>)>;

/// The values of the function's size parameters for these arguments, or everything that does not fit. Fails if the
/// number of arguments, an element type, a rank or an extent is not the declared one, or nothing fixes a size.
pub fn bind_sizes(func: &Func, args: &[Value]) -> Result<Vec<i64>, Vec<BindError>> {
    if args.len() != func.params.len() {
        return Err(vec![BindError::Count { expected: func.params.len(), found: args.len() }]);
    }
    let (mut facts, mut errors, mut known) = (Vec::new(), Vec::new(), Known::default());
    for (param, (&var, arg)) in func.params.iter().zip(args).enumerate() {
        let Some(info) = func.vars.get(var) else { continue };
        let ty = func.types.get(info.ty);
        let (expected, found) = (ty.rank(), arg.dims().len());
        if ty.elem != arg.elem() {
            errors.push(BindError::Elem { param, expected: ty.elem, found: arg.elem() });
        } else if expected != found {
            errors.push(BindError::Rank { param, expected, found });
        } else if let Value::Scalar(crate::Const::I64(value)) = arg {
            known.insert(var, (*value, None));
        }
        if expected == found {
            facts.extend(ty.dims.iter().zip(arg.dims()).enumerate().map(|(axis, (&declared, &found))| Fact {
                param,
                axis,
                declared,
                poly: func.types.poly(declared),
                found,
            }));
        }
    }
    solve(&facts, &mut known);
    errors.extend(facts.iter().filter_map(|fact| check(func, fact, &known)));
    let mut sizes = Vec::with_capacity(func.sizes.len());
    for &var in &func.sizes {
        match known.get(&var) {
            Some(&(value, _)) => sizes.push(value),
            // A size that a faulty axis would have fixed is not a fault of its own.
            None if !errors.is_empty() => {}
            None => errors.push(BindError::Unbound { size: func.name(var).to_string() }),
        }
    }
    if errors.is_empty() { Ok(sizes) } else { Err(errors) }
}

fn solve(facts: &[Fact<'_>], known: &mut Known) {
    for fact in facts {
        if let Some(var) = fact.poly.as_var() {
            known.entry(var).or_insert((fact.found, Some((fact.param, fact.axis))));
        }
    }
    // Each round binds at least one of finitely many variables.
    loop {
        let before = known.len();
        for fact in facts {
            if let Some((var, value)) = solve_linear(fact, known) {
                known.insert(var, (value, Some((fact.param, fact.axis))));
            }
        }
        if known.len() == before {
            return;
        }
    }
}

/// The one unknown of `a*n + b = found`, if it has a whole, non-negative value.
fn solve_linear(fact: &Fact<'_>, known: &Known) -> Option<(VarId, i64)> {
    let mut unknown = fact.poly.vars().into_iter().filter(|v| !known.contains_key(v));
    let (var, None) = (unknown.next()?, unknown.next()) else { return None };
    let (mut slope, mut rest) = (0i64, fact.found);
    for (monomial, &coefficient) in &fact.poly.terms {
        let mut term = coefficient;
        let mut degree = 0;
        for v in monomial {
            if *v == var {
                degree += 1;
            } else {
                term = term.checked_mul(known.get(v)?.0)?;
            }
        }
        match degree {
            0 => rest = rest.checked_sub(term)?,
            1 => slope = slope.checked_add(term)?,
            _ => return None,
        }
    }
    let value = rest.checked_div(slope)?;
    (value >= 0 && rest.checked_rem(slope) == Some(0)).then_some((var, value))
}

fn check(func: &Func, fact: &Fact<'_>, known: &Known) -> Option<BindError> {
    let value = fact.poly.eval(&mut |v| known.get(&v).map(|k| k.0));
    if value == Some(fact.found) {
        return None;
    }
    let fixed = fact.poly.vars().into_iter().find_map(|v| known.get(&v).and_then(|k| k.1));
    Some(BindError::Dim {
        param: fact.param,
        axis: fact.axis,
        expected: size_text(func, fact.declared),
        value,
        found: fact.found,
        fixed_by: fixed.filter(|&place| place != (fact.param, fact.axis)),
    })
}
