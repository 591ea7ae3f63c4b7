/// What the choice between users looks at: of one user with a job waiting, the jobs that run, the last time one was taken, and the
/// job since when there has been one waiting. Turns are ordered as they are served, the first one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// How many jobs of the user run now, of any kind.
    pub running: u64,
    /// When a worker last took a job of the user, in microseconds since the Unix epoch; 0 when none ever did.
    pub last_served_at_us: i64,
    /// The job with which the user's line began: the first one since none waited.
    pub job_id: i64,
}

impl Turn {
    /// The turn that is served next: the user with the fewest jobs running, of these the one who was not served for the longest time,
    /// of these the one whose line began first. Users with `max_running` jobs running or more are passed over.
    ///
    /// It is the rule of the queue, which the store has in SQL. The claims of a store follow it (a test of `vocalhost-store`), and
    /// the bench `queue` lets it serve more users and workers than a test can start.
    #[must_use]
    pub fn next(waiting: impl IntoIterator<Item = Self>, max_running: u64) -> Option<Self> {
        let free = |turn: &Self| turn.running < max_running;
        waiting.into_iter().filter(free).min()
    }
}
