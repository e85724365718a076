//! Reasons why a function cannot be compiled.

use cranelift_module::ModuleError;

/// An obstacle to machine code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompileError {
    /// There is no code generator for this machine.
    Target(String),
    /// The function is too large for the code generator.
    TooLarge,
    /// The loop function is not well formed, or the code generator refused its input.
    Internal(String),
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CompileError::Target(why) => write!(f, "no code can be made for this machine: {why}"),
            CompileError::TooLarge => write!(f, "the function is too large to compile"),
            CompileError::Internal(what) => write!(f, "code generation failed: {what}"),
        }
    }
}

impl std::error::Error for CompileError {}

impl From<ModuleError> for CompileError {
    fn from(error: ModuleError) -> CompileError {
        use cranelift_codegen::CodegenError;
        match error {
            ModuleError::Compilation(CodegenError::CodeTooLarge | CodegenError::ImplLimitExceeded) => {
                CompileError::TooLarge
            }
            other => CompileError::Internal(format!("{other:?}")),
        }
    }
}
