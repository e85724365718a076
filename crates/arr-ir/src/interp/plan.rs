//! The interpreter's own form of a function: variables resolved to slots, sizes to terms over slots, and the last use
//! of every array marked, where the array is moved instead of shared.
//!
//! Moving is what lets `scatter` run in place: an array whose last use is the `scatter`, a loop's initial value or a
//! block's result has one owner.

use crate::columns::stays_in_columns;
use crate::{Array, Atom, Axis, Block, Check, Const, Data, Func, Literal, Op, Prim, Reduction, Scalar, ScatterKind};
use crate::{SizeId, Stmt, VarId, walk};
use arr_base::{Id, Span};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// An operand. `Take` is the last use of an array: the slot is left empty.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    Slot(usize),
    Take(usize),
    Const(Const),
}

impl Arg {
    pub fn slot(self) -> Option<usize> {
        match self {
            Arg::Slot(slot) | Arg::Take(slot) => Some(slot),
            Arg::Const(_) => None,
        }
    }
}

/// A size: the sum of coefficients times products of slots.
#[derive(Clone, Debug)]
pub(crate) enum Size {
    Const(i64),
    Slot(usize),
    Sum(Vec<(i64, Vec<usize>)>),
}

#[derive(Debug)]
pub(crate) struct PlanAxis {
    pub index: usize,
    pub extent: Size,
    /// Whether the extent depends on another axis of the same kernel.
    pub varies: bool,
}

#[derive(Debug)]
pub(crate) struct PlanBlock {
    pub params: Vec<usize>,
    pub stmts: Vec<PlanStmt>,
    pub results: Vec<Arg>,
}

#[derive(Debug)]
pub(crate) struct PlanStmt {
    pub vars: Vec<usize>,
    pub op: PlanOp,
    /// Arrays that are dead after this statement.
    pub dead: Vec<usize>,
    pub span: Option<Span>,
}

/// The type of one result of a build's body: element type, and the axes inside the build's own.
#[derive(Debug)]
pub(crate) struct Inner {
    pub elem: Scalar,
    pub dims: Vec<Size>,
}

#[derive(Debug)]
pub(crate) enum PlanOp {
    Prim(Prim, Vec<Arg>),
    Size(Size),
    Literal(Arc<Array>),
    Read {
        array: usize,
        index: Vec<Arg>,
        checked: bool,
    },
    Build {
        axes: Vec<PlanAxis>,
        body: PlanBlock,
        inner: Vec<Inner>,
    },
    Reduce {
        kind: Reduction,
        axes: Vec<PlanAxis>,
        body: PlanBlock,
        elems: Vec<Scalar>,
    },
    Scatter {
        kind: ScatterKind,
        dest: Arg,
        axes: Vec<PlanAxis>,
        body: PlanBlock,
        checked: bool,
        /// Whether points read `dest` in their own columns alone, so that code may change it in place. The interpreter
        /// does not.
        in_columns: bool,
    },
    Loop {
        axis: PlanAxis,
        reverse: bool,
        inits: Vec<Arg>,
        body: PlanBlock,
    },
    While {
        inits: Vec<Arg>,
        cond: PlanBlock,
        body: PlanBlock,
    },
    /// The body of a `custom`: the inputs go into its params.
    Call {
        inputs: Vec<Arg>,
        body: PlanBlock,
    },
    If {
        cond: Arg,
        then_block: PlanBlock,
        else_block: PlanBlock,
    },
    Reshape {
        array: Arg,
        dims: Vec<Size>,
    },
    Argsort(usize),
    Check {
        kind: Check,
        args: Vec<Arg>,
    },
    Trace {
        label: Arc<str>,
        arg: Arg,
    },
    Copy(Arg),
    /// Results that equal the operands.
    Pass(Vec<Arg>),
    Derivative,
    /// A call that is only there to be printed.
    Unknown,
}

/// The plan of a function's body.
pub(crate) fn plan(func: &Func) -> PlanBlock {
    let planner = Planner { func };
    planner.block(&func.body, &mut Live::default())
}

pub(crate) fn size(func: &Func, size: SizeId) -> Size {
    let poly = func.types.poly(size);
    if let Some(c) = poly.as_constant() {
        return Size::Const(c);
    }
    if let Some(v) = poly.as_var() {
        return Size::Slot(v.index());
    }
    Size::Sum(poly.terms.iter().map(|(m, &c)| (c, m.iter().map(|v| v.index()).collect())).collect())
}

