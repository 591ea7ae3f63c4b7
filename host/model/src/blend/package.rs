use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::BlendError;
use super::check::check_size;
use super::family::check_family;
use super::graph::{Graph, GraphError};
use super::picture::overlay;
use super::provenance::{CardFacts, card};
use super::retrieval::{VoiceIndex, combine};
use super::same::difference;
use super::speakers;
use super::voice::manifest;
use super::weights::interpolate;
use crate::Package;
use crate::file_names::MANIFEST_NAME;
use crate::manifest::{FileEntry, FileRole, Manifest};
use crate::sections::{IndexElement, IndexFormat};

/// Shares come rounded; a sum that differs from 1 by less than this is scaled to 1.
const SHARE_TOLERANCE: f64 = 1e-5;
/// How many voices a blend is made of.
const COUNT: std::ops::RangeInclusive<usize> = 2..=4;

/// A voice and its share of a blend.
#[derive(Debug, Clone, Copy)]
pub struct BlendVoice<'a> {
    /// The voice.
    pub package: &'a Package,
    /// Its share, 0 to 1.
    pub share: f64,
    /// A picture that replaces the package's.
    pub picture: Option<&'a Path>,
    /// A demo recording that replaces the package's.
    pub demo: Option<&'a Path>,
}

impl BlendVoice<'_> {
    /// Its picture or its demo recording, if it has one.
    fn beside(&self, role: FileRole) -> Result<Option<Vec<u8>>, BlendError> {
        let given = match role {
            FileRole::Picture => self.picture,
            FileRole::Demo => self.demo,
            _ => None,
        };
        if let Some(path) = given {
            let content = fs::read(path);
            return content.map(Some).map_err(|source| file_fault(path, source));
        }
        if self.package.manifest().file(role).is_none() {
            return Ok(None);
        }
        let (_, content) = self.package.read(role)?;
        Ok(Some(content))
    }
}

/// A blend to be made.
#[derive(Debug, Clone, Copy)]
pub struct BlendOrder<'a> {
    /// The new package's id.
    pub id: &'a str,
    /// The new voice's title.
    pub title: &'a str,
    /// Two to four voices; their shares add up to 1.
    pub voices: &'a [BlendVoice<'a>],
}

/// A demo recording that the blend's own can be made from.
#[derive(Debug, Clone, PartialEq)]
pub struct DemoSource {
    /// The title of the voice whose demo recording it is.
    pub voice: String,
    /// The recording: a file of sound.
    pub sound: Vec<u8>,
    /// How far the blend's mean pitch is above that voice's, in semitones, at most two octaves.
    pub semitones: f64,
}

/// The package of a blend being made: files are written, and its manifest grows with them.
#[derive(Debug)]
pub struct BlendedPackage {
    folder: PathBuf,
    manifest: Manifest,
    demos: Vec<DemoSource>,
    demo_of: Option<String>,
    notices: Vec<String>,
}

impl BlendedPackage {
    /// Blends the voices into the existing `folder`: graph, index, picture and notices. A demo recording can be added;
    /// [`BlendedPackage::seal`] adds the card and makes it a package. The folder may hold other files under other names.
    ///
    /// # Errors
    /// When the voices are not two to four of one family, when their graphs differ in more than their weights, when a
    /// package is damaged, and when a file cannot be written.
    pub fn write(order: &BlendOrder<'_>, folder: &Path) -> Result<Self, BlendError> {
        let heard = heard(order)?;
        let manifests: Vec<(&Manifest, f64)> = heard
            .iter()
            .map(|voice| (voice.package.manifest(), voice.share))
            .collect();
        check_size(&manifests)?;
        let (graph, speakers) = graph(order)?;
        let index = index(&heard)?;
        let (index, rows) = index.map_or((None, None), |(index, rows)| (Some(index), Some(rows)));
        let mut manifest = manifest(order.id, order.title, &manifests, index)
            .ok_or(BlendError::Count(manifests.len()))?;
        if let (Some(rvc), Some(rows)) = (&mut manifest.rvc, speakers) {
            rvc.speakers.retain(|speaker| (speaker.id as u64) < rows);
        }
        let demos = demos(&heard, &manifest)?;
        let mut blend = Self {
            folder: folder.to_owned(),
            manifest,
            demos,
            demo_of: None,
            notices: Vec::new(),
        };
        blend.add("decoder.onnx", FileRole::Graph, &graph)?;
        if let Some(rows) = rows {
            let name = match blend.manifest.index.as_ref().map(|index| index.dtype) {
                Some(IndexElement::F32) => "index.f32",
                _ => "index.f16",
            };
            blend.add(name, FileRole::Index, &rows)?;
        }
        if let Some(picture) = overlay(&pictures(&heard)?) {
            blend.add("picture.png", FileRole::Picture, &picture)?;
        }
        blend.notices = blend.add_notices(&heard)?;
        Ok(blend)
    }

