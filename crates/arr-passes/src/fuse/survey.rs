//! What the plan has to know of a function: its producers, what an element of each costs, and where each is read.

use super::Lanes;
use super::cost::{Cost, SHORT_AXIS, SHORT_SUM};
use super::proofs::Relying;
use super::row_sums::{applies_function, sums_rows};
use crate::analysis::{Repeats, for_each_consumed, is_scalar_code};
use arr_ir::walk::{for_each_use, may_fail_deep};
use arr_ir::{Atom, Axis, Block, Contraction, Func, Op, Prim, Reduction, Scalar, SizeId, Stmt, VarId, contractions};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// One read of a producer's result.
pub(super) struct Site {
    pub array: VarId,
    /// The surrounding statement that is not scalar code.
    pub kernel: usize,
    pub position: usize,
    pub index: Vec<Atom>,
    pub single: bool,
    /// Whether it stands in a reduction or loop inside a kernel.
    pub nested: bool,
    /// Whether the last component of the index depends on data: it is no axis.
    pub chosen: bool,
    /// The number of the block it stands in.
    pub block: usize,
    pub loops: u32,
    /// Whether the reader computes every element, independently of the data.
    pub every: bool,
    /// Whether it is an operand of a matrix product.
    pub product: bool,
    /// Whether it stands in the body of a build itself, not in a branch, a sum or a loop there.
    pub top: bool,
    /// Whether it stands in the body of a kernel itself, which applies a function ([`arr_ir::Cost::Function`]) there.
    pub function: bool,
    /// The components of the index that the reader, a plain sum in a build, sums over; empty otherwise.
    pub summed: Vec<usize>,
}

pub(super) struct Producer {
    pub position: usize,
    pub loops: u32,
    pub cost: Cost,
    /// Arrays its body reads, once per read.
    pub sources: Vec<VarId>,
    pub sites: Vec<Site>,
    pub escapes: bool,
    /// Whether computing an element can stop the program, inlined producers aside.
    pub fails: bool,
    /// The block of array statements it stands in.
    pub control: usize,
    /// Its axes over which a sum of its elements can be merged into its own sum; none unless it is a sum.
    pub summable: Vec<usize>,
    /// Whether an element is a product of two numbers, or a sum.
    pub term: bool,
    /// Whether its elements are integers.
    pub integers: bool,
    /// Whether it is a condition.
    pub condition: bool,
    /// Whether there is a product of matrices in it.
    pub product: bool,
    /// Whether it sums elements that lie side by side.
    pub row_sum: bool,
    /// Whether its innermost axis is short.
    pub short: bool,
}

pub(super) struct Survey<'f> {
    func: &'f Func,
    lanes: Lanes,
    pub producers: IndexMap<VarId, Producer>,
    pub owner: FxHashMap<VarId, VarId>,
    /// Where the storage of an array may be taken over, ascending.
    consumed: FxHashMap<VarId, Vec<usize>>,
    /// Integer additions and subtractions of scalar code.
    sums: FxHashMap<VarId, (Atom, Atom)>,
    /// Variables bound inside the kernel being looked at.
    inner: FxHashSet<VarId>,
    position: usize,
    /// Where statements stand that can stop the program, ascending.
    pub failing: Vec<usize>,
    /// Statements across which no check moves.
    unmoved: &'f Relying,
    /// Where they stand, ascending.
    pub relying: Vec<usize>,
    /// By the number of a block, one past the numbers of the blocks inside it.
    pub ends: Vec<usize>,
    loops: u32,
    /// The extents of the axes seen so far.
    extents: FxHashMap<VarId, SizeId>,
    /// The block of array statements being looked at.
    control: usize,
    /// Arrays that matrix products in the kernel being looked at read.
    operands: FxHashSet<VarId>,
    /// Whether the kernel being looked at is a build.
    in_build: bool,
    /// Whether the kernel being looked at applies a function outside of its sums and loops.
    function: bool,
}

/// The context of scalar code.
struct CodeContext<'a> {
    kernel: usize,
    axes: &'a [VarId],
    nested: bool,
    /// Whether a point may skip it: it is in a branch, or in a `while`.
    branch: bool,
    /// Whether it is in a `while`, which runs it repeatedly at one point.
    again: bool,
    block: usize,
    /// If it is in a sum in a build: the sum's axes, and the variable of its term.
    sum: Option<(&'a [Axis], VarId)>,
}

