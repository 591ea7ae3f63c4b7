use std::path::{Path, PathBuf};

use chrono::DateTime;
use tokio::sync::OwnedSemaphorePermit;

use super::keep::Work;
use super::{Library, LibraryError, OnlySome};
use vocalhost_model::Kind;
use vocalhost_store::{Actor, AnswerOf, Completion, ModelRecord, VoiceOwner};
use vocalhost_work::worker::import::{
    Answers, Findings, ImportFault, ImportOrder, import_in_child,
};

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
    /// Random text that makes the id of a voice's package unique.
    pub token: String,
    /// A picture of a voice.
    pub picture: Option<BesideFile>,
    /// A demo of a voice.
    pub demo: Option<BesideFile>,
}

impl ImportAsk {
    /// Refuses what models of this kind do not have; otherwise whoever gave it would think that it had been used.
    fn check_against(&self, kind: Kind) -> Result<(), LibraryError> {
        check_answers(&self.answers, kind)?;
        let of_voices = [
            (matches!(self.owner, VoiceOwner::User(_)), OnlySome::Owner),
            (self.picture.is_some(), OnlySome::Picture),
            (self.demo.is_some(), OnlySome::Demo),
        ];
        refuse(kind, kind != Kind::Voice, &of_voices)
    }
}

fn check_answers(answers: &Answers, kind: Kind) -> Result<(), LibraryError> {
    let is_voice = kind == Kind::Voice;
    refuse(kind, is_voice, &[(answers.id.is_some(), OnlySome::Id)])?;
    let tags = (!answers.tags.is_empty(), OnlySome::Tags);
    refuse(kind, !is_voice, &[tags])
}

/// Refuses the first given item of those that a model of this kind `lacks`.
fn refuse(kind: Kind, lacks: bool, said: &[(bool, OnlySome)]) -> Result<(), LibraryError> {
    let found = said.iter().find(|(is_said, _)| lacks && *is_said);
    let kind = kind.as_str();
    found.map_or(Ok(()), |&(_, what)| {
        Err(LibraryError::Pointless { kind, what })
    })
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

/// A model that was inspected, made into a package and tried out, but is not kept yet. Dropping it deletes the package.
pub struct Looked {
    library: Library,
    ask: ImportAsk,
    findings: Findings,
    work: Work,
    /// Keeps others from inspecting a model meanwhile.
    _turn: OwnedSemaphorePermit,
}

impl Looked {
    /// Keeps the model: the package of a voice is published to the file store, and one transaction makes it known; any other is moved into
    /// the folder of imported packages in one step. Whatever goes wrong, nothing is left behind. The future must run to its end, since
    /// dropping it would leave half of the work done. That transaction also completes the `request` for a voice.
    pub async fn keep(
        self,
        request: Option<(&Completion, &AnswerOf<'_, Import>)>,
        actor: &Actor,
        now_us: i64,
    ) -> Result<Import, LibraryError> {
        let Self {
            library,
            ask,
            findings,
            work,
            _turn,
        } = self;
        let family = &findings.family;
        if findings.kind == Kind::Voice {
            let id = format!("import.{}", ask.token);
            let of_voice = |voice: &ModelRecord| Import {
                findings: Findings {
                    id: id.clone(),
                    ..findings.clone()
                },
                voice: Some(voice.clone()),
            };
            let of_request = request.map(|(done, answer)| {
                let answer = move |voice: &ModelRecord| answer(&of_voice(voice));
                (done, answer)
            });
            let request = of_request.as_ref();
            let request =
                request.map(|(done, answer)| (*done, answer as &AnswerOf<'_, ModelRecord>));
            let keeping = library.keep_voice(&work, (&id, &ask), request, actor, now_us);
            let voice = keeping.await?;
            tracing::info!(voice = voice.id, family, "a voice was imported");
            return Ok(of_voice(&voice));
        }
        let id = &findings.id;
        library.keep_package(work, id, actor, now_us).await?;
        tracing::info!(package = id, family, "a model was imported");
        Ok(Import {
            findings,
            voice: None,
        })
    }
}

impl Library {
    /// Has a child look at a model that is to be imported, make a package of it and try it out. Dropping the future ends the child, and
    /// nothing is left behind.
    pub async fn look(&self, ask: ImportAsk, now_us: i64) -> Result<Looked, LibraryError> {
        let turn = self.0.imports.clone().acquire_owned().await;
        let turn = turn.map_err(|closed| ImportFault::Broken(closed.to_string()))?;
        let work = Work::begin(&self.0.settings.imports)?;
        let only = match ask.wanted {
            Wanted::Voice => Some(Kind::Voice),
            Wanted::Any => None,
        };
        let said = (ask.files.clone(), ask.answers.clone());
        let order = self.order(said, only, &work, now_us);
        let findings = self.look_at(&order, &work.order()).await?;
        if only.is_some_and(|only| only != findings.kind) {
            let kind = findings.kind;
            return Err(ImportFault::NotWanted { kind }.into());
        }
        ask.check_against(findings.kind)?;
        self.check_id(&findings, now_us).await?;
        Ok(Looked {
            library: self.clone(),
            ask,
            findings,
            work,
            _turn: turn,
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
        let order = self.order((files, answers), None, &work, now_us);
        let findings = self.look_at(&order, &work.order()).await?;
        check_answers(&order.answers, findings.kind)?;
        self.check_id(&findings, now_us).await?;
        Ok(findings)
    }

    /// Refuses a package whose id is taken. Voices get unique ids.
    async fn check_id(&self, findings: &Findings, now_us: i64) -> Result<(), LibraryError> {
        match findings.kind {
            Kind::Voice => Ok(()),
            _ => self.refuse_taken(&findings.id, now_us).await,
        }
    }

    /// Refuses an id that a package has.
    pub(super) async fn refuse_taken(&self, id: &str, now_us: i64) -> Result<(), LibraryError> {
        match self.current(now_us).await?.find(id) {
            Some(_) => Err(LibraryError::IdTaken(id.to_owned())),
            None => Ok(()),
        }
    }

    fn order(
        &self,
        (files, answers): (Vec<PathBuf>, Answers),
        only: Option<Kind>,
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
            voice_parts: self.0.settings.voice_parts.clone(),
            worker_memory_bytes: self.0.settings.worker_memory_bytes,
            only,
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
