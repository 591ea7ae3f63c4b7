use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::PipelineError;
use super::line::Line;
use super::publish::model_used;
use super::track::TrackWriter;
use super::writing::described;
use vocalhost_audio::{
    AudioLimits, BLOCK_FRAMES, Block, Decoder, Mixdown, Resampler, Spool, SpoolWriter,
};
use vocalhost_job::{BlendSpec, FileRole, JobResult, JobStage, Progress};
use vocalhost_model::{
    BlendOrder, BlendVoice, BlendedPackage, Catalog, ConversionParameters, DemoSource, Package,
    Runtime, VoiceConverter,
};

/// Shares of a whole blend, for the progress that its record shows.
const BLENDED_PERCENT: f64 = 40.0;
const CONVERTED_PERCENT: f64 = 90.0;

/// How a demo recording is converted: retrieval and level as in the demos of the starter voices.
const DEMO_STRENGTH: f64 = 0.5;
const DEMO_VOLUME_MIX: f64 = 1.0;

/// The peak of a demo recording, full scale being 1.
const DEMO_PEAK: f32 = 0.8;

/// The longest demo recording that is converted; longer ones are cut.
const DEMO_MAX_S: f64 = 30.0;

/// Where the files lie that people gave a voice after its package was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// A picture.
    pub picture: Option<PathBuf>,
    /// A demo recording.
    pub demo: Option<PathBuf>,
}

/// Everything a blend works with.
pub struct Blend<'a> {
    /// What was asked for.
    pub spec: &'a BlendSpec,
    /// The folder of each voice's package, by the voice's number.
    pub voices: &'a BTreeMap<i64, PathBuf>,
    /// What goes before the pictures and demo recordings of the packages, by the voice's number.
    pub beside: &'a BTreeMap<i64, Beside>,
    /// A folder for the new package's files; the caller removes it.
    pub scratch: &'a Path,
    /// The inference library.
    pub runtime: &'a Runtime,
    /// Where the content encoder and the F0 estimator are.
    pub models: &'a Catalog,
    /// Threads of one model run.
    pub threads: usize,
    /// The longest recording to accept.
    pub limits: AudioLimits,
}

/// Blends voices and leaves the files of the new package in the scratch folder.
pub fn blend(
    job: &Blend<'_>,
    report: &mut dyn FnMut(Progress),
) -> Result<JobResult, PipelineError> {
    report(at(JobStage::Decoding, 0.0));
    let packages = open(job)?;
    let parts = job.spec.parts.iter().zip(&packages);
    let voices: Vec<BlendVoice<'_>> = parts
        .map(|(part, package)| {
            let beside = job.beside.get(&part.model_id);
            BlendVoice {
                package,
                share: part.share,
                picture: beside.and_then(|beside| beside.picture.as_deref()),
                demo: beside.and_then(|beside| beside.demo.as_deref()),
            }
        })
        .collect();
    let order = BlendOrder {
        id: &job.spec.output_package_id,
        title: &job.spec.title,
        voices: &voices,
    };
    report(at(JobStage::Inference, 0.0));
    let mut made = BlendedPackage::write(&order, job.scratch)?;
    let mut package = made.seal()?;
    report(at(JobStage::Inference, BLENDED_PERCENT));
    // Loading it shows that the runtime takes the graph, demo or not.
    let voice = VoiceConverter::load(job.runtime, &package, job.models, job.threads)
        .map_err(PipelineError::Load)?;
    let mut duration_s = 0.0;
    if let Some((source, heard)) = listen(job, voice.source_rate_hz(), made.take_demo_sources())? {
        let sound = speak(job, &voice, &heard, source.semitones, report)?;
        duration_s = sound.frames() as f64 / f64::from(sound.sample_rate_hz());
        report(at(JobStage::Encoding, CONVERTED_PERCENT));
        let name = write_demo(&sound, job.scratch)?;
        let path = job.scratch.join(name);
        made.add_demo(name, &path, &source)?;
        package = made.seal()?;
    }
    package.verify()?;
    let names = package.manifest().files.keys().map(String::as_str);
    let files = names
        .chain([Package::MANIFEST_NAME])
        .map(|name| described(job.scratch, name, FileRole::Package));
    Ok(JobResult {
        files: files.collect::<io::Result<_>>()?,
        models: packages
            .iter()
            .map(|package| model_used(&package.manifest().package_version()))
            .collect(),
        provider: voice.provider(),
        duration_s,
        ..JobResult::default()
    })
}

