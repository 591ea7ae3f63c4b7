use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::block::reach;
use super::{BLOCK_FRAMES, Block};

/// Sound on disk between two passes, so that memory does not grow with the length of a recording.
///
/// The file holds 32-bit floats of this machine's byte order in pages of [`BLOCK_FRAMES`] frames; a page holds channel after channel as a
/// [`Block`] does, so that samples need no rearranging. The last page is filled up with silence.
pub struct Spool {
    file: File,
    channels: usize,
    sample_rate_hz: u32,
    frames: u64,
    peak: f32,
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

    /// Reads `frames` frames from `start` on; frames before the beginning and after the end are silent, so that a caller may ask for
    /// context around any window.
    pub fn read(&self, start: i64, frames: usize) -> io::Result<Block> {
        let mut block = Block::silent(self.channels, frames);
        let first = start.clamp(0, self.frames as i64);
        let end = (start + frames as i64).clamp(first, self.frames as i64);
        let mut at = first;
        while at < end {
            let (page, inside) = (at as u64 / PAGE, at as u64 % PAGE);
            let count = (PAGE - inside).min((end - at) as u64) as usize;
            let place = (at - start) as usize;
            for channel in 0..self.channels {
                let samples = &mut block.channel_mut(channel)[place..place + count];
                let from = (page * self.channels as u64 + channel as u64) * PAGE + inside;
                self.file.read_exact_at(
                    bytemuck::cast_slice_mut(samples),
                    from * size_of::<f32>() as u64,
                )?;
            }
            at += count as i64;
        }
        Ok(block)
    }

    /// All frames from the beginning on, in blocks of [`BLOCK_FRAMES`]; the last one may be shorter.
    pub fn blocks(&self) -> impl Iterator<Item = io::Result<Block>> + '_ {
        (0..self.frames).step_by(BLOCK_FRAMES).map(|start| {
            let frames = (self.frames - start).min(BLOCK_FRAMES as u64);
            self.read(start as i64, frames as usize)
        })
    }
}

/// Frames of a page.
const PAGE: u64 = BLOCK_FRAMES as u64;

/// Writes a [`Spool`].
pub struct SpoolWriter {
    file: File,
    /// The page that is being filled.
    page: Vec<f32>,
    spool_channels: usize,
    sample_rate_hz: u32,
    frames: u64,
    peak: f32,
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
            file,
            page: vec![0.0; channels * BLOCK_FRAMES],
            spool_channels: channels,
            sample_rate_hz,
            frames: 0,
            peak: 0.0,
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
        self.peak = self.peak.max(reach(block.as_planar()));
        let mut written = 0;
        while written < block.frames() {
            let filled = (self.frames % PAGE) as usize;
            let count = (BLOCK_FRAMES - filled).min(block.frames() - written);
            for (channel, page) in self.page.chunks_exact_mut(BLOCK_FRAMES).enumerate() {
                let samples = &block.channel(channel)[written..written + count];
                page[filled..filled + count].copy_from_slice(samples);
            }
            written += count;
            self.frames += count as u64;
            if self.frames.is_multiple_of(PAGE) {
                self.write_page()?;
            }
        }
        Ok(())
    }

    fn write_page(&mut self) -> io::Result<()> {
        self.file.write_all(bytemuck::cast_slice(&self.page))?;
        self.page.fill(0.0);
        Ok(())
    }

    /// Ends the spool and opens it for reading.
    pub fn finish(mut self) -> io::Result<Spool> {
        if !self.frames.is_multiple_of(PAGE) {
            self.write_page()?;
        }
        Ok(Spool {
            file: self.file,
            channels: self.spool_channels,
            sample_rate_hz: self.sample_rate_hz,
            frames: self.frames,
            peak: self.peak,
        })
    }
}

#[cfg(test)]
#[expect(
    clippy::float_cmp,
    reason = "what is only moved or scaled by a power of two is exact"
)]
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

    #[test]
    fn blocks_give_every_frame_once_and_in_order() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer =
            SpoolWriter::create(&folder.path().join("spool"), 2, 8_000).expect("creates");
        let frames = 2 * BLOCK_FRAMES + 17;
        for start in (0..frames).step_by(1_000) {
            let ramp = (start..(start + 1_000).min(frames)).map(|frame| frame as f32);
            let planar = ramp.clone().chain(ramp.map(|sample| -sample)).collect();
            writer
                .write(&Block::from_planar(2, planar))
                .expect("writes");
        }
        let spool = writer.finish().expect("finishes");
        let mut next = 0.0;
        for block in spool.blocks() {
            let block = block.expect("reads");
            for (left, right) in block.channel(0).iter().zip(block.channel(1)) {
                assert_eq!((*left, *right), (next, -next));
                next += 1.0;
            }
        }
        assert_eq!(next, frames as f32);
        let start = BLOCK_FRAMES - 3;
        let window = spool.read(start as i64, BLOCK_FRAMES + 9).expect("reads");
        for (at, sample) in (start..).zip(window.channel(1)) {
            assert_eq!(*sample, -(at as f32));
        }
    }
}
