//! The functions of `mixture.h`, and a safe way to call them.

use crate::Mixture;
use std::ffi::{CStr, c_char};

#[repr(C)]
struct Context {
    _private: [u8; 0],
}

/// `arr_f64_1`, `arr_f64_2`, ..
#[repr(C)]
#[derive(Clone, Copy)]
struct Array<const RANK: usize> {
    data: *const f64,
    dims: [i64; RANK],
}

/// `mixture_Mixture`
#[repr(C)]
struct RawMixture {
    logw: Array<1>,
    mean: Array<2>,
    logdiag: Array<2>,
    below: Array<3>,
}

unsafe extern "C" {
    fn arr_context_new() -> *mut Context;
    fn arr_context_free(context: *mut Context);
    fn arr_context_error(context: *const Context) -> *const c_char;
    fn arr_free_mixture_Mixture(value: *mut RawMixture);
    fn mixture_density_value_and_grad(
        context: *mut Context,
        p: *const RawMixture,
        xs: *const Array<2>,
        value: *mut f64,
        d_p: *mut RawMixture,
    ) -> i32;
}

/// A view of our array in the library's form.
fn view<const RANK: usize>(data: &[f64], dims: [usize; RANK]) -> Array<RANK> {
    assert_eq!(data.len(), dims.iter().product(), "an array has as many elements as its sizes say");
    Array { data: data.as_ptr(), dims: dims.map(|d| d as i64) }
}

/// A copy of the library's array.
fn copy<const RANK: usize>(array: &Array<RANK>) -> Vec<f64> {
    let count = array.dims.iter().product::<i64>() as usize;
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: a result has as many elements as its sizes say, until it is freed.
    unsafe { std::slice::from_raw_parts(array.data, count) }.to_vec()
}

pub struct Library {
    context: *mut Context,
}

impl Library {
    pub fn new() -> Library {
        // SAFETY: it has no conditions.
        Library { context: unsafe { arr_context_new() } }
    }

    /// The log-density of points of `d` numbers under a mixture of `k`, and its gradient.
    pub fn density_value_and_grad(
        &mut self,
        p: &Mixture,
        k: usize,
        d: usize,
        points: &[f64],
    ) -> Result<(f64, Mixture), String> {
        let raw = RawMixture {
            logw: view(&p.logw, [k]),
            mean: view(&p.mean, [k, d]),
            logdiag: view(&p.logdiag, [k, d]),
            below: view(&p.below, [k, d, d]),
        };
        let xs = view(points, [points.len() / d, d]);
        let mut value = 0.0;
        let mut gradient = std::mem::MaybeUninit::<RawMixture>::uninit();
        // SAFETY: the arrays are as long as their sizes say, and outlive the call; the results have the types of the header.
        let status =
            unsafe { mixture_density_value_and_grad(self.context, &raw, &xs, &mut value, gradient.as_mut_ptr()) };
        if status != 0 {
            // SAFETY: the message is there until the next call.
            return Err(unsafe { CStr::from_ptr(arr_context_error(self.context)) }.to_string_lossy().into_owned());
        }
        // SAFETY: the call succeeded, so that it has written its results.
        let mut raw = unsafe { gradient.assume_init() };
        let gradient = Mixture {
            logw: copy(&raw.logw),
            mean: copy(&raw.mean),
            logdiag: copy(&raw.logdiag),
            below: copy(&raw.below),
        };
        // SAFETY: a result that was not freed.
        unsafe { arr_free_mixture_Mixture(&mut raw) };
        Ok((value, gradient))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: it came from `arr_context_new` and is not used again.
        unsafe { arr_context_free(self.context) };
    }
}
