//! Which loops are made wide: several iterations at once, in vector registers.
//!
//! A loop is made wide when its iterations are independent and write arrays: the innermost loop of a map, or the loop
//! around a reduction (several sums side by side). Every element is computed by the same operations in the same order
//! as in the plain loop, so results do not change by a bit. A plain loop does the iterations that are left over.

use super::fold::{Fold, folds};
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, For, LocalId, LoopFunc, Operand, Stmt, Ty};
use std::collections::{HashMap, HashSet};

/// How a value differs between the iterations that are done at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Not at all.
    Uniform,
    /// An `i64` or an address, by a step that is the same from each to the next; in elements, if constant.
    Linear(Option<i64>),
    /// Floats in vectors.
    Vector,
    /// The outcome of a comparison of such floats.
    Mask,
    /// Separate integers or addresses.
    Lanes,
}

/// How to make a loop wide.
#[derive(Debug)]
pub(super) struct Plan {
    pub classes: HashMap<LocalId, Class>,
    /// The one float type of all vectors.
    pub elem: Scalar,
    /// Vectors a value.
    pub vectors: usize,
    /// Reductions whose terms are computed side by side.
    pub folds: HashMap<LocalId, Fold>,
}

impl Plan {
    pub fn lanes(&self) -> usize {
        16 / self.elem.bytes()
    }

    /// Iterations at once.
    pub fn width(&self) -> usize {
        self.vectors * self.lanes()
    }
}

/// Vectors a value where a function is called on them: enough for the widest registers to work on several at once.
pub(super) const MOST_VECTORS: usize = 8;

/// Values in more vectors than this many operations make do not stay in registers.
const SMALL_BODY: usize = 8;

/// A plan for the loop; `None` if it is not to be made wide. `roots` are the buffers of addresses bound around it.
/// A loop of the program is done in step for all iterations where its state is floats, unless its steps are counted.
pub(super) fn plan(loops: &LoopFunc, l: &For, roots: &HashMap<LocalId, LocalId>, counts: bool) -> Option<Plan> {
    if l.reverse || l.counted {
        return None;
    }
    let mut planner = Planner {
        loops,
        counts,
        outer_roots: roots,
        roots: HashMap::new(),
        classes: HashMap::new(),
        elem: None,
        read: HashSet::new(),
        written: HashSet::new(),
        depth: 0,
        chains: 0,
        chained: false,
        gain: 0,
        operations: 0,
        scattered: false,
        folds: folds(loops, &l.body),
        calls: false,
    };
    planner.classes.insert(l.index, Class::Linear(Some(1)));
    for induction in &l.inductions {
        planner.uniform(induction.step)?;
        planner.classes.insert(induction.local, Class::Linear(induction.step.as_int()));
    }
    planner.block(&l.body)?;
    // Terms that are cheap wait for the accumulator, however they are computed.
    let folds = planner.calls && !planner.folds.is_empty();
    (folds || planner.folds.is_empty()).then_some(())?;
    let works = folds || !planner.written.is_empty();
    let independent = works && planner.written.is_disjoint(&planner.read);
    let small = planner.operations <= SMALL_BODY && !planner.scattered;
    (independent && planner.gain > 0).then_some(())?;
    let vectors = match (small, planner.chained) {
        _ if planner.calls => MOST_VECTORS,
        (true, true) => MOST_VECTORS,
        (true, false) => 4,
        (false, _) => 2,
    };
    Some(Plan { classes: planner.classes, elem: planner.elem?, vectors, folds: planner.folds })
}

struct Planner<'a> {
    loops: &'a LoopFunc,
    /// Whether iterations of the program's loops are counted.
    counts: bool,
    outer_roots: &'a HashMap<LocalId, LocalId>,
    roots: HashMap<LocalId, LocalId>,
    classes: HashMap<LocalId, Class>,
    elem: Option<Scalar>,
    read: HashSet<LocalId>,
    written: HashSet<LocalId>,
    /// Loops inside the one that is made wide.
    depth: usize,
    /// Those among them whose iterations wait for each other: loops of the program.
    chains: usize,
    /// Whether there is such a loop.
    chained: bool,
    /// Vector operations and loads: what is won.
    gain: usize,
    operations: usize,
    /// Whether an inner loop reads from a place for each lane.
    scattered: bool,
    folds: HashMap<LocalId, Fold>,
    /// Whether a function of the runtime is called on the values side by side.
    calls: bool,
}

