//! What may accompany a voice's model: a picture and a demo recording.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _};
use std::path::Path;

use imagesize::{ImageError, ImageSize};

use vocalhost_audio::InputFormat;

/// The largest picture.
pub const MAX_PICTURE_BYTES: u64 = 8 << 20;

/// The largest demo: a minute of lossless stereo and more.
pub const MAX_DEMO_BYTES: u64 = 20 << 20;

/// The accepted formats of a demo.
pub const DEMO_FORMATS: [InputFormat; 3] = [InputFormat::Wav, InputFormat::Mp3, InputFormat::Flac];

/// The longest side of a picture: four times what a page shows. A browser decodes the whole picture, even if a few bytes stand for
/// gigabytes of pixels.
pub const MAX_PICTURE_SIDE: usize = 4_096;

/// How many first bytes of a picture tell its format.
const PICTURE_MARK_BYTES: usize = 12;

/// Why a file is no valid picture of a voice: the rest of a sentence about the file.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// Its first bytes are those of something else.
    #[error("is no PNG, JPEG or WebP")]
    Format,
    /// Its header does not say how large it is.
    #[error("has no width and height that can be read")]
    NoSize,
    /// It is larger than pictures may be.
    #[error("is {width} by {height} pixels; at most {MAX_PICTURE_SIDE} a side are allowed")]
    TooLarge {
        /// Pixels from left to right.
        width: usize,
        /// Pixels from top to bottom.
        height: usize,
    },
    /// The file could not be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Reads the header of a picture and returns the extension that it is served under, provided that its size can be shown. The picture itself
/// is not decoded.
pub fn picture_extension(path: &Path) -> Result<&'static str, PictureError> {
    let mut file = BufReader::new(File::open(path)?);
    let mut first = Vec::new();
    file.by_ref()
        .take(PICTURE_MARK_BYTES as u64)
        .read_to_end(&mut first)?;
    let extension = extension_of(&first).ok_or(PictureError::Format)?;
    file.rewind()?;
    let ImageSize { width, height } =
        imagesize::reader_size(&mut file).map_err(|error| match error {
            // An early end is the file's fault; any other I/O error is ours.
            ImageError::IoError(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                PictureError::Io(error)
            }
            _ => PictureError::NoSize,
        })?;
    if width == 0 || height == 0 {
        return Err(PictureError::NoSize);
    }
    if width.max(height) > MAX_PICTURE_SIDE {
        return Err(PictureError::TooLarge { width, height });
    }
    Ok(extension)
}

/// The extension of a picture by its first bytes: those of PNG (ISO 15948, 5.2), JPEG (ITU-T T.81, B.1.1.3) and WebP (RFC 9649, 2.4). SVG
/// is not accepted, since it may hold scripts.
fn extension_of(first: &[u8]) -> Option<&'static str> {
    if first.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("png")
    } else if first.starts_with(b"\xff\xd8\xff") {
        Some("jpg")
    } else if first.starts_with(b"RIFF")
        && first.get(8..).is_some_and(|rest| rest.starts_with(b"WEBP"))
    {
        Some("webp")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use image::{ImageFormat, RgbImage};
    use vocalhost_testing::repository;

    use super::*;

    fn look(bytes: &[u8]) -> Result<&'static str, String> {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), bytes).expect("it can be written");
        picture_extension(file.path()).map_err(|error| error.to_string())
    }

    fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut file = io::Cursor::new(Vec::new());
        let grey = RgbImage::from_pixel(width, height, image::Rgb([128; 3]));
        grey.write_to(&mut file, format).expect("written");
        file.into_inner()
    }

    #[test]
    fn pictures_of_every_format_are_told_with_their_size() {
        let most = MAX_PICTURE_SIDE as u32;
        for (format, extension) in [
            (ImageFormat::Png, "png"),
            (ImageFormat::Jpeg, "jpg"),
            (ImageFormat::WebP, "webp"),
        ] {
            assert_eq!(look(&picture(3, most, format)), Ok(extension));
            let large = look(&picture(most + 1, 2, format)).expect_err("it is large");
            assert!(large.starts_with("is 4097 by 2 pixels"), "{large}");
            let header = &picture(8, 8, format)[..PICTURE_MARK_BYTES];
            let cut = look(header).expect_err("it has a beginning and no more");
            assert!(cut.contains("no width and height"), "{extension}: {cut}");
        }
        assert_eq!(
            look(b"<svg/>").expect_err("a drawing"),
            "is no PNG, JPEG or WebP"
        );
    }

    #[test]
    fn a_picture_that_says_it_has_more_pixels_than_anybody_can_show_is_none() {
        let mut png = picture(1, 1, ImageFormat::Png);
        png[16..20].copy_from_slice(&(1_u32 << 31).to_be_bytes());
        let large = look(&png).expect_err("no screen is as wide");
        assert!(large.starts_with("is 2147483648 by 1 pixels"), "{large}");
        png[16..20].fill(0);
        let empty = look(&png).expect_err("it has no pixels");
        assert!(empty.contains("no width and height"), "{empty}");
    }

    #[test]
    fn the_pictures_that_come_along_are_pictures() {
        let models = repository("models");
        let mut seen = 0;
        for entry in fs::read_dir(models).expect("a folder") {
            let picture = entry.expect("an entry").path().join("picture.png");
            if picture.exists() {
                assert_eq!(picture_extension(&picture).ok(), Some("png"));
                seen += 1;
            }
        }
        assert!(seen >= 10, "{seen} pictures");
    }
}
