//! Reductions: sums, extremes and their places; products of matrices.

use crate::error::{Result, internal};
use crate::space::Emitter;
use crate::text::list;
use crate::traps::SiteKind;
use crate::values::{AxisId, Range, Scal, Val, union};
use arr_ir::{Axis, Block, Const, Op, Reduction, Scalar, Stmt, VarId};

impl Emitter<'_> {
    pub(crate) fn reduce(&mut self, kind: Reduction, axes: &[Axis], body: &Block) -> Result<Vec<Scal>> {
        let (ids, conditions, body) = self.enter_nested(kind, axes, body)?;
        let mask = self.active[self.active.len() - conditions..].to_vec();
        let mut inside = Scal::Const(Const::Bool(true));
        for condition in &mask {
            inside = self.and(&inside, condition)?;
        }
        let mut values = Vec::new();
        for &result in &body.results {
            let scal = self.scalar(result)?;
            values.push(self.reduced(kind, &scal, &ids, &inside)?);
        }
        let empty = if kind.has_identity() { None } else { Some(self.nonempty(&ids, &inside)?) };
        self.leave(&ids, conditions);
        self.leave_lanes(&ids)?;
        if let Some(fine) = empty {
            self.check(&fine, SiteKind::NonEmpty, &[])?;
        }
        Ok(values)
    }

    /// Enters the axes of a reduction, and those of a reduction of the same kind that is its only term: both are one, of
    /// the inner body. Returns the axes, how many conditions they add, and that body.
    fn enter_nested<'b>(
        &mut self,
        kind: Reduction,
        axes: &[Axis],
        body: &'b Block,
    ) -> Result<(Vec<AxisId>, usize, &'b Block)> {
        let (mut ids, mut conditions) = self.enter(axes)?;
        let terms = |vars: &[VarId]| body.results.iter().map(|result| result.var()).eq(vars.iter().map(|&v| Some(v)));
        if let Some((Stmt { op: Op::Reduce { kind: inner, axes, body }, vars, .. }, before)) = body.stmts.split_last()
            && *inner == kind
            && kind.has_identity()
            && terms(vars)
        {
            before.iter().try_for_each(|stmt| self.stmt(stmt))?;
            let (more, further, body) = self.enter_nested(kind, axes, body)?;
            ids.extend(more);
            conditions += further;
            return Ok((ids, conditions, body));
        }
        self.block(body)?;
        Ok((ids, conditions, body))
    }

    /// Whether there is an element.
    fn nonempty(&mut self, ids: &[AxisId], inside: &Scal) -> Result<Scal> {
        if self.dims(ids).contains(&0) {
            return Ok(Scal::Const(Const::Bool(false)));
        }
        if inside.as_const().is_some() {
            return Ok(Scal::Const(Const::Bool(true)));
        }
        Ok(Scal::Tensor(self.folded("stablehlo.or", Const::Bool(false), inside, ids)?))
    }

    fn reduced(&mut self, kind: Reduction, scal: &Scal, ids: &[AxisId], inside: &Scal) -> Result<Scal> {
        let elem = scal.elem();
        let everywhere = inside.as_const().is_some();
        if let (Reduction::Sum, Scal::Product { factors, zero_wins, .. }, true) = (kind, scal, everywhere) {
            return Ok(Scal::Tensor(self.sum_of_product(factors, *zero_wins, ids)?));
        }
        let (op, start) = match kind {
            Reduction::Sum => ("stablehlo.add", Const::zero(elem)),
            Reduction::Product => ("stablehlo.multiply", Const::one(elem)),
            Reduction::Max => ("stablehlo.maximum", least(elem)),
            Reduction::Min => ("stablehlo.minimum", greatest(elem)),
            Reduction::Any => ("stablehlo.or", Const::Bool(false)),
            Reduction::All => ("stablehlo.and", Const::Bool(true)),
            Reduction::ArgMax => return self.place_of(scal, ids, inside, true),
            Reduction::ArgMin => return self.place_of(scal, ids, inside, false),
        };
        let wide = self.over_all(scal, ids)?;
        let masked =
            if everywhere { wide } else { Scal::Tensor(self.select("inside", inside, &wide, &Scal::Const(start))?) };
        let range = self.range(&masked);
        let mut value = self.folded(op, start, &masked, ids)?;
        if matches!(kind, Reduction::Max | Reduction::Min) && elem == Scalar::I64 {
            value.range = if everywhere { range } else { Range::ANY };
        }
        Ok(Scal::Tensor(value))
    }

    /// A value at every point of the axes that are reduced.
    fn over_all(&mut self, scal: &Scal, ids: &[AxisId]) -> Result<Scal> {
        let axes = union(&[scal.axes(), ids.to_vec()]);
        let range = self.range(scal);
        let name = self.widened(scal, &axes)?;
        Ok(Scal::Tensor(Val::new(name, axes, scal.elem()).within(range)))
    }

    /// Combines all elements along axes.
    pub(crate) fn folded(&mut self, op: &str, start: Const, scal: &Scal, along: &[AxisId]) -> Result<Val> {
        let v = self.val(scal)?;
        let places: Vec<usize> = (0..v.axes.len()).filter(|&k| along.contains(&v.axes[k])).collect();
        if places.is_empty() {
            return Ok(v);
        }
        let axes: Vec<AxisId> = v.axes.iter().copied().filter(|a| !along.contains(a)).collect();
        let (from, to, unit) = (self.val_ty(&v), self.ty(&axes, v.elem), self.ty(&[], v.elem));
        let start = self.constant(start, &[]);
        let op = format!(
            "stablehlo.reduce({} init: {start}) applies {op} across dimensions = {} : ({from}, {unit}) -> {to}",
            v.name,
            list(places)
        );
        let name = self.text.value("total", op);
        Ok(Val::new(name, axes, v.elem))
    }

    /// The lowest place of the extreme; NaN comes before everything.
    fn place_of(&mut self, scal: &Scal, ids: &[AxisId], inside: &Scal, greatest_one: bool) -> Result<Scal> {
        let [axis] = *ids else { return internal("the place of an extreme has one axis") };
        let elem = scal.elem();
        let worst = if greatest_one { least(elem) } else { greatest(elem) };
        let wide = self.over_all(scal, ids)?;
        let index = self.index(axis);
        let axes = wide.axes();
        let last = Scal::Const(Const::I64(i64::MAX));
        // Where no element is, the place is beyond all others.
        let (values, places) = match inside.as_const() {
            Some(_) => (wide, index),
            None => {
                let values = Scal::Tensor(self.select("inside", inside, &wide, &Scal::Const(worst))?);
                (values, Scal::Tensor(self.select("inside", inside, &index, &last)?))
            }
        };
        let all = union(&[axes, values.axes(), places.axes()]);
        let (values, places) = (self.widened(&values, &all)?, self.widened(&places, &all)?);
        let (unit, unit_place) = (self.ty(&[], elem), self.ty(&[], Scalar::I64));
        let (from, from_place) = (self.ty(&all, elem), self.ty(&all, Scalar::I64));
        let kept: Vec<AxisId> = all.iter().copied().filter(|&a| a != axis).collect();
        let (to, to_place) = (self.ty(&kept, elem), self.ty(&kept, Scalar::I64));
        let (worst, last) = (self.constant(worst, &[]), self.constant(Const::I64(i64::MAX), &[]));
        let [a, i, b, j] = ["a", "i", "b", "j"].map(|hint| self.text.fresh(hint));
        self.text.open();
        let scalar = |name: &str, elem| Scal::Tensor(Val::new(name.to_string(), Vec::new(), elem));
        let (va, vb) = (scalar(&a, elem), scalar(&b, elem));
        let (vi, vj) = (scalar(&i, Scalar::I64), scalar(&j, Scalar::I64));
        let how = if greatest_one { "GT" } else { "LT" };
        let mut first = Scal::Tensor(self.compare("first", how, &va, &vb)?);
        let mut tie = Scal::Tensor(self.compare("tie", "EQ", &va, &vb)?);
        if elem.is_float() {
            let (na, nb) = (
                Scal::Tensor(self.compare("nan", "NE", &va, &va)?),
                Scal::Tensor(self.compare("nan", "NE", &vb, &vb)?),
            );
            let number = self.not(&nb)?;
            let alone = self.and(&na, &number)?;
            first = Scal::Tensor(self.elementwise("first", "stablehlo.or", &[first, alone])?);
            let both = self.and(&na, &nb)?;
            tie = Scal::Tensor(self.elementwise("tie", "stablehlo.or", &[tie, both])?);
        }
        let before = Scal::Tensor(self.compare("before", "LE", &vi, &vj)?);
        let lower = self.and(&tie, &before)?;
        let takes = Scal::Tensor(self.elementwise("takes", "stablehlo.or", &[first, lower])?);
        let value = self.select("value", &takes, &va, &vb)?;
        let place = self.select("place", &takes, &vi, &vj)?;
        self.text.line(format!("stablehlo.return {}, {} : {unit}, {unit_place}", value.name, place.name));
        let region = self.text.close().indented();
        let name = self.text.fresh("extreme");
        let at = all.iter().position(|&x| x == axis).unwrap_or(0);
        self.text.line(format!(
            "{name}:2 = \"stablehlo.reduce\"({values}, {places}, {worst}, {last}) <{{dimensions = array<i64: {at}>}}> ({{\n^bb0({a}: {unit}, {i}: {unit_place}, {b}: {unit}, {j}: {unit_place}):\n{region}}}) : ({from}, {from_place}, {unit}, {unit_place}) -> ({to}, {to_place})"
        ));
        let most = self.dims(&[axis]).first().copied().unwrap_or(0).max(1) - 1;
        Ok(Scal::Tensor(Val::new(format!("{name}#1"), kept, Scalar::I64).within(Range(0, most))))
    }

    // Products.

    /// The sum of a product: a product of matrices where its factors can be put into two groups that share what is summed
    /// over and have axes of their own.
    fn sum_of_product(&mut self, factors: &[Scal], zero_wins: bool, along: &[AxisId]) -> Result<Val> {
        let elem = factors.first().map_or(Scalar::F64, Scal::elem);
        let constants: Vec<Scal> = factors.iter().filter(|f| f.as_const().is_some()).cloned().collect();
        let mut groups: Vec<Scal> = factors.iter().filter(|f| f.as_const().is_none()).cloned().collect();
        let finite = constants.iter().filter_map(Scal::as_const).all(|c| c.as_f64().is_some_and(f64::is_finite));
        let covered = union(&groups.iter().map(Scal::axes).collect::<Vec<_>>());
        if !finite || !along.iter().all(|a| covered.contains(a)) {
            return self.plain_sum(factors, zero_wins, along, elem);
        }
        while groups.len() > 2 {
            let (a, b) = self.closest(&groups);
            let second = groups.remove(b);
            groups[a] = Scal::Tensor(self.times(&groups[a], &second, zero_wins)?);
        }
        let mut total = match groups.as_slice() {
            [left, right] => match self.matrix_product(left, right, zero_wins, along)? {
                Some(product) => product,
                None => self.plain_sum(&groups, zero_wins, along, elem)?,
            },
            _ => self.plain_sum(&groups, zero_wins, along, elem)?,
        };
        for constant in &constants {
            total = self.times(&Scal::Tensor(total), constant, zero_wins)?;
        }
        Ok(total)
    }

    fn plain_sum(&mut self, factors: &[Scal], zero_wins: bool, along: &[AxisId], elem: Scalar) -> Result<Val> {
        let product = Scal::Product { factors: factors.to_vec(), zero_wins, elem };
        let product = Scal::Tensor(self.val(&product)?);
        let sum = self.summed(&product, along)?;
        self.val(&sum)
    }

    /// A sum over axes, of each of which a value that does not depend on it counts every point.
    pub(crate) fn summed(&mut self, value: &Scal, along: &[AxisId]) -> Result<Scal> {
        if along.is_empty() {
            return Ok(value.clone());
        }
        let wide = self.over_all(value, along)?;
        Ok(Scal::Tensor(self.folded("stablehlo.add", Const::zero(value.elem()), &wide, along)?))
    }

    /// The two factors whose product is smallest.
    fn closest(&self, groups: &[Scal]) -> (usize, usize) {
        let volume = |a: &Scal, b: &Scal| {
            let dims = self.dims(&union(&[a.axes(), b.axes()]));
            dims.iter().fold(1.0, |n, &d| n * d as f64)
        };
        let mut best = (0, 1);
        let mut least = f64::INFINITY;
        for b in 1..groups.len() {
            for a in 0..b {
                let size = volume(&groups[a], &groups[b]);
                if size < least {
                    (best, least) = ((a, b), size);
                }
            }
        }
        best
    }

    fn matrix_product(&mut self, left: &Scal, right: &Scal, zero_wins: bool, along: &[AxisId]) -> Result<Option<Val>> {
        if let Some(product) = self.convolution(left, right, along)? {
            return if zero_wins {
                self.with_zeros(product, [left, right], along).map(Some)
            } else {
                Ok(Some(product))
            };
        }
        let (mut left, mut right) = (self.val(left)?, self.val(right)?);
        let own = |v: &Val, other: &Val| -> Vec<AxisId> {
            v.axes.iter().copied().filter(|a| !other.axes.contains(a) && !along.contains(a)).collect()
        };
        let lonely = |v: &Val, other: &Val| -> Vec<AxisId> {
            v.axes.iter().copied().filter(|a| !other.axes.contains(a) && along.contains(a)).collect()
        };
        let alone = !lonely(&left, &right).is_empty() || !lonely(&right, &left).is_empty();
        if alone && zero_wins {
            return Ok(None);
        }
        if alone {
            // What only one factor depends on is summed before.
            let (l, r) = (lonely(&left, &right), lonely(&right, &left));
            left = self.folded("stablehlo.add", Const::zero(left.elem), &Scal::Tensor(left), &l)?;
            right = self.folded("stablehlo.add", Const::zero(right.elem), &Scal::Tensor(right), &r)?;
        }
        let (rows, columns) = (own(&left, &right), own(&right, &left));
        let inner: Vec<AxisId> =
            along.iter().copied().filter(|a| left.axes.contains(a) && right.axes.contains(a)).collect();
        if inner.is_empty() && alone {
            return Ok(Some(self.times(&Scal::Tensor(left), &Scal::Tensor(right), false)?));
        }
        if inner.is_empty() || rows.is_empty() && columns.is_empty() {
            if alone {
                let product = Scal::Tensor(self.times(&Scal::Tensor(left), &Scal::Tensor(right), false)?);
                let zero = Const::zero(product.elem());
                return Ok(Some(self.folded("stablehlo.add", zero, &product, &inner)?));
            }
            return Ok(None);
        }
        // In the order of the result where that is possible.
        if rows.first() > columns.first() && !columns.is_empty() {
            std::mem::swap(&mut left, &mut right);
        }
        let product = self.dot_general(&left, &right, &inner)?;
        if !zero_wins {
            return Ok(Some(product));
        }
        self.with_zeros(product, [&Scal::Tensor(left), &Scal::Tensor(right)], along).map(Some)
    }

    fn dot_general(&mut self, left: &Val, right: &Val, inner: &[AxisId]) -> Result<Val> {
        let [left, right] = [left, right].map(|v| match &v.unordered {
            Some((name, axes)) => Val::new(name.clone(), axes.clone(), v.elem),
            None => v.clone(),
        });
        let (left, right) = (&left, &right);
        let place = |v: &Val, axis: &AxisId| v.axes.iter().position(|a| a == axis).unwrap_or(0);
        let places = |v: &Val, axes: &[AxisId]| list(axes.iter().map(|a| place(v, a)));
        let batch: Vec<AxisId> =
            left.axes.iter().copied().filter(|a| right.axes.contains(a) && !inner.contains(a)).collect();
        let free = |v: &Val| -> Vec<AxisId> {
            let mut own: Vec<AxisId> = v.axes.clone();
            own.retain(|a| !batch.contains(a) && !inner.contains(a));
            own
        };
        let axes: Vec<AxisId> = batch.iter().copied().chain(free(left)).chain(free(right)).collect();
        let (from, with, to) = (self.val_ty(left), self.val_ty(right), self.ty(&axes, left.elem));
        let batching = match batch.is_empty() {
            true => String::new(),
            false => format!("batching_dims = {} x {}, ", places(left, &batch), places(right, &batch)),
        };
        let op = format!(
            "stablehlo.dot_general {}, {}, {batching}contracting_dims = {} x {}, precision = [HIGHEST, HIGHEST] : ({from}, {with}) -> {to}",
            left.name,
            right.name,
            places(left, inner),
            places(right, inner)
        );
        let name = self.text.value("dot", op);
        Ok(self.over(name, &axes, left.elem))
    }

    /// A product in which zeros win: as it is unless an element is NaN, which a zero may have caused.
    fn with_zeros(&mut self, product: Val, factors: [&Scal; 2], along: &[AxisId]) -> Result<Val> {
        let whole = Scal::Tensor(product.clone());
        let nan = Scal::Tensor(self.compare("nan", "NE", &whole, &whole)?);
        let any = self.any(&nan)?;
        let ty = self.val_ty(&product);
        self.text.open();
        let exact = self.plain_sum(&factors.map(Scal::clone), true, along, product.elem)?;
        self.text.line(format!("stablehlo.return {} : {ty}", exact.name));
        let region = self.text.close().indented();
        let same = format!("  stablehlo.return {} : {ty}\n", product.name);
        let name = self.text.choice("product", &any, [&region, &same], &[ty]).concat();
        Ok(product.named(name))
    }
}

/// What a maximum starts with.
fn least(elem: Scalar) -> Const {
    match elem {
        Scalar::F64 => Const::F64(f64::NEG_INFINITY),
        Scalar::F32 => Const::F32(f32::NEG_INFINITY),
        Scalar::I64 => Const::I64(i64::MIN),
        Scalar::I32 => Const::I32(i32::MIN),
        Scalar::U32 => Const::U32(0),
        Scalar::Bool => Const::Bool(false),
    }
}

/// What a minimum starts with.
fn greatest(elem: Scalar) -> Const {
    match elem {
        Scalar::F64 => Const::F64(f64::INFINITY),
        Scalar::F32 => Const::F32(f32::INFINITY),
        Scalar::I64 => Const::I64(i64::MAX),
        Scalar::I32 => Const::I32(i32::MAX),
        Scalar::U32 => Const::U32(u32::MAX),
        Scalar::Bool => Const::Bool(true),
    }
}
