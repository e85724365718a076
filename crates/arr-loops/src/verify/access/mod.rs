//! Accesses: proves that every load, store and matrix product stays inside its arrays.
//!
//! The range analysis of the IR ([`arr_ir::bounds`]) reads the function as one over flat arrays, and thereby proves
//! accesses at every level. The position of an access is the sum of all parts of its address and its offset, a
//! polynomial; it is inside if that is at least zero and less than the number of the array's elements, a product of
//! sizes.
//!
//! - **Places wrap as they are computed**, so they are added and multiplied as polynomials whatever their magnitude: a
//!   position between zero and a number of elements has not wrapped in the end. Numbers of elements, and the facts of
//!   guards and checks, are polynomials over values known not to wrap.
//! - **Locals that change** stand for another variable of the analysis after each `set`; in a loop, for one that
//!   nothing is known about. An array that a loop replaces has as many elements as the one before it if that holds at
//!   the end of the body (`carried`).
//! - **Elements** of integer arrays lie within the range of all stored values.

mod arrays;
mod carried;
mod values;

use crate::{Demand, Expr, For, LocalId, LoopFunc, MatMul, Operand, Role, Scan, Stmt, Ty, While};
use arr_base::IdMap;
use arr_ir::bounds::{Bounds, Elements};
use arr_ir::{Atom, Axis, Check, Func, Op, Poly, Prim, Scalar, VarId};
use arrays::Array;
use carried::{Guess, LoopAt};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The result of the walk over a function.
pub(super) struct Found {
    /// Accesses that nothing proves inside, in words.
    pub faults: Vec<String>,
    /// The addresses and offsets of these accesses; of a matrix product, the addresses at 0.
    pub accesses: FxHashSet<(LocalId, Operand)>,
    /// Addresses in arrays without elements: nothing is stored there.
    pub nowhere: FxHashSet<LocalId>,
    /// The number of statements walked, those of a loop once for each guess about it.
    pub steps: usize,
}

pub(super) fn check(loops: &LoopFunc) -> Found {
    let mut walk = Walk::new(loops);
    walk.params();
    walk.block(&loops.body);
    let Walk { mut faults, func, .. } = walk;
    faults.extend(func.broken.into_iter().map(String::from));
    Found { faults, accesses: walk.reported, nowhere: walk.nowhere, steps: walk.steps.get() }
}

/// A check, and the conditions under which it was made.
type BranchCheck = (Vec<Atom>, Check, Vec<Atom>);

/// The meanings of names.
#[derive(Clone, Default)]
struct Names {
    scalars: IdMap<LocalId, VarId>,
    buffers: IdMap<LocalId, usize>,
    addresses: IdMap<LocalId, ElementOffset>,
}

/// The position of an element in an array: its distance from the first.
#[derive(Clone)]
struct ElementOffset {
    array: usize,
    /// As it is computed, from the definitions of its parts.
    at: Poly,
    /// The same, from its parts themselves.
    by_parts: Poly,
    /// The same, as a variable computed by the same steps would be: values that get too large become symbols there.
    in_steps: Poly,
}

#[derive(Clone)]
struct Walk<'a> {
    loops: &'a LoopFunc,
    /// Holds the variables of the analysis; has no body.
    func: Func,
    bounds: Bounds,
    names: Names,
    /// All arrays so far.
    arrays: Vec<Rc<Array>>,
    /// Integers as they are computed, whether or not that wraps.
    wrapping: IdMap<VarId, Poly>,
    /// Symbols for positions that are too large to be written out.
    symbols: FxHashMap<Poly, Poly>,
    /// Known truth values.
    decided: IdMap<VarId, bool>,
    /// Sums that do not wrap.
    sums: Vec<Poly>,
    /// Variables in terms of checked sums, as they wrap.
    resolved: Vec<(VarId, Poly)>,
    /// The ranges of a loop's integers at the end of the iteration that was walked last.
    ended: Vec<Elements>,
    /// The sizes of allocated arrays.
    allocated: Vec<Vec<Poly>>,
    /// Checks that hold if conditions do.
    branches: Vec<BranchCheck>,
    /// Checked positions, as they wrap, with the lengths of their arrays.
    places: Vec<(Poly, Poly)>,
    /// The lengths of these four lists at the entry of each scope.
    scopes: Vec<[usize; 4]>,
    /// Variables for locals at the beginning of an iteration, which differ from one to the next.
    heads: FxHashSet<VarId>,
    /// The bindings of addresses and arrays, anywhere in the function.
    sources: Rc<FxHashMap<LocalId, LocalId>>,
    /// What held in every iteration when a loop was walked last; all trials share it.
    invariants: Rc<RefCell<FxHashMap<LoopAt, Guess>>>,
    /// The number of statements walked so far, in all trials.
    steps: Rc<Cell<usize>>,
    faults: Vec<String>,
    nowhere: FxHashSet<LocalId>,
    reported: FxHashSet<(LocalId, Operand)>,
}

