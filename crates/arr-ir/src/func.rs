//! The IR: functions, blocks, statements and operations.
//!
//! A function is in let-normal form: every statement binds variables to the results of one operation, whose
//! operands are variables or scalar constants. Operations with blocks (`build`, `reduce`, `if`, `loop`, ...) see all
//! variables in scope around them. A variable is bound once in the whole function, so no name shadows another.
//!
//! There are three levels of one IR, which differ in what the verifier allows (see `verify`):
//!
//! - **core**: anything nests in anything.
//! - **bulk**: no array is made inside the body of a `build`, `reduce` or `scatter`; such a body is *scalar code*
//!   (primitives, sizes, element reads, checks, and `if`s, `loop`s and `while`s over scalar code whose state is scalars),
//!   except that a `build` body may be one scalar `reduce`. Arrays are made by statements at the level of the function, a `loop` or an `if`.
//! - **fused**: like bulk, but scalar code may hold `reduce`s of scalar code to any depth.

use crate::{Const, Edge, EdgeParam, Poly, Prim, SizeId, Type, TypeId, Types};
use arr_base::{IndexVec, Span};
use std::sync::Arc;

arr_base::define_id!(
    /// A variable: a scalar or an array.
    VarId,
    "v"
);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct VarInfo {
    /// A hint for printing: the user's name for the value, or one close to it. Not unique. May contain dots (`p.mean`).
    pub name: String,
    pub ty: TypeId,
    /// Whether differentiation has made it: a cotangent, a tangent, or a step towards one.
    pub derivative: bool,
}

/// An operand: a variable or a scalar constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    Var(VarId),
    Const(Const),
}

impl Atom {
    pub fn var(self) -> Option<VarId> {
        if let Atom::Var(v) = self { Some(v) } else { None }
    }

    pub fn constant(self) -> Option<Const> {
        if let Atom::Const(c) = self { Some(c) } else { None }
    }

    /// The value of an integer operand as a polynomial; `None` for a constant that is not an integer.
    pub fn poly(self) -> Option<Poly> {
        match self {
            Atom::Var(v) => Some(Poly::var(v)),
            Atom::Const(c) => c.as_i64().map(Poly::constant),
        }
    }

    pub fn int(value: i64) -> Atom {
        Atom::Const(Const::I64(value))
    }

    pub fn bool(value: bool) -> Atom {
        Atom::Const(Const::Bool(value))
    }
}

impl From<VarId> for Atom {
    fn from(v: VarId) -> Atom {
        Atom::Var(v)
    }
}

impl From<Const> for Atom {
    fn from(c: Const) -> Atom {
        Atom::Const(c)
    }
}

/// Statements, then results. `params` are bound on entry (loop state, differentiated inputs); empty otherwise.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub params: Vec<VarId>,
    pub stmts: Vec<Stmt>,
    pub results: Vec<Atom>,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    /// The variables bound to the operation's results, one per result.
    pub vars: Vec<VarId>,
    pub op: Op,
    /// The source location, for run-time errors.
    pub span: Option<Span>,
}

/// An iteration axis: `index` runs over `0 .. extent`. The extent may mention indices of axes further out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis {
    pub index: VarId,
    pub extent: SizeId,
}

/// How a reduction combines elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// 0 if empty. Numbers.
    Sum,
    /// 1 if empty. Numbers.
    Product,
    /// By the primitive `max`, first element first. Empty is run-time error E0606. Numbers.
    Max,
    Min,
    /// The lowest index (`i64`) of the maximum; NaN wins over everything, as in `Max`. One axis. E0606 if
    /// empty.
    ArgMax,
    /// The lowest index of the minimum; NaN wins here too, as in `Min`.
    ArgMin,
    /// `false` if empty. Booleans.
    Any,
    All,
}

impl Reduction {
    pub const ALL: [Reduction; 8] = [
        Reduction::Sum,
        Reduction::Product,
        Reduction::Max,
        Reduction::Min,
        Reduction::ArgMax,
        Reduction::ArgMin,
        Reduction::Any,
        Reduction::All,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Product => "product",
            Reduction::Max => "max",
            Reduction::Min => "min",
            Reduction::ArgMax => "argmax",
            Reduction::ArgMin => "argmin",
            Reduction::Any => "any",
            Reduction::All => "all",
        }
    }

    /// Whether the reduction has a value when there are no elements; the others are then run-time error E0606.
    pub fn has_identity(self) -> bool {
        matches!(self, Reduction::Sum | Reduction::Product | Reduction::Any | Reduction::All)
    }

    pub fn from_name(name: &str) -> Option<Reduction> {
        Self::ALL.into_iter().find(|r| r.name() == name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScatterKind {
    /// The last write to a place wins, in iteration order.
    Set,
    /// Values written to one place are added to its element.
    Add,
}

/// The condition that an [`Op::Check`] requires; a failure is the run-time error of the given code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Check {
    /// `index, extent`: `0 <= index < extent`, else E0601.
    Index,
    /// `found, expected`: equal, else E0603.
    SizeEq,
    /// `size`: not negative, else E0604.
    SizeNonNeg,
    /// `size`: positive, else E0606.
    NonEmpty,
    /// `lo, hi, extent`: `0 <= lo <= hi <= extent`, else E0601.
    Slice,
    /// `step`: positive, else E0608.
    Step,
}

impl Check {
    pub const ALL: [Check; 6] =
        [Check::Index, Check::SizeEq, Check::SizeNonNeg, Check::NonEmpty, Check::Slice, Check::Step];

    pub fn name(self) -> &'static str {
        match self {
            Check::Index => "index",
            Check::SizeEq => "size_eq",
            Check::SizeNonNeg => "size_non_neg",
            Check::NonEmpty => "non_empty",
            Check::Slice => "slice",
            Check::Step => "step",
        }
    }

    pub fn arity(self) -> usize {
        match self {
            Check::SizeNonNeg | Check::NonEmpty | Check::Step => 1,
            Check::Index | Check::SizeEq => 2,
            Check::Slice => 3,
        }
    }
}

