/// How much of what was retrieved a query takes, by the squared distance of the nearest row: all up to `reach`, nothing from twice as far
/// on, and less the farther in between. A sound far from every row is one that the voice has never made, so the nearest row is another
/// sound. Without a reach, all is taken, as in RVC.
pub(super) fn share_taken(nearest: f64, reach: Option<f64>) -> f64 {
    reach.map_or(1.0, |reach| (2.0 - nearest / reach).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_from_every_row_stays_itself() {
        let close = |distance, share: f64| (share_taken(distance, Some(4.0)) - share).abs() < 1e-12;
        assert!(
            close(0.0, 1.0)
                && close(4.0, 1.0)
                && close(5.0, 0.75)
                && close(8.0, 0.0)
                && close(99.0, 0.0)
        );
        assert!((share_taken(99.0, None) - 1.0).abs() < 1e-12);
    }
}
