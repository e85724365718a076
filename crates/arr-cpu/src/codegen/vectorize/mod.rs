//! The vectorizer for vectors of 128 bits: emits loops according to `plan`, with the values of several iterations side
//! by side in a vector.

mod cost;
pub(super) mod fold;
mod legality;
pub(super) mod plan;
mod prim;

use crate::codegen::control::block_args;
use crate::codegen::{Codegen, Range, Result, Slot, clif_type, internal, trusted};
use arr_ir::Scalar;
use arr_loops::{Expr, For, LocalId, Operand, Stmt};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::Variable;
use plan::{Class, Plan, unrolls};

/// The values of one local in the iterations that run at once.
#[derive(Clone, Debug)]
pub(super) enum Wide {
    Uniform(Value),
    /// The first iteration's, and the difference to the next; of addresses in elements.
    Linear(Value, Step),
    Vectors(Vec<Value>),
    Masks(Vec<Value>),
    /// One value per iteration.
    Lanes(Vec<Value>),
    /// A mutable local's vectors.
    Variables(Vec<Variable>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Const(i64),
    Value(Value),
}

/// The loops around a statement inside a wide one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inner {
    loops: usize,
    /// One that may be empty is inside another, or one contains a check.
    stays: bool,
}

impl Inner {
    fn entered(self, l: &For) -> Inner {
        let runs = l.extent.as_int().is_some_and(|extent| extent > 0);
        let checks = arr_loops::any_stmt(&l.body, &|stmt| matches!(stmt, Stmt::Check { .. }));
        Inner { loops: self.loops + 1, stays: self.stays || checks || self.loops > 0 && !runs }
    }

    /// Whether a load that is invariant in these loops still runs only where it is reached if it is moved in front of
    /// them: there only the outermost one is known to run.
    fn may_move_loads(self) -> bool {
        !self.stays
    }
}

/// The access pattern of a load or store.
enum AccessPattern {
    Same(Value),
    /// Contiguous.
    Row(Value),
    Each(Vec<Value>),
}

impl Codegen<'_, '_> {
    /// Emits the wide loop. Returns the iterations left to the plain loop.
    pub(super) fn wide_loop(&mut self, l: &For, plan: &Plan, range: Range) -> Result<Range> {
        let zero = self.int(0);
        let end = self.b.ins().smax(range.end, zero);
        self.open_folds(plan);
        let mut first = self.wide_pass(l, plan, range.first, end)?;
        if plan.tail {
            first = self.wide_pass(l, &plan.narrow(), first, end)?;
        }
        self.close_folds(plan)?;
        Ok(Range { first, end: range.end })
    }

    /// Continues from `start` while there are enough iterations for a full step. At the end the accumulators are
    /// combined into the first vector. Returns the index and the inductions there.
    fn wide_pass(&mut self, l: &For, plan: &Plan, start: Vec<Value>, extent: Value) -> Result<Vec<Value>> {
        let width = plan.width() as i64;
        let limit = self.b.ins().iadd_imm_s(extent, 1 - width);
        let (body, done, exit) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let mut strides = vec![self.int(width)];
        for induction in &l.inductions {
            let step = self.operand(induction.step)?;
            strides.push(self.b.ins().imul_imm_s(step, width));
        }
        let values: Vec<Value> = strides.iter().map(|_| self.b.append_block_param(body, types::I64)).collect();
        let ends: Vec<Value> = strides.iter().map(|_| self.b.append_block_param(exit, types::I64)).collect();
        let any = self.b.ins().icmp(IntCC::SignedLessThan, start[0], limit);
        self.b.ins().brif(any, body, &block_args(&start), exit, &block_args(&start));
        self.b.switch_to_block(body);
        for (k, &value) in values.iter().enumerate() {
            let (local, step) = match k.checked_sub(1).and_then(|k| l.inductions.get(k)) {
                Some(induction) => (induction.local, self.step(induction.step)?),
                None => (l.index, Step::Const(1)),
            };
            self.wide.insert(local, Wide::Linear(value, step));
        }
        self.wide_block(&l.body, plan)?;
        let next: Vec<Value> = values.iter().zip(&strides).map(|(&v, &s)| self.b.ins().iadd(v, s)).collect();
        let more = self.b.ins().icmp(IntCC::SignedLessThan, next[0], limit);
        self.b.ins().brif(more, body, &block_args(&next), done, &[]);
        self.b.seal_block(body);
        self.wide.clear();
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        self.join_vectors(plan)?;
        self.b.ins().jump(exit, &block_args(&next));
        self.b.switch_to_block(exit);
        self.b.seal_block(exit);
        Ok(ends)
    }

