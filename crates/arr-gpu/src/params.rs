//! The uniform block of a kernel's parameters.

use crate::GpuError;
use crate::data::{width, word};
use arr_ir::{Const, Scalar};
use arr_loops::{LocalId, Ty};
use arr_wgsl::program::{Integers, Kernel, Program};

/// The position of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub local: LocalId,
    pub elem: Scalar,
    pub offset: u64,
}

/// The layout of a kernel's parameters in their block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub fields: Vec<Field>,
    /// Of the whole block, a multiple of 16; 0 if there are no parameters.
    pub bytes: u64,
}

impl Layout {
    pub fn of(program: &Program, kernel: &Kernel) -> Layout {
        let mut offset = 0u64;
        let mut fields = Vec::with_capacity(kernel.params.len());
        for &local in &kernel.params {
            let elem = match program.func.ty(local) {
                Ty::Scalar(elem) => elem,
                Ty::Address(_) | Ty::Buffer(_) => Scalar::I64,
            };
            let size = width(elem, program.integers);
            offset = offset.next_multiple_of(size);
            fields.push(Field { local, elem, offset });
            offset += size;
        }
        Layout { fields, bytes: offset.next_multiple_of(16) }
    }

    /// The block with the host's values. Fails if `value` does, with [`GpuError::Range`] if an integer does not fit,
    /// and internally if a value is not of its type.
    pub fn block(
        &self,
        integers: Integers,
        mut value: impl FnMut(LocalId) -> Result<Const, GpuError>,
        name: impl Fn(LocalId) -> String,
    ) -> Result<Vec<u8>, GpuError> {
        let mut block = vec![0; self.bytes as usize];
        for field in &self.fields {
            let c = value(field.local)?;
            if c.scalar() != field.elem {
                return Err(GpuError::internal(format!("parameter {} is not of its type", name(field.local))));
            }
            let (bytes, len) = word(c, integers).ok_or_else(|| GpuError::Range {
                what: format!("`{}`", name(field.local)),
                value: c.as_i64().unwrap_or(0),
                span: None,
            })?;
            let at = field.offset as usize;
            if let (Some(place), Some(bytes)) = (block.get_mut(at..at + len), bytes.get(..len)) {
                place.copy_from_slice(bytes);
            }
        }
        Ok(block)
    }
}
