use std::collections::BTreeSet;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;

use ipnet::IpNet;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::network::Network;
use super::settings::Settings;

/// A signing secret shorter than this could be guessed.
const SHORTEST_SIGNING_KEY: usize = 32;

/// What is wrong with the settings, a sentence each.
#[derive(Default)]
pub(super) struct Mistakes(Vec<String>);

impl Mistakes {
    pub(super) fn unless(&mut self, holds: bool, sentence: impl FnOnce() -> String) {
        if !holds {
            self.0.push(sentence());
        }
    }

    pub(super) fn unless_plain(&mut self, holds: bool, sentence: &str) {
        self.unless(holds, || sentence.to_owned());
    }

    fn unless_within(&mut self, range: RangeInclusive<u64>, counts: &[(&str, u64)]) {
        let (least, most) = (range.start(), range.end());
        for (name, count) in counts {
            self.unless(range.contains(count), || {
                format!("`{name}` must be between {least} and {most}")
            });
        }
    }
}

impl Settings {
    /// Whether the values make sense. The error has one sentence per setting that does not.
    pub fn check(&self) -> Result<(), Vec<String>> {
        let mut mistakes = Mistakes::default();
        self.check_addresses(&mut mistakes);
        self.check_role(&mut mistakes);
        self.check_files(&mut mistakes);
        self.check_times(&mut mistakes);
        self.check_counts(&mut mistakes);
        self.check_work(&mut mistakes);
        if mistakes.0.is_empty() {
            Ok(())
        } else {
            Err(mistakes.0)
        }
    }

    /// Where the server listens, what it says about itself, and whose word counts about who they are.
    fn check_addresses(&self, mistakes: &mut Mistakes) {
        mistakes.unless_plain(
            !self.data_dir.as_os_str().is_empty(),
            "`data_dir` must name a folder",
        );
        mistakes.unless_plain(
            self.database.as_deref().is_none_or(is_database_address),
            "`database` must begin with postgres:// or postgresql:// and name a host",
        );
        mistakes.unless_plain(
            is_listen_address(&self.listen),
            "`listen` must be an address and a port, such as 127.0.0.1:8080",
        );
        mistakes.unless_plain(
            self.admin_listen.as_deref().is_none_or(is_listen_address),
            "`admin_listen` must be an address and a port, such as 127.0.0.1:8081",
        );
        mistakes.unless_plain(
            !self.api_roots.is_empty(),
            "`api_roots` must name at least one path",
        );
        let different: BTreeSet<&String> = self.api_roots.iter().collect();
        mistakes.unless_plain(
            different.len() == self.api_roots.len(),
            "`api_roots` must not name a path twice",
        );
        for root in &self.api_roots {
            mistakes.unless(is_api_root(root), || format!(
                "`api_roots`: {root:?} must begin with a slash, must not end in one, and may have only letters, digits and -._~ between slashes"
            ));
        }
        for (name, address) in [
            ("public_url", &self.public_url),
            ("s3_endpoint", &self.s3_endpoint),
            ("s3_public_endpoint", &self.s3_public_endpoint),
            ("otlp_endpoint", &self.otlp_endpoint),
        ] {
            mistakes.unless(address.as_deref().is_none_or(is_web_address), || {
                format!(
                    "`{name}` must begin with http:// or https:// and name a host, without a query"
                )
            });
        }
        for origin in &self.cors_origins {
            mistakes.unless(origin == "*" || is_web_address(origin), || {
                format!("`cors_origins`: {origin:?} must be * or begin with http:// or https://")
            });
        }
        for proxy in &self.trusted_proxies {
            mistakes.unless(Network::from_str(proxy).is_ok(), || {
                format!(
                    "`trusted_proxies`: {proxy:?} must be an address or a range such as 10.0.0.0/8"
                )
            });
        }
        let key = self.url_signing_key.as_ref();
        mistakes.unless_plain(
            key.is_none_or(|key| key.len() >= SHORTEST_SIGNING_KEY),
            "`url_signing_key` must have at least 32 characters",
        );
    }

