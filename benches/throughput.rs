//! Runs a chain of components over one recording again and again and says how fast: the half of
//! `plugins/compare/throughput.py` that is ours.
//!
//! `throughput RATE EFFECT[:PARAMETER=NUMBER,...]...` loads the effects with every limit on, reads stereo sound from
//! standard input (planar little-endian `f32`: its length in frames as `u64` before it) and then answers every line on
//! standard input by one run over the whole sound: a line with the processor time of the run in seconds.

use std::collections::BTreeMap;
use std::io::{BufRead as _, Read, Write as _, stdin, stdout};

use anyhow::{Context as _, Result, anyhow, bail};
use rustix::time::{ClockId, clock_gettime};
use vocalhost_audio::{Block, Stage as _};
use vocalhost_effects::{
    Catalog, EffectHost, EffectLimits, EffectStage, SettingValue, StreamConfig,
};

const CHANNELS: usize = 2;
/// The length of block that jobs use.
const BLOCK_FRAMES: usize = 4096;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let [sample_rate_hz, chain @ ..] = arguments.as_slice() else {
        // `cargo bench` runs every bench; this one has nothing to do without the other half.
        return Ok(());
    };
    let host = EffectHost::open(None, EffectLimits::default())?;
    let catalog = Catalog::builtin(&host)?;
    let mut stages = chain
        .iter()
        .map(|link| start(&catalog, sample_rate_hz.parse()?, link))
        .collect::<Result<Vec<_>>>()?;

    let mut input = stdin().lock();
    let blocks = read_sound(&mut input)?;
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let seconds = run(&mut stages, &blocks)?;
        writeln!(stdout(), "{seconds:.9}")?;
        line.clear();
    }
    Ok(())
}

/// Starts one link of the chain, written `EFFECT[:PARAMETER=NUMBER,...]`.
fn start(catalog: &Catalog, sample_rate_hz: u32, link: &str) -> Result<EffectStage> {
    let (id, numbers) = link.split_once(':').unwrap_or((link, ""));
    let mut settings = BTreeMap::new();
    for setting in numbers.split(',').filter(|setting| !setting.is_empty()) {
        let (parameter, number) = setting
            .split_once('=')
            .with_context(|| format!("`{setting}` is not PARAMETER=NUMBER"))?;
        settings.insert(parameter.to_owned(), SettingValue::Number(number.parse()?));
    }
    let entry = catalog
        .find(id)
        .ok_or_else(|| anyhow!("there is no effect {id}"))?;
    let stream = StreamConfig {
        sample_rate_hz,
        channels: CHANNELS,
        settings,
    };
    Ok(entry.effect.start(&stream)?)
}

/// The sound on standard input, in blocks.
fn read_sound(input: &mut impl Read) -> Result<Vec<Block>> {
    let mut length = [0; 8];
    input.read_exact(&mut length)?;
    let frames = usize::try_from(u64::from_le_bytes(length))?;
    let mut bytes = vec![0; CHANNELS * frames * size_of::<f32>()];
    input.read_exact(&mut bytes)?;
    let samples: Vec<f32> = bytes
        .chunks_exact(4)
        .map(|sample| f32::from_le_bytes([sample[0], sample[1], sample[2], sample[3]]))
        .collect();
    let (left, right) = samples.split_at(frames);
    let blocks = left.chunks(BLOCK_FRAMES).zip(right.chunks(BLOCK_FRAMES));
    Ok(blocks
        .map(|(left, right)| Block::from_planar(CHANNELS, [left, right].concat()))
        .collect())
}

/// Sends every block through the chain and gives the processor time it took.
fn run(stages: &mut [EffectStage], blocks: &[Block]) -> Result<f64> {
    let start = thread_seconds();
    for block in blocks {
        let mut block = block.clone();
        for stage in &mut *stages {
            block = stage.process(block)?;
        }
        if block.channels() != CHANNELS {
            bail!("the chain changed the number of channels");
        }
    }
    Ok(thread_seconds() - start)
}

fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
