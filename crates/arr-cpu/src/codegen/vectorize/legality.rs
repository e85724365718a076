//! The legality of vectorization: the class of each value of a loop when it is vectorised, or why it cannot be.

use super::cost::{self, Each};
use super::plan::{Aims, Class, MOST_VECTORS, Plan, is_lane_prim, is_vector_prim, run_function};
use crate::codegen::fold::{Fold, folds};
use arr_ir::{Prim, Scalar};
use arr_loops::{Demand, Expr, For, LocalId, LoopFunc, Operand, Stmt, Ty};
use std::collections::{HashMap, HashSet};

/// Bodies with more operations get fewer vectors per value: more would not stay in registers.
const SMALL_BODY: usize = 8;

/// Vector registers.
const REGISTERS: usize = 16;

/// A plan that vectorises the loop itself, if that is possible, and the cost of its iterations. A loop of the program
/// advances in step for all iterations if its state is floats, unless its steps are counted.
pub(in crate::codegen) fn legal_plan(
    loops: &LoopFunc,
    l: &For,
    roots: &HashMap<LocalId, LocalId>,
    aims: Aims,
) -> Option<(Plan, Each)> {
    if l.reverse || l.is_source() {
        return None;
    }
    let mut planner = Planner {
        loops,
        aims,
        roots,
        classes: HashMap::new(),
        elem: None,
        redone: false,
        read: HashMap::new(),
        written: HashMap::new(),
        addresses: HashMap::new(),
        depth: 0,
        chains: 0,
        chained: false,
        gain: 0,
        operations: 0,
        scattered: false,
        folds: folds(loops, &l.body, aims.relaxed),
        variables: 0,
        guards: 0,
        kernel: false,
        spread: HashSet::new(),
        calls: false,
        weight: 1.0,
        each: Each::default(),
    };
    planner.classes.insert(l.index, Class::Linear(Some(1)));
    for induction in &l.inductions {
        planner.uniform(induction.step)?;
        planner.classes.insert(induction.local, Class::Linear(induction.step.as_int()));
    }
    planner.block(&l.body)?;
    // Cheap terms that must be added in order wait for the accumulator, however they are computed.
    let folds = (aims.relaxed || planner.calls) && !planner.folds.is_empty();
    (folds || planner.folds.is_empty()).then_some(())?;
    let works = folds || !planner.written.is_empty();
    // Elements may be changed if each iteration has its own, and none runs twice.
    let independent = l.parallel.as_ref().is_some_and(|p| p.disjoint_if.is_none() && p.added.is_empty());
    let apart = |(root, place): (&LocalId, &Place)| {
        let own = |read: &Place| independent || read == place && place.is_some();
        planner.read.get(root).is_none_or(|read| own(read) && !planner.redone)
    };
    (works && planner.written.iter().all(apart) && planner.gain > 0).then_some(())?;
    let vectors = planner.vectors();
    let (each, changed) = (planner.each, planner.changed());
    Some((
        Plan {
            classes: planner.classes,
            elem: planner.elem?,
            vectors,
            folds: planner.folds,
            ordered: !aims.relaxed,
            tail: vectors > 2,
            changed,
            kernel: planner.kernel,
        },
        each,
    ))
}

/// The only place of an array that a loop reads (writes), which moves on by one element; `None` if there are others.
type Place = Option<(LocalId, Operand)>;

struct Planner<'a> {
    loops: &'a LoopFunc,
    aims: Aims,
    roots: &'a HashMap<LocalId, LocalId>,
    classes: HashMap<LocalId, Class>,
    elem: Option<Scalar>,
    /// Whether a kernel may be left within an iteration, which is then repeated.
    redone: bool,
    /// By array.
    read: HashMap<LocalId, Place>,
    written: HashMap<LocalId, Place>,
    /// All addresses in an array.
    addresses: HashMap<LocalId, HashSet<LocalId>>,
    /// The number of loops inside the vectorised one.
    depth: usize,
    /// Those among them whose iterations depend on each other: loops of the program.
    chains: usize,
    /// Whether there is such a loop.
    chained: bool,
    /// Vector operations and loads: the gain.
    gain: usize,
    operations: usize,
    /// Whether an inner loop reads a separate address for each lane.
    scattered: bool,
    folds: HashMap<LocalId, Fold>,
    /// Mutable locals of the loop, which are vectors with long live ranges.
    variables: usize,
    /// Branches around the present code.
    guards: usize,
    /// Whether only kernels support it.
    kernel: bool,
    /// Floats that are uniform but needed in vectors.
    spread: HashSet<Operand>,
    /// Whether a function of the runtime is called on vectors of values.
    calls: bool,
    /// How often the present code runs per iteration.
    weight: f64,
    each: Each,
}

