//! `vocalhost doctor`: what is wrong with an installation, before somebody's job finds out.

mod finding;
mod machine;
mod models;
mod place;

use clap::Args;
use serde_json::{Value, json};

use self::finding::{Finding, State};
use super::output::print_json;
use super::runtime::runtime;
use super::{Chosen, CliError};
use vocalhost_config::Settings;

/// `vocalhost doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Looks at everything that a server needs, changes nothing but what it takes to try, and prints what was found. Fails when something
/// would keep the server from starting or from doing jobs.
pub fn run(arguments: &DoctorArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    let findings = runtime()?.block_on(look(&settings));
    let problems = findings.iter().filter(|one| one.state == State::Problem);
    let problems = problems.count();
    if arguments.json {
        let records: Vec<Value> = findings.iter().map(Finding::record).collect();
        print_json(&json!({ "isWell": problems == 0, "findings": records }));
    } else {
        for finding in &findings {
            say_line!("{}", finding.line());
        }
    }
    if problems == 0 {
        return Ok(());
    }
    Err(CliError::Unwell(problems))
}

async fn look(settings: &Settings) -> Vec<Finding> {
    let mut findings = machine::sandbox(settings).await;
    findings.push(machine::clock(settings));
    findings.extend(machine::library(settings));
    findings.extend(models::look(settings));
    findings.extend(place::disk(settings));
    findings.extend(place::database(settings).await);
    findings.push(place::store(settings).await);
    findings.extend(place::ports(settings));
    findings
}
