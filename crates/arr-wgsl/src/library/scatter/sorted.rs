//! Sums into a large array: terms are sorted by their places.

use super::find::split;
use super::{Run, with_blocks};
use crate::builder::Builder;
use crate::kernel::needs;
use crate::kernel::text::Result;
use crate::library::{Draft, Host};
use crate::plan::Placement;
use crate::program::{Access, Groups, Step};
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, LocalId, Operand, Stmt, Ty, for_each_chunked_stmt};
use std::collections::HashMap;

impl Run<'_> {
    pub(super) fn sorted(
        &self,
        b: &mut Builder<'_>,
        placement: &Placement,
        around: &[(LocalId, Operand)],
    ) -> Result<Vec<Step>> {
        let mut host = Host::default();
        let extents: Vec<Operand> = around.iter().map(|(_, extent)| *extent).collect();
        let points = host.product(b, "terms", &extents);
        let span = self.l.span;
        // A stored place is one more than its number, and 0 means none.
        let places = b.local("places", Ty::Buffer(Scalar::U32));
        host.steps.push(Step::AllocZeros { local: places, dims: vec![points], span });
        let terms = host.scratch(b, "terms", self.elem, vec![points], span);
        let order = host.scratch(b, "order", Scalar::I64, vec![points], span);
        let step = self.write_terms(b, placement, around, places, terms)?;
        host.steps.push(step);
        host.steps.extend(crate::library::argsort(b, order, places, points, &[points], span)?);
        let step = self.add_sorted(b, points, places, terms, order);
        host.steps.push(step);
        host.steps.extend([places, terms, order].map(Step::Release));
        Ok(host.steps)
    }

    /// Every iteration writes the places of its terms, and the terms.
    fn write_terms(
        &self,
        b: &mut Builder<'_>,
        placement: &Placement,
        around: &[(LocalId, Operand)],
        places: LocalId,
        terms: LocalId,
    ) -> Result<Step> {
        let address = |b: &mut Builder<'_>, buffer: LocalId, elem: Scalar| {
            let address = b.local("place", Ty::Address(elem));
            b.place_address(address, buffer, true);
            address
        };
        let (to_place, to_term) = (address(b, places, Scalar::U32), address(b, terms, self.elem));
        let mut bound = HashMap::new();
        for_each_chunked_stmt(&self.l.body, &mut |stmt| {
            if let Stmt::Let { local, expr } = stmt {
                bound.insert(*local, expr.clone());
            }
        });
        let buffer = self.scatter.buffer;
        let mut writer =
            Writer { b, buffer, bound, around, to_place, to_term, outside: Vec::new(), known: HashMap::new() };
        let body = writer.block(&self.l.body);
        let Writer { b, outside, .. } = writer;
        let mut own = self.loop_locals();
        own.extend(outside.iter().map(|(_, new)| *new));
        let mut read = self.loop_operands();
        read.extend(around.iter().map(|(_, extent)| *extent));
        read.extend(outside.iter().filter(|(old, _)| !b.is_start(*old)).map(|(old, _)| Operand::Local(*old)));
        let needs = needs::find(b, placement, &body, &read, &own);
        let width = b.options.workgroup;
        let (mut text, entry) = self.kernel(b, needs, "terms", self.l.extent, width);
        for (old, new) in outside {
            let start = if text.b.is_start(old) { text.integer(0) } else { text.local(old) };
            text.name(new, start);
        }
        text.name(self.l.index, "mine".to_string());
        text.inductions(self.l);
        text.block(&body)?;
        Ok(Self::done(text, &entry, "The terms of sums at computed places"))
    }

    /// The invocation of the first term of a place adds up all of them.
    fn add_sorted(
        &self,
        b: &mut Builder<'_>,
        points: Operand,
        places: LocalId,
        terms: LocalId,
        order: LocalId,
    ) -> Step {
        let width = b.options.workgroup;
        let groups = Groups { points: vec![points], per_group: width, most: None };
        let mut d = Draft::new(b, "scatter_sorted", width, groups, self.l.span);
        d.bind(places, Scalar::U32, Access::Read);
        d.bind(terms, self.elem, Access::Read);
        d.bind(order, Scalar::I64, Access::Read);
        d.bind(self.scatter.buffer, self.elem, Access::ReadWrite);
        let points = d.int(b, points);
        let (place, at) = (b.buffer(&d.kernel, places), b.buffer(&d.kernel, order));
        d.line(format!("let first = group * {width} + lane;"));
        d.line(format!("if first >= {points} {{ return; }}"));
        d.line(format!("let place = {place}[i32({at}[first])];"));
        d.line("if place == 0u { return; }");
        d.line(format!("if first > 0 && {place}[i32({at}[first - 1])] == place {{ return; }}"));
        d.line("let point = i32(place - 1u);");
        let head = format!("for (var k = first; k < {points} && {place}[i32({at}[k])] == place; k++) {{");
        self.fold(b, &mut d, self.scatter.op, &head, terms, &format!("i32({at}[k])"));
        d.finish(b)
    }
}

