//! Pixels that plotters draws on, with characters from a table of bitmaps.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

/// A picture in colours.
pub(crate) struct Raster {
    width: u32,
    height: u32,
    /// Red, green and blue of each pixel, row by row.
    samples: Vec<u8>,
}

impl Raster {
    pub(crate) fn new(width: u32, height: u32) -> Raster {
        Raster { width, height, samples: vec![255; 3 * (width * height) as usize] }
    }

    /// The bytes of a PNG file.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
        writer.write_image_data(&self.samples).map_err(|error| error.to_string())?;
        writer.finish().map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// Adds the part of each pixel that a thick piece of a line covers, where more of it is covered than before: the pieces
    /// of one line meet without a seam.
    fn cover(&self, covered: &mut [u8], from: BackendCoord, to: BackendCoord, half: f64) {
        let span = |a: i32, b: i32, end: u32| {
            let far = half.ceil() as i32 + 1;
            a.min(b).saturating_sub(far).max(0)..a.max(b).saturating_add(far + 1).min(end as i32)
        };
        let [ax, ay, bx, by] = [from.0, from.1, to.0, to.1].map(f64::from);
        let (dx, dy) = (bx - ax, by - ay);
        let length = (dx * dx + dy * dy).max(f64::MIN_POSITIVE);
        for y in span(from.1, to.1, self.height) {
            for x in span(from.0, to.0, self.width) {
                let (px, py) = (f64::from(x) - ax, f64::from(y) - ay);
                let along = ((px * dx + py * dy) / length).clamp(0.0, 1.0);
                let distance = (px - along * dx).hypot(py - along * dy);
                let part = (255.0 * (half + 0.5 - distance).clamp(0.0, 1.0)) as u8;
                if let Some(pixel) = covered.get_mut((y as u32 * self.width + x as u32) as usize) {
                    *pixel = part.max(*pixel);
                }
            }
        }
    }

    fn blend(&mut self, (x, y): BackendCoord, color: BackendColor) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let at = 3 * (y * self.width + x) as usize;
        let (r, g, b) = color.rgb;
        for (sample, new) in self.samples.iter_mut().skip(at).take(3).zip([r, g, b]) {
            let mixed = f64::from(*sample) * (1.0 - color.alpha) + f64::from(new) * color.alpha;
            *sample = mixed.round() as u8;
        }
    }
}

/// The height of characters for the size of a font.
fn face<S: BackendTextStyle>(style: &S) -> (FontWeight, RasterHeight) {
    match style.size() > 28.0 {
        true => (FontWeight::Bold, RasterHeight::Size32),
        false => (FontWeight::Regular, RasterHeight::Size24),
    }
}

fn text_size<S: BackendTextStyle>(text: &str, style: &S) -> (i32, i32) {
    let (weight, height) = face(style);
    ((text.chars().count() * get_raster_width(weight, height)) as i32, height.val() as i32)
}

impl DrawingBackend for &mut Raster {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Result<(), DrawingErrorKind<Infallible>> {
        self.blend(point, color);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let mut covered = vec![0u8; (self.width * self.height) as usize];
        let path: Vec<BackendCoord> = path.into_iter().collect();
        for (from, to) in path.iter().zip(path.iter().skip(1)) {
            self.cover(&mut covered, *from, *to, f64::from(style.stroke_width().max(1)) / 2.0);
        }
        let BackendColor { alpha, rgb } = style.color();
        for (at, covered) in covered.into_iter().enumerate().filter(|(_, covered)| *covered > 0) {
            let point = ((at as u32 % self.width) as i32, (at as u32 / self.width) as i32);
            self.blend(point, BackendColor { alpha: alpha * f64::from(covered) / 255.0, rgb });
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        at: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let (weight, height) = face(style);
        let (width, tall) = text_size(text, style);
        let left = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Right => -width,
            HPos::Center => -width / 2,
        };
        let top = match style.anchor().v_pos {
            VPos::Top => 0,
            VPos::Center => -tall / 2,
            VPos::Bottom => -tall,
        };
        let (step, color) = (get_raster_width(weight, height) as i32, style.color());
        for (place, c) in text.chars().enumerate() {
            let Some(glyph) = get_raster(c, weight, height).or_else(|| get_raster('?', weight, height)) else {
                continue;
            };
            for (row, line) in glyph.rows().enumerate() {
                for (column, intensity) in line.iter().enumerate().filter(|(_, intensity)| **intensity > 0) {
                    let x = left + place as i32 * step + column as i32;
                    let (x, y) = style.transform().transform(x, top + row as i32);
                    let alpha = color.alpha * f64::from(*intensity) / 255.0;
                    self.blend((at.0 + x, at.1 + y), BackendColor { alpha, rgb: color.rgb });
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let (width, height) = text_size(text, style);
        Ok((width as u32, height as u32))
    }
}
