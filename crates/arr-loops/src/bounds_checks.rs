//! Bounds checks: an access that the range analysis does not prove inside its array is checked where it is made.
//!
//! ```text
//! let row: address f64 = offset x.data[at]        let row: address f64 = offset x.data[at]
//! let v: f64 = load row[i]                        let place: i64 = add at, i
//!                                                 check place place, x.len
//!                                                 let v: f64 = load row[i]
//! ```
//!
//! - **Assumes** a verified function, before its scans are marked: the code of a scan is a copy of its loop.
//! - **Guarantees** that every access is proved ([`crate::unproved_accesses`] finds none), so that machine code stays
//!   inside its arrays even if an earlier pass is wrong. A check that fails reports a broken invariant.
//! - **Leaves alone** proved accesses, which are nearly all. A matrix product with unproved accesses is written out as
//!   loops.
//! - **Cost**: one walk of the range analysis over the function.
//! - **Tests**: `tests/passes/bounds-checks`, `tests/accesses.rs`.

use crate::fresh::Fresh;
use crate::verify::unproved;
use crate::{
    Demand, Expr, For, Induction, LocalId, LoopFunc, MatMul, Operand, Origin, ProductAxis, Role, SpanId, Stmt, Ty,
    rewrite_stmts,
};
use arr_base::Id;
use arr_ir::{Const, Prim, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// An address and an offset.
type Access = (LocalId, Operand);

/// The number of rounds over the function: written-out products have accesses of their own, and new arithmetic may cost
/// a proof.
const ROUNDS: usize = 4;

pub(crate) fn insert(func: &mut LoopFunc) {
    for _ in 0..ROUNDS {
        let accesses = unproved(func);
        if accesses.is_empty() {
            return;
        }
        check(func, accesses);
    }
    if !unproved(func).is_empty() {
        func.broken((), "an access that is neither proved nor checked");
    }
}

/// Checks these accesses, or writes out the matrix products among them.
fn check(func: &mut LoopFunc, accesses: FxHashSet<Access>) {
    let mut body = std::mem::take(&mut func.body);
    let mut fresh = Fresh::of(func);
    let mut written_out = false;
    rewrite_stmts(&mut body, Stmt::blocks_mut, &mut |stmt, out| match stmt {
        Stmt::MatMul(product)
            if [product.into, product.left, product.right]
                .iter()
                .any(|&a| accesses.contains(&(a, Operand::int(0)))) =>
        {
            written_out = true;
            out.extend(Loops { func, fresh: &mut fresh, product: &product }.all());
        }
        stmt => out.push(stmt),
    });
    if written_out {
        func.body = body;
        return;
    }
    let addresses = traced(&body, accesses.iter().map(|access| access.0).collect());
    let mut inserter = Inserter { func, fresh, accesses, addresses, places: FxHashMap::default() };
    rewrite_stmts(&mut body, Stmt::blocks_mut, &mut |stmt, out| inserter.stmt(stmt, out));
    func.body = body;
}

/// Addresses, and those that they are derived from.
fn traced(body: &[Stmt], mut addresses: FxHashSet<LocalId>) -> FxHashSet<LocalId> {
    let mut from = FxHashMap::default();
    crate::for_each_stmt(body, &mut |stmt| {
        if let Stmt::Let { local, expr: Expr::Offset(base, _) | Expr::Copy(Operand::Local(base)) } = stmt {
            from.insert(*local, *base);
        }
    });
    let mut open: Vec<LocalId> = addresses.iter().copied().collect();
    while let Some(address) = open.pop() {
        open.extend(from.get(&address).copied().filter(|base| addresses.insert(*base)));
    }
    addresses
}

/// The position of an address in its array, and the array's length.
#[derive(Clone, Copy)]
struct AddressInArray {
    at: Operand,
    length: LocalId,
}

struct Inserter<'a> {
    func: &'a mut LoopFunc,
    fresh: Fresh,
    accesses: FxHashSet<Access>,
    /// Those whose positions are computed.
    addresses: FxHashSet<LocalId>,
    places: FxHashMap<LocalId, AddressInArray>,
}

