//! A store that speaks S3: how requests are sent, and how often they are retried.

use std::time::Duration;

use object_store::aws::{self, AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path as Location;
use object_store::prefix::PrefixStore;
use object_store::signer::{Method, SignedUrlOptions, Signer as _};
use object_store::{BackoffConfig, ClientOptions, RetryConfig};

use super::bucket::{Bucket, Checksum};
use super::credentials::{Credentials, Environment, region};

/// How long it may take to connect.
const CONNECT: Duration = Duration::from_secs(5);

/// For how long a request is retried when somebody waits for it.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// The region of a store that has none.
const ANY_REGION: &str = "us-east-1";

/// A bucket, with a client for each degree of patience.
#[derive(Debug)]
pub(super) struct S3 {
    /// The address, for people.
    pub(super) place: String,
    /// For work that nobody waits for.
    pub(super) patient: PrefixStore<AmazonS3>,
    /// For checking whether the store answers.
    pub(super) probe: PrefixStore<AmazonS3>,
    /// Signs links, at the address that clients know.
    links: AmazonS3,
    prefix: Location,
    /// Whether no credentials were found anywhere.
    unnamed: bool,
}

/// The name and the type that a browser gives to a file it saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Download<'d> {
    /// The file's name, plain ASCII without quotation marks.
    pub name: &'d str,
    /// Its media type.
    pub media_type: &'d str,
}

/// How often, and for how long in all, a request is retried that failed by the store's fault.
#[derive(Debug, Clone, Copy)]
struct Patience {
    tries_again: usize,
    in_all: Duration,
    silence: Duration,
}

impl S3 {
    /// Makes the clients of a bucket, the one for requests that somebody waits for among them. Sends no request yet.
    pub(super) fn open(
        bucket: &Bucket,
        environment: Environment<'_>,
    ) -> object_store::Result<(Self, PrefixStore<AmazonS3>)> {
        // If a provider is installed already, it is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let credentials = Credentials::find(bucket.credentials_file.as_deref(), environment);
        let region = bucket.region.clone().or_else(|| region(environment));
        let region = region.unwrap_or_else(|| ANY_REGION.to_owned());
        let prefix = Location::parse(&bucket.address.prefix)?;
        let client = |endpoint: Option<&str>, patience: Patience| {
            let builder = AmazonS3Builder::new()
                .with_bucket_name(&bucket.address.bucket)
                .with_region(&region);
            let builder = credentials.tell(at(bucket, builder, endpoint, patience));
            asking(bucket, builder).build()
        };
        let endpoint = bucket.endpoint.as_deref();
        let within = |store| PrefixStore::new(store, prefix.clone());
        let somebody_waits = Patience {
            tries_again: 4,
            in_all: bucket.patience.min(LONGEST_WAIT),
            silence: bucket.silence,
        };
        let nobody_waits = Patience {
            tries_again: 10,
            in_all: bucket.patience,
            ..somebody_waits
        };
        let only_looks = Patience {
            tries_again: 1,
            in_all: Duration::from_secs(2),
            silence: bucket.silence.min(CONNECT),
        };
        let of_clients = bucket.public_endpoint.as_deref().or(endpoint);
        let s3 = Self {
            place: match endpoint {
                Some(endpoint) => format!("{} at {endpoint}", bucket.address),
                None => bucket.address.to_string(),
            },
            patient: within(client(endpoint, nobody_waits)?),
            probe: within(client(endpoint, only_looks)?),
            links: client(of_clients, somebody_waits)?,
            unnamed: credentials == Credentials::Machine,
            prefix: prefix.clone(),
        };
        Ok((s3, within(client(endpoint, somebody_waits)?)))
    }

    /// A link with which anybody can read an object for a while.
    pub(super) async fn link(
        &self,
        location: &Location,
        download: &Download<'_>,
        lasts: Duration,
    ) -> object_store::Result<String> {
        let path: Location = self.prefix.parts().chain(location.parts()).collect();
        let disposition = format!("attachment; filename=\"{}\"", download.name);
        let options = SignedUrlOptions::new().with_query([
            ("response-content-disposition", disposition.as_str()),
            ("response-content-type", download.media_type),
        ]);
        let link = self
            .links
            .signed_url_opts(Method::GET, &path, lasts, &options)
            .await?;
        Ok(link.into())
    }

