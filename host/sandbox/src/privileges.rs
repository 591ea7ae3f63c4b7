//! What the process may do beyond what its user may.

use super::rights;

/// What is kept of root's rights: files whatever their permissions say, for in containers the folders of models often belong to users
/// of the machine. Which files, Landlock says.
const KEPT: u64 = rights::DAC_OVERRIDE;

/// Gives up all rights that this process has beyond its user's, and every way to get some.
pub fn raise() -> Result<String, String> {
    rights::give_no_more().map_err(|error| format!("no_new_privs: {error}"))?;
    let failed = |error| format!("capabilities: {error}");
    let (effective, permitted) = rights::held().map_err(failed)?;
    if effective & rights::SETPCAP != 0 {
        for number in 0..u64::BITS {
            // One that this kernel does not know is not there to be given up.
            let _ = rights::forgo(number);
        }
    }
    rights::keep(effective & KEPT, permitted & KEPT).map_err(failed)?;
    Ok(String::new())
}
