use std::cell::RefCell;

/// Bytes of a cache line.
const LINE_BYTES: usize = 64;

thread_local! {
    /// Shared by all operators of a thread, which run one after another.
    static WORKING: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// Hands out so many floats, aligned to a cache line, with arbitrary contents.
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
