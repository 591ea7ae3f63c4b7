//! The kit on effects that do everything wrong, and what it brings along for authors.

mod bindings;
mod check;
mod deeds;
