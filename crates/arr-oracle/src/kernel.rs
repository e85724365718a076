//! `build`, `reduce`, `scatter` and `argsort`.

use crate::machine::{Machine, failed, int, offset};
use crate::number::Num;
use crate::value::{Elements, Val};
use crate::{Run, internal};
use arr_ir::{Axis, Block, Const, Prim, Reduction, RunErrorKind, Scalar, ScatterKind, VarId};
use std::rc::Rc;

impl<'f> Machine<'f> {
    /// Calls `f` with the axes' indices bound to every point, the last axis fastest.
    pub fn points(&mut self, axes: &[Axis], f: &mut dyn FnMut(&mut Self) -> Run<()>) -> Run<()> {
        let Some((axis, rest)) = axes.split_first() else {
            self.step()?;
            return f(self);
        };
        for i in self.range(axis.extent, false)? {
            self.set(axis.index, int(i))?;
            self.points(rest, f)?;
        }
        Ok(())
    }

    /// The arrays that a `build` fills, still empty.
    pub fn frames(&mut self, vars: &[VarId]) -> Run<Vec<Elements>> {
        let mut frames = Vec::new();
        for &var in vars {
            let dims = self.dims(var)?;
            if let Some(&size) = dims.iter().find(|&&d| d < 0) {
                return failed(RunErrorKind::NegativeSize { size });
            }
            frames.push(Elements { elem: self.func.ty(var).elem, dims, data: Vec::new() });
        }
        Ok(frames)
    }

    /// Whether a build over these axes has points; it is not walked otherwise.
    pub fn has_points(&mut self, axes: &[Axis]) -> Run<bool> {
        let mut some = true;
        for axis in axes {
            some &= self.size(axis.extent)? > 0;
        }
        Ok(some)
    }

    pub fn build(&mut self, vars: &[VarId], axes: &[Axis], body: &'f Block) -> Run<Vec<Val>> {
        let mut frames = self.frames(vars)?;
        if self.has_points(axes)? {
            self.points(axes, &mut |machine| {
                let results = machine.block(body)?;
                put(&mut frames, &results)
            })?;
        }
        finished(frames)
    }

    pub fn reduce(&mut self, kind: Reduction, axes: &[Axis], body: &'f Block) -> Run<Vec<Val>> {
        let mut columns: Vec<Vec<(i64, Num)>> = vec![Vec::new(); body.results.len()];
        self.points(axes, &mut |machine| {
            let place = axes.first().map_or(Ok(0), |axis| machine.int(axis.index.into()))?;
            for (column, result) in columns.iter_mut().zip(machine.block(body)?) {
                let Val::Num(element) = result else { return Err(internal("a reduction of arrays")) };
                column.push((place, element));
            }
            Ok(())
        })?;
        let elems: Vec<Scalar> = body.results.iter().map(|&r| self.func.atom_elem(r)).collect();
        columns.into_iter().zip(elems).map(|(column, elem)| self.combine(kind, elem, column).map(Val::Num)).collect()
    }

    /// Combines elements from the first to the last.
    fn combine(&mut self, kind: Reduction, elem: Scalar, column: Vec<(i64, Num)>) -> Run<Num> {
        if let Reduction::ArgMax | Reduction::ArgMin = kind {
            return best_place(kind, &column);
        }
        let mut rest = column.into_iter().map(|(_, element)| element);
        let Some(mut total) = rest.next() else { return of_nothing(kind, elem) };
        let Some(prim) = combining(kind) else { return Err(internal("a reduction without an operator")) };
        for element in rest {
            self.step()?;
            total = self.prim(prim, &[total, element])?;
        }
        Ok(total)
    }

    pub fn scatter(
        &mut self,
        kind: ScatterKind,
        dest: VarId,
        axes: &[Axis],
        body: &'f Block,
        checked: bool,
    ) -> Run<Vec<Val>> {
        let Val::Array(dest) = self.var(dest)? else { return Err(internal("a scatter into a scalar")) };
        let mut target = (*dest).clone();
        self.points(axes, &mut |machine| {
            let results = machine.block(body)?;
            if let Some((place, value)) = write_of(&results, &target.dims, checked)? {
                let old = target.data.get_mut(place).ok_or_else(|| internal("an array shorter than its shape"))?;
                *old = match kind {
                    ScatterKind::Set => value,
                    ScatterKind::Add => machine.prim(Prim::Add, &[old.clone(), value])?,
                };
            }
            Ok(())
        })?;
        Ok(vec![Val::Array(Rc::new(target))])
    }

