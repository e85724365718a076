//! Kernels that are not nests of the program: matrix products, sorting, scans, and sums at computed places.
//!
//! Each function adds kernels to a module and returns the host's steps: buffers between kernels, dispatches, loops over
//! passes, and the choice between kernels, which depends on sizes alone. Their indices are `i32` in the kernels
//! whatever an `i64` is, as no binding holds more elements. None uses atomic operations on results, so that every run
//! gives the same bits.

pub mod argsort;
pub mod matmul;
pub(crate) mod scan;
pub(crate) mod scatter;

use crate::builder::{Builder, OWN};
use crate::program::{Access, Binding, Groups, Integers, Kernel, Step};
use arr_ir::{Const, Prim, Scalar};
use arr_loops::{Expr, LocalId, Operand, SpanId, Ty};

pub use argsort::argsort;
pub use matmul::matmul;

/// The value of a condition, if it is known at compile time.
pub(crate) fn known(cond: Operand) -> Option<bool> {
    if let Operand::Const(c) = cond { c.as_bool() } else { None }
}

/// The steps of the host under construction.
#[derive(Default)]
pub(crate) struct Host {
    pub steps: Vec<Step>,
}

impl Host {
    /// A primitive on values of the host; constants are folded.
    pub fn prim(&mut self, b: &mut Builder<'_>, hint: &str, prim: Prim, args: &[Operand]) -> Operand {
        let constants: Option<Vec<Const>> =
            args.iter().map(|a| if let Operand::Const(c) = a { Some(*c) } else { None }).collect();
        if let Some(folded) = constants.and_then(|c| prim.eval(&c)) {
            return folded.into();
        }
        let local = b.local_of(hint, prim, args);
        self.steps.push(Step::Let { local, expr: Expr::Prim(prim, args.to_vec()) });
        local.into()
    }

    /// A product of sizes, each taken as at least 0.
    pub fn product(&mut self, b: &mut Builder<'_>, hint: &str, sizes: &[Operand]) -> Operand {
        let mut product = Operand::int(1);
        for &size in sizes {
            let size = self.prim(b, hint, Prim::Max, &[size, Operand::int(0)]);
            product = if product == Operand::int(1) { size } else { self.prim(b, hint, Prim::Mul, &[product, size]) };
        }
        product
    }

    /// `a / b`, rounded up, for an `a` that is not negative.
    pub fn div_up(&mut self, b: &mut Builder<'_>, hint: &str, size: Operand, per: i64) -> Operand {
        let sum = self.prim(b, hint, Prim::Add, &[size, Operand::int(per - 1)]);
        self.prim(b, hint, Prim::Div, &[sum, Operand::int(per)])
    }

    /// A buffer between kernels; the caller releases it.
    pub fn scratch(
        &mut self,
        b: &mut Builder<'_>,
        hint: &str,
        elem: Scalar,
        dims: Vec<Operand>,
        span: SpanId,
    ) -> LocalId {
        let local = b.local(hint, Ty::Buffer(elem));
        self.steps.push(Step::Alloc { local, dims, span });
        local
    }

    /// One of two sequences of steps.
    pub fn choose(&mut self, cond: Operand, then_steps: Vec<Step>, else_steps: Vec<Step>) {
        match known(cond) {
            Some(true) => self.steps.extend(then_steps),
            Some(false) => self.steps.extend(else_steps),
            None => self.steps.push(Step::If { cond, then_steps, else_steps }),
        }
    }
}

/// A kernel under construction.
pub(crate) struct Draft {
    pub kernel: Kernel,
    /// Functions and workgroup variables, before the entry point.
    pub before: String,
    /// Its statements, one per line.
    pub body: String,
    /// Whether they use `subgroup_size` and `subgroup_lane`, the invocation's number in its subgroup.
    pub subgroups: bool,
}

impl Draft {
    pub fn new(b: &mut Builder<'_>, hint: &str, workgroup: u32, groups: Groups, span: SpanId) -> Draft {
        let name = b.name(hint);
        let kernel = Kernel {
            name,
            workgroup: [workgroup, 1, 1],
            groups,
            params: Vec::new(),
            slots: false,
            faults: false,
            buffers: Vec::new(),
            span,
        };
        Draft { kernel, before: String::new(), body: String::new(), subgroups: false }
    }

    /// Binds a buffer, once.
    pub fn bind(&mut self, buffer: LocalId, elem: Scalar, access: Access) {
        match self.kernel.buffers.iter_mut().find(|binding| binding.buffer == buffer) {
            Some(binding) if access == Access::ReadWrite => binding.access = access,
            Some(_) => {}
            None => self.kernel.buffers.push(Binding { buffer, elem, access }),
        }
    }

    /// An integer of the host, or the offset of an address, as an `i32`.
    pub fn int(&mut self, b: &mut Builder<'_>, operand: Operand) -> String {
        let local = match operand {
            Operand::Const(c) => {
                let value = c.as_i64();
                let value = value.unwrap_or_else(|| b.func.broken(0, "a number of a kernel is no integer"));
                return value.to_string();
            }
            Operand::Local(local) => local,
        };
        if !self.kernel.params.contains(&local) {
            self.kernel.params.push(local);
        }
        let value = b.param(&self.kernel, local);
        if b.options.integers == Integers::Narrow { value } else { format!("i32({value})") }
    }

    /// The offset of an address: an `i32`; empty for a buffer's own.
    pub fn offset(&mut self, b: &mut Builder<'_>, address: LocalId) -> String {
        match b.func.ty(address) {
            Ty::Buffer(_) => "0".to_string(),
            _ => self.int(b, address.into()),
        }
    }

    /// A name of the kernel's own for a function or a variable of the module.
    pub fn own(&self, hint: &str) -> String {
        format!("{OWN}{}_{hint}", self.kernel.name)
    }

    /// A variable of the workgroup.
    pub fn shared(&mut self, hint: &str, ty: &str) -> String {
        let name = self.own(hint);
        self.before += &format!("var<workgroup> {name}: {ty};\n");
        name
    }

    pub fn line(&mut self, line: impl AsRef<str>) {
        self.body += line.as_ref();
        self.body.push('\n');
    }

    /// Adds the kernel to the module. `lane` is the invocation's number in its workgroup, `group` the workgroup's number.
    pub fn finish(self, b: &mut Builder<'_>) -> Step {
        let mut builtins =
            "@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, \
                        @builtin(local_invocation_index) lane_index: u32"
                .to_string();
        if self.subgroups {
            builtins +=
                ", @builtin(subgroup_size) subgroup_size: u32, @builtin(subgroup_invocation_id) subgroup_lane: u32";
        }
        let mut text = self.before;
        text += &b.entry(&self.kernel, &builtins);
        text += "  let group = i32(group_id.x + group_id.y * group_count.x);\n  let lane = i32(lane_index);\n";
        text += &indented(&self.body);
        text += "}\n";
        Step::Dispatch(b.kernel(self.kernel, text))
    }
}

/// Lines indented by two spaces for each open brace, and one level more.
fn indented(body: &str) -> String {
    let mut depth = 1usize;
    let mut text = String::new();
    for line in body.lines() {
        let line = line.trim();
        let closes = line.starts_with('}');
        let at = if closes { depth.saturating_sub(1) } else { depth };
        text += &"  ".repeat(at);
        text += line;
        text.push('\n');
        let (open, close) = (line.matches('{').count(), line.matches('}').count());
        depth = (depth + open).saturating_sub(close).max(1);
    }
    text
}
