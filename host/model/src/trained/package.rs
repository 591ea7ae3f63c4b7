use std::fs;
use std::path::{Path, PathBuf};

use half::f16;
use sha2::{Digest, Sha256};

use super::card::card;
use super::picture::draw;
use crate::blend::BlendError;
use crate::file_names::MANIFEST_NAME;
use crate::limits::MAX_TEXT_BYTES;
use crate::manifest::{FileEntry, FileRole, Manifest};
use crate::sections::{IndexElement, IndexFormat, IndexWeighting, Voice};
use crate::{MAX_TAGS, Package};

/// The tag of every voice that was trained here.
const TAG: &str = "trained";
/// How many of the nearest rows a conversion mixes.
const NEIGHBOURS: u32 = 8;
/// The end of a text that was cut to fit.
const CUT_TEXT: &str = " ...";

/// A trained voice to be packaged.
#[derive(Debug, Clone, Copy)]
pub struct TrainedOrder<'a> {
    /// The new package's id.
    pub id: &'a str,
    /// The new voice's title.
    pub title: &'a str,
    /// Words to search for.
    pub tags: &'a [String],
    /// The voice that it was trained from.
    pub base: &'a Package,
    /// Day of making, `YYYY-MM-DD`.
    pub created: &'a str,
    /// What it was trained on, with the checksums of the recordings.
    pub trained_on: &'a str,
    /// Who agreed, and to what.
    pub consent: &'a str,
    /// The level that its decoder speaks at.
    pub level_rms: f64,
    /// Its mean pitch.
    pub mean_f0_hz: f64,
    /// The decoder's graph.
    pub decoder: &'a [u8],
    /// Rows of the index, one after another, each as wide as the content that retrieval may change.
    pub index: &'a [f32],
    /// The squared distance up to which a row takes effect.
    pub reach: f64,
    /// What was measured of the training: names and values, for people.
    pub figures: &'a [(String, String)],
    /// The same as JSON.
    pub metrics: &'a str,
    /// Another pattern for every picture.
    pub picture_seed: u64,
}

/// The package of a trained voice being made.
#[derive(Debug)]
pub struct TrainedPackage {
    folder: PathBuf,
    manifest: Manifest,
    card: String,
}

impl TrainedPackage {
    /// Writes decoder, index, picture, metrics and the base voice's notices into the existing `folder`. A demo recording can be added;
    /// [`TrainedPackage::seal`] makes it a package.
    ///
    /// # Errors
    /// When the base voice is damaged, and when a file cannot be written.
    pub fn write(order: &TrainedOrder<'_>, folder: &Path) -> Result<Self, BlendError> {
        let base = order.base.manifest();
        let mut made = Self {
            folder: folder.to_owned(),
            manifest: manifest(order),
            card: String::new(),
        };
        made.card = card(&made.manifest, base, order.figures);
        made.add("decoder.onnx", FileRole::Graph, order.decoder)?;
        let halves = order
            .index
            .iter()
            .flat_map(|value| f16::from_f32(*value).to_le_bytes());
        if made.manifest.index.is_some() {
            made.add("index.f16", FileRole::Index, &halves.collect::<Vec<u8>>())?;
        }
        if let Some(picture) = draw(order.picture_seed) {
            made.add("picture.png", FileRole::Picture, &picture)?;
        }
        made.add("metrics.json", FileRole::Metrics, order.metrics.as_bytes())?;
        for (number, (_, notice)) in order.base.read_all(FileRole::Notice)?.iter().enumerate() {
            let name = match number {
                0 => "NOTICE".to_owned(),
                number => format!("NOTICE-{}", number + 1),
            };
            made.add(&name, FileRole::Notice, notice)?;
        }
        Ok(made)
    }

    /// Adds a demo recording that is already in the package's folder.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn add_demo(&mut self, name: &str) -> Result<(), BlendError> {
        let path = self.folder.join(name);
        let content = fs::read(&path).map_err(|source| fault(&path, source))?;
        self.list(name, FileRole::Demo, &content);
        Ok(())
    }

    /// Writes card and manifest and opens the package, which checks it like any other. Can be called again after a file was added.
    ///
    /// # Errors
    /// When they cannot be written, or are refused.
    pub fn seal(&mut self) -> Result<Package, BlendError> {
        let card = std::mem::take(&mut self.card);
        self.add("card.md", FileRole::Card, card.as_bytes())?;
        self.card = card;
        let path = self.folder.join(MANIFEST_NAME);
        let text = toml::to_string(&self.manifest)?;
        fs::write(&path, text).map_err(|source| fault(&path, source))?;
        Ok(Package::open(&self.folder)?)
    }

    fn add(&mut self, name: &str, role: FileRole, content: &[u8]) -> Result<(), BlendError> {
        let path = self.folder.join(name);
        fs::write(&path, content).map_err(|source| fault(&path, source))?;
        self.list(name, role, content);
        Ok(())
    }

    fn list(&mut self, name: &str, role: FileRole, content: &[u8]) {
        let entry = FileEntry {
            role,
            sha256: base16ct::lower::encode_string(&Sha256::digest(content)),
            bytes: content.len() as u64,
        };
        self.manifest.files.insert(name.to_owned(), entry);
    }
}

/// The manifest without its files: that of the base voice, except for this voice's own facts.
fn manifest(order: &TrainedOrder<'_>) -> Manifest {
    let base = order.base.manifest();
    let mut tags: Vec<String> = order.tags.to_vec();
    tags.retain(|tag| tag != TAG);
    tags.truncate(MAX_TAGS - 1);
    tags.push(TAG.to_owned());
    let voice = base.voice.as_ref().map(|voice| Voice {
        tags,
        level_rms: order.level_rms,
        mean_f0_hz: order.mean_f0_hz,
        ..voice.clone()
    });
    let dim = voice.as_ref().map_or(0, |voice| voice.content_dim);
    let rows = order.index.len() as u64 / u64::from(dim.max(1));
    let index = IndexFormat {
        rows,
        dim,
        dtype: IndexElement::F16,
        k: NEIGHBOURS.min(rows as u32),
        weighting: IndexWeighting::InverseSquare,
        parts: Vec::new(),
        cells: None,
        reach: (order.reach > 0.0).then_some(order.reach),
    };
    Manifest {
        id: order.id.to_owned(),
        name: order.title.to_owned(),
        version: "1.0.0".to_owned(),
        attribution: fitting(&format!(
            "Trained from the voice {}, whose notices must be kept. {}",
            base.name, base.attribution
        )),
        trained_on: fitting(order.trained_on),
        consent: fitting(order.consent),
        created: order.created.to_owned(),
        source_url: None,
        source_sha256: None,
        imported_us: None,
        files: std::collections::BTreeMap::new(),
        voice,
        index: (rows > 0).then_some(index),
        blended: Vec::new(),
        ..base.clone()
    }
}

fn fitting(text: &str) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let most = MAX_TEXT_BYTES - CUT_TEXT.len();
    let end = (0..=most).rfind(|end| text.is_char_boundary(*end));
    format!("{}{CUT_TEXT}", &text[..end.unwrap_or(0)])
}

fn fault(path: &Path, source: std::io::Error) -> BlendError {
    BlendError::Write {
        path: path.to_owned(),
        source,
    }
}
