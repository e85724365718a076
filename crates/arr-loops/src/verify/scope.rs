//! Types, and where locals are visible and set.

use crate::{Demand, Expr, For, LocalId, LoopFunc, MatMul, Operand, ParamSize, Scan, Stmt, TraceId, Ty, While};
use arr_ir::Scalar;
use std::collections::HashSet;

const INT: Ty = Ty::Scalar(Scalar::I64);
const BOOL: Ty = Ty::Scalar(Scalar::Bool);

pub(super) fn check(func: &LoopFunc) -> Vec<String> {
    let mut walk =
        Walk { func, faults: Vec::new(), visible: HashSet::new(), bound: HashSet::new(), set: HashSet::new() };
    func.sizes.iter().for_each(|&size| walk.bind(size, Some(INT)));
    func.params.iter().for_each(|p| walk.bind(p.local, None));
    for local in func.params.iter().flat_map(|p| &p.dims).flat_map(ParamSize::vars) {
        walk.read(local.into(), INT, "a size of a parameter");
    }
    walk.stmts(&func.body);
    for output in &func.outputs {
        let ty = walk.ty(output.value);
        walk.read(output.value, ty, "a result");
        output.dims.iter().for_each(|&d| walk.read(d, INT, "a size of a result"));
        if matches!(ty, Ty::Address(_)) {
            walk.fault("a result is an address");
        }
    }
    walk.faults
}

struct Walk<'a> {
    func: &'a LoopFunc,
    faults: Vec<String>,
    /// Bound here or around.
    visible: HashSet<LocalId>,
    /// Bound anywhere so far.
    bound: HashSet<LocalId>,
    /// Mutable locals that have a value.
    set: HashSet<LocalId>,
}

