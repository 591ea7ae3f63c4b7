//! Voices that were trained here: packages like any other, whose decoder has other weights than the voice that they were trained from.

mod card;
mod package;
mod picture;

pub use package::{TrainedOrder, TrainedPackage};
