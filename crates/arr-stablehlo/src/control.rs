//! Statements: arrays at the level of the function, scalar code in kernels, branches and loops in both.

use crate::choices::are_few;
use crate::error::{Result, internal};
use crate::space::Emitter;
use crate::text::Region;
use crate::traps::SiteKind;
use crate::values::{Arr, AxisId, Bound, Range, Scal, Val, union};
use arr_ir::{Atom, Axis, Block, Check, Const, Op, Prim, Stmt, VarId};

/// XLA ends the process where a tensor has so many elements that the number of bytes overflows.
const MOST_POINTS: f64 = 1.8e15;

impl Emitter<'_> {
    pub(crate) fn block(&mut self, block: &Block) -> Result<()> {
        block.stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    pub(crate) fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        self.here = stmt.span.or(self.here);
        match &stmt.op {
            Op::Build { axes, body } => self.build(stmt, axes, body),
            Op::Reduce { kind, axes, body } => {
                let values = self.reduce(*kind, axes, body)?;
                self.bind_all(&stmt.vars, values.into_iter().map(Bound::Scalar).collect())
            }
            Op::Scatter { kind, dest, axes, body, checked } => {
                let array = self.scatter(*kind, *dest, axes, body, *checked)?;
                self.bind_all(&stmt.vars, vec![Bound::Array(array)])
            }
            Op::Loop { axis, reverse, inits, body } => self.counted(stmt, *axis, *reverse, inits, body),
            Op::While { inits, cond, body } => self.conditional(stmt, inits, cond, body),
            Op::If { cond, then_block, else_block } => self.branch(stmt, *cond, then_block, else_block),
            Op::Check { kind, args } => {
                let args = args.iter().map(|&a| self.operand(a)).collect::<Result<Vec<Scal>>>()?;
                self.demand(*kind, &args)
            }
            // Nobody listens to a module.
            Op::Trace { .. } => Ok(()),
            Op::Custom { inputs, body, .. } => {
                for (&param, &input) in body.params.iter().zip(inputs) {
                    let bound = self.bound(input)?;
                    self.bind(param, bound);
                }
                self.block(body)?;
                let results = self.results(body)?;
                self.bind_all(&stmt.vars, results)
            }
            Op::Barrier(atoms) => {
                let values = atoms.iter().map(|&a| self.bound(a)).collect::<Result<Vec<Bound>>>()?;
                let values = self.barrier(values)?;
                self.bind_all(&stmt.vars, values)
            }
            op => {
                let value = self.single(op, stmt.vars.first().copied())?;
                self.bind_all(&stmt.vars, vec![value])
            }
        }
    }

    /// An operation with one result and without blocks.
    fn single(&mut self, op: &Op, var: Option<VarId>) -> Result<Bound> {
        let hint = var.map_or(String::new(), |v| self.hint(v));
        Ok(match op {
            Op::Prim(prim, args) => {
                let lazy = matches!(prim, Prim::Mul | Prim::MulZero | Prim::Neg);
                let args = args
                    .iter()
                    .map(|&a| if lazy { self.scalar(a) } else { self.operand(a) })
                    .collect::<Result<Vec<Scal>>>()?;
                Bound::Scalar(self.prim(*prim, &args, &hint)?)
            }
            Op::Size(size) => Bound::Scalar(self.size(*size)?),
            Op::Literal(literal) => Bound::Array(self.literal(literal, &hint)),
            Op::Read { array, index, checked } => {
                let index = index.iter().map(|&a| self.operand(a)).collect::<Result<Vec<Scal>>>()?;
                if *checked {
                    self.all_inside(*array, &index)?;
                }
                let array = self.array(*array)?;
                self.reading = var;
                let read = self.read(&array, &index, &hint)?;
                self.reading = None;
                Bound::Scalar(read)
            }
            Op::StopGradient(atom) => self.bound(*atom)?,
            Op::Reshape(array) => Bound::Array(self.reshape(*array, var)?),
            Op::Argsort(array) => Bound::Array(self.argsort(*array, &hint)?),
            _ => return internal("an operation is left that has no meaning after differentiation"),
        })
    }

    pub(crate) fn bind_all(&mut self, vars: &[VarId], values: Vec<Bound>) -> Result<()> {
        if vars.len() != values.len() {
            return internal("wrong number of results");
        }
        for (&var, value) in vars.iter().zip(values) {
            self.bind(var, value);
        }
        Ok(())
    }

    pub(crate) fn results(&mut self, block: &Block) -> Result<Vec<Bound>> {
        block.results.iter().map(|&a| self.bound(a)).collect()
    }

    fn demand(&mut self, kind: Check, args: &[Scal]) -> Result<()> {
        let zero = Scal::Const(Const::I64(0));
        let (kind, fine) = match (kind, args) {
            (Check::Index, [index, extent]) => return self.inside(index, extent),
            (Check::SizeEq, [found, expected]) => {
                (SiteKind::SizeEq, self.prim(Prim::Eq, &[found.clone(), expected.clone()], "same")?)
            }
            (Check::SizeNonNeg, [size]) => (SiteKind::SizeNonNeg, self.prim(Prim::Ge, &[size.clone(), zero], "fine")?),
            (Check::NonEmpty, [size]) => (SiteKind::NonEmpty, self.prim(Prim::Gt, &[size.clone(), zero], "some")?),
            (Check::Step, [step]) => (SiteKind::Step, self.prim(Prim::Gt, &[step.clone(), zero], "fine")?),
            (Check::Slice, [lo, hi, extent]) => {
                let start = self.prim(Prim::Le, &[zero, lo.clone()], "fine")?;
                let order = self.prim(Prim::Le, &[lo.clone(), hi.clone()], "fine")?;
                let end = self.prim(Prim::Le, &[hi.clone(), extent.clone()], "fine")?;
                let fine = self.and(&start, &order)?;
                (SiteKind::Slice, self.and(&fine, &end)?)
            }
            _ => return internal("a check has other operands"),
        };
        self.check(&fine, kind, args)
    }

    /// Demands that an index is inside an array: where data decide how long that is, it has more room.
    pub(crate) fn all_inside(&mut self, array: VarId, index: &[Scal]) -> Result<()> {
        let dims = self.func.ty(array).dims.clone();
        for (i, dim) in index.iter().zip(dims) {
            let extent = self.size(dim)?;
            self.inside(i, &extent)?;
        }
        Ok(())
    }

    /// Demands that an index is inside an extent.
    pub(crate) fn inside(&mut self, index: &Scal, extent: &Scal) -> Result<()> {
        let (Range(least, most), Range(size, _)) = (self.range(index), self.range(extent));
        if least >= 0 && most < size {
            return Ok(());
        }
        let zero = Scal::Const(Const::I64(0));
        let low = self.prim(Prim::Ge, &[index.clone(), zero], "low")?;
        let high = self.prim(Prim::Lt, &[index.clone(), extent.clone()], "high")?;
        let fine = self.and(&low, &high)?;
        self.check(&fine, SiteKind::Index, &[index.clone(), extent.clone()])
    }

    /// A value as one of a list in text.
    pub(crate) fn carried(&mut self, bound: &Bound) -> Result<(String, String)> {
        Ok(match bound {
            Bound::Array(array) => (array.name.clone(), array.ty()),
            Bound::Scalar(scal) => {
                let v = self.val(scal)?;
                let ty = self.val_ty(&v);
                (v.name, ty)
            }
        })
    }

    // Kernels.

    /// Enters axes. Returns them, and how many conditions they add.
    pub(crate) fn enter(&mut self, axes: &[Axis]) -> Result<(Vec<AxisId>, usize)> {
        let (mut ids, mut conditions) = (Vec::new(), 0);
        for axis in axes {
            let extent = self.extent(axis.extent)?;
            let id = self.axis(extent.bound);
            let index = self.index(id);
            self.bind(axis.index, Bound::Scalar(index.clone()));
            self.space.push(id);
            ids.push(id);
            let points = self.dims(&self.space).iter().fold(1.0, |n, &d| n * d as f64);
            if points > MOST_POINTS {
                return self.unsupported(format!("there are {points:e} points, and there is no room for so many"));
            }
            if let Some(exact) = extent.exact {
                let inside = self.prim(Prim::Lt, &[index, exact], "inside")?;
                self.active.push(inside);
                conditions += 1;
            }
        }
        Ok((ids, conditions))
    }

    pub(crate) fn leave(&mut self, axes: &[AxisId], conditions: usize) {
        self.space.truncate(self.space.len() - axes.len());
        self.active.truncate(self.active.len() - conditions);
    }

    fn build(&mut self, stmt: &Stmt, axes: &[Axis], body: &Block) -> Result<()> {
        if !self.space.is_empty() {
            return internal("an array is made in scalar code");
        }
        if let Some(pieces) = self.piecewise(axes, body)? {
            return self.build_pieces(stmt, axes, pieces, body);
        }
        let (ids, conditions) = self.enter(axes)?;
        self.block(body)?;
        let mut arrays = Vec::new();
        for &result in &body.results {
            let scal = self.operand(result)?;
            let name = self.widened(&scal, &ids)?;
            let dims = self.dims(&ids);
            let range = Some(self.range(&scal)).filter(|&range| are_few(range)).unwrap_or(Range::ANY);
            arrays.push(Bound::Array(Arr { ragged: conditions > 0, range, ..Arr::new(name, dims, scal.elem()) }));
        }
        self.leave(&ids, conditions);
        self.leave_lanes(&ids)?;
        self.bind_all(&stmt.vars, arrays)
    }

    // Branches.

    fn branch(&mut self, stmt: &Stmt, cond: Atom, then_block: &Block, else_block: &Block) -> Result<()> {
        let cond = self.operand(cond)?;
        if let Some(known) = cond.as_const().and_then(Const::as_bool) {
            let block = if known { then_block } else { else_block };
            self.block(block)?;
            let results = self.results(block)?;
            return self.bind_all(&stmt.vars, results);
        }
        let blocks = [then_block, else_block];
        let fails = blocks.iter().any(|block| self.can_fail(block));
        let loops = blocks.iter().any(|block| block.stmts.iter().any(|s| !s.op.blocks().is_empty()));
        if self.space.is_empty() || cond.axes().is_empty() && loops && !fails {
            return self.case(stmt, &cond, blocks, fails);
        }
        let mut sides = Vec::new();
        for (k, block) in blocks.into_iter().enumerate() {
            let here = if k == 0 { cond.clone() } else { self.not(&cond)? };
            self.active.push(here);
            self.block(block)?;
            self.active.pop();
            sides.push(self.results(block)?);
        }
        let [yes, no] = sides.as_slice() else { return internal("a branch has other sides") };
        let mut values = Vec::new();
        for ((yes, no), &var) in yes.iter().zip(no).zip(&stmt.vars) {
            let (Bound::Scalar(yes), Bound::Scalar(no)) = (yes, no) else {
                return internal("an array comes out of a branch in scalar code");
            };
            let hint = self.hint(var);
            values.push(Bound::Scalar(self.prim(Prim::Select, &[cond.clone(), yes.clone(), no.clone()], &hint)?));
        }
        self.bind_all(&stmt.vars, values)
    }

    /// Only one side runs.
    fn case(&mut self, stmt: &Stmt, cond: &Scal, blocks: [&Block; 2], fails: bool) -> Result<()> {
        let fails = fails && self.space.is_empty();
        let before = self.trap.clone();
        let old = if fails { Some(self.trap()) } else { None };
        let mut sides = Vec::new();
        for block in blocks {
            self.trap = old.clone().or(before.clone());
            sides.push(self.side(block, fails)?);
        }
        self.trap = before;
        let cond = self.val(cond)?.name;
        let [a, b] = sides.as_slice() else { return internal("a branch has other sides") };
        let mut merged = Vec::new();
        for (a, b) in a.results.iter().zip(&b.results) {
            merged.push(self.merged(a, b)?);
        }
        let (mut texts, mut types) = (Vec::new(), Vec::new());
        for side in sides {
            let text;
            (text, types) = self.side_text(side, &merged)?;
            texts.push(text);
        }
        if types.is_empty() {
            return Ok(());
        }
        let mut names = self.text.choice("if", &cond, [&texts[0], &texts[1]], &types);
        if fails {
            self.trap = names.pop();
        }
        let values = merged.iter().zip(names).map(|(m, name)| with_name(m, name)).collect();
        self.bind_all(&stmt.vars, values)
    }

    /// Runs one side in a region of its own, which is left open for the end.
    fn side(&mut self, block: &Block, fails: bool) -> Result<Side> {
        self.text.open();
        self.block(block)?;
        let results = self.results(block)?;
        let trap = if fails { Some(self.trap()) } else { None };
        Ok(Side { region: self.text.close(), results, trap })
    }

    /// The text of a side that ends with these values, and their types.
    fn side_text(&mut self, side: Side, merged: &[Bound]) -> Result<(String, Vec<String>)> {
        self.text.reopen(side.region);
        let (mut names, mut types) = (Vec::new(), Vec::new());
        for (result, merged) in side.results.iter().zip(merged) {
            let (name, ty) = self.as_merged(result, merged)?;
            names.push(name);
            types.push(ty);
        }
        if let Some(trap) = side.trap {
            names.push(trap);
            types.push("tensor<4xi64>".to_string());
        }
        self.text.line(returned(&names, &types));
        Ok((self.text.close().indented(), types))
    }

    /// A value that can be either.
    fn merged(&self, a: &Bound, b: &Bound) -> Result<Bound> {
        match (a, b) {
            (Bound::Array(a), Bound::Array(b)) if a.dims == b.dims => {
                Ok(Bound::Array(Arr { ragged: a.ragged || b.ragged, range: Range::ANY, ..a.clone() }))
            }
            (Bound::Array(_), Bound::Array(_)) => {
                self.unsupported("an array has one size where a condition holds and another where it does not")
            }
            (Bound::Scalar(a), Bound::Scalar(b)) => {
                let (axes, elem) = (union(&[a.axes(), b.axes()]), a.elem());
                let range = self.range(a).or(self.range(b));
                Ok(Bound::Scalar(Scal::Tensor(Val::new(String::new(), axes, elem).within(range))))
            }
            _ => internal("a scalar and an array are one value"),
        }
    }

    fn as_merged(&mut self, value: &Bound, merged: &Bound) -> Result<(String, String)> {
        match (value, merged) {
            (Bound::Scalar(scal), Bound::Scalar(Scal::Tensor(like))) => {
                Ok((self.widened(scal, &like.axes)?, self.val_ty(like)))
            }
            (value, _) => self.carried(value),
        }
    }
}

/// One side of a branch: its lines, its results, and its failure if there can be one.
struct Side {
    region: Region,
    results: Vec<Bound>,
    trap: Option<String>,
}

/// The same kind of value with another name.
pub(crate) fn with_name(bound: &Bound, name: String) -> Bound {
    match bound {
        Bound::Array(array) => Bound::Array(Arr { name, range: Range::ANY, ..array.clone() }),
        Bound::Scalar(Scal::Tensor(v)) => Bound::Scalar(Scal::Tensor(v.named(name))),
        Bound::Scalar(scal) => Bound::Scalar(Scal::Tensor(Val::new(name, scal.axes(), scal.elem()))),
    }
}

/// The end of a region with these values.
pub(crate) fn returned(names: &[String], types: &[String]) -> String {
    if names.is_empty() {
        return "stablehlo.return".to_string();
    }
    format!("stablehlo.return {} : {}", names.join(", "), types.join(", "))
}
