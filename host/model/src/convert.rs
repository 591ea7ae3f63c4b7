use vocalhost_audio::{Block, Spool};

use super::live::{Live, LiveListeners, LiveParts, LiveTimes};
use super::manifest::Family;
use super::parameters::{ConversionParameters, Converted};
use super::rvc::RvcVoice;
use super::source::SOURCE_RATE_HZ;
use super::source_filter::SourceFilterVoice;
use super::{Catalog, ModelError, Package, PackageVersion, Runtime, VoiceKnobs};

/// A voice with all that it needs, loaded and ready. The knobs have the same meaning as in RVC's pipeline, whatever the family.
pub struct VoiceConverter {
    voice: Voice,
    runtime: Runtime,
    packages: Vec<PackageVersion>,
}

enum Voice {
    SourceFilter(Box<SourceFilterVoice>),
    Rvc(Box<RvcVoice>),
}

impl VoiceConverter {
    /// Loads a voice and the packages that it needs. `convert` works on `threads` pieces of a recording side by side, and
    /// memory grows with their number; the samples do not depend on it.
    pub fn load(
        runtime: &Runtime,
        voice: &Package,
        catalog: &Catalog,
        threads: usize,
    ) -> Result<Self, ModelError> {
        Self::load_with(runtime, voice, catalog, threads, &VoiceKnobs::default())
    }

    /// The same with a job's choices for the voice.
    pub fn load_with(
        runtime: &Runtime,
        voice: &Package,
        catalog: &Catalog,
        threads: usize,
        knobs: &VoiceKnobs,
    ) -> Result<Self, ModelError> {
        let manifest = voice.manifest();
        let parts = catalog
            .parts_with(manifest, knobs.f0_method.as_deref())
            .map_err(|missing| missing.of(voice.folder().join(Package::MANIFEST_NAME)))?;
        let live = if knobs.live {
            catalog.live_parts(parts)
        } else {
            LiveParts::default()
        };
        let own = [Some(voice), Some(parts.content), parts.f0];
        let used = own.into_iter().chain([live.content, live.f0]);
        let packages = used.into_iter().flatten();
        let packages = packages
            .map(|package| package.manifest().package_version())
            .collect();
        let voice = if manifest.family == Family::Rvc {
            let loaded = RvcVoice::load(runtime, voice, parts, threads)?;
            Voice::Rvc(Box::new(loaded.with(knobs)))
        } else {
            let mut loaded = SourceFilterVoice::load(runtime, voice, parts, threads)?.with(knobs);
            loaded.live = LiveListeners::load(runtime, live, manifest)?;
            Voice::SourceFilter(Box::new(loaded))
        };
        Ok(Self {
            voice,
            runtime: runtime.clone(),
            packages,
        })
    }

    /// The packages that convert: the voice, its content encoder, and the F0 estimator where it has one.
    #[must_use]
    pub fn packages(&self) -> &[PackageVersion] {
        &self.packages
    }

    /// The rate that `convert` wants its source at.
    #[must_use]
    pub fn source_rate_hz(&self) -> u32 {
        SOURCE_RATE_HZ
    }

    /// The rate of the sound that comes out.
    #[must_use]
    pub fn output_rate_hz(&self) -> u32 {
        match &self.voice {
            Voice::SourceFilter(voice) => voice.output_rate_hz(),
            Voice::Rvc(voice) => voice.output_rate_hz(),
        }
    }

    /// What the graphs ran on, such as `cpu` or `cuda+cpu`; before the first run, what they are to run on.
    #[must_use]
    pub fn provider(&self) -> String {
        self.runtime.ran_on()
    }

    /// Begins a live conversion of sound, mono at 16 kHz. `input_rms` is the speaker's level over the sounding parts, where it is known.
    /// `None` for voices of RVC: their encoder hears seconds at a time, and they take no phase.
    #[must_use]
    pub fn live(
        &self,
        times: LiveTimes,
        parameters: ConversionParameters,
        input_rms: Option<f64>,
    ) -> Option<Live<'_>> {
        match &self.voice {
            Voice::SourceFilter(voice) => Some(Live::new(voice, times, parameters, input_rms)),
            Voice::Rvc(_) => None,
        }
    }

    /// Converts a mono recording at 16 kHz. The blocks that `sink` gets make up
    /// `round(source frames * output rate / 16000)` frames, aligned to the source. `progress` is told the share that is done.
    ///
    /// # Panics
    /// When the source is not mono at 16 kHz.
    pub fn convert<E: From<ModelError>>(
        &self,
        source: &Spool,
        parameters: &ConversionParameters,
        sink: &mut dyn FnMut(Block) -> Result<(), E>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Converted, E> {
        assert_eq!(
            (source.channels(), source.sample_rate_hz()),
            (1, SOURCE_RATE_HZ),
            "the source is mono at 16 kHz"
        );
        match &self.voice {
            Voice::SourceFilter(voice) => voice.convert(source, parameters, sink, progress),
            Voice::Rvc(voice) => voice.convert(source, parameters, sink, progress),
        }
    }
}
