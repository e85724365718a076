//! Computations with a derivative of their own: calls of definitions that declare one, and `checkpoint`.
//!
//! Both become the `custom` operation of the IR, whose blocks read no floats from around them: every float of an
//! argument is an input. Integers and sizes are read from around, so that shapes stay what they are.
//!
//! A body that stops the gradients of all its parameters has no derivative of its own: forward mode then uses the declared
//! one, transposed.

use crate::data::problem::Problem;
use crate::data::types::{FnId, Ty};
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::calls::binding::Binding;
use crate::elaborate::function::FnVal;
use crate::elaborate::{Elab, Mode};
use arr_ir::walk::{Subst, drop_shown, for_each_use, free_vars_of_block};
use arr_ir::{Atom, Block, Func, Op, TypeId, VarId};

impl<'a> Elab<'a> {
    /// A call of a definition whose derivative is declared.
    pub fn call_with_rule(&mut self, def: usize, binding: &Binding<'a>, args: Vec<Arg>, hint: &Hint) -> Val {
        let tables = self.tables;
        let (Some(info), Some(rule)) = (tables.info(def), tables.rule_syntax(def)) else { return Val::error() };
        let span = self.b.span;
        let mark = self.mark();
        // Constants that hold floats are made again inside, as nothing is read from around.
        let constants = std::mem::take(&mut self.constants);
        let (inputs, params, inner) = self.copies(&args);
        self.b.open_with(params);
        let y = self.inline_body(def, binding, inner.clone(), hint);
        let body = self.b.close(y.leaves.clone());
        let here = self.span();
        if y.is_error() || self.escapes(&y.ty, mark, here, "a definition with its own derivative") {
            self.constants = constants;
            return Val::error();
        }
        let transposed = stops_all(&self.b.func, &body);
        let body = self.kept_or(def, &inner, &y.ty, body);
        let dy = y.ty.float_part().unwrap_or_else(Ty::unit);
        let (_, mut params, inner) = self.copies(&args);
        let y_val = self.placeholder(&y.ty, "y");
        let (seeds, dy_val) = self.tangent_placeholder(&y_val, &dy, "dy");
        params.extend(y_val.leaves.iter().filter_map(|a| a.var()).chain(seeds));
        self.b.open_with(params);
        self.in_rule.push((def, transposed));
        let inner: Vec<Val> = inner.into_iter().map(|a| a.val).collect();
        let result = self.rule_result(info, rule, binding, &inner, &y_val, &dy_val);
        self.in_rule.pop();
        let cotangents = self.cotangent_floats(&inner, &result);
        let rule = self.b.close(cotangents);
        self.constants = constants;
        self.b.span = span;
        if result.is_error() {
            return Val::error();
        }
        let results = self.b.custom(inputs, (body, rule), transposed, &info.name);
        Val::new(y.ty, results.into_iter().map(Atom::Var).collect())
    }

    /// The floats of the cotangents that a rule gives, one per parameter.
    fn cotangent_floats(&mut self, args: &[Val], result: &Val) -> Vec<Atom> {
        if result.is_error() || !result.ty.has_sum() {
            return result.leaves.clone();
        }
        let parts = if args.len() == 1 { Some(vec![result.clone()]) } else { result.components() };
        let mut floats = Vec::new();
        for (arg, part) in args.iter().zip(parts.unwrap_or_default()) {
            floats.extend(self.tangent_floats(arg, &part));
        }
        floats
    }

    /// The floats of the arguments, fresh variables for them, and the arguments made of these.
    fn copies(&mut self, args: &[Arg]) -> (Vec<Atom>, Vec<VarId>, Vec<Arg>) {
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let inner = args.iter().map(|arg| self.copy_floats(arg, &mut inputs, &mut params)).collect();
        (inputs, params, inner)
    }

    /// The argument with fresh variables for its floats; these, and what they stand for, are added to the lists.
    pub fn copy_floats(&mut self, arg: &Arg, inputs: &mut Vec<Atom>, params: &mut Vec<VarId>) -> Arg {
        let mut leaves = Vec::new();
        for atom in &arg.val.leaves {
            if !self.b.func.is_float(*atom) {
                leaves.push(*atom);
                continue;
            }
            let param = self.copy_of(*atom);
            inputs.push(*atom);
            params.push(param);
            leaves.push(Atom::Var(param));
        }
        Arg { val: Val::new(arg.val.ty.clone(), leaves), span: arg.span }
    }

