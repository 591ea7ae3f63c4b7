#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod amend;
mod articulation;
mod beside;
mod blend;
mod cache;
mod catalog;
mod check;
mod content;
mod content_pieces;
mod contract;
mod convert;
mod decoder;
mod engine;
mod error;
mod execution;
mod f0;
mod families;
mod fault;
mod file_names;
mod gate;
mod generation;
#[cfg(test)]
mod golden;
mod identity;
mod index;
mod kind;
mod knobs;
mod lanes;
mod level;
mod limits;
mod listeners;
mod listening;
mod live;
mod manifest;
mod mel;
mod nearest;
mod noise;
pub mod once;
mod output;
mod outside;
mod package;
mod parameters;
mod parse;
mod parts;
mod periodicity;
mod pitch;
mod pitch_repair;
mod profile;
mod provider;
mod runtime;
mod rvc;
mod sections;
mod segment;
mod separation;
mod session;
mod source;
mod source_filter;
mod speaker;
mod stamp;
mod steps;
mod texts;
mod trained;
mod trial;
mod twin;
mod volume;

pub use beside::{
    DEMO_FORMATS, MAX_DEMO_BYTES, MAX_PICTURE_BYTES, MAX_PICTURE_SIDE, PictureError,
    picture_extension,
};
pub use blend::{
    BlendError, BlendOrder, BlendVoice, BlendedPackage, DemoSource, FamilyMismatch, TooMuch,
    blended_voice, check_family, check_size, decoder_weights, decoder_with,
};
pub use cache::CacheFigures;
pub use catalog::Catalog;
pub use check::has_id_letters;
pub use convert::VoiceConverter;
pub use error::ModelError;
pub use identity::{USUAL_ENCODER, encoder_identity, recognised_encoder};
pub use knobs::VoiceKnobs;
pub use limits::{MAX_INDEX_CELLS, MAX_INDEX_ROWS};
pub use listening::{Heard, Listener};
pub use live::{Live, LiveTimes};
pub use manifest::{
    AudioFormat, Dimension, Direction, ElementType, Family, FileEntry, FileRole, Kind, Manifest,
    PackageVersion, TensorRole, TensorSpec,
};
pub use package::Package;
pub use parameters::{ConversionParameters, Converted};
pub use parts::{MissingPart, VoiceParts};
pub use provider::{Provider, ProviderChoice, UnknownProvider};
pub use runtime::Runtime;
pub use rvc::{Cuts, Profile, Rvc, RvcVersion, Speaker};
pub use sections::{
    BlendSource, Content, ContentOutput, Decode, F0, Framing, IndexCells, IndexElement,
    IndexFormat, IndexPart, IndexWeighting, LiveContent, MEAN_F0_HZ, MelNorm, MelScale, Normalize,
    SegmentLengths, SpeakerFacts, Voice,
};
pub use separation::{
    AnalysisWindow, Bag, BagOf, Chunk, Divisor, Domain, Edge, EnsembleFacts, JoinWindow, LastPiece,
    LevelNormalization, Method, Padding, Separator, SeparatorFacts, SpectralOutput, Stems,
    StftFormat, Task,
};
pub use speaker::{SpeakerEncoder, SpeakerVector};
pub use stamp::Stamp;
pub use steps::{Given, Steps};
pub use texts::{
    MAX_TAG_CHARACTERS, MAX_TAGS, MAX_TITLE_CHARACTERS, is_blank, is_tag, is_title, title_rule,
};
pub use trained::{TrainedOrder, TrainedPackage};
pub use trial::try_graph;
pub use twin::{Twin, twin};