impl Planner<'_> {
    fn class(&self, operand: Operand) -> Class {
        match operand {
            Operand::Local(local) => self.classes.get(&local).copied().unwrap_or(Class::Uniform),
            Operand::Const(_) => Class::Uniform,
        }
    }

    fn uniform(&self, operand: Operand) -> Option<()> {
        (self.class(operand) == Class::Uniform).then_some(())
    }

    /// Fails unless the operand is a float of the loop's one type, the same in all iterations or in vectors.
    fn float(&mut self, operand: Operand) -> Option<()> {
        self.float_type(self.loops.elem(operand))?;
        matches!(self.class(operand), Class::Uniform | Class::Vector).then_some(())
    }

    fn float_type(&mut self, elem: Scalar) -> Option<()> {
        (elem.is_float() && *self.elem.get_or_insert(elem) == elem).then_some(())
    }

    fn root(&self, address: LocalId) -> Option<LocalId> {
        self.roots.get(&address).or_else(|| self.outer_roots.get(&address)).copied()
    }

    fn block(&mut self, stmts: &[Stmt]) -> Option<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        match stmt {
            Stmt::Let { local, .. } if self.folds.contains_key(local) => {
                let term = self.folds.get(local).map(|fold| fold.term)?;
                self.operations += 1;
                // A term that is the same in all iterations is left to the plain loop.
                (self.class(term) == Class::Vector).then_some(())
            }
            Stmt::Set { value: Operand::Local(next), .. } if self.folds.contains_key(next) => Some(()),
            Stmt::Let { local, expr } => {
                let class = self.expr(*local, expr)?;
                self.classes.insert(*local, class);
                Some(())
            }
            Stmt::Var { local, init } => {
                self.float_type(self.loops.ty(*local).elem())?;
                matches!(self.loops.ty(*local), Ty::Scalar(_)).then_some(())?;
                self.classes.insert(*local, Class::Vector);
                init.map_or(Some(()), |init| self.float(init))
            }
            // A local of an outer block would carry a value from one iteration to the next.
            Stmt::Set { local, value } if self.classes.contains_key(local) => self.float(*value),
            Stmt::Store { address, offset, value } if self.depth == 0 => {
                self.float(*value)?;
                let place = self.sum((*address).into(), *offset)?;
                self.written.insert(self.root(*address)?);
                (place != Class::Uniform && place != Class::Linear(Some(0))).then_some(())
            }
            Stmt::Check { args, .. } => args.iter().try_for_each(|&a| self.uniform(a)),
            Stmt::For(l) if !(l.counted && self.counts) => {
                self.uniform(l.extent)?;
                l.inductions.iter().try_for_each(|i| self.uniform(i.step))?;
                self.depth += 1;
                self.chains += usize::from(l.counted);
                self.chained |= l.counted;
                self.block(&l.body)?;
                self.chains -= usize::from(l.counted);
                self.depth -= 1;
                Some(())
            }
            _ => None,
        }
    }

    fn expr(&mut self, local: LocalId, expr: &Expr) -> Option<Class> {
        match expr {
            Expr::Prim(prim, args) => self.prim(*prim, args, self.loops.ty(local).elem()),
            Expr::Copy(a) => Some(self.class(*a)),
            Expr::Data(buffer) => {
                self.roots.insert(local, *buffer);
                Some(self.class((*buffer).into()))
            }
            Expr::Offset(address, offset) => {
                self.roots.insert(local, self.root(*address)?);
                // An unknown step is added up once here, not at every use.
                Some(match self.sum((*address).into(), *offset)? {
                    Class::Linear(None) => Class::Lanes,
                    class => class,
                })
            }
            Expr::Load(address, offset) => self.load(*address, *offset),
            Expr::Literal(_) => None,
        }
    }

    fn load(&mut self, address: LocalId, offset: Operand) -> Option<Class> {
        let place = self.sum(address.into(), offset)?;
        self.read.insert(self.root(address)?);
        let elem = self.loops.ty(address).elem();
        match place {
            Class::Uniform | Class::Linear(Some(0)) => Some(Class::Uniform),
            _ if elem == Scalar::Bool => None,
            _ if elem.is_int() => Some(Class::Lanes),
            _ => {
                self.float_type(elem)?;
                if place == Class::Linear(Some(1)) {
                    self.gain += 1;
                } else {
                    self.scattered |= self.depth > 0;
                }
                Some(Class::Vector)
            }
        }
    }

    /// The class of a sum of integers, or an address and an integer.
    fn sum(&self, a: Operand, b: Operand) -> Option<Class> {
        match (self.class(a), self.class(b)) {
            (Class::Uniform, Class::Uniform) => Some(Class::Uniform),
            (Class::Uniform, Class::Linear(s)) | (Class::Linear(s), Class::Uniform) => Some(Class::Linear(s)),
            (Class::Linear(a), Class::Linear(b)) => Some(Class::Linear(a.zip(b).map(|(a, b)| a.wrapping_add(b)))),
            (Class::Vector | Class::Mask, _) | (_, Class::Vector | Class::Mask) => None,
            (Class::Lanes, _) | (_, Class::Lanes) => Some(Class::Lanes),
        }
    }

    fn prim(&mut self, prim: Prim, args: &[Operand], result: Scalar) -> Option<Class> {
        if args.iter().all(|&a| self.class(a) == Class::Uniform) {
            return Some(Class::Uniform);
        }
        self.operations += 1;
        let elem = self.loops.elem(*args.first()?);
        match (prim, args) {
            (Prim::And | Prim::Or | Prim::Not, _) => self.masks(args).map(|()| Class::Mask),
            (Prim::Select, [c, a, b]) => {
                self.masks(&[*c])?;
                self.float(*a)?;
                self.float(*b)?;
                Some(Class::Vector)
            }
            (Prim::ToF64 | Prim::ToF32, [a]) if elem.is_int() => {
                self.float_type(result)?;
                matches!(self.class(*a), Class::Linear(_) | Class::Lanes).then_some(Class::Vector)
            }
            _ if elem.is_float() && is_vector_prim(prim) => {
                args.iter().try_for_each(|&a| self.float(a))?;
                self.gain += 1;
                Some(if result == Scalar::Bool { Class::Mask } else { Class::Vector })
            }
            _ if elem.is_float() && run_function(prim, elem).is_some() => {
                args.iter().try_for_each(|&a| self.float(a))?;
                self.gain += 1;
                self.calls = true;
                Some(Class::Vector)
            }
            // One by one in each lane: what is won is that the lanes do not wait for each other.
            _ if elem.is_float() && result.is_float() && self.chains > 0 && is_lane_prim(prim) => {
                args.iter().try_for_each(|&a| self.float(a))?;
                self.operations += SMALL_BODY;
                self.gain += 1;
                Some(Class::Vector)
            }
            (Prim::Add, [a, b]) if elem == Scalar::I64 => self.sum(*a, *b),
            (Prim::Sub | Prim::Mul, [..]) if elem == Scalar::I64 => {
                args.iter().all(|&a| !matches!(self.class(a), Class::Vector | Class::Mask)).then_some(Class::Lanes)
            }
            _ => None,
        }
    }

    fn masks(&self, args: &[Operand]) -> Option<()> {
        args.iter().all(|&a| self.class(a) == Class::Mask).then_some(())
    }
}

