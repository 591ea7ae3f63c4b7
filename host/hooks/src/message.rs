use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// What stands before the base64 of a secret.
const SECRET_PREFIX: &str = "whsec_";

/// What is posted to a receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// The message's id, the same for every try.
    pub(crate) id: String,
    /// When this try is made, in seconds since the Unix epoch.
    pub(crate) timestamp_s: i64,
    /// JSON.
    pub(crate) body: Vec<u8>,
    /// What signs it.
    pub(crate) secrets: Vec<String>,
    /// The trace that it belongs to.
    pub(crate) trace_parent: Option<String>,
}

impl Message {
    /// The headers that stand beside the body.
    #[must_use]
    pub(crate) fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("webhook-id", self.id.clone()),
            ("webhook-timestamp", self.timestamp_s.to_string()),
            ("webhook-signature", self.signatures()),
        ];
        headers.extend(
            self.trace_parent
                .clone()
                .map(|parent| ("traceparent", parent)),
        );
        headers
    }

    /// The header `webhook-signature`: one signature for each secret.
    #[must_use]
    pub(crate) fn signatures(&self) -> String {
        let signatures = self.secrets.iter();
        let signatures: Vec<String> = signatures
            .map(|secret| signature(secret, &self.id, self.timestamp_s, &self.body))
            .collect();
        signatures.join(" ")
    }
}

/// The signature of Standard Webhooks 1.0: HMAC-SHA256 over id, timestamp and body with a dot between them, in base64 after
/// the version `v1`.
#[must_use]
pub fn signature(secret: &str, id: &str, timestamp_s: i64, body: &[u8]) -> String {
    let coded = secret.strip_prefix(SECRET_PREFIX).unwrap_or(secret);
    // A secret that is no base64 was not made by this program; its bytes as they stand are the key.
    let key = STANDARD
        .decode(coded)
        .unwrap_or_else(|_| coded.as_bytes().to_vec());
    // The only error is about the key's length, and HMAC takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else {
        return String::new();
    };
    mac.update(format!("{id}.{timestamp_s}.").as_bytes());
    mac.update(body);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in the specification of Standard Webhooks.
    #[test]
    fn the_signature_is_that_of_the_specification() {
        let signed = signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn every_secret_signs() {
        let message = Message {
            id: "msg_1".to_owned(),
            timestamp_s: 1,
            body: b"{}".to_vec(),
            secrets: vec!["whsec_bmV3".to_owned(), "whsec_b2xk".to_owned()],
            trace_parent: None,
        };
        let signatures = message.signatures();
        let (new, old) = signatures.split_once(' ').expect("two");
        assert_eq!(new, signature("whsec_bmV3", "msg_1", 1, b"{}"));
        assert_eq!(old, signature("whsec_b2xk", "msg_1", 1, b"{}"));
        assert_ne!(new, old);
    }
}
