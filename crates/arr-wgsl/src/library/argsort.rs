//! Stable orders of the rows of an array.
//!
//! Short rows: one invocation per element counts the elements that precede its own. Longer ones: a radix sort, four
//! bits at a time from the lowest. A pass counts the digits of every tile of a row, turns the counts into positions,
//! and moves the elements' indices; keys stay in place, and are read through the indices. Keys are compared as unsigned
//! numbers in the order of the language: NaNs last and equal to each other, the two zeros equal.

use super::{Draft, Host, known};
use crate::builder::Builder;
use crate::error::CompileError;
use crate::program::{Access, Groups, HostFor, Integers, Step};
use arr_ir::{Prim, Scalar};
use arr_loops::{Induction, LocalId, Operand, Origin, SpanId, Ty};

/// Rows up to this length are ordered by counting.
const SHORT: i64 = 256;
/// Elements per invocation in a pass.
const RUN: u32 = 16;
/// Invocations of a workgroup in a pass: each has a count for every digit in workgroup memory.
const WIDTH: u32 = 128;
const DIGITS: u32 = 16;

struct Sort {
    into: LocalId,
    keys: LocalId,
    length: Operand,
    rows: Operand,
    elements: Operand,
    elem: Scalar,
    span: SpanId,
}

/// The buffers of the passes, and sizes.
struct Passes {
    tiles: Operand,
    /// For every row, the counts of each digit in each tile, later their destinations.
    counts: LocalId,
    shift: Operand,
}

/// The kernels that fill `into` with the orders of rows of `length` elements of `keys`, and the steps that run them. Both have
/// the sizes `dims`. Never fails.
pub fn argsort(
    b: &mut Builder<'_>,
    into: LocalId,
    keys: LocalId,
    length: Operand,
    dims: &[Operand],
    span: SpanId,
) -> Result<Vec<Step>, CompileError> {
    let mut host = Host::default();
    let elements = host.product(b, "elements", dims);
    let one = host.prim(b, "length", Prim::Max, &[length, Operand::int(1)]);
    let rows = host.prim(b, "rows", Prim::Div, &[elements, one]);
    let elem = b.func.elem(keys.into());
    let sort = Sort { into, keys, length: one, rows, elements, elem, span };
    let short = host.prim(b, "short", Prim::Le, &[length, Operand::int(SHORT)]);
    let by_counting = if known(short) == Some(false) { Vec::new() } else { vec![sort.by_counting(b)] };
    let by_digits = if known(short) == Some(true) { Vec::new() } else { sort.by_digits(b) };
    host.choose(short, by_counting, by_digits);
    Ok(host.steps)
}

impl Sort {
    fn wide(&self, b: &Builder<'_>) -> bool {
        self.elem == Scalar::F64 || self.elem == Scalar::I64 && b.options.integers == Integers::Native
    }

    /// Passes of four bits, an even number.
    fn passes(&self, b: &Builder<'_>) -> i64 {
        match self.elem {
            Scalar::Bool => 2,
            _ if self.wide(b) => 16,
            _ => 8,
        }
    }

    /// Binds the keys; returns the name of a function for the key at a position of a row's array, as a `u32` or `u64`.
    fn key(&self, b: &mut Builder<'_>, d: &mut Draft) -> String {
        let root = b.root(self.keys);
        d.bind(root, self.elem, Access::Read);
        let keys = b.buffer(&d.kernel, root);
        let offset = d.offset(b, self.keys);
        let name = d.own("key");
        let ty = if self.wide(b) { "u64" } else { "u32" };
        let sign = if self.wide(b) { "0x8000000000000000lu" } else { "0x80000000u" };
        let rest = if self.wide(b) { "0x7ffffffffffffffflu" } else { "0x7fffffffu" };
        let text = match self.elem {
            Scalar::Bool | Scalar::U32 => "  return key;\n".to_string(),
            Scalar::I32 | Scalar::I64 => format!("  return bitcast<{ty}>(key) ^ {sign};\n"),
            Scalar::F32 | Scalar::F64 => {
                let infinity = if self.wide(b) { "0x7ff0000000000000lu" } else { "0x7f800000u" };
                format!(
                    "  let bits = bitcast<{ty}>(key);\n  let size = bits & {rest};\n  if size > {infinity} {{ return ~{ty}(0); }}\n  \
                     if size == 0 {{ return {sign}; }}\n  return select(bits | {sign}, ~bits, bits != size);\n"
                )
            }
        };
        d.before += &format!("fn {name}(place: i32) -> {ty} {{\n  let key = {keys}[{offset} + place];\n{text}}}\n");
        name
    }

