//! Scalar functions that compiled code calls: those of the interpreter, under C names.

use crate::Symbol;

macro_rules! functions {
    (
        { $( $own:ident ( $($arg:ident : $ty:ty),* ) -> $result:ty = $body:expr; )* }
        vector { $( $_vector:ident $vector:ident($_va:literal) = $_vv:literal, $_vd:literal; )* }
        scalar { $( $_scalar:ident $scalar:ident($_sa:literal) = $_sv:literal, $_sd:literal; )* }
    ) => {
        $( extern "C" fn $own($($arg: $ty),*) -> $result { $body } )*

        /// One row per function; the name is `arr_` and the primitive's name.
        pub(crate) fn symbols() -> Vec<Symbol> {
            vec![
                $( Symbol { name: stringify!($own), address: $own as *const u8 }, )*
                $( {
                    extern "C" fn $scalar(x: f64) -> f64 { arr_math::$scalar(x) }
                    Symbol { name: concat!("arr_", stringify!($scalar)), address: $scalar as *const u8 }
                }, )*
            ]
        }

        /// The symbol of the function of one `f64` with this name; `None` if the table of functions has no such name.
        pub fn function_symbol(name: &str) -> Option<&'static str> {
            Some(match name {
                $( stringify!($vector) => concat!("arr_", stringify!($vector)), )*
                $( stringify!($scalar) => concat!("arr_", stringify!($scalar)), )*
                _ => return None,
            })
        }

        /// The symbols of the function with this name on a run of `f64` and on a run of `f32`, in place; `None` if it has no
        /// vector code.
        pub fn run_symbols(name: &str) -> Option<(&'static str, &'static str)> {
            Some(match name {
                $( stringify!($vector) => (
                    concat!("arr_", stringify!($vector), "_f64s"),
                    concat!("arr_", stringify!($vector), "_f32s"),
                ), )*
                _ => return None,
            })
        }

        /// The names of all functions of one float.
        #[cfg(test)]
        const NAMES: &[&str] = &[$( stringify!($vector), )* $( stringify!($scalar), )*];
    };
}

arr_math::for_each_function! { functions {
    arr_atan2(x: f64, y: f64) -> f64 = x.atan2(y);
    arr_powi(x: f64, n: i64) -> f64 = arr_math::powi(x, n);
    arr_polygamma(n: i64, x: f64) -> f64 = arr_math::polygamma(n, x);
    arr_pow_int(x: i64, y: i64) -> i64 = arr_math::pow_int(x, y);
} }

#[cfg(test)]
mod tests {
    use super::{NAMES, function_symbol, run_symbols};

    /// What machine code may call is there, once.
    #[test]
    fn every_function_has_its_symbols() {
        let symbols = crate::symbols();
        let count = |name: &str| symbols.iter().filter(|symbol| symbol.name == name).count();
        for name in NAMES {
            let runs = run_symbols(name);
            for symbol in function_symbol(name).into_iter().chain(runs.map(|r| r.0)).chain(runs.map(|r| r.1)) {
                assert_eq!(
                    count(symbol),
                    1,
                    "`{symbol}`: see `math.rs`, and `vector.rs` for functions with vector code"
                );
            }
        }
    }
}
