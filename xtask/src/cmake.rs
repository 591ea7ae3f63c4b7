//! `CMake`, which builds libFLAC.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::folders::cache_folder;
use crate::process::capture;
use crate::python;

/// What build scripts take the program's path from; without it they look for `cmake`.
pub const VARIABLE: &str = "CMAKE";

/// What libFLAC 1.5.0 asks for (its CMakeLists.txt), major and minor.
const OLDEST: [u32; 2] = [3, 12];

/// The folder of the cache.
const FOLDER: &str = "cmake";

/// In the folder.
const PROGRAM: &str = "cmake/data/bin/cmake";

/// Puts `CMake` out of a Python package into the cache when the machine has none that is new enough.
pub fn install() -> Result<()> {
    if env::var_os(VARIABLE).is_some() || is_on_the_machine()? {
        return Ok(());
    }
    python::pinned(FOLDER, "cmake.txt")?;
    Ok(())
}

/// The program that [`install`] put in place, when it has and nobody names another.
pub fn in_cache() -> Option<PathBuf> {
    let program = cache_folder().ok()?.join(FOLDER).join(PROGRAM);
    (env::var_os(VARIABLE).is_none() && program.is_file()).then_some(program)
}

fn is_on_the_machine() -> Result<bool> {
    let Some(said) = capture(Command::new("cmake").arg("--version"))? else {
        return Ok(false);
    };
    let said = String::from_utf8_lossy(&said.stdout);
    Ok(version(&said).is_some_and(|version| version >= OLDEST))
}

/// Major and minor of what `cmake --version` says.
fn version(said: &str) -> Option<[u32; 2]> {
    let number = said.lines().next()?.split_whitespace().last()?;
    let mut parts = number.split('.').map(str::parse);
    Some([parts.next()?.ok()?, parts.next()?.ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_what_the_program_says() {
        let said = "cmake version 3.25.1\n\nCMake suite maintained and supported by Kitware (kitware.com/cmake).\n";
        assert_eq!(version(said), Some([3, 25]));
        assert_eq!(version("cmake version 4.4.5-rc1\n"), Some([4, 4]));
        assert_eq!(version("no version at all"), None);
        assert_eq!(version(""), None);
    }
}
