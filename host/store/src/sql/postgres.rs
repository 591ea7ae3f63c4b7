use std::time::Duration;

use sqlx::Error;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{Connection as _, Executor as _, Row as _};
use tokio::time::timeout;

use crate::StoreError;
use crate::migrations::bring_server_up_to_date;

/// Connections of one process. A server allows a hundred by default, for everything that uses it.
const CONNECTIONS: u32 = 16;

/// How long a statement waits for a connection: it is better to refuse a request that finds none than to keep it waiting.
const ACQUIRE_TIMEOUT: Duration = Duration::from_millis(1_800);

/// Settings of each connection. A process that hangs, or whose network is gone, must not keep its locks, and no statement of ours takes so
/// long.
const LIMITS: &str = "SET idle_in_transaction_session_timeout = '15s'; SET statement_timeout = '30s'; \
     SET lock_timeout = '10s'";

/// The server ends every statement before this time. A longer wait means that nobody is at the other end of the connection, which would be
/// unavailable to others for as long as somebody waits for it.
const ANSWERS_WITHIN: Duration = Duration::from_secs(40);

/// How long a connection that was given back may take to answer the check.
const RELEASED_WITHIN: Duration = Duration::from_secs(2);

/// A single statement starts at the same time as its transaction; a statement within a transaction starts later.
const IN_TRANSACTION: &str = "SELECT now() <> statement_timestamp() AS in_transaction";

/// Connects to the server at `address`, brings the schema up to date, and opens connections for statements.
pub(super) async fn open(address: &str) -> Result<PgPool, StoreError> {
    let options: PgConnectOptions = address.parse()?;
    let options = options.application_name("vocalhost");
    // On a connection of its own, without limits: building an index takes as long as it takes.
    let mut connection = PgConnection::connect_with(&options).await?;
    bring_server_up_to_date(&mut connection, &options).await?;
    connection.close().await?;
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(|connection, _| {
            Box::pin(async move { connection.execute(sqlx::raw_sql(LIMITS)).await.map(drop) })
        })
        // sqlx 0.9 can take a connection back with a transaction open on it. Its locks would persist, and the next borrower's statements
        // would be lost in it. Such a connection is closed.
        .after_release(|connection, _| {
            Box::pin(async move {
                let asked = connection.fetch_one(sqlx::raw_sql(IN_TRANSACTION));
                let row = timeout(RELEASED_WITHIN, asked).await;
                let row = row.unwrap_or(Err(Error::PoolTimedOut))?;
                Ok(!row.try_get::<bool, _>("in_transaction")?)
            })
        });
    Ok(pool.connect_with(options).await?)
}

/// The answer of a connection, unless nobody is at its other end.
pub(super) async fn in_time<T>(asked: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(ANSWERS_WITHIN, asked)
        .await
        .unwrap_or(Err(Error::PoolTimedOut))
}