    fn step(&mut self, step: Operand) -> Result<Step> {
        match step.as_int() {
            Some(step) => Ok(Step::Const(step)),
            None => Ok(Step::Value(self.operand(step)?)),
        }
    }

    fn wide_block(&mut self, stmts: &[Stmt], plan: &Plan) -> Result<()> {
        stmts.iter().try_for_each(|stmt| self.wide_stmt(stmt, plan))
    }

    fn wide_stmt(&mut self, stmt: &Stmt, plan: &Plan) -> Result<()> {
        match stmt {
            Stmt::Let { local, .. } if plan.folds.contains_key(local) => match plan.folds.get(local) {
                Some(fold) if plan.ordered => self.ordered_fold(fold, plan),
                Some(fold) => self.wide_fold(*local, fold, plan),
                None => Ok(()),
            },
            // Part of the sum that uses it.
            Stmt::Let { local, .. } if self.contractions.products.contains(local) => Ok(()),
            // Executed with the statement before.
            Stmt::Set { value: Operand::Local(next), .. } if plan.folds.contains_key(next) => Ok(()),
            Stmt::Let { local, expr } => {
                let uniform = plan.classes.get(local) == Some(&Class::Uniform);
                if uniform && !matches!(expr, Expr::Load(..)) {
                    return self.stmt(stmt);
                }
                let sum = self.contractions.sums.get(local).copied().filter(|_| !uniform);
                let value = match sum {
                    Some(sum) => Wide::Vectors(self.contracted_vectors(sum, plan)?),
                    None => self.wide_expr(*local, expr, plan)?,
                };
                match value {
                    Wide::Uniform(value) => self.slots[*local] = Slot::Value(value),
                    value => drop(self.wide.insert(*local, value)),
                }
                Ok(())
            }
            Stmt::Var { local, init } => {
                let variables: Vec<Variable> =
                    (0..plan.vectors).map(|_| self.b.declare_var(vector_type(plan.elem))).collect();
                if let Some(init) = init {
                    let values = self.vectors(*init, plan)?;
                    variables.iter().zip(values).for_each(|(&variable, value)| self.b.def_var(variable, value));
                }
                self.wide.insert(*local, Wide::Variables(variables));
                Ok(())
            }
            Stmt::Set { local, value } => {
                let values = self.vectors(*value, plan)?;
                let Some(Wide::Variables(variables)) = self.wide.get(local).cloned() else {
                    return Err(internal("an immutable local is set in a wide loop"));
                };
                variables.iter().zip(values).for_each(|(&variable, value)| self.b.def_var(variable, value));
                Ok(())
            }
            Stmt::Store { address, offset, value } => self.wide_store(*address, *offset, *value, plan),
            Stmt::For(l) if unrolls(l, self.flags.count_steps) => {
                self.unrolled(l, &mut |codegen| codegen.wide_block(&l.body, plan))
            }
            Stmt::For(l) => {
                let range = self.whole(l)?;
                let outside = self.inner;
                self.inner = outside.entered(l);
                self.loop_over(l, range, &mut |codegen| codegen.wide_block(&l.body, plan))?;
                self.inner = outside;
                Ok(())
            }
            Stmt::Check { .. } => self.stmt(stmt),
            _ => Err(internal("a statement that cannot be made wide")),
        }
    }

    pub(super) fn wide_value(&mut self, operand: Operand) -> Result<Wide> {
        if let Operand::Local(local) = operand
            && let Some(wide) = self.wide.get(&local)
        {
            return Ok(match wide.clone() {
                Wide::Variables(variables) => Wide::Vectors(variables.iter().map(|&v| self.b.use_var(v)).collect()),
                wide => wide,
            });
        }
        Ok(Wide::Uniform(self.operand(operand)?))
    }

    fn wide_expr(&mut self, local: LocalId, expr: &Expr, plan: &Plan) -> Result<Wide> {
        match expr {
            Expr::Prim(prim, args) => self.wide_prim(*prim, args, plan),
            Expr::Copy(a) => self.wide_value(*a),
            Expr::Offset(address, offset) => {
                self.inherit_extent(local, *address)?;
                self.wide_offset(*address, *offset, plan)
            }
            Expr::Load(address, offset) => {
                let ty = clif_type(self.loops.ty(local).elem());
                self.wide_load(ty, *address, *offset, plan)
            }
            Expr::BaseAddr(_) | Expr::Len(_) | Expr::Literal(_) => {
                Err(internal("an expression that cannot be made wide"))
            }
        }
    }

