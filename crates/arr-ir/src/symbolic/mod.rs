//! What a function will cost, as polynomials in its sizes: the counts of the interpreter, without running it.
//!
//! Shapes are symbolic, so that the number of times that a statement runs is a polynomial in sizes wherever no extent
//! depends on data. The function is evaluated once, with costs in place of values and one owner count per array, as
//! [`crate::interp`] does it: `machine.rs` and `memory.rs` mirror `interp/exec.rs` and `interp/kernel.rs`, operation by
//! operation; `integers.rs` knows which polynomials integers are.
//! Loops whose state is arrays are evaluated twice, because the first iteration may copy what the others change in
//! place.
//!
//! Where a cost depends on data, the polynomial is a bound, and the reason is among the [`Doubt`]s. It holds for sizes
//! for which no axis would be negative and no loop with arrays in its state is empty.
//!
//! The counts equal those of the interpreter where there is no doubt: tests/symbolic.rs, and `tests/ways.rs` of the whole
//! compiler.

mod count;
mod integers;
mod machine;
mod memory;

pub use count::{Count, Symbol};

use crate::Func;
use arr_base::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A line of the account: the place in the program, and whether it is the value or the derivative of what stands there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    pub span: Option<Span>,
    pub derivative: bool,
}

/// Operations and bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Scalar operations on floats, except functions.
    pub floats: Count,
    /// Functions of floats: `exp`, `sin`, `pow`, ...
    pub functions: Count,
    /// Operations on integers and bools, for indices above all. With the other two, what the interpreter counts as
    /// `prims`.
    pub others: Count,
    /// Elements read and written.
    pub reads: Count,
    pub writes: Count,
    /// Bytes of what is read and written.
    pub bytes: Count,
    /// Bytes of arrays that are made.
    pub allocated: Count,
}

impl Work {
    fn zip(&self, other: &Work, f: &dyn Fn(&Count, &Count) -> Count) -> Work {
        Work {
            floats: f(&self.floats, &other.floats),
            functions: f(&self.functions, &other.functions),
            others: f(&self.others, &other.others),
            reads: f(&self.reads, &other.reads),
            writes: f(&self.writes, &other.writes),
            bytes: f(&self.bytes, &other.bytes),
            allocated: f(&self.allocated, &other.allocated),
        }
    }

    pub fn add(&self, other: &Work) -> Work {
        self.zip(other, &Count::add)
    }

    /// Operations on floats.
    pub fn operations(&self) -> Count {
        self.floats.add(&self.functions)
    }

    /// What the interpreter counts as `prims`.
    pub fn prims(&self) -> Count {
        self.operations().add(&self.others)
    }
}

/// A reason why a count is a bound and not exact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Doubt {
    /// Of an `if` whose branches differ, the larger cost is counted.
    Branch,
    /// A write that happens where a condition holds is counted everywhere.
    Guard,
    /// A `while` runs any number of times: a symbol stands for it.
    While,
    /// An extent depends on data inside of a loop: a symbol stands for the largest.
    Extent,
    /// Comparisons of a sort.
    Sort,
}

/// The account of a function.
#[derive(Clone, Debug)]
pub struct Prediction {
    pub work: BTreeMap<Place, Work>,
    /// Bytes of arrays in use at one time, at most, without arguments.
    pub peak: Count,
    /// Whether so many are used at some time, whatever the sizes are.
    pub peak_is_exact: bool,
    pub doubts: BTreeSet<Doubt>,
    /// The expressions that are [`Symbol::Other`].
    pub others: Vec<String>,
}

impl Prediction {
    pub fn total(&self) -> Work {
        self.work.values().fold(Work::default(), |total, work| total.add(work))
    }

    /// The name of a symbol.
    pub fn name<'a>(&'a self, func: &'a Func, symbol: Symbol) -> &'a str {
        match symbol {
            Symbol::Var(v) => func.name(v),
            Symbol::Other(n) => self.others.get(n as usize).map_or("?", String::as_str),
        }
    }
}

/// The account of a function without derivatives, as the interpreter runs it.
pub fn predict(func: &Func) -> Prediction {
    machine::predict(func, false)
}

/// The same as compiled code runs it: a kernel that reads what it changes in the columns of its own points alone changes it
/// in place, where the interpreter makes a copy ([`crate::columns`]).
pub fn predict_compiled(func: &Func) -> Prediction {
    machine::predict(func, true)
}
