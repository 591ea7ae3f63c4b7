use super::{Store, StoreError};

/// What a key may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Reading the user's own jobs and the catalogues.
    Read,
    /// Making and changing the user's own jobs.
    Write,
    /// Managing keys and the server.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// The word that is stored and shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// The scope named `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// A key to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// Whose key it is; the user is made when there is none of that name.
    pub user: String,
    /// What the key is for, in its owner's words.
    pub label: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// When it stops working.
    pub expires_at_us: Option<i64>,
}

/// A key that was just made: the only time that its secret is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedKey {
    /// The public part.
    pub id: String,
    /// The whole key, `{id}.{secret}`.
    pub key: String,
    /// Whose it is.
    pub user: String,
}

/// A key as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The public part.
    pub id: String,
    /// Whose it is.
    pub user: String,
    /// What it is for.
    pub label: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created_at_us: i64,
    /// When it stops working.
    pub expires_at_us: Option<i64>,
    /// When it was revoked.
    pub revoked_at_us: Option<i64>,
    /// When it was last used, to the minute.
    pub last_used_at_us: Option<i64>,
}

/// Who is calling, after authentication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The user's number.
    pub user_id: i64,
    /// The user's name.
    pub user_name: String,
    /// The public part of the key.
    pub key_id: String,
    /// What the key may be used for.
    pub scopes: Vec<Scope>,
}

impl Caller {
    /// Whether the key has `scope`.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

impl Store {
    /// With an empty database: makes the user `admin` and a key with every scope. Otherwise `None`.
    pub async fn bootstrap(&self, now_us: i64) -> Result<Option<IssuedKey>, StoreError> {
        let _ = now_us;
        unimplemented!()
    }

    /// Makes a key, and its user when there is none of that name.
    pub async fn create_key(&self, new: &NewKey, now_us: i64) -> Result<IssuedKey, StoreError> {
        let _ = (new, now_us);
        unimplemented!()
    }

    /// Every key, oldest first.
    pub async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        unimplemented!()
    }

    /// Revokes the key with this public part. `false` when there is none, or it was revoked before.
    pub async fn revoke_key(&self, id: &str, now_us: i64) -> Result<bool, StoreError> {
        let _ = (id, now_us);
        unimplemented!()
    }

    /// Who presents this key: `None` when it is unknown, wrong, expired or revoked.
    pub async fn authenticate(
        &self,
        presented: &str,
        now_us: i64,
    ) -> Result<Option<Caller>, StoreError> {
        let _ = (presented, now_us);
        unimplemented!()
    }
}
