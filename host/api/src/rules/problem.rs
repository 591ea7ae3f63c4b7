use hyper::StatusCode;
use hyper::header::{ALLOW, CONTENT_RANGE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::json;

use vocalhost_http::reply::{self, Reply};

pub use vocalhost_http::FieldError;

/// The field and the rule of each mistake, as tests name them.
#[cfg(test)]
pub fn rules(mistakes: &[FieldError]) -> Vec<String> {
    let rules = mistakes.iter();
    rules
        .map(|mistake| format!("{} {}", mistake.field, mistake.rule))
        .collect()
}

/// Everything that a request can be refused with. A client may read everything in it: causes are logged where they are
/// turned into a problem.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// No key, or a wrong, expired or revoked one.
    Unauthorized,
    /// No valid credential where something other than a key is asked for: a console session or a ticket.
    SignIn {
        /// Why, for people.
        detail: &'static str,
    },
    /// The caller may not see this, or the key lacks the scope.
    Forbidden {
        /// What is refused.
        detail: String,
    },
    /// No row with this id.
    RowNotFound,
    /// There is such a job, and it does not have the file (yet).
    FileNotFound {
        /// Why, for people.
        detail: String,
    },
    /// No such path.
    RouteNotFound,
    /// The path is known, the method is not allowed there.
    MethodNotAllowed {
        /// The methods that are, as the `Allow` header has them.
        allow: String,
    },
    /// It conflicts with what is there already or is going on.
    Conflict {
        /// For programs.
        code: &'static str,
        /// What it conflicts with.
        detail: String,
    },
    /// What it needs was there and is deleted.
    Gone {
        /// What.
        detail: String,
    },
    /// The files of a result were there and are deleted.
    ResultExpired,
    /// Another request was done under the same idempotency key.
    KeyReused,
    /// A resumable upload cannot go on like this.
    Upload {
        /// The status that the protocol has for it.
        status: StatusCode,
        /// For programs.
        code: &'static str,
        /// What is in the way.
        detail: String,
    },
    /// The body is of a wrong type.
    UnsupportedMediaType {
        /// The type that is wanted.
        wanted: &'static str,
    },
    /// The body, the query or the audio is invalid: every mistake at once.
    Invalid(Vec<FieldError>),
    /// The body did not arrive in time.
    RequestTimeout,
    /// The signed link has expired.
    UrlExpired,
    /// The signed link was altered.
    UrlInvalid,
    /// The range lies outside of the file.
    RangeNotSatisfiable {
        /// The file's size.
        size_bytes: u64,
    },
    /// Too many requests in too little time.
    TooManyRequests {
        /// Seconds until one more is let through.
        retry_after_s: u64,
    },
    /// The caller has used up what one user may use until jobs end.
    QuotaExceeded {
        /// Which limit.
        detail: String,
    },
    /// The caller has used up what one user may use until days pass or files are deleted.
    UsedUp {
        /// Which quota.
        detail: String,
    },
    /// The server takes no work now.
    Unavailable {
        /// Why.
        detail: String,
    },
    /// Our own fault.
    Internal,
}

/// When a client should come back after a full queue or a drain: jobs take about this long.
const RETRY_AFTER_S: &str = "30";

/// When a client should look again whether a quota has room: what is old goes by the hour.
const USED_UP_RETRY_AFTER_S: &str = "3600";

/// All mistakes as one answer, when there are any.
pub fn refuse(mistakes: Vec<FieldError>) -> Result<(), Problem> {
    if mistakes.is_empty() {
        Ok(())
    } else {
        Err(Problem::Invalid(mistakes))
    }
}

