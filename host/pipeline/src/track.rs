use std::io;
use std::path::Path;

use vocalhost_audio::{Block, Spool, SpoolWriter};

/// Writes a spool of a fixed length: what goes beyond it is dropped (an effect's tail), what is missing is silence.
pub struct TrackWriter {
    writer: SpoolWriter,
    channels: usize,
    frames: u64,
}

impl TrackWriter {
    /// Begins a track of `frames` frames at `path`.
    pub fn create(
        path: &Path,
        channels: usize,
        sample_rate_hz: u32,
        frames: u64,
    ) -> io::Result<Self> {
        let writer = SpoolWriter::create(path, channels, sample_rate_hz)?;
        Ok(Self {
            writer,
            channels,
            frames,
        })
    }

    /// Whether nothing more fits.
    pub fn is_full(&self) -> bool {
        self.writer.frames() >= self.frames
    }

    /// Appends a block, or what fits of it.
    pub fn write(&mut self, block: &Block) -> io::Result<()> {
        let room = (self.frames - self.writer.frames()).min(block.frames() as u64) as usize;
        match room {
            0 => Ok(()),
            _ if room == block.frames() => self.writer.write(block),
            _ => {
                let channels =
                    (0..self.channels).flat_map(|channel| &block.channel(channel)[..room]);
                self.writer.write(&Block::from_planar(
                    self.channels,
                    channels.copied().collect(),
                ))
            }
        }
    }

    /// Fills up with silence and opens the spool.
    pub fn finish(mut self) -> io::Result<Spool> {
        const SILENCE_FRAMES: u64 = 4096;
        while self.writer.frames() < self.frames {
            let frames = SILENCE_FRAMES.min(self.frames - self.writer.frames());
            self.writer
                .write(&Block::silent(self.channels, frames as usize))?;
        }
        self.writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_has_its_length_whatever_is_written() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, written) in [("short", 3), ("exact", 5), ("long", 9)] {
            let path = folder.path().join(name);
            let mut track = TrackWriter::create(&path, 2, 8_000, 5).expect("creates");
            track
                .write(&Block::from_planar(2, vec![1.0; 4]))
                .expect("writes");
            track
                .write(&Block::from_planar(2, vec![1.0; 2 * (written - 2)]))
                .expect("writes");
            let spool = track.finish().expect("finishes");
            let sound = spool.read(0, 5).expect("reads");
            assert_eq!(spool.frames(), 5, "{name}");
            for channel in 0..2 {
                let sum: f32 = sound.channel(channel).iter().sum();
                assert!((sum - written.min(5) as f32).abs() < f32::EPSILON, "{name}");
            }
        }
    }
}
