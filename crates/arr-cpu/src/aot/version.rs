//! A module seen with another target: definitions through it are compiled for that one, and its own names do not clash
//! with those of other versions.

use crate::code;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Signature;
use cranelift_codegen::isa::TargetIsa;
use cranelift_module::{
    DataDescription, DataId, FuncId, Linkage, Module, ModuleDeclarations, ModuleReloc, ModuleResult,
};

pub(crate) struct Version<'a> {
    inner: &'a mut dyn Module,
    isa: &'a dyn TargetIsa,
    /// The prefix of local names.
    name: &'a str,
}

impl<'a> Version<'a> {
    pub fn new(inner: &'a mut dyn Module, isa: &'a dyn TargetIsa, name: &'a str) -> Version<'a> {
        Version { inner, isa, name }
    }

    fn own(&self, name: &str, linkage: Linkage) -> String {
        if linkage == Linkage::Import { name.to_string() } else { format!("{}.{name}", self.name) }
    }
}

impl Module for Version<'_> {
    fn isa(&self) -> &dyn TargetIsa {
        self.isa
    }

    fn declarations(&self) -> &ModuleDeclarations {
        self.inner.declarations()
    }

    fn declare_function(&mut self, name: &str, linkage: Linkage, signature: &Signature) -> ModuleResult<FuncId> {
        self.inner.declare_function(&self.own(name, linkage), linkage, signature)
    }

    fn declare_anonymous_function(&mut self, signature: &Signature) -> ModuleResult<FuncId> {
        self.inner.declare_anonymous_function(signature)
    }

    fn declare_data(&mut self, name: &str, linkage: Linkage, writable: bool, tls: bool) -> ModuleResult<DataId> {
        self.inner.declare_data(&self.own(name, linkage), linkage, writable, tls)
    }

    fn declare_anonymous_data(&mut self, writable: bool, tls: bool) -> ModuleResult<DataId> {
        self.inner.declare_anonymous_data(writable, tls)
    }

    fn define_function_with_control_plane(
        &mut self,
        id: FuncId,
        context: &mut Context,
        control: &mut ControlPlane,
    ) -> ModuleResult<()> {
        let code = code::compile(self.isa, id, context, control)?;
        self.inner.define_function_bytes(id, code.alignment, code.bytes, &code.relocations)
    }

    fn define_function_bytes(
        &mut self,
        id: FuncId,
        alignment: u64,
        bytes: &[u8],
        relocs: &[ModuleReloc],
    ) -> ModuleResult<()> {
        self.inner.define_function_bytes(id, alignment, bytes, relocs)
    }

    fn define_data(&mut self, id: DataId, data: &DataDescription) -> ModuleResult<()> {
        self.inner.define_data(id, data)
    }
}