/// Primitives on floats of one type that have none, and are functions of the runtime.
pub(super) fn is_lane_prim(prim: Prim) -> bool {
    matches!(prim, Prim::Pow | Prim::Atan2) || !is_vector_prim(prim) && prim.is_expensive() && prim.arity() == 1
}

/// The runtime's function for a primitive on a run of floats, in place.
pub(super) fn run_function(prim: Prim, elem: Scalar) -> Option<&'static str> {
    let (wide, narrow) = match prim {
        Prim::Exp => ("arr_exp_f64s", "arr_exp_f32s"),
        Prim::Expm1 => ("arr_expm1_f64s", "arr_expm1_f32s"),
        Prim::Log => ("arr_log_f64s", "arr_log_f32s"),
        Prim::Log1p => ("arr_log1p_f64s", "arr_log1p_f32s"),
        Prim::Sin => ("arr_sin_f64s", "arr_sin_f32s"),
        Prim::Cos => ("arr_cos_f64s", "arr_cos_f32s"),
        Prim::Tanh => ("arr_tanh_f64s", "arr_tanh_f32s"),
        Prim::Sigmoid => ("arr_sigmoid_f64s", "arr_sigmoid_f32s"),
        Prim::Softplus => ("arr_softplus_f64s", "arr_softplus_f32s"),
        Prim::Pow => ("arr_pow_f64s", "arr_pow_f32s"),
        _ => return None,
    };
    Some(if elem == Scalar::F32 { narrow } else { wide })
}

/// Primitives on floats that have vector instructions on every machine.
pub(super) fn is_vector_prim(prim: Prim) -> bool {
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
