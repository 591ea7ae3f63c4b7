//! Sound that arrives in real time: what waits too long is dropped.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How much is taken of the input at a time, in bytes.
const PIECE_BYTES: usize = 1 << 11;

/// How much may wait, and how much of it stays when that is too much, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub(super) most: usize,
    pub(super) kept: usize,
    /// Bytes of a sample, of which only whole ones are dropped.
    pub(super) sample: usize,
}

/// An input that is read all the time, whether or not somebody takes what comes.
#[derive(Clone)]
pub(super) struct Ear(Arc<Shared>);

struct Shared {
    patience: Patience,
    heard: Mutex<Heard>,
    news: Condvar,
}

#[derive(Default)]
struct Heard {
    bytes: VecDeque<u8>,
    dropped: u64,
    end: Option<io::Result<()>>,
}

impl Ear {
    /// Begins to listen, on a thread that ends with the input or with the process.
    pub(super) fn listen(input: impl Read + Send + 'static, patience: Patience) -> Self {
        let ear = Self(Arc::new(Shared {
            patience,
            heard: Mutex::default(),
            news: Condvar::new(),
        }));
        let own = ear.clone();
        thread::spawn(move || own.hear(input));
        ear
    }

    /// Drops all that waits.
    pub(super) fn forget(&self) {
        self.heard().keep(0, self.0.patience.sample);
    }

    /// Bytes that were dropped so far.
    pub(super) fn dropped(&self) -> u64 {
        self.heard().dropped
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.0.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, mut input: impl Read) {
        let mut piece = [0; PIECE_BYTES];
        loop {
            let count = match input.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                count => count,
            };
            let mut heard = self.heard();
            match count {
                Ok(0) => heard.end = Some(Ok(())),
                Ok(count) => heard.take(&piece[..count], self.0.patience),
                Err(error) => heard.end = Some(Err(error)),
            }
            let is_over = heard.end.is_some();
            drop(heard);
            self.0.news.notify_all();
            if is_over {
                return;
            }
        }
    }
}

impl Heard {
    fn take(&mut self, piece: &[u8], patience: Patience) {
        self.bytes.extend(piece);
        if self.bytes.len() > patience.most {
            self.keep(patience.kept, patience.sample);
        }
    }

    fn keep(&mut self, kept: usize, sample: usize) {
        let too_much = self.bytes.len().saturating_sub(kept);
        let dropped = too_much - too_much % sample;
        self.bytes.drain(..dropped);
        self.dropped += dropped as u64;
    }
}

impl Read for Ear {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut heard = self.heard();
        while heard.bytes.is_empty() {
            match heard.end.take() {
                Some(Err(error)) => return Err(error),
                Some(Ok(())) => {
                    heard.end = Some(Ok(()));
                    return Ok(0);
                }
                None => {
                    let news = self.0.news.wait(heard);
                    heard = news.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        heard.bytes.read(into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waited_too_long_is_dropped_in_whole_samples() {
        let sound: Vec<u8> = (0..30_001_u32).map(|at| (at % 251) as u8).collect();
        let patience = Patience {
            most: 5_000,
            kept: 1_000,
            sample: 4,
        };
        let mut ear = Ear::listen(io::Cursor::new(sound.clone()), patience);
        while ear.heard().end.is_none() {
            thread::yield_now();
        }
        let waiting = ear.clone();
        let mut left = Vec::new();
        ear.read_to_end(&mut left).expect("it has ended");
        let dropped = ear.dropped() as usize;
        assert!(left.len() <= 5_000 && dropped > 0 && dropped.is_multiple_of(4));
        assert!(
            left == sound[dropped..],
            "what came last is there, in order"
        );
        assert_eq!(ear.read(&mut [0; 8]).expect("it stays so"), 0);
        waiting.heard().take(&[7; 402], patience);
        waiting.forget();
        assert_eq!(ear.read(&mut [0; 8]).expect("a part of a sample"), 2);
    }

    #[test]
    fn an_input_that_fails_says_so_after_what_came() {
        struct Broken(u8);
        impl Read for Broken {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                if self.0 == 0 {
                    return Err(io::Error::other("gone"));
                }
                self.0 -= 1;
                into[0] = self.0;
                Ok(1)
            }
        }
        let patience = Patience {
            most: 100,
            kept: 10,
            sample: 2,
        };
        let mut ear = Ear::listen(Broken(3), patience);
        let mut heard = Vec::new();
        let failed = ear.read_to_end(&mut heard).expect_err("it fails");
        assert_eq!(
            (failed.to_string(), heard),
            ("gone".to_owned(), vec![2, 1, 0])
        );
    }
}
