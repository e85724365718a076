//! Kernels that are matrix products, under relaxed arithmetic.
//!
//! Such a kernel is lowered twice, and sizes choose at run time: as the plain nest, and as one `matmul` per product
//! with a nest for the rest (a bias, an activation). A product that is itself a result is written to its destination.
//! Of the others the first is written into a result that the nest overwrites, and is read there by the same point just
//! before; the rest have buffers of their own. Products that are only added to each other are one sum.
//!
//! The nest reaches such a product by the one name that the buffer has, so that analyses of the nest see that it loads
//! and stores one array (two names promise that nothing written through one is read through the other). Where vector
//! code may abandon a point and restart it, no product is kept in a result: by then it could have been overwritten.
//!
//! A product with a strong zero (`mulz`) is a matrix product as well: a zero that should have won makes the sum NaN,
//! and only sums that are NaN are recomputed.

use super::product_checks::has_effects;
use super::{Lowerer, Result, ill_formed};
use crate::address::{ElementAddress, data, place};
use crate::emit::{Motion, Opened};
use crate::{Expr, LocalId, MatMul, Operand, ProductAxis, Role, Ty};
use arr_ir::rewrite::any_op;
use arr_ir::{
    Affine, Atom, Axis, Block, Coefficient, Const, Contraction, Factor, Func, Op, Prim, Scalar, Stmt, VarId,
    contractions,
};
use std::collections::{BTreeMap, BTreeSet};

/// Products with at least this many multiplications in all are worth a call: below, the call and the packing of operands
/// take longer than the plain nest.
const WORTH_A_CALL: i64 = 4_096;

/// The matrix products of a kernel.
pub(super) struct Products {
    /// The first takes the place of a result.
    pub(super) sums: Vec<Sum>,
}

pub(super) struct Sum {
    pub(super) products: Vec<Contraction>,
    /// The variable of the body that is the sum.
    pub(super) var: VarId,
    /// The variables of the body that are part of it and nothing else: the products, and sums of some of them.
    parts: Vec<VarId>,
    /// The axes of the build that it varies with.
    pub(super) axes: Vec<usize>,
}

/// A sum in memory, in place of the statement that binds its variable.
#[derive(Clone)]
pub(super) struct Stored {
    buffer: LocalId,
    dims: Vec<Operand>,
    /// The indices of its axes.
    index: Vec<VarId>,
    /// The factors still to be applied.
    scale: Vec<Atom>,
    negated: bool,
    zero_wins: bool,
    /// To be released after the kernel.
    own: bool,
}