    /// Takes the recordings that a demo can be made from: the demos of its voices, that of the largest share first.
    #[must_use]
    pub fn take_demo_sources(&mut self) -> Vec<DemoSource> {
        std::mem::take(&mut self.demos)
    }

    /// Adds the demo recording in `file`, made from `source`, under `name`.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn add_demo(
        &mut self,
        name: &str,
        file: &Path,
        source: &DemoSource,
    ) -> Result<(), BlendError> {
        let content = fs::read(file).map_err(|source| file_fault(file, source))?;
        self.add(name, FileRole::Demo, &content)?;
        self.demo_of = Some(source.voice.clone());
        Ok(())
    }

    /// Writes card and manifest and opens the package, which checks it like any other. Can be called again after more files were added.
    pub fn seal(&mut self) -> Result<Package, BlendError> {
        let facts = CardFacts {
            demo_of: self.demo_of.clone(),
            notices: self.notices.clone(),
        };
        let card = card(&self.manifest, &facts);
        self.add("card.md", FileRole::Card, card.as_bytes())?;
        let path = self.folder.join(MANIFEST_NAME);
        let text = toml::to_string(&self.manifest)?;
        fs::write(&path, text).map_err(|source| file_fault(&path, source))?;
        Ok(Package::open(&self.folder)?)
    }

    fn add(&mut self, name: &str, role: FileRole, content: &[u8]) -> Result<(), BlendError> {
        let path = self.folder.join(name);
        fs::write(&path, content).map_err(|source| file_fault(&path, source))?;
        let entry = FileEntry {
            role,
            sha256: base16ct::lower::encode_string(&Sha256::digest(content)),
            bytes: content.len() as u64,
        };
        self.manifest.files.insert(name.to_owned(), entry);
        Ok(())
    }

    /// Carries over the notices of all voices, each wording once, and returns the names of their files.
    fn add_notices(&mut self, voices: &[BlendVoice<'_>]) -> Result<Vec<String>, BlendError> {
        let mut found: Vec<Vec<u8>> = Vec::new();
        for voice in voices {
            for (_, notice) in voice.package.read_all(FileRole::Notice)? {
                if !found.contains(&notice) {
                    found.push(notice);
                }
            }
        }
        let name = |place: usize| match found.len() {
            1 => "NOTICE".to_owned(),
            _ => format!("NOTICE-{}", place + 1),
        };
        let names: Vec<String> = (0..found.len()).map(name).collect();
        for (name, notice) in names.iter().zip(&found) {
            self.add(name, FileRole::Notice, notice)?;
        }
        Ok(names)
    }
}

/// The voices with a share above 0; the shares are scaled to add up to 1.
fn heard<'a>(order: &BlendOrder<'a>) -> Result<Vec<BlendVoice<'a>>, BlendError> {
    if !COUNT.contains(&order.voices.len()) {
        return Err(BlendError::Count(order.voices.len()));
    }
    let manifests: Vec<&Manifest> = order
        .voices
        .iter()
        .map(|voice| voice.package.manifest())
        .collect();
    check_family(&manifests)?;
    let total: f64 = order.voices.iter().map(|voice| voice.share).sum();
    let valid = order.voices.iter().all(|voice| voice.share >= 0.0);
    if !valid || (total - 1.0).abs() > SHARE_TOLERANCE {
        return Err(BlendError::Shares(total));
    }
    let heard = order.voices.iter().filter(|voice| voice.share > 0.0);
    let heard = heard.map(|voice| BlendVoice {
        share: voice.share / total,
        ..*voice
    });
    Ok(heard.collect())
}

