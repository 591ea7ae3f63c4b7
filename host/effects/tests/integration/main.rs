//! Effects in their host: the built-in ones at work, and hostile ones that must harm nobody.

mod cache;
mod catalog;
mod crowds;
mod describing;
mod hostile;
mod isolation;
mod loading;
mod processors;
mod rig;
mod streams;
mod versions;
