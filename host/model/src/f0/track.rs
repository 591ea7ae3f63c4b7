use std::sync::LazyLock;

/// The lowest pitch, as in RVC's pipeline.
pub(super) const LOW_HZ: f64 = 50.0;
/// Bins of ten cents from [`LOW_HZ`] up to 1,100 Hz.
pub(super) const BINS: usize = 536;

const BINS_PER_OCTAVE: f64 = 120.0;
/// How many bins a pitch can move within a frame: four semitones in 10 ms, 35.92 octaves per second as in pYIN's software.
const REACH: usize = 20;
/// The probability that voicing begins or ends from one frame to the next.
const SWITCH: f64 = 0.01;

/// A candidate for the pitch of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Observation {
    /// Its bin.
    pub(super) bin: usize,
    /// The pitch itself.
    pub(super) hz: f64,
    /// Its probability.
    pub(super) belief: f64,
}

/// The bin of a pitch; [`BINS`] or more is too high.
pub(super) fn bin_of(hz: f64) -> usize {
    (BINS_PER_OCTAVE * (hz / LOW_HZ).log2())
        .round_ties_even()
        .max(0.0) as usize
}

/// The most likely track through the observations: pitch in hertz, 0 where unvoiced. Each bin has a voiced and an unvoiced state, and the
/// distribution of a pitch's movement is a triangle of [`REACH`] bins (Viterbi's algorithm).
pub(super) fn most_likely(frames: &[Vec<Observation>]) -> Vec<f32> {
    let hertz = |(frame, bin): (&Vec<Observation>, Option<usize>)| {
        let Some(bin) = bin else {
            return 0.0;
        };
        let candidate = frame.iter().find(|candidate| candidate.bin == bin);
        let middle = LOW_HZ * (bin as f64 / BINS_PER_OCTAVE).exp2();
        candidate.map_or(middle, |candidate| candidate.hz) as f32
    };
    frames.iter().zip(voiced_bins(frames)).map(hertz).collect()
}

/// The bins of the most likely track, where it is voiced.
pub(super) fn voiced_bins(frames: &[Vec<Observation>]) -> Vec<Option<usize>> {
    let states = viterbi(frames).into_iter();
    states
        .map(|state| (state < BINS).then_some(state))
        .collect()
}

/// The state that the best path to each state comes from, for one frame.
type Origins = Vec<u16>;

/// The states of the most likely track: bins below [`BINS`] are voiced.
fn viterbi(frames: &[Vec<Observation>]) -> Vec<usize> {
    let (stay, switch) = ((1.0 - SWITCH).ln(), SWITCH.ln());
    let mut ways = vec![0.0; 2 * BINS];
    let mut origins: Vec<Origins> = Vec::with_capacity(frames.len());
    for (number, frame) in frames.iter().enumerate() {
        let mut from: Origins = (0..2 * BINS as u16).collect();
        if number > 0 {
            let voiced = moved(&ways[..BINS]);
            let unvoiced = moved(&ways[BINS..]);
            for state in 0..2 * BINS {
                let (bin, is_voiced) = (state % BINS, state < BINS);
                let (kept, changed) = if is_voiced {
                    (stay, switch)
                } else {
                    (switch, stay)
                };
                let (a, b) = (voiced[bin].0 + kept, unvoiced[bin].0 + changed);
                (ways[state], from[state]) = if a >= b {
                    (a, voiced[bin].1)
                } else {
                    (b, unvoiced[bin].1 + BINS as u16)
                };
            }
        }
        observe(&mut ways, frame);
        origins.push(from);
    }
    trace(&ways, &origins)
}

/// Adds a frame's observations to the likelihood of each path.
fn observe(ways: &mut [f64], frame: &[Observation]) {
    let log = |belief: f64| (belief + f64::MIN_POSITIVE).ln();
    let voiced: f64 = frame.iter().map(|candidate| candidate.belief).sum();
    let unvoiced = log((1.0 - voiced.clamp(0.0, 1.0)) / BINS as f64);
    let mut beliefs = vec![log(0.0); BINS];
    for candidate in frame {
        beliefs[candidate.bin] = log(candidate.belief);
    }
    for (bin, belief) in beliefs.into_iter().enumerate() {
        ways[bin] += belief;
        ways[BINS + bin] += unvoiced;
    }
}

/// The likelihood of the best path into each bin from the bins in reach, and the bin that it comes from.
fn moved(ways: &[f64]) -> Vec<(f64, u16)> {
    (0..BINS)
        .map(|bin| {
            let mut best = (f64::NEG_INFINITY, bin as u16);
            let reached = bin.saturating_sub(REACH)..(bin + REACH + 1).min(BINS);
            for (from, way) in reached.clone().zip(&ways[reached]) {
                let way = way + MOVES.steps[from.abs_diff(bin)] - MOVES.totals[from];
                if way > best.0 {
                    best = (way, from as u16);
                }
            }
            best
        })
        .collect()
}

/// Logarithms of the triangle, and of its sum over the bins in reach of each bin, which is smaller at both ends.
struct Moves {
    steps: Vec<f64>,
    totals: Vec<f64>,
}

static MOVES: LazyLock<Moves> = LazyLock::new(|| {
    let weight = |distance: usize| (REACH + 1 - distance) as f64;
    let total = |from: usize| {
        let reached = from.saturating_sub(REACH)..(from + REACH + 1).min(BINS);
        reached.map(|bin| weight(bin.abs_diff(from))).sum::<f64>()
    };
    Moves {
        steps: (0..=REACH).map(|distance| weight(distance).ln()).collect(),
        totals: (0..BINS).map(|from| total(from).ln()).collect(),
    }
});

fn trace(ways: &[f64], origins: &[Origins]) -> Vec<usize> {
    let mut state = 0;
    for other in 1..ways.len() {
        if ways[other] > ways[state] {
            state = other;
        }
    }
    let mut states = vec![0; origins.len()];
    for (place, from) in states.iter_mut().zip(origins).rev() {
        *place = state;
        state = usize::from(from[state]);
    }
    states
}
