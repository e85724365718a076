//! Range analysis of 64-bit integers: which are known to fit a device with 32 bits.
//!
//! Every local gets a range, computed from those of sizes, indices and constants; elements of arrays may be anything
//! that fits. An operator whose result is not known to fit is *checked*: the kernel tests it, and stops the program. A
//! value that is only a part of an address is neither: additions and products of 32 bits that wrap give the right
//! address, since that is inside a buffer, and buffers have fewer elements than 32 bits count.
//!
//! The host computes with 64 bits, and refuses values that do not fit where it passes them to a kernel.
//!
//! The least and the greatest number of 64 bits, with which searches for extremes begin, become those of 32 bits:
//! comparing, choosing and moving them is exact, any other operation stops the program.

mod finder;
mod interval;
mod places;
mod wanted;

use finder::Finder;
use interval::Range;
use places::places;
use wanted::{Conditions, wanted};

use crate::plan::Placement;
use crate::program::narrowed_constant;
use arr_ir::{Const, Prim, TypeRule};
use arr_loops::{Expr, LocalId, LoopFunc, Operand, Stmt, for_each_chunked_stmt};
use std::collections::{HashMap, HashSet};

/// The ranges of integers in kernels whose `i64` has 32 bits. Empty if it has 64.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ranges {
    known: HashMap<LocalId, Range>,
    /// Operators and inductions whose results may not fit.
    checked: HashSet<LocalId>,
    /// Parts of addresses.
    places: HashSet<LocalId>,
    /// Values that are used only where conditions have these values.
    wanted: HashMap<LocalId, Conditions>,
    narrow: bool,
}

impl Ranges {
    /// Those of a function with this body.
    pub fn find(func: &LoopFunc, body: &[Stmt], placement: &Placement) -> Ranges {
        let finder = Finder::of(func, body, placement);
        let places = places(func, body);
        let mut checked = HashSet::new();
        for_each_chunked_stmt(body, &mut |stmt| {
            // What the host does elsewhere may be a part of a kernel that is a whole loop.
            finder.results(stmt, true, &mut |local, range| {
                if !range.fits() && !places.contains(&local) {
                    checked.insert(local);
                }
            });
        });
        Ranges { known: finder.known, checked, places, wanted: wanted(func, body), narrow: true }
    }

    /// The conditions under which a local is used: cheap branches run unconditionally.
    pub fn wanted(&self, local: LocalId) -> &[(LocalId, bool)] {
        self.wanted.get(&local).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the result that a `let` or an induction binds may not fit.
    pub fn is_checked(&self, local: LocalId) -> bool {
        self.checked.contains(&local)
    }

    /// Whether a local is only a part of addresses: it may wrap.
    pub fn is_place(&self, local: LocalId) -> bool {
        self.places.contains(&local)
    }

    /// Whether an operand may be an extreme of 64 bits.
    pub fn may_be_extreme(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(c) => self.narrow && matches!(c, Const::I64(i64::MIN | i64::MAX)),
            Operand::Local(local) => self.known.get(&local).is_some_and(|range| range.extreme),
        }
    }

    /// Whether an operand is a constant that does not fit.
    pub fn is_unfit(&self, operand: Operand) -> bool {
        self.narrow && matches!(operand, Operand::Const(Const::I64(i)) if narrowed_constant(i).is_none())
    }

    /// Whether a statement, without the blocks inside it, can stop the program because of an integer.
    pub fn may_stop(&self, stmt: &Stmt) -> bool {
        if !self.narrow {
            return false;
        }
        match stmt {
            Stmt::Let { local, expr: Expr::Prim(prim, args) } => {
                let unfit = !self.is_place(*local) && args.iter().any(|&a| self.is_unfit(a));
                unfit || self.is_checked(*local) || !moves(*prim) && args.iter().any(|&a| self.may_be_extreme(a))
            }
            Stmt::Let { expr: Expr::Copy(a), .. } | Stmt::Var { init: Some(a), .. } => self.is_unfit(*a),
            Stmt::Set { value, .. } | Stmt::Store { value, .. } => self.is_unfit(*value),
            Stmt::Check { args, .. } => args.iter().any(|&a| self.is_unfit(a)),
            Stmt::For(l) => {
                self.is_unfit(l.extent)
                    || self.may_be_extreme(l.extent)
                    || l.inductions.iter().any(|i| self.is_checked(i.local))
            }
            _ => false,
        }
    }
}

/// Whether an operator only compares, chooses and moves integers, so that it supports the extremes.
pub(crate) fn moves(prim: Prim) -> bool {
    matches!(prim, Prim::Min | Prim::Max | Prim::Select | Prim::ToI64 | Prim::ToBool)
        || prim.rule() == TypeRule::Compare
}
