//! Elementary functions on runs of elements, in place, and the same functions on one element: in the widest vectors that
//! the machine has, chosen when compiled code is linked.
//!
//! Every version executes the operations of `arr_math::elementary` in the same order, so all give the same bits.

use crate::Symbol;
use arr_math::{elementary, single};

/// An element of a run.
trait Element: Copy {
    fn wide(self) -> f64;
    fn narrow(x: f64) -> Self;
    fn plain<F: Unary>(x: f64) -> f64;
    fn any<F: Unary>(x: f64) -> f64;
}

impl Element for f64 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn narrow(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn plain<F: Unary>(x: f64) -> f64 {
        F::plain(x)
    }

    #[inline(always)]
    fn any<F: Unary>(x: f64) -> f64 {
        F::any(x)
    }
}

impl Element for f32 {
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn narrow(x: f64) -> f32 {
        x as f32
    }

    #[inline(always)]
    fn plain<F: Unary>(x: f64) -> f64 {
        F::plain_single(x)
    }

    #[inline(always)]
    fn any<F: Unary>(x: f64) -> f64 {
        F::any_single(x)
    }
}

/// A function of one element: one version without branches for plain arguments, and one for all.
trait Unary {
    fn is_plain(x: f64) -> bool;
    fn plain(x: f64) -> f64;
    fn any(x: f64) -> f64;
    /// As `plain`, of an `f32`, before it is rounded.
    fn plain_single(x: f64) -> f64;
    /// As `any`, of an `f32`, before it is rounded.
    fn any_single(x: f64) -> f64;
}

/// Elements per block: two of the widest registers of `f64`, so that one waits while the other works. The length is
/// fixed, so that short runs have no remainder.
const BLOCK: usize = 16;

/// Runs of at most this length are computed one by one.
const SCALAR: usize = 2;

/// Applies a function to every element of a run, block by block.
#[inline(always)]
fn each<T: Element>(run: &mut [T], f: impl Fn(f64) -> f64) {
    let (blocks, rest) = run.as_chunks_mut::<BLOCK>();
    for block in blocks {
        for x in block.iter_mut() {
            *x = T::narrow(f(x.wide()));
        }
    }
    let few = rest.len() <= SCALAR;
    if let (false, Some(&first)) = (few, rest.first()) {
        // A partial block takes no longer than three elements computed one by one.
        let mut block = [first; BLOCK];
        block.iter_mut().zip(rest.iter()).for_each(|(to, from)| *to = *from);
        for x in block.iter_mut() {
            *x = T::narrow(f(x.wide()));
        }
        rest.iter_mut().zip(block).for_each(|(to, from)| *to = from);
        return;
    }
    for x in rest {
        *x = T::narrow(f(x.wide()));
    }
}

#[inline(always)]
fn map<F: Unary, T: Element>(run: &mut [T]) {
    let mut all_plain = true;
    for x in run.iter() {
        all_plain &= F::is_plain(x.wide());
    }
    if all_plain { each(run, T::plain::<F>) } else { each(run, T::any::<F>) }
}

#[inline(always)]
fn map_pow<T: Element>(run: &mut [T], exponents: &[T]) {
    let mut all_plain = true;
    for (x, y) in run.iter().zip(exponents) {
        all_plain &= elementary::is_plain_power(x.wide(), y.wide());
    }
    if !all_plain {
        for (x, y) in run.iter_mut().zip(exponents) {
            *x = T::narrow(arr_math::pow(x.wide(), y.wide()));
        }
        return;
    }
    let (blocks, rest) = run.as_chunks_mut::<BLOCK>();
    let (powers, powers_rest) = exponents.as_chunks::<BLOCK>();
    for (block, powers) in blocks.iter_mut().zip(powers) {
        for (x, y) in block.iter_mut().zip(powers) {
            *x = T::narrow(elementary::pow_positive(x.wide(), y.wide()));
        }
    }
    for (x, y) in rest.iter_mut().zip(powers_rest) {
        *x = T::narrow(elementary::pow_positive(x.wide(), y.wide()));
    }
}

/// Whether the processor supports a version of the kernels.
#[derive(Clone, Copy)]
struct Machine {
    #[cfg(target_arch = "x86_64")]
    avx512: bool,
    #[cfg(target_arch = "x86_64")]
    avx2: bool,
}

