use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use super::ModelError;

/// Does the same work on every item, on up to `threads` threads, and passes the results to `sink` in the order of the items. While `sink`
/// takes one, on the caller's thread, the others go on with the next items, but at most one item per thread plus one ahead, so that memory
/// does not grow with their number.
///
/// This is how a job uses several threads: whole pieces side by side, each computed by one thread. Several threads inside a graph would
/// split sums differently and change the last bits, and the samples must not depend on the number of threads.
pub(super) fn in_order<I: Send, O: Send, E: From<ModelError>>(
    threads: usize,
    items: impl IntoIterator<Item = I>,
    work: impl Fn(&I) -> Result<O, ModelError> + Sync,
    mut sink: impl FnMut(I, O) -> Result<(), E>,
) -> Result<(), E> {
    let mut items = items.into_iter();
    if threads <= 1 {
        return items.try_for_each(|item| {
            let output = work(&item)?;
            sink(item, output)
        });
    }
    let (give, taken) = mpsc::channel::<(usize, I)>();
    let (done, results) = mpsc::channel();
    let taken = Mutex::new(taken);
    let (work, taken) = (&work, &taken);
    thread::scope(|scope| {
        // Dropped first, whatever happens, so that no thread waits for more items.
        let give = give;
        for _ in 0..threads {
            let done = done.clone();
            scope.spawn(move || {
                while let Some((place, item)) = next(taken) {
                    let made = catch_unwind(AssertUnwindSafe(|| work(&item)));
                    if done.send((place, item, made)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        let (mut given, mut sunk) = (0, 0);
        let mut waiting = BTreeMap::new();
        loop {
            while given - sunk <= threads
                && let Some(item) = items.next()
            {
                // A thread that is gone has panicked; the panic surfaces below.
                let _ = give.send((given, item));
                given += 1;
            }
            if sunk == given {
                return Ok(());
            }
            let Some((item, made)) = waiting.remove(&sunk) else {
                if let Ok((place, item, made)) = results.recv() {
                    waiting.insert(place, (item, made));
                }
                continue;
            };
            sunk += 1;
            let made: Result<_, Box<dyn Any + Send>> = made;
            sink(item, made.unwrap_or_else(|panic| resume_unwind(panic))?)?;
        }
    })
}

/// The next item for a thread; none when there will be no more.
fn next<T>(taken: &Mutex<mpsc::Receiver<T>>) -> Option<T> {
    let taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
    taken.recv().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_their_items_for_any_number_of_threads() {
        // Earlier items take longer.
        let late = |item: &usize| {
            thread::sleep(Duration::from_micros(2_000 / (*item as u64 + 1)));
            Ok(item * item)
        };
        for threads in [0, 1, 2, 3, 16] {
            let mut found = Vec::new();
            let ended = in_order(threads, 0..50, late, |item, square| {
                found.push((item, square));
                Ok::<_, ModelError>(())
            });
            assert!(ended.is_ok());
            let expected: Vec<_> = (0..50).map(|item| (item, item * item)).collect();
            assert_eq!(found, expected, "{threads}");
        }
    }

    #[test]
    fn nobody_goes_further_ahead_than_an_item_a_thread_and_one_more() {
        let (begun, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut sunk = 0;
        let ended = in_order(
            3,
            0..40_usize,
            |item| {
                begun.fetch_add(1, Ordering::SeqCst);
                Ok(*item)
            },
            |_, _| {
                thread::sleep(Duration::from_millis(1));
                sunk += 1;
                most.fetch_max(begun.load(Ordering::SeqCst) - sunk, Ordering::SeqCst);
                Ok::<_, ModelError>(())
            },
        );
        assert!(ended.is_ok());
        assert!(most.load(Ordering::SeqCst) <= 4, "{most:?}");
    }

    #[test]
    fn the_first_error_ends_all() {
        for threads in [1, 4] {
            let work = |item: &usize| match item {
                5 | 9 => Err(ModelError::Inference {
                    package: format!("test.{item}"),
                    reason: "no numbers".to_owned(),
                }),
                item => Ok(*item),
            };
            let mut last = None;
            let ended = in_order(threads, 0.., work, |item, _| {
                last = Some(item);
                Ok(())
            });
            let error: ModelError = ended.expect_err("an item fails");
            assert!(error.to_string().contains("test.5"), "{error}");
            assert_eq!(last, Some(4));
        }
    }

    #[test]
    fn a_panic_is_the_callers() {
        let panic = catch_unwind(|| {
            let work = |item: &usize| {
                assert!(*item < 7, "seven");
                Ok(())
            };
            in_order(2, 0..20, work, |_, ()| Ok::<_, ModelError>(()))
        });
        assert!(panic.is_err());
    }
}
