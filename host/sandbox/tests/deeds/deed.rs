use std::io;

use super::world::World;
use vocalhost_sandbox::Layer;

/// Something that a child must not be able to do.
pub struct Deed {
    /// What people call it.
    pub name: &'static str,
    /// The layers each of which refuses it alone.
    pub refused_by: &'static [Layer],
    /// Does it. An error is a refusal.
    pub commit: fn(&World) -> io::Result<()>,
    /// Whether a system may refuse it without any walls: it takes root, or a part of the kernel that not all have.
    pub rare: bool,
}

impl Deed {
    /// Something that anybody can do anywhere.
    pub const fn new(
        name: &'static str,
        refused_by: &'static [Layer],
        commit: fn(&World) -> io::Result<()>,
    ) -> Self {
        Self {
            name,
            refused_by,
            commit,
            rare: false,
        }
    }

    /// Something that systems may refuse by themselves.
    pub const fn rare(
        name: &'static str,
        refused_by: &'static [Layer],
        commit: fn(&World) -> io::Result<()>,
    ) -> Self {
        Self {
            rare: true,
            ..Self::new(name, refused_by, commit)
        }
    }
}
