use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{ColumnIndex, Error, Row as _};

/// One row of what a statement found.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// Where in a row: a column's name or its place.
pub(crate) trait Place: ColumnIndex<SqliteRow> + ColumnIndex<PgRow> + Copy {}

impl Place for &str {}
impl Place for usize {}

/// What can be read from a column.
pub(crate) trait Column: Sized {
    fn read(row: &Row, place: impl Place) -> Result<Self, Error>;
}

impl Row {
    /// The value of a column, if it is of that type, and not NULL unless the type allows it.
    pub(crate) fn try_get<T: Column>(&self, place: impl Place) -> Result<T, Error> {
        T::read(self, place)
    }
}

macro_rules! columns {
    ($($wide:ty => $($narrow:ty),+;)+) => {$($(
        impl Column for $narrow {
            fn read(row: &Row, place: impl Place) -> Result<Self, Error> {
                narrow(wide::<$wide>(row, place)?)
            }
        }

        impl Column for Option<$narrow> {
            fn read(row: &Row, place: impl Place) -> Result<Self, Error> {
                wide::<Option<$wide>>(row, place)?.map(narrow).transpose()
            }
        }
    )+)+};
}

columns! {
    i64 => i64, i32, u32, u16;
    f64 => f64;
    bool => bool;
    String => String;
}

/// The value of a column whose type both drivers know.
fn wide<T>(row: &Row, place: impl Place) -> Result<T, Error>
where
    T: for<'r> sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
    T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    match row {
        Row::Sqlite(row) => row.try_get(place),
        Row::Postgres(row) => row.try_get(place),
    }
}

/// A number that is too large for the wanted type means that the row is damaged.
fn narrow<W, N>(wide: W) -> Result<N, Error>
where
    N: TryFrom<W>,
    N::Error: std::error::Error + Send + Sync + 'static,
{
    N::try_from(wide).map_err(|error| Error::Decode(Box::new(error)))
}