impl Planner<'_> {
    /// The addresses through which elements are both read and written.
    fn changed(&self) -> HashSet<LocalId> {
        let changed = self.written.keys().filter(|root| self.read.contains_key(root));
        changed.filter_map(|root| self.addresses.get(root)).flatten().copied().collect()
    }

    fn class(&self, operand: Operand) -> Class {
        match operand {
            Operand::Local(local) => self.classes.get(&local).copied().unwrap_or(Class::Uniform),
            Operand::Const(_) => Class::Uniform,
        }
    }

    fn uniform(&self, operand: Operand) -> Option<()> {
        (self.class(operand) == Class::Uniform).then_some(())
    }

    /// Fails unless the operand is a float of the loop's one type, uniform or in vectors.
    fn float(&mut self, operand: Operand) -> Option<()> {
        self.float_type(self.loops.elem(operand))?;
        match self.class(operand) {
            Class::Vector => Some(()),
            Class::Uniform => {
                self.spread.insert(operand);
                Some(())
            }
            _ => None,
        }
    }

    /// The number of vectors of a value.
    fn vectors(&self) -> usize {
        let long = self.variables + self.folds.len();
        let small = self.operations <= SMALL_BODY && !self.scattered;
        if self.calls || small && self.chained {
            return MOST_VECTORS;
        }
        if self.aims.relaxed && long > 0 {
            // The values that live through the loop, and a few registers to compute in.
            let others = self.spread.len() + 3;
            let fit = REGISTERS.saturating_sub(others) / long;
            let most = if self.scattered { 2 } else { MOST_VECTORS };
            return [8, 4, 2].into_iter().find(|&n| n <= fit.min(most)).unwrap_or(1);
        }
        if small { 4 } else { 2 }
    }

    fn float_type(&mut self, elem: Scalar) -> Option<()> {
        (elem.is_float() && *self.elem.get_or_insert(elem) == elem).then_some(())
    }

    fn root(&self, address: LocalId) -> Option<LocalId> {
        self.roots.get(&address).copied()
    }

    fn block(&mut self, stmts: &[Stmt]) -> Option<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        match stmt {
            Stmt::Let { local, .. } if self.folds.contains_key(local) => {
                let fold = self.folds.get(local).copied()?;
                self.operations += 1;
                if self.aims.relaxed {
                    self.each.vector += self.weight * cost::of_prim(fold.prim);
                    return self.float(fold.term);
                }
                self.each.lane += 4.0 * self.weight;
                // A uniform term is left to the plain loop.
                (self.class(fold.term) == Class::Vector).then_some(())
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
                self.variables += 1;
                init.map_or(Some(()), |init| self.float(init))
            }
            // A local of an outer block would carry a value from one iteration to the next.
            Stmt::Set { local, value } if self.classes.contains_key(local) => self.float(*value),
            Stmt::Store { address, offset, value } if self.depth == 0 && self.guards == 0 => {
                self.float(*value)?;
                let place = self.sum((*address).into(), *offset)?;
                let root = self.root(*address)?;
                self.addresses.entry(root).or_default().insert(*address);
                let here = (place == Class::Linear(Some(1))).then_some((*address, *offset));
                // One that is written twice is not considered again.
                self.written.entry(root).and_modify(|old| *old = None).or_insert(here);
                if place == Class::Linear(Some(1)) {
                    self.gain += 1;
                    self.each.vector += cost::STORE;
                } else {
                    self.each.lane += 2.0 * cost::STORE;
                }
                (place != Class::Uniform && place != Class::Linear(Some(0))).then_some(())
            }
            Stmt::Check { .. } if self.guards > 0 => None,
            Stmt::Check { args, .. } if args.iter().all(|&a| self.uniform(a).is_some()) => Some(()),
            Stmt::Check { demand: Demand::Index | Demand::Element | Demand::Place, args, .. } if self.depth == 0 => {
                // Sums over data-dependent ranges are mostly short: a kernel for each costs more than it saves.
                self.folds.is_empty().then_some(())?;
                self.redone = true;
                self.compared(args)
            }
            // Both branches run for all iterations, and their results are selected.
            Stmt::If { cond, then_body, else_body } if self.aims.kernels => {
                self.masks(&[*cond])?;
                self.kernel = true;
                self.guards += 1;
                self.block(then_body)?;
                self.block(else_body)?;
                self.guards -= 1;
                Some(())
            }
            Stmt::For(l) if !(l.is_source() && self.aims.counts) && self.guards == 0 => {
                self.uniform(l.extent)?;
                l.inductions.iter().try_for_each(|i| self.uniform(i.step))?;
                let outside = self.weight;
                self.weight *= cost::trips(l.extent);
                self.each.once += self.weight * cost::ITERATION;
                self.depth += 1;
                self.chains += usize::from(l.is_source());
                self.chained |= l.is_source();
                self.block(&l.body)?;
                self.chains -= usize::from(l.is_source());
                self.depth -= 1;
                self.weight = outside;
                Some(())
            }
            _ => None,
        }
    }

    fn expr(&mut self, local: LocalId, expr: &Expr) -> Option<Class> {
        match expr {
            Expr::Prim(prim, args) => self.prim(*prim, args, self.loops.ty(local).elem()),
            Expr::Copy(a) => Some(self.class(*a)),
            Expr::BaseAddr(buffer) | Expr::Len(buffer) => Some(self.class((*buffer).into())),
            Expr::Offset(address, offset) => {
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

    /// Compares integers, of which a kernel has one in each lane of an `f64`.
    fn compared(&mut self, args: &[Operand]) -> Option<()> {
        let integers = args
            .iter()
            .all(|&a| self.loops.elem(a) == Scalar::I64 && !matches!(self.class(a), Class::Vector | Class::Mask));
        (self.aims.kernels && integers).then_some(())?;
        self.float_type(Scalar::F64)?;
        self.kernel = true;
        self.each.vector += 3.0 * self.weight * cost::of_prim(Prim::Lt);
        Some(())
    }

    fn load(&mut self, address: LocalId, offset: Operand) -> Option<Class> {
        // The element may not exist where the branch is not taken.
        (self.guards == 0).then_some(())?;
        let place = self.sum(address.into(), offset)?;
        let root = self.root(address)?;
        self.addresses.entry(root).or_default().insert(address);
        let here = (place == Class::Linear(Some(1)) && !self.written.contains_key(&root)).then_some((address, offset));
        let known = self.read.entry(root).or_insert(here);
        if *known != here {
            *known = None;
        }
        let elem = self.loops.ty(address).elem();
        match place {
            Class::Uniform | Class::Linear(Some(0)) => {
                self.each.once += self.weight * 2.0 * cost::LOAD;
                Some(Class::Uniform)
            }
            _ if elem == Scalar::Bool => None,
            _ if elem.is_int() => {
                self.each.lane += self.weight * cost::LOAD;
                Some(Class::Lanes)
            }
            _ => {
                self.float_type(elem)?;
                if place == Class::Linear(Some(1)) {
                    self.gain += 1;
                    self.each.vector += self.weight * cost::LOAD;
                } else {
                    // An address, a load and an insertion.
                    self.each.lane += self.weight * 4.0 * cost::LOAD;
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
        if self.guards > 0 && result.is_int() && matches!(prim, Prim::Div | Prim::Rem) {
            return None;
        }
        if args.iter().all(|&a| self.class(a) == Class::Uniform) {
            self.each.once += self.weight * cost::of_prim(prim);
            return Some(Class::Uniform);
        }
        self.operations += 1;
        let class = self.wide_prim(prim, args, result)?;
        let one = self.weight * cost::of_prim(prim);
        match class {
            Class::Vector if is_lane_prim(prim) && !self.has_run(prim, args) => self.each.lane += one,
            Class::Vector | Class::Mask => self.each.vector += one,
            Class::Lanes => self.each.lane += one,
            Class::Uniform | Class::Linear(_) => self.each.once += one,
        }
        Some(class)
    }

    fn has_run(&self, prim: Prim, args: &[Operand]) -> bool {
        args.first().is_some_and(|&a| run_function(prim, self.loops.elem(a)).is_some())
    }

    fn wide_prim(&mut self, prim: Prim, args: &[Operand], result: Scalar) -> Option<Class> {
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
                self.redone |= matches!(prim, Prim::Sin | Prim::Cos | Prim::Tan);
                Some(Class::Vector)
            }
            // One by one in each lane: the gain is that the lanes do not wait for each other.
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
            (Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge, _) => {
                self.compared(args).map(|()| Class::Mask)
            }
            _ => None,
        }
    }

    fn masks(&self, args: &[Operand]) -> Option<()> {
        args.iter().all(|&a| self.class(a) == Class::Mask).then_some(())
    }
}
