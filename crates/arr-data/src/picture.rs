//! Pictures as PNG: arrays `[height][width]` of grey, `[height][width][3]` of red, green and blue, or `[4]` with opacity.
//!
//! Floats run from 0.0, black, to 1.0; integers are those of the file, 0 to 255 or to 65,535.

use crate::reading::{Reading, Room};
use crate::text::rank_text;
use crate::typed::push;
use crate::value::single_leaf;
use crate::{DataError, EdgeValue, Problem, part};
use arr_ir::{Array, Const, Data, Edge, Scalar, Value};
use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};
use std::io::Cursor;

const FORMAT: &str = "PNG";
/// Deflate makes at most so many bytes of one.
const MOST_EXPANSION: usize = 1100;
const WIDEST: u64 = 8;

pub(crate) fn read(bytes: &[u8], edge: &Edge, how: &Reading<'_>) -> Result<EdgeValue, DataError> {
    let (elem, rank) = match single_leaf(edge) {
        Some((elem, rank @ (2 | 3))) if elem != Scalar::Bool => (elem, rank),
        _ => {
            let hint =
                "a picture is an array of numbers with the axes height and width, and one of colours".to_string();
            return Err(Problem::FormatType { format: FORMAT, ty: rank_text(edge), hint }.into());
        }
    };
    let pixels = Pixels::decode(bytes, how.limit)?;
    let pixels = if rank == 2 { pixels.grey(edge)? } else { pixels.colours() };
    let mut data = Data::zeros(elem, 0);
    for &sample in &pixels.samples {
        push(&mut data, value(sample, pixels.most, elem)?);
    }
    let mut dims = vec![pixels.height, pixels.width];
    dims.extend((rank == 3).then_some(pixels.channels));
    let dims = dims.into_iter().map(|n| i64::try_from(n).unwrap_or(i64::MAX)).collect();
    Ok(EdgeValue::Leaf(Value::array(dims, data)))
}

/// The samples of a picture, row by row.
struct Pixels {
    height: usize,
    width: usize,
    /// Grey or three colours, and opacity behind them if the number is even.
    channels: usize,
    samples: Vec<u16>,
    /// The largest sample that can be.
    most: u16,
}

impl Pixels {
    fn decode(bytes: &[u8], limit: u64) -> Result<Pixels, DataError> {
        let damaged = |e: png::DecodingError| DataError::damaged(FORMAT, e.to_string());
        let mut decoder = Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(damaged)?;
        let size = reader.output_buffer_size().filter(|&size| size / MOST_EXPANSION <= bytes.len());
        let size = size.ok_or_else(|| DataError::damaged(FORMAT, "its header claims more pixels than it has"))?;
        let mut room = Room::new(limit);
        room.take(WIDEST.saturating_mul(size as u64))?;
        let mut buffer = vec![0; size];
        let info = reader.next_frame(&mut buffer).map_err(damaged)?;
        let buffer = buffer.get(..info.buffer_size()).unwrap_or_default();
        let (samples, most) = match info.bit_depth {
            BitDepth::Sixteen => (buffer.as_chunks::<2>().0.iter().map(|s| u16::from_be_bytes(*s)).collect(), u16::MAX),
            _ => (buffer.iter().copied().map(u16::from).collect(), u16::from(u8::MAX)),
        };
        let channels = info.color_type.samples();
        Ok(Pixels { height: info.height as usize, width: info.width as usize, channels, samples, most })
    }

    /// Three colours, and opacity only if it is not the same everywhere.
    fn colours(self) -> Pixels {
        let grey = self.channels < 3;
        let opaque = self.channels % 2 == 1 || self.opacity().all(|sample| sample == self.most);
        let pixel = |pixel: &[u16]| {
            let colours = if grey { [pixel.first(); 3] } else { [pixel.first(), pixel.get(1), pixel.get(2)] };
            let opacity = pixel.last().filter(|_| !opaque);
            colours.into_iter().chain([opacity]).flatten().copied().collect::<Vec<u16>>()
        };
        let samples = self.samples.chunks(self.channels).flat_map(pixel).collect();
        Pixels { channels: if opaque { 3 } else { 4 }, samples, ..self }
    }

