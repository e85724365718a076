//! Matrix products.
//!
//! Three kernels, of which sizes choose one at run time. *Tiles*: a workgroup computes a square of the result from
//! tiles of the operands in workgroup memory, each invocation 4 by 4 elements in registers, and invocations of a
//! subgroup, where the device has them, exchange elements of the tiles; where there are few squares and the inner axis
//! is long, workgroups take parts of it and a second kernel adds these up in order. *Dots*: one workgroup per element,
//! for results with few rows or columns and a long inner axis. *Points*: one invocation per element. The order of every
//! sum is a function of the sizes alone.

use super::{Draft, Host, known};
use crate::builder::Builder;
use crate::error::CompileError;
use crate::program::{Access, Groups, Step};
use arr_ir::{Prim, Scalar};
use arr_loops::{LocalId, MatMul, Operand, ProductAxis, Role, SpanId};

/// With fewer rows or columns tiles would be mostly empty.
const LEAST_TILED: i64 = 16;
/// Inner axes of this length are worth a workgroup for each element.
const LONG_INNER: i64 = 128;
/// Results with more elements have enough invocations at one per element.
const MANY_ELEMENTS: i64 = 16_384;
/// Enough squares of the result to occupy the device.
const ENOUGH_GROUPS: i64 = 64;
/// The minimal length of a part of the inner axis.
const LEAST_PART: i64 = 512;

/// An array of the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Array {
    Into,
    Left,
    Right,
}

/// Sizes that the host knows.
struct Sizes {
    batch: Operand,
    rows: Operand,
    columns: Operand,
    inner: Operand,
}

/// The offset of an index along some axes in an array.
struct Along {
    before: String,
    after: String,
}

impl Along {
    /// The number of elements, for an index that is a WGSL expression.
    fn at(&self, index: &str) -> String {
        format!("{}{index}{}", self.before, self.after)
    }
}

struct Product<'m> {
    matmul: &'m MatMul,
    elem: Scalar,
    sizes: Sizes,
    span: SpanId,
}

/// The kernels of a matrix product, and the steps that run them. Never fails.
pub fn matmul(b: &mut Builder<'_>, matmul: &MatMul, span: SpanId) -> Result<Vec<Step>, CompileError> {
    let mut host = Host::default();
    let of = |role: Role| matmul.axes.iter().filter(|a| a.role == role).map(|a| a.extent).collect::<Vec<_>>();
    let sizes = Sizes {
        batch: host.product(b, "batch", &of(Role::Batch)),
        rows: host.product(b, "rows", &of(Role::Row)),
        columns: host.product(b, "columns", &of(Role::Column)),
        inner: host.product(b, "inner", &of(Role::Inner)),
    };
    if [sizes.batch, sizes.rows, sizes.columns].contains(&Operand::int(0)) {
        return Ok(host.steps);
    }
    let elem = b.func.elem(matmul.into.into());
    let product = Product { matmul, elem, sizes, span };
    let tiled = product.is_tiled(b, &mut host);
    let dots = product.is_dots(b, &mut host);
    let tiles = if known(tiled) == Some(false) { Vec::new() } else { product.tiles(b) };
    let thin = if known(tiled) == Some(true) {
        Vec::new()
    } else {
        let mut thin = Host::default();
        let by_dots = if known(dots) == Some(false) { Vec::new() } else { vec![product.dots(b)] };
        let by_points = if known(dots) == Some(true) { Vec::new() } else { vec![product.points(b)] };
        thin.choose(dots, by_dots, by_points);
        thin.steps
    };
    host.choose(tiled, tiles, thin);
    Ok(host.steps)
}

