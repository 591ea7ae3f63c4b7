//! The bindings that wasmtime generates from `wit/effect.wit`.

#[allow(
    missing_docs,
    clippy::all,
    clippy::pedantic,
    reason = "generated; the texts are those of effect.wit"
)]
mod generated {
    wasmtime::component::bindgen!({ path: "../../wit", world: "plugin" });
}

pub(super) use generated::PluginPre;
pub(super) use generated::exports::vocalhost::effect::effect as interface;
