use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// A bucket of a store that speaks S3, and how to speak to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Where in which bucket.
    pub address: BucketAddress,
    /// The store's address; none is that of AWS.
    pub endpoint: Option<String>,
    /// The address under which clients reach the store, for links; none is the same.
    pub public_endpoint: Option<String>,
    /// The region; without one the environment's or the one in the AWS tools' file, else `us-east-1`.
    pub region: Option<String>,
    /// Whether the bucket stands in the path of addresses rather than in the host's name.
    pub path_style: bool,
    /// File with credentials in the format of the AWS tools; without one they are looked for where those tools look.
    pub credentials_file: Option<PathBuf>,
    /// How the store is to encrypt what it keeps; none leaves it to the bucket's settings.
    pub encryption: Option<Encryption>,
    /// The key in the key service that it is to encrypt with; none uses the bucket's.
    pub kms_key: Option<String>,
    /// The checksum sent with each upload, which the store compares and keeps.
    pub checksum: Option<Checksum>,
    /// How long the store may be silent within a request before it is sent again.
    pub silence: Duration,
    /// For how long a request is retried when the store fails and nobody waits for the answer.
    pub patience: Duration,
}

/// `s3://bucket/prefix`: a bucket, and what every key in it begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketAddress {
    /// The bucket.
    pub bucket: String,
    /// What stands before every key, without slashes around it; may be empty.
    pub prefix: String,
}

/// A text that is no address of a bucket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be s3://bucket or s3://bucket/prefix, with a bucket of 3 to 63 lower-case letters, digits, dots and hyphens, and only letters, digits and -._ between the slashes of the prefix"
)]
pub struct BucketAddressError;

/// How a store encrypts what it keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encryption {
    /// The word that S3 has for it.
    word: &'static str,
}

/// A checksum of S3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// SHA-256.
    Sha256,
    /// CRC-64/NVME.
    Crc64Nvme,
}

impl Bucket {
    /// The bucket at this address, with everything else as it usually is.
    #[must_use]
    pub fn at(address: BucketAddress) -> Self {
        Self {
            address,
            endpoint: None,
            public_endpoint: None,
            region: None,
            path_style: false,
            credentials_file: None,
            encryption: None,
            kms_key: None,
            checksum: Some(Checksum::Sha256),
            silence: Duration::from_secs(20),
            // What is sent again is not signed again, and a signature holds for a quarter of an hour.
            patience: Duration::from_mins(5),
        }
    }
}

impl FromStr for BucketAddress {
    type Err = BucketAddressError;

    fn from_str(text: &str) -> Result<Self, BucketAddressError> {
        let rest = text.strip_prefix("s3://").ok_or(BucketAddressError)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let of_bucket = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c);
        let of_prefix = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let is_part = |part: &str| {
            !part.is_empty() && part != "." && part != ".." && part.chars().all(of_prefix)
        };
        let fits = (3..=63).contains(&bucket.len())
            && bucket.chars().all(of_bucket)
            && (prefix.is_empty() || prefix.split('/').all(is_part));
        if !fits {
            return Err(BucketAddressError);
        }
        Ok(Self {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
        })
    }
}

impl std::fmt::Display for BucketAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.prefix.as_str() {
            "" => write!(f, "s3://{}", self.bucket),
            prefix => write!(f, "s3://{}/{prefix}", self.bucket),
        }
    }
}

impl Encryption {
    /// The words of S3: with keys of the store, and with keys of a key service, once or twice over.
    pub const WORDS: [&str; 3] = ["AES256", "aws:kms", "aws:kms:dsse"];

    /// What `word` stands for.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let mut words = Self::WORDS.into_iter();
        words.find(|known| *known == word).map(|word| Self { word })
    }

    /// The word of S3.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.word
    }
}

impl Checksum {
    /// All that there are.
    pub const ALL: [Self; 2] = [Self::Sha256, Self::Crc64Nvme];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Crc64Nvme => "crc64nvme",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_bucket_and_a_prefix() {
        for (text, bucket, prefix) in [
            ("s3://sounds", "sounds", ""),
            ("s3://sounds/", "sounds", ""),
            ("s3://my.sounds-2/a/b_C.1/", "my.sounds-2", "a/b_C.1"),
        ] {
            let address: BucketAddress = text.parse().expect(text);
            assert_eq!((&*address.bucket, &*address.prefix), (bucket, prefix));
            assert_eq!(address.to_string(), text.trim_end_matches('/'));
        }
        for text in [
            "sounds",
            "s3:/sounds",
            "https://sounds/a",
            "s3://",
            "s3://ab",
            "s3://Sounds",
            "s3://sounds//a",
            "s3://sounds/../a",
            "s3://sounds/a b",
            "s3://sounds/a?b",
        ] {
            assert!(text.parse::<BucketAddress>().is_err(), "{text}");
        }
    }
}