    // Addresses.

    /// An address plus a number of elements.
    fn wide_sum(&mut self, address: LocalId, offset: Operand, plan: &Plan) -> Result<Wide> {
        let bytes = self.loops.ty(address).elem().bytes() as i64;
        let address = self.wide_value(address.into())?;
        if let (Wide::Uniform(address), Some(Ok(n))) = (&address, offset.as_int().map(i32::try_from)) {
            return Ok(Wide::Uniform(self.b.ins().iadd_imm_s(*address, i64::from(n) * bytes)));
        }
        let offset = self.wide_value(offset)?;
        let scaled = |codegen: &mut Self, n: Value| codegen.b.ins().imul_imm_s(n, bytes);
        Ok(match (address, offset) {
            (Wide::Uniform(a), Wide::Uniform(n)) => {
                let n = scaled(self, n);
                Wide::Uniform(self.b.ins().iadd(a, n))
            }
            (Wide::Uniform(a), Wide::Linear(n, step)) | (Wide::Linear(a, step), Wide::Uniform(n)) => {
                let n = scaled(self, n);
                Wide::Linear(self.b.ins().iadd(a, n), step)
            }
            (Wide::Linear(a, s), Wide::Linear(n, t)) => {
                let n = scaled(self, n);
                let step = self.add_steps(s, t);
                Wide::Linear(self.b.ins().iadd(a, n), step)
            }
            (address, offset) => {
                let addresses = self.lanes(address, bytes, plan)?;
                let offsets = self.lanes(offset, 1, plan)?;
                let place = |(a, n): (Value, Value)| {
                    let n = scaled(self, n);
                    self.b.ins().iadd(a, n)
                };
                Wide::Lanes(addresses.into_iter().zip(offsets).map(place).collect())
            }
        })
    }

    pub(super) fn add_steps(&mut self, a: Step, b: Step) -> Step {
        match (a, b) {
            (Step::Const(a), Step::Const(b)) => Step::Const(a.wrapping_add(b)),
            (Step::Value(a), Step::Value(b)) => Step::Value(self.b.ins().iadd(a, b)),
            (Step::Value(a), Step::Const(b)) | (Step::Const(b), Step::Value(a)) => {
                Step::Value(self.b.ins().iadd_imm_s(a, b))
            }
        }
    }

    fn wide_offset(&mut self, address: LocalId, offset: Operand, plan: &Plan) -> Result<Wide> {
        let bytes = self.loops.ty(address).elem().bytes() as i64;
        match self.wide_sum(address, offset, plan)? {
            // As in the plan: added up here, once.
            wide @ Wide::Linear(_, Step::Value(_)) => Ok(Wide::Lanes(self.lanes(wide, bytes, plan)?)),
            wide => Ok(wide),
        }
    }

    /// One value per iteration. A step is this many units.
    pub(super) fn lanes(&mut self, wide: Wide, unit: i64, plan: &Plan) -> Result<Vec<Value>> {
        match wide {
            Wide::Uniform(value) => Ok(vec![value; plan.width()]),
            Wide::Lanes(values) => Ok(values),
            Wide::Linear(first, step) => {
                let step = match step {
                    Step::Const(step) => self.int(step.wrapping_mul(unit)),
                    Step::Value(step) => self.b.ins().imul_imm_s(step, unit),
                };
                let mut values = vec![first];
                for k in 1..plan.width() {
                    // Not from the previous one: the products are loop-invariant.
                    let distance = self.b.ins().imul_imm_s(step, k as i64);
                    values.push(self.b.ins().iadd(first, distance));
                }
                Ok(values)
            }
            Wide::Vectors(_) | Wide::Masks(_) | Wide::Variables(_) => Err(internal("floats where integers are needed")),
        }
    }

    fn wide_place(&mut self, address: LocalId, offset: Operand, plan: &Plan) -> Result<AccessPattern> {
        let bytes = self.loops.ty(address).elem().bytes() as i64;
        Ok(match self.wide_sum(address, offset, plan)? {
            Wide::Uniform(address) | Wide::Linear(address, Step::Const(0)) => AccessPattern::Same(address),
            Wide::Linear(address, Step::Const(1)) => AccessPattern::Row(address),
            wide => AccessPattern::Each(self.lanes(wide, bytes, plan)?),
        })
    }

