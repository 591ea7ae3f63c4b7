use serde::{Deserialize, Serialize};

/// Something wrong with a recording that is decoded all the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of problem.
    pub kind: FindingKind,
    /// Where it begins in the decoded sound, in seconds.
    pub at_s: f64,
    /// How much of the sound is lost, in seconds: what follows a cut, or what silence replaces. None when the file does not say.
    pub duration_s: Option<f64>,
    /// For people.
    pub reason: String,
}

/// What can be wrong with a recording that is decoded all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The file ends before its header or tag says.
    Cut,
    /// A stretch cannot be decoded and is silent.
    Damaged,
    /// Samples that are not finite, or are absurdly large, and become zero.
    NotFinite,
}

/// How many findings of a recording are listed one by one. A recording that is broken everywhere needs no longer list.
const MAX_FINDINGS: usize = 16;

/// What has been found in a recording so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    told: Vec<Found>,
    /// Number of findings that `told` has no room for.
    more: u64,
    /// Frames that are silent or zero because of what was found.
    lost_frames: u64,
}

/// A finding, counted in frames.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) kind: FindingKind,
    pub(super) at: u64,
    pub(super) frames: Option<u64>,
    pub(super) reason: String,
}

impl Findings {
    /// Adds a finding. One that begins where the last one ended, and is of the same kind, extends it.
    pub(super) fn add(&mut self, found: Found) {
        if found.kind != FindingKind::Cut {
            self.lost_frames += found.frames.unwrap_or_default();
        }
        if let Some(last) = self.told.last_mut()
            && last.kind == found.kind
            && let (Some(length), Some(more)) = (last.frames, found.frames)
            && last.at + length == found.at
        {
            last.frames = Some(length + more);
        } else if self.told.len() < MAX_FINDINGS {
            self.told.push(found);
        } else {
            self.more += 1;
        }
    }

    /// Makes the last finding longer, if it ends at `end`.
    pub(super) fn lengthen(&mut self, end: u64, frames: u64) {
        if let Some(last) = self.told.last_mut()
            && let Some(length) = &mut last.frames
            && last.at + *length == end
        {
            *length += frames;
        }
    }

    /// Frames that are silent or zero because of what was found.
    pub(super) fn lost_frames(&self) -> u64 {
        self.lost_frames
    }

    /// The first finding.
    pub(super) fn first(&self) -> Option<&Found> {
        self.told.iter().min_by_key(|found| found.at)
    }

    /// All findings, in the order of their positions, for people.
    pub(super) fn listed(&self, sample_rate_hz: u32) -> Vec<Finding> {
        let seconds = |frames: u64| frames as f64 / f64::from(sample_rate_hz);
        let mut told: Vec<&Found> = self.told.iter().collect();
        told.sort_by_key(|found| found.at);
        let mut listed: Vec<Finding> = told
            .into_iter()
            .map(|found| Finding {
                kind: found.kind,
                at_s: seconds(found.at),
                duration_s: found.frames.map(seconds),
                reason: found.reason.clone(),
            })
            .collect();
        if let (1.., Some(last)) = (self.more, listed.last_mut()) {
            last.reason = format!("{}; {} more places are like this", last.reason, self.more);
        }
        listed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: FindingKind, at: u64, frames: u64) -> Found {
        Found {
            kind,
            at,
            frames: Some(frames),
            reason: "a reason".to_owned(),
        }
    }

    #[test]
    fn what_goes_on_is_one_finding_and_the_list_has_an_end() {
        let mut findings = Findings::default();
        findings.add(found(FindingKind::Cut, 90_000, 8_000));
        findings.add(found(FindingKind::Damaged, 0, 100));
        findings.add(found(FindingKind::Damaged, 100, 100));
        findings.add(found(FindingKind::NotFinite, 200, 1));
        assert_eq!(findings.lost_frames(), 201, "behind a cut nothing is lost");
        let listed = findings.listed(8_000);
        let places: Vec<_> = listed
            .iter()
            .map(|finding| (finding.at_s, finding.duration_s))
            .collect();
        assert_eq!(
            places,
            [
                (0.0, Some(0.025)),
                (0.025, Some(0.000_125)),
                (11.25, Some(1.0))
            ]
        );
        for place in 0..40 {
            findings.add(found(FindingKind::Damaged, 1_000 + 10 * place, 1));
        }
        let listed = findings.listed(8_000);
        assert_eq!(listed.len(), MAX_FINDINGS);
        assert_eq!(findings.lost_frames(), 241);
        assert!(listed[15].reason.ends_with("27 more places are like this"));
    }
}
