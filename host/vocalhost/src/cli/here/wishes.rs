//! What commands are asked for besides their recording, as the fields of a request.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::cli::effect::shelf::look_at_shelf;
use crate::cli::{Chosen, CliError};
use vocalhost_api::v1::FieldError;
use vocalhost_catalogues::shelf::Listing;
use vocalhost_job::OutputFormat;

/// What both commands take, as requests have it.
#[derive(Debug, Args)]
pub(super) struct Wishes {
    /// Effects on the recording, as in a request: `{"noiseGate":{"threshold_db":-50}}` or `[{"effect":"reverb"}]`.
    #[arg(long, value_name = "JSON")]
    pre: Option<String>,
    /// Effects on the result.
    #[arg(long, value_name = "JSON")]
    post: Option<String>,
    /// What the files are: wav16, wav24, wav32f, flac, mp3 or opus; without it what the ending of a result's name says, and wav24 in a
    /// folder.
    #[arg(long)]
    format: Option<String>,
    /// In kbit/s, for mp3 and opus.
    #[arg(long, value_name = "KBPS")]
    bitrate: Option<String>,
    /// The loudness that the result is brought to, in LUFS.
    #[arg(long, value_name = "LUFS", allow_hyphen_values = true)]
    loudness: Option<String>,
    /// Refuse a recording that is cut or damaged.
    #[arg(long)]
    strict_input: bool,
    /// Pieces to work on side by side, 1 to 64.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(super) threads: u8,
    /// As JSON.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) chosen: Chosen,
}

impl Wishes {
    /// The effects among which those that are wished for are looked up; none where none are, as the first look compiles them all.
    pub fn effects(&self) -> Result<Arc<Listing>, CliError> {
        if self.pre.is_none() && self.post.is_none() {
            return Ok(Arc::default());
        }
        effects(&self.chosen)
    }

    /// The format that the ending of a file's name says, where none is wished for.
    pub fn format_for(&self, path: &Path) -> Result<Option<OutputFormat>, CliError> {
        if self.format.is_some() {
            return Ok(None);
        }
        let format = format_of(path).ok_or_else(|| {
            let shown = path.display();
            CliError::Usage(format!(
                "{shown} says no format: end it in .wav, .flac, .mp3 or .opus, or give --format"
            ))
        });
        format.map(Some)
    }

    /// The fields that are wished for; `format` where none is.
    pub fn fields(&self, format: Option<OutputFormat>) -> Vec<(String, String)> {
        let format = format.map(|format| format.as_str().to_owned());
        given([
            ("pre", self.pre.clone()),
            ("post", self.post.clone()),
            ("outputFormat", self.format.clone().or(format)),
            ("outputBitrate", self.bitrate.clone()),
            ("outputLoudness", self.loudness.clone()),
            ("strictInput", self.strict_input.then(|| "true".to_owned())),
        ])
    }
}

/// Fields of a form out of options.
pub(super) fn given<const N: usize>(options: [(&str, Option<String>); N]) -> Vec<(String, String)> {
    let given = options.into_iter();
    let given = given.filter_map(|(name, text)| Some((name.to_owned(), text?)));
    given.collect()
}

/// The format that the ending of a file's name says.
fn format_of(path: &Path) -> Option<OutputFormat> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "wav" => Some(OutputFormat::Wav24),
        "flac" => Some(OutputFormat::Flac),
        "mp3" => Some(OutputFormat::Mp3),
        "opus" | "ogg" => Some(OutputFormat::Opus),
        _ => None,
    }
}

/// The effects of the data folder in force, or those of the program where there is none.
pub fn effects(chosen: &Chosen) -> Result<Arc<Listing>, CliError> {
    look_at_shelf(chosen, async |shelf| shelf.current().await)
}

/// The mistakes of fields as one error; a form's fields are options here.
pub fn refused(mistakes: &[FieldError]) -> CliError {
    let lines = mistakes.iter().map(|mistake| mistake.message.as_str());
    CliError::Usage(lines.collect::<Vec<_>>().join("\n"))
}
