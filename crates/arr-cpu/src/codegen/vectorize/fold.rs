//! Vectorized reductions, as `fold` finds them: terms in order, or one accumulator per lane.

use super::plan::Plan;
use super::vector_type;
use crate::codegen::contract::Contraction;
use crate::codegen::fold::Fold;
use crate::codegen::{Codegen, Result, Slot, internal};
use arr_ir::Prim;
use arr_loops::LocalId;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Variable;

/// An impossible case of a sum over lanes: some of its terms would be lost.
const FEWER_VECTORS: &str = "a fold has fewer vectors than its loop";

impl Codegen<'_, '_> {
    /// Adds the terms to the accumulator, one after the other.
    pub(in crate::codegen) fn ordered_fold(&mut self, fold: &Fold, plan: &Plan) -> Result<()> {
        let accumulator = self.accumulator(fold)?;
        let mut value = self.b.use_var(accumulator);
        for vector in self.vectors(fold.term, plan)? {
            for lane in 0..plan.lanes() {
                let term = self.b.ins().extractlane(vector, lane as u8);
                let (a, b) = if fold.leads { (value, term) } else { (term, value) };
                let combined = self.float_binary(fold.prim, plan.elem, a, b)?;
                value = combined.ok_or_else(|| internal(format!("`{}` cannot fold", fold.prim.name())))?;
            }
        }
        self.b.def_var(accumulator, value);
        Ok(())
    }

    pub(in crate::codegen) fn accumulator(&self, fold: &Fold) -> Result<Variable> {
        match self.slots[fold.accumulator] {
            Slot::Variable(variable) => Ok(variable),
            Slot::Unset | Slot::Value(_) => Err(internal("an accumulator that is not a variable")),
        }
    }

    /// Gives every lane of every fold an accumulator.
    pub(in crate::codegen) fn open_folds(&mut self, plan: &Plan) {
        self.accumulators.clear();
        if plan.ordered {
            return;
        }
        for (next, fold) in sorted(plan) {
            let identity = self.number(plan.elem, fold.identity());
            let identity = self.b.ins().splat(vector_type(plan.elem), identity);
            let mut vectors = Vec::new();
            for _ in 0..plan.vectors {
                let variable = self.b.declare_var(vector_type(plan.elem));
                self.b.def_var(variable, identity);
                vectors.push(variable);
            }
            self.accumulators.insert(next, vectors);
        }
    }

    fn vectors_of(&self, next: LocalId) -> Result<Vec<Variable>> {
        self.accumulators.get(&next).cloned().ok_or_else(|| internal("a fold without accumulators"))
    }

    /// Adds each term to the accumulator of its lane.
    pub(in crate::codegen) fn wide_fold(&mut self, next: LocalId, fold: &Fold, plan: &Plan) -> Result<()> {
        let variables = self.vectors_of(next)?;
        if let Some(Contraction { a, b, sign, .. }) = self.contractions.sums.get(&next).copied() {
            let (a, b) = (self.vectors(a, plan)?, self.vectors(b, plan)?);
            for ((&variable, a), b) in variables.iter().zip(a).zip(b) {
                let accumulator = self.b.use_var(variable);
                let sum = self.multiply_add(sign, a, b, accumulator);
                self.b.def_var(variable, sum);
            }
            return Ok(());
        }
        let terms = self.vectors(fold.term, plan)?;
        for (&variable, term) in variables.iter().zip(terms) {
            let accumulator = self.b.use_var(variable);
            let combined = self.fold_vectors(fold.prim, accumulator, term)?;
            self.b.def_var(variable, combined);
        }
        Ok(())
    }

