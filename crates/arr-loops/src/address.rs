//! Addresses of elements: row-major offsets, split by the loop that each part belongs to.
//!
//! The offset of `a[i, j]` is `i * columns + j`. Every summand belongs to the innermost loop that changes it. The
//! summands of outer loops are added to the array's address before the inner loop; what remains inside is one load
//! at an address plus an index, and `index * stride` is an induction variable of its loop. Index arithmetic
//! (`i + k`, `n - 1 - i`, `2 * i`) is decomposed the same way. All of it wraps, so any grouping gives the same address.

use crate::emit::{Emitter, Motion};
use crate::{Expr, LocalId, Operand, Ty};
use arr_ir::Prim;

/// Index arithmetic is followed to this depth.
const MAX_EXPANSION: usize = 8;

/// An element's place: an address, and a number of elements after it.
#[derive(Clone, Copy)]
pub(crate) struct ElementAddress {
    pub address: LocalId,
    pub offset: Operand,
}

/// The place of the element of `buffer` at `index`, where `dims` are the sizes of its axes.
pub(crate) fn place(emit: &mut Emitter, buffer: LocalId, dims: &[Operand], index: &[Operand]) -> ElementAddress {
    let mut parts: Vec<Operand> = Vec::new();
    let mut stride = Operand::int(1);
    for (k, &i) in index.iter().enumerate().rev() {
        expand(emit, i, stride, MAX_EXPANSION, &mut parts);
        if k == 0 {
            continue;
        }
        stride = match dims.get(k) {
            Some(&dim) => emit.int(Prim::Mul, stride, dim),
            None => emit.func.broken(stride, "an index has more axes than its array"),
        };
    }
    let mut address = data(emit, buffer);
    let mut sums = sums_by_depth(emit, parts);
    let last = sums.pop().unwrap_or(Operand::int(0));
    for sum in sums {
        address = offset(emit, address, sum);
    }
    ElementAddress { address, offset: last }
}

/// The address of a buffer's first element.
pub(crate) fn data(emit: &mut Emitter, buffer: LocalId) -> LocalId {
    let ty = Ty::Address(emit.func.ty(buffer).elem());
    let hint = format!("{}.data", emit.func.locals[buffer].name);
    emit.pure(&hint, ty, Expr::BaseAddr(buffer), Motion::Anywhere)
}

fn offset(emit: &mut Emitter, address: LocalId, by: Operand) -> LocalId {
    if by.as_int() == Some(0) {
        return address;
    }
    let info = emit.func.locals[address].clone();
    let hint = info.name.strip_suffix(".row").map_or_else(|| info.name.clone(), str::to_string);
    emit.pure(&format!("{hint}.row"), info.ty, Expr::Offset(address, by), Motion::Anywhere)
}

/// Appends the summands of `index * stride`.
fn expand(emit: &mut Emitter, index: Operand, stride: Operand, fuel: usize, parts: &mut Vec<Operand>) {
    let Operand::Local(local) = index else {
        parts.push(emit.int(Prim::Mul, index, stride));
        return;
    };
    if emit.loop_of(local).is_some_and(|depth| emit.depth_of(stride) < depth) && stride.as_int() != Some(1) {
        parts.extend(emit.induction(local, stride).map(Operand::Local));
        return;
    }
    let definition = if fuel == 0 { None } else { emit.definition(local).cloned() };
    let own = emit.depth_of(index);
    if let Some(Expr::Prim(prim, args)) = definition
        && let [a, b] = args.as_slice()
        && (emit.depth_of(*a) < own || emit.depth_of(*b) < own || is_loop_index(emit, *a) || is_loop_index(emit, *b))
    {
        let (a, b) = (*a, *b);
        match prim {
            Prim::Add => {
                expand(emit, a, stride, fuel - 1, parts);
                return expand(emit, b, stride, fuel - 1, parts);
            }
            Prim::Sub => {
                let minus = emit.int(Prim::Mul, stride, Operand::int(-1));
                expand(emit, a, stride, fuel - 1, parts);
                return expand(emit, b, minus, fuel - 1, parts);
            }
            Prim::Mul if emit.depth_of(b) < own => {
                let stride = emit.int(Prim::Mul, stride, b);
                return expand(emit, a, stride, fuel - 1, parts);
            }
            Prim::Mul if emit.depth_of(a) < own => {
                let stride = emit.int(Prim::Mul, stride, a);
                return expand(emit, b, stride, fuel - 1, parts);
            }
            _ => {}
        }
    }
    parts.push(emit.int(Prim::Mul, index, stride));
}

fn is_loop_index(emit: &Emitter, operand: Operand) -> bool {
    matches!(operand, Operand::Local(l) if emit.loop_of(l).is_some())
}

/// One sum for each depth at which some summand is bound, outermost first. Zeros are dropped.
fn sums_by_depth(emit: &mut Emitter, parts: Vec<Operand>) -> Vec<Operand> {
    let mut parts: Vec<(usize, Operand)> =
        parts.into_iter().filter(|p| p.as_int() != Some(0)).map(|p| (emit.depth_of(p), p)).collect();
    // Stable: summands of one depth stay in the order of the axes.
    parts.sort_by_key(|(depth, _)| *depth);
    let mut sums: Vec<(usize, Operand)> = Vec::new();
    for (depth, part) in parts {
        match sums.last_mut() {
            Some((d, sum)) if *d == depth => *sum = emit.int(Prim::Add, *sum, part),
            _ => sums.push((depth, part)),
        }
    }
    sums.into_iter().map(|(_, sum)| sum).collect()
}
