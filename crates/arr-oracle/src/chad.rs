//! The rules of CHAD on core IR: every construct `t` gives its value and a backpropagator, a linear function from the cotangent
//! of the value to the cotangent of the environment.
//!
//! The cotangent of an environment is a map from variables to cotangents; a variable that is not in it has zero. What
//! is written `D[t]` in the paper is a method that returns the pair; each construct's rule is quoted above it, with `+`
//! for the union of maps and `x'` for a backpropagator. One backpropagator of a body is kept per point or iteration, as
//! in the paper, which is why this is only suitable for tests.

use crate::kernel::{best_place, combining, finished, of_nothing, put, write_of};
use crate::machine::{Machine, int};
use crate::number::Num;
use crate::partial::Partial;
use crate::value::{Cot, Val};
use crate::{Run, internal};
use arr_ir::{Atom, Axis, Block, Op, Prim, Reduction, ScatterKind, Stmt, VarId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The cotangent of an environment.
type EnvCot = BTreeMap<VarId, Cot>;

/// From the cotangents of a construct's results to that of its environment.
type Back<'f> = Rc<dyn Fn(&mut Machine<'f>, &[Cot]) -> Run<EnvCot> + 'f>;

/// `D[t]`.
type Pair<'f> = (Vec<Val>, Back<'f>);

/// The backpropagator of a construct that does not depend on the environment.
fn constant<'f>() -> Back<'f> {
    Rc::new(|_, _| Ok(EnvCot::new()))
}

/// `D[x] = <x, \v. coproj_x(v)>`; of a constant zero.
fn coproj(atom: Atom, cot: Cot) -> EnvCot {
    atom.var().filter(|_| !cot.is_zero()).map(|var| (var, cot)).into_iter().collect()
}

/// A cotangent of an array that is zero except for one element.
fn one_hot(len: usize, place: usize, element: Option<Num>) -> Cot {
    let mut cot = Cot::zero(len);
    if let Some(slot) = cot.0.get_mut(place) {
        *slot = element;
    }
    cot
}

fn take(cots: &mut EnvCot, var: VarId, len: usize) -> Cot {
    cots.remove(&var).unwrap_or_else(|| Cot::zero(len))
}

impl<'f> Machine<'f> {
    pub fn vjp_by_chad(&mut self, inputs: Vec<Val>, seeds: &[Val], body: &'f Block) -> Run<Vec<Val>> {
        self.set_all(&body.params, inputs.clone())?;
        let (results, back) = self.chad_block(body)?;
        let mut seeds = seeds.iter();
        let cots: Vec<Cot> = results
            .iter()
            .map(|r| match r.elem().is_float().then(|| seeds.next()).flatten() {
                Some(seed) => Cot::of(seed),
                None => Cot::zero(r.nums().len()),
            })
            .collect();
        let mut cots = back(self, &cots)?;
        let mut all = results;
        for (&param, input) in body.params.iter().zip(&inputs) {
            all.push(take(&mut cots, param, input.nums().len()).to_val(input));
        }
        Ok(all)
    }

    fn plus_cot(&mut self, a: Cot, b: Cot) -> Run<Cot> {
        let mut sum = Vec::with_capacity(a.0.len());
        for (a, b) in a.0.into_iter().zip(b.0) {
            sum.push(match b {
                Some(b) => Some(self.plus(a, b)?),
                None => a,
            });
        }
        Ok(Cot(sum))
    }

    fn plus_env(&mut self, mut a: EnvCot, b: EnvCot) -> Run<EnvCot> {
        for (var, cot) in b {
            let sum = match a.remove(&var) {
                Some(old) => self.plus_cot(old, cot)?,
                None => cot,
            };
            a.insert(var, sum);
        }
        Ok(a)
    }

