//! A split-band de-esser.
//!
//! A Linkwitz-Riley crossover of fourth order (S. H. Linkwitz, J. Audio Eng. Soc. 24 (1),
//! 1976) splits off what is above the frequency, where sibilants have their energy. That
//! band alone is turned down, the more the further its level e exceeds the threshold t: by
//! (e / t)^(1/ratio − 1), at most by the range (a compressor as in D. Giannoulis, M.
//! Massberg and J. D. Reiss, "Digital Dynamic Range Compressor Design", J. Audio Eng. Soc.
//! 60 (6), 2012). Levels are magnitudes, smoothed by attack and release; the loudest
//! channel counts for all, so that the stereo image stays.
//!
//! A relative threshold is counted from the level of the whole sound, so that it holds for
//! soft and loud speech alike; an absolute one from full scale. Both bands add up to an
//! all-pass: the level of every frequency stays when nothing is turned down.

use vocalhost_effect::dsp::{Crossover, Follower, STRETCH_FRAMES, power};
use vocalhost_effect::{Planar, Settings};

/// Level of the whole sound (−80 dB) below which a relative threshold no longer falls: what
/// is softer is noise, and its colour says nothing about sibilants.
const RELATIVE_FLOOR: f32 = 1.0e-4;

/// A de-esser over any number of channels.
#[derive(Clone, Debug)]
pub struct DeEsser {
    /// One for every channel.
    crossovers: Vec<Crossover>,
    ringing_frames: u64,
    relative: bool,
    listen: bool,
    threshold: f32,
    exponent: f32,
    /// The lowest gain.
    lowest: f32,
    high_level: Follower,
    whole_level: Follower,
    /// Room for both bands of one stretch of every channel.
    bands: Vec<Bands>,
}

#[derive(Clone, Debug)]
struct Bands {
    low: [f32; STRETCH_FRAMES],
    high: [f32; STRETCH_FRAMES],
}

impl DeEsser {
    /// A de-esser with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let factor = |level_db: f64| 10_f64.powf(level_db / 20.0) as f32;
        let frequency_hz = settings.number("frequency_hz");
        let level = Follower::new(
            rate_hz,
            settings.number("attack_ms"),
            settings.number("release_ms"),
        );
        let silent = Bands {
            low: [0.0; STRETCH_FRAMES],
            high: [0.0; STRETCH_FRAMES],
        };
        Self {
            crossovers: vec![Crossover::new(rate_hz, frequency_hz); channels],
            ringing_frames: Crossover::ringing_frames(rate_hz, frequency_hz),
            relative: settings.choice("mode") == "relative",
            listen: settings.toggle("listen"),
            threshold: factor(settings.number("threshold_db")),
            exponent: (1.0 / settings.number("ratio") - 1.0) as f32,
            lowest: factor(-settings.number("range_db")),
            high_level: level,
            whole_level: level,
            bands: vec![silent; channels],
        }
    }

    /// Turns down the sibilants of the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let mut at = 0;
        while at < sound.frames() {
            let end = (at + STRETCH_FRAMES).min(sound.frames());
            let mut gains = [0.0; STRETCH_FRAMES];
            self.split(sound, (at, end), &mut gains);
            for (bands, channel) in self.bands.iter().zip(sound.channels()) {
                let halves = bands.low.iter().zip(&bands.high).zip(&gains);
                for (sample, ((low, high), gain)) in channel[at..end].iter_mut().zip(halves) {
                    // What is listened to is what is taken away.
                    *sample = if self.listen {
                        high * (1.0 - gain)
                    } else {
                        low + high * gain
                    };
                }
            }
            at = end;
        }
    }

    /// Splits a stretch into its bands and finds the gain of the upper one.
    fn split(
        &mut self,
        sound: &mut Planar<'_>,
        (start, end): (usize, usize),
        gains: &mut [f32; STRETCH_FRAMES],
    ) {
        let frames = end - start;
        let mut whole = [0.0_f32; STRETCH_FRAMES];
        let channels = self.crossovers.iter_mut().zip(&mut self.bands);
        for ((crossover, bands), channel) in channels.zip(sound.channels()) {
            let samples = &channel[start..end];
            let halves = bands.low.iter_mut().zip(&mut bands.high);
            for (sample, (low, high)) in samples.iter().zip(halves) {
                let (below, above) = crossover.split(f64::from(*sample));
                *low = below as f32;
                *high = above as f32;
            }
            for (level, sample) in whole.iter_mut().zip(samples) {
                *level = larger(*level, sample.abs());
            }
            for (level, high) in gains[..frames].iter_mut().zip(&bands.high) {
                *level = larger(*level, high.abs());
            }
        }
        self.high_level.follow(&mut gains[..frames]);
        self.whole_level.follow(&mut whole[..frames]);
        for (gain, whole) in gains.iter_mut().zip(&whole) {
            let reference = if self.relative {
                larger(*whole, RELATIVE_FLOOR)
            } else {
                1.0
            };
            let over = *gain / (self.threshold * reference);
            let reduced = larger(power(over, self.exponent), self.lowest);
            *gain = if over > 1.0 { reduced } else { 1.0 };
        }
    }

    /// Frames until the crossover has stopped ringing.
    #[must_use]
    pub fn tail_frames(&self) -> u64 {
        self.ringing_frames
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.crossovers.iter_mut().for_each(Crossover::forget);
        self.high_level.forget();
        self.whole_level.forget();
    }
}

/// Not `f32::max`, which is a call on WebAssembly because of how it treats NaN.
#[inline]
fn larger(one: f32, two: f32) -> f32 {
    if one > two { one } else { two }
}
