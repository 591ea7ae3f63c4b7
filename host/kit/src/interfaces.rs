//! The imports and exports that a component declares.

use wit_component::DecodedWasm;

/// The interfaces of a component, in the words of its world: `vocalhost:effect/effect@0.1.0`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interfaces {
    /// What it exports.
    pub exports: Vec<String>,
    /// What it imports.
    pub imports: Vec<String>,
}

/// Reads the interfaces of a component; `None` for what is none.
#[must_use]
pub fn interfaces(component: &[u8]) -> Option<Interfaces> {
    let Ok(DecodedWasm::Component(resolve, world)) = wit_component::decode(component) else {
        return None;
    };
    let world = resolve.worlds.get(world)?;
    let names = |items: Vec<&wit_parser::WorldKey>| {
        let names = items.into_iter().map(|key| resolve.name_world_key(key));
        names.collect()
    };
    Some(Interfaces {
        exports: names(world.exports.keys().collect()),
        imports: names(world.imports.keys().collect()),
    })
}
