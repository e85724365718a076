//! File formats by name, and values from and to the bytes of files.

use crate::raw::{self, Dialect, Raw};
use crate::reading::{CellRules, Notes, Reading};
use crate::text::rank_text;
use crate::value::single_leaf;
use crate::{
    DataError, EdgeValue, Problem, archive, csv, npy, npz, parquet, part, picture, plain, tensors, to_json, typed,
};
use arr_ir::Edge;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Npy,
    Npz,
    Json,
    Csv,
    Parquet,
    Safetensors,
    Png,
    Text,
}

/// The extensions of files' names, in lower case.
const EXTENSIONS: [(&str, Format); 8] = [
    ("npy", Format::Npy),
    ("npz", Format::Npz),
    ("json", Format::Json),
    ("csv", Format::Csv),
    ("parquet", Format::Parquet),
    ("safetensors", Format::Safetensors),
    ("png", Format::Png),
    ("txt", Format::Text),
];

impl Format {
    /// The extension of its files.
    pub(crate) fn name(self) -> &'static str {
        EXTENSIONS.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// By the extension of a file's name. Errors: E0702 where no format with this extension can be read.
    pub fn of(name: &str) -> Result<Format, DataError> {
        let extension = name.rsplit(['/', '\\']).next().and_then(|n| n.rsplit_once('.')).map(|(_, e)| e);
        let extension = extension.map(str::to_ascii_lowercase);
        let found = EXTENSIONS.iter().find(|(own, _)| Some(*own) == extension.as_deref());
        found.map(|(_, format)| *format).ok_or_else(|| Problem::UnknownFormat { name: name.to_string() }.into())
    }
}

/// Reads a value literal (or JSON) of the declared type. Errors: E0706 where the text is not a value, E0703 and E0704
/// where the value is not of the type or of its shape.
pub fn from_text(text: &str, edge: &Edge) -> Result<EdgeValue, DataError> {
    from_text_within(text, edge, u64::MAX)
}

/// The same within this many bytes of memory. Errors: those of [`from_text`], and E0605 where it takes more.
pub fn from_text_within(text: &str, edge: &Edge, limit: u64) -> Result<EdgeValue, DataError> {
    typed::typed(edge, &raw::parse_within(text, Dialect::Literal, limit)?)
}

/// Reads the bytes of a file of the declared type. Errors: E0702 where the file is damaged, E0703 where the value is
/// not of the type or the format cannot hold one that is, E0704 where its shape is another, E0706 where JSON has a
/// string that is no value.
pub fn from_bytes(bytes: &[u8], format: Format, edge: &Edge) -> Result<EdgeValue, DataError> {
    from_bytes_within(bytes, format, edge, u64::MAX)
}

/// The same within this many bytes of memory, besides those of the file itself. Errors: those of [`from_bytes`], and
/// E0605 where it takes more.
pub fn from_bytes_within(bytes: &[u8], format: Format, edge: &Edge, limit: u64) -> Result<EdgeValue, DataError> {
    let how = Reading { limit, parameter: "", part: None, cells: &CellRules::default() };
    from_file(bytes, format, edge, &how).map(|(value, _)| value)
}

/// Reads a file, or a part of it, as the user asked for it, with notes on what else was done. Errors: those of
/// [`from_bytes_within`], and E0703 where there is no such part.
pub fn from_file(
    bytes: &[u8],
    format: Format,
    edge: &Edge,
    how: &Reading<'_>,
) -> Result<(EdgeValue, Notes), DataError> {
    let mut notes = Notes::new();
    let value = match format {
        Format::Npz => npz::read(bytes, edge, how, &mut notes),
        Format::Safetensors => tensors::read(bytes, edge, how, &mut notes),
        Format::Csv => csv::read(bytes, edge, how, &mut notes),
        Format::Parquet => parquet::read(bytes, edge, how, &mut notes),
        Format::Json => json(bytes, edge, how, &mut notes),
        Format::Npy | Format::Png | Format::Text => match how.part {
            Some(part) => {
                let part = part.to_string();
                Err(Problem::NoPart { part, kind: "part", available: Vec::new(), choice: false }.into())
            }
            None if format == Format::Png => picture::read(bytes, edge, how),
            None if format == Format::Text => plain::read(bytes, edge, how),
            None => array(bytes, edge),
        },
    }?;
    Ok((value, notes))
}

/// The line of a file that has a row, the first being 0, of the value that [`from_file`] reads; `None` for a file that
/// does not have its rows on lines.
pub fn line_of_row(bytes: &[u8], format: Format, edge: &Edge, how: &Reading<'_>, row: usize) -> Option<u64> {
    if format == Format::Csv { csv::line_of(bytes, edge, how, row) } else { None }
}

