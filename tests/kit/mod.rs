//! The author's kit: what it finds out about effects.

mod check;
mod check_command;
mod deeds;
