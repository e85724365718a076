//! Checks that arguments fit the parameters of a function.

use crate::{LocalId, LoopFunc, Param, Ty};
use arr_ir::{Const, Scalar, Value};

/// What a check has to know of an argument.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    Scalar(Const),
    /// Its element type, its axes, and the number of elements that it has.
    Array(Scalar, &'a [i64], usize),
}

impl<'a> Given<'a> {
    pub fn of(value: &'a Value) -> Given<'a> {
        match value {
            Value::Scalar(c) => Given::Scalar(*c),
            Value::Array(array) => Given::Array(array.data.elem(), &array.dims, array.data.len()),
        }
    }
}

impl LoopFunc {
    /// Refuses arguments that the code would misread; the error describes the mismatch. The program's edge reports
    /// these earlier, in the user's words.
    pub fn check_arguments(&self, sizes: &[i64], args: &[Value]) -> Result<(), String> {
        self.check_given(sizes, args.iter().map(Given::of))
    }

    /// As [`LoopFunc::check_arguments`], for arguments of any form.
    pub fn check_given<'a>(
        &self,
        sizes: &[i64],
        args: impl ExactSizeIterator<Item = Given<'a>> + Clone,
    ) -> Result<(), String> {
        if sizes.len() != self.sizes.len() || args.len() != self.params.len() {
            return Err("the number of arguments does not fit the function".to_string());
        }
        // The sizes of parameters consist of few numbers, so that a search is short.
        let mut known: Vec<(LocalId, i64)> = self.sizes.iter().copied().zip(sizes.iter().copied()).collect();
        for (param, arg) in self.params.iter().zip(args.clone()) {
            if let Given::Scalar(Const::I64(i)) = arg {
                known.push((param.local, i));
            }
        }
        for (param, arg) in self.params.iter().zip(args) {
            if !fits(self.ty(param.local), param, arg, &known) {
                return Err(format!("the argument for {} does not fit its type", self.locals[param.local].name));
            }
        }
        Ok(())
    }
}

/// Whether an argument has the type of a parameter, and as many elements as its sizes say.
fn fits(ty: Ty, param: &Param, arg: Given<'_>, known: &[(LocalId, i64)]) -> bool {
    match (ty, arg) {
        (Ty::Scalar(elem), Given::Scalar(c)) => c.scalar() == elem,
        (Ty::Buffer(elem), Given::Array(found, dims, len)) => {
            let mut number = |l: LocalId| known.iter().find(|(local, _)| *local == l).map(|(_, n)| *n);
            let same = |(d, &dim): (&crate::ParamSize, &i64)| d.eval(&mut number) == Some(dim);
            let count = dims.iter().try_fold(1i64, |n, &d| if d < 0 { None } else { n.checked_mul(d) });
            found == elem
                && param.dims.len() == dims.len()
                && param.dims.iter().zip(dims).all(same)
                && count == i64::try_from(len).ok()
        }
        _ => false,
    }
}
