//! Scans: loops of the program that carry scalars from one iteration to the next by an associative step.
//!
//! A step is associative if the steps of many iterations together are again one of its kind: `s + t`, `s * t`,
//! `max(s, t)`, or `a * s + b` with `t`, `a`, `b` that do not depend on `s`. Such a loop can run in chunks. A first
//! pass over each chunk computes its combined step (the *summary*), these give the initial state of each chunk
//! (*advance*), and a second pass executes the iterations unchanged. Every iteration writes elements of its own, so
//! chunks are independent once their first states are known.
//!
//! Integers, bools, and `max` and `min` give the same bits as sequential order. Floats with `+` and `*` do not: they
//! are scans in relaxed code only, and there a chunk's summary is used only where it is sound: no step magnifies
//! (`|a| <= 1`) and the state stays finite. After any other chunk the state is the one that its iterations leave, as in
//! sequential order.
//!
//! Of the workloads that it was measured on, it is worth something on `stiff` alone (docs/ablation.md).

mod find;
mod step;
mod summary;

use crate::fresh::Fresh;
use crate::{Expr, LocalId, LoopFunc, Operand, Stmt, Ty};
use arr_ir::{Const, Prim, Scalar};
use find::Finder;

/// How a loop runs in chunks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scan {
    /// Runs before the chunks: the arrays that iterations write become the loop's own.
    pub before: Vec<Stmt>,
    /// Runs after the chunks: these arrays are the state again.
    pub after: Vec<Stmt>,
    /// An iteration, which manages no memory. It fails only where the summary does.
    pub body: Vec<Stmt>,
    pub states: Vec<ScanState>,
    /// An iteration's contribution to the summary of a chunk, which is the values of `parts`. Writes nothing.
    pub summary: Vec<Stmt>,
    pub parts: Vec<ScanPart>,
    /// From the states before a chunk, `entry`, and its parts to those after it, `next`.
    pub advance: Vec<Stmt>,
    /// Whether `next` may be used; if not, a chunk runs before the next begins. Bound by `advance`.
    pub sound: Option<Operand>,
    /// The states have the same bits as in sequential order.
    pub exact: bool,
    /// The summary may be computed in any order: it consists of sums, and cannot fail.
    pub commutes: bool,
    /// A shorter dependence chain from state to state for sequential execution, if there is one.
    pub chain: Option<Chain>,
}

/// Steps `a * s + b` of floats whose `a` and `b` are computed beside the states, so that an iteration waits for the
/// previous one for the latency of one product and one sum, not of all its operations. Where the step magnifies
/// (`|a| > 1`) or does not stay finite, the state is the result of the original operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// Computes the factors and the summands, before the body.
    pub before: Vec<Stmt>,
    pub links: Vec<Link>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// An index of [`Scan::states`].
    pub state: LocalId,
    pub ratio: Operand,
    pub offset: Operand,
}

/// A scalar that is carried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanState {
    /// Mutable, declared around the loop.
    pub local: LocalId,
    pub step: ScanStep,
    pub entry: LocalId,
    pub next: Operand,
}

/// The kind of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScanStep {
    /// The state stays.
    Same,
    /// `op(s, t)`
    By(Prim),
    /// `a * s + b`
    Linear,
}

/// A part of the summary of a chunk, a mutable local.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanPart {
    pub local: LocalId,
    /// The value for no iterations.
    pub init: Const,
}

/// Marks the loops of the program that are scans.
pub(crate) fn mark(func: &mut LoopFunc, relaxed: bool) {
    let fresh = Fresh::of(func);
    let mut body = std::mem::take(&mut func.body);
    let mut scope = Scope { func, fresh, relaxed };
    scope.block(&mut body);
    func.body = body;
}

struct Scope<'a> {
    func: &'a mut LoopFunc,
    fresh: Fresh,
    relaxed: bool,
}

impl Scope<'_> {
    fn block(&mut self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            match stmt {
                // Loops in kernels are not divided: the kernel is.
                Stmt::For(l) if l.is_source() => {
                    l.scan = Finder::new(self, l).and_then(|finder| finder.find(l)).map(Box::new);
                    if l.scan.is_none() {
                        self.block(&mut l.body);
                    }
                }
                Stmt::While(l) => self.block(&mut l.body),
                Stmt::If { then_body, else_body, .. } => {
                    self.block(then_body);
                    self.block(else_body);
                }
                _ => {}
            }
        }
    }

    fn local(&mut self, hint: &str, ty: Ty, mutable: bool) -> LocalId {
        self.fresh.local(self.func, hint, ty, mutable)
    }

    /// A primitive, and the statement that computes it unless it is constant.
    fn prim(&mut self, prim: Prim, args: &[Operand]) -> Option<(Operand, Option<Stmt>)> {
        let elems: Vec<Scalar> = args.iter().map(|&a| self.func.elem(a)).collect();
        let elem = prim.result(&elems)?;
        let constants: Option<Vec<Const>> =
            args.iter().map(|a| if let Operand::Const(c) = a { Some(*c) } else { None }).collect();
        if let Some(folded) = constants.and_then(|c| prim.eval(&c)) {
            return Some((folded.into(), None));
        }
        let local = self.local("t", Ty::Scalar(elem), false);
        Some((local.into(), Some(Stmt::Let { local, expr: Expr::Prim(prim, args.to_vec()) })))
    }
}
