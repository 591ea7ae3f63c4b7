use super::vector::{Instructions, Vector};
use super::working::with_working;

/// Work for vector instructions.
///
/// All of it is compiled once for each instruction set; code that is not inlined into `run` would be compiled without
/// it.
pub(super) trait Task {
    /// Does the work, `BLOCK` rows at a time. `working` has the requested length.
    fn run<V: Vector, const BLOCK: usize>(self, working: &mut [f32]);
}

/// Runs a task with so many floats of working memory.
///
/// The caller has checked that this processor has the instructions.
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