impl Machine {
    fn new() -> Machine {
        Machine {
            #[cfg(target_arch = "x86_64")]
            avx512: ["avx512f", "avx512dq", "avx512vl", "avx512bw"].iter().all(|f| has(f)) && has("fma") && has("avx2"),
            #[cfg(target_arch = "x86_64")]
            avx2: has("fma") && has("avx2"),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    match feature {
        "avx512f" => is_x86_feature_detected!("avx512f"),
        "avx512dq" => is_x86_feature_detected!("avx512dq"),
        "avx512vl" => is_x86_feature_detected!("avx512vl"),
        "avx512bw" => is_x86_feature_detected!("avx512bw"),
        "avx2" => is_x86_feature_detected!("avx2"),
        "fma" => is_x86_feature_detected!("fma"),
        _ => false,
    }
}

/// The versions of one function: `fn NAME(..) { body }` compiled for AVX-512, for AVX2 and for any machine.
macro_rules! versions {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)? $body:block) => {
        $(#[$doc])*
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,bmi2")]
            pub extern "C" fn avx512($($arg: $ty),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi2")]
            pub extern "C" fn avx2($($arg: $ty),*) $(-> $result)? $body

            pub extern "C" fn any($($arg: $ty),*) $(-> $result)? $body

            pub fn best(machine: Machine) -> *const u8 {
                #[cfg(target_arch = "x86_64")]
                if machine.avx512 {
                    return avx512 as *const u8;
                }
                #[cfg(target_arch = "x86_64")]
                if machine.avx2 {
                    return avx2 as *const u8;
                }
                let _any_machine = machine;
                any as *const u8
            }

            /// Every version that this machine can run.
            #[cfg(test)]
            pub fn all(machine: Machine) -> Vec<*const u8> {
                let mut all = vec![any as *const u8];
                #[cfg(target_arch = "x86_64")]
                if machine.avx2 {
                    all.push(avx2 as *const u8);
                }
                #[cfg(target_arch = "x86_64")]
                if machine.avx512 {
                    all.push(avx512 as *const u8);
                }
                all
            }
        }
    };
}

/// A run passed by compiled code: `count` elements that nothing else uses during the call.
#[inline(always)]
fn run<'a, T>(data: *mut T, count: usize) -> &'a mut [T] {
    // SAFETY: compiled code passes the address of a stack slot or buffer of at least `count` initialised elements of this
    // type, aligned for it, which only the calling thread uses until the call returns.
    unsafe { std::slice::from_raw_parts_mut(data, count) }
}

macro_rules! unary {
    ($( $function:ident $one:ident $f64s:ident $f32s:ident: $plain:expr, $name:ident; )*) => {
        $(
            struct $function;

            impl Unary for $function {
                #[inline(always)]
                fn is_plain(x: f64) -> bool {
                    let is_plain: fn(f64) -> bool = $plain;
                    is_plain(x)
                }

                #[inline(always)]
                fn plain(x: f64) -> f64 {
                    elementary::$name(x)
                }

                #[inline(always)]
                fn any(x: f64) -> f64 {
                    if Self::is_plain(x) { Self::plain(x) } else { arr_math::$name(x) }
                }

                #[inline(always)]
                fn plain_single(x: f64) -> f64 {
                    single::$name(x)
                }

                #[inline(always)]
                fn any_single(x: f64) -> f64 {
                    if Self::is_plain(x) { Self::plain_single(x) } else { arr_math::$name(x) }
                }
            }

            versions! { $one(x: f64) -> f64 { $function::any(x) } }
            versions! { $f64s(data: *mut f64, count: usize) { map::<$function, f64>(run(data, count)) } }
            versions! { $f32s(data: *mut f32, count: usize) { map::<$function, f32>(run(data, count)) } }
        )*

        fn unary_symbols(machine: Machine) -> Vec<Symbol> {
            vec![$(
                Symbol { name: stringify!($one), address: $one::best(machine) },
                Symbol { name: stringify!($f64s), address: $f64s::best(machine) },
                Symbol { name: stringify!($f32s), address: $f32s::best(machine) },
            )*]
        }

        #[cfg(test)]
        type Row = (&'static str, fn(f64) -> f64, Vec<*const u8>, Vec<*const u8>, Vec<*const u8>);

        #[cfg(test)]
        fn rows(machine: Machine) -> Vec<Row> {
            vec![$(
                (stringify!($name), arr_math::$name, $one::all(machine), $f64s::all(machine), $f32s::all(machine)),
            )*]
        }
    };
}

unary! {
    Exp arr_exp arr_exp_f64s arr_exp_f32s: |_| true, exp;
    Expm1 arr_expm1 arr_expm1_f64s arr_expm1_f32s: |_| true, expm1;
    Log arr_log arr_log_f64s arr_log_f32s: |_| true, log;
    Log1p arr_log1p arr_log1p_f64s arr_log1p_f32s: |_| true, log1p;
    Sin arr_sin arr_sin_f64s arr_sin_f32s: |x| x.abs() <= elementary::LARGEST_ANGLE, sin;
    Cos arr_cos arr_cos_f64s arr_cos_f32s: |x| x.abs() <= elementary::LARGEST_ANGLE, cos;
    Tanh arr_tanh arr_tanh_f64s arr_tanh_f32s: |_| true, tanh;
    Sigmoid arr_sigmoid arr_sigmoid_f64s arr_sigmoid_f32s: |_| true, sigmoid;
    Softplus arr_softplus arr_softplus_f64s arr_softplus_f32s: |_| true, softplus;
    Tan arr_tan arr_tan_f64s arr_tan_f32s: |x| x.abs() <= elementary::LARGEST_ANGLE, tan;
    Asin arr_asin arr_asin_f64s arr_asin_f32s: |_| true, asin;
    Acos arr_acos arr_acos_f64s arr_acos_f32s: |_| true, acos;
    Atan arr_atan arr_atan_f64s arr_atan_f32s: |_| true, atan;
    Sinh arr_sinh arr_sinh_f64s arr_sinh_f32s: |_| true, sinh;
    Cosh arr_cosh arr_cosh_f64s arr_cosh_f32s: |_| true, cosh;
    Erf arr_erf arr_erf_f64s arr_erf_f32s: |_| true, erf;
}

versions! { arr_exp_f32(x: f64) -> f64 { Exp::any_single(x) } }
versions! { arr_tanh_f32(x: f64) -> f64 { Tanh::any_single(x) } }
versions! { arr_sigmoid_f32(x: f64) -> f64 { Sigmoid::any_single(x) } }
versions! { arr_sinh_f32(x: f64) -> f64 { Sinh::any_single(x) } }
versions! { arr_cosh_f32(x: f64) -> f64 { Cosh::any_single(x) } }
versions! { arr_erf_f32(x: f64) -> f64 { Erf::any_single(x) } }
versions! { arr_pow(x: f64, y: f64) -> f64 { arr_math::pow(x, y) } }
versions! {
    arr_pow_f64s(data: *mut f64, exponents: *mut f64, count: usize) { map_pow(run(data, count), run(exponents, count)) }
}
versions! {
    arr_pow_f32s(data: *mut f32, exponents: *mut f32, count: usize) { map_pow(run(data, count), run(exponents, count)) }
}

/// The functions of this file: `arr_NAME` of one `f64`, `arr_NAME_f64s` and `arr_NAME_f32s` of a run, `arr_NAME_f32` of one
/// `f32` as an `f64`, before it is rounded, where that is another function.
pub(crate) fn symbols() -> Vec<Symbol> {
    let machine = Machine::new();
    let mut symbols = unary_symbols(machine);
    symbols.extend([
        Symbol { name: "arr_exp_f32", address: arr_exp_f32::best(machine) },
        Symbol { name: "arr_tanh_f32", address: arr_tanh_f32::best(machine) },
        Symbol { name: "arr_sigmoid_f32", address: arr_sigmoid_f32::best(machine) },
        Symbol { name: "arr_sinh_f32", address: arr_sinh_f32::best(machine) },
        Symbol { name: "arr_cosh_f32", address: arr_cosh_f32::best(machine) },
        Symbol { name: "arr_erf_f32", address: arr_erf_f32::best(machine) },
        Symbol { name: "arr_pow", address: arr_pow::best(machine) },
        Symbol { name: "arr_pow_f64s", address: arr_pow_f64s::best(machine) },
        Symbol { name: "arr_pow_f32s", address: arr_pow_f32s::best(machine) },
    ]);
    symbols
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn arguments() -> Vec<f64> {
        let mut xs: Vec<f64> = vec![0.0, 1.0, 1e-320, 1e13, 1e300, 709.9, 746.0, f64::INFINITY, f64::NAN, 0.5];
        xs.extend((0..400).map(|i| (f64::from(i) * 0.37).sin() * 1.05_f64.powi(i)));
        let negative: Vec<f64> = xs.iter().map(|x| -x).collect();
        xs.extend(negative);
        xs
    }

    fn same(name: &str, x: f64, found: f64, expected: f64) {
        let equal = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
        assert!(equal, "{name}({x:e}): {found:e} instead of {expected:e}");
    }

    /// Every version of every function gives the bits of the definition, on runs of any length, plain or not.
    #[test]
    fn versions_agree() {
        for (name, definition, ones, f64s, f32s) in rows(Machine::new()) {
            for one in ones {
                // SAFETY: the rows hold functions of this type.
                let one: extern "C" fn(f64) -> f64 = unsafe { std::mem::transmute(one) };
                arguments().into_iter().for_each(|x| same(name, x, one(x), definition(x)));
            }
            for count in [1, 7, 16, 32, 820] {
                for run in arguments().chunks(count) {
                    for &kernel in &f64s {
                        // SAFETY: the rows hold functions of this type.
                        let kernel: extern "C" fn(*mut f64, usize) = unsafe { std::mem::transmute(kernel) };
                        let mut values = run.to_vec();
                        kernel(values.as_mut_ptr(), values.len());
                        run.iter().zip(values).for_each(|(&x, y)| same(name, x, y, definition(x)));
                    }
                    for &kernel in &f32s {
                        // SAFETY: the rows hold functions of this type.
                        let kernel: extern "C" fn(*mut f32, usize) = unsafe { std::mem::transmute(kernel) };
                        let narrow: Vec<f32> = run.iter().map(|&x| x as f32).collect();
                        let mut values = narrow.clone();
                        kernel(values.as_mut_ptr(), values.len());
                        for (&x, y) in narrow.iter().zip(values) {
                            let expected = match name {
                                "exp" => arr_math::exp_f32(x),
                                "tanh" => arr_math::tanh_f32(x),
                                "sigmoid" => arr_math::sigmoid_f32(x),
                                "sinh" => arr_math::sinh_f32(x),
                                "cosh" => arr_math::cosh_f32(x),
                                "erf" => arr_math::erf_f32(x),
                                _ => definition(f64::from(x)) as f32,
                            };
                            same(name, f64::from(x), f64::from(y), f64::from(expected));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn versions_of_one_f32_agree() {
        let machine = Machine::new();
        type Row = (&'static str, fn(f32) -> f32, Vec<*const u8>);
        let rows: [Row; 6] = [
            ("exp", arr_math::exp_f32, arr_exp_f32::all(machine)),
            ("tanh", arr_math::tanh_f32, arr_tanh_f32::all(machine)),
            ("sigmoid", arr_math::sigmoid_f32, arr_sigmoid_f32::all(machine)),
            ("sinh", arr_math::sinh_f32, arr_sinh_f32::all(machine)),
            ("cosh", arr_math::cosh_f32, arr_cosh_f32::all(machine)),
            ("erf", arr_math::erf_f32, arr_erf_f32::all(machine)),
        ];
        for (name, definition, ones) in rows {
            for one in ones {
                // SAFETY: the rows hold functions of this type.
                let one: extern "C" fn(f64) -> f64 = unsafe { std::mem::transmute(one) };
                for x in arguments().into_iter().map(|x| x as f32) {
                    let found = one(f64::from(x)) as f32;
                    same(name, f64::from(x), f64::from(found), f64::from(definition(x)));
                }
            }
        }
    }

    #[test]
    fn powers_agree() {
        let machine = Machine::new();
        let (xs, ys) = (arguments(), arguments().into_iter().rev().collect::<Vec<f64>>());
        for count in [1, 16, 820] {
            for (x, y) in xs.chunks(count).zip(ys.chunks(count)) {
                for kernel in arr_pow_f64s::all(machine) {
                    // SAFETY: the rows hold functions of this type.
                    let kernel: extern "C" fn(*mut f64, *mut f64, usize) = unsafe { std::mem::transmute(kernel) };
                    let (mut values, mut exponents) = (x.to_vec(), y.to_vec());
                    kernel(values.as_mut_ptr(), exponents.as_mut_ptr(), values.len());
                    for ((&a, &b), found) in x.iter().zip(y).zip(values) {
                        same("pow", a, found, arr_math::pow(a, b));
                    }
                }
            }
        }
        for one in arr_pow::all(machine) {
            // SAFETY: the rows hold functions of this type.
            let one: extern "C" fn(f64, f64) -> f64 = unsafe { std::mem::transmute(one) };
            xs.iter().zip(&ys).for_each(|(&a, &b)| same("pow", a, one(a, b), arr_math::pow(a, b)));
        }
        assert!(arr_pow_f32s::all(machine).len() == arr_pow_f64s::all(machine).len());
    }
}