    pub fn checkpoint_of(&mut self, f: &Arg) -> Val {
        match self.as_function(f) {
            Some(id) => self.function(FnVal::Checkpoint(id)),
            None => Val::error(),
        }
    }

    /// `checkpoint(f)(x, ..)`: the value of `f`, and a reverse sweep that starts from the arguments alone. What `f`
    /// reads from around it is an argument too.
    pub fn apply_checkpoint(&mut self, f: FnId, args: Vec<Arg>, hint: &Hint) -> Val {
        if self.mode == Mode::Check {
            return self.apply(f, args, hint);
        }
        let span = self.b.span;
        let mark = self.mark();
        let (mut inputs, params, inner) = self.copies(&args);
        self.b.open_with(params);
        let y = self.apply(f, inner, hint);
        let mut body = self.b.close(y.leaves.clone());
        self.b.span = span;
        let here = self.span();
        if y.is_error() {
            return Val::error();
        }
        if y.ty.has_fn() {
            return self.fail(Problem::FunctionValue { span: here, place: "the result of `checkpoint`", hint: None });
        }
        if self.escapes(&y.ty, mark, here, "the function given to `checkpoint`") {
            return Val::error();
        }
        self.capture_floats(&mut body, &mut inputs);
        if inputs.is_empty() || y.ty.float_part().is_none() {
            // Nothing to differentiate, so nothing to save.
            return self.apply(f, args, hint);
        }
        let rule = self.recomputation(&inputs, &body, &y.ty);
        let results = self.b.custom(inputs, (body, rule), false, "y");
        Val::new(y.ty, results.into_iter().map(Atom::Var).collect())
    }

    /// Makes the floats that a block reads from around it its params, and them inputs.
    fn capture_floats(&mut self, block: &mut Block, inputs: &mut Vec<Atom>) {
        let mut subst = Subst::new();
        for v in free_vars_of_block(&self.b.func, block) {
            if self.b.func.is_float(Atom::Var(v)) {
                let param = self.copy_of(Atom::Var(v));
                subst.insert(v, param);
                inputs.push(Atom::Var(v));
                block.params.push(param);
            }
        }
        subst.apply_to_block(&mut self.b.func, block);
    }

    /// The rule that evaluates the block again, and backwards from there.
    fn recomputation(&mut self, inputs: &[Atom], body: &Block, ty: &Ty) -> Block {
        let mut again = Subst::new().clone_block(&mut self.b.func, body);
        // The body has shown its values.
        drop_shown(&mut again.stmts);
        let arguments: Vec<VarId> = inputs.iter().map(|a| self.copy_of(*a)).collect();
        let y = self.placeholder(ty, "y");
        let (seeds, _) = self.tangent_placeholder(&y, &ty.float_part().unwrap_or_else(Ty::unit), "dy");
        let params = y.leaves.iter().filter_map(|a| a.var()).chain(seeds.iter().copied());
        let params: Vec<VarId> = arguments.iter().copied().chain(params).collect();
        let inputs: Vec<Atom> = arguments.into_iter().map(Atom::Var).collect();
        let mut results: Vec<(String, TypeId)> = self.names_of(ty, "y");
        let width = results.len();
        results.extend(self.gradient_names(&inputs));
        self.b.open_with(params);
        let vars =
            self.b.emit(Op::Vjp { inputs, seeds: seeds.into_iter().map(Atom::Var).collect(), body: again }, results);
        self.b.close(vars.into_iter().skip(width).map(Atom::Var).collect())
    }
}

/// Whether a block does nothing with its float params but stop their gradients, and has some.
fn stops_all(func: &Func, block: &Block) -> bool {
    let params: Vec<VarId> = block.params.iter().copied().filter(|&p| func.is_float(Atom::Var(p))).collect();
    let mut used: Vec<VarId> = block.results.iter().filter_map(|r| r.var()).collect();
    for stmt in block.stmts.iter().filter(|s| !matches!(s.op, Op::StopGradient(_))) {
        for_each_use(func, &stmt.op, &mut |v| used.push(v));
    }
    !params.is_empty() && !params.iter().any(|p| used.contains(p))
}
