//! The child process that does the work, and what the server and the child say to each other.

pub mod protocol;
