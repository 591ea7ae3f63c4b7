use std::panic::resume_unwind;
use std::thread;

use super::ModelError;

/// Does the same work on every item, each on a thread of its own, and gives the results in the order of the items.
///
/// This is how a conversion uses several threads: whole segments side by side, each computed by one thread. Inside a
/// graph more threads would split sums differently and change last bits, and the samples must not depend on the number
/// of threads.
pub(super) fn side_by_side<I: Sync, O: Send>(
    items: &[I],
    work: impl Fn(&I) -> Result<O, ModelError> + Sync,
) -> Result<Vec<O>, ModelError> {
    let Some((first, others)) = items.split_first() else {
        return Ok(Vec::new());
    };
    let work = &work;
    thread::scope(|scope| {
        let running: Vec<_> = others
            .iter()
            .map(|item| scope.spawn(move || work(item)))
            .collect();
        let mut results = vec![work(first)];
        for thread in running {
            results.push(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results.into_iter().collect()
    })
}