impl Product<'_> {
    fn is_tiled(&self, b: &mut Builder<'_>, host: &mut Host) -> Operand {
        let least = host.prim(b, "least", Prim::Min, &[self.sizes.rows, self.sizes.columns]);
        host.prim(b, "tiled", Prim::Ge, &[least, Operand::int(LEAST_TILED)])
    }

    fn is_dots(&self, b: &mut Builder<'_>, host: &mut Host) -> Operand {
        let long = host.prim(b, "long", Prim::Ge, &[self.sizes.inner, Operand::int(LONG_INNER)]);
        let elements = host.product(b, "elements", &[self.sizes.batch, self.sizes.rows, self.sizes.columns]);
        let few = host.prim(b, "few", Prim::Lt, &[elements, Operand::int(MANY_ELEMENTS)]);
        // Neighbours of a workgroup read neighbours of the inner axis: of the operand that is read most.
        let wide = host.prim(b, "wide", Prim::Ge, &[self.sizes.rows, self.sizes.columns]);
        let last = self.axes(Role::Inner).last().copied();
        let (left, right) = last.map_or((Operand::int(0), Operand::int(0)), |a| (a.left, a.right));
        let step = host.prim(b, "step", Prim::Select, &[wide, left, right]);
        let near = host.prim(b, "near", Prim::Eq, &[step, Operand::int(1)]);
        let good = host.prim(b, "good", Prim::Or, &[few, near]);
        let good = self.or_too_long(b, host, good);
        host.prim(b, "dots", Prim::And, &[long, good])
    }

    /// A condition, or that the inner axis is too long for one invocation.
    fn or_too_long(&self, b: &mut Builder<'_>, host: &mut Host, cond: Operand) -> Operand {
        let Some(longest) = b.longest_loop() else { return cond };
        let long = host.prim(b, "too_long", Prim::Gt, &[self.sizes.inner, Operand::int(longest)]);
        host.prim(b, "divided", Prim::Or, &[cond, long])
    }

    fn axes(&self, role: Role) -> Vec<&ProductAxis> {
        self.matmul.axes.iter().filter(|a| a.role == role).collect()
    }

    fn address(&self, array: Array) -> LocalId {
        match array {
            Array::Into => self.matmul.into,
            Array::Left => self.matmul.left,
            Array::Right => self.matmul.right,
        }
    }

    fn bind(&self, b: &Builder<'_>, draft: &mut Draft, writes: bool) {
        for array in [Array::Left, Array::Right] {
            draft.bind(b.root(self.address(array)), self.elem, Access::Read);
        }
        if writes {
            draft.bind(b.root(self.address(Array::Into)), self.elem, Access::ReadWrite);
        }
    }

    /// The offset of an index along the axes of a role in an array.
    fn step(&self, b: &mut Builder<'_>, draft: &mut Draft, array: Array, role: Role) -> Along {
        let stride = |a: &ProductAxis| match array {
            Array::Into => a.into,
            Array::Left => a.left,
            Array::Right => a.right,
        };
        let axes: Vec<(Operand, Operand)> = self.axes(role).into_iter().map(|a| (a.extent, stride(a))).collect();
        let (before, after) = match axes.as_slice() {
            [] => ("(0 * ".to_string(), ")".to_string()),
            [(_, step)] if *step == Operand::int(1) => (String::new(), String::new()),
            [(_, step)] => ("(".to_string(), format!(" * {})", draft.int(b, *step))),
            _ => {
                let what = match (array, role) {
                    (Array::Into, _) => "into",
                    (Array::Left, _) => "left",
                    (Array::Right, _) => "right",
                };
                let name = draft.own(&format!("{what}_{}", role.name()));
                if draft.before.contains(&format!("fn {name}(")) {
                    return Along { before: format!("{name}("), after: ")".to_string() };
                }
                let mut text = format!("fn {name}(index: i32) -> i32 {{\n  var rest = index;\n  var place = 0;\n");
                for (k, (extent, step)) in axes.iter().enumerate().rev() {
                    let step = draft.int(b, *step);
                    if k == 0 {
                        text += &format!("  place += rest * {step};\n");
                        continue;
                    }
                    // An empty axis has no index.
                    let extent = if extent.as_int().is_some_and(|n| n <= 0) { Operand::int(1) } else { *extent };
                    let extent = draft.int(b, extent);
                    text += &format!("  place += (rest % {extent}) * {step};\n  rest = rest / {extent};\n");
                }
                draft.before += &text;
                draft.before += "  return place;\n}\n";
                (format!("{name}("), ")".to_string())
            }
        };
        Along { before, after }
    }

    /// The element of an operand at an offset.
    fn load(&self, b: &mut Builder<'_>, draft: &Draft, array: Array, place: &str) -> String {
        let root = b.root(self.address(array));
        format!("{}[{place}]", b.buffer(&draft.kernel, root))
    }

    fn store(&self, b: &mut Builder<'_>, draft: &Draft, place: &str, value: &str) -> String {
        let root = b.root(self.address(Array::Into));
        let into = b.buffer(&draft.kernel, root);
        if self.matmul.accumulate {
            format!("{into}[{place}] = {into}[{place}] + {value};")
        } else {
            format!("{into}[{place}] = {value};")
        }
    }

    /// The product of two elements.
    fn term(&self, b: &mut Builder<'_>, left: &str, right: &str) -> String {
        let prim = if self.matmul.zero_wins { Prim::MulZero } else { Prim::Mul };
        let args = [(left.to_string(), self.elem), (right.to_string(), self.elem)];
        b.call(prim, &args)
    }

    /// One invocation per element.
    fn points(&self, b: &mut Builder<'_>) -> Step {
        let width = b.options.workgroup;
        let sizes = &self.sizes;
        let points = vec![sizes.batch, sizes.rows, sizes.columns];
        let groups = Groups { points, per_group: width, most: None };
        let mut d = Draft::new(b, "product_points", width, groups, self.span);
        self.bind(b, &mut d, true);
        let [rows, columns, batch, inner] =
            [sizes.rows, sizes.columns, sizes.batch, sizes.inner].map(|size| d.int(b, size));
        d.line(format!("let point = group * {width} + lane;"));
        d.line(format!("if point >= {batch} * {rows} * {columns} {{ return; }}"));
        d.line(format!("let column = point % {columns};"));
        d.line(format!("let row = (point / {columns}) % {rows};"));
        d.line(format!("let batch = point / ({rows} * {columns});"));
        let ty = b.type_name(self.elem);
        self.places(b, &mut d);
        d.line(format!("var sum = {ty}(0.0);"));
        d.line(format!("for (var k = 0; k < {inner}; k++) {{"));
        let term = self.inner_term(b, &mut d);
        d.line(format!("sum += {term};"));
        d.line("}");
        let store = self.store(b, &d, "into", "sum");
        d.line(store);
        d.finish(b)
    }

    /// One workgroup per element.
    fn dots(&self, b: &mut Builder<'_>) -> Step {
        let width = b.options.workgroup;
        let sizes = &self.sizes;
        let points = vec![sizes.batch, sizes.rows, sizes.columns];
        let groups = Groups { points, per_group: 1, most: None };
        let mut d = Draft::new(b, "product_dots", width, groups, self.span);
        self.bind(b, &mut d, true);
        let [rows, columns, batch, inner] =
            [sizes.rows, sizes.columns, sizes.batch, sizes.inner].map(|size| d.int(b, size));
        d.line(format!("if group >= {batch} * {rows} * {columns} {{ return; }}"));
        d.line(format!("let column = group % {columns};"));
        d.line(format!("let row = (group / {columns}) % {rows};"));
        d.line(format!("let batch = group / ({rows} * {columns});"));
        let ty = b.type_name(self.elem);
        self.places(b, &mut d);
        d.line(format!("var sum = {ty}(0.0);"));
        d.line(format!("for (var k = lane; k < {inner}; k += {width}) {{"));
        let term = self.inner_term(b, &mut d);
        d.line(format!("sum += {term};"));
        d.line("}");
        let sums = d.shared("sums", &format!("array<{ty}, {width}>"));
        d.line(format!("{sums}[lane] = sum;"));
        d.line("workgroupBarrier();");
        d.line(format!("for (var half = {}; half > 0; half = half >> 1u) {{", width / 2));
        d.line(format!("if lane < half {{ {sums}[lane] += {sums}[lane + half]; }}"));
        d.line("workgroupBarrier();");
        d.line("}");
        let store = self.store(b, &d, "into", &format!("{sums}[0]"));
        d.line(format!("if lane == 0 {{ {store} }}"));
        d.finish(b)
    }

    /// Binds `into`, and `left` and `right` for an inner index of 0, from `batch`, `row`, `column`.
    fn places(&self, b: &mut Builder<'_>, d: &mut Draft) {
        for (array, name, roles) in [
            (Array::Into, "into", [(Role::Batch, "batch"), (Role::Row, "row"), (Role::Column, "column")].as_slice()),
            (Array::Left, "left", &[(Role::Batch, "batch"), (Role::Row, "row")]),
            (Array::Right, "right", &[(Role::Batch, "batch"), (Role::Column, "column")]),
        ] {
            let place = self.place(b, d, array, roles);
            d.line(format!("let {name} = {place};"));
        }
    }

    /// The offset in an array of indices along the axes of some roles.
    fn place(&self, b: &mut Builder<'_>, d: &mut Draft, array: Array, roles: &[(Role, &str)]) -> String {
        let mut place = d.offset(b, self.address(array));
        for &(role, index) in roles {
            if !self.axes(role).is_empty() {
                place = format!("{place} + {}", self.step(b, d, array, role).at(index));
            }
        }
        place
    }

    /// The term at `k`, with the offsets `left` and `right`.
    fn inner_term(&self, b: &mut Builder<'_>, d: &mut Draft) -> String {
        let left = self.step(b, d, Array::Left, Role::Inner).at("k");
        let right = self.step(b, d, Array::Right, Role::Inner).at("k");
        let left = self.load(b, d, Array::Left, &format!("left + {left}"));
        let right = self.load(b, d, Array::Right, &format!("right + {right}"));
        self.term(b, &left, &right)
    }
}

mod share;
mod tiles;
