//! The emitter: statements go into the innermost open block, pure expressions are hoisted as far out as their operands
//! allow.
//!
//! Every local has a depth, the number of the open block that binds it. A pure expression is placed in the deepest
//! block that binds one of its operands, just before the nested statement under construction, which is where
//! loop-invariant code motion would put it; and one that is already available is reused. An expression that reads a
//! mutable local stays where it is.

use crate::{Demand, Expr, For, Induction, LocalId, LocalInfo, LoopFunc, Operand, Origin, Parallel, SpanId, Stmt, Ty};
use arr_base::{Id, IndexVec, Span};
use arr_ir::{Const, Prim, Scalar};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The statement whose body an open block is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Opened {
    Function,
    /// A side of a branch: expensive code must not be moved out of it.
    Branch,
    /// The condition or the body of a loop of unknown length.
    Repeat,
    Loop {
        index: LocalId,
        extent: Operand,
        origin: Origin,
    },
}

pub(crate) struct Open {
    pub kind: Opened,
    pub stmts: Vec<Stmt>,
    /// Expressions available in this block, until it ends.
    available: Vec<Expr>,
    pub checked: Vec<(Demand, Vec<Operand>)>,
    /// Whether anything in it can fail, so that a later check must not be moved before it.
    pub fallible: bool,
    inductions: Vec<Induction>,
}

impl Open {
    fn new(kind: Opened) -> Open {
        // The count of iterations can run out before the body begins.
        let fallible = matches!(kind, Opened::Loop { origin: Origin::Source, .. } | Opened::Repeat);
        Open { kind, stmts: Vec::new(), available: Vec::new(), checked: Vec::new(), fallible, inductions: Vec::new() }
    }
}

/// A closed block.
pub(crate) struct Closed {
    pub stmts: Vec<Stmt>,
    pub inductions: Vec<Induction>,
}

/// How far out a pure expression may be moved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    /// Past loops and branches: it is cheap and cannot fail.
    Anywhere,
    /// Past loops only.
    NotFromBranch,
    /// Nowhere.
    Stay,
}

pub(crate) struct Emitter {
    pub func: LoopFunc,
    pub(crate) stack: Vec<Open>,
    depth: IndexVec<LocalId, usize>,
    exprs: HashMap<LocalId, Expr>,
    available: HashMap<Expr, LocalId>,
    pub(crate) checked: HashSet<(Demand, Vec<Operand>)>,
    names: HashMap<String, usize>,
    span_ids: HashMap<Span, SpanId>,
}

impl Emitter {
    pub fn new(name: &str) -> Emitter {
        let mut spans = IndexVec::new();
        spans.push(None);
        let func = LoopFunc {
            name: name.to_string(),
            sizes: Vec::new(),
            params: Vec::new(),
            body: Vec::new(),
            outputs: Vec::new(),
            locals: IndexVec::new(),
            literals: IndexVec::new(),
            spans,
            traces: IndexVec::new(),
            sections: BTreeMap::new(),
            broken: Vec::new(),
        };
        Emitter {
            func,
            stack: vec![Open::new(Opened::Function)],
            depth: IndexVec::new(),
            exprs: HashMap::new(),
            available: HashMap::new(),
            checked: HashSet::new(),
            names: HashMap::new(),
            span_ids: HashMap::new(),
        }
    }

    /// The depth of the innermost open block.
    pub fn current(&self) -> usize {
        self.stack.len() - 1
    }

    /// Closes the function's body.
    pub fn finish(mut self) -> LoopFunc {
        if self.stack.len() != 1 {
            self.func.broken((), "a function ends inside a block");
        }
        let closed = self.close();
        self.func.body = closed.stmts;
        crate::dead::remove(&mut self.func);
        self.func
    }

    pub fn span(&mut self, span: Option<Span>) -> SpanId {
        let Some(span) = span else { return SpanId::from_index(0) };
        let spans = &mut self.func.spans;
        *self.span_ids.entry(span).or_insert_with(|| spans.push(Some(span)))
    }

    /// A place of its own for a section.
    pub fn section(&mut self, span: Option<Span>, section: crate::Section) -> SpanId {
        let id = self.func.spans.push(span);
        self.func.sections.insert(id, section);
        id
    }

    // Locals.

    fn unique_name(&mut self, hint: &str) -> String {
        let hint = if hint.is_empty() { "t" } else { hint };
        loop {
            let count = self.names.entry(hint.to_string()).or_insert(0);
            *count += 1;
            if *count == 1 {
                return hint.to_string();
            }
            let name = format!("{hint}.{count}");
            if !self.names.contains_key(&name) {
                self.names.insert(name.clone(), 1);
                return name;
            }
        }
    }

    fn local_at(&mut self, depth: usize, hint: &str, ty: Ty, mutable: bool) -> LocalId {
        let name = self.unique_name(hint);
        self.depth.push(depth);
        self.func.locals.push(LocalInfo { name, ty, mutable })
    }

