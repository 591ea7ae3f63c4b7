//! One sound separated by one separator, so that the parts add up to it.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::PipelineError;
use super::line::Line;
use super::output::Steps;
use super::sound::{Sound, stepped};
use super::track::TrackWriter;
use vocalhost_audio::{Block, FlipSecond, Lost, Resampler, Spool, SpoolWriter};
use vocalhost_model::Separator;

/// A sound of the result, and what it is.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) sound: Arc<Sound>,
}

/// Where sounds are taken apart.
#[derive(Clone, Copy)]
pub(super) struct Bench<'a> {
    /// A folder for spools.
    pub(super) scratch: &'a Path,
    /// The steps that estimates are rounded to.
    pub(super) steps: Steps,
}

/// Separates a sound: the separator's estimates, rounded to the steps of the files, and the rest of the sound without them.
///
/// If one of two channels has opposite polarity, the separator could not find what is in the middle. It gets that channel inverted, and its
/// estimates are inverted back.
pub(super) fn apart(
    bench: Bench<'_>,
    separator: &Separator,
    whole: &Arc<Sound>,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Part>, PipelineError> {
    let on_disk = on_disk(bench.scratch, whole)?;
    let spool = on_disk.kept().ok_or_else(|| {
        io::Error::other("a sound has to lie on disk before it can be taken apart")
    })?;
    let (channels, rate) = (whole.channels(), whole.sample_rate_hz());
    let steps = bench.steps;
    let is_opposed = is_opposed(spool)?;
    let resampled = as_heard(
        bench.scratch,
        spool,
        (separator.sample_rate_hz(), is_opposed),
    )?;
    let heard = resampled.as_ref().unwrap_or(spool);
    let mut tracks = Vec::new();
    for name in separator.estimated() {
        let path = bench.scratch.join(format!("{name}.f32"));
        let mut line = Line::default();
        line.push(Resampler::new(channels, separator.sample_rate_hz(), rate)?);
        if is_opposed {
            line.push(FlipSecond);
        }
        let track = TrackWriter::create(&path, channels, rate, whole.frames())?;
        tracks.push((line, track, path));
    }
    let mut keep = |blocks: Vec<Block>| -> Result<(), PipelineError> {
        for ((line, track, _), block) in tracks.iter_mut().zip(blocks) {
            line.process(block, &mut |block| stepwise(track, block, steps))?;
        }
        Ok(())
    };
    separator.separate(heard, &mut keep, progress)?;
    let mut parts = Vec::new();
    for ((mut line, mut track, path), name) in tracks.into_iter().zip(separator.estimated()) {
        line.finish(&mut |block| stepwise(&mut track, block, steps))?;
        let spool = track.finish()?;
        fs::remove_file(path)?;
        let sound = Arc::new(Sound::Kept {
            spool,
            steps: Some(steps),
        });
        parts.push(Part { name, sound });
    }
    let others = parts.iter().map(|part| Arc::clone(&part.sound)).collect();
    parts.push(Part {
        name: separator.residual(),
        sound: without(whole, others),
    });
    Ok(parts)
}

/// The rest of a sound without others. If the sound is itself the rest of another one, the others are added to those taken from that one,
/// so that no file of a sum is rounded twice.
pub(super) fn without(sound: &Arc<Sound>, others: Vec<Arc<Sound>>) -> Arc<Sound> {
    Arc::new(match &**sound {
        Sound::Left {
            whole,
            others: before,
        } => Sound::Left {
            whole: Arc::clone(whole),
            others: [&before[..], &others].concat(),
        },
        Sound::Kept { .. } | Sound::Mixed { .. } => Sound::Left {
            whole: Arc::clone(sound),
            others,
        },
    })
}

fn stepwise(track: &mut TrackWriter, block: Block, steps: Steps) -> Result<(), PipelineError> {
    Ok(track.write(&stepped(block, steps))?)
}

/// Whether a spool has two channels of opposite polarity.
fn is_opposed(spool: &Spool) -> Result<bool, PipelineError> {
    let lost = Lost::default();
    if spool.channels() == 2 {
        for block in spool.blocks() {
            lost.note(&block?);
        }
    }
    Ok(lost.is_nearly_all())
}

/// A spool at another rate, or with its second channel inverted; none when it can be used as it is.
fn as_heard(
    scratch: &Path,
    spool: &Spool,
    (rate_hz, turned): (u32, bool),
) -> Result<Option<Spool>, PipelineError> {
    if spool.sample_rate_hz() == rate_hz && !turned {
        return Ok(None);
    }
    let path = scratch.join("heard.f32");
    let mut writer = SpoolWriter::create(&path, spool.channels(), rate_hz)?;
    let mut line = Line::default();
    line.push(Resampler::new(
        spool.channels(),
        spool.sample_rate_hz(),
        rate_hz,
    )?);
    if turned {
        line.push(FlipSecond);
    }
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(writer.write(&block)?) };
    for block in spool.blocks() {
        line.process(block?, &mut keep)?;
    }
    line.finish(&mut keep)?;
    Ok(Some(opened(writer, &path)?))
}

/// The same sound as a spool, written if it is not on disk yet.
pub(super) fn on_disk(scratch: &Path, sound: &Arc<Sound>) -> Result<Arc<Sound>, PipelineError> {
    if sound.kept().is_some() {
        return Ok(Arc::clone(sound));
    }
    let path = scratch.join("sung.f32");
    let mut writer = SpoolWriter::create(&path, sound.channels(), sound.sample_rate_hz())?;
    for block in sound.blocks(1.0) {
        writer.write(&*block?)?;
    }
    Ok(Arc::new(Sound::plain(opened(writer, &path)?)))
}

/// Ends a spool and deletes its name: the space is freed as soon as nobody reads it any more.
fn opened(writer: SpoolWriter, path: &Path) -> io::Result<Spool> {
    let spool = writer.finish()?;
    fs::remove_file(path)?;
    Ok(spool)
}

pub(super) fn part(parts: &[Part], name: &str) -> Result<Arc<Sound>, PipelineError> {
    let found = parts.iter().find(|part| part.name == name);
    let found = found.ok_or_else(|| io::Error::other(format!("no separator gave {name}")))?;
    Ok(Arc::clone(&found.sound))
}
