//! Machine code independent of its memory: for a cache to keep and another process to run.
//!
//! A [`Recorder`] stands between code generation and the module and records every function that is defined. Functions
//! of the runtime are named, not addressed, so that an image does not depend on the addresses of a process.

use crate::code;
use crate::codegen::Result;
use cranelift_codegen::Context;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{LibCall, Signature};
use cranelift_codegen::isa::TargetIsa;
use cranelift_module::{
    DataDescription, DataId, FuncId, Linkage, Module, ModuleDeclarations, ModuleReloc, ModuleRelocTarget, ModuleResult,
};
use serde::{Deserialize, Serialize};

/// The functions of a module, in the order they were declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Image {
    functions: Vec<FunctionImage>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FunctionImage {
    /// Nothing for a function that only this module calls.
    name: Option<String>,
    /// Nothing for a function of the runtime.
    code: Option<CodeImage>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CodeImage {
    alignment: u64,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

/// A relocation: a position in the code, its kind (a row of [`KINDS`]), its target, and its addend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Relocation {
    offset: u32,
    kind: u8,
    target: Target,
    addend: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Target {
    /// A row of [`Image::functions`].
    Function(u32),
    /// A position in the function itself.
    Inside(u32),
    /// A row of [`LibCall::all_libcalls`].
    Library(u8),
}

/// The supported kinds of relocations. Code with another kind is not kept.
const KINDS: &[Reloc] = &[
    Reloc::Abs4,
    Reloc::Abs8,
    Reloc::X86PCRel4,
    Reloc::X86CallPCRel4,
    Reloc::X86CallPLTRel4,
    Reloc::Arm64Call,
    Reloc::Aarch64AdrPrelPgHi21,
    Reloc::Aarch64AddAbsLo12Nc,
];

impl Image {
    /// Defines the functions in a new module, so that they get the same numbers. Returns the number of the function
    /// with the given name; `None` if there is none. Fails where the module refuses a function.
    pub fn define(&self, module: &mut dyn Module, entry: &str) -> Result<Option<FuncId>> {
        let signature = module.make_signature();
        let mut ids = Vec::new();
        for function in &self.functions {
            let linkage = if function.code.is_some() { Linkage::Export } else { Linkage::Import };
            ids.push(match &function.name {
                Some(name) => module.declare_function(name, linkage, &signature)?,
                None => module.declare_anonymous_function(&signature)?,
            });
        }
        for (&id, function) in ids.iter().zip(&self.functions) {
            if let Some(code) = &function.code {
                let relocations: Option<Vec<ModuleReloc>> =
                    code.relocations.iter().map(|r| r.restored(id, &ids)).collect();
                let Some(relocations) = relocations else { return Ok(None) };
                module.define_function_bytes(id, code.alignment, &code.bytes, &relocations)?;
            }
        }
        let place = self.functions.iter().position(|f| f.name.as_deref() == Some(entry) && f.code.is_some());
        Ok(place.and_then(|k| ids.get(k).copied()))
    }

    /// Bytes of machine code.
    pub fn code_bytes(&self) -> usize {
        self.functions.iter().filter_map(|f| f.code.as_ref()).map(|c| c.bytes.len()).sum()
    }
}

impl Relocation {
    fn new(found: &ModuleReloc) -> Option<Relocation> {
        let kind = KINDS.iter().position(|&k| k == found.kind)?;
        let target = match found.name {
            ModuleRelocTarget::User { namespace: 0, index } => Target::Function(index),
            ModuleRelocTarget::FunctionOffset(_, offset) => Target::Inside(offset),
            ModuleRelocTarget::LibCall(call) => {
                Target::Library(u8::try_from(LibCall::all_libcalls().iter().position(|&c| c == call)?).ok()?)
            }
            ModuleRelocTarget::User { .. } | ModuleRelocTarget::KnownSymbol(_) => return None,
        };
        Some(Relocation { offset: found.offset, kind: u8::try_from(kind).ok()?, target, addend: found.addend })
    }

    fn restored(&self, own: FuncId, ids: &[FuncId]) -> Option<ModuleReloc> {
        let name = match self.target {
            Target::Function(row) => ModuleRelocTarget::user(0, ids.get(row as usize)?.as_u32()),
            Target::Inside(offset) => ModuleRelocTarget::FunctionOffset(own, offset),
            Target::Library(row) => ModuleRelocTarget::LibCall(*LibCall::all_libcalls().get(usize::from(row))?),
        };
        let kind = *KINDS.get(usize::from(self.kind))?;
        Some(ModuleReloc { offset: self.offset, kind, name, addend: self.addend })
    }
}

/// A module that records the definitions in it.
pub(crate) struct Recorder<M> {
    pub module: M,
    /// The code of each function that was defined; `None` once something is defined that cannot be kept.
    defined: Option<Vec<(FuncId, CodeImage)>>,
}

impl<M: Module> Recorder<M> {
    /// A recorder that records, or one that only passes on.
    pub fn new(module: M, notes: bool) -> Recorder<M> {
        Recorder { module, defined: notes.then(Vec::new) }
    }

    /// The defined functions; `None` if they cannot be kept.
    pub fn image(&mut self) -> Option<Image> {
        let mut defined = self.defined.take()?;
        let mut functions = Vec::new();
        for (id, declaration) in self.module.declarations().get_functions() {
            let code = defined.iter().position(|(d, _)| *d == id).map(|at| defined.swap_remove(at).1);
            functions.push(FunctionImage { name: declaration.name.clone(), code });
        }
        Some(Image { functions })
    }

    fn note(&mut self, id: FuncId, alignment: u64, bytes: &[u8], relocations: &[ModuleReloc]) {
        if self.defined.is_none() {
            return;
        }
        let relocations: Option<Vec<Relocation>> = relocations.iter().map(Relocation::new).collect();
        match (relocations, &mut self.defined) {
            (Some(relocations), Some(defined)) => {
                defined.push((id, CodeImage { alignment, bytes: bytes.to_vec(), relocations }));
            }
            _ => self.defined = None,
        }
    }
}

impl<M: Module> Module for Recorder<M> {
    fn isa(&self) -> &dyn TargetIsa {
        self.module.isa()
    }

    fn declarations(&self) -> &ModuleDeclarations {
        self.module.declarations()
    }

    fn declare_function(&mut self, name: &str, linkage: Linkage, signature: &Signature) -> ModuleResult<FuncId> {
        self.module.declare_function(name, linkage, signature)
    }

    fn declare_anonymous_function(&mut self, signature: &Signature) -> ModuleResult<FuncId> {
        self.module.declare_anonymous_function(signature)
    }

    fn declare_data(&mut self, name: &str, linkage: Linkage, writable: bool, tls: bool) -> ModuleResult<DataId> {
        self.defined = None;
        self.module.declare_data(name, linkage, writable, tls)
    }

    fn declare_anonymous_data(&mut self, writable: bool, tls: bool) -> ModuleResult<DataId> {
        self.defined = None;
        self.module.declare_anonymous_data(writable, tls)
    }

    fn define_function_with_control_plane(
        &mut self,
        id: FuncId,
        context: &mut Context,
        control: &mut ControlPlane,
    ) -> ModuleResult<()> {
        let code = code::compile(self.module.isa(), id, context, control)?;
        self.define_function_bytes(id, code.alignment, code.bytes, &code.relocations)
    }

    fn define_function_bytes(
        &mut self,
        id: FuncId,
        alignment: u64,
        bytes: &[u8],
        relocations: &[ModuleReloc],
    ) -> ModuleResult<()> {
        self.module.define_function_bytes(id, alignment, bytes, relocations)?;
        self.note(id, alignment, bytes, relocations);
        Ok(())
    }

    fn define_data(&mut self, id: DataId, data: &DataDescription) -> ModuleResult<()> {
        self.module.define_data(id, data)
    }
}
