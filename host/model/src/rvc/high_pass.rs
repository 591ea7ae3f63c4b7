use crate::ModelError;
use crate::source::Sound;
use vocalhost_audio::Spool;

/// Coefficients of the filter: `scipy.signal.butter(N=5, Wn=48, btype="high", fs=16000)`, as in RVC's `pipeline.py`.
const B: [f64; 6] = [
    0.969_960_645_183_844_7,
    -4.849_803_225_919_223,
    9.699_606_451_838_447,
    -9.699_606_451_838_447,
    4.849_803_225_919_223,
    -0.969_960_645_183_844_7,
];
const A: [f64; 6] = [
    1.0,
    -4.939_001_819_168_364,
    9.757_863_526_739_543,
    -9.639_544_849_413_458,
    4.761_506_797_356_209,
    -0.940_823_653_205_460_6,
];
/// Samples that `scipy.signal.filtfilt` adds at each end by odd extension: three times the number of coefficients.
const EXTENSION: i64 = 18;
/// Samples after which the filter's initial state no longer matters. Its slowest pole has the radius exp(-0.0058), so that exp(-47) is
/// left, less than the last bit of a double.
const MEMORY: i64 = 8_192;
/// The largest magnitude that a recording may have before it is attenuated, from RVC's `modules.py`.
const PEAK: f64 = 0.95;

/// A recording filtered by RVC's high-pass, forwards and backwards (`filtfilt`), attenuated beforehand so that its peak stays below 0.95.
///
/// The filter is so narrow that the last bits of doubles matter: results agree with `SciPy`'s, and windows with the whole, to
/// 1e-8. Any window is filtered on its own, with as much sound around it as the filter remembers, so that nothing has to be kept.
pub(super) struct HighPassed<'s> {
    spool: &'s Spool,
    gain: f64,
    rest: [f64; 5],
}

impl<'s> HighPassed<'s> {
    pub(super) fn new(spool: &'s Spool) -> Self {
        let excess = f64::from(spool.peak()) / PEAK;
        Self {
            spool,
            gain: if excess > 1.0 { 1.0 / excess } else { 1.0 },
            rest: rest_state(),
        }
    }

    /// What the recording was multiplied by before it was filtered.
    pub(super) fn gain(&self) -> f64 {
        self.gain
    }

    /// A window in double precision, with silence before the beginning and after the end.
    pub(super) fn precise(&self, start: i64, count: usize) -> Result<Vec<f64>, ModelError> {
        let mut window = vec![0.0; count];
        let length = self.spool.frames() as i64;
        let first = start.clamp(0, length);
        let end = (start + count as i64).clamp(first, length);
        if first < end {
            let filtered = self.filter(first, end)?;
            window[(first - start) as usize..(end - start) as usize].copy_from_slice(&filtered);
        }
        Ok(window)
    }

    /// The filtered samples `first..end`, which are inside the recording.
    fn filter(&self, first: i64, end: i64) -> Result<Vec<f64>, ModelError> {
        let length = self.spool.frames() as i64;
        let extension = EXTENSION.min(length - 1);
        let from = (first - MEMORY).max(-extension);
        let to = (end + MEMORY).min(length + extension);
        let mut sound = self.extended(from, to)?;
        self.pass(sound.iter_mut());
        self.pass(sound.iter_mut().rev());
        Ok(sound[(first - from) as usize..(end - from) as usize].to_vec())
    }

    /// The samples `from..to` of the recording with its extension: the sound rotated about its end points.
    fn extended(&self, from: i64, to: i64) -> Result<Vec<f64>, ModelError> {
        let length = self.spool.frames() as i64;
        // The samples that the extensions are made of are read as well.
        let low = from.max(0);
        let high = to.min(length);
        let low = low.min((2 * (length - 1) - to).max(0));
        let high = high.max((1 - from).min(length));
        let block = self.spool.read(low, (high - low) as usize)?;
        let at = |position: i64| self.gain * f64::from(block.channel(0)[(position - low) as usize]);
        let last = length - 1;
        let value = |position: i64| {
            if position < 0 {
                2.0 * at(0) - at(-position)
            } else if position > last {
                2.0 * at(last) - at(2 * last - position)
            } else {
                at(position)
            }
        };
        Ok((from..to).map(value).collect())
    }