impl<'a> Walk<'a> {
    fn new(loops: &'a LoopFunc) -> Walk<'a> {
        let mut func = Func::new(&loops.name);
        func.sizes = loops.sizes.iter().map(|&s| func.scalar_var(&loops.locals[s].name, Scalar::I64)).collect();
        let scalars = loops.sizes.iter().copied().zip(func.sizes.iter().copied()).collect();
        Walk {
            loops,
            bounds: Bounds::new(&func),
            func,
            names: Names { scalars, ..Names::default() },
            arrays: Vec::new(),
            wrapping: IdMap::default(),
            symbols: FxHashMap::default(),
            decided: IdMap::default(),
            sums: Vec::new(),
            resolved: Vec::new(),
            ended: Vec::new(),
            allocated: Vec::new(),
            branches: Vec::new(),
            places: Vec::new(),
            scopes: Vec::new(),
            heads: FxHashSet::default(),
            sources: Rc::new(arrays::sources(loops)),
            invariants: Rc::default(),
            steps: Rc::default(),
            faults: Vec::new(),
            nowhere: FxHashSet::default(),
            reported: FxHashSet::default(),
        }
    }

    fn params(&mut self) {
        for param in &self.loops.params {
            match self.loops.ty(param.local) {
                Ty::Scalar(_) => drop(self.fresh(param.local)),
                _ => {
                    let dims: Vec<Poly> = param.dims.iter().map(|size| self.param_size(size)).collect();
                    // The caller's array has these sizes, so they are sizes.
                    dims.iter().for_each(|dim| self.bounds.add_fact(dim.clone()));
                    let count = dims.iter().fold(Poly::constant(1), |n, dim| n.mul(dim));
                    self.bounds.note_count(&count);
                    self.new_array(param.local, Some(count), arrays::Contents::Unknown);
                }
            }
        }
    }

    fn name(&self, local: LocalId) -> &str {
        &self.loops.locals[local].name
    }

    // Accesses.

    fn access(&mut self, address: LocalId, offset: Operand, what: &str) -> Option<ElementOffset> {
        let place = self.place(address, offset);
        match &place {
            Some(place) => self.demand((address, offset), place, what),
            None => self.report((address, offset), what, "a place in an array that is not known"),
        }
        place
    }

    /// Records a fault unless a position is inside.
    fn demand(&mut self, access: (LocalId, Operand), place: &ElementOffset, what: &str) {
        let count = self.arrays[place.array].count.clone();
        if count.as_ref().and_then(Poly::as_constant) == Some(0) {
            self.nowhere.insert(access.0);
        }
        let inside = count.is_some_and(|count| {
            self.places.iter().any(|(at, length)| (*at == place.at || *at == place.in_steps) && *length == count)
                || self.bounds.is_place(&self.func, &place.at, &count)
                || place.by_parts != place.at && self.bounds.is_place(&self.func, &place.by_parts, &count)
                || self.with_checked_sums(&place.at).iter().any(|at| self.bounds.is_place(&self.func, at, &count))
        });
        if !inside {
            let told = self.told(&place.at, place.array);
            self.report(access, what, &told);
        }
    }

    fn report(&mut self, access: (LocalId, Operand), what: &str, told: &str) {
        if self.reported.insert(access) {
            let fault = format!("nothing proves that a {what} at `{}` is inside: {told}", self.name(access.0));
            self.faults.push(fault);
        }
    }

    fn told(&self, at: &Poly, array: usize) -> String {
        let count = self.arrays[array].count.as_ref().map_or("?".to_string(), |count| self.spelled(count));
        format!("{} of {count}", self.spelled(at))
    }

    /// The position of an offset from an address.
    fn place(&mut self, address: LocalId, offset: Operand) -> Option<ElementOffset> {
        let atom = self.atom(offset);
        let (computed, value) = (self.computed(offset)?, self.bounds.poly(&self.func, atom)?);
        let base = self.names.addresses.get(&address)?;
        let (array, at, by_parts) = (base.array, base.at.add(&computed), base.by_parts.add(&value));
        let in_steps = base.in_steps.add(&computed);
        Some(ElementOffset { array, at, by_parts, in_steps: self.symbol_of(in_steps) })
    }

    fn matmul(&mut self, product: &MatMul) {
        let strides: [fn(&crate::ProductAxis) -> Operand; 3] = [|a| a.into, |a| a.left, |a| a.right];
        for (address, stride) in [product.into, product.left, product.right].into_iter().zip(strides) {
            self.enter();
            let mut at = Some(Poly::default());
            for axis in product.axes.iter().filter(|a| address != product.into || a.role != Role::Inner) {
                let index = self.func.scalar_var("k", Scalar::I64);
                self.axis(index, axis.extent);
                let step = self.computed(stride(axis)).map(|stride| Poly::var(index).mul(&stride));
                at = at.and_then(|at| Some(at.add(&step?)));
            }
            let (access, what) = ((address, Operand::int(0)), "matrix product");
            match (self.names.addresses.get(&address).cloned(), at) {
                (Some(base), Some(at)) => {
                    let (by_parts, in_steps) = (base.by_parts.add(&at), base.in_steps.add(&at));
                    let place = ElementOffset { at: base.at.add(&at), by_parts, in_steps, ..base };
                    self.demand(access, &place, what);
                }
                _ => self.report(access, what, "a place in an array that is not known"),
            }
            self.leave();
        }
    }

    // Statements.

    fn block(&mut self, stmts: &[Stmt]) {
        self.steps.set(self.steps.get() + stmts.len());
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { local, expr } => self.bind(*local, expr),
            Stmt::Var { local, init } => match init {
                Some(init) => self.set(*local, *init),
                None => self.forget(*local),
            },
            Stmt::Set { local, value } => self.set(*local, *value),
            Stmt::Store { address, offset, value } => {
                if let Some(place) = self.access(*address, *offset, "store") {
                    self.stored(place.array, *value);
                }
            }
            Stmt::Alloc { local, dims, .. } => {
                let count = self.count(dims);
                self.new_array(*local, count, arrays::Contents::Nothing);
                self.made(dims);
            }
            Stmt::MakeUnique { local, buffer, .. } => self.made_unique(*local, *buffer),
            Stmt::Retain(_) | Stmt::Release(_) | Stmt::Trace { .. } => {}
            Stmt::Check { demand, args, .. } => self.checked(*demand, args),
            Stmt::CheckShape { buffer, dims, .. } => self.shape_checked(*buffer, dims),
            Stmt::For(l) => self.for_loop(l),
            Stmt::While(l) => self.while_loop(l),
            Stmt::Argsort { into, keys, length, .. } => self.argsort(*into, *keys, *length),
            Stmt::MatMul(product) => self.matmul(product),
            Stmt::If { cond, then_body, else_body } => self.branch(*cond, then_body, else_body),
        }
    }

