//! Models that others have, from their files to what can be run.

mod archives;
mod half_precision;
