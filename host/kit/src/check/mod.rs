//! `effect check`: whether a component keeps the rules of the interface, found out from outside.
//!
//! Each check has an id, a line that says what is true when it passes, and a function that tries to prove the opposite.
//! They run in the order of [`CHECKS`]; if one of the first fails, there is nothing left to check and the test ends.
//! Every check has an allowance of work, and every call of the effect has the limits of a job, so that the test ends in
//! bounded time whatever the component does.

mod describes;
mod endures;
mod extremes;
mod latency;
mod loads;
mod mend;
mod repeats;
mod report;
mod resets;
mod runs;
mod signals;
mod spectrum;
mod speed;
mod subject;
mod tails;
mod variants;

pub use report::{Finding, Identity, Outcome, Report};

use vocalhost_effects::{EffectLimits, PluginError};

use report::Verdict;
use subject::{Stop, Subject};

/// A check of a loaded effect.
struct Check {
    id: &'static str,
    meaning: &'static str,
    /// Whether nothing after it makes sense when it fails.
    fatal: bool,
    run: fn(&Subject, &mut Verdict) -> Result<(), Stop>,
}

/// Every check after loading, in order: what the others build on comes first.
const CHECKS: [Check; 16] = [
    check(
        "descriptor",
        "says the same each time, in words for people",
        describes::check,
    ),
    fatal(
        "starts",
        "starts in every layout at every sample rate",
        runs::starts,
    ),
    fatal(
        "answers",
        "answers ordinary sound, as long as it came, at every rate",
        runs::answers,
    ),
    fatal("speed", "is faster than real time", speed::speed),
    check(
        "cuts",
        "gives the same samples however the stream is cut",
        repeats::cuts,
    ),
    check(
        "repeats",
        "gives the same samples in every instance",
        repeats::repeats,
    ),
    check(
        "siblings",
        "processors of one instance share nothing audible",
        repeats::siblings,
    ),
    check(
        "handles",
        "many processors in one instance come and go",
        repeats::handles,
    ),
    check("reset", "forgets all sound on reset", resets::check),
    check(
        "latency",
        "lags as far behind as it says, always",
        latency::check,
    ),
    check("tail", "falls silent when it says", tails::check),
    check(
        "silence",
        "silence after sound costs no more than sound",
        speed::silence,
    ),
    check(
        "extremes",
        "stays finite whatever finite samples come",
        extremes::inputs,
    ),
    check(
        "settings",
        "works at the edges of every parameter and in every preset",
        extremes::settings,
    ),
    check(
        "endurance",
        "works for a minute and a half as in the first second",
        endures::endurance,
    ),
    check(
        "memory",
        "keeps within its memory, and stops asking for more",
        endures::memory,
    ),
];

type Run = fn(&Subject, &mut Verdict) -> Result<(), Stop>;

const fn check(id: &'static str, meaning: &'static str, run: Run) -> Check {
    Check {
        id,
        meaning,
        fatal: false,
        run,
    }
}

const fn fatal(id: &'static str, meaning: &'static str, run: Run) -> Check {
    Check {
        id,
        meaning,
        fatal: true,
        run,
    }
}

/// Puts a component through every check, under these limits. An error is the host's own; faults of the component are in
/// the report.
pub fn check_component(component: &[u8], limits: EffectLimits) -> Result<Report, PluginError> {
    let (mut report, effect) = loads::load(component, limits)?;
    let Some(effect) = effect else {
        report.findings.extend(CHECKS.iter().map(not_run));
        return Ok(report);
    };
    let subject = Subject::new(effect, limits);
    let mut over = false;
    for check in &CHECKS {
        let finding = if over {
            not_run(check)
        } else {
            run(check, &subject)
        };
        over |= check.fatal && finding.outcome == Outcome::Failed;
        report.findings.push(finding);
    }
    Ok(report)
}

fn run(check: &Check, subject: &Subject) -> Finding {
    let mut verdict = Verdict::default();
    subject.begin_check();
    match (check.run)(subject, &mut verdict) {
        Ok(()) => {}
        Err(Stop::Fault(place, error)) => verdict.fault(&place, &error),
        Err(Stop::Exhausted) => verdict.note(
            "stopped before its end, because the work allowed for one check was done; a faster effect is checked further",
        ),
    }
    verdict.into_finding(check.id, check.meaning)
}

fn not_run(check: &Check) -> Finding {
    Finding {
        id: check.id,
        meaning: check.meaning,
        outcome: Outcome::NotRun,
        reasons: Vec::new(),
        measured: None,
    }
}
