//! Whose a live conversion is.

use crate::Api;
use crate::rules::problem::Problem;
use crate::rules::route::Ask;
use vocalhost_store::{Caller, LiveRecord};

/// The conversion that the path names, which is the caller's.
pub(super) async fn own(api: &Api, ask: &Ask<'_>, caller: &Caller) -> Result<LiveRecord, Problem> {
    let live = api.store.live(ask.id()?).await?;
    let live = live.ok_or(Problem::RowNotFound)?;
    if live.user_id != caller.user_id {
        return Err(not_yours());
    }
    Ok(live)
}

/// The answer for a conversion that is somebody else's.
pub(super) fn not_yours() -> Problem {
    Problem::Forbidden {
        detail: "This live conversion is not yours.".to_owned(),
    }
}
