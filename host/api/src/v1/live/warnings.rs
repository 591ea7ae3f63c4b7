//! What a speaker should know about their microphone while they speak.

use std::time::{Duration, Instant};

/// From here on a sample is at the end of the scale, where converters cut off what is louder.
const FULL_SCALE: f32 = 0.999;
/// So many samples there within a second are no chance: with one in a thousand it is heard.
const CLIPPED_SHARE: f64 = 0.001;
/// A microphone that is on is louder: -70 dBFS.
const SILENT_PEAK: f32 = 3.2e-4;
/// How long it may be silent.
const SILENT_FOR: Duration = Duration::from_secs(5);
/// How long the same is not said again.
const PAUSE: Duration = Duration::from_secs(10);

/// What is wrong with what comes from a microphone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Warning {
    /// It is too loud and cut off.
    Clipping,
    /// There is nothing.
    Silence,
}

impl Warning {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Clipping => "clipping",
            Self::Silence => "silence",
        }
    }
}

/// Listens to what comes.
pub(super) struct Warnings {
    /// Samples since it was last asked, and those of them at full scale.
    samples: u64,
    clipped: u64,
    sounded: Instant,
    said: Option<(Warning, Instant)>,
}

impl Warnings {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            samples: 0,
            clipped: 0,
            sounded: now,
            said: None,
        }
    }

    pub(super) fn hear(&mut self, samples: &[f32], now: Instant) {
        self.samples += samples.len() as u64;
        let at_full_scale = samples.iter().filter(|sample| sample.abs() >= FULL_SCALE);
        self.clipped += at_full_scale.count() as u64;
        if samples.iter().any(|sample| sample.abs() > SILENT_PEAK) {
            self.sounded = now;
        }
    }

    /// What is wrong with what came since it was last asked, unless it was said a moment ago.
    pub(super) fn news(&mut self, now: Instant) -> Option<Warning> {
        let heard = std::mem::take(&mut self.samples) as f64;
        let clipped = std::mem::take(&mut self.clipped) as f64;
        let found = if clipped > 0.0 && clipped >= heard * CLIPPED_SHARE {
            Warning::Clipping
        } else if heard > 0.0 && now - self.sounded >= SILENT_FOR {
            Warning::Silence
        } else {
            return None;
        };
        if let Some((said, since)) = self.said
            && said == found
            && now - since < PAUSE
        {
            return None;
        }
        self.said = Some((found, now));
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(began: Instant, seconds: u64) -> Instant {
        began + Duration::from_secs(seconds)
    }

    #[test]
    fn a_microphone_that_is_too_loud_is_told_now_and_then() {
        let began = Instant::now();
        let mut warnings = Warnings::new(began);
        let mut told = Vec::new();
        for second in 1..=21 {
            let now = after(began, second);
            warnings.hear(&[0.5; 999], now);
            warnings.hear(&[-1.0], now);
            told.extend(warnings.news(now).map(|warning| (second, warning)));
        }
        let clipping = |second| (second, Warning::Clipping);
        assert_eq!(told, [1, 11, 21].map(clipping));
        // One loud sample in two thousand may be.
        let now = after(began, 40);
        warnings.hear(&[0.5; 1_999], now);
        warnings.hear(&[1.0], now);
        assert_eq!(warnings.news(now), None);
    }

    #[test]
    fn a_microphone_that_is_off_is_told_and_a_client_that_sends_nothing_is_not() {
        let began = Instant::now();
        let mut warnings = Warnings::new(began);
        for second in 1..5 {
            warnings.hear(&[0.0; 1_000], after(began, second));
            assert_eq!(warnings.news(after(began, second)), None, "{second}");
        }
        warnings.hear(&[1e-4; 1_000], after(began, 5));
        assert_eq!(warnings.news(after(began, 5)), Some(Warning::Silence));
        assert_eq!(warnings.news(after(began, 30)), None, "nothing came");
        // A room.
        warnings.hear(&[0.001; 1_000], after(began, 31));
        assert_eq!(warnings.news(after(began, 31)), None);
    }
}