    /// Combines an accumulator with a term. A NaN on either side propagates.
    fn fold_vectors(&mut self, prim: Prim, accumulator: Value, term: Value) -> Result<Value> {
        Ok(match prim {
            Prim::Add => self.b.ins().fadd(accumulator, term),
            Prim::Mul => self.b.ins().fmul(accumulator, term),
            Prim::Min | Prim::Max => {
                let (a, b) = if prim == Prim::Max { (accumulator, term) } else { (term, accumulator) };
                let better = self.b.ins().fcmp(FloatCC::LessThan, a, b);
                // The accumulator stays if it is NaN, and one instruction does this.
                let best = self.choose(better, term, accumulator);
                let nan = self.b.ins().fcmp(FloatCC::Unordered, term, term);
                self.choose(nan, term, best)
            }
            _ => return Err(internal(format!("`{}` cannot fold", prim.name()))),
        })
    }

    /// Combines the vectors of each fold into the first: the first half with the second, until one is left.
    pub(in crate::codegen) fn join_vectors(&mut self, plan: &Plan) -> Result<()> {
        if plan.ordered {
            return Ok(());
        }
        for (next, fold) in sorted(plan) {
            let variables = self.vectors_of(next)?;
            let variables = variables.get(..plan.vectors).ok_or_else(|| internal(FEWER_VECTORS))?;
            let mut values: Vec<Value> = variables.iter().map(|&v| self.b.use_var(v)).collect();
            while values.len() > 1 {
                let second = values.split_off(values.len().div_ceil(2));
                for (a, b) in values.iter_mut().zip(second) {
                    *a = self.fold_vectors(fold.prim, *a, b)?;
                }
            }
            let ([total], [first, ..]) = (values.as_slice(), variables) else { return Err(internal(FEWER_VECTORS)) };
            self.b.def_var(*first, *total);
        }
        Ok(())
    }

    /// Combines the lanes of each fold's first vector, and merges the total into the local.
    pub(in crate::codegen) fn close_folds(&mut self, plan: &Plan) -> Result<()> {
        if plan.ordered {
            return Ok(());
        }
        for (next, fold) in sorted(plan) {
            let first = *self.vectors_of(next)?.first().ok_or_else(|| internal(FEWER_VECTORS))?;
            let vector = self.b.use_var(first);
            let mut lanes: Vec<Value> =
                (0..plan.lanes()).map(|lane| self.b.ins().extractlane(vector, lane as u8)).collect();
            while lanes.len() > 1 {
                let second = lanes.split_off(lanes.len().div_ceil(2));
                for (a, b) in lanes.iter_mut().zip(second) {
                    *a = self.combined(fold, *a, b, plan)?;
                }
            }
            let accumulator = self.accumulator(fold)?;
            let before = self.b.use_var(accumulator);
            let total = *lanes.first().ok_or_else(|| internal("a vector has no lanes"))?;
            let total = self.combined(fold, before, total, plan)?;
            self.b.def_var(accumulator, total);
        }
        self.accumulators.clear();
        Ok(())
    }

    pub(in crate::codegen) fn combined(&mut self, fold: &Fold, a: Value, b: Value, plan: &Plan) -> Result<Value> {
        let combined = self.float_binary(fold.prim, plan.elem, a, b)?;
        combined.ok_or_else(|| internal(format!("`{}` cannot fold", fold.prim.name())))
    }

    /// Fused multiply-adds.
    pub(in crate::codegen) fn contracted_vectors(&mut self, sum: Contraction, plan: &Plan) -> Result<Vec<Value>> {
        let operands = [self.vectors(sum.a, plan)?, self.vectors(sum.b, plan)?, self.vectors(sum.c, plan)?];
        let [a, b, c] = operands;
        Ok(a.into_iter().zip(b).zip(c).map(|((a, b), c)| self.multiply_add(sum.sign, a, b, c)).collect())
    }
}

/// The folds in a deterministic order.
pub(in crate::codegen) fn sorted(plan: &Plan) -> Vec<(LocalId, &Fold)> {
    let mut folds: Vec<(LocalId, &Fold)> = plan.folds.iter().map(|(&next, fold)| (next, fold)).collect();
    folds.sort_by_key(|(next, _)| *next);
    folds
}
