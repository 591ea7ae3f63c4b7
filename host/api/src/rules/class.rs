/// Which of a user's limits a request counts against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// It makes a job or something as heavy; also refused while the server is stopping.
    Creation,
    /// It reads, or changes what is cheap to change.
    Read,
    /// It is counted as a read but never refused: the interface promises no limit there.
    FreeRead,
    /// No limit of a user counts it: it needs no key, or a link's signature is the key.
    Uncounted,
}
