//! The state of a training, as a file that it can go on from.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest, Sha256};

/// What every such file begins with.
const MAGIC: &[u8; 8] = b"VHTRAIN1";
/// Bytes of a sum.
const SUM: usize = 32;

/// Whether a file is a checkpoint of some training, judged by its first bytes.
///
/// # Errors
/// When it cannot be read.
pub fn is_checkpoint(path: &Path) -> io::Result<bool> {
    let mut begin = [0; MAGIC.len()];
    match fs::File::open(path)?.read_exact(&mut begin) {
        Ok(()) => Ok(begin == *MAGIC),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// All that changes from step to step.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Steps taken.
    pub step: u32,
    /// The step whose weights are the best so far.
    pub best_step: u32,
    /// How often the held-out stretches have been evaluated since then.
    pub without_gain: u32,
    /// The loss on the held-out stretches: at the beginning, and the best.
    pub losses: [f32; 2],
    /// The weights, the optimiser's two means, and the best weights.
    pub rows: [Vec<f32>; 4],
}

impl State {
    /// Writes it. `key` is the hash of everything that the training depends on.
    pub fn write(&self, path: &Path, key: &[u8; SUM]) -> io::Result<()> {
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(key);
        for number in [self.step, self.best_step, self.without_gain] {
            file.extend(number.to_le_bytes());
        }
        let values = self.losses.iter().chain(self.rows.iter().flatten());
        file.extend(values.flat_map(|value| value.to_le_bytes()));
        let sum = Sha256::digest(&file);
        file.extend_from_slice(&sum);
        fs::write(path, file)
    }

    /// Reads it. `None` if the file is damaged, or belongs to another training: it has another key or another number of weights.
    pub fn read(path: &Path, key: &[u8; SUM], count: usize) -> Option<Self> {
        let file = fs::read(path).ok()?;
        let (content, sum) = file.split_at_checked(file.len().checked_sub(SUM)?)?;
        if Sha256::digest(content)[..] != *sum {
            return None;
        }
        let rest = content.strip_prefix(MAGIC)?.strip_prefix(key)?;
        let words = rest
            .chunks_exact(4)
            .map(|word| [word[0], word[1], word[2], word[3]]);
        let words: Vec<[u8; 4]> = words.collect();
        let (head, values) = words.split_at_checked(5)?;
        if values.len() != 4 * count {
            return None;
        }
        let mut rows = values.chunks_exact(count.max(1)).map(|row| {
            let row = row.iter().map(|word| f32::from_le_bytes(*word));
            row.collect::<Vec<f32>>()
        });
        Some(Self {
            step: u32::from_le_bytes(head[0]),
            best_step: u32::from_le_bytes(head[1]),
            without_gain: u32::from_le_bytes(head[2]),
            losses: [head[3], head[4]].map(f32::from_le_bytes),
            rows: [rows.next()?, rows.next()?, rows.next()?, rows.next()?],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_was_written_and_not_for_another_training() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("checkpoint");
        let state = State {
            step: 40,
            best_step: 30,
            without_gain: 1,
            losses: [2.0, 0.5],
            rows: [
                vec![1.0, -2.0],
                vec![0.1, 0.2],
                vec![0.3, 0.4],
                vec![5.0, 6.0],
            ],
        };
        state.write(&path, &[7; SUM]).expect("it is written");
        assert_eq!(State::read(&path, &[7; SUM], 2), Some(state));
        assert!(is_checkpoint(&path).expect("it is there"));
        assert_eq!(State::read(&path, &[8; SUM], 2), None);
        assert_eq!(State::read(&path, &[7; SUM], 3), None);
        let mut file = fs::read(&path).expect("it is there");
        file[60] ^= 1;
        fs::write(&path, &file).expect("it is written");
        assert_eq!(State::read(&path, &[7; SUM], 2), None);
        fs::write(&path, b"short").expect("it is written");
        assert!(!is_checkpoint(&path).expect("it is there"));
        assert_eq!(State::read(&path, &[7; SUM], 2), None);
    }
}