/// An array constant, row-major. Always one node, never one per element.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Literal {
    pub elem: Scalar,
    pub dims: Vec<i64>,
    /// As many as the product of `dims`, each of type `elem`.
    pub data: Vec<Const>,
}

use crate::{Callee, Scalar};

/// An operation. The comment gives operand and result types: `T` a scalar type, `D` axes of the statement itself.
#[derive(Clone, Debug)]
pub enum Op {
    /// A scalar primitive: scalars to one scalar.
    Prim(Prim, Vec<Atom>),
    /// The value of a size: `i64`.
    Size(SizeId),
    /// An array constant.
    Literal(Arc<Literal>),
    /// The element of `array` at a full index: a scalar. When `checked`, an index out of bounds is E0601; otherwise the
    /// index is known to be in bounds.
    Read { array: VarId, index: Vec<Atom>, checked: bool },
    /// One array per body result: `[D]` in front of the result's own axes. The body may have several results, of any
    /// type (in bulk code: scalars).
    Build { axes: Vec<Axis>, body: Block },
    /// One scalar per body result (scalars), combined over all axes; the last axis varies fastest.
    Reduce { kind: Reduction, axes: Vec<Axis>, body: Block },
    /// A copy of `dest` with elements replaced or added to; in place when `dest` is dead afterwards. For each point of
    /// the axes (possibly none: a single update) the body yields `guard: bool`, one `i64` index per axis of `dest`, and
    /// the value; nothing is written where the guard is false. Indices are checked (E0601) where `checked`. A body may
    /// yield several writes, which are performed in order.
    Scatter { kind: ScatterKind, dest: VarId, axes: Vec<Axis>, body: Block, checked: bool },
    /// A sequential loop: `index` runs over `0 .. extent` (downwards when `reverse`); `inits` go into the body's
    /// params, each iteration's results into the next, and the last are the loop's results.
    Loop { axis: Axis, reverse: bool, inits: Vec<Atom>, body: Block },
    /// A sequential loop of unknown length: while `cond` yields true for the state, `body` computes the next one; the
    /// last state is the result. Both blocks have the state as params; `cond` yields one `bool`.
    While { inits: Vec<Atom>, cond: Block, body: Block },
    /// Lazy: only the chosen block is evaluated. Results of any type.
    If { cond: Atom, then_block: Block, else_block: Block },
    /// The same elements, row-major, with other axes (those of the bound variable's type). The counts are equal.
    Reshape(VarId),
    /// The stable order of an array along its last axis: `i64` positions, the array's axes. NaNs come last, `false` before
    /// `true`, and the two zeros are equal.
    Argsort(VarId),
    /// No result. A run-time error when the condition does not hold.
    Check { kind: Check, args: Vec<Atom> },
    /// Reverse mode. `inputs` (floats) go into the body's params; `seeds` are the cotangents of the body's float
    /// results, in order. Results: the body's results, then the cotangent of every input.
    Vjp { inputs: Vec<Atom>, seeds: Vec<Atom>, body: Block },
    /// Forward mode. `tangents` are those of `inputs`. Results: the body's results, then the tangent of every float
    /// result, in order.
    Jvp { inputs: Vec<Atom>, tangents: Vec<Atom>, body: Block },
    /// A computation with a derivative of its own. Its value is `body`'s, whose params take the `inputs` (of any type). In
    /// reverse mode `rule` replaces the derived sweep: its params are the inputs, the body's results, and the
    /// cotangents of the float results; it yields the cotangents of the float inputs. Forward mode differentiates `body`,
    /// or uses the transpose of that linear map where it is `transposed`. Once `rule` is part of the program, it is
    /// differentiated like any other code. Neither block reads floats from around it.
    Custom { inputs: Vec<Atom>, body: Block, rule: Block, transposed: bool },
    /// A call of a definition that printed code names: the leaves of its arguments, and of its result. Only in
    /// functions that are printed.
    Call { callee: Arc<Callee>, args: Vec<Atom> },
    /// The value, with no derivative: its cotangent and tangent are zero. Any type.
    StopGradient(Atom),
    /// The operands, unchanged, one result each; no array is copied. Code computed from the results is never shared
    /// with an equal computation from the operands, and does not run before all of the operands are available: a result
    /// can be discarded and recomputed later.
    Barrier(Vec<Atom>),
    /// No result. Shows its one operand, of any type, under a label, to whoever listens to the program. Traces stay where
    /// they are, and in their order.
    Trace { label: Arc<str>, args: Vec<Atom> },
}

