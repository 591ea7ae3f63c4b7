//! Who may manage the server: somebody always must.

use super::StoreError;
use crate::sql::{Transaction, query};

/// Whether a user other than $1 has a key that works and may manage the server.
const OTHER_ADMIN: &str = "SELECT EXISTS (SELECT 1 FROM api_keys k JOIN users u ON u.id = k.user_id \
     WHERE k.user_id <> $1 AND u.disabled_at_us IS NULL AND k.revoked_at_us IS NULL \
     AND (k.expires_at_us IS NULL OR k.expires_at_us > $2) AND k.scopes LIKE '%admin%')";

/// Whether user $1 has such a key.
const IS_ADMIN: &str = "SELECT EXISTS (SELECT 1 FROM api_keys k JOIN users u ON u.id = k.user_id \
     WHERE k.user_id = $1 AND u.disabled_at_us IS NULL AND k.revoked_at_us IS NULL \
     AND (k.expires_at_us IS NULL OR k.expires_at_us > $2) AND k.scopes LIKE '%admin%')";

/// Whether anybody has a key that works and may manage the server.
pub(super) async fn has_admin(
    transaction: &mut Transaction,
    now_us: i64,
) -> Result<bool, StoreError> {
    // Numbers of users begin at 1.
    let asked = query(OTHER_ADMIN).bind(0_i64).bind(now_us);
    Ok(asked.value(transaction).await?)
}

/// Whether nobody but user `id` has a key that works and may manage the server.
pub(super) async fn is_last_admin(
    transaction: &mut Transaction,
    id: i64,
    now_us: i64,
) -> Result<bool, StoreError> {
    let ask = async |transaction: &mut Transaction, question: &'static str| {
        let asked = query(question).bind(id).bind(now_us);
        asked.value(transaction).await
    };
    Ok(ask(transaction, IS_ADMIN).await? && !ask(transaction, OTHER_ADMIN).await?)
}