    /// The stable order along the last axis.
    pub fn argsort(&mut self, array: VarId) -> Run<Val> {
        let Val::Array(array) = self.var(array)? else { return Err(internal("a scalar sorted")) };
        let length = array.dims.last().map_or(0, |&n| n.unsigned_abs() as usize);
        let mut places = Vec::new();
        for row in array.data.chunks(length.max(1)) {
            let mut order: Vec<usize> = (0..row.len()).collect();
            order.sort_by(|&a, &b| compare(row[a].plain(), row[b].plain()));
            places.extend(order.into_iter().map(|i| Num::Plain(Const::I64(i as i64))));
        }
        Ok(Val::array(Scalar::I64, array.dims.clone(), places))
    }
}

/// Ascending, NaNs last.
fn compare(a: Const, b: Const) -> std::cmp::Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(x), Some(y)) => arr_math::order(x, y),
        _ => (a.as_i64(), a.as_bool()).cmp(&(b.as_i64(), b.as_bool())),
    }
}

/// The guard, the indices and the value of a scatter's body: the place and value of its write, if it writes.
pub(crate) fn write_of(results: &[Val], dims: &[i64], checked: bool) -> Run<Option<(usize, Num)>> {
    let nums: Vec<&Num> = results.iter().flat_map(Val::nums).collect();
    let [guard, index @ .., value] = nums.as_slice() else { return Err(internal("a scatter without a value")) };
    if guard.plain() != Const::Bool(true) {
        return Ok(None);
    }
    let index: Option<Vec<i64>> = index.iter().map(|n| n.plain().as_i64()).collect();
    let index = index.ok_or_else(|| internal("an index that is no integer"))?;
    Ok(Some((offset(dims, &index, checked)?, (*value).clone())))
}

/// Appends one point's results.
pub(crate) fn put(frames: &mut [Elements], results: &[Val]) -> Run<()> {
    if frames.len() != results.len() {
        return Err(internal("wrong number of results"));
    }
    for (frame, result) in frames.iter_mut().zip(results) {
        frame.data.extend_from_slice(result.nums());
    }
    Ok(())
}

pub(crate) fn finished(frames: Vec<Elements>) -> Run<Vec<Val>> {
    let full = |frame: &Elements| count(&frame.dims) == frame.data.len() as i64;
    if frames.iter().all(full) {
        return Ok(frames.into_iter().map(|frame| Val::Array(Rc::new(frame))).collect());
    }
    Err(internal("an array that is not as its type says"))
}

/// The number of elements of an array of these sizes: none if one is 0, however large the others are.
pub(crate) fn count(dims: &[i64]) -> i64 {
    if dims.contains(&0) { 0 } else { dims.iter().fold(1, |n: i64, &dim| n.saturating_mul(dim)) }
}

/// The operator of a reduction.
pub(crate) fn combining(kind: Reduction) -> Option<Prim> {
    Some(match kind {
        Reduction::Sum => Prim::Add,
        Reduction::Product => Prim::Mul,
        Reduction::Max => Prim::Max,
        Reduction::Min => Prim::Min,
        Reduction::Any => Prim::Or,
        Reduction::All => Prim::And,
        Reduction::ArgMax | Reduction::ArgMin => return None,
    })
}

pub(crate) fn of_nothing(kind: Reduction, elem: Scalar) -> Run<Num> {
    Ok(Num::Plain(match kind {
        Reduction::Sum => Const::zero(elem),
        Reduction::Product => Const::one(elem),
        Reduction::Any => Const::Bool(false),
        Reduction::All => Const::Bool(true),
        _ => return failed(RunErrorKind::EmptyReduction),
    }))
}

/// The first place of the extreme element; the first NaN if there is one.
pub(crate) fn best_place(kind: Reduction, column: &[(i64, Num)]) -> Run<Num> {
    let is_nan = |n: &Num| n.plain().as_f64().is_some_and(f64::is_nan);
    let wins = if kind == Reduction::ArgMax { Prim::Gt } else { Prim::Lt };
    let better = |a: &Num, b: &Num| wins.eval(&[a.plain(), b.plain()]) == Some(Const::Bool(true));
    let mut best: Option<&(i64, Num)> = None;
    for candidate in column {
        let first = best.is_none_or(|b| !is_nan(&b.1) && (is_nan(&candidate.1) || better(&candidate.1, &b.1)));
        if first {
            best = Some(candidate);
        }
    }
    best.map_or_else(|| failed(RunErrorKind::EmptyReduction), |b| Ok(Num::Plain(Const::I64(b.0))))
}
