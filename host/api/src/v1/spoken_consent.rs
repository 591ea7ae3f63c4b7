//! The consent to a training, said in a recording: with a number that the server has just given, which shows that it was said for this
//! training.

use serde_json::{Value, json};

use super::timestamp::timestamp;
use crate::Api;
use crate::rules::problem::{FieldError, Problem};
use crate::rules::state::now_s;
use vocalhost_http::signing::LinkError;
use vocalhost_job::Consent;
use vocalhost_store::Caller;
use vocalhost_system::{clock, token};

/// The field of the recording.
pub const RECORDING: &str = "consentRecording";
/// The key of the declaration that says which number was given.
pub const TOKEN: &str = "token";
/// The same key with its field, as mistakes name it.
const TOKEN_FIELD: &str = "consent.token";

/// How long a number may be said after it was given.
const LASTS_S: u64 = 600;
/// Numbers have four digits.
const NUMBERS: u64 = 10_000;

/// What is to be said for the next training, and until when.
pub fn to_say(api: &Api, caller: &Caller) -> Result<Value, Problem> {
    let drawn = token::draw().map_err(|error| Problem::internal(&error))?;
    let drawn = drawn
        .get(..8)
        .and_then(|hex| u64::from_str_radix(hex, 16).ok());
    let number = format!("{:04}", drawn.unwrap_or_default() % NUMBERS);
    let expires_at_s = now_s() + LASTS_S;
    let token = api.signer.sign(&target(caller, &number), expires_at_s);
    let spaced: Vec<String> = number.chars().map(String::from).collect();
    let until = i64::try_from(expires_at_s).unwrap_or(i64::MAX / clock::US_PER_S);
    Ok(json!({
        "required": api.settings.spoken_consent,
        "sentence": format!("I agree that a voice is made from recordings of me. My number is {}.", spaced.join(" ")),
        "number": number,
        "token": token,
        "expiresAt": timestamp(until * clock::US_PER_S),
    }))
}

/// What is signed. No link to a file begins so.
fn target(caller: &Caller, number: &str) -> String {
    format!("consent/{}/{number}", caller.user_id)
}

/// Adds a mistake when a training that is tried again lacks the recording that is required now.
pub fn check_old(api: &Api, consent: &Consent, mistakes: &mut Vec<FieldError>) {
    if api.settings.spoken_consent && consent.spoken.is_none() {
        let message = format!(
            "`{RECORDING}` is missing: on this server whoever a voice is made of has to say so by now. Ask for a new training with it."
        );
        mistakes.push(FieldError::new(RECORDING, "required", message));
    }
}

/// The number that was given with a token. Token and recording must come together; what is wrong is added to `mistakes`.
pub fn number(
    api: &Api,
    caller: &Caller,
    (token, is_recorded): (Option<&str>, bool),
    mistakes: &mut Vec<FieldError>,
) -> Option<String> {
    // A recording that came and could not be used counts as there.
    let is_recorded = is_recorded || mistakes.iter().any(|mistake| mistake.field == RECORDING);
    let Some(token) = token else {
        if is_recorded {
            let message = format!(
                "`{TOKEN_FIELD}` is missing: it comes with the sentence that `{RECORDING}` has to say."
            );
            mistakes.push(FieldError::new(TOKEN_FIELD, "required", message));
        } else if api.settings.spoken_consent {
            let message = format!(
                "`{RECORDING}` is missing: on this server whoever a voice is made of has to say so. `GET /voice-trainings/consent` gives the sentence."
            );
            mistakes.push(FieldError::new(RECORDING, "required", message));
        }
        return None;
    };
    let wrong = |rule: &'static str, message: &str| FieldError::new(TOKEN_FIELD, rule, message);
    let mut parts = token.splitn(3, '/');
    let parts = (parts.next(), parts.next(), parts.next());
    let (Some(expiry), Some(signature), Some(signed)) = parts else {
        mistakes.push(wrong("token", "`consent.token` is none of this server's."));
        return None;
    };
    let number = signed.strip_prefix(&target(caller, ""));
    let checked = api.signer.check((expiry, signature, signed), now_s());
    match (number, checked) {
        (Some(number), Ok(())) if is_recorded => return Some(number.to_owned()),
        (Some(_), Ok(())) => {
            let message = format!("`{RECORDING}` is missing: `{TOKEN_FIELD}` belongs to it.");
            mistakes.push(FieldError::new(RECORDING, "required", message));
        }
        (Some(_), Err(LinkError::Expired)) => mistakes.push(wrong(
            "expired",
            "`consent.token` is older than ten minutes: ask for another sentence, and have that one said.",
        )),
        (None, _) | (_, Err(LinkError::Invalid)) => {
            mistakes.push(wrong("token", "`consent.token` is none of this server's for you."));
        }
    }
    None
}