    fn check_times(&self, mistakes: &mut Mistakes) {
        let sensible =
            |seconds: f64| seconds.is_finite() && seconds > 0.0 && seconds <= LONGEST_SECONDS;
        for (name, seconds) in [
            ("max_duration_s", self.max_duration_s),
            ("job_timeout_s", self.job_timeout_s),
            ("job_timeout_per_audio", self.job_timeout_per_audio),
            ("header_timeout_s", self.header_timeout_s),
            ("body_idle_timeout_s", self.body_idle_timeout_s),
            ("body_timeout_s", self.body_timeout_s),
            ("webhook_timeout_s", self.webhook_timeout_s),
            ("s3_silence_s", self.s3_silence_s),
        ] {
            mistakes.unless(sensible(seconds), || {
                format!("`{name}` must be a number of seconds above 0")
            });
        }
        mistakes.unless_plain(
            (0.0..=LONGEST_SECONDS).contains(&self.grace_period_s),
            "`grace_period_s` must be a number of seconds, 0 or more",
        );
        mistakes.unless_plain(
            (5.0..=3_600.0).contains(&self.lease_s),
            "`lease_s` must be between 5 and 3600",
        );
        mistakes.unless_plain(
            self.webhook_retries_s.iter().all(|pause| sensible(*pause)),
            "`webhook_retries_s` must be numbers of seconds above 0",
        );
        mistakes.unless_plain(
            (0.001..=1_000.0).contains(&self.effect_work_per_audio),
            "`effect_work_per_audio` must be between 0.001 and 1000",
        );
    }

    fn check_counts(&self, mistakes: &mut Mistakes) {
        mistakes.unless_within(
            1..=LARGEST_COUNT,
            &[
                ("max_running_per_user", self.max_running_per_user),
                ("max_queued_per_user", self.max_queued_per_user),
                ("max_queue", self.max_queue),
                ("max_connections", self.max_connections as u64),
                ("effect_memory_bytes", self.effect_memory_bytes),
                ("worker_memory_bytes", self.worker_memory_bytes),
                ("result_url_ttl_s", self.result_url_ttl_s),
                ("session_ttl_s", self.session_ttl_s),
                ("result_retention_s", self.result_retention_s),
                ("input_retention_s", self.input_retention_s),
                ("record_retention_s", self.record_retention_s),
                ("webhook_retention_s", self.webhook_retention_s),
                ("audit_retention_s", self.audit_retention_s),
                ("upload_retention_s", self.upload_retention_s),
            ],
        );
        mistakes.unless_within(
            1..=MOST_TRAINING_MINUTES,
            &[("max_training_minutes", self.max_training_minutes)],
        );
        let auth_failures = self.rate_limit_auth_failures_per_min;
        let creations = self.rate_limit_creations_per_min;
        mistakes.unless_within(
            0..=LARGEST_COUNT,
            &[
                ("storage_quota_bytes", self.storage_quota_bytes),
                ("audio_minutes_quota", self.audio_minutes_quota),
                ("rate_limit_creations_per_min", creations),
                ("rate_limit_reads_per_min", self.rate_limit_reads_per_min),
                ("rate_limit_auth_failures_per_min", auth_failures),
            ],
        );
    }

    /// How much is done at a time, on what, and what is said about it.
    fn check_work(&self, mistakes: &mut Mistakes) {
        let model_bytes = LEAST_MODEL_BYTES..=MOST_MODEL_BYTES;
        mistakes.unless_within(model_bytes, &[("max_model_bytes", self.max_model_bytes)]);
        mistakes.unless_within(
            0..=MOST_AT_A_TIME,
            &[
                ("workers", self.workers as u64),
                ("worker_threads", self.worker_threads as u64),
            ],
        );
        mistakes.unless_plain(
            !self.providers.is_empty(),
            "`providers` must name at least one execution provider",
        );
        mistakes.unless(self.gpu_ids.iter().all(|id| *id <= LARGEST_GPU_ID), || {
            format!("`gpu_ids` must be between 0 and {LARGEST_GPU_ID}")
        });
        mistakes.unless_plain(
            self.model_memory_bytes <= self.worker_memory_bytes,
            "`model_memory_bytes` must be at most `worker_memory_bytes`",
        );
        for entry in &self.webhook_allow_private {
            mistakes.unless(is_network(entry) || is_host(entry), || format!(
                "`webhook_allow_private`: {entry:?} is no network such as 10.0.0.0/8, no address and no host's name"
            ));
        }
        mistakes.unless_plain(
            is_log(&self.log),
            "`log` must be a level (off, error, warn, info, debug, trace) or directives such as vocalhost=debug,info",
        );
    }
}

/// The most minutes of sound that a worker has memory to train on.
const MOST_TRAINING_MINUTES: u64 = 60;

/// More processes, or threads of one process, are a typing mistake that would bring any machine to a halt.
const MOST_AT_A_TIME: u64 = 1_024;

/// More GPUs than any machine has.
const LARGEST_GPU_ID: u64 = 255;

/// No model of use is smaller, and no file of a package may be larger.
const LEAST_MODEL_BYTES: u64 = 1 << 20;
const MOST_MODEL_BYTES: u64 = 1 << 30;