impl Inserter<'_> {
    fn stmt(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        if let Stmt::Let { expr: Expr::Load(address, offset), .. } | Stmt::Store { address, offset, .. } = &stmt {
            self.check((*address, *offset), out);
        }
        let bound = match &stmt {
            Stmt::Let { local, expr } if self.addresses.contains(local) => Some((*local, expr.clone())),
            _ => None,
        };
        out.push(stmt);
        if let Some((local, expr)) = bound {
            self.bound(local, &expr, out);
        }
    }

    fn check(&mut self, access: Access, out: &mut Vec<Stmt>) {
        let (address, offset) = access;
        if !self.accesses.contains(&access) {
            return;
        }
        // An address that is not followed stays unproved, and the verifier reports it.
        let Some(&AddressInArray { at, length }) = self.places.get(&address) else { return };
        let place = self.sum(at, offset, out);
        let nowhere = SpanId::from_index(0);
        out.push(Stmt::Check { demand: Demand::Place, args: vec![place, length.into()], span: nowhere });
    }

    /// Computes the position of an address behind the statement that binds it.
    fn bound(&mut self, local: LocalId, expr: &Expr, out: &mut Vec<Stmt>) {
        let place = match expr {
            Expr::BaseAddr(buffer) => {
                let hint = format!("{}.len", self.func.locals[*buffer].name);
                let length = self.fresh.bind(self.func, &hint, Scalar::I64, Expr::Len(*buffer), out);
                Some(AddressInArray { at: Operand::int(0), length })
            }
            Expr::Offset(base, by) => self.places.get(base).copied().map(|base| {
                let at = self.sum(base.at, *by, out);
                // It may change before the address is used.
                let at = if self.is_mutable(at) { self.bind(Expr::Copy(at), out).into() } else { at };
                AddressInArray { at, ..base }
            }),
            Expr::Copy(Operand::Local(base)) => self.places.get(base).copied(),
            _ => None,
        };
        if let Some(place) = place {
            self.places.insert(local, place);
        }
    }

    fn sum(&mut self, a: Operand, b: Operand, out: &mut Vec<Stmt>) -> Operand {
        match (a.as_int(), b.as_int()) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.bind(Expr::Prim(Prim::Add, vec![a, b]), out).into(),
        }
    }

    fn bind(&mut self, expr: Expr, out: &mut Vec<Stmt>) -> LocalId {
        self.fresh.bind(self.func, "place", Scalar::I64, expr, out)
    }

    fn is_mutable(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Local(local) if self.func.locals[local].mutable)
    }
}

/// A matrix product as loops: over the axes of the result, and inside over those that are summed over.
struct Loops<'a> {
    func: &'a mut LoopFunc,
    fresh: &'a mut Fresh,
    product: &'a MatMul,
}

/// The code inside the loops, given the addresses of the result's and the factors' elements.
type Inside<'a, 'b> = &'b mut dyn FnMut(&mut Loops<'a>, [LocalId; 3]) -> Vec<Stmt>;

impl<'a> Loops<'a> {
    fn all(mut self) -> Vec<Stmt> {
        let MatMul { into, left, right, axes, accumulate, zero_wins, .. } = self.product;
        let (summed, kept): (Vec<_>, Vec<_>) = axes.iter().partition(|axis| axis.role == Role::Inner);
        let first = Operand::int(0);
        let elem = self.func.ty(*into).elem();
        let zero = Operand::Const(Const::zero(elem));
        let sum = self.fresh.local(self.func, "sum", Ty::Scalar(elem), true);
        self.over(&kept, [*into, *left, *right], &mut |loops, addresses| {
            let mut out = Vec::new();
            let before = match accumulate {
                true => loops.bind("before", elem, Expr::Load(addresses[0], first), &mut out).into(),
                false => zero,
            };
            out.push(Stmt::Var { local: sum, init: Some(before) });
            out.extend(loops.over(&summed, addresses, &mut |loops, [_, left, right]| {
                let mut out = Vec::new();
                let a = loops.bind("left", elem, Expr::Load(left, first), &mut out);
                let b = loops.bind("right", elem, Expr::Load(right, first), &mut out);
                let times = if *zero_wins { Prim::MulZero } else { Prim::Mul };
                let term = loops.bind("term", elem, Expr::Prim(times, vec![a.into(), b.into()]), &mut out);
                let after = loops.bind("after", elem, Expr::Prim(Prim::Add, vec![sum.into(), term.into()]), &mut out);
                out.push(Stmt::Set { local: sum, value: after.into() });
                out
            }));
            let after = loops.bind("total", elem, Expr::Copy(sum.into()), &mut out);
            out.push(Stmt::Store { address: addresses[0], offset: first, value: after.into() });
            out
        })
    }

    fn bind(&mut self, hint: &str, elem: Scalar, expr: Expr, out: &mut Vec<Stmt>) -> LocalId {
        self.fresh.bind(self.func, hint, elem, expr, out)
    }

    /// Loops over axes, outermost first, whose iterations move the addresses along.
    fn over(&mut self, axes: &[&ProductAxis], addresses: [LocalId; 3], inside: Inside<'a, '_>) -> Vec<Stmt> {
        let Some((axis, rest)) = axes.split_first() else { return inside(self, addresses) };
        let index = self.fresh.local(self.func, "k", Ty::Scalar(Scalar::I64), false);
        let (mut inductions, mut body) = (Vec::new(), Vec::new());
        let steps = [axis.into, axis.left, axis.right];
        let mut moved = addresses;
        for (address, step) in moved.iter_mut().zip(steps).filter(|(_, step)| step.as_int() != Some(0)) {
            let local = self.fresh.local(self.func, "k.step", Ty::Scalar(Scalar::I64), false);
            inductions.push(Induction { local, step });
            let ty = self.func.ty(*address);
            let further = self.fresh.local(self.func, "factor", ty, false);
            body.push(Stmt::Let { local: further, expr: Expr::Offset(*address, local.into()) });
            *address = further;
        }
        body.extend(self.over(rest, moved, inside));
        let span = SpanId::from_index(0);
        let extent = axis.extent;
        let l = For {
            index,
            extent,
            reverse: false,
            inductions,
            origin: Origin::Kernel,
            parallel: None,
            scan: None,
            span,
            body,
        };
        vec![Stmt::For(Box::new(l))]
    }
}
