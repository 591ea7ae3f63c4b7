//! The sounds of a conversion, and the files that each of them becomes.

use std::sync::Arc;

use super::PipelineError;
use super::publish::measured;
use super::sound::Sound;
use super::writing::{Encoding, encode};
use vocalhost_job::{FileRole, Measured, ResultFile, Stem};

/// A sound of the result, and its name.
pub struct Named {
    pub name: &'static str,
    pub roles: [FileRole; 2],
    /// The stem that it also is.
    pub stem: Option<Stem>,
    pub sound: Arc<Sound>,
}

impl Named {
    /// The entries of the record for its files.
    fn entries(&self, files: &[ResultFile]) -> Vec<ResultFile> {
        let mut entries = files.to_vec();
        if let Some(stem) = self.stem {
            let roles = [FileRole::Stem(stem), FileRole::LossyStem(stem)];
            let stems = files.iter().zip(roles);
            entries.extend(stems.map(|(file, role)| ResultFile {
                role,
                ..file.clone()
            }));
        }
        entries
    }
}

/// How loud each sound is, by the role of its main file.
pub type Loudnesses = Vec<(FileRole, Measured)>;

/// Writes all files, and says how loud each sound is.
pub fn write(
    sounds: &[Named],
    encoding: &Encoding<'_>,
    report: &mut dyn FnMut(f64),
) -> Result<(Vec<ResultFile>, Loudnesses), PipelineError> {
    let all = sounds.iter();
    let all = all.map(|named| (Arc::clone(&named.sound), named.name, named.roles));
    let encoded = encode(&all.collect::<Vec<_>>(), encoding, report)?;
    let (mut files, mut loudness) = (Vec::new(), Vec::new());
    for (named, encoded) in sounds.iter().zip(&encoded) {
        files.extend(named.entries(&encoded.files));
        loudness.push((named.roles[0], measured(encoded.loudness)));
    }
    // All lossless stems come together, then all lossy ones, as in a separation.
    files.sort_by_key(|file| match file.role {
        FileRole::Stem(_) => 1,
        FileRole::LossyStem(_) => 2,
        _ => 0,
    });
    Ok((files, loudness))
}
