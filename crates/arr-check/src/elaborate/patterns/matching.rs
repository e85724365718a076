//! `match`: arms become a chain of `if`s on what their patterns ask, tried in order.
//!
//! Every arm is evaluated once, in a branch of its own. What a pattern asks of a value is cheap and never fails, as the
//! leaves of constructors that are not the value's own are there and zero; so the conditions are strict and the arms
//! lazy. The last arm needs no condition: together the arms match everything.

use crate::data::problem::{Problem, Role};
use crate::data::sum_problem::SumProblem;
use crate::data::types::Ty;
use crate::data::values::{Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::elab::MAX_BLOCKS;
use crate::elaborate::patterns::exhaustive::{self, Pat};
use crate::elaborate::patterns::shape;
use crate::elaborate::sum_values::ROUNDS;
use arr_base::Span;
use arr_ir::{Atom, Block, Prim};
use arr_syntax::ast::{Expr, Pattern};

type Arms<'a> = &'a [(Pattern, Expr)];

/// An arm that was evaluated: what it asks, and its block.
struct Done {
    form: Pat,
    block: Block,
}

impl<'a> Elab<'a> {
    pub fn match_expr(&mut self, scrutinee: &'a Expr, arms: Arms<'a>, span: Span, hint: &Hint) -> Val {
        let val = self.expr(scrutinee, &Hint::None);
        let forms: Vec<Option<Pat>> = arms.iter().map(|(pattern, _)| self.pattern(pattern, &val.ty)).collect();
        let forms: Option<Vec<Pat>> = forms.into_iter().collect();
        let complete = match &forms {
            Some(forms) if !val.is_error() => self.check_arms(forms, arms, &val.ty, scrutinee.span, span),
            _ => false,
        };
        if self.b.depth() + arms.len() > MAX_BLOCKS {
            return self.fail(Problem::Sums(SumProblem::TooManyArms { span }));
        }
        let mark = self.mark();
        let Some((ty, blocks)) = self.arms(arms, &val, hint) else { return Val::error() };
        let Some(forms) = forms.filter(|_| complete) else { return Val::error() };
        if arms.len() > 1 && self.escapes(&ty, mark, span, "an arm of `match`") {
            return Val::error();
        }
        self.b.span = Some(span);
        let done = forms.into_iter().zip(blocks).map(|(form, block)| Done { form, block }).collect();
        Val::new(ty, self.chain(done, &val))
    }

    /// Whether the arms together match everything, and each arm matches something.
    fn check_arms(&mut self, forms: &[Pat], arms: Arms<'a>, ty: &Ty, at: Span, span: Span) -> bool {
        let shape = shape(ty);
        let (missing, useless) = match (exhaustive::missing(forms, &shape), exhaustive::unreachable(forms, &shape)) {
            (Ok(missing), Ok(useless)) => (missing, useless),
            _ => {
                self.fail(Problem::Sums(SumProblem::TooHard { span }));
                return false;
            }
        };
        for arm in &useless {
            let before = forms.iter().zip(arms).take(*arm);
            let first = before.into_iter().find(|(form, _)| **form == Pat::Any).map(|(_, (pattern, _))| pattern.span);
            if let Some((pattern, _)) = arms.get(*arm) {
                self.fail(Problem::Sums(SumProblem::Unreachable { span: pattern.span, first }));
            }
        }
        if let Some(missing) = &missing {
            let (missing, ty) = (exhaustive::text(missing, &shape), self.show(ty));
            self.fail(Problem::Sums(SumProblem::NotExhaustive { span: at, missing, ty }));
        }
        missing.is_none() && useless.is_empty()
    }

    /// Evaluates the arms, those that say their type first. Gives the type that they share, and a block for each arm.
    fn arms(&mut self, arms: Arms<'a>, val: &Val, hint: &Hint) -> Option<(Ty, Vec<Block>)> {
        let mut blocks: Vec<Option<Block>> = vec![None; arms.len()];
        let mut shared: Option<Ty> = None;
        let mut failed = false;
        let open = self.joint_hint(hint.clone(), arms.iter().map(|(_, e)| e));
        for round in ROUNDS {
            for ((pattern, e), slot) in arms.iter().zip(&mut blocks) {
                if self.round(e) != round {
                    continue;
                }
                let hint = match &shared {
                    Some(ty) => Hint::of(ty),
                    None if self.is_flexible(e) => open.clone(),
                    None => hint.clone(),
                };
                match self.arm(pattern, e, val, &hint, shared.as_ref(), arms.len() == 1) {
                    Some((ty, block)) => {
                        shared.get_or_insert(ty);
                        *slot = Some(block);
                    }
                    None => failed = true,
                }
            }
        }
        let blocks: Option<Vec<Block>> = blocks.into_iter().collect();
        Some((shared?, blocks.filter(|_| !failed)?))
    }

    fn arm(
        &mut self,
        pattern: &'a Pattern,
        e: &'a Expr,
        val: &Val,
        hint: &Hint,
        want: Option<&Ty>,
        only: bool,
    ) -> Option<(Ty, Block)> {
        let mark = self.env.mark();
        self.b.open();
        self.bind_parts(pattern, val.clone());
        let mut result = self.expr(e, hint);
        self.env.close(mark);
        if result.ty.has_fn() && !only {
            result = self.fail(Problem::FunctionValue { span: e.span, place: "chosen by `match`", hint: None });
        }
        if let Some(want) = want {
            result = self.conform(result, want, Role::Arm, e.span);
        }
        let failed = result.is_error();
        let block = self.b.close(result.leaves);
        (!failed).then_some((result.ty, block))
    }

    /// The first arm whose pattern matches; the last takes what is left.
    fn chain(&mut self, mut arms: Vec<Done>, val: &Val) -> Vec<Atom> {
        if arms.is_empty() {
            return Vec::new();
        }
        let first = arms.remove(0);
        let mut tests = Vec::new();
        if !arms.is_empty() {
            self.pattern_tests(&first.form, val, &mut tests);
        }
        let cond = tests.into_iter().reduce(|a, b| self.prim(Prim::And, vec![a, b]));
        let Some(cond) = cond else {
            first.block.stmts.into_iter().for_each(|stmt| self.b.push(stmt));
            return first.block.results;
        };
        self.b.open();
        let rest = self.chain(arms, val);
        let otherwise = self.b.close(rest);
        self.b.if_(cond, first.block, otherwise, "match").into_iter().map(Atom::Var).collect()
    }
}
