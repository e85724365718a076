//! Scalar functions that compiled code calls: those of the interpreter, under C names.

use crate::Symbol;

macro_rules! functions {
    ($( $name:ident ( $($arg:ident : $ty:ty),* ) -> $result:ty = $value:expr; )*) => {
        $( extern "C" fn $name($($arg: $ty),*) -> $result { $value } )*

        /// One row per function; the name is `arr_` and the primitive's name.
        pub(crate) fn symbols() -> Vec<Symbol> {
            vec![$( Symbol { name: stringify!($name), address: $name as *const u8 } ),*]
        }
    };
}

functions! {
    arr_tan(x: f64) -> f64 = x.tan();
    arr_asin(x: f64) -> f64 = x.asin();
    arr_acos(x: f64) -> f64 = x.acos();
    arr_atan(x: f64) -> f64 = x.atan();
    arr_sinh(x: f64) -> f64 = x.sinh();
    arr_cosh(x: f64) -> f64 = x.cosh();
    arr_erf(x: f64) -> f64 = arr_math::erf(x);
    arr_lgamma(x: f64) -> f64 = arr_math::lgamma(x);
    arr_digamma(x: f64) -> f64 = arr_math::digamma(x);
    arr_atan2(x: f64, y: f64) -> f64 = x.atan2(y);
    arr_powi(x: f64, n: i64) -> f64 = arr_math::powi(x, n);
    arr_polygamma(n: i64, x: f64) -> f64 = arr_math::polygamma(n, x);
    arr_pow_int(x: i64, y: i64) -> i64 = arr_math::pow_int(x, y);
}