type Live = FxHashSet<VarId>;

struct Planner<'f> {
    func: &'f Func,
}

impl Planner<'_> {
    fn is_array(&self, v: VarId) -> bool {
        self.func.vars.get(v).is_some_and(|info| !self.func.types.get(info.ty).is_scalar())
    }

    fn array(&self, atom: Atom) -> Option<VarId> {
        atom.var().filter(|&v| self.is_array(v))
    }

    /// Plans a block from its end to its start. On entry, `live` holds the arrays used after the block; on return,
    /// those used from its start on.
    fn block(&self, block: &Block, live: &mut Live) -> PlanBlock {
        let results = self.last_uses(&block.results, live, &Live::default());
        let mut stmts: Vec<PlanStmt> = block.stmts.iter().rev().map(|s| self.stmt(s, live)).collect();
        stmts.reverse();
        PlanBlock { params: block.params.iter().map(|p| p.index()).collect(), stmts, results }
    }

    /// Operands that pass arrays on: an array that is used neither afterwards, nor later in the list, nor in `inside`,
    /// is moved. All of them are live on return (that is, before).
    fn last_uses(&self, atoms: &[Atom], live: &mut Live, inside: &Live) -> Vec<Arg> {
        let mut args: Vec<Arg> = Vec::with_capacity(atoms.len());
        for &atom in atoms.iter().rev() {
            args.push(match self.array(atom) {
                Some(v) if live.insert(v) && !inside.contains(&v) => Arg::Take(v.index()),
                _ => arg(atom),
            });
        }
        args.reverse();
        args
    }

    fn stmt(&self, stmt: &Stmt, live: &mut Live) -> PlanStmt {
        let mut dead: Vec<usize> = Vec::new();
        for &v in &stmt.vars {
            if self.is_array(v) && !live.remove(&v) {
                dead.push(v.index());
            }
        }
        let uses = self.uses(&stmt.op);
        dead.extend(uses.iter().filter(|v| !live.contains(v)).map(|v| v.index()));
        let op = self.op(stmt, live);
        live.extend(uses);
        PlanStmt { vars: stmt.vars.iter().map(|v| v.index()).collect(), op, dead, span: stmt.span }
    }

    /// The arrays that an operation uses, its blocks included.
    fn uses(&self, op: &Op) -> Vec<VarId> {
        let vars = if op.blocks().is_empty() {
            op.operands().into_iter().filter_map(Atom::var).collect()
        } else {
            walk::free_vars(self.func, op)
        };
        vars.into_iter().filter(|&v| self.is_array(v)).collect()
    }

    /// A body that runs any number of times: the outer arrays that it uses are live throughout all of its runs.
    fn body(&self, body: &Block) -> (PlanBlock, Live) {
        self.body_keeping(body, Live::default())
    }

    /// Like [`Self::body`]; the arrays in `kept` are used after it.
    fn body_keeping(&self, body: &Block, kept: Live) -> (PlanBlock, Live) {
        let free = walk::free_vars_of_block(self.func, body);
        let inside: Live = free.into_iter().filter(|&v| self.is_array(v)).collect();
        (self.block(body, &mut inside.union(&kept).copied().collect()), inside)
    }

    fn op(&self, stmt: &Stmt, live: &mut Live) -> PlanOp {
        let none = Live::default();
        match &stmt.op {
            Op::Prim(prim, args) => PlanOp::Prim(*prim, plain(args)),
            Op::Size(s) => PlanOp::Size(size(self.func, *s)),
            Op::Literal(literal) => PlanOp::Literal(Arc::new(array_of(literal))),
            Op::Read { array, index, checked } => {
                PlanOp::Read { array: array.index(), index: plain(index), checked: *checked }
            }
            Op::Build { axes, body } => {
                let inner = stmt.vars.iter().map(|&v| self.inner(v, axes.len())).collect();
                PlanOp::Build { axes: self.axes(axes), body: self.body(body).0, inner }
            }
            Op::Reduce { kind, axes, body } => {
                let elems = body.results.iter().map(|a| self.elem(*a)).collect();
                PlanOp::Reduce { kind: *kind, axes: self.axes(axes), body: self.body(body).0, elems }
            }
            Op::Scatter { kind, dest, axes, body, checked } => {
                let (plan, inside) = self.body(body);
                let taken = self.last_use(Atom::Var(*dest), live, &inside);
                // What is taken has no reader.
                let in_columns = matches!(taken, Arg::Slot(_)) && stays_in_columns(self.func, *dest, axes, body);
                let axes = self.axes(axes);
                PlanOp::Scatter { kind: *kind, dest: taken, axes, body: plan, checked: *checked, in_columns }
            }
            Op::Loop { axis, reverse, inits, body } => {
                let (body, inside) = self.body(body);
                let inits = self.last_uses(inits, live, &inside);
                PlanOp::Loop { axis: self.axis(*axis), reverse: *reverse, inits, body }
            }
            Op::While { inits, cond, body } => {
                let (body, mut inside) = self.body(body);
                // The condition reads the state and leaves it to the body.
                let state: Live = cond.params.iter().copied().filter(|&p| self.is_array(p)).collect();
                let (cond, in_cond) = self.body_keeping(cond, state);
                inside.extend(in_cond);
                let inits = self.last_uses(inits, live, &inside);
                PlanOp::While { inits, cond, body }
            }
            Op::Custom { inputs, body, .. } => {
                let (body, inside) = self.body(body);
                let inputs = self.last_uses(inputs, live, &inside);
                PlanOp::Call { inputs, body }
            }
            Op::If { cond, then_block, else_block } => PlanOp::If {
                cond: arg(*cond),
                then_block: self.block(then_block, &mut live.clone()),
                else_block: self.block(else_block, &mut live.clone()),
            },
            Op::Reshape(array) => {
                let array = self.last_use(Atom::Var(*array), live, &none);
                let dims = stmt.vars.first().map_or(Vec::new(), |&v| self.inner(v, 0).dims);
                PlanOp::Reshape { array, dims }
            }
            Op::Argsort(array) => PlanOp::Argsort(array.index()),
            Op::Check { kind, args } => PlanOp::Check { kind: *kind, args: plain(args) },
            Op::Trace { label, args } => match args.first() {
                Some(&shown) => PlanOp::Trace { label: label.clone(), arg: arg(shown) },
                None => PlanOp::Pass(Vec::new()),
            },
            Op::Barrier(args) => PlanOp::Pass(self.last_uses(args, live, &none)),
            Op::StopGradient(a) => PlanOp::Copy(self.last_use(*a, live, &none)),
            Op::Vjp { .. } | Op::Jvp { .. } => PlanOp::Derivative,
            Op::Call { .. } => PlanOp::Unknown,
        }
    }

    fn last_use(&self, atom: Atom, live: &mut Live, inside: &Live) -> Arg {
        self.last_uses(&[atom], live, inside).pop().unwrap_or(arg(atom))
    }

    fn axis(&self, axis: Axis) -> PlanAxis {
        PlanAxis { index: axis.index.index(), extent: size(self.func, axis.extent), varies: false }
    }

    fn axes(&self, axes: &[Axis]) -> Vec<PlanAxis> {
        let own = |v: VarId| axes.iter().any(|other| other.index == v);
        let varies = |a: &Axis| self.func.types.poly(a.extent).vars().into_iter().any(own);
        axes.iter().map(|a| PlanAxis { varies: varies(a), ..self.axis(*a) }).collect()
    }

    /// The element type and the axes of a variable, without its `outer` first axes.
    fn inner(&self, v: VarId, outer: usize) -> Inner {
        let Some(info) = self.func.vars.get(v) else {
            return Inner { elem: Scalar::Bool, dims: Vec::new() };
        };
        let ty = self.func.types.get(info.ty);
        Inner { elem: ty.elem, dims: ty.dims.iter().skip(outer).map(|&d| size(self.func, d)).collect() }
    }

    fn elem(&self, atom: Atom) -> Scalar {
        match atom {
            Atom::Var(v) => self.inner(v, 0).elem,
            Atom::Const(c) => c.scalar(),
        }
    }
}

fn arg(atom: Atom) -> Arg {
    match atom {
        Atom::Var(v) => Arg::Slot(v.index()),
        Atom::Const(c) => Arg::Const(c),
    }
}

fn plain(atoms: &[Atom]) -> Vec<Arg> {
    atoms.iter().map(|&a| arg(a)).collect()
}

fn array_of(literal: &Literal) -> Array {
    let mut data = Data::zeros(literal.elem, literal.data.len());
    for (i, &c) in literal.data.iter().enumerate() {
        // The verifier requires that every element has the literal's type; others stay zero.
        let _fits = data.set(i, c);
    }
    Array { dims: literal.dims.clone(), data }
}
