mod graphs;
mod results;

/// Numbers between -0.5 and 0.5 that are the same every time (Numerical Recipes' generator).
fn noise(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(state) / f64::from(u32::MAX) - 0.5) as f32
    };
    (0..count).map(|_| next()).collect()
}
