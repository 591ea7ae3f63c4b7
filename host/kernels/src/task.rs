use super::vector::{Instructions, Vector};
use super::working::with_working;

/// Work that is done with vector instructions.
///
/// It is compiled once for each kind of them, all of it: what is not inlined into `run` would be compiled without them.
pub(super) trait Task {
    /// Does it, `BLOCK` rows at a time. `working` is as long as was asked for.
    fn run<V: Vector, const BLOCK: usize>(self, working: &mut [f32]);
}

/// Does a task with so many floats of working memory.
///
/// Whoever names instructions has asked whether this processor has them.
#[cfg(target_arch = "x86_64")]
pub(super) fn run<T: Task>(instructions: Instructions, floats: usize, task: T) {
    #[target_feature(enable = "avx512f")]
    fn wide<T: Task>(task: T, working: &mut [f32]) {
        task.run::<std::arch::x86_64::__m512, { Instructions::Avx512.outputs() }>(working);
    }
    #[target_feature(enable = "avx2,fma")]
    fn narrow<T: Task>(task: T, working: &mut [f32]) {
        task.run::<std::arch::x86_64::__m256, { Instructions::Avx2.outputs() }>(working);
    }
    with_working(floats, |working| {
        // SAFETY: this processor has the instructions.
        #[allow(unsafe_code, reason = "the compiler cannot know the processor")]
        match instructions {
            Instructions::Avx512 => unsafe { wide(task, working) },
            Instructions::Avx2 => unsafe { narrow(task, working) },
        }
    });
}

/// No task is made where there are no instructions for it.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn run<T: Task>(_: Instructions, floats: usize, _: T) {
    with_working(floats, |_| unreachable!("this processor has none of them"));
}
