//! What is kept of a stream: each side in a WAV file beside the uploads, which goes into the file store once the stream has ended.

use std::io::Read as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use sha2::{Digest as _, Sha256};
use tempfile::TempPath;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::Api;
use vocalhost_audio::{Block, EncodeError, WavSamples, WavWriter};
use vocalhost_files::live_key;
use vocalhost_job::{LiveFile, LiveRecorded, LiveSide, LiveSpec, SampleFormat};
use vocalhost_system::token;

/// Pieces that may wait to be written: more seconds of sound than a disk is ever busy for. Beyond that a recording ends, and sound goes on.
const WAITING: usize = 1_024;

/// Silence is written so many samples at a time.
const SILENCE: usize = 4_800;

/// The recordings of a stream.
#[derive(Default)]
pub(super) struct Tapes {
    input: Option<Tape>,
    output: Option<Tape>,
}

impl Tapes {
    /// Begins those that the conversion asks for, in this folder.
    pub(super) fn begin(folder: &Path, spec: &LiveSpec) -> std::io::Result<Self> {
        let begin = |side| {
            let kept = spec.record.keeps(side);
            kept.then(|| Tape::begin(folder, spec)).transpose()
        };
        Ok(Self {
            input: begin(LiveSide::Input)?,
            output: begin(LiveSide::Output)?,
        })
    }

    /// Adds what is said.
    pub(super) fn said(&mut self, samples: &[f32]) {
        if let Some(tape) = &mut self.input {
            tape.write(samples);
        }
    }

    /// Adds the output as the client is sent it. `first` is where it begins in the time of the input; what was dropped before it becomes
    /// silence.
    pub(super) fn came_out(&mut self, first: u64, (written, format): (&[u8], SampleFormat)) {
        if let Some(tape) = &mut self.output {
            tape.silence_until(first);
            tape.write(&format.read(written));
        }
    }

    /// Finishes the files and puts them into the store. One that cannot be kept is missing, and the log says why.
    pub(super) async fn keep(self, api: &Api, id: i64) -> LiveRecorded {
        let (input, output) = tokio::join!(kept(api, id, self.input), kept(api, id, self.output));
        LiveRecorded { input, output }
    }
}

async fn kept(api: &Api, id: i64, tape: Option<Tape>) -> Option<LiveFile> {
    let tape = tape?;
    let file = async {
        let (path, bytes, sha256) = tape.finish().await?;
        let token = token::draw().map_err(|error| error.to_string())?;
        let key = live_key(id, &token);
        let given = api.files.give(&path, &key).await;
        given.map_err(|error| error.to_string())?;
        Ok::<_, String>(LiveFile { key, bytes, sha256 })
    };
    match file.await {
        Ok(file) => Some(file),
        Err(error) => {
            tracing::error!(live = id, error, "a recording of a live conversion is lost");
            None
        }
    }
}

struct Tape {
    pieces: SyncSender<Vec<f32>>,
    writing: JoinHandle<Result<(u64, String), EncodeError>>,
    path: TempPath,
    /// Samples so far.
    at: u64,
    /// Whether the disk was too slow for it.
    is_torn: bool,
}

impl Tape {
    fn begin(folder: &Path, spec: &LiveSpec) -> std::io::Result<Self> {
        let named = tempfile::Builder::new()
            .prefix("live-")
            .suffix(".wav")
            .tempfile_in(folder)?;
        let path = named.into_temp_path();
        let (pieces, to_write) = sync_channel(WAITING);
        let (file, rate_hz) = (path.to_path_buf(), spec.sample_rate_hz);
        let samples = match spec.sample_format {
            SampleFormat::S16le => WavSamples::Int16,
            SampleFormat::F32le => WavSamples::Float32,
        };
        let writing = spawn_blocking(move || {
            write_all(&to_write, WavWriter::create_as(samples, &file, 1, rate_hz)?)?;
            hashed(&file).map_err(EncodeError::from)
        });
        Ok(Self {
            pieces,
            writing,
            path,
            at: 0,
            is_torn: false,
        })
    }

    fn write(&mut self, samples: &[f32]) {
        if self.is_torn {
            return;
        }
        self.is_torn = self.pieces.try_send(samples.to_vec()).is_err();
        self.at += samples.len() as u64;
    }

    fn silence_until(&mut self, at: u64) {
        while self.at < at && !self.is_torn {
            let missing = usize::try_from(at - self.at).unwrap_or(SILENCE);
            self.write(&vec![0.0; missing.min(SILENCE)]);
        }
    }

    async fn finish(self) -> Result<(TempPath, u64, String), String> {
        let Self {
            pieces,
            writing,
            path,
            is_torn,
            ..
        } = self;
        drop(pieces);
        let written = writing.await.map_err(|error| error.to_string())?;
        let (bytes, sha256) = written.map_err(|error| error.to_string())?;
        if is_torn {
            return Err("the disk was too slow".to_owned());
        }
        Ok((path, bytes, sha256))
    }
}

fn write_all(pieces: &Receiver<Vec<f32>>, mut file: WavWriter) -> Result<(), EncodeError> {
    while let Ok(piece) = pieces.recv() {
        file.write(&Block::from_planar(1, piece))?;
    }
    file.finish()
}

/// The size of a file, and SHA-256 of its content.
fn hashed(path: &Path) -> std::io::Result<(u64, String)> {
    let mut file = std::fs::File::open(path)?;
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut piece = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            return Ok((bytes, base16ct::lower::encode_string(&hash.finalize())));
        }
        hash.update(&piece[..count]);
        bytes += count as u64;
    }
}
