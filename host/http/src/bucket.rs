use std::time::{Duration, Instant};

/// The time over which the limits are counted.
pub const WINDOW: Duration = Duration::from_mins(1);

/// A token bucket: it holds as much as one window allows, and fills evenly over a window.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    quota: f64,
    tokens: f64,
    filled_at: Instant,
}

/// How a bucket stands after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Requests in a window.
    pub quota: u64,
    /// Requests that would be let through now.
    pub remaining: u64,
    /// Seconds until the bucket is full again.
    pub full_in_s: u64,
    /// Seconds until one more request is let through; 0 when it would be now.
    pub next_in_s: u64,
    /// Whether there was a token for this request.
    pub granted: bool,
}

impl Bucket {
    /// A full bucket; `quota` is at least 1.
    #[must_use]
    pub fn full(quota: u64, now: Instant) -> Self {
        Self {
            quota: quota as f64,
            tokens: quota as f64,
            filled_at: now,
        }
    }

    /// Takes one token, if there is one.
    pub fn take(&mut self, now: Instant) -> Standing {
        self.fill(now);
        let granted = self.tokens >= 1.0;
        if granted {
            self.tokens -= 1.0;
        }
        Standing {
            granted,
            ..self.standing()
        }
    }

    /// Sets it to `tokens`, the level of the bucket that several servers share, and says how it stands.
    pub fn follow(&mut self, tokens: f64, now: Instant) -> Standing {
        self.fill(now);
        self.tokens = tokens.clamp(0.0, self.quota);
        self.standing()
    }

    /// How it stands, without taking anything.
    pub fn look(&mut self, now: Instant) -> Standing {
        self.fill(now);
        self.standing()
    }

    /// Whether it is full, and so no different from a new one.
    #[must_use]
    pub fn is_full(&self, now: Instant) -> bool {
        let mut filled = *self;
        filled.fill(now);
        filled.tokens >= filled.quota
    }

    fn per_s(&self) -> f64 {
        self.quota / WINDOW.as_secs_f64()
    }

    fn fill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.filled_at).as_secs_f64();
        self.tokens = (self.tokens + passed * self.per_s()).min(self.quota);
        self.filled_at = self.filled_at.max(now);
    }

    fn standing(&self) -> Standing {
        let seconds_to =
            |tokens: f64| ((tokens - self.tokens).max(0.0) / self.per_s()).ceil() as u64;
        Standing {
            quota: self.quota as u64,
            remaining: self.tokens as u64,
            full_in_s: seconds_to(self.quota),
            next_in_s: seconds_to(1.0),
            granted: self.tokens >= 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_one_by_one_and_fills_evenly() {
        let start = Instant::now();
        let mut bucket = Bucket::full(3, start);
        for remaining in [2, 1, 0] {
            let standing = bucket.take(start);
            assert!(standing.granted);
            assert_eq!((standing.quota, standing.remaining), (3, remaining));
        }
        let refused = bucket.take(start);
        assert!(!refused.granted);
        // 3 a minute is one every 20 seconds.
        assert_eq!((refused.next_in_s, refused.full_in_s), (20, 60));
        assert!(!bucket.take(start + Duration::from_secs(19)).granted);
        assert!(bucket.take(start + Duration::from_secs(20)).granted);
        assert!(bucket.is_full(start + Duration::from_secs(81)));
        assert!(!bucket.is_full(start + Duration::from_secs(70)));
    }

    #[test]
    fn a_bucket_that_follows_another_is_as_full_as_that() {
        let start = Instant::now();
        let mut bucket = Bucket::full(3, start);
        assert_eq!(bucket.follow(1.5, start).remaining, 1);
        let empty = bucket.follow(0.5, start);
        assert_eq!((empty.granted, empty.next_in_s), (false, 10));
        assert_eq!(bucket.follow(9.0, start).remaining, 3);
    }

    #[test]
    fn a_clock_that_stands_still_gives_nothing() {
        let start = Instant::now();
        let mut bucket = Bucket::full(1, start + Duration::from_secs(5));
        assert!(bucket.take(start).granted);
        assert!(!bucket.take(start).granted);
        assert_eq!(bucket.look(start + Duration::from_secs(65)).remaining, 1);
    }
}
