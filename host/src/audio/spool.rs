use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::Block;

/// Sound on disk between two passes: interleaved 32-bit floats without a header, so that memory does not grow with
/// the length of a recording.
pub struct Spool {
    file: File,
    channels: usize,
    sample_rate_hz: u32,
    frames: u64,
    peak: f32,
    sum_of_squares: f64,
}

impl Spool {
    /// Number of channels.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Frames per second.
    #[must_use]
    pub fn sample_rate_hz(&self) -> u32 {
        self.sample_rate_hz
    }

    /// Number of frames.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The largest magnitude of any sample.
    #[must_use]
    pub fn peak(&self) -> f32 {
        self.peak
    }

    /// The sum of the squares of all samples of all channels.
    #[must_use]
    pub fn sum_of_squares(&self) -> f64 {
        self.sum_of_squares
    }

    /// Reads `frames` frames from `start` on; frames before the beginning and after the end are silent, so a caller
    /// may ask for context around any window.
    pub fn read(&self, start: i64, frames: usize) -> io::Result<Block> {
        let mut block = Block::silent(self.channels, frames);
        let first = start.clamp(0, self.frames as i64);
        let end = (start + frames as i64).clamp(first, self.frames as i64);
        let frame_bytes = self.channels * size_of::<f32>();
        let mut bytes = vec![0; (end - first) as usize * frame_bytes];
        self.file
            .read_exact_at(&mut bytes, first as u64 * frame_bytes as u64)?;
        let offset = (first - start) as usize;
        for (index, sample) in bytes.chunks_exact(size_of::<f32>()).enumerate() {
            let value = f32::from_le_bytes([sample[0], sample[1], sample[2], sample[3]]);
            block.channel_mut(index % self.channels)[offset + index / self.channels] = value;
        }
        Ok(block)
    }
}

/// Writes a [`Spool`].
pub struct SpoolWriter {
    file: BufWriter<File>,
    spool_channels: usize,
    sample_rate_hz: u32,
    frames: u64,
    peak: f32,
    sum_of_squares: f64,
}

impl SpoolWriter {
    /// Begins a spool at `path`, which must not exist.
    pub fn create(path: &Path, channels: usize, sample_rate_hz: u32) -> io::Result<Self> {
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 16, file),
            spool_channels: channels,
            sample_rate_hz,
            frames: 0,
            peak: 0.0,
            sum_of_squares: 0.0,
        })
    }

    /// Frames written so far.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Appends a block.
    ///
    /// # Panics
    /// When the block has another number of channels.
    pub fn write(&mut self, block: &Block) -> io::Result<()> {
        assert_eq!(
            block.channels(),
            self.spool_channels,
            "a spool keeps its channels"
        );
        for frame in 0..block.frames() {
            for channel in 0..self.spool_channels {
                let sample = block.as_planar()[channel * block.frames() + frame];
                self.peak = self.peak.max(sample.abs());
                self.sum_of_squares += f64::from(sample) * f64::from(sample);
                self.file.write_all(&sample.to_le_bytes())?;
            }
        }
        self.frames += block.frames() as u64;
        Ok(())
    }

    /// Ends the spool and opens it for reading.
    pub fn finish(self) -> io::Result<Spool> {
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        Ok(Spool {
            file,
            channels: self.spool_channels,
            sample_rate_hz: self.sample_rate_hz,
            frames: self.frames,
            peak: self.peak,
            sum_of_squares: self.sum_of_squares,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_reaches_beyond_both_ends_and_finds_silence_there() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer =
            SpoolWriter::create(&folder.path().join("spool"), 2, 8_000).expect("creates");
        writer
            .write(&Block::from_planar(2, vec![0.5, 0.25, -1.0, 0.0]))
            .expect("writes");
        writer
            .write(&Block::from_planar(2, vec![0.125, 0.75]))
            .expect("writes");
        let spool = writer.finish().expect("finishes");
        let window = spool.read(-1, 5).expect("reads");
        assert_eq!(window.channel(0), [0.0, 0.5, 0.25, 0.125, 0.0]);
        assert_eq!(window.channel(1), [0.0, -1.0, 0.0, 0.75, 0.0]);
        assert!(
            spool
                .read(-9, 3)
                .expect("reads")
                .as_planar()
                .iter()
                .all(|sample| *sample == 0.0)
        );
        assert_eq!((spool.frames(), spool.peak()), (3, 1.0));
    }
}
