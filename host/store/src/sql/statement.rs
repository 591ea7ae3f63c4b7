use std::borrow::Cow;
use std::fmt::Write as _;

use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Error, Postgres, SqlSafeStr as _, SqlStr, Sqlite};

use super::nul::NulInText;
use super::postgres::in_time;
use super::{Column, Pool, Row, Transaction, Value};

/// A statement with its values, in the syntax that both databases understand.
///
/// Its text comes from the program alone; outside values are bound.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    text: Cow<'static, str>,
    values: Vec<Value>,
}

/// Where a statement is run: by itself, or as a part of a transaction.
pub(crate) enum On<'a> {
    Pool(&'a Pool),
    Transaction(&'a mut Transaction),
}

impl<'a> From<&'a Pool> for On<'a> {
    fn from(pool: &'a Pool) -> Self {
        Self::Pool(pool)
    }
}

impl<'a> From<&'a mut Transaction> for On<'a> {
    fn from(transaction: &'a mut Transaction) -> Self {
        Self::Transaction(transaction)
    }
}

/// A statement with `$1`, `$2` and so on for its values.
pub(crate) fn query(text: &'static str) -> Statement {
    Statement {
        text: text.into(),
        values: Vec::new(),
    }
}

/// The same with names of tables and columns that a database gave itself: lower-case words.
pub(crate) fn query_about(text: String) -> Statement {
    Statement {
        text: text.into(),
        values: Vec::new(),
    }
}

/// Runs a statement by a method of sqlx, alone or within a transaction.
macro_rules! run {
    ($statement:ident, $on:ident, $method:ident, $wrap_sqlite:expr, $wrap_postgres:expr) => {{
        $statement.refuse_nul()?;
        match $on {
            On::Pool(Pool::Sqlite(pool)) => $wrap_sqlite($statement.sqlite().$method(pool).await?),
            On::Pool(Pool::Postgres(pool)) => {
                $wrap_postgres(in_time($statement.postgres().$method(pool)).await?)
            }
            On::Transaction(Transaction::Sqlite(transaction)) => {
                $wrap_sqlite($statement.sqlite().$method(&mut **transaction).await?)
            }
            On::Transaction(Transaction::Postgres(transaction)) => {
                $wrap_postgres(in_time($statement.postgres().$method(&mut **transaction)).await?)
            }
        }
    }};
}

impl Statement {
    /// Gives the next `$n` its value.
    pub(crate) fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Goes on with more text.
    pub(crate) fn push(&mut self, text: &'static str) -> &mut Self {
        self.text.to_mut().push_str(text);
        self
    }

    /// Goes on with a value, for which it writes the next `$n`.
    pub(crate) fn push_bind(&mut self, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        // Writing to a text cannot fail.
        let _ = write!(self.text.to_mut(), "${}", self.values.len());
        self
    }

    /// Locks the rows of a `SELECT` that are to be changed: if others write at the same time, nobody else changes them before this
    /// transaction has ended.
    pub(crate) fn locking(mut self, within: &Transaction) -> Self {
        if within.is_shared() {
            self.push(" FOR UPDATE");
        }
        self
    }

    /// The same, but skips rows that somebody else is changing.
    pub(crate) fn locking_free(mut self, within: &Transaction) -> Self {
        if within.is_shared() {
            self.push(" FOR UPDATE SKIP LOCKED");
        }
        self
    }

    /// The question how the database would do it.
    #[cfg(test)]
    pub(crate) fn explained(mut self) -> Self {
        self.text.to_mut().insert_str(0, "EXPLAIN QUERY PLAN ");
        self
    }

    /// Runs it, and gives how many rows it wrote.
    pub(crate) async fn execute(self, on: impl Into<On<'_>>) -> Result<u64, Error> {
        let on = on.into();
        Ok(run!(
            self,
            on,
            execute,
            |done: sqlx::sqlite::SqliteQueryResult| done.rows_affected(),
            |done: sqlx::postgres::PgQueryResult| done.rows_affected()
        ))
    }

    /// All rows that it finds.
    pub(crate) async fn fetch_all(self, on: impl Into<On<'_>>) -> Result<Vec<Row>, Error> {
        let on = on.into();
        Ok(run!(
            self,
            on,
            fetch_all,
            |rows: Vec<_>| rows.into_iter().map(Row::Sqlite).collect(),
            |rows: Vec<_>| rows.into_iter().map(Row::Postgres).collect()
        ))
    }

    /// The first row that it finds.
    pub(crate) async fn fetch_optional(self, on: impl Into<On<'_>>) -> Result<Option<Row>, Error> {
        let on = on.into();
        Ok(run!(
            self,
            on,
            fetch_optional,
            |row: Option<_>| row.map(Row::Sqlite),
            |row: Option<_>| row.map(Row::Postgres)
        ))
    }

    /// The row that it finds for certain.
    pub(crate) async fn fetch_one(self, on: impl Into<On<'_>>) -> Result<Row, Error> {
        self.fetch_optional(on).await?.ok_or(Error::RowNotFound)
    }

    /// The first column of the row that it finds for certain.
    pub(crate) async fn value<T: Column>(self, on: impl Into<On<'_>>) -> Result<T, Error> {
        self.fetch_one(on).await?.try_get(0)
    }

    /// The first column of the first row that it finds.
    pub(crate) async fn optional_value<T: Column>(
        self,
        on: impl Into<On<'_>>,
    ) -> Result<Option<T>, Error> {
        let row = self.fetch_optional(on).await?;
        row.map(|row| row.try_get(0)).transpose()
    }

    /// The first column of every row that it finds.
    pub(crate) async fn all_values<T: Column>(
        self,
        on: impl Into<On<'_>>,
    ) -> Result<Vec<T>, Error> {
        let rows = self.fetch_all(on).await?;
        rows.iter().map(|row| row.try_get(0)).collect()
    }

    fn refuse_nul(&self) -> Result<(), Error> {
        let has_nul =
            |value: &Value| matches!(value, Value::Text(Some(text)) if text.contains('\0'));
        if self.values.iter().any(has_nul) {
            return Err(Error::Encode(Box::new(NulInText)));
        }
        Ok(())
    }

    fn sqlite(self) -> Query<'static, Sqlite, SqliteArguments> {
        let query = sqlx::query(safe(self.text));
        self.values
            .into_iter()
            .fold(query, |query, value| match value {
                Value::Integer(value) => query.bind(value),
                Value::Real(value) => query.bind(value),
                Value::Flag(value) => query.bind(value),
                Value::Text(value) => query.bind(value),
            })
    }

    fn postgres(self) -> Query<'static, Postgres, PgArguments> {
        let query = sqlx::query(safe(self.text));
        self.values
            .into_iter()
            .fold(query, |query, value| match value {
                Value::Integer(value) => query.bind(value),
                Value::Real(value) => query.bind(value),
                Value::Flag(value) => query.bind(value),
                Value::Text(value) => query.bind(value),
            })
    }
}

/// The text was put together from the program's own texts.
fn safe(text: Cow<'static, str>) -> SqlStr {
    match text {
        Cow::Borrowed(text) => text.into_sql_str(),
        Cow::Owned(text) => AssertSqlSafe(text).into_sql_str(),
    }
}