    /// Filters in place, in transposed direct form II, starting in the steady state for the first sample.
    fn pass<'a>(&self, samples: impl Iterator<Item = &'a mut f64>) {
        let mut state: Option<[f64; 5]> = None;
        for sample in samples {
            let given = *sample;
            let z = state.get_or_insert_with(|| self.rest.map(|rest| rest * given));
            let out = B[0] * given + z[0];
            for place in 0..4 {
                z[place] = z[place + 1] + B[place + 1] * given - A[place + 1] * out;
            }
            z[4] = B[5] * given - A[5] * out;
            *sample = out;
        }
    }
}

impl Sound for HighPassed<'_> {
    fn len(&self) -> u64 {
        self.spool.frames()
    }

    fn samples(&self, start: i64, count: usize) -> Result<Vec<f32>, ModelError> {
        let precise = self.precise(start, count)?;
        Ok(precise.into_iter().map(|sample| sample as f32).collect())
    }
}

/// The filter's steady state for a constant input of 1, as `scipy.signal.lfilter_zi` computes it.
fn rest_state() -> [f64; 5] {
    let gains = std::array::from_fn::<f64, 5, _>(|place| B[place + 1] - A[place + 1] * B[0]);
    let sum_of_gains: f64 = gains.iter().sum();
    let sum_of_feedback = A[2..].iter().fold(A[0] + A[1], |sum, a| sum + a);
    let mut state = [sum_of_gains / sum_of_feedback; 5];
    let (mut feedback, mut gain) = (1.0, 0.0);
    for place in 1..5 {
        feedback += A[place];
        gain += gains[place - 1];
        state[place] = feedback * state[0] - gain;
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;
    use vocalhost_audio::{Block, SpoolWriter};

    fn spool(samples: Vec<f32>) -> Spool {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("spool");
        let mut writer = SpoolWriter::create(&path, 1, 16_000).expect("made");
        let block = Block::from_planar(1, samples);
        writer.write(&block).expect("written");
        writer.finish().expect("finished")
    }

    #[test]
    fn it_equals_scipys_filtfilt() {
        for case in golden::of_libraries()["high_pass"]
            .as_array()
            .expect("cases")
        {
            let count = case["count"].as_u64().expect("a number") as usize;
            let spool = spool(golden::rumbling(count));
            let filtered = HighPassed::new(&spool).precise(0, count).expect("filters");
            let expected = golden::listed(&case["values"]);
            for (at, expected) in golden::listed(&case["at"]).into_iter().zip(expected) {
                let found = filtered[at as usize];
                assert!(
                    (found - expected).abs() < 1e-7,
                    "{count}, {at}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_window_of_its_own_equals_the_same_window_of_the_whole() {
        let spool = spool(golden::rumbling(60_000));
        let sound = HighPassed::new(&spool);
        let whole = sound.precise(-10, 60_020).expect("filters");
        for (start, count) in [
            (0, 1),
            (20_000, 3_000),
            (59_999, 1),
            (-10, 30),
            (59_990, 20),
        ] {
            let window = sound.precise(start, count).expect("filters");
            let from = (start + 10) as usize;
            for (found, expected) in window.iter().zip(&whole[from..from + count]) {
                assert!(
                    (found - expected).abs() < 1e-7,
                    "{start}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_loud_recording_is_lowered_before_and_a_soft_one_is_not() {
        let loud = spool(vec![1.9, -1.0, 0.5]);
        assert!((HighPassed::new(&loud).gain() - 0.5).abs() < 1e-7);
        let soft = spool(vec![0.9, -0.5, 0.5]);
        assert!((HighPassed::new(&soft).gain() - 1.0).abs() < f64::EPSILON);
    }
}
