//! Values in short, for a person to look at: of a long axis the first and the last elements.

use crate::EdgeValue;
use crate::print::{Part, View, scalar_text, to_literal};

/// Values of no more elements are written out.
const MOST: usize = 200;
/// How many elements of a longer axis are shown at each end.
const ENDS: usize = 3;

/// As [`to_literal`], but in short where there are many elements: `..` stands for those left out, and below are the
/// extents of the arrays. This is not read back.
pub fn to_short(value: &EdgeValue) -> String {
    let elements = |dims: &[i64]| dims.iter().map(|&d| usize::try_from(d).unwrap_or(0)).product::<usize>();
    let leaves = value.leaves();
    if leaves.iter().map(|leaf| elements(leaf.dims())).sum::<usize>() <= MOST {
        return to_literal(value);
    }
    let mut out = String::new();
    write(&mut out, &View::of(value), 0);
    out + "\n-- " + &crate::found_text(value)
}

fn write(out: &mut String, view: &View<'_>, column: usize) {
    match view.part() {
        Part::Scalar(c) => out.push_str(&scalar_text(c)),
        Part::Array(n) => {
            out.push('[');
            array(out, view, n, column + 1);
            out.push(']');
        }
        Part::Tuple(items) => parts(out, "(", ")", column, items.into_iter().map(|item| (String::new(), item))),
        Part::Record(fields) => {
            let fields = fields.into_iter().map(|(name, field)| (format!("{name} = "), field));
            parts(out, "{", "}", column, fields);
        }
        Part::Constructor(name, items) if items.is_empty() => out.push_str(name),
        Part::Constructor(name, items) => {
            out.push_str(name);
            let items = items.into_iter().map(|item| (String::new(), item));
            parts(out, "(", ")", column + name.chars().count(), items);
        }
    }
}

/// Parts with what stands before each, one line each.
fn parts<'a>(
    out: &mut String,
    open: &str,
    close: &str,
    column: usize,
    parts: impl Iterator<Item = (String, View<'a>)>,
) {
    out.push_str(open);
    for (i, (before, part)) in parts.enumerate() {
        if i > 0 {
            out.push_str(",\n");
            out.extend(std::iter::repeat_n(' ', column + 1));
        }
        out.push_str(&before);
        write(out, &part, column + 1 + before.chars().count());
    }
    out.push_str(close);
}

/// The first and the last elements: numbers on one line, what is larger one below the other.
fn array(out: &mut String, view: &View<'_>, n: usize, column: usize) {
    let short = n > 2 * ENDS + 1;
    let scalars = n > 0 && matches!(view.element(0).part(), Part::Scalar(_));
    let separate = |out: &mut String| match scalars {
        true => out.push_str(", "),
        false => {
            out.push_str(",\n");
            out.extend(std::iter::repeat_n(' ', column));
        }
    };
    for i in 0..n {
        if short && i >= ENDS && i + ENDS < n {
            if i == ENDS {
                separate(out);
                out.push_str("..");
            }
            continue;
        }
        if i > 0 {
            separate(out);
        }
        write(out, &view.element(i), column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_ir::{Data, Value};

    fn numbers(dims: &[i64]) -> EdgeValue {
        let count: i64 = dims.iter().product();
        EdgeValue::Leaf(Value::array(dims.to_vec(), Data::I64((0..count).collect())))
    }

    #[test]
    fn long_axes_are_cut() {
        assert_eq!(to_short(&numbers(&[3])), "[0, 1, 2]");
        assert_eq!(to_short(&numbers(&[1000])), "[0, 1, 2, .., 997, 998, 999]\n-- [1000]i64");
        let matrix = "[[0, 1, 2, .., 97, 98, 99],\n [100, 101, 102, .., 197, 198, 199],\n \
                      [200, 201, 202, .., 297, 298, 299]]\n-- [3][100]i64";
        assert_eq!(to_short(&numbers(&[3, 100])), matrix);
        let record = EdgeValue::Record(vec![("x".to_string(), numbers(&[500])), ("n".to_string(), numbers(&[2]))]);
        let text = "{x = [0, 1, 2, .., 497, 498, 499],\n n = [0, 1]}\n-- { x: [500]i64, n: [2]i64 }";
        assert_eq!(to_short(&record), text);
    }
}