    fn opacity(&self) -> impl Iterator<Item = u16> + '_ {
        self.samples.chunks(self.channels).filter_map(|pixel| pixel.last().copied())
    }

    /// Grey alone: of a picture in colours, if all of them are grey.
    fn grey(self, edge: &Edge) -> Result<Pixels, DataError> {
        let opaque = self.channels % 2 == 1 || self.opacity().all(|sample| sample == self.most);
        let colours = if self.channels < 3 { 1 } else { 3 };
        let is_grey = |pixel: &[u16]| pixel.iter().take(colours).all(|sample| Some(sample) == pixel.first());
        if !opaque || !self.samples.chunks(self.channels).all(is_grey) {
            let found = format!("[{}][{}][{}]", self.height, self.width, if opaque { 3 } else { 4 });
            return Err(Problem::Shape { expected: rank_text(edge), found }.into());
        }
        let samples = self.samples.chunks(self.channels).filter_map(|pixel| pixel.first().copied()).collect();
        Ok(Pixels { channels: 1, samples, ..self })
    }
}

fn value(sample: u16, most: u16, elem: Scalar) -> Result<Const, DataError> {
    match elem {
        Scalar::F32 => Ok(Const::F32(f32::from(sample) / f32::from(most))),
        Scalar::F64 => Ok(Const::F64(f64::from(sample) / f64::from(most))),
        _ => crate::number::integer(i128::from(sample), false, elem)
            .ok_or_else(|| Problem::Lossy { number: sample.to_string(), ty: elem.name().to_string() }.into()),
    }
}

/// Whether a result of the type can be a picture. Errors: why it cannot.
pub(crate) fn check_result(edge: &Edge) -> Result<(), String> {
    match single_leaf(edge) {
        Some((elem, 2 | 3)) if elem != Scalar::Bool => Ok(()),
        _ => Err(no_picture(&rank_text(edge))),
    }
}

/// The bytes of a picture with 8 bits per sample. Floats outside 0 to 1 are taken for the nearer end, and NaN for 0.
/// Errors: why the value is no picture.
pub(crate) fn write(value: &EdgeValue) -> Result<Vec<u8>, String> {
    let EdgeValue::Leaf(leaf @ Value::Array(array)) = value else {
        return Err(no_picture(&crate::found_text(value)));
    };
    let shape = part::shape(leaf);
    let (height, width, colour) = match shape.as_slice() {
        [h, w] => (*h, *w, ColorType::Grayscale),
        [h, w, 3] => (*h, *w, ColorType::Rgb),
        [h, w, 4] => (*h, *w, ColorType::Rgba),
        _ => return Err(no_picture(&crate::found_text(value))),
    };
    let side = |n: usize| u32::try_from(n).ok().filter(|n| *n > 0 && i32::try_from(*n).is_ok());
    let (Some(width), Some(height)) = (side(width), side(height)) else {
        return Err(format!("a picture has pixels, and the result is a `{}`", crate::found_text(value)));
    };
    let samples = samples(array)?;
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(colour);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(&samples).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(bytes)
}

fn no_picture(ty: &str) -> String {
    format!(
        "a picture is an array `[height][width]`, with `[3]` or `[4]` behind it for colours, of numbers, and the result is a `{ty}`"
    )
}

fn samples(array: &Array) -> Result<Vec<u8>, String> {
    let sample = |value: Const| match (value.as_f64(), value.as_i64()) {
        // The conversion takes NaN for 0, and what is outside for the nearer end.
        (Some(x), _) => Ok((x * 255.0).round() as u8),
        (_, Some(n)) => u8::try_from(n).map_err(|_| format!("a sample of a picture is from 0 to 255, and one is {n}")),
        _ => Err("a picture is made of numbers".to_string()),
    };
    (0..array.data.len()).filter_map(|at| array.data.get(at)).map(sample).collect()
}
