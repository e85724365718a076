//! Ordered loops and branches around the parts of a kernel of one workgroup.
//!
//! Control flow is uniform: all invocations read conditions from one variable of the workgroup, unless the host knows
//! them. Once a check has failed, loops whose length depends on elements end.

use super::{Part, Writer};
use crate::kernel::text::Result;
use arr_ir::Scalar;
use arr_loops::{For, Operand, While};

impl Writer<'_, '_, '_> {
    pub(super) fn in_order(&mut self, l: &For, body: &[Part<'_>]) -> Result<()> {
        let before = self.waiting.clone();
        self.wait_for_all(body);
        let extent = self.extent(l.extent);
        let ty = self.text.b.type_name(Scalar::I64);
        let (zero, one) = (self.text.integer(0), self.text.integer(1));
        self.text.open(&format!("for (var turn: {ty} = {zero}; turn < {extent}; turn += {one}) {{"));
        let index = self.text.b.word(l.index);
        match l.reverse {
            false => self.text.line(&format!("{index} = turn;")),
            true => self.text.line(&format!("{index} = {extent} - {one} - turn;")),
        }
        self.text.inductions(l);
        self.parts(body)?;
        self.text.close();
        self.waiting.join(&before);
        Ok(())
    }

    pub(super) fn repeat(&mut self, l: &While, head: &[Part<'_>], body: &[Part<'_>]) -> Result<()> {
        self.wait_for_all(head);
        self.wait_for_all(body);
        self.text.open("loop {");
        self.parts(head)?;
        let goes_on = self.decided(l.cond, true);
        self.text.line(&format!("if {goes_on} == 0u {{ break; }}"));
        let after = self.waiting.clone();
        self.parts(body)?;
        self.text.close();
        self.waiting = after;
        Ok(())
    }

    pub(super) fn branch(&mut self, cond: Operand, then_parts: &[Part<'_>], else_parts: &[Part<'_>]) -> Result<()> {
        let decided =
            if self.is_uniform(cond) { self.text.operand(cond) } else { self.decided(cond, false) + " != 0u" };
        let before = self.waiting.clone();
        self.text.open(&format!("if {decided} {{"));
        self.parts(then_parts)?;
        self.text.close();
        let after = std::mem::replace(&mut self.waiting, before);
        if !else_parts.is_empty() {
            self.text.open("else {");
            self.parts(else_parts)?;
            self.text.close();
        }
        self.waiting.join(&after);
        Ok(())
    }

    /// At the head of a loop all of its body may have run since the workgroup last waited.
    fn wait_for_all(&mut self, parts: &[Part<'_>]) {
        for part in parts {
            self.waiting.add(self.text.b, &part.statements());
            self.waiting.shared |= !part.is_repeatable();
            part.inner().into_iter().for_each(|inner| self.wait_for_all(inner));
        }
    }

    /// Whether the host knows a value, so that the device knows that it is uniform.
    fn is_uniform(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(_) => true,
            Operand::Local(local) => self.text.kernel.params.contains(&local),
        }
    }

    /// A condition as a uniform number; no longer true after a failure if that `ends` something.
    fn decided(&mut self, cond: Operand, ends: bool) -> String {
        let cond = self.text.operand(cond);
        let sound = if ends && self.text.kernel.faults { " && atomicLoad(&fault[0]) == 0u" } else { "" };
        self.told("u32", &format!("select(0u, 1u, {cond}{sound})"))
    }

    fn extent(&mut self, extent: Operand) -> String {
        let text = self.text.operand(extent);
        if self.is_uniform(extent) {
            return text;
        }
        let zero = self.text.integer(0);
        let sound = match self.text.kernel.faults {
            true => format!("select({zero}, {text}, atomicLoad(&fault[0]) == 0u)"),
            false => text,
        };
        let ty = self.text.b.type_name(Scalar::I64);
        self.told(ty, &sound)
    }

    /// The first invocation's value of an expression, broadcast to all.
    fn told(&mut self, ty: &str, value: &str) -> String {
        let shared = self.shared_variable(ty, 0);
        self.wait_for_readers();
        self.text.line(&format!("if lane == 0u {{ {shared} = {value}; }}"));
        let name = self.text.b.name("told");
        self.text.line(&format!("let {name} = workgroupUniformLoad(&{shared});"));
        name
    }
}
