//! The conformance test: every hostile deed is found by the check that is meant for it, and by no other.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use vocalhost_effects::{Catalog, EffectLimits};
use vocalhost_kit::check::{Outcome, Report, check_component};
use vocalhost_testing::guests::{TRAP, bare, hostile};

use super::deeds::{DEEDS, Deed, LATER_DEEDS};

/// Limits under which runaways end soon.
fn limits() -> EffectLimits {
    EffectLimits {
        least_work_s: 0.3,
        work_per_audio: 4.0,
        setup_work_s: 0.1,
        ..EffectLimits::default()
    }
}

/// What is wrong with the report on this deed; nothing when it is as expected.
fn complaint(deed: &Deed) -> Option<String> {
    let (name, guest, expected, words) = deed;
    let report = check_component(&guest.component(), limits()).expect("the host works");
    let Some(found) = report
        .findings
        .iter()
        .find(|finding| finding.outcome == Outcome::Failed)
    else {
        return Some(format!("{name}: nothing fails"));
    };
    let reasons = found.reasons.join("\n");
    if found.id != *expected || !reasons.contains(words) {
        return Some(format!("{name}: {} fails with {reasons}", found.id));
    }
    if reasons.chars().count() > 8_000 {
        return Some(format!("{name}: the reasons are too long"));
    }
    None
}

/// Runs `work` on every item, on as many threads as there are processors.
fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let run = || {
            let mut results = Vec::new();
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                results.push(work(item));
            }
            results
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no panic"))
            .collect()
    })
}

#[test]
fn every_deed_is_found_by_the_check_that_is_meant_for_it() {
    let complaints: Vec<String> = each(&DEEDS, complaint).into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn a_component_over_the_size_limit_does_not_load() {
    let limits = EffectLimits {
        component_bytes: 1_000,
        ..limits()
    };
    let report = check_component(&bare(&[]), limits).expect("the host works");
    let finding = report.finding("loads").expect("it is a check");
    assert_eq!(finding.outcome, Outcome::Failed);
    assert!(finding.reasons[0].contains("too large"), "{finding:?}");
}

#[test]
fn every_later_fault_of_good_behaviour_is_found_as_well() {
    let complaints: Vec<String> = each(&LATER_DEEDS, complaint)
        .into_iter()
        .flatten()
        .collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// Nothing of it fails: what it tries comes to nothing.
fn assert_harmless(deed: &str) {
    let report = check_component(&hostile(deed), limits()).expect("the host works");
    assert!(report.passed(), "{deed}: {:#?}", failures(&report));
}

#[test]
fn clocks_and_denormals_come_to_nothing() {
    for deed in ["clock", "denormals"] {
        assert_harmless(deed);
    }
}

fn failures(report: &Report) -> Vec<String> {
    report
        .findings
        .iter()
        .filter(|finding| finding.outcome == Outcome::Failed)
        .map(|finding| format!("{}: {:?}", finding.id, finding.reasons))
        .collect()
}

#[test]
fn every_effect_on_the_shelf_passes() {
    let components: Vec<_> = Catalog::builtin_components().collect();
    assert!(components.len() >= 19);
    let complaints: Vec<String> = each(&components, |component| {
        let limits = EffectLimits::default();
        let report = check_component(component, limits).expect("the host works");
        let complaints = failures(&report);
        let id = report
            .identity
            .map_or_else(String::new, |identity| identity.id);
        complaints
            .into_iter()
            .map(move |complaint| format!("{id}: {complaint}"))
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn a_fatal_failure_leaves_the_rest_not_run() {
    let report = check_component(&bare(&[("PROCESS", TRAP)]), limits()).expect("the host works");
    let after = report
        .findings
        .iter()
        .skip_while(|finding| finding.id != "answers")
        .skip(1);
    assert!(after.clone().count() > 10);
    for finding in after {
        assert_eq!(finding.outcome, Outcome::NotRun, "{}", finding.id);
    }
}

#[test]
fn every_check_has_an_id_of_its_own_and_a_meaning() {
    let report = check_component(b"", limits()).expect("the host works");
    let ids: HashSet<_> = report.findings.iter().map(|finding| finding.id).collect();
    assert_eq!(ids.len(), report.findings.len());
    assert!(
        report
            .findings
            .iter()
            .all(|finding| !finding.meaning.is_empty())
    );
    assert_eq!(report.count(Outcome::NotRun), report.findings.len() - 1);
}

#[test]
fn the_guide_explains_every_check() {
    let guide = include_str!("../../../../docs/effect-check.md");
    let report = check_component(b"", limits()).expect("the host works");
    for finding in &report.findings {
        let row = format!("| `{}` |", finding.id);
        assert!(
            guide.contains(&row),
            "docs/effect-check.md lacks {}",
            finding.id
        );
    }
}

#[test]
fn two_checks_of_a_component_find_the_same() {
    let component = hostile("edge");
    let reasons = || {
        let report = check_component(&component, limits()).expect("the host works");
        failures(&report)
    };
    assert_eq!(reasons(), reasons());
}
