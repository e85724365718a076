//! The plan of the vectorizer: which loops are vectorised, so that several iterations run at once in vector registers.
//!
//! A loop is vectorised when its iterations are independent and write arrays (the innermost loop of a map, or the loop
//! around a reduction: several sums side by side), or when it is a reduction and its terms may be combined in another
//! order. In a strict plan every element is computed by the same operations in the same order as in the plain loop, so
//! results do not change by a bit. A plain loop executes the remaining iterations.
//!
//! [`choose`] selects the loop of a nest: it compares the costs of the nest with each loop vectorised.

use super::cost;
use super::legality::legal_plan;
use crate::codegen::fold::Fold;
use arr_ir::{Cost, Prim, Scalar, TypeRule};
use arr_loops::{Expr, For, LocalId, LoopFunc, Stmt};
use std::collections::{HashMap, HashSet};

/// How a value differs between the iterations of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::codegen) enum Class {
    /// Not at all.
    Uniform,
    /// An `i64` or an address, with a constant step from each to the next; in elements, if known.
    Linear(Option<i64>),
    /// Floats in vectors.
    Vector,
    /// The outcome of a comparison of such floats.
    Mask,
    /// Separate integers or addresses.
    Lanes,
}

/// A plan for vectorising a loop. It is data about the loop alone: the emitter, and its vector size, may treat
/// `vectors` as a hint.
#[derive(Clone, Debug)]
pub(in crate::codegen) struct Plan {
    /// The classes of the locals that are bound in the loop, at any depth, and of its index and inductions. Locals bound
    /// outside, which are not here, are uniform.
    pub classes: HashMap<LocalId, Class>,
    /// The one float type of all vectors.
    pub elem: Scalar,
    /// Vectors of 128 bits per value: iterations at once are this many times the lanes of one.
    pub vectors: usize,
    /// Reductions into locals declared outside of the loop, by the local that the new value is bound to. They may be in loops
    /// inside this one unless they are `ordered`.
    pub folds: HashMap<LocalId, Fold>,
    /// Terms are added to the accumulators one after the other, as in the plain loop. Otherwise every lane of every
    /// vector has an accumulator of its own, which begins with the fold's identity; after the loop they are combined,
    /// pairs of vectors first, then lanes, and the total is merged into the local.
    pub ordered: bool,
    /// Whether the remaining iterations run one vector at a time as far as possible, before they run one by one.
    pub tail: bool,
    /// Addresses whose elements the loop changes, each iteration its own.
    pub changed: HashSet<LocalId>,
    /// Whether it has branches, or checks and comparisons of integers, which only kernels can vectorise.
    pub kernel: bool,
}

impl Plan {
    pub fn lanes(&self) -> usize {
        16 / self.elem.bytes()
    }

    /// Iterations at once.
    pub fn width(&self) -> usize {
        self.vectors * self.lanes()
    }

    /// The plan for the remaining iterations, one vector at a time.
    pub fn narrow(&self) -> Plan {
        Plan { vectors: 1, tail: false, ..self.clone() }
    }
}

/// Constraints on plans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aims {
    /// Iterations of the program's loops are counted.
    pub counts: bool,
    /// Sums and products may be reordered.
    pub relaxed: bool,
    /// There are kernels of the machine's widest vectors.
    pub kernels: bool,
}

/// Vectors per value in loops that call a function: enough for the widest registers to work on several at once.
pub(in crate::codegen) const MOST_VECTORS: usize = 8;

/// Loops of at most this many iterations are unrolled.
const MOST_UNROLLED: i64 = 4;

/// Loops with more statements are not.
const LONGEST_UNROLLED: usize = 16;

/// Whether a loop is unrolled, one copy of its body per iteration.
pub(in crate::codegen) fn unrolls(l: &For, counts: bool) -> bool {
    l.extent.as_int().is_some_and(|n| (0..=MOST_UNROLLED).contains(&n))
        && !(l.is_source() && counts)
        && l.body.len() <= LONGEST_UNROLLED
        && l.body.iter().all(|stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Set { .. } | Stmt::Store { .. }))
}

/// The buffers that addresses point into.
pub(in crate::codegen) fn roots(loops: &LoopFunc) -> HashMap<LocalId, LocalId> {
    fn find(stmts: &[Stmt], roots: &mut HashMap<LocalId, LocalId>) {
        for stmt in stmts {
            match stmt {
                Stmt::Let { local, expr: Expr::BaseAddr(buffer) } => drop(roots.insert(*local, *buffer)),
                Stmt::Let { local, expr: Expr::Offset(address, _) } => {
                    if let Some(&root) = roots.get(address) {
                        roots.insert(*local, root);
                    }
                }
                Stmt::For(l) => {
                    find(&l.body, roots);
                    if let Some(scan) = &l.scan {
                        find(&scan.before, roots);
                        find(&scan.summary, roots);
                    }
                }
                Stmt::While(l) => {
                    find(&l.head, roots);
                    find(&l.body, roots);
                }
                Stmt::If { then_body, else_body, .. } => {
                    find(then_body, roots);
                    find(else_body, roots);
                }
                _ => {}
            }
        }
    }
    let mut found = HashMap::new();
    find(&loops.body, &mut found);
    found
}