    /// What an operator should look at after this error.
    pub(super) fn explain(&self, error: &object_store::Error) -> String {
        let text = error.to_string();
        let code = |code: &str| text.contains(&format!("<Code>{code}</Code>"));
        let reason = match error {
            _ if code("NoSuchBucket") => "there is no such bucket",
            _ if code("SignatureDoesNotMatch") => {
                "the secret of the credentials is not the right one"
            }
            _ if code("InvalidAccessKeyId") || code("InvalidToken") => {
                "the credentials are not known there"
            }
            _ if code("RequestTimeTooSkewed") => "the clock of this machine is wrong",
            object_store::Error::PermissionDenied { .. } => {
                "the credentials may not write, read, list and delete there"
            }
            _ if self.unnamed => {
                "no credentials were found in the environment or a file, and the machine has none"
            }
            object_store::Error::Unauthenticated { .. } => "there are no credentials",
            object_store::Error::NotFound { .. } => {
                "there is no such bucket, or what was written is gone"
            }
            _ => "it does not answer as it should",
        };
        format!("cannot use {}: {reason} ({text})", self.place)
    }
}

/// Sets the endpoint, the limits on waiting, and the retries.
fn at(
    bucket: &Bucket,
    builder: AmazonS3Builder,
    endpoint: Option<&str>,
    patience: Patience,
) -> AmazonS3Builder {
    let is_plain = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
    let client = ClientOptions::new()
        // It would limit a whole body, however long that is.
        .with_timeout_disabled()
        .with_connect_timeout(CONNECT.min(patience.silence))
        .with_read_timeout(patience.silence)
        .with_allow_http(is_plain)
        // Without TLS no certificates are needed, and a small container has none.
        .with_no_system_certificates(is_plain);
    let retry = RetryConfig {
        max_retries: patience.tries_again,
        retry_timeout: patience.in_all,
        backoff: BackoffConfig {
            max_backoff: LONGEST_PAUSE.min(patience.in_all / 10),
            ..BackoffConfig::default()
        },
    };
    let builder = builder
        .with_client_options(client)
        .with_retry(retry)
        // Files are deleted one by one, and not every store can delete many at once.
        .with_disable_bulk_delete(true)
        .with_virtual_hosted_style_request(!bucket.path_style);
    match endpoint {
        Some(endpoint) if bucket.path_style => builder.with_endpoint(endpoint),
        Some(endpoint) => builder.with_endpoint(host_of(&bucket.address.bucket, endpoint)),
        None => builder,
    }
}

/// The encryption and checksums that the store is asked for.
fn asking(bucket: &Bucket, builder: AmazonS3Builder) -> AmazonS3Builder {
    let builder = match bucket.encryption {
        None => builder,
        Some(encryption) => {
            let key = "aws_server_side_encryption".parse::<AmazonS3ConfigKey>();
            let key = key.expect("it is a key of the library");
            builder.with_config(key, encryption.as_str())
        }
    };
    let builder = match &bucket.kms_key {
        None => builder,
        Some(kms_key) => {
            let key = "aws_sse_kms_key_id".parse::<AmazonS3ConfigKey>();
            builder.with_config(key.expect("it is a key of the library"), kms_key)
        }
    };
    match bucket.checksum {
        None => builder,
        Some(Checksum::Sha256) => builder.with_checksum_algorithm(aws::Checksum::SHA256),
        Some(Checksum::Crc64Nvme) => builder.with_checksum_algorithm(aws::Checksum::CRC64NVME),
    }
}

/// The address of a bucket as a subdomain of the store: `https://bucket.store.example`.
fn host_of(bucket: &str, endpoint: &str) -> String {
    let endpoint = endpoint.trim_end_matches('/');
    match endpoint.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{bucket}.{rest}"),
        None => endpoint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_a_name_below_the_store() {
        for (endpoint, host) in [
            ("https://s3.example/", "https://sounds.s3.example"),
            ("http://127.0.0.1:9000", "http://sounds.127.0.0.1:9000"),
        ] {
            assert_eq!(host_of("sounds", endpoint), host);
        }
    }
}
