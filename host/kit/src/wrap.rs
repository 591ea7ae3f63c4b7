//! Core modules made into components, for languages whose compilers stop at a core module.

use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;

/// The interface that effects export.
const INTERFACE: &str = include_str!("../../../wit/effect.wit");
/// Its world.
const WORLD: &str = "plugin";

/// How every core module begins.
const MODULE_PREAMBLE: [u8; 8] = *b"\0asm\x01\0\0\0";

/// The module name of the imports that C libraries need of an operating system; an adapter maps them to the interfaces
/// that components import. It is left out when nothing is imported.
const LIBC_IMPORTS: &str = "wasi_snapshot_preview1";

/// Why a file cannot be made into a component.
#[derive(Debug, thiserror::Error)]
pub enum WrapError {
    /// It is something else.
    #[error(
        "only a core WebAssembly module can be wrapped, and it is none; a component needs no wrapping"
    )]
    NotAModule,
    /// Its exports or imports are not those of an effect.
    #[error("it does not fit the interface: {0}")]
    DoesNotFit(String),
}

/// Makes a component of a core module that exports the interface's functions under the names of the canonical ABI, as
/// generated bindings do.
pub fn wrap(module: &[u8]) -> Result<Vec<u8>, WrapError> {
    if !module.starts_with(&MODULE_PREAMBLE) {
        return Err(WrapError::NotAModule);
    }
    let mut module = module.to_vec();
    describe_interface(&mut module)?;
    let adapter = wasi_preview1_component_adapter_provider::WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER;
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|encoder| encoder.adapter(LIBC_IMPORTS, adapter))
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| WrapError::DoesNotFit(format!("{error:#}")))
}

/// Adds the section that says which exports of the module are which functions of the interface.
fn describe_interface(module: &mut Vec<u8>) -> Result<(), WrapError> {
    let mut resolve = Resolve::default();
    let world = resolve
        .push_source("effect.wit", INTERFACE)
        .and_then(|package| resolve.select_world(&[package], Some(WORLD)))
        .expect("the interface is well-formed");
    wit_component::embed_component_metadata(module, &resolve, world, StringEncoding::UTF8)
        .map_err(|error| WrapError::DoesNotFit(format!("{error:#}")))
}
