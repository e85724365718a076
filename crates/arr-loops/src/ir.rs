//! The loop IR's data types.
//!
//! Locals are typed. An immutable local is bound once, by `let`, a loop or a parameter, and is visible in the block
//! that binds it and the blocks inside; a mutable one is declared by `var` and changed by `set`. Nothing nests except
//! loops and branches.

use arr_base::{IndexVec, Span, TracePlace};
use arr_ir::{Const, Literal, Prim, Scalar};
use std::collections::BTreeMap;
use std::sync::Arc;

arr_base::define_id!(
    /// A local of a loop function.
    LocalId,
    "l"
);
arr_base::define_id!(
    /// A row of [`LoopFunc::literals`].
    LiteralId,
    "literal"
);
arr_base::define_id!(
    /// A row of [`LoopFunc::spans`].
    SpanId,
    "@"
);

arr_base::define_id!(
    /// A row of [`LoopFunc::traces`].
    TraceId,
    "trace"
);

/// A place of the program that shows values, and the type of these or of their elements.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct TraceSite {
    pub place: TracePlace,
    pub elem: Scalar,
}

/// The type of a local.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Ty {
    Scalar(Scalar),
    /// A counted reference to a buffer of such elements.
    Buffer(Scalar),
    /// The address of one of a buffer's elements. Valid as long as the buffer is.
    Address(Scalar),
}

impl Ty {
    /// The scalar, or the elements' type.
    pub fn elem(self) -> Scalar {
        match self {
            Ty::Scalar(s) | Ty::Buffer(s) | Ty::Address(s) => s,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct LocalInfo {
    /// Unique in the function.
    pub name: String,
    pub ty: Ty,
    /// Declared by `var`.
    pub mutable: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Operand {
    Local(LocalId),
    Const(Const),
}

impl Operand {
    pub fn int(value: i64) -> Operand {
        Operand::Const(Const::I64(value))
    }

    /// The local, if it is one.
    pub fn as_local(self) -> Option<LocalId> {
        if let Operand::Local(local) = self { Some(local) } else { None }
    }

    /// The value of an integer constant.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Operand::Const(c) => c.as_i64(),
            Operand::Local(_) => None,
        }
    }
}

impl From<LocalId> for Operand {
    fn from(local: LocalId) -> Operand {
        Operand::Local(local)
    }
}

impl From<Const> for Operand {
    fn from(c: Const) -> Operand {
        Operand::Const(c)
    }
}

/// The right-hand side of a `let`. None of these can fail: a divisor has been checked before, an offset is inside its
/// buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    Prim(Prim, Vec<Operand>),
    /// The value itself; takes a snapshot of a mutable local.
    Copy(Operand),
    /// The address of a buffer's first element.
    BaseAddr(LocalId),
    /// How many elements a buffer has.
    Len(LocalId),
    /// An address moved by a number of elements.
    Offset(LocalId, Operand),
    /// The element at an address plus a number of elements.
    Load(LocalId, Operand),
    /// A new reference to the buffer of a constant.
    Literal(LiteralId),
}

/// The condition that a check demands of its values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Demand {
    /// `index, extent`: E0601.
    Index,
    /// As `Index`, where the extent is that of an array.
    Element,
    /// `place, length`: the position of an access that nothing else proves inside. If it fails, an invariant is broken;
    /// it is no error of the program.
    Place,
    /// `lo, hi, extent`: E0601.
    Slice,
    /// `divisor`: not zero, else E0602. Of any integer type.
    NonZero,
    /// `found, expected`: E0603.
    SizeEq,
    /// `size`: E0604.
    SizeNonNeg,
    /// `size`: positive, else E0606.
    NonEmpty,
    /// `a, b`: sizes whose sum is an integer, else E0605.
    SizeSum,
    /// Sizes whose product is an integer, else E0605.
    SizeProduct,
    /// `step`: positive, else E0608.
    Step,
    /// `limit`: a loop of the program exceeds this many iterations: E0607. Never in a check; a device's kernels count.
    Steps,
}

