//! Sound for the tests of conversions, and measures on what comes out.

use std::f64::consts::TAU;
use std::path::PathBuf;

use vocalhost_audio::{AudioLimits, Block, Decoder, Resampler, Spool, SpoolWriter, Stage as _};
use vocalhost_model::{Catalog, ConversionParameters, ModelError, Runtime, VoiceConverter};
use vocalhost_testing::repository;

/// The rate that models listen at.
pub const RATE_HZ: usize = 16_000;

/// The knobs that most tests use.
pub const PLAIN: ConversionParameters = ConversionParameters {
    conversion_strength: 0.5,
    model_volume_mix: 0.5,
    pitch_shift: 0.0,
    auto_pitch: false,
    seed: 0,
};

/// The packages that the repository carries.
pub fn models_folder() -> PathBuf {
    repository("models")
}

/// A voice of the repository.
pub fn voice(id: &str, threads: usize) -> VoiceConverter {
    voice_from(&Catalog::open(&[models_folder()]), id, threads)
}

/// A voice of a catalog.
pub fn voice_from(catalog: &Catalog, id: &str, threads: usize) -> VoiceConverter {
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    let package = catalog.find(id).expect("the voice is there");
    VoiceConverter::load(&runtime, package, catalog, threads).expect("the voice loads")
}

/// Generated speech, as models hear it.
pub fn speech() -> Vec<f32> {
    let limits = AudioLimits {
        max_duration_s: 60.0,
    };
    let path = repository("tests/fixtures/sound/speech.flac");
    let mut decoder = Decoder::open(&path, &limits).expect("a recording");
    let rate_hz = decoder.info().sample_rate_hz;
    let mut resampler = Resampler::new(1, rate_hz, RATE_HZ as u32).expect("it fits");
    let mut speech = Vec::new();
    while let Some(block) = decoder.next_block().expect("it is whole") {
        let heard = resampler.process(block).expect("resamples");
        speech.extend_from_slice(heard.as_planar());
    }
    speech.extend_from_slice(resampler.flush().expect("resamples").as_planar());
    speech
}

/// Puts samples into a spool.
pub fn spool(samples: &[f32]) -> Spool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = SpoolWriter::create(&folder.path().join("spool"), 1, RATE_HZ as u32)
        .expect("the spool is made");
    writer
        .write(&Block::from_planar(1, samples.to_vec()))
        .expect("the spool is written");
    writer.finish().expect("the spool is finished")
}

/// Converts and gives all samples, at the rate that models listen at so that source and result compare.
pub fn convert(
    voice: &VoiceConverter,
    samples: &[f32],
    parameters: &ConversionParameters,
) -> Vec<f32> {
    let mut converted = Vec::new();
    let mut resampler =
        Resampler::new(1, voice.output_rate_hz(), RATE_HZ as u32).expect("rates in use");
    let mut sink = |block: Block| -> Result<(), ModelError> {
        let block = resampler.process(block).expect("resamples");
        converted.extend(block.into_planar());
        Ok(())
    };
    voice
        .convert(&spool(samples), parameters, &mut sink, &mut |_| {})
        .expect("the conversion works");
    converted.extend(resampler.flush().expect("resamples").into_planar());
    converted
}

/// A vowel whose pitch follows `f0_hz(seconds)`: harmonics under three formants of an open vowel (700, 1220 and 2600 Hz),
/// with a slow tremble of the loudness as speech has.
pub fn vowel(seconds: f64, f0_hz: impl Fn(f64) -> f64) -> Vec<f32> {
    let formant = |hz: f64, centre: f64, width: f64| 1.0 / (1.0 + ((hz - centre) / width).powi(2));
    let envelope = |hz: f64| {
        formant(hz, 700.0, 130.0)
            + 0.5 * formant(hz, 1_220.0, 150.0)
            + 0.2 * formant(hz, 2_600.0, 200.0)
    };
    let mut phase = 0.0;
    (0..(seconds * RATE_HZ as f64) as usize)
        .map(|index| {
            let time = index as f64 / RATE_HZ as f64;
            let f0 = f0_hz(time);
            phase += f0 / RATE_HZ as f64;
            let highest = (7_000.0 / f0) as usize;
            let sum: f64 = (1..=highest)
                .map(|harmonic| {
                    let number = harmonic as f64;
                    envelope(number * f0) * (TAU * phase * number).sin()
                })
                .sum();
            (0.1 * sum * (1.0 + 0.3 * (TAU * 3.0 * time).sin())) as f32
        })
        .collect()
}

/// The RMS of samples.
pub fn rms(samples: &[f32]) -> f64 {
    let sum: f64 = samples.iter().map(|x| f64::from(*x).powi(2)).sum();
    (sum / samples.len() as f64).sqrt()
}

/// The ratio of the difference of two sounds to the second, in decibels.
pub fn difference_db(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    let difference: Vec<f32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    20.0 * (rms(&difference) / rms(b)).log10()
}

/// How far, in cents, the pitch of `sound` at each tenth of a second is from `f0_hz(seconds)`: the best normalised
/// autocorrelation within a fifth around the expected period. Starts and ends half a second inside.
pub fn cents_off(sound: &[f32], f0_hz: impl Fn(f64) -> f64) -> Vec<f64> {
    let window = 800;
    let last = sound.len() / 1_600 - 5;
    (5..last)
        .map(|tenth| {
            let centre = tenth * 1_600;
            let expected_hz = f0_hz(tenth as f64 / 10.0);
            let period = RATE_HZ as f64 / expected_hz;
            let likeness = |lag: usize| {
                let start = centre - usize::midpoint(window, lag);
                let (a, b) = (
                    &sound[start..start + window],
                    &sound[start + lag..start + lag + window],
                );
                let product: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum();
                let power: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a * a + b * b)).sum();
                2.0 * product / power
            };
            let lags: Vec<usize> = ((period / 1.2) as usize..(period * 1.2) as usize).collect();
            let values: Vec<f64> = lags.iter().map(|lag| likeness(*lag)).collect();
            let best = (1..values.len() - 1)
                .max_by(|a, b| values[*a].total_cmp(&values[*b]))
                .expect("there are lags");
            let (before, at, after) = (values[best - 1], values[best], values[best + 1]);
            let lag = lags[best] as f64 + 0.5 * (before - after) / (before - 2.0 * at + after);
            1_200.0 * (RATE_HZ as f64 / lag / expected_hz).log2()
        })
        .collect()
}

/// The median of the magnitudes.
pub fn median_magnitude(values: &[f64]) -> f64 {
    let mut magnitudes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    magnitudes.sort_by(f64::total_cmp);
    magnitudes[magnitudes.len() / 2]
}
