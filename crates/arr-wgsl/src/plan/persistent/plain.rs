//! Normalises a loop of the program for a workgroup: without scans, and with the nests that are the alternatives of
//! matrix products.

use arr_loops::{Expr, LocalId, Operand, Stmt, Ty, for_each_chunked_stmt};

/// A loop in a plainer form, and the constant arrays that it names, which the host holds.
#[derive(Default)]
pub(super) struct Plain {
    pub stmts: Vec<Stmt>,
    pub literals: Vec<Stmt>,
    /// The extents of scans.
    pub scans: Vec<Operand>,
}

/// `None` if it contains something that kernels do not support.
pub(super) fn of(stmt: &Stmt) -> Option<Plain> {
    let mut plain = Plain::default();
    plain.stmts = plain.block(std::slice::from_ref(stmt))?;
    Some(plain)
}

impl Plain {
    fn block(&mut self, stmts: &[Stmt]) -> Option<Vec<Stmt>> {
        let mut out = Vec::new();
        for stmt in stmts {
            self.stmt(stmt, &mut out)?;
        }
        Some(out)
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) -> Option<()> {
        match stmt {
            // Liveness is recomputed.
            Stmt::Retain(_) | Stmt::Release(_) => {}
            Stmt::Argsort { .. } | Stmt::MatMul(_) | Stmt::Trace { .. } => return None,
            Stmt::Let { expr: Expr::Literal(_), .. } => self.literals.push(stmt.clone()),
            Stmt::For(l) => match &l.scan {
                None => {
                    let mut l = l.clone();
                    l.body = self.block(&l.body)?;
                    out.push(Stmt::For(l));
                }
                Some(scan) => {
                    self.scans.push(l.extent);
                    out.extend(self.block(&scan.before)?);
                    let mut l = l.clone();
                    l.body = self.block(&scan.body)?;
                    l.scan = None;
                    out.push(Stmt::For(l));
                    out.extend(self.block(&scan.after)?);
                }
            },
            Stmt::While(l) => {
                let mut l = l.clone();
                l.head = self.block(&l.head)?;
                l.body = self.block(&l.body)?;
                out.push(Stmt::While(l));
            }
            Stmt::If { then_body, else_body, .. } if calls(then_body) && !calls(else_body) => {
                out.extend(self.block(else_body)?);
            }
            Stmt::If { cond, then_body, else_body } => {
                let (then_body, else_body) = (self.block(then_body)?, self.block(else_body)?);
                out.push(Stmt::If { cond: *cond, then_body, else_body });
            }
            _ => out.push(stmt.clone()),
        }
        Some(())
    }
}

/// Whether statements are the matrix product that replaces a nest.
fn calls(stmts: &[Stmt]) -> bool {
    let mut found = false;
    for_each_chunked_stmt(stmts, &mut |stmt| found |= matches!(stmt, Stmt::MatMul(_)));
    found
}

/// Whether a local is a reference.
pub(super) fn is_buffer(func: &arr_loops::LoopFunc, local: LocalId) -> bool {
    matches!(func.ty(local), Ty::Buffer(_))
}
