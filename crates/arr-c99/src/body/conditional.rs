//! A variable that a branch sets, as a conditional expression.

use super::{Body, Result};
use crate::text::{Binds, Text};
use arr_loops::{LocalId, Operand, Stmt, Ty};

/// A longer one stays a branch.
const LONG: usize = 96;

impl Body<'_, '_> {
    /// Writes `x = c ? a : b` for a variable and the branch that follows its declaration, if each side does nothing but give it
    /// a value. Returns whether it did; if not, nothing is written.
    pub(super) fn conditional(&mut self, local: LocalId, next: &Stmt) -> Result<bool> {
        let Stmt::If { cond, then_body, else_body } = next else { return Ok(false) };
        let (Some((then_lets, then)), Some((else_lets, otherwise))) =
            (only_sets(local, then_body), only_sets(local, else_body))
        else {
            return Ok(false);
        };
        if !matches!(self.func.ty(local), Ty::Scalar(_)) || !self.uses.contains_key(&local) {
            return Ok(false);
        }
        let before = (self.pending.clone(), self.aliases.clone(), self.addresses.clone(), self.names.clone());
        let lines = self.lines.len();
        let cond = self.value(*cond);
        let then = self.side(then_lets, then)?;
        let otherwise = self.side(else_lets, otherwise)?;
        let text = format!(
            "{} = {} ? {} : {};",
            self.declarator(local),
            cond.within(Binds::Or),
            then.within(Binds::Or),
            otherwise.within(Binds::Conditional)
        );
        if self.lines.len() > lines || text.len() > LONG {
            self.lines.truncate(lines);
            (self.pending, self.aliases, self.addresses) = (before.0, before.1, before.2);
            self.names = before.3;
            return Ok(false);
        }
        self.push(text);
        Ok(true)
    }

    fn side(&mut self, lets: &[Stmt], value: Operand) -> Result<Text> {
        for (at, stmt) in lets.iter().enumerate() {
            self.stmt(stmt, lets.get(at + 1..).unwrap_or_default())?;
        }
        Ok(self.value(value))
    }
}

/// The definitions before the only `set` of a side that has nothing else, and its value.
fn only_sets(local: LocalId, side: &[Stmt]) -> Option<(&[Stmt], Operand)> {
    let (last, lets) = side.split_last()?;
    match last {
        Stmt::Set { local: set, value } if *set == local => {
            lets.iter().all(|stmt| matches!(stmt, Stmt::Let { .. })).then_some((lets, *value))
        }
        _ => None,
    }
}
