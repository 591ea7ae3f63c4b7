use super::filter::{Filter, HOPS};

/// Sound that is changed frame by frame and added up again. The first frame is centred a hop before the beginning, so that the same number
/// of frames overlap everywhere.
pub(super) struct Overlap {
    filter: Filter,
    hop: usize,
    /// Received samples that are still needed, including the silence before the beginning; the first is the first sample of frame `first`.
    held: Vec<f32>,
    first: usize,
    /// What the frames before `changed` have added to the samples from there on.
    sum: Vec<f32>,
    changed: usize,
    ready: Vec<f32>,
    /// Samples before the beginning still to be dropped, those still to be received, and those still to be returned.
    lead: usize,
    missing: u64,
    left: u64,
}

impl Overlap {
    pub(super) fn new(hop: usize, total_samples: u64) -> Self {
        let size = HOPS * hop;
        let lead = size / 2 + hop;
        Self {
            filter: Filter::new(size),
            hop,
            held: vec![0.0; lead],
            first: 0,
            sum: vec![0.0; size],
            changed: 0,
            ready: Vec::new(),
            lead,
            missing: total_samples,
            left: total_samples,
        }
    }

    /// Takes the next samples; silence follows the last.
    pub(super) fn receive(&mut self, samples: &[f32]) {
        if self.missing == 0 {
            return;
        }
        self.held.extend(samples);
        self.missing = self.missing.saturating_sub(samples.len() as u64);
        if self.missing == 0 {
            let silence = self.held.len() + 2 * self.filter.size();
            self.held.resize(silence, 0.0);
        }
    }

    /// The number of frames whose samples are complete.
    pub(super) fn whole_frames(&self) -> usize {
        let more = self.held.len().checked_sub(self.filter.size());
        more.map_or(self.first, |more| self.first + more / self.hop + 1)
    }

    /// The samples of a frame.
    pub(super) fn window(&self, frame: usize) -> &[f32] {
        &self.held[(frame - self.first) * self.hop..][..self.filter.size()]
    }

    /// Multiplies the spectrum of the next frame; the samples that no later frame reaches are then ready.
    pub(super) fn change(&mut self, factors: &[f32]) {
        let window = &self.held[(self.changed - self.first) * self.hop..][..self.filter.size()];
        self.filter.add(window, factors, &mut self.sum);
        self.ready.extend(self.sum.drain(..self.hop));
        self.sum.resize(self.filter.size(), 0.0);
        self.changed += 1;
    }

    /// The ready samples, without the silence around the sound.
    pub(super) fn take(&mut self) -> Vec<f32> {
        self.held.drain(..(self.changed - self.first) * self.hop);
        self.first = self.changed;
        let lead = self.lead.min(self.ready.len());
        self.ready.drain(..lead);
        self.lead -= lead;
        let mut ready = std::mem::take(&mut self.ready);
        ready.truncate(self.left.min(ready.len() as u64) as usize);
        self.left -= ready.len() as u64;
        ready
    }
}