impl<'f> Survey<'f> {
    /// What a function has: its kernels' producers, and where they are read.
    pub fn of(func: &'f Func, lanes: Lanes, unmoved: &'f Relying) -> Self {
        let mut survey = Survey::new(func, lanes, unmoved);
        survey.control(&func.body);
        survey
    }

    fn new(func: &'f Func, lanes: Lanes, unmoved: &'f Relying) -> Self {
        Survey {
            func,
            lanes,
            producers: IndexMap::new(),
            owner: FxHashMap::default(),
            consumed: FxHashMap::default(),
            sums: FxHashMap::default(),
            inner: FxHashSet::default(),
            position: 0,
            failing: Vec::new(),
            unmoved,
            relying: Vec::new(),
            ends: Vec::new(),
            loops: 0,
            extents: FxHashMap::default(),
            control: 0,
            operands: FxHashSet::default(),
            in_build: false,
            function: false,
        }
    }

    /// A block of statements that make arrays: of the function, a branch or a loop.
    fn control(&mut self, block: &Block) {
        let number = self.enter_block();
        let outer = std::mem::replace(&mut self.control, number);
        for stmt in &block.stmts {
            self.position += 1;
            let position = self.position;
            let consumed = &mut self.consumed;
            for_each_consumed(self.func, &stmt.op, &mut |v| consumed.entry(v).or_default().push(position));
            self.inner.clear();
            self.control_stmt(stmt, number);
        }
        self.leave_block(number);
        self.control = outer;
        self.escape_all(&block.results);
    }

    fn enter_block(&mut self) -> usize {
        self.ends.push(usize::MAX);
        self.ends.len() - 1
    }

    fn leave_block(&mut self, number: usize) {
        let end = self.ends.len();
        if let Some(slot) = self.ends.get_mut(number) {
            *slot = end;
        }
    }

    fn control_stmt(&mut self, stmt: &Stmt, block: usize) {
        match &stmt.op {
            Op::Vjp { .. } | Op::Jvp { .. } => {
                let mut used = Vec::new();
                for_each_use(self.func, &stmt.op, &mut |v| used.push(Atom::Var(v)));
                self.escape_all(&used);
            }
            Op::If { then_block, else_block, .. } if !is_scalar_code(self.func, stmt, Repeats::Reductions) => {
                self.control(then_block);
                self.control(else_block);
            }
            Op::Loop { inits, body, .. } => {
                self.escape_all(inits);
                self.loops += 1;
                self.control(body);
                self.loops -= 1;
            }
            Op::While { inits, cond, body } => {
                self.escape_all(inits);
                self.loops += 1;
                self.control(cond);
                self.control(body);
                self.loops -= 1;
            }
            _ => {
                let kernel = self.position;
                if may_fail_deep(self.func, &stmt.op) {
                    self.failing.push(kernel);
                }
                if self.unmoved.contains(stmt) {
                    self.relying.push(kernel);
                }
                let place =
                    CodeContext { kernel, axes: &[], nested: false, branch: false, again: false, block, sum: None };
                self.operands.clear();
                self.in_build = false;
                self.function = applies_function(&stmt.op);
                if let Op::Build { axes, body } = &stmt.op {
                    // A product with a vector reads the matrix once.
                    let products = contractions(self.func, axes, body);
                    let matrices = products.iter().filter(|p| !p.rows.is_empty() && !p.columns.is_empty());
                    self.operands.extend(matrices.flat_map(|p| &p.factors).map(|f| f.array));
                    self.in_build = true;
                }
                let cost_and_sources = self.scalar_stmt(stmt, &place);
                self.note_producer(stmt, cost_and_sources);
            }
        }
    }

    fn note_producer(&mut self, stmt: &Stmt, (cost, sources): (Cost, Vec<VarId>)) {
        let Op::Build { axes, body } = &stmt.op else { return };
        let scalar = body.results.iter().all(|&a| self.func.atom_ty(a).is_scalar());
        if !scalar || !body.stmts.iter().all(|s| is_scalar_code(self.func, s, Repeats::Reductions)) {
            return;
        }
        let Some(&first) = stmt.vars.first() else { return };
        self.owner.extend(stmt.vars.iter().map(|&v| (v, first)));
        let (position, loops) = (self.position, self.loops);
        // The build itself does not count towards the cost of an element.
        let (fails, control) = (may_fail_deep(self.func, &stmt.op), self.control);
        let summable = self.summable(axes, body);
        let condition = stmt.vars.iter().all(|&v| self.func.ty(v).elem == Scalar::Bool);
        let product = contractions(self.func, axes, body).iter().any(|p| is_large_product(self.func, p));
        let row_sum = self.lanes == Lanes::Rows && sums_rows(self.func, body);
        let length = axes.last().and_then(|a| self.func.types.poly(a.extent).as_constant());
        let short = axes.len() > 1 && length.is_some_and(|n| (2..=SHORT_AXIS).contains(&n));
        let producer = Producer {
            position,
            loops,
            cost,
            sources,
            sites: Vec::new(),
            escapes: false,
            fails,
            control,
            summable,
            term: is_term(body),
            integers: stmt.vars.iter().all(|&v| self.func.ty(v).elem == Scalar::I64),
            condition,
            product,
            row_sum,
            short,
        };
        self.producers.insert(first, producer);
    }

