//! Checks: omitted where they are known to hold, and hoisted before a loop that does not change their operands.

use crate::emit::{Emitter, Opened};
use crate::{Demand, Operand, Origin, SpanId, Stmt};
use arr_ir::Prim;

impl Emitter {
    /// Emits a check, unless it is known to hold here.
    pub fn check(&mut self, demand: Demand, args: Vec<Operand>, span: SpanId) {
        if holds(demand, &args) || self.checked.contains(&(demand, args.clone())) {
            return;
        }
        let check = Stmt::Check { demand, args: args.clone(), span };
        if args.iter().any(|&a| self.is_mutable(a)) {
            return self.push(check);
        }
        let known_in = self.emit_check(&args, check);
        self.checked.insert((demand, args.clone()));
        if let Some(open) = self.stack.get_mut(known_in) {
            open.checked.push((demand, args));
        }
    }

    /// Emits a check before the outermost loop in whose first iteration nothing else can fail earlier and that does not
    /// change its operands. An empty loop checks nothing, so the check is made only if the loops passed have iterations.
    /// The result is the depth of the block in which the check is known to hold from here on.
    fn emit_check(&mut self, args: &[Operand], check: Stmt) -> usize {
        let needs = args.iter().map(|&a| self.depth_of(a)).max().unwrap_or(0);
        let mut depth = self.current();
        let mut passed: Vec<Operand> = Vec::new();
        while let Some(open) = self.stack.get(depth)
            && let Opened::Loop { extent, origin: Origin::Kernel, .. } = open.kind
            && !open.fallible
            && needs < depth
            && passed.iter().all(|&e| self.depth_of(e) < depth)
            && !self.is_mutable(extent)
        {
            if extent.as_int().is_none_or(|n| n <= 0) {
                passed.push(extent);
            }
            depth -= 1;
        }
        let known_in = if depth == self.current() { depth } else { depth + 1 };
        let check = passed.into_iter().fold(check, |check, extent| {
            let zero = Operand::int(0);
            match self.prim("some", Prim::Gt, vec![extent, zero]) {
                Some(cond) => Stmt::If { cond, then_body: vec![check], else_body: Vec::new() },
                None => check,
            }
        });
        self.push_at(depth, check);
        if let Some(open) = self.stack.get_mut(depth) {
            open.fallible = true;
        }
        known_in
    }
}

/// Whether constants alone satisfy the demand.
fn holds(demand: Demand, args: &[Operand]) -> bool {
    if let (Demand::SizeEq, [a, b]) = (demand, args) {
        return a == b;
    }
    let ints: Option<Vec<i64>> = args.iter().map(|a| a.as_int()).collect();
    match (demand, ints.as_deref()) {
        (Demand::Index | Demand::Element | Demand::Place, Some([i, n])) => 0 <= *i && i < n,
        (Demand::Slice, Some([lo, hi, n])) => 0 <= *lo && lo <= hi && hi <= n,
        (Demand::NonZero, Some([d])) => *d != 0,
        (Demand::SizeNonNeg, Some([n])) => *n >= 0,
        (Demand::NonEmpty | Demand::Step, Some([n])) => *n > 0,
        (Demand::SizeSum, Some([a, b])) => a.checked_add(*b).is_some(),
        (Demand::SizeProduct, Some(sizes)) => sizes.iter().try_fold(1i64, |n, &size| n.checked_mul(size)).is_some(),
        _ => false,
    }
}
