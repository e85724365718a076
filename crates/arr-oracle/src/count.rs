//! Operations in the accounting of *Differentiating a Tensor Language*, section 4: additions, multiplications and
//! functions of floats. Comparisons, index arithmetic and choices are free, and so is arithmetic with masked-out
//! operands: an addition counts if both operands are present, a sum of `k` elements is `k - 1` additions. Masked-out
//! operands are zeros here, so that arguments must not contain zeros.

use arr_ir::{Const, Prim};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Operations {
    pub additions: u64,
    pub multiplications: u64,
    pub functions: u64,
}

impl Operations {
    pub fn total(&self) -> u64 {
        self.additions + self.multiplications + self.functions
    }

    pub(crate) fn count(&mut self, prim: Prim, args: &[Const], result: Const) {
        if !result.scalar().is_float() {
            return;
        }
        match prim {
            _ if args.iter().any(|a| a.is_zero()) && args.len() == 2 => {}
            Prim::Add | Prim::Sub => self.additions += 1,
            Prim::Mul | Prim::MulZero | Prim::Div | Prim::Neg => self.multiplications += 1,
            Prim::Select | Prim::ToF32 | Prim::ToF64 => {}
            _ => self.functions += 1,
        }
    }
}