impl Lowerer<'_> {
    /// A plan for a build of scalars with matrix products, if it has any.
    pub(super) fn products(&self, axes: &[Axis], body: &Block) -> Option<Products> {
        if !self.options.relaxed || self.options.check_all {
            return None;
        }
        if !body.results.iter().all(|&a| self.func.atom_ty(a).is_scalar()) {
            return None;
        }
        let found = contractions(self.func, axes, body);
        if found.is_empty() || !self.stand_alone(axes, body, &found) {
            return None;
        }
        let sums = found
            .into_iter()
            .map(|p| Sum { var: p.var, parts: vec![p.var], axes: varying(&p), products: vec![p] })
            .collect();
        let mut products = Products { sums };
        self.join_sums(&mut products.sums, body);
        // The largest first: it is stored in the result.
        products.sums.sort_by_key(|s| std::cmp::Reverse(s.axes.len()));
        Some(products)
    }

    /// `add p, q` of two products that nothing else uses is one sum.
    fn join_sums(&self, sums: &mut Vec<Sum>, body: &Block) {
        let mut uses: BTreeMap<VarId, usize> = BTreeMap::new();
        let mut count = |v: VarId| *uses.entry(v).or_insert(0) += 1;
        body.stmts.iter().for_each(|s| arr_ir::walk::for_each_use(self.func, &s.op, &mut count));
        body.results.iter().filter_map(|a| a.var()).for_each(&mut count);
        for stmt in &body.stmts {
            let (Op::Prim(Prim::Add, args), [var]) = (&stmt.op, stmt.vars.as_slice()) else { continue };
            let [Atom::Var(a), Atom::Var(b)] = *args.as_slice() else { continue };
            let find = |v: VarId| sums.iter().position(|s| s.var == v && s.is_plain() && uses.get(&v) == Some(&1));
            let (Some(i), Some(j)) = (find(a), find(b)) else { continue };
            let same = sums.get(i).map(|s| &s.axes) == sums.get(j).map(|s| &s.axes);
            if i == j || !same {
                continue;
            }
            let second = sums.remove(j);
            if let Some(first) = sums.get_mut(if j < i { i - 1 } else { i }) {
                first.var = *var;
                first.parts.push(*var);
                first.parts.extend(second.parts);
                first.products.extend(second.products);
            }
        }
    }

    /// Whether a kernel should be computed by products: a size, compared at run time.
    pub(super) fn worth_products(&mut self, axes: &[Axis], products: &Products) -> Result<Operand> {
        let mut worth = Operand::Const(Const::Bool(false));
        for product in products.sums.iter().flat_map(|s| &s.products) {
            let mut count = Operand::int(1);
            let outer = product.rows.iter().chain(&product.columns).filter_map(|&k| axes.get(k));
            for axis in outer.chain(&product.inner).copied().collect::<Vec<Axis>>() {
                let extent = self.size(axis.extent)?;
                count = self.emit.int(Prim::Mul, count, extent);
            }
            let large = match count {
                Operand::Local(_) if self.options.any_product => Operand::Const(Const::Bool(true)),
                _ => self.prim_of(Prim::Ge, vec![count, Operand::int(WORTH_A_CALL)])?,
            };
            worth = match (worth, large) {
                (Operand::Const(c), other) if c.as_bool() == Some(false) => other,
                (Operand::Const(c), _) | (_, Operand::Const(c)) if c.as_bool() == Some(true) => c.into(),
                (one, Operand::Const(_)) => one,
                (one, other) => self.prim_of(Prim::Or, vec![one, other])?,
            };
        }
        for scale in products.sums.iter().flat_map(|s| &s.products).flat_map(|p| p.scale.clone()) {
            // An infinity or NaN as a factor of every term differs from one as a factor of their sum.
            let factor = self.atom(scale)?;
            let size = self.prim_of(Prim::Abs, vec![factor])?;
            let infinity = match self.emit.func.elem(factor) {
                Scalar::F32 => Const::F32(f32::INFINITY),
                _ => Const::F64(f64::INFINITY),
            };
            let finite = self.prim_of(Prim::Lt, vec![size, infinity.into()])?;
            worth = self.prim_of(Prim::And, vec![worth, finite])?;
        }
        Ok(worth)
    }

    /// Emits the products, then the nest over the rest. `outputs` are the buffers of the results, with their axes.
    pub(super) fn build_by_products(
        &mut self,
        axes: &[Axis],
        body: &Block,
        products: &Products,
        outputs: &[(LocalId, Vec<Operand>)],
    ) -> Result<()> {
        // A sum that is a result is stored there; another is stored in a free result if there is one.
        let result_of = |var: VarId| body.results.iter().position(|a| *a == Atom::Var(var));
        let mut free: Vec<(usize, LocalId)> = outputs.iter().map(|(buffer, _)| *buffer).enumerate().collect();
        let mut stored: Vec<(VarId, Stored)> = Vec::new();
        let mut done: BTreeSet<usize> = BTreeSet::new();
        for own in [true, false] {
            if !own && may_be_left(self.func, body) {
                free.clear();
            }
            for sum in products.sums.iter().filter(|s| (result_of(s.var).is_some() && s.is_finished()) == own) {
                let place = result_of(sum.var).filter(|_| own);
                let one = self.store_sum(axes, sum, &mut free, place)?;
                done.extend(place.filter(|_| !one.own));
                stored.push((sum.var, one));
            }
        }
        // The nest computes what is left, and checks.
        let finished = done.len() == outputs.len();
        if !finished || has_effects(self.func, body) {
            // A part of a sum does not exist by itself.
            let parts = products.sums.iter().flat_map(|s| &s.parts).map(|&v| (v, None)).collect();
            let around = std::mem::replace(&mut self.stored, parts);
            self.stored.extend(stored.iter().cloned().map(|(var, one)| (var, Some(one))));
            self.build_by_points(axes, body, outputs, &done)?;
            self.stored = around;
        }
        for (_, one) in stored.iter().filter(|(_, s)| s.own) {
            self.emit.push(crate::Stmt::Release(one.buffer));
        }
        Ok(())
    }

    /// In the nest after the products: binds the variable of a statement whose value is in memory. Returns whether it
    /// was one.
    pub(super) fn load_stored(&mut self, stmt: &Stmt) -> Result<bool> {
        let [var] = *stmt.vars.as_slice() else { return Ok(false) };
        let Some(stored) = self.stored.get(&var).cloned() else { return Ok(false) };
        let Some(one) = stored else { return Ok(true) };
        let index = one.index.iter().map(|&i| self.value(i)).collect::<Result<Vec<Operand>>>()?;
        let from = place(&mut self.emit, one.buffer, &one.dims, &index);
        let ty = Ty::Scalar(self.emit.func.ty(one.buffer).elem());
        let name = self.func.name(var).to_string();
        let mut value: Operand = self.emit.let_here(&name, ty, Expr::Load(from.address, from.offset)).into();
        for &factor in &one.scale {
            let factor = self.atom(factor)?;
            let times = if one.zero_wins { Prim::MulZero } else { Prim::Mul };
            value = self.prim_of(times, vec![value, factor])?;
        }
        if one.negated {
            value = self.prim_of(Prim::Neg, vec![value])?;
        }
        self.bind(var, value);
        Ok(true)
    }

    fn extents_of(&mut self, axes: &[Axis], which: &[usize]) -> Result<Vec<Operand>> {
        let own = |&k: &usize| axes.get(k).map(|a| a.extent);
        let sizes: Option<Vec<_>> = which.iter().map(own).collect();
        let sizes = sizes.ok_or_else(|| ill_formed("a matrix product has an axis that its kernel has not"))?;
        self.dims(&sizes)
    }

    /// Emits the products of a sum: into the result that it is, another that is still free, or a buffer of their own.
    fn store_sum(
        &mut self,
        axes: &[Axis],
        sum: &Sum,
        free: &mut Vec<(usize, LocalId)>,
        result: Option<usize>,
    ) -> Result<Stored> {
        let dims = self.extents_of(axes, &sum.axes)?;
        let elem = self.func.ty(sum.var).elem;
        let whole = sum.axes.len() == axes.len();
        let fits = |(k, b): &(usize, LocalId)| {
            whole && self.emit.func.ty(*b).elem() == elem && result.is_none_or(|result| result == *k)
        };
        let place = free.iter().position(fits);
        let own = place.is_none();
        let buffer = match place {
            Some(k) => free.remove(k).1,
            None => {
                let local = self.emit.local(self.func.name(sum.var), Ty::Buffer(elem));
                let span = self.place();
                self.emit.push(crate::Stmt::Alloc { local, dims: dims.clone(), span });
                local
            }
        };
        for (k, product) in sum.products.iter().enumerate() {
            self.matmul(axes, product, buffer, &sum.axes, &dims, k > 0)?;
        }
        let (scale, negated, zero_wins) = match sum.products.as_slice() {
            [one] => (one.scale.clone(), one.negated, one.zero_wins),
            _ => (Vec::new(), false, false),
        };
        let index = sum.axes.iter().filter_map(|&k| axes.get(k)).map(|a| a.index).collect();
        Ok(Stored { buffer, dims, index, scale, negated, zero_wins, own })
    }

    pub(super) fn matmul(
        &mut self,
        axes: &[Axis],
        product: &Contraction,
        buffer: LocalId,
        stored: &[usize],
        dims: &[Operand],
        accumulate: bool,
    ) -> Result<()> {
        let [left, right] = &product.factors;
        let (left_dims, right_dims) = (self.dims_of(left.array)?, self.dims_of(right.array)?);
        let mut rows: Vec<ProductAxis> = Vec::new();
        for (role, which) in
            [(Role::Batch, &product.batch), (Role::Row, &product.rows), (Role::Column, &product.columns)]
        {
            for &k in which {
                let (Some(axis), Some(at)) = (axes.get(k), stored.iter().position(|&s| s == k)) else {
                    return Err(ill_formed("a matrix product has an axis that its kernel has not"));
                };
                let into = self.distance(dims, at)?;
                rows.push(self.product_axis(role, axis, into, (left, &left_dims), (right, &right_dims))?);
            }
        }
        for axis in &product.inner {
            let into = Operand::int(0);
            rows.push(self.product_axis(Role::Inner, axis, into, (left, &left_dims), (right, &right_dims))?);
        }
        let (left, right) = (self.start(left, &left_dims)?, self.start(right, &right_dims)?);
        let into = data(&mut self.emit, buffer);
        let zero_wins = product.zero_wins;
        let span = self.section_place();
        let matmul = MatMul { into, left, right, axes: rows, accumulate, zero_wins, span };
        self.emit.push(crate::Stmt::MatMul(Box::new(matmul)));
        Ok(())
    }

    fn dims_of(&mut self, array: VarId) -> Result<Vec<Operand>> {
        let sizes = self.func.ty(array).dims.clone();
        self.dims(&sizes)
    }

    fn product_of(&mut self, dims: &[Operand]) -> Operand {
        dims.iter().fold(Operand::int(1), |count, &d| self.emit.int(Prim::Mul, count, d))
    }

    /// The stride of an axis in elements.
    fn distance(&mut self, dims: &[Operand], axis: usize) -> Result<Operand> {
        let inner = dims.get(axis + 1..).ok_or_else(|| ill_formed("an index has more axes than its array"))?;
        Ok(self.product_of(inner))
    }

    fn product_axis(
        &mut self,
        role: Role,
        axis: &Axis,
        into: Operand,
        left: (&Factor, &[Operand]),
        right: (&Factor, &[Operand]),
    ) -> Result<ProductAxis> {
        let extent = self.size(axis.extent)?;
        let left = self.stride(left.0, left.1, axis.index)?;
        let right = self.stride(right.0, right.1, axis.index)?;
        Ok(ProductAxis { role, extent, into, left, right })
    }

    /// By how many elements the address of an operand moves when an index grows by one.
    fn stride(&mut self, factor: &Factor, dims: &[Operand], axis: VarId) -> Result<Operand> {
        let mut sum = Operand::int(0);
        for (k, component) in factor.index.iter().enumerate() {
            for (_, coefficient) in component.terms.iter().filter(|(v, _)| *v == axis) {
                let step = self.distance(dims, k)?;
                let by = self.coefficient(*coefficient)?;
                let by = self.emit.int(Prim::Mul, step, by);
                sum = self.emit.int(Prim::Add, sum, by);
            }
        }
        Ok(sum)
    }

    fn coefficient(&mut self, coefficient: Coefficient) -> Result<Operand> {
        let number = Operand::int(coefficient.number);
        match coefficient.factor {
            Some(v) => {
                let v = self.value(v)?;
                Ok(self.emit.int(Prim::Mul, v, number))
            }
            None => Ok(number),
        }
    }

    /// The address of an operand's first element.
    fn start(&mut self, factor: &Factor, dims: &[Operand]) -> Result<LocalId> {
        let index = factor.index.iter().map(|a| self.rest(a)).collect::<Result<Vec<Operand>>>()?;
        let buffer = self.buffer(factor.array)?;
        let ElementAddress { address, offset } = place(&mut self.emit, buffer, dims, &index);
        if offset.as_int() == Some(0) {
            return Ok(address);
        }
        let ty = self.emit.func.ty(address);
        Ok(self.emit.pure("start", ty, Expr::Offset(address, offset), Motion::Stay))
    }

    fn rest(&mut self, affine: &Affine) -> Result<Operand> {
        let mut sum = Operand::int(0);
        for &c in &affine.rest {
            let c = self.coefficient(c)?;
            sum = self.emit.int(Prim::Add, sum, c);
        }
        Ok(sum)
    }

    /// Emits one of two versions of a kernel, chosen by a condition.
    pub(super) fn choose(
        &mut self,
        cond: Operand,
        one: &mut dyn FnMut(&mut Self) -> Result<()>,
        other: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        match cond {
            Operand::Const(c) if c.as_bool() == Some(true) => one(self),
            Operand::Const(_) => other(self),
            Operand::Local(_) => {
                self.emit.open(Opened::Branch);
                one(self)?;
                let then_body = self.emit.close().stmts;
                self.emit.open(Opened::Branch);
                other(self)?;
                let else_body = self.emit.close().stmts;
                self.emit.push(crate::Stmt::If { cond, then_body, else_body });
                Ok(())
            }
        }
    }
}

impl Sum {
    /// Whether the stored value is final.
    pub(super) fn is_finished(&self) -> bool {
        self.products.iter().all(|p| p.scale.is_empty() && !p.negated)
    }

    /// Whether more can be added to it in place.
    fn is_plain(&self) -> bool {
        self.products.iter().all(|p| p.scale.is_empty() && !p.negated && !p.zero_wins)
    }
}

/// The axes of the build that a product varies with, in order.
fn varying(product: &Contraction) -> Vec<usize> {
    let mut axes: Vec<usize> =
        [&product.batch, &product.rows, &product.columns].into_iter().flatten().copied().collect();
    axes.sort_unstable();
    axes
}

/// Whether vector code may abandon a point of a kernel and restart it: if an index is outside, or an angle is large.
fn may_be_left(func: &Func, body: &Block) -> bool {
    let mut leaves = |op: &Op| matches!(op, Op::Prim(Prim::Sin | Prim::Cos | Prim::Tan, _)) || op.may_fail(func);
    body.stmts.iter().any(|stmt| any_op(&stmt.op, &mut leaves))
}
