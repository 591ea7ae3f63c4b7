use std::path::Path;

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use crate::KitError;
use crate::output::write_whole;

/// Red, green and blue.
pub(super) type Colour = [u8; 3];

/// What is written and drawn with.
pub(super) const INK: Colour = [38, 40, 46];
/// What should not come to the fore.
pub(super) const FAINT: Colour = [214, 216, 222];

/// A picture of pixels on white.
#[derive(Debug, Clone, PartialEq)]
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    Title,
    Plain,
}

impl Letters {
    fn face(self) -> (FontWeight, RasterHeight) {
        match self {
            Self::Title => (FontWeight::Bold, RasterHeight::Size20),
            Self::Plain => (FontWeight::Regular, RasterHeight::Size16),
        }
    }

    /// Pixels from one letter to the next.
    pub(super) fn advance(self) -> usize {
        let (weight, height) = self.face();
        get_raster_width(weight, height)
    }

    /// Pixels from the top of a letter's box to its end.
    pub(super) fn height(self) -> usize {
        self.face().1.val()
    }
}

impl Canvas {
    pub(super) fn white(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pixels: vec![255; width * height * 3],
        }
    }

    /// Pixels from left to right.
    #[cfg(test)]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Pixels from top to bottom.
    #[cfg(test)]
    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// Red, green and blue of every pixel, row after row from the top.
    #[cfg(test)]
    pub(super) fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Lays `colour` over a pixel, `share` from 0 to 255; outside there is nothing to do.
    pub(super) fn blend(&mut self, x: usize, y: usize, colour: Colour, share: u8) {
        if x >= self.width || y >= self.height {
            return;
        }
        let at = 3 * (y * self.width + x);
        for (value, wanted) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            let mixed =
                u32::from(*value) * u32::from(255 - share) + u32::from(wanted) * u32::from(share);
            *value = (mixed / 255) as u8;
        }
    }

    pub(super) fn rectangle(
        &mut self,
        (left, top): (usize, usize),
        (width, height): (usize, usize),
        colour: Colour,
    ) {
        for y in top..top + height {
            for x in left..left + width {
                self.blend(x, y, colour, 255);
            }
        }
    }

    /// A line of one pixel around a rectangle, outside of it.
    pub(super) fn frame(&mut self, (left, top): (usize, usize), (width, height): (usize, usize)) {
        let (left, top) = (left.saturating_sub(1), top.saturating_sub(1));
        for line in [top, top + height + 1] {
            self.rectangle((left, line), (width + 2, 1), INK);
        }
        for line in [left, left + width + 1] {
            self.rectangle((line, top), (1, height + 2), INK);
        }
    }

    /// Writes a text whose box begins at the height `top`.
    pub(super) fn text(
        &mut self,
        (x, top): (usize, usize),
        text: &str,
        letters: Letters,
        anchor: Anchor,
    ) {
        let width = text.chars().count() * letters.advance();
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x.saturating_sub(width / 2),
            Anchor::End => x.saturating_sub(width),
        };
        for (place, letter) in text.chars().enumerate() {
            let left = left + place * letters.advance();
            self.letter(letter, letters, &mut |canvas, dx, dy, share| {
                canvas.blend(left + dx, top + dy, INK, share);
            });
        }
    }

    /// Writes a text that runs upwards, centred at the height `middle`.
    pub(super) fn upright_text(&mut self, (left, middle): (usize, usize), text: &str) {
        let letters = Letters::Plain;
        let bottom = middle + text.chars().count() * letters.advance() / 2;
        for (place, letter) in text.chars().enumerate() {
            let bottom = bottom.saturating_sub(place * letters.advance());
            self.letter(letter, letters, &mut |canvas, dx, dy, share| {
                canvas.blend(left + dy, bottom.saturating_sub(dx), INK, share);
            });
        }
    }

    fn letter(
        &mut self,
        letter: char,
        letters: Letters,
        draw: &mut dyn FnMut(&mut Self, usize, usize, u8),
    ) {
        let (weight, height) = letters.face();
        let raster = get_raster(letter, weight, height).or_else(|| get_raster('?', weight, height));
        let Some(raster) = raster else { return };
        for (dy, row) in raster.rows().enumerate() {
            for (dx, share) in row.iter().enumerate() {
                if *share > 0 {
                    draw(self, dx, dy, *share);
                }
            }
        }
    }

    /// Writes the picture as a PNG file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), KitError> {
        let failed = |error: png::EncodingError| KitError::Picture(error.to_string());
        let mut content = Vec::new();
        let (width, height) = (self.width as u32, self.height as u32);
        let mut encoder = png::Encoder::new(&mut content, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.pixels).map_err(failed)?;
        writer.finish().map_err(failed)?;
        write_whole(path, &content)
    }
}
