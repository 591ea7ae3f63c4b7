//! Building blocks that several effects share.
