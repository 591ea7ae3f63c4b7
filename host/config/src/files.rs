//! Where files lie.

use std::time::Duration;

use super::check::Mistakes;
use super::settings::Settings;
use vocalhost_files::{Bucket, BucketAddress, Checksum, Encryption};

/// No signature of S3 holds longer than a week.
const LONGEST_LINK_S: u64 = 7 * 86_400;

/// The word for sending no checksum.
const NO_CHECKSUM: &str = "none";

impl Settings {
    /// The bucket that files lie in; none when they lie in the data folder.
    #[must_use]
    pub fn bucket(&self) -> Option<Bucket> {
        // The settings were checked when they were read.
        let address: BucketAddress = self.files.as_ref()?.parse().ok()?;
        let mut checksums = Checksum::ALL.into_iter();
        Some(Bucket {
            endpoint: self.s3_endpoint.clone(),
            public_endpoint: self.s3_public_endpoint.clone(),
            region: self.s3_region.clone(),
            path_style: self.s3_path_style.unwrap_or(self.s3_endpoint.is_some()),
            credentials_file: self.s3_credentials_file.clone(),
            encryption: self.s3_encryption.as_deref().and_then(Encryption::named),
            kms_key: self.s3_kms_key.clone(),
            checksum: checksums.find(|one| one.as_str() == self.s3_checksum),
            silence: Duration::from_secs_f64(self.s3_silence_s),
            ..Bucket::at(address)
        })
    }

    pub(super) fn check_files(&self, mistakes: &mut Mistakes) {
        let address = self.files.as_deref().map(str::parse::<BucketAddress>);
        if let Some(Err(error)) = &address {
            mistakes.unless(false, || format!("`files` {error}"));
        }
        mistakes.unless_plain(
            self.files.is_some() || self.s3_endpoint.is_none(),
            "`s3_endpoint` needs `files = \"s3://bucket/prefix\"` beside it",
        );
        let encryption = self.s3_encryption.as_deref();
        mistakes.unless(
            encryption.is_none_or(|word| Encryption::named(word).is_some()),
            || {
                format!(
                    "`s3_encryption` must be one of {}",
                    Encryption::WORDS.join(", ")
                )
            },
        );
        mistakes.unless_plain(
            self.s3_kms_key.is_none() || encryption.is_some_and(|word| word.starts_with("aws:kms")),
            "`s3_kms_key` needs `s3_encryption = \"aws:kms\"` or \"aws:kms:dsse\" beside it",
        );
        let mut checksums = Checksum::ALL.into_iter();
        mistakes.unless_plain(
            self.s3_checksum == NO_CHECKSUM
                || checksums.any(|one| one.as_str() == self.s3_checksum),
            "`s3_checksum` must be sha256, crc64nvme or none",
        );
        mistakes.unless_plain(
            self.files.is_none() || self.files_proxy || self.result_url_ttl_s <= LONGEST_LINK_S,
            "`result_url_ttl_s` must be at most 604800, a week, when links lead to a bucket",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_bucket() -> Settings {
        Settings {
            files: Some("s3://sounds/of".to_owned()),
            ..Settings::default()
        }
    }

    #[test]
    fn files_lie_in_the_data_folder_unless_a_bucket_is_named() {
        assert_eq!(Settings::default().bucket(), None);
        let bucket = in_bucket().bucket().expect("it is named");
        assert_eq!(bucket.address.to_string(), "s3://sounds/of");
        assert_eq!(bucket.checksum, Some(Checksum::Sha256));
        assert!(!bucket.path_style);
        let settings = Settings {
            s3_endpoint: Some("http://127.0.0.1:9000".to_owned()),
            s3_checksum: "none".to_owned(),
            ..in_bucket()
        };
        let bucket = settings.bucket().expect("it is named");
        assert!(bucket.path_style);
        assert_eq!(bucket.checksum, None);
        let settings = Settings {
            s3_path_style: Some(false),
            ..settings
        };
        assert!(!settings.bucket().expect("it is named").path_style);
    }

    #[test]
    fn what_does_not_go_together_is_said() {
        let endpoint = Some("http://127.0.0.1:9000".to_owned());
        for (settings, name) in [
            (
                Settings {
                    files: Some("sounds".to_owned()),
                    ..in_bucket()
                },
                "`files` must be s3://",
            ),
            (
                Settings {
                    s3_endpoint: endpoint,
                    ..Settings::default()
                },
                "`s3_endpoint` needs",
            ),
            (
                Settings {
                    s3_endpoint: Some("sounds".to_owned()),
                    ..in_bucket()
                },
                "`s3_endpoint` must",
            ),
            (
                Settings {
                    s3_encryption: Some("rot13".to_owned()),
                    ..in_bucket()
                },
                "`s3_encryption` must",
            ),
            (
                Settings {
                    s3_kms_key: Some("key".to_owned()),
                    ..in_bucket()
                },
                "`s3_kms_key` needs",
            ),
            (
                Settings {
                    s3_checksum: "md5".to_owned(),
                    ..in_bucket()
                },
                "`s3_checksum` must",
            ),
            (
                Settings {
                    s3_silence_s: 0.0,
                    ..in_bucket()
                },
                "`s3_silence_s` must",
            ),
            (
                Settings {
                    result_url_ttl_s: 604_801,
                    ..in_bucket()
                },
                "`result_url_ttl_s` must be at most",
            ),
        ] {
            let mistakes = settings.check().expect_err(name);
            assert_eq!(mistakes.len(), 1, "{mistakes:?}");
            assert!(mistakes[0].starts_with(name), "{mistakes:?}");
        }
        let proxied = Settings {
            files_proxy: true,
            result_url_ttl_s: 604_801,
            ..in_bucket()
        };
        assert_eq!(proxied.check(), Ok(()));
    }
}
