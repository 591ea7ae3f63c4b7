//! Separation of a recording into stems: one engine, whose settings in the manifest cover the families of separators.
//!
//! A recording is cut into overlapping pieces (`pieces`). Each piece goes into the graph as a wave, as a spectrogram of the layout that the
//! manifest declares, or as both (`network`, `stft`, `layout`), and the results are joined with a window (`overlap`) into a stream of
//! estimates (`stream`). Several passes or graphs are streams that are read side by side and averaged (`single`, `estimates`); several
//! separators are combined by sample or by bin (`ensemble`, `combine`). Memory depends on the length of a piece, never on that of the
//! recording.

mod bag;
mod bands;
mod bands_check;
mod check;
mod combine;
mod ensemble;
mod estimates;
mod layout;
mod members;
mod network;
mod overlap;
mod pieces;
mod polyphase;
mod sections;
mod separator;
mod single;
mod spectrum;
mod stft;
mod stream;
mod task;
#[cfg(test)]
mod testing;
mod window;

pub use bag::{Bag, BagOf, Domain, EnsembleFacts, Method};
pub use bands::BandsFormat;
pub use sections::{
    AnalysisWindow, Chunk, Divisor, Edge, JoinWindow, LastPiece, LevelNormalization, Padding,
    SeparatorFacts, SpectralOutput, Stems, StftFormat,
};
pub use separator::Separator;
pub use task::Task;

pub(super) use bag::check_graphs;
pub(super) use check::check;
pub(super) use members::check_members;
