//! Checks that arguments fit the parameters of a function.

use crate::{LocalId, LoopFunc, Param, Ty};
use arr_ir::{Const, Value};

impl LoopFunc {
    /// Refuses arguments that the code would misread; the error describes the mismatch. The program's edge reports
    /// these earlier, in the user's words.
    pub fn check_arguments(&self, sizes: &[i64], args: &[Value]) -> Result<(), String> {
        if sizes.len() != self.sizes.len() || args.len() != self.params.len() {
            return Err("the number of arguments does not fit the function".to_string());
        }
        // The sizes of parameters consist of few numbers, so that a search is short.
        let mut known: Vec<(LocalId, i64)> = self.sizes.iter().copied().zip(sizes.iter().copied()).collect();
        for (param, arg) in self.params.iter().zip(args) {
            if let Value::Scalar(Const::I64(i)) = arg {
                known.push((param.local, *i));
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
fn fits(ty: Ty, param: &Param, arg: &Value, known: &[(LocalId, i64)]) -> bool {
    match (ty, arg) {
        (Ty::Scalar(elem), Value::Scalar(c)) => c.scalar() == elem,
        (Ty::Buffer(elem), Value::Array(array)) => {
            let mut number = |l: LocalId| known.iter().find(|(local, _)| *local == l).map(|(_, n)| *n);
            let same = |(d, &dim): (&crate::ParamSize, &i64)| d.eval(&mut number) == Some(dim);
            let count = array.dims.iter().try_fold(1i64, |n, &d| if d < 0 { None } else { n.checked_mul(d) });
            array.data.elem() == elem
                && param.dims.len() == array.dims.len()
                && param.dims.iter().zip(&array.dims).all(same)
                && count == i64::try_from(array.data.len()).ok()
        }
        _ => false,
    }
}
