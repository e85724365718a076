//! Compressed pages. What is unpacked is never larger than the page claims to be, which was checked against the memory.

use super::FORMAT;
use crate::DataError;
use ::parquet::basic::Compression;
use std::io::Read;

/// The largest window of Zstandard that is accepted, which the highest levels of compression use.
const WINDOW: u64 = 1 << 27;

/// The bytes of a page of this size. Errors: E0702 where they are damaged, or packed in a way that is not read.
pub(super) fn unpack(codec: Compression, packed: &[u8], size: usize, room: u64) -> Result<Vec<u8>, DataError> {
    let unpacked = match codec {
        Compression::UNCOMPRESSED => return Ok(packed.to_vec()),
        // A page without values has nothing to unpack.
        _ if size == 0 => return Ok(Vec::new()),
        Compression::SNAPPY => snappy(packed, size),
        Compression::LZ4_RAW => lz4(packed, size),
        Compression::GZIP(_) => limited(flate2::read::MultiGzDecoder::new(packed), size),
        Compression::ZSTD(_) => {
            let window = room.min(WINDOW);
            let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(packed, window);
            decoder.ok().and_then(|decoder| limited(decoder, size))
        }
        Compression::LZO | Compression::BROTLI(_) | Compression::LZ4 => return Err(unknown(codec)),
    };
    unpacked
        .filter(|unpacked| unpacked.len() == size)
        .ok_or_else(|| DataError::damaged(FORMAT, "a page cannot be unpacked"))
}

fn unknown(codec: Compression) -> DataError {
    let name = match codec {
        Compression::LZO => "LZO",
        Compression::BROTLI(_) => "Brotli",
        _ => "the old form of LZ4",
    };
    let why = format!("a column is compressed with {name}, and what is read is Snappy, Zstandard, gzip and `LZ4_RAW`");
    DataError::damaged(FORMAT, why)
}

fn snappy(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    if snap::raw::decompress_len(packed).ok()? != size {
        return None;
    }
    snap::raw::Decoder::new().decompress_vec(packed).ok()
}

fn lz4(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut unpacked = vec![0; size];
    let length = lz4_flex::block::decompress_into(packed, &mut unpacked).ok()?;
    (length == size).then_some(unpacked)
}

/// Reads so many bytes; one more where there are more.
fn limited(decoder: impl Read, size: usize) -> Option<Vec<u8>> {
    let mut unpacked = Vec::with_capacity(size);
    decoder.take((size as u64).saturating_add(1)).read_to_end(&mut unpacked).ok()?;
    Some(unpacked)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    #[test]
    fn packed_pages_are_unpacked_to_their_size_only() {
        let page: Vec<u8> = (0..20_000u32).flat_map(|n| (n % 100).to_le_bytes()).collect();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&page).unwrap();
        let packed = [
            (Compression::SNAPPY, snap::raw::Encoder::new().compress_vec(&page).unwrap()),
            (Compression::LZ4_RAW, lz4_flex::block::compress(&page)),
            (Compression::GZIP(Default::default()), gzip.finish().unwrap()),
            (Compression::ZSTD(Default::default()), compress_to_vec(page.as_slice(), CompressionLevel::Fastest)),
            (Compression::UNCOMPRESSED, page.clone()),
        ];
        for (codec, bytes) in packed {
            assert!(unpack(codec, &bytes, page.len(), 1 << 30).unwrap() == page, "{codec:?}");
            if codec != Compression::UNCOMPRESSED {
                assert!(unpack(codec, &bytes, page.len() - 1, 1 << 30).is_err(), "{codec:?}");
                assert!(unpack(codec, &bytes[..bytes.len() / 2], page.len(), 1 << 30).is_err(), "{codec:?}");
            }
        }
        let error = unpack(Compression::BROTLI(Default::default()), &[1], 5, 1 << 30).unwrap_err();
        assert!(format!("{error:?}").contains("compressed with Brotli"), "{error:?}");
    }
}