    /// `D[let x = t in s] = let <x, x'> = D[t] in let <y, y'> = D[s] in <y, \v. let v = y' v in fst v + x' (snd v)>`, for every
    /// statement of the block, and the tuple of results.
    fn chad_block(&mut self, block: &'f Block) -> Run<Pair<'f>> {
        let mut lets: Vec<(&'f [VarId], Vec<usize>, Back<'f>)> = Vec::new();
        for stmt in &block.stmts {
            let (values, back) = self.chad_stmt(stmt)?;
            lets.push((&stmt.vars, values.iter().map(|v| v.nums().len()).collect(), back));
            self.set_all(&stmt.vars, values)?;
        }
        let results = self.atoms(&block.results)?;
        let atoms = &block.results;
        let back: Back<'f> = Rc::new(move |machine, cots| {
            let mut env = EnvCot::new();
            for (&atom, cot) in atoms.iter().zip(cots) {
                env = machine.plus_env(env, coproj(atom, cot.clone()))?;
            }
            for (vars, lens, back) in lets.iter().rev() {
                machine.step()?;
                let own: Vec<Cot> = vars.iter().zip(lens).map(|(&var, &len)| take(&mut env, var, len)).collect();
                // A linear map maps zero to zero.
                if !own.iter().all(Cot::is_zero) {
                    let more = back(machine, &own)?;
                    env = machine.plus_env(env, more)?;
                }
            }
            Ok(env)
        });
        Ok((results, back))
    }

    fn chad_stmt(&mut self, stmt: &'f Stmt) -> Run<Pair<'f>> {
        match &stmt.op {
            Op::Prim(prim, args) => self.chad_prim(*prim, args),
            Op::Read { array, index, checked } => self.chad_read(*array, index, *checked),
            Op::Build { axes, body } => self.chad_build(&stmt.vars, axes, body),
            Op::Reduce { kind, axes, body } => self.chad_reduce(*kind, axes, body),
            Op::Scatter { kind, dest, axes, body, checked } => self.chad_scatter(*kind, *dest, axes, body, *checked),
            Op::Loop { axis, reverse, inits, body } => {
                let mut state = self.atoms(inits)?;
                let mut backs = Vec::new();
                for i in self.range(axis.extent, *reverse)? {
                    self.set(axis.index, int(i))?;
                    state = self.chad_iteration(body, state, &mut backs)?;
                }
                Ok(iterated(inits, body, state, backs))
            }
            Op::While { inits, cond, body } => {
                let mut state = self.atoms(inits)?;
                let mut backs = Vec::new();
                while self.goes_on(cond, &state)? {
                    state = self.chad_iteration(body, state, &mut backs)?;
                }
                Ok(iterated(inits, body, state, backs))
            }
            // `D[case e of ..]` is that of the taken branch; the condition, a boolean, has the cotangent `_1`.
            Op::If { cond, then_block, else_block } => {
                let taken = if self.bool(*cond)? { then_block } else { else_block };
                self.chad_block(taken)
            }
            Op::Custom { inputs, body, rule, transposed } => self.chad_custom(inputs, body, rule, *transposed),
            Op::Reshape(_) | Op::Barrier(_) => {
                let atoms = stmt.op.operands();
                let values = self.stmt(stmt)?;
                let back: Back<'f> = Rc::new(move |machine, cots| {
                    let mut env = EnvCot::new();
                    for (&atom, cot) in atoms.iter().zip(cots) {
                        env = machine.plus_env(env, coproj(atom, cot.clone()))?;
                    }
                    Ok(env)
                });
                Ok((values, back))
            }
            Op::Size(_)
            | Op::Literal(_)
            | Op::Argsort(_)
            | Op::Check { .. }
            | Op::Trace { .. }
            | Op::StopGradient(_) => Ok((self.stmt(stmt)?, constant())),
            Op::Call { .. } => Err(internal("a call that is only there to be printed")),
            Op::Vjp { .. } | Op::Jvp { .. } => Err(internal("a derivative inside a derivative")),
        }
    }

    /// `D[op(t1..tk)] = .. <op(x1..xk), \v. let v = Dop^t(x1..xk; v) in x1' (proj_1 v) + .. + xk' (proj_k v)>`
    fn chad_prim(&mut self, prim: Prim, args: &'f [Atom]) -> Run<Pair<'f>> {
        let values: Vec<Num> = args.iter().map(|&a| self.num(a)).collect::<Run<_>>()?;
        let y = self.prim(prim, &values)?;
        let mut partials = Vec::new();
        for (k, &arg) in args.iter().enumerate().filter(|(_, a)| a.var().is_some()) {
            partials.extend(self.partial(prim, &values, &y, k)?.map(|partial| (arg, partial)));
        }
        let back: Back<'f> = Rc::new(move |machine, cots| {
            let mut env = EnvCot::new();
            let [Cot(cot)] = cots else { return Err(internal("wrong number of cotangents")) };
            let [Some(v)] = cot.as_slice() else { return Ok(env) };
            for (arg, partial) in &partials {
                let part = machine.backwards(partial, v)?;
                env = machine.plus_env(env, coproj(*arg, Cot(vec![Some(part)])))?;
            }
            Ok(env)
        });
        Ok((vec![Val::Num(y)], back))
    }

    /// `D[x[i]]`: one-hot at `i`.
    fn chad_read(&mut self, array: VarId, index: &'f [Atom], checked: bool) -> Run<Pair<'f>> {
        let len = self.var(array)?.nums().len();
        let (place, element) = self.read(array, index, checked)?;
        let back: Back<'f> = Rc::new(move |_, cots| {
            let element = cots.first().and_then(|c| c.0.first()).cloned().flatten();
            Ok(coproj(Atom::Var(array), one_hot(len, place, element)))
        });
        Ok((vec![Val::Num(element)], back))
    }

    /// `D[build n (i. t)] = let zs = build n (i. D[t]) in <map fst zs, \v. sum (build n (i. fst ((snd zs[i]) v[i])))>`
    fn chad_build(&mut self, vars: &[VarId], axes: &'f [Axis], body: &'f Block) -> Run<Pair<'f>> {
        let mut frames = self.frames(vars)?;
        let mut backs: Vec<(Vec<usize>, Back<'f>)> = Vec::new();
        if self.has_points(axes)? {
            self.points(axes, &mut |machine| {
                let (results, back) = machine.chad_block(body)?;
                backs.push((results.iter().map(|r| r.nums().len()).collect(), back));
                put(&mut frames, &results)
            })?;
        }
        let back: Back<'f> = Rc::new(move |machine, cots| {
            let mut env = EnvCot::new();
            let mut rest: Vec<&[Option<Num>]> = cots.iter().map(|c| c.0.as_slice()).collect();
            for (lens, back) in &backs {
                let mut own = Vec::new();
                for (cot, &len) in rest.iter_mut().zip(lens) {
                    let (first, others) = cot.split_at(len);
                    own.push(Cot(first.to_vec()));
                    *cot = others;
                }
                let more = back(machine, &own)?;
                env = machine.plus_env(env, more)?;
            }
            Ok(env)
        });
        Ok((finished(frames)?, back))
    }

    /// A reduction is a left fold of its operator over the body's values: states are kept, and going backwards each step gives
    /// the cotangents of the state before and of the element.
    fn chad_reduce(&mut self, kind: Reduction, axes: &'f [Axis], body: &'f Block) -> Run<Pair<'f>> {
        let mut backs: Vec<Back<'f>> = Vec::new();
        let mut columns: Vec<Vec<(i64, Num)>> = vec![Vec::new(); body.results.len()];
        self.points(axes, &mut |machine| {
            let place = axes.first().map_or(Ok(0), |axis| machine.int(axis.index.into()))?;
            let (results, back) = machine.chad_block(body)?;
            backs.push(back);
            for (column, n) in columns.iter_mut().zip(results.iter().flat_map(Val::nums)) {
                column.push((place, n.clone()));
            }
            Ok(())
        })?;
        let (mut values, mut folds) = (Vec::new(), Vec::new());
        for (column, &result) in columns.iter().zip(&body.results) {
            let (value, steps) = match combining(kind) {
                None => (best_place(kind, column)?, Vec::new()),
                Some(prim) => self.chad_fold(kind, prim, self.func.atom_elem(result), column)?,
            };
            values.push(Val::Num(value));
            folds.push(steps);
        }
        let back: Back<'f> = Rc::new(move |machine, cots| {
            let mut state: Vec<Option<Num>> = cots.iter().map(|c| c.0.first().cloned().flatten()).collect();
            let mut env = EnvCot::new();
            for (at, back) in backs.iter().enumerate().rev() {
                let mut own = Vec::new();
                for (state, steps) in state.iter_mut().zip(&folds) {
                    let v = state.take();
                    let (mut before, mut element) = (None, v.clone());
                    if let (Some(v), Some((d1, d2))) = (v, at.checked_sub(1).and_then(|at| steps.get(at))) {
                        before = d1.as_ref().map(|p| machine.backwards(p, &v)).transpose()?;
                        element = d2.as_ref().map(|p| machine.backwards(p, &v)).transpose()?;
                    }
                    *state = before;
                    own.push(Cot(vec![element]));
                }
                let more = back(machine, &own)?;
                env = machine.plus_env(env, more)?;
            }
            Ok(env)
        });
        Ok((values, back))
    }

    /// The fold from the first element on, and for each step the derivatives by the state before and by the element.
    #[expect(clippy::type_complexity, reason = "a value and a list of pairs")]
    fn chad_fold(
        &mut self,
        kind: Reduction,
        prim: Prim,
        elem: arr_ir::Scalar,
        column: &[(i64, Num)],
    ) -> Run<(Num, Vec<(Option<Partial>, Option<Partial>)>)> {
        let Some(((_, first), rest)) = column.split_first() else { return Ok((of_nothing(kind, elem)?, Vec::new())) };
        let (mut total, mut steps) = (first.clone(), Vec::new());
        for (_, element) in rest {
            let args = [total, element.clone()];
            total = self.prim(prim, &args)?;
            steps.push((self.partial(prim, &args, &total, 0)?, self.partial(prim, &args, &total, 1)?));
        }
        Ok((total, steps))
    }

    /// A sequence of writes: going backwards each takes the cotangent of the element it wrote, and leaves zero if it
    /// replaced the old value.
    fn chad_scatter(
        &mut self,
        kind: ScatterKind,
        dest: VarId,
        axes: &'f [Axis],
        body: &'f Block,
        checked: bool,
    ) -> Run<Pair<'f>> {
        let Val::Array(array) = self.var(dest)? else { return Err(internal("a scatter into a scalar")) };
        let mut target = (*array).clone();
        let mut writes: Vec<(usize, Back<'f>)> = Vec::new();
        self.points(axes, &mut |machine| {
            let (results, back) = machine.chad_block(body)?;
            if let Some((place, value)) = write_of(&results, &target.dims, checked)? {
                target.data[place] = match kind {
                    ScatterKind::Set => value,
                    ScatterKind::Add => machine.prim(Prim::Add, &[target.data[place].clone(), value])?,
                };
                writes.push((place, back));
            }
            Ok(())
        })?;
        let count = body.results.len();
        let back: Back<'f> = Rc::new(move |machine, cots| {
            let mut env = EnvCot::new();
            let mut after = cots.first().cloned().ok_or_else(|| internal("wrong number of cotangents"))?;
            for (place, back) in writes.iter().rev() {
                let v = match kind {
                    ScatterKind::Set => after.0[*place].take(),
                    ScatterKind::Add => after.0[*place].clone(),
                };
                let mut own = vec![Cot::zero(1); count];
                own[count - 1] = Cot(vec![v]);
                let more = back(machine, &own)?;
                env = machine.plus_env(env, more)?;
            }
            machine.plus_env(env, coproj(Atom::Var(dest), after))
        });
        Ok((vec![Val::Array(Rc::new(target))], back))
    }

    fn chad_iteration(&mut self, body: &'f Block, state: Vec<Val>, backs: &mut Vec<Back<'f>>) -> Run<Vec<Val>> {
        self.set_all(&body.params, state)?;
        let (state, back) = self.chad_block(body)?;
        backs.push(back);
        Ok(state)
    }

    /// A computation with a declared derivative, which is the backpropagator.
    fn chad_custom(&mut self, inputs: &'f [Atom], body: &'f Block, rule: &'f Block, transposed: bool) -> Run<Pair<'f>> {
        let values = self.atoms(inputs)?;
        let env = self.env.clone();
        let results = self.custom(values.clone(), body, rule, transposed)?;
        let kept = results.clone();
        let back: Back<'f> = Rc::new(move |machine, cots| {
            let floats = kept.iter().zip(cots).filter(|(r, _)| r.elem().is_float());
            let cots: Vec<Cot> = floats.map(|(_, cot)| cot.clone()).collect();
            let around = std::mem::replace(&mut machine.env, env.clone());
            let given = machine.rule(rule, &values, &kept, &cots);
            machine.env = around;
            let mut all = EnvCot::new();
            for (&input, cot) in inputs.iter().zip(given?) {
                all = machine.plus_env(all, coproj(input, cot))?;
            }
            Ok(all)
        });
        Ok((results, back))
    }
}

/// `iterate`: the cotangent of the state goes through the iterations from the last to the first, and their
/// contributions to the environment are added up.
fn iterated<'f>(inits: &'f [Atom], body: &'f Block, state: Vec<Val>, backs: Vec<Back<'f>>) -> Pair<'f> {
    let lens: Vec<usize> = state.iter().map(|v| v.nums().len()).collect();
    let back: Back<'f> = Rc::new(move |machine, cots| {
        let mut env = EnvCot::new();
        let mut state = cots.to_vec();
        for back in backs.iter().rev() {
            let mut given = back(machine, &state)?;
            state = body.params.iter().zip(&lens).map(|(&param, &len)| take(&mut given, param, len)).collect();
            env = machine.plus_env(env, given)?;
        }
        for (&init, cot) in inits.iter().zip(state) {
            env = machine.plus_env(env, coproj(init, cot))?;
        }
        Ok(env)
    });
    (state, back)
}
