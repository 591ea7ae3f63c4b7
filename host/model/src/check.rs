//! Cross-checks of a manifest that types alone cannot express.

use std::path::Path;

use super::blend::{index_parts, sources as blend_sources};
use super::contract::{names, optional, tensor, tensors};
use super::fault::{Fault, in_range, require, section};
use super::file_names::{MANIFEST_NAME, clash, name_fault};
use super::limits::{MAX_CONTENT_DIM, MAX_FILE_BYTES, MAX_FILES, MAX_INDEX_CELLS, MAX_INDEX_ROWS};
use super::listeners::{self, LISTENING_RATE_HZ};
use super::manifest::{Direction, ElementType, Family, FileRole, Kind, Manifest, TensorRole};
use super::rvc::check_voice;
use super::sections::{MEAN_F0_HZ, Voice};
use super::separation::{check as check_separator, check_graphs};
use super::texts;

/// Frames per second that decoders of RVC's contract work at.
const DECODER_FRAMES_PER_S: u32 = 100;

/// Checks everything that can be known without opening the files.
pub(super) fn check(manifest: &Manifest) -> Result<(), Fault> {
    require(manifest.schema == 1, "schema", "only schema 1 is known")?;
    id(manifest)?;
    texts::check(manifest)?;
    files(manifest)?;
    blend_sources(manifest)?;
    in_range(
        f64::from(manifest.audio.sample_rate_hz),
        8_000.0,
        192_000.0,
        "audio.sample_rate_hz",
    )?;
    let kind = match manifest.family {
        Family::DdspRvc | Family::Rvc => Kind::Voice,
        Family::WaveContent => Kind::Content,
        Family::SalienceF0 | Family::WaveF0 | Family::FramesF0 => Kind::F0,
        Family::MdxNet
        | Family::WaveToStems
        | Family::DemucsSplit
        | Family::RoformerSpec
        | Family::SpleeterMask
        | Family::BandMask
        | Family::Ensemble => Kind::Separator,
        Family::WaveSpeaker => Kind::Speaker,
    };
    require(
        manifest.kind == kind,
        "family",
        format!("does not belong to kind {:?}", manifest.kind).to_lowercase(),
    )?;
    if manifest.kind == Kind::Separator {
        return check_separator(manifest);
    }
    require(
        manifest.audio.channels == 1,
        "audio.channels",
        "must be 1 in this family",
    )?;
    of_separators(manifest)?;
    names(manifest)?;
    if manifest.kind != Kind::Voice {
        require(
            manifest.audio.sample_rate_hz == LISTENING_RATE_HZ,
            "audio.sample_rate_hz",
            format!("must be {LISTENING_RATE_HZ} for this kind"),
        )?;
        require(manifest.index.is_none(), "index", "only voices have one")?;
        require(manifest.rvc.is_none(), "rvc", "only voices have one")?;
    }
    match manifest.kind {
        Kind::Voice => voice(manifest),
        Kind::Content => listeners::content(manifest),
        Kind::F0 => listeners::f0(manifest),
        Kind::Speaker => listeners::speaker(manifest),
        Kind::Separator => Ok(()),
    }
}

/// Rejects what only separators may have.
fn of_separators(manifest: &Manifest) -> Result<(), Fault> {
    for (key, is_there) in [
        ("separator", manifest.separator.is_some()),
        ("stems", manifest.stems.is_some()),
        ("stft", manifest.stft.is_some()),
        ("bands", manifest.bands.is_some()),
        ("chunk", manifest.chunk.is_some()),
        ("bag", manifest.bag.is_some()),
        ("ensemble", manifest.ensemble.is_some()),
    ] {
        require(!is_there, key, "only separators have one")?;
    }
    for tensor in &manifest.tensors {
        require(
            tensor.layout.is_none(),
            &format!("tensor.{}.layout", tensor.name),
            "only separators declare layouts",
        )?;
    }
    Ok(())
}

/// Whether a package may have this id, whatever it begins with.
#[must_use]
pub fn has_id_letters(id: &str) -> bool {
    let id_letter = |letter: u8| {
        letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'.' || letter == b'-'
    };
    (1..=128).contains(&id.len()) && id.bytes().all(id_letter)
}

fn id(manifest: &Manifest) -> Result<(), Fault> {
    let id = manifest.id.as_bytes();
    require(
        has_id_letters(&manifest.id),
        "id",
        "must be 1 to 128 lower-case letters, digits, dots and hyphens",
    )?;
    // Commands take the number of a voice or the id of a package, and neither may look like a flag or a hidden file.
    require(
        id[0].is_ascii_alphanumeric() && id.iter().any(u8::is_ascii_lowercase),
        "id",
        "must begin with a letter or digit and have a letter",
    )
}

fn digest(text: &str, key: &str) -> Result<(), Fault> {
    let hexadecimal = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    require(
        text.len() == 64 && text.bytes().all(hexadecimal),
        key,
        "must be 64 lower-case hexadecimal digits",
    )
}