    /// One invocation per element, whose position is the number of elements of its row that precede it.
    fn by_counting(&self, b: &mut Builder<'_>) -> Step {
        let width = b.options.workgroup;
        let groups = Groups { points: vec![self.elements], per_group: width, most: None };
        let mut d = Draft::new(b, "sort_short", width, groups, self.span);
        let key = self.key(b, &mut d);
        let (elements, length) = (d.int(b, self.elements), d.int(b, self.length));
        d.line(format!("let point = group * {width} + lane;"));
        d.line(format!("if point >= {elements} {{ return; }}"));
        d.line(format!("let position = point % {length};"));
        d.line("let row = point - position;");
        d.line(format!("let mine = {key}(point);"));
        d.line("var before = 0;");
        d.line(format!("for (var k = 0; k < {length}; k++) {{"));
        d.line(format!("let other = {key}(row + k);"));
        d.line("if other < mine || (other == mine && k < position) { before++; }");
        d.line("}");
        self.store(b, &mut d, "row + before", "position");
        d.finish(b)
    }

    /// Sets an element of the result to an `i32`.
    fn store(&self, b: &mut Builder<'_>, d: &mut Draft, place: &str, value: &str) {
        let root = b.root(self.into);
        d.bind(root, Scalar::I64, Access::ReadWrite);
        let into = b.buffer(&d.kernel, root);
        let offset = d.offset(b, self.into);
        let ty = b.type_name(Scalar::I64);
        d.line(format!("{into}[{offset} + {place}] = {ty}({value});"));
    }

    fn by_digits(&self, b: &mut Builder<'_>) -> Vec<Step> {
        let mut host = Host::default();
        let tiles = host.div_up(b, "tiles", self.length, i64::from(WIDTH * RUN));
        let positions = host.scratch(b, "positions", Scalar::U32, vec![self.elements], self.span);
        let moved = host.scratch(b, "moved", Scalar::U32, vec![self.elements], self.span);
        let dims = vec![self.rows, Operand::int(i64::from(DIGITS)), tiles];
        let counts = host.scratch(b, "counts", Scalar::U32, dims, self.span);
        let start = self.copy(b, positions, true);
        host.steps.push(start);
        // Two passes per iteration: there, and back.
        let index = b.local("pass", Ty::Scalar(Scalar::I64));
        let shift = b.local("shift", Ty::Scalar(Scalar::I64));
        let mut body = Host::default();
        let place = body.prim(b, "places", Prim::Add, &[shift.into(), Operand::int(4)]);
        let mut there = Passes { tiles, counts, shift: shift.into() };
        let steps = self.pass(b, &there, positions, moved);
        body.steps.splice(0..0, steps);
        there.shift = place;
        let steps = self.pass(b, &there, moved, positions);
        body.steps.extend(steps);
        host.steps.push(Step::For(Box::new(HostFor {
            index,
            extent: Operand::int(self.passes(b) / 2),
            reverse: false,
            inductions: vec![Induction { local: shift, step: Operand::int(8) }],
            origin: Origin::Kernel,
            span: self.span,
            body: body.steps,
        })));
        let end = self.copy(b, positions, false);
        host.steps.push(end);
        host.steps.extend([positions, moved, counts].map(Step::Release));
        host.steps
    }

    /// Fills `positions` with those of every row, or the result with them.
    fn copy(&self, b: &mut Builder<'_>, positions: LocalId, start: bool) -> Step {
        let width = b.options.workgroup;
        let groups = Groups { points: vec![self.elements], per_group: width, most: None };
        let mut d = Draft::new(b, if start { "sort_start" } else { "sort_end" }, width, groups, self.span);
        d.bind(positions, Scalar::U32, if start { Access::ReadWrite } else { Access::Read });
        let from = b.buffer(&d.kernel, positions);
        let elements = d.int(b, self.elements);
        d.line(format!("let point = group * {width} + lane;"));
        d.line(format!("if point >= {elements} {{ return; }}"));
        if start {
            let length = d.int(b, self.length);
            d.line(format!("{from}[point] = u32(point % {length});"));
        } else {
            self.store(b, &mut d, "point", &format!("{from}[point]"));
        }
        d.finish(b)
    }

    fn pass(&self, b: &mut Builder<'_>, passes: &Passes, from: LocalId, to: LocalId) -> Vec<Step> {
        vec![self.count(b, passes, from), self.places(b, passes), self.scatter(b, passes, from, to)]
    }

    /// A kernel of one workgroup per tile, with `row` (the first position of a row), `tile`, and a loop over the
    /// invocation's run in which `digit` and `position` are known.
    fn tile(&self, b: &mut Builder<'_>, hint: &str, passes: &Passes, from: LocalId) -> (Draft, [String; 3]) {
        let groups = Groups { points: vec![passes.tiles, self.rows], per_group: 1, most: None };
        let mut d = Draft::new(b, hint, WIDTH, groups, self.span);
        let key = self.key(b, &mut d);
        d.bind(from, Scalar::U32, Access::Read);
        d.bind(passes.counts, Scalar::U32, Access::ReadWrite);
        let from = b.buffer(&d.kernel, from);
        let counts = b.buffer(&d.kernel, passes.counts);
        let [tiles, rows, length, shift] =
            [passes.tiles, self.rows, self.length, passes.shift].map(|size| d.int(b, size));
        d.line(format!("let tile = group % {tiles};"));
        d.line(format!("let number = group / {tiles};"));
        d.line(format!("if number >= {rows} {{ return; }}"));
        d.line(format!("let row = number * {length};"));
        let each = format!(
            "for (var k = first; k < min(first + {RUN}, {length}); k++) {{\nlet position = {from}[row + k];\n\
             let digit = u32({key}(row + i32(position)) >> u32({shift})) & {}u;",
            DIGITS - 1
        );
        let first = format!("let first = (tile * {WIDTH} + lane) * {RUN};");
        // The position of a digit's count for this tile.
        let slot = format!("(number * {DIGITS} + digit) * {tiles} + tile");
        d.line(first);
        (d, [each, counts, slot])
    }

