use super::{Failure, FailureCode, JobResult, JobState, Run};

/// How often a fault of ours may end an attempt before it ends the job: enough to get over a full disk or a restart of the storage, few
/// enough that a client is not kept waiting for a fault that will not pass.
pub const MAX_FAILURES: u32 = 3;

/// How often a worker may die while it runs a job before the job is taken to be the cause.
pub const MAX_DEATHS: u32 = 3;

/// How often the lease of a job may run out before the job is given up. The job need not be the cause: a server that is killed or cut off
/// from its database loses all its jobs at once. But a job that brings down server after server has to end.
pub const MAX_EXPIRIES: u32 = 10;

/// Pause before the second attempt.
const FIRST_PAUSE_US: i64 = 2_000_000;

/// Each further pause is this many times the one before.
const PAUSE_GROWTH: i64 = 4;

/// Something that happens to a job. Times are microseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A worker takes it.
    Claimed(Run),
    /// Its worker is still there.
    Renewed {
        /// The new end of the lease.
        lease_until_us: i64,
    },
    /// Its worker has made the result.
    Completed {
        /// What it made.
        result: Box<JobResult>,
        /// When.
        at_us: i64,
    },
    /// The attempt failed.
    Failed {
        /// Why.
        failure: Failure,
        /// Failures of this job, counting this one.
        failures: u32,
        /// When.
        at_us: i64,
    },
    /// The worker, or whoever watched it, died while it had the job.
    WorkerDied {
        /// Deaths under this job, counting this one.
        deaths: u32,
        /// When that was noticed.
        at_us: i64,
    },
    /// The lease ran out: its server is gone or cut off.
    Expired {
        /// Leases of this job that ran out, counting this one.
        expiries: u32,
        /// When that was noticed.
        at_us: i64,
    },
    /// The server is going down in good order and gives the job to whoever comes next.
    HandedBack {
        /// When.
        at_us: i64,
    },
    /// Somebody wants it stopped.
    CancelRequested {
        /// When.
        at_us: i64,
    },
    /// Its worker was stopped because somebody wanted that.
    Stopped {
        /// When.
        at_us: i64,
    },
}

/// The event does not fit the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a {state} job cannot be {event}")]
pub struct Refused {
    /// The name of the state.
    pub state: &'static str,
    /// The name of the event.
    pub event: &'static str,
}

/// What becomes of a job in `state` when `event` happens: the only place that decides it.
#[expect(
    clippy::match_same_arms,
    reason = "the arms are grouped by the state that they leave"
)]
pub fn next(state: &JobState, event: Event) -> Result<JobState, Refused> {
    use JobState as S;
    let refused = Refused {
        state: state.name(),
        event: event.name(),
    };
    match (state, event) {
        (S::Queued { .. }, Event::Claimed(run)) => Ok(S::Running(run)),
        (S::Queued { .. }, Event::CancelRequested { at_us }) => Ok(S::Cancelled { at_us }),

        (S::Running(run), Event::Renewed { lease_until_us }) => {
            Ok(S::Running(run.until(lease_until_us)))
        }
        (S::Running(_), Event::Completed { result, at_us }) => Ok(S::Succeeded { result, at_us }),
        (
            S::Running(_),
            Event::Failed {
                failure,
                failures,
                at_us,
            },
        ) => Ok(after_failure(failure, failures, at_us)),
        (S::Running(_), Event::WorkerDied { deaths, at_us }) => Ok(after_death(deaths, at_us)),
        (S::Running(_), Event::Expired { expiries, at_us }) => Ok(after_expiry(expiries, at_us)),
        (S::Running(_), Event::HandedBack { at_us }) => Ok(queued(at_us, 0)),
        (S::Running(run), Event::CancelRequested { .. }) => Ok(S::Cancelling(run.clone())),

        (S::Cancelling(run), Event::Renewed { lease_until_us }) => {
            Ok(S::Cancelling(run.until(lease_until_us)))
        }
        (S::Cancelling(run), Event::CancelRequested { .. }) => Ok(S::Cancelling(run.clone())),
        // Whoever asked for the stop must not be surprised by a result, however close the race was.
        (
            S::Cancelling(_),
            Event::Completed { at_us, .. }
            | Event::Failed { at_us, .. }
            | Event::WorkerDied { at_us, .. }
            | Event::Expired { at_us, .. }
            | Event::HandedBack { at_us }
            | Event::Stopped { at_us },
        ) => Ok(S::Cancelled { at_us }),

        (
            S::Queued { .. },
            Event::Renewed { .. }
            | Event::Completed { .. }
            | Event::Failed { .. }
            | Event::WorkerDied { .. }
            | Event::Expired { .. }
            | Event::HandedBack { .. }
            | Event::Stopped { .. },
        )
        | (S::Running(_), Event::Claimed(_) | Event::Stopped { .. })
        | (S::Cancelling(_), Event::Claimed(_))
        | (
            S::Succeeded { .. } | S::Failed { .. } | S::Cancelled { .. },
            Event::Claimed(_)
            | Event::Renewed { .. }
            | Event::Completed { .. }
            | Event::Failed { .. }
            | Event::WorkerDied { .. }
            | Event::Expired { .. }
            | Event::HandedBack { .. }
            | Event::CancelRequested { .. }
            | Event::Stopped { .. },
        ) => Err(refused),
    }
}

