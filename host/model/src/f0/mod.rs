//! The pitch of a recording: graphs that estimate it, and a method without a model.

mod decode;
mod frames;
mod method;
mod pyin;
mod salience;
mod track;
mod viterbi;
mod wave;

use frames::FramesMethod;
use method::Method;
use pyin::Pyin;
use salience::SalienceMethod;
use wave::WaveMethod;

use super::lanes::in_order;
use super::manifest::Family;
use super::pitch::FRAMES_PER_S;
use super::source::Sound;
use super::{ModelError, Package, Runtime};

/// Frames that are estimated at once when the result is repaired against the sound: ten seconds.
const CORE_FRAMES: usize = 1_000;
/// Frames that are estimated at once otherwise: a minute. The originals take whole recordings, so longer is closer to them.
const LONG_CORE_FRAMES: usize = 6_000;
/// Sound this far below the level that it was brought to has no pitch: 50 dB.
pub(super) const SILENCE_RATIO: f64 = 0.003_16;

/// An F0 estimator for recordings of any length.
pub(super) struct F0Estimator {
    method: Box<dyn Method>,
    level_rms: Option<f64>,
    context_s: f64,
    core_frames: usize,
    threads: usize,
    is_without_model: bool,
}

impl F0Estimator {
    /// Loads an estimator; pYIN if there is no package.
    pub(super) fn load(
        runtime: &Runtime,
        package: Option<&Package>,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let threads = threads.max(1);
        let Some(package) = package else {
            return Ok(Self {
                method: Box::new(Pyin::new()),
                level_rms: None,
                context_s: pyin::CONTEXT_S,
                core_frames: LONG_CORE_FRAMES,
                threads,
                is_without_model: true,
            });
        };
        let manifest = package.manifest();
        let Some(format) = &manifest.f0 else {
            return Err(ModelError::Inference {
                package: manifest.id.clone(),
                reason: "is not an f0 package".to_owned(),
            });
        };
        let method: Box<dyn Method> = match manifest.family {
            Family::WaveF0 => Box::new(WaveMethod::load(runtime, package, format, threads)?),
            Family::FramesF0 => Box::new(FramesMethod::load(runtime, package, format, threads)?),
            _ => Box::new(SalienceMethod::load(runtime, package, format, threads)?),
        };
        let repaired = format.repair && manifest.family == Family::SalienceF0;
        Ok(Self {
            method,
            level_rms: manifest.normalize.map(|normalize| normalize.rms),
            context_s: format.context_s,
            core_frames: if repaired {
                CORE_FRAMES
            } else {
                LONG_CORE_FRAMES
            },
            threads,
            is_without_model: false,
        })
    }

    /// Whether it should hear a recording before RVC's high-pass. Where sound stops, the filter leaves an inaudible tone of some 50 Hz,
    /// which a method without a model finds as periodic as any other.
    pub(super) fn hears_rumble(&self) -> bool {
        self.is_without_model
    }

    /// The RMS that the estimator wants its input at, if it depends on it.
    pub(super) fn level_rms(&self) -> Option<f64> {
        self.level_rms
    }

