use std::io::Cursor;

use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits, Rgb, RgbImage};

/// The longest side of an accepted picture: that of a photograph.
const MAX_GIVEN_SIDE: u32 = 8_192;
/// The most memory that decoding may need: the largest picture at four bytes per pixel.
const MAX_DECODER_BYTES: u64 = 4 * (MAX_GIVEN_SIDE as u64 * MAX_GIVEN_SIDE as u64);
/// The longest side of a blended picture; pictures of voices are a few hundred pixels wide.
const MAX_SIDE: u32 = 1_024;

/// The picture of the blend, a PNG: the voices' pictures overlaid, each weighted by its share. It has the size of the first; the others are
/// stretched to it. A file that is no PNG, JPEG or WebP of a sensible size is left out, since a blend must not fail for a picture; `None`
/// when none is left.
pub(super) fn overlay(pictures: &[(Vec<u8>, f64)]) -> Option<Vec<u8>> {
    let read = pictures
        .iter()
        .filter_map(|(file, share)| Some((read(file)?, *share)));
    let read: Vec<(RgbImage, f64)> = read.collect();
    let (first, _) = read.first()?;
    let total: f64 = read.iter().map(|(_, share)| share).sum();
    let (width, height) = first.dimensions();
    let mixed = RgbImage::from_fn(width, height, |column, row| {
        let mut sums = [0.0; 3];
        for (picture, share) in &read {
            let column = stretched(column, width, picture.width());
            let row = stretched(row, height, picture.height());
            for (sum, colour) in sums.iter_mut().zip(picture.get_pixel(column, row).0) {
                *sum += share * f64::from(colour);
            }
        }
        Rgb(sums.map(|sum| (sum / total).round() as u8))
    });
    write(&mixed)
}

/// The position in a side of `to` pixels that corresponds to `place` in a side of `from` pixels.
fn stretched(place: u32, from: u32, to: u32) -> u32 {
    (u64::from(place) * u64::from(to) / u64::from(from)) as u32
}

/// The picture as people see it: rotated as its metadata say, and no larger than needed.
fn read(file: &[u8]) -> Option<RgbImage> {
    let mut reader = ImageReader::new(Cursor::new(file))
        .with_guessed_format()
        .ok()?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_GIVEN_SIDE);
    limits.max_image_height = Some(MAX_GIVEN_SIDE);
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().ok()?;
    let orientation = decoder.orientation().ok()?;
    let mut picture = DynamicImage::from_decoder(decoder).ok()?;
    picture.apply_orientation(orientation);
    if picture.width().max(picture.height()) > MAX_SIDE {
        picture = picture.thumbnail(MAX_SIDE, MAX_SIDE);
    }
    Some(picture.into_rgb8())
}

fn write(picture: &RgbImage) -> Option<Vec<u8>> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Png).ok()?;
    Some(file.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(width: u32, height: u32, colour: [u8; 3]) -> RgbImage {
        RgbImage::from_pixel(width, height, Rgb(colour))
    }

    fn png(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
        write(&flat(width, height, colour)).expect("a picture")
    }

    #[test]
    fn each_picture_is_as_strong_as_its_share() {
        let pictures = [
            (png(4, 2, [200, 0, 40]), 0.25),
            (png(8, 8, [0, 100, 80]), 0.75),
            (b"not a picture".to_vec(), 1.0),
        ];
        let mixed = read(&overlay(&pictures).expect("a picture")).expect("readable");
        assert_eq!(mixed, flat(4, 2, [50, 75, 70]));
    }

    #[test]
    fn photographs_and_pictures_of_the_web_count_too() {
        for format in [ImageFormat::Jpeg, ImageFormat::WebP] {
            let mut file = Cursor::new(Vec::new());
            let grey = flat(16, 16, [128; 3]);
            grey.write_to(&mut file, format).expect("written");
            let pictures = [(png(16, 16, [0; 3]), 0.5), (file.into_inner(), 0.5)];
            let mixed = read(&overlay(&pictures).expect("a picture")).expect("readable");
            assert_eq!(mixed, flat(16, 16, [64; 3]), "{format:?}");
        }
    }

    #[test]
    fn what_is_no_picture_is_left_out_and_what_is_large_made_smaller() {
        let mut cut = png(64, 64, [1, 2, 3]);
        cut.truncate(40);
        assert!(overlay(&[(cut, 1.0)]).is_none());
        assert!(overlay(&[]).is_none());
        assert!(overlay(&[(png(MAX_GIVEN_SIDE + 1, 1, [0; 3]), 1.0)]).is_none());
        let wide = overlay(&[(png(2 * MAX_SIDE, 6, [7; 3]), 1.0)]).expect("a picture");
        assert_eq!(read(&wide), Some(flat(MAX_SIDE, 3, [7; 3])));
    }
}
