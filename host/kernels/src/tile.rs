use super::vector::{VECTORS, Vector};

/// The products of a block of rows with a panel of columns, summed over the inputs in registers; rows of the result are `apart` from each
/// other.
///
/// `factors` are input by row of the block, `columns` input by column of the panel. A bias is one more input whose factors or columns are
/// 1.
#[allow(
    clippy::needless_range_loop,
    reason = "sums that are iterated over are written to memory after each product, which takes twice as long"
)]
#[inline(always)]
pub(super) fn tile<V: Vector, const BLOCK: usize>(
    factors: &[f32],
    columns: &[f32],
    result: &mut [f32],
    apart: usize,
) {
    let panel = VECTORS * V::FLOATS;
    let inputs = factors.len() / BLOCK;
    assert_eq!(factors.len(), inputs * BLOCK);
    assert_eq!(columns.len(), inputs * panel);
    assert!((BLOCK - 1) * apart + panel <= result.len());
    // SAFETY: there are `inputs` blocks of factors and panels of columns, and a place for each sum, as was just seen.
    #[allow(unsafe_code, reason = "vector instructions have no safe access")]
    unsafe {
        let mut sums = [[V::splat(0.0); VECTORS]; BLOCK];
        let (mut factors, mut columns) = (factors.as_ptr(), columns.as_ptr());
        for _ in 0..inputs {
            let mut values = [V::splat(0.0); VECTORS];
            for vector in 0..VECTORS {
                values[vector] = V::load(columns.add(vector * V::FLOATS));
            }
            for row in 0..BLOCK {
                let factor = V::splat(*factors.add(row));
                for vector in 0..VECTORS {
                    sums[row][vector] = sums[row][vector].plus_product(factor, values[vector]);
                }
            }
            factors = factors.add(BLOCK);
            columns = columns.add(panel);
        }
        let result = result.as_mut_ptr();
        for row in 0..BLOCK {
            for vector in 0..VECTORS {
                sums[row][vector].store(result.add(row * apart + vector * V::FLOATS));
            }
        }
    }
}
