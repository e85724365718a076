//! Reads an untyped tree against a declared type.

use crate::raw::{Raw, RawKind};
use crate::text::rank_text;
use crate::value::{UNKNOWN_EXTENT, strip_axes};
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Const, Data, Edge, Value};

/// The elements of one leaf as they are met, and its extents as they become known.
struct LeafBuilder {
    rank: usize,
    dims: Vec<Option<i64>>,
    data: Data,
    /// The gaps left by constructors other than the value's own: the number of elements before each, and the number of
    /// axes further out.
    holes: Vec<(usize, usize)>,
}

/// The value of `raw` as a value of type `edge`. Extents that the text does not show are left for binding.
pub(crate) fn typed(edge: &Edge, raw: &Raw<'_>) -> Result<EdgeValue, DataError> {
    let leaves = edge.leaves();
    let mut builders: Vec<LeafBuilder> = leaves
        .iter()
        .map(|leaf| LeafBuilder {
            rank: leaf.ty.rank(),
            dims: vec![None; leaf.ty.rank()],
            data: Data::zeros(leaf.ty.elem, 0),
            holes: Vec::new(),
        })
        .collect();
    fill(edge, raw, &mut builders, 0)?;
    let values: Vec<Value> = builders.into_iter().filter_map(LeafBuilder::finish).collect();
    tree(edge, &values).ok_or_else(|| mismatch(edge, raw))
}

impl LeafBuilder {
    fn finish(mut self) -> Option<Value> {
        self.fill_holes();
        if self.rank == 0 {
            return self.data.get(0).map(Value::Scalar);
        }
        let dims = self.dims.iter().map(|d| d.unwrap_or(UNKNOWN_EXTENT)).collect();
        Some(Value::array(dims, self.data))
    }
}

impl LeafBuilder {
    /// Fills the gaps of constructors other than the value's own with zeros. If an extent is unknown there are no
    /// elements at all, and [`crate::bind`] makes them.
    fn fill_holes(&mut self) {
        let holes = std::mem::take(&mut self.holes);
        if holes.is_empty() {
            return;
        }
        let mut filled = Data::zeros(self.data.elem(), 0);
        let mut from = 0;
        let copy = |to: &mut Data, until: usize, from: &mut usize| {
            while *from < until {
                if let Some(c) = self.data.get(*from) {
                    push(to, c);
                }
                *from += 1;
            }
        };
        for (at, depth) in holes {
            copy(&mut filled, at, &mut from);
            let below = self.dims.get(depth..).unwrap_or_default();
            let extents: Option<Vec<i64>> = below.iter().copied().collect();
            let count = extents.and_then(|dims| arr_base::element_count(&dims)).unwrap_or(0);
            for _ in 0..count {
                push(&mut filled, Const::zero(self.data.elem()));
            }
        }
        copy(&mut filled, self.data.len(), &mut from);
        self.data = filled;
    }
}

/// Like [`EdgeValue::from_leaves`], with unknown extents allowed.
fn tree(edge: &Edge, values: &[Value]) -> Option<EdgeValue> {
    let known: Vec<Value> = values.iter().map(|v| with_dims(v, |d| d.max(0))).collect();
    let mut value = EdgeValue::from_leaves(edge, &known)?;
    let mut originals = values.iter();
    restore(&mut value, &mut originals);
    Some(value)
}

fn restore<'a>(value: &mut EdgeValue, originals: &mut impl Iterator<Item = &'a Value>) {
    match value {
        EdgeValue::Leaf(leaf) => {
            if let Some(original) = originals.next() {
                *leaf = original.clone();
            }
        }
        EdgeValue::Tuple(items) => items.iter_mut().for_each(|item| restore(item, originals)),
        EdgeValue::Record(fields) => fields.iter_mut().for_each(|(_, field)| restore(field, originals)),
        EdgeValue::Array { element, .. } => restore(element, originals),
        EdgeValue::Sum { tag, constructors, .. } => {
            if let Some(tag) = tag
                && let Some(original) = originals.next()
            {
                *tag = original.clone();
            }
            constructors.iter_mut().flat_map(|(_, fields)| fields).for_each(|field| restore(field, originals));
        }
    }
}

/// A copy under changed extents; shares the elements only if nothing changes.
fn with_dims(value: &Value, change: impl Fn(i64) -> i64) -> Value {
    match value {
        Value::Array(a) if a.dims.iter().any(|&d| change(d) != d) => {
            Value::array(a.dims.iter().map(|&d| change(d)).collect(), a.data.clone())
        }
        other => other.clone(),
    }
}

