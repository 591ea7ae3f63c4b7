use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::sound::{Sound, changes, scaled, stepped};
use super::threads::Threads;
use vocalhost_audio::{BLOCK_FRAMES, Block, Spool};

/// Frames in which one thread looks for the peak: some seconds.
const SHARE_FRAMES: u64 = 64 * BLOCK_FRAMES as u64;

/// Sounds of one length, read in parallel, block by block. What several of them are made of is read once.
pub struct Abreast<'s> {
    sounds: &'s [Arc<Sound>],
    gain: f32,
    next: u64,
    end: u64,
}

impl<'s> Abreast<'s> {
    /// Scales them by `gain`.
    pub fn new(sounds: &'s [Arc<Sound>], gain: f32) -> Self {
        Self {
            sounds,
            gain,
            next: 0,
            end: sounds.first().map_or(0, |sound| sound.frames()),
        }
    }

    /// Limits them to so many frames from a place on.
    fn within(self, frames: Range<u64>) -> Self {
        Self {
            next: frames.start,
            end: frames.end.min(self.end),
            ..self
        }
    }
}

impl Iterator for Abreast<'_> {
    type Item = io::Result<Vec<Arc<Block>>>;

    fn next(&mut self) -> Option<Self::Item> {
        let frames = self.end.saturating_sub(self.next).min(BLOCK_FRAMES as u64) as usize;
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

/// The blocks of sounds that have been read at one position.
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
                let others: Vec<Arc<Block>> = others
                    .iter()
                    .map(|other| self.of(other))
                    .collect::<io::Result<_>>()?;
                Ok(left_of(&whole, &others))
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

/// The rest of a sound without others. It fits into the file, but intermediate sums may be too large for 32 bits to hold every step.
fn left_of(whole: &Block, others: &[Arc<Block>]) -> Block {
    /// Samples that are summed at a time, so that the intermediate sums take no memory.
    const STRETCH: usize = 256;
    let mut left = Vec::with_capacity(whole.as_planar().len());
    let mut on_the_way = [0.0_f64; STRETCH];
    for (number, stretch) in whole.as_planar().chunks(STRETCH).enumerate() {
        let sums = &mut on_the_way[..stretch.len()];
        for (sum, sample) in sums.iter_mut().zip(stretch) {
            *sum = f64::from(*sample);
        }
        for other in others {
            for (sum, sample) in sums.iter_mut().zip(&other.as_planar()[number * STRETCH..]) {
                *sum -= f64::from(*sample);
            }
        }
        left.extend(sums.iter().map(|sum| *sum as f32));
    }
    Block::from_planar(whole.channels(), left)
}

/// The largest magnitude of any sample of some sounds of one length.
pub fn peak_of(sounds: &[Arc<Sound>], threads: usize) -> io::Result<f32> {
    let (kept, made): (Vec<_>, Vec<_>) = sounds
        .iter()
        .cloned()
        .partition(|sound| sound.kept().is_some());
    let kept = kept.iter().filter_map(|sound| sound.kept());
    let of_kept = kept.map(Spool::peak).fold(0.0, f32::max);
    if made.is_empty() {
        return Ok(of_kept);
    }
    let frames = made.first().map_or(0, |sound| sound.frames());
    let starts = (0..frames).step_by(SHARE_FRAMES as usize).collect();
    let of_made = Threads::of(threads)?.turn(starts, |start| -> io::Result<f32> {
        let mut peak = 0.0_f32;
        for blocks in Abreast::new(&made, 1.0).within(start..start + SHARE_FRAMES) {
            peak = blocks?
                .iter()
                .fold(peak, |peak, block| peak.max(block.reach()));
        }
        Ok(peak)
    })?;
    Ok(of_made.into_iter().fold(of_kept, f32::max))
}
