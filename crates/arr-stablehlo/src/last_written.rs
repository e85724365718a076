//! Updates at any places, where the last write to a place wins.

use crate::error::Result;
use crate::scatter::{Dims, Write};
use crate::space::Emitter;
use crate::text::{elem_name, tensor};
use crate::values::{Arr, AxisId, Range, Scal, Val};
use arr_ir::{Const, Prim, Scalar};

impl Emitter<'_> {
    /// Writes at any places, in the order of iteration: of each place the number of its last write is found, and then that
    /// write's value.
    pub(crate) fn last_written(&mut self, dest: &Arr, ids: &[AxisId], writes: &[&Write]) -> Result<String> {
        let order = self.row_major(ids, "order")?;
        let name = self.splat(Const::I64(-1), &dest.dims);
        let mut last = Arr { name, elem: Scalar::I64, range: Range::ANY, ..dest.clone() };
        let mut values = Vec::new();
        let dims = self.dims(ids);
        let one_more: Vec<i64> = dims.iter().copied().chain([1]).collect();
        for (k, write) in writes.iter().enumerate() {
            let count = Scal::Const(Const::I64(writes.len() as i64));
            let number = self.prim(Prim::Mul, &[order.clone(), count], "number")?;
            let number = self.prim(Prim::Add, &[number, Scal::Const(Const::I64(k as i64))], "number")?;
            last.name = self.latest(&last, ids, write, &number)?;
            let value = self.widened(&write.value, ids)?;
            values.push(self.reshaped(value, &dims, &one_more, dest.elem));
        }
        let total = dims.iter().product::<i64>() * writes.len() as i64;
        let beside: Vec<i64> = dims.iter().copied().chain([writes.len() as i64]).collect();
        let all = self.beside("values", &values, &one_more, dims.len(), dest.elem);
        let flat = self.reshaped(all, &beside, &[total], dest.elem);
        let chosen = self.looked_up(&flat, total, &last, dest);
        let zero = self.splat(Const::I64(0), &dest.dims);
        let (ints, mask_ty) = (last.ty(), tensor(&dest.dims, "i1"));
        let op = format!("stablehlo.compare GE, {}, {zero}, SIGNED : ({ints}, {ints}) -> {mask_ty}", last.name);
        let written = self.text.value("written", op);
        let op = format!("stablehlo.select {written}, {chosen}, {} : {mask_ty}, {}", dest.name, dest.ty());
        Ok(self.text.value("updated", op))
    }

    /// The numbers of the last writes, with those of one more.
    fn latest(&mut self, last: &Arr, ids: &[AxisId], write: &Write, number: &Scal) -> Result<String> {
        let index = self.guarded(write, &write.index)?;
        // Every point has its own update, also where the place does not depend on all axes.
        let mut wide = Vec::new();
        for i in &index {
            let name = self.widened(i, ids)?;
            wide.push(Scal::Tensor(Val::new(name, ids.to_vec(), Scalar::I64)));
        }
        let (_, starts) = self.starts(&wide, &[])?;
        let updates = (self.widened(number, ids)?, self.ty(ids, Scalar::I64));
        let places = Dims { looked_up: (0..last.dims.len()).collect(), vector: ids.len(), ..Dims::default() };
        Ok(self.scattered(last, &starts, &updates, &places, "stablehlo.maximum"))
    }

    /// The elements of a list at the places in `at`, an array of the shape of `like`.
    fn looked_up(&mut self, list: &str, length: i64, at: &Arr, like: &Arr) -> String {
        let vector: Vec<i64> = at.dims.iter().copied().chain([1]).collect();
        let places = self.reshaped(at.name.clone(), &at.dims, &vector, Scalar::I64);
        let op = format!(
            "\"stablehlo.gather\"({list}, {places}) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = {}>, indices_are_sorted = false, slice_sizes = array<i64: 1>}}> : ({}, {}) -> {}",
            at.dims.len(),
            tensor(&[length], elem_name(like.elem)),
            tensor(&vector, "i64"),
            like.ty()
        );
        self.text.value("chosen", op)
    }
}
