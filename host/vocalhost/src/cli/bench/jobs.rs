use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::{Chosen, CliError};
use vocalhost_api::v1::here;
use vocalhost_config::Settings;
use vocalhost_job::{BlendPart, BlendSpec, JobSpec, LossyFiles, SeparationSpec};
use vocalhost_model::Catalog;
use vocalhost_work::worker::protocol::WorkOrder;

/// A kind of job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A voice conversion.
    Conversion,
    /// A vocal separation.
    Separation,
    /// A stem split.
    Split,
    /// A voice blend.
    Blend,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Conversion, Self::Separation, Self::Split, Self::Blend];

    pub fn name(self) -> &'static str {
        match self {
            Self::Conversion => "conversion",
            Self::Separation => "separation",
            Self::Split => "split",
            Self::Blend => "blend",
        }
    }
}

/// What jobs are made of.
pub struct Jobs {
    voices: BTreeMap<i64, PathBuf>,
    conversion: Option<JobSpec>,
    lossy: LossyFiles,
}

impl Jobs {
    /// Of the first two voices. Lossy files are made when the settings say so, as a server would.
    pub fn new(chosen: &Chosen, settings: &Settings) -> Result<Self, CliError> {
        let catalog = Catalog::open(&settings.model_folders());
        let voices = (1..).zip(catalog.voices().take(2));
        let voices: BTreeMap<i64, PathBuf> = voices
            .map(|(number, package)| (number, package.folder().to_owned()))
            .collect();
        let effects = crate::cli::here::effects(chosen)?;
        let fields = vec![("voiceModelId".to_owned(), "1".to_owned())];
        let mut conversion = here::conversion(fields, &effects)
            .map_err(|mistakes| crate::cli::here::refused(&mistakes))?;
        conversion.output.lossy = settings.lossy;
        Ok(Self {
            conversion: (!voices.is_empty()).then_some(JobSpec::VoiceConversion(conversion)),
            voices,
            lossy: settings.lossy,
        })
    }

    /// The order for a job on a recording; none where there are no voices for it.
    pub fn order(&self, kind: Kind, recording: &Path, scratch: &Path) -> Option<WorkOrder> {
        let spec = match kind {
            Kind::Conversion => self.conversion.clone()?,
            Kind::Separation => JobSpec::VocalSeparation(self.separation()),
            Kind::Split => JobSpec::StemSplit(self.separation()),
            Kind::Blend if self.voices.len() < 2 => return None,
            Kind::Blend => {
                let parts = self.voices.keys().map(|number| BlendPart {
                    model_id: *number,
                    title: None,
                    tags: None,
                    share: 0.5,
                });
                JobSpec::VoiceBlend(BlendSpec {
                    title: "Bench".to_owned(),
                    parts: parts.collect(),
                    successions: Vec::new(),
                    output_model_id: 3,
                    output_package_id: "bench.blend-1".to_owned(),
                })
            }
        };
        Some(WorkOrder {
            job_id: 0,
            request_id: String::new(),
            trace_parent: None,
            spec,
            input: (kind != Kind::Blend).then(|| recording.to_owned()),
            backing: None,
            scratch: scratch.to_owned(),
            voices: self.voices.clone(),
            beside: BTreeMap::new(),
            training: None,
            effects: Vec::new(),
        })
    }

    fn separation(&self) -> SeparationSpec {
        let mut spec = SeparationSpec::default();
        spec.output.lossy = self.lossy;
        spec
    }
}
