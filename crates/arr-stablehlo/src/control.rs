//! Statements: arrays at the level of the function, scalar code in kernels, branches and loops in both.

use crate::error::{Result, internal};
use crate::space::{Affine, Arr, AxisId, Bound, Emitter, Extent, Range, Scal, Val, union};
use crate::text::{Region, elem_name, number, tensor};
use crate::traps::{LaneTrap, Site, SiteKind};
use arr_ir::{Atom, Axis, Block, Check, Const, Literal, Op, Prim, Scalar, Stmt, VarId};

/// XLA ends the process where a tensor has so many elements that the number of bytes overflows.
const MOST_POINTS: f64 = 1.8e15;

/// What a test that has failed leaves to be undone: a trial run of a loop's body.
struct Before {
    sites: Vec<Site>,
    trap: Option<String>,
    lane: Option<LaneTrap>,
}

/// The state of a loop in text: names and types.
type Carried = Vec<(String, String)>;

impl Emitter<'_> {
    pub fn block(&mut self, block: &Block) -> Result<()> {
        block.stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
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
                let array = self.array(*array)?;
                let index = index.iter().map(|&a| self.operand(a)).collect::<Result<Vec<Scal>>>()?;
                Bound::Scalar(self.read(&array, &index, *checked, &hint)?)
            }
            Op::StopGradient(atom) => self.bound(*atom)?,
            Op::Reshape(array) => Bound::Array(self.reshape(*array, var)?),
            Op::Argsort(array) => Bound::Array(self.argsort(*array, &hint)?),
            _ => return internal("an operation is left that has no meaning after differentiation"),
        })
    }

    pub fn bind_all(&mut self, vars: &[VarId], values: Vec<Bound>) -> Result<()> {
        if vars.len() != values.len() {
            return internal("wrong number of results");
        }
        for (&var, value) in vars.iter().zip(values) {
            self.bind(var, value);
        }
        Ok(())
    }

    pub fn results(&mut self, block: &Block) -> Result<Vec<Bound>> {
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

    /// Demands that an index is inside an extent.
    pub fn inside(&mut self, index: &Scal, extent: &Scal) -> Result<()> {
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

    fn literal(&mut self, literal: &Literal, hint: &str) -> Arr {
        let ty = tensor(&literal.dims, elem_name(literal.elem));
        let mut dims = literal.dims.iter().rev();
        let mut items: Vec<String> = literal.data.iter().map(|&c| number(c)).collect();
        let first = dims.next().map_or(1, |&d| d.max(1) as usize);
        let join = |items: &[String], n: usize| -> Vec<String> {
            items.chunks(n.max(1)).map(|row| format!("[{}]", row.join(", "))).collect()
        };
        let text = match items.first() {
            None => String::new(),
            Some(one) if items.iter().all(|item| item == one) => one.clone(),
            Some(_) => {
                items = join(&items, first);
                for &dim in dims {
                    items = join(&items, dim as usize);
                }
                items.concat()
            }
        };
        let name = self.text.value(hint, format!("stablehlo.constant dense<{text}> : {ty}"));
        Arr { name, dims: literal.dims.clone(), elem: literal.elem, ragged: false }
    }

    /// The extents of a variable's axes.
    fn extents(&mut self, var: VarId) -> Result<Vec<Extent>> {
        self.func.ty(var).dims.clone().into_iter().map(|size| self.extent(size)).collect()
    }

    fn reshape(&mut self, array: VarId, var: Option<VarId>) -> Result<Arr> {
        let from = self.array(array)?;
        let Some(var) = var else { return internal("a reshape has no result") };
        let (old, new) = (self.extents(array)?, self.extents(var)?);
        let dims: Vec<i64> = new.iter().map(|extent| extent.bound).collect();
        if old.iter().chain(&new).all(|extent| extent.exact.is_none()) {
            let name = self.reshaped(from.name.clone(), &from.dims, &dims, from.elem);
            return Ok(Arr { name, dims, ..from });
        }
        self.reshape_ragged(&from, &old, &new)
    }

    /// An array that is longer here than in the program: every element is looked up by its number.
    fn reshape_ragged(&mut self, from: &Arr, old: &[Extent], new: &[Extent]) -> Result<Arr> {
        let sizes = |extents: &[Extent]| -> Vec<Scal> {
            let exact = |e: &Extent| e.exact.clone().unwrap_or(Scal::Const(Const::I64(e.bound)));
            extents.iter().map(exact).collect()
        };
        let mut number = Scal::Const(Const::I64(0));
        let mut ids = Vec::new();
        for (extent, size) in new.iter().zip(sizes(new)) {
            let id = self.axis(extent.bound);
            ids.push(id);
            number = self.prim(Prim::Mul, &[number, size], "number")?;
            let index = self.index(id);
            number = self.prim(Prim::Add, &[number, index], "number")?;
        }
        let mut index = Vec::new();
        for size in sizes(old).into_iter().rev() {
            // Where there is no element, the divisor may be 0, and the quotient does not matter.
            let parts = [number.clone(), size];
            index.push(Scal::Tensor(self.elementwise("place", "stablehlo.remainder", &parts)?));
            number = Scal::Tensor(self.elementwise("number", "stablehlo.divide", &parts)?);
        }
        index.reverse();
        let found = self.read(from, &index, false, "moved")?;
        let name = self.widened(&found, &ids)?;
        Ok(Arr { name, dims: self.dims(&ids), elem: from.elem, ragged: true })
    }

    fn argsort(&mut self, array: VarId, hint: &str) -> Result<Arr> {
        let keys = self.array(array)?;
        let extents = self.extents(array)?;
        let Some((last, extent)) = extents.iter().enumerate().next_back() else {
            return internal("a scalar is sorted");
        };
        let positions = tensor(&keys.dims, "i64");
        let iota = self.text.value("place", format!("stablehlo.iota dim = {last} : {positions}"));
        let elem = elem_name(keys.elem);
        let mut operands = vec![(keys.name.clone(), keys.ty(), elem), (iota.clone(), positions.clone(), "i64")];
        if let Some(exact) = &extent.exact {
            // What is beyond the end of the program's array stays there.
            let end = self.val(exact)?.name;
            let end = self
                .text
                .value("end", format!("stablehlo.broadcast_in_dim {end}, dims = [] : (tensor<i64>) -> {positions}"));
            let mask = tensor(&keys.dims, "i1");
            let op = format!("stablehlo.compare GE, {iota}, {end}, SIGNED : ({positions}, {positions}) -> {mask}");
            operands.push((self.text.value("beyond", op), mask, "i1"));
        }
        let names: Vec<(String, String)> =
            operands.iter().map(|_| (self.text.fresh("a"), self.text.fresh("b"))).collect();
        self.text.open();
        let mut less = self.comes_first(keys.elem, &names[0].0, &names[0].1);
        if let [_, _, (a, b)] = names.as_slice() {
            let unit = "(tensor<i1>, tensor<i1>) -> tensor<i1>";
            let before = self.text.value("before", format!("stablehlo.compare LT, {a}, {b}, UNSIGNED : {unit}"));
            let same = self.text.value("same", format!("stablehlo.compare EQ, {a}, {b}, UNSIGNED : {unit}"));
            let both = self.text.value("both", format!("stablehlo.and {same}, {less} : tensor<i1>"));
            less = self.text.value("less", format!("stablehlo.or {before}, {both} : tensor<i1>"));
        }
        self.text.line(format!("stablehlo.return {less} : tensor<i1>"));
        let region = self.text.close().indented();
        let name = self.text.fresh(hint);
        let list = |items: Vec<String>| items.join(", ");
        let params =
            names.iter().zip(&operands).map(|((a, b), (_, _, e))| format!("{a}: tensor<{e}>, {b}: tensor<{e}>"));
        let types = list(operands.iter().map(|(_, ty, _)| ty.clone()).collect());
        self.text.line(format!(
            "{name}:{} = \"stablehlo.sort\"({}) <{{dimension = {last} : i64, is_stable = true}}> ({{\n^bb0({}):\n{region}}}) : ({types}) -> ({types})",
            operands.len(),
            list(operands.iter().map(|(name, ..)| name.clone()).collect()),
            list(params.collect()),
        ));
        Ok(Arr { name: format!("{name}#1"), dims: keys.dims, elem: Scalar::I64, ragged: keys.ragged })
    }

    /// Whether one key comes before another: NaNs come last.
    fn comes_first(&mut self, elem: Scalar, a: &str, b: &str) -> String {
        let (ty, kind) = (
            elem_name(elem),
            match elem {
                Scalar::F32 | Scalar::F64 => "FLOAT",
                Scalar::I32 | Scalar::I64 => "SIGNED",
                Scalar::U32 | Scalar::Bool => "UNSIGNED",
            },
        );
        let compare = |how: &str, x: &str, y: &str| {
            format!("stablehlo.compare {how}, {x}, {y}, {kind} : (tensor<{ty}>, tensor<{ty}>) -> tensor<i1>")
        };
        let less = self.text.value("less", compare("LT", a, b));
        if !elem.is_float() {
            return less;
        }
        let nan = self.text.value("nan", compare("NE", b, b));
        let number = self.text.value("number", compare("EQ", a, a));
        let last = self.text.value("last", format!("stablehlo.and {nan}, {number} : tensor<i1>"));
        self.text.value("less", format!("stablehlo.or {less}, {last} : tensor<i1>"))
    }

    fn barrier(&mut self, values: Vec<Bound>) -> Result<Vec<Bound>> {
        if !self.space.is_empty() || values.is_empty() {
            return Ok(values);
        }
        let mut operands = Vec::new();
        for value in &values {
            operands.push(self.carried(value)?);
        }
        let name = self.text.fresh("kept");
        let names: Vec<&str> = operands.iter().map(|(name, _)| name.as_str()).collect();
        let types: Vec<&str> = operands.iter().map(|(_, ty)| ty.as_str()).collect();
        let count = if names.len() > 1 { format!(":{}", names.len()) } else { String::new() };
        self.text.line(format!(
            "{name}{count} = stablehlo.optimization_barrier {} : {}",
            names.join(", "),
            types.join(", ")
        ));
        let part = |k: usize| if operands.len() > 1 { format!("{name}#{k}") } else { name.clone() };
        values.iter().enumerate().map(|(k, value)| self.renamed(value, part(k))).collect()
    }

    /// A value as one of a list in text.
    fn carried(&mut self, bound: &Bound) -> Result<(String, String)> {
        Ok(match bound {
            Bound::Array(array) => (array.name.clone(), array.ty()),
            Bound::Scalar(scal) => {
                let v = self.val(scal)?;
                let ty = self.val_ty(&v);
                (v.name, ty)
            }
        })
    }

    /// The same kind of value with another name. What is known of integers is forgotten.
    fn renamed(&mut self, bound: &Bound, name: String) -> Result<Bound> {
        Ok(match bound {
            Bound::Array(array) => Bound::Array(Arr { name, ..array.clone() }),
            Bound::Scalar(scal) => {
                let (axes, elem) = (scal.axes(), scal.elem());
                Bound::Scalar(Scal::Tensor(Val::new(name, axes, elem)))
            }
        })
    }

    // Kernels.

    /// Enters axes. Returns them, and how many conditions they add.
    pub fn enter(&mut self, axes: &[Axis]) -> Result<(Vec<AxisId>, usize)> {
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

    pub fn leave(&mut self, axes: &[AxisId], conditions: usize) {
        self.space.truncate(self.space.len() - axes.len());
        self.active.truncate(self.active.len() - conditions);
    }

    fn build(&mut self, stmt: &Stmt, axes: &[Axis], body: &Block) -> Result<()> {
        if !self.space.is_empty() {
            return internal("an array is made in scalar code");
        }
        let (ids, conditions) = self.enter(axes)?;
        self.block(body)?;
        let mut arrays = Vec::new();
        for &result in &body.results {
            let scal = self.operand(result)?;
            let name = self.widened(&scal, &ids)?;
            let dims = self.dims(&ids);
            arrays.push(Bound::Array(Arr { name, dims, elem: scal.elem(), ragged: conditions > 0 }));
        }
        self.leave(&ids, conditions);
        self.leave_lanes(&ids, None)?;
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
        let mut sides: Vec<(Region, Vec<Bound>, Option<String>)> = Vec::new();
        for block in blocks {
            self.trap = old.clone().or(before.clone());
            self.text.open();
            self.block(block)?;
            let results = self.results(block)?;
            let trap = if fails { Some(self.trap()) } else { None };
            sides.push((self.text.close(), results, trap));
        }
        self.trap = before;
        let cond = self.val(cond)?.name;
        let [(yes, a, trap_a), (no, b, trap_b)] = sides.as_mut_slice() else {
            return internal("a branch has other sides");
        };
        let mut merged = Vec::new();
        for (a, b) in a.iter().zip(b.iter()) {
            merged.push(self.merged(a, b)?);
        }
        let mut texts = Vec::new();
        let mut types = Vec::new();
        for (region, results, trap) in [(yes, a, trap_a), (no, b, trap_b)] {
            self.text.reopen(std::mem::take(region));
            let mut names = Vec::new();
            types.clear();
            for (result, merged) in results.iter().zip(&merged) {
                let (name, ty) = self.as_merged(result, merged)?;
                names.push(name);
                types.push(ty);
            }
            if let Some(trap) = trap {
                names.push(trap.clone());
                types.push("tensor<4xi64>".to_string());
            }
            self.text.line(returned(&names, &types));
            texts.push(self.text.close().indented());
        }
        if types.is_empty() {
            return Ok(());
        }
        let name = self.text.fresh("if");
        let count = if types.len() > 1 { format!(":{}", types.len()) } else { String::new() };
        self.text.line(format!(
            "{name}{count} = \"stablehlo.if\"({cond}) ({{\n{}}}, {{\n{}}}) : (tensor<i1>) -> ({})",
            texts[0],
            texts[1],
            types.join(", ")
        ));
        let part = |k: usize| if types.len() > 1 { format!("{name}#{k}") } else { name.clone() };
        if fails {
            self.trap = Some(part(merged.len()));
        }
        let values = merged.iter().enumerate().map(|(k, m)| with_name(m, part(k))).collect();
        self.bind_all(&stmt.vars, values)
    }

    /// A value that can be either.
    fn merged(&self, a: &Bound, b: &Bound) -> Result<Bound> {
        match (a, b) {
            (Bound::Array(a), Bound::Array(b)) if a.dims == b.dims => {
                Ok(Bound::Array(Arr { ragged: a.ragged || b.ragged, ..a.clone() }))
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

    // Loops.

    /// A `while` over values in text. The condition and the body are regions.
    pub fn repeat(
        &mut self,
        hint: &str,
        inits: &[(String, String)],
        cond: &mut dyn FnMut(&mut Self, &[String]) -> Result<String>,
        body: &mut dyn FnMut(&mut Self, &[String]) -> Result<Vec<String>>,
    ) -> Result<Vec<String>> {
        let names: Vec<String> = inits.iter().map(|_| self.text.fresh("s")).collect();
        let types: Vec<String> = inits.iter().map(|(_, ty)| ty.clone()).collect();
        self.text.open();
        let goes_on = cond(self, &names)?;
        self.text.line(format!("stablehlo.return {goes_on} : tensor<i1>"));
        let head = self.text.close().indented();
        self.text.open();
        let next = body(self, &names)?;
        self.text.line(returned(&next, &types));
        let tail = self.text.close().indented();
        let name = self.text.fresh(hint);
        let count = if types.len() > 1 { format!(":{}", types.len()) } else { String::new() };
        let state: Vec<String> = names.iter().zip(inits).map(|(name, (init, _))| format!("{name} = {init}")).collect();
        self.text.line(format!(
            "{name}{count} = stablehlo.while({}) : {}\ncond {{\n{head}}} do {{\n{tail}}}",
            state.join(", "),
            types.join(", ")
        ));
        Ok((0..types.len()).map(|k| if types.len() > 1 { format!("{name}#{k}") } else { name.clone() }).collect())
    }

    fn before(&self) -> Before {
        Before { sites: self.sites.clone(), trap: self.trap.clone(), lane: self.lane.clone() }
    }

    fn restore(&mut self, before: Before) {
        (self.sites, self.trap, self.lane) = (before.sites, before.trap, before.lane);
    }

    fn counted(&mut self, stmt: &Stmt, axis: Axis, reverse: bool, inits: &[Atom], body: &Block) -> Result<()> {
        let extent = self.size(axis.extent)?;
        let mut looping = Looping::new(self, stmt, inits, body)?;
        looping.extent = Some((axis, extent, reverse));
        self.looped(looping, None, body)
    }

    fn conditional(&mut self, stmt: &Stmt, inits: &[Atom], cond: &Block, body: &Block) -> Result<()> {
        let looping = Looping::new(self, stmt, inits, body)?;
        self.looped(looping, Some(cond), body)
    }

    /// A loop: the state is what the program's loop has, whether lanes go on, the count, and failures.
    fn looped(&mut self, mut looping: Looping<'_>, cond: Option<&Block>, body: &Block) -> Result<()> {
        looping.fails = self.can_fail(body) || cond.is_some_and(|cond| self.can_fail(cond));
        // In lanes the state may come to depend on more axes than at first: find out which.
        while !self.space.is_empty() {
            let before = self.before();
            let depends = self.trial(&mut looping, cond, body);
            self.restore(before);
            if !depends? {
                break;
            }
        }
        let (inits, kinds) = self.loop_inits(&looping, cond)?;
        let outer = (self.trap.clone(), self.lane.clone());
        let mut state = None;
        let ends = self.repeat(
            "loop",
            &inits,
            &mut |emitter, names| emitter.goes_on(&looping, &kinds, names),
            &mut |emitter, names| {
                let (names, kinds) = emitter.loop_body(&looping, &kinds, names, cond, body)?;
                state = Some(kinds);
                Ok(names)
            },
        )?;
        (self.trap, self.lane) = outer;
        self.take_state(&looping, &kinds, &ends)
    }

    /// Runs the body once and drops its text. Returns whether the state was found to depend on more axes.
    fn trial(&mut self, looping: &mut Looping<'_>, cond: Option<&Block>, body: &Block) -> Result<bool> {
        self.text.open();
        let made = self.loop_inits(looping, cond).and_then(|(inits, kinds)| {
            let names: Vec<String> = inits.iter().map(|_| self.text.fresh("s")).collect();
            self.loop_body(looping, &kinds, &names, cond, body)
        });
        self.text.close();
        let (_, found) = made?;
        let mut more = false;
        for (slot, axes) in looping.axes.iter_mut().zip(found) {
            let all = union(&[slot.clone(), axes]);
            more |= all != *slot;
            *slot = all;
        }
        Ok(more)
    }
}

/// A loop while it is written.
struct Looping<'s> {
    stmt: &'s Stmt,
    inits: Vec<Bound>,
    /// The axes that each value of the state depends on; the last are those of the condition.
    axes: Vec<Vec<AxisId>>,
    extent: Option<(Axis, Scal, bool)>,
    fails: bool,
}

impl<'s> Looping<'s> {
    fn new(emitter: &mut Emitter<'_>, stmt: &'s Stmt, inits: &[Atom], body: &Block) -> Result<Looping<'s>> {
        if inits.len() != body.params.len() {
            return internal("a loop has another state");
        }
        let inits = inits.iter().map(|&a| emitter.bound(a)).collect::<Result<Vec<Bound>>>()?;
        let axes = inits.iter().map(|init| if let Bound::Scalar(s) = init { s.axes() } else { Vec::new() });
        let mut axes: Vec<Vec<AxisId>> = axes.collect();
        axes.push(Vec::new());
        Ok(Looping { stmt, inits, axes, extent: None, fails: false })
    }
}

/// The kinds of the values that a loop carries, in order.
enum Kind {
    Value(Bound),
    /// Whether a lane goes on.
    Running(Val),
    Count,
    Trap,
    Lane(Val),
}

fn with_name(bound: &Bound, name: String) -> Bound {
    match bound {
        Bound::Array(array) => Bound::Array(Arr { name, ..array.clone() }),
        Bound::Scalar(Scal::Tensor(v)) => Bound::Scalar(Scal::Tensor(v.named(name))),
        Bound::Scalar(scal) => Bound::Scalar(scal.clone()),
    }
}

fn returned(names: &[String], types: &[String]) -> String {
    if names.is_empty() {
        return "stablehlo.return".to_string();
    }
    format!("stablehlo.return {} : {}", names.join(", "), types.join(", "))
}

impl Emitter<'_> {
    /// The first state of a loop, and what it consists of.
    fn loop_inits(&mut self, looping: &Looping<'_>, cond: Option<&Block>) -> Result<(Carried, Vec<Kind>)> {
        let (mut carried, mut kinds) = (Vec::new(), Vec::new());
        for (init, axes) in looping.inits.iter().zip(&looping.axes) {
            match init {
                Bound::Array(array) => {
                    carried.push((array.name.clone(), array.ty()));
                    kinds.push(Kind::Value(init.clone()));
                }
                Bound::Scalar(scal) => {
                    let elem = scal.elem();
                    let name = self.widened(scal, axes)?;
                    carried.push((name.clone(), self.ty(axes, elem)));
                    let v = Val::new(name, axes.clone(), elem);
                    kinds.push(Kind::Value(Bound::Scalar(Scal::Tensor(v))));
                }
            }
        }
        if looping.extent.is_some() {
            carried.push((self.constant(Const::I64(0), &[]), "tensor<i64>".to_string()));
            kinds.push(Kind::Count);
        }
        if let Some(cond) = cond {
            let part = self.taking_part()?;
            let goes_on = self.test(cond, &looping.inits)?;
            let goes_on = self.and(&part, &goes_on)?;
            let axes = union(&[goes_on.axes(), looping.axes.last().cloned().unwrap_or_default()]);
            let name = self.widened(&goes_on, &axes)?;
            carried.push((name.clone(), self.ty(&axes, Scalar::Bool)));
            kinds.push(Kind::Running(Val::new(name, axes, Scalar::Bool)));
        }
        if looping.fails && self.space.is_empty() {
            carried.push((self.trap(), "tensor<4xi64>".to_string()));
            kinds.push(Kind::Trap);
        }
        if looping.fails && !self.space.is_empty() {
            let space = self.space.clone();
            for k in 0..4 {
                let old = self.lane.as_ref().and_then(|lane| lane.words.get(k)).cloned();
                let old = old.unwrap_or(Scal::Const(Const::I64(0)));
                let name = self.widened(&old, &space)?;
                carried.push((name.clone(), self.ty(&space, Scalar::I64)));
                kinds.push(Kind::Lane(Val::new(name, space.clone(), Scalar::I64)));
            }
        }
        Ok((carried, kinds))
    }

    /// The condition of a `while` for a state.
    fn test(&mut self, cond: &Block, state: &[Bound]) -> Result<Scal> {
        for (&param, value) in cond.params.iter().zip(state) {
            self.bind(param, value.clone());
        }
        self.block(cond)?;
        match cond.results.first() {
            Some(&result) => self.operand(result),
            None => internal("a condition has no result"),
        }
    }

    /// Whether the loop goes on, from its state.
    fn goes_on(&mut self, looping: &Looping<'_>, kinds: &[Kind], names: &[String]) -> Result<String> {
        let mut all = Scal::Const(Const::Bool(true));
        let flag = |name: String| Scal::Tensor(Val::new(name, Vec::new(), Scalar::Bool));
        for (kind, name) in kinds.iter().zip(names) {
            let one = match kind {
                Kind::Running(v) => {
                    let running = Scal::Tensor(v.named(name.clone()));
                    flag(self.any(&running)?)
                }
                Kind::Count => {
                    let count = Scal::Tensor(int_val(name.clone(), Range::ANY));
                    let Some((_, extent, _)) = &looping.extent else { return internal("a count has no extent") };
                    let more = self.prim(Prim::Lt, &[count, extent.clone()], "more")?;
                    let part = if more.axes().is_empty() {
                        more
                    } else {
                        let p = self.taking_part()?;
                        self.and(&more, &p)?
                    };
                    flag(self.any(&part)?)
                }
                Kind::Trap => {
                    let old = self.trap.replace(name.clone());
                    let fine = self.fine();
                    self.trap = old;
                    flag(fine)
                }
                Kind::Value(_) | Kind::Lane(_) => continue,
            };
            all = self.and(&all, &one)?;
        }
        Ok(self.val(&all)?.name)
    }

    /// One iteration: the names of the next state, and the axes that its values depend on.
    fn loop_body(
        &mut self,
        looping: &Looping<'_>,
        kinds: &[Kind],
        names: &[String],
        cond: Option<&Block>,
        body: &Block,
    ) -> Result<(Vec<String>, Vec<Vec<AxisId>>)> {
        let mut state = Vec::new();
        let (mut count, mut running, mut lanes) = (None, None, Vec::new());
        for (kind, name) in kinds.iter().zip(names) {
            match kind {
                Kind::Value(bound) => state.push(with_name(bound, name.clone())),
                Kind::Running(v) => running = Some(Scal::Tensor(v.named(name.clone()))),
                Kind::Count => count = Some(name.clone()),
                Kind::Trap => self.trap = Some(name.clone()),
                Kind::Lane(v) => lanes.push(Scal::Tensor(v.named(name.clone()))),
            }
        }
        self.set_lane(lanes);
        let mut conditions = 0;
        let mut next_count = None;
        if let (Some(name), Some((axis, extent, reverse))) = (count, &looping.extent) {
            let (index, inside) = self.loop_index(&name, extent, *reverse)?;
            self.bind(axis.index, Bound::Scalar(index));
            if let Some(inside) = inside {
                self.active.push(inside.clone());
                conditions += 1;
                running = Some(inside);
            }
            let count = Scal::Tensor(int_val(name, Range::ANY));
            let next = self.elementwise("next", "stablehlo.add", &[count, Scal::Const(Const::I64(1))])?;
            next_count = Some(next.name);
        } else if let Some(running) = running.clone().filter(|_| !self.space.is_empty()) {
            self.active.push(running);
            conditions += 1;
        }
        for (&param, value) in body.params.iter().zip(&state) {
            self.bind(param, value.clone());
        }
        self.block(body)?;
        let mut results = self.results(body)?;
        if let Some(running) = running.clone().filter(|_| !self.space.is_empty()) {
            for (result, old) in results.iter_mut().zip(&state) {
                if let (Bound::Scalar(new), Bound::Scalar(old)) = (&*result, old) {
                    *result = Bound::Scalar(Scal::Tensor(self.select("s", &running, new, old)?));
                }
            }
        }
        let mut found: Vec<Vec<AxisId>> = Vec::new();
        for result in &results {
            found.push(if let Bound::Scalar(s) = result { s.axes() } else { Vec::new() });
        }
        let goes_on = match cond {
            Some(cond) => {
                let again = self.test(cond, &results)?;
                // A lane that has stopped stays so; the function itself is running where its loop's body does.
                let again = match &running {
                    Some(running) if !self.space.is_empty() => self.and(running, &again)?,
                    _ => again,
                };
                Some(if looping.fails { self.unfailed(&again)? } else { again })
            }
            None => None,
        };
        self.active.truncate(self.active.len() - conditions);
        found.push(goes_on.as_ref().map_or(Vec::new(), Scal::axes));
        let mut next = Vec::new();
        let mut results = results.into_iter();
        let mut word = 0;
        for kind in kinds {
            next.push(match kind {
                Kind::Value(bound) => {
                    let Some(result) = results.next() else { return internal("a loop has another state") };
                    self.next_value(bound, &result, looping.axes.get(found.len()).is_some())?
                }
                Kind::Running(v) => match &goes_on {
                    Some(goes_on) => self.widened_or_short(goes_on, &v.axes)?,
                    None => return internal("a loop has lost its condition"),
                },
                Kind::Count => next_count.clone().unwrap_or_default(),
                Kind::Trap => self.trap(),
                Kind::Lane(v) => {
                    word += 1;
                    let new = self.lane.as_ref().and_then(|lane| lane.words.get(word - 1)).cloned();
                    match new {
                        Some(new) => self.widened(&new, &v.axes)?,
                        None => return internal("lanes have lost their failures"),
                    }
                }
            });
        }
        Ok((next, found))
    }

    fn next_value(&mut self, like: &Bound, result: &Bound, _: bool) -> Result<String> {
        match (like, result) {
            (Bound::Array(like), Bound::Array(new)) if like.dims == new.dims => Ok(new.name.clone()),
            (Bound::Array(_), Bound::Array(_)) => {
                self.unsupported("an array in a loop has another size in every iteration")
            }
            (Bound::Scalar(like), Bound::Scalar(new)) => self.widened_or_short(new, &like.axes()),
            _ => internal("a loop has another state"),
        }
    }

    /// The value over these axes. In a trial it may depend on more, which are found then.
    fn widened_or_short(&mut self, scal: &Scal, axes: &[AxisId]) -> Result<String> {
        if scal.axes().iter().all(|a| axes.contains(a)) { self.widened(scal, axes) } else { Ok(String::new()) }
    }

    /// The index of an iteration, and whether a lane takes part in it where they do not all.
    fn loop_index(&mut self, count: &str, extent: &Scal, reverse: bool) -> Result<(Scal, Option<Scal>)> {
        let Range(_, most) = self.range(extent);
        let range = Range(0, most.saturating_sub(1).max(0));
        let count = Scal::Tensor(int_val(count.to_string(), range));
        let inside = match extent.axes().is_empty() {
            true => None,
            false => Some(self.prim(Prim::Lt, &[count.clone(), extent.clone()], "inside")?),
        };
        if !reverse {
            return Ok((count, inside));
        }
        let last = self.prim(Prim::Sub, &[extent.clone(), Scal::Const(Const::I64(1))], "last")?;
        let index = self.prim(Prim::Sub, &[last, count], "index")?;
        let index = match index {
            Scal::Affine(Affine { .. }) => Scal::Tensor(self.val(&index)?.within(range)),
            Scal::Tensor(v) => Scal::Tensor(v.within(range)),
            other => other,
        };
        Ok((index, inside))
    }

    fn take_state(&mut self, looping: &Looping<'_>, kinds: &[Kind], ends: &[String]) -> Result<()> {
        let (mut values, mut lanes) = (Vec::new(), Vec::new());
        for (kind, name) in kinds.iter().zip(ends) {
            match kind {
                Kind::Value(bound) => values.push(with_name(bound, name.clone())),
                Kind::Trap => self.trap = Some(name.clone()),
                Kind::Lane(v) => lanes.push(Scal::Tensor(v.named(name.clone()))),
                Kind::Running(_) | Kind::Count => {}
            }
        }
        self.set_lane(lanes);
        self.bind_all(&looping.stmt.vars, values)
    }
}

fn int_val(name: String, range: Range) -> Val {
    Val::new(name, Vec::new(), Scalar::I64).within(range)
}
