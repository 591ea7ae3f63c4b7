//! The sound of a live conversion on its way: what waits for the worker, what was dropped, and figures.

use std::collections::VecDeque;

use super::frames::Heard;
use vocalhost_job::{LiveFigures, LiveSpec};

/// Pieces of sound that the worker may have at a time: one that it works on, and one that waits for it.
const PIECES: usize = 2;

/// How much sound may wait beyond a block, in milliseconds. Older sound is dropped: a speaker wants to be heard now.
const MAX_WAIT_MS: u32 = 200;

/// The length of the fade-in after dropped sound, in seconds.
const FADE_S: f64 = 0.005;

/// Sound between a client and a worker.
pub(super) struct Flow {
    rate_hz: u32,
    block: usize,
    most: usize,
    /// What has come and was not given on yet.
    queue: VecDeque<f32>,
    next_seq: u32,
    received: u64,
    given: u64,
    on_their_way: usize,
    /// Where each piece of the client's ends, and the clock that it came with.
    clocks: VecDeque<(u64, u32)>,
    /// Gaps that the output has not reached yet: the samples given on before each, and the samples dropped there.
    drops: VecDeque<(u64, u64)>,
    /// Samples that came out of the worker, and those that were dropped before them.
    spoken: u64,
    skipped: u64,
    sent: u32,
    clock: u32,
    /// The time of computing of each block, in microseconds.
    took: Vec<u32>,
    figures: LiveFigures,
    /// The loudest sample since it was last asked for.
    peak: f32,
}

impl Flow {
    pub(super) fn new(spec: &LiveSpec) -> Self {
        let rate_hz = spec.sample_rate_hz;
        let samples = |ms: u32| (u64::from(rate_hz) * u64::from(ms) / 1_000) as usize;
        let (block_ms, _) = spec.pace.block_and_look_ahead_ms();
        Self {
            rate_hz,
            block: samples(block_ms),
            most: samples(block_ms + MAX_WAIT_MS),
            queue: VecDeque::new(),
            next_seq: 0,
            received: 0,
            given: 0,
            on_their_way: 0,
            clocks: VecDeque::new(),
            drops: VecDeque::new(),
            spoken: 0,
            skipped: 0,
            sent: 0,
            clock: 0,
            took: Vec::new(),
            figures: LiveFigures::default(),
            peak: 0.0,
        }
    }

    fn ms(&self, samples: u64) -> f64 {
        samples as f64 * 1e3 / f64::from(self.rate_hz)
    }

    /// How long a block lasts, in milliseconds.
    pub(super) fn block_ms(&self) -> f64 {
        self.ms(self.block as u64)
    }

    /// Takes a piece from the client. Gives how much was dropped for it, in milliseconds; `None` when its number is not the next.
    pub(super) fn hear(&mut self, piece: &Heard) -> Option<f64> {
        if piece.seq != self.next_seq {
            return None;
        }
        self.next_seq = self.next_seq.wrapping_add(1);
        self.received += piece.samples.len() as u64;
        self.clocks.push_back((self.received, piece.clock));
        let loudest = piece.samples.iter().map(|sample| sample.abs());
        self.peak = loudest.fold(self.peak, f32::max);
        self.queue.extend(&piece.samples);
        self.figures.seconds = self.ms(self.received) / 1e3;
        if self.queue.len() <= self.most {
            return Some(0.0);
        }
        let dropped = self.queue.len() - self.block;
        self.queue.drain(..dropped);
        let fade = (FADE_S * f64::from(self.rate_hz)) as usize;
        for (at, sample) in self.queue.iter_mut().take(fade).enumerate() {
            *sample *= at as f32 / fade as f32;
        }
        self.drops.push_back((self.given, dropped as u64));
        let ms = self.ms(dropped as u64);
        self.figures.dropped_ms += ms;
        Some(ms)
    }

    /// The next piece for the worker, when it may have one.
    pub(super) fn next(&mut self) -> Option<Vec<f32>> {
        if self.on_their_way >= PIECES || self.queue.is_empty() {
            return None;
        }
        let count = self.queue.len().min(self.block);
        let piece: Vec<f32> = self.queue.drain(..count).collect();
        self.given += count as u64;
        self.on_their_way += 1;
        Some(piece)
    }

