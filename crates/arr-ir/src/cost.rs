//! The costs of primitives: the one table from which every pass derives its figures.
//!
//! A row gives the class of a primitive on floats, integers and bools. The unit of a class is the **cycle**: the time
//! of an addition of two doubles in scalar code on a current x86-64 core, where operations are independent
//! ([`Cost::cycles`]) or each depends on the one before ([`Cost::latency`]). Figures are rounded: passes need their
//! ratios.
//! The cost of memory (a load, a store, a cache line) is not here but in the passes that weigh it against arithmetic.
//!
//! Most passes do not look at operand types and use [`Prim::cost`], the highest cost of a primitive over all types.

use crate::{Func, Op, Prim, Scalar};

/// The class of a primitive, cheapest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cost {
    /// One instruction, or about that.
    Cheap,
    /// An operation together with a comparison and a selection: `min`, `sign`, `mulz`.
    Compound,
    /// A division or remainder. It takes longer than a load from the cache, so it is not computed needlessly;
    /// recomputing it is still cheaper than a store and a load.
    Division,
    /// A square root, or a power with an integer exponent, which is a few multiplications.
    Root,
    /// A function of the mathematical library. It takes longer than a store and a load of the result.
    Function,
}

impl Cost {
    /// Cycles per operation when operations are independent (throughput).
    pub const fn cycles(self) -> u32 {
        match self {
            Cost::Cheap => 1,
            Cost::Compound => 2,
            Cost::Division | Cost::Root => 4,
            Cost::Function => 20,
        }
    }

    /// Cycles until the result of an operation on floats is available (latency).
    pub const fn latency(self) -> u32 {
        match self {
            Cost::Cheap => 4,
            Cost::Compound => 8,
            Cost::Division => 13,
            Cost::Root => 16,
            Cost::Function => 40,
        }
    }

    /// The number of operations that it counts as where recomputation is weighed against a store and a load. Any single
    /// instruction, even a division, runs while memory is waited for, so only the number of statements counts; a
    /// function does not.
    pub const fn operations(self) -> u32 {
        match self {
            Cost::Cheap | Cost::Compound | Cost::Division | Cost::Root => 1,
            Cost::Function => self.cycles(),
        }
    }
}

/// The cost of a primitive by the kind of its numbers; `None` for a kind that it is not defined on.
struct Row {
    float: Option<Cost>,
    int: Option<Cost>,
    bool: Option<Cost>,
    most: Cost,
}

impl Row {
    fn floats(cost: Cost) -> Row {
        Row { float: Some(cost), int: None, bool: None, most: cost }
    }

    fn ints(cost: Cost) -> Row {
        Row { float: None, int: Some(cost), bool: None, most: cost }
    }

    fn bools(cost: Cost) -> Row {
        Row { float: None, int: None, bool: Some(cost), most: cost }
    }

    fn numbers(float: Cost, int: Cost) -> Row {
        Row { float: Some(float), int: Some(int), bool: None, most: float.max(int) }
    }

    fn scalars(cost: Cost) -> Row {
        Row { float: Some(cost), int: Some(cost), bool: Some(cost), most: cost }
    }
}

/// The table. It has no wildcard arm, so that the compiler names a primitive without a row; those of
/// `arr_math::for_each_function` are functions.
fn row(prim: Prim) -> Row {
    match prim {
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg | Prim::Abs => Row::numbers(Cost::Cheap, Cost::Cheap),
        Prim::Min | Prim::Max | Prim::Sign => Row::numbers(Cost::Compound, Cost::Compound),
        Prim::MulZero => Row::floats(Cost::Compound),
        Prim::Div | Prim::Rem => Row::numbers(Cost::Division, Cost::Division),
        Prim::Sqrt | Prim::PowInt => Row::floats(Cost::Root),
        // Integer powers are computed by multiplications.
        Prim::Pow => Row::numbers(Cost::Function, Cost::Root),
        crate::any_function!() | Prim::Atan2 | Prim::Polygamma => Row::floats(Cost::Function),
        Prim::Floor | Prim::Ceil | Prim::Round | Prim::IsNan | Prim::IsFinite => Row::floats(Cost::Cheap),
        Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => Row::numbers(Cost::Cheap, Cost::Cheap),
        Prim::Eq | Prim::Ne | Prim::Select => Row::scalars(Cost::Cheap),
        Prim::And | Prim::Or | Prim::Not => Row::bools(Cost::Cheap),
        Prim::BitAnd | Prim::BitOr | Prim::BitXor | Prim::Shl | Prim::Shr => Row::ints(Cost::Cheap),
        Prim::ToBool | Prim::ToI32 | Prim::ToI64 | Prim::ToU32 | Prim::ToF32 | Prim::ToF64 => Row::scalars(Cost::Cheap),
    }
}

