//! Names: which are written where they are used, and which are declared.

use super::{Address, Body, Result, reads};
use crate::Error;
use crate::memory::for_each_body;
use crate::scalar::{Arg, scalar};
use crate::text::{Binds, Text, constant};
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, LocalId, Operand, Stmt, Ty};

/// A longer text gets a name.
const LONG: usize = 72;
/// A longer offset gets a name.
const LONG_OFFSET: usize = 40;

/// A value that is written where it is used.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub local: LocalId,
    pub text: Text,
    /// Whether it reads an array.
    pub memory: bool,
    /// The variables that it reads.
    pub variables: Vec<LocalId>,
}

/// A text, and what it depends on.
struct Value {
    text: Text,
    memory: bool,
    variables: Vec<LocalId>,
}

impl Body<'_, '_> {
    /// An operand's text, where it is used for the last time if it is pending.
    pub(super) fn value(&mut self, operand: Operand) -> Text {
        self.consumed(operand).text
    }

    /// The text of a result.
    pub(crate) fn output(&mut self, operand: Operand) -> Text {
        self.value(operand)
    }

    fn consumed(&mut self, operand: Operand) -> Value {
        let plain = |text: Text| Value { text, memory: false, variables: Vec::new() };
        let local = match operand {
            Operand::Const(c) => return plain(constant(c)),
            Operand::Local(local) => local,
        };
        if let Some(at) = self.pending.iter().position(|p| p.local == local) {
            let Pending { text, memory, variables, .. } = self.pending.remove(at);
            return Value { text, memory, variables };
        }
        if let Some(text) = self.aliases.get(&local) {
            return plain(text.clone());
        }
        let variables = if self.func.locals[local].mutable { vec![local] } else { Vec::new() };
        Value { text: Text::primary(self.names.of(local)), memory: false, variables }
    }

    /// An operand's text, for use at several places and later: what can change gets a name first.
    pub(super) fn stable(&mut self, operand: Operand) -> Text {
        let Operand::Local(local) = operand else { return self.value(operand) };
        if let Some(at) = self.pending.iter().position(|p| p.local == local) {
            let one = self.pending.remove(at);
            let short = !one.memory && one.variables.is_empty() && one.text.text.len() <= 16;
            if short {
                self.aliases.insert(local, one.text.clone());
                return one.text;
            }
            self.declare(local, &one.text);
        } else if self.func.locals[local].mutable {
            let name = self.names.fresh("bound");
            self.push(format!("const {} {name} = {};", self.ty(local), self.names.of(local)));
            return Text::primary(name);
        }
        self.value(operand)
    }

    /// Declares the pending values of this kind, in order.
    pub(super) fn flush(&mut self, which: impl Fn(&Pending) -> bool) {
        let (now, later): (Vec<Pending>, Vec<Pending>) = std::mem::take(&mut self.pending).into_iter().partition(which);
        self.pending = later;
        now.into_iter().for_each(|p| self.declare(p.local, &p.text));
    }

    fn declare(&mut self, local: LocalId, text: &Text) {
        self.push(format!("const {} = {};", self.declarator(local), text.text));
    }

    fn define(&mut self, local: LocalId, value: Value) {
        let uses = self.uses.get(&local).copied().unwrap_or(0);
        let Value { text, memory, variables } = value;
        let trivial = !memory && variables.is_empty() && text.text.len() <= 12 && text.binds >= Binds::Unary;
        match uses {
            0 => {}
            _ if trivial && is_simple(&text) => {
                self.aliases.insert(local, text);
            }
            1 if text.text.len() <= LONG => self.pending.push(Pending { local, text, memory, variables }),
            _ => self.declare(local, &text),
        }
    }

