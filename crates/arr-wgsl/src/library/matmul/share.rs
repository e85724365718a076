//! The products of a tile, along the inner axis.
//!
//! An invocation needs, at an inner index, four elements of a row of the left operand's tile and four of a column of
//! the right one's. Without subgroups it reads both from workgroup memory. With them, neighbours of one row, as many as
//! the smallest subgroup has, read the row's elements at one inner index each and exchange them: each invocation then
//! reads only its share of the left tile. Elements are exchanged, never sums of them: each element of the result is
//! still accumulated by one invocation, in order, so that its bits are those without subgroups.
//!
//! The mapping of a workgroup's invocations to subgroups is up to the driver. The kernel tests it: a subgroup that is
//! not full, or not a run of neighbours that begins where a row does, reads for itself.

use super::tiles::TileShape;
use crate::library::Draft;

/// The minimal size of useful subgroups.
const LEAST: u32 = 4;

/// How the invocations of a tile read its operands.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// Neighbours that exchange elements: a power of two that divides the side, 1 if there are none.
    neighbours: u32,
}

impl Share {
    /// For a device whose subgroups have at least this size, if kernels use them.
    pub fn new(subgroup: Option<u32>, shape: TileShape) -> Share {
        let least = subgroup.filter(|&size| size >= LEAST && size.is_power_of_two());
        Share { neighbours: least.map_or(1, |size| size.min(shape.side)) }
    }

    fn is_used(self) -> bool {
        self.neighbours > 1
    }

    /// Tests once how the workgroup is divided.
    pub fn begin(self, d: &mut Draft) {
        if !self.is_used() {
            return;
        }
        let Share { neighbours } = self;
        d.subgroups = true;
        d.line("let origin = lane - i32(subgroup_lane);");
        d.line("let first_origin = subgroupBroadcastFirst(origin);");
        d.line("let present = subgroupAdd(1u);");
        d.line(format!(
            "let is_run = origin == first_origin && origin % {neighbours} == 0 && present == subgroup_size && present % {neighbours}u == 0u;"
        ));
        d.line("let share = subgroupAll(is_run);");
        d.line(format!("let own = lane % {neighbours};"));
        d.line("let row_lane = subgroup_lane - u32(own);");
    }

    /// Adds the products of a tile to `sum0` to `sum3`.
    pub fn products(self, d: &mut Draft, lefts: &str, rights: &str, shape: TileShape) {
        if !self.is_used() {
            return self.apart(d, lefts, rights, shape);
        }
        let Share { neighbours } = self;
        let TileShape { side, depth } = shape;
        d.line("if share {");
        d.line(format!("for (var k0 = 0; k0 < {depth}; k0 += {neighbours}) {{"));
        d.line(format!("let mine = {lefts}[(k0 + own) * {side} + lane / {side}];"));
        for k in 0..neighbours {
            d.line("{");
            d.line(format!("let l = subgroupShuffle(mine, row_lane + {k}u);"));
            d.line(format!("let r = {rights}[(k0 + {k}) * {side} + lane % {side}];"));
            add(d);
            d.line("}");
        }
        d.line("}");
        d.line("} else {");
        self.apart(d, lefts, rights, shape);
        d.line("}");
    }

    fn apart(self, d: &mut Draft, lefts: &str, rights: &str, shape: TileShape) {
        let TileShape { side, depth } = shape;
        d.line(format!("for (var k = 0; k < {depth}; k++) {{"));
        d.line(format!("let l = {lefts}[k * {side} + lane / {side}];"));
        d.line(format!("let r = {rights}[k * {side} + lane % {side}];"));
        add(d);
        d.line("}");
    }
}

/// The products at an inner index.
fn add(d: &mut Draft) {
    for k in 0..4 {
        d.line(format!("sum{k} += l[{k}] * r;"));
    }
}
