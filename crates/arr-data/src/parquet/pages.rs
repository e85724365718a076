//! The pages of a column: found, checked and unpacked here, within the memory that there is, before the library decodes
//! them. What they claim about themselves is not trusted: the library would make room for it.

use super::header::{Content, Header, packed_end};
use super::thrift::Input;
use super::{FORMAT, codec};
use crate::DataError;
use crate::reading::Room;
use ::parquet::basic::{Compression, Encoding, Type};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::Result as Read;
use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The most memory that the library takes for an entry of a dictionary, besides its bytes.
const ENTRY: u64 = 40;

/// The pages that the library reads next.
#[derive(Clone, Default)]
pub(super) struct Queue(Arc<Mutex<VecDeque<Page>>>);

impl Queue {
    pub(super) fn push(&self, page: Page) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(page);
    }
}

impl Iterator for Queue {
    type Item = Read<Page>;

    fn next(&mut self) -> Option<Read<Page>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front().map(Ok)
    }
}

impl PageReader for Queue {
    fn get_next_page(&mut self) -> Read<Option<Page>> {
        self.next().transpose()
    }

    fn peek_next_page(&mut self) -> Read<Option<PageMetadata>> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> Read<()> {
        Ok(())
    }
}

/// The pages of a column in a part of the file's rows.
pub(super) struct Pages<'a> {
    input: Input<'a>,
    codec: Compression,
    ty: Type,
    /// The bytes of a value of fixed length.
    length: usize,
    /// Whether values may be missing.
    optional: bool,
    /// The number of values on the pages that are still to come, missing ones included.
    left: u64,
    /// The memory for the dictionary, once there is one.
    dictionary: Option<u64>,
}

fn damaged(why: &str) -> DataError {
    DataError::damaged(FORMAT, why)
}

impl<'a> Pages<'a> {
    /// The pages that begin with these bytes, and have so many values.
    pub(super) fn new(
        bytes: &'a [u8],
        codec: Compression,
        (ty, length): (Type, usize),
        optional: bool,
        left: u64,
    ) -> Self {
        Pages { input: Input::new(bytes), codec, ty, length, optional, left, dictionary: None }
    }

    /// The next page, and the number of its values; a dictionary has none. Errors: E0702 where it is damaged, E0605
    /// where there is no memory for it.
    pub(super) fn next(&mut self, room: &Room) -> Result<Option<(Page, usize)>, DataError> {
        while self.left > 0 {
            let header = Header::read(&mut self.input).ok_or_else(|| damaged("the header of a page is damaged"))?;
            let body = self.input.take(header.compressed_size).ok_or_else(|| damaged("a page is cut short"))?;
            if header.checksum.is_some_and(|sum| sum != crc32fast::hash(body)) {
                return Err(damaged("a page is not as it was written: its checksum differs"));
            }
            room.has((header.size as u64).saturating_add(self.dictionary.unwrap_or(0)))?;
            match header.content {
                Content::Dictionary => return Ok(Some((self.dictionary(&header, body, room)?, 0))),
                Content::Data | Content::DataV2 => return self.data(&header, body, room).map(Some),
                Content::Other => {}
            }
        }
        Ok(None)
    }

    fn dictionary(&mut self, header: &Header, body: &[u8], room: &Room) -> Result<Page, DataError> {
        let plain = matches!(header.encoding, Encoding::PLAIN | Encoding::PLAIN_DICTIONARY);
        if self.dictionary.is_some() || !plain || self.ty == Type::BOOLEAN {
            return Err(damaged("a dictionary is out of place"));
        }
        let buf = codec::unpack(self.codec, body, header.size, room.left())?;
        let values = u64::from(header.values);
        let least = match self.ty {
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => self.length as u64,
            Type::INT64 | Type::DOUBLE | Type::BOOLEAN => 8,
        };
        if values.saturating_mul(least) > buf.len() as u64 {
            return Err(damaged("a dictionary is cut short"));
        }
        let memory = values.saturating_mul(ENTRY).saturating_add(buf.len() as u64);
        room.has(memory)?;
        self.dictionary = Some(memory);
        let (num_values, encoding) = (header.values, header.encoding);
        Ok(Page::DictionaryPage { buf: Bytes::from(buf), num_values, encoding, is_sorted: false })
    }

