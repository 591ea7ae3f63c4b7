use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::HeaderMap;
use hyper::body::Incoming;
use serde_json::Value;

use super::chain::{KnownEffect, Library};
use super::common::{self, Common};
use super::job_record::done_before;
use super::jobs::Asked;
use super::names::collection_of;
use super::usable::named_in;
use super::{jobs, lossy_form, separators};
use crate::Api;
use crate::rules::audit::actor;
use crate::rules::call::Call;
use crate::rules::problem::{FieldError, Problem};
use crate::v1::uploads::put_in;
use vocalhost_audio::InputFormat;
use vocalhost_catalogues::shelf::Listing;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::multipart::{Form, FormRules, read_form};
use vocalhost_http::reply::Reply;
use vocalhost_job::{JobSpec, Output};
use vocalhost_store::{Caller, JobDeed, JobRecord, JobTies, NewJob};

/// What a form that makes a job on a recording looks like.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The field of the recording.
    pub recording: &'static str,
    /// What the recording may come as.
    pub formats: &'static [InputFormat],
    /// The largest recording.
    pub max_file_bytes: u64,
    /// The field of a recording to go under the result, of the same formats and size.
    pub backing: Option<&'static str>,
    /// The text fields beside those that every job has.
    pub texts: &'static [&'static str],
}

/// A form that was read to its end, on its way to a job.
pub struct Intake {
    /// The form.
    pub form: Form,
    /// What is wrong with the request so far.
    pub mistakes: Vec<FieldError>,
    wanted: &'static Wanted,
    effects: Arc<Listing>,
    pipelines: BTreeMap<String, Value>,
}

/// What comes of reading a form.
pub enum Opened {
    /// A request that is to be looked at.
    New(Box<Intake>),
    /// The answer to a request that was done before.
    Seen(Reply),
}

impl Intake {
    /// Reads the form of a request for a job, and looks up what its chains may name.
    pub async fn open(
        api: &Api,
        call: &Call,
        caller: &Caller,
        (headers, body): (&HeaderMap, &mut Incoming),
        wanted: &'static Wanted,
    ) -> Result<Opened, Problem> {
        let folder = api.settings.uploads_path();
        let texts = [wanted.texts, &common::TEXT_FIELDS].concat();
        let files: Vec<&str> = [Some(wanted.recording), wanted.backing]
            .into_iter()
            .flatten()
            .collect();
        let rules = FormRules {
            files: &files,
            texts: &texts,
            max_file_bytes: wanted.max_file_bytes,
            folder: &folder,
            times: api.body_times(),
        };
        let mut form = read_form(headers, body, &rules).await?;
        // Of the form as it was sent: an upload that it names may be gone when it is sent again.
        let asked = Fingerprint::of_form(&form);
        if let Some(answer) = done_before(api, call, &asked).await? {
            return Ok(Opened::Seen(answer));
        }
        put_in(api, caller, &mut form, wanted.max_file_bytes).await?;
        let intake = Self::of_form(api, caller, form, wanted).await?;
        Ok(Opened::New(intake))
    }

    /// A form that is there already.
    pub async fn of_form(
        api: &Api,
        caller: &Caller,
        mut form: Form,
        wanted: &'static Wanted,
    ) -> Result<Box<Self>, Problem> {
        let mistakes = std::mem::take(&mut form.mistakes);
        Ok(Box::new(Self {
            effects: api.shelf.current().await?,
            pipelines: named_in(api, caller.user_id, &form.fields).await?,
            form,
            mistakes,
            wanted,
        }))
    }

    /// Reads more of the form; `parse` adds what is wrong to the mistakes.
    pub fn read<T>(
        &mut self,
        parse: impl FnOnce(&Form, &Library<'_>, &mut Vec<FieldError>) -> T,
    ) -> T {
        let library = Library {
            find: &|name| self.effects.find(name).map(KnownEffect::from),
            pipelines: &self.pipelines,
        };
        parse(&self.form, &library, &mut self.mistakes)
    }

    /// Settles when lossy files are made: as the form says, or else as the server does.
    pub fn settle_lossy(&mut self, api: &Api, output: &mut Output) {
        let otherwise = api.settings.lossy;
        output.lossy = lossy_form::parse(&self.form, output.format, otherwise, &mut self.mistakes);
    }

    /// Looks at the recording, and puts the job into the queue of its kind unless something is wrong with the request.
    pub async fn accept(
        mut self,
        api: &Arc<Api>,
        call: &Call,
        caller: &Caller,
        spec: JobSpec,
    ) -> Result<JobRecord, Problem> {
        let common = Common::of_form(&self.form, &api.webhook_addresses, &mut self.mistakes);
        let asked = |field| Asked {
            field,
            formats: self.wanted.formats,
            strict: spec.is_strict(),
        };
        let of = asked(self.wanted.recording);
        let recording = jobs::recording(api, &mut self.form, of, &mut self.mistakes).await?;
        let backing = match self.wanted.backing {
            Some(field) => {
                let of = asked(field);
                jobs::optional_recording(api, &mut self.form, of, &mut self.mistakes).await?
            }
            None => None,
        };
        let Some(recording) = recording.filter(|_| self.mistakes.is_empty()) else {
            return Err(Problem::Invalid(self.mistakes));
        };
        separators::are_there(api, &spec).await?;
        let new = new_job(api, call, caller, (spec, common));
        jobs::accept(api, new, recording.over(backing)).await
    }
}

/// A job as the request `call` asks for it, without a recording.
pub fn new_job(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (spec, common): (JobSpec, Common),
) -> NewJob {
    let deed = JobDeed {
        actor: actor(call, caller),
        operation: call.operation,
        collection: format!("{}/{}", call.root, collection_of(spec.kind())),
    };
    NewJob {
        user_id: caller.user_id,
        spec,
        metadata: common.metadata,
        priority: common.priority,
        request_id: call.request_id.clone(),
        retry_of: None,
        input: None,
        ties: JobTies {
            webhook_url: common.webhook_url,
            trace_parent: call.trace_parent.clone(),
        },
        limits: jobs::queue_limits(api),
        completes: call.once.completion(),
        deed: Some(deed),
    }
}
