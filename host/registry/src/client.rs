use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION, WWW_AUTHENTICATE,
};
use reqwest::{Method, Response, StatusCode, Url};
use serde_json::Value;
use vocalhost_letters::words::plain;

use super::challenge::Challenge;
use super::reference::is_loopback;
use super::{Credentials, Reference, RegistryError};

/// How long connecting may take, how long a registry may be silent, and how long one exchange may take in all.
const CONNECT: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(30);
const EXCHANGE: Duration = Duration::from_mins(5);

/// The most redirects that are followed.
const MAX_LEADS: usize = 5;

/// The largest answer with a refusal or a token, in bytes.
const MAX_WORDS: u64 = 16 << 10;
const MAX_TOKEN: u64 = 256 << 10;

/// The most characters of a registry's own words in a message.
const SHOWN: usize = 200;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read a repository.
    Read,
    /// To add to it too.
    Write,
}

/// How a registry is asked.
#[derive(Debug, Default)]
pub struct Options {
    /// The credentials; none by default.
    pub credentials: Option<Credentials>,
    /// Whether plain HTTP is allowed with a host other than this machine.
    pub plain_http: bool,
}

/// A repository in a registry.
#[derive(Debug)]
pub struct Registry {
    http: reqwest::Client,
    /// The address of the repository, ending in a slash.
    base: Url,
    pub(crate) reference: Reference,
    access: Access,
    options: Options,
    /// The header that the registry has asked for. It is sent to the registry's own address alone.
    authorization: Option<HeaderValue>,
    /// Whether the registry may speak TLS although the address says HTTP: one on this machine that has not answered yet.
    may_be_encrypted: bool,
}

/// A request that can be sent again once the registry has asked for authentication.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) method: Method,
    pub(crate) accept: Option<&'static str>,
    pub(crate) content: Option<(&'static str, Bytes)>,
}

impl Ask {
    pub(crate) fn new(method: Method) -> Self {
        Self {
            method,
            accept: None,
            content: None,
        }
    }

    /// Whether redirects of its answer may be followed.
    fn may_be_led(&self) -> bool {
        self.method == Method::GET || self.method == Method::HEAD
    }
}

impl Registry {
    /// The repository of `reference`. Sends no request yet.
    pub fn open(
        reference: Reference,
        access: Access,
        options: Options,
    ) -> Result<Self, RegistryError> {
        // If a provider is installed already, it is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let may_be_encrypted = reference.is_loopback() && !options.plain_http;
        let is_plain = options.plain_http || may_be_encrypted;
        let scheme = if is_plain { "http" } else { "https" };
        let base = format!(
            "{scheme}://{}/v2/{}/",
            reference.api_host(),
            reference.repository
        );
        let base = base
            .parse()
            .map_err(|_| RegistryError::Reference(format!("{reference} is no address")))?;
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .timeout(EXCHANGE)
            .user_agent(concat!("vocalhost/", env!("CARGO_PKG_VERSION")));
        if reference.is_loopback() {
            builder = builder.no_proxy();
        }
        let http = builder
            .build()
            .map_err(|error| RegistryError::Setup(chain(&error)))?;
        Ok(Self {
            http,
            base,
            reference,
            access,
            options,
            authorization: None,
            may_be_encrypted,
        })
    }

    /// An address within the repository.
    pub(crate) fn url(&self, path: &str) -> Result<Url, RegistryError> {
        self.base
            .join(path)
            .map_err(|_| RegistryError::Reference(format!("{path} is no address")))
    }

    /// Sends a request, and sends it again with authentication when the registry asks for that.
    pub(crate) async fn send(&mut self, url: &Url, ask: &Ask) -> Result<Response, RegistryError> {
        let (answer, url) = self.first(url, ask).await?;
        if answer.status() != StatusCode::UNAUTHORIZED || !self.is_ours(answer.url()) {
            return Ok(answer);
        }
        let mut challenges = answer.headers().get_all(WWW_AUTHENTICATE).iter();
        let challenge = challenges.find_map(|value| Challenge::parse(value.to_str().ok()?));
        let Some(challenge) = challenge else {
            return Ok(answer);
        };
        self.authorization = Some(self.answer_to(&challenge).await?);
        self.follow(&url, ask).await
    }