    /// The number of occurrences of each digit in a tile.
    fn count(&self, b: &mut Builder<'_>, passes: &Passes, from: LocalId) -> Step {
        let (mut d, [each, counts, slot]) = self.tile(b, "sort_count", passes, from);
        let found = d.shared("found", &format!("array<atomic<u32>, {DIGITS}>"));
        // Workgroup memory begins as zeros.
        d.line(each);
        d.line(format!("atomicAdd(&{found}[digit], 1u);"));
        d.line("}");
        d.line("workgroupBarrier();");
        d.line(format!("if lane < {DIGITS} {{"));
        d.line("let digit = lane;");
        d.line(format!("{counts}[{slot}] = atomicLoad(&{found}[lane]);"));
        d.line("}");
        d.finish(b)
    }

    /// Turns counts into the position of each tile's first element with each digit, one workgroup per row.
    fn places(&self, b: &mut Builder<'_>, passes: &Passes) -> Step {
        let width = b.options.workgroup;
        let groups = Groups { points: vec![self.rows], per_group: 1, most: None };
        let mut d = Draft::new(b, "sort_places", width, groups, self.span);
        d.bind(passes.counts, Scalar::U32, Access::ReadWrite);
        let counts = b.buffer(&d.kernel, passes.counts);
        let (rows, tiles) = (d.int(b, self.rows), d.int(b, passes.tiles));
        let sums = d.shared("sums", &format!("array<u32, {width}>"));
        d.line(format!("if group >= {rows} {{ return; }}"));
        d.line(format!("let all = {tiles} * {DIGITS};"));
        d.line(format!("let run = (all + {}) / {width};", width - 1));
        d.line("let first = group * all + min(lane * run, all);");
        d.line("let end = group * all + min(lane * run + run, all);");
        d.line("var sum = 0u;");
        d.line(format!("for (var k = first; k < end; k++) {{ sum += {counts}[k]; }}"));
        d.line(format!("{sums}[lane] = sum;"));
        d.line("workgroupBarrier();");
        d.line("if lane == 0 {");
        d.line("var before = 0u;");
        d.line(format!("for (var k = 0; k < {width}; k++) {{"));
        d.line(format!("let here = {sums}[k];"));
        d.line(format!("{sums}[k] = before;"));
        d.line("before += here;");
        d.line("}");
        d.line("}");
        d.line("workgroupBarrier();");
        d.line(format!("var place = {sums}[lane];"));
        d.line("for (var k = first; k < end; k++) {");
        d.line(format!("let here = {counts}[k];"));
        d.line(format!("{counts}[k] = place;"));
        d.line("place += here;");
        d.line("}");
        d.finish(b)
    }

    /// Moves indices to their positions. Those of a digit stay in order: an invocation's run follows the earlier ones.
    fn scatter(&self, b: &mut Builder<'_>, passes: &Passes, from: LocalId, to: LocalId) -> Step {
        let (mut d, [each, counts, slot]) = self.tile(b, "sort_move", passes, from);
        d.bind(to, Scalar::U32, Access::ReadWrite);
        let to = b.buffer(&d.kernel, to);
        let found = d.shared("found", &format!("array<u32, {}>", WIDTH * DIGITS));
        d.line(&each);
        d.line(format!("{found}[digit * {WIDTH}u + lane_index] += 1u;"));
        d.line("}");
        d.line("workgroupBarrier();");
        d.line(format!("if lane < {DIGITS} {{"));
        d.line("let digit = lane;");
        d.line(format!("var place = {counts}[{slot}];"));
        d.line(format!("for (var k = 0; k < {WIDTH}; k++) {{"));
        d.line(format!("let here = {found}[digit * {WIDTH} + k];"));
        d.line(format!("{found}[digit * {WIDTH} + k] = place;"));
        d.line("place += here;");
        d.line("}");
        d.line("}");
        d.line("workgroupBarrier();");
        d.line(each);
        d.line(format!("let at = digit * {WIDTH}u + lane_index;"));
        d.line(format!("{to}[row + i32({found}[at])] = position;"));
        d.line(format!("{found}[at] += 1u;"));
        d.line("}");
        d.finish(b)
    }
}
