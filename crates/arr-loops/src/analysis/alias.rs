//! Alias analysis, and the definitions of locals: their expressions, the origin of buffers, and which of these may be
//! the same memory.

use crate::{Expr, LocalId, LoopFunc, Operand, Stmt, for_each_stmt};
use std::collections::{HashMap, HashSet};

/// Facts about the locals of a function.
#[derive(Default)]
pub(crate) struct AliasInfo {
    params: HashSet<LocalId>,
    /// The definitions of immutable locals.
    pub exprs: HashMap<LocalId, Expr>,
    /// When buffers are bound, in the order of the text.
    order: HashMap<LocalId, usize>,
    /// Buffers from `alloc`.
    pub made: HashSet<LocalId>,
    /// Buffers that another local may hold, too.
    shared: HashSet<LocalId>,
    /// For buffers made unique: the original.
    unique_of: HashMap<LocalId, LocalId>,
    /// The sizes of buffers from `alloc`.
    pub sizes: Vec<(LocalId, Vec<Operand>)>,
}

impl AliasInfo {
    pub fn of(func: &LoopFunc, body: &[Stmt]) -> AliasInfo {
        let mut facts = AliasInfo::default();
        facts.params.extend(func.params.iter().map(|p| p.local));
        facts.bind(body);
        facts.buffers(body);
        facts
    }

    /// Whether a buffer came from `alloc` and has no other reference.
    pub fn is_alone(&self, buffer: LocalId) -> bool {
        self.made.contains(&buffer) && !self.shared.contains(&buffer)
    }

    /// Records the definitions of immutable locals.
    pub fn bind(&mut self, stmts: &[Stmt]) {
        for_each_stmt(stmts, &mut |stmt| {
            if let Stmt::Let { local, expr } = stmt {
                self.exprs.insert(*local, expr.clone());
            }
        });
    }

    /// Records the origin of buffers.
    fn buffers(&mut self, stmts: &[Stmt]) {
        for_each_stmt(stmts, &mut |stmt| {
            let bound = match stmt {
                Stmt::Let { local, expr } => {
                    if let Expr::Copy(Operand::Local(of)) = expr {
                        self.shared.extend([*local, *of]);
                    }
                    Some(*local)
                }
                Stmt::Var { local, init: Some(Operand::Local(value)) }
                | Stmt::Set { local, value: Operand::Local(value) } => {
                    self.shared.extend([*local, *value]);
                    None
                }
                Stmt::Alloc { local, dims, .. } => {
                    self.made.insert(*local);
                    self.sizes.push((*local, dims.clone()));
                    Some(*local)
                }
                Stmt::MakeUnique { local, buffer, .. } => {
                    self.unique_of.insert(*local, *buffer);
                    self.shared.extend([*local, *buffer]);
                    Some(*local)
                }
                Stmt::Retain(buffer) => {
                    self.shared.insert(*buffer);
                    None
                }
                _ => None,
            };
            if let Some(local) = bound {
                let order = self.order.len();
                self.order.insert(local, order);
            }
        });
    }

    /// Whether two buffers, both of which are bound, may be the same memory.
    pub fn may_alias(&self, a: LocalId, b: LocalId) -> bool {
        if a == b {
            return true;
        }
        // A new buffer differs from all existing ones.
        let (earlier, later) = if self.order.get(&a) < self.order.get(&b) { (a, b) } else { (b, a) };
        let bound = self.params.contains(&earlier) || self.order.contains_key(&earlier);
        let fresh = self.made.contains(&later) && bound;
        let alone = |l: LocalId| self.params.contains(&l) || self.made.contains(&l);
        !fresh && self.shared.contains(&a) && self.shared.contains(&b) && !(alone(a) && alone(b))
    }

    /// Whether two names stand for one reference to a buffer.
    pub fn is_name_of(&self, a: LocalId, b: LocalId) -> bool {
        let first = |mut name: LocalId| {
            while let Some(Expr::Copy(Operand::Local(of))) = self.exprs.get(&name) {
                name = *of;
            }
            name
        };
        first(a) == first(b)
    }

    /// The first of the buffers that another is a name of, or was made unique from.
    pub fn origin(&self, func: &LoopFunc, mut name: LocalId) -> LocalId {
        loop {
            name = match (self.unique_of.get(&name), self.exprs.get(&name)) {
                (Some(&of), _) => of,
                (_, Some(Expr::Copy(Operand::Local(of)))) if !func.locals[*of].mutable => *of,
                _ => return name,
            }
        }
    }

    /// The buffer of an address, and the summands on top of the address of its first element.
    pub fn place(&self, mut address: LocalId) -> Option<(LocalId, Vec<Operand>)> {
        let mut offsets = Vec::new();
        loop {
            match self.exprs.get(&address)? {
                Expr::BaseAddr(buffer) => return Some((*buffer, offsets)),
                Expr::Offset(base, offset) => {
                    offsets.push(*offset);
                    address = *base;
                }
                _ => return None,
            }
        }
    }
}