/// The same job on the same input fails the same way, so a failure is final; only a fault of ours is tried again.
fn after_failure(failure: Failure, failures: u32, at_us: i64) -> JobState {
    let ours = match failure.code {
        FailureCode::Internal => true,
        FailureCode::InputDamaged
        | FailureCode::EffectFailed
        | FailureCode::EffectRefused
        | FailureCode::ModelUnavailable
        | FailureCode::ModelFailed
        | FailureCode::ModelsDiffer
        | FailureCode::RecordingsUnfit
        | FailureCode::Timeout
        | FailureCode::OutOfMemory
        | FailureCode::OutOfSpace
        | FailureCode::WorkerDied => false,
    };
    if ours && failures < MAX_FAILURES {
        queued(at_us, failures)
    } else {
        JobState::Failed { failure, at_us }
    }
}

fn after_death(deaths: u32, at_us: i64) -> JobState {
    if deaths < MAX_DEATHS {
        return queued(at_us, deaths);
    }
    let message = format!("The worker process died {deaths} times while it had this job.");
    JobState::Failed {
        failure: Failure::new(FailureCode::WorkerDied, message),
        at_us,
    }
}

fn after_expiry(expiries: u32, at_us: i64) -> JobState {
    if expiries < MAX_EXPIRIES {
        return queued(at_us, expiries);
    }
    let message = format!("The server that had this job was gone or cut off {expiries} times.");
    JobState::Failed {
        failure: Failure::new(FailureCode::WorkerDied, message),
        at_us,
    }
}

fn queued(at_us: i64, mishaps: u32) -> JobState {
    JobState::Queued {
        since_us: at_us,
        not_before_us: at_us + pause_us(mishaps),
    }
}

/// How long to wait before the next attempt after this many mishaps.
fn pause_us(mishaps: u32) -> i64 {
    match mishaps {
        0 => 0,
        _ => FIRST_PAUSE_US * PAUSE_GROWTH.pow(mishaps.min(MAX_DEATHS) - 1),
    }
}

impl Event {
    /// The event's name, as it reads after "the job was".
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Claimed(_) => "claimed",
            Self::Renewed { .. } => "renewed",
            Self::Completed { .. } => "completed",
            Self::Failed { .. } => "failed",
            Self::WorkerDied { .. } => "bereft of its worker",
            Self::Expired { .. } => "taken from its server",
            Self::HandedBack { .. } => "handed back",
            Self::CancelRequested { .. } => "asked to stop",
            Self::Stopped { .. } => "stopped",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn run() -> Run {
        Run {
            attempt: 1,
            lease_token: "token".to_owned(),
            lease_until_us: 30,
        }
    }

