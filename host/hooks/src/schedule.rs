use std::time::Duration;

/// How much longer a pause may get by chance, so that receivers that were down are not all asked at the same moment.
const JITTER: f64 = 0.2;

/// The pause before the next try after `tries` tries; `None` after the last one. `chance` is between 0 and 1.
#[must_use]
pub fn pause(pauses: &[Duration], tries: u32, chance: f64) -> Option<Duration> {
    let pause = pauses.get((tries as usize).checked_sub(1)?)?;
    Some(pause.mul_f64(1.0 + JITTER * chance.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_try_has_its_pause_until_there_is_none() {
        let pauses = [Duration::from_secs(5), Duration::from_mins(1)];
        assert_eq!(pause(&pauses, 1, 0.0), Some(Duration::from_secs(5)));
        assert_eq!(pause(&pauses, 1, 1.0), Some(Duration::from_secs(6)));
        assert_eq!(pause(&pauses, 2, 0.5), Some(Duration::from_secs(66)));
        assert_eq!(pause(&pauses, 3, 0.5), None);
        assert_eq!(pause(&[], 1, 0.5), None);
    }
}
