#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod axis;
mod bench;
mod error;
mod interfaces;
mod levels;
mod listen;
pub mod new;
mod output;
mod picture;
mod plot;
mod response;
mod settings;
mod spectrogram;
pub mod wrap;

pub use bench::{BLOCK_LENGTHS, BenchReport, Loading, Rate, SilenceCost, Spread, bench};
pub use error::KitError;
pub use interfaces::{Interfaces, interfaces};
pub use levels::Levels;
pub use listen::{Listened, Listening, RunReport, listen};
pub use output::{check_extension, write_whole};
pub use picture::{Canvas, Caption, Portrait, picture, spectrogram_picture};
pub use plot::plot;
pub use response::{
    Response, SAMPLE_RATE_HZ as RESPONSE_RATE_HZ, Tuned, defaults_and_presets, responses,
};
pub use settings::{Settings, parse_settings, settings_in_words};
pub mod check;