    /// A fresh immutable local of the innermost block; the caller emits its binding.
    pub fn local(&mut self, hint: &str, ty: Ty) -> LocalId {
        self.local_at(self.current(), hint, ty, false)
    }

    /// Declares a mutable local.
    pub fn var(&mut self, hint: &str, ty: Ty, init: Option<Operand>) -> LocalId {
        let local = self.local_at(self.current(), hint, ty, true);
        self.push(Stmt::Var { local, init });
        local
    }

    pub fn depth_of(&self, operand: Operand) -> usize {
        match operand {
            Operand::Local(l) => self.depth.get(l).copied().unwrap_or(0),
            Operand::Const(_) => 0,
        }
    }

    /// The expression that an immutable local was bound to.
    pub fn definition(&self, local: LocalId) -> Option<&Expr> {
        self.exprs.get(&local)
    }

    // Blocks.

    pub fn open(&mut self, kind: Opened) {
        self.stack.push(Open::new(kind));
    }

    pub fn close(&mut self) -> Closed {
        let open = self.stack.pop();
        let open =
            open.unwrap_or_else(|| self.func.broken(Open::new(Opened::Function), "a block is closed that is not open"));
        for expr in &open.available {
            self.available.remove(expr);
        }
        for check in &open.checked {
            self.checked.remove(check);
        }
        if let Some(around) = self.stack.last_mut() {
            around.fallible |= open.fallible;
        }
        Closed { stmts: open.stmts, inductions: open.inductions }
    }

    /// Opens the body of a loop and returns its index.
    pub fn open_loop(&mut self, name: &str, extent: Operand, origin: Origin) -> LocalId {
        let index = self.local_at(self.stack.len(), name, Ty::Scalar(Scalar::I64), false);
        self.open(Opened::Loop { index, extent, origin });
        index
    }

    /// Closes the body of the innermost loop and emits the loop.
    pub fn close_loop(&mut self, reverse: bool, span: SpanId) {
        self.close_loop_as(reverse, span, None);
    }

    /// As [`Emitter::close_loop`]; the loop is marked as parallel if its body allows it.
    pub fn close_loop_as(&mut self, reverse: bool, span: SpanId, parallel: Option<Parallel>) {
        let Some(Opened::Loop { index, extent, origin }) = self.stack.last().map(|open| open.kind.clone()) else {
            return self.func.broken((), "what is closed as a loop is none");
        };
        let Closed { stmts: body, inductions } = self.close();
        let parallel = parallel.filter(|parallel| crate::parallel::is_sound(parallel, &body));
        let scan = None;
        self.push(Stmt::For(Box::new(For { index, extent, reverse, inductions, origin, parallel, scan, span, body })));
    }

    /// Whether no loop of a kernel is open.
    pub fn outside_kernels(&self) -> bool {
        !self.stack.iter().any(|open| matches!(open.kind, Opened::Loop { origin: Origin::Kernel, .. }))
    }

    /// Whether a loop of the program is open, and no kernel.
    pub fn in_iteration(&self) -> bool {
        let program = |kind: &Opened| matches!(kind, Opened::Loop { origin: Origin::Source, .. } | Opened::Repeat);
        self.outside_kernels() && self.stack.iter().any(|open| program(&open.kind))
    }

    /// The depth of the open loop whose index this is.
    pub fn loop_of(&self, local: LocalId) -> Option<usize> {
        let depth = self.depth_of(local.into());
        let open = self.stack.get(depth)?;
        matches!(open.kind, Opened::Loop { index, .. } if index == local).then_some(depth)
    }

    /// `index * step` for the index of an open loop, kept by the loop itself. The step is bound outside the loop.
    pub fn induction(&mut self, index: LocalId, step: Operand) -> Option<LocalId> {
        let depth = self.loop_of(index)?;
        if let Some(found) = self.stack.get(depth)?.inductions.iter().find(|i| i.step == step) {
            return Some(found.local);
        }
        let hint = format!("{}.step", self.func.locals[index].name);
        let local = self.local_at(depth, &hint, Ty::Scalar(Scalar::I64), false);
        self.stack.get_mut(depth)?.inductions.push(Induction { local, step });
        Some(local)
    }

    /// Appends a statement to the innermost block.
    pub fn push(&mut self, stmt: Stmt) {
        self.push_at(self.current(), stmt);
    }

    pub(crate) fn push_at(&mut self, depth: usize, stmt: Stmt) {
        if let Some(open) = self.stack.get_mut(depth) {
            open.fallible |= matches!(
                stmt,
                Stmt::Check { .. }
                    | Stmt::CheckShape { .. }
                    | Stmt::Alloc { .. }
                    | Stmt::MakeUnique { .. }
                    | Stmt::Trace { .. }
            );
            open.stmts.push(stmt);
        } else {
            self.func.broken((), "a statement outside of all blocks");
        }
    }

    // Expressions.

    /// Binds an expression in place and never shares it: it reads mutable data.
    pub fn let_here(&mut self, hint: &str, ty: Ty, expr: Expr) -> LocalId {
        let local = self.local(hint, ty);
        self.push(Stmt::Let { local, expr });
        local
    }