    /// Whether the worker has given an answer to everything.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.on_their_way == 0
    }

    /// Takes an answer of the worker: the time that it took where there is sound in it.
    pub(super) fn answered(&mut self, took_us: Option<u64>, input_rms: Option<f64>) {
        self.on_their_way = self.on_their_way.saturating_sub(1);
        self.figures.input_rms = input_rms.or(self.figures.input_rms);
        let Some(took_us) = took_us else { return };
        self.took.push(u32::try_from(took_us).unwrap_or(u32::MAX));
        if took_us as f64 / 1e3 > self.block_ms() {
            self.figures.late_blocks += 1;
        }
    }

    /// How many of the next `samples` come before the next gap.
    pub(super) fn until_gap(&self, samples: usize) -> usize {
        let mut ahead = self.drops.iter().map(|(at, _)| *at);
        let next = ahead.find(|at| *at > self.spoken);
        next.map_or(samples, |at| samples.min((at - self.spoken) as usize))
    }

    /// The number, the clock and the position of the next frame, which has `samples` samples.
    pub(super) fn send(&mut self, samples: usize) -> (u32, u32, u64) {
        while let Some((at, count)) = self.drops.front().copied()
            && at <= self.spoken
        {
            self.skipped += count;
            self.drops.pop_front();
        }
        let first = self.spoken + self.skipped;
        self.spoken += samples as u64;
        let end = first + samples as u64;
        while let Some((until, clock)) = self.clocks.front().copied()
            && until <= end
        {
            self.clock = clock;
            self.clocks.pop_front();
        }
        let seq = self.sent;
        self.sent = self.sent.wrapping_add(1);
        (seq, self.clock, first)
    }

    /// Notes that sound could not be sent, because the client does not take it. Gives how much, in milliseconds.
    pub(super) fn not_sent(&mut self, samples: usize) -> f64 {
        let ms = self.ms(samples as u64);
        self.figures.dropped_ms += ms;
        ms
    }

    /// Notes that no sound has come for a while.
    pub(super) fn starved(&mut self, ms: f64) {
        self.figures.starved_ms += ms;
    }

    /// Notes the latency that effects and resampling add.
    pub(super) fn delayed(&mut self, effects_ms: u32, resampling_ms: u32) {
        self.figures.effects_ms = effects_ms;
        self.figures.resampling_ms = resampling_ms;
    }

    /// The position of the next sound, in the client's time.
    pub(super) fn position(&self) -> u64 {
        self.spoken + self.skipped
    }

    /// The peak since it was last asked, in decibels of full scale; none of silence.
    pub(super) fn peak_db(&mut self) -> Option<f64> {
        let peak = std::mem::take(&mut self.peak);
        (peak > 0.0).then(|| 20.0 * f64::from(peak).log10())
    }

    /// Sound that has come, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.figures.seconds
    }

    /// How it goes.
    pub(super) fn figures(&self) -> LiveFigures {
        let mut took = self.took.clone();
        took.sort_unstable();
        let share = |share: f64| {
            let place = (took.len() as f64 * share).ceil() as usize;
            took.get(place.max(1) - 1).map(|us| f64::from(*us) / 1e3)
        };
        LiveFigures {
            block_ms_median: share(0.5),
            block_ms_p99: share(0.99),
            ..self.figures
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_job::{LiveKnobs, LivePace, LiveRecording, SampleFormat};

    fn flow() -> Flow {
        Flow::new(&LiveSpec {
            voice_model_id: 1,
            voice_title: String::new(),
            knobs: LiveKnobs {
                conversion_strength: 0.5,
                model_volume_mix: 0.5,
                pitch_shift: 0.0,
            },
            seed: 0,
            pre: Vec::new(),
            post: Vec::new(),
            pace: LivePace::Best,
            sample_rate_hz: 16_000,
            sample_format: SampleFormat::S16le,
            input_rms: None,
            max_minutes: 1,
            record: LiveRecording::None,
        })
    }

    fn piece(seq: u32) -> Heard {
        Heard {
            seq,
            clock: 1_000 + 20 * seq,
            samples: vec![0.5; 320],
        }
    }

    #[test]
    fn sound_keeps_its_place_and_the_clock_it_came_with() {
        let mut flow = flow();
        for seq in 0..8 {
            assert_eq!(flow.hear(&piece(seq)), Some(0.0));
        }
        assert_eq!(flow.hear(&piece(9)), None, "one is missing");
        // A block of 160 ms, all of it.
        assert_eq!(flow.next().map(|piece| piece.len()), Some(2_560));
        assert!(flow.next().is_none() && !flow.is_empty());
        flow.answered(Some(20_000), None);
        assert_eq!(
            flow.send(800),
            (0, 1_020, 0),
            "two pieces are out, and a half"
        );
        assert_eq!(flow.send(480), (1, 1_060, 800));
        assert!(flow.is_empty());
        assert_eq!(flow.figures().block_ms_median, Some(20.0));
    }

    #[test]
    fn what_is_too_old_is_dropped_and_counted_where_it_was() {
        let mut flow = flow();
        assert_eq!(flow.hear(&piece(0)), Some(0.0));
        assert_eq!(flow.next().map(|piece| piece.len()), Some(320));
        assert_eq!(flow.hear(&piece(1)), Some(0.0));
        assert_eq!(flow.next().map(|piece| piece.len()), Some(320));
        // The worker has enough: 360 ms may wait, then only a block is kept.
        let dropped: f64 = (2..21)
            .map(|seq| flow.hear(&piece(seq)).expect("the next"))
            .sum();
        assert!((dropped - 220.0).abs() < 1e-9, "{dropped}");
        assert!(flow.next().is_none());
        flow.answered(Some(200_000), Some(0.1));
        assert_eq!(flow.next().map(|piece| piece.len()), Some(2_560));
        assert_eq!(flow.until_gap(960), 640);
        assert_eq!(flow.send(640), (0, 1_020, 0));
        // 220 ms later in the client's time.
        assert_eq!(flow.send(320).2, 640 + 3_520);
        assert_eq!(flow.figures().late_blocks, 1);
    }
}