/// A plan for the loop; `None` if it is better left plain, or an inner one is vectorised instead. `roots` are the
/// buffers of the function's addresses.
pub(in crate::codegen) fn choose(
    loops: &LoopFunc,
    l: &For,
    roots: &HashMap<LocalId, LocalId>,
    aims: Aims,
) -> Option<Plan> {
    best(loops, l, roots, aims).plan
}

/// The best plan for a loop, and the cost of all its iterations.
pub(in crate::codegen) struct Choice {
    pub plan: Option<Plan>,
    pub cost: f64,
}

pub(in crate::codegen) fn best(loops: &LoopFunc, l: &For, roots: &HashMap<LocalId, LocalId>, aims: Aims) -> Choice {
    let trips = cost::trips(l.extent);
    let once = cost::body(loops, &l.body, &mut |inner| best(loops, inner, roots, aims).cost);
    let plain = trips * (once + cost::ITERATION);
    if unrolls(l, aims.counts) {
        return Choice { plan: None, cost: trips * once };
    }
    let wide =
        legal_plan(loops, l, roots, aims).filter(|(plan, _)| plan.lanes() as f64 <= trips).map(|(mut plan, each)| {
            while plan.vectors > 1 && plan.width() as f64 > trips {
                plan.vectors /= 2;
            }
            let cost = cost::wide(&plan, &each, trips, once);
            Choice { plan: Some(plan), cost }
        });
    match wide {
        Some(wide) if wide.cost < plain => wide,
        _ => Choice { plan: None, cost: plain },
    }
}

/// Primitives on floats of one type without vector instructions, which are functions of the runtime.
pub(in crate::codegen) fn is_lane_prim(prim: Prim) -> bool {
    prim.cost() >= Cost::Function && matches!(prim.rule(), TypeRule::Num | TypeRule::Float)
}

/// The runtime's function for a primitive on a run of floats, in place.
pub(in crate::codegen) fn run_function(prim: Prim, elem: Scalar) -> Option<&'static str> {
    let (wide, narrow) = match prim {
        Prim::Pow => ("arr_pow_f64s", "arr_pow_f32s"),
        _ => arr_runtime::run_symbols(prim.name())?,
    };
    Some(if elem == Scalar::F32 { narrow } else { wide })
}

/// Primitives on floats that have vector instructions on every machine.
pub(in crate::codegen) fn is_vector_prim(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Div
            | Prim::MulZero
            | Prim::Neg
            | Prim::Abs
            | Prim::Sign
            | Prim::Sqrt
            | Prim::Min
            | Prim::Max
            | Prim::IsNan
            | Prim::Eq
            | Prim::Ne
            | Prim::Lt
            | Prim::Le
            | Prim::Gt
            | Prim::Ge
    )
}

/// A vectorised loop, as text for tests: `i: f64 x 8, 2 folds in lanes`.
pub(crate) fn describe(loops: &LoopFunc, aims: Aims) -> Vec<String> {
    fn walk(loops: &LoopFunc, stmts: &[Stmt], roots: &HashMap<LocalId, LocalId>, aims: Aims, found: &mut Vec<String>) {
        for stmt in stmts {
            match stmt {
                Stmt::For(l) => match choose(loops, l, roots, aims) {
                    Some(plan) => {
                        let name = &loops.locals[l.index].name;
                        let order = if plan.ordered { "in order" } else { "in lanes" };
                        let folds = match plan.folds.len() {
                            0 => String::new(),
                            1 => format!(", 1 fold {order}"),
                            n => format!(", {n} folds {order}"),
                        };
                        let tail = if plan.tail { ", tail" } else { "" };
                        found.push(format!("{name}: {} x {}{folds}{tail}", plan.elem, plan.vectors));
                    }
                    None => walk(loops, &l.body, roots, aims, found),
                },
                Stmt::While(l) => {
                    walk(loops, &l.head, roots, aims, found);
                    walk(loops, &l.body, roots, aims, found);
                }
                Stmt::If { then_body, else_body, .. } => {
                    walk(loops, then_body, roots, aims, found);
                    walk(loops, else_body, roots, aims, found);
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(loops, &loops.body, &roots(loops), aims, &mut found);
    found
}
