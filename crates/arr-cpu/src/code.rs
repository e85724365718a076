//! The machine code of a function as bytes, for modules that wrap another module.

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::TargetIsa;
use cranelift_module::{FuncId, ModuleError, ModuleReloc, ModuleResult};

/// The arguments of `Module::define_function_bytes`.
pub(crate) struct FunctionBytes<'c> {
    pub alignment: u64,
    pub bytes: &'c [u8],
    pub relocations: Vec<ModuleReloc>,
}

/// Compiles the function in `context`, declared as `id`, for a target.
#[expect(clippy::result_large_err, reason = "the error is that of `Module`, whose methods call this")]
pub(crate) fn compile<'c>(
    isa: &dyn TargetIsa,
    id: FuncId,
    context: &'c mut Context,
    control: &mut ControlPlane,
) -> ModuleResult<FunctionBytes<'c>> {
    context.compile(isa, control)?;
    let code = context.compiled_code().ok_or(ModuleError::Backend(NoCode.into()))?;
    let relocations = code.buffer.relocs().iter().map(|r| ModuleReloc::from_mach_reloc(r, &context.func, id));
    Ok(FunctionBytes {
        alignment: u64::from(code.buffer.alignment),
        bytes: code.code_buffer(),
        relocations: relocations.collect(),
    })
}

/// The code generator succeeded but returned nothing.
#[derive(Debug)]
struct NoCode;

impl std::fmt::Display for NoCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the code generator gave no code")
    }
}

impl std::error::Error for NoCode {}
