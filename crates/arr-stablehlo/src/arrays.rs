//! Arrays that no kernel makes: constants, other axes, orders, barriers.

use crate::control::with_name;
use crate::error::{Result, internal};
use crate::space::{Emitter, Extent};
use crate::text::{elem_name, number, tensor};
use crate::values::{Arr, Bound, Scal};
use arr_ir::{Const, Literal, Prim, Scalar, VarId};

/// An operand in text: its name, its type, and the name of its elements.
type Operand = (String, String, &'static str);

impl Emitter<'_> {
    pub(crate) fn literal(&mut self, literal: &Literal, hint: &str) -> Arr {
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
        Arr::new(name, literal.dims.clone(), literal.elem)
    }

    /// The extents of a variable's axes.
    fn extents(&mut self, var: VarId) -> Result<Vec<Extent>> {
        self.func.ty(var).dims.clone().into_iter().map(|size| self.extent(size)).collect()
    }

    pub(crate) fn reshape(&mut self, array: VarId, var: Option<VarId>) -> Result<Arr> {
        let from = self.array(array)?;
        let Some(var) = var else { return internal("a reshape has no result") };
        let (old, new) = (self.extents(array)?, self.extents(var)?);
        let dims: Vec<i64> = new.iter().map(|extent| extent.bound).collect();
        if old.iter().chain(&new).all(|extent| extent.exact.is_none()) {
            let count = |dims: &[i64]| dims.iter().product::<i64>();
            let name = if count(&from.dims) == count(&dims) {
                self.reshaped(from.name.clone(), &from.dims, &dims, from.elem)
            } else {
                // The check of the sizes in front of it has failed.
                self.splat(Const::zero(from.elem), &dims)
            };
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
        let found = self.read(from, &index, "moved")?;
        let name = self.widened(&found, &ids)?;
        Ok(Arr { ragged: true, ..Arr::new(name, self.dims(&ids), from.elem) })
    }

    pub(crate) fn argsort(&mut self, array: VarId, hint: &str) -> Result<Arr> {
        let keys = self.array(array)?;
        let extents = self.extents(array)?;
        let Some((last, extent)) = extents.iter().enumerate().next_back() else {
            return internal("a scalar is sorted");
        };
        let operands = self.sorted_operands(&keys, last, extent)?;
        let names: Vec<(String, String)> =
            operands.iter().map(|_| (self.text.fresh("a"), self.text.fresh("b"))).collect();
        let region = self.sorting(&keys, &names);
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
        Ok(Arr { ragged: keys.ragged, ..Arr::new(format!("{name}#1"), keys.dims, Scalar::I64) })
    }

    /// What is sorted together, with types: the keys, their places, and whether they are beyond the end of the program's
    /// array, where they stay.
    fn sorted_operands(&mut self, keys: &Arr, last: usize, extent: &Extent) -> Result<Vec<Operand>> {
        let positions = tensor(&keys.dims, "i64");
        let iota = self.text.value("place", format!("stablehlo.iota dim = {last} : {positions}"));
        let mut operands =
            vec![(keys.name.clone(), keys.ty(), elem_name(keys.elem)), (iota.clone(), positions.clone(), "i64")];
        if let Some(exact) = &extent.exact {
            let end = self.val(exact)?.name;
            let op = format!("stablehlo.broadcast_in_dim {end}, dims = [] : (tensor<i64>) -> {positions}");
            let end = self.text.value("end", op);
            let mask = tensor(&keys.dims, "i1");
            let op = format!("stablehlo.compare GE, {iota}, {end}, SIGNED : ({positions}, {positions}) -> {mask}");
            operands.push((self.text.value("beyond", op), mask, "i1"));
        }
        Ok(operands)
    }

    /// The region that compares two of what is sorted together.
    fn sorting(&mut self, keys: &Arr, names: &[(String, String)]) -> String {
        self.text.open();
        let mut less = self.comes_first(keys.elem, &names[0].0, &names[0].1);
        if let [_, _, (a, b)] = names {
            let unit = "(tensor<i1>, tensor<i1>) -> tensor<i1>";
            let before = self.text.value("before", format!("stablehlo.compare LT, {a}, {b}, UNSIGNED : {unit}"));
            let same = self.text.value("same", format!("stablehlo.compare EQ, {a}, {b}, UNSIGNED : {unit}"));
            let both = self.text.value("both", format!("stablehlo.and {same}, {less} : tensor<i1>"));
            less = self.text.value("less", format!("stablehlo.or {before}, {both} : tensor<i1>"));
        }
        self.text.line(format!("stablehlo.return {less} : tensor<i1>"));
        self.text.close().indented()
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

    pub(crate) fn barrier(&mut self, values: Vec<Bound>) -> Result<Vec<Bound>> {
        if !self.space.is_empty() || values.is_empty() {
            return Ok(values);
        }
        let mut operands = Vec::new();
        for value in &values {
            operands.push(self.carried(value)?);
        }
        let names: Vec<&str> = operands.iter().map(|(name, _)| name.as_str()).collect();
        let types: Vec<&str> = operands.iter().map(|(_, ty)| ty.as_str()).collect();
        let operation = format!("stablehlo.optimization_barrier {} : {}", names.join(", "), types.join(", "));
        let kept = self.text.results("kept", operands.len(), &operation);
        Ok(values.iter().zip(kept).map(|(value, name)| with_name(value, name)).collect())
    }
}
