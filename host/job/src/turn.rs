/// What the choice between users looks at. Each value is about one user who has a job waiting. Turns are ordered as they are served, the
/// first one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// How many jobs of the user run now, of any kind.
    pub running: u64,
    /// When a worker last took a job of the user, in microseconds since the Unix epoch; 0 when none ever did.
    pub last_served_at_us: i64,
    /// The job with which the user's line began: the first to wait since the line was last empty.
    pub job_id: i64,
}

impl Turn {
    /// The turn that is served next: the user with the fewest jobs running, among these the one not served for the longest time, and among
    /// these the one whose line began first. Users with `max_running` or more jobs running are skipped.
    ///
    /// This is the rule of the queue, which the store implements in SQL. A test of `vocalhost-store` checks that its claims follow it, and
    /// the bench `queue` uses it to simulate more users and workers than a test can start.
    #[must_use]
    pub fn next(waiting: impl IntoIterator<Item = Self>, max_running: u64) -> Option<Self> {
        let free = |turn: &Self| turn.running < max_running;
        waiting.into_iter().filter(free).min()
    }
}