    /// Sends a request. When a registry on this machine turns out to speak TLS, sends it again encrypted, as all requests from then on.
    /// Returns the answer and the address that was asked.
    async fn first(&mut self, url: &Url, ask: &Ask) -> Result<(Response, Url), RegistryError> {
        // An earlier request may have switched the registry to TLS.
        let mut url = self.as_base(url);
        let answer = self.follow(&url, ask).await;
        let speaks_tls = self.may_be_encrypted && answer.as_ref().map_or(true, is_no_registrys);
        self.may_be_encrypted = false;
        if !speaks_tls {
            return Ok((answer?, url));
        }
        let base = self.base.clone();
        // Cannot fail: `Url` allows a change between these two schemes.
        let _changed = self.base.set_scheme("https");
        url = self.as_base(&url);
        let encrypted = self.follow(&url, ask).await;
        match (answer, encrypted) {
            // Both ways failed: report the first error.
            (Err(error), Err(_)) => {
                self.base = base;
                Err(error)
            }
            (_, encrypted) => Ok((encrypted?, url)),
        }
    }

    /// An address of the registry, with the scheme that the registry uses.
    fn as_base(&self, url: &Url) -> Url {
        let mut url = url.clone();
        if self.may_stand_for(&url) {
            let _changed = url.set_scheme(self.base.scheme());
        }
        url
    }

    /// Whether an address is the registry's own, apart from its scheme.
    fn may_stand_for(&self, url: &Url) -> bool {
        let place = |url: &Url| (url.host_str().map(str::to_owned), url.port());
        place(url) == place(&self.base)
    }

    /// Sends a request and follows redirects.
    async fn follow(&self, url: &Url, ask: &Ask) -> Result<Response, RegistryError> {
        let mut url = url.clone();
        for _ in 0..=MAX_LEADS {
            let answer = self.once(&url, ask).await?;
            if !ask.may_be_led() || !answer.status().is_redirection() {
                return Ok(answer);
            }
            url = self.lead(&answer)?;
        }
        let why = format!("more than {MAX_LEADS} times, one after the other");
        Err(RegistryError::Lead {
            host: self.host(),
            why,
        })
    }

    async fn once(&self, url: &Url, ask: &Ask) -> Result<Response, RegistryError> {
        let mut request = self.http.request(ask.method.clone(), url.clone());
        if let Some(authorization) = self.authorization.as_ref().filter(|_| self.is_ours(url)) {
            request = request.header(AUTHORIZATION, authorization);
        }
        if let Some(accept) = ask.accept {
            request = request.header(ACCEPT, accept);
        }
        if let Some((kind, body)) = &ask.content {
            request = request.header(CONTENT_TYPE, *kind).body(body.clone());
        }
        request.send().await.map_err(|error| failed(url, &error))
    }

    /// The target of a redirect, if it may be followed.
    pub(crate) fn lead(&self, answer: &Response) -> Result<Url, RegistryError> {
        let refuse = |why: &str| RegistryError::Lead {
            host: self.host(),
            why: why.to_owned(),
        };
        let location = answer
            .headers()
            .get(LOCATION)
            .and_then(|value| value.to_str().ok());
        let location = location.ok_or_else(|| refuse("it does not say where"))?;
        let url = answer
            .url()
            .join(location)
            .map_err(|_| refuse("to no address"))?;
        self.permit(&url).map_err(|why| refuse(&why))?;
        Ok(url)
    }

    /// Permits plain HTTP only if the registry itself uses it, and only with this machine unless the options allow others.
    fn permit(&self, url: &Url) -> Result<(), String> {
        let host = url.host_str().unwrap_or_default();
        let is_plain = url.scheme() == "http" && self.base.scheme() == "http";
        if url.scheme() == "https" || (is_plain && (self.options.plain_http || is_loopback(host))) {
            return Ok(());
        }
        Err(format!("{} is not encrypted", plain(url.as_str(), SHOWN)))
    }

