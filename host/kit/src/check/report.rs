use vocalhost_effects::PluginError;

use super::mend;

/// What the conformance test found.
#[derive(Debug, Clone)]
pub struct Report {
    /// What was looked at; nothing when the component does not load.
    pub identity: Option<Identity>,
    /// Bytes of the component.
    pub bytes: usize,
    /// The SHA-256 of the component, in lower-case hexadecimal.
    pub digest: String,
    /// Every check, in the order in which they run.
    pub findings: Vec<Finding>,
}

/// What an effect says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Who made it.
    pub vendor: String,
}

/// What came of one check.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Stable key of the check.
    pub id: &'static str,
    /// What holds when it passes, in one line.
    pub meaning: &'static str,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed or was noted, a sentence each: what is wrong, where, and what to fix.
    pub reasons: Vec<String>,
    /// What was measured, when the check measures something.
    pub measured: Option<String>,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It holds, and there is something to know.
    Noted,
    /// It does not hold.
    Failed,
    /// A failure before it left nothing to look at.
    NotRun,
}

impl Outcome {
    /// The word for it in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Noted => "noted",
            Self::Failed => "failed",
            Self::NotRun => "not-run",
        }
    }
}

impl Report {
    /// How many checks ended like this.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.outcome == outcome)
            .count()
    }

    /// Whether no check failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.count(Outcome::Failed) == 0
    }

    /// The finding of the check with this id.
    #[must_use]
    pub fn finding(&self, id: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.id == id)
    }
}

/// What a check has gathered so far.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) failures: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) measured: Option<String>,
}

/// The most failures or notes that one check lists; the rest would repeat them.
const LISTED: usize = 6;

impl Verdict {
    pub(super) fn fail(&mut self, reason: impl Into<String>) {
        self.failures.push(reason.into());
    }

    /// A call that ended in an error, with what to mend.
    pub(super) fn fault(&mut self, place: &str, error: &PluginError) {
        self.fail(mend::sentence(place, error));
    }

    pub(super) fn note(&mut self, reason: impl Into<String>) {
        self.notes.push(reason.into());
    }

    pub(super) fn into_finding(self, id: &'static str, meaning: &'static str) -> Finding {
        let outcome = match (self.failures.is_empty(), self.notes.is_empty()) {
            (false, _) => Outcome::Failed,
            (true, false) => Outcome::Noted,
            (true, true) => Outcome::Passed,
        };
        let mut reasons = shortened(self.failures);
        reasons.extend(shortened(self.notes));
        Finding {
            id,
            meaning,
            outcome,
            reasons,
            measured: self.measured,
        }
    }
}

fn shortened(mut sentences: Vec<String>) -> Vec<String> {
    let more = sentences.len().saturating_sub(LISTED);
    sentences.truncate(LISTED);
    if more > 0 {
        sentences.push(format!("and {more} more like this"));
    }
    sentences
}
