//! Denormal numbers are treated as zero while a guest runs.
//!
//! WebAssembly has no flush-to-zero, and x86 handles denormal numbers in microcode: silence after sound made a reverb
//! 70 times as slow. The processor's own mode applies to compiled WebAssembly like to any other code, so it is set
//! around each call. A guest that feeds itself denormals on purpose gains nothing either.

/// While it lives, this thread reads denormal numbers as zero and writes zero for them.
pub(super) struct FlushDenormals {
    before: ControlWord,
}

impl FlushDenormals {
    /// Sets the mode and remembers the one before.
    pub(super) fn new() -> Self {
        let before = read();
        write(before | FLUSH);
        Self { before }
    }
}

impl Drop for FlushDenormals {
    fn drop(&mut self) {
        write(self.before);
    }
}

#[cfg(target_arch = "x86_64")]
type ControlWord = u32;
/// Bit 15 flushes results to zero (FTZ), bit 6 takes operands as zero (DAZ): Intel SDM volume 1, section 10.2.3.
#[cfg(target_arch = "x86_64")]
const FLUSH: ControlWord = 1 << 15 | 1 << 6;

#[cfg(target_arch = "aarch64")]
type ControlWord = u64;
/// Bit 24 flushes operands and results to zero (FZ): Arm ARM, FPCR.
#[cfg(target_arch = "aarch64")]
const FLUSH: ControlWord = 1 << 24;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the effect host sets the floating-point mode of x86-64 and aarch64 only");

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the control word has no safe access")]
fn read() -> ControlWord {
    let mut word: ControlWord = 0;
    // SAFETY: SSE is part of x86-64; the instruction stores 4 bytes to `word`, which is 4 bytes and aligned.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags));
    }
    word
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the control word has no safe access")]
fn write(word: ControlWord) {
    // SAFETY: `word` is what `read` gave with only FTZ and DAZ added, so no exception is unmasked and the rounding mode
    // stays. The compiler may move float arithmetic across this, which can only change whether a denormal is flushed.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags, readonly));
    }
}

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "the control word has no safe access")]
fn read() -> ControlWord {
    let word: ControlWord;
    // SAFETY: FPCR is readable from user space and reading it changes nothing.
    unsafe {
        std::arch::asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags));
    }
    word
}

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "the control word has no safe access")]
fn write(word: ControlWord) {
    // SAFETY: `word` is what `read` gave with only FZ added, so rounding and trapping stay. The compiler may move float
    // arithmetic across this, which can only change whether a denormal is flushed.
    unsafe {
        std::arch::asm!("msr fpcr, {}", in(reg) word, options(nomem, nostack, preserves_flags));
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    fn half_of_the_smallest_normal() -> f32 {
        black_box(black_box(f32::MIN_POSITIVE) * black_box(0.5))
    }

    #[test]
    fn denormals_are_zero_while_the_guard_lives_and_come_back_after_it() {
        // Arithmetic raises sticky flags in the same word; only the mode is compared.
        let before = read();
        assert!(half_of_the_smallest_normal() > 0.0);
        let guard = FlushDenormals::new();
        assert_eq!(half_of_the_smallest_normal().to_bits(), 0);
        drop(guard);
        assert_eq!(read() & FLUSH, before & FLUSH);
        assert!(half_of_the_smallest_normal() > 0.0);
    }

    #[test]
    fn the_guard_restores_the_mode_when_a_call_panics() {
        let before = read();
        let outcome = std::panic::catch_unwind(|| {
            let _guard = FlushDenormals::new();
            panic!("a host function failed");
        });
        assert!(outcome.is_err());
        assert_eq!(read() & FLUSH, before & FLUSH);
    }
}
