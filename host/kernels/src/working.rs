use std::cell::RefCell;

/// Bytes of a line of cache.
const LINE_BYTES: usize = 64;

thread_local! {
    /// One for all operators of a thread, which run one after the other.
    static WORKING: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// Hands out so many floats, at the beginning of a line of cache, with whatever was in them before.
pub(super) fn with_working<R>(floats: usize, work: impl FnOnce(&mut [f32]) -> R) -> R {
    WORKING.with_borrow_mut(|working| {
        let spare = LINE_BYTES / size_of::<f32>();
        if working.len() < floats + spare {
            working.resize(floats + spare, 0.0);
        }
        let start = working.as_ptr().align_offset(LINE_BYTES).min(spare);
        work(&mut working[start..][..floats])
    })
}
