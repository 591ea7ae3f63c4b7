//! Passing blocks through several tasks at once.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many blocks the fastest task may be ahead of the slowest, so that threads need not wait for each other after every block.
const AHEAD: usize = 16;

/// Blocks that are read before a thread has nothing else to do.
const READY: usize = 4;

/// Passes all blocks in order to every task, on this many threads including the caller's, until something fails. A task runs on one thread
/// at a time, and its result does not depend on their number. `passed` is told on the caller's thread how many blocks all tasks are done
/// with.
pub fn pass<T: Send, B: Send + Sync, E: Send>(
    threads: usize,
    mut blocks: impl Iterator<Item = Result<B, E>> + Send,
    tasks: &mut [T],
    take: impl Fn(&mut T, &B) -> Result<(), E> + Sync,
    passed: &mut dyn FnMut(usize),
) -> Result<(), E> {
    if threads <= 1 || tasks.is_empty() {
        for (done, block) in (1..).zip(blocks) {
            let block = block?;
            tasks.iter_mut().try_for_each(|task| take(task, &block))?;
            passed(done);
        }
        return Ok(());
    }
    let queue = Queue {
        state: Mutex::new(State {
            places: vec![Place::default(); tasks.len()],
            ready: VecDeque::new(),
            first: 0,
            reader: Some(&mut blocks),
            is_ended: false,
            is_failed: false,
            error: None,
        }),
        changed: Condvar::new(),
    };
    let tasks: Vec<Mutex<&mut T>> = tasks.iter_mut().map(Mutex::new).collect();
    let work = |passed: &mut dyn FnMut(usize)| {
        let _guard = EndsOthers(&queue);
        while let Some(step) = queue.next_step() {
            match step {
                Step::Read(reader) => {
                    let block = reader.next();
                    queue.came(reader, block);
                }
                Step::Take(place, number, block) => {
                    // Nobody else uses the task: its place is busy.
                    let mut task = tasks[place].lock().unwrap_or_else(PoisonError::into_inner);
                    let taken = take(&mut **task, &block);
                    drop((task, block));
                    passed(queue.taken(place, number, taken));
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(tasks.len() + 1) {
            scope.spawn(|| work(&mut |_| {}));
        }
        work(passed);
    });
    let state = queue.state.into_inner();
    let state = state.unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = state.error {
        return Err(error);
    }
    // The last block may have been another thread's.
    passed(state.first);
    Ok(())
}

/// What a thread does next.
enum Step<R, B> {
    /// Read a block.
    Read(R),
    /// Give a task the block of a number.
    Take(usize, usize, Arc<B>),
}

/// Where a task stands.
#[derive(Clone, Default)]
struct Place {
    /// The number of the block that it takes next, or takes now.
    next: usize,
    is_busy: bool,
}

struct State<R, B, E> {
    places: Vec<Place>,
    /// Blocks that some task has not taken yet, and the number of the first of them.
    ready: VecDeque<Arc<B>>,
    first: usize,
    /// None while somebody reads.
    reader: Option<R>,
    is_ended: bool,
    is_failed: bool,
    error: Option<E>,
}

struct Queue<R, B, E> {
    state: Mutex<State<R, B, E>>,
    changed: Condvar,
}

impl<R, B, E> Queue<R, B, E> {
    fn lock(&self) -> MutexGuard<'_, State<R, B, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for something to do; none when everything is done.
    fn next_step(&self) -> Option<Step<R, B>> {
        let mut state = self.lock();
        loop {
            if state.is_failed {
                return None;
            }
            if state.ready.len() < READY
                && !state.is_ended
                && let Some(reader) = state.reader.take()
            {
                return Some(Step::Read(reader));
            }
            let read = state.first + state.ready.len();
            let places = state.places.iter().enumerate();
            let waiting = places.filter(|(_, place)| !place.is_busy && place.next < read);
            // The task that is furthest behind goes first.
            let behind = waiting.map(|(index, place)| (place.next, index)).min();
            if let Some((number, place)) = behind {
                state.places[place].is_busy = true;
                let block = Arc::clone(&state.ready[number - state.first]);
                return Some(Step::Take(place, number, block));
            }
            if state.ready.len() < AHEAD
                && !state.is_ended
                && let Some(reader) = state.reader.take()
            {
                return Some(Step::Read(reader));
            }
            if state.is_ended && state.ready.is_empty() {
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn came(&self, reader: R, block: Option<Result<B, E>>) {
        let mut state = self.lock();
        match block {
            Some(Ok(block)) => state.ready.push_back(Arc::new(block)),
            Some(Err(error)) => state.fail(error),
            None => state.is_ended = true,
        }
        state.reader = Some(reader);
        drop(state);
        self.changed.notify_all();
    }

    /// Gives how many blocks all tasks are done with.
    fn taken(&self, place: usize, number: usize, taken: Result<(), E>) -> usize {
        let mut state = self.lock();
        if let Err(error) = taken {
            state.fail(error);
        }
        state.places[place] = Place {
            next: number + 1,
            is_busy: false,
        };
        let slowest = state.places.iter().map(|place| place.next).min();
        let done = slowest.unwrap_or_default();
        let passed = done - state.first;
        state.ready.drain(..passed);
        state.first = done;
        drop(state);
        self.changed.notify_all();
        done
    }
}

impl<R, B, E> State<R, B, E> {
    fn fail(&mut self, error: E) {
        self.is_failed = true;
        self.error.get_or_insert(error);
    }
}

/// Lets the other threads end when one panics.
struct EndsOthers<'q, R, B, E>(&'q Queue<R, B, E>);

impl<R, B, E> Drop for EndsOthers<'_, R, B, E> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().is_failed = true;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_task_takes_every_block_once_and_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 3, 16] {
            for count in [0, 1, 5, 100] {
                let mut tasks = vec![Vec::new(); 7];
                let mut told = Vec::new();
                let blocks = (0..count).map(Ok::<usize, ()>);
                let take = |task: &mut Vec<usize>, block: &usize| {
                    task.push(*block);
                    Ok(())
                };
                pass(threads, blocks, &mut tasks, take, &mut |done| {
                    told.push(done);
                })
                .expect("nothing fails");
                for task in &tasks {
                    assert_eq!(*task, (0..count).collect::<Vec<_>>(), "{threads}");
                }
                assert!(told.is_sorted(), "{told:?}");
                assert_eq!(told.last().copied().unwrap_or(0), count);
            }
        }
    }

    #[test]
    fn what_fails_ends_all_of_it() {
        for threads in [1, 2, 16] {
            let broken = (0..100).map(|block| {
                if block < 40 {
                    Ok(block)
                } else {
                    Err("reading")
                }
            });
            let error = pass(threads, broken, &mut [0; 3], |_, _| Ok(()), &mut |_| {});
            assert_eq!(error, Err("reading"));
            let take = |task: &mut usize, block: &usize| {
                *task += 1;
                if *block == 40 { Err("taking") } else { Ok(()) }
            };
            let mut tasks = [0; 3];
            let error = pass(threads, (0..100).map(Ok), &mut tasks, take, &mut |_| {});
            assert_eq!(error, Err("taking"));
            assert!(tasks.iter().all(|taken| *taken <= 41), "{tasks:?}");
        }
    }

    #[test]
    fn a_panic_ends_all_of_it_too() {
        let passing = std::panic::catch_unwind(|| {
            let take = |(): &mut (), block: &usize| -> Result<(), ()> {
                assert!(*block < 3, "on purpose");
                Ok(())
            };
            pass(3, (0..100).map(Ok), &mut [(), ()], take, &mut |_| {})
        });
        assert!(passing.is_err());
    }

    #[test]
    fn no_thread_waits_for_another_at_the_end_of_a_block() {
        // Three tasks on two threads: if all had to finish a block before any takes the next, one thread would be idle every other turn.
        let taken = [0, 1, 2].map(|_| AtomicUsize::new(0));
        let ahead = AtomicUsize::new(0);
        let take = |task: &mut usize, block: &usize| -> Result<(), ()> {
            let slowest = taken.iter().map(|taken| taken.load(Ordering::SeqCst)).min();
            ahead.fetch_max(block - slowest.unwrap_or(0), Ordering::SeqCst);
            thread::sleep(Duration::from_millis(1));
            taken[*task].store(block + 1, Ordering::SeqCst);
            Ok(())
        };
        pass(2, (0..100).map(Ok), &mut [0, 1, 2], take, &mut |_| {}).expect("nothing fails");
        let ahead = ahead.into_inner();
        assert!((1..AHEAD).contains(&ahead), "{ahead}");
    }
}
