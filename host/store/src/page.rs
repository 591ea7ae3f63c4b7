//! A page of a list, and how it is read.

use super::StoreError;
use super::rows::{from_sql, to_sql};
use crate::sql::{Row, Statement, Transaction, query};

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on the page.
    pub rows: Vec<T>,
    /// How many rows there are on all pages.
    pub total: u64,
}

/// The statements of a list: one that counts all its rows, and one that reads a page of them, sorted by a column. They begin with `heads`,
/// and `filter` adds the conditions to both.
pub(super) fn listing(
    heads: [&'static str; 2],
    filter: impl Fn(&mut Statement),
    (column, descending, (page, per_page)): (&'static str, bool, (u64, u64)),
) -> [Statement; 2] {
    let [count, mut list] = heads.map(|head| {
        let mut statement = query(head);
        filter(&mut statement);
        statement
    });
    list.push(" ORDER BY ").push(column);
    list.push(if descending { " DESC" } else { "" });
    list.push(" LIMIT ").push_bind(to_sql(per_page));
    list.push(" OFFSET ").push_bind(offset(page, per_page));
    [count, list]
}

/// A page of a list by its statements.
pub(super) async fn page_of<T>(
    transaction: &mut Transaction,
    [count, list]: [Statement; 2],
    read: fn(&Row) -> Result<T, StoreError>,
) -> Result<Page<T>, StoreError> {
    let total: i64 = count.value(&mut *transaction).await?;
    let rows = list.fetch_all(transaction).await?;
    Ok(Page {
        rows: rows.iter().map(read).collect::<Result<_, _>>()?,
        total: from_sql(total),
    })
}

/// How many rows lie before a page that counts from 1.
fn offset(page: u64, per_page: u64) -> i64 {
    to_sql(page.saturating_sub(1).saturating_mul(per_page))
}
