//! Recognises loops that are sums at computed places.

use crate::builder::Builder;
use arr_ir::{Const, Prim, Scalar};
use arr_loops::{Expr, For, LocalId, Operand, Stmt, for_each_chunked_stmt};
use std::collections::{HashMap, HashSet};

/// Loops, outermost first: index and extent.
type Loops = Vec<(LocalId, Operand)>;

/// A loop that is one.
pub(crate) struct Scatter {
    /// The array, and the operator that combines a term with an element.
    pub(super) buffer: LocalId,
    pub(super) op: Prim,
    /// The loops around the only place where terms are added, outermost first; `None` if there are several.
    pub(super) around: Option<Loops>,
}

impl Scatter {
    pub fn buffer(&self) -> LocalId {
        self.buffer
    }
}

/// The classification of a loop's statements.
#[derive(Default)]
struct Finder {
    own: HashSet<LocalId>,
    bound: HashMap<LocalId, Expr>,
    reads: HashMap<LocalId, usize>,
    loads: Vec<LocalId>,
    stores: Vec<Found>,
}

/// A place where a term is accumulated.
struct Found {
    address: LocalId,
    op: Prim,
    around: Option<Loops>,
}

/// Recognises an ordered loop that only accumulates terms into elements of one array.
pub(crate) fn find(b: &Builder<'_>, l: &For) -> Option<Scatter> {
    let mut finder = Finder::default();
    finder.count(&l.body);
    let around = (!l.reverse).then(|| vec![(l.index, l.extent)]);
    finder.block(&l.body, around.as_deref())?;
    let Found { address, op, around } = finder.stores.first()?;
    let buffer = b.root(*address);
    let same = finder.stores.iter().all(|found| b.root(found.address) == buffer && found.op == *op);
    // The array is read where terms are added, and nowhere else.
    let reads = finder.loads.iter().filter(|&&a| b.root(a) == buffer).count();
    let alone = finder.stores.len() == 1;
    let around = around.clone().filter(|loops| {
        // Their lengths are known outside.
        let outside = |o: &Operand| !matches!(o, Operand::Local(local) if finder.own.contains(local));
        alone && loops.iter().all(|(_, extent)| outside(extent))
    });
    identity(*op, b.func.elem(buffer.into()))?;
    (same && reads == finder.stores.len()).then_some(Scatter { buffer, op: *op, around })
}

impl Finder {
    fn count(&mut self, stmts: &[Stmt]) {
        crate::walk::uses(stmts, &mut |used| {
            if let crate::walk::Use::Read(local) = used {
                *self.reads.entry(local).or_insert(0) += 1;
            }
        });
        for_each_chunked_stmt(stmts, &mut |stmt| match stmt {
            Stmt::Let { local, expr } => {
                self.own.insert(*local);
                self.bound.insert(*local, expr.clone());
                if let Expr::Load(address, _) = expr {
                    self.loads.push(*address);
                }
            }
            Stmt::Var { local, .. } => {
                self.own.insert(*local);
            }
            Stmt::For(l) => {
                self.own.insert(l.index);
                self.own.extend(l.inductions.iter().map(|i| i.local));
            }
            _ => {}
        });
    }

    fn block(&mut self, stmts: &[Stmt], around: Option<&[(LocalId, Operand)]>) -> Option<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, around))
    }

    fn stmt(&mut self, stmt: &Stmt, around: Option<&[(LocalId, Operand)]>) -> Option<()> {
        match stmt {
            Stmt::Let { expr, .. } => (!matches!(expr, Expr::Literal(_))).then_some(()),
            Stmt::Var { .. } | Stmt::Check { .. } => Some(()),
            Stmt::Set { local, .. } => self.own.contains(local).then_some(()),
            Stmt::Store { address, offset, value } => {
                let op = self.taken_in(*address, *offset, *value)?;
                self.stores.push(Found { address: *address, op, around: around.map(<[_]>::to_vec) });
                Some(())
            }
            Stmt::For(l) if l.scan.is_none() => {
                let around = around.filter(|_| !l.reverse).map(|loops| [loops, &[(l.index, l.extent)]].concat());
                self.block(&l.body, around.as_deref())
            }
            Stmt::While(l) => self.block(&l.head, None).and_then(|()| self.block(&l.body, None)),
            Stmt::If { then_body, else_body, .. } => {
                self.block(then_body, around)?;
                self.block(else_body, around)
            }
            _ => None,
        }
    }

    /// The operator of `store a[o] = op(a[o], term)`, whose parts have no other use.
    fn taken_in(&self, address: LocalId, offset: Operand, value: Operand) -> Option<Prim> {
        let once = |operand: Operand| match operand {
            Operand::Local(local) => (self.reads.get(&local) == Some(&1)).then_some(local),
            Operand::Const(_) => None,
        };
        let Expr::Prim(op, args) = self.bound.get(&once(value)?)? else { return None };
        let (old, _) = split(&self.bound, address, offset, *op, args)?;
        once(old.into()).map(|_| *op)
    }
}

/// The old element and the term.
pub(super) fn split(
    bound: &HashMap<LocalId, Expr>,
    address: LocalId,
    offset: Operand,
    op: Prim,
    args: &[Operand],
) -> Option<(LocalId, Operand)> {
    let [a, c] = args else { return None };
    let is_old = |operand: &Operand| match operand {
        Operand::Local(local) if bound.get(local) == Some(&Expr::Load(address, offset)) => Some(*local),
        _ => None,
    };
    match (is_old(a), is_old(c)) {
        (Some(old), _) => Some((old, *c)),
        (None, Some(old)) if op != Prim::Sub => Some((old, *a)),
        _ => None,
    }
}

/// The neutral element of the operator.
pub(super) fn identity(op: Prim, elem: Scalar) -> Option<Const> {
    let extreme = |least: bool| match elem {
        Scalar::F32 => Const::F32(if least { f32::NEG_INFINITY } else { f32::INFINITY }),
        Scalar::F64 => Const::F64(if least { f64::NEG_INFINITY } else { f64::INFINITY }),
        Scalar::I32 => Const::I32(if least { i32::MIN } else { i32::MAX }),
        Scalar::I64 => Const::I64(if least { i64::MIN } else { i64::MAX }),
        Scalar::U32 => Const::U32(if least { u32::MIN } else { u32::MAX }),
        Scalar::Bool => Const::Bool(!least),
    };
    Some(match (op, elem) {
        (Prim::And, Scalar::Bool) => Const::Bool(true),
        (Prim::Or, Scalar::Bool) => Const::Bool(false),
        (_, Scalar::Bool) => return None,
        (Prim::Add, Scalar::F32) => Const::F32(-0.0),
        (Prim::Add, Scalar::F64) => Const::F64(-0.0),
        (Prim::Add | Prim::Sub | Prim::BitOr | Prim::BitXor, _) => Const::zero(elem),
        (Prim::Mul, _) => Const::one(elem),
        (Prim::Max, _) => extreme(true),
        (Prim::Min, _) => extreme(false),
        _ => return None,
    })
}
