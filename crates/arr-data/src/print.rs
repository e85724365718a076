//! Prints values in the syntax for reading them.

use crate::EdgeValue;
use arr_base::tuple_end;
use arr_ir::{Const, Value};
use std::fmt::Write;

/// Text that fits in this many columns stays on one line.
const WIDTH: usize = 100;

/// The value as a literal: one line if it fits, otherwise one line per row.
pub fn to_literal(value: &EdgeValue) -> String {
    let mut out = String::new();
    print(&mut out, &View::of(value), 0);
    out
}

/// More rows without elements than these are not printed.
const MOST_EMPTY_ROWS: i64 = 1_000_000;

/// Whether the text of a value has a sensible length: an array without elements can have any number of rows.
pub fn is_printable(value: &EdgeValue) -> bool {
    value.leaves().iter().all(|leaf| match leaf.dims().iter().position(|&d| d == 0) {
        None => true,
        Some(first) => {
            let rows = leaf.dims().iter().take(first).try_fold(1i64, |n, &d| n.checked_mul(d));
            rows.is_some_and(|rows| rows <= MOST_EMPTY_ROWS)
        }
    })
}

/// A float in the shortest form that reads back as the same bits.
pub(crate) fn scalar_text(value: Const) -> String {
    match value {
        Const::Bool(b) => b.to_string(),
        Const::I32(i) => i.to_string(),
        Const::I64(i) => i.to_string(),
        Const::U32(u) => u.to_string(),
        Const::F32(x) if x.is_nan() => "nan".to_string(),
        Const::F64(x) if x.is_nan() => "nan".to_string(),
        Const::F32(x) => format!("{x:?}"),
        Const::F64(x) => format!("{x:?}"),
    }
}

/// A part of a value: an element of an array of records is viewed through its leaves, each at the same position.
pub(crate) struct View<'a> {
    value: &'a EdgeValue,
    /// Indices along the outer axes so far.
    index: Vec<usize>,
    /// The number of axes of the arrays that `value` is inside of.
    outer: usize,
}

pub(crate) enum Part<'a> {
    Scalar(Const),
    Array(usize),
    Tuple(Vec<View<'a>>),
    Record(Vec<(&'a str, View<'a>)>),
    /// A constructor and its payload.
    Constructor(&'a str, Vec<View<'a>>),
}

impl<'a> View<'a> {
    pub(crate) fn of(value: &'a EdgeValue) -> Self {
        View { value, index: Vec::new(), outer: 0 }
    }

    fn with(&self, value: &'a EdgeValue) -> View<'a> {
        View { value, index: self.index.clone(), outer: self.outer }
    }

    pub(crate) fn element(&self, i: usize) -> View<'a> {
        let mut index = self.index.clone();
        index.push(i);
        View { value: self.value, index, outer: self.outer }
    }

    pub(crate) fn part(&self) -> Part<'a> {
        let extent = |dims: &[i64], at: usize| dims.get(at).map(|&d| usize::try_from(d).unwrap_or(0));
        match self.value {
            EdgeValue::Leaf(value) => match extent(value.dims(), self.index.len()) {
                Some(n) => Part::Array(n),
                None => Part::Scalar(element_at(value, &self.index)),
            },
            EdgeValue::Array { dims, element } => match extent(dims, self.index.len().saturating_sub(self.outer)) {
                Some(n) => Part::Array(n),
                None => View { outer: self.outer + dims.len(), ..self.with(element) }.part(),
            },
            EdgeValue::Tuple(items) => Part::Tuple(items.iter().map(|item| self.with(item)).collect()),
            EdgeValue::Record(fields) => {
                Part::Record(fields.iter().map(|(name, field)| (name.as_str(), self.with(field))).collect())
            }
            EdgeValue::Sum { tag, constructors, .. } => {
                // Without a tag, the only constructor; and every tag is one of them.
                let at = tag.as_ref().and_then(|tag| element_at(tag, &self.index).as_i64()).unwrap_or(0);
                let own = usize::try_from(at).ok().and_then(|at| constructors.get(at));
                let (name, fields) = own.map_or(("", [].as_slice()), |(name, fields)| (name.as_str(), fields));
                Part::Constructor(name, fields.iter().map(|field| self.with(field)).collect())
            }
        }
    }
}

