//! The types and traits of the component interface, made of `effect.wit`.
#![allow(
    unsafe_code,
    missing_docs,
    clippy::all,
    clippy::pedantic,
    reason = "generated: the canonical ABI passes raw pointers, and the texts are those of effect.wit"
)]

wit_bindgen::generate!({
    path: "wit",
    world: "plugin",
    pub_export_macro: true,
    export_macro_name: "export_component",
    default_bindings_module: "vocalhost_effect::bindings",
});
