use std::fmt::Write;

use serde_json::{Value, json};

use super::jobs::Kind;
use vocalhost_config::Settings;
use vocalhost_job::Timings;
use vocalhost_model::Provider;
use vocalhost_system::work::{Part, REST};

/// Threads that make a job no faster than this are no gain.
const WORTH_WHILE: f64 = 1.1;

/// What a job took.
pub struct Measured {
    /// Time.
    pub timings: Timings,
    /// What its models ran on.
    pub provider: String,
    /// The most memory that the process held meanwhile.
    pub peak_bytes: Option<u64>,
}

/// Which job it was: the kind, the provider that was asked for, and the threads.
type Which = (Kind, Provider, u8);

/// All that was measured.
pub struct Report {
    seconds: u32,
    workers: usize,
    threads: usize,
    rows: Vec<(Which, Measured)>,
}

impl Report {
    /// Of jobs on a recording of so many seconds.
    pub fn new(settings: &Settings, seconds: u32) -> Self {
        let automatic = Settings {
            workers: 0,
            worker_threads: 0,
            ..settings.clone()
        };
        Self {
            seconds,
            workers: automatic.worker_count(),
            threads: automatic.threads_per_worker(),
            rows: Vec::new(),
        }
    }

    /// Keeps the fastest of every job.
    pub fn add(&mut self, which: Which, measured: Measured) {
        let known = self.rows.iter_mut().find(|(known, _)| *known == which);
        match known {
            None => self.rows.push((which, measured)),
            Some((_, known)) if measured.timings.wall_s < known.timings.wall_s => {
                *known = measured;
            }
            Some(_) => {}
        }
    }

    /// Whether there was nothing to measure with.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let rows = self.rows.iter().map(|((kind, _, threads), measured)| {
            json!({
                "kind": kind.name(),
                "provider": measured.provider,
                "threads": threads,
                "wallSeconds": measured.timings.wall_s,
                "threadSeconds": measured.timings.parts_s,
                "peakBytes": measured.peak_bytes,
            })
        });
        json!({
            "recordingSeconds": self.seconds,
            "jobs": rows.collect::<Vec<_>>(),
            "advice": { "workers": self.workers, "workerThreads": self.threads, "because": self.findings() },
        })
    }

    /// For people, as a Markdown table.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "A made recording of {} s. Time in seconds; the parts are thread seconds.\n\n",
            self.seconds
        );
        let parts: Vec<&str> = Part::ALL
            .map(Part::name)
            .into_iter()
            .chain([REST])
            .collect();
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "| job | on | threads | time | MB | {} |",
            parts.join(" | ")
        );
        let _ = writeln!(text, "|---|---|--:|--:|--:|{}", "--:|".repeat(parts.len()));
        for ((kind, _, threads), measured) in &self.rows {
            let Timings { wall_s, parts_s } = &measured.timings;
            let cells = parts.iter().map(|part| {
                parts_s
                    .get(*part)
                    .map_or_else(|| "-".to_owned(), |time| format!("{time:.2}"))
            });
            let megabytes = measured.peak_bytes.unwrap_or(0) / 1_000_000;
            let _ = writeln!(
                text,
                "| {} | {} | {threads} | {wall_s:.2} | {megabytes} | {} |",
                kind.name(),
                measured.provider,
                cells.collect::<Vec<_>>().join(" | "),
            );
        }
        text.push('\n');
        for finding in self.findings() {
            let _ = writeln!(text, "- {finding}");
        }
        let _ = writeln!(
            text,
            "- The program takes by itself, for these cores, memory and GPUs: `workers = {}`, `worker_threads = {}`.",
            self.workers, self.threads
        );
        text
    }

    /// What limits the machine, in sentences.
    fn findings(&self) -> Vec<String> {
        let mut findings = Vec::new();
        for kind in Kind::ALL {
            for provider in Provider::ALL {
                let rows = self.rows.iter();
                let rows = rows.filter(|((other, on, _), _)| *other == kind && *on == provider);
                let rows: Vec<_> = rows.map(|((.., threads), row)| (*threads, row)).collect();
                let Some((most, fastest)) = rows.iter().max_by_key(|(threads, _)| *threads) else {
                    continue;
                };
                let on = &fastest.provider;
                let (name, share) = largest(&fastest.timings);
                let mut finding = format!(
                    "A {} on {on}: {:.0} % of the work is `{name}`",
                    kind.name(),
                    100.0 * share
                );
                if let Some((_, alone)) =
                    rows.iter().find(|(threads, _)| *threads == 1 && *most > 1)
                {
                    let times = alone.timings.wall_s / fastest.timings.wall_s;
                    let _ = write!(
                        finding,
                        "; {most} threads make it {times:.2} times as fast as one"
                    );
                    if times < WORTH_WHILE {
                        finding.push_str(
                            ", which does not pay: a longer recording on an idle machine tells more",
                        );
                    }
                }
                finding.push('.');
                findings.push(finding);
            }
        }
        findings
    }
}

/// The part with the most of the processor's work, and its share.
fn largest(timings: &Timings) -> (&str, f64) {
    let worked = timings.parts_s.iter();
    let worked = worked.filter(|(name, _)| *name != Part::Wait.name());
    let all: f64 = worked.clone().map(|(_, time)| time).sum();
    let largest = worked.max_by(|(_, one), (_, other)| one.total_cmp(other));
    largest.map_or(("nothing", 0.0), |(name, time)| (name.as_str(), time / all))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn measured(wall_s: f64) -> Measured {
        let parts = [("network", 6.0), ("encode", 2.0), ("wait", 9.0)];
        let parts = parts.map(|(part, time)| (part.to_owned(), time));
        Measured {
            timings: Timings {
                wall_s,
                parts_s: BTreeMap::from(parts),
            },
            provider: "cpu".to_owned(),
            peak_bytes: Some(400_000_000),
        }
    }

    #[test]
    fn the_fastest_of_a_job_is_shown_with_what_limits_it() {
        let mut report = Report::new(&Settings::default(), 60);
        for (threads, wall_s) in [(1, 8.5), (1, 8.0), (4, 2.5), (4, 2.6)] {
            report.add((Kind::Split, Provider::Cpu, threads), measured(wall_s));
        }
        let text = report.to_text();
        for line in [
            "| split | cpu | 1 | 8.00 | 400 | - | - | 6.00 | - | - | - | 2.00 | - | 9.00 | - |",
            "| split | cpu | 4 | 2.50 | 400 | - | - | 6.00 | - | - | - | 2.00 | - | 9.00 | - |",
            "- A split on cpu: 75 % of the work is `network`; 4 threads make it 3.20 times as fast as one.",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
        }
        report.add((Kind::Blend, Provider::Cpu, 1), measured(8.0));
        report.add((Kind::Blend, Provider::Cpu, 4), measured(8.1));
        let text = report.to_text();
        assert!(
            text.contains("0.99 times as fast as one, which does not pay"),
            "{text}"
        );
        let json = report.to_json();
        assert_eq!(json["jobs"].as_array().map(Vec::len), Some(4));
        assert_eq!(json["jobs"][1]["threadSeconds"]["network"], 6.0);
    }
}
