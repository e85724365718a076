//! NumPy's `.npy`: a header that is a Python dictionary, then the elements.
//!
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>. The header is read here and not
//! by a general Python-literal parser, because its nesting and its claims are untrusted: nothing recurses, and nothing
//! is allocated before the claimed shape was checked against the available bytes.

use crate::number::{integer, lossless};
use crate::text::shape_text;
use crate::typed::push;
use crate::{DataError, Problem};
use arr_base::element_count;
use arr_ir::{Const, Data, Scalar, Value};

const FORMAT: &str = ".npy";
const MAGIC: &[u8] = b"\x93NUMPY";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NumberKind {
    Bool,
    Signed,
    Unsigned,
    Float,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Element {
    kind: NumberKind,
    bytes: usize,
    big_endian: bool,
}

struct Header {
    /// The element type as NumPy writes it: `<f8`.
    descr: String,
    fortran: bool,
    dims: Vec<i64>,
    data_at: usize,
}

/// The contents of an array's header, checked against the requested type.
pub(crate) struct Described {
    header: Header,
    element: Element,
    /// The number of bytes of elements after the header.
    claimed: usize,
}

impl Described {
    /// An array of which another format's header tells the element type, as NumPy writes it, and the extents.
    pub(crate) fn of(
        descr: &str,
        dims: Vec<i64>,
        elem: Scalar,
        rank: usize,
        expected: &str,
    ) -> Result<Described, DataError> {
        let header = Header { descr: descr.to_string(), fortran: false, dims, data_at: 0 };
        described(header, elem, rank, expected)
    }

    /// The number of bytes of the whole file.
    pub(crate) fn file_bytes(&self) -> u64 {
        (self.header.data_at as u64).saturating_add(self.claimed as u64)
    }

    /// The number of bytes before the elements.
    pub(crate) fn data_at(&self) -> usize {
        self.header.data_at
    }

    /// The error if another number of bytes follows the header.
    pub(crate) fn misfit(&self, found: u64) -> DataError {
        misfit(self.claimed, found)
    }

    /// The array, of the bytes behind its header.
    pub(crate) fn array(self, data: &[u8], elem: Scalar) -> Result<Value, DataError> {
        let Described { header, element, claimed } = self;
        if data.len() != claimed {
            return Err(misfit(claimed, data.len() as u64));
        }
        let data = decode(data, element, elem)?;
        let data = if header.fortran { from_fortran(&data, &header.dims) } else { data };
        match (header.dims.is_empty(), data.get(0)) {
            (true, Some(c)) => Ok(Value::Scalar(c)),
            _ => Ok(Value::array(header.dims, data)),
        }
    }
}

fn misfit(claimed: usize, found: u64) -> DataError {
    let why = match found.checked_sub(claimed as u64) {
        Some(surplus) => format!("{surplus} bytes follow the {claimed} bytes of elements"),
        None => format!("its header claims {claimed} bytes of elements, but {found} follow"),
    };
    DataError::damaged(FORMAT, why)
}

/// Reads an array (or a scalar, of rank 0) whose elements become `elem`.
pub(crate) fn read(bytes: &[u8], elem: Scalar, rank: usize, expected: &str) -> Result<Value, DataError> {
    let described = describe(bytes, elem, rank, expected)?;
    let data = bytes.get(described.data_at()..).unwrap_or(&[]);
    described.array(data, elem)
}

/// Reads the header of an array, at the start of `bytes`.
pub(crate) fn describe(bytes: &[u8], elem: Scalar, rank: usize, expected: &str) -> Result<Described, DataError> {
    described(header(bytes)?, elem, rank, expected)
}

/// Checks what is said of an array against the requested type.
fn described(header: Header, elem: Scalar, rank: usize, expected: &str) -> Result<Described, DataError> {
    let found = || shape_text(&header.dims, &type_name(&header.descr));
    let of_type = element(&header.descr).filter(|element| convertible(*element, elem));
    let Some(element) = of_type else {
        return Err(Problem::Type { expected: expected.to_string(), found: found() }.into());
    };
    if header.dims.len() != rank {
        return Err(Problem::Shape { expected: expected.to_string(), found: found() }.into());
    }
    let Some(claimed) = element_count(&header.dims).and_then(|n| n.checked_mul(element.bytes)) else {
        return Err(DataError::damaged(FORMAT, "its header claims more elements than memory can hold"));
    };
    Ok(Described { header, element, claimed })
}

/// The number of bytes that contain the length of the header.
pub(crate) const PREAMBLE: usize = 12;

/// The start of the elements according to the first bytes of a file; fewer than [`PREAMBLE`] mean a truncated file.
pub(crate) fn header_end(bytes: &[u8]) -> Result<usize, DataError> {
    let (text_at, len) = header_place(bytes)?;
    Ok(text_at + len)
}

/// The start of the header's text, and its length.
fn header_place(bytes: &[u8]) -> Result<(usize, usize), DataError> {
    let bad = |why: &str| DataError::damaged(FORMAT, why);
    if !bytes.starts_with(MAGIC) {
        let why = if MAGIC.starts_with(bytes) { "it is cut short" } else { "it does not begin as one" };
        return Err(bad(why));
    }
    let byte = |i: usize| bytes.get(i).map(|&b| usize::from(b)).ok_or_else(|| bad("it is cut short"));
    match byte(6)? {
        1 => Ok((10, byte(8)? | byte(9)? << 8)),
        2 | 3 => Ok((12, byte(8)? | byte(9)? << 8 | byte(10)? << 16 | byte(11)? << 24)),
        other => Err(bad(&format!("it is of version {other}, which is not known"))),
    }
}

fn header(bytes: &[u8]) -> Result<Header, DataError> {
    let bad = |why: &str| DataError::damaged(FORMAT, why);
    let (text_at, len) = header_place(bytes)?;
    let text = bytes.get(text_at..text_at + len).ok_or_else(|| bad("it is cut short in the header"))?;
    let text = std::str::from_utf8(text).map_err(|_| bad("its header is not text"))?;
    let (descr, fortran, dims) = dictionary(text).ok_or_else(|| bad("its header is not one of an array"))?;
    Ok(Header { descr, fortran, dims, data_at: text_at + len })
}

/// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }` with the keys in any order.
fn dictionary(text: &str) -> Option<(String, bool, Vec<i64>)> {
    let (mut descr, mut fortran, mut dims) = (None, None, None);
    let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    while !rest.is_empty() {
        let (key, after) = quoted(rest)?;
        let value = after.trim_start().strip_prefix(':')?.trim_start();
        let after = match key {
            "descr" if value.starts_with('[') => {
                // A structured type; its length does not matter because it is refused.
                let end = value.find("'fortran_order'").or(value.find("'shape'")).unwrap_or(value.len());
                descr = Some("record".to_string());
                value.get(end..)?
            }
            "descr" => {
                let (value, after) = quoted(value)?;
                descr = Some(value.to_string());
                after
            }
            "fortran_order" => {
                let word = value.split([',', '}']).next()?;
                fortran = Some(match word.trim() {
                    "True" => true,
                    "False" => false,
                    _ => return None,
                });
                value.get(word.len()..)?
            }
            "shape" => {
                let (inside, after) = value.strip_prefix('(')?.split_once(')')?;
                let axis = |d: &str| d.trim_end_matches('L').parse::<i64>().ok().filter(|d| *d >= 0);
                let parts = inside.split(',').map(str::trim).filter(|d| !d.is_empty());
                dims = Some(parts.map(axis).collect::<Option<Vec<i64>>>()?);
                after
            }
            _ => return None,
        };
        rest = after.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    Some((descr?, fortran?, dims?))
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text.get(1..)?.split_once(quote)
}

fn element(descr: &str) -> Option<Element> {
    let (order, rest) = descr.split_at_checked(1)?;
    let (kind, bytes) = rest.split_at_checked(1)?;
    let kind = match kind {
        "b" => NumberKind::Bool,
        "i" => NumberKind::Signed,
        "u" => NumberKind::Unsigned,
        "f" => NumberKind::Float,
        _ => return None,
    };
    let bytes: usize = bytes.parse().ok()?;
    let known = match kind {
        NumberKind::Bool => bytes == 1,
        NumberKind::Signed | NumberKind::Unsigned => matches!(bytes, 1 | 2 | 4 | 8),
        NumberKind::Float => matches!(bytes, 4 | 8),
    };
    let big_endian = match order {
        "<" => false,
        ">" => true,
        "=" => cfg!(target_endian = "big"),
        "|" if bytes == 1 => false,
        _ => return None,
    };
    known.then_some(Element { kind, bytes, big_endian })
}

/// `f64` for `<f8`, and NumPy's name for types that Arr does not have.
fn type_name(descr: &str) -> String {
    let (kind, bytes) = descr.split_at_checked(2).unwrap_or((descr, ""));
    let bits = bytes.parse::<u32>().ok().and_then(|b| b.checked_mul(8)).unwrap_or(0);
    match kind.get(1..).unwrap_or("") {
        "b" => "bool".to_string(),
        k @ ("i" | "u" | "f") => format!("{k}{bits}"),
        "c" => format!("complex{bits}"),
        "U" | "S" => "string".to_string(),
        "M" | "m" => "datetime".to_string(),
        "O" => "object".to_string(),
        // The names of types of other formats.
        _ if !descr.starts_with(['<', '>', '=', '|', 'r']) => descr.to_lowercase(),
        _ => "record".to_string(),
    }
}

/// Whether elements can be converted to `elem` at all; integers are then checked one by one.
fn convertible(element: Element, elem: Scalar) -> bool {
    match (element.kind, elem) {
        (NumberKind::Bool, _) => elem == Scalar::Bool,
        (NumberKind::Signed | NumberKind::Unsigned, _) => elem != Scalar::Bool,
        (NumberKind::Float, Scalar::F64) => true,
        (NumberKind::Float, Scalar::F32) => element.bytes == 4,
        (NumberKind::Float, _) => false,
    }
}

fn decode(bytes: &[u8], element: Element, elem: Scalar) -> Result<Data, DataError> {
    let mut data = Data::zeros(elem, 0);
    match (&mut data, element) {
        // The common case in one pass.
        (Data::F64(v), Element { kind: NumberKind::Float, bytes: 8, big_endian: false }) => {
            v.extend(bytes.as_chunks::<8>().0.iter().map(|c| f64::from_le_bytes(*c)));
        }
        _ => {
            for (i, chunk) in bytes.chunks_exact(element.bytes).enumerate() {
                let value = convert(number(chunk, element), elem).map_err(|number| {
                    let problem = Problem::Lossy { number, ty: elem.name().to_string() };
                    DataError { place: Some(format!("element {i}")), ..problem.into() }
                })?;
                push(&mut data, value);
            }
        }
    }
    Ok(data)
}

/// An element as read, before it is converted.
enum Read {
    Int(i128),
    Float(Const),
    Bool(bool),
}

fn number(chunk: &[u8], element: Element) -> Read {
    // Little-endian, in the low bytes.
    let mut wide = [0u8; 8];
    for (k, place) in wide.iter_mut().take(chunk.len()).enumerate() {
        let at = if element.big_endian { chunk.len() - 1 - k } else { k };
        *place = chunk.get(at).copied().unwrap_or(0);
    }
    let bits = u64::from_le_bytes(wide);
    match (element.kind, element.bytes) {
        (NumberKind::Bool, _) => Read::Bool(bits != 0),
        (NumberKind::Float, 4) => Read::Float(Const::F32(f32::from_bits(bits as u32))),
        (NumberKind::Float, _) => Read::Float(Const::F64(f64::from_bits(bits))),
        (NumberKind::Unsigned, _) => Read::Int(i128::from(bits)),
        (NumberKind::Signed, bytes) => {
            let unused = 64 - 8 * bytes as u32;
            Read::Int(i128::from((bits << unused) as i64 >> unused))
        }
    }
}

fn convert(read: Read, elem: Scalar) -> Result<Const, String> {
    match read {
        Read::Int(n) => integer(n, false, elem).ok_or_else(|| n.to_string()),
        Read::Float(x) => lossless(x, elem).ok_or_else(|| crate::print::scalar_text(x)),
        Read::Bool(b) => lossless(Const::Bool(b), elem).ok_or_else(|| b.to_string()),
    }
}

/// Elements whose first axis runs fastest, put into row-major order.
fn from_fortran(data: &Data, dims: &[i64]) -> Data {
    let dims: Vec<usize> = dims.iter().map(|&d| usize::try_from(d).unwrap_or(0)).collect();
    let mut ordered = Data::zeros(data.elem(), 0);
    let mut index = vec![0usize; dims.len()];
    for _ in 0..data.len() {
        let at = dims.iter().zip(&index).rev().fold(0, |at, (&d, &i)| at * d + i);
        if let Some(value) = data.get(at) {
            push(&mut ordered, value);
        }
        for (i, &d) in index.iter_mut().zip(&dims).rev() {
            *i += 1;
            if *i < d {
                break;
            }
            *i = 0;
        }
    }
    ordered
}

/// The bytes of a `.npy` file, version 1.0, little-endian, row-major.
pub(crate) fn write(value: &Value) -> Vec<u8> {
    let descr = match value.elem() {
        Scalar::Bool => "|b1",
        Scalar::I32 => "<i4",
        Scalar::I64 => "<i8",
        Scalar::U32 => "<u4",
        Scalar::F32 => "<f4",
        Scalar::F64 => "<f8",
    };
    let shape = match value.dims() {
        [d] => format!("({d},)"),
        dims => format!("({})", dims.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The elements begin at a multiple of 64, and the header ends with a new line.
    let fixed = MAGIC.len() + 4;
    let padding = (64 - (fixed + header.len() + 1) % 64) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend(u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(elements(value));
    bytes
}

/// The elements of a value, little-endian, row by row.
pub fn elements(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    match value {
        Value::Scalar(c) => write_element(&mut bytes, *c),
        Value::Array(a) => match &a.data {
            Data::F64(v) => v.iter().for_each(|x| bytes.extend(x.to_le_bytes())),
            data => (0..data.len()).filter_map(|i| data.get(i)).for_each(|c| write_element(&mut bytes, c)),
        },
    }
    bytes
}

fn write_element(bytes: &mut Vec<u8>, value: Const) {
    let wide = value.bits().to_le_bytes();
    bytes.extend(wide.iter().take(value.scalar().bytes()));
}
