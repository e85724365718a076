//! The types of a function's edge: parameters and results as the user sees them, before tuples, records and arrays of
//! them are flattened into leaves.

use crate::{Scalar, SizeId, Type};

/// A user-visible type. An array of tuples or records is kept as one array per leaf (struct of arrays).
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Edge {
    Scalar(Scalar),
    Array(SizeId, Box<Edge>),
    Tuple(Vec<Edge>),
    Record(Vec<(String, Edge)>),
    /// A sum type: its leaves are a tag, which is the index of the value's constructor, and the fields of every
    /// constructor, zero for constructors other than the value's own. A sum with one constructor has no tag.
    Sum {
        name: String,
        constructors: Vec<(String, Vec<Edge>)>,
    },
}

/// A parameter: its name and its type, and the type as the user wrote it.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct EdgeParam {
    pub name: String,
    pub ty: Edge,
    pub text: String,
}

/// One leaf of an [`Edge`]: its path (`.x`, `.0`) and its type.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaf {
    pub path: String,
    pub ty: Type,
}

impl Edge {
    /// The leaves in order: fields in declaration order, outer axes in front.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.collect(&mut Vec::new(), String::new(), &mut leaves);
        leaves
    }

    fn collect(&self, dims: &mut Vec<SizeId>, path: String, leaves: &mut Vec<Leaf>) {
        match self {
            Edge::Scalar(elem) => leaves.push(Leaf { path, ty: Type { elem: *elem, dims: dims.clone() } }),
            Edge::Array(size, inner) => {
                dims.push(*size);
                inner.collect(dims, path, leaves);
                dims.pop();
            }
            Edge::Tuple(items) => {
                for (i, item) in items.iter().enumerate() {
                    item.collect(dims, format!("{path}.{i}"), leaves);
                }
            }
            Edge::Record(fields) => {
                for (name, field) in fields {
                    field.collect(dims, format!("{path}.{name}"), leaves);
                }
            }
            Edge::Sum { constructors, .. } => {
                if Edge::has_tag(constructors) {
                    let ty = Type { elem: Edge::TAG, dims: dims.clone() };
                    leaves.push(Leaf { path: format!("{path}.tag"), ty });
                }
                for (name, fields) in constructors {
                    for (i, field) in fields.iter().enumerate() {
                        field.collect(dims, format!("{path}.{name}.{i}"), leaves);
                    }
                }
            }
        }
    }

    /// The type of a sum's tag.
    pub const TAG: Scalar = Scalar::I64;

    /// Whether a sum of these constructors has a tag.
    pub fn has_tag(constructors: &[(String, Vec<Edge>)]) -> bool {
        constructors.len() > 1
    }

    pub fn has_sum(&self) -> bool {
        match self {
            Edge::Scalar(_) => false,
            Edge::Array(_, inner) => inner.has_sum(),
            Edge::Tuple(items) => items.iter().any(Edge::has_sum),
            Edge::Record(fields) => fields.iter().any(|(_, field)| field.has_sum()),
            Edge::Sum { .. } => true,
        }
    }

    pub fn has_float(&self) -> bool {
        self.leaves().iter().any(|leaf| leaf.ty.elem.is_float())
    }

    /// The positions of the leaves in the derivative with respect to a value of this type: the floats, and all leaves
    /// of a sum that contains a float.
    pub fn tangent_leaves(&self) -> Vec<usize> {
        let mut kept = Vec::new();
        self.mark_tangent(false, &mut kept);
        kept.iter().enumerate().filter(|(_, kept)| **kept).map(|(i, _)| i).collect()
    }

    fn mark_tangent(&self, inside: bool, kept: &mut Vec<bool>) {
        match self {
            Edge::Scalar(elem) => kept.push(inside || elem.is_float()),
            Edge::Array(_, inner) => inner.mark_tangent(inside, kept),
            Edge::Tuple(items) => items.iter().for_each(|item| item.mark_tangent(inside, kept)),
            Edge::Record(fields) => fields.iter().for_each(|(_, field)| field.mark_tangent(inside, kept)),
            Edge::Sum { constructors, .. } => {
                let inside = inside || self.has_float();
                if Edge::has_tag(constructors) {
                    kept.push(inside);
                }
                constructors.iter().flat_map(|(_, f)| f).for_each(|field| field.mark_tangent(inside, kept));
            }
        }
    }
}
