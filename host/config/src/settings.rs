//! Every setting with its type, its default and what it is for, declared once.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::log_format::LogFormat;
use super::role::Role;
use super::text::{SettingText, TextError};
use super::training::Training;
use vocalhost_job::{JobKind, LossyFiles};
use vocalhost_model::Provider;
use vocalhost_sandbox::Sandbox;

/// Declares every setting once: the struct with its defaults, the flags, and how a text becomes each value.
macro_rules! settings {
    ($( $(#[doc = $doc:literal])+ $name:ident : $kind:ty = $default:expr; )+) => {
        /// The settings in force.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Settings { $( $(#[doc = $doc])+ pub $name: $kind, )+ }

        impl Default for Settings {
            fn default() -> Self {
                Self { $( $name: $default, )+ }
            }
        }

        impl Settings {
            /// The name of every setting, in the order of the documentation.
            pub const NAMES: &'static [&'static str] = &[$( stringify!($name), )+];

            /// What each setting is for, in the order of [`Self::NAMES`].
            pub const SUMMARIES: &'static [&'static str] = &[$( concat!($($doc,)+), )+];

            /// The value that `text` means for the setting `name`; `None` when there is no such setting.
            pub(super) fn value_of(name: &str, text: &str) -> Option<Result<figment::value::Value, TextError>> {
                $( if name == stringify!($name) {
                    return Some(<$kind as SettingText>::parse(text));
                } )+
                None
            }
        }

        /// Settings given as flags; a flag for a list may be repeated.
        #[derive(Debug, Clone, Default, clap::Args)]
        #[command(next_help_heading = "Settings")]
        pub struct SettingFlags { $( $(#[doc = $doc])+ #[arg(long, value_name = "VALUE", hide_short_help = true)] pub $name: Vec<String>, )+ }

        impl SettingFlags {
            /// The flags that were given, as text.
            pub(super) fn given(&self) -> Vec<(&'static str, String)> {
                let mut given = Vec::new();
                $( if !self.$name.is_empty() {
                    given.push((stringify!($name), self.$name.join(",")));
                } )+
                given
            }
        }
    };
}

settings! {
    /// Address and port to listen on; port 0 takes any free one.
    listen: String = "127.0.0.1:8080".to_owned();
    /// Address and port of a listener of its own for `/admin` and `/metrics`, which are then nowhere else; empty means none.
    admin_listen: Option<String> = None;
    /// Folder for the database, recordings and results; made when it is not there.
    data_dir: PathBuf = PathBuf::from("data");
    /// Where users, voices, jobs and all else that is no file lie: `postgres://user:password@host/name` on a `PostgreSQL` server;
    /// empty means a file in `data_dir`.
    database: Option<String> = None;
    /// What this server does: `all`; `api`, everything but jobs; or `worker`, nothing but jobs. Anything but `all` needs a `database` on
    /// a server.
    role: Role = Role::All;
    /// Kinds of job that this server runs: `voice-conversion`, `vocal-separation`, `stem-split`, `voice-blend`,
    /// `voice-training`; empty means all.
    queues: Vec<JobKind> = Vec::new();
    /// What this server is called in the list of servers; empty means the machine's name.
    node_name: Option<String> = None;
    /// Where recordings, results and voices lie: `s3://bucket/prefix` in a store that speaks S3; empty means the folder `files` in
    /// `data_dir`.
    files: Option<String> = None;
    /// Address of the store that speaks S3; empty means that of AWS.
    s3_endpoint: Option<String> = None;
    /// Address under which clients reach that store, for links; empty means `s3_endpoint`.
    s3_public_endpoint: Option<String> = None;
    /// Region of the bucket; empty means what the environment or the AWS tools' file says, and else `us-east-1`.
    s3_region: Option<String> = None;
    /// Whether the bucket stands in the path of the store's addresses rather than in the host's name; empty means when `s3_endpoint` is
    /// given.
    s3_path_style: Option<bool> = None;
    /// File with the store's credentials as the AWS tools have it; empty means the environment, then what those tools use.
    s3_credentials_file: Option<PathBuf> = None;
    /// How the store is to encrypt files: `AES256`, `aws:kms` or `aws:kms:dsse`; empty leaves it to the bucket.
    s3_encryption: Option<String> = None;
    /// The key of the store's key service that files are encrypted with; empty means the bucket's.
    s3_kms_key: Option<String> = None;
    /// The checksum that files are sent to the store with: `sha256`, `crc64nvme`, or `none` for stores that refuse it.
    s3_checksum: String = "sha256".to_owned();
    /// How long the store may be silent within a request before it is sent again, in seconds; a part of 8 MiB has to be sent in it.
    s3_silence_s: f64 = 20.0;
    /// Whether results in a bucket are served by this server rather than by links to the store, for stores that clients cannot reach.
    files_proxy: bool = false;
    /// Paths under which the API answers, each ending in the version segment; links use the first one.
    api_roots: Vec<String> = vec!["/api/v1".to_owned()];
    /// Address under which clients reach this server, for the links in answers; empty means the listen address.
    public_url: Option<String> = None;
    /// Folders with model packages; by default those that came with the program, and else the folder `models` of the current one.
    models_dir: Vec<PathBuf> = vec![PathBuf::from("models")];
    /// Bytes of one file of a model that is uploaded.
    max_model_bytes: u64 = 1 << 30;
    /// Ids of the separator packages to use, at most one for each task; for other tasks the newest is used.
    separators: Vec<String> = Vec::new();
    /// Ids of the content encoder and the F0 estimator packages for voices of RVC that name none themselves; otherwise the encoder
    /// that was installed first and the newest estimator are used.
    voice_parts: Vec<String> = Vec::new();
    /// The ONNX Runtime library; empty means that the usual places are searched.
    onnxruntime: Option<PathBuf> = None;
    /// What models run on, in the order of preference: `cpu`, `cuda`, `tensorrt`, `rocm`, `migraphx`, `directml`, `coreml`,
    /// `openvino`, `xnnpack` or `onednn`, as far as the ONNX Runtime library has it; what the others do not take runs on the
    /// processor.
    providers: Vec<Provider> = vec![Provider::Cpu];
    /// Whether jobs fail when their models cannot run on `providers`, rather than run on the processor.
    provider_strict: bool = false;
    /// Numbers of the GPUs that the workers take in turn; empty means the first one.
    gpu_ids: Vec<u64> = Vec::new();
    /// Memory that a worker may hold between jobs with models that are loaded, in bytes; 0 means half of
    /// `worker_memory_bytes`.
    model_memory_bytes: u64 = 0;
    /// Bytes that the copies of stored voices may take up in the data folder, so many that those in use are hardly ever fetched twice; 0
    /// means no limit.
    model_cache_bytes: u64 = 20 << 30;
    /// Worker processes, each with one job at a time; 0 means one for four cores, or two for each GPU, as far as memory allows.
    workers: usize = 0;
    /// Workers of them that train voices at a time; other jobs have the rest to themselves.
    training_workers: usize = 1;
    /// Conversions while somebody speaks, at a time: each takes about half a core for as long as it lasts; 0 means that this server has none.
    live_workers: usize = 1;
    /// Threads of each worker; 0 means the cores divided by the workers.
    worker_threads: usize = 0;
    /// Memory that a worker may use before it is stopped, in bytes.
    worker_memory_bytes: u64 = 2 << 30;
    /// What the processes that touch sound and models are kept from, by the system: `auto`, whatever this system can; `required`, all
    /// of it, without which the server does not start; or `off`.
    sandbox: Sandbox = Sandbox::Auto;
    /// Bytes that have to stay free on the disk of `data_dir`: a job that leaves less is stopped; 0 means no limit.
    min_free_bytes: u64 = 512 << 20;
    /// Memory that one effect may use unless it has a limit of its own, in bytes.
    effect_memory_bytes: u64 = 64 << 20;
    /// Seconds of work that one effect may take per second of audio unless it has a limit of its own.
    effect_work_per_audio: f64 = 10.0;
    /// The longest recording that is accepted, in seconds.
    max_duration_s: f64 = 7_200.0;
    /// What every job may take whatever its length, in seconds: models are loaded in it.
    job_timeout_s: f64 = 60.0;
    /// Seconds that a job may take beside that for each second of its recording, on the slowest machine that is worth using.
    job_timeout_per_audio: f64 = 20.0;
    /// How long a job stays with workers that nothing is heard of, in seconds, before others take it: long enough to survive a disk that
    /// is slow for a moment, short enough that nobody waits long.
    lease_s: f64 = 30.0;
    /// Jobs of one user that run at a time.
    max_running_per_user: u64 = 2;
    /// Jobs of one user that may wait.
    max_queued_per_user: u64 = 100;
    /// Jobs of all users that may wait.
    max_queue: u64 = 10_000;
    /// Bytes that the recordings, results and voices of one user may take up; 0 means no limit.
    storage_quota_bytes: u64 = 0;
    /// Minutes of audio that one user may give in over 30 days; 0 means no limit.
    audio_minutes_quota: u64 = 0;
    /// Who may train voices of recordings: `off`, nobody; `admins`, users whose key has the scope `admin`; `users`, everybody; or `review`,
    /// everybody, but nobody can use a new voice before an operator has enabled it.
    training: Training = Training::Off;
    /// Whether a voice is trained only where the person whose voice it is has said so in a recording, with a number that the server has just given.
    spoken_consent: bool = false;
    /// A folder of recordings of voices that nobody may train, one file each; a minute is enough. Empty means none.
    protected_voices: Option<PathBuf> = None;
    /// Trainings of voices that one user may begin on a day, by UTC: enough to try again, too few to copy a phone book; 0 means no limit.
    trainings_per_day: u64 = 5;
    /// Conversions while they speak that one user may have at a time; 0 means no limit.
    max_live_per_user: u64 = 1;
    /// Minutes of sound that a voice is trained on at most; of longer recordings the rest is not used.
    max_training_minutes: u64 = 20;
    /// Jobs and the like that one user may make in a minute; 0 means no limit.
    rate_limit_creations_per_min: u64 = 60;
    /// Other requests that one user may send in a minute; 0 means no limit.
    rate_limit_reads_per_min: u64 = 1_000;
    /// Failed authentications from one address in a minute, after which they are answered with 429; 0 means no limit.
    rate_limit_auth_failures_per_min: u64 = 60;
    /// When the MP3 files that go along with results are made, unless a job says it: `with-job`, or `on-demand`, each when it is first
    /// asked for.
    lossy: LossyFiles = LossyFiles::WithJob;
    /// How long results are kept after a job ended, in seconds.
    result_retention_s: u64 = 7 * 86_400;
    /// How long recordings are kept after a job ended, in seconds.
    input_retention_s: u64 = 86_400;
    /// How long the records of ended jobs are kept, in seconds.
    record_retention_s: u64 = 90 * 86_400;
    /// How long the audit log is kept, in seconds.
    audit_retention_s: u64 = 365 * 86_400;
    /// How long resumable uploads are kept after they were announced, in seconds.
    upload_retention_s: u64 = 86_400;
    /// How long requests and jobs may go on after the server was told to stop, in seconds.
    grace_period_s: f64 = 30.0;
    /// How long a link to a result file works, in seconds.
    result_url_ttl_s: u64 = 14_400;
    /// How long somebody stays signed in to the console, in seconds.
    session_ttl_s: u64 = 43_200;
    /// Secret that signs links, at least 32 characters; empty means one made at first start and kept in the data folder, or in a
    /// `database` on a server.
    url_signing_key: Option<String> = None;
    /// Web origins whose pages may call the API; `*` admits all, an empty list none.
    cors_origins: Vec<String> = Vec::new();
    /// Proxies whose forwarding headers are believed: addresses or ranges such as `10.0.0.0/8`.
    trusted_proxies: Vec<String> = Vec::new();
    /// Connections open at a time; more wait in the system's queue.
    max_connections: usize = 1_024;
    /// Connections open at a time from one address that is no trusted proxy; 0 means no limit.
    max_connections_per_address: usize = 256;
    /// How long a client may take to send the head of a request, in seconds.
    header_timeout_s: f64 = 10.0;
    /// How long a client may fall silent (or send less than 1 KiB a second) within a request's body, or stop reading an
    /// answer, in seconds.
    body_idle_timeout_s: f64 = 10.0;
    /// How long the whole body of a request may take, in seconds.
    body_timeout_s: f64 = 3_600.0;
    /// Networks, addresses and hosts that webhooks may go to although they are not on the public internet.
    webhook_allow_private: Vec<String> = Vec::new();
    /// How long a webhook's receiver may take to answer, in seconds.
    webhook_timeout_s: f64 = 15.0;
    /// Pauses between the tries to deliver a webhook, in seconds; after the last one it is given up.
    webhook_retries_s: Vec<f64> = WEBHOOK_RETRIES_S.to_vec();
    /// PEM file with certificate authorities that webhooks trust beside the usual ones.
    webhook_ca_file: Option<PathBuf> = None;
    /// How long deliveries of webhooks are remembered after they ended, in seconds.
    webhook_retention_s: u64 = 30 * 86_400;
    /// Address of a collector of OpenTelemetry that traces are sent to, as OTLP over HTTP; empty means none are made.
    otlp_endpoint: Option<String> = None;
    /// What is logged: a level, or directives such as `vocalhost=debug,info`.
    log: String = "info".to_owned();
    /// How the log is written: `text` or `json`.
    log_format: LogFormat = LogFormat::Text;
}

/// From seconds for a restart to a day for a weekend: eleven tries within about three days.
const WEBHOOK_RETRIES_S: [f64; 10] = [
    5.0, 60.0, 300.0, 1_800.0, 7_200.0, 18_000.0, 36_000.0, 50_400.0, 72_000.0, 86_400.0,
];

/// Settings whose value is a secret, or has one in it, and is never shown.
pub(super) const SECRET_NAMES: [&str; 2] = ["database", "url_signing_key"];
