//! Imports of an object from the runtime: a jump through a slot for each name, which the first call fills.

use super::tables::{Table, bytes};
use crate::codegen::Result;
use arr_capi::table::offsets;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Signature, types};
use cranelift_module::{DataDescription, DataId, FuncId, Linkage, Module, ModuleReloc};
use cranelift_object::ObjectModule;

/// The data that an object's tables share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Imports {
    pub table: DataId,
    slots: DataId,
    ready: DataId,
}

/// Declares them; [`define`] comes when all code has been emitted.
pub(super) fn declare(module: &mut ObjectModule) -> Result<Imports> {
    // Names, as anonymous data is final when it is declared.
    let mut local = |name: &str, writable: bool| -> Result<DataId> {
        Ok(module.declare_data(name, Linkage::Local, writable, false)?)
    };
    Ok(Imports {
        table: local("arr.imports", false)?,
        slots: local("arr.slots", true)?,
        ready: local("arr.ready", true)?,
    })
}

/// Gives every function that is called but not defined a body: a jump. All but those in `linked`, which the linker
/// resolves.
pub(super) fn define(module: &mut ObjectModule, imports: Imports, linked: &[&str]) -> Result<()> {
    let declared = module.declarations().get_functions();
    let wanted = declared.filter(|(_, f)| f.linkage == Linkage::Import);
    let wanted = wanted.filter_map(|(_, f)| Some((f.name.clone()?, f.signature.clone())));
    let wanted: Vec<(String, Signature)> = wanted.filter(|(name, _)| !linked.contains(&name.as_str())).collect();
    for (at, (name, signature)) in wanted.iter().enumerate() {
        let id = module.declare_function(name, Linkage::Local, signature)?;
        if super::is_x86_64(module.isa()) {
            jump(module, id, imports.slots, at)?;
        } else {
            call(module, name, signature, imports.slots, at)?;
        }
    }
    let zeros = |module: &mut ObjectModule, id: DataId, size: usize| -> Result<()> {
        let mut data = DataDescription::new();
        data.define_zeroinit(size);
        data.set_align(8);
        Ok(module.define_data(id, &data)?)
    };
    zeros(module, imports.slots, (wanted.len() * 8).max(8))?;
    zeros(module, imports.ready, 8)?;
    let names: String = wanted.iter().map(|(name, _)| format!("{name}\n")).collect();
    let mut table = Table::new(offsets::IMPORT_BYTES);
    table.number(offsets::NAMES_LEN, names.len() as u64);
    table.address(offsets::NAMES, bytes(module, names.into_bytes())?);
    table.address(offsets::SLOTS, imports.slots);
    table.address(offsets::READY, imports.ready);
    table.define_as(module, imports.table)
}

/// `jmp *slot(%rip)`
fn jump(module: &mut ObjectModule, id: FuncId, slots: DataId, at: usize) -> Result<()> {
    // The distance counts from the end of its own four bytes.
    let reloc = ModuleReloc { offset: 2, kind: Reloc::X86PCRel4, name: slots.into(), addend: at as i64 * 8 - 4 };
    module.define_function_bytes(id, 16, &[0xff, 0x25, 0, 0, 0, 0], &[reloc])?;
    Ok(())
}

/// The same with instructions that every processor has.
fn call(module: &mut ObjectModule, name: &str, signature: &Signature, slots: DataId, at: usize) -> Result<()> {
    super::define(module, name, Linkage::Local, signature, |module, b, params| {
        let slots = module.declare_data_in_func(slots, b.func);
        let slots = b.ins().symbol_value(types::I64, slots);
        let offset = crate::codegen::slot_offset(at)?;
        let address = b.ins().load(types::I64, MemFlagsData::trusted(), slots, offset);
        let signature = b.import_signature(signature.clone());
        let call = b.ins().call_indirect(signature, address, params);
        let results = b.inst_results(call).to_vec();
        b.ins().return_(&results);
        Ok(())
    })
}
