use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::time::timeout;
use vocalhost_system::clock;

use super::StoreError;
use crate::migrations::{newest, newest_of_server};

/// A server that takes longer to answer counts as unreachable.
const WITHIN: Duration = Duration::from_secs(10);

/// The facts to know about a server before its database is used. `server_version_num` is the major version times 10,000 plus the minor one:
/// <https://www.postgresql.org/docs/current/runtime-config-preset.html>.
const FACTS: &str = "SELECT CAST(current_setting('server_version_num') AS BIGINT) / 10000, current_setting('server_version'), \
     COALESCE(has_schema_privilege(current_schema(), 'CREATE'), FALSE), \
     current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off', \
     CAST(current_setting('max_connections') AS BIGINT), \
     CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";

/// What a look at a server's database has found; it changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLook {
    /// The major version of the server.
    pub major: i64,
    /// Its version, in its own words.
    pub version: String,
    /// The newest migration that the database has had; none when it is empty.
    pub schema: Option<i64>,
    /// Whether tables may be made.
    pub may_create: bool,
    /// Whether commits wait for the disk.
    pub is_durable: bool,
    /// Connections that the server takes, from everybody together.
    pub max_connections: i64,
    /// By how much its clock is ahead of this machine's, in microseconds.
    pub ahead_us: i64,
}

impl ServerLook {
    /// Looks at the database that a server has at `address`.
    pub async fn at(address: &str) -> Result<Self, StoreError> {
        let looked = timeout(WITHIN, Self::look(address)).await;
        looked.unwrap_or(Err(sqlx::Error::PoolTimedOut.into()))
    }

    async fn look(address: &str) -> Result<Self, StoreError> {
        let options: PgConnectOptions = address.parse()?;
        let mut connection = PgConnection::connect_with(&options).await?;
        let schema = newest_of_server(&mut connection, &options).await?;
        let facts: (i64, String, bool, bool, i64, i64) =
            sqlx::query_as(FACTS).fetch_one(&mut connection).await?;
        connection.close().await?;
        let (major, version, may_create, is_durable, max_connections, now_us) = facts;
        Ok(Self {
            major,
            version,
            schema,
            may_create,
            is_durable,
            max_connections,
            ahead_us: now_us - clock::now_us(),
        })
    }

    /// Whether the schema is as this release has it.
    #[must_use]
    pub fn is_up_to_date(&self) -> bool {
        self.schema == Some(newest())
    }
}