impl Demand {
    const ALL: [Demand; 12] = [
        Demand::Index,
        Demand::Element,
        Demand::Place,
        Demand::Slice,
        Demand::NonZero,
        Demand::SizeEq,
        Demand::SizeNonNeg,
        Demand::NonEmpty,
        Demand::SizeSum,
        Demand::SizeProduct,
        Demand::Step,
        Demand::Steps,
    ];

    /// The demand with this name.
    pub fn from_name(name: &str) -> Option<Demand> {
        Demand::ALL.into_iter().find(|demand| demand.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Demand::Index => "index",
            Demand::Element => "element",
            Demand::Place => "place",
            Demand::Slice => "slice",
            Demand::NonZero => "non_zero",
            Demand::SizeEq => "size_eq",
            Demand::SizeNonNeg => "size_non_neg",
            Demand::NonEmpty => "non_empty",
            Demand::SizeSum => "size_sum",
            Demand::SizeProduct => "size_product",
            Demand::Step => "step",
            Demand::Steps => "steps",
        }
    }
}

/// A local that equals the loop's index times `step` in every iteration, kept by addition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Induction {
    pub local: LocalId,
    /// Does not change in the loop.
    pub step: Operand,
}

/// A result of a loop that can be computed in parts: chunks of iterations begin with `init`, and their final values are
/// combined. Known as a privatised reduction variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partial {
    /// Mutable, declared around the loop, and changed in it.
    pub local: LocalId,
    /// The initial value; it is neutral in the combination.
    pub init: Const,
    /// A later chunk's result, during the combination.
    pub other: LocalId,
}

/// An array that iterations add to, possibly several at one place. Chunks add to copies of it, whose elements are zeros
/// at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Added {
    /// It has no other reference.
    pub buffer: LocalId,
    /// The address of its first element, bound outside of the loop: iterations reach it only by that address, and only
    /// to add to it.
    pub data: LocalId,
}

/// The iterations of a loop may be divided into chunks, each executed by any thread: they write distinct elements, read
/// none that another writes, and carry nothing from one to the next but partial results and contributions to arrays.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parallel {
    pub partials: Vec<Partial>,
    /// Merges the partial results of a chunk, `other`, into those of the chunks before it, `local`.
    pub combine: Vec<Stmt>,
    pub added: Vec<Added>,
    /// Whether iterations make arrays; each releases all that it makes, and holds no others.
    pub allocates: bool,
    /// A bool that is known before the loop: if it is false, iterations may conflict after all, and the loop is one
    /// chunk.
    pub disjoint_if: Option<LocalId>,
}

/// What a loop stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Points of a kernel, or blocks of them.
    Kernel,
    /// A loop of the program's text. Its iterations count towards `--max-steps`, and each may fail: nothing that can
    /// fail is moved across its beginning.
    Source,
}

/// `index` runs over `0 .. extent`, none if that is empty; downwards if `reverse`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct For {
    pub index: LocalId,
    pub extent: Operand,
    pub reverse: bool,
    pub inductions: Vec<Induction>,
    pub origin: Origin,
    /// Of the outermost loop of a kernel, if its iterations need no order.
    pub parallel: Option<Parallel>,
    /// Of a loop of the program that can run in chunks although it carries scalars.
    pub scan: Option<Box<crate::Scan>>,
    pub span: SpanId,
    pub body: Vec<Stmt>,
}

impl For {
    pub fn is_source(&self) -> bool {
        self.origin == Origin::Source
    }
}