impl Problem {
    /// Our own fault: the cause goes to the log and nowhere else.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(cause = %cause, "a request failed inside the server");
        Self::Internal
    }

    /// The disk is full, or so nearly that no new work is taken.
    #[must_use]
    pub fn no_room() -> Self {
        Self::Unavailable {
            detail: "The server's disk is full; try again later.".to_owned(),
        }
    }

    /// The file store does not answer.
    #[must_use]
    pub fn no_files() -> Self {
        Self::Unavailable {
            detail: "The server's file store does not answer; try again later.".to_owned(),
        }
    }

    /// The same with a cause, which goes to the log and nowhere else.
    pub fn files_failed(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(cause = %cause, "the file store failed a request");
        Self::no_files()
    }

    /// The database does not answer, or not now.
    #[must_use]
    pub fn no_database() -> Self {
        Self::Unavailable {
            detail: "The server's database does not answer; try again later.".to_owned(),
        }
    }

    /// The same with a cause, which goes to the log and nowhere else.
    pub fn database_away(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(cause = %cause, "the database failed a request");
        Self::no_database()
    }

    /// Something failed that is not the client's fault: a full disk is temporary, all else is [`Self::internal`].
    pub fn failed(cause: &(dyn std::error::Error + 'static), full: bool) -> Self {
        let ours = Self::internal(cause);
        if full { Self::no_room() } else { ours }
    }

    /// One mistake in one field.
    pub fn field(field: &str, rule: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(field, rule, message)])
    }

    /// A request under the same idempotency key is still being worked on.
    #[must_use]
    pub fn key_in_progress() -> Self {
        Self::Conflict {
            code: "E_IDEMPOTENCY_IN_PROGRESS",
            detail: "A request under this Idempotency-Key is still being worked on.".to_owned(),
        }
    }

    /// `more` bytes would go over the `quota` of a user who stores `used`.
    #[must_use]
    pub fn storage_used_up(used: u64, more: u64, quota: u64) -> Self {
        let advice = if more > quota { "." } else { ": delete some." };
        Self::UsedUp {
            detail: format!(
                "Your recordings, results and voices take up {used} of {quota} bytes, and this needs {more} more{advice}"
            ),
        }
    }

    /// The job has not ended.
    #[must_use]
    pub fn job_running() -> Self {
        Self::Conflict {
            code: "E_JOB_RUNNING",
            detail: "The job has not ended.".to_owned(),
        }
    }

    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.identity().0
    }

    /// The status, the code for programs and the title.
    fn identity(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Unauthorized | Self::SignIn { .. } => (
                StatusCode::UNAUTHORIZED,
                "E_UNAUTHORIZED_ACCESS",
                "Unauthorized access",
            ),
            Self::Forbidden { .. } => (StatusCode::FORBIDDEN, "E_FORBIDDEN_EXCEPTION", "Forbidden"),
            Self::RowNotFound | Self::FileNotFound { .. } => {
                (StatusCode::NOT_FOUND, "E_ROW_NOT_FOUND", "Row not found")
            }
            Self::RouteNotFound => (
                StatusCode::NOT_FOUND,
                "E_ROUTE_NOT_FOUND",
                "Route not found",
            ),
            Self::MethodNotAllowed { .. } => (
                StatusCode::METHOD_NOT_ALLOWED,
                "E_METHOD_NOT_ALLOWED",
                "Method not allowed",
            ),
            Self::Conflict { code, .. } => (StatusCode::CONFLICT, code, "Conflict"),
            Self::Gone { .. } => (StatusCode::GONE, "E_INPUT_EXPIRED", "Input expired"),
            Self::ResultExpired => (StatusCode::GONE, "E_RESULT_EXPIRED", "Result expired"),
            Self::KeyReused => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "E_IDEMPOTENCY_KEY_REUSED",
                "Idempotency key reused",
            ),
            Self::Upload { status, code, .. } => (*status, code, "Upload refused"),
            Self::UnsupportedMediaType { .. } => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "E_UNSUPPORTED_MEDIA_TYPE",
                "Unsupported media type",
            ),
            Self::Invalid(_) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "E_VALIDATION_FAILURE",
                "Validation failure",
            ),
            Self::RequestTimeout => (
                StatusCode::REQUEST_TIMEOUT,
                "E_REQUEST_TIMEOUT",
                "Request timeout",
            ),
            Self::UrlExpired => (StatusCode::FORBIDDEN, "E_URL_EXPIRED", "Link expired"),
            Self::UrlInvalid => (StatusCode::FORBIDDEN, "E_URL_INVALID", "Link invalid"),
            Self::RangeNotSatisfiable { .. } => (
                StatusCode::RANGE_NOT_SATISFIABLE,
                "E_RANGE_NOT_SATISFIABLE",
                "Range not satisfiable",
            ),
            Self::TooManyRequests { .. } => (
                StatusCode::TOO_MANY_REQUESTS,
                "E_TOO_MANY_REQUESTS",
                "Too many requests",
            ),
            Self::QuotaExceeded { .. } | Self::UsedUp { .. } => (
                StatusCode::TOO_MANY_REQUESTS,
                "E_QUOTA_EXCEEDED",
                "Quota exceeded",
            ),
            Self::Unavailable { .. } => (
                StatusCode::SERVICE_UNAVAILABLE,
                "E_SERVICE_UNAVAILABLE",
                "Service unavailable",
            ),
            Self::Internal => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "E_INTERNAL",
                "Internal error",
            ),
        }
    }

    /// One sentence for people.
    fn detail(&self) -> String {
        match self {
            Self::Unauthorized => {
                "The Authorization header has no valid key: send `Authorization: Bearer <key>`."
                    .to_owned()
            }
            Self::SignIn { detail } => (*detail).to_owned(),
            Self::Forbidden { detail }
            | Self::Conflict { detail, .. }
            | Self::Gone { detail }
            | Self::FileNotFound { detail }
            | Self::Upload { detail, .. }
            | Self::QuotaExceeded { detail }
            | Self::UsedUp { detail }
            | Self::Unavailable { detail } => detail.clone(),
            Self::ResultExpired => {
                "The result files of this job were deleted when their time was over.".to_owned()
            }
            Self::KeyReused => {
                "This Idempotency-Key was used for a request that asked for something else."
                    .to_owned()
            }
            Self::RowNotFound => "There is nothing with this id.".to_owned(),
            Self::RouteNotFound => "There is nothing at this path.".to_owned(),
            Self::MethodNotAllowed { allow } => format!("This path allows {allow}."),
            Self::UnsupportedMediaType { wanted } => {
                format!("The Content-Type of the request must be {wanted}.")
            }
            Self::Invalid(mistakes) => match mistakes.as_slice() {
                [only] => only.message.clone(),
                more => format!("The request has {} mistakes; see `errors`.", more.len()),
            },
            Self::RequestTimeout => "The request's body did not arrive in time.".to_owned(),
            Self::UrlExpired => {
                "This link has expired: read the record again for a fresh one.".to_owned()
            }
            Self::UrlInvalid => "This link is not one that the server signed.".to_owned(),
            Self::RangeNotSatisfiable { size_bytes } => {
                format!("The file has {size_bytes} bytes; the range lies outside of it.")
            }
            Self::TooManyRequests { retry_after_s } => {
                format!("Too many requests: try again in {retry_after_s} s.")
            }
            Self::Internal => {
                "Something went wrong inside the server; the request id finds it in the log."
                    .to_owned()
            }
        }
    }

    /// The header that this problem's status asks for.
    fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Self::Unauthorized | Self::SignIn { .. } => {
                Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")))
            }
            Self::MethodNotAllowed { allow } => {
                let value = HeaderValue::from_str(allow).expect("methods are a header value");
                Some((ALLOW, value))
            }
            Self::RangeNotSatisfiable { size_bytes } => {
                let value = HeaderValue::from_str(&format!("bytes */{size_bytes}"))
                    .expect("digits are a header value");
                Some((CONTENT_RANGE, value))
            }
            Self::TooManyRequests { retry_after_s } => {
                Some((RETRY_AFTER, HeaderValue::from(*retry_after_s)))
            }
            Self::UsedUp { .. } => {
                Some((RETRY_AFTER, HeaderValue::from_static(USED_UP_RETRY_AFTER_S)))
            }
            Self::Unavailable { .. } | Self::QuotaExceeded { .. } => {
                Some((RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_S)))
            }
            Self::Forbidden { .. }
            | Self::RowNotFound
            | Self::FileNotFound { .. }
            | Self::RouteNotFound
            | Self::Conflict { .. }
            | Self::Gone { .. }
            | Self::ResultExpired
            | Self::KeyReused
            | Self::Upload { .. }
            | Self::UnsupportedMediaType { .. }
            | Self::Invalid(_)
            | Self::RequestTimeout
            | Self::UrlExpired
            | Self::UrlInvalid
            | Self::Internal => None,
        }
    }

    /// The answer: the one error body (RFC 9457), which also carries what older clients read. `instance` is the path
    /// of the request.
    #[must_use]
    pub fn render(&self, request_id: &str, instance: &str) -> Reply {
        let (status, code, title) = self.identity();
        let detail = self.detail();
        let errors: &[FieldError] = match self {
            Self::Invalid(mistakes) => mistakes,
            _ => &[],
        };
        let body = json!({
            "type": "about:blank",
            "title": title,
            "status": status.as_u16(),
            "detail": detail,
            "instance": instance,
            "error": title,
            "code": code,
            "message": detail,
            "requestId": request_id,
            "errors": errors,
        });
        let mut reply = reply::json_as("application/problem+json", status, &body);
        if let Some((name, value)) = self.header() {
            reply.headers_mut().insert(name, value);
        }
        reply
    }

    /// An answer that is rendered on its way out, where the request's id is known.
    #[must_use]
    pub fn unrendered(self) -> Reply {
        let mut reply = reply::empty(self.identity().0);
        reply.extensions_mut().insert(self);
        reply
    }
}
