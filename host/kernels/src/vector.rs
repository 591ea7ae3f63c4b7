//! The kinds of vector registers that kernels are written for.

/// The vector instructions of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instructions {
    /// 16 floats in each of 32 registers.
    Avx512,
    /// 8 floats in each of 16 registers, with fused multiplication and addition.
    Avx2,
}

impl Instructions {
    /// The widest that this processor has, if it has any.
    pub(super) fn here() -> Option<Self> {
        Self::all_here().next()
    }

    /// All that this processor has, the widest first.
    pub(super) fn all_here() -> impl Iterator<Item = Self> {
        [Self::Avx512, Self::Avx2]
            .into_iter()
            .filter(|kind| kind.is_here())
    }

    #[cfg(target_arch = "x86_64")]
    fn is_here(self) -> bool {
        match self {
            Self::Avx512 => std::is_x86_feature_detected!("avx512f"),
            Self::Avx2 => {
                std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_here(self) -> bool {
        false
    }

    /// Floats in a register.
    pub(super) const fn floats(self) -> usize {
        match self {
            Self::Avx512 => 16,
            Self::Avx2 => 8,
        }
    }

    /// Rows that a product works on at a time: [`VECTORS`] registers of sums for each row, and as many of inputs, nearly use up the
    /// registers. With one row more, AVX2 would have none left, and the compiler would keep sums in memory, which takes twice as long.
    pub(super) const fn outputs(self) -> usize {
        match self {
            Self::Avx512 => 8,
            Self::Avx2 => 3,
        }
    }
}

/// Registers that lie beside each other in a panel.
pub(super) const VECTORS: usize = 3;

/// A register of floats.
///
/// # Safety
/// Every function may be called only where the processor has the implementor's instructions. It should be called only from code compiled
/// for them, or each is a separate call. Pointers must be valid for [`Vector::FLOATS`] floats; they need not be aligned.
#[allow(unsafe_code, reason = "vector instructions have no safe access")]
pub(super) trait Vector: Copy {
    /// Floats in it.
    const FLOATS: usize;
    unsafe fn splat(value: f32) -> Self;
    unsafe fn load(from: *const f32) -> Self;
    unsafe fn store(self, to: *mut f32);
    unsafe fn plus(self, other: Self) -> Self;
    unsafe fn minus(self, other: Self) -> Self;
    /// `self + a * b`, rounded once.
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
    /// `self - a * b`, rounded once.
    unsafe fn minus_product(self, a: Self, b: Self) -> Self;
    unsafe fn at_least(self, other: Self) -> Self;
}

/// Copies a panel, without the function call that a copy of arbitrary length takes.
///
/// # Panics
/// When one of the two is shorter.
#[inline(always)]
pub(super) fn copy_panel<V: Vector>(from: &[f32], to: &mut [f32]) {
    let panel = VECTORS * V::FLOATS;
    let (from, to) = (&from[..panel], &mut to[..panel]);
    for vector in 0..VECTORS {
        let at = vector * V::FLOATS;
        // SAFETY: both are a panel long.
        #[allow(unsafe_code, reason = "vector instructions have no safe access")]
        unsafe {
            V::load(from.as_ptr().add(at)).store(to.as_mut_ptr().add(at));
        }
    }
}

/// Implements [`Vector`] with the intrinsics of one width.
#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($register:ident, $floats:literal, $splat:ident, $load:ident, $store:ident, $plus:ident, $minus:ident, $plus_product:ident,
     $minus_product:ident, $at_least:ident) => {
        #[allow(unsafe_code, reason = "vector instructions have no safe access")]
        // SAFETY: each is the instruction itself; what it asks for is what the trait asks for.
        impl Vector for std::arch::x86_64::$register {
            const FLOATS: usize = $floats;
            #[inline(always)]
            unsafe fn splat(value: f32) -> Self {
                unsafe { std::arch::x86_64::$splat(value) }
            }
            #[inline(always)]
            unsafe fn load(from: *const f32) -> Self {
                unsafe { std::arch::x86_64::$load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut f32) {
                unsafe { std::arch::x86_64::$store(to, self) }
            }
            #[inline(always)]
            unsafe fn plus(self, other: Self) -> Self {
                unsafe { std::arch::x86_64::$plus(self, other) }
            }
            #[inline(always)]
            unsafe fn minus(self, other: Self) -> Self {
                unsafe { std::arch::x86_64::$minus(self, other) }
            }
            #[inline(always)]
            unsafe fn plus_product(self, a: Self, b: Self) -> Self {
                unsafe { std::arch::x86_64::$plus_product(a, b, self) }
            }
            #[inline(always)]
            unsafe fn minus_product(self, a: Self, b: Self) -> Self {
                unsafe { std::arch::x86_64::$minus_product(a, b, self) }
            }
            #[inline(always)]
            unsafe fn at_least(self, other: Self) -> Self {
                unsafe { std::arch::x86_64::$at_least(self, other) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
vector!(
    __m512,
    16,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_fmadd_ps,
    _mm512_fnmadd_ps,
    _mm512_max_ps
);

#[cfg(target_arch = "x86_64")]
vector!(
    __m256,
    8,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_fmadd_ps,
    _mm256_fnmadd_ps,
    _mm256_max_ps
);
