use clap::{Args, Subcommand};
use serde_json::json;

use super::actor::actor;
use super::database::{user_id, with_existing_store};
use super::output::{print_json, print_list};
use super::runtime::runtime;
use super::{Chosen, CliError, keys};
use crate::app::file_store;
use vocalhost_api::collection_of;
use vocalhost_api::v1::admin_jobs::{kind_named, record};
use vocalhost_job::{JobKind, JobState, JobStatus};
use vocalhost_store::{AllJobsQuery, CancelOutcome, JobHandled, ListedJob, Store};
use vocalhost_system::clock;

/// `vocalhost jobs`.
#[derive(Debug, Subcommand)]
pub enum JobsCommand {
    /// List the jobs of all users, newest first.
    List(ListArguments),
    /// Show a job.
    Show(OneJob),
    /// Stop a job.
    Cancel(OneJob),
    /// Take a running job from its worker and put it back into the queue.
    Requeue(OneJob),
    /// Delete a job that has ended, with its files.
    Delete(OneJob),
}

/// `vocalhost jobs list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Only this user's.
    #[arg(long, value_name = "NAME", value_parser = keys::user_name)]
    user: Option<String>,
    /// Only of this kind: voice-conversions, vocal-separations, stem-splits, voice-blender, voice-trainings.
    #[arg(long, value_parser = kind)]
    kind: Option<JobKind>,
    /// Only with this status: running, success, error, cancelled.
    #[arg(long, value_parser = status)]
    status: Option<JobStatus>,
    /// At most this many.
    #[arg(long, default_value_t = 100)]
    limit: u64,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Which job.
#[derive(Debug, Args)]
pub struct OneJob {
    /// The job's number.
    id: i64,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

fn kind(text: &str) -> Result<JobKind, String> {
    kind_named(text).ok_or_else(|| "must be the path of a kind, such as stem-splits".to_owned())
}

fn status(text: &str) -> Result<JobStatus, String> {
    let mut all = JobStatus::ALL.into_iter();
    let found = all.find(|status| status.as_str() == text);
    found.ok_or_else(|| "must be running, success, error or cancelled".to_owned())
}

/// Runs the command on the database of the settings in force; the server may be running.
pub fn run(command: &JobsCommand) -> Result<(), CliError> {
    match command {
        JobsCommand::List(arguments) => list(arguments),
        JobsCommand::Show(one) => show(one),
        JobsCommand::Cancel(one) => {
            with_existing_store(&one.chosen, async |store| cancel(store, one.id).await)?;
            show(one)
        }
        JobsCommand::Requeue(one) => {
            let done = with_existing_store(&one.chosen, async |store| {
                Ok(store.requeue_job(one.id, &actor(), clock::now_us()).await?)
            })?;
            let job = settled(done, one.id, "is not running")?;
            print(one, &job);
            Ok(())
        }
        JobsCommand::Delete(one) => delete(one),
    }
}

fn list(arguments: &ListArguments) -> Result<(), CliError> {
    let found = with_existing_store(&arguments.chosen, async |store| {
        let user_id = match &arguments.user {
            None => None,
            Some(name) => Some(user_id(store, name).await?),
        };
        let query = AllJobsQuery {
            user_id,
            kind: arguments.kind,
            status: arguments.status,
            descending: true,
            page: 1,
            per_page: arguments.limit,
        };
        Ok(store.all_jobs(&query).await?)
    })?;
    print_list(arguments.json, &found.rows, record, print_line);
    Ok(())
}

fn show(one: &OneJob) -> Result<(), CliError> {
    let job = with_existing_store(&one.chosen, async |store| {
        Ok(store.listed_job(one.id).await?)
    })?;
    print(one, &job.ok_or_else(|| missing(one.id))?);
    Ok(())
}

async fn cancel(store: &Store, id: i64) -> Result<(), CliError> {
    match store.cancel_any(id, &actor(), clock::now_us()).await? {
        CancelOutcome::Unknown => Err(missing(id)),
        CancelOutcome::Ended => Err(CliError::WrongState(format!("job {id} has ended"))),
        CancelOutcome::Accepted(_) => Ok(()),
    }
}

fn delete(one: &OneJob) -> Result<(), CliError> {
    let settings = one.chosen.load()?.settings;
    let gone = with_existing_store(&one.chosen, async |store| {
        let actor = actor();
        let done = store.remove_job((one.id, None), Some(&actor), clock::now_us());
        settled(done.await?, one.id, "has not ended")
    })?;
    let files = file_store(&settings)?;
    runtime()?.block_on(files.delete_job(gone.job_id, &gone.input_keys))?;
    if one.json {
        print_json(&json!({ "id": one.id, "deleted": true }));
    }
    Ok(())
}

fn settled<T>(done: JobHandled<T>, id: i64, instead: &str) -> Result<T, CliError> {
    match done {
        JobHandled::Unknown => Err(missing(id)),
        JobHandled::WrongState => Err(CliError::WrongState(format!("job {id} {instead}"))),
        JobHandled::Done(done) => Ok(done),
    }
}

fn missing(id: i64) -> CliError {
    CliError::Missing(format!("job {id}"))
}

fn print(one: &OneJob, job: &ListedJob) {
    if one.json {
        print_json(&record(job));
        return;
    }
    print_line(job);
    if let JobState::Failed { failure, .. } = &job.job.state {
        say_line!("{:<8} {}", "", failure.message);
    }
}

/// The status, as filters take it; of one that runs for the API, whether it does.
fn state(state: &JobState) -> &'static str {
    match state.status() {
        JobStatus::Running => state.name(),
        status => status.as_str(),
    }
}

fn print_line(listed: &ListedJob) {
    let job = &listed.job;
    say_line!(
        "{:<8} {:<18} {:<16} {:<10} {:>5.1} %  {}",
        job.id,
        collection_of(job.kind),
        listed.user,
        state(&job.state),
        job.progress.percent,
        vocalhost_api::v1::timestamp(job.created_at_us)
    );
}
