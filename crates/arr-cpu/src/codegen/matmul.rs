//! Matrix products: calls of the runtime, with the axes in memory.

use super::{Codegen, Result, internal};
use arr_ir::Scalar;
use arr_loops::{MatMul, Operand};
use cranelift_codegen::ir::types;

impl Codegen<'_, '_> {
    /// Passes the axes as five numbers each: role, extent, and the strides of the result and the operands.
    pub(super) fn matmul(&mut self, product: &MatMul) -> Result<()> {
        let function = match self.loops.ty(product.into).elem() {
            Scalar::F64 => "arr_gemm_f64",
            Scalar::F32 => "arr_gemm_f32",
            Scalar::Bool | Scalar::I32 | Scalar::I64 | Scalar::U32 => {
                return Err(internal("a matrix product of numbers that are not floats"));
            }
        };
        let numbers: Vec<Operand> = product
            .axes
            .iter()
            .flat_map(|a| [Operand::int(a.role as i64), a.extent, a.into, a.left, a.right])
            .collect();
        let (_, axes) = self.pass_dims(&numbers)?;
        let count = self.int(product.axes.len() as i64);
        self.check_product(product, axes, count)?;
        let flags = i64::from(product.accumulate) + 2 * i64::from(product.zero_wins);
        let flags = self.int(flags);
        let [into, left, right] = [self.local(product.into)?, self.local(product.left)?, self.local(product.right)?];
        let stop = self.stop_flag();
        self.call(function, &[into, left, right, axes, count, flags, stop], types::INVALID)?;
        if self.flags.interruptible { self.look_at_stop(self.here) } else { Ok(()) }
    }
}
