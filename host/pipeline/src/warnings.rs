use vocalhost_audio::{Finding, FindingKind};
use vocalhost_job::{InputWarning, WarningCode};

/// What was found wrong with a recording, as records tell it.
#[must_use]
pub fn warnings_of(findings: Vec<Finding>) -> Vec<InputWarning> {
    let warnings = findings.into_iter().map(|finding| InputWarning {
        code: match finding.kind {
            FindingKind::Cut => WarningCode::InputCut,
            FindingKind::Damaged => WarningCode::InputDamaged,
            FindingKind::NotFinite => WarningCode::InputNotFinite,
        },
        message: finding.reason,
        at_s: finding.at_s,
        duration_s: finding.duration_s,
        of_backing: false,
    });
    warnings.collect()
}