/// A function. Everything it calls has been specialised into it. Serialisation keeps its signature, not its body.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Func {
    pub name: String,
    /// Size parameters, `i64` variables whose values follow from the shapes of the arguments.
    pub sizes: Vec<VarId>,
    /// The leaves of the parameters, in order: scalars and arrays of scalars.
    pub params: Vec<VarId>,
    #[serde(skip)]
    pub body: Block,
    pub vars: IndexVec<VarId, VarInfo>,
    pub types: Types,
    /// The parameters as the user sees them; `params` are their leaves in order.
    pub edge_params: Vec<EdgeParam>,
    /// The result as the user sees it; `body.results` are its leaves in order.
    pub edge_result: Edge,
    /// Whether the sign of every zero must be kept: rewrites that are valid except for that sign are left out.
    pub signed_zeros: bool,
    /// The broken invariants that passes have met. A function with any must not be used: the run ends with
    /// the name of the pass.
    #[serde(skip)]
    pub broken: Vec<&'static str>,
    /// Whether the variables that are made now belong to a derivative: see [`VarInfo::derivative`].
    #[serde(skip)]
    pub differentiating: bool,
}

impl Func {
    pub fn new(name: impl Into<String>) -> Func {
        Func {
            name: name.into(),
            sizes: Vec::new(),
            params: Vec::new(),
            body: Block::default(),
            vars: IndexVec::new(),
            types: Types::default(),
            edge_params: Vec::new(),
            edge_result: Edge::Tuple(Vec::new()),
            signed_zeros: false,
            broken: Vec::new(),
            differentiating: false,
        }
    }

    /// Records a broken invariant, for a pass that cannot end where it meets one; the value is a placeholder until then.
    pub fn broken<T>(&mut self, stand_in: T, what: &'static str) -> T {
        self.broken.push(what);
        stand_in
    }

    /// An operand as the polynomial of a size, for a pass that builds a size from it: a size is always an integer.
    pub fn size_poly(&mut self, atom: Atom) -> Poly {
        match atom.poly() {
            Some(poly) => poly,
            None => self.broken(Poly::constant(0), "a size is a constant that is no integer"),
        }
    }

    /// The size equal to an operand.
    pub fn size_of_atom(&mut self, atom: Atom) -> SizeId {
        let poly = self.size_poly(atom);
        self.types.size(poly)
    }

    /// A fresh variable.
    pub fn var(&mut self, name: impl Into<String>, ty: TypeId) -> VarId {
        self.vars.push(VarInfo { name: name.into(), ty, derivative: self.differentiating })
    }

    /// A fresh scalar variable.
    pub fn scalar_var(&mut self, name: impl Into<String>, elem: Scalar) -> VarId {
        let ty = self.types.scalar(elem);
        self.var(name, ty)
    }

    /// A fresh variable with the name hint and type of another, and of a derivative if that is.
    pub fn copy_var(&mut self, var: VarId) -> VarId {
        let info = self.vars[var].clone();
        self.vars.push(info)
    }

    /// A fresh variable with the name hint of another, and of a derivative if that is, of another type.
    pub fn var_like(&mut self, var: VarId, ty: TypeId) -> VarId {
        let info = VarInfo { ty, ..self.vars[var].clone() };
        self.vars.push(info)
    }

    /// A fresh variable for a value that an operand stands for so far: [`Func::var_like`], or with any name if that is a
    /// constant.
    pub fn var_for(&mut self, value: Atom, ty: TypeId) -> VarId {
        match value {
            Atom::Var(v) => self.var_like(v, ty),
            Atom::Const(_) => self.var("v", ty),
        }
    }

    pub fn ty(&self, var: VarId) -> &Type {
        self.types.get(self.vars[var].ty)
    }

    pub fn type_id(&self, var: VarId) -> TypeId {
        self.vars[var].ty
    }

    pub fn name(&self, var: VarId) -> &str {
        &self.vars[var].name
    }

    /// The operand equal to a size that needs no computation: a constant, or a variable.
    pub fn known_size(&self, size: SizeId) -> Option<Atom> {
        let poly = self.types.poly(size);
        poly.as_constant().map(Atom::int).or(poly.as_var().map(Atom::Var))
    }

    /// The type of an operand.
    pub fn atom_ty(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(v) => self.ty(v).clone(),
            Atom::Const(c) => Type { elem: c.scalar(), dims: Vec::new() },
        }
    }

    pub fn atom_elem(&self, atom: Atom) -> Scalar {
        match atom {
            Atom::Var(v) => self.ty(v).elem,
            Atom::Const(c) => c.scalar(),
        }
    }

    pub fn is_float(&self, atom: Atom) -> bool {
        self.atom_elem(atom).is_float()
    }
}
