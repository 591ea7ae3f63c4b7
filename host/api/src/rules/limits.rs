use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use super::class::Class;
use vocalhost_config::Settings;
use vocalhost_http::bucket::{Bucket, Standing, WINDOW};
use vocalhost_http::network;
use vocalhost_store::Store;
use vocalhost_system::clock;

/// Buckets that are kept at a time, for users and for addresses each. Beyond that, full ones are dropped; while none is full,
/// newcomers share one.
const MOST_BUCKETS: usize = 20_000;

/// How long a request waits for the count that servers share. After that, this server's own count decides.
const PATIENCE: Duration = Duration::from_millis(500);

/// The header fields of the draft (draft-ietf-httpapi-ratelimit-headers-10) and the older ones.
pub const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// How much is left.
pub const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// The older form: requests in a minute.
pub const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
/// The older form: what is left of them.
pub const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
/// The older form: seconds until all of them are there again.
pub const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// What the limits say of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    policy: &'static str,
    standing: Standing,
}

impl Verdict {
    /// Whether the request is to be refused, and when to come back, in seconds.
    #[must_use]
    pub fn refusal(&self) -> Option<u64> {
        (!self.standing.granted).then(|| self.standing.next_in_s.max(1))
    }

    /// Says in an answer how the limit stands.
    pub fn describe(&self, headers: &mut HeaderMap) {
        let Self { policy, standing } = self;
        let window_s = WINDOW.as_secs();
        let mut say = |name: HeaderName, text: String| {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(name, value);
            }
        };
        say(
            POLICY,
            format!("\"{policy}\";q={};w={window_s}", standing.quota),
        );
        say(
            LIMIT,
            format!(
                "\"{policy}\";r={};t={}",
                standing.remaining, standing.full_in_s
            ),
        );
        say(X_LIMIT, standing.quota.to_string());
        say(X_REMAINING, standing.remaining.to_string());
        say(X_RESET, standing.full_in_s.to_string());
    }
}

/// Counts requests: those of each user, over all of the user's keys and by class, and the failed authentications of
/// each address. Counts live in memory: a restart forgives. Servers that share a database count together: what passes a server's own
/// bucket takes a token of all of them too.
#[derive(Debug)]
pub struct Limits {
    creations_per_min: u64,
    reads_per_min: u64,
    failures_per_min: u64,
    users: Mutex<HashMap<(i64, bool), Bucket>>,
    strangers: Mutex<HashMap<IpAddr, Bucket>>,
    /// Where servers count together.
    shared: Option<Store>,
}

impl Limits {
    /// The limits that the settings name. They hold for all servers together where `store` is a database that servers share.
    #[must_use]
    pub fn new(settings: &Settings, store: Option<&Store>) -> Self {
        Self {
            creations_per_min: settings.rate_limit_creations_per_min,
            reads_per_min: settings.rate_limit_reads_per_min,
            failures_per_min: settings.rate_limit_auth_failures_per_min,
            users: Mutex::default(),
            strangers: Mutex::default(),
            shared: store.filter(|store| store.is_shared()).cloned(),
        }
    }

    /// Counts a request of a user; `None` when no limit is set for its class.
    pub(crate) async fn count(&self, user_id: i64, class: Class, now: Instant) -> Option<Verdict> {
        let (policy, quota, creates) = self.policy(class)?;
        let key = (user_id, creates);
        let name = format!("{policy} {user_id}");
        let mut standing = self.take(&self.users, (key, &name), quota, now).await?;
        // Counted, but the interface promises that it is not refused.
        standing.granted |= class == Class::FreeRead;
        Some(Verdict { policy, standing })
    }

    /// Counts a failed authentication from an address; `None` when there is no limit.
    pub(crate) async fn count_failure(&self, address: IpAddr, now: Instant) -> Option<Verdict> {
        let (policy, quota, key) = ("auth", self.failures_per_min, network(address));
        let name = format!("{policy} {key}");
        let standing = self.take(&self.strangers, (key, &name), quota, now).await?;
        Some(Verdict { policy, standing })
    }

    /// How a class stands for a user, without counting anything.
    pub(crate) fn look(&self, user_id: i64, class: Class, now: Instant) -> Option<Standing> {
        let (_, quota, creates) = self.policy(class)?;
        with_bucket(&self.users, (user_id, creates), quota, now, |bucket| {
            bucket.look(now)
        })
    }

    /// The name of a class's limit, its size, and whether it is the limit for creations.
    fn policy(&self, class: Class) -> Option<(&'static str, u64, bool)> {
        match class {
            Class::Creation => Some(("create", self.creations_per_min, true)),
            Class::Read | Class::FreeRead => Some(("read", self.reads_per_min, false)),
            Class::Uncounted => None,
        }
    }

