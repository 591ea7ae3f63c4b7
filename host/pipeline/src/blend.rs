use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::PipelineError;
use super::demo;
use super::publish::model_used;
use super::writing::described;
use vocalhost_audio::{AudioLimits, Spool};
use vocalhost_job::{BlendSpec, FileRole, JobResult, JobStage, Progress};
use vocalhost_model::{
    BlendOrder, BlendVoice, BlendedPackage, Catalog, DemoSource, Package, Runtime, VoiceConverter,
};

/// Shares of a whole blend, for the progress that its record shows.
const BLENDED_PERCENT: f64 = 40.0;
const CONVERTED_PERCENT: f64 = 90.0;

/// Files that people gave a voice after its package was made.
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
    /// Pictures and demo recordings that take precedence over those of the packages, by the voice's number.
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
    // Loading it shows that the runtime accepts the graph, whether or not there is a demo.
    let voice = VoiceConverter::load(job.runtime, &package, job.models, job.threads)
        .map_err(PipelineError::Load)?;
    let mut duration_s = 0.0;
    if let Some((source, heard)) = listen(job, voice.source_rate_hz(), made.take_demo_sources())? {
        let path = job.scratch.join("demo.f32");
        let sound = demo::speak(&voice, &heard, (source.semitones, &path), &mut |share| {
            let percent = BLENDED_PERCENT + (CONVERTED_PERCENT - BLENDED_PERCENT) * share;
            report(at(JobStage::Inference, percent));
        })?;
        duration_s = sound.frames() as f64 / f64::from(sound.sample_rate_hz());
        report(at(JobStage::Encoding, CONVERTED_PERCENT));
        let name = demo::write(&sound, job.scratch)?;
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

/// The sound of the first demo recording that can be read, as the models hear it: mono, at `rate_hz`. `None` when there is none, since a
/// blend must not fail because of its voices' demos.
fn listen(
    job: &Blend<'_>,
    rate_hz: u32,
    sources: Vec<DemoSource>,
) -> Result<Option<(DemoSource, Spool)>, PipelineError> {
    for source in sources {
        match demo::decode((job.scratch, &job.limits), rate_hz, &source.sound) {
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

fn at(stage: JobStage, percent: f64) -> Progress {
    Progress { stage, percent }
}
