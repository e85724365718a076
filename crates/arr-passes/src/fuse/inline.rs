//! Inlines producers according to the plan: one walk, each body copied once per place.
//!
//! An element that can stop the program is computed where the point of its reader begins, before what the reader itself
//! does there: of two wrong indices at one point, the first in the program is reported.

use super::plan::Plan;
use crate::analysis::size_operand;
use arr_base::Span;
use arr_ir::rewrite::any_op;
use arr_ir::walk::{Subst, may_fail_deep};
use arr_ir::{Atom, Block, Check, Func, Op, SizeId, Stmt, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub(super) fn inline(func: &mut Func, plan: &Plan) {
    let body = std::mem::take(&mut func.body);
    let mut inliner = Inliner {
        func,
        plan,
        producers: FxHashMap::default(),
        failing: Vec::new(),
        memo: FxHashMap::default(),
        scopes: Vec::new(),
        subst: Subst::new(),
    };
    let body = inliner.block(body, &[]);
    func.body = body;
}

/// A producer at an index.
type Point = (VarId, Vec<Atom>);

struct Inliner<'f> {
    func: &'f mut Func,
    plan: &'f Plan,
    /// The producer of an inlined array, in its original form, and the index of the result.
    producers: FxHashMap<VarId, (Rc<Stmt>, usize)>,
    /// The inlined arrays whose elements can stop the program, in the order of the program.
    failing: Vec<VarId>,
    /// Elements computed in the open blocks.
    memo: FxHashMap<Point, Vec<Atom>>,
    /// Open output blocks: statements, and the elements to forget.
    scopes: Vec<(Vec<Stmt>, Vec<Point>)>,
    /// The replacements of reads of inlined arrays.
    subst: Subst,
}

impl Inliner<'_> {
    /// A block of a statement with these axes.
    fn block(&mut self, block: Block, axes: &[VarId]) -> Block {
        self.scopes.push((Vec::new(), Vec::new()));
        for &v in &block.params {
            self.retype(v);
        }
        let own: Vec<Atom> = axes.iter().map(|&v| Atom::Var(v)).collect();
        self.failing_elements(&block, &own);
        for stmt in block.stmts {
            self.stmt(stmt);
        }
        let results = block.results.iter().map(|&a| self.subst.atom(a)).collect();
        let (stmts, points) = match self.scopes.pop() {
            Some(scope) => scope,
            None => self.func.broken(Default::default(), "a block is closed that is not open"),
        };
        for point in points {
            self.memo.remove(&point);
        }
        Block { params: block.params, stmts, results }
    }

    fn stmt(&mut self, mut stmt: Stmt) {
        if matches!(stmt.op, Op::Build { .. }) && stmt.vars.iter().any(|&v| self.plan.inlines(v)) {
            let source = |op: &Op| matches!(op, Op::Read { array, .. } if self.failing.contains(array));
            if may_fail_deep(self.func, &stmt.op) || any_op(&stmt.op, &mut |op| source(op)) {
                self.failing.extend(&stmt.vars);
            }
            let stmt = Rc::new(stmt);
            for (k, &v) in stmt.vars.iter().enumerate() {
                self.producers.insert(v, (Rc::clone(&stmt), k));
            }
            return;
        }
        stmt.op.map_operands(&mut |a| self.subst.atom(a));
        stmt.op.map_sizes(&mut |s| self.subst.size(self.func, s));
        if let Op::Read { array, index, checked } = &stmt.op
            && let Some((producer, k)) = self.producers.get(array).cloned()
        {
            let element = self.element(&producer, k, index, *checked, stmt.span);
            if let ([v], Some(element)) = (stmt.vars.as_slice(), element) {
                self.subst.insert(*v, element);
            }
            return;
        }
        for &v in &stmt.vars {
            self.retype(v);
        }
        let axes: Vec<VarId> = stmt.op.axes().iter().map(|a| a.index).collect();
        for block in stmt.op.blocks_mut() {
            *block = self.block(std::mem::take(block), &axes);
        }
        self.push(stmt);
    }

    /// Computes the elements that can stop the program and that a point of a kernel, of these indices, reads at its own.
    fn failing_elements(&mut self, block: &Block, point: &[Atom]) {
        if point.is_empty() || self.failing.is_empty() {
            return;
        }
        let mut early: Vec<(usize, &[Atom], Option<Span>)> = Vec::new();
        for stmt in &block.stmts {
            if let Op::Read { array, index, checked: false } = &stmt.op
                && let Some(at) = self.failing.iter().position(|v| v == array)
                && index.iter().all(|i| point.contains(i))
            {
                early.push((at, index, stmt.span));
            }
        }
        early.sort_by_key(|(at, ..)| *at);
        for (at, index, span) in early {
            if let Some((producer, k)) = self.failing.get(at).and_then(|v| self.producers.get(v)).cloned() {
                self.element(&producer, k, index, false, span);
            }
        }
    }

    /// A size in the type of an array may have been read from an inlined one.
    fn retype(&mut self, v: VarId) {
        let ty = self.func.type_id(v);
        self.func.vars[v].ty = self.subst.ty(self.func, ty);
    }

    fn push(&mut self, stmt: Stmt) {
        if let Some((stmts, _)) = self.scopes.last_mut() {
            stmts.push(stmt);
        }
    }

    /// Result `k` of the producer at an index.
    fn element(
        &mut self,
        producer: &Stmt,
        k: usize,
        index: &[Atom],
        checked: bool,
        span: Option<Span>,
    ) -> Option<Atom> {
        let Op::Build { axes, body } = &producer.op else { return None };
        if checked {
            for (axis, &i) in axes.iter().zip(index) {
                self.check_index(i, axis.extent, span);
            }
        }
        let point = (*producer.vars.first()?, index.to_vec());
        if let Some(known) = self.memo.get(&point) {
            return known.get(k).copied();
        }
        let mut local = Subst::new();
        for (axis, &i) in axes.iter().zip(index) {
            local.insert(axis.index, i);
        }
        let body = local.clone_block(self.func, body);
        self.failing_elements(&body, index);
        for stmt in body.stmts {
            self.stmt(stmt);
        }
        let results: Vec<Atom> = body.results.iter().map(|&a| self.subst.atom(a)).collect();
        let element = results.get(k).copied();
        self.memo.insert(point.clone(), results);
        if let Some((_, points)) = self.scopes.last_mut() {
            points.push(point);
        }
        element
    }

    /// An index that was checked against the array is checked against its extent.
    fn check_index(&mut self, index: Atom, extent: SizeId, span: Option<Span>) {
        let extent = self.subst.size(self.func, extent);
        let mut computed = Vec::new();
        let extent = size_operand(self.func, extent, span, &mut computed);
        computed.into_iter().for_each(|stmt| self.push(stmt));
        self.push(Stmt { vars: Vec::new(), op: Op::Check { kind: Check::Index, args: vec![index, extent] }, span });
    }
}