/// The packages of the voices, in the order of the specification.
fn open(job: &Blend<'_>) -> Result<Vec<Package>, PipelineError> {
    let parts = job.spec.parts.iter().map(|part| {
        let folder = job.voices.get(&part.model_id).ok_or_else(|| {
            let reason = "the order does not say where a voice is";
            io::Error::new(io::ErrorKind::NotFound, reason)
        })?;
        let mut package = Package::open(folder).map_err(PipelineError::Load)?;
        if let Some(title) = &part.title {
            package = package.called(title, part.tags.as_deref());
        }
        Ok(package)
    });
    parts.collect()
}

/// The demo recording of one of the voices, spoken by the blend at the blend's rate, `semitones` higher.
fn speak(
    job: &Blend<'_>,
    voice: &VoiceConverter,
    heard: &Spool,
    semitones: f64,
    report: &mut dyn FnMut(Progress),
) -> Result<Spool, PipelineError> {
    let rate = voice.output_rate_hz();
    let frames = u128::from(heard.frames()) * u128::from(rate) / u128::from(heard.sample_rate_hz());
    let path = job.scratch.join("demo.f32");
    let mut track = TrackWriter::create(&path, 1, rate, frames as u64)?;
    let parameters = ConversionParameters {
        conversion_strength: DEMO_STRENGTH,
        model_volume_mix: DEMO_VOLUME_MIX,
        pitch_shift: semitones,
        auto_pitch: false,
        seed: 0,
    };
    let spoken = voice.convert(
        heard,
        &parameters,
        &mut |block| -> Result<(), PipelineError> { Ok(track.write(&block)?) },
        &mut |share| {
            let percent = BLENDED_PERCENT + (CONVERTED_PERCENT - BLENDED_PERCENT) * share;
            report(at(JobStage::Inference, percent));
        },
    );
    spoken.map_err(|error| match error {
        PipelineError::Model(error) => PipelineError::Demo(error),
        error => error,
    })?;
    Ok(track.finish()?)
}

/// The first demo recording that can be read and its sound as the models hear it: mono, at `rate_hz`. `None` when there is none,
/// since a blend must not fail for the demos of its voices.
fn listen(
    job: &Blend<'_>,
    rate_hz: u32,
    sources: Vec<DemoSource>,
) -> Result<Option<(DemoSource, Spool)>, PipelineError> {
    for source in sources {
        match decode(job, rate_hz, &source) {
            Ok(sound) => return Ok(Some((source, sound))),
            Err(PipelineError::Decode(error)) => {
                let voice = &source.voice;
                tracing::warn!(%error, %voice, "the demo recording of a voice cannot be read");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn decode(job: &Blend<'_>, rate_hz: u32, source: &DemoSource) -> Result<Spool, PipelineError> {
    let path = job.scratch.join("demo-source");
    fs::write(&path, &source.sound)?;
    let mut decoder = Decoder::open(&path, &job.limits)?;
    let given_hz = decoder.info().sample_rate_hz;
    let mut line = Line::default();
    line.push(Mixdown::to_mono());
    line.push(Resampler::new(1, given_hz, rate_hz)?);
    let mut spool = SpoolWriter::create(&job.scratch.join("demo-source.f32"), 1, rate_hz)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(spool.write(&block)?) };
    let most = (DEMO_MAX_S * f64::from(given_hz)) as u64;
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

/// Writes the demo recording, as MP3 where an encoder is built in, and gives its name.
fn write_demo(sound: &Spool, scratch: &Path) -> Result<&'static str, PipelineError> {
    let gain = if sound.peak() > 0.0 {
        DEMO_PEAK / sound.peak()
    } else {
        1.0
    };
    let name = if cfg!(feature = "mp3") {
        "demo.mp3"
    } else {
        "demo.wav"
    };
    let path = scratch.join(name);
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

fn at(stage: JobStage, percent: f64) -> Progress {
    Progress { stage, percent }
}
