//! What a speaker should know about their microphone while they speak.

use std::time::{Duration, Instant};

/// From here on a sample is at the end of the scale, where converters cut off what is louder.
const FULL_SCALE: f32 = 0.999;
/// The share of samples there that is no accident: one in a thousand can be heard.
const CLIPPED_SHARE: f64 = 0.001;
/// A microphone that is on is louder: -70 dBFS.
const SILENT_PEAK: f32 = 3.2e-4;
/// How much sound may be silent, in seconds.
const SILENT_S: u64 = 5;
/// How long the same is not said again.
const PAUSE: Duration = Duration::from_secs(10);

/// Listens to what comes, and says what is wrong with it: the microphone is too loud and cut off (`clipping`), or nothing comes from it
/// (`silence`).
pub(super) struct Warnings {
    rate_hz: u64,
    /// Samples since it was last asked, and those of them at full scale.
    samples: u64,
    clipped: u64,
    /// Silent samples since the last that was not.
    silent: u64,
    /// When each was said last.
    clipping_said: Option<Instant>,
    silence_said: Option<Instant>,
}

impl Warnings {
    pub(super) fn new(rate_hz: u32) -> Self {
        Self {
            rate_hz: rate_hz.into(),
            samples: 0,
            clipped: 0,
            silent: 0,
            clipping_said: None,
            silence_said: None,
        }
    }

    pub(super) fn hear(&mut self, samples: &[f32]) {
        self.samples += samples.len() as u64;
        let at_full_scale = samples.iter().filter(|sample| sample.abs() >= FULL_SCALE);
        self.clipped += at_full_scale.count() as u64;
        let after_sound = samples.rsplit(|sample| sample.abs() > SILENT_PEAK).next();
        let after_sound = after_sound.map_or(0, <[f32]>::len);
        if after_sound < samples.len() {
            self.silent = 0;
        }
        self.silent += after_sound as u64;
    }

    /// What is wrong with what came since it was last asked, unless it was said a moment ago.
    pub(super) fn news(&mut self, now: Instant) -> impl Iterator<Item = &'static str> {
        let heard = std::mem::take(&mut self.samples);
        let clipped = std::mem::take(&mut self.clipped);
        let is_clipped = clipped > 0 && clipped as f64 >= heard as f64 * CLIPPED_SHARE;
        let is_silent = heard > 0 && self.silent >= SILENT_S * self.rate_hz;
        let found = [
            (is_clipped, &mut self.clipping_said, "clipping"),
            (is_silent, &mut self.silence_said, "silence"),
        ];
        found.into_iter().filter_map(move |(is_so, said, what)| {
            let is_new = said.is_none_or(|since| now - since >= PAUSE);
            (is_so && is_new).then(|| {
                *said = Some(now);
                what
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(warnings: &mut Warnings, began: Instant, second: u64) -> Vec<&'static str> {
        warnings.news(began + Duration::from_secs(second)).collect()
    }

    #[test]
    fn a_microphone_that_is_too_loud_is_told_now_and_then() {
        let (began, mut warnings) = (Instant::now(), Warnings::new(1_000));
        for second in 1..=21 {
            warnings.hear(&[0.5; 999]);
            warnings.hear(&[-1.0]);
            let wanted = [1, 11, 21].contains(&second);
            let told = told(&mut warnings, began, second);
            assert_eq!(told == ["clipping"], wanted, "{second}");
        }
        // One loud sample in two thousand may be.
        warnings.hear(&[0.5; 1_999]);
        warnings.hear(&[1.0]);
        assert!(told(&mut warnings, began, 40).is_empty());
    }

    #[test]
    fn a_microphone_that_is_off_is_told_and_a_client_that_sends_little_is_not() {
        let (began, mut warnings) = (Instant::now(), Warnings::new(1_000));
        warnings.hear(&[0.01, 0.0]);
        // However long nothing came.
        assert!(told(&mut warnings, began, 60).is_empty());
        for second in 61..65 {
            warnings.hear(&[1e-4; 1_000]);
            assert!(told(&mut warnings, began, second).is_empty(), "{second}");
        }
        warnings.hear(&[0.0; 1_000]);
        assert_eq!(told(&mut warnings, began, 65), ["silence"]);
        assert!(told(&mut warnings, began, 90).is_empty(), "nothing came");
        // Neither hides the other.
        warnings.hear(&[1.0; 10]);
        assert_eq!(told(&mut warnings, began, 66), ["clipping"]);
        warnings.hear(&vec![0.0; 5_000]);
        assert!(told(&mut warnings, began, 71).is_empty(), "a moment ago");
        warnings.hear(&[0.0]);
        assert_eq!(told(&mut warnings, began, 75), ["silence"]);
    }
}