    fn wide_load(&mut self, ty: Type, address: LocalId, offset: Operand, plan: &Plan) -> Result<Wide> {
        let is_float = ty.is_float();
        let changed = plan.changed.contains(&address);
        let place = self.wide_place(address, offset, plan)?;
        let addresses = match place {
            AccessPattern::Same(at) => {
                self.check_access(address, at, i64::from(ty.bytes()))?;
                return Ok(Wide::Uniform(self.b.ins().load(ty, trusted(), at, 0)));
            }
            AccessPattern::Row(at) if is_float => {
                self.check_access(address, at, 16 * plan.vectors as i64)?;
                let vector = vector_type(plan.elem);
                let flags = row_flags(changed || !self.inner.may_move_loads());
                let load = |k| self.b.ins().load(vector, flags, at, 16 * k);
                return Ok(Wide::Vectors((0..plan.vectors as i32).map(load).collect()));
            }
            AccessPattern::Row(at) => {
                let size = i64::from(ty.bytes());
                (0..plan.width() as i64).map(|k| self.b.ins().iadd_imm_s(at, k * size)).collect()
            }
            AccessPattern::Each(addresses) => addresses,
        };
        addresses.iter().try_for_each(|&at| self.check_access(address, at, i64::from(ty.bytes())))?;
        let moves = !changed && self.inner.may_move_loads();
        let flags = if moves { trusted().with_readonly().with_can_move() } else { trusted() };
        let values: Vec<Value> = addresses.into_iter().map(|a| self.b.ins().load(ty, flags, a, 0)).collect();
        Ok(if is_float { Wide::Vectors(self.pack(&values, plan)) } else { Wide::Lanes(values) })
    }

    fn wide_store(&mut self, address: LocalId, offset: Operand, value: Operand, plan: &Plan) -> Result<()> {
        let vectors = self.vectors(value, plan)?;
        match self.wide_place(address, offset, plan)? {
            AccessPattern::Row(at) => {
                self.check_access(address, at, 16 * plan.vectors as i64)?;
                let flags = MemFlagsData::new().with_notrap();
                for (k, vector) in vectors.into_iter().enumerate() {
                    self.b.ins().store(flags, vector, at, 16 * k as i32);
                }
            }
            AccessPattern::Each(addresses) => {
                for (k, at) in addresses.into_iter().enumerate() {
                    let vector = vectors.get(k / plan.lanes()).copied();
                    let vector = vector.ok_or_else(|| internal("a value has fewer vectors than it is stored from"))?;
                    self.check_access(address, at, plan.elem.bytes() as i64)?;
                    let value = self.b.ins().extractlane(vector, (k % plan.lanes()) as u8);
                    self.b.ins().store(trusted(), value, at, 0);
                }
            }
            AccessPattern::Same(_) => return Err(internal("all iterations write to one place")),
        }
        Ok(())
    }

    // Vectors.

    /// Separate floats as vectors.
    pub(super) fn pack(&mut self, values: &[Value], plan: &Plan) -> Vec<Value> {
        let mut vectors = Vec::new();
        for group in values.chunks(plan.lanes()) {
            let Some((&first, rest)) = group.split_first() else { continue };
            let mut vector = self.b.ins().scalar_to_vector(vector_type(plan.elem), first);
            for (k, &value) in rest.iter().enumerate() {
                vector = self.b.ins().insertlane(vector, value, k as u8 + 1);
            }
            vectors.push(vector);
        }
        vectors
    }

    pub(super) fn vectors(&mut self, operand: Operand, plan: &Plan) -> Result<Vec<Value>> {
        match self.wide_value(operand)? {
            Wide::Uniform(value) => {
                let vector = self.b.ins().splat(vector_type(plan.elem), value);
                Ok(vec![vector; plan.vectors])
            }
            Wide::Vectors(values) => Ok(values),
            _ => Err(internal("integers where floats are needed")),
        }
    }

    pub(super) fn masks(&mut self, operand: Operand) -> Result<Vec<Value>> {
        match self.wide_value(operand)? {
            Wide::Masks(values) => Ok(values),
            _ => Err(internal("a condition that is not a comparison")),
        }
    }
}

/// Loads of rows, which start at any element. Unless a wide loop changes these elements, it does not write what it
/// reads, and the addresses differ in every iteration of it, so the loads can be made where their values are needed: a
/// value for the last vector does not occupy a register while the first is computed. They can also be made in front of
/// the inner loops, so those must be known to reach them (`Inner`).
fn row_flags(stays: bool) -> MemFlagsData {
    let flags = MemFlagsData::new().with_notrap();
    if stays { flags } else { flags.with_readonly().with_can_move() }
}

pub(super) fn vector_type(elem: Scalar) -> Type {
    if elem == Scalar::F32 { types::F32X4 } else { types::F64X2 }
}
