//! Kernels that change an array in place: at each point in a column of its own.
//!
//! A column is what has given indices at some axes of an array. If all reads and writes of an array in a kernel have, at
//! one axis of the array for each axis of the kernel, the kernel's index or a fixed distance from it, two points have no
//! element in common. Whether a point reads before or after another one writes makes no difference then.

use crate::integers::Integers;
use crate::rewrite::for_each_stmt;
use crate::walk::{bound_in_block, for_each_use_in_block};
use crate::{Atom, Axis, Block, Func, Op, Poly, VarId};
use rustc_hash::FxHashSet;

/// Whether a scatter's body mentions the array that it changes in no other way than to read elements of the columns that it
/// writes, a column for each point.
pub fn stays_in_columns(func: &Func, array: VarId, axes: &[Axis], body: &Block) -> bool {
    let (mut places, mut uses) = (Vec::new(), 0);
    for_each_stmt(&body.stmts, &mut |stmt| {
        if let Op::Read { array: from, index, .. } = &stmt.op
            && *from == array
        {
            places.push(index.as_slice());
        }
    });
    for_each_use_in_block(func, body, &mut |v| uses += usize::from(v == array));
    if places.len() != uses {
        return false;
    }
    let rank = func.ty(array).dims.len();
    let writes = body.results.chunks(rank + 2).map(|write| write.get(1..=rank));
    let Some(writes) = writes.collect::<Option<Vec<&[Atom]>>>() else { return false };
    places.extend(writes);
    let (mut integers, mut bound) = (Integers::default(), FxHashSet::default());
    for_each_stmt(&body.stmts, &mut |stmt| integers.note(func, stmt));
    bound_in_block(body, &mut bound);
    bound.extend(axes.iter().map(|axis| axis.index));
    let column = |axis: &Axis, c: usize| {
        let of = |place: &[Atom]| integers.poly(func, *place.get(c)?);
        let mut all = places.iter().map(|place| of(place));
        let Some(Some(first)) = all.next() else { return false };
        let distance = first.sub(&Poly::var(axis.index));
        all.all(|other| other.as_ref() == Some(&first)) && !distance.vars().iter().any(|v| bound.contains(v))
    };
    axes.iter().all(|axis| (0..rank).any(|c| column(axis, c)))
}

#[cfg(test)]
mod tests {
    use super::stays_in_columns;
    use crate::{Op, parse_func};

    /// Whether the one scatter of a function, over `j`, stays in columns; nothing for other text.
    fn holds(reads: &str, writes: &str) -> Option<bool> {
        let text = format!(
            "func f[n](a: [n][n]f64, i: i64, k: i64, l: [n]i64) -> [n][n]f64 {{\n  b: [n][n]f64 = scatter set a, j<n {{\n    \
             s: i64 = add j, k\n    t: i64 = add k, j\n    q: i64 = read l[j]\n    d: i64 = mul j, 2\n    {reads}\n    \
             yield {writes}\n  }}\n  return b\n}}\n"
        );
        let func = parse_func(&text).ok()?;
        match &func.body.stmts.first()?.op {
            Op::Scatter { dest, axes, body, .. } => Some(stays_in_columns(&func, *dest, axes, body)),
            _ => None,
        }
    }

    #[test]
    fn columns_are_told_from_other_places() {
        let one = "x: f64 = read a[i, j]";
        let columns = [
            (one, "true, k, j, x"),
            (one, "true, k, j, x, true, i, j, x"),
            ("x: f64 = read a[j, i]", "true, j, k, x"),
            ("x: f64 = read a[i, s]", "true, k, t, x"),
            // Any row of the column.
            ("x: f64 = read a[q, j]", "true, k, j, x"),
        ];
        let others = [
            (one, "true, k, s, x"),
            // A column beside a row.
            (one, "true, j, k, x"),
            (one, "true, k, j, x, true, j, i, x"),
            // A fixed column, and one that data choose.
            ("x: f64 = read a[i, k]", "true, k, j, x"),
            ("x: f64 = read a[i, q]", "true, k, q, x"),
            // Not known to be apart.
            ("x: f64 = read a[i, d]", "true, k, d, x"),
            ("x: f64 = read a[i, j]\n    y: f64 = read a[i, 0]", "true, k, j, x"),
        ];
        for (reads, writes) in columns {
            assert_eq!(holds(reads, writes), Some(true), "{reads}; {writes}");
        }
        for (reads, writes) in others {
            assert_eq!(holds(reads, writes), Some(false), "{reads}; {writes}");
        }
    }
}