    pub(super) fn let_stmt(&mut self, local: LocalId, expr: &Expr, rest: &[Stmt]) -> Result<()> {
        if self.declared.contains(&local) {
            return Ok(());
        }
        match expr {
            Expr::Prim(prim, args) => {
                let value = self.prim(local, *prim, args)?;
                self.define(local, value);
            }
            Expr::Copy(of) => self.copy(local, *of, rest),
            Expr::Load(address, offset) => {
                let value = Value { text: self.element(*address, *offset)?, memory: true, variables: Vec::new() };
                self.define(local, value);
            }
            Expr::BaseAddr(buffer) => {
                let pointer = self.value((*buffer).into()).text;
                self.addresses.insert(local, Address::new(pointer));
            }
            Expr::Offset(address, offset) => self.offset(local, *address, *offset)?,
            Expr::Len(buffer) => {
                let text = self.length_of(*buffer)?;
                self.index_like.insert(local);
                self.define(local, Value { text, memory: false, variables: Vec::new() });
            }
            Expr::Literal(id) => {
                let text = Text::primary(self.names.literal(*id));
                self.aliases.insert(local, text);
            }
        }
        Ok(())
    }

    /// Declares an integer at the beginning of the function, as lengths depend on it.
    pub(crate) fn define_first(&mut self, local: LocalId, expr: &Expr) -> Result<()> {
        let value = match expr {
            Expr::Prim(prim, args) => self.prim(local, *prim, args)?,
            Expr::Copy(of) => self.consumed(*of),
            _ => return Err(Error::Internal("a length is computed from an array")),
        };
        if is_simple(&value.text) {
            self.aliases.insert(local, value.text);
        } else {
            self.declare(local, &value.text);
        }
        self.declared.insert(local);
        Ok(())
    }

    fn prim(&mut self, local: LocalId, prim: Prim, args: &[Operand]) -> Result<Value> {
        let (mut memory, mut variables, mut given) = (false, Vec::new(), Vec::new());
        for &arg in args {
            let index = self.is_index(arg);
            let elem = self.func.elem(arg);
            let value = self.consumed(arg);
            memory |= value.memory;
            variables.extend(value.variables);
            given.push(Arg { text: value.text, elem, index });
        }
        let stays = matches!(
            prim,
            Prim::Add | Prim::Sub | Prim::Mul | Prim::Min | Prim::Max | Prim::Select | Prim::Div | Prim::Rem
        );
        let numbers = if prim == Prim::Select { args.get(1..).unwrap_or_default() } else { args };
        if stays && self.func.ty(local) == Ty::Scalar(Scalar::I64) && numbers.iter().all(|&arg| self.is_index(arg)) {
            self.index_like.insert(local);
        }
        if let Some(known) = self.known_comparison(prim, args) {
            let text = Text::primary(if known { "true" } else { "false" });
            return Ok(Value { text, memory: false, variables: Vec::new() });
        }
        let text = scalar(prim, &given, self.how).ok_or(Error::Internal("a primitive of other types"))?;
        Ok(Value { text, memory, variables })
    }

    /// The outcome of a comparison of a loop's index, which is not negative, with a number; compilers warn of those that are known.
    fn known_comparison(&self, prim: Prim, args: &[Operand]) -> Option<bool> {
        let counts = |operand: Operand| matches!(operand, Operand::Local(local) if self.counters.contains(&local));
        let (prim, number) = match *args {
            [a, b] if counts(a) => (prim, b.as_int()?),
            [a, b] if counts(b) => (mirrored(prim)?, a.as_int()?),
            _ => return None,
        };
        match prim {
            Prim::Lt if number <= 0 => Some(false),
            Prim::Le | Prim::Eq if number < 0 => Some(false),
            Prim::Ge if number <= 0 => Some(true),
            Prim::Gt | Prim::Ne if number < 0 => Some(true),
            _ => None,
        }
    }

