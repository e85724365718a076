//! The sizes of arrays that a function makes.

use crate::builder::Builder;
use arr_loops::{Expr, LocalId, Operand, Stmt, Ty, for_each_chunked_stmt};
use std::collections::{HashMap, HashSet};

/// The sizes of arrays whose buffers a function allocates. A mutable reference has sizes if all values that it is set
/// to have the same.
pub(crate) fn dims(b: &Builder<'_>, body: &[Stmt]) -> HashMap<LocalId, Vec<Operand>> {
    let mut varied = HashSet::new();
    loop {
        let mut sizes = Sizes { b, found: HashMap::new(), varied: varied.clone() };
        for_each_chunked_stmt(body, &mut |stmt| sizes.note(stmt));
        // Once more: what is set at the end of a loop has been read before.
        for_each_chunked_stmt(body, &mut |stmt| sizes.check(stmt));
        if sizes.varied.len() == varied.len() {
            return sizes.found;
        }
        varied = sizes.varied;
    }
}

struct Sizes<'b, 'a> {
    b: &'b Builder<'a>,
    found: HashMap<LocalId, Vec<Operand>>,
    /// References that are set to arrays of differing sizes.
    varied: HashSet<LocalId>,
}

impl Sizes<'_, '_> {
    fn note(&mut self, stmt: &Stmt) {
        let fixed = |o: &Operand| !matches!(o, Operand::Local(local) if self.b.func.locals[*local].mutable);
        match stmt {
            Stmt::Alloc { local, dims, .. } if dims.iter().all(fixed) => {
                self.found.insert(*local, dims.clone());
            }
            Stmt::MakeUnique { local, buffer, .. }
            | Stmt::Let { local, expr: Expr::Copy(Operand::Local(buffer)) }
            | Stmt::Var { local, init: Some(Operand::Local(buffer)) }
            | Stmt::Set { local, value: Operand::Local(buffer) } => {
                if let Some(dims) = self.found.get(buffer).cloned()
                    && !self.varied.contains(local)
                {
                    self.found.entry(*local).or_insert(dims);
                }
            }
            _ => {}
        }
    }

    fn check(&mut self, stmt: &Stmt) {
        if let Stmt::Var { local, init: Some(Operand::Local(from)) } | Stmt::Set { local, value: Operand::Local(from) } =
            stmt
            && matches!(self.b.func.ty(*local), Ty::Buffer(_))
            && self.found.get(local) != self.found.get(from)
        {
            self.varied.insert(*local);
        }
    }
}