/// The element at a full index.
fn element_at(value: &Value, index: &[usize]) -> Const {
    match value {
        Value::Scalar(c) => *c,
        Value::Array(a) => {
            let at = a.dims.iter().zip(index).fold(0usize, |at, (&d, &i)| at * usize::try_from(d).unwrap_or(0) + i);
            a.data.get(at).unwrap_or(Const::zero(a.data.elem()))
        }
    }
}

fn print(out: &mut String, view: &View<'_>, column: usize) {
    let mut flat = String::new();
    let room = WIDTH.saturating_sub(column).max(20);
    if print_flat(&mut flat, view, room) {
        out.push_str(&flat);
        return;
    }
    match view.part() {
        Part::Scalar(c) => out.push_str(&scalar_text(c)),
        Part::Array(n) => {
            out.push('[');
            let scalars = n > 0 && matches!(view.element(0).part(), Part::Scalar(_));
            if scalars {
                print_filled(out, view, n, column + 1)
            } else {
                print_rows(out, view, n, column + 1)
            }
            out.push(']');
        }
        Part::Tuple(items) => {
            out.push('(');
            for (i, item) in items.iter().enumerate() {
                separate(out, i, column + 1);
                print(out, item, column + 1);
            }
            out.push_str(tuple_end(items.len()));
            out.push(')');
        }
        Part::Constructor(name, items) if items.is_empty() => out.push_str(name),
        Part::Constructor(name, items) => {
            let column = column + name.chars().count() + 1;
            let _ = write!(out, "{name}(");
            for (i, item) in items.iter().enumerate() {
                separate(out, i, column);
                print(out, item, column);
            }
            out.push(')');
        }
        Part::Record(fields) => {
            out.push('{');
            for (i, (name, field)) in fields.iter().enumerate() {
                separate(out, i, column + 1);
                let _ = write!(out, "{name} = ");
                print(out, field, column + 4 + name.chars().count());
            }
            out.push('}');
        }
    }
}

fn separate(out: &mut String, i: usize, column: usize) {
    if i > 0 {
        out.push_str(",\n");
        out.extend(std::iter::repeat_n(' ', column));
    }
}

fn print_rows(out: &mut String, view: &View<'_>, n: usize, column: usize) {
    for i in 0..n {
        separate(out, i, column);
        print(out, &view.element(i), column);
    }
}

/// Scalars, as many per line as fit.
fn print_filled(out: &mut String, view: &View<'_>, n: usize, column: usize) {
    let mut at = column;
    for i in 0..n {
        let mut text = String::new();
        print_flat(&mut text, &view.element(i), usize::MAX);
        // Two more for the comma and the bracket or comma after it.
        if i > 0 && at + text.len() + 3 > WIDTH {
            separate(out, i, column);
            at = column;
        } else if i > 0 {
            out.push_str(", ");
            at += 2;
        }
        at += text.len();
        out.push_str(&text);
    }
}

/// Prints on one line; `false` as soon as it needs more than `room` columns.
fn print_flat(out: &mut String, view: &View<'_>, room: usize) -> bool {
    match view.part() {
        Part::Scalar(c) => out.push_str(&scalar_text(c)),
        Part::Array(n) => {
            out.push('[');
            for i in 0..n {
                out.push_str(if i > 0 { ", " } else { "" });
                if !print_flat(out, &view.element(i), room) {
                    return false;
                }
            }
            out.push(']');
        }
        Part::Tuple(items) => {
            out.push('(');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                if !print_flat(out, item, room) {
                    return false;
                }
            }
            out.push_str(tuple_end(items.len()));
            out.push(')');
        }
        Part::Constructor(name, items) if items.is_empty() => out.push_str(name),
        Part::Constructor(name, items) => {
            let _ = write!(out, "{name}(");
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                if !print_flat(out, item, room) {
                    return false;
                }
            }
            out.push(')');
        }
        Part::Record(fields) => {
            out.push('{');
            for (i, (name, field)) in fields.iter().enumerate() {
                let _ = write!(out, "{}{name} = ", if i > 0 { ", " } else { "" });
                if !print_flat(out, field, room) {
                    return false;
                }
            }
            out.push('}');
        }
    }
    out.len() <= room
}
