use std::io;
use std::sync::Arc;

use super::sound::{Sound, changes, scaled, stepped};
use vocalhost_audio::{BLOCK_FRAMES, Block, Spool};

/// Sounds of one length, read block by block beside each other. What several of them are made of is read once.
pub struct Abreast<'s> {
    sounds: &'s [Arc<Sound>],
    gain: f32,
    next: u64,
}

impl<'s> Abreast<'s> {
    /// As loud as `gain` makes them.
    pub fn new(sounds: &'s [Arc<Sound>], gain: f32) -> Self {
        Self {
            sounds,
            gain,
            next: 0,
        }
    }
}

impl Iterator for Abreast<'_> {
    type Item = io::Result<Vec<Arc<Block>>>;

    fn next(&mut self) -> Option<Self::Item> {
        let all = self.sounds.first()?.frames();
        let frames = (all - self.next.min(all)).min(BLOCK_FRAMES as u64) as usize;
        if frames == 0 {
            return None;
        }
        let mut moment = Moment {
            start: self.next,
            frames,
            gain: self.gain,
            read: Vec::new(),
        };
        self.next += frames as u64;
        Some(self.sounds.iter().map(|sound| moment.of(sound)).collect())
    }
}

/// What was read of sounds at one moment.
struct Moment {
    start: u64,
    frames: usize,
    gain: f32,
    read: Vec<(*const Sound, Arc<Block>)>,
}

impl Moment {
    fn of(&mut self, sound: &Arc<Sound>) -> io::Result<Arc<Block>> {
        let known = |(other, _): &&(*const Sound, _)| std::ptr::eq(*other, Arc::as_ptr(sound));
        if let Some((_, block)) = self.read.iter().find(known) {
            return Ok(Arc::clone(block));
        }
        let block = Arc::new(self.made(sound)?);
        self.read.push((Arc::as_ptr(sound), Arc::clone(&block)));
        Ok(block)
    }

    fn made(&mut self, sound: &Sound) -> io::Result<Block> {
        match sound {
            Sound::Kept { spool, steps } => {
                let read = spool.read(self.start as i64, self.frames)?;
                let block = scaled(read, self.gain);
                Ok(match steps {
                    Some(steps) if changes(self.gain) => stepped(block, *steps),
                    _ => block,
                })
            }
            Sound::Left { whole, others } => {
                let whole = self.of(whole)?;
                // What is left fits into the file, but on the way there it may be larger than 32 bits hold to a step.
                let mut left: Vec<f64> = whole.as_planar().iter().copied().map(f64::from).collect();
                for other in others {
                    let other = self.of(other)?;
                    for (sample, other) in left.iter_mut().zip(other.as_planar()) {
                        *sample -= f64::from(*other);
                    }
                }
                let left = left.into_iter().map(|sample| sample as f32).collect();
                Ok(Block::from_planar(whole.channels(), left))
            }
            Sound::Mixed { parts } => {
                let mut sums = vec![0.0; sound.channels() * self.frames];
                for part in parts {
                    let part = self.of(part)?;
                    for (sum, sample) in sums.iter_mut().zip(part.as_planar()) {
                        *sum += sample;
                    }
                }
                Ok(Block::from_planar(sound.channels(), sums))
            }
        }
    }
}

/// The largest magnitude of any sample of some sounds of one length.
pub fn peak_of(sounds: &[Arc<Sound>]) -> io::Result<f32> {
    let (kept, made): (Vec<_>, Vec<_>) = sounds
        .iter()
        .cloned()
        .partition(|sound| sound.kept().is_some());
    let kept = kept.iter().filter_map(|sound| sound.kept());
    let mut peak = kept.map(Spool::peak).fold(0.0, f32::max);
    for blocks in Abreast::new(&made, 1.0) {
        for block in blocks? {
            peak = block
                .as_planar()
                .iter()
                .fold(peak, |peak, sample| peak.max(sample.abs()));
        }
    }
    Ok(peak)
}
