//! Separation of a recording into stems: one engine, whose settings in the manifest cover the families of separators.
//!
//! A recording is cut into overlapping pieces (`pieces`), each piece is shown to the graph as a wave, as a spectrogram of
//! the layout that the manifest declares, or as both (`network`, `stft`, `layout`), and the answers are joined with a
//! window (`overlap`). Memory depends on the length of a piece, never on that of the recording.

mod check;
mod layout;
mod network;
mod overlap;
mod pieces;
mod sections;
mod separator;
mod spectrum;
mod stft;
#[cfg(test)]
mod testing;
mod window;

pub use sections::{
    AnalysisWindow, Chunk, Divisor, Edge, JoinWindow, LastPiece, LevelNormalization, Padding,
    SeparatorFacts, SpectralOutput, Stems, StftFormat, Task,
};
pub use separator::Separator;

pub(super) use check::check;
