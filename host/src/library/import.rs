use std::path::{Path, PathBuf};

use chrono::DateTime;

use super::keep::Work;
use super::{Library, LibraryError};
use crate::model::Kind;
use crate::store::{Actor, ModelRecord, VoiceOwner};
use crate::worker::import::{Answers, Findings, ImportFault, ImportOrder, import_in_child};

/// A model that somebody wants to import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportAsk {
    /// The files of the model, the model itself first; they stay where they are.
    pub files: Vec<PathBuf>,
    /// What a person said about it.
    pub answers: Answers,
    /// What it may be.
    pub wanted: Wanted,
    /// Whose it is to be, if it is a voice.
    pub owner: VoiceOwner,
    /// Random text, which makes the id of a voice's package one of its own.
    pub token: String,
    /// A picture of a voice.
    pub picture: Option<BesideFile>,
    /// A demo of a voice.
    pub demo: Option<BesideFile>,
}

/// What may be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A voice and nothing else.
    Voice,
    /// Any model.
    Any,
}

/// A file that was looked at and goes beside a voice's package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BesideFile {
    /// Where it lies.
    pub path: PathBuf,
    /// What it is called there: `picture.png`, `demo.mp3`.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, lower-case hex.
    pub sha256: String,
}

/// A model that was imported.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// What it turned out to be.
    pub findings: Findings,
    /// The voice, if it is one.
    pub voice: Option<ModelRecord>,
}

impl Library {
    /// Imports a model:
    ///
    /// 1. A child looks at the files, makes a package of them and tries it out.
    /// 2. The package of a voice is published to the file store, and one transaction makes it known; any other is moved into
    ///    the folder of imported packages in one step.
    ///
    /// Whatever goes wrong, nothing is left behind. Whoever gives up waiting ends the child, but not the second step, which
    /// would else be cut in half.
    pub async fn import(
        &self,
        ask: ImportAsk,
        actor: &Actor,
        now_us: i64,
    ) -> Result<Import, LibraryError> {
        let slot = self.0.imports.acquire().await;
        let _one_at_a_time = slot.map_err(|closed| ImportFault::Broken(closed.to_string()))?;
        let work = Work::begin(&self.0.settings.imports)?;
        let order = self.order(ask.files.clone(), ask.answers.clone(), &work, now_us);
        let findings = self.look_at(&order, &work.order()).await?;
        if findings.kind == Kind::Voice {
            let (library, actor) = (self.clone(), actor.clone());
            let keeping = async move {
                let kept = library.keep_voice(&work, &ask, &actor, now_us).await;
                // The folder of the work goes with it.
                drop(work);
                kept
            };
            let (id, voice) = tokio::spawn(keeping).await??;
            let findings = Findings { id, ..findings };
            tracing::info!(
                voice = voice.id,
                family = findings.family,
                "a voice was imported"
            );
            return Ok(Import {
                findings,
                voice: Some(voice),
            });
        }
        if ask.wanted == Wanted::Voice {
            let kind = findings.kind.as_str();
            return Err(LibraryError::NoVoice { kind });
        }
        let (library, actor, id) = (self.clone(), actor.clone(), findings.id.clone());
        let keeping = async move { library.keep_package(work, &id, &actor, now_us).await };
        tokio::spawn(keeping).await??;
        tracing::info!(
            package = findings.id,
            family = findings.family,
            "a model was imported"
        );
        Ok(Import {
            findings,
            voice: None,
        })
    }

    /// Looks at a model as an import does, and keeps nothing.
    pub async fn check(
        &self,
        files: Vec<PathBuf>,
        answers: Answers,
        now_us: i64,
    ) -> Result<Findings, LibraryError> {
        let work = Work::begin(&self.0.settings.imports)?;
        let order = self.order(files, answers, &work, now_us);
        self.look_at(&order, &work.order()).await
    }

    fn order(
        &self,
        files: Vec<PathBuf>,
        answers: Answers,
        work: &Work,
        now_us: i64,
    ) -> ImportOrder {
        ImportOrder {
            files,
            answers,
            target: work.package(),
            today: day(now_us),
            models_dirs: self.0.settings.all_folders(),
            onnxruntime: self.0.settings.onnxruntime.clone(),
        }
    }

    async fn look_at(&self, order: &ImportOrder, file: &Path) -> Result<Findings, LibraryError> {
        let looked = import_in_child(&self.0.settings.program, order, file).await;
        if let Err(ImportFault::Broken(reason)) = &looked {
            tracing::error!(reason, "a model could not be looked at");
        }
        Ok(looked?)
    }
}

/// The day of a time, `YYYY-MM-DD`.
fn day(at_us: i64) -> String {
    let time = DateTime::from_timestamp_micros(at_us).unwrap_or_default();
    time.format("%Y-%m-%d").to_string()
}
