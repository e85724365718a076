//! Static libraries: the runtime, alone or with an object.

use super::failed;
use crate::commands::Result;
use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use arr_driver::Failure;
use object::elf::{SHT_SYMTAB, STB_GLOBAL, STB_WEAK};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, pod};
use std::io::Cursor;

/// A member's name and contents.
type Member = (String, Vec<u8>);

/// The runtime for users to link. Fails with a [`Failure::Bug`] if the library is no readable archive, with E0707 if it
/// cannot be reassembled.
pub fn runtime(library: &[u8]) -> Result<Vec<u8>> {
    archive(&members(library)?)
}

/// The runtime and an object as one library. Fails as [`runtime`] does.
pub fn with_object(library: &[u8], name: &str, object: &[u8]) -> Result<Vec<u8>> {
    let mut all = vec![(name.to_string(), object.to_vec())];
    all.extend(members(library)?);
    archive(&all)
}

/// An object as a library without the runtime. Fails as [`runtime`] does.
pub fn object_alone(name: &str, object: &[u8]) -> Result<Vec<u8>> {
    archive(&[(name.to_string(), object.to_vec())])
}

fn damaged(error: &dyn std::fmt::Display) -> Failure {
    Failure::Bug(format!("the runtime library cannot be read: {error}"))
}

fn members(library: &[u8]) -> Result<Vec<Member>> {
    let file = ArchiveFile::parse(library).map_err(|e| damaged(&e))?;
    let mut members = Vec::new();
    for member in file.members() {
        let member = member.map_err(|e| damaged(&e))?;
        let mut data = member.data(library).map_err(|e| damaged(&e))?.to_vec();
        make_weak(&mut data);
        members.push((String::from_utf8_lossy(member.name()).into_owned(), data));
    }
    Ok(members)
}

/// Makes the runtime's copies of Rust's own library weak, so that those of the user's program take precedence: without
/// this, a Rust program could not be linked to a library of ours. Our own names do not change, so that two runtimes are
/// an error.
fn make_weak(data: &mut [u8]) {
    for at in own_symbols(data).unwrap_or_default() {
        if let Some(info) = data.get_mut(at) {
            *info = (STB_WEAK << 4) | (*info & 0xf);
        }
    }
}

/// The positions of the binding and type of those symbols. `None` if it is no ELF object.
fn own_symbols(data: &[u8]) -> Option<Vec<usize>> {
    let header = object::elf::FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let table = sections.iter().find(|s| s.sh_type(endian) == SHT_SYMTAB)?;
    let symbols = sections.symbols(endian, data, SHT_SYMTAB).ok()?;
    let start = usize::try_from(table.sh_offset(endian)).ok()?;
    let mut found = Vec::new();
    for (row, symbol) in symbols.iter().enumerate() {
        let name = symbol.name(endian, symbols.strings()).ok()?;
        let defined = !symbol.is_undefined(endian);
        if defined && symbol.st_bind() == STB_GLOBAL && !name.starts_with(b"arr_") {
            // `st_info` stands behind the name's four bytes.
            found.push(start + row * pod::bytes_of(symbol).len() + 4);
        }
    }
    Some(found)
}

fn archive(members: &[Member]) -> Result<Vec<u8>> {
    let members: Vec<NewArchiveMember> = members
        .iter()
        .map(|(name, data)| NewArchiveMember::new(data.as_slice(), &DEFAULT_OBJECT_READER, name.clone()))
        .collect();
    let kind = if cfg!(target_vendor = "apple") { ArchiveKind::Darwin } else { ArchiveKind::Gnu };
    let mut out = Cursor::new(Vec::new());
    write_archive_to_stream(&mut out, &members, kind, false, None)
        .map_err(|e| failed(format!("the library cannot be put together: {e}")))?;
    Ok(out.into_inner())
}