    fn bind(&mut self, local: LocalId, expr: &Expr) {
        match expr {
            Expr::Prim(prim, args) => self.prim(local, *prim, args),
            Expr::Copy(from) => self.set(local, *from),
            Expr::BaseAddr(buffer) => {
                if !self.names.buffers.contains_key(buffer) {
                    self.new_array(*buffer, None, arrays::Contents::Unknown);
                }
                if let Some(&array) = self.names.buffers.get(buffer) {
                    let place = ElementOffset {
                        array,
                        at: Poly::default(),
                        by_parts: Poly::default(),
                        in_steps: Poly::default(),
                    };
                    self.names.addresses.insert(local, place);
                }
            }
            Expr::Len(buffer) => self.length(local, *buffer),
            Expr::Offset(address, offset) => {
                if let Some(place) = self.place(*address, *offset) {
                    self.names.addresses.insert(local, place);
                }
            }
            Expr::Load(address, offset) => {
                let place = self.access(*address, *offset, "load");
                self.loaded(local, place);
            }
            Expr::Literal(id) => self.literal(local, *id),
        }
    }

    fn checked(&mut self, demand: Demand, args: &[Operand]) {
        match demand {
            Demand::SizeProduct => self.product_checked(args),
            Demand::SizeSum => self.sum_checked(args),
            Demand::Place => self.place_checked(args),
            _ => {}
        }
        let Some(kind) = check_of(demand) else { return };
        self.resolve(args);
        let atoms: Vec<Atom> = args.iter().map(|&a| self.atom(a)).collect();
        // Nothing runs behind a check that always fails.
        let values: Vec<Option<i64>> = args.iter().map(|&a| self.computed(a)?.as_constant()).collect();
        if kind == Check::Index
            && (matches!(values.as_slice(), [Some(index), _] if *index < 0)
                || matches!(values.as_slice(), [Some(index), Some(extent)] if index >= extent))
        {
            self.bounds.add_fact(Poly::constant(-1));
        }
        self.pass(Vec::new(), Op::Check { kind, args: atoms });
        self.limit_allocated();
    }

