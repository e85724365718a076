//! Leaves of parameters and results in the form of [`Description`](arr_capi::Description)s.

use arr_capi::{At, Dim, Leaf, Output};
use arr_data::size_text;
use arr_ir::{Edge, Func, SizeId, VarId};
use std::convert::Infallible;

use crate::types::LeafLayout;

/// The leaves of the parameter `argument`. `places` are their positions, in a slot or behind the address in one.
/// `before` is the number of leaves in front.
pub(crate) fn leaves(func: &Func, argument: usize, places: &[At], before: usize) -> Vec<Leaf> {
    let Some(param) = func.edge_params.get(argument) else { return Vec::new() };
    let roles = roles(&param.ty, before);
    let leaves = param.ty.leaves().into_iter().zip(roles).zip(places);
    let leaves = leaves.map(|((leaf, role), &at)| Leaf {
        argument,
        at,
        elem: leaf.ty.elem,
        dims: (!leaf.ty.dims.is_empty()).then(|| leaf.ty.dims.iter().map(|&size| dim(func, size)).collect()),
        path: leaf.path,
        choices: role.choices,
        carried_by: role.carried_by,
    });
    leaves.collect()
}

/// The leaves of a result at these places of a slot, which is the parameter `name`.
pub(crate) fn outputs(name: &str, edge: &Edge, slot: usize, places: &[LeafLayout]) -> Vec<Output> {
    let output = |(leaf, p): (arr_ir::Leaf, &LeafLayout)| Output {
        name: format!("{name}{}", leaf.path),
        at: At::Behind(slot, p.offset),
        elem: p.elem,
        rank: p.rank,
    };
    edge.leaves().into_iter().zip(places).map(output).collect()
}

/// A size over the rows that a description counts: the sizes, then the leaves.
fn dim(func: &Func, size: SizeId) -> Dim {
    let poly = func.types.poly(size);
    let row = |v: &VarId| {
        let size = func.sizes.iter().position(|s| s == v);
        let param = || func.params.iter().position(|p| p == v).map(|at| func.sizes.len() + at);
        // Other factors do not occur; an index out of range has no value.
        size.or_else(param).unwrap_or(usize::MAX >> 1)
    };
    let Ok(size) = poly.renamed(|v| Ok::<usize, Infallible>(row(v)));
    Dim { text: size_text(func, poly), size }
}

/// The role of a leaf in a sum.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Role {
    /// If it is a tag, how many constructors there are; else 0.
    pub choices: usize,
    /// The leaves that are tags around it, and what they are where this one counts.
    pub carried_by: Vec<(usize, i64)>,
}

/// The roles of the leaves of a type, `before` others.
pub fn roles(edge: &Edge, before: usize) -> Vec<Role> {
    let mut roles = Vec::new();
    collect(edge, before, &mut Vec::new(), &mut roles);
    roles
}

/// The sums in a type that have tags, each with its constructors.
pub fn sums(edge: &Edge) -> Vec<(&str, Vec<&str>)> {
    match edge {
        Edge::Scalar(_) => Vec::new(),
        Edge::Array(_, inner) => sums(inner),
        Edge::Tuple(items) => items.iter().flat_map(sums).collect(),
        Edge::Record(fields) => fields.iter().flat_map(|(_, field)| sums(field)).collect(),
        Edge::Sum { name, constructors } => {
            let names = constructors.iter().map(|(name, _)| name.as_str()).collect();
            let own = Edge::has_tag(constructors).then_some((name.as_str(), names));
            own.into_iter().chain(constructors.iter().flat_map(|(_, fields)| fields).flat_map(sums)).collect()
        }
    }
}

fn collect(edge: &Edge, before: usize, around: &mut Vec<(usize, i64)>, roles: &mut Vec<Role>) {
    match edge {
        Edge::Scalar(_) => roles.push(Role { choices: 0, carried_by: around.clone() }),
        Edge::Array(_, inner) => collect(inner, before, around, roles),
        Edge::Tuple(items) => items.iter().for_each(|item| collect(item, before, around, roles)),
        Edge::Record(fields) => fields.iter().for_each(|(_, field)| collect(field, before, around, roles)),
        Edge::Sum { constructors, .. } => {
            let tag = Edge::has_tag(constructors).then_some(before + roles.len());
            if tag.is_some() {
                roles.push(Role { choices: constructors.len(), carried_by: around.clone() });
            }
            for (value, (_, fields)) in constructors.iter().enumerate() {
                around.extend(tag.map(|tag| (tag, value as i64)));
                fields.iter().for_each(|field| collect(field, before, around, roles));
                if tag.is_some() {
                    around.pop();
                }
            }
        }
    }
}
