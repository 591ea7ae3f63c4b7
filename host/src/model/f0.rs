use super::lanes::side_by_side;
use super::manifest::TensorRole;
use super::mel::LogMel;
use super::periodicity::Wave;
use super::pitch::FRAMES_PER_S;
use super::pitch_repair::{Estimate, repair};
use super::sections::F0;
use super::session::{Input, Session, Values};
use super::source::Source;
use super::{ModelError, Package, Runtime};

/// Frames that are estimated at once: ten seconds.
const CORE_FRAMES: usize = 1_000;
/// Bins on each side of the best one that take part in the mean. From RMVPE's `to_local_average_cents`.
const MEAN_REACH: usize = 4;
/// Sound this far below the level that it was brought to has no pitch: 50 dB.
const SILENCE_RATIO: f64 = 0.003_16;

/// An F0 estimator: log-mel spectrogram, graph, decoding, repair on the sound itself.
pub(super) struct F0Estimator {
    session: Session,
    mel: LogMel,
    format: F0,
    level_rms: Option<f64>,
    threads: usize,
}

impl F0Estimator {
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let manifest = package.manifest();
        let session = Session::load(runtime, package, threads)?;
        let Some(format) = manifest.f0.clone() else {
            return Err(session.fault("is not an f0 package"));
        };
        Ok(Self {
            mel: LogMel::new(&format, manifest.audio.sample_rate_hz),
            format,
            level_rms: manifest.normalize.map(|normalize| normalize.rms),
            session,
            threads: threads.max(1),
        })
    }

    /// The RMS that the estimator wants its input at, if it cares.
    pub(super) fn level_rms(&self) -> Option<f64> {
        self.level_rms
    }

    /// The pitch of the whole recording, `frames` values in hertz, 0 where unvoiced. `level_rms` is the level that the
    /// source was brought to.
    pub(super) fn track(
        &self,
        source: &Source<'_>,
        frames: usize,
        level_rms: f64,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Vec<f32>, ModelError> {
        let context = (self.format.context_s * f64::from(FRAMES_PER_S)).ceil() as usize;
        let silence_rms = (level_rms * SILENCE_RATIO) as f32;
        let cores: Vec<usize> = (0..frames).step_by(CORE_FRAMES).collect();
        let mut track = Vec::with_capacity(frames);
        for batch in cores.chunks(self.threads) {
            let pieces = side_by_side(batch, |start| {
                let core = *start..(start + CORE_FRAMES).min(frames);
                let first = core.start.saturating_sub(context);
                let count = (core.end + context).min(frames) - first;
                let piece = self.estimate(source, first, count, silence_rms)?;
                Ok(piece[core.start - first..core.end - first].to_vec())
            })?;
            track.extend(pieces.into_iter().flatten());
            progress(track.len() as f64 / frames as f64);
        }
        Ok(track)
    }

    fn estimate(
        &self,
        source: &Source<'_>,
        first: usize,
        count: usize,
        silence_rms: f32,
    ) -> Result<Vec<f32>, ModelError> {
        let (hop, reach) = (self.format.hop as usize, self.mel.reach());
        let start = (first * hop) as i64 - reach as i64;
        let samples = source.reflected(start, (count - 1) * hop + 2 * reach)?;
        let mel = self.mel.compute(&samples, count);
        let output = self.session.run(vec![Input {
            role: TensorRole::Mel,
            shape: vec![1, self.format.mels as usize, count],
            values: Values::F32(mel),
        }])?;
        let bins = self.format.bins as usize;
        if output.shape != [1, count, bins] {
            return Err(self
                .session
                .fault(format!("gave a salience of the shape {:?}", output.shape)));
        }
        let estimates: Vec<Estimate> = output
            .values
            .chunks_exact(bins)
            .map(|salience| decode(salience, &self.format))
            .collect();
        let wave = Wave::new(&samples, reach);
        Ok(repair(
            &estimates,
            &wave,
            self.format.threshold as f32,
            silence_rms,
        ))
    }
}

/// The pitch of a frame: the mean of the bins around the most salient one, weighted by salience (RMVPE's local average).
fn decode(salience: &[f32], format: &F0) -> Estimate {
    let best = (0..salience.len())
        .max_by(|a, b| salience[*a].total_cmp(&salience[*b]).then(b.cmp(a)))
        .unwrap_or_default();
    let around = best.saturating_sub(MEAN_REACH)..(best + MEAN_REACH + 1).min(salience.len());
    let (mut weights, mut sum) = (0.0_f64, 0.0_f64);
    for bin in around {
        let weight = f64::from(salience[bin]).max(0.0);
        weights += weight;
        sum += weight * (format.cents_base + format.cents_step * bin as f64);
    }
    if weights <= 0.0 {
        return Estimate {
            f0_hz: 0.0,
            salience: 0.0,
        };
    }
    Estimate {
        f0_hz: (10.0 * (sum / weights / 1_200.0).exp2()) as f32,
        salience: salience[best],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::{Block, SpoolWriter};
    use crate::model::{Catalog, golden, level::Levels};
    use std::path::PathBuf;

    fn estimator() -> F0Estimator {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models");
        let catalog = Catalog::open(&[folder]);
        let package = catalog
            .find("vocalhost.f0-2")
            .expect("the package is there");
        let runtime = Runtime::load(None).expect("the set-up has installed the library");
        F0Estimator::load(&runtime, package, 2).expect("loads")
    }

    #[test]
    fn decoding_equals_the_reference_numbers() {
        let format = estimator().format;
        for case in golden::document()["decode"].as_array().expect("cases") {
            let number = |key: &str| case[key].as_f64().expect("a number");
            let salience: Vec<f32> = (0..360)
                .map(|bin| {
                    let off = f64::from(bin) - number("centre");
                    (number("height") * (-off * off / 3.125).exp()) as f32
                })
                .collect();
            let found = f64::from(decode(&salience, &format).f0_hz);
            let expected = number("f0_hz");
            assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
        }
    }

    #[test]
    fn the_pitch_of_a_long_track_does_not_depend_on_where_it_is_cut() {
        let samples = golden::signal(16_000 * 13);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer =
            SpoolWriter::create(&folder.path().join("spool"), 1, 16_000).expect("made");
        writer
            .write(&Block::from_planar(1, samples))
            .expect("written");
        let spool = writer.finish().expect("finished");
        let rms = Levels::measure(&spool)
            .expect("measured")
            .sounding_rms()
            .expect("sounds");
        let source = Source::new(&spool, 0.06 / rms);
        let estimator = estimator();
        let cut = estimator
            .track(&source, 1_300, 0.06, &mut |_| {})
            .expect("estimated");
        let whole = estimator
            .estimate(&source, 0, 1_300, 0.06 * 0.003)
            .expect("estimated");
        let cents = |frame: usize| (1_200.0 * (cut[frame] / whole[frame]).log2()).abs();
        let voiced = (0..1_300).filter(|frame| whole[*frame] > 0.0).count();
        let equal = (0..1_300)
            .filter(|frame| cut[*frame] > 0.0 && cents(*frame) < 1.0)
            .count();
        assert!(
            voiced > 1_000 && equal == voiced,
            "{equal} of {voiced} frames"
        );
    }
}
