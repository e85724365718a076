//! The types of a function's edge: parameters and results as the user sees them, before tuples, records and arrays
//! of them were taken apart into leaves.

use crate::{Scalar, SizeId, Type};

/// A user-visible type. An array of tuples or records is kept as one array a leaf (struct of arrays).
#[derive(Clone, PartialEq, Debug)]
pub enum Edge {
    Scalar(Scalar),
    Array(SizeId, Box<Edge>),
    Tuple(Vec<Edge>),
    Record(Vec<(String, Edge)>),
}

/// A parameter: its name and type, and the type as the user wrote it.
#[derive(Clone, PartialEq, Debug)]
pub struct EdgeParam {
    pub name: String,
    pub ty: Edge,
    pub text: String,
}

/// One leaf of an [`Edge`]: how to get there (`.x`, `.0`), and its type.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaf {
    pub path: String,
    pub ty: Type,
}

impl Edge {
    /// The leaves in order: fields in the order they are declared, outer axes in front.
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
        }
    }
}
