//! Numbers that record how to differentiate them.

use arr_ir::{Const, Scalar};
use std::rc::Rc;

/// One evaluation of a `vjp` or `jvp`, numbered from 1 in the order in which they start: those inside others come later.
pub(crate) type Sweep = usize;

/// A scalar. Each sweep wraps the numbers of the sweeps around it.
#[derive(Clone, Debug)]
pub(crate) enum Num {
    Plain(Const),
    /// Watched by a reverse sweep: an entry of its tape.
    Taped {
        sweep: Sweep,
        below: Rc<Num>,
        entry: usize,
    },
    /// Watched by a forward sweep.
    Dual {
        sweep: Sweep,
        below: Rc<Num>,
        tangent: Rc<Num>,
    },
}

impl Num {
    /// The innermost sweep that watches the number, 0 for none.
    pub fn sweep(&self) -> Sweep {
        match self {
            Num::Plain(_) => 0,
            Num::Taped { sweep, .. } | Num::Dual { sweep, .. } => *sweep,
        }
    }

    /// The number without this sweep.
    pub fn without(&self, sweep: Sweep) -> Num {
        match self {
            Num::Taped { sweep: s, below, .. } | Num::Dual { sweep: s, below, .. } if *s == sweep => (**below).clone(),
            _ => self.clone(),
        }
    }

    /// The number that a program without derivatives would have.
    pub fn plain(&self) -> Const {
        match self {
            Num::Plain(c) => *c,
            Num::Taped { below, .. } | Num::Dual { below, .. } => below.plain(),
        }
    }

    pub fn elem(&self) -> Scalar {
        self.plain().scalar()
    }

    /// Whether it is zero and nothing watches it.
    pub fn is_zero(&self) -> bool {
        matches!(self, Num::Plain(c) if c.is_zero())
    }

    /// A constant of the type of this number.
    pub fn like(&self, value: f64) -> Num {
        Num::Plain(match self.elem() {
            Scalar::F32 => Const::F32(value as f32),
            _ => Const::F64(value),
        })
    }
}
