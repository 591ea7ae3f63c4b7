use std::fmt::{self, Debug, Display};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;

/// The prefix of a key, so that other kinds of key may follow.
const KIND: &str = "ed25519:";

/// Letters in a line of a PEM file.
const PEM_LINE: usize = 64;

/// Why a key cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file exists; nothing is overwritten.
    #[error("there is {0} already, and a key that effects were signed with is not made again")]
    Taken(PathBuf),
    /// The file cannot be read or written.
    #[error("cannot use {file}: {source}")]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file holds something else.
    #[error("{0} holds no private ed25519 key (PKCS #8 in PEM)")]
    Content(PathBuf),
    /// The system has no randomness.
    #[error("the system gives no random numbers")]
    Random,
    /// A text is no public key.
    #[error("a public key is written {KIND} and 44 letters of Base64")]
    Public,
}

/// The key of a vendor, which signs what they publish.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SigningKey({})", self.public())
    }
}

impl SigningKey {
    /// Makes a key and writes it into a new file, which only its owner may read.
    pub fn make(file: &Path) -> Result<Self, KeyError> {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        let document = made.map_err(|_| KeyError::Random)?;
        write_new(file, &pem(document.as_ref())).map_err(|source| {
            if source.kind() == std::io::ErrorKind::AlreadyExists {
                KeyError::Taken(file.to_owned())
            } else {
                let file = file.to_owned();
                KeyError::File { file, source }
            }
        })?;
        Self::of(document.as_ref()).ok_or_else(|| KeyError::Content(file.to_owned()))
    }

    /// Reads a key from a file, also one that `openssl genpkey -algorithm ed25519` wrote.
    pub fn read(file: &Path) -> Result<Self, KeyError> {
        let text = std::fs::read(file).map_err(|source| {
            let file = file.to_owned();
            KeyError::File { file, source }
        })?;
        let document = PrivatePkcs8KeyDer::from_pem_slice(&text).ok();
        document
            .and_then(|document| Self::of(document.secret_pkcs8_der()))
            .ok_or_else(|| KeyError::Content(file.to_owned()))
    }

    fn of(document: &[u8]) -> Option<Self> {
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(document).ok()?;
        let public = PublicKey(pair.public_key().as_ref().try_into().ok()?);
        Some(Self { pair, public })
    }

    /// The key by which others know the vendor.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        self.public.clone()
    }

    /// Signs the component with this digest; Base64.
    pub(crate) fn sign(&self, digest: &str) -> String {
        STANDARD.encode(self.pair.sign(&statement(digest)))
    }
}

/// The key by which a vendor is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Whether `signature` (Base64) is one of this key for the component with this digest.
    pub(crate) fn holds(&self, digest: &str, signature: &str) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, self.0);
        STANDARD
            .decode(signature)
            .is_ok_and(|signature| key.verify(&statement(digest), &signature).is_ok())
    }
}

impl Display for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{KIND}{}", STANDARD.encode(self.0))
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let bytes = text
            .strip_prefix(KIND)
            .and_then(|key| STANDARD.decode(key).ok());
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or(KeyError::Public)
    }
}

/// The signed text: the component's digest, and with it its id and version, and the purpose, so that no signature made for another purpose
/// can be taken for it.
fn statement(digest: &str) -> Vec<u8> {
    format!("vocalhost effect 1\n{digest}\n").into_bytes()
}

fn pem(document: &[u8]) -> String {
    let text = STANDARD.encode(document);
    let mut pem = String::from("-----BEGIN PRIVATE KEY-----\n");
    for line in text.as_bytes().chunks(PEM_LINE) {
        pem.extend(line.iter().map(|&letter| char::from(letter)));
        pem.push('\n');
    }
    pem.push_str("-----END PRIVATE KEY-----\n");
    pem
}

fn write_new(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut written = options.open(file)?;
    written.write_all(text.as_bytes())?;
    written.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000001";

    #[test]
    fn a_key_is_kept_for_its_owner_alone_and_signs_the_same_when_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("keys/mine.pem");
        let made = SigningKey::make(&file).expect("it is made");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&file)
                .expect("it is there")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let read = SigningKey::read(&file).expect("it is read");
        assert_eq!(read.sign(DIGEST), made.sign(DIGEST));
        assert_eq!(read.public(), made.public());
        let again = SigningKey::make(&file).expect_err("nothing is written over");
        assert!(matches!(again, KeyError::Taken(_)), "{again}");
        assert_eq!(
            made.public().to_string().parse::<PublicKey>().ok(),
            Some(made.public())
        );
    }

    #[test]
    fn a_key_of_openssl_is_read() {
        // The private key of RFC 8032, section 7.1, test 1, in PKCS #8 as OpenSSL writes it, and its public key there.
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key.pem");
        let mut document =
            base16ct::lower::decode_vec("302e020100300506032b657004220420").expect("hex");
        let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        document.extend(base16ct::lower::decode_vec(seed).expect("hex"));
        std::fs::write(&file, pem(&document)).expect("it is written");
        let key = SigningKey::read(&file).expect("it is read");
        let wanted = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(base16ct::lower::encode_string(&key.public().0), wanted);
    }

    #[test]
    fn a_signature_is_for_one_component_by_one_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, other] =
            ["one", "other"].map(|name| SigningKey::make(&folder.path().join(name)).expect("made"));
        let signature = one.sign(DIGEST);
        assert!(one.public().holds(DIGEST, &signature));
        assert!(!other.public().holds(DIGEST, &signature));
        assert!(!one.public().holds(&DIGEST.replace('1', "2"), &signature));
        assert!(!one.public().holds(DIGEST, "AAAA"));
        assert!(!one.public().holds(DIGEST, "no Base64"));
    }

    #[test]
    fn a_file_with_something_else_is_no_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key.pem");
        std::fs::write(&file, "secret").expect("it is written");
        assert!(matches!(SigningKey::read(&file), Err(KeyError::Content(_))));
        assert!(matches!(
            SigningKey::read(&folder.path().join("none")),
            Err(KeyError::File { .. })
        ));
    }
}