fn files(manifest: &Manifest) -> Result<(), Fault> {
    require(
        manifest.files.len() <= MAX_FILES,
        "files",
        format!("at most {MAX_FILES} files"),
    )?;
    for (name, entry) in &manifest.files {
        let key = || format!("files.{name:?}");
        if let Some(reason) = name_fault(name) {
            require(false, &key(), reason)?;
        }
        let is_manifest = Path::new(name) == Path::new(MANIFEST_NAME);
        require(!is_manifest, &key(), "is the manifest itself")?;
        let key = |field: &str| format!("files.{name:?}.{field}");
        require(
            entry.bytes >= 1 && entry.bytes <= MAX_FILE_BYTES,
            &key("bytes"),
            format!("must be 1 to {MAX_FILE_BYTES}, is {}", entry.bytes),
        )?;
        digest(&entry.sha256, &key("sha256"))?;
    }
    if let Some(source) = &manifest.source_sha256 {
        digest(source, "source_sha256")?;
    }
    if let Some((name, reason)) = clash(&manifest.files) {
        require(false, &format!("files.{name:?}"), reason)?;
    }
    let count = |role| {
        manifest
            .files
            .values()
            .filter(|entry| entry.role == role)
            .count()
    };
    check_graphs(manifest)?;
    require(
        count(FileRole::Index) == usize::from(manifest.index.is_some()),
        "files",
        "one file has the role index when there is an [index] section, otherwise none",
    )
}

fn voice(manifest: &Manifest) -> Result<(), Fault> {
    let voice = section(manifest.voice.as_ref(), "voice")?;
    require(
        voice.upp.checked_mul(DECODER_FRAMES_PER_S) == Some(manifest.audio.sample_rate_hz),
        "voice.upp",
        format!("must be audio.sample_rate_hz / {DECODER_FRAMES_PER_S}"),
    )?;
    in_range(voice.noise_scale, 0.0, 10.0, "voice.noise_scale")?;
    require(voice.speaker >= 0, "voice.speaker", "must not be negative")?;
    let width = voice.content_dim.saturating_add(voice.energy_channels);
    require(
        voice.content_dim > 0 && width <= MAX_CONTENT_DIM,
        "voice.content_dim",
        format!("must be 1 to {MAX_CONTENT_DIM} with the energy channels"),
    )?;
    index(manifest, voice.content_dim)?;
    match manifest.family {
        Family::Rvc => check_voice(manifest, voice),
        _ => source_filter(manifest, voice, width),
    }
}

/// Checks what only voices of our own family have.
fn source_filter(manifest: &Manifest, voice: &Voice, width: u32) -> Result<(), Fault> {
    let segment = section(manifest.segment.as_ref(), "segment")?;
    require(manifest.rvc.is_none(), "rvc", "only voices of RVC have one")?;
    section(voice.content.as_ref(), "voice.content")?;
    section(voice.f0.as_ref(), "voice.f0")?;
    in_range(voice.level_rms, 0.001, 1.0, "voice.level_rms")?;
    let (lowest, highest) = MEAN_F0_HZ.into_inner();
    in_range(voice.mean_f0_hz, lowest, highest, "voice.mean_f0_hz")?;
    in_range(segment.core_s, 0.5, 60.0, "segment.core_s")?;
    // Context around a segment costs as much to compute as the segment itself.
    let longest_context = f64::min(10.0, 2.0 * segment.core_s);
    in_range(segment.context_s, 0.0, longest_context, "segment.context_s")?;
    let longest_fade = segment.context_s.min(segment.core_s / 2.0);
    in_range(
        segment.crossfade_s,
        0.0,
        longest_fade,
        "segment.crossfade_s",
    )?;
    let (single, float, integer) = (
        &[ElementType::F32][..],
        &[ElementType::F32, ElementType::F64][..],
        &[ElementType::I64][..],
    );
    tensors(
        manifest,
        &[
            tensor(
                Direction::In,
                TensorRole::Content,
                single,
                &format!("1 T {width}"),
            ),
            tensor(Direction::In, TensorRole::Pitchf, single, "1 T"),
            optional(TensorRole::Length, integer, "1"),
            optional(TensorRole::Pitch, integer, "1 T"),
            optional(TensorRole::Speaker, integer, "1"),
            optional(TensorRole::PriorNoise, single, "1 C T"),
            optional(TensorRole::Phase, float, "1"),
            tensor(Direction::Out, TensorRole::Audio, single, "1 1 N"),
        ],
    )
}

fn index(manifest: &Manifest, content_dim: u32) -> Result<(), Fault> {
    let (Some(index), Some((name, file))) = (&manifest.index, manifest.file(FileRole::Index))
    else {
        return Ok(());
    };
    require(
        index.dim == content_dim,
        "index.dim",
        format!("must be voice.content_dim, {content_dim}"),
    )?;
    require(
        index.k >= 1 && index.k <= 64,
        "index.k",
        format!("must be 1 to 64, is {}", index.k),
    )?;
    require(
        index.rows >= u64::from(index.k) && index.rows <= MAX_INDEX_ROWS,
        "index.rows",
        format!("must be index.k to {MAX_INDEX_ROWS}, is {}", index.rows),
    )?;
    index_parts(index)?;
    require(
        index.cells.is_none() || index.parts.is_empty(),
        "index.cells",
        "parts have cells of their own",
    )?;
    let key = if index.parts.is_empty() {
        "index.cells"
    } else {
        "index.parts.cells"
    };
    for cells in index.shelves().iter().filter_map(|part| part.cells) {
        require(
            (1..=MAX_INDEX_CELLS).contains(&cells.count)
                && (1..=cells.count).contains(&cells.probe),
            key,
            format!("count must be 1 to {MAX_INDEX_CELLS}, probe 1 to count"),
        )?;
    }
    for reach in index.shelves().iter().filter_map(|part| part.reach) {
        in_range(reach, 1e-6, 1e9, "index.reach")?;
    }
    let row_bytes = index.rows * u64::from(index.dim) * index.dtype.bytes() as u64;
    let bytes = row_bytes + index.cell_bytes();
    require(
        file.bytes == bytes,
        &format!("files.{name:?}.bytes"),
        format!(
            "must be {bytes}, as index.rows, index.dim, index.dtype and the cells say, is {}",
            file.bytes
        ),
    )
}
