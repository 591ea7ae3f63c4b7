//! Separators as torch has saved them, made into graphs that are drawn here from our own description of each, with the dimensions that
//! the weights have. The graphs take and give spectra: the transforms are the host's.

mod drawn;
mod mdx23c;
mod roformer;
mod scnet;
mod settings;
#[cfg(test)]
mod tests;
mod told;
mod vr;

use std::path::{Path, PathBuf};

use super::asked::Asked;
use super::drawing::DrawFault;
use super::graphs::{Order, package_drawn};
use super::known::{self, Checkpoint};
use super::loaded::Loaded;
use super::torch::{Entry, TorchFile};
use super::{ImportError, ImportRequest, Imported};
use drawn::plain;
use settings::Settings;
use vocalhost_model::Kind;

/// Which of them it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Roformer,
    Mdx23c,
    Scnet,
    Vr,
}

impl Separator {
    /// Whether there may be a file of settings beside it.
    pub(super) fn may_have_settings(self) -> bool {
        self != Self::Vr
    }
}

/// The dictionary with the weights of a separator, if the file has one, and of which.
pub(super) fn weights_in(file: &TorchFile) -> Option<(Separator, Entry)> {
    let document = file.document();
    let names = |dict| document.members(dict).map(|(name, _)| name);
    let known = [
        (Separator::Roformer, roformer::MARKS),
        (Separator::Mdx23c, mdx23c::MARKS),
        (Separator::Scnet, scnet::MARKS),
        (Separator::Vr, vr::MARKS),
    ];
    known.into_iter().find_map(|(separator, marks)| {
        let is_one = |dict| {
            let has = |mark: &&str| names(dict).any(|name| plain(name).starts_with(*mark));
            marks.iter().all(has)
        };
        document.weights(is_one).map(|dict| (separator, dict))
    })
}

/// Makes a package of the checkpoint at `path`, whose weights are in the dictionary `dict`, with the settings in the file `config` if
/// there is one.
pub(super) fn import(
    request: &ImportRequest<'_>,
    (path, mut file): (&Path, TorchFile),
    (separator, dict): (Separator, Entry),
    config: Option<&PathBuf>,
) -> Result<Imported, ImportError> {
    request.check_wanted(Kind::Separator)?;
    // A file of settings says more than what is known of others like it.
    let by_content = config.is_none().then(|| known::checkpoint(path)).flatten();
    let settings = match (config, &by_content) {
        (Some(config), _) => Settings::of_file(config).map_err(|fault| fault.of(config))?,
        (None, Some(Checkpoint::Separator(known))) => Settings::of_known(known),
        (None, _) => Settings::none(),
    };
    if let Some(config) = config.filter(|_| !separator.may_have_settings()) {
        let reason = "is not needed: beside a VR model there are no settings".to_owned();
        return Err(DrawFault::refused(reason).of(config));
    }
    let settings = (&settings, config.map_or(path, PathBuf::as_path));
    let asked = Asked::new(&request.answers.facts);
    let (bytes, mut drawn) = match separator {
        Separator::Roformer => roformer::draw((path, &mut file), dict, settings, asked)?,
        Separator::Mdx23c => mdx23c::draw((path, &mut file), dict, settings, asked)?,
        Separator::Scnet => scnet::draw((path, &mut file), dict, settings, asked)?,
        Separator::Vr => {
            let known = match &by_content {
                Some(Checkpoint::Vr(known)) => Some(*known),
                _ => None,
            };
            vr::draw((path, &mut file), dict, known, asked)?
        }
    };
    drop(file);
    if let Some(Checkpoint::Separator(known)) = by_content {
        drawn.what = format!("{}, known by its content ({})", drawn.what, known.name);
    }
    let graph = Loaded::check(path, &bytes, &[])?;
    let order = Order {
        request,
        graph: &graph,
        more: &[],
        index: None,
        source: None,
        called: &[],
        known: None,
    };
    package_drawn(&order, drawn)
}