fn mismatch(edge: &Edge, raw: &Raw<'_>) -> DataError {
    let problem = Problem::Type { expected: rank_text(edge), found: raw.type_text() };
    DataError { at: Some(raw.at..raw.at + 1), ..problem.into() }
}

fn located(problem: Problem, raw: &Raw<'_>) -> DataError {
    let len = if let RawKind::Number(number) = &raw.kind { number.text.len() } else { 1 };
    DataError { at: Some(raw.at..raw.at + len), ..problem.into() }
}

/// `builders` are those of the leaves of `edge`, of which `depth` axes lie further out.
fn fill(edge: &Edge, raw: &Raw<'_>, builders: &mut [LeafBuilder], depth: usize) -> Result<(), DataError> {
    match edge {
        Edge::Scalar(elem) => {
            let value = match &raw.kind {
                RawKind::Number(number) => number.read(*elem).map_err(|problem| located(problem, raw))?,
                RawKind::Bool(b) if *elem == arr_ir::Scalar::Bool => Const::Bool(*b),
                RawKind::Text(_) => {
                    return Err(located(Problem::Syntax("a string is not a value".to_string()), raw));
                }
                _ => return Err(mismatch(edge, raw)),
            };
            if let Some(builder) = builders.first_mut() {
                push(&mut builder.data, value);
            }
            Ok(())
        }
        Edge::Array(_, inner) => fill_array(edge, inner, raw, builders, depth),
        Edge::Tuple(types) => {
            let (RawKind::Tuple(items) | RawKind::List(items)) = &raw.kind else { return Err(mismatch(edge, raw)) };
            if items.len() != types.len() {
                return Err(mismatch(edge, raw));
            }
            let mut rest = builders;
            for (i, (ty, item)) in types.iter().zip(items).enumerate() {
                let (own, after) = split(rest, ty);
                fill(ty, item, own, depth).map_err(|e| e.at_path(&format!(".{i}")))?;
                rest = after;
            }
            Ok(())
        }
        Edge::Record(types) => fill_record(edge, types, raw, builders, depth),
        Edge::Sum { constructors, .. } => fill_sum(edge, constructors, raw, builders, depth),
    }
}

/// The builders of the leaves of `ty`, and those after them.
fn split<'a>(builders: &'a mut [LeafBuilder], ty: &Edge) -> (&'a mut [LeafBuilder], &'a mut [LeafBuilder]) {
    let count = leaf_count(ty).min(builders.len());
    builders.split_at_mut(count)
}

fn leaf_count(edge: &Edge) -> usize {
    match edge {
        Edge::Scalar(_) => 1,
        Edge::Array(_, inner) => leaf_count(inner),
        Edge::Tuple(items) => items.iter().map(leaf_count).sum(),
        Edge::Record(fields) => fields.iter().map(|(_, field)| leaf_count(field)).sum(),
        Edge::Sum { constructors, .. } => {
            let carried = constructors.iter().flat_map(|(_, fields)| fields);
            usize::from(Edge::has_tag(constructors)) + carried.map(leaf_count).sum::<usize>()
        }
    }
}

fn fill_array(
    edge: &Edge,
    inner: &Edge,
    raw: &Raw<'_>,
    builders: &mut [LeafBuilder],
    depth: usize,
) -> Result<(), DataError> {
    let RawKind::List(items) = &raw.kind else { return Err(mismatch(edge, raw)) };
    check_rank(edge, raw)?;
    let len = i64::try_from(items.len()).unwrap_or(i64::MAX);
    for builder in builders.iter_mut() {
        let Some(dim) = builder.dims.get_mut(depth) else { return Err(mismatch(edge, raw)) };
        let first = *dim.get_or_insert(len);
        if first != len {
            return Err(located(Problem::Ragged { first, other: len }, raw));
        }
    }
    for (i, item) in items.iter().enumerate() {
        fill(inner, item, builders, depth + 1).map_err(|e| e.at_path(&format!("[{i}]")))?;
    }
    Ok(())
}

