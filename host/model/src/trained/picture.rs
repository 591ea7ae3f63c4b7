use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const SIZE: u32 = 384;
const WAVES: usize = 5;
/// Few flat tones make clear contour lines and a small file.
const LEVELS: f64 = 28.0;

/// Draws a voice's picture, a PNG: interfering waves in three colours, with a different pattern for every seed; no
/// likeness. As `models/training/picture.py` does.
pub(super) fn draw(seed: u64) -> Option<Vec<u8>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut between = |low: f64, high: f64| {
        let share = f64::from(random.next_u32()) / 2.0_f64.powi(32);
        low + (high - low) * share
    };
    let waves: Vec<[f64; 6]> = (0..WAVES)
        .map(|_| {
            [
                between(-0.9, 0.9),
                between(-0.9, 0.9),
                between(0.6, 1.6),
                between(0.4, 1.0),
                between(1.0, 3.2),
                between(0.0, 6.0),
            ]
        })
        .collect();
    let hue = between(0.0, 6.0);
    let height = |column: u32, row: u32| -> f64 {
        let place = |pixel: u32| f64::from(pixel) / f64::from(SIZE) - 0.5;
        let waves = waves.iter().map(|[x, y, squeeze, gain, pace, offset]| {
            let distance = (place(column) - x).hypot((place(row) - y) * squeeze);
            gain * (std::f64::consts::TAU * pace * distance + offset).sin()
        });
        waves.sum()
    };
    let heights = (0..SIZE).flat_map(|row| (0..SIZE).map(move |column| (column, row)));
    let heights: Vec<f64> = heights.map(|(column, row)| height(column, row)).collect();
    let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let picture = RgbImage::from_fn(SIZE, SIZE, |column, row| {
        let height = heights[(row * SIZE + column) as usize];
        let tone = ((height - lowest) / (highest - lowest) * LEVELS).floor() / LEVELS;
        colour(hue, tone.min(1.0 - 1.0 / LEVELS))
    });
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Png).ok()?;
    Some(file.into_inner())
}

/// From dark over a colour to light.
fn colour(hue: f64, tone: f64) -> Rgb<u8> {
    let channel = |offset: f64| {
        let pure = 0.5 + 0.5 * (hue + offset).cos();
        let value = if tone < 0.5 {
            0.12 + (pure * 0.75 + 0.1 - 0.12) * 2.0 * tone
        } else {
            let middle = pure * 0.75 + 0.1;
            middle + (0.93 - middle) * (2.0 * tone - 1.0)
        };
        (255.0 * value).round() as u8
    };
    Rgb([channel(0.0), channel(2.1), channel(4.2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_has_a_picture_of_its_own() {
        let one = draw(1).expect("it is drawn");
        assert_eq!(one, draw(1).expect("it is drawn"));
        assert_ne!(one, draw(2).expect("it is drawn"));
        let read = image::load_from_memory(&one).expect("it is a picture");
        assert_eq!((read.width(), read.height()), (SIZE, SIZE));
    }
}