    /// Whether an address is the registry's own, which gets the authorization.
    fn is_ours(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    async fn answer_to(&self, challenge: &Challenge) -> Result<HeaderValue, RegistryError> {
        let credentials = self.options.credentials.as_ref();
        let text = match challenge {
            Challenge::Basic => credentials
                .map(Credentials::basic)
                .ok_or_else(|| self.denied())?,
            Challenge::Bearer { realm, service } => {
                format!("Bearer {}", self.token(realm, service.as_deref()).await?)
            }
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| self.denied())?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// Fetches a token for this repository and nothing else, whatever scope the registry names. It may come from another host, as with
    /// Docker's registry; like any client, we send that host the credentials for this registry.
    async fn token(&self, realm: &str, service: Option<&str>) -> Result<String, RegistryError> {
        let lead = |why: String| RegistryError::Lead {
            host: self.host(),
            why,
        };
        let mut url: Url = realm
            .parse()
            .map_err(|_| lead("its tokens have no address".to_owned()))?;
        self.permit(&url).map_err(lead)?;
        let actions = match self.access {
            Access::Read => "pull",
            Access::Write => "pull,push",
        };
        if let Some(service) = service {
            url.query_pairs_mut().append_pair("service", service);
        }
        let scope = format!("repository:{}:{actions}", self.reference.repository);
        url.query_pairs_mut().append_pair("scope", &scope);
        let mut request = self.http.get(url.clone());
        if let Some(credentials) = &self.options.credentials {
            request = request.header(AUTHORIZATION, credentials.basic());
        }
        let answer = request.send().await.map_err(|error| failed(&url, &error))?;
        if answer.status() == StatusCode::UNAUTHORIZED {
            return Err(self.denied());
        }
        if !answer.status().is_success() {
            return Err(self.refusal(answer).await);
        }
        let body = read(answer, "a token", MAX_TOKEN).await?;
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let token = ["token", "access_token"]
            .into_iter()
            .find_map(|name| body.get(name)?.as_str());
        token.map(str::to_owned).ok_or_else(|| self.denied())
    }

    /// The error for an answer that refuses the request.
    pub(crate) async fn refusal(&self, answer: Response) -> RegistryError {
        let host = answer.url().host_str().unwrap_or_default().to_owned();
        let status = answer.status();
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return self.denied();
        }
        let body = read(answer, "a refusal", MAX_WORDS)
            .await
            .unwrap_or_default();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let first = body.pointer("/errors/0");
        let word = |name: &str| first.and_then(|error| error.get(name)?.as_str());
        let said = word("message").or_else(|| word("code")).unwrap_or_default();
        RegistryError::Refused {
            host,
            status: status.as_u16(),
            said: plain(said, SHOWN),
        }
    }

    fn denied(&self) -> RegistryError {
        let hint = match &self.options.credentials {
            Some(_) => "those that were sent do not open this repository",
            None => {
                "none were found for it, in VOCALHOST_REGISTRY_USER and VOCALHOST_REGISTRY_PASSWORD or among what docker login wrote \
                 (`auths` in ~/.docker/config.json; helper programs are not asked)"
            }
        };
        RegistryError::Denied {
            host: self.host(),
            hint: hint.to_owned(),
        }
    }

    fn host(&self) -> String {
        self.reference.host.clone()
    }
}

/// Whether an answer is what a TLS server says to a plain request: registries themselves explain a refusal as JSON.
fn is_no_registrys(answer: &Response) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    answer.status() == StatusCode::BAD_REQUEST && !is_json
}

/// The body of an answer, if it has at most `most` bytes; the length that the registry declares is not trusted.
pub(crate) async fn read(
    mut answer: Response,
    what: &'static str,
    most: u64,
) -> Result<Vec<u8>, RegistryError> {
    let too_large = || RegistryError::TooLarge { what, most };
    if answer.content_length().is_some_and(|bytes| bytes > most) {
        return Err(too_large());
    }
    let url = answer.url().clone();
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|error| failed(&url, &error))? {
        if (body.len() + piece.len()) as u64 > most {
            return Err(too_large());
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

fn failed(url: &Url, error: &reqwest::Error) -> RegistryError {
    RegistryError::Exchange {
        host: url.host_str().unwrap_or_default().to_owned(),
        why: chain(error),
    }
}

/// An error's causes without the error itself, which repeats the address, and that may hold secrets of a storage.
fn chain(error: &reqwest::Error) -> String {
    let mut cause = std::error::Error::source(error);
    let mut text = if error.is_timeout() {
        "it takes too long".to_owned()
    } else {
        String::new()
    };
    while let Some(error) = cause {
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&error.to_string());
        cause = error.source();
    }
    if text.is_empty() {
        "the exchange failed".to_owned()
    } else {
        plain(&text, 2 * SHOWN)
    }
}
