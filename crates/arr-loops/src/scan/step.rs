//! The effect of primitives on steps.

use super::find::Finder;
use crate::{LocalId, Operand};
use arr_ir::{Const, Prim, Scalar};

/// How a value of the body depends on the state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Form {
    /// Does not depend on it.
    Free,
    /// A step of one scalar of the state. `None` stands for a factor of one, no summand, no comparison.
    Linear {
        of: LocalId,
        ratio: Option<Operand>,
        offset: Option<Operand>,
    },
    Lattice {
        of: LocalId,
        prim: Prim,
        bound: Operand,
    },
    Other,
}

impl Finder<'_, '_> {
    pub(super) fn step(&mut self, prim: Prim, args: &[Operand]) -> Form {
        let forms: Vec<Form> = args.iter().map(|&a| self.form(a)).collect();
        if forms.iter().all(|&form| form == Form::Free) {
            return Form::Free;
        }
        let elem = args.first().map(|&a| self.scope.func.elem(a));
        let stepped = match (elem, forms.as_slice(), args) {
            (Some(Scalar::Bool), &[a, b], &[x, y]) if matches!(prim, Prim::And | Prim::Or) => {
                self.lattice(prim, [a, b], [x, y])
            }
            (Some(elem), &[a, b], &[x, y]) if elem != Scalar::Bool && matches!(prim, Prim::Max | Prim::Min) => {
                self.lattice(prim, [a, b], [x, y])
            }
            (Some(elem), _, _) if elem == Scalar::Bool || elem.is_float() && !self.scope.relaxed => None,
            (Some(elem), _, _) => self.linear(prim, &forms, args, elem),
            _ => None,
        };
        stepped.unwrap_or(Form::Other)
    }

    fn lattice(&mut self, prim: Prim, forms: [Form; 2], args: [Operand; 2]) -> Option<Form> {
        let (form, term) = match forms {
            [form, Form::Free] => (form, args[1]),
            [Form::Free, form] => (form, args[0]),
            _ => return None,
        };
        let term = self.copy_of(term);
        match form {
            Form::Linear { of, ratio: None, offset: None } => Some(Form::Lattice { of, prim, bound: term }),
            Form::Lattice { of, prim: before, bound } if before == prim => {
                Some(Form::Lattice { of, prim, bound: self.emit(prim, &[bound, term])? })
            }
            _ => None,
        }
    }

    fn linear(&mut self, prim: Prim, forms: &[Form], args: &[Operand], elem: Scalar) -> Option<Form> {
        let one = Operand::Const(Const::one(elem));
        let term = |this: &Self, k: usize| args.get(k).map(|&a| this.copy_of(a));
        // A product in which zero wins differs from the other only where that is not finite, and then no step is used.
        let (of, ratio, offset) = match (prim, forms) {
            (Prim::Neg, &[Form::Linear { of, ratio, offset }]) => {
                (of, Some(self.emit(Prim::Neg, &[ratio.unwrap_or(one)])?), self.each(Prim::Neg, offset, &[])?)
            }
            (Prim::Add, &[Form::Linear { of, ratio, offset }, Form::Free]) => {
                (of, ratio, Some(self.sum(Prim::Add, offset, term(self, 1)?)?))
            }
            (Prim::Add, &[Form::Free, Form::Linear { of, ratio, offset }]) => {
                (of, ratio, Some(self.sum(Prim::Add, offset, term(self, 0)?)?))
            }
            (Prim::Sub, &[Form::Linear { of, ratio, offset }, Form::Free]) => {
                (of, ratio, Some(self.sum(Prim::Sub, offset, term(self, 1)?)?))
            }
            (Prim::Sub, &[Form::Free, Form::Linear { of, ratio, offset }]) => {
                let ratio = self.emit(Prim::Neg, &[ratio.unwrap_or(one)])?;
                let term = term(self, 0)?;
                let offset = match offset {
                    Some(b) => self.emit(Prim::Sub, &[term, b])?,
                    None => term,
                };
                (of, Some(ratio), Some(offset))
            }
            (Prim::Mul | Prim::MulZero, &[Form::Linear { of, ratio, offset }, Form::Free]) => {
                let t = term(self, 1)?;
                (of, Some(self.scaled(ratio, t)?), self.each(Prim::Mul, offset, &[t])?)
            }
            (Prim::Mul | Prim::MulZero, &[Form::Free, Form::Linear { of, ratio, offset }]) => {
                let t = term(self, 0)?;
                (of, Some(self.scaled(ratio, t)?), self.each(Prim::Mul, offset, &[t])?)
            }
            (Prim::Div, &[Form::Linear { of, ratio, offset }, Form::Free]) if elem.is_float() => {
                let t = term(self, 1)?;
                let ratio = self.emit(Prim::Div, &[ratio.unwrap_or(one), t])?;
                (of, Some(ratio), self.each(Prim::Div, offset, &[t])?)
            }
            (
                Prim::Add | Prim::Sub,
                &[
                    Form::Linear { of, ratio, offset },
                    Form::Linear { of: same, ratio: other_ratio, offset: other_offset },
                ],
            ) if of == same => {
                let ratio = self.emit(prim, &[ratio.unwrap_or(one), other_ratio.unwrap_or(one)])?;
                let offset = match other_offset {
                    Some(other) => Some(self.sum(prim, offset, other)?),
                    None => offset,
                };
                (of, Some(ratio), offset)
            }
            _ => return None,
        };
        Some(Form::Linear { of, ratio, offset })
    }

    /// The summand plus (or minus) `term`.
    fn sum(&mut self, prim: Prim, offset: Option<Operand>, term: Operand) -> Option<Operand> {
        match (offset, prim) {
            (Some(offset), _) => self.emit(prim, &[offset, term]),
            (None, Prim::Sub) => self.emit(Prim::Neg, &[term]),
            (None, _) => Some(term),
        }
    }

    /// Applies a primitive to the summand, if there is one.
    fn each(&mut self, prim: Prim, offset: Option<Operand>, others: &[Operand]) -> Option<Option<Operand>> {
        match offset {
            Some(offset) => Some(Some(self.emit(prim, &[&[offset], others].concat())?)),
            None => Some(None),
        }
    }

    fn scaled(&mut self, ratio: Option<Operand>, term: Operand) -> Option<Operand> {
        match ratio {
            Some(ratio) => self.emit(Prim::Mul, &[ratio, term]),
            None => Some(term),
        }
    }

    pub(super) fn emit(&mut self, prim: Prim, args: &[Operand]) -> Option<Operand> {
        let (result, stmt) = self.scope.prim(prim, args)?;
        self.summary.extend(stmt);
        Some(result)
    }
}
