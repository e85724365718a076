//! Perfect nests of unordered loops, as one index space of points.

use super::text::{Result, Text};
use crate::builder::Builder;
use crate::plan::Placement;
use crate::scalar::integer_of;
use crate::walk::{Use, uses};
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, For, LocalId, Operand, Partial, Stmt, Ty};
use std::collections::HashSet;

/// The loops of a nest from the outermost on, and the body of the innermost.
#[derive(Debug)]
pub(crate) struct Nest<'s> {
    pub loops: Vec<&'s For>,
    /// Statements before the next loop, in each but the last. Every point runs them.
    pub between: Vec<&'s [Stmt]>,
    pub body: &'s [Stmt],
    /// The extents of the index space: those of the loops, except that an inner loop counts as at least one point if
    /// something before it can fail.
    pub extents: Vec<Operand>,
    /// Loops for which the space may have a point that the loop does not have.
    pub guarded: Vec<bool>,
}

impl<'s> Nest<'s> {
    /// Takes as many loops as have extents known to the host and contain only the next one.
    pub fn of(outer: &'s For, placement: &Placement) -> Nest<'s> {
        let partials = partials_of(outer);
        let mut nest = Nest {
            loops: vec![outer],
            between: Vec::new(),
            body: &outer.body,
            extents: vec![outer.extent],
            guarded: vec![false],
        };
        let mut bound: HashSet<LocalId> = HashSet::new();
        bind(outer, &mut bound);
        while let Some((Stmt::For(inner), before)) = nest.body.split_last()
            && inner.parallel.is_some()
            && same(&partials, &partials_of(inner))
            && before.iter().all(is_repeatable)
            && knows(placement, &mut bound, before, inner)
        {
            nest.loops.push(inner);
            nest.between.push(before);
            nest.extents.push(inner.extent);
            nest.guarded.push(false);
            nest.body = &inner.body;
            bind(inner, &mut bound);
        }
        nest
    }

    /// All statements of a point.
    pub fn statements(&self) -> Vec<Stmt> {
        self.between.iter().copied().chain([self.body]).flatten().cloned().collect()
    }

    pub fn indices(&self) -> Vec<LocalId> {
        self.loops.iter().flat_map(|l| std::iter::once(l.index).chain(l.inductions.iter().map(|i| i.local))).collect()
    }

    /// The operands of the loops.
    pub fn operands(&self) -> Vec<Operand> {
        let steps = self.loops.iter().flat_map(|l| l.inductions.iter().map(|i| i.step));
        self.extents.iter().copied().chain(self.loops.iter().map(|l| l.extent)).chain(steps).collect()
    }

    /// The number of points if all extents are constants.
    pub fn constant_points(&self) -> Option<i64> {
        self.extents.iter().try_fold(1i64, |points, e| points.checked_mul(e.as_int()?.max(0)))
    }

    /// Makes sure that a check before an inner loop runs at least once, even if the inner loop is empty. Returns the
    /// host's statements that come before.
    pub fn guard(&mut self, b: &mut Builder<'_>) -> Vec<(LocalId, Expr)> {
        let mut lets = Vec::new();
        let mut fails = false;
        for k in 1..self.loops.len() {
            fails |= self.between.get(k - 1).is_some_and(|stmts| stmts.iter().any(|s| !matches!(s, Stmt::Let { .. })));
            let (Some(extent), Some(guarded)) = (self.extents.get_mut(k), self.guarded.get_mut(k)) else { break };
            match extent.as_int() {
                _ if !fails => {}
                Some(n) if n > 0 => {}
                _ => {
                    let local = b.local("some", Ty::Scalar(Scalar::I64));
                    lets.push((local, Expr::Prim(Prim::Max, vec![*extent, Operand::int(1)])));
                    *extent = local.into();
                    *guarded = true;
                }
            }
        }
        lets
    }

    /// The number of points, as a `u32`.
    pub fn points(&self, text: &mut Text<'_, '_>) -> String {
        let extents: Vec<String> = self.extents.iter().map(|&e| unsigned(text, e)).collect();
        extents.join(" * ")
    }

    /// The expressions of the indices at a point, an expression of type `u32`.
    pub fn decode(&self, text: &mut Text<'_, '_>, point: &str) -> Vec<String> {
        let integers = text.b.options.integers;
        let mut indices = Vec::new();
        let mut rest = point.to_string();
        for (k, &extent) in self.extents.iter().enumerate().rev() {
            if k == 0 {
                indices.push(integer_of(&rest, integers));
                break;
            }
            // An empty space has no points, but naga refuses to divide by 0.
            let extent = if extent.as_int().is_some_and(|n| n <= 0) { Operand::int(1) } else { extent };
            let extent = unsigned(text, extent);
            indices.push(integer_of(&format!("{rest} % {extent}"), integers));
            rest = format!("{rest} / {extent}");
            if k > 1 {
                rest = format!("({rest})");
            }
        }
        indices.reverse();
        indices
    }

    /// The statements of a point whose indices are bound. A guarded loop without iterations ends the function. Fails
    /// where [`Text::block`] does on them.
    pub fn point(&self, text: &mut Text<'_, '_>) -> Result<()> {
        for (k, l) in self.loops.iter().enumerate() {
            if self.guarded.get(k) == Some(&true) {
                let (index, extent) = (text.local(l.index), text.operand(l.extent));
                text.line(&format!("if {index} >= {extent} {{ return; }}"));
            }
            text.inductions(l);
            match self.between.get(k) {
                Some(before) => text.block(before)?,
                None => text.block(self.body)?,
            }
        }
        Ok(())
    }
}

fn unsigned(text: &mut Text<'_, '_>, extent: Operand) -> String {
    match extent.as_int() {
        Some(n) => format!("{}u", n.clamp(0, i64::from(u32::MAX))),
        None => {
            let extent = text.operand(extent);
            format!("u32({extent})")
        }
    }
}

fn partials_of(l: &For) -> Vec<Partial> {
    l.parallel.as_ref().map(|p| p.partials.clone()).unwrap_or_default()
}

fn same(a: &[Partial], b: &[Partial]) -> bool {
    let locals = |p: &[Partial]| p.iter().map(|p| p.local).collect::<Vec<_>>();
    locals(a) == locals(b)
}

fn bind(l: &For, bound: &mut HashSet<LocalId>) {
    bound.insert(l.index);
    bound.extend(l.inductions.iter().map(|i| i.local));
}

/// Whether every point may repeat a statement: it changes nothing, and is cheap.
fn is_repeatable(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Let { .. } | Stmt::Check { .. } => true,
        Stmt::If { then_body, else_body, .. } => {
            then_body.iter().chain(else_body).all(|s| matches!(s, Stmt::Check { .. }))
        }
        _ => false,
    }
}

/// Whether the host knows the extent of an inner loop, which follows `before`, and the points do not write what
/// `before` reads.
fn knows(placement: &Placement, bound: &mut HashSet<LocalId>, before: &[Stmt], inner: &For) -> bool {
    uses(before, &mut |used| {
        if let Use::Bind(local) = used {
            bound.insert(local);
        }
    });
    match inner.extent {
        Operand::Const(_) => true,
        Operand::Local(extent) => !bound.contains(&extent) && !placement.is_device(extent),
    }
}
