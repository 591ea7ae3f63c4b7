//! The same during live conversion: the future is known only as far as the look-ahead, and the speaker only from what was heard so far.

use super::bands::Spread;
use super::compared::{AROUND, Around, Compared, Pair};
use super::constant::Constant;
use super::filter::{Filter, HOPS};
use super::line::Line;
use super::movement::{Listener, Row};
use super::{HEARD_HOP, HEARD_SIZE, Places};
use crate::source::SOURCE_RATE_HZ;

/// Articulation block by block.
pub(in super::super) struct LiveArticulation {
    voice: Listener,
    source: Listener,
    filter: Filter,
    spread: Spread,
    places: Places,
    around: Around,
    /// Frames before the next block, as they were when their own block was converted.
    heard: Line<Pair>,
    smoothed: Line<Pair>,
    compared: Line<Compared>,
    gains: Line<Row>,
    constant: Constant,
    learned: usize,
}

/// A block with the sound around it; places are frames of 10 ms.
pub(in super::super) struct Spoken<'b> {
    /// The decoder's output, from frame `from` on.
    pub(in super::super) sound: &'b [f32],
    /// The voice's pitch for the same frames, and the factor from the speaker's pitch to it.
    pub(in super::super) f0_hz: &'b [f32],
    pub(in super::super) factor: f32,
    pub(in super::super) from: usize,
    /// The input, mono at 16 kHz, from frame `heard_from` on.
    pub(in super::super) heard: &'b [f32],
    pub(in super::super) heard_from: usize,
    /// Where the block begins and ends.
    pub(in super::super) start: usize,
    pub(in super::super) end: usize,
}

impl LiveArticulation {
    /// For a voice with `hop_samples` samples in 10 ms. Both levels are RMS over the sounding parts.
    pub(in super::super) fn new(hop_samples: usize, level_rms: f64, source_rms: f64) -> Self {
        let places = Places::new(hop_samples);
        let (size, rate_hz) = (places.size(), hop_samples as f64 * 100.0);
        Self {
            voice: Listener::new(size, rate_hz, level_rms),
            source: Listener::new(HEARD_SIZE, f64::from(SOURCE_RATE_HZ), source_rms),
            filter: Filter::new(size),
            spread: Spread::new(size, rate_hz),
            places,
            around: Around::new(),
            heard: Line::new(),
            smoothed: Line::new(),
            compared: Line::new(),
            gains: Line::new(),
            constant: Constant::new(),
            learned: 0,
        }
    }

    /// The decoder's output, articulated from the block's start to `beyond` samples after its end.
    pub(in super::super) fn articulate(&mut self, block: &Spoken<'_>, beyond: usize) -> Vec<f32> {
        let mut sound = block.sound.to_vec();
        let (places, size) = (self.places, self.filter.size());
        let hop = places.hop as usize;
        let sample = |frame: usize| frame as i64 * places.hop_samples;
        let (origin, begin, end) = (sample(block.from), sample(block.start), sample(block.end));
        let last = (end + beyond as i64).min(origin + sound.len() as i64);
        let first_of = |frame: usize| places.spoken(frame) - (size / 2) as i64;
        let mut frames = self.gains.end();
        while first_of(frames) < last {
            frames += 1;
        }
        self.hear(block, frames);
        let mut first = frames;
        while first > 0 && first_of(first - 1) + size as i64 > begin {
            first -= 1;
        }
        let mut sum = vec![0.0; (frames - first) * hop + size];
        for frame in first..frames {
            let window = cut(block.sound, first_of(frame) - origin, size);
            let Some(gains) = self.gains.get(frame) else {
                continue;
            };
            let factors = self.spread.to_bins(gains);
            self.filter
                .add(&window, &factors, &mut sum[(frame - first) * hop..]);
        }
        let from = (begin - first_of(first)) as usize;
        let length = (last - begin) as usize;
        sound[(begin - origin) as usize..][..length].copy_from_slice(&sum[from..][..length]);
        let mut settled = self.gains.end();
        while settled > 0 && places.spoken(settled - 1) >= end {
            settled -= 1;
        }
        self.settle(settled);
        sound
    }

    /// Compares the frames up to `end`; those after the block are computed again later and may change.
    fn hear(&mut self, block: &Spoken<'_>, end: usize) {
        let (places, size) = (self.places, self.voice.size());
        let sound_from = block.from as i64 * places.hop_samples + (size / 2) as i64;
        let heard_from = (block.heard_from * HEARD_HOP + HEARD_SIZE / 2) as i64;
        let new = self.gains.end()..end;
        for frame in new.clone() {
            let f0_hz = places.pitch(block.f0_hz, block.from, frame);
            let sound = cut(block.sound, places.spoken(frame) - sound_from, size);
            let heard = cut(block.heard, places.heard(frame) - heard_from, HEARD_SIZE);
            let voice = self.voice.hear(&sound, f64::from(f0_hz));
            let source = self.source.hear(&heard, f64::from(f0_hz / block.factor));
            self.heard.push(Pair::new(&voice, &source, f0_hz > 0.0));
        }
        for frame in new.clone() {
            let now = &self.heard[frame];
            let before = self.heard.before(frame);
            let next = self.heard.get(frame + 1);
            let smoothed = now.smoothed(before.unwrap_or(now), next.unwrap_or(now));
            self.smoothed.push(smoothed);
        }
        for frame in new.clone() {
            let compared = self.around.less_means(&self.smoothed, frame);
            self.compared.push(compared);
        }
        let map = self.constant.map();
        for frame in new {
            let before = self.compared.before(frame);
            let beside = (before, self.compared.get(frame + 1));
            self.gains.push(self.compared[frame].gains(&map, beside));
        }
    }

    /// Learns from the frames up to `end`, which are final, and drops those after them and those that are no longer needed.
    fn settle(&mut self, end: usize) {
        for frame in self.learned..end {
            let compared = &self.compared[frame];
            self.constant
                .learn(&compared.voice, &compared.difference, compared.weight);
        }
        self.learned = end;
        self.heard.keep(end.saturating_sub(1)..end);
        self.smoothed.keep(end.saturating_sub(AROUND)..end);
        self.compared.keep(end.saturating_sub(1)..end);
        self.gains.keep(end.saturating_sub(2 * HOPS)..end);
    }
}

/// Samples from a place on, with silence beyond the ends.
fn cut(sound: &[f32], start: i64, size: usize) -> Vec<f32> {
    (start..start + size as i64)
        .map(|place| {
            usize::try_from(place)
                .ok()
                .and_then(|place| sound.get(place))
        })
        .map(|sample| sample.copied().unwrap_or(0.0))
        .collect()
}
