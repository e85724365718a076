//! Statements that the runtime executes as a whole: matrix products, sorted orders.

use super::{Address, Block, Const, Done, LocalId, Machine, Operand, Prim, ShadowFault, ShadowStop, malformed};
use crate::{MatMul, ProductAxis, Role};
use std::collections::HashSet;

impl Machine<'_> {
    /// Extents and steps of axes of these kinds, from the outermost to the innermost.
    fn axes(&mut self, product: &MatMul, inner: bool) -> Done<Vec<(i64, [i64; 3])>> {
        let wanted = |axis: &&ProductAxis| (axis.role == Role::Inner) == inner;
        let axes: Vec<ProductAxis> = product.axes.iter().filter(wanted).cloned().collect();
        let mut found = Vec::new();
        for axis in axes {
            let extent = self.extent(axis.extent)?.max(0);
            found.push((extent, [self.int(axis.into)?, self.int(axis.left)?, self.int(axis.right)?]));
        }
        Ok(found)
    }

    pub(super) fn matmul(&mut self, product: &MatMul) -> Done {
        let (outer, inner) = (points(&self.axes(product, false)?), points(&self.axes(product, true)?));
        let work = outer.len().saturating_mul(inner.len()) as u64;
        self.steps = self.steps.saturating_add(work);
        if self.steps > self.options.most_steps {
            return Err(ShadowStop::TooLong);
        }
        let zero = Operand::int(0);
        let [into, left, right] = [product.into, product.left, product.right].map(|a| self.address(a, zero));
        let (into, left, right) = (into?, left?, right?);
        let elem = self.func.ty(product.into).elem();
        let times = if product.zero_wins { Prim::MulZero } else { Prim::Mul };
        let (mut read, mut written) = (HashSet::new(), HashSet::new());
        let mut sums = Vec::new();
        for &[_, l, r] in &outer {
            let mut sum: Option<Const> = None;
            for &[_, a, b] in &inner {
                let from = [moved(left, l.wrapping_add(a)), moved(right, r.wrapping_add(b))];
                read.extend(from.map(|f| (f.block, f.at)));
                let factors = from.map(|f| self.memory.load(self.func, f).unwrap_or(Const::zero(elem)));
                let term = times.eval(&factors);
                sum = match (sum, term) {
                    (Some(sum), Some(term)) => Prim::Add.eval(&[sum, term]),
                    (None, term) => term,
                    _ => return malformed("a matrix product of no floats"),
                };
            }
            sums.push(sum.unwrap_or(Const::zero(elem)));
        }
        for (&[at, _, _], sum) in outer.iter().zip(sums) {
            let place = moved(into, at);
            written.insert((place.block, place.at));
            let value = if product.accumulate {
                let old = self.memory.load(self.func, place).unwrap_or(Const::zero(elem));
                Prim::Add.eval(&[old, sum])
            } else {
                Some(sum)
            };
            let Some(value) = value else { return malformed("a matrix product of no floats") };
            self.memory.store(self.func, place, value);
        }
        if !read.is_disjoint(&written) {
            let name = self.func.locals[into.name].name.clone();
            self.memory.fault(ShadowFault::Overlap { name });
        }
        Ok(())
    }

    pub(super) fn argsort(&mut self, into: (LocalId, Block), keys: (LocalId, Block), length: i64) -> Done {
        let count = self.memory.length(keys.1);
        if count != self.memory.length(into.1) {
            return malformed("orders of another number of elements");
        }
        let Some(row) = usize::try_from(length).ok().filter(|&row| row > 0) else { return Ok(()) };
        let at = |(name, block): (LocalId, Block), k: usize| Address { block, at: k as i64, name, data: name };
        for start in (0..count).step_by(row) {
            let end = (start + row).min(count);
            for k in start..end {
                self.memory.load(self.func, at(keys, k));
            }
            let Some(data) = self.memory.data(keys.1) else { return Ok(()) };
            let mut order: Vec<usize> = (start..end).collect();
            order.sort_by(|&a, &b| data.order(a, b));
            for (k, found) in order.into_iter().enumerate() {
                let value = Const::I64((found - start) as i64);
                self.memory.store(self.func, at(into, start + k), value);
            }
        }
        Ok(())
    }
}

fn moved(address: Address, by: i64) -> Address {
    Address { at: address.at.wrapping_add(by), ..address }
}

/// All points of axes, in order, with their offsets from the first in each array.
fn points(axes: &[(i64, [i64; 3])]) -> Vec<[i64; 3]> {
    let mut all = vec![[0; 3]];
    for &(extent, steps) in axes {
        let next = |point: [i64; 3], k: i64| {
            let mut place = point;
            place.iter_mut().zip(steps).for_each(|(p, step)| *p = p.wrapping_add(step.wrapping_mul(k)));
            place
        };
        all = all.into_iter().flat_map(|point| (0..extent).map(move |k| next(point, k))).collect();
    }
    all
}
