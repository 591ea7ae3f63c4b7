//! New projects: a folder in which an author's effect builds, outside this repository.
//!
//! A project holds a small working effect, tests of it, and everything of ours that it needs: the SDK or the bindings,
//! and the interface's text. All of it is embedded in the program at build time.

mod name;
mod project;
mod sdk_manifest;
mod template;

pub use name::{EffectId, ProjectName, Vendor, WrongName};
pub use project::{NewError, Project, create};
pub use template::Language;
