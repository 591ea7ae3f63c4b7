//! The author's kit: what somebody who writes an effect needs to know before shipping it.
//!
//! Everything here looks at an effect from outside, through the same host that jobs use, so it works for a component of
//! any language.

pub mod new;
pub mod wrap;
