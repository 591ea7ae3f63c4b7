use std::io;

use rayon::prelude::*;

/// The threads for a pass over sound; with one, everything runs on the caller's.
pub struct Threads(Option<rayon::ThreadPool>);

impl Threads {
    /// `count` threads, which end with it.
    pub fn of(count: usize) -> io::Result<Self> {
        if count <= 1 {
            return Ok(Self(None));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        pool.map(|pool| Self(Some(pool))).map_err(io::Error::other)
    }

    /// Maps the items, keeping their order, until one fails.
    pub fn turn<T: Send, O: Send, E: Send>(
        &self,
        items: Vec<T>,
        work: impl Fn(T) -> Result<O, E> + Sync + Send,
    ) -> Result<Vec<O>, E> {
        match &self.0 {
            Some(pool) => {
                pool.install(|| items.into_par_iter().with_max_len(1).map(work).collect())
            }
            None => items.into_iter().map(work).collect(),
        }
    }
}
