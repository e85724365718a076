//! Where a NaN or an infinity comes from: an operation that makes one out of operands that are none.
//!
//! A NaN is born where no operand is one; an infinity where all operands are finite. An operation that only passes on
//! what arguments or constants have brought in is not its origin.
//!
//! What a program computes and does not select has no effect, on values and derivatives alike: a zero that was not
//! selected wins over an infinite partial derivative. So a birth stops the program only where it is seen. A variable is
//! *shielded* if nothing reads it but the choices of `select`, the factors of `mulz`, and primitives whose own results
//! are shielded. Its birth waits, and is reported once a choice or a product that is not shielded lets it through.

use super::Trap;
use crate::{Atom, Block, Const, Func, Op, Prim, VarId};
use arr_base::{Id, NotFinite, RunErrorKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The watch over the floats of a run.
pub(super) struct Watch<'f> {
    func: &'f Func,
    trap: Trap,
    shielded: Vec<bool>,
    /// The births of shielded variables, by slot.
    waiting: FxHashMap<usize, NotFinite>,
    /// The slots of the indices of the loops and kernels that run, outermost first.
    pub axes: Vec<usize>,
}

/// An operand: its slot, if it is a variable, and its value.
pub(super) type Operand = (Option<usize>, Const);

impl<'f> Watch<'f> {
    pub fn new(func: &'f Func, trap: Trap) -> Watch<'f> {
        let seen = Seen::of(func);
        let shielded = (0..func.vars.len()).map(|slot| !seen.contains(slot)).collect();
        Watch { func, trap, shielded, waiting: FxHashMap::default(), axes: Vec::new() }
    }

    /// The error that `slot = prim(operands)` is, if it is one. `index` gives the values of indices.
    pub fn after(
        &mut self,
        (slot, prim): (usize, Prim),
        operands: &[Operand],
        result: Const,
        index: &dyn Fn(usize) -> Option<i64>,
    ) -> Option<RunErrorKind> {
        self.waiting.remove(&slot);
        if !self.traps(result) {
            return None;
        }
        let chosen = match (prim, operands) {
            (Prim::Select, [(_, cond), yes, no]) => {
                std::slice::from_ref(if cond.as_bool() == Some(true) { yes } else { no })
            }
            _ => operands,
        };
        let earlier = chosen.iter().find_map(|(slot, _)| self.waiting.get(&(*slot)?).cloned());
        let birth = match earlier {
            Some(birth) => birth,
            None if is_born(operands, result) => self.birth(slot, prim, operands, result, index),
            None => return None,
        };
        if self.shielded.get(slot) == Some(&true) {
            self.waiting.insert(slot, birth);
            return None;
        }
        Some(RunErrorKind::NotFinite(Box::new(birth)))
    }

    /// Whether it is of the values that stop the program.
    fn traps(&self, value: Const) -> bool {
        match self.trap {
            Trap::Nan => is_nan(value),
            Trap::NotFinite => !is_finite(value),
        }
    }

    fn birth(
        &self,
        slot: usize,
        prim: Prim,
        operands: &[Operand],
        result: Const,
        index: &dyn Fn(usize) -> Option<i64>,
    ) -> NotFinite {
        let at = self.axes.iter().filter_map(|&axis| Some((self.info(axis)?.0.to_string(), index(axis)?))).collect();
        let values: Vec<String> = operands.iter().map(|(_, value)| text(*value)).collect();
        NotFinite {
            operation: written(prim, &values),
            result: text(result),
            derivative: self.info(slot).is_some_and(|(_, derivative)| derivative),
            at,
        }
    }

    fn info(&self, slot: usize) -> Option<(&str, bool)> {
        let info = self.func.vars.get(VarId::from_index(slot))?;
        Some((&info.name, info.derivative))
    }
}

/// A number as programs write it.
fn text(value: Const) -> String {
    match value {
        Const::Bool(b) => b.to_string(),
        Const::I32(i) => i.to_string(),
        Const::I64(i) => i.to_string(),
        Const::U32(u) => u.to_string(),
        Const::F32(x) => format!("{x:?}").to_lowercase(),
        Const::F64(x) => format!("{x:?}").to_lowercase(),
    }
}

fn is_nan(value: Const) -> bool {
    value.as_f64().is_some_and(f64::is_nan)
}

fn is_finite(value: Const) -> bool {
    value.as_f64().is_none_or(f64::is_finite)
}

fn is_born(operands: &[Operand], result: Const) -> bool {
    if is_nan(result) {
        !operands.iter().any(|(_, value)| is_nan(*value))
    } else {
        operands.iter().all(|(_, value)| is_finite(*value))
    }
}

/// The operation as a program has it.
fn written(prim: Prim, values: &[String]) -> String {
    let sign = match prim {
        Prim::Add => "+",
        Prim::Sub => "-",
        Prim::Mul | Prim::MulZero => "*",
        Prim::Div => "/",
        Prim::Rem => "%",
        Prim::Pow | Prim::PowInt => "**",
        _ => "",
    };
    match values {
        [a, b] if !sign.is_empty() => format!("{a} {sign} {b}"),
        _ => format!("{}({})", prim.name(), values.join(", ")),
    }
}

/// The variables that are not shielded, found from the end of the function to its start.
struct Seen<'f> {
    func: &'f Func,
    vars: FxHashSet<usize>,
}

impl<'f> Seen<'f> {
    fn of(func: &'f Func) -> Seen<'f> {
        let mut seen = Seen { func, vars: FxHashSet::default() };
        seen.block(&func.body);
        seen
    }

    fn contains(&self, slot: usize) -> bool {
        self.vars.contains(&slot)
    }

    fn see(&mut self, atom: Atom) {
        if let Atom::Var(v) = atom {
            self.vars.insert(v.index());
        }
    }

    fn block(&mut self, block: &Block) {
        block.results.iter().for_each(|&a| self.see(a));
        for stmt in block.stmts.iter().rev() {
            match (&stmt.op, stmt.vars.as_slice()) {
                (Op::Prim(Prim::MulZero | Prim::Select, _), _) => {}
                (Op::Prim(_, args), &[var]) => {
                    if self.contains(var.index()) || !self.func.ty(var).elem.is_float() {
                        args.iter().for_each(|&a| self.see(a));
                    }
                }
                (op, _) => {
                    op.blocks().into_iter().for_each(|inner| self.block(inner));
                    op.operands().into_iter().for_each(|a| self.see(a));
                }
            }
        }
    }
}
