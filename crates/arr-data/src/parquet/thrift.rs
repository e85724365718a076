//! The compact protocol of Thrift, in which the headers of Parquet files are written, as far as it is needed here.
//!
//! Format: <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>.

/// How deep structures may lie in each other.
const DEPTH: usize = 16;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// The value of a field, as far as it is of interest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    Bool(bool),
    Integer(i64),
    /// A structure or a list of structures, which is still to be read.
    Inner(u8),
    /// A value that was skipped.
    Other,
}

/// The bytes that are still to be read.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Input<'a> {
        Input { rest }
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// A number in groups of seven bits, the lowest first.
    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let n = self.varint()?;
        Some((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    /// Reads a structure. `each` receives the number and value of each field, and reads one that is [`Field::Inner`]
    /// itself, or returns `false` to have it skipped. `None` if it is damaged.
    pub(super) fn structure(&mut self, mut each: impl FnMut(&mut Self, i64, Field) -> Option<bool>) -> Option<()> {
        let mut id = 0i64;
        while let Some(kind) = self.field(&mut id)? {
            let value = match kind {
                TRUE | FALSE => Field::Bool(kind == TRUE),
                I16 | I32 | I64 => Field::Integer(self.integer()?),
                STRUCT | LIST => Field::Inner(kind),
                _ => {
                    self.skip(kind, 0)?;
                    Field::Other
                }
            };
            let read = each(self, id, value)?;
            if matches!(value, Field::Inner(_)) && !read {
                self.skip(kind, 0)?;
            }
        }
        Some(())
    }

    /// The type of the next field of a structure, or that there is none.
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *id = match head >> 4 {
            0 => self.integer()?,
            step => id.checked_add(i64::from(step))?,
        };
        Some(Some(head & 0xf))
    }

    /// The number of elements of a list, and their type.
    pub(super) fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            few => u64::from(few),
        };
        Some((count, head & 0xf))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            // As a field it has no bytes, and as an element one.
            TRUE | FALSE if depth == 0 => Some(()),
            TRUE | FALSE | BYTE => self.take(1).map(drop),
            I16 | I32 | I64 => self.varint().map(drop),
            DOUBLE => self.take(8).map(drop),
            BINARY => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.take(length).map(drop)
            }
            _ if depth >= DEPTH => None,
            LIST | SET => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.skip(kind, depth + 1))
            }
            MAP => self.skip_map(depth),
            STRUCT => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    if !matches!(kind, TRUE | FALSE) {
                        self.skip(kind, depth + 1)?;
                    }
                }
                Some(())
            }
            _ => None,
        }
    }

    fn skip_map(&mut self, depth: usize) -> Option<()> {
        let count = self.varint()?;
        if count == 0 {
            return Some(());
        }
        let kinds = self.byte()?;
        (0..count).try_for_each(|_| {
            self.skip(kinds >> 4, depth + 1)?;
            self.skip(kinds & 0xf, depth + 1)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn fields_are_read_and_what_is_unknown_is_skipped() {
        // Field 1: the integer -3; field 2: true; field 5: a list of two texts; field 6: a structure with field 1: 7.
        let bytes = [0x15, 5, 0x11, 0x39, 0x28, 1, b'a', 2, b'b', b'c', 0x1c, 0x15, 14, 0, 0, 99];
        let mut input = Input::new(&bytes);
        let mut seen = Vec::new();
        input
            .structure(|input, id, field| {
                seen.push((id, field));
                if id != 6 {
                    return Some(false);
                }
                input.structure(|_, id, field| {
                    seen.push((id, field));
                    Some(false)
                })?;
                Some(true)
            })
            .unwrap();
        let (list, structure) = (Field::Inner(LIST), Field::Inner(STRUCT));
        let expected =
            [(1, Field::Integer(-3)), (2, Field::Bool(true)), (5, list), (6, structure), (1, Field::Integer(7))];
        assert_eq!(seen, expected);
        assert_eq!(input.rest, [99]);
    }

    #[test]
    fn what_is_cut_short_or_too_deep_is_refused() {
        let skipped = |bytes: &[u8]| Input::new(bytes).structure(|_, _, _| Some(false));
        assert!(skipped(&[0x15]).is_none());
        assert!(skipped(&[0x18, 200, 1]).is_none());
        assert!(skipped(&[0x15, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0]).is_none());
        assert!(skipped(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f]).is_none());
        assert!(skipped(&[0x1c; 1000]).is_none());
    }
}
