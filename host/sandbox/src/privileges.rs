//! Giving up rights that the process has beyond its user's.

use super::rights;

/// The one right of root that is kept: access to files whatever their permissions say, because in containers the folders of models often
/// belong to users of the machine. Landlock limits which files.
const KEPT: u64 = rights::DAC_OVERRIDE;

/// Gives up all rights that this process has beyond its user's, and every way to gain some.
pub fn raise() -> Result<String, String> {
    rights::give_no_more().map_err(|error| format!("no_new_privs: {error}"))?;
    let failed = |error| format!("capabilities: {error}");
    let (effective, permitted) = rights::held().map_err(failed)?;
    if effective & rights::SETPCAP != 0 {
        for number in 0..u64::BITS {
            // A right that this kernel does not know need not be given up.
            let _ = rights::forgo(number);
        }
    }
    rights::keep(effective & KEPT, permitted & KEPT).map_err(failed)?;
    Ok(String::new())
}