    fn is_index(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(c) => c.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
            Operand::Local(local) => self.index_like.contains(&local),
        }
    }

    /// A snapshot: the variable itself, if it is not set before the last use.
    pub(super) fn copy(&mut self, local: LocalId, of: Operand, rest: &[Stmt]) {
        let Operand::Local(from) = of else {
            let value = self.consumed(of);
            return self.define(local, value);
        };
        if self.is_index(of) {
            self.index_like.insert(local);
        }
        if let Some(text) = self.aliases.get(&from).cloned() {
            self.aliases.insert(local, text);
            return;
        }
        let is_array = !matches!(self.func.ty(local), Ty::Scalar(_));
        if !self.func.locals[from].mutable {
            let value = self.consumed(of);
            if is_array || (!value.memory && value.variables.is_empty() && is_simple(&value.text)) {
                self.aliases.insert(local, value.text);
                return;
            }
            return self.define(local, value);
        }
        if !self.uses.contains_key(&local) {
            return;
        }
        if self.is_set_before_last_use(from, local, rest) {
            self.push(format!(
                "{}{} = {};",
                if is_array { "" } else { "const " },
                self.declarator(local),
                self.names.of(from)
            ));
        } else {
            self.aliases.insert(local, Text::primary(self.names.of(from)));
        }
    }

    /// Whether `variable` is set, in the statements that follow, before `local` is used for the last time.
    fn is_set_before_last_use(&self, variable: LocalId, local: LocalId, rest: &[Stmt]) -> bool {
        let mut derived = vec![local];
        let (mut last_use, mut first_set) = (None, None);
        for (at, stmt) in rest.iter().enumerate() {
            for_each_body(std::slice::from_ref(stmt), &mut |inner| {
                let used = reads(inner).iter().any(|r| matches!(r, Operand::Local(l) if derived.contains(l)));
                if used {
                    last_use = Some(at);
                    // What is written as the same pointer, or as an expression of it, is used in its place.
                    derived.extend(inner.binds());
                }
                if inner.sets() == Some(variable) {
                    first_set.get_or_insert(at);
                }
            });
        }
        if derived.iter().any(|local| self.read_behind.contains(local)) {
            last_use = Some(rest.len());
        }
        match (first_set, last_use) {
            (Some(set), Some(used)) if set == used => !matches!(rest.get(set), Some(Stmt::Set { .. })),
            (Some(set), Some(used)) => set < used,
            _ => false,
        }
    }

    /// An address further on. It may lie outside of the array, as code behind a check that fails can have one, and is then no
    /// pointer in C: what gets a name is the offset.
    fn offset(&mut self, local: LocalId, address: LocalId, offset: Operand) -> Result<()> {
        let is_near = self.is_index(offset);
        let offset = self.stable(offset);
        let address = self.address(address)?.further(&offset, is_near);
        let offset = address.offset();
        if offset.text.len() <= LONG_OFFSET {
            self.addresses.insert(local, address);
            return Ok(());
        }
        let name = self.names.of(local).to_string();
        self.push(format!("const int64_t {name} = {};", offset.text));
        self.addresses.insert(local, address.named(&name));
        Ok(())
    }

    pub(super) fn address(&self, address: LocalId) -> Result<Address> {
        self.addresses.get(&address).cloned().ok_or(Error::Internal("an address that is not bound"))
    }

    /// `x[i]`
    pub(super) fn element(&mut self, address: LocalId, offset: Operand) -> Result<Text> {
        let is_near = self.is_index(offset);
        let offset = match offset {
            // An index that reads an array may be used in place: it is consumed here.
            Operand::Local(local)
                if self.pending.iter().any(|p| p.local == local && (p.memory || !p.variables.is_empty())) =>
            {
                self.flush(|p| p.local == local);
                self.value(offset)
            }
            _ => self.value(offset),
        };
        Ok(self.address(address)?.element(&offset, is_near))
    }
}

/// The comparison with its sides exchanged.
fn mirrored(prim: Prim) -> Option<Prim> {
    Some(match prim {
        Prim::Lt => Prim::Gt,
        Prim::Le => Prim::Ge,
        Prim::Gt => Prim::Lt,
        Prim::Ge => Prim::Le,
        Prim::Eq | Prim::Ne => prim,
        _ => return None,
    })
}

/// Whether a text is a name or a number.
fn is_simple(text: &Text) -> bool {
    text.text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'.' || c == b'-')
}