fn array(bytes: &[u8], edge: &Edge) -> Result<EdgeValue, DataError> {
    match single_leaf(edge) {
        Some((elem, rank)) => npy::read(bytes, elem, rank, &rank_text(edge)).map(EdgeValue::Leaf),
        None => {
            let hint = "store each field as an array of its own in a `.npz` file, or use a `.json` file".to_string();
            Err(Problem::FormatType { format: ".npy", ty: rank_text(edge), hint }.into())
        }
    }
}

fn json(bytes: &[u8], edge: &Edge, how: &Reading<'_>, notes: &mut Notes) -> Result<EdgeValue, DataError> {
    let text = json_text(bytes)?;
    let raw = part::of_raw(json_tree(text, how.limit)?, edge, how, notes)?;
    typed::typed(edge, &raw).map_err(|e| e.locate(text))
}

/// The text of a JSON file.
pub(crate) fn json_text(bytes: &[u8]) -> Result<&str, DataError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|e| DataError::damaged("JSON", format!("byte {} is not UTF-8", e.valid_up_to())))
}

/// The tree of such a text, within so many bytes of memory.
pub(crate) fn json_tree(text: &str, limit: u64) -> Result<Raw<'_>, DataError> {
    raw::parse_within(text, Dialect::Json, limit).map_err(|e| {
        let e = e.locate(text);
        match e.problem {
            Problem::Syntax(why) => DataError { problem: Problem::Damaged { format: "JSON", why }, ..e },
            _ => e,
        }
    })
}

fn not_writable(name: &str, why: &str) -> DataError {
    Problem::NotWritable { name: name.to_string(), why: why.to_string() }.into()
}

/// The format for a result, by the file's name.
fn output_format(name: &str) -> Result<Format, DataError> {
    let why = "the name should end with `.npy`, `.npz`, `.json`, `.csv`, `.safetensors`, `.png` or `.txt`";
    let hint = || format!("`--plot {name}` draws the result");
    Format::of(name).map_err(|_| {
        let error = not_writable(name, why);
        if name.to_ascii_lowercase().ends_with(".svg") { error.with_hint(hint()) } else { error }
    })
}

/// Checks, before there is a result, that one of this type can go into a file of this name, as far as the type tells.
/// Errors: E0707 where the name does not end as that of a format does, or the format cannot hold the type.
pub fn check_writable(name: &str, edge: &Edge) -> Result<(), DataError> {
    let fits = match output_format(name)? {
        Format::Npy if single_leaf(edge).is_some() => Ok(()),
        Format::Npy => {
            Err(format!("a .npy file holds one array, and the result is a `{}`; use `.npz`", rank_text(edge)))
        }
        Format::Npz => archive::check_result(edge, ".npz"),
        Format::Safetensors => archive::check_result(edge, ".safetensors"),
        Format::Csv => csv::check_result(edge),
        Format::Parquet => Err("Parquet files are read only; use `.csv` or `.npz`".to_string()),
        Format::Png => picture::check_result(edge),
        Format::Text => plain::check_result(edge),
        Format::Json => Ok(()),
    };
    fits.map_err(|why| not_writable(name, &why))
}

/// The bytes of the file that holds a value of type `edge`; the format is that of the file's name. Errors: E0707 where
/// there is no such format, or it cannot hold the value: `.npy` more than one array, `.npz` constructors, `.png` what is
/// no picture.
pub fn to_bytes(name: &str, value: &EdgeValue, edge: &Edge) -> Result<Vec<u8>, DataError> {
    check_writable(name, edge)?;
    let written = match (output_format(name)?, value) {
        (Format::Npy, EdgeValue::Leaf(leaf)) => Ok(npy::write(leaf)),
        (Format::Npy, _) => Err("the result is not one array".to_string()),
        (Format::Npz, _) => npz::write(value, edge),
        (Format::Safetensors, _) => tensors::write(value, edge),
        (Format::Csv, _) => csv::write(value, edge).map(String::into_bytes),
        (Format::Parquet, _) => Err("Parquet files are read only".to_string()),
        (Format::Png, _) => picture::write(value),
        (Format::Text, _) => plain::write(value),
        (Format::Json, _) => Ok((to_json(value) + "\n").into_bytes()),
    };
    written.map_err(|why| not_writable(name, &why))
}

impl DataError {
    /// The diagnostic of a failed [`to_bytes`], which concerns no argument.
    pub fn to_output_diagnostic(&self) -> arr_base::Diagnostic {
        match &self.problem {
            Problem::NotWritable { name, why } => crate::error::not_writable(name, why).hint_opt(self.hint.clone()),
            _ => crate::error::not_writable("the output", "the value does not fit the format"),
        }
    }
}