    fn result() -> JobResult {
        JobResult {
            files: Vec::new(),
            effects: Vec::new(),
            models: Vec::new(),
            provider: "cpu".to_owned(),
            gain_db: None,
            folded_from: None,
            duration_s: 1.0,
            input_loudness: None,
            loudness: Vec::new(),
            warnings: Vec::new(),
            successions: Vec::new(),
            suggested_pitch_shift: None,
            timings: None,
        }
    }

    fn failure(code: FailureCode) -> Failure {
        Failure::new(code, "it failed")
    }

    fn states() -> [JobState; 6] {
        [
            JobState::Queued {
                since_us: 1,
                not_before_us: 1,
            },
            JobState::Running(run()),
            JobState::Cancelling(run()),
            JobState::Succeeded {
                result: Box::new(result()),
                at_us: 9,
            },
            JobState::Failed {
                failure: failure(FailureCode::ModelFailed),
                at_us: 9,
            },
            JobState::Cancelled { at_us: 9 },
        ]
    }

    fn failed(code: FailureCode, failures: u32) -> Event {
        Event::Failed {
            failure: failure(code),
            failures,
            at_us: 50,
        }
    }

    fn events() -> Vec<(&'static str, Event)> {
        let at_us = 50;
        vec![
            ("claimed", Event::Claimed(run())),
            ("renewed", Event::Renewed { lease_until_us: 60 }),
            (
                "completed",
                Event::Completed {
                    result: Box::new(result()),
                    at_us,
                },
            ),
            ("failed, its own", failed(FailureCode::ModelFailed, 1)),
            ("failed, first of ours", failed(FailureCode::Internal, 1)),
            (
                "failed, last of ours",
                failed(FailureCode::Internal, MAX_FAILURES),
            ),
            ("first death", Event::WorkerDied { deaths: 1, at_us }),
            ("second death", Event::WorkerDied { deaths: 2, at_us }),
            (
                "last death",
                Event::WorkerDied {
                    deaths: MAX_DEATHS,
                    at_us,
                },
            ),
            ("first expiry", Event::Expired { expiries: 1, at_us }),
            (
                "last expiry",
                Event::Expired {
                    expiries: MAX_EXPIRIES,
                    at_us,
                },
            ),
            ("handed back", Event::HandedBack { at_us }),
            ("asked to stop", Event::CancelRequested { at_us }),
            ("stopped", Event::Stopped { at_us }),
        ]
    }

    fn outcome(result: &Result<JobState, Refused>) -> String {
        match result {
            Err(_) => "-".to_owned(),
            Ok(JobState::Queued { not_before_us, .. }) => {
                format!("queued, in {} s", (not_before_us - 50) / 1_000_000)
            }
            Ok(JobState::Failed { failure, .. }) => format!("failed, {:?}", failure.code),
            Ok(state) => state.name().to_owned(),
        }
    }

    #[test]
    fn every_event_has_one_answer_in_every_state() {
        let mut matrix = String::new();
        for (label, event) in events() {
            for state in states() {
                let outcome = outcome(&next(&state, event.clone()));
                writeln!(matrix, "{label:<22} {:<11} {outcome}", state.name())
                    .expect("a string takes all");
            }
        }
        insta::assert_snapshot!(matrix);
    }

    #[test]
    fn an_ended_job_refuses_every_event() {
        for state in states() {
            if state.ended_at_us().is_some() {
                for (label, event) in events() {
                    assert!(next(&state, event).is_err(), "{label} on {}", state.name());
                }
            }
        }
    }

    #[test]
    fn a_renewal_keeps_the_token_and_the_attempt() {
        let renewed = next(
            &JobState::Running(run()),
            Event::Renewed { lease_until_us: 60 },
        );
        assert_eq!(renewed, Ok(JobState::Running(run().until(60))));
    }
}
