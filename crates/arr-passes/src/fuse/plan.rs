//! Decides which producers are inlined, without changing the function.

use super::Lanes;
use super::cost::{
    COPIED, Cost, GUARD_OPS, MAX_CHAIN, MAX_OPS, Reading, SHORT_AXIS, SHORT_OPS, SHORT_SUM, are_recomputed,
    is_recomputed,
};
use super::row_sums::{applies_function, sums_rows};
use crate::analysis::{Repeats, for_each_consumed, is_scalar_code};
use arr_ir::walk::{for_each_use, may_fail_deep};
use arr_ir::{Atom, Axis, Block, Contraction, Func, Op, Prim, Reduction, Scalar, SizeId, Stmt, VarId, contractions};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    Inline,
    Unread,
    Escapes,
    Consumed,
    TooLong,
    SeveralReaders,
    SeveralPlaces,
    Repeated,
    InLoop,
    Product,
    IsProduct,
    IsRowSum,
    MayFail,
}

impl Decision {
    pub fn text(self) -> &'static str {
        match self {
            Decision::Inline => "inlined into its reader",
            Decision::Unread => "kept: no kernel reads it",
            Decision::Escapes => "kept: it is needed as a whole (returned, carried, reshaped or scattered into)",
            Decision::Consumed => "kept: an array it is made from is updated in place before it is read",
            Decision::TooLong => "kept: the kernel would grow too long",
            Decision::SeveralReaders => "kept: several kernels read it and recomputing it is expensive",
            Decision::SeveralPlaces => "kept: its reader reads it at several places and recomputing it is expensive",
            Decision::Repeated => "kept: its reader would compute elements more than once",
            Decision::InLoop => "kept: it is read in a loop",
            Decision::Product => "kept: a matrix product reads each of its elements many times",
            Decision::IsProduct => "kept: it is a matrix product, and would not be one in its reader",
            Decision::IsRowSum => "kept: it sums rows, and its reader applies a function to many sums at once",
            Decision::MayFail => "kept: computing it can stop the program, and its reader may skip elements",
        }
    }
}

/// One read of a producer's result.
struct Site {
    array: VarId,
    /// The surrounding statement that is not scalar code.
    kernel: usize,
    position: usize,
    index: Vec<Atom>,
    single: bool,
    /// Whether it stands in a reduction or loop inside a kernel.
    nested: bool,
    /// Whether the last component of the index depends on data: it is no axis.
    chosen: bool,
    /// The number of the block it stands in.
    block: usize,
    loops: u32,
    /// Whether the reader computes every element, independently of the data.
    every: bool,
    /// Whether it is an operand of a matrix product.
    product: bool,
    /// Whether it stands in the body of a build itself, not in a branch, a sum or a loop there.
    top: bool,
    /// Whether it stands in the body of a kernel itself, which applies a function ([`arr_ir::Cost::Function`]) there.
    function: bool,
    /// The components of the index that the reader, a plain sum in a build, sums over; empty otherwise.
    summed: Vec<usize>,
}

struct Producer {
    position: usize,
    loops: u32,
    cost: Cost,
    /// Arrays its body reads, once per read.
    sources: Vec<VarId>,
    sites: Vec<Site>,
    escapes: bool,
    /// Whether computing an element can stop the program, inlined producers aside.
    fails: bool,
    /// The block of array statements it stands in.
    control: usize,
    /// Its axes over which a sum of its elements can be merged into its own sum; none unless it is a sum.
    summable: Vec<usize>,
    /// Whether it is a condition.
    condition: bool,
    /// Whether there is a product of matrices in it.
    product: bool,
    /// Whether it sums elements that lie side by side.
    row_sum: bool,
    /// Whether its innermost axis is short.
    short: bool,
}

/// Facts about an inlined producer, with the producers inlined into it.
#[derive(Clone, Copy)]
struct Inlined {
    cost: Cost,
    /// The position by which it must have been read.
    deadline: usize,
    /// The length of the chain of inlined producers.
    chain: u32,
    fails: bool,
    /// Whether it reads memory.
    memory: bool,
    /// Whether there is a product of matrices in it.
    product: bool,
    /// Whether it sums elements that lie side by side.
    row_sum: bool,
}