    fn data(&mut self, header: &Header, body: &[u8], room: &Room) -> Result<(Page, usize), DataError> {
        let values = u64::from(header.values);
        self.left = self.left.checked_sub(values).ok_or_else(|| damaged("a page has more values than its column"))?;
        let is_v2 = header.content == Content::DataV2;
        let (buf, start) = if is_v2 { self.unpack_v2(header, body, room)? } else { self.unpack(header, body, room)? };
        let encoded = buf.get(start..).ok_or_else(|| damaged("a page is cut short"))?;
        self.check(header.encoding, encoded, values)?;
        let (buf, num_values, encoding) = (Bytes::from(buf), header.values, header.encoding);
        let page = if is_v2 {
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                num_nulls: header.nulls.min(num_values),
                num_rows: num_values,
                def_levels_byte_len: u32::try_from(start).unwrap_or(0),
                rep_levels_byte_len: 0,
                is_compressed: false,
                statistics: None,
            }
        } else {
            let (def_level_encoding, rep_level_encoding) = (header.levels, Encoding::RLE);
            Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics: None }
        };
        Ok((page, usize::try_from(values).unwrap_or(usize::MAX)))
    }

    /// The bytes of a page of version 1, and the start of its values behind the levels.
    fn unpack(&self, header: &Header, body: &[u8], room: &Room) -> Result<(Vec<u8>, usize), DataError> {
        let buf = codec::unpack(self.codec, body, header.size, room.left())?;
        #[allow(deprecated)]
        let start = match header.levels {
            _ if !self.optional => 0,
            Encoding::RLE => match buf.first_chunk::<4>() {
                Some(length) => (u32::from_le_bytes(*length) as usize).saturating_add(4),
                None => return Err(damaged("a page is cut short")),
            },
            Encoding::BIT_PACKED => (header.values as usize).div_ceil(8),
            _ => return Err(damaged("a page says in no known way which values are missing")),
        };
        Ok((buf, start))
    }

    /// The same of a page of version 2, whose levels are not compressed.
    fn unpack_v2(&self, header: &Header, body: &[u8], room: &Room) -> Result<(Vec<u8>, usize), DataError> {
        let start = header.definition_bytes;
        let (levels, values) = body.split_at_checked(start).ok_or_else(|| damaged("a page is cut short"))?;
        let size = header.size.checked_sub(start).ok_or_else(|| damaged("the header of a page is damaged"))?;
        if header.repetition_bytes > 0 || (!self.optional && start > 0) {
            return Err(damaged("a page is of another column"));
        }
        let codec = if header.is_compressed { self.codec } else { Compression::UNCOMPRESSED };
        let mut buf = levels.to_vec();
        buf.extend(codec::unpack(codec, values, size, room.left())?);
        Ok((buf, start))
    }

    /// Checks what the library makes room for, or relies on.
    fn check(&self, encoding: Encoding, encoded: &[u8], values: u64) -> Result<(), DataError> {
        let sound = match encoding {
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY if self.dictionary.is_none() => {
                return Err(damaged("a page refers to a dictionary that is not there"));
            }
            // Where all values are missing, no numbers need to be there.
            Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY
                if encoded.is_empty() && self.optional =>
            {
                true
            }
            Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => packed_end(encoded, values).is_some(),
            Encoding::DELTA_BYTE_ARRAY => {
                packed_end(encoded, values).and_then(|end| packed_end(encoded.get(end..)?, values)).is_some()
            }
            _ => true,
        };
        if sound { Ok(()) } else { Err(damaged("the numbers on a page are damaged")) }
    }
}
