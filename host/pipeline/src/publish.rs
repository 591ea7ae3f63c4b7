use std::io;
use std::iter;
use std::sync::Arc;

use super::PipelineError;
use super::abreast::Abreast;
use super::output::Steps;
use super::sound::Sound;
use vocalhost_audio::{Loudness, LoudnessMeter};
use vocalhost_job::{Measured, ModelUsed};
use vocalhost_model::PackageVersion;

/// How a record names a package that a job used.
pub fn model_used(package: &PackageVersion) -> ModelUsed {
    ModelUsed {
        id: package.id.clone(),
        version: Some(package.version.clone()),
    }
}

/// The gain that keeps a result of this peak from clipping: 1 unless it would.
pub fn peak_guard(peak: f32, steps: Steps) -> f32 {
    let ceiling = steps.ceiling();
    if peak > ceiling { ceiling / peak } else { 1.0 }
}

/// The highest true peak that a change of loudness may lead to, in dB of full scale: what EBU R 128 asks for.
const MOST_TRUE_PEAK_DBTP: f64 = -1.0;

/// How loud sounds of one length are before anything is done about them.
fn loudness_of(sounds: &[Arc<Sound>]) -> io::Result<Vec<Loudness>> {
    let meters = sounds
        .iter()
        .map(|sound| LoudnessMeter::new(sound.channels(), sound.sample_rate_hz(), None));
    let mut meters: Vec<_> = meters.collect();
    for blocks in Abreast::new(sounds, 1.0) {
        for (meter, block) in meters.iter_mut().zip(blocks?) {
            meter.listen(&block);
        }
    }
    Ok(meters.iter().map(LoudnessMeter::measured).collect())
}

/// The gain, in dB, that brings a sound to the wanted loudness without any of the job's sounds peaking too high. None where no loudness is
/// wanted, or the sound is too quiet or too short to have one.
pub fn gain_to(
    target_lufs: Option<f64>,
    reference: &Arc<Sound>,
    sounds: &[Arc<Sound>],
) -> Result<Option<f64>, PipelineError> {
    let Some(target_lufs) = target_lufs else {
        return Ok(None);
    };
    // The reference may be one of them.
    let others = sounds.iter().filter(|sound| !Arc::ptr_eq(sound, reference));
    let all: Vec<_> = iter::once(reference).chain(others).cloned().collect();
    let heard = loudness_of(&all)?;
    let loudest = heard.iter().filter_map(|heard| heard.true_peak_dbtp);
    let reference = heard.first().and_then(|heard| heard.integrated_lufs);
    Ok(limited_gain(
        target_lufs,
        reference,
        loudest.reduce(f64::max),
    ))
}

/// A gain in dB as a factor.
pub fn from_db(gain_db: f64) -> f32 {
    10_f64.powf(gain_db / 20.0) as f32
}

/// The gain in the record: the one that was asked for, or the one that the peak guard applied.
pub fn gain_db(gain: f32, asked_db: Option<f64>) -> Option<f64> {
    asked_db.or_else(|| (gain < 1.0).then(|| 20.0 * f64::from(gain).log10()))
}

fn limited_gain(target_lufs: f64, heard: Option<f64>, loudest_dbtp: Option<f64>) -> Option<f64> {
    let wanted = target_lufs - heard?;
    let room = loudest_dbtp.map_or(f64::INFINITY, |peak| MOST_TRUE_PEAK_DBTP - peak);
    Some(wanted.min(room))
}

/// What a result says about loudness.
pub fn measured(loudness: Loudness) -> Measured {
    Measured {
        integrated_lufs: loudness.integrated_lufs,
        true_peak_dbtp: loudness.true_peak_dbtp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_gets_as_loud_as_its_peaks_allow() {
        for (target, heard, peak, gain) in [
            (-14.0, Some(-20.0), Some(-9.0), Some(6.0)),
            (-14.0, Some(-20.0), Some(-4.0), Some(3.0)),
            (-23.0, Some(-14.0), Some(-0.2), Some(-9.0)),
            (-14.0, Some(-14.0), Some(0.5), Some(-1.5)),
            (-14.0, None, Some(-60.0), None),
            (-14.0, Some(-20.0), None, Some(6.0)),
        ] {
            let found: Option<f64> = limited_gain(target, heard, peak);
            let off = found.zip(gain).map(|(found, gain)| (found - gain).abs());
            assert_eq!(found.is_some(), gain.is_some());
            assert!(off.is_none_or(|off| off < 1e-9), "{found:?}");
        }
    }

    #[test]
    fn the_peak_guard_acts_only_on_what_would_clip() {
        for steps in [Steps::Of16Bits, Steps::Of24Bits] {
            let ceiling = steps.ceiling();
            for peak in [0.0, 0.5, ceiling] {
                assert!(
                    (peak_guard(peak, steps) - 1.0).abs() < f32::EPSILON,
                    "{peak}"
                );
            }
            for peak in [1.0, 1.5, 20.0] {
                let guarded = peak_guard(peak, steps) * peak;
                assert!(guarded <= ceiling * (1.0 + f32::EPSILON), "{peak}");
            }
        }
    }
}
