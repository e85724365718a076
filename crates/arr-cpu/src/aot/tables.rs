//! Data of an object: the runtime's descriptions of functions, and constants.

use crate::CompileError;
use crate::codegen::{Result, internal};
use arr_capi::table::{FORMAT, LEVELS, offsets};
use arr_capi::{Constant, Description, Field};
use arr_ir::{Const, Literal};
use cranelift_module::{DataDescription, DataId, FuncId, Module};
use cranelift_object::ObjectModule;

/// Wide enough for every vector register.
const ALIGN: u64 = 64;

fn define(module: &mut ObjectModule, bytes: Vec<u8>, align: u64) -> Result<DataId> {
    let mut data = DataDescription::new();
    data.define(bytes.into_boxed_slice());
    data.set_align(align);
    let id = module.declare_anonymous_data(false, false)?;
    module.define_data(id, &data)?;
    Ok(id)
}

/// Bytes; at least one, so that they have an address.
pub(super) fn bytes(module: &mut ObjectModule, mut bytes: Vec<u8>) -> Result<DataId> {
    if bytes.is_empty() {
        bytes.push(0);
    }
    define(module, bytes, 1)
}

fn words(module: &mut ObjectModule, words: &[u64]) -> Result<DataId> {
    define(module, words.iter().flat_map(|word| word.to_ne_bytes()).collect(), 8)
}

/// A table of numbers, and addresses of data and code, at given offsets.
pub(super) struct Table {
    bytes: Vec<u8>,
    data: Vec<(usize, DataId)>,
    code: Vec<(usize, FuncId)>,
}

impl Table {
    pub fn new(bytes: usize) -> Table {
        Table { bytes: vec![0; bytes], data: Vec::new(), code: Vec::new() }
    }

    pub fn number(&mut self, at: usize, number: u64) {
        if let Some(place) = self.bytes.get_mut(at..at + 8) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
    }

    pub fn address(&mut self, at: usize, of: DataId) {
        self.data.push((at, of));
    }

    /// Puts the table into the module, without a name. Fails as [`Table::define_as`] does.
    pub fn define(self, module: &mut ObjectModule) -> Result<DataId> {
        let id = module.declare_anonymous_data(false, false)?;
        self.define_as(module, id)?;
        Ok(id)
    }

    /// Puts the table into the module as data that is declared. Fails if the module refuses it, or an offset in the
    /// table does not fit 32 bits.
    pub fn define_as(self, module: &mut ObjectModule, id: DataId) -> Result<()> {
        let offset = |at: usize| u32::try_from(at).map_err(|_| CompileError::TooLarge);
        let mut data = DataDescription::new();
        data.define(self.bytes.into_boxed_slice());
        data.set_align(8);
        for (at, target) in self.data {
            let target = module.declare_data_in_data(target, &mut data);
            data.write_data_addr(offset(at)?, target, 0);
        }
        for (at, target) in self.code {
            let target = module.declare_func_in_data(target, &mut data);
            data.write_function_addr(offset(at)?, target);
        }
        module.define_data(id, &data)?;
        Ok(())
    }
}

/// The table of a function.
pub(super) fn function(
    module: &mut ObjectModule,
    description: &Description,
    constants: &[(Constant, DataId)],
    imports: super::imports::Imports,
    entries: [Option<FuncId>; LEVELS],
) -> Result<DataId> {
    let shapes = constants.iter().map(|(constant, _)| *constant).collect();
    let encoded = Description { constants: shapes, ..description.clone() }.encode();
    let mut addresses = Table::new((constants.len() * 8).max(8));
    constants.iter().enumerate().for_each(|(at, (_, data))| addresses.address(at * 8, *data));
    let mut table = Table::new(offsets::FUNCTION_BYTES);
    table.number(offsets::FORMAT, FORMAT);
    table.number(offsets::WORD_COUNT, encoded.words.len() as u64);
    table.number(offsets::TEXT_LEN, encoded.text.len() as u64);
    table.address(offsets::WORDS, words(module, &encoded.words)?);
    table.address(offsets::TEXT, bytes(module, encoded.text)?);
    table.address(offsets::CONSTANTS, addresses.define(module)?);
    table.address(offsets::IMPORTS, imports.table);
    for (level, entry) in entries.into_iter().enumerate() {
        table.code.extend(entry.map(|entry| (offsets::VERSIONS + level * 8, entry)));
    }
    table.define(module)
}

/// An array constant.
pub(super) fn constant(module: &mut ObjectModule, literal: &Literal) -> Result<(Constant, DataId)> {
    let elem = literal.elem;
    let mut bytes = Vec::with_capacity(literal.data.len() * elem.bytes());
    for value in &literal.data {
        if value.scalar() != literal.elem {
            return Err(internal("a constant of another type"));
        }
        element(*value, &mut bytes);
    }
    bytes.resize(bytes.len().max(1), 0);
    Ok((Constant { elem, len: literal.data.len() }, define(module, bytes, ALIGN)?))
}

fn element(value: Const, bytes: &mut Vec<u8>) {
    match value {
        Const::Bool(x) => bytes.push(u8::from(x)),
        Const::I32(x) => bytes.extend(x.to_ne_bytes()),
        Const::I64(x) => bytes.extend(x.to_ne_bytes()),
        Const::U32(x) => bytes.extend(x.to_ne_bytes()),
        Const::F32(x) => bytes.extend(x.to_ne_bytes()),
        Const::F64(x) => bytes.extend(x.to_ne_bytes()),
    }
}

/// The input of `arr_release`.
pub(super) fn fields(module: &mut ObjectModule, fields: &[Field]) -> Result<DataId> {
    let mut bytes = Vec::new();
    for field in fields {
        bytes.extend(field.offset.to_ne_bytes());
        bytes.extend(field.elem.to_ne_bytes());
        bytes.extend(field.rank.to_ne_bytes());
    }
    define(module, bytes, 8)
}
