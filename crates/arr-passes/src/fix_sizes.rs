//! Specialisation to known sizes: replaces a function's sizes by numbers.
//!
//! ```text
//! def f [n] (x: [n]f64) {                  def f [n] (x: [10]f64) {
//!   y: [2*n]f64 = build i<2*n { .. }   =>    y: [20]f64 = build i<20 { .. }
//!   m: f64 = f64 n                           m: f64 = f64 10
//! ```
//!
//! Decisions that depend on sizes are then made at compile time instead of run time: how a product is computed, whether
//! a copy pays off, how many iterations a short loop has.
//!
//! Assumes:      core code; as many numbers as the function has sizes.
//! Guarantees:   no size is used; the function still takes them, and may only be called with these.
//! Leaves alone: the declared types of the interface; a function that asserts the equality of unequal sizes, and so
//!               would hold arrays of impossible types: that one fails at run time.
//! Cost:         O(statements).
//! Tests:        tests/specialise/

use arr_ir::walk::Subst;
use arr_ir::{Atom, Edge, Func, Level, verify_structure};

/// Specialises the function to these sizes, in place; returns whether it did.
pub fn fix_sizes(func: &mut Func, sizes: &[i64]) -> bool {
    let mut fixed = func.clone();
    substitute(&mut fixed, sizes);
    let possible = verify_structure(&fixed, Level::Core).is_ok();
    if possible {
        *func = fixed;
    }
    possible
}

fn substitute(func: &mut Func, sizes: &[i64]) {
    let mut subst = Subst::new();
    for (&var, &n) in func.sizes.iter().zip(sizes) {
        subst.insert(var, Atom::int(n));
    }
    let mut body = std::mem::take(&mut func.body);
    subst.apply_to_block(func, &mut body);
    func.body = body;
    // Parameters, and variables bound by axes and blocks.
    let vars: Vec<_> = func.vars.ids().collect();
    for var in vars {
        func.vars[var].ty = subst.ty(func, func.type_id(var));
    }
    let mut params = std::mem::take(&mut func.edge_params);
    for param in &mut params {
        edge(func, &subst, &mut param.ty);
    }
    func.edge_params = params;
    let mut result = func.edge_result.clone();
    edge(func, &subst, &mut result);
    func.edge_result = result;
}

fn edge(func: &mut Func, subst: &Subst, ty: &mut Edge) {
    match ty {
        Edge::Scalar(_) => {}
        Edge::Array(size, inner) => {
            *size = subst.size(func, *size);
            edge(func, subst, inner);
        }
        Edge::Tuple(items) => items.iter_mut().for_each(|item| edge(func, subst, item)),
        Edge::Record(fields) => fields.iter_mut().for_each(|(_, field)| edge(func, subst, field)),
        Edge::Sum { constructors, .. } => {
            constructors.iter_mut().flat_map(|(_, fields)| fields).for_each(|field| edge(func, subst, field));
        }
    }
}
