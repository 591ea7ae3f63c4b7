//! Decodes recordings and reports on them. Each line of standard input is a path, optionally followed by a tab and a second path, to which
//! the samples of the first channel are written (little-endian 32-bit floats). Each line is answered with one line of JSON: either
//! `format`, `rate`, `channels`, `frames`, `told` (frames by the probe), `silent` (frames in stretches of digital silence) and `findings`,
//! or `error`. `tests/damaged` compares the answers with another decoder.

#![allow(clippy::print_stdout, reason = "it answers on standard output")]

use std::fs::File;
use std::io::{self, BufRead as _, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};
use vocalhost_audio::{AudioLimits, Block, DecodeError, Decoder};

const LIMITS: AudioLimits = AudioLimits {
    max_duration_s: 7_200.0,
};

/// Real sound has shorter runs of zeros than this.
const LEAST_SILENCE_FRAMES: u64 = 32;

/// Counts frames in stretches of digital silence, which replaces what cannot be decoded.
#[derive(Default)]
struct Silence {
    run: u64,
    frames: u64,
}

impl Silence {
    fn listen(&mut self, block: &Block) {
        for frame in 0..block.frames() {
            let is_zero = (0..block.channels()).all(|channel| {
                let sample = block.channel(channel)[frame];
                assert!(sample.is_finite(), "a sample is no number");
                sample == 0.0
            });
            if is_zero {
                self.run += 1;
            } else {
                self.end();
            }
        }
    }

    fn end(&mut self) {
        if self.run >= LEAST_SILENCE_FRAMES {
            self.frames += self.run;
        }
        self.run = 0;
    }
}

fn write_first(block: &Block, target: &mut impl Write) -> io::Result<()> {
    let mut samples = block.channel(0).iter();
    samples.try_for_each(|sample| target.write_all(&sample.to_le_bytes()))
}

fn heard(path: &Path, sound: Option<&str>) -> Result<Value, DecodeError> {
    let mut sound = sound.map(File::create).transpose()?.map(BufWriter::new);
    let mut decoder = Decoder::open(path, &LIMITS)?;
    let (mut frames, mut silence) = (0, Silence::default());
    while let Some(block) = decoder.next_block()? {
        frames += block.frames() as u64;
        silence.listen(&block);
        if let Some(sound) = &mut sound {
            write_first(&block, sound)?;
        }
    }
    silence.end();
    let info = decoder.info();
    Ok(json!({
        "format": info.format,
        "rate": info.sample_rate_hz,
        "channels": info.channels,
        "frames": frames,
        "told": info.frames,
        "silent": silence.frames,
        "findings": decoder.findings(),
    }))
}

fn main() -> io::Result<()> {
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (path, sound) = match line.split_once('\t') {
            Some((path, sound)) => (path, Some(sound)),
            None => (line.as_str(), None),
        };
        let answer = heard(Path::new(path), sound);
        let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        writeln!(answers, "{answer}")?;
        answers.flush()?;
    }
    Ok(())
}
