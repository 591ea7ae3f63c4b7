//! The author's kit, as an author uses it: by the program's own commands.

mod bindings;
mod new;
mod projects;
mod wrap;