/// A loop of the program's text: executes `head`, ends unless `cond`, executes `body`, and repeats. The locals of `head` are not visible in `body`.
/// Every start of `body` counts towards `--max-steps`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct While {
    pub head: Vec<Stmt>,
    pub cond: Operand,
    pub body: Vec<Stmt>,
    pub span: SpanId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    Let {
        local: LocalId,
        expr: Expr,
    },
    /// Declares a mutable local.
    Var {
        local: LocalId,
        init: Option<Operand>,
    },
    Set {
        local: LocalId,
        value: Operand,
    },
    Store {
        address: LocalId,
        offset: Operand,
        value: Operand,
    },
    /// A new buffer with the only reference to it; empty if a size is negative. E0605 if it is too large.
    Alloc {
        local: LocalId,
        dims: Vec<Operand>,
        span: SpanId,
    },
    /// Consumes the reference `buffer`; `local` is the only reference to a buffer with the same elements: the same
    /// buffer, or else a copy. E0605 if the copy does not fit.
    MakeUnique {
        local: LocalId,
        buffer: LocalId,
        span: SpanId,
    },
    Retain(LocalId),
    Release(LocalId),
    Check {
        demand: Demand,
        args: Vec<Operand>,
        span: SpanId,
    },
    /// Demands that a buffer has as many elements as axes of these sizes hold: a negative size is an empty axis; else E0603.
    CheckShape {
        buffer: LocalId,
        dims: Vec<Operand>,
        span: SpanId,
    },
    For(Box<For>),
    While(Box<While>),
    /// Fills `into` with the stable orders of rows of `length` elements of `keys`, which lie one after the other: `i64`
    /// positions, NaNs last. Both buffers have as many elements.
    Argsort {
        into: LocalId,
        keys: LocalId,
        length: Operand,
        /// Only in code that is to be profiled; so is that of products.
        span: SpanId,
    },
    /// Shows a scalar, or a buffer whose elements lie under axes of these sizes, to whoever listens. Traces stay in their
    /// order, and loops that hold one run in order.
    Trace {
        site: TraceId,
        value: Operand,
        dims: Vec<Operand>,
    },
    /// A matrix product, for the runtime.
    MatMul(Box<crate::MatMul>),
    If {
        cond: Operand,
        then_body: Vec<Stmt>,
        else_body: Vec<Stmt>,
    },
}

/// A result: a scalar, or a reference to a buffer with the sizes of its axes.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Output {
    pub value: Operand,
    pub dims: Vec<Operand>,
}

/// A parameter. References to buffers are borrowed: the caller keeps its own.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Param {
    pub local: LocalId,
    /// The sizes an array argument must have, over [`LoopFunc::sizes`] and the integer parameters before.
    pub dims: Vec<ParamSize>,
}

/// A size of a parameter's axis: a polynomial over locals.
pub type ParamSize = arr_base::Polynomial<LocalId>;

/// A part of a program that time is given for: one array statement, or several that are computed together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The name of the first array or number that it makes.
    pub name: String,
    /// Where what it computes is written: the places of its statements, the first of which is its own.
    pub spans: Vec<Span>,
    /// Whether differentiation made it.
    pub derivative: bool,
}

/// A function of loop nests. Only its interface is serialised, not its body.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct LoopFunc {
    pub name: String,
    /// Size parameters, `i64`.
    pub sizes: Vec<LocalId>,
    pub params: Vec<Param>,
    #[serde(skip)]
    pub body: Vec<Stmt>,
    pub outputs: Vec<Output>,
    pub locals: IndexVec<LocalId, LocalInfo>,
    pub literals: IndexVec<LiteralId, Arc<Literal>>,
    /// The places that show values.
    pub traces: IndexVec<TraceId, TraceSite>,
    /// The places that run-time errors name. Row 0 is `None`.
    pub spans: IndexVec<SpanId, Option<Span>>,
    /// In code that is to be profiled: what the loops and statements at a place compute.
    #[serde(skip)]
    pub sections: BTreeMap<SpanId, Section>,
    /// Impossible cases that lowering and passes have met, as in [`arr_ir::Func`].
    #[serde(skip)]
    pub broken: Vec<&'static str>,
}

impl LoopFunc {
    /// Records that an invariant does not hold; the stand-in is used until the pass ends.
    pub fn broken<T>(&mut self, stand_in: T, what: &'static str) -> T {
        self.broken.push(what);
        stand_in
    }

    /// The row of a place that shows values, which is added if it is new.
    pub fn trace_site(&mut self, site: TraceSite) -> TraceId {
        let known = self.traces.iter().find(|(_, other)| **other == site).map(|(id, _)| id);
        known.unwrap_or_else(|| self.traces.push(site))
    }

    pub fn ty(&self, local: LocalId) -> Ty {
        self.locals[local].ty
    }

    /// The scalar type of an operand, or its elements' type.
    pub fn elem(&self, operand: Operand) -> Scalar {
        match operand {
            Operand::Local(l) => self.ty(l).elem(),
            Operand::Const(c) => c.scalar(),
        }
    }
}