    /// Axes along which a sum of a build's elements can be merged into its own sum: the build is a sum, and stays a
    /// matrix product if it is one.
    fn summable(&self, axes: &[Axis], body: &Block) -> Vec<usize> {
        let Some((last, before)) = body.stmts.split_last() else { return Vec::new() };
        let sum = matches!(last.op, Op::Reduce { kind: Reduction::Sum, .. })
            && body.results.iter().map(|a| a.var()).eq(last.vars.iter().map(|&v| Some(v)))
            && last.vars.len() == 1
            && before.iter().all(|s| matches!(s.op, Op::Prim(..)));
        match contractions(self.func, axes, body).as_slice() {
            _ if !sum => Vec::new(),
            [product] => product.batch.clone(),
            _ => (0..axes.len()).collect(),
        }
    }

    fn escape_all(&mut self, atoms: &[Atom]) {
        for v in atoms.iter().filter_map(|a| a.var()) {
            if let Some(producer) = self.owner.get(&v).and_then(|p| self.producers.get_mut(p)) {
                producer.escapes = true;
            }
        }
    }

    /// Scalar code, or a kernel with its body: records sites; returns the cost of one run, and the arrays that it
    /// reads.
    fn scalar_stmt(&mut self, stmt: &Stmt, place: &CodeContext) -> (Cost, Vec<VarId>) {
        let mut cost = Cost { ops: 1, ..Cost::default() };
        let mut sources = Vec::new();
        self.inner.extend(&stmt.vars);
        match &stmt.op {
            Op::Read { array, index, .. } => {
                cost.reads = 1;
                sources.push(*array);
                self.site(*array, index, place, stmt.vars.first().copied());
            }
            Op::Prim(prim, args) => {
                cost.expensive = prim.cost() >= arr_ir::Cost::Function;
                if let ([v], [a, b]) = (stmt.vars.as_slice(), args.as_slice())
                    && matches!(prim, Prim::Add | Prim::Sub)
                    && self.func.atom_elem(*a) == Scalar::I64
                {
                    self.sums.insert(*v, (*a, *b));
                }
            }
            op => self.escape_all(&op.operands()),
        }
        let axes = stmt.op.axes();
        // At the outermost level the cost is that of one point.
        let outermost = place.axes.is_empty() && matches!(stmt.op, Op::Build { .. });
        let again = matches!(stmt.op, Op::While { .. });
        cost.loops = again || !axes.is_empty() && !outermost;
        cost.expensive |= cost.loops;
        cost.ops -= u32::from(outermost);
        self.inner.extend(axes.iter().map(|a| a.index));
        self.extents.extend(axes.iter().map(|a| (a.index, a.extent)));
        let branch = place.branch || again || matches!(stmt.op, Op::If { .. });
        let again = place.again || again;
        let around: Vec<VarId> = place.axes.iter().copied().chain(axes.iter().map(|a: &Axis| a.index)).collect();
        // Its points run side by side in the axes of the build around.
        let is_sum = !place.axes.is_empty() && matches!(stmt.op, Op::Reduce { kind: Reduction::Sum, .. });
        for body in stmt.op.blocks() {
            let term =
                if is_sum && body.results.len() == 1 { body.results.first().and_then(|a| a.var()) } else { None };
            let sum = term.map(|term| (axes, term));
            let nested = place.nested || again || !axes.is_empty() && !place.axes.is_empty();
            let inside = CodeContext { kernel: place.kernel, axes: &around, nested, branch, again, block: 0, sum };
            let (inner_cost, inner_sources) = self.scalar_block(body, inside);
            cost.add(inner_cost);
            sources.extend(inner_sources);
        }
        (cost, sources)
    }