/// The blended graph, and how many speakers it knows if it has a table of them. Voices without a share are compared with the others, too:
/// whether voices can be blended does not depend on the shares.
fn graph(order: &BlendOrder<'_>) -> Result<(Vec<u8>, Option<u64>), BlendError> {
    let mut files = Vec::with_capacity(order.voices.len());
    for voice in order.voices {
        let (_, file) = voice.package.read(FileRole::Graph)?;
        files.push((voice, file));
    }
    let title = |voice: &BlendVoice<'_>| voice.package.manifest().name.clone();
    let unreadable = |voice: &BlendVoice<'_>, error: GraphError| BlendError::Graph {
        voice: title(voice),
        reason: error.to_string(),
    };
    let mut graphs = Vec::with_capacity(files.len());
    for (voice, file) in &files {
        let graph = Graph::parse(file).map_err(|error| unreadable(voice, error))?;
        graphs.push((*voice, graph));
    }
    let Some(((first, first_graph), others)) = graphs.split_first() else {
        return Err(BlendError::Count(0));
    };
    for (other, graph) in others {
        let found = difference(first_graph, graph).map_err(|error| {
            // One of the two cannot be read; a readable graph does not differ from itself.
            let is_first = difference(first_graph, first_graph).is_err();
            unreadable(if is_first { first } else { other }, error)
        })?;
        if let Some(reason) = found {
            return Err(BlendError::Differs {
                first: title(first),
                other: title(other),
                reason,
            });
        }
    }
    let first = *first;
    let heard = graphs.into_iter().filter(|(voice, _)| voice.share > 0.0);
    let (voices, heard): (Vec<_>, Vec<_>) = heard
        .map(|(voice, graph)| (voice, (graph, voice.share)))
        .unzip();
    let speakers = speakers::fewest(&heard);
    if let (Some(rows), Some(voice)) = (speakers, &first.package.manifest().voice)
        && voice.speaker as u64 >= rows
    {
        let number = voice.speaker;
        return Err(BlendError::Graph {
            voice: title(first),
            reason: format!("it speaks as speaker {number}, and not all know more than {rows}"),
        });
    }
    let file = interpolate(&heard).map_err(|error| {
        let parts = voices.iter().zip(&heard);
        let broken = parts
            .filter(|(_, (graph, _))| !graph.is_finite())
            .map(|(voice, _)| *voice)
            .next();
        unreadable(broken.unwrap_or(first), error)
    })?;
    Ok((file, speakers))
}

fn index(voices: &[BlendVoice<'_>]) -> Result<Option<(IndexFormat, Vec<u8>)>, BlendError> {
    let mut indexes = Vec::new();
    for voice in voices {
        if let Some(format) = &voice.package.manifest().index {
            let (_, file) = voice.package.read(FileRole::Index)?;
            indexes.push(VoiceIndex {
                format,
                file: Cow::Owned(file),
                share: voice.share,
            });
        }
    }
    Ok(combine(&indexes))
}

/// The demo recordings of those voices that have one, the largest share first; equal shares keep their order.
fn demos(voices: &[BlendVoice<'_>], blend: &Manifest) -> Result<Vec<DemoSource>, BlendError> {
    let mut by_share: Vec<&BlendVoice<'_>> = voices.iter().collect();
    by_share.sort_by(|one, other| other.share.total_cmp(&one.share));
    let mut found = Vec::new();
    for voice in by_share {
        let manifest = voice.package.manifest();
        let (Some(from), Some(to)) = (&manifest.voice, &blend.voice) else {
            continue;
        };
        let Some(sound) = voice.beside(FileRole::Demo)? else {
            continue;
        };
        // Where a pitch is not known, the recording is not shifted.
        let is_known = from.mean_f0_hz > 0.0 && to.mean_f0_hz > 0.0;
        let semitones = if is_known {
            12.0 * (to.mean_f0_hz / from.mean_f0_hz).log2()
        } else {
            0.0
        };
        found.push(DemoSource {
            voice: manifest.name.clone(),
            sound,
            semitones: semitones.clamp(-24.0, 24.0),
        });
    }
    Ok(found)
}

/// The picture of every voice that has one, with the voice's share.
fn pictures(voices: &[BlendVoice<'_>]) -> Result<Vec<(Vec<u8>, f64)>, BlendError> {
    let mut found = Vec::new();
    for voice in voices {
        if let Some(content) = voice.beside(FileRole::Picture)? {
            found.push((content, voice.share));
        }
    }
    Ok(found)
}

fn file_fault(path: &Path, source: std::io::Error) -> BlendError {
    BlendError::Write {
        path: path.to_owned(),
        source,
    }
}
