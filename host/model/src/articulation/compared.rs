use std::f64::consts::{LN_10, TAU};

use super::bands::BANDS;
use super::constant::{KNOWN, Map};
use super::line::Line;
use super::movement::{Movement, Row, smooth};

/// Frames on each side of a frame over which its mean is taken: 0.4 s.
pub(super) const AROUND: usize = 50;
/// Weights with a smaller sum give no mean.
const LEAST_WEIGHT: f64 = 1e-3;
/// How much of the remaining difference is added.
const SHARE: f64 = 0.5;
/// The most that is added or taken away, in decibels.
const MOST_DB: f64 = 12.0;

/// A frame of the voice together with that of the source.
pub(super) struct Pair {
    voice: Row,
    source: Row,
    known: [bool; BANDS],
    weight: f64,
    is_voiced: bool,
}

impl Pair {
    pub(super) fn new(voice: &Movement, source: &Movement, is_voiced: bool) -> Self {
        Self {
            weight: f64::from(u8::from(voice.is_heard && source.is_heard)),
            voice: voice.logs,
            source: source.logs,
            known: std::array::from_fn(|band| source.known[band] && voice.there[band]),
            is_voiced,
        }
    }

    /// Smoothed with the frames before and after it.
    pub(super) fn smoothed(&self, before: &Self, next: &Self) -> Self {
        Self {
            voice: smooth(&before.voice, &self.voice, &next.voice),
            source: smooth(&before.source, &self.source, &next.source),
            ..*self
        }
    }
}

/// The weights of the frames around one in its mean, the nearer the larger.
pub(super) struct Around(Vec<f64>);

impl Around {
    pub(super) fn new() -> Self {
        let turn = |place: usize| TAU * place as f64 / (2 * AROUND + 2) as f64;
        let weights = (1..=2 * AROUND + 1).map(|place| 0.5 - 0.5 * turn(place).cos());
        Self(weights.collect())
    }

    /// A frame less the mean of those frames around it that exist and sound.
    pub(super) fn less_means(&self, frames: &Line<Pair>, frame: usize) -> Compared {
        let (mut voice, mut source, mut weight) = ([0.0; BANDS], [0.0; BANDS], 0.0);
        for (place, around) in self.0.iter().enumerate() {
            let near = (frame + place).checked_sub(AROUND);
            let Some(near) = near.and_then(|near| frames.get(near)) else {
                continue;
            };
            let part = around * near.weight;
            if part == 0.0 {
                continue;
            }
            weight += part;
            for band in 0..BANDS {
                voice[band] += part * near.voice[band];
                source[band] += part * near.source[band];
            }
        }
        let weight = weight.max(LEAST_WEIGHT);
        let now = &frames[frame];
        let mut known = [f64::from(u8::from(now.is_voiced)); KNOWN];
        for band in 0..BANDS {
            known[band] = now.voice[band] - voice[band] / weight;
        }
        let difference = |band: usize| {
            let said = now.source[band] - source[band] / weight;
            if now.known[band] {
                said - known[band]
            } else {
                0.0
            }
        };
        Compared {
            difference: std::array::from_fn(difference),
            voice: known,
            weight: now.weight,
        }
    }
}

/// How a frame of the source differs from that of the voice.
pub(super) struct Compared {
    /// The voice's movements, and whether there is a pitch.
    pub(super) voice: [f64; KNOWN],
    pub(super) difference: Row,
    /// 1 where both sound, otherwise 0.
    pub(super) weight: f64,
}

impl Compared {
    /// The gains of the bands, natural logarithms of power, given the frames before and after.
    pub(super) fn gains(&self, map: &Map, (before, next): (Option<&Self>, Option<&Self>)) -> Row {
        let always = map.of(&self.voice);
        let beside = [before, next].map(|frame| frame.map_or(self.weight, |frame| frame.weight));
        let weight = 0.25 * beside[0] + 0.5 * self.weight + 0.25 * beside[1];
        let most = MOST_DB / 10.0 * LN_10;
        std::array::from_fn(|band| {
            let left = self.difference[band] - always[band];
            (SHARE * left).clamp(-most, most) * weight
        })
    }
}
