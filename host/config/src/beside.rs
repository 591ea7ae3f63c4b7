//! Models that came with the program, in the places where releases and packages put them.

use std::path::{Path, PathBuf};

/// Where the models that came with the program lie, relative to its folder: in the unpacked archive, and in an installed
/// package.
const MODELS: [&str; 2] = ["models", "../share/vocalhost/models"];

/// The folder of the models that came with the program at `program`; `None` when it came without.
pub fn models(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let mut places = MODELS.iter().map(|place| folder.join(place));
    // Without the dots: it is shown to people, and given to child processes in another working directory.
    places.find_map(|place| place.canonicalize().ok().filter(|place| place.is_dir()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn models_are_found_beside_the_program_or_where_a_package_puts_them() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let program = root.join("bin/vocalhost");
        assert_eq!(models(&program), None);
        let shared = root.join("share/vocalhost/models");
        fs::create_dir_all(root.join("bin")).unwrap();
        fs::create_dir_all(&shared).unwrap();
        assert_eq!(models(&program), Some(shared));
        let beside = root.join("bin/models");
        fs::create_dir(&beside).unwrap();
        assert_eq!(models(&program), Some(beside));
    }
}
