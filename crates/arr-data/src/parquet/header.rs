//! The headers of pages, and what is checked of a footer before the library reads it.

use super::thrift::{Field, Input};
use ::parquet::basic::Encoding;

/// How deep groups of columns may lie in each other.
const DEPTH: usize = 64;

const DATA: i64 = 0;
const DICTIONARY: i64 = 2;
const DATA_V2: i64 = 3;

/// What a page holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    Data,
    Dictionary,
    /// Data whose levels are not compressed.
    DataV2,
    Other,
}

/// The header of a page, with the sizes that it claims.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) content: Content,
    /// Bytes in memory, and in the file.
    pub(super) size: usize,
    pub(super) compressed_size: usize,
    /// Of the bytes in the file.
    pub(super) checksum: Option<u32>,
    pub(super) values: u32,
    pub(super) encoding: Encoding,
    pub(super) levels: Encoding,
    /// Of a page of version 2.
    pub(super) nulls: u32,
    pub(super) definition_bytes: usize,
    pub(super) repetition_bytes: usize,
    pub(super) is_compressed: bool,
}

impl Header {
    /// Reads a header; `None` if it is damaged.
    pub(super) fn read(input: &mut Input<'_>) -> Option<Header> {
        let (mut kind, mut size, mut compressed_size, mut checksum) = (None, None, None, None);
        let mut inner = Inner::default();
        input.structure(|input, id, field| {
            match (id, field) {
                (1, Field::Integer(n)) => kind = Some(n),
                (2, Field::Integer(n)) => size = Some(n),
                (3, Field::Integer(n)) => compressed_size = Some(n),
                (4, Field::Integer(n)) => checksum = Some(n as u32),
                (5 | 7 | 8, Field::Inner(_)) => {
                    inner = Inner::read(input)?;
                    return Some(true);
                }
                _ => {}
            }
            Some(false)
        })?;
        let content = match kind? {
            DATA => Content::Data,
            DICTIONARY => Content::Dictionary,
            DATA_V2 => Content::DataV2,
            _ => Content::Other,
        };
        let sizes = (usize::try_from(size?).ok()?, usize::try_from(compressed_size?).ok()?);
        let header = inner.header(content, sizes)?;
        Some(Header { checksum, ..header })
    }
}

/// The fields of a header that depend on the page's content, by their numbers.
#[derive(Default)]
struct Inner {
    fields: [Option<i64>; 8],
    is_compressed: Option<bool>,
}

impl Inner {
    fn read(input: &mut Input<'_>) -> Option<Inner> {
        let mut inner = Inner::default();
        input.structure(|_, id, field| {
            match (usize::try_from(id).ok().and_then(|id| inner.fields.get_mut(id)), field) {
                (Some(place), Field::Integer(n)) => *place = Some(n),
                (Some(_), Field::Bool(b)) => inner.is_compressed = Some(b),
                _ => {}
            }
            Some(false)
        })?;
        Some(inner)
    }

    fn header(&self, content: Content, (size, compressed_size): (usize, usize)) -> Option<Header> {
        let [_, values, second, third, fourth, fifth, sixth, _] = self.fields;
        let is_v2 = content == Content::DataV2;
        let encoded = match content {
            Content::Other => Some(0),
            Content::DataV2 => fourth,
            Content::Data | Content::Dictionary => second,
        };
        let bytes = |field: Option<i64>| usize::try_from(field.filter(|_| is_v2).unwrap_or(0)).ok();
        Some(Header {
            content,
            size,
            compressed_size,
            checksum: None,
            values: u32::try_from(if content == Content::Other { 0 } else { values? }).ok()?,
            encoding: encoding(encoded?)?,
            levels: if content == Content::Data { encoding(third?)? } else { Encoding::RLE },
            nulls: u32::try_from(bytes(second)?).ok()?,
            definition_bytes: bytes(fifth)?,
            repetition_bytes: bytes(sixth)?,
            is_compressed: !is_v2 || self.is_compressed.unwrap_or(true),
        })
    }
}

#[allow(deprecated)]
fn encoding(number: i64) -> Option<Encoding> {
    Some(match number {
        0 => Encoding::PLAIN,
        2 => Encoding::PLAIN_DICTIONARY,
        3 => Encoding::RLE,
        4 => Encoding::BIT_PACKED,
        5 => Encoding::DELTA_BINARY_PACKED,
        6 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        7 => Encoding::DELTA_BYTE_ARRAY,
        8 => Encoding::RLE_DICTIONARY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        _ => return None,
    })
}

/// Whether the groups in a footer's schema lie in each other no deeper than a reader that calls itself can follow.
pub(super) fn is_shallow(footer: &[u8]) -> bool {
    let mut shallow = true;
    let read = Input::new(footer).structure(|input, id, field| match (id, field) {
        (2, Field::Inner(_)) => {
            shallow &= schema_is_shallow(input)?;
            Some(true)
        }
        _ => Some(false),
    });
    read.is_some() && shallow
}

/// Reads the list of a schema's elements, each before its children.
fn schema_is_shallow(input: &mut Input<'_>) -> Option<bool> {
    // How many elements are still to come in each of the groups that lie in each other.
    let mut open: Vec<i64> = Vec::new();
    let mut shallow = true;
    for _ in 0..input.list()?.0 {
        let mut children = 0;
        input.structure(|_, id, field| {
            if let (5, Field::Integer(n)) = (id, field) {
                children = n;
            }
            Some(false)
        })?;
        while open.last().is_some_and(|left| *left <= 0) {
            open.pop();
        }
        open.last_mut().into_iter().for_each(|left| *left -= 1);
        if children > 0 && open.len() <= DEPTH {
            open.push(children);
        }
        shallow &= open.len() <= DEPTH;
    }
    Some(shallow)
}

/// The end of numbers in `DELTA_BINARY_PACKED` encoding; `None` if they are damaged, or more than there may be.
pub(super) fn packed_end(bytes: &[u8], most: u64) -> Option<usize> {
    let mut input = Input::new(bytes);
    let (block, parts, count) = (input.varint()?, input.varint()?, input.varint()?);
    input.varint()?;
    if count > most || parts == 0 {
        return None;
    }
    let each = block / parts;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        input.varint()?;
        for width in input.take(usize::try_from(parts).ok()?)? {
            if left == 0 {
                break;
            }
            let length = u64::from(*width).checked_mul(each)? / 8;
            input.take(usize::try_from(length).ok()?)?;
            left = left.saturating_sub(each);
        }
    }
    Some(bytes.len() - input.rest.len())
}
