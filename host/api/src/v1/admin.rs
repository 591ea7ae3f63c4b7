//! What the resources of the admin surface share.

use crate::rules::call::Call;
use crate::rules::page::{PageRequest, PageRules};
use crate::rules::problem::Problem;

/// Lists that operators look at are long, and their records small.
pub(crate) const ADMIN_PAGES: PageRules = PageRules {
    default_per_page: 50,
    max_per_page: 1_000,
};

/// Longer names are a mistake, and control characters would break tables.
const MAX_NAME_CHARACTERS: usize = 128;

/// Which page was asked for.
pub(crate) fn asked(call: &Call) -> Result<PageRequest, Problem> {
    PageRequest::of(call, &ADMIN_PAGES)
}

/// Whether a user may have this name.
#[must_use]
pub fn is_user_name(name: &str) -> bool {
    let plain = !name.trim().is_empty() && !name.contains(char::is_control);
    plain && name.chars().count() <= MAX_NAME_CHARACTERS
}

/// What a name that is refused should have been.
#[must_use]
pub fn name_rule() -> String {
    format!("must be 1 to {MAX_NAME_CHARACTERS} characters without control characters")
}
