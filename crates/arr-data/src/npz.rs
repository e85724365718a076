//! NumPy's `.npz`: a zip archive of `.npy` files, one per field. Fields of nested records are named with dots.

use crate::reading::{Notes, Reading, Room};
use crate::text::rank_text;
use crate::{DataError, EdgeValue, Problem, archive, npy};
use arr_ir::{Edge, Leaf, Value};
use std::io::{Cursor, Read, Write};
use zip::ZipArchive;
use zip::write::{SimpleFileOptions, ZipWriter};

const FORMAT: &str = ".npz";
/// No array has a longer header; its length is only a claim.
const LONGEST_HEADER: usize = 1 << 20;

/// Reads an archive, unpacking its arrays within the memory that there is.
pub(crate) fn read(bytes: &[u8], edge: &Edge, how: &Reading<'_>, notes: &mut Notes) -> Result<EdgeValue, DataError> {
    archive::check(edge, FORMAT)?;
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| DataError::damaged(FORMAT, e.to_string()))?;
    let names: Result<Vec<String>, _> =
        archive.file_names().map(|n| n.map(|n| n.strip_suffix(".npy").unwrap_or(&n).to_string())).collect();
    let mut names = names.map_err(|e| DataError::damaged(FORMAT, e.to_string()))?;
    names.sort();
    let mut values = Vec::new();
    let mut room = Room::new(how.limit);
    for (leaf, name) in edge.leaves().iter().zip(archive::names_for(edge, &names, how, notes)?) {
        values.push(entry(&mut archive, &name, leaf, &mut room).map_err(|e| e.at_path(&leaf.path))?);
    }
    EdgeValue::from_leaves(edge, &values)
        .ok_or_else(|| Problem::Type { expected: rank_text(edge), found: "other arrays".to_string() }.into())
}

/// Reads one array. Its header comes first: a wrong one is refused before the elements are unpacked, as a few bytes in
/// the archive can expand to any number of them.
fn entry(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    name: &str,
    leaf: &Leaf,
    room: &mut Room,
) -> Result<Value, DataError> {
    let bad =
        |e: &dyn std::fmt::Display| DataError::damaged(FORMAT, format!("its entry `{name}` cannot be read ({e})"));
    let full = format!("{name}.npy");
    let full = if archive.index_for_name(&full).is_some() { full } else { name.to_string() };
    let mut file = archive.by_name(&full).map_err(|e| bad(&e))?;
    let size = file.size();
    let mut bytes = Vec::new();
    let mut more = |bytes: &mut Vec<u8>, until: u64| {
        let missing = until.saturating_sub(bytes.len() as u64);
        (&mut file).take(missing).read_to_end(bytes).map_err(|e| bad(&e))
    };
    more(&mut bytes, npy::PREAMBLE as u64)?;
    let header_end = npy::header_end(&bytes)?;
    if header_end > LONGEST_HEADER {
        return Err(bad(&format_args!("a header of {header_end} bytes")));
    }
    more(&mut bytes, header_end as u64)?;
    let expected = format!("{}{}", "[_]".repeat(leaf.ty.rank()), leaf.ty.elem);
    let described = npy::describe(&bytes, leaf.ty.elem, leaf.ty.rank(), &expected)?;
    let data_at = described.data_at();
    if described.file_bytes() != size {
        return Err(described.misfit(size.saturating_sub(data_at as u64)));
    }
    room.take(size)?;
    // One byte more shows whether the archive tells the truth.
    more(&mut bytes, size.saturating_add(1))?;
    if bytes.len() as u64 != size {
        return Err(bad(&format_args!("{} bytes or more instead of {size}", bytes.len())));
    }
    described.array(bytes.get(data_at..).unwrap_or(&[]), leaf.ty.elem)
}

/// The bytes of an archive with one entry per leaf; the same value gives the same bytes.
pub(crate) fn write(value: &EdgeValue, edge: &Edge) -> Result<Vec<u8>, String> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default())
        .large_file(true);
    for (leaf, value) in edge.leaves().iter().zip(value.leaves()) {
        zip.start_file(format!("{}.npy", archive::name_of(leaf)), options).map_err(|e| e.to_string())?;
        zip.write_all(&npy::write(&value)).map_err(|e| e.to_string())?;
    }
    zip.finish().map(Cursor::into_inner).map_err(|e| e.to_string())
}
