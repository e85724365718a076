//! `loop`: sequential iteration with a carried state.

use crate::data::problem::{Problem, Role};
use crate::data::types::Ty;
use crate::data::values::{Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::elab::SizeOrigin;
use crate::elaborate::env::Entry;
use arr_base::Span;
use arr_ir::{Atom, Scalar, SizeId, VarId};
use arr_syntax::ast::{Expr, Loop, LoopKind};

impl<'a> Elab<'a> {
    pub fn loop_expr(&mut self, l: &'a Loop, hint: &Hint) -> Val {
        let want = l.ty.as_ref().map(|ty| self.written_type(ty));
        let init_hint = want.as_ref().map_or_else(|| self.hint_of_state(l, hint.clone()), Hint::of);
        let mut init = self.expr(&l.init, &init_hint);
        if let Some(want) = &want {
            init = self.conform(init, want, Role::Annotation, l.init.span);
        }
        if init.ty.has_fn() {
            init = self.fail(Problem::FunctionValue { span: l.init.span, place: "carried by a loop", hint: None });
        }
        let (extent, elements) = match &l.kind {
            LoopKind::Range(_, e) => (self.extent(e), None),
            LoopKind::Element(_, e) => {
                let array = self.expr(e, &Hint::None);
                (self.outer_size(&array, e.span, "`for .. in`"), Some(array))
            }
            LoopKind::While(cond) => return self.while_loop(l, cond, init),
        };
        let failed = extent.is_none();
        let extent = extent.unwrap_or_else(|| self.opaque_size("", "is not known", None));
        let elements = elements.filter(|_| !failed);
        let ty = init.ty.clone();
        let body_span = l.body.span;
        let result = self.carry(extent, init, "i", |e, index, state| {
            let mark = e.env.mark();
            match &l.kind {
                LoopKind::Range(name, _) => {
                    if let Atom::Var(v) = index {
                        e.b.func.vars[v].name.clone_from(&name.text);
                        let (text, span) = (name.text.clone(), Some(name.span));
                        e.origins.insert(v, SizeOrigin { name: text, span, fact: "is bound here" });
                    }
                    e.record_index(name, extent);
                    e.env.bind(&name.text, Entry::Val(Val::scalar(Scalar::I64, index)));
                }
                LoopKind::Element(pattern, _) => {
                    let element = elements.as_ref().map_or_else(Val::error, |array| e.element(array, index));
                    e.bind_pattern(pattern, element);
                }
                LoopKind::While(_) => {}
            }
            e.bind_pattern(&l.state, state);
            let next = e.expr(&l.body, &Hint::of(&ty));
            e.env.close(mark);
            let facts = vec![(l.init.span, format!("the state begins as `{}`", e.show(&ty)))];
            e.conform_with(next, &ty, Role::LoopState, body_span, facts)
        });
        if failed { Val::error() } else { result }
    }

    /// `loop p = e while c do b`: condition and body see the state.
    fn while_loop(&mut self, l: &'a Loop, cond: &'a Expr, init: Val) -> Val {
        let ty = init.ty.clone();
        self.carry_while(
            init,
            |e, state| {
                let mark = e.env.mark();
                e.bind_pattern(&l.state, state);
                let go_on = e.expr(cond, &Hint::None);
                e.env.close(mark);
                e.conform(go_on, &Ty::Scalar(Scalar::Bool), Role::Condition, cond.span)
            },
            |e, state| {
                let mark = e.env.mark();
                e.bind_pattern(&l.state, state);
                let next = e.expr(&l.body, &Hint::of(&ty));
                e.env.close(mark);
                let facts = vec![(l.init.span, format!("the state begins as `{}`", e.show(&ty)))];
                e.conform_with(next, &ty, Role::LoopState, l.body.span, facts)
            },
        )
    }

    /// Fresh variables for a state, and the state that they are.
    fn state_params(&mut self, init: &Val) -> (Vec<VarId>, Val) {
        let mut params = Vec::new();
        for (atom, (_, ty)) in init.leaves.iter().zip(init.ty.leaves()) {
            let name = match atom {
                Atom::Var(v) => self.b.func.name(*v).to_string(),
                Atom::Const(_) => "acc".to_string(),
            };
            let ty = self.b.func.types.ty(ty);
            params.push(self.b.func.var(name, ty));
        }
        let state = Val::new(init.ty.clone(), params.iter().map(|v| Atom::Var(*v)).collect());
        (params, state)
    }

    /// A loop over `extent` that carries `init` through `step`, which gets the index and the state.
    pub fn carry(
        &mut self,
        extent: SizeId,
        init: Val,
        index: &str,
        step: impl FnOnce(&mut Self, Atom, Val) -> Val,
    ) -> Val {
        let (params, state) = self.state_params(&init);
        let (index, axis) = self.axis(index, extent);
        self.b.open_with(params);
        let next = step(self, index, state);
        let failed = next.is_error() || init.is_error();
        let body = self.b.close(next.leaves);
        if failed {
            return Val::error();
        }
        if init.leaves.is_empty() {
            return init;
        }
        let results = self.b.loop_(axis, false, init.leaves, body);
        Val::new(init.ty, results.into_iter().map(Atom::Var).collect())
    }

    /// A loop that carries `init` through `step` while `go_on`, one boolean, holds for the state. It is run even where
    /// the state has no leaves, as it may not end.
    pub fn carry_while(
        &mut self,
        init: Val,
        go_on: impl FnOnce(&mut Self, Val) -> Val,
        step: impl FnOnce(&mut Self, Val) -> Val,
    ) -> Val {
        let (params, state) = self.state_params(&init);
        self.b.open_with(params);
        let condition = go_on(self, state);
        let cond = self.b.close(condition.leaves.clone());
        let (params, state) = self.state_params(&init);
        self.b.open_with(params);
        let next = step(self, state);
        let failed = condition.is_error() || next.is_error() || init.is_error();
        let body = self.b.close(next.leaves);
        if failed {
            return Val::error();
        }
        let results = self.b.while_(init.leaves, cond, body);
        Val::new(init.ty, results.into_iter().map(Atom::Var).collect())
    }

    /// A function's result, which must have the type of the state it is carried in.
    pub fn callback_result(&mut self, val: Val, want: &Ty, name: &str, span: Span) -> Val {
        self.conform(val, want, Role::Callback(name.to_string()), span)
    }
}
