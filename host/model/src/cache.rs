use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vocalhost_system::memory::resident_bytes;

/// Evicting a part must free at least one in this many of the bytes that it was counted with; otherwise something else holds the memory,
/// and evicting more is pointless.
const WORTHWHILE: u64 = 4;

/// Parts of models that stay loaded for their next use: graphs ready to run, and indexes.
///
/// The key of a part is what it was made from (the digest of its file and how it was loaded), so that two packages with the same file share
/// it and a package that was replaced does not get the old one. The least recently used goes first; a part in use lives on until its last
/// user is done.
#[derive(Debug, Default)]
pub(super) struct Cache {
    limit_bytes: u64,
    state: Mutex<State>,
}

/// How often parts were found in the cache, and what they take up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheFigures {
    /// Parts that had to be loaded.
    pub loaded: u64,
    /// Parts that were found in the cache.
    pub reused: u64,
    /// Parts that were evicted to make room.
    pub evicted: u64,
    /// Memory that the parts took when they were loaded.
    pub held_bytes: u64,
}

#[derive(Debug, Default)]
struct State {
    /// Most recently used last.
    kept: Vec<Kept>,
    figures: CacheFigures,
}

#[derive(Debug)]
struct Kept {
    key: String,
    bytes: u64,
    part: Arc<dyn Any + Send + Sync>,
}

impl Cache {
    /// A cache for so many bytes; 0 keeps nothing.
    pub(super) fn new(limit_bytes: u64) -> Self {
        Self {
            limit_bytes,
            state: Mutex::default(),
        }
    }

    /// The limit in bytes.
    pub(super) fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// The part of this key; `load` makes it when it is not cached, and also returns the size of its file, the least that the part is
    /// counted with.
    pub(super) fn part<T: Any + Send + Sync, E>(
        &self,
        key: &str,
        load: impl FnOnce() -> Result<(T, u64), E>,
    ) -> Result<Arc<T>, E> {
        if let Some(part) = self.find(key) {
            return Ok(part);
        }
        let before = held_bytes();
        let (part, least_bytes) = load()?;
        let grown = match (before, held_bytes()) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => 0,
        };
        let part = Arc::new(part);
        self.keep(key, grown.max(least_bytes), Arc::clone(&part) as _);
        Ok(part)
    }

    /// Figures so far.
    pub(super) fn figures(&self) -> CacheFigures {
        self.state().figures
    }

    /// Evicts the least recently used parts while this process holds more memory than the limit: a running graph takes working memory that
    /// was unknown when it was loaded. Meant to be called between jobs.
    pub(super) fn settle(&self) {
        while let Some(resident) = held_bytes()
            && resident > self.limit_bytes
        {
            let Some(oldest) = self.state().evict() else {
                return;
            };
            let bytes = oldest.bytes;
            drop(oldest);
            let given_back = resident.saturating_sub(held_bytes().unwrap_or(resident));
            if given_back < bytes / WORTHWHILE {
                return;
            }
        }
    }

    fn find<T: Any + Send + Sync>(&self, key: &str) -> Option<Arc<T>> {
        let mut state = self.state();
        let position = state.kept.iter().position(|kept| kept.key == key)?;
        let kept = state.kept.remove(position);
        let part = Arc::clone(&kept.part).downcast().ok();
        state.kept.push(kept);
        state.figures.reused += u64::from(part.is_some());
        part
    }

    fn keep(&self, key: &str, bytes: u64, part: Arc<dyn Any + Send + Sync>) {
        let mut state = self.state();
        state.figures.loaded += 1;
        if bytes > self.limit_bytes {
            return;
        }
        while state.figures.held_bytes + bytes > self.limit_bytes {
            // Its memory is freed once the guard is gone, which is soon enough.
            if state.evict().is_none() {
                break;
            }
        }
        state.figures.held_bytes += bytes;
        state.kept.push(Kept {
            key: key.to_owned(),
            bytes,
            part,
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn evict(&mut self) -> Option<Kept> {
        if self.kept.is_empty() {
            return None;
        }
        let oldest = self.kept.remove(0);
        self.figures.held_bytes -= oldest.bytes;
        self.figures.evicted += 1;
        Some(oldest)
    }
}

/// Memory of this process, where the system tells.
fn held_bytes() -> Option<u64> {
    resident_bytes(std::process::id())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// More than the tests that run at the same time may make the process grow by.
    const GIB: u64 = 1 << 30;

    fn part(cache: &Cache, key: &str, bytes: u64) -> Arc<String> {
        let load = || Ok::<_, Infallible>((key.to_owned(), bytes));
        cache.part(key, load).expect("it loads")
    }

    #[test]
    fn a_part_is_loaded_once_and_shared() {
        let cache = Cache::new(100 * GIB);
        let (first, second) = (part(&cache, "a", 10 * GIB), part(&cache, "a", 10 * GIB));
        assert!(Arc::ptr_eq(&first, &second));
        let figures = cache.figures();
        assert_eq!((figures.loaded, figures.reused, figures.evicted), (1, 1, 0));
        assert_eq!(figures.held_bytes, 10 * GIB);
    }

    #[test]
    fn what_was_not_used_longest_goes_first_and_lives_on_where_it_is_used() {
        let cache = Cache::new(100 * GIB);
        let in_use = part(&cache, "a", 40 * GIB);
        part(&cache, "b", 40 * GIB);
        part(&cache, "a", 0);
        part(&cache, "c", 40 * GIB);
        assert!(
            Arc::ptr_eq(&in_use, &part(&cache, "a", 0)),
            "a is still there"
        );
        part(&cache, "d", 40 * GIB);
        assert!(cache.figures().held_bytes <= 100 * GIB);
        let again = cache.figures().loaded;
        part(&cache, "c", 40 * GIB);
        assert_eq!(cache.figures().loaded, again + 1, "c had to go for d");
        assert_eq!(*in_use, "a");
    }

    #[test]
    fn what_is_larger_than_the_limit_is_not_kept_and_pushes_nothing_out() {
        let cache = Cache::new(50 * GIB);
        part(&cache, "a", 40 * GIB);
        part(&cache, "large", 60 * GIB);
        part(&cache, "a", 0);
        let figures = cache.figures();
        assert_eq!((figures.loaded, figures.reused, figures.evicted), (2, 1, 0));
        let none = Cache::new(0);
        part(&none, "a", 1);
        assert_eq!(none.figures().held_bytes, 0);
    }

    #[test]
    fn an_error_leaves_nothing_behind() {
        let cache = Cache::new(GIB);
        let failed: Result<Arc<String>, &str> = cache.part("a", || Err("broken"));
        assert_eq!(failed, Err("broken"));
        assert_eq!(cache.figures(), CacheFigures::default());
    }

    #[test]
    fn a_process_that_holds_too_much_lets_go_of_what_it_keeps() {
        let cache = Cache::new(GIB);
        let load = || Ok::<_, Infallible>((vec![1_u8; 64 << 20], 64 << 20));
        drop(cache.part("a", load));
        cache.settle();
        assert_eq!(cache.figures().evicted, 0, "one gibibyte is enough");
        let crowded = Cache {
            limit_bytes: 1,
            state: Mutex::new(std::mem::take(&mut *cache.state())),
        };
        crowded.settle();
        let figures = crowded.figures();
        assert_eq!((figures.evicted, figures.held_bytes), (1, 0));
    }
}
