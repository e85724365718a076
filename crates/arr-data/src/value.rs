//! A value from the user's view: a tree over leaf arrays.

use arr_ir::{Const, Edge, Scalar, Value};

/// A value of an [`Edge`] type. Arrays of tuples or records are represented as a tuple or record of arrays (struct of
/// arrays), as in the compiler.
#[derive(Clone, PartialEq, Debug)]
pub enum EdgeValue {
    /// A scalar, or an array of scalars.
    Leaf(Value),
    Tuple(Vec<EdgeValue>),
    Record(Vec<(String, EdgeValue)>),
    /// An array of tuples or records: every leaf of `element` has these axes in front of its own.
    Array {
        dims: Vec<i64>,
        element: Box<EdgeValue>,
    },
    /// A sum: the tag, if there is a choice, and the payloads of all constructors.
    Sum {
        name: String,
        tag: Option<Value>,
        constructors: Vec<(String, Vec<EdgeValue>)>,
    },
}

/// An axis whose extent the text does not show (`[]` given for `[n][m]f64`). [`crate::bind`] fills it in.
pub(crate) const UNKNOWN_EXTENT: i64 = -1;

impl EdgeValue {
    /// Rebuilds a tree from leaf values, in the order of [`Edge::leaves`]. `None` if they do not fit the type.
    pub fn from_leaves(edge: &Edge, leaves: &[Value]) -> Option<EdgeValue> {
        let mut rest = leaves.iter();
        let value = build(edge, 0, &mut rest)?;
        rest.next().is_none().then_some(value)
    }

    /// The leaf values, in the order of [`Edge::leaves`].
    pub fn leaves(&self) -> Vec<Value> {
        let mut leaves = Vec::new();
        self.collect(&mut leaves);
        leaves
    }

    fn collect(&self, leaves: &mut Vec<Value>) {
        match self {
            EdgeValue::Leaf(value) => leaves.push(value.clone()),
            EdgeValue::Tuple(items) => items.iter().for_each(|item| item.collect(leaves)),
            EdgeValue::Record(fields) => fields.iter().for_each(|(_, field)| field.collect(leaves)),
            EdgeValue::Array { element, .. } => element.collect(leaves),
            EdgeValue::Sum { tag, constructors, .. } => {
                leaves.extend(tag.clone());
                constructors.iter().flat_map(|(_, fields)| fields).for_each(|field| field.collect(leaves));
            }
        }
    }

    pub fn scalar(value: Const) -> EdgeValue {
        EdgeValue::Leaf(Value::Scalar(value))
    }
}

fn build<'a>(edge: &Edge, outer: usize, rest: &mut impl Iterator<Item = &'a Value>) -> Option<EdgeValue> {
    match edge {
        Edge::Scalar(elem) => leaf(*elem, outer, rest),
        Edge::Array(..) => {
            let (axes, inner) = strip_axes(edge);
            if let Edge::Scalar(elem) = inner {
                return leaf(*elem, outer + axes, rest);
            }
            let element = build(inner, outer + axes, rest)?;
            let first = first_dims(&element);
            let dims = (outer..outer + axes).map(|k| first.get(k).copied().unwrap_or(0)).collect();
            Some(EdgeValue::Array { dims, element: Box::new(element) })
        }
        Edge::Tuple(items) => {
            Some(EdgeValue::Tuple(items.iter().map(|item| build(item, outer, rest)).collect::<Option<_>>()?))
        }
        Edge::Record(fields) => {
            let field = |(name, ty): &(String, Edge)| Some((name.clone(), build(ty, outer, rest)?));
            Some(EdgeValue::Record(fields.iter().map(field).collect::<Option<_>>()?))
        }
        Edge::Sum { name, constructors } => {
            let tag = match Edge::has_tag(constructors) {
                true => match leaf(Edge::TAG, outer, rest)? {
                    EdgeValue::Leaf(tag) => Some(tag),
                    _ => None,
                },
                false => None,
            };
            let mut built = Vec::new();
            for (name, fields) in constructors {
                let fields = fields.iter().map(|field| build(field, outer, rest)).collect::<Option<_>>()?;
                built.push((name.clone(), fields));
            }
            Some(EdgeValue::Sum { name: name.clone(), tag, constructors: built })
        }
    }
}

fn leaf<'a>(elem: Scalar, rank: usize, rest: &mut impl Iterator<Item = &'a Value>) -> Option<EdgeValue> {
    let value = rest.next()?;
    let consistent = match value {
        Value::Scalar(_) => true,
        Value::Array(a) => arr_base::made_count(&a.dims) == Some(a.data.len()),
    };
    (value.elem() == elem && value.dims().len() == rank && consistent).then(|| EdgeValue::Leaf(value.clone()))
}

/// The dimensions of the first leaf; an array type without leaves has none.
fn first_dims(value: &EdgeValue) -> &[i64] {
    match value {
        EdgeValue::Leaf(value) => value.dims(),
        EdgeValue::Tuple(items) => items.first().map_or(&[], first_dims),
        EdgeValue::Record(fields) => fields.first().map_or(&[], |(_, field)| first_dims(field)),
        EdgeValue::Array { element, .. } => first_dims(element),
        EdgeValue::Sum { tag: Some(tag), .. } => tag.dims(),
        EdgeValue::Sum { constructors, .. } => {
            constructors.iter().flat_map(|(_, fields)| fields).next().map_or(&[], first_dims)
        }
    }
}

/// The number of array axes on the outside of a type, and the type inside.
pub(crate) fn strip_axes(edge: &Edge) -> (usize, &Edge) {
    let (mut axes, mut inner) = (0, edge);
    while let Edge::Array(_, next) = inner {
        axes += 1;
        inner = next;
    }
    (axes, inner)
}

/// The type and rank of the leaf, if the type is a scalar or an array of scalars.
pub(crate) fn single_leaf(edge: &Edge) -> Option<(Scalar, usize)> {
    match strip_axes(edge) {
        (rank, Edge::Scalar(elem)) => Some((*elem, rank)),
        _ => None,
    }
}