/// A body's statements, with terms and their places written instead of accumulated.
struct Writer<'b, 'a, 's> {
    b: &'b mut Builder<'a>,
    buffer: LocalId,
    bound: HashMap<LocalId, Expr>,
    around: &'s [(LocalId, Operand)],
    to_place: LocalId,
    to_term: LocalId,
    /// Addresses from outside, and integers for their offsets.
    outside: Vec<(LocalId, LocalId)>,
    known: HashMap<LocalId, LocalId>,
}

impl Writer<'_, '_, '_> {
    /// The integer for an address of the array.
    fn place(&mut self, address: LocalId) -> LocalId {
        if let Some(&known) = self.known.get(&address) {
            return known;
        }
        let place = self.b.local("place", Ty::Scalar(Scalar::I64));
        self.known.insert(address, place);
        self.outside.push((address, place));
        place
    }

    fn prim(&mut self, out: &mut Vec<Stmt>, prim: Prim, args: &[Operand]) -> Operand {
        let local = self.b.local_of("place", prim, args);
        out.push(Stmt::Let { local, expr: Expr::Prim(prim, args.to_vec()) });
        local.into()
    }

    fn block(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in stmts {
            self.stmt(stmt, &mut out);
        }
        out
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        match stmt {
            Stmt::Let { local, expr: Expr::Offset(address, by) } if self.b.root(*address) == self.buffer => {
                let start = self.place(*address);
                let place = self.b.local("place", Ty::Scalar(Scalar::I64));
                self.known.insert(*local, place);
                out.push(Stmt::Let { local: place, expr: Expr::Prim(Prim::Add, vec![start.into(), *by]) });
            }
            Stmt::Let { expr: Expr::Load(address, _), .. } if self.b.root(*address) == self.buffer => {}
            // The stored value is not computed here.
            Stmt::Let { expr, .. } if self.reads_old(expr) => {}
            Stmt::Store { address, offset, value } => self.store(*address, *offset, *value, out),
            _ => out.push(with_blocks(stmt, &mut |block| self.block(block))),
        }
    }

    fn reads_old(&self, expr: &Expr) -> bool {
        expr.operands().iter().any(|o| match o {
            Operand::Local(local) => {
                matches!(self.bound.get(local), Some(Expr::Load(address, _)) if self.b.root(*address) == self.buffer)
            }
            Operand::Const(_) => false,
        })
    }

    fn store(&mut self, address: LocalId, offset: Operand, value: Operand, out: &mut Vec<Stmt>) {
        let term = match value {
            Operand::Local(value) => self.bound.get(&value).and_then(|sum| match sum {
                Expr::Prim(op, args) => split(&self.bound, address, offset, *op, args),
                _ => None,
            }),
            Operand::Const(_) => None,
        };
        let Some((_, term)) = term else {
            return self.b.func.broken((), "what is sorted by its place is no sum");
        };
        let start = self.place(address);
        let place = self.prim(out, Prim::Add, &[start.into(), offset]);
        let place = self.prim(out, Prim::Add, &[place, Operand::int(1)]);
        let place = self.prim(out, Prim::ToU32, &[place]);
        // The number of the term among all, in the order of the loops.
        let around = self.around;
        let mut number: Option<Operand> = None;
        for (index, extent) in around {
            number = Some(match number {
                None => (*index).into(),
                Some(outer) => {
                    let row = self.prim(out, Prim::Mul, &[outer, *extent]);
                    self.prim(out, Prim::Add, &[row, (*index).into()])
                }
            });
        }
        let number = number.unwrap_or(Operand::int(0));
        out.push(Stmt::Store { address: self.to_place, offset: number, value: place });
        out.push(Stmt::Store { address: self.to_term, offset: number, value: term });
    }
}
