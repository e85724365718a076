//! The kernel of tiles, whole and in parts.

use super::share::Share;
use super::{Array, ENOUGH_GROUPS, LEAST_PART, Product};
use crate::builder::Builder;
use crate::library::{Draft, Host, known};
use crate::program::{Access, Groups, Step};
use arr_ir::Prim;
use arr_loops::{LocalId, Operand, Role};

/// The shape of a tile.
#[derive(Clone, Copy)]
pub(super) struct TileShape {
    /// Invocations along a side of the square; each has 4 by 4 elements.
    pub side: u32,
    /// Length of the inner axis in workgroup memory: that of a side.
    pub depth: u32,
}

/// The sizes of a run.
struct Run {
    tile_rows: Operand,
    tile_columns: Operand,
    /// The inner axis' part of a workgroup, and how many parts there are: for a product in parts.
    parts: Option<Parts>,
}

struct Parts {
    length: Operand,
    count: Operand,
    /// A result for each part, one after the other.
    into: LocalId,
}

impl Product<'_> {
    pub(super) fn tiles(&self, b: &mut Builder<'_>) -> Vec<Step> {
        let side = if b.options.workgroup >= 256 { 16 } else { 8 };
        let shape = TileShape { side, depth: side };
        let tile = i64::from(4 * side);
        let mut host = Host::default();
        let tile_rows = host.div_up(b, "tile_rows", self.sizes.rows, tile);
        let tile_columns = host.div_up(b, "tile_columns", self.sizes.columns, tile);
        let squares = host.product(b, "squares", &[self.sizes.batch, tile_rows, tile_columns]);
        let few = host.prim(b, "few", Prim::Lt, &[squares, Operand::int(ENOUGH_GROUPS)]);
        let long = host.prim(b, "long", Prim::Ge, &[self.sizes.inner, Operand::int(2 * LEAST_PART)]);
        let split = host.prim(b, "split", Prim::And, &[few, long]);
        let whole = Run { tile_rows, tile_columns, parts: None };
        let in_whole = if known(split) == Some(true) { Vec::new() } else { vec![self.tiled(b, shape, &whole)] };
        let in_parts =
            if known(split) == Some(false) { Vec::new() } else { self.in_parts(b, shape, tile_rows, tile_columns) };
        host.choose(split, in_parts, in_whole);
        host.steps
    }

    fn in_parts(&self, b: &mut Builder<'_>, shape: TileShape, tile_rows: Operand, tile_columns: Operand) -> Vec<Step> {
        let mut host = Host::default();
        // At most this many parts, none of them short, of whole depths.
        let length = host.div_up(b, "part", self.sizes.inner, ENOUGH_GROUPS);
        let length = host.prim(b, "part", Prim::Max, &[length, Operand::int(LEAST_PART)]);
        let depths = host.div_up(b, "part", length, i64::from(shape.depth));
        let length = host.prim(b, "part", Prim::Mul, &[depths, Operand::int(i64::from(shape.depth))]);
        let more = host.prim(b, "parts", Prim::Sub, &[length, Operand::int(1)]);
        let more = host.prim(b, "parts", Prim::Add, &[self.sizes.inner, more]);
        let count = host.prim(b, "parts", Prim::Div, &[more, length]);
        let dims = vec![count, self.sizes.batch, self.sizes.rows, self.sizes.columns];
        let into = host.scratch(b, "partial", self.elem, dims, self.span);
        let run = Run { tile_rows, tile_columns, parts: Some(Parts { length, count, into }) };
        let step = self.tiled(b, shape, &run);
        host.steps.push(step);
        let step = self.add_parts(b, count, into);
        host.steps.push(step);
        host.steps.push(Step::Release(into));
        host.steps
    }

    fn tiled(&self, b: &mut Builder<'_>, shape: TileShape, run: &Run) -> Step {
        let TileShape { side, depth } = shape;
        let (tile, width) = (4 * side, side * side);
        let sizes = &self.sizes;
        let mut points = vec![run.tile_columns, run.tile_rows, sizes.batch];
        points.extend(run.parts.as_ref().map(|p| p.count));
        let groups = Groups { points, per_group: 1, most: None };
        let hint = if run.parts.is_some() { "product_parts" } else { "product_tiles" };
        let mut d = Draft::new(b, hint, width, groups, self.span);
        self.bind(b, &mut d, run.parts.is_none());
        let ty = b.type_name(self.elem);
        let [rows, columns, batches, inner, tile_rows, tile_columns] =
            [sizes.rows, sizes.columns, sizes.batch, sizes.inner, run.tile_rows, run.tile_columns].map(|s| d.int(b, s));
        d.line(format!("let tile_column = group % {tile_columns};"));
        d.line(format!("let tile_row = (group / {tile_columns}) % {tile_rows};"));
        d.line(format!("let square = group / ({tile_columns} * {tile_rows});"));
        match &run.parts {
            None => {
                d.line(format!("if square >= {batches} {{ return; }}"));
                d.line("let batch = square;");
                d.line("let first = 0;");
                d.line(format!("let end = {inner};"));
            }
            Some(parts) => {
                let (length, count) = (d.int(b, parts.length), d.int(b, parts.count));
                d.line(format!("let part = square / {batches};"));
                d.line(format!("if part >= {count} {{ return; }}"));
                d.line(format!("let batch = square % {batches};"));
                d.line(format!("let first = part * {length};"));
                d.line(format!("let end = min(first + {length}, {inner});"));
            }
        }
        let left = self.place(b, &mut d, Array::Left, &[(Role::Batch, "batch")]);
        d.line(format!("let left = {left};"));
        let right = self.place(b, &mut d, Array::Right, &[(Role::Batch, "batch")]);
        d.line(format!("let right = {right};"));
        let share = Share::new(b.options.subgroup, shape);
        share.begin(&mut d);
        // Four rows at an inner index, and four columns.
        let vectors = format!("array<vec4<{ty}>, {}>", depth * side);
        let lefts = d.shared("left", &vectors);
        let rights = d.shared("right", &vectors);
        for k in 0..4 {
            d.line(format!("var sum{k} = vec4<{ty}>();"));
        }
        d.line(format!("for (var start = first; start < end; start += {depth}) {{"));
        self.fill(b, &mut d, Array::Left, &lefts, shape, &rows);
        self.fill(b, &mut d, Array::Right, &rights, shape, &columns);
        d.line("workgroupBarrier();");
        share.products(&mut d, &lefts, &rights, shape);
        d.line("workgroupBarrier();");
        d.line("}");
        d.line(format!("let row0 = tile_row * {tile} + 4 * (lane / {side});"));
        d.line(format!("let column0 = tile_column * {tile} + 4 * (lane % {side});"));
        d.line(format!("var sums = array<vec4<{ty}>, 4>(sum0, sum1, sum2, sum3);"));
        d.line("for (var i = 0; i < 4; i++) {");
        d.line("for (var j = 0; j < 4; j++) {");
        d.line("let row = row0 + i;");
        d.line("let column = column0 + j;");
        d.line(format!("if row < {rows} && column < {columns} {{"));
        d.line("var sum = sums[i][j];");
        if self.matmul.zero_wins {
            self.again(b, &mut d);
        }
        match &run.parts {
            None => {
                let roles = [(Role::Batch, "batch"), (Role::Row, "row"), (Role::Column, "column")];
                let place = self.place(b, &mut d, Array::Into, &roles);
                d.line(format!("let into = {place};"));
                let store = self.store(b, &d, "into", "sum");
                d.line(store);
            }
            Some(parts) => {
                d.bind(parts.into, self.elem, Access::ReadWrite);
                let into = b.buffer(&d.kernel, parts.into);
                d.line(format!("{into}[((part * {batches} + batch) * {rows} + row) * {columns} + column] = sum;"));
            }
        }
        d.line("}");
        d.line("}");
        d.line("}");
        d.finish(b)
    }

    /// Fills a tile of an operand: an invocation loads four elements along the rows or columns at one inner index.
    fn fill(&self, b: &mut Builder<'_>, d: &mut Draft, array: Array, tile: &str, shape: TileShape, most: &str) {
        let TileShape { side, .. } = shape;
        let (role, name, at) = match array {
            Array::Left => (Role::Row, "left", "tile_row"),
            Array::Into | Array::Right => (Role::Column, "right", "tile_column"),
        };
        let stride = |role: Role| self.axes(role).last().map(|a| if array == Array::Left { a.left } else { a.right });
        // Neighbouring invocations read neighbouring elements.
        let along_inner = stride(Role::Inner) == Some(Operand::int(1)) && stride(role) != Some(Operand::int(1));
        let (four, inner) = if along_inner { ("/", "%") } else { ("%", "/") };
        d.line("{");
        d.line(format!("let four = lane {four} {side};"));
        d.line(format!("let inner = lane {inner} {side};"));
        d.line("let k = start + inner;");
        d.line(format!("let first = {at} * {} + 4 * four;", 4 * side));
        let ty = b.type_name(self.elem);
        d.line(format!("var value = vec4<{ty}>();"));
        d.line("if k < end {");
        let along = self.step(b, d, array, Role::Inner).at("k");
        d.line(format!("let place = {name} + {along};"));
        let step = self.step(b, d, array, role);
        for k in 0..4 {
            let element = self.load(b, d, array, &format!("place + {}", step.at(&format!("(first + {k})"))));
            d.line(format!("if first + {k} < {most} {{ value[{k}] = {element}; }}"));
        }
        d.line("}");
        d.line(format!("{tile}[inner * {side} + four] = value;"));
        d.line("}");
    }

    /// Where a zero should have won the sum is NaN: it is recomputed, term by term.
    fn again(&self, b: &mut Builder<'_>, d: &mut Draft) {
        let test = b.call(Prim::IsNan, &[("sum".to_string(), self.elem)]);
        let ty = b.type_name(self.elem);
        d.line(format!("if {test} {{"));
        let left = self.place(b, d, Array::Left, &[(Role::Batch, "batch"), (Role::Row, "row")]);
        let right = self.place(b, d, Array::Right, &[(Role::Batch, "batch"), (Role::Column, "column")]);
        d.line(format!("let left = {left};"));
        d.line(format!("let right = {right};"));
        d.line(format!("sum = {ty}(0.0);"));
        d.line("for (var k = first; k < end; k++) {");
        let term = self.inner_term(b, d);
        d.line(format!("sum += {term};"));
        d.line("}");
        d.line("}");
    }

    /// Adds up the results of the parts, in order.
    fn add_parts(&self, b: &mut Builder<'_>, count: Operand, parts: LocalId) -> Step {
        let width = b.options.workgroup;
        let sizes = &self.sizes;
        let groups = Groups { points: vec![sizes.batch, sizes.rows, sizes.columns], per_group: width, most: None };
        let mut d = Draft::new(b, "product_sums", width, groups, self.span);
        d.bind(parts, self.elem, Access::Read);
        d.bind(b.root(self.matmul.into), self.elem, Access::ReadWrite);
        let [rows, columns, batches, count] = [sizes.rows, sizes.columns, sizes.batch, count].map(|s| d.int(b, s));
        d.line(format!("let point = group * {width} + lane;"));
        d.line(format!("let points = {batches} * {rows} * {columns};"));
        d.line("if point >= points { return; }");
        let ty = b.type_name(self.elem);
        let from = b.buffer(&d.kernel, parts);
        d.line(format!("var sum = {ty}(0.0);"));
        d.line(format!("for (var part = 0; part < {count}; part++) {{"));
        d.line(format!("sum += {from}[part * points + point];"));
        d.line("}");
        d.line(format!("let column = point % {columns};"));
        d.line(format!("let row = (point / {columns}) % {rows};"));
        d.line(format!("let batch = point / ({rows} * {columns});"));
        let roles = [(Role::Batch, "batch"), (Role::Row, "row"), (Role::Column, "column")];
        let place = self.place(b, &mut d, Array::Into, &roles);
        d.line(format!("let into = {place};"));
        let store = self.store(b, &d, "into", "sum");
        d.line(store);
        d.finish(b)
    }
}
