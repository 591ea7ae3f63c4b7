//! The tables of a database, as it describes them itself.

use super::MoveError;
use crate::StoreError;
use crate::sql::{Transaction, query, query_about};

/// Tables of momentary state, or of counts of other rows. Triggers count again while rows arrive, and what servers say about themselves is
/// lost with them.
const NOT_MOVED: [&str; 5] = [
    "_sqlx_migrations",
    "chores",
    "lines",
    "nodes",
    "request_limits",
];

/// Columns of that kind.
const NOT_MOVED_OF: [(&str, &str); 1] = [("users", "running")];

const TABLES_OF_FILES: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
const TABLES_OF_SERVERS: &str = "SELECT CAST(relname AS TEXT) AS name FROM pg_class \
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1";

const COLUMNS_OF_FILES: &str = "SELECT name, type, pk FROM pragma_table_info($1) ORDER BY name";
const COLUMNS_OF_SERVERS: &str = "SELECT CAST(a.attname AS TEXT) AS name, format_type(a.atttypid, a.atttypmod) AS type, \
     CAST(COALESCE(array_position(CAST(i.indkey AS INT2[]), a.attnum) + 1, 0) AS BIGINT) AS pk \
     FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary \
     WHERE a.attrelid = CAST($1 AS TEXT)::regclass AND a.attnum > 0 AND NOT a.attisdropped \
     ORDER BY CAST(a.attname AS TEXT) COLLATE \"C\"";

const REFERRED_OF_FILES: &str =
    "SELECT DISTINCT \"table\" AS name FROM pragma_foreign_key_list($1)";
const REFERRED_OF_SERVERS: &str = "SELECT DISTINCT CAST(c.relname AS TEXT) AS name FROM pg_constraint f \
     JOIN pg_class c ON c.oid = f.confrelid WHERE f.contype = 'f' AND f.conrelid = CAST($1 AS TEXT)::regclass";

/// A table.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) name: String,
    /// Sorted by name, which gives the same order in both databases.
    pub(super) columns: Vec<Column>,
    /// Indices into `columns` of the primary key, which also sorts the rows.
    pub(super) key: Vec<usize>,
    /// The tables that it refers to.
    pub(super) refers: Vec<String>,
}

/// A column of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What is in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Real,
    Flag,
    Text,
}

impl Kind {
    /// The kind of a declared type, in the words of either database.
    fn of(declared: &str) -> Option<Self> {
        Some(match declared.to_ascii_lowercase().as_str() {
            "integer" | "bigint" => Self::Integer,
            "double precision" => Self::Real,
            "boolean" => Self::Flag,
            "text" => Self::Text,
            _ => return None,
        })
    }
}

/// Every table that is moved.
pub(super) async fn tables_of(on: &mut Transaction) -> Result<Vec<Table>, MoveError> {
    let (tables, columns, referred) = if on.is_shared() {
        (TABLES_OF_SERVERS, COLUMNS_OF_SERVERS, REFERRED_OF_SERVERS)
    } else {
        (TABLES_OF_FILES, COLUMNS_OF_FILES, REFERRED_OF_FILES)
    };
    let mut found = Vec::new();
    let names: Vec<String> = query(tables).all_values(&mut *on).await?;
    for name in names {
        if NOT_MOVED.contains(&name.as_str()) {
            continue;
        }
        let rows = query(columns).bind(&name).fetch_all(&mut *on).await?;
        let refers = query(referred).bind(&name).all_values(&mut *on).await?;
        let (mut columns, mut key) = (Vec::new(), Vec::new());
        for row in rows {
            let column: String = row.try_get("name")?;
            if NOT_MOVED_OF.contains(&(&name, &column)) {
                continue;
            }
            let declared: String = row.try_get("type")?;
            let Some(kind) = Kind::of(&declared) else {
                let reason = format!("its column {column} is of the type {declared}");
                return Err(MoveError::Unknown {
                    table: name,
                    reason,
                });
            };
            let place: i64 = row.try_get("pk")?;
            if place > 0 {
                key.push((place, columns.len()));
            }
            columns.push(Column { name: column, kind });
        }
        key.sort_unstable();
        let table = Table {
            name,
            columns,
            key: key.into_iter().map(|(_, column)| column).collect(),
            refers,
        };
        found.push(table.checked()?);
    }
    Ok(found)
}

/// Tables, none before one that it refers to.
pub(super) fn in_order(mut tables: Vec<Table>) -> Result<Vec<Table>, MoveError> {
    let mut ordered: Vec<Table> = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let is_there = |name: &String| ordered.iter().any(|table| table.name == *name);
        let ready = tables.iter().position(|table| {
            table
                .refers
                .iter()
                .all(|name| *name == table.name || is_there(name))
        });
        let Some(ready) = ready else {
            return Err(MoveError::Unknown {
                table: tables.remove(0).name,
                reason: "it is one of several that refer to each other".to_owned(),
            });
        };
        ordered.push(tables.remove(ready));
    }
    Ok(ordered)
}

impl Table {
    /// Names go into statements, and rows are found by a key.
    fn checked(self) -> Result<Self, MoveError> {
        let plain = |name: &str| {
            let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            !name.is_empty() && name.chars().all(letter)
        };
        let names = self.columns.iter().map(|column| &column.name);
        let reason = if names.chain([&self.name]).any(|name| !plain(name)) {
            "a name in it is no plain word"
        } else if self.key.is_empty() {
            "it has no primary key"
        } else {
            return Ok(self);
        };
        Err(MoveError::Unknown {
            table: self.name,
            reason: reason.to_owned(),
        })
    }

    /// Whether the table of this name, which is in every database, has rows.
    pub(super) async fn has_rows(name: &str, on: &mut Transaction) -> Result<bool, StoreError> {
        let any = query_about(format!("SELECT EXISTS (SELECT 1 FROM {name})"));
        Ok(any.value(on).await?)
    }

    /// Complains about what the other database has no place for.
    pub(super) async fn must_fit(
        &self,
        other: Option<&Self>,
        on: &mut Transaction,
    ) -> Result<(), MoveError> {
        let fits =
            other.is_some_and(|other| other.columns == self.columns && other.key == self.key);
        if fits || !Self::has_rows(&self.name, on).await? {
            return Ok(());
        }
        let differing = other.and_then(|other| {
            let mut columns = self.columns.iter();
            columns.find(|column| !other.columns.contains(column))
        });
        let what = match differing {
            Some(column) => format!("the column {}.{}", self.name, column.name),
            None => format!("the table {}", self.name),
        };
        Err(MoveError::OneSided { what })
    }

    /// Names of the columns at these places, with commas between them.
    pub(super) fn names(&self, places: impl IntoIterator<Item = usize>) -> String {
        let names: Vec<&str> = places
            .into_iter()
            .map(|place| self.columns[place].name.as_str())
            .collect();
        names.join(", ")
    }
}