    /// The pitch of the whole recording, `frames` values in hertz, 0 where unvoiced. `level_rms` is the level that the
    /// source was brought to.
    pub(super) fn track(
        &self,
        source: &dyn Sound,
        frames: usize,
        level_rms: f64,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Vec<f32>, ModelError> {
        let context = (self.context_s * f64::from(FRAMES_PER_S)).ceil() as usize;
        let grid = self.method.grid();
        let (context, core) = (
            context.next_multiple_of(grid),
            self.core_frames.next_multiple_of(grid),
        );
        let silence_rms = (level_rms * SILENCE_RATIO) as f32;
        let mut track = Vec::with_capacity(frames);
        let estimate = |start: &usize| {
            let core = *start..(start + core).min(frames);
            let first = core.start.saturating_sub(context);
            let heard = first..(core.end + context).min(frames);
            let piece = self.method.estimate(source, heard, silence_rms)?;
            Ok(piece[core.start - first..core.end - first].to_vec())
        };
        let cores = (0..frames).step_by(core);
        in_order(self.threads, cores, estimate, |_, piece| {
            track.extend(piece);
            progress(track.len() as f64 / frames as f64);
            Ok::<_, ModelError>(())
        })?;
        Ok(track)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::F0;
    use crate::source::Source;
    use crate::{Catalog, golden, level::Levels};
    use decode::decode;
    use std::ops::Range;
    use vocalhost_audio::{Block, SpoolWriter};
    use vocalhost_testing::repository;

    fn estimator() -> F0Estimator {
        let folder = repository("models");
        let catalog = Catalog::open(&[folder]);
        let package = catalog
            .find("vocalhost.f0-3")
            .expect("the package is there");
        let runtime = Runtime::load(None).expect("the set-up has installed the library");
        F0Estimator::load(&runtime, Some(package), 2).expect("loads")
    }

    fn format() -> F0 {
        let folder = repository("tests/fixtures/rvc");
        let catalog = Catalog::open(&[folder]);
        let package = catalog.find("test.rmvpe").expect("the package");
        package.manifest().f0.clone().expect("an estimator")
    }

    #[test]
    fn decoding_equals_the_reference_numbers() {
        let format = format();
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
        let mut estimator = estimator();
        estimator.core_frames = 500;
        let cut = estimator
            .track(&source, 1_300, 0.06, &mut |_| {})
            .expect("estimated");
        let whole = estimator
            .method
            .estimate(&source, 0..1_300, 0.06 * 0.003)
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

    /// Gives each frame the number of its block, as a graph that pools frames would.
    struct Pooled(usize);

    impl Method for Pooled {
        fn estimate(
            &self,
            _sound: &dyn Sound,
            frames: Range<usize>,
            _silence_rms: f32,
        ) -> Result<Vec<f32>, ModelError> {
            let blocks = (0..frames.len()).map(|frame| frame / self.0 * self.0 + frames.start);
            Ok(blocks.map(|frame| frame as f32).collect())
        }

        fn grid(&self) -> usize {
            self.0
        }
    }

    struct NoSound;

    impl Sound for NoSound {
        fn len(&self) -> u64 {
            0
        }

        fn samples(&self, _start: i64, count: usize) -> Result<Vec<f32>, ModelError> {
            Ok(vec![0.0; count])
        }
    }

    #[test]
    fn pieces_of_a_recording_keep_to_the_blocks_of_the_whole() {
        for (grid, core_frames, context_s) in [(32, 1_000, 1.0), (512, 6_000, 0.1), (32, 64, 0.0)] {
            let estimator = F0Estimator {
                method: Box::new(Pooled(grid)),
                level_rms: None,
                context_s,
                core_frames,
                threads: 3,
                is_without_model: false,
            };
            let frames = core_frames * 5 / 2 + 17;
            let track = estimator.track(&NoSound, frames, 0.0, &mut |_| {});
            let whole = estimator.method.estimate(&NoSound, 0..frames, 0.0);
            assert_eq!(track.expect("a track"), whole.expect("a track"), "{grid}");
        }
    }

    #[test]
    fn a_graph_that_wants_whole_blocks_gives_the_same_track_in_pieces() {
        let folder = repository("tests/fixtures/rvc");
        let catalog = Catalog::open(&[folder]);
        let runtime = Runtime::load(None).expect("the set-up has installed the library");
        let package = catalog.find("test.rmvpe").expect("the package is there");
        let mut estimator = F0Estimator::load(&runtime, Some(package), 2).expect("loads");
        estimator.core_frames = 100;
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let mut writer =
            SpoolWriter::create(&scratch.path().join("spool"), 1, 16_000).expect("made");
        let block = Block::from_planar(1, golden::signal(16_000 * 5));
        writer.write(&block).expect("written");
        let spool = writer.finish().expect("finished");
        let source = Source::new(&spool, 1.0);
        let pieces = estimator.track(&source, 501, 0.0, &mut |_| {});
        let whole = estimator.method.estimate(&source, 0..501, 0.0);
        let (pieces, whole) = (pieces.expect("a track"), whole.expect("a track"));
        assert!(whole.iter().any(|f0_hz| *f0_hz > 0.0));
        for (frame, (piece, whole)) in pieces.iter().zip(&whole).enumerate() {
            assert!((piece - whole).abs() < 0.05, "{frame}: {piece} {whole}");
        }
    }

    #[test]
    fn every_kind_of_graph_gives_the_track_of_its_original() {
        let folder = repository("tests/fixtures/rvc-estimators");
        let catalog = Catalog::open(std::slice::from_ref(&folder));
        assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
        let expected = std::fs::read_to_string(folder.join("tracks.json")).expect("the tracks");
        let expected: serde_json::Value = serde_json::from_str(&expected).expect("JSON");
        let tau = std::f64::consts::TAU;
        let samples = (0..20_000).map(|n| {
            let n = f64::from(n);
            let sweep = (tau * (140.0 * n / 16_000.0 + 30.0 * (n / 9_000.0).sin())).sin();
            let tone = (tau * 1_234.5 * n / 16_000.0 + 1.0).sin();
            let rumble = (tau * 7.0 * n / 16_000.0).sin();
            let loudness = 0.05 + 0.95 * (n * 0.000_23).sin().abs();
            ((0.6 * sweep + 0.35 * tone + 0.15 * rumble) * loudness) as f32
        });
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let mut writer =
            SpoolWriter::create(&scratch.path().join("spool"), 1, 16_000).expect("made");
        let block = Block::from_planar(1, samples.collect());
        writer.write(&block).expect("written");
        let spool = writer.finish().expect("finished");
        let source = Source::new(&spool, 1.0);
        let runtime = Runtime::load(None).expect("the set-up has installed the library");
        for name in ["fcpe", "crepe", "wave"] {
            let package = catalog.find(&format!("test.{name}"));
            let estimator = F0Estimator::load(&runtime, package, 1).expect("loads");
            let expected = golden::listed(&expected[name]);
            let found = estimator
                .track(&source, expected.len(), 0.0, &mut |_| {})
                .expect("estimated");
            let off = |(found, expected): (&f32, &f64)| (f64::from(*found) - expected).abs();
            let worst = found.iter().zip(&expected).map(off).fold(0.0, f64::max);
            assert_eq!(found.len(), expected.len());
            assert!(worst < 0.05, "{name}: off by {worst} Hz");
        }
    }
}
