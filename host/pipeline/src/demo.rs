//! Demo recordings of voices that are made here: another voice's demo, converted.

use std::fs;
use std::path::Path;

use super::PipelineError;
use super::line::Line;
use super::track::TrackWriter;
use vocalhost_audio::{
    AudioLimits, BLOCK_FRAMES, Block, Decoder, Mixdown, Resampler, Spool, SpoolWriter,
};
use vocalhost_model::{ConversionParameters, VoiceConverter};

/// How a demo recording is converted: retrieval and level as in the demos of the starter voices.
const STRENGTH: f64 = 0.5;
const VOLUME_MIX: f64 = 1.0;

/// The peak of a demo recording, full scale being 1.
const PEAK: f32 = 0.8;

/// The longest demo recording that is converted; longer ones are cut.
const MAX_S: f64 = 30.0;

/// The sound of a demo recording as the models hear it: mono, at `rate_hz`. It is spooled to the scratch folder.
pub fn decode(
    (scratch, limits): (&Path, &AudioLimits),
    rate_hz: u32,
    sound: &[u8],
) -> Result<Spool, PipelineError> {
    let path = scratch.join("demo-source");
    fs::write(&path, sound)?;
    let mut decoder = Decoder::open(&path, limits)?;
    let given_hz = decoder.info().sample_rate_hz;
    let mut line = Line::default();
    line.push(Mixdown::to_mono());
    line.push(Resampler::new(1, given_hz, rate_hz)?);
    let mut spool = SpoolWriter::create(&scratch.join("demo-source.f32"), 1, rate_hz)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(spool.write(&block)?) };
    let most = (MAX_S * f64::from(given_hz)) as u64;
    let mut frames = 0;
    while frames < most
        && let Some(block) = decoder.next_block()?
    {
        frames += block.frames() as u64;
        line.process(block, &mut keep)?;
    }
    line.finish(&mut keep)?;
    Ok(spool.finish()?)
}

/// Converts a recording to a voice, at the voice's rate and some semitones higher, into a spool at a path.
pub fn speak(
    voice: &VoiceConverter,
    heard: &Spool,
    (semitones, path): (f64, &Path),
    progress: &mut dyn FnMut(f64),
) -> Result<Spool, PipelineError> {
    let rate = voice.output_rate_hz();
    let frames = u128::from(heard.frames()) * u128::from(rate) / u128::from(heard.sample_rate_hz());
    let mut track = TrackWriter::create(path, 1, rate, frames as u64)?;
    let parameters = ConversionParameters {
        conversion_strength: STRENGTH,
        model_volume_mix: VOLUME_MIX,
        pitch_shift: semitones,
        auto_pitch: false,
        seed: 0,
    };
    let spoken = voice.convert(
        heard,
        &parameters,
        &mut |block| -> Result<(), PipelineError> { Ok(track.write(&block)?) },
        progress,
    );
    spoken.map_err(|error| match error {
        PipelineError::Model(error) => PipelineError::Demo(error),
        error => error,
    })?;
    Ok(track.finish()?)
}

/// Writes the demo recording into a folder, as MP3 where an encoder is built in, and gives its name.
pub fn write(sound: &Spool, folder: &Path) -> Result<&'static str, PipelineError> {
    let gain = if sound.peak() > 0.0 {
        PEAK / sound.peak()
    } else {
        1.0
    };
    let name = if cfg!(feature = "mp3") {
        "demo.mp3"
    } else {
        "demo.wav"
    };
    let path = folder.join(name);
    let rate = sound.sample_rate_hz();
    #[cfg(feature = "mp3")]
    let mut writer = vocalhost_audio::Mp3Writer::create(&path, 1, rate)?;
    #[cfg(not(feature = "mp3"))]
    let mut writer = vocalhost_audio::WavWriter::create(&path, 1, rate)?;
    let mut position = 0;
    while position < sound.frames() {
        let frames = (sound.frames() - position).min(BLOCK_FRAMES as u64) as usize;
        let block = sound.read(position as i64, frames)?;
        let scaled = block.into_planar().into_iter().map(|sample| sample * gain);
        writer.write(&Block::from_planar(1, scaled.collect()))?;
        position += frames as u64;
    }
    writer.finish()?;
    Ok(name)
}
