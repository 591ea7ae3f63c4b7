//! Voices that were trained here: packages like any other, whose decoder has the weights of their base voice after a training.

mod card;
mod package;
mod picture;

pub use package::{TrainedOrder, TrainedPackage};