    fn scalar_block(&mut self, block: &Block, mut place: CodeContext) -> (Cost, Vec<VarId>) {
        let number = self.enter_block();
        place.block = number;
        let mut cost = Cost::default();
        let mut sources = Vec::new();
        for stmt in &block.stmts {
            self.position += 1;
            let (c, s) = self.scalar_stmt(stmt, &place);
            cost.add(c);
            sources.extend(s);
        }
        self.leave_block(number);
        self.escape_all(&block.results);
        (cost, sources)
    }

    fn site(&mut self, array: VarId, index: &[Atom], place: &CodeContext, var: Option<VarId>) {
        let covered: Vec<VarId> = index.iter().filter_map(|&a| self.axis_of(a, place.axes)).collect();
        let single = !place.again && place.axes.iter().all(|axis| covered.contains(axis));
        let every = self.reads_every(array, index, place);
        let summed = match place.sum {
            Some((axes, term)) if var == Some(term) && !place.branch => {
                let over = |a: &Atom| axes.iter().any(|axis| *a == Atom::Var(axis.index));
                index.iter().enumerate().filter(|(_, a)| over(a)).map(|(k, _)| k).collect()
            }
            _ => Vec::new(),
        };
        let chosen = index.last().is_some_and(|&a| a.var().is_some() && self.axis_of(a, place.axes).is_none());
        let own = !place.branch && !place.nested && !place.axes.is_empty();
        let site = Site {
            array,
            kernel: place.kernel,
            every,
            product: self.operands.contains(&array),
            function: self.function && own,
            top: self.in_build && own,
            summed,
            position: self.position,
            index: index.to_vec(),
            single,
            nested: place.nested,
            chosen,
            block: place.block,
            loops: self.loops,
        };
        if let Some(producer) = self.owner.get(&array).and_then(|p| self.producers.get_mut(p)) {
            producer.sites.push(site);
        }
    }

    /// Whether the reader's points are the array's elements, one to one, and it is in no branch.
    fn reads_every(&self, array: VarId, index: &[Atom], place: &CodeContext) -> bool {
        let dims = &self.func.ty(array).dims;
        let axes: Option<Vec<VarId>> = index.iter().map(|a| a.var()).collect();
        let Some(axes) = axes else { return false };
        let distinct: FxHashSet<VarId> = axes.iter().copied().collect();
        let same_block =
            self.owner.get(&array).and_then(|p| self.producers.get(p)).is_some_and(|p| p.control == self.control);
        !place.branch
            && same_block
            && distinct.len() == place.axes.len()
            && axes.len() == place.axes.len()
            && axes.iter().zip(dims).all(|(a, d)| place.axes.contains(a) && self.extents.get(a) == Some(d))
    }

    /// The axis that an index component equals, up to a shift that is the same at every point.
    fn axis_of(&self, atom: Atom, axes: &[VarId]) -> Option<VarId> {
        let v = atom.var()?;
        if axes.contains(&v) {
            return Some(v);
        }
        let fixed = |a: Atom| a.var().is_none_or(|v| !self.inner.contains(&v));
        match *self.sums.get(&v)? {
            (Atom::Var(w), other) | (other, Atom::Var(w)) if axes.contains(&w) && fixed(other) => Some(w),
            _ => None,
        }
    }

    /// The first statement after `position` that may take over the array's storage.
    pub fn next_consumed(&self, array: VarId, position: usize) -> usize {
        let Some(positions) = self.consumed.get(&array) else { return usize::MAX };
        let i = positions.partition_point(|&p| p <= position);
        positions.get(i).copied().unwrap_or(usize::MAX)
    }
}

/// Whether a body's only result is a product of two numbers, or a sum.
fn is_term(body: &Block) -> bool {
    let [result] = body.results.as_slice() else { return false };
    let made = body.stmts.iter().find(|stmt| stmt.vars.iter().any(|&v| result.var() == Some(v)));
    made.is_some_and(|stmt| match &stmt.op {
        Op::Prim(prim, _) => matches!(prim, Prim::Mul | Prim::MulZero),
        Op::Reduce { kind, .. } => *kind == Reduction::Sum && stmt.vars.len() == 1,
        _ => false,
    })
}

/// Whether a product has rows and columns, and is not known to have a short sum.
fn is_large_product(func: &Func, product: &Contraction) -> bool {
    let constant = |a: &Axis| func.types.poly(a.extent).as_constant();
    let depth = product.inner.iter().try_fold(1i64, |n, a| Some(n.saturating_mul(constant(a)?)));
    !product.rows.is_empty() && !product.columns.is_empty() && depth.is_none_or(|n| n >= SHORT_SUM)
}