/// A year: far beyond any sensible timeout, and safe from overflow in every clock.
const LONGEST_SECONDS: f64 = 31_536_000.0;

/// So many seconds still fit the database's integers as microseconds, and so does every count.
const LARGEST_COUNT: u64 = 1_000_000_000_000;

fn is_api_root(root: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    root.strip_prefix('/').is_some_and(|rest| {
        rest.split('/')
            .all(|part| !part.is_empty() && part.chars().all(plain))
    })
}

/// Whether these are directives of the log, each with a level: without one a mistyped level would be the name of a
/// target, and nothing would be logged.
fn is_log(directives: &str) -> bool {
    let has_level = |directive: &str| {
        let level = directive
            .rsplit_once('=')
            .map_or(directive, |(_, level)| level);
        !level.is_empty() && LevelFilter::from_str(level).is_ok()
    };
    directives.split(',').all(has_level) && EnvFilter::try_new(directives).is_ok()
}

fn is_network(text: &str) -> bool {
    text.parse::<IpNet>().is_ok() || text.parse::<IpAddr>().is_ok()
}

/// Whether this may be a host's name; one that is all digits and dots is an address that was mistyped.
fn is_host(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let digits = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    !digits
        && text
            .split('.')
            .all(|part| !part.is_empty() && part.chars().all(plain))
}

fn is_listen_address(address: &str) -> bool {
    address
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

/// Whether this is the address of a `PostgreSQL` server. The rest of it is the driver's matter; what is wrong there is not repeated,
/// for there may be a password in it.
fn is_database_address(address: &str) -> bool {
    let rest = address
        .strip_prefix("postgres://")
        .or_else(|| address.strip_prefix("postgresql://"));
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_graphic()))
}

fn is_web_address(address: &str) -> bool {
    let rest = address
        .strip_prefix("http://")
        .or_else(|| address.strip_prefix("https://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && rest
                .chars()
                .all(|c| c.is_ascii_graphic() && !"?#".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_named_once() {
        let settings = Settings {
            api_roots: vec!["/api/v1".to_owned(), "/v1".to_owned(), "/api/v1".to_owned()],
            ..Settings::default()
        };
        let mistakes = settings.check().unwrap_err();
        assert_eq!(mistakes, ["`api_roots` must not name a path twice"]);
    }

    #[test]
    fn every_mistake_is_reported_at_once() {
        let settings = Settings {
            listen: "here".to_owned(),
            data_dir: std::path::PathBuf::new(),
            database: Some("mysql://db/sounds".to_owned()),
            api_roots: vec!["api/".to_owned()],
            public_url: Some("example.com".to_owned()),
            max_duration_s: f64::NAN,
            max_queue: 0,
            max_training_minutes: 61,
            workers: 4_000_000,
            worker_threads: 1_025,
            providers: Vec::new(),
            gpu_ids: vec![256],
            model_memory_bytes: u64::MAX,
            log: "nonsense=".to_owned(),
            webhook_allow_private: vec!["10.0.0".to_owned()],
            webhook_retries_s: vec![0.0],
            ..Settings::default()
        };
        let mistakes = settings.check().unwrap_err();
        let named = [
            "`listen`",
            "`data_dir`",
            "`database`",
            "`api_roots`",
            "`public_url`",
            "`max_duration_s`",
            "`max_queue`",
            "`max_training_minutes`",
            "`workers`",
            "`worker_threads`",
            "`providers`",
            "`gpu_ids`",
            "`model_memory_bytes`",
            "`log`",
            "`webhook_allow_private`",
            "`webhook_retries_s`",
        ];
        assert_eq!(mistakes.len(), named.len(), "{mistakes:?}");
        for name in named {
            assert!(
                mistakes.iter().any(|mistake| mistake.contains(name)),
                "{name}"
            );
        }
    }

    #[test]
    fn every_directive_of_the_log_has_a_level() {
        for log in [
            "info",
            "OFF",
            "vocalhost=debug,info",
            "warn,vocalhost::api=trace",
            "[request{id=1}]=debug,error",
        ] {
            assert!(is_log(log), "{log}");
        }
        for log in [
            "",
            "inof",
            "nonsense=",
            "vocalhost=loud",
            "info,",
            "info,vocalhost",
            "vocalhost[=info",
            "}{=info",
        ] {
            assert!(!is_log(log), "{log}");
        }
    }

    #[test]
    fn the_defaults_are_sensible() {
        assert_eq!(Settings::default().check(), Ok(()));
    }
}