/// The decisions for a function, by the first result of the producer.
pub(super) struct Plan {
    decisions: IndexMap<VarId, Decision>,
    /// The producer (by its first result) of each array.
    owner: FxHashMap<VarId, VarId>,
}

impl Plan {
    pub fn new(func: &Func, lanes: Lanes) -> Plan {
        let mut survey = Survey::new(func, lanes);
        survey.control(&func.body);
        survey.decide()
    }

    /// Inlines conditions on indices, and nothing else.
    pub fn of_guards(func: &Func) -> Plan {
        let mut plan = Plan::new(func, Lanes::Points);
        let is_bool = |v: VarId| func.ty(v).elem == Scalar::Bool;
        plan.decisions.retain(|&v, d| *d == Decision::Inline && is_bool(v));
        plan
    }

    pub fn inlines_any(&self) -> bool {
        self.decisions.values().any(|d| *d == Decision::Inline)
    }

    pub fn decisions(&self) -> impl Iterator<Item = (VarId, &Decision)> {
        self.decisions.iter().map(|(&v, d)| (v, d))
    }

    /// The decision for a producer, by its first result.
    pub fn decision(&self, first: VarId) -> Option<Decision> {
        self.decisions.get(&first).copied()
    }

    pub fn inlines(&self, array: VarId) -> bool {
        self.owner.get(&array).and_then(|p| self.decisions.get(p)) == Some(&Decision::Inline)
    }
}