    /// Takes a token from this server's bucket, and if there was one, from the bucket that all servers share under `name`.
    async fn take<K: Key>(
        &self,
        buckets: &Mutex<HashMap<K, Bucket>>,
        (key, name): (K, &str),
        quota: u64,
        now: Instant,
    ) -> Option<Standing> {
        let own = with_bucket(buckets, key, quota, now, |bucket| bucket.take(now))?;
        let Some(store) = self.shared.as_ref().filter(|_| own.granted) else {
            return Some(own);
        };
        let taken = store.take_request(name, (quota, WINDOW), clock::now_us());
        // A database that is away is reported when the request itself needs it.
        let Ok(Ok(Some(all))) = tokio::time::timeout(PATIENCE, taken).await else {
            return Some(own);
        };
        with_bucket(buckets, key, quota, now, |bucket| Standing {
            granted: all.granted,
            ..bucket.follow(all.tokens, now)
        })
    }
}

/// What buckets are kept by.
trait Key: std::hash::Hash + Eq + Copy {
    /// The bucket that all share for whom there is no room.
    const SHARED: Self;
}

impl Key for (i64, bool) {
    const SHARED: Self = (0, false);
}

impl Key for IpAddr {
    const SHARED: Self = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);
}

/// Does `work` with the bucket under `key`; `None` when the quota is 0, which is no limit.
fn with_bucket<K: Key>(
    buckets: &Mutex<HashMap<K, Bucket>>,
    key: K,
    quota: u64,
    now: Instant,
    work: impl FnOnce(&mut Bucket) -> Standing,
) -> Option<Standing> {
    if quota == 0 {
        return None;
    }
    let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
    if buckets.len() >= MOST_BUCKETS && !buckets.contains_key(&key) {
        buckets.retain(|_, bucket| !bucket.is_full(now));
    }
    let crowded = buckets.len() >= MOST_BUCKETS && !buckets.contains_key(&key);
    let key = if crowded { K::SHARED } else { key };
    let bucket = buckets
        .entry(key)
        .or_insert_with(|| Bucket::full(quota, now));
    Some(work(bucket))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn limits(creations: u64, reads: u64, failures: u64) -> Limits {
        let settings = Settings {
            rate_limit_creations_per_min: creations,
            rate_limit_reads_per_min: reads,
            rate_limit_auth_failures_per_min: failures,
            ..Settings::default()
        };
        Limits::new(&settings, None)
    }

    #[tokio::test]
    async fn each_user_has_a_bucket_a_class() {
        let now = Instant::now();
        let limits = limits(1, 2, 0);
        let refused = async |user, class| {
            let counted = limits.count(user, class, now).await;
            counted.expect("there is a limit").refusal()
        };
        assert_eq!(refused(1, Class::Creation).await, None);
        assert_eq!(refused(1, Class::Creation).await, Some(60));
        assert_eq!(refused(2, Class::Creation).await, None);
        assert_eq!(refused(1, Class::Read).await, None);
        assert_eq!(refused(1, Class::FreeRead).await, None);
        assert_eq!(refused(1, Class::Read).await, Some(30));
        // Counted with the others, but never refused.
        assert_eq!(refused(1, Class::FreeRead).await, None);
        assert_eq!(limits.count(1, Class::Uncounted, now).await, None);
    }

    #[tokio::test]
    async fn no_quota_is_no_limit() {
        let now = Instant::now();
        let limits = limits(0, 0, 0);
        assert_eq!(limits.count(1, Class::Creation, now).await, None);
        let stranger = Ipv4Addr::LOCALHOST.into();
        assert_eq!(limits.count_failure(stranger, now).await, None);
    }

    #[tokio::test]
    async fn the_headers_say_what_is_left() {
        let limits = limits(60, 0, 0);
        let counted = limits.count(1, Class::Creation, Instant::now()).await;
        let verdict = counted.expect("there is a limit");
        let mut headers = HeaderMap::new();
        verdict.describe(&mut headers);
        for (name, value) in [
            (POLICY, "\"create\";q=60;w=60"),
            (LIMIT, "\"create\";r=59;t=1"),
            (X_LIMIT, "60"),
            (X_REMAINING, "59"),
            (X_RESET, "1"),
        ] {
            assert_eq!(headers[&name], value, "{name}");
        }
    }

    #[tokio::test]
    async fn strangers_from_everywhere_take_no_more_memory() {
        let limits = limits(0, 0, 1);
        let now = Instant::now();
        for address in 0..MOST_BUCKETS as u32 + 100 {
            let stranger = Ipv4Addr::from_bits(0x0b00_0000 + address).into();
            limits.count_failure(stranger, now).await;
        }
        assert!(limits.strangers.lock().unwrap().len() <= MOST_BUCKETS + 1);
        let late = now + Duration::from_mins(2);
        limits.count_failure(Ipv4Addr::LOCALHOST.into(), late).await;
        assert_eq!(limits.strangers.lock().unwrap().len(), 1);
    }
}
