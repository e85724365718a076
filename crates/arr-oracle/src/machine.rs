//! The evaluator: the meaning of every operation on numbers that sweeps may watch.

use crate::count::Operations;
use crate::dual::Tape;
use crate::number::{Num, Sweep};
use crate::value::Val;
use crate::{Method, Run, Stop, internal};
use arr_base::Id;
use arr_ir::{Atom, Block, Check, Const, Func, Op, Prim, RunErrorKind, SizeId, Stmt, Value, VarId};

/// By the variables' numbers.
pub(crate) type Env = Vec<Option<Val>>;

pub(crate) struct Machine<'f> {
    pub func: &'f Func,
    pub method: Method,
    pub env: Env,
    /// One per started sweep; a reverse sweep's tape while it records.
    pub tapes: Vec<Option<Tape<'f>>>,
    pub operations: Operations,
    left: u64,
}

pub(crate) fn failed<T>(kind: RunErrorKind) -> Run<T> {
    Err(Stop::Failed(kind))
}

impl<'f> Machine<'f> {
    pub fn new(func: &'f Func, method: Method, limit: u64) -> Machine<'f> {
        let env = vec![None; func.vars.len()];
        Machine { func, method, env, tapes: Vec::new(), operations: Operations::default(), left: limit }
    }

    pub fn bind_arguments(&mut self, sizes: &[i64], args: &[Value]) -> Run<()> {
        if sizes.len() != self.func.sizes.len() || args.len() != self.func.params.len() {
            return Err(internal("wrong number of arguments"));
        }
        for (&var, &size) in self.func.sizes.iter().zip(sizes) {
            self.set(var, int(size))?;
        }
        for (&var, arg) in self.func.params.iter().zip(args) {
            self.set(var, Val::of(arg))?;
        }
        Ok(())
    }

    pub fn set(&mut self, var: VarId, value: Val) -> Run<()> {
        let slot = self.env.get_mut(var.index()).ok_or_else(|| internal("an unknown variable"))?;
        *slot = Some(value);
        Ok(())
    }

    pub fn set_all(&mut self, vars: &[VarId], values: Vec<Val>) -> Run<()> {
        if vars.len() != values.len() {
            return Err(internal("wrong number of results"));
        }
        vars.iter().zip(values).try_for_each(|(&var, value)| self.set(var, value))
    }

    pub fn var(&self, var: VarId) -> Run<Val> {
        self.env.get(var.index()).cloned().flatten().ok_or_else(|| internal("a variable that is not bound"))
    }

    pub fn atom(&self, atom: Atom) -> Run<Val> {
        match atom {
            Atom::Var(v) => self.var(v),
            Atom::Const(c) => Ok(Val::Num(Num::Plain(c))),
        }
    }

    pub fn atoms(&self, atoms: &[Atom]) -> Run<Vec<Val>> {
        atoms.iter().map(|&a| self.atom(a)).collect()
    }

    pub fn num(&self, atom: Atom) -> Run<Num> {
        match self.atom(atom)? {
            Val::Num(n) => Ok(n),
            Val::Array(_) => Err(internal("an array where a scalar is needed")),
        }
    }

    pub fn int(&self, atom: Atom) -> Run<i64> {
        self.num(atom)?.plain().as_i64().ok_or_else(|| internal("an index that is no integer"))
    }

    pub fn bool(&self, atom: Atom) -> Run<bool> {
        self.num(atom)?.plain().as_bool().ok_or_else(|| internal("a condition that is no bool"))
    }

    pub fn size(&self, size: SizeId) -> Run<i64> {
        let poly = self.func.types.poly(size);
        poly.eval(&mut |v| self.int(Atom::Var(v)).ok()).ok_or_else(|| internal("a size that is not bound"))
    }

    /// The axes of a variable's type.
    pub fn dims(&self, var: VarId) -> Run<Vec<i64>> {
        self.func.ty(var).dims.iter().map(|&d| self.size(d)).collect()
    }

    /// Counts a statement.
    pub fn step(&mut self) -> Run<()> {
        self.left = self.left.checked_sub(1).ok_or(Stop::TooLong)?;
        Ok(())
    }

    /// The results of a block whose parameters are bound.
    pub fn block(&mut self, block: &'f Block) -> Run<Vec<Val>> {
        for stmt in &block.stmts {
            let values = self.stmt(stmt)?;
            self.set_all(&stmt.vars, values)?;
        }
        self.atoms(&block.results)
    }

    /// The results of a block for these values of its parameters.
    pub fn call(&mut self, block: &'f Block, args: Vec<Val>) -> Run<Vec<Val>> {
        self.set_all(&block.params, args)?;
        self.block(block)
    }

    pub fn stmt(&mut self, stmt: &'f Stmt) -> Run<Vec<Val>> {
        self.step()?;
        Ok(match &stmt.op {
            Op::Prim(prim, args) => {
                let args: Vec<Num> = args.iter().map(|&a| self.num(a)).collect::<Run<_>>()?;
                vec![Val::Num(self.prim(*prim, &args)?)]
            }
            Op::Size(size) => vec![int(self.size(*size)?)],
            Op::Literal(literal) => {
                let data = literal.data.iter().map(|&c| Num::Plain(c)).collect();
                vec![Val::array(literal.elem, literal.dims.clone(), data)]
            }
            Op::Read { array, index, checked } => vec![Val::Num(self.read(*array, index, *checked)?.1)],
            Op::Build { axes, body } => self.build(&stmt.vars, axes, body)?,
            Op::Reduce { kind, axes, body } => self.reduce(*kind, axes, body)?,
            Op::Scatter { kind, dest, axes, body, checked } => self.scatter(*kind, *dest, axes, body, *checked)?,
            Op::Loop { axis, reverse, inits, body } => {
                let mut state = self.atoms(inits)?;
                for i in self.range(axis.extent, *reverse)? {
                    self.set(axis.index, int(i))?;
                    state = self.call(body, state)?;
                }
                state
            }
            Op::While { inits, cond, body } => {
                let mut state = self.atoms(inits)?;
                while self.goes_on(cond, &state)? {
                    state = self.call(body, state)?;
                }
                state
            }
            Op::If { cond, then_block, else_block } => {
                let taken = if self.bool(*cond)? { then_block } else { else_block };
                self.block(taken)?
            }
            Op::Reshape(array) => vec![self.reshape(*array, &stmt.vars)?],
            Op::Argsort(array) => vec![self.argsort(*array)?],
            Op::Check { kind, args } => {
                let args: Vec<i64> = args.iter().map(|&a| self.int(a)).collect::<Run<_>>()?;
                check(*kind, &args)?;
                Vec::new()
            }
            // What is shown is no result.
            Op::Trace { .. } => Vec::new(),
            Op::Vjp { inputs, seeds, body } => self.vjp(inputs, seeds, body)?,
            Op::Jvp { inputs, tangents, body } => self.jvp(inputs, tangents, body)?,
            Op::Custom { inputs, body, rule, transposed } => {
                let inputs = self.atoms(inputs)?;
                self.custom(inputs, body, rule, *transposed)?
            }
            Op::StopGradient(a) => vec![self.atom(*a)?.map(|n| Num::Plain(n.plain()))],
            Op::Barrier(args) => self.atoms(args)?,
            Op::Call { .. } => return Err(internal("a call that is only there to be printed")),
        })
    }

    /// The iterations of a loop; none for a negative extent.
    pub fn range(&self, extent: SizeId, reverse: bool) -> Run<Vec<i64>> {
        let all = 0..self.size(extent)?;
        if u64::try_from(all.end).is_ok_and(|n| n > self.left) {
            return Err(Stop::TooLong);
        }
        Ok(if reverse { all.rev().collect() } else { all.collect() })
    }

    pub fn goes_on(&mut self, cond: &'f Block, state: &[Val]) -> Run<bool> {
        self.step()?;
        match self.call(cond, state.to_vec())?.as_slice() {
            [Val::Num(n)] => n.plain().as_bool().ok_or_else(|| internal("a condition that is no bool")),
            _ => Err(internal("a condition that is no bool")),
        }
    }

    /// The position of an element in row-major order, and the element.
    pub fn read(&mut self, array: VarId, index: &[Atom], checked: bool) -> Run<(usize, Num)> {
        let Val::Array(array) = self.var(array)? else { return Err(internal("a scalar where an array is needed")) };
        let index: Vec<i64> = index.iter().map(|&a| self.int(a)).collect::<Run<_>>()?;
        let place = offset(&array.dims, &index, checked)?;
        let element = array.data.get(place).ok_or_else(|| internal("an array shorter than its shape"))?;
        Ok((place, element.clone()))
    }

    pub fn reshape(&mut self, array: VarId, vars: &[VarId]) -> Run<Val> {
        let (Val::Array(array), [var]) = (self.var(array)?, vars) else { return Err(internal("a scalar reshaped")) };
        let dims = self.dims(*var)?;
        if let Some(&size) = dims.iter().find(|&&d| d < 0) {
            return failed(RunErrorKind::NegativeSize { size });
        }
        let expected = crate::kernel::count(&dims);
        if expected != array.data.len() as i64 {
            return failed(RunErrorKind::SizeAssertion { found: array.data.len() as i64, expected });
        }
        Ok(Val::array(array.elem, dims, array.data.clone()))
    }

    /// A primitive, in every sweep that watches an operand.
    pub fn prim(&mut self, prim: Prim, args: &[Num]) -> Run<Num> {
        let sweep = args.iter().map(Num::sweep).max().unwrap_or(0);
        if sweep == 0 {
            return self.plain_prim(prim, args);
        }
        let below: Vec<Num> = args.iter().map(|a| a.without(sweep)).collect();
        let y = self.prim(prim, &below)?;
        self.watch(sweep, prim, args, &below, y)
    }

    fn plain_prim(&mut self, prim: Prim, args: &[Num]) -> Run<Num> {
        let args: Vec<Const> = args.iter().map(Num::plain).collect();
        match prim.eval(&args) {
            Some(y) => {
                self.operations.count(prim, &args, y);
                Ok(Num::Plain(y))
            }
            None if matches!(prim, Prim::Div | Prim::Rem) => failed(RunErrorKind::DivisionByZero),
            None => Err(internal("a primitive on operands of wrong types")),
        }
    }

    pub fn start(&mut self, tape: Option<Tape<'f>>) -> Sweep {
        self.tapes.push(tape);
        self.tapes.len()
    }
}

pub(crate) fn int(value: i64) -> Val {
    Val::Num(Num::Plain(Const::I64(value)))
}

/// The position of an index in row-major order.
pub(crate) fn offset(dims: &[i64], index: &[i64], checked: bool) -> Run<usize> {
    if dims.len() != index.len() {
        return Err(internal("wrong number of indices"));
    }
    let mut place = 0;
    for (&index, &extent) in index.iter().zip(dims) {
        if index < 0 || index >= extent {
            if checked {
                return failed(RunErrorKind::Index { index, extent });
            }
            return Err(internal("an index that was not to be checked is out of range"));
        }
        place = place * extent + index;
    }
    Ok(place.unsigned_abs() as usize)
}

fn check(kind: Check, args: &[i64]) -> Run<()> {
    match (kind, args) {
        (Check::Index, &[index, extent]) if !(0..extent).contains(&index) => {
            failed(RunErrorKind::Index { index, extent })
        }
        (Check::SizeEq, &[found, expected]) if found != expected => {
            failed(RunErrorKind::SizeAssertion { found, expected })
        }
        (Check::SizeNonNeg, &[size]) if size < 0 => failed(RunErrorKind::NegativeSize { size }),
        (Check::NonEmpty, &[size]) if size < 1 => failed(RunErrorKind::EmptyReduction),
        (Check::Slice, &[lo, hi, extent]) if !(0 <= lo && lo <= hi && hi <= extent) => {
            failed(RunErrorKind::Slice { lo, hi, extent })
        }
        (Check::Step, &[step]) if step < 1 => failed(RunErrorKind::Step { step }),
        _ => Ok(()),
    }
}
