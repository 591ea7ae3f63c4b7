//! Effects in their host: the built-in ones at work, and hostile ones that must harm nobody.

mod cache;
mod catalog;
mod describing;
mod hostile;
mod isolation;
mod loading;
mod rig;
mod streams;
mod versions;