/// Reports a wrong rank once, for the whole array, rather than for its first row.
fn check_rank(edge: &Edge, raw: &Raw<'_>) -> Result<(), DataError> {
    let (axes, inner) = strip_axes(edge);
    if !matches!(inner, Edge::Scalar(_)) {
        return Ok(());
    }
    let (mut rank, mut at) = (0, Some(raw));
    while let Some(Raw { kind: RawKind::List(items), .. }) = at {
        rank += 1;
        at = items.first();
    }
    // An empty row does not show the form of its elements.
    let open = at.is_none() && rank <= axes;
    if rank == axes || open {
        return Ok(());
    }
    Err(located(Problem::Shape { expected: rank_text(edge), found: raw.type_text() }, raw))
}

fn fill_record(
    edge: &Edge,
    types: &[(String, Edge)],
    raw: &Raw<'_>,
    builders: &mut [LeafBuilder],
    depth: usize,
) -> Result<(), DataError> {
    let RawKind::Record(fields) = &raw.kind else { return Err(mismatch(edge, raw)) };
    if let Some((extra, value)) = fields.iter().find(|(n, _)| !types.iter().any(|(name, _)| name == n)) {
        let available = types.iter().map(|(name, _)| name.clone()).collect();
        return Err(located(Problem::ExtraField { field: extra.to_string(), available }, value));
    }
    let mut rest = builders;
    for (name, ty) in types {
        let Some((_, value)) = fields.iter().find(|(n, _)| n == name) else {
            let available = fields.iter().map(|(name, _)| name.to_string()).collect();
            return Err(located(Problem::MissingField { field: name.clone(), available }, raw));
        };
        let (own, after) = split(rest, ty);
        fill(ty, value, own, depth).map_err(|e| e.at_path(&format!(".{name}")))?;
        rest = after;
    }
    Ok(())
}

/// A constructor as written: `Circle(1.0)`, `Empty`, or in JSON `{"Circle": [1.0]}`, `"Empty"`.
fn constructor<'r>(raw: &'r Raw<'_>) -> Option<(&'r str, &'r [Raw<'r>])> {
    match &raw.kind {
        RawKind::Constructor(name, items) => Some((name, items)),
        RawKind::Text(name) => Some((name, &[])),
        RawKind::Record(fields) => match fields.as_slice() {
            [(name, Raw { kind: RawKind::List(items) | RawKind::Tuple(items), .. })] => Some((name, items)),
            _ => None,
        },
        _ => None,
    }
}

fn fill_sum(
    edge: &Edge,
    constructors: &[(String, Vec<Edge>)],
    raw: &Raw<'_>,
    builders: &mut [LeafBuilder],
    depth: usize,
) -> Result<(), DataError> {
    let Some((name, items)) = constructor(raw) else { return Err(mismatch(edge, raw)) };
    let Some(own) = constructors.iter().position(|(n, _)| n == name) else {
        let available = constructors.iter().map(|(name, _)| name.clone()).collect();
        let problem = Problem::UnknownConstructor { constructor: name.to_string(), ty: rank_text(edge), available };
        return Err(located(problem, raw));
    };
    let mut rest = builders;
    if Edge::has_tag(constructors) {
        let (tag, after) = rest.split_at_mut(1.min(rest.len()));
        if let Some(tag) = tag.first_mut() {
            push(&mut tag.data, Const::I64(i64::try_from(own).unwrap_or(i64::MAX)));
        }
        rest = after;
    }
    for (k, (name, fields)) in constructors.iter().enumerate() {
        if k == own && fields.len() != items.len() {
            let (expected, found) = (fields.len(), items.len());
            return Err(located(Problem::ConstructorCount { constructor: name.clone(), expected, found }, raw));
        }
        for (i, field) in fields.iter().enumerate() {
            let (mine, after) = split(rest, field);
            match items.get(i).filter(|_| k == own) {
                Some(item) => fill(field, item, mine, depth).map_err(|e| e.at_path(&format!(".{name}.{i}")))?,
                None => mine.iter_mut().for_each(|leaf| leaf.holes.push((leaf.data.len(), depth))),
            }
            rest = after;
        }
    }
    Ok(())
}

/// Appends an element; the value was read in the data's own type.
pub(crate) fn push(data: &mut Data, value: Const) {
    match (data, value) {
        (Data::Bool(v), Const::Bool(x)) => v.push(x),
        (Data::I32(v), Const::I32(x)) => v.push(x),
        (Data::I64(v), Const::I64(x)) => v.push(x),
        (Data::U32(v), Const::U32(x)) => v.push(x),
        (Data::F32(v), Const::F32(x)) => v.push(x),
        (Data::F64(v), Const::F64(x)) => v.push(x),
        _ => {}
    }
}