impl Walk<'_> {
    fn fault(&mut self, message: impl Into<String>) {
        self.faults.push(message.into());
    }

    fn name(&self, local: LocalId) -> String {
        self.func.locals[local].name.clone()
    }

    fn ty(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Local(local) => self.func.ty(local),
            Operand::Const(c) => Ty::Scalar(c.scalar()),
        }
    }

    fn bind(&mut self, local: LocalId, ty: Option<Ty>) {
        let name = self.name(local);
        if !self.bound.insert(local) {
            self.fault(format!("`{name}` is bound twice"));
        }
        self.visible.insert(local);
        if let Some(ty) = ty.filter(|ty| *ty != self.func.ty(local)) {
            self.fault(format!("`{name}` is declared {:?} and bound to {ty:?}", self.func.ty(local)));
        }
    }

    fn declared_mutable(&mut self, local: LocalId, mutable: bool) {
        if self.func.locals[local].mutable != mutable {
            let name = self.name(local);
            self.fault(format!("`{name}` is {}mutable where it is bound", if mutable { "not " } else { "" }));
        }
    }

    fn see(&mut self, operand: Operand) {
        let Operand::Local(local) = operand else { return };
        if !self.visible.contains(&local) {
            let name = self.name(local);
            self.fault(format!("`{name}` is read where it is not bound"));
        } else if self.func.locals[local].mutable && !self.set.contains(&local) {
            let name = self.name(local);
            self.fault(format!("`{name}` may be read before it is set"));
        }
    }

    fn read(&mut self, operand: Operand, ty: Ty, what: &str) {
        self.see(operand);
        if self.ty(operand) != ty {
            self.fault(format!("{what} is of type {:?} where {ty:?} is needed", self.ty(operand)));
        }
    }

    fn ints(&mut self, operands: &[Operand], what: &str) {
        operands.iter().for_each(|&o| self.read(o, INT, what));
    }

    fn trace(&mut self, site: TraceId, value: Operand, dims: &[Operand]) {
        self.see(value);
        self.ints(dims, "a size");
        let Some(elem) = self.func.traces.get(site).map(|site| site.elem) else {
            return self.fault("a trace of no place");
        };
        let expected = if dims.is_empty() { Ty::Scalar(elem) } else { Ty::Buffer(elem) };
        if self.ty(value) != expected {
            self.fault(format!("a trace of {:?} is of type {:?}", expected, self.ty(value)));
        }
    }

    fn buffer(&mut self, local: LocalId) {
        self.see(local.into());
        if !matches!(self.func.ty(local), Ty::Buffer(_)) {
            let name = self.name(local);
            self.fault(format!("`{name}` is no array"));
        }
    }

    /// Checks an address and returns the type of its elements.
    fn address(&mut self, local: LocalId) -> Scalar {
        self.see(local.into());
        if !matches!(self.func.ty(local), Ty::Address(_)) {
            let name = self.name(local);
            self.fault(format!("`{name}` is no address"));
        }
        self.func.ty(local).elem()
    }

    // Statements.

    /// Checks statements whose locals are visible only in them.
    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn scoped(&mut self, work: impl FnOnce(&mut Self)) {
        let visible = self.visible.clone();
        work(self);
        self.visible = visible;
    }

    /// As `scoped`, for statements that may not run at all: nothing counts as set by them.
    fn perhaps(&mut self, work: impl FnOnce(&mut Self)) {
        let set = self.set.clone();
        self.scoped(work);
        self.set = set;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { local, expr } => {
                let ty = self.expr(expr);
                self.bind(*local, ty);
                self.declared_mutable(*local, false);
            }
            Stmt::Var { local, init } => {
                let ty = self.func.ty(*local);
                if let Some(init) = init {
                    self.read(*init, ty, "what a variable begins with");
                    self.set.insert(*local);
                } else {
                    self.set.remove(local);
                }
                self.bind(*local, None);
                self.declared_mutable(*local, true);
            }
            Stmt::Set { local, value } => {
                let ty = self.func.ty(*local);
                self.read(*value, ty, "what a variable is set to");
                if !self.visible.contains(local) || !self.func.locals[*local].mutable {
                    let name = self.name(*local);
                    self.fault(format!("`{name}` is set and is no variable here"));
                }
                self.set.insert(*local);
            }
            Stmt::Store { address, offset, value } => {
                let elem = self.address(*address);
                self.ints(&[*offset], "an offset");
                self.read(*value, Ty::Scalar(elem), "what is stored");
            }
            Stmt::Alloc { local, dims, .. } => {
                self.ints(dims, "a size");
                self.bind(*local, None);
                self.buffer(*local);
            }
            Stmt::MakeUnique { local, buffer, .. } => {
                self.buffer(*buffer);
                self.bind(*local, Some(self.func.ty(*buffer)));
            }
            Stmt::Retain(buffer) | Stmt::Release(buffer) => self.buffer(*buffer),
            Stmt::Check { demand, args, .. } => self.demand(*demand, args),
            Stmt::CheckShape { buffer, dims, .. } => {
                self.buffer(*buffer);
                self.ints(dims, "a size");
            }
            Stmt::For(l) => self.for_loop(l),
            Stmt::While(l) => self.while_loop(l),
            Stmt::Argsort { into, keys, length, .. } => {
                self.buffer(*into);
                self.buffer(*keys);
                if self.func.ty(*into).elem() != Scalar::I64 {
                    self.fault("positions that are no `i64`");
                }
                self.ints(&[*length], "the length of a row");
            }
            Stmt::Trace { site, value, dims } => self.trace(*site, *value, dims),
            Stmt::MatMul(product) => self.matmul(product),
            Stmt::If { cond, then_body, else_body } => {
                self.read(*cond, BOOL, "a condition");
                let before = self.set.clone();
                self.scoped(|walk| walk.stmts(then_body));
                let then_set = std::mem::replace(&mut self.set, before);
                self.scoped(|walk| walk.stmts(else_body));
                self.set.retain(|local| then_set.contains(local));
            }
        }
    }

    fn expr(&mut self, expr: &Expr) -> Option<Ty> {
        match expr {
            Expr::Prim(prim, args) => {
                args.iter().for_each(|&a| self.see(a));
                let scalars: Option<Vec<Scalar>> =
                    args.iter().map(|&a| if let Ty::Scalar(s) = self.ty(a) { Some(s) } else { None }).collect();
                let result = scalars.and_then(|s| prim.result(&s));
                if result.is_none() {
                    self.fault(format!("`{}` is not defined on its operands", prim.name()));
                }
                result.map(Ty::Scalar)
            }
            Expr::Copy(a) => {
                self.see(*a);
                Some(self.ty(*a))
            }
            Expr::BaseAddr(buffer) => {
                self.buffer(*buffer);
                Some(Ty::Address(self.func.ty(*buffer).elem()))
            }
            Expr::Len(buffer) => {
                self.buffer(*buffer);
                Some(Ty::Scalar(Scalar::I64))
            }
            Expr::Offset(address, offset) => {
                let elem = self.address(*address);
                self.ints(&[*offset], "an offset");
                Some(Ty::Address(elem))
            }
            Expr::Load(address, offset) => {
                let elem = self.address(*address);
                self.ints(&[*offset], "an offset");
                Some(Ty::Scalar(elem))
            }
            Expr::Literal(id) => {
                let literal = self.func.literals.get(*id).cloned();
                if literal.is_none() {
                    self.fault("there is no such literal");
                }
                literal.map(|l| Ty::Buffer(l.elem))
            }
        }
    }

    fn demand(&mut self, demand: Demand, args: &[Operand]) {
        let arity = match demand {
            Demand::Index | Demand::Element | Demand::Place | Demand::SizeEq | Demand::SizeSum => 2,
            Demand::Slice => 3,
            Demand::NonZero | Demand::SizeNonNeg | Demand::NonEmpty | Demand::Step => 1,
            Demand::SizeProduct => args.len().max(1),
            Demand::Steps => return self.fault("steps are counted by a check"),
        };
        if args.len() != arity {
            self.fault(format!("check {} of {} values", demand.name(), args.len()));
        }
        if demand != Demand::NonZero {
            return self.ints(args, "what is checked");
        }
        for &arg in args {
            self.see(arg);
            if !matches!(self.ty(arg), Ty::Scalar(s) if s.is_int()) {
                self.fault("a divisor that is checked is no integer");
            }
        }
    }

    fn matmul(&mut self, product: &MatMul) {
        let elems = [product.into, product.left, product.right].map(|a| self.address(a));
        if !elems.iter().all(|e| *e == elems[0] && e.is_float()) {
            self.fault("a matrix product of arrays that are not of one float type");
        }
        for axis in &product.axes {
            self.ints(&[axis.extent, axis.into, axis.left, axis.right], "an axis of a matrix product");
        }
    }

    fn while_loop(&mut self, l: &While) {
        let visible = self.visible.clone();
        self.stmts(&l.head);
        self.read(l.cond, BOOL, "a condition");
        self.visible = visible;
        self.perhaps(|walk| walk.stmts(&l.body));
    }

    fn bind_index(&mut self, l: &For) {
        self.bind(l.index, Some(INT));
        l.inductions.iter().for_each(|i| self.bind(i.local, Some(INT)));
    }

    fn for_loop(&mut self, l: &For) {
        self.ints(&[l.extent], "an extent");
        l.inductions.iter().for_each(|i| self.ints(&[i.step], "a step"));
        let bound = self.bound.clone();
        self.perhaps(|walk| {
            walk.bind_index(l);
            walk.stmts(&l.body);
        });
        if let Some(scan) = &l.scan {
            let after_body = std::mem::replace(&mut self.bound, bound);
            self.perhaps(|walk| walk.scan(l, scan));
            self.bound = after_body;
        }
        let Some(parallel) = &l.parallel else { return };
        for added in &parallel.added {
            self.buffer(added.buffer);
            self.address(added.data);
        }
        parallel
            .disjoint_if
            .into_iter()
            .for_each(|apart| self.read(apart.into(), BOOL, "what says that iterations are apart"));
        for partial in &parallel.partials {
            let ty = self.func.ty(partial.local);
            self.read(partial.local.into(), Ty::Scalar(partial.init.scalar()), "a partial result");
            self.declared_mutable(partial.local, true);
            if self.func.ty(partial.other) != ty {
                self.fault("partial results of two types");
            }
        }
        // Loops that are parts of one nest share the code that combines the results of their chunks.
        let bound = self.bound.clone();
        self.scoped(|walk| {
            parallel.partials.iter().for_each(|p| walk.bind(p.other, None));
            walk.stmts(&parallel.combine);
        });
        self.bound = bound;
    }

    fn scan(&mut self, l: &For, scan: &Scan) {
        self.stmts(&scan.before);
        for state in &scan.states {
            self.see(state.local.into());
            self.declared_mutable(state.local, true);
        }
        for part in &scan.parts {
            self.bind(part.local, Some(Ty::Scalar(part.init.scalar())));
            self.declared_mutable(part.local, true);
            self.set.insert(part.local);
        }
        // The body and the summary run in one loop or in two.
        self.perhaps(|walk| {
            walk.bind_index(l);
            walk.scoped(|walk| walk.stmts(&scan.summary));
            walk.scoped(|walk| {
                // A chain recomputes values of the summary under the same names.
                let bound = walk.bound.clone();
                walk.stmts(&scan.body);
                if let Some(chain) = &scan.chain {
                    walk.bound.retain(|local| !crate::any_stmt(&scan.summary, &|s| s.binds().contains(local)));
                    walk.stmts(&chain.before);
                    for link in &chain.links {
                        let ty = walk.func.ty(link.state);
                        walk.read(link.ratio, ty, "the factor of a step");
                        walk.read(link.offset, ty, "what a step adds");
                    }
                }
                walk.bound.extend(bound);
            });
        });
        self.scoped(|walk| {
            scan.states.iter().for_each(|s| walk.bind(s.entry, Some(walk.func.ty(s.local))));
            walk.stmts(&scan.advance);
            scan.states.iter().for_each(|s| walk.read(s.next, walk.func.ty(s.local), "the state after a chunk"));
            scan.sound.into_iter().for_each(|s| walk.read(s, BOOL, "whether a summary may be used"));
        });
        self.stmts(&scan.after);
    }
}