    fn axis(&mut self, index: VarId, extent: Operand) {
        let extent = self.atom(extent);
        let extent = self.func.size_of_atom(extent);
        self.bounds.axes(&self.func, &[Axis { index, extent }]);
        self.bounds.note_axis(index);
        self.bounds.recall(&Poly::var(index));
        self.recall_branches();
        self.limit_allocated();
    }

    fn for_loop(&mut self, l: &For) {
        let before = l.scan.as_ref().map(|_| self.names.clone());
        // A chunk, even the first, begins with the neutral value.
        for partial in l.parallel.iter().flat_map(|parallel| &parallel.partials) {
            if self.computed(partial.local.into()).is_none_or(|value| value.as_constant() != partial.init.as_i64()) {
                self.forget(partial.local);
            }
        }
        self.repeated(&[&l.body], &mut |walk, integers| {
            walk.enter();
            walk.indices(l);
            walk.parts(l);
            walk.end(integers);
        });
        if let (Some(scan), Some(before)) = (&l.scan, before) {
            let after = std::mem::replace(&mut self.names, before);
            self.scan(l, scan);
            self.names = after;
        }
        if let Some(parallel) = &l.parallel {
            let after = self.names.clone();
            self.enter();
            parallel.partials.iter().for_each(|p| {
                self.forget(p.local);
                self.fresh(p.other);
            });
            self.block(&parallel.combine);
            self.leave();
            self.names = after;
        }
    }

    /// The body of a loop; once for each index if it has two that act differently, as the parts of a divided range do.
    fn parts(&mut self, l: &For) {
        let first = |stmt: &Stmt| {
            matches!(stmt, Stmt::Let { expr: Expr::Prim(Prim::Eq, args), .. }
                if args.contains(&l.index.into()) && args.contains(&Operand::int(0)))
        };
        if l.extent.as_int() != Some(2) || !l.body.iter().any(first) {
            return self.block(&l.body);
        }
        for at in 0..2 {
            self.set(l.index, Operand::int(at));
            self.inductions(l, &Poly::constant(at));
            self.block(&l.body);
        }
    }

    fn indices(&mut self, l: &For) {
        let index = self.fresh(l.index);
        self.axis(index, l.extent);
        self.inductions(l, &Poly::var(index));
    }

    fn inductions(&mut self, l: &For, index: &Poly) {
        for induction in &l.inductions {
            let step = self.computed(induction.step);
            let local = self.fresh(induction.local);
            if let Some(place) = step.map(|step| index.mul(&step)) {
                self.bounds.define_exact(local, &place);
                self.wrapping.insert(local, place);
            }
        }
    }

    fn scan(&mut self, l: &For, scan: &Scan) {
        self.block(&scan.before);
        scan.parts.iter().for_each(|part| self.forget(part.local));
        self.repeated(&[&scan.summary, &scan.body], &mut |walk, integers| {
            walk.enter();
            walk.indices(l);
            walk.block(&scan.summary);
            if let Some(chain) = &scan.chain {
                walk.block(&chain.before);
            }
            walk.block(&scan.body);
            walk.end(integers);
        });
        scan.states.iter().for_each(|state| {
            self.fresh(state.entry);
        });
        self.block(&scan.advance);
        self.block(&scan.after);
    }

    fn while_loop(&mut self, l: &While) {
        self.repeated(&[&l.head, &l.body], &mut |walk, integers| {
            walk.block(&l.head);
            let cond = walk.atom(l.cond);
            walk.enter();
            walk.bounds.assume(&walk.func, cond, true);
            walk.block(&l.body);
            walk.end(integers);
        });
        // It ends behind the head.
        self.block(&l.head);
    }

    fn pass(&mut self, vars: Vec<VarId>, op: Op) {
        let stmt = arr_ir::Stmt { vars, op, span: None };
        self.bounds.passed(&self.func, &stmt);
    }
}

/// The check of the IR that demands the same, if there is one.
fn check_of(demand: Demand) -> Option<Check> {
    match demand {
        Demand::Index | Demand::Element | Demand::Place => Some(Check::Index),
        Demand::Slice => Some(Check::Slice),
        Demand::SizeEq => Some(Check::SizeEq),
        Demand::SizeNonNeg => Some(Check::SizeNonNeg),
        Demand::NonEmpty => Some(Check::NonEmpty),
        Demand::Step => Some(Check::Step),
        Demand::NonZero | Demand::SizeSum | Demand::SizeProduct | Demand::Steps => None,
    }
}