    /// Binds a pure expression, or reuses it.
    pub fn pure(&mut self, hint: &str, ty: Ty, expr: Expr, motion: Motion) -> LocalId {
        if let Some(&known) = self.available.get(&expr) {
            return known;
        }
        let operands = expr.operands();
        if operands.iter().any(|&o| self.is_mutable(o)) {
            return self.let_here(hint, ty, expr);
        }
        let needs = operands.iter().map(|&o| self.depth_of(o)).max().unwrap_or(0);
        let depth = self.target(needs, motion);
        let local = self.local_at(depth, hint, ty, false);
        self.push_at(depth, Stmt::Let { local, expr: expr.clone() });
        self.available.insert(expr.clone(), local);
        self.exprs.insert(local, expr.clone());
        if let Some(open) = self.stack.get_mut(depth) {
            open.available.push(expr);
        }
        local
    }

    pub(crate) fn is_mutable(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Local(l) if self.func.locals[l].mutable)
    }

    fn target(&self, needs: usize, motion: Motion) -> usize {
        let mut depth = self.current();
        while depth > needs {
            let stop = match motion {
                Motion::Anywhere => false,
                Motion::NotFromBranch => self.stack.get(depth).is_some_and(|open| open.kind == Opened::Branch),
                Motion::Stay => true,
            };
            if stop {
                break;
            }
            depth -= 1;
        }
        depth
    }

    /// A primitive, folded if its operands are constants. `None` if it is not defined on these types.
    pub fn prim(&mut self, hint: &str, prim: Prim, args: Vec<Operand>) -> Option<Operand> {
        let elems: Vec<Scalar> = args.iter().map(|&a| self.func.elem(a)).collect();
        let elem = prim.result(&elems)?;
        let constants: Option<Vec<Const>> =
            args.iter().map(|a| if let Operand::Const(c) = a { Some(*c) } else { None }).collect();
        if let Some(folded) = constants.and_then(|c| prim.eval(&c)) {
            return Some(Operand::Const(folded));
        }
        let divides = elems.first().is_some_and(|&e| prim.may_fail(e));
        let safe_divisor = matches!(args.get(1), Some(Operand::Const(c)) if !c.is_zero());
        let motion = match (divides && !safe_divisor, !prim.may_be_speculated()) {
            (true, _) => Motion::Stay,
            (false, true) => Motion::NotFromBranch,
            (false, false) => Motion::Anywhere,
        };
        Some(self.pure(hint, Ty::Scalar(elem), Expr::Prim(prim, args), motion).into())
    }

    /// Integer arithmetic of sizes and offsets, with the identities of 0 and 1. Both operands are `i64`.
    pub fn int(&mut self, prim: Prim, a: Operand, b: Operand) -> Operand {
        match (prim, a.as_int(), b.as_int()) {
            (Prim::Add, Some(0), _) => return b,
            (Prim::Add | Prim::Sub, _, Some(0)) => return a,
            (Prim::Mul, Some(0), _) | (Prim::Mul, _, Some(0)) => return Operand::int(0),
            (Prim::Mul, Some(1), _) => return b,
            (Prim::Mul, _, Some(1)) => return a,
            _ => {}
        }
        // Constants second, so that equal sums are recognised.
        let (a, b) = if prim != Prim::Sub && a.as_int().is_some() { (b, a) } else { (a, b) };
        match self.prim("s", prim, vec![a, b]) {
            Some(value) => value,
            None => self.func.broken(Operand::int(0), "sizes that are no integers"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::place;

    #[test]
    fn blocks_are_closed_as_often_as_they_are_opened() {
        let mut emit = Emitter::new("f");
        emit.open_loop("i", Operand::int(2), Origin::Kernel);
        emit.close_loop(false, SpanId::from_index(0));
        assert!(emit.finish().broken.is_empty());

        let mut emit = Emitter::new("f");
        emit.close_loop(false, SpanId::from_index(0));
        assert_eq!(emit.finish().broken, ["what is closed as a loop is none"]);

        let mut emit = Emitter::new("f");
        emit.open(Opened::Branch);
        assert_eq!(emit.finish().broken, ["a function ends inside a block"]);

        let mut emit = Emitter::new("f");
        emit.close();
        assert!(emit.func.broken.is_empty());
        emit.close();
        assert_eq!(emit.func.broken, ["a block is closed that is not open"]);
    }

    #[test]
    fn an_index_has_as_many_axes_as_its_array() {
        let mut emit = Emitter::new("f");
        let buffer = emit.local("a", Ty::Buffer(Scalar::F64));
        let (size, index) = (Operand::int(3), Operand::int(1));
        place(&mut emit, buffer, &[size, size], &[index, index]);
        assert!(emit.func.broken.is_empty());
        place(&mut emit, buffer, &[size], &[index, index]);
        assert_eq!(emit.func.broken, ["an index has more axes than its array"]);
    }
}