struct Survey<'f> {
    func: &'f Func,
    lanes: Lanes,
    producers: IndexMap<VarId, Producer>,
    owner: FxHashMap<VarId, VarId>,
    /// Where the storage of an array may be taken over, ascending.
    consumed: FxHashMap<VarId, Vec<usize>>,
    /// Integer additions and subtractions of scalar code.
    sums: FxHashMap<VarId, (Atom, Atom)>,
    /// Variables bound inside the kernel being looked at.
    inner: FxHashSet<VarId>,
    position: usize,
    /// By the number of a block, one past the numbers of the blocks inside it.
    ends: Vec<usize>,
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
    fn new(func: &'f Func, lanes: Lanes) -> Self {
        Survey {
            func,
            lanes,
            producers: IndexMap::new(),
            owner: FxHashMap::default(),
            consumed: FxHashMap::default(),
            sums: FxHashMap::default(),
            inner: FxHashSet::default(),
            position: 0,
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
        let site = Site {
            array,
            kernel: place.kernel,
            every,
            product: self.operands.contains(&array),
            function: self.function && !place.branch && !place.nested && !place.axes.is_empty(),
            top: self.in_build && !place.branch && !place.nested && !place.axes.is_empty(),
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

    fn decide(self) -> Plan {
        let mut decisions: IndexMap<VarId, Decision> = IndexMap::new();
        let mut inlined: FxHashMap<VarId, Inlined> = FxHashMap::default();
        for (&first, producer) in &self.producers {
            let (cost, fails) = (producer.cost, producer.fails);
            let Producer { product, row_sum, .. } = *producer;
            let mut found = Inlined { cost, deadline: usize::MAX, chain: 0, fails, memory: false, product, row_sum };
            for source in &producer.sources {
                match self.owner.get(source).and_then(|p| inlined.get(p)) {
                    Some(source) => {
                        found.fails |= source.fails;
                        found.memory |= source.memory;
                        found.product |= source.product;
                        found.row_sum |= source.row_sum;
                        found.cost.add(source.cost);
                        found.deadline = found.deadline.min(source.deadline);
                        found.chain = found.chain.max(source.chain);
                    }
                    None => {
                        found.memory = true;
                        found.deadline = found.deadline.min(self.next_consumed(*source, producer.position));
                    }
                }
            }
            let decision = decide(producer, found, &self.ends);
            if decision == Decision::Inline {
                inlined.insert(first, Inlined { chain: found.chain + 1, ..found });
            }
            decisions.insert(first, decision);
        }
        Plan { decisions, owner: self.owner }
    }

    /// The first statement after `position` that may take over the array's storage.
    fn next_consumed(&self, array: VarId, position: usize) -> usize {
        let Some(positions) = self.consumed.get(&array) else { return usize::MAX };
        let i = positions.partition_point(|&p| p <= position);
        positions.get(i).copied().unwrap_or(usize::MAX)
    }
}

/// Whether a product has rows and columns, and is not known to have a short sum.
fn is_large_product(func: &Func, product: &Contraction) -> bool {
    let constant = |a: &Axis| func.types.poly(a.extent).as_constant();
    let depth = product.inner.iter().try_fold(1i64, |n, a| Some(n.saturating_mul(constant(a)?)));
    !product.rows.is_empty() && !product.columns.is_empty() && depth.is_none_or(|n| n >= SHORT_SUM)
}

fn decide(producer: &Producer, found: Inlined, ends: &[usize]) -> Decision {
    let Inlined { cost, deadline, chain, fails, memory, product, row_sum } = found;
    let sites = &producer.sites;
    let Some(first) = sites.first() else {
        return if producer.escapes { Decision::Escapes } else { Decision::Unread };
    };
    if producer.escapes {
        return Decision::Escapes;
    }
    // A kernel that takes the storage itself comes before the sites in its body.
    if sites.iter().any(|s| s.position >= deadline) {
        return Decision::Consumed;
    }
    if fails && !sites.iter().any(|s| s.every) {
        return Decision::MayFail;
    }
    if chain >= MAX_CHAIN || cost.ops > MAX_OPS {
        return Decision::TooLong;
    }
    // A condition on indices: what it guards is simpler where it is known.
    if producer.condition && !memory && !cost.expensive && cost.ops <= GUARD_OPS {
        return Decision::Inline;
    }
    let sum_of_sums = match sites.as_slice() {
        [one] => !one.summed.is_empty() && one.summed.iter().all(|k| producer.summable.contains(k)),
        _ => false,
    };
    let reading = |s: &Site| match s {
        Site { product: true, .. } => Reading::Product,
        Site { single: false, nested: true, .. } => Reading::AgainInside,
        _ => Reading::Again,
    };
    if sites.iter().all(|s| is_recomputed(cost, reading(s))) {
        return Decision::Inline;
    }
    if sites.iter().any(|s| s.product) {
        return Decision::Product;
    }
    if product && !sum_of_sums && !sites.iter().all(|s| s.top) {
        return Decision::IsProduct;
    }
    // A sum along a row is one number at the end, and a function of one number takes as long as of a vector.
    if row_sum && !sum_of_sums && sites.iter().any(|s| s.function) {
        return Decision::IsRowSum;
    }
    if sites.iter().any(|s| s.loops > producer.loops) {
        return Decision::InLoop;
    }
    if !sites.iter().all(|s| s.single) {
        return Decision::Repeated;
    }
    if is_recomputed(cost, Reading::Once) {
        return Decision::Inline;
    }
    // Along a short axis one reduction needs every element, and others the chosen one.
    let all = |s: &&Site| !s.chosen;
    let choice = sites.iter().filter(all).count() == 1 && sites.iter().filter(all).all(|s| s.nested && s.every);
    if producer.short && choice && sites.len() <= 3 && !cost.expensive && cost.ops <= SHORT_OPS {
        return Decision::Inline;
    }
    let arrays: FxHashSet<VarId> = sites.iter().map(|s| s.array).collect();
    let places: FxHashSet<(usize, &[Atom])> = sites.iter().map(|s| (s.kernel, s.index.as_slice())).collect();
    if arrays.len() > 1 && are_recomputed(cost, places.len() - 1, arrays.len()) {
        return Decision::Inline;
    }
    // A sum of sums is one sum.
    if sum_of_sums {
        return Decision::Inline;
    }
    // A reduction in a reduction is a chain of dependent additions; separately, its points run side by side.
    if cost.loops && sites.iter().any(|s| s.nested) {
        return Decision::InLoop;
    }
    if sites.iter().any(|s| s.kernel != first.kernel) {
        return Decision::SeveralReaders;
    }
    if sites.iter().any(|s| s.index != first.index) {
        return Decision::SeveralPlaces;
    }
    // The first site's block is that of every other or encloses it, so that the others find the element computed.
    let end = ends.get(first.block).copied().unwrap_or(0);
    if !sites.iter().all(|s| (first.block..end).contains(&s.block)) && (cost.expensive || cost.ops > COPIED) {
        return Decision::SeveralPlaces;
    }
    Decision::Inline
}
