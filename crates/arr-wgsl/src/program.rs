//! A program for a device: kernels, and the steps of the host that runs them.
//!
//! The host holds sizes, integers computed from them and references to buffers; the device holds the elements of
//! buffers and, in *slots*, the scalars computed from elements. A host runs [`Program::steps`] in order; it needs to
//! wait for the device only at a [`Step::Fetch`] and for the results.

use arr_base::IndexVec;
use arr_ir::Scalar;
use arr_loops::{Demand, Expr, Induction, LocalId, LoopFunc, Operand, Origin, SpanId};

arr_base::define_id!(
    /// A row of [`Program::kernels`].
    KernelId,
    "kernel"
);
arr_base::define_id!(
    /// A row of [`Program::places`].
    PlaceId,
    "place"
);

/// How 64-bit integers are held on the device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Integers {
    /// As `i32`, in scalars and in buffers: numbers from `-LARGEST` to [`LARGEST`]. The least and the greatest number
    /// of 64 bits, the neutral elements of searches for extremes, become those of 32 bits. A kernel whose result does
    /// not fit stops, with [`Fault::Range`].
    #[default]
    Narrow,
    /// As `i64`: the device needs SHADER_INT64.
    Native,
}

/// The greatest `i64` on a device with [`Integers::Narrow`]; the least is its negative.
pub const LARGEST: i64 = i32::MAX as i64 - 1;

/// The representation of an `i64` as a narrow integer, `None` if it does not fit.
pub fn narrowed(value: i64) -> Option<i32> {
    i32::try_from(value).ok().filter(|_| (-LARGEST..=LARGEST).contains(&value))
}

/// As [`narrowed`], for constants of a program: the extremes of 64 bits become those of 32.
pub fn narrowed_constant(value: i64) -> Option<i32> {
    match value {
        i64::MIN => Some(i32::MIN),
        i64::MAX => Some(i32::MAX),
        _ => narrowed(value),
    }
}

/// The `i64` that a narrow integer represents.
pub fn widened(value: i32) -> i64 {
    match value {
        i32::MIN => i64::MIN,
        i32::MAX => i64::MAX,
        _ => i64::from(value),
    }
}

/// The features that a module may use. The defaults are those of every WebGPU device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub integers: Integers,
    /// Invocations of a workgroup, a power of two.
    pub workgroup: u32,
    /// Bytes of workgroup memory.
    pub workgroup_memory: u32,
    /// The least size of the device's subgroups, if kernels are to use them.
    pub subgroup: Option<u32>,
    /// Storage buffers a kernel may bind, those for slots and faults included.
    pub storage_buffers: u32,
    /// Whether kernels count the iterations of loops, and stop past a limit; see [`FaultSite`].
    pub count_steps: bool,
    /// If the device silently truncates loops: the number of iterations of an invocation after which it does. Kernels
    /// then report [`Fault::Loops`].
    pub ends_loops: Option<u32>,
    /// The maximal number of iterations, in all loops of an invocation, of a loop of the program as one kernel: a
    /// system resets a device on which a kernel runs for seconds, and some devices truncate loops.
    pub loop_steps: i64,
}

impl Default for Options {
    fn default() -> Options {
        let integers = Integers::Narrow;
        Options {
            integers,
            workgroup: 256,
            workgroup_memory: 16384,
            subgroup: None,
            storage_buffers: 8,
            count_steps: false,
            ends_loops: None,
            loop_steps: 1 << 20,
        }
    }
}

/// The features that the device must have beyond the minimum.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// SHADER_F64, a feature of native devices only.
    pub f64: bool,
    /// SHADER_INT64, likewise.
    pub int64: bool,
    /// SUBGROUP. Modules for other hosts never need it.
    pub subgroups: bool,
}

#[derive(Clone, Debug)]
pub struct Program {
    /// Sizes, parameters, outputs, locals, literals and spans. Its body is empty.
    pub func: LoopFunc,
    pub integers: Integers,
    pub needs: Needs,
    /// The module: every kernel is one of its entry points.
    pub wgsl: String,
    pub kernels: IndexVec<KernelId, Kernel>,
    pub steps: Vec<Step>,
    /// The scalars that live on the device. Slot `k` is the words `2 k` and `2 k + 1` of the slot buffer: a value of four
    /// bytes (`bool` is a `u32` of 0 or 1) has the first, one of eight the low word first.
    pub slots: Vec<LocalId>,
    /// Where a kernel can stop.
    pub places: IndexVec<PlaceId, FaultSite>,
}

/// A check in a kernel. A kernel that finds one violated sets the words of the fault buffer: `[0]` to the place's
/// number plus one if it was 0 (by compare-exchange: one fault is kept), then `[2 + 2 k ..]` to the arguments as words
/// of 8 bytes, sign extended. No kernel does anything once `[0]` is not 0.
///
/// Word `[1]` belongs to the host: with [`Options::count_steps`], one more than the iterations of the program's loops
/// that one invocation may begin; 0 for any number.
#[derive(Clone, Debug)]
pub struct FaultSite {
    pub fault: Fault,
    pub span: SpanId,
}

