use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, Encoder, Limits, Transformations};

/// The longest side of a picture that is taken in; pictures of voices are a few hundred pixels.
const MAX_SIDE: u32 = 2_048;
/// The most memory that taking one in may need: four times the largest picture.
const MAX_DECODER_BYTES: usize = 4 * 4 * (MAX_SIDE * MAX_SIDE) as usize;

/// A picture, row after row, red, green and blue.
struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

/// Lays the pictures of the voices over one another, each as strong as its share: the picture of the blend. It is as
/// large as the first; the others are stretched to it. What is not a PNG of a sensible size is left out, since a voice
/// must not fail for its picture; `None` when nothing is left.
pub(super) fn overlay(pictures: &[(Vec<u8>, f64)]) -> Option<Vec<u8>> {
    let read = pictures
        .iter()
        .filter_map(|(file, share)| Some((read(file)?, *share)));
    let read: Vec<(Picture, f64)> = read.collect();
    let (first, _) = read.first()?;
    let total: f64 = read.iter().map(|(_, share)| share).sum();
    let mut pixels = Vec::with_capacity(first.pixels.len());
    for row in 0..first.height {
        for column in 0..first.width {
            for colour in 0..3 {
                let sum: f64 = read
                    .iter()
                    .map(|(picture, share)| {
                        let row = stretched(row, first.height, picture.height);
                        let column = stretched(column, first.width, picture.width);
                        share
                            * f64::from(
                                picture.pixels
                                    [(row * picture.width as usize + column) * 3 + colour],
                            )
                    })
                    .sum();
                pixels.push((sum / total).round() as u8);
            }
        }
    }
    write(first.width, first.height, &pixels).ok()
}

/// The place in a side of `to` pixels that stands at `place` of a side of `from` pixels.
fn stretched(place: u32, from: u32, to: u32) -> usize {
    (u64::from(place) * u64::from(to) / u64::from(from)) as usize
}

fn read(file: &[u8]) -> Option<Picture> {
    let limits = Limits {
        bytes: MAX_DECODER_BYTES,
    };
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), limits);
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = reader.info().size();
    if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
        return None;
    }
    let mut samples = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut samples).ok()?;
    samples.truncate(frame.buffer_size());
    let per_pixel = frame.color_type.samples();
    let pixels = samples
        .chunks_exact(per_pixel)
        .flat_map(|pixel| match *pixel {
            [red, green, blue, ..] => [red, green, blue],
            // Grey, with or without transparency.
            [grey, ..] => [grey; 3],
            [] => [0; 3],
        });
    let pixels: Vec<u8> = pixels.collect();
    (pixels.len() == width as usize * height as usize * 3).then_some(Picture {
        width,
        height,
        pixels,
    })
}

fn write(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
        let pixels = colour.repeat((width * height) as usize);
        write(width, height, &pixels).expect("a picture")
    }

    #[test]
    fn each_picture_is_as_strong_as_its_share() {
        let pictures = [
            (flat(4, 2, [200, 0, 40]), 0.25),
            (flat(8, 8, [0, 100, 80]), 0.75),
            (b"not a picture".to_vec(), 1.0),
        ];
        let mixed = read(&overlay(&pictures).expect("a picture")).expect("readable");
        assert_eq!((mixed.width, mixed.height), (4, 2));
        assert_eq!(mixed.pixels, [50, 75, 70].repeat(8));
    }

    #[test]
    fn what_is_no_picture_is_left_out() {
        let mut cut = flat(64, 64, [1, 2, 3]);
        cut.truncate(40);
        assert!(overlay(&[(cut, 1.0)]).is_none());
        assert!(overlay(&[]).is_none());
        let wide = flat(MAX_SIDE + 1, 1, [0; 3]);
        assert!(overlay(&[(wide, 1.0)]).is_none());
    }
}
