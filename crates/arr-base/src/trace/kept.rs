//! The value of a place that was not shown, which is shown if it is the last one.

use super::Traced;

/// The most elements of a value that is kept, without being shown, in case it is the last one.
const MOST_KEPT: usize = 1 << 20;

impl Traced<'_> {
    fn len(self) -> usize {
        match self {
            Traced::Bool(v) => v.len(),
            Traced::I32(v) => v.len(),
            Traced::I64(v) => v.len(),
            Traced::U32(v) => v.len(),
            Traced::F32(v) => v.len(),
            Traced::F64(v) => v.len(),
        }
    }
}

/// A value that was not shown: its sizes and elements.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    dims: Vec<i64>,
    data: Option<Owned>,
}

#[derive(Clone, Debug)]
enum Owned {
    Bool(Vec<bool>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U32(Vec<u32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Kept {
    /// Keeps a value instead of the one before, in the same memory; none of a value that is too large.
    pub(super) fn keep(&mut self, dims: &[i64], data: Traced<'_>) {
        fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
            to.clear();
            to.extend_from_slice(from);
        }
        if data.len() > MOST_KEPT {
            self.data = None;
            return;
        }
        copy(&mut self.dims, dims);
        match (&mut self.data, data) {
            (Some(Owned::Bool(to)), Traced::Bool(from)) => copy(to, from),
            (Some(Owned::I32(to)), Traced::I32(from)) => copy(to, from),
            (Some(Owned::I64(to)), Traced::I64(from)) => copy(to, from),
            (Some(Owned::U32(to)), Traced::U32(from)) => copy(to, from),
            (Some(Owned::F32(to)), Traced::F32(from)) => copy(to, from),
            (Some(Owned::F64(to)), Traced::F64(from)) => copy(to, from),
            (data, from) => *data = Some(Owned::of(from)),
        }
    }

    /// The sizes and elements of the last value, if it was kept.
    pub(super) fn value(&self) -> Option<(&[i64], Traced<'_>)> {
        self.data.as_ref().map(|data| (self.dims.as_slice(), data.lent()))
    }
}

impl Owned {
    fn of(data: Traced<'_>) -> Owned {
        match data {
            Traced::Bool(v) => Owned::Bool(v.to_vec()),
            Traced::I32(v) => Owned::I32(v.to_vec()),
            Traced::I64(v) => Owned::I64(v.to_vec()),
            Traced::U32(v) => Owned::U32(v.to_vec()),
            Traced::F32(v) => Owned::F32(v.to_vec()),
            Traced::F64(v) => Owned::F64(v.to_vec()),
        }
    }

    fn lent(&self) -> Traced<'_> {
        match self {
            Owned::Bool(v) => Traced::Bool(v),
            Owned::I32(v) => Traced::I32(v),
            Owned::I64(v) => Traced::I64(v),
            Owned::U32(v) => Traced::U32(v),
            Owned::F32(v) => Traced::F32(v),
            Owned::F64(v) => Traced::F64(v),
        }
    }
}
