use clap::Args;
use serde_json::{Value, json};

use super::host::limits;
use super::subject::component;
use super::{Chosen, CliError};
use crate::cli::output::print_json;
use vocalhost_kit::check::{Finding, Outcome, Report, check_component};

/// `vocalhost effect check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The component's file, or the id of an effect that is built in or installed.
    #[arg(value_name = "FILE_OR_ID")]
    effect: String,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Columns of a reason, with its indentation.
const WIDTH: usize = 110;

/// Puts a component through the conformance test; an effect that fails any check is an error.
pub fn run(arguments: &CheckArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    let component = component(&settings, &arguments.effect)?;
    let report = check_component(&component, limits(&settings))?;
    if arguments.json {
        print_json(&record(&report));
    } else {
        say!("{}", table(&report));
    }
    match report.count(Outcome::Failed) {
        0 => Ok(()),
        failed => Err(CliError::Unfit(failed)),
    }
}

fn record(report: &Report) -> Value {
    let identity = report.identity.as_ref();
    let checks: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "id": finding.id,
                "meaning": finding.meaning,
                "result": finding.outcome.word(),
                "reasons": finding.reasons,
                "measured": finding.measured,
            })
        })
        .collect();
    json!({
        "id": identity.map(|identity| &identity.id),
        "name": identity.map(|identity| &identity.name),
        "version": identity.map(|identity| &identity.version),
        "vendor": identity.map(|identity| &identity.vendor),
        "digest": report.digest,
        "bytes": report.bytes,
        "passed": report.passed(),
        "checks": checks,
    })
}

/// The report for a terminal.
fn table(report: &Report) -> String {
    let mut lines = Vec::new();
    if let Some(effect) = &report.identity {
        lines.push(format!(
            "{} {} ({})",
            effect.id, effect.version, effect.name
        ));
        lines.push(format!("by {}", effect.vendor));
    }
    lines.push(format!("sha256:{}, {} bytes", report.digest, report.bytes));
    lines.push(String::new());
    for finding in &report.findings {
        lines.extend(rows(finding));
    }
    lines.push(String::new());
    let summary = [
        (Outcome::Passed, "passed"),
        (Outcome::Noted, "passed with a note"),
        (Outcome::Failed, "failed"),
        (Outcome::NotRun, "not run"),
    ]
    .map(|(outcome, words)| (report.count(outcome), words));
    let summary: Vec<String> = summary
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    lines.push(summary.join(", "));
    lines.join("\n") + "\n"
}

fn rows(finding: &Finding) -> Vec<String> {
    let mark = match finding.outcome {
        Outcome::Passed => "✓",
        Outcome::Noted => "•",
        Outcome::Failed => "✗",
        Outcome::NotRun => "-",
    };
    let mut rows = vec![format!("{mark} {:<11} {}", finding.id, finding.meaning)];
    if let Some(measured) = &finding.measured {
        rows[0] = format!("{} ({measured})", rows[0]);
    }
    for reason in &finding.reasons {
        rows.extend(wrapped(reason));
    }
    rows
}

/// A sentence in lines under its check.
fn wrapped(sentence: &str) -> Vec<String> {
    const INDENT: &str = "              ";
    let mut lines = vec![INDENT.to_owned()];
    for word in sentence.split(' ') {
        let line = lines.last_mut().expect("there is a first line");
        if line.chars().count() + word.chars().count() >= WIDTH && line.len() > INDENT.len() {
            lines.push(format!("{INDENT}{word} "));
        } else {
            line.push_str(word);
            line.push(' ');
        }
    }
    lines
        .into_iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}