impl Prim {
    /// The cost on the kind of numbers where it is highest.
    pub fn cost(self) -> Cost {
        row(self).most
    }

    /// The cost on numbers of this type: the numbers it computes with, not the exponent of `powi`, the order of
    /// `polygamma` or the condition of `select`. `None` where it is not defined on them.
    pub fn cost_on(self, elem: Scalar) -> Option<Cost> {
        let Row { float, int, bool, .. } = row(self);
        match elem {
            Scalar::F32 | Scalar::F64 => float,
            Scalar::I32 | Scalar::I64 | Scalar::U32 => int,
            Scalar::Bool => bool,
        }
    }

    /// Whether it may run speculatively, in front of a branch for instance: it costs less than the branch would, and
    /// does not stop the program, as only divisions do.
    pub fn may_be_speculated(self) -> bool {
        self.cost() < Cost::Division
    }
}

/// Whether an operation is a primitive of the class [`Cost::Function`].
pub fn is_function(op: &Op) -> bool {
    matches!(op, Op::Prim(prim, _) if prim.cost() >= Cost::Function)
}

/// Whether an operation is a primitive that may be recomputed elsewhere: that costs less than a store and a load of its
/// result, and it cannot stop the program.
pub fn may_be_repeated(func: &Func, op: &Op) -> bool {
    matches!(op, Op::Prim(..)) && !is_function(op) && !op.may_fail(func)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSES: [Cost; 5] = [Cost::Cheap, Cost::Compound, Cost::Division, Cost::Root, Cost::Function];
    const ELEMS: [Scalar; 6] = [Scalar::Bool, Scalar::I32, Scalar::I64, Scalar::U32, Scalar::F32, Scalar::F64];

    /// The operand types of a primitive whose numbers have this type.
    fn operands(prim: Prim, elem: Scalar) -> Vec<Scalar> {
        match prim {
            Prim::PowInt => vec![elem, Scalar::I64],
            Prim::Polygamma => vec![Scalar::I64, elem],
            Prim::Select => vec![Scalar::Bool, elem, elem],
            _ => vec![elem; prim.arity()],
        }
    }

    #[test]
    fn classes_are_in_order() {
        assert!(CLASSES.is_sorted());
        assert!(CLASSES.is_sorted_by_key(|class| class.cycles()));
        assert!(CLASSES.is_sorted_by_key(|class| class.latency()));
        assert!(CLASSES.is_sorted_by_key(|class| class.operations()));
        assert!(CLASSES.iter().all(|class| class.operations() <= class.cycles() && class.cycles() <= class.latency()));
    }

    #[test]
    fn a_function_costs_a_root_costs_a_division_costs_an_addition() {
        for elem in ELEMS {
            let costs = [Prim::Add, Prim::Div, Prim::Sqrt, Prim::Exp].map(|prim| prim.cost_on(elem));
            assert!(costs.into_iter().flatten().is_sorted(), "{elem}: {costs:?}");
        }
        assert!([Prim::Add, Prim::Div, Prim::Sqrt, Prim::Exp].map(Prim::cost).is_sorted());
    }

    #[test]
    fn costs_are_there_where_primitives_are_defined() {
        for &prim in Prim::ALL {
            for elem in ELEMS {
                let defined = prim.result(&operands(prim, elem)).is_some();
                assert_eq!(prim.cost_on(elem).is_some(), defined, "{} on {elem}", prim.name());
            }
            assert_eq!(ELEMS.iter().filter_map(|&elem| prim.cost_on(elem)).max(), Some(prim.cost()), "{}", prim.name());
        }
    }

    #[test]
    fn only_floats_have_functions() {
        for &prim in Prim::ALL {
            for elem in ELEMS.into_iter().filter(|elem| !elem.is_float()) {
                assert!(prim.cost_on(elem) < Some(Cost::Function), "{} on {elem}", prim.name());
            }
        }
    }

    #[test]
    fn what_is_speculated_does_not_fail() {
        for &prim in Prim::ALL {
            assert!(!prim.may_be_speculated() || !ELEMS.iter().any(|&elem| prim.may_fail(elem)), "{}", prim.name());
        }
    }
}