/// The reason why a kernel stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A demand of the program is not satisfied by the arguments.
    Demand(Demand),
    /// The argument is an `i64` that does not fit the device's integers.
    Range,
    /// The device has truncated loops of the kernel; see [`Options::ends_loops`]. There are no arguments.
    Loops,
}

impl Fault {
    pub fn name(self) -> &'static str {
        match self {
            Fault::Demand(demand) => demand.name(),
            Fault::Range => "range",
            Fault::Loops => "loops",
        }
    }
}

/// One entry point.
///
/// `@group(0)`: binding 0 is the uniform block of `params` if there are any, 1 the slot buffer if `slots`, 2 the fault buffer
/// if `faults` (both `read_write`), and `3 + k` is `buffers[k]`.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The entry point's name.
    pub name: String,
    /// Invocations of a workgroup.
    pub workgroup: [u32; 3],
    pub groups: Groups,
    /// Scalars and offsets of addresses that the host knows, in the order of the block's fields. A field is aligned to its
    /// size: four bytes, or eight for `f64` and, if native, `i64`. A `bool` is a `u32`. For an address the field is its
    /// offset in elements, an integer.
    pub params: Vec<LocalId>,
    pub slots: bool,
    pub faults: bool,
    pub buffers: Vec<Binding>,
    /// The position in the source.
    pub span: SpanId,
}

/// How many workgroups a kernel is run with: the product of the points over `per_group`, rounded up, but at most
/// `most`; none if a point is not positive. They are laid out in as many rows as the device's limit on a dimension
/// demands: the kernel computes its number as `workgroup_id.x + workgroup_id.y * num_workgroups.x`, and skips groups
/// past the end.
///
/// Kernels number points in 32 bits: there may be [`MOST_POINTS`].
#[derive(Clone, PartialEq, Debug)]
pub struct Groups {
    pub points: Vec<Operand>,
    pub per_group: u32,
    /// For a kernel whose groups stride over the points: the maximal number of groups.
    pub most: Option<u32>,
}

/// The maximal number of points of a kernel: below 2^31 by the largest possible surplus of invocations in the last row
/// of groups.
pub const MOST_POINTS: u64 = (1 << 31) - (1 << 26);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    ReadWrite,
}

/// The buffer that a local refers to when the kernel runs. No two bindings of a kernel of which one is written are the
/// same buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    pub buffer: LocalId,
    /// The element type. `bool` elements are words of 0 or 1, `i64` ones as [`Program::integers`] says.
    pub elem: Scalar,
    pub access: Access,
}

/// A buffer, and the position of its first element in a pack, an `i64`. The elements are as wide as those of the pack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub buffer: LocalId,
    pub start: LocalId,
}

/// A step of the host. Operands are locals that it knows; the meanings are those of [`arr_loops::Stmt`].
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// Never a load.
    Let {
        local: LocalId,
        expr: Expr,
    },
    Var {
        local: LocalId,
        init: Option<Operand>,
    },
    Set {
        local: LocalId,
        value: Operand,
    },
    /// A buffer with undefined elements: nothing reads one that was not written.
    Alloc {
        local: LocalId,
        dims: Vec<Operand>,
        span: SpanId,
    },
    /// A buffer of zeros.
    AllocZeros {
        local: LocalId,
        dims: Vec<Operand>,
        span: SpanId,
    },
    MakeUnique {
        local: LocalId,
        buffer: LocalId,
        span: SpanId,
    },
    /// A new buffer with the elements of others, one after the other; the host learns the position of the first element
    /// of each.
    Pack {
        local: LocalId,
        parts: Vec<Part>,
        span: SpanId,
    },
    /// Copies parts of such a buffer back to their origins.
    Unpack {
        local: LocalId,
        parts: Vec<Part>,
    },
    Retain(LocalId),
    Release(LocalId),
    Check {
        demand: Demand,
        args: Vec<Operand>,
        span: SpanId,
    },
    CheckShape {
        buffer: LocalId,
        dims: Vec<Operand>,
        span: SpanId,
    },
    /// Runs a kernel after the previous ones.
    Dispatch(KernelId),
    /// Stores scalars of the host to slots.
    Put(Vec<(LocalId, Operand)>),
    /// Copies scalars in slots to the host, under the same locals. Waits for the device; stops if a kernel has.
    Fetch(Vec<LocalId>),
    For(Box<HostFor>),
    While(Box<HostWhile>),
    If {
        cond: Operand,
        then_steps: Vec<Step>,
        else_steps: Vec<Step>,
    },
}

/// As [`arr_loops::For`].
#[derive(Clone, PartialEq, Debug)]
pub struct HostFor {
    pub index: LocalId,
    pub extent: Operand,
    pub reverse: bool,
    pub inductions: Vec<Induction>,
    pub origin: Origin,
    pub span: SpanId,
    pub body: Vec<Step>,
}

/// As [`arr_loops::While`].
#[derive(Clone, PartialEq, Debug)]
pub struct HostWhile {
    pub head: Vec<Step>,
    pub cond: Operand,
    pub body: Vec<Step>,
    pub span: SpanId,
}
